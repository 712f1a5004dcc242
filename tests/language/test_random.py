"""Random numbers, noise and searched arrays: from states of all sizes, along a sequence, in programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.operations import noises, pcg
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, INT, Scalar, Vector

STATES = np.array([[0, 1, 42, 2**31 - 1, 2**31, 2**32 - 1, 747796405]])
WIDE = np.random.default_rng(3).integers(0, 2**32, (1, 4000))


def pcg_of(state: int) -> int:
    """PCG as its paper has it, on Python's integers."""
    word = (state * 747796405 + 2891336453) % 2**32
    word = ((word >> ((word >> 28) + 4)) ^ word) * 277803737 % 2**32
    return (word >> 22) ^ word


def test_states_follow_each_other_as_the_paper_says():
    assert pcg.pcg(STATES).tolist() == [[pcg_of(int(s)) for s in STATES[0]]]
    assert pcg.begun(np.array([[-1]])).item() == pcg_of(2**32 - 1)
    offset = pcg_of((-7) % 2**32)
    assert pcg.begun(np.array([[5]]), np.array([[-7]])).item() == pcg_of((5 + offset) % 2**32)


DRAWS = {
    "randi": 1, "randu": 1, "randf": 1, "randn": 2, "sample_triangle": 2, "sample_unit_ring": 1,
    "sample_unit_disk": 2, "sample_unit_sphere": 3, "sample_unit_sphere_surface": 2,
    "sample_unit_hemisphere": 3, "sample_unit_hemisphere_surface": 2, "sample_unit_square": 2,
    "sample_unit_cube": 3,
}  # fmt: skip


@pytest.mark.parametrize(("name", "draws"), DRAWS.items())
def test_how_often_an_operation_draws(name, draws):
    row = TABLE[name]
    ((_, result),) = row.signature.instances
    _, after = row.meaning(result, STATES)
    expected = STATES
    for _ in range(draws):
        expected = pcg.pcg(expected)
    assert (after == expected).all()


def test_moments():
    """Of a few thousand draws, within five of their standard errors."""
    error = 5 / np.sqrt(WIDE.size)
    u, _ = pcg.uniform(WIDE)
    assert abs(u.mean() - 0.5) < error * 0.29
    normal, _ = pcg.normal(WIDE)
    assert abs(normal.mean()) < error and abs(normal.var() - 1) < error * 1.5
    for rate in (0.0, 2.5, 30.0):
        counts, _ = pcg.poisson(WIDE, np.full((1, 1), rate))
        assert abs(counts.mean() - rate) <= error * np.sqrt(rate)
    point, _ = pcg.ball(2.0, filled=True)(WIDE)
    radius = np.linalg.norm(point, axis=-1)
    assert radius.max() <= 1.0 + 1e-6 and abs((radius**3).mean() - 0.5) < error * 0.29
    surface, _ = pcg.ball(1.0, filled=False)(WIDE)
    assert np.allclose(np.linalg.norm(surface, axis=-1), 1.0) and surface[..., 2].min() >= -1e-6


def test_noise_vanishes_on_the_lattice_and_repeats():
    places = np.random.default_rng(1).integers(0, 9, (1, 50, 3)).astype(float)
    assert np.allclose(noises.noise(FLOAT, STATES[:, :1], places), 0.0)
    between = places + 0.37
    periods = [np.full((1, 1), p) for p in (9, 10, 11)]
    once = noises.noise(FLOAT, STATES[:, 2:3], between, *periods)
    assert np.abs(once).max() > 0.05
    again = noises.noise(FLOAT, STATES[:, 2:3], between + np.array([9, 10, 11]), *periods)
    assert np.allclose(once, again)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
def test_the_gradient_of_noise_is_its_slope(dimensions):
    places, step = np.random.default_rng(2).uniform(-4, 4, (1, 60, dimensions)), 1e-6
    _, gradient = noises.level(WIDE[:, :60], places)
    for axis in range(dimensions):
        moved = step * np.eye(dimensions)[axis]
        ends = [noises.level(WIDE[:, :60], places + side * moved)[0] for side in (1, -1)]
        assert np.allclose((ends[0] - ends[1]) / (2 * step), gradient[..., axis], atol=1e-6)


