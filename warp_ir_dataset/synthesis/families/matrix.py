"""Small matrices: products, transposes, determinants, inverses, and the algebra of deformation."""

from __future__ import annotations

from ...language.domains import Interval
from ...language.program import Accumulate, Assign, Expr, For, Literal, Variable
from ...language.specification.sentences import words
from ...language.types import INT, USUAL_FLOATS, Type, shaped
from ..blocks import ZERO, accumulate, bindings, branch, gather, helper, record
from ..growing.draft import Draft
from ..growing.family import SATURATING, Family, conclude
from ..growing.repair import tame
from ..growing.terms import element_of

SQUARE = (((), (2,), (2, 2)), ((), (3,), (3, 3)), ((), (4,), (4, 4)), ((), (3,), (3, 3)), ((), (2, 2)))
SHAPES = (*SQUARE, ((), (2,), (3,), (2, 3), (3, 2)))


def square(s: Draft) -> Type:
    """The kernel's square matrix type."""
    shapes = [shape for shape in s.shapes if len(shape) == 2 and shape[0] == shape[1]]
    return shaped(s.float.scalar, s.rng.pick(shapes or [(3, 3)]))


def column(t: Type) -> Type:
    return shaped(t.scalar, t.shape[:1])


def result(s: Draft) -> Type:
    wide = [shape for shape in s.shapes if shape]
    return shaped(s.float.scalar, s.rng.pick(wide)) if s.rng.chance(0.7) else s.float


def identity(s: Draft, t: Type, weight: float = 1.0) -> Expr:
    return s.apply("diag", s.apply("splat", Literal(weight, t.element), type=column(t)))


def congruence(s: Draft) -> None:
    """``A * B * transpose(A)``."""
    t = square(s)
    outer, inner = s.moving(t, 0), s.moving(t, 0)
    s.let(tame(s, s.mul(s.mul(outer, inner), s.apply("transpose", outer))))
    s.tell(f"carries {words(inner)} into the frame of {words(outer)}")


def symmetric_part(s: Draft) -> None:
    """Symmetric or skew part of a matrix."""
    source = s.bind(s.moving(square(s), 1))
    symmetric = s.rng.pick((True, False))
    name = "add" if symmetric else "sub"
    s.let(s.mul(s.apply(name, source, s.apply("transpose", source)), 0.5))
    s.tell(f"takes the {'symmetric' if symmetric else 'skew'} part of `{source.name}`")


def invert(s: Draft) -> None:
    """The inverse of a matrix made safe by a heavy diagonal, applied to something."""
    t = square(s)
    source = tame(s, s.moving(t, 0), 4.0)
    weight = float(int(t.shape[0] * s.span(source).magnitude) + s.rng.integer(1, 3))
    inverse = s.let(s.apply("inverse", s.add(source, identity(s, t, weight))))
    if s.rng.chance(0.6):
        s.pending.remove(inverse)
        s.let(s.mul(inverse, s.moving(s.rng.pick((column(t), t)), 0)))
    s.tell(f"inverts {words(source)} after strengthening its diagonal")


def strain(s: Draft) -> None:
    """Green strain of a deformation, and a linear stress."""
    t = square(s)
    gradients = s.array(t)
    pull = s.read(gradients)
    green = s.let(s.mul(s.sub(s.mul(s.apply("transpose", pull), pull), identity(s, t)), 0.5))
    stiff, soft = s.value(s.float, Interval(0.5, 2.0)), s.value(s.float, Interval(0.2, 1.0))
    if s.rng.chance(0.75):
        s.pending.remove(green)
        trace = s.bind(s.apply("trace", green))
        bulk = s.mul(identity(s, t), s.mul(stiff, trace))
        s.let(tame(s, s.add(s.mul(green, s.mul(2.0, soft)), bulk)))
    else:
        s.pending += [stiff, soft]
    s.tell(f"computes strain and stress from `{gradients.name}`")
    conclude(s, s.combine(s.rng.pick((t, s.float, column(t))), s.rng.integer(0, 2)))


