"""Diffusion with reactions, in composite materials, and by implicit steps."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=4,
    names={
        "a b a_out b_out": "a b a_out b_out | u v u_next v_next | u v u_new v_new",
        "state state_out": "state state_out | species next_species | chemicals next_chemicals",
        "here": "here own now",
        "rates": "rates reactions kinetics",
        "rates_out": "rates_out reaction_out turnover",
        "p": "p params model",
        "kernel": "grow_pattern reaction_step turing_step",
        "dt": "dt time_step",
    },
)
def reaction_diffusion_step(c):
    """Steps {SPECIES} by {NAMED} kinetics on the {STENCIL} stencil, with {EDGE} edges{FEED}.

    Take an explicit step of {dt} of {MODEL} on a grid. {GRID}

    Each new value is the old one plus {dt}·(its diffusion, times its Laplacian, plus its rate), where the two
    entries of `{p}.diffusion` are those of P and Q. {RATES}{WITHIN} The Laplacian is {SUM}. {EDGES}{TURNOVER}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    EDGE, STENCIL = c.meaning("periodic", "closed"), c.meaning("five-point", "nine-point")

    def gray_scott(a: float, b: float, p: Params) -> wp.vec2:
        """The rates of the substrate and of what eats it."""
        eaten = a * b * b
        return wp.vec2(p.feed * (1.0 - a) - eaten, eaten - (p.feed + p.kill) * b)

    def brusselator(a: float, b: float, p: Params) -> wp.vec2:
        """The rates of both species."""
        catalysed = a * a * b
        return wp.vec2(p.supply - (1.0 + p.conversion) * a + catalysed, p.conversion * a - catalysed)

    def fitzhugh_nagumo(a: float, b: float, p: Params) -> wp.vec2:
        """The rates of the voltage and of its slow recovery."""
        return wp.vec2(a - a * a * a - b + p.stimulus, p.recovery_rate * (a - b))

    def schnakenberg(a: float, b: float, p: Params) -> wp.vec2:
        """The rates of the activator and of what it uses up."""
        catalysed = a * a * b
        return wp.vec2(p.supply_a - a + catalysed, p.supply_b - catalysed)

    REACTION = c.meaning(gray_scott, brusselator, fitzhugh_nagumo, schnakenberg)
    KINETICS = REACTION.__name__
    NAMED = {"gray_scott": "Gray-Scott", "fitzhugh_nagumo": "FitzHugh-Nagumo"}.get(KINETICS, KINETICS.title())
    SPECIES = "a voltage and its recovery" if REACTION is fitzhugh_nagumo else "two chemicals"
    if REACTION is fitzhugh_nagumo:
        c.names(
            {
                "a b a_out b_out": "voltage recovery voltage_out recovery_out | v w v_next w_next",
                "state state_out": "state state_out | membrane next_membrane",
                "kernel": "excite_tissue membrane_step excitable_step",
            }
        )

    class Params:
        diffusion: wp.vec2
        if KINETICS == "gray_scott":
            feed: float
            kill: float
        elif KINETICS == "brusselator":
            supply: float
            conversion: float
        elif KINETICS == "fitzhugh_nagumo":
            stimulus: float
            recovery_rate: float
        else:
            supply_a: float
            supply_b: float

    FEED = c.meaning("", ", reactions within a mask only", ", and stores the rates of the reaction")

    # both in one array, or an array each
    TOGETHER = c.style(True, False, False)
    State = c.vec(2) if TOGETHER else float

    def at(field: wp.array2d[State], i: int, j: int) -> State:
        rows = field.shape[0]
        cols = field.shape[1]
        if EDGE == "periodic":
            return field[(i + rows) % rows, (j + cols) % cols]
        else:
            return field[wp.clamp(i, 0, rows - 1), wp.clamp(j, 0, cols - 1)]

    def laplacian(field: wp.array2d[State], i: int, j: int) -> State:
        sides = at(field, i - 1, j) + at(field, i + 1, j) + at(field, i, j - 1) + at(field, i, j + 1)
        if STENCIL == "nine-point":
            above = at(field, i - 1, j - 1) + at(field, i - 1, j + 1)
            below = at(field, i + 1, j - 1) + at(field, i + 1, j + 1)
            return (4.0 * sides + above + below - 20.0 * field[i, j]) / 6.0
        else:
            return sides - 4.0 * field[i, j]

    MODEL = {
        "gray_scott": "the Gray-Scott reaction with diffusion",
        "brusselator": "the Brusselator with diffusion",
        "fitzhugh_nagumo": "the FitzHugh-Nagumo model with diffusion",
        "schnakenberg": "the Schnakenberg reaction with diffusion",
    }[KINETICS]
    KIND = (
        "the voltage P and its recovery Q"
        if REACTION is fitzhugh_nagumo
        else "the amounts P and Q of two chemicals"
    )
    GRID = (
        "A cell of {state} holds {KIND}, in this order; store the new ones in {state_out}."
        if TOGETHER
        else "{a} and {b} hold {KIND}; store the new ones in {a_out} and {b_out}."
    )
    RATES = {
        "gray_scott": "P has the rate `{p}.feed`·(1 - P) - P·Q², and Q has P·Q² - (`{p}.feed` + "
        "`{p}.kill`)·Q.",
        "brusselator": "P has the rate `{p}.supply` - (1 + `{p}.conversion`)·P + P²·Q, and Q has "
        "`{p}.conversion`·P - P²·Q.",
        "fitzhugh_nagumo": "P has the rate P - P³ - Q + `{p}.stimulus`, and Q has `{p}.recovery_rate`·(P - "
        "Q).",
        "schnakenberg": "P has the rate `{p}.supply_a` - P + P²·Q, and Q has `{p}.supply_b` - P²·Q.",
    }[KINETICS]
    WITHIN = " If a cell's {mask} is 0, both rates are zero." if "mask" in FEED else ""
    SUM = "the sum of the four side neighbours less 4 times the cell"
    if STENCIL == "nine-point":
        SUM = (
            "(4 times the sum of the four side neighbours, plus the sum of the four corner neighbours, less "
            "20 times the cell) / 6"
        )
    EDGES = "Neighbours wrap around at the edges."
    if EDGE == "closed":
        EDGES = "A neighbour outside the grid counts as the nearest cell inside it."
    TURNOVER = " Store both rates in {rates_out}." if "stores" in FEED else ""

    @c.kernel(rows, cols)
    def kernel(
        state: wp.array2d[wp.vec2] = input(rows, cols, low=0.1, high=1.0),
        a: wp.array2d[float] = input(rows, cols, low=0.2, high=1.0),
        b: wp.array2d[float] = input(rows, cols, low=0.1, high=0.8),
        mask: wp.array2d[int] = input(rows, cols, low=0, high=1),
        p: Params = input(low=0.2, high=0.9),
        dt: float = input(low=0.1, high=0.2),
        state_out: wp.array2d[wp.vec2] = output(rows, cols),
        a_out: wp.array2d[float] = output(rows, cols, of="field"),
        b_out: wp.array2d[float] = output(
            rows, cols, of=None if REACTION is fitzhugh_nagumo else "concentration"
        ),
        rates_out: wp.array2d[wp.vec2] = output(rows, cols),
    ):
        i, j = wp.tid()
        if TOGETHER:
            here = state[i, j]
            rates = REACTION(here[0], here[1], p)
        else:
            rates = REACTION(a[i, j], b[i, j], p)
        if FEED == ", reactions within a mask only":
            # outside the mask there is only diffusion
            if mask[i, j] == 0:
                rates = wp.vec2(0.0, 0.0)
        if TOGETHER:
            state_out[i, j] = here + dt * (wp.cw_mul(p.diffusion, laplacian(state, i, j)) + rates)
        else:
            a_out[i, j] = a[i, j] + dt * (p.diffusion.x * laplacian(a, i, j) + rates[0])
            b_out[i, j] = b[i, j] + dt * (p.diffusion.y * laplacian(b, i, j) + rates[1])
        if FEED == ", and stores the rates of the reaction":
            rates_out[i, j] = rates


