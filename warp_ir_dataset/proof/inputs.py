"""Draws the numbers that a kernel is run on, from a text alone, so that they are the same on every machine.

The text is the kernel's id, so that a kernel runs on the same inputs in every config.

Structs are taken apart: what is drawn, compared and kept are the numbers in them, one array for each leaf of
an argument (`Argument.leaves`), under names such as ``particles.position``. What makes a struct's memory for
Warp fills its members from these: a leaf of an array of structs has the array's shape, and fits
``memory["position"]`` of a numpy structured array in Warp's own layout (its structs' `numpy_dtype()`). An
argument that is no struct is its own leaf.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence

import numpy as np

from ..common.errors import UserError
from ..language import ir
from ..language.domains import Interval
from ..language.traits import with_trait
from ..language.types import numpy_type
from .subject import Arrays, Cases

INPUT_SETS = 10
DECIMALS = 4
EXACT = 2**53  # whole numbers below are floats of 64 bits
_GRADIENT_RANGE = Interval(-1.0, 1.0)


def full_shape(argument: ir.Argument) -> tuple[int, ...]:
    """The shape of an argument that is no struct, or of a leaf, as a numpy array: the array's own, then its
    element type's."""
    return argument.shape + argument.type.shape


def draw_cases(signature: ir.Signature, seed_text: str) -> Cases:
    """`INPUT_SETS` inputs within the arguments' domains, and gradients that arrive at the outputs."""
    inputs = tuple(make_inputs(signature, f"{seed_text}/{number}") for number in range(INPUT_SETS))
    return Cases(inputs, make_output_gradients(signature, seed_text))


def fit_cases(signature: ir.Signature, cases: Cases) -> Cases:
    """The same numbers in the types of the arguments that they are for.

    Raises `UserError` unless there are inputs, and each set holds every input and inout argument in its
    shape, structs by their leaves; the same for what arrives at floating-point outputs.
    """
    if not cases.inputs:
        raise UserError(f"{signature.name} has no inputs to be run on: give at least one set")
    leaves = _leaves(signature.arguments)
    receivers = [leaf for leaf in leaves if leaf.role != "input" and leaf.type.is_float]
    given = _leaves(signature.inputs)
    inputs = tuple(_fit(signature, "inputs", given, arrays) for arrays in cases.inputs)
    return Cases(inputs, _fit(signature, "output gradients", receivers, cases.output_gradients))


def _leaves(arguments: Sequence[ir.Argument]) -> list[ir.Argument]:
    return [leaf for argument in arguments for leaf in argument.leaves]


def _fit(signature: ir.Signature, what: str, arguments: Sequence[ir.Argument], given: Arrays) -> Arrays:
    wanted = {a.name: full_shape(a) for a in arguments}
    found = {name: np.shape(value) for name, value in given.items()}
    if found != wanted:
        raise UserError(f"{what} of {signature.name} have shapes {found}: it takes {wanted}")
    return {a.name: np.asarray(given[a.name], numpy_type(a.type)) for a in arguments}


def make_inputs(signature: ir.Signature, seed_text: str) -> Arrays:
    """A value for every input and inout argument, in their order, inside their domains; for a struct one for
    each of its leaves.

    Each is a numpy array of shape ``leaf.shape + leaf.type.shape``: a plain scalar's is ``()``.
    """
    return {
        leaf.name: draw_argument(leaf, text)
        for position, argument in enumerate(signature.arguments)
        if argument.role != "output"
        for leaf, text in _texts(argument, f"{seed_text}/{position}")
    }


def make_output_gradients(signature: ir.Signature, seed_text: str) -> Arrays:
    """The gradient that arrives at each floating-point output and inout array, or at such members of its
    structs: numbers in [-1, 1]."""
    return {
        leaf.name: _draw_array(leaf, _GRADIENT_RANGE, text)
        for position, argument in enumerate(signature.arguments)
        for leaf, text in _texts(argument, f"{seed_text}/gradient/{position}")
        if leaf.role != "input" and leaf.type.is_float
    }


def _texts(argument: ir.Argument, text: str) -> Iterator[tuple[ir.Argument, str]]:
    """An argument's leaves, and the text that each is drawn by."""
    if argument.leaves == (argument,):
        yield argument, text
    else:
        yield from ((leaf, f"{text}/{place}") for place, leaf in enumerate(argument.leaves))


def draw_argument(argument: ir.Argument, seed_text: str) -> np.ndarray:
    """The value of one argument that is no struct, or of a leaf; another `seed_text` gives another one."""
    drawn = _draw_array(argument, argument.domain, seed_text)
    return with_trait(drawn, argument).astype(drawn.dtype)


def _draw_array(argument: ir.Argument, bounds: Interval, seed_text: str) -> np.ndarray:
    # Only `random()` and seeding by text are promised to give the same numbers in every Python version.
    uniform = random.Random(seed_text).random
    shape = full_shape(argument)
    units = np.array([uniform() for _ in range(math.prod(shape))])
    draw = _floats if argument.type.is_float else _integers
    return np.array(draw(units, bounds), dtype=numpy_type(argument.type)).reshape(shape)


def _floats(units: np.ndarray, bounds: Interval) -> np.ndarray:
    """Short decimals inside `bounds`, at a distance from every shorter one.

    Their last digit is neither 0 nor 5: they never tie with a literal of fewer digits, where a comparison
    could go either way after rounding and where a derivative may not exist.
    """
    digits = DECIMALS
    while (low := math.ceil(bounds.lo * 10**digits) + 1) + 20 > (
        high := math.floor(bounds.hi * 10**digits) - 1
    ):
        if digits == 12:
            return np.full(units.size, float(bounds.lo))
        digits += 1
    numbers = low + (units * (high - low + 1)).astype(np.int64)
    numbers += (numbers % 5 == 0) * np.where(numbers < high, 1, -1)
    scale = 10**digits
    if low > -EXACT and high < EXACT:
        decimals: np.ndarray = numbers / scale
        return decimals
    # Python divides integers exactly, also those that a float cannot hold.
    return np.array([number / scale for number in numbers.tolist()])


def _integers(units: np.ndarray, bounds: Interval) -> np.ndarray:
    low, high = math.ceil(bounds.lo), math.floor(bounds.hi)
    return low + (units * (high - low + 1)).astype(np.int64)
