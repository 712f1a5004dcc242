"""Optimizers: steps of descent, changes of gradients before, and of weights after."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    differentiable=False,
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
    """One step of {FORM} on {SPACE}{WITH}.

    Take one step of {FORM} on {SPACE}{WITH}, in place. Let g be the gradient in {grads}{CUT}{DECAYED}.
    {SPEED} {MOVED} {STAYS}
    """
    n = c.size()
    FORM = c.meaning("heavy-ball descent", "Nesterov descent", "averaged-gradient descent", "plain descent")
    PLAIN = FORM == "plain descent"
    # without momentum, decay that is apart from it is the same
    DECAY = c.meaning("", "weight decay", *(() if PLAIN else ("decoupled weight decay",)))
    CLIPPED = c.meaning(False, True)
    SIZE = c.meaning(1, 3) if CLIPPED else c.style(1, 2, 3)
    LIMIT = ("clipped gradients" if SIZE == 1 else "gradients clipped by length") if CLIPPED else ""
    SKIP = c.meaning("", " that are not frozen")
    SPACE = ("weights" if SIZE == 1 else "weight vectors") + SKIP
    WITH = " and ".join(word for word in (DECAY, LIMIT) if word)
    WITH = f", with {WITH}" if WITH else ""
    RATE, MOMENTUM, SHRINK = c.constant(0.1, 0.5), c.constant(0.5, 0.95), c.constant(0.05, 0.3)
    LARGEST = c.constant(0.4, 0.8)
    Value = float if SIZE == 1 else c.vec(SIZE)
    c.once("choice of weights", SKIP)
    if PLAIN:
        c.names({"kernel": "sgd_step update_weights"})
    elif FORM == "averaged-gradient descent":
        c.names({"velocity": "average grad_average momentum_buffer", "v": "v mean_g smoothed"})
    CUT = DECAYED = ""
    if LIMIT:
        CUT = (
            ", clamped to [-{LARGEST}, {LARGEST}]"
            if SIZE == 1
            else ", scaled down to length {LARGEST} if it is longer than that"
        )
    if DECAY == "weight decay":
        DECAYED = ", plus {SHRINK} times {w}"
    SPEED = ""
    if FORM == "averaged-gradient descent":
        SPEED = "{velocity} becomes {MOMENTUM}·{velocity} + (1 - {MOMENTUM})·g."
    elif not PLAIN:
        SPEED = "{velocity} becomes {MOMENTUM}·{velocity} + g."
    LOSS = "g" if PLAIN else "{velocity}"
    if FORM == "Nesterov descent":
        LOSS = "(g + {MOMENTUM}·{velocity}), with the new {velocity}"
    MOVED = "Then {w} loses {RATE} · {LOSS}."
    if DECAY == "decoupled weight decay":
        MOVED = "Then {w} is multiplied by 1 - {RATE} · {SHRINK} and loses {RATE} · {LOSS}."
    STAYS = "Nothing changes if {frozen} is 1." if SKIP else ""

    @c.kernel(n)
    def kernel(
        grads: wp.array[Value] = input(n, low=-1.0, high=1.0, of="gradient"),
        frozen: wp.array[int] = input(n, low=0, high=1),
        w: wp.array[Value] = inout(n, low=-1.0, high=1.0, of="weights"),
        velocity: wp.array[Value] = inout(n, low=-1.0, high=1.0),
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
                length = wp.length(g)
                if length > LARGEST:
                    g *= LARGEST / length
        if DECAY == "weight decay":
            g += SHRINK * w[i]
        elif DECAY == "decoupled weight decay":
            # this decay is no part of the momentum
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
    differentiable=False,
    names={
        "w": "w weights params",
        "grads": "grads gradients dw",
        "momentum": "momentum m ema",
        "i j": "i j | row col",
        "kernel": "sign_update sign_momentum sign_step",
    },
)
def sign_momentum_step(c):
    """Moves each weight{SCALED} against {DIRECTION}{DECAY}.

    Move each weight against {DIRECTION}. With the gradient g in {grads} and the momentum u in {momentum},
    {STEP}.{MORE} The weight in {w} loses {PACE} times s. Finally u becomes {SLOW}·u + (1 - {SLOW})·g. Both
    are updated in place.
    """
    rows, cols = c.size(5, 8), c.size(4, 7)
    DECAY = c.meaning("", ", with weight decay", ", only where the gradient agrees")
    SCALED = c.meaning("", " at a rate per row")
    RATE, SHRINK = c.constant(0.1, 0.4), c.constant(0.1, 0.5)
    FAST, SLOW, SHARP = c.constant(0.5, 0.9), c.constant(0.6, 0.95), c.constant(1.0, 4.0)
    SMALL = c.constant(0.1, 0.3)

    def lion(m: float, g: float) -> float:
        """the sign of a blend of momentum and gradient."""
        return wp.sign(FAST * m + (1.0 - FAST) * g)

    def signum(m: float, g: float) -> float:
        """the sign of the new momentum."""
        return wp.sign(SLOW * m + (1.0 - SLOW) * g)

    def ternary(m: float, g: float) -> float:
        """the thresholded sign of a blend of momentum and gradient."""
        blend = FAST * m + (1.0 - FAST) * g
        if wp.abs(blend) < SMALL:
            return 0.0
        return wp.sign(blend)

    def softened(m: float, g: float) -> float:
        """the softened sign of a blend of momentum and gradient."""
        return wp.tanh(SHARP * (FAST * m + (1.0 - FAST) * g))

    def nesterov(m: float, g: float) -> float:
        """the sign of the Nesterov momentum."""
        ahead = SLOW * m + (1.0 - SLOW) * g
        return wp.sign(SLOW * ahead + (1.0 - SLOW) * g)

    DIRECTION = c.meaning(lion, signum, ternary, softened, nesterov)
    STEP = {
        lion: "s is the sign of {FAST}·u + (1 - {FAST})·g (1 for 0)",
        signum: "s is the sign of {SLOW}·u + (1 - {SLOW})·g (1 for 0)",
        ternary: "let b be {FAST}·u + (1 - {FAST})·g; s is 0 if |b| < {SMALL}, otherwise the sign of b",
        softened: "s is tanh({SHARP} · ({FAST}·u + (1 - {FAST})·g))",
        nesterov: "let b be {SLOW}·u + (1 - {SLOW})·g; s is the sign of {SLOW}·b + (1 - {SLOW})·g (1 for 0)",
    }[DIRECTION]
    MORE = ""
    if "decay" in DECAY:
        MORE = " Add {SHRINK} times the weight to s."
    elif DECAY:
        MORE = " If the gradient does not agree, s·g ≤ 0, s becomes 0."
    PACE = "the {rates} of its row" if SCALED else "{RATE}"

    @c.kernel(rows, cols)
    def kernel(
        grads: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0, of="gradient"),
        rates: wp.array[float] = input(rows, low=0.1, high=0.5),
        w: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0, of="weights"),
        momentum: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0),
    ):
        i, j = wp.tid()
        g = grads[i, j]
        m = momentum[i, j]
        step = DIRECTION(m, g)
        if DECAY == ", with weight decay":
            step += SHRINK * w[i, j]
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
    differentiable=False,
    names={
        "grads": "grads gradients dw",
        "w": "w weights params",
        "limit": "limit bound max_norm",
        "size": "size norm length",
        "extent": "weight_norm w_norm",
        "row k": "row k | i j | unit source",
        "kernel": "clip_grad limit_gradients clip_kernel",
    },
)
def clip_gradients(c):
    """{ACT} {BOUND}{AFTER}{COUNTED}.

    {PURPOSE}, in place. {BOUNDED} {NOISE} {SUMS} {COUNTS}
    """
    n, width = c.size(6, 9), c.size(4, 7)
    WHAT = c.meaning("entry", "norm", "largest entry", "global norm")
    WHOLE, ENTRY, LARGEST = WHAT == "global norm", WHAT == "entry", WHAT == "largest entry"
    KIND = "fixed" if WHOLE else c.meaning("fixed", "relative", "soft")
    RELATIVE, SOFT = KIND == "relative", KIND == "soft"
    AFTER = c.meaning("", ", then adds noise in proportion to that", ", and adds them to sums")
    COUNTED = c.meaning(False, True) if not SOFT and not WHOLE else False
    NOISY, SUMMED = AFTER.startswith(", then"), AFTER.endswith("sums")
    ACT = {
        "entry": "Clips each entry of the gradients in place",
        "norm": "Scales each gradient row in place so that its norm",
        "largest entry": "Scales each gradient row in place so that its largest entry",
        "global norm": "Scales gradients in place so that their norm, which is given,",
    }[WHAT]
    BOUND = {
        "fixed": "is at most a bound",
        "relative": f"is at most a share of the {'largest weight' if LARGEST else 'norm of its weights'}",
        "soft": "stays softly below a bound",
    }[KIND]
    if ENTRY:
        BOUND = {"fixed": "to a bound", "relative": "to a share of its weight", "soft": "softly to a bound"}[
            KIND
        ]
    COUNTED = f", counting clipped {'entries' if ENTRY else 'rows'}" if COUNTED else ""
    # what gradients of this range have about as often above it as below
    some = 0 if width < 6 else 0.3
    LIMIT = (
        c.constant(0.9 + some, 1.4 + some)
        if WHAT == "norm"
        else c.constant(0.7, 0.9)
        if LARGEST
        else c.constant(0.8, 2.0)
        if WHOLE
        else c.constant(0.4, 0.8)
    )
    SHARE, SPREAD = c.constant(0.4, 0.55) if LARGEST else c.constant(0.35, 0.65), c.constant(0.1, 0.4)
    if NOISY:
        c.names({"kernel": "clip_and_add_noise privatize_gradients noisy_clipped_gradients"})
    elif SUMMED:
        c.names({"kernel": "clip_and_accumulate accumulate_clipped add_clipped_gradients"})
    if LARGEST:
        c.names(
            {
                "size": "size peak largest",
                "extent": "weight_peak largest_weight",
                "limit": "limit bound ceiling",
            }
        )
    NAMED = {"entry": "entry", "norm": "norm", "largest entry": "largest magnitude", "global norm": "norm"}[
        WHAT
    ]
    PURPOSE = (
        "Clip each entry of the gradients {grads}"
        if ENTRY
        else f"Clip each row of the gradients {{grads}} by its {NAMED}"
    )
    if WHOLE:
        PURPOSE = "Clip the gradients {grads} by their global norm {norm}"
    LIMITED = "{LIMIT}"
    if RELATIVE:
        LIMITED = "{SHARE} · max(|its weight in {w}|, 0.1)"
        if not ENTRY:
            LIMITED = f"{{SHARE}} · max({NAMED} of its row of weights in {{w}}, 0.001)"
    BOUNDED = f"With the bound b = {LIMITED}, an entry g is clamped to [-b, b]."
    if SOFT:
        BOUNDED = f"With S the {NAMED} of a row, it is multiplied by {{LIMIT}} / ({{LIMIT}} + S)."
        if ENTRY:
            BOUNDED = "An entry g becomes {LIMIT} · tanh(g / {LIMIT})."
    elif WHOLE:
        BOUNDED = "All entries are multiplied by min({LIMIT} / {norm}, 1)."
    elif not ENTRY:
        BOUNDED = (
            f"With S the {NAMED} of a row, which counts as at least 1e-6, and the bound b = "
            f"{LIMITED}, the row is "
        )
        BOUNDED += "multiplied by min(b / S, 1)."
    NOISE = ""
    if NOISY:
        AMOUNT = "b" if RELATIVE else "{LIMIT}"
        NOISE = (
            "Then add {SPREAD} · {AMOUNT} times a normal number (randn) to each entry; the numbers for "
            "row i come in order of its columns from "
        )
        NOISE += "Warp's generator, started by rand_init({seed}, i)."
    SUMS = "Add the results to {sums}." if SUMMED else ""
    COUNTS = ""
    if COUNTED:
        COUNTS = (
            "Add to {cuts} the number of entries with |g| > b."
            if ENTRY
            else "Add to {cuts} the number of rows that shrink."
        )

    @c.kernel(n)
    def kernel(
        w: wp.array2d[float] = input(n, width, low=-2.0, high=2.0),
        norm: float = input(low=0.5, high=3.0),
        seed: int = input(low=0, high=1000),
        grads: wp.array2d[float] = inout(n, width, low=-1.0, high=1.0),
        sums: wp.array2d[float] = inout(n, width, low=-1.0, high=1.0),
        cuts: wp.array[int] = inout(1, low=0, high=4),
    ):
        row = wp.tid()
        if LARGEST:
            size = float(0.0)
            if RELATIVE:
                extent = float(0.0)
            for k in range(grads.shape[1]):
                size = wp.max(size, wp.abs(grads[row, k]))
                if RELATIVE:
                    extent = wp.max(extent, wp.abs(w[row, k]))
        elif WHAT == "norm":
            square = float(0.0)
            if RELATIVE:
                w_square = float(0.0)
            for k in range(grads.shape[1]):
                square += grads[row, k] * grads[row, k]
                if RELATIVE:
                    w_square += w[row, k] * w[row, k]
            size = wp.sqrt(square)
            if RELATIVE:
                extent = wp.sqrt(w_square)
        if RELATIVE and not ENTRY:
            # rows of zero weights must be able to move
            limit = SHARE * wp.max(extent, 0.001)
        if WHOLE:
            scale = wp.min(LIMIT / norm, 1.0)
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
        if NOISY:
            state = wp.rand_init(seed, row)
        for k in range(grads.shape[1]):
            g = grads[row, k]
            if ENTRY:
                if SOFT:
                    g = LIMIT * wp.tanh(g / LIMIT)
                else:
                    if RELATIVE:
                        # weights near zero must be able to move
                        bound = SHARE * wp.max(wp.abs(w[row, k]), 0.1)
                    else:
                        bound = LIMIT
                    if COUNTED != "":
                        if wp.abs(g) > bound:
                            wp.atomic_add(cuts, 0, 1)
                    g = wp.clamp(g, -bound, bound)
            else:
                g *= scale
            if NOISY:
                if RELATIVE:
                    g += SPREAD * (bound if ENTRY else limit) * wp.randn(state)
                else:
                    g += SPREAD * LIMIT * wp.randn(state)
            if SUMMED:
                sums[row, k] += g
            grads[row, k] = g


@idiom(
    level=2,
    differentiable=False,
    names={
        "w": "w weights params",
        "average": "average ema shadow",
        "rate": "rate alpha blend",
        "keep": "keep kept_share beta",
        "off": "gaps distances deviations",
        "kernel": "update_average ema_update average_weights",
    },
)
def weight_average(c):
    """{MAKES}{WHEN}{BACK}.

    {PURPOSE} {RULE} {DISTANCE} {MASKED}
    """
    n = c.size()
    FORM = c.meaning("exponential", "equal", "warmed-up", "lookahead", "power")
    VECTOR = c.meaning(False, True)
    WEIGHT = "weight vector" if VECTOR else "weight"
    MAKES = {
        "exponential": f"Keeps the exponential average of each {WEIGHT}",
        "equal": f"Keeps the running mean of each {WEIGHT}",
        "warmed-up": f"Keeps an exponential average of each {WEIGHT} that warms up",
        "lookahead": f"Moves the slow copy of each {WEIGHT} once in a period, and resets the weight to it",
        "power": f"Keeps the polynomial average of each {WEIGHT}",
    }[FORM]
    WHEN = c.meaning("", ", where a mask is set")
    BACK = "" if FORM == "lookahead" else c.meaning("", ", and measures how far the weight is from it")
    DECAY, POWER, SLOW_RATE = (
        c.constant(0.6, 0.75) if FORM == "warmed-up" else c.constant(0.6, 0.95),
        c.constant(1.0, 5.0),
        c.constant(0.3, 0.8),
    )
    # a copy that resets the weights must know which of them may move
    c.once("choice of weights", WHEN or FORM == "lookahead")
    if FORM == "lookahead":
        c.names({"average": "slow slow_weights anchor", "kernel": "lookahead update_slow_weights"})
    elif FORM in ("equal", "power"):
        c.names({"average": "average mean_weights shadow", "kernel": "update_average average_weights"})
    Value = c.vec(3) if VECTOR else float
    THING = "weight vector" if VECTOR else "weight"
    PURPOSE = f"Keep an average of each {THING} of {{w}} in {{average}}, in place."
    if FORM == "lookahead":
        PURPOSE = (
            f"Move the slow copy {{average}} of each {THING} of {{w}} once in a period, as Lookahead does."
        )
    RULE = {
        "exponential": "The average is exponential: {average} becomes {DECAY}·{average} + (1 - {DECAY})·{w}.",
        "equal": "The average is a running mean: {average} moves by 1 / ({seen} + 1) of the way to {w}.",
        "warmed-up": "The average is exponential and warms up: {average} becomes k·{average} + (1 - k)·{w}, "
        "where k = min((1 + {seen}) / (10 + {seen}), {DECAY}).",
        "lookahead": "If {step} is a multiple of {period}, {average} moves by {SLOW_RATE} of the way "
        "to {w}, and {w} becomes the new {average}. Otherwise both stay as they are.",
        "power": "The average is polynomial: {average} moves by r = ({POWER} + 1) / ({POWER} + "
        "{seen} + 1) of the way to {w}.",
    }[FORM]
    DISTANCE = ""
    if BACK:
        DISTANCE = (
            "{off} is the distance of {w} from the new {average}."
            if VECTOR
            else "{off} is |{w} - {average}|, with the new {average}."
        )
    MASKED = ""
    if WHEN:
        # not "nothing changes": in a longer kernel the weights may have changed before
        KEPT = "{average} and {w} stay as they are" if FORM == "lookahead" else "{average} stays as it is"
        MASKED = f"If {{mask}} is 0, {KEPT}" + (", and {off} is 0." if BACK else ".")

    @c.kernel(n)
    def kernel(
        mask: wp.array[int] = input(n, low=0, high=1),
        seen: int = input(low=1, high=30 if FORM == "warmed-up" else 9),
        step: int = input(low=1, high=6, of="step number"),
        period: int = input(low=2, high=3),
        w: wp.array[Value] = inout(n, low=-2.0, high=2.0, of="weights")
        if FORM == "lookahead"
        else input(n, low=-2.0, high=2.0, of="weights"),
        average: wp.array[Value] = inout(n, low=-2.0, high=2.0),
        off: wp.array[float] = output(n),
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
            keep = wp.min(float(1 + seen) / float(10 + seen), DECAY)
            average[i] = wp.lerp(w[i], average[i], keep)
        elif FORM == "power":
            rate = (POWER + 1.0) / (POWER + float(seen + 1))
            average[i] = (1.0 - rate) * average[i] + rate * w[i]
        elif FORM == "lookahead":
            # the slow weights move only once in a period
            if step % period == 0:
                average[i] = average[i] + SLOW_RATE * (w[i] - average[i])
                w[i] = average[i]
        else:
            average[i] = DECAY * average[i] + (1.0 - DECAY) * w[i]
        if BACK != "":
            off[i] = wp.length(w[i] - average[i]) if VECTOR else wp.abs(w[i] - average[i])
