"""Steps in time: Euler, Verlet, Runge-Kutta, Boris, Langevin, orientations, boundaries."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "x": "x positions particle_q pos",
    "v": "v velocities particle_qd vel",
    "f": "f forces particle_f",
    "inv_mass": "inv_mass inverse_mass w",
    "q": "q rotations orientations quats",
    "dt": "dt step h",
    "u": "u velocity vel_i",
    "p": "p place here",
}


@idiom(
    level=2,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "integrate_particles semi_implicit_euler",
        "before after": "before after | old_v new_v | v0 v1",
        "a": "a acc accel",
    },
)
def euler_step(c):
    """Moves particles one step in place under {LOADS}, {SCHEME}.

    Advance particles by one step {dt} in place, {SCHEME}, under {LOADS}. The acceleration a is
    {ACCELERATION}. The velocity u in {v} becomes {NEW}{CUT}. The position{P_IN} {x} moves by {dt} times
    {MOVER}.
    """
    n = c.size()
    SCHEME = c.meaning("by symplectic Euler", "by explicit Euler", "with the mean of old and new velocity")
    FORCE = c.meaning("gravity", "given forces", "a harmonic pull to the origin")
    DRAG, LIMIT = c.meaning("", "linear drag", "quadratic drag"), c.meaning("", "a speed limit")
    *MORE, LAST = [load for load in (FORCE, DRAG, LIMIT) if load]
    LOADS = f"{', '.join(MORE)} and {LAST}" if MORE else LAST
    DAMPING, TOP_SPEED, STIFFNESS = c.constant(0.2, 0.8), c.constant(1.0, 2.5), c.constant(2.0, 8.0)
    Vec = c.vec(c.meaning(3, 2))
    c.once("weight", FORCE == "gravity")
    c.once("drag", DRAG)
    c.once("speed limit", LIMIT)
    c.once("motion")
    if SCHEME != "by symplectic Euler":
        c.names({"kernel": "integrate_particles step_particles"})
    ACCELERATION = {
        "gravity": "{gravity}",
        "given forces": "{inv_mass} times the force {f}",
        "a harmonic pull to the origin": "-{STIFFNESS}·p",
    }[FORCE]  # fmt: skip
    NEW = "u + {dt}·a"
    RATE = "{DAMPING}" if DRAG == "linear drag" else "{DAMPING}·|u|"
    if DRAG and SCHEME == "by explicit Euler":
        NEW = "u + {dt} · (a - {RATE}·u)"
    elif DRAG:
        NEW = "(u + {dt}·a) / (1 + {dt}·{RATE}), the drag being taken implicitly"
    CUT = ", then scaled by min({TOP_SPEED} / (its length + 1e-6), 1)" if LIMIT else ""
    P_IN = " p in" if "harmonic" in FORCE else " in"
    MOVER = {
        "by symplectic Euler": "the new velocity", "by explicit Euler": "the old velocity",
        "with the mean of old and new velocity": "the mean of both",
    }[SCHEME]  # fmt: skip

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = inout(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = inout(n, low=-2.0, high=2.0, of="velocity"),
        f: wp.array[Vec] = input(n, low=-6.0, high=6.0, of="force"),
        inv_mass: wp.array[float] = input(n, low=0.3, high=2.0, of="inverse mass"),
        gravity: Vec = input(low=-9.0, high=9.0),
        dt: float = input(low=0.05, high=0.3),
    ):
        i = wp.tid()
        before = v[i]
        if FORCE == "gravity":
            a = gravity
        elif FORCE == "given forces":
            a = inv_mass[i] * f[i]
        else:
            a = -STIFFNESS * x[i]
        if DRAG == "linear drag":
            if SCHEME == "by explicit Euler":
                after = before + dt * (a - DAMPING * before)
            else:
                # taken implicitly: no step is too long for it
                after = (before + dt * a) / (1.0 + DAMPING * dt)
        elif DRAG == "quadratic drag":
            rate = DAMPING * wp.length(before)
            if SCHEME == "by explicit Euler":
                after = before + dt * (a - rate * before)
            else:
                # the coefficient as it is now, the velocity as it will be
                after = (before + dt * a) / (1.0 + rate * dt)
        else:
            after = before + dt * a
        if LIMIT:
            after *= wp.min(TOP_SPEED / (wp.length(after) + 1.0e-6), 1.0)
        if SCHEME == "by symplectic Euler":
            x[i] = x[i] + dt * after
        elif SCHEME == "by explicit Euler":
            x[i] = x[i] + dt * before
        else:
            x[i] = x[i] + 0.5 * dt * (before + after)
        v[i] = after


@idiom(
    level=2,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "thermostat apply_noise",
        "state": "state rng rand_state",
        "rx ry rz": "rx ry rz | nx ny nz | r0 r1 r2",
        "noise": "noise xi kick",
        "spread": "spread sigma amplitude",
        "kept": "kept decay",
        "FRICTION": "FRICTION GAMMA",
        "TEMPERATURE": "TEMPERATURE KT THERMAL_ENERGY",
        "mass": "mass masses m",
    },
)
def langevin_step(c):
    """{STEPS}{DRIFT} by {SCHEME}, with {NOISE}.

    {ACT}{DRIFT} by {SCHEME}. {RULE}

    The noise n of particle k comes from Warp's generator, started by rand_init({seed}, k): {DRAWN}, one for
    each component in order{SCALED}.
    """
    n = c.size()
    KIND = c.meaning("velocities", "displacements")
    NOISE = c.meaning("normal noise", "noise uniform in a cube", "noise on a sphere")
    SCHEME = (
        c.meaning("an Euler-Maruyama step of Langevin's equation", "the exact Ornstein-Uhlenbeck step")
        if KIND == "velocities"
        else "overdamped Brownian motion"
    )
    MASS = c.meaning("masses", "inverse masses") if KIND == "velocities" else ""
    STEPS = (
        f"Steps the velocities of particles of given {MASS} in place" if MASS else "Moves particles in place"
    )
    DRIFT = c.meaning("", " under forces")
    FRICTION, TEMPERATURE = c.constant(0.3, 2.0), c.constant(0.3, 2.0)
    c.once("drag")
    c.once("motion")
    c.once("inertia", KIND == "displacements")
    if KIND == "displacements":
        c.names({"kernel": "brownian_displacements apply_noise"})

    def sample(seed: int, i: int) -> wp.vec3:
        state = wp.rand_init(seed, i)
        if NOISE == "noise uniform in a cube":
            rx = wp.randf(state, -1.0, 1.0)
            ry = wp.randf(state, -1.0, 1.0)
            rz = wp.randf(state, -1.0, 1.0)
        else:
            rx = wp.randn(state)
            ry = wp.randn(state)
            rz = wp.randn(state)
        if NOISE == "normal noise":
            return wp.vec3(rx, ry, rz)
        else:
            # the root of three makes the variance of each component one
            return 1.732 * (
                wp.normalize(wp.vec3(rx, ry, rz)) if NOISE == "noise on a sphere" else wp.vec3(rx, ry, rz)
            )

    ACT = STEPS.replace("Steps", "Step").replace("Moves", "Move")
    PER_MASS = " / {mass}" if MASS == "masses" else " · {inv_mass}"
    PUSH = ""
    if KIND == "displacements":
        if DRIFT:
            PUSH = "{dt} / {FRICTION} times the force {f} plus "
        RULE = "The displacement of {x} is {PUSH}√(2 · {TEMPERATURE} · {dt} / {FRICTION}) · n."
    elif "Langevin" in SCHEME:
        if DRIFT:
            PUSH = " + {dt} · {f}{PER_MASS}"
        RULE = "The velocity u in {v} becomes (1 - {FRICTION}·{dt}) · u{PUSH} + "
        RULE += "√(2 · {FRICTION} · {TEMPERATURE} · {dt}{PER_MASS}) · n."
    else:
        if DRIFT:
            PUSH = " + (1 - c) / {FRICTION} · {f}{PER_MASS}"
        RULE = "With c = exp(-{FRICTION} · {dt}), the velocity u in {v} becomes c·u{PUSH} + "
        RULE += "√({TEMPERATURE}{PER_MASS} · (1 - c²)) · n."
    DRAWN = "three numbers uniform in [-1, 1] (randf)" if "cube" in NOISE else "three normal numbers (randn)"
    SCALED = {
        "normal noise": "", "noise uniform in a cube": ", times 1.732, so that each has the variance one",
        "noise on a sphere": "; the vector is normalized and multiplied by 1.732, so that each "
        "component has the variance one",
    }[NOISE]  # fmt: skip

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = inout(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = inout(n, low=-1.0, high=1.0, of="velocity"),
        f: wp.array[wp.vec3] = input(n, low=-3.0, high=3.0, of="force"),
        mass: wp.array[float] = input(n, low=0.3, high=2.0, of="mass"),
        inv_mass: wp.array[float] = input(n, low=0.3, high=2.0, of="inverse mass"),
        seed: int = input(low=1, high=9999),
        dt: float = input(low=0.1, high=0.5),
    ):
        i = wp.tid()
        noise = sample(seed, i)
        if KIND == "displacements":
            spread = wp.sqrt(2.0 * TEMPERATURE / FRICTION * dt)
            if DRIFT:
                x[i] = x[i] + dt / FRICTION * f[i] + spread * noise
            else:
                x[i] = x[i] + spread * noise
        elif "Langevin" in SCHEME:
            if MASS == "masses":
                spread = wp.sqrt(2.0 * FRICTION * TEMPERATURE / mass[i] * dt)
            else:
                spread = wp.sqrt(2.0 * FRICTION * TEMPERATURE * inv_mass[i] * dt)
            if DRIFT:
                push = f[i] / mass[i] if MASS == "masses" else inv_mass[i] * f[i]
                v[i] = v[i] + dt * (push - FRICTION * v[i]) + spread * noise
            else:
                v[i] = (1.0 - FRICTION * dt) * v[i] + spread * noise
        else:
            # mean and variance are exact for any length of the step
            kept = wp.exp(-FRICTION * dt)
            if MASS == "masses":
                spread = wp.sqrt(TEMPERATURE / mass[i] * (1.0 - kept * kept))
            else:
                spread = wp.sqrt(TEMPERATURE * inv_mass[i] * (1.0 - kept * kept))
            if DRIFT:
                push = f[i] / mass[i] if MASS == "masses" else inv_mass[i] * f[i]
                v[i] = kept * v[i] + (1.0 - kept) / FRICTION * push + spread * noise
            else:
                v[i] = kept * v[i] + spread * noise


@idiom(
    level=3,
    differentiable=False,
    names=NAMES
    | {
        "given_a": "acc accelerations particle_qdd",
        "a_old": "acc_old last_acc qdd_prev",
        "kernel": "leapfrog integrate_verlet",
        "old": "old previous x_prev",
    },
)
def verlet_step(c):
    """One{DAMP} step of {SCHEME} {FIELD}, in place{EDGE}.

    Advance particles by one{DAMP} step of {SCHEME} {FIELD}, of the length {dt}, in place. {ACCELERATED}
    {RULE} {AT_EDGE}
    """
    n = c.size()
    SCHEME = c.meaning("position Verlet", "velocity Verlet", "time-corrected Verlet", "leapfrog")
    FIELDS = ("in a harmonic well", "in a Mexican-hat potential", "around a softened point mass")
    FIELD = c.meaning(*FIELDS, "under their accelerations")
    DAMP, EDGE = (
        c.meaning("", " damped"),
        c.meaning("", "; fixed particles stay", "; a floor stops particles"),
    )
    STRENGTH, DAMPING, LEVEL = c.constant(1.0, 4.0), c.constant(0.1, 0.6), c.constant(-1.0, -0.8)
    Vec = c.vec(3)
    c.once("drag", DAMP)
    c.once("floor", EDGE == "; a floor stops particles")
    c.once("ends of the domain", EDGE == "; fixed particles stay")
    c.once("motion")
    if SCHEME != "leapfrog":
        c.names({"kernel": "integrate_verlet verlet_step"})

    def harmonic(p: Vec) -> Vec:
        return -STRENGTH * p

    def mexican_hat(p: Vec) -> Vec:
        return STRENGTH * (1.0 - wp.dot(p, p)) * p

    def point_mass(p: Vec) -> Vec:
        # finite at the centre
        return -STRENGTH / (wp.pow(wp.length(p), 3.0) + 0.1) * p

    FORCE = {"in a harmonic well": harmonic, "in a Mexican-hat potential": mexican_hat}.get(FIELD, point_mass)
    PLACES = SCHEME == "position Verlet" or SCHEME == "time-corrected Verlet"
    ACCELERATED = {
        "in a harmonic well": "The acceleration at p is a(p) = -{STRENGTH}·p.",
        "in a Mexican-hat potential": "The acceleration at p is a(p) = {STRENGTH} · (1 - |p|²) · p.",
        "around a softened point mass": "The acceleration at p is a(p) = -{STRENGTH}·p / (|p|³ + 0.1).",
        "under their accelerations": "Their accelerations a are in {given_a}.",
    }[FIELD]
    A = "a" if FIELD == "under their accelerations" else "a(p)"
    RULE = (
        "The position p in {x} moves by {TRAVEL}, where s is p less the previous position "
        "{old}{SLOW}; {old} becomes p."
    )
    TRAVEL = "s + {dt}²·{A}"
    if SCHEME == "time-corrected Verlet":
        TRAVEL = "{dt} / {dt_old} · s + {dt} · ({dt} + {dt_old}) / 2 · {A}"
    SLOW = ", times 1 - {DAMPING} for damping" if DAMP else ""
    if SCHEME == "leapfrog":
        FACTOR = "(1 - {DAMPING}·{dt}) · u" if DAMP else "u"
        RULE = (
            "The velocity u in {v} becomes {FACTOR} + {dt}·{A}; then the position p in {x} moves "
            "by {dt} times the new velocity."
        )
    elif SCHEME == "velocity Verlet":
        if FIELD == "under their accelerations":
            RULE = (
                "First complete the last step's kick: the velocity u in {v} grows by {dt}/2 · "
                "({a_old} + a). Then the position in "
            )
            RULE += "{x} moves by {dt}·u + {dt}²/2 · a, with the new u."
        else:
            RULE = (
                "The position p in {x} moves by {dt}·u + {dt}²/2 · a(p), where u is the velocity "
                "in {v}; u grows by {dt}/2 times the "
            )
            RULE += "sum of the accelerations at the old and at the new position."
        RULE += " Afterwards the velocity is multiplied by 1 - {DAMPING}·{dt}." if DAMP else ""
    AT_EDGE = {
        "": "", "; fixed particles stay": "Nothing changes for particles whose {fixed} is 1.",
        "; a floor stops particles": "A floor stops particles: the y coordinate of the new position "
        "is at least {LEVEL}{LANDED}.",
    }[EDGE]  # fmt: skip
    LANDED = "" if PLACES else ", and if it was below, that of the new velocity is at least 0"

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = inout(n, low=-1.2, high=1.2, of="position"),
        v: wp.array[Vec] = inout(n, low=-1.5, high=1.5, of="velocity"),
        old: wp.array[Vec] = inout(n, low=-1.2, high=1.2),
        given_a: wp.array[Vec] = input(n, low=-3.0, high=3.0, of="acceleration"),
        a_old: wp.array[Vec] = input(n, low=-3.0, high=3.0),
        fixed: wp.array[int] = input(n, low=0, high=1),
        dt: float = input(low=0.2, high=0.5),
        dt_old: float = input(low=0.2, high=0.5),
    ):
        i = wp.tid()
        if EDGE == "; fixed particles stay":
            if fixed[i] == 1:
                return
        p = x[i]
        if PLACES:
            a = given_a[i] if FIELD == "under their accelerations" else FORCE(p)
            travel = (1.0 - DAMPING) * (p - old[i]) if DAMP else p - old[i]
            if SCHEME == "time-corrected Verlet":
                # the last step was of another length
                moved = p + dt / dt_old * travel + 0.5 * dt * (dt + dt_old) * a
            else:
                moved = p + travel + dt * dt * a
            old[i] = p
        elif SCHEME == "leapfrog":
            a = given_a[i] if FIELD == "under their accelerations" else FORCE(p)
            u = (1.0 - DAMPING * dt) * v[i] + dt * a if DAMP else v[i] + dt * a
            moved = p + dt * u
            v[i] = u
        else:
            if FIELD == "under their accelerations":
                # the last step's kick is completed by the accelerations at the new places
                u = v[i] + 0.5 * dt * (a_old[i] + given_a[i])
                moved = p + dt * u + 0.5 * dt * dt * given_a[i]
            else:
                before = FORCE(p)
                moved = p + dt * v[i] + 0.5 * dt * dt * before
                u = v[i] + 0.5 * dt * (before + FORCE(moved))
            if DAMP:
                u *= 1.0 - DAMPING * dt
            v[i] = u
        if EDGE == "; a floor stops particles":
            x[i] = Vec(moved[0], wp.max(moved[1], LEVEL), moved[2])
            if not PLACES:
                if moved[1] < LEVEL:
                    # what has landed falls no more
                    v[i] = Vec(u[0], wp.max(u[1], 0.0), u[2])
        else:
            x[i] = moved


@idiom(level=4, names=NAMES | {"kernel": "advect_tracers trace_flow", "x": "x points seeds positions"})
def runge_kutta_tracers(c):
    """Carries tracers through {FLOW} by {STEPS} steps of {METHOD}{TOLD}.

    Carry tracers from {x} through {FLOW}, by {STEPS} steps of {METHOD} of length {DT}, from the time
    {start} on. The velocity at p and time t is {FIELD}. {STAGES} {RESULT}
    """
    n, STEPS = c.size(), c.count(3, 6)
    METHOD = c.meaning(
        "classical Runge-Kutta", "Heun's method", "the midpoint rule", "Ralston's method", "Kutta's 3/8 rule"
    )
    WANTED = c.meaning("where they end", "how far they went", "when they left a disc")
    TOLD = {
        "where they end": ", in place", "how far they went": ", and stores the lengths of their paths",
        "when they left a disc": " until they leave a disc, and stores the last times",
    }[WANTED]  # fmt: skip
    if WANTED == "how far they went":
        c.names({"kernel": "path_lengths trace_paths", "out": "lengths distances"})
    elif WANTED == "when they left a disc":
        c.names({"kernel": "exit_times find_exits", "out": "times t_exit"})
    RATE, DT, RADIUS = c.constant(0.5, 2.0), c.constant(0.1, 0.3), c.constant(0.8, 1.2)

    def vortex(p: wp.vec2, t: float) -> wp.vec2:
        """A vortex with a soft core that drifts."""
        away = p - wp.vec2(0.2 * t, 0.0)
        r2 = wp.dot(away, away) + 0.2
        return RATE / r2 * wp.vec2(-away[1], away[0])

    def double_gyre(p: wp.vec2, t: float) -> wp.vec2:
        shift = p[0] + 0.25 * wp.sin(2.0 * t)
        return RATE * wp.vec2(-wp.sin(shift) * wp.cos(p[1]), wp.cos(shift) * wp.sin(p[1]))

    def saddle(p: wp.vec2, t: float) -> wp.vec2:
        return RATE * wp.vec2(p[0] + 0.1 * t, -p[1])

    def shear(p: wp.vec2, t: float) -> wp.vec2:
        """A steady shear, and a cross flow that comes and goes."""
        return RATE * wp.vec2(p[1] + 0.5, 0.3 * wp.cos(3.0 * t))

    VELOCITY, FLOW = c.meaning(
        (double_gyre, "a double gyre"), (vortex, "a vortex that drifts"),
        (shear, "a shear with an oscillating cross flow"), (saddle, "a saddle that drifts"),
    )  # fmt: skip

    def advanced(p: wp.vec2, t: float) -> wp.vec2:
        """The place one step later."""
        k1 = VELOCITY(p, t)
        if METHOD == "classical Runge-Kutta":
            k2 = VELOCITY(p + 0.5 * DT * k1, t + 0.5 * DT)
            k3 = VELOCITY(p + 0.5 * DT * k2, t + 0.5 * DT)
            k4 = VELOCITY(p + DT * k3, t + DT)
            return p + DT / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        elif METHOD == "Kutta's 3/8 rule":
            k2 = VELOCITY(p + DT / 3.0 * k1, t + DT / 3.0)
            k3 = VELOCITY(p + DT * (k2 - k1 / 3.0), t + 2.0 * DT / 3.0)
            k4 = VELOCITY(p + DT * (k1 - k2 + k3), t + DT)
            return p + DT / 8.0 * (k1 + 3.0 * k2 + 3.0 * k3 + k4)
        elif METHOD == "Heun's method":
            k2 = VELOCITY(p + DT * k1, t + DT)
            return p + 0.5 * DT * (k1 + k2)
        elif METHOD == "Ralston's method":
            k2 = VELOCITY(p + 2.0 * DT / 3.0 * k1, t + 2.0 * DT / 3.0)
            return p + 0.25 * DT * (k1 + 3.0 * k2)
        else:
            middle = p + 0.5 * DT * k1
            return p + DT * VELOCITY(middle, t + 0.5 * DT)

    FIELD = {
        "a double gyre": "{RATE} · (-sin(s)·cos(p.y), cos(s)·sin(p.y)) with s = p.x + 0.25·sin(2·t)",
        "a vortex that drifts": "{RATE} · (-d.y, d.x) / (|d|² + 0.2) with d = p - (0.2·t, 0)",
        "a shear with an oscillating cross flow": "{RATE} · (p.y + 0.5, 0.3·cos(3·t))",
        "a saddle that drifts": "{RATE} · (p.x + 0.1·t, -p.y)",
    }[FLOW]
    STAGES = {
        "classical Runge-Kutta": "The four stages have the weights 1/6, 1/3, 1/3 and 1/6.",
        "Heun's method": "A step takes the mean of the velocities at its start and at the place where "
        "the first one leads.",
        "the midpoint rule": "A step takes the velocity half a step ahead, at the place where the "
        "first one leads by then.",
        "Ralston's method": "The second stage lies 2/3 of a step ahead; the weights are 1/4 and 3/4.",
        "Kutta's 3/8 rule": "The stages k₁ to k₄ lie 0, 1/3, 2/3 and 1 of a step ahead, at the places "
        "p, p + {DT}·k₁/3, p + {DT}·(k₂ - k₁/3) and p + {DT}·(k₁ - k₂ + k₃); the "
        "weights are 1/8, 3/8, 3/8 and 1/8.",
    }[METHOD]
    RESULT = {
        "where they end": "Store the final places in place.",
        "how far they went": "{out} is the length of the path, the sum of the distances that the "
        "steps cover.",
        "when they left a disc": "A tracer stops before a step if it is farther than {RADIUS} from "
        "the origin; {out} is the time when it stops, or the end of the last "
        "step.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = inout(n, low=-1.0, high=1.0, of="position")
        if WANTED == "where they end"
        else input(n, low=-1.0, high=1.0, of="position"),
        start: float = input(low=0.0, high=2.0),
        out: wp.array[float] = output(n),
    ):
        i = wp.tid()
        p = x[i]
        t = float(start)
        if WANTED == "how far they went":
            path = float(0.0)
        for _ in range(STEPS):
            if WANTED == "when they left a disc":
                if wp.length(p) > RADIUS:
                    break
            if WANTED == "how far they went":
                ahead = advanced(p, t)
                path += wp.length(ahead - p)
                p = ahead
            else:
                p = advanced(p, t)
            t += DT
        if WANTED == "where they end":
            x[i] = p
        elif WANTED == "how far they went":
            out[i] = path
        else:
            out[i] = t


@idiom(
    level=2,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "propagate exact_flow",
        "kept": "kept decay",
        "a": "a accelerations acc",
        "rate rates": "rate rates | omega omegas",
    },
)
def exact_motion(c):
    """Moves particles in place by the exact solution for {FIELD}{HOW}.

    Move particles by {dt} in place, by the exact solution for {FIELD}. With the position p in {x} and the
    velocity u in {v}, {RULE}. {MORE}
    """
    n = c.size()
    FIELDS = ("linear drag", "a harmonic well", "gravity", "an inverted well", "an underdamped oscillator")
    FIELD = c.meaning(*FIELDS, "linear drag under given accelerations")
    ENERGY, MOVED = ", and stores their specific kinetic energies", ", and stores how far each has moved"
    HOW = c.meaning("", ENERGY, MOVED)
    RATE, DAMPING_RATIO = c.constant(0.5, 2.5), c.constant(0.1, 0.6)
    Vec = c.vec(c.meaning(3, 2))
    c.names({"RATE": "RATE GAMMA DRAG" if "drag" in FIELD else "RATE OMEGA OMEGA_0"})
    KEEP = "with c = exp(-{RATE}·{dt}), the new position is "
    RULE = {
        "gravity": "the new position is p + {dt}·u + {dt}²/2 · {gravity} and the new velocity u + "
        "{dt}·{gravity}",
        "a harmonic well": "and s = {RATE}·{dt}, the new position is cos(s)·p + sin(s)/{RATE} · u and "
        "the new velocity cos(s)·u - {RATE}·sin(s)·p",
        "an inverted well": "and s = {RATE}·{dt}, the new position is cosh(s)·p + sinh(s)/{RATE} · u "
        "and the new velocity cosh(s)·u + {RATE}·sinh(s)·p",
        "an underdamped oscillator": "the angular frequency w in {rates}, g = {DAMPING_RATIO}·w and b "
        "= √(w² - g²), let C = exp(-g·{dt})·cos(b·{dt}) and S = "
        "exp(-g·{dt})·sin(b·{dt}) / b. The new position is C·p + S·(u + "
        "g·p), the new velocity C·u - S·(w²·p + g·u)",
        "linear drag": "and c = exp(-{RATE}·{dt}), the new position is p + (1 - c)/{RATE} · u and the "
        "new velocity c·u",
        "linear drag under given accelerations": "c = exp(-{RATE}·{dt}) and the terminal velocity e = "
        "{a} / {RATE}, the new position is p + {dt}·e + (1 - "
        "c)/{RATE} · (u - e) and the new velocity e + c·(u - "
        "e)",
    }[FIELD]
    MORE = ""
    if HOW == ENERGY:
        MORE = "{energy} is half the square of the new speed."
    elif HOW:
        MORE = "{distance} is the distance between the old and the new position."

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = inout(n, low=-1.0, high=1.0),
        v: wp.array[Vec] = inout(n, low=-2.0, high=2.0),
        a: wp.array[Vec] = input(n, low=-3.0, high=3.0),
        gravity: Vec = input(low=-9.0, high=9.0),
        rates: wp.array[float] = input(n, low=0.5, high=2.5),
        dt: float = input(low=0.2, high=0.8),
        energy: wp.array[float] = output(n),
        distance: wp.array[float] = output(n),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        if FIELD == "gravity":
            x[i] = p + dt * u + 0.5 * dt * dt * gravity
            v[i] = u + dt * gravity
        elif FIELD == "a harmonic well":
            phase = RATE * dt
            x[i] = wp.cos(phase) * p + wp.sin(phase) / RATE * u
            v[i] = wp.cos(phase) * u - RATE * wp.sin(phase) * p
        elif FIELD == "an inverted well":
            x[i] = wp.cosh(RATE * dt) * p + wp.sinh(RATE * dt) / RATE * u
            v[i] = wp.cosh(RATE * dt) * u + RATE * wp.sinh(RATE * dt) * p
        elif FIELD == "an underdamped oscillator":
            rate = rates[i]
            damping = DAMPING_RATIO * rate
            slowed = wp.sqrt(rate * rate - damping * damping)
            kept = wp.exp(-damping * dt)
            cosine = kept * wp.cos(slowed * dt)
            sine = kept * wp.sin(slowed * dt) / slowed
            x[i] = cosine * p + sine * (u + damping * p)
            v[i] = cosine * u - sine * (rate * rate * p + damping * u)
        elif FIELD == "linear drag":
            kept = wp.exp(-RATE * dt)
            x[i] = p + (1.0 - kept) / RATE * u
            v[i] = kept * u
        else:
            # the velocity at which drag cancels the given acceleration
            terminal = a[i] / RATE
            kept = wp.exp(-RATE * dt)
            x[i] = p + dt * terminal + (1.0 - kept) / RATE * (u - terminal)
            v[i] = terminal + kept * (u - terminal)
        if HOW == ENERGY:
            energy[i] = 0.5 * wp.length_sq(v[i])
        elif HOW:
            distance[i] = wp.length(x[i] - p)
