"""Steps of fluids: their length, supports, motion, all at once."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .smoothed_particles import NAMES


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "step_fluid integrate_fluid",
        "total": "total acc accel",
        "here": "here xi",
        "mass": "mass m",
        "own": "own own_term p_term",
        "gradient": "gradient grad_w",
        "slope_over_r": "slope_over_r dw_over_r",
        "moved velocity": "moved velocity | x_next v_next | ahead kicked",
    },
)
def fluid_step(c):
    """One {SCHEME} step of SPH for {FLUID}{DRAG} {BOX}{RATE}.

    Do one {SCHEME} step of SPH for {FLUID}{DRAG} {BOX}. With d = `{x}[i]` - `{x}[j]`{WRAP}, r = |d|, u =
    `{v}[i]` - `{v}[j]` and G = -140·{mass}·(1 - r / {H})³·d / (π·{H}⁴), the acceleration of particle i is
    {gravity} plus the sum of -(P[i] / `{rho}[i]`² + P[j] / `{rho}[j]`²)·G{RESISTED} over all other j with r <
    {H}. The pressure is P = {PRESSURE}.

    The velocity V in {v} becomes V + {dt}·(acceleration), and the position moves by {dt} times {MEAN}.
    {CONFINED} Store them in {x_new} and {v_new}.{FLOWN}
    """
    n = c.size(7, 10)
    FLUID = c.meaning("a Tait liquid", "a linear liquid", "an isothermal gas")
    DRAG = c.meaning("", " with viscosity", " with artificial viscosity")
    SCHEME = c.meaning("symplectic Euler", "mean-velocity")
    BOX = c.meaning("between two walls", "in a periodic box", "on a sticky floor")
    RATE = c.meaning("", ", densities included")
    H, SOUND, REST, NU = (
        c.constant(0.5, 0.8) if "periodic" in BOX else c.constant(0.8, 1.4),
        c.constant(1.0, 2.5),
        c.constant(0.9, 1.1),
        c.constant(0.2, 0.9),
    )
    SIDE, BOUNCE, WIDTH = c.constant(0.7, 0.9), c.constant(0.2, 0.9), c.constant(1.6, 2.0)
    STIFFNESS = c.constant(0.3, 0.9)
    ALPHA = c.constant(0.2, 0.9)
    if "floor" in BOX:
        c.names({"SIDE": "DEPTH FLOOR_DEPTH"})

    def pressure(density: float) -> float:
        if FLUID == "a Tait liquid":
            return STIFFNESS * (wp.pow(density / REST, 7.0) - 1.0)
        elif FLUID == "a linear liquid":
            return SOUND * SOUND * wp.max(density - REST, 0.0)
        else:
            return SOUND * SOUND * density

    def slope_over_r(r: float) -> float:
        """The derivative of Wendland's kernel in the plane, over the distance."""
        s = 1.0 - r / H
        return -140.0 * s * s * s / (wp.PI * wp.pow(H, 4.0))

    def wrapped(d: float) -> float:
        """The nearest image in a periodic box."""
        return d - WIDTH * wp.round(d / WIDTH)

    PRESSURE = {
        "a Tait liquid": "{STIFFNESS}·(({rho} / {REST})^7 - 1)",
        "a linear liquid": "{SOUND}²·max({rho} - {REST}, 0)",
        "an isothermal gas": "{SOUND}²·{rho}",
    }[FLUID]
    WRAP = ""
    if BOX == "in a periodic box":
        WRAP = (
            ", each component b of which is wrapped to b - {WIDTH}·round(b / {WIDTH}), rounding halves away "
            "from 0"
        )
    RESISTED = {
        "": "",
        " with viscosity": " + 2·{NU}·(d·G)·u / (`{rho}[j]`·(r² + 0.01·{H}²))",
        " with artificial viscosity": " + {ALPHA}·{H}·{SOUND}·min(d·u, 0)·G / (½·(`{rho}[i]` + "
        "`{rho}[j]`)·(r² + 0.01·{H}²))",
    }[DRAG]
    MEAN = "the mean of old and new velocity" if SCHEME == "mean-velocity" else "the new velocity"
    CONFINED = {
        "in a periodic box": "The components of the new position are wrapped in the same way.",
        "between two walls": "If the new x coordinate exceeds {SIDE} in absolute value, it becomes ±{SIDE} "
        "with the same sign, and the x velocity points inwards with {BOUNCE} times its absolute value.",
        "on a sticky floor": "If the new y coordinate is below -{SIDE}, it becomes -{SIDE} and the velocity "
        "zero.",
    }[BOX]
    FLOWN = ""
    if RATE:
        FLOWN = " {rho_new} is {rho} plus {dt} times the sum of u·G over the same particles."

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec2] = input(n, low=-2.0, high=2.0, of="velocity"),
        rho: wp.array[float] = input(n, low=0.7, high=1.4),
        mass: float = input(low=0.2, high=0.6),
        gravity: wp.vec2 = input(low=-9.0, high=9.0),
        dt: float = input(low=0.02, high=0.08),
        x_new: wp.array[wp.vec2] = output(n, of="position"),
        v_new: wp.array[wp.vec2] = output(n, of="velocity"),
        rho_new: wp.array[float] = output(n, of="density"),
    ):
        i = wp.tid()
        here = x[i]
        total = gravity
        own = pressure(rho[i]) / (rho[i] * rho[i])
        if RATE:
            rate = float(0.0)
        for j in range(x.shape[0]):
            if BOX == "in a periodic box":
                d = wp.vec2(wrapped(here[0] - x[j][0]), wrapped(here[1] - x[j][1]))
            else:
                d = here - x[j]
            r = wp.length(d)
            if j != i and r < H:
                gradient = mass * slope_over_r(r) * d
                total -= (own + pressure(rho[j]) / (rho[j] * rho[j])) * gradient
                if DRAG or RATE:
                    u = v[i] - v[j]
                if DRAG == " with viscosity":
                    total += 2.0 * NU / rho[j] * wp.dot(d, gradient) / (r * r + 0.01 * H * H) * u
                elif DRAG == " with artificial viscosity":
                    approach = wp.min(wp.dot(d, u), 0.0) / (r * r + 0.01 * H * H)
                    total += ALPHA * H * SOUND / (0.5 * (rho[i] + rho[j])) * approach * gradient
                if RATE:
                    rate += wp.dot(u, gradient)
        velocity = v[i] + dt * total
        if SCHEME == "mean-velocity":
            moved = here + 0.5 * dt * (v[i] + velocity)
        else:
            moved = here + dt * velocity
        if BOX == "in a periodic box":
            x_new[i] = wp.vec2(wrapped(moved[0]), wrapped(moved[1]))
        elif BOX == "between two walls":
            if wp.abs(moved[0]) > SIDE:
                side = wp.sign(moved[0])
                moved[0] = side * SIDE
                # inward, whichever way the particle went
                velocity[0] = -BOUNCE * side * wp.abs(velocity[0])
            x_new[i] = moved
        else:
            if moved[1] < -SIDE:
                moved = wp.vec2(moved[0], -SIDE)
                velocity = wp.vec2()
            x_new[i] = moved
        v_new[i] = velocity
        if RATE:
            rho_new[i] = rho[i] + dt * rate


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "stable_steps limit_steps",
        "a": "a acceleration accel",
        "sound": "sound sound_speed cs",
        "size": "size h smoothing_length",
        "limit": "limit step dt_max",
        "frame": "frame frame_time interval",
        "out": "out limits found",
    },
)
def fluid_time_step(c):
    """The {WANTED} of each fluid particle by the {BOUNDS} limit{PLURAL}{SIZES}.

    Compute the {WANTED} of each fluid particle by the {BOUNDS} limit{PLURAL}. With {LENGTH}, the stable step
    is {LIMIT}. Store {STORED}.
    """
    n = c.size()
    WANTED = c.meaning("stable step", "number of substeps of a frame", "inverse of the stable step")
    BOUNDS = c.meaning("sound", "force", "viscosity", "sound and force", "sound and viscosity")
    SIZES = c.meaning("", ", for its own smoothing length")
    PLURAL = "s" if "and" in BOUNDS else ""
    if WANTED == "number of substeps of a frame":
        c.names({"kernel": "count_substeps substeps_per_frame"})
    elif WANTED == "inverse of the stable step":
        c.names({"kernel": "inverse_steps inverse_time_steps", "out": "out inverses rates"})
    elif "sound" in BOUNDS:
        c.names({"kernel": "cfl_limit stable_steps"})
    H, VISCOSITY, SAFETY = c.constant(0.5, 1.5), c.constant(0.3, 1.5), c.constant(0.2, 0.5)
    LENGTH = "its smoothing length H in {sizes}" if SIZES else "the smoothing length H = {H}"
    FORCE = "{SAFETY}·√(H / |{a}|)"
    VISCOUS = "{SAFETY}/2·{rho}·H² / {VISCOSITY}"
    CROSSED = "{SAFETY}·H / ({sound} + |{v}|)"
    LIMIT = {
        "sound": "{CROSSED}",
        "force": "{FORCE}",
        "viscosity": "{VISCOUS}",
        "sound and force": "the smaller of {CROSSED} and {FORCE}",
        "sound and viscosity": "the smaller of {CROSSED} and {VISCOUS}",
    }[BOUNDS]
    STORED = {
        "stable step": "it in {out}",
        "inverse of the stable step": "one over it in {out}",
        "number of substeps of a frame": "in {counts} the {frame} divided by it, rounded up",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        v: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        a: wp.array[wp.vec3] = input(n, low=-8.0, high=8.0),
        sound: wp.array[float] = input(n, low=1.0, high=3.0),
        sizes: wp.array[float] = input(n, low=0.4, high=1.5),
        rho: wp.array[float] = input(n, low=0.5, high=1.5),
        frame: float = input(low=0.5, high=2.0),
        out: wp.array[float] = output(n),
        counts: wp.array[int] = output(n),
    ):
        i = wp.tid()
        if SIZES:
            size = sizes[i]
        if BOUNDS == "force":
            limit = SAFETY * wp.sqrt((size if SIZES else H) / wp.length(a[i]))
        elif BOUNDS == "viscosity":
            limit = 0.5 * SAFETY * rho[i] * (size * size if SIZES else H * H) / VISCOSITY
        else:
            # how long sound takes to cross a smoothing length
            limit = SAFETY * (size if SIZES else H) / (sound[i] + wp.length(v[i]))
            if BOUNDS == "sound and force":
                limit = wp.min(limit, SAFETY * wp.sqrt((size if SIZES else H) / wp.length(a[i])))
            elif BOUNDS == "sound and viscosity":
                limit = wp.min(limit, 0.5 * SAFETY * rho[i] * (size * size if SIZES else H * H) / VISCOSITY)
        if WANTED == "stable step":
            out[i] = limit
        elif WANTED == "inverse of the stable step":
            out[i] = 1.0 / limit
        else:
            counts[i] = int(wp.ceil(frame / limit))


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "adapt_sizes update_smoothing_lengths",
        "h": "h size old_h",
        "sizes": "sizes smoothing_lengths hs",
        "target": "target wanted ideal",
        "number": "number neighbour_count counts",
        "divergence": "divergence div_v",
    },
)
def smoothing_length_update(c):
    """The smoothing lengths of particles in {SPACE} {RULE}{BLEND}{BOUND}{PLACE}.

    Compute the smoothing lengths of particles in {SPACE} {RULE}{REPLACED}. {OLD_ONE} new length is
    {FORMULA}.{HALF}{BOUNDED}
    """
    n = c.size()
    SPACE = c.meaning("space", "the plane")
    RULE = c.meaning("from their densities", "for a wanted number of neighbours", "that follow the flow")
    # what follows the flow makes no more than a step anyhow
    BLENDS = (", by the exact solution",) if RULE == "that follow the flow" else (", taken halfway there",)
    BLEND, BOUND = c.meaning("", *BLENDS), c.meaning("", ", at most a fifth longer", ", within bounds")
    ETA, WANTED, LEAST, MOST = (
        c.constant(1.1, 1.5), c.constant(6.0, 14.0), c.constant(0.7, 0.9), c.constant(1.2, 1.4),
    )  # fmt: skip
    if RULE == "that follow the flow":
        c.names({"target": "new_h next_size"})
    DIM = 3 if SPACE == "space" else 2
    OLD = RULE != "from their densities" or BLEND or BOUND == ", at most a fifth longer"
    PLACE = ", in place" if OLD else ""
    REPLACED = ", in place in {sizes}" if OLD else ", {sizes}"
    OLD_ONE = "With the old length H, the" if OLD else "The"
    ROOT = "³√" if DIM == 3 else "√"
    FORMULA = {
        "from their densities": "{ETA}·{ROOT}({mass} / {rho})",
        "for a wanted number of neighbours": "H·{ROOT}({WANTED} / {number})",
        "that follow the flow": "H·(1 + {dt}·{divergence} / {DIM})",
    }[RULE]
    if BLEND == ", by the exact solution":
        FORMULA = "H·exp({dt}·{divergence} / {DIM})"
    HALF = " Take the mean of this and H instead." if BLEND == ", taken halfway there" else ""
    BOUNDED = {
        "": "",
        ", at most a fifth longer": " It becomes at most 1.2·H.",
        ", within bounds": " It is clamped to [{LEAST}, {MOST}].",
    }[BOUND]

    @c.kernel(n)
    def kernel(
        sizes: wp.array[float] = inout(n, low=0.4, high=1.5) if OLD else output(n),
        mass: wp.array[float] = input(n, low=0.1, high=1.0),
        rho: wp.array[float] = input(n, low=0.5, high=1.5),
        number: wp.array[int] = input(n, low=2, high=20),
        divergence: wp.array[float] = input(n, low=-4.0, high=4.0),
        dt: float = input(low=0.1, high=0.4),
    ):
        i = wp.tid()
        if OLD:
            h = sizes[i]
        if RULE == "from their densities":
            # so that the support holds about the same number of neighbours everywhere
            if DIM == 3:
                target = ETA * wp.cbrt(mass[i] / rho[i])
            else:
                target = ETA * wp.sqrt(mass[i] / rho[i])
        elif RULE == "for a wanted number of neighbours":
            if DIM == 3:
                target = h * wp.cbrt(WANTED / float(number[i]))
            else:
                target = h * wp.sqrt(WANTED / float(number[i]))
        elif BLEND:
            target = h * wp.exp(dt * divergence[i] / float(DIM))
        else:
            target = h * (1.0 + dt * divergence[i] / float(DIM))
        if BLEND == ", taken halfway there":
            target = 0.5 * (h + target)
        if BOUND == ", at most a fifth longer":
            sizes[i] = wp.min(target, 1.2 * h)
        elif BOUND == ", within bounds":
            sizes[i] = wp.clamp(target, LEAST, MOST)
        else:
            sizes[i] = target


