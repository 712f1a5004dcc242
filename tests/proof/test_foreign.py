"""Proof of kernels that people wrote: those of the examples in Warp's wheel, which no generator knows."""

from __future__ import annotations

import pytest
from toys.kernels import foreign
from toys.kernels.foreign import Tried

from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.proof.subject import Proof

# Floating-point arrays in and out: gradients are compared as well.
DIFFERENTIATED = {
    "core/example_alloc_tracker.py": "apply_gravity enforce_ground integrate",
    "core/example_cupy.py": "saxpy",
    "core/example_dem.py": "integrate",
    "core/example_fft_poisson_navier_stokes_2d.py": (
        "copy_float_to_vec2 extract_real_and_normalize multiply_k2_inverse"
    ),
    "core/example_mesh.py": "deform",
    "core/example_sph.py": "drift kick",
    "core/example_torch.py": "eval_rosenbrock",
    "fem/example_darcy_ls_optimization.py": "combine_losses",
    "fem/example_elastic_shape_optimization.py": "invert_scalar",
    "interop/example_jax_callable.py": "accum_kernel scale_vec_kernel",
    "interop/example_jax_kernel.py": "in_out_kernel matmul_kernel sincos_kernel",
    "optim/example_diffray.py": "normalize_kernel",
}
# Whole numbers alone, or no numbers that are read.
NOTHING_TO_DIFFERENTIATE = {"interop/example_jax_kernel.py": "add_kernel diagonal_kernel"}
# Their modules switch Warp's adjoint off.
FORWARD_ONLY = {
    "core/example_sample_mesh.py": "compute_probability_distribution",
    "fem/example_apic_fluid.py": "scalar_vector_multiply",
    "optim/example_particle_repulsion.py": "integrate",
}
# The backward kernel reads what the forward kernel has overwritten.
OVERWRITES = "benchmarks/benchmark_cloth_warp.py:integrate_particles"
# Divides whole numbers by zero on some of our inputs, which ends the process.
DEADLY = "core/example_wave.py:wave_solve"


def _names(*tables: dict[str, str]) -> list[str]:
    return [f"{file}:{name}" for table in tables for file, names in table.items() for name in names.split()]


ALL = _names(DIFFERENTIATED, NOTHING_TO_DIFFERENTIATE, FORWARD_ONLY)


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Tried]:
    names = {*ALL, OVERWRITES, DEADLY}
    kernels = [kernel for kernel in foreign.examples() if str(kernel) in names]
    assert {str(kernel) for kernel in kernels} == names
    return {str(kernel): found for kernel, found in foreign.tried(kernels)}


def test_examples_are_cut_out_as_modules_of_their_own() -> None:
    kernels = {str(kernel): kernel for kernel in foreign.examples()}
    assert len(kernels) > 120
    wave = kernels["core/example_wave.py:wave_displace"]
    assert wave.source.startswith("import warp as wp\n") and "def wave_displace(" in wave.source
    assert "class " not in wave.source
    assert not kernels["optim/example_particle_repulsion.py:integrate"].adjoint


SOURCE = """import warp as wp


@wp.func
def put(into: wp.array[float], i: int, x: float):
    into[i] = x


@wp.kernel
def mixed(a: wp.array[float], b: wp.array[float], c: wp.array[int], d: wp.array[float], e: wp.array[int]):
    i = wp.tid()
    put(b, i, a[i])
    d[i] += a[i]
    wp.atomic_add(c, 0, 1)
    if wp.atomic_add(e, 0, 1) > 3:
        return
"""


def test_what_a_kernel_writes_and_whether_it_reads_it_too() -> None:
    assert foreign.written(SOURCE, "mixed") == {"b": False, "c": False, "d": True, "e": True}


@pytest.mark.compile
@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_a_foreign_kernel_is_proved(name: str, outcomes: dict[str, Tried]) -> None:
    found = outcomes[name]
    assert isinstance(found.outcome, Proof) and found.gradient is None, found
    checks, forward_only = found.outcome.checks, _names(FORWARD_ONLY)
    assert checks.native_compile is True and checks.warp_launch is True and checks.ptx_compile is True
    assert checks.cuda_text_matches is True and checks.cuda_text_error is not None
    assert checks.numpy_matches is None and checks.numpy_error is None  # there is no tree
    gradients = (checks.finite_differences, checks.finite_difference_error, checks.gradients_checked)
    if name in _names(DIFFERENTIATED):
        assert found.inputs and found.outputs
        assert checks.adjoint_matches is True and checks.finite_differences is True
        assert checks.gradients_checked is not None and checks.gradients_checked >= 8
    else:
        assert gradients == (None, None, None)
        assert not (found.inputs and found.outputs) or name in forward_only
    assert ("_backward" in found.outcome.code) == (name not in forward_only)
    assert found.outcome.ptx is not None and found.outcome.ptx.count(".entry") == 2 - (name in forward_only)


@pytest.mark.compile
@pytest.mark.slow
def test_a_foreign_kernel_whose_gradient_is_wrong_is_refused_for_that(outcomes: dict[str, Tried]) -> None:
    found = outcomes[OVERWRITES]
    assert found.gradient is not None and found.gradient.reason is Reason.WRONG_GRADIENT
    assert isinstance(found.outcome, Proof) and found.outcome.checks.cuda_text_matches is True


@pytest.mark.compile
@pytest.mark.slow
def test_a_foreign_kernel_that_ends_its_process_is_an_outcome(outcomes: dict[str, Tried]) -> None:
    outcome = outcomes[DEADLY].outcome
    assert isinstance(outcome, Rejected) and outcome.reason is Reason.CRASH
