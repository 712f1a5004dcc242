"""Gravity: sums over bodies, potentials, tides, orbits, trees."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "x": "x positions pos bodies",
    "v": "v velocities vel",
    "mass": "mass masses m",
    "acceleration": "acceleration acc a",
    "r": "r dist separation",
    "r2": "r2 dist_sq d2",
    "total": "total acc g",
    "i j": "i j",
}


@idiom(level=3, names=NAMES | {"kernel": "gravitate compute_gravity", "phi": "phi potential"})
def nbody_acceleration(c):
    """The acceleration of each body towards {SOURCES}, {SOFTENING}{EXTRA}."""
    n, m = c.size(), c.size(5, 8)
    SOURCES = c.meaning("all others", "a set of sources", "those nearby")
    SOFTENING = c.meaning("Plummer-softened", "unsoftened", "as if they were balls")
    BALLS = SOFTENING == "as if they were balls"
    EXTRA = "" if BALLS else c.meaning("", ", and its potential", ", and its jerk")
    G, SOFT, CUTOFF = c.constant(0.5, 2.0), c.constant(0.2, 0.6), c.constant(0.8, 1.6)
    Vec = c.vec(c.meaning(3, 2))

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = given(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = given(n, low=-1.0, high=1.0, of="velocity"),
        mass: wp.array[float] = given(n, low=0.2, high=2.0, of="mass"),
        sources: wp.array[Vec] = given(m, low=-1.0, high=1.0),
        drift: wp.array[Vec] = given(m, low=-1.0, high=1.0),
        weights: wp.array[float] = given(m, low=0.2, high=2.0),
        acceleration: wp.array[Vec] = result(n, of="acceleration"),
        phi: wp.array[float] = result(n),
        jerk: wp.array[Vec] = result(n),
    ):
        i = wp.tid()
        here = x[i]
        total = Vec()
        if EXTRA == ", and its potential":
            well = float(0.0)
        if EXTRA == ", and its jerk":
            rate = Vec()
        for j in range(sources.shape[0] if SOURCES == "a set of sources" else x.shape[0]):
            if SOURCES != "a set of sources":
                if j == i:
                    continue
            d = sources[j] - here if SOURCES == "a set of sources" else x[j] - here
            gm = G * weights[j] if SOURCES == "a set of sources" else G * mass[j]
            if SOFTENING == "Plummer-softened":
                r = wp.sqrt(wp.dot(d, d) + SOFT * SOFT)
            elif SOFTENING == "unsoftened":
                r = wp.length(d)
            else:
                # inside of a ball the pull falls to nothing at its centre
                r = wp.max(wp.length(d), SOFT)
            if SOURCES == "those nearby":
                if r > CUTOFF:
                    continue
            pull = gm / (r * r * r)
            total += pull * d
            if EXTRA == ", and its potential":
                well -= gm / r
            if EXTRA == ", and its jerk":
                dv = drift[j] - v[i] if SOURCES == "a set of sources" else v[j] - v[i]
                rate += pull * (dv - 3.0 * wp.dot(d, dv) / (r * r) * d)
        acceleration[i] = total
        if EXTRA == ", and its potential":
            phi[i] = well
        if EXTRA == ", and its jerk":
            jerk[i] = rate


@idiom(level=2, names=NAMES | {"kernel": "eval_potential halo_potential", "phi": "phi potential energy"})
def galaxy_potential(c):
    """The {WANTED} of stars in {HALO} potential{FLAT}."""
    n = c.size()
    WANTED = c.meaning("potential", "energy", "effective potential", "escape speed")
    FLAT = c.meaning("", ", flattened along z")
    MASS, CORE, AXIS = c.constant(2.0, 9.0), c.constant(0.4, 1.5), c.constant(0.4, 0.9)

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
            momentum = wp.cross(p, v[i])
            phi[i] = FORM(r) + 0.5 * wp.length_sq(momentum) / (r * r)
        else:
            phi[i] = wp.sqrt(-2.0 * FORM(r))


@idiom(level=3, names=NAMES | {"kernel": "group_moments sum_moments", "group": "group cluster halo_id"})
def centre_of_mass(c):
    """Adds up {WHAT} of {BODIES}{FRAME}."""
    n, groups = c.size(9, 14), c.size(2, 4)
    WHAT = c.meaning(
        "mass and moment", "momentum and kinetic energy", "angular momentum", "the quadrupole tensor"
    )
    BODIES = c.meaning("all bodies", "each group", "bodies within a radius")
    FRAME = c.meaning("", ", about a centre that moves")
    REACH = c.constant(1.0, 2.0)

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="velocity"),
        mass: wp.array[float] = given(n, low=0.3, high=2.0, of="mass"),
        group: wp.array[int] = given(n, low=0, high=groups - 1),
        centre: wp.vec3 = given(low=-0.5, high=0.5),
        drift: wp.vec3 = given(low=-1.0, high=1.0),
        masses: wp.array[float] = result(groups),
        moments: wp.array[wp.vec3] = result(groups),
        energies: wp.array[float] = result(groups),
        tensors: wp.array[wp.mat33] = result(groups),
    ):
        i = wp.tid()
        m = mass[i]
        if WHAT != "momentum and kinetic energy" or BODIES == "bodies within a radius":
            p = x[i] - centre if FRAME else x[i]
        if BODIES == "bodies within a radius":
            if wp.length(p) > REACH:
                return
        if WHAT == "momentum and kinetic energy" or WHAT == "angular momentum":
            u = v[i] - drift if FRAME else v[i]
        if BODIES == "each group":
            g = group[i]
            if WHAT == "mass and moment":
                masses[g] += m
                moments[g] += m * p
            elif WHAT == "momentum and kinetic energy":
                moments[g] += m * u
                energies[g] += 0.5 * m * wp.length_sq(u)
            elif WHAT == "angular momentum":
                moments[g] += m * wp.cross(p, u)
            else:
                r2 = wp.length_sq(p)
                tensors[g] += m * (3.0 * wp.outer(p, p) - r2 * wp.identity(n=3, dtype=float))
        else:
            if WHAT == "mass and moment":
                wp.atomic_add(masses, 0, m)
                wp.atomic_add(moments, 0, m * p)
            elif WHAT == "momentum and kinetic energy":
                wp.atomic_add(moments, 0, m * u)
                wp.atomic_add(energies, 0, 0.5 * m * wp.dot(u, u))
            elif WHAT == "angular momentum":
                wp.atomic_add(moments, 0, m * wp.cross(p, u))
            else:
                spread = wp.outer(p, p) - wp.length_sq(p) / 3.0 * wp.identity(n=3, dtype=float)
                wp.atomic_add(tensors, 0, m * spread)


@idiom(level=4, names=NAMES | {"kernel": "compute_tides tidal_field", "tides": "tides tensors tidal"})
def tidal_tensor(c):
    """The {WANTED} at each place by the tides of {SOURCES}{SOFT}."""
    n, m = c.size(), c.size(4, 7)
    WANTED = c.meaning(
        "tidal tensor", "pull on a neighbour", "bound on the stretch", "stretch along the way of motion"
    )
    SOURCES, SOFT = c.meaning("point masses", "one body"), c.meaning("", ", softened")
    CORE, G = c.constant(0.3, 0.8), c.constant(0.5, 2.0)

    def tide(d: wp.vec3, gm: float) -> wp.mat33:
        """The gradient of the pull of a mass that is d away."""
        if SOFT:
            r = wp.sqrt(wp.dot(d, d) + CORE * CORE)
        else:
            r = wp.length(d)
        return gm / (r * r * r) * (3.0 / (r * r) * wp.outer(d, d) - wp.identity(n=3, dtype=float))

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5, of="position"),
        sources: wp.array[wp.vec3] = given(m, low=-1.5, high=1.5),
        mass: wp.array[float] = given(m, low=0.2, high=2.0),
        body: wp.vec3 = given(low=-1.5, high=1.5),
        body_mass: float = given(low=0.5, high=3.0),
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        offsets: wp.array[wp.vec3] = given(n, low=-0.3, high=0.3),
        tides: wp.array[wp.mat33] = result(n),
        acceleration: wp.array[wp.vec3] = result(n),
        stretch: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if SOURCES == "one body":
            tensor = tide(body - x[i], G * body_mass)
        else:
            tensor = wp.mat33()
            for j in range(sources.shape[0]):
                tensor += tide(sources[j] - x[i], G * mass[j])
        if WANTED == "tidal tensor":
            tides[i] = tensor
        elif WANTED == "pull on a neighbour":
            acceleration[i] = tensor * offsets[i]
        elif WANTED == "stretch along the way of motion":
            stretch[i] = wp.dot(v[i], tensor * v[i])
        else:
            # Gershgorin’s bound on the largest eigenvalue
            greatest = float(-1.0e9)
            for k in range(3):
                others = float(0.0)
                for col in range(3):
                    if col != k:
                        others += wp.abs(tensor[k, col])
                greatest = wp.max(greatest, tensor[k, k] + others)
            stretch[i] = greatest


@idiom(level=4, names=NAMES | {"kernel": "solve_kepler orbit_phase", "anomaly": "anomaly ecc_anomaly big_e"})
def kepler_anomaly(c):
    """The {WANTED} of orbits at a mean anomaly, by {METHOD} on Kepler’s equation."""
    n, STEPS = c.size(), c.count(4, 8)
    WANTED = c.meaning("place in the plane", "true anomaly", "eccentric anomaly", "distance and speed")
    METHOD = c.meaning("Newton’s method", "Halley’s method", "bisection", "iteration")
    STOP = "a count" if METHOD == "bisection" else c.meaning("a count", "a tolerance")
    GM = c.constant(0.5, 4.0)

    class Orbit:
        axis: float
        eccentricity: float

    def solve(mean: float, e: float) -> float:
        """The eccentric anomaly."""
        if METHOD == "bisection":
            lo = float(0.0)
            hi = float(wp.TAU)
            for _ in range(2 * STEPS):
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
                    if METHOD == "iteration":
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
                    if METHOD == "iteration":
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
        if WANTED == "place in the plane" or WANTED == "distance and speed":
            orbit = orbits[i]
            e = orbit.eccentricity
        else:
            e = eccentricities[i]
        anomaly = solve(mean_anomalies[i], e)
        if WANTED == "place in the plane":
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
    """The {WANTED} of test particles in {FRAME}{EXTRA}."""
    n = c.size()
    FRAME = c.meaning("the three-body frame", "a shearing sheet", "a turning frame", "Hill’s frame")
    WANTED = c.meaning("acceleration", "Jacobi integral", "new velocity")
    EXTRA = "" if WANTED == "Jacobi integral" else c.meaning("", " with drag")
    RATIO, SPIN, DRAG, DT = (
        c.constant(0.1, 0.4),
        c.constant(0.5, 2.0),
        c.constant(0.2, 0.9),
        c.constant(0.1, 0.4),
    )

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
        elif FRAME == "a turning frame":
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
    level=5,
    names=NAMES | {"kernel": "tree_gravity barnes_hut", "k": "k node index", "visits": "visits count steps"},
)
def barnes_hut_walk(c):
    """The {WANTED} at each body from a tree opened by {OPENING}, {MOMENTS}{SOFT}."""
    n, m = c.size(6, 10), c.size(9, 14)
    WANTED = c.meaning("acceleration", "potential", "acceleration (and its cost)")
    OPENING = c.meaning("angle", "distance", "relative force")
    MOMENTS, SOFT = c.meaning("as monopoles", "with quadrupoles"), c.meaning("", ", softened")
    THETA, CORE, G = c.constant(0.3, 0.9), c.constant(0.2, 0.5), c.constant(0.5, 2.0)

    class Cell:
        centre: wp.vec3
        weight: float
        width: float

    def pull(cell: Cell, q: wp.mat33, d: wp.vec3, far: float) -> wp.vec3:
        """The acceleration by a cell that is d away, up to its quadrupole q."""
        cube = far * far * far
        qd = q * d
        second = 2.5 * wp.dot(d, qd) / (far * far) * d - qd
        return cell.weight / cube * d + second / (cube * far * far)

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=0.0, high=1.6, of="position"),
        cells: wp.array[Cell] = given(m, low=0.1, high=1.6),
        subtree: wp.array[int] = given(m, low=1, high=4),
        quadrupoles: wp.array[wp.mat33] = given(m, low=-0.1, high=0.1, trait="symmetric"),
        before: wp.array[float] = given(n, low=0.5, high=4.0),
        acceleration: wp.array[wp.vec3] = result(n, of="acceleration"),
        phi: wp.array[float] = result(n, of="energy"),
        cost: wp.array[int] = result(n),
    ):
        i = wp.tid()
        here = x[i]
        if WANTED == "potential":
            well = float(0.0)
        else:
            total = wp.vec3()
        if WANTED == "acceleration (and its cost)":
            visits = int(0)
        k = int(0)
        while k < cells.shape[0]:
            cell = cells[k]
            d = cell.centre - here
            if SOFT:
                r = wp.sqrt(wp.dot(d, d) + CORE * CORE)
            else:
                r = wp.length(d)
            if WANTED == "acceleration (and its cost)":
                visits += 1
            if OPENING == "angle":
                near = cell.width > THETA * r
            elif OPENING == "relative force":
                # the quadrupole that is left out, against the force of the step before
                near = cell.weight * cell.width * cell.width > THETA * before[i] * wp.pow(r, 4.0)
            else:
                reach = wp.max(wp.max(wp.abs(d[0]), wp.abs(d[1])), wp.abs(d[2]))
                near = reach < 0.5 * cell.width + THETA
            if near and subtree[k] > 1:
                k += 1
                continue
            if WANTED == "potential":
                if MOMENTS == "with quadrupoles":
                    q = quadrupoles[k]
                    well -= G * (cell.weight / r + 0.5 * wp.dot(d, q * d) / wp.pow(r, 5.0))
                else:
                    well -= G * cell.weight / r
            else:
                if MOMENTS == "with quadrupoles":
                    total += G * pull(cell, quadrupoles[k], d, r)
                else:
                    total += G * cell.weight / (r * r * r) * d
            # on behind the last cell of the subtree
            k += subtree[k]
        if WANTED == "potential":
            phi[i] = well
        else:
            acceleration[i] = total
        if WANTED == "acceleration (and its cost)":
            cost[i] = visits
