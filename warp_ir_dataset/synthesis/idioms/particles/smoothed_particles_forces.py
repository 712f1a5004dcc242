"""What fluid particles do to each other: pressure, viscosity, surface tension, smoothing."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .smoothed_particles import NAMES


@idiom(level=4, names=NAMES | {"kernel": "accelerate_fluid compute_acceleration", "total": "total acc accel"})
def pressure_acceleration(c):
    """The acceleration of a fluid by {PRESSURE} pressures {FORM}{DRAG}{LOAD}."""
    n = c.size(8, 12)
    PRESSURE, DRAG = c.meaning("given", "computed"), c.meaning("", " and viscosity")
    FORM = c.meaning("in symmetric form", "in mean form", "in difference form")
    LOAD, WALL = c.meaning(", with gravity", ", above a floor", ""), c.meaning("spiky", "Wendland")
    H, STIFFNESS, REST = c.constant(0.9, 1.6), c.constant(3.0, 9.0), c.constant(0.6, 0.9)
    VISCOSITY, FLOOR = c.constant(0.2, 0.9), c.constant(-0.6, -0.1)
    c.once("floor", LOAD == ", above a floor")

    def gradient(d: wp.vec3, r: float) -> wp.vec3:
        """The gradient of the kernel, up to its norm."""
        s = 1.0 - r / H
        if WALL == "spiky":
            return -3.0 * s * s / (H * r) * d
        else:
            return -20.0 * s * s * s / (H * H) * d

    def pressure_of(density: float) -> float:
        return STIFFNESS * wp.max(density - REST, 0.0)

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-0.9, high=0.9, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity"),
        rho: wp.array[float] = given(n, low=0.6, high=1.5, of="density"),
        p: wp.array[float] = given(n, low=0.2, high=3.0, of="pressure"),
        mass: float = given(low=0.2, high=1.0),
        gravity: wp.vec3 = given(low=-6.0, high=6.0),
        out: wp.array[wp.vec3] = result(n, of="acceleration"),
    ):
        i = wp.tid()
        here = x[i]
        if PRESSURE == "given":
            pi = p[i]
        else:
            pi = pressure_of(rho[i])
        total = wp.vec3()
        for j in range(x.shape[0]):
            d = here - x[j]
            r = wp.length(d)
            # a particle does not push itself
            if r > 1.0e-5 and r < H:
                if PRESSURE == "given":
                    pj = p[j]
                else:
                    pj = pressure_of(rho[j])
                slope = gradient(d, r)
                if FORM == "in symmetric form":
                    total -= mass * (pi / (rho[i] * rho[i]) + pj / (rho[j] * rho[j])) * slope
                elif FORM == "in mean form":
                    total -= 0.5 * mass * (pi + pj) / (rho[i] * rho[j]) * slope
                else:
                    total -= mass * (pj - pi) / (rho[i] * rho[j]) * slope
                if DRAG:
                    drag = 2.0 * VISCOSITY * wp.dot(d, slope) / (r * r + 0.01 * H * H)
                    total += mass / (rho[i] * rho[j]) * drag * (v[i] - v[j])
        if LOAD == ", with gravity":
            total += gravity
        elif LOAD == ", above a floor":
            if here[1] < FLOOR:
                total += wp.vec3(0.0, STIFFNESS * (FLOOR - here[1]), 0.0)
        out[i] = total


@idiom(
    level=3,
    names=NAMES | {"kernel": "smooth_fields xsph", "total": "total drift correction", "w": "w weight"},
)
def neighbour_smoothing(c):
    """Smooths the {WHAT} of particles {HOW} over {WEIGHT}{MOVE}."""
    n = c.size()
    WHAT = c.meaning("velocities", "temperatures")
    HOW = c.meaning("by the XSPH correction", "by a normalised mean", "with mean densities")
    MOVE = c.meaning("", ", and moves them", ", at rest on the floor") if WHAT == "velocities" else ""
    WEIGHT = c.meaning("a Gaussian", "a poly6 kernel", "a linear hat")
    if HOW != "by the XSPH correction" or WHAT != "velocities":
        c.names({"kernel": "smooth_fields blend_neighbours"})
    H, BLEND, DT = c.constant(0.8, 1.5), c.constant(0.2, 0.9), c.constant(0.1, 0.5)
    FLOOR = c.constant(-0.7, -0.3)
    UNIT = {"a Gaussian": 1.506, "a poly6 kernel": 1.567, "a linear hat": 0.955}[WEIGHT]
    Kind = c.vec(3) if WHAT == "velocities" else float

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="velocity"),
        heat: wp.array[float] = given(n, low=0.5, high=3.0),
        mass: wp.array[float] = given(n, low=0.5, high=1.5, of="mass"),
        rho: wp.array[float] = given(n, low=0.5, high=1.5, of="density"),
        v_new: wp.array[wp.vec3] = result(n, of="velocity"),
        x_new: wp.array[wp.vec3] = result(n, of="position"),
        smooth: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if MOVE == ", at rest on the floor":
            if x[i][1] < FLOOR:
                v_new[i] = wp.vec3()
                return
        own = v[i] if WHAT == "velocities" else heat[i]
        total = Kind(0.0)
        if HOW == "by a normalised mean":
            norm = float(0.0)
        else:
            # over its support the weight has an integral of one
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
            if HOW != "by a normalised mean":
                w *= scale
            other = v[j] if WHAT == "velocities" else heat[j]
            if HOW == "by the XSPH correction":
                total += mass[j] / rho[j] * w * (other - own)
            elif HOW == "with mean densities":
                total += 2.0 * mass[j] / (rho[i] + rho[j]) * w * (other - own)
            else:
                total += mass[j] * w * other
                norm += mass[j] * w
        if HOW == "by a normalised mean":
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
    names=NAMES
    | {"kernel": "viscous_forces compute_viscosity", "total": "total acc drag", "rate": "rate vr mu"},
)
def sph_viscosity(c):
    """The viscous {WANTED} of particles: {MODEL}{SHAPE}{WALL}."""
    n, m = c.size(8, 12), c.size(4, 7)
    WANTED = c.meaning("acceleration", "acceleration and heating", "change of velocity")
    MODEL = c.meaning("Monaghan’s artificial viscosity", "laminar viscosity", "Müller’s viscosity")
    WALL = c.meaning("", ", with wall particles")
    SHAPE = "" if "Müller" in MODEL else c.meaning(" by a spiky kernel", " by a Wendland kernel")
    H, ALPHA, SOUND, DT = (
        c.constant(0.9, 1.6),
        c.constant(0.3, 1.2),
        c.constant(1.0, 3.0),
        c.constant(0.1, 0.4),
    )
    BETA, Vec = c.constant(1.0, 2.5), c.vec(c.meaning(3, 2))
    if WANTED == "change of velocity":
        c.names({"out": "dv velocity_changes", "kernel": "viscous_kicks compute_viscosity"})
    else:
        c.names({"out": "out acc accelerations"})

    def slope(r: float) -> float:
        """The derivative of the kernel, over the distance."""
        s = 1.0 - r / H
        if SHAPE == " by a spiky kernel":
            return -3.0 * s * s / (H * r)
        else:
            return -20.0 * s * s * s / (H * H)

    def artificial(d: Vec, u: Vec, both: float) -> Vec:
        rate = wp.min(wp.dot(d, u), 0.0) * H / (wp.dot(d, d) + 0.01 * H * H)
        # nothing resists particles that part
        strength = (ALPHA * SOUND * rate - BETA * rate * rate) / (0.5 * both)
        return strength * slope(wp.length(d)) * d

    def laminar(d: Vec, u: Vec, both: float) -> Vec:
        along = slope(wp.length(d)) * wp.dot(d, d)
        return ALPHA * along / ((0.5 * both) * (wp.dot(d, d) + 0.01 * H * H)) * u

    def laplacian(d: Vec, u: Vec, both: float) -> Vec:
        return -ALPHA / both * (H - wp.length(d)) * u

    DRAG = {"laminar viscosity": laminar, "Müller’s viscosity": laplacian}.get(MODEL, artificial)

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = given(n, low=-0.9, high=0.9, of="position"),
        v: wp.array[Vec] = given(n, low=-1.5, high=1.5, of="velocity"),
        rho: wp.array[float] = given(n, low=0.6, high=1.5, of="density"),
        mass: wp.array[float] = given(n, low=0.4, high=1.2, of="mass"),
        walls: wp.array[Vec] = given(m, low=-1.0, high=1.0),
        wall_mass: float = given(low=0.5, high=2.0),
        out: wp.array[Vec] = result(n, of="acceleration" if "acceleration" in WANTED else None),
        heating: wp.array[float] = result(n),
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
                drag = mass[j] * DRAG(d, u, rho[i] + rho[j])
                total += drag
                if WANTED == "acceleration and heating":
                    heat -= 0.5 * wp.dot(drag, u)
        if WALL:
            for k in range(walls.shape[0]):
                d = x[i] - walls[k]
                r = wp.length(d)
                if r > 1.0e-5 and r < H:
                    total += wall_mass * DRAG(d, v[i], 2.0 * rho[i])
        if WANTED == "change of velocity":
            out[i] = DT * total
        else:
            out[i] = total
        if WANTED == "acceleration and heating":
            heating[i] = heat


@idiom(level=4, names=NAMES | {"kernel": "surface_forces tension_forces", "total": "total pull"})
def colour_field_tension(c):
    """The surface {WANTED} of a fluid {MODEL}{SHAPE}{SPECIES}."""
    n = c.size(8, 12)
    MODEL = c.meaning("from the curvature of its colour field", "from its normals", "by cohesion of pairs")
    WANTED = c.meaning("tension", "tension, added to the forces,", "acceleration")
    SPECIES = c.meaning("", ", of one phase alone")
    SHAPE = c.meaning(" of spiky weight", " of poly6 weight") if MODEL == "from its normals" else ""
    if MODEL == "from the curvature of its colour field":
        c.names({"total": "normal gradient inward"})
    elif MODEL == "by cohesion of pairs":
        c.names({"total": "total cohesion"})
    H, SIGMA, EDGE = c.constant(1.0, 1.8), c.constant(0.5, 3.0), c.constant(0.8, 3.0)
    if WANTED == "acceleration":
        c.names({"f": "acc accelerations", "kernel": "surface_accelerations accelerate_surface"})
    DIM = c.meaning(3, 2)
    Vec = c.vec(DIM)

    def colour(q: float):
        """The slope over q and the Laplacian of the poly6 kernel."""
        s = 1.0 - q * q
        return -6.0 * s * s, -6.0 * s * (DIM * 1.0 - (DIM + 4.0) * q * q)

    def spline(q: float) -> float:
        """Pulls between half of the support and all of it, pushes below."""
        cubes = wp.pow((1.0 - q) * q, 3.0)
        if q > 0.5:
            return cubes
        else:
            return 2.0 * cubes - 0.015625

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = given(n, low=-0.9, high=0.9, of="position"),
        normals: wp.array[Vec] = given(n, low=-1.0, high=1.0),
        mass: wp.array[float] = given(n, low=0.5, high=1.5, of="mass"),
        rho: wp.array[float] = given(n, low=0.6, high=1.4, of="density"),
        phase: wp.array[int] = given(n, low=0, high=1),
        f: wp.array[Vec] = updated(n, low=-1.0, high=1.0)
        if WANTED == "tension, added to the forces,"
        else result(n, of="acceleration" if WANTED == "acceleration" else "force"),
    ):
        i = wp.tid()
        if SPECIES:
            if phase[i] == 0:
                if WANTED != "tension, added to the forces,":
                    f[i] = Vec()
                return
        total = Vec()
        if MODEL == "from the curvature of its colour field":
            curvature = float(0.0)
        for j in range(x.shape[0]):
            d = x[i] - x[j]
            r = wp.length(d)
            if MODEL == "from the curvature of its colour field":
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
            if MODEL == "from the curvature of its colour field":
                slope, bend = colour(q)
                volume = mass[j] / rho[j]
                total += volume * slope / (H * H) * d
                curvature -= volume * bend / (H * H)
            elif MODEL == "from its normals":
                if SHAPE == " of poly6 weight":
                    w = wp.pow(1.0 - q * q, 3.0)
                else:
                    w = wp.pow(1.0 - q, 3.0)
                total -= mass[j] / (rho[i] + rho[j]) * w * (normals[i] - normals[j])
            else:
                total -= 32.0 * mass[j] * spline(q) / r * d
        if MODEL == "from the curvature of its colour field":
            steep = wp.length(total)
            # far from the surface the normal is noise
            if steep < EDGE:
                if WANTED != "tension, added to the forces,":
                    f[i] = Vec()
                return
            force = SIGMA * curvature / steep * total
        else:
            force = SIGMA * total if WANTED == "acceleration" else SIGMA * mass[i] * total
        if WANTED == "acceleration":
            f[i] = force / rho[i] if MODEL == "from the curvature of its colour field" else force
        elif WANTED == "tension":
            f[i] = force
        else:
            f[i] += force
