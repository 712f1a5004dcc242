"""Checks the task of a page against the kernels that the page gives, as far as a rule can."""

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
from .module import bare_task, written
from .page import Page
from .part import program_of

DRAWS = 40
EVIDENT = 4  # eighths up to this number need no word
BEYOND, NOTHING = 1e5, 1e-8
QUOTED = re.compile(r"`[^`]*`")  # what a task says of names is quoted
NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")
_QUOTIENT = re.compile(rf"({_NUMBER.pattern}) ?/ ?({_NUMBER.pattern})")
_SIGNS = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅙": 1 / 6, "⅛": 1 / 8, "π": 3.14159265}


def task_faults(page: Page, draws: int = DRAWS) -> list[str]:
    """What is wrong with the task of a page: it is missing, it does not name an argument, leaves out a number
    that the kernel has, or says the same of two kernels whose choices make them different.

    Args:
        page: The page.
        draws: How many kernels of it are looked at, each with its own choices. Numbers and choices are
            compared in those whose constants are not folded into other numbers.

    Returns:
        One line for each fault; none if the rules find nothing.
    """
    if not page.task:
        return ["it has no task"]
    found: dict[str, None] = {}
    told: dict[tuple[object, ...], str] = {}
    for number in range(draws):
        rng = Rng(f"task/{page.purpose}/{number}")
        choices = _OfMeaning(number, f"task/{page.purpose}", rng)
        made = written(page, choices, rng)
        program = program_of(made)
        found |= dict.fromkeys(_unnamed(program, made.task))
        if made.folded:
            continue
        found |= dict.fromkeys(_unnumbered(program, made.task))
        bare = bare_task(page, choices)
        types = tuple(str(argument.type) for argument in program.arguments)
        skeleton = identify_normal_form(program).skeleton
        if told.setdefault((bare, types, len(program.signature.launch_dim)), skeleton) != skeleton:
            found["two kernels that differ in more than numbers have this task: " + bare] = None
    return list(found)


def names_told(task: str) -> set[str]:
    """The names that a task mentions in backticks, in formulas or alone."""
    return {name for quoted in QUOTED.findall(task) for name in NAME.findall(quoted)}


class _OfMeaning(Choices):
    """Choices of which those of spelling are made once and for all."""

    def spelling(self, *options: T) -> T:
        return options[0]


def _unnamed(program: ir.Program, task: str) -> Iterator[str]:
    """A line for each argument that the task does not name, in backticks."""
    names = names_told(task)
    for argument in program.arguments:
        if argument.name not in names:
            yield f"the task does not name the argument {argument.name}"


def _unnumbered(program: ir.Program, task: str) -> Iterator[str]:
    """A line for each number of the kernel that the task leaves out, and that nobody finds by himself: small
    ones, eighths, sizes of arguments, products of two whole numbers that are known, the end of a loop one
    behind its last number, the number beyond all others with which a search begins, and one next to nothing
    that keeps a divisor from zero."""
    said = _numbers(task)
    sizes = {size + by for argument in program.arguments for size in argument.shape for by in (-1, 0, 1)}
    said_whole = {number + by for number in said if number.is_integer() for by in (0, 1)}
    whole = sizes | {2, 3} | said_whole
    known = [*said, *whole, *(a * b for a in whole for b in whole)]
    for node in walk((program.bodies, program.constants)):
        if not isinstance(node, ir.Literal) or node.type == BOOL:
            continue
        value = abs(float(node.value))
        if (value <= EVIDENT and (8 * value).is_integer()) or not NOTHING < value < BEYOND:
            continue
        if not any(abs(value - number) <= 1e-4 * value for number in known):
            yield f"the task leaves out the number {value:g}"


def _numbers(task: str) -> Sequence[float]:
    """The numbers that a text names, quotients of them among these."""
    numbers = [float(number) for number in _NUMBER.findall(task)]
    quotients = [
        float(Fraction(above) / Fraction(below))
        for above, below in _QUOTIENT.findall(task)
        if float(below) != 0
    ]
    return [*numbers, *quotients, *(value for sign, value in _SIGNS.items() if sign in task)]
