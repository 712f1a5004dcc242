"""Plans: exact sizes, equal families, no skeleton twice, each in its split, spares, shortfalls and errors.

A toy generator stands in for the real one, with as many shapes per difficulty as a test wants.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from warp_ir_dataset.builds.plan import candidate_scan, near_duplicates, saved
from warp_ir_dataset.builds.plan.candidate_scan import CandidateScan
from warp_ir_dataset.builds.plan.facts import Facts
from warp_ir_dataset.builds.plan.families import RandomFamily
from warp_ir_dataset.builds.plan.plan import Plan, make_plan
from warp_ir_dataset.builds.plan.saved import STORED, TEMPLATES, dump, load, planned
from warp_ir_dataset.builds.plan.sizes import shard_counts, split_sizes
from warp_ir_dataset.builds.plan.spares import fewest, spare_counts
from warp_ir_dataset.builds.plan.stream import Taken
from warp_ir_dataset.builds.request import Request as AnyRequest
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import SPLITS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.versions import PACKAGE, source
from warp_ir_dataset.language.identity import split_of
from warp_ir_dataset.synthesis import sampling
from warp_ir_dataset.synthesis.categories import CATEGORIES as EVERY
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.composing.steps import STEPS
from warp_ir_dataset.synthesis.difficulty import LEVELS, MIX, difficulty_of
from warp_ir_dataset.synthesis.idioms import IDIOMS

PLENTY = 10**6

# Grown families alone, but where a test is about idioms: the toy generator stands in for them.
Request = partial(AnyRequest, categories=RANDOM_KINDS)


@dataclass(frozen=True)
class Toy:
    """A program that is nothing but its shape."""

    number: int
    tag: str
    difficulty: int
    spellings: int  # so many shapes mean the same

    @property
    def skeleton(self) -> str:
        return self._hash(self.number)

    @property
    def meaning(self) -> str:
        return self._hash(self.number - self.number % self.spellings)

    def _hash(self, number: int) -> str:
        return hashlib.sha256(f"{self.tag} {number}".encode()).hexdigest()[:16]


class ToyGenerator:
    """Draws one of `shapes[category, level]` shapes; families of one `tag` share their shapes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shapes: dict[tuple[str, int], int] = {}
        self.tags: dict[str, str] = {}
        self.spellings = 1
        monkeypatch.setattr(candidate_scan, "facts_of", self.facts_of)
        monkeypatch.setattr(near_duplicates.NearDuplicateFilter, "admits", lambda *_: True)

    def facts_of(self, address: Address, rows: int = 0) -> Facts | None:
        toy = self.draw(address)
        return Facts(toy.difficulty, toy.skeleton, toy.meaning, self.bar(toy) is not None, False, "")

    def draw(self, address: Address) -> Toy:
        level = difficulty_of(address.draw)
        digest = hashlib.sha256(str(address).encode()).digest()
        shapes = self.shapes.get((address.category, level), PLENTY)
        number = 10 * (int.from_bytes(digest[:8], "big") % shapes) + level
        if address.category in IDIOMS:
            level = next(
                template.level for template in IDIOMS[address.category] if template.purpose == address.purpose
            )
        return Toy(number, self.tags.get(address.category, address.category), level, self.spellings)

    def bar(self, toy: Toy) -> str | None:
        return "third shapes have no gradient" if toy.number // 10 % 3 == 0 else None


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ToyGenerator:
    return ToyGenerator(monkeypatch)


def addresses(plan: Plan, split: str | None = None, spares: bool = True) -> list[Address]:
    return [
        candidate.address
        for shard in plan.shards
        if split in (None, shard.split)
        for queue in shard.queues
        for candidate in queue.candidates[: None if spares else queue.quota]
    ]


def quotas(plan: Plan) -> dict[str, Counter[str]]:
    """Rows per family, of each split."""
    rows: dict[str, Counter[str]] = {split: Counter() for split in SPLITS}
    for shard in plan.shards:
        for queue in shard.queues:
            rows[shard.split][queue.category] += queue.quota
    return rows


SIZES = [10, 11, 14, 37, 99, 250, 1003, 1200]


@pytest.mark.parametrize("size", [*SIZES, 20_000, 1_000_000])
def test_split_sizes_are_80_10_10(size):
    sizes = split_sizes(Request(num_kernels=size))
    assert sum(sizes.values()) == size
    for split, part in (("train", 0.8), ("validation", 0.1), ("test", 0.1)):
        assert abs(sizes[split] - part * size) < 1


@pytest.mark.parametrize("size", SIZES)
def test_quotas_are_exact_and_families_equal_within_one(toys, size):
    request = Request(num_kernels=size)
    rows = quotas(make_plan(request))
    assert {split: rows[split].total() for split in SPLITS} == split_sizes(request)
    for counts in (*rows.values(), sum(rows.values(), Counter())):
        per_family = [counts[category] for category in RANDOM_KINDS]
        assert max(per_family) - min(per_family) <= 1


