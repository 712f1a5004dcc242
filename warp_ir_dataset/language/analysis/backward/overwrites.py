"""Finds values that a program overwrites and its adjoint needs: array elements, components, members.

Warp keeps no copy of what is overwritten: its backward walk reads what is there by then, and hands gradients
to what had no part in the result. `tests/findings/` has the smallest kernel of each kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from typing_extensions import assert_never

from ... import ir
from ...operations.table import TABLE, changed_array, changed_by
from ...types import Struct, Value
from ...walks import blocks, reads, root, statements, walk
from ..effects import stored
from ..threads.accesses import accesses

Body = tuple[ir.Stmt, ...]


def overwritten(program: ir.Program) -> str | None:
    """What a program overwrites that its adjoint would need, in a few words; None where it is nothing."""
    checks = (_components, _structs, _atomics, _arrays)
    return next((reason for check in checks if (reason := check(program))), None)


def _places(body: Body) -> Iterator[ir.Place]:
    return (node.target for node in statements(body) if isinstance(node, (ir.Assign, ir.Accumulate)))


# ---- components


def _components(program: ir.Program) -> str | None:
    found = any(_is_component(place) for body in program.bodies for place in _places(body))
    return "a vector component is overwritten" if found else None


def _is_component(place: ir.Place) -> bool:
    return isinstance(place, ir.Component) or (
        isinstance(place, ir.Member) and isinstance(place.of.type, Value)
    )


# ---- structs


def _structs(program: ir.Program) -> str | None:
    for function in program.functions:
        parameters = {parameter.name for parameter in function.parameters}
        if any(
            isinstance(place, ir.Member) and root(place) in parameters for place in _places(function.body)
        ):
            return "a function changes a member of its parameter"
    if any(_taken_then_set(body, set()) for body in program.bodies):
        return "a struct changes after a function took it"
    return None


def _taken_then_set(body: Body, taken: set[str]) -> bool:
    """Whether a member changes after the struct was an operand of a call; adds to `taken` those that were."""
    for node in body:
        if isinstance(node, ir.Variable) and isinstance(node.value, ir.New):
            taken.discard(node.target.name)
        for expression in reads(node):
            calls = (part for part in walk(expression) if isinstance(part, ir.Call))
            structs = (o for call in calls for o in call.operands if isinstance(o.type, Struct))
            taken.update(root(operand) or "" for operand in structs)
        match node:
            case ir.Assign(ir.Member() as place) | ir.Accumulate(ir.Member() as place) if (
                root(place) in taken
            ):
                return True
        # What the end of a loop's body takes, the next iteration's begin may change.
        for inner in blocks(node) * (2 if isinstance(node, (ir.For, ir.While)) else 1):
            if _taken_then_set(inner, taken):
                return True
    return False


# ---- atomics


def _atomics(program: ir.Program) -> str | None:
    inputs = {a.name for a in program.arguments if a.role == "inout" and a.type.is_float}
    for body in program.bodies:
        for node in statements(body):
            if isinstance(node, (ir.Let, ir.Variable, ir.Assign)) and changed_array(node.value) is not None:
                return "what an atomic returns is used"
            if not (isinstance(node, ir.Do) and isinstance(node.value, ir.Apply)):
                continue
            row = TABLE[node.value.operation]
            changed = next(iter(changed_by(node.value)), None)  # an array, or a local transform
            if changed is None or not changed.type.element.is_float:
                continue
            if row.commutes is None:
                return f"{row.name} on an array that has a gradient"
            if 0 in row.underived and (root(changed) in inputs or body is not program.body):
                return f"{row.name} replaces an input"
    return None


# ---- arrays


def _arrays(program: ir.Program) -> str | None:
    found = list(accesses(program))
    written = {access.array for access in found if access.kind != "read"}
    if any(access.kind == "read" and access.array in written for access in found):
        return "an array is read and written"
    arguments = {argument.name for argument in program.arguments}
    elements = (stored(node) for body in program.bodies for node in statements(body))
    if any(place is not None and root(place) not in arguments for place in elements):
        return "an array is written in a function or through a view"
    if _stored_twice(program.body, frozenset()) is None:
        return "an array element is stored twice"
    return None


def _stored_twice(body: Iterable[ir.Stmt], before: frozenset[str]) -> frozenset[str] | None:
    """The arrays stored `before` and on some path through the body; None where one path stores one twice."""
    for statement in body:
        match statement:
            case ir.Assign() if place := stored(statement):
                array = root(place) or ""
                if array in before and not _indexed_by_literal(place.index):
                    return None
                before |= {array}
            case ir.If(_, then, orelse):
                ends = [_stored_twice(branch, before) for branch in (then, orelse)]
                if None in ends:
                    return None
                # A path that has returned does not go on to later stores.
                both = zip(ends, (then, orelse), strict=True)
                open_ends = [end for end, branch in both if not _returns(branch)]
                before = frozenset().union(*(end for end in open_ends if end is not None))
            case ir.For() | ir.While():
                after = _stored_twice(statement.body, before)
                if after is None or not _owned_by(statement):
                    return None
                before = after
            case (
                ir.ThreadIndex()
                | ir.Let()
                | ir.Variable()
                | ir.Unpack()
                | ir.Assign()
                | ir.Accumulate()
                | ir.Do()
                | ir.Print()
            ):
                pass
            case ir.Assert() | ir.Break() | ir.Continue() | ir.Return() | ir.Pass() | ir.Comment():
                pass
            case _:
                assert_never(statement)
    return before


def _indexed_by_literal(index: tuple[ir.Expr, ...]) -> bool:
    return isinstance(index[-1], ir.Literal)


def _owned_by(loop: ir.For | ir.While) -> bool:
    """Whether every store in the loop goes to an element of the iteration's own."""
    assigned = (stored(node) for node in statements(loop.body) if isinstance(node, ir.Assign))
    elements = [place for place in assigned if place is not None]
    if isinstance(loop, ir.While):
        return not elements
    return all(loop.target in list(walk(place.index)) for place in elements)


def _returns(body: Body) -> bool:
    return bool(body) and isinstance(body[-1], ir.Return)
