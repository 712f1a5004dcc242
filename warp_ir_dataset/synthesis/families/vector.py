"""Vectors of two, three and four components: products, lengths, directions, and small physics."""

from __future__ import annotations

from ...language.domains import Interval
from ...language.program import Accumulate, Assign, Expr, For, If, Literal, Variable
from ...language.specification.sentences import words
from ...language.types import INT, USUAL_FLOATS, Type, shaped
from ..blocks import (
    ZERO,
    accumulate,
    beside,
    bindings,
    branch,
    gather,
    helper,
    neighbours,
    record,
    working_type,
    zero,
)
from ..growing.adapt import adapt
from ..growing.draft import Draft
from ..growing.family import SATURATING, Family, conclude
from ..growing.repair import tame
from ..growing.terms import element_of

SHAPES = (((), (2,)), ((), (3,)), ((), (3,)), ((), (4,)), ((), (2,), (3,)))


def wide(s: Draft) -> Type:
    """The kernel's vector type."""
    return shaped(s.float.scalar, s.rng.pick([shape for shape in s.shapes if shape]))


def result(s: Draft) -> Type:
    return wide(s) if s.rng.chance(0.65) else s.float


def lengths(s: Draft) -> None:
    """Length and direction of a vector, kept apart."""
    arrow = s.bind(s.moving(wide(s), 1))
    s.let(s.apply("length", arrow))
    s.let(s.apply("normalize", arrow))
    s.tell(f"splits `{arrow.name}` into length and direction")


def limit_speed(s: Draft) -> None:
    """A vector cut to a greatest length."""
    arrow = s.combine(wide(s)) if s.pending else s.moving(wide(s), 1)
    start = tame(s, arrow)
    target = s.declare(start, s.span(start).join(Interval(0.0, 0.0)))
    speed = s.bind(s.apply("length", target))
    ceiling = s.value(s.float, Interval(0.4, 1.5))
    with s.inner() as body:
        factor = s.div(ceiling, s.upper(speed, 0.1))
        s.emit(Assign(target, s.apply("scale_right", target, s.apply("min", factor, Literal(1.0, s.float)))))
    s.emit(If(s.compare("gt", speed, ceiling), tuple(body)))
    s.publish(target)
    s.tell(f"cuts `{target.name}` to a length of `{ceiling.name}`")


def reflect(s: Draft) -> None:
    """A direction mirrored at a surface, some of its energy lost."""
    t = wide(s)
    incoming, surface = s.array(t), s.array(t, span=Interval(0.1, 2.0))
    normal = s.bind(s.apply("normalize", s.read(surface)))
    along = s.bind(s.apply("dot", s.read(incoming), normal))
    loss = s.value(s.float, Interval(0.2, 0.9))
    bounced = s.sub(s.read(incoming), s.mul(s.mul(s.add(1.0, loss), along), normal))
    if s.rng.chance(0.6):
        target = s.declare(s.read(incoming), s.span(bounced).join(incoming.domain))
        s.emit(If(s.compare(s.rng.pick(("lt", "gt")), along, 0.0), (Assign(target, bounced),)))
        s.publish(target)
    else:
        s.let(bounced)
    s.tell(f"mirrors `{incoming.name}` at `{surface.name}`")
    conclude(s, s.combine(s.rng.pick((t, t, s.float)), s.rng.integer(0, 2)))


def spring(s: Draft) -> None:
    """Spring forces from one or both neighbours of a chain, integrated one step."""
    t = wide(s)
    places, speeds = s.array(t), s.array(t)
    stiffness, rest = s.value(s.float, Interval(0.5, 2.0)), s.value(s.float, Interval(0.2, 0.8))
    total: Expr | None = None
    for offset in s.rng.pick(((1,), (-1, 1), (-1,), (-2, 1))):
        other = (*s.threads[:-1], beside(s, places, len(s.threads) - 1, offset, wrap=s.rng.chance(0.4)))
        arm = s.bind(s.sub(s.read(places, other), s.read(places)))
        distance = s.bind(s.add(s.apply("length", arm), 0.1))
        force = s.mul(s.div(s.mul(stiffness, s.sub(distance, rest)), distance), arm)
        total = force if total is None else s.add(total, force)
    assert total is not None
    push = s.bind(tame(s, total))
    dt = s.value(s.float, Interval(0.05, 0.3), s.names.claim("dt") if "dt" not in s.names.taken else None)
    kept = s.mul(s.read(speeds), s.rng.pick((0.9, 0.95, 0.98)))
    s.let(s.add(kept, s.mul(push, dt)))
    if s.rng.chance(0.4):
        s.pending.append(s.read(places))
    s.tell(f"pulls neighbouring `{places.name}` together with springs")
    conclude(s, s.combine(t, s.rng.integer(0, 1)))


