"""Finds arrays whose contents may depend on the order in which threads reach an atomic.

The result of an atomic depends on which threads came before: on a GPU their order is undefined. Values
computed from it are *tainted*. The contents of an array depend on the order of threads

- if a stored value, its index, or the condition of the store is tainted, or if the store stands behind a
  tainted ``return``, ``break`` or ``continue``;
- if `atomic_exch` or `atomic_cas` determines its contents;
- if atomics of two kinds change it, such as a sum and a maximum.

If all accesses to an array use the thread's own index, no other thread accesses that element, and its atomics
taint nothing. The rule is cautious: an array that it names may still be the same in every order, such as a
counter.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import assert_never

from ... import ir
from ...operations.table import TABLE, changed_array
from ...types import Array
from ...walks import indices, root, statements, walk, without_index
from ..effects import stored
from .accesses import accesses

_LEAVING = (ir.Return, ir.Break, ir.Continue)
# Kinds of changes that commute, by numpy's names: sums and differences do with each other.
_KINDS = {
    "+": "add",
    "-": "add",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "subtract": "add",
}


def order_dependent(program: ir.Program) -> frozenset[str]:
    """The names of the arguments whose contents may depend on the order of threads; most programs have
    none."""
    if all(changed_array(node) is None for node in walk(program.bodies)):
        return frozenset()
    found = _Findings(_own(program))
    _Body(program, found, {a.name: a.name for a in program.arguments}, set()).whole(
        program.body, control=False
    )
    mixed = {array for array, kinds in found.kinds.items() if len(kinds) > 1} - found.own
    return frozenset(found.dependent | mixed)


def _own(program: ir.Program) -> frozenset[str]:
    """Arguments that are only accessed at the thread's own index."""
    threads, _ = without_index(program.body)
    names = {argument.name for argument in program.arguments} if threads else set()
    for access in accesses(program):
        if not all(thread in access.index for thread in threads):
            names.discard(access.array.partition(".")[0])
    return frozenset(names)


class _Findings:
    """The results so far: the arguments that depend on the order, and the kinds of atomics that change each
    one."""

    def __init__(self, own: frozenset[str]) -> None:
        self.own = own
        self.dependent: set[str] = set()
        self.kinds: dict[str, set[str]] = {}


class _Body:
    """The analysis of a body: the argument that each of its arrays belongs to, and its `tainted` locals."""

    def __init__(
        self, program: ir.Program, found: _Findings, arrays: dict[str, str], tainted: set[str]
    ) -> None:
        self.program = program
        self.found = found
        self.arrays = arrays
        self.tainted = tainted
        self.left = False  # whether a tainted condition may have ended some threads by now
        self.returns_tainted = False

    def whole(self, body: tuple[ir.Stmt, ...], control: bool) -> None:
        """Analyze the whole body, again until nothing new is found: loops carry values around. `control` says
        whether a tainted condition decides if it runs."""
        before = None
        while before != (before := (len(self.tainted), len(self.found.dependent))):
            self.left = False
            self.block(body, control)

    def block(self, body: Sequence[ir.Stmt], control: bool) -> None:
        for statement in body:
            self.statement(statement, control or self.left)

    def statement(self, statement: ir.Stmt, control: bool) -> None:
        match statement:
            case ir.Let(target, value) | ir.Variable(target, value):
                if isinstance(target.type, Array):
                    self.arrays[target.name] = self.argument(value)
                self.give((target,), self.value(value, control) or control)
            case ir.Unpack(targets, value):
                self.give(targets, self.value(value, control) or control)
            case ir.Assign(target, value) | ir.Accumulate(target, _, value):
                self.change(statement, target, value, control)
            case ir.Do(value):
                self.value(value, control)
            case ir.If(condition, then, orelse):
                control |= self.value(condition, control)
                self.block(then, control)
                self.block(orelse, control)
                self.left |= control and _leaves(statement)
            case ir.For(_, start, stop, body=body):
                control |= self.value((start, stop), control)
                self.give((statement.target,), control)
                self.loop(body, control)
            case ir.While(condition, body):
                control |= self.value(condition, control)
                self.loop(body, control)
            case ir.Return(values):
                self.returns_tainted |= self.value(values, control) or control
            case (
                ir.ThreadIndex()
                | ir.Print()
                | ir.Assert()
                | ir.Break()
                | ir.Continue()
                | ir.Pass()
                | ir.Comment()
            ):
                pass
            case _:
                assert_never(statement)

    def loop(self, body: tuple[ir.Stmt, ...], control: bool) -> None:
        """Analyze a body whose first statement also follows its last one."""
        before = self.left
        self.block(body, control)
        self.block(body, control)
        self.left = before or (self.left and any(isinstance(inner, ir.Return) for inner in statements(body)))

    def give(self, targets: Sequence[ir.Name], tainted: bool) -> None:
        if tainted:
            self.tainted |= {target.name for target in targets}

    def change(
        self, statement: ir.Assign | ir.Accumulate, target: ir.Place, value: ir.Expr, control: bool
    ) -> None:
        tainted = self.value((*indices(target), value), control) or control
        load = stored(statement)
        if load is None:
            self.tainted |= {root(target) or ""} if tainted else set()
            return
        array = self.argument(load)
        if tainted:
            self.found.dependent.add(array)
        if isinstance(statement, ir.Accumulate):
            self.kind(array, statement.operator)

    # ---- expressions

    def value(self, of: ir.Expr | tuple[ir.Expr, ...], control: bool) -> bool:
        """Whether an expression is tainted; records the changes of its atomics."""
        tainted = False
        for node in walk(of):
            if isinstance(node, ir.Name):
                tainted |= node.name in self.tainted
            elif isinstance(node, ir.Call):
                tainted |= self.call(node, control)
            elif isinstance(node, ir.Apply) and (array := changed_array(node)) is not None:
                tainted |= self.atomic(node, self.argument(array), control)
        return tainted

    def atomic(self, node: ir.Apply, array: str, control: bool) -> bool:
        row = TABLE[node.operation]
        values = tuple(operand for operand in node.operands if not isinstance(operand.type, Array))
        tainted = self.value(values, control) or control
        own = array in self.found.own
        if tainted or (row.commutes is None and not own):
            self.found.dependent.add(array)
        self.kind(array, row.name if row.commutes is None else row.commutes.__name__)
        return not own

    def kind(self, array: str, kind: str) -> None:
        self.found.kinds.setdefault(array, set()).add(_KINDS.get(kind, kind))

    def call(self, node: ir.Call, control: bool) -> bool:
        function = self.program.called(node)
        arrays, tainted = {}, set()
        for parameter, operand in zip(function.parameters, node.operands, strict=True):
            arrays[parameter.name] = self.argument(operand)
            if self.value(operand, control):
                tainted.add(parameter.name)
        inner = _Body(self.program, self.found, arrays, tainted)
        inner.whole(function.body, control)
        return inner.returns_tainted

    def argument(self, array: ir.Expr) -> str:
        """The argument that an array, a view or an element belongs to."""
        name = root(array) or ""
        return self.arrays.get(name, name)


def _leaves(statement: ir.If) -> bool:
    return any(isinstance(inner, _LEAVING) for inner in statements((statement,)))
