"""Predicts which loops Warp unrolls, and how much code it generates from a program.

Warp repeats the body of a loop whose bounds are literals once per iteration, up to 16 of them, and the
adjoint repeats all of it backwards. Two small loops around a long expression can make half a megabyte of
CUDA C++.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import ir
from ..walks import blocks, indices, reads, statements, walk

MAX_UNROLL = 16


def literal_trips(loop: ir.For) -> int | None:
    """The number of iterations of a loop with literal bounds; None for others."""
    if isinstance(loop.start, ir.Literal) and isinstance(loop.stop, ir.Literal):
        return len(range(int(loop.start.value), int(loop.stop.value), loop.step))
    return None


def is_dynamic(loop: ir.For | ir.While, max_unroll: int = MAX_UNROLL) -> bool:
    """Whether Warp keeps the loop as one instead of unrolling it."""
    trips = literal_trips(loop) if isinstance(loop, ir.For) else None
    left = any(isinstance(node, ir.Break) for node in statements(loop.body))
    return trips is None or trips > max_unroll or left


def generated_size(program: ir.Program) -> int:
    """Operations, chains, loads, calls and literals after unrolling.

    The CUDA text has some 360 characters for each, forward and adjoint together.
    """
    return sum(map(size_of, program.bodies))


def size_of(body: Iterable[ir.Stmt]) -> int:
    """The same for a block of statements."""
    size = 0
    for statement in body:
        inner = sum(map(size_of, blocks(statement)))
        if isinstance(statement, ir.For):
            # The bounds of a loop are not counted: an unrolled one has none.
            size += inner * (1 if is_dynamic(statement) else literal_trips(statement) or 0)
        else:
            size += inner + _nodes(_evaluated(statement))
    return size


def _evaluated(statement: ir.Stmt) -> tuple[ir.Expr, ...]:
    """The expressions that Warp generates code for in a statement."""
    match statement:
        case ir.Do(ir.Apply(_, operands)):
            return operands
        case ir.Assign(ir.Component() as place, value):
            return (*(i for i in indices(place) if not isinstance(i, ir.Literal)), value)
        case _:
            return reads(statement)


def _nodes(node: object) -> int:
    return sum(isinstance(part, (ir.Apply, ir.Chain, ir.Load, ir.Call, ir.Literal)) for part in walk(node))
