"""Passes that change the syntax of single expressions, and move nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product

from ..analysis.effects import Effects
from ..analysis.legality import is_in_memory
from ..operations.laws import BOTH, COMPONENTS, ORDERS, POWERS, TURNED, WAYS
from ..operations.spelling import Infix
from ..operations.table import TABLE, infix, result_type
from ..program import (
    Accumulate,
    Apply,
    Assign,
    Chain,
    Comment,
    Component,
    Expr,
    Literal,
    Member,
    Place,
    Program,
    Slice,
    Stmt,
    View,
)
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
from .places import of_statements

PARTS = "xyzw"
WHOLE = Slice(None, None, None)

# ---- comments


def one_remark(body: Body) -> Body:
    """Comments that have come to stand above one another, as the one that their text is."""
    made: list[Stmt] = []
    for statement in body:
        statement = map_blocks(statement, one_remark)
        match made[-1:], statement:
            case [Comment(above, False)], Comment(text, False):
                made[-1] = Comment(f"{above}\n{text}")
            case _:
                made.append(statement)
    return body if same(made, body) else tuple(made)


# ---- operands and comparisons


def chained(program: Program) -> Iterator[Program]:
    """``a < b and b < c`` as ``a < b < c``, also where one of the two is read from its other side."""
    effects = Effects(program, in_kernel=False)

    def offer(node: Expr) -> Iterator[Expr]:
        if isinstance(node, Apply) and node.operation == BOTH and effects.pure(node):
            # What stands in the middle is evaluated once then. Operands have no effects.
            for left, right in product(*map(_links, node.operands)):
                middle = left.operands[-1]
                operands = (*left.operands, *right.operands[1:])
                comparisons = (*left.comparisons, *right.comparisons)
                if (
                    middle == right.operands[0]
                    and not isinstance(middle, Literal)
                    and any(way.issuperset(comparisons) for way in WAYS)
                    and not any(map(is_in_memory, operands[2:]))  # which Warp refuses
                ):
                    yield Chain(comparisons, operands)

    yield from program_variants(program, lambda body: body_variants(body, offer))


def _links(node: Expr) -> Iterator[Chain]:
    """A comparison as a chain of one, from both sides; a chain as it is."""
    if isinstance(node, Chain):
        yield node
    elif isinstance(node, Apply) and node.operation in ORDERS:
        yield Chain((node.operation,), node.operands)
        yield Chain((TURNED[node.operation],), node.operands[::-1])


def unchained(program: Program) -> Iterator[Program]:
    """``a < b < c`` as ``a < b and b < c``."""
    effects = Effects(program, in_kernel=False)

    def offer(node: Expr) -> Iterator[Expr]:
        if isinstance(node, Chain) and effects.pure(node):
            pairs = zip(node.operands, node.operands[1:], strict=False)
            single = (Apply(c, pair, BOOL) for c, pair in zip(node.comparisons, pairs, strict=True))
            joined: Expr = next(single)
            for comparison in single:
                joined = Apply(BOTH, (joined, comparison), BOOL)
            yield joined

    yield from program_variants(program, lambda body: body_variants(body, offer))


# ---- powers


def raised(program: Program) -> Iterator[Program]:
    """``wp.pow(x, y)`` as ``x ** y``, and back."""

    def offer(node: Expr) -> Iterator[Expr]:
        if isinstance(node, Apply) and node.operation in POWERS:
            yield replace(node, operation=POWERS[1 - POWERS.index(node.operation)])

    yield from program_variants(program, lambda body: body_variants(body, offer))


# ---- components


def named_parts(program: Program) -> Iterator[Program]:
    """``v[0]`` as ``v.x``, read or written."""

    def offer(node: Expr) -> Iterator[Expr]:
        match node:
            case Apply(operation, (of, Literal(value))) if operation == COMPONENTS[1]:
                name = PARTS[int(value)] if 0 <= value < len(PARTS) else ""
                if has_part(of.type, name, node.type):
                    yield Member(of, name, node.type)

    def place(target: Place) -> Iterator[Place]:
        match target:
            case Component(of, (Literal(value),)) if 0 <= value < len(PARTS):
                if has_part(of.type, PARTS[int(value)], target.type):
                    yield Member(of, PARTS[int(value)], target.type)  # type: ignore[arg-type]

    yield from program_variants(program, lambda body: body_variants(body, offer))
    yield from place_variants(program, place)


def all_named_parts(program: Program) -> Iterator[Program]:
    """Every ``v[0]`` as ``v.x``."""
    made = program
    while (other := next(named_parts(made), None)) is not None:
        made = other
    if made != program:
        yield made


def has_part(type: Type, part: str, wanted: Type) -> bool:
    """Whether a value has a part that is a component too."""
    if not isinstance(type, Vector | Quaternion) or not part or part_type(type, part) != wanted:
        return False
    return result_type(COMPONENTS[1], (type, INT), wanted) == wanted


def place_variants(program: Program, offer: Callable[[Place], Iterable[Place]]) -> Iterator[Program]:
    """The program with the place that one statement writes to made over."""

    def of_statement(statement: Stmt) -> Iterator[Stmt]:
        if isinstance(statement, Assign | Accumulate):
            yield from (replace(statement, target=target) for target in offer(statement.target))

    return of_statements(program, of_statement)


# ---- views


def sliced_rows(program: Program) -> Iterator[Program]:
    """A view that names fewer dimensions than there are, ``m[i]``, as ``m[i, :]``."""

    def offer(node: Expr) -> Iterator[Expr]:
        if isinstance(node, View) and not any(isinstance(part, Slice) for part in node.index):
            yield replace(node, index=(*node.index, *(WHOLE,) * node.type.ndim))

    yield from program_variants(program, lambda body: body_variants(body, offer))


def whole_rows(program: Program) -> Iterator[Program]:
    """``m[i, :]`` as ``m[i]``."""

    def offer(node: Expr) -> Iterator[Expr]:
        if isinstance(node, View):
            first, last = node.index[: -node.type.ndim], node.index[-node.type.ndim :]
            if first and set(last) == {WHOLE}:
                yield replace(node, index=first)

    yield from program_variants(program, lambda body: body_variants(body, offer))


# ---- augmented assignment

# On elements of arrays ``+=`` is atomic, and so is another operation: these passes leave them alone.
AUGMENTING = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "//")


def plain(program: Program) -> Iterator[Program]:
    """``x += y`` as ``x = x + y``."""
    effects = Effects(program, in_kernel=False)

    def offer(statement: Stmt) -> Iterator[Stmt]:
        match statement:
            case Accumulate(target, operator, value) if element(target) is None:
                operation = infix(operator, target.type, value.type)
                if operation is not None and effects.pure(as_read(target)):
                    yield Assign(target, Apply(operation, (as_read(target), value), target.type))

    return of_statements(program, offer)


def augmented(program: Program) -> Iterator[Program]:
    """``x = x + y`` as ``x += y``."""
    effects = Effects(program, in_kernel=False)

    def offer(statement: Stmt) -> Iterator[Stmt]:
        match statement:
            case Assign(target, Apply(operation, (first, value))) if first == as_read(target):
                spelling = TABLE[operation].spelling
                if element(target) is not None or not effects.pure(first):
                    return
                if isinstance(spelling, Infix) and spelling.symbol in AUGMENTING:
                    yield Accumulate(target, spelling.symbol, value)

    return of_statements(program, offer)