def test_curls_have_no_sources():
    places, step = np.random.default_rng(4).uniform(-4, 4, (1, 60, 3)), 1e-5
    octaves, two, half = np.full((1, 1), 3), np.full((1, 1), 2.0), np.full((1, 1), 0.5)

    def field(at: np.ndarray) -> np.ndarray:
        return noises.curl(Vector("float32", 3), WIDE[:, :60], at, octaves, two, half)

    moves = step * np.eye(3)
    slopes = [(field(places + moves[k]) - field(places - moves[k]))[..., k] / (2 * step) for k in range(3)]
    assert np.abs(slopes[0]).max() > 0.1
    assert np.allclose(sum(slopes), 0.0, atol=1e-5)


# ---- in programs


def test_a_state_goes_from_draw_to_draw():
    program = read(
        """
import warp as wp

@wp.kernel
def scatter(seed: int, out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    state = wp.rand_init(seed, i)
    a = wp.randf(state)
    b = wp.randf(state)
    out[i] = a - b
"""
    )
    seeds = np.array([3, 4])
    found = interpret(program, {"seed": seeds}, 2)["out"]
    threads = np.arange(found.shape[1])
    first, state = pcg.uniform(pcg.begun(seeds[:, None], threads))
    second, _ = pcg.uniform(state)
    assert np.allclose(found, first.astype(float) - second)


SEARCH = """
import warp as wp

@wp.kernel
def search(sums: wp.array(dtype=wp.float32), rows: wp.array2d(dtype=wp.float32), out: wp.array(dtype=int)):
    i = wp.tid()
    state = wp.rand_init(7, i)
    first = wp.sample_cdf(state, sums)
    second = wp.lower_bound(rows[i], 0.5)
    third = wp.lower_bound(sums, 1, 3, 0.5)
    out[i] = first + 10 * second + 100 * third
"""


def test_arrays_are_searched_whole_and_in_part():
    program = read(SEARCH)
    rng = np.random.default_rng(0)
    sums = np.sort(rng.uniform(0, 1, (2, 4)), axis=1)
    threads = 3
    rows = np.sort(rng.uniform(0, 1, (2, threads, 6)), axis=2)
    program = with_shapes(program, {"sums": (4,), "rows": (threads, 6), "out": (threads,)})
    found = interpret(program, {"sums": sums, "rows": rows}, 2)["out"]
    for s in range(2):
        for i in range(threads):
            u, _ = pcg.uniform(pcg.begun(np.array([[7]]), np.array([[i]])))
            first = min(np.searchsorted(sums[s], u.item()), 3)
            second = min(np.searchsorted(rows[s, i], 0.5), 5)
            third = 1 + min(np.searchsorted(sums[s, 1:3], 0.5), 1)
            assert found[s, i] == first + 10 * second + 100 * third


def with_shapes(program, shapes):
    arguments = tuple(replace(a, shape=shapes[a.name]) for a in program.arguments)
    signature = replace(program.signature, arguments=arguments, launch_dim=shapes["out"])
    return replace(program, signature=signature)


def test_what_an_atomic_returns_has_no_gradient():
    source = """
import warp as wp

@wp.kernel
def collect(x: wp.array(dtype=float), total: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    before = wp.atomic_add(total, 0, x[i])
    out[i] = before * 2.0
"""
    assert gradient_bar(read(source)) == "what an atomic returns is used"
    alone = source.replace("before = ", "").replace("out[i] = before * 2.0", "out[i] = x[i] * 2.0")
    assert gradient_bar(read(alone)) is None
    exchanged = alone.replace("atomic_add", "atomic_exch")
    assert gradient_bar(read(exchanged)) == "atomic_exch on an array that has a gradient"


def test_whole_numbers_of_a_range():
    low, high = np.full((1, 1), -5), np.full((1, 1), 4)
    found, _ = TABLE["randi_between"].meaning(INT, WIDE, low, high)
    assert set(found.ravel().tolist()) == set(range(-5, 4))
    every, _ = TABLE["randi"].meaning(INT, WIDE)
    assert every.min() < -(2**30) and every.max() > 2**30
    assert TABLE["randu"].meaning(Scalar("uint32"), WIDE)[0].min() >= 0
