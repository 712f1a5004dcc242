"""How difficulties 1 to 5 are mixed: in a build, and in the endless stream of draws of a family."""

from __future__ import annotations

from collections.abc import Iterator

# Parts of difficulties 1 to 5.
MIX = {1: 1, 2: 3, 3: 6, 4: 6, 5: 4}


def dealt(parts: dict[int, int]) -> Iterator[int]:
    """The keys of `parts`, endlessly, as evenly spread as their parts allow: after any number of items
    each key has had its share within one."""
    credit = dict.fromkeys(parts, 0)
    total = sum(parts.values())
    while True:
        for key, part in parts.items():
            credit[key] += part
        richest = max(credit, key=lambda key: credit[key])  # the first one, where several are
        credit[richest] -= total
        yield richest


# The difficulty of a draw is part of its address, so this order never changes. (It is what `dealt` gives.)
LEVELS = (3, 4, 5, 2, 3, 4, 5, 1, 3, 4, 2, 3, 4, 5, 3, 4, 2, 5, 3, 4)


def difficulty_of(draw: int) -> int:
    """The difficulty, 1 to 5, of draw number `draw` of any family."""
    return LEVELS[draw % len(LEVELS)]
