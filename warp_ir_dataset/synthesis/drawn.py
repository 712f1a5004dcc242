"""What comes of a draw."""

from __future__ import annotations

from dataclasses import dataclass

from ..language.program import Program


@dataclass(frozen=True)
class Drawn:
    """A program, and what its drafter says of it. `description` is one plain sentence."""

    program: Program
    category: str
    difficulty: int
    description: str
