"""Long waves of shallow water: linear gravity waves on a rotating earth, open boundaries."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .shallow_water import NAMES


@idiom(
    level=5,
    names=NAMES
    | {
        "eta": "eta surface level",
        "east west north south": "east west north south | j_east j_west i_north i_south | jp jm ip im",
        "v_before": "v_before v_prior",
        "u_mean v_mean": "u_mean v_mean | u_avg v_avg | u_bar v_bar",
        "du dv deta": "du dv deta | rate_u rate_v rate_eta | tend_u tend_v tend_eta",
        "u_old v_old eta_old": "u_old v_old eta_old | u_prev v_prev eta_prev | u_last v_last eta_last",
        "depth_east depth_west depth_north depth_south": (
            "depth_east depth_west depth_north depth_south | h_east h_west h_north h_south | h_e h_w h_n h_s"
        ),
        "f_u f_v": "f_u f_v | cor_u cor_v | f_at_u f_at_v",
        "tau": "tau wind_stress stress",
        "dx": "dx spacing cell_size",
        "u_here v_here": "u_here v_here | uc vc | u_ij v_ij",
        "spread_x spread_y": "spread_x spread_y | outflow_x outflow_y | div_x div_y",
        "grav_x grav_y": "grav_x grav_y | pull_x pull_y | press_x press_y",
        "ny nx": "ny nx | rows cols | m n",
        "F0": "F0 CORIOLIS F_MID",
        "BETA": "BETA BETA_PLANE DFDY",
        "kernel": "rotating_waves_step linear_ocean_step step_gravity_waves",
    },
)
def rotating_gravity_waves(c):
    """{SCHEME} step of linear gravity waves on {PLANE}, on a C grid with {WALLS}, over {BOTTOM} bed{MORE}.

    Do {STEP} step of linear gravity waves on {PLANE}, on an Arakawa C grid of cells of width {dx}. x runs
    along columns j to the east, y along rows i to the north. {u} stands on the western face of a cell, {v} on
    the southern one and {eta} in its middle. {BOUNDS}

    The rates of change are du = f·(mean {v}) - {G}·({eta} less its western neighbour) / {dx}{PULLS_X}; dv =
    -f·(mean {u}) - {G}·({eta} less its southern neighbour) / {dx}{PULLS_Y}; and deta = {SPREAD}. A mean is ¼
    of the sum of the four values around the face. {ROTATES}{DEEP}{RUBBED}{WINDY}

    {ADVANCE}
    """
    rows, cols = c.size(6, 8), c.size(6, 8)
    SCHEME = c.meaning("A leapfrog", "A second-order Adams-Bashforth", "A Robert-Asselin filtered leapfrog")
    WALLS = c.meaning("walls in the north and south", "periodic edges")
    PLANE = c.meaning("an f-plane", "a beta-plane") if WALLS != "periodic edges" else "an f-plane"
    LEAPFROG = SCHEME.endswith("leapfrog")
    # all at once would be too long
    BOTTOM = "an even" if "Asselin" in SCHEME and "beta" in PLANE else c.meaning("an even", "an uneven")
    LONG = BOTTOM == "an uneven" and "beta" in PLANE
    DRAG = c.meaning("", "Rayleigh friction")
    # leapfrogs would need it at the level that they overwrite
    DRAG = DRAG if LEAPFROG or LONG else c.meaning(DRAG, "lateral viscosity")
    WIND = c.meaning("", "zonal wind")
    MORE = f", with {' and '.join(word for word in (DRAG, WIND) if word)}" if DRAG or WIND else ""
    WALLED = WALLS != "periodic edges"
    G, F0, BETA = c.constant(9.81, 9.81, step=0.01), c.constant(0.2, 0.9), c.constant(0.02, 0.2)
    FRICTION, VISCOSITY, MEAN = c.constant(0.1, 0.5), c.constant(0.05, 0.3), c.constant(0.3, 1.0)
    FILTER = c.constant(0.02, 0.2, step=0.01)
    STATES, RATES = "u_swap v_swap eta_swap | u_buf v_buf eta_buf", "last_du last_dv last_deta"
    if SCHEME == "A leapfrog":
        c.names({"u_old v_old eta_old": STATES})
    elif not LEAPFROG:
        c.names({"u_old v_old eta_old": RATES + " | old_du old_dv old_deta"})
        c.names({"v_before": "dv_before dv_prior"})
    if PLANE == "an f-plane":
        c.names({"F0": "F0 CORIOLIS"})

    def pull(ahead: float, behind: float, dx: float) -> float:
        """What gravity makes of the slope of the surface between two cells."""
        return G * (ahead - behind) / dx

    STEP = SCHEME.replace("A", "a", 1)
    BOUNDS = "The grid is periodic."
    if WALLED:
        BOUNDS = (
            "Columns are periodic, and walls are south of the first and north of the last row: {v} counts as "
            "0 in the first row and beyond the last one, whatever {v}{BEFORE} says there, and so does dv."
        )
    BEFORE = " or {v_old}" if LEAPFROG or SCHEME.startswith("A second") else ""
    SPREAD = "-{MEAN}·(eastern {u} - {u} + northern {v} - {v}) / {dx}"
    DEEP = ""
    if BOTTOM == "an uneven":
        SPREAD = (
            "-(D·{u} on the eastern face - D·{u} on the western one + D·{v} on the northern one - D·{v} on "
            "the southern "
        )
        SPREAD += "one) / {dx}"
        DEEP = " D is the mean {depth} of the two cells at a face."
    ROTATES = "f is {F0}."
    if PLANE == "a beta-plane":
        ROTATES = (
            "With n rows in {u}, f is {F0} + {BETA}·{dx}·(i + ½ - n/2) for {u} and {F0} + {BETA}·{dx}·(i - "
            "n/2) for {v}."
        )
    PULLS_X, PULLS_Y, RUBBED, WINDY = "", "", "", ""
    if DRAG == "Rayleigh friction":
        PULLS_X = PULLS_Y = ", less friction"
        RUBBED = " The friction is {FRICTION} times the velocity there"
        RUBBED += ", taken from {u_old} and {v_old}." if LEAPFROG else "."
    elif DRAG:
        PULLS_X = PULLS_Y = ", plus viscosity"
        RUBBED = (
            " The viscosity is {VISCOSITY} / {dx}² times (the four neighbours of the same kind - 4·the "
            "value)."
        )
        if WALLED:
            RUBBED += (
                " For this, {u} beyond the walls is that of the nearest row, and the second row takes its "
                "southern neighbour from {v} as it stands there."
            )
    if WIND:
        PULLS_X += ", plus wind"
        WINDY = " The wind is `{tau}[i]` / {MEAN}."
        if BOTTOM == "an uneven":
            WINDY = " The wind is `{tau}[i]` / D."
    ADVANCE = {
        "A leapfrog": "{u_old}, {v_old} and {eta_old} hold the state one step before; add 2·{dt} times the "
        "rates to them, in place.",
        "A second-order Adams-Bashforth": "{u_old}, {v_old} and {eta_old} hold the rates of the step before. "
        "The new state, {u_next}, {v_next} and {eta_next}, is the present one plus {dt}·(1.5·rate - ½·rate "
        "before). Then the rates replace those before.",
        "A Robert-Asselin filtered leapfrog": "{u_old}, {v_old} and {eta_old} hold the state one step "
        "before. The new state, {u_next}, {v_next} and {eta_next}, is that plus 2·{dt} times the rates. Then "
        "the state before, O, is replaced by the filtered present one, X + {FILTER}·(O - 2·X + the new one).",
    }[SCHEME]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        v: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        eta: wp.array2d[float] = input(rows, cols, low=-0.2, high=0.2),
        depth: wp.array2d[float] = input(rows, cols, low=0.4, high=1.0),
        tau: wp.array[float] = input(rows, low=-0.5, high=0.5),
        dx: float = input(low=1.0, high=2.0),
        dt: float = input(low=0.04, high=0.1),
        u_old: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0),
        v_old: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0),
        eta_old: wp.array2d[float] = inout(rows, cols, low=-0.2, high=0.2),
        u_next: wp.array2d[float] = output(rows, cols),
        v_next: wp.array2d[float] = output(rows, cols),
        eta_next: wp.array2d[float] = output(rows, cols, of="field"),
    ):
        i, j = wp.tid()
        ny = u.shape[0]
        nx = u.shape[1]
        west = (j - 1 + nx) % nx
        east = (j + 1) % nx
        if WALLS == "periodic edges":
            south = (i - 1 + ny) % ny
            north = (i + 1) % ny
            v_north = v[north, j]
            v_north_west = v[north, west]
        else:
            south = wp.max(i - 1, 0)
            north = wp.min(i + 1, ny - 1)
            # nothing flows through the walls
            v_here = float(0.0)
            v_west = float(0.0)
            v_before = float(0.0)
            if i > 0:
                v_here = v[i, j]
                v_west = v[i, west]
                v_before = v_old[i, j]
            v_north = float(0.0)
            v_north_west = float(0.0)
            if i + 1 < ny:
                v_north = v[north, j]
                v_north_west = v[north, west]
        # velocities stand on the western and southern faces of cells
        u_here = u[i, j]
        if WALLED:
            v_mean = 0.25 * (v_here + v_west + v_north + v_north_west)
        else:
            v_here = v[i, j]
            v_mean = 0.25 * (v_here + v[i, west] + v_north + v_north_west)
        u_mean = 0.25 * (u_here + u[i, east] + u[south, j] + u[south, east])
        grav_x = pull(eta[i, j], eta[i, west], dx)
        grav_y = pull(eta[i, j], eta[south, j], dx)
        if PLANE == "a beta-plane":
            middle = 0.5 * float(ny)
            f_u = F0 + BETA * dx * (float(i) + 0.5 - middle)
            f_v = F0 + BETA * dx * (float(i) - middle)
            du = f_u * v_mean - grav_x
            dv = -f_v * u_mean - grav_y
        else:
            du = F0 * v_mean - grav_x
            dv = -F0 * u_mean - grav_y
        if BOTTOM == "an uneven":
            depth_west = 0.5 * (depth[i, west] + depth[i, j])
            depth_east = 0.5 * (depth[i, j] + depth[i, east])
            depth_south = 0.5 * (depth[south, j] + depth[i, j])
            depth_north = 0.5 * (depth[i, j] + depth[north, j])
            spread_x = (depth_east * u[i, east] - depth_west * u_here) / dx
            spread_y = (depth_north * v_north - depth_south * v_here) / dx
            deta = -(spread_x + spread_y)
        else:
            spread_x = (u[i, east] - u_here) / dx
            spread_y = (v_north - v_here) / dx
            deta = -MEAN * (spread_x + spread_y)
        if DRAG == "Rayleigh friction":
            if LEAPFROG:
                # a leapfrog is stable only if friction lags
                du -= FRICTION * u_old[i, j]
                dv -= FRICTION * (v_before if WALLED else v_old[i, j])
            else:
                du -= FRICTION * u_here
                dv -= FRICTION * v_here
        elif DRAG:
            curve_u = u[i, east] + u[i, west] + u[north, j] + u[south, j] - 4.0 * u_here
            curve_v = v[i, east] + (v_west if WALLED else v[i, west]) + v_north + v[south, j] - 4.0 * v_here
            du += VISCOSITY * curve_u / (dx * dx)
            dv += VISCOSITY * curve_v / (dx * dx)
        if WIND:
            if BOTTOM == "an uneven":
                du += tau[i] / depth_west
            else:
                du += tau[i] / MEAN
        if WALLED:
            if i == 0:
                dv = 0.0
        if SCHEME == "A leapfrog":
            # a double step from the level before
            u_old[i, j] += 2.0 * dt * du
            if WALLED:
                v_old[i, j] = v_before + 2.0 * dt * dv
            else:
                v_old[i, j] += 2.0 * dt * dv
            eta_old[i, j] += 2.0 * dt * deta
        elif LEAPFROG:
            u_new = u_old[i, j] + 2.0 * dt * du
            if WALLED:
                v_new = v_before + 2.0 * dt * dv
            else:
                v_new = v_old[i, j] + 2.0 * dt * dv
            eta_new = eta_old[i, j] + 2.0 * dt * deta
            # the filter keeps even and odd steps together; the next step starts from here
            u_old[i, j] = u_here + FILTER * (u_old[i, j] - 2.0 * u_here + u_new)
            v_old[i, j] = v_here + FILTER * ((v_before if WALLED else v_old[i, j]) - 2.0 * v_here + v_new)
            eta_old[i, j] = eta[i, j] + FILTER * (eta_old[i, j] - 2.0 * eta[i, j] + eta_new)
            u_next[i, j] = u_new
            v_next[i, j] = v_new
            eta_next[i, j] = eta_new
        else:
            u_next[i, j] = u_here + dt * (1.5 * du - 0.5 * u_old[i, j])
            if WALLED:
                v_next[i, j] = v_here + dt * (1.5 * dv - 0.5 * v_before)
            else:
                v_next[i, j] = v_here + dt * (1.5 * dv - 0.5 * v_old[i, j])
            eta_next[i, j] = eta[i, j] + dt * (1.5 * deta - 0.5 * eta_old[i, j])
            # the next step needs these rates
            u_old[i, j] = du
            v_old[i, j] = dv
            eta_old[i, j] = deta
