"""Tells whether two texts of generated code are equal except for names and the spelling of numbers."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([uUlLfF]*)")
_TOKEN = re.compile(rf"\"(?:[^\"\\]|\\.)*\"|(?:wp::)?[A-Za-z_]\w*|0[xX]\w+|{_NUMBER.pattern}|\S")
_WORDS = "if else for while goto return break continue const static void bool struct inline true false"
_FIXED = re.compile(rf"wp::|builtin_|({'|'.join(_WORDS.split())}|nullptr|INFINITY|NAN)$")


def anonymous(text: str) -> list[str]:
    """The words of a C++ text: identifiers numbered in the order of their appearance, those of Warp's own
    namespace excepted; comments and preprocessor lines dropped; ``wp::float`` as ``wp::float32``. Warp spells
    a number of numpy's as numpy does: ``1`` for ``1u``, ``1e+10`` for ``10000000000.0``. What an assertion
    says when it fails is its line of the source, in which names are others."""
    text = re.sub(r"^\s*(//|#).*$", "", text, flags=re.MULTILINE)
    for short, long in (("float", "float32"), ("int", "int32")):
        text = re.sub(rf"\bwp::{short}\b", f"wp::{long}", text)
    names: dict[str, str] = {}
    words = []
    for found in _TOKEN.finditer(text):
        word = _plain(found[0])
        if (word[0].isalpha() or word[0] == "_") and not _FIXED.match(word):
            word = names.setdefault(word, f"name{len(names)}")
        words.append(word)
    return words


def _plain(word: str) -> str:
    """A whole number without a suffix, for its type is that of the variable; of others the value. Of what an
    assertion says nothing."""
    if word.startswith('"assert '):
        return '"assert"'
    number = _NUMBER.fullmatch(word)
    if number is None:
        return word
    digits, suffix = number.groups()
    return digits if digits.isdigit() else f"{float(digits)!r}{suffix}"
