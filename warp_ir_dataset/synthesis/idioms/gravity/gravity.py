"""Gravity: sums over bodies, potentials, tides, orbits, trees."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp

NAMES = {
    "x": "x positions pos bodies",
    "v": "v velocities vel",
    "mass": "mass masses m",
    "acceleration": "acceleration acc a",
    "r": "r dist separation",
    "total": "total acc g",
    "i j": "i j",
}


@idiom(
    level=3,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "gravitate compute_gravity",
        "phi": "phi potential",
        "source_v": "source_v source_velocities",
        "source_mass": "source_mass source_masses",
    },
)
def nbody_acceleration(c):
    """The gravitational acceleration of each body by {SOURCES}{SOFTENING}{EXTRA}.

    Compute the gravitational acceleration {acceleration} of each body in {x} by {WHOM}. A source of mass
    M at offset d from the body contributes {G} · M · d / r³, where r = {DISTANCE}. {MORE}
    """
    n, m = c.size(), c.size(5, 8)
    SOURCES = c.meaning("all others", "a set of sources", "the others within a cutoff")
    SOFTENING = c.meaning(", Plummer-softened", ", unsoftened", " as uniform balls")
    BALLS = SOFTENING == " as uniform balls"
    EXTRA = "" if BALLS else c.meaning("", ", and the potential", ", and the jerk")
    G, SOFT, CUTOFF = c.constant(0.5, 2.0), c.constant(0.2, 0.6), c.constant(0.8, 1.6)
    RADIUS = c.constant(0.4, 0.7)
    Vec = c.vec(c.meaning(3, 2))
    # the steps there are have no use for a jerk
    PULL = None if EXTRA == ", and the jerk" else "acceleration"
    WHOM = {
        "all others": "direct summation over all the others, with the masses {mass}",
        "a set of sources": "direct summation over the bodies {sources}, with the masses {source_mass}",
        "the others within a cutoff": "direct summation over the others that are no farther away than "
        "{CUTOFF}, with the masses {mass}",
    }[SOURCES]
    DISTANCE = {
        ", Plummer-softened": "√(|d|² + {SOFT}²), with Plummer softening", ", unsoftened": "|d|",
        " as uniform balls": "max(|d|, {RADIUS}), as bodies are balls of uniform density",
    }[SOFTENING]  # fmt: skip
    MORE = ""
    if EXTRA == ", and the potential":
        MORE = "Also compute the potential {phi}, the sum of -{G} · M / r."
    elif EXTRA:
        MORE = (
            "Also compute the {jerk}, the sum of {G} · M / r³ · (w - 3 · (d·w) / r² · d), where w "
            "is the velocity of the "
        )
        MORE += "source, in {source_v}, " if SOURCES == "a set of sources" else "source "
        MORE += "relative to that of the body, in {v}."
        if SOURCES != "a set of sources":
            MORE = MORE.replace("in {v}", "both in {v}")

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = input(n, low=-1.0, high=1.0, of="velocity"),
        mass: wp.array[float] = input(n, low=0.2, high=2.0, of="mass"),
        sources: wp.array[Vec] = input(m, low=-1.0, high=1.0),
        source_v: wp.array[Vec] = input(m, low=-1.0, high=1.0),
        source_mass: wp.array[float] = input(m, low=0.2, high=2.0),
        acceleration: wp.array[Vec] = output(n, of=PULL),
        phi: wp.array[float] = output(n),
        jerk: wp.array[Vec] = output(n),
    ):
        i = wp.tid()
        here = x[i]
        total = Vec()
        if EXTRA == ", and the potential":
            phi_i = float(0.0)
        if EXTRA == ", and the jerk":
            jerk_i = Vec()
        for j in range(sources.shape[0] if SOURCES == "a set of sources" else x.shape[0]):
            if SOURCES != "a set of sources":
                if j == i:
                    continue
            d = sources[j] - here if SOURCES == "a set of sources" else x[j] - here
            if SOURCES == "the others within a cutoff":
                if wp.length(d) > CUTOFF:
                    continue
            gm = G * source_mass[j] if SOURCES == "a set of sources" else G * mass[j]
            if SOFTENING == ", Plummer-softened":
                r = wp.sqrt(wp.dot(d, d) + SOFT * SOFT)
            elif SOFTENING == ", unsoftened":
                r = wp.length(d)
            else:
                # inside a ball the pull falls to zero at its centre
                r = wp.max(wp.length(d), RADIUS)
            pull = gm / (r * r * r)
            total += pull * d
            if EXTRA == ", and the potential":
                phi_i -= gm / r
            if EXTRA == ", and the jerk":
                dv = source_v[j] - v[i] if SOURCES == "a set of sources" else v[j] - v[i]
                jerk_i += pull * (dv - 3.0 * wp.dot(d, dv) / (r * r) * d)
        acceleration[i] = total
        if EXTRA == ", and the potential":
            phi[i] = phi_i
        if EXTRA == ", and the jerk":
            jerk[i] = jerk_i


@idiom(
    level=3,
    names=NAMES
    | {
        "group": "group cluster halo_id",
        "centre centre_v": "centre centre_v | origin origin_v | pivot pivot_v",
        "p": "p offset arm",
        "u": "u vel_i",
        "quadrupole": "quadrupole q_tensor",
        "energies": "energies kinetic ke",
        "moments": "moments first_moments",
    },
)
def centre_of_mass(c):
    """Adds up the {WHAT}{ABOUT} of {BODIES}.

    {PURPOSE}. For a body of mass M, in {mass}, {VECTORS}. It adds {TERMS}. {WHERE}
    """
    n, groups = c.size(9, 14), c.size(2, 4)
    WHAT = c.meaning("mass and first moment", "momentum and kinetic energy", "angular momentum", "quadrupole")
    SHIFTED = c.meaning(False, True)
    SET = c.meaning("all bodies", "each group", "bodies within a radius")
    if WHAT == "momentum and kinetic energy":
        ABOUT = ("", " relative to a moving centre")[SHIFTED]
        c.names({"kernel": "sum_momentum add_momentum", "moments": "momentum momenta"})
    else:
        ABOUT = (" about the origin", " about a moving centre" if "angular" in WHAT else " about a centre")[
            SHIFTED
        ]
    if WHAT == "mass and first moment":
        c.names({"kernel": "sum_moments add_moments"})
    elif WHAT == "angular momentum":
        c.names(
            {"kernel": "sum_angular_momentum add_angular_momentum", "moments": "angular_momentum ang_mom"}
        )
    elif WHAT == "quadrupole":
        c.names({"kernel": "sum_quadrupoles add_quadrupoles", "tensors": "quadrupoles tensors"})
    BODIES = {
        "all bodies": "all bodies", "each group": "each group of bodies",
        "bodies within a radius": f"the bodies within a radius of {'it' if ABOUT else 'the origin'}",
    }[SET]  # fmt: skip
    REACH = c.constant(1.0, 2.0)
    PURPOSE = {
        "mass and first moment": "Add up the mass and the first moment of bodies",
        "momentum and kinetic energy": "Add up the momentum and the kinetic energy of bodies",
        "angular momentum": "Add up the angular momentum of bodies",
        "quadrupole": "Add up the traceless gravitational quadrupole of bodies",
    }[WHAT]
    P = "p is its position in {x}" + (" relative to {centre}" if SHIFTED else "")
    U = "u its velocity in {v}" + (" relative to {centre_v}" if SHIFTED else "")
    if WHAT == "momentum and kinetic energy" and SET != "bodies within a radius":
        VECTORS = "let " + U.replace("u its", "u be its")
    else:
        VECTORS = "let " + P.replace("is its", "be its")
        VECTORS += " and " + U if WHAT in ("momentum and kinetic energy", "angular momentum") else ""
    TERMS = {
        "mass and first moment": "M to {masses} and M·p to {moments}",
        "momentum and kinetic energy": "M·u to {moments} and ½·M·|u|² to {energies}",
        "angular momentum": "M · (p × u) to {moments}",
        "quadrupole": "M · (3·p·pᵀ - |p|²·I) to {tensors}, where I is the identity matrix",
    }[WHAT]
    WHERE = {
        "all bodies": "All bodies share entry 0, and the other entries stay zero.",
        "each group": "Each body adds to the entry of its {group}; all entries start at zero.",
        "bodies within a radius": "Bodies with |p| > {REACH} do not count, the others share entry 0, "
        "and further entries stay zero.",
    }[SET]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="velocity"),
        mass: wp.array[float] = input(n, low=0.3, high=2.0, of="mass"),
        group: wp.array[int] = input(n, low=0, high=groups - 1),
        centre: wp.vec3 = input(low=-0.5, high=0.5),
        centre_v: wp.vec3 = input(low=-1.0, high=1.0),
        masses: wp.array[float] = output(groups),
        moments: wp.array[wp.vec3] = output(groups),
        energies: wp.array[float] = output(groups),
        tensors: wp.array[wp.mat33] = output(groups),
    ):
        i = wp.tid()
        m = mass[i]
        if WHAT != "momentum and kinetic energy" or SET == "bodies within a radius":
            p = x[i] - centre if SHIFTED else x[i]
        if SET == "bodies within a radius":
            if wp.length(p) > REACH:
                return
        if WHAT == "momentum and kinetic energy" or WHAT == "angular momentum":
            u = v[i] - centre_v if SHIFTED else v[i]
        if SET == "each group":
            g = group[i]
            if WHAT == "mass and first moment":
                masses[g] += m
                moments[g] += m * p
            elif WHAT == "momentum and kinetic energy":
                moments[g] += m * u
                energies[g] += 0.5 * m * wp.length_sq(u)
            elif WHAT == "angular momentum":
                moments[g] += m * wp.cross(p, u)
            else:
                # the squared distance comes off the diagonal, so that no trace is left
                quadrupole = 3.0 * wp.outer(p, p) - wp.length_sq(p) * wp.identity(n=3, dtype=float)
                tensors[g] += m * quadrupole
        else:
            if WHAT == "mass and first moment":
                wp.atomic_add(masses, 0, m)
                wp.atomic_add(moments, 0, m * p)
            elif WHAT == "momentum and kinetic energy":
                wp.atomic_add(moments, 0, m * u)
                wp.atomic_add(energies, 0, 0.5 * m * wp.dot(u, u))
            elif WHAT == "angular momentum":
                wp.atomic_add(moments, 0, m * wp.cross(p, u))
            else:
                # the squared distance comes off the diagonal, so that no trace is left
                quadrupole = 3.0 * wp.outer(p, p) - wp.length_sq(p) * wp.identity(n=3, dtype=float)
                wp.atomic_add(tensors, 0, m * quadrupole)


@idiom(level=4, names=NAMES | {"kernel": "compute_tides tidal_field", "tides": "tides tensors tidal"})
def tidal_tensor(c):
    """The {WANTED} in the gravity of {SOURCES}{SOFT}.

    Compute the {ASKED} in the gravity of {BODIES}. The tidal tensor is the gradient of the pull: a source of
    mass M at offset d from the place contributes {G} · M / r³ · (3·d·dᵀ / r² - I), where r =
    {DISTANCE} and I is the identity matrix. {PUT}
    """
    n, m = c.size(), c.size(4, 7)
    WANTED = c.meaning(
        "tidal tensor at each place",
        "tidal acceleration at an offset from each place",
        "Gershgorin bound on the tidal stretch at each place",
        "tidal stretch along the motion of each particle",
    )
    if "acceleration" in WANTED:
        c.names({"kernel": "tidal_accelerations compute_tides", "acceleration": "acceleration tidal_acc"})
    elif "bound" in WANTED:
        c.names({"kernel": "tidal_stretch_bounds bound_stretches", "stretch": "bounds stretch_bounds"})
    elif "stretch" in WANTED:
        c.names({"kernel": "tidal_stretch stretch_by_tides"})
    SOURCES, SOFT = c.meaning("point masses", "one body"), c.meaning("", ", softened")
    CORE, G = c.constant(0.3, 0.8), c.constant(0.5, 2.0)

    def tide(d: wp.vec3, gm: float) -> wp.mat33:
        """The gradient of the pull towards a mass that is d away."""
        if SOFT:
            r = wp.sqrt(wp.dot(d, d) + CORE * CORE)
        else:
            r = wp.length(d)
        return gm / (r * r * r) * (3.0 / (r * r) * wp.outer(d, d) - wp.identity(n=3, dtype=float))

    ASKED = {
        "tidal tensor at each place": "tidal tensor at each place in {x}",
        "tidal acceleration at an offset from each place": "tidal acceleration near each place in {x}",
        "Gershgorin bound on the tidal stretch at each place": "Gershgorin bound on the tidal stretch "
        "at each place in {x}",
        "tidal stretch along the motion of each particle": "tidal stretch of each particle along its motion",
    }[WANTED]
    BODIES = (
        "point masses {mass} at {sources}" if SOURCES == "point masses" else "one {body} of mass {body_mass}"
    )
    DISTANCE = "√(|d|² + {CORE}²)" if SOFT else "|d|"
    PUT = {
        "tidal tensor at each place": "Write it to {tides}.",
        "tidal acceleration at an offset from each place": "{acceleration} is the tensor times the "
        "offset in {offsets}.",
        "Gershgorin bound on the tidal stretch at each place": "{stretch} is the largest, over the "
        "rows of the tensor, of the diagonal "
        "entry plus the magnitudes of the "
        "other entries of the row (it is above "
        "-1e9).",
        "tidal stretch along the motion of each particle": "With n the unit vector along the velocity "
        "in {v} of the particle at its place in "
        "{x}, or zero if the velocity is, "
        "{stretch} is n·(T·n), where T is the "
        "tensor.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.5, high=1.5, of="position"),
        sources: wp.array[wp.vec3] = input(m, low=-1.5, high=1.5),
        mass: wp.array[float] = input(m, low=0.2, high=2.0),
        body: wp.vec3 = input(low=-1.5, high=1.5),
        body_mass: float = input(low=0.5, high=3.0),
        v: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        offsets: wp.array[wp.vec3] = input(n, low=-0.3, high=0.3),
        tides: wp.array[wp.mat33] = output(n),
        acceleration: wp.array[wp.vec3] = output(n),
        stretch: wp.array[float] = output(n),
    ):
        i = wp.tid()
        if SOURCES == "one body":
            tensor = tide(body - x[i], G * body_mass)
        else:
            tensor = wp.mat33()
            for j in range(sources.shape[0]):
                tensor += tide(sources[j] - x[i], G * mass[j])
        if WANTED == "tidal tensor at each place":
            tides[i] = tensor
        elif WANTED == "tidal acceleration at an offset from each place":
            acceleration[i] = tensor * offsets[i]
        elif WANTED == "tidal stretch along the motion of each particle":
            along = wp.normalize(v[i])
            stretch[i] = wp.dot(along, tensor * along)
        else:
            # no eigenvalue lies beyond the discs about the diagonal
            bound = float(-1.0e9)
            for k in range(3):
                radius = float(0.0)
                for col in range(3):
                    if col != k:
                        radius += wp.abs(tensor[k, col])
                bound = wp.max(bound, tensor[k, k] + radius)
            stretch[i] = bound


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "tree_gravity barnes_hut",
        "k": "k node index",
        "visits": "visits cells_seen",
        "coarse": "coarse too_coarse",
        "here": "here own_place",
        "cells": "cells nodes tree",
        "held": "held body_of_leaf occupant",
        "before": "before old_acc last_acc",
        "ALPHA": "ALPHA FORCE_TOLERANCE ACCURACY",
        "MARGIN": "MARGIN CLEARANCE BORDER",
    },
)
def barnes_hut_walk(c):
    """The {WANTED} of each body by a Barnes-Hut walk that opens cells by {OPENING}, {MOMENTS}{SOFT}.

    Compute the {SOUGHT} of each body in {x} by a Barnes-Hut walk over a tree. Its cells {cells}, each with a
    centre, a weight m (its mass) and a width, lie in depth-first order. The subtree of cell k has
    `{subtree}[k]` cells, itself included, and `{held}[k]` is the body that the cell holds, or -1.

    The walk starts at cell 0 and ends past the last cell. A cell that holds the body itself is passed over,
    its subtree is not. For any other cell, d is its centre less the body's position. If {COARSE}, and if its
    subtree has more than one cell, it is opened: the walk goes on with the next cell. Otherwise it
    contributes {TERM}, with r = {DISTANCE}{MATRIX}, and the walk goes on behind its subtree, `{subtree}[k]`
    cells further. {VISITED}
    """
    n, m = c.size(6, 10), c.size(9, 14)
    WANTED = c.meaning("acceleration", "potential", "acceleration, and the number of cells visited,")
    OPENING = c.meaning("angle", "distance", "relative force")
    MOMENTS, SOFT = c.meaning("with monopoles", "with quadrupoles"), c.meaning("", ", softened")
    THETA, CORE, G = c.constant(0.3, 0.9), c.constant(0.2, 0.5), c.constant(0.5, 2.0)
    ALPHA, MARGIN = c.constant(0.3, 0.9), c.constant(0.1, 0.4)

    class Cell:
        centre: wp.vec3
        weight: float
        width: float

    def pull(cell: Cell, q: wp.mat33, d: wp.vec3, r: float) -> wp.vec3:
        """The pull of a cell that is d away, with its traceless quadrupole q, for G of one."""
        cube = r * r * r
        qd = q * d
        correction = 2.5 * wp.dot(d, qd) / (r * r) * d - qd
        return cell.weight / cube * d + correction / (cube * r * r)

    SOUGHT = "potential {phi}" if WANTED == "potential" else "acceleration {acceleration}"
    COARSE = {
        "angle": "its width exceeds {THETA}·|d|",
        "distance": "the largest of the magnitudes of d's components is less than half its width plus "
        "{MARGIN}",
        "relative force": "{G} · weight · width² > {ALPHA} · (the body's entry of {before}) · |d|⁴",
    }[OPENING]
    DISTANCE = "√(|d|² + {CORE}²)" if SOFT else "|d|"
    MATRIX = " and Q its entry of {quadrupoles}" if MOMENTS == "with quadrupoles" else ""
    if WANTED == "potential":
        TERM = "-{G} · (m / r + ½·d·(Q·d) / r^5)" if MATRIX else "-{G} · m / r"
    else:
        TERM = "{G} · m · d / r³"
        if MATRIX:
            TERM = "{G} · (m · d / r^3 + (5/2 · (d·(Q·d)) / r^2 · d - Q·d) / r^5)"
    VISITED = ""
    if "number" in WANTED:
        VISITED = (
            "{cost} is the number of cells visited, opened ones included, the one that holds the "
            "body left out."
        )

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=0.0, high=1.6, of="position"),
        cells: wp.array[Cell] = input(m, low=0.1, high=1.6),
        subtree: wp.array[int] = input(m, low=1, high=4),
        held: wp.array[int] = input(m, low=-1, high=n - 1),
        quadrupoles: wp.array[wp.mat33] = input(m, low=-0.1, high=0.1, trait="symmetric"),
        before: wp.array[float] = input(n, low=0.5, high=4.0),
        acceleration: wp.array[wp.vec3] = output(n, of="acceleration"),
        phi: wp.array[float] = output(n, of="energy"),
        cost: wp.array[int] = output(n),
    ):
        i = wp.tid()
        here = x[i]
        if WANTED == "potential":
            phi_i = float(0.0)
        else:
            total = wp.vec3()
        if WANTED == "acceleration, and the number of cells visited,":
            visits = int(0)
        k = int(0)
        while k < cells.shape[0]:
            # no body pulls itself
            if held[k] == i:
                k += 1
                continue
            cell = cells[k]
            d = cell.centre - here
            if WANTED == "acceleration, and the number of cells visited,":
                visits += 1
            if OPENING == "angle":
                coarse = cell.width > THETA * wp.length(d)
            elif OPENING == "relative force":
                # the relative error of a pull grows with the square of width over distance
                moment = G * cell.weight * cell.width * cell.width
                coarse = moment > ALPHA * before[i] * wp.pow(wp.length(d), 4.0)
            else:
                reach = wp.max(wp.max(wp.abs(d[0]), wp.abs(d[1])), wp.abs(d[2]))
                coarse = reach < 0.5 * cell.width + MARGIN
            if coarse and subtree[k] > 1:
                k += 1
                continue
            if SOFT:
                r = wp.sqrt(wp.dot(d, d) + CORE * CORE)
            else:
                r = wp.length(d)
            if WANTED == "potential":
                if MOMENTS == "with quadrupoles":
                    q = quadrupoles[k]
                    phi_i -= G * (cell.weight / r + 0.5 * wp.dot(d, q * d) / wp.pow(r, 5.0))
                else:
                    phi_i -= G * cell.weight / r
            else:
                if MOMENTS == "with quadrupoles":
                    total += G * pull(cell, quadrupoles[k], d, r)
                else:
                    total += G * cell.weight / (r * r * r) * d
            # on to the first cell after the subtree
            k += subtree[k]
        if WANTED == "potential":
            phi[i] = phi_i
        else:
            acceleration[i] = total
        if WANTED == "acceleration, and the number of cells visited,":
            cost[i] = visits