def attract(s: Draft) -> None:
    """All-pairs attraction with a softened distance, as in gravity."""
    t = wide(s)
    bodies = s.rng.integer(3, 7)
    places = s.array(t)
    sources = s.array(t, index=(ZERO,), shape=(bodies,))
    weights = s.array(s.float, index=(ZERO,), shape=(bodies,), span=Interval(0.2, 2.0))
    count = s.value(INT, Interval(bodies - 2, bodies)) if s.rng.chance(0.5) else Literal(bodies, INT)
    index = s.loop_index(bodies)
    softening = s.rng.pick((0.1, 0.25, 0.5))
    with s.inner() as body:
        source = element_of(sources, (index,))
        arm = s.let(s.sub(source, s.read(places)))
        squared = s.let(s.add(s.apply("length_sq", arm), softening))
        weight = element_of(weights, (index,))
        if s.rng.chance(0.5):
            strength: Expr = s.div(weight, squared)
        else:
            strength = s.div(weight, s.mul(squared, s.apply("sqrt", squared)))
        term = tame(s, s.mul(strength, arm))
        total = s.named(
            s.names.take("accumulator"), t, Interval(s.span(term).lo * bodies, s.span(term).hi * bodies)
        )
        s.emit(Accumulate(total, "+", term))
    s.emit(Variable(total, zero(s, t)))
    s.emit(For(index, ZERO, count, 1, tuple(body)))
    s.publish(total)
    s.tell(f"sums the pull of `{sources.name}` on `{places.name}`")
    conclude(s, s.combine(s.rng.pick((t, t, s.float)), s.rng.integer(0, 2)))


def rotate_about(s: Draft) -> None:
    """Rodrigues' rotation of a vector about an axis (Rodrigues 1840)."""
    t = shaped(s.float.scalar, (3,))
    arrows, axes = s.array(t), s.array(t, span=Interval(0.1, 2.0))
    angle = s.moving(s.float, 0) if s.rng.chance(0.5) else s.value(s.float)
    turn = s.bind(tame(s, angle))
    axis = s.bind(s.apply("normalize", s.read(axes)))
    arrow = s.read(arrows)
    cosine, sine = s.bind(s.apply("cos", turn)), s.bind(s.apply("sin", turn))
    straight = s.mul(arrow, cosine)
    sideways = s.mul(s.apply("cross", axis, arrow), sine)
    lengthwise = s.mul(axis, s.mul(s.apply("dot", axis, arrow), s.sub(1.0, cosine)))
    s.let(s.add(s.add(straight, sideways), lengthwise))
    s.tell(f"rotates `{arrows.name}` about `{axes.name}`")
    conclude(s, s.combine(s.rng.pick((t, s.float)), s.rng.integer(0, 2)))


def triangle(s: Draft) -> None:
    """Area, normal or centre of triangles given by corner indices."""
    t = shaped(s.float.scalar, (3,))
    points = s.rng.integer(6, 12)
    corners = s.array(t, index=(ZERO,), shape=(points,))
    del s.element_index[corners.name]
    first, second, third = (
        s.bind(element_of(corners, (s.read(s.array(INT, span=Interval(0, points - 1))),))) for _ in range(3)
    )
    normal = s.let(s.apply("cross", s.sub(second, first), s.sub(third, first)))
    kind = s.rng.pick(("area", "height", "normal", "centre"))
    if kind == "area":
        s.let(s.mul(s.apply("length", normal), 0.5))
        s.pending.remove(normal)
    elif kind == "centre":
        s.let(s.div(s.add(s.add(first, second), third), 3.0))
    elif kind == "height":
        s.let(s.part(normal, s.rng.below(3)))
    s.tell(f"measures triangles of `{corners.name}` ({kind})")
    conclude(s, s.combine(s.rng.pick((s.float, t)), s.rng.integer(0, 2)))


