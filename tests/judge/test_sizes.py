"""What keeps to the sizes of the row's own launch is wrong in every config."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from toys.judged import completion, program_at, row_at

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.judge.hidden import expect
from warp_ir_dataset.judge.question import Question, question_of
from warp_ir_dataset.judge.scales import draw_scales
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.analysis.sizes import changing
from warp_ir_dataset.language.analysis.ties import sizes_of
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, INT
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.subject import Arrays
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.sampling import address_of, sample

CONFIGS_JUDGED = ("cpu", "cuda", "cuda_backward", "warp_to_cuda", "spec_to_warp")
WRONG = (Status.WRONG_OUTPUT, Status.WRONG_GRADIENT, Status.CRASH)
# Rows of one dimension, of two, with a row of each thread's own, and with a graph.
PLAIN = ("math", 1939787)  # ``idx = wp.tid()``, and one store
GRID = ("relaxation", 0, "jacobi_poisson_sweep")
PLACES = [PLAIN, GRID, ("tables", 1, "piecewise_curve"), ("sparse_rows", 0, "csr_relaxation")]
TID = "    idx = wp.tid()\n"
STORE = "    results[idx] = wp.cosh(data[idx])\n"


def edit(config: str, place: tuple[Any, ...], old: str, new: str) -> str:
    """A row's source with another text in it, as an answer."""
    program, source = program_at(*place), row_at(config, *place)["python_source"]
    assert old in source
    return completion(config, program, source.replace(old, new))


def size() -> int:
    return program_at(*PLAIN).launch_dim[0]


EDITS: dict[str, Callable[[], tuple[str, str]]] = {
    "the first threads only": lambda: (TID, f"{TID}    if idx >= {size()}:\n        return\n"),
    "the index modulo the size": lambda: (TID, f"    idx = wp.tid() % {size()}\n"),
    "one thread in a loop": lambda: (
        TID + STORE,
        f"    if wp.tid() == 0:\n        for idx in range({size()}):\n        {STORE}",
    ),
    "a byte as the index": lambda: (TID, "    idx = wp.tid() % 256\n"),
    "four times the size": lambda: (TID, f"{TID}    if idx >= {4 * size()}:\n        return\n"),
    "the first two, or more": lambda: (TID, f"{TID}    if data.shape[0] < 2:\n        return\n"),
    "the size as a literal": lambda: (
        STORE,
        f"    at = {size()} - 1 - idx\n    at = {size()} - 1 - at\n    if at < {size()}:\n    {STORE}",
    ),
}


def test_the_sizes_that_a_row_does_not_fix_are_those_that_hidden_inputs_change():
    for category in CATEGORIES:
        program = sample(address_of(9, category, 5)).program
        scales = draw_scales(program.signature, program, f"{category}/judge/0").all
        sizes = [dict(sizes_of(scale.signature.arguments)) for scale in scales]
        assert sum(not scale.rare for scale in scales) == 3
        assert changing(program) == {place for place in sizes[0] if len({each[place] for each in sizes}) > 1}


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("config", CONFIGS_JUDGED)
@pytest.mark.parametrize("name", EDITS)
def test_an_answer_for_the_own_launch_alone_is_wrong(judge, config: str, name: str) -> None:
    answer = edit(config, PLAIN, *EDITS[name]())
    if config == "warp_to_cuda":  # which is told the launch's size, and not the array's
        answer = answer.replace(" int data_size,", "").replace("data_size", "n")
    verdict = judge(row_at(config, *PLAIN), answer)
    assert verdict.status in WRONG and verdict.value == 0.0, verdict.feedback


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("config", CONFIGS_JUDGED)
def test_a_size_that_is_asked_for_may_be_no_literal(judge, config: str) -> None:
    """A cell at the last row or column keeps its value."""
    rows, columns = program_at(*GRID).launch_dim
    for old, literal in (("u.shape[0]", rows), ("u.shape[1]", columns)):
        verdict = judge(row_at(config, *GRID), edit(config, GRID, old, str(literal)))
        assert verdict.status in WRONG, verdict.feedback


