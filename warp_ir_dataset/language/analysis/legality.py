"""What makes a program legal, checked from scratch and apart from how programs are drawn.

`check` raises `Illegal` unless: every name is defined once, before it is used, and keeps its type; operands,
parameters, loads and stores have the types they must have; no two threads race for an element; nothing that
is defined goes unused; and, which `flow` finds, every operation is defined for its operands and stays within
the limits of its type, every index is in bounds, and every loop is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import assert_never

from ..operations.table import result_type
from ..program import (
    Accumulate,
    Apply,
    Assign,
    Atomic,
    Break,
    Call,
    Continue,
    Expr,
    For,
    Function,
    If,
    Let,
    Literal,
    Load,
    Member,
    Name,
    NewStruct,
    Program,
    Return,
    SetComponent,
    SetMember,
    Stmt,
    Store,
    StructName,
    ThreadIndex,
    Variable,
    While,
    reads,
    statements,
    walk,
)
from ..types import BOOL, Value
from .flow import Flow, flow
from .intervals import Illegal

Scope = dict[str, Name | StructName]


def check(program: Program) -> Flow:
    """What `flow` finds of a legal program. Raises `Illegal` with the first rule the program breaks."""
    functions: dict[str, Function] = {}
    for function in program.functions:
        _Checker(program, functions, in_kernel=False).function(function)
        functions[function.name] = function
    _Checker(program, functions, in_kernel=True).kernel()
    _all_used(program)
    return flow(program)


def _require(condition: bool, rule: str) -> None:
    if not condition:
        raise Illegal(rule)


class _Checker:
    """Walks statements in order; `scope` maps names to what was declared."""

    def __init__(self, program: Program, functions: dict[str, Function], *, in_kernel: bool) -> None:
        self.program = program
        self.arguments = {a.name: a for a in program.arguments if a.ndim} if in_kernel else {}
        self.functions = functions
        self.threads: tuple[Name, ...] = ()
        self.in_kernel = in_kernel
        self.depth = 0  # of loops around the statement
        self.constant: set[str] = {a.name for a in program.arguments} if in_kernel else set()

    def function(self, function: Function) -> None:
        scope: Scope = {parameter.name: parameter for parameter in function.parameters}
        _require(len(scope) == len(function.parameters), f"{function.name} has two parameters of one name")
        self.constant |= scope.keys()
        self.block(function.body, scope)
        for statement in statements(function.body):
            if isinstance(statement, Return):
                given = None if statement.value is None else statement.value.type
                _require(given == function.type, f"{function.name} returns another type")

    def kernel(self) -> None:
        values = {a.name: Name(a.name, a.type) for a in self.program.arguments if a.ndim == 0}
        self.block(self.program.body, dict(values))

    # ---- statements

    def block(self, body: Sequence[Stmt], scope: Scope) -> None:
        for statement in body:
            self.statement(statement, scope)

    def statement(self, statement: Stmt, scope: Scope) -> None:
        for expression in reads(statement):
            self.expression(expression, scope)
        match statement:
            case ThreadIndex(names):
                fits = self.in_kernel and len(names) == len(self.program.launch_dim)
                _require(fits, "one thread index per launch dimension, in the kernel")
                self.threads = names
                for name in names:
                    self.define(name, scope, constant=True)
            case Let(target, value) | Variable(target, value):
                _require(target.type == value.type, f"{target.name} is of another type than its value")
                self.define(target, scope, constant=isinstance(statement, Let))
            case NewStruct(target):
                _require(target.type in self.program.structs, f"{target.type.name} is not a struct")
                self.define(target, scope, constant=True)
            case Assign(target, value) | Accumulate(target, _, value):
                self.assigned(target, scope)
                _require(value.type == target.type, f"{target.name} changes its type")
            case SetComponent(target, index, value):
                self.assigned(target, scope)
                shape = target.type.shape
                _require(len(index) == len(shape), f"{target.name} has components of {len(shape)} indices")
                inside = all(0 <= i < n for i, n in zip(index, shape, strict=True))
                _require(inside, f"a component of {target.name} out of bounds")
                _require(value.type == target.type.element, f"a component of {target.name} of another type")
            case SetMember(target, member, value):
                _require(scope.get(target.name) == target, f"{target.name} is not what was declared")
                _require(dict(target.type.members).get(member) == value.type, f"{member} changes its type")
            case Store() | Atomic():
                self.store(statement)
            case If(condition, then, orelse):
                self.condition(condition)
                self.block(then, dict(scope))
                self.block(orelse, dict(scope))
            case For(target, start, stop, step, body):
                _require(step > 0, "a loop runs upwards")
                whole = start.type == stop.type == target.type and target.type.is_integer
                _require(whole, "a loop counts in whole numbers of one type")
                inner = dict(scope)
                self.define(target, inner, constant=True)
                self.loop(body, inner)
            case While(condition, body):
                self.condition(condition)
                self.loop(body, dict(scope))
            case Break() | Continue():
                _require(self.depth > 0, "break or continue outside of a loop")
            case Return(value):
                _require(value is None or not self.in_kernel, "a kernel returns nothing")
            case _:
                assert_never(statement)

    def loop(self, body: Sequence[Stmt], scope: Scope) -> None:
        self.depth += 1
        self.block(body, scope)
        self.depth -= 1

    def define(self, target: Name | StructName, scope: Scope, *, constant: bool) -> None:
        taken = target.name in scope or target.name in self.arguments
        _require(not taken, f"{target.name} is defined twice")
        scope[target.name] = target
        (self.constant.add if constant else self.constant.discard)(target.name)

    def assigned(self, target: Name, scope: Scope) -> None:
        variable = scope.get(target.name) == target and target.name not in self.constant
        _require(variable, f"{target.name} is assigned but is not a variable")

    def condition(self, condition: Expr) -> None:
        _require(condition.type == BOOL, "a condition is a truth value")

    def store(self, statement: Store | Atomic) -> None:
        argument = self.arguments.get(statement.array)
        kind = argument is not None and argument.role != "input" and statement.value.type == argument.type
        _require(kind, f"a store of the wrong kind to {statement.array}")
        self.index(statement.array, statement.index)
        if isinstance(statement, Store):
            _require(self.own(statement.index), f"two threads may store to one element of {statement.array}")

    def own(self, index: Sequence[Expr]) -> bool:
        """Whether no other thread has an element of this index."""
        return all(thread in index for thread in self.threads)

    def index(self, array: str, index: Sequence[Expr]) -> None:
        ndim = self.arguments[array].ndim
        _require(len(index) == ndim, f"{array} takes {ndim} indices")
        _require(all(part.type.is_integer for part in index), f"an index of {array} is no integer")

    # ---- expressions

    def expression(self, node: Expr, scope: Scope) -> None:
        match node:
            case Literal(value, type):
                whole = isinstance(value, int) and not isinstance(value, bool)
                _require(type.is_integer == whole, f"{value} is no {type.scalar}")
            case Name(name):
                _require(scope.get(name) == node, f"{name} is not what was declared")
            case Apply(operation, operands, type):
                for operand in operands:
                    self.expression(operand, scope)
                given = tuple(operand.type for operand in operands)
                _require(result_type(operation, given, type) == type, f"{operation} of other types")
            case Load(array, index, type):
                self.load(array, index, type)
                for part in index:
                    self.expression(part, scope)
            case Member(struct, member, type):
                _require(scope.get(struct.name) == struct, f"{struct.name} is not what was declared")
                _require(dict(struct.type.members).get(member) == type, f"{struct.name} has no such {member}")
            case Call():
                self.call(node, scope)
            case _:
                assert_never(node)

    def load(self, array: str, index: Sequence[Expr], type: Value) -> None:
        argument = self.arguments.get(array)
        kind = argument is not None and argument.role != "output" and argument.type == type
        _require(kind, f"a load of the wrong kind from {array}")
        self.index(array, index)
        safe = self.arguments[array].role == "input" or self.own(index)
        _require(safe, f"an element of {array} that another thread may change is read")

    def call(self, node: Call, scope: Scope) -> None:
        function = self.functions.get(node.function)
        _require(function is not None, f"{node.function} is called before it is defined")
        assert function is not None
        _require(node.type == function.type, f"{node.function} returns another type")
        _require(len(node.operands) == len(function.parameters), f"{node.function} takes other operands")
        for parameter, operand in zip(function.parameters, node.operands, strict=True):
            _require(parameter.type == operand.type, f"{node.function} takes another type")
            if isinstance(operand, StructName):
                _require(scope.get(operand.name) == operand, f"{operand.name} is not what was declared")
            else:
                self.expression(operand, scope)


# ---- nothing unused


def _all_used(program: Program) -> None:
    _require(not (names := unused(program)), f"unused: {', '.join(sorted(names))}")
    stored = {node.array for node in statements(program.body) if isinstance(node, Store)}
    shared = {node.array for node in statements(program.body) if isinstance(node, Atomic)}
    _require(not stored & shared, "an array is stored to and changed by atomics")
    outputs = {argument.name for argument in program.arguments if argument.role != "input"}
    _require(outputs <= stored | shared, "an output is never written")


def unused(program: Program) -> set[str]:
    """Inputs, parameters, locals and functions that nothing reads. A mere assignment to a name is no use."""
    bodies = [(program.body, {argument.name for argument in program.signature.inputs})]
    bodies += [(f.body, {parameter.name for parameter in f.parameters}) for f in program.functions]
    idle = {function.name for function in program.functions}
    for body, defined in bodies:
        defined |= {n.target.name for n in statements(body) if isinstance(n, (Let, Variable, NewStruct))}
        for node in walk(tuple(reads(statement) for statement in statements(body))):
            match node:
                case Name(name) | StructName(name) | Load(name):
                    defined.discard(name)
                case Call(name):
                    idle.discard(name)
        idle |= defined
    return idle
