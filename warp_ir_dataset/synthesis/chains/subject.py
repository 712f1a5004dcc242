"""Subjects of chains: the quantities of a subject, and the steps that lead from one to another.

A step defines how a value is computed, a subject which steps make sense: a temperature minus its normal is an
anomaly, an anomaly over its deviation is a score, and nobody takes the exponential of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...language.domains import Interval, Trait
from .starts import Start
from .step import POSITIVE, SIGNED, Step


@dataclass(frozen=True)
class Transition:
    """A step that leads to another quantity, or keeps the same if `quantity` is None, and names for its
    operands (see `Use`)."""

    step: Step
    quantity: str | None
    names: tuple[str, ...]


@dataclass(frozen=True)
class Beginning:
    """A start that reads the first quantity, and names for its operands: first those of the array it
    reads."""

    start: Start
    quantity: str
    names: tuple[str, ...]
    trait: Trait | None = None  # of the matrices that it reads


@dataclass(frozen=True)
class Quantity:
    """A quantity: names for arrays of it, the interval of its inputs, and the transitions from it."""

    arrays: str
    span: Interval
    transitions: tuple[Transition, ...]


@dataclass(frozen=True)
class Subject:
    """A field of work, with its words.

    `element` are words for the item of one thread, in launches of one and of two dimensions. `groups` are
    names of arrays with the group of each thread, each with a name for one group. The key of a quantity is
    the name of one value of it.
    """

    element: tuple[str, str]
    groups: tuple[tuple[str, str], ...]
    beginnings: tuple[Beginning, ...]
    quantities: Mapping[str, Quantity]
    sizes: tuple[int, ...] = (2, 3)  # of vectors and matrices


def begins(quantity: str, start: Start, *names: str, trait: Trait | None = None) -> Beginning:
    return Beginning(start, quantity, names, trait)


def gives(quantity: str, step: Step, *names: str) -> Transition:
    return Transition(step, quantity, names)


def keeps(step: Step, *names: str) -> Transition:
    return Transition(step, None, names)


def signed(arrays: str, *steps: Transition) -> Quantity:
    """A quantity that may be negative."""
    return Quantity(arrays, SIGNED, steps)


def positive(arrays: str, *steps: Transition) -> Quantity:
    """A quantity that is never negative."""
    return Quantity(arrays, POSITIVE, steps)
