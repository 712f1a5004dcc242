"""Finds the sizes of a program that may change, and gives the program at other sizes.

A size is a group of dimensions and bounds that must grow together. For example, a launch of 8 threads runs

    out[i] = x[i] + x[i + 1]

With 9 threads, `out` needs 9 elements and `x` needs 10. So the launch, `out` and `x` are one size: with ``n``
threads, `out` has ``n`` elements and `x` has ``n + 1``. A group begins with one of these:

- a dimension of the launch; the arrays that its threads access join it, and those of its size that they index
  periodically or clamp an index for;
- the upper bound of integers that are indices, or that count a loop's iterations; the arrays that they reach
  join it;
- a dimension that the program reads (``x.shape[0]``).

The rules of `legality` find the group: its beginning grows, by half or else by one, and all that is then too
small joins it and grows, too. A size that cannot also shrink by one is fixed, as where a loop to a literal
bound reads an array of exactly that size: a larger array would be legal, but the kernel would read only a
part of it, which is not its purpose. But a size with a dimension of the launch may still grow, unless even a
launch of one thread reads its arrays to their ends.

Bounds of numbers in structs stay, since all numbers of a struct share them.

A text writes a size in terms of the launch (``n`` and, for its other dimensions, ``m``, ``k`` and ``l``), if
everything in the group grows as fast as the launch. The text is a promise: with 50 % more threads, and arrays
to match, the kernel is still legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from .. import ir
from ..domains import Interval
from ..operations.table import infix
from ..traits import can_have_trait
from ..types import holds_arrays
from ..walks import defined, root, statements, walk
from .interval_analysis import analyze_intervals
from .intervals import Illegal
from .threads.accesses import accesses
from .ties import Dimension, Ties, arrays_of, longer, sizes_of, thread_axes, ties
from .values import Outside

SYMBOLS = ("n", "m", "k", "l")  # the dimensions of a launch, in order
CHANGING = " in the examples"  # after a size that changes but not with the launch
MAX_ROUNDS = 24  # for one size; in each round one thing that is too small grows
NEAR = 2  # by how much an index's bound may differ from the size of its array


@dataclass(frozen=True)
class Size:
    """A group that changes together: from `own`, its number in the program, down to `least` and up to `most`.

    If the size grows by one, the dimensions of `launch` and of `arrays`, and the upper bounds of the
    arguments in `bounds`, grow by the number given there. If `guarded`, threads beyond it are legal too: the
    kernel leaves them idle.
    """

    own: int
    least: int
    most: int
    launch: Mapping[int, int] = field(default_factory=dict)
    arrays: Mapping[Dimension, int] = field(default_factory=dict)
    bounds: Mapping[str, int] = field(default_factory=dict)
    guarded: bool = False


@dataclass(frozen=True)
class Change:
    """A size that grows by `more`, or shrinks if it is negative; the launch grows by `beyond` in addition."""

    size: Size
    more: int
    beyond: int = 0


def resized(program: ir.Program, changes: Sequence[Change]) -> ir.Program:
    """The program at other sizes. It need not be legal there: see `is_legal`."""
    launch, arguments = program.launch_dim, {argument.name: argument for argument in program.arguments}
    for change in changes:
        for axis, more in change.size.launch.items():
            launch = longer(launch, axis, more * change.more + change.beyond)
        for (array, axis), more in change.size.arrays.items():
            name, _, member = array.partition(".")
            arguments[name] = _longer(arguments[name], member, axis, more * change.more)
        for name, more in change.size.bounds.items():
            arguments[name] = _wider(arguments[name], more * change.more)
    return replace(program, signature=ir.Signature(program.name, tuple(arguments.values()), launch))


def _longer(argument: ir.Argument, member: str, axis: int, more: int) -> ir.Argument:
    if not member:
        return replace(argument, shape=longer(argument.shape, axis, more))
    members = tuple(
        (name, longer(shape, axis, more) if name == member else shape)
        for name, shape in argument.member_shapes
    )
    return replace(argument, member_shapes=members)


def _wider(argument: ir.Argument, more: int) -> ir.Argument:
    """The argument with its upper bound moved by `more`, up or down. A domain of a single number stays
    one."""
    low, high = argument.domain.lo, argument.domain.hi
    low += more if low == high else 0
    return replace(argument, domain=Interval(min(low, high + more), high + more))


def is_legal(program: ir.Program) -> bool:
    """Whether every index is in bounds and every loop ends at the program's sizes."""
    try:
        _check(program)
    except Illegal:
        return False
    return True