def test_the_default_build_has_96_12_12_of_each_family(toys):
    rows = quotas(make_plan(Request()))
    assert rows["train"] == dict.fromkeys(RANDOM_KINDS, 96)
    assert rows["validation"] == rows["test"] == dict.fromkeys(RANDOM_KINDS, 12)


def test_no_meaning_twice_and_each_in_its_own_split(toys):
    toys.tags = dict.fromkeys(RANDOM_KINDS[:5], "shared")
    toys.shapes = {(category, level): 4000 for category in RANDOM_KINDS for level in MIX}
    toys.spellings = 20
    plan = make_plan(Request())
    meanings = {address: toys.draw(address).meaning for address in addresses(plan)}
    assert len(meanings) == len(set(meanings.values())) == len(addresses(plan))
    for split in SPLITS:
        assert {split_of(meanings[address]) for address in addresses(plan, split)} == {split}
    assert sum(plan.duplicates.values()) > 0


def test_one_level_may_stand_for_a_span():
    assert Request(difficulty=3) == Request(difficulty=(3, 3)) != Request()
    for level in (0, 6, True):
        with pytest.raises(UserError, match=f"{level}"):
            Request(difficulty=level)


@pytest.mark.parametrize("span", [(1, 5), (2, 4), (3, 3)])
def test_the_mix_of_difficulties(toys, span):
    request = Request(num_kernels=1003, difficulty=span)
    plan = make_plan(request)
    parts = {level: part for level, part in MIX.items() if span[0] <= level <= span[1]}
    assert plan.shortfalls == ()
    for split in SPLITS:
        found = Counter(difficulty_of(address.draw) for address in addresses(plan, split, spares=False))
        assert set(found) <= set(parts)
        for level, part in parts.items():
            assert abs(found[level] - found.total() * part / sum(parts.values())) < 1
    assert {difficulty_of(address.draw) for address in addresses(plan)} <= set(parts)


def test_what_a_dry_level_lacks_the_next_gives_and_the_plan_says_so(toys):
    toys.shapes = {("matrix", 1): 2, ("atomic", 5): 3}
    plan = make_plan(Request())
    assert quotas(plan)["train"] == dict.fromkeys(RANDOM_KINDS, 96)
    levels = {
        category: Counter(
            difficulty_of(a.draw) for a in addresses(plan, spares=False) if a.category == category
        )
        for category in ("matrix", "atomic", "vector")
    }
    shortfalls = {(each.category, each.level): each.rows for each in plan.shortfalls}
    assert set(shortfalls) == {("matrix", 1), ("atomic", 5)}
    assert levels["matrix"][1] + shortfalls["matrix", 1] in (5, 6, 7)
    assert levels["matrix"][2] > levels["vector"][2]
    # The hardest level has no next one: it takes what the levels below it have left over.
    assert levels["atomic"][4] + levels["atomic"][3] - shortfalls["atomic", 5] in (71, 72, 73)


def test_a_family_that_cannot_fill_its_quota_is_named(toys):
    toys.shapes = {("vector", level): 5 for level in MIX}
    with pytest.raises(UserError, match=r"'vector'.* 1 to 5 .*num_kernels 1200"):
        make_plan(Request())


def test_backward_passes_over_non_differentiable_kernels(toys):
    plan = make_plan(Request(config="cuda_backward"))
    assert all(toys.bar(toys.draw(address)) is None for address in addresses(plan))
    assert all(plan.non_differentiable[category] > 0 for category in RANDOM_KINDS)
    assert make_plan(Request()).non_differentiable == dict.fromkeys(RANDOM_KINDS, 0)
    assert quotas(plan)["test"] == dict.fromkeys(RANDOM_KINDS, 12)


def test_a_non_differentiable_kernel_does_not_use_its_skeleton_up(toys):
    """The same shape may have no gradient with one literal and one with another."""
    verdicts = iter(["too long"] * 50)
    toys.bar = lambda toy: next(verdicts, None)
    toys.shapes = {("vector", level): 40 for level in MIX}
    request = Request(config="cuda_backward", num_kernels=10, categories=("vector",))
    plan = make_plan(request)
    assert plan.non_differentiable == {"vector": 50}


def test_every_shard_has_its_spares(toys):
    for request in (Request(), Request(config="cuda_backward", num_kernels=100), Request(num_kernels=3000)):
        for shard in make_plan(request).shards:
            quotas = {queue.category: queue.quota for queue in shard.queues}
            counts = spare_counts(request, quotas, shard.index)
            assert {q.category: len(q.candidates) - q.quota for q in shard.queues} == counts


