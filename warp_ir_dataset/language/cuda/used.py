"""Records the types and helpers that a text uses while it is written."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..types import Matrix, Quaternion, Transform, Vector


@dataclass
class Used:
    """The parts of the prelude that a text uses.

    `pieces` are keys of the prelude, `names` the functions and types that the text uses besides its own,
    `types` those with a short name, `sizes` the dimensions of the kernel's arrays whose size it reads."""

    pieces: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    types: set[Vector | Matrix | Quaternion | Transform] = field(default_factory=set)
    sizes: set[tuple[str, int]] = field(default_factory=set)
