"""Simplifies a body before it is described: drops constants and comments, and inlines short locals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .. import ir
from ..analysis.effects import may_change, surely_pure, uses
from ..operations.table import TABLE, changed_array, changed_by
from ..operations.traits import CHOICES
from ..rewrite import Body, map_expressions, map_statements, names_in, operands, substituted, with_blocks
from ..types import Array
from ..walks import blocks, reads, statements, walk
from .formulas.expressions import simplified

# Most operations of a local that is inlined into a formula, and of that formula afterwards.
SMALL, FULL = 3, 6


def simplify_body(program: ir.Program, body: Body) -> Body:
    """The statements to describe, in order."""
    body = substituted(body, {constant.name: constant.value for constant in program.constants})
    body = map_statements(body, lambda s: () if isinstance(s, ir.Pass | ir.Comment) else (_chosen(s),))
    body = map_expressions(body, lambda node: simplified(node) if isinstance(node, ir.Apply) else node)
    while (simpler := _Inliner.of(body).block(body)) != body:
        body = simpler
    return _without_stop(_with_lets(body))


def _with_lets(body: Body) -> Body:
    """The body with a `Let` for each local with one value in its own block, and a `Variable` for each other
    one."""
    own, mutable = block_locals(body), may_change(body)

    def change(statement: ir.Stmt) -> tuple[ir.Stmt, ...]:
        if isinstance(statement, ir.Let | ir.Variable):
            name = statement.target.name
            kind = ir.Let if name in own and name not in mutable else ir.Variable
            return (kind(statement.target, statement.value),)
        return (statement,)

    return map_statements(body, change)


def bound(body: Sequence[ir.Stmt]) -> set[str]:
    """The locals that statements define, or define again."""
    return {s.target.name for s in statements(tuple(body)) if isinstance(s, ir.Let | ir.Variable)}


def block_locals(body: Body) -> set[str]:
    """The locals that are only used after their definitions, in the same blocks."""
    inside: Counter[str] = Counter()
    twice = set()
    for block in _all_blocks(body):
        behind: Counter[str] = Counter()
        defined_behind: set[str] = set()
        for statement in reversed(block):
            if isinstance(statement, ir.Let | ir.Variable):
                name = statement.target.name
                if name in defined_behind:
                    twice.add(name)
                inside[name] += 1 + behind[name]
            behind.update(_named(statement))
            defined_behind |= bound((statement,))
    everywhere = Counter(_named(body))
    return {name for name, count in inside.items() if name not in twice and count == everywhere[name]}


def _named(body: object) -> Iterator[str]:
    return (node.name for node in walk(body) if isinstance(node, ir.Name))


def _all_blocks(body: Body) -> Iterator[Body]:
    yield body
    for statement in body:
        for inner in blocks(statement):
            yield from _all_blocks(inner)


def _chosen(statement: ir.Stmt) -> ir.Stmt:
    """The statement; a local that both branches define becomes a choice."""
    if not isinstance(statement, ir.If) or len(statement.then) != 1 or len(statement.orelse) != 1:
        return statement
    (first,), (second,) = statement.then, statement.orelse
    if not isinstance(first, ir.Let | ir.Variable) or not isinstance(second, ir.Let | ir.Variable):
        return statement
    if first.target != second.target or not surely_pure((first.value, second.value, statement.condition)):
        return statement
    values = (statement.condition, first.value, second.value)
    return ir.Variable(first.target, ir.Apply(CHOICES[0], values, first.target.type))


def _without_stop(body: Body) -> Body:
    """The body in which a last statement, after a branch that ends the thread, is the other branch."""
    if len(body) < 2 or not isinstance(body[-2], ir.If) or body[-2].orelse or len(body[-2].then) < 2:
        return body
    branch = body[-2]
    if branch.then[-1] != ir.Return():
        return body
    return (*body[:-2], replace(branch, then=branch.then[:-1], orelse=body[-1:]))


@dataclass(frozen=True)
class _Inliner:
    mutable: set[str]  # locals that change or are used in other blocks

    @classmethod
    def of(cls, body: Body) -> _Inliner:
        return cls(may_change(body) | (bound(body) - block_locals(body)))

    def block(self, body: Body) -> Body:
        rest = list(body)
        kept: list[ir.Stmt] = []
        while rest:
            statement = rest.pop(0)
            inner = [self.block(block) for block in blocks(statement)]
            statement = with_blocks(statement, inner) if inner else statement
            if random_values := self.random_values(statement, rest):
                user = rest[len(random_values) - 1]
                rest[: len(random_values)] = substituted((user,), random_values)
            elif isinstance(statement, ir.Let | ir.Variable) and self.may_go(statement, rest):
                rest = list(substituted(tuple(rest), {statement.target.name: statement.value}))
            else:
                kept.append(statement)
        return tuple(kept)

    def may_go(self, local: ir.Let | ir.Variable, rest: list[ir.Stmt]) -> bool:
        name, value = local.target.name, local.value
        if name in self.mutable or not surely_pure(value):
            return False
        times = uses(name, tuple(rest))
        if not times:
            return True
        if not self.is_small(value, times, name, rest):
            return False
        last = max(i for i, statement in enumerate(rest) if uses(name, statement))
        user = rest[last]
        if _only_in_condition(name, user) and not self.disturbed(value, rest[:last], ir.Pass()):
            return True
        return not self.disturbed(value, rest[:last], user)

    def disturbed(self, value: ir.Expr, between: Sequence[ir.Stmt], user: ir.Stmt) -> bool:
        """Whether a value may be another one where `user` takes it: what it reads changes before.

        `between` are the statements from its definition to the user, which may use it in inner bodies too.
        A local that an earlier loop left behind changes where it is bound again.
        """
        needed = names_in(value) & self.mutable
        if needed & (may_change(between) | bound(between)):
            return True
        return bool(blocks(user)) and bool(needed & may_change((user,)))

    def random_values(self, first: ir.Stmt, rest: list[ir.Stmt]) -> dict[str, ir.Expr]:
        """Locals for random numbers, `first` and those after it, that the next statement uses once each and
        in order; by name."""
        found: dict[str, ir.Expr] = {}
        for number, user in enumerate((first, *rest)):
            if isinstance(user, ir.Let | ir.Variable) and _is_random_number(user.value):
                found[user.target.name] = user.value
                continue
            once = all(uses(name, (*found.values(), *rest[number - 1 :])) == 1 for name in found)
            own = self.mutable.isdisjoint(found)
            return found if found and once and own and _uses_in_order(user, found) else {}
        return {}

    def is_small(self, value: ir.Expr, times: int, name: str, rest: list[ir.Stmt]) -> bool:
        if is_trivial(value):
            # An index that is itself an element keeps its name if it is used again.
            return times == 1 or not isinstance(value, ir.Load) or not _as_index(name, rest)
        if times > 1:
            return False
        user = next(s for s in statements(tuple(rest)) if any(uses(name, e) for e in reads(s)))
        host = next(expression for expression in reads(user) if uses(name, expression))
        if isinstance(host, ir.Name) and not isinstance(user, ir.Variable):
            return True
        own, whole = weight(value), weight(value) + weight(host)
        return not chooses(value) and own <= SMALL and whole <= FULL


def _only_in_condition(name: str, statement: ir.Stmt) -> bool:
    """Whether a branch uses a local in its condition alone."""
    return isinstance(statement, ir.If) and not uses(name, (statement.then, statement.orelse))


def draws(node: object) -> int:
    """The number of random numbers that a tree draws itself, without its functions."""
    return sum(any(not isinstance(o.type, Array) for o in changed_by(part)) for part in walk(node))


def _is_random_number(value: ir.Expr) -> bool:
    """Whether a value is a random number with few operations."""
    if any(isinstance(part, ir.Call) or changed_array(part) is not None for part in walk(value)):
        return False
    return draws(value) == 1 and not chooses(value) and weight(value) <= SMALL


def _uses_in_order(user: ir.Stmt, random_values: Mapping[str, ir.Expr]) -> bool:
    """Whether a statement certainly uses random numbers, in the order of their definitions."""
    whole: object = user
    if isinstance(user, ir.If):
        whole = place = user.condition
    elif isinstance(user, ir.Let | ir.Variable | ir.Assign | ir.Accumulate):
        place = user.value
    elif isinstance(user, ir.Return) and len(user.values) == 1:
        place = user.values[0]
    else:
        return False
    order = [node.name for node in walk(place) if isinstance(node, ir.Name) and node.name in random_values]
    states = may_change(ir.Let(ir.Name(name, value.type), value) for name, value in random_values.items())
    independent = not draws(whole) and not any(uses(state, whole) for state in states)
    small = weight(place) + len(random_values) <= FULL and not chooses(place)
    return order == list(random_values) and independent and small


def _as_index(name: str, rest: list[ir.Stmt]) -> bool:
    """Whether a local is part of an index."""
    loads = (node for node in walk(tuple(rest)) if isinstance(node, ir.Load))
    return any(uses(name, load.index) for load in loads)


def weight(node: ir.Expr) -> int:
    """How many operations a reader sees in an expression; conversions and components are none."""
    inner = sum(map(weight, operands(node)))
    if isinstance(node, ir.Apply):
        row = TABLE[node.operation]
        return inner + (0 if row.converts or row.group == "component" else 1)
    return inner + isinstance(node, ir.Call)


def is_trivial(value: ir.Expr) -> bool:
    """Whether an expression is as short as a name: a literal, a view, an element at plain indices, a member
    of these."""
    match value:
        case ir.Literal() | ir.Name():
            return True
        case ir.Load(array, index):
            return isinstance(array, ir.Name) and all(isinstance(i, ir.Name | ir.Literal) for i in index)
        case _:
            if isinstance(value, ir.View) or isinstance(value.type, Array):
                return True
            if isinstance(value, ir.Apply) and len(value.operands) == 1:
                return weight(value) == 0 and is_trivial(value.operands[0])
            return isinstance(value, ir.Member) and is_trivial(value.of)


def chooses(value: object) -> bool:
    """Whether there is a choice in an expression."""
    return any(isinstance(node, ir.Apply) and node.operation in CHOICES for node in walk(value))
