"""Quantization: floats as small integers, and back."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=4,
    names={
        "x": "x weights activations",
        "codes": "codes q quantized",
        "scales": "scales row_scales steps",
        "scale": "scale step delta",
        "largest": "largest absmax peak",
        "row k": "row k | i j | channel entry",
        "kernel": "quantize quantize_rows encode_rows",
    },
)
def quantize_rows(c):
    """Quantizes each row of {x} to {CODES}{BY}{ROUND}{ALSO}.

    Quantize each row of {x}, of entries z, to {CODES}. {SCALING}. {scales} gets the scale. The code of an
    entry, in {codes}, is {HOW}.{DRAW}{MORE}
    """
    FIXED = c.style(True, False)
    n, width = c.size(5, 8), c.size(3, 4) if FIXED else c.size(4, 8)
    KIND = c.meaning("signed codes", "bytes with an offset", "three levels", "signs")
    BYTES = KIND in ("signed codes", "bytes with an offset")
    ROUND = c.meaning("", ", rounded stochastically") if BYTES else ""
    SPREADS = c.meaning(False, True) if KIND == "signed codes" else False
    ALSO = c.meaning("", ", and measures the squared error in steps", ", and leaves the residual")
    RANDOM, OFFSET, LEVELS = ROUND != "", KIND == "bytes with an offset", KIND == "three levels"
    LEAVES, MEASURES = (
        ALSO == ", and leaves the residual",
        ALSO == ", and measures the squared error in steps",
    )
    MOST = c.style(7, 31, 127) if BYTES and not LEAVES else c.style(7, 31)
    WIDE = MOST > 64
    CODES = f"signed codes up to {MOST}" if KIND == "signed codes" else KIND
    if SPREADS:
        BY = " at a scale from its root mean square"
    else:
        BY = {
            "signed codes": " at a scale from its largest entry",
            "bytes with an offset": " at a scale from its range",
            "three levels": " at the scale of its mean magnitude",
            "signs": " at the scale of its mean magnitude",
        }[KIND]
    SPREAD, DEAD = c.constant(1.1, 1.6), c.constant(0.4, 0.9)
    SCALING = {
        "bytes with an offset": "The offset o is the least entry of the row and goes to {offsets}; the "
        "scale is its range, the greatest entry less the least and at least 0.0001, divided by 255, and "
        "u = (z - o) / scale",
        "three levels": "The scale is the mean of |z| over the row, with 0.0001 added to the sum, and u "
        "= z / scale",
        "signs": "The scale is the mean of |z| over the row, with 0.0001 added to the sum, and u = z / scale",
        "signed codes": "The scale is the largest |z| of the row, at least 0.0001, divided by {MOST}, "
        "and u = z / scale",
    }[KIND]
    if SPREADS:
        SCALING = (
            "The scale is {SPREAD} times the root mean square of the row, with 0.0001 added to the sum "
            "of squares, divided by {MOST}, and u = z / scale"
        )
    HOW = ""
    if BYTES:
        HOW = "u rounded to the nearest whole number, halves away from 0"
        if RANDOM:
            HOW = "⌊u + r⌋ with a random number r"
        if OFFSET:
            HOW += ", clamped to 0 … 255"
        elif SPREADS or not WIDE:
            HOW += ", clamped to -{MOST} … {MOST}"
    elif LEVELS:
        HOW = "the sign of u if |u| > {DEAD}, and otherwise 0"
    else:
        HOW = "the sign of u, 1 or -1 (1 for 0)"
    DRAW = ""
    if RANDOM:
        DRAW = (
            " Row i draws its random numbers from the state `wp.rand_init({seed}, i)`, one `wp.randf` "
            "for each column in order."
        )
    MORE = ""
    if MEASURES:
        MORE = " {errors} gets the sum of (code - u)² over the row."
    elif LEAVES:
        MORE = " Each entry of {x} is replaced by its residual, z - code·scale" + (" - o." if OFFSET else ".")

    @c.kernel(n)
    def kernel(
        seed: int = input(low=0, high=1000),
        x: wp.array2d[float] = inout(n, width, low=-2.0, high=2.0)
        if LEAVES
        else input(n, width, low=-2.0, high=2.0),
        codes: wp.array2d[wp.uint8 if OFFSET else int if WIDE else wp.int8] = output(n, width),
        scales: wp.array[float] = output(n),
        offsets: wp.array[float] = output(n),
        errors: wp.array[float] = output(n, of="value"),
    ):
        row = wp.tid()
        if not FIXED:
            cols = x.shape[1]
        if OFFSET:
            least = x[row, 0]
            most = x[row, 0]
            for k in range(1, width if FIXED else cols):
                least = wp.min(least, x[row, k])
                most = wp.max(most, x[row, k])
            # a row of equal entries has no range
            scale = wp.max(most - least, 1.0e-4) / 255.0
            offsets[row] = least
        elif KIND == "signed codes" and not SPREADS:
            largest = float(1.0e-4)
            for k in range(width if FIXED else cols):
                largest = wp.max(largest, wp.abs(x[row, k]))
            scale = largest / float(MOST)
        else:
            total = float(1.0e-4)
            for k in range(width if FIXED else cols):
                total += x[row, k] * x[row, k] if BYTES else wp.abs(x[row, k])
            if BYTES:
                scale = SPREAD * wp.sqrt(total / float(width if FIXED else cols)) / float(MOST)
            else:
                scale = total / float(width if FIXED else cols)
        scales[row] = scale
        if RANDOM:
            state = wp.rand_init(seed, row)
        if MEASURES:
            error = float(0.0)
        for k in range(width if FIXED else cols):
            if OFFSET:
                u = (x[row, k] - least) / scale
            else:
                u = x[row, k] / scale
            if LEVELS:
                level = wp.where(wp.abs(u) > DEAD, wp.sign(u), 0.0)
            elif KIND == "signs":
                level = wp.sign(u)
            elif RANDOM:
                level = wp.floor(u + wp.randf(state))
            else:
                level = wp.round(u)
            if OFFSET:
                # rounding errors must not push the largest entry past the last code
                level = wp.clamp(level, 0.0, 255.0)
                codes[row, k] = wp.uint8(level)
            else:
                if SPREADS or (BYTES and not WIDE):
                    level = wp.clamp(level, -float(MOST), float(MOST))
                codes[row, k] = int(level) if WIDE else wp.int8(level)
            if MEASURES:
                d = level - u
                error += d * d
            elif LEAVES:
                x[row, k] = x[row, k] - level * scale - least if OFFSET else x[row, k] - level * scale
        if MEASURES:
            errors[row] = error


@idiom(
    level=2,
    names={
        "x": "x values weights",
        "codes": "codes q quantized",
        "scale": "scale step delta",
        "u": "u scaled t",
        "kernel": "quantize encode to_codes",
    },
)
def symmetric_quantization(c):
    """Quantizes each entry of {x} to a signed code up to {MOST}, {CURVE}{SCALES}{CUTS}.

    Quantize each entry z of {x} to a signed code, with 0 for 0. Let {BY}. {codes} gets {CODE}, clamped to
    -{MOST} … {MOST}.{COUNT}
    """
    n, width = c.size(5, 9), c.size(4, 8)
    SCALES = c.meaning(" at one scale", " at a scale per column", " at a scale per row")
    CUTS = c.meaning("", ", counting what is clipped")
    MOST = c.style(7, 31, 127)
    WIDE = MOST > 64

    def nearest(u: float) -> float:
        """rounded to nearest."""
        return wp.round(u)

    def down(u: float) -> float:
        """rounded down."""
        return wp.floor(u)

    def dead_zone(u: float) -> float:
        """rounded towards zero."""
        return wp.sign(u) * wp.floor(wp.abs(u))

    def root(u: float) -> float:
        """rounded on a square-root curve."""
        return wp.sign(u) * wp.round(float(MOST) * wp.sqrt(wp.abs(u)))

    def mu_law(u: float) -> float:
        """rounded on a mu-law curve."""
        return wp.sign(u) * wp.round(float(MOST) * wp.log(1.0 + MU * wp.abs(u)) / wp.log(1.0 + MU))

    CURVE = c.meaning(nearest, down, dead_zone, root, mu_law)
    CURVED = CURVE in (root, mu_law)
    # the scale is that of a step, or the largest number that has a code; some numbers lie beyond
    unit = 1.0 if CURVED else float(MOST)
    MU = c.constant(10.0, 90.0)
    if CURVED:
        SCALE = c.constant(1.3, 1.8, step=0.1)
    else:
        low, high, step = {7: (0.19, 0.25, 0.01), 31: (0.042, 0.058, 0.002), 127: (0.01, 0.014, 0.001)}[MOST]
        SCALE = c.constant(low, high, step=step)
    if CURVED:
        c.names(
            {
                "scale": "scale limit ceiling",
                "scales": "scales limits peaks",
                "kernel": "compand quantize_companded",
            }
        )
    CODE = {
        nearest: "u rounded to the nearest whole number, halves away from 0",
        down: "⌊u⌋",
        dead_zone: "u rounded towards zero, which leaves a dead zone around 0",
        root: "the sign of u times {MOST}·√|u| rounded to the nearest whole number, halves away from "
        "0 (a square-root companding curve)",
        mu_law: "the sign of u times {MOST}·ln(1 + {MU}·|u|) / ln(1 + {MU}) rounded to the nearest whole "
        "number, halves away from 0 (mu-law companding)",
    }[CURVE]
    BY = {
        " at one scale": "u = z / {SCALE}",
        " at a scale per column": "u = z / `{scales}[j]` in column j",
        " at a scale per row": "u = z / `{scales}[i]` in row i",
    }[SCALES]
    COUNT = " The number of entries that the clamp changes is added to `{cuts}[0]`." if CUTS else ""

    @c.kernel(n, width)
    def kernel(
        x: wp.array2d[float] = input(n, width, low=-2.0, high=2.0, of="activation"),
        scales: wp.array[float] = input(width if "column" in SCALES else n, low=1.2 / unit, high=1.9 / unit),
        codes: wp.array2d[int if WIDE else wp.int8] = output(n, width),
        cuts: wp.array[int] = inout(1, low=0, high=5),
    ):
        i, j = wp.tid()
        if SCALES == " at a scale per column":
            u = x[i, j] / scales[j]
        elif SCALES == " at a scale per row":
            u = x[i, j] / scales[i]
        else:
            u = x[i, j] / SCALE
        level = CURVE(u)
        if CUTS != "":
            if wp.abs(level) > float(MOST):
                wp.atomic_add(cuts, 0, 1)
        level = wp.clamp(level, -float(MOST), float(MOST))
        codes[i, j] = int(level) if WIDE else wp.int8(level)


@idiom(
    level=2,
    names={
        "codes": "codes q quantized",
        "scales": "scales steps deltas",
        "offsets": "offsets zero_points zeros",
        "w": "w weights out",
        "value": "value level v",
        "row col": "row col | i j",
        "kernel": "dequantize dequantize_kernel decode_weights",
    },
)
def dequantize_weights(c):
    """Dequantizes weights from {KIND} at a scale per {PER}{SUM}{ACTED}.

    Dequantize weights at a scale per {PER}. The value of `{codes}[i, j]` is {VALUE}. Its product with
    {SCALE} {GETS}{ONLY}.
    """
    n, width = c.size(5, 8), 2 * c.size(3, 4)
    KIND = c.meaning(
        "signed bytes",
        "bytes with a zero point per row",
        "bytes that are exponents",
        "bytes that index a table of levels",
    )
    PER = c.meaning("row", "column", "pair of entries in a row")
    ADDED = c.meaning(False, True)
    SUM = ", and accumulates them" if ADDED else ""
    ACTED = c.meaning("", " where they are kept" if ADDED else ", zero where they are not kept")
    TABLE, SIGNED, POWERS = KIND.endswith("levels"), KIND == "signed bytes", KIND.endswith("exponents")
    ROW, COLUMN = PER == "row", PER == "column"
    shape = (n, width // 2) if PER == "pair of entries in a row" else (n if ROW else width,)
    BASE = c.constant(1.1, 1.6)
    VALUE = {
        "signed bytes": "the code itself",
        "bytes with a zero point per row": "the code less `{offsets}[i]`, the zero point of its row i",
        "bytes that are exponents": "{BASE} to the power of the code",
        "bytes that index a table of levels": "the entry of {levels} that the code is the index of",
    }[KIND]
    SCALE = "`{scales}[i]`" if ROW else "`{scales}[j]`" if COLUMN else "`{scales}[i, ⌊j / 2⌋]`"
    GETS = "is added to `{w}[i, j]`" if ADDED else "goes to `{w}[i, j]`"
    ONLY = ""
    if ACTED:
        ONLY = ", if `{kept}[i, j]` is not 0; other entries " + ("stay as they are" if ADDED else "become 0")

    @c.kernel(n, width)
    def kernel(
        codes: wp.array2d[wp.int8 if SIGNED else wp.uint8] = input(
            n, width, low=-127 if SIGNED else 0, high=15 if TABLE else 7 if POWERS else 127
        ),
        scales: (wp.array2d[float] if len(shape) == 2 else wp.array[float]) = input(
            *shape, low=0.1, high=2.0
        ),
        offsets: wp.array[int] = input(n, low=10, high=90),
        levels: wp.array[float] = input(16, low=-1.0, high=1.0),
        kept: wp.array2d[wp.uint8] = input(n, width, low=0, high=1),
        w: wp.array2d[float] = inout(n, width, low=-20.0, high=20.0) if ADDED else output(n, width),
    ):
        row, col = wp.tid()
        if ACTED != "":
            if kept[row, col] == wp.uint8(0):
                if not ADDED:
                    w[row, col] = 0.0
                return
        if TABLE:
            value = levels[int(codes[row, col])]
        elif POWERS:
            value = wp.pow(BASE, float(codes[row, col]))
        elif KIND.endswith("per row"):
            value = float(int(codes[row, col]) - offsets[row])
        else:
            value = float(codes[row, col])
        if ADDED:
            w[row, col] += value * (scales[row] if ROW else scales[col] if COLUMN else scales[row, col // 2])
        else:
            w[row, col] = value * (scales[row] if ROW else scales[col] if COLUMN else scales[row, col // 2])
