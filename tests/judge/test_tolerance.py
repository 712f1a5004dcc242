"""How far an element of an answer may be from the expected one: by what rounding can do to that element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.judge import tolerance
from warp_ir_dataset.judge.hidden import Expected, expect
from warp_ir_dataset.judge.question import Question
from warp_ir_dataset.judge.referee import compared
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval, Trait
from warp_ir_dataset.language.operations import rounding
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, Scalar
from warp_ir_dataset.proof import verify
from warp_ir_dataset.proof.run import Result
from warp_ir_dataset.proof.subject import Arrays

ULP = float(np.finfo(np.float32).eps)
DOUBLE = Scalar("float64")
SIZE = 16


def array(name: str, low: float, high: float, role: ir.Role = "input", type: Scalar = FLOAT) -> ir.Argument:
    return ir.Argument(name, type, role, (SIZE,), Interval(low, high))


OUT = array("y", -1e6, 1e6, "output")


def expected_of(config: str, arguments: tuple[ir.Argument, ...], statement: str) -> Expected:
    """Of a kernel of one statement, in which `i` is the thread."""
    signature = ir.Signature("made", arguments, (SIZE,))
    takes = ", ".join(f"{each.name}: wp.array(dtype={type_of(each)})" for each in arguments)
    source = f"import warp as wp\n\n\n@wp.kernel\ndef made({takes}):\n    i = wp.tid()\n    {statement}\n"
    question = Question(CONFIGS[config], "made", signature, source, read(source, signature))
    return expect(question, 0)


def type_of(argument: ir.Argument) -> str:
    return "float" if argument.type == FLOAT else "wp.float64"


def verdict(expected: Expected, change: Callable[[Result], Result]) -> Status:
    return told([change(result) for result in expected.results], expected)


def told(results: Sequence[Result], expected: Expected) -> Status:
    """The verdict on an answer that leaves these, and adds the same gradients to what is there."""
    again = [
        replace(result, gradients={n: g + start[n] for n, g in result.gradients.items()})
        for result, start in zip(results, expected.starts, strict=True)
        if start
    ]
    alone = results if expected.output_gradients else ()  # the forward passes once more
    return compared([*results, *again, *alone], expected)[0]


def with_output(result: Result, values: np.ndarray) -> Result:
    return replace(result, outputs={"y": values.astype(result.outputs["y"].dtype)})


def smallest_off(values: np.ndarray, factor: float) -> np.ndarray:
    """The array with its smallest element times a factor."""
    changed = values.copy()
    changed.flat[np.abs(values).argmin()] *= factor
    return changed


def with_smallest_off(result: Result, factor: float) -> Result:
    return with_output(result, smallest_off(result.outputs["y"], factor))


def is_rare(signature: ir.Signature) -> bool:
    """Whether it is launched for one item or for very many: there all is held to the whole array."""
    return signature.launch_dim[0] not in range(2, 257)


# Ten times larger with each of five threads: beside the largest, the smallest is next to nothing.
SPREAD = "y[i] = x[i] * wp.pow(10.0, float(i % 5))"


@pytest.mark.compile
@pytest.mark.parametrize("config", ["cpu", "cuda"])
def test_a_small_element_beside_a_large_one_counts(config: str) -> None:
    expected = expected_of(config, (array("x", 1.0, 2.0), OUT), SPREAD)
    for factor, status in ((1.01, Status.WRONG_OUTPUT), (0.999, Status.WRONG_OUTPUT), (1, Status.CORRECT)):
        assert verdict(expected, partial(with_smallest_off, factor=factor)) is status
    first = expected.results[0].outputs
    assert verify.compare({"y": smallest_off(first["y"], 1.01)}, first).unequal is None


@pytest.mark.compile
def test_a_small_gradient_beside_a_large_one_counts() -> None:
    expected = expected_of("cuda_backward", (array("x", 1.0, 2.0), OUT), SPREAD)

    def off(factor: float) -> Callable[[Result], Result]:
        return lambda r: replace(r, gradients={"x": smallest_off(r.gradients["x"], factor)})

    assert verdict(expected, off(1.0)) is Status.CORRECT
    assert verdict(expected, off(1.5)) is Status.WRONG_GRADIENT
    first = expected.results[0].gradients
    assert verify.compare({"x": smallest_off(first["x"], 1.5)}, first, margin=verify.MARGIN).unequal is None


@pytest.mark.compile
@pytest.mark.parametrize("config", ["cpu", "cuda"])
def test_an_element_that_another_order_changes_may_be_off_by_so_much(config: str) -> None:
    """Of terms that nearly cancel, few digits are left; how few, depends on the element."""
    arguments = (array("x", 0.0, 1.0), array("z", 0.9, 1.1), OUT)
    expected = expected_of(config, arguments, "y[i] = 1000.0 * z[i] + x[i] - 1000.0")
    worst = 0.0

    def otherwise(place: int) -> Result:
        x, z = (expected.inputs[place][name] for name in "xz")
        return with_output(expected.results[place], x + np.float32(1000) * (z - np.float32(1)))

    for place, result in enumerate(expected.results):
        y, other = result.outputs["y"], otherwise(place).outputs["y"]
        worst = max(worst, float((np.abs(other - y) / np.abs(y)).max()))
    assert worst > tolerance.FLOOR * verify.TOLERANCE["float32"]
    assert told([otherwise(n) for n in range(len(expected.results))], expected) is Status.CORRECT

    def with_largest_off(result: Result) -> Result:
        y = result.outputs["y"]
        return with_output(result, np.where(np.arange(y.size) == np.abs(y).argmax(), 1.001 * y, y))

    assert verdict(expected, with_largest_off) is Status.WRONG_OUTPUT


@pytest.mark.compile
def test_what_cancels_in_float64_may_be_off_too() -> None:
    """Though moved inputs change it by next to nothing: the root and the number that it is held against move
    together."""
    arguments = (array("x", 10.0, 20.0, type=DOUBLE), array("y", -1e6, 1e6, "output", DOUBLE))
    expected = expected_of("cpu", arguments, "y[i] = wp.sqrt(x[i] * x[i] + wp.float64(1.0)) - x[i]")
    roots = [1 / (np.sqrt(given["x"] ** 2 + 1) + given["x"]) for given in expected.inputs]
    off = [with_output(result, root) for result, root in zip(expected.results, roots, strict=True)]
    changes = [
        np.abs(root / r.outputs["y"] - 1).max() for root, r in zip(roots, expected.results, strict=True)
    ]
    assert max(changes) > 2 * tolerance.FLOOR * verify.TOLERANCE["float64"]
    assert told(off, expected) is Status.CORRECT
    for result, root, distances in zip(expected.results, roots, expected.distances, strict=True):
        y = result.outputs["y"]
        assert (distances.outputs["y"] > 2 * tolerance.FLOOR * verify.TOLERANCE["float64"] * np.abs(y)).all()
        assert (np.abs(root - y) < distances.outputs["y"] / 8).all()
    assert verdict(expected, lambda r: with_output(r, r.outputs["y"] * 1.000001)) is Status.WRONG_OUTPUT


@pytest.mark.compile
def test_a_gradient_that_cancels_in_float64_may_be_off_too() -> None:
    """Where nothing more precise says so, and every other rounding leaves the same."""
    arguments = (array("x", 10.0, 20.0, type=DOUBLE), array("y", -1e6, 1e6, "output", DOUBLE))
    statement = "y[i] = wp.sqrt(x[i] * x[i] + wp.float64(1.0)) - x[i]"
    expected = expected_of("cuda_backward", arguments, statement)

    def otherwise(place: int, factor: float) -> Result:
        x, seeds = expected.inputs[place]["x"], expected.output_gradients[place]["y"]
        root = np.sqrt(x * x + 1)
        gradient = -seeds / ((root + x) * root)
        return replace(expected.results[place], gradients={"x": factor * gradient})

    for place, (result, distances) in enumerate(zip(expected.results, expected.distances, strict=True)):
        off = np.abs(otherwise(place, 1.0).gradients["x"] - result.gradients["x"])
        assert (off <= distances.gradients["x"] / 8).all()
    for factor, status in ((1.0, Status.CORRECT), (1.000001, Status.WRONG_GRADIENT)):
        assert told([otherwise(n, factor) for n in range(len(expected.results))], expected) is status


@pytest.mark.compile
def test_a_gradient_that_threads_sum_in_another_order_may_be_off() -> None:
    """Here by nothing but the order of the sum: it does not depend on inputs."""
    expected = expected_of("cuda_backward", (array("x", 1.0, 2.0), OUT), "y[i] = x[0] * 3.0 + x[i]")

    def summed(place: int, factor: float) -> Result:
        seeds, result = expected.output_gradients[place]["y"], expected.results[place]
        gradient = result.gradients["x"].copy()
        gradient[0] = factor * (np.cumsum((seeds * np.float32(3))[::-1], dtype=np.float32)[-1] + seeds[0])
        return replace(result, gradients={"x": gradient})

    for factor, status in ((1.0, Status.CORRECT), (1.01, Status.WRONG_GRADIENT)):
        assert told([summed(n, factor) for n in range(len(expected.results))], expected) is status


@pytest.mark.compile
@pytest.mark.parametrize(("type", "dtype"), [(FLOAT, "float32"), (DOUBLE, "float64")], ids=str)
def test_some_units_in_the_last_place_are_always_allowed(type: Scalar, dtype: str) -> None:
    """Where nothing is rounded, too; and a trace of the largest element, where zero is expected."""
    size = float(np.finfo(dtype).eps)
    arguments = (array("x", 0.0, 1.0, type=type), array("y", -1e6, 1e6, "output", type))
    expected = expected_of("cpu", arguments, "y[i] = wp.where(i != 2, -x[i], x[i] - x[i])")

    def whole(result: Result, by: float) -> Result:
        return with_output(result, result.outputs["y"] * by)

    for units, status in ((120, Status.CORRECT), (260, Status.WRONG_OUTPUT)):
        assert verdict(expected, partial(whole, by=1 + units * size)) is status

    def trace(result: Result, units: float) -> Result:
        y = result.outputs["y"]
        return with_output(result, np.where(np.arange(y.size) == 2, units * size * np.abs(y).max(), y))

    assert verdict(expected, lambda r: trace(r, 15)) is Status.CORRECT
    assert verdict(expected, lambda r: trace(r, 17)) is Status.WRONG_OUTPUT


@pytest.mark.compile
def test_no_distance_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    for times in (tolerance.TIMES, 1e12):
        monkeypatch.setattr(tolerance, "TIMES", times)
        expected = expected_of("cuda_backward", (array("x", 1.0, 2.0), OUT), SPREAD)
        every = zip(expected.signatures, expected.results, expected.distances, strict=True)
        for signature, result, distances in every:
            y, x = result.outputs["y"], result.gradients["x"]
            most = [verify.allowed(each, verify.MARGIN) for each in (y, x)]
            found = [distances.outputs["y"], distances.gradients["x"]]
            assert all((f <= m).all() for f, m in zip(found, most, strict=True))
            whole = [(f == m)[each != 0].all() for f, m, each in zip(found, most, (y, x), strict=True)]
            assert all(whole) is (times == 1e12 or is_rare(signature))


@pytest.mark.compile
def test_what_another_rounding_leads_astray_is_held_to_the_whole_array(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tolerance, "rounded_otherwise", lambda *given: None)
    expected = expected_of("cpu", (array("x", 1.0, 2.0), OUT), SPREAD)
    pairs = [*zip(expected.signatures, expected.distances, strict=True)]
    assert all(is_rare(signature) for signature, distances in pairs if distances.outputs)

    def off(result: Result) -> Result:
        return with_smallest_off(result, 1.01) if result.outputs["y"].size > 1 else result

    assert verdict(expected, off) is Status.CORRECT


def test_the_largest_change_of_all_runs_counts() -> None:
    """From float64, if the kernel has that form; anything may be left where a run is not finite."""
    values = {"x": np.array([1.0, 1.0, 1.0, 1.0], np.float32)}
    runs = [{"x": np.float32([1, 1 + 100 * ULP, 1, np.nan])}, {"x": np.float32([1, 1, 1 - 50 * ULP, np.inf])}]
    most = verify.allowed(values["x"], verify.MARGIN)[0]
    found = tolerance.of_gradients(values, runs, [values], None)["x"] / ULP
    assert found == pytest.approx([128, 3200, 1600, most / ULP])
    exact = {"x": np.array([1 - 60 * ULP, 1.0, 1.0, 1.0])}
    assert tolerance.of_gradients(values, runs, [values], exact)["x"][0] / ULP == pytest.approx(1920)


def test_a_sum_of_large_numbers_that_cancel_may_be_off_by_them() -> None:
    """In the order of one thread after the other they leave no trace; begun elsewhere, they do."""

    def summed(terms: np.ndarray, start: np.ndarray) -> np.ndarray:
        for term in terms:
            start = start + term
        return start

    small = np.float32([0.25, -1e-4, 0.0, 0.5])
    large = np.float32([0.0, 3e4, 3e4, 0.0])
    for terms in (np.stack([small]), np.stack([large, -large, small])):
        values = {"x": summed(terms, np.zeros(4, np.float32))}
        begun = tolerance.beginnings(values)
        assert all(start["x"].dtype == np.float32 and (start["x"] > 0).all() for start in begun)
        sums = [{"x": summed(terms, start["x"]).astype(np.float64) - start["x"]} for start in begun]
        found = tolerance.of_gradients(values, [values], sums, None)["x"]
        plain = tolerance.of_gradients(values, [values], [values], None)["x"]
        assert (found[[0, 3]] <= 1.1 * plain[[0, 3]]).all()
        assert (found[1:3] > 1e-3).all() == (len(terms) == 3)


# ---- inputs


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_numbers_are_moved_by_a_unit_in_the_last_place(dtype: str) -> None:
    values = (np.random.default_rng(5).integers(-99999, 99999, 200) / 1e4).astype(dtype)
    runs = [tolerance.moved(values, number) for number in range(tolerance.RUNS)]
    for number, left in enumerate(runs):
        assert left.dtype == values.dtype
        steps = (left.astype(np.float64) - values) / np.spacing(np.abs(values)).astype(np.float64)
        assert np.abs(steps).max() <= 1 + number * (rounding.WIDE if dtype == "float64" else 0)
        assert 0.3 < np.mean(steps[steps != 0] > 0) < 0.7 and np.mean(steps != 0) > 0.9
    assert np.mean([np.ptp(each) > 0 for each in np.stack(runs, axis=1)]) > 0.7


def test_ties_symmetries_and_short_numbers_stay() -> None:
    values = np.array([0.1, -0.1, 0.1, 3.0, 0.0, -0.0, 0.75, 1e30, 2.0**-140], np.float32)
    for number in range(tolerance.RUNS):
        left = tolerance.moved(values, number)
        assert left[0] == left[2] == -left[1] != values[0]
        assert np.array_equal(left[[3, 4, 5, 6, 8]], values[[3, 4, 5, 6, 8]]) and np.signbit(left[5])
    whole = np.arange(5)
    assert tolerance.moved(whole, 0) is whole
    assert tolerance.moved(np.array(0.3, np.float32), 0).shape == ()


def test_inputs_stay_in_their_domain_and_keep_their_trait() -> None:
    def nudged(values: list[float], low: float, high: float, trait: Trait | None = None) -> list[np.ndarray]:
        given = np.array(values, np.float32)
        argument = ir.Argument("x", FLOAT, "input", given.shape, Interval(low, high), trait=trait)
        signature = ir.Signature("made", (argument,), (SIZE,))
        sets: list[Arrays] = [{"x": given}, {"x": given}]
        runs = tolerance.nudged(signature, sets)
        assert len(runs) == tolerance.RUNS and all(np.array_equal(a["x"], b["x"]) for a, b in runs)
        return [first["x"] for first, _ in runs]

    one = float(np.float32(0.1))
    assert all(
        left[0] in (np.float32(0.1), np.nextafter(np.float32(0.1), 1)) for left in nudged([0.1], one, 1)
    )
    assert all(left[0] <= np.float32(0.1) for left in nudged([0.1], 0, one))
    close = [0.3 + float(np.spacing(np.float32(0.3))) * n for n in range(50)]
    assert any((np.diff(left) < 0).any() for left in nudged(close, 0, 1))
    for left in nudged(close, 0, 1, "sorted"):
        assert (np.diff(left) >= 0).all()
