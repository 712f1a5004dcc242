"""The table of mutation operators. A mutant is a program with one edit that a person might make by mistake.

Operators tell every program that one edit makes of a given one, and promise no more than that types stay.
`mutants` draws among those that compile and keep to their arrays, the operators in turn. What they compute
may still be the same: whether it is, `proof.bite` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

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
    """One kind of mistake: `variants` gives every program that has it, the same ones in the same order."""

    name: str
    variants: Callable[[ir.Program], Iterator[ir.Program]]


@dataclass(frozen=True)
class Mutant:
    """A program with one edit, and the name of the operator that made it."""

    operator: str
    program: ir.Program


def every_mutant(program: ir.Program) -> Iterator[Mutant]:
    """All that one edit makes of a program, legal or not, operator by operator."""
    for name, operator in OPERATORS.items():
        for made in operator.variants(program):
            yield Mutant(name, made)


def mutants(program: ir.Program, rng: Rng, count: int, operators: Iterable[str] = ()) -> tuple[Mutant, ...]:
    """So many different mutants that stand (`stands`), or all that are found: of each operator one, in an
    order that `rng` chooses, then of each another one. `operators` are those to draw from, if not all."""
    names = rng.shuffled(tuple(operators) or tuple(OPERATORS))
    sources = {name: _standing(program, OPERATORS[name], rng) for name in names}
    found: dict[ir.Program, Mutant] = {}
    while sources and len(found) < count:
        for name in list(sources):
            made = next((m for m in sources[name] if m not in found), None)
            if made is None:
                del sources[name]
            elif len(found) < count:
                found[made] = Mutant(name, made)
    return tuple(found.values())


def stands(program: ir.Program) -> bool:
    """Whether a program compiles, leaves no array, and ends. Its threads may race, and it may hold what is
    not used: it is run, and is no row."""
    try:
        well_typed(program)
        analyze_intervals(program, sampled=True)
    except Illegal:
        return False
    return True


def _standing(program: ir.Program, operator: MutationOperator, rng: Rng) -> Iterator[ir.Program]:
    for made in rng.sample(list(operator.variants(program)), TRIES):
        if made != program and stands(made):
            yield made


# ---- the rows


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
            yield from program_variants(program, lambda body, change=change: block_variants(body, change))  # type: ignore[misc]

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
    """Of numbers wherever they stand: in expressions, and in constants of the module."""

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
    _statement("atomic unlocked", s.unlocked),
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
    _both("arms swapped", _expression("", e.swapped_choices), _statement("", s.swapped_arms)),
    _both("arm always taken", _expression("", e.other_choices), _statement("", s.taken_arms)),
    _both("guard lost", _expression("", e.lost_choices), _statement("", s.lost_guards, s.dropped_arms)),
    MutationOperator("another target", _other_targets),
    _statement("another sign", s.other_signs),
    _statement("sum overwritten", s.overwritten),
    _statement("overwriting added", s.added),
    _constant("constant off by 1 %", lambda node: e.scaled_literals(node, 1.01)),
    _constant("constant off by 0.1 %", lambda node: e.scaled_literals(node, 1.001)),
)
# fmt: on

OPERATORS: Mapping[str, MutationOperator] = {operator.name: operator for operator in _ROWS}
DELETIONS = ("store deleted", "statement deleted", "definition emptied")