def shape_texts(program: ir.Program) -> dict[str, tuple[str, ...]]:
    """The shapes of all arguments, and of all leaves of structs, as texts by name. A dimension is written in
    terms of the launch (``n + 1``), as one that changes otherwise (``7 in the examples``), or as a fixed one
    (``8``)."""
    named, free = _named(program), changing(program)

    def size_text(place: Dimension, size: int) -> str:
        return named.get(place, f"{size}{CHANGING}" if place in free else str(size))

    return {
        entry.name: tuple(map(size_text, arrays_of(argument, entry), entry.shape))
        for argument in program.arguments
        for entry in (argument, *argument.leaves)
    }


def changing(program: ir.Program) -> frozenset[Dimension]:
    """The dimensions of arrays that are not fixed."""
    return frozenset(place for size in sizes(program) for place in size.arrays)


def _named(program: ir.Program) -> dict[Dimension, str]:
    """Texts of the sizes that follow the launch."""
    current = dict(sizes_of(program.arguments))
    named: dict[Dimension, str] = {}
    for size in sizes(program):
        beside = {place: current[place] - size.own for place, more in size.arrays.items() if more == 1}
        alike = len(beside) == len(size.arrays) and min(beside.values(), default=0) >= 0
        alone = [*size.launch.values()] == [1] and not size.bounds
        if alike and alone and size.most == _most(size.own):
            (axis,) = size.launch
            named |= {place: SYMBOLS[axis] + (f" + {more}" if more else "") for place, more in beside.items()}
    return named


class _Repeating(Illegal):
    """A permutation has more elements than its domain has numbers."""

    def __init__(self, name: str, more: int) -> None:
        super().__init__(f"{name} has more elements than numbers")
        self.name, self.more = name, more


def _check(program: ir.Program) -> None:
    for leaf in (leaf for argument in program.signature.inputs for leaf in argument.leaves):
        if not can_have_trait(leaf):
            if leaf.trait == "permutation" and leaf.ndim == 1:
                raise _Repeating(leaf.name, int(leaf.shape[0] - 1 - leaf.domain.width))
            raise Illegal(f"{leaf.name} is {leaf.trait}, which no number in its domain can be")
    analyze_intervals(program, sampled=True, whole=True)


@lru_cache(maxsize=32)
def sizes(program: ir.Program) -> tuple[Size, ...]:
    """The sizes of a program that may change, each by itself."""
    tied = ties(program)
    found: list[Size] = []
    for start in _starts(program):
        known = next((other for other in found if _overlap(start, other)), None)
        if known is not None:
            found.remove(known)
            found.append(known)
            continue
        size = _with_dependents(program, start, tied)
        if size is None:
            continue
        for other in [other for other in found if _overlap(size, other)]:
            found.remove(other)
            size = size and _with_dependents(program, _joined(other, size), {})
        if size is not None:
            found.append(size)
    found = [replace(size, least=_least(program, size)) for size in found]
    smaller = [Change(size, -1) for size in found if size.least < size.own]
    if smaller and not is_legal(resized(program, smaller)):  # some are illegal, each by itself
        fixed = [change.size for change in smaller if not is_legal(resized(program, [change]))]
        found = [size for size in found if size not in fixed or not _is_read_by_literals(program, size)]
        found = [replace(size, least=size.own) if size in fixed else size for size in found]
    return tuple(size for size in found if size.launch or size.least < size.own)


