"""Runs a kernel's native code on memory, forward and adjoint.

Four ways lead to the same numbers: `wp.launch` (the reference), a direct call of the CPU text's entry, one
of the CUDA text's, which `cuda_on_cpu` made callable, and one of the text in plain CUDA. Direct calls cost
microseconds, which is what makes finite differences of every input element affordable.

An adjoint runs after the forward pass and on the arrays that pass left behind, each with its gradient
attached, as `wp.Tape` does it. Warp hands no gradient back for arguments that are plain values, nor for
members of a struct that are: they get none here either. What goes in and comes out is by leaf
(`Argument.leaves`).
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..common.errors import UserError
from ..compilers import plain
from ..compilers.cuda_on_cpu import BLOCK, THREADS, Grid, enough
from ..compilers.launch import launch
from ..compilers.units import Member
from ..compilers.warp import Library, Translation
from ..language import ir
from ..language.types import Array, Struct, Type, full_name
from .memory import Frame
from .subject import Arrays

Entry = Callable[..., None]

# The other order: so many blocks of `cuda_on_cpu.BLOCK` threads, last one first. About eleven threads then
# fill several blocks, the last one not wholly, and some do a second item.
BLOCKS = 2
MAX_ELEMENTS = 256  # of one argument that are differenced; of more so many are taken, at even distances


@dataclass(frozen=True)
class Result:
    """What a run left, by leaf: output and inout arrays, the gradients of input and inout arrays, and in
    `arrived` those of output arrays, of which Warp's adjoint takes what it has handed on."""

    outputs: dict[str, np.ndarray]
    gradients: dict[str, np.ndarray]
    arrived: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Differences:
    """Central differences for the elements `index` (flat) of one argument, one row per step.

    An element's slope is a sum over the numbers of the outputs. `terms` is the same sum of magnitudes;
    `changed` that of the outputs themselves, by the gradients that arrive at them, as far as the element
    changes them: what rounding is relative to, of the adjoint and of the differences.
    """

    argument: str
    index: np.ndarray
    slopes: np.ndarray
    terms: np.ndarray
    changed: np.ndarray


