"""Chains: what subjects say of their quantities, and what forms make of them."""

from __future__ import annotations

from collections import Counter

import pytest

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.synthesis.chains.branches import BRANCHES
from warp_ir_dataset.synthesis.chains.chain import CHAINS
from warp_ir_dataset.synthesis.chains.form import Use, local
from warp_ir_dataset.synthesis.chains.lines import CURVES, LIMITS, LINES, UPDATES
from warp_ir_dataset.synthesis.chains.loops import LOOPS
from warp_ir_dataset.synthesis.chains.subjects import SUBJECTS
from warp_ir_dataset.synthesis.families import FAMILIES
from warp_ir_dataset.synthesis.growing.draft import Draft

FORMS = dict.fromkeys((*LINES, *UPDATES, *CURVES, *LIMITS, *BRANCHES, *LOOPS))
STEPS = [
    (key, quantity, step)
    for s in SUBJECTS
    for key, quantity in s.quantities.items()
    for step in quantity.steps
]


def draft(seed: str) -> Draft:
    return Draft(Rng(seed), "arithmetic", 3, {"arithmetic": 1.0}, shapes=((), (3,), (3, 3)))


def test_every_quantity_is_reached_and_leads_somewhere():
    for subject in SUBJECTS:
        reached = {b.quantity for b in subject.beginnings}
        reached |= {step.quantity for q in subject.quantities.values() for step in q.steps if step.quantity}
        assert reached == set(subject.quantities), reached ^ set(subject.quantities)
        assert all(quantity.steps for quantity in subject.quantities.values())


def test_every_form_is_somewhere_and_every_family_has_a_way_to_its_own():
    used = Counter(step.form for _, _, step in STEPS)
    assert set(used) == set(FORMS), [form.__name__ for form in set(FORMS) ^ set(used)]
    for plan in CHAINS.values():
        begun = [s for s in SUBJECTS if any(b.start in plan.starts for b in s.beginnings)]
        own = [
            s for s in begun if any(step.form in plan.main for q in s.quantities.values() for step in q.steps)
        ]
        assert len(own) >= 2


@pytest.mark.sampled
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_form_has_all_the_names_it_takes_and_no_more(form):
    """And where it keeps the local that it is given, it keeps the quantity too."""
    for key, quantity, step in [each for each in STEPS if each[2].form is form]:
        counted = Names(step.names)
        for number in range(40):
            s = draft(f"{key}/{number}")
            value = local(s, s.read(s.array(s.float, span=quantity.span, name="source")), key)
            made = form(s, value, Use(counted, quantity.span, key))
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
    drawn = [FAMILIES[category].draw(Rng(f"chains/{category}/{n}"), 3 + n % 3).program for n in range(30)]
    names = [frozenset(a.name for a in program.arguments) for program in drawn]
    assert len(set(names)) >= 27
