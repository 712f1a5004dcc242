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
    FORCE = c.meaning("gravity", "given forces", "a pull to the origin")
    DRAG, LIMIT = c.meaning("", ", linear drag", ", quadratic drag"), c.meaning("", ", up to a speed")
    GRAVITY, DAMPING, TOP_SPEED, PULL = (
        c.constant(4.0, 12.0), c.constant(0.3, 1.5), c.constant(1.0, 2.5), c.constant(2.0, 8.0),
    )  # fmt: skip
    Vec = c.vec(c.meaning(3, 2))

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
            # taken implicitly: no step is too long for it
            after = (before + dt * push) / (1.0 + DAMPING * dt)
        elif DRAG == ", quadratic drag":
            after = before + dt * (push - DAMPING * wp.length(before) * before)
        else:
            after = before + dt * push
        if LIMIT:
            speed = wp.length(after)
            if speed > TOP_SPEED:
                after = TOP_SPEED / speed * after
        if SCHEME == "symplectic Euler":
            x[i] = x[i] + dt * after
        elif SCHEME == "explicit Euler":
            x[i] = x[i] + dt * before
        else:
            x[i] = x[i] + 0.5 * dt * (before + after)
        v[i] = after


@idiom(
    level=2,
    names=NAMES | {"kernel": "thermostat apply_noise", "state": "state rng seed_i", "noise": "noise xi kick"},
)
def langevin_step(c):
    """Gives particles random {KIND} of {SCHEME}{MASS}{DRIFT}, with {NOISE}."""
    n = c.size()
    KIND = c.meaning("velocities", "displacements")
    NOISE = c.meaning("normal noise", "uniform noise", "spherical noise")
    SCHEME = c.meaning("Langevin’s equation", "an OU process") if KIND == "velocities" else "diffusion"
    MASS = c.meaning("", " for each mass") if SCHEME != "diffusion" else ""
    DRIFT = c.meaning("", " under forces")
    FRICTION, HEAT = c.constant(0.3, 2.0), c.constant(0.3, 2.0)

    def sample(seed: int, i: int) -> wp.vec3:
        state = wp.rand_init(seed, i)
        if NOISE == "normal noise":
            return wp.vec3(wp.randn(state), wp.randn(state), wp.randn(state))
        elif NOISE == "uniform noise":
            return 1.732 * wp.vec3(
                wp.randf(state, -1.0, 1.0), wp.randf(state, -1.0, 1.0), wp.randf(state, -1.0, 1.0)
            )
        else:
            return 1.732 * wp.normalize(wp.vec3(wp.randn(state), wp.randn(state), wp.randn(state)))

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
        if KIND == "displacements":
            spread = wp.sqrt(2.0 * HEAT / FRICTION * dt)
            if DRIFT:
                x[i] = x[i] + dt / FRICTION * f[i] + spread * noise
            else:
                x[i] = x[i] + spread * noise
        elif SCHEME == "Langevin’s equation":
            if MASS:
                spread = wp.sqrt(2.0 * FRICTION * HEAT * dt * inv_mass[i])
            else:
                spread = wp.sqrt(2.0 * FRICTION * HEAT * dt)
            if DRIFT:
                v[i] = v[i] + dt * (f[i] - FRICTION * v[i]) + spread * noise
            else:
                v[i] = (1.0 - FRICTION * dt) * v[i] + spread * noise
        else:
            # exact for any length of the step
            kept = wp.exp(-FRICTION * dt)
            if MASS:
                spread = wp.sqrt(HEAT * inv_mass[i] * (1.0 - kept * kept))
            else:
                spread = wp.sqrt(HEAT * (1.0 - kept * kept))
            if DRIFT:
                v[i] = kept * v[i] + (1.0 - kept) / FRICTION * f[i] + spread * noise
            else:
                v[i] = kept * v[i] + spread * noise