@pytest.mark.process
@pytest.mark.compile
def test_a_table_of_one_launch_is_wrong(judge) -> None:
    program = program_at(*PLAIN)
    (given, *_) = draw_cases(program.signature, row_at("cpu")["id"]).inputs
    values = ", ".join(repr(float(x)) for x in given["data"])
    table = f"T = wp.constant(wp.types.vector(length={size()}, dtype=wp.float64)({values}))\n\n\n@wp.kernel"
    code = row_at("spec_to_warp")["completion"].replace("@wp.kernel", table)
    verdict = judge(row_at("spec_to_warp"), code.replace("wp.cosh(data[idx])", "wp.cosh(T[idx])"))
    assert verdict.value == 0.0 and verdict.status in WRONG


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("config", CONFIGS_JUDGED)
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_rows_own_text_is_right_at_every_size(judge, config: str, place: tuple[Any, ...]) -> None:
    row = row_at(config, *place)
    assert judge(row, row["completion"]).value == 1.0


@pytest.mark.compile
@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_most_cases_are_of_another_size(place: tuple[Any, ...], seed: int) -> None:
    """One is larger and no multiple, one is smaller; arrays are as large as they are said to be."""
    asked = question_of(row_at("cpu", *place), CONFIGS["cpu"])
    expected = expect(asked, seed)
    own = asked.signature.launch_dim
    launched = [signature.launch_dim for signature in expected.signatures]
    assert 2 * sum(launch != own for launch in launched) >= len(launched)
    for axis, n in enumerate(own):
        sizes = {launch[axis] for launch in launched}
        assert any(m > n and m % n for m in sizes) and any(m < n for m in sizes)
    for signature, inputs in zip(expected.signatures, expected.inputs, strict=True):
        assert fits(signature.inputs, inputs)


def fits(arguments: tuple[ir.Argument, ...], inputs: Arrays) -> bool:
    leaves = [leaf for argument in arguments for leaf in argument.leaves]
    return all(inputs[leaf.name].shape == leaf.shape + leaf.type.shape for leaf in leaves)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_scales_follow_from_a_text_and_are_legal(place: tuple[Any, ...]) -> None:
    program = program_at(*place)
    drawn = [draw_scales(program.signature, program, f"seed {seed}").all for seed in (1, 1, *range(2, 9))]
    assert drawn[0] == drawn[1] and len(set(drawn)) > 2
    for scales in drawn:
        own, larger, smaller, *rare = scales
        assert own.program == program
        items = [math.prod(scale.signature.launch_dim) for scale in rare]
        assert all(scale.rare for scale in rare) and items[0] > 256
        assert items[1:] == ([] if place == GRID else [1])  # whose neighbours are read
        assert smaller.signature.launch_dim < own.signature.launch_dim < larger.signature.launch_dim
        for scale in scales:
            assert scale.program == replace(program, signature=scale.signature)
            check(scale.program, sampled=True)


GUARDED = """import warp as wp


@wp.kernel
def scaled(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    if i >= x.shape[0]:
        return
    out[i] = 2.0 * x[i] + float(n)
"""


def guarded(program: ir.Program | None) -> Question:
    unit = Interval(-1.0, 1.0)
    arguments = (
        ir.Argument("x", FLOAT, "input", (6,), unit),
        ir.Argument("n", INT, "input", (), Interval(0, 90)),
        ir.Argument("out", FLOAT, "output", (6,), unit),
    )
    signature = ir.Signature("scaled", arguments, (6,))
    return Question(CONFIGS["cpu"], "guarded", signature, GUARDED, program and read(GUARDED, signature))


@pytest.mark.compile
def test_a_guard_of_the_launch_is_reached() -> None:
    expected = expect(guarded(read(GUARDED)), 0)
    assert any(s.launch_dim[0] > s.arguments[0].shape[0] for s in expected.signatures)
    assert all(s.launch_dim[0] >= s.arguments[0].shape[0] for s in expected.signatures)


