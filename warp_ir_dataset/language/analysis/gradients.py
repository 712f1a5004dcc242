"""Which programs Warp differentiates rightly, decided on the tree.

Warp records no tape inside a kernel: the adjoint runs the forward code once more and then walks it backwards.
Loops that are not unrolled ("dynamic": an argument decides their length, they are longer than 16 iterations,
or they hold ``break``) are left out of that second forward run, so that a variable they change still has its
old value when the backward walk needs it. Measured against central differences in float64, these are wrong,
without a word, and barred here:

- a derivative that needs the value of a variable that a dynamic loop changes: inside the loop or behind it
  (``t += x`` and then ``cos(t)``; ``t * y`` with a gradient for ``y``; a branch on ``t``). Sums that are only
  passed on linearly are right;
- a variable that a dynamic loop adds to and that starts as ``exp(x)``, ``x / y`` or the like, whose
  derivatives Warp computes from their result: the backward walk through the loop changes it;
- a ``while`` loop through which a gradient flows, and jumps in dynamic loops that leave adjoints out (see
  `jumps`);
- a dynamic loop inside a function;
- an array element stored twice on one path, or stored and also read;
- an atomic minimum or maximum on an array that is also an input: what it replaces keeps its gradient;
- a vector or matrix variable one of whose components is set;
- a struct whose members change after a function took it, or in the function that took it;
- ``frac``, and the divisor of ``%``: Warp gives them no derivative.

A program without any differentiable path from an input array to an output is barred as well. (The gradient of
an argument passed by value is lost on CUDA.)

The smallest kernel of each kind is in `docs/findings.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from typing_extensions import assert_never

from ..operations.table import TABLE
from ..program import (
    Accumulate,
    Apply,
    Argument,
    Assign,
    Atomic,
    Binding,
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
    blocks,
    reads,
    statements,
    walk,
)
from .jumps import lost_to_a_jump
from .unrolling import is_dynamic

Body = tuple[Stmt, ...]


def gradient_bar(program: Program) -> str | None:
    """Why the program must not be a gradient pair, in a few words; None where it may."""
    plain = (_component_overwritten, _struct_changed, _array_overwritten, _input_replaced, _function_loops)
    if reason := next((reason for check in plain if (reason := check(program))), None):
        return reason
    active = _active_names(program)
    checks = (_no_path, _loop_state, _spoiled_start, _lost_value)
    return next((reason for check in checks if (reason := check(program, active))), None)


def _component_overwritten(program: Program) -> str | None:
    found = any(isinstance(node, SetComponent) for body in program.bodies for node in statements(body))
    return "a vector component is overwritten" if found else None


# ---- structs


def _struct_changed(program: Program) -> str | None:
    for function in program.functions:
        parameters = {parameter.name for parameter in function.parameters}
        changed = (node.target.name for node in statements(function.body) if isinstance(node, SetMember))
        if not parameters.isdisjoint(changed):
            return "a function changes a member of its parameter"
    if any(_taken_then_set(body, set()) for body in program.bodies):
        return "a struct changes after a function took it"
    return None


def _taken_then_set(body: Body, taken: set[str]) -> bool:
    """Whether a member changes after the struct was an operand of a call; adds to `taken` those that were."""
    for node in body:
        if isinstance(node, NewStruct):
            taken.discard(node.target.name)
        for expression in reads(node):
            calls = (part for part in walk(expression) if isinstance(part, Call))
            taken.update(o.name for call in calls for o in call.operands if isinstance(o, StructName))
        if isinstance(node, SetMember) and node.target.name in taken:
            return True
        # What the end of a loop's body takes, the next iteration's begin may change.
        for inner in blocks(node) * (2 if isinstance(node, (For, While)) else 1):
            if _taken_then_set(inner, taken):
                return True
    return False


# ---- arrays


def _input_replaced(program: Program) -> str | None:
    kept = {a.name for a in program.arguments if a.role == "inout" and a.type.is_float}
    for node in statements(program.body):
        if isinstance(node, Atomic) and node.operation in ("min", "max") and node.array in kept:
            return f"an atomic {node.operation} replaces an input"
    return None


def _array_overwritten(program: Program) -> str | None:
    written = {node.array for node in statements(program.body) if isinstance(node, (Store, Atomic))}
    if any(isinstance(node, Load) and node.array in written for node in walk(program.body)):
        return "an array is read and written"
    if _stored_twice(program.body, frozenset()) is None:
        return "an array element is stored twice"
    return None


def _stored_twice(body: Iterable[Stmt], stored: frozenset[str]) -> frozenset[str] | None:
    """The arrays stored on some path through the body; None where one path stores an array twice."""
    for statement in body:
        match statement:
            case Store(array, index):
                if array in stored and not _indexed_by_literal(index):
                    return None
                stored |= {array}
            case If(_, then, orelse):
                ends = [_stored_twice(arm, stored) for arm in (then, orelse)]
                if None in ends:
                    return None
                # A path that has returned does not go on to later stores.
                open_ends = [end for end, arm in zip(ends, (then, orelse), strict=True) if not _returns(arm)]
                stored = frozenset().union(*(end for end in open_ends if end is not None))
            case For() | While():
                after = _stored_twice(statement.body, stored)
                if after is None or not _owned_by(statement):
                    return None
                stored = after
            case ThreadIndex() | Let() | Variable() | NewStruct() | Assign() | Accumulate() | Atomic():
                pass
            case SetComponent() | SetMember() | Break() | Continue() | Return():
                pass
            case _:
                assert_never(statement)
    return stored


def _indexed_by_literal(index: tuple[Expr, ...]) -> bool:
    return isinstance(index[-1], Literal)


def _owned_by(loop: For | While) -> bool:
    """Whether every store in the loop goes to an element of the iteration's own."""
    stores = [node for node in statements(loop.body) if isinstance(node, Store)]
    if isinstance(loop, While):
        return not stores
    return all(loop.target in list(walk(store.index)) for store in stores)