@idiom(level=3, names=NAMES | {"kernel": "leapfrog integrate_verlet", "old": "old previous x_prev"})
def verlet_step(c):
    """One step of {SCHEME} Verlet in {FIELD}{DAMP}{EDGE}."""
    n = c.size()
    SCHEME = c.meaning("position", "velocity", "time-corrected", "leapfrog")
    FIELD = c.meaning("a harmonic well", "a double well", "the field of a point mass", "given forces")
    DAMP, EDGE = c.meaning("", ", damped"), c.meaning("", ", with fixed particles", ", above the floor")
    RATE, DAMPING = c.constant(1.0, 4.0), c.constant(0.1, 0.6)
    Vec = c.vec(3)

    def harmonic(p: Vec) -> Vec:
        return -RATE * p

    def double_well(p: Vec) -> Vec:
        return RATE * (1.0 - wp.dot(p, p)) * p

    def point_mass(p: Vec) -> Vec:
        return -RATE / (wp.pow(wp.length(p), 3.0) + 0.1) * p

    FORCE = {"a harmonic well": harmonic, "a double well": double_well}.get(FIELD, point_mass)
    fixed_v = SCHEME == "position" or SCHEME == "time-corrected"

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = updated(n, low=-1.2, high=1.2, of="position"),
        v: wp.array[Vec] = updated(n, low=-1.5, high=1.5, of="velocity"),
        old: wp.array[Vec] = updated(n, low=-1.2, high=1.2),
        f: wp.array[Vec] = given(n, low=-3.0, high=3.0, of="force"),
        f_old: wp.array[Vec] = given(n, low=-3.0, high=3.0),
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
            a = f[i] if FIELD == "given forces" else FORCE(p)
            travel = (1.0 - DAMPING) * (p - old[i]) if DAMP else p - old[i]
            if SCHEME == "time-corrected":
                # the last step was of another length
                moved = p + dt / dt_old * travel + 0.5 * dt * (dt + dt_old) * a
            else:
                moved = p + travel + dt * dt * a
            old[i] = p
        elif SCHEME == "leapfrog":
            a = f[i] if FIELD == "given forces" else FORCE(p)
            u = (1.0 - DAMPING * dt) * v[i] + dt * a if DAMP else v[i] + dt * a
            moved = p + dt * u
            v[i] = u
        else:
            if FIELD == "given forces":
                moved = p + dt * v[i] + 0.5 * dt * dt * f_old[i]
                u = v[i] + 0.5 * dt * (f_old[i] + f[i])
            else:
                before = FORCE(p)
                moved = p + dt * v[i] + 0.5 * dt * dt * before
                u = v[i] + 0.5 * dt * (before + FORCE(moved))
            v[i] = (1.0 - DAMPING * dt) * u if DAMP else u
        if EDGE == ", above the floor":
            x[i] = Vec(moved[0], wp.max(moved[1], 0.0), moved[2])
        else:
            x[i] = moved


@idiom(level=3, names=NAMES | {"kernel": "spin_bodies rotate_bodies", "omega": "omega spin w particle_w"})
def integrate_orientation(c):
    """Turns {WHAT} for one time step {HOW}, {FRAME}{LOAD}."""
    n = c.size()
    HOW = c.meaning("by exponential map", "by derivative", "at the midpoint", "by axis and angle")
    FRAME, WHAT = (
        c.meaning("spinning in space", "spinning in body axes"),
        c.meaning("rotations", "directions"),
    )
    LOAD = c.meaning("", ", after a torque", ", with damped spin")
    INERTIA, DAMPING = c.constant(0.4, 2.0), c.constant(0.3, 1.5)

    def derivative(q: wp.quat, w: wp.vec3) -> wp.quat:
        """Half of the product of the spin and the rotation."""
        if FRAME == "spinning in space":
            return wp.quat(w, 0.0) * q * 0.5
        else:
            return q * wp.quat(w, 0.0) * 0.5

    @c.kernel(n)
    def kernel(
        q: wp.array[wp.quat] = updated(n, low=-1.0, high=1.0, trait="unit")
        if WHAT == "rotations"
        else given(n, low=-1.0, high=1.0, trait="unit"),
        omega: wp.array[wp.vec3] = updated(n, low=-3.0, high=3.0) if LOAD else given(n, low=-3.0, high=3.0),
        torque: wp.array[wp.vec3] = given(n, low=-5.0, high=5.0),
        axes: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        dt: float = given(low=0.1, high=0.5),
        out: wp.array[wp.vec3] = result(n),
    ):
        i = wp.tid()
        r = q[i]
        if LOAD == ", after a torque":
            w = omega[i] + dt / INERTIA * torque[i]
            omega[i] = w
        elif LOAD == ", with damped spin":
            w = omega[i] / (1.0 + DAMPING * dt)
            omega[i] = w
        else:
            w = omega[i]
        if HOW == "by derivative":
            turned = wp.normalize(r + derivative(r, w) * dt)
        elif HOW == "at the midpoint":
            middle = wp.normalize(r + derivative(r, w) * (0.5 * dt))
            turned = wp.normalize(r + derivative(middle, w) * dt)
        else:
            angle = wp.length(w) * dt
            if HOW == "by axis and angle":
                turn = wp.quat_from_axis_angle(wp.normalize(w), angle)
            else:
                # sine over its argument, which is one at zero
                sinc = 0.5 - angle * angle / 48.0
                if angle > 0.01:
                    sinc = wp.sin(0.5 * angle) / angle
                turn = wp.quat(sinc * dt * w, wp.cos(0.5 * angle))
            turned = turn * r if FRAME == "spinning in space" else r * turn
        if WHAT == "rotations":
            q[i] = turned
        else:
            out[i] = wp.quat_rotate(turned, axes[i])


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
        r2 = wp.dot(p, p) + 0.2
        return RATE / r2 * wp.vec2(-p[1], p[0] + 0.2 * t)

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


