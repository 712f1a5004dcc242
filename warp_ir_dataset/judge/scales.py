"""Draws the sizes at which a question is asked besides the row's own.

They depend on a text alone, which has the row's id and the seed in it. All sizes of a program change at once,
each by a number of its own, so that none of them can be taken for another one. A size grows by a quarter to a
half: cases stay small, several threads have a number that the row's own launch has not, and a larger size is
never a multiple of the row's own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..language.analysis.sizes import Change, Size, is_legal, resized, sizes
from ..language.program import Program, Signature

ATTEMPTS = 3  # draws of all sizes together, before they are taken one by one
IDLE = 3  # threads beyond what a kernel's guard lets through, at most

Uniform = Callable[[], float]


@dataclass(frozen=True)
class Scale:
    """How a question is launched, and the program for that, if there is a tree. The row's own has the
    `number` 0."""

    number: int
    signature: Signature
    program: Program | None


@dataclass(frozen=True)
class Scales:
    """The row's own and the others; of these, `illegal` were drawn at which the program is not legal."""

    all: tuple[Scale, ...]
    illegal: int = 0


def draw_scales(signature: Signature, program: Program | None, text: str) -> Scales:
    """One with larger sizes and one with smaller ones, if the program has sizes that may change."""
    found = [Scale(0, signature, program)]
    if program is None:
        return Scales(tuple(found))
    changing, illegal = sizes(program), 0
    uniform = random.Random(f"{text}/sizes").random
    for draw in (_larger, _smaller):
        made, failed = _drawn(program, changing, draw, uniform)
        illegal += failed
        if made is not None:
            found.append(Scale(len(found), made.signature, made))
    return Scales(tuple(found), illegal)


Draw = Callable[[Size, Uniform], Change]


def _larger(size: Size, uniform: Uniform) -> Change:
    room = size.most - size.own
    return Change(
        size, room // 2 + _upto(room - room // 2, uniform), _upto(IDLE, uniform) if size.guarded else 0
    )


def _smaller(size: Size, uniform: Uniform) -> Change:
    room = size.own - size.least
    return Change(size, -_upto(room, uniform) if room else 0)


def _upto(most: int, uniform: Uniform) -> int:
    """A whole number from 1 on."""
    return 1 + int(uniform() * most)


def _drawn(
    program: Program, changing: Sequence[Size], draw: Draw, uniform: Uniform
) -> tuple[Program | None, int]:
    """The program at drawn sizes, None where no size can change; and how many draws were not legal."""
    changes: list[Change] = []
    for failed in range(ATTEMPTS):
        chance = uniform if failed < ATTEMPTS - 1 else _last
        changes = [change for size in changing if (change := draw(size, chance)).more]
        if not changes:
            return None, failed
        if is_legal(made := resized(program, changes)):
            return made, failed
    kept: list[Change] = []
    for change in changes:
        if is_legal(resized(program, [*kept, change])):
            kept.append(change)
    return resized(program, kept) if kept else None, ATTEMPTS


def _last() -> float:
    """As if the largest change was drawn: that a size may grow so far is known."""
    return 1 - 2.0**-53
