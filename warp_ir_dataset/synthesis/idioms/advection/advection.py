"""Advection: flows that carry tracers, momentum and sediment on grids."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "q": "q tracer density rho",
    "out": "out q_new next_q",
    "velocity": "velocity wind vel",
    "here": "here centre own",
    "at": "at sample value_at",
    "cell": "cell cell_value fetch",
    "rows cols": "rows cols | ny nx | height width",
    "row k": "row k | line x | channel k",
    "dt": "dt time_step step",
    "change": "change tendency gain",
    "west east": "west east | flux_in flux_out | f_left f_right",
    "source": "source sources forcing",
}


@idiom(
    level=2,
    names=NAMES
    | {
        "v": "v vel_i",
        "velocity": "velocity velocities u",
        "sound": "sound wave_speed speed_of_sound",
        "spacing": "spacing cell_size dx",
        "crossing": "crossing crossing_time passage",
        "out": "out courant cfl_numbers",
        "kernel": "cfl cfl_number courant_numbers",
    },
)
def cell_courant_number(c):
    """The {WANTED} for a flow{SOUND} in each cell of a {SPACE} grid{CELLS}, from {NORM}.

    {PURPOSE} The speed of a cell is {SPEED}{SUM}. {out} gets {FORMULA}.
    """
    n = c.size()
    WANTED, SPACE = (
        c.meaning("Courant number", "safe time step"),
        c.meaning("two-dimensional", "three-dimensional"),
    )
    NORM = c.meaning(
        "the sum of its speeds along the axes",
        "its largest speed along an axis",
        "the length of its velocity",
    )
    SOUND, CELLS = c.meaning("", " with sound waves"), c.meaning("", " of uneven cells")
    DIM = 2 if SPACE == "two-dimensional" else 3
    Vec = c.vec(DIM)
    SAFETY, SPACING = c.constant(0.3, 0.9), c.constant(0.2, 0.9)
    if WANTED == "safe time step":
        c.names({"kernel": "safe_steps cfl_steps", "out": "out steps dt_max"})
    if NORM == "the sum of its speeds along the axes":
        c.names({"speed": "speeds speed_sum"})
    elif NORM == "its largest speed along an axis":
        c.names({"speed": "speed fastest"})
    WIDTH = "`{spacing}[k]`" if CELLS else "{SPACING}"
    CELL = "the width {WIDTH} of cell k" if CELLS else "the cell width {WIDTH}"
    PURPOSE = "Find the Courant number of a flow in each cell of a grid."
    FORMULA = "the speed times {dt}, divided by {CELL}"
    if WANTED == "safe time step":
        PURPOSE = "Find the largest safe time step of each cell of a grid by the CFL condition."
        FORMULA = "{SAFETY} times the time to cross a cell, that is {CELL} divided by the speed"
        if not SOUND:
            FORMULA += ", where this speed counts as at least 0.001"
    SPEED = {
        "the sum of its speeds along the axes": (
            "the sum of the magnitudes of the components of its {velocity}"
        ),
        "its largest speed along an axis": "the largest magnitude of a component of its {velocity}",
        "the length of its velocity": "the length of its {velocity}",
    }[NORM]
    SUM = ""
    if SOUND:
        SUM = ", to which its speed of sound from {sound} is added"
        if NORM == "the sum of its speeds along the axes":
            SUM += " once for each of the {DIM} axes"

    @c.kernel(n)
    def kernel(
        velocity: wp.array[Vec] = input(n, low=-2.0, high=2.0, of="velocity"),
        spacing: wp.array[float] = input(n, low=0.2, high=1.0),
        sound: wp.array[float] = input(n, low=0.5, high=2.0),
        dt: float = input(low=0.02, high=0.1),
        out: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        v = velocity[tid]
        if NORM == "the sum of its speeds along the axes":
            if DIM == 2:
                speed = wp.abs(v[0]) + wp.abs(v[1])
            else:
                speed = wp.abs(v[0]) + wp.abs(v[1]) + wp.abs(v[2])
        elif NORM == "its largest speed along an axis":
            speed = wp.max(wp.abs(v))
        else:
            speed = wp.length(v)
        if SOUND:
            if NORM == "the sum of its speeds along the axes":
                # sound runs along each axis
                speed += float(DIM) * sound[tid]
            else:
                speed += sound[tid]
        if WANTED == "Courant number":
            if CELLS:
                out[tid] = speed * dt / spacing[tid]
            else:
                out[tid] = speed * dt / SPACING
        else:
            if SOUND:
                if CELLS:
                    crossing = spacing[tid] / speed
                else:
                    crossing = SPACING / speed
            else:
                # where nothing moves, any step will do
                if CELLS:
                    crossing = spacing[tid] / wp.max(speed, 1.0e-3)
                else:
                    crossing = SPACING / wp.max(speed, 1.0e-3)
            out[tid] = SAFETY * crossing


@idiom(
    level=3,
    names=NAMES
    | {
        "rise_from": "rise_from upwind_rise one_sided_rise",
        "u v": "u v | vx vy | wx wy",
        "dqdx dqdy": "dqdx dqdy | qx qy | slope_x slope_y",
        "change": "tendency dq_dt rate",
        "start": "start q_start original",
        "kernel": "advect upwind_step carry",
    },
)
def upwind_advection(c):
    """{FINDS} {q} in {WIND} by {HOW} on unit cells, with {EDGE} edges{EXTRA}.

    {PURPOSE} Rows of {q} follow each other along y and columns along x, all cells are of unit size, and
    {BLOWS}. {OUTSIDE}

    The rate of change of {q} is -u·∂x - v·∂y{TERMS}. The differences ∂x and ∂y are one-sided and taken from
    the side that the wind comes from. With f₀ for the cell and f₁{FURTHER} along the row on the side of
    smaller j, ∂x is {SLOPE} if u > 0; otherwise it is the negative of that with the cells on the side of
    larger j. The same holds for ∂y with v and i. {STORED}
    """
    rows, cols = c.size(6, 8), c.size(6, 8)
    ORDER, WIND = (
        c.meaning("first", "second"),
        c.meaning("a wind field", "a uniform wind", "solid-body rotation"),
    )
    EDGE, EXTRA = c.meaning("periodic", "open"), c.meaning("", " and decay", " and sources")
    STORE = c.meaning("a step", "a rate of change") == "a rate of change"
    FINDS, HOW = "Carries", f"an Euler step of {ORDER}-order upwinding"
    if STORE:
        FINDS, HOW = "The rate of change of", f"{ORDER}-order upwinding"
        c.names({"out": "out dq_dt tendency_out", "kernel": "upwind_tendency advection_rate"})
    elif ORDER == "second":
        # an Euler step of the second order is not stable
        HOW = "the second stage of Heun's step with second-order upwinding"
        c.names({"kernel": "advect upwind_stage heun_stage"})
    BRANCHED = c.style(True, False)
    DECAY = c.constant(0.1, 0.9)

    def at(q: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "periodic":
            return q[(i + q.shape[0]) % q.shape[0], (j + q.shape[1]) % q.shape[1]]
        else:
            return q[wp.clamp(i, 0, q.shape[0] - 1), wp.clamp(j, 0, q.shape[1] - 1)]

    def rise_from(q: wp.array2d[float], i: int, j: int, di: int, dj: int) -> float:
        """The rise up to a cell from the side that (di, dj) points to, from which the wind comes."""
        near = at(q, i + di, j + dj)
        if ORDER == "second":
            far = at(q, i + 2 * di, j + 2 * dj)
            return 1.5 * at(q, i, j) - 2.0 * near + 0.5 * far
        else:
            return at(q, i, j) - near

    PURPOSE = "Advect {q} by {ORDER}-order upwinding."
    BLOWS = {
        "a wind field": "cell (i, j) has the wind (u, v) in {velocity}",
        "a uniform wind": "the wind (u, v) is {wind} everywhere",
        "solid-body rotation": (
            "the wind turns about the middle of the grid: in cell (i, j), u = -{spin}·(i - (R - 1) / 2) and "
            "v = {spin}·(j - (C - 1) / 2) if there are R rows and C columns"
        ),
    }[WIND]
    OUTSIDE = "Neighbours past an edge wrap around to the opposite edge."
    if EDGE == "open":
        OUTSIDE = "In place of a neighbour past an edge, the nearest cell on the edge counts."
    TERMS = {"": "", " and decay": " - {DECAY}·{q}", " and sources": ", plus {source}"}[EXTRA]
    FURTHER = " and f₂ for its first and second neighbours" if ORDER == "second" else " for its neighbour"
    SLOPE = "1.5·f₀ - 2·f₁ + 0.5·f₂" if ORDER == "second" else "f₀ - f₁"
    STORED = "Store {q} plus {dt} times the rate in {out}, an explicit Euler step."
    if STORE:
        PURPOSE = "Find the rate of change of {q} under advection by {ORDER}-order upwinding."
        STORED = "Store the rate in {out}."
    elif ORDER == "second":
        STORED = (
            "This is the second stage of Heun's method: {q} is the result of the first stage and {start} "
            "the values "
            "before it. Store ½·({start} + {q} + {dt}·rate) in {out}."
        )

    @c.kernel(rows, cols)
    def kernel(
        q: wp.array2d[float] = input(rows, cols, low=0.0, high=2.0),
        velocity: wp.array2d[wp.vec2] = input(rows, cols, low=-1.0, high=1.0),
        wind: wp.vec2 = input(low=-1.0, high=1.0),
        spin: float = input(low=0.1, high=0.3),
        source: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0, of="residual"),
        start: wp.array2d[float] = input(rows, cols, low=0.0, high=2.0),
        dt: float = input(low=0.1, high=0.4 if ORDER == "first" else 0.25),
        out: wp.array2d[float] = output(rows, cols, of=None if STORE else "field"),
    ):
        i, j = wp.tid()
        if WIND == "a wind field":
            u = velocity[i, j][0]
            v = velocity[i, j][1]
        elif WIND == "a uniform wind":
            u = wind[0]
            v = wind[1]
        else:
            # around the middle of the grid
            u = -spin * (float(i) - 0.5 * float(q.shape[0] - 1))
            v = spin * (float(j) - 0.5 * float(q.shape[1] - 1))
        if BRANCHED:
            dqdx = -rise_from(q, i, j, 0, 1)
            if u > 0.0:
                dqdx = rise_from(q, i, j, 0, -1)
            dqdy = -rise_from(q, i, j, 1, 0)
            if v > 0.0:
                dqdy = rise_from(q, i, j, -1, 0)
        else:
            dqdx = wp.where(u > 0.0, rise_from(q, i, j, 0, -1), -rise_from(q, i, j, 0, 1))
            dqdy = wp.where(v > 0.0, rise_from(q, i, j, -1, 0), -rise_from(q, i, j, 1, 0))
        change = -u * dqdx - v * dqdy
        if EXTRA == " and decay":
            change -= DECAY * q[i, j]
        elif EXTRA == " and sources":
            change += source[i, j]
        if STORE:
            out[i, j] = change
        elif ORDER == "second":
            # the mean of where the step began and what a second Euler step gives
            out[i, j] = 0.5 * (start[i, j] + q[i, j] + dt * change)
        else:
            out[i, j] = q[i, j] + dt * change


@idiom(
    level=3,
    differentiable=False,
    names=NAMES
    | {
        "forward": "forward advected predicted",
        "backward": "backward carried_back returned",
        "original": "original old q_old",
        "low high": "low high | least most | q_min q_max",
        "value": "value corrected",
        "error": "error defect mismatch",
        "solid": "solid wall blocked",
        "kernel": "maccormack correct_advection correct_round_trip",
    },
)
def maccormack_correction(c):
    """Corrects {forward} in place by {SHARE} the round-trip error{LIMIT}{NEAR}{EDGE}{WALLS}.

    Do the last stage of MacCormack advection. {original} holds values before the step, {forward} those that
    were advected, and {backward} those advected forth and back again. Add {PART}·({original} - {backward}) to
    each cell of {forward}, in place.{LIMITS}{OUTSIDE}{SKIPPED}
    """
    rows, cols = c.size(6, 8), c.size(6, 8)
    SHARE = c.meaning("half", "a part of")
    LIMIT = c.meaning("", ", clamped", ", only where no new extremum arises", ", kept non-negative")
    NEAR = ""
    if LIMIT == ", clamped":
        NEAR = c.meaning(" to old values in the cell and beside it", " to old values in a 3 x 3 block")
    EDGE = ""
    if LIMIT in (", clamped", ", only where no new extremum arises"):
        EDGE = c.meaning("", " on a periodic grid")
    # a periodic grid has no boundary
    if EDGE:
        WALLS = c.meaning("", ", outside solid cells")
    else:
        WALLS = c.meaning("", ", outside solid cells", ", except on the boundary")
    STRENGTH = c.constant(0.2, 0.45)

    def at(q: wp.array2d[float], i: int, j: int) -> float:
        if EDGE:
            return q[(i + q.shape[0]) % q.shape[0], (j + q.shape[1]) % q.shape[1]]
        else:
            return q[wp.clamp(i, 0, q.shape[0] - 1), wp.clamp(j, 0, q.shape[1] - 1)]

    PART = "½" if SHARE == "half" else "{STRENGTH}"
    BESIDE = "{original} in the cell and its four direct neighbours"
    LIMITS = {
        "": "",
        ", clamped": " Clamp the result to the range of {BESIDE}.",
        ", only where no new extremum arises": (
            " If the result is below the least or above the largest value of {BESIDE}, the cell keeps "
            "its value."
        ),
        ", kept non-negative": " A negative result becomes 0.",
    }[LIMIT]
    if NEAR == " to old values in a 3 x 3 block":
        BESIDE = "{original} in the 3 × 3 cells around and including the cell"
    OUTSIDE = ""
    if EDGE:
        OUTSIDE = " The grid is periodic: neighbours wrap around to the opposite edge."
    elif LIMIT not in ("", ", kept non-negative") and WALLS != ", except on the boundary":
        OUTSIDE = " In place of a neighbour past an edge, the nearest cell on the edge counts."
    SKIPPED = {
        "": "",
        ", outside solid cells": " Cells for which {solid} is 1 stay as they are.",
        ", except on the boundary": " Cells of the first and last row and column stay as they are.",
    }[WALLS]

    @c.kernel(rows, cols)
    def kernel(
        original: wp.array2d[float] = input(rows, cols, low=-0.5, high=2.0),
        backward: wp.array2d[float] = input(rows, cols, low=-0.5, high=2.0),
        solid: wp.array2d[int] = input(rows, cols, low=0, high=1),
        forward: wp.array2d[float] = inout(rows, cols, low=-0.5, high=2.0, of="field"),
    ):
        i, j = wp.tid()
        if WALLS == ", outside solid cells":
            if solid[i, j] == 1:
                return
        elif WALLS == ", except on the boundary":
            if i == 0 or j == 0 or i == forward.shape[0] - 1 or j == forward.shape[1] - 1:
                return
        error = original[i, j] - backward[i, j]
        if SHARE == "half":
            value = forward[i, j] + 0.5 * error
        else:
            value = forward[i, j] + STRENGTH * error
        if LIMIT == ", kept non-negative":
            value = wp.max(value, 0.0)
        elif LIMIT == ", only where no new extremum arises":
            # values beyond the old ones nearby would show as ripples
            low = wp.min(wp.min(at(original, i, j - 1), at(original, i, j + 1)), original[i, j])
            high = wp.max(wp.max(at(original, i, j - 1), at(original, i, j + 1)), original[i, j])
            low = wp.min(low, wp.min(at(original, i - 1, j), at(original, i + 1, j)))
            high = wp.max(high, wp.max(at(original, i - 1, j), at(original, i + 1, j)))
            if value < low or value > high:
                return
        elif NEAR == " to old values in the cell and beside it":
            low = wp.min(wp.min(at(original, i, j - 1), at(original, i, j + 1)), original[i, j])
            high = wp.max(wp.max(at(original, i, j - 1), at(original, i, j + 1)), original[i, j])
            low = wp.min(low, wp.min(at(original, i - 1, j), at(original, i + 1, j)))
            high = wp.max(high, wp.max(at(original, i - 1, j), at(original, i + 1, j)))
            value = wp.clamp(value, low, high)
        elif NEAR == " to old values in a 3 x 3 block":
            low = float(original[i, j])
            high = float(original[i, j])
            for y in range(i - 1, i + 2):
                for x in range(j - 1, j + 2):
                    around = at(original, y, x)
                    low = wp.min(low, around)
                    high = wp.max(high, around)
            value = wp.clamp(value, low, high)
        forward[i, j] = value


@idiom(
    level=4,
    names=NAMES
    | {
        "x y": "x y | px py | col_pos row_pos",
        "x0 y0": "x0 y0 | left upper | j0 i0",
        "tx ty": "tx ty | fx fy | sx sy",
        "sample": "sample lookup fetch_at",
        "motion": "motion drift u_here",
        "field": "field grid values",
        "kernel": "backtrace advect_back semi_lagrangian",
    },
)
def semi_lagrangian_advection(c):
    """A semi-Lagrangian step that carries {WHAT}, with {TRACE}, {LOOKUP} interpolation{FADE} and {EDGE}
    edges.

    Carry {WHAT} by a semi-Lagrangian step on a grid of unit cells. The components of {velocity} go along
    columns first (x, index j) and rows second (y, index i). Cell (i, j) is at y = i, x = j; trace back from
    there to (y, x) - {dt}·(velocity along y, along x). {MOTION}

    {out} gets {CARRIED} at that point{FADED}. {LOOKS} {OUTSIDE}
    """
    rows, cols = c.size(6, 8), c.size(6, 8)
    WHAT, TRACE = (
        c.meaning("a density", "a velocity field along itself"),
        c.meaning("an Euler backtrace", "a midpoint backtrace"),
    )
    LOOKUP, EDGE = c.meaning("bilinear", "nearest-neighbour", "smoothstep"), c.meaning("clamped", "periodic")
    FADE = c.meaning("", ", dissipation")
    if WHAT != "a density":
        c.names({"out": "out v_new advected", "value": "value carried arriving"})
    if TRACE == "a midpoint backtrace":
        c.names({"motion": "motion drift u_mid"})
    Value = float if WHAT == "a density" else c.vec(2)
    FADING = c.constant(0.1, 0.9)

    def fetch(field: wp.array2d[Value], i: int, j: int) -> Value:
        if EDGE == "periodic":
            rows = field.shape[0]
            cols = field.shape[1]
            return field[(i % rows + rows) % rows, (j % cols + cols) % cols]
        else:
            return field[wp.clamp(i, 0, field.shape[0] - 1), wp.clamp(j, 0, field.shape[1] - 1)]

    def sample(field: wp.array2d[Value], y: float, x: float) -> Value:
        if LOOKUP == "nearest-neighbour":
            return fetch(field, int(wp.round(y)), int(wp.round(x)))
        else:
            y0 = int(wp.floor(y))
            x0 = int(wp.floor(x))
            ty = y - float(y0)
            tx = x - float(x0)
            if LOOKUP == "smoothstep":
                # no kinks from cell to cell
                ty = ty * ty * (3.0 - 2.0 * ty)
                tx = tx * tx * (3.0 - 2.0 * tx)
            top = wp.lerp(fetch(field, y0, x0), fetch(field, y0, x0 + 1), tx)
            bottom = wp.lerp(fetch(field, y0 + 1, x0), fetch(field, y0 + 1, x0 + 1), tx)
            return wp.lerp(top, bottom, ty)

    def halfway(velocity: wp.array2d[wp.vec2], i: int, j: int, dt: float) -> wp.vec2:
        """The velocity in the cell nearest to half a step upstream."""
        y = float(i) - 0.5 * dt * velocity[i, j][1]
        x = float(j) - 0.5 * dt * velocity[i, j][0]
        if EDGE == "periodic":
            rows = velocity.shape[0]
            cols = velocity.shape[1]
            row = int(wp.round(y)) % rows
            col = int(wp.round(x)) % cols
            return velocity[(row + rows) % rows, (col + cols) % cols]
        else:
            row = wp.clamp(int(wp.round(y)), 0, velocity.shape[0] - 1)
            col = wp.clamp(int(wp.round(x)), 0, velocity.shape[1] - 1)
            return velocity[row, col]

    MOTION = "The velocity is that of the cell itself."
    if TRACE == "a midpoint backtrace":
        MOTION = (
            "The velocity is taken at the midpoint: it is that of the cell nearest to the place that "
            "half a step back "
            "with the cell's own velocity leads to, each coordinate being rounded with halves away from 0."
        )
    CARRIED = "{density}" if WHAT == "a density" else "{velocity} itself"
    FADED = ", divided by 1 + {FADING}·{dt}" if FADE else ""
    LOOKS = {
        "bilinear": "Interpolate bilinearly between the four cells around the point.",
        "nearest-neighbour": (
            "The value is taken from the nearest cell, each coordinate being rounded, halves away from 0."
        ),
        "smoothstep": (
            "Interpolate between the four cells around the point as in bilinear interpolation, but with "
            "t²·(3 - 2·t) "
            "in place of the fraction t along each axis."
        ),
    }[LOOKUP]
    OUTSIDE = "Cells past an edge wrap around to the opposite edge."
    if EDGE == "clamped":
        OUTSIDE = "In place of a cell past an edge, the nearest cell on the edge counts."

    @c.kernel(rows, cols)
    def kernel(
        velocity: wp.array2d[wp.vec2] = input(rows, cols, low=-2.0, high=2.0),
        density: wp.array2d[float] = input(rows, cols, low=0.0, high=2.0),
        dt: float = input(low=0.4, high=1.2),
        out: wp.array2d[Value] = output(rows, cols, of="field"),
    ):
        i, j = wp.tid()
        if TRACE == "an Euler backtrace":
            motion = velocity[i, j]
        else:
            motion = halfway(velocity, i, j, dt)
        y = float(i) - dt * motion[1]
        x = float(j) - dt * motion[0]
        if WHAT == "a density":
            value = sample(density, y, x)
        else:
            value = sample(velocity, y, x)
        if FADE:
            out[i, j] = value / (1.0 + FADING * dt)
        else:
            out[i, j] = value
