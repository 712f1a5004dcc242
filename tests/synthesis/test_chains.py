"""Chains: the transitions of subjects, and the steps that they use."""

from __future__ import annotations

from collections import Counter

import pytest

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language import ir
from warp_ir_dataset.synthesis.chains.branches import BRANCHES
from warp_ir_dataset.synthesis.chains.builder import DEFAULT_PRIORS, Builder, StylePriors
from warp_ir_dataset.synthesis.chains.lines import CURVES, LIMITS, LINES, UPDATES
from warp_ir_dataset.synthesis.chains.loops import LOOPS, OVER_BLOCKS
from warp_ir_dataset.synthesis.chains.step import Use, as_local, new_array
from warp_ir_dataset.synthesis.chains.subjects import SUBJECTS
from warp_ir_dataset.synthesis.families import FAMILIES, random_program

ALL_STEPS = dict.fromkeys((*LINES, *UPDATES, *CURVES, *LIMITS, *BRANCHES, *LOOPS))
TRANSITIONS = [
    (key, quantity, transition)
    for s in SUBJECTS
    for key, quantity in s.quantities.items()
    for transition in quantity.transitions
]


PRIORS = (DEFAULT_PRIORS, StylePriors(branches=1.0, blocks=1.0))


def test_every_quantity_is_reached_and_leads_somewhere():
    for subject in SUBJECTS:
        reached = {b.quantity for b in subject.beginnings}
        reached |= {
            transition.quantity
            for q in subject.quantities.values()
            for transition in q.transitions
            if transition.quantity
        }
        assert reached == set(subject.quantities), reached ^ set(subject.quantities)
        assert all(quantity.transitions for quantity in subject.quantities.values())


def test_every_step_is_used_and_every_family_has_a_way_to_its_own():
    used = Counter(transition.step for _, _, transition in TRANSITIONS)
    assert set(used) == set(ALL_STEPS), [step.__name__ for step in set(ALL_STEPS) ^ set(used)]
    for family in FAMILIES.values():
        begun = [s for s in SUBJECTS if any(b.start in family.chain.starts for b in s.beginnings)]
        own = [
            s
            for s in begun
            if any(
                transition.step in family.chain.main
                for q in s.quantities.values()
                for transition in q.transitions
            )
        ]
        assert len(own) >= 2


@pytest.mark.sampled
@pytest.mark.parametrize("step", ALL_STEPS, ids=lambda step: step.__name__)
def test_a_step_has_all_the_names_it_takes_and_no_more(step):
    """If it keeps the local that it is applied to, it keeps the quantity too."""
    for key, quantity, transition in [each for each in TRANSITIONS if each[2].step is step]:
        counted = Names(transition.names)
        for number in range(40):
            s = Builder(Rng(f"{key}/{number}"), "arithmetic", 3, PRIORS[number % 2])
            value = as_local(s, s.read(new_array(s, s.float, "source", span=quantity.span)), key)
            made = step(s, value, Use(counted, quantity.span, key, keeps=transition.quantity is None))
            assert made.value != value or transition.quantity is None, (key, transition)
        assert counted.taken == set(range(len(transition.names))), (key, transition)


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
    """Names of arguments are those of one subject, and rarely the same in two programs."""
    programs = [random_program(category, Rng(f"chains/{category}/{n}"), 3 + n % 3).program for n in range(30)]
    names = [frozenset(a.name for a in program.arguments) for program in programs]
    assert len(set(names)) >= 27


@pytest.mark.parametrize("step", OVER_BLOCKS, ids=lambda step: step.__name__)
def test_a_step_goes_through_a_block_by_a_loop_in_a_loop(step):
    key, quantity, transition = next(each for each in TRANSITIONS if each[2].step is step)
    s = Builder(Rng(step.__name__), "nested_loop", 3, StylePriors(blocks=1.0))
    value = as_local(s, s.read(new_array(s, s.float, "source", span=quantity.span)), key)
    step(s, value, Use(transition.names, quantity.span, key))
    (loop,) = [each for each in s.body if isinstance(each, ir.For)]
    assert any(isinstance(each, ir.For) for each in loop.body)
