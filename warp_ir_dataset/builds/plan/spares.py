"""The number of spares of a shard: kernels that replace those that fail their proof.

A shard is filled by itself, so that anybody may stream it, or fill it on another machine, and get the same
bytes: no shard waits for what others leave over. Its families help each other out instead. So each family has
spares for nearly all cases, and the shard as a whole for all that will ever be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from math import comb

from ...common.configs import CONFIGS
from ..request import Request

# The share of candidates that fail their proof, with gradients (True) and without. In default builds it was
# 1.1 and 0.4 %; these are higher, since purposes differ and a family's smallest split has only a few.
FAILING = {True: 0.015, False: 0.005}

FAMILY_RISK = 1e-4  # the probability that a family has too few candidates for its rows of a shard
SHARD_RISK = 1e-9  # the probability that a shard has too few candidates, and cannot be filled


def spare_counts(request: Request, quotas: Mapping[str, int]) -> Counter[str]:
    """Spares of each family in a shard that is to hold so many rows of it."""
    failing = FAILING[CONFIGS[request.config].adjoint]
    counts = Counter({name: fewest(quota, failing, FAMILY_RISK) for name, quota in quotas.items()})
    lacking = fewest(sum(quotas.values()), failing, SHARD_RISK) - counts.total()
    names = tuple(quotas)
    for turn in range(lacking):
        counts[names[turn % len(names)]] += 1
    return counts


@cache
def fewest(quota: int, failing: float, risk: float) -> int:
    """The fewest spares with which `quota` rows are there but for as small a risk, if each candidate fails by
    itself."""
    # How many fail before the last row is found has a negative binomial distribution. Its sum is made here:
    # Python's `sum` of floats rounds in another way from 3.12 on.
    spares, few = 0, 1.0
    while 1 - few * (1 - failing) ** quota >= risk:
        spares += 1
        few += comb(quota - 1 + spares, spares) * failing**spares
    return spares
