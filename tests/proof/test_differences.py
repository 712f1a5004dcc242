"""Central differences, of functions in Python that stand in for a kernel's native code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import warp as wp

from warp_ir_dataset.compilers import layout
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.types import shaped
from warp_ir_dataset.proof import verify
from warp_ir_dataset.proof.run import Differences, Runner

Function = Callable[[np.ndarray], Any]
Differ = Callable[..., Differences]


@pytest.fixture
def differ() -> Iterator[Differ]:
    """The differences of a function from the array `a` to the array `o`, whose gradient is `weights`."""
    alive = []

    def run(
        function: Function,
        a: np.ndarray,
        weights: np.ndarray,
        scalar: str = "float64",
        steps: Sequence[float] = verify.STEPS,
    ) -> Differences:
        arguments = tuple(
            ir.Argument(name, shaped(scalar), role, array.shape, Interval(-1.0, 1.0))
            for name, role, array in (("a", "input", a), ("o", "output", weights))
        )
        kinds = [wp.array(dtype=getattr(wp, scalar), ndim=x.ndim) for x in arguments]
        record = layout.of_arguments(
            SimpleNamespace(label=x.name, type=kind) for x, kind in zip(arguments, kinds, strict=True)
        )

        def forward(*_: object) -> None:
            work = runner._frame.work
            work["o"][...] = function(work["a"])

        entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(forward)
        alive.append(entry)
        address = ctypes.cast(entry, ctypes.c_void_p).value
        member: Any = SimpleNamespace(
            translation=SimpleNamespace(
                tid_dims=1,
                arguments=record,
                parameters=tuple((x.name, x.reference.type) for x in arguments),
            ),
            cpu_symbols=("forward", None),
            cuda_symbols=None,
            plain=None,
        )
        library: Any = SimpleNamespace(address=lambda symbol: address)
        runner = Runner(ir.Signature("kernel", arguments, (1,)), member, library, cuda=False)
        [found] = runner.differences({"a": a}, {"o": weights}, steps)
        return found

    yield run


def test_two_steps_tell_a_kink(differ: Differ) -> None:
    # Between the two steps away from where |a| has no derivative, and far from it.
    found = differ(np.abs, np.array([1.5e-5, 0.5]), np.ones(2))
    assert found.argument == "a"
    assert found.slopes == pytest.approx(np.array([[1.0, 1.0], [0.75, 1.0]]))


def test_small_arrays_are_tried_whole_and_large_ones_at_even_distances(differ: Differ) -> None:
    for size, count in ((1, 1), (256, 256), (257, 256), (500, 256)):
        factors = np.arange(1.0, size + 1)
        found = differ(lambda a, f=factors: (a * f).sum(), np.full(size, 0.25), np.ones(1))
        assert len(set(found.index.tolist())) == count
        assert (found.index[0], found.index[-1]) == (0, size - 1)
        assert max(np.diff(found.index), default=1) <= -(-size // count)
        for row in found.slopes:
            assert row == pytest.approx(factors[found.index])


def test_elements_of_several_dimensions_are_counted_flat(differ: Differ) -> None:
    factors = np.arange(6.0).reshape(2, 3)
    found = differ(lambda a: (a * factors).sum(), np.ones((2, 3)), np.ones(1))
    assert found.index.tolist() == list(range(6))
    assert found.slopes[0] == pytest.approx(np.arange(6.0))


def test_each_element_is_put_back(differ: Differ) -> None:
    found = differ(lambda a: a[0] * a[1] * a[2], np.array([2.0, 3.0, 5.0]), np.ones(1))
    assert found.slopes == pytest.approx(np.array([[15.0, 10.0, 6.0]] * 2), rel=1e-9)


def test_outputs_count_by_the_gradients_that_arrive(differ: Differ) -> None:
    found = differ(lambda a: np.array([a[0], a[0] ** 2, 7.0]), np.array([3.0]), np.array([0.5, -2.0, 9.0]))
    assert found.slopes == pytest.approx(np.array([[-11.5]] * 2), rel=1e-8)


def test_large_outputs_do_not_drown_small_slopes(differ: Differ) -> None:
    found = differ(lambda a: np.array([a[0], 1e9, -1e9]), np.array([0.5]), np.ones(3))
    assert found.slopes == pytest.approx(np.ones((2, 1)), rel=1e-9)


def test_float32_has_steps_of_its_own(differ: Differ) -> None:
    steps = verify.OWN_STEPS
    assert steps[1] == 2 * steps[0] > 100 * verify.STEPS[1]
    # A step is what float32 makes of it: what is handed on as it is has slope one, however it is rounded.
    found = differ(lambda a: a, np.array([0.7, 1e3]), np.full(2, 3.0), "float32", steps)
    assert found.slopes == pytest.approx(np.full((2, 2), 3.0), rel=1e-9)
    # Two steps tell a kink here too.
    kinked = differ(np.abs, np.array([6e-3, 0.5]), np.ones(2), "float32", steps)
    assert kinked.slopes == pytest.approx(np.array([[1.0, 1.0], [0.75, 1.0]]), rel=1e-3)