def test_a_purpose_with_one_row_has_a_spare_in_its_file() -> None:
    """But for a few, whose next kernels are near duplicates. Otherwise a default build would lack a purpose
    now and then."""
    queues = [queue for shard in planned(AnyRequest("cuda")).shards for queue in shard.queues]
    rows = Counter(each.address.purpose for queue in queues for each in queue.candidates[: queue.quota])
    assert set(rows) == {template.purpose for family in IDIOMS.values() for template in family} | {None}
    lone, without = set(), set()
    for queue in queues:
        own = {each.address.purpose for each in queue.candidates[: queue.quota]}
        own = {purpose for purpose in own if rows[purpose] == 1}
        lone |= own
        without |= own - {each.address.purpose for each in queue.candidates[queue.quota :]}
    assert lone and len(without) <= len(lone) / 10


def test_a_family_that_is_dry_has_fewer_spares(toys):
    request = Request(num_kernels=60, categories=("vector", "matrix"))
    candidates = [a for a in addresses(make_plan(request)) if a.category == "vector"]
    toys.shapes = {("vector", level): 14 for level in MIX}
    dry = [a for a in addresses(make_plan(request)) if a.category == "vector"]
    assert 30 <= len(dry) < len(candidates)


@pytest.mark.parametrize(("failing", "risk"), [(0.005, 2e-3), (0.015, 2e-3), (0.03, 1e-9)])
def test_spares_are_the_fewest_that_keep_the_risk(failing: float, risk: float) -> None:
    for quota in (1, 2, 12, 100, 400):
        least = fewest(quota, failing, risk)
        short = []
        for spares in (least - 1, least):
            tried = quota + spares
            pmf = [math.comb(tried, k) * failing**k * (1 - failing) ** (tried - k) for k in range(spares + 1)]
            short.append(1 - sum(pmf))
        assert short[1] < risk <= short[0], (quota, short)


def test_a_shard_has_spares_for_all_its_rows_together():
    request = Request(num_kernels=200)
    for names in (("vector",), ("vector", "matrix", "math"), RANDOM_KINDS):
        counts = spare_counts(request, dict.fromkeys(names, 12), 0)
        assert sum(counts.values()) == fewest(12 * len(names), 0.01, 1e-9)
        assert max(counts.values()) - min(counts.values()) <= 1
    assert spare_counts(request, {}, 0) == {}


def test_families_take_turns_to_give_spares():
    names = [str(each) for each in range(58)]
    given: Counter[str] = Counter()
    for index in range(58):
        given.update(spare_counts(Request(), dict.fromkeys(names, 1), index))
    assert len(set(given.values())) == 1
    first, second = (
        [n for n, c in spare_counts(Request(), dict.fromkeys(names, 1), i).items() if c] for i in (0, 1)
    )
    assert names.index(second[0]) == names.index(first[-1]) + 1


def test_cpu_and_cuda_hold_the_same_kernels(toys):
    assert make_plan(Request(config="cpu")).shards == make_plan(Request(config="cuda")).shards


def test_a_plan_is_a_function_of_its_request(toys):
    assert dump(make_plan(Request())) == dump(make_plan(Request()))
    assert set(addresses(make_plan(Request(seed=1)))).isdisjoint(addresses(make_plan(Request(seed=2))))
    some = make_plan(Request(num_kernels=100, categories=("math", "vector")))
    assert set(some.draws) == {"vector", "math"} == {address.category for address in addresses(some)}


@pytest.mark.process
def test_a_plan_of_real_kernels_is_the_same_in_every_process():
    request = "Request(num_kernels=24, difficulty=(2, 4))"
    code = f"from warp_ir_dataset.builds.plan.saved import *; print(dump(make_plan({request})))"
    root = str(Path(__file__).parents[2])
    plans = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        plans.add(done.stdout)
    (text,) = plans
    plan = load(text)
    assert sum(shard.rows for shard in plan.shards) == 24
    drawn = [sampling.sample(address) for address in addresses(plan)]
    assert {each.difficulty for each in drawn} <= {2, 3, 4}
    assert any(each.purpose for each in drawn)


def test_dump_and_load(toys):
    plan = make_plan(Request(config="cuda_backward", num_kernels=57, difficulty=(2, 4), seed=2**63 - 1))
    assert load(dump(plan)) == plan
    assert load(dump(plan)).request == plan.request


@pytest.mark.parametrize("config", ["cpu", "cuda", "cuda_backward"])
@pytest.mark.parametrize("size", [10, 250, 1200, 18_750, 18_760, 200_000])
def test_shard_counts(config, size):
    request = Request(config=config, num_kernels=size)
    for split, rows in split_sizes(request).items():
        shards = shard_counts(request)[split]
        assert 1 <= shards <= rows and (shards < 12 or shards % 12 == 0)
        if rows <= 12_000:
            assert shards <= 12  # `datasets` takes no more than 15 files of unknown size
        else:
            assert 500 < rows / shards <= 1000


