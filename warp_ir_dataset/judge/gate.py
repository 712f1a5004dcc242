"""Refuses C++ and CUDA that no correct answer needs (assembly, includes, pragmas), before it is compiled.

This is not a security boundary; the sandbox is (`cage`). The filter names the forbidden word to the model,
and keeps texts from the compiler that would make it abort. It ignores comments and strings, and joins spliced
lines first.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from ..compilers.cuda_on_cpu import ANCHORS, ANNOUNCING, FIRSTS, INDEX, SECTIONS, THUNKS
from ..machine.text import header, known

# In C++ and CUDA: what is refused, and how it is recognised in code without comments and strings.
FORBIDDEN: Mapping[str, re.Pattern[str]] = {
    "assembly": re.compile(r"\b(?:asm|__asm|__asm__)\b"),
    "an include": re.compile(r"^[^\S\n]*(?:#|%:)\s*(?:include|import|embed)|\b__has_(?:include|embed)", re.M),
    "a pragma": re.compile(r"^[^\S\n]*(?:#|%:)\s*pragma\b|\b_Pragma\b|\b__pragma\b", re.M),
    "a name made of two": re.compile(r"##|%:%:|\?\?="),
    "a function of memory that is not called": re.compile(r"\bmem(?:cpy|move|set)\b(?!\s*\()"),
    "a function that no device has": re.compile(r"\b(?:memcmp|calloc|realloc)\b"),
    "a directive about lines": re.compile(r"^[^\S\n]*(?:#|%:)\s*(?:line\b|\d)", re.M),
    "an attribute": re.compile(r"\b__attribute(?:__)?\b|\b__declspec\b|(?:\[\[|<:<:)\s*(?:using\b|\w+\s*::)"),
    "an escaped name": re.compile(r"\\[uU]"),
    "a module": re.compile(r"^[^\S\n]*(?:export\s+)?(?:import|module)\b\s*[\w<\":;]", re.M),
}  # fmt: skip

# What is refused in comments and strings as well: clang may see others than we do.
_ANYWHERE = re.compile(r"__attribute|no_sanitize|disable_sanitizer|\bwm_(?:atomic|one)\w*|\\[uU][0-9a-fA-F{]")

_PIECES = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<raw>(?<!\w)(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?(?:\)(?P=delimiter)"|\Z))
    |(?P<string>"(?:\\.|[^"\\\n])*"?)
    |(?P<number>(?<!\w)\.?\d(?:[eEpP][+-]|'?\w|\.)*)
    |(?P<character>(?:\b(?:u8|[uUL]))?'(?:\\.|[^'\\\n])*'?)""",
    re.DOTALL | re.VERBOSE,
)
_RESERVED = re.compile(r"\b(?:__|_[A-Z])\w*")
_PARAMETERS = {"__VA_ARGS__", "__VA_OPT__"}  # of macros
_OURS = re.compile(r"\bwm_\w+")  # names of the machine's
_SPLICE = re.compile(r"\\[ \t\f\v]*\r?\n")


def forbidden(code: str) -> str | None:
    """The name of what is forbidden in a text of C++ or CUDA, the first in the table; None if nothing is."""
    text = bare(code)
    found = next((name for name, pattern in FORBIDDEN.items() if pattern.search(text)), None)
    hidden = _ANYWHERE.search(_SPLICE.sub("", code))
    return found or (hidden and hidden[0])


def reserved(code: str) -> str | None:
    """The first name in a text of C++ or CUDA that only a compiler may make and that is none of CUDA's: by
    such a name a text finds out who compiles it, or does what nvcc does not take. None if there is none."""
    text = bare(code)
    found = (name for name in _RESERVED.findall(text) if name not in known() | _PARAMETERS)
    return next(found, None) or ours(code)


def ours(code: str) -> str | None:
    """The first of our own names in a text, by which it could tell the machine what is not so."""
    return next((name for name in _OURS.findall(bare(code)) if name in _announcing()), None)


@functools.cache
def _announcing() -> frozenset[str]:
    return ANNOUNCING | {FIRSTS, INDEX, SECTIONS, THUNKS, *ANCHORS, *_OURS.findall(header("device.h"))}


@functools.lru_cache(maxsize=2)  # several look at one answer
def bare(code: str) -> str:
    """Code without comments, with empty strings, and with spliced lines whole."""
    return _PIECES.sub(_emptied, _SPLICE.sub("", code))


def masked(code: str) -> str:
    """Code with blanks for comments and strings: all else stays in its place."""
    return _PIECES.sub(lambda piece: piece["number"] or re.sub(r"[^\n]", " ", piece[0]), code)


def _emptied(piece: re.Match[str]) -> str:
    return piece["number"] or (" " if piece["comment"] else '""')
