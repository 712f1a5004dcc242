"""Position based dynamics: constraints of length, bending, volume and shape, and their corrections."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

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
        "total": "total w_sum total_inv_mass",
        "group": "group group_ids layer",
    },
)
def project_distances(c):
    """{DO} the corrections that keep edges {KIND} {LENGTH}{SOFT}{FIXED}.

    Project constraints of distance, as in position based dynamics: {dx}, zero at the start, gets the sums of
    the corrections. Edge e joins the particles a = {PAIR}. With d from `{x}[a]` to `{x}[b]`, n = d / |d| and
    the gap C = |d| - {TARGET}{ONLY}, the correction of a is -m_a·s·n and that of b is m_b·s·n, where the step
    is s = {STEP}. Here W = m_a + m_b with the inverse masses m in {w}{STAYING}.{SOFTENED}{COUNTED}
    """
    edges, n = c.size(8, 12), c.size(4, 6)
    KIND = c.meaning("at", "from exceeding", "from falling below")
    SOFT = c.meaning("", ", with compliance and multipliers", ", under-relaxed")
    EDGES = c.style(True, False)
    LENGTH, DO = c.meaning("their rest lengths", "one length"), c.meaning("Adds up", "Adds up and counts")
    Vec = c.vec(c.meaning(3, 2))
    # without compliance, what moves alone moves as far whatever its mass
    STAYS = ("; the particles of group 0 stay",) if "compliance" in SOFT else ()
    FIXED = c.meaning("", *STAYS)
    COMPLIANCE, RELAXATION, REST_LENGTH = c.constant(0.1, 0.9), c.constant(0.3, 0.9), c.constant(0.6, 1.1)
    # what only pulls has a multiplier of one sign
    LOWEST = 0.0 if KIND == "from falling below" else -0.3
    HIGHEST = 0.0 if KIND == "from exceeding" else 0.3
    PAIR = "`{firsts}[e]` and b = `{seconds}[e]`"
    if EDGES:
        PAIR = "`{ends}[e, 0]` and b = `{ends}[e, 1]`; if these are the same, nothing happens"
    TARGET = "{REST_LENGTH}" if LENGTH == "one length" else "`{rest}[e]`"
    ONLY = {
        "at": "",
        "from exceeding": ", which must be positive for anything to happen",
        "from falling below": ", which must be negative for anything to happen",
    }[KIND]
    STEP = {
        "": "-C / W",
        ", with compliance and multipliers": ("-(C + {COMPLIANCE}·λ) / (W + {COMPLIANCE})"),
        ", under-relaxed": "-{RELAXATION}·C / W",
    }[SOFT]
    SOFTENED = ""
    if SOFT == ", with compliance and multipliers":
        SOFTENED = (
            " The compliance is {COMPLIANCE}, and λ is the multiplier `{multiplier}[e]`, to which s is added "
            "then."
        )
    STAYING = ""
    if FIXED:
        STAYING = (
            ", which count as 0 for particles whose {group} is 0; an edge between two of these is skipped"
        )
    COUNTED = (
        " {count} gets the number of corrections of each particle." if DO == "Adds up and counts" else ""
    )

    @c.kernel(edges)
    def kernel(
        x: wp.array[Vec] = input(2 * n, low=-0.8, high=0.8),
        w: wp.array[float] = input(2 * n, low=0.2, high=2.0),
        group: wp.array[int] = input(2 * n, low=0, high=2),
        firsts: wp.array[int] = input(edges, low=0, high=n - 1),
        seconds: wp.array[int] = input(edges, low=n, high=2 * n - 1),
        ends: wp.array2d[int] = input(edges, 2, low=0, high=2 * n - 1),
        rest: wp.array[float] = input(edges, low=0.5, high=1.2),
        multiplier: wp.array[float] = inout(edges, low=LOWEST, high=HIGHEST),
        dx: wp.array[Vec] = output(2 * n),
        count: wp.array[int] = output(2 * n),
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
        if FIXED:
            wa = wp.where(group[a] == 0, 0.0, w[a])
            wb = wp.where(group[b] == 0, 0.0, w[b])
            total = wa + wb
            # two particles that stay cannot be moved
            if total == 0.0:
                return
        else:
            wa = w[a]
            wb = w[b]
            total = wa + wb
        d = x[b] - x[a]
        length = wp.length(d)
        gap = length - REST_LENGTH if LENGTH == "one length" else length - rest[e]
        if KIND == "from exceeding":
            if gap <= 0.0:
                return
        elif KIND == "from falling below":
            if gap >= 0.0:
                return
        if SOFT == ", with compliance and multipliers":
            step = -(gap + COMPLIANCE * multiplier[e]) / (total + COMPLIANCE)
            multiplier[e] += step
            move = step * wp.normalize(d)
        elif SOFT == ", under-relaxed":
            move = -RELAXATION * gap / total * wp.normalize(d)
        else:
            move = -gap / total * wp.normalize(d)
        dx[a] -= wa * move
        dx[b] += wb * move
        if DO == "Adds up and counts":
            count[a] += 1
            count[b] += 1


@idiom(level=2, differentiable=False, names=NAMES | {"OMEGA": "OMEGA", "pinned": "pinned fixed locked"})
def apply_corrections(c):
    """Moves {WHO} by {HOW}{LIMIT}{SPEED}.

    Apply the corrections that particles have gathered. Particle i moves by M = {MOVE}.{SHORT} Add M to
    {x}{FASTER}.{FREE}
    """
    n = c.size()
    HOW = c.meaning(
        "the mean of their corrections",
        "an over-relaxed mean of their corrections",
        "the sum of their corrections",
        "their corrections, each times a weight",
    )
    LIMIT = c.meaning("", ", clamped in length")
    SPEED, WHO = c.meaning("", ", and updates their velocities"), c.meaning("particles", "unpinned particles")
    OMEGA, FARTHEST, DT = c.constant(1.1, 1.9), c.constant(0.3, 0.6), c.constant(0.1, 0.5)
    Vec = c.vec(c.meaning(3, 2))
    KERNELS = "average_corrections" if "mean" in HOW else "add_corrections"
    c.names({"kernel": f"apply_corrections apply_deltas {KERNELS}"})
    FREE = " Particles whose {pinned} is 1 stay as they are." if WHO == "unpinned particles" else ""
    MOVE = {
        "the mean of their corrections": "`{dx}[i] / max({count}[i], 1)`",
        "an over-relaxed mean of their corrections": "{OMEGA}·`{dx}[i] / max({count}[i], 1)`",
        "the sum of their corrections": "`{dx}[i]`",
        "their corrections, each times a weight": "`{weights}[i]·{dx}[i]`",
    }[HOW]
    SHORT = ""
    if LIMIT:
        SHORT = (
            " First M is multiplied by min({FARTHEST} / (|M| + 1e-6), 1), so that it is no longer than "
            "{FARTHEST}."
        )
    FASTER = ", and M divided by the time step {DT} to {v}" if SPEED else ""

    @c.kernel(n)
    def kernel(
        dx: wp.array[Vec] = input(n, low=-0.8, high=0.8),
        count: wp.array[int] = input(n, low=0, high=4),
        weights: wp.array[float] = input(n, low=0.1, high=1.0),
        pinned: wp.array[int] = input(n, low=0, high=1),
        x: wp.array[Vec] = inout(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = inout(n, low=-1.0, high=1.0, of="velocity"),
    ):
        i = wp.tid()
        if WHO == "unpinned particles":
            if pinned[i] == 1:
                return
        if HOW == "the mean of their corrections":
            move = dx[i] / float(wp.max(count[i], 1))
        elif HOW == "an over-relaxed mean of their corrections":
            move = OMEGA / float(wp.max(count[i], 1)) * dx[i]
        elif HOW == "their corrections, each times a weight":
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
        "moved": "moved travelled displacement",
        "depth": "depth penetration overlap",
        "gap": "gap clearance signed_distance",
        "MU": "MU FRICTION_COEFFICIENT",
    },
)
def push_out_of_shapes(c):
    """Pushes {WHO} {WAY} {SHAPE}{FRICTION}.

    Push {WHO} {WAY} {SHAPE}, moving {x} in place. {SOLID} {DEEP} If the depth is positive, {MOVES}{SLIPS}
    """
    n = c.size()
    SHAPE = c.meaning("a sphere", "a half-space", "a capsule", "a box")
    WAY, WHO = c.meaning("out of", "back into"), c.meaning("particles", "balls")
    FRICTION = c.meaning("", ", with Coulomb friction", ", without slip")
    SPHERE_RADIUS, CAPSULE_RADIUS, MU = c.constant(0.6, 1.0), c.constant(0.4, 0.6), c.constant(0.1, 0.6)
    HALF_LENGTH, HALF_WIDTH = c.constant(0.6, 1.0), c.constant(0.4, 0.6)
    MARGIN = WHO == "balls"
    c.once("ends of the domain")
    # after a step in the same kernel, how far particles went would be told twice
    c.once("motion", FRICTION)
    if WAY == "back into":
        c.names(
            {
                "kernel": "keep_inside push_inside solve_collisions",
                "depth": "excess overshoot",
                "gap": "signed_distance sd",
            }
        )
    if SHAPE == "a half-space":
        c.names({"centre": "point on_plane base"})
    elif SHAPE == "a capsule":
        c.names({"normal": "axis direction"})
    GAP = (
        " Let g be the signed distance of a particle from its surface, negative inside, and n the unit "
        "vector away from {FROM}."
    )
    FROM = "it"
    SOLID = {
        "a sphere": "The sphere has the middle {centre} and the radius {SPHERE_RADIUS}." + GAP,
        "a half-space": (
            "The half-space is below the plane through {centre} with the unit normal n = {normal}; g = "
            "n·(p - {centre}) for a particle at p."
        ),
        "a capsule": (
            "The capsule consists of all points within {CAPSULE_RADIUS} of its axis, the segment of half "
            "length {HALF_LENGTH} about {centre} in the direction {normal}." + GAP
        ),
        "a box": "",
    }[SHAPE]
    if SHAPE == "a capsule":
        FROM = "the nearest point of the axis"
    elif SHAPE == "a sphere":
        FROM = "the middle"
    else:
        FROM = "its surface"
    INSIDE = WAY == "back into"
    DEEP = "The depth is -g."
    if MARGIN:
        DEEP = "The depth is `{radius}[i]` - g for the ball i."
    MOVES = "the particle moves by depth·n."
    if INSIDE:
        DEEP = "The depth, by which it is outside, is g."
        if MARGIN:
            DEEP = "The depth, by which the ball i is outside, is g + `{radius}[i]`."
        MOVES = "the particle moves by -depth·n."
    BOX = (
        "The box is aligned with the axes about {centre} and reaches {HALF_LENGTH} along the first of them "
        "and {HALF_WIDTH} along the others."
    )
    if SHAPE == "a box":
        SOLID = BOX
        if INSIDE:
            DEEP = (
                "Let e be the vector from the nearest point of the box{LESS} to the particle; its length is "
                "the depth."
            )
            LESS = ", made smaller by `{radius}[i]` on all sides for the ball i," if MARGIN else ""
            MOVES = "the particle moves back by e."
        else:
            SOLID = BOX + (
                " For a particle at a distance d from the middle along an axis, |d| less that reach is "
                "largest for one of the axes, the first of them on ties; that is g, and n is the "
                "direction of the axis with the sign of d (+ for 0)."
            )
            if MARGIN:
                SOLID += (
                    " But outside, with g > 0, g is the distance from the nearest point of the box and n "
                    "the direction from there."
                )
    SLIPS = ""
    if FRICTION:
        SLIPS = (
            " Then it slips less: with s for the part of {moved} across n, subtract {MUCH} from its position."
        )
        MUCH = "s" if FRICTION == ", without slip" else "min({MU}·depth / (|s| + 1e-6), 1)·s"
        if SHAPE == "a box" and INSIDE:
            SLIPS = SLIPS.replace("across n", "across e")

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = inout(n, low=-1.2, high=1.2, of="position"),
        moved: wp.array[wp.vec3] = input(n, low=-0.3, high=0.3),
        radius: wp.array[float] = input(n, low=0.05, high=0.3, of="radius"),
        centre: wp.vec3 = input(low=-0.3, high=0.3),
        normal: wp.vec3 = input(low=-1.0, high=1.0, trait="unit"),
    ):
        i = wp.tid()
        p = x[i]
        if SHAPE == "a half-space":
            gap = wp.dot(normal, p - centre)
            n = -normal if WAY == "back into" else normal
        elif SHAPE == "a sphere":
            d = p - centre
            n = -wp.normalize(d) if WAY == "back into" else wp.normalize(d)
            gap = wp.length(d) - SPHERE_RADIUS
        elif SHAPE == "a capsule":
            # the nearest point of the axis
            along = wp.clamp(wp.dot(p - centre, normal), -HALF_LENGTH, HALF_LENGTH)
            d = p - centre - along * normal
            n = -wp.normalize(d) if WAY == "back into" else wp.normalize(d)
            gap = wp.length(d) - CAPSULE_RADIUS
        elif WAY == "back into":
            d = p - centre
            room = wp.vec3(HALF_LENGTH, HALF_WIDTH, HALF_WIDTH)
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
            gap = wp.abs(d[0]) - HALF_LENGTH
            if wp.abs(d[1]) - HALF_WIDTH > gap:
                n = wp.vec3(0.0, wp.sign(d[1]), 0.0)
                gap = wp.abs(d[1]) - HALF_WIDTH
            if wp.abs(d[2]) - HALF_WIDTH > gap:
                n = wp.vec3(0.0, 0.0, wp.sign(d[2]))
                gap = wp.abs(d[2]) - HALF_WIDTH
            if MARGIN:
                if gap > 0.0:
                    # outside, the nearest point may lie on an edge or a corner
                    over = wp.vec3(
                        wp.max(wp.abs(d[0]) - HALF_LENGTH, 0.0) * wp.sign(d[0]),
                        wp.max(wp.abs(d[1]) - HALF_WIDTH, 0.0) * wp.sign(d[1]),
                        wp.max(wp.abs(d[2]) - HALF_WIDTH, 0.0) * wp.sign(d[2]),
                    )
                    n = wp.normalize(over)
                    gap = wp.length(over)
        if WAY == "back into":
            if SHAPE != "a box":
                depth = gap + radius[i] if MARGIN else gap
        else:
            depth = radius[i] - gap if MARGIN else -gap
        if depth <= 0.0:
            return
        p += depth * n
        if FRICTION:
            # the part of the motion that went along the surface
            slip = moved[i] - wp.dot(moved[i], n) * n
            if FRICTION == ", with Coulomb friction":
                p -= wp.min(MU * depth / (wp.length(slip) + 1.0e-6), 1.0) * slip
            else:
                p -= slip
        x[i] = p


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "update_velocities finish_step",
        "old": "old previous x_prev",
        "older": "older x_older two_ago",
        "before": "before v_prev old_velocities",
        "BOUNCE": "BOUNCE RESTITUTION",
        "arrival": "arrival approach vn_before",
        "FRICTION": "FRICTION SLIP_DAMPING",
        "across": "across normal_part vn",
    },
)
def velocities_from_positions(c):
    """Velocities from corrected positions by {ORDER}{TOUCH}{DAMP}{REST}.

    Find the velocities of particles after their positions were corrected, with the time step {dt}. The
    velocity is u = {DIFFERENCE}.{CONTACT}{SLOWER}{SLEEP} Store u in {v}.
    """
    n = c.size()
    ORDER = c.meaning(
        "backward differences",
        "second-order backward differences",
        "backward differences averaged with old velocities",
    )
    DAMP, REST = (
        c.meaning("", ", damped", ", bounded"),
        c.meaning("", "; slow particles are put back and stopped"),
    )
    TOUCH = c.meaning("", ", with friction at contacts", ", with restitution at contacts")
    DAMPING, FRICTION, BOUNCE = c.constant(0.2, 0.9), c.constant(0.2, 0.8), c.constant(0.2, 0.8)
    # how fast particles are, by any of these
    SLOW, FAST = {
        "backward differences": (c.constant(0.6, 1.4), c.constant(1.8, 2.6)),
        "second-order backward differences": (c.constant(1.0, 2.2), c.constant(3.0, 4.5)),
        "backward differences averaged with old velocities": (c.constant(0.5, 1.1), c.constant(1.3, 2.0)),
    }[ORDER]
    DIFFERENCE = {
        "backward differences": "({x} - {old}) / {dt}",
        "second-order backward differences": "(1.5·{x} - 2·{old} + 0.5·{older}) / {dt}",
        "backward differences averaged with old velocities": "½·({before} + ({x} - {old}) / {dt})",
    }[ORDER]
    CONTACT = ""
    if TOUCH == ", with friction at contacts":
        CONTACT = (
            " For particles whose {touching} is 1, the part of u across the normal in {normals} is "
            "multiplied by 1 - {FRICTION}."
        )
    elif TOUCH:
        CONTACT = (
            " Particles whose {touching} is 1 bounce with the restitution {BOUNCE}: with the normal n in "
            "{normals} and a = {before}·n, if a is negative, the part of u along n is replaced by "
            "-{BOUNCE}·a."
        )
    SLOWER = ""
    if DAMP == ", damped":
        SLOWER = " Multiply u by 1 - {DAMPING}·{dt}."
    elif DAMP:
        SLOWER = " Bound it: multiply u by min({FAST} / (|u| + 1e-6), 1)."
    SLEEP = ""
    if REST:
        SLEEP = " If |u| < {SLOW} then, the particle comes to rest: put {x} back to {old}, and u is 0."

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = inout(n, low=-0.5, high=0.5, of="position")
        if REST
        else input(n, low=-0.5, high=0.5, of="position"),
        old: wp.array[wp.vec3] = input(n, low=-0.5, high=0.5),
        older: wp.array[wp.vec3] = input(n, low=-0.5, high=0.5),
        before: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0),
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit", of="normal"),
        touching: wp.array[int] = input(n, low=0, high=1),
        dt: float = input(low=0.2, high=0.5),
        v: wp.array[wp.vec3] = output(n, of="velocity"),
    ):
        i = wp.tid()
        if ORDER == "second-order backward differences":
            u = (1.5 * x[i] - 2.0 * old[i] + 0.5 * older[i]) / dt
        elif ORDER == "backward differences averaged with old velocities":
            u = wp.lerp(before[i], (x[i] - old[i]) / dt, 0.5)
        else:
            u = (x[i] - old[i]) / dt
        if TOUCH:
            if touching[i] == 1:
                n = normals[i]
                if TOUCH == ", with friction at contacts":
                    across = wp.dot(u, n) * n
                    u = (1.0 - FRICTION) * (u - across) + across
                else:
                    # what the collision took is given back in part
                    arrival = wp.dot(before[i], n)
                    if arrival < 0.0:
                        u -= (wp.dot(u, n) + BOUNCE * arrival) * n
        if DAMP == ", damped":
            u *= 1.0 - DAMPING * dt
        elif DAMP == ", bounded":
            u *= wp.min(FAST / (wp.length(u) + 1.0e-6), 1.0)
        if REST:
            if wp.length(u) < SLOW:
                # what is slow comes to rest where it was
                x[i] = old[i]
                u = wp.vec3()
        v[i] = u


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "predict predict_positions begin_step",
        "u": "u velocity kicked",
        "ahead": "ahead predicted guess",
        "dt": "dt time_step substep",
    },
)
def predicted_positions(c):
    """Predicts where {WHO} will be under {LOAD}{DRAG}{STORE}.

    Predict the positions of particles under {LOAD}, the first part of a step of position based dynamics. The
    new velocity is u = {SPEEDS}{SLOWED}.{STAYING} {GOES}
    """
    n = c.size()
    LOAD = c.meaning("gravity", "forces", "gravity and forces")
    DRAG = c.meaning("", ", damped", ", with bounded steps")
    WHO = c.meaning("particles", "free and pinned particles")
    STORE = c.meaning("", ", and moves them there", ", and updates their velocities")
    Vec = c.vec(c.meaning(3, 2))
    DAMPING, FARTHEST = c.constant(0.3, 1.5), c.constant(0.2, 0.5)
    SPEEDS = {
        "gravity": "{v} + {dt}·{gravity}",
        "forces": "{v} + {dt}·{w}·{f} with the inverse mass {w}",
        "gravity and forces": "{v} + {dt}·({gravity} + {w}·{f}) with the inverse mass {w}",
    }[LOAD]
    SLOWED = "; then u is multiplied by exp(-{DAMPING}·{dt})" if DRAG == ", damped" else ""
    STAYING = " If {pinned} is 1, u is 0." if WHO == "free and pinned particles" else ""
    WAYS = "the position plus {dt}·u"
    if DRAG == ", with bounded steps":
        WAYS = (
            "the position plus the step r = {dt}·u, bounded in length by multiplying it by min({FARTHEST} / "
            "(|r| + 1e-6), 1)"
        )
    GOES = "{ahead} gets {WAYS}, where the position is {x}."
    if STORE == ", and moves them there":
        GOES = "Keep the position {x} in {old}, and move {x} to {WAYS}."
    elif STORE:
        GOES = "Update {v} to u. " + GOES

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = inout(n, low=-1.0, high=1.0)
        if STORE == ", and moves them there"
        else input(n, low=-1.0, high=1.0),
        v: wp.array[Vec] = inout(n, low=-2.0, high=2.0)
        if STORE == ", and updates their velocities"
        else input(n, low=-2.0, high=2.0),
        w: wp.array[float] = input(n, low=0.2, high=2.0, of="inverse mass"),
        f: wp.array[Vec] = input(n, low=-4.0, high=4.0),
        pinned: wp.array[int] = input(n, low=0, high=1),
        gravity: Vec = input(low=-9.0, high=9.0),
        dt: float = input(low=0.1, high=0.3),
        ahead: wp.array[Vec] = output(n),
        old: wp.array[Vec] = output(n),
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
        if WHO == "free and pinned particles":
            # what is pinned stays where it is
            u *= float(1 - pinned[i])
        step = dt * u
        if DRAG == ", with bounded steps":
            step *= wp.min(FARTHEST / (wp.length(step) + 1.0e-6), 1.0)
        if STORE == ", and moves them there":
            old[i] = x[i]
            x[i] = x[i] + step
        elif STORE == ", and updates their velocities":
            v[i] = u
            ahead[i] = x[i] + step
        else:
            ahead[i] = x[i] + step
