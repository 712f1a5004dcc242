"""Steps of bodies that turn, of charges, at boundaries, of adaptive length."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .integrators import NAMES


@idiom(level=3, names=NAMES | {"kernel": "spin_bodies rotate_bodies", "omega": "omega spin w particle_w"})
def integrate_orientation(c):
    """{DONE} by {HOW} for a spin in {FRAME} axes{LOAD}."""
    n = c.size()
    HOW = c.meaning("the exponential map", "a first-order step", "the midpoint rule", "axis and angle")
    FRAME, DONE = (
        c.meaning("space", "body"),
        c.meaning("Advances orientations in place", "Finds where body axes point a time step later"),
    )
    # what gives directions alone keeps no state
    KEPT = DONE == "Advances orientations in place"
    LOAD = c.meaning("", ", which a torque changes first", ", which is damped first") if KEPT else ""
    INERTIA, DAMPING = c.constant(0.4, 2.0), c.constant(0.3, 1.5)
    if not KEPT:
        c.names({"kernel": "predict_axes axes_after_step"})

    def derivative(q: wp.quat, w: wp.vec3) -> wp.quat:
        """How fast the rotation changes."""
        if FRAME == "space":
            return wp.quat(w, 0.0) * q * 0.5
        else:
            return q * wp.quat(w, 0.0) * 0.5

    @c.kernel(n)
    def kernel(
        q: wp.array[wp.quat] = updated(n, low=-1.0, high=1.0, trait="unit")
        if KEPT
        else given(n, low=-1.0, high=1.0, trait="unit"),
        omega: wp.array[wp.vec3] = updated(n, low=-3.0, high=3.0) if LOAD else given(n, low=-3.0, high=3.0),
        torque: wp.array[wp.vec3] = given(n, low=-5.0, high=5.0),
        axes: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        dt: float = given(low=0.1, high=0.5),
        out: wp.array[wp.vec3] = result(n),
    ):
        i = wp.tid()
        r = q[i]
        if LOAD == ", which a torque changes first":
            # as for balls, whose inertia is the same about every axis
            w = omega[i] + dt / INERTIA * torque[i]
            omega[i] = w
        elif LOAD == ", which is damped first":
            w = omega[i] / (1.0 + DAMPING * dt)
            omega[i] = w
        else:
            w = omega[i]
        if HOW == "a first-order step":
            turned = wp.normalize(r + derivative(r, w) * dt)
        elif HOW == "the midpoint rule":
            middle = wp.normalize(r + derivative(r, w) * (0.5 * dt))
            turned = wp.normalize(r + derivative(middle, w) * dt)
        else:
            angle = wp.length(w) * dt
            if HOW == "axis and angle":
                turn = wp.quat_from_axis_angle(wp.normalize(w), angle)
            else:
                # the sine of half the angle over the angle, by its series where that is small
                scale = 0.5 - angle * angle / 48.0
                if angle > 0.5:
                    scale = wp.sin(0.5 * angle) / angle
                turn = wp.quat(scale * dt * w, wp.cos(0.5 * angle))
            turned = turn * r if FRAME == "space" else r * turn
        if KEPT:
            q[i] = turned
        else:
            out[i] = wp.quat_rotate(turned, axes[i])


@idiom(
    level=4,
    differentiable=False,
    names=NAMES
    | {
        "half": "half v_minus u0",
        "CHARGE_PER_MASS": "CHARGE_PER_MASS Q_OVER_M",
    },
)
def magnetic_kick(c):
    """Pushes charges through {FIELD}{ELECTRIC} by {PUSHER}{SPEED}{MOVE}."""
    n = c.size()
    FIELD = c.meaning("uniform fields", "a magnetic mirror", "a magnetic dipole", "fields at the particles")
    ELECTRIC = " and an electric field" if "magnetic" in FIELD else ""
    PUSHER = c.meaning("the Boris scheme", "an exact rotation", "the implicit midpoint rule")
    SPEED, MOVE = (
        c.meaning("", ", relativistically"),
        c.meaning("", ", and moves them", ", and moves them in a box"),
    )
    CHARGE_PER_MASS, STRENGTH, DT, SIDE = (
        c.constant(0.5, 2.0), c.constant(0.5, 2.0), c.constant(0.1, 0.4), c.constant(0.8, 1.2),
    )  # fmt: skip
    c.once("motion")
    MORE = "boris_push" if "Boris" in PUSHER else "advance_charges" if MOVE else "kick_charges"
    c.names({"kernel": f"push_charges {MORE}"})
    if SPEED:
        # the velocity times gamma, of light of speed one
        c.names({"v": "momenta proper_velocities gamma_v"})

    def mirror(p: wp.vec3) -> wp.vec3:
        """A field along z that narrows at both ends."""
        return STRENGTH * wp.vec3(-p[0] * p[2], -p[1] * p[2], 1.0 + p[2] * p[2])

    def dipole(p: wp.vec3) -> wp.vec3:
        # finite at the dipole itself
        r2 = wp.dot(p, p) + 0.3
        return STRENGTH / wp.pow(r2, 2.5) * (3.0 * p[2] * p - r2 * wp.vec3(0.0, 0.0, 1.0))

    def turned(u: wp.vec3, b: wp.vec3) -> wp.vec3:
        """A velocity turned for a whole step; b is the field times charge per mass and half a step."""
        if PUSHER == "the Boris scheme":
            s = 2.0 / (1.0 + wp.dot(b, b)) * b
            return u + wp.cross(u + wp.cross(u, b), s)
        elif PUSHER == "an exact rotation":
            size = wp.length(b)
            return wp.quat_rotate(wp.quat_from_axis_angle(wp.normalize(b), -2.0 * size), u)
        else:
            middle = (u + wp.cross(u, b) + wp.dot(u, b) * b) / (1.0 + wp.dot(b, b))
            return 2.0 * middle - u

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = updated(n, low=-1.0, high=1.0, of="position")
        if MOVE
        else given(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = updated(n, low=-1.5, high=1.5, of=None if SPEED else "velocity"),
        electric: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        magnetic: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        e_field: wp.vec3 = given(low=-2.0, high=2.0),
        b_field: wp.vec3 = given(low=-2.0, high=2.0),
    ):
        i = wp.tid()
        if MOVE or FIELD == "a magnetic mirror" or FIELD == "a magnetic dipole":
            p = x[i]
        # for half a step
        push = 0.5 * DT * CHARGE_PER_MASS
        if FIELD == "fields at the particles":
            kick = push * electric[i]
            b = magnetic[i]
        else:
            kick = push * e_field
            if FIELD == "a magnetic mirror":
                b = mirror(p)
            elif FIELD == "a magnetic dipole":
                b = dipole(p)
            else:
                b = b_field
        # half of the electric kick before, half of it after the turn
        half = v[i] + kick
        if SPEED:
            # gamma from the momentum per mass, where light has a speed of one
            gamma = wp.sqrt(1.0 + wp.dot(half, half))
            u = turned(half, push / gamma * b) + kick
        else:
            u = turned(half, push * b) + kick
        v[i] = u
        if MOVE:
            drift = DT / wp.sqrt(1.0 + wp.dot(u, u)) * u if SPEED else DT * u
            if MOVE == ", and moves them in a box":
                ahead = p + drift
                x[i] = wp.vec3(
                    wp.clamp(ahead[0], -SIDE, SIDE),
                    wp.clamp(ahead[1], -SIDE, SIDE),
                    wp.clamp(ahead[2], -SIDE, SIDE),
                )
            else:
                x[i] = p + drift


@idiom(level=3, differentiable=False, names=NAMES | {"left": "left escaped exits"})
def domain_boundary(c):
    """Moves particles one step in place; those that leave {DOMAIN} {FATE}{COUNT}."""
    n = c.size()
    DOMAIN = c.meaning("a box", "a strip", "a disc")
    FATES = ("bounce", "stop at the edge", "start again at inlets", "die")
    FATE = c.meaning(*FATES) if DOMAIN == "a disc" else c.meaning(*FATES, "re-enter at the other side")
    COUNT = c.meaning("", ", and are counted", ", and their momentum is added up")
    SIDE, BOUNCE = c.constant(0.6, 0.9), c.constant(0.3, 0.95)
    c.once("ends of the domain")
    # what comes next would have to know who is left
    PLACE = None if FATE == "die" else "position"
    ACTS = {
        "bounce": "bounce", "stop at the edge": "stop", "start again at inlets": "respawn",
        "die": "absorb", "re-enter at the other side": "wrap",
    }  # fmt: skip
    c.names({"kernel": f"apply_boundary {ACTS[FATE]}_particles"})

    def folded(p: float) -> float:
        """A coordinate brought between minus and plus {SIDE} by whole periods."""
        return p - 2.0 * SIDE * wp.floor((p + SIDE) / (2.0 * SIDE))

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = updated(n, low=-0.6, high=0.6, of=PLACE),
        v: wp.array[wp.vec2] = updated(n, low=-4.0, high=4.0, of="velocity")
        if FATE == "bounce" or FATE == "stop at the edge"
        else given(n, low=-4.0, high=4.0, of="velocity"),
        inlet: wp.array[wp.vec2] = given(n, low=-0.4, high=0.4),
        alive: wp.array[int] = updated(n, low=0, high=1),
        mass: wp.array[float] = given(n, low=0.3, high=2.0, of="mass"),
        dt: float = given(low=0.1, high=0.4),
        left: wp.array[int] = result(1),
        momentum: wp.array[wp.vec2] = result(1),
    ):
        i = wp.tid()
        if FATE == "die":
            if alive[i] == 0:
                return
        u = v[i]
        p = x[i] + dt * u
        if DOMAIN == "a box":
            outside = wp.abs(p[0]) > SIDE or wp.abs(p[1]) > SIDE
        elif DOMAIN == "a strip":
            outside = wp.abs(p[1]) > SIDE
        else:
            outside = wp.length(p) > SIDE
        if outside:
            if COUNT == ", and are counted":
                wp.atomic_add(left, 0, 1)
            elif COUNT:
                wp.atomic_add(momentum, 0, mass[i] * u)
            if FATE == "die":
                alive[i] = 0
            elif FATE == "start again at inlets":
                p = inlet[i]
            elif FATE == "re-enter at the other side":
                p = wp.vec2(folded(p[0]), folded(p[1])) if DOMAIN == "a box" else wp.vec2(p[0], folded(p[1]))
            elif DOMAIN == "a disc":
                outward = wp.normalize(p)
                p = SIDE * outward
                if FATE == "bounce":
                    # what moves inward already goes on
                    v[i] = u - (1.0 + BOUNCE) * wp.max(wp.dot(u, outward), 0.0) * outward
                else:
                    v[i] = wp.vec2()
            elif FATE == "stop at the edge":
                v[i] = wp.vec2()
                if DOMAIN == "a box":
                    p = wp.vec2(wp.clamp(p[0], -SIDE, SIDE), wp.clamp(p[1], -SIDE, SIDE))
                else:
                    p = wp.vec2(p[0], wp.clamp(p[1], -SIDE, SIDE))
            elif DOMAIN == "a strip":
                side = wp.sign(p[1])
                p[1] = 2.0 * SIDE * side - p[1]
                u[1] = -BOUNCE * side * wp.abs(u[1])
                v[i] = u
            else:
                for k in range(2):
                    if wp.abs(p[k]) > SIDE:
                        # mirrored at the wall, and inward
                        side = wp.sign(p[k])
                        p[k] = 2.0 * SIDE * side - p[k]
                        u[k] = -BOUNCE * side * wp.abs(u[k])
                v[i] = u
        x[i] = p


@idiom(
    level=5,
    differentiable=False,
    names=NAMES | {"kernel": "integrate_adaptively", "steps": "steps accepted", "error": "error err"},
)
def adaptive_orbit(c):
    """{WANTED} of orbits {FIELD} by the {PAIR} pair {CONTROL}, in at most {LIMIT} trials{WHERE}."""
    n, LIMIT = c.size(6, 10), c.count(40, 60)
    WANTED = c.meaning(
        "The final state", "The number of accepted steps", "The gain of specific kinetic energy"
    )
    WHERE = ", in place" if WANTED == "The final state" else ""
    PAIR = c.meaning("Bogacki-Shampine", "Heun-Euler", "midpoint-Euler")
    CONTROL = c.meaning("with proportional step control", "that halves and doubles its steps")
    # the pair of third order makes smaller errors
    TOLERANCE = c.constant(0.002, 0.005, step=0.001) if PAIR == "Bogacki-Shampine" else c.constant(0.02, 0.05)
    HORIZON, MU, STIFFNESS = c.constant(1.0, 1.6), c.constant(0.5, 1.0), c.constant(2.0, 4.0)

    def point_mass(p: wp.vec2) -> wp.vec2:
        # finite at the centre
        return -MU / wp.pow(wp.dot(p, p) + 0.05, 1.5) * p

    def henon_heiles(p: wp.vec2) -> wp.vec2:
        return -wp.vec2(p[0] + 2.0 * p[0] * p[1], p[1] + p[0] * p[0] - p[1] * p[1])

    def quartic(p: wp.vec2) -> wp.vec2:
        return -STIFFNESS * wp.dot(p, p) * p

    FORCE, FIELD, FAR = c.meaning(
        (quartic, "in a quartic well", 0.9), (point_mass, "around a softened point mass", 0.9),
        (henon_heiles, "in the Henon-Heiles potential", 0.5),
    )  # fmt: skip
    State = updated if WANTED == "The final state" else given
    if WANTED == "The number of accepted steps":
        c.names({"kernel": "count_steps accepted_steps"})
    elif WANTED != "The final state":
        c.names({"kernel": "energy_gains gained_energy"})

    def trial(p: wp.vec2, u: wp.vec2, dt: float):
        """The state after a step, and how far two orders are apart."""
        a1 = FORCE(p)
        if PAIR == "Bogacki-Shampine":
            half = 0.5 * dt
            three_quarters = 0.75 * dt
            u2 = u + half * a1
            a2 = FORCE(p + half * u)
            u3 = u + three_quarters * a2
            a3 = FORCE(p + three_quarters * u2)
            ninth = dt / 9.0
            ahead = p + ninth * (2.0 * u + 3.0 * u2 + 4.0 * u3)
            after = u + ninth * (2.0 * a1 + 3.0 * a2 + 4.0 * a3)
            # the second order takes the last velocity in as well
            gap = 6.0 * u2 + 8.0 * u3 - 5.0 * u - 9.0 * after
            return ahead, after, dt / 72.0 * wp.length(gap)
        elif PAIR == "Heun-Euler":
            euler = p + dt * u
            ahead = p + dt * u + 0.5 * dt * dt * a1
            after = u + 0.5 * dt * (a1 + FORCE(euler))
            return ahead, after, wp.length(ahead - euler)
        else:
            middle = u + 0.5 * dt * a1
            after = u + dt * FORCE(p + 0.5 * dt * u)
            return p + dt * middle, after, 0.5 * dt * dt * wp.length(a1)

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = State(n, low=-FAR, high=FAR, of="position"),
        v: wp.array[wp.vec2] = State(n, low=-0.7, high=0.7, of="velocity"),
        first_dt: float = given(low=0.02, high=0.6),
        count: wp.array[int] = result(n),
        gained: wp.array[float] = result(n),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        t = float(0.0)
        dt = float(first_dt)
        if WANTED == "The number of accepted steps":
            steps = int(0)
        for _ in range(LIMIT):
            # by rounding the last step may fall short of the end
            if t > HORIZON - 1.0e-3:
                break
            dt = wp.min(dt, HORIZON - t)
            ahead, after, error = trial(p, u, dt)
            if CONTROL == "that halves and doubles its steps":
                if error > TOLERANCE:
                    dt *= 0.5
                else:
                    t += dt
                    p = ahead
                    u = after
                    if WANTED == "The number of accepted steps":
                        steps += 1
                    if error < 0.25 * TOLERANCE:
                        dt *= 2.0
            else:
                if error <= TOLERANCE:
                    t += dt
                    p = ahead
                    u = after
                    if WANTED == "The number of accepted steps":
                        steps += 1
                # never more than three times longer or shorter at once
                scale = 0.9 * wp.pow(
                    TOLERANCE / (error + 1.0e-6), 0.33 if PAIR == "Bogacki-Shampine" else 0.5
                )
                dt *= wp.clamp(scale, 0.3, 3.0)
        if WANTED == "The final state":
            x[i] = p
            v[i] = u
        elif WANTED == "The number of accepted steps":
            count[i] = steps
        else:
            gained[i] = 0.5 * (wp.dot(u, u) - wp.dot(v[i], v[i]))
