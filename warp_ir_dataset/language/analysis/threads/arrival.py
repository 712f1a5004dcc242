"""Finds arrays whose contents may depend on the order in which threads reach an atomic.

What an atomic returns depends on which threads came before: on a GPU that is open. An array follows it

- where what the kernel gives it (a value, an index, or the condition that decides whether) is computed from
  what an atomic returned, or stands behind a ``return``, ``break`` or ``continue`` that is;
- where `atomic_exch` or `atomic_cas` decides what stays in it;
- where atomics of two kinds change it, as a sum and a maximum.

An array whose every access is by the thread's own index is nobody else's, and its atomics do not count. The
rule is cautious: what it names may be the same in every order, as a counter is that threads count in.
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


def follows_arrival(program: ir.Program) -> frozenset[str]:
    """The names of the arguments that may follow the order in which threads arrive; none of most programs."""
    if all(changed_array(node) is None for node in walk(program.bodies)):
        return frozenset()
    found = _Found(_own(program))
    _Body(program, found, {a.name: a.name for a in program.arguments}, set()).whole(program.body, hangs=False)
    mixed = {array for array, kinds in found.kinds.items() if len(kinds) > 1} - found.own
    return frozenset(found.followers | mixed)


def _own(program: ir.Program) -> frozenset[str]:
    """Arguments whose every access is by the thread's own index."""
    threads, _ = without_index(program.body)
    names = {argument.name for argument in program.arguments} if threads else set()
    for access in accesses(program):
        if not all(thread in access.index for thread in threads):
            names.discard(access.array.partition(".")[0])
    return frozenset(names)


class _Found:
    """What is known of arguments so far: those that follow, and by which kinds of atomics each is changed."""

    def __init__(self, own: frozenset[str]) -> None:
        self.own = own
        self.followers: set[str] = set()
        self.kinds: dict[str, set[str]] = {}


class _Body:
    """A body: which argument each of its arrays is of, and the locals that are computed from what an atomic
    returned (`late`)."""

    def __init__(self, program: ir.Program, found: _Found, arrays: dict[str, str], late: set[str]) -> None:
        self.program = program
        self.found = found
        self.arrays = arrays
        self.late = late
        self.left = False  # whether some threads may have left by now, for what an atomic returned
        self.returns_late = False

    def whole(self, body: tuple[ir.Stmt, ...], hangs: bool) -> None:
        """All of it, again until nothing is found any more: loops carry values around."""
        before = None
        while before != (before := (len(self.late), len(self.found.followers))):
            self.left = False
            self.block(body, hangs)

    def block(self, body: Sequence[ir.Stmt], hangs: bool) -> None:
        for statement in body:
            self.statement(statement, hangs or self.left)

    def statement(self, statement: ir.Stmt, hangs: bool) -> None:
        match statement:
            case ir.Let(target, value) | ir.Variable(target, value):
                if isinstance(target.type, Array):
                    self.arrays[target.name] = self.argument(value)
                self.give((target,), self.value(value, hangs) or hangs)
            case ir.Unpack(targets, value):
                self.give(targets, self.value(value, hangs) or hangs)
            case ir.Assign(target, value) | ir.Accumulate(target, _, value):
                self.change(statement, target, value, hangs)
            case ir.Do(value):
                self.value(value, hangs)
            case ir.If(condition, then, orelse):
                hangs |= self.value(condition, hangs)
                self.block(then, hangs)
                self.block(orelse, hangs)
                self.left |= hangs and _leaves(statement)
            case ir.For(_, start, stop, body=body):
                hangs |= self.value((start, stop), hangs)
                self.give((statement.target,), hangs)
                self.loop(body, hangs)
            case ir.While(condition, body):
                hangs |= self.value(condition, hangs)
                self.loop(body, hangs)
            case ir.Return(values):
                self.returns_late |= self.value(values, hangs) or hangs
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

    def loop(self, body: tuple[ir.Stmt, ...], hangs: bool) -> None:
        """A body whose first statement also stands behind its last one."""
        before = self.left
        self.block(body, hangs)
        self.block(body, hangs)
        self.left = before or (self.left and any(isinstance(inner, ir.Return) for inner in statements(body)))

    def give(self, targets: Sequence[ir.Name], late: bool) -> None:
        if late:
            self.late |= {target.name for target in targets}

    def change(
        self, statement: ir.Assign | ir.Accumulate, target: ir.Place, value: ir.Expr, hangs: bool
    ) -> None:
        late = self.value((*indices(target), value), hangs) or hangs
        place = stored(statement)
        if place is None:
            self.late |= {root(target) or ""} if late else set()
            return
        array = self.argument(place)
        if late:
            self.found.followers.add(array)
        if isinstance(statement, ir.Accumulate):
            self.kind(array, statement.operator)

    # ---- expressions

    def value(self, of: ir.Expr | tuple[ir.Expr, ...], hangs: bool) -> bool:
        """Whether some value is computed from what an atomic returned; notes what atomics change."""
        late = False
        for node in walk(of):
            if isinstance(node, ir.Name):
                late |= node.name in self.late
            elif isinstance(node, ir.Call):
                late |= self.call(node, hangs)
            elif isinstance(node, ir.Apply) and (array := changed_array(node)) is not None:
                late |= self.atomic(node, self.argument(array), hangs)
        return late

    def atomic(self, node: ir.Apply, array: str, hangs: bool) -> bool:
        row = TABLE[node.operation]
        given = tuple(operand for operand in node.operands if not isinstance(operand.type, Array))
        late = self.value(given, hangs) or hangs
        own = array in self.found.own
        if late or (row.commutes is None and not own):
            self.found.followers.add(array)
        self.kind(array, row.name if row.commutes is None else row.commutes.__name__)
        return not own

    def kind(self, array: str, kind: str) -> None:
        self.found.kinds.setdefault(array, set()).add(_KINDS.get(kind, kind))

    def call(self, node: ir.Call, hangs: bool) -> bool:
        function = self.program.called(node)
        arrays, late = {}, set()
        for parameter, operand in zip(function.parameters, node.operands, strict=True):
            arrays[parameter.name] = self.argument(operand)
            if self.value(operand, hangs):
                late.add(parameter.name)
        inner = _Body(self.program, self.found, arrays, late)
        inner.whole(function.body, hangs)
        return inner.returns_late

    def argument(self, array: ir.Expr) -> str:
        """The argument that an array, a view or an element is of."""
        name = root(array) or ""
        return self.arrays.get(name, name)


def _leaves(statement: ir.If) -> bool:
    return any(isinstance(inner, _LEAVING) for inner in statements((statement,)))
