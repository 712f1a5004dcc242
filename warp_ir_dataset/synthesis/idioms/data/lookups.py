"""Entries looked up: in tables and charts, by halves, at neighbours."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


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
    """Reads an evenly spaced table at each input, {BLEND}, {BEYOND}, {GIVEN}."""
    n, count = c.size(), c.size(6, 10)
    BLEND = c.meaning(
        "linearly", "at the nearest entry", "with eased steps", "geometrically", "for its slope"
    )
    BEYOND = c.meaning("held at the end", "round and round", "extended")
    GIVEN = c.meaning("as it is", "times its gain", "as a correction in place")
    FIRST, STEP = c.constant(0.2, 0.8), c.constant(0.3, 0.6)

    @c.kernel(n)
    def kernel(
        table: wp.array[float] = given(count, low=0.3, high=2.0),
        x: wp.array[float] = given(n, low=1.0, high=6.0),
        gains: wp.array[float] = given(n, low=0.4, high=1.6),
        out: wp.array[float] = (
            updated(n, low=-1.0, high=1.0) if GIVEN == "as a correction in place" else result(n)
        ),
    ):
        i = wp.tid()
        u = (x[i] - FIRST) / STEP
        if BEYOND == "round and round":
            k = int(u) % table.shape[0]
            m = (k + 1) % table.shape[0]
        else:
            k = wp.min(int(u), table.shape[0] - 2)
            m = k + 1
        if BLEND != "for its slope":
            if BEYOND == "extended":
                t = u - float(k)
            elif BEYOND == "held at the end":
                t = wp.min(u - float(k), 1.0)
            else:
                t = u - wp.floor(u)
        if BLEND == "for its slope":
            value = (table[m] - table[k]) / STEP
        elif BLEND == "at the nearest entry":
            value = wp.where(t < 0.5, table[k], table[m])
        elif BLEND == "with eased steps":
            value = wp.lerp(table[k], table[m], t * t * (3.0 - 2.0 * t))
        elif BLEND == "geometrically":
            value = table[k] * wp.pow(table[m] / table[k], t)
        else:
            value = wp.lerp(table[k], table[m], t)
        if GIVEN == "times its gain":
            out[i] = gains[i] * value
        elif GIVEN == "as a correction in place":
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
    """The {WANTED} of a chart of two variables at each query, {AXES}, {GIVEN}."""
    n, rows, cols = c.size(), c.size(5, 7), c.size(5, 7)
    WANTED = c.meaning("bilinear value", "value over triangles", "slope along rows", "slope along columns")
    AXES = c.meaning("axes held at their ends", "columns going round", "the second axis logarithmic")
    GIVEN = c.meaning("written", "taken off", "times its share")
    DX, DY = c.constant(0.4, 0.9), c.constant(0.4, 0.9)

    @c.kernel(n)
    def kernel(
        table: wp.array2d[float] = given(rows, cols, low=-1.0, high=2.0),
        x: wp.array[float] = given(n, low=0.1, high=4.5),
        y: wp.array[float] = given(n, low=1.1, high=4.5),
        share: wp.array[float] = given(n, low=0.3, high=1.5),
        values: wp.array[float] = updated(n, low=-1.0, high=2.0) if GIVEN == "taken off" else result(n),
    ):
        q = wp.tid()
        if AXES == "the second axis logarithmic":
            py = wp.min(wp.log(y[q]) / DY, float(table.shape[0] - 1))
        else:
            py = wp.min(y[q] / DY, float(table.shape[0] - 1))
        row = wp.min(int(py), table.shape[0] - 2)
        if AXES == "columns going round":
            px = x[q] / DX
            col = int(px) % table.shape[1]
            right = (col + 1) % table.shape[1]
        else:
            px = wp.min(x[q] / DX, float(table.shape[1] - 1))
            col = wp.min(int(px), table.shape[1] - 2)
            right = col + 1
        if WANTED != "slope along rows":
            fx = px - wp.floor(px) if AXES == "columns going round" else px - float(col)
        if WANTED != "slope along columns":
            fy = py - float(row)
        if WANTED == "slope along rows":
            value = (
                wp.lerp(table[row, right] - table[row, col], table[row + 1, right] - table[row + 1, col], fy)
                / DX
            )
        elif WANTED == "slope along columns":
            value = (
                wp.lerp(table[row + 1, col] - table[row, col], table[row + 1, right] - table[row, right], fx)
                / DY
            )
        elif WANTED == "value over triangles":
            # the diagonal from corner to corner divides each cell
            corner = wp.where(fx > fy, table[row, right], table[row + 1, col])
            first, last = table[row, col], table[row + 1, right]
            value = first + wp.max(fx, fy) * (corner - first) + wp.min(fx, fy) * (last - corner)
        else:
            below = wp.lerp(table[row, col], table[row, right], fx)
            above = wp.lerp(table[row + 1, col], table[row + 1, right], fx)
            value = wp.lerp(below, above, fy)
        if GIVEN == "taken off":
            values[q] -= value
        elif GIVEN == "times its share":
            values[q] = share[q] * value
        else:
            values[q] = value
