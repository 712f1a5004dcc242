"""Advection along rows and columns."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp
from .advection import NAMES


@idiom(
    level=3,
    names=NAMES
    | {
        "nu": "nu courant cfl",
        "behind ahead": "behind ahead | left right | qm qp",
        "line": "line values profile",
        "old": "old before previous",
        "change": "change delta gain",
        "kernel": "transport step_lines carry_row",
    },
)
def linear_transport_step(c):
    """Carries each row of {q} to the right by {SCHEME}{WHERE}, with {ENDS} ends{EXTRA}.

    Carry each row of {q} to the right by {SCHEME}, with the Courant number ν of the row in {courant}. With f₀
    for the value of a cell, f₁ for that of the cell after it{FURTHER}, the cell becomes {FORMULA}{TERM};
    {out} gets the results. {OUTSIDE} {MASKED}
    """
    rows, cols = c.size(3, 5), c.size(7, 10)
    SCHEME = c.meaning(
        "the Lax-Wendroff scheme",
        "first-order upwinding",
        "Fromm's scheme",
        "the Beam-Warming scheme",
        "a leapfrog step",
    )
    ENDS = c.meaning("periodic", "open")
    # leapfrog takes no plain Euler terms
    EXTRA = c.meaning("", " and decay", " and diffusion") if SCHEME != "a leapfrog step" else ""
    CENTRAL = ("the Lax-Wendroff scheme", "Fromm's scheme", "a leapfrog step")
    WHERE = c.meaning("", " where a mask is set")
    DECAY, DIFFUSION = c.constant(0.05, 0.3), c.constant(0.02, 0.09)

    def cell(line: wp.array[float], k: int) -> float:
        if ENDS == "periodic":
            return line[(k + line.shape[0]) % line.shape[0]]
        else:
            return line[wp.clamp(k, 0, line.shape[0] - 1)]

    FURTHER = " and f₋₁ for that before it"
    if SCHEME in ("Fromm's scheme", "the Beam-Warming scheme"):
        FURTHER = ", and f₋₁ and f₋₂ for those before it"
    FORMULA = {
        "the Lax-Wendroff scheme": "f₀ - ½·ν·(f₁ - f₋₁) + ½·ν²·(f₁ - 2·f₀ + f₋₁)",
        "first-order upwinding": "f₀ - ν·(f₀ - f₋₁)",
        "Fromm's scheme": "f₀ - ν·(f₀ - f₋₁) - ½·ν·(1 - ν)·(½·(f₁ - f₋₁) - ½·(f₀ - f₋₂))",
        "the Beam-Warming scheme": "f₀ - ½·ν·(3·f₀ - 4·f₋₁ + f₋₂) + ½·ν²·(f₀ - 2·f₋₁ + f₋₂)",
        "a leapfrog step": "g - ν·(f₁ - f₋₁), where g is its value in {old}, a step earlier",
    }[SCHEME]
    TERM = ""
    if EXTRA:
        TERM = ", less {DECAY}·f₀" if EXTRA == " and decay" else ", plus {DIFFUSION}·(f₁ - 2·f₀ + f₋₁)"
    OUTSIDE = "Rows are periodic."
    if ENDS == "open":
        OUTSIDE = "Cells past an end have the value of the last cell there."
    MASKED = "If {mask} is 0 for a cell, {out} gets its value unchanged." if WHERE else ""

    @c.kernel(rows, cols)
    def kernel(
        q: wp.array2d[float] = input(rows, cols, low=0.0, high=2.0),
        old: wp.array2d[float] = input(rows, cols, low=0.0, high=2.0),
        courant: wp.array[float] = input(rows, low=0.1, high=0.8),
        mask: wp.array2d[int] = input(rows, cols, low=0, high=1),
        out: wp.array2d[float] = output(rows, cols, of="field"),
    ):
        row, k = wp.tid()
        line = q[row]
        if WHERE:
            if mask[row, k] == 0:
                out[row, k] = line[k]
                return
        nu = courant[row]
        behind = cell(line, k - 1)
        if SCHEME in CENTRAL or EXTRA == " and diffusion":
            ahead = cell(line, k + 1)
        if SCHEME == "a leapfrog step":
            # from where the last step began
            out[row, k] = old[row, k] - nu * (ahead - behind)
        else:
            here = line[k]
            if SCHEME == "the Lax-Wendroff scheme":
                change = 0.5 * nu * nu * (ahead - 2.0 * here + behind) - 0.5 * nu * (ahead - behind)
            elif SCHEME == "first-order upwinding":
                change = -nu * (here - behind)
            elif SCHEME == "Fromm's scheme":
                # the mean slope of a cell reaches over both neighbours
                here_slope = 0.5 * (ahead - behind)
                behind_slope = 0.5 * (here - cell(line, k - 2))
                change = -nu * (here - behind) - 0.5 * nu * (1.0 - nu) * (here_slope - behind_slope)
            else:
                further = cell(line, k - 2)
                change = 0.5 * nu * nu * (here - 2.0 * behind + further)
                change -= 0.5 * nu * (3.0 * here - 4.0 * behind + further)
            if EXTRA == " and decay":
                change -= DECAY * here
            elif EXTRA == " and diffusion":
                change += DIFFUSION * (behind - 2.0 * here + ahead)
            out[row, k] = here + change


@idiom(
    level=4,
    names=NAMES
    | {
        "behind middle ahead": "behind middle ahead | a m b | qm q0 qp",
        "s0 s1": "s0 s1 | beta0 beta1 | is0 is1",
        "w0 w1": "w0 w1 | alpha0 alpha1 | a0 a1",
        "p0 p1": "p0 p1 | f0 f1 | left_part right_part",
        "line": "line values row_of_q",
        "weno": "reconstruct edge_value face_value",
        "out_right": "out_right right_edges right_values",
        "kernel": "face_states reconstruct_faces reconstruct_rows",
    },
)
def weno_reconstruction(c):
    """Reconstructs {WANTED} of each cell in rows of {q} by {SCHEME}, with {ENDS} ends{DIFFERENCE}.

    {PURPOSE} The value at the right edge of cell k depends on b, m and a, the values of cells k - 1, k and k
    + 1: {FORMULA}. {STORED} {OUTSIDE}
    """
    rows, cols = c.size(3, 5), c.size(7, 10)
    SCHEME = c.meaning("WENO-JS", "WENO-Z", "second-order ENO", "the third-order upwind scheme")
    WANTED, ENDS = (
        c.meaning("the value at the right edge", "the values at both edges", "the slope"),
        c.meaning("periodic", "open", "mirrored"),
    )
    DIFFERENCE = ", as the difference of right edges" if WANTED == "the slope" else ""
    TINY = 1.0e-6
    if "WENO" not in SCHEME:
        c.names({"kernel": "face_states reconstruct_faces reconstruct_rows"})
    if WANTED == "the slope":
        c.names({"out": "out slopes dq_dx", "kernel": "upwind_slopes slopes_of_rows row_derivatives"})
    elif WANTED == "the values at both edges":
        c.names({"out": "out left_edges left_values"})
    else:
        c.names({"out": "out right_edges edge_values"})

    def weno(behind: float, middle: float, ahead: float) -> float:
        """The value at the edge between the second and the third of three cells."""
        if SCHEME == "the third-order upwind scheme":
            return (5.0 * middle - behind + 2.0 * ahead) / 6.0
        else:
            # two straight lines through the cell
            p0 = 1.5 * middle - 0.5 * behind
            p1 = 0.5 * (middle + ahead)
            if SCHEME == "second-order ENO":
                return wp.where(wp.abs(middle - behind) < wp.abs(ahead - middle), p0, p1)
            else:
                s0 = (middle - behind) * (middle - behind) + TINY
                s1 = (ahead - middle) * (ahead - middle) + TINY
                if SCHEME == "WENO-Z":
                    tau = wp.abs(s0 - s1)
                    w0 = 1.0 + tau / s0
                    w1 = 2.0 * (1.0 + tau / s1)
                else:
                    # a steep line counts little
                    w0 = 1.0 / (s0 * s0)
                    w1 = 2.0 / (s1 * s1)
                return (w0 * p0 + w1 * p1) / (w0 + w1)

    def cell(line: wp.array[float], k: int) -> float:
        count = line.shape[0]
        if ENDS == "periodic":
            return line[(k + count) % count]
        elif ENDS == "open":
            return line[wp.clamp(k, 0, count - 1)]
        else:
            if k < 0 or k >= count:
                return line[(2 * count - 1 - k) % count]
            return line[k]

    def right_edge(line: wp.array[float], k: int) -> float:
        return weno(cell(line, k - 1), cell(line, k), cell(line, k + 1))

    PURPOSE = {
        "the value at the right edge": "Reconstruct the values of {q} at cell edges along rows by {SCHEME}.",
        "the values at both edges": (
            "Reconstruct the values of {q} at both edges of cells along rows by {SCHEME}."
        ),
        "the slope": "Find the slopes of {q} along rows from edge values that {SCHEME} reconstructs.",
    }[WANTED]
    LINES = "with the lines p = 1.5·m - 0.5·b and s = ½·(m + a), it is "
    WEIGHED = "(w·p + z·s) / (w + z), where, with P = (m - b)² + 1e-6 and S = (a - m)² + 1e-6, "
    FORMULA = {
        "the third-order upwind scheme": "it is (5·m - b + 2·a) / 6",
        "second-order ENO": LINES + "p if |m - b| < |a - m| and s otherwise",
        "WENO-JS": LINES + WEIGHED + "w = 1 / P² and z = 2 / S²",
        "WENO-Z": LINES + WEIGHED + "w = 1 + |P - S| / P and z = 2·(1 + |P - S| / S)",
    }[SCHEME]
    OUTSIDE = {
        "periodic": "Rows are periodic.",
        "open": "Cells past an end have the value of the last cell there.",
        "mirrored": "Cells past an end mirror those inside, the last cell first.",
    }[ENDS]
    STORED = {
        "the value at the right edge": "Store it in {out}.",
        "the values at both edges": (
            "Store it in {out_right}. The value at the left edge goes to {out}; it is found in the same "
            "way, with b and "
            "a exchanged."
        ),
        "the slope": (
            "{out} gets the value at the right edge of cell k minus that at the right edge of cell k - "
            "1, divided by "
            "{spacing}."
        ),
    }[WANTED]

    @c.kernel(rows, cols)
    def kernel(
        q: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        spacing: float = input(low=0.3, high=1.0),
        out: wp.array2d[float] = output(rows, cols),
        out_right: wp.array2d[float] = output(rows, cols),
    ):
        row, k = wp.tid()
        line = q[row]
        if WANTED == "the slope":
            out[row, k] = (right_edge(line, k) - right_edge(line, k - 1)) / spacing
        elif WANTED == "the values at both edges":
            out_right[row, k] = right_edge(line, k)
            # the left edge is a right one seen from the other side
            out[row, k] = weno(cell(line, k + 1), line[k], cell(line, k - 1))
        else:
            out[row, k] = right_edge(line, k)


@idiom(
    level=4,
    names=NAMES
    | {
        "q": "q dust concentration",
        "species": "species kinds classes",
        "kind": "kind grain dust_class",
        "s": "s n kind_index",
        "above below": "above below | over under",
        "change": "tendency rate dq_dt",
        "upwind": "upwind arriving upstream",
        "kernel": "settle sediment_step fall",
    },
)
def sedimentation_step(c):
    """{TELLS} several kinds of dust in {q} that settle {FLOOR} floor{EXTRAS}.

    {PURPOSE} `{q}[s, i, j, k]` is the amount of species s in a cell of a grid, with layers k counting
    upwards. In a unit of time, {FALLS} falls out of each cell into the one below it, c being its amount{BY}.
    Nothing comes in through the top. {BOTTOM} {TERMS} {STORED}
    """
    count, nx, ny, nz = c.size(2, 3), c.size(3, 4), c.size(3, 4), c.size(4, 5)
    FLOOR, MIXING = c.meaning("onto a closed", "through an open"), c.meaning("", "vertical mixing")
    DECAY, WIND = c.meaning("", "decay"), c.meaning("", "a wind")
    RATE = c.meaning("", "a rate of change")
    CROWDED = c.meaning("", "hindered settling")
    FOUND = [said for said in (CROWDED, MIXING, WIND, DECAY) if said]
    EXTRAS = f", with {', '.join(FOUND[:-1])}{' and ' if FOUND[1:] else ''}{FOUND[-1]}" if FOUND else ""
    TELLS = "The rates of change of" if RATE else "A step of"
    PACKED = c.constant(2.5, 4.0)
    if RATE:
        c.names({"out": "out dq_dt tendency_out", "kernel": "settling_rates sediment_tendency"})

    class Species:
        fall_speed: float
        if MIXING:
            mixing: float
        if DECAY:
            decay: float

    def falling(q: float, kind: Species) -> float:
        """What falls out of a cell in a unit of time."""
        # the closer the grains are packed, the more they hinder each other
        room = 1.0 - q / PACKED
        return kind.fall_speed * q * room * room

    PURPOSE = (
        "Find the rates at which several species of dust settle."
        if RATE
        else "Let several species of dust settle."
    )
    FALLS = "`fall_speed`·c·(1 - c / {PACKED})²" if CROWDED else "`fall_speed`·c"
    BY = " and `fall_speed` that of its species in {species}; crowded grains hinder each other"
    if not CROWDED:
        BY = " and `fall_speed` that of its species in {species}"
    BOTTOM = "The floor is closed: nothing leaves the lowest cells."
    if FLOOR == "through an open":
        BOTTOM = "The floor is open: the same share leaves the lowest cells."
    TERMS = ""
    if MIXING:
        TERMS += (
            " Mixing adds `mixing` of the species times (the cell above - 2·c + the cell below); past "
            "the top and the floor, "
            "the cell itself counts."
        )
    if WIND:
        TERMS += (
            " A wind along i adds -`{wind}[k]` times (c - the cell at i - 1), which is 0 for cells with "
            "i = 0."
        )
    if DECAY:
        TERMS += " Decay adds -`decay` of the species times c."
    STORED = "{out} gets the amount after the time {dt}, by an explicit Euler step from {q}."
    if RATE:
        STORED = "{out} gets the rate of change of each cell."

    @c.kernel(count, nx, ny, nz)
    def kernel(
        q: wp.array4d[float] = input(count, nx, ny, nz, low=0.0, high=2.0),
        species: wp.array[Species] = input(count, low=0.1, high=0.8),
        wind: wp.array[float] = input(nz, low=0.1, high=1.0),
        dt: float = input(low=0.05, high=0.2),
        out: wp.array4d[float] = output(count, nx, ny, nz),
    ):
        s, i, j, k = wp.tid()
        kind = species[s]
        here = q[s, i, j, k]
        # nothing comes from above the top
        change = float(0.0)
        if k < q.shape[3] - 1:
            if CROWDED:
                change = falling(q[s, i, j, k + 1], kind)
            else:
                change = kind.fall_speed * q[s, i, j, k + 1]
        if FLOOR == "onto a closed":
            if k > 0:
                if CROWDED:
                    change -= falling(here, kind)
                else:
                    change -= kind.fall_speed * here
        else:
            if CROWDED:
                change -= falling(here, kind)
            else:
                change -= kind.fall_speed * here
        if MIXING:
            above = q[s, i, j, wp.min(k + 1, q.shape[3] - 1)]
            below = q[s, i, j, wp.max(k - 1, 0)]
            change += kind.mixing * (above - 2.0 * here + below)
        if WIND:
            upwind = q[s, wp.max(i - 1, 0), j, k]
            change -= wind[k] * (here - upwind)
        if DECAY:
            change -= kind.decay * here
        if RATE:
            out[s, i, j, k] = change
        else:
            out[s, i, j, k] = here + dt * change
