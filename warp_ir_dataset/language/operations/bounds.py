"""What an operation's result can be, and when it is defined: the `gives` and `requires` columns.

`gives` functions map operands to an interval that holds the result, `requires` functions to whether the
operation may be applied. Both see whole expressions: types, ranges, and where it matters their shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import domains as ranges
from ..domains import excludes_zero
from ..program import Apply, Expr, Literal, Range


def spread(*operands: Any) -> Range:
    return ranges.joined(operand.range for operand in operands)


def on(function: Callable[..., Range]) -> Callable[..., Range]:
    """Lift a function of ranges to operands."""
    return lambda *operands: function(*(operand.range for operand in operands))


def fixed(lo: float, hi: float) -> Callable[..., Range]:
    return lambda *operands: Range(lo, hi)


def bits(*operands: Any) -> Range:
    """Bitwise operations on values that are not negative stay below the next power of two."""
    return Range(0, (1 << max(int(o.range.hi) for o in operands).bit_length()) - 1)


def shared_bits(a: Any, b: Any) -> Range:
    return Range(0, min(a.range.hi, b.range.hi))


def dot(a: Any, b: Any) -> Range:
    return ranges.scale(ranges.mul(a.range, b.range), a.type.size)


def length(a: Any) -> Range:
    return ranges.scale(ranges.absolute(a.range), math.sqrt(a.type.size))


def squares(a: Any) -> Range:
    magnitude = ranges.absolute(a.range)
    return ranges.scale(ranges.mul(magnitude, magnitude), a.type.size)


def blend(a: Any, b: Any, t: Any) -> Range:
    return ranges.add(ranges.mul(a.range, ranges.sub(Range(1, 1), t.range)), ranges.mul(b.range, t.range))


def determinant(a: Any) -> Range:
    n = a.type.shape[0]
    bound = math.factorial(n) * a.range.magnitude**n
    return Range(-bound, bound)


def _dominance(a: Expr) -> float:
    """How far a matrix's diagonal outweighs its rows, where the tree shows it: ``m + diag(v)``."""
    if not (isinstance(a, Apply) and a.operation == "add" and len(a.type.shape) == 2):
        return -1.0
    base, shift = a.operands
    if not (isinstance(shift, Apply) and shift.operation == "diag"):
        return -1.0
    return shift.operands[0].range.lo - a.type.shape[0] * base.range.magnitude


def inverse(a: Any) -> Range:
    # Row sums of the inverse of a strictly dominant matrix are bounded by one over the dominance
    # (Ahlberg and Nilson 1963; Varah 1975).
    bound = 1.0 / _dominance(a)
    return Range(-bound, bound)


def anything(*operands: Any) -> bool:
    return True


def positive(*operands: Any) -> bool:
    return operands[-1].range.lo > 0.05


def not_negative(*operands: Any) -> bool:
    return all(o.range.lo >= 0 for o in operands)


def divisible(*operands: Any) -> bool:
    divisor = operands[-1]
    return excludes_zero(divisor.range, 0.05 if divisor.type.is_float else 0)


def below(bound: float) -> Callable[..., bool]:
    """The first operand's magnitude is at most `bound`."""
    return lambda *operands: operands[0].range.magnitude <= bound


def ordered(*operands: Any) -> bool:
    """clamp(x, low, high) and the like: low lies below high, with room between."""
    return operands[-2].range.hi < operands[-1].range.lo


def shiftable(value: Any, count: Any) -> bool:
    return value.range.lo >= 0 and count.range.lo >= 0 and count.range.hi <= 8


def literal_index(*operands: Any) -> bool:
    shape = operands[0].type.shape
    return all(isinstance(i, Literal) and 0 <= i.value < n for i, n in zip(operands[1:], shape, strict=False))


def dominant(a: Any) -> bool:
    return _dominance(a) >= 0.5
