"""Instantiates a template: its kernel as a program, before a style is chosen, and facts to compose it by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...common.rng import Rng
from ...language import ir
from ...language.domains import Interval
from ...language.passes.binding import without_aliases
from ...language.python.read import read
from .choices import Choices
from .module import RenderedModule, render
from .template import ArgumentSpec, Template

HARDEST = 5
# The most operations of a kernel with its loops unrolled: some 6,000 tokens of CUDA, and 9,000 at level 5.
LARGEST, LARGEST_HARDEST = 90, 140


@dataclass(frozen=True)
class Part:
    """A kernel that may become a part of a longer one, or consists of such parts.

    `task` asks for it in prose; it is empty if one of its templates has none. `quantities` are those of
    arguments, by their names. `synonyms` are other names that fit, by name. `purposes` are those of its
    templates, in their order. `advances_time` is true if it makes a step in time. `unique_steps` are the
    steps that nobody writes twice in one kernel (`Choices.once`).
    """

    program: ir.Program
    sentence: str
    task: str
    level: int
    purposes: tuple[str, ...]
    quantities: Mapping[str, str]
    synonyms: Mapping[str, tuple[str, ...]]
    advances_time: bool
    unique_steps: frozenset[str]


def fits_level(level: int, operations: int) -> bool:
    """Whether a kernel of so many operations is not too long for its level."""
    return operations <= (LARGEST_HARDEST if level == HARDEST else LARGEST)


def instantiate(template: Template, choices: Choices, rng: Rng) -> Part:
    """The kernel of a template with these choices. Raises what `render` raises."""
    made = render(template, choices, rng)
    quantities = {name: spec.of for name, spec in made.arguments.items() if spec.of is not None}
    program = program_of(made)
    results = {quantities.get(a.name) for a in program.arguments if a.role != "input"}
    # A constant DT may be an argument, a constant of the module or a literal.
    has_time_step = "time step" in quantities.values() or "DT" in choices.locals
    return Part(
        program,
        made.sentence,
        made.task,
        template.level,
        (template.purpose,),
        quantities,
        made.synonyms,
        has_time_step and "position" in results,
        frozenset(choices.unique_steps),
    )


def program_of(made: RenderedModule) -> ir.Program:
    """The typed program of a module."""
    program = without_aliases(read(made.text, kernel=made.kernel))
    arguments = tuple(_argument(a, made.arguments[a.name]) for a in program.arguments)
    return replace(program, signature=ir.Signature(made.kernel, arguments, made.launch))


def _argument(argument: ir.Argument, spec: ArgumentSpec) -> ir.Argument:
    if argument.ndim != len(spec.shape):
        raise ValueError(f"{argument.name} has {argument.ndim} dimensions and is given {len(spec.shape)}")
    domain = Interval(spec.low, spec.high)
    return replace(argument, role=spec.role, shape=spec.shape, domain=domain, trait=spec.trait)
