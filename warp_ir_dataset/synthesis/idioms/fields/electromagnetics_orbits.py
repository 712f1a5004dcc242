"""Charges that move in fields."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .electromagnetics import NAMES


@idiom(
    level=2,
    names=NAMES | {"mass": "mass m masses", "gamma": "gamma lorentz_gamma", "kernel": "lorentz charge_force"},
)
def lorentz_force(c):
    """The {WANTED} of each charge in {FIELDS}{EXTRA}{SPEED}."""
    n = c.size()
    WANTED, FIELDS = (
        c.meaning("force", "acceleration", "velocity change"),
        c.meaning("uniform fields", "local fields", "a magnetic field"),
    )
    SPEED = c.meaning("", ", from relativistic proper velocities")
    EXTRA = c.meaning("", " and a drag") if SPEED else c.meaning("", " and gravity", " and a drag")
    DRAG, GRAVITY = c.constant(0.2, 0.9), c.constant(1.0, 9.0)
    # What Brownian motion has none of.
    c.once("inertia")
    c.once("weight", EXTRA == " and gravity")
    c.once("drag", EXTRA == " and a drag")
    if SPEED:
        c.names({"v": "u celerities proper_velocities"})
    c.names(
        {
            "kernel": {
                "force": "lorentz_force charge_force",
                "acceleration": "lorentz_acceleration charge_acceleration",
                "velocity change": "lorentz_kick velocity_changes",
            }[WANTED]
        }
    )

    @c.kernel(n)
    def kernel(
        q: wp.array[float] = given(n, low=-2.0, high=2.0),
        v: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of=None if SPEED else "velocity"),
        mass: wp.array[float] = given(n, low=0.5, high=2.0, of="mass"),
        E: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        B: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        E0: wp.vec3 = given(low=-1.0, high=1.0),
        B0: wp.vec3 = given(low=-1.0, high=1.0),
        dt: float = given(low=0.2, high=0.9),
        out: wp.array[wp.vec3] = result(n, of="force" if WANTED == "force" and not SPEED else None),
    ):
        tid = wp.tid()
        if SPEED:
            # in units of the speed of light
            gamma = wp.sqrt(1.0 + wp.length_sq(v[tid]))
            vel = v[tid] / gamma
        else:
            vel = v[tid]
        if FIELDS == "uniform fields":
            force = q[tid] * (E0 + wp.cross(vel, B0))
        elif FIELDS == "a magnetic field":
            force = q[tid] * wp.cross(vel, B[tid])
        else:
            force = q[tid] * (E[tid] + wp.cross(vel, B[tid]))
        if EXTRA == " and gravity":
            force -= wp.vec3(0.0, 0.0, mass[tid] * GRAVITY)
        elif EXTRA == " and a drag":
            force -= DRAG * vel
        if SPEED and WANTED != "force":
            # the faster a charge, the more it resists, most of all along its way
            force = (force - wp.dot(force, vel) * vel) / gamma
        if WANTED == "force":
            out[tid] = force
        elif WANTED == "velocity change":
            out[tid] = dt / mass[tid] * force
        else:
            out[tid] = force / mass[tid]


@idiom(
    level=4,
    names=NAMES
    | {
        "particles": "particles charges electrons",
        "p": "p particle one",
        "minus prime plus": "minus prime plus | before turning after | v_minus v_prime v_plus",
        "t": "t half_turn tangent",
        "field": "field field_here local",
        "gamma": "gamma lorentz g_factor",
        "kernel": "push_particles boris move_charges",
        "box": "box size domain_length",
    },
)
def boris_push(c):
    """Pushes {particles} in place by {SCHEME} in {FIELDS}{SPEED}{WALLS}."""
    n = c.size()
    SCHEME = c.meaning("Boris's scheme", "exact rotations", "midpoint turns")
    FIELDS = c.meaning("uniform fields", "local fields")
    SPEED = c.meaning("", ", relativistically")
    WALLS = c.meaning("", ", in a periodic box", ", between reflecting walls")
    BOX = c.constant(0.7, 1.1)
    if SCHEME != "Boris's scheme":
        c.names({"kernel": "push_particles move_charges"})

    class Particle:
        pos: wp.vec3
        vel: wp.vec3
        ratio: float

    class Fields:
        electric: wp.vec3
        magnetic: wp.vec3

    def inside(x: wp.vec3, box: float) -> wp.vec3:
        """Back on the other side."""
        return x - box * wp.vec3(wp.floor(x[0] / box), wp.floor(x[1] / box), wp.floor(x[2] / box))

    @c.kernel(n)
    def kernel(
        particles: wp.array[Particle] = updated(n, low=0.2, high=1.0),
        fields: wp.array[Fields] = given(n, low=-1.0, high=1.0),
        lab: Fields = given(low=-1.0, high=1.0),
        dt: float = given(low=0.3, high=0.9),
    ):
        tid = wp.tid()
        p = particles[tid]
        half = 0.5 * dt * p.ratio
        if FIELDS == "uniform fields":
            kick = half * lab.electric
            t = half * lab.magnetic
        else:
            field = fields[tid]
            kick = half * field.electric
            t = half * field.magnetic
        minus = p.vel + kick
        if SPEED:
            # velocities are proper ones, in units of the speed of light
            t /= wp.sqrt(1.0 + wp.length_sq(minus))
        if SCHEME == "midpoint turns":
            # the magnetic force is that on the velocity halfway
            prime = minus + wp.cross(minus, t)
            plus = minus + 2.0 * wp.cross(prime, t)
        elif SCHEME == "exact rotations":
            turn = wp.quat_from_axis_angle(wp.normalize(t), -2.0 * wp.length(t))
            plus = wp.quat_rotate(turn, minus)
        else:
            prime = minus + wp.cross(minus, t)
            # a rotation: the speed stays what it is
            plus = minus + 2.0 / (1.0 + wp.length_sq(t)) * wp.cross(prime, t)
        p.vel = plus + kick
        if SPEED:
            p.pos = p.pos + dt / wp.sqrt(1.0 + wp.length_sq(p.vel)) * p.vel
        else:
            p.pos = p.pos + dt * p.vel
        if WALLS == ", in a periodic box":
            p.pos = inside(p.pos, BOX)
        elif WALLS == ", between reflecting walls":
            z = p.pos[2]
            if z < 0.0 or z > BOX:
                # back inside, as far as it was beyond
                p.pos = wp.vec3(p.pos[0], p.pos[1], BOX - wp.abs(BOX - wp.abs(z)))
                p.vel = wp.vec3(p.vel[0], p.vel[1], -p.vel[2])
        particles[tid] = p


@idiom(
    level=5,
    names=NAMES
    | {
        "x0 v0": "x0 v0 | start_x start_v | positions velocities",
        "x v": "x v | pos vel | r u",
        "ratio": "ratio charge_to_mass q_over_m",
        "steps": "steps count n_steps",
        "k1 k2 k3 k4": "k1 k2 k3 k4 | a1 a2 a3 a4",
        "magnetic": "magnetic b_field field_at",
        "acceleration": "acceleration lorentz rate",
        "kernel": "trace_orbits follow_charge integrate_orbit",
    },
)
def particle_orbit(c):
    """Follows charges in {magnetic}{ELECTRIC} by {SCHEME}{STOP}, and stores {WANTED}."""
    n = c.size(6, 10)
    SCHEME = c.meaning("Boris steps", "midpoint steps", "Runge-Kutta steps")
    WANTED = c.meaning("their final positions", "how far they moved", "their final velocities")
    Found = float if WANTED == "how far they moved" else c.vec(3)
    ELECTRIC, STOP = c.meaning("", " and an electric field"), c.meaning("", ", up to a wall")
    STRENGTH, SLOPE = c.constant(0.8, 2.5), c.constant(0.3, 0.9)
    FIELD, WALL = c.constant(0.5, 1.5), c.constant(1.4, 2.5)

    def dipole(x: wp.vec3) -> wp.vec3:
        """a dipole field"""
        # no deeper than the surface of the magnet
        r = wp.max(wp.length(x), 0.5)
        along = x[2] / r
        return STRENGTH / (r * r * r) * (3.0 * along / r * x - wp.vec3(0.0, 0.0, 1.0))

    def mirror(x: wp.vec3) -> wp.vec3:
        """a magnetic mirror"""
        squeeze = SLOPE * x[2]
        return STRENGTH * wp.vec3(-squeeze * x[0], -squeeze * x[1], 1.0 + squeeze * x[2])

    def torus(x: wp.vec3) -> wp.vec3:
        """a toroidal field"""
        # the hole in the middle has no strong field
        squared = wp.max(x[0] * x[0] + x[1] * x[1], 0.1)
        return STRENGTH / squared * wp.vec3(-x[1], x[0], 0.0)

    def sheet(x: wp.vec3) -> wp.vec3:
        """a current sheet"""
        # it turns over at the sheet, and a part goes through
        return STRENGTH * wp.vec3(wp.tanh(x[2]), 0.0, SLOPE)

    magnetic = c.meaning(dipole, mirror, torus, sheet)

    def acceleration(x: wp.vec3, v: wp.vec3, ratio: float) -> wp.vec3:
        if ELECTRIC:
            return ratio * (wp.vec3(0.0, 0.0, FIELD) + wp.cross(v, magnetic(x)))
        else:
            return ratio * wp.cross(v, magnetic(x))

    @c.kernel(n)
    def kernel(
        x0: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="position"),
        v0: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity"),
        ratio: wp.array[float] = given(n, low=-1.5, high=1.5),
        dt: float = given(low=0.1, high=0.3),
        steps: int = given(low=3, high=10),
        out: wp.array[Found] = result(n),
    ):
        tid = wp.tid()
        x = x0[tid]
        v = v0[tid]
        for _ in range(steps):
            if SCHEME == "Boris steps":
                if ELECTRIC:
                    kick = 0.5 * dt * ratio[tid] * wp.vec3(0.0, 0.0, FIELD)
                    minus = v + kick
                else:
                    minus = v
                t = 0.5 * dt * ratio[tid] * magnetic(x)
                prime = minus + wp.cross(minus, t)
                plus = minus + 2.0 / (1.0 + wp.length_sq(t)) * wp.cross(prime, t)
                if ELECTRIC:
                    v = plus + kick
                else:
                    v = plus
                x += dt * v
            elif SCHEME == "midpoint steps":
                halfway = v + 0.5 * dt * acceleration(x, v, ratio[tid])
                v += dt * acceleration(x + 0.5 * dt * v, halfway, ratio[tid])
                x += dt * halfway
            else:
                a1 = acceleration(x, v, ratio[tid])
                v2 = v + 0.5 * dt * a1
                a2 = acceleration(x + 0.5 * dt * v, v2, ratio[tid])
                v3 = v + 0.5 * dt * a2
                a3 = acceleration(x + 0.5 * dt * v2, v3, ratio[tid])
                v4 = v + dt * a3
                a4 = acceleration(x + dt * v3, v4, ratio[tid])
                x += dt / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
                v += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
            if STOP:
                # a lost charge stays where it struck
                if wp.length(x) > WALL:
                    break
        if WANTED == "their final positions":
            out[tid] = x
        elif WANTED == "how far they moved":
            out[tid] = wp.length(x - x0[tid])
        else:
            out[tid] = v
