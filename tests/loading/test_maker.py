"""Who makes what the doors are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from toys import rows as toy_rows
from toys.engines import PROVER, HereEngine, HerePool

from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.loading import cache
from warp_ir_dataset.loading.maker import Maker, SharedEngine, made_by, maker, shared_plan
from warp_ir_dataset.loading.urls import shards
from warp_ir_dataset.workers.task import Task

SMALL = Request(num_kernels=40, seed=3)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HereEngine:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    return HereEngine()


def test_it_is_the_shared_pool_unless_another_is_named(here: HereEngine) -> None:
    assert maker() == Maker(SharedEngine(), shared_plan) and not maker().engine.skip_faults
    other = Maker(here, toy_rows.make_plan)
    with made_by(other):
        assert maker() is other
        with pytest.raises(ZeroDivisionError), made_by(Maker()):
            raise ZeroDivisionError
        assert maker() is other
    assert maker() == Maker()


def test_another_engine_fills_the_cache(here: HereEngine) -> None:
    with made_by(Maker(here, toy_rows.make_plan)):
        paths = [cache.fetch(shard, quiet=True) for shard in shards(SMALL)]
        assert [cache.fetch(shard) for shard in shards(SMALL)] == paths
    assert [pq.read_table(path).num_rows for path in paths] == [32, 4, 4]
    assert here.asked == [SMALL] * 3  # once per shard


def test_an_unknown_architecture_is_refused_before_planning(here: HereEngine) -> None:
    knows = HereEngine(replace(here.prover, architectures=lambda: [80]))
    with (
        made_by(Maker(knows, lambda request: pytest.fail("it plans"))),
        pytest.raises(UserError, match=r"NVRTC.*'sm_33'.* sm_80"),
    ):
        cache.fetch(shards(Request("cuda", 40, 3, "sm_33"))[0], quiet=True)


def test_the_doors_compile_together_what_a_build_does(
    here: HereEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools: list[HerePool] = []

    @contextmanager
    def borrowed(task: Task, folder: Path) -> Iterator[HerePool]:
        pools.append(HerePool(task))
        yield pools[-1]

    monkeypatch.setattr("warp_ir_dataset.loading.maker.borrowed", borrowed)
    plan = toy_rows.make_plan(SMALL)
    engines = (SharedEngine(PROVER), here)
    tried: list[set[tuple[str, str]]] = []
    for engine in engines:
        tried.append(set())
        with engine.started(SMALL) as fill:
            list(fill(plan.shards, lambda each, _: tried[-1].add((str(each.address), each.module))))
    assert pools and tried[0] == tried[1] and len({unit for _, unit in tried[0]}) < len(tried[0])