@pytest.mark.compile
@pytest.mark.process
def test_a_kernel_without_a_tree_keeps_its_sizes() -> None:
    asked = guarded(None)
    assert set(expect(asked, 0).signatures) == {asked.signature}


def test_dimensions_have_sizes_of_their_own() -> None:
    """Equal ones too: else one may be taken for another. Each is larger at least once."""
    source = (
        "import warp as wp\n\n\n@wp.kernel\ndef cube(x: wp.array3d[float], y: wp.array3d[float]):\n"
        "    i, j, k = wp.tid()\n    y[i, j, k] = x[i, j, k]\n"
    )
    shape = (4, 4, 4)
    arguments = tuple(
        ir.Argument(n, FLOAT, r, shape, Interval(0.0, 1.0)) for n, r in (("x", "input"), ("y", "output"))
    )
    program = read(source, ir.Signature("cube", arguments, shape))
    for number in range(20):
        _, *scales = draw_scales(program.signature, program, str(number)).all
        launches = [scale.signature.launch_dim for scale in scales if not scale.rare]
        assert len(launches) == 2 and all(len({*launch}) == 3 for launch in launches)
        assert all(max(sizes) > 4 and 4 not in sizes for sizes in zip(*launches, strict=True))


SUMS = """import warp as wp


@wp.kernel
def sums(x: wp.array2d[float], t: wp.array[float], y: wp.array[float]):
    i = wp.tid()
    total = float(0.0)
    for j in range(x.shape[1]):
        total += x[i, j]
    for k in range(t.shape[0]):
        total += t[k]
    y[i] = total
"""


def test_rare_sizes_are_several_times_as_large() -> None:
    """The launch, what each thread counts over, and a table. Of a loop over all threads only as much is legal
    as a loop may count."""
    unit = Interval(0.0, 1.0)
    arguments = (
        ir.Argument("x", FLOAT, "input", (9, 5), unit),
        ir.Argument("t", FLOAT, "input", (7,), unit),
        ir.Argument("y", FLOAT, "output", (9,), unit),
    )
    signature = ir.Signature("sums", arguments, (9,))
    program = read(SUMS, signature)
    over_all = read(SUMS.replace("x.shape[1]", "y.shape[0]").replace("x[i, j]", "x[j, 0]"), signature)
    for number in range(20):
        many, one = (s.signature for s in draw_scales(signature, program, str(number)).all if s.rare)
        (rows, columns), (length,) = many.arguments[0].shape, many.arguments[1].shape
        assert many.launch_dim == (rows,) and rows > 256 and columns > 2 * 5 and length > 2 * 7
        (rows, columns), (length,) = one.arguments[0].shape, one.arguments[1].shape
        assert one.launch_dim == (rows,) == (1,) and columns > 4 * 5 and length > 4 * 7
        many, _ = (s.signature for s in draw_scales(signature, over_all, str(number)).all if s.rare)
        assert 4 * 9 < many.launch_dim[0] <= 64


EDGES = ("graphs", 0, "frontier_expansion")
IN_TURN = """\
    e = half_edge // 2
    tail = sources[e]
    head = targets[e]
    if half_edge % 2 == 1:
"""
ONE_WAY_FIRST = """\
    e = half_edge % sources.shape[0]
    tail = sources[e]
    head = targets[e]
    if half_edge >= sources.shape[0]:
"""


def test_each_edge_has_two_threads_at_every_size() -> None:
    program = program_at(*EDGES)
    scales = draw_scales(program.signature, program, "edges").all
    assert len(scales) > 3
    for scale in scales:
        edges = dict(sizes_of(scale.signature.arguments))["sources", 0]
        assert scale.signature.launch_dim == (2 * edges,)


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("config", ["spec_to_warp", "cuda"])
def test_threads_may_take_the_two_ways_of_edges_in_another_order(judge, config: str) -> None:
    verdict = judge(row_at(config, *EDGES), edit(config, EDGES, IN_TURN, ONE_WAY_FIRST))
    assert verdict.value == 1.0, verdict.feedback
