"""Tasks of templates: their fields are filled, and rules find their faults."""

from __future__ import annotations

import pytest

from tests.synthesis.toy_templates import stretched
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.synthesis.composing.steps import STEPS
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.templates.choices import Choices
from warp_ir_dataset.synthesis.templates.module import render
from warp_ir_dataset.synthesis.templates.task import task_faults
from warp_ir_dataset.synthesis.templates.template import idiom

TEMPLATES = [*(template for templates in IDIOMS.values() for template in templates), *STEPS]


def with_task(task):
    """A template whose task is this text."""

    stretched.__doc__ = f"A sentence.\n\n{task}"
    return idiom(level=1, names={"x": "x values", "out": "out scaled"})(stretched)


def test_names_and_choices_are_filled_in():
    template = with_task("Give in {out} `2 * {x}[k]` {HOW}{WHERE}.")
    seen = set()
    for number in range(24):
        rng = Rng(f"{number}")
        made = render(template, Choices(number, "", rng), rng)
        out = next(name for name, each in made.arguments.items() if each.role == "output")
        assert f"Give in `{out}` `2 * " in made.task and "{" not in made.task
        assert ("`shift[k]`" in made.task) == ("shift" in made.arguments)
        # A constant that is no argument is a number.
        seen.add(any(name in made.task for name in ("`factor`", "`FACTOR`")))
        assert ("`factor`" in made.task) == ("factor" in made.arguments) and "FACTOR" not in made.task
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("task", "faults"),
    [
        ("Store {FACTOR} times {x}{WHERE} in {out}; 7.5.", []),
        ("", ["no task"]),
        ("Store {FACTOR} times {x}{WHERE} in the result; 7.5.", ["argument out", "argument scaled"]),
        ("Store {FACTOR} times {x}{WHERE} in {out}.", ["number 7.5"]),
        ("Store {x}{WHERE} in {out}; 7.5.", ["argument factor", "leaves out the number"]),
        ("Store {FACTOR} times {x}, with `shift`, in {out}; 7.5.", ["two kernels"]),
    ],
)
def test_faults_are_found(task, faults):
    found = task_faults(with_task(task))
    assert all(any(fault in line for line in found) for fault in faults)
    assert bool(found) == bool(faults)


def test_quotients_and_signs_are_numbers():
    assert not task_faults(with_task("Store {FACTOR} times {x}{WHERE} in {out}: 15/2."))
    assert task_faults(with_task("Store {FACTOR} times {x}{WHERE} in {out}: 15/4, ½."))


@pytest.mark.sampled
@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.purpose)
def test_a_task_says_what_its_kernels_do(template):
    assert task_faults(template, samples=20) == []
