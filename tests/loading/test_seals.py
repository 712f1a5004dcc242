"""A cached shard or plan that is not as it was written is made again, once, and nobody is handed it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from toys import rows as toy_rows
from toys.engines import HereEngine
from toys.rows import TASKS
from toys.tampered.acts import column

from warp_ir_dataset.builds.plan.plan import Plan
from warp_ir_dataset.builds.plan.saved import dump, fits, load
from warp_ir_dataset.builds.plan.sizes import split_sizes
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.caches import root
from warp_ir_dataset.common.configs import SPLITS
from warp_ir_dataset.loading import cache, seals
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
        seals._sound.clear()
        cache._plan.cache_clear()


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kitchen]:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    kitchen = Kitchen()
    kitchen.forget()
    with made_by(Maker(kitchen.engine, kitchen.plan)):
        yield kitchen
    kitchen.forget()


def sealed(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def changed(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    return lambda path: pq.write_table(change(pq.read_table(path, partitioning=None)), path)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 4
    path.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "its end alone": lambda path: path.write_bytes(path.read_bytes()[-100:]),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "garbage": lambda path: path.write_bytes(b"PAR1" + b"\xff" * 2000 + b"PAR1"),
    "a text": lambda path: path.write_text("<html>502 Bad Gateway</html>"),
    "rows less": changed(lambda table: table.slice(0, 20)),
    "columns less": changed(lambda table: table.drop(["ptx"])),
    "nulls": changed(column("prompt", lambda _: None)),
    "of another config": lambda path: shutil.copy(cache.fetch(shards(Request("cpu", 40, 3))[0]), path),
}


@pytest.mark.parametrize("seal", [True, False])
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_shard_is_made_again_once(name: str, seal: bool, kitchen: Kitchen) -> None:
    """Also in a cache of old, without seals."""
    path = cache.fetch(SHARD)
    good = path.read_bytes()
    DAMAGES[name](path)
    if not seal:
        sealed(path).unlink()
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


def test_a_good_shard_is_looked_at_once(kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cache.fetch(SHARD)
    read: list[Path] = []
    digest = seals.sha256
    monkeypatch.setattr(seals, "sha256", lambda path: read.append(path) or digest(path))
    for _ in range(3):
        cache.fetch(SHARD)
    kitchen.forget()
    for _ in range(3):
        cache.fetch(SHARD)
    assert len(read) <= 2 and set(read) == {path} and kitchen.shards == 1


@pytest.mark.parametrize("written", [b"", b"\xff", b"0" * 64])
def test_a_seal_that_is_damaged_itself_is_mended(written: bytes, kitchen: Kitchen) -> None:
    path = cache.fetch(SHARD)
    good = path.read_bytes()
    sealed(path).write_bytes(written)
    kitchen.forget()
    assert cache.fetch(SHARD).read_bytes() == good
    assert len(sealed(path).read_text()) == 64


def test_a_cache_of_old_is_used_and_sealed(kitchen: Kitchen) -> None:
    path = cache.fetch(SHARD)
    for file in (path, path.with_name("plan.json")):
        sealed(file).unlink()
    kitchen.forget()
    cache.fetch(SHARD)
    assert (kitchen.shards, kitchen.plans) == (1, 1) and sealed(path).exists()


@pytest.mark.parametrize("request_", [SMALL, Request("cuda_backward", 123), Request("cpu", 11)], ids=str)
def test_the_rows_of_shards_are_those_of_their_split(request_: Request) -> None:
    planned = {(shard.split, shard.index): shard.rows for shard in toy_rows.make_plan(request_).shards}
    assert {(shard.split, shard.index): shard.rows for shard in shards(request_)} == planned
    for split, size in split_sizes(request_).items():
        assert sum(shard.rows for shard in shards(request_) if shard.split == split) == size


# ---- plans

SPOILT: dict[str, Callable[[str], str]] = {
    "empty": lambda text: "",
    "half": lambda text: text[: len(text) // 2],
    "a list": lambda text: "[]",
    "a number": lambda text: "7",
    "nested deeply": lambda text: "[" * 100_000,
    "nothing in it": lambda text: "{}",
    "a shard less": lambda text: edited(text, lambda plan: plan["shards"].pop()),
    "a row less": lambda text: edited(text, lambda plan: plan["shards"][0][3][0].__setitem__(1, 31)),
    "draws of text": lambda text: edited(text, lambda plan: plan["shards"][0][3][0][4].__setitem__(0, "0")),
    "a draw twice": lambda text: edited(text, lambda plan: plan["shards"][0][3][0][4].__setitem__(2, 1)),
    "no draws": lambda text: edited(text, lambda plan: plan["shards"][0][3][0].__setitem__(4, [])),
    "a purpose of none": lambda text: edited(
        text, lambda plan: plan["shards"][0][3][0][3].__setitem__(0, 99)
    ),
    "another seed": lambda text: edited(text, lambda plan: plan["request"].update(seed=4)),
    "an unknown config": lambda text: edited(text, lambda plan: plan["request"].update(config="vulkan")),
    "a word more": lambda text: edited(text, lambda plan: plan.update(mine=1)),
}


def edited(text: str, change: Callable[[Any], Any]) -> str:
    plan = json.loads(text)
    change(plan)
    return json.dumps(plan, separators=(",", ":"))


@pytest.mark.parametrize("seal", [True, False])
@pytest.mark.parametrize("name", SPOILT)
def test_a_damaged_plan_is_made_again_once(name: str, seal: bool, kitchen: Kitchen) -> None:
    good = cache.fetch(SHARD).read_bytes()
    path = root() / encode(SMALL) / "plan.json"
    plan = path.read_text()
    path.write_text(SPOILT[name](plan))
    if not seal:
        sealed(path).unlink()
    kitchen.forget()
    for shard in shards(SMALL):
        cache.fetch(shard)
    assert kitchen.plans == 2 and path.read_text() == plan
    assert cache.fetch(SHARD).read_bytes() == good


def test_one_digit_of_a_plan_is_seen(kitchen: Kitchen) -> None:
    cache.fetch(SHARD)
    path = root() / encode(SMALL) / "plan.json"
    plan = path.read_text()
    path.write_text(plan.replace(",61]", ",991]", 1))
    assert path.read_text() != plan
    kitchen.forget()
    cache.fetch(shards(SMALL)[1])
    assert kitchen.plans == 2 and path.read_text() == plan


@pytest.mark.parametrize("config", TASKS)
def test_a_plan_fits_its_request_and_no_other(config: str) -> None:
    plan = toy_rows.make_plan(Request(config, 40, 3))
    # Candidates of toy plans are of a class of their own.
    assert fits(plan, plan.request) and asdict(load(dump(plan))) == asdict(plan)
    for other in (Request(config, 41, 3), Request(config, 40, 4), Request(config, 40, 3, "sm_90")):
        assert not fits(plan, other)
    assert {shard.split for shard in plan.shards} == {*SPLITS}
