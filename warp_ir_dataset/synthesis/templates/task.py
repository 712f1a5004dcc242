"""Checks by rules whether the task of a template says enough to write its kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...common.rng import Rng
from ...language import ir
from ...language.identity import identify_normal_form
from ...language.types import BOOL
from ...language.walks import walk
from .choices import Choices, T
from .module import bare_task, render
from .part import program_of
from .template import Template

SAMPLES = 40
EVIDENT = 4  # a task may leave out multiples of 1/8 up to this number
LARGEST, SMALLEST = 1e5, 1e-8  # and numbers outside of this range
QUOTED = re.compile(r"`[^`]*`")  # a task quotes names in backticks
NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")
_QUOTIENT = re.compile(rf"({_NUMBER.pattern}) ?/ ?({_NUMBER.pattern})")
_SIGNS = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅙": 1 / 6, "⅛": 1 / 8, "π": 3.14159265}


def task_faults(template: Template, samples: int = SAMPLES) -> list[str]:
    """Find faults in the task of a template: it is missing, leaves out an argument or a number of the kernel,
    or is the same for two kernels that differ in their choices.

    Args:
        template: The template.
        samples: How many of its kernels are checked, each with its own choices. Numbers and choices are
            checked in those whose constants are no literals, which may be folded into other numbers.

    Returns:
        One line for each fault; none if the rules find nothing.
    """
    if not template.task:
        return ["it has no task"]
    found: dict[str, None] = {}
    skeletons: dict[tuple[object, ...], str] = {}
    for number in range(samples):
        rng = Rng(f"task/{template.purpose}/{number}")
        choices = _OneStyle(number, f"task/{template.purpose}", rng)
        made = render(template, choices, rng)
        program = program_of(made)
        found |= dict.fromkeys(_unnamed(program, made.task))
        if made.has_literal_constants:
            continue
        found |= dict.fromkeys(_unmentioned_numbers(program, made.task))
        bare = bare_task(template, choices)
        types = tuple(str(argument.type) for argument in program.arguments)
        skeleton = identify_normal_form(program).skeleton
        key = (bare, types, len(program.signature.launch_dim))
        if skeletons.setdefault(key, skeleton) != skeleton:
            found["two kernels that differ in more than numbers have this task: " + bare] = None
    return list(found)


def quoted_names(task: str) -> set[str]:
    """The names that a task mentions in backticks, alone or in formulas."""
    return {name for quoted in QUOTED.findall(task) for name in NAME.findall(quoted)}


class _OneStyle(Choices):
    """Choices with one style: always the first option."""

    def style(self, *options: T) -> T:
        return options[0]


def _unnamed(program: ir.Program, task: str) -> Iterator[str]:
    """A line for each argument that the task does not name, in backticks."""
    names = quoted_names(task)
    for argument in program.arguments:
        if argument.name not in names:
            yield f"the task does not name the argument {argument.name}"


def _unmentioned_numbers(program: ir.Program, task: str) -> Iterator[str]:
    """A line for each number of the kernel that the task leaves out.

    A task need not mention numbers that its reader finds without it: small multiples of 1/8, sizes of
    arguments, products of two known whole numbers, the end of a loop one after the last number, the large
    number with which a search begins, and the tiny one that keeps a divisor from zero.
    """
    mentioned = _numbers(task)
    sizes = {size + by for argument in program.arguments for size in argument.shape for by in (-1, 0, 1)}
    mentioned_whole = {number + by for number in mentioned if number.is_integer() for by in (0, 1)}
    whole = sizes | {2, 3} | mentioned_whole
    known = [*mentioned, *whole, *(a * b for a in whole for b in whole)]
    for node in walk((program.bodies, program.constants)):
        if not isinstance(node, ir.Literal) or node.type == BOOL:
            continue
        value = abs(float(node.value))
        if (value <= EVIDENT and (8 * value).is_integer()) or not SMALLEST < value < LARGEST:
            continue
        if not any(abs(value - number) <= 1e-4 * value for number in known):
            yield f"the task leaves out the number {value:g}"


def _numbers(task: str) -> Sequence[float]:
    """The numbers in a text, and the quotients of two numbers with a slash between them."""
    numbers = [float(number) for number in _NUMBER.findall(task)]
    quotients = [
        float(Fraction(above) / Fraction(below))
        for above, below in _QUOTIENT.findall(task)
        if float(below) != 0
    ]
    return [*numbers, *quotients, *(value for sign, value in _SIGNS.items() if sign in task)]