def _is_read_by_literals(program: ir.Program, size: Size) -> bool:
    """Whether even a launch of one thread reads an array of this size to its end."""
    threads = max(size.launch.values(), default=1)
    to_one = 1 - (size.own - 1) * threads  # of a launch that has one thread less for each element
    try:
        _check(resized(program, [Change(size, -1, beyond=to_one)]))
    except Illegal as error:
        return isinstance(error, Outside)
    return False


def _starts(program: ir.Program) -> Iterator[Size]:
    """Yields the candidates: sizes with one dimension or bound each."""
    current = dict(sizes_of(program.arguments))
    for axis, own in enumerate(program.launch_dim):
        threads = _threads_per_element(program, axis)
        arrays = dict.fromkeys(_indexed(program, axis), threads)
        yield _start(own // threads, launch={axis: threads}, arrays=arrays)
    for argument in program.signature.inputs:
        high = argument.domain.hi
        whole = argument.leaves == (argument,) and argument.type.is_integer and argument.type.shape == ()
        if whole and high > 0 and any(0 <= size - high <= NEAR for size in current.values()):
            yield _start(int(high), bounds={argument.name: 1})
    queried = _queried_dimensions(program)
    for place, own in current.items():
        if own > 1 and (place in queried or (None, place[1]) in queried):
            yield _start(own, arrays={place: 1})


def _start(own: int, **rest: Any) -> Size:
    return Size(own, own, _most(own), **rest)


def _most(own: int) -> int:
    return own + max(own // 2, 1)


def _queried_dimensions(program: ir.Program) -> set[tuple[str | None, int]]:
    """The dimensions whose size the program reads; None for an array in a function or a view, which may be
    any."""
    names = {argument.name for argument in program.arguments if argument.ndim}
    found: set[tuple[str | None, int]] = set()
    for number, body in enumerate(program.bodies):
        for node in walk(body):
            if isinstance(node, ir.Shape):
                name = node.array.name if isinstance(node.array, ir.Name) else root(node.array)
                plain = isinstance(node.array, ir.Name) and number == 0 and name in names
                if plain:
                    found.add((name, node.axis))
                else:
                    found |= {(None, axis) for axis in range(node.axis, 4)}
    return found


def _with_dependents(program: ir.Program, size: Size, tied: Ties) -> Size | None:
    """Returns a size with everything that must grow if it grows by half, or else by one, and with the arrays
    that are tied to its dimension of the launch. Returns None if the size cannot grow, and for a bound if
    nothing must grow with it."""
    for most in sorted({size.most, size.own + 1}, reverse=True):
        found = _with_all(program, replace(size, most=most), tied)
        if found is not None:
            return found
    return None


def _with_all(program: ir.Program, size: Size, tied: Ties) -> Size | None:
    current, alone, step = dict(sizes_of(program.arguments)), size, size.most - size.own
    for _ in range(MAX_ROUNDS):
        before = size
        try:
            _check(resized(program, [Change(size, step)]))
        except Outside as outside:
            place = outside.array, outside.axis
            more = max(-(-(outside.index + 1 - current[place]) // step), size.arrays.get(place, 0))
            size = replace(size, arrays={**_tied(size, tied), **size.arrays, place: more})
        except _Repeating as repeating:
            more = size.bounds.get(repeating.name, 0) + -(-repeating.more // step)
            size = replace(size, bounds={**size.bounds, repeating.name: more})
        except Illegal:
            size = replace(size, arrays={**_tied(size, tied), **size.arrays})
        else:
            break
        if size == before:
            return None
    else:
        return None
    if size != alone or size.arrays:
        return size
    # Nothing else grows: a launch larger than the arrays, or a bound of no index.
    return replace(size, arrays=_tied(size, tied), guarded=True) if size.launch else None


def _indexed(program: ir.Program, launch: int) -> dict[Dimension, int]:
    """The dimensions that are as large as one of the launch and have its thread's index, or what is computed
    with it, in an index; none if the kernel leaves threads idle. A kernel that brings each index into its
    array does not need an array as large as its launch. But if `image[i, j]` is periodic, nobody expects an i
    that is larger than the image."""
    indices = _thread_indices(program, launch)
    if any(isinstance(s, ir.If) and _names(s.condition) & indices for s in program.body):
        return {}
    current, found = dict(sizes_of(program.arguments)), dict[Dimension, int]()
    for access in accesses(program):
        for axis, index in enumerate(access.index):
            names = _names(index)
            # A function's local is taken for one that follows from the index in the same place.
            follows = bool(names & indices) or (axis == launch and any("/" in name for name in names))
            if follows and current.get((access.array, axis)) == program.launch_dim[launch]:
                found[access.array, axis] = 1
    return found


def _threads_per_element(program: ir.Program, launch: int) -> int:
    """How many threads of a dimension of the launch share an element of an array: 2 where twice as many
    threads as it has elements use ``thread // 2`` for its index; else 1."""
    current, own = dict(sizes_of(program.arguments)), program.launch_dim[launch]
    divided = {
        statement.target.name: statement.value
        for statement in statements(program.body)
        if isinstance(statement, ir.Let | ir.Variable)
    }
    threads = {name for name, axis in thread_axes(program).items() if axis == launch}
    for access in accesses(program):
        for axis, index in enumerate(access.index):
            value = divided.get(index.name) if isinstance(index, ir.Name) else index
            match value:
                case ir.Apply(operation, (ir.Name(name, left), ir.Literal(several, right))) if (
                    name in threads
                ):
                    elements = current.get((access.array, axis), 0)
                    if operation == infix("//", left, right) and elements > 1 and elements * several == own:
                        return int(several)
    return 1


def _thread_indices(program: ir.Program, launch: int) -> set[str]:
    """The thread's index in a dimension of the launch, and the locals that the kernel computes with it."""
    found = {name for name, axis in thread_axes(program).items() if axis == launch}
    for statement in statements(program.body):
        if isinstance(statement, ir.Let | ir.Variable | ir.Assign) and _names(statement.value) & found:
            found |= {name.name for name in defined(statement)}
    return found


def _names(expression: ir.Expr | None) -> set[str]:
    """The names that an expression is computed from, if it reads no array."""
    match expression:
        case ir.Name(name):
            return {name}
        case ir.Apply() | ir.Chain() | ir.Call():
            reads_arrays = any(holds_arrays(operand.type) for operand in expression.operands)
            return set() if reads_arrays else set().union(*map(_names, expression.operands))
    return set()


def _tied(size: Size, tied: Ties) -> dict[Dimension, int]:
    return {place: size.launch[axis] for place, (axis, _) in tied.items() if axis in size.launch}


def _overlap(first: Size, second: Size) -> bool:
    return bool(first.arrays.keys() & second.arrays.keys() or first.bounds.keys() & second.bounds.keys())


def _joined(first: Size, second: Size) -> Size:
    places = first.arrays.keys() | second.arrays.keys()
    axes = first.launch.keys() | second.launch.keys()
    launched = [size for size in (first, second) if size.launch]
    guarded = bool(launched) and all(size.guarded for size in launched)
    return Size(
        first.own,
        first.own,
        first.most,
        {axis: max(first.launch.get(axis, 0), second.launch.get(axis, 0)) for axis in sorted(axes)},
        {place: max(first.arrays.get(place, 0), second.arrays.get(place, 0)) for place in sorted(places)},
        {**second.bounds, **first.bounds},
        guarded,
    )


def _least(program: ir.Program, size: Size) -> int:
    """The smallest value of a size: at least half of what it is, and such that no array and no launch is
    empty, and no upper bound is below its lower bound."""
    current = dict(sizes_of(program.arguments))
    room = [(program.launch_dim[axis] - 1) // more for axis, more in size.launch.items()]
    room += [(current[place] - 1) // more for place, more in size.arrays.items()]
    for argument in program.arguments:
        if more := size.bounds.get(argument.name):
            low, high = argument.domain.lo, argument.domain.hi
            room.append(int(high - low if low < high else max(high - 1, 0)) // more)
    return size.own - min(*room, size.own // 2)
