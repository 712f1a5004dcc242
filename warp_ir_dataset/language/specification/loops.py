"""Describes reductions and searches: sums, counts, products, extremes, the first index with a property."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import ir
from ..analysis.effects import changed_locals, contents_read, may_change, surely_pure, uses
from ..operations.table import TABLE
from ..operations.traits import COMPONENTS, MINUS, NOT, OPPOSITE, PLUS
from ..rewrite import Body, as_read, map_statements, names_in, substituted
from ..types import BOOL, INT, Scalar, Vector
from ..walks import root, statements, walk
from .formulas.expressions import Formulas, number
from .formulas.parts import NEGATED
from .simplify import bound, draws, weight

_PARTS = "xyzw"
MOST = 10  # most operations of a summand
EXTREMES = {"max": "the largest of", "min": "the smallest of"}


@dataclass(frozen=True)
class Reduction:
    """A reduction of a loop nest into one local: `operator` with `value`, for the iterations of `loops` in
    which all of `where` hold and none of `but`."""

    loops: tuple[ir.For, ...]
    where: tuple[ir.Expr, ...]
    but: tuple[ir.Expr, ...]
    operator: str
    value: ir.Expr


def reduction(name: str, loop: ir.For) -> Reduction | None:
    """The reduction of a loop nest into the local `name`, which it reads nowhere else; None for other
    loops."""
    found = _inside(name, loop.body)
    if found is None:
        return None
    parts = (*found.loops, *found.where, *found.but, found.value)
    if any(uses(name, (p.start, p.stop) if isinstance(p, ir.For) else p) for p in parts):
        return None
    if uses(name, (loop.start, loop.stop)) or weight(found.value) > MOST:
        return None
    return Reduction((loop, *found.loops), found.where, found.but, found.operator, found.value)


def _inside(name: str, body: Sequence[ir.Stmt]) -> Reduction | None:
    if not body:
        return None
    first, rest = body[0], body[1:]
    if isinstance(first, ir.Let):
        if not surely_pure(first.value) or uses(first.target.name, tuple(rest)) > _most_uses(first.value):
            return None
        if names_in(first.value) & bound(rest):
            return None
        return _inside(name, substituted(tuple(rest), {first.target.name: first.value}))
    if (
        isinstance(first, ir.If)
        and first.then == (ir.Continue(),)
        and not first.orelse
        and surely_pure(first.condition)
    ):
        found = _inside(name, rest)
        # The text would have the condition after the index of an inner loop.
        if found is None or found.loops:
            return None
        return Reduction((), found.where, (first.condition, *found.but), found.operator, found.value)
    return None if rest else _last(name, first)


def _most_uses(value: ir.Expr) -> int:
    """How often a formula may repeat the value of a local."""
    return (99, 2, 1)[min(weight(value), 2)]


def update(statement: ir.Assign) -> ir.Accumulate | None:
    """``x = x + y`` and ``x = y + x`` as ``x += y``, and the like; None for other assignments."""
    value, place = statement.value, _plain(as_read(statement.target))
    if not isinstance(value, ir.Apply) or len(value.operands) != 2:
        return None
    first, second = map(_plain, value.operands)
    if place not in (first, second):
        return None
    symbol = getattr(TABLE[value.operation].spelling, "symbol", "")
    behind = first == place
    other = value.operands[1 if behind else 0]
    scales = place.type.is_float and not other.type.shape
    if (
        symbol == "+"
        or (symbol == "-" and behind)
        or (scales and (symbol == "*" or (symbol == "/" and behind)))
    ):
        return ir.Accumulate(statement.target, symbol, other)
    return None


def _plain(value: ir.Expr) -> ir.Expr:
    """A component of a vector by its number, if the expression has its letter."""
    if isinstance(value, ir.Member) and isinstance(value.of.type, Vector):
        return ir.Apply(COMPONENTS[1], (value.of, ir.Literal(_PARTS.index(value.member), INT)), value.type)
    return value


def with_updates(body: Body) -> Body:
    """The statements with ``x = x + y`` as ``x += y``."""
    return map_statements(body, lambda s: ((isinstance(s, ir.Assign) and update(s)) or s,))


def _last(name: str, statement: ir.Stmt) -> Reduction | None:
    if isinstance(statement, ir.Assign) and (own := update(statement)) is not None:
        statement = own
    if isinstance(statement, ir.Accumulate) and statement.target == ir.Name(name, statement.target.type):
        if not surely_pure(statement.value):
            return None
        return Reduction((), (), (), statement.operator, statement.value)
    if isinstance(statement, ir.Assign) and statement.target == ir.Name(name, statement.target.type):
        value = statement.value
        if isinstance(value, ir.Apply) and value.operation in EXTREMES and statement.target in value.operands:
            others = [operand for operand in value.operands if operand != statement.target]
            if len(others) == 1 and surely_pure(others[0]):
                return Reduction((), (), (), value.operation, others[0])
        return None
    if isinstance(statement, ir.If) and _is_plain(statement):
        found = _inside(name, statement.then)
        if found is None or found.loops or found.but:
            return None
        return Reduction((), (statement.condition, *found.where), (), found.operator, found.value)
    if isinstance(statement, ir.For):
        found = _inside(name, statement.body)
        if found is None or not surely_pure(statement.start) or not surely_pure(statement.stop):
            return None
        return Reduction((statement, *found.loops), found.where, found.but, found.operator, found.value)
    return None


def _is_plain(branch: ir.If) -> bool:
    return not branch.orelse and surely_pure(branch.condition)


def search(variable: ir.Variable | ir.Let, loop: ir.Stmt) -> tuple[ir.Expr, ir.Expr] | None:
    """The condition and the value of a search: a loop that sets a local when a condition first holds."""
    if not isinstance(loop, ir.For) or len(loop.body) != 1:
        return None
    branch = loop.body[0]
    if not isinstance(branch, ir.If) or branch.orelse or len(branch.then) != 2:
        return None
    hit, end = branch.then
    if not isinstance(hit, ir.Assign) or hit.target != variable.target or end != ir.Break():
        return None
    name = variable.target.name
    if uses(name, (branch.condition, hit.value, loop.start, loop.stop)):
        return None
    pure = surely_pure(branch.condition) and surely_pure(hit.value) and surely_pure(variable.value)
    return (branch.condition, hit.value) if pure else None


def moves_its_end(loop: ir.For) -> bool:
    """Whether a loop changes what its end depends on. The size of an array stays when elements change."""
    changed_contents = may_change(loop.body) & contents_read(loop.stop)
    return bool(changed_contents or changed_locals(loop.body) & names_in(loop.stop))


def is_repetition(loop: ir.For) -> bool:
    """Whether a loop's body does not use its index, so that "repeat n times" describes it."""
    if uses(loop.target.name, loop.body) or loop.step != 1 or moves_its_end(loop):
        return False
    return isinstance(loop.start, ir.Literal) and (loop.start.value == 0 or isinstance(loop.stop, ir.Literal))


