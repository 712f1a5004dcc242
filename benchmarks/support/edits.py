"""Programs with one edit: another operation, operand, literal, index, bound, target, or a statement less.

Edits keep types, and nothing more: an edited program may leave its arrays or never end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from warp_ir_dataset.language.operations.table import TABLE, result_type
from warp_ir_dataset.language.program import (
    Accumulate,
    Apply,
    Assign,
    Break,
    Call,
    Chain,
    Comment,
    Component,
    Continue,
    Expr,
    For,
    If,
    Literal,
    Load,
    Member,
    Name,
    Program,
    Stmt,
    ThreadIndex,
    While,
)
from warp_ir_dataset.language.rewrite import (
    Body,
    block_variants,
    body_variants,
    program_variants,
    with_indices,
)
from warp_ir_dataset.language.types import BOOL, INT, Array, Struct, Type
from warp_ir_dataset.language.walks import indices, walk

_ORDERS = ("lt", "le", "gt", "ge")
_MOST_ALIKE = 4  # other operations tried in place of one


def edits(program: Program) -> Iterator[tuple[str, Program]]:
    """Every program that one edit makes of it, with the kind of the edit; the same ones in the same order."""
    names = _names(program)
    for kind, offer in (
        ("operation", _other_operations),
        ("operands", _other_orders),
        ("literal", _other_literals),
        ("index", _other_indices),
        ("comparison", _other_comparisons),
        ("name", lambda node: _other_names(node, names)),
        ("member", _other_members),
    ):
        for made in program_variants(program, lambda body, offer=offer: body_variants(body, offer)):  # type: ignore[misc]
            yield kind, made
    for kind, change in (
        ("dropped", _dropped),
        ("order", _swapped),
        ("bound", _other_bounds),
        ("branch", _other_branches),
        ("target", lambda body: _other_targets(body, names)),
        ("operator", _other_operators),
        ("leaving", _other_exits),
    ):
        for made in program_variants(program, lambda body, change=change: block_variants(body, change)):  # type: ignore[misc]
            yield kind, made
    for place, constant in enumerate(program.constants):
        if isinstance(constant.value, Literal):
            for value in _other_literals(constant.value):
                made_one = replace(constant, value=value)
                constants = (*program.constants[:place], made_one, *program.constants[place + 1 :])
                yield "constant", replace(program, constants=constants)


def _names(program: Program) -> dict[Type, list[str]]:
    """Plain values of the kernel by their types: arguments, locals, indices."""
    found: dict[Type, list[str]] = {}
    fixed = {"_", *(constant.name for constant in program.constants)}
    for node in walk(program.body):
        if isinstance(node, Name) and not isinstance(node.type, Array) and node.name not in fixed:
            names = found.setdefault(node.type, [])
            if node.name not in names:
                names.append(node.name)
    return found


# ---- expressions


@cache
def _alike(operation: str, types: tuple[Type, ...], result: Type) -> tuple[str, ...]:
    row = TABLE[operation]
    others = [
        other.name
        for other in TABLE.values()
        if other.name != operation and other.group == row.group and not other.signature.literal
    ]
    return tuple(name for name in others if result_type(name, types, result) is not None)[:_MOST_ALIKE]


def _other_operations(node: Expr) -> Iterator[Expr]:
    if isinstance(node, Apply):
        types = tuple(operand.type for operand in node.operands)
        for other in _alike(node.operation, types, node.type):
            yield replace(node, operation=other)


def _other_orders(node: Expr) -> Iterator[Expr]:
    if isinstance(node, Apply | Call) and not (isinstance(node, Apply) and TABLE[node.operation].changed):
        parts = node.operands
        for i in range(len(parts) - 1):
            if parts[i] != parts[i + 1] and parts[i].type == parts[i + 1].type:
                yield replace(node, operands=(*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :]))


def _other_literals(node: Expr) -> Iterator[Expr]:
    if isinstance(node, Literal):
        if isinstance(node.value, bool):
            yield replace(node, value=not node.value)
        elif node.type.is_integer:
            yield replace(node, value=node.value + 1)
        else:
            yield replace(node, value=node.value + 0.25)
            yield replace(node, value=-node.value)


def _other_indices(node: Expr) -> Iterator[Expr]:
    if isinstance(node, Load):
        for place, part in enumerate(node.index):
            if part.type == INT:
                moved = Apply("sub", (part, Literal(1, INT)), INT)
                yield replace(node, index=(*node.index[:place], moved, *node.index[place + 1 :]))
        if len(node.index) == 2 and node.index[0] != node.index[1]:
            yield replace(node, index=node.index[::-1])


def _other_comparisons(node: Expr) -> Iterator[Expr]:
    if isinstance(node, Chain):
        for place, comparison in enumerate(node.comparisons):
            for other in _ORDERS:
                if other != comparison:
                    made = (*node.comparisons[:place], other, *node.comparisons[place + 1 :])
                    yield replace(node, comparisons=made)


def _other_names(node: Expr, names: dict[Type, list[str]]) -> Iterator[Expr]:
    if isinstance(node, Name):
        for other in names.get(node.type, ()):
            if other != node.name:
                yield replace(node, name=other)


def _other_members(node: Expr) -> Iterator[Expr]:
    if isinstance(node, Member) and isinstance(node.of.type, Struct):
        for member, type in node.of.type.members:
            if member != node.member and type == node.type:
                yield replace(node, member=member)


# ---- statements


def _each(body: Body, change: object) -> Iterator[Body]:
    for place, statement in enumerate(body):
        for made in change(statement):  # type: ignore[operator]
            yield (*body[:place], made, *body[place + 1 :])


def _dropped(body: Body) -> Iterator[Body]:
    for place, statement in enumerate(body):
        if len(body) > 1 and not isinstance(statement, ThreadIndex | Comment):
            yield (*body[:place], *body[place + 1 :])


def _swapped(body: Body) -> Iterator[Body]:
    for place in range(len(body) - 1):
        first, second = body[place : place + 2]
        if not isinstance(first, ThreadIndex | Comment) and not isinstance(second, Comment):
            yield (*body[:place], second, first, *body[place + 2 :])


def _other_bounds(body: Body) -> Iterator[Body]:
    def change(statement: Stmt) -> Iterator[Stmt]:
        if isinstance(statement, For):
            one = Literal(1, INT)
            yield replace(statement, stop=Apply("sub", (statement.stop, one), INT))
            yield replace(statement, start=Apply("add", (statement.start, one), INT), written=0)
            if statement.step == 1:
                yield replace(statement, step=2, written=0)

    return _each(body, change)


def _other_branches(body: Body) -> Iterator[Body]:
    def change(statement: Stmt) -> Iterator[Stmt]:
        if isinstance(statement, If):
            yield replace(statement, condition=Apply("not", (statement.condition,), BOOL))
            if statement.orelse:
                yield replace(statement, orelse=())
                yield replace(statement, then=statement.orelse, orelse=statement.then)
        if isinstance(statement, While):
            yield replace(statement, condition=Apply("not", (statement.condition,), BOOL))

    return _each(body, change)


def _other_targets(body: Body, names: dict[Type, list[str]]) -> Iterator[Body]:
    def change(statement: Stmt) -> Iterator[Stmt]:
        if not isinstance(statement, Assign | Accumulate):
            return
        target = statement.target
        if isinstance(target, Name):
            others: Iterable[Expr] = _other_names(target, names)
            yield from (replace(statement, target=other) for other in others)  # type: ignore[arg-type]
        if isinstance(target, Member):
            for other in _other_members(target):
                yield replace(statement, target=other)  # type: ignore[arg-type]
        if isinstance(target, Component | Load) and (index := indices(target)):
            for made in _moved(index):
                yield replace(statement, target=with_indices(target, made))

    return _each(body, change)


def _moved(index: Sequence[Expr]) -> Iterator[tuple[Expr, ...]]:
    for place, part in enumerate(index):
        if isinstance(part, Literal):
            yield (*index[:place], Literal(part.value + 1, part.type), *index[place + 1 :])
        elif part.type == INT:
            yield (*index[:place], Apply("sub", (part, Literal(1, INT)), INT), *index[place + 1 :])
    if len(index) == 2 and index[0] != index[1]:
        yield (index[1], index[0])


def _other_operators(body: Body) -> Iterator[Body]:
    other = {"+": "-", "-": "+", "*": "/", "/": "*"}

    def change(statement: Stmt) -> Iterator[Stmt]:
        if isinstance(statement, Accumulate) and statement.operator in other:
            if statement.operator in "+-" or statement.value.type.is_float:
                yield replace(statement, operator=other[statement.operator])
            yield Assign(statement.target, statement.value)
        if isinstance(statement, Assign) and statement.value.type.is_float:
            yield Accumulate(statement.target, "+", statement.value)

    return _each(body, change)


def _other_exits(body: Body) -> Iterator[Body]:
    def change(statement: Stmt) -> Iterator[Stmt]:
        if isinstance(statement, Break):
            yield Continue()
        if isinstance(statement, Continue):
            yield Break()

    return _each(body, change)
