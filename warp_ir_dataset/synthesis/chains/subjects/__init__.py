"""All subjects that chains are about."""

from __future__ import annotations

from . import matter, nature, signals, spaces, tensors

SUBJECTS = (
    *nature.SUBJECTS,
    *signals.SUBJECTS,
    *matter.SUBJECTS,
    *spaces.SUBJECTS,
    *tensors.SUBJECTS,
)