def _returns(body: tuple[Stmt, ...]) -> bool:
    return bool(body) and isinstance(body[-1], Return)


# ---- loops


def _function_loops(program: Program) -> str | None:
    for function in program.functions:
        if any(isinstance(node, (For, While)) and is_dynamic(node) for node in statements(function.body)):
            return "a function holds a dynamic loop"
    return None


def _loops(body: Body) -> Iterator[For | While]:
    return (node for node in statements(body) if isinstance(node, (For, While)) and is_dynamic(node))


def _loop_state(program: Program, active: set[str]) -> str | None:
    for loop in _loops(program.body):
        changed = _carried(loop)
        if reason := lost_to_a_jump(loop, changed & active):
            return reason
        if isinstance(loop, While) and changed & active:
            return "a gradient flows through a while loop"
        if changed & active and _reads(loop.body, changed):
            return "a dynamic loop overwrites a value that the gradient needs"
        if _touches_gradient(loop.body, active) and _reads(loop.body, changed):
            return "a dynamic loop overwrites a value that the gradient needs"
    return None


def _spoiled_start(program: Program, active: set[str]) -> str | None:
    carried = {name for loop in _loops(program.body) for name in _carried(loop)} & active
    for node in statements(program.body):
        if isinstance(node, (Variable, Assign)) and node.target.name in carried:
            value = node.value
            if isinstance(value, Apply) and not _read_off_operands(value):
                return "a dynamic loop overwrites a result that its own derivative needs"
    return None


def _read_off_operands(node: Apply) -> bool:
    """Whether the derivative surely needs no result; the cautious answer is no."""
    return TABLE[node.operation].derivative in ("linear", "bilinear", "choice", "operands")


def _carried(loop: For | While) -> set[str]:
    """Variables that outlive an iteration and that the loop changes."""
    return _changed(loop.body) - {
        node.target.name for node in statements(loop.body) if isinstance(node, Variable)
    }


def _changed(body: Body) -> set[str]:
    return {node.target.name for node in statements(body) if isinstance(node, (Assign, Accumulate))}


def _touches_gradient(body: Body, active: set[str]) -> bool:
    targets = (node.target.name for node in statements(body) if isinstance(node, Binding))
    stores = any(isinstance(node, (Store, Atomic)) for node in statements(body))
    return stores or any(name in active for name in targets)


def _reads(body: Body, changed: set[str]) -> bool:
    """Whether the body uses a variable it changes: in an expression, a condition, or by ``*=``."""
    for node in statements(body):
        if isinstance(node, Assign) and node.target.name in changed:
            return True
        if isinstance(node, Accumulate) and node.operator == "*" and node.target.name in changed:
            return True
        if any(_mentions(expression, changed) for expression in reads(node)):
            return True
    return False


# ---- values that the backward walk needs and does not have


