"""Infers a kernel's signature from its source: which arguments it reads and writes."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import assert_never

from ... import ir, walks
from ...operations.table import TABLE
from ...types import FLOAT, SCALARS, Array, Struct, Type, Value


def signature(
    name: str, parameters: tuple[ir.Name, ...], body: tuple[ir.Stmt, ...], functions: tuple[ir.Function, ...]
) -> ir.Signature:
    """Roles are as the arguments are used, sizes 0, and domains as wide as their types allow."""
    uses = Uses(functions)
    read, written = uses.of(parameters, body)
    arguments = tuple(
        ir.Argument(
            name=parameter.name,
            type=element,
            role=_role(parameter.name in read, parameter.name in written),
            shape=(0,) * ndim,
            domain=SCALARS[(element if isinstance(element, Value) else FLOAT).scalar].limits,
        )
        for parameter in parameters
        for element, ndim in [_parts(parameter.type)]
    )
    threads = [len(s.names) for s in walks.statements(body) if isinstance(s, ir.ThreadIndex)]
    return ir.Signature(name, arguments, (0,) * max(threads, default=1))


def _parts(type: Type) -> tuple[Type, int]:
    return (type.element, type.ndim) if isinstance(type, Array) else (type, 0)


def _role(read: bool, written: bool) -> ir.Role:
    if not written:
        return "input"
    return "inout" if read else "output"


class Uses:
    """Which parameters a body reads and writes, those of the functions it calls included."""

    def __init__(self, functions: tuple[ir.Function, ...]) -> None:
        self.functions = functions
        self.known: dict[ir.Function, tuple[set[str], set[str]]] = {}

    def of(self, parameters: tuple[ir.Name, ...], body: tuple[ir.Stmt, ...]) -> tuple[set[str], set[str]]:
        """The names of the parameters that are read, and of those whose elements are written."""
        owners = {parameter.name: {parameter.name} for parameter in parameters}
        read: set[str] = set()
        written: set[str] = set()
        for statement in walks.statements(body):
            for expression in walks.reads(statement):
                self._expression(expression, owners, read, written)
            match statement:
                case ir.Let(target, value) | ir.Variable(target, value) if not isinstance(value.type, Value):
                    owners.setdefault(target.name, set()).update(_owners(value, owners))
                case ir.Assign(target) | ir.Accumulate(target) if (
                    place := walks.element(target)
                ) is not None:
                    written |= _owners(place.array, owners)
                    if isinstance(statement, ir.Accumulate) or target != place:
                        read |= _owners(place.array, owners)
                case ir.Assign() | ir.Accumulate() | ir.Let() | ir.Variable():
                    pass  # of a local
                case ir.ThreadIndex() | ir.Unpack() | ir.Do() | ir.Print() | ir.Assert() | ir.Return():
                    pass
                case ir.If() | ir.For() | ir.While() | ir.Break() | ir.Continue() | ir.Pass() | ir.Comment():
                    pass
                case _:
                    assert_never(statement)
        return read, written

    def _expression(
        self, expression: ir.Expr, owners: dict[str, set[str]], read: set[str], written: set[str]
    ) -> None:
        match expression:
            case ir.Name(name, type):
                if isinstance(type, (Value, Struct)):
                    read |= owners.get(name, set())
            case ir.Load(array, index):
                read |= _owners(array, owners)
                self._all(index, owners, read, written)
            case ir.View(_, index):
                parts = ((i.start, i.stop, i.step) if isinstance(i, ir.Slice) else (i,) for i in index)
                self._all((b for part in parts for b in part if b is not None), owners, read, written)
            case ir.Shape() | ir.Literal():
                pass
            case ir.Member(of):
                self._expression(of, owners, read, written)
            case ir.Call(_, operands):
                self._call(expression, owners, read, written)
                self._all(operands, owners, read, written)
            case ir.Apply(operation, operands):
                for place in TABLE[operation].changed:
                    written |= _owners(operands[place], owners)
                    read |= _owners(operands[place], owners)
                self._all(operands, owners, read, written)
            case ir.Chain(_, operands) | ir.New(_, operands):
                self._all(operands, owners, read, written)
            case _:
                assert_never(expression)

    def _all(
        self, nodes: Iterable[ir.Expr], owners: dict[str, set[str]], read: set[str], written: set[str]
    ) -> None:
        for node in nodes:
            self._expression(node, owners, read, written)

    def _call(self, call: ir.Call, owners: dict[str, set[str]], read: set[str], written: set[str]) -> None:
        function = ir.called(self.functions, call)
        if function not in self.known:
            self.known[function] = self.of(function.parameters, function.body)
        inner_read, inner_written = self.known[function]
        for parameter, operand in zip(function.parameters, call.operands, strict=True):
            if parameter.name in inner_read:
                read |= _owners(operand, owners)
            if parameter.name in inner_written:
                written |= _owners(operand, owners)


def _owners(node: ir.Expr, owners: dict[str, set[str]]) -> set[str]:
    """The parameters that an array or a struct may be part of."""
    name = walks.root(node)
    return owners.get(name, set()) if name is not None else set()
