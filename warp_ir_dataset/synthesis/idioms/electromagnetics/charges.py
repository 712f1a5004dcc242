"""Charges and the fields that they make."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp
from .electromagnetics import NAMES


@idiom(
    level=3,
    names=NAMES
    | {
        "x": "x positions particle_x",
        "density": "density rho charge_grid",
        "current": "current J flow_grid",
        "weight": "weight part portion",
        "place": "place here",
        "i0 j0": "i0 j0 | first_row first_col | iy ix",
        "y x_cell": "y x_cell | cell_i cell_j | yi xj",
        "wx wy": "wx wy | sx sy",
        "kernel": "deposit scatter_charge p2g",
    },
)
def deposit_charge(c):
    """Deposits {WHAT}{AREA} on a grid by {SHAPE} weighting, with {EDGE} edges{SKIP}.

    Deposit {WHAT}{PER} on a grid by {SHAPE} weighting. Grid point (i, j) lies at {PLACES}, so rows go along
    y.{UNIT} {SPREAD} {ADDED}

    Points beyond an edge {BEYOND}.{LOST} {START}
    """
    n, rows, cols = c.size(8, 14), c.size(5, 6), c.size(5, 6)
    WHAT = c.meaning(
        "the charge of particles", "the charge and current of particles", "the number of particles"
    )
    SHAPE, EDGE = (
        c.meaning("nearest-grid-point", "cloud-in-cell", "quadratic-spline"),
        c.meaning("periodic", "clamped"),
    )
    AREA, SKIP = c.meaning("", " per unit area"), c.meaning("", ", skipping absorbed particles")
    CELL = c.constant(0.25, 0.3)
    # positions are in cells, but where the size of a cell counts
    NEAREST, FURTHEST = (-0.24, 1.7) if AREA else (-0.9, 5.9)
    WIDTH = {"nearest-grid-point": 1, "cloud-in-cell": 2, "quadratic-spline": 3}[SHAPE]
    if WHAT == "the number of particles":
        c.names({"kernel": "deposit_particles scatter_particles", "density": "density number_density"})
    if SHAPE == "nearest-grid-point":
        c.names({"i0 j0": "i0 j0 | nearest_row nearest_col | iy ix"})

    def share(d: float) -> float:
        """What a cell at this distance gets."""
        if SHAPE == "cloud-in-cell":
            return 1.0 - wp.abs(d)
        elif SHAPE == "quadratic-spline":
            far = wp.abs(d)
            if far < 0.5:
                return 0.75 - far * far
            return 0.5 * (1.5 - far) * (1.5 - far)
        else:
            return 1.0

    PER = ", per unit area," if AREA else ""
    PLACES = "{CELL} times (j, i)" if AREA else "(j, i)"
    UNIT = " Distances count in units of {CELL}." if AREA else ""
    SPREAD = {
        "nearest-grid-point": (
            "A particle at {x} belongs to its nearest point alone, rounding halves away from 0."
        ),
        "cloud-in-cell": (
            "A particle at {x} spreads over the four points of the square that holds it, with the weight"
            " (1 - |X|)·(1 - |Y|) for a point at the distances X and Y along the axes."
        ),
        "quadratic-spline": (
            "A particle at {x} spreads over the 3 × 3 points around its nearest one (halves up), with a"
            " weight that is the product of those along the two axes: ¾ - X² at a distance |X| < ½, otherwise"
            " ½·(1.5 - |X|)²."
        ),
    }[SHAPE]
    LOAD = "{q}"
    OVER = " / ({CELL}·{CELL})" if AREA else ""
    WEIGHT = "" if SHAPE == "nearest-grid-point" else "the weight times "
    ADDED = "Add {WEIGHT}{LOAD}{OVER} to {density}{FLOW}."
    if WHAT == "the number of particles":
        ADDED = "Add {ONE}{OVER} to {density}."
    ONE = "1" if SHAPE == "nearest-grid-point" else "the weight"
    FLOW = " and that times its velocity {v} to {current}" if "current" in WHAT else ""
    BEYOND = (
        "wrap around to the opposite edge" if EDGE == "periodic" else "count as the nearest point on the edge"
    )
    LOST = " Particles with {alive} 0 were absorbed and deposit nothing." if SKIP else ""
    START = "Both grids start at zero." if FLOW else "The grid starts at zero."

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = input(n, low=NEAREST, high=FURTHEST, of="position"),
        q: wp.array[float] = input(n, low=0.5, high=2.0),
        v: wp.array[wp.vec2] = input(n, low=-1.0, high=1.0, of="velocity"),
        alive: wp.array[int] = input(n, low=0, high=1),
        density: wp.array2d[float] = output(rows, cols),
        current: wp.array2d[wp.vec2] = output(rows, cols),
    ):
        tid = wp.tid()
        if SKIP:
            if alive[tid] == 0:
                return
        if AREA:
            place = x[tid] / CELL
        else:
            place = x[tid]
        if WHAT == "the number of particles":
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
                i = (i0 + density.shape[0]) % density.shape[0]
                j = (j0 + density.shape[1]) % density.shape[1]
            else:
                i = wp.clamp(i0, 0, density.shape[0] - 1)
                j = wp.clamp(j0, 0, density.shape[1] - 1)
            wp.atomic_add(density, i, j, amount)
            if WHAT == "the charge and current of particles":
                wp.atomic_add(current, i, j, amount * v[tid])
        else:
            # the shape is {WIDTH} cells wide
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
                    if WHAT == "the charge and current of particles":
                        wp.atomic_add(current, i, j, weight * amount * v[tid])


@idiom(
    level=3,
    names=NAMES
    | {
        "points": "points targets probes",
        "charges": "charges sources ions",
        "source": "source charge_k src",
        "to_point": "to_point offset d",
        "r": "r distance dist",
        "kernel": "sum_charges field_of_charges",
    },
)
def electric_field_of_charges(c):
    """The {WANTED} of charges{REACH} at {points}{GROUND}{BACKGROUND}, {LAW}.

    Find the {WANTED} that the {charges} make at each of the {points}, in {out}{NAMED}. D is the vector from a
    charge, with its place `at`, to the point, and r = {DISTANCE}. A charge Q makes the {WANTED} {FORMULA};
    add up all of them.{NEAR}

    {PLATE}{UNIFORM}
    """
    n, count = c.size(8, 12), c.size(5, 9)
    WANTED, LAW = (
        c.meaning("potential", "electric field"),
        c.meaning("by Coulomb's law", "with Debye screening", "with softened cores"),
    )
    GROUND, BACKGROUND = c.meaning("", " above a grounded plate"), c.meaning("", " in a uniform field")
    REACH = c.meaning("", " within a cutoff")
    SOFT, LENGTH, CUTOFF = c.constant(0.2, 0.8), c.constant(0.5, 2.0), c.constant(0.9, 1.5)
    Wanted = float if WANTED == "potential" else c.vec(3)
    KIND = {"by Coulomb's law": "coulomb", "with Debye screening": "screened"}.get(LAW, "softened")
    if WANTED == "potential":
        c.names(
            {
                "kernel": f"sum_potentials {KIND}_potential {KIND}_potentials",
                "total": "total phi_sum",
                "out": "out phi potential",
            }
        )
    else:
        c.names({"kernel": f"sum_fields {KIND}_field {KIND}_fields"})

    class Charge:
        at: wp.vec3
        charge: float

    def share(q: float, to_point: wp.vec3) -> Wanted:
        """What one charge adds."""
        if LAW == "with softened cores":
            # finite even at the charge
            r = wp.sqrt(wp.length_sq(to_point) + SOFT * SOFT)
        else:
            # no nearer than the surface of a charge
            r = wp.max(wp.length(to_point), 0.4)
        if WANTED == "potential":
            if LAW == "with Debye screening":
                return q * wp.exp(-r / LENGTH) / r
            else:
                return q / r
        else:
            if LAW == "with Debye screening":
                return q * wp.exp(-r / LENGTH) * (1.0 + r / LENGTH) / (r * r * r) * to_point
            else:
                return q / (r * r * r) * to_point

    NAMED = {
        "by Coulomb's law": ", by Coulomb's law",
        "with Debye screening": ", with Debye screening",
        "with softened cores": ", with softened cores",
    }[LAW]
    DISTANCE = (
        "√(|D|² + {SOFT}²)"
        if LAW == "with softened cores"
        else "|D|, but at least 0.4, the radius of a charge"
    )
    FORMULA = "Q / r" if WANTED == "potential" else "Q·D / r³"
    if LAW == "with Debye screening":
        FORMULA = (
            "Q·exp(-r / {LENGTH}) / r"
            if WANTED == "potential"
            else "Q·exp(-r / {LENGTH})·(1 + r / {LENGTH})·D / r³"
        )
    NEAR = " Charges with |D| > {CUTOFF} make nothing{ALSO}." if REACH else ""
    ALSO = ", and neither do their images" if GROUND else ""
    PLATE = ""
    if GROUND:
        PLATE = (
            "The plane z = 0 is a grounded plate: each charge has an image of charge -Q at its place"
            " mirrored in the plane, which is added by the same formula. "
        )
    UNIFORM = ""
    if BACKGROUND:
        UNIFORM = "Add the uniform field, " + ("(0, 0, `{background}.z`)." if GROUND else "{background}.")
        if WANTED == "potential":
            UNIFORM = "Add the potential of a uniform field, minus the dot product of the point and " + (
                "(0, 0, `{background}.z`)." if GROUND else "{background}."
            )

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = input(n, low=0.1, high=2.0, of="position"),
        charges: wp.array[Charge] = input(count, low=0.2, high=1.5),
        background: wp.vec3 = input(low=-1.0, high=1.0),
        out: wp.array[Wanted] = output(n),
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
                # the image of the charge below the plate
                image = here - wp.vec3(source.at[0], source.at[1], -source.at[2])
                total -= share(source.charge, image)
        if BACKGROUND and GROUND:
            # a field at the plate stands upright on it
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
        "density": "density number_density n_i",
        "heat": "thermal_energy kT",
        "electron_heat": "electron_energy kTe",
        "ion_charge": "ion_charge charge_here",
        "ion_mass": "ion_mass mass_here",
        "mass": "mass m",
        "thermal": "thermal v_th thermal_speed",
        "kernel": "plasma_parameters plasma_scales",
    },
)
def plasma_scale(c):
    """The {WANTED} at each place in a plasma of {IONS}{UNITS}.

    Find the {WANTED} at each place in a plasma{NAMED}: {FORMULA}. {GRIDDED}Store it in {out}.
    """
    n = c.size()
    LENGTHS = ("Debye length", "gyroradius", "skin depth")
    OTHERS = ("plasma frequency", "Alfvén speed", "plasma beta", "gyroperiod", "ion sound speed")
    WANTED = c.meaning(*LENGTHS, *OTHERS)
    KINDS = ("ions", "ions and electrons") if WANTED == "plasma beta" else ("one kind of ions", "mixed ions")
    IONS = c.meaning(*KINDS)
    MIXED = IONS == "mixed ions"
    UNITS = c.meaning("", ", in grid cells") if WANTED in LENGTHS else ""
    FOUND = {
        "plasma frequency": "frequency omega_p | frequencies",
        "Alfvén speed": "speed v_alfven | speeds",
        "plasma beta": "beta ratio | betas",
        "gyroperiod": "period turn_time | periods",
        "ion sound speed": "speed sound_speed | speeds",
    }.get(WANTED, "length scale | lengths")
    c.names({"scale": FOUND.partition(" | ")[0], "out": f"out {FOUND.partition(' | ')[2]}"})
    if WANTED == "plasma beta":
        c.names({"kernel": "plasma_beta plasma_parameters"})
    EPS, MU, GAMMA, CELL = (
        c.constant(0.5, 2.0), c.constant(0.5, 2.0), c.constant(1.2, 1.7), c.constant(0.2, 0.9),
    )  # fmt: skip
    M, Q = ("{masses}", "{charges}") if MIXED else ("{mass}", "{q}")
    FORMULA = {
        "Debye length": "√({EPS}·{heat} / {density}) / {Q}",
        "gyroradius": "{M}·V / ({Q}·|{B}|), with the thermal speed V = √({heat} / {M})",
        "skin depth": "√({M} / ({MU}·{density})) / {Q}",
        "plasma frequency": "{Q}·√({density} / ({EPS}·{M}))",
        "Alfvén speed": "|{B}| / √({MU}·{density}·{M})",
        "plasma beta": "the pressure {density}·{HEATS} divided by the pressure of the field, ½·|{B}|² / {MU}",
        "gyroperiod": "2·π·{M} / ({Q}·|{B}|)",
        "ion sound speed": "√({GAMMA}·{electron_heat} / {M})",
    }[WANTED]
    HEATS = "{heat}" if IONS == "ions" else "({heat} + {electron_heat})"
    NAMED = " of {IONS}"
    GRIDDED = "Divide it by the size {CELL} of a grid cell. " if UNITS else ""

    @c.kernel(n)
    def kernel(
        density: wp.array[float] = input(n, low=0.5, high=3.0),
        heat: wp.array[float] = input(n, low=0.3, high=2.0),
        electron_heat: wp.array[float] = input(n, low=0.3, high=2.0),
        B: wp.array[wp.vec3] = input(n, low=-1.5, high=1.5),
        masses: wp.array[float] = input(n, low=0.5, high=2.0),
        charges: wp.array[float] = input(n, low=0.5, high=2.0),
        mass: float = input(low=0.5, high=2.0),
        q: float = input(low=0.5, high=2.0),
        out: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        if MIXED and WANTED != "Debye length":
            ion_mass = masses[tid]
        if MIXED and WANTED not in ("Alfvén speed", "ion sound speed"):
            ion_charge = charges[tid]
        if WANTED == "Debye length":
            scale = wp.sqrt(EPS * heat[tid] / density[tid]) / (ion_charge if MIXED else q)
        elif WANTED == "gyroradius":
            thermal = wp.sqrt(heat[tid] / (ion_mass if MIXED else mass))
            scale = (
                (ion_mass if MIXED else mass) * thermal / ((ion_charge if MIXED else q) * wp.length(B[tid]))
            )
        elif WANTED == "skin depth":
            scale = wp.sqrt((ion_mass if MIXED else mass) / (MU * density[tid])) / (
                ion_charge if MIXED else q
            )
        elif WANTED == "plasma frequency":
            scale = (ion_charge if MIXED else q) * wp.sqrt(
                density[tid] / (EPS * (ion_mass if MIXED else mass))
            )
        elif WANTED == "Alfvén speed":
            scale = wp.length(B[tid]) / wp.sqrt(MU * density[tid] * (ion_mass if MIXED else mass))
        elif WANTED == "plasma beta":
            # the pressure of the gas over that of the field
            if IONS == "ions":
                scale = density[tid] * heat[tid] / (0.5 * wp.length_sq(B[tid]) / MU)
            else:
                scale = density[tid] * (heat[tid] + electron_heat[tid]) / (0.5 * wp.length_sq(B[tid]) / MU)
        elif WANTED == "gyroperiod":
            scale = (
                2.0
                * wp.PI
                * (ion_mass if MIXED else mass)
                / ((ion_charge if MIXED else q) * wp.length(B[tid]))
            )
        else:
            # the pressure is that of the electrons, the inertia that of the ions
            scale = wp.sqrt(GAMMA * electron_heat[tid] / (ion_mass if MIXED else mass))
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
        "along": "along projection m_dot_d",
        "here": "here probe_moment own",
        "kernel": "dipole_formula single_dipole",
    },
)
def field_of_dipoles(c):
    """The {WANTED} at each of {points} {NEAR} a dipole {PLACE}{CORE}{UNIFORM}.

    Find the {WANTED} at each of the {points}, in {out}. The dipole is {PLACED}. With D the vector from the
    dipole to the point, m its moment and r = {DISTANCE}, {FORMULA}{ADDED}.{RESULT}
    """
    n = c.size()
    WANTED = c.meaning("field", "potential", "torque on a small dipole", "energy of a small dipole")
    PLACE = c.meaning("at the origin", "of its own", "at a common centre")
    CORE = c.meaning("", " with a soft core")
    UNIFORM = c.meaning("", ", plus a uniform field") if WANTED != "potential" else ""
    NEAR = "near"
    if "small dipole" in WANTED:
        NEAR, UNIFORM = "in the field of", " and in a uniform field" if UNIFORM else ""
    c.names(
        {
            "field": {"kernel": "dipole_fields field_of_dipoles"},
            "potential": {"kernel": "dipole_potentials dipole_formula", "out": "out phi potential"},
            "torque on a small dipole": {"kernel": "dipole_torques turn_dipoles", "out": "out torques"},
            "energy of a small dipole": {"kernel": "dipole_energies pair_energies", "out": "out energies"},
        }[WANTED]
    )
    STRENGTH, SOFT = c.constant(0.5, 2.0), c.constant(0.2, 0.8)
    Wanted = float if WANTED == "potential" or WANTED == "energy of a small dipole" else c.vec(3)
    PLACED = {
        "at the origin": "at the origin and has the moment {moment}",
        "of its own": "one of its own, at its entry of {sources} with its moment in {moments}",
        "at a common centre": "at {centre} and has the moment {moment}",
    }[PLACE]
    DISTANCE = "√(|D|² + {SOFT}²), a soft core" if CORE else "|D|, but at least 0.5, the radius of the dipole"
    FORMULA = "the field is {STRENGTH} / r³ times (3·(m·D)·D / r² - m)"
    if WANTED == "potential":
        FORMULA = "it is {STRENGTH}·(m·D) / r³"
    ADDED = ", plus the uniform field {background}" if UNIFORM else ""
    RESULT = {
        "torque on a small dipole": (
            " A small dipole there with its moment in {needles} feels the torque moment × field."
        ),
        "energy of a small dipole": (
            " A small dipole there with its moment in {needles} has the energy -moment·field."
        ),
    }.get(WANTED, "")

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = input(n, low=-1.2, high=1.2),
        sources: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        moments: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        centre: wp.vec3 = input(low=-1.0, high=1.0),
        moment: wp.vec3 = input(low=-1.0, high=1.0),
        needles: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        background: wp.vec3 = input(low=-1.0, high=1.0),
        out: wp.array[Wanted] = output(n),
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
            # finite even at the dipole
            r = wp.sqrt(wp.length_sq(d) + SOFT * SOFT)
        else:
            # no nearer than the surface of the dipole
            r = wp.max(wp.length(d), 0.5)
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
            elif WANTED == "torque on a small dipole":
                out[tid] = wp.cross(needles[tid], field)
            else:
                out[tid] = -wp.dot(needles[tid], field)