def trip_count(loop: ir.For) -> ir.Expr:
    """The number of iterations of a repetition."""
    if isinstance(loop.start, ir.Literal) and isinstance(loop.stop, ir.Literal):
        return ir.Literal(max(0, int(loop.stop.value) - int(loop.start.value)), INT)
    return loop.stop


def has_carried_dependence(loop: ir.For) -> bool:
    """Whether an iteration depends on earlier ones: it does more than accumulate sums and store its own
    elements, or it uses random numbers."""
    body = with_updates(loop.body)
    return draws(body) > 0 or not all(
        _is_independent(statement, loop, body) for statement in statements(body)
    )


def _is_independent(statement: ir.Stmt, loop: ir.For, body: Body) -> bool:
    if isinstance(statement, ir.Accumulate):
        name = root(statement.target)
        steps = [s for s in statements(body) if isinstance(s, ir.Accumulate) and root(s.target) == name]
        unread = name is not None and uses(name, body) == len(steps)
        if isinstance(statement.target, ir.Load) and _has_own_element(statement.target, loop, body):
            return True
        return unread and statement.operator in ("+", "-")
    if isinstance(statement, ir.Assign) and isinstance(statement.target, ir.Load):
        return _has_own_element(statement.target, loop, body)
    return isinstance(statement, ir.Let | ir.For | ir.If | ir.Do | ir.Continue)


