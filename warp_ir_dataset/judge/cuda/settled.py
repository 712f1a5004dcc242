"""Tells whether a plain CUDA text clearly defines nothing for the host, so that no compiler need check that.

Most answers do: functions that say `__device__` or `__global__`, constants, names of types, structs without
functions, simple macros. A text that is not settled may be correct all the same.
"""

from __future__ import annotations

import re

from ..gate import bare
from .declarations import ASIDE, declarations

# Macros may stand for anything but a part of what is around them, or for a type: nothing with a brace, nor
# with one in other letters or glued of two. Other directives leave lines out.
_MACRO = re.compile(r"^[^\S\n]*#[^\S\n]*(?:define[^\S\n]+(?P<name>\w+)[^{}\n]*|undef[^\n]*)$", re.M)
_GLUED = re.compile(r"<%|%>|%:|##")
_DIRECTIVE = re.compile(r"^[^\S\n]*#", re.M)
_TYPE = r"[\w\s*&<>,:]"
_FUNCTION = re.compile(
    rf"(?=[^(]*\b(?:__device__|__global__)\b){_TYPE}*?(?:\w|\boperator\s*[^\s\w()]+)\s*\([^(){{}}=]*\)\s*"
)
# The device can read a constant of the host too, but not one that only points to memory of the host.
_CONSTANT = re.compile(
    r"(?:(?=[^=]*\b(?:__constant__|__device__)\b)|(?=[^=]*\bconst(?:expr)?\b)(?![^=]*[*&<]|.*,\s*[*&]))"
    rf"{_TYPE}+(?:\[[\w\s+*-]*\]\s*)*(?:=[^()\[\]]*)?",
    re.S,
)
_NAMED = re.compile(rf"(?:typedef|using)\b{_TYPE}*(?:=\s*{_TYPE}+)?")
_MEMBERS = re.compile(
    r"(?:typedef\s+)?(?:struct|union|enum(?:\s+(?:class|struct))?)\b[\w\s:]*\{(?P<inside>[^{}]*)\}"
)
_ACTS = re.compile(r"[()]|\bstatic\b|\binline\b|\[\s*\]")  # what members that only hold something do not say
# In a function for the device as well, functions of these are for the host.
_TYPE_WORD = re.compile(r"\b(?:struct|class|union)\b")


def is_settled(code: str) -> bool:
    """Whether all that the code defines is for the device, or is a constant or a type without functions."""
    text = bare(code)
    macros = [*_MACRO.finditer(text)]
    if _GLUED.search(text) or any(_TYPE_WORD.search(macro[0]) for macro in macros):
        return False
    text, names = _MACRO.sub("", text), {macro["name"] for macro in macros}
    return _DIRECTIVE.search(text) is None and all(
        _is_settled(head, body) and names.isdisjoint(re.findall(r"\w+", head))
        for head, body in declarations(text)
    )


def _is_settled(head: str, body: str | None) -> bool:
    """One declaration: `head` is what stands before the braces of a function, and else all of it."""
    head = ASIDE.sub(" ", head).strip()
    if _FUNCTION.fullmatch(head):
        return body is None or _TYPE_WORD.search(body) is None
    if body is not None:
        return False
    if found := _MEMBERS.match(head):
        name = head[found.end() :]  # of what, without the typedef, were a variable
        return _ACTS.search(found["inside"]) is None and (head.startswith("typedef") or not name)
    return not head or any(kind.fullmatch(head) for kind in (_CONSTANT, _NAMED))
