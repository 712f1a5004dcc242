"""Decides which family gets a kernel that several families could have: the first, in the request's order.

Families are planned side by side. If an earlier family claims a skeleton that a later one has already, the
later family loses it and is planned again. So the result does not depend on the order in which candidates are
looked at.
"""

from __future__ import annotations


class Claimant:
    """One pass over a family's candidates, the `turn`-th of all passes. A `void` one has lost all its
    claims."""

    __slots__ = ("lost", "refused", "turn", "void")

    def __init__(self, turn: int) -> None:
        self.turn = turn
        self.refused: list[str] = []  # skeletons that others had before
        self.lost = self.void = False


class Claims:
    """The skeletons of a build, each with the walk that has it."""

    def __init__(self) -> None:
        self._owners: dict[str, Claimant] = {}

    def is_taken(self, skeleton: str, by: Claimant) -> bool:
        """Whether a walk may not have a skeleton: it has it already, or a walk before it has."""
        owner = self._owners.get(skeleton)
        if owner is None or owner.void or owner.turn > by.turn:
            return False
        if owner is not by:
            by.refused.append(skeleton)
        return True

    def take(self, skeleton: str, by: Claimant) -> None:
        """Give a skeleton that is not taken to a walk; a later one loses it."""
        owner = self._owners.get(skeleton)
        if owner is not None and owner is not by:
            owner.lost = True
        self._owners[skeleton] = by

    def hold(self, walk: Claimant) -> bool:
        """Whether a walk would go as it went, by what the walks before it have now."""
        return not walk.lost and all(
            not owner.void and owner.turn < walk.turn for owner in map(self._owners.__getitem__, walk.refused)
        )

    def clear(self) -> None:
        self._owners.clear()
