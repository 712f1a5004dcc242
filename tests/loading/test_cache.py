"""The cache: what is not as it was written is made again, once, and what was proved is not proved again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from toys import rows as toy_rows
from toys.engines import HereEngine
from toys.rows import TASKS

from warp_ir_dataset.api import build
from warp_ir_dataset.builds.output.manifest import PLAN
from warp_ir_dataset.builds.plan.plan import Plan
from warp_ir_dataset.builds.plan.saved import dump, load
from warp_ir_dataset.builds.plan.sizes import split_sizes
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.caches import root
from warp_ir_dataset.common.configs import SPLITS
from warp_ir_dataset.loading import cache
from warp_ir_dataset.loading.maker import Maker, made_by
from warp_ir_dataset.loading.urls import encode, shards

SMALL = Request(num_kernels=40, seed=3)
SHARD = shards(SMALL)[0]


class Kitchen:
    """Makes toy rows in this process, and counts what it is asked for."""

    def __init__(self) -> None:
        self.engine = HereEngine()
        self.plans = 0

    def plan(self, request: Request) -> Plan:
        self.plans += 1
        return toy_rows.make_plan(request)

    @property
    def shards(self) -> int:
        return len(self.engine.asked)

    def forget(self) -> None:
        """As in a process that has just begun."""
        cache._files.cache_clear()


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kitchen]:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    kitchen = Kitchen()
    kitchen.forget()
    with made_by(Maker(kitchen.engine, kitchen.plan)):
        yield kitchen
    kitchen.forget()


def record(path: Path) -> Path:
    return path.parents[1] / PLAN / "cuda" / f"{path.name}.json"


def plan_file() -> Path:
    return (root() / encode(SMALL)).parent / PLAN / "cuda.plan"


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 4
    path.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "gone": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "one bit": flip,
    "of another config": lambda path: shutil.copy(cache.fetch(shards(Request("cpu", 40, 3))[0]), path),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_shard_is_made_again_once(name: str, kitchen: Kitchen) -> None:
    path = cache.fetch(SHARD)
    good = path.read_bytes()
    DAMAGES[name](path)
    kitchen.forget()
    made = kitchen.shards
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(cache.fetch, [SHARD] * 4)) == {path}
    assert path.read_bytes() == good and kitchen.shards == made + 1
    kitchen.forget()
    assert cache.fetch(SHARD) == path and kitchen.shards == made + 1


def test_one_bit_is_seen(kitchen: Kitchen) -> None:
    path = cache.fetch(SHARD)
    good = path.read_bytes()
    flip(path)
    assert cache.fetch(SHARD).read_bytes() == good  # in the same process too, as the file is another
    assert kitchen.shards == 2


@pytest.mark.parametrize("written", [None, b"", b"\xff", b"0" * 64 + b"\n{}"])
def test_a_file_without_a_record_is_made_again(written: bytes | None, kitchen: Kitchen) -> None:
    path = cache.fetch(SHARD)
    good = path.read_bytes()
    record(path).unlink()
    if written is not None:
        record(path).write_bytes(written)
    kitchen.forget()
    assert cache.fetch(SHARD).read_bytes() == good
    assert kitchen.shards == 2 and record(path).exists()


def test_what_was_proved_before_a_kill_is_not_proved_again(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    proved: list[str] = []
    prove = toy_rows.prove

    def counting(candidates: Sequence[Any], *options: Any) -> list[Any]:
        if len(proved) >= limit:
            raise KeyboardInterrupt
        proved.extend(map(str, candidates))
        return prove(candidates, *options)

    monkeypatch.setattr(toy_rows, "prove", counting)
    limit = 20
    with pytest.raises(KeyboardInterrupt):
        cache.fetch(SHARD)
    assert capsys.readouterr().err.endswith("the same line goes on from here\n")
    limit = 1000
    kitchen.forget()
    assert pq.read_table(cache.fetch(SHARD)).num_rows == 32
    assert len(proved) == len(set(proved)) == 33


def test_it_is_the_folder_of_a_build(kitchen: Kitchen, tmp_path: Path) -> None:
    """All files of a config are made by whoever wants all of them."""
    cache.fetch(SHARD, whole=True)
    assert kitchen.shards == 1
    out = tmp_path / "out"
    build(SMALL, out, engine=HereEngine(), planner=toy_rows.make_plan, quiet=True)
    for shard in shards(SMALL):
        assert cache.fetch(shard).read_bytes() == (out / "cuda" / shard.name).read_bytes()
    assert kitchen.shards == 1


@pytest.mark.parametrize("request_", [SMALL, Request("cuda_backward", 123), Request("cpu", 11)], ids=str)
def test_the_rows_of_shards_are_those_of_their_split(request_: Request) -> None:
    planned = {(shard.split, shard.index): shard.rows for shard in toy_rows.make_plan(request_).shards}
    assert {(shard.split, shard.index): shard.rows for shard in shards(request_)} == planned
    for split, size in split_sizes(request_).items():
        assert sum(shard.rows for shard in shards(request_) if shard.split == split) == size


# ---- plans

SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "one digit": lambda content: content.replace(b",61]", b",991]", 1),
    "another seed": lambda content: content.replace(b'"seed":3', b'"seed":4', 1),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_damaged_plan_is_made_again_once(name: str, kitchen: Kitchen) -> None:
    good = cache.fetch(SHARD).read_bytes()
    content = plan_file().read_bytes()
    plan_file().write_bytes(SPOILT[name](content))
    assert plan_file().read_bytes() != content
    kitchen.forget()
    for shard in shards(SMALL):
        cache.fetch(shard)
    assert kitchen.plans == 2 and plan_file().read_bytes() == content
    assert cache.fetch(SHARD).read_bytes() == good and kitchen.shards == 3


@pytest.mark.parametrize("config", TASKS)
def test_a_plan_is_read_as_it_was_written(config: str) -> None:
    plan = toy_rows.make_plan(Request(config, 40, 3))
    # Candidates of toy plans are of a class of their own.
    assert asdict(load(dump(plan))) == asdict(plan)
    assert {shard.split for shard in plan.shards} == {*SPLITS}
