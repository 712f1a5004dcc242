"""Code text, compilers and versions."""

from __future__ import annotations

import gc
import importlib.util
import re
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
import warp as wp
from warp._src.types import type_size_in_bytes

from warp_ir_dataset.builds import engine
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.versions import WARP_MINOR
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers import warp_text
from warp_ir_dataset.compilers.warp import CompileError

SOURCE = """import warp as wp


@wp.struct
class Particle:
    mass: float
    velocity: wp.vec3


@wp.func
def damp(x: float, k: float) -> float:
    return x * wp.exp(-k)


@wp.kernel
def step(
    positions: wp.array(dtype=wp.vec3), masses: wp.array(dtype=float), dt: float, out: wp.array(dtype=wp.vec3)
):
    i = wp.tid()
    p = Particle()
    p.mass = masses[i]
    p.velocity = positions[i] * dt
    total = float(0.0)
    for j in range(3):
        total += damp(p.mass, float(j))
    if total > 1.0:
        total = wp.sin(total)
    out[i] = p.velocity * total
"""

GRID = """import warp as wp


@wp.kernel
def blur(image: wp.array2d(dtype=wp.float64), width: int, out: wp.array2d(dtype=wp.float64)):
    i, j = wp.tid()
    out[i, j] = image[i, j] * wp.float64(0.5) + image[i, wp.min(j + 1, width - 1)] * wp.float64(0.5)
"""

SIMPLE = """import warp as wp


@wp.kernel
def simple(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i] * 2.0
"""

KERNELS = {"step": SOURCE, "blur": GRID}


def _public_text(name: str, source: str, target: str, backward: bool, folder: Path) -> str:
    """What `wp.compile_aot_module` writes, without preamble, hashes, comment padding and path."""
    path = folder / f"{name}_module.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(f"{name}_{target}_{backward}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    wp.config.kernel_cache_dir = str(folder / "cache")
    toolchain.start()
    spec.loader.exec_module(module)
    options = {"enable_backward": backward}
    if target == "cpu":
        wp.set_module_options({**options, "block_dim": 1, "cpu_compiler_flags": ""}, module)
        wp.compile_aot_module(module, device="cpu", module_dir=folder / "out")
        (written,) = (folder / "out").glob("*.cpp")
    else:
        wp.set_module_options(options, module)
        wp.compile_aot_module(module, arch=80, module_dir=folder / "out", use_ptx=True)
        (written,) = (folder / "out").glob("*.cu")
    text = written.read_text()
    text = text[text.index("adj_cast_int(x, adj_x, adj_ret)") + len("adj_cast_int(x, adj_x, adj_ret)") :]
    text = text.replace(str(path), toolchain.FILE_NAME)
    text = re.sub(rf"\b(\w*(?:Particle|{name}))_[0-9a-f]{{8}}", r"\1", text)
    # Helper functions are numbered through the whole process.
    text = re.sub(r"damp_\d+", "damp_0", text)
    return re.sub(r"(?m)^(\s*//.*?) +(<L \d+>)$", r"\1 \2", text).strip()


@pytest.mark.compile
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("target", "backward"), [("cpu", False), ("cuda", False), ("cuda", True)])
def test_text_is_what_the_public_compile_writes(
    name: str, target: str, backward: bool, tmp_path: Path
) -> None:
    ours = toolchain.translate(KERNELS[name], name, backward=backward, cuda=True)
    text = ours.cpu if target == "cpu" else ours.cuda
    assert text is not None
    assert text.strip() == _public_text(name, KERNELS[name], target, backward, tmp_path)


def test_text_holds_no_hash_path_or_padding() -> None:
    text = toolchain.translate(SOURCE, "step", backward=True, cuda=True)
    for part in (text.cpu, text.cuda):
        assert part is not None
        assert not re.search(r"_[0-9a-f]{8}\b", part)
        assert "#include" not in part and str(Path.cwd()) not in part
        assert "<L 28>" in part and "  <L" not in part
        assert part == part.strip("\n") + "\n"


