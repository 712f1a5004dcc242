"""Step templates for networks and their training: activations, scales, gradients, updates.

They occur only in kernels of several parts, and never as a row of their own.
"""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

UNIT = {"x": "x hidden inputs", "y": "y out outputs", "i j": "i j | row col | b u"}


@idiom(level=2, names=UNIT | {"z": "z pre before_act", "a": "a active_unit act"})
def bias_and_activation(c):
    """Adds a bias to {x}{KEEP}, then applies {FORM}{ADDED}.

    Add to {x} the bias of its column j, `{bias}[j]`.{SAVED} Then apply {FORMULA}{AFTER} and store that in
    {y}.
    """
    n, m = c.size(4, 9), c.size(4, 9)
    FORM = c.meaning("a rectifier", "a leaky rectifier", "a SiLU", "a tanh", "a hard tanh")
    ADDED = c.meaning("", ", and a gain per unit", ", and adds the shortcut")
    KEEP = c.meaning("", " and stores that", " and marks what is positive")
    LEAK = c.constant(0.05, 0.3)
    c.once("bias")
    c.once("shortcut", ADDED == ", and adds the shortcut")
    SAVED = {
        "": "",
        " and stores that": " Store the sum in {saved}.",
        " and marks what is positive": " Store 1 in {active} if the sum is above 0, otherwise 0.",
    }[KEEP]
    FORMULA = {
        "a rectifier": "a rectifier, max(z, 0) of the sum z,",
        "a leaky rectifier": "a leaky rectifier, which multiplies sums below 0 by {LEAK},",
        "a SiLU": "a SiLU, z / (1 + exp(-z)) of the sum z,",
        "a tanh": "a tanh,",
        "a hard tanh": "a hard tanh, which clamps to [-1, 1],",
    }[FORM]
    AFTER = {
        "": "",
        ", and a gain per unit": " multiply by the gain of the column, `{gain}[j]`,",
        ", and adds the shortcut": " add {shortcut},",
    }[ADDED]

    @c.kernel(n, m)
    def kernel(
        x: wp.array2d[float] = input(n, m, low=-2.0, high=2.0, of="activation"),
        bias: wp.array[float] = input(m, low=-1.0, high=1.0),
        gain: wp.array[float] = input(m, low=0.5, high=1.5),
        shortcut: wp.array2d[float] = input(n, m, low=-1.0, high=1.0),
        y: wp.array2d[float] = output(n, m, of="activation"),
        saved: wp.array2d[float] = output(n, m),
        active: wp.array2d[int] = output(n, m),
    ):
        i, j = wp.tid()
        z = x[i, j] + bias[j]
        if KEEP == " and stores that":
            saved[i, j] = z
        elif KEEP != "":
            active[i, j] = 1 if z > 0.0 else 0
        if FORM == "a rectifier":
            a = wp.max(z, 0.0)
        elif FORM == "a leaky rectifier":
            a = z
            if z < 0.0:
                a = LEAK * z
        elif FORM == "a SiLU":
            a = z / (1.0 + wp.exp(-z))
        elif FORM == "a tanh":
            a = wp.tanh(z)
        else:
            a = wp.clamp(z, -1.0, 1.0)
        if ADDED == ", and a gain per unit":
            y[i, j] = gain[j] * a
        elif ADDED != "":
            y[i, j] = a + shortcut[i, j]
        else:
            y[i, j] = a