class Runner:
    """Runs one kernel of a loaded unit. Raises `UserError` for a signature that is not the kernel's."""

    def __init__(self, signature: ir.Signature, member: Member, library: Library, cuda: bool) -> None:
        check_signature(signature, member.translation)
        self._signature = signature
        self._translation = member.translation
        translation = member.translation
        self._frame = Frame(signature, translation.arguments, translation.tid_dims)
        self._cpu = _entries(library, member.cpu_symbols)
        self._cuda = _entries(library, member.cuda_symbols) if cuda else None
        self._plain: tuple[Entry, Frame] | None = None
        if member.plain is not None:
            entry, _ = _entries(library, (plain.symbol(member.prefix), None))
            self._plain = entry, Frame(signature, plain.arguments(signature), len(signature.launch_dim))

    @property
    def has_cuda(self) -> bool:
        """Whether the CUDA text can be run."""
        return self._cuda is not None

    def launch(self, inputs: Arrays, output_gradients: Arrays | None) -> Result:
        """Warp's own launch; with `output_gradients` also its adjoint launch."""
        frame = self._frame
        frame.load(inputs)
        frame.reset()
        frame.seed(output_gradients or {})
        gradients = None if output_gradients is None else frame.given_gradients()
        launch(self._translation, self._cpu, self._signature.launch_dim, frame.given(), gradients)
        return self._result(output_gradients is not None)

    def run(self, inputs: Arrays, output_gradients: Arrays | None = None) -> Result:
        """The CPU text, called directly."""
        return self._call(self._cpu, inputs, output_gradients)

    def run_cuda(
        self, inputs: Arrays, output_gradients: Arrays | None = None, *, backwards: bool = False
    ) -> Result:
        """The CUDA text, called once per thread; `backwards` in the order of `BLOCKS`."""
        assert self._cuda is not None, "this unit holds no CUDA text"
        grid = self._grid(backwards, fewer=self._translation.grid_stride)
        return self._call(self._cuda, inputs, output_gradients, *grid.words)

    def _grid(self, backwards: bool, *, fewer: bool) -> Grid:
        """A thread for each item, or in the other order `fewer`. A thread's number in its block is the item's
        in one of the orders at most."""
        items = math.prod(self._signature.launch_dim)
        if not backwards:
            return Grid(enough(items, THREADS), THREADS)
        return Grid(BLOCKS if fewer else enough(items), BLOCK, backwards=True)

    def run_plain(self, inputs: Arrays, *, backwards: bool = False) -> Result:
        """The text in plain CUDA, called once per thread on memory of its own, or last thread first."""
        assert self._plain is not None, "this unit holds no plain CUDA"
        entry, frame = self._plain
        frame.load(inputs)
        frame.reset()
        entry(*frame.forward_arguments, *self._grid(backwards, fewer=False).words)
        return Result({leaf.name: frame.work[leaf.name].copy() for leaf in frame.outputs}, {})

    def _call(
        self,
        entries: tuple[Entry, Entry | None],
        inputs: Arrays,
        output_gradients: Arrays | None,
        *more: int,
    ) -> Result:
        frame = self._frame
        forward, backward = entries
        frame.load(inputs)
        frame.reset()
        forward(*frame.forward_arguments, *more)
        if output_gradients is not None:
            assert backward is not None, "this unit holds no adjoint"
            frame.seed(output_gradients)
            backward(*frame.backward_arguments, *more)
        return self._result(output_gradients is not None)

    def _result(self, with_gradients: bool) -> Result:
        frame = self._frame
        outputs = {leaf.name: frame.work[leaf.name].copy() for leaf in frame.outputs}
        if not with_gradients:
            return Result(outputs, {})
        left = {name: gradient.copy() for name, gradient in frame.gradients.items()}
        gradients = {leaf.name: left[leaf.name] for leaf in frame.differentiated}
        return Result(outputs, gradients, {n: array for n, array in left.items() if n not in gradients})

    def differences(
        self, inputs: Arrays, output_gradients: Arrays, steps: Sequence[float]
    ) -> list[Differences]:
        """Slopes of the outputs, weighted by `output_gradients`, for the elements of every floating-point
        input and inout array, or of `MAX_ELEMENTS` of them, by central differences of each of `steps`."""
        self._frame.load(inputs)
        self._frame.seed(output_gradients)
        weights = self._frame.weights()
        found = []
        for leaf in self._frame.differentiated:
            values = self._frame.start[leaf.name].flat
            count = min(len(values), MAX_ELEMENTS)
            index = np.linspace(0, len(values) - 1, count).astype(np.int64)
            places = index.tolist()
            sizes: list[tuple[float, float]] = []
            slopes = [
                [self._slope(values, i, step, weights, None if number else sizes) for i in places]
                for number, step in enumerate(steps)
            ]
            terms, changed = np.array(sizes).reshape(count, 2).T
            found.append(Differences(leaf.name, index, np.array(slopes), terms, changed))
        return found

    def _slope(
        self,
        flat: np.flatiter,
        position: int,
        step: float,
        weights: np.ndarray,
        sizes: list[tuple[float, float]] | None,
    ) -> float:
        """An element's slope; `sizes` gets what `Differences` has of its terms, and of what changed."""
        forward, frame = self._cpu[0], self._frame
        value = flat[position]
        flat[position] = value + step
        above = float(flat[position])
        frame.reset()
        forward(*frame.forward_arguments)
        outputs = frame.float_outputs()
        flat[position] = value - step
        below = float(flat[position])
        frame.reset()
        forward(*frame.forward_arguments)
        flat[position] = value
        # Differences first: where the outputs are large, their weighted sums would lose the digits.
        change = outputs - frame.float_outputs()
        width = above - below
        if sizes is not None:
            terms, size = np.abs(weights * change), np.abs(weights * outputs)
            sizes.append((float(terms.sum()) / width, float(size[change != 0].sum())))
        return float(weights @ change) / width


def check_signature(signature: ir.Signature, translation: Translation) -> None:
    """Raises `UserError` unless arguments have the names and types that Warp found in the source: memory of
    another layout would be overwritten."""
    described = tuple((a.name, a.reference.type) for a in signature.arguments)
    if described != translation.parameters:
        taken = _words(translation.parameters)
        raise UserError(f"the signature of {signature.name} is {_words(described)}: it takes {taken}")
    if len(signature.launch_dim) < translation.tid_dims:
        raise UserError(f"{signature.name} asks for {translation.tid_dims} thread indices: launch as many")


def _entries(library: Library, symbols: tuple[str, str | None]) -> tuple[Entry, Entry | None]:
    function = ctypes.CFUNCTYPE(None)
    forward, backward = symbols
    return function(library.address(forward)), None if backward is None else function(
        library.address(backward)
    )


def _words(parameters: Sequence[tuple[str, Type]]) -> str:
    return "(" + ", ".join(f"{name}: {_type_words(type)}" for name, type in parameters) + ")"


def _type_words(type: Type) -> str:
    """A type's name; a struct's with its members, which decide."""
    match type:
        case Struct(name, members):
            return name + _words(members)
        case Array(element, ndim):
            return f"array{ndim}d[{_type_words(element)}]"
        case _:
            return full_name(type)
