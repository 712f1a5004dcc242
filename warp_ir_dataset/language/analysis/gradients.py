"""Decides from the typed tree which programs Warp differentiates correctly.

Warp records no tape inside a kernel: the adjoint runs the forward code once more and then walks it backwards.
Loops that are not unrolled ("dynamic": an argument decides their length, they are longer than 16 iterations,
or they hold ``break``) are left out of that second forward run, so that a variable they change still has its
old value when the backward walk needs it. Measured against central differences in float64, these are wrong,
without a word, and barred here:

- a derivative that needs the value of a variable that a dynamic loop changes: inside the loop or behind it
  (``t += x`` and then ``cos(t)``; ``t * y`` with a gradient for ``y``; a branch on ``t``; a random number
  that the loop draws). Sums that are only passed on linearly are right;
- a variable that a dynamic loop adds to and that starts as ``exp(x)``, ``x / y`` or the like, whose
  derivatives Warp computes from their result: the backward walk through the loop changes it;
- a ``while`` loop through which a gradient flows, and jumps in dynamic loops that leave adjoints out (see
  `jumps`);
- a dynamic loop inside a function;
- what is overwritten after its value was used: array elements, components, members of structs, and what
  atomics return or replace (see `overwrites`);
- ``frac``, and the divisor of ``%``: Warp gives them no derivative.

A program without any differentiable path from an input array to an output is barred as well. (The gradient of
an argument passed by value is lost on CUDA.)

The smallest kernel of each kind is in `tests/findings/`, with its numbers; `docs/findings.md` lists them.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence

from typing_extensions import assert_never

from .. import ir
from ..operations.table import TABLE
from ..rewrite import as_read
from ..types import Array, Handle, Matrix, Quaternion, Scalar, Several, Struct, Tile, Transform, Type, Vector
from ..walks import element, reads, root, statements, walk
from .backward.jumps import lost_to_a_jump
from .backward.overwrites import overwritten
from .effects import changed_locals, impure, local_values, mentions, stored_values, stores
from .unrolling import is_dynamic

Body = tuple[ir.Stmt, ...]


def gradient_bar(program: ir.Program) -> str | None:
    """Why the program must not be a gradient pair, in a few words; None where it may."""
    if reason := overwritten(program) or _function_loops(program) or _function_adds(program):
        return reason
    active = active_names(program)
    checks = (_no_path, _loop_state, _spoiled_start, _lost_value)
    return next((reason for check in checks if (reason := check(program, active))), None)


# ---- loops


def _function_loops(program: ir.Program) -> str | None:
    for function in program.functions:
        if any(
            isinstance(node, (ir.For, ir.While)) and is_dynamic(node) for node in statements(function.body)
        ):
            return "a function holds a dynamic loop"
    return None


def _function_adds(program: ir.Program) -> str | None:
    """The adjoint runs calls again as a whole: what a function adds to an array is added once more."""
    for function in program.functions:
        if any(isinstance(n, ir.Apply) and TABLE[n.operation].group == "atomic" for n in walk(function.body)):
            return "a function adds to an array"
    return None


def _loops(body: Body) -> Iterator[ir.For | ir.While]:
    return (node for node in statements(body) if isinstance(node, (ir.For, ir.While)) and is_dynamic(node))


def _loop_state(program: ir.Program, active: set[str]) -> str | None:
    acting = impure(program.functions)
    for loop in _loops(program.body):
        changed = _carried(loop)
        storing = any(stores(node, acting) for node in statements(loop.body))
        if reason := lost_to_a_jump(loop, changed & active, lambda node: stores(node, acting)):
            return reason
        if isinstance(loop, ir.While) and (changed & active or storing):
            return "a gradient flows through a while loop"
        if changed & active and _reads(loop.body, changed):
            return "a dynamic loop overwrites a value that the gradient needs"
        if _touches_gradient(loop.body, active, acting) and _reads(loop.body, changed):
            return "a dynamic loop overwrites a value that the gradient needs"
    return None


def _spoiled_start(program: ir.Program, active: set[str]) -> str | None:
    carried = {name for loop in _loops(program.body) for name in _carried(loop)} & active
    for node in statements(program.body):
        if (
            isinstance(node, (ir.Variable, ir.Assign))
            and root(node.target) in carried
            and not element(node.target)
        ):
            value = node.value
            if isinstance(value, ir.Apply) and not _read_off_operands(value):
                return "a dynamic loop overwrites a result that its own derivative needs"
    return None


def _read_off_operands(node: ir.Apply) -> bool:
    """Whether the derivative surely needs no result; the cautious answer is no."""
    return TABLE[node.operation].derivative in ("linear", "bilinear", "choice", "operands")


def _carried(loop: ir.For | ir.While) -> set[str]:
    """Variables that outlive an iteration and that the loop changes."""
    return changed_locals(loop.body) - {
        node.target.name for node in statements(loop.body) if isinstance(node, (ir.Let, ir.Variable))
    }


def _touches_gradient(body: Body, active: set[str], acting: Container[str]) -> bool:
    return any(
        stores(node, acting) or any(name in active for name, _ in local_values(node))
        for node in statements(body)
    )


def _reads(body: Body, changed: set[str]) -> bool:
    """Whether the body uses a variable it changes: in an expression, a condition, or by ``*=``."""
    for node in statements(body):
        if isinstance(node, ir.Assign) and root(node.target) in changed and not element(node.target):
            return True
        if (
            isinstance(node, ir.Accumulate)
            and node.operator not in ("+", "-")
            and root(node.target) in changed
        ):
            return True
        if any(mentions(expression, changed) for expression in reads(node)):
            return True
    return False


# ---- values that the backward walk needs and does not have


def _lost_value(program: ir.Program, active: set[str]) -> str | None:
    stale, acting = _stale_names(program), impure(program.functions)
    for node in statements(program.body):
        if (
            isinstance(node, (ir.If, ir.While))
            and mentions(node.condition, stale)
            and _touches_gradient((node,), active, acting)
        ):
            return "a branch depends on a value that the backward walk does not have"
        if isinstance(node, ir.Accumulate) and node.operator not in ("+", "-"):
            flows = [is_active(value, active, program) for value in (as_read(node.target), node.value)]
            lost = any(flows) and mentions(node.value, stale)
            if lost or (flows[1] and mentions(node.target, stale)):
                return "a derivative needs a value that a dynamic loop changes"
        for expression in reads(node):
            for part in walk(expression):
                if isinstance(part, ir.Load) and root(part) in active and mentions(part.index, stale):
                    return "an index depends on a value that the backward walk does not have"
                if isinstance(part, ir.Apply):
                    old = [mentions(operand, stale) for operand in part.operands]
                    if reason := lost_operand(part, active, old, program):
                        return reason
                if (
                    isinstance(part, ir.Call)
                    and is_active(part, active, program)
                    and mentions(part.operands, stale)
                ):
                    return "a function takes a value that the backward walk does not have"
    for function in program.functions:
        for part in walk(function.body):
            if isinstance(part, ir.Apply) and TABLE[part.operation].underived and part.type.is_float:
                return f"{part.operation} inside a function"
    return None


def lost_operand(node: ir.Apply, active: set[str], old: Sequence[bool], program: ir.Program) -> str | None:
    """What of an operation's derivative is lost where these of its operands are not what they were."""
    flows = [is_active(operand, active, program) for operand in node.operands]
    row = TABLE[node.operation]
    if any(flows[place] for place in row.underived):
        return f"Warp gives {node.operation} no derivative"
    if not any(flows):
        return None
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


