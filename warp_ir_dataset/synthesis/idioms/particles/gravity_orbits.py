"""Orbits: the potentials that shape them, Kepler’s equation, turning frames."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .gravity import NAMES


@idiom(level=2, names=NAMES)
def galaxy_potential(c):
    """The {WANTED} of stars in {HALO} potential{FLAT}."""
    n = c.size()
    WANTED = c.meaning("potential", "energy", "effective potential", "escape speed")
    FLAT = c.meaning("", ", flattened along z")
    MASS, CORE, AXIS = c.constant(2.0, 9.0), c.constant(0.4, 1.5), c.constant(0.4, 0.9)
    c.names(
        {
            "potential": {"kernel": "eval_potential galaxy_potential", "phi": "phi potential"},
            "energy": {"kernel": "star_energies orbit_energies", "phi": "energy energies"},
            "effective potential": {"kernel": "effective_potential eval_potential", "phi": "phi phi_eff"},
            "escape speed": {"kernel": "escape_speeds find_escape_speeds", "phi": "v_escape escape_speed"},
        }[WANTED]
    )

    def plummer(r: float) -> float:
        return -MASS / wp.sqrt(r * r + CORE * CORE)

    def hernquist(r: float) -> float:
        return -MASS / (r + CORE)

    def nfw(r: float) -> float:
        return -MASS * wp.log(1.0 + r / CORE) / r

    def isochrone(r: float) -> float:
        return -MASS / (CORE + wp.sqrt(CORE * CORE + r * r))

    def jaffe(r: float) -> float:
        return MASS / CORE * wp.log(r / (r + CORE))

    def point(r: float) -> float:
        return -MASS / r

    FORM, HALO = c.meaning(
        (nfw, "the NFW"), (plummer, "Plummer’s"), (jaffe, "Jaffe’s"),
        (hernquist, "Hernquist’s"), (isochrone, "the isochrone"), (point, "the point-mass"),
    )  # fmt: skip

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity"),
        phi: wp.array[float] = result(n, of="energy" if "speed" not in WANTED else None),
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
        elif WANTED == "energy":
            phi[i] = 0.5 * wp.length_sq(v[i]) + FORM(r)
        elif WANTED == "effective potential":
            if FLAT:
                # only the momentum about z is kept
                momentum = p[0] * v[i][1] - p[1] * v[i][0]
                phi[i] = FORM(r) + 0.5 * momentum * momentum / (p[0] * p[0] + p[1] * p[1])
            else:
                momentum = wp.cross(p, v[i])
                phi[i] = FORM(r) + 0.5 * wp.length_sq(momentum) / (r * r)
        else:
            phi[i] = wp.sqrt(-2.0 * FORM(r))


@idiom(level=4, names=NAMES | {"kernel": "solve_kepler orbit_phase", "anomaly": "anomaly ecc_anomaly big_e"})
def kepler_anomaly(c):
    """The {WANTED} of orbits at a mean anomaly, by {METHOD} on Kepler’s equation."""
    n, BITS = c.size(), c.count(18, 24)
    WANTED = c.meaning("position in the plane", "true anomaly", "eccentric anomaly", "distance and speed")
    METHOD = c.meaning("Newton’s method", "Halley’s method", "bisection", "fixed-point iteration")
    STOP = "a count" if METHOD == "bisection" else c.meaning("a count", "a tolerance")
    # the fixed point gains little in a round, and a tolerance should be reached
    SLOW, SURE = METHOD == "fixed-point iteration", STOP == "a tolerance"
    STEPS = c.count(20, 40) if SLOW else c.count(6, 10) if SURE else c.count(2, 3)
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
                    elif METHOD == "Newton’s method":
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
                        if METHOD == "Newton’s method":
                            anomaly -= error / slope
                        else:
                            anomaly -= error / (slope - 0.5 * error * e * wp.sin(anomaly) / slope)
            return anomaly

    @c.kernel(n)
    def kernel(
        orbits: wp.array[Orbit] = given(n, low=0.1, high=0.8),
        eccentricities: wp.array[float] = given(n, low=0.05, high=0.8),
        mean_anomalies: wp.array[float] = given(n, low=0.0, high=6.2, of="angle"),
        out: wp.array[wp.vec2 if "p" in WANTED else float] = result(n),
    ):
        i = wp.tid()
        if WANTED == "position in the plane" or WANTED == "distance and speed":
            orbit = orbits[i]
            e = orbit.eccentricity
        else:
            e = eccentricities[i]
        anomaly = solve(mean_anomalies[i], e)
        if WANTED == "position in the plane":
            across = wp.sqrt(1.0 - e * e) * wp.sin(anomaly)
            out[i] = orbit.axis * wp.vec2(wp.cos(anomaly) - e, across)
        elif WANTED == "true anomaly":
            half = 0.5 * anomaly
            out[i] = 2.0 * wp.atan2(wp.sqrt(1.0 + e) * wp.sin(half), wp.sqrt(1.0 - e) * wp.cos(half))
        elif WANTED == "distance and speed":
            r = orbit.axis * (1.0 - e * wp.cos(anomaly))
            out[i] = wp.vec2(r, wp.sqrt(GM * (2.0 / r - 1.0 / orbit.axis)))
        else:
            out[i] = anomaly


@idiom(level=3, names=NAMES | {"kernel": "corotating_acceleration frame_forces", "spin": "spin omega rate"})
def rotating_frame_acceleration(c):
    """The {GIVEN} of test particles in {FRAME}{EXTRA}."""
    n = c.size()
    FRAME = c.meaning("the three-body frame", "a shearing sheet", "a rotating frame", "Hill’s frame")
    WANTED = c.meaning("acceleration", "Jacobi integral", "new velocity")
    EXTRA = "" if WANTED == "Jacobi integral" else c.meaning("", " with drag")
    # without bodies that attract there is no Jacobi integral
    FREE = FRAME == "a rotating frame" and WANTED == "Jacobi integral"
    GIVEN = "integral of free motion" if FREE else WANTED
    RATIO, SPIN, DRAG, DT = (
        c.constant(0.1, 0.4),
        c.constant(0.5, 2.0),
        c.constant(0.2, 0.9),
        c.constant(0.1, 0.4),
    )
    c.once("drag", EXTRA)
    c.once("motion", WANTED == "new velocity")
    if FREE:
        c.names({"kernel": "motion_integrals frame_integrals"})
    elif WANTED == "Jacobi integral":
        c.names({"kernel": "jacobi_integrals orbit_integrals"})
    elif WANTED == "new velocity":
        c.names({"kernel": "kick_in_frame step_in_frame"})

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[wp.vec3] = updated(n, low=-1.0, high=1.0, of="velocity")
        if WANTED == "new velocity"
        else given(n, low=-1.0, high=1.0, of="velocity"),
        spin: wp.vec3 = given(low=-1.5, high=1.5),
        acceleration: wp.array[wp.vec3] = result(n, of="acceleration"),
        integral: wp.array[float] = result(n),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        if FRAME == "the three-body frame":
            # primary and secondary rest at -RATIO and 1 - RATIO
            first = p + wp.vec3(RATIO, 0.0, 0.0)
            second = p - wp.vec3(1.0 - RATIO, 0.0, 0.0)
            r1 = wp.length(first)
            r2 = wp.length(second)
            if WANTED == "Jacobi integral":
                flat = p[0] * p[0] + p[1] * p[1]
                integral[i] = flat + 2.0 * (1.0 - RATIO) / r1 + 2.0 * RATIO / r2 - wp.length_sq(u)
            else:
                pull = (1.0 - RATIO) / (r1 * r1 * r1) * first + RATIO / (r2 * r2 * r2) * second
                total = wp.vec3(p[0] + 2.0 * u[1], p[1] - 2.0 * u[0], 0.0) - pull
        elif FRAME == "a rotating frame":
            if WANTED == "Jacobi integral":
                integral[i] = wp.length_sq(wp.cross(spin, p)) - wp.length_sq(u)
            else:
                coriolis = -2.0 * wp.cross(spin, u)
                total = coriolis - wp.cross(spin, wp.cross(spin, p))
        elif FRAME == "Hill’s frame":
            r = wp.length(p)
            if WANTED == "Jacobi integral":
                integral[i] = 3.0 * p[0] * p[0] - p[2] * p[2] + 2.0 / r - wp.length_sq(u)
            else:
                total = wp.vec3(3.0 * p[0] + 2.0 * u[1], -2.0 * u[0], -p[2]) - p / (r * r * r)
        else:
            if WANTED == "Jacobi integral":
                integral[i] = SPIN * SPIN * (3.0 * p[0] * p[0] - p[2] * p[2]) - wp.length_sq(u)
            else:
                shear = wp.vec3(3.0 * SPIN * p[0] + 2.0 * u[1], -2.0 * u[0], -SPIN * p[2])
                total = SPIN * shear
        if WANTED == "acceleration":
            acceleration[i] = total - DRAG * u if EXTRA else total
        elif WANTED == "new velocity":
            v[i] = u + DT * (total - DRAG * u) if EXTRA else u + DT * total


@idiom(
    level=3,
    names={
        "node": "node raan omega_node",
        "tilt": "tilt inclination inc",
        "turn": "turn argument periapsis",
        "m": "m frame to_space",
        "kernel": "orbit_frames perifocal_frames",
    },
)
def perifocal_frame(c):
    """The {WANTED} of each orbit of given {ANGLES}{SENSE}{ABOUT}."""
    n = c.size()
    WANTED = c.meaning("frame", "position on the ellipse, and pole", "velocity on the ellipse, and pole")
    ANGLES = c.meaning("node, inclination and periapsis", "node and inclination", "inclination and periapsis")
    SENSE = c.meaning("", ", transposed") if WANTED == "frame" else ""
    if WANTED[:8] == "position":
        c.names({"kernel": "orbit_places places_on_orbits"})
    elif WANTED != "frame":
        c.names({"kernel": "orbit_velocities velocities_on_orbits", "places": "velocities v"})
    elif SENSE:
        c.names({"m": "m frame"})
    ABOUT = c.meaning("", ", about an axis that is tilted")
    OBLIQUITY = c.constant(0.2, 0.5)

    @c.kernel(n)
    def kernel(
        nodes: wp.array[float] = given(n, low=0.2, high=3.0),
        tilts: wp.array[float] = given(n, low=0.2, high=1.3),
        turns: wp.array[float] = given(n, low=0.2, high=3.0),
        sizes: wp.array[float] = given(n, low=0.8, high=2.0),
        rounds: wp.array[float] = given(n, low=0.1, high=0.6),
        anomalies: wp.array[float] = given(n, low=-2.0, high=2.0),
        out: wp.array[wp.mat33] = result(n),
        places: wp.array[wp.vec3] = result(n),
        poles: wp.array[wp.vec3] = result(n),
    ):
        i = wp.tid()
        tilt = tilts[i]
        if ANGLES == "node, inclination and periapsis":
            node = nodes[i]
            turn = turns[i]
            # the product of three turns, about z, x and z
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
            m = wp.identity(n=3, dtype=float)
            m[0, 0] = wp.cos(node)
            m[0, 1] = -wp.sin(node) * wp.cos(tilt)
            m[0, 2] = wp.sin(node) * wp.sin(tilt)
            m[1, 0] = wp.sin(node)
            m[1, 1] = wp.cos(node) * wp.cos(tilt)
            m[1, 2] = -wp.cos(node) * wp.sin(tilt)
            m[2, 1] = wp.sin(tilt)
            m[2, 2] = wp.cos(tilt)
        else:
            turn = turns[i]
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
            tipped = wp.identity(n=3, dtype=float)
            tipped[1, 1] = wp.cos(OBLIQUITY)
            tipped[1, 2] = -wp.sin(OBLIQUITY)
            tipped[2, 1] = wp.sin(OBLIQUITY)
            tipped[2, 2] = wp.cos(OBLIQUITY)
            m = tipped * m
        if SENSE:
            m = wp.transpose(m)
        if WANTED == "frame":
            out[i] = m
        else:
            poles[i] = m * wp.vec3(0.0, 0.0, 1.0)
            e = rounds[i]
            nu = anomalies[i]
            if WANTED == "position on the ellipse, and pole":
                r = sizes[i] * (1.0 - e * e) / (1.0 + e * wp.cos(nu))
                places[i] = m * wp.vec3(r * wp.cos(nu), r * wp.sin(nu), 0.0)
            else:
                # about a body of unit strength
                speed = 1.0 / wp.sqrt(sizes[i] * (1.0 - e * e))
                places[i] = speed * (m * wp.vec3(-wp.sin(nu), e + wp.cos(nu), 0.0))
