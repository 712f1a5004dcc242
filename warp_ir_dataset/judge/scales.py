"""Draws the sizes at which a question is asked besides the row's own.

They depend on a text alone, which has the row's id and the seed in it. All sizes of a program change at once,
each by a number of its own, so that none of them can be taken for another one. A size grows by a quarter to a
half: cases stay small, several threads have a number that the row's own launch has not, and a larger size is
never a multiple of the row's own. Beside these there are two rare launches, for few inputs: one of more items
than a byte counts, and one of a single item, or few. There all other sizes are several times as large.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..compilers.cuda_on_cpu import BLOCK, MORE, Grid, enough
from ..language import ir
from ..language.analysis.sizes import Change, Size, is_legal, resized, sizes

# Threads of a block: within a GPU's warp, one, several, and no power of two of them.
BLOCK_SIZES = (BLOCK, 32, 96, 256, 64)
MANY = 128  # items, of which a block of more than a warp has a full one
ATTEMPTS = 3  # draws of all sizes together, before they are taken one by one
# At the rare scale of many items every size is more than twice as large, if that is legal, and those of the
# launch more than four times; at that of few items, which costs little, all other sizes are. A text may not
# rely on a size for being a few times as large as in the example.
NEAR, FAR = 2, 4
BYTE, BEYOND = 256, 100  # many are more items than a byte counts, by up to so many
ITEMS, NUMBERS = 1024, 200_000  # at most: of the launch, and of all arrays
IDLE = 3  # threads beyond what a kernel's guard lets through, at most

Uniform = Callable[[], float]


@dataclass(frozen=True)
class Scale:
    """How a question is launched, and the program for that, if there is a tree. The row's own has the
    `number` 0; a `rare` one is for few inputs."""

    number: int
    signature: ir.Signature
    program: ir.Program | None
    rare: bool = False


@dataclass(frozen=True)
class Scales:
    """The row's own and the others; of these, `illegal` were drawn at which the program is not legal."""

    all: tuple[Scale, ...]
    illegal: int = 0


def draw_scales(signature: ir.Signature, program: ir.Program | None, text: str) -> Scales:
    """One with larger sizes and one with smaller ones, if the program has sizes that may change; and rare
    ones, with a launch of many items and of few, if they are legal."""
    found = [Scale(0, signature, program)]
    if program is None:
        return Scales(tuple(found))
    changing, illegal = sizes(program), 0
    uniform = random.Random(f"{text}/sizes").random
    for wanted in (_larger, _smaller):
        made, failed = _drawn(program, changing, wanted, uniform)
        illegal += failed
        if made is not None:
            found.append(Scale(len(found), made.signature, made))
    for made in (_of_many(program, changing, uniform), _of_few(program, changing, uniform)):
        if made is not None and all(made != scale.program for scale in found):
            found.append(Scale(len(found), made.signature, made, rare=True))
    return Scales(tuple(found), illegal)


def _of_many(program: ir.Program, changing: Sequence[Size], uniform: Uniform) -> ir.Program | None:
    """The program with every size several times as large, as far as that is legal, and launched for more
    items than a byte counts; None if no size can be."""
    found = _grown(program, [], _several(changing, NEAR, uniform))
    launched = sorted((size for size in changing if size.launch), key=lambda _: uniform())
    found = _grown(program, found, _several(launched, FAR, uniform))
    for size in launched:
        if math.prod(resized(program, found).launch_dim) <= BYTE:
            least = BYTE + 1 + int(uniform() * BEYOND)
            found = _grown(program, found, [_enough(program, found, size, least)])
    return resized(program, found) if found else None


def _several(changing: Sequence[Size], times: int, uniform: Uniform) -> list[Change]:
    return [Change(size, size.own * (times - 1) + 1 + int(uniform() * size.own)) for size in changing]


def _with(found: Sequence[Change], wanted: Sequence[Change]) -> list[Change]:
    """These changes, with others instead of those of the same sizes."""
    return [*(each for each in found if all(each.size != other.size for other in wanted)), *wanted]


def _grown(program: ir.Program, found: list[Change], wanted: Sequence[Change]) -> list[Change]:
    """The changes that are found, with wanted ones instead: with all of them, since one size may be needed
    for another one, or as many as are legal."""
    if not wanted or _legal(program, _with(found, wanted)) is not None:
        return _with(found, wanted)
    for change in wanted:
        if _legal(program, _with(found, [change])) is not None:
            found = _with(found, [change])
    return found


def _enough(program: ir.Program, found: Sequence[Change], size: Size, least: int) -> Change:
    """By how much a size of the launch changes for at least so many items."""
    launch = resized(program, _with(found, [Change(size, 0)])).launch_dim

    def items(more: int) -> int:
        return math.prod(n + size.launch.get(axis, 0) * more for axis, n in enumerate(launch))

    return Change(size, next(more for more in range(least) if items(more) >= least))


