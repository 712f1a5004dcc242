"""Describes typed trees in plain English: an expression in words, a whole kernel in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import assert_never

from .. import ir
from ..operations.table import TABLE
from ..walks import walk
from .formulas.parts import article, listed

SPELL_OUT = 3  # expressions of up to this many operations are told in full
MAX_NAMED = 4


def words(node: ir.Expr) -> str:
    """What an expression is: told in full when it is short, by what is in it otherwise."""
    applied = [n for n in walk(node) if isinstance(n, ir.Apply) and not TABLE[n.operation].converts]
    if len(applied) <= SPELL_OUT:
        return _told(node)
    sources = list(dict.fromkeys(name for n in walk(node) if (name := _source(n))))
    named = listed([f"`{name}`" for name in sources[:MAX_NAMED]]) if sources else "its thread index"
    return f"a value made of {named}"


def _source(node: object) -> str | None:
    return node.name if isinstance(node, ir.Name) and not node.name.startswith("_") else None


def _told(node: ir.Expr) -> str:
    match node:
        case ir.Literal(value):
            return str(value)
        case ir.Name(name):
            return f"`{name}`"
        case ir.Load(array):
            return _told(array)
        case ir.View(array):
            return f"a part of {_told(array)}"
        case ir.Shape(array, axis):
            return f"the size of {_told(array)}" + (f" in dimension {axis}" if axis else "")
        case ir.Member(of, member):
            return f"the {member} of {_told(of)}"
        case ir.New(type, operands):
            return f"{article(type.name)} `{type.name}`{_of(operands)}"
        case ir.Chain(comparisons, operands):
            pairs = zip(comparisons, operands, operands[1:], strict=False)
            return listed([TABLE[name].words.format(_told(a), _told(b)) for name, a, b in pairs])
        case ir.Call(function, operands):
            return f"`{function}`{_of(operands)}"
        case ir.Apply(operation, operands):
            told = [_told(operand) for operand in operands]
            phrase = TABLE[operation].words
            return phrase.format(listed(told)) if "{}" in phrase else phrase.format(*told)
        case _:
            assert_never(node)


def _of(operands: Sequence[ir.Expr]) -> str:
    return f" of {listed([_told(operand) for operand in operands])}" if operands else ""


def sentence(element: str, dimensions: int, clauses: Sequence[str]) -> str:
    """``For each particle, does this, does that, and does the last.``"""
    unique = list(dict.fromkeys(clause for clause in clauses if clause))
    where = f"For each {element}" if dimensions == 1 else f"For each {element} of a {dimensions}D grid"
    body = unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])}, and {unique[-1]}"
    return f"{where}, {body}."
