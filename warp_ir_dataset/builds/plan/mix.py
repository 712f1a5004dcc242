"""The number of rows that each family gives to each split and difficulty.

Families are equal within one over the whole build. In each split a family has rows in proportion to what it
has for it: a random family a tenth of its kernels for test, a family of purposes those that are in test.
Purposes have the difficulties that their templates declare; random programs make up the mix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import cycle, islice
from math import floor

from ...common.configs import CONFIGS, SPLITS
from ...common.errors import UserError
from ...synthesis.difficulty import MIX, interleaved
from ..request import Request
from .families import PurposeFamily, RandomFamily
from .sizes import split_sizes

Quotas = dict[str, dict[str, int]]  # by split and family

FAMILIES_SHOWN = 5  # in a message


def quotas(request: Request, families: Mapping[str, PurposeFamily | RandomFamily]) -> Quotas:
    """Rows by split and family. Raises `UserError` if no family has kernels for a split."""
    names = tuple(families)
    if not names:
        kernels = "differentiable kernels" if CONFIGS[request.config].adjoint else "kernels"
        levels = "{} to {}".format(*request.difficulty)
        shown = ", ".join(request.categories[:FAMILIES_SHOWN])
        if others := request.categories[FAMILIES_SHOWN:]:
            shown += f" and {len(others)} other families"
        raise UserError(f"no {kernels} of difficulty {levels} in {shown}: ask for others")
    totals = Counter(names[k % len(names)] for k in range(request.num_kernels))
    left = {name: totals[name] for name in names}
    due = dict.fromkeys(names, Fraction(0))  # of the splits so far, beside what was given
    found: Quotas = {}
    for split in reversed(SPLITS[1:]):
        weights = {name: totals[name] * families[name].share(split) for name in names}
        if not any(weights.values()):
            raise UserError(
                f"none of the purposes of {', '.join(names)} is in {split}: ask for more categories"
            )
        due = {name: due[name] + weight for name, weight in weights.items()}
        fair = {name: max(due[name], Fraction(0)) if weight else weight for name, weight in weights.items()}
        size = split_sizes(request)[split]
        found[split] = apportioned(size, fair if any(fair.values()) else weights, left)
        left = {name: left[name] - found[split][name] for name in names}
        due = {name: due[name] - found[split][name] for name in names}
    found[SPLITS[0]] = left
    return {split: found[split] for split in SPLITS}


def apportioned(size: int, weights: Mapping[str, Fraction], most: Mapping[str, int]) -> dict[str, int]:
    """`size` in proportion to `weights`, by largest remainder, none above `most`; what is left goes to those
    that have a weight, in turn."""
    whole = sum(weights.values())
    exact = {name: size * weight / whole for name, weight in weights.items()}
    given = {name: min(floor(share), most[name]) for name, share in exact.items()}
    order = sorted(weights, key=lambda name: floor(exact[name]) - exact[name])
    while (missing := size - sum(given.values())) > 0:
        open_ones = [name for name in order if weights[name] and given[name] < most[name]]
        if not open_ones:
            raise UserError(
                f"{size} kernels are too few for a split of {len(weights)} families: ask for more kernels"
            )
        for name in open_ones[:missing]:
            given[name] += 1
    return given


def levels(
    request: Request,
    rows: Quotas,
    purposes: Mapping[str, PurposeFamily],
    random: Mapping[str, RandomFamily],
    lacking: Mapping[str, int],
) -> dict[tuple[str, str], Counter[int]]:
    """Rows of each difficulty that random families are to give, by split and family: what the mix still lacks
    beside the purposes. What purposes could not give (`lacking`) is theirs too.

    Difficulties run on from family to family, so that small cells do not all round the same way.
    """
    if any(lacking.values()) and not random:
        names = ", ".join(purposes)
        raise UserError(
            f"{names} have too few distinct kernels for num_kernels {request.num_kernels}: "
            "ask for fewer, or for more categories"
        )
    mix: dict[tuple[str, str], Counter[int]] = {}
    turns = cycle(random)  # over all splits, so that no family has more of what is lacking than another
    for split, size in split_sizes(request).items():
        own = {name: rows[split][name] for name in random}
        for name in islice(turns, lacking[split]):
            own[name] += 1
        parts = _parts(request, size, purposes, split)
        stream = interleaved(parts)
        for name, count in own.items():
            mix[split, name] = Counter(islice(stream, count)) if count else Counter()
    return mix


def _parts(request: Request, size: int, purposes: Mapping[str, PurposeFamily], split: str) -> dict[int, int]:
    """Parts of difficulties that are left for random programs of a split; all parts without purposes."""
    low, high = request.difficulty
    parts = {level: part for level, part in MIX.items() if low <= level <= high}
    there: Counter[int] = sum((family.levels(split) for family in purposes.values()), Counter())
    whole = sum(parts.values())
    left = {level: max(0, part * size - there[level] * whole) for level, part in parts.items()}
    return left if there and any(left.values()) else parts
