"""Breaks lines that are too long, as a formatter does: inside brackets, before operators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

WIDTH = 100
QUOTES = '"""'
_INDENT = " " * 4
_SHORT = 20  # most characters after the closing bracket of a value
_CONDITION = re.compile(r"(if|elif|while) (.*):$")
_RETURN = re.compile(r"(return) (.*)$")
_ASSIGNMENT = re.compile(r"([^=\"']*? (?:[-+*/%&|^]|//|<<|>>)?=) (.*)$")
# Operators, those that bind least first; a line is broken before all of one kind.
_OPERATORS = ((" if ", " else "), (" or ",), (" and ",), (" + ", " - "), (" * ", " / ", " // ", " % "))


def wrapped(text: str) -> str:
    """A module's text with its long statements broken. Docstrings and lines with comments stay."""
    return "\n".join(_pieces(text.split("\n")))


def _pieces(lines: Iterable[str]) -> Iterator[str]:
    inside = False  # of a docstring, in which the quotes of its end are escaped
    for line in lines:
        if inside or line.lstrip().startswith(QUOTES):
            yield line
            inside ^= line.count(QUOTES) == 1
        else:
            yield from _broken(line)


def _broken(line: str) -> Iterator[str]:
    if len(line) <= WIDTH or "#" in line:
        yield line
        return
    bare = line.lstrip()
    indent = line[: len(line) - len(bare)]
    for pattern in (_CONDITION, _RETURN, _ASSIGNMENT):
        if found := pattern.match(bare):
            colon = ":" if pattern is _CONDITION else ""
            yield from _statement(indent, f"{found[1]} ", found[2], colon)
            return
    yield from _bracket(indent, "", bare)


def _statement(indent: str, head: str, value: str, tail: str) -> Iterator[str]:
    """A statement whose value is broken at its operators, or else inside of its brackets."""
    pieces = _at_operators(value)
    start, end = _widest(value)
    if len(pieces) == 1 or (start == 0 and 0 < len(value) - end <= _SHORT):
        yield from _bracket(indent, head, value + tail)
        return
    yield f"{indent}{head}("
    for piece in pieces:
        yield from _piece(indent + _INDENT, piece)
    yield f"{indent}){tail}"


def _at_operators(value: str) -> list[str]:
    """A value in pieces at the operators that bind least, or whole if it has none."""
    return next((pieces for kind in _OPERATORS if len(pieces := _split(value, kind)) > 1), [value])


def _piece(indent: str, piece: str) -> Iterator[str]:
    """A piece that is on its own line already."""
    if len(indent + piece) <= WIDTH:
        yield indent + piece
    else:
        yield from _bracket(indent, "", piece)


def _bracket(indent: str, head: str, text: str) -> Iterator[str]:
    """``name(arguments)`` with each argument on its own line, or ``(a + b)`` with each operand."""
    start, end = _widest(text)
    if end - start < 2:
        yield indent + head + text
        return
    inner = text[start + 1 : end]
    yield f"{indent}{head}{text[: start + 1]}"
    if len(indent + _INDENT + inner) <= WIDTH and not text.startswith("def "):
        yield f"{indent}{_INDENT}{inner}"
    elif len(arguments := _split(inner, (", ",))) > 1 or _is_called(text, start):
        for argument in arguments:
            yield from _piece(indent + _INDENT, f"{argument.removeprefix(', ')},")
    else:
        for piece in _at_operators(inner):
            yield from _piece(indent + _INDENT, piece)
    yield f"{indent}{text[end:]}"


def _is_called(text: str, start: int) -> bool:
    return start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_]")


def _widest(text: str) -> tuple[int, int]:
    """The start and end of the widest outermost bracket; the first of several."""
    found, opened, before = (0, 0), 0, 0
    for at, depth in _depths(text):
        if text[at] == "(" and (before, depth) == (0, 1):
            opened = at
        elif text[at] == ")" and (before, depth) == (1, 0) and at - opened > found[1] - found[0]:
            found = opened, at
        before = depth
    return found


def _split(text: str, operators: tuple[str, ...]) -> list[str]:
    """A text in pieces, each but the first beginning with one of the operators, outside of all brackets."""
    cuts = [0]
    for at, depth in _depths(text):
        if depth == 0 and text[at] in " ,":
            found = next((o for o in operators if text.startswith(o, at)), None)
            if found is not None and at > cuts[-1]:
                cuts.append(at)
    pieces = [text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]
    return [pieces[0], *(piece if piece.startswith(",") else piece.lstrip() for piece in pieces[1:])]


def _depths(text: str) -> Iterator[tuple[int, int]]:
    """Each position outside of strings, with the number of open brackets after it."""
    depth, quote, escaped = 0, "", False
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote and not escaped else quote
            escaped = character == "\\" and not escaped
            continue
        if character in "'\"":
            quote = character
            continue
        depth += (character in "([{") - (character in ")]}")
        yield at, depth
