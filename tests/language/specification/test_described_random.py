"""Random numbers and noise go by Warp's names, and the mechanical reader draws what Warp draws."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from blind.read import read

from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers.launch import launch
from warp_ir_dataset.compilers.units import Member, native_unit
from warp_ir_dataset.language.python.read import read as parsed
from warp_ir_dataset.language.specification.write import specify

# What each call gives is stored in the next columns; the state moves on from one to the next.
NUMBERS = (
    "float(wp.randi(state) / 256)",
    "float(wp.randi(state, -5, 9))",
    "float(wp.randu(state) >> wp.uint32(8))",
    "float(wp.randu(state, wp.uint32(3), wp.uint32(50)))",
    "wp.randf(state)",
    "wp.randf(state, -2.0, 5.0)",
    "wp.randn(state)",
    "float(wp.sample_cdf(state, sums))",
    "wp.noise(state, 9.0 * sums[0])",
    "wp.noise(state, wp.vec3(1.7, -0.3, sums[1]))",
    "wp.pnoise(state, wp.vec2(-1.3, 7.0 * sums[1]), 3, 4)",
    "wp.pnoise(state, wp.vec4(0.2, 4.3, -1.4, sums[0]), 2, 3, 4, 5)",
)
VECTORS = {
    "wp.sample_triangle(state)": 2,
    "wp.sample_unit_ring(state)": 2,
    "wp.sample_unit_disk(state)": 2,
    "wp.sample_unit_sphere_surface(state)": 3,
    "wp.sample_unit_sphere(state)": 3,
    "wp.sample_unit_hemisphere_surface(state)": 3,
    "wp.sample_unit_hemisphere(state)": 3,
    "wp.sample_unit_square(state)": 2,
    "wp.sample_unit_cube(state)": 3,
    "wp.curlnoise(state, wp.vec2(0.4, sums[0]))": 2,
    "wp.curlnoise(state, wp.vec3(-0.4, 2.2, sums[0]), wp.uint32(3), 2.5, 0.6)": 3,
    "wp.curlnoise(state, wp.vec4(-0.4, 2.2, 5.1, sums[0]))": 3,
}
COLUMNS = len(NUMBERS) + sum(VECTORS.values()) + 1
THREADS = 50


def source() -> str:
    body = ["i = wp.tid()", "state = wp.rand_init(seed, 3 * i - 20)"]
    for column, call in enumerate(NUMBERS):
        body += [f"n{column} = {call}", f"out[i, {column}] = n{column}"]
    column = len(NUMBERS)
    for number, (call, size) in enumerate(VECTORS.items()):
        body.append(f"v{number} = {call}")
        body += [f"out[i, {column + k}] = v{number}[{k}]" for k in range(size)]
        column += size
    body += ["other = wp.rand_init(seed - i)", "last = wp.randf(other)", f"out[i, {column}] = last"]
    head = "def drawn(seed: int, sums: wp.array(dtype=float), out: wp.array2d(dtype=float)):"
    return "\n".join(["import warp as wp", "@wp.kernel", head, *(f"    {line}" for line in body)]) + "\n"


def by_warp(seed: int, sums: np.ndarray) -> np.ndarray:
    made = toolchain.translate(source(), "drawn", backward=False, cuda=False)
    member = Member("m", made)
    library = toolchain.compile_native(native_unit([member]))
    forward, _ = member.cpu_symbols
    out = np.zeros((THREADS, COLUMNS), np.float32)
    entries = (ctypes.CFUNCTYPE(None)(library.address(forward)), None)
    launch(made, entries, (THREADS,), [np.array(seed, np.int32), sums, out])
    return out


def translated() -> str:
    program = parsed(source())
    shapes = {"seed": (), "sums": (4,), "out": (THREADS, COLUMNS)}
    arguments = tuple(replace(argument, shape=shapes[argument.name]) for argument in program.arguments)
    return specify(
        replace(program, signature=replace(program.signature, arguments=arguments, launch_dim=(THREADS,)))
    )


@pytest.mark.compile
@pytest.mark.parametrize("seed", [17, THREADS - 2**31])
def test_the_reader_draws_what_warp_draws(seed):
    sums = np.array([0.2, 0.45, 0.7, 0.9], np.float32)
    found = read(translated()).launched({"seed": np.int32(seed), "sums": sums})["out"]
    np.testing.assert_allclose(found, by_warp(seed, sums), rtol=1e-5, atol=3e-6)
