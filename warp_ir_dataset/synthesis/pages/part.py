"""The kernel that a page gives, before its style is chosen: a program, and facts about its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...common.rng import Rng
from ...language import ir
from ...language.domains import Interval
from ...language.passes.binding import without_aliases
from ...language.python.read import read
from .choices import Choices
from .module import Written, written
from .page import Given, Page

HARDEST = 5
# Operations of a kernel once its loops are unrolled: some 6,000 tokens of CUDA, and 9,000 of the hardest.
LARGEST, LARGEST_HARDEST = 90, 140


@dataclass(frozen=True)
class Part:
    """A kernel that may become a part of a longer one, or is one made of parts.

    `task` asks for it in prose; it is empty if a page in it has none.
    `quantities` says of which quantity arguments are, where their page says so; `others` are further names
    that people give to what a name stands for. `purposes` are the pages in it, in their order; `moves` says
    that it makes a step in time; `work` is what it does and nobody does twice.
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


def part_of(page: Page, choices: Choices, rng: Rng) -> Part:
    """What a page gives with these choices. Raises `Unfoldable` for a page that cannot be."""
    made = written(page, choices, rng)
    quantities = {name: given.of for name, given in made.given.items() if given.of is not None}
    program = program_of(made)
    results = {quantities.get(a.name) for a in program.arguments if a.role != "input"}
    # A step in time that a page has as a constant may be anything in the text, even a literal.
    timed = "time step" in quantities.values() or "DT" in choices.locals
    moves, work = timed and "position" in results, frozenset(choices.work)
    return Part(
        program,
        made.sentence,
        made.task,
        page.level,
        (page.purpose,),
        quantities,
        made.others,
        moves,
        work,
    )


def program_of(made: Written) -> ir.Program:
    """The program of a module that a page gave."""
    program = without_aliases(read(made.text, kernel=made.kernel))
    arguments = tuple(_argument(a, made.given[a.name]) for a in program.arguments)
    return replace(program, signature=ir.Signature(made.kernel, arguments, made.launch))


def _argument(argument: ir.Argument, given: Given) -> ir.Argument:
    if argument.ndim != len(given.shape):
        raise ValueError(f"{argument.name} has {argument.ndim} dimensions and is given {len(given.shape)}")
    domain = Interval(given.low, given.high)
    return replace(argument, role=given.role, shape=given.shape, domain=domain, trait=given.trait)
