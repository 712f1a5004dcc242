"""The numbers that kernels are run on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Array, Scalar, Struct, shaped
from warp_ir_dataset.proof import inputs
from warp_ir_dataset.proof.subject import Cases

ARGUMENTS = (
    ir.Argument("scale", shaped("float64"), "input", (), Interval(-2.0, 2.0)),
    ir.Argument("index", shaped("int32"), "input", (5,), Interval(0, 4)),
    ir.Argument("mask", shaped("uint32"), "input", (3, 2), Interval(1, 9)),
    ir.Argument("axis", shaped("float32", (3,)), "input", (), Interval(0.25, 0.75)),
    ir.Argument("frames", shaped("float32", (2, 3)), "inout", (4,), Interval(-1.0, 1.0)),
    ir.Argument("flags", shaped("bool"), "input", (20,), Interval(0, 1)),
    ir.Argument("result", shaped("float32", (3,)), "output", (4,), Interval(-1.0, 1.0)),
    ir.Argument("count", shaped("int32"), "output", (1,), Interval(0, 9)),
)
SIGNATURE = ir.Signature("kernel", ARGUMENTS, (4,))


def test_shapes_types_and_order() -> None:
    values = inputs.make_inputs(SIGNATURE, "seed")
    assert list(values) == ["scale", "index", "mask", "axis", "frames", "flags"]
    assert {name: (value.shape, value.dtype.name) for name, value in values.items()} == {
        "scale": ((), "float64"),
        "index": ((5,), "int32"),
        "mask": ((3, 2), "uint32"),
        "axis": ((3,), "float32"),
        "frames": ((4, 2, 3), "float32"),
        "flags": ((20,), "bool"),
    }
    assert all(isinstance(value, np.ndarray) for value in values.values())


def test_values_lie_in_their_ranges_and_vary() -> None:
    for number in range(50):
        for argument in ARGUMENTS:
            value = inputs.draw_argument(argument, str(number))
            assert value.min() >= argument.domain.lo and value.max() <= argument.domain.hi
    index = np.concatenate([inputs.draw_argument(ARGUMENTS[1], str(n)) for n in range(50)])
    assert set(index.tolist()) == {0, 1, 2, 3, 4}
    assert set(inputs.draw_argument(ARGUMENTS[5], "0").tolist()) == {True, False}


@pytest.mark.parametrize("scalar", ["float32", "float64"])
def test_floats_have_four_digits_and_never_tie_with_shorter_decimals(scalar: str) -> None:
    argument = ir.Argument("a", shaped(scalar), "input", (500,), Interval(-3.0, 3.0))
    for value in inputs.draw_argument(argument, "x"):
        text = str(value)
        assert len(text.partition(".")[2]) == 4 and text[-1] not in "05"


@pytest.mark.parametrize(
    ("bounds", "lowest", "highest"),
    [
        (Interval(0.0, 1.0), 0.0001, 0.9999),  # never a bound itself
        (Interval(-1.0, 0.0), -0.9999, -0.0001),
        (Interval(0.00045, 1.00055), 0.0006, 1.0004),  # nor a digit that is 0 or 5
        (Interval(0.0004, 1.0001), 0.0006, 0.9999),
        (Interval(0.0, 0.0022), 0.0001, 0.0021),
        (Interval(0.0, 0.0021), 0.00001, 0.00209),  # fewer than twenty choices: a digit more
        (Interval(0.5, 0.5), 0.5, 0.5),
    ],
)
def test_the_ends_of_what_is_drawn(
    bounds: Interval, lowest: float, highest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    argument = ir.Argument("a", shaped("float64"), "input", (), bounds)
    for unit, expected in ((0.0, lowest), (1 - 2.0**-53, highest)):
        monkeypatch.setattr(inputs.random.Random, "random", lambda _, unit=unit: unit)
        assert inputs.draw_argument(argument, "x") == expected


@pytest.mark.parametrize(
    ("bounds", "lowest", "highest"), [(Interval(-3, 4), -3, 4), (Interval(0.5, 2.5), 1, 2)]
)
def test_the_ends_of_whole_numbers(
    bounds: Interval, lowest: int, highest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    argument = ir.Argument("a", shaped("int32"), "input", (), bounds)
    for unit, expected in ((0.0, lowest), (1 - 2.0**-53, highest)):
        monkeypatch.setattr(inputs.random.Random, "random", lambda _, unit=unit: unit)
        assert inputs.draw_argument(argument, "x") == expected


@pytest.mark.parametrize(
    "bounds", [Interval(0.5, 0.5), Interval(0.1, 0.1001), Interval(-1e-6, 1e-6), Interval(1000.0, 2000.0)]
)
def test_narrow_and_wide_ranges(bounds: Interval) -> None:
    values = inputs.draw_argument(ir.Argument("a", shaped("float64"), "input", (40,), bounds), "x")
    assert values.min() >= bounds.lo and values.max() <= bounds.hi
    assert (len(set(values.tolist())) > 10) == (bounds.lo < bounds.hi)


def test_another_text_gives_other_numbers_and_the_same_text_the_same() -> None:
    first, same, other = (inputs.make_inputs(SIGNATURE, text) for text in ("a", "a", "b"))
    for name in first:
        assert np.array_equal(first[name], same[name])
    assert all(not np.array_equal(first[name], other[name]) for name in ("scale", "axis", "frames", "flags"))


def test_equal_arguments_get_numbers_of_their_own() -> None:
    twins = tuple(ir.Argument(name, shaped("float32"), "inout", (8,), Interval(-1.0, 1.0)) for name in "ab")
    signature = replace(SIGNATURE, arguments=twins)
    for drawn in (inputs.make_inputs(signature, "x"), inputs.make_output_gradients(signature, "x")):
        assert not np.array_equal(drawn["a"], drawn["b"])


def test_names_do_not_matter() -> None:
    renamed = replace(SIGNATURE, arguments=tuple(replace(a, name=f"x_{a.name}") for a in ARGUMENTS))
    pairs = zip(
        inputs.make_inputs(SIGNATURE, "a").values(), inputs.make_inputs(renamed, "a").values(), strict=True
    )
    assert all(np.array_equal(first, second) for first, second in pairs)


def test_output_gradients() -> None:
    seeds = inputs.make_output_gradients(SIGNATURE, "a")
    assert list(seeds) == ["frames", "result"]  # no gradient for integers
    assert seeds["result"].shape == (4, 3) and np.abs(seeds["result"]).max() <= 1
    assert -1 < seeds["frames"].min() < -0.8 and 0.8 < seeds["frames"].max() < 1
    assert not np.array_equal(seeds["frames"], inputs.make_inputs(SIGNATURE, "a")["frames"])


def test_cases() -> None:
    cases = inputs.draw_cases(SIGNATURE, "a")
    assert len(cases.inputs) == 10
    assert list(cases.inputs[0]) == list(inputs.make_inputs(SIGNATURE, "a"))
    assert len({str(drawn["frames"]) for drawn in cases.inputs}) == 10
    assert np.array_equal(cases.inputs[3]["frames"], inputs.make_inputs(SIGNATURE, "a/3")["frames"])
    assert np.array_equal(
        cases.output_gradients["result"], inputs.make_output_gradients(SIGNATURE, "a")["result"]
    )


def test_known_numbers() -> None:
    """The same in every process and Python version: changing them changes every row."""
    floats = ir.Argument("a", shaped("float64"), "input", (3,), Interval(0.5, 2.5))
    assert inputs.draw_argument(floats, "k/0").tolist() == [2.0768, 1.6856, 2.1131]
    integers = ir.Argument("a", shaped("int32"), "input", (6,), Interval(-3, 9))
    assert inputs.draw_argument(integers, "k/0").tolist() == [7, 4, 7, 3, 1, 1]


# ---- structs

FRAME = Struct("Frame", (("origin", shaped("float32", (3,))), ("turns", INT)))
BODY = Struct("Body", (("mass", FLOAT), ("frame", FRAME), ("held", BOOL), ("id", Scalar("uint32"))))
GRID = Struct("Grid", (("cells", Array(FLOAT, 2)), ("frames", Array(FRAME, 1)), ("scale", FLOAT)))
WITH_STRUCTS = ir.Signature(
    "kernel",
    (
        ir.Argument("bodies", BODY, "inout", (5,), Interval(-3, 4)),
        ir.Argument("grid", GRID, "inout", (), Interval(1, 2), (("cells", (4, 2)), ("frames", (3,)))),
        ir.Argument("frame", FRAME, "input", (), Interval(-1, 1)),
        ir.Argument("made", FRAME, "output", (6,), Interval(-1, 1)),
    ),
    (4,),
)


def test_structs_are_drawn_by_their_leaves() -> None:
    values = inputs.make_inputs(WITH_STRUCTS, "seed")
    assert {name: (value.shape, value.dtype.name) for name, value in values.items()} == {
        "bodies.mass": ((5,), "float32"),
        "bodies.frame.origin": ((5, 3), "float32"),
        "bodies.frame.turns": ((5,), "int32"),
        "bodies.held": ((5,), "bool"),
        "bodies.id": ((5,), "uint32"),
        "grid.cells": ((4, 2), "float32"),
        "grid.frames.origin": ((3, 3), "float32"),
        "grid.frames.turns": ((3,), "int32"),
        "grid.scale": ((), "float32"),
        "frame.origin": ((3,), "float32"),
        "frame.turns": ((), "int32"),
    }
    assert not np.array_equal(values["bodies.mass"], values["bodies.frame.origin"][:, 0])


def test_members_lie_in_the_struct_s_domain_and_in_their_types() -> None:
    drawn = [inputs.make_inputs(WITH_STRUCTS, str(number)) for number in range(30)]
    turns = {t for values in drawn for t in values["bodies.frame.turns"].tolist()}
    ids = {t for values in drawn for t in values["bodies.id"].tolist()}
    held = {t for values in drawn for t in values["bodies.held"].tolist()}
    assert turns == set(range(-3, 5)) and ids == set(range(5)) and held == {True, False}
    masses = np.concatenate([values["bodies.mass"] for values in drawn])
    assert -3 < masses.min() < -2.5 and 3.5 < masses.max() < 4


def test_members_that_are_handed_over_by_value_are_inputs() -> None:
    grid, made = WITH_STRUCTS.arguments[1].leaves, WITH_STRUCTS.arguments[3].leaves
    assert [leaf.role for leaf in grid] == ["inout", "inout", "inout", "input"]
    assert [(leaf.name, leaf.role) for leaf in made] == [("made.origin", "output"), ("made.turns", "output")]
    assert [leaf.shape for leaf in replace(WITH_STRUCTS.arguments[1], member_shapes=()).leaves] == [
        (0, 0),
        (0,),
        (0,),
        (),
    ]


def test_gradients_arrive_at_floating_point_members() -> None:
    seeds = inputs.make_output_gradients(WITH_STRUCTS, "a")
    assert {name: seed.shape for name, seed in seeds.items()} == {
        "bodies.mass": (5,),
        "bodies.frame.origin": (5, 3),
        "grid.cells": (4, 2),
        "grid.frames.origin": (3, 3),
        "made.origin": (6, 3),
    }


def test_cases_of_structs_fit_by_leaf() -> None:
    cases = inputs.draw_cases(WITH_STRUCTS, "a")
    lists = [{name: value.tolist() for name, value in drawn.items()} for drawn in cases.inputs]
    fitted = inputs.fit_cases(WITH_STRUCTS, Cases(tuple(lists), cases.output_gradients))
    for one, two in zip(fitted.inputs, cases.inputs, strict=True):
        assert all(
            np.array_equal(one[name], two[name]) and one[name].dtype == two[name].dtype for name in two
        )
    missing = {name: value for name, value in cases.inputs[0].items() if name != "frame.turns"}
    with pytest.raises(UserError, match=r"frame\.turns"):
        inputs.fit_cases(WITH_STRUCTS, Cases((missing,), cases.output_gradients))


def test_whole_numbers_beside_floats_have_whole_bounds() -> None:
    struct = Struct("Params", (("gain", FLOAT), ("count", INT)))
    gain, count = ir.Argument("params", struct, "input", (), Interval(-0.5, 7.25)).leaves
    assert gain.domain == Interval(-0.5, 7.25)
    assert count.domain == Interval(0, 7) and type(count.domain.lo) is type(count.domain.hi) is int
