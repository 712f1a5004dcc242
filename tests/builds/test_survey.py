"""Surveys: a plan is the same whoever looks, in whatever rounds, and nothing is looked at twice."""

from __future__ import annotations

import errno
import os
import random
from array import array
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
from warp_ir_dataset.builds.plan import apart, ledger
from warp_ir_dataset.builds.plan.apart import SPLITS_APART
from warp_ir_dataset.builds.plan.claims import Claimant, Claims
from warp_ir_dataset.builds.plan.ledger import Ledger
from warp_ir_dataset.builds.plan.look import Look
from warp_ir_dataset.builds.plan.looks import UNSEEN, Looks
from warp_ir_dataset.builds.plan.plan import Plan, make_plan
from warp_ir_dataset.builds.plan.survey import AHEAD, BATCH_SIZE, Found, Survey, Wanted, _Lookers, surveying
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.versions import GENERATOR_VERSION, PACKAGE
from warp_ir_dataset.synthesis.categories import CATEGORIES, RANDOM_KINDS
from warp_ir_dataset.synthesis.difficulty import MIX
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.workers.pool import Pool
from warp_ir_dataset.workers.task import Task, Workforce


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ToyGenerator:
    return ToyGenerator(monkeypatch)


class Lookers:
    """Workers that answer in any order, and what they were asked."""

    def __init__(self, toys: ToyGenerator, chance: random.Random) -> None:
        self.toys, self.chance = toys, chance
        self.asked: Counter[Address] = Counter()
        self.rounds = 0

    def looked(self, wanted: Sequence[Address]) -> Iterator[Found]:
        self.rounds += 1
        self.asked.update(wanted)
        for address in self.chance.sample(wanted, len(wanted)):
            yield {address: self.toys.look(address)}


FAR = Request(num_kernels=SPLITS_APART + 1, seed=7)

