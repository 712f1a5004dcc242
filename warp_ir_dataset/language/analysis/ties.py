"""Finds array sizes that follow from the size of the launch.

A dimension of an array follows from the launch if threads access it only at their own index, or at a fixed
distance from it, and if its size is that of the launch plus the largest distance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .. import ir
from ..walks import statements
from .threads.accesses import accesses

Shape = tuple[str, ...]
Dimension = tuple[str, int]  # of an array, or of one in a struct: ``grid.cells``
Offset = tuple[int, int]  # a dimension of the launch, and what is added to it
Ties = dict[Dimension, Offset]


def plain_shapes(arguments: tuple[ir.Argument, ...]) -> dict[str, Shape]:
    """The shape of each argument, and of each leaf of one that is a struct, by its name, as text: numbers
    only, without the kernel's body."""
    entries = [entry for argument in arguments for entry in (argument, *argument.leaves)]
    return {entry.name: tuple(map(str, entry.shape)) for entry in entries}


def arrays_of(argument: ir.Argument, entry: ir.Argument) -> Iterator[tuple[str, int]]:
    """For each dimension of a leaf the array that it belongs to: the array of structs, or a member."""
    for axis in range(argument.ndim):
        yield argument.name, axis
    path = entry.name.removeprefix(f"{argument.name}.")
    for member, shape in argument.member_shapes:
        if path == member or path.startswith(f"{member}."):
            yield from ((f"{argument.name}.{member}", axis) for axis in range(len(shape)))


def ties(program: ir.Program) -> Ties:
    """The dimensions that follow from the launch by the kernel's accesses alone."""
    indices = thread_axes(program)
    offsets: dict[Dimension, set[Offset | None]] = {}
    for access in accesses(program):
        for axis, index in enumerate(access.index):
            offsets.setdefault((access.array, axis), set()).add(_offset(index, indices))
    sizes = dict(sizes_of(program.arguments))
    found: Ties = {}
    for key, found_offsets in offsets.items():
        known = {place for place in found_offsets if place is not None}
        if len(known) < len(found_offsets) or len({axis for axis, _ in known}) != 1:
            continue
        axis, more = max(known)
        if more >= 0 and sizes.get(key) == program.launch_dim[axis] + more:
            found[key] = axis, more
    return found


def sizes_of(arguments: tuple[ir.Argument, ...]) -> Iterator[tuple[Dimension, int]]:
    """The size of each dimension of each array."""
    for argument in arguments:
        members = ((f"{argument.name}.{name}", shape) for name, shape in argument.member_shapes)
        for name, shape in ((argument.name, argument.shape), *members):
            yield from (((name, axis), size) for axis, size in enumerate(shape))


def thread_axes(program: ir.Program) -> dict[str, int]:
    """The dimension of the launch of each thread index; indices never change."""
    names = (s.names for s in statements(program.body) if isinstance(s, ir.ThreadIndex))
    return {name.name: axis for several in names for axis, name in enumerate(several)}


def _offset(index: ir.Expr | None, indices: Mapping[str, int]) -> Offset | None:
    """The thread index in an index, and the literal added to it; None for other indices."""
    name, more = index, 0
    if isinstance(index, ir.Apply) and index.operation in ("add", "sub"):
        name, added = index.operands
        if isinstance(name, ir.Literal) and index.operation == "add":
            name, added = added, name
        if not isinstance(added, ir.Literal):
            return None
        more = int(added.value) if index.operation == "add" else -int(added.value)
    return (indices[name.name], more) if isinstance(name, ir.Name) and name.name in indices else None


def longer(shape: tuple[int, ...], axis: int, more: int) -> tuple[int, ...]:
    """The shape with `more` added in one dimension."""
    return (*shape[:axis], shape[axis] + more, *shape[axis + 1 :])
