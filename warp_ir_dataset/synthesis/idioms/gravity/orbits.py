"""Orbits: the potentials that shape them, Kepler's equation, turning frames."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .gravity import NAMES


@idiom(level=2, names=NAMES | {"r": "r radius", "GM": "GM MU", "CORE": "CORE SCALE A"})
def galaxy_potential(c):
    """The {WANTED} of each star in {HALO}{FLAT}.

    Compute the {WANTED} of each star in {HALO}{FLAT}. The potential is {POTENTIAL}, where r {RADIUS}. {RULE}
    Write the results to {phi}.
    """
    n = c.size()
    GM, CORE, AXIS, V0 = (
        c.constant(2.0, 9.0),
        c.constant(0.4, 1.5),
        c.constant(0.4, 0.9),
        c.constant(1.0, 3.0),
    )

    def plummer(r: float) -> float:
        return -GM / wp.sqrt(r * r + CORE * CORE)

    def hernquist(r: float) -> float:
        return -GM / (r + CORE)

    def nfw(r: float) -> float:
        return -GM * wp.log(1.0 + r / CORE) / r

    def isochrone(r: float) -> float:
        return -GM / (CORE + wp.sqrt(CORE * CORE + r * r))

    def jaffe(r: float) -> float:
        return GM / CORE * wp.log(r / (r + CORE))

    def logarithmic(r: float) -> float:
        """Circular orbits are as fast as {V0} far out."""
        return 0.5 * V0 * V0 * wp.log(r * r + CORE * CORE)

    def point_mass(r: float) -> float:
        return -GM / r

    FORM, HALO = c.meaning(
        (nfw, "an NFW halo"), (plummer, "a Plummer sphere"), (jaffe, "a Jaffe sphere"),
        (hernquist, "a Hernquist sphere"), (isochrone, "an isochrone sphere"),
        (point_mass, "the field of a point mass"), (logarithmic, "a logarithmic halo"),
    )  # fmt: skip
    # from a logarithmic halo nothing escapes
    ASKED = ("potential", "specific energy", "effective potential")
    WANTED = c.meaning(*ASKED) if "log" in HALO else c.meaning(*ASKED, "escape speed")
    FLAT = "" if "point" in HALO else c.meaning("", ", flattened along z")
    c.names(
        {
            "potential": {"kernel": "eval_potential galaxy_potential", "phi": "phi potential"},
            "specific energy": {"kernel": "star_energies orbit_energies", "phi": "energy energies"},
            "effective potential": {"kernel": "effective_potential eval_potential", "phi": "phi phi_eff"},
            "escape speed": {"kernel": "escape_speeds find_escape_speeds", "phi": "v_escape escape_speed"},
        }[WANTED]
    )
    c.names({"momentum": "l_z lz momentum_z" if FLAT else "l_vec ang_momentum ell"})
    POTENTIAL = {
        "an NFW halo": "-{GM} · ln(1 + r / {CORE}) / r", "a Plummer sphere": "-{GM} / √(r² + {CORE}²)",
        "a Jaffe sphere": "{GM} / {CORE} · ln(r / (r + {CORE}))",
        "a Hernquist sphere": "-{GM} / (r + {CORE})",
        "an isochrone sphere": "-{GM} / ({CORE} + √({CORE}² + r²))", "the field of a point mass": "-{GM} / r",
        "a logarithmic halo": "½ · {V0}² · ln(r² + {CORE}²)",
    }[HALO]  # fmt: skip
    RADIUS = "is the star's distance from the origin, with its position in {x}"
    if FLAT:
        RADIUS = "is the length of the star's position {x} after its z was divided by {AXIS}"
    RULE = {
        "potential": "",
        "specific energy": "The energy is the potential plus ½·|{v}|².",
        "effective potential": "To this, add L² / (2·r²), where L is the length of the angular "
        "momentum {x} × {v}.",
        "escape speed": "The escape speed is √(-2 · potential).",
    }[WANTED]
    if WANTED == "effective potential" and FLAT:
        RULE = (
            "To this, add L² / (2·R²), where L is the z component of the angular momentum {x} × "
            "{v} and R the "
        )
        RULE += "distance from the z axis."

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="velocity"),
        phi: wp.array[float] = output(n, of="energy" if "speed" not in WANTED else None),
    ):
        i = wp.tid()
        p = x[i]
        if FLAT:
            # ellipsoids take the place of spheres
            z = p[2] / AXIS
            r = wp.sqrt(p[0] * p[0] + p[1] * p[1] + z * z)
        else:
            r = wp.length(p)
        if WANTED == "potential":
            phi[i] = FORM(r)
        elif WANTED == "specific energy":
            phi[i] = 0.5 * wp.length_sq(v[i]) + FORM(r)
        elif WANTED == "effective potential":
            if FLAT:
                # only the angular momentum about z is kept
                momentum = p[0] * v[i][1] - p[1] * v[i][0]
                phi[i] = FORM(r) + 0.5 * momentum * momentum / (p[0] * p[0] + p[1] * p[1])
            else:
                momentum = wp.cross(p, v[i])
                phi[i] = FORM(r) + 0.5 * wp.length_sq(momentum) / (r * r)
        else:
            phi[i] = wp.sqrt(-2.0 * FORM(r))


@idiom(level=4, names=NAMES | {"kernel": "solve_kepler orbit_phase", "anomaly": "anomaly ecc_anomaly big_e"})
def kepler_anomaly(c):
    """The {WANTED} of each orbit at its mean anomaly, by {SOLVED} on Kepler's equation{UNTIL}.

    Solve Kepler's equation E - e·sin(E) = M for the eccentric anomaly E of each orbit, with the eccentricity
    e{E_FROM} and the mean anomaly M in {mean_anomalies}. {SOLVE} {PUT}
    """
    n, BITS = c.size(), c.count(18, 24)
    WANTED = c.meaning("position in the plane", "true anomaly", "eccentric anomaly", "distance and speed")
    if WANTED == "position in the plane":
        c.names({"kernel": "orbit_positions positions_in_plane"})
    elif WANTED == "distance and speed":
        c.names({"kernel": "distances_and_speeds radii_and_speeds"})
    METHOD = c.meaning("Newton's method", "Halley's method", "bisection", "fixed-point iteration")
    STOP = "a count" if METHOD == "bisection" else c.meaning("a count", "a tolerance")
    # the fixed point gains little in a round, and a tolerance should be reached
    SLOW, SURE = METHOD == "fixed-point iteration", STOP == "a tolerance"
    STEPS = c.count(20, 40) if SLOW else c.count(6, 10) if SURE else c.count(2, 3)
    ROUNDS = f"{BITS} bisections" if METHOD == "bisection" else f"{STEPS} rounds of {METHOD}"
    SOLVED, UNTIL = (METHOD, ", to a tolerance") if SURE else (ROUNDS, "")
    MOST = 0.6 if SLOW else 0.8
    GM = c.constant(0.5, 4.0)

    class Orbit:
        axis: float
        eccentricity: float

    def solve(mean: float, e: float) -> float:
        """The eccentric anomaly."""
        if METHOD == "bisection":
            lo = float(0.0)
            hi = float(wp.TAU)
            for _ in range(BITS):
                middle = 0.5 * (lo + hi)
                if middle - e * wp.sin(middle) < mean:
                    lo = middle
                else:
                    hi = middle
            return 0.5 * (lo + hi)
        else:
            # a start that is good for all but the most eccentric orbits
            anomaly = mean + e * wp.sin(mean)
            if STOP == "a tolerance":
                change = float(1.0)
                rounds = int(0)
                while wp.abs(change) > 1.0e-4 and rounds < STEPS:
                    if METHOD == "fixed-point iteration":
                        change = mean + e * wp.sin(anomaly) - anomaly
                    elif METHOD == "Newton's method":
                        change = (mean + e * wp.sin(anomaly) - anomaly) / (1.0 - e * wp.cos(anomaly))
                    else:
                        slope = 1.0 - e * wp.cos(anomaly)
                        error = anomaly - e * wp.sin(anomaly) - mean
                        change = -error / (slope - 0.5 * error * e * wp.sin(anomaly) / slope)
                    anomaly += change
                    rounds += 1
            else:
                for _ in range(STEPS):
                    if METHOD == "fixed-point iteration":
                        anomaly = mean + e * wp.sin(anomaly)
                    else:
                        error = anomaly - e * wp.sin(anomaly) - mean
                        slope = 1.0 - e * wp.cos(anomaly)
                        if METHOD == "Newton's method":
                            anomaly -= error / slope
                        else:
                            anomaly -= error / (slope - 0.5 * error * e * wp.sin(anomaly) / slope)
            return anomaly

    OF_ORBIT = WANTED in ("position in the plane", "distance and speed")
    E_FROM = " and the semi-major axis a in {orbits}" if OF_ORBIT else " in {eccentricities}"
    RULE = {
        "Newton's method": "Newton's method",
        "bisection": "",
        "fixed-point iteration": "the fixed-point iteration M + e·sin(E)",
        "Halley's method": "Halley's method, which subtracts f / (f' - f·f'' / (2·f')) with f = E - "
        "e·sin(E) - M",
    }[METHOD]  # fmt: skip
    SOLVE = f"Do {STEPS} rounds of {RULE}, from E = M + e·sin(M)."
    if METHOD == "bisection":
        SOLVE = (
            "Bisect the interval [0, 2·π] {BITS} times, keeping the upper half if the left side of "
            "the equation is less "
        )
        SOLVE += "than M at the middle; E is the middle of the interval that is left."
    elif STOP == "a tolerance":
        SOLVE = (
            f"Use {RULE}, from E = M + e·sin(M), until a round changes E by at most 0.0001 or "
            f"{STEPS} rounds are done."
        )
    PUT = {
        "position in the plane": "{out} is the position a · (cos(E) - e, √(1 - e²)·sin(E)) in the "
        "plane of the orbit.",
        "true anomaly": "{out} is the true anomaly, 2·atan2(√(1 + e)·sin(E/2), √(1 - e)·cos(E/2)).",
        "eccentric anomaly": "Write E to {out}.",
        "distance and speed": "{out} holds the distance r = a·(1 - e·cos(E)) and the speed √({GM} · "
        "(2/r - 1/a)).",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        orbits: wp.array[Orbit] = input(n, low=0.1, high=MOST),
        eccentricities: wp.array[float] = input(n, low=0.05, high=MOST),
        mean_anomalies: wp.array[float] = input(n, low=0.0, high=6.2, of="angle"),
        out: wp.array[wp.vec2 if "p" in WANTED else float] = output(n),
    ):
        i = wp.tid()
        if WANTED == "position in the plane" or WANTED == "distance and speed":
            orbit = orbits[i]
            e = orbit.eccentricity
        else:
            e = eccentricities[i]
        anomaly = solve(mean_anomalies[i], e)
        if WANTED == "position in the plane":
            minor = wp.sqrt(1.0 - e * e)
            out[i] = orbit.axis * wp.vec2(wp.cos(anomaly) - e, minor * wp.sin(anomaly))
        elif WANTED == "true anomaly":
            half = 0.5 * anomaly
            out[i] = 2.0 * wp.atan2(wp.sqrt(1.0 + e) * wp.sin(half), wp.sqrt(1.0 - e) * wp.cos(half))
        elif WANTED == "distance and speed":
            r = orbit.axis * (1.0 - e * wp.cos(anomaly))
            out[i] = wp.vec2(r, wp.sqrt(GM * (2.0 / r - 1.0 / orbit.axis)))
        else:
            out[i] = anomaly


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "corotating_acceleration frame_accelerations",
        "spin": "spin omega frame_spin",
        "SPIN": "SPIN OMEGA",
        "RATIO": "RATIO MU MASS_RATIO",
        "d1 d2 r1 r2": "d1 d2 r1 r2 | from_primary from_secondary r_primary r_secondary | s1 s2 dist1 dist2",
    },
)
def rotating_frame_acceleration(c):
    """The {GIVEN} of test particles in {FRAME}{EXTRA}{WHERE}.

    Compute the {SOUGHT} of test particles in {FRAME}. {BODIES} With p the position in {x} and u the velocity
    in {v} of a particle, {RULE}. {DRAGGED} {PUT}
    """
    n = c.size()
    FRAME = c.meaning(
        "the restricted three-body problem",
        "a Keplerian shearing sheet",
        "a rotating frame",
        "Hill's problem",
    )
    WANTED = c.meaning("acceleration", "Jacobi integral", "velocity after an explicit Euler step")
    EXTRA = "" if WANTED == "Jacobi integral" else c.meaning("", ", with linear drag")
    # without bodies that attract there is no Jacobi integral
    FREE = FRAME == "a rotating frame" and WANTED == "Jacobi integral"
    GIVEN = "integral of free motion" if FREE else WANTED
    WHERE = ", in place" if "velocity" in WANTED else ""
    RATIO, SPIN, DRAG, DT = (
        c.constant(0.1, 0.4),
        c.constant(0.5, 2.0),
        c.constant(0.2, 0.9),
        c.constant(0.1, 0.4),
    )
    c.once("drag", EXTRA)
    c.once("motion", WANTED == "velocity after an explicit Euler step")
    if FREE:
        c.names({"kernel": "motion_integrals frame_integrals"})
    elif WANTED == "Jacobi integral":
        c.names({"kernel": "jacobi_integrals orbit_integrals"})
    elif WANTED == "velocity after an explicit Euler step":
        c.names({"kernel": "kick_in_frame step_in_frame"})
    SOUGHT = "Jacobi integral" if WANTED == "Jacobi integral" and not FREE else GIVEN
    if "velocity" in WANTED:
        SOUGHT = "velocity after an explicit Euler step"
    BODIES = {
        "the restricted three-body problem": "A body of mass 1 - {RATIO} rests at (-{RATIO}, 0, "
        "0) and one of mass {RATIO} at (1 - {RATIO}, 0, 0); "
        "the frame turns about z at rate 1, and G is 1.",
        "a Keplerian shearing sheet": "The sheet turns about z at rate {SPIN}; the x axis points "
        "outwards, the y axis along the orbit.",
        "a rotating frame": "The frame turns about the origin with angular velocity {spin}.",
        "Hill's problem": "A planet of mass 1 rests at the origin; the frame turns about z at "
        "rate 1, and G is 1.",
    }[FRAME]
    if WANTED == "Jacobi integral":
        RULE = (
            "{integral} is "
            + {
                "the restricted three-body problem": "p.x² + p.y² + 2 · ((1 - {RATIO}) / r₁ + {RATIO} / "
                "r₂) - |u|², where r₁ and r₂ are its distances from "
                "the two bodies",
                "a Keplerian shearing sheet": "{SPIN}² · (3·p.x² - p.z²) - |u|²",
                "a rotating frame": "|{spin} × p|² - |u|²",
                "Hill's problem": "3·p.x² - p.z² + 2/|p| - |u|²",
            }[FRAME]
        )
    else:
        RULE = (
            "its acceleration is "
            + {
                "the restricted three-body problem": "(p.x + 2·u.y, p.y - 2·u.x, 0) plus the pull of each "
                "body, mass / r³ times the vector to it, r being its "
                "length",
                "a Keplerian shearing sheet": "{SPIN} · (3 · {SPIN} · p.x + 2·u.y, -2·u.x, -{SPIN} · p.z)",
                "a rotating frame": "-2 · ({spin} × u) - {spin} × ({spin} × p), the Coriolis and the "
                "centrifugal one",
                "Hill's problem": "(3·p.x + 2·u.y, -2·u.x, -p.z) - p / |p|³",
            }[FRAME]
        )
    DRAGGED = "Linear drag takes {DRAG}·u off it." if EXTRA else ""
    PUT = {
        "acceleration": "Write it to {acceleration}.", "Jacobi integral": "",
        "velocity after an explicit Euler step": "Add {DT} times the acceleration to {v}, in place.",
    }[WANTED]  # fmt: skip

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[wp.vec3] = inout(n, low=-1.0, high=1.0, of="velocity")
        if WANTED == "velocity after an explicit Euler step"
        else input(n, low=-1.0, high=1.0, of="velocity"),
        spin: wp.vec3 = input(low=-1.5, high=1.5),
        acceleration: wp.array[wp.vec3] = output(n, of="acceleration"),
        integral: wp.array[float] = output(n),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        if FRAME == "the restricted three-body problem":
            # both bodies rest on the x axis, their centre of mass at the origin
            d1 = p + wp.vec3(RATIO, 0.0, 0.0)
            d2 = p - wp.vec3(1.0 - RATIO, 0.0, 0.0)
            r1 = wp.length(d1)
            r2 = wp.length(d2)
            if WANTED == "Jacobi integral":
                centrifugal = p[0] * p[0] + p[1] * p[1]
                wells = (1.0 - RATIO) / r1 + RATIO / r2
                integral[i] = centrifugal + 2.0 * wells - wp.length_sq(u)
            else:
                total = wp.vec3(p[0] + 2.0 * u[1], p[1] - 2.0 * u[0], 0.0)
                total -= (1.0 - RATIO) / wp.pow(r1, 3.0) * d1
                total -= RATIO / wp.pow(r2, 3.0) * d2
        elif FRAME == "a rotating frame":
            if WANTED == "Jacobi integral":
                integral[i] = wp.length_sq(wp.cross(spin, p)) - wp.length_sq(u)
            else:
                coriolis = -2.0 * wp.cross(spin, u)
                total = coriolis - wp.cross(spin, wp.cross(spin, p))
        elif FRAME == "Hill's problem":
            r = wp.length(p)
            if WANTED == "Jacobi integral":
                integral[i] = 3.0 * p[0] * p[0] - p[2] * p[2] + 2.0 / r - wp.length_sq(u)
            else:
                total = wp.vec3(3.0 * p[0] + 2.0 * u[1], -2.0 * u[0], -p[2]) - p / (r * r * r)
        else:
            if WANTED == "Jacobi integral":
                integral[i] = SPIN * SPIN * (3.0 * p[0] * p[0] - p[2] * p[2]) - wp.length_sq(u)
            else:
                total = SPIN * wp.vec3(3.0 * SPIN * p[0] + 2.0 * u[1], -2.0 * u[0], -SPIN * p[2])
        if WANTED == "acceleration":
            acceleration[i] = total - DRAG * u if EXTRA else total
        elif WANTED == "velocity after an explicit Euler step":
            v[i] = u + DT * (total - DRAG * u) if EXTRA else u + DT * total


@idiom(
    level=3,
    differentiable=False,
    names={
        "node": "node raan omega_node",
        "tilt": "inclination inc tilt",
        "turn": "argp periapsis omega",
        "m": "m frame to_space",
        "kernel": "orbit_frames perifocal_frames",
        "equatorial": "equatorial to_equator",
        "axes": "axes semi_axes semi_major",
    },
)
def perifocal_frame(c):
    """The {WANTED} of each orbit of given {ANGLES}{AXES}.

    {PURPOSE}. The rotation from the perifocal axes (x to the periapsis, z to the pole of the orbit) to
    {SPACE_AXES} axes is {TURNS}, where Rx and Rz are the right-handed rotations about x and z by an angle.
    {PUT}
    """
    n = c.size()
    TOLD = c.meaning("frame", "position", "velocity")
    ANGLES = c.meaning("node, inclination and periapsis", "node and inclination", "inclination and periapsis")
    SENSE = c.meaning("", "transposed") if TOLD == "frame" else ""
    ABOUT = c.meaning(False, True)
    AXES = ", in equatorial axes" if ABOUT and TOLD != "frame" else ""
    if TOLD == "frame":
        SPACE = "equatorial" if ABOUT else "ecliptic"
        WANTED = (
            f"rotation from {SPACE} to perifocal axes"
            if SENSE
            else f"rotation from perifocal to {SPACE} axes"
        )
        if SENSE:
            c.names({"m": "m frame"})
    else:
        WANTED = f"{TOLD} on the ellipse and the pole"
        c.names(
            {"kernel": "orbit_places places_on_orbits"}
            if TOLD == "position"
            else {"kernel": "orbit_velocities velocities_on_orbits", "places": "velocities v"}
        )
    OBLIQUITY = c.constant(0.2, 0.5)
    PURPOSE = f"Find the {WANTED} of each orbit"
    SPACE_AXES = "equatorial" if ABOUT else "ecliptic"
    TURNS = "Rx({OBLIQUITY})·" if ABOUT else ""
    TURNS += {
        "node, inclination and periapsis": "Rz(node)·Rx(inclination)·Rz(periapsis), with the angles "
        "{nodes}, {inclinations} and {periapses}",
        "node and inclination": "Rz(node)·Rx(inclination), with the angles {nodes} and {inclinations}",
        "inclination and periapsis": "Rx(inclination)·Rz(periapsis), with the angles {inclinations} "
        "and {periapses}",
    }[ANGLES]
    PUT = "Write its transpose, the inverse rotation, to {out}." if SENSE else "Write it to {out}."
    if TOLD != "frame":
        PURPOSE = f"Find the {TOLD} on each elliptic orbit, and its pole"
        PUT = (
            "With the semi-major axis a in {axes}, the eccentricity e in {eccentricities} and the "
            "true anomaly ν in "
        )
        PUT += "{anomalies}, {places} is this rotation applied to "
        if TOLD == "position":
            PUT += "r · (cos(ν), sin(ν), 0), r = a·(1 - e²) / (1 + e·cos(ν))."
        else:
            PUT += "(-sin(ν), e + cos(ν), 0) / √(a·(1 - e²)), as the gravitational parameter is 1."
        PUT += " {poles} is it applied to (0, 0, 1)."

    @c.kernel(n)
    def kernel(
        nodes: wp.array[float] = input(n, low=0.2, high=3.0),
        inclinations: wp.array[float] = input(n, low=0.2, high=1.3),
        periapses: wp.array[float] = input(n, low=0.2, high=3.0),
        axes: wp.array[float] = input(n, low=0.8, high=2.0),
        eccentricities: wp.array[float] = input(n, low=0.1, high=0.6),
        anomalies: wp.array[float] = input(n, low=-2.0, high=2.0),
        out: wp.array[wp.mat33] = output(n),
        places: wp.array[wp.vec3] = output(n),
        poles: wp.array[wp.vec3] = output(n),
    ):
        i = wp.tid()
        tilt = inclinations[i]
        if ANGLES == "node, inclination and periapsis":
            node = nodes[i]
            turn = periapses[i]
            # turned about z by the periapsis, about x by the inclination, about z by the node
            m = wp.mat33()
            m[0, 0] = wp.cos(node) * wp.cos(turn) - wp.sin(node) * wp.sin(turn) * wp.cos(tilt)
            m[0, 1] = -wp.cos(node) * wp.sin(turn) - wp.sin(node) * wp.cos(turn) * wp.cos(tilt)
            m[0, 2] = wp.sin(node) * wp.sin(tilt)
            m[1, 0] = wp.sin(node) * wp.cos(turn) + wp.cos(node) * wp.sin(turn) * wp.cos(tilt)
            m[1, 1] = -wp.sin(node) * wp.sin(turn) + wp.cos(node) * wp.cos(turn) * wp.cos(tilt)
            m[1, 2] = -wp.cos(node) * wp.sin(tilt)
            m[2, 0] = wp.sin(turn) * wp.sin(tilt)
            m[2, 1] = wp.cos(turn) * wp.sin(tilt)
            m[2, 2] = wp.cos(tilt)
        elif ANGLES == "node and inclination":
            node = nodes[i]
            m = wp.mat33()
            m[0, 0] = wp.cos(node)
            m[0, 1] = -wp.sin(node) * wp.cos(tilt)
            m[0, 2] = wp.sin(node) * wp.sin(tilt)
            m[1, 0] = wp.sin(node)
            m[1, 1] = wp.cos(node) * wp.cos(tilt)
            m[1, 2] = -wp.cos(node) * wp.sin(tilt)
            m[2, 1] = wp.sin(tilt)
            m[2, 2] = wp.cos(tilt)
        else:
            turn = periapses[i]
            m = wp.mat33()
            m[0, 0] = wp.cos(turn)
            m[0, 1] = -wp.sin(turn)
            m[1, 0] = wp.cos(tilt) * wp.sin(turn)
            m[1, 1] = wp.cos(tilt) * wp.cos(turn)
            m[1, 2] = -wp.sin(tilt)
            m[2, 0] = wp.sin(tilt) * wp.sin(turn)
            m[2, 1] = wp.sin(tilt) * wp.cos(turn)
            m[2, 2] = wp.cos(tilt)
        if ABOUT:
            # the equator is tilted against the plane that the inclinations refer to
            equatorial = wp.identity(n=3, dtype=float)
            equatorial[1, 1] = wp.cos(OBLIQUITY)
            equatorial[1, 2] = -wp.sin(OBLIQUITY)
            equatorial[2, 1] = wp.sin(OBLIQUITY)
            equatorial[2, 2] = wp.cos(OBLIQUITY)
            m = equatorial * m
        if SENSE:
            m = wp.transpose(m)
        if TOLD == "frame":
            out[i] = m
        else:
            poles[i] = m * wp.vec3(0.0, 0.0, 1.0)
            e = eccentricities[i]
            nu = anomalies[i]
            if TOLD == "position":
                r = axes[i] * (1.0 - e * e) / (1.0 + e * wp.cos(nu))
                places[i] = m * wp.vec3(r * wp.cos(nu), r * wp.sin(nu), 0.0)
            else:
                # around a body whose gravitational parameter is one
                scale = 1.0 / wp.sqrt(axes[i] * (1.0 - e * e))
                places[i] = scale * (m * wp.vec3(-wp.sin(nu), e + wp.cos(nu), 0.0))
