"""Drawn numbers keep the trait that an argument promises, and stay within its domain."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.degenerate import is_degenerate
from warp_ir_dataset.language.analysis.intervals import Illegal
from warp_ir_dataset.language.analysis.legality import check, well_typed
from warp_ir_dataset.language.domains import DOMINANCE, Interval, Trait
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import type_name
from warp_ir_dataset.language.traits import can_have_trait
from warp_ir_dataset.language.types import INT, SCALARS, Matrix, Quaternion, Scalar, Transform, Type, Vector
from warp_ir_dataset.proof.inputs import make_inputs

# What each trait can be drawn for: types, shapes of arrays, domains. Those of programs, and harder ones.
FLOAT_NAMES = ("float16", "float32", "float64")
MATRICES = [Matrix(scalar, side, side) for scalar in FLOAT_NAMES for side in (2, 3, 4, 6)]
VECTORS = [
    *(Vector(scalar, length) for scalar in FLOAT_NAMES for length in (2, 3, 4)),
    *(Quaternion(scalar) for scalar in FLOAT_NAMES),
]
POSES = [Transform(scalar) for scalar in FLOAT_NAMES]
NUMBERS = [Scalar(scalar) for scalar in SCALARS if scalar != "bool"]
WHOLE = [number for number in NUMBERS if number.is_integer]
SIGNED = Interval(-1.0, 1.0)
BETWEEN = [SIGNED, Interval(0.1, 1.0), Interval(0.2, 1.0), Interval(-0.3, 1.0), Interval(-1.0, -0.5)]
ROOMY = [SIGNED, Interval(-1.0, 2.0), Interval(-6.0, 6.0)]
NARROW = [Interval(0.1, 0.9), Interval(0.4, 2.0), Interval(0.5, 2.0), Interval(-0.2, 0.6)]

CASES: dict[Trait, list[tuple[Type, tuple[int, ...], Interval]]] = {
    "unit": [
        *((type, (6,), domain) for type in VECTORS for domain in BETWEEN),
        *((type, (), domain) for type in POSES for domain in (SIGNED, Interval(-0.3, 0.3))),
    ],
    "rotation": [(type, (4,), SIGNED) for type in MATRICES],
    "symmetric": [(type, (4,), domain) for type in MATRICES for domain in (*ROOMY, *NARROW)],
    "positive definite": [(type, (4,), domain) for type in MATRICES for domain in (*ROOMY, *NARROW)],
    "dominant": [
        *((type, (4,), domain) for type in MATRICES for domain in (*ROOMY, *NARROW)),
        *((type, (), Interval(-2.0, -0.1)) for type in MATRICES),
    ],
    "sorted": [(type, (3, 7), Interval(0, 5)) for type in NUMBERS],
    "offsets": [(type, (8,), Interval(0, 11)) for type in NUMBERS],
    "permutation": [(type, shape, Interval(2, 13)) for type in WHOLE for shape in ((9,), (3, 4))],
}
DRAWS = 1000


def argument(trait: Trait, case: tuple[Type, tuple[int, ...], Interval]) -> ir.Argument:
    type, shape, domain = case
    return ir.Argument("x", type, "input", shape, domain, trait=trait)


def drawn(given: ir.Argument, seed: str) -> np.ndarray:
    (values,) = make_inputs(ir.Signature("k", (given,), (4,)), seed).values()
    assert values.shape == (*given.shape, *given.type.shape)
    return values


def holds(trait: Trait, x: np.ndarray, given: ir.Argument) -> bool:
    """By the trait's own words in docs/inputs.md."""
    exact = 2e-3 if x.dtype == np.float16 else 1e-5
    low, high = (x.dtype.type(end) for end in (given.domain.lo, given.domain.hi))
    if isinstance(given.type, Transform):
        position, x = x[..., :3], x[..., 3:]
        inside = bool((position >= low).all() and (position <= high).all())
    else:
        inside = bool((x >= low - exact * abs(low)).all() and (x <= high + exact * abs(high)).all())
    if given.type.is_float:
        x = x.astype(float)
    diagonal, rest = np.abs(np.diagonal(x, axis1=-2, axis2=-1)) if x.ndim > 1 else x, np.abs(x).sum(-1)
    match trait:
        case "unit":
            return inside and bool(np.allclose(np.linalg.norm(x, axis=-1), 1.0, atol=exact))
        case "rotation":
            square = x @ x.swapaxes(-1, -2)
            right = np.allclose(square, np.eye(x.shape[-1]), atol=exact)
            return inside and bool(right and np.allclose(np.linalg.det(x), 1.0, atol=4 * exact))
        case "symmetric":
            return inside and bool((x == x.swapaxes(-1, -2)).all())
        case "positive definite":
            positive = bool((np.linalg.eigvalsh(x) > 0).all() and (x == x.swapaxes(-1, -2)).all())
            return inside and positive and bool((2 * diagonal - rest >= DOMINANCE).all())
        case "dominant":
            return inside and bool((2 * diagonal - rest >= DOMINANCE).all())
        case "sorted":
            return inside and bool((np.diff(x, axis=-1) >= 0).all())
        case "offsets":
            return inside and bool((np.diff(x) >= 0).all() and x[0] == low and x[-1] == high)
        case "permutation":
            return inside and sorted(x.reshape(-1)) == list(range(2, 2 + x.size))