@idiom(level=4, names=NAMES | {"kernel": "push_charges boris_rotation", "half": "half v_minus u0"})
def magnetic_kick(c):
    """Pushes charges through {FIELD} by {PUSHER}{SPEED}{MOVE}."""
    n = c.size()
    FIELD = c.meaning("uniform fields", "a magnetic mirror", "a dipole", "fields at the particles")
    PUSHER = c.meaning("Boris’s rotation", "Boris’s exact angle", "the implicit midpoint")
    SPEED, MOVE = c.meaning("", ", relativistically"), c.meaning("", ", and moves them", ", within a box")
    CHARGE, STRENGTH, DT, SIDE = (
        c.constant(0.5, 2.0), c.constant(0.5, 2.0), c.constant(0.1, 0.4), c.constant(0.8, 1.2),
    )  # fmt: skip

    def mirror(p: wp.vec3) -> wp.vec3:
        """A field along z that narrows at both ends."""
        return STRENGTH * wp.vec3(-p[0] * p[2], -p[1] * p[2], 1.0 + p[2] * p[2])

    def dipole(p: wp.vec3) -> wp.vec3:
        r2 = wp.dot(p, p) + 0.3
        return STRENGTH / (r2 * r2) * (3.0 * p[2] * p - r2 * wp.vec3(0.0, 0.0, 1.0))

    def turned(u: wp.vec3, b: wp.vec3) -> wp.vec3:
        """A velocity after the magnetic part of a step; b is the field times half a step."""
        if PUSHER == "Boris’s rotation":
            s = 2.0 / (1.0 + wp.dot(b, b)) * b
            return u + wp.cross(u + wp.cross(u, b), s)
        elif PUSHER == "Boris’s exact angle":
            size = wp.length(b)
            return wp.quat_rotate(wp.quat_from_axis_angle(b / size, -2.0 * size), u)
        else:
            middle = (u + wp.cross(u, b) + wp.dot(u, b) * b) / (1.0 + wp.dot(b, b))
            return 2.0 * middle - u

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = updated(n, low=-1.0, high=1.0, of="position")
        if MOVE
        else given(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = updated(n, low=-1.5, high=1.5, of="velocity"),
        electric: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        magnetic: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        e_field: wp.vec3 = given(low=-2.0, high=2.0),
        b_field: wp.vec3 = given(low=-2.0, high=2.0),
    ):
        i = wp.tid()
        if MOVE or FIELD == "a magnetic mirror" or FIELD == "a dipole":
            p = x[i]
        push = 0.5 * DT * CHARGE
        if FIELD == "fields at the particles":
            kick = push * electric[i]
            b = magnetic[i]
        else:
            kick = push * e_field
            if FIELD == "a magnetic mirror":
                b = mirror(p)
            elif FIELD == "a dipole":
                b = dipole(p)
            else:
                b = b_field
        # half of the electric kick before, half of it after the turn
        half = v[i] + kick
        if SPEED:
            gamma = wp.sqrt(1.0 + wp.dot(half, half))
            u = turned(half, push / gamma * b) + kick
        else:
            u = turned(half, push * b) + kick
        v[i] = u
        if MOVE:
            drift = DT / wp.sqrt(1.0 + wp.dot(u, u)) * u if SPEED else DT * u
            if MOVE == ", within a box":
                ahead = p + drift
                x[i] = wp.vec3(
                    wp.clamp(ahead[0], -SIDE, SIDE),
                    wp.clamp(ahead[1], -SIDE, SIDE),
                    wp.clamp(ahead[2], -SIDE, SIDE),
                )
            else:
                x[i] = p + drift


