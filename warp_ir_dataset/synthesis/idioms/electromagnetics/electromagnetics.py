"""Electric and magnetic fields on grids, and the charges that make and feel them."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "q": "q charge charges",
    "v": "v velocity velocities",
    "E": "E electric E_field",
    "B": "B magnetic B_field",
    "dt": "dt time_step delta_t",
    "out": "out result",
    "force": "force F push",
    "curl": "curl circulation curl_h",
    "here": "here own_x pos",
    "total": "total field_sum summed",
    "i j k": "i j k | x y z",
    "nx ny nz": "nx ny nz | width depth height",
}


@idiom(
    level=3,
    names=NAMES
    | {
        "rows cols": "rows cols | ny nx",
        "i j": "i j | row col | y x",
        "hx hy": "hx hy | Hx Hy | mag_x mag_y",
        "ex ey": "ex ey | Ex Ey",
        "hz": "hz Hz mag_z",
        "ez": "ez Ez elec_z",
        "step": "step factor coefficient",
        "curl": "curl circulation curl_e",
        "permeability": "permeability mu mu_r",
        "kernel": "update_h yee_h faraday",
    },
)
def magnetic_field_update(c):
    """Updates the magnetic field of {MODE} waves in place{MEDIUM}, with {HOLDS}.

    Update the magnetic field of {MODE} waves on a Yee grid by Faraday's law, in place. The rows, with the
    index i, go along y and the columns, with the index j, along x. {FORMULA}

    {BEYOND} {DRIVEN}{RELUCTANT}{LOSSY}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    MODE, EDGE = c.meaning("TM", "TE"), c.meaning("periodic", "conducting")
    MEDIUM, LOSS = c.meaning("", " in magnetic media"), c.meaning("", "losses")
    DRIVE = c.meaning("", "an incident wave") if EDGE == "conducting" else ""
    FOUND = [said for said in (LOSS, DRIVE) if said]
    HOLDS = ", ".join([f"{EDGE} edges", *FOUND[:-1]]) + (f" and {FOUND[-1]}" if FOUND else "")
    STEP, LOSS_RATE = c.constant(0.2, 0.7), c.constant(0.1, 0.5)

    def at(u: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "periodic":
            return u[i % u.shape[0], j % u.shape[1]]
        else:
            if i >= u.shape[0] or j >= u.shape[1]:
                return 0.0
            return u[i, j]

    FORMULA = (
        "`{hx}[i, j]` decreases by {STEP} times the change of {ez} from (i, j) to (i + 1, j), and"
        " `{hy}[i, j]` grows by"
        " {STEP} times that from (i, j) to (i, j + 1)."
    )
    if MODE == "TE":
        FORMULA = (
            "`{hz}[i, j]` decreases by {STEP} times the curl there, the change of {ey} from (i, j) to"
            " (i, j + 1) less that of"
            " {ex} from (i, j) to (i + 1, j)."
        )
    BEYOND = "The fields wrap around at the edges."
    if EDGE == "conducting":
        BEYOND = "The edges conduct: beyond the last row and column electric fields are 0."
    CHANGE = "the curl" if MODE == "TE" else "the change along x"
    DRIVEN = ""
    if DRIVE:
        DRIVEN = (
            " An incident wave enters after column 0: in that column subtract `{incoming}[i]` from {CHANGE}."
        )
    RELUCTANT = " The medium is magnetic: divide {BOTH} by {permeability} there." if MEDIUM else ""
    BOTH = "the curl" if MODE == "TE" else "both changes"
    LOSSY = " With losses, the old magnetic field is first multiplied by 1 - {LOSS_RATE}." if LOSS else ""

    @c.kernel(rows, cols)
    def kernel(
        ez: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        ex: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        ey: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        permeability: wp.array2d[float] = input(rows, cols, low=1.0, high=4.0),
        incoming: wp.array[float] = input(rows, low=-1.0, high=1.0),
        hx: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0),
        hy: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0),
        hz: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0),
    ):
        i, j = wp.tid()
        if MODE == "TM":
            dedy = at(ez, i + 1, j) - ez[i, j]
            dedx = at(ez, i, j + 1) - ez[i, j]
            if DRIVE:
                if j == 0:
                    # the next column holds the incident wave too, this one only what is scattered
                    dedx -= incoming[i]
            if MEDIUM:
                dedy /= permeability[i, j]
                dedx /= permeability[i, j]
            if LOSS:
                hx[i, j] = (1.0 - LOSS_RATE) * hx[i, j] - STEP * dedy
                hy[i, j] = (1.0 - LOSS_RATE) * hy[i, j] + STEP * dedx
            else:
                hx[i, j] -= STEP * dedy
                hy[i, j] += STEP * dedx
        else:
            curl = at(ey, i, j + 1) - ey[i, j] - at(ex, i + 1, j) + ex[i, j]
            if DRIVE:
                if j == 0:
                    # the next column holds the incident wave too, this one only what is scattered
                    curl -= incoming[i]
            if MEDIUM:
                curl /= permeability[i, j]
            if LOSS:
                hz[i, j] = (1.0 - LOSS_RATE) * hz[i, j] - STEP * curl
            else:
                hz[i, j] -= STEP * curl


