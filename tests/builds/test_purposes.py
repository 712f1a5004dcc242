"""Plans with idioms: purposes take turns, each in the split that its name decides.

A toy generator stands in for the real one; the families and purposes are those there are.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from tests.builds.test_plan import SIZES, ToyGenerator, addresses, quotas
from warp_ir_dataset.builds.plan import candidate_scan
from warp_ir_dataset.builds.plan.mix import apportioned
from warp_ir_dataset.builds.plan.plan import make_plan
from warp_ir_dataset.builds.plan.sizes import split_sizes
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.configs import SPLITS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.language.identity import purpose_group, split_of
from warp_ir_dataset.synthesis.categories import CATEGORIES, RANDOM_KINDS
from warp_ir_dataset.synthesis.difficulty import MIX, difficulty_of
from warp_ir_dataset.synthesis.idioms import IDIOMS


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ToyGenerator:
    return ToyGenerator(monkeypatch)


LEVELS = {template.purpose: template.level for templates in IDIOMS.values() for template in templates}


def level_of(address):
    return LEVELS[address.purpose] if address.purpose else difficulty_of(address.draw)


@pytest.mark.parametrize("size", SIZES)
def test_splits_are_exact_and_families_equal_over_the_build(toys, size):
    request = Request(num_kernels=size)
    plan = make_plan(request)
    rows = quotas(plan)
    assert {split: rows[split].total() for split in SPLITS} == split_sizes(request)
    total = sum(rows.values(), Counter())
    assert plan.shortfalls == ()
    assert max(total[c] for c in CATEGORIES) - min(total[c] for c in CATEGORIES) <= 1


def test_a_purpose_is_in_one_split_and_has_its_share(toys):
    plan = make_plan(Request(num_kernels=3000))
    found: Counter[str] = Counter()
    for split in SPLITS:
        for address in addresses(plan, split):
            if purpose := address.purpose:
                assert split_of(purpose_group(purpose)) == split
        found += Counter(filter(None, (a.purpose for a in addresses(plan, split, spares=False))))
    assert set(found) == {template.purpose for templates in IDIOMS.values() for template in templates}
    for family, templates in IDIOMS.items():
        train = [found[p.purpose] for p in templates if split_of(purpose_group(p.purpose)) == "train"]
        assert max(train) - min(train) <= 1, family


def test_the_mix_holds_for_the_build(toys):
    plan = make_plan(Request(num_kernels=3000))
    levels = Counter(map(level_of, addresses(plan, spares=False)))
    idioms = Counter(level_of(a) for a in addresses(plan, spares=False) if a.category in IDIOMS)
    for level, part in MIX.items():
        wanted = 3000 * part / sum(MIX.values())
        assert levels[level] >= min(wanted, idioms[level]) - 3
        if idioms[level] < wanted:  # grown kernels make it up, as far as they reach
            assert abs(levels[level] - wanted) < 0.5 * wanted


def test_what_purposes_cannot_give_grown_kernels_do(toys):
    family = next(iter(IDIOMS))
    toys.shapes = {(family, level): 1 for level in MIX}
    plan = make_plan(Request(num_kernels=1200))
    rows = quotas(plan)
    assert {split: rows[split].total() for split in SPLITS} == split_sizes(plan.request)
    (shortfall,) = plan.shortfalls
    share = 1200 // len(CATEGORIES)
    total = sum(rows.values(), Counter())
    assert shortfall.category == family and total[family] + shortfall.rows in (share, share + 1)
    given = {name: total[name] for name in RANDOM_KINDS}
    assert min(given.values()) > share and max(given.values()) - min(given.values()) <= 1


def test_backward_passes_over_non_differentiable_purposes(toys):
    plan = make_plan(Request(config="cuda_backward", num_kernels=1200))
    assert all(toys.bar(toys.draw(address)) is None for address in addresses(plan))
    able = {
        family: [template for template in templates if template.differentiable]
        for family, templates in IDIOMS.items()
    }
    assert set(plan.non_differentiable) == {name for name in CATEGORIES if able.get(name, True)}
    assert all(plan.non_differentiable[family] > 0 for family, templates in able.items() if templates)


def test_backward_draws_no_purpose_that_is_not_differentiable(toys):
    plan = make_plan(Request(config="cuda_backward", num_kernels=3000))
    found = {purpose for address in addresses(plan) if (purpose := address.purpose)}
    assert found == {
        template.purpose for templates in IDIOMS.values() for template in templates if template.differentiable
    }


def test_families_without_a_differentiable_purpose_have_no_gradients(toys):
    only = [
        family
        for family, templates in IDIOMS.items()
        if not any(template.differentiable for template in templates)
    ]
    assert only
    with pytest.raises(UserError, match="differentiable"):
        make_plan(Request(config="cuda_backward", num_kernels=40, categories=tuple(only)))


def test_a_draw_that_gives_nothing_is_passed_over(toys, monkeypatch):
    def facts_of(address, rows):
        return None if address.draw % 3 == 0 else toys.facts_of(address)

    monkeypatch.setattr(candidate_scan, "facts_of", facts_of)
    plan = make_plan(Request(num_kernels=600))
    found = [address for address in addresses(plan) if address.category in IDIOMS]
    assert found and all(address.draw % 3 for address in found)


def test_idioms_alone_that_run_dry_are_named(toys):
    toys.shapes = {(family, level): 1 for family in IDIOMS for level in MIX}
    with pytest.raises(UserError, match=f"{', '.join(IDIOMS)} .*num_kernels 600"):
        make_plan(Request(num_kernels=600, categories=tuple(IDIOMS)))


def test_a_difficulty_that_no_purpose_has_leaves_the_family_out(toys):
    plan = make_plan(Request(num_kernels=60, difficulty=(1, 1)))
    assert set(sum(quotas(plan).values(), Counter())) == set(RANDOM_KINDS)


def test_rows_are_apportioned_by_largest_remainder():
    weights = {"a": Fraction(3), "b": Fraction(2), "c": Fraction(0), "d": Fraction(1)}
    assert apportioned(12, weights, dict.fromkeys(weights, 99)) == {"a": 6, "b": 4, "c": 0, "d": 2}
    assert apportioned(4, weights, dict.fromkeys(weights, 99)) == {"a": 2, "b": 1, "c": 0, "d": 1}
    assert apportioned(6, weights, {"a": 1, "b": 99, "c": 99, "d": 2}) == {"a": 1, "b": 3, "c": 0, "d": 2}
    with pytest.raises(UserError, match="split"):
        apportioned(6, weights, {"a": 1, "b": 1, "c": 99, "d": 1})