def integrate(s: Draft) -> None:
    """A few explicit Euler steps of a moving point."""
    t = wide(s)
    places, speeds = s.array(t), s.array(t)
    dt = s.value(s.float, Interval(0.05, 0.2))
    place = s.declare(s.read(places), Interval(-40.0, 40.0))
    speed = s.declare(s.read(speeds), Interval(-40.0, 40.0))
    steps = s.rng.integer(2, 5)
    index = s.loop_index(steps)
    drag = s.rng.pick((0.9, 0.95, 0.8))
    with s.inner() as body:
        push = s.leaf(t)
        change = s.mul(
            s.sub(s.mul(push, s.rng.pick((0.5, 1.5, 2.0))), s.mul(place, s.rng.pick((0.2, 0.4)))), dt
        )
        slowed = s.mul(speed, drag)
        s.emit(Assign(speed, s.mul(s.add(slowed, change), 0.75)))
        s.emit(Assign(place, s.mul(s.add(place, s.mul(speed, dt)), s.rng.pick((0.75, 0.8)))))
    s.emit(For(index, ZERO, Literal(steps, INT), 1, tuple(body)))
    s.publish(place)
    if s.rng.chance(0.5):
        s.publish(speed)
    s.tell(f"moves `{places.name}` through {steps} small steps, pushed by {words(push)}")
    conclude(s, s.combine(s.rng.pick((t, t, s.float)), s.rng.integer(0, 1)))


def axis_sum(s: Draft) -> None:
    """A weighted sum of components, written out."""
    arrow = s.bind(s.moving(wide(s), 1))
    total: Expr = s.part(arrow, 0)
    for position in range(1, arrow.type.shape[0]):
        total = s.apply(
            s.rng.pick(("add", "sub")),
            total,
            s.mul(s.rng.pick((0.5, 2.0, 0.25, 1.5)), s.part(arrow, position)),
        )
    s.let(tame(s, total))
    s.tell(f"weighs the components of `{arrow.name}`")


def blend(s: Draft) -> None:
    """A vector between two others."""
    t = working_type(s)
    first, second = s.moving(t, 1), s.moving(t, 1)
    share = adapt(s, s.leaf(s.float), s.float)
    s.let(tame(s, s.add(first, s.mul(s.sub(second, first), share))))
    s.tell(f"blends {words(first)} into {words(second)}")


FAMILY = Family(
    name="vector",
    pool={**SATURATING, "vector": 3.0, "arithmetic": 1.2, "component": 0.5, "math": 0.15, "build": 0.8},
    singles={"vector": 3.0, "add": 1.5, "sub": 1.5, "neg": 1.0, "component": 0.5},
    single_types=tuple(shaped(scalar, shape) for scalar in USUAL_FLOATS for shape in ((2,), (3,), (4,), ())),
    shapes=SHAPES,
    results=result,
    menus={
        3: (
            (branch,),
            (accumulate,),
            (lengths, branch),
            (gather, branch),
            (neighbours, branch),
            (limit_speed,),
            (axis_sum, branch),
            (blend, accumulate),
        ),
        4: (
            (helper, branch),
            (record, branch),
            (helper, limit_speed),
            (lengths, record),
            (record, helper),
            (axis_sum, helper),
            (neighbours, helper),
            (bindings, record, blend),
        ),
        5: (
            (helper, branch, accumulate),
            (record, accumulate, limit_speed),
            (lengths, helper, branch),
            (gather, record, branch),
            (neighbours, helper, accumulate),
        ),
    },
    algorithms=(reflect, spring, attract, rotate_about, triangle, integrate),
    options={"max_inputs": 4, "value_share": 0.2},
)
