"""Composes kernels of several steps: a page's kernel, with others that give its inputs or use its results.

What another purpose gives or takes is of the same split; the purpose of the whole is that of the page drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from operator import attrgetter

import numpy as np

from ...common.rng import Rng, rendezvous
from ...language import ir
from ...language.analysis.degenerate import is_degenerate, rehearsed
from ...language.analysis.interpreter import NonTerminating
from ...language.analysis.intervals import Illegal
from ...language.analysis.legality import check
from ...language.analysis.unrolling import generated_size
from ...language.identity import purpose_group, split_of
from ...language.walks import statements
from ..decisions import Decisions
from ..pages.page import Page
from ..pages.part import Part, fits_level
from .fuse import fused, raised
from .links import Unfit, links, own
from .partners import givers, partner, takers
from .pipelines import follows

SHARE = 0.9  # of kernels that are made of several, where others go with them
LENGTHS = ((26, 0.15), (44, 0.85))  # statements from which one is long enough, and how often
MOST_STATEMENTS = 90
MOST = 5  # kernels in one
STRETCH, MOSTLY = 0.5, 0.8  # so much of a domain's width is near it; so many values must be in it or near it
TRIES = 10
STEP = 0.5  # of parts that are steps, where there are both
BEFORE = 0.5  # of parts that come before, where they can come after as well


def composed(part: Part, text: str, decided: Decisions) -> Part:
    """The kernel with others before and after it, as `text` decides; the kernel itself where none fits.
    `decided` holds what is known of the draw, or will."""
    rng = Rng(f"{text}/composed")
    if not rng.chance(SHARE):
        return part
    enough = rng.weighted(LENGTHS)
    split = split_of(purpose_group(part.purposes[0]))
    for attempt in range(TRIES):
        if length(part) >= enough or len(part.purposes) == MOST:
            break
        first = rng.chance(BEFORE)
        part = _longer(part, split, f"{text}/{attempt}", rng, decided, first=first) or part
    return part


def length(part: Part) -> int:
    """How many statements a kernel has."""
    return sum(1 for _ in statements(part.program.body))


def _longer(part: Part, split: str, text: str, rng: Rng, decided: Decisions, *, first: bool) -> Part | None:
    """The kernel with another one before it, if that is to be `first`, or after it, if one fits."""
    ends = [(a, q) for a, q in _ends(part, first=first) if own(part.program, a.name)]
    if not ends:
        return None
    there, quantity = rng.pick(ends)
    known = [(givers if first else takers)(kind)[quantity] for kind in (None, split)]
    fit = [[page for page in some if _goes_with(page, part, first=first)] for some in known]
    steps, others = fit
    prefers_steps = rng.chance(STEP)
    pages = (steps or others) if prefers_steps else (others or steps)
    if not pages:
        return None
    page = rendezvous(pages, attrgetter("purpose"), text)
    launch = part.program.launch_dim
    found = cache(partial(partner, page, there, quantity, launch, text, first=first))
    if not decided.holds(lambda: _match(part, found(), text, first=first)):
        return None
    try:
        made = fused(*_in_order(part, found(), first=first), rng, main=part)
    except Unfit:
        return None
    return made if decided.holds(partial(_shows, made, text)) else None


def _in_order(part: Part, other: Part | None, *, first: bool) -> tuple[Part, Part]:
    assert other is not None
    return (other, part) if first else (part, other)


def _match(part: Part, other: Part | None, text: str, *, first: bool) -> bool:
    """Whether there is another kernel, and it goes with this one. What costs least is asked first."""
    if other is None:
        return False
    pair = _in_order(part, other, first=first)
    try:
        return _short(raised(*pair), *pair) and suits(*pair, text)
    except Unfit:
        return False


def _shows(made: Part, text: str) -> bool:
    """Whether two kernels are one, legal and with something to show."""
    try:
        check(made.program, sampled=True)
    except Illegal:
        return False
    return _short(made.level, made) and not is_degenerate(made.program, text)


def _goes_with(page: Page, part: Part, *, first: bool) -> bool:
    if first:
        return follows(page.purpose, part.purposes[0])
    return follows(part.purposes[-1], page.purpose)


def _short(level: int, *parts: Part) -> bool:
    """Whether kernels are short enough, together, for a level."""
    operations = sum(generated_size(part.program) for part in parts)
    return sum(map(length, parts)) <= MOST_STATEMENTS and fits_level(level, operations)


def suits(first: Part, then: Part, text: str) -> bool:
    """Whether what the first kernel gives is what the second is made for: of the same sign, where that one
    takes numbers of one sign only, mostly not far outside its domain, and of its trait. Raises `Unfit` where
    one cannot follow the other."""
    found = links(first, then)
    try:
        given = rehearsed(first.program, text)
    except (np.linalg.LinAlgError, IndexError, NonTerminating):
        return False
    for link in found:
        if link.kind == "shared" or link.first.name not in given:
            continue
        values, domain = given[link.first.name].astype(float), link.then.domain
        room = STRETCH * (domain.hi - domain.lo)
        fine = (values >= domain.lo - room) & (values <= domain.hi + room)
        wrong_sign = (domain.lo >= 0 and values.min() < 0) or (domain.hi <= 0 and values.max() > 0)
        if not np.isfinite(values).all() or wrong_sign or fine.mean() < MOSTLY:
            return False
        if link.then.trait is not None and not _keeps(values, link.then):
            return False
    return True


def _keeps(values: np.ndarray, argument: ir.Argument) -> bool:
    """Whether vectors are unit vectors, where they must be; other traits nothing promises."""
    return argument.trait == "unit" and bool((abs(np.linalg.norm(values, axis=-1) - 1) < 1e-3).all())


def _ends(part: Part, *, first: bool) -> Iterator[tuple[ir.Argument, str]]:
    """The arrays in which a kernel can take something from a `first` one, or can give something."""
    for argument in part.program.arguments:
        quantity = part.quantities.get(argument.name)
        if quantity is not None and argument.shape and argument.role != ("output" if first else "input"):
            yield argument, quantity
