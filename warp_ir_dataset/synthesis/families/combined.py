"""Several things at once: vectors with branches, matrices in loops, structs in functions, shared sums."""

from __future__ import annotations

from ...language.types import INT, USUAL_FLOATS, Type, shaped
from ..blocks import (
    accumulate,
    bindings,
    branch,
    double_loop,
    fold,
    gather,
    helper,
    neighbours,
    record,
    search,
    shrink_until,
    working_type,
)
from ..growing.draft import Draft
from ..growing.family import SATURATING, Family
from . import atomic, control_flow, math, matrix, multi_conditional, nested_loop, vector

SHAPES = (((), (3,)), ((), (2,)), ((), (3,), (3, 3)), ((), (2,), (2, 2)), ((), (4,)))


def both_results(s: Draft) -> None:
    """A shared sum beside the thread's own result."""
    atomic.update(s, s.moving(s.float, s.rng.integer(1, 2)))


def with_vectors(s: Draft) -> None:
    """Vector work, where the kernel has vectors."""
    if any(len(shape) == 1 for shape in s.shapes):
        s.rng.pick((vector.lengths, vector.limit_speed, vector.axis_sum, vector.blend))(s)
    else:
        bindings(s)


def with_matrices(s: Draft) -> None:
    """Matrix work, where the kernel has square matrices."""
    if any(len(shape) == 2 for shape in s.shapes):
        s.rng.pick((matrix.symmetric_part, matrix.invert, matrix.congruence))(s)
    else:
        with_vectors(s)


def decisions(s: Draft) -> None:
    s.rng.pick(
        (
            multi_conditional.piecewise,
            multi_conditional.quadrants,
            multi_conditional.flags,
            multi_conditional.cases,
            branch,
        )
    )(s)


def loops(s: Draft) -> None:
    s.rng.pick(
        (accumulate, fold, double_loop, control_flow.counter, control_flow.phases, control_flow.skipping_loop)
    )(s)


def result(s: Draft) -> Type:
    return s.rng.weighted([(working_type(s), 3.0), (s.float, 2.0), (INT, 0.5)])


FAMILY = Family(
    name="combined",
    pool={
        **SATURATING,
        "arithmetic": 2.0,
        "vector": 1.2,
        "matrix": 0.5,
        "math": 0.8,
        "component": 0.5,
        "choice": 0.3,
        "integer": 0.2,
        "rounding": 0.1,
    },
    singles={
        "arithmetic": 1.0,
        "vector": 1.0,
        "matrix": 1.0,
        "math": 1.0,
        "choice": 0.5,
        "component": 0.5,
        "integer": 0.5,
    },
    single_types=(
        *(
            shaped(scalar, shape)
            for scalar in USUAL_FLOATS
            for shape in ((), (2,), (3,), (4,), (2, 2), (3, 3))
        ),
        INT,
    ),
    shapes=SHAPES,
    results=result,
    menus={
        3: (
            (with_vectors, decisions),
            (with_matrices, loops),
            (gather, decisions),
            (neighbours, loops),
            (with_vectors, loops),
            (loops, bindings),
            (both_results, decisions),
        ),
        4: (
            (helper, with_vectors, decisions),
            (record, loops),
            (helper, loops, with_matrices),
            (record, decisions, with_vectors),
            (gather, helper, decisions),
            (search, helper, bindings),
            (both_results, helper, decisions),
        ),
        5: (
            (helper, loops, decisions),
            (record, with_matrices, loops, decisions),
            (gather, record, helper, branch),
            (neighbours, helper, loops, with_vectors),
            (shrink_until, record, with_vectors),
            (both_results, helper, loops),
        ),
    },
    algorithms=(
        vector.attract,
        vector.integrate,
        math.mixture,
        nested_loop.relaxation,
        matrix.power_iteration,
        atomic.scatter,
        multi_conditional.exits,
        control_flow.sorting_network,
    ),
    options={"max_inputs": 5},
)