@idiom(level=3, names=NAMES | {"kernel": "apply_boundary wrap_particles", "left": "left escaped exits"})
def domain_boundary(c):
    """Moves particles for one step; those that leave {DOMAIN} {FATE}{COUNT}."""
    n = c.size()
    DOMAIN = c.meaning("a box", "a strip", "a disc")
    FATES = ("bounce", "stop at the edge", "start again", "die")
    FATE = c.meaning(*FATES) if DOMAIN == "a disc" else c.meaning(*FATES, "enter at the other side")
    COUNT = c.meaning("", ", counted", ", their momentum summed")
    SIDE, BOUNCE = c.constant(0.6, 1.0), c.constant(0.3, 0.95)

    def folded(p: float) -> float:
        """Between minus and plus SIDE, around as often as needed."""
        return p - 2.0 * SIDE * wp.floor((p + SIDE) / (2.0 * SIDE))

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = updated(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec2] = updated(n, low=-3.0, high=3.0, of="velocity")
        if FATE == "bounce" or FATE == "stop at the edge"
        else given(n, low=-3.0, high=3.0, of="velocity"),
        inlet: wp.array[wp.vec2] = given(n, low=-0.5, high=0.5),
        alive: wp.array[int] = updated(n, low=0, high=1),
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
            if COUNT == ", counted":
                wp.atomic_add(left, 0, 1)
            elif COUNT:
                wp.atomic_add(momentum, 0, u)
            if FATE == "die":
                alive[i] = 0
            elif FATE == "start again":
                p = inlet[i]
            elif FATE == "enter at the other side":
                p = wp.vec2(folded(p[0]), folded(p[1])) if DOMAIN == "a box" else wp.vec2(p[0], folded(p[1]))
            elif DOMAIN == "a disc":
                n = wp.normalize(p)
                p = SIDE * n
                if FATE == "bounce":
                    v[i] = u - (1.0 + BOUNCE) * wp.max(wp.dot(u, n), 0.0) * n
                else:
                    v[i] = u - wp.dot(u, n) * n
            elif FATE == "stop at the edge":
                v[i] = wp.vec2()
                if DOMAIN == "a box":
                    p = wp.vec2(wp.clamp(p[0], -SIDE, SIDE), wp.clamp(p[1], -SIDE, SIDE))
                else:
                    p = wp.vec2(p[0], wp.clamp(p[1], -SIDE, SIDE))
            elif DOMAIN == "a strip":
                p[1] = 2.0 * SIDE * wp.sign(p[1]) - p[1]
                u[1] = -BOUNCE * u[1]
                v[i] = u
            else:
                for k in range(2):
                    if wp.abs(p[k]) > SIDE:
                        # mirrored at the wall
                        p[k] = 2.0 * SIDE * wp.sign(p[k]) - p[k]
                        u[k] = -BOUNCE * u[k]
                v[i] = u
        x[i] = p


