"""All of Warp's options: each decides the code and is kept, is decided by us, or does not matter."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import warp as wp
from warp._src import context

from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers.extracting.extract import extract
from warp_ir_dataset.compilers.extracting.found import made_by
from warp_ir_dataset.compilers.extracting.source import BESIDE, KERNEL_OPTIONS, MODULE_OPTIONS, SETTINGS

# A config has forward code or both; a launch has its block; text has no hashes and no marks of lines; what
# Warp checks while it runs, or writes down for a debugger, is no part of the code.
OURS = {
    "enable_backward",
    "block_dim",
    "strip_hash",
    "mode",
    "lineinfo",
    "line_directives",
    "verify_fp",
    "verify_autograd_array_access",
}
# How files are made, stored and found; what is for other targets than ours.
NO_MATTER = {
    "cuda_output",
    "cpu_compiler_flags",
    "compile_time_trace",
    "use_precompiled_headers",
    "enable_tiles_in_stack_memory",
    "llvm_cuda",
}
# With these a kernel has no source that stands alone.
TOLD = {
    "extra_build_options",
    "extra_cuda_include_dirs",
    "extra_cpu_include_dirs",
    "extra_cuda_preamble",
    "extra_cpu_preamble",
    "extra_build_dependencies",
}
# What says which kernel it is, and where.
OF_THE_DECORATOR = {"f", "name", "module", "module_options"}
# Another value than Warp's own for each that is kept.
OTHERS: dict[str, Any] = {
    "max_unroll": 3,
    "default_grid_stride": False,
    "enable_mathdx_gemm": False,
    "enable_mathdx_solver": False,
    "enable_mathdx_fft": False,
    "deterministic": wp.DeterministicMode.RUN_TO_RUN,
    "deterministic_max_records": 7,
    "fast_math": True,
    "fuse_fp": False,
    "optimization_level": 1,
}
OF_KERNELS: dict[str, Any] = {
    "launch_bounds": (128, 2),
    "grid_stride": False,
    "cluster_dim": 2,
    "cuda_max_registers": 64,
    "enable_cuda_smem_spilling": True,
}

pytestmark = pytest.mark.compile

KERNEL = """
@wp.kernelOPTIONS
def k(x: wp.array(dtype=float), out: wp.array(dtype=wp.vec3)):
    t = wp.tid()
    v = wp.vec3(0.0, 0.0, 0.0)
    v[0] = v[0] + x[t] * x[t]
    for j in range(5):
        v[0] = v[0] + 2.0 * wp.sin(x[t])
    out[t] = v
"""


@pytest.fixture(autouse=True)
def configuration() -> Iterator[None]:
    before = dict(vars(wp.config))
    yield
    for name, value in before.items():
        setattr(wp.config, name, value)


def made(folder: Path, head: str, options: str = "") -> Any:
    """The kernel of a module of somebody's, with a head and options of its own."""
    toolchain.start()
    name = f"with_options_{abs(hash((head, options)))}"
    (folder / f"{name}.py").write_text(f"import warp as wp\n{head}\n{KERNEL.replace('OPTIONS', options)}")
    import importlib.util

    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    (kernel,) = made_by(lambda: spec.loader.exec_module(module), name)  # type: ignore[union-attr]
    return kernel


def test_every_option_of_a_module_is_known() -> None:
    """One that a later Warp brings is decided upon before its rows are made."""
    module = context.Module(None)
    options = {*module.options, *module.resolve_options(wp.config)}
    kept = {*MODULE_OPTIONS, *SETTINGS}
    groups = (kept, OURS, NO_MATTER, TOLD)
    assert options == set().union(*groups) and sum(map(len, groups)) == len(options)
    assert BESIDE in TOLD and set(OTHERS) == set(MODULE_OPTIONS)


def test_every_option_of_a_kernel_is_known() -> None:
    parameters = set(inspect.signature(wp.kernel).parameters)
    groups = (set(KERNEL_OPTIONS), {"enable_backward"}, OF_THE_DECORATOR)
    assert parameters == set().union(*groups) and sum(map(len, groups)) == len(parameters)
    assert {*OF_KERNELS, "entry_point_abi"} == set(KERNEL_OPTIONS)


