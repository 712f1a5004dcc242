"""Steps of bodies that turn, of charges, at boundaries, of adaptive length."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .integrators import NAMES


@idiom(level=3, names=NAMES | {"kernel": "spin_bodies rotate_bodies", "omega": "omega spin w particle_w"})
def integrate_orientation(c):
    """{DONE} by {HOW} for a spin in {FRAME} axes{LOAD}.

    {PURPOSE}. The spin ω in {omega} is given in {FRAME} axes. {BEFORE} {RULE} {AFTER}
    """
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

    PURPOSE = "Advance orientations, unit quaternions r in {q}, by {dt}, by {HOW}"
    if not KEPT:
        PURPOSE = (
            "Predict where an axis of each body points {dt} later, turning its orientation r in {q} by {HOW}"
        )
    BEFORE = {
        "": "",
        ", which a torque changes first": "A torque changes it first: ω grows by {dt} / {INERTIA} · "
        "{torque}, and is stored.",
        ", which is damped first": "It is damped first, divided by 1 + {DAMPING}·{dt}, and stored.",
    }[LOAD]  # fmt: skip
    D = "½·(ω, 0)⊗r" if FRAME == "space" else "½·r⊗(ω, 0)"
    TURNED = "turn⊗r" if FRAME == "space" else "r⊗turn"
    RULE = {
        "a first-order step": "The derivative of r is D(r) = {D}; the new orientation is r + "
        "{dt}·D(r), normalized.",
        "the midpoint rule": "The derivative of r is D(r) = {D}. With m = r + {dt}/2 · D(r), "
        "normalized, the new orientation is r + {dt}·D(m), normalized.",
        "axis and angle": "The new orientation is {TURNED}, where the turn is about the axis ω by the "
        "angle |ω|·{dt}.",
        "the exponential map": "With the angle θ = |ω|·{dt}, the new orientation is {TURNED} for the "
        "turn (s·{dt}·ω, cos(θ/2)), where s = sin(θ/2) / θ if θ > 0.5, and by "
        "its series ½ - θ²/48 otherwise.",
    }[HOW]
    AFTER = "Store it in place." if KEPT else "{out} is the axis {axes} of the body rotated by it; {q} stays."

    @c.kernel(n)
    def kernel(
        q: wp.array[wp.quat] = inout(n, low=-1.0, high=1.0, trait="unit")
        if KEPT
        else input(n, low=-1.0, high=1.0, trait="unit"),
        omega: wp.array[wp.vec3] = inout(n, low=-3.0, high=3.0) if LOAD else input(n, low=-3.0, high=3.0),
        torque: wp.array[wp.vec3] = input(n, low=-5.0, high=5.0),
        axes: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit"),
        dt: float = input(low=0.1, high=0.5),
        out: wp.array[wp.vec3] = output(n),
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
    """Pushes charges through {FIELD}{ELECTRIC} by {PUSHER}{SPEED}{MOVE}.

    Push charges through {FIELD}{ELECTRIC} by one step of {PUSHER}{SPEED}. The time step is {DT} and the
    charge per mass {CHARGE_PER_MASS}; let k be half their product. {WHICH} {STEP} {TURNED} {MOVES}
    """
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

    E, B = "{e_field}", "{b_field}"
    WHICH = "The fields are E = {e_field} and B = {b_field}."
    if FIELD == "fields at the particles":
        WHICH = "The fields at a particle are E, in {electric}, and B, in {magnetic}."
    elif "mirror" in FIELD:
        WHICH = (
            "The fields at the position p in {x} are E = {e_field} and B = {STRENGTH} · (-p.x·p.z, "
            "-p.y·p.z, 1 + p.z²)."
        )
    elif "dipole" in FIELD:
        WHICH = (
            "The fields at the position p in {x} are E = {e_field} and, with s = |p|² + 0.3, B = "
            "{STRENGTH} / s^2.5 · "
        )
        WHICH += "(3·p.z·p - s·(0, 0, 1))."
    STEP = "Add k·E to the velocity in {v}, turn the result u with b = k·B, and add k·E again."
    if SPEED:
        STEP = (
            "{v} is the velocity times gamma, with the speed of light 1. Add k·E to it, turn the "
            "result u with b = k·B / √(1 + |u|²), "
        )
        STEP += "and add k·E again."
    TURNED = {
        "the Boris scheme": "Turning gives u + (u + u × b) × s, where s = 2·b / (1 + |b|²).",
        "an exact rotation": "Turning rotates u about the axis b by the angle -2·|b|, right-handed.",
        "the implicit midpoint rule": "Turning gives 2·m - u with the midpoint m = (u + u × b + "
        "(u·b)·b) / (1 + |b|²).",
    }[PUSHER]
    TURNED += " Store the result in place."
    MOVES = ""
    if MOVE:
        MOVES = "Then move {x} by {DT} times the new velocity."
        if SPEED:
            MOVES = "Then move {x} by {DT} times {v} / √(1 + |{v}|²), {v} being the new one."
        MOVES += " Each coordinate is clamped to [-{SIDE}, {SIDE}]." if "box" in MOVE else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = inout(n, low=-1.0, high=1.0, of="position")
        if MOVE
        else input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = inout(n, low=-1.5, high=1.5, of=None if SPEED else "velocity"),
        electric: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0),
        magnetic: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0),
        e_field: wp.vec3 = input(low=-2.0, high=2.0),
        b_field: wp.vec3 = input(low=-2.0, high=2.0),
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
    """Moves particles one step in place; those that leave {DOMAIN} {FATE}{COUNT}.

    Move particles in {x} by {dt} times their velocity {v}, to p, and treat those that leave {INSIDE}. {RULE}
    {TOLD} {x} is updated in place{AS_WELL}.
    """
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

    INSIDE = {
        "a box": "the box |p.x| ≤ {SIDE}, |p.y| ≤ {SIDE}", "a strip": "the strip |p.y| ≤ {SIDE}",
        "a disc": "the disc of radius {SIDE} about the origin",
    }[DOMAIN]  # fmt: skip
    RULE = {
        "bounce": "They bounce: each coordinate that is out of range is mirrored at the wall that it "
        "crossed, and its velocity component then points inwards with {BOUNCE} times its "
        "magnitude.",
        "stop at the edge": "They stop at the edge: coordinates out of range are clamped, and the "
        "velocity becomes zero.",
        "start again at inlets": "They start again at their {inlet}; the velocity stays.",
        "die": "They die: {alive} becomes 0, and they stay where they went. Particles that are dead "
        "already do not move and do not count.",
        "re-enter at the other side": "They re-enter at the other side: a coordinate that is bounded "
        "is brought into [-{SIDE}, {SIDE}) by whole periods of 2 · "
        "{SIDE}.",
    }[FATE]
    if DOMAIN == "a disc":
        if FATE == "bounce":
            RULE = (
                "They bounce: they are put on the edge radially, and with n the unit vector "
                "outwards, the velocity loses "
            )
            RULE += "(1 + {BOUNCE}) · max(velocity·n, 0) · n."
        elif FATE == "stop at the edge":
            RULE = "They stop: they are put on the edge radially, and the velocity becomes zero."
    TOLD = ""
    if "counted" in COUNT:
        TOLD = "{left} is the number of particles that leave."
    elif COUNT:
        TOLD = (
            "{momentum} is the sum of {mass} times velocity, as it was before, of the particles that leave."
        )
    AS_WELL = ", and so is {v}" if FATE in ("bounce", "stop at the edge") else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = inout(n, low=-0.6, high=0.6, of=PLACE),
        v: wp.array[wp.vec2] = inout(n, low=-4.0, high=4.0, of="velocity")
        if FATE == "bounce" or FATE == "stop at the edge"
        else input(n, low=-4.0, high=4.0, of="velocity"),
        inlet: wp.array[wp.vec2] = input(n, low=-0.4, high=0.4),
        alive: wp.array[int] = inout(n, low=0, high=1),
        mass: wp.array[float] = input(n, low=0.3, high=2.0, of="mass"),
        dt: float = input(low=0.1, high=0.4),
        left: wp.array[int] = output(1),
        momentum: wp.array[wp.vec2] = output(1),
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
    """{WANTED} of orbits {FIELD} by the {PAIR} pair {CONTROL}, in at most {LIMIT} trials{WHERE}.

    Integrate orbits {FIELD} from time 0 to {HORIZON} by the embedded {PAIR} pair, with adaptive steps. The
    acceleration at p is a(p) = {ATTRACTION}; the position p starts at {x}, the velocity u at {v}, and the
    trial step h at {first_dt}. {STEP}

    A trial first cuts h to the time that remains. If e ≤ {TOLERANCE}, it is accepted: time, position and
    velocity advance. {ADAPT} Stop as soon as the time exceeds {HORIZON} - 0.001, or after {LIMIT} trials.
    {RESULT}
    """
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
    State = inout if WANTED == "The final state" else input
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

    ATTRACTION = {
        "in a quartic well": "-{STIFFNESS} · |p|² · p",
        "around a softened point mass": "-{MU}·p / (|p|² + 0.05)^1.5",
        "in the Henon-Heiles potential": "-(p.x + 2·p.x·p.y, p.y + p.x² - p.y²)",
    }[FIELD]  # fmt: skip
    STEP = {
        "Bogacki-Shampine": "The stages have the velocities u₁ = u, u₂ = u + h/2 · a(p), u₃ = u + "
        "0.75·h · a(p + h/2 · u₁) and the accelerations at p, p + h/2 · u₁ and p "
        "+ 0.75·h · u₂. The new position and velocity take them with the weights "
        "2/9, 3/9 and 4/9. With the new velocity u₄, the error e is h/72 · |6·u₂ "
        "+ 8·u₃ - 5·u₁ - 9·u₄|.",
        "Heun-Euler": "A step leads to p + h·u + h²/2 · a(p), with the velocity u + h/2 · (a(p) + a(p "
        "+ h·u)); the error e is its distance from p + h·u.",
        "midpoint-Euler": "A step leads to p + h·u + h²/2 · a(p), with the velocity u + h · a(p + h/2 "
        "· u); the error e is h²/2 · |a(p)|.",
    }[PAIR]
    POWER = "0.33" if PAIR == "Bogacki-Shampine" else "½"
    ADAPT = (
        "After each trial, h is multiplied by a factor, 0.9 · ({TOLERANCE} / (e + 1e-6))^{POWER} "
        "clamped to [0.3, 3]."
    )
    if "halves" in CONTROL:
        ADAPT = (
            "After a rejected trial h is halved; after an accepted one with e < 0.25 · {TOLERANCE} "
            "h is doubled."
        )
    RESULT = {
        "The final state": "Store the final position and velocity in place.",
        "The number of accepted steps": "{count} gets the number of accepted trials.",
        "The gain of specific kinetic energy": "{gained} is ½·|u|² at the end less that at the start.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = State(n, low=-FAR, high=FAR, of="position"),
        v: wp.array[wp.vec2] = State(n, low=-0.7, high=0.7, of="velocity"),
        first_dt: float = input(low=0.02, high=0.6),
        count: wp.array[int] = output(n),
        gained: wp.array[float] = output(n),
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
