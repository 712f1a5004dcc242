"""Whose a kernel is, by its skeletons: families choose as if one by one, but are walked side by side.

What a family that comes first claims, a later one loses, whichever of the two met it before; and is walked
anew. So the order in which kernels become known changes nothing.
"""

from __future__ import annotations


class Claimant:
    """One walk of a family, the `turn`-th of all. One that is `void` has nothing any more."""

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
