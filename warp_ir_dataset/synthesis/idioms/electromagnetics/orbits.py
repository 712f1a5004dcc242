"""Charges that move in fields."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .electromagnetics import NAMES


@idiom(
    level=2,
    names=NAMES
    | {
        "mass": "mass m masses",
        "gamma": "gamma lorentz_gamma",
        "felt": "felt effective reduced",
        "x": "x positions particle_x",
        "strength": "strength amplitude e_peak",
        "swing": "swing field_here oscillation",
        "kernel": "lorentz charge_force",
    },
)
def lorentz_force(c):
    """The {WANTED} each charge in {FIELDS}{EXTRA}{SPEED}.

    Find the {RESULT}, in {out}. The Lorentz force on a charge {q} with velocity V{PROPER} is
    {FORMULA}.{ADDED}{FELT}
    """
    n = c.size()
    WANTED, FIELDS = (
        c.meaning("force on", "acceleration of", "velocity change in a step of"),
        c.meaning("uniform fields", "local fields", "a local magnetic field", "a plane wave along x"),
    )
    SPEED = c.meaning("", ", from relativistic proper velocities")
    EXTRA = c.meaning("", " with drag") if SPEED else c.meaning("", " under gravity", " with drag")
    DRAG, WAVENUMBER, GRAVITY = c.constant(0.2, 0.9), c.constant(1.0, 4.0), 9.81
    # What Brownian motion has none of.
    c.once("inertia")
    c.once("weight", EXTRA == " under gravity")
    c.once("drag", EXTRA == " with drag")
    if SPEED:
        c.names({"v": "u celerities proper_velocities"})
    c.names(
        {
            "kernel": {
                "force on": "lorentz_force charge_force",
                "acceleration of": "lorentz_acceleration charge_acceleration",
                "velocity change in a step of": "lorentz_kick velocity_changes",
            }[WANTED]
        }
    )
    RESULT = {
        "force on": "force on each charge",
        "acceleration of": "acceleration of each charge",
        "velocity change in a step of": "change of each charge's velocity in a step {dt}",
    }[WANTED]
    PROPER = ", in {v},"
    if SPEED:
        PROPER = (
            " = P / γ, where P is its proper velocity in {v} in units of the speed of light and γ = √(1 +"
            " P²),"
        )
    FORMULA = {
        "uniform fields": "{q}·({E0} + V × {B0})",
        "local fields": "{q}·({E} + V × {B})",
        "a local magnetic field": "{q}·(V × {B})",
        "a plane wave along x": (
            "{q} times ((0, S, 0) + V × (0, 0, S)) in the fields of a plane wave with S ="
            " {strength}·cos({WAVENUMBER}·(X - {time})), where X is the x component of {x}"
        ),
    }[FIELDS]
    ADDED = {
        "": "",
        " under gravity": " Add the weight, 9.81 times {mass}, along -z.",
        " with drag": " Subtract the drag {DRAG} times V.",
    }[EXTRA]
    OVER = "{dt} / {mass}" if WANTED == "velocity change in a step of" else "1 / {mass}"
    FELT = ""
    if WANTED != "force on":
        FELT = " The result is {OVER} times that force."
        if SPEED:
            FELT = (
                " The result is {OVER} times (F - (F·V)·V) / γ with this force F, as a fast charge"
                " resists more, most of all along its way."
            )

    @c.kernel(n)
    def kernel(
        q: wp.array[float] = input(n, low=-2.0, high=2.0),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of=None if SPEED else "velocity"),
        mass: wp.array[float] = input(n, low=0.5, high=2.0, of="mass"),
        E: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        B: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        x: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="position"),
        time: float = input(low=0.0, high=3.0),
        strength: float = input(low=0.4, high=1.5),
        E0: wp.vec3 = input(low=-1.0, high=1.0),
        B0: wp.vec3 = input(low=-1.0, high=1.0),
        dt: float = input(low=0.2, high=0.9),
        out: wp.array[wp.vec3] = output(n, of="force" if WANTED == "force on" and not SPEED else None),
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
        elif FIELDS == "a local magnetic field":
            force = q[tid] * wp.cross(vel, B[tid])
        elif FIELDS == "a plane wave along x":
            # E along y and B along z swing together; the speed of light is one
            swing = strength * wp.cos(WAVENUMBER * (x[tid][0] - time))
            force = q[tid] * swing * (wp.vec3(0.0, 1.0, 0.0) + wp.cross(vel, wp.vec3(0.0, 0.0, 1.0)))
        else:
            force = q[tid] * (E[tid] + wp.cross(vel, B[tid]))
        if EXTRA == " under gravity":
            force -= wp.vec3(0.0, 0.0, mass[tid] * GRAVITY)
        elif EXTRA == " with drag":
            force -= DRAG * vel
        if SPEED and WANTED != "force on":
            # the faster a charge, the more it resists, most of all along its way
            felt = (force - wp.dot(force, vel) * vel) / gamma
            if WANTED == "velocity change in a step of":
                out[tid] = dt / mass[tid] * felt
            else:
                out[tid] = felt / mass[tid]
        elif WANTED == "force on":
            out[tid] = force
        elif WANTED == "velocity change in a step of":
            out[tid] = dt / mass[tid] * force
        else:
            out[tid] = force / mass[tid]


@idiom(
    level=4,
    differentiable=False,
    names=NAMES
    | {
        "particles": "particles charges ions",
        "p": "p particle",
        "minus prime plus": "minus prime plus | before turning after | v_minus v_prime v_plus",
        "t": "t half_turn tangent",
        "field": "field field_here local",
        "gamma": "gamma lorentz g_factor",
        "kernel": "push_particles boris move_charges",
        "box": "box size domain_length",
    },
)
def boris_push(c):
    """Pushes {particles} in place by {SCHEME} in {FIELDS}{SPEED}{WALLS}.

    Push charged particles, {particles}, in place by one step of {METHOD}. The charge-to-mass ratio is Q =
    `ratio`; let H = ½·{dt}·Q. First add H·(electric field) to the velocity, which gives V. Then replace V by
    {TURNED}, with T = H·(magnetic field){SLOWER}. Finally add H·(electric field) again. The fields are
    {WHERE}.

    The position grows by {dt} times {MOVED}.{BOUNDED}
    """
    n = c.size()
    SCHEME = c.meaning(
        "Boris's scheme", "half kicks about exact rotations", "half kicks about midpoint turns"
    )
    FIELDS = c.meaning("uniform fields", "local fields")
    SPEED = c.meaning("", ", relativistically")
    WALLS = c.meaning("", ", in a periodic box", ", between reflecting walls in z")
    BOX = c.constant(2.0, 2.4)
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
        """The image of a point in the box around the origin."""
        return x - box * wp.vec3(wp.round(x[0] / box), wp.round(x[1] / box), wp.round(x[2] / box))

    METHOD = {
        "Boris's scheme": "Boris's scheme",
        "half kicks about exact rotations": "half kicks about an exact rotation",
        "half kicks about midpoint turns": "half kicks about a midpoint turn",
    }[SCHEME]
    TURNED = {
        "Boris's scheme": "V + (2 / (1 + |T|²))·((V + V × T) × T)",
        "half kicks about exact rotations": "V rotated about T by the angle -2·|T|, by the right-hand rule",
        "half kicks about midpoint turns": "V + 2·((V + V × T) × T)",
    }[SCHEME]
    SLOWER = ""
    if SPEED:
        SLOWER = ", divided by √(1 + |V|²), as velocities are proper ones in units of the speed of light"
    WHERE = "those of {lab}" if FIELDS == "uniform fields" else "the particle's own, in its entry of {fields}"
    MOVED = "the new velocity, divided by √(1 + its square)" if SPEED else "the new velocity"
    BOUNDED = {
        "": "",
        ", in a periodic box": (
            " The box is periodic, has size {BOX} and is centred at the origin: subtract from each"
            " coordinate the nearest multiple of {BOX}, of two equally near ones the one farther from 0."
        ),
        ", between reflecting walls in z": (
            " Walls at z = ±{BOX} / 2 reflect: a particle beyond one gets the z that is as far inside of"
            " it, and its z velocity is reversed."
        ),
    }[WALLS]

    @c.kernel(n)
    def kernel(
        particles: wp.array[Particle] = inout(n, low=-1.0, high=1.0),
        fields: wp.array[Fields] = input(n, low=-1.0, high=1.0),
        lab: Fields = input(low=-1.0, high=1.0),
        dt: float = input(low=0.5, high=1.0),
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
        if SCHEME == "half kicks about midpoint turns":
            # the magnetic force is that on the velocity halfway
            prime = minus + wp.cross(minus, t)
            plus = minus + 2.0 * wp.cross(prime, t)
        elif SCHEME == "half kicks about exact rotations":
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
        elif WALLS == ", between reflecting walls in z":
            z = p.pos[2]
            if wp.abs(z) > 0.5 * BOX:
                # back inside, as far as it was beyond
                p.pos = wp.vec3(p.pos[0], p.pos[1], wp.sign(z) * BOX - z)
                p.vel = wp.vec3(p.vel[0], p.vel[1], -p.vel[2])
        particles[tid] = p


@idiom(
    level=5,
    differentiable=False,
    names={"x v": "x v | pos vel | r u"}
    | NAMES
    | {
        "x0 v0": "x0 v0 | start_x start_v | positions velocities",
        "ratio": "ratio charge_to_mass q_over_m",
        "steps": "steps count n_steps",
        "k1 k2 k3 k4": "k1 k2 k3 k4 | a1 a2 a3 a4",
        "magnetic": "magnetic b_field field_at",
        "acceleration": "acceleration lorentz rate",
        "kernel": "trace_orbits follow_charge integrate_orbit",
    },
)
def particle_orbit(c):
    """Follows charges in {FIELD_OF}{ELECTRIC} through a number of {SCHEME}{STOP}, and stores {WANTED}.

    Follow charges through {steps} {SCHEME} of length {dt}, starting from {x0} with the velocities {v0}. With
    the charge-to-mass ratio Q in {ratio}, the acceleration at X with velocity V is A(X, V) =
    Q·({ELECTRICAL}V × B(X)). The magnetic field B(X) at X = (x, y, z) is {FIELDED}.

    {STEPPED}{STOPPED} Store in {out} {RESULT}.
    """
    n = c.size(6, 10)
    SCHEME = c.meaning("Boris steps", "midpoint steps", "Runge-Kutta steps")
    WANTED = c.meaning("their final positions", "how far they moved", "their final velocities")
    Found = float if WANTED == "how far they moved" else c.vec(3)
    ELECTRIC, STOP = c.meaning("", " and an electric field"), c.meaning("", ", up to a round wall")
    STRENGTH, SLOPE = c.constant(0.8, 2.5), c.constant(0.3, 0.9)
    FIELD, WALL = c.constant(0.5, 1.5), c.constant(1.4, 1.8)

    def dipole(x: wp.vec3) -> wp.vec3:
        # no deeper than the surface of the magnet
        r = wp.max(wp.length(x), 0.5)
        along = x[2] / r
        return STRENGTH / (r * r * r) * (3.0 * along / r * x - wp.vec3(0.0, 0.0, 1.0))

    def mirror(x: wp.vec3) -> wp.vec3:
        """Lines along z that draw together on both sides of the middle."""
        squeeze = SLOPE * x[2]
        return STRENGTH * wp.vec3(-squeeze * x[0], -squeeze * x[1], 1.0 + squeeze * x[2])

    def torus(x: wp.vec3) -> wp.vec3:
        # the hole in the middle has no strong field
        squared = wp.max(x[0] * x[0] + x[1] * x[1], 0.1)
        return STRENGTH / squared * wp.vec3(-x[1], x[0], 0.0)

    def sheet(x: wp.vec3) -> wp.vec3:
        # the field turns over at the sheet, and a part of it goes through
        return STRENGTH * wp.vec3(wp.tanh(x[2]), 0.0, SLOPE)

    magnetic = c.meaning(dipole, mirror, torus, sheet)
    FIELD_OF = {"dipole": "a dipole field", "mirror": "a magnetic mirror", "torus": "a toroidal field"}.get(
        magnetic.__name__, "the field of a current sheet"
    )

    def acceleration(x: wp.vec3, v: wp.vec3, ratio: float) -> wp.vec3:
        if ELECTRIC:
            return ratio * (wp.vec3(0.0, 0.0, FIELD) + wp.cross(v, magnetic(x)))
        else:
            return ratio * wp.cross(v, magnetic(x))

    ELECTRICAL = "(0, 0, {FIELD}) + " if ELECTRIC else ""
    FIELDED = {
        "dipole": (
            "that of a dipole along z, {STRENGTH} / r³ times (3·z·X / r² - (0, 0, 1)), where r is |X|,"
            " but at least 0.5"
        ),
        "mirror": "that of a magnetic mirror, {STRENGTH} times (-s·x, -s·y, 1 + s·z) with s = {SLOPE}·z",
        "torus": "toroidal, {STRENGTH} / d times (-y, x, 0), where d is x² + y², but at least 0.1",
        "sheet": "that of a current sheet, {STRENGTH} times (tanh(z), 0, {SLOPE})",
    }[magnetic.__name__]
    KICKED = (
        "first add half of the electric kick, ½·{dt}·Q·(0, 0, {FIELD}), to V, then replace V by"
        if ELECTRIC
        else "replace V by"
    )
    AGAIN = ", then add the other half of the kick" if ELECTRIC else ""
    STEPPED = {
        "Boris steps": (
            "A Boris step: {KICKED} V + (2 / (1 + |T|²))·((V + V × T) × T), with T = ½·{dt}·Q·B(X){AGAIN};"
            " finally, X grows by {dt} times the new V."
        ),
        "midpoint steps": (
            "A midpoint step: with the velocity halfway, H = V + ½·{dt}·A(X, V), X grows by {dt}·H and V"
            " by {dt}·A(X + ½·{dt}·V, H), both from the old X and V."
        ),
        "Runge-Kutta steps": (
            "A step is one of the classical Runge-Kutta method of fourth order, with the weights 1/6,"
            " 1/3, 1/3, 1/6, for X' = V and V' = A(X, V)."
        ),
    }[SCHEME]
    STOPPED = ""
    if STOP:
        STOPPED = (
            " A charge that is farther than {WALL} from the origin after a step is lost and goes no further."
        )
    RESULT = {
        "their final positions": "the final positions",
        "how far they moved": "the distances from the start to the end",
        "their final velocities": "the final velocities",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        x0: wp.array[wp.vec3] = input(n, low=-0.8, high=0.8, of="position"),
        v0: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="velocity"),
        ratio: wp.array[float] = input(n, low=-1.5, high=1.5),
        dt: float = input(low=0.15, high=0.3),
        steps: int = input(low=3, high=10),
        out: wp.array[Found] = output(n),
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
                # a charge behind the wall is lost and goes no further
                if wp.length(x) > WALL:
                    break
        if WANTED == "their final positions":
            out[tid] = x
        elif WANTED == "how far they moved":
            out[tid] = wp.length(x - x0[tid])
        else:
            out[tid] = v
