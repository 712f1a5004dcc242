"""Checks that a program is legal, independently of the generator that drew it.

`check` raises `Illegal` unless: every name is defined once, before it is used, and keeps its type; operands,
parameters, loads and stores have the right types; an operation that changes an operand is the whole value of
a statement; no two threads race for an element; every definition is used; and, by `analyze_intervals`, every
operation is defined for its operands and stays within the limits of its type, every index is in bounds, and
every loop is bounded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from typing_extensions import assert_never

from .. import ir
from ..operations.spelling import Subscript
from ..operations.table import TABLE, changed_by, infix, result_type
from ..traits import can_have_trait
from ..types import BOOL, Array, Several, Struct, Transform, Value, part_type
from ..walks import defined, element, reads, root, statements, walk
from .interval_analysis import IntervalResult, analyze_intervals
from .intervals import Illegal
from .threads.accesses import Access, accesses
from .threads.own import Own

Scope = dict[str, ir.Name]


def check(program: ir.Program, *, sampled: bool = False) -> IntervalResult:
    """The intervals of a legal program. With `sampled`, conditions on floats are left to random inputs.

    Raises `Illegal` with the first rule the program breaks.
    """
    well_typed(program)
    no_races(program)
    _all_used(program)
    return analyze_intervals(program, sampled=sampled)


def well_typed(program: ir.Program) -> None:
    """Check the rules of a compiler: names, types, and the places of statements. Raises `Illegal`."""
    functions: list[ir.Function] = []
    for function in program.functions:
        _Checker(program, tuple(functions), in_kernel=False).function(function)
        functions.append(function)
    _Checker(program, tuple(functions), in_kernel=True).kernel()


class Race(Illegal):
    """The result of a kernel depends on the order of threads."""


def _require(condition: bool, rule: str, broken: type[Illegal] = Illegal) -> None:
    if not condition:
        raise broken(rule)


class _Checker:
    """Walks statements in order; `scope` maps names to their declarations."""

    def __init__(self, program: ir.Program, functions: tuple[ir.Function, ...], *, in_kernel: bool) -> None:
        self.program = program
        self.functions = functions
        self.in_kernel = in_kernel
        self.depth = 0  # of loops around the statement
        self.constant: set[str] = set()
        self.known: Scope = {}
        for constant in program.constants:
            self.expression(constant.value, {})
            self.define(ir.Name(constant.name, constant.value.type), self.known, constant=True)

    def function(self, function: ir.Function) -> None:
        scope = dict(self.known)
        for parameter in function.parameters:
            twice = parameter.name in scope
            _require(not twice, f"{function.name} has two parameters of one name")
            self.define(parameter, scope, constant=True)
        self.block(function.body, scope)
        wanted = function.type.types if isinstance(function.type, Several) else (function.type,)
        for statement in statements(function.body):
            if isinstance(statement, ir.Return):
                types = tuple(value.type for value in statement.values)
                _require(types == wanted, f"{function.name} returns another type")

    def kernel(self) -> None:
        scope = dict(self.known)
        for argument in self.program.arguments:
            self.define(argument.reference, scope, constant=True)
            for leaf in argument.leaves if argument.role != "output" else ():
                _require(
                    can_have_trait(leaf), f"{leaf.name} is {leaf.trait}, which no number in its domain can be"
                )
        self.block(self.program.body, scope)

    # ---- statements

    def block(self, body: Sequence[ir.Stmt], scope: Scope) -> None:
        for statement in body:
            self.statement(statement, scope)

    def statement(self, statement: ir.Stmt, scope: Scope) -> None:
        for expression in reads(statement):
            self.expression(expression, scope, whole=True)
        match statement:
            case ir.ThreadIndex(names):
                fits = self.in_kernel and len(names) == len(self.program.launch_dim)
                _require(fits, "one thread index per launch dimension, in the kernel")
                for name in names:
                    self.define(name, scope, constant=True)
            case ir.Let(target, value) | ir.Variable(target, value):
                _require(target.type == value.type, f"{target.name} is of another type than its value")
                self.define(target, scope, constant=isinstance(statement, ir.Let))
            case ir.Unpack(targets, value):
                self.unpack(targets, value, scope)
            case ir.Assign(target, value):
                self.place(target, scope)
                _require(value.type == target.type, f"{_name_of(target)} changes its type")
            case ir.Accumulate(target, operator, value):
                self.place(target, scope)
                operation = infix(operator, target.type, value.type)
                keeps_type = operation and result_type(operation, (target.type, value.type)) == target.type
                _require(bool(keeps_type), f"{_name_of(target)} changes its type")
            case ir.Do(value):
                does = isinstance(value, ir.Call) or bool(changed_by(value))
                _require(does, "an expression that does nothing as a statement")
            case ir.Print(_, operands):
                _require(bool(operands or statement.format), "nothing is printed")
            case ir.If(condition, then, orelse):
                self.condition(condition)
                self.block(then, dict(scope))
                self.block(orelse, dict(scope))
            case ir.For(target, start, stop, step, body):
                _require(step != 0, "a loop steps up or down")
                whole = start.type == stop.type == target.type and target.type.is_integer
                _require(whole, "a loop counts in whole numbers of one type")
                inner = dict(scope)
                self.define(target, inner, constant=True)
                self.loop(body, inner)
            case ir.While(condition, body):
                self.condition(condition)
                self.loop(body, dict(scope))
            case ir.Assert(condition):
                self.condition(condition)
            case ir.Break() | ir.Continue():
                _require(self.depth > 0, "break or continue outside of a loop")
            case ir.Return(values):
                _require(not (values and self.in_kernel), "a kernel returns nothing")
            case ir.Pass() | ir.Comment():
                pass
            case _:
                assert_never(statement)

    def loop(self, body: Sequence[ir.Stmt], scope: Scope) -> None:
        self.depth += 1
        self.block(body, scope)
        self.depth -= 1

    def define(self, target: ir.Name, scope: Scope, *, constant: bool) -> None:
        _require(target.name not in scope, f"{target.name} is defined twice")
        scope[target.name] = target
        (self.constant.add if constant else self.constant.discard)(target.name)

    def unpack(self, targets: Sequence[ir.Name], value: ir.Call | ir.Apply, scope: Scope) -> None:
        several = isinstance(value.type, Several) and [t.type for t in targets] == list(value.type.types)
        name = value.function if isinstance(value, ir.Call) else value.operation
        _require(several, f"{name} returns other values")
        for target in targets:
            if target.name in scope:
                self.assigned(target, scope)
            else:
                self.define(target, scope, constant=False)

    def assigned(self, target: ir.Name, scope: Scope) -> None:
        variable = scope.get(target.name) == target and target.name not in self.constant
        _require(variable, f"{target.name} is assigned but is not a variable")

    def place(self, target: ir.Place, scope: Scope) -> None:
        """Check the target of a statement: a variable, a part of one, or an element."""
        match target:
            case ir.Name():
                self.assigned(target, scope)
            case ir.Load():
                self.expression(target, scope)
            case ir.Member(of, member, type):
                if not isinstance(of, ir.Place):
                    raise Illegal(f"{member} of something that is not kept")
                self.has_member(of, member, type)
                self.part(of, scope)
            case ir.Component(of, index, type):
                shape = of.type.shape
                _require(len(index) == len(shape), f"{_name_of(of)} has components of {len(shape)} indices")
                whole = all(part.type.is_integer for part in index)
                _require(whole, f"a component of {_name_of(of)} by an index that is no integer")
                fits = isinstance(of.type, Value) and of.type.element == type
                _require(fits, f"a component of {_name_of(of)} of another type")
                self.part(of, scope)
            case _:
                assert_never(target)

    def part(self, of: ir.Place, scope: Scope) -> None:
        """Check the whole of which a statement writes a part."""
        # Warp 1.19 silently writes to a copy there.
        lost = isinstance(of, ir.Member) and isinstance(of.of.type, Transform) and element(of) is None
        _require(not lost, f"a part of a part of {_name_of(of)} is lost")
        self.place(of, scope)

    def condition(self, condition: ir.Expr) -> None:
        _require(condition.type == BOOL, "a condition is a truth value")

    # ---- expressions

    def expression(self, node: ir.Expr, scope: Scope, whole: bool = False) -> None:
        """Check an expression; `whole` says that it is the whole value of a statement."""
        match node:
            case ir.Literal(value, type):
                number = isinstance(value, int) and not isinstance(value, bool)
                _require(type.is_integer == number, f"{value} is no {type.scalar}")
            case ir.Name(name):
                _require(scope.get(name) == node, f"{name} is not what was declared")
            case ir.Apply(operation, operands, type):
                self.operands(operands, scope)
                types = tuple(operand.type for operand in operands)
                _require(result_type(operation, types, type) == type, f"{operation} of other types")
                _require(whole or not changed_by(node), f"{operation} inside another expression")
            case ir.Chain(comparisons, operands):
                self.operands(operands, scope)
                pairs = zip(comparisons, operands, operands[1:], strict=False)
                fits = len(operands) == len(comparisons) + 1 > 2 and all(
                    result_type(name, (a.type, b.type)) == BOOL for name, a, b in pairs
                )
                _require(fits, "comparisons in a row of other types")
                # Warp 1.19 loads values from memory only after it has compared their types, and refuses them
                # then.
                late = any(map(is_in_memory, operands[2:]))
                _require(not late, "an element or a member is the third in a row to be compared")
            case ir.Load(array, index, type):
                self.indexed(array, index, scope)
                full = isinstance(array.type, Array) and len(index) == array.type.ndim
                _require(full, f"{_name_of(array)} takes other indices")
                fits = isinstance(array.type, Array) and array.type.element == type
                _require(fits, f"an element of {_name_of(array)} of another type")
            case ir.View(array, index, type):
                self.indexed(array, index, scope)
                _require(_view_type(node) == type, f"a part of {_name_of(array)} of another type")
            case ir.Shape(array, axis):
                self.expression(array, scope)
                inside = isinstance(array.type, Array) and 0 <= axis < array.type.ndim
                _require(inside, f"{_name_of(array)} has no dimension {axis}")
            case ir.Member(of, member, type):
                self.expression(of, scope)
                self.has_member(of, member, type)
            case ir.New(type, operands):
                self.operands(operands, scope)
                types = tuple(operand.type for operand in operands)
                fits = types in ((), tuple(t for _, t in type.members)) and type in self.program.structs
                _require(fits, f"{type.name} is not a struct")
            case ir.Call():
                self.call(node, scope)
            case _:
                assert_never(node)

    def operands(self, operands: Sequence[ir.Expr], scope: Scope) -> None:
        for operand in operands:
            self.expression(operand, scope)

    def indexed(self, array: ir.Expr, index: Sequence[ir.Expr | ir.Slice], scope: Scope) -> None:
        self.expression(array, scope)
        for part in index:
            bounds = (part.start, part.stop, part.step) if isinstance(part, ir.Slice) else (part,)
            for bound in bounds:
                if bound is not None:
                    self.expression(bound, scope)
                    _require(bound.type.is_integer, f"an index of {_name_of(array)} is no integer")

    def has_member(self, of: ir.Expr, member: str, type: object) -> None:
        if isinstance(of.type, Struct):
            _require(dict(of.type.members).get(member) == type, f"{of.type.name} has no such {member}")
        else:
            found = isinstance(of.type, Value) and part_type(of.type, member) == type
            _require(found, f"{_name_of(of)} has no such {member}")

    def call(self, node: ir.Call, scope: Scope) -> None:
        self.operands(node.operands, scope)
        try:
            function = ir.called(self.functions, node)
        except KeyError:
            known = any(function.name == node.function for function in self.functions)
            rule = "takes other operands" if known else "is called before it is defined"
            raise Illegal(f"{node.function} {rule}") from None
        _require(node.type == function.type, f"{node.function} returns another type")


def is_in_memory(node: ir.Expr) -> bool:
    """Whether a value is an element of an array, a member of a struct, or a part of one."""
    if isinstance(node, ir.Apply) and isinstance(TABLE[node.operation].spelling, Subscript):
        return is_in_memory(node.operands[0])
    if isinstance(node, ir.Member):
        return isinstance(node.of.type, Struct) or is_in_memory(node.of)
    return isinstance(node, ir.Load)


def _name_of(place: ir.Expr | ir.Place) -> str:
    return root(place) or "a value"


def _view_type(view: ir.View) -> Array | None:
    if not isinstance(view.array.type, Array) or len(view.index) > view.array.type.ndim:
        return None
    fixed = sum(not isinstance(part, ir.Slice) for part in view.index)
    left = view.array.type.ndim - fixed
    return Array(view.array.type.element, left) if left else None


# ---- between threads


def no_races(program: ir.Program) -> None:
    """Raises `Race` if two threads may access one element and one of them stores there, and `Illegal` if the
    use of an argument contradicts its role."""
    roles = {argument.name: argument.role for argument in program.arguments}
    found = list(accesses(program))
    threads = Own(program, found)
    places = defaultdict(set)  # of each array, by its indices
    for access in found:
        places[access.array].add(access.index)
    for access in found:
        role = roles.get(_argument(access))
        own = threads.is_own(access)
        alone = own or (len(places[access.array]) == 1 and threads.is_apart(access))
        if access.kind == "read":
            _require(role != "output" and role is not None, f"a load of the wrong kind from {access.array}")
            rule = f"an element of {access.array} that another thread may change is read"
            _require(role == "input" or alone, rule, Race)
        else:
            _require(role in ("output", "inout"), f"a store of the wrong kind to {access.array}")
            rule = f"two threads may store to one element of {access.array}"
            _require(access.kind == "atomic" or alone, rule, Race)
    stored, shared = _arrays(found, "store"), _arrays(found, "atomic")
    _require(not stored & shared, "an array is stored to and changed by atomics", Race)
    outputs = {argument.name for argument in program.arguments if argument.role != "input"}
    written = {_argument(access) for access in found if access.kind != "read"}
    _require(outputs <= written, "an output is never written")


def _argument(access: Access) -> str:
    return access.array.partition(".")[0]


def _arrays(found: Sequence[Access], kind: str) -> set[str]:
    return {access.array for access in found if access.kind == kind}


# ---- nothing unused


def _all_used(program: ir.Program) -> None:
    _require(not (names := unused(program)), f"unused: {', '.join(sorted(names))}")


def unused(program: ir.Program) -> set[str]:
    """Inputs, parameters, locals, constants and functions that nothing reads.

    An assignment to a local is no use of it; adding to an element of an array is a use, and so is a store in
    a function.
    """
    inputs = {argument.name for argument in program.signature.inputs}
    bodies = [(program.body, inputs, False)]
    bodies += [(f.body, {parameter.name for parameter in f.parameters}, True) for f in program.functions]
    idle = {function.name for function in program.functions}
    idle |= {constant.name for constant in program.constants}
    for body, names, in_function in bodies:
        for statement in statements(body):
            if isinstance(statement, (ir.Let, ir.Variable, ir.Unpack)):
                names |= {target.name for target in defined(statement)}
        for statement in statements(body):
            for node in walk(reads(statement)):
                match node:
                    case ir.Name(name):
                        names.discard(name)
                        idle.discard(name)
                    case ir.Call(name):
                        idle.discard(name)
            match statement:
                case ir.Accumulate(ir.Load() as load) | ir.Assign(ir.Load() as load) if _counts(
                    statement, in_function
                ):
                    names.discard(root(load) or "")
        idle |= names
    return idle


def _counts(statement: ir.Accumulate | ir.Assign, in_function: bool) -> bool:
    """Whether writing to an element is a use of its array."""
    return in_function or isinstance(statement, ir.Accumulate)
