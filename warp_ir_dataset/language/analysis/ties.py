"""Finds array sizes that follow from the size of the launch.

A dimension of an array follows from the launch if threads access it only at their own index, or at a fixed
distance from it, and if its size is that of the launch plus the largest distance. It is then written in terms
of the launch's sizes: ``n`` and, after the first dimension, ``m``, ``k`` and ``l``. This is a promise: with
more threads, and arrays that grow with them, the kernel is still legal. The rules of `legality` check it, for
a launch of a little more than twice the size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..program import Apply, Argument, Expr, Literal, Name, Program, ThreadIndex
from ..walks import statements
from .intervals import Illegal
from .legality import check
from .threads.accesses import accesses

SYMBOLS = ("n", "m", "k", "l")  # the dimensions of a launch, in order

Shape = tuple[str, ...]
Dimension = tuple[str, int]  # of an array, or of one in an argument: ``grid.cells``
Place = tuple[int, int]  # a dimension of the launch, and what is added to it
Ties = dict[Dimension, Place]


def told_shapes(program: Program) -> dict[str, Shape]:
    """The shape of each argument, and of each leaf of one that is a struct, by its name: sizes as text, those
    that go with the launch by the launch's (``("n + 1", "8")``)."""
    promised = _promised(program, ties(program))
    shapes = {}
    for argument in program.arguments:
        for entry in (argument, *argument.leaves):
            arrays = _arrays(argument, entry)
            shapes[entry.name] = tuple(
                _told(promised.get(array), size) for array, size in zip(arrays, entry.shape, strict=True)
            )
    return shapes


def plain_shapes(arguments: tuple[Argument, ...]) -> dict[str, Shape]:
    """The same where nothing is known of the kernel: numbers alone."""
    entries = [entry for argument in arguments for entry in (argument, *argument.leaves)]
    return {entry.name: tuple(map(str, entry.shape)) for entry in entries}


def _told(place: Place | None, size: int) -> str:
    if place is None:
        return str(size)
    axis, more = place
    return f"{SYMBOLS[axis]} + {more}" if more else SYMBOLS[axis]


def _arrays(argument: Argument, entry: Argument) -> Iterator[tuple[str, int]]:
    """For each dimension of a leaf the array that has it: that of structs, or a member of them."""
    for axis in range(argument.ndim):
        yield argument.name, axis
    path = entry.name.removeprefix(f"{argument.name}.")
    for member, shape in argument.member_shapes:
        if path == member or path.startswith(f"{member}."):
            yield from ((f"{argument.name}.{member}", axis) for axis in range(len(shape)))


def ties(program: Program) -> Ties:
    """What the accesses alone say."""
    indices = _indices(program)
    offsets: dict[Dimension, set[Place | None]] = {}
    for access in accesses(program):
        for axis, index in enumerate(access.index):
            offsets.setdefault((access.array, axis), set()).add(_offset(index, indices))
    sizes = dict(sizes_of(program.arguments))
    found: Ties = {}
    for key, places in offsets.items():
        known = {place for place in places if place is not None}
        if len(known) < len(places) or len({axis for axis, _ in known}) != 1:
            continue
        axis, more = max(known)
        if more >= 0 and sizes.get(key) == program.launch_dim[axis] + more:
            found[key] = axis, more
    return found


def sizes_of(arguments: tuple[Argument, ...]) -> Iterator[tuple[Dimension, int]]:
    """The size of each dimension of each array."""
    for argument in arguments:
        members = ((f"{argument.name}.{name}", shape) for name, shape in argument.member_shapes)
        for name, shape in ((argument.name, argument.shape), *members):
            yield from (((name, axis), size) for axis, size in enumerate(shape))


def _indices(program: Program) -> dict[str, int]:
    """The dimension of each thread index; they never change."""
    names = (s.names for s in statements(program.body) if isinstance(s, ThreadIndex))
    return {name.name: axis for several in names for axis, name in enumerate(several)}


def _offset(index: Expr | None, indices: Mapping[str, int]) -> Place | None:
    """The thread index that an index is, and the whole number beside it."""
    name, more = index, 0
    if isinstance(index, Apply) and index.operation in ("add", "sub"):
        name, beside = index.operands
        if isinstance(name, Literal) and index.operation == "add":
            name, beside = beside, name
        if not isinstance(beside, Literal):
            return None
        more = int(beside.value) if index.operation == "add" else -int(beside.value)
    return (indices[name.name], more) if isinstance(name, Name) and name.name in indices else None


def _promised(program: Program, ties: Ties) -> Ties:
    """Those in whose dimension of the launch the kernel stays legal when there are more threads."""
    kept: Ties = {}
    for axis in sorted({axis for axis, _ in ties.values()}):
        ours = {key: place for key, place in ties.items() if place[0] == axis}
        try:
            check(_grown(program, axis, ours), sampled=True)
        except Illegal:
            continue
        kept |= ours
    return kept


def _grown(program: Program, axis: int, ties: Ties) -> Program:
    """The program with more than twice as many threads in one dimension, and arrays to match."""
    more = program.launch_dim[axis] + 1
    launch = longer(program.launch_dim, axis, more)
    arguments = []
    for argument in program.arguments:
        shape, members = argument.shape, dict(argument.member_shapes)
        for array, place in ties:
            if array == argument.name:
                shape = longer(shape, place, more)
            elif (member := array.removeprefix(f"{argument.name}.")) in members and member != array:
                members[member] = longer(members[member], place, more)
        arguments.append(replace(argument, shape=shape, member_shapes=tuple(members.items())))
    return replace(
        program, signature=replace(program.signature, arguments=tuple(arguments), launch_dim=launch)
    )


def longer(shape: tuple[int, ...], axis: int, more: int) -> tuple[int, ...]:
    """A shape that is by so much longer in one dimension."""
    return (*shape[:axis], shape[axis] + more, *shape[axis + 1 :])