@idiom(level=2, names=UNIT | {"q": "q code quantized"})
def stored_in_bytes(c):
    """Quantizes {x} to a byte at a scale of {PER}, {ROUND}{ZERO}{ERROR}.

    Quantize {x}{CARRIED} to signed bytes in {codes}: divide by {STEP}, {ROUNDED}{SHIFTED} and clamp to [-127,
    127].{NOTED}
    """
    n, m = c.size(4, 9), c.size(4, 9)
    PER = c.meaning("each row", "each column", "the whole array")
    ROUND = c.meaning("rounded to nearest", "rounded stochastically", "rounded towards zero")
    ZERO = c.meaning("", ", with a zero point")
    ERROR = c.meaning("", ", and carries the error on", ", and counts what is cut off")
    CARRIED = " + {error}" if ERROR == ", and carries the error on" else ""
    STEP = {
        "each row": "the scale of its row in {scales}",
        "each column": "the scale of its column in {scales}",
        "the whole array": "{scale}",
    }[PER]
    ROUNDED = {
        "rounded to nearest": "round to nearest, halves away from 0,",
        "rounded stochastically": (
            "round stochastically, to ⌊value + u⌋ where u is `wp.randf` of the state"
            " `wp.rand_init({seed}, k)` for the element that is number k of {x}, counted from 0 row by row,"
        ),
        "rounded towards zero": "round towards 0,",
    }[ROUND]
    SHIFTED = " add the zero point {zero}" if ZERO else ""
    NOTED = {
        "": "",
        ", and carries the error on": (
            " {error} becomes the error to carry on: {x} + {error} less the value that the code stands"
            " for, the scale times {MEANT}."
        ),
        ", and counts what is cut off": " Add the number of values that the clamp changes to {cut}.",
    }[ERROR]
    MEANT = "(code - {zero})" if ZERO else "the code"

    @c.kernel(n, m)
    def kernel(
        x: wp.array2d[float] = input(n, m, low=-3.0, high=3.0, of="activation"),
        scales: wp.array[float] = input(n if PER == "each row" else m, low=0.012, high=0.04),
        scale: float = input(low=0.012, high=0.04),
        zero: int = input(low=-20, high=20),
        seed: int = input(low=1, high=9999),
        error: wp.array2d[float] = inout(n, m, low=-0.02, high=0.02),
        cut: wp.array[int] = inout(1, low=0, high=3),
        codes: wp.array2d[int] = output(n, m),
    ):
        i, j = wp.tid()
        v = x[i, j]
        if ERROR == ", and carries the error on":
            v += error[i, j]
        if PER == "each row":
            step = scales[i]
        elif PER == "each column":
            step = scales[j]
        else:
            step = scale
        q = v / step
        if ROUND == "rounded to nearest":
            q = wp.round(q)
        elif ROUND == "rounded towards zero":
            q = wp.trunc(q)
        else:
            state = wp.rand_init(seed, i * x.shape[1] + j)
            q = wp.floor(q + wp.randf(state))
        if ZERO != "":
            q += float(zero)
        if ERROR == ", and counts what is cut off" and wp.abs(q) > 127.0:
            wp.atomic_add(cut, 0, 1)
        q = wp.clamp(q, -127.0, 127.0)
        codes[i, j] = int(q)
        if ERROR == ", and carries the error on":
            error[i, j] = v - step * (q - float(zero)) if ZERO != "" else v - step * q


@idiom(level=2, names=UNIT | {"x": "x scores logits", "s": "s logit scaled"})
def capped_scores(c):
    """Divides {x} by a temperature{BIAS}{CAP}{MASK}.

    Divide {x}, the score in row i and column j, by the temperature {HEAT}{BIASED}{CUT}{HIDDEN}, and store it
    in {y}.
    """
    n, m = c.size(4, 9), c.size(4, 9)
    BIAS = c.meaning("", ", takes off a slope times the distance", ", adds a bias per column")
    CAP = c.meaning("", ", caps it softly", ", clamps it")
    MASK = c.meaning("", ", masks later columns with -100", ", masks marked columns with -100")
    HEAT, MOST, SLOPE = c.constant(0.5, 1.5), c.constant(1.0, 2.0), c.constant(0.05, 0.5)
    LATER, MARKED = "later" in MASK, "marked" in MASK
    c.once("scale of scores")
    c.once("cap of scores", CAP)
    c.once("mask of scores", MASK)
    # the last of several things done is joined by "and"
    if MASK:
        MASK = ", and" + MASK[1:]
    elif CAP:
        CAP = ", and" + CAP[1:]
    elif BIAS:
        BIAS = ", and" + BIAS[1:]
    BIASED, CUT, HIDDEN = "", "", ""
    if "slope" in BIAS:
        BIASED = ", subtract {SLOPE}·|i - j|"
    elif BIAS:
        BIASED = ", add `{bias}[j]`"
    if "softly" in CAP:
        CUT = ", cap the score s softly to {MOST}·tanh(s / {MOST})"
    elif CAP:
        CUT = ", clamp it to [-{MOST}, {MOST}]"
    if LATER:
        HIDDEN = ", make it -100 if j > i, a causal mask"
    elif MARKED:
        HIDDEN = ", make it -100 in columns j whose `{valid}[j]` is 0"

    @c.kernel(n, m)
    def kernel(
        x: wp.array2d[float] = input(n, m, low=-3.0, high=3.0, of="score"),
        bias: wp.array[float] = input(m, low=-1.0, high=1.0),
        valid: wp.array[int] = input(m, low=0, high=1),
        y: wp.array2d[float] = output(n, m, of="score"),
    ):
        i, j = wp.tid()
        s = x[i, j] / HEAT
        if "slope" in BIAS:
            s -= SLOPE * wp.abs(float(i - j))
        elif BIAS != "":
            s += bias[j]
        if "softly" in CAP:
            s = MOST * wp.tanh(s / MOST)
        elif CAP != "":
            s = wp.clamp(s, -MOST, MOST)
        if LATER and j > i:
            s = -100.0
        elif MARKED and valid[j] == 0:
            s = -100.0
        y[i, j] = s


