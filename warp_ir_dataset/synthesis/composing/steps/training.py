"""Steps of training and of networks: activations, scales, gradients, updates."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

UNIT = {"x": "x hidden inputs", "y": "y out outputs", "i j": "i j | row col | b u"}


@idiom(level=2, names=UNIT | {"z": "z pre act"})
def bias_and_activation(c):
    """Adds a bias to {x}, then {FORM}{ADDED}{KEEP}."""
    n, m = c.size(4, 9), c.size(4, 9)
    FORM = c.meaning("a rectifier", "a leaky rectifier", "a SiLU", "a tanh", "a clipped ramp")
    ADDED = c.meaning("", ", a scale of each unit", ", the shortcut")
    KEEP = c.meaning("", ", and keeps what went in", ", and marks what is on")
    LEAK = c.constant(0.05, 0.3)
    c.once("bias")
    c.once("shortcut", ADDED == ", the shortcut")

    @c.kernel(n, m)
    def kernel(
        x: wp.array2d[float] = given(n, m, low=-2.0, high=2.0, of="activation"),
        bias: wp.array[float] = given(m, low=-1.0, high=1.0),
        gain: wp.array[float] = given(m, low=0.5, high=1.5),
        shortcut: wp.array2d[float] = given(n, m, low=-1.0, high=1.0),
        y: wp.array2d[float] = result(n, m, of="activation"),
        saved: wp.array2d[float] = result(n, m),
        active: wp.array2d[int] = result(n, m),
    ):
        i, j = wp.tid()
        z = x[i, j] + bias[j]
        if KEEP == ", and keeps what went in":
            saved[i, j] = z
        elif KEEP == ", and marks what is on":
            active[i, j] = 1 if z > 0.0 else 0
        if FORM == "a rectifier":
            z = wp.max(z, 0.0)
        elif FORM == "a leaky rectifier":
            if z < 0.0:
                z = LEAK * z
        elif FORM == "a SiLU":
            z = z / (1.0 + wp.exp(-z))
        elif FORM == "a tanh":
            z = wp.tanh(z)
        else:
            z = wp.clamp(0.5 + z / 6.0, 0.0, 1.0)
        if ADDED == ", a scale of each unit":
            z = gain[j] * z
        elif ADDED == ", the shortcut":
            z = z + shortcut[i, j]
        y[i, j] = z


@idiom(level=2, names=UNIT | {"q": "q code quantized"})
def stored_in_bytes(c):
    """Stores {x} in bytes at a scale of {PER}, {ROUND}{ZERO}{ERROR}."""
    n, m = c.size(4, 9), c.size(4, 9)
    PER = c.meaning("each row", "each column", "the whole array")
    ROUND = c.meaning("rounded", "rounded at random", "towards zero")
    ZERO = c.meaning("", ", with a zero point")
    ERROR = c.meaning("", ", the error carried on", ", counting what is cut off")

    @c.kernel(n, m)
    def kernel(
        x: wp.array2d[float] = given(n, m, low=-3.0, high=3.0, of="activation"),
        scales: wp.array[float] = given(n if PER == "each row" else m, low=0.02, high=0.1),
        scale: float = given(low=0.02, high=0.1),
        zero: int = given(low=-20, high=20),
        seed: int = given(low=1, high=9999),
        error: wp.array2d[float] = updated(n, m, low=-0.02, high=0.02),
        cut: wp.array[int] = updated(1, low=0, high=3),
        codes: wp.array2d[int] = result(n, m),
    ):
        i, j = wp.tid()
        v = x[i, j]
        if ERROR == ", the error carried on":
            v += error[i, j]
        step = scale
        if PER == "each row":
            step = scales[i]
        elif PER == "each column":
            step = scales[j]
        q = v / step
        if ROUND == "rounded":
            q = wp.round(q)
        elif ROUND == "towards zero":
            q = wp.trunc(q)
        else:
            state = wp.rand_init(seed, i * x.shape[1] + j)
            q = wp.floor(q + wp.randf(state))
        if ZERO != "":
            q += float(zero)
        if ERROR == ", counting what is cut off" and wp.abs(q) > 127.0:
            wp.atomic_add(cut, 0, 1)
        q = wp.clamp(q, -127.0, 127.0)
        codes[i, j] = int(q)
        if ERROR == ", the error carried on":
            error[i, j] = v - step * (q - float(zero)) if ZERO != "" else v - step * q


@idiom(level=2, names=UNIT | {"s": "s logit scaled"})
def capped_scores(c):
    """Scales {x} by a temperature{CAP}{BIAS}{MASK}."""
    n, m = c.size(4, 9), c.size(4, 9)
    CAP = c.meaning("", ", capped softly", ", cut off")
    BIAS = c.meaning("", ", less a slope of the distance", ", with a bias of each column")
    MASK = c.meaning("", "; later columns are masked", "; marked columns are masked")
    HEAT, MOST, SLOPE = c.constant(0.5, 2.0), c.constant(1.0, 4.0), c.constant(0.05, 0.5)
    c.once("scale of scores")
    c.once("cap of scores", CAP)
    c.once("mask of scores", MASK)

    @c.kernel(n, m)
    def kernel(
        x: wp.array2d[float] = given(n, m, low=-3.0, high=3.0, of="score"),
        bias: wp.array[float] = given(m, low=-1.0, high=1.0),
        valid: wp.array[int] = given(m, low=0, high=1),
        y: wp.array2d[float] = result(n, m, of="score"),
    ):
        i, j = wp.tid()
        s = x[i, j] / HEAT
        if BIAS == ", less a slope of the distance":
            s -= SLOPE * wp.abs(float(i - j))
        elif BIAS == ", with a bias of each column":
            s += bias[j]
        if CAP == ", capped softly":
            s = MOST * wp.tanh(s / MOST)
        elif CAP == ", cut off":
            s = wp.clamp(s, -MOST, MOST)
        if MASK == "; later columns are masked" and j > i:
            s = -100.0
        elif MASK == "; marked columns are masked" and valid[j] == 0:
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
    """Clips gradients{DECAY} and moves weights by {RULE}{MASK}."""
    n, m = c.size(4, 9), c.size(4, 9)
    RULE = c.meaning("momentum", "Nesterov’s momentum", "Adam", "RMSprop", "their signs")
    DECAY = c.meaning("", ", adds the decay")
    CLIP = c.meaning("hard", "soft")
    MASK = c.meaning("", "; frozen columns stay")
    BETA, MOST, SHRINK = c.constant(0.6, 0.95), c.constant(0.4, 0.9), c.constant(0.02, 0.2)
    c.once("choice of weights", MASK)

    @c.kernel(n, m)
    def kernel(
        grads: wp.array2d[float] = given(n, m, low=-1.0, high=1.0, of="gradient"),
        frozen: wp.array[int] = given(m, low=0, high=1),
        rate: float = given(low=0.1, high=0.5),
        w: wp.array2d[float] = updated(n, m, low=-1.0, high=1.0, of="weights"),
        first: wp.array2d[float] = updated(n, m, low=-0.5, high=0.5),
        second: wp.array2d[float] = updated(n, m, low=0.1, high=0.8),
    ):
        i, j = wp.tid()
        if MASK != "" and frozen[j] == 1:
            return
        g = grads[i, j]
        g = wp.clamp(g, -MOST, MOST) if CLIP == "hard" else MOST * wp.tanh(g / MOST)
        if DECAY != "":
            g += SHRINK * w[i, j]
        if RULE == "momentum":
            move = BETA * first[i, j] + g
            first[i, j] = move
        elif RULE == "Nesterov’s momentum":
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
            # the mean of the past decides the sign
            move = wp.sign(wp.lerp(g, first[i, j], BETA))
            first[i, j] = wp.lerp(g, first[i, j], BETA)
        w[i, j] = w[i, j] - rate * move