REQUESTS = [
    Request(num_kernels=600),
    Request(num_kernels=37),
    Request("cuda_backward", 300, seed=4),
    Request(num_kernels=400, difficulty=(2, 3)),
    Request(num_kernels=90, categories=RANDOM_KINDS),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_a_plan_is_the_same_in_rounds(toys: ToyGenerator, request_: Request) -> None:
    toys.tags = dict.fromkeys(CATEGORIES[:5], "shared")
    toys.shapes = {(category, level): 60 for category in (*CATEGORIES[:5], *IDIOMS) for level in MIX}
    toys.shapes |= {(RANDOM_KINDS[-1], level): 900 for level in MIX}
    whole = make_plan(request_)
    lookers = Lookers(toys, random.Random(request_.num_kernels))
    assert make_plan(request_, Survey(request_, lookers.looked)) == whole
    assert set(lookers.asked.values()) == {1}
    assert lookers.rounds < 80


class AlikeToys(ToyGenerator):
    """Kernels of one number are near duplicates, in whatever family."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        takes = apart.Apart.takes
        super().__init__(monkeypatch)
        monkeypatch.setattr(apart.Apart, "takes", takes)

    def look(self, address: Address, *, strictly: bool = True) -> Look | None:
        found = super().look(address, strictly=strictly)
        return found and found._replace(likeness=f"{self.draw(address).number:0{DIGITS}x}")


def test_grown_kernels_are_unlike_those_of_other_families(monkeypatch: pytest.MonkeyPatch) -> None:
    toys = AlikeToys(monkeypatch)
    request = Request(num_kernels=300, categories=RANDOM_KINDS)
    toys.shapes = {(category, level): 300 for category in RANDOM_KINDS for level in MIX}
    whole = make_plan(request)
    numbers = [toys.draw(address).number for address in addresses(whole, spares=False)]
    assert len(set(numbers)) == len(numbers) == 300
    lookers = Lookers(toys, random.Random(1))
    assert make_plan(request, Survey(request, lookers.looked)) == whole
    assert set(lookers.asked.values()) == {1}
    assert lookers.rounds < 80


def numbers(toys: ToyGenerator, plan: Plan, *splits: str) -> Counter[int]:
    return Counter(toys.draw(a).number for split in splits for a in addresses(plan, split, spares=False))


def test_training_kernels_are_unlike_those_that_are_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    toys = AlikeToys(monkeypatch)
    request = Request(num_kernels=600, categories=(*RANDOM_KINDS, "waves"))
    toys.shapes = {(category, level): 900 for category in RANDOM_KINDS for level in MIX}
    monkeypatch.setattr(apart, "ALL_APART", 599)
    whole = make_plan(request)
    held_out = numbers(toys, whole, "validation", "test")
    assert not held_out.keys() & numbers(toys, whole, "train").keys() and held_out.total() == 120
    spares = {toys.draw(a).number for a in addresses(whole, "train") if a.category in RANDOM_KINDS}
    assert not held_out.keys() & spares
    lookers = Lookers(toys, random.Random(1))
    assert make_plan(request, Survey(request, lookers.looked)) == whole
    assert set(lookers.asked.values()) == {1}
    # In a larger build they are not told apart.
    monkeypatch.setattr(apart, "SPLITS_APART", 599)
    larger = make_plan(request)
    assert numbers(toys, larger, "test").keys() & numbers(toys, larger, "train").keys()
    assert numbers(toys, larger, "validation", "test") == held_out


def test_where_all_are_near_what_is_held_out_they_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    toys = AlikeToys(monkeypatch)
    request = Request(num_kernels=300, categories=RANDOM_KINDS, difficulty=(1, 1))
    toys.shapes = {(category, 1): 60 for category in RANDOM_KINDS}
    monkeypatch.setattr(apart, "ALL_APART", 299)
    whole = make_plan(request)
    assert numbers(toys, whole, "train").total() == 240
    assert len({toys.draw(a).skeleton for a in addresses(whole, spares=False)}) == 300
    assert numbers(toys, whole, "validation", "test").keys() & numbers(toys, whole, "train").keys()
    lookers = Lookers(toys, random.Random(2))
    assert make_plan(request, Survey(request, lookers.looked)) == whole


def test_near_duplicates_fill_what_would_be_no_build(monkeypatch: pytest.MonkeyPatch) -> None:
    toys = AlikeToys(monkeypatch)
    request = Request(num_kernels=300, categories=RANDOM_KINDS, difficulty=(1, 1))
    toys.shapes = {(category, 1): 120 for category in RANDOM_KINDS}
    plan = make_plan(request)
    rows = list(map(toys.draw, addresses(plan, spares=False)))
    assert len({toy.skeleton for toy in rows}) == len(rows) == 300
    assert len({toy.number for toy in rows}) <= 120


def test_what_is_looked_at_in_vain_is_not_much(toys: ToyGenerator) -> None:
    request = Request(num_kernels=2000)
    lookers = Lookers(toys, random.Random(0))
    plan = make_plan(request, Survey(request, lookers.looked))
    assert lookers.asked.total() < 1.25 * sum(plan.draws.values())
    assert lookers.rounds < 26


def test_a_dry_level_has_no_more_of_the_others_looked_at(toys: ToyGenerator) -> None:
    toys.shapes = {(category, 1): 8 for category in CATEGORIES}
    request = Request(num_kernels=4000)
    lookers = Lookers(toys, random.Random(0))
    plan = make_plan(request, Survey(request, lookers.looked))
    assert {spill.level for spill in plan.spilled} == {1}
    assert lookers.asked.total() < 1.4 * sum(plan.draws.values())


def test_too_few_kernels_are_told_when_all_is_known(toys: ToyGenerator) -> None:
    toys.shapes = {("vector", level): 5 for level in MIX}
    request = Request(categories=("vector", "matrix"))
    lookers = Lookers(toys, random.Random(0))
    with pytest.raises(UserError, match=r"'vector'.*num_kernels 1200"):
        make_plan(request, Survey(request, lookers.looked))
    assert lookers.rounds > 1


def surveyed(toys: ToyGenerator, request: Request, folder: Path) -> Lookers:
    lookers = Lookers(toys, random.Random(0))
    survey = Survey(request, lookers.looked, Ledger(folder, request))
    assert make_plan(request, survey) == make_plan(request)
    return lookers


def test_another_config_and_another_time_look_at_nothing_again(toys: ToyGenerator, tmp_path: Path) -> None:
    first = surveyed(toys, Request("cpu", 200), tmp_path)
    assert first.asked
    assert not surveyed(toys, Request("cpu", 200), tmp_path).asked
    assert not surveyed(toys, Request("cuda", 200), tmp_path).asked
    backward = surveyed(toys, Request("cuda_backward", 200), tmp_path)
    assert backward.asked and not set(backward.asked) & set(first.asked)
    assert surveyed(toys, Request("cpu", 200, seed=1), tmp_path).asked


def test_a_round_goes_on_where_the_last_one_was(toys: ToyGenerator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choosing costs what is drawn, however many rounds there are."""
    asked: Counter[Address] = Counter()
    at = Survey.at

    def counted(survey: Survey, address: Address) -> object:
        asked[address] += 1
        return at(survey, address)

    monkeypatch.setattr(Survey, "at", counted)
    request = Request("cuda_backward", 600)
    lookers = Lookers(toys, random.Random(0))
    plan = make_plan(request, Survey(request, lookers.looked))
    assert lookers.rounds > 3
    waited = lookers.rounds * len(CATEGORIES)  # at most once a family in each round
    assert asked.total() <= sum(plan.draws.values()) + waited


def test_a_family_before_another_has_what_both_draw() -> None:
    claims = Claims()
    first, second, third = map(Claimant, range(3))
    claims.take("shared", second)
    assert claims.is_taken("shared", third) and claims.is_taken("shared", second)
    assert claims.hold(second) and claims.hold(third)
    assert not claims.is_taken("shared", first)
    claims.take("shared", first)
    assert not claims.hold(second) and claims.hold(first)
    assert claims.hold(third)  # it is refused all the same
    first.void = True
    assert not claims.hold(third) and not claims.is_taken("shared", third)


@pytest.mark.parametrize("strictly", [True, False])
def test_looks_in_memory_are_what_they_were(strictly: bool) -> None:
    likeness = "0123456789ab" if strictly else ""
    one = Look(3, f"{255:016x}", f"{254:016x}", True, False, likeness)
    looks = [one, Look(5, "f" * 16, "e" * 16, False, True, ""), None]
    found = dict(zip((0, 70, 3), looks, strict=True))
    known = Looks(strictly)
    known.add(found)
    assert {draw: known.at(draw) for draw in found} == found
    assert known.at(1) is UNSEEN and known.at(10**6) is UNSEEN
    assert known.ask(1) and not known.ask(1) and not known.ask(70) and known.at(1) is UNSEEN
    known.add({1: None})
    assert known.at(1) is None


def test_wanted_addresses_are_those_of_all_families() -> None:
    draws = {("math", None): array("Q", [3, 1]), ("waves", "elastic_wave_step"): array("Q", [8])}
    wanted = Wanted(7, {("vector", None): array("Q"), **draws})
    whole = [Address(7, "math", 3), Address(7, "math", 1), Address(7, "waves", 8, "elastic_wave_step")]
    assert [*wanted] == whole and wanted[1:] == whole[1:] and wanted[-1] == whole[-1] and len(wanted) == 3
    assert not Wanted(7, {})
    with pytest.raises(IndexError):
        wanted[3]


def test_a_damaged_ledger_is_looked_at_again(toys: ToyGenerator, tmp_path: Path) -> None:
    request = Request(num_kernels=60, categories=("vector",))
    first = surveyed(toys, request, tmp_path)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    lines = whole.splitlines()
    path.write_bytes(whole[: len(lines[0]) + len(lines[1]) // 2])  # cut short, in the middle of a line
    assert surveyed(toys, request, tmp_path).asked == first.asked
    assert not surveyed(toys, request, tmp_path).asked
    changed = lines[1].replace(b" ", b" 1", 1)
    path.write_bytes(whole.replace(lines[1], changed))
    assert len(surveyed(toys, request, tmp_path).asked) == 1
    path.write_bytes(whole.replace(lines[0], b"survey 0.0.0"))
    assert surveyed(toys, request, tmp_path).asked == first.asked
    assert not surveyed(toys, request, tmp_path).asked


def test_a_ledger_of_other_source_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: Found = {Address(7, "math", 0): None}
    Ledger(tmp_path, FAR).add(found)
    for folder in ledger.DRAWING:
        assert list((PACKAGE / folder).rglob("*.py"))
    monkeypatch.setattr(ledger, "generator", lambda: f"{GENERATOR_VERSION} of another source")
    assert Ledger(tmp_path, FAR).read("math") == {}


def test_a_survey_that_cannot_be_locked_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: FileLock) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(FileLock, "acquire", refused)
    with pytest.raises(UserError, match=f"{tmp_path}: Permission denied$"):  # noqa: SIM117
        with surveying(FAR, partial(Pool[Any], 1), tmp_path):
            pass


def test_a_ledger_gives_what_it_was_given(tmp_path: Path) -> None:
    looks = [Look(3, "ab12", "cd34", True, False, "012345"), Look(1, "ff", "ee", False, True, ""), None]
    found: Found = {Address(7, "math", draw): look for draw, look in enumerate(looks)}
    Ledger(tmp_path, FAR).add(found)
    more: Found = {Address(7, "math", 0, "a_purpose"): None, Address(7, "math", 1, "a_purpose"): looks[0]}
    Ledger(tmp_path, FAR).add(more)
    assert Ledger(tmp_path, FAR).read("math") == {**found, **more}
    for other in (
        Ledger(tmp_path, replace(FAR, num_kernels=SPLITS_APART)),
        Ledger(tmp_path, replace(FAR, seed=8)),
    ):
        assert other.read("math") == {}


@pytest.mark.process
def test_plans_of_real_kernels_by_workers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    request = Request(num_kernels=12, categories=("math", "waves"), seed=3)
    whole = make_plan(request)
    for workers in (1, 2):
        with surveying(request, partial(Pool[Any], workers), tmp_path / str(workers)) as survey:
            assert make_plan(request, survey) == whole
    assert "planning cuda: " in capfd.readouterr().err
    with surveying(request, nobody, tmp_path / "2") as survey:
        assert make_plan(request, survey) == whole
    assert capfd.readouterr().err == ""


def nobody(_: Task) -> AbstractContextManager[Workforce]:
    raise AssertionError("there is nothing to look at")


class Growing:
    """Workers that become more, and answer one batch after the other; `ahead` is how many batches of each
    worker were pending whenever one was asked for."""

    def __init__(self) -> None:
        self.workers = 1
        self.submitted: list[Sequence[Address]] = []
        self.ahead: list[float] = []

    @property
    def pending(self) -> int:
        return len(self.submitted)

    def submit(self, tag: Any, items: Sequence[Address]) -> None:
        assert tag == items
        self.submitted.append(items)

    def results(self) -> Iterator[tuple[Any, list[Any]]]:
        while self.submitted:
            self.ahead.append(self.pending / self.workers)
            batch = self.submitted.pop(0)
            self.workers = 1 + len(self.ahead) // 5
            yield batch, [None for _ in batch]


def test_as_many_batches_are_ahead_as_there_are_workers_by_now() -> None:
    pool = Growing()
    lookers = _Lookers(lambda: nullcontext(pool), "", quiet=True)
    wanted = [Address(7, "math", draw) for draw in range(100 * BATCH_SIZE)]
    with lookers:
        found = [address for batch in lookers.looked(wanted) for address in batch]
    assert found == wanted
    assert pool.workers > 3 and {*pool.ahead[:20]} == {AHEAD} == {max(pool.ahead)}
