"""Finds the declarations in C++ without comments and strings, by braces and semicolons."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SCOPE = re.compile(r'extern\s*""|namespace\b[\w\s:]*')
# Of a head, what may have brackets and says nothing of where a function is for.
ASIDE = re.compile(
    r'\bextern\s*""|\btemplate\s*<[\w\s,=]*>|\b(?:__launch_bounds__|__align__|alignas)\s*\([\w\s,]*\)'
)
_EDGE = re.compile(r"[{};]")
_INSIDE = re.compile(r"\([^()]*\)")  # a parameter may be given a value


def declarations(text: str) -> Iterator[tuple[str, str | None]]:
    """Those outside of functions, in namespaces as well: what stands before the braces of a function's body,
    and the body, or all of another one; and what is left, a brace that is not closed too. Takes as long as
    the text."""
    start = piece = opened = depth = scopes = 0
    has_brackets = is_given = False  # what is declared from `start` on; its last `piece` is not looked at yet
    for edge in _EDGE.finditer(text):
        sign, end = edge[0], edge.end()
        if depth:
            depth += (sign == "{") - (sign == "}")
            piece = end
            if not depth and has_brackets and not is_given:
                yield text[start : opened - 1], text[opened : end - 1]
                start, has_brackets, is_given = end, False, False
        elif sign == "{" and (piece > start or not _SCOPE.fullmatch(text[start : end - 1].strip())):
            head = _INSIDE.sub("()", ASIDE.sub(" ", text[piece : end - 1]))
            has_brackets, is_given = has_brackets or "(" in head, is_given or "=" in head
            opened, depth = end, 1
        else:
            scopes += (sign == "{") - (sign == "}")
            if scopes < 0:
                break
            if sign == ";" or (sign == "}" and text[start : end - 1].strip()):
                yield text[start : end - 1], None
            start, piece, has_brackets, is_given = end, end, False, False
    if left := text[start:].strip() or "{" * (scopes > 0):
        yield left, None
