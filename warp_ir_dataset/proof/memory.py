"""Places a kernel's arguments in memory, in Warp's layout or plain CUDA's, with their gradients.

The arguments are a record; each array in it is a header that points to a block of elements. Three memories
of one plan hold all of it: what every run starts from, what it works on, and the gradients of that. Numbers
are found in them by their leaves (`Argument.leaves`), as views: strided ones, where they are members of
structs in an array.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilers import warp
from ..compilers.launch import Given, Gradient
from ..compilers.layout import ARGUMENTS, Layout
from ..language import ir
from ..language.types import Struct
from .subject import Arrays

_ALIGNMENT = 8


@dataclass(frozen=True)
class Place:
    """A value in a block's elements: a member, or a member of a member."""

    block: str
    fields: tuple[str, ...]

    def member(self, name: str) -> Place:
        return Place(self.block, (*self.fields, name))


@dataclass(frozen=True)
class Block:
    """The elements of an array, or of one for each element of the array that it is a member of.

    The last `ndim` dimensions of `shape` are the array's own; `header` is where it is pointed to.
    """

    layout: Layout
    shape: tuple[int, ...]
    ndim: int
    offset: int
    header: Place

    @property
    def bytes(self) -> int:
        return math.prod(self.shape) * self.layout.dtype.itemsize


class Plan:
    """Where everything lies: blocks by the dotted names of arrays, numbers by the names of leaves."""

    def __init__(self, signature: ir.Signature, arguments: Layout) -> None:
        self._shapes = {a.name: a.shape for a in signature.arguments}
        for argument in signature.arguments:
            self._shapes |= {f"{argument.name}.{name}": shape for name, shape in argument.member_shapes}
        start = Place(ARGUMENTS, ())
        self.size = 0
        self.blocks = {ARGUMENTS: Block(arguments, (), 0, self.reserve(arguments.dtype.itemsize), start)}
        self.leaves: dict[str, Place] = {}
        for name, member in arguments.members:
            self._place(start.member(name), member, name, ())

    def _place(self, place: Place, layout: Layout, name: str, outer: tuple[int, ...]) -> None:
        if layout.element is not None:
            ndim = layout.type.ndim
            shape = outer + self._shapes.get(name, (0,) * ndim)
            offset = self.reserve(math.prod(shape) * layout.element.dtype.itemsize)
            block = Block(layout.element, shape, ndim, offset, place)
            self.blocks[name] = block
            self._place(Place(name, ()), layout.element, name, block.shape)
        elif isinstance(layout.type, Struct):
            for member, inner in layout.members:
                self._place(place.member(member), inner, f"{name}.{member}", outer)
        else:
            self.leaves[name] = place

    def reserve(self, size: int) -> int:
        """Where the next block begins, of `size` bytes: one behind the other, in the memory of a proof."""
        offset = self.size
        self.size += _aligned(size)
        return offset

    def view(self, memory: np.ndarray, place: Place) -> np.ndarray:
        block = self.blocks[place.block]
        found: np.ndarray = np.ndarray(
            block.shape, block.layout.dtype, buffer=memory.data, offset=block.offset
        )
        for field in place.fields:
            found = found[field]
        return found

    def views(self, memory: np.ndarray) -> dict[str, np.ndarray]:
        return {name: self.view(memory, place) for name, place in self.leaves.items()}

    def point(self, memory: np.ndarray, block: Block, data: int, gradient: int) -> None:
        """Fill the headers of a block: its elements lie in the memory at the address `data`, their gradients,
        if there are any, in the one at `gradient`."""
        header = self.view(memory, block.header)
        own = block.shape[len(block.shape) - block.ndim :]
        sizes = [math.prod(own[axis:]) * block.layout.dtype.itemsize for axis in range(block.ndim + 1)]
        offsets = block.offset + sizes[0] * np.arange(header.size, dtype=np.uint64).reshape(header.shape)
        header["data"] = data + offsets
        header["shape"][..., : block.ndim] = own
        if "stride" in (header.dtype.names or ()):  # of plain CUDA: in elements, and without a gradient
            header["stride"] = np.array(sizes[1:]) // block.layout.dtype.itemsize
            return
        header["grad"] = gradient + offsets if gradient else 0
        header["strides"][..., : block.ndim] = sizes[1:]
        header["ndim"] = block.ndim


