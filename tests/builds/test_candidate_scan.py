"""Candidate scans: a plan is the same whoever scans and in whatever order, and nothing is scanned twice."""

from __future__ import annotations

import errno
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.builds.test_plan import ToyGenerator, addresses
from warp_ir_dataset.builds.handwritten.fingerprints import DIGITS
from warp_ir_dataset.builds.plan import near_duplicates, scan_cache
from warp_ir_dataset.builds.plan.candidate_scan import (
    AHEAD,
    BATCH_SIZE,
    CandidateScan,
    Found,
    Place,
    StreamKey,
    _Scanners,
    scanning,
)
from warp_ir_dataset.builds.plan.facts import Facts
from warp_ir_dataset.builds.plan.near_duplicates import ACROSS_SPLITS
from warp_ir_dataset.builds.plan.plan import Plan, make_plan
from warp_ir_dataset.builds.plan.scan_cache import ScanCache
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.versions import GENERATOR_VERSION, PACKAGE
from warp_ir_dataset.synthesis.categories import CATEGORIES, RANDOM_KINDS
from warp_ir_dataset.synthesis.difficulty import LEVELS, MIX
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.workers.pool import Pool
from warp_ir_dataset.workers.task import Task, Workforce


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ToyGenerator:
    return ToyGenerator(monkeypatch)


class Scanner:
    """Workers that answer in any order, and what they were asked."""

    def __init__(self, toys: ToyGenerator, request: Request, chance: random.Random) -> None:
        self.toys, self.seed, self.chance = toys, request.seed, chance
        self.asked: Counter[Address] = Counter()
        self.scans = 0

    def found(self, places: Iterator[Place], total: int) -> Iterator[Found]:
        wanted = [*places]
        assert len(wanted) == total
        self.scans += total > 0
        self.asked.update(self._address(place) for place in wanted)
        for place in self.chance.sample(wanted, total):
            yield {place: self.toys.facts_of(self._address(place))}

    def _address(self, place: Place) -> Address:
        key, number = place
        return key.address(self.seed, number)


def scanned(
    toys: ToyGenerator, request: Request, chance: int = 0, cache: ScanCache | None = None
) -> tuple[Plan, Scanner]:
    scanner = Scanner(toys, request, random.Random(chance))
    return make_plan(request, CandidateScan(request, scanner.found, cache)), scanner


FAR = Request(num_kernels=ACROSS_SPLITS + 1, seed=7)

REQUESTS = [
    Request(num_kernels=600),
    Request(num_kernels=37),
    Request("cuda_backward", 300, seed=4),
    Request(num_kernels=400, difficulty=(2, 3)),
    Request(num_kernels=90, categories=RANDOM_KINDS),
]


class More(CandidateScan):
    """Scans more than it is asked to."""

    def extend(self, more: Any) -> None:
        super().extend({key: 3 * count + 17 for key, count in more.items()})


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_a_plan_is_the_same_however_much_is_scanned(toys: ToyGenerator, request_: Request) -> None:
    toys.tags = dict.fromkeys(CATEGORIES[:5], "shared")
    toys.shapes = {(category, level): 60 for category in (*CATEGORIES[:5], *IDIOMS) for level in MIX}
    toys.shapes |= {(RANDOM_KINDS[-1], level): 900 for level in MIX}
    whole = make_plan(request_)
    plan, scanner = scanned(toys, request_, request_.num_kernels)
    assert plan == whole
    assert set(scanner.asked.values()) == {1}
    assert scanner.scans < 40
    assert make_plan(request_, More(request_)) == whole


