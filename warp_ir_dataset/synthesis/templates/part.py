"""The kernel that a template gives, before its style is chosen: a program, and facts about its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...common.rng import Rng
from ...language import ir
from ...language.domains import Interval
from ...language.passes.binding import without_second_names
from ...language.python.read import read
from .choices import Choices
from .module import Written, written
from .template import Given, Template

HARDEST = 5
# Operations of a kernel once its loops are unrolled: some 6,000 tokens of CUDA, and 9,000 of the hardest.
LARGEST, LARGEST_HARDEST = 90, 140


@dataclass(frozen=True)
class Part:
    """A kernel that may become a part of a longer one, or is one made of parts.

    `task` asks for it in prose; it is empty if a template in it has none. `quantities` says of which quantity
    arguments are, where their template says so; `others` are further names that people give to what a name
    stands for. `purposes` are the templates in it, in their order; `moves` says that it makes a step in time;
    `work` is what it does and nobody does twice.
    """

    program: ir.Program
    sentence: str
    task: str
    level: int
    purposes: tuple[str, ...]
    quantities: Mapping[str, str]
    others: Mapping[str, tuple[str, ...]]
    moves: bool
    work: frozenset[str]


def fits_level(level: int, operations: int) -> bool:
    """Whether a kernel of so many operations is not too long for its level."""
    return operations <= (LARGEST_HARDEST if level == HARDEST else LARGEST)


def part_of(template: Template, choices: Choices, rng: Rng) -> Part:
    """What a template gives with these choices. Raises `Unfoldable` for a template that cannot be."""
    made = written(template, choices, rng)
    quantities = {name: given.of for name, given in made.given.items() if given.of is not None}
    program = program_of(made)
    results = {quantities.get(a.name) for a in program.arguments if a.role != "input"}
    # A step in time that a template has as a constant may be anything in the text, even a literal.
    timed = "time step" in quantities.values() or "DT" in choices.locals
    moves, work = timed and "position" in results, frozenset(choices.work)
    return Part(
        program,
        made.sentence,
        made.task,
        template.level,
        (template.purpose,),
        quantities,
        made.others,
        moves,
        work,
    )


def program_of(made: Written) -> ir.Program:
    """The program of a module that a template gave."""
    program = without_second_names(read(made.text, kernel=made.kernel))
    arguments = tuple(_argument(a, made.given[a.name]) for a in program.arguments)
    return replace(program, signature=ir.Signature(made.kernel, arguments, made.launch))


def _argument(argument: ir.Argument, given: Given) -> ir.Argument:
    if argument.ndim != len(given.shape):
        raise ValueError(f"{argument.name} has {argument.ndim} dimensions and is given {len(given.shape)}")
    domain = Interval(given.low, given.high)
    return replace(argument, role=given.role, shape=given.shape, domain=domain, trait=given.trait)
