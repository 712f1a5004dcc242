"""Guesses a launch for a kernel without one: sizes, roles and domains that are common in people's kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...language import ir
from ...language.domains import Interval, intersection
from ...language.types import BOOL, SCALARS, Array, Scalar, Struct, Type, Value

FLOATS = Interval(0.1, 1.0)  # mostly: masses, lengths and steps are positive


@dataclass(frozen=True)
class Sizes:
    """Elements along each side of an array, by its number of dimensions; threads along each side of a launch;
    the whole numbers and the floats that are drawn."""

    sides: Mapping[int, int]
    threads: int
    whole: Interval
    floats: Interval = FLOATS


# Tried in this order; small ones first, because examples hold every element. Indices that come from inputs
# must lie in the arrays, so whole numbers are small.
TRIES = (
    Sizes({1: 16, 2: 8, 3: 6, 4: 5}, 4, Interval(0, 3)),
    Sizes({1: 64, 2: 16, 3: 10, 4: 6}, 8, Interval(0, 7)),
    Sizes({1: 64, 2: 16, 3: 10, 4: 6}, 8, Interval(1, 3)),
    Sizes({1: 600, 2: 24, 3: 12, 4: 8}, 4, Interval(1, 4)),
    Sizes({1: 16, 2: 8, 3: 6, 4: 5}, 4, Interval(0, 3), Interval(-1.0, 1.0)),
)


class NoInputs(ValueError):
    """The message says which argument nothing can be made for."""


def signatures(
    name: str, parameters: Sequence[tuple[str, Type]], roles: Mapping[str, ir.Role], threads: int, alone: bool
) -> Iterator[ir.Signature]:
    """Launches to try; `threads` is how many thread indices the kernel asks for. With `alone` the last ones
    have one thread. Raises `NoInputs`."""
    for argument, kind in parameters:
        _require_known(argument, kind)
    ways = [(False, False), (True, False), *([(False, True)] if alone else [])]
    for distinct, single in ways:
        for sizes in TRIES:
            made = (_argument(argument, kind, roles[argument], sizes) for argument, kind in parameters)
            arguments = tuple(_distinct(argument) if distinct else argument for argument in made)
            yield ir.Signature(name, arguments, (1 if single else sizes.threads,) * threads)


def _argument(name: str, kind: Type, role: ir.Role, sizes: Sizes) -> ir.Argument:
    element, ndim = (kind.element, kind.ndim) if isinstance(kind, Array) else (kind, 0)
    offsets = ndim == 1 and not isinstance(element, Struct) and element.is_integer and "offset" in name
    return ir.Argument(
        name,
        element,
        role,
        (sizes.sides[ndim],) * ndim if ndim else (),
        _domain(element, sizes),
        tuple(_member_shapes(element, "", sizes)),
        "offsets" if offsets else None,
    )


def _distinct(argument: ir.Argument) -> ir.Argument:
    """An argument that may hold indices, with none twice: threads that write where it says do not meet."""
    whole = isinstance(argument.type, Value) and argument.type.is_integer
    if argument.ndim != 1 or not whole or argument.trait or argument.role == "output":
        return argument
    limits = SCALARS[argument.type.scalar].limits
    domain = intersection(Interval(0, argument.shape[0] - 1), limits)
    return replace(argument, domain=domain, trait="permutation")


def _domain(kind: Type, sizes: Sizes) -> Interval:
    """Of a struct one that serves its floats and its whole numbers: these are rounded inwards."""
    if isinstance(kind, Struct):
        return Interval(sizes.floats.lo, max(sizes.whole.hi, sizes.floats.hi))
    if kind == BOOL:
        return Interval(0, 1)
    assert isinstance(kind, Value)
    return sizes.floats if kind.is_float else intersection(sizes.whole, SCALARS[kind.scalar].limits)


def _member_shapes(kind: Type, prefix: str, sizes: Sizes) -> Iterator[tuple[str, tuple[int, ...]]]:
    for member, inner in kind.members if isinstance(kind, Struct) else ():
        if isinstance(inner, Array):
            yield f"{prefix}{member}", (sizes.sides[inner.ndim],) * inner.ndim
            inner = inner.element
        yield from _member_shapes(inner, f"{prefix}{member}.", sizes)


def _require_known(argument: str, kind: Type) -> None:
    match kind:
        case Array(element):
            _require_known(argument, element)
        case Struct(_, members):
            for member, inner in members:
                _require_known(f"{argument}.{member}", inner)
        case Scalar(scalar) if scalar not in SCALARS:
            raise NoInputs(f"no input is made for {argument}, of type {scalar}")
        case _:
            return
