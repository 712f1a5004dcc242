"""Branches: if chains, bounds checks, early returns."""

from __future__ import annotations

from collections.abc import Sequence

from ...language.program import Argument, Assign, Expr, If, Literal, Name, Return, Stmt
from ...language.specification.formulas.parts import listed
from ...language.specification.sentences import words
from ...language.types import Type
from ..growing.draft import Draft
from ..growing.repair import tame
from .lines import soft_span, working_type


def branch(s: Draft, arms: int = 0, nested: bool = False, type: Type | None = None) -> None:
    """A variable that an if chain sets or adjusts; with `nested`, one arm branches again."""
    arms = arms or s.rng.weighted([(1, 3.0), (2, 3.0), (3, 1.0)])
    wanted = type or (working_type(s) if s.rng.chance(0.3) else s.float)
    start = s.combine(wanted) if s.pending and s.rng.chance(0.6) else s.moving(wanted, 1)
    start = tame(s, start)
    target = s.declare(start, soft_span(wanted).join(s.span(start)))
    s.scope.append(target)
    conditions = [s.grower.condition(s.rng.integer(1, 2)) for _ in range(arms)]
    deep = s.rng.below(arms) if nested else -1
    bodies = [_arm(s, target, nested=position == deep) for position in range(arms)]
    if s.rng.chance(0.6):
        bodies.append(_arm(s, target))
    s.emit(ladder(conditions, bodies))
    s.pending.append(target)
    told = listed([words(condition) for condition in conditions[:2]])
    s.tell(f"adjusts `{target.name}` depending on whether {told}")


def ladder(conditions: Sequence[Expr], arms: Sequence[tuple[Stmt, ...]]) -> Stmt:
    """``if / elif / ... / else``; one arm more than conditions, or as many."""
    chain: tuple[Stmt, ...] = arms[len(conditions)] if len(arms) > len(conditions) else ()
    for condition, arm in zip(reversed(conditions), reversed(arms[: len(conditions)]), strict=True):
        chain = (If(condition, arm, chain),)
    return chain[0]


def _arm(s: Draft, target: Name, nested: bool = False) -> tuple[Stmt, ...]:
    with s.inner() as body:
        if s.rng.chance(0.3):
            s.let(s.moving(target.type if s.rng.chance(0.6) else s.float, 1))
        if nested:
            condition = s.grower.condition(s.rng.integer(1, 2))
            then, orelse = _arm(s, target), _arm(s, target) if s.rng.chance(0.6) else ()
            s.emit(If(condition, then, orelse))
        if s.pending or not nested:
            s.pending += [target] if s.rng.chance(0.6) else []
            s.emit(Assign(target, within(s, s.combine(target.type, s.rng.integer(1, 2)), target)))
    return tuple(body)


def within(s: Draft, value: Expr, target: Name) -> Expr:
    """The value brought into what the target may hold."""
    value = tame(s, value)
    if s.span(value).within(s.span(target)):
        return value
    if target.type.shape:
        return s.apply("scale_right", value, Literal(0.25, target.type.element))
    low, high = (Literal(end, target.type.element) for end in (s.span(target).lo, s.span(target).hi))
    return s.apply("clamp", value, low, high)


def bounds_check(s: Draft) -> None:
    """``if i >= count: return``, the way kernels guard a launch that was rounded up."""
    axis = s.rng.below(len(s.threads))
    s.emit(If(s.apply("ge", s.threads[axis], s.size(axis)), (Return(),)))
    s.tell(f"skips threads past `{s.size(axis).name}`")


def early_exit(s: Draft, out: Argument) -> None:
    """Threads that meet a condition store a short result and return."""
    condition = s.grower.condition(s.rng.integer(1, 2))
    with s.inner() as body:
        value = tame(s, s.moving(out.type, 1))
        s.store(out, value)
        s.emit(Return())
    s.emit(If(condition, tuple(body)))
    s.tell(f"returns early with {words(value)} where {words(condition)}")