def test_the_default_build_streams_its_first_shard_soon():
    assert shard_counts(Request(config="cuda")) == {"train": 12, "validation": 2, "test": 2}


def test_shards_are_alike(toys):
    plan = make_plan(replace(Request(), config="cuda_backward"))
    shards = [shard for shard in plan.shards if shard.split == "train"]
    assert [(shard.index, shard.count, shard.rows) for shard in shards] == [(k, 12, 80) for k in range(12)]
    for shard in shards:
        rows = [c.address for queue in shard.queues for c in queue.candidates[: queue.quota]]
        levels = Counter(difficulty_of(address.draw) for address in rows)
        for level, part in MIX.items():
            assert abs(levels[level] - shard.rows * part / 20) < 1.5


def test_difficulties_of_draws_never_change():
    """They are part of every published address."""
    assert LEVELS == (3, 4, 5, 2, 3, 4, 5, 1, 3, 4, 2, 3, 4, 5, 3, 4, 2, 5, 3, 4)
    assert Counter(map(difficulty_of, range(200))) == {level: 10 * part for level, part in MIX.items()}


@pytest.mark.parametrize(("name", "config"), [("forward", "cuda"), ("backward", "cuda_backward")])
def test_stored_plans_are_of_the_templates_there_are(name, config, capsys):
    text = (STORED / f"{name}.json").read_text()
    assert json.loads(text)["made_with"] == source(TEMPLATES)
    assert planned(AnyRequest(config)) == load(text) and not capsys.readouterr().err


def test_a_template_is_part_of_what_plans_are_made_with():
    templates = [*STEPS, *(template for family in IDIOMS.values() for template in family)]
    files = {Path(template.function.__code__.co_filename) for template in templates}
    assert all(any(file.is_relative_to(PACKAGE / folder) for folder in TEMPLATES) for file in files)


def test_a_stored_plan_of_other_templates_is_planned_anew(toys, tmp_path, monkeypatch, capsys):
    request = AnyRequest("cuda")
    stored = json.loads((STORED / "forward.json").read_text())
    path = tmp_path / "forward.json"
    path.write_text(json.dumps(stored | {"made_with": "1.0.0 0123456789abcdef"}))
    monkeypatch.setattr(saved, "STORED", tmp_path)
    monkeypatch.setattr(saved, "scanning", lambda *_, **__: nullcontext(CandidateScan(request)))
    anew = make_plan(request)
    assert planned(request) == anew != load(path.read_text())
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert planned(request, quiet=True) == anew
    assert not capsys.readouterr().err and json.loads(path.read_text())["made_with"].startswith("1.0.0")


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(("name", "config"), [("forward", "cuda"), ("backward", "cuda_backward")])
def test_stored_plans_are_what_would_be_made(name, config):
    """Rewrite them with UPDATE_GOLDEN=1 when a change of the generator is meant."""
    made = make_plan(AnyRequest(config))
    path = STORED / f"{name}.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(dump(made) + "\n")
    assert path.read_text() == dump(made) + "\n"
    assert planned(AnyRequest(config)) == made


@pytest.mark.sampled
@pytest.mark.parametrize("category", EVERY)
def test_the_stored_plan_holds_kernels_of_its_splits(category):
    """The first of the family in the last file of each, as long as making all of them takes minutes."""
    shards = {shard.split: shard for shard in planned(AnyRequest("cuda")).shards}
    queues = [(s.split, q) for s in shards.values() for q in s.queues if q.category == category]
    for split, queue in queues:
        address = queue.candidates[0].address
        assert address.category == category and split_of(sampling.sample(address).group) == split
    assert queues


@pytest.mark.sampled
@pytest.mark.parametrize("category", RANDOM_KINDS)
def test_the_stored_plan_with_gradients_begins_as_it_would(category):
    """The first kernels of every level, as long as making all of them takes minutes."""
    stored = planned(AnyRequest("cuda_backward"))
    queues = [q for s in stored.shards if s.split == "train" for q in s.queues if q.category == category]
    kept = sorted(c.address.draw for queue in queues for c in queue.candidates[: queue.quota])
    wanted = {"train": Counter(dict.fromkeys(MIX, 8))}
    scan, missing = CandidateScan(stored.request), True
    while missing:
        family = RandomFamily(stored.request, category, scan, Taken(stored.request.num_kernels))
        family.fill(wanted)
        missing = dict(family.missing())
        scan.extend(missing)
    # In the whole plan a few are near duplicates of what other families have.
    met = 0
    for level in MIX:
        first = set([draw for draw in kept if difficulty_of(draw) == level][:4])
        met += len(first & {pick.address.draw for pick in family.rows["train"]})
    assert met >= 6
