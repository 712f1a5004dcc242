"""Intervals, iterations and definedness, found by running a program on intervals."""

from __future__ import annotations

import numpy as np
import pytest
from toys.programs import THREAD, X, argument, kernel, loop, name, number, op, read, write

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.analysis.interval_analysis import MAX_TRIPS, analyze_intervals
from warp_ir_dataset.language.analysis.intervals import Illegal
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, SCALARS
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.sampling import address_of, sample

A, OUT = argument("a", lo=0.5, hi=1.5), argument("o", "output")
N, K = name("n", INT), name("k", INT)
ZERO, ONE = ir.Literal(0, INT), ir.Literal(1, INT)


def found(*body: ir.Stmt, arguments: tuple[ir.Argument, ...] = (A, OUT), **more) -> dict[str, Interval]:
    return analyze_intervals(kernel(*body, arguments=arguments, **more)).names


def holds(interval: Interval, lo: float, hi: float, slack: float = 1e-9) -> bool:
    return abs(interval.lo - lo) <= slack and abs(interval.hi - hi) <= slack


def test_a_sum_is_bounded_by_counting() -> None:
    body = (ir.Variable(X, number(1.0)), loop(10, ir.Accumulate(X, "+", read("a"))))
    assert holds(found(*body)["x"], 1.0, 16.0)
    body = (ir.Variable(X, number(1.0)), loop(10, ir.Accumulate(X, "-", read("a"))))
    assert holds(found(*body)["x"], -14.0, 1.0)


def test_sums_of_nested_loops_multiply() -> None:
    inner = ir.For(name("j", INT), ZERO, ir.Literal(3, INT), 1, (ir.Accumulate(X, "+", read("a")),))
    assert holds(found(ir.Variable(X, number(0.0)), loop(4, inner))["x"], 0.0, 18.0)


def test_a_sum_of_a_sum_settles_too() -> None:
    y = name("y")
    body = (ir.Accumulate(X, "+", read("a")), ir.Accumulate(y, "+", X))
    names = found(ir.Variable(X, number(0.0)), ir.Variable(y, number(0.0)), loop(4, *body))
    # Counting alone: four steps of at most 6, where 1.5 + 3 + 4.5 + 6 is met.
    assert names["x"].hi == pytest.approx(6.0) and names["y"].hi == pytest.approx(24.0)


def test_a_product_is_iterated() -> None:
    grow = ir.Assign(X, op("mul", X, read("a")))
    assert holds(found(ir.Variable(X, number(1.0)), loop(4, grow))["x"], 0.5**4, 1.5**4)


def test_what_grows_by_itself_is_iterated() -> None:
    grow = ir.Accumulate(X, "+", op("mul", X, read("a")))
    assert found(ir.Variable(X, number(1.0)), loop(4, grow))["x"].hi == pytest.approx(2.5**4)


def test_what_only_shrinks_keeps_its_start() -> None:
    shrink = ir.Assign(X, op("mul", X, number(0.5)))
    assert holds(found(ir.Variable(X, number(8.0)), loop(20, shrink))["x"], 8.0 * 0.5**20, 8.0)


def test_floats_that_no_whole_number_follows_from_need_not_be_known() -> None:
    """A product in a loop then settles at once; with a whole number of it, it is found all the same."""
    grow = (ir.Variable(X, number(1.0)), loop(4, ir.Assign(X, op("mul", X, read("a")))))
    cast = ir.Let(name("y", INT), op("to_integer", X, type=INT))
    for body, most in ((grow, SCALARS["float32"].limits.hi), ((*grow, cast), 1.5**4)):
        program = kernel(*body, arguments=(A, OUT))
        names = analyze_intervals(program, sampled=True, whole=True).names
        assert names["x"].hi == pytest.approx(most)
        assert analyze_intervals(program, sampled=True).names["x"].hi == pytest.approx(1.5**4)


