"""Optimizers: steps of descent, what is done to gradients before, and to weights after."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=3,
    names={
        "w": "w weights params",
        "g": "g grad gradient",
        "grads": "grads gradients dw",
        "velocity": "velocity momentum_buffer v",
        "v": "v speed buf",
        "frozen": "frozen fixed is_frozen",
        "kernel": "sgd_momentum sgd_step update_weights",
    },
)
def momentum_step(c):
    """One step of {FORM} on {SPACE}{DECAY}{LIMIT}{SKIP}."""
    n = c.size()
    FORM = c.meaning("heavy-ball descent", "Nesterov descent", "averaged-gradient descent", "plain descent")
    DECAY = c.meaning("", ", with weight decay", ", with decoupled weight decay")
    LIMIT = c.meaning("", ", gradients clipped")
    SIZE = c.spelling(1, 2, 3) if LIMIT == "" else c.meaning(1, 3)
    SKIP = c.meaning("", ", frozen ones left alone")
    SPACE = "weights" if SIZE == 1 else "points"
    RATE, MOMENTUM, SHRINK = c.constant(0.1, 0.5), c.constant(0.5, 0.95), c.constant(0.05, 0.3)
    LARGEST = c.constant(0.4, 1.0)
    Value = float if SIZE == 1 else c.vec(SIZE)
    PLAIN = FORM == "plain descent"
    c.once("choice of weights", SKIP)
    if FORM == "plain descent":
        c.names({"kernel": "sgd_step update_weights"})

    @c.kernel(n)
    def kernel(
        grads: wp.array[Value] = given(n, low=-1.0, high=1.0, of="gradient"),
        frozen: wp.array[int] = given(n, low=0, high=1),
        w: wp.array[Value] = updated(n, low=-1.0, high=1.0, of="weights"),
        velocity: wp.array[Value] = updated(n, low=-1.0, high=1.0),
    ):
        i = wp.tid()
        if SKIP != "":
            if frozen[i] == 1:
                return
        g = grads[i]
        if LIMIT != "":
            if SIZE == 1:
                g = wp.clamp(g, -LARGEST, LARGEST)
            else:
                size = wp.length(g)
                if size > LARGEST:
                    g *= LARGEST / size
        if DECAY == ", with weight decay":
            g += SHRINK * w[i]
        elif DECAY == ", with decoupled weight decay":
            # decay that no momentum carries on
            w[i] = (1.0 - RATE * SHRINK) * w[i]
        if PLAIN:
            w[i] = w[i] - RATE * g
        else:
            if FORM == "averaged-gradient descent":
                v = MOMENTUM * velocity[i] + (1.0 - MOMENTUM) * g
            else:
                v = MOMENTUM * velocity[i] + g
            velocity[i] = v
            if FORM == "Nesterov descent":
                w[i] = w[i] - RATE * (g + MOMENTUM * v)
            else:
                w[i] = w[i] - RATE * v


@idiom(
    level=2,
    names={
        "w": "w weights params",
        "grads": "grads gradients dw",
        "momentum": "momentum m ema",
        "i j": "i j | row col",
        "kernel": "sign_update sign_momentum sign_step",
    },
)
def sign_momentum_step(c):
    """Moves each weight by {DIRECTION}{DECAY}{SCALED}."""
    rows, cols = c.size(5, 8), c.size(4, 7)
    DECAY = c.meaning("", ", after decay", ", where it agrees with the gradient")
    SCALED = c.meaning("", ", at a rate per row")
    RATE, SHRINK = c.constant(0.1, 0.4), c.constant(0.02, 0.1)
    FAST, SLOW, SHARP = c.constant(0.5, 0.9), c.constant(0.6, 0.95), c.constant(1.0, 4.0)
    SMALL = c.constant(0.1, 0.3)

    def lion(m: float, g: float) -> float:
        """the sign of a blend of momentum and gradient."""
        return wp.sign(FAST * m + (1.0 - FAST) * g)

    def signum(m: float, g: float) -> float:
        """the sign of the new momentum."""
        return wp.sign(SLOW * m + (1.0 - SLOW) * g)

    def ternary(m: float, g: float) -> float:
        """the sign of the blend unless that is small."""
        blend = FAST * m + (1.0 - FAST) * g
        if wp.abs(blend) < SMALL:
            return 0.0
        return wp.sign(blend)

    def softened(m: float, g: float) -> float:
        """the softened sign of the blend."""
        return wp.tanh(SHARP * (FAST * m + (1.0 - FAST) * g))

    def nesterov(m: float, g: float) -> float:
        """the sign of momentum two steps ahead."""
        ahead = SLOW * m + (1.0 - SLOW) * g
        return wp.sign(SLOW * ahead + (1.0 - SLOW) * g)

    DIRECTION = c.meaning(lion, signum, ternary, softened, nesterov)

    @c.kernel(rows, cols)
    def kernel(
        grads: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0, of="gradient"),
        rates: wp.array[float] = given(rows, low=0.1, high=0.5),
        w: wp.array2d[float] = updated(rows, cols, low=-1.0, high=1.0, of="weights"),
        momentum: wp.array2d[float] = updated(rows, cols, low=-1.0, high=1.0),
    ):
        i, j = wp.tid()
        g = grads[i, j]
        m = momentum[i, j]
        step = DIRECTION(m, g)
        if DECAY == ", after decay":
            w[i, j] = w[i, j] * (1.0 - SHRINK)
        elif DECAY != "":
            if step * g <= 0.0:
                step = float(0.0)
        if SCALED != "":
            w[i, j] = w[i, j] - rates[i] * step
        else:
            w[i, j] = w[i, j] - RATE * step
        momentum[i, j] = SLOW * m + (1.0 - SLOW) * g


@idiom(
    level=3,
    names={
        "grads": "grads gradients dw",
        "w": "w weights params",
        "limit": "limit bound max_norm",
        "size": "size norm length",
        "extent": "extent weight_norm w_size",
        "row k": "row k | i j | unit source",
        "kernel": "clip_grad limit_gradients clip_kernel",
    },
)
def clip_gradients(c):
    """Clips {WHAT} of the gradients in place, {BOUND}{AFTER}{COUNTED}."""
    n, width = c.size(6, 9), c.size(4, 7)
    WHAT = c.meaning("each entry", "the norm of each row", "the largest entry of each row", "the global norm")
    WHOLE, ENTRY = WHAT == "the global norm", WHAT == "each entry"
    BOUND = "" if WHOLE else c.meaning("to a bound", "to a share of the weights", "softly")
    BOUND = "its value given" if WHOLE else BOUND
    AFTER = c.meaning("", ", and adds noise", ", and accumulates them")
    COUNTED = c.meaning("", ", counting what is clipped") if BOUND != "softly" else ""
    LIMIT, SHARE, SPREAD = c.constant(0.4, 1.2), c.constant(0.3, 0.9), c.constant(0.1, 0.4)
    if AFTER == ", and adds noise":
        c.names({"kernel": "clip_and_add_noise privatize_gradients noisy_clipped_gradients"})
    elif AFTER != "":
        c.names({"kernel": "clip_and_accumulate accumulate_clipped add_clipped_gradients"})
    if WHAT == "the largest entry of each row":
        c.names({"size": "size peak largest", "extent": "extent widest weight_peak"})
    RELATIVE, SOFT, LARGEST = BOUND.endswith("weights"), BOUND == "softly", WHAT.startswith("the largest")

    @c.kernel(n)
    def kernel(
        w: wp.array2d[float] = given(n, width, low=-1.0, high=1.0),
        norm: float = given(low=0.5, high=3.0),
        seed: int = given(low=0, high=1000),
        grads: wp.array2d[float] = updated(n, width, low=-1.5, high=1.5),
        sums: wp.array2d[float] = updated(n, width, low=-1.0, high=1.0),
        cuts: wp.array[int] = updated(1, low=0, high=4),
    ):
        row = wp.tid()
        if not WHOLE and not ENTRY:
            size = float(0.0)
            if RELATIVE:
                extent = float(0.0)
            for k in range(grads.shape[1]):
                if LARGEST:
                    size = wp.max(size, wp.abs(grads[row, k]))
                    if RELATIVE:
                        extent = wp.max(extent, wp.abs(w[row, k]))
                else:
                    size += grads[row, k] * grads[row, k]
                    if RELATIVE:
                        extent += w[row, k] * w[row, k]
            if not LARGEST:
                size = wp.sqrt(size)
            if RELATIVE:
                # weights near zero must be able to leave it
                limit = SHARE * wp.max(extent if LARGEST else wp.sqrt(extent), 0.1)
        if WHOLE:
            scale = wp.min(LIMIT / norm, 1.0)
            if COUNTED != "":
                if scale < 1.0:
                    wp.atomic_add(cuts, 0, 1)
        elif not ENTRY:
            if SOFT:
                scale = LIMIT / (LIMIT + size)
            elif RELATIVE:
                scale = wp.min(limit / wp.max(size, 1.0e-6), 1.0)
            else:
                scale = wp.min(LIMIT / wp.max(size, 1.0e-6), 1.0)
            if COUNTED != "":
                if scale < 1.0:
                    wp.atomic_add(cuts, 0, 1)
        if AFTER == ", and adds noise":
            state = wp.rand_init(seed, row)
        for k in range(grads.shape[1]):
            g = grads[row, k]
            if ENTRY:
                if SOFT:
                    g = LIMIT * wp.tanh(g / LIMIT)
                else:
                    if RELATIVE:
                        # weights near zero must be able to leave it
                        bound = SHARE * wp.max(wp.abs(w[row, k]), 0.1)
                    else:
                        bound = LIMIT
                    if COUNTED != "":
                        if wp.abs(g) > bound:
                            wp.atomic_add(cuts, 0, 1)
                    g = wp.clamp(g, -bound, bound)
            else:
                g *= scale
            if AFTER == ", and adds noise":
                g += SPREAD * wp.randn(state)
            if AFTER == ", and accumulates them":
                sums[row, k] += g
            grads[row, k] = g


@idiom(
    level=2,
    names={
        "w": "w weights params",
        "average": "average ema shadow",
        "rate": "rate alpha blend",
        "kernel": "update_average ema_update average_weights",
    },
)
def weight_average(c):
    """{MAKES} of each weight{SPACE}{EVERY}{WHEN}{BACK}."""
    n = c.size()
    FORM = c.meaning("exponential", "equal", "warmed-up", "lookahead", "power")
    MAKES = {
        "exponential": "Keeps the exponential average",
        "equal": "Keeps the mean",
        "warmed-up": "Keeps the warmed-up average",
        "lookahead": "Moves the lookahead copy",
        "power": "Keeps the polynomial average",
    }[FORM]
    VECTOR = c.meaning(False, True)
    SPACE = " vector" if VECTOR else ""
    WHEN = c.meaning("", ", where a mask is set")
    BACK = "" if FORM == "lookahead" else c.meaning("", ", and how far off it is")
    DECAY, POWER, SLOW_RATE = c.constant(0.6, 0.95), c.constant(1.0, 5.0), c.constant(0.3, 0.8)
    EVERY = " every `period` steps, and resets the weight to it" if FORM == "lookahead" else ""
    # a copy that resets the weights must know which of them may move
    c.once("choice of weights", WHEN or FORM == "lookahead")
    if FORM == "lookahead":
        c.names({"average": "slow slow_weights anchor", "kernel": "lookahead update_slow_weights"})
    elif FORM in ("equal", "power"):
        c.names({"average": "average mean_weights shadow", "kernel": "update_average average_weights"})
    Value = c.vec(3) if VECTOR else float

    @c.kernel(n)
    def kernel(
        mask: wp.array[int] = given(n, low=0, high=1),
        seen: int = given(low=1, high=9),
        step: int = given(low=1, high=6, of="step number"),
        period: int = given(low=2, high=3),
        w: wp.array[Value] = updated(n, low=-2.0, high=2.0, of="weights")
        if FORM == "lookahead"
        else given(n, low=-2.0, high=2.0, of="weights"),
        average: wp.array[Value] = updated(n, low=-2.0, high=2.0),
        off: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if WHEN == ", where a mask is set":
            if mask[i] == 0:
                if BACK != "":
                    off[i] = 0.0
                return
        if FORM == "equal":
            average[i] = average[i] + (w[i] - average[i]) / float(seen + 1)
        elif FORM == "warmed-up":
            # a young average follows faster
            rate = DECAY * float(1 + seen) / float(10 + seen)
            average[i] = wp.lerp(w[i], average[i], rate)
        elif FORM == "power":
            rate = (POWER + 1.0) / (POWER + float(seen + 1))
            average[i] = (1.0 - rate) * average[i] + rate * w[i]
        elif FORM == "lookahead":
            # between two such steps the slow weights wait
            if step % period == 0:
                average[i] = average[i] + SLOW_RATE * (w[i] - average[i])
                w[i] = average[i]
        else:
            average[i] = DECAY * average[i] + (1.0 - DECAY) * w[i]
        if BACK != "":
            off[i] = wp.length(w[i] - average[i]) if VECTOR else wp.abs(w[i] - average[i])
