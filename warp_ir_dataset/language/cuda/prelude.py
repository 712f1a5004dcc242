"""The prelude of a text: the pieces it needs, those that they need, and short names of types."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..types import short_name
from .pieces.table import PIECES
from .typenames import template
from .used import Used

_MEMBER = re.compile(r" {4}[\w_]")  # a member of a type; deeper lines, and brackets, are bodies
_HEAD = re.compile(r"[\w_]")
_NAMED = re.compile(r"(?:template|inline|__device__|__host__|constexpr)\b")
_CALLED = re.compile(r"(?:struct |constexpr float )?\b(?!operator|alignas)([A-Za-z_]\w*)(?=\(| \{| = )")


def prelude(used: Used) -> str:
    """The text of the prelude; empty if nothing is needed."""
    blocks = [
        PIECES[key].text for key in chosen(used) if PIECES[key].text
    ]  # some pieces only refer to others
    aliases = "\n".join(_aliases(used))
    return "".join(f"{block}\n\n" for block in [*blocks, *([aliases] if aliases else [])])


def chosen(used: Used) -> list[str]:
    """The keys of the needed pieces, each after those that it needs."""
    wanted: set[str] = set()
    left = list(used.pieces)
    while left:
        key = left.pop()
        if key not in wanted:
            wanted.add(key)
            left += PIECES[key].needs
    return [key for key in PIECES if key in wanted]


def names(used: Used) -> set[str]:
    """The names that the pieces of a text define, including those that it does not call itself."""
    heads = (line for key in chosen(used) for line in PIECES[key].text.split("\n") if _NAMED.match(line))
    return {name for line in heads for name in _CALLED.findall(line)[:1]}


def declarations(used: Used) -> str:
    """Declarations of everything that a text may call: types in full, functions without their bodies."""
    kept = [key for key in chosen(used) if key in used.pieces or PIECES[key].is_type]
    lines = [line for key in kept for line in _declared(PIECES[key].text)]
    lines += _aliases(used)
    return "".join(f"{line}\n" for line in lines)


def _aliases(used: Used) -> list[str]:
    types = sorted(used.types, key=short_name)
    return [f"using {short_name(type)} = {template(type)};" for type in types]


def _declared(text: str) -> Iterator[str]:
    """The declarations in a piece: heads of functions, and members of types, without bodies."""
    inside = unfinished = False
    for line in text.split("\n"):
        if line.startswith("}"):
            if inside:
                yield line
            inside = False
        elif "struct " in line and line.endswith("{"):
            inside = True
            yield line
        elif line.startswith("constexpr") or (inside and _MEMBER.match(line) and line.endswith(";")):
            yield line
        elif unfinished or (inside and _MEMBER.match(line)) or _HEAD.match(line):
            head = line.replace("inline ", "", 1).partition(" {")[0].removesuffix(";")
            unfinished = head.endswith(("(", ",", ">"))
            yield head + ("" if unfinished else ";")
