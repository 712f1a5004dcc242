"""Predicts which loops Warp unrolls, and how much code a program becomes.

Warp repeats the body of a loop whose bounds are literals once per iteration, up to 16 of them, and the
adjoint repeats all of it backwards. Two small loops around a long expression can make half a megabyte of
CUDA C++.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..program import (
    Apply,
    Assign,
    Break,
    Call,
    Chain,
    Component,
    Do,
    Expr,
    For,
    Literal,
    Load,
    Program,
    Stmt,
    While,
)
from ..walks import blocks, indices, reads, statements, walk

MAX_UNROLL = 16


def literal_trips(loop: For) -> int | None:
    """How often a loop runs whose bounds are literals; None for any other."""
    if isinstance(loop.start, Literal) and isinstance(loop.stop, Literal):
        return len(range(int(loop.start.value), int(loop.stop.value), loop.step))
    return None


def is_dynamic(loop: For | While, max_unroll: int = MAX_UNROLL) -> bool:
    """Whether Warp keeps the loop as one instead of unrolling it."""
    trips = literal_trips(loop) if isinstance(loop, For) else None
    left = any(isinstance(node, Break) for node in statements(loop.body))
    return trips is None or trips > max_unroll or left


def generated_size(program: Program) -> int:
    """Operations, chains, loads, calls and literals after unrolling.

    The CUDA text has some 360 characters for each, forward and adjoint together.
    """
    return sum(map(size_of, program.bodies))


def size_of(body: Iterable[Stmt]) -> int:
    """The same of some statements."""
    size = 0
    for statement in body:
        inner = sum(map(size_of, blocks(statement)))
        if isinstance(statement, For):
            # The bounds of a loop are not counted: an unrolled one has none.
            size += inner * (1 if is_dynamic(statement) else literal_trips(statement) or 0)
        else:
            size += inner + _nodes(_evaluated(statement))
    return size


def _evaluated(statement: Stmt) -> tuple[Expr, ...]:
    """What a statement computes before it does what it does."""
    match statement:
        case Do(Apply(_, operands)):
            return operands
        case Assign(Component() as place, value):
            return (*(i for i in indices(place) if not isinstance(i, Literal)), value)
        case _:
            return reads(statement)


def _nodes(node: object) -> int:
    return sum(isinstance(part, (Apply, Chain, Load, Call, Literal)) for part in walk(node))
