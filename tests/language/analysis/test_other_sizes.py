"""Sizes that may change: what goes with them, and what a program fixes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.sizes import (
    CHANGING,
    SYMBOLS,
    Change,
    Size,
    changing,
    is_legal,
    resized,
    shape_texts,
    sizes,
)
from warp_ir_dataset.language.analysis.ties import sizes_of
from warp_ir_dataset.language.domains import Interval, Trait
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, INT, Type
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.sampling import address_of, sample

UNIT = Interval(-1.0, 1.0)


def argument(
    name: str,
    *shape: int,
    type: Type = FLOAT,
    role: ir.Role = "input",
    domain: Interval = UNIT,
    trait: Trait | None = None,
) -> ir.Argument:
    return ir.Argument(name, type, role, shape, domain, trait=trait)


def index(name: str, *shape: int, high: int, trait: Trait | None = None, low: int = 0) -> ir.Argument:
    return argument(name, *shape, type=INT, domain=Interval(low, high), trait=trait)


def kernel(body: str, launch: tuple[int, ...], *arguments: ir.Argument) -> ir.Program:
    """A kernel of these arguments."""
    types = {FLOAT: "float", INT: "int"}
    parameters = ", ".join(
        f"{a.name}: wp.array{a.ndim}d(dtype={types[a.type]})" if a.ndim else f"{a.name}: {types[a.type]}"
        for a in arguments
    )
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = f"import warp as wp\n\n\n@wp.kernel\ndef walk({parameters}):\n{lines}"
    return read(source, ir.Signature("walk", arguments, launch))


OUT = argument("out", 6, role="output")


def only(program: ir.Program) -> Size:
    (size,) = sizes(program)
    return size


def test_arrays_go_with_the_launch_that_reaches_them():
    body = "i = wp.tid()\nout[i] = x[i] + x[i + 2] * y[3 * i]"
    program = kernel(body, (6,), argument("x", 8), argument("y", 16), OUT)
    size = only(program)
    assert (size.own, size.launch) == (6, {0: 1}) and not size.guarded
    assert size.arrays == {("x", 0): 1, ("y", 0): 3, ("out", 0): 1}
    for more in range(size.least - size.own, size.most - size.own + 1):
        assert is_legal(resized(program, [Change(size, more)]))
    signature = resized(program, [Change(size, -2)]).signature
    assert signature.launch_dim == (4,) and [a.shape for a in signature.arguments] == [(6,), (10,), (4,)]
    assert not is_legal(resized(program, [Change(replace(size, arrays={("out", 0): 1}), 1)]))


@pytest.mark.parametrize("named", [False, True])
def test_two_threads_of_each_element_stay_two(named: bool):
    """As the two ways of an edge: with more threads than that, an edge would be followed one way alone."""
    read_x = "k = i // 2\nout[i] = x[k]" if named else "out[i] = x[i // 2]"
    program = kernel(f"i = wp.tid()\n{read_x}", (6,), argument("x", 3), OUT)
    size = only(program)
    assert (size.own, size.launch) == (3, {0: 2})
    assert size.arrays == {("x", 0): 1, ("out", 0): 2}
    x, out = resized(program, [Change(size, 1)]).arguments
    assert (x.shape, out.shape) == ((4,), (8,))
    assert resized(program, [Change(size, -1, beyond=1)]).launch_dim == (5,)
    assert shape_texts(program) == {"x": ("3 in the examples",), "out": ("6 in the examples",)}


def test_an_array_longer_than_what_is_read_has_threads_of_its_own():
    program = kernel("i = wp.tid()\nout[i] = x[i // 2]", (6,), argument("x", 4), OUT)
    assert [size.launch for size in sizes(program) if size.launch] == [{0: 1}]


def test_an_index_stays_in_the_array_that_it_is_for():
    program = kernel("i = wp.tid()\nout[i] = x[at[i]]", (6,), argument("x", 4), index("at", 6, high=3), OUT)
    launch, length = sizes(program)
    assert launch.arrays == {("at", 0): 1, ("out", 0): 1} and not launch.bounds
    assert (length.own, length.arrays, length.bounds) == (3, {("x", 0): 1}, {"at": 1})
    x, at, _ = resized(program, [Change(launch, 3), Change(length, -2)]).arguments
    assert (x.shape, at.shape, at.domain) == ((2,), (9,), Interval(0, 1))


def test_a_list_of_lists_keeps_its_offsets():
    body = "i = wp.tid()\ns = float(0.0)\nfor k in range(rows[i], rows[i + 1]):\n    s += x[k]\nout[i] = s"
    program = kernel(body, (6,), index("rows", 7, high=9, trait="offsets"), argument("x", 9), OUT)
    launch, length = sizes(program)
    assert launch.arrays == {("rows", 0): 1, ("out", 0): 1}
    assert (length.arrays, length.bounds) == ({("x", 0): 1}, {"rows": 1})


def test_a_permutation_has_as_many_numbers_as_elements():
    program = kernel(
        "i = wp.tid()\nout[to[i]] = x[i]",
        (6,), argument("x", 6), index("to", 6, high=5, trait="permutation"), OUT,
    )  # fmt: skip
    size = only(program)
    assert size.bounds == {"to": 1} and size.arrays.keys() == {("x", 0), ("to", 0), ("out", 0)}


def test_threads_of_a_graph_and_its_indices_are_one_size():
    body = "i = wp.tid()\nout[i] = x[i] + x[after[i]]"
    size = only(kernel(body, (6,), argument("x", 6), index("after", 6, high=5), OUT))
    assert size.launch and size.bounds == {"after": 1}


@pytest.mark.parametrize(("shape", "asked"), [("3", False), ("x.shape[1]", True)])
def test_a_literal_fixes_a_size_and_a_shape_does_not(shape: str, asked: bool):
    body = f"i = wp.tid()\ns = float(0.0)\nfor k in range({shape}):\n    s += x[i, k]\nout[i] = s"
    found = sizes(kernel(body, (6,), argument("x", 6, 3), OUT))
    assert any(("x", 1) in size.arrays for size in found) == asked
    assert any(size.launch for size in found)


def test_a_count_of_iterations_goes_with_what_they_read():
    body = "i = wp.tid()\ns = float(0.0)\nfor k in range(count):\n    s += x[i, k]\nout[i] = s"
    for low in (2, 5):
        program = kernel(body, (6,), argument("x", 6, 5), index("count", low=low, high=5), OUT)
        _, size = sizes(program)
        assert size.bounds == {"count": 1} and size.arrays == {("x", 1): 1}
        _, count, _ = resized(program, [Change(size, 1)]).arguments
        assert count.domain == Interval(low if low < 5 else 6, 6)


def test_a_loop_to_a_literal_fixes_the_size_of_what_it_reads_whole():
    """Beyond it, `x` would be normalized by a part of it."""
    body = "i = wp.tid()\ns = float(0.0)\nfor k in range(6):\n    s += x[k]\nout[i] = x[i] / s"
    program = kernel(body, (6,), argument("x", 6, domain=Interval(1.0, 2.0)), OUT)
    assert not sizes(program) and shape_texts(program) == {"x": ("6",), "out": ("6",)}


def test_a_coarse_grid_may_grow_even_if_it_can_not_be_one_smaller():
    body = "i = wp.tid()\nout[i] = x[i] + coarse[i / 2]"
    size = only(kernel(body, (6,), argument("x", 6), argument("coarse", 3), OUT))
    assert size.launch and size.arrays.keys() == {("x", 0), ("coarse", 0), ("out", 0)}


def test_a_guard_of_the_launch_lets_more_threads_in_than_there_are_elements():
    body = "i = wp.tid()\nif i >= x.shape[0]:\n    return\nout[i] = x[i]"
    program = kernel(body, (6,), argument("x", 6), OUT)
    launch = next(size for size in sizes(program) if size.launch)
    assert launch.guarded and launch.arrays.keys() == {("x", 0), ("out", 0)}
    assert is_legal(resized(program, [Change(launch, 2, beyond=3)]))


PERIODIC = """i, j = wp.tid()
n = grid.shape[0]
up = (i + 1) % n
wp.atomic_add(out, j, grid[up, j] - grid[i % n, j])"""


def test_a_periodic_array_is_as_large_as_its_launch():
    grid = argument("grid", 5, 6)
    found = {axis: size for size in sizes(kernel(PERIODIC, (5, 6), grid, OUT)) for axis in size.launch}
    assert found[0].arrays == {("grid", 0): 1} and not found[0].guarded
    assert found[1].arrays == {("grid", 1): 1, ("out", 0): 1}
    guard = PERIODIC.replace("up =", "if i >= 5:\n    return\nup =")
    found = {axis: size for size in sizes(kernel(guard, (5, 6), grid, OUT)) for axis in size.launch}
    assert found[0].guarded and not found[0].arrays


def test_a_category_is_no_size():
    body = "i = wp.tid()\nif kind[i] == 1:\n    out[i] = 2.0 * x[i]\nelse:\n    out[i] = x[i]"
    program = kernel(body, (6,), argument("x", 6), index("kind", 6, high=5), OUT)
    assert not any(size.bounds for size in sizes(program))


def test_what_a_neighbour_reads_as_well_goes_with_the_launch_too():
    """And what is longer by a fixed number; but not what grows three times as fast."""
    body = "i = wp.tid()\nout[i] = x[i] + x[(i + 1) % x.shape[0]] + z[i] + z[i + wp.min(i, 2)] + y[3 * i]"
    arguments = (argument("x", 6), argument("z", 8), OUT)
    alike = kernel(body.removesuffix(" + y[3 * i]"), (6,), *arguments)
    assert shape_texts(alike) == {"x": ("n",), "z": ("n + 2",), "out": ("n",)}
    mixed = kernel(body, (6,), *arguments, argument("y", 16))
    assert shape_texts(mixed)["x"] == (f"6{CHANGING}",)


@pytest.fixture(scope="module")
def drawn() -> list[ir.Program]:
    numbers = range(3)
    return [sample(address_of(7, category, number)).program for number in numbers for category in CATEGORIES]


def test_a_row_says_of_every_size_whether_it_changes(drawn):
    counts = dict.fromkeys(("letter", "changing", "fixed"), 0)
    for program in drawn:
        texts, found = shape_texts(program), sizes(program)
        launched = {(place, axis) for size in found for place in size.arrays for axis in size.launch}
        for (name, axis), size in sizes_of(program.arguments):
            if name not in texts:  # in a struct
                continue
            text = texts[name][axis]
            if text[0] in SYMBOLS:
                assert ((name, axis), SYMBOLS.index(text[0])) in launched
                counts["letter"] += 1
            elif text == f"{size}{CHANGING}":
                assert (name, axis) in changing(program)
                counts["changing"] += 1
            else:
                assert text == str(size) and (name, axis) not in changing(program)
                counts["fixed"] += 1
    assert min(counts.values()) > 50, counts


def test_half_as_many_threads_again_are_legal_with_arrays_that_have_letters(drawn):
    for program in drawn[:100]:
        texts, named = shape_texts(program), {axis: {} for axis in range(len(program.launch_dim))}
        for argument in program.arguments:
            for axis, text in enumerate(texts[argument.name][: argument.ndim]):
                if text[0] in SYMBOLS:
                    named[SYMBOLS.index(text[0])][argument.name, axis] = 1
        for axis, arrays in named.items():
            own = program.launch_dim[axis]
            if arrays:
                alone = Size(own, own, own, {axis: 1}, arrays)
                assert is_legal(resized(program, [Change(alone, max(own // 2, 1))]))
