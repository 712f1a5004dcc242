"""Walls of several kinds, and balls in frames that move."""

from __future__ import annotations

from enum import IntEnum

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=4,
    differentiable=False,
    names={
        "x": "x positions particle_q",
        "v": "v velocities particle_qd",
        "walls": "walls kinds sides",
        "p": "p x_i here",
        "u": "u v_i velocity",
        "kernel": "apply_walls keep_in_box",
        "taken": "taken given_off momentum",
        "kind": "kind wall face",
    },
)
def wall_kinds(c):
    """Treats particles beyond each wall of a box by its kind, {KINDS}{FRICTION}{TELLS}.

    Treat particles that have left a {BOX} by the kind of the wall that they crossed. The box is centred at
    the origin with half the width {HALF_WIDTH}, and `{walls}[axis, 0]` and `{walls}[axis, 1]` are the kinds
    of its lower and its upper wall. Update places {x} and velocities {v} in place, axis after axis, in order,
    and only if the coordinate lies beyond ±{HALF_WIDTH}:

    {OPEN_KIND}Kind 1, {REBOUND}: the coordinate is mirrored at the wall, and {REFLECTS}{RUBS}.
    {STICKS}{WRAPS}{REST}{MORE}
    """
    n = c.size()
    REBOUND = c.meaning("reflecting", "inelastic", "thermal")
    OTHERS = c.meaning("sticky or open", "periodic or open", "sticky, periodic or open")
    KINDS, STICKY, JOINED = f"{REBOUND}, {OTHERS}", "sticky" in OTHERS, "periodic" in OTHERS
    FRICTION = c.meaning("", ", with friction along it") if REBOUND != "thermal" else ""
    TELLS = c.meaning(
        "",
        "; counts the particles outside open ones",
        "; adds up the normal momentum that each gives the walls",
    )
    MOMENTUM, COUNTED = "momentum" in TELLS, "counts" in TELLS
    c.names({"out": "out impulses momenta"})
    LONG = (STICKY and JOINED) or FRICTION or MOMENTUM or REBOUND == "inelastic"
    SIDES = 2 if LONG else c.meaning(2, 3)
    Vec = c.vec(SIDES)
    HALF_WIDTH, RESTITUTION, GRIP = c.constant(0.6, 1.0), c.constant(0.4, 0.9), c.constant(0.1, 0.5)

    class Wall(IntEnum):
        if COUNTED:
            OPEN = 0
        BOUNCE = 1
        if STICKY:
            STICK = 2
        if JOINED:
            PERIODIC = 3 if STICKY else 2

    BOX = "square" if SIDES == 2 else "cube"
    OPEN_KIND = (
        "Kind 0, open: nothing changes, but the wall's axis in {counts} counts the particle. "
        if COUNTED
        else ""
    )
    REST = "" if COUNTED else "Any other kind is open: nothing changes. "
    REFLECTS = {
        "reflecting": "the velocity along the axis keeps its absolute value, pointing inwards",
        "inelastic": "if the velocity along the axis points outwards, it is reversed and multiplied by "
        "{RESTITUTION}",
        "thermal": "the velocity along the axis becomes that of the wall, `{thermal_speed}[k]` for "
        "particle k, pointing inwards",
    }[REBOUND]
    RUBS = "; in any case the velocity along other axes is multiplied by 1 - {GRIP}" if FRICTION else ""
    STICKS = (
        "Kind 2, sticky: the coordinate moves back to the wall, and the whole velocity becomes zero. "
        if STICKY
        else ""
    )
    PERIOD = "3" if STICKY else "2"
    WRAPS = (
        "Kind {PERIOD}, periodic: the particle enters at the opposite wall, its coordinate shifted by the "
        "width, 2·{HALF_WIDTH}. "
        if JOINED
        else ""
    )
    MORE = ""
    if MOMENTUM:
        TAKEN = "the absolute changes of the velocity along the axis at walls of kind 1"
        if STICKY:
            TAKEN += ", and of the velocity along the axis just before at sticky ones"
        MORE = (
            "{out} gets, for each particle, the sum of the normal momentum that it gives the walls with mass "
            "1: {TAKEN}."
        )

    @c.kernel(n)
    def kernel(
        walls: wp.array2d[int] = input(SIDES, 2, low=0, high=3 if STICKY and JOINED else 2),
        thermal_speed: wp.array[float] = input(n, low=0.2, high=1.5),
        x: wp.array[Vec] = inout(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[Vec] = inout(n, low=-2.0, high=2.0, of="velocity"),
        out: wp.array[float] = output(n),
        counts: wp.array[int] = output(SIDES),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        if MOMENTUM:
            taken = float(0.0)
        for axis in range(SIDES):
            if wp.abs(p[axis]) > HALF_WIDTH:
                side = wp.sign(p[axis])
                kind = walls[axis, 0 if side < 0.0 else 1]
                # a particle leaves through an open wall, and nobody follows it
                if COUNTED:
                    if kind == Wall.OPEN:
                        wp.atomic_add(counts, axis, 1)
                if kind == Wall.BOUNCE:
                    p[axis] = side * (2.0 * HALF_WIDTH) - p[axis]
                    if MOMENTUM:
                        before = u[axis]
                    if REBOUND == "thermal":
                        # the wall forgets how fast the particle came
                        u[axis] = -side * thermal_speed[i]
                    elif REBOUND == "reflecting":
                        u[axis] = -side * wp.abs(u[axis])
                    elif side * u[axis] > 0.0:
                        u[axis] = -RESTITUTION * u[axis]
                    if FRICTION:
                        across = u[axis]
                        u *= 1.0 - GRIP
                        u[axis] = across
                    if MOMENTUM:
                        taken += wp.abs(u[axis] - before)
                elif STICKY and kind == Wall.STICK:
                    p[axis] = side * HALF_WIDTH
                    if MOMENTUM:
                        taken += wp.abs(u[axis])
                    u = Vec(0.0)
                elif JOINED and kind == Wall.PERIODIC:
                    p[axis] -= side * (2.0 * HALF_WIDTH)
        x[i] = p
        v[i] = u
        if MOMENTUM:
            out[i] = taken


@idiom(
    level=3,
    differentiable=False,
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
    """The {WANTED}, {LAW}{RUBBING}{BEYOND}.

    Compute {ASKED}. The plate is level, and its top lies at the y of its position plus `{floor}.thickness`.
    {PARTS} Ball i overlaps it by h = the top plus the radius less the y of the ball's position. It touches
    the plate only if h > 0{WITHIN}; otherwise all results are zero.

    The plate pushes the ball up with F = {PUSH}{RELATIVE}. {RUBS}{ANSWER}
    """
    n = c.size()
    LAW = c.meaning("by a linear spring", "by Hertz's law", "by a spring and a dashpot")
    RUBBING = c.meaning("", ", with Coulomb friction", ", with viscous friction")
    DONE = c.meaning("force", "power", "force and depth", *(("torque",) if "Coulomb" in RUBBING else ()))
    WANTED = {
        "force": "force of a moving plate on each ball that touches it",
        "power": "power that a moving plate gives each ball that touches it",
        "force and depth": "force of a moving plate on each ball, and how deep the two overlap",
        "torque": "torque of a moving plate on each ball that touches it",
    }[DONE]
    BEYOND = c.meaning("", ", within the plate's radius")
    if DONE == "power":
        c.names({"kernel": "plate_power contact_power", "out": "out powers"})
    elif DONE == "torque":
        c.names({"kernel": "plate_torques contact_torques", "f": "torques t"})
    elif DONE == "force and depth":
        c.names({"out": "depths overlaps"})
    STIFFNESS, DAMPING, FRICTION = c.constant(5.0, 20.0), c.constant(3.0, 9.0), c.constant(0.2, 0.8)
    PLATE_RADIUS = c.constant(0.5, 0.9)

    class Motion:
        position: wp.vec3
        velocity: wp.vec3

    class Ball:
        motion: Motion
        radius: float

    class Plate:
        motion: Motion
        thickness: float

    ASKED = {
        "force": "the force of a moving plate on each ball that touches it",
        "power": "the power that a moving plate gives each ball that touches it",
        "force and depth": "the force of a moving plate on balls, and how deep they overlap it",
        "torque": "the torque of a moving plate on each ball that touches it",
    }[DONE]
    PARTS = "Places and velocities are those of `{balls}[i].motion` and `{floor}.motion`."
    WITHIN = ""
    if BEYOND:
        WITHIN = " and its distance from the plate's position in x and z is at most {PLATE_RADIUS}"
    PUSH = {
        "by a linear spring": "{STIFFNESS}·h",
        "by Hertz's law": "{STIFFNESS}·h^1.5 (Hertz's law)",
        "by a spring and a dashpot": "max({STIFFNESS}·h - {DAMPING}·u_y, 0)",
    }[LAW]
    RELATIVE = ""
    if RUBBING or "dashpot" in LAW:
        RELATIVE = "; u is the ball's velocity less the plate's"
    RUBS = ""
    if "Coulomb" in RUBBING:
        RUBS = "Friction in x and z is -{FRICTION}·F·(u_x, u_z) / (√(u_x² + u_z²) + 0.001). "
    elif RUBBING:
        RUBS = "Friction in x and z is -{DAMPING}·(u_x, u_z). "
    ANSWER = {
        "force": "Store the force in {f}.",
        "power": "Store the power, the dot product of the force and the ball's own velocity, in {out}.",
        "force and depth": "Store the force in {f} and h in {out}.",
        "torque": "Store the torque about the ball's centre in {f}: the way from the centre to the lowest "
        "point, (0, -radius, 0), × the force.",
    }[DONE]

    @c.kernel(n)
    def kernel(
        balls: wp.array[Ball] = input(n, low=0.1, high=1.3),
        floor: Plate = input(low=0.02, high=0.5),
        f: wp.array[wp.vec3] = output(n),
        out: wp.array[float] = output(n),
    ):
        i = wp.tid()
        ball = balls[i]
        # zero until the two touch
        if DONE != "power":
            f[i] = wp.vec3()
        if DONE in ("power", "force and depth"):
            out[i] = 0.0
        top = floor.motion.position.y + floor.thickness
        depth = top + ball.radius - ball.motion.position.y
        if depth <= 0.0:
            return
        if BEYOND:
            dx = ball.motion.position.x - floor.motion.position.x
            dz = ball.motion.position.z - floor.motion.position.z
            if dx * dx + dz * dz > PLATE_RADIUS * PLATE_RADIUS:
                return
        if LAW == "by a spring and a dashpot" or RUBBING != "":
            relative = ball.motion.velocity - floor.motion.velocity
        if LAW == "by Hertz's law":
            push = STIFFNESS * depth * wp.sqrt(depth)
        elif LAW == "by a spring and a dashpot":
            push = wp.max(STIFFNESS * depth - DAMPING * relative.y, 0.0)
        else:
            push = STIFFNESS * depth
        if RUBBING == ", with Coulomb friction":
            slip = wp.sqrt(relative.x * relative.x + relative.z * relative.z) + 0.001
            drag = -FRICTION * push / slip
            if DONE == "torque":
                # the push itself points at the centre
                force = wp.vec3(drag * relative.x, 0.0, drag * relative.z)
            else:
                force = wp.vec3(drag * relative.x, push, drag * relative.z)
        else:
            force = wp.vec3(0.0, push, 0.0)
            if RUBBING == ", with viscous friction":
                force.x = -DAMPING * relative.x
                force.z = -DAMPING * relative.z
        if DONE == "power":
            out[i] = wp.dot(force, ball.motion.velocity)
        elif DONE == "torque":
            f[i] = wp.cross(wp.vec3(0.0, -ball.radius, 0.0), force)
        else:
            f[i] = force
            if DONE == "force and depth":
                out[i] = depth