class Frame:
    """`start` and `work` hold numbers by leaf, `gradients` those of leaves that are floating-point arrays."""

    def __init__(self, signature: ir.Signature, arguments: Layout, tid_dims: int) -> None:
        self._layout = arguments
        self._plan = plan = Plan(signature, self._layout)
        self._start, self._work, self._gradients, self._unseeded = (
            np.zeros(plan.size, np.uint8) for _ in range(4)
        )
        self._differentiable = {name for name, block in plan.blocks.items() if has_floats(block.layout)}
        self._point()
        self.start, self.work = plan.views(self._start), plan.views(self._work)
        leaves = [leaf for argument in signature.arguments for leaf in argument.leaves]
        self.outputs = [leaf for leaf in leaves if leaf.role != "input"]
        self.differentiated = [
            leaf for leaf in leaves if leaf.ndim and leaf.role != "output" and leaf.type.is_float
        ]
        arrays = {leaf.name for leaf in leaves if leaf.ndim and leaf.type.is_float}
        self.gradients = {n: view for n, view in plan.views(self._gradients).items() if n in arrays}
        self._float_outputs = [leaf.name for leaf in self.outputs if leaf.type.is_float]
        # Named here to stay alive: the entries get bare pointers.
        self._bounds = warp.launch_bounds(signature.launch_dim, tid_dims)
        self.forward_arguments: list[Any] = [ctypes.byref(self._bounds), _pointer(self._work)]
        self.backward_arguments = [*self.forward_arguments, _pointer(self._gradients)]

    def _point(self) -> None:
        """Headers point to the memory that runs work on. Those of the arguments' gradients are headers too,
        where `wp.Tape` gives them: in arguments and their structs, and not in the elements of arrays."""
        work, gradients = self._work.ctypes.data, self._gradients.ctypes.data
        for name, block in self._plan.blocks.items():
            if name == ARGUMENTS:
                continue
            has_gradient = name in self._differentiable
            self._plan.point(self._start, block, work, gradients if has_gradient else 0)
            if has_gradient and block.header.block == ARGUMENTS:
                self._plan.point(self._unseeded, block, gradients, 0)

    def load(self, inputs: Arrays) -> None:
        """Make `inputs`, by leaf, what every run starts from, converted to this program's types."""
        for name, value in inputs.items():
            self.start[name][...] = value

    def reset(self) -> None:
        self._work[:] = self._start

    def float_outputs(self) -> np.ndarray:
        """All floating-point outputs as one float64 array, a copy."""
        return self._floats(self.work)

    def weights(self) -> np.ndarray:
        """The gradients that arrive at them, in the same order."""
        return self._floats(self.gradients)

    def _floats(self, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        parts = [arrays[name].astype(np.float64).reshape(-1) for name in self._float_outputs]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.zeros(0)

    def seed(self, output_gradients: Arrays) -> None:
        """All gradients zero, but for those that arrive at the outputs."""
        self._gradients[:] = self._unseeded
        for name, gradient in output_gradients.items():
            self.gradients[name][...] = gradient

    # ---- as Warp's own launch takes them

    def given(self) -> list[Given]:
        return [self._given(member, name) for name, member in self._layout.members]

    def _given(self, layout: Layout, name: str) -> Given:
        if layout.element is not None:
            return self._plan.view(self._work, Place(name, ()))
        if isinstance(layout.type, Struct):
            return {member: self._given(inner, f"{name}.{member}") for member, inner in layout.members}
        return self.work[name]

    def given_gradients(self) -> list[Gradient]:
        return [self._given_gradient(member, name) for name, member in self._layout.members]

    def _given_gradient(self, layout: Layout, name: str) -> Gradient:
        if layout.element is not None:
            differentiable = name in self._differentiable
            return self._plan.view(self._gradients, Place(name, ())) if differentiable else None
        if isinstance(layout.type, Struct):
            return {
                member: self._given_gradient(inner, f"{name}.{member}") for member, inner in layout.members
            }
        return None


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _pointer(memory: np.ndarray) -> Any:
    return ctypes.c_void_p(memory.ctypes.data)


def has_floats(layout: Layout) -> bool:
    """Whether a value holds floating-point numbers itself; those in its arrays have blocks of their own."""
    return layout.type.is_float or any(has_floats(member) for _, member in layout.members)