class AlikeToys(ToyGenerator):
    """Kernels of one number are near duplicates, in whatever family."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        admits = near_duplicates.NearDuplicateFilter.admits
        super().__init__(monkeypatch)
        monkeypatch.setattr(near_duplicates.NearDuplicateFilter, "admits", admits)

    def facts_of(self, address: Address, rows: int = 0) -> Facts | None:
        facts = super().facts_of(address)
        return facts and facts._replace(fingerprint=f"{self.draw(address).number:0{DIGITS}x}")


def test_random_programs_are_unlike_those_of_other_families(monkeypatch: pytest.MonkeyPatch) -> None:
    toys = AlikeToys(monkeypatch)
    request = Request(num_kernels=300, categories=RANDOM_KINDS)
    toys.shapes = {(category, level): 300 for category in RANDOM_KINDS for level in MIX}
    whole, scanner = scanned(toys, request, 1)
    numbers = [toys.draw(address).number for address in addresses(whole)]
    assert len(set(numbers)) == len(numbers) > 300
    assert set(scanner.asked.values()) == {1}
    assert make_plan(request) == whole


def numbers(toys: ToyGenerator, plan: Plan, *splits: str) -> Counter[int]:
    return Counter(toys.draw(a).number for split in splits for a in addresses(plan, split, spares=False))


def test_training_kernels_are_unlike_those_that_are_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    toys = AlikeToys(monkeypatch)
    request = Request(num_kernels=600, categories=(*RANDOM_KINDS, "waves"))
    toys.shapes = {(category, level): 900 for category in RANDOM_KINDS for level in MIX}
    monkeypatch.setattr(near_duplicates, "ALL_ROWS", 599)
    whole, scanner = scanned(toys, request, 1)
    held_out = numbers(toys, whole, "validation", "test")
    assert not held_out.keys() & numbers(toys, whole, "train").keys() and held_out.total() == 120
    spares = {toys.draw(a).number for a in addresses(whole, "train") if a.category in RANDOM_KINDS}
    assert not held_out.keys() & spares
    assert set(scanner.asked.values()) == {1}
    assert make_plan(request) == whole
    # In a larger build they are not compared.
    monkeypatch.setattr(near_duplicates, "ACROSS_SPLITS", 599)
    larger = make_plan(request)
    assert numbers(toys, larger, "test").keys() & numbers(toys, larger, "train").keys()
    assert numbers(toys, larger, "validation", "test") == held_out


def test_if_all_are_near_what_is_held_out_they_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    toys = AlikeToys(monkeypatch)
    request = Request(num_kernels=300, categories=RANDOM_KINDS, difficulty=(1, 1))
    toys.shapes = {(category, 1): 60 for category in RANDOM_KINDS}
    monkeypatch.setattr(near_duplicates, "ALL_ROWS", 299)
    whole, _ = scanned(toys, request, 2)
    assert numbers(toys, whole, "train").total() == 240
    assert len({toys.draw(a).skeleton for a in addresses(whole, spares=False)}) == 300
    assert numbers(toys, whole, "validation", "test").keys() & numbers(toys, whole, "train").keys()
    assert make_plan(request) == whole


def test_near_duplicates_fill_what_would_be_no_build(monkeypatch: pytest.MonkeyPatch) -> None:
    toys = AlikeToys(monkeypatch)
    request = Request(num_kernels=300, categories=RANDOM_KINDS, difficulty=(1, 1))
    toys.shapes = {(category, 1): 120 for category in RANDOM_KINDS}
    plan = make_plan(request)
    rows = list(map(toys.draw, addresses(plan, spares=False)))
    assert len({toy.skeleton for toy in rows}) == len(rows) == 300
    assert len({toy.number for toy in rows}) <= 120


def test_near_duplicates_of_a_purpose_are_no_more_than_its_other_kernels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    toys = AlikeToys(monkeypatch)
    monkeypatch.setattr(toys, "facts_of", lambda address, *_: alike(toys, address))
    request = Request(num_kernels=600, categories=(*RANDOM_KINDS, "waves"))
    plan, _ = scanned(toys, request)
    found = Counter(a.purpose for a in addresses(plan) if a.purpose)
    assert found and set(found.values()) == {2}


def alike(toys: ToyGenerator, address: Address) -> Facts | None:
    """Facts by which all kernels of a purpose are near duplicates."""
    facts = ToyGenerator.facts_of(toys, address)
    number = 0 if address.purpose else toys.draw(address).number
    return facts and facts._replace(fingerprint=f"{number:0{DIGITS}x}"[-DIGITS:])


def test_few_candidates_are_scanned_in_vain(toys: ToyGenerator) -> None:
    plan, scanner = scanned(toys, Request(num_kernels=2000))
    assert scanner.asked.total() < 1.15 * sum(plan.draws.values())
    assert scanner.scans < 8


def test_a_dry_level_has_no_more_of_the_others_scanned(toys: ToyGenerator) -> None:
    toys.shapes = {(category, 1): 8 for category in CATEGORIES}
    plan, scanner = scanned(toys, Request(num_kernels=4000))
    assert {shortfall.level for shortfall in plan.shortfalls} == {1}
    assert scanner.asked.total() < 1.2 * sum(plan.draws.values())
    assert scanner.scans < 20


def test_too_few_kernels_are_told_when_enough_is_scanned(toys: ToyGenerator) -> None:
    toys.shapes = {("vector", level): 5 for level in MIX}
    request = Request(categories=("vector", "matrix"))
    scanner = Scanner(toys, request, random.Random(0))
    with pytest.raises(UserError, match=r"'vector'.*num_kernels 1200"):
        make_plan(request, CandidateScan(request, scanner.found))
    assert scanner.scans > 1


def cached(toys: ToyGenerator, request: Request, folder: Path) -> Scanner:
    plan, scanner = scanned(toys, request, cache=ScanCache(folder, request))
    assert plan == make_plan(request)
    return scanner


def test_another_config_and_another_time_scan_nothing_again(toys: ToyGenerator, tmp_path: Path) -> None:
    first = cached(toys, Request("cpu", 200), tmp_path)
    assert first.asked
    assert not cached(toys, Request("cpu", 200), tmp_path).asked
    assert not cached(toys, Request("cuda", 200), tmp_path).asked
    backward = cached(toys, Request("cuda_backward", 200), tmp_path)
    assert backward.asked and not set(backward.asked) & set(first.asked)
    assert cached(toys, Request("cpu", 200, seed=1), tmp_path).asked


def test_streams_of_a_kind_share_its_draws_by_level() -> None:
    keys = [StreamKey("math", level, None) for level in MIX]
    draws = [key.address(7, number).draw for key in keys for number in range(2 * MIX[key.level])]
    assert sorted(draws) == [*range(2 * len(LEVELS))]
    assert StreamKey("waves", 3, "elastic_wave_step").address(7, 8) == Address(
        7, "waves", 8, "elastic_wave_step"
    )


def test_a_gap_in_the_cache_is_scanned(toys: ToyGenerator, tmp_path: Path) -> None:
    request = Request(num_kernels=10, seed=7)
    key = StreamKey("math", 3, None)
    cache = ScanCache(tmp_path, request)
    cache.add({key.address(7, number): toys.facts_of(key.address(7, number)) for number in (0, 1, 3)})
    scanner = Scanner(toys, request, random.Random(0))
    scan = CandidateScan(request, scanner.found, cache)
    assert len(scan.facts(key)) == 2
    scan.extend({key: 3})
    assert [*scanner.asked] == [key.address(7, number) for number in (2, 4)]
    assert [*scan.facts(key)] == [toys.facts_of(key.address(7, number)) for number in range(5)]


def test_a_damaged_cache_is_scanned_again(toys: ToyGenerator, tmp_path: Path) -> None:
    request = Request(num_kernels=60, categories=("vector",))
    first = cached(toys, request, tmp_path)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    lines = whole.splitlines()
    path.write_bytes(whole[: len(lines[0]) + len(lines[1]) // 2])  # cut short, in the middle of a line
    assert cached(toys, request, tmp_path).asked == first.asked
    assert not cached(toys, request, tmp_path).asked
    changed = lines[1].replace(b" ", b" 1", 1)
    path.write_bytes(whole.replace(lines[1], changed))
    # More than the one may be: how many a stream lacks is guessed from those before the gap.
    asked = cached(toys, request, tmp_path).asked
    assert Address(request.seed, "vector", int(lines[1].split()[1])) in asked
    assert len(asked) < len(first.asked) / 2
    path.write_bytes(whole.replace(lines[0], b"candidates 0.0.0"))
    assert cached(toys, request, tmp_path).asked == first.asked
    assert not cached(toys, request, tmp_path).asked


def test_a_cache_of_other_source_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[Address, Facts | None] = {Address(7, "math", 0): None}
    ScanCache(tmp_path, FAR).add(found)
    for folder in scan_cache.SAMPLING:
        assert list((PACKAGE / folder).rglob("*.py"))
    monkeypatch.setattr(scan_cache, "generator", lambda: f"{GENERATOR_VERSION} of another source")
    assert ScanCache(tmp_path, FAR).read("math") == {}


def test_a_cache_that_cannot_be_locked_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: FileLock) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(FileLock, "acquire", refused)
    with pytest.raises(UserError, match=f"{tmp_path}: Permission denied$"):  # noqa: SIM117
        with scanning(FAR, partial(Pool[Any], 1), tmp_path):
            pass


def test_a_cache_gives_what_it_was_given(tmp_path: Path) -> None:
    facts = [
        Facts(3, "ab12", "cd34", True, False, "012345", 5, "eJx=="),
        Facts(1, "ff", "ee", False, True, ""),
        None,
    ]
    found: dict[Address, Facts | None] = {Address(7, "math", draw): each for draw, each in enumerate(facts)}
    ScanCache(tmp_path, FAR).add(found)
    more: dict[Address, Facts | None] = {
        Address(7, "math", 0, "a_purpose"): None,
        Address(7, "math", 1, "a_purpose"): facts[0],
    }
    ScanCache(tmp_path, FAR).add(more)
    assert ScanCache(tmp_path, FAR).read("math") == {**found, **more}
    for other in (
        ScanCache(tmp_path, replace(FAR, num_kernels=ACROSS_SPLITS)),
        ScanCache(tmp_path, replace(FAR, seed=8)),
    ):
        assert other.read("math") == {}


@pytest.mark.process
def test_plans_of_real_kernels_by_workers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    request = Request(num_kernels=12, categories=("math", "waves"), seed=3)
    whole = make_plan(request)
    for workers in (1, 2):
        with scanning(request, partial(Pool[Any], workers), tmp_path / str(workers)) as scan:
            assert make_plan(request, scan) == whole
    assert "planning cuda: " in capfd.readouterr().err
    with scanning(request, nobody, tmp_path / "2") as scan:
        assert make_plan(request, scan) == whole
    assert capfd.readouterr().err == ""


def nobody(_: Task) -> AbstractContextManager[Workforce]:
    raise AssertionError("there is nothing to scan")


class Growing:
    """Workers that become more, and answer one batch after the other; `ahead` is how many batches of each
    worker were pending whenever one was asked for."""

    def __init__(self) -> None:
        self.workers = 1
        self.submitted: list[tuple[Any, Sequence[Address]]] = []
        self.ahead: list[float] = []

    @property
    def pending(self) -> int:
        return len(self.submitted)

    def submit(self, tag: Any, items: Sequence[Address]) -> None:
        assert [key.address(7, number) for key, number in tag] == items
        self.submitted.append((tag, items))

    def results(self) -> Iterator[tuple[Any, list[Any]]]:
        while self.submitted:
            self.ahead.append(self.pending / self.workers)
            tag, batch = self.submitted.pop(0)
            self.workers = 1 + len(self.ahead) // 5
            yield tag, [None for _ in batch]


def test_as_many_batches_are_ahead_as_there_are_workers_by_now() -> None:
    pool = Growing()
    wanted = [(StreamKey("math", 3, None), number) for number in range(100 * BATCH_SIZE)]
    with _Scanners(lambda: nullcontext(pool), FAR, quiet=True) as scanners:
        found = [place for batch in scanners.found(iter(wanted), len(wanted)) for place in batch]
    assert found == wanted
    assert pool.workers > 3 and {*pool.ahead[:20]} == {AHEAD} == {max(pool.ahead)}