@idiom(
    level=5,
    names=NAMES
    | {
        "kernel": "integrate_adaptively adaptive_step",
        "steps": "steps count accepted",
        "error": "error err gap",
    },
)
def adaptive_orbit(c):
    """{WANTED} of orbits in {FIELD} by the {PAIR} pair, {CONTROL}."""
    n, LIMIT = c.size(6, 10), c.count(8, 12)
    WANTED = c.meaning("The last state", "The number of steps", "The energy gain")
    PAIR = c.meaning("Bogacki-Shampine", "Heun-Euler", "midpoint-Euler")
    CONTROL = c.meaning("with fitted steps", "halving or doubling steps")
    TOLERANCE, HORIZON, RATE = c.constant(0.05, 0.2), c.constant(0.6, 1.5), c.constant(1.0, 3.0)

    def kepler(p: wp.vec2) -> wp.vec2:
        """The field of a point mass."""
        r = wp.length(p)
        return -RATE / (r * r * r) * p

    def henon_heiles(p: wp.vec2) -> wp.vec2:
        """The field of Hénon and Heiles."""
        return -RATE * wp.vec2(p[0] + 2.0 * p[0] * p[1], p[1] + p[0] * p[0] - p[1] * p[1])

    def quartic(p: wp.vec2) -> wp.vec2:
        """A quartic well."""
        return -RATE * wp.dot(p, p) * p

    FORCE, FIELD = c.meaning(
        (quartic, "a quartic well"), (kepler, "Kepler’s field"), (henon_heiles, "Hénon and Heiles’ field")
    )

    def energy(p: wp.vec2, u: wp.vec2) -> float:
        if FIELD == "Kepler’s field":
            return 0.5 * wp.dot(u, u) - RATE / wp.length(p)
        elif FIELD == "a quartic well":
            return 0.5 * wp.dot(u, u) + 0.25 * RATE * wp.dot(p, p) * wp.dot(p, p)
        else:
            well = 0.5 * wp.dot(p, p) + p[0] * p[0] * p[1] - p[1] * p[1] * p[1] / 3.0
            return 0.5 * wp.dot(u, u) + RATE * well

    def trial(p: wp.vec2, u: wp.vec2, dt: float):
        """The state after a step, and how far two orders are apart."""
        a1 = FORCE(p)
        if PAIR == "Bogacki-Shampine":
            u2 = u + 0.5 * dt * a1
            a2 = FORCE(p + 0.5 * dt * u)
            u3 = u + 0.75 * dt * a2
            a3 = FORCE(p + 0.75 * dt * u2)
            ahead = p + dt / 9.0 * (2.0 * u + 3.0 * u2 + 4.0 * u3)
            after = u + dt / 9.0 * (2.0 * a1 + 3.0 * a2 + 4.0 * a3)
            lower = p + dt / 24.0 * (7.0 * u + 6.0 * u2 + 8.0 * u3 + 3.0 * after)
            return ahead, after, wp.length(ahead - lower)
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
        x: wp.array[wp.vec2] = updated(n, low=0.3, high=1.2, of="position")
        if WANTED == "The last state"
        else given(n, low=0.3, high=1.2, of="position"),
        v: wp.array[wp.vec2] = updated(n, low=-1.0, high=1.0, of="velocity")
        if WANTED == "The last state"
        else given(n, low=-1.0, high=1.0, of="velocity"),
        first: float = given(low=0.1, high=0.4),
        count: wp.array[int] = result(n),
        gained: wp.array[float] = result(n),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        t = float(0.0)
        dt = float(first)
        if WANTED == "The number of steps":
            steps = int(0)
        for _ in range(LIMIT):
            if t >= HORIZON:
                break
            dt = wp.min(dt, HORIZON - t)
            ahead, after, error = trial(p, u, dt)
            if error < TOLERANCE:
                t += dt
                p = ahead
                u = after
                if WANTED == "The number of steps":
                    steps += 1
            if CONTROL == "halving or doubling steps":
                if error > TOLERANCE:
                    dt *= 0.5
                elif error < 0.25 * TOLERANCE:
                    dt *= 2.0
            else:
                # never more than five times longer or shorter at once
                scale = 0.9 * wp.pow(
                    TOLERANCE / (error + 1.0e-6), 0.33 if PAIR == "Bogacki-Shampine" else 0.5
                )
                dt *= wp.clamp(scale, 0.2, 5.0)
        if WANTED == "The last state":
            x[i] = p
            v[i] = u
        elif WANTED == "The number of steps":
            count[i] = steps
        else:
            gained[i] = energy(p, u) - energy(x[i], v[i])
