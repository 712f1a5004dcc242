"""All subjects that chains are about."""

from __future__ import annotations

from . import matter, nature, signals, spaces

SUBJECTS = (*nature.SUBJECTS, *signals.SUBJECTS, *matter.SUBJECTS, *spaces.SUBJECTS)