def test_every_trait_is_tried():
    assert set(CASES) == set(get_args(Trait))


@pytest.mark.parametrize("trait", CASES)
def test_drawn_values_keep_their_trait_and_their_bounds(trait):
    tried = [given for case in CASES[trait] if can_have_trait(given := argument(trait, case))]
    assert len({given.type for given in tried}) == len({type for type, _, _ in CASES[trait]})
    for number in range(max(DRAWS, len(tried))):
        given = tried[number % len(tried)]
        values = drawn(given, f"seed {number}")
        assert holds(trait, values, given), (given.type, given.domain, values)
    one = tried[0]
    assert (drawn(one, "again") == drawn(one, "again")).all()
    assert (drawn(one, "again") != drawn(one, "another")).any()


IMPOSSIBLE = {
    "a vector that is too short": ("unit", Vector("float32", 3), (), Interval(-0.5, 0.5)),
    "a vector that is too long": ("unit", Vector("float32", 3), (), Interval(0.6, 1.0)),
    "a rotation one way": ("rotation", Matrix("float32", 2, 2), (), Interval(0.0, 1.0)),
    "a diagonal that is too small": ("dominant", Matrix("float32", 2, 2), (), Interval(-0.5, 0.5)),
    "others that are too large": ("dominant", Matrix("float32", 3, 3), (), Interval(0.5, 1.4)),
    "a diagonal below zero": ("positive definite", Matrix("float32", 2, 2), (), Interval(-2.0, 0.4)),
    "too many numbers": ("permutation", INT, (9,), Interval(0, 7)),
    "one offset for two": ("offsets", INT, (1,), Interval(0, 7)),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_no_number_can_be_is_illegal(name):
    trait, type, shape, domain = IMPOSSIBLE[name]
    given = argument(trait, (type, shape, domain))
    source = (
        "import warp as wp\n\n\n@wp.kernel\n"
        "def k(x: wp.array(dtype={}), out: wp.array(dtype=int)):\n"
        "    i = wp.tid()\n    out[i] = 7\n"
    )
    assert not can_have_trait(given)
    out = ir.Argument("out", INT, "output", (4,), Interval(0, 0))
    given = replace(given, shape=shape or (4,))
    program = read(source.format(type_name(type)), ir.Signature("k", (given, out), (4,)))
    with pytest.raises(Illegal, match=f"x is {trait}"):
        well_typed(program)


def test_of_a_transform_the_rotation_is_a_unit():
    """Its position stays as drawn."""
    poses = ir.Argument("x", Transform("float32"), "input", (5,), Interval(-3.0, 3.0), trait="unit")
    (values,) = make_inputs(ir.Signature("k", (poses,), (5,)), "seed").values()
    assert np.allclose(np.linalg.norm(values[:, 3:], axis=-1), 1.0, atol=1e-6)
    (drawn,) = make_inputs(ir.Signature("k", (replace(poses, trait=None),), (5,)), "seed").values()
    assert (values[:, :3] == drawn[:, :3]).all() and np.abs(values[:, :3]).max() > 1.0


def test_the_rotation_of_a_transform_is_not_within_its_bounds():
    """They are those of the position: an index made of the rotation leaves the table."""
    source = (
        "import warp as wp\n\n\n@wp.kernel\n"
        "def k(x: wp.array(dtype=wp.transform), table: wp.array(dtype=float), out: wp.array(dtype=float)):\n"
        "    i = wp.tid()\n    out[i] = table[int(4.0 * (x[i].q[0] + 0.3))]\n"
    )
    poses = ir.Argument("x", Transform("float32"), "input", (4,), Interval(-0.3, 0.3), trait="unit")
    table = ir.Argument("table", Scalar("float32"), "input", (4,), Interval(-1.0, 1.0))
    out = ir.Argument("out", Scalar("float32"), "output", (4,), Interval(0, 0))
    for trait, legal in ((None, True), ("unit", False)):
        arguments = (replace(poses, trait=trait), table, out)
        with contextlib.nullcontext() if legal else pytest.raises(Illegal):
            check(read(source, ir.Signature("k", arguments, (4,))))


def test_a_rehearsal_keeps_traits_too():
    """Only where the offsets are sorted is any row not empty the wrong way round."""
    source = (
        "import warp as wp\n\n\n@wp.kernel\n"
        "def lengths(offsets: wp.array(dtype=int), out: wp.array(dtype=int)):\n"
        "    i = wp.tid()\n    if offsets[i] <= offsets[i + 1]:\n        out[i] = 7\n"
    )
    offsets = ir.Argument("offsets", INT, "input", (9,), Interval(0, 20), trait="offsets")
    out = ir.Argument("out", INT, "output", (8,), Interval(0, 0))
    program = read(source, ir.Signature("lengths", (offsets, out), (8,)))
    assert is_degenerate(program, "text")  # constant, as no offset falls
