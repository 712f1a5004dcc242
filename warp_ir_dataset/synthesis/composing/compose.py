"""Composes kernels: joins a template's kernel with kernels that produce its inputs or consume its results.

All templates with a purpose in a composed kernel are of one split; steps fit every split. The kernel's
purpose is that of the template that was sampled.
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
from ..memo import PredicateMemo
from ..templates.part import Part, fits_level
from ..templates.template import Template
from .fuse import fuse, fused_level
from .links import Incompatible, links, own
from .partners import consumers, find_partner, producers
from .pipelines import precedes

SHARE = 0.9  # of kernels that are composed, if others fit
# A kernel of so many statements gets no further part; the number is chosen with this weight.
LENGTHS = ((26, 0.15), (44, 0.85))
MOST_STATEMENTS = 90
MOST_PARTS = 5
STRETCH = 0.5  # a value near a domain is at most this share of its width away
MOSTLY = 0.8  # the share of values that must lie in a domain, or near it
TRIES = 10
STEP = 0.5  # share of additions that prefer a step to a purpose
BEFORE = 0.5  # share of additions that come before the kernel


def compose(part: Part, text: str, memo: PredicateMemo) -> Part:
    """The kernel, with others before and after it that `text` decides; the kernel alone if none fits."""
    rng = Rng(f"{text}/composed")
    if not rng.chance(SHARE):
        return part
    enough = rng.weighted(LENGTHS)
    split = split_of(purpose_group(part.purposes[0]))
    for attempt in range(TRIES):
        if statement_count(part) >= enough or len(part.purposes) == MOST_PARTS:
            break
        before = rng.chance(BEFORE)
        part = _extended(part, split, f"{text}/{attempt}", rng, memo, before=before) or part
    return part


def statement_count(part: Part) -> int:
    """The number of statements of a kernel."""
    return sum(1 for _ in statements(part.program.body))


def _extended(
    part: Part, split: str, text: str, rng: Rng, memo: PredicateMemo, *, before: bool
) -> Part | None:
    """The kernel with another one before it (if `before`) or after it; None if none fits."""
    open_ends = [(a, q) for a, q in _open_arguments(part, before=before) if own(part.program, a.name)]
    if not open_ends:
        return None
    argument, quantity = rng.pick(open_ends)
    table = producers if before else consumers
    steps, purposes = (
        [template for template in table(kind)[quantity] if _is_in_order(template, part, before=before)]
        for kind in (None, split)
    )
    templates = (steps or purposes) if rng.chance(STEP) else (purposes or steps)
    if not templates:
        return None
    template = rendezvous(templates, attrgetter("purpose"), text)
    launch = part.program.launch_dim
    # The memo may know the answer, and then the other kernel is only needed if it fits.
    other = cache(partial(find_partner, template, argument, quantity, launch, text, before=before))
    if not memo.holds(lambda: _are_compatible(part, other(), text, before=before)):
        return None
    try:
        made = fuse(*_in_order(part, other(), before=before), rng, main=part)
    except Incompatible:
        return None
    return made if memo.holds(partial(_is_sound, made, text)) else None


def _in_order(part: Part, other: Part | None, *, before: bool) -> tuple[Part, Part]:
    assert other is not None
    return (other, part) if before else (part, other)


def _are_compatible(part: Part, other: Part | None, text: str, *, before: bool) -> bool:
    """Whether there is another kernel, and it fits this one. The cheapest test comes first."""
    if other is None:
        return False
    pair = _in_order(part, other, before=before)
    try:
        return _is_short_enough(fused_level(*pair), *pair) and values_suit(*pair, text)
    except Incompatible:
        return False


def _is_sound(made: Part, text: str) -> bool:
    """Whether a fused kernel is legal, short enough and not degenerate."""
    try:
        check(made.program, sampled=True)
    except Illegal:
        return False
    return _is_short_enough(made.level, made) and not is_degenerate(made.program, text)


def _is_in_order(template: Template, part: Part, *, before: bool) -> bool:
    """Whether a pipeline has the template at an earlier stage than the kernel (if `before`), or at a later
    one."""
    if before:
        return precedes(template.purpose, part.purposes[0])
    return precedes(part.purposes[-1], template.purpose)


def _is_short_enough(level: int, *parts: Part) -> bool:
    """Whether kernels are short enough, together, for a level."""
    operations = sum(generated_size(part.program) for part in parts)
    return sum(map(statement_count, parts)) <= MOST_STATEMENTS and fits_level(level, operations)


def values_suit(first: Part, then: Part, text: str) -> bool:
    """Whether the results of the first kernel are usual inputs of the second.

    They are finite, mostly in or near the domain of its argument, of one sign if that is, and unit vectors if
    the argument must be. Raises `Incompatible` if one kernel cannot follow the other.
    """
    found = links(first, then)
    try:
        results = rehearsed(first.program, text)
    except (np.linalg.LinAlgError, IndexError, NonTerminating):
        return False
    for link in found:
        if link.kind == "shared" or link.first.name not in results:
            continue
        values, domain = results[link.first.name].astype(float), link.then.domain
        margin = STRETCH * (domain.hi - domain.lo)
        is_near = (values >= domain.lo - margin) & (values <= domain.hi + margin)
        wrong_sign = (domain.lo >= 0 and values.min() < 0) or (domain.hi <= 0 and values.max() > 0)
        if not np.isfinite(values).all() or wrong_sign or is_near.mean() < MOSTLY:
            return False
        if link.then.trait is not None and not _has_trait(values, link.then):
            return False
    return True


def _has_trait(values: np.ndarray, argument: ir.Argument) -> bool:
    """Whether an argument's trait is that of unit vectors, and the values are some. No result promises other
    traits."""
    return argument.trait == "unit" and bool((abs(np.linalg.norm(values, axis=-1) - 1) < 1e-3).all())


def _open_arguments(part: Part, *, before: bool) -> Iterator[tuple[ir.Argument, str]]:
    """The arrays, with their quantities, that a kernel before this one can produce (if `before`), or that one
    after it can consume."""
    for argument in part.program.arguments:
        quantity = part.quantities.get(argument.name)
        if quantity is not None and argument.shape and argument.role != ("output" if before else "input"):
            yield argument, quantity
