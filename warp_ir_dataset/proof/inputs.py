"""Inputs: the numbers a kernel is run on. A pure function of a text, the same on every machine.

The text is the kernel's id, so that a kernel runs on the same inputs in every config.
"""

from __future__ import annotations

import math
import random

import numpy as np

from ..language.program import Argument, Program, Range, Type

DTYPES: dict[str, type[np.generic]] = {
    "float32": np.float32,
    "float64": np.float64,
    "int32": np.int32,
    "int64": np.int64,
    "uint32": np.uint32,
    "bool": np.bool_,
}

DECIMALS = 4
_GRADIENT_RANGE = Range(-1.0, 1.0)


def full_shape(argument: Argument) -> tuple[int, ...]:
    """The shape of an argument as a numpy array: the array's own, then its element type's."""
    return argument.shape + argument.type.shape


def make_inputs(program: Program, seed_text: str) -> dict[str, np.ndarray]:
    """A value for every input and inout argument, in their order, inside their ranges.

    Each is a numpy array of shape ``argument.shape + argument.type.shape``: a plain scalar's is ``()``.
    """
    return {
        argument.name: draw_argument(argument, f"{seed_text}/{position}")
        for position, argument in enumerate(program.arguments)
        if argument.role != "output"
    }


def make_output_gradients(program: Program, seed_text: str) -> dict[str, np.ndarray]:
    """The gradient that arrives at each floating-point output and inout array: numbers in [-1, 1]."""
    return {
        argument.name: _draw_array(
            argument.type, full_shape(argument), _GRADIENT_RANGE, f"{seed_text}/gradient/{position}"
        )
        for position, argument in enumerate(program.arguments)
        if argument.role != "input" and argument.type.is_float
    }


def draw_argument(argument: Argument, seed_text: str) -> np.ndarray:
    """One argument's value; another `seed_text` gives another one."""
    return _draw_array(argument.type, full_shape(argument), argument.range, seed_text)


def _draw_array(type: Type, shape: tuple[int, ...], bounds: Range, seed_text: str) -> np.ndarray:
    # Only `random()` and seeding by text are promised to give the same numbers in every Python version.
    rng = random.Random(seed_text)
    draw = _draw_float if type.is_float else _draw_integer
    numbers = [draw(rng.random(), bounds) for _ in range(math.prod(shape))]
    return np.array(numbers, dtype=DTYPES[type.scalar]).reshape(shape)


def _draw_float(unit: float, bounds: Range) -> float:
    """A short decimal inside `bounds`, at a distance from every shorter one.

    Its last digit is neither 0 nor 5: it never ties with a literal of fewer digits, where a comparison
    could go either way after rounding and where a derivative may not exist.
    """
    digits = DECIMALS
    while (low := math.ceil(bounds.lo * 10**digits) + 1) + 20 > (
        high := math.floor(bounds.hi * 10**digits) - 1
    ):
        if digits == 12:
            return float(bounds.lo)
        digits += 1
    number = low + int(unit * (high - low + 1))
    if number % 5 == 0:
        number += 1 if number < high else -1
    return number / 10**digits


def _draw_integer(unit: float, bounds: Range) -> int:
    low, high = math.ceil(bounds.lo), math.floor(bounds.hi)
    return low + int(unit * (high - low + 1))
