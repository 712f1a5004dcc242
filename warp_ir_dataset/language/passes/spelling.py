"""Passes that change the syntax of single expressions, types and comments, and move nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product

from ..analysis.legality import is_in_memory
from ..operations.laws import BOTH, COMMUTATIVE, COMPONENTS, ORDERS, POWERS, SHORT, TURNED, WAYS
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
    Let,
    Literal,
    Member,
    Name,
    Place,
    Program,
    Slice,
    Stmt,
    Style,
    Variable,
    View,
)
from ..rewrite import (
    Body,
    as_read,
    block_variants,
    body_variants,
    map_blocks,
    map_statements,
    program_variants,
    same,
)
from ..types import BOOL, INT, Quaternion, Type, Vector, part_type
from ..walks import element
from .effects import Effects
from .places import of_statements

PARTS = "xyzw"
WHOLE = Slice(None, None, None)

# ---- styles, comments, docstrings


def restyled(program: Program) -> Iterator[Program]:
    """Types throughout in each of the other styles."""
    for subscripts in (False, True):
        for full_names in (False, True):
            style = Style(subscripts, full_names)
            if style != program.style:
                yield replace(program, style=style)


def undocumented(program: Program) -> Iterator[Program]:
    """No docstrings, where there are any."""
    functions = tuple(replace(function, docstring=None) for function in program.functions)
    if (made := replace(program, docstring=None, functions=functions)) != program:
        yield made


def documented(program: Program) -> Iterator[Program]:
    """A docstring for a kernel that has none: its own name in words, and what it fills."""
    if program.docstring is None:
        verb, *rest = program.name.split("_")
        filled = [f"`{a.name}`" for a in program.arguments if a.role != "input"]
        if verb and filled:
            text = " ".join([verb.capitalize(), *rest])
            yield replace(program, docstring=f"{text}: fills {' and '.join(filled)}.")


def uncommented(program: Program) -> Iterator[Program]:
    """No comments, where there are any."""

    def without(statement: Stmt) -> Iterable[Stmt]:
        return () if isinstance(statement, Comment) else (statement,)

    functions = tuple(replace(f, body=map_statements(f.body, without)) for f in program.functions)
    made = replace(program, body=map_statements(program.body, without), functions=functions)
    if made != program:
        yield made


def commented(program: Program) -> Iterator[Program]:
    """A comment on one local, or on one array that is written."""

    def offer(block: Body) -> Iterator[Body]:
        for place, statement in enumerate(block):
            text = _remark(statement)
            before = block[place - 1] if place else None
            if text and not isinstance(before, Comment):
                yield (*block[:place], Comment(text), *block[place:])

    yield from program_variants(program, lambda body: block_variants(body, offer))


def _remark(statement: Stmt) -> str | None:
    if isinstance(statement, Let | Variable):
        later = ", changed below" if isinstance(statement, Variable) else ""
        return f"the {_worded(statement.target.name)}{later}"
    if isinstance(statement, Assign | Accumulate):
        held = element(statement.target)
        return f"into {_worded(held.array.name)}" if held and isinstance(held.array, Name) else None
    return None


def _worded(name: str) -> str:
    return name.replace("_", " ").strip()


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


def commuted(program: Program) -> Iterator[Program]:
    """Operands that may change places, changed; of ``and`` and ``or`` where the second one has a value
    whatever the first one is."""
    effects = Effects(program, in_kernel=False)

    def offer(node: Expr) -> Iterator[Expr]:
        if isinstance(node, Apply) and node.operation in COMMUTATIVE and len(node.operands) == 2:
            left, right = node.operands
            may = effects.total(right) if node.operation in SHORT else effects.pure(node)
            if left != right and may:
                yield replace(node, operands=(right, left))

    yield from program_variants(program, lambda body: body_variants(body, offer))


def turned(program: Program) -> Iterator[Program]:
    """A comparison read from its other side: ``a < b`` as ``b > a``; a chain of them as a whole."""
    effects = Effects(program, in_kernel=False)

    def offer(node: Expr) -> Iterator[Expr]:
        if not effects.pure(node):
            return
        match node:
            case Apply(operation, (left, right)) if operation in TURNED and left != right:
                yield Apply(TURNED[operation], (right, left), node.type)
            case Chain(comparisons, given) if all(c in TURNED for c in comparisons):
                yield Chain(tuple(TURNED[c] for c in comparisons[::-1]), given[::-1], node.type)

    yield from program_variants(program, lambda body: body_variants(body, offer))


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
                if _has(of.type, name, node.type):
                    yield Member(of, name, node.type)

    def place(target: Place) -> Iterator[Place]:
        match target:
            case Component(of, (Literal(value),)) if 0 <= value < len(PARTS):
                if _has(of.type, PARTS[int(value)], target.type):
                    yield Member(of, PARTS[int(value)], target.type)  # type: ignore[arg-type]

    yield from program_variants(program, lambda body: body_variants(body, offer))
    yield from _place_variants(program, place)


def all_named_parts(program: Program) -> Iterator[Program]:
    """Every ``v[0]`` as ``v.x``."""
    made = program
    while (other := next(named_parts(made), None)) is not None:
        made = other
    if made != program:
        yield made


def numbered_parts(program: Program) -> Iterator[Program]:
    """``v.x`` as ``v[0]``, read or written."""

    def offer(node: Expr) -> Iterator[Expr]:
        if isinstance(node, Member) and (place := _numbered(node)) is not None:
            yield Apply(COMPONENTS[1], (node.of, place), node.type)

    def place(target: Place) -> Iterator[Place]:
        if isinstance(target, Member) and (number := _numbered(target)) is not None:
            assert isinstance(target.of, Place)
            yield Component(target.of, (number,), target.type)

    yield from program_variants(program, lambda body: body_variants(body, offer))
    yield from _place_variants(program, place)


def _numbered(node: Member) -> Literal | None:
    fits = node.member in PARTS and len(node.member) == 1 and _has(node.of.type, node.member, node.type)
    return Literal(PARTS.index(node.member), INT) if fits else None


def _has(type: Type, part: str, wanted: Type) -> bool:
    """Whether a value has a part that is a component too."""
    if not isinstance(type, Vector | Quaternion) or not part or part_type(type, part) != wanted:
        return False
    return result_type(COMPONENTS[1], (type, INT), wanted) == wanted


def _place_variants(program: Program, offer: Callable[[Place], Iterable[Place]]) -> Iterator[Program]:
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
