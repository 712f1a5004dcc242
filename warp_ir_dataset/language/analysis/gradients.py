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
- a ``while`` loop or a loop left by ``break`` through which a gradient flows;
- a dynamic loop inside a function;
- an array element stored twice on one path, or stored and also read;
- a vector or matrix variable one of whose components is set;
- ``frac``, and the divisor of ``%``: Warp gives them no derivative.

A program without any differentiable path from an input array to an output is barred as well. (The gradient of
an argument passed by value is lost on CUDA.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from typing_extensions import assert_never

from ..operations.table import TABLE
from ..program import (
    Accumulate,
    Apply,
    Argument,
    Assert,
    Assign,
    Break,
    Call,
    Chain,
    Comment,
    Component,
    Continue,
    Do,
    Expr,
    For,
    Function,
    If,
    Let,
    Literal,
    Load,
    Member,
    Name,
    New,
    Pass,
    Print,
    Program,
    Return,
    Shape,
    Stmt,
    ThreadIndex,
    Unpack,
    Variable,
    View,
    While,
    element,
    reads,
    root,
    statements,
    walk,
)
from ..types import Array, Several, Struct, Type, Value
from .accesses import accesses
from .unrolling import is_dynamic

Body = tuple[Stmt, ...]


def gradient_bar(program: Program) -> str | None:
    """Why the program must not be a gradient pair, in a few words; None where it may."""
    if reason := _component_overwritten(program) or _array_overwritten(program) or _function_loops(program):
        return reason
    active = _active_names(program)
    checks = (_no_path, _loop_state, _spoiled_start, _lost_value)
    return next((reason for check in checks if (reason := check(program, active))), None)


def _component_overwritten(program: Program) -> str | None:
    places = (
        statement.target
        for body in program.bodies
        for statement in statements(body)
        if isinstance(statement, (Assign, Accumulate))
    )
    found = any(_is_component(place) for place in places)
    return "a vector component is overwritten" if found else None


def _is_component(place: object) -> bool:
    return isinstance(place, Component) or (isinstance(place, Member) and isinstance(place.of.type, Value))


# ---- arrays


def _array_overwritten(program: Program) -> str | None:
    found = list(accesses(program))
    written = {access.array for access in found if access.kind != "read"}
    if any(access.kind == "read" and access.array in written for access in found):
        return "an array is read and written"
    in_functions = any(
        element(statement.target)
        for function in program.functions
        for statement in statements(function.body)
        if isinstance(statement, (Assign, Accumulate))
    )
    if in_functions:
        return "a function writes to an array"
    if _stored_twice(program.body, frozenset()) is None:
        return "an array element is stored twice"
    return None


def _stored_twice(body: Iterable[Stmt], stored: frozenset[str]) -> frozenset[str] | None:
    """The arrays stored on some path through the body; None where one path stores an array twice."""
    for statement in body:
        match statement:
            case Assign(target) if held := element(target):
                array = root(held) or ""
                if array in stored and not _indexed_by_literal(held.index):
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
            case ThreadIndex() | Let() | Variable() | Unpack() | Assign() | Accumulate() | Do() | Print():
                pass
            case Assert() | Break() | Continue() | Return() | Pass() | Comment():
                pass
            case _:
                assert_never(statement)
    return stored


def _indexed_by_literal(index: tuple[Expr, ...]) -> bool:
    return isinstance(index[-1], Literal)


def _owned_by(loop: For | While) -> bool:
    """Whether every store in the loop goes to an element of the iteration's own."""
    stores = [
        held for node in statements(loop.body) if isinstance(node, Assign) and (held := element(node.target))
    ]
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
        if any(isinstance(node, Break) for node in statements(loop.body)) and changed & active:
            return "a gradient flows through a loop left by break"
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
        if isinstance(node, (Variable, Assign)) and root(node.target) in carried and not element(node.target):
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
    """The locals that a body assigns, in whole or in part."""
    places = (node.target for node in statements(body) if isinstance(node, (Assign, Accumulate)))
    changed = {root(place) or "" for place in places if element(place) is None}
    return changed | {
        name.name for node in statements(body) if isinstance(node, Unpack) for name in node.targets
    }


def _writes(body: Body) -> bool:
    """Whether a body writes to an array."""
    return any(_written(node) for node in statements(body))


def _written(statement: Stmt) -> bool:
    if isinstance(statement, (Assign, Accumulate)):
        return element(statement.target) is not None
    return isinstance(statement, Do)


def _given(statement: Stmt) -> tuple[tuple[str, Expr], ...]:
    """The locals that a statement gives a value, and what from."""
    match statement:
        case Let(target, value) | Variable(target, value):
            return ((target.name, value),)
        case Assign(target, value) | Accumulate(target, _, value):
            return () if element(target) else ((root(target) or "", value),)
        case Unpack(targets, value):
            return tuple((target.name, value) for target in targets)
        case _:
            return ()


def _touches_gradient(body: Body, active: set[str]) -> bool:
    named = any(name in active for node in statements(body) for name, _ in _given(node))
    return named or _writes(body)


def _reads(body: Body, changed: set[str]) -> bool:
    """Whether the body uses a variable it changes: in an expression, a condition, or by ``*=``."""
    for node in statements(body):
        if isinstance(node, Assign) and root(node.target) in changed and not element(node.target):
            return True
        if isinstance(node, Accumulate) and node.operator not in ("+", "-") and root(node.target) in changed:
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
        if not isinstance(node, Do) and (back := _unreturned(node, active, program)):
            return f"Warp gives what {back} returns no derivative"
        for expression in reads(node):
            for part in walk(expression):
                if isinstance(part, Load) and root(part) in active and _mentions(part.index, stale):
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


def _unreturned(statement: Stmt, active: set[str], program: Program) -> str | None:
    """The operation whose result a statement keeps, though Warp passes no gradient through it."""
    for value in reads(statement):
        if (
            isinstance(value, Apply)
            and TABLE[value.operation].unreturned
            and _is_active(value, active, program)
        ):
            return value.operation
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
            stale |= {name for name, value in _given(node) if _mentions(value, stale)}
        if stale == found:
            return stale


def _mentions(node: object, names: set[str]) -> bool:
    return any(isinstance(part, Name) and part.name in names for part in walk(node))


# ---- paths


def _no_path(program: Program, active: set[str]) -> str | None:
    for node in statements(program.body):
        if _written(node) and any(_is_active(value, active, program) for value in _stored_values(node)):
            return None
    return "no differentiable path from an input to an output"


def _stored_values(statement: Stmt) -> tuple[Expr, ...]:
    """What a statement writes to arrays."""
    match statement:
        case Assign(_, value) | Accumulate(_, _, value):
            return (value,)
        case Do(Apply(_, operands)):
            return operands[-1:]
        case Do(Call(_, operands)):
            return operands
        case _:
            return ()


def _active_names(program: Program) -> set[str]:
    """Arguments and locals through which a gradient flows; a fixed point, since loops carry values around."""
    active = {argument.name for argument in program.arguments if _carries(argument)}
    while True:
        found = set(active)
        for node in statements(program.body):
            active |= {name for name, value in _given(node) if _is_active(value, active, program)}
        if active == found:
            return active


def _carries(argument: Argument) -> bool:
    return argument.ndim > 0 and argument.role != "output" and _has_floats(argument.type)


def _has_floats(type: Type) -> bool:
    match type:
        case Struct(_, members):
            return any(_has_floats(member) for _, member in members)
        case Several(types):
            return any(map(_has_floats, types))
        case Array(inner):
            return _has_floats(inner)
        case _:
            return type.is_float


def _is_active(node: Expr, active: set[str], program: Program) -> bool:
    if not _has_floats(node.type):
        return False
    match node:
        case Name(name):
            return name in active
        case Load(inner) | View(inner) | Member(inner):
            return _is_active(inner, active, program)
        case Apply(operation, operands):
            return TABLE[operation].derivative != "flat" and any(
                _is_active(o, active, program) for o in operands
            )
        case New(_, operands):
            return any(_is_active(o, active, program) for o in operands)
        case Call():
            return _function_active(program.called(node), node.operands, active, program)
        case Literal() | Chain() | Shape():
            return False
        case _:
            assert_never(node)


def _function_active(
    function: Function, operands: tuple[Expr, ...], active: set[str], program: Program
) -> bool:
    """Whether a gradient flows from active operands to what the function returns."""
    inside = {
        parameter.name
        for parameter, operand in zip(function.parameters, operands, strict=True)
        if _is_active(operand, active, program)
    }
    for node in statements(function.body):
        inside |= {name for name, value in _given(node) if _is_active(value, inside, program)}
    returned = (
        value for node in statements(function.body) if isinstance(node, Return) for value in node.values
    )
    return any(_is_active(value, inside, program) for value in returned)
