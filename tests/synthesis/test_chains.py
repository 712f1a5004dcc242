"""Chains: what subjects say of their quantities, and what forms make of them."""

from __future__ import annotations

from collections import Counter

import pytest

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language import ir
from warp_ir_dataset.synthesis.chains.branches import BRANCHES
from warp_ir_dataset.synthesis.chains.draft import USUALLY, Draft, Ways
from warp_ir_dataset.synthesis.chains.form import Use, array, local
from warp_ir_dataset.synthesis.chains.lines import CURVES, LIMITS, LINES, UPDATES
from warp_ir_dataset.synthesis.chains.loops import LOOPS, OVER_BLOCKS
from warp_ir_dataset.synthesis.chains.subjects import SUBJECTS
from warp_ir_dataset.synthesis.families import FAMILIES, random_program

FORMS = dict.fromkeys((*LINES, *UPDATES, *CURVES, *LIMITS, *BRANCHES, *LOOPS))
STEPS = [
    (key, quantity, step)
    for s in SUBJECTS
    for key, quantity in s.quantities.items()
    for step in quantity.steps
]


EVERY_WAY = (USUALLY, Ways(branches=1.0, blocks=1.0))


def test_every_quantity_is_reached_and_leads_somewhere():
    for subject in SUBJECTS:
        reached = {b.quantity for b in subject.beginnings}
        reached |= {step.quantity for q in subject.quantities.values() for step in q.steps if step.quantity}
        assert reached == set(subject.quantities), reached ^ set(subject.quantities)
        assert all(quantity.steps for quantity in subject.quantities.values())


def test_every_form_is_somewhere_and_every_family_has_a_way_to_its_own():
    used = Counter(step.form for _, _, step in STEPS)
    assert set(used) == set(FORMS), [form.__name__ for form in set(FORMS) ^ set(used)]
    for family in FAMILIES.values():
        begun = [s for s in SUBJECTS if any(b.start in family.chain.starts for b in s.beginnings)]
        own = [
            s
            for s in begun
            if any(step.form in family.chain.main for q in s.quantities.values() for step in q.steps)
        ]
        assert len(own) >= 2


@pytest.mark.sampled
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_form_has_all_the_names_it_takes_and_no_more(form):
    """And where it keeps the local that it is given, it keeps the quantity too."""
    for key, quantity, step in [each for each in STEPS if each[2].form is form]:
        counted = Names(step.names)
        for number in range(40):
            s = Draft(Rng(f"{key}/{number}"), "arithmetic", 3, EVERY_WAY[number % 2])
            value = local(s, s.read(array(s, s.float, "source", span=quantity.span)), key)
            made = form(s, value, Use(counted, quantity.span, key, keeps=step.quantity is None))
            assert made.value != value or step.quantity is None, (key, step)
        assert counted.taken == set(range(len(step.names))), (key, step)


class Names(tuple[str, ...]):
    """Names that remember which of them were taken."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.taken: set[int] = set()

    def __getitem__(self, at):
        self.taken.add(at)
        return super().__getitem__(at)


@pytest.mark.sampled
@pytest.mark.parametrize("category", FAMILIES)
def test_chains_have_what_their_family_is_about(category):
    """They are told by quantities of one subject, and no two of a family's are alike for long."""
    drawn = [random_program(category, Rng(f"chains/{category}/{n}"), 3 + n % 3).program for n in range(30)]
    names = [frozenset(a.name for a in program.arguments) for program in drawn]
    assert len(set(names)) >= 27


@pytest.mark.parametrize("form", OVER_BLOCKS, ids=lambda form: form.__name__)
def test_a_form_goes_through_a_block_by_a_loop_in_a_loop(form):
    key, quantity, step = next(each for each in STEPS if each[2].form is form)
    s = Draft(Rng(form.__name__), "nested_loop", 3, Ways(blocks=1.0))
    value = local(s, s.read(array(s, s.float, "source", span=quantity.span)), key)
    form(s, value, Use(step.names, quantity.span, key))
    (loop,) = [each for each in s.body if isinstance(each, ir.For)]
    assert any(isinstance(each, ir.For) for each in loop.body)
