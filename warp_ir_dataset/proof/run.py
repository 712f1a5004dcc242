"""The run room: a kernel's native code on real memory, forward and adjoint.

Three ways lead to the same numbers: `wp.launch` (the reference), a direct call of the CPU text's entry,
and one of the CUDA text's, which `cuda_on_cpu` made callable. Direct calls cost microseconds, which is
what makes finite differences of every input element affordable.

An adjoint runs after the forward pass and on the arrays that pass left behind, each with its gradient
attached, as `wp.Tape` does it. Warp hands no gradient back for arguments that are plain values: they get
none here either.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilers import warp as toolchain
from ..compilers.units import Member
from ..compilers.warp import Library
from ..language.program import Argument, Program
from .inputs import DTYPES, full_shape

Arrays = dict[str, np.ndarray]
Entry = Callable[..., None]

_CTYPES: dict[str, Any] = {
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "uint32": ctypes.c_uint32,
    "bool": ctypes.c_bool,
}
_ALIGNMENT = 8

# Inputs are decimals of four digits that never tie with shorter ones, so neither step crosses a literal;
# in double precision both leave errors near 1e-11 of the outputs.
STEPS = (1e-5, 2e-5)
MAX_ELEMENTS = 48  # of one argument; more are sampled at even distances


@dataclass(frozen=True)
class Result:
    """What a run left: output and inout arrays, and the gradients of input and inout arrays."""

    outputs: Arrays
    gradients: Arrays


@dataclass(frozen=True)
class Differences:
    """Central differences for the elements `index` (flat) of one argument, one row per step."""

    argument: str
    index: np.ndarray
    slopes: np.ndarray


class Frame:
    """A kernel's arguments in memory: as a run starts from them, as it works on them, and their gradients.

    Floating-point outputs come first and, in a program `in_float64`, without gaps: `double_outputs` and the
    gradients that arrive at them, `double_weights`, are then one product away from a weighted sum.
    """

    def __init__(self, program: Program, tid_dims: int) -> None:
        self._program = program
        arrays = sorted((a for a in program.arguments if a.ndim), key=_place)
        offsets, total = {}, 0
        for argument in arrays:
            offsets[argument.name] = total
            total += -(-_bytes(argument) // _ALIGNMENT) * _ALIGNMENT
        self._start_bytes, self._work_bytes, self._gradient_bytes = (
            np.zeros(total, np.uint8) for _ in range(3)
        )
        self.start = _views(arrays, offsets, self._start_bytes)
        self.work = _views(arrays, offsets, self._work_bytes)
        floats = [argument for argument in arrays if argument.type.is_float]
        self.gradients = _views(floats, offsets, self._gradient_bytes)
        end = sum(_bytes(a) for a in arrays if _place(a) == 0)
        self.double_outputs = self._work_bytes[: end // 8 * 8].view(np.float64)
        self.double_weights = self._gradient_bytes[: end // 8 * 8].view(np.float64)
        bounds = toolchain.launch_bounds(program.launch_dim, tid_dims)
        # Named here to stay alive: the entries get bare pointers.
        self._structs = (bounds, self._pack(self.work, self.gradients), self._pack(self.gradients, {}))
        pointers = [ctypes.byref(struct) for struct in self._structs]
        self.forward_arguments, self.backward_arguments = pointers[:2], pointers
        self.values: dict[str, np.ndarray] = {}

    def _pack(
        self, arrays: Mapping[str, np.ndarray], gradients: Mapping[str, np.ndarray]
    ) -> ctypes.Structure:
        """The struct `wp_args_<kernel>` of Warp's CPU text; plain values are zero until `load`."""
        fields = [(argument.name, _ctype(argument)) for argument in self._program.arguments]
        packed = type("Arguments", (ctypes.Structure,), {"_fields_": fields})()
        for argument in self._program.arguments:
            if argument.ndim and argument.name in arrays:
                array, gradient = arrays[argument.name], gradients.get(argument.name)
                pointer = 0 if gradient is None else gradient.ctypes.data
                dims = argument.ndim
                header = toolchain.ArrayHeader(
                    array.ctypes.data, pointer, dims, array.shape[:dims], array.strides[:dims]
                )
                setattr(packed, argument.name, header)
        return packed

    def load(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Make `inputs` what every run starts from, converted to this program's types."""
        for argument in self._program.arguments:
            if argument.name not in inputs:
                continue
            value = inputs[argument.name]
            if argument.ndim:
                self.start[argument.name][...] = value
            else:
                self.values[argument.name] = np.asarray(value, DTYPES[argument.type.scalar])
                setattr(self._structs[1], argument.name, _plain(argument, value))

    def reset(self) -> None:
        self._work_bytes[:] = self._start_bytes

    def seed(self, output_gradients: Mapping[str, np.ndarray]) -> None:
        """All gradients zero, but for those that arrive at the outputs."""
        self._gradient_bytes[:] = 0
        for name, gradient in output_gradients.items():
            self.gradients[name][...] = gradient

    def result(self, with_gradients: bool) -> Result:
        arrays = [argument for argument in self._program.arguments if argument.ndim]
        wanted = [a.name for a in arrays if with_gradients and a.role != "output" and a.type.is_float]
        return Result(
            outputs={a.name: self.work[a.name].copy() for a in arrays if a.role != "input"},
            gradients={name: self.gradients[name].copy() for name in wanted},
        )


class Runner:
    """Runs one kernel of a loaded unit. `program` gives the types: the kernel's own, or its wider twin's."""

    def __init__(self, program: Program, member: Member, library: Library, cuda: bool) -> None:
        self._program = program
        self._translation = member.translation
        self._frame = Frame(program, member.translation.tid_dims)
        self._cpu = _entries(library, member.cpu_symbols)
        self._cuda = _entries(library, member.cuda_symbols) if cuda else None

    def launch(
        self, inputs: Mapping[str, np.ndarray], output_gradients: Mapping[str, np.ndarray] | None
    ) -> Result:
        """Warp's own launch; with `output_gradients` also its adjoint launch."""
        frame = self._frame
        frame.load(inputs)
        frame.reset()
        frame.seed(output_gradients or {})
        names = [argument.name for argument in self._program.arguments]
        arguments = [frame.work[name] if name in frame.work else frame.values[name] for name in names]
        gradients = None if output_gradients is None else [frame.gradients.get(name) for name in names]
        toolchain.launch(self._translation, self._cpu, self._program.launch_dim, arguments, gradients)
        return frame.result(output_gradients is not None)

    def run(
        self, inputs: Mapping[str, np.ndarray], output_gradients: Mapping[str, np.ndarray] | None = None
    ) -> Result:
        """The CPU text, called directly."""
        return self._call(self._cpu, inputs, output_gradients)

    def run_cuda(
        self, inputs: Mapping[str, np.ndarray], output_gradients: Mapping[str, np.ndarray] | None = None
    ) -> Result:
        """The CUDA text, called once per thread."""
        assert self._cuda is not None, "this unit holds no CUDA text"
        return self._call(self._cuda, inputs, output_gradients)

    def _call(
        self,
        entries: tuple[Entry, Entry | None],
        inputs: Mapping[str, np.ndarray],
        output_gradients: Mapping[str, np.ndarray] | None,
    ) -> Result:
        frame = self._frame
        forward, backward = entries
        frame.load(inputs)
        frame.reset()
        forward(*frame.forward_arguments)
        if output_gradients is not None:
            assert backward is not None, "this unit holds no adjoint"
            frame.seed(output_gradients)
            backward(*frame.backward_arguments)
        return frame.result(output_gradients is not None)

    def differences(
        self, inputs: Mapping[str, np.ndarray], output_gradients: Mapping[str, np.ndarray]
    ) -> list[Differences]:
        """Slopes of the outputs, weighted by `output_gradients`, for the elements of every floating-point
        input and inout array. The program must be one `in_float64`."""
        self._frame.load(inputs)
        self._frame.seed(output_gradients)
        weights = self._frame.double_weights.copy()
        found = []
        for argument in self._program.arguments:
            if argument.ndim and argument.role != "output" and argument.type.is_float:
                flat = self._frame.start[argument.name].reshape(-1)
                count = min(flat.size, MAX_ELEMENTS)
                index = np.linspace(0, flat.size - 1, count).astype(np.int64)
                places = index.tolist()
                slopes = np.array([[self._slope(flat, i, step, weights) for i in places] for step in STEPS])
                found.append(Differences(argument.name, index, slopes))
        return found

    def _slope(self, flat: np.ndarray, position: int, step: float, weights: np.ndarray) -> float:
        forward, frame = self._cpu[0], self._frame
        value = flat[position]
        above, below = value + step, value - step
        flat[position] = above
        frame.reset()
        forward(*frame.forward_arguments)
        outputs = frame.double_outputs.copy()
        flat[position] = below
        frame.reset()
        forward(*frame.forward_arguments)
        flat[position] = value
        # Differences first: where the outputs are large, their weighted sums would lose the digits.
        return float(weights @ (outputs - frame.double_outputs)) / (above - below)


def _place(argument: Argument) -> int:
    """Where an array lies in a frame: floating-point outputs first."""
    if argument.role == "input":
        return 2
    return 0 if argument.type.is_float else 1


def _bytes(argument: Argument) -> int:
    return (
        int(np.prod(full_shape(argument), dtype=np.int64)) * np.dtype(DTYPES[argument.type.scalar]).itemsize
    )


def _views(arrays: list[Argument], offsets: Mapping[str, int], memory: np.ndarray) -> Arrays:
    return {
        a.name: memory[offsets[a.name] : offsets[a.name] + _bytes(a)]
        .view(DTYPES[a.type.scalar])
        .reshape(full_shape(a))
        for a in arrays
    }


def _ctype(argument: Argument) -> Any:
    if argument.ndim:
        return toolchain.ArrayHeader
    scalar = _CTYPES[argument.type.scalar]
    return scalar * argument.type.size if argument.type.shape else scalar


def _plain(argument: Argument, value: np.ndarray) -> object:
    scalar = _CTYPES[argument.type.scalar]
    if argument.type.shape:
        return (scalar * argument.type.size)(*np.ravel(value).tolist())
    return value.item()


def _entries(library: Library, symbols: tuple[str, str | None]) -> tuple[Entry, Entry | None]:
    function = ctypes.CFUNCTYPE(None)
    forward, backward = symbols
    return function(library.address(forward)), None if backward is None else function(
        library.address(backward)
    )
