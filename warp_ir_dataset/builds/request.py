"""A request: all parameters that decide the rows of one config, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from ..common.configs import CONFIGS, DEFAULT_CONFIG
from ..common.errors import UserError
from ..common.given import one_of, shown, whole
from ..synthesis.categories import CATEGORIES

DEFAULT_KERNELS = 1200
DEFAULT_SEED = 0
DEFAULT_ARCH = "sm_80"
DEFAULT_CATEGORIES = CATEGORIES  # all families
MIN_KERNELS = 10  # eight, one and one
MAX_KERNELS = 10_000_000
MAX_SEED = 2**63 - 1
DIFFICULTIES = (1, 5)
ARCH = re.compile(r"sm_[0-9]{2,3}")


@dataclass(frozen=True)
class Request:
    """One config of one build: all that decides its rows. Of `handwritten` they depend on `arch` alone.

    It raises `UserError` for anything that cannot be built.

    Attributes:
        config: Name of the config: one of `CONFIGS`.
        num_kernels: Rows of all splits together, from 10 to 10,000,000.
        seed: Each seed gives other kernels; a whole number from 0.
        arch: GPU architecture of the PTX, such as ``"sm_80"``.
        categories: Families of kernels; all by default. Their order and repetition do not count.
        difficulty: An inclusive span of levels from 1 to 5, or one level.
    """

    config: str = DEFAULT_CONFIG
    num_kernels: int = DEFAULT_KERNELS
    seed: int = DEFAULT_SEED
    arch: str = DEFAULT_ARCH
    categories: tuple[str, ...] = DEFAULT_CATEGORIES
    difficulty: tuple[int, int] = DIFFICULTIES

    def __post_init__(self) -> None:
        one_of("config", self.config, CONFIGS)
        if not isinstance(self.categories, (tuple, list)) or not self.categories:
            raise UserError(f"categories must be a non-empty list out of {', '.join(CATEGORIES)}")
        for category in self.categories:
            one_of("category", category, CATEGORIES)
        # Order and repetition of categories do not change what is asked for.
        object.__setattr__(self, "categories", tuple(c for c in CATEGORIES if c in self.categories))
        object.__setattr__(self, "seed", whole("seed", self.seed, 0, MAX_SEED))
        rows = whole("num_kernels", self.num_kernels, MIN_KERNELS, MAX_KERNELS)
        object.__setattr__(self, "num_kernels", rows)
        object.__setattr__(self, "difficulty", _span(self.difficulty))
        if not isinstance(self.arch, str) or not ARCH.fullmatch(self.arch):
            raise UserError(f"arch must look like 'sm_80', not {self.arch!r}")


def _span(difficulty: object) -> tuple[int, int]:
    """The levels that are asked for; one level may stand alone."""
    if isinstance(difficulty, int) and not isinstance(difficulty, bool):
        difficulty = (difficulty, difficulty)
    if is_span(difficulty):
        return difficulty[0], difficulty[1]
    low, high = DIFFICULTIES
    match difficulty:
        case [int(first), int(last)] if not isinstance(first, bool) and not isinstance(last, bool):
            told = f"{first}-{last}" if first != last else f"{first}"
            if first > last:
                raise UserError(f"difficulty {told}: the lower level comes first")
            raise UserError(f"difficulty {told}: levels are from {low} to {high}")
    raise UserError(f"difficulty must be a level, or two such as (2, 4), not {shown(difficulty)}")


def is_span(span: object) -> TypeGuard[Sequence[int]]:
    """Whether a value is a span of difficulties: two whole numbers, the lower first."""
    low, high = DIFFICULTIES
    return (
        isinstance(span, (tuple, list))
        and len(span) == 2
        and all(isinstance(level, int) and not isinstance(level, bool) for level in span)
        and low <= span[0] <= span[1] <= high
    )
