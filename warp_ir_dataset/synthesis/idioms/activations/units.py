"""Longer templates of activations: units of several pieces, units that are dropped, curves that are
learned."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    differentiable=False,
    names={
        "x": "x inputs pre",
        "y": "y out activations",
        "best": "best top largest",
        "count": "count pieces n_pieces",
        "kernel": "maxout maxout_forward reduce_pieces",
        "row unit": "row unit | i j | sample feature",
    },
)
def maxout_units(c):
    """Takes {TAKE} of each unit's {LAYOUT} pieces{MAXOUT}{BIASED}{ALSO}.

    Reduce each unit's pieces to one number{NAMED}. {PIECES} {BIAS}{y} gets {RESULT}{SCALE}. {INDEX}
    """
    n, units, pieces = c.size(5, 8), c.size(4, 6), c.size(3, 5)
    TAKE = c.meaning(
        "the largest", "the largest in magnitude", "the sum of the two largest", "the log-sum-exp"
    )
    if TAKE != "the largest":
        c.names({"kernel": "reduce_pieces pool_pieces"})
    MAXOUT = " (maxout)" if TAKE == "the largest" else ""
    LAYOUT = c.meaning("neighbouring", "strided", "stacked")
    BIASED = c.meaning("", ", with biases")
    ONE = TAKE in ("the largest", "the largest in magnitude")
    ALSO = c.meaning("", ", and its index") if ONE else c.meaning("", ", times the unit's weight")
    shape = (n, pieces, units) if LAYOUT == "stacked" else (n, units * pieces)
    NAMED = ", as maxout does" if TAKE == "the largest" else ""
    PIECES = {
        "stacked": "Piece p of unit u in row r is `{x}[r, p, u]`.",
        "neighbouring": (
            "The columns of {x} hold all pieces of unit 0, then all pieces of unit 1, and so on; {y} has a "
            "column per unit."
        ),
        "strided": (
            "The columns of {x} hold piece 0 of every unit, then piece 1 of every unit, and so on; {y} has a "
            "column per unit."
        ),
    }[LAYOUT]
    BIAS = "Add `{bias}[p, u]` to piece p of unit u first. " if BIASED else ""
    RESULT = {
        "the largest": "the largest piece, which is above -1000000 in any case",
        "the largest in magnitude": "the piece of the largest magnitude, with its sign",
        "the sum of the two largest": "the sum of the two largest pieces, all of which are above -1000000",
        "the log-sum-exp": "the logarithm of the sum of their exponentials",
    }[TAKE]
    SCALE = ", times the weight of the unit in {weights}" if "weight" in ALSO else ""
    INDEX = (
        "{choice} gets the index of that piece within its unit; on ties it is the first."
        if "index" in ALSO
        else ""
    )

    @c.kernel(n, units)
    def kernel(
        x: (wp.array3d[float] if LAYOUT == "stacked" else wp.array2d[float]) = input(
            *shape, low=-3.0, high=3.0
        ),
        bias: wp.array2d[float] = input(pieces, units, low=-1.0, high=1.0),
        weights: wp.array[float] = input(units, low=0.3, high=2.0),
        y: wp.array2d[float] = output(n, units, of="activation"),
        choice: wp.array2d[int] = output(n, units),
    ):
        row, unit = wp.tid()
        if TAKE != "the log-sum-exp":
            best = float(0.0) if TAKE == "the largest in magnitude" else float(-1.0e6)
        if TAKE == "the sum of the two largest":
            second = float(-1.0e6)
        if TAKE == "the log-sum-exp":
            total = float(0.0)
        if ALSO == ", and its index":
            index = int(0)
        if LAYOUT != "stacked":
            count = x.shape[1] // y.shape[1]
        for piece in range(x.shape[1] if LAYOUT == "stacked" else count):
            if LAYOUT == "stacked":
                z = x[row, piece, unit]
            elif LAYOUT == "neighbouring":
                z = x[row, unit * count + piece]
            else:
                z = x[row, piece * y.shape[1] + unit]
            if BIASED != "":
                z += bias[piece, unit]
            if TAKE == "the log-sum-exp":
                total += wp.exp(z)
            elif TAKE == "the sum of the two largest":
                if z > best:
                    second = best
                    best = z
                elif z > second:
                    second = z
            elif TAKE == "the largest in magnitude":
                if wp.abs(z) > wp.abs(best):
                    best = z
                    if ALSO == ", and its index":
                        index = piece
            elif ALSO == ", and its index":
                if z > best:
                    best = z
                    index = piece
            else:
                best = wp.max(best, z)
        if TAKE == "the log-sum-exp":
            y[row, unit] = weights[unit] * wp.log(total) if ALSO != "" else wp.log(total)
        elif TAKE == "the sum of the two largest":
            y[row, unit] = weights[unit] * (best + second) if ALSO != "" else best + second
        else:
            y[row, unit] = best
        if ALSO == ", and its index":
            choice[row, unit] = index


@idiom(
    level=3,
    names={
        "x": "x inputs pre",
        "slopes": "slopes alpha a",
        "y": "y out activations",
        "dy": "dy grad_out adj_y",
        "dx": "dx grad_in adj_x",
        "dslopes": "dslopes grad_slopes adj_slopes",
        "sample channel k": "sample channel k | b c t | n c s",
        "kernel": "apply_learned_slopes learned_activation",
    },
)
def learned_slopes(c):
    """{WAY} {FORM} {WHAT} of each {SHARED}.

    {ACT} {FORM} with a learned {PARAMETER} for each {SHARED}. The entries of {x} are indexed by sample,
    channel and position; with t for an entry and {SYMBOLS} {WHOSE}, the activation is {FORMULA}. {STORE}
    """
    batch, pairs, length = c.size(4, 5), c.size(2, 3), c.size(4, 5)
    WAY = c.meaning("Applies", "Backpropagates through")
    FORM = c.meaning(
        "a parametric ReLU", "a two-sided linear unit", "a rectifier", "a parametric ELU", "a swish"
    )
    SHARED = c.meaning("channel", "position", "pair of channels")
    TWO, FLOOR, SWISH = FORM == "a two-sided linear unit", FORM == "a rectifier", FORM == "a swish"
    ELU = FORM == "a parametric ELU"
    LEARNED = "floor" if FLOOR else "sharpness" if SWISH else "scale" if ELU else "slope"
    if WAY == "Applies":
        WHAT = "with the learned slopes" if TWO else f"with the learned {LEARNED}"
        c.names({"kernel": "learned_activation apply_learned"} if FLOOR or SWISH or ELU else {})
    else:
        WHAT = f"to its inputs and the {'lower ' if TWO else ''}{LEARNED}"
        c.names({"kernel": "backprop_learned backward_learned"})
    if FLOOR:
        c.names({"slopes": "floors limits", "dslopes": "dfloors grad_floors", "a": "least limit"})
    elif SWISH:
        c.names({"slopes": "sharpness betas", "dslopes": "dsharpness grad_betas", "a": "beta b"})
    elif ELU:
        c.names({"slopes": "scales alphas", "dslopes": "dscales grad_alphas", "a": "alpha scale"})
    elif TWO:
        c.names({"slopes": "lower below", "dslopes": "dlower grad_lower"})
    PLACE, PAIRED = SHARED == "position", SHARED == "pair of channels"
    channels = 2 * pairs
    count = length if PLACE else pairs if PAIRED else channels
    ACT = "Apply" if WAY == "Applies" else "Backpropagate through"
    PARAMETER = "slope on either side of zero" if TWO else LEARNED
    SYMBOLS = "a for the entry of {slopes}"
    if TWO:
        SYMBOLS += " and b for that of {upper}"
    WHOSE = {
        "channel": "of its channel",
        "position": "of its position",
        "pair of channels": "of its pair of channels, where channels 2p and 2p + 1 are pair p",
    }[SHARED]
    FORMULA = {
        "a parametric ReLU": "t if t > 0 and a·t otherwise",
        "a two-sided linear unit": "b·t if t > 0 and a·t otherwise",
        "a rectifier": "max(t, a)",
        "a parametric ELU": "t if t > 0 and a·(exp(t / a) - 1) otherwise",
        "a swish": "t / (1 + exp(-a·t))",
    }[FORM]
    STORE = "{y} gets the activations."
    if WAY != "Applies":
        STORE = (
            "Multiply the gradients {dy} by the derivatives: {dx} gets the gradient of each entry, and the "
        )
        STORE += "gradient of a, summed over all entries that share it, is added to {dslopes}."
        if TWO:
            STORE += " There is no gradient of b."
        elif FLOOR:
            STORE += " If t equals a, all of the gradient goes to a."

    @c.kernel(batch, channels, length)
    def kernel(
        x: wp.array3d[float] = input(batch, channels, length, low=-2.0, high=2.0, of="activation"),
        slopes: wp.array[float] = input(count, low=-0.9 if FLOOR else 0.1, high=0.9),
        upper: wp.array[float] = input(count, low=0.8, high=1.8),
        dy: wp.array3d[float] = input(batch, channels, length, low=-1.0, high=1.0, of="gradient"),
        y: wp.array3d[float] = output(batch, channels, length, of="activation"),
        dx: wp.array3d[float] = output(batch, channels, length, of="gradient"),
        dslopes: wp.array[float] = inout(count, low=-1.0, high=1.0),
    ):
        sample, channel, k = wp.tid()
        z = x[sample, channel, k]
        if PAIRED:
            pair = channel // 2
        a = slopes[pair if PAIRED else k if PLACE else channel]
        if WAY == "Applies":
            if FORM == "a parametric ReLU":
                y[sample, channel, k] = wp.max(z, 0.0) + a * wp.min(z, 0.0)
            elif FORM == "a two-sided linear unit":
                y[sample, channel, k] = (
                    wp.where(z > 0.0, upper[pair if PAIRED else k if PLACE else channel], a) * z
                )
            elif FORM == "a rectifier":
                y[sample, channel, k] = wp.max(z, a)
            elif FORM == "a parametric ELU":
                y[sample, channel, k] = z if z > 0.0 else a * (wp.exp(z / a) - 1.0)
            else:
                y[sample, channel, k] = z / (1.0 + wp.exp(-a * z))
        else:
            g = dy[sample, channel, k]
            if FORM == "a parametric ReLU":
                if z > 0.0:
                    dx[sample, channel, k] = g
                else:
                    dx[sample, channel, k] = a * g
                    wp.atomic_add(dslopes, pair if PAIRED else k if PLACE else channel, g * z)
            elif FORM == "a two-sided linear unit":
                dx[sample, channel, k] = (
                    wp.where(z > 0.0, upper[pair if PAIRED else k if PLACE else channel], a) * g
                )
                # the slope above zero is not learned here
                wp.atomic_add(dslopes, pair if PAIRED else k if PLACE else channel, g * wp.min(z, 0.0))
            elif FORM == "a rectifier":
                if z > a:
                    dx[sample, channel, k] = g
                else:
                    dx[sample, channel, k] = 0.0
                    wp.atomic_add(dslopes, pair if PAIRED else k if PLACE else channel, g)
            elif FORM == "a parametric ELU":
                if z > 0.0:
                    dx[sample, channel, k] = g
                else:
                    e = wp.exp(z / a)
                    dx[sample, channel, k] = e * g
                    wp.atomic_add(
                        dslopes, pair if PAIRED else k if PLACE else channel, g * (e * (1.0 - z / a) - 1.0)
                    )
            else:
                s = 1.0 / (1.0 + wp.exp(-a * z))
                t = s * (1.0 - s) * z
                dx[sample, channel, k] = (s + a * t) * g
                wp.atomic_add(dslopes, pair if PAIRED else k if PLACE else channel, z * t * g)


@idiom(
    level=4,
    names={
        "x": "x inputs activations",
        "y": "y out thinned",
        "kept": "kept mask keep_mask",
        "state": "state rng rng_state",
        "row col": "row col | i j | sample unit",
        "kernel": "dropout_forward apply_dropout drop",
    },
)
def dropout(c):
    """{ACT}{HOW}{SHORTCUT}.

    {PURPOSE} {STREAM} {RULE} {STORE}
    """
    n, width = c.size(5, 9), c.size(5, 8)
    WHOM = c.meaning("entries", "whole rows", "whole columns", "entries by noise")
    NOISE, ROWS = WHOM == "entries by noise", WHOM == "whole rows"
    OF = c.meaning("", "what ReLU passes", "a residual branch")
    RATES = f", each {'row' if ROWS else 'column'} at its own rate, scaling up the rest"
    ALPHA = ", as alpha dropout: to a negative floor, then rescaled"
    if NOISE:
        HOW = ""
        NOISES = c.meaning("Gaussian", "uniform", "log-normal")
        c.names({"kernel": "noise_forward noisy_dropout multiply_noise", "y": "y out noisy"})
    elif OF == "a residual branch":
        # what is dropped there must leave the shortcut as it is
        HOW = c.meaning(", scaling up the rest", "")
    else:
        HOW = c.meaning(", scaling up the rest", ALPHA if OF == "" else RATES, "")
    KEPT = c.meaning(False, True)
    KEEP, SPREAD = c.constant(0.4, 0.8), c.constant(0.2, 0.6)
    ON = f" of {OF}" if OF != "" else ""
    if NOISE:
        ACT = f"Multiplies entries{ON} by {NOISES} factors"
        if KEPT:
            ACT = f"Keeps {NOISES} factors and multiplies entries{ON} by them"
    else:
        ACT = f"Drops {WHOM}{ON} at random"
        if KEPT:
            ACT = f"Keeps a random mask and drops {WHOM}{ON} by it"
    SHORTCUT = ", and adds the shortcut" if OF == "a residual branch" else ""
    c.once("shortcut", OF == "a residual branch")
    PURPOSE = "Multiply the entries of {x} by {NOISES} noise." if NOISE else "Apply dropout to {WHOM} of {x}."
    if OF == "what ReLU passes":
        PURPOSE += " Negative entries count as 0 beforehand."
    STREAM = {
        "whole rows": (
            "The numbers of each row come from one stream, wp.rand_init({seed}, row), started anew at every "
            "entry, so all of it is kept or dropped together."
        ),
        "whole columns": (
            "The numbers of each column come from one stream, wp.rand_init({seed}, column), started anew at "
            "every entry, so all of it is kept or dropped together."
        ),
    }.get(WHOM, "Each entry has its own stream, wp.rand_init({seed}, its row-major index in {x}).")
    if NOISE:
        RULE = {
            "Gaussian": "Its factor is 1 + {SPREAD}·r, where r is its first normal number (wp.randn).",
            "uniform": (
                "Its factor is its first uniform number between 1 - {SPREAD} and 1 + {SPREAD} (wp.randf)."
            ),
            "log-normal": "Its factor is exp({SPREAD}·r), where r is its first normal number (wp.randn).",
        }[NOISES]
    else:
        RULE = (
            "An entry is kept if the first uniform number in [0, 1) of the stream (wp.randf) is below "
            "{KEEP}, "
        )
        RULE += "and {DROPPED}."
        DROPPED = "otherwise it becomes 0"
        if HOW == ALPHA:
            DROPPED = (
                "otherwise it becomes -1.7581, the negative floor of SELU. Then every entry, kept or not, "
                "has "
            )
            DROPPED += (
                "its mean and variance restored: it is reduced by (1 - {KEEP})·(-1.7581) and divided by "
            )
            DROPPED += "√({KEEP} + {KEEP}·(1 - {KEEP})·1.7581²)"
        elif HOW == RATES:
            RULE = (
                "An entry is dropped, to 0, if the first uniform number in [0, 1) of the stream (wp.randf) "
                "is "
            )
            RULE += "below the rate of its {OWNER} in {rates}; otherwise it is divided by 1 minus that rate."
            OWNER = "row" if ROWS else "column"
        elif HOW != "":
            DROPPED += "; kept entries are divided by {KEEP}"
    STORE = "{y} gets the results."
    if OF == "a residual branch":
        STORE = "{y} gets the results plus {shortcut}."
    if KEPT:
        STORE += (
            " Store the factors in {factors}."
            if NOISE
            else (" {kept} gets 1 for kept entries and 0 for others.")
        )

    @c.kernel(n, width)
    def kernel(
        x: wp.array2d[float] = input(
            n, width, low=-2.0, high=2.0, of=None if OF == "what ReLU passes" else "activation"
        ),
        shortcut: wp.array2d[float] = input(n, width, low=-1.0, high=1.0, of="activation"),
        rates: wp.array[float] = input(n if ROWS else width, low=0.2, high=0.6),
        seed: int = input(low=0, high=1000),
        y: wp.array2d[float] = output(n, width, of="activation"),
        kept: wp.array2d[wp.uint8] = output(n, width),
        factors: wp.array2d[float] = output(n, width),
    ):
        row, col = wp.tid()
        if ROWS:
            # one stream a row, so that all of it goes or stays
            state = wp.rand_init(seed, row)
        elif WHOM == "whole columns":
            state = wp.rand_init(seed, col)
        else:
            state = wp.rand_init(seed, row * x.shape[1] + col)
        value = wp.max(x[row, col], 0.0) if OF == "what ReLU passes" else x[row, col]
        if NOISE:
            if NOISES == "Gaussian":
                factor = 1.0 + SPREAD * wp.randn(state)
            elif NOISES == "uniform":
                factor = wp.randf(state, 1.0 - SPREAD, 1.0 + SPREAD)
            else:
                factor = wp.exp(SPREAD * wp.randn(state))
            if KEPT:
                factors[row, col] = factor
            value *= factor
        elif HOW == ALPHA:
            # where SELU levels off on the left
            lowest = -1.7581
            if wp.randf(state) >= KEEP:
                value = lowest
                if KEPT:
                    kept[row, col] = wp.uint8(0)
            elif KEPT:
                kept[row, col] = wp.uint8(1)
            # mean and variance are brought back to what they were
            value = (value - (1.0 - KEEP) * lowest) / wp.sqrt(KEEP + KEEP * (1.0 - KEEP) * lowest * lowest)
        elif HOW == RATES:
            rate = rates[row if ROWS else col]
            if wp.randf(state) < rate:
                value = float(0.0)
                if KEPT:
                    kept[row, col] = wp.uint8(0)
            else:
                value /= 1.0 - rate
                if KEPT:
                    kept[row, col] = wp.uint8(1)
        elif HOW == "" and not KEPT:
            if wp.randf(state) >= KEEP:
                value = float(0.0)
        elif wp.randf(state) < KEEP:
            if HOW != "":
                value /= KEEP
            if KEPT:
                kept[row, col] = wp.uint8(1)
        else:
            value = float(0.0)
            if KEPT:
                kept[row, col] = wp.uint8(0)
        if OF == "a residual branch":
            y[row, col] = value + shortcut[row, col]
        else:
            y[row, col] = value


@idiom(
    level=5,
    differentiable=False,
    names={
        "x": "x inputs features",
        "coefficients": "coefficients coeffs weights",
        "y": "y out outputs",
        "k": "k knot m",
        "kernel": "kan_layer spline_layer",
        "row unit": "row unit | i o | sample out_index",
        "channel": "channel source d",
    },
)
def spline_activation(c):
    """Applies a Kolmogorov-Arnold layer: sums of curves learned on {BASIS}{OUTSIDE}{BASE}{ALSO}.

    Apply a Kolmogorov-Arnold layer: output unit u of row r is the sum, over the channels c of {x}, of a
    learned curve of v = `{x}[r, c]`{EXTRAS}. {CURVE} Store the outputs in {y}.
    """
    n, units, inputs, knots = c.size(4, 6), c.size(3, 5), c.size(2, 4), c.size(5, 6)
    BASIS = c.meaning(
        "hat functions", "quadratic B-splines", "cubic B-splines", "Gaussians", "Chebyshev polynomials"
    )
    BASE = c.meaning("", ", plus weighted swishes of the inputs", ", plus weighted inputs")
    CHEBYSHEV = BASIS == "Chebyshev polynomials"
    if BASIS in ("Gaussians", "Chebyshev polynomials"):
        c.names({"kernel": "kan_layer curve_layer", "k": "k order m" if CHEBYSHEV else "k bump m"})
    elif BASIS != "hat functions":
        c.names({"k": "k centre m"})
    CLAMPED = c.meaning(False, True)
    if CHEBYSHEV:
        OUTSIDE = " of the clamped inputs" if CLAMPED else " of the tanh of the inputs"
    else:
        CENTRES = "knots" if BASIS == "hat functions" else "centres"
        OUTSIDE = f", constant beyond the outer {CENTRES}" if CLAMPED else ""
    ALSO = c.meaning("", ", plus a bias")
    EDGE = c.constant(1.0, 1.6)
    most = 1.4 if CHEBYSHEV and CLAMPED else 2.0

    def hat(t: float) -> float:
        """Falls to zero on both sides within one step."""
        return wp.max(1.0 - wp.abs(t), 0.0)

    def quadratic(t: float) -> float:
        """The quadratic B-spline about zero."""
        r = wp.abs(t)
        if r < 0.5:
            return 0.75 - r * r
        elif r < 1.5:
            return 0.5 * (1.5 - r) * (1.5 - r)
        return 0.0

    def cubic(t: float) -> float:
        """The cubic B-spline about zero."""
        r = wp.abs(t)
        if r < 1.0:
            return (4.0 - 6.0 * r * r + 3.0 * r * r * r) / 6.0
        elif r < 2.0:
            rest = 2.0 - r
            return rest * rest * rest / 6.0
        return 0.0

    def gaussian(t: float) -> float:
        """Falls off on both sides, and never to zero."""
        return wp.exp(-t * t)

    basis = {"hat functions": hat, "quadratic B-splines": quadratic, "cubic B-splines": cubic}.get(
        BASIS, gaussian
    )

    def curve(coefficients: wp.array3d[float], unit: int, channel: int, value: float) -> float:
        """What a unit has learned to make of one of its inputs."""
        if CHEBYSHEV:
            if CLAMPED:
                u = wp.clamp(value, -1.0, 1.0)
            else:
                u = wp.tanh(value)
            # the recurrence of Clenshaw, from the highest order down
            b1 = float(0.0)
            b2 = float(0.0)
            for k in range(coefficients.shape[2] - 1, 0, -1):
                b0 = 2.0 * u * b1 - b2 + coefficients[unit, channel, k]
                b2 = b1
                b1 = b0
            return u * b1 - b2 + coefficients[unit, channel, 0]
        else:
            # counted in centres, which lie evenly on both sides of zero
            place = 0.5 * (value / EDGE + 1.0) * float(coefficients.shape[2] - 1)
            if CLAMPED:
                place = wp.clamp(place, 0.0, float(coefficients.shape[2] - 1))
            total = float(0.0)
            for k in range(coefficients.shape[2]):
                total += coefficients[unit, channel, k] * basis(place - float(k))
            return total

    EXTRAS = {
        "": "",
        ", plus weighted swishes of the inputs": ", plus the swish v / (1 + exp(-v)) times `{base}[u, c]`",
        ", plus weighted inputs": ", plus v times `{base}[u, c]`",
    }[BASE]
    if ALSO:
        EXTRAS += "; `{bias}[u]` is added once"
    FORMULA = {
        "hat functions": "max(1 - |d|, 0)",
        "quadratic B-splines": "0.75 - d² if |d| < 0.5, ½·(1.5 - |d|)² if 0.5 ≤ |d| < 1.5, and 0 beyond",
        "cubic B-splines": "(4 - 6·d² + 3·|d|³) / 6 if |d| < 1, (2 - |d|)³ / 6 if 1 ≤ |d| < 2, and 0 beyond",
        "Gaussians": "exp(-d²)",
    }.get(BASIS, "")
    if CHEBYSHEV:
        ARGUMENT = "v clamped to [-1, 1]" if CLAMPED else "tanh(v)"
        CURVE = "The curve is the sum over k of `{coefficients}[u, c, k]`·T_k(w), where T_k is the Chebyshev "
        CURVE += "polynomial of order k, T_0 = 1 and T_1(w) = w, and w is {ARGUMENT}."
    else:
        HELD = ", clamped to [0, m - 1]" if CLAMPED else ", not clamped"
        CURVE = (
            "The m coefficients of a curve belong to centres that are evenly spaced from -{EDGE} to {EDGE}, "
            "so v "
        )
        CURVE += (
            "is at the place p = ½·(v / {EDGE} + 1)·(m - 1){HELD}, counted in centres. The curve is the sum "
        )
        CURVE += "over k of `{coefficients}[u, c, k]`·B(p - k), with the {BASIS} B(d) = {FORMULA}."

    @c.kernel(n, units)
    def kernel(
        x: wp.array2d[float] = input(n, inputs, low=-most, high=most),
        coefficients: wp.array3d[float] = input(units, inputs, knots, low=-1.0, high=1.0),
        base: wp.array2d[float] = input(units, inputs, low=-1.0, high=1.0),
        bias: wp.array[float] = input(units, low=-1.0, high=1.0),
        y: wp.array2d[float] = output(n, units, of="activation"),
    ):
        row, unit = wp.tid()
        total = bias[unit] if ALSO != "" else float(0.0)
        for channel in range(x.shape[1]):
            value = x[row, channel]
            total += curve(coefficients, unit, channel, value)
            if BASE == ", plus weighted swishes of the inputs":
                total += base[unit, channel] * value / (1.0 + wp.exp(-value))
            elif BASE == ", plus weighted inputs":
                total += base[unit, channel] * value
        y[row, unit] = total
