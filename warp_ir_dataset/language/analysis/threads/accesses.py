"""Lists the elements that a kernel reads and writes in its arguments, also in functions that take arrays.

Indices are in the kernel's own terms: a function's parameter stands for its operand. A function's locals get
names that no kernel has, so that they are not taken for the thread's index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from typing import Literal as OneOf

from ... import ir
from ...operations.table import TABLE
from ...types import Array
from ...walks import element, reads, root, statements, walk
from ..effects import stored
from ..intervals import dotted

Kind = OneOf["read", "store", "atomic"]


@dataclass(frozen=True)
class Access:
    """An element of the argument `array`, or of an array in it (``grid.cells``).

    In a dimension that a view leaves open, the index is None.
    """

    array: str
    index: tuple[ir.Expr | None, ...]
    kind: Kind


@dataclass(frozen=True)
class _Part:
    """What an array parameter stands for: an argument, indexed so far."""

    array: str
    index: tuple[ir.Expr | None, ...]


def accesses(program: ir.Program) -> Iterator[Access]:
    """Every access of the kernel, in the order of writing; those of functions once for each call."""
    arrays = {a.name: _Part(a.name, ()) for a in program.arguments}
    yield from _Frame(program, arrays, {}, "", 0).body(program.body)


class _Frame:
    """A body, and what its names stand for."""

    def __init__(
        self,
        program: ir.Program,
        arrays: dict[str, _Part],
        values: dict[str, ir.Expr],
        local: str,
        depth: int,
    ) -> None:
        self.program = program
        self.arrays = arrays
        self.values = values
        self.local = local
        self.depth = depth

    def body(self, body: tuple[ir.Stmt, ...]) -> Iterator[Access]:
        for statement in statements(body):
            if isinstance(statement, (ir.Let, ir.Variable)) and isinstance(statement.target.type, Array):
                self.arrays[statement.target.name] = self.part(statement.value)
            for expression in reads(statement):
                yield from self.expression(expression)
            if (place := stored(statement)) is not None:
                yield from self.place(statement, place)

    def place(self, statement: ir.Stmt, place: ir.Load) -> Iterator[Access]:
        """The accesses to the element that a statement assigns, in whole or in part."""
        if isinstance(statement, ir.Accumulate):
            if statement.operator in ("+", "-") and place == statement.target:
                yield self.access(place, "atomic")
                return
            yield self.access(place, "read")
        yield self.access(place, "store")

    def expression(self, expression: ir.Expr) -> Iterator[Access]:
        for node in walk(expression):
            if isinstance(node, ir.Load):
                yield self.access(node, "read")
            elif isinstance(node, ir.Apply):
                for place, operand in enumerate(node.operands):
                    if isinstance(operand.type, Array):
                        changed = place in TABLE[node.operation].changed
                        yield (
                            self.atomic(operand, node.operands[place + 1 :])
                            if changed
                            else self.all_of(operand)
                        )
            elif isinstance(node, ir.Call):
                yield from self.call(node)

    def atomic(self, array: ir.Expr, operands: tuple[ir.Expr, ...]) -> Access:
        part = self.part(array)
        return Access(part.array, (*part.index, *map(self.translated, operands[: array.type.ndim])), "atomic")

    def all_of(self, array: ir.Expr) -> Access:
        """Any element of an array, read."""
        part = self.part(array)
        return Access(part.array, (*part.index, *(None,) * array.type.ndim), "read")

    def access(self, load: ir.Load, kind: Kind) -> Access:
        part = self.part(load.array)
        return Access(part.array, (*part.index, *map(self.translated, load.index)), kind)

    def call(self, call: ir.Call) -> Iterator[Access]:
        if self.depth > len(self.program.functions):
            return  # a function that calls itself; `flow` refuses it
        function = self.program.called(call)
        inner = _Frame(self.program, {}, {}, f"{self.local}{function.name}/", self.depth + 1)
        for parameter, operand in zip(function.parameters, call.operands, strict=True):
            if isinstance(parameter.type, Array):
                inner.arrays[parameter.name] = self.part(operand)
            else:
                inner.values[parameter.name] = self.translated(operand)
                inner.arrays[parameter.name] = _Part(root(operand) or parameter.name, ())
        yield from inner.body(function.body)

    def part(self, array: ir.Expr) -> _Part:
        if isinstance(array, ir.View):
            part = self.part(array.array)
            index = tuple(None if isinstance(i, ir.Slice) else self.translated(i) for i in array.index)
            return _Part(part.array, (*part.index, *index))
        name = root(array) or ""
        part = self.arrays.get(name, _Part(name, ()))
        if not isinstance(array, ir.Member):
            return part
        # An array in a struct, which may itself be an element of an array.
        inside = element(array.of) if isinstance(array.of, ir.Place) else None
        index = (*part.index, *map(self.translated, inside.index)) if inside else part.index
        return _Part(part.array + dotted(array).removeprefix(name), index)

    def translated(self, expression: ir.Expr) -> ir.Expr:
        """An expression in the kernel's terms."""
        return expression if not self.local else _replaced(expression, self.values, self.local)


def _replaced(node: Any, values: Mapping[str, ir.Expr], local: str) -> Any:
    if isinstance(node, tuple):
        return tuple(_replaced(item, values, local) for item in node)
    if isinstance(node, ir.Name):
        return values.get(node.name) or replace(node, name=local + node.name)
    if not isinstance(node, ir.Expr | ir.Slice):
        return node
    inner = {f.name: _replaced(getattr(node, f.name), values, local) for f in fields(node)}
    return replace(node, **inner)
