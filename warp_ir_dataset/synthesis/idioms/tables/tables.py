"""Looking values up in tables of knots, brackets and pieces."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=4,
    differentiable=False,
    names={
        "xs ys": "xs ys | knots values | times heights",
        "x": "x query at",
        "queries": "queries points samples",
        "out": "out result interpolated",
        "k": "k segment cell",
        "t": "t u along",
        "kernel": "interpolate_table lookup_curve",
    },
)
def interpolation_in_table(c):
    """{READ}, {SAID}, finding knots by {SEARCH}{RETURNED}.

    Look up each of {queries} in a table whose sorted knots {xs} have the values {ys}{SEARCHED}.
    {SEGMENT}{READING} {OUTSIDE}

    {WRITTEN}
    """
    n, count = c.size(), c.size(6, 9)
    METHOD = c.meaning("linearly", "to the nearest", "to the last one", "by Hermite cubics", "smoothly")
    SEARCH = c.meaning("bisection", "a linear scan", "counting")
    if METHOD in ("linearly", "by Hermite cubics"):
        BEYOND = c.meaning("held", "zero", "extrapolated")
    elif METHOD == "to the last one":
        BEYOND = "held"
    else:
        BEYOND = c.meaning("held", "zero")
    READ = {
        "to the nearest": "The value of a table at the knot nearest to each query",
        "to the last one": "The value of a table at the last knot up to each query",
        "smoothly": "Interpolates a table at each query by smoothstep",
    }.get(METHOD, f"Interpolates a table at each query {METHOD}")
    HERMITE, LINES = METHOD == "by Hermite cubics", "with its end slopes beyond it"
    SAID = {"held": "held at its ends", "zero": "zero beyond its ends", "extrapolated": LINES}[BEYOND]
    RETURNED = c.meaning("", ", scaled by its gain", ", added to the output")

    def segment(xs: wp.array[float], x: float) -> int:
        """The last segment that begins at or before a place, or the first one."""
        if SEARCH == "bisection":
            low = int(0)
            high = xs.shape[0] - 2
            while low < high:
                mid = (low + high + 1) // 2
                if xs[mid] <= x:
                    low = mid
                else:
                    high = mid - 1
            return low
        elif SEARCH == "counting":
            k = int(0)
            for j in range(1, xs.shape[0] - 1):
                if xs[j] <= x:
                    k += 1
            return k
        else:
            k = int(0)
            for j in range(1, xs.shape[0] - 1):
                if xs[j] > x:
                    break
                k = j
            return k

    def slope(xs: wp.array[float], ys: wp.array[float], k: int) -> float:
        """The slope at a knot, across its neighbours."""
        left = wp.max(k - 1, 0)
        right = wp.min(k + 1, xs.shape[0] - 1)
        return (ys[right] - ys[left]) / wp.max(xs[right] - xs[left], 1.0e-3)

    def hermite(start: float, end: float, m0: float, m1: float, t: float) -> float:
        if BEYOND == "extrapolated":
            # beyond the ends the curve goes straight on
            if t < 0.0:
                return start + t * m0
            if t > 1.0:
                return end + (t - 1.0) * m1
        rise = end - start
        return start + t * (m0 + t * (3.0 * rise - 2.0 * m0 - m1 + t * (m0 + m1 - 2.0 * rise)))

    SEARCHED = {
        "bisection": ", by bisection",
        "a linear scan": ", by a linear scan",
        "counting": ", by counting the knots before it",
    }[SEARCH]
    READING = {
        "linearly": "Interpolate linearly on it; the segment's length counts as at least 0.001.",
        "to the nearest": "Take the value at the nearer of its two knots, halfway the second.",
        "to the last one": ("Take the value at the last knot that is at or before the query."),
        "by Hermite cubics": (
            "Interpolate on it by the cubic Hermite polynomial whose slope at a knot is that of the line"
            " from the knot before to the one after; where one is missing, the knot itself stands in for"
            " it. The lengths of the segment and of such a line count as at least 0.001."
        ),
        "smoothly": (
            "Blend its two values by smoothstep, t²·(3 - 2·t) for the part t of the way; the segment's"
            " length counts as at least 0.001."
        ),
    }[METHOD]
    SEGMENT = ""
    if METHOD != "to the last one":
        SEGMENT = (
            "The segment of a query is the last one whose first knot is at or before it, or the first one. "
        )
    OUTSIDE = {
        "held": "Before the first knot and beyond the last, the value at that knot is held.",
        "zero": "Queries before the first or beyond the last knot give zero.",
        "extrapolated": (
            "Before the first and beyond the last knot go straight on with the slope at that end."
        ),
    }[BEYOND]
    WRITTEN = {
        "": "Store it in {out}.",
        ", scaled by its gain": "Store it, times {gains}, in {out}.",
        ", added to the output": "Add it to {out}, in place.",
    }[RETURNED]

    @c.kernel(n)
    def kernel(
        xs: wp.array[float] = input(count, low=0.0, high=4.0, trait="sorted"),
        ys: wp.array[float] = input(count, low=-2.0, high=2.0),
        queries: wp.array[float] = input(n, low=-0.5, high=4.5, of="value"),
        gains: wp.array[float] = input(n, low=0.5, high=2.0),
        out: wp.array[float] = inout(n, low=-1.0, high=1.0)
        if RETURNED == ", added to the output"
        else output(n, of="value"),
    ):
        tid = wp.tid()
        x = queries[tid]
        if BEYOND == "zero":
            if x < xs[0] or x > xs[xs.shape[0] - 1]:
                if RETURNED != ", added to the output":
                    out[tid] = 0.0
                return
        k = segment(xs, x)
        if METHOD == "to the nearest":
            value = wp.where(x - xs[k] < xs[k + 1] - x, ys[k], ys[k + 1])
        elif METHOD == "to the last one":
            value = wp.where(x < xs[k + 1], ys[k], ys[k + 1])
        else:
            # two knots may be the same
            width = wp.max(xs[k + 1] - xs[k], 1.0e-3)
            t = (x - xs[k]) / width
            if BEYOND == "held":
                t = wp.clamp(t, 0.0, 1.0)
        if HERMITE:
            m0 = width * slope(xs, ys, k)
            m1 = width * slope(xs, ys, k + 1)
            value = hermite(ys[k], ys[k + 1], m0, m1, t)
        elif METHOD == "smoothly":
            value = wp.lerp(ys[k], ys[k + 1], t * t * (3.0 - 2.0 * t))
        elif METHOD == "linearly":
            value = wp.lerp(ys[k], ys[k + 1], t)
        if RETURNED == ", scaled by its gain":
            out[tid] = gains[tid] * value
        elif RETURNED == ", added to the output":
            out[tid] += value
        else:
            out[tid] = value


@idiom(
    level=3,
    differentiable=False,
    names={
        "limits": "limits thresholds bracket_starts",
        "rates": "rates bracket_rates",
        "amounts": "amounts incomes",
        "out": "out due charges",
        "total": "total due charge",
        "i": "i tid item",
        "kernel": "apply_brackets tariff",
    },
)
def bracket_lookup(c):
    """The charge on each amount{START} {CHARGE}{CAP}{GIVEN}.

    Find the charge on each of {amounts}{REDUCED}. Bracket k is reached by amounts above `{limits}[k]`; these
    limits are sorted. {CHARGED} Amounts that reach none are charged 0.{CAPPED} {WRITTEN}
    """
    n, count = c.size(), c.size(3, 6)
    MARGINAL, SLAB, STEPS = "at marginal rates", "at the rate of its bracket", "by fees of brackets reached"
    CHARGE = c.meaning(MARGINAL, SLAB, STEPS)
    START = c.meaning(" less an allowance", "", ", rounded to a whole number,")
    CAP = c.meaning("", ", at most a maximum", ", at least a minimum")
    GIVEN = c.meaning("", ", taken off the amount in place", ", and the number of brackets reached")
    if CHARGE == STEPS:
        c.names({"rates": "fees prices"})
    elif CHARGE == SLAB:
        c.names({"total": "due charge"})
    ALLOWANCE, MAXIMUM, MINIMUM = c.constant(0.5, 1.5), c.constant(1.0, 2.0), c.constant(0.2, 0.6)
    REDUCED = {
        " less an allowance": " less an allowance of {ALLOWANCE}, at least 0",
        "": "",
        ", rounded to a whole number,": ", rounded to whole numbers, halves up",
    }[START]
    CHARGED = {
        "at marginal rates": (
            "Rates are marginal: the part of the amount in bracket k, from its limit to the next (the"
            " last has no end), is charged at `{rates}[k]`."
        ),
        "at the rate of its bracket": (
            "The whole amount is charged at `{rates}[k]` of the last bracket k that it reaches."
        ),
        "by fees of brackets reached": (
            "The charge is the sum of the fees `{rates}[k]` of all brackets reached."
        ),
    }[CHARGE]
    CAPPED = {
        "": "",
        ", at most a maximum": " The charge is at most {MAXIMUM}.",
        ", at least a minimum": " Every charge is at least {MINIMUM}.",
    }[CAP]
    WRITTEN = {
        "": "Store it in {out}.",
        ", taken off the amount in place": "Take it off {amounts}, in place{ORIGINAL}.",
        ", and the number of brackets reached": (
            "Store it in {out}, and the number of brackets reached in {bracket}."
        ),
    }[GIVEN]
    ORIGINAL = " (off the amount as it was given)" if START else ""

    @c.kernel(n)
    def kernel(
        limits: wp.array[float] = input(count, low=0.0, high=6.0, trait="sorted"),
        rates: wp.array[float] = input(count, low=0.1, high=0.6),
        amounts: wp.array[float] = (
            inout(n, low=0.0, high=8.0, of="value")
            if GIVEN == ", taken off the amount in place"
            else input(n, low=0.0, high=8.0, of="value")
        ),
        out: wp.array[float] = output(n, of="value"),
        bracket: wp.array[int] = output(n),
    ):
        i = wp.tid()
        if START == " less an allowance":
            amount = wp.max(amounts[i] - ALLOWANCE, 0.0)
        elif START:
            amount = wp.round(amounts[i])
        else:
            amount = amounts[i]
        total = float(0.0)
        if GIVEN == ", and the number of brackets reached":
            reached = int(0)
        for k in range(limits.shape[0]):
            if amount <= limits[k]:
                break
            if GIVEN == ", and the number of brackets reached":
                reached = k + 1
            if CHARGE == MARGINAL:
                # only what lies in the bracket is charged at its rate
                above = k + 1
                if above < limits.shape[0]:
                    total += rates[k] * (wp.min(amount, limits[above]) - limits[k])
                else:
                    total += rates[k] * (amount - limits[k])
            elif CHARGE == SLAB:
                total = rates[k] * amount
            else:
                total += rates[k]
        if CAP == ", at most a maximum":
            total = wp.min(total, MAXIMUM)
        elif CAP == ", at least a minimum":
            total = wp.max(total, MINIMUM)
        if GIVEN == ", taken off the amount in place":
            amounts[i] -= total
        else:
            out[i] = total
            if GIVEN == ", and the number of brackets reached":
                bracket[i] = reached


@idiom(
    level=4,
    names={
        "breaks": "breaks knots joints",
        "pieces": "pieces coefficients segments",
        "x": "x t at",
        "piece": "piece part segment",
        "out": "out values result",
        "kernel": "evaluate_pieces eval_pieces",
    },
)
def piecewise_curve(c):
    """The {WANTED} of a piecewise {PIECE} curve at each place, {BEYOND}, with pieces {BREAKS}.

    Evaluate a curve made of {PIECE} {pieces} at each of {places}. {BROKEN} At the distance t from the start
    of its piece, with the coefficients a, b, c and d of that, the curve is {FORMULA}. {OUTSIDE}

    Store {WRITTEN}.
    """
    n, count = c.size(), c.size(4, 7)
    WANTED = c.meaning("value", "slope", "second derivative", "value and slope")
    PIECE = c.meaning("cubic", "logistic", "exponential", "sinusoidal")
    # what is held has no slope
    BEYOND = c.meaning("held at its ends" if WANTED == "value" else "extended", "periodic", "zero outside")
    BREAKS = c.meaning("of one length", "between sorted breaks")
    if WANTED == "slope":
        c.names({"kernel": "piecewise_slopes slopes_of_pieces", "out": "out slopes tangents"})
    elif WANTED == "second derivative":
        c.names({"kernel": "piecewise_second_derivatives", "out": "out second_derivatives"})
    LENGTH, END = c.constant(0.6, 0.9), c.constant(3.2, 5.0)
    ONE = BREAKS == "of one length"

    class Piece:
        a: float
        b: float
        c: float
        d: float

    def value_of(piece: Piece, t: float) -> float:
        if PIECE == "cubic":
            return piece.a + t * (piece.b + t * (piece.c + t * piece.d))
        elif PIECE == "logistic":
            return piece.a + piece.b / (1.0 + wp.exp(-piece.c * (t - piece.d)))
        elif PIECE == "exponential":
            return piece.a + piece.b * wp.exp(-piece.c * t) + piece.d * t
        else:
            return piece.a + piece.b * wp.sin(piece.c * t + piece.d)

    def slope_of(piece: Piece, t: float) -> float:
        if PIECE == "cubic":
            return piece.b + t * (2.0 * piece.c + 3.0 * t * piece.d)
        elif PIECE == "logistic":
            s = 1.0 / (1.0 + wp.exp(-piece.c * (t - piece.d)))
            return piece.b * piece.c * s * (1.0 - s)
        elif PIECE == "exponential":
            return piece.d - piece.b * piece.c * wp.exp(-piece.c * t)
        else:
            return piece.b * piece.c * wp.cos(piece.c * t + piece.d)

    def second_derivative_of(piece: Piece, t: float) -> float:
        if PIECE == "cubic":
            return 2.0 * piece.c + 6.0 * t * piece.d
        elif PIECE == "logistic":
            s = 1.0 / (1.0 + wp.exp(-piece.c * (t - piece.d)))
            return piece.b * piece.c * piece.c * s * (1.0 - s) * (1.0 - 2.0 * s)
        elif PIECE == "exponential":
            return piece.b * piece.c * piece.c * wp.exp(-piece.c * t)
        else:
            return -piece.b * piece.c * piece.c * wp.sin(piece.c * t + piece.d)

    BROKEN = "Piece k reaches from k·{LENGTH} to (k + 1)·{LENGTH}, its end excluded."
    if not ONE:
        BROKEN = (
            "Piece k starts at `{breaks}[k]`, which are sorted, and reaches to the next break, which is"
            " excluded{ENDED}."
        )
    ENDED = "" if BEYOND == "extended" else "; the last one ends at {END}"
    FORMULA = {
        "cubic": "a + b·t + c·t² + d·t³",
        "logistic": "a + b / (1 + exp(-c·(t - d)))",
        "exponential": "a + b·exp(-c·t) + d·t",
        "sinusoidal": "a + b·sin(c·t + d)",
    }[PIECE]
    OUTSIDE = {
        "held at its ends": "Before the first and beyond the last piece the values at these ends are held.",
        "extended": "Before the first and beyond the last piece, these go on, t becoming negative or larger.",
        "periodic": "The curve is periodic: after the end of the last piece it begins again with the first.",
        "zero outside": "Before the first and beyond the last piece all is zero{CLOSED}.",
    }[BEYOND]
    CLOSED = "; the end itself belongs to the last one" if not ONE else "; the end itself is outside"
    SECOND = ", here 2·c + 6·d·t," if PIECE == "cubic" else ""
    WRITTEN = {
        "value": "its value in {out}",
        "slope": "its derivative in {out}",
        "second derivative": "its second derivative{SECOND} in {out}",
        "value and slope": "its value in {out} and its derivative in {slopes}",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        places: wp.array[float] = input(n, low=-1.0, high=0.9 * count + 0.7 if ONE else 5.6, of="value"),
        breaks: wp.array[float] = input(count, low=0.0, high=3.0, trait="sorted"),
        pieces: wp.array[Piece] = input(count, low=0.3, high=2.0),
        out: wp.array[float] = output(n, of="value"),
        slopes: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        x = places[tid]
        if ONE and BEYOND in ("periodic", "held at its ends"):
            whole = LENGTH * float(pieces.shape[0])
        if BEYOND == "periodic" and ONE:
            x -= whole * wp.floor(x / whole)
        elif BEYOND == "periodic":
            # the last piece ends at {END}
            whole = END - breaks[0]
            x -= whole * wp.floor((x - breaks[0]) / whole)
        elif BEYOND == "held at its ends":
            x = wp.clamp(x, 0.0 if ONE else breaks[0], whole if ONE else END)
        elif BEYOND == "zero outside":
            if ONE:
                k = int(wp.floor(x / LENGTH))
            if (k < 0 or k >= pieces.shape[0]) if ONE else (x < breaks[0] or x > END):
                out[tid] = 0.0
                if WANTED == "value and slope":
                    slopes[tid] = 0.0
                return
        if ONE:
            if BEYOND in ("extended", "periodic"):
                k = wp.clamp(int(x / LENGTH), 0, pieces.shape[0] - 1)
            elif BEYOND == "held at its ends":
                k = wp.min(int(x / LENGTH), pieces.shape[0] - 1)
            t = x - float(k) * LENGTH
        else:
            k = int(0)
            for j in range(1, breaks.shape[0]):
                if breaks[j] <= x:
                    k = j
            t = x - breaks[k]
        piece = pieces[k]
        if WANTED == "value":
            out[tid] = value_of(piece, t)
        elif WANTED == "slope":
            out[tid] = slope_of(piece, t)
        elif WANTED == "second derivative":
            out[tid] = second_derivative_of(piece, t)
        else:
            out[tid] = value_of(piece, t)
            slopes[tid] = slope_of(piece, t)


@idiom(
    level=3,
    differentiable=False,
    names={
        "table": "table records samples",
        "col": "col column j",
        "before": "before baseline early",
        "after": "after recent late",
        "out": "out shifts drift",
        "kernel": "column_shifts compare_periods",
    },
)
def column_shift(c):
    """How the {LEVEL} of each column changes from its first {MANY} rows to {LATER}, as {KIND}{MARKED}.

    Compare two periods of each column of {table}: P is {MEASURED} over its first {MANY} rows, and Q that over
    {SECOND}. Store {SHIFTED} in {out}.{NOTED}
    """
    rows, cols = c.size(7, 10), c.size(6, 10)
    LEVEL, HELPERS = c.meaning(
        ("mean", "mean average"),
        ("largest entry", "largest peak"),
        ("mean square", "mean_square power"),
        ("mean positive part", "mean_positive positive_part"),
        ("range", "range_of spread"),
    )
    MARKED = c.meaning("", ", marking large ones", ", with both values")
    SHIFT = c.meaning("difference", "relative change", "absolute difference")
    POSITIVE = LEVEL in ("mean square", "mean positive part", "range")
    if POSITIVE and SHIFT == "relative change":
        SHIFT = c.meaning("relative change", "ratio")
    KIND = f"an {SHIFT}" if SHIFT == "absolute difference" else f"a {SHIFT}"
    c.names({"level": HELPERS})
    LATER = c.meaning("the rest", "the last three", "all")
    if LATER == "all":
        c.names({"after": "overall whole"})
    if SHIFT == "ratio":
        c.names({"kernel": "column_ratios compare_periods", "shift": "ratio growth", "out": "out ratios"})
    SPLIT, MANY = c.style((3, "three"), (4, "four"))
    LIMIT = c.constant(0.1, 0.4)

    def level(entries: wp.array[float]) -> float:
        if LEVEL == "largest entry":
            most = entries[0]
            for k in range(1, entries.shape[0]):
                most = wp.max(most, entries[k])
            return most
        elif LEVEL == "range":
            least = entries[0]
            most = entries[0]
            for k in range(1, entries.shape[0]):
                least = wp.min(least, entries[k])
                most = wp.max(most, entries[k])
            return most - least
        else:
            total = float(0.0)
            for k in range(entries.shape[0]):
                if LEVEL == "mean":
                    total += entries[k]
                elif LEVEL == "mean square":
                    total += entries[k] * entries[k]
                else:
                    total += wp.max(entries[k], 0.0)
            return total / float(entries.shape[0])

    MEASURED = {
        "mean": "the mean",
        "largest entry": "the largest entry",
        "mean square": "the mean square",
        "mean positive part": "the mean of max(entry, 0)",
        "range": "the range, largest less smallest entry,",
    }[LEVEL]
    SECOND = {
        "the rest": "the rest",
        "the last three": "its last three rows",
        "all": "all its rows",
    }[LATER]
    SHIFTED = {
        "difference": "Q - P",
        "relative change": "(Q - P) / max(|P|, 0.001)",
        "absolute difference": "|Q - P|",
        "ratio": "Q / max(P, 0.001)",
    }[SHIFT]
    LARGE = {
        "difference": "its absolute value exceeds {LIMIT}",
        "relative change": "its absolute value exceeds {LIMIT}",
        "absolute difference": "it exceeds {LIMIT}",
        "ratio": "it is more than {LIMIT} away from 1",
    }[SHIFT]
    NOTED = {
        "": "",
        ", marking large ones": " {marks} tells whether {LARGE}.",
        ", with both values": " Store P and Q in the column's row of {levels}.",
    }[MARKED]

    @c.kernel(cols)
    def kernel(
        table: wp.array2d[float] = input(rows, cols, low=-0.5, high=2.0),
        out: wp.array[float] = output(cols),
        marks: wp.array[bool] = output(cols),
        levels: wp.array2d[float] = output(cols, 2),
    ):
        col = wp.tid()
        before = level(table[:SPLIT, col])
        if LATER == "the rest":
            after = level(table[SPLIT:, col])
        elif LATER == "the last three":
            after = level(table[-3:, col])
        else:
            after = level(table[:, col])
        if SHIFT == "difference":
            shift = after - before
        elif SHIFT == "ratio":
            shift = after / wp.max(before, 1.0e-3)
        elif SHIFT == "relative change":
            shift = (after - before) / wp.max(before if POSITIVE else wp.abs(before), 1.0e-3)
        else:
            shift = wp.abs(after - before)
        out[col] = shift
        if MARKED == ", marking large ones":
            if SHIFT == "ratio":
                # a ratio of one is no change
                marks[col] = wp.abs(shift - 1.0) > LIMIT
            elif SHIFT == "absolute difference":
                marks[col] = shift > LIMIT
            else:
                marks[col] = wp.abs(shift) > LIMIT
        elif MARKED:
            levels[col, 0] = before
            levels[col, 1] = after
