"""The type of a chain's steps, each of which computes one value from another, and functions that they
share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...language import ir
from ...language.analysis.intervals import Illegal
from ...language.domains import Interval, Trait
from ...language.types import INT, Type
from ...language.walks import walk
from .builder import Builder
from .ranges import rounded

ZERO = ir.Literal(0, INT)
SIGNED, POSITIVE = Interval(-2.0, 2.0), Interval(0.2, 3.0)  # intervals of inputs


@dataclass(frozen=True)
class Use:
    """The use of a step (or a start) in a subject.

    `names` has, for each operand of the step, the names to choose from, with spaces between. `span` and
    `quantity` are the interval and the name of the quantity it is applied to, `trait` that of the matrices it
    reads. `keeps` is true if its result is of the same quantity.
    """

    names: tuple[str, ...]
    span: Interval
    quantity: str
    trait: Trait | None = None
    keeps: bool = True

    @property
    def is_positive(self) -> bool:
        return self.span.lo >= 0


@dataclass(frozen=True)
class StepResult:
    """The value that a step computed, a verb for the kernel's name, and a clause of its description."""

    value: ir.Expr
    verb: str
    clause: str


# A step emits statements and computes a value from its second argument. Raises `Illegal` if it cannot.
Step = Callable[[Builder, ir.Name, Use], StepResult]


def free_name(b: Builder, choices: str) -> str:
    """Reserve the first of some names that is free, or one with a number if none is."""
    options = choices.split()
    numbered = (f"{options[0]}_{n}" for n in range(2, 99))
    return b.claim(next(name for name in (*options, *numbered) if name not in b.taken))


def free_names(b: Builder, choices: str) -> list[str]:
    """Those of some names that are free."""
    return [name for name in choices.split() if name not in b.taken]


def any_free_name(b: Builder, choices: str) -> str:
    """Reserve a free one of some names, by chance, or one with a number if none is free."""
    return free_name(b, " ".join(b.rng.shuffled(choices.split())))


def local_names(quantity: str) -> str:
    """Names for a local that holds one value of a quantity; an array may have the plain one."""
    return f"{quantity} this_{quantity}"


def as_local(b: Builder, value: ir.Expr, choices: str) -> ir.Name:
    """The value itself if it is a name, otherwise a local that holds it."""
    return value if isinstance(value, ir.Name) else b.bind(value, free_name(b, choices))


def as_variable(b: Builder, x: ir.Name, span: Interval) -> ir.Name:
    """Make a local a variable, which may also take values in `span`."""
    b.body[:] = [
        ir.Variable(x, each.value) if isinstance(each, ir.Let) and each.target == x else each
        for each in b.body
    ]
    return b.named(x.name, x.type, b.span(x).join(span))


def new_array(b: Builder, type: Type, choices: str, *, span: Interval, **more: Any) -> ir.Argument:
    """A new array with one of these names (see `Builder.array`). Raises `Illegal` if none is free."""
    left = free_names(b, choices)
    if not left:
        raise Illegal(f"other arrays are called {choices}")
    return b.array_argument(type, b.rng.pick(left), span, **more)


def other_element(b: Builder, type: Type, choices: str, *, span: Interval) -> tuple[ir.Expr, str]:
    """The thread's own element of another array, and the array's name."""
    made = new_array(b, type, choices, span=span)
    return b.read(made), made.name


def new_factor(b: Builder, low: float, high: float, choices: str) -> ir.Expr:
    """A number of the kernel's float type: an argument with one of these names, or a literal."""
    left = free_names(b, choices)
    if left and b.rng.chance(b.priors.arguments):
        return b.scalar_argument(b.float, Interval(low, high), b.rng.pick(left))
    value = rounded(low + (high - low) * b.rng.integer(1, 19) / 20)
    return ir.Literal(value if value not in (0.0, 1.0) else rounded(0.75 * high), b.float)


def trip_count(b: Builder, low: int, high: int, choices: str = "") -> tuple[ir.Expr, int]:
    """A loop's number of iterations, and its maximum: an argument with one of these names, or a literal."""
    most = b.rng.integer(low, high)
    left = free_names(b, choices)
    if left and b.rng.chance(0.4):
        return b.scalar_argument(INT, Interval(max(most - 2, 1), most), left[0]), most
    return ir.Literal(most, INT), most


def rescaled_phrase(small: ir.Expr, x: ir.Expr) -> str:
    """Words for a value after `rescale`: "0.2 of it" if it was made smaller, otherwise "it"."""
    shares = [node.value for node in walk(small) if isinstance(node, ir.Literal)] if small is not x else []
    return f"{shares[-1]:g} of it" if shares else "it"


def phrase(value: ir.Expr) -> str:
    """Words for a factor: its name or number."""
    return (
        f"`{value.name}`"
        if isinstance(value, ir.Name)
        else f"{value.value:g}"
        if isinstance(value, ir.Literal)
        else "it"
    )
