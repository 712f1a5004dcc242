"""Which loops Warp unrolls, and how much code a program becomes.

Warp repeats the body of a loop whose bounds are literals once per iteration, up to 16 of them, and the
adjoint repeats all of it backwards. Two small loops around a long expression can make half a megabyte of
CUDA C++.
"""

from __future__ import annotations

from ..program import Apply, Break, Call, For, If, Literal, Load, Program, Stmt, While, statements, walk

MAX_UNROLL = 16


def is_dynamic(loop: For | While) -> bool:
    """Whether Warp keeps the loop as one instead of unrolling it."""
    if isinstance(loop, While):
        return True
    bounded = isinstance(loop.start, Literal) and isinstance(loop.stop, Literal) and loop.trips <= MAX_UNROLL
    return not bounded or any(isinstance(node, Break) for node in statements(loop.body))


def generated_size(program: Program) -> int:
    """Operations, loads, calls and literals after unrolling. The CUDA text has some 360 characters for each,
    forward and adjoint together."""
    return _size(program.body) + sum(_size(function.body) for function in program.functions)


def _size(body: tuple[Stmt, ...]) -> int:
    size = 0
    for statement in body:
        match statement:
            case If(condition, then, orelse):
                size += _nodes(condition) + _size(then) + _size(orelse)
            case For():
                size += _size(statement.body) * (1 if is_dynamic(statement) else statement.trips)
            case While(condition, _, inner):
                size += _nodes(condition) + _size(inner)
            case _:
                size += _nodes(statement)
    return size


def _nodes(node: object) -> int:
    return sum(isinstance(part, (Apply, Load, Call, Literal)) for part in walk(node))
