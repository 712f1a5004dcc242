"""Describes choices: the value of a local or an element, case by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .. import ir
from ..analysis.effects import surely_pure, uses
from ..operations.traits import BOTH, CHOICES
from ..rewrite import substituted
from ..types import BOOL
from .formulas.expressions import Formulas
from .outline import Step
from .simplify import chooses, is_trivial, weight

SHORT = 90  # most characters of a choice in one sentence
LIGHT = 1  # most operations of a value that may be written twice


@dataclass(frozen=True)
class Case:
    """A value, and its condition, which only applies if no earlier case does; None for all other cases."""

    condition: ir.Expr | None
    value: ir.Expr


Cases = tuple[Case, ...]


def of_value(value: ir.Expr) -> Cases:
    """The cases of a value: a single one if it is no choice."""
    if isinstance(value, ir.Apply) and value.operation in CHOICES:
        condition, then, orelse = value.operands
        return (*_under(condition, of_value(then)), *of_value(orelse))
    return (Case(None, value),)


def _under(condition: ir.Expr, cases: Cases) -> Cases:
    """The cases with an additional condition."""
    made = []
    for case in cases:
        both = condition
        if case.condition is not None:
            both = ir.Apply(BOTH, (condition, case.condition), BOOL)
        made.append(Case(both, case.value))
    return tuple(made)


def of_branches(body: Sequence[ir.Stmt], otherwise: Cases | None) -> tuple[ir.Place | None, Cases] | None:
    """The cases of statements that assign one place, or return one value, on every path.

    `otherwise` are the cases of paths that do neither; None if there must be none. Returns the place (None
    for a returned value) and the cases; None for other statements.
    """
    values: dict[str, ir.Expr] = {}
    for statement in body[:-1]:
        if not isinstance(statement, ir.Let) or not surely_pure(statement.value):
            return None
        value = substituted(statement.value, values)
        if weight(value) > LIGHT and uses(statement.target.name, tuple(body)) > 2:
            return None  # its name is used twice
        values[statement.target.name] = value
    if not body:
        return None
    found = _of_last(body[-1], otherwise)
    if found is None:
        return None
    place, cases = found
    return place, tuple(_with(case, values) for case in cases)


def _with(case: Case, values: Mapping[str, ir.Expr]) -> Case:
    condition = case.condition if case.condition is None else substituted(case.condition, values)
    return Case(condition, substituted(case.value, values))


def _of_last(statement: ir.Stmt, otherwise: Cases | None) -> tuple[ir.Place | None, Cases] | None:
    if isinstance(statement, ir.Assign):
        return (statement.target, of_value(statement.value)) if surely_pure(statement.value) else None
    if isinstance(statement, ir.Return) and len(statement.values) == 1 and surely_pure(statement.values[0]):
        return None, of_value(statement.values[0])
    if not isinstance(statement, ir.If) or not surely_pure(statement.condition):
        return None
    then = of_branches(statement.then, otherwise)
    orelse = of_branches(statement.orelse, otherwise) if statement.orelse else None
    if then is None or (statement.orelse and orelse is None):
        return None
    place, cases = then
    if orelse is not None:
        if orelse[0] != place:
            return None
        return place, (*_under(statement.condition, cases), *orelse[1])
    return (place, (*_under(statement.condition, cases), *otherwise)) if otherwise else None


def cases_of_local(variable: ir.Let | ir.Variable, branch: ir.If) -> Cases | None:
    """The cases of a local that a branch right behind its definition assigns; None for other statements."""
    name = variable.target.name
    if not surely_pure(variable.value):
        return None
    found = of_branches((branch,), of_value(variable.value))
    if found is None or found[0] != variable.target:
        return None
    cases = found[1]
    if not any(uses(name, (case.condition, case.value)) for case in cases):
        return cases
    if not is_trivial(variable.value):
        return None
    return tuple(_with(case, {name: variable.value}) for case in cases)


def nested(body: Sequence[ir.Stmt]) -> Sequence[ir.Stmt]:
    """A body in which the statements after a branch that returns are its other branch."""
    for place, statement in enumerate(body[:-1]):
        if isinstance(statement, ir.If) and not statement.orelse and _returns(statement.then):
            joined = replace(statement, orelse=tuple(nested(body[place + 1 :])))
            return (*body[:place], joined)
    return body


def _returns(body: Sequence[ir.Stmt]) -> bool:
    """Whether the last statement, if there is any, is a return."""
    return bool(body) and isinstance(body[-1], ir.Return)


def returned(body: Sequence[ir.Stmt]) -> Cases | None:
    """The cases of the result of a function that only returns: guards with returns, and a value."""
    if len(body) == 1 and isinstance(body[0], ir.Return) and len(body[0].values) == 1:
        return of_value(body[0].values[0])
    found = of_branches(nested(body), None)
    if found is None or found[0] is not None:
        return None
    return found[1]


# ---- in words


def describe(formulas: Formulas, lead: str, sign: str, cases: Cases) -> Step:
    """``Let x = ...`` of a value: in one sentence, or as a list if cases are many or long."""
    text = formulas.given if sign == "=" else formulas.text
    texts = [
        (None if case.condition is None else formulas.condition(case.condition), text(case.value))
        for case in cases
    ]
    while len(texts) > 1 and texts[-2][1] == texts[-1][1]:
        del texts[-2]
    if len(texts) == 1:
        return Step(f"{lead} {sign} {texts[0][1]}.")
    short = len(texts) == 2 and sum(len(text or "") for pair in texts for text in pair) <= SHORT
    if short and not any(chooses((case.condition, case.value)) for case in cases):
        (condition, then), (_, orelse) = texts
        return Step(f"{lead} {sign} {then} if {condition}, otherwise {orelse}.")
    return Step(f"{lead} {sign}", cases=tuple(listed_cases(texts)))


def listed_cases(texts: Sequence[tuple[str | None, str]]) -> list[str]:
    lines = []
    for number, (condition, value) in enumerate(texts):
        if condition is None:
            lines.append(f"otherwise: {value}")
        else:
            lines.append(f"{'else ' if number else ''}if {condition}: {value}")
    return lines
