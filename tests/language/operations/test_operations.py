"""Every row of the table: its interval holds what it computes, its types fit, its domain is kept."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from toys.operations import meant, samples_of

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.intervals import ExpressionIntervals, Illegal
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.operations.meanings import native
from warp_ir_dataset.language.operations.table import TABLE, result_type
from warp_ir_dataset.language.types import FLOAT, INT, Several, Vector, shaped

MOST = 40  # of the operand types that a row promises


def named(spans: ExpressionIntervals, name: str, type, interval: Interval) -> ir.Name:
    spans.names[name] = interval
    return ir.Name(name, type)


def applications(name: str, wanted: int = 4, count: int = 16, only_floats: bool = False):
    """Legal applications of an operation to names with random intervals, and values of the names."""
    row = TABLE[name]
    instances = row.signature.instances
    for operands, result in instances[:: len(instances) // MOST + 1]:
        if not only_floats or (operands and all(operand.is_float for operand in operands)):
            yield from samples_of(row, operands, result, wanted, count)


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.meaning is not native])
def test_range_holds_what_is_computed(name):
    tried = 0
    for sample in applications(name):
        node = sample.node
        operands = tuple(operand.type for operand in node.operands)
        result = meant(TABLE[name], node.type, operands, sample.values)
        types = node.type.types if isinstance(node.type, Several) else (node.type,)
        interval = sample.spans.of(node)
        slack = 1e-9 * max(interval.magnitude, 1)
        for type, part in zip(types, result, strict=False):
            part = np.asarray(part, float)
            assert part.shape[2:] == type.shape
            assert interval.lo - slack <= part.min() and part.max() <= interval.hi + slack, (node, part)
        tried += 1
    assert tried >= 1


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.meaning is not native])
def test_what_a_mutant_computes_beyond_a_domain_raises_nothing(name):
    """Only what is no matrix to invert may be refused; what comes of the rest need be no number."""
    sample = next(applications(name, wanted=1))
    operands = tuple(operand.type for operand in sample.node.operands)
    for edge in (-8.0, -1.0, 0.0, 1.0, 8.0):
        values = [np.full_like(v, edge) if np.issubdtype(v.dtype, np.floating) else v for v in sample.values]
        with np.errstate(all="ignore"), contextlib.suppress(np.linalg.LinAlgError):
            meant(TABLE[name], sample.node.type, operands, values)


def test_inverse_needs_a_heavy_diagonal():
    spans = ExpressionIntervals()
    square = shaped("float32", (3, 3))
    m = named(spans, "m", square, Interval(-1.0, 1.0))
    with pytest.raises(Illegal):
        spans.apply("inverse", m)
    weight = spans.apply("splat", ir.Literal(5.0, FLOAT), type=Vector("float32", 3))
    inverse = spans.apply("inverse", spans.apply("add", m, spans.apply("diag", weight)))
    rng = np.random.default_rng(0)
    worst = max(np.abs(np.linalg.inv(rng.uniform(-1, 1, (3, 3)) + 5 * np.eye(3))).max() for _ in range(200))
    assert worst <= spans.of(inverse).hi


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("div", [(1.0, 2.0), (0.06, 1.0)], [(1.0, 2.0), (-1.0, 1.0)]),
        ("div", [(1.0, 2.0), (-1.0, -0.06)], [(1.0, 2.0), (0.04, 1.0)]),
        ("sqrt", [(0.06, 2.0)], [(-1.0, 2.0)]),
        ("log", [(0.06, 2.0)], [(0.0, 2.0)]),
        ("asin", [(-0.95, 0.95)], [(-1.0, 1.0)]),
        ("pow", [(0.1, 2.0), (1.0, 2.0)], [(0.0, 2.0), (1.0, 2.0)]),
        ("exp", [(0.0, 8.0)], [(0.0, 8.5)]),
        ("clamp", [(0.0, 1.0), (0.0, 0.5), (1.0, 3.0)], [(0.0, 1.0), (0.0, 2.0), (1.0, 3.0)]),
    ],
)
def test_both_sides_of_a_domain(name, inside, outside):
    def applied(intervals):
        spans = ExpressionIntervals()
        spans.apply(name, *[named(spans, f"a{i}", FLOAT, Interval(*x)) for i, x in enumerate(intervals)])

    applied(inside)
    with pytest.raises(Illegal):
        applied(outside)


def test_integers_do_not_overflow():
    spans = ExpressionIntervals()
    spans.apply("mul", *[named(spans, "n", INT, Interval(0, 2**15))] * 2)
    with pytest.raises(Illegal, match="limits"):
        spans.apply("mul", *[named(spans, "m", INT, Interval(0, 2**20))] * 2)


def test_types_must_fit():
    spans = ExpressionIntervals()
    with pytest.raises(Illegal, match="types"):
        spans.apply("add", named(spans, "x", FLOAT, Interval(0, 1)), named(spans, "n", INT, Interval(0, 1)))


def test_constructors_need_to_be_told_what_they_make():
    assert result_type("build", (FLOAT,) * 4) is None
    assert result_type("build", (FLOAT,) * 4, Vector("float32", 4)) == Vector("float32", 4)
    assert result_type("build", (FLOAT,) * 4, Vector("float32", 3)) is None
    assert result_type("dot", (Vector("float32", 3),) * 2) == FLOAT
    assert result_type("dot", (Vector("float32", 3), Vector("float32", 2))) is None


def test_a_trait_is_needed():
    spans = ExpressionIntervals()
    m = named(spans, "m", shaped("float32", (3, 3)), Interval(-3.0, 3.0))
    with pytest.raises(Illegal, match="dominant"):
        spans.apply("inverse", m)
    spans.traits["m"] = "dominant"
    assert spans.of(spans.apply("inverse", m)) == Interval(-2.0, 2.0)


def test_names_are_keys():
    assert all(name == row.name for name, row in TABLE.items())


# ---- labels of derivatives, against the meaning


def float_applications(name: str, count: int = 12):
    """Applications to floats, the values of their operands, and the meaning as a function of them."""
    found = 0
    if TABLE[name].meaning is native:
        return
    for sample in applications(name, 4, 5, only_floats=True):
        node = sample.node
        if not node.type.is_float:
            continue
        yield (lambda *v, node=node: np.asarray(TABLE[name].meaning(node.type, *v), float)), sample.values
        found += 1
        if found == count:
            return


FLAT = [n for n, row in TABLE.items() if row.derivative == "flat" and any(float_applications(n, 1))]
NOT_FLAT = [n for n, row in TABLE.items() if row.derivative != "flat" and any(float_applications(n, 1))]
STEP = 1e-6


def slopes(meaning, values, place):
    """The largest slope in one operand, over the sampled points; half of a step away from round numbers."""
    moved = list(values)
    base = values[place] + 0.3173 * STEP
    moved[place] = base + STEP
    above = meaning(*moved)
    moved[place] = base
    return np.abs(above - meaning(*moved)) / STEP


@pytest.mark.parametrize("name", FLAT)
def test_what_is_labelled_flat_has_no_slope_but_where_warp_gives_none(name):
    for meaning, values in float_applications(name):
        for place in range(len(values)):
            steep = slopes(meaning, values, place)
            if place in TABLE[name].underived:
                assert np.median(steep) > 0.5
            else:
                assert np.median(steep) == 0.0


@pytest.mark.parametrize("name", NOT_FLAT)
def test_what_is_not_labelled_flat_has_a_slope(name):
    steepest = max(
        slopes(meaning, values, place).max()
        for meaning, values in float_applications(name)
        for place in range(len(values))
    )
    assert steepest > 1e-3


@pytest.mark.parametrize("name", [n for n in NOT_FLAT if TABLE[n].derivative == "linear"])
def test_what_is_labelled_linear_is(name):
    for meaning, values in float_applications(name):
        # But for a constant, which has no derivative.
        none, once, twice = (meaning(*[by * v for v in values]) for by in (0.0, 1.0, 2.0))
        assert np.allclose(twice - once, once - none, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", [n for n in NOT_FLAT if TABLE[n].derivative == "bilinear"])
def test_what_is_labelled_bilinear_is_linear_in_each(name):
    for meaning, values in float_applications(name):
        for place in range(2):
            doubled = [2.0 * v if place == at else v for at, v in enumerate(values)]
            assert np.allclose(meaning(*doubled), 2.0 * meaning(*values), rtol=1e-9, atol=1e-12)
