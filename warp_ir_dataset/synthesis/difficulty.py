"""The difficulty of each number of a family of random programs, and the shares of difficulties in a build."""

from __future__ import annotations

from collections.abc import Iterator

# Weights of difficulties 1 to 5.
MIX = {1: 1, 2: 3, 3: 6, 4: 6, 5: 4}


def interleaved(weights: dict[int, int]) -> Iterator[int]:
    """The keys of `weights`, endlessly, spread evenly: after any number of items, the count of each key is
    near its share, for `MIX` within one."""
    credit = dict.fromkeys(weights, 0)
    total = sum(weights.values())
    while True:
        for key, weight in weights.items():
            credit[key] += weight
        richest = max(credit, key=lambda key: credit[key])  # the first of equals
        credit[richest] -= total
        yield richest


# The difficulty of a number is part of an address, so this order never changes. `interleaved(MIX)` gives it.
LEVELS = (3, 4, 5, 2, 3, 4, 5, 1, 3, 4, 2, 3, 4, 5, 3, 4, 2, 5, 3, 4)


def difficulty_of(number: int) -> int:
    """The difficulty, 1 to 5, of kernel `number` of any family of random programs."""
    return LEVELS[number % len(LEVELS)]
