"""Quantization: floats as small integers, and back."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


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
    """Quantizes each row of {x} to {KIND}{ROUND}{BY}{ALSO}."""
    FIXED = c.spelling(True, False)
    n, width = c.size(5, 8), c.size(3, 4) if FIXED else c.size(4, 8)
    KIND = c.meaning("signed codes", "bytes with an offset", "three levels", "signs")
    BYTES = KIND in ("signed codes", "bytes with an offset")
    ROUND = c.meaning("", ", rounded stochastically") if BYTES else ""
    BY = c.meaning("", ", scaled by the root mean square") if KIND == "signed codes" else ""
    ALSO = c.meaning("", ", and measures the squared error in steps", ", and leaves the residual")
    RANDOM, OFFSET, LEVELS = ROUND != "", KIND == "bytes with an offset", KIND == "three levels"
    LEAVES, MEASURES = (
        ALSO == ", and leaves the residual",
        ALSO == ", and measures the squared error in steps",
    )
    MOST = c.spelling(7, 31, 127) if BYTES and not LEAVES else c.spelling(7, 31)
    WIDE = MOST > 64
    SPREAD, DEAD = c.constant(2.0, 3.0), c.constant(0.4, 0.9)

    @c.kernel(n)
    def kernel(
        seed: int = given(low=0, high=1000),
        x: wp.array2d[float] = updated(n, width, low=-2.0, high=2.0)
        if LEAVES
        else given(n, width, low=-2.0, high=2.0),
        codes: wp.array2d[wp.uint8 if OFFSET else int if WIDE else wp.int8] = result(n, width),
        scales: wp.array[float] = result(n),
        offsets: wp.array[float] = result(n),
        errors: wp.array[float] = result(n, of="value"),
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
        elif KIND == "signed codes" and BY == "":
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
                level = wp.clamp(level, 0.0, 255.0)
                codes[row, k] = wp.uint8(level)
            else:
                if BYTES:
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
    """Quantizes each entry of {x} to a signed code {CURVE}{SCALES}{CUTS}."""
    n, width = c.size(5, 9), c.size(4, 8)
    SCALES = c.meaning("", ", at a scale per column", ", at a scale per row")
    CUTS = c.meaning("", ", counting what is clipped")
    SCALE, FINENESS = c.constant(0.05, 0.4), c.constant(1.5, 4.0)

    MOST = c.spelling(5, 7, 127)
    WIDE = MOST > 64

    def nearest(u: float) -> float:
        """rounded to nearest."""
        return wp.round(u)

    def down(u: float) -> float:
        """rounded down."""
        return wp.floor(u)

    def dead_zone(u: float) -> float:
        """with a dead zone."""
        return wp.sign(u) * wp.floor(wp.abs(u))

    def root(u: float) -> float:
        """on a square-root scale."""
        return wp.sign(u) * wp.round(FINENESS * wp.sqrt(wp.abs(u)))

    def logarithmic(u: float) -> float:
        """on a logarithmic scale."""
        return wp.sign(u) * wp.round(FINENESS * wp.log(1.0 + wp.abs(u)))

    CURVE = c.meaning(nearest, down, dead_zone, root, logarithmic)

    @c.kernel(n, width)
    def kernel(
        x: wp.array2d[float] = given(n, width, low=-2.0, high=2.0, of="activation"),
        scales: wp.array[float] = given(width if "column" in SCALES else n, low=0.05, high=0.4),
        codes: wp.array2d[int if WIDE else wp.int8] = result(n, width),
        cuts: wp.array[int] = updated(1, low=0, high=5),
    ):
        i, j = wp.tid()
        if SCALES == ", at a scale per column":
            u = x[i, j] / scales[j]
        elif SCALES == ", at a scale per row":
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
    """Dequantizes {KIND} into weights at a scale per {PER}{ADDED}{ACTED}."""
    n, width = c.size(5, 8), 2 * c.size(3, 4)
    KIND = c.meaning("signed bytes", "bytes with offsets", "bytes of logarithms", "bytes of a table")
    PER = c.meaning("row", "column", "block of two")
    ADDED = c.meaning("", ", and accumulates them")
    ACTED = c.meaning("", ", masked")
    TABLE, SIGNED = KIND == "bytes of a table", KIND == "signed bytes"
    ROW, COLUMN = PER == "row", PER == "column"
    shape = (n, width // 2) if PER == "block of two" else (n if ROW else width,)
    BASE = c.constant(1.1, 1.6)

    @c.kernel(n, width)
    def kernel(
        codes: wp.array2d[wp.int8 if SIGNED else wp.uint8] = given(
            n, width, low=-127 if SIGNED else 0, high=15 if TABLE else 7 if "log" in KIND else 127
        ),
        scales: (wp.array2d[float] if len(shape) == 2 else wp.array[float]) = given(
            *shape, low=0.1, high=2.0
        ),
        offsets: wp.array[int] = given(n, low=10, high=90),
        levels: wp.array[float] = given(16, low=-1.0, high=1.0),
        kept: wp.array2d[wp.uint8] = given(n, width, low=0, high=1),
        w: wp.array2d[float] = updated(n, width, low=-20.0, high=20.0) if ADDED != "" else result(n, width),
    ):
        row, col = wp.tid()
        if ACTED != "":
            if kept[row, col] == wp.uint8(0):
                if ADDED == "":
                    w[row, col] = 0.0
                return
        if TABLE:
            value = levels[int(codes[row, col])]
        elif KIND == "bytes of logarithms":
            value = wp.pow(BASE, float(codes[row, col]))
        elif KIND == "bytes with offsets":
            value = float(int(codes[row, col]) - offsets[row])
        else:
            value = float(codes[row, col])
        if ADDED != "":
            w[row, col] += value * (scales[row] if ROW else scales[col] if COLUMN else scales[row, col // 2])
        else:
            w[row, col] = value * (scales[row] if ROW else scales[col] if COLUMN else scales[row, col // 2])
