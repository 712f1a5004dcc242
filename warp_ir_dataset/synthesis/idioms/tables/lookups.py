"""Entries looked up in tables and charts."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    names={
        "table": "table curve samples",
        "x": "x inputs at",
        "u": "u position place",
        "k m": "k m | low high | j after",
        "t": "t along f",
        "gains": "gains scale amounts",
        "out": "out result looked_up",
        "i": "i tid q",
        "kernel": "sample_table read_curve table_values",
    },
)
def uniform_table_lookup(c):
    """{READS} an evenly spaced table at each input{HOW}, {SAID}{GIVEN}.

    {PURPOSE} an evenly spaced table, {table}, at each of {x}: entry k of it belongs to the place {FIRST} +
    k·{STEP}. {BETWEEN} {OUTSIDE} {WRITTEN}
    """
    n, count = c.size(), c.size(6, 10)
    BLEND = c.meaning(
        "linearly", "at the nearest entry", "with smoothstep blending", "log-linearly", "for its slope"
    )
    if BLEND in ("linearly", "log-linearly"):
        BEYOND = c.meaning("held at its ends", "periodic", "extrapolated")
    else:
        BEYOND = c.meaning("held at its ends", "periodic")
    GIVEN = c.meaning("", ", times its gain", ", subtracted from readings in place")
    FIRST, STEP = c.constant(0.2, 0.6), c.constant(0.4, 0.5)
    SLOPE = BLEND == "for its slope"
    SAID = "its end slopes beyond it" if SLOPE and BEYOND == "held at its ends" else BEYOND
    PERIODIC = BEYOND == "periodic"
    FAR = 6.0 if PERIODIC else 0.5 * count + 0.6
    READS, HOW = ("The slope of", "") if SLOPE else ("Reads", f", {BLEND}")
    if SLOPE:
        c.names({"kernel": "table_slopes slope_of_table", "value": "slope rise", "out": "out slopes result"})
    if "subtracted" in GIVEN:
        c.names(
            {
                "kernel": "subtract_slopes correct_by_slopes" if SLOPE else "subtract_curve correct_readings",
                "table": "table curve baseline",
                "out": "readings measured",
            }
        )
    PURPOSE = "Find the slope of" if SLOPE else "Read"
    BETWEEN = {
        "linearly": "Between entries interpolate linearly.",
        "at the nearest entry": "Take the nearest entry; halfway between two, take the later one.",
        "with smoothstep blending": (
            "Between entries P and Q blend with smoothstep, P + t²·(3 - 2·t)·(Q - P) for the part t of"
            " the way."
        ),
        "log-linearly": (
            "Between entries P and Q interpolate log-linearly, P·(Q / P)^t for the part t of the way."
        ),
        "for its slope": (
            "The slope is that of the straight line between the two entries around the place; at an"
            " entry, the line after it counts."
        ),
    }[BLEND]
    OUTSIDE = {
        "held at its ends": "Before the first and beyond the last entry, these are held.",
        "periodic": "The table is periodic: its first entry follows the last, a step farther.",
        "extrapolated": (
            "Before the first and beyond the last entry go on with the formula of the outermost two"
            " entries, t leaving [0, 1]."
        ),
    }[BEYOND]
    if SLOPE and not PERIODIC:
        OUTSIDE = "Before the first and beyond the last entry, the slopes at the ends go on."
    WRITTEN = {
        "": "Store it in {out}.",
        ", times its gain": "Store it, times {gains}, in {out}.",
        ", subtracted from readings in place": "Subtract it from {out}, in place.",
    }[GIVEN]

    @c.kernel(n)
    def kernel(
        table: wp.array[float] = input(count, low=0.3, high=2.0),
        x: wp.array[float] = input(n, low=-3.0 if PERIODIC else 0.0, high=FAR),
        gains: wp.array[float] = input(n, low=0.4, high=1.6),
        out: wp.array[float] = (
            inout(n, low=-1.0, high=1.0) if GIVEN == ", subtracted from readings in place" else output(n)
        ),
    ):
        i = wp.tid()
        u = (x[i] - FIRST) / STEP
        if PERIODIC:
            # the remainder of what lies before the table is negative
            k = (int(wp.floor(u)) % table.shape[0] + table.shape[0]) % table.shape[0]
            m = (k + 1) % table.shape[0]
        else:
            k = wp.clamp(int(u), 0, table.shape[0] - 2)
            m = k + 1
        if not SLOPE:
            if PERIODIC:
                t = u - wp.floor(u)
            elif BEYOND == "held at its ends" and BLEND != "at the nearest entry":
                t = wp.clamp(u - float(k), 0.0, 1.0)
            else:
                t = u - float(k)
        if SLOPE:
            value = (table[m] - table[k]) / STEP
        elif BLEND == "at the nearest entry":
            value = wp.where(t < 0.5, table[k], table[m])
        elif BLEND == "with smoothstep blending":
            value = wp.lerp(table[k], table[m], t * t * (3.0 - 2.0 * t))
        elif BLEND == "log-linearly":
            value = table[k] * wp.pow(table[m] / table[k], t)
        else:
            value = wp.lerp(table[k], table[m], t)
        if GIVEN == ", times its gain":
            out[i] = gains[i] * value
        elif GIVEN == ", subtracted from readings in place":
            out[i] -= value
        else:
            out[i] = value


@idiom(
    level=3,
    names={
        "table": "table chart surface_map",
        "x y": "x y | u v | speeds loads",
        "row col": "row col | i j | ky kx",
        "fx fy": "fx fy | s t | along across",
        "values": "values out readings",
        "q": "q tid k",
        "kernel": "read_chart interpolate_chart sample_map",
    },
)
def bilinear_table_lookup(c):
    """The {WHAT} of a chart of two variables at each query, {SAID}{GIVEN}.

    Read a chart of two variables at each query ({x}, {y}): the entry of {table} in row i and column j belongs
    to (j·{DX}, {ROWED}). {OUTSIDE}

    {READING} {WRITTEN}
    """
    n, rows, cols = c.size(), c.size(5, 7), c.size(5, 7)
    WANTED = c.meaning(
        "bilinear value", "value over two triangles per cell", "slope along rows", "slope along columns"
    )
    AXES = c.meaning("held at its edges", "periodic along rows", "logarithmic along columns")
    GIVEN = c.meaning("", ", subtracted from readings in place", ", times its share")
    DX, DY, RATIO = c.constant(0.4, 0.6), c.constant(0.4, 0.6), c.constant(1.3, 1.4, step=0.05)
    LOGARITHMIC, TURNING = AXES == "logarithmic along columns", AXES == "periodic along rows"
    ENDS = "slope" in WANTED and not (TURNING and WANTED == "slope along rows")
    SAID = "with end slopes kept beyond its edges" if ENDS else "held at its edges"
    if AXES != "held at its edges":
        SAID = f"{AXES}, {SAID.replace('its', 'the other' if TURNING else 'its')}"
    SLOPE = "logarithmic slope along columns"
    WHAT = SLOPE if LOGARITHMIC and WANTED == "slope along columns" else WANTED
    # as far as some queries lie beyond
    RIGHT, LOW_Y, TOP = 0.55 * cols, -0.3, 0.55 * rows
    if LOGARITHMIC:
        LOW_Y, TOP = 0.5, 1.4 ** (rows - 1) * 1.3
    if WANTED != "bilinear value":
        c.names(
            {"kernel": "read_chart chart_slopes" if "slope" in WANTED else "read_chart interpolate_chart"}
        )
    if "subtracted" in GIVEN:
        c.names({"kernel": "subtract_chart correct_by_chart", "values": "readings measured"})
    if TURNING:
        c.names({"x y": "x y | u v | angles loads"})
    ROWED = "{RATIO} to the power i" if LOGARITHMIC else "i·{DY}"
    OUTSIDE = "Queries beyond the edges count as the nearest place on the edge."
    if TURNING:
        OUTSIDE = (
            "The chart is periodic along its rows: column 0 follows the last one. Queries beyond the"
            " other edges count as the nearest place on these."
        )
    IN_LOG = ", linear in the logarithm of {y}" if LOGARITHMIC else ""
    SCALED = "the logarithm of {y}" if LOGARITHMIC else "{y}"
    READING = {
        "bilinear value": "Interpolate bilinearly{IN_LOG}.",
        "value over two triangles per cell": (
            "Each cell is cut by its diagonal from (i, j) to (i + 1, j + 1); interpolate linearly over"
            " the triangle that holds the query, in {x} and {SCALED}."
        ),
        "slope along rows": (
            "Interpolate bilinearly{IN_LOG}, and find the slope along the row: the derivative by {x}."
        ),
        "slope along columns": (
            "Interpolate bilinearly{IN_LOG}, and find the slope along the column: the derivative by {SCALED}."
        ),
    }[WANTED]
    if ENDS:
        READING += " At an entry take that of the cell ahead, if there is one."
    WRITTEN = {
        "": "Store it in {values}.",
        ", times its share": "Store it, times {share}, in {values}.",
        ", subtracted from readings in place": "Subtract it from {values}, in place.",
    }[GIVEN]

    @c.kernel(n)
    def kernel(
        table: wp.array2d[float] = input(rows, cols, low=-1.0, high=2.0),
        x: wp.array[float] = input(n, low=0.1 if TURNING else -0.3, high=RIGHT),
        y: wp.array[float] = input(n, low=LOW_Y, high=TOP),
        share: wp.array[float] = input(n, low=0.3, high=1.5),
        values: wp.array[float] = inout(n, low=-1.0, high=2.0)
        if GIVEN == ", subtracted from readings in place"
        else output(n),
    ):
        q = wp.tid()
        if LOGARITHMIC:
            # each row stands for {RATIO} times as much as the one before
            py = wp.clamp(wp.log(y[q]) / wp.log(RATIO), 0.0, float(table.shape[0] - 1))
        else:
            py = wp.clamp(y[q] / DY, 0.0, float(table.shape[0] - 1))
        row = wp.min(int(py), table.shape[0] - 2)
        if TURNING:
            px = x[q] / DX
            col = int(px) % table.shape[1]
            right = (col + 1) % table.shape[1]
        else:
            px = wp.clamp(x[q] / DX, 0.0, float(table.shape[1] - 1))
            col = wp.min(int(px), table.shape[1] - 2)
            right = col + 1
        if WANTED != "slope along rows":
            fx = px - wp.floor(px) if TURNING else px - float(col)
        if WANTED != "slope along columns":
            fy = py - float(row)
        if WANTED == "slope along rows":
            value = (
                wp.lerp(table[row, right] - table[row, col], table[row + 1, right] - table[row + 1, col], fy)
                / DX
            )
        elif WANTED == "slope along columns":
            value = wp.lerp(
                table[row + 1, col] - table[row, col], table[row + 1, right] - table[row, right], fx
            ) / (wp.log(RATIO) if LOGARITHMIC else DY)
        elif WANTED == "value over two triangles per cell":
            # the diagonal from corner to corner divides each cell
            corner = wp.where(fx > fy, table[row, right], table[row + 1, col])
            first, last = table[row, col], table[row + 1, right]
            value = first + wp.max(fx, fy) * (corner - first) + wp.min(fx, fy) * (last - corner)
        else:
            below = wp.lerp(table[row, col], table[row, right], fx)
            above = wp.lerp(table[row + 1, col], table[row + 1, right], fx)
            value = wp.lerp(below, above, fy)
        if GIVEN == ", subtracted from readings in place":
            values[q] -= value
        elif GIVEN == ", times its share":
            values[q] = share[q] * value
        else:
            values[q] = value
