"""A piece of the prelude (a helper function or type), and how a text of several pieces is parsed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MARK, MORE = "//: ", "//+ "


@dataclass(frozen=True)
class Piece:
    """Some C++ with the keys of the pieces that it needs. `key` is how texts ask for it: a name, for a type
    or a function of numbers; ``name(kinds)`` for the overload of these kinds of operands, ``name(...)`` for
    one of all kinds; operands with their operator, as in ``vec + vec``."""

    key: str
    text: str
    needs: tuple[str, ...] = ()

    @property
    def is_type(self) -> bool:
        return "struct " in self.text


def pieces(text: str) -> Iterator[Piece]:
    """Pieces under lines ``//: key`` or ``//: key <- what it needs; and what else``, which may go on in a
    line that begins with ``//+``."""
    for part in f"\n{text.strip()}".split(f"\n{MARK}")[1:]:
        head, _, body = part.partition("\n")
        while body.startswith(MORE):
            more, _, body = body.removeprefix(MORE).partition("\n")
            head += f" {more}"
        key, _, needs = head.partition(" <- ")
        yield Piece(key.strip(), body.strip(), tuple(n.strip() for n in needs.split("; ") if n.strip()))
