"""The address of a kernel: seed, family and number of the draw."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Address:
    """The same address and versions give the same bytes on every machine."""

    seed: int
    category: str
    draw: int

    def __str__(self) -> str:
        return f"{self.seed}/{self.category}/{self.draw}"