@idiom(
    level=4,
    names={
        "u": "temperature T u",
        "label": "label material_ids cell_kind",
        "materials": "materials material_table",
        "out": "out next_T T_new",
        "heat": "heat gained heat_in",
        "own": "own cell own_material",
        "other": "other neighbour beside",
        "here": "here centre own_T",
        "inflow": "face_terms neighbour_terms side_terms",
        "between": "between face_mean face_conductivity",
        "total": "total sums",
        "side": "side step offset",
        "a b": "a b | k0 k1 | near far",
        "kernel": "conduct heat_volume",
        "i j k": "i j k | ix iy iz",
    },
)
def composite_conduction(c):
    """{STEP} in a {GLOW}block of several materials, with {MEAN} means at the faces and {EDGE}.

    {PURPOSE} Cell (i, j, k) has the temperature `{u}[i, j, k]` and the material `{materials}[{label}[i, j,
    k]]`. It exchanges heat with its six neighbours; between two cells, the conductivity is the {MEAN} mean of
    their materials' `conductivity` values. {EDGES}

    {RESULT_IS}
    """
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    kinds = c.size(3, 4)
    STEP, GLOW = (
        c.meaning("A step of heat conduction", "A Jacobi sweep of steady conduction"),
        c.meaning("", "self-heating "),
    )
    # nothing is steady where no heat can leave
    TIMED = STEP == "A step of heat conduction"
    OTHERS = "insulated sides" if TIMED else "insulated sides over a cooled floor"
    MEAN, EDGE = c.meaning("harmonic", "arithmetic", "geometric"), c.meaning(OTHERS, "cooled sides")
    LOOPED = c.style(True, False, False)
    MESH_RATIO, AMBIENT = c.constant(0.02, 0.05), c.constant(0.2, 0.8)

    class Material:
        conductivity: float
        if TIMED:
            capacity: float
        if GLOW:
            heating: float

    def between(a: float, b: float) -> float:
        """The conductivity of the face between two cells."""
        if MEAN == "harmonic":
            return 2.0 * a * b / (a + b)
        elif MEAN == "arithmetic":
            return 0.5 * (a + b)
        else:
            return wp.sqrt(a * b)

    def inflow(
        u: wp.array3d[float],
        label: wp.array3d[int],
        materials: wp.array[Material],
        own: Material,
        i: int,
        j: int,
        k: int,
    ) -> wp.vec2:
        """The conductivity to one neighbour, and that times the temperature there."""
        if EDGE == "insulated sides over a cooled floor":
            # beyond the floor lies more of the same, as cold as the surroundings
            if k < 0:
                return own.conductivity * wp.vec2(1.0, AMBIENT)
            if i < 0 or j < 0 or i >= u.shape[0] or j >= u.shape[1] or k >= u.shape[2]:
                return wp.vec2(0.0, 0.0)
        else:
            if i < 0 or j < 0 or k < 0 or i >= u.shape[0] or j >= u.shape[1] or k >= u.shape[2]:
                if EDGE == "cooled sides":
                    # beyond lies more of the same, as cold as the surroundings
                    return own.conductivity * wp.vec2(1.0, AMBIENT)
                else:
                    return wp.vec2(0.0, 0.0)
        other = materials[label[i, j, k]]
        return between(own.conductivity, other.conductivity) * wp.vec2(1.0, u[i, j, k])

    GLOWS = "self-heating " if GLOW else ""
    PURPOSE = (
        "Take a step of heat conduction in a {GLOWS}block of several materials."
        if TIMED
        else "Take a Jacobi sweep towards the steady temperatures of a {GLOWS}block of several materials."
    )
    EDGES = {
        "insulated sides": "The block is insulated: nothing flows out of it.",
        "cooled sides": "Outside the block, neighbours have temperature {AMBIENT} and the cell's own "
        "conductivity.",
    }.get(
        EDGE,
        "Below the block, at k = -1, neighbours have temperature {AMBIENT} and the cell's own "
        "conductivity; all other sides are insulated, and neighbours beyond them do not count.",
    )
    PLUS = " + `heating` of its own material" if GLOW else ""
    RESULT_IS = (
        "`{out}[i, j, k]` is the temperature plus {MESH_RATIO}·Q / (`capacity` of the cell's own material), "
        "where Q is the sum of conductivity·(temperature of the neighbour less its own){PLUS_OWN}."
    )
    PLUS_OWN = ", plus the `heating` of its own material" if GLOW else ""
    if not TIMED:
        RESULT_IS = (
            "`{out}[i, j, k]` is ((sum of conductivity·(temperature of the neighbour)){PLUS}) / (sum of the "
            "conductivities)."
        )

    @c.kernel(nx, ny, nz)
    def kernel(
        u: wp.array3d[float] = input(nx, ny, nz, low=0.0, high=2.0),
        label: wp.array3d[int] = input(nx, ny, nz, low=0, high=kinds - 1),
        materials: wp.array[Material] = input(kinds, low=0.5, high=1.5),
        out: wp.array3d[float] = output(nx, ny, nz),
    ):
        i, j, k = wp.tid()
        own = materials[label[i, j, k]]
        # the sum of conductivities, then that of temperatures weighted by them
        if LOOPED:
            total = wp.vec2(0.0, 0.0)
            for side in range(-1, 2, 2):
                total += inflow(u, label, materials, own, i + side, j, k)
                total += inflow(u, label, materials, own, i, j + side, k)
                total += inflow(u, label, materials, own, i, j, k + side)
        else:
            total = inflow(u, label, materials, own, i - 1, j, k)
            total += inflow(u, label, materials, own, i + 1, j, k)
            total += inflow(u, label, materials, own, i, j - 1, k)
            total += inflow(u, label, materials, own, i, j + 1, k)
            total += inflow(u, label, materials, own, i, j, k - 1)
            total += inflow(u, label, materials, own, i, j, k + 1)
        if STEP == "A Jacobi sweep of steady conduction":
            if GLOW:
                out[i, j, k] = (total[1] + own.heating) / total[0]
            else:
                out[i, j, k] = total[1] / total[0]
        else:
            heat = total[1] - total[0] * u[i, j, k]
            if GLOW:
                heat += own.heating
            out[i, j, k] = u[i, j, k] + MESH_RATIO * heat / own.capacity


