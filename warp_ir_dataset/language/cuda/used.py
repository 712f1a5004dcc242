"""Records the types and helpers that a text uses while it is written."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..types import Matrix, Quaternion, Transform, Vector


@dataclass
class Used:
    """`pieces` are keys of the prelude, `names` all that the text calls or names beside its own, `types`
    those with a short name of their own, `sizes` the dimensions of the kernel's arrays that it asks for."""

    pieces: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    types: set[Vector | Matrix | Quaternion | Transform] = field(default_factory=set)
    sizes: set[tuple[str, int]] = field(default_factory=set)