def _lost_value(program: Program, active: set[str]) -> str | None:
    stale = _stale_names(program)
    for node in statements(program.body):
        if (
            isinstance(node, (If, While))
            and _mentions(node.condition, stale)
            and _touches_gradient((node,), active)
        ):
            return "a branch depends on a value that the backward walk does not have"
        for expression in reads(node):
            for part in walk(expression):
                if isinstance(part, Load) and part.array in active and _mentions(part.index, stale):
                    return "an index depends on a value that the backward walk does not have"
                if isinstance(part, Apply) and (reason := _lost_operand(part, active, stale, program)):
                    return reason
                if (
                    isinstance(part, Call)
                    and _is_active(part, active, program)
                    and _mentions(part.operands, stale)
                ):
                    return "a function takes a value that the backward walk does not have"
    for function in program.functions:
        for part in walk(function.body):
            if isinstance(part, Apply) and TABLE[part.operation].underived and part.type.is_float:
                return f"{part.operation} inside a function"
    return None


def _lost_operand(node: Apply, active: set[str], stale: set[str], program: Program) -> str | None:
    flows = [_is_active(operand, active, program) for operand in node.operands]
    row = TABLE[node.operation]
    if any(flows[place] for place in row.underived):
        return f"Warp gives {node.operation} no derivative"
    if not any(flows):
        return None
    old = [_mentions(operand, stale) for operand in node.operands]
    match row.derivative:
        case "flat" | "linear":
            return None
        case "bilinear":
            lost = (flows[0] and old[1]) or (flows[1] and old[0])
        case "quotient":
            lost = old[1] or (flows[1] and old[0])
        case "choice":
            lost = old[0]
        case "operands" | "result":
            lost = any(old)
        case _:
            assert_never(row.derivative)
    return "a derivative needs a value that a dynamic loop changes" if lost else None


def _stale_names(program: Program) -> set[str]:
    """Variables that dynamic loops change, and all that is computed from them."""
    stale = {name for loop in _loops(program.body) for name in _carried(loop)}
    while True:
        found = set(stale)
        for node in statements(program.body):
            if isinstance(node, Binding) and _mentions(node.value, stale):
                stale.add(node.target.name)
        if stale == found:
            return stale


def _mentions(node: object, names: set[str]) -> bool:
    return any(isinstance(part, (Name, StructName)) and part.name in names for part in walk(node))


# ---- paths


def _no_path(program: Program, active: set[str]) -> str | None:
    for node in statements(program.body):
        if isinstance(node, (Store, Atomic)) and _is_active(node.value, active, program):
            return None
    return "no differentiable path from an input to an output"


def _active_names(program: Program) -> set[str]:
    """Arguments and locals through which a gradient flows; a fixed point, since loops carry values around."""
    active = {argument.name for argument in program.arguments if _carries(argument)}
    while True:
        found = set(active)
        for node in statements(program.body):
            if isinstance(node, Binding) and _is_active(node.value, active, program):
                active.add(node.target.name)
        if active == found:
            return active


def _carries(argument: Argument) -> bool:
    return argument.ndim > 0 and argument.role != "output" and argument.type.is_float


def _is_active(node: Expr | StructName, active: set[str], program: Program) -> bool:
    if isinstance(node, StructName):
        return node.name in active
    if not node.type.is_float:
        return False
    match node:
        case Name(name):
            return name in active
        case Load(array):
            return array in active
        case Member(struct):
            return struct.name in active
        case Apply(operation, operands):
            return TABLE[operation].derivative != "flat" and any(
                _is_active(o, active, program) for o in operands
            )
        case Call(function, operands):
            return _function_active(_function(program, function), operands, active, program)
        case Literal():
            return False
        case _:
            assert_never(node)


def _function(program: Program, name: str) -> Function:
    return next(function for function in program.functions if function.name == name)


def _function_active(
    function: Function, operands: tuple[Expr | StructName, ...], active: set[str], program: Program
) -> bool:
    """Whether a gradient flows from active operands to what the function returns."""
    inside = {
        parameter.name
        for parameter, operand in zip(function.parameters, operands, strict=True)
        if _is_active(operand, active, program)
    }
    for node in statements(function.body):
        if isinstance(node, Binding) and _is_active(node.value, inside, program):
            inside.add(node.target.name)
    returned = [
        node.value
        for node in statements(function.body)
        if isinstance(node, Return) and node.value is not None
    ]
    return any(_is_active(value, inside, program) for value in returned)
