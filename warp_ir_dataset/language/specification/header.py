"""Writes the start of a specification: the launch, the arguments, the structs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .. import ir
from ..analysis.effects import uses
from ..analysis.sizes import changing
from ..analysis.threads.order import order_dependent
from ..rewrite import Body
from ..types import FLOAT, INT, holds_arrays
from ..walks import statements, walk
from .formulas.expressions import Formulas
from .formulas.kinds import full_kind
from .formulas.parts import article, listed

_ROLES = {"input": "input", "output": "output", "inout": "read and updated"}


@dataclass(frozen=True)
class Description:
    """An argument in words: its kind and its role."""

    kind: str
    role: str


def opening(program: ir.Program, indices: tuple[str, ...]) -> str:
    dimensions = " × ".join(map(str, program.launch_dim))
    many = 1
    for size in program.launch_dim:
        many *= size
    example = f"; the example launch has {dimensions} threads" if many > 0 and program.launch_dim else ""
    if not indices:
        return f"Write a kernel {program.name}. Its threads use no index{example}."
    index = "an index" if len(indices) == 1 else "indices"
    described = f"{index} {', '.join(indices)}, counted from 0"
    return f"Write a kernel {program.name}. Its threads have {described}{example}."


def arguments(program: ir.Program, body: Body, indices: tuple[str, ...]) -> Iterator[str]:
    """A line for each argument, or for neighbours that are alike, in their order."""
    yield "Arguments, in order:"
    groups: list[tuple[list[str], Description]] = []
    for argument in program.arguments:
        described = Description(
            _what(program, body, argument, indices), _role(program, body, argument, indices)
        )
        if groups and groups[-1][1] == described:
            groups[-1][0].append(argument.name)
        else:
            groups.append(([argument.name], described))
    for names, described in groups:
        kind = described.kind
        if len(names) > 1:
            kind = kind.replace("array", "arrays", 1) if described.role else f"{kind} each"
        yield f"- {', '.join(names)}: {kind}{described.role}"


def _what(program: ir.Program, body: Body, argument: ir.Argument, indices: tuple[str, ...]) -> str:
    if not argument.ndim:
        return full_kind(argument.type) + _members(program, argument)
    kind = full_kind(argument.reference.type)
    if 0 in argument.shape:
        return kind
    depth = _own(body, argument, indices)
    if depth == argument.ndim and argument.shape == program.launch_dim:
        return f"{kind}, one entry per thread"
    if not 0 < depth == len(indices) < argument.ndim or argument.shape[:depth] != program.launch_dim:
        return f"{kind}, {_sized(program, argument.name, argument.shape)}"
    row = "row" if argument.ndim - depth == 1 else "block"
    if _varying(program, argument.name, range(depth, argument.ndim)):
        return f"{kind}, a {row} per thread ({_sized(program, argument.name, argument.shape)})"
    row, spaced = f"{row} of exactly {_spaced(argument.shape[depth:])}", _spaced(argument.shape)
    return f"{kind}, a {row} per thread ({spaced} in the example)"


def _sized(program: ir.Program, array: str, shape: tuple[int, ...]) -> str:
    """The sizes of an array: those in the example, or those that the program fixes."""
    text = _spaced(shape) + ("" if len(shape) > 1 else " entry" if shape == (1,) else " entries")
    varying = _varying(program, array, range(len(shape)))
    if not varying:
        return f"exactly {text}"
    fixed = [f"exactly {size} in dimension {axis}" for axis, size in enumerate(shape) if axis not in varying]
    return ", ".join([f"{text} in the example", *fixed])


def _varying(program: ir.Program, array: str, axes: Iterable[int]) -> list[int]:
    """The dimensions of an array that may differ from the example."""
    free = changing(program)
    return [axis for axis in axes if (array, axis) in free]


def _spaced(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))


def _members(program: ir.Program, argument: ir.Argument) -> str:
    """The sizes of the arrays in a struct."""
    described = [
        f"{name} of {_sized(program, f'{argument.name}.{name}', shape)}"
        for name, shape in argument.member_shapes
        if 0 not in shape
    ]
    return f", with {listed(described)}" if described else ""


def _own(body: Body, argument: ir.Argument, indices: tuple[str, ...]) -> int:
    """The number of leading dimensions in which every access to an array uses the thread's own indices."""
    depth = min(argument.ndim, len(indices))
    for node in walk(body):
        if isinstance(node, ir.Load) and node.array == argument.reference:
            same = 0
            for part, name in zip(node.index, indices, strict=False):
                if not isinstance(part, ir.Name) or part.name != name:
                    break
                same += 1
            depth = min(depth, same)
    plain = sum(isinstance(n, ir.Load) and n.array == argument.reference for n in walk(body))
    named = uses(argument.name, body)
    return depth if plain == named else 0


def _role(program: ir.Program, body: Body, argument: ir.Argument, indices: tuple[str, ...]) -> str:
    if not argument.ndim and not holds_arrays(argument.type):
        return ""
    role = _ROLES[argument.role]
    if argument.role == "output" and argument.ndim and not _overwritten(body, argument, indices):
        role += ", zero at the start"
    return f"; {role}"


def _overwritten(body: Body, argument: ir.Argument, indices: tuple[str, ...]) -> bool:
    """Whether every thread certainly stores its own entry of an output, and no other statement accesses
    it."""
    own = ir.Load(argument.reference, tuple(ir.Name(index, INT) for index in indices), argument.type)
    stores = sum(isinstance(s, ir.Assign) and s.target == own for s in statements(body))
    named = uses(argument.name, body)
    return stores == named and _stores(body, own)


def _stores(body: Body, own: ir.Load) -> bool:
    """Whether statements store an element on every path."""
    for statement in body:
        if isinstance(statement, ir.Assign) and statement.target == own:
            return True
        if isinstance(statement, ir.If) and _stores(statement.then, own) and _stores(statement.orelse, own):
            return True
        if any(isinstance(inner, ir.Return) for inner in statements((statement,))):
            return False
    return False


def structs(program: ir.Program) -> Iterator[str]:
    for struct in program.structs:
        members = [f"{name} ({full_kind(type)})" for name, type in struct.members]
        start = f"{article(struct.name).capitalize()} {struct.name} is a struct of"
        yield f"{start} {listed(members) if members else 'nothing'}."


def thread_order(program: ir.Program) -> Iterator[str]:
    """A sentence about arrays that depend on the order of threads, if there are any."""
    names = order_dependent(program)
    if described := [argument.name for argument in program.arguments if argument.name in names]:
        verb = "holds" if len(described) == 1 else "hold"
        yield f"Threads come in any order; what {listed(described)} {verb} may follow it."


def reals(program: ir.Program, formulas: Formulas) -> Iterator[str]:
    """A sentence about the type of real numbers, if it is not float32."""
    if formulas.real != FLOAT:
        yield f"Real numbers are {formulas.real.scalar}."
