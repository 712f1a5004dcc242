"""Collects the definitions that a standalone module needs: each once, under a name that is free there.

Texts refer to definitions by marks until all are known; only then are names chosen.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

_MARK = re.compile("\ue000(\\d+)\ue001")
_RESERVED = frozenset({"wp", "enum", "Any", *keyword.kwlist, *dir(builtins)})


@dataclass
class _Definition:
    """`text` defines it, with marks for names; `locals` are the names it must not have: those that are
    something else inside of the functions that use it."""

    preferred: str
    text: str = ""
    locals: set[str] = field(default_factory=set)


class Definitions:
    """In the order in which they were completed, which is one that a module can define them in."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}
        self._all: list[_Definition] = []
        self._order: list[int] = []

    def find(self, key: Hashable) -> str | None:
        """The mark of what is defined, or being defined, under a key."""
        number = self._known.get(key)
        return None if number is None else _mark(number)

    def begin(self, key: Hashable, preferred: str) -> str:
        """Reserve a definition before what it needs is defined, since functions may call each other."""
        self._known[key] = len(self._all)
        self._all.append(_Definition(preferred))
        return _mark(self._known[key])

    def complete(self, mark: str, text: str) -> str:
        """Give the text of a definition, or a longer one; its mark again."""
        number = _number(mark)
        if not self._all[number].text:
            self._order.append(number)
        self._all[number].text = text
        return mark

    def used_among(self, text: str, names: Iterable[str]) -> None:
        """Say that what `text` refers to must not be called one of `names`."""
        for number in _MARK.findall(text):
            self._all[int(number)].locals |= set(names)

    def module(self) -> tuple[dict[str, str], list[str]]:
        """The name chosen for each mark, and the definitions with names instead of marks."""
        taken: set[str] = set()
        names: dict[str, str] = {}
        for number, each in enumerate(self._all):
            names[_mark(number)] = chosen = _free(each.preferred, taken | each.locals | _RESERVED)
            taken.add(chosen)
        return names, [named(self._all[number].text, names) for number in self._order]


def named(text: str, names: dict[str, str]) -> str:
    """`text` with names instead of marks."""
    return _MARK.sub(lambda match: names[match[0]], text)


def _mark(number: int) -> str:
    return f"\ue000{number}\ue001"


def _number(mark: str) -> int:
    match = _MARK.fullmatch(mark)
    assert match is not None
    return int(match[1])


def _free(preferred: str, taken: set[str] | frozenset[str]) -> str:
    stem = re.sub(r"\W", "_", preferred) or "value"
    stem = f"_{stem}" if stem[0].isdigit() else stem
    name, count = stem, 1
    while name in taken:
        count += 1
        name = f"{stem}_{count}"
    return name
