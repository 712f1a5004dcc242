"""Computes pass@k of a group of kernels, with an interval, from verdicts.

pass@k is the probability that one of k answers is right. From n answers of which c are right it is
estimated without bias by 1 - C(n-c, k) / C(n, k) (Chen et al. 2021, Evaluating Large Language Models Trained
on Code, section 2.1). The interval is the bootstrap's, by percentiles: where the mean would be for other
kernels of the same kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

RESAMPLES = 10_000
LEVEL = 0.95
NORMAL = 1.96  # standard deviations, between which that share of a normal distribution lies
_AT_ONCE = 1 << 22  # numbers in memory


@dataclass(frozen=True)
class Kernel:
    """A row of the split: how many answers it has, and how many of them are right. `twin_of` is the original
    of a twin, `difficulty` is None for what people wrote."""

    id: str
    category: str
    difficulty: int | None
    answers: int
    correct: int
    twin_of: str | None = None


@dataclass(frozen=True)
class Estimate:
    """A mean over kernels, and the ends of its interval; all from 0 to 1."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Figures:
    """What is known of a group of kernels; `passes` by k."""

    kernels: int
    passes: Mapping[int, Estimate]


def pass_at(k: int, answers: int, correct: int) -> float:
    """The estimate for one kernel; 0.0 where nothing was answered. There must be `k` answers, or none."""
    if not answers:
        return 0.0
    return 1.0 - comb(answers - correct, k) / comb(answers, k)


def figures(kernels: Sequence[Kernel], ks: Sequence[int]) -> Figures:
    """The figures of some kernels, at least one."""
    passes = {}
    for k in ks:
        values = np.array([pass_at(k, kernel.answers, kernel.correct) for kernel in kernels])
        passes[k] = Estimate(float(values.mean()), *interval(values))
    return Figures(len(kernels), passes)


def interval(values: np.ndarray) -> tuple[float, float]:
    """Between which two means the middle `LEVEL` of those lie that are had of kernels drawn with replacement.

    `values` is one number for each kernel, of shape (n,). The same values give the same interval always:
    numpy keeps the sequence of `RandomState` as it is.
    """
    draws = np.random.RandomState(0)
    rows = max(1, _AT_ONCE // len(values))
    means = [
        values[draws.randint(len(values), size=(min(rows, RESAMPLES - done), len(values)))].mean(axis=1)
        for done in range(0, RESAMPLES, rows)
    ]
    low, high = np.quantile(np.concatenate(means), ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)


def share_interval(count: int, of: int) -> tuple[float, float]:
    """The bounds between which the share that `count` of `of` is drawn from lies, with a confidence of
    `LEVEL`.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
    the American Statistical Association 22, 1927.
    """
    share, spread = count / of, NORMAL**2 / of
    middle = share + spread / 2
    half = (spread * (share * (1 - share) + spread / 4)) ** 0.5
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))