@idiom(
    level=5,
    differentiable=False,
    names={
        "u": "u temperature T",
        "faces": "faces conductances exchanges",
        "capacity": "capacity heat_capacity mass",
        "row": "row line j",
        "left right": "left right | west east | lower upper",
        "load": "load known right_side",
        "before": "before value reduced",
        "behind here": "behind here | previous current",
        "last": "last end rim",
        "slope": "slope multiplier ratio",
        "pivot": "pivot denominator beta",
        "diagonal": "diagonal middle diag",
        "k": "k x col",
        "kernel": "adi_sweep implicit_sweep solve_rows thomas_rows",
    },
)
def alternating_direction_sweep(c):
    """Takes {SCHEME} heat step in place along each {LOSS}row{MASS} by the Thomas algorithm, with {ENDS} ends,
    and overwrites {faces}.

    Take {SCHEME} step of the heat equation along the rows of {u}, in place, by the Thomas algorithm. In each
    row, let f(k) = {HALF}`{faces}[row, k]` be the conductance between cells k and k + 1. {WHICH}{CAP}

    The new values q(k) solve (C + f(k - 1) + f(k){MORE})·q(k) - f(k - 1)·q(k - 1) - f(k)·q(k + 1) =
    C·`{u}[row, k]`{LOAD}{TIMED}.{BIOTS}

    Overwrite `{faces}[row, k]` of {EACH} with the ratio that the forward elimination leaves, f(k) / (its
    diagonal coefficient less f(k - 1) times the ratio of cell k - 1){FIRST}.
    """
    rows, cols = c.size(6, 8), c.size(6, 9)
    SCHEME = c.meaning("an implicit", "a Crank-Nicolson", "an alternating-direction")
    ENDS, LOSS = c.meaning("fixed", "insulated", "cooled"), c.meaning("", "leaky ")
    MASS = c.meaning("", " of uneven capacity")
    TURNED = c.style(True, False)
    if SCHEME != "an alternating-direction":
        c.names({"kernel": "implicit_sweep solve_rows thomas_rows"})
    BIOT, AMBIENT, LEAK = c.constant(0.1, 0.9), c.constant(0.2, 0.9), c.constant(0.1, 0.5)
    HALF = "½·" if SCHEME == "a Crank-Nicolson" else ""
    WHICH = "Outside the row there is no conductance: f(-1) = 0, and f is 0 for the last cell."
    if ENDS == "fixed":
        WHICH = "The first and the last cell keep their values; the others are unknown."
    CAP = " C is `{capacity}[row, k]`." if MASS else " C is 1."
    MORE = " + {LEAK}" if LOSS else ""
    LOAD = ""
    if SCHEME == "a Crank-Nicolson":
        LOAD = " + f(k)·(`{u}[row, k + 1] - {u}[row, k]`) - f(k - 1)·(`{u}[row, k] - {u}[row, k - 1]`)"
    elif SCHEME == "an alternating-direction":
        LOAD = " + `{across}[row, k]`"
    TIMED = ", with the old values on the right"
    BIOTS = ""
    if ENDS == "cooled":
        BIOTS = (
            " The row is cooled at both ends: for the first and the last cell, add {BIOT} to the factor of "
            "q(k) and {BIOT}·{AMBIENT} to the right side."
        )
    EACH = "every unknown cell" if ENDS == "fixed" else "every cell"
    FIRST = ", which is 0 for the first cell" if ENDS == "fixed" else ""

    @c.kernel(rows)
    def kernel(
        u: wp.array2d[float] = inout(rows, cols, low=0.0, high=2.0),
        faces: wp.array2d[float] = inout(rows, cols, low=0.3, high=1.5),
        across: wp.array2d[float] = input(rows, cols, low=-0.5, high=0.5),
        capacity: wp.array2d[float] = input(rows, cols, low=0.5, high=2.0),
    ):
        row = wp.tid()
        last = u.shape[1] - 1
        if ENDS == "fixed":
            # both ends are known
            left = float(faces[row, 0])
            slope = float(0.0)
            before = float(u[row, 0])
            if SCHEME == "a Crank-Nicolson":
                left *= 0.5
                behind = float(u[row, 0])
            for k in range(1, last):
                if SCHEME == "a Crank-Nicolson":
                    right = 0.5 * faces[row, k]
                else:
                    right = faces[row, k]
                here = u[row, k]
                if MASS:
                    load = capacity[row, k] * here
                    pivot = capacity[row, k] + left + right - left * slope
                else:
                    load = here
                    pivot = 1.0 + left + right - left * slope
                if SCHEME == "a Crank-Nicolson":
                    load += right * (u[row, k + 1] - here) - left * (here - behind)
                    behind = here
                elif SCHEME == "an alternating-direction":
                    # what flows in from the rows beside
                    load += across[row, k]
                if LOSS:
                    pivot += LEAK
                slope = right / pivot
                before = (load + left * before) / pivot
                faces[row, k] = slope
                u[row, k] = before
                left = right
            before = u[row, last]
            for k in range(last - 1, 0, -1):
                before = u[row, k] + faces[row, k] * before
                u[row, k] = before
        else:
            left = float(0.0)
            slope = float(0.0)
            before = float(0.0)
            if SCHEME == "a Crank-Nicolson":
                behind = float(u[row, 0])
            for k in range(u.shape[1]):
                # the last cell has no neighbour to its right
                if TURNED:
                    right = float(0.0)
                    if k < last:
                        right = 0.5 * faces[row, k] if SCHEME == "a Crank-Nicolson" else faces[row, k]
                else:
                    if SCHEME == "a Crank-Nicolson":
                        right = wp.where(k < last, 0.5 * faces[row, k], 0.0)
                    else:
                        right = wp.where(k < last, faces[row, k], 0.0)
                here = u[row, k]
                if MASS:
                    load = capacity[row, k] * here
                    diagonal = capacity[row, k] + left + right
                else:
                    load = here
                    diagonal = 1.0 + left + right
                if SCHEME == "a Crank-Nicolson":
                    ahead = u[row, wp.min(k + 1, last)]
                    load += right * (ahead - here) - left * (here - behind)
                    behind = here
                elif SCHEME == "an alternating-direction":
                    # what flows in from the rows beside
                    load += across[row, k]
                if LOSS:
                    diagonal += LEAK
                if ENDS == "cooled":
                    if k == 0 or k == last:
                        diagonal += BIOT
                        load += BIOT * AMBIENT
                pivot = diagonal - left * slope
                slope = right / pivot
                before = (load + left * before) / pivot
                faces[row, k] = slope
                u[row, k] = before
                left = right
            # back substitution
            if TURNED:
                for m in range(last):
                    back = last - 1 - m
                    u[row, back] = u[row, back] + faces[row, back] * u[row, back + 1]
            else:
                for k in range(last - 1, -1, -1):
                    before = u[row, k] + faces[row, k] * before
                    u[row, k] = before
