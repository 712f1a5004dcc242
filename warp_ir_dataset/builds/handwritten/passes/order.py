"""Tells whether the iterations of a loop may run in any order with bitwise equal results."""

from __future__ import annotations

import numpy as np
from typing_extensions import assert_never

from ....language.analysis.effects import ANY, Effects
from ....language.operations.table import TABLE
from ....language.program import (
    Accumulate,
    Apply,
    Assert,
    Assign,
    Break,
    Comment,
    Continue,
    Do,
    Expr,
    For,
    If,
    Let,
    Load,
    Name,
    Pass,
    Print,
    Return,
    Stmt,
    ThreadIndex,
    Unpack,
    Variable,
    While,
)
from ....language.rewrite import names_in
from ....language.walks import defined, element, reads, root, statements

# Operators that may be mixed.
_SUMS = ({"+", "-"}, {"*"}, {"&"}, {"|"}, {"^"}, {np.add, np.subtract}, {np.minimum}, {np.maximum}, {"="})
_EXACT = (np.minimum, np.maximum)  # of floats too


def any_order(loop: For, effects: Effects) -> bool:
    """Whether iterations only add up whole numbers, store to elements of their own, and do exact atomics.

    What is so written may be read nowhere in the loop.
    """
    inner = tuple(statements(loop.body))
    own = {name.name for statement in inner for name in defined(statement)}
    written: dict[str, set[object]] = {}
    evaluated: list[Expr] = [loop.start, loop.stop]
    for statement in inner:
        if isinstance(statement, Assign | Accumulate) and (root(statement.target) or "") in own:
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


def _written(statement: Stmt, loop: For, effects: Effects) -> tuple[str, object, tuple[Expr, ...]] | None:
    """What a statement writes that outlives an iteration, by which operator, and what it evaluates; None for
    one that depends on the order."""
    match statement:
        case Accumulate(target, operator) if element(target) is None and target.type.is_integer:
            return root(target) or "", operator, reads(statement)
        case Assign(Load(Name(array), index)) if array in effects.roles and loop.target in index:
            return array, "=", reads(statement)
        case Do(Apply(operation, (Name(array), *rest), type)) if array in effects.roles:
            commutes = TABLE[operation].commutes
            exact = commutes is not None and (type.is_integer or commutes in _EXACT)
            return (array, commutes, tuple(rest)) if exact else None
        case Let() | Variable() | If() | For():
            return "", "", reads(statement)
        case Comment() | Pass() | Continue():
            return "", "", ()
        case Assign() | Accumulate() | Do() | Unpack() | ThreadIndex() | Print() | Assert():
            return None
        case While() | Break() | Return():
            return None
        case _:
            assert_never(statement)