def test_functions_have_the_names_that_others_know_them_by() -> None:
    text = toolchain.translate(SOURCE, "step", backward=True, cuda=True)
    assert text.cuda is not None
    for written, names in ((text.cpu, [warp_text.cpu_entry("step")]), (text.cuda, text.cuda_kernels)):
        assert warp_text.FORWARD_ENTRY.findall(written) == [names[0]]
        assert all(re.search(rf"\bvoid (?:\w+\([^()]*\) )?{name}\(", written) for name in names)


def test_text_for_the_cpu_has_a_form_for_any_array_and_one_for_speed() -> None:
    text = toolchain.translate(SIMPLE, "simple", backward=True, cuda=False).cpu
    function, form = warp_text.cpu_kernel("simple").split("<")
    assert f"template <bool wp_linear_contiguous>\nstatic void {function}(" in text and form == "false>"
    assert text.count("_tasks<true>(") == 2
    assert warp_text.for_any_array(text) == text.replace("_tasks<true>(", "_tasks<false>(")


def test_cuda_text_is_the_default_form_with_a_grid_stride_loop() -> None:
    text = toolchain.translate(GRID, "blur", backward=False, cuda=True)
    assert "_idx += static_cast<size_t>(blockDim.x) * static_cast<size_t>(gridDim.x)" in (text.cuda or "")


def test_text_does_not_depend_on_what_came_before() -> None:
    first = toolchain.translate(SOURCE, "step", backward=True, cuda=True)
    toolchain.translate(GRID, "blur", backward=False, cuda=False)
    toolchain.translate(SOURCE.replace("-k", "k"), "step", backward=False, cuda=True)
    again = toolchain.translate(SOURCE, "step", backward=True, cuda=True)
    assert (first.cpu, first.cuda) == (again.cpu, again.cuda)


def test_text_does_not_depend_on_the_targets_asked_for() -> None:
    both = toolchain.translate(SOURCE, "step", backward=False, cuda=True)
    alone = toolchain.translate(SOURCE, "step", backward=False, cuda=False)
    assert both.cpu == alone.cpu and alone.cuda is None


def test_forward_text_is_part_of_forward_and_backward_text() -> None:
    forward = toolchain.translate(GRID, "blur", backward=False, cuda=True).cuda
    both = toolchain.translate(GRID, "blur", backward=True, cuda=True).cuda
    assert forward is not None and both is not None
    assert forward.strip() in both and "blur_cuda_kernel_backward" in both
    assert "blur_cuda_kernel_backward" not in forward


@pytest.mark.process
def test_text_is_the_same_in_another_process() -> None:
    code = (
        "import sys; from warp_ir_dataset.compilers import warp as t; "
        "x = t.translate(sys.stdin.read(), 'step', backward=True, cuda=True); "
        "sys.stdout.write(x.cpu + x.cuda)"
    )
    environment = {"PYTHONHASHSEED": "7", "PATH": ""}
    found = subprocess.run(
        [sys.executable, "-c", code],
        input=SOURCE,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=Path(__file__).parents[2],
    )
    here = toolchain.translate(SOURCE, "step", backward=True, cuda=True)
    assert found.stdout == here.cpu + (here.cuda or "")


STRUCTS = """import warp as wp


@wp.struct
class {0}:
    value: float


One = {0}


@wp.struct
class {1}:
    value: int


Other = {1}


@wp.kernel
def told(one: One, other: Other, out: wp.array(dtype=float)):
    out[wp.tid()] = one.value + float(other.value)
"""


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (("State", "State"), ["State", "State_of_2"]),
        (("State_of_ball", "State_of_ball"), ["State_of_ball", "State_of_ball_of_2"]),
        (("State_of_ball", "State"), ["State_of_ball", "State"]),
    ],
)
def test_structs_that_share_a_name_are_numbered(keys: tuple[str, str], names: list[str]) -> None:
    text = toolchain.translate(STRUCTS.format(*keys), "told", backward=False, cuda=False).cpu
    assert re.findall(r"^struct (\w+)$", text, re.MULTILINE) == names


def test_module_is_dropped() -> None:
    from warp._src import context

    before = set(context.user_modules)
    toolchain.translate(SOURCE, "step", backward=False, cuda=True)
    with pytest.raises(CompileError):
        toolchain.translate(SOURCE.replace("wp.sin", "wp.nothing"), "step", backward=False, cuda=True)
    assert set(context.user_modules) == before