def _has_own_element(place: ir.Load, loop: ir.For, body: Body) -> bool:
    """Whether each iteration has an element of its own: the only one of its array that it accesses."""
    array = root(place)
    if array is None or not uses(loop.target.name, place.index):
        return False
    if uses(array, body) == 1:
        return True
    same = sum(node == place for node in walk(body))
    return loop.target in place.index and uses(array, body) == same


# ---- in words


def index_range(formulas: Formulas, loop: ir.For) -> str:
    """``k from 0 to n - 1``: the index of a loop and its range."""
    name, start = loop.target.name, formulas.inner(loop.start)
    if loop.step == 1:
        return f"{name} from {start} to {formulas.inner(_before(loop.stop, 1))}"
    if loop.step == -1:
        return f"{name} from {start} down to {formulas.inner(_before(loop.stop, -1))}"
    limit = "below" if loop.step > 0 else "above"
    return f"{name} from {start} in steps of {number(loop.step)} while {limit} {formulas.inner(loop.stop)}"


def _before(stop: ir.Expr, step: int) -> ir.Expr:
    """The last number before a stop: ``n - 1`` of n, 4 of 5, ``q`` of ``q + 1``."""
    if isinstance(stop, ir.Literal):
        return ir.Literal(int(stop.value) - step, INT)
    if isinstance(stop, ir.Apply) and len(stop.operands) == 2:
        first, second = stop.operands
        symbol = getattr(TABLE[stop.operation].spelling, "symbol", "")
        if symbol in ("+", "-") and isinstance(second, ir.Literal):
            moved = int(second.value) * (1 if symbol == "+" else -1) - step
            return first if moved == 0 else _plus(first, moved, stop)
    return _plus(stop, -step, stop)


def _plus(value: ir.Expr, amount: int, like: ir.Expr) -> ir.Expr:
    return ir.Apply(
        MINUS if amount < 0 else PLUS, (value, ir.Literal(abs(amount), Scalar(like.type.scalar))), like.type
    )


def index_ranges(formulas: Formulas, found: Reduction) -> str:
    """``k from 0 to 4 and m from 0 to k with a and b except where c``."""
    text = " and ".join(index_range(formulas, loop) for loop in found.loops)
    left = [but for but in found.but if _not(but) is None]
    conditions = [other for but in found.but if (other := _not(but)) is not None]
    conditions += found.where
    if left and any(isinstance(node, ir.Load) for node in walk(tuple(conditions))):
        # The excluded cases may keep the others in bounds: they come first.
        conditions = [_not(but) or ir.Apply(NOT, (but,), BOOL) for but in found.but]
        conditions, left = [*conditions, *found.where], []
    if conditions:
        text += f" with {_joined(formulas, ' and ', conditions)}"
    if left:
        text += f" except where {_joined(formulas, ' or ', left)}"
    return text


def _joined(formulas: Formulas, word: str, conditions: Sequence[ir.Expr]) -> str:
    if len(conditions) == 1:
        return formulas.condition(conditions[0])
    return word.join(formulas.truth(condition).within(NEGATED) for condition in conditions)


def _not(condition: ir.Expr) -> ir.Expr | None:
    """The opposite of a comparison."""
    if isinstance(condition, ir.Apply) and (opposite := OPPOSITE.get(condition.operation)):
        return ir.Apply(opposite, condition.operands, condition.type)
    return None
