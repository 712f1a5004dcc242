"""Converts a value of one type to another type: scalars to vectors, floats to integers, and so on."""

from __future__ import annotations

from ...language.program import Expr, Literal
from ...language.types import BOOL, FLOAT, INT, UNSIGNED_INTEGERS, Matrix, Scalar, Type, Vector, shaped
from .repair import compare_to_middle, number, tame
from .terms import Terms, literal, number_of


def adapt(s: Terms, x: Expr, wanted: Type) -> Expr:
    """The value as `wanted`: a length, a component, a conversion, a vector of copies..."""
    if x.type == wanted:
        return x
    if x.type == BOOL:
        low, high = (number_of(1.0, wanted.element), number_of(2.0, wanted.element))
        return adapt(s, s.apply("where", x, high, low), wanted)
    if wanted == BOOL:
        return compare_to_middle(s, adapt(s, x, x.type.element))
    if x.type.shape and (not wanted.shape or x.type.scalar != wanted.scalar):
        return adapt(s, to_scalar(s, x), wanted)
    if x.type.scalar != wanted.scalar:
        return adapt(s, _convert(s, x, wanted.scalar), wanted)
    return _reshape(s, x, wanted)


def to_scalar(s: Terms, x: Expr) -> Expr:
    """A vector or a matrix as one number of its scalar type."""
    if isinstance(x.type, Vector):
        ways = (
            ["length", "component", "component", "largest", "smallest", "length_sq"]
            if x.type.is_float
            else ["component"]
        )
        way = s.rng.pick(ways)
        if way == "component":
            return s.apply("component", x, Literal(s.rng.below(x.type.shape[0]), INT))
        return tame(s, s.apply(way, x))
    if x.type.shape[0] == x.type.shape[1]:
        # Entries beside the diagonal are zero in many matrices that kernels build.
        place = Literal(s.rng.below(x.type.shape[0]), INT)
        way = s.rng.pick(("trace", "determinant", "entry"))
        return s.apply("matrix_component", x, place, place) if way == "entry" else tame(s, s.apply(way, x))
    row, column = (Literal(s.rng.below(n), INT) for n in x.type.shape)
    return s.apply("matrix_component", x, row, column)


def _convert(s: Terms, x: Expr, scalar: str) -> Expr:
    """One scalar type into another."""
    target = Scalar(scalar)
    if target.is_float:
        return s.apply("to_float", x, type=target)
    if x.type.is_float:
        scaled = s.apply("mul", x, literal(s.rng.pick((4.0, 8.0, 10.0)), x))
        return (
            _convert(s, s.apply("to_integer", scaled, type=INT), scalar)
            if scalar != INT.scalar
            else s.apply("to_integer", scaled, type=INT)
        )
    if scalar in UNSIGNED_INTEGERS:
        return s.apply("to_unsigned", x if s.span(x).lo >= 0 else s.apply("abs", x), type=target)
    return (
        s.apply("to_integer", x, type=target)
        if x.type.scalar not in UNSIGNED_INTEGERS
        else _unsigned_as(s, x, target)
    )


def _unsigned_as(s: Terms, x: Expr, target: Type) -> Expr:
    masked = s.apply("bit_and", x, Literal(1023, x.type.element))
    as_float = s.apply("to_float", masked, type=FLOAT)
    return s.apply("to_integer", as_float, type=target)


def _reshape(s: Terms, x: Expr, wanted: Type) -> Expr:
    """Between scalars, vectors and matrices of one scalar type."""
    if not x.type.shape and isinstance(wanted, Vector):
        if wanted.is_float and (wanted.size > 4 or s.rng.chance(0.5)):
            return s.apply("splat", x, type=wanted)
        parts = [x] + [number(s, 1, 3, wanted.element) for _ in range(wanted.size - 1)]
        return s.apply("build", *s.rng.shuffled(parts), type=wanted)
    if isinstance(wanted, Matrix) and wanted.shape[0] == wanted.shape[1]:
        return s.apply("diag", adapt(s, x, shaped(wanted.scalar, wanted.shape[:1])))
    if isinstance(wanted, Matrix):
        left = adapt(s, x, shaped(wanted.scalar, wanted.shape[:1]))
        right = s.apply(
            "splat", number(s, 0.5, 1.5, wanted.element), type=shaped(wanted.scalar, wanted.shape[1:])
        )
        return tame(s, s.apply("outer", left, right))
    return adapt(s, to_scalar(s, x), wanted)