GRADS = {
    "grads": "grads dw gradients",
    "w": "w weights params",
    "g": "g grad",
    "first": "first exp_avg momentum",
}


@idiom(level=3, names=GRADS | {"second": "second exp_avg_sq", "rate": "rate lr"})
def gradient_update(c):
    """Clips gradients{CLIP}{DECAY} and moves weights by {RULE}{MASK}.

    Update {w} in place by {NAMED}. The gradient, {grads}, is clipped {CLIPPED}.{DECAYED} {RULED}{FROZEN}
    """
    n, m = c.size(4, 9), c.size(4, 9)
    RULE = c.meaning("momentum", "Nesterov momentum", "Adam", "RMSprop", "the sign of momentum")
    DECAY = c.meaning("", ", adds the decay")
    CLIP = c.meaning("", " softly")
    MASK = c.meaning("", "; frozen columns stay")
    if RULE in ("momentum", "Nesterov momentum"):
        c.names({"first": "velocity momentum momentum_buffer"})
    BETA, MOST, SHRINK = c.constant(0.6, 0.95), c.constant(0.4, 0.9), c.constant(0.02, 0.2)
    c.once("choice of weights", MASK)
    NAMED = {
        "momentum": "gradient descent with momentum",
        "Nesterov momentum": "gradient descent with Nesterov momentum",
        "Adam": "Adam without bias correction",
        "RMSprop": "RMSprop",
        "the sign of momentum": "the sign of momentum",
    }[RULE]
    CLIPPED = "softly: G becomes {MOST}·tanh(G / {MOST})" if CLIP else "to [-{MOST}, {MOST}]"
    DECAYED = " Weight decay then adds {SHRINK} times {w} to it." if DECAY else ""
    RULED = {
        "momentum": (
            "{first} becomes {BETA} times itself plus the gradient, and {w} decreases by {rate}·{first}."
        ),
        "Nesterov momentum": (
            "{first} becomes {BETA} times itself plus the gradient, and {w} decreases by {rate} times"
            " (the gradient + {BETA}·{first}), with the new {first}."
        ),
        "Adam": (
            "{first} and {second} become {BETA} times themselves plus (1 - {BETA}) times the gradient and"
            " its square, and {w} decreases by {rate}·{first} / (√{second} + 0.001), with the new ones."
        ),
        "RMSprop": (
            "{second} becomes {BETA} times itself plus (1 - {BETA}) times the square of the gradient, and"
            " {w} decreases by {rate} times the gradient over (√{second} + 0.001), with the new {second}."
        ),
        "the sign of momentum": (
            "{first} becomes {BETA} times itself plus (1 - {BETA}) times the gradient, and {w} decreases"
            " by {rate} times the sign of the new {first} (1 for 0)."
        ),
    }[RULE]
    FROZEN = " Columns j with `{frozen}[j]` 1 stay as they are." if MASK else ""

    @c.kernel(n, m)
    def kernel(
        grads: wp.array2d[float] = input(n, m, low=-1.0, high=1.0, of="gradient"),
        frozen: wp.array[int] = input(m, low=0, high=1),
        rate: float = input(low=0.1, high=0.5),
        w: wp.array2d[float] = inout(n, m, low=-1.0, high=1.0, of="weights"),
        first: wp.array2d[float] = inout(n, m, low=-0.5, high=0.5),
        second: wp.array2d[float] = inout(n, m, low=0.1, high=0.8),
    ):
        i, j = wp.tid()
        if MASK != "" and frozen[j] == 1:
            return
        g = grads[i, j]
        g = wp.clamp(g, -MOST, MOST) if CLIP == "" else MOST * wp.tanh(g / MOST)
        if DECAY != "":
            g += SHRINK * w[i, j]
        if RULE == "momentum":
            move = BETA * first[i, j] + g
            first[i, j] = move
        elif RULE == "Nesterov momentum":
            speed = BETA * first[i, j] + g
            first[i, j] = speed
            move = g + BETA * speed
        elif RULE == "Adam":
            mean = wp.lerp(g, first[i, j], BETA)
            square = wp.lerp(g * g, second[i, j], BETA)
            first[i, j] = mean
            second[i, j] = square
            move = mean / (wp.sqrt(square) + 0.001)
        elif RULE == "RMSprop":
            square = wp.lerp(g * g, second[i, j], BETA)
            second[i, j] = square
            move = g / (wp.sqrt(square) + 0.001)
        else:
            mean = wp.lerp(g, first[i, j], BETA)
            first[i, j] = mean
            # each weight moves as far
            move = wp.sign(mean)
        w[i, j] = w[i, j] - rate * move