def _stale_names(program: ir.Program) -> set[str]:
    """Variables that dynamic loops change, and all that is computed from them."""
    stale = {name for loop in _loops(program.body) for name in _carried(loop)}
    while True:
        found = set(stale)
        for node in statements(program.body):
            stale |= {name for name, value in local_values(node) if mentions(value, stale)}
        if stale == found:
            return stale


# ---- paths


def differentiable_inputs(program: ir.Program) -> tuple[ir.Argument, ...]:
    """The arguments that hand a gradient back and from which one may flow to what the kernel writes."""
    return tuple(
        argument
        for argument in program.arguments
        if _carries(argument) and not _no_path(program, active_names(program, {argument.name}))
    )


def members_read(program: ir.Program) -> set[str]:
    """The names of struct members that a program reads: all, where it hands on a struct as a whole."""
    acting = impure(program.functions)
    stored = (value for node in statements(program.body) for value in stored_values(node, acting))
    if any(isinstance(value.type, Struct) for value in stored):
        return {name for struct in program.structs for name, _ in struct.members}
    bodies = (program.body, *(function.body for function in program.functions))
    return {part.member for body in bodies for part in walk(body) if isinstance(part, ir.Member)}


def _no_path(program: ir.Program, active: set[str]) -> str | None:
    acting = impure(program.functions)
    for node in statements(program.body):
        if any(is_active(value, active, program) for value in stored_values(node, acting)):
            return None
    return "no differentiable path from an input to an output"