def power_iteration(s: Draft) -> None:
    """A few normalised products towards the dominant eigenvector (von Mises 1929)."""
    t = square(s)
    operators, starts = s.array(t, span=Interval(0.1, 1.0)), s.array(column(t), span=Interval(0.1, 1.0))
    guess = s.declare(s.read(starts), Interval(-1.0, 1.0))
    steps = s.rng.integer(2, 4)
    index = s.loop_index(steps)
    with s.inner() as body:
        product = s.mul(s.read(operators), guess)
        if s.rng.chance(0.5):
            product = s.add(product, s.mul(guess, s.rng.pick((0.1, 0.25, 0.5))))
        s.emit(Assign(guess, s.apply("normalize", product)))
    s.emit(For(index, ZERO, Literal(steps, INT), 1, tuple(body)))
    if s.rng.chance(0.6):
        s.scope.append(guess)
        s.let(s.apply("dot", guess, s.mul(s.read(operators), guess)))
    else:
        s.publish(guess)
    s.tell(f"iterates `{operators.name}` on `{starts.name}` {steps} times")
    conclude(s, s.combine(s.rng.pick((s.float, column(t))), s.rng.integer(0, 2)))


def rotation(s: Draft) -> None:
    """A plane rotation built from an angle, used as a matrix."""
    t = shaped(s.float.scalar, (2, 2))
    angle = s.bind(tame(s, s.moving(s.float, s.rng.integer(0, 1)), 8.0))
    c, sn = s.bind(s.apply("cos", angle)), s.bind(s.apply("sin", angle))
    turn = s.bind(s.apply("build", c, s.apply("neg", sn), sn, c, type=t))
    other = s.moving(s.rng.pick((t, column(t))), 0)
    s.let(tame(s, s.mul(turn, other)))
    if s.rng.chance(0.4):
        s.pending.append(angle)
    s.tell(f"rotates {words(other)} by `{angle.name}`")
    conclude(s, s.combine(s.rng.pick((t, column(t), s.float)), s.rng.integer(0, 2)))