def test_branches_are_joined() -> None:
    above = op("gt", read("a"), number(1.0), type=BOOL)
    body = (
        ir.Variable(X, number(1.0)),
        ir.If(above, (ir.Assign(X, number(5.0)),), (ir.Assign(X, number(-2.0)),)),
    )
    assert holds(found(*body, ir.Let(name("y"), X))["y"], -2.0, 5.0)


@pytest.mark.parametrize(
    ("relation", "inside", "outside"),
    [
        ("lt", (0, 4), (5, 9)),
        ("le", (0, 5), (6, 9)),
        ("gt", (6, 9), (0, 5)),
        ("ge", (5, 9), (0, 4)),
        ("eq", (5, 5), (0, 9)),
        ("ne", (0, 9), (5, 5)),
    ],
)
def test_a_condition_narrows_both_arms(relation: str, inside: tuple, outside: tuple) -> None:
    test = op(relation, N, ir.Literal(5, INT), type=BOOL)
    arms = (ir.Let(name("yes", INT), N),), (ir.Let(name("no", INT), N),)
    names = found(ir.If(test, *arms), arguments=(A, ir.Argument("n", INT, "input", (), Interval(0, 9)), OUT))
    assert (names["yes"].lo, names["yes"].hi) == inside
    assert (names["no"].lo, names["no"].hi) == outside
    # The other way round, and negated.
    turned = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}.get(relation, relation)
    test = op("not", op(turned, ir.Literal(5, INT), N, type=BOOL), type=BOOL)
    names = found(ir.If(test, *arms), arguments=(A, ir.Argument("n", INT, "input", (), Interval(0, 9)), OUT))
    assert (names["no"].lo, names["no"].hi) == inside


def test_both_parts_of_a_conjunction_narrow() -> None:
    both = op(
        "and",
        op("gt", N, ir.Literal(2, INT), type=BOOL),
        op("lt", N, ir.Literal(7, INT), type=BOOL),
        type=BOOL,
    )
    arms = (ir.Let(name("yes", INT), N),), (ir.Let(name("no", INT), N),)
    names = found(ir.If(both, *arms), arguments=(A, ir.Argument("n", INT, "input", (), Interval(0, 9)), OUT))
    assert (names["yes"].lo, names["yes"].hi) == (3, 6)
    assert (names["no"].lo, names["no"].hi) == (0, 9)  # nothing is known of it


def test_a_guard_that_returns_narrows_what_follows() -> None:
    guard = ir.If(op("ge", THREAD, ir.Literal(7, INT), type=BOOL), (ir.Return(),))
    after = ir.Let(X, read("a", index=op("add", THREAD, ONE, type=INT)))
    analyze_intervals(kernel(guard, after, write("o", X)))
    with pytest.raises(Illegal, match=r"index .*bounds"):
        analyze_intervals(kernel(after, write("o", X)))


def test_a_while_loop_that_counts_knows_its_count() -> None:
    going = op("lt", N, ir.Literal(5, INT), type=BOOL)
    body = ir.While(going, (ir.Accumulate(N, "+", ONE),))
    names = found(ir.Variable(N, ZERO), body, ir.Let(name("m", INT), N))
    assert (names["n"].lo, names["n"].hi) == (0, 5)
    assert (names["m"].lo, names["m"].hi) == (5, 5)


def test_a_while_loop_left_by_break_does_not_end_by_its_condition() -> None:
    going = op("lt", N, ir.Literal(5, INT), type=BOOL)
    leave = ir.If(op("gt", read("a"), number(1.0), type=BOOL), (ir.Break(),))
    names = found(
        ir.Variable(N, ZERO), ir.While(going, (leave, ir.Accumulate(N, "+", ONE))), ir.Let(name("m", INT), N)
    )
    assert (names["m"].lo, names["m"].hi) == (0, 5)


