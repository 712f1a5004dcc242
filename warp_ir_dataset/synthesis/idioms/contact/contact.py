"""Contact: penalties, friction, walls, colliding balls, grains, bouncing."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "x": "x positions particle_q pos",
    "v": "v velocities particle_qd vel",
    "f": "f forces particle_f contact_forces",
    "radius": "radius radii particle_radius",
    "depth": "depth penetration overlap",
    "normals": "normals contact_normals directions",
    "gap": "gap clearance",
    "mass": "mass masses particle_mass",
}


@idiom(level=2, names=NAMES | {"kernel": "ground_contact eval_ground", "push": "push magnitude fn"})
def ground_penalty(c):
    """Adds to {f} the push of {GROUND} on {WHO} that press into it, by {LAW}.

    Give {WHO} that sink into {GROUND} a penalty force. {WALL} {WHO_DEPTH}

    The force is zero if h ≤ 0. Otherwise it points {UP}, and its magnitude is {SIZE}. Add it to `{f}[k]`.
    """
    n = c.size()
    LAW = c.meaning(
        "a spring", "a spring and damper", "Hertz's law", "an exponential", "Hunt and Crossley's law"
    )
    GROUND = c.meaning("level ground", "a plane", "a spherical bowl")
    WHO = c.meaning("balls", "particles")
    BALLS = WHO == "balls"
    CLAMPED = LAW != "a spring and damper" and c.style(True, True, False)
    c.once("floor", GROUND == "level ground")
    if GROUND == "a spherical bowl":
        c.names({"up": "inward n towards_centre"})
    STIFFNESS, DAMPING = c.constant(20.0, 90.0), c.constant(20.0, 60.0)
    SHARPNESS, DISSIPATION = c.constant(0.5, 2.0), c.constant(1.2, 2.0)
    HERE = {"level ground": "its height, the y of `{x}[k]`", "a plane": "`{normal}·{x}[k]`"}.get(
        GROUND, "`|{x}[k]|`"
    )
    WALL = {
        "level ground": "The ground is the plane y = 0.",
        "a plane": "The plane holds the points q with `{normal}·q = {offset}`, and {normal} points to its "
        "free side.",
        "a spherical bowl": "The bowl is the sphere of radius {bowl} around the origin, and its inside is "
        "free.",
    }[GROUND]
    HOW_DEEP = {
        "level ground": "`{radius}[k]` less {HERE}" if BALLS else "minus {HERE}",
        "a plane": "`{offset}`{PLUS} less {HERE}",
        "a spherical bowl": "{HERE}{PLUS} less {bowl}",
    }[GROUND]
    PLUS = " plus `{radius}[k]`" if BALLS else ""
    WHO_DEPTH = "The depth h of {ONE_OF} is {HOW_DEEP}."
    ONE_OF = "ball k, whose centre is `{x}[k]`," if BALLS else "particle k, at `{x}[k]`,"
    UP = {
        "level ground": "straight up",
        "a plane": "along {normal}",
        "a spherical bowl": "straight to the origin",
    }[GROUND]
    PART = "w is the part of `{v}[k]` in that direction"
    SIZE = {
        "a spring": "{STIFFNESS}·h",
        "a spring and damper": "max({STIFFNESS}·h - {DAMPING}·w, 0), where {PART}",
        "Hertz's law": "that of Hertz's law, {STIFFNESS}·h^1.5",
        "an exponential": "{STIFFNESS}·(exp({SHARPNESS}·h) - 1)",
        "Hunt and Crossley's law": "that of Hunt and Crossley, {STIFFNESS}·h^1.5·max(1 - {DISSIPATION}·w, "
        "0), where {PART}",
    }[LAW]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="velocity"),
        radius: wp.array[float] = input(n, low=0.1, high=0.5, of="radius"),
        normal: wp.vec3 = input(low=-1.0, high=1.0, trait="unit"),
        offset: float = input(low=-0.5, high=0.5),
        bowl: float = input(low=0.8, high=1.4),
        f: wp.array[wp.vec3] = inout(n, low=-5.0, high=5.0, of="force"),
    ):
        i = wp.tid()
        if GROUND == "level ground":
            depth = radius[i] - x[i][1] if BALLS else -x[i][1]
        elif GROUND == "a plane":
            depth = offset + radius[i] - wp.dot(normal, x[i]) if BALLS else offset - wp.dot(normal, x[i])
        else:
            depth = wp.length(x[i]) + radius[i] - bowl if BALLS else wp.length(x[i]) - bowl
        if CLAMPED:
            depth = wp.max(depth, 0.0)
        else:
            if depth <= 0.0:
                return
        if GROUND == "level ground":
            up = wp.vec3(0.0, 1.0, 0.0)
        elif GROUND == "a plane":
            up = normal
        else:
            up = -wp.normalize(x[i])
        if LAW == "a spring":
            push = STIFFNESS * depth
        elif LAW == "a spring and damper":
            # however fast the two part, the ground does not pull
            push = wp.max(STIFFNESS * depth - DAMPING * wp.dot(v[i], up), 0.0)
        elif LAW == "Hertz's law":
            push = STIFFNESS * wp.pow(depth, 1.5)
        elif LAW == "an exponential":
            push = STIFFNESS * (wp.exp(SHARPNESS * depth) - 1.0)
        else:
            approach = -wp.dot(v[i], up)
            # however fast the two part, the ground does not pull
            push = STIFFNESS * wp.pow(depth, 1.5) * wp.max(1.0 + DISSIPATION * approach, 0.0)
        f[i] += push * up


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "friction_forces tangential_force",
        "normals": "normals contact_normals plane_normals",
        "slip": "slip vt tangential",
        "carrier": "carrier body_velocity belt_velocity",
        "drag": "resistance friction_force ft",
    },
)
def coulomb_friction(c):
    """The {WANTED} particles that slide on {SURFACE}, {LAW}.

    Compute {ASKED} particles that slide on surfaces. Particle k presses with `{load}[k]` on a surface with
    the unit normal `{normals}[k]`. Its slip is the part of {RELATIVE} perpendicular to the normal, of the
    length s{LEAST}. The friction acts against the slip with magnitude R = {SIZE}. {ANSWER}
    """
    n = c.size()
    LAW = c.meaning(
        "by Coulomb's law",
        "rising with slip to Coulomb's limit",
        "by Coulomb's law, smoothed by tanh",
        "by Stribeck's curve",
        "viscous up to Coulomb's limit",
    )
    WANTED = c.meaning("friction forces on", "powers lost to friction by", "velocities after friction of")
    SURFACE = c.meaning("fixed planes", "planes of a moving body")
    FRICTION, SLIP_SCALE = c.constant(0.2, 0.9), c.constant(0.2, 0.8)
    c.once("drag")
    STICTION, VISCOUS = c.constant(1.1, 1.9), c.constant(0.5, 2.5)
    DT = c.constant(0.1, 0.3)
    c.names(
        {
            "kernel": {
                "friction forces on": "friction_forces tangential_force",
                "powers lost to friction by": "friction_power lost_power",
                "velocities after friction of": "slow_by_friction apply_friction",
            }[WANTED]
        }
    )
    ASKED = {
        "friction forces on": "the friction forces on",
        "powers lost to friction by": "how much power friction takes from",
        "velocities after friction of": "how friction slows",
    }[WANTED]
    RELATIVE = "its velocity `{v}[k]`"
    if "moving" in SURFACE:
        RELATIVE = "its velocity `{v}[k]` relative to that of all surfaces, {carrier},"
    LEAST = "" if "power" in WANTED else " (at least 1e-5)"
    SIZE = {
        "by Coulomb's law": "{FRICTION}·`{load}[k]` (Coulomb's law)",
        "rising with slip to Coulomb's limit": "{FRICTION}·`{load}[k]`·min(s / {SLIP_SCALE}, 1), rising to "
        "that of Coulomb's law",
        "by Coulomb's law, smoothed by tanh": "{FRICTION}·`{load}[k]`·tanh(s / {SLIP_SCALE}) (a smoothed "
        "Coulomb's law)",
        "by Stribeck's curve": "{FRICTION}·`{load}[k]`·(1 + ({STICTION} - 1)·exp(-(s / {SLIP_SCALE})²)) "
        "(Stribeck's curve)",
        "viscous up to Coulomb's limit": "{VISCOUS}·s, but at most Coulomb's limit {FRICTION}·`{load}[k]`",
    }[LAW]
    ANSWER = {
        "friction forces on": "Store the force, -R / s times the slip, in {f}.",
        "powers lost to friction by": "Store R·s in {power}.",
        "velocities after friction of": "It acts on the mass `{mass}[k]` for the time {DT}, or until the "
        "slip stops: `{v_new}[k]` is `{v}[k]` less min({DT}·R / `{mass}[k]`, s) / s times the slip.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        v: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="velocity"),
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit", of="normal"),
        load: wp.array[float] = input(n, low=0.5, high=3.0),
        carrier: wp.vec3 = input(low=-1.0, high=1.0),
        mass: wp.array[float] = input(n, low=0.3, high=2.0, of="mass"),
        f: wp.array[wp.vec3] = output(n, of="force"),
        power: wp.array[float] = output(n),
        v_new: wp.array[wp.vec3] = output(n),
    ):
        i = wp.tid()
        n = normals[i]
        if SURFACE == "planes of a moving body":
            relative = v[i] - carrier
            slip = relative - wp.dot(relative, n) * n
        else:
            slip = v[i] - wp.dot(v[i], n) * n
        if WANTED == "powers lost to friction by":
            speed = wp.length(slip)
        else:
            # where nothing slides, slip has no direction
            speed = wp.max(wp.length(slip), 1.0e-5)
        if LAW == "by Coulomb's law":
            drag = FRICTION * load[i]
        elif LAW == "rising with slip to Coulomb's limit":
            drag = FRICTION * load[i] * wp.min(speed / SLIP_SCALE, 1.0)
        elif LAW == "by Coulomb's law, smoothed by tanh":
            drag = FRICTION * load[i] * wp.tanh(speed / SLIP_SCALE)
        elif LAW == "by Stribeck's curve":
            # it takes more to start than to keep sliding
            ratio = speed / SLIP_SCALE
            drag = load[i] * FRICTION * (1.0 + (STICTION - 1.0) * wp.exp(-ratio * ratio))
        else:
            drag = wp.min(VISCOUS * speed, FRICTION * load[i])
        if WANTED == "friction forces on":
            f[i] = -drag / speed * slip
        elif WANTED == "powers lost to friction by":
            power[i] = drag * speed
        else:
            v_new[i] = v[i] - wp.min(DT * drag / mass[i], speed) / speed * slip


@idiom(
    level=3,
    names=NAMES
    | {
        "p": "p pos_i here",
        "u": "u vel_i velocity",
        "total": "total pushes wall_force",
        "outside": "outside beyond_wall wall_overlap",
        "inward": "inward back_in n",
        "outward": "outward facing side",
        "axis": "axis k dim",
        "along": "along sliding tangential",
        "stop": "stop normal_change dv_n",
    },
)
def container_walls(c):
    """{DONE}{RUBBING}.

    {PURPOSE} The container is {CONTAINER}. {BEYOND}

    {ANSWER}{RUBS}{KEPT}
    """
    n = c.size()
    SHAPE = c.meaning("a box", "a ball", "an upright tube")
    RESPONSE = c.meaning("bounce", "stop", "push")
    SLOWED = (" and are slowed along it",) if RESPONSE != "push" else ()
    RUBBING = c.meaning("", ", with Coulomb friction", *SLOWED)
    DONE = {
        "bounce": f"Puts particles that left {SHAPE} back on its wall, where they bounce",
        "stop": f"Puts particles that left {SHAPE} back on its wall, where they lose their speed towards it",
        "push": f"The spring forces that push particles back into {SHAPE}",
    }[RESPONSE]
    if RESPONSE == "push":
        c.names({"kernel": "container_forces push_inside wall_forces"})
    else:
        c.names({"kernel": "container_walls resolve_walls keep_inside"})
    c.once("ends of the domain")
    HALF_WIDTH, RADIUS, STIFFNESS = c.constant(0.6, 1.2), c.constant(0.6, 1.2), c.constant(10.0, 50.0)
    BOUNCE, FRICTION = c.constant(0.2, 0.9), c.constant(0.1, 0.9)

    def outside(p: wp.vec3):
        """How far a point is outside, and the direction back in."""
        if SHAPE == "a ball":
            return wp.length(p) - RADIUS, -wp.normalize(p)
        else:
            across = wp.vec3(p[0], 0.0, p[2])
            return wp.length(across) - RADIUS, -wp.normalize(across)

    BOX = SHAPE == "a box"
    PURPOSE = {
        "bounce": "Keep particles inside a container from whose walls they bounce.",
        "stop": "Keep particles inside a container whose walls take their speed towards them.",
        "push": "Push particles back into a container with springs along its walls; store the forces in {f}.",
    }[RESPONSE]
    CONTAINER = {
        "a box": "a cube around the origin: each coordinate lies between -{HALF_WIDTH} and {HALF_WIDTH}",
        "a ball": "the ball of radius {RADIUS} around the origin",
        "an upright tube": "an endless tube of radius {RADIUS} around the y axis",
    }[SHAPE]
    BEYOND = "Particle k, at `{x}[k]` with the velocity `{v}[k]`, is outside if it is farther from {MIDDLE}."
    if BOX:
        BEYOND = (
            "Treat the three axes one after the other, in order: particle k, at `{x}[k]` with the velocity "
            "`{v}[k]`, is outside "
        )
        BEYOND += "along an axis if this coordinate lies beyond one of its two walls."
    MIDDLE = "the origin" if SHAPE == "a ball" else "the axis"
    KEPT = ""
    if RESPONSE == "push":
        BEYOND = "A particle at `{x}[k]` that is h beyond the wall is pushed {BACK} with {STIFFNESS}·h."
        if BOX:
            BEYOND = (
                "A particle at `{x}[k]` is pushed back along each axis with {STIFFNESS}·h, where h is how "
                "far "
            )
            BEYOND += "its coordinate lies beyond the wall there."
        ANSWER = "Inside there is no force."
        if BOX:
            ANSWER = "The force is the sum over the three axes."
        RUBS = ""
        if RUBBING:
            RUBS = (
                " Coulomb friction goes with each push: {FRICTION} times the push, against the part of "
                "`{v}[k]` "
            )
            RUBS += "along that wall, and none if that part is zero."
    else:
        ANSWER = (
            "Move a particle that is outside straight {BACK} to the wall. If its velocity there has a part "
            "out of "
        )
        ANSWER += "the container, {NORMAL}."
        KEPT = " A particle that moves inwards keeps its velocity. Store both in place."
        NORMAL = "take that part{OUTWARD} away"
        if RESPONSE == "bounce":
            NORMAL = "reverse that part{OUTWARD} and multiply it by {BOUNCE}"
        OUTWARD = ", of speed w," if "Coulomb" in RUBBING else ""
        RUBS = ""
        if RUBBING == " and are slowed along it":
            RUBS = " The rest of the velocity, along the wall, is multiplied by 1 - {FRICTION} then."
        elif RUBBING:
            RUBS = (
                " Coulomb friction slows the rest of the velocity, along the wall and of length L, at the "
                "same time: "
            )
            RUBS += "multiply it by max(1 - {FRICTION}·{CHANGE} / (L + 1e-6), 0)."
    CHANGE = "(1 + {BOUNCE})·w" if RESPONSE == "bounce" else "w"
    BACK = {
        "a box": "back",
        "a ball": "towards the origin",
        "an upright tube": "towards the axis, at the same y,",
    }[SHAPE]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.5, high=1.5, of="position")
        if RESPONSE == "push"
        else inout(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="velocity")
        if RESPONSE == "push"
        else inout(n, low=-1.0, high=1.0, of="velocity"),
        f: wp.array[wp.vec3] = output(n, of="force"),
    ):
        i = wp.tid()
        if SHAPE == "a box":
            p = x[i]
            if RESPONSE != "push" or RUBBING:
                u = v[i]
            if RESPONSE == "push":
                total = wp.vec3()
            # in a corner more than one wall is in the way
            for axis in range(3):
                depth = wp.abs(p[axis]) - HALF_WIDTH
                if depth > 0.0:
                    outward = wp.sign(p[axis])
                    if RESPONSE == "push":
                        push = STIFFNESS * depth
                        if RUBBING:
                            inward = wp.vec3()
                            inward[axis] = -outward
                            slip = u - wp.dot(u, inward) * inward
                            total += push * (inward - FRICTION * wp.normalize(slip))
                        else:
                            total[axis] -= outward * push
                    else:
                        p[axis] = outward * HALF_WIDTH
                        speed = u[axis]
                        # what moves inwards already is left alone
                        if outward * speed > 0.0:
                            if RUBBING == " and are slowed along it":
                                u *= 1.0 - FRICTION
                            elif RUBBING == ", with Coulomb friction":
                                slip = u
                                slip[axis] = 0.0
                                stop = (1.0 + BOUNCE) * speed if RESPONSE == "bounce" else speed
                                grip = FRICTION * wp.abs(stop) / (wp.length(slip) + 1.0e-6)
                                u -= wp.min(grip, 1.0) * slip
                            u[axis] = -BOUNCE * speed if RESPONSE == "bounce" else 0.0
            if RESPONSE == "push":
                f[i] = total
            else:
                x[i] = p
                v[i] = u
        elif RESPONSE == "push":
            depth, inward = outside(x[i])
            push = STIFFNESS * wp.max(depth, 0.0)
            if RUBBING:
                slip = v[i] - wp.dot(v[i], inward) * inward
                f[i] = push * (inward - FRICTION * wp.normalize(slip))
            else:
                f[i] = push * inward
        else:
            depth, inward = outside(x[i])
            if depth <= 0.0:
                return
            x[i] = x[i] + depth * inward
            speed = wp.dot(v[i], inward)
            if speed < 0.0:
                if RUBBING == " and are slowed along it":
                    along = (1.0 - FRICTION) * (v[i] - speed * inward)
                else:
                    along = v[i] - speed * inward
                if RUBBING == ", with Coulomb friction":
                    stop = (1.0 + BOUNCE) * speed if RESPONSE == "bounce" else speed
                    along *= wp.max(1.0 + FRICTION * stop / (wp.length(along) + 1.0e-6), 0.0)
                v[i] = along - BOUNCE * speed * inward if RESPONSE == "bounce" else along


@idiom(
    level=4, names=NAMES | {"pose": "pose body_q xform", "local": "local p_local in_body", "n": "n normal"}
)
def shape_contact(c):
    """The {WHAT} balls {DOING} {SHAPE} {MOTION}{RUBBING}.

    {PURPOSE} Ball k has the centre `{x}[k]` and the radius `{radius}[k]`. The obstacle is {OBSTACLE}{PLACED}.
    With the signed distance of the centre from the obstacle's surface, negative inside, the two overlap by
    the depth h = `{radius}[k]` less that distance; n is the direction of growing distance there, a unit
    vector out of the obstacle.

    {MOVES}{ANSWER}
    """
    n = c.size()
    WHAT = c.meaning("penalty forces on", "velocities after contact of", "new places of")
    MOVES = ("that moves",) if WHAT != "new places of" else ()
    MOTION = c.meaning("at the origin", "in a given pose", *MOVES)
    RUBBING = c.meaning("", ", with Coulomb friction") if WHAT != "new places of" else ""
    c.once("obstacle", WHAT != "penalty forces on")
    DOING = "pushed out of" if WHAT == "new places of" else "that hit"
    c.names(
        {
            "kernel": {
                "penalty forces on": "shape_contact body_contact contact_forces",
                "velocities after contact of": "shape_contact collide_with_shape",
                "new places of": "push_out_of_shape resolve_overlaps",
            }[WHAT]
        }
    )
    GUARDED = c.style(True, False)
    BALL_RADIUS, HALF_LENGTH, RING_RADIUS = c.constant(0.6, 1.1), c.constant(0.6, 1.1), c.constant(0.6, 1.1)
    THICKNESS = c.constant(0.2, 0.5)
    STIFFNESS, FRICTION, DAMPING = c.constant(10.0, 50.0), c.constant(0.2, 0.9), c.constant(2.0, 6.0)

    def ball(p: wp.vec3):
        return wp.length(p) - BALL_RADIUS, wp.normalize(p)

    def slab(p: wp.vec3):
        return wp.abs(p[1]) - THICKNESS, wp.vec3(0.0, wp.sign(p[1]), 0.0)

    def pillar(p: wp.vec3):
        across = wp.vec3(p[0], 0.0, p[2])
        return wp.length(across) - THICKNESS, wp.normalize(across)

    def capsule(p: wp.vec3):
        d = p - wp.vec3(0.0, wp.clamp(p[1], -HALF_LENGTH, HALF_LENGTH), 0.0)
        return wp.length(d) - THICKNESS, wp.normalize(d)

    def torus(p: wp.vec3):
        # from the nearest point of the ring inside the tube
        d = p - RING_RADIUS * wp.normalize(wp.vec3(p[0], 0.0, p[2]))
        return wp.length(d) - THICKNESS, wp.normalize(d)

    # along a slab velocities do not depend on places
    SLAB = ((slab, "a level slab"),) if WHAT != "velocities after contact of" else ()
    SURFACE, SHAPE = c.meaning(
        (ball, "a ball"), (torus, "a torus"), (capsule, "a capsule"), *SLAB, (pillar, "a pillar")
    )
    PURPOSE = {
        "penalty forces on": "Compute the penalty forces on balls that overlap an obstacle.",
        "velocities after contact of": "Resolve the contacts of balls with an obstacle, without any rebound.",
        "new places of": "Push balls out of an obstacle.",
    }[WHAT]
    OBSTACLE = {
        "a ball": "a ball of radius {BALL_RADIUS} around the origin",
        "a torus": "a torus: all points within {THICKNESS} of the circle of radius {RING_RADIUS} in the "
        "plane y = 0 around the origin",
        "a capsule": "a capsule: all points within {THICKNESS} of the line from (0, -{HALF_LENGTH}, 0) to "
        "(0, {HALF_LENGTH}, 0)",
        "a level slab": "a level slab, all points with |y| ≤ {THICKNESS} (n points to +y if y = 0)",
        "a pillar": "a pillar, the endless cylinder of radius {THICKNESS} around the y axis",
    }[SHAPE]
    PLACED = "" if MOTION == "at the origin" else ", in its own frame, which {pose} takes to the world"
    MOVES = ""
    if WHAT != "new places of":
        MOVES = "Let u be the velocity `{v}[k]` of the ball. "
    if MOTION == "that moves":
        MOVES = (
            "The obstacle moves with the velocity {linear} of its origin and the angular velocity {angular}. "
            "Let s "
        )
        MOVES += (
            "be its velocity at the ball's centre, {linear} + {angular} × (the centre less the translation "
            "of "
        )
        MOVES += "{pose}), and u the velocity `{v}[k]` less s. "
    ALONG = "the part of u perpendicular to n"
    BACK_IN = ", and s is added again" if MOTION == "that moves" else ""
    ANSWER = {
        "penalty forces on": "If h ≤ 0 the force is zero. Otherwise it pushes along n with magnitude F = "
        "max({STIFFNESS}·h - {DAMPING}·(u·n), 0){RUB}. Store the force in {f}.",
        "velocities after contact of": "If h ≤ 0 or u·n ≥ 0, the ball keeps its velocity. Otherwise "
        "{v_new} is {ALONG}{RUB}{BACK_IN}.",
        "new places of": "Store the new centre in {x_new}: the old one moved by max(h, 0) along n.",
    }[WHAT]
    RUB = ""
    if RUBBING and WHAT == "penalty forces on":
        RUB = "; with Coulomb friction, {FRICTION}·F also acts against {ALONG}, if that is not zero"
    elif RUBBING:
        RUB = ", multiplied by max(1 - {FRICTION}·|u·n| / its length, 0) for Coulomb friction"

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="velocity"),
        pose: wp.transform = input(low=-0.3, high=0.3, trait="unit"),
        linear: wp.vec3 = input(low=-1.0, high=1.0),
        angular: wp.vec3 = input(low=-1.0, high=1.0),
        radius: wp.array[float] = input(n, low=0.05, high=0.8, of="radius"),
        f: wp.array[wp.vec3] = output(n, of="force"),
        v_new: wp.array[wp.vec3] = output(n, of="velocity"),
        x_new: wp.array[wp.vec3] = output(n, of="position"),
    ):
        i = wp.tid()
        if MOTION == "at the origin":
            gap, n = SURFACE(x[i])
        else:
            local = wp.transform_point(wp.transform_inverse(pose), x[i])
            gap, direction = SURFACE(local)
            n = wp.transform_vector(pose, direction)
        depth = radius[i] - gap
        if WHAT == "new places of":
            x_new[i] = x[i] + wp.max(depth, 0.0) * n
        else:
            if MOTION == "that moves":
                arm = x[i] - wp.transform_get_translation(pose)
                surface = linear + wp.cross(angular, arm)
                relative = v[i] - surface
            else:
                relative = v[i]
            normal_speed = wp.dot(relative, n)
            if WHAT == "penalty forces on":
                if GUARDED:
                    if depth <= 0.0:
                        f[i] = wp.vec3()
                        return
                    push = wp.max(STIFFNESS * depth - DAMPING * normal_speed, 0.0)
                else:
                    push = wp.where(depth > 0.0, wp.max(STIFFNESS * depth - DAMPING * normal_speed, 0.0), 0.0)
                if RUBBING:
                    slip = relative - normal_speed * n
                    f[i] = push * (n - FRICTION * wp.normalize(slip))
                else:
                    f[i] = push * n
            else:
                if depth <= 0.0 or normal_speed >= 0.0:
                    v_new[i] = v[i]
                    return
                along = relative - normal_speed * n
                if RUBBING:
                    share = 1.0 + FRICTION * normal_speed / wp.length(along)
                    slowed = wp.max(share, 0.0) * along
                else:
                    slowed = along
                v_new[i] = surface + slowed if MOTION == "that moves" else slowed
