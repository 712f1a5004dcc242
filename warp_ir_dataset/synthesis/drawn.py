"""What comes of a draw."""

from __future__ import annotations

from dataclasses import dataclass

from ..language.identity import purpose_group
from ..language.program import Program


@dataclass(frozen=True)
class Drawn:
    """A program, and what its drafter says of it. `description` is one plain sentence; `purpose` names the
    page that it is from, None for a grown program; `parts` counts the pages in it."""

    program: Program
    category: str
    difficulty: int
    description: str
    purpose: str | None = None
    parts: int = 1

    @property
    def group(self) -> str | None:
        """What decides the split of all kernels of a purpose; None where the skeleton does."""
        return None if self.purpose is None else purpose_group(self.purpose)
