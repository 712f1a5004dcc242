"""The kernels of `tests/findings/`: read from their files, run through Warp in float64, and differenced.

A file has a docstring, four or five constants and one kernel:

    INPUTS    elements of arrays, in order; plain values as lists of one; members of a struct by dotted names
    OUTPUTS   arrays after the launch; the gradient that arrives at each of their elements is 1
    THREADS   the launch; one thread if the file does not say
    WARP      gradients that Warp gives and that are wrong; a kernel that Warp differentiates rightly has none
    RIGHT     gradients by central differences
"""

from __future__ import annotations

import ast
import ctypes
import importlib.util
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp

FOLDER = Path(__file__).parents[2] / "findings"
STEPS = (1e-4, 2e-5)
CONSTANTS = {"INPUTS", "OUTPUTS", "THREADS", "WARP", "RIGHT"}
Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Finding:
    """A file as it stands. `name` is its path without suffix; `wrong` and `right` hold gradients; `wrong` is
    empty for a kernel whose gradients are right."""

    name: str
    source: str
    inputs: Mapping[str, Numbers]
    outputs: Mapping[str, Numbers]
    wrong: Mapping[str, Numbers]
    right: Mapping[str, Numbers]
    prose: str
    threads: int = 1


@dataclass(frozen=True)
class Measured:
    """What a kernel gives: written arrays, gradients, and differences, one row per step."""

    outputs: dict[str, np.ndarray]
    gradients: dict[str, np.ndarray]
    differences: dict[str, np.ndarray]


def findings(folder: Path = FOLDER) -> list[Finding]:
    """All files, by name. Raises `ValueError` for one with other statements than those above."""
    return [_finding(path, folder) for path in sorted(folder.rglob("*.py"))]


def _finding(path: Path, folder: Path) -> Finding:
    text = path.read_text()
    name = path.relative_to(folder).with_suffix("").as_posix()
    tree = ast.parse(text)
    constants, definitions = {}, []
    for node in tree.body[1:]:
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name):
            constants[target.id] = eval(ast.unparse(node.value), {"nan": math.nan})
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            first = min(decorator.lineno for decorator in node.decorator_list)
            definitions.append("\n".join(text.splitlines()[first - 1 : node.end_lineno]))
        elif not isinstance(node, (ast.Import, ast.ImportFrom)):
            raise ValueError(f"{name}, line {node.lineno}: neither a constant nor a definition")
    if not {"INPUTS", "OUTPUTS", "RIGHT"} <= constants.keys() <= CONSTANTS:
        raise ValueError(f"{name}: its constants are {sorted(constants)}")
    numbers = {
        key: {argument: tuple(map(float, values)) for argument, values in constants.get(key, {}).items()}
        for key in ("INPUTS", "OUTPUTS", "WARP", "RIGHT")
    }
    return Finding(
        name,
        "\n\n\n".join(definitions) + "\n",
        numbers["INPUTS"],
        numbers["OUTPUTS"],
        numbers["WARP"],
        numbers["RIGHT"],
        ast.get_docstring(tree) or "",
        constants.get("THREADS", 1),
    )


# ---- in float64


class _Wide(ast.NodeTransformer):
    """`float` and the types made of it as float64, and every literal as one."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return _call("wp.float64", node) if isinstance(node.value, float) else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return _parsed("wp.float64") if node.id == "float" else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if (
            re.fullmatch(r"vec[234]|mat(22|33|44)|quat|transform", node.attr)
            and ast.unparse(node.value) == "wp"
        ):
            node.attr += "d"
        return node


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _call(function: str, operand: ast.expr) -> ast.Call:
    return ast.Call(_parsed(function), [operand], [])


def widened(source: str) -> str:
    tree = ast.fix_missing_locations(_Wide().visit(ast.parse(source)))
    return f"import warp as wp\n\n\n{ast.unparse(tree)}\n"


def load(finding: Finding, folder: Path) -> wp.Kernel:
    """The file's kernel, in float64, of a module of its own in `folder`: Warp compiles from source files."""
    name = "finding_" + re.sub(r"\W+", "_", finding.name)
    path = folder / f"{name}.py"
    path.write_text(widened(finding.source))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (kernel,) = (value for value in vars(module).values() if isinstance(value, wp.Kernel))
    return kernel


# ---- running


class _Array:
    """An array argument, its numbers and their gradients as flat views of its memory."""

    def __init__(self, dtype: Any, numbers: Sequence[float]) -> None:
        size = wp.types.type_size_in_bytes(dtype)
        self.is_float = dtype is not wp.int32
        self.array = wp.zeros(
            len(numbers) * (8 if self.is_float else 4) // size,
            dtype,
            device="cpu",
            requires_grad=self.is_float,
        )
        self.start = np.array(numbers, float if self.is_float else np.int32)
        self.values = self._view(self.array)
        self.gradients = self._view(self.array.grad) if self.is_float else np.zeros(0)

    def _view(self, array: wp.array) -> np.ndarray:
        kind = ctypes.c_double if self.is_float else ctypes.c_int
        return np.ctypeslib.as_array((kind * len(self.start)).from_address(array.ptr))


class Runner:
    """Runs the kernel of one file on the numbers that the file states."""

    def __init__(self, finding: Finding, kernel: wp.Kernel) -> None:
        self.finding, self.kernel = finding, kernel
        self.arrays: dict[str, _Array] = {}
        self.arguments = [self._argument(argument.type, argument.label) for argument in kernel.adj.args]

    def _argument(self, kind: Any, name: str) -> object:
        numbers = self.finding.inputs.get(name)
        if hasattr(kind, "ndim"):
            self.arrays[name] = _Array(kind.dtype, numbers or [0.0] * len(self.finding.outputs[name]))
            return self.arrays[name].array
        if numbers is not None:
            return int(numbers[0])
        struct = kind()
        for member in kind.vars:
            setattr(struct, member, self.finding.inputs[f"{name}.{member}"][0])
        return struct

    @cached_property
    def read(self) -> list[str]:
        """Floating-point arrays with numbers of their own."""
        return [n for n, array in self.arrays.items() if array.is_float and n in self.finding.inputs]

    def forward(self) -> dict[str, np.ndarray]:
        for array in self.arrays.values():
            array.values[:] = array.start
        wp.launch(self.kernel, self.finding.threads, self.arguments, device="cpu")
        return {name: self.arrays[name].values.copy() for name in self.finding.outputs}

    def measure(self) -> Measured:
        with wp.Tape() as tape:
            outputs = self.forward()
        for name, array in self.arrays.items():
            array.gradients[:] = name in outputs
        tape.backward()
        gradients = {name: self.arrays[name].gradients.copy() for name in self.read}
        return Measured(outputs, gradients, {name: self._differences(name) for name in self.read})

    def _differences(self, name: str) -> np.ndarray:
        start = self.arrays[name].start
        slopes = np.zeros((len(STEPS), len(start)))
        for row, step in enumerate(STEPS):
            for i, value in enumerate(start.tolist()):
                sums = []
                for moved in (value + step, value - step):
                    start[i] = moved
                    sums.append(sum(float(output.sum()) for output in self.forward().values()))
                start[i] = value
                slopes[row, i] = (sums[0] - sums[1]) / (2.0 * step)
        return slopes
