"""Tells whether the iterations of a loop may run in any order with bitwise equal results."""

from __future__ import annotations

import numpy as np
from typing_extensions import assert_never

from ....language import ir
from ....language.analysis.effects import ANY, Effects
from ....language.operations.table import TABLE
from ....language.rewrite import names_in
from ....language.walks import defined, element, reads, root, statements

# Operators that may be mixed.
_SUMS = ({"+", "-"}, {"*"}, {"&"}, {"|"}, {"^"}, {np.add, np.subtract}, {np.minimum}, {np.maximum}, {"="})
_EXACT = (np.minimum, np.maximum)  # of floats too


def any_order(loop: ir.For, effects: Effects) -> bool:
    """Whether iterations only add up whole numbers, store to elements of their own, and do exact atomics.

    What is so written may be read nowhere in the loop.
    """
    inner = tuple(statements(loop.body))
    own = {name.name for statement in inner for name in defined(statement)}
    written: dict[str, set[object]] = {}
    evaluated: list[ir.Expr] = [loop.start, loop.stop]
    for statement in inner:
        if isinstance(statement, ir.Assign | ir.Accumulate) and (root(statement.target) or "") in own:
            evaluated += reads(statement)
            continue
        found = _written(statement, loop, effects)
        if found is None:
            return False
        name, operator, operands = found
        evaluated += operands
        if name:
            written.setdefault(name, set()).add(operator)
    alike = all(any(used <= kind for kind in _SUMS) for used in written.values())
    apart = not written.keys() & names_in(tuple(evaluated))
    known = not any(ANY in effects.memory(read) for read in evaluated)
    return alike and apart and known and all(map(effects.pure, evaluated))


def _written(
    statement: ir.Stmt, loop: ir.For, effects: Effects
) -> tuple[str, object, tuple[ir.Expr, ...]] | None:
    """What a statement writes that outlives an iteration, by which operator, and what it evaluates; None for
    one that depends on the order."""
    match statement:
        case ir.Accumulate(target, operator) if element(target) is None and target.type.is_integer:
            return root(target) or "", operator, reads(statement)
        case ir.Assign(ir.Load(ir.Name(array), index)) if array in effects.roles and loop.target in index:
            return array, "=", reads(statement)
        case ir.Do(ir.Apply(operation, (ir.Name(array), *rest), type)) if array in effects.roles:
            commutes = TABLE[operation].commutes
            exact = commutes is not None and (type.is_integer or commutes in _EXACT)
            return (array, commutes, tuple(rest)) if exact else None
        case ir.Let() | ir.Variable() | ir.If() | ir.For():
            return "", "", reads(statement)
        case ir.Comment() | ir.Pass() | ir.Continue():
            return "", "", ()
        case (
            ir.Assign()
            | ir.Accumulate()
            | ir.Do()
            | ir.Unpack()
            | ir.ThreadIndex()
            | ir.Print()
            | ir.Assert()
        ):
            return None
        case ir.While() | ir.Break() | ir.Return():
            return None
        case _:
            assert_never(statement)
