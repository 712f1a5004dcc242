"""Functions of the kernel's own, and structs."""

from __future__ import annotations

from ...language.domains import Interval, joined
from ...language.program import Assign, Call, Expr, Function, If, Member, Name, New, Return, Variable
from ...language.specification.formulas.parts import article, listed
from ...language.specification.sentences import words
from ...language.types import Struct, Type
from ..growing.draft import Draft, kind_of
from ..growing.repair import tame
from .lines import Block, working_type


def helper(s: Draft, inside: Block | None = None) -> None:
    """A function of the kernel's own, called once or twice."""
    arity = s.rng.weighted([(1, 2.0), (2, 3.0), (3, 1.0)])
    types = [working_type(s) if s.rng.chance(0.35) else s.float for _ in range(arity)]
    calls = [[tame(s, s.moving(t, 1)) for t in types] for _ in range(s.rng.pick((1, 1, 2)))]
    name = s.names.take("function")
    parameters = [
        s.named(s.names.take(kind_of(t)), t, joined(s.span(call[position]) for call in calls))
        for position, t in enumerate(types)
    ]
    result = s.float if s.rng.chance(0.7) else types[0]
    with s.function_scope(parameters) as body:
        if inside:
            inside(s)
        elif s.rng.chance(0.5):
            s.let(s.moving(s.float, 2))
        early = _early_return(s, result) if s.rng.chance(0.3) else None
        value = s.combine(result, s.rng.integer(1, 3))
        s.emit(Return((value,)))
    span = s.span(value).join(early) if early else s.span(value)
    s.define(Function(name, tuple(parameters), tuple(body), result), span)
    for call in calls:
        s.let(Call(name, tuple(call), result))
    s.tell(f"applies a helper that returns {words(value)}")


def _early_return(s: Draft, result: Type) -> Interval:
    with s.inner() as body:
        value = tame(s, s.moving(result, 1))
        s.emit(Return((value,)))
    s.emit(If(s.grower.condition(1), tuple(body)))
    return s.span(value)


def record(s: Draft) -> None:
    """A struct that groups values, filled and read again, sometimes by a function."""
    types = [working_type(s) if s.rng.chance(0.4) else s.float for _ in range(s.rng.integer(2, 3))]
    struct = Struct(s.names.take("struct"), tuple((s.names.take(kind_of(t)), t) for t in types))
    target = Name(s.names.take("local"), struct)
    values = [tame(s, s.moving(t, s.rng.integer(1, 2))) for t in types]
    s.structs.append(struct)
    s.emit(Variable(target, New(struct)))
    for (member, t), value in zip(struct.members, values, strict=True):
        s.emit(Assign(Member(target, member, t), value))
    if s.rng.chance(0.4):
        _read_by_function(s, target, struct, values)
    else:
        for (member, t), value in zip(struct.members, values, strict=True):
            s.publish(s.member(target, member, t, s.span(value)))
    members = listed([f"`{member}`" for member, _ in struct.members])
    s.tell(f"groups {members} in {article(struct.name)} {struct.name}")


def _read_by_function(s: Draft, target: Name, struct: Struct, values: list[Expr]) -> None:
    parameter = Name(s.names.take("local"), struct)
    members = [s.member(parameter, m, t, s.span(v)) for (m, t), v in zip(struct.members, values, strict=True)]
    name = s.names.take("function")
    with s.function_scope(members) as body:
        value = s.combine(s.float, s.rng.integer(0, 2))
        s.emit(Return((value,)))
    s.define(Function(name, (parameter,), tuple(body), s.float), s.span(value))
    s.let(Call(name, (target,), s.float))
