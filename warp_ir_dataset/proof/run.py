"""A kernel's native code on real memory, forward and adjoint.

Three ways lead to the same numbers: `wp.launch` (the reference), a direct call of the CPU text's entry,
and one of the CUDA text's, which `cuda_on_cpu` made callable. Direct calls cost microseconds, which is
what makes finite differences of every input element affordable.

An adjoint runs after the forward pass and on the arrays that pass left behind, each with its gradient
attached, as `wp.Tape` does it. Warp hands no gradient back for arguments that are plain values: they get
none here either.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..common.errors import UserError
from ..compilers import warp
from ..compilers.units import Member
from ..compilers.warp import Library, Translation
from ..language.program import Argument, Signature
from ..language.types import numpy_type
from .inputs import full_shape
from .subject import Arrays

Entry = Callable[..., None]

# A plain value is handed over by its bits: C has no type for some of them.
_CARRIERS: dict[int, Any] = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}
_ALIGNMENT = 8

MAX_ELEMENTS = 48  # of one argument; more are sampled at even distances


@dataclass(frozen=True)
class Result:
    """What a run left: output and inout arrays, and the gradients of input and inout arrays."""

    outputs: dict[str, np.ndarray]
    gradients: dict[str, np.ndarray]


@dataclass(frozen=True)
class Differences:
    """Central differences for the elements `index` (flat) of one argument, one row per step."""

    argument: str
    index: np.ndarray
    slopes: np.ndarray


class Frame:
    """A kernel's arguments in memory: as a run starts from them, as it works on them, and their gradients.

    Floating-point outputs come first and, where all of them are float64, without gaps: they are then read as
    one array.
    """

    def __init__(self, signature: Signature, tid_dims: int) -> None:
        self._signature = signature
        arrays = sorted((a for a in signature.arguments if a.ndim), key=_place)
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
        self._outputs = [a for a in arrays if _place(a) == 0]
        self._double_bytes = sum(map(_bytes, self._outputs)) if _all_double(self._outputs) else None
        bounds = warp.launch_bounds(signature.launch_dim, tid_dims)
        # Named here to stay alive: the entries get bare pointers.
        self._structs = (bounds, self._pack(self.work, self.gradients), self._pack(self.gradients, {}))
        pointers = [ctypes.byref(struct) for struct in self._structs]
        self.forward_arguments, self.backward_arguments = pointers[:2], pointers
        self.values: dict[str, np.ndarray] = {}

    def _pack(
        self, arrays: Mapping[str, np.ndarray], gradients: Mapping[str, np.ndarray]
    ) -> ctypes.Structure:
        """The struct `wp_args_<kernel>` of Warp's CPU text; plain values are zero until `load`."""
        fields = [(argument.name, _ctype(argument)) for argument in self._signature.arguments]
        packed = type("Arguments", (ctypes.Structure,), {"_fields_": fields})()
        for argument in self._signature.arguments:
            if argument.ndim and argument.name in arrays:
                array, gradient = arrays[argument.name], gradients.get(argument.name)
                pointer = 0 if gradient is None else gradient.ctypes.data
                dims = argument.ndim
                header = warp.ArrayHeader(
                    array.ctypes.data, pointer, dims, array.shape[:dims], array.strides[:dims]
                )
                setattr(packed, argument.name, header)
        return packed

    def load(self, inputs: Arrays) -> None:
        """Make `inputs` what every run starts from, converted to this program's types."""
        for argument in self._signature.arguments:
            if argument.name not in inputs:
                continue
            value = inputs[argument.name]
            if argument.ndim:
                self.start[argument.name][...] = value
            else:
                plain = np.asarray(value, numpy_type(argument.type))
                self.values[argument.name] = plain
                setattr(self._structs[1], argument.name, _plain(argument, plain))

    def reset(self) -> None:
        self._work_bytes[:] = self._start_bytes

    def float_outputs(self) -> np.ndarray:
        """All floating-point outputs as one float64 array, a copy."""
        return self._floats(self._work_bytes, self.work)

    def weights(self) -> np.ndarray:
        """The gradients that arrive at them, in the same order."""
        return self._floats(self._gradient_bytes, self.gradients)

    def _floats(self, memory: np.ndarray, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        if self._double_bytes is not None:
            return memory[: self._double_bytes].view(np.float64).copy()
        parts = [arrays[a.name].reshape(-1).astype(np.float64) for a in self._outputs]
        return np.concatenate(parts) if parts else np.zeros(0)

    def seed(self, output_gradients: Arrays) -> None:
        """All gradients zero, but for those that arrive at the outputs."""
        self._gradient_bytes[:] = 0
        for name, gradient in output_gradients.items():
            self.gradients[name][...] = gradient

    def result(self, with_gradients: bool) -> Result:
        arrays = [argument for argument in self._signature.arguments if argument.ndim]
        wanted = [a.name for a in arrays if with_gradients and a.role != "output" and a.type.is_float]
        return Result(
            outputs={a.name: self.work[a.name].copy() for a in arrays if a.role != "input"},
            gradients={name: self.gradients[name].copy() for name in wanted},
        )


class Runner:
    """Runs one kernel of a loaded unit. Raises `UserError` for a signature that is not the kernel's."""

    def __init__(self, signature: Signature, member: Member, library: Library, cuda: bool) -> None:
        check_signature(signature, member.translation)
        self._signature = signature
        self._translation = member.translation
        self._frame = Frame(signature, member.translation.tid_dims)
        self._cpu = _entries(library, member.cpu_symbols)
        self._cuda = _entries(library, member.cuda_symbols) if cuda else None

    def launch(self, inputs: Arrays, output_gradients: Arrays | None) -> Result:
        """Warp's own launch; with `output_gradients` also its adjoint launch."""
        frame = self._frame
        frame.load(inputs)
        frame.reset()
        frame.seed(output_gradients or {})
        names = [argument.name for argument in self._signature.arguments]
        arguments = [frame.work[name] if name in frame.work else frame.values[name] for name in names]
        gradients = None if output_gradients is None else [frame.gradients.get(name) for name in names]
        warp.launch(self._translation, self._cpu, self._signature.launch_dim, arguments, gradients)
        return frame.result(output_gradients is not None)

    def run(self, inputs: Arrays, output_gradients: Arrays | None = None) -> Result:
        """The CPU text, called directly."""
        return self._call(self._cpu, inputs, output_gradients)

    def run_cuda(self, inputs: Arrays, output_gradients: Arrays | None = None) -> Result:
        """The CUDA text, called once per thread."""
        assert self._cuda is not None, "this unit holds no CUDA text"
        return self._call(self._cuda, inputs, output_gradients)

    def _call(
        self,
        entries: tuple[Entry, Entry | None],
        inputs: Arrays,
        output_gradients: Arrays | None,
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
        self, inputs: Arrays, output_gradients: Arrays, steps: Sequence[float]
    ) -> list[Differences]:
        """Slopes of the outputs, weighted by `output_gradients`, for the elements of every floating-point
        input and inout array, by central differences of each of `steps`."""
        self._frame.load(inputs)
        self._frame.seed(output_gradients)
        weights = self._frame.weights()
        found = []
        for argument in self._signature.arguments:
            if argument.ndim and argument.role != "output" and argument.type.is_float:
                flat = self._frame.start[argument.name].reshape(-1)
                count = min(flat.size, MAX_ELEMENTS)
                index = np.linspace(0, flat.size - 1, count).astype(np.int64)
                places = index.tolist()
                slopes = np.array([[self._slope(flat, i, step, weights) for i in places] for step in steps])
                found.append(Differences(argument.name, index, slopes))
        return found

    def _slope(self, flat: np.ndarray, position: int, step: float, weights: np.ndarray) -> float:
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
        return float(weights @ (outputs - frame.float_outputs())) / (above - below)


def check_signature(signature: Signature, translation: Translation) -> None:
    """Raises `UserError` unless arguments have the names and types that Warp found in the source: memory of
    another layout would be overwritten."""
    described = tuple((a.name, a.type.scalar, a.type.shape, a.ndim) for a in signature.arguments)
    if described != translation.parameters:
        raise UserError(
            f"the signature of {signature.name} is {described}: it takes {translation.parameters}"
        )
    if len(signature.launch_dim) < translation.tid_dims:
        raise UserError(f"{signature.name} asks for {translation.tid_dims} thread indices: launch as many")


def _all_double(arguments: Sequence[Argument]) -> bool:
    return all(numpy_type(argument.type) is np.float64 for argument in arguments)


def _place(argument: Argument) -> int:
    """Where an array lies in a frame: floating-point outputs first."""
    if argument.role == "input":
        return 2
    return 0 if argument.type.is_float else 1


def _bytes(argument: Argument) -> int:
    return int(np.prod(full_shape(argument), dtype=np.int64)) * np.dtype(numpy_type(argument.type)).itemsize


def _views(arrays: list[Argument], offsets: Mapping[str, int], memory: np.ndarray) -> dict[str, np.ndarray]:
    return {
        a.name: memory[offsets[a.name] : offsets[a.name] + _bytes(a)]
        .view(numpy_type(a.type))
        .reshape(full_shape(a))
        for a in arrays
    }


def _ctype(argument: Argument) -> Any:
    if argument.ndim:
        return warp.ArrayHeader
    carrier = _CARRIERS[np.dtype(numpy_type(argument.type)).itemsize]
    return carrier * argument.type.size if argument.type.shape else carrier


def _plain(argument: Argument, value: np.ndarray) -> object:
    carrier = _CARRIERS[value.dtype.itemsize]
    bits = np.ravel(value).view(np.dtype(carrier)).tolist()
    return (carrier * argument.type.size)(*bits) if argument.type.shape else bits[0]


def _entries(library: Library, symbols: tuple[str, str | None]) -> tuple[Entry, Entry | None]:
    function = ctypes.CFUNCTYPE(None)
    forward, backward = symbols
    return function(library.address(forward)), None if backward is None else function(
        library.address(backward)
    )