def active_names(program: ir.Program, given: Collection[str] | None = None) -> set[str]:
    """Arguments and locals through which a gradient flows, of all arguments or of those `given`; a fixed
    point, since loops carry values around."""
    active = {argument.name for argument in program.arguments if _carries(argument)}
    active &= active if given is None else set(given)
    return spread(program.body, active, program)


def spread(body: Body, active: set[str], program: ir.Program) -> set[str]:
    """`active`, with all the locals of a body that a gradient flows through from there."""
    while True:
        found = set(active)
        for node in statements(body):
            active |= {name for name, value in local_values(node) if is_active(value, active, program)}
        if active == found:
            return active


def _carries(argument: ir.Argument) -> bool:
    """Whether gradients are handed back for an argument: for arrays, those in a struct included."""
    if argument.ndim:
        return argument.role != "output" and _has_floats(argument.type)
    members = argument.type.members if isinstance(argument.type, Struct) else ()
    return any(isinstance(type, Array) and _has_floats(type) for _, type in members)


def _has_floats(type: Type) -> bool:
    match type:
        case Struct(_, members):
            return any(_has_floats(member) for _, member in members)
        case Several(types):
            return any(map(_has_floats, types))
        case Array(inner) | Tile(inner):
            return _has_floats(inner)
        case Scalar() | Vector() | Matrix() | Quaternion() | Transform():
            return type.is_float
        case Handle():
            return False
        case _:
            assert_never(type)


def is_active(node: ir.Expr, active: set[str], program: ir.Program) -> bool:
    if not _has_floats(node.type):
        return False
    match node:
        case ir.Name(name):
            return name in active
        case ir.Load(inner) | ir.View(inner) | ir.Member(inner):
            return is_active(inner, active, program)
        case ir.Apply(operation, operands):
            return TABLE[operation].derivative != "flat" and any(
                is_active(o, active, program) for o in operands
            )
        case ir.New(_, operands):
            return any(is_active(o, active, program) for o in operands)
        case ir.Call():
            return _function_active(program.called(node), node.operands, active, program)
        case ir.Literal() | ir.Chain() | ir.Shape():
            return False
        case _:
            assert_never(node)


def _function_active(
    function: ir.Function, operands: tuple[ir.Expr, ...], active: set[str], program: ir.Program
) -> bool:
    """Whether a gradient flows from active operands to what the function returns."""
    inside = {
        parameter.name
        for parameter, operand in zip(function.parameters, operands, strict=True)
        if is_active(operand, active, program)
    }
    for node in statements(function.body):
        inside |= {name for name, value in local_values(node) if is_active(value, inside, program)}
    returned = (
        value for node in statements(function.body) if isinstance(node, ir.Return) for value in node.values
    )
    return any(is_active(value, inside, program) for value in returned)