def test_iterations_are_counted() -> None:
    body = ir.For(K, ONE, ir.Literal(8, INT), 3, (ir.Accumulate(X, "+", read("a")),))
    program = kernel(ir.Variable(X, number(0.0)), body, write("o", X))
    assert analyze_intervals(program).trips == {"k": 3}
    assert holds(analyze_intervals(program).names["x"], 0.0, 4.5)


def test_a_function_is_run_for_each_call() -> None:
    half = ir.Function("half", (X,), (ir.Return((op("mul", X, number(0.5)),)),), FLOAT)
    calls = (ir.Call("half", (read("a"),), FLOAT), ir.Call("half", (number(100.0),), FLOAT))
    names = found(ir.Let(name("y"), calls[0]), ir.Let(name("z"), calls[1]), functions=(half,))
    assert holds(names["y"], 0.25, 0.75) and holds(names["z"], 50.0, 50.0)


def test_an_array_that_is_stored_to_is_read_with_what_was_stored() -> None:
    state = argument("s", "inout", lo=0.0, hi=1.0)
    names = found(write("s", number(9.0)), ir.Let(X, read("s")), arguments=(A, state))
    assert holds(names["x"], 0.0, 9.0)


def test_what_one_arm_defines_is_not_defined_behind_it() -> None:
    arm = ir.If(op("gt", read("a"), number(1.0), type=BOOL), (ir.Variable(X, number(1.0)),))
    with pytest.raises(Illegal, match=r"'x'.*before"):
        analyze_intervals(kernel(arm, write("o", X)))
    # But where the other arm has left, it is.
    left = ir.If(op("gt", read("a"), number(1.0), type=BOOL), (ir.Variable(X, number(1.0)),), (ir.Return(),))
    analyze_intervals(kernel(left, write("o", X)))


def test_loops_of_no_iteration_run_nothing() -> None:
    names = found(ir.Variable(X, number(1.0)), loop(0, ir.Assign(X, number(5.0))), write("o", X))
    assert holds(names["x"], 1.0, 1.0)
    assert MAX_TRIPS == 64


@pytest.mark.parametrize("category", RANDOM_KINDS)
def test_what_programs_compute_stays_within_what_was_found(
    category: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter's locals, of random inputs, against the intervals of names."""
    from warp_ir_dataset.language.analysis import interpreter

    runs = []
    block = interpreter.Run.block

    def watched(self, body, mask):
        if not runs or runs[-1] is not self:
            runs.append(self)
        block(self, body, mask)

    assign = interpreter.Run.assign

    def seen(self, target, value, mask):
        assign(self, target, value, mask)
        if isinstance(value, dict):
            return  # a struct
        self.extremes = getattr(self, "extremes", {})
        reached = np.broadcast_to(value, mask.shape + value.shape[2:])[mask]
        low, high = self.extremes.get(target.name, (np.inf, -np.inf))
        self.extremes[target.name] = min(low, reached.min()), max(high, reached.max())

    monkeypatch.setattr(interpreter.Run, "block", watched)
    monkeypatch.setattr(interpreter.Run, "assign", seen)
    checked = 0
    for number_ in range(25):
        program = sample(address_of(5, category, number_)).program
        rng = np.random.default_rng(number_)
        inputs = {}
        for a in program.signature.inputs:
            shape = (40, *a.shape, *a.type.shape)
            low, high = a.domain.lo, a.domain.hi
            inputs[a.name] = (
                rng.uniform(low, high, shape) if a.type.is_float else rng.integers(low, high + 1, shape)
            )
        runs.clear()
        interpret(program, inputs, 40)
        known = analyze_intervals(program).names
        for local, (low, high) in getattr(runs[0], "extremes", {}).items():
            slack = 1e-6 * max(known[local].magnitude, 1.0)
            assert known[local].lo - slack <= low and high <= known[local].hi + slack, (program.name, local)
            checked += 1
    assert checked or category in ("matrix",)
