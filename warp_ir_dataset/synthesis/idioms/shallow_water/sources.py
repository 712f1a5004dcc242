"""Sources of shallow water: bed slope, friction, wind, rain and infiltration."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .shallow_water import NAMES


@idiom(
    level=5,
    names=NAMES
    | {
        "h": "h here water",
        "west east south north": "west east south north | j_west j_east i_south i_north | jm jp im ip",
        "slope_x slope_y": "slope_x slope_y | dzdx dzdy | sx sy",
        "q_x q_y": "q_x q_y | px py | mx my",
        "speed": "speed velocity flow_speed",
        "drag": "drag friction_rate damping",
        "wind_x wind_y": "wind_x wind_y | wx wy | u_wind v_wind",
        "gust": "gust wind_speed wind_norm",
        "turn": "turn rotation half_f_dt",
        "dx": "dx cell_size spacing",
        "gravity": "gravity g grav",
        "stress": "stress shear_stress bed_stress",
        "MANNING": "MANNING N_MANNING ROUGHNESS",
        "CHEZY": "CHEZY CHEZY_C C_CHEZY",
        "DARCY": "DARCY DARCY_F FRICTION_FACTOR",
        "F0": "F0 CORIOLIS F_CORIOLIS",
        "hu_next hv_next": "hu_next hv_next | hu_out hv_out | new_hu new_hv",
        "kernel": "water_sources momentum_sources add_sources",
    },
)
def bed_slope_and_friction(c):
    """Adds {SOURCES} to the momenta of shallow water{PLACE}, on a grid with {EDGES} edges{REPORT}.

    Add source terms to the momenta ({hu}, {hv}) of shallow water of depth h in {depth}, one after the other:
    {LIST}. x runs along columns j, y along rows i; cells are {dx} wide. {TARGET} If h < {DRY}, momenta
    {NOTHING} zero.

    The slope takes from the momentum, along x and along y, {dt}·{GRAVITY}·h times the slope of the {SURFACE};
    slopes are central differences over two cells, {EDGED}.{BLOWN}{TURNED}

    Friction has the rate D = {DRAG}. The momentum is {SLOWED}.{SHEAR}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    FRICTION = c.meaning("Manning", "Chézy", "Darcy-Weisbach", "linear")
    SLOPE = c.meaning("bed slope", "surface slope")
    EDGES = c.meaning("periodic", "closed")
    TIME = c.meaning("semi-implicit", "explicit")
    ROTATION = c.meaning("", "Coriolis force")
    WIND = c.meaning("", "wind stress")
    PLACE = c.meaning(" in place", "")
    REPORT = c.meaning("", ", and stores the bed shear stress")
    SOURCES = ", ".join(word for word in (SLOPE, WIND, ROTATION) if word) + f" and {TIME} {FRICTION} friction"
    INPLACE, MOMENTUM = PLACE != "", inout if PLACE else input
    G, DRY, DENSITY = c.constant(9.81, 9.81, step=0.01), c.constant(0.05, 0.25), c.style(1000.0, 1025.0)
    # of the earth, or of wherever the kernel is told
    EARTH = c.style(True, False)
    MANNING, CHEZY, DARCY = c.constant(0.06, 0.2), c.constant(3.0, 8.0), c.constant(0.4, 2.5)
    RATE, F0, WIND_DRAG = c.constant(0.2, 0.8), c.constant(0.2, 0.9), c.constant(0.01, 0.03)

    def pull(h: float, slope: float) -> float:
        """What the weight of the water does along a slope."""
        return -G * h * slope

    LIST = ", ".join(word for word in (SLOPE, WIND, ROTATION, FRICTION + " friction") if word)
    TARGET = "Change them in place." if INPLACE else "Store the new ones in {hu_next} and {hv_next}."
    NOTHING = "and {stress} are" if REPORT else "become"
    GRAVITY = "{G}" if EARTH else "{gravity}"
    SURFACE = "{bed}" if SLOPE == "bed slope" else "surface, {bed} + {depth}"
    EDGED = "and the grid is periodic"
    if EDGES == "closed":
        EDGED = "and one-sided over one cell at the edges"
    BLOWN, TURNED = "", ""
    if WIND:
        BLOWN = " The wind w = ({wind_x}, {wind_y}) adds {dt}·{WIND_DRAG}·|w|·w."
    if ROTATION:
        TURNED = (
            " The Coriolis force turns the momentum (p, q) so far by the Crank-Nicolson scheme. With m = "
            "½·{dt}·{F0}, (a, b) = (p + m·q, q - m·p) and the new one is (a + m·b, b - m·a) / (1 + m²)."
        )
    DRAG = {
        "linear": "{RATE} / h",
        "Manning": "{GRAVITY}·{MANNING}²·S / h^(4/3)",
        "Chézy": "{GRAVITY}·S / ({CHEZY}²·h)",
        "Darcy-Weisbach": "{DARCY}·S / (8·h)",
    }[FRICTION]
    if FRICTION != "linear":
        DRAG += ", where S is the length of the momentum so far, divided by h"
    SLOWED = "divided by 1 + {dt}·D"
    if TIME == "explicit":
        SLOWED = "multiplied by 1 - E with E = min({dt}·D, 1)"
    SHEAR = ""
    if REPORT:
        SHEAR = " {stress} is {DENSITY}·D times the length of the new momentum."
        if TIME == "explicit":
            SHEAR = " {stress} is {DENSITY}·E / {dt} times the length of the momentum before friction."

    @c.kernel(rows, cols)
    def kernel(
        depth: wp.array2d[float] = input(rows, cols, low=0.0, high=0.8),
        bed: wp.array2d[float] = input(rows, cols, low=0.0, high=0.3),
        hu: wp.array2d[float] = MOMENTUM(rows, cols, low=-0.5, high=0.5),
        hv: wp.array2d[float] = MOMENTUM(rows, cols, low=-0.5, high=0.5),
        wind_x: wp.array2d[float] = input(rows, cols, low=-5.0, high=5.0),
        wind_y: wp.array2d[float] = input(rows, cols, low=-5.0, high=5.0),
        gravity: float = input(low=8.0, high=11.0),
        dx: float = input(low=0.5, high=2.0),
        dt: float = input(low=0.08, high=0.4),
        hu_next: wp.array2d[float] = output(rows, cols),
        hv_next: wp.array2d[float] = output(rows, cols),
        stress: wp.array2d[float] = output(rows, cols),
    ):
        i, j = wp.tid()
        h = depth[i, j]
        # a film of water too thin to flow
        if h < DRY:
            if INPLACE:
                hu[i, j] = 0.0
                hv[i, j] = 0.0
            else:
                hu_next[i, j] = 0.0
                hv_next[i, j] = 0.0
            if REPORT:
                stress[i, j] = 0.0
            return
        if EDGES == "periodic":
            west = (j - 1 + depth.shape[1]) % depth.shape[1]
            east = (j + 1) % depth.shape[1]
            south = (i - 1 + depth.shape[0]) % depth.shape[0]
            north = (i + 1) % depth.shape[0]
            width = 2.0 * dx
            height = 2.0 * dx
        else:
            west = wp.max(j - 1, 0)
            east = wp.min(j + 1, depth.shape[1] - 1)
            south = wp.max(i - 1, 0)
            north = wp.min(i + 1, depth.shape[0] - 1)
            width = dx * float(east - west)
            height = dx * float(north - south)
        slope_x = (bed[i, east] - bed[i, west]) / width
        slope_y = (bed[north, j] - bed[south, j]) / height
        if SLOPE == "surface slope":
            slope_x += (depth[i, east] - depth[i, west]) / width
            slope_y += (depth[north, j] - depth[south, j]) / height
        if EARTH:
            q_x = hu[i, j] + dt * pull(h, slope_x)
            q_y = hv[i, j] + dt * pull(h, slope_y)
        else:
            q_x = hu[i, j] - dt * gravity * h * slope_x
            q_y = hv[i, j] - dt * gravity * h * slope_y
        if WIND:
            gust = wp.sqrt(wind_x[i, j] * wind_x[i, j] + wind_y[i, j] * wind_y[i, j])
            q_x += dt * WIND_DRAG * gust * wind_x[i, j]
            q_y += dt * WIND_DRAG * gust * wind_y[i, j]
        if ROTATION:
            # Crank-Nicolson, which turns the momentum and keeps its length
            turn = 0.5 * dt * F0
            ahead_x = q_x + turn * q_y
            ahead_y = q_y - turn * q_x
            q_x = (ahead_x + turn * ahead_y) / (1.0 + turn * turn)
            q_y = (ahead_y - turn * ahead_x) / (1.0 + turn * turn)
        if FRICTION == "linear":
            drag = RATE / h
        else:
            speed = wp.sqrt(q_x * q_x + q_y * q_y) / h
            if FRICTION == "Manning":
                drag = (G if EARTH else gravity) * speed * wp.pow(MANNING, 2.0) / wp.pow(h, 4.0 / 3.0)
            elif FRICTION == "Chézy":
                drag = (G if EARTH else gravity) * speed / (wp.pow(CHEZY, 2.0) * h)
            else:
                drag = DARCY * speed / (8.0 * h)
        if TIME == "explicit":
            # friction stops the flow and never turns it round
            lost = wp.min(dt * drag, 1.0)
            if REPORT:
                stress[i, j] = DENSITY * lost / dt * wp.sqrt(q_x * q_x + q_y * q_y)
            q_x *= 1.0 - lost
            q_y *= 1.0 - lost
        else:
            q_x /= 1.0 + dt * drag
            q_y /= 1.0 + dt * drag
        if INPLACE:
            hu[i, j] = q_x
            hv[i, j] = q_y
        else:
            hu_next[i, j] = q_x
            hv_next[i, j] = q_y
        if REPORT and TIME != "explicit":
            stress[i, j] = DENSITY * drag * wp.sqrt(q_x * q_x + q_y * q_y)


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "h": "h water ponded",
        "rain": "rain rainfall precipitation",
        "falling": "falling supply water_in",
        "snow": "snow snowpack swe",
        "pack": "pack snow_water snow_here",
        "melt": "melt melted meltwater",
        "temperature": "temperature air_temperature t_air",
        "soil": "soil soil_water moisture",
        "stored": "stored in_soil soil_here",
        "pore_depth": "pore_depth soil_capacity soil_store",
        "leaf": "leaf leaf_area lai",
        "canopy": "canopy leaf_water intercepted",
        "held": "held on_leaves canopy_water",
        "drip": "drip throughfall through",
        "capacity": "capacity infiltration_rate f_cap",
        "taken": "taken infiltrated infiltration",
        "demand": "demand pet potential_left",
        "lost": "lost evaporated from_leaves",
        "seep": "seep percolation deep",
        "recharge": "recharge groundwater drainage",
        "excess": "excess mobile free_water",
        "outflow": "outflow drained leaving",
        "slope": "slope gradient bed_slope",
        "runoff": "runoff discharge overland",
        "balance": "balance totals budget",
        "elapsed": "elapsed t time",
        "K_SAT": "K_SAT CONDUCTIVITY HYDRAULIC_K",
        "kernel": "runoff_cell catchment_step surface_water",
    },
)
def rain_and_infiltration(c):
    """A step of the water balance of catchment cells: rain{SNOW}{CANOPY}, {LAW} infiltration, evaporation{PERCOLATION} and {RUNOFF}{BUDGET}.

    Do one step {dt} of the water balance of catchment cells; amounts of water are depths. The rain on a cell
    is A = {rain}·{dt}.{SNOWED}{LEAVES} The ponded water is h = {PONDED}.

    Infiltration moves I = min(C·{dt}, h, {pore_depth} - {soil}) from h to {soil}, with the {LAW} capacity C =
    {CAPACITY}. Then evaporation with the demand D = {DEMAND} takes min(D, h) from h, and the rest of D, times
    {soil} / {pore_depth}, from {soil}.{SEEPED}

    Finally, Q = {LEAVING} runs off: {depth} becomes h - Q, and {runoff} is Q / {dt}.{SUMMED}
    """  # noqa: E501
    rows, cols = c.size(5, 8), c.size(5, 8)
    LAW = c.meaning("Horton", "Green-Ampt", "Philip", "Kostiakov")
    SNOW = c.meaning("", ", degree-day snow")
    CANOPY = c.meaning(", a canopy that spills over", ", Rutter's canopy", "")
    PERCOLATION = c.meaning("", ", Brooks-Corey percolation", ", percolation above field capacity")
    RUNOFF = c.meaning("Manning runoff", "linear-reservoir runoff", "Manning runoff above the depressions")
    BUDGET = c.meaning("", "; rain, infiltration and runoff are summed")
    K_SAT, SUCTION, DEFICIT = c.constant(0.05, 0.2), c.constant(0.1, 0.5), c.constant(0.2, 0.5)
    INITIAL, DECAY, SORPTIVITY = c.constant(0.5, 1.0), c.constant(0.2, 0.9), c.constant(0.2, 0.9)
    POTENTIAL, STORE, MANNING = c.constant(0.05, 0.15), c.constant(0.2, 0.4), c.constant(0.05, 0.2)
    DEPRESSION, RESERVOIR = c.constant(0.05, 0.2), c.constant(1.0, 5.0)
    A_KOSTIAKOV, B_KOSTIAKOV = c.constant(0.2, 0.9), c.constant(0.3, 0.8)
    SNOW_LIMIT, DEGREE_DAY, FIELD = c.constant(0.0, 2.0), c.constant(0.05, 0.2), c.constant(0.2, 0.4)
    PORE, DRIP_RATE, DRIP_SLOPE = c.constant(3.0, 6.0), c.constant(0.1, 0.5), c.constant(1.0, 4.0)
    SNOWED = ""
    if SNOW:
        SNOWED = (
            " If {temperature} < {SNOW_LIMIT}, A is added to the {snow} and becomes 0, and the melt M is 0; "
            "otherwise the {snow} loses M = min({DEGREE_DAY}·({temperature} - {SNOW_LIMIT})·{dt}, {snow})."
        )
    DRIPS = "B = max(W - K, 0)"
    LOSES = "L = {POTENTIAL}·{dt}·(W - B) / K"
    if CANOPY == ", Rutter's canopy":
        DRIPS = "B = min({DRIP_RATE}·exp({DRIP_SLOPE}·(W - K))·{dt}, W)"
        LOSES = "L = {POTENTIAL}·{dt}·min((W - B) / K, 1)"
    LEAVES, PONDED, DEMAND = "", "{depth} + A", "{POTENTIAL}·{dt}"
    if CANOPY:
        LEAVES = (
            " A falls on the leaves, so that there is W = {canopy} + A; with their capacity K = "
            "{STORE}·{leaf}, the drip is {DRIPS}, {LOSES} evaporates, and {canopy} becomes W - B - L."
        )
        PONDED, DEMAND = "{depth} + B", "{POTENTIAL}·{dt} - L"
    if SNOW:
        PONDED += " + M"
    CAPACITY = {
        "Horton": "{K_SAT} + ({INITIAL} - {K_SAT})·exp(-{DECAY}·{elapsed})",
        "Green-Ampt": "{K_SAT}·(F + {SUCTION} + h) / F, where F = {soil} / {DEFICIT}",
        "Philip": "½·{SORPTIVITY} / √{elapsed} + {K_SAT}",
        "Kostiakov": "{A_KOSTIAKOV}·{B_KOSTIAKOV}·{elapsed}^({B_KOSTIAKOV} - 1)",
    }[LAW]
    SEEPED = {
        "": "",
        ", Brooks-Corey percolation": " The rate {K_SAT}·({soil} / {pore_depth})^{PORE} of Brooks and Corey, "
        "stored in {recharge}, times {dt} then percolates from {soil}.",
        ", percolation above field capacity": " Then min({K_SAT}·{dt}, max({soil} - {FIELD}, 0)) percolates "
        "from {soil}; divided by {dt} it is stored in {recharge}.",
    }[PERCOLATION]
    LEAVING = {
        "Manning runoff": "h·min(V·{dt} / {dx}, 1), with Manning's velocity V = √{slope}·h^(2/3) / "
        "{MANNING},",
        "linear-reservoir runoff": "h·(1 - exp(-{dt} / {RESERVOIR}))",
        "Manning runoff above the depressions": "E·min(V·{dt} / {dx}, 1), with E = max(h - {DEPRESSION}, 0) "
        "and Manning's velocity V = √{slope}·E^(2/3) / {MANNING},",
    }[RUNOFF]
    SUMMED = ""
    if BUDGET:
        SUMMED = (
            " {balance} starts at zero and gets the sums of {rain}·{dt} (snow included), I and Q over all "
            "cells."
        )

    @c.kernel(rows, cols)
    def kernel(
        rain: wp.array2d[float] = input(rows, cols, low=0.0, high=1.0),
        temperature: wp.array2d[float] = input(rows, cols, low=-5.0, high=10.0),
        leaf: wp.array2d[float] = input(rows, cols, low=0.5, high=1.5),
        slope: wp.array2d[float] = input(rows, cols, low=0.01, high=0.4),
        pore_depth: wp.array2d[float] = input(rows, cols, low=0.52, high=0.8),
        elapsed: float = input(low=0.5, high=3.0),
        dt: float = input(low=0.2, high=0.6),
        dx: float = input(low=0.5, high=2.0),
        snow: wp.array2d[float] = inout(rows, cols, low=0.0, high=0.5),
        canopy: wp.array2d[float] = inout(rows, cols, low=0.0, high=0.2),
        soil: wp.array2d[float] = inout(rows, cols, low=0.1, high=0.5),
        depth: wp.array2d[float] = inout(rows, cols, low=0.0, high=0.5, of="field"),
        recharge: wp.array2d[float] = output(rows, cols),
        runoff: wp.array2d[float] = output(rows, cols),
        balance: wp.array[float] = output(3),
    ):
        i, j = wp.tid()
        falling = rain[i, j] * dt
        if BUDGET:
            wp.atomic_add(balance, 0, falling)
        if SNOW:
            warmth = temperature[i, j] - SNOW_LIMIT
            pack = snow[i, j]
            melt = float(0.0)
            if warmth < 0.0:
                # it snows
                pack += falling
                falling = 0.0
            else:
                melt = wp.min(DEGREE_DAY * warmth * dt, pack)
                pack -= melt
            snow[i, j] = pack
        if CANOPY:
            leaf_capacity = STORE * leaf[i, j]
            held = canopy[i, j] + falling
            if CANOPY == ", a canopy that spills over":
                # what the leaves cannot hold falls through
                drip = wp.max(held - leaf_capacity, 0.0)
                held -= drip
                lost = POTENTIAL * dt * held / leaf_capacity
            else:
                # the fuller the leaves, the faster they drip
                drip = wp.min(DRIP_RATE * wp.exp(DRIP_SLOPE * (held - leaf_capacity)) * dt, held)
                held -= drip
                lost = POTENTIAL * dt * wp.min(held / leaf_capacity, 1.0)
            canopy[i, j] = held - lost
            h = depth[i, j] + drip
            demand = POTENTIAL * dt - lost
        else:
            h = depth[i, j] + falling
            demand = POTENTIAL * dt
        if SNOW:
            h += melt
        stored = soil[i, j]
        if LAW == "Horton":
            capacity = K_SAT + (INITIAL - K_SAT) * wp.exp(-DECAY * elapsed)
        elif LAW == "Green-Ampt":
            front = stored / DEFICIT
            capacity = K_SAT * (front + SUCTION + h) / front
        elif LAW == "Philip":
            capacity = 0.5 * SORPTIVITY / wp.sqrt(elapsed) + K_SAT
        else:
            capacity = A_KOSTIAKOV * B_KOSTIAKOV * wp.pow(elapsed, B_KOSTIAKOV - 1.0)
        unfilled = pore_depth[i, j] - stored
        taken = wp.min(capacity * dt, wp.min(h, unfilled))
        h -= taken
        stored += taken
        # evaporation takes ponded water first, then soil water, the less the drier the soil
        ponded_loss = wp.min(demand, h)
        h -= ponded_loss
        wetness = stored / pore_depth[i, j]
        stored -= wetness * (demand - ponded_loss)
        if PERCOLATION == ", Brooks-Corey percolation":
            seep = K_SAT * wp.pow(stored / pore_depth[i, j], PORE) * dt
            stored -= seep
            recharge[i, j] = seep / dt
        elif PERCOLATION == ", percolation above field capacity":
            seep = wp.min(K_SAT * dt, wp.max(stored - FIELD, 0.0))
            stored -= seep
            recharge[i, j] = seep / dt
        if RUNOFF == "linear-reservoir runoff":
            outflow = h * (1.0 - wp.exp(-dt / RESERVOIR))
        else:
            if RUNOFF == "Manning runoff":
                speed = wp.sqrt(slope[i, j]) / MANNING * wp.pow(h, 2.0 / 3.0)
                # no more than there is can leave in one step
                outflow = h * wp.min(speed * dt / dx, 1.0)
            else:
                excess = wp.max(h - DEPRESSION, 0.0)
                speed = wp.sqrt(slope[i, j]) / MANNING * wp.pow(excess, 2.0 / 3.0)
                outflow = excess * wp.min(speed * dt / dx, 1.0)
        soil[i, j] = stored
        depth[i, j] = h - outflow
        runoff[i, j] = outflow / dt
        if BUDGET:
            wp.atomic_add(balance, 1, taken)
            wp.atomic_add(balance, 2, outflow)
