"""Finds partners of a kernel: kernels that produce its inputs or consume its results, by quantity and split.

All kernels of a purpose are in one split, and so are its partners. Step templates are no purpose of a row:
they occur only inside longer kernels, so they fit every split.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain

from ...common.rng import Rng
from ...language import ir
from ...language.identity import purpose_group, split_of
from ..idioms import IDIOMS
from ..templates.choices import Choices
from ..templates.part import Part, instantiate
from ..templates.template import ArgumentSpec, Template
from .quantities import QUANTITIES, can_supply
from .steps import STEPS

CHOICES_READ = 12  # the quantities of a template are those of this many sets of its choices
CHOICES_TRIED = 24  # this many sets of choices are tried for a partner that fits
INSTANCES = 3  # at most this many of them are made into kernels: only a kernel shows its types

Templates = Mapping[str, tuple[Template, ...]]


@cache
def producers(split: str | None) -> Templates:
    """By quantity, the templates that can supply it: those of a split, or the steps if `split` is None."""
    return {
        wanted: tuple(
            template
            for template in _templates(split)
            if any(can_supply(q, wanted) for q in _quantities(template).produced)
        )
        for wanted in QUANTITIES
    }


@cache
def consumers(split: str | None) -> Templates:
    """By quantity, the templates that it can supply: those of a split, or the steps if `split` is None."""
    return {
        produced: tuple(
            template
            for template in _templates(split)
            if any(can_supply(produced, q) for q in _quantities(template).consumed)
        )
        for produced in QUANTITIES
    }


@cache
def _templates(split: str | None) -> tuple[Template, ...]:
    if split is None:
        return tuple(STEPS)
    templates = chain.from_iterable(IDIOMS.values())
    return tuple(each for each in templates if split_of(purpose_group(each.purpose)) == split)


class _Quantities:
    """The quantities of arrays that kernels with these choices produce, and of those that they consume; only
    of arrays of one shape, if there is a `shape`."""

    def __init__(self, *made: Choices, shape: tuple[int, ...] | None = None) -> None:
        self.produced: set[str] = set()
        self.consumed: set[str] = set()
        for choices in made:
            assert choices.kernel_function is not None
            for spec in choices.kernel_function.__defaults__ or ():
                if not isinstance(spec, ArgumentSpec) or spec.of is None or not spec.shape:
                    continue
                if shape in (None, spec.shape):
                    if spec.role != "input":
                        self.produced.add(spec.of)
                    if spec.role != "output":
                        self.consumed.add(spec.of)


@cache
def _quantities(template: Template) -> _Quantities:
    return _Quantities(
        *(_choices(template, number, f"{template.purpose}/{number}") for number in range(CHOICES_READ))
    )


def _choices(template: Template, number: int, text: str) -> Choices:
    choices = Choices(number, template.purpose, Rng(text))
    template.function(choices)
    return choices


def find_partner(
    template: Template,
    linked: ir.Argument,
    quantity: str,
    launch: tuple[int, ...],
    text: str,
    *,
    before: bool,
) -> Part | None:
    """A kernel of the template that produces (if it comes `before`) or consumes an argument of another
    kernel.

    Args:
        template: The template.
        linked: The argument of the other kernel.
        quantity: The quantity of that argument.
        launch: The launch of the other kernel.
        text: Decides the choices.
        before: Whether the kernel comes before the other one.

    Returns:
        The kernel; None if none of the choices that were tried gives one.
    """
    made = 0
    for attempt in range(CHOICES_TRIED):
        seed = f"{text}/{template.purpose}/{attempt}"
        number = Rng(f"{seed}/number").below(10**6)
        choices = _choices(template, number, seed)
        if choices.launch != launch:
            continue
        quantities = _Quantities(choices, shape=linked.shape)
        if before:
            fits = any(can_supply(q, quantity) for q in quantities.produced)
        else:
            fits = any(can_supply(quantity, q) for q in quantities.consumed)
        if not fits:
            continue
        rng = Rng(seed)
        part = instantiate(template, Choices(number, template.purpose, rng), rng)
        arguments = matching_arguments(part, quantity, before=before)
        if any(a.type == linked.type and a.shape == linked.shape for a in arguments):
            return part
        made += 1
        if made == INSTANCES:
            break
    return None


def matching_arguments(part: Part, quantity: str, *, before: bool) -> Iterator[ir.Argument]:
    """The arguments in which a kernel produces a quantity (if it comes `before`), or consumes it."""
    for argument in part.program.arguments:
        own = part.quantities.get(argument.name)
        if own is None or argument.role == ("input" if before else "output"):
            continue
        if can_supply(own, quantity) if before else can_supply(quantity, own):
            yield argument
