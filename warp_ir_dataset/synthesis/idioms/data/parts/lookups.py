"""Entries looked up: in tables and charts, among candidates, some places away."""

from __future__ import annotations

from ....pages.page import given, idiom, result, updated, wp


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
    """{READS} an evenly spaced table at each input{HOW}, {SAID}{GIVEN}."""
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

    @c.kernel(n)
    def kernel(
        table: wp.array[float] = given(count, low=0.3, high=2.0),
        x: wp.array[float] = given(n, low=-3.0 if PERIODIC else 0.0, high=FAR),
        gains: wp.array[float] = given(n, low=0.4, high=1.6),
        out: wp.array[float] = (
            updated(n, low=-1.0, high=1.0) if GIVEN == ", subtracted from readings in place" else result(n)
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
    """The {WHAT} of a chart of two variables at each query, {SAID}{GIVEN}."""
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

    @c.kernel(n)
    def kernel(
        table: wp.array2d[float] = given(rows, cols, low=-1.0, high=2.0),
        x: wp.array[float] = given(n, low=0.1 if TURNING else -0.3, high=RIGHT),
        y: wp.array[float] = given(n, low=LOW_Y, high=TOP),
        share: wp.array[float] = given(n, low=0.3, high=1.5),
        values: wp.array[float] = updated(n, low=-1.0, high=2.0)
        if GIVEN == ", subtracted from readings in place"
        else result(n),
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


@idiom(
    level=2,
    differentiable=False,
    names={
        "points": "points queries features",
        "centres": "centres centers prototypes",
        "best": "best nearest_so_far records",
        "second": "second runner_up next_best",
        "labels": "labels owners matches",
        "better": "better closer wins",
        "i": "i tid item",
        "kernel": "update_best keep_nearest match_candidates",
    },
)
def best_match_update(c):
    """Compares each point with {CANDIDATE} and keeps the {KEPT} in place, {MARKED}."""
    n = c.size()
    MANY = c.meaning("least", "two least")
    MEASURE = c.meaning("Euclidean", "city-block", "cosine", "Chebyshev")
    CANDIDATE = c.meaning("a new centre", "a new centre of its own")
    MARKED = c.meaning("with the label of the nearest", "counting the points that come nearer")
    KEPT = f"{MANY} {MEASURE} distance{'s' if MANY == 'two least' else ''}"

    def measure(a: wp.vec3, b: wp.vec3) -> float:
        if MEASURE == "city-block":
            return wp.abs(a[0] - b[0]) + wp.abs(a[1] - b[1]) + wp.abs(a[2] - b[2])
        elif MEASURE == "cosine":
            return 1.0 - wp.dot(wp.normalize(a), wp.normalize(b))
        elif MEASURE == "Chebyshev":
            return wp.max(wp.abs(a - b))
        else:
            return wp.length(a - b)

    FAR = {"cosine": 1.2, "Chebyshev": 2.0, "Euclidean": 3.0, "city-block": 4.0}[MEASURE]

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = given(n, low=-1.0, high=2.0),
        centre: wp.vec3 = given(low=-1.0, high=2.0),
        centres: wp.array[wp.vec3] = given(n, low=-1.0, high=2.0),
        label: int = given(low=10, high=30),
        best: wp.array[float] = updated(n, low=0.2 * FAR, high=0.8 * FAR),
        second: wp.array[float] = updated(n, low=0.8 * FAR, high=1.2 * FAR),
        labels: wp.array[int] = updated(n, low=0, high=9),
        changed: wp.array[int] = result(1),
    ):
        i = wp.tid()
        if CANDIDATE == "a new centre":
            d = measure(points[i], centre)
        else:
            d = measure(points[i], centres[i])
        better = d < best[i]
        if MANY == "two least":
            # what was best may be second now
            second[i] = wp.where(better, best[i], wp.min(second[i], d))
        if "label" in MARKED:
            labels[i] = wp.where(better, label, labels[i])
        else:
            wp.atomic_add(changed, 0, wp.where(better, 1, 0))
        best[i] = wp.where(better, d, best[i])


@idiom(
    level=2,
    names={
        "x": "x values field",
        "source": "source origin taken_from",
        "shifts": "shifts offsets lags",
        "count": "count length size",
        "out": "out moved rolled",
        "i": "i tid k",
        "kernel": "shift_field gather_shifted",
    },
)
def shifted_copy(c):
    """The entry {SHIFT} ahead of each, {SAID}{TAKEN}."""
    n = c.size(8, 12)
    SHIFT = c.meaning("a given shift", "its own shift", "half the length")
    EDGE = c.meaning("periodic", "held at the ends", "mirrored at the ends", "zero outside")
    TAKEN = c.meaning("", ", subtracted from readings in place", ", times its weight")
    SAID = EDGE.replace("ends", "end") if SHIFT == "half the length" else EDGE
    if EDGE != "periodic":
        c.names({"out": "out moved shifted"})
    if "subtracted" in TAKEN:
        c.names({"out": "readings measured residual", "kernel": "subtract_shifted lagged_differences"})

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = given(n, low=-1.0, high=3.0),
        shift: int = given(low=-3, high=3),
        shifts: wp.array[int] = given(n, low=-3, high=3),
        weights: wp.array[float] = given(n, low=0.3, high=1.5),
        out: wp.array[float] = updated(n, low=0.0, high=2.0)
        if TAKEN == ", subtracted from readings in place"
        else result(n),
    ):
        i = wp.tid()
        count = x.shape[0]
        if SHIFT == "a given shift":
            source = i + shift
        elif SHIFT == "its own shift":
            source = i + shifts[i]
        else:
            source = i + count // 2
        if SHIFT == "half the length":
            if EDGE == "periodic":
                value = x[source % count]
            elif EDGE == "held at the ends":
                value = x[wp.min(source, count - 1)]
            elif EDGE == "mirrored at the ends":
                value = x[count - 1 - wp.abs(count - 1 - source)]
            else:
                value = float(0.0)
                if source < count:
                    value = x[source]
        else:
            if EDGE == "periodic":
                # a remainder has the sign of what is divided
                value = x[(source + count) % count]
            elif EDGE == "held at the ends":
                value = x[wp.clamp(source, 0, count - 1)]
            elif EDGE == "mirrored at the ends":
                value = x[count - 1 - wp.abs(count - 1 - wp.abs(source))]
            else:
                value = float(0.0)
                if source >= 0 and source < count:
                    value = x[source]
        if TAKEN == ", subtracted from readings in place":
            out[i] -= value
        elif TAKEN == ", times its weight":
            out[i] = weights[i] * value
        else:
            out[i] = value


@idiom(
    level=2,
    names={
        "lower diagonal upper": "lower diagonal upper | below on above | sub main sup",
        "x": "x v unknowns",
        "before after": "before after | left right | previous following",
        "i": "i row tid",
    },
)
def banded_row_product(c):
    """{WHAT} of a {BAND} {WHOLE}, {ENDS}."""
    n = c.size()
    BAND = c.meaning("tridiagonal", "symmetric tridiagonal", "lower bidiagonal", "tridiagonal Toeplitz")
    RESIDUAL, RELAXED, ENERGY = ", as a residual", ", as a damped Jacobi update", ", as energy"
    if BAND in ("lower bidiagonal", "symmetric tridiagonal"):
        ENDS = c.meaning("zero beyond the ends", "with periodic ends")
    else:
        ENDS = c.meaning("zero beyond the ends", "with periodic ends", "mirrored at the ends")
    if BAND == "lower bidiagonal":
        GIVEN = c.meaning("", RESIDUAL)
    elif BAND == "tridiagonal" or ENDS == "mirrored at the ends":
        GIVEN = c.meaning("", RESIDUAL, RELAXED)
    else:
        GIVEN = c.meaning("", RESIDUAL, RELAXED, ENERGY)
    OFF, MIDDLE, OMEGA = c.constant(0.2, 0.9), c.constant(1.5, 3.0), c.constant(0.4, 0.9)
    WHAT, WHOLE, KERNELS, RESULTS = {
        "": ("The product", "matrix and a vector", "band_matvec multiply_band", "y out product"),
        RESIDUAL: ("The load less the product", "matrix and a vector", "band_residual", "residual r defect"),
        RELAXED: ("One damped Jacobi sweep", "system", "relax_rows jacobi_update", "x_new relaxed"),
        ENERGY: ("The energy, the sum of x (A x / 2 - load),", "matrix A", "band_energy add_energy", "y"),
    }[GIVEN]
    c.names({"kernel": KERNELS, "y": RESULTS})

    @c.kernel(n)
    def kernel(
        lower: wp.array[float] = given(n, low=-1.0, high=1.0),
        diagonal: wp.array[float] = given(n, low=1.0, high=3.0),
        upper: wp.array[float] = given(n, low=-1.0, high=1.0),
        x: wp.array[float] = given(n, low=-1.0, high=2.0),
        load: wp.array[float] = given(n, low=-1.0, high=2.0),
        y: wp.array[float] = result(n),
        energy: wp.array[float] = result(1),
    ):
        i = wp.tid()
        if ENDS == "with periodic ends":
            before = x[(i + x.shape[0] - 1) % x.shape[0]]
            if BAND != "lower bidiagonal":
                after = x[(i + 1) % x.shape[0]]
        elif ENDS == "mirrored at the ends":
            before = x[wp.abs(i - 1)]
            if BAND != "lower bidiagonal":
                after = x[x.shape[0] - 1 - wp.abs(x.shape[0] - 2 - i)]
        else:
            before = wp.where(i > 0, x[wp.max(i - 1, 0)], 0.0)
            if BAND != "lower bidiagonal":
                after = wp.where(i < x.shape[0] - 1, x[wp.min(i + 1, x.shape[0] - 1)], 0.0)
        if BAND == "symmetric tridiagonal":
            # the entry above the diagonal stands in the next row
            total = lower[i] * before + diagonal[i] * x[i] + lower[(i + 1) % x.shape[0]] * after
        elif BAND == "lower bidiagonal":
            total = lower[i] * before + diagonal[i] * x[i]
        elif BAND == "tridiagonal Toeplitz":
            total = MIDDLE * x[i] - OFF * (before + after)
        else:
            total = lower[i] * before + diagonal[i] * x[i] + upper[i] * after
        if GIVEN == RESIDUAL:
            y[i] = load[i] - total
        elif GIVEN == RELAXED and BAND == "tridiagonal Toeplitz":
            y[i] = x[i] + OMEGA * (load[i] - total) / MIDDLE
        elif GIVEN == RELAXED:
            y[i] = x[i] + OMEGA * (load[i] - total) / diagonal[i]
        elif GIVEN == ENERGY:
            wp.atomic_add(energy, 0, x[i] * (0.5 * total - load[i]))
        else:
            y[i] = total
