"""Tells whether two texts of generated code are equal except for names."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|(?:wp::)?[A-Za-z_]\w*|[\d.]\w*|\S")
_WORDS = "if else for while goto return break continue const static void bool struct inline true false"
_FIXED = re.compile(rf"wp::|builtin_|({'|'.join(_WORDS.split())}|nullptr|INFINITY|NAN)$")


def anonymous(text: str) -> list[str]:
    """The words of a C++ text: identifiers numbered in the order of their appearance, those of Warp's own
    namespace excepted; comments and preprocessor lines dropped; ``wp::float`` as ``wp::float32``."""
    text = re.sub(r"^\s*(//|#).*$", "", text, flags=re.MULTILINE)
    for short, long in (("float", "float32"), ("int", "int32")):
        text = re.sub(rf"\bwp::{short}\b", f"wp::{long}", text)
    names: dict[str, str] = {}
    words = []
    for word in _TOKEN.findall(text):
        if (word[0].isalpha() or word[0] == "_") and not _FIXED.match(word):
            word = names.setdefault(word, f"name{len(names)}")
        words.append(word)
    return words