@idiom(
    level=4,
    differentiable=False,
    names=NAMES
    | {
        "E": "E electric fields",
        "H": "H magnetic mag",
        "here": "here own h_here",
        "current": "current J source_current",
        "curl_x curl_y curl_z": "curl_x curl_y curl_z | cx cy cz",
        "west south below": "west south below | left front under",
        "field": "field stepped e_new",
        "energy": "energy stored density",
        "eps": "eps permittivity eps_r",
        "sigma": "sigma conductivity conductivities",
        "loss": "loss half_loss damping",
        "kernel": "update_e yee_e ampere",
    },
)
def electric_field_update(c):
    """Updates the electric field of a Yee grid in place in {MEDIUM}{CURRENT}, with {EDGE} sides{ENERGY}.

    Update the electric field {E} on a Yee grid by Ampère's law, in place. C is the curl of {H} by backward
    differences: the derivative along an axis is the value in the cell less that in the cell before it, so
    that C.x is the derivative of `{H}.z` along the second axis less that of `{H}.y` along the third, and so
    on.{SOURCES} {SIDES}

    {FORMULA}{WALLS}{STORED}
    """
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    MEDIUM = c.meaning("a vacuum", "dielectrics", "conducting media")
    EDGE, CURRENT = c.meaning("periodic", "metal"), c.meaning("", " with currents")
    ENERGY = c.meaning("", ", and stores its energy density")
    STEP = c.constant(0.1, 0.5)

    def at(H: wp.array3d[wp.vec3], i: int, j: int, k: int) -> wp.vec3:
        """The magnetic field, on the other side of the grid where need be."""
        nx = H.shape[0]
        ny = H.shape[1]
        nz = H.shape[2]
        return H[(i + nx) % nx, (j + ny) % ny, (k + nz) % nz]

    SOURCES = " Subtract {current} from C." if CURRENT else ""
    SIDES = (
        "The grid is periodic."
        if EDGE == "periodic"
        else "Differences that reach beyond the grid enter only components that the walls then make zero."
    )
    FORMULA = {
        "a vacuum": "The new field is {E} + {STEP}·C.",
        "dielectrics": "The new field is {E} + ({STEP} / {eps})·C.",
        "conducting media": (
            "With L = ½·{sigma} / {eps}·{STEP}, half of the loss, the new field is ((1 - L)·{E} + {STEP}"
            " / {eps}·C) / (1 + L)."
        ),
    }[MEDIUM]
    WALLS = ""
    if EDGE == "metal":
        WALLS = (
            " Metal walls bound the grid at index 0 of each axis: in these cells the two components"
            " that are along the wall,"
            " not along the axis, become 0."
        )
    STORED = ""
    if ENERGY:
        STORED = " Store in {energy} the energy density of the final field, half of its square{HELD}."
    HELD = "" if MEDIUM == "a vacuum" else " times {eps}"

    @c.kernel(nx, ny, nz)
    def kernel(
        H: wp.array3d[wp.vec3] = input(nx, ny, nz, low=-1.0, high=1.0),
        current: wp.array3d[wp.vec3] = input(nx, ny, nz, low=-1.0, high=1.0),
        eps: wp.array3d[float] = input(nx, ny, nz, low=1.0, high=4.0),
        sigma: wp.array3d[float] = input(nx, ny, nz, low=0.1, high=1.0),
        E: wp.array3d[wp.vec3] = inout(nx, ny, nz, low=-1.0, high=1.0),
        energy: wp.array3d[float] = output(nx, ny, nz),
    ):
        i, j, k = wp.tid()
        if EDGE == "metal":
            # beyond a wall any value will do: it only enters fields that are zero at the wall
            west = H[wp.max(i - 1, 0), j, k]
            south = H[i, wp.max(j - 1, 0), k]
            below = H[i, j, wp.max(k - 1, 0)]
        else:
            west = at(H, i - 1, j, k)
            south = at(H, i, j - 1, k)
            below = at(H, i, j, k - 1)
        here = H[i, j, k]
        curl_x = here[2] - south[2] - here[1] + below[1]
        curl_y = here[0] - below[0] - here[2] + west[2]
        curl_z = here[1] - west[1] - here[0] + south[0]
        curl = wp.vec3(curl_x, curl_y, curl_z)
        if CURRENT:
            curl -= current[i, j, k]
        if MEDIUM == "conducting media":
            # half of the loss before the step, half of it after
            loss = 0.5 * sigma[i, j, k] / eps[i, j, k] * STEP
            field = ((1.0 - loss) * E[i, j, k] + STEP / eps[i, j, k] * curl) / (1.0 + loss)
        elif MEDIUM == "dielectrics":
            field = E[i, j, k] + STEP / eps[i, j, k] * curl
        else:
            field = E[i, j, k] + STEP * curl
        if EDGE == "metal":
            # no field along a metal wall
            if i == 0:
                field = wp.vec3(field[0], 0.0, 0.0)
            if j == 0:
                field = wp.vec3(0.0, field[1], 0.0)
            if k == 0:
                field = wp.vec3(0.0, 0.0, field[2])
        E[i, j, k] = field
        if ENERGY:
            if MEDIUM == "a vacuum":
                energy[i, j, k] = 0.5 * wp.length_sq(field)
            else:
                energy[i, j, k] = 0.5 * eps[i, j, k] * wp.length_sq(field)


