"""Patterns that people rarely write, which random programs therefore avoid.

Of kernels that people wrote none nests transcendental functions, hardly any has three different ones, and
none keeps a divisor from zero by `abs(x) + c` or an argument in its domain by `sin(x) * c`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from ...common.rng import Rng
from ...language.operations.table import TABLE
from ...language.program import Apply, Expr, If, Let, Literal, Name, Program, Variable
from ...language.walks import statements, walk

# Transcendental functions; roots and interpolation are none.
CURVES = frozenset(
    row.name for row in TABLE.values() if row.group in ("math", "special", "power")
) - frozenset(("sqrt", "lerp", "smoothstep", "rint", "power"))
MOST_CURVES = 2  # different ones in a kernel
_WAVES = frozenset(("sin", "cos", "tanh"))
_KEEPS_AWAY = frozenset(("abs", "sin", "cos"))


def _repeats(operands: tuple[Expr, ...]) -> bool:
    """Whether one value is given twice where people give different ones; squares are fine."""
    told = [o for o in operands if not isinstance(o, Literal)]
    return len(operands) > 2 and len(set(told)) < len(told)


def is_curved(node: Expr) -> bool:
    """Whether a transcendental function is in it."""
    return any(isinstance(inner, Apply) and inner.operation in CURVES for inner in walk(node))


def few_curves(rng: Rng) -> dict[str, float]:
    """Weights by which all but a few transcendental functions, in turn, are never grown."""
    kept = rng.sample(sorted(CURVES), MOST_CURVES)
    return dict.fromkeys(sorted(CURVES - set(kept)), 0.0)


def unlike_people(program: Program) -> str | None:
    """What a person would hardly have written, in a few words; None where there is nothing."""
    return next(_oddities(program), None)


def _oddities(program: Program) -> Iterator[str]:
    applied = [node for node in walk(program) if isinstance(node, Apply)]
    if len({node.operation for node in applied} & CURVES) > MOST_CURVES:
        yield "many transcendental functions"
    for node in applied:
        if said := _oddity(node):
            yield said
    for body in program.bodies:
        for statement in statements(body):
            if isinstance(statement, (Let, Variable)) and isinstance(statement.value, Name):
                yield "another name for the same"
            if isinstance(statement, If) and statement.then == statement.orelse:
                yield "two arms that do the same"


def _oddity(node: Apply) -> str | None:
    """What is odd about an operation on these operands."""
    operands, second = node.operands, node.operands[-1] if node.operands else None
    if node.operation in CURVES:
        if any(map(is_curved, operands)):
            return "nested transcendental functions"
        first = operands[0]
        if isinstance(first, Apply) and first.operation == "mul" and _applies(first.operands[0], _WAVES):
            return "an argument kept in its domain by a wave"
    guards = node.operation == "div" and _applies(second, {"add"})
    if guards and any(_applies(inner, _KEEPS_AWAY) for inner in walk(second)):
        return "a divisor kept away from zero"
    if node.operation == "mul" and any(isinstance(o, Literal) and o.value == 1 for o in operands):
        return "a product with one"
    if node.operation in ("add", "sub", "neg") and _applies(second, {"neg"}):
        return "a sign that is turned twice"
    return "an operand twice" if _repeats(operands) else None


def _applies(node: object, operations: Container[str]) -> bool:
    return isinstance(node, Apply) and node.operation in operations
