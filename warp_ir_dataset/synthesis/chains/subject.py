"""Subjects of chains: the quantities of a subject, and the steps that lead from one to another.

A form says how a value is made of another; only a subject says why. A temperature less its normal is an
anomaly, an anomaly by its deviation is a score, and nobody takes the exponential of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...language.domains import Interval, Trait
from .form import POSITIVE, SIGNED, Form
from .starts import Start


@dataclass(frozen=True)
class Step:
    """A form that leads to another quantity, or keeps the quantity where it names none, and what its
    operands are called (see `Use`)."""

    form: Form
    quantity: str | None
    names: tuple[str, ...]


@dataclass(frozen=True)
class Beginning:
    """What gives the first quantity, and what its operands are called, first the array taken from."""

    start: Start
    quantity: str
    names: tuple[str, ...]
    trait: Trait | None = None  # of the matrices that it takes


@dataclass(frozen=True)
class Quantity:
    """What arrays of it are called, what inputs of it lie in, and what may be done with it."""

    arrays: str
    span: Interval
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Subject:
    """`element` is what one thread works on, along a line and in the plane; `groups` are arrays of what
    threads are counted to, each with what one of these is called. A quantity's key is what one value of it
    is called."""

    element: tuple[str, str]
    groups: tuple[tuple[str, str], ...]
    beginnings: tuple[Beginning, ...]
    quantities: Mapping[str, Quantity]
    sizes: tuple[int, ...] = (2, 3)  # of vectors and matrices


def begins(quantity: str, start: Start, *names: str, trait: Trait | None = None) -> Beginning:
    return Beginning(start, quantity, names, trait)


def gives(quantity: str, form: Form, *names: str) -> Step:
    return Step(form, quantity, names)


def keeps(form: Form, *names: str) -> Step:
    return Step(form, None, names)


def signed(arrays: str, *steps: Step) -> Quantity:
    """A quantity that may be negative."""
    return Quantity(arrays, SIGNED, steps)


def positive(arrays: str, *steps: Step) -> Quantity:
    """A quantity that is never negative."""
    return Quantity(arrays, POSITIVE, steps)
