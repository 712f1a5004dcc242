"""What a row's `arguments` say is enough to draw inputs that the kernel may be run on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from warp_ir_dataset.builds.arguments import argument_rows
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.analysis.sizes import shape_texts
from warp_ir_dataset.language.analysis.ties import plain_shapes
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, INT, Array, Scalar, Struct, Vector
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.sampling import address_of, sample

# ---- a stranger, who knows docs/inputs.md and nothing else

NUMPY = {"h": "float16", "f": "float32", "d": "float64", "b": "int8", "ub": "uint8", "s": "int16",
         "us": "uint16", "i": "int32", "ui": "uint32", "l": "int64", "ul": "uint64"}  # fmt: skip
FIXED = {"quat": (4,), "transform": (7,), "spatial_vector": (6,), "spatial_matrix": (6, 6)}


def size(text: str, launch_dim: list[int]) -> int:
    symbol, _, more = text.removesuffix(" in the examples").partition(" + ")
    return launch_dim["nmkl".index(symbol)] + int(more or 0) if symbol in "nmkl" else int(symbol)


def element(name: str) -> tuple[str, tuple[int, ...]]:
    """The numpy type and the shape of an element."""
    if name in ("bool", *NUMPY.values()):
        return name, ()
    match = re.fullmatch(r"(vec|mat)(\d+)([a-z]+)|(quat|transform|spatial_vector|spatial_matrix)(\w)", name)
    assert match, name
    if match[4]:
        return NUMPY[match[5]], FIXED[match[4]]
    return NUMPY[match[3]], tuple(map(int, match[2]))


def stranger(entry: Mapping[str, Any], launch_dim: list[int], rng: np.random.Generator) -> np.ndarray:
    """An input for one entry of a row's `arguments`."""
    kind, inner = element(entry["type"])
    outer = tuple(size(text, launch_dim) for text in entry["shape"])
    low, high, trait = entry["low"], entry["high"], entry["trait"]
    if kind.startswith("float"):
        values = rng.uniform(low, high, outer + inner)
    elif trait == "permutation":
        values = int(low) + rng.permutation(int(np.prod(outer))).reshape(outer)
    else:
        values = rng.integers(int(low), int(high), outer + inner, endpoint=True)
    match trait:
        case "unit":
            posed = entry["type"].startswith("transform")
            turned = values[..., -4:] if posed else values
            turned /= np.linalg.norm(turned, axis=-1, keepdims=True)
            while (outside := ((turned < low) | (turned > high)).any(-1)).any() and not posed:
                again = rng.uniform(low, high, turned[outside].shape)
                turned[outside] = again / np.linalg.norm(again, axis=-1, keepdims=True)
        case "sorted" | "offsets":
            values = np.sort(values, axis=len(outer) - 1)
        case "rotation":
            values = np.linalg.qr(values)[0]
            values[..., -1, :] *= np.sign(np.linalg.det(values))[..., None]
        case "symmetric":
            values = (values + values.swapaxes(-1, -2)) / 2
        case "dominant" | "positive definite":
            values = (values + values.swapaxes(-1, -2)) / 2
            far = high if trait == "positive definite" or high >= -low else low
            near, others = min(max(0.0, low), high), inner[0] - 1
            room = abs(far) - others * abs(near) - 0.5
            values = near + (values - near) * min(1.0, 0.9 * room / others / np.abs(values - near).max())
            values[..., np.eye(inner[0], dtype=bool)] = far
    if trait == "offsets":
        values[..., 0], values[..., -1] = low, high
    return values.astype(kind)


