"""Units of a build: one that is killed, whenever it is, loses those at work alone, and no byte differs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toys import rows as toy_rows
from toys.engines import PROVER, HereEngine, HerePool

from warp_ir_dataset.api import build
from warp_ir_dataset.builds.filling import fill
from warp_ir_dataset.builds.output import build as build_module
from warp_ir_dataset.builds.output import files as files_module
from warp_ir_dataset.builds.output.files import Files, read_plan, write_plan
from warp_ir_dataset.builds.output.local_store import LocalStore
from warp_ir_dataset.builds.output.manifest import PLAN
from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import Outcome, Reason, Rejected
from warp_ir_dataset.publishing.summary import Spent

REQUEST = Request("cpu", 300, 3)


class Killed(BaseException):
    """Stands in for a SIGKILL."""


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def made(folder: Path) -> dict[str, bytes]:
    build(REQUEST, folder, engine=HereEngine(), planner=toy_rows.make_plan, quiet=True)
    return contents(folder)


def files_in(folder: Path, key: str = "key") -> Files:
    store = LocalStore(folder)
    return Files(store, read_plan(store, "cpu", key) or write_plan(store, toy_rows.make_plan(REQUEST), key))


@pytest.fixture
def proved(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What is proved; after `limit` of them the build is killed."""
    counts: Counter[str] = Counter()
    prove = toy_rows.prove

    def counting(candidates: Sequence[Candidate], *options: Any) -> list[Any]:
        if "limit" in counts and sum(counts.values()) - counts["limit"] >= counts["limit"]:
            raise Killed
        counts.update(map(str, candidates))
        return prove(candidates, *options)

    monkeypatch.setattr(toy_rows, "prove", counting)
    return counts


def test_rows_made_are_those_that_were_not_proved_before(proved: Counter[str], tmp_path: Path) -> None:
    proved["limit"] = 100
    with pytest.raises(Killed):
        made(tmp_path / "killed")
    proved.clear()
    told: list[Spent] = []
    build(
        REQUEST,
        tmp_path / "killed",
        engine=HereEngine(),
        planner=toy_rows.make_plan,
        quiet=True,
        on_config=told.append,
    )
    failed = [name for name in proved if int(name.rpartition("/")[2]) % 50 == 7]
    assert [spent.made for spent in told] == [len(proved) - len(failed)]
    assert 150 < told[0].made < 200


def test_what_failed_and_has_no_spare_is_no_row_made(tmp_path: Path) -> None:
    def planner(request: Request) -> Any:
        plan = toy_rows.make_plan(request)
        return replace(plan, shards=tuple(replace(shard, spares=False) for shard in plan.shards))

    told: list[Spent] = []
    out = tmp_path / "out"
    build(REQUEST, out, engine=HereEngine(), planner=planner, quiet=True, on_config=told.append)
    assert told[0].made == told[0].as_json()["rows"] < 300


def test_another_source_of_the_same_generator_goes_on(
    proved: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, once = made(tmp_path / "whole"), Counter(proved)
    proved.clear()
    proved["limit"] = 100
    with pytest.raises(Killed):
        made(tmp_path / "killed")
    del proved["limit"]
    for module in (build_module, files_module):
        monkeypatch.setattr(module, "source", lambda: "another")
    assert made(tmp_path / "killed") == whole and proved == once


def test_what_was_half_written_is_in_the_way_of_nothing(proved: Counter[str], tmp_path: Path) -> None:
    build(REQUEST, tmp_path / "whole", engine=HereEngine(), planner=toy_rows.make_plan, quiet=True)
    proved.clear()
    proved["limit"] = 60
    out = tmp_path / "killed"
    with pytest.raises(Killed):
        made(out)
    del proved["limit"]
    victim = next((out / PLAN).rglob("*.unit"))
    victim.rename(victim.with_name(f".{victim.name}.12-140.tmp"))
    assert made(out) == contents(tmp_path / "whole")


def test_units_give_what_they_were_given(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    shard, other, *_ = files.plan.shards
    candidates = shard.queues[0].candidates[:3]
    row = {"text": "\u00e9\n", "number": 0.1, "none": None, "list": [1, {"a": [2.5e-7]}]}
    outcomes: list[Outcome] = [row, Rejected(Reason.KINK, "as told"), {}]
    files.keep(shard, [*zip(candidates, outcomes, strict=True)])
    again = files_in(tmp_path)
    assert again.known(shard) == dict(zip(map(str, candidates), outcomes, strict=True))
    assert again.known_rows == 2 and not again.known(other)


def test_a_link_in_the_place_of_units_is_refused(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / PLAN / "cpu").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=f"{tmp_path / PLAN / 'cpu'} .*link"):
        files.known(files.plan.shards[0])


@pytest.mark.parametrize("seed", range(20))
def test_units_of_any_kind_fill_the_same_files(seed: int, tmp_path: Path) -> None:
    """Another size of batches, in another order, where some of them are there."""
    chance = random.Random(seed)
    shards = files_in(tmp_path).plan.shards

    def filled(size: int, stop: int | None = None) -> dict[str, Any]:
        pool: Any = HerePool(PROVER.task(REQUEST))
        found: Iterator[Any] = fill(pool, shards, module_size=1, batch_size=size, units=files_in(tmp_path))
        return {each.shard.name: each for each, _ in zip(found, range(stop or len(shards)), strict=False)}

    filled(chance.randrange(1, 30), stop=chance.randrange(1, len(shards)))
    whole = list(fill(HerePool(PROVER.task(REQUEST)), shards, module_size=1))  # type: ignore[arg-type]
    assert filled(chance.randrange(1, 30)) == {each.shard.name: each for each in whole}