@idiom(
    level=3,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "advance_fluid integrate_particles drift_fluid",
        "a": "a acceleration accelerations",
        "drift": "drift xsph correction",
        "velocity": "velocity kicked v_next",
        "moved": "moved x_next ahead",
        "dt": "dt time_step step",
        "divergence": "divergence div_v",
        "push": "push accel_i total",
        "gravity": "gravity g",
    },
)
def move_fluid_particles(c):
    """Moves fluid particles in place by {SCHEME}{XSPH}{FALL}{CARRIED}.

    Move fluid particles in place by {SCHEME}. The acceleration A is {PUSHED}; the velocity V in {v} becomes V
    + {KICK}, and the position {x} moves by {dt} times {CARRIER}{DRIFTED}.{STEPPED}
    """
    n = c.size()
    SCHEMES = ("symplectic Euler", "a half kick and a drift", "the mean of old and new velocity")
    SCHEME = c.meaning(*SCHEMES, "explicit Euler")
    XSPH, FALL = c.meaning("", " with the XSPH drift"), c.meaning("", " under gravity")
    CARRIED = c.meaning("", ", and steps their bounded density", ", and steps their density and energy")
    BLEND, MIN_DENSITY = c.constant(0.2, 0.8), c.constant(0.7, 0.9)
    PUSHED = "{a} plus {gravity}" if FALL else "{a}"
    KICK = "½·{dt}·A" if SCHEME == "a half kick and a drift" else "{dt}·A"
    CARRIER = {
        "the mean of old and new velocity": "the mean of old and new velocity",
        "explicit Euler": "the old velocity",
    }.get(SCHEME, "the new velocity")
    DRIFTED = ", and by {dt}·{BLEND} times the XSPH {drift} as well" if XSPH else ""
    STEPPED = {
        "": "",
        ", and steps their bounded density": " {rho} is multiplied by 1 - {dt}·{divergence}, and is at least "
        "{MIN_DENSITY}.",
        ", and steps their density and energy": " {energy} falls by {dt}·{divergence}·{p} / {rho}, with the "
        "old {rho}; then {rho} is multiplied by 1 - {dt}·{divergence}.",
    }[CARRIED]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = inout(n, low=-1.0, high=1.0),
        v: wp.array[wp.vec3] = inout(n, low=-1.5, high=1.5),
        a: wp.array[wp.vec3] = input(n, low=-4.0, high=4.0),
        drift: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        rho: wp.array[float] = inout(n, low=0.7, high=1.4),
        energy: wp.array[float] = inout(n, low=1.0, high=3.0),
        divergence: wp.array[float] = input(n, low=-1.0, high=1.0),
        p: wp.array[float] = input(n, low=0.5, high=2.0),
        gravity: wp.vec3 = input(low=-9.0, high=9.0),
        dt: float = input(low=0.1, high=0.4),
    ):
        i = wp.tid()
        push = a[i] + gravity if FALL else a[i]
        if SCHEME == "a half kick and a drift":
            velocity = v[i] + 0.5 * dt * push
        else:
            velocity = v[i] + dt * push
        if SCHEME == "the mean of old and new velocity":
            moved = x[i] + 0.5 * dt * (v[i] + velocity)
        elif SCHEME == "explicit Euler":
            moved = x[i] + dt * v[i]
        else:
            moved = x[i] + dt * velocity
        if XSPH:
            # particles go with the mean of their neighbours
            x[i] = moved + dt * BLEND * drift[i]
        else:
            x[i] = moved
        v[i] = velocity
        if CARRIED == ", and steps their bounded density":
            rho[i] = wp.max(rho[i] * (1.0 - dt * divergence[i]), MIN_DENSITY)
        elif CARRIED == ", and steps their density and energy":
            energy[i] = energy[i] - dt * p[i] / rho[i] * divergence[i]
            rho[i] = rho[i] * (1.0 - dt * divergence[i])
