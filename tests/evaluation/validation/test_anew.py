"""PTX that hangs on what else was in its unit is made again in that unit, before it counts as wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from warp_ir_dataset.builds.filling import MODULE_SIZE
from warp_ir_dataset.builds.plan.plan import Candidate, Queue, ShardPlan
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.evaluation.validation.anew import Made, _anew
from warp_ir_dataset.evaluation.validation.part import Part
from warp_ir_dataset.workers.progress import Bar

COUNT = 2 * MODULE_SIZE + 5
UNITS = [[*range(start, min(start + MODULE_SIZE, COUNT))] for start in range(0, COUNT, MODULE_SIZE)]
SHARD = ShardPlan(
    "train", 0, 1, (Queue("math", COUNT, tuple(Candidate(Address(7, "math", n)) for n in range(COUNT + 3))),)
)
SPARE = COUNT + 2  # in place of one that failed


def ptx(draws: Sequence[int]) -> str:
    """Of a compiler that minds who is there."""
    return " ".join(map(str, sorted(draws)))


def made(changed: int | None) -> tuple[Made, list[list[int]]]:
    """What is found of a shard whose rows are as built, but for one whose PTX was changed."""
    draws = [*range(1, COUNT), SPARE]
    unit_of = {n: next(unit for unit in UNITS if n in unit) for n in range(COUNT)}
    rows = [
        {"id": f"{n}", "draw": n, "code": "same", "ptx": ptx(unit_of.get(n, [n])) + "!" * (n == changed)}
        for n in draws
    ]
    batches: list[list[int]] = []

    def workshop(_: object, given: Iterator[tuple[Any, Sequence[Candidate]]]) -> Iterator[tuple[Any, Any]]:
        for tag, candidates in given:
            together = [each.address.draw for each in candidates]
            assert {each.module for each in candidates} == {""}  # all of them together
            batches.append(together)
            yield tag, [{"id": f"{n}", "draw": n, "code": "same", "ptx": ptx(together)} for n in together]

    part = SimpleNamespace(
        name="cuda",
        config=CONFIGS["cuda"],
        plan=SimpleNamespace(shards=[SHARD]),
        candidates={each.address: each for each in SHARD.queues[0].candidates},
        address=lambda row: Address(7, "math", row["draw"]),
        rows=lambda columns=None: iter([(f"cuda/{SHARD.name}", rows)]),
        is_sampled=lambda row: True,
        task=lambda: None,
        build=SimpleNamespace(workshop=workshop, sample=10),
    )
    found = Made()
    with Bar("cuda", len(rows), quiet=True) as bar:
        _anew(cast(Part, part), found, bar)
    return found, batches


def test_rows_are_made_in_the_units_of_their_build() -> None:
    found, batches = made(None)
    assert found.compared == COUNT and not any(found.wrong.values())
    assert all(unit in batches for unit in (*UNITS, [SPARE]))


@pytest.mark.parametrize("changed", [3, MODULE_SIZE, SPARE])
def test_what_is_other_in_its_unit_is_wrong(changed: int) -> None:
    found, _ = made(changed)
    assert found.wrong["compiled"] == [f"cuda/{SHARD.name}: {changed}: ptx is other"]