def inputs_of(rows: list[dict[str, Any]], launch_dim: list[int], seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {row["name"]: stranger(row, launch_dim, rng) for row in rows if row["low"] is not None}


# ---- what that is held against

ADDRESSES = [address_of(seed, category, 3 * seed) for seed, category in enumerate([*CATEGORIES, *CATEGORIES])]


@pytest.fixture(scope="module")
def programs() -> list[ir.Program]:
    return [sample(address).program for address in ADDRESSES]


def run(program: ir.Program, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return interpret(program, {name: value[None] for name, value in inputs.items()}, 1)


def test_a_stranger_draws_legal_inputs_from_a_row(programs):
    assert len(programs) >= 100
    for program in programs:
        rows = argument_rows(program.signature, shape_texts(program), program)
        for seed in range(2):
            inputs = inputs_of(rows, list(program.launch_dim), seed)
            wanted = {leaf.name for a in program.arguments if a.role != "output" for leaf in a.leaves}
            assert set(inputs) == wanted
            for name, values in run(program, inputs).items():
                assert np.isfinite(values).all(), (program.name, name)


def test_a_stranger_may_launch_more_threads_where_sizes_say_so(programs):
    """Arrays are made as large as their shapes say, and the kernel is legal for them."""
    grown = 0
    for program in programs:
        shapes = shape_texts(program)
        named = {text[0] for shape in shapes.values() for text in shape if text[0] in "nmkl"}
        launch = [
            size + max(size // 2, 1) if symbol in named else size
            for size, symbol in zip(program.launch_dim, "nmkl", strict=False)
        ]
        rows = argument_rows(program.signature, shapes, program)
        outer = {row["name"]: tuple(size(text, launch) for text in row["shape"]) for row in rows}
        if not named or any(argument.member_shapes for argument in program.arguments):
            continue
        arguments = tuple(replace(a, shape=outer[a.name]) for a in program.arguments)
        signature = replace(program.signature, arguments=arguments, launch_dim=tuple(launch))
        longer = replace(program, signature=signature)
        check(longer, sampled=True)
        outputs = run(longer, inputs_of(rows, launch, 5))
        assert all(np.isfinite(values).all() for values in outputs.values())
        grown += 1
    assert grown > 50


SOURCE = """import warp as wp


@wp.kernel
def walk(offsets: wp.array(dtype=int), x: wp.array(dtype=float), low: wp.array(dtype=float),
         table: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    k = offsets[i] + offsets[i + 1]
    y = x[i] * table[k] + low[j] + table[i]
    if j > 2:
        y += low[j - 1]
    out[i, j] = y
"""


def walk(rows: int, columns: int, table: int) -> ir.Program:
    shapes = ((rows + 1,), (rows,), (columns,), (table,), (rows, columns))
    roles = ("input", "input", "input", "input", "output")
    domains = (Interval(0, 3), *[Interval(-1, 1)] * 3, Interval(0, 0))
    program = read(SOURCE)
    arguments = tuple(
        replace(a, shape=shape, role=role, domain=domain)
        for a, shape, role, domain in zip(program.arguments, shapes, roles, domains, strict=True)
    )
    return replace(program, signature=ir.Signature("walk", arguments, (rows, columns)))


def test_sizes_go_with_the_launch_where_threads_keep_to_their_own():
    """Not in the first dimension: a table of seven is too short for more threads."""
    other = " in the examples"
    assert shape_texts(walk(6, 4, 7)) == {
        "offsets": (f"7{other}",),
        "x": (f"6{other}",),
        "low": ("m",),
        "table": (f"7{other}",),
        "out": (f"6{other}", "m"),
    }
    longer = shape_texts(walk(6, 4, 20))
    assert longer["offsets"] == ("n + 1",) and longer["x"] == ("n",) and longer["table"] == ("20",)
    assert longer["out"] == ("n", "m")
    # A size that only happens to be near the launch's says nothing.
    assert shape_texts(walk(5, 4, 5 + 2))["table"] == (f"7{other}",)


def test_structs_are_told_by_their_members_and_what_is_not_read_has_no_bounds():
    place = Struct("Place", (("at", Vector("float64", 3)), ("cell", Scalar("int8"))))
    grid = Struct("Grid", (("place", place), ("cells", Array(FLOAT, 2))))
    grids = ir.Argument("grids", grid, "inout", (4,), Interval(-1, 5), (("cells", (2, 3)),))
    counts = ir.Argument("counts", INT, "input", (9,), Interval(0, 20), trait="offsets")
    out = ir.Argument("out", FLOAT, "output", (4,), Interval(0, 0))
    signature = ir.Signature("walk", (grids, counts, out), (4,))
    rows = argument_rows(signature, plain_shapes(signature.arguments), None)
    told = {row["name"]: (row["shape"], row["low"], row["high"], row["trait"]) for row in rows}
    assert told == {
        "grids": (["4"], None, None, None),
        "grids.place.at": (["4"], -1.0, 5.0, None),
        "grids.place.cell": (["4"], -1.0, 5.0, None),
        "grids.cells": (["4", "2", "3"], -1.0, 5.0, None),
        "counts": (["9"], 0.0, 20.0, "offsets"),
        "out": (["4"], None, None, None),
    }
    unknown = argument_rows(signature, None, None)
    assert {(row["shape"], row["low"], row["trait"]) for row in unknown} == {(None, None, None)}
