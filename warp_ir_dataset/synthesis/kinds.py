"""The kinds of random programs, such as "vector": for each, a predicate that its programs satisfy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..language import ir
from ..language.operations.table import TABLE
from ..language.types import Matrix, Scalar, Type, Vector
from ..language.walks import statements, walk

_ARITHMETIC = frozenset(("add", "sub", "mul", "div", "neg", "mod")) | {
    row.name for row in TABLE.values() if row.group == "integer"
}
# Powers, roots, logarithms, waves, and functions that round, but not blends of two numbers.
_FUNCTIONS = {
    row.name for row in TABLE.values() if row.group in ("math", "special", "power", "rounding")
} - frozenset(("lerp", "smoothstep"))


def _arithmetic(program: ir.Program) -> bool:
    """It adds, subtracts, multiplies, divides, takes remainders, or works on the bits of whole numbers."""
    return _applies(program, _ARITHMETIC) or any(isinstance(node, ir.Accumulate) for node in walk(program))


def _vector(program: ir.Program) -> bool:
    """An operation has a vector as operand or result. Reading a component does not count."""
    return _works_on(program, Vector)


def _matrix(program: ir.Program) -> bool:
    """An operation has a matrix as operand or result. Reading an entry does not count."""
    return _works_on(program, Matrix)


def _control_flow(program: ir.Program) -> bool:
    """It has a branch or a loop."""
    return any(isinstance(node, ir.If | ir.For | ir.While) for node in walk(program))


def _math(program: ir.Program) -> bool:
    """It calls a mathematical function."""
    return _applies(program, _FUNCTIONS)


def _atomic(program: ir.Program) -> bool:
    """It changes an element that several threads share by an atomic operation, or adds to one."""
    return any(
        TABLE[node.operation].group == "atomic"
        if isinstance(node, ir.Apply)
        else _adds_to_shared(program, node)
        for node in walk(program)
        if isinstance(node, ir.Apply | ir.Accumulate)
    )


def _nested_loop(program: ir.Program) -> bool:
    """A loop runs within a loop, also if it is in a function that the outer one calls."""
    looping: set[str] = set()
    for _ in program.functions:  # in any order: a function may be defined before those that it calls
        looping |= {each.name for each in program.functions if _loops(each.body, looping)}
    every = (statement for body in program.bodies for statement in statements(body))
    return any(isinstance(loop, ir.For | ir.While) and _loops(loop.body, looping) for loop in every)


def _multi_conditional(program: ir.Program) -> bool:
    """It has at least two conditions: `if` twice, or one with an `elif`."""
    return sum(isinstance(node, ir.If) for node in walk(program)) >= 2


def _combined(program: ir.Program) -> bool:
    """It is of at least two of these kinds: vector, matrix, math, atomic, control flow."""
    return sum(kind(program) for kind in (_vector, _matrix, _math, _atomic, _control_flow)) >= 2


def _scalar_param(program: ir.Program) -> bool:
    """It reads an argument that is one number."""
    scalars = {a.name for a in program.arguments if not a.ndim and isinstance(a.type, Scalar)}
    return any(isinstance(node, ir.Name) and node.name in scalars for node in walk(program.body))


KINDS: Mapping[str, Callable[[ir.Program], bool]] = {
    "arithmetic": _arithmetic,
    "vector": _vector,
    "matrix": _matrix,
    "control_flow": _control_flow,
    "math": _math,
    "atomic": _atomic,
    "nested_loop": _nested_loop,
    "multi_conditional": _multi_conditional,
    "combined": _combined,
    "scalar_param": _scalar_param,
}


def _applies(program: ir.Program, operations: frozenset[str] | set[str]) -> bool:
    return any(isinstance(node, ir.Apply) and node.operation in operations for node in walk(program))


def _works_on(program: ir.Program, kind: type[Type]) -> bool:
    return any(
        isinstance(node, ir.Apply)
        and TABLE[node.operation].group != "component"
        and any(isinstance(value.type, kind) for value in (node, *node.operands))
        for node in walk(program)
    )


def _adds_to_shared(program: ir.Program, statement: ir.Accumulate) -> bool:
    """Whether a statement adds to an element that several threads share: its index lacks a thread index."""
    if not isinstance(statement.target, ir.Load):
        return False
    threads = {name for each in program.body if isinstance(each, ir.ThreadIndex) for name in each.names}
    return not threads <= set(statement.target.index)


def _loops(body: tuple[ir.Stmt, ...], looping: set[str]) -> bool:
    """Whether there is a loop in a body, or in a function that it calls."""
    return any(
        isinstance(node, ir.For | ir.While) or (isinstance(node, ir.Call) and node.function in looping)
        for node in walk(body)
    )
