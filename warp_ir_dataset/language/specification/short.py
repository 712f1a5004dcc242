"""Tells whether one sentence describes a kernel completely and can be read in one way only."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import ir
from ..operations.spelling import Infix
from ..operations.table import TABLE
from ..types import INT
from ..walks import without_index
from .sentences import sentence, words
from .simplify import simplify_body

# Operations whose words say what they compute, of whatever types.
CLEAR = {"arithmetic", "integer", "math", "rounding", "vector", "matrix"}
# What readers take in several ways for negative numbers, for halves, or for zero.
VAGUE = re.compile(r"modulo|the sign of|nearest|fractional part")
OPENING = re.compile(r"For each ([^,`]+?)(?: of a \dD grid)?, ")
VERBS = {"add": "adds {} to", "sub": "subtracts {} from"} | {
    kind: f"takes the {kind}imum of {{}} into" for kind in ("min", "max")
}


def decides(description: str, program: ir.Program) -> bool:
    """Whether the sentence, with what the kernel looks like from outside, leaves no choice that changes an
    output: it tells the only thing that a thread does, every operand and literal of it, in words that have
    one meaning. That is so for grown programs of one or two operations, and for none with a page's sentence.
    """
    opening = OPENING.match(description)
    if opening is None or VAGUE.search(description) or program.functions or program.structs:
        return False
    names, body = without_index(simplify_body(program, program.body))
    threads = tuple(name.name for name in names)
    clause = _clause(program, threads, body[0]) if len(body) == 1 and threads else None
    return clause is not None and sentence(opening[1], len(threads), [clause]) == description


def _clause(program: ir.Program, threads: tuple[str, ...], statement: ir.Stmt) -> str | None:
    """What a statement does, as families tell it; None for what they leave out some of."""
    if isinstance(statement, ir.Assign):
        place, value = statement.target, statement.value
        if isinstance(place, ir.Load) and _own(place, threads) and _clear(value, threads):
            return f"stores {words(value)} in {words(place)}"
        return None
    shared = _shared(statement)
    if shared is None or shared.kind not in VERBS or not _clear(shared.value, threads):
        return None
    where = _where(program, shared, threads)
    done = VERBS[shared.kind].format(words(shared.value))
    return where and f"{done} {where.format(f' of `{shared.array}`')}"


@dataclass(frozen=True)
class _Shared:
    """A change of an element that threads share."""

    kind: str
    array: str
    index: tuple[ir.Expr, ...]
    value: ir.Expr


def _shared(statement: ir.Stmt) -> _Shared | None:
    match statement:
        case ir.Accumulate(ir.Load(ir.Name(array), index), "+" | "-" as sign, value):
            return _Shared("add" if sign == "+" else "sub", array, index, value)
        case ir.Do(ir.Apply(operation, (ir.Name(array), *index, value))):
            return _Shared(operation.removeprefix("atomic_"), array, tuple(index), value)
    return None


def _where(program: ir.Program, shared: _Shared, threads: tuple[str, ...]) -> str | None:
    """Which element that is, if words and the array's size leave one only; ``{}`` is for its name."""
    if len(shared.index) != 1:
        return None
    (index,) = shared.index
    if isinstance(index, ir.Literal):
        alone = any(a.name == shared.array and a.shape == (1,) for a in program.arguments)
        return "one total{}" if alone else None
    if isinstance(index, ir.Name) and len(threads) == 2:
        return dict(zip(threads, ("its row{}", "its column{}"), strict=True)).get(index.name)
    if isinstance(index, ir.Load):
        return f"the bin{{}} that {words(index)} names" if _own(index, threads) else None
    if isinstance(index, ir.Apply) and len(threads) == 1 and index.operands[0] == ir.Name(threads[0], INT):
        spelling, width = TABLE[index.operation].spelling, index.operands[-1]
        block = isinstance(spelling, Infix) and spelling.symbol == "//" and isinstance(width, ir.Literal)
        return f"a cell{{}} shared by {words(width)} threads" if block else None
    return None


def _own(place: ir.Load, threads: tuple[str, ...]) -> bool:
    """Whether it is the thread's own element, of an array that has one for each thread."""
    own = tuple(ir.Name(thread, INT) for thread in threads)
    return isinstance(place.array, ir.Name) and place.index == own


def _clear(value: ir.Expr, threads: tuple[str, ...]) -> bool:
    """Whether the words for a value can be read in one way: one operation, or others at the end of its
    words, as in ``the sum of `a` and the length of `b```."""
    if not isinstance(value, ir.Apply) or _silent(value):
        return _plain(value, threads)
    if TABLE[value.operation].group not in CLEAR:
        return False
    *before, last = value.operands
    if isinstance(last, ir.Apply) and not _silent(last) and not (_prefix(value) and _prefix(last)):
        return False
    return all(_plain(operand, threads) for operand in before) and _clear(last, threads)


def _plain(value: ir.Expr, threads: tuple[str, ...]) -> bool:
    """A number, a plain argument, a thread's index or its own element of an array, perhaps converted."""
    if isinstance(value, ir.Apply):
        return _silent(value) and _plain(value.operands[0], threads)
    return isinstance(value, ir.Literal | ir.Name) or (isinstance(value, ir.Load) and _own(value, threads))


def _silent(value: ir.Apply) -> bool:
    """A conversion that has no words: types say it."""
    return TABLE[value.operation].words == "{0}"


def _prefix(value: ir.Apply) -> bool:
    """Whether its words begin with its own and end with its last operand."""
    phrase = TABLE[value.operation].words
    return not phrase.startswith("{") and phrase.endswith(f"{{{len(value.operands) - 1}}}")
