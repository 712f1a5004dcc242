"""The numbers that kernels are run on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from toys import programs as h

from warp_ir_dataset.language.program import Argument, Range, Type
from warp_ir_dataset.proof import inputs

ARGUMENTS = (
    Argument("scale", Type("float64"), "input", (), Range(-2.0, 2.0)),
    Argument("index", Type("int32"), "input", (5,), Range(0, 4)),
    Argument("mask", Type("uint32"), "input", (3, 2), Range(1, 9)),
    Argument("axis", Type("float32", (3,)), "input", (), Range(0.25, 0.75)),
    Argument("frames", Type("float32", (2, 3)), "inout", (4,), Range(-1.0, 1.0)),
    Argument("flags", Type("bool"), "input", (20,), Range(0, 1)),
    Argument("result", Type("float32", (3,)), "output", (4,), Range(-1.0, 1.0)),
    Argument("count", Type("int32"), "output", (1,), Range(0, 9)),
)
PROGRAM = replace(h.SQUARE, arguments=ARGUMENTS)


def test_shapes_types_and_order() -> None:
    values = inputs.make_inputs(PROGRAM, "seed")
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
            assert value.min() >= argument.range.lo and value.max() <= argument.range.hi
    index = np.concatenate([inputs.draw_argument(ARGUMENTS[1], str(n)) for n in range(50)])
    assert set(index.tolist()) == {0, 1, 2, 3, 4}
    assert set(inputs.draw_argument(ARGUMENTS[5], "0").tolist()) == {True, False}


@pytest.mark.parametrize("scalar", ["float32", "float64"])
def test_floats_have_four_digits_and_never_tie_with_shorter_decimals(scalar: str) -> None:
    argument = Argument("a", Type(scalar), "input", (500,), Range(-3.0, 3.0))
    for value in inputs.draw_argument(argument, "x"):
        text = str(value)
        assert len(text.partition(".")[2]) == 4 and text[-1] not in "05"


@pytest.mark.parametrize(
    ("bounds", "lowest", "highest"),
    [
        (Range(0.0, 1.0), 0.0001, 0.9999),  # never a bound itself
        (Range(-1.0, 0.0), -0.9999, -0.0001),
        (Range(0.00045, 1.00055), 0.0006, 1.0004),  # nor a digit that is 0 or 5
        (Range(0.0004, 1.0001), 0.0006, 0.9999),
        (Range(0.0, 0.0022), 0.0001, 0.0021),
        (Range(0.0, 0.0021), 0.00001, 0.00209),  # fewer than twenty choices: a digit more
        (Range(0.5, 0.5), 0.5, 0.5),
    ],
)
def test_the_ends_of_what_is_drawn(
    bounds: Range, lowest: float, highest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    argument = Argument("a", Type("float64"), "input", (), bounds)
    for unit, expected in ((0.0, lowest), (1 - 2.0**-53, highest)):
        monkeypatch.setattr(inputs.random.Random, "random", lambda _, unit=unit: unit)
        assert inputs.draw_argument(argument, "x") == expected


@pytest.mark.parametrize(("bounds", "lowest", "highest"), [(Range(-3, 4), -3, 4), (Range(0.5, 2.5), 1, 2)])
def test_the_ends_of_whole_numbers(
    bounds: Range, lowest: int, highest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    argument = Argument("a", Type("int32"), "input", (), bounds)
    for unit, expected in ((0.0, lowest), (1 - 2.0**-53, highest)):
        monkeypatch.setattr(inputs.random.Random, "random", lambda _, unit=unit: unit)
        assert inputs.draw_argument(argument, "x") == expected


@pytest.mark.parametrize(
    "bounds", [Range(0.5, 0.5), Range(0.1, 0.1001), Range(-1e-6, 1e-6), Range(1000.0, 2000.0)]
)
def test_narrow_and_wide_ranges(bounds: Range) -> None:
    values = inputs.draw_argument(Argument("a", Type("float64"), "input", (40,), bounds), "x")
    assert values.min() >= bounds.lo and values.max() <= bounds.hi
    assert (len(set(values.tolist())) > 10) == (bounds.lo < bounds.hi)


def test_another_text_gives_other_numbers_and_the_same_text_the_same() -> None:
    first, same, other = (inputs.make_inputs(PROGRAM, text) for text in ("a", "a", "b"))
    for name in first:
        assert np.array_equal(first[name], same[name])
    assert all(not np.array_equal(first[name], other[name]) for name in ("scale", "axis", "frames", "flags"))


def test_equal_arguments_get_numbers_of_their_own() -> None:
    twins = tuple(Argument(name, Type("float32"), "inout", (8,), Range(-1.0, 1.0)) for name in "ab")
    program = replace(PROGRAM, arguments=twins)
    for drawn in (inputs.make_inputs(program, "x"), inputs.make_output_gradients(program, "x")):
        assert not np.array_equal(drawn["a"], drawn["b"])


def test_names_do_not_matter() -> None:
    renamed = replace(PROGRAM, arguments=tuple(replace(a, name=f"x_{a.name}") for a in ARGUMENTS))
    pairs = zip(
        inputs.make_inputs(PROGRAM, "a").values(), inputs.make_inputs(renamed, "a").values(), strict=True
    )
    assert all(np.array_equal(first, second) for first, second in pairs)


def test_output_gradients() -> None:
    seeds = inputs.make_output_gradients(PROGRAM, "a")
    assert list(seeds) == ["frames", "result"]  # no gradient for integers
    assert seeds["result"].shape == (4, 3) and np.abs(seeds["result"]).max() <= 1
    assert -1 < seeds["frames"].min() < -0.8 and 0.8 < seeds["frames"].max() < 1
    assert not np.array_equal(seeds["frames"], inputs.make_inputs(PROGRAM, "a")["frames"])


def test_known_numbers() -> None:
    """The same in every process and Python version: changing them changes every row."""
    floats = Argument("a", Type("float64"), "input", (3,), Range(0.5, 2.5))
    assert inputs.draw_argument(floats, "k/0").tolist() == [2.0768, 1.6856, 2.1131]
    integers = Argument("a", Type("int32"), "input", (6,), Range(-3, 9))
    assert inputs.draw_argument(integers, "k/0").tolist() == [7, 4, 7, 3, 1, 1]
