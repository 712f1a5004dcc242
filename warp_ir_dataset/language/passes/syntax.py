"""Passes that change the syntax of single expressions and statements, and move nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product

from .. import ir
from ..analysis.effects import Effects
from ..analysis.legality import is_in_memory
from ..operations.spelling import Infix
from ..operations.table import TABLE, infix, result_type
from ..operations.traits import BOTH, COMPONENTS, ORDERS, POWERS, TURNED, WAYS
from ..rewrite import (
    Body,
    as_read,
    body_variants,
    map_blocks,
    program_variants,
    same,
)
from ..types import BOOL, INT, Quaternion, Type, Vector, part_type
from ..walks import element
from .sites import of_statements

PARTS = "xyzw"
WHOLE = ir.Slice(None, None, None)

# ---- comments


def merged_comments(body: Body) -> Body:
    """Merge comments that stand above one another, as their text is read."""
    made: list[ir.Stmt] = []
    for statement in body:
        statement = map_blocks(statement, merged_comments)
        match made[-1:], statement:
            case [ir.Comment(above, False)], ir.Comment(text, False):
                made[-1] = ir.Comment(f"{above}\n{text}")
            case _:
                made.append(statement)
    return body if same(made, body) else tuple(made)


# ---- operands and comparisons


def to_chain(program: ir.Program) -> Iterator[ir.Program]:
    """``a < b and b < c`` as ``a < b < c``, also if one of the two is reversed."""
    effects = Effects(program, in_kernel=False)

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if isinstance(node, ir.Apply) and node.operation == BOTH and effects.pure(node):
            # The chain evaluates the middle once; operands have no effects.
            for left, right in product(*map(_links, node.operands)):
                middle = left.operands[-1]
                operands = (*left.operands, *right.operands[1:])
                comparisons = (*left.comparisons, *right.comparisons)
                if (
                    middle == right.operands[0]
                    and not isinstance(middle, ir.Literal)
                    and any(way.issuperset(comparisons) for way in WAYS)
                    and not any(map(is_in_memory, operands[2:]))  # which Warp refuses
                ):
                    yield ir.Chain(comparisons, operands)

    yield from program_variants(program, lambda body: body_variants(body, offer))


def _links(node: ir.Expr) -> Iterator[ir.Chain]:
    """A comparison as a chain of one, from both sides; a chain as it is."""
    if isinstance(node, ir.Chain):
        yield node
    elif isinstance(node, ir.Apply) and node.operation in ORDERS:
        yield ir.Chain((node.operation,), node.operands)
        yield ir.Chain((TURNED[node.operation],), node.operands[::-1])


def to_conjunction(program: ir.Program) -> Iterator[ir.Program]:
    """``a < b < c`` as ``a < b and b < c``."""
    effects = Effects(program, in_kernel=False)

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if isinstance(node, ir.Chain) and effects.pure(node):
            pairs = zip(node.operands, node.operands[1:], strict=False)
            single = (ir.Apply(c, pair, BOOL) for c, pair in zip(node.comparisons, pairs, strict=True))
            joined: ir.Expr = next(single)
            for comparison in single:
                joined = ir.Apply(BOTH, (joined, comparison), BOOL)
            yield joined

    yield from program_variants(program, lambda body: body_variants(body, offer))


# ---- powers


def power_syntax(program: ir.Program) -> Iterator[ir.Program]:
    """``wp.pow(x, y)`` as ``x ** y``, and back."""

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if isinstance(node, ir.Apply) and node.operation in POWERS:
            yield replace(node, operation=POWERS[1 - POWERS.index(node.operation)])

    yield from program_variants(program, lambda body: body_variants(body, offer))


# ---- components


def named_components(program: ir.Program) -> Iterator[ir.Program]:
    """``v[0]`` as ``v.x``, read or written."""

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        match node:
            case ir.Apply(operation, (of, ir.Literal(value))) if operation == COMPONENTS[1]:
                name = PARTS[int(value)] if 0 <= value < len(PARTS) else ""
                if has_component(of.type, name, node.type):
                    yield ir.Member(of, name, node.type)

    def place(target: ir.Place) -> Iterator[ir.Place]:
        match target:
            case ir.Component(of, (ir.Literal(value),)) if 0 <= value < len(PARTS):
                if has_component(of.type, PARTS[int(value)], target.type):
                    # A row of a matrix is a place, but no expression.
                    yield ir.Member(of, PARTS[int(value)], target.type)  # type: ignore[arg-type]

    yield from program_variants(program, lambda body: body_variants(body, offer))
    yield from place_variants(program, place)


def all_named_components(program: ir.Program) -> Iterator[ir.Program]:
    """Every ``v[0]`` as ``v.x``."""
    made = program
    while (other := next(named_components(made), None)) is not None:
        made = other
    if made != program:
        yield made


def has_component(type: Type, part: str, wanted: Type) -> bool:
    """Whether a part of a value is a component, of type `wanted`."""
    if not isinstance(type, Vector | Quaternion) or not part or part_type(type, part) != wanted:
        return False
    return result_type(COMPONENTS[1], (type, INT), wanted) == wanted


def place_variants(
    program: ir.Program, offer: Callable[[ir.Place], Iterable[ir.Place]]
) -> Iterator[ir.Program]:
    """The program with the target of one statement replaced by one that `offer` makes of it; all there
    are."""

    def of_statement(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.Assign | ir.Accumulate):
            yield from (replace(statement, target=target) for target in offer(statement.target))

    return of_statements(program, of_statement)


# ---- views


def with_full_slices(program: ir.Program) -> Iterator[ir.Program]:
    """A view with fewer indices than dimensions, ``m[i]``, as ``m[i, :]``."""

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if isinstance(node, ir.View) and not any(isinstance(part, ir.Slice) for part in node.index):
            yield replace(node, index=(*node.index, *(WHOLE,) * node.type.ndim))

    yield from program_variants(program, lambda body: body_variants(body, offer))


def without_full_slices(program: ir.Program) -> Iterator[ir.Program]:
    """``m[i, :]`` as ``m[i]``."""

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if isinstance(node, ir.View):
            first, last = node.index[: -node.type.ndim], node.index[-node.type.ndim :]
            if first and set(last) == {WHOLE}:
                yield replace(node, index=first)

    yield from program_variants(program, lambda body: body_variants(body, offer))


# ---- augmented assignment

# On elements of arrays ``+=`` is atomic, and so is another operation: these passes leave them alone.
AUGMENTING = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "//")


def expanded_assignment(program: ir.Program) -> Iterator[ir.Program]:
    """``x += y`` as ``x = x + y``."""
    effects = Effects(program, in_kernel=False)

    def offer(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        match statement:
            case ir.Accumulate(target, operator, value) if element(target) is None:
                operation = infix(operator, target.type, value.type)
                if operation is not None and effects.pure(as_read(target)):
                    yield ir.Assign(target, ir.Apply(operation, (as_read(target), value), target.type))

    return of_statements(program, offer)


def augmented_assignment(program: ir.Program) -> Iterator[ir.Program]:
    """``x = x + y`` as ``x += y``."""
    effects = Effects(program, in_kernel=False)

    def offer(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        match statement:
            case ir.Assign(target, ir.Apply(operation, (first, value))) if first == as_read(target):
                syntax = TABLE[operation].spelling
                if element(target) is not None or not effects.pure(first):
                    return
                if isinstance(syntax, Infix) and syntax.symbol in AUGMENTING:
                    yield ir.Accumulate(target, syntax.symbol, value)

    return of_statements(program, offer)
