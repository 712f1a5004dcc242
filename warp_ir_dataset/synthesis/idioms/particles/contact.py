"""Contact: penalties, friction, walls, colliding balls, grains, bouncing."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

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
    """Adds to {f} the push of {GROUND} on the particles within it: {LAW}."""
    n = c.size()
    LAW = c.meaning(
        "a spring", "a spring and damper", "Hertz’s law", "an exponential", "Hunt and Crossley’s law"
    )
    GROUND = c.meaning("level ground", "a plane", "a spherical bowl")
    BALLS = c.meaning(True, False)
    CLAMPED = LAW != "a spring and damper" and c.spelling(True, True, False)
    c.once("floor", GROUND == "level ground")
    STIFFNESS, DAMPING, SHARPNESS = c.constant(20.0, 90.0), c.constant(0.4, 1.5), c.constant(0.5, 2.0)

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity"),
        radius: wp.array[float] = given(n, low=0.1, high=0.5, of="radius"),
        normal: wp.vec3 = given(low=-1.0, high=1.0, trait="unit"),
        offset: float = given(low=-0.5, high=0.5),
        bowl: float = given(low=0.8, high=1.4),
        f: wp.array[wp.vec3] = updated(n, low=-5.0, high=5.0, of="force"),
    ):
        i = wp.tid()
        if GROUND == "level ground":
            depth = radius[i] - x[i][1] if BALLS else -x[i][1]
            up = wp.vec3(0.0, 1.0, 0.0)
        elif GROUND == "a plane":
            depth = offset + radius[i] - wp.dot(normal, x[i]) if BALLS else offset - wp.dot(normal, x[i])
            up = normal
        else:
            depth = wp.length(x[i]) + radius[i] - bowl if BALLS else wp.length(x[i]) - bowl
            up = -wp.normalize(x[i])
        if CLAMPED:
            depth = wp.max(depth, 0.0)
        else:
            if depth <= 0.0:
                return
        if LAW == "a spring":
            push = STIFFNESS * depth
        elif LAW == "a spring and damper":
            # a damper alone would glue particles to the ground
            push = wp.max(STIFFNESS * depth - DAMPING * STIFFNESS * wp.dot(v[i], up), 0.0)
        elif LAW == "Hertz’s law":
            push = STIFFNESS * wp.pow(depth, 1.5)
        elif LAW == "an exponential":
            push = STIFFNESS * (wp.exp(SHARPNESS * depth) - 1.0)
        else:
            approach = -wp.dot(v[i], up)
            # however fast it leaves, the ground does not pull
            push = STIFFNESS * wp.pow(depth, 1.5) * wp.max(1.0 + DAMPING * approach, 0.0)
        f[i] += push * up


@idiom(level=2, names=NAMES | {"kernel": "friction_forces tangential_force", "slip": "slip vt tangential"})
def coulomb_friction(c):
    """The {WANTED} of contacts that slide on their {SURFACE}, {LAW}."""
    n = c.size()
    LAW = c.meaning(
        "by Coulomb’s law", "rising with slip", "smoothed by tanh", "by Stribeck’s curve", "viscous to a cap"
    )
    WANTED = c.meaning("friction force", "power lost to friction", "velocity that friction leaves")
    SURFACE = c.meaning("planes", "moving belts")
    FRICTION, SMOOTH = c.constant(0.2, 0.9), c.constant(0.2, 0.8)
    c.once("drag")
    STICTION, VISCOUS = c.constant(1.1, 1.9), c.constant(0.5, 2.5)
    DT = c.constant(0.1, 0.3)
    c.names(
        {
            "kernel": {
                "friction force": "friction_forces tangential_force",
                "power lost to friction": "friction_power lost_power",
                "velocity that friction leaves": "slow_by_friction apply_friction",
            }[WANTED]
        }
    )

    @c.kernel(n)
    def kernel(
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity"),
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit", of="normal"),
        load: wp.array[float] = given(n, low=0.5, high=3.0),
        belt: wp.vec3 = given(low=-1.0, high=1.0),
        f: wp.array[wp.vec3] = result(n, of="force"),
        power: wp.array[float] = result(n),
        v_new: wp.array[wp.vec3] = result(n),
    ):
        i = wp.tid()
        n = normals[i]
        if SURFACE == "moving belts":
            relative = v[i] - belt
            slip = relative - wp.dot(relative, n) * n
        else:
            slip = v[i] - wp.dot(v[i], n) * n
        if WANTED == "power lost to friction":
            speed = wp.length(slip)
        else:
            # where nothing slides there is no direction
            speed = wp.max(wp.length(slip), 1.0e-5)
        if LAW == "by Coulomb’s law":
            drag = FRICTION * load[i]
        elif LAW == "rising with slip":
            drag = FRICTION * load[i] * wp.min(speed / SMOOTH, 1.0)
        elif LAW == "smoothed by tanh":
            drag = FRICTION * load[i] * wp.tanh(speed / SMOOTH)
        elif LAW == "by Stribeck’s curve":
            # it takes more to start than to keep sliding
            ratio = speed / SMOOTH
            drag = load[i] * FRICTION * (1.0 + (STICTION - 1.0) * wp.exp(-ratio * ratio))
        else:
            drag = wp.min(VISCOUS * speed, FRICTION * load[i])
        if WANTED == "friction force":
            f[i] = -drag / speed * slip
        elif WANTED == "power lost to friction":
            power[i] = drag * speed
        else:
            v_new[i] = v[i] - wp.min(DT * drag, speed) / speed * slip


@idiom(level=3, names=NAMES | {"kernel": "resolve_walls keep_inside", "side": "side half half_width"})
def container_walls(c):
    """Keeps particles in {SHAPE}: those beyond a wall {RESPONSE}{FRICTION}."""
    n = c.size()
    SHAPE = c.meaning("a box", "a ball", "an upright cylinder")
    RESPONSE = c.meaning("bounce", "stop", "are pushed back")
    FRICTION = c.meaning("", ", with friction")
    c.once("ends of the domain")
    SIDE, BOUNCE, RUB, STIFFNESS = (
        c.constant(0.6, 1.2), c.constant(0.2, 0.9), c.constant(0.1, 0.9), c.constant(10.0, 50.0),
    )  # fmt: skip

    def outside(p: wp.vec3):
        """How far a point is outside, and the direction back in."""
        if SHAPE == "a ball":
            reach = wp.length(p)
            return reach - SIDE, -p / reach
        else:
            reach = wp.sqrt(p[0] * p[0] + p[2] * p[2])
            return reach - SIDE, wp.vec3(-p[0] / reach, 0.0, -p[2] / reach)

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5, of="position")
        if RESPONSE == "are pushed back"
        else updated(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity")
        if RESPONSE == "are pushed back"
        else updated(n, low=-1.0, high=1.0, of="velocity"),
        f: wp.array[wp.vec3] = result(n, of="force"),
    ):
        i = wp.tid()
        if SHAPE == "a box":
            p = x[i]
            if RESPONSE != "are pushed back" or FRICTION:
                u = v[i]
            if RESPONSE == "are pushed back":
                total = wp.vec3()
            # in a corner more than one wall is in the way
            for axis in range(3):
                depth = wp.abs(p[axis]) - SIDE
                if depth > 0.0:
                    outward = wp.sign(p[axis])
                    if RESPONSE == "are pushed back":
                        push = STIFFNESS * depth
                        if FRICTION:
                            inward = wp.vec3()
                            inward[axis] = -outward
                            slip = u - wp.dot(u, inward) * inward
                            total += push * (inward - RUB * wp.normalize(slip))
                        else:
                            total[axis] -= outward * push
                    else:
                        p[axis] = outward * SIDE
                        speed = u[axis]
                        # what moves inwards already is left alone
                        if outward * speed > 0.0:
                            if FRICTION:
                                u *= 1.0 - RUB
                            u[axis] = -BOUNCE * speed if RESPONSE == "bounce" else 0.0
            if RESPONSE == "are pushed back":
                f[i] = total
            else:
                x[i] = p
                v[i] = u
        elif RESPONSE == "are pushed back":
            depth, inward = outside(x[i])
            push = STIFFNESS * wp.max(depth, 0.0)
            if FRICTION:
                slip = v[i] - wp.dot(v[i], inward) * inward
                f[i] = push * (inward - RUB * wp.normalize(slip))
            else:
                f[i] = push * inward
        else:
            depth, inward = outside(x[i])
            if depth <= 0.0:
                return
            x[i] = x[i] + depth * inward
            speed = wp.dot(v[i], inward)
            if speed < 0.0:
                along = (1.0 - RUB) * (v[i] - speed * inward) if FRICTION else v[i] - speed * inward
                v[i] = along - BOUNCE * speed * inward if RESPONSE == "bounce" else along


@idiom(level=4, names=NAMES | {"kernel": "collide_with_shape body_contact", "pose": "pose body_q xform"})
def shape_contact(c):
    """{WHAT} particles at {SHAPE} that {MOTION}{FRICTION}."""
    n = c.size()
    WHAT = c.meaning("The penalty force on", "The new velocities of", "The new places of")
    MOTION = c.meaning("stands at the origin", "stands anywhere", "moves")
    if WHAT == "The new places of" and MOTION == "moves":
        MOTION = "stands anywhere"
    FRICTION = c.meaning("", ", with friction") if WHAT != "The new places of" else ""
    GUARDED = c.spelling(True, False)
    SIZE, THICKNESS = c.constant(0.6, 1.1), c.constant(0.2, 0.5)
    STIFFNESS, RUB, DAMPING = c.constant(10.0, 50.0), c.constant(0.2, 0.9), c.constant(2.0, 6.0)

    def ball(p: wp.vec3):
        reach = wp.length(p)
        return reach - SIZE, p / reach

    def slab(p: wp.vec3):
        return wp.abs(p[1]) - THICKNESS, wp.vec3(0.0, wp.sign(p[1]), 0.0)

    def capsule(p: wp.vec3):
        d = p - wp.vec3(0.0, wp.clamp(p[1], -SIZE, SIZE), 0.0)
        reach = wp.length(d)
        return reach - THICKNESS, d / reach

    def torus(p: wp.vec3):
        ring = SIZE * wp.normalize(wp.vec3(p[0], 0.0, p[2]))
        reach = wp.length(p - ring)
        return reach - THICKNESS, (p - ring) / reach

    SURFACE, SHAPE = c.meaning((ball, "a ball"), (torus, "a torus"), (capsule, "a capsule"), (slab, "a slab"))

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="velocity"),
        pose: wp.transform = given(low=-0.3, high=0.3, trait="unit"),
        linear: wp.vec3 = given(low=-1.0, high=1.0),
        angular: wp.vec3 = given(low=-1.0, high=1.0),
        radius: wp.array[float] = given(n, low=0.05, high=0.8, of="radius"),
        f: wp.array[wp.vec3] = result(n, of="force"),
        v_new: wp.array[wp.vec3] = result(n, of="velocity"),
        x_new: wp.array[wp.vec3] = result(n, of="position"),
    ):
        i = wp.tid()
        if MOTION == "stands at the origin":
            gap, n = SURFACE(x[i])
        else:
            local = wp.transform_point(wp.transform_inverse(pose), x[i])
            gap, direction = SURFACE(local)
            n = wp.transform_vector(pose, direction)
        depth = radius[i] - gap
        if WHAT == "The new places of":
            x_new[i] = x[i] + wp.max(depth, 0.0) * n
        else:
            if MOTION == "moves":
                arm = x[i] - wp.transform_get_translation(pose)
                surface = linear + wp.cross(angular, arm)
                relative = v[i] - surface
            else:
                relative = v[i]
            normal_speed = wp.dot(relative, n)
            if WHAT == "The penalty force on":
                if GUARDED:
                    if depth <= 0.0:
                        f[i] = wp.vec3()
                        return
                    push = wp.max(STIFFNESS * depth - DAMPING * normal_speed, 0.0)
                else:
                    push = wp.where(depth > 0.0, wp.max(STIFFNESS * depth - DAMPING * normal_speed, 0.0), 0.0)
                if FRICTION:
                    slip = relative - normal_speed * n
                    f[i] = push * (n - RUB * wp.normalize(slip))
                else:
                    f[i] = push * n
            else:
                if depth <= 0.0 or normal_speed >= 0.0:
                    v_new[i] = v[i]
                    return
                along = relative - normal_speed * n
                if FRICTION:
                    slowed = wp.max(1.0 + RUB * normal_speed / wp.max(wp.length(along), 1.0e-6), 0.0) * along
                else:
                    slowed = along
                v_new[i] = surface + slowed if MOTION == "moves" else slowed