def _of_few(program: ir.Program, changing: Sequence[Size], uniform: Uniform) -> ir.Program | None:
    """The program launched for one item, or else for two along each dimension, if one of these is legal;
    other sizes are several times as large, as far as that is."""
    launched = [size for size in changing if size.launch]
    others = sorted((size for size in changing if not size.launch), key=lambda _: uniform())
    for few in (1, 2):
        found = [_launched_for(few, program, size) for size in launched]
        made = _legal(program, found)
        if made is not None and {*made.launch_dim} == {few}:
            found = _grown(program, found, _several(others, NEAR, uniform))
            found = _grown(program, found, _several(others, FAR, uniform))
            return resized(program, found)
    return None


def _launched_for(few: int, program: ir.Program, size: Size) -> Change:
    """The change after which the first dimension of the launch that a size has is so long, or as short as it
    can be."""
    axis, threads = min(size.launch.items())
    return Change(size, (max(few, threads) - program.launch_dim[axis]) // threads)


def _legal(program: ir.Program, changes: Sequence[Change]) -> ir.Program | None:
    """The program at other sizes; None if there are none, it is not legal there, an array is empty, or there
    are too many items or numbers."""
    made = resized(program, changes)
    leaves = [leaf for argument in made.arguments for leaf in argument.leaves]
    there = all(min(leaf.shape, default=1) > 0 and leaf.domain.lo <= leaf.domain.hi for leaf in leaves)
    numbers = sum(math.prod(leaf.shape) for leaf in leaves)
    small = numbers <= NUMBERS and math.prod(made.launch_dim) <= ITEMS
    return made if changes and there and small and is_legal(made) else None


Wanted = Callable[[Size], Sequence[int]]


def _larger(size: Size) -> Sequence[int]:
    return range(size.own + (size.most - size.own) // 2 + 1, size.most + 1)


def _smaller(size: Size) -> Sequence[int]:
    return range(size.own - 1, size.least - 1, -1)


def _drawn(
    program: ir.Program, changing: Sequence[Size], wanted: Wanted, uniform: Uniform
) -> tuple[ir.Program | None, int]:
    """The program at drawn sizes, None where no size can change; and how many draws were not legal."""
    changes: list[Change] = []
    for failed in range(ATTEMPTS):
        is_last = failed == ATTEMPTS - 1
        changes = _farthest(changing, wanted) if is_last else _apart(changing, wanted, uniform)
        if not changes:
            return None, failed
        if is_legal(made := resized(program, changes)):
            return made, failed
    kept: list[Change] = []
    for change in changes:
        if is_legal(resized(program, [*kept, change])):
            kept.append(change)
    return resized(program, kept) if kept else None, ATTEMPTS


def _apart(changing: Sequence[Size], wanted: Wanted, uniform: Uniform) -> list[Change]:
    """Each size becomes a wanted one that none of the others has, so that one dimension cannot be taken for
    another; else another larger one, or at last a smaller one."""
    changes: list[Change] = []
    taken: set[int] = set()
    for size in changing:
        kinds = wanted(size), range(size.own + 1, size.most + 1), range(size.least, size.own)
        free = [[number for number in among if number not in taken] for among in kinds]
        among = next(filter(None, (*free, wanted(size))), [size.own])
        number = among[int(uniform() * len(among))]
        taken.add(number)
        beyond = 1 + int(uniform() * IDLE) if size.guarded and wanted is _larger else 0
        changes.append(Change(size, number - size.own, beyond))
    return [change for change in changes if change.more]


def _farthest(changing: Sequence[Size], wanted: Wanted) -> list[Change]:
    """Each size becomes the last wanted one: that it may change so far is known."""
    return [Change(size, wanted(size)[-1] - size.own) for size in changing if wanted(size)]


# ---- grids


def draw_grids(items: Sequence[int], *, text: str) -> list[Grid]:
    """The grids in which CUDA code runs launches of so many items, one after the other: blocks of all sizes,
    every third time no more of them than are needed, and every other time last thread first. Of many items
    some are always in another block than the first, and beyond its first warp."""
    start = random.Random(f"{text}/grids").randrange(len(BLOCK_SIZES) * 12)
    found = []
    for number, count in enumerate(items):
        turn = start + number
        backwards = bool(number % 2)
        sizes = BLOCK_SIZES if count <= MANY else BLOCK_SIZES[2:]
        threads = sizes[turn % len(sizes)]
        found.append(Grid(enough(count, threads, MORE if turn % 3 else 0), threads, backwards))
    return found
