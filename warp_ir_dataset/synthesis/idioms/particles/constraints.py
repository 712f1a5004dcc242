"""Position based dynamics: constraints of length, bending, volume and shape, and what is done about them."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "x": "x positions predicted particle_q",
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
    SOFT = c.meaning("", ", with compliance", ", in part")
    EDGES = c.spelling(True, False)
    LENGTH, DAMP = c.meaning("their rest lengths", "one length"), c.meaning("", ", and their number")
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
            move = step / length * d
        elif SOFT == ", in part":
            move = -PART * gap / (total * length) * d
        else:
            move = -gap / (total * length) * d
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
    LIMIT = c.meaning("", ", up to a length", ", if large")
    SPEED, FIXED = c.meaning("", ", velocities too"), c.meaning("", ", unless fixed")
    OMEGA, FARTHEST, SMALL, DT = (
        c.constant(1.1, 1.9), c.constant(0.1, 0.3), c.constant(0.4, 0.7), c.constant(0.1, 0.5),
    )  # fmt: skip
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
            if count[i] == 0:
                return
            move = dx[i] / float(count[i])
        elif HOW == "an over-relaxed mean":
            move = OMEGA / float(wp.max(count[i], 1)) * dx[i]
        elif HOW == "a weighted sum":
            move = weights[i] * dx[i]
        else:
            move = dx[i]
        if LIMIT == ", up to a length":
            length = wp.length(move)
            if length > FARTHEST:
                move = FARTHEST / length * move
        elif LIMIT == ", if large":
            if wp.length_sq(move) < SMALL * SMALL:
                return
        x[i] = x[i] + move
        if SPEED:
            v[i] = v[i] + move / DT


@idiom(
    level=3,
    names=NAMES
    | {"kernel": "solve_collisions project_out", "old": "old previous x_prev", "depth": "depth gap overlap"},
)
def push_out_of_shapes(c):
    """Puts particles back {SIDE} {SHAPE}{MARGIN}{FRICTION}."""
    n = c.size()
    SHAPE = c.meaning("a sphere", "a half-space", "a capsule", "a box")
    SIDE, MARGIN = c.meaning("outside of", "inside of"), c.meaning("", " by their radius")
    FRICTION = c.meaning("", " with friction", " with no slip")
    SIZE, WIDTH, RUB = c.constant(0.6, 1.0), c.constant(0.3, 0.6), c.constant(0.1, 0.6)

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
            distance = wp.length(d) - SIZE
        elif SHAPE == "a capsule":
            # the nearest point of the axis
            along = wp.clamp(wp.dot(p - centre, normal), -SIZE, SIZE)
            d = p - centre - along * normal
            n = wp.normalize(d)
            distance = wp.length(d) - WIDTH
        else:
            d = p - centre
            n = wp.vec3(wp.sign(d[0]), 0.0, 0.0)
            distance = wp.abs(d[0]) - SIZE
            if wp.abs(d[1]) - WIDTH > distance:
                n = wp.vec3(0.0, wp.sign(d[1]), 0.0)
                distance = wp.abs(d[1]) - WIDTH
            if wp.abs(d[2]) - WIDTH > distance:
                n = wp.vec3(0.0, 0.0, wp.sign(d[2]))
                distance = wp.abs(d[2]) - WIDTH
        if SIDE == "inside of":
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


@idiom(level=3, names=NAMES | {"kernel": "update_velocities finish_step", "old": "old previous x_prev"})
def velocities_from_positions(c):
    """The velocities that corrected positions give{ORDER}{DAMP}{REST}{TOUCH}."""
    n = c.size()
    ORDER = c.meaning("", ", of second order", ", averaged")
    DAMP, REST = c.meaning("", ", damped", ", bounded"), c.meaning("", ", asleep if slow")
    TOUCH = c.meaning("", ", with friction", ", with restitution")
    DAMPING, SLOW, FAST, RUB = (
        c.constant(0.2, 0.9), c.constant(0.5, 1.2), c.constant(1.5, 3.0), c.constant(0.2, 0.8),
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
        elif ORDER == ", averaged":
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
                    u -= (along + RUB * wp.min(wp.dot(before[i], n), 0.0)) * n
        if DAMP == ", damped":
            u *= 1.0 - DAMPING * dt
        elif DAMP == ", bounded":
            speed = wp.length(u)
            if speed > FAST:
                u = FAST / speed * u
        if REST:
            if wp.length(u) < SLOW:
                x[i] = old[i]
                u = wp.vec3()
        v[i] = u


@idiom(
    level=4,
    names=NAMES | {"kernel": "project_volumes solve_cells", "i j k": "i j k | i0 i1 i2", "t": "t tid cell"},
)
def volume_constraint(c):
    """Corrections that keep {BODY} at {TARGET}{SOFT}{MASSES}{COUNT}."""
    m, n = c.size(6, 9), c.size(3, 4)
    BODY = c.meaning("the volume of tetrahedra", "the area of triangles", "the signed area of triangles")
    TARGET = c.meaning("rest", "rest or more", "inflated rest")
    SOFT = c.meaning("", ", with compliance", ", in part")
    MASSES, COUNT = c.meaning("", ", of equal mass"), c.meaning("", ", counted")
    COMPLIANCE, PART, SWELL = c.constant(0.1, 0.9), c.constant(0.3, 0.9), c.constant(1.2, 2.0)
    Vec = c.vec(2 if "signed" in BODY else 3)

    def crosswise(d: wp.vec2) -> wp.vec2:
        return wp.vec2(-d[1], d[0])

    @c.kernel(m)
    def kernel(
        x: wp.array[Vec] = given(4 * n, low=-1.0, high=1.0),
        w: wp.array[float] = given(4 * n, low=0.2, high=2.0),
        firsts: wp.array[int] = given(m, low=0, high=n - 1),
        seconds: wp.array[int] = given(m, low=n, high=2 * n - 1),
        thirds: wp.array[int] = given(m, low=2 * n, high=3 * n - 1),
        fourths: wp.array[int] = given(m, low=3 * n, high=4 * n - 1),
        rest: wp.array[float] = given(m, low=0.1, high=0.6),
        multiplier: wp.array[float] = updated(m, low=-0.3, high=0.3),
        dx: wp.array[Vec] = result(4 * n),
        count: wp.array[int] = result(4 * n),
    ):
        t = wp.tid()
        i = firsts[t]
        j = seconds[t]
        k = thirds[t]
        a = x[j] - x[i]
        b = x[k] - x[i]
        if BODY == "the volume of tetrahedra":
            m = fourths[t]
            d = x[m] - x[i]
            # each gradient is a third of the opposite face
            gj = wp.cross(b, d) / 6.0
            gk = wp.cross(d, a) / 6.0
            gm = wp.cross(a, b) / 6.0
            gi = -(gj + gk + gm)
            size = wp.dot(gj, a)
        elif BODY == "the area of triangles":
            n = wp.cross(a, b)
            size = 0.5 * wp.length(n)
            n = wp.normalize(n)
            gj = 0.5 * wp.cross(b, n)
            gk = 0.5 * wp.cross(n, a)
            gi = -(gj + gk)
        else:
            size = 0.5 * wp.dot(crosswise(a), b)
            gj = -0.5 * crosswise(b)
            gk = 0.5 * crosswise(a)
            gi = -(gj + gk)
        gap = size - SWELL * rest[t] if TARGET == "inflated rest" else size - rest[t]
        if TARGET == "rest or more":
            if gap > 0.0:
                return
        if MASSES:
            total = wp.length_sq(gi) + wp.length_sq(gj) + wp.length_sq(gk)
            if BODY == "the volume of tetrahedra":
                total += wp.length_sq(gm)
        else:
            total = w[i] * wp.length_sq(gi) + w[j] * wp.length_sq(gj) + w[k] * wp.length_sq(gk)
            if BODY == "the volume of tetrahedra":
                total += w[m] * wp.length_sq(gm)
        if SOFT == ", with compliance":
            step = -(gap + COMPLIANCE * multiplier[t]) / (total + COMPLIANCE)
            multiplier[t] += step
        elif SOFT == ", in part":
            step = -PART * gap / (total + 1.0e-3)
        else:
            step = -gap / (total + 1.0e-3)
        dx[i] += step * gi if MASSES else step * w[i] * gi
        dx[j] += step * gj if MASSES else step * w[j] * gj
        dx[k] += step * gk if MASSES else step * w[k] * gk
        if BODY == "the volume of tetrahedra":
            dx[m] += step * gm if MASSES else step * w[m] * gm
        if COUNT:
            count[i] += 1
            count[j] += 1
            count[k] += 1
            if BODY == "the volume of tetrahedra":
                count[m] += 1


@idiom(
    level=4,
    names=NAMES | {"kernel": "solve_bending project_bends", "i j k": "i j k | i0 i1 i2", "t": "t tid bend"},
)
def bending_correction(c):
    """Corrections that bring {BODY} to {REST}{SOFT}{MASSES}."""
    m, n = c.size(6, 9), c.size(3, 5)
    BODY = c.meaning("the middle of three particles", "the angle of three particles", "the angle of hinges")
    REST = c.meaning("rest", "straightness")
    SOFT, MASSES = c.meaning("", ", with compliance", ", in part"), c.meaning("", ", of equal masses")
    COMPLIANCE, PART = c.constant(0.1, 0.9), c.constant(0.2, 0.9)

    def step_of(gap: float, total: float) -> float:
        """How far to go along the gradients, for the sum of their squares."""
        if SOFT == ", with compliance":
            return -gap / (total + COMPLIANCE)
        elif SOFT == ", in part":
            return -PART * gap / (total + 1.0e-3)
        else:
            return -gap / (total + 1.0e-3)

    @c.kernel(m)
    def kernel(
        x: wp.array[wp.vec3] = given(4 * n, low=-1.0, high=1.0),
        w: wp.array[float] = given(4 * n, low=0.2, high=2.0),
        firsts: wp.array[int] = given(m, low=0, high=n - 1),
        seconds: wp.array[int] = given(m, low=n, high=2 * n - 1),
        thirds: wp.array[int] = given(m, low=2 * n, high=3 * n - 1),
        fourths: wp.array[int] = given(m, low=3 * n, high=4 * n - 1),
        rest: wp.array[float] = given(m, low=0.3, high=1.2),
        dx: wp.array[wp.vec3] = result(4 * n),
    ):
        t = wp.tid()
        i = firsts[t]
        j = seconds[t]
        k = thirds[t]
        if BODY == "the middle of three particles":
            # from the middle particle to the centroid of all three
            d = (x[i] + x[j] + x[k]) / 3.0 - x[j]
            length = wp.length(d)
            gi = d / (3.0 * length)
            gj = -2.0 * gi
            total = 2.0 / 3.0 if MASSES else (w[i] + 4.0 * w[j] + w[k]) / 9.0
            step = step_of(length - rest[t], total) if REST == "rest" else step_of(length, total)
            dx[i] += step * gi if MASSES else step * w[i] * gi
            dx[j] += step * gj if MASSES else step * w[j] * gj
            dx[k] += step * gi if MASSES else step * w[k] * gi
        elif BODY == "the angle of three particles":
            a = x[j] - x[i]
            b = x[k] - x[j]
            normal = wp.normalize(wp.cross(a, b))
            gap = wp.atan2(wp.length(wp.cross(a, b)), wp.dot(a, b))
            if REST == "rest":
                gap -= rest[t]
            gi = wp.cross(normal, a) / wp.dot(a, a)
            gk = wp.cross(normal, b) / wp.dot(b, b)
            gj = -(gi + gk)
            if MASSES:
                total = wp.dot(gi, gi) + wp.dot(gj, gj) + wp.dot(gk, gk)
            else:
                total = w[i] * wp.dot(gi, gi) + w[j] * wp.dot(gj, gj) + w[k] * wp.dot(gk, gk)
            step = step_of(gap, total)
            dx[i] += step * gi if MASSES else step * w[i] * gi
            dx[j] += step * gj if MASSES else step * w[j] * gj
            dx[k] += step * gk if MASSES else step * w[k] * gk
        else:
            m = fourths[t]
            edge = x[j] - x[i]
            n1 = wp.cross(x[k] - x[i], edge)
            n2 = wp.cross(edge, x[m] - x[i])
            length = wp.length(edge)
            # the angle is positive on the side of the first normal
            gap = wp.atan2(wp.dot(wp.cross(n1, n2), edge) / length, wp.dot(n1, n2))
            if REST == "rest":
                gap -= rest[t]
            gk = length / wp.dot(n1, n1) * n1
            gm = length / wp.dot(n2, n2) * n2
            near = wp.dot(x[k] - x[i], edge) / (length * length)
            far = wp.dot(x[m] - x[i], edge) / (length * length)
            gj = -near * gk - far * gm
            gi = (near - 1.0) * gk + (far - 1.0) * gm
            if MASSES:
                total = wp.dot(gk, gk) + wp.dot(gm, gm) + wp.dot(gi, gi) + wp.dot(gj, gj)
            else:
                total = w[k] * wp.dot(gk, gk) + w[m] * wp.dot(gm, gm)
                total += w[i] * wp.dot(gi, gi) + w[j] * wp.dot(gj, gj)
            step = step_of(gap, total)
            dx[i] += step * gi if MASSES else step * w[i] * gi
            dx[j] += step * gj if MASSES else step * w[j] * gj
            dx[k] += step * gk if MASSES else step * w[k] * gk
            dx[m] += step * gm if MASSES else step * w[m] * gm


@idiom(
    level=5,
    names=NAMES | {"kernel": "simulate_strands hair_step", "s": "s tid strand", "old": "old previous x_prev"},
)
def strand_solver(c):
    """One step of strands of {LINKS}{BEND}, {ROOT}, {OBSTACLE}."""
    strands, nodes, SWEEPS = c.size(4, 7), c.size(4, 6), c.count(2, 4)
    LINKS = c.meaning("rods solved in turn", "rods that follow their leader", "threads solved in turn")
    BEND, ROOT = c.meaning("", " that straighten"), c.meaning("held at the root", "held at both ends")
    OBSTACLE = c.meaning("about a ball", "on a floor", "in free space")
    REST, DAMPING, STIFF, SIZE = (
        c.constant(0.2, 0.5), c.constant(0.1, 0.6), c.constant(0.2, 0.9), c.constant(0.4, 0.8),
    )  # fmt: skip

    def pulled(d: wp.vec3, wanted: float) -> wp.vec3:
        """What must be taken from a distance vector to make it as long as it should be."""
        length = wp.length(d)
        if LINKS == "threads solved in turn":
            return wp.max(1.0 - wanted / length, 0.0) * d
        else:
            return (1.0 - wanted / length) * d

    @c.kernel(strands)
    def kernel(
        x: wp.array2d[wp.vec3] = updated(strands, nodes, low=-1.0, high=1.0),
        v: wp.array2d[wp.vec3] = updated(strands, nodes, low=-1.0, high=1.0),
        old: wp.array2d[wp.vec3] = updated(strands, nodes, low=-1.0, high=1.0),
        gravity: wp.vec3 = given(low=-9.0, high=9.0),
        centre: wp.vec3 = given(low=-0.3, high=0.3),
        dt: float = given(low=0.1, high=0.3),
    ):
        s = wp.tid()
        end = x.shape[1] - 1 if ROOT == "held at both ends" else x.shape[1]
        for k in range(1, end):
            u = (1.0 - DAMPING) * v[s, k] + dt * gravity
            old[s, k] = x[s, k]
            x[s, k] = x[s, k] + dt * u
        for _ in range(SWEEPS):
            for k in range(1, end):
                link = pulled(x[s, k] - x[s, k - 1], REST)
                if LINKS == "rods that follow their leader":
                    x[s, k] = x[s, k] - link
                else:
                    # the root does not yield
                    if k == 1:
                        x[s, k] = x[s, k] - link
                    else:
                        x[s, k] = x[s, k] - 0.5 * link
                        x[s, k - 1] = x[s, k - 1] + 0.5 * link
            if ROOT == "held at both ends":
                x[s, end - 1] = x[s, end - 1] - pulled(x[s, end - 1] - x[s, end], REST)
            if BEND:
                for k in range(2, end):
                    x[s, k] = x[s, k] - STIFF * pulled(x[s, k] - x[s, k - 2], 2.0 * REST)
            if OBSTACLE == "about a ball":
                for k in range(1, end):
                    d = x[s, k] - centre
                    if wp.length(d) < SIZE:
                        x[s, k] = centre + SIZE * wp.normalize(d)
            elif OBSTACLE == "on a floor":
                for k in range(1, end):
                    p = x[s, k]
                    x[s, k] = wp.vec3(p[0], wp.max(p[1], -SIZE), p[2])
        for k in range(1, end):
            v[s, k] = (x[s, k] - old[s, k]) / dt


@idiom(
    level=4,
    names=NAMES
    | {
        "kernel": "match_shapes solve_clusters",
        "g": "g tid cluster",
        "goal": "goal target aim",
        "rest_x": "rest_x material shape0",
    },
)
def shape_matching(c):
    """Pulls particles to the goals of their clusters, {SHAPE}{HOW}{WEIGHT}{COUNT}."""
    clusters, n, members = c.size(4, 6), c.size(6, 9), c.size(14, 20)
    SHAPE, WEIGHT = c.meaning("turned", "deformed linearly", "moved alone"), c.meaning("", ", by mass")
    HOW = c.meaning(" by Gram and Schmidt", " by iteration") if SHAPE == "turned" else ""
    COUNT = c.meaning("", ", and counts them", ", and returns centres")
    PULL, BLEND = c.constant(0.2, 0.9), c.constant(0.1, 0.4)

    def turned_by(a: wp.mat33) -> wp.mat33:
        """The rotation closest to a matrix."""
        if HOW == " by Gram and Schmidt":
            first = wp.normalize(wp.vec3(a[0, 0], a[1, 0], a[2, 0]))
            second = wp.vec3(a[0, 1], a[1, 1], a[2, 1])
            second = wp.normalize(second - wp.dot(second, first) * first)
            return wp.matrix_from_cols(first, second, wp.cross(first, second))
        else:
            q = wp.quat_identity()
            for _ in range(6):
                r = wp.quat_to_matrix(q)
                axis = wp.vec3()
                along = float(0.0)
                for k in range(3):
                    now = wp.vec3(r[0, k], r[1, k], r[2, k])
                    wanted = wp.vec3(a[0, k], a[1, k], a[2, k])
                    axis += wp.cross(now, wanted)
                    along += wp.dot(now, wanted)
                axis = axis / (wp.abs(along) + 0.1)
                q = wp.quat_from_axis_angle(wp.normalize(axis), wp.length(axis)) * q
            return wp.quat_to_matrix(q)

    @c.kernel(clusters)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        rest_x: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        mass: wp.array[float] = given(n, low=0.3, high=1.5),
        offsets: wp.array[int] = given(clusters + 1, low=0, high=members, trait="offsets"),
        particles: wp.array[int] = given(members, low=0, high=n - 1),
        dx: wp.array[wp.vec3] = result(n),
        count: wp.array[int] = result(n),
        centres: wp.array[wp.vec3] = result(clusters),
    ):
        g = wp.tid()
        total = float(1.0e-6)
        centre = wp.vec3()
        rest_centre = wp.vec3()
        for k in range(offsets[g], offsets[g + 1]):
            i = particles[k]
            if WEIGHT:
                total += mass[i]
                centre += mass[i] * x[i]
                rest_centre += mass[i] * rest_x[i]
            else:
                total += 1.0
                centre += x[i]
                rest_centre += rest_x[i]
        centre /= total
        rest_centre /= total
        if COUNT == ", and returns centres":
            centres[g] = centre
        if SHAPE != "moved alone":
            moment = wp.mat33()
            if SHAPE == "deformed linearly":
                spread = wp.identity(n=3, dtype=float) * BLEND
            for k in range(offsets[g], offsets[g + 1]):
                i = particles[k]
                arm = rest_x[i] - rest_centre
                moment += wp.outer(mass[i] * (x[i] - centre), arm) if WEIGHT else wp.outer(x[i] - centre, arm)
                if SHAPE == "deformed linearly":
                    spread += mass[i] * wp.outer(arm, arm) if WEIGHT else wp.outer(arm, arm)
            if SHAPE == "turned":
                rotation = turned_by(moment)
            else:
                rotation = moment * wp.inverse(spread)
        for k in range(offsets[g], offsets[g + 1]):
            i = particles[k]
            if SHAPE == "moved alone":
                goal = centre + rest_x[i] - rest_centre
            else:
                goal = centre + rotation * (rest_x[i] - rest_centre)
            dx[i] += PULL * (goal - x[i])
            if COUNT == ", and counts them":
                count[i] += 1


@idiom(
    level=4,
    names=NAMES | {"kernel": "limit_stretch clamp_strain", "i j k": "i j k | i0 i1 i2", "t": "t tid tri"},
)
def limit_strain(c):
    """Corrections that bound the {STRAIN} of triangles {RANGE}{HOW}{COUNT}."""
    m, n = c.size(6, 9), c.size(3, 5)
    STRAIN = c.meaning("stretches of two edges", "stretches along both axes", "change of area")
    RANGE, COUNT = c.meaning("on both sides", "from above"), c.meaning("", ", counted")
    HOW = c.meaning("", ", in part", ", by mass")
    LOWEST, HIGHEST, PART = c.constant(0.6, 0.9), c.constant(1.1, 1.5), c.constant(0.2, 0.8)

    def bounded(stretch: float) -> float:
        if RANGE == "from above":
            return wp.min(stretch, HIGHEST)
        else:
            return wp.clamp(stretch, LOWEST, HIGHEST)

    @c.kernel(m)
    def kernel(
        x: wp.array[wp.vec2] = given(3 * n, low=-1.0, high=1.0),
        shapes: wp.array[wp.mat22] = given(m, low=-1.0, high=1.0, trait="dominant"),
        mass: wp.array[float] = given(3 * n, low=0.2, high=2.0),
        firsts: wp.array[int] = given(m, low=0, high=n - 1),
        seconds: wp.array[int] = given(m, low=n, high=2 * n - 1),
        thirds: wp.array[int] = given(m, low=2 * n, high=3 * n - 1),
        dx: wp.array[wp.vec2] = result(3 * n),
        count: wp.array[int] = result(3 * n),
    ):
        t = wp.tid()
        i = firsts[t]
        j = seconds[t]
        k = thirds[t]
        a = x[j] - x[i]
        b = x[k] - x[i]
        if STRAIN == "stretches of two edges":
            shape = shapes[t]
            first = wp.length(a) / wp.length(wp.vec2(shape[0, 0], shape[1, 0]))
            second = wp.length(b) / wp.length(wp.vec2(shape[0, 1], shape[1, 1]))
            da = (bounded(first) / first - 1.0) * a
            db = (bounded(second) / second - 1.0) * b
        else:
            # the columns of a shape are the edges at rest
            gradient = wp.matrix_from_cols(a, b) * wp.inverse(shapes[t])
            if STRAIN == "change of area":
                ratio = wp.abs(wp.determinant(gradient)) + 1.0e-3
                scale = wp.sqrt(bounded(ratio) / ratio) - 1.0
                da = scale * a
                db = scale * b
            else:
                along = wp.vec2(gradient[0, 0], gradient[1, 0])
                across = wp.vec2(gradient[0, 1], gradient[1, 1])
                along = bounded(wp.length(along)) * wp.normalize(along)
                across = bounded(wp.length(across)) * wp.normalize(across)
                edges = wp.matrix_from_cols(along, across) * shapes[t]
                da = wp.vec2(edges[0, 0], edges[1, 0]) - a
                db = wp.vec2(edges[0, 1], edges[1, 1]) - b
        if HOW == ", in part":
            da *= PART
            db *= PART
        # the centre of mass stays where it is
        if HOW == ", by mass":
            mean = (mass[j] * da + mass[k] * db) / (mass[i] + mass[j] + mass[k])
        else:
            mean = (da + db) / 3.0
        dx[i] -= mean
        dx[j] += da - mean
        dx[k] += db - mean
        if COUNT:
            count[i] += 1
            count[j] += 1
            count[k] += 1
