"""Smoothed particle hydrodynamics: kernels, density, pressure, viscosity, surface tension, whole steps."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "x": "x positions particle_x pos",
    "v": "v velocities particle_v vel",
    "mass": "mass masses m",
    "rho": "rho density densities",
    "p": "p pressure pressures",
    "q": "q ratio s",
    "i j": "i j",
    "r": "r dist distance",
}


@idiom(
    level=2,
    names=NAMES | {"kernel": "eval_kernel kernel_values", "w": "w weights values", "rs": "rs distances r_in"},
)
def smoothing_kernel(c):
    """The {WANTED} of the {NAME} kernel at each {PLACE}{UNITS}."""
    n = c.size()
    WANTED = c.meaning("value", "slope", "gradient")
    PLACE = "offset" if WANTED == "gradient" else c.meaning("distance", "pair")
    UNITS = c.meaning("", ", normalised in space", ", normalised in the plane")
    H = c.constant(0.5, 1.2)

    def poly6(q: float) -> float:
        s = 1.0 - q * q
        return s * s * s if WANTED == "value" else -6.0 * q * s * s

    def spiky(q: float) -> float:
        s = 1.0 - q
        return s * s * s if WANTED == "value" else -3.0 * s * s

    def wendland(q: float) -> float:
        s = 1.0 - q
        return s * s * s * s * (1.0 + 4.0 * q) if WANTED == "value" else -20.0 * q * s * s * s

    def cubic_spline(q: float) -> float:
        if q < 0.5:
            return 1.0 - 6.0 * q * q * (1.0 - q) if WANTED == "value" else 18.0 * q * q - 12.0 * q
        s = 1.0 - q
        return 2.0 * s * s * s if WANTED == "value" else -6.0 * s * s

    def gaussian(q: float) -> float:
        return wp.exp(-9.0 * q * q) if WANTED == "value" else -18.0 * q * wp.exp(-9.0 * q * q)

    def lucy(q: float) -> float:
        s = 1.0 - q
        return (1.0 + 3.0 * q) * s * s * s if WANTED == "value" else -12.0 * q * s * s

    # The volume below each, over pi, in space and in the plane.
    FORM, NAME, solid, flat = c.meaning(
        (wendland, "Wendland", 2 / 21, 1 / 7), (cubic_spline, "cubic spline", 1 / 8, 7 / 40),
        (poly6, "poly6", 64 / 315, 1 / 4), (gaussian, "Gaussian", 0.0656, 1 / 9),
        (spiky, "spiky", 1 / 15, 1 / 10), (lucy, "Lucy", 16 / 105, 1 / 5),
    )  # fmt: skip
    UNIT = round(1.0 / (solid if "space" in UNITS else flat), 3)

    @c.kernel(n)
    def kernel(
        rs: wp.array[float] = given(n, low=0.0, high=1.4, of="distance"),
        x: wp.array[wp.vec3] = given(n, low=-0.6, high=0.6),
        y: wp.array[wp.vec3] = given(n, low=-0.6, high=0.6),
        w: wp.array[wp.vec3 if WANTED == "gradient" else float] = result(
            n, of="weight" if WANTED == "value" else None
        ),
    ):
        i = wp.tid()
        if WANTED == "gradient":
            r = wp.length(x[i])
        elif PLACE == "pair":
            r = wp.length(x[i] - y[i])
        else:
            r = rs[i]
        if r >= H:
            return
        if WANTED == "value":
            w[i] = (
                UNIT / (wp.PI * H * H * H) * FORM(r / H)
                if "space" in UNITS
                else (UNIT / (wp.PI * H * H) * FORM(r / H) if UNITS else FORM(r / H))
            )
        elif WANTED == "slope":
            slope = FORM(r / H) / H
            w[i] = (
                UNIT / (wp.PI * H * H * H) * slope
                if "space" in UNITS
                else (UNIT / (wp.PI * H * H) * slope if UNITS else slope)
            )
        else:
            slope = FORM(r / H) / H
            if UNITS == ", normalised in space":
                slope *= UNIT / (wp.PI * H * H * H)
            elif UNITS:
                slope *= UNIT / (wp.PI * H * H)
            w[i] = slope / r * x[i]


@idiom(
    level=2,
    names=NAMES | {"kernel": "compute_pressure pressure_from_density", "ratio": "ratio compression s"},
)
def equation_of_state(c):
    """The {WANTED} of particles {LAW}{TENSION}{DRIFT}."""
    n = c.size()
    WANTED = c.meaning("pressure", "pressure and speed of sound", "pressure over density squared")
    LAWS = ("by Tait’s equation", "of a stiff linear fluid", "of an ideal gas")
    LAW = c.meaning(*LAWS, "of a polytrope", "of a stiffened gas")
    TENSION = c.meaning("", ", never negative") if "linear" in LAW or "Tait" in LAW else ""
    DRIFT = c.meaning("", ", stepping density")
    REST, SPEED, GAMMA, DT = (
        c.constant(0.8, 1.2),
        c.constant(1.5, 4.0),
        c.constant(1.2, 1.7),
        c.constant(0.1, 0.3),
    )
    STIFF = c.constant(0.5, 2.0)

    @c.kernel(n)
    def kernel(
        rate: wp.array[float] = given(n, low=-0.5, high=4.0),
        energy: wp.array[float] = given(n, low=3.0, high=6.0),
        rho: wp.array[float] = updated(n, low=0.7, high=1.6) if DRIFT else given(n, low=0.7, high=1.6),
        p: wp.array[float] = result(n, of="pressure"),
        sound: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if DRIFT:
            density = rho[i] + DT * rate[i]
            rho[i] = density
        else:
            density = rho[i]
        if LAW == "by Tait’s equation":
            stiffness = REST * SPEED * SPEED / 7.0
            pressure = stiffness * (wp.pow(density / REST, 7.0) - 1.0)
            if WANTED == "pressure and speed of sound":
                sound[i] = SPEED * wp.pow(density / REST, 3.0)
        elif LAW == "of a stiff linear fluid":
            pressure = SPEED * SPEED * (density - REST)
            if WANTED == "pressure and speed of sound":
                sound[i] = SPEED * wp.sqrt(density / REST)
        elif LAW == "of an ideal gas":
            pressure = (GAMMA - 1.0) * density * energy[i]
            if WANTED == "pressure and speed of sound":
                sound[i] = wp.sqrt(GAMMA * (GAMMA - 1.0) * energy[i])
        elif LAW == "of a stiffened gas":
            pressure = (GAMMA - 1.0) * density * energy[i] - GAMMA * STIFF
            if WANTED == "pressure and speed of sound":
                sound[i] = wp.sqrt(GAMMA * (pressure + STIFF) / density)
        else:
            pressure = STIFF * wp.pow(density, GAMMA)
            if WANTED == "pressure and speed of sound":
                sound[i] = wp.sqrt(GAMMA * pressure / density)
        if TENSION:
            # a free surface would clump under tension
            pressure = wp.max(pressure, 0.0)
        if WANTED == "pressure over density squared":
            p[i] = pressure / (density * density)
        else:
            p[i] = pressure


@idiom(level=3, names=NAMES | {"kernel": "compute_density sum_density", "total": "total rho_i density_sum"})
def sph_density(c):
    """The {WANTED} by {KERNEL} weights over {SEARCH}{SELF}."""
    n, pairs = c.size(), c.size(20, 30)
    WANTED = c.meaning("density", "number density", "Shepard-filtered density", "rate of density")
    SEARCH = c.meaning("all particles", "neighbour lists")
    SELF = c.meaning("", ", itself left out") if WANTED == "density" or WANTED == "number density" else ""
    KERNEL, Vec, H = (
        c.meaning("poly6", "cubic spline", "Wendland"),
        c.vec(c.meaning(2, 3)),
        c.constant(0.9, 1.6),
    )

    def weight(q: float) -> float:
        """A kernel of support one, up to its norm."""
        if KERNEL == "poly6":
            return wp.pow(1.0 - q * q, 3.0)
        elif KERNEL == "Wendland":
            return wp.pow(1.0 - q, 4.0) * (1.0 + 4.0 * q)
        else:
            if q < 0.5:
                return 1.0 - 6.0 * q * q * (1.0 - q)
            else:
                return 2.0 * wp.pow(1.0 - q, 3.0)

    def slope(q: float) -> float:
        if KERNEL == "poly6":
            return -6.0 * q * (1.0 - q * q) * (1.0 - q * q)
        elif KERNEL == "Wendland":
            return -20.0 * q * wp.pow(1.0 - q, 3.0)
        else:
            if q < 0.5:
                return -12.0 * q + 18.0 * q * q
            else:
                return -6.0 * (1.0 - q) * (1.0 - q)

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = given(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = given(n, low=-1.0, high=1.0, of="velocity"),
        mass: wp.array[float] = given(n, low=0.5, high=1.5, of="mass"),
        old: wp.array[float] = given(n, low=0.6, high=1.4),
        offsets: wp.array[int] = given(n + 1, low=0, high=pairs, trait="offsets"),
        neighbours: wp.array[int] = given(pairs, low=0, high=n - 1),
        rho: wp.array[float] = result(n, of="density"),
    ):
        i = wp.tid()
        total = float(0.0)
        if WANTED == "Shepard-filtered density":
            norm = float(1.0e-6)
        if SEARCH == "neighbour lists":
            for k in range(offsets[i], offsets[i + 1]):
                j = neighbours[k]
                if SELF:
                    if j == i:
                        continue
                d = x[i] - x[j]
                r = wp.length(d)
                if r >= H:
                    continue
                if WANTED == "density":
                    total += mass[j] * weight(r / H)
                elif WANTED == "number density":
                    total += weight(r / H)
                elif WANTED == "Shepard-filtered density":
                    w = weight(r / H)
                    total += mass[j] * w
                    norm += mass[j] / old[j] * w
                elif r > 0.0:
                    total += mass[j] * slope(r / H) / (H * r) * wp.dot(v[i] - v[j], d)
        else:
            for j in range(x.shape[0]):
                if SELF:
                    if j == i:
                        continue
                d = x[i] - x[j]
                r = wp.length(d)
                if r >= H:
                    continue
                if WANTED == "density":
                    total += mass[j] * weight(r / H)
                elif WANTED == "number density":
                    total += weight(r / H)
                elif WANTED == "Shepard-filtered density":
                    w = weight(r / H)
                    total += mass[j] * w
                    norm += mass[j] / old[j] * w
                elif r > 0.0:
                    total += mass[j] * slope(r / H) / (H * r) * wp.dot(v[i] - v[j], d)
        rho[i] = total / norm if WANTED == "Shepard-filtered density" else total


@idiom(level=4, names=NAMES | {"kernel": "pressure_forces compute_acceleration", "total": "total acc force"})
def pressure_acceleration(c):
    """The acceleration of a fluid by {PRESSURE} pressures {FORM}{DRAG}{LOAD}."""
    n = c.size(8, 12)
    PRESSURE, DRAG = c.meaning("given", "computed"), c.meaning("", " and viscosity")
    FORM = c.meaning("in symmetric form", "by their means", "by their differences")
    LOAD, WALL = c.meaning(", with gravity", ", above a floor", ""), c.meaning("spiky", "Wendland")
    H, STIFFNESS, REST = c.constant(0.9, 1.6), c.constant(3.0, 9.0), c.constant(0.6, 0.9)
    VISCOSITY, FLOOR = c.constant(0.2, 0.9), c.constant(-0.6, -0.1)

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
                elif FORM == "by their means":
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
    H, BLEND, DT = c.constant(0.8, 1.5), c.constant(0.2, 0.9), c.constant(0.1, 0.5)
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
            if x[i][1] < -0.5:
                v_new[i] = wp.vec3()
                return
        own = v[i] if WHAT == "velocities" else heat[i]
        total = Kind(0.0)
        if HOW == "by a normalised mean":
            norm = float(0.0)
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
    """The viscous {WANTED} on particles: {MODEL}{SHAPE}{WALL}."""
    n, m = c.size(8, 12), c.size(4, 7)
    WANTED = c.meaning("acceleration", "acceleration and heating", "change of velocity")
    MODEL = c.meaning("Monaghan’s artificial viscosity", "laminar viscosity", "Müller’s viscosity")
    WALL = c.meaning("", ", walls too")
    SHAPE = "" if "Müller" in MODEL else c.meaning(" by a spiky kernel", " by a Wendland kernel")
    H, ALPHA, SOUND, DT = (
        c.constant(0.9, 1.6),
        c.constant(0.3, 1.2),
        c.constant(1.0, 3.0),
        c.constant(0.1, 0.4),
    )
    BETA, Vec = c.constant(1.0, 2.5), c.vec(c.meaning(3, 2))

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
                if r < H:
                    total += wall_mass * DRAG(d, v[i], 2.0 * rho[i])
        if WANTED == "change of velocity":
            out[i] = DT * total
        else:
            out[i] = total
        if WANTED == "acceleration and heating":
            heating[i] = heat


@idiom(level=4, names=NAMES | {"kernel": "surface_forces tension_forces", "total": "total force cohesion"})
def colour_field_tension(c):
    """The surface {WANTED} of a fluid {MODEL}{SHAPE}{SPECIES}."""
    n = c.size(8, 12)
    MODEL = c.meaning("from the curvature of its colour field", "from its normals", "by cohesion of pairs")
    WANTED = c.meaning("tension", "tension, added to the forces,", "acceleration")
    SPECIES = c.meaning("", ", of one phase alone")
    SHAPE = c.meaning(" of spiky weight", " of poly6 weight") if MODEL == "from its normals" else ""
    H, SIGMA, EDGE = c.constant(1.0, 1.8), c.constant(0.5, 3.0), c.constant(0.8, 3.0)
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
        else result(n),
    ):
        i = wp.tid()
        if SPECIES:
            if phase[i] == 0:
                return
        total = Vec()
        if MODEL == "from the curvature of its colour field":
            curvature = float(0.0)
        for j in range(x.shape[0]):
            d = x[i] - x[j]
            r = wp.length(d)
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
                return
            force = SIGMA * curvature / steep * total
        else:
            force = SIGMA * mass[i] * total
        if WANTED == "acceleration":
            f[i] = force / rho[i]
        elif WANTED == "tension":
            f[i] = force
        else:
            f[i] += force


@idiom(
    level=5,
    names=NAMES | {"kernel": "step_fluid integrate_fluid", "total": "total acc force", "here": "here xi"},
)
def fluid_step(c):
    """One SPH step of {FLUID}{DRAG} ({SCHEME}) {BOX}{RATE}."""
    n = c.size(7, 10)
    FLUID = c.meaning("a Tait liquid", "a linear liquid", "an isothermal gas")
    DRAG = c.meaning("", " with viscosity", " with artificial viscosity")
    SCHEME = c.meaning("symplectic Euler", "trapezoidal")
    BOX = c.meaning("in a box", "in a periodic box", "on a sticky floor")
    RATE = c.meaning("", ", with new densities")
    H, SOUND, REST, NU = (
        c.constant(0.8, 1.4),
        c.constant(1.0, 2.5),
        c.constant(0.8, 1.1),
        c.constant(0.2, 0.9),
    )
    SIDE, BOUNCE = c.constant(0.8, 1.0), c.constant(0.2, 0.9)

    def pressure(density: float) -> float:
        if FLUID == "a Tait liquid":
            return SOUND * SOUND * REST / 7.0 * (wp.pow(density / REST, 7.0) - 1.0)
        elif FLUID == "a linear liquid":
            return SOUND * SOUND * wp.max(density - REST, 0.0)
        else:
            return SOUND * SOUND * density

    def slope(r: float) -> float:
        """The derivative of Wendland’s kernel over the distance, up to its norm."""
        s = 1.0 - r / H
        return -20.0 * s * s * s / (H * H)

    def wrapped(d: float) -> float:
        """The shortest way in a periodic box."""
        return d - 2.0 * SIDE * wp.round(d / (2.0 * SIDE))

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec2] = given(n, low=-2.0, high=2.0, of="velocity"),
        rho: wp.array[float] = given(n, low=0.7, high=1.4),
        mass: float = given(low=0.05, high=0.3),
        gravity: wp.vec2 = given(low=-9.0, high=9.0),
        dt: float = given(low=0.1, high=0.3),
        x_new: wp.array[wp.vec2] = result(n, of="position"),
        v_new: wp.array[wp.vec2] = result(n, of="velocity"),
        rho_new: wp.array[float] = result(n, of="density"),
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
                gradient = mass * slope(r) * d
                total -= (own + pressure(rho[j]) / (rho[j] * rho[j])) * gradient
                if DRAG or RATE:
                    u = v[i] - v[j]
                if DRAG == " with viscosity":
                    total += 2.0 * NU / rho[j] * wp.dot(d, gradient) / (r * r + 0.01 * H * H) * u
                elif DRAG == " with artificial viscosity":
                    approach = wp.min(wp.dot(d, u), 0.0) / (r * r + 0.01 * H * H)
                    total += NU * H * SOUND / (0.5 * (rho[i] + rho[j])) * approach * gradient
                if RATE:
                    rate += wp.dot(u, gradient)
        velocity = v[i] + dt * total
        if SCHEME == "trapezoidal":
            moved = here + 0.5 * dt * (v[i] + velocity)
        else:
            moved = here + dt * velocity
        if BOX == "in a periodic box":
            x_new[i] = wp.vec2(wrapped(moved[0]), wrapped(moved[1]))
        elif BOX == "in a box":
            for axis in range(2):
                if wp.abs(moved[axis]) > SIDE:
                    # mirrored at the wall that it passed
                    moved[axis] = wp.clamp(2.0 * SIDE * wp.sign(moved[axis]) - moved[axis], -SIDE, SIDE)
                    velocity[axis] = -BOUNCE * velocity[axis]
            x_new[i] = moved
        else:
            if moved[1] < -SIDE:
                moved = wp.vec2(moved[0], -SIDE)
                velocity = wp.vec2()
            x_new[i] = moved
        v_new[i] = velocity
        if RATE:
            rho_new[i] = rho[i] + dt * rate
