"""Smoothed particle hydrodynamics: kernels, density, pressure, viscosity, surface tension, whole steps."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

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
    """The {WANTED} of the {NAME} kernel {WHERE}{UNITS}.

    Compute the {WANTED} of the {NAME} smoothing kernel of the support {H} {AT}. With q = r / {H}, it is
    {FACTOR}{FORMULA}, and 0 for q ≥ 1. Store it in {w}.
    """
    n = c.size()
    WANTED = c.meaning("value", "slope", "gradient")
    if WANTED != "value":
        c.names(
            {"kernel": "kernel_slopes eval_slopes", "w": "slopes dw"}
            if WANTED == "slope"
            else {"kernel": "kernel_gradients eval_gradients", "w": "gradients grad_w"}
        )
    PLACE = "offset" if WANTED == "gradient" else c.meaning("distance", "pair")
    WHERE = "for each pair of points" if PLACE == "pair" else f"at each {PLACE}"
    NORM = c.meaning("", "space", "plane")
    UNITS = {"": ", unnormalised", "space": ", normalised in space", "plane": ", normalised in the plane"}[
        NORM
    ]
    H, Vec = c.constant(0.5, 1.0), c.vec(2 if NORM == "plane" else 3)
    Wanted = Vec if WANTED == "gradient" else float

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
    CLAMPED = NAME != "Gaussian" and c.style(True, False)
    UNIT = round(1.0 / (solid if NORM == "space" else flat), 3)
    AT = {
        "distance": "at each distance r in {rs}",
        "pair": "for each pair of points in {x} and {y} at distance r",
        "offset": "at each offset {x} of length r",
    }[PLACE]
    FACTOR = {
        "": "",
        "space": "{UNIT} / (π·{H}³) times ",
        "plane": "{UNIT} / (π·{H}²) times ",
    }[NORM]
    VALUE = {
        "Wendland": "(1 - q)⁴·(1 + 4·q)",
        "cubic spline": "1 - 6·q²·(1 - q) if q < ½, and 2·(1 - q)³ otherwise",
        "poly6": "(1 - q²)³",
        "Gaussian": "exp(-9·q²)",
        "spiky": "(1 - q)³",
        "Lucy": "(1 + 3·q)·(1 - q)³",
    }[NAME]
    SLOPE = {
        "Wendland": "-20·q·(1 - q)³",
        "cubic spline": "(18·q² - 12·q if q < ½, and -6·(1 - q)² otherwise)",
        "poly6": "-6·q·(1 - q²)²",
        "Gaussian": "-18·q·exp(-9·q²)",
        "spiky": "-3·(1 - q)²",
        "Lucy": "-12·q·(1 - q)²",
    }[NAME]
    FORMULA = {
        "value": "{VALUE}",
        "slope": "1 / {H} times {SLOPE}, the derivative by r",
        "gradient": "1 / {H} times {SLOPE}, times the unit vector along the offset",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        rs: wp.array[float] = input(n, low=0.0, high=1.3, of="distance"),
        x: wp.array[Vec] = input(n, low=-0.8, high=0.8),
        y: wp.array[Vec] = input(n, low=-0.8, high=0.8),
        w: wp.array[Wanted] = output(n, of="weight" if WANTED == "value" else None),
    ):
        i = wp.tid()
        if WANTED == "gradient":
            r = wp.length(x[i])
        elif PLACE == "pair":
            r = wp.length(x[i] - y[i])
        else:
            r = rs[i]
        if CLAMPED:
            # beyond the support all is zero, as at its edge
            q = wp.min(r / H, 1.0)
        else:
            if r >= H:
                if WANTED == "gradient":
                    w[i] = Vec()
                else:
                    w[i] = 0.0
                return
            q = r / H
        if WANTED == "value":
            w[i] = (
                UNIT / (wp.PI * H * H * H) * FORM(q)
                if NORM == "space"
                else (UNIT / (wp.PI * H * H) * FORM(q) if NORM else FORM(q))
            )
        elif WANTED == "slope":
            slope = FORM(q) / H
            w[i] = (
                UNIT / (wp.PI * H * H * H) * slope
                if NORM == "space"
                else (UNIT / (wp.PI * H * H) * slope if NORM else slope)
            )
        else:
            slope = FORM(q) / H
            if NORM == "space":
                slope *= UNIT / (wp.PI * H * H * H)
            elif NORM:
                slope *= UNIT / (wp.PI * H * H)
            w[i] = slope * wp.normalize(x[i])


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "compute_pressure pressure_from_density",
        "ratio": "ratio compression",
        "SPEED": "SPEED C0 SOUND_SPEED",
        "REST": "REST RHO0 REST_DENSITY",
        "rate": "rate drho_dt rho_rate",
    },
)
def equation_of_state(c):
    """The {TENSION}{WANTED} of particles {LAW}{DRIFT}.

    Compute the {WANTED} of particles {LAW}.{STEPPED} With the density D in {rho}, the pressure is
    {PRESSURE}{CLIPPED}{HEARD}. Store {STORED} in {p}.
    """
    n = c.size()
    WANTED = c.meaning("pressure", "pressure and speed of sound", "pressure over density squared")
    if "squared" in WANTED:
        c.names({"kernel": "pressure_terms eval_state", "p": "p_over_rho_sq p_term"})
    LAWS = ("by Tait's equation of state", "by a linear equation of state", "of an ideal gas")
    LAW = c.meaning(*LAWS, "of a polytrope", "of a stiffened gas")
    if LAW in ("of an ideal gas", "of a stiffened gas") and "squared" not in WANTED:
        c.names({"kernel": "compute_pressure gas_pressure"})
    TENSION = c.meaning("", "non-negative ") if "linear" in LAW or "Tait" in LAW else ""
    DRIFT = c.meaning("", ", their densities stepped in place first")
    REST, SPEED, GAMMA, DT = (
        c.constant(0.8, 1.2),
        c.constant(1.5, 4.0),
        c.constant(1.2, 1.7),
        c.constant(0.1, 0.3),
    )
    P_STIFF, POLYTROPIC = c.constant(0.5, 2.0), c.constant(0.5, 2.0)
    STEPPED = (
        " First step the densities {rho} in place: each grows by {DT} times its {rate}." if DRIFT else ""
    )
    PRESSURE = {
        "by Tait's equation of state": "P = ({REST}·{SPEED}² / 7)·((D / {REST})^7 - 1)",
        "by a linear equation of state": "P = {SPEED}²·(D - {REST})",
        "of an ideal gas": "P = ({GAMMA} - 1)·D·{energy}",
        "of a polytrope": "P = {POLYTROPIC}·D^{GAMMA}",
        "of a stiffened gas": "P = ({GAMMA} - 1)·(D·{energy} - {P_STIFF}) - {P_STIFF}",
    }[LAW]
    CLIPPED = ", or 0 if that is negative" if TENSION else ""
    HEARD = ""
    if WANTED == "pressure and speed of sound":
        HEARD = {
            "by Tait's equation of state": "; {sound} is {SPEED}·(D / {REST})³",
            "by a linear equation of state": "; {sound} is {SPEED} for all",
            "of an ideal gas": "; {sound} is √({GAMMA}·({GAMMA} - 1)·{energy})",
            "of a polytrope": "; {sound} is √({GAMMA}·P / D)",
            "of a stiffened gas": "; {sound} is √({GAMMA}·(P + {P_STIFF}) / D)",
        }[LAW]
    STORED = "P / D²" if "squared" in WANTED else "P"

    @c.kernel(n)
    def kernel(
        rate: wp.array[float] = input(n, low=-1.0, high=2.0),
        energy: wp.array[float] = input(n, low=4.0, high=7.0),
        rho: wp.array[float] = inout(n, low=0.7, high=1.6) if DRIFT else input(n, low=0.7, high=1.6),
        p: wp.array[float] = output(n, of=None if "squared" in WANTED else "pressure"),
        sound: wp.array[float] = output(n),
    ):
        i = wp.tid()
        if DRIFT:
            density = rho[i] + DT * rate[i]
            rho[i] = density
        else:
            density = rho[i]
        if LAW == "by Tait's equation of state":
            ratio = density / REST
            pressure = REST * SPEED * SPEED / 7.0 * (wp.pow(ratio, 7.0) - 1.0)
            if WANTED == "pressure and speed of sound":
                sound[i] = SPEED * wp.pow(ratio, 3.0)
        elif LAW == "by a linear equation of state":
            pressure = SPEED * SPEED * (density - REST)
            if WANTED == "pressure and speed of sound":
                # the same at every density
                sound[i] = SPEED
        elif LAW == "of an ideal gas":
            pressure = (GAMMA - 1.0) * density * energy[i]
            if WANTED == "pressure and speed of sound":
                sound[i] = wp.sqrt(GAMMA * (GAMMA - 1.0) * energy[i])
        elif LAW == "of a stiffened gas":
            pressure = (GAMMA - 1.0) * (density * energy[i] - P_STIFF) - P_STIFF
            if WANTED == "pressure and speed of sound":
                sound[i] = wp.sqrt(GAMMA * (pressure + P_STIFF) / density)
        else:
            pressure = POLYTROPIC * wp.pow(density, GAMMA)
            if WANTED == "pressure and speed of sound":
                sound[i] = wp.sqrt(GAMMA * pressure / density)
        if TENSION:
            # under tension particles would clump at a free surface
            pressure = wp.max(pressure, 0.0)
        if WANTED == "pressure over density squared":
            p[i] = pressure / (density * density)
        else:
            p[i] = pressure


@idiom(level=3, names=NAMES | {"kernel": "compute_density sum_density", "total": "total rho_i density_sum"})
def sph_density(c):
    """The SPH {WANTED} of particles by {KERNEL} weights over {SEARCH}{SELF}.

    Compute the SPH {WANTED} of each particle i with {KERNEL} weights, in {rho}. {SUMMED} over {LISTED} that
    are closer than {H} to i in {x}, {ITSELF}. For a particle j at distance r, with q = r / {H}, {W} =
    {WEIGHT}.{SCALED}
    """
    n, pairs = c.size(), c.size(20, 30)
    WANTED = c.meaning("density", "number density", "Shepard-filtered density", "rate of change of density")
    SEARCH = c.meaning("all particles", "neighbour lists")
    SELF = (
        c.meaning("", ", each itself excluded") if WANTED == "density" or WANTED == "number density" else ""
    )
    KERNEL, DIM, H = c.meaning("poly6", "cubic spline", "Wendland"), c.meaning(2, 3), c.constant(0.9, 1.6)
    # over pi and the support to the power of the dimension
    UNIT = {"poly6": (4.0, 4.922), "cubic spline": (5.714, 8.0), "Wendland": (7.0, 10.5)}[KERNEL][DIM - 2]
    Vec = c.vec(DIM)
    if WANTED == "rate of change of density":
        c.names({"kernel": "density_rates continuity", "rho": "rho_rates drho_dt", "total": "total rate"})
    elif WANTED == "number density":
        c.names(
            {
                "kernel": "number_density count_density",
                "rho": "number_density n_density",
                "total": "total acc",
            }
        )

    def weight(q: float) -> float:
        """A kernel of support one, one at its centre."""
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
        """The derivative by the relative distance of a kernel that is one at its centre."""
        if KERNEL == "poly6":
            return -6.0 * q * (1.0 - q * q) * (1.0 - q * q)
        elif KERNEL == "Wendland":
            return -20.0 * q * wp.pow(1.0 - q, 3.0)
        else:
            if q < 0.5:
                return -12.0 * q + 18.0 * q * q
            else:
                return -6.0 * (1.0 - q) * (1.0 - q)

    PLAIN = {
        "poly6": "(1 - q²)³",
        "cubic spline": "1 - 6·q²·(1 - q) if q < ½, and 2·(1 - q)³ otherwise",
        "Wendland": "(1 - q)⁴·(1 + 4·q)",
    }[KERNEL]
    SLOPE = {
        "poly6": "-6·q·(1 - q²)²",
        "cubic spline": "-12·q + 18·q² if q < ½, and -6·(1 - q)² otherwise",
        "Wendland": "-20·q·(1 - q)³",
    }[KERNEL]
    FLOWS = WANTED == "rate of change of density"
    W, WEIGHT = ("the slope is S", SLOPE) if FLOWS else ("the weight is W", PLAIN)
    SUMMED = {
        "density": "The density is the sum of `{mass}[j]`·W",
        "number density": "The number density is the sum of W",
        "Shepard-filtered density": "The density is N / (D + 1e-6), with N the sum of `{mass}[j]`·W and D "
        "the sum of W·`{mass}[j] / {old}[j]`, both",
        "rate of change of density": "The rate is the sum of (`{mass}[j]`·S / "
        "({H}·r))·(`{v}[i]` - `{v}[j]`)·(`{x}[i]` - `{x}[j]`)",
    }[WANTED]
    LISTED = "all particles j"
    if SEARCH == "neighbour lists":
        LISTED = (
            "the particles j listed in {neighbours} from `{offsets}[i]` up to but not including "
            "`{offsets}[i + 1]`,"
        )
    ITSELF = "including i itself"
    if SELF:
        ITSELF = "excluding i itself"
    elif FLOWS:
        ITSELF = "excluding particles at distance 0"
    elif SEARCH == "neighbour lists":
        ITSELF = "including i itself if it is among them"
    SCALED = ""
    if WANTED != "Shepard-filtered density":
        SCALED = " The sum is multiplied by {UNIT} / (π·{H}²)."
        if DIM == 3:
            SCALED = " The sum is multiplied by {UNIT} / (π·{H}³)."

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = input(n, low=-1.0, high=1.0, of="velocity"),
        mass: wp.array[float] = input(n, low=0.5, high=1.5, of="mass"),
        old: wp.array[float] = input(n, low=0.6, high=1.4),
        offsets: wp.array[int] = input(n + 1, low=0, high=pairs, trait="offsets"),
        neighbours: wp.array[int] = input(pairs, low=0, high=n - 1),
        rho: wp.array[float] = output(
            n, of="density" if WANTED in ("density", "Shepard-filtered density") else None
        ),
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
        if WANTED == "Shepard-filtered density":
            rho[i] = total / norm
        else:
            # scaled so that the integral of the kernel is one
            rho[i] = UNIT / (wp.PI * H * H * H) * total if DIM == 3 else UNIT / (wp.PI * H * H) * total


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "make_ghosts ghost_particles reflect_particles",
        "n": "n normal out_of_wall",
        "gap": "gap clearance wall_gap",
        "r": "r radial dist",
        "into": "into normal_part across",
        "wall_v": "wall_v wall_velocity v_wall",
        "turned": "turned reflected v_image",
        "u": "u rel_v relative",
        "ghost_x ghost_v": "ghost_x ghost_v | mirror_x mirror_v | image_x image_v",
    },
)
def mirror_particles(c):
    """The images of fluid particles that a {MOVING}{WALL} mirrors{NEAR}, {SLIP}{PRESSURE}.

    Make the ghosts of fluid particles behind a {MOVING}wall. The wall is {WHERE}; g is a particle's distance
    from it.{REACHED} The ghost of a particle at X in {x} is at {ghost_x} = X - 2·g·N.

    With u = {RELATIVE}, the velocity {ghost_v} of the ghost is {TURNED}.{CARRIED}
    """
    n = c.size()
    WALL = c.meaning("floor", "plane", "round wall")
    SLIP = c.meaning("with free slip", "with no slip", "with partial slip")
    MOVING = c.meaning("", "moving ")
    PRESSURE = c.meaning("", ", and their densities", ", and their hydrostatic pressures")
    NEAR = c.meaning("", " within a reach")
    if not MOVING:
        c.names({"u": "u own_v"})
    REACH = c.constant(0.6, 1.2)
    LEVEL, RADIUS, SHARE = c.constant(-1.3, -1.0), c.constant(1.8, 2.0), c.constant(0.2, 0.8)
    WHERE = {
        "floor": "the floor y = {LEVEL}, with N = (0, 1, 0) and g = y - ({LEVEL})",
        "plane": "the plane through {anchor} with the unit normal N = {normal}, so that g = N·(X - {anchor})",
        "round wall": "a sphere of radius {RADIUS} about the origin, seen from inside: N = -X / |X| and "
        "g = {RADIUS} - |X|",
    }[WALL]
    REACHED = ""
    if NEAR:
        REACHED = (
            " Particles with g > {REACH}{BEHIND} have no ghost: their {active} is 0, and their other results "
            "stay zero. The others have 1."
        )
    BEHIND = ", and those with g < 0," if WALL == "plane" else ""
    RELATIVE = "{v} - {wall_v}" if MOVING else "{v}"
    PLUS = "{wall_v} + " if MOVING else ""
    TURNED = {
        "with no slip": "{wall_v} - u" if MOVING else "-u",
        "with free slip": "{PLUS}u - 2·(u·N)·N",
        "with partial slip": "{PLUS}{SHARE}·(u - a) - a, where a = (u·N)·N",
    }[SLIP]
    CARRIED = {
        "": "",
        ", and their densities": " {ghost_rho} is the same as {rho}.",
        ", and their hydrostatic pressures": " {ghost_p} is the hydrostatic {p} - 2·{rho}·g·({gravity}·N).",
    }[PRESSURE]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0),
        rho: wp.array[float] = input(n, low=0.6, high=1.5),
        p: wp.array[float] = input(n, low=0.5, high=3.0),
        normal: wp.vec3 = input(low=-1.0, high=1.0, trait="unit"),
        anchor: wp.vec3 = input(low=-1.0, high=1.0),
        gravity: wp.vec3 = input(low=-6.0, high=6.0),
        wall_v: wp.vec3 = input(low=-1.0, high=1.0),
        active: wp.array[int] = output(n),
        ghost_x: wp.array[wp.vec3] = output(n),
        ghost_v: wp.array[wp.vec3] = output(n),
        ghost_rho: wp.array[float] = output(n),
        ghost_p: wp.array[float] = output(n),
    ):
        i = wp.tid()
        if WALL == "floor":
            n = wp.vec3(0.0, 1.0, 0.0)
            gap = x[i][1] - LEVEL
        elif WALL == "plane":
            n = normal
            gap = wp.dot(normal, x[i] - anchor)
        else:
            r = wp.length(x[i])
            n = x[i] / -r
            gap = RADIUS - r
        if NEAR:
            active[i] = 0
            if WALL == "plane":
                # what is behind the wall already has no image
                if gap < 0.0 or gap > REACH:
                    return
            else:
                if gap > REACH:
                    return
            active[i] = 1
        ghost_x[i] = x[i] - 2.0 * gap * n
        u = v[i] - wall_v if MOVING else v[i]
        if SLIP == "with no slip":
            turned = -u
        elif SLIP == "with free slip":
            turned = u - 2.0 * wp.dot(u, n) * n
        else:
            into = wp.dot(u, n) * n
            turned = SHARE * (u - into) - into
        ghost_v[i] = wall_v + turned if MOVING else turned
        if PRESSURE == ", and their densities":
            ghost_rho[i] = rho[i]
        elif PRESSURE:
            # by the weight of the column between a particle and its image
            ghost_p[i] = p[i] - 2.0 * rho[i] * gap * wp.dot(gravity, n)
