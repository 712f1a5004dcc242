"""The table of mutation operators. A mutant is a program with one edit that a person might make by mistake.

An operator lists every program that one edit makes of a given one, and only guarantees that types stay the
same. `mutants` samples those that compile and stay in bounds, from each operator in turn. A mutant may still
have the same outputs: `proof.bite` tests that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ...common.rng import Rng
from .. import ir
from ..analysis.interval_analysis import analyze_intervals
from ..analysis.intervals import Illegal
from ..analysis.legality import well_typed
from ..rewrite import Body, block_variants, body_variants, program_variants
from . import expressions as e
from . import statements as s
from .expressions import Names, names_by_type

TRIES = 12  # edits of one operator that are tried before it gives up on a program


@dataclass(frozen=True)
class MutationOperator:
    """One kind of mistake: `variants` lists every program with it, in a fixed order."""

    name: str
    variants: Callable[[ir.Program], Iterator[ir.Program]]


@dataclass(frozen=True)
class Mutant:
    """A program with one edit, and the name of the operator that made it."""

    operator: str
    program: ir.Program


def every_mutant(program: ir.Program) -> Iterator[Mutant]:
    """All mutants of a program, legal or not, operator by operator."""
    for name, operator in OPERATORS.items():
        for mutant in operator.variants(program):
            yield Mutant(name, mutant)


def mutants(program: ir.Program, rng: Rng, count: int, operators: Iterable[str] = ()) -> tuple[Mutant, ...]:
    """Up to `count` different mutants that run (`runs`): one of each operator, in an order that `rng`
    chooses, then another one of each. `operators` are those to choose from; all by default."""
    names = rng.shuffled(tuple(operators) or tuple(OPERATORS))
    sources = {name: _running(program, OPERATORS[name], rng) for name in names}
    found: dict[ir.Program, Mutant] = {}
    while sources and len(found) < count:
        for name in list(sources):
            mutant = next((m for m in sources[name] if m not in found), None)
            if mutant is None:
                del sources[name]
            elif len(found) < count:
                found[mutant] = Mutant(name, mutant)
    return tuple(found.values())


def runs(program: ir.Program) -> bool:
    """Whether a program compiles, stays in bounds, and ends. Unlike a row, it may have races and unused
    names."""
    try:
        well_typed(program)
        analyze_intervals(program, sampled=True)
    except Illegal:
        return False
    return True


def _running(program: ir.Program, operator: MutationOperator, rng: Rng) -> Iterator[ir.Program]:
    for mutant in rng.sample(list(operator.variants(program)), TRIES):
        if mutant != program and runs(mutant):
            yield mutant


# ---- the table


def _expression(name: str, offer: Callable[[ir.Expr], Iterable[ir.Expr]]) -> MutationOperator:
    def bodies(body: Body) -> Iterator[Body]:
        return body_variants(body, offer)

    return MutationOperator(name, lambda program: program_variants(program, bodies))


def _named(name: str, offer: Callable[[ir.Expr, Names], Iterable[ir.Expr]]) -> MutationOperator:
    def variants(program: ir.Program) -> Iterator[ir.Program]:
        names = names_by_type(program)
        return _expression(name, lambda node: offer(node, names)).variants(program)

    return MutationOperator(name, variants)


def _statement(name: str, *changes: Callable[[Body], Iterable[Body]]) -> MutationOperator:
    def variants(program: ir.Program) -> Iterator[ir.Program]:
        for change in changes:
            yield from program_variants(program, partial(block_variants, offer=change))

    return MutationOperator(name, variants)


def _both(name: str, one: MutationOperator, other: MutationOperator) -> MutationOperator:
    def variants(program: ir.Program) -> Iterator[ir.Program]:
        yield from one.variants(program)
        yield from other.variants(program)

    return MutationOperator(name, variants)


def _other_targets(program: ir.Program) -> Iterator[ir.Program]:
    names = names_by_type(program)
    return _statement("", lambda body: s.other_targets(body, names)).variants(program)


def _constant(name: str, offer: Callable[[ir.Expr], Iterable[ir.Expr]]) -> MutationOperator:
    """An operator on numbers in expressions and in constants of the module."""

    def named(program: ir.Program) -> Iterator[ir.Program]:
        for place, constant in enumerate(program.constants):
            if isinstance(constant.value, ir.Literal):
                for value in offer(constant.value):
                    constants = list(program.constants)
                    constants[place] = replace(constant, value=value)
                    yield replace(program, constants=tuple(constants))

    return _both(name, _expression("", offer), MutationOperator("", named))


# fmt: off
_ROWS = (
    _expression("another operation", e.other_operations),
    _expression("another atomic", e.other_atomics),
    _statement("atomic unlocked", s.not_atomic),
    _expression("operands swapped", e.swapped_operands),
    _expression("operation dropped", e.dropped_operations),
    _expression("conversion dropped", e.dropped_conversions),
    _expression("bound dropped", e.dropped_bounds),
    _expression("comparison relaxed", e.relaxed_comparisons),
    _expression("comparison turned", e.turned_comparisons),
    _constant("another constant", e.other_literals),
    _named("another variable", e.other_names),
    _named("another array", e.other_arrays),
    _expression("another member", e.other_members),
    _expression("another axis", e.other_axes),
    _both("index off by one", _expression("", e.moved_loads), _statement("", s.moved_stores)),
    _both("indices swapped", _expression("", e.turned_loads), _statement("", s.turned_stores)),
    _statement("thread indices swapped", s.swapped_threads),
    _statement("bound off by one", s.other_bounds),
    _statement("step doubled", s.other_steps),
    _statement("store deleted", s.deleted_stores),
    _statement("statement deleted", s.deleted_statements),
    _statement("definition emptied", s.emptied_definitions),
    _statement("exit changed", s.deleted_exits, s.other_exits),
    _statement("statements swapped", s.swapped_statements),
    _statement("condition negated", s.negated_conditions),
    _both("branches swapped", _expression("", e.swapped_choices), _statement("", s.swapped_branches)),
    _both("branch always taken", _expression("", e.other_choices), _statement("", s.fixed_branches)),
    _both("guard lost", _expression("", e.lost_choices), _statement("", s.lost_guards, s.dropped_else)),
    MutationOperator("another target", _other_targets),
    _statement("another sign", s.other_operators),
    _statement("sum overwritten", s.overwritten),
    _statement("overwriting added", s.added),
    _constant("constant off by 1 %", lambda node: e.scaled_literals(node, 1.01)),
    _constant("constant off by 0.1 %", lambda node: e.scaled_literals(node, 1.001)),
)
# fmt: on

OPERATORS: Mapping[str, MutationOperator] = {operator.name: operator for operator in _ROWS}
DELETIONS = ("store deleted", "statement deleted", "definition emptied")
