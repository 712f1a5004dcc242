"""The address of a kernel: seed, purpose or kind, and number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Address:
    """The same address and versions give the same bytes on every machine.

    Without a `purpose` it is that of a random program, or of a kernel that people wrote; its category tells
    its family then. With one the category only says where the purpose is found. `draw` is the number of the
    kernel, under the name of its column.
    """

    seed: int
    category: str
    draw: int
    purpose: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Address:
        """The address of a row that was sampled."""
        return cls(row["seed"], row["category"], row["draw"], row["purpose"])

    def __str__(self) -> str:
        return f"{self.seed}/{self.purpose or self.category}/{self.draw}"
