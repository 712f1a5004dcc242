"""Forces between fluid particles: pressure, viscosity, surface tension, smoothing."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .smoothed_particles import NAMES


@idiom(
    level=4,
    differentiable=False,
    names=NAMES
    | {"kernel": "accelerate_fluid compute_acceleration", "total": "total acc accel", "mass": "mass m"},
)
def pressure_acceleration(c):
    """The SPH acceleration of a fluid by {PRESSURE} {FORM} with {MORE}.

    Compute the SPH acceleration {out} of each particle i of a fluid. It is a sum over all particles j with
    0.00001 < r < {H}, where d = `{x}[i]` - `{x}[j]` and r = |d|. With the gradient of the {SHAPE} kernel, G =
    {GRADIENT}, the pressure of j adds {PUSH}. {PRESSURES}{DRAGGED}{LOADED}
    """
    n = c.size(8, 12)
    PRESSURE, DRAG = c.meaning("given pressures", "pressures linear in density"), c.meaning("", "viscosity")
    FORM = c.meaning("in symmetric form", "in mean form", "in difference form")
    LOAD, SHAPE = c.meaning("gravity", "a floor that pushes up", ""), c.meaning("spiky", "Wendland")
    *FIRST, LAST = [part for part in (f"a {SHAPE} kernel", DRAG, LOAD) if part]
    MORE = f"{', '.join(FIRST)} and {LAST}" if FIRST else LAST
    H, STIFFNESS, REST = c.constant(0.9, 1.6), c.constant(3.0, 9.0), c.constant(0.7, 1.0)
    VISCOSITY, FLOOR, REPEL = c.constant(0.2, 0.9), c.constant(-0.6, -0.1), c.constant(5.0, 20.0)
    c.once("floor", LOAD == "a floor that pushes up")

    def gradient(d: wp.vec3, r: float) -> wp.vec3:
        """The gradient of the kernel at an offset d of length r."""
        s = 1.0 - r / H
        if SHAPE == "spiky":
            return -45.0 * s * s / (wp.PI * wp.pow(H, 4.0) * r) * d
        else:
            return -210.0 * s * s * s / (wp.PI * wp.pow(H, 5.0)) * d

    def pressure_of(density: float) -> float:
        return STIFFNESS * wp.max(density - REST, 0.0)

    GRADIENT = "-45·(1 - r / {H})²·d / (π·{H}⁴·r)"
    if SHAPE == "Wendland":
        GRADIENT = "-210·(1 - r / {H})³·d / (π·{H}^5)"
    PUSH = {
        "in symmetric form": "-{mass}·(P[i] / `{rho}[i]`² + P[j] / `{rho}[j]`²)·G",
        "in mean form": "-½·{mass}·(P[i] + P[j])·G / (`{rho}[i]`·`{rho}[j]`)",
        "in difference form": "-{mass}·(P[j] - P[i])·G / (`{rho}[i]`·`{rho}[j]`)",
    }[FORM]
    PRESSURES = "Here P is {p}."
    if PRESSURE != "given pressures":
        PRESSURES = "Here P is {STIFFNESS}·max({rho} - {REST}, 0)."
    DRAGGED = ""
    if DRAG:
        DRAGGED = (
            " Viscosity adds 2·{VISCOSITY}·{mass}·(d·G)·(`{v}[i]` - `{v}[j]`) / ((r² + 0.01·{H}²)·`{rho}[i]`"
            "·`{rho}[j]`)."
        )
    LOADED = {
        "": "",
        "gravity": " Finally, add {gravity}.",
        "a floor that pushes up": " If its y is below {FLOOR}, the particle is also pushed up, by "
        "{REPEL}·({FLOOR} - y).",
    }[LOAD]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-0.9, high=0.9, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="velocity"),
        rho: wp.array[float] = input(n, low=0.6, high=1.5, of="density"),
        p: wp.array[float] = input(n, low=0.2, high=3.0, of="pressure"),
        mass: float = input(low=0.2, high=1.0),
        gravity: wp.vec3 = input(low=-6.0, high=6.0),
        out: wp.array[wp.vec3] = output(n, of="acceleration"),
    ):
        i = wp.tid()
        here = x[i]
        if PRESSURE == "given pressures":
            pi = p[i]
        else:
            pi = pressure_of(rho[i])
        total = wp.vec3()
        for j in range(x.shape[0]):
            d = here - x[j]
            r = wp.length(d)
            # a particle does not push itself
            if r > 1.0e-5 and r < H:
                if PRESSURE == "given pressures":
                    pj = p[j]
                else:
                    pj = pressure_of(rho[j])
                grad = gradient(d, r)
                if FORM == "in symmetric form":
                    total -= mass * (pi / (rho[i] * rho[i]) + pj / (rho[j] * rho[j])) * grad
                elif FORM == "in mean form":
                    total -= 0.5 * mass * (pi + pj) / (rho[i] * rho[j]) * grad
                else:
                    total -= mass * (pj - pi) / (rho[i] * rho[j]) * grad
                if DRAG:
                    drag = 2.0 * VISCOSITY * wp.dot(d, grad) / (r * r + 0.01 * H * H)
                    total += mass / (rho[i] * rho[j]) * drag * (v[i] - v[j])
        if LOAD == "gravity":
            total += gravity
        elif LOAD == "a floor that pushes up":
            if here[1] < FLOOR:
                total += wp.vec3(0.0, REPEL * (FLOOR - here[1]), 0.0)
        out[i] = total


@idiom(
    level=3,
    names=NAMES | {"kernel": "smooth_fields xsph", "total": "total drift correction", "w": "w weight"},
)
def neighbour_smoothing(c):
    """Smooths the {WHAT} of particles {HOW} with {WEIGHT}{MOVE}.

    Smooth the {WHAT} of particles {HOW}. The weight of particle j for particle i, at the distance r in {x},
    is w = {WEIGHTED} if r ≤ {H}, and 0 beyond; a particle is among its own neighbours. With Q the {SOURCE},
    the new value is {FORMULA}. Store it in {TARGET}.{MOVED}
    """
    n = c.size()
    WHAT = c.meaning("velocities", "temperatures")
    HOW = c.meaning("by XSPH", "towards a normalised mean", "by XSPH of mean densities")
    MOVES = ("", ", and moves them", "; those below the floor rest")
    MOVE = c.meaning(*MOVES) if WHAT == "velocities" else ""
    WEIGHT = c.meaning("a Gaussian", "a poly6 kernel", "a linear hat")
    if HOW != "by XSPH" or WHAT != "velocities":
        c.names({"kernel": "smooth_fields blend_neighbours"})
    if HOW == "towards a normalised mean":
        c.names({"total": "total weighted_sum"})
    elif WHAT == "temperatures":
        c.names({"total": "total correction"})
    H, BLEND, DT = c.constant(0.8, 1.5), c.constant(0.2, 0.9), c.constant(0.1, 0.5)
    FLOOR = c.constant(-0.7, -0.3)
    UNIT = {"a Gaussian": 1.506, "a poly6 kernel": 1.567, "a linear hat": 0.955}[WEIGHT]
    Kind = c.vec(3) if WHAT == "velocities" else float
    WEIGHTED = {
        "a Gaussian": "exp(-4·r² / {H}²)",
        "a poly6 kernel": "(1 - r² / {H}²)³",
        "a linear hat": "1 - r / {H}",
    }[WEIGHT]
    if HOW != "towards a normalised mean":
        WEIGHTED = "{UNIT} / {H}³·" + (f"({WEIGHTED})" if WEIGHT == "a linear hat" else WEIGHTED)
    SOURCE, TARGET = ("velocity {v}", "{v_new}") if WHAT == "velocities" else ("{temperature}", "{smooth}")
    FORMULA = {
        "by XSPH": "Q[i] + {BLEND} times the sum of w·(Q[j] - Q[i])·`{mass}[j] / {rho}[j]` over all j",
        "by XSPH of mean densities": "Q[i] + {BLEND} times the sum of 2·w·(Q[j] - Q[i])·`{mass}[j] / "
        "({rho}[i] + {rho}[j])` over all j",
        "towards a normalised mean": "lerp(Q[i], the mean of all Q[j] weighted by `{mass}[j]`·w, {BLEND})",
    }[HOW]
    MOVED = {
        "": "",
        ", and moves them": " Store in {x_new} the position moved by {DT} times the new velocity.",
        "; those below the floor rest": " But particles with y < {FLOOR}, below the floor, get the velocity "
        "zero.",
    }[MOVE]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="velocity"),
        temperature: wp.array[float] = input(n, low=0.5, high=3.0),
        mass: wp.array[float] = input(n, low=0.5, high=1.5, of="mass"),
        rho: wp.array[float] = input(n, low=0.5, high=1.5, of="density"),
        v_new: wp.array[wp.vec3] = output(n, of="velocity"),
        x_new: wp.array[wp.vec3] = output(n, of="position"),
        smooth: wp.array[float] = output(n),
    ):
        i = wp.tid()
        if MOVE == "; those below the floor rest":
            if x[i][1] < FLOOR:
                v_new[i] = wp.vec3()
                return
        own = v[i] if WHAT == "velocities" else temperature[i]
        total = Kind(0.0)
        if HOW == "towards a normalised mean":
            norm = float(0.0)
        else:
            # so that the integral of the weight over its support is one
            scale = UNIT / (H * H * H)
        for j in range(x.shape[0]):
            r = wp.length(x[i] - x[j])
            if r > H:
                continue
            if WEIGHT == "a Gaussian":
                w = wp.exp(-4.0 * r * r / (H * H))
            elif WEIGHT == "a poly6 kernel":
                w = wp.pow(1.0 - r * r / (H * H), 3.0)
            else:
                w = 1.0 - r / H
            if HOW != "towards a normalised mean":
                w *= scale
            other = v[j] if WHAT == "velocities" else temperature[j]
            if HOW == "by XSPH":
                total += mass[j] / rho[j] * w * (other - own)
            elif HOW == "by XSPH of mean densities":
                total += 2.0 * mass[j] / (rho[i] + rho[j]) * w * (other - own)
            else:
                total += mass[j] * w * other
                norm += mass[j] * w
        if HOW == "towards a normalised mean":
            blended = wp.lerp(own, total / norm, BLEND)
        else:
            blended = own + BLEND * total
        if WHAT == "velocities":
            v_new[i] = blended
        else:
            smooth[i] = blended
        if MOVE == ", and moves them":
            x_new[i] = x[i] + DT * blended


@idiom(
    level=4,
    differentiable=False,
    names=NAMES
    | {"kernel": "viscous_acceleration compute_viscosity", "total": "total acc", "rate": "rate vr mu"},
)
def sph_viscosity(c):
    """The viscous {WANTED} of fluid particles by {MODEL}{SHAPE}{WALL}.

    Compute the viscous {WANTED} of fluid particles by {MODEL}{SHAPE}. Particle i sums over all particles j
    with 0.00001 < r < {H}, where d = `{x}[i]` - `{x}[j]`, r = |d| and u = `{v}[i]` - `{v}[j]`, the terms
    `{mass}[j]`·A, with A = {DRAGS}.{SLOPE}

    {out} is that sum{TIMED}.{HEATED}{WALLED}
    """
    n, m = c.size(8, 12), c.size(4, 7)
    WANTED = c.meaning("acceleration", "acceleration and heating", "change of velocity")
    if WANTED == "change of velocity":
        c.names({"kernel": "viscous_kicks compute_viscosity"})
    MODEL = c.meaning("Monaghan's artificial viscosity", "laminar viscosity", "Müller's viscosity kernel")
    WALL = c.meaning("", ", also against wall particles at rest")
    SHAPE = "" if "Müller" in MODEL else c.meaning(" with a spiky kernel", " with a Wendland kernel")
    H, ALPHA, SOUND, DT = (
        c.constant(0.9, 1.6), c.constant(0.1, 0.6), c.constant(1.0, 3.0), c.constant(0.05, 0.2),
    )  # fmt: skip
    BETA, DIM = c.constant(1.0, 2.5), c.meaning(3, 2)
    Vec = c.vec(DIM)
    # over pi and a power of the support
    SPIKY, WENDLAND, BEND = (45.0, 210.0, 45.0) if DIM == 3 else (30.0, 140.0, 40.0)
    VISCOSITY = c.constant(0.1, 0.6)

    def slope(r: float) -> float:
        """The derivative of the kernel, over the distance."""
        s = 1.0 - r / H
        if SHAPE == " with a spiky kernel":
            return -SPIKY * s * s / (wp.PI * wp.pow(H, DIM + 1.0) * r)
        else:
            return -WENDLAND * s * s * s / (wp.PI * wp.pow(H, DIM + 2.0))

    def artificial(d: Vec, u: Vec, rho_a: float, rho_b: float) -> Vec:
        # nothing resists particles that part
        rate = wp.min(wp.dot(d, u), 0.0) * H / (wp.dot(d, d) + 0.01 * H * H)
        strength = (ALPHA * SOUND * rate - BETA * rate * rate) / (0.5 * (rho_a + rho_b))
        return strength * slope(wp.length(d)) * d

    def laminar(d: Vec, u: Vec, rho_a: float, rho_b: float) -> Vec:
        along = 2.0 * slope(wp.length(d)) * wp.dot(d, d)
        return VISCOSITY * along / (0.5 * (rho_a + rho_b) * (wp.dot(d, d) + 0.01 * H * H)) * u

    def laplacian(d: Vec, u: Vec, rho_a: float, rho_b: float) -> Vec:
        bend = BEND / (wp.PI * wp.pow(H, DIM + 3.0)) * (H - wp.length(d))
        return -VISCOSITY / (rho_a * rho_b) * bend * u

    DRAG = {"laminar viscosity": laminar, "Müller's viscosity kernel": laplacian}.get(MODEL, artificial)
    POWER = DIM + 3
    MEAN = "(½·(`{rho}[i]` + `{rho}[j]`))"
    DRAGS = {
        "laminar viscosity": "2·{VISCOSITY}·S·r²·u / ({MEAN}·(r² + 0.01·{H}²))",
        "Müller's viscosity kernel": "-({VISCOSITY} / (`{rho}[i]`·`{rho}[j]`))·({BEND} / "
        "(π·{H}^{POWER}))·({H} - r)·u",
    }.get(MODEL, "({ALPHA}·{SOUND}·M - {BETA}·M²)·S·d / {MEAN}, where M = min(d·u, 0)·{H} / (r² + 0.01·{H}²)")
    SLOPE = ""
    if SHAPE == " with a spiky kernel":
        POWER = DIM + 1
        SLOPE = " S is the slope of the kernel over r, -{SPIKY}·(1 - r / {H})² / (π·{H}^{POWER}·r)."
    elif SHAPE:
        POWER = DIM + 2
        SLOPE = " S is the slope of the kernel over r, -{WENDLAND}·(1 - r / {H})³ / (π·{H}^{POWER})."
    TIMED = " times {DT}" if WANTED == "change of velocity" else ""
    HEATED = ""
    if WANTED == "acceleration and heating":
        HEATED = " {heating} is the sum of -½·`{mass}[j]`·(A·u)."
    WALLED = ""
    if WALL:
        WALLED = (
            " The wall particles at {walls} belong to the sums as well: they rest, have mass "
            "{wall_mass}, and count as dense as particle i."
        )

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = input(n, low=-0.9, high=0.9, of="position"),
        v: wp.array[Vec] = input(n, low=-1.5, high=1.5, of="velocity"),
        rho: wp.array[float] = input(n, low=0.6, high=1.5, of="density"),
        mass: wp.array[float] = input(n, low=0.2, high=0.6, of="mass"),
        walls: wp.array[Vec] = input(m, low=-1.0, high=1.0),
        wall_mass: float = input(low=0.2, high=0.6),
        out: wp.array[Vec] = output(n, of="acceleration" if "acceleration" in WANTED else None),
        heating: wp.array[float] = output(n),
    ):
        i = wp.tid()
        total = Vec()
        if WANTED == "acceleration and heating":
            heat = float(0.0)
        for j in range(x.shape[0]):
            d = x[i] - x[j]
            r = wp.length(d)
            if r > 1.0e-5 and r < H:
                u = v[i] - v[j]
                drag = mass[j] * DRAG(d, u, rho[i], rho[j])
                total += drag
                if WANTED == "acceleration and heating":
                    heat -= 0.5 * wp.dot(drag, u)
        if WALL:
            for k in range(walls.shape[0]):
                d = x[i] - walls[k]
                r = wp.length(d)
                if r > 1.0e-5 and r < H:
                    # the wall counts as dense as the fluid here
                    drag = wall_mass * DRAG(d, v[i], rho[i], rho[i])
                    total += drag
                    if WANTED == "acceleration and heating":
                        heat -= 0.5 * wp.dot(drag, v[i])
        if WANTED == "change of velocity":
            out[i] = DT * total
        else:
            out[i] = total
        if WANTED == "acceleration and heating":
            heating[i] = heat


@idiom(
    level=4,
    differentiable=False,
    names=NAMES | {"kernel": "surface_forces tension_forces", "total": "total pull"},
)
def colour_field_tension(c):
    """{DONE} {MODEL}{SHAPE}{SPECIES}.

    Compute the surface tension of fluid particles {MODEL}. Sums go over the particles j closer than {H} to
    particle i, {ITSELF}, where d = `{x}[i]` - `{x}[j]`, r = |d| and q = r / {H}.{PHASES}

    {FORMULA} {STORED}
    """
    n = c.size(8, 12)
    MODEL = c.meaning(
        "from the curvature of their colour field",
        "from differences of their normals",
        "through cohesion of pairs",
    )
    WANTED = c.meaning("tension", "added", "acceleration")
    DONE = {
        "tension": "The surface tension on fluid particles",
        "added": "Adds surface tension to the forces on fluid particles",
        "acceleration": "The acceleration of fluid particles by surface tension",
    }[WANTED]
    SPECIES = c.meaning("", ", in phase 1 alone")
    SHAPE = (
        c.meaning(" with spiky weights", " with poly6 weights")
        if MODEL == "from differences of their normals"
        else ""
    )
    CURVED = MODEL == "from the curvature of their colour field"
    if CURVED:
        c.names({"total": "normal gradient inward"})
    elif MODEL == "through cohesion of pairs":
        c.names({"total": "total cohesion"})
    H, SIGMA, EDGE = c.constant(1.2, 1.8), c.constant(0.5, 3.0), c.constant(0.3, 0.8)
    if WANTED == "acceleration":
        c.names({"f": "acc accelerations", "kernel": "surface_accelerations accelerate_surface"})
    DIM = c.meaning(3, 2)
    Vec = c.vec(DIM)
    # over pi and the support to the power of the dimension
    UNIT = {" with spiky weights": (10.0, 15.0)}.get(SHAPE, (4.0, 4.922))[DIM - 2]

    def colour(q: float):
        """The slope over q and the Laplacian of the poly6 kernel, which is one at its centre."""
        s = 1.0 - q * q
        return -6.0 * s * s, -6.0 * s * (DIM * 1.0 - (DIM + 4.0) * q * q)

    def spline(q: float) -> float:
        """A pull that is greatest, one, at half the support, and turns to a push near the centre."""
        cubes = wp.pow(4.0 * (1.0 - q) * q, 3.0)
        if q > 0.5:
            return cubes
        else:
            return 2.0 * cubes - 1.0

    ITSELF = "including i itself" if CURVED else "excluding i itself"
    PHASES = ""
    if SPECIES:
        PHASES = " Only particles with {phase} 1 count, as i and as j; others {APART}."
    APART = "keep their {f}" if WANTED == "added" else "get zero"
    BEND, SCALE = DIM + 4, "({UNIT} / (π·{H}³))" if DIM == 3 else "({UNIT} / (π·{H}²))"
    if CURVED:
        FORMULA = (
            "With the volume V = `{mass}[j]` / `{rho}[j]` and s = 1 - q², the normal N of the colour field "
            "is the sum of {SCALE}·V·(-6·s²)·d / {H}², and its Laplacian L that of {SCALE}·V·(-6·s·({DIM} - "
            "{BEND}·q²)) / {H}². The acceleration is A = -({SIGMA} / `{rho}[i]`)·L·N / |N|, or zero if |N| < "
            "{EDGE}."
        )
    elif MODEL == "from differences of their normals":
        FORMULA = (
            "The acceleration is A = -{SIGMA} times the sum of 2·w·(`{normals}[i]` - "
            "`{normals}[j]`)·`{mass}[j] / ({rho}[i] + {rho}[j])` with the weight w = {SCALE}·{WEIGHT}."
        )
    else:
        FORMULA = (
            "The acceleration is A = -{SIGMA} times the sum of `{mass}[j]`·C·d / r. The cohesion C is (4·(1 "
            "- q)·q)³ for q > ½ and 2·(4·(1 - q)·q)³ - 1 otherwise."
        )
    WEIGHT = "(1 - q²)³" if SHAPE == " with poly6 weights" else "(1 - q)³"
    STORED = {
        "tension": "Store the force, `{mass}[i]`·A, in {f}.",
        "added": "Add the force, `{mass}[i]`·A, to {f}.",
        "acceleration": "Store A in {f}.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = input(n, low=-0.9, high=0.9, of="position"),
        normals: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        mass: wp.array[float] = input(n, low=0.5, high=1.5, of="mass"),
        rho: wp.array[float] = input(n, low=0.6, high=1.4, of="density"),
        phase: wp.array[int] = input(n, low=0, high=1),
        f: wp.array[Vec] = inout(n, low=-1.0, high=1.0)
        if WANTED == "added"
        else output(n, of="acceleration" if WANTED == "acceleration" else "force"),
    ):
        i = wp.tid()
        if SPECIES:
            if phase[i] == 0:
                if WANTED != "added":
                    f[i] = Vec()
                return
        total = Vec()
        if CURVED:
            laplacian = float(0.0)
        if MODEL != "through cohesion of pairs":
            # so that the integral of the kernel is one
            scale = UNIT / (wp.PI * H * H * H) if DIM == 3 else UNIT / (wp.PI * H * H)
        for j in range(x.shape[0]):
            d = x[i] - x[j]
            r = wp.length(d)
            if CURVED:
                # the particle itself is part of the field
                if r >= H:
                    continue
            else:
                if j == i or r >= H:
                    continue
            if SPECIES:
                if phase[j] == 0:
                    continue
            q = r / H
            if CURVED:
                slope, bend = colour(q)
                volume = mass[j] / rho[j]
                total += scale * volume * slope / (H * H) * d
                laplacian += scale * volume * bend / (H * H)
            elif MODEL == "from differences of their normals":
                if SHAPE == " with poly6 weights":
                    w = scale * wp.pow(1.0 - q * q, 3.0)
                else:
                    w = scale * wp.pow(1.0 - q, 3.0)
                total -= 2.0 * mass[j] / (rho[i] + rho[j]) * w * (normals[i] - normals[j])
            else:
                total -= mass[j] * spline(q) / r * d
        if CURVED:
            steep = wp.length(total)
            # far from the surface the normal is noise
            if steep < EDGE:
                if WANTED != "added":
                    f[i] = Vec()
                return
            # the curvature is minus the Laplacian over the length of the normal
            pull = -SIGMA / rho[i] * laplacian / steep * total
        else:
            pull = SIGMA * total
        if WANTED == "acceleration":
            f[i] = pull
        elif WANTED == "tension":
            f[i] = mass[i] * pull
        else:
            f[i] += mass[i] * pull
