"""Finds kernels whose outputs another kernel can take as inputs, by quantity and split.

A purpose's text is in one split alone. Steps are no purposes: nothing but parts of longer kernels, they go
with those of every split.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from ...common.rng import Rng
from ...language import ir
from ...language.identity import purpose_group, split_of
from ..idioms import IDIOMS
from ..templates.choices import Choices
from ..templates.part import Part, part_of
from ..templates.template import Given, Template
from .quantities import QUANTITIES, fits
from .steps import STEPS

LOOKS = 12  # choices of a template that are looked at for what it gives and takes
TRIES = 24  # of a template, for one that is launched over the threads wanted
MADE = 3  # kernels of a template that are looked at

Templates = Mapping[str, tuple[Template, ...]]


@cache
def givers(split: str | None) -> Templates:
    """The templates of a split (or the steps) that give what can stand for each quantity."""
    return {
        wanted: tuple(
            template for template in _templates(split) if any(fits(q, wanted) for q in _told(template).given)
        )
        for wanted in QUANTITIES
    }


@cache
def takers(split: str | None) -> Templates:
    """The templates of a split (or the steps) that take each quantity."""
    return {
        given: tuple(
            template for template in _templates(split) if any(fits(given, q) for q in _told(template).taken)
        )
        for given in QUANTITIES
    }


def _templates(split: str | None) -> Iterator[Template]:
    if split is None:
        yield from STEPS
        return
    for templates in IDIOMS.values():
        yield from (template for template in templates if split_of(purpose_group(template.purpose)) == split)


class _Told:
    """The quantities that kernels of these choices give, and those that they take, of one shape if it is
    said."""

    def __init__(self, *made: Choices, shape: tuple[int, ...] | None = None) -> None:
        self.given: set[str] = set()
        self.taken: set[str] = set()
        for choices in made:
            assert choices.chosen is not None
            for told in choices.chosen.__defaults__ or ():  # of its arguments
                if not isinstance(told, Given) or told.of is None or not told.shape:
                    continue
                if shape in (None, told.shape):
                    if told.role != "input":
                        self.given.add(told.of)
                    if told.role != "output":
                        self.taken.add(told.of)


@cache
def _told(template: Template) -> _Told:
    return _Told(*(_chosen(template, number, f"{template.purpose}/{number}") for number in range(LOOKS)))


def _chosen(template: Template, number: int, text: str) -> Choices:
    choices = Choices(number, template.purpose, Rng(text))
    template.function(choices)
    return choices


def partner(
    template: Template, there: ir.Argument, quantity: str, launch: tuple[int, ...], text: str, *, first: bool
) -> Part | None:
    """A kernel of the template that goes with the argument `there` of another one, as `text` decides: that
    gives the quantity where it is to be `first`, or takes it. None if none of a few choices makes one."""
    made = 0
    for attempt in range(TRIES):
        seed = f"{text}/{template.purpose}/{attempt}"
        number = Rng(f"{seed}/number").below(10**6)
        choices = _chosen(template, number, seed)
        if choices.launch != launch:
            continue
        told = _Told(choices, shape=there.shape)
        if not (
            any(fits(q, quantity) for q in told.given)
            if first
            else any(fits(quantity, q) for q in told.taken)
        ):
            continue
        rng = Rng(seed)
        part = part_of(template, Choices(number, template.purpose, rng), rng)
        if any(a.type == there.type and a.shape == there.shape for a in ends(part, quantity, first=first)):
            return part
        made += 1
        if made == MADE:
            break
    return None


def ends(part: Part, quantity: str, *, first: bool) -> Iterator[ir.Argument]:
    """The arguments in which a kernel gives a quantity, if it is first, or else takes it."""
    for argument in part.program.arguments:
        own = part.quantities.get(argument.name)
        if own is None or argument.role == ("input" if first else "output"):
            continue
        if fits(own, quantity) if first else fits(quantity, own):
            yield argument
