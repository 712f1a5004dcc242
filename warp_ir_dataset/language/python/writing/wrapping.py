"""Lines that are too long, broken as a formatter breaks them: inside brackets, before operators."""

from __future__ import annotations

import re
from collections.abc import Iterator

WIDTH = 100
_INDENT = " " * 4
_CONDITION = re.compile(r"(if|elif|while) (.*):$")
_RETURN = re.compile(r"(return) (.*)$")
_ASSIGNMENT = re.compile(r"([^=\"']*? (?:[-+*/%&|^]|//|<<|>>)?=) (.*)$")
# Operators, those that bind least first; a line is broken before all of one kind.
_OPERATORS = ((" if ", " else "), (" or ",), (" and ",), (" + ", " - "), (" * ", " / ", " // ", " % "))


def wrapped(text: str) -> str:
    """A module's text with its long statements broken. What has a comment behind it stays."""
    return "\n".join(piece for line in text.split("\n") for piece in _broken(line))


def _broken(line: str) -> Iterator[str]:
    if len(line) <= WIDTH or "#" in line or '"""' in line:
        yield line
        return
    bare = line.lstrip()
    indent = line[: len(line) - len(bare)]
    for pattern in (_CONDITION, _RETURN, _ASSIGNMENT):
        if found := pattern.match(bare):
            colon = ":" if pattern is _CONDITION else ""
            yield from _statement(indent, f"{found[1]} ", found[2], colon)
            return
    yield from _call(indent, "", bare)


def _statement(indent: str, head: str, value: str, tail: str) -> Iterator[str]:
    """A statement whose value is broken at its operators, or else at the arguments of its outermost call."""
    pieces = next((p for kind in _OPERATORS if len(p := _split(value, kind)) > 1), [])
    if not pieces:
        yield from _call(indent, head, value + tail)
        return
    yield f"{indent}{head}("
    for piece in pieces:
        yield from _broken_piece(indent + _INDENT, piece)
    yield f"{indent}){tail}"


def _broken_piece(indent: str, piece: str) -> Iterator[str]:
    if len(indent + piece) <= WIDTH:
        yield indent + piece
    else:
        yield from _call(indent, "", piece)


def _call(indent: str, head: str, text: str) -> Iterator[str]:
    """``name(arguments)`` and what stands behind it, its arguments on lines of their own."""
    start, end = _outermost(text)
    if start is None or end is None or end - start < 2:
        yield indent + head + text
        return
    inner = text[start + 1 : end]
    yield f"{indent}{head}{text[: start + 1]}"
    if len(indent + _INDENT + inner) <= WIDTH and not text.startswith("def "):
        yield f"{indent}{_INDENT}{inner}"
    else:
        for argument in _split(inner, (", ",)):
            yield f"{indent}{_INDENT}{argument.removeprefix(', ')},"
    yield f"{indent}{text[end:]}"


def _outermost(text: str) -> tuple[int | None, int | None]:
    """Where the first bracket opens that is called, and where it closes."""
    start = next((m.start() for m in re.finditer(r"(?<=[\w\]])\(", text)), None)
    if start is None:
        return None, None
    depths = dict(_depths(text))
    return start, next((at for at in depths if at > start and depths[at] < depths[start]), None)


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
    """Each place outside of strings, with how many brackets are open behind it."""
    depth, quote = 0, ""
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
            continue
        if character in "'\"":
            quote = character
            continue
        depth += (character in "([{") - (character in ")]}")
        yield at, depth
