"""Styles a program: writes it in one of several equal ways, about as often as people choose each.

The shares in this module are style priors. Warp asks for subscripts in annotations since 1.12, and 87 % of
the kernels in its examples have them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from ..common.rng import Rng
from ..language import ir
from ..language.operations.traits import NOT, OPPOSITE
from ..language.passes.branches import negated
from ..language.passes.table import PASSES, normalized
from ..language.python.write import write
from ..language.rewrite import Body, map_bodies, map_expressions, map_statements, names_in, names_of
from ..language.types import SCALARS, Scalar
from ..language.walks import statements, walk
from .sample import Sample

SUBSCRIPTS = 0.87  # `wp.array[float]`, not `wp.array(dtype=float)`

# ---- random programs

FULL_NAMES = 0.15  # `wp.float32`, not `float`
AUGMENTED = 0.5  # `a[i] += x`, not `wp.atomic_add(a, i, x)`

# Passes, and how often each is made if it can be. None of these needs a proof, moves a rounding or drops a
# name.
PASS_PRIORS = (
    ("make a method", 0.9),
    ("name all components", 0.6),
    ("chain comparisons", 0.4),
    ("change power syntax", 0.5),
    ("add full slices", 0.4),
    ("augment", 0.8),
    ("return early", 0.3),
    ("name a constant", 0.2),
    ("enclose a constant", 0.15),
    ("evaluate constants early", 0.1),
    ("leave types open", 0.13),
)
_OPERATORS = {"atomic_add": "+", "atomic_sub": "-"}


def style_random_program(sample: Sample, rng: Rng) -> Sample:
    """The same random program in a style that `rng` chooses."""
    program = sample.program
    if rng.chance(AUGMENTED):
        program = replace(program, body=map_statements(program.body, _augmented))
    for name, share in PASS_PRIORS:
        if rng.chance(share) and (variants := list(PASSES[name].variants(program))):
            program = rng.pick(variants)
    subscripts = rng.chance(SUBSCRIPTS)
    full_names = rng.chance(FULL_NAMES) and _has_builtin_types(program)
    return replace(sample, program=replace(program, style=ir.Style(subscripts, full_names)))


def _augmented(statement: ir.Stmt) -> Iterable[ir.Stmt]:
    """An atomic sum whose old value is unused as ``a[i] += x``."""
    match statement:
        case ir.Do(ir.Apply(operation, (array, *index, value))) if operation in _OPERATORS:
            yield ir.Accumulate(ir.Load(array, tuple(index), value.type), _OPERATORS[operation], value)
        case _:
            yield statement


def _has_builtin_types(program: ir.Program) -> bool:
    """Whether an argument has a type with a Python name: `float` for `wp.float32`."""
    types = (argument.type for argument in program.arguments)
    return any(isinstance(type, Scalar) and SCALARS[type.scalar].python for type in types)


# ---- programs of templates

TEMPLATE_FULL_NAMES = 0.12
WIDTH = 100  # no pass makes a longer line

# Passes that are made wherever they can be, as people who write `+=` write it throughout a kernel.
THROUGHOUT = (
    ("augment", 0.35),
    ("expand augmented assignment", 0.15),
)
# Passes that are made at one place; those of `EVERYWHERE` at the first few.
TEMPLATE_PASS_PRIORS = (
    ("make a method", 0.8),
    ("inline", 0.3),
    ("extract a function", 0.06),
    ("swap branches", 0.12),
    ("ternary or where", 0.2),
    ("choice to branch", 0.15),
    ("return early", 0.15),
    ("guard", 0.15),
    ("for to while", 0.03),
    ("condition to break", 0.3),
    ("add full slices", 0.45),
    ("chain comparisons", 0.85),
    ("change power syntax", 0.4),
    ("name all components", 0.35),
    ("enclose a constant", 0.06),
    ("pack arguments", 0.06),
    ("widen floats", 0.12),
    ("evaluate constants early", 0.06),
    ("leave types open", 0.12),
)
EVERYWHERE, PLACES = ("chain comparisons",), 4


def style_template_program(program: ir.Program, rng: Rng) -> ir.Program:
    """The same program of a template in a style that `rng` chooses."""
    for name, share in THROUGHOUT:
        if rng.chance(share):
            while (other := next(PASSES[name].variants(program), None)) is not None:
                program = other
    program = normalized(program)
    widest = max(WIDTH, width(program))
    for name, share in TEMPLATE_PASS_PRIORS:
        for _ in range((PLACES if name in EVERYWHERE else 1) * rng.chance(share)):
            other = PASSES[name](program, rng)
            if other is None:
                break
            wide = width(other)
            if wide <= widest and not (name == "inline" and _reads_worse(program, other)):
                program, widest = other, max(WIDTH, wide)
    program = map_bodies(program, lambda body: map_expressions(body, _without_negation))
    return normalized(
        replace(program, style=ir.Style(rng.chance(SUBSCRIPTS), rng.chance(TEMPLATE_FULL_NAMES)))
    )


def width(program: ir.Program) -> int:
    """The length of the longest line of a program."""
    return max(map(len, write(program).split("\n")))


def _without_negation(node: ir.Expr) -> ir.Expr:
    """``not a > b`` as ``a <= b``, which differs for NaN, but kernels have finite numbers only."""
    match node:
        case ir.Apply(operation, (ir.Apply() as condition,)) if (
            operation == NOT and condition.operation in OPPOSITE
        ):
            return negated(condition, finite=True)
    return node


def _reads_worse(program: ir.Program, inlined: ir.Program) -> bool:
    """Whether inlining a local makes a program harder to read.

    It does if the local named a number, has a comment, was computed outside of a loop that uses it, goes
    together with a similar one, such as ``left`` and ``right``, or if a minus now stands in the middle of a
    sum.
    """
    gone = names_of(program) - names_of(inlined)
    for body in program.bodies:
        alike = Counter(_shape(s) for s in statements(body) if isinstance(s, ir.Let))
        for above, let in pairwise((ir.Pass(), *statements(body))):
            if not isinstance(let, ir.Let) or let.target.name not in gone:
                continue
            remarked = isinstance(above, ir.Comment) and not above.beside
            similar = alike[_shape(let)] > 1
            if remarked or similar or isinstance(let.value, ir.Literal) or _is_minus(let.value):
                return True
            if isinstance(let.value, ir.Apply | ir.Call) and _in_a_loop(body, let):
                return True
    return False


def _in_a_loop(body: Body, let: ir.Let) -> bool:
    """Whether a loop uses a local from outside of it."""
    loops = (s for s in statements(body) if isinstance(s, ir.For | ir.While))
    return any(let not in statements(loop.body) and let.target.name in names_in(loop.body) for loop in loops)


def _is_minus(value: ir.Expr) -> bool:
    """Whether the text of a value begins with a minus."""
    while isinstance(value, ir.Apply) and value.operation in ("mul", "div"):
        value = value.operands[0]
    return isinstance(value, ir.Apply) and value.operation == "neg"


def _shape(let: ir.Let) -> tuple[object, ...]:
    """The structure of a local's value, without its numbers and locals."""
    nodes = tuple(walk(let.value))
    arrays = tuple(node.array for node in nodes if isinstance(node, ir.Load))
    functions = tuple(node.function for node in nodes if isinstance(node, ir.Call))
    return (let.target.type, arrays, functions, *(type(node) for node in nodes))
