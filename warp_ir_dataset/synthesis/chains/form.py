"""The steps of chains (forms): each computes one value from another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...language import ir
from ...language.analysis.intervals import Illegal
from ...language.domains import Interval, Trait
from ...language.types import INT, Type
from ...language.walks import walk
from .draft import Draft
from .ranges import rounded

ZERO = ir.Literal(0, INT)
SIGNED, POSITIVE = Interval(-2.0, 2.0), Interval(0.2, 3.0)  # what inputs lie in


@dataclass(frozen=True)
class Use:
    """A form as a subject uses it: names of its operands, each as its choices with spaces between, in the
    order in which the form takes them, what values of the quantity at hand lie in, its name, the trait of
    matrices that it is taken from, and whether the result is of the same quantity."""

    names: tuple[str, ...]
    span: Interval
    quantity: str
    trait: Trait | None = None
    keeps: bool = True

    @property
    def is_positive(self) -> bool:
        return self.span.lo >= 0


@dataclass(frozen=True)
class Made:
    """A value, and what was done: in a kernel's name, and in words."""

    value: ir.Expr
    verb: str
    told: str


# Emits statements, and makes a value of the one that it is given. Raises `Illegal` where that cannot be.
Form = Callable[[Draft, ir.Name, Use], Made]


def free(s: Draft, choices: str) -> str:
    """The first of some names that the kernel has no other use for, or else one with a number."""
    options = choices.split()
    numbered = (f"{options[0]}_{n}" for n in range(2, 99))
    return s.claim(next(name for name in (*options, *numbered) if name not in s.taken))


def untaken(s: Draft, choices: str) -> list[str]:
    """Those of some names that the kernel has no other use for."""
    return [name for name in choices.split() if name not in s.taken]


def any_of(s: Draft, choices: str) -> str:
    """One of some names that the kernel has no other use for."""
    return free(s, " ".join(s.rng.shuffled(choices.split())))


def here(quantity: str) -> str:
    """What a local is called that holds one value of a quantity, whose arrays may have the plain name."""
    return f"{quantity} this_{quantity}"


def local(s: Draft, value: ir.Expr, choices: str) -> ir.Name:
    """A value as a name: itself, or a local."""
    return value if isinstance(value, ir.Name) else s.bind(value, free(s, choices))


def variable(s: Draft, x: ir.Name, span: Interval) -> ir.Name:
    """The name of a value as a variable that may hold other values too, within `span`."""
    s.body[:] = [
        ir.Variable(x, each.value) if isinstance(each, ir.Let) and each.target == x else each
        for each in s.body
    ]
    return s.named(x.name, x.type, s.span(x).join(span))


def array(s: Draft, type: Type, choices: str, *, span: Interval, **more: Any) -> ir.Argument:
    """A new array under one of these names (see `Draft.array`). Raises `Illegal` where all are taken."""
    left = untaken(s, choices)
    if not left:
        raise Illegal(f"other arrays are called {choices}")
    return s.array(type, s.rng.pick(left), span, **more)


def other(s: Draft, type: Type, choices: str, *, span: Interval) -> tuple[ir.Expr, str]:
    """The thread's own element of another array, and the array's name."""
    made = array(s, type, choices, span=span)
    return s.read(made), made.name


def factor(s: Draft, low: float, high: float, choices: str) -> ir.Expr:
    """A number of the kernel's float: an argument under one of these names, or a literal."""
    left = untaken(s, choices)
    if left and s.rng.chance(s.ways.arguments):
        return s.value(s.float, Interval(low, high), s.rng.pick(left))
    value = rounded(low + (high - low) * s.rng.integer(1, 19) / 20)
    return ir.Literal(value if value not in (0.0, 1.0) else rounded(0.75 * high), s.float)


def trips(s: Draft, low: int, high: int, choices: str = "") -> tuple[ir.Expr, int]:
    """How often a loop runs, and its most: an argument under one of these names, or a literal."""
    most = s.rng.integer(low, high)
    left = untaken(s, choices)
    if left and s.rng.chance(0.4):
        return s.value(INT, Interval(max(most - 2, 1), most), left[0]), most
    return ir.Literal(most, INT), most


def part(small: ir.Expr, x: ir.Expr) -> str:
    """How much of a value is taken if it was made smaller first (see `tame`), in words."""
    shares = [node.value for node in walk(small) if isinstance(node, ir.Literal)] if small is not x else []
    return f"{shares[-1]:g} of it" if shares else "it"


def said(value: ir.Expr) -> str:
    """A factor in words."""
    return (
        f"`{value.name}`"
        if isinstance(value, ir.Name)
        else f"{value.value:g}"
        if isinstance(value, ir.Literal)
        else "it"
    )
