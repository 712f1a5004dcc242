"""Drawn numbers keep the trait that an argument promises, and stay within its domain."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from warp_ir_dataset.language.analysis.degenerate import is_degenerate
from warp_ir_dataset.language.domains import DOMINANCE, Interval, Trait
from warp_ir_dataset.language.program import Argument, Signature
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, INT, Matrix, Transform, Vector
from warp_ir_dataset.proof.inputs import make_inputs

CASES = {
    "unit": (Vector("float32", 3), (6,), Interval(-1.0, 1.0)),
    "rotation": (Matrix("float32", 3, 3), (4,), Interval(-1.0, 1.0)),
    "symmetric": (Matrix("float32", 3, 3), (4,), Interval(-2.0, 2.0)),
    "positive definite": (Matrix("float32", 3, 3), (4,), Interval(-6.0, 6.0)),
    "dominant": (Matrix("float32", 2, 2), (4,), Interval(-6.0, 6.0)),
    "sorted": (FLOAT, (3, 7), Interval(-2.0, 5.0)),
    "offsets": (INT, (8,), Interval(0, 11)),
    "permutation": (INT, (9,), Interval(0, 8)),
}


def drawn(trait: Trait, seed: str) -> np.ndarray:
    type, shape, domain = CASES[trait]
    argument = Argument("x", type, "input", shape, domain, trait=trait)
    (values,) = make_inputs(Signature("k", (argument,), (4,)), seed).values()
    assert values.shape == (*shape, *type.shape)
    slack = 1e-6
    assert values.min() >= domain.lo - slack and values.max() <= domain.hi + slack
    return values.astype(float)


def holds(trait: Trait, x: np.ndarray) -> bool:
    match trait:
        case "unit":
            return bool(np.allclose(np.linalg.norm(x, axis=-1), 1.0, atol=1e-6))
        case "rotation":
            square = x @ x.swapaxes(-1, -2)
            return bool(np.allclose(square, np.eye(3), atol=1e-5) and np.allclose(np.linalg.det(x), 1.0))
        case "symmetric":
            return bool((x == x.swapaxes(-1, -2)).all())
        case "positive definite":
            return bool((np.linalg.eigvalsh(x) > 0.1).all() and (x == x.swapaxes(-1, -2)).all())
        case "dominant":
            diagonal = np.abs(np.diagonal(x, axis1=-2, axis2=-1))
            return bool((2 * diagonal - np.abs(x).sum(-1) >= DOMINANCE).all())
        case "sorted":
            return bool((np.diff(x, axis=-1) >= 0).all())
        case "offsets":
            return bool((np.diff(x) >= 0).all() and x[0] == 0 and x[-1] == 11)
        case "permutation":
            return sorted(x) == list(range(9))


def test_every_trait_is_tried():
    assert set(CASES) == set(get_args(Trait))


@pytest.mark.parametrize("trait", CASES)
def test_drawn_values_keep_their_trait(trait):
    several = [drawn(trait, f"seed {number}") for number in range(6)]
    assert all(holds(trait, values) for values in several)
    assert not all((values == several[0]).all() for values in several[1:])
    assert (drawn(trait, "again") == drawn(trait, "again")).all()


def test_of_a_transform_the_rotation_is_a_unit():
    """Its position stays as drawn."""
    poses = Argument("x", Transform("float32"), "input", (5,), Interval(-3.0, 3.0), trait="unit")
    (values,) = make_inputs(Signature("k", (poses,), (5,)), "seed").values()
    assert np.allclose(np.linalg.norm(values[:, 3:], axis=-1), 1.0, atol=1e-6)
    (drawn,) = make_inputs(Signature("k", (replace(poses, trait=None),), (5,)), "seed").values()
    assert (values[:, :3] == drawn[:, :3]).all() and np.abs(values[:, :3]).max() > 1.0


def test_a_rehearsal_keeps_traits_too():
    """Only where the offsets are sorted is any row not empty the wrong way round."""
    source = (
        "import warp as wp\n\n\n@wp.kernel\n"
        "def lengths(offsets: wp.array(dtype=int), out: wp.array(dtype=int)):\n"
        "    i = wp.tid()\n    if offsets[i] <= offsets[i + 1]:\n        out[i] = 7\n"
    )
    offsets = Argument("offsets", INT, "input", (9,), Interval(0, 20), trait="offsets")
    out = Argument("out", INT, "output", (8,), Interval(0, 0))
    program = read(source, Signature("lengths", (offsets, out), (8,)))
    assert is_degenerate(program, "text")  # constant, as no offset falls
