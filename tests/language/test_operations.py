"""Every row of the table: its interval holds what it computes, its types fit, its domain is kept."""

from __future__ import annotations

import random

import numpy as np
import pytest

from warp_ir_dataset.language.operations.table import TABLE, Illegal, apply
from warp_ir_dataset.language.program import BOOL, FLOAT, INT, SCALARS, Literal, Name, Range, Type

SHAPES = [(), (2,), (3,), (4,), (2, 2), (3, 3), (4, 4), (2, 3), (3, 2)]
TYPES = [Type(scalar, shape) for scalar in SCALARS for shape in SHAPES if scalar != "bool" or not shape]


def some_range(rng: random.Random, type: Type) -> Range:
    if type == BOOL:
        return Range(0, 1)
    low, high = sorted(rng.choice([-6, -3, -2, -1, 0, 1, 2, 3, 5, 8]) for _ in range(2))
    if type.scalar == "uint32":
        low, high = sorted((abs(low), abs(high)))
    if type.is_integer:
        return Range(low, high + 1)
    return Range(low * 0.5, high * 0.5 + 0.25)


def samples(rng: random.Random, operand, count: int) -> np.ndarray:
    """Values of shape (1, count, *shape), the ends of the range among them."""
    if isinstance(operand, Literal):
        return np.full((1, count), operand.value)
    low, high, type = operand.range.lo, operand.range.hi, operand.type
    size = count * type.size
    if type == BOOL or type.is_integer:
        values = [rng.choice([low, high, rng.randint(int(low), int(high))]) for _ in range(size)]
        return np.array(values, np.int64).reshape(1, count, *type.shape)
    values = [rng.choice([low, high, rng.uniform(low, high)]) for _ in range(size)]
    return np.array(values).reshape(1, count, *type.shape)


def applications(name: str, rng: random.Random):
    """Legal applications of an operation to names with random ranges."""
    row = TABLE[name]
    for result in TYPES:
        for types in row.takes(result):
            for _ in range(40):
                operands = [Name(f"a{i}", t, some_range(rng, t)) for i, t in enumerate(types)]
                if row.group == "component":
                    operands[1:] = [Literal(0, INT) for _ in operands[1:]]
                try:
                    yield apply(name, *operands, type=result)
                except Illegal:
                    continue


@pytest.mark.parametrize("name", [name for name in TABLE if name != "inverse"])
def test_range_holds_what_is_computed(name):
    rng = random.Random(name)
    tried = 0
    for node in applications(name, rng):
        values = [samples(rng, operand, 16) for operand in node.operands]
        result = np.asarray(TABLE[name].compute(node.type, *values), float)
        assert result.shape[2:] == node.type.shape
        slack = 1e-9 * max(node.range.magnitude, 1)
        assert node.range.lo - slack <= result.min() and result.max() <= node.range.hi + slack, (node, result)
        tried += 1
    assert tried >= 2


def test_inverse_needs_a_heavy_diagonal():
    square = Type("float32", (3, 3))
    m = Name("m", square, Range(-1.0, 1.0))
    with pytest.raises(Illegal):
        apply("inverse", m)
    weight = apply("splat", Literal(5.0, FLOAT), type=Type("float32", (3,)))
    inverse = apply("inverse", apply("add", m, apply("diag", weight)))
    rng = np.random.default_rng(0)
    worst = max(np.abs(np.linalg.inv(rng.uniform(-1, 1, (3, 3)) + 5 * np.eye(3))).max() for _ in range(200))
    assert worst <= inverse.range.hi


@pytest.mark.parametrize(
    ("name", "ranges"),
    [
        ("div", [(1.0, 2.0), (-1.0, 1.0)]),
        ("sqrt", [(-1.0, 2.0)]),
        ("log", [(0.0, 2.0)]),
        ("asin", [(-1.0, 1.0)]),
        ("pow", [(0.0, 2.0), (1.0, 2.0)]),
        ("exp", [(0.0, 50.0)]),
        ("clamp", [(0.0, 1.0), (0.0, 2.0), (1.0, 3.0)]),
    ],
)
def test_outside_the_domain_is_illegal(name, ranges):
    with pytest.raises(Illegal):
        apply(name, *[Name(f"a{i}", FLOAT, Range(*span)) for i, span in enumerate(ranges)])


def test_integers_do_not_overflow():
    big = Name("n", INT, Range(0, 2**20))
    with pytest.raises(Illegal):
        apply("mul", big, big)


def test_types_must_fit():
    with pytest.raises(Illegal):
        apply("add", Name("x", FLOAT, Range(0, 1)), Name("n", INT, Range(0, 1)))


def test_names_are_keys():
    assert all(name == row.name for name, row in TABLE.items())
    assert all(row.phrase for row in TABLE.values())
