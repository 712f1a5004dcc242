"""Charges and the fields that they make."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp
from .electromagnetics import NAMES


@idiom(
    level=3,
    names=NAMES
    | {
        "x": "x positions particle_x",
        "density": "density rho charge_grid",
        "current": "current J flow_grid",
        "weight": "weight share portion",
        "place": "place here",
        "i0 j0": "i0 j0 | bottom left | iy ix",
        "y x_cell": "y x_cell | cell_i cell_j | yi xj",
        "wx wy": "wx wy | sx sy",
        "kernel": "deposit scatter_charge p2g",
    },
)
def deposit_charge(c):
    """Deposits {WHAT} on a grid by {SHAPE} weighting, {EDGE} edges{AREA}{SKIP}."""
    n, rows, cols = c.size(8, 14), c.size(5, 7), c.size(5, 7)
    WHAT = c.meaning("the charge", "the charge and current", "the particle number")
    SHAPE, EDGE = (
        c.meaning("nearest-grid-point", "cloud-in-cell", "quadratic-spline"),
        c.meaning("periodic", "clamped"),
    )
    AREA, SKIP = c.meaning("", ", per unit area"), c.meaning("", ", skipping absorbed particles")
    CELL = c.constant(0.3, 0.9)
    WIDTH = {"nearest-grid-point": 1, "cloud-in-cell": 2, "quadratic-spline": 3}[SHAPE]
    if WHAT == "the particle number":
        c.names({"kernel": "deposit_particles scatter_particles", "density": "density number_density"})

    def share(d: float) -> float:
        """What a cell at this distance gets."""
        if SHAPE == "cloud-in-cell":
            return wp.max(1.0 - wp.abs(d), 0.0)
        elif SHAPE == "quadratic-spline":
            far = wp.abs(d)
            if far < 0.5:
                return 0.75 - far * far
            return 0.5 * (1.5 - far) * (1.5 - far)
        else:
            return 1.0

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = given(n, low=0.0, high=4.9, of="position"),
        q: wp.array[float] = given(n, low=0.5, high=2.0),
        v: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0, of="velocity"),
        alive: wp.array[int] = given(n, low=0, high=1),
        density: wp.array2d[float] = result(rows, cols),
        current: wp.array2d[wp.vec2] = result(rows, cols),
    ):
        tid = wp.tid()
        if SKIP:
            if alive[tid] == 0:
                return
        place = x[tid]
        if WHAT == "the particle number":
            amount = float(1.0)
        else:
            amount = q[tid]
        if AREA:
            # the area of a cell
            amount /= CELL * CELL
        if SHAPE == "cloud-in-cell":
            i0 = int(wp.floor(place[1]))
            j0 = int(wp.floor(place[0]))
        elif SHAPE == "nearest-grid-point":
            i0 = int(wp.round(place[1]))
            j0 = int(wp.round(place[0]))
        else:
            i0 = int(wp.floor(place[1] + 0.5)) - 1
            j0 = int(wp.floor(place[0] + 0.5)) - 1
        if SHAPE == "nearest-grid-point":
            if EDGE == "periodic":
                i = i0 % density.shape[0]
                j = j0 % density.shape[1]
            else:
                i = wp.min(i0, density.shape[0] - 1)
                j = wp.min(j0, density.shape[1] - 1)
            wp.atomic_add(density, i, j, amount)
            if WHAT == "the charge and current":
                wp.atomic_add(current, i, j, amount * v[tid])
        else:
            # the shape reaches over {WIDTH} cells a side
            for y in range(i0, i0 + WIDTH):
                for x_cell in range(j0, j0 + WIDTH):
                    weight = share(place[1] - float(y)) * share(place[0] - float(x_cell))
                    if EDGE == "periodic":
                        i = (y + density.shape[0]) % density.shape[0]
                        j = (x_cell + density.shape[1]) % density.shape[1]
                    else:
                        i = wp.clamp(y, 0, density.shape[0] - 1)
                        j = wp.clamp(x_cell, 0, density.shape[1] - 1)
                    wp.atomic_add(density, i, j, weight * amount)
                    if WHAT == "the charge and current":
                        wp.atomic_add(current, i, j, weight * amount * v[tid])


@idiom(
    level=3,
    names=NAMES
    | {
        "points": "points targets probes",
        "charges": "charges sources ions",
        "source": "source charge_k one",
        "to_point": "to_point offset d",
        "r": "r distance dist",
        "kernel": "sum_charges coulomb_field",
    },
)
def electric_field_of_charges(c):
    """The {WANTED} at {points} by {LAW}{GROUND}{BACKGROUND}{REACH}."""
    n, count = c.size(8, 12), c.size(5, 9)
    WANTED, LAW = (
        c.meaning("potential", "electric field"),
        c.meaning("Coulomb's law", "Debye screening", "softened cores"),
    )
    GROUND, BACKGROUND = c.meaning("", " above a grounded plate"), c.meaning("", " and a uniform field")
    REACH = c.meaning("", ", within a cutoff")
    SOFT, LENGTH, CUTOFF = c.constant(0.2, 0.8), c.constant(0.5, 2.0), c.constant(1.5, 3.0)
    Wanted = float if WANTED == "potential" else c.vec(3)
    if WANTED == "potential":
        c.names(
            {"kernel": "sum_charges coulomb_potential", "total": "total summed", "out": "out phi potential"}
        )

    class Charge:
        at: wp.vec3
        charge: float

    def share(q: float, to_point: wp.vec3) -> Wanted:
        """What one charge adds."""
        if LAW == "softened cores":
            # close by, the core counts as well
            r = wp.sqrt(wp.length_sq(to_point) + SOFT * SOFT)
        else:
            # no nearer than the surface of a charge
            r = wp.max(wp.length(to_point), 0.1)
        if WANTED == "potential":
            if LAW == "Debye screening":
                return q * wp.exp(-r / LENGTH) / r
            else:
                return q / r
        else:
            if LAW == "Debye screening":
                return q * wp.exp(-r / LENGTH) * (1.0 + r / LENGTH) / (r * r * r) * to_point
            else:
                return q / (r * r * r) * to_point

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = given(n, low=0.1, high=2.0, of="position"),
        charges: wp.array[Charge] = given(count, low=0.2, high=1.5),
        background: wp.vec3 = given(low=-1.0, high=1.0),
        out: wp.array[Wanted] = result(n),
    ):
        tid = wp.tid()
        here = points[tid]
        if WANTED == "potential":
            total = float(0.0)
        else:
            total = wp.vec3(0.0, 0.0, 0.0)
        for k in range(charges.shape[0]):
            source = charges[k]
            to_point = here - source.at
            if REACH:
                if wp.length(to_point) > CUTOFF:
                    continue
            total += share(source.charge, to_point)
            if GROUND:
                # its image below the plate
                image = here - wp.vec3(source.at[0], source.at[1], -source.at[2])
                total -= share(source.charge, image)
        if BACKGROUND and GROUND:
            # upright, as any field at the plate is
            if WANTED == "potential":
                total -= background[2] * here[2]
            else:
                total += wp.vec3(0.0, 0.0, background[2])
        elif BACKGROUND:
            if WANTED == "potential":
                total -= wp.dot(background, here)
            else:
                total += background
        out[tid] = total


@idiom(
    level=2,
    names=NAMES
    | {
        "density": "density number_density n_e",
        "heat": "thermal_energy kT",
        "mass": "mass m ion_mass",
        "strength": "strength b_size field",
        "thermal": "thermal v_th thermal_speed",
        "out": "out scales found",
        "kernel": "plasma_parameters plasma_scales",
    },
)
def plasma_scale(c):
    """The {WANTED} at each place in a plasma of {IONS}{UNITS}."""
    n = c.size()
    LENGTHS = ("Debye length", "gyroradius", "skin depth")
    OTHERS = ("plasma frequency", "Alfvén speed", "plasma beta", "gyroperiod", "ion sound speed")
    WANTED = c.meaning(*LENGTHS, *OTHERS)
    IONS = c.meaning("one kind of ions", "mixed ions") if WANTED != "plasma beta" else "ions"
    MIXED = IONS == "mixed ions"
    UNITS = c.meaning("", ", in grid cells") if WANTED in LENGTHS else ""
    EPS, MU, GAMMA, CELL = (
        c.constant(0.5, 2.0), c.constant(0.5, 2.0), c.constant(1.2, 1.7), c.constant(0.2, 0.9),
    )  # fmt: skip

    @c.kernel(n)
    def kernel(
        density: wp.array[float] = given(n, low=0.5, high=3.0),
        heat: wp.array[float] = given(n, low=0.3, high=2.0),
        B: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5),
        masses: wp.array[float] = given(n, low=0.5, high=2.0),
        charges: wp.array[float] = given(n, low=0.5, high=2.0),
        mass: float = given(low=0.5, high=2.0),
        q: float = given(low=0.5, high=2.0),
        out: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        if MIXED and WANTED != "Debye length":
            m = masses[tid]
        if MIXED and WANTED not in ("Alfvén speed", "ion sound speed"):
            own = charges[tid]
        if WANTED == "Debye length":
            scale = wp.sqrt(EPS * heat[tid] / density[tid]) / (own if MIXED else q)
        elif WANTED == "gyroradius":
            thermal = wp.sqrt(heat[tid] / (m if MIXED else mass))
            scale = (m if MIXED else mass) * thermal / ((own if MIXED else q) * wp.length(B[tid]))
        elif WANTED == "skin depth":
            scale = wp.sqrt((m if MIXED else mass) / (MU * density[tid])) / (own if MIXED else q)
        elif WANTED == "plasma frequency":
            scale = (own if MIXED else q) * wp.sqrt(density[tid] / (EPS * (m if MIXED else mass)))
        elif WANTED == "Alfvén speed":
            scale = wp.length(B[tid]) / wp.sqrt(MU * density[tid] * (m if MIXED else mass))
        elif WANTED == "plasma beta":
            # the pressure of the gas over that of the field
            scale = density[tid] * heat[tid] / (0.5 * wp.length_sq(B[tid]) / MU)
        elif WANTED == "gyroperiod":
            scale = 2.0 * wp.PI * (m if MIXED else mass) / ((own if MIXED else q) * wp.length(B[tid]))
        else:
            scale = wp.sqrt(GAMMA * heat[tid] / (m if MIXED else mass))
        if UNITS:
            out[tid] = scale / CELL
        else:
            out[tid] = scale


@idiom(
    level=3,
    names=NAMES
    | {
        "moment": "moment dipole m_vec",
        "moments": "moments dipoles magnets",
        "d": "d away offset",
        "r": "r distance dist",
        "along": "along cosine_part md",
        "here": "here probe_moment own",
        "kernel": "dipole_formula single_dipole",
    },
)
def field_of_dipoles(c):
    """The {WANTED} at each of {points} by a dipole {PLACE}{CORE}{UNIFORM}."""
    n = c.size()
    WANTED = c.meaning("field", "potential", "torque on a dipole", "energy of a dipole")
    PLACE = c.meaning("at the origin", "of its own", "at a common centre")
    CORE = c.meaning("", " with a soft core")
    UNIFORM = c.meaning("", " and a uniform field") if WANTED != "potential" else ""
    c.names(
        {
            "field": {"kernel": "dipole_fields field_of_dipoles"},
            "potential": {"kernel": "dipole_potentials dipole_formula", "out": "out phi potential"},
            "torque on a dipole": {"kernel": "dipole_torques turn_dipoles", "out": "out torques"},
            "energy of a dipole": {"kernel": "dipole_energies pair_energies", "out": "out energies"},
        }[WANTED]
    )
    STRENGTH, SOFT = c.constant(0.5, 2.0), c.constant(0.2, 0.8)
    Wanted = float if WANTED == "potential" or WANTED == "energy of a dipole" else c.vec(3)

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        sources: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        moments: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        centre: wp.vec3 = given(low=-1.0, high=1.0),
        moment: wp.vec3 = given(low=-1.0, high=1.0),
        needles: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        background: wp.vec3 = given(low=-1.0, high=1.0),
        out: wp.array[Wanted] = result(n),
    ):
        tid = wp.tid()
        if PLACE == "of its own":
            d = points[tid] - sources[tid]
            along = wp.dot(moments[tid], d)
        elif PLACE == "at a common centre":
            d = points[tid] - centre
            along = wp.dot(moment, d)
        else:
            d = points[tid]
            along = wp.dot(moment, d)
        if CORE:
            # close by, the core counts as well
            r = wp.sqrt(wp.length_sq(d) + SOFT * SOFT)
        else:
            # no nearer than the surface of the dipole
            r = wp.max(wp.length(d), 0.2)
        if WANTED == "potential":
            out[tid] = STRENGTH * along / (r * r * r)
        else:
            if PLACE == "of its own":
                field = STRENGTH / (r * r * r) * (3.0 * along / (r * r) * d - moments[tid])
            else:
                field = STRENGTH / (r * r * r) * (3.0 * along / (r * r) * d - moment)
            if UNIFORM:
                field += background
            if WANTED == "field":
                out[tid] = field
            elif WANTED == "torque on a dipole":
                out[tid] = wp.cross(needles[tid], field)
            else:
                out[tid] = -wp.dot(needles[tid], field)
