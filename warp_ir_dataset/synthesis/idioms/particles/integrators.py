"""Steps in time: Euler, Verlet, Runge-Kutta, Boris, Langevin, orientations, boundaries."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "x": "x positions particle_q pos",
    "v": "v velocities particle_qd vel",
    "f": "f forces particle_f",
    "inv_mass": "inv_mass inverse_mass w",
    "q": "q rotations orientations quats",
    "dt": "dt step h",
    "u": "u velocity v1",
    "p": "p place here",
}


@idiom(level=2, names=NAMES | {"kernel": "integrate_particles semi_implicit_euler"})
def euler_step(c):
    """Moves particles by one {SCHEME} step with {FORCE}{DRAG}{LIMIT}."""
    n = c.size()
    SCHEME = c.meaning("symplectic Euler", "explicit Euler", "trapezoidal")
    FORCE = c.meaning("gravity", "given forces", "a harmonic pull to the origin")
    DRAG, LIMIT = c.meaning("", ", linear drag", ", quadratic drag"), c.meaning("", ", and a speed limit")
    GRAVITY, DAMPING, TOP_SPEED, PULL = (
        c.constant(4.0, 12.0), c.constant(0.3, 1.5), c.constant(1.0, 2.5), c.constant(2.0, 8.0),
    )  # fmt: skip
    Vec = c.vec(c.meaning(3, 2))
    c.once("weight", FORCE == "gravity")
    c.once("drag", DRAG)
    c.once("speed limit", LIMIT)
    c.once("motion")
    if SCHEME != "symplectic Euler":
        c.names({"kernel": "integrate_particles step_particles"})

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = updated(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = updated(n, low=-2.0, high=2.0, of="velocity"),
        f: wp.array[Vec] = given(n, low=-6.0, high=6.0, of="force"),
        inv_mass: wp.array[float] = given(n, low=0.3, high=2.0),
        down: Vec = given(low=-1.0, high=1.0, trait="unit"),
        dt: float = given(low=0.05, high=0.3),
    ):
        i = wp.tid()
        before = v[i]
        if FORCE == "gravity":
            push = GRAVITY * down
        elif FORCE == "given forces":
            push = inv_mass[i] * f[i]
        else:
            push = -PULL * x[i]
        if DRAG == ", linear drag":
            if SCHEME == "explicit Euler":
                after = before + dt * (push - DAMPING * before)
            else:
                # taken implicitly: no step is too long for it
                after = (before + dt * push) / (1.0 + DAMPING * dt)
        elif DRAG == ", quadratic drag":
            after = before + dt * (push - DAMPING * wp.length(before) * before)
        else:
            after = before + dt * push
        if LIMIT:
            after *= wp.min(TOP_SPEED / (wp.length(after) + 1.0e-6), 1.0)
        if SCHEME == "symplectic Euler":
            x[i] = x[i] + dt * after
        elif SCHEME == "explicit Euler":
            x[i] = x[i] + dt * before
        else:
            x[i] = x[i] + 0.5 * dt * (before + after)
        v[i] = after


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "thermostat apply_noise",
        "state": "state rng seed_i",
        "noise": "noise xi kick",
        "drag": "drag gamma",
        "temp": "temp kT thermal_energy",
    },
)
def langevin_step(c):
    """{STEPS} by {SCHEME}{MASS}{DRIFT}, with {NOISE}."""
    n = c.size()
    KIND = c.meaning("velocities", "displacements")
    STEPS = "Steps the velocities of particles" if KIND == "velocities" else "Moves particles"
    NOISE = c.meaning("normal noise", "uniform noise", "spherical noise")
    SCHEME = (
        c.meaning("Langevin’s equation", "an Ornstein-Uhlenbeck process")
        if KIND == "velocities"
        else "Brownian motion"
    )
    MASS = c.meaning("", " for each mass") if SCHEME != "Brownian motion" else ""
    DRIFT = c.meaning("", " under forces")
    FRICTION, TEMPERATURE = c.constant(0.3, 2.0), c.constant(0.3, 2.0)
    c.once("drag")
    c.once("motion")
    c.once("inertia", KIND == "displacements")
    if SCHEME == "Brownian motion":
        c.names({"kernel": "brownian_displacements apply_noise"})

    def sample(seed: int, i: int) -> wp.vec3:
        state = wp.rand_init(seed, i)
        if NOISE == "normal noise":
            return wp.vec3(wp.randn(state), wp.randn(state), wp.randn(state))
        elif NOISE == "uniform noise":
            thrown = wp.vec3(
                wp.randf(state, -1.0, 1.0), wp.randf(state, -1.0, 1.0), wp.randf(state, -1.0, 1.0)
            )
            # the root of three makes the variance one
            return 1.732 * thrown
        else:
            thrown = wp.normalize(wp.vec3(wp.randn(state), wp.randn(state), wp.randn(state)))
            # the root of three makes the variance one
            return 1.732 * thrown

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = updated(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = updated(n, low=-1.0, high=1.0, of="velocity"),
        f: wp.array[wp.vec3] = given(n, low=-3.0, high=3.0, of="force"),
        inv_mass: wp.array[float] = given(n, low=0.3, high=2.0),
        seed: int = given(low=1, high=9999),
        dt: float = given(low=0.1, high=0.5),
    ):
        i = wp.tid()
        noise = sample(seed, i)
        drag = FRICTION
        temp = TEMPERATURE
        if DRIFT:
            if MASS:
                push = inv_mass[i] * f[i]
            else:
                push = f[i]
        if KIND == "displacements":
            spread = wp.sqrt(2.0 * temp / drag * dt)
            if DRIFT:
                x[i] = x[i] + dt / drag * push + spread * noise
            else:
                x[i] = x[i] + spread * noise
        elif SCHEME == "Langevin’s equation":
            if MASS:
                spread = wp.sqrt(2.0 * drag * temp * dt * inv_mass[i])
            else:
                spread = wp.sqrt(2.0 * drag * temp * dt)
            if DRIFT:
                v[i] = v[i] + dt * (push - drag * v[i]) + spread * noise
            else:
                v[i] = (1.0 - drag * dt) * v[i] + spread * noise
        else:
            # exact for any length of the step
            kept = wp.exp(-drag * dt)
            if MASS:
                spread = wp.sqrt(temp * inv_mass[i] * (1.0 - kept * kept))
            else:
                spread = wp.sqrt(temp * (1.0 - kept * kept))
            if DRIFT:
                v[i] = kept * v[i] + (1.0 - kept) / drag * push + spread * noise
            else:
                v[i] = kept * v[i] + spread * noise


@idiom(
    level=3,
    names=NAMES
    | {
        "given_a": "acc accelerations particle_qdd",
        "a_old": "acc_old last_acc qdd_prev",
        "kernel": "leapfrog integrate_verlet",
        "old": "old previous x_prev",
    },
)
def verlet_step(c):
    """One step of {SCHEME} Verlet in {FIELD}{DAMP}{EDGE}."""
    n = c.size()
    SCHEME = c.meaning("position", "velocity", "time-corrected", "leapfrog")
    FIELD = c.meaning("a harmonic well", "a double well", "the field of a point mass", "given accelerations")
    DAMP, EDGE = c.meaning("", ", damped"), c.meaning("", ", with fixed particles", ", above the floor")
    RATE, DAMPING = c.constant(1.0, 4.0), c.constant(0.1, 0.6)
    Vec = c.vec(3)
    c.once("drag", DAMP)
    c.once("floor", EDGE == ", above the floor")
    c.once("ends of the domain", EDGE == ", with fixed particles")
    c.once("motion")
    if SCHEME != "leapfrog":
        c.names({"kernel": "integrate_verlet verlet_step"})

    def harmonic(p: Vec) -> Vec:
        return -RATE * p

    def double_well(p: Vec) -> Vec:
        return RATE * (1.0 - wp.dot(p, p)) * p

    def point_mass(p: Vec) -> Vec:
        # finite at the centre
        return -RATE / (wp.pow(wp.length(p), 3.0) + 0.1) * p

    FORCE = {"a harmonic well": harmonic, "a double well": double_well}.get(FIELD, point_mass)
    fixed_v = SCHEME == "position" or SCHEME == "time-corrected"

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = updated(n, low=-1.2, high=1.2, of="position"),
        v: wp.array[Vec] = updated(n, low=-1.5, high=1.5, of="velocity"),
        old: wp.array[Vec] = updated(n, low=-1.2, high=1.2),
        given_a: wp.array[Vec] = given(n, low=-3.0, high=3.0, of="acceleration"),
        a_old: wp.array[Vec] = given(n, low=-3.0, high=3.0),
        fixed: wp.array[int] = given(n, low=0, high=1),
        dt: float = given(low=0.2, high=0.5),
        dt_old: float = given(low=0.2, high=0.5),
    ):
        i = wp.tid()
        if EDGE == ", with fixed particles":
            if fixed[i] == 1:
                return
        p = x[i]
        if fixed_v:
            a = given_a[i] if FIELD == "given accelerations" else FORCE(p)
            travel = (1.0 - DAMPING) * (p - old[i]) if DAMP else p - old[i]
            if SCHEME == "time-corrected":
                # the last step was of another length
                moved = p + dt / dt_old * travel + 0.5 * dt * (dt + dt_old) * a
            else:
                moved = p + travel + dt * dt * a
            old[i] = p
        elif SCHEME == "leapfrog":
            a = given_a[i] if FIELD == "given accelerations" else FORCE(p)
            u = (1.0 - DAMPING * dt) * v[i] + dt * a if DAMP else v[i] + dt * a
            moved = p + dt * u
            v[i] = u
        else:
            if FIELD == "given accelerations":
                moved = p + dt * v[i] + 0.5 * dt * dt * a_old[i]
                u = v[i] + 0.5 * dt * (a_old[i] + given_a[i])
            else:
                before = FORCE(p)
                moved = p + dt * v[i] + 0.5 * dt * dt * before
                u = v[i] + 0.5 * dt * (before + FORCE(moved))
            if DAMP:
                u *= 1.0 - DAMPING * dt
            v[i] = u
        if EDGE == ", above the floor":
            x[i] = Vec(moved[0], wp.max(moved[1], 0.0), moved[2])
            if not fixed_v:
                if moved[1] < 0.0:
                    # what has landed falls no more
                    v[i] = Vec(u[0], wp.max(u[1], 0.0), u[2])
        else:
            x[i] = moved


@idiom(level=4, names=NAMES | {"kernel": "advect_tracers trace_flow", "x": "x points seeds positions"})
def runge_kutta_tracers(c):
    """Carries tracers through {FLOW} by {METHOD}, and returns {WANTED}."""
    n, STEPS = c.size(), c.count(3, 6)
    METHOD = c.meaning(
        "classical Runge-Kutta", "Heun’s method", "the midpoint rule", "Ralston’s method", "Kutta’s 3/8 rule"
    )
    WANTED = c.meaning("where they end", "how far they went", "when they left a disc")
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
        """A shear that comes and goes."""
        return RATE * wp.vec2(p[1] + 0.5, 0.3 * wp.cos(3.0 * t))

    VELOCITY, FLOW = c.meaning(
        (double_gyre, "a double gyre"), (vortex, "a vortex"), (shear, "a shear"), (saddle, "a saddle")
    )

    def advanced(p: wp.vec2, t: float) -> wp.vec2:
        """The place one step later."""
        k1 = VELOCITY(p, t)
        if METHOD == "classical Runge-Kutta":
            k2 = VELOCITY(p + 0.5 * DT * k1, t + 0.5 * DT)
            k3 = VELOCITY(p + 0.5 * DT * k2, t + 0.5 * DT)
            k4 = VELOCITY(p + DT * k3, t + DT)
            return p + DT / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        elif METHOD == "Kutta’s 3/8 rule":
            k2 = VELOCITY(p + DT / 3.0 * k1, t + DT / 3.0)
            k3 = VELOCITY(p + DT * (k2 - k1 / 3.0), t + 2.0 * DT / 3.0)
            k4 = VELOCITY(p + DT * (k1 - k2 + k3), t + DT)
            return p + DT / 8.0 * (k1 + 3.0 * k2 + 3.0 * k3 + k4)
        elif METHOD == "Heun’s method":
            k2 = VELOCITY(p + DT * k1, t + DT)
            return p + 0.5 * DT * (k1 + k2)
        elif METHOD == "Ralston’s method":
            k2 = VELOCITY(p + 2.0 * DT / 3.0 * k1, t + 2.0 * DT / 3.0)
            return p + 0.25 * DT * (k1 + 3.0 * k2)
        else:
            middle = p + 0.5 * DT * k1
            return p + DT * VELOCITY(middle, t + 0.5 * DT)

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = updated(n, low=-1.0, high=1.0, of="position")
        if WANTED == "where they end"
        else given(n, low=-1.0, high=1.0, of="position"),
        start: float = given(low=0.0, high=2.0),
        out: wp.array[float] = result(n),
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
    names=NAMES | {"kernel": "propagate exact_flow", "kept": "kept decay left", "turn": "turn angle phase"},
)
def exact_motion(c):
    """Moves particles exactly for one step in {FIELD}{HOW}."""
    n = c.size()
    FIELD = c.meaning(
        "linear drag", "a harmonic well", "gravity", "linear drag under given forces", "an inverted well"
    )
    HOW = c.meaning("", ", and returns their kinetic energies")
    RATE, G = c.constant(0.5, 2.5), c.constant(2.0, 9.0)
    Vec = c.vec(c.meaning(3, 2))

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = updated(n, low=-1.0, high=1.0),
        v: wp.array[Vec] = updated(n, low=-2.0, high=2.0),
        f: wp.array[Vec] = given(n, low=-3.0, high=3.0),
        down: Vec = given(low=-1.0, high=1.0, trait="unit"),
        dt: float = given(low=0.2, high=0.8),
        energy: wp.array[float] = result(n),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        if FIELD == "gravity":
            x[i] = p + dt * u + 0.5 * G * dt * dt * down
            v[i] = u + G * dt * down
        elif FIELD == "a harmonic well":
            turn = RATE * dt
            x[i] = wp.cos(turn) * p + wp.sin(turn) / RATE * u
            v[i] = wp.cos(turn) * u - RATE * wp.sin(turn) * p
        elif FIELD == "an inverted well":
            turn = RATE * dt
            x[i] = wp.cosh(turn) * p + wp.sinh(turn) / RATE * u
            v[i] = wp.cosh(turn) * u + RATE * wp.sinh(turn) * p
        elif FIELD == "linear drag":
            kept = wp.exp(-RATE * dt)
            x[i] = p + (1.0 - kept) / RATE * u
            v[i] = kept * u
        else:
            # towards the speed at which drag and force are equal
            kept = wp.exp(-RATE * dt)
            limit = f[i] / RATE
            x[i] = p + dt * limit + (1.0 - kept) / RATE * (u - limit)
            v[i] = limit + kept * (u - limit)
        if HOW:
            energy[i] = 0.5 * wp.length_sq(v[i])