@pytest.mark.parametrize("way", ["module", "decorator"])
@pytest.mark.parametrize("name", OTHERS)
def test_an_option_of_a_module_is_in_its_kernels_source(name: str, way: str, tmp_path: Path) -> None:
    value = OTHERS[name]
    text = "wp.DeterministicMode.RUN_TO_RUN" if name == "deterministic" else repr(value)
    told = f"{{{name!r}: {text}}}"
    if way == "module":
        kernel = made(tmp_path, f"wp.set_module_options({told})")
    else:
        kernel = made(tmp_path, "", f"(module='unique', module_options={told})")
    found = extract(kernel, None)
    assert found.python_source is not None, found.missing
    assert f"wp.set_module_options({told})" in found.python_source
    again = toolchain.define(found.python_source, found.name)
    assert again.module.resolve_options(wp.config)[name] == value


@pytest.mark.parametrize("name", ["max_unroll", "default_grid_stride", "enable_mathdx_gemm", *SETTINGS])
def test_an_option_may_come_from_warps_configuration(name: str, tmp_path: Path) -> None:
    value = OTHERS.get(name, True)
    kernel = made(tmp_path, f"wp.config.{name} = {value!r}")
    found = extract(kernel, None)
    assert found.python_source is not None, found.missing
    line = f"wp.config.{name} = {value!r}" if name in SETTINGS else f"{name!r}: {value!r}"
    assert line in found.python_source
    assert ("assign_copy" in found.cpp) is (name in SETTINGS)
    assert ("assign_copy" in (found.cuda_backward or "")) is (name in SETTINGS)


def test_a_source_sets_warps_configuration_for_itself_alone(tmp_path: Path) -> None:
    head = "import warp as wp\nwp.config.enable_vector_component_overwrites = True\n"
    source = head + KERNEL.replace("OPTIONS", "")
    texts = [
        toolchain.translate(text, "k", backward=True, cuda=True).cuda
        for text in (source, f"import warp as wp\n{KERNEL.replace('OPTIONS', '')}", source)
    ]
    assert ["assign_copy" in (text or "") for text in texts] == [True, False, True]
    assert wp.config.enable_vector_component_overwrites is False


def test_what_warp_takes_from_its_configuration_alone_no_module_sets(tmp_path: Path) -> None:
    """Warp does not heed it there either: what `wp.compile_aot_module` writes has no copies."""
    name = "enable_vector_component_overwrites"
    kernel = made(tmp_path, f"wp.set_module_options({{{name!r}: True}})")
    assert kernel.module.resolve_options(wp.config)[name] is False
    found = extract(kernel, None)
    assert "assign_copy" not in found.cpp and found.python_source is not None
    wp.compile_aot_module(kernel.module, device="cpu", module_dir=str(tmp_path))
    (text,) = tmp_path.glob("*.cpp")
    assert "assign_copy" not in text.read_text() and "assign_inplace" in text.read_text()


@pytest.mark.parametrize("name", OF_KERNELS)
def test_an_option_of_a_kernel_is_in_its_source(name: str, tmp_path: Path) -> None:
    found = extract(made(tmp_path, "", f"({name}={OF_KERNELS[name]!r})"), None)
    assert found.python_source is not None, found.missing
    assert f"@wp.kernel({name}={OF_KERNELS[name]!r})" in found.python_source


@pytest.mark.parametrize("option", ["enable_backward=False", "enable_backward=True"])
def test_a_config_decides_whether_there_is_an_adjoint(option: str, tmp_path: Path) -> None:
    found = extract(made(tmp_path, "", f"({option})"), None)
    assert found.python_source is not None and "enable_backward" not in found.python_source
    assert "backward" not in (found.cuda or "") and "_backward" in (found.cuda_backward or "")


def test_what_is_beside_a_module_is_told(tmp_path: Path) -> None:
    head = f'wp.set_module_options({{"{BESIDE}": wp.ModuleBuildOptions(extra_cpu_preamble="#define ONE 1")}})'
    found = extract(made(tmp_path, head), None)
    assert found.python_source is None and BESIDE in found.missing["python_source"]


def test_ptx_is_made_as_the_module_says(tmp_path: Path) -> None:
    plain, fast = (
        extract(made(tmp_path, head), "sm_80") for head in ("", 'wp.set_module_options({"fast_math": True})')
    )
    assert "sin.approx" in (fast.ptx or "") and "sin.approx" not in (plain.ptx or "")