def dense_product(s: Draft) -> None:
    """One entry of the product of two matrices held in arrays."""
    depth = s.rng.integer(2, 6)
    row, col = s.threads[0], s.threads[-1]
    index = s.loop_index(depth)
    left = s.array(s.float, index=(row, index))
    right = s.array(s.float, index=(index, col) if s.rng.chance(0.7) else (col, index))
    count = s.value(INT, Interval(depth - 1, depth)) if s.rng.chance(0.5) else Literal(depth, INT)
    term: Expr = s.mul(s.read(left), s.read(right))
    if s.rng.chance(0.4):
        term = s.mul(term, s.value(s.float))
    if s.rng.chance(0.3):
        term = s.mul(term, s.add(s.real(index, s.float), 1.0))
    total = s.named(
        s.names.take("accumulator"),
        s.float,
        Interval(-s.span(term).magnitude * depth, s.span(term).magnitude * depth),
    )
    del s.element_index[left.name], s.element_index[right.name]
    s.emit(Variable(total, Literal(0.0, s.float)))
    s.emit(For(index, ZERO, count, 1, (Accumulate(total, "+", term),)))
    s.publish(total)
    s.tell(f"multiplies `{left.name}` with `{right.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 3)))


def polynomial(s: Draft) -> None:
    """A matrix polynomial by Horner's rule."""
    t = square(s)
    base = s.array(t, span=Interval(-1.0, 1.0))
    coefficients = [s.rng.pick((0.1, 0.25, 0.5, 1.0, 2.0, -0.5)) for _ in range(s.rng.integer(2, 4))]
    value: Expr = identity(s, t, coefficients[0])
    for coefficient in coefficients[1:]:
        value = s.bind(tame(s, s.add(s.mul(value, s.read(base)), identity(s, t, coefficient))))
    s.pending.append(value)
    s.tell(f"evaluates a polynomial of degree {len(coefficients) - 1} in `{base.name}`")
    conclude(s, s.combine(s.rng.pick((t, s.float, column(t))), s.rng.integer(0, 2)))


def inverse_step(s: Draft) -> None:
    """Newton-Schulz refinement of an approximate inverse (Schulz 1933)."""
    t = square(s)
    operators = s.array(t, span=Interval(-0.3, 0.3))
    close = s.bind(s.add(s.read(operators), identity(s, t)))
    guess: Expr = s.bind(s.sub(identity(s, t, 2.0), close))
    for _ in range(s.rng.integer(1, 2)):
        guess = s.let(tame(s, s.mul(guess, s.sub(identity(s, t, 2.0), s.mul(close, guess)))))
    s.tell(f"refines an inverse of `{operators.name}`")
    conclude(s, s.combine(s.rng.pick((t, s.float, column(t))), s.rng.integer(0, 2)))


def transform_points(s: Draft) -> None:
    """Points of a table, chosen by an index, through a matrix and an offset."""
    t = square(s)
    points = s.rng.integer(4, 9)
    table = s.array(column(t), index=(ZERO,), shape=(points,))
    del s.element_index[table.name]
    chosen = element_of(table, (s.read(s.array(INT, span=Interval(0, points - 1))),))
    moved = s.mul(s.moving(t, 0), chosen)
    s.let(tame(s, s.add(moved, s.leaf(column(t))) if s.rng.chance(0.6) else moved))
    s.tell(f"transforms points of `{table.name}`")


def entries(s: Draft) -> None:
    """A few entries of a matrix, combined."""
    source = s.bind(s.moving(square(s), 1))
    n = source.type.shape[0]
    first, second = (s.entry(source, s.rng.below(n), s.rng.below(n)) for _ in range(2))
    s.let(tame(s, s.sub(s.mul(first, second), s.mul(s.entry(source, 0, n - 1), s.entry(source, n - 1, 0)))))
    s.tell(f"combines entries of `{source.name}`")


def projected(s: Draft) -> None:
    """A matrix applied to a vector, its first component dividing the rest."""
    t = square(s)
    image = s.bind(tame(s, s.mul(s.moving(t, 0), s.moving(column(t), 0))))
    depth = s.add(s.apply("abs", s.part(image, 0)), s.rng.pick((0.5, 1.0)))
    s.let(s.div(image, depth))
    s.tell(f"projects `{image.name}`")


FAMILY = Family(
    name="matrix",
    pool={
        **SATURATING,
        "matrix": 3.0,
        "vector": 0.6,
        "arithmetic": 1.0,
        "component": 0.5,
        "cw_mul": 0.8,
        "determinant": 1.0,
        "inverse": 0.5,
    },
    singles={
        "matrix": 3.0,
        "add": 1.0,
        "sub": 1.0,
        "neg": 0.7,
        "cw_mul": 1.0,
        "scale_left": 1.0,
        "scale_right": 1.0,
        "shrink": 0.5,
        "matrix_component": 0.5,
        "matrix_row": 0.5,
    },
    single_types=tuple(
        shaped(scalar, shape)
        for scalar in USUAL_FLOATS
        for shape in ((2, 2), (3, 3), (4, 4), (2,), (3,), (4,), (), (2, 3), (3, 2))
    ),
    shapes=SHAPES,
    results=result,
    menus={
        3: (
            (branch,),
            (accumulate,),
            (congruence, branch),
            (symmetric_part, branch),
            (invert, branch),
            (transform_points, branch),
            (entries, accumulate),
            (projected, branch),
            (gather, accumulate),
        ),
        4: (
            (helper, branch),
            (record, branch),
            (invert, helper),
            (symmetric_part, record),
            (congruence, helper),
            (transform_points, helper),
            (entries, record, branch),
            (projected, helper),
        ),
        5: (
            (helper, branch, accumulate),
            (record, invert, branch),
            (congruence, helper, accumulate),
            (transform_points, record, branch),
            (symmetric_part, helper, branch),
            (bindings, projected, helper, accumulate),
        ),
    },
    algorithms=(strain, power_iteration, rotation, dense_product, polynomial, inverse_step),
    options={"max_inputs": 3, "value_share": 0.2, "two_dimensional": 0.3},
)