def test_refused_kernel_names_the_fault() -> None:
    with pytest.raises(CompileError, match=r"step.*nothing"):
        toolchain.translate(SOURCE.replace("wp.sin", "wp.nothing"), "step", backward=False, cuda=True)
    with pytest.raises(CompileError, match="syntax"):
        toolchain.translate("import warp as wp\n\ndef broken(:\n", "broken", backward=False, cuda=False)


@pytest.mark.compile
def test_compilers_refuse_with_their_first_error_line() -> None:
    with pytest.raises(CompileError, match=r"^[^:\n]*'missing'$"):
        toolchain.compile_native("int x = missing;\nint y = other;\n")
    with pytest.raises(CompileError, match=r'^[^:\n]*"missing"[^:\n]*$'):
        toolchain.compile_ptx("int x = missing;\n", 80)


@pytest.mark.compile
def test_a_compile_error_costs_the_next_unit_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CompileError):
        toolchain.compile_native("broken")
    text = toolchain.translate(SOURCE, "step", backward=False, cuda=False)
    library = toolchain.compile_native(toolchain.preamble("cpu") + text.cpu)
    assert library.address("step_cpu_forward")
    with pytest.raises(KeyError):
        library.address("step_cpu_backward")
    library.unload()
    assert "error" not in capfd.readouterr().err


@pytest.mark.compile
def test_ptx_is_for_the_architecture_and_ends_cleanly() -> None:
    text = toolchain.translate(SOURCE, "step", backward=False, cuda=True)
    ptx = toolchain.compile_ptx(toolchain.preamble("cuda") + (text.cuda or ""), 90)
    assert ".target sm_90" in ptx and ".entry step_cuda_kernel_forward" in ptx and "\0" not in ptx


def test_versions() -> None:
    versions = toolchain.versions()
    assert versions.warp.startswith(f"{WARP_MINOR}.")
    assert re.fullmatch(r"\d+\.\d+\.\d+", versions.clang)
    assert versions.nvrtc is not None and re.fullmatch(r"\d+\.\d+", versions.nvrtc)


def test_architectures() -> None:
    assert toolchain.require_arch("sm_80") == 80
    with pytest.raises(UserError, match=r"NVRTC.*'sm_37'.* sm_80"):
        toolchain.require_arch("sm_37")


def test_warp_without_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wp, "get_cuda_supported_archs", list)
    with pytest.raises(UserError, match=r"CUDA.* cuda_backward ") as caught:
        toolchain.require_arch("sm_80")
    assert "\n" not in str(caught.value) and "'cpu'" in str(caught.value)


@pytest.mark.compile
def test_a_manifest_names_compilers_and_options() -> None:
    known, described = toolchain.versions(), engine.compilers()
    assert (described["clang"], described["nvrtc"]) == (known.clang, known.nvrtc)
    assert described["clang_options"] == "optimization_level=0, extra_flags=-fpch-instantiate-templates"
    assert "fast_math=False" in described["nvrtc_options"]


@pytest.mark.process
def test_a_warp_that_does_not_start_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "TOOLCHAIN", "warp_ir_dataset.nowhere")
    with pytest.raises(UserError, match=r"^Warp .*nowhere"):
        engine._toolchain.__wrapped__()


WITH_A_STRUCT = """
import warp as wp

@wp.struct
class Ball:
    centre: wp.vec3
    radius: float

@wp.kernel
def measure(balls: wp.array[Ball], out: wp.array[float]):
    i = wp.tid()
    out[i] = wp.length(balls[i].centre) - balls[i].radius
"""


def test_a_kernel_with_structs_is_let_go() -> None:
    """Warp keeps what it knows of structs; a worker that proves many kernels must not."""
    kernel = toolchain.define(WITH_A_STRUCT, "measure")
    gone = weakref.ref(kernel.module)
    type_size_in_bytes(kernel.adj.args[0].type.dtype)  # as launches ask
    del kernel
    toolchain.define(WITH_A_STRUCT, "measure")
    gc.collect()
    assert gone() is None
