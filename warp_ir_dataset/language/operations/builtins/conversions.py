"""Conversions among scalar types, comparisons that convert, and bits read as other numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import domains, ir
from ...domains import Interval
from ...types import UNSIGNED_INTEGERS
from .. import meanings
from ..bounds import (
    Compared,
    Of,
    below,
    first,
    fixed,
    greater,
    greater_equal,
    less,
    less_equal,
    not_negative,
    on,
    other,
)
from ..bounds import same as equal
from ..meanings import each
from ..row import Operation, row

# What is too large for float32 to tell from its neighbours.
EXACT = 2.0**24


def comparable(of: Of, a: ir.Expr, b: ir.Expr) -> bool:
    """C++ makes a whole number beside a float a float, and a signed one beside an unsigned one unsigned."""
    whole = [operand for operand in (a, b) if operand.type.is_integer]
    if len(whole) < 2:
        return all(of(operand).magnitude <= EXACT for operand in whole)
    unsigned = {operand.type.scalar in UNSIGNED_INTEGERS for operand in whole}
    return len(unsigned) == 1 or all(of(operand).lo >= 0 for operand in whole)


def _mixed(
    name: str, symbol: str, meaning: np.ufunc, tells: Compared, sign: str, **columns: Any
) -> Operation:
    """A comparison of two types. Of half precision there is none."""
    floats = f"F {symbol} I -> bool for F in float32, float64; I {symbol} F -> bool for F in float32, float64"
    return row(
        f"mixed_{name}: I {symbol} I' -> bool; {floats}; "
        f"float32 {symbol} float64 -> bool; float64 {symbol} float32 -> bool",
        "mixed",
        fixed(0, 1),
        each(meaning),
        requires=comparable,
        derivative="flat",
        tells=tells,
        formula=f"{{0:modulo}} {sign} {{1:modulo}}",
        strength="compare",
        **columns,
    )


def _of_bits(of: Of, a: ir.Expr) -> Interval:
    """Floats that are not negative are in the order of their bits."""
    span = of(a)
    lo, hi = (float(np.uint32(min(bits, 0x7F7FFFFF)).view(np.float32)) for bits in (span.lo, span.hi))
    return Interval(lo, hi)


def _bits(of: Of, a: ir.Expr) -> Interval:
    span = of(a)
    return Interval(*(int(np.float32(end).view(np.uint32)) for end in (span.lo, span.hi)))


def _near(of: Of, a: ir.Expr, b: ir.Expr, tolerance: ir.Expr) -> bool:
    """Nothing to complain of."""
    return domains.sub(of(a), of(b)).magnitude <= of(tolerance).lo


# fmt: off
ROWS = (
    row("to_float: F(X) -> F for X in I, F'", "convert", on(lambda a: Interval(float(a.lo), float(a.hi))),
        each(lambda x: x.astype(float)), requires=below(EXACT), derivative="linear", formula="as_float"),
    row("to_integer: Z(X) -> Z for X in F, Z'", "convert",
        on(lambda a: Interval(math.trunc(a.lo), math.trunc(a.hi))), each(lambda x: x.astype(np.int64)),
        requires=below(EXACT), derivative="flat", jumps="toward zero", formula="as_integer"),
    row("to_unsigned: U(Z) -> U", "convert", first, each(lambda x: x), requires=not_negative,
        derivative="flat", formula="as_unsigned"),
    # Random programs choose none of what follows: no family of theirs names its groups.
    row("bool_to_number: T(bool) -> T", "cast", first, each(lambda x: x.astype(np.int64)), derivative="flat",
        formula="of_truth"),
    row("to_bool: bool(X) -> bool for X in I, float32, float64", "cast", fixed(0, 1), each(lambda x: x != 0),
        derivative="flat", formula="{0:modulo} ≠ 0", strength="compare"),
    row("unsigned_to_integer: Z(U) -> Z", "cast", first, each(lambda x: x), derivative="flat",
        formula="as_integer"),
    row("unsigned_to_unsigned: U(U') -> U", "cast", first, each(lambda x: x), derivative="flat",
        formula="as_unsigned"),
    row("float_to_unsigned: U(F) -> U", "cast", on(lambda a: Interval(math.trunc(a.lo), math.trunc(a.hi))),
        each(lambda x: x.astype(np.int64)), requires=not_negative, derivative="flat", jumps="toward zero",
        formula="as_unsigned"),
    # ``float(1.0)`` begins a variable, and where it does not, it is no constant to the compiler.
    row("same: T(T) -> T; bool(bool) -> bool", "cast", first, each(lambda x: x), derivative="linear",
        copies=True, formula="unchanged"),
    _mixed("lt", "<", np.less, Compared(less, greater_equal), "<", turned="mixed_gt", relaxed="mixed_le"),
    _mixed("le", "<=", np.less_equal, Compared(less_equal, greater), "≤",
        turned="mixed_ge", relaxed="mixed_lt"),
    _mixed("gt", ">", np.greater, Compared(greater, less_equal), ">", turned="mixed_lt", relaxed="mixed_ge"),
    _mixed("ge", ">=", np.greater_equal, Compared(greater_equal, less), "≥",
        turned="mixed_le", relaxed="mixed_gt"),
    _mixed("eq", "==", np.equal, Compared(equal, other), "=", commutative=True),
    _mixed("ne", "!=", np.not_equal, Compared(other, equal), "≠", commutative=True),
    # Nothing flows back through these.
    row("bits_of_float: cast(float32, dtype=X) -> X for X in int32, uint32", "raw bits", _bits,
        meanings.reread, requires=not_negative, derivative="flat", formula="bits({0})", notes="raw"),
    row("float_of_bits: cast(X, dtype=float32) -> float32 for X in int32, uint32", "raw bits", _of_bits,
        meanings.reread, requires=not_negative, derivative="flat", formula="float_of_bits({0})", notes="raw"),
    row("expect_near(X, X, F) -> () for X in F, vec<N,F>, mat<N,N,F>, quat<F>", "checks", fixed(0, 0),
        lambda type, a, b, tolerance: (), requires=_near, derivative="flat"),
)
# fmt: on
