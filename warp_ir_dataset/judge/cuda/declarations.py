"""What a text in C++ without comments and strings declares, as far as braces and semicolons tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

SCOPE = re.compile(r'extern\s*""|namespace\b[\w\s:]*')
# Of a head, what may have brackets and says nothing of where a function is for.
ASIDE = re.compile(
    r'\bextern\s*""|\btemplate\s*<[\w\s,=]*>|\b(?:__launch_bounds__|__align__|alignas)\s*\([\w\s,]*\)'
)
_EDGE = re.compile(r"[{};]")


def declarations(text: str) -> Iterator[tuple[str, str | None]]:
    """The declarations of a scope, each up to its semicolon or the end of its body, and what is left."""
    start = opened = depth = 0
    for edge in _EDGE.finditer(text):
        sign, end = edge[0], edge.end()
        if sign == "{":
            opened = opened if depth else end
            depth += 1
        elif sign == "}":
            depth -= 1
            head = text[start : opened - 1]
            if depth < 0:
                break
            if not depth and _has_body(head):
                yield head, text[opened : end - 1]
                start = end
        elif not depth:
            yield text[start : end - 1], None
            start = end
    if text[start:].strip():
        yield text[start:], None


def _has_body(head: str) -> bool:
    if SCOPE.fullmatch(head.strip()):
        return True
    head = ASIDE.sub(" ", head)
    return "(" in head and "=" not in head
