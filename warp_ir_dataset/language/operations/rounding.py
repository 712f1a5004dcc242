"""Simulates other rounding in the interpreter, to find kernels whose outputs depend on rounding.

Other rounding comes from a processor that fuses a product with a sum, a library with another `sin`, or a
compiler that adds in another order. The interpreter computes in float64. Given a `Rounding`, it adds to each
result that is not exact in its type an error of up to one unit in the last place, as Monte Carlo arithmetic
does (D. Stott Parker, "Monte Carlo Arithmetic: Exploiting Randomness in Floating-Point Arithmetic", UCLA
CSD-970002, 1997). Exact results stay exact: sums of integers, products with powers of two, copies,
comparisons and choices. So do decompositions of matrices, and sums over threads, whose order is checked
elsewhere. The errors are a fixed sequence of independent numbers, so two runs are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import FLOAT, WIDEST_FLOAT, Type, Value
from .row import Operation

WIDE = 16  # units that an error in float64 may have: of one, the interpreter loses nearly every other one
_NEAR = 1e-6  # what products of ordinary numbers that cancel may leave; meant numbers are larger


class Rounding:
    """The errors of one run. `hangs` names an operation whose derivative hangs on them: an operand was next
    to where it is infinite, as what cancels leaves it.

    The interpreter computes in float64, and so does not see which results are exact in that. They all count
    as exact, or if `wide` those alone that float32 holds. Nor can it add a part of a unit; so if `wide`,
    errors in float64 are of up to `WIDE` units, and their sum is not zero by chance.
    """

    def __init__(self, *, wide: bool = False) -> None:
        self.hangs: str | None = None
        self._holds = {WIDEST_FLOAT: FLOAT.scalar} if wide else {}
        self._units = {WIDEST_FLOAT: WIDE} if wide else {}
        self._errors = np.random.PCG64(0)  # the same numbers on any machine

    def apply(self, row: Operation, type: Type, values: list[Any], active: np.ndarray) -> Any:
        """`row.meaning`, as it may be rounded; `active` are the threads that ask for it, of each set."""
        if _is_steep(row, values, active):
            self.hangs = row.name
        # Products that cancel lose more than a unit of the result: an error in the first operand stands for
        # that.
        if row.rounds == "products" and isinstance(type, Value) and type.is_float:
            first, *others = values
            return row.meaning(type, self._operand(type, first, others), *others)
        result = row.meaning(type, *values)
        return self.result(type, result) if row.rounds == "result" else result

    def result(self, type: Type, result: Any) -> Any:
        """A sum, product or function, as it may be rounded."""
        if not (isinstance(type, Value) and type.is_float):
            return result
        exact = result == result.astype(self._holds.get(type.scalar, type.scalar))
        return np.where(exact, result, self._off(type, result))

    def _operand(self, type: Value, first: np.ndarray, others: list[Any]) -> np.ndarray:
        """Products are exact with a power of two, and of two numbers of half the digits."""
        exact = (first == 0) | (np.abs(np.frexp(first)[0]) == 0.5)
        if all(_is_short(other) for other in others):
            exact |= first == first.astype(np.float16)
        return np.where(exact, first, self._off(type, first))

    def _off(self, type: Value, values: np.ndarray) -> np.ndarray:
        bits = self._errors.random_raw(values.size).reshape(values.shape)
        most = self._units.get(type.scalar, 1) * np.finfo(type.scalar).eps
        rounded: np.ndarray = values * (1 + most * ((bits >> 11) * 2.0**-52 - 1))
        return rounded


def _is_steep(row: Operation, values: list[Any], active: np.ndarray) -> bool:
    """Whether an operation is next to where its derivative is infinite. What is at that place itself is
    exact, and no rounding moves it. The derivative of a length is not: it jumps at zero and is bounded, and
    most kernels leave out what is so short once they have its length."""
    if row.steep == "zero":
        distance = np.abs(values[0])
    elif row.steep == "one":
        distance = np.abs(1 - np.abs(values[0]))
    elif row.steep == "no length":
        distance = np.abs(values[0]).max(axis=-1)
    else:
        return False
    return bool(((distance < _NEAR) & (distance > 0) & active).any())


def _is_short(value: Any) -> bool:
    return bool((value == np.asarray(value, np.float16)).all())
