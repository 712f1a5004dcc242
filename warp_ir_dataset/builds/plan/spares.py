"""The number of spares of a shard: kernels that replace those that fail their proof.

A shard is filled by itself, so that anybody may stream it, or fill it on another machine, and get the same
bytes: no shard waits for what others leave over. Its families help each other out instead: few candidates
fail, so a spare of every family would mostly be examined in vain. Only a row that stands for its purpose
alone has a spare of its own, as far as there is one (`choose`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import comb

from ...common.configs import CONFIGS
from ..request import Request

# The share of candidates that fail their proof, with gradients (True) and without. In default builds it was
# 1.1 and 0.8 %; these are higher, since purposes differ and a shard has only some.
FAILING = {True: 0.03, False: 0.01}

RISK = 1e-9  # the probability that a shard has too few candidates, and cannot be filled


def spare_counts(request: Request, quotas: Mapping[str, int], index: int) -> dict[str, int]:
    """Spares of each family in shard `index` of a split, which is to hold so many rows of it.

    Families take turns, and those of one shard go on where the shard before it ended.
    """
    total = fewest(sum(quotas.values()), FAILING[CONFIGS[request.config].adjoint], RISK)
    each, others = divmod(total, len(quotas)) if quotas else (0, 0)
    turns = [(place - index * others) % len(quotas) for place in range(len(quotas))]
    return {name: each + (turn < others) for name, turn in zip(quotas, turns, strict=True)}


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