@idiom(
    level=3,
    names=NAMES
    | {
        "energy": "energy density u_em",
        "flux": "flux poynting S",
        "total": "total energy_sum budget",
        "electric magnetic": "electric magnetic | e h | e_here h_here",
        "power": "power power_flow e_cross_h",
        "eps": "eps permittivity eps_r",
    },
)
def field_energy_flux(c):
    """The {WANTED} of electromagnetic fields in each cell of a {GRID} grid{MEDIUM}{SUM}.

    Find the {WANTED} of the electromagnetic field in each cell (i, j, k), {OUTPUT}. {LAYOUT}

    {DENSITY}{FLOW}{ADDED}
    """
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    WANTED = c.meaning("energy density", "energy flux", "energy density and flux", "momentum density")
    GRID = c.meaning("collocated", "staggered")
    # the flux of energy is the same in every medium
    MEDIUM = c.meaning("", " of dielectrics") if WANTED != "energy flux" else ""
    SUM = c.meaning("", ", and the sum of fluxes" if WANTED == "energy density and flux" else ", and the sum")
    # edges and faces also lie on the far sides of the last cells
    MORE = 1 if GRID == "staggered" else 0
    Whole = float if WANTED == "energy density" else c.vec(3)
    c.names(
        {
            "kernel": {
                "energy density": "field_energy em_energy_density",
                "energy flux": "field_energy_flux poynting_vectors",
                "energy density and flux": "field_energetics em_quantities field_energy_flux",
                "momentum density": "field_momentum em_momentum_density",
            }[WANTED]
        }
    )
    if WANTED == "momentum density":
        c.names(
            {
                "flux": "momentum momentum_density g_em",
                "power": "density_here g_here",
                "total": "total momentum_sum",
            }
        )
    elif WANTED != "energy density":
        c.names({"total": "total flux_sum"})
    OUTPUT = {
        "energy density": "in {energy}",
        "energy flux": "in {flux}",
        "energy density and flux": "in {energy} and {flux}",
        "momentum density": "in {flux}",
    }[WANTED]
    LAYOUT = (
        "Component 0, 1 or 2 of the electric field D in a cell is `{E}[component, i, j, k]`; the magnetic"
        " field F is in {H} likewise."
    )
    if GRID == "staggered":
        LAYOUT = (
            "The grid is staggered. Component 0, 1 or 2 of the electric field lies on edges, in"
            " `{E}[component, ...]`: its"
            " value D in the cell is ¼ of the sum over the four edges, with the indices along the"
            " other two axes those of the cell"
            " or one more. Components of the magnetic field lie on faces, in `{H}[component, ...]`:"
            " the value F in the cell is"
            " the mean of two faces, with the index along the component's own axis that of the cell"
            " or one more."
        )
    DENSITY, FLOW = "", ""
    if "energy density" in WANTED:
        DENSITY = "The energy density is ½·(" + ("{eps}·" if MEDIUM else "") + "|D|² + |F|²). "
    if "flux" in WANTED:
        FLOW = "The flux of energy is the Poynting vector D × F."
    if WANTED == "momentum density":
        FLOW = "The momentum density is D × F" + (" times {eps}, by Minkowski." if MEDIUM else ".")
    ADDED = ""
    if SUM:
        ADDED = (
            " Add up "
            + ("the fluxes" if "flux" in WANTED else "the densities")
            + " of all cells in {total}, which starts at zero."
        )

    @c.kernel(nx, ny, nz)
    def kernel(
        E: wp.array4d[float] = input(3, nx + MORE, ny + MORE, nz + MORE, low=-1.0, high=1.0),
        H: wp.array4d[float] = input(3, nx + MORE, ny + MORE, nz + MORE, low=-1.0, high=1.0),
        eps: wp.array3d[float] = input(nx, ny, nz, low=1.0, high=4.0),
        energy: wp.array3d[float] = output(nx, ny, nz, of="energy"),
        flux: wp.array3d[wp.vec3] = output(nx, ny, nz),
        total: wp.array[Whole] = output(1),
    ):
        i, j, k = wp.tid()
        if GRID == "staggered":
            right = i + 1
            up = j + 1
            front = k + 1
            # electric components lie on edges, four of which are around the middle of a cell
            ex = E[0, i, j, k] + E[0, i, up, k] + E[0, i, j, front] + E[0, i, up, front]
            ey = E[1, i, j, k] + E[1, right, j, k] + E[1, i, j, front] + E[1, right, j, front]
            ez = E[2, i, j, k] + E[2, right, j, k] + E[2, i, up, k] + E[2, right, up, k]
            electric = 0.25 * wp.vec3(ex, ey, ez)
            # magnetic components lie on faces
            hx = H[0, i, j, k] + H[0, right, j, k]
            hy = H[1, i, j, k] + H[1, i, up, k]
            hz = H[2, i, j, k] + H[2, i, j, front]
            magnetic = 0.5 * wp.vec3(hx, hy, hz)
        else:
            electric = wp.vec3(E[0, i, j, k], E[1, i, j, k], E[2, i, j, k])
            magnetic = wp.vec3(H[0, i, j, k], H[1, i, j, k], H[2, i, j, k])
        if WANTED == "energy density" or WANTED == "energy density and flux":
            if MEDIUM:
                stored = 0.5 * (eps[i, j, k] * wp.length_sq(electric) + wp.length_sq(magnetic))
            else:
                stored = 0.5 * (wp.length_sq(electric) + wp.length_sq(magnetic))
            energy[i, j, k] = stored
            if SUM:
                if WANTED == "energy density":
                    wp.atomic_add(total, 0, stored)
        if WANTED != "energy density":
            power = wp.cross(electric, magnetic)
            if WANTED == "momentum density":
                if MEDIUM:
                    # Minkowski's, that of displacement and induction
                    power *= eps[i, j, k]
            flux[i, j, k] = power
            if SUM:
                wp.atomic_add(total, 0, power)
