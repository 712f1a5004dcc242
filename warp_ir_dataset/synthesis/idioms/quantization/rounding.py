"""Quantization that stays in floats, or leaves rounding to chance."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "x": "x inputs values",
        "y": "y out fake_quantized",
        "dy": "dy grad_out adj_y",
        "scale": "scale step delta",
        "level": "level code q",
        "i j": "i j | row col | channel entry",
        "kernel": "fake_quantize quantize_dequantize qdq",
    },
)
def fake_quantization(c):
    """{ACT} {STEPS} {PER}{RANGE}{ALSO}.

    {WHAT}. For an entry z of {x}, u = z / scale{SHIFTED}, where the scale is {SCALE}. {DO}
    """
    n, width = c.size(5, 8), c.size(4, 7)
    BACK = c.meaning(False, True)
    ACT = "The straight-through gradient of rounding to" if BACK else "Rounds entries to"
    BITS = c.meaning("signed", "offset")
    PER = c.meaning("of a scale per row", "of one scale")
    RANGE = c.meaning("", ", fading beyond them" if BACK else ", wrapped at the ends")
    if BACK:
        ALSO = c.meaning("", ", with that of the scale")
    else:
        LOST = ", counting what wraps" if RANGE else ", counting what is clipped"
        # nobody blends with what was wrapped
        ALSO = c.meaning(
            "", ", and stores the codes", LOST, *(() if RANGE else (", then blends with the input",))
        )
    COUNTED = "counting" in ALSO
    c.names({"lost": "wraps wrapped overflows" if RANGE else "cuts clipped saturated"})
    OFFSET, ROW = BITS == "offset", PER == "of a scale per row"
    LEVELS, BLEND = c.style(3, 7), c.constant(0.2, 0.8)
    if RANGE and not BACK and not OFFSET:
        LEVELS += 1
        STEPS = f"steps -{LEVELS} to {LEVELS - 1}"
    else:
        STEPS = f"steps 0 to {LEVELS} around a zero point" if OFFSET else f"steps -{LEVELS} to {LEVELS}"
    if BACK:
        c.names({"kernel": "fake_quantize_backward qdq_backward ste_kernel"})
    SCALE = "`{scales}[i]`, the scale of its row i" if ROW else "`{scales}[0]`"
    SHIFTED = " + {zero}" if OFFSET else ""
    LOW = "0" if OFFSET else "-{LEVELS}"
    HIGH = "{LESS}" if RANGE and not BACK and not OFFSET else "{LEVELS}"
    LESS = LEVELS - 1
    COUNT = LEVELS + 1 if OFFSET else 2 * LEVELS
    ENDS = "wrapped around modulo {COUNT} into {LOW} … {HIGH}" if RANGE else "clamped to {LOW} … {HIGH}"
    UNSHIFTED = "(q - {zero})" if OFFSET else "q"
    EDGE_RULE = "wrap" if RANGE else "clamp"
    STORED = ""
    if COUNTED:
        STORED = " The number of entries that the {EDGE_RULE} changes is added to `{lost}[0]`."
    elif ALSO == ", and stores the codes":
        STORED = " {codes} gets q."
    RESULT = "{UNSHIFTED} times the scale"
    if ALSO == ", then blends with the input":
        RESULT = "(1 - {BLEND})·z + {BLEND}·{UNSHIFTED}·scale"
    if BACK:
        WHAT = "Backpropagate through fake quantization with the straight-through gradient"
        DO = (
            "The range of u is {LOW} to {HIGH}, both ends included. {dx} gets the gradient {dy} in the "
            "range, and {BEYOND} outside."
        )
        BEYOND = "{dy}·exp(-e), where e is how far u lies beyond the nearer end," if RANGE else "0"
        if ALSO:
            DO += (
                " The gradient of the scale is added up in {dscales}, over {OVER}: it is {dy} times "
                "round(u) - u in the range, with halves rounded away from 0, and outside {dy} times the "
                "nearer end{LESS_ZERO}."
            )
        OVER = "the row" if ROW else "all entries"
        LESS_ZERO = " less {zero}" if OFFSET else ""
    else:
        WHAT = "Fake-quantize {x}, by rounding it to steps and going back to floats"
        DO = (
            "Let q be u rounded to the nearest whole number, halves away from 0, and then {ENDS}.{STORED} "
            "{y} gets {RESULT}."
        )

    @c.kernel(n, width)
    def kernel(
        x: wp.array2d[float] = input(n, width, low=-3.0, high=3.0, of="weights" if BACK else "activation"),
        dy: wp.array2d[float] = input(n, width, low=-1.0, high=1.0, of="gradient"),
        scales: wp.array[float] = input(n if ROW else 1, low=0.2, high=0.5),
        zero: int = input(low=1, high=LEVELS - 1),
        y: wp.array2d[float] = output(n, width, of="activation"),
        codes: wp.array2d[int] = output(n, width),
        lost: wp.array[int] = inout(1, low=0, high=5),
        dx: wp.array2d[float] = output(n, width, of="gradient"),
        dscales: wp.array[float] = inout(n if ROW else 1, low=-1.0, high=1.0),
    ):
        i, j = wp.tid()
        scale = scales[i] if ROW else scales[0]
        u = x[i, j] / scale + float(zero) if OFFSET else x[i, j] / scale
        if not BACK:
            level = wp.round(u)
            if COUNTED:
                if OFFSET:
                    if level < 0.0 or level > float(LEVELS):
                        wp.atomic_add(lost, 0, 1)
                elif RANGE != "":
                    if level < -float(LEVELS) or level >= float(LEVELS):
                        wp.atomic_add(lost, 0, 1)
                elif wp.abs(level) > float(LEVELS):
                    wp.atomic_add(lost, 0, 1)
            if RANGE != "":
                # as an integer that overflows
                if OFFSET:
                    level -= float(LEVELS + 1) * wp.floor(level / float(LEVELS + 1))
                else:
                    level -= float(2 * LEVELS) * wp.floor(level / float(2 * LEVELS) + 0.5)
            else:
                level = wp.clamp(level, 0.0 if OFFSET else -float(LEVELS), float(LEVELS))
            if ALSO == ", and stores the codes":
                codes[i, j] = int(level)
            value = (level - float(zero)) * scale if OFFSET else level * scale
            y[i, j] = wp.lerp(x[i, j], value, BLEND) if ALSO == ", then blends with the input" else value
        else:
            level = wp.clamp(u, 0.0 if OFFSET else -float(LEVELS), float(LEVELS))
            g = dy[i, j]
            if ALSO != "":
                if OFFSET:
                    # derivative by the scale: rounding error inside, limit less zero point outside
                    d = wp.round(level) - u if level == u else level - float(zero)
                else:
                    # derivative by the scale: rounding error inside the range, limit outside
                    d = wp.round(level) - u if level == u else level
                wp.atomic_add(dscales, i if ROW else 0, g * d)
            if RANGE != "":
                dx[i, j] = g * wp.exp(-wp.abs(u - level))
            elif level == u:
                dx[i, j] = g
            else:
                dx[i, j] = 0.0


@idiom(
    level=3,
    names={
        "x": "x values inputs",
        "y": "y out rounded",
        "u": "u scaled t",
        "below": "below base lower",
        "state": "state rng rng_state",
        "i j": "i j | row col",
        "kernel": "round_randomly stochastic_round sr_kernel",
    },
)
def stochastic_rounding(c):
    """Rounds entries to {GRID} {CHANCE}{DRAWS}{OUT}.

    Round each entry z of {x} to {GRID} at random ({CHANCE}). The entry (i, j) takes its randomness from the
    state {STATE}: let {NEXT} of `wp.randf`, in [0, 1). With {UNIT}, {ROUNDED}. {GETS}.
    """
    n, width = c.size(5, 8), c.size(4, 8)
    GRID = c.meaning("a grid", "powers of two", "a grid per row")
    POWERS, ROW = GRID == "powers of two", GRID == "a grid per row"
    ALIKE = ", with one draw per column"
    if POWERS:
        # what lies between two powers is none
        CHANCE, DRAWS = c.meaning("stochastically", "with dithered exponents"), c.meaning("", ALIKE)
    else:
        CHANCE = c.meaning("stochastically", "with dither", "with subtractive dither")
        TWICE = ", as the mean of two draws" if CHANCE == "stochastically" else " of two draws"
        DRAWS = c.meaning("", ALIKE, TWICE)
    OUT = (
        c.meaning("", ", in place")
        if POWERS or CHANCE == "with subtractive dither" or DRAWS.endswith("two draws")
        else c.meaning("", ", as integers", ", in place")
    )
    if CHANCE == "with subtractive dither":
        # the noise that is taken off again leads away from the grid
        c.names({"kernel": "subtractive_dither dither_and_round"})
    elif CHANCE != "stochastically":
        c.names({"kernel": "round_with_dither dithered_round stochastic_rounding"})
    STEP = c.constant(0.1, 0.5)
    CODES, NOISE = OUT == ", as integers", CHANCE != "stochastically"
    # Zero is no power of two.
    QUANTITY = None if POWERS else "activation"
    UNIT = "u = log₂(z)"
    if not POWERS:
        UNIT = "u = z / `{steps}[i]`" if ROW else "u = z / {STEP}"
    STEPPED = "2^m" if POWERS else "m·`{steps}[i]`" if ROW else "m·{STEP}"
    STATE = (
        "`wp.rand_init({seed}, j)`, so that each column has one draw"
        if DRAWS == ALIKE
        else "`wp.rand_init({seed}, i·w + j)` for rows of w entries"
    )
    TWO = DRAWS.endswith("two draws")
    NEXT = "r and s be the next two numbers, in this order," if TWO else "r be the next number"
    if NOISE:
        ROUNDED = (
            "m = round(u + e), to the nearest whole number (halves away from 0), with the noise e = {NOISY}"
        )
        if CHANCE == "with subtractive dither":
            ROUNDED = (
                "m = round(u + e) - e, which subtracts the noise e = {NOISY} again after rounding to the "
                "nearest whole number (halves away from 0)"
            )
        NOISY = "(r - ½) + (s - ½)" if TWO else "r - ½"
    else:
        PART = "z / 2^⌊u⌋ - 1" if POWERS else "u - ⌊u⌋"
        ROUNDED = "m is ⌊u⌋ + 1 if r < {PART}, and otherwise ⌊u⌋"
        if TWO:
            ROUNDED = (
                "m is the mean of two results, from r and from s: each is ⌊u⌋ + 1 if its number is < "
                "{PART}, and otherwise ⌊u⌋"
            )
    if CODES:
        GETS = "{codes} gets m"
    elif OUT == ", in place":
        GETS = "{x} gets {STEPPED} in place of z"
    else:
        GETS = "{y} gets {STEPPED}"

    @c.kernel(n, width)
    def kernel(
        seed: int = input(low=0, high=1000),
        steps: wp.array[float] = input(n, low=0.1, high=0.6),
        x: wp.array2d[float] = inout(n, width, low=0.3, high=3.0, of=QUANTITY)
        if OUT == ", in place"
        else input(n, width, low=0.3, high=3.0, of=QUANTITY),
        y: wp.array2d[float] = output(n, width),
        codes: wp.array2d[int] = output(n, width),
    ):
        i, j = wp.tid()
        state = wp.rand_init(seed, j if DRAWS == ALIKE else i * x.shape[1] + j)
        if POWERS:
            u = wp.log2(x[i, j])
        elif ROW:
            u = x[i, j] / steps[i]
        else:
            u = x[i, j] / STEP
        if NOISE:
            # uniform noise, one step wide
            noise = wp.randf(state) - 0.5
            if DRAWS == " of two draws":
                # the sum of two draws is distributed as a triangle
                noise += wp.randf(state) - 0.5
            level = wp.round(u + noise)
            if CHANCE == "with subtractive dither":
                level -= noise
        else:
            below = wp.floor(u)
            if POWERS:
                # so that the mean of what comes out is the number itself
                chance = x[i, j] / wp.pow(2.0, below) - 1.0
            else:
                chance = u - below
            level = below + wp.where(wp.randf(state) < chance, 1.0, 0.0)
            if DRAWS == ", as the mean of two draws":
                level = 0.5 * (level + below + wp.where(wp.randf(state) < chance, 1.0, 0.0))
        if CODES:
            codes[i, j] = int(level)
        else:
            value = wp.pow(2.0, level) if POWERS else level * (steps[i] if ROW else STEP)
            if OUT == ", in place":
                x[i, j] = value
            else:
                y[i, j] = value
