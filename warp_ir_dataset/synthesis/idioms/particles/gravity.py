"""Gravity: sums over bodies, potentials, tides, orbits, trees."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp

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
    SOFTENING = c.meaning("Plummer-softened", "unsoftened", "as uniform balls")
    BALLS = SOFTENING == "as uniform balls"
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


@idiom(level=3, names=NAMES | {"kernel": "sum_moments add_moments", "group": "group cluster halo_id"})
def centre_of_mass(c):
    """Adds up {WHAT} of {BODIES}{FRAME}."""
    n, groups = c.size(9, 14), c.size(2, 4)
    WHAT = c.meaning(
        "mass and moment", "momentum and kinetic energy", "angular momentum", "the quadrupole tensor"
    )
    if WHAT != "mass and moment":
        c.names({"kernel": "sum_moments add_moments"})
    BODIES = c.meaning("all bodies", "each group", "bodies within a radius")
    FRAME = c.meaning(
        "", ", about a centre that moves" if "mom" in WHAT and "mass" not in WHAT else ", about a centre"
    )
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
                spread = 3.0 * wp.outer(p, p) - wp.length_sq(p) * wp.identity(n=3, dtype=float)
                tensors[g] += m * spread
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
                spread = 3.0 * wp.outer(p, p) - wp.length_sq(p) * wp.identity(n=3, dtype=float)
                wp.atomic_add(tensors, 0, m * spread)


@idiom(level=4, names=NAMES | {"kernel": "compute_tides tidal_field", "tides": "tides tensors tidal"})
def tidal_tensor(c):
    """The {WANTED} at each place by the tides of {SOURCES}{SOFT}."""
    n, m = c.size(), c.size(4, 7)
    WANTED = c.meaning(
        "tidal tensor",
        "tidal acceleration of a neighbour",
        "Gershgorin bound on the stretch",
        "stretch along the motion",
    )
    if "acceleration" in WANTED:
        c.names({"kernel": "tidal_accelerations compute_tides"})
    elif "stretch" in WANTED:
        c.names({"kernel": "tidal_stretch stretch_by_tides"})
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
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
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
        elif WANTED == "tidal acceleration of a neighbour":
            acceleration[i] = tensor * offsets[i]
        elif WANTED == "stretch along the motion":
            along = wp.normalize(v[i])
            stretch[i] = wp.dot(along, tensor * along)
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


@idiom(
    level=5,
    names=NAMES
    | {
        "kernel": "tree_gravity barnes_hut",
        "k": "k node index",
        "visits": "visits count steps",
        "here": "here own_place",
        "cells": "cells nodes tree",
        "held": "held body_of_leaf occupant",
        "before": "before old_size last_strength",
        "ALPHA": "ALPHA FORCE_TOLERANCE ACCURACY",
        "MARGIN": "MARGIN CLEARANCE BORDER",
    },
)
def barnes_hut_walk(c):
    """The {WANTED} at each body from a tree opened by {OPENING}, {MOMENTS}{SOFT}."""
    n, m = c.size(6, 10), c.size(9, 14)
    WANTED = c.meaning("acceleration", "potential", "acceleration (and its cost)")
    OPENING = c.meaning("angle", "distance", "relative force")
    MOMENTS, SOFT = c.meaning("as monopoles", "with quadrupoles"), c.meaning("", ", softened")
    THETA, CORE, G = c.constant(0.3, 0.9), c.constant(0.2, 0.5), c.constant(0.5, 2.0)
    ALPHA, MARGIN = c.constant(0.3, 0.9), c.constant(0.3, 0.9)

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
        held: wp.array[int] = given(m, low=-1, high=n - 1),
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
            # no body pulls at itself
            if held[k] == i:
                k += 1
                continue
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
                # what the cell's extent adds to its pull, against the acceleration a step ago
                near = G * cell.weight * cell.width * cell.width > ALPHA * before[i] * wp.pow(r, 4.0)
            else:
                reach = wp.max(wp.max(wp.abs(d[0]), wp.abs(d[1])), wp.abs(d[2]))
                near = reach < 0.5 * cell.width + MARGIN
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
