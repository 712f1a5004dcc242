"""The list of all subjects of chains."""

from __future__ import annotations

from . import matter, nature, signals, spaces, tensors

SUBJECTS = (
    *nature.SUBJECTS,
    *signals.SUBJECTS,
    *matter.SUBJECTS,
    *spaces.SUBJECTS,
    *tensors.SUBJECTS,
)
