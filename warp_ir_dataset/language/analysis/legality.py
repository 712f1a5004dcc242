"""What makes a program legal, checked from scratch and apart from how programs are drawn.

`check` raises `operations.Illegal` unless: every name is defined before use and keeps its type; every
operation is defined for its operands and stays within the limits of its type; every index is in bounds;
every variable stays within its declared range; every loop is bounded; no two threads race for an element;
and nothing that is defined goes unused.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import domains as ranges
from ..operations.table import Illegal, apply
from ..program import (
    Accumulate,
    Apply,
    Argument,
    Assign,
    Atomic,
    Call,
    Expr,
    For,
    Function,
    If,
    Let,
    Load,
    Member,
    Name,
    NewStruct,
    Program,
    Range,
    Return,
    SetComponent,
    SetMember,
    Stmt,
    Store,
    StructName,
    ThreadIndex,
    Variable,
    While,
    statements,
    walk,
)

Scope = dict[str, Name | StructName]

SLACK = 1e-6  # bounds are computed in floating point


def check(program: Program) -> None:
    """Raises `Illegal` with the first rule the program breaks."""
    arguments = {argument.name: argument for argument in program.arguments}
    scope: Scope = {a.name: Name(a.name, a.type, a.range) for a in program.arguments if a.ndim == 0}
    functions: dict[str, Function] = {}
    for function in program.functions:
        _Checker(program, {}, functions).function(function)
        functions[function.name] = function
    _Checker(program, arguments, functions).block(program.body, dict(scope), 1)
    _all_used(program)


def _require(condition: bool, rule: str) -> None:
    if not condition:
        raise Illegal(rule)


def _within(inner: Range, outer: Range) -> bool:
    slack = SLACK * max(outer.magnitude, 1.0)
    return outer.lo - slack <= inner.lo and inner.hi <= outer.hi + slack


class _Checker:
    """Walks statements in order; `scope` maps names to what was declared."""

    def __init__(
        self, program: Program, arguments: dict[str, Argument], functions: dict[str, Function]
    ) -> None:
        self.program = program
        self.arguments = arguments
        self.functions = functions
        self.threads: tuple[Name, ...] = ()
        self.members: dict[tuple[str, str], Range] = {}
        self.sums: dict[str, Range] = {}

    def function(self, function: Function) -> None:
        scope: Scope = {parameter.name: parameter for parameter in function.parameters}
        for parameter in function.parameters:
            if isinstance(parameter, StructName):
                for node in walk(function.body):
                    if isinstance(node, Member) and node.struct == parameter:
                        self.members[parameter.name, node.member] = node.range
        self.block(function.body, scope, 1)
        _require(isinstance(function.body[-1], Return), f"{function.name} may end without a value")

    # ---- statements; `trips` is how often the body may run in one thread

    def block(self, body: Sequence[Stmt], scope: Scope, trips: int) -> None:
        for statement in body:
            self.statement(statement, scope, trips)

    def statement(self, statement: Stmt, scope: Scope, trips: int) -> None:
        match statement:
            case ThreadIndex(names):
                _require(len(names) == len(self.program.launch_dim), "one thread index per launch dimension")
                self.threads = names
                scope.update({name.name: name for name in names})
            case Let(target, value) | Variable(target, value):
                self.expression(value, scope)
                _require(target.name not in scope, f"{target.name} is defined twice")
                _require(
                    target.type == value.type and _within(value.range, target.range),
                    f"{target.name} leaves its range",
                )
                scope[target.name] = target
                self.sums[target.name] = value.range
            case NewStruct(target):
                scope[target.name] = target
            case Assign(target, value):
                self.assigned(target, value, scope)
                _require(_within(value.range, target.range), f"{target.name} leaves its range")
            case Accumulate(target, operator, value):
                self.assigned(target, value, scope)
                self.accumulate(target, operator, value, trips)
            case SetComponent(target, index, value):
                self.assigned(target, None, scope)
                self.expression(value, scope)
                shape = target.type.shape
                _require(
                    all(0 <= i < n for i, n in zip(index, shape, strict=True)), "a component out of bounds"
                )
                _require(_within(value.range, target.range), f"{target.name} leaves its range")
            case SetMember(target, member, value):
                self.expression(value, scope)
                self.members[target.name, member] = value.range
            case Store() | Atomic():
                self.store(statement, scope)
            case If(condition, then, orelse):
                self.expression(condition, scope)
                self.block(then, dict(scope), trips)
                self.block(orelse, dict(scope), trips)
            case For() | While():
                self.loop(statement, scope, trips)
            case Return(value):
                if value is not None:
                    self.expression(value, scope)

    def assigned(self, target: Name, value: Expr | None, scope: Scope) -> None:
        _require(scope.get(target.name) == target, f"{target.name} is assigned but not declared")
        if value is not None:
            self.expression(value, scope)
            _require(value.type == target.type, f"{target.name} changes its type")

    def accumulate(self, target: Name, operator: str, value: Expr, trips: int) -> None:
        """Every iteration may add; what all statements together may add stays within the range."""
        _require(operator in ("+", "-"), "only sums are bounded by counting")
        step = value.range if operator == "+" else ranges.neg(value.range)
        total = self.sums[target.name]
        total = Range(total.lo + trips * min(step.lo, 0), total.hi + trips * max(step.hi, 0))
        self.sums[target.name] = total
        _require(_within(total, target.range), f"the sum {target.name} leaves its range")

    def loop(self, loop: For | While, scope: Scope, trips: int) -> None:
        inner = dict(scope)
        if isinstance(loop, For):
            self.expression(loop.start, scope)
            self.expression(loop.stop, scope)
            _require(loop.step > 0, "a loop runs upwards")
            _require(
                loop.stop.range.hi - loop.start.range.lo <= loop.trips * loop.step,
                "a loop longer than its bound",
            )
            last = Range(loop.start.range.lo, max(loop.stop.range.hi - 1, loop.start.range.lo))
            _require(_within(last, loop.target.range), "a loop index leaves its range")
            inner[loop.target.name] = loop.target
        else:
            self.expression(loop.condition, scope)
        _require(0 < loop.trips <= 64, "a loop is bounded")
        self.block(loop.body, inner, trips * loop.trips)

    def store(self, statement: Store | Atomic, scope: Scope) -> None:
        argument = self.arguments[statement.array]
        for part in (*statement.index, statement.value):
            self.expression(part, scope)
        self.index(argument, statement.index)
        _require(
            argument.role != "input" and statement.value.type == argument.type, "a store of the wrong kind"
        )
        if isinstance(statement, Store):
            own = all(thread in statement.index for thread in self.threads)
            _require(own, "two threads may store to one element")

    def index(self, argument: Argument, index: Sequence[Expr]) -> None:
        _require(len(index) == argument.ndim, f"{argument.name} takes {argument.ndim} indices")
        for part, size in zip(index, argument.shape, strict=True):
            _require(part.type.is_integer, "an index is an integer")
            _require(
                _within(part.range, Range(0, size - 1)), f"an index of {argument.name} may be out of bounds"
            )

    # ---- expressions

    def expression(self, node: Expr, scope: Scope) -> None:
        match node:
            case Name(name):
                _require(scope.get(name) == node, f"{name} is not what was declared")
            case Apply(operation, operands, type, span):
                for operand in operands:
                    self.expression(operand, scope)
                again = apply(operation, *operands, type=type)
                _require(_within(again.range, span), f"{operation} leaves its range")
            case Load(array, index, type, span):
                argument = self.arguments[array]
                for part in index:
                    self.expression(part, scope)
                self.index(argument, index)
                _require(argument.role != "output" and type == argument.type, "a load of the wrong kind")
                own = argument.role == "input" or all(thread in index for thread in self.threads)
                _require(own, "an element that another thread may change is read")
                _require(_within(argument.range, span), f"{array} leaves its range")
            case Member(struct, member, _, span):
                _require(
                    (struct.name, member) in self.members, f"{struct.name}.{member} is read before it is set"
                )
                _require(_within(self.members[struct.name, member], span), f"{member} leaves its range")
            case Call():
                self.call(node, scope)

    def call(self, node: Call, scope: Scope) -> None:
        function = self.functions[node.function]
        for parameter, operand in zip(function.parameters, node.operands, strict=True):
            _require(parameter.type == operand.type, f"{node.function} takes another type")
            if isinstance(parameter, Name) and not isinstance(operand, StructName):
                self.expression(operand, scope)
                _require(_within(operand.range, parameter.range), f"{node.function} takes another range")
        returned = [
            n.value for n in statements(function.body) if isinstance(n, Return) and n.value is not None
        ]
        _require(
            all(_within(value.range, node.range) for value in returned), f"{node.function} leaves its range"
        )


# ---- nothing unused


def _all_used(program: Program) -> None:
    _require(not (names := unused(program)), f"unused: {', '.join(sorted(names))}")
    written = {node.array for node in statements(program.body) if isinstance(node, (Store, Atomic))}
    _require(
        {a.name for a in program.arguments if a.role == "output"} <= written, "an output is never written"
    )


def unused(program: Program) -> set[str]:
    """Inputs, parameters, locals and functions that nothing reads."""
    bodies = [(program.body, {a.name for a in program.arguments if a.role != "output"})]
    bodies += [(f.body, {parameter.name for parameter in f.parameters}) for f in program.functions]
    idle = {function.name for function in program.functions}
    for body, defined in bodies:
        defined |= {n.target.name for n in statements(body) if isinstance(n, (Let, Variable, NewStruct))}
        for node in walk(tuple(_read(body))):
            match node:
                case Name(name) | StructName(name) | Load(name):
                    defined.discard(name)
                case Call(name):
                    idle.discard(name)
        idle |= defined
    return idle


def _read(body: tuple[Stmt, ...]) -> list[object]:
    """What the statements read: a mere assignment to a name does not use it."""
    read: list[object] = []
    for node in statements(body):
        match node:
            case Let(_, value) | Variable(_, value) | Assign(_, value) | Accumulate(_, _, value):
                read.append(value)
            case SetMember(_, _, value) | SetComponent(_, _, value) | Return(value):
                read.append(value)
            case Store(_, index, value) | Atomic(_, _, index, value):
                read += [index, value]
            case If(condition) | While(condition):
                read.append(condition)
            case For(_, start, stop):
                read += [start, stop]
    return read
