"""Position based dynamics: constraints of length, bending, volume and shape, and what is done about them."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "x": "x positions particle_q",
    "v": "v velocities particle_qd vel",
    "w": "w inv_mass inverse_masses",
    "dx": "dx deltas corrections",
    "count": "count counts num_constraints",
    "rest": "rest rest_values targets",
    "multiplier": "multiplier lam lambdas",
    "gap": "gap error c",
}


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "solve_distances project_edges",
        "move": "move shift push",
        "ends": "ends edges pairs",
        "e": "e tid edge",
    },
)
def project_distances(c):
    """Corrections that keep distances {KIND} {LENGTH}{SOFT}{DAMP}."""
    edges, n = c.size(8, 12), c.size(4, 6)
    KIND = c.meaning("equal to", "at most", "at least")
    SOFT = c.meaning("", ", with compliance", ", under-relaxed")
    EDGES = c.spelling(True, False)
    LENGTH, DAMP = c.meaning("their rest lengths", "one length"), c.meaning("", ", and their counts")
    Vec = c.vec(c.meaning(3, 2))
    COMPLIANCE, PART, SIZE = c.constant(0.1, 0.9), c.constant(0.3, 0.9), c.constant(0.6, 1.1)

    @c.kernel(edges)
    def kernel(
        x: wp.array[Vec] = given(2 * n, low=-0.8, high=0.8),
        w: wp.array[float] = given(2 * n, low=0.0, high=2.0),
        firsts: wp.array[int] = given(edges, low=0, high=n - 1),
        seconds: wp.array[int] = given(edges, low=n, high=2 * n - 1),
        ends: wp.array2d[int] = given(edges, 2, low=0, high=2 * n - 1),
        rest: wp.array[float] = given(edges, low=0.5, high=1.2),
        multiplier: wp.array[float] = updated(edges, low=-0.3, high=0.3),
        dx: wp.array[Vec] = result(2 * n),
        count: wp.array[int] = result(2 * n),
    ):
        e = wp.tid()
        if EDGES:
            a = ends[e, 0]
            b = ends[e, 1]
            if a == b:
                return
        else:
            a = firsts[e]
            b = seconds[e]
        total = w[a] + w[b]
        # two fixed particles cannot be moved
        if total <= 0.0:
            return
        d = x[b] - x[a]
        length = wp.length(d)
        gap = length - SIZE if LENGTH == "one length" else length - rest[e]
        if KIND == "at most":
            if gap <= 0.0:
                return
        elif KIND == "at least":
            if gap >= 0.0:
                return
        if SOFT == ", with compliance":
            step = -(gap + COMPLIANCE * multiplier[e]) / (total + COMPLIANCE)
            multiplier[e] += step
            move = step * wp.normalize(d)
        elif SOFT == ", under-relaxed":
            move = -PART * gap / total * wp.normalize(d)
        else:
            move = -gap / total * wp.normalize(d)
        dx[a] -= w[a] * move
        dx[b] += w[b] * move
        if DAMP:
            count[a] += 1
            count[b] += 1


@idiom(level=2, names=NAMES | {"kernel": "apply_deltas average_corrections", "OMEGA": "OMEGA"})
def apply_corrections(c):
    """Moves particles by {HOW} of their corrections{LIMIT}{SPEED}{FIXED}."""
    n = c.size()
    HOW = c.meaning("the mean", "an over-relaxed mean", "the sum", "a weighted sum")
    LIMIT = c.meaning("", ", clamped in length")
    SPEED, FIXED = c.meaning("", ", and updates velocities"), c.meaning("", ", unless fixed")
    OMEGA, FARTHEST, DT = c.constant(1.1, 1.9), c.constant(0.1, 0.3), c.constant(0.1, 0.5)
    Vec = c.vec(c.meaning(3, 2))

    @c.kernel(n)
    def kernel(
        dx: wp.array[Vec] = given(n, low=-0.8, high=0.8),
        count: wp.array[int] = given(n, low=0, high=4),
        weights: wp.array[float] = given(n, low=0.1, high=1.0),
        w: wp.array[float] = given(n, low=-1.0, high=1.0),
        x: wp.array[Vec] = updated(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = updated(n, low=-1.0, high=1.0, of="velocity"),
    ):
        i = wp.tid()
        if FIXED:
            if w[i] <= 0.0:
                return
        if HOW == "the mean":
            move = dx[i] / float(wp.max(count[i], 1))
        elif HOW == "an over-relaxed mean":
            move = OMEGA / float(wp.max(count[i], 1)) * dx[i]
        elif HOW == "a weighted sum":
            move = weights[i] * dx[i]
        else:
            move = dx[i]
        if LIMIT:
            move *= wp.min(FARTHEST / (wp.length(move) + 1.0e-6), 1.0)
        x[i] = x[i] + move
        if SPEED:
            v[i] = v[i] + move / DT


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "solve_collisions project_out",
        "old": "old previous x_prev",
        "depth": "depth penetration overlap",
    },
)
def push_out_of_shapes(c):
    """Puts particles back {SIDE} {SHAPE}{MARGIN}{FRICTION}."""
    n = c.size()
    SHAPE = c.meaning("a sphere", "a half-space", "a capsule", "a box")
    SIDE, MARGIN = c.meaning("outside of", "inside of"), c.meaning("", " by their radius")
    FRICTION = c.meaning("", " with friction", " with no slip")
    EXTENT, WIDTH, RUB = c.constant(0.6, 1.0), c.constant(0.3, 0.6), c.constant(0.1, 0.6)
    c.once("ends of the domain")
    # after a step in the same kernel, where particles were before would be told twice
    c.once("motion", FRICTION)

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = updated(n, low=-1.2, high=1.2, of="position"),
        old: wp.array[wp.vec3] = given(n, low=-1.2, high=1.2),
        radius: wp.array[float] = given(n, low=0.05, high=0.3, of="radius"),
        centre: wp.vec3 = given(low=-0.3, high=0.3),
        normal: wp.vec3 = given(low=-1.0, high=1.0, trait="unit"),
    ):
        i = wp.tid()
        p = x[i]
        if SHAPE == "a half-space":
            n = normal
            distance = wp.dot(normal, p - centre)
        elif SHAPE == "a sphere":
            d = p - centre
            n = wp.normalize(d)
            distance = wp.length(d) - EXTENT
        elif SHAPE == "a capsule":
            # the nearest point of the axis
            along = wp.clamp(wp.dot(p - centre, normal), -EXTENT, EXTENT)
            d = p - centre - along * normal
            n = wp.normalize(d)
            distance = wp.length(d) - WIDTH
        elif SIDE == "inside of":
            d = p - centre
            room = wp.vec3(EXTENT, WIDTH, WIDTH)
            if MARGIN:
                room -= wp.vec3(radius[i])
            # a particle may be beyond more than one face
            over = d - wp.vec3(
                wp.clamp(d[0], -room[0], room[0]),
                wp.clamp(d[1], -room[1], room[1]),
                wp.clamp(d[2], -room[2], room[2]),
            )
            n = -wp.normalize(over)
            depth = wp.length(over)
        else:
            d = p - centre
            n = wp.vec3(wp.sign(d[0]), 0.0, 0.0)
            distance = wp.abs(d[0]) - EXTENT
            if wp.abs(d[1]) - WIDTH > distance:
                n = wp.vec3(0.0, wp.sign(d[1]), 0.0)
                distance = wp.abs(d[1]) - WIDTH
            if wp.abs(d[2]) - WIDTH > distance:
                n = wp.vec3(0.0, 0.0, wp.sign(d[2]))
                distance = wp.abs(d[2]) - WIDTH
            if MARGIN:
                if distance > 0.0:
                    # from outside, edges and corners are round
                    over = wp.vec3(
                        wp.max(wp.abs(d[0]) - EXTENT, 0.0) * wp.sign(d[0]),
                        wp.max(wp.abs(d[1]) - WIDTH, 0.0) * wp.sign(d[1]),
                        wp.max(wp.abs(d[2]) - WIDTH, 0.0) * wp.sign(d[2]),
                    )
                    n = wp.normalize(over)
                    distance = wp.length(over)
        if SIDE == "inside of":
            if SHAPE != "a box":
                n = -n
                depth = distance + radius[i] if MARGIN else distance
        else:
            depth = radius[i] - distance if MARGIN else -distance
        if depth <= 0.0:
            return
        p += depth * n
        if FRICTION:
            slip = p - old[i]
            slip -= wp.dot(slip, n) * n
            if FRICTION == " with friction":
                p -= wp.min(RUB * depth / (wp.length(slip) + 1.0e-6), 1.0) * slip
            else:
                p -= slip
        x[i] = p


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "update_velocities finish_step",
        "old": "old previous x_prev",
        "BOUNCE": "BOUNCE RESTITUTION",
    },
)
def velocities_from_positions(c):
    """The velocities that corrected positions give{ORDER}{DAMP}{REST}{TOUCH}."""
    n = c.size()
    ORDER = c.meaning("", ", of second order", ", averaged with the old ones")
    DAMP, REST = (
        c.meaning("", ", damped", ", bounded"),
        c.meaning("", ", slow particles put back and at rest"),
    )
    TOUCH = c.meaning("", ", with friction", ", with restitution")
    DAMPING, SLOW, FAST, RUB, BOUNCE = (
        c.constant(0.2, 0.9), c.constant(0.5, 1.2), c.constant(1.5, 3.0), c.constant(0.2, 0.8),
        c.constant(0.2, 0.8),
    )  # fmt: skip

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = updated(n, low=-0.5, high=0.5, of="position")
        if REST
        else given(n, low=-0.5, high=0.5, of="position"),
        old: wp.array[wp.vec3] = given(n, low=-0.5, high=0.5),
        older: wp.array[wp.vec3] = given(n, low=-0.5, high=0.5),
        before: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit", of="normal"),
        touching: wp.array[int] = given(n, low=0, high=1),
        dt: float = given(low=0.2, high=0.5),
        v: wp.array[wp.vec3] = result(n, of="velocity"),
    ):
        i = wp.tid()
        if ORDER == ", of second order":
            u = (1.5 * x[i] - 2.0 * old[i] + 0.5 * older[i]) / dt
        elif ORDER == ", averaged with the old ones":
            u = wp.lerp(before[i], (x[i] - old[i]) / dt, 0.5)
        else:
            u = (x[i] - old[i]) / dt
        if TOUCH:
            if touching[i] == 1:
                n = normals[i]
                along = wp.dot(u, n)
                if TOUCH == ", with friction":
                    u = (1.0 - RUB) * (u - along * n) + along * n
                else:
                    # what a collision took is given back in part
                    u -= (along + BOUNCE * wp.min(wp.dot(before[i], n), 0.0)) * n
        if DAMP == ", damped":
            u *= 1.0 - DAMPING * dt
        elif DAMP == ", bounded":
            u *= wp.min(FAST / (wp.length(u) + 1.0e-6), 1.0)
        if REST:
            if wp.length(u) < SLOW:
                # what is slow does not creep
                x[i] = old[i]
                u = wp.vec3()
        v[i] = u


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "predict apply_external_forces begin_step",
        "u": "u velocity kicked",
        "ahead": "ahead predicted guess",
        "moving": "moving free is_free",
        "dt": "dt time_step substep",
    },
)
def predicted_positions(c):
    """Predicts where particles will be under {LOAD}{DRAG}{FIXED}{STORE}."""
    n = c.size()
    LOAD = c.meaning("gravity", "forces", "gravity and forces")
    DRAG = c.meaning("", ", damped", ", with bounded steps")
    FIXED = c.meaning("", ", unless they are fixed")
    STORE = c.meaning("", ", and moves them", ", with their velocities")
    Vec = c.vec(c.meaning(3, 2))
    DAMPING, FARTHEST = c.constant(0.3, 1.5), c.constant(0.2, 0.5)

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = updated(n, low=-1.0, high=1.0)
        if STORE == ", and moves them"
        else given(n, low=-1.0, high=1.0),
        v: wp.array[Vec] = updated(n, low=-2.0, high=2.0)
        if STORE == ", with their velocities"
        else given(n, low=-2.0, high=2.0),
        w: wp.array[float] = given(n, low=0.2, high=2.0),
        f: wp.array[Vec] = given(n, low=-4.0, high=4.0),
        pinned: wp.array[int] = given(n, low=0, high=1),
        gravity: Vec = given(low=-9.0, high=9.0),
        dt: float = given(low=0.1, high=0.3),
        ahead: wp.array[Vec] = result(n),
        old: wp.array[Vec] = result(n),
    ):
        i = wp.tid()
        if LOAD == "gravity":
            u = v[i] + dt * gravity
        elif LOAD == "forces":
            u = v[i] + dt * w[i] * f[i]
        else:
            u = v[i] + dt * (gravity + w[i] * f[i])
        if DRAG == ", damped":
            u *= wp.exp(-DAMPING * dt)
        if FIXED:
            # what is pinned stays where it is
            u *= float(1 - pinned[i])
        step = dt * u
        if DRAG == ", with bounded steps":
            step *= wp.min(FARTHEST / (wp.length(step) + 1.0e-6), 1.0)
        if STORE == ", and moves them":
            old[i] = x[i]
            x[i] = x[i] + step
        elif STORE == ", with their velocities":
            v[i] = u
            ahead[i] = x[i] + step
        else:
            ahead[i] = x[i] + step
