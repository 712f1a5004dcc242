"""Right kernels with each barrier, fence and atomic taken away in turn, on the machine and by a label that
the machine has no part in (`oracle`)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from machine import oracle
from machine.cases import Drawn, Small
from machine.right import RIGHT
from machine.runs import seen
from machine.without import without
from machine.wrong import WRONG

from warp_ir_dataset.judge.cage.cage import Cage

pytestmark = [pytest.mark.process, pytest.mark.compile]

# Of launches, and of orders: a share, and all.
SOME, ALL = (1, 3), (3, 20)


def small(name: str, draw: int) -> Drawn | None:
    """A launch of a kernel with few threads; None where it needs more."""
    made = RIGHT[name] if name in RIGHT else WRONG[name][0]
    drawn = made(Small(np.random.PCG64(draw)))
    return drawn if math.prod(np.ravel(drawn.grid)) * math.prod(np.ravel(drawn.block)) <= 8 else None


# Kinds of findings that the tracer does not look for.
UNLABELLED = {"misaligned access", "undefined arithmetic"}
# Nothing is wrong with these in few threads, by what the tracer sees: no two of the threads drawn use one
# place, blocks may be there at once, or the places are locals.
RIGHT_IF_SMALL = {
    "histogram_plain_in_shared",
    "leaders_count_plainly",
    "scan_of_blocks_by_their_number",
    "others_local_counts_unset",
}
FEW = [name for name in RIGHT if small(name, 0)]


@pytest.fixture(scope="module")
def tracer() -> Iterator[oracle.Tracer]:
    found = oracle.Tracer()
    yield found
    found.close()


@pytest.fixture(scope="module")
def cage() -> Iterator[Cage]:
    with Cage() as found:
        yield found


def misjudged(cage: Cage, tracer: oracle.Tracer, drawn: Drawn, seeds: int) -> str | None:
    label = oracle.label(tracer, drawn)
    for seed, each in enumerate(seen(cage, [drawn] * seeds)):
        if bool(each.checked.findings) != (label is not None):
            return f"{label} by its label, and by seed {seed}: {each.checked}"
    return None


def judged(cage: Cage, tracer: oracle.Tracer, name: str, draws: int, seeds: int) -> None:
    wrong = []
    for draw in range(draws):
        drawn = small(name, draw)
        assert drawn is not None
        for what, changed in {"nothing": drawn.text, **without(drawn.text)}.items():
            if found := misjudged(cage, tracer, replace(drawn, text=changed), seeds):
                wrong.append(f"without {what} ({draw}): {found}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", FEW)
def test_each_barrier_fence_and_atomic_taken_away(cage, tracer, name):
    judged(cage, tracer, name, *SOME)


@pytest.mark.long
@pytest.mark.parametrize("name", FEW)
def test_by_many_launches_and_orders(cage, tracer, name):
    judged(cage, tracer, name, *ALL)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernels_are_wrong_by_their_label(tracer, name):
    """The label is no friend of the kernels: what it does not see, it would call right."""
    drawn = small(name, 0)
    if drawn is not None and WRONG[name][1] not in UNLABELLED:
        assert (oracle.label(tracer, drawn) is None) == (name in RIGHT_IF_SMALL)


def test_there_are_many():
    texts = sum(len(without(drawn.text)) for name in FEW if (drawn := small(name, 0)))
    assert len(RIGHT) >= 60 and len(WRONG) >= 80
    assert len(FEW) >= 60 and texts >= 140
