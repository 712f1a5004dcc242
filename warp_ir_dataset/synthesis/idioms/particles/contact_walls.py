"""Walls of several kinds, and balls in frames that move."""

from __future__ import annotations

from enum import IntEnum

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=4,
    names={
        "x": "x positions particle_q",
        "v": "v velocities particle_qd",
        "walls": "walls kinds sides",
        "p": "p x_i here",
        "u": "u v_i velocity",
        "kernel": "apply_walls keep_in_box",
    },
)
def wall_kinds(c):
    """Applies the kind of each wall of a box to particles beyond it: {KINDS}{FRICTION}{TELLS}."""
    n = c.size()
    KINDS = c.meaning(
        "reflecting, sticky or open", "bouncing, periodic or open", "bouncing, sticky, periodic or open"
    )
    STICKY, JOINED = "sticky" in KINDS, "periodic" in KINDS
    FRICTION = c.meaning("", ", with friction along it", ", with thermal walls")
    TELLS = c.meaning("", ", and counts what is outside", ", and adds up the momentum given to it")
    SIDES = 2 if (STICKY and JOINED) or FRICTION == ", with friction along it" else c.meaning(2, 3)
    Vec = c.vec(SIDES)
    SIDE, LOSS, GRIP = c.constant(0.6, 1.0), c.constant(0.1, 0.6), c.constant(0.1, 0.5)

    class Wall(IntEnum):
        OPEN = 0
        BOUNCE = 1
        STICK = 2
        PERIODIC = 3 if STICKY else 2

    @c.kernel(n)
    def kernel(
        walls: wp.array2d[int] = given(SIDES, 2, low=0, high=3 if STICKY and JOINED else 2),
        heat: wp.array[float] = given(n, low=0.2, high=1.5),
        x: wp.array[Vec] = updated(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[Vec] = updated(n, low=-2.0, high=2.0, of="velocity"),
        out: wp.array[float] = result(n),
        counts: wp.array[int] = result(SIDES),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        if TELLS == ", and adds up the momentum given to it":
            taken = float(0.0)
        for axis in range(SIDES):
            if wp.abs(p[axis]) > SIDE:
                side = wp.sign(p[axis])
                kind = walls[axis, 0 if side < 0.0 else 1]
                if kind == Wall.OPEN:
                    if TELLS == ", and counts what is outside":
                        wp.atomic_add(counts, axis, 1)
                    else:
                        # it leaves, and nobody follows it
                        pass
                elif kind == Wall.BOUNCE:
                    p[axis] = side * (2.0 * SIDE) - p[axis]
                    if TELLS == ", and adds up the momentum given to it":
                        before = u[axis]
                    if FRICTION == ", with thermal walls":
                        u[axis] = -side * heat[i]
                    elif "reflecting" in KINDS:
                        u[axis] = -u[axis]
                    else:
                        u[axis] = (LOSS - 1.0) * u[axis]
                    if FRICTION == ", with friction along it":
                        rest = u[axis]
                        u *= 1.0 - GRIP
                        u[axis] = rest
                    if TELLS == ", and adds up the momentum given to it":
                        taken += wp.abs(u[axis] - before)
                elif STICKY and kind == Wall.STICK:
                    p[axis] = side * SIDE
                    if TELLS == ", and adds up the momentum given to it":
                        taken += wp.abs(u[axis])
                    u = Vec(0.0)
                elif JOINED and kind == Wall.PERIODIC:
                    p[axis] -= side * (2.0 * SIDE)
        x[i] = p
        v[i] = u
        if TELLS == ", and adds up the momentum given to it":
            out[i] = taken


@idiom(
    level=3,
    names={
        "balls": "balls bodies spheres",
        "ball": "ball body sphere",
        "floor": "floor plate table",
        "depth": "depth overlap penetration",
        "f": "f forces particle_f",
        "push": "push force contact_force",
        "kernel": "push_balls_off press_on_plate",
    },
)
def ball_on_plate(c):
    """The {WANTED} of each ball on a plate that moves, {LAW}{RUBBING}{BEYOND}."""
    n = c.size()
    LAW = c.meaning("by a linear spring", "by Hertz’s law", "by a spring and a dashpot")
    RUBBING = c.meaning("", ", with Coulomb’s friction", ", with viscous friction")
    WANTED = c.meaning("force", "power", "force and depth", *(("torque",) if "Coulomb" in RUBBING else ()))
    BEYOND = c.meaning("", ", within the plate’s radius")
    if WANTED == "power":
        c.names({"kernel": "plate_power contact_power", "out": "out powers"})
    elif WANTED == "torque":
        c.names({"kernel": "plate_torques contact_torques", "f": "torques t"})
    elif WANTED == "force and depth":
        c.names({"out": "depths overlaps"})
    STIFFNESS, DAMPING, GRIP = c.constant(5.0, 20.0), c.constant(0.5, 2.0), c.constant(0.2, 0.8)
    REACH = c.constant(0.5, 0.9)

    class Motion:
        position: wp.vec3
        velocity: wp.vec3

    class Ball:
        motion: Motion
        radius: float

    class Plate:
        motion: Motion
        thickness: float

    @c.kernel(n)
    def kernel(
        balls: wp.array[Ball] = given(n, low=0.2, high=1.0),
        floor: Plate = given(low=-0.3, high=0.6),
        f: wp.array[wp.vec3] = result(n),
        out: wp.array[float] = result(n),
    ):
        i = wp.tid()
        ball = balls[i]
        # until the two touch
        if WANTED != "power":
            f[i] = wp.vec3()
        if WANTED in ("power", "force and depth"):
            out[i] = 0.0
        top = floor.motion.position.y + floor.thickness
        depth = top + ball.radius - ball.motion.position.y
        if depth <= 0.0:
            return
        if BEYOND:
            dx = ball.motion.position.x - floor.motion.position.x
            dz = ball.motion.position.z - floor.motion.position.z
            if dx * dx + dz * dz > REACH * REACH:
                return
        if LAW == "by a spring and a dashpot" or RUBBING != "":
            relative = ball.motion.velocity - floor.motion.velocity
        if LAW == "by Hertz’s law":
            push = STIFFNESS * depth * wp.sqrt(depth)
        elif LAW == "by a spring and a dashpot":
            push = wp.max(STIFFNESS * depth - DAMPING * relative.y, 0.0)
        else:
            push = STIFFNESS * depth
        if RUBBING == ", with Coulomb’s friction":
            slip = wp.sqrt(relative.x * relative.x + relative.z * relative.z) + 0.001
            drag = -GRIP * push / slip
            if WANTED == "torque":
                # the push itself points at the centre
                force = wp.vec3(drag * relative.x, 0.0, drag * relative.z)
            else:
                force = wp.vec3(drag * relative.x, push, drag * relative.z)
        else:
            force = wp.vec3(0.0, push, 0.0)
            if RUBBING == ", with viscous friction":
                force.x = -DAMPING * relative.x
                force.z = -DAMPING * relative.z
        if WANTED == "power":
            out[i] = wp.dot(force, ball.motion.velocity)
        elif WANTED == "torque":
            f[i] = wp.cross(wp.vec3(0.0, -ball.radius, 0.0), force)
        else:
            f[i] = force
            if WANTED == "force and depth":
                out[i] = depth
