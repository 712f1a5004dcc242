"""The input of a proof (a kernel with its cases) and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..language import ir
from ..language.cuda.harness import Harness
from .checks import Checks

Arrays = Mapping[str, np.ndarray]


def stacked(sets: Sequence[Arrays]) -> dict[str, np.ndarray]:
    """Several sets side by side, as `interpret` takes them: there must be one."""
    return {name: np.stack([arrays[name] for arrays in sets]) for name in sets[0]}


def unstacked(arrays: Arrays, count: int) -> tuple[dict[str, np.ndarray], ...]:
    """Each of so many sets that lie side by side."""
    return tuple({name: value[k] for name, value in arrays.items()} for k in range(count))


@dataclass(frozen=True)
class Cases:
    """What a kernel is run on.

    Each of `inputs` holds, for every leaf of an input or inout argument (`Argument.leaves`), a numpy array of
    the shape ``leaf.shape + leaf.type.shape``; `output_gradients` the gradient that arrives at each
    floating-point output. An argument that is no struct is its own leaf.
    """

    inputs: tuple[Arrays, ...]
    output_gradients: Arrays


@dataclass(frozen=True)
class Subject:
    """A kernel of a Python module, whoever wrote it: `signature` says how it is launched, on `cases`.

    The kernel's tree is optional. It adds its own meaning, which outputs are held against, and its twin in
    float64, which gradients are held against. Without it, or where Warp has one of its operations for
    narrower floats only, they are held against differences in the kernel's own precision. With `must_tell`, a
    kernel has to have something to show: outputs that vary and depend on every input.

    `found` is the tree of a kernel that people wrote, which was read off its source and may not be legal. Its
    twin serves gradients, if it does what the kernel does; and a gradient that is lost by it is refused.
    """

    source: str
    signature: ir.Signature
    cases: Cases
    program: ir.Program | None = None
    must_tell: bool = True
    found: ir.Program | None = None

    def __str__(self) -> str:
        return self.signature.name


@dataclass(frozen=True)
class PlainParts:
    """What stands around a completion in plain CUDA: what it may call and has to define, declared, and a
    program's other parts."""

    interface: str
    harness: Harness


@dataclass(frozen=True)
class Ran:
    """Of a program's branches, how many `arms` they have, and how many of them are run."""

    arms: int
    arms_run: int


@dataclass(frozen=True)
class Proof:
    """A kernel that passed: its code, and examples that let a stranger repeat the proof.

    `examples` are the cases that every proof was made on, three or more where there are so many inputs. Each
    maps ``launch_dim``, ``inputs`` and ``outputs``, where there are gradients also ``output_gradients`` and
    ``input_gradients``, to their values by argument; those of structs by their members, as
    ``particles.position``. To repeat it from the source alone: import it, make an array of zeros for every
    output and one from `inputs` for every input and inout argument (plain values are passed as they are; the
    elements of an array of structs are those of a numpy array of the struct's `numpy_dtype()`), launch the
    kernel over `launch_dim`, and compare with `outputs`. With gradients: launch inside `wp.Tape` on arrays
    with `requires_grad=True`, call ``tape.backward(grads={...})`` with `output_gradients`, and compare the
    arrays' ``.grad`` with `input_gradients`.

    `coverage` is what the examples run together; None for a kernel without a tree.
    """

    code: str
    ptx: str | None
    examples: tuple[Mapping[str, Any], ...]
    checks: Checks
    warp_version: str
    plain: PlainParts | None = None
    coverage: Ran | None = None
