"""Normalization without sums: by statistics that are known, and of short vectors."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    names={
        "x": "x inputs activations",
        "y": "y out normed",
        "means": "means running_mean mu",
        "variances": "variances running_var var",
        "rstds": "rstds rstd inv_std",
        "z": "z normed value",
        "i k": "i k | row channel | sample feature",
        "kernel": "batch_norm_inference apply_norm normalize_channels",
    },
)
def stored_statistics_norm(c):
    """Normalizes each entry by {STATS} of its channel{AFFINE}{AFTER}{PLACE}.

    Normalize {x} by statistics of its channels, its columns, that are known: each entry of channel k becomes
    {FORMULA}.{AFFINED}{AFTERWARDS} Store the result {STORED}.
    """
    n, channels = c.size(5, 8), c.size(4, 7)
    STATS = c.meaning(
        "the stored mean and variance",
        "a folded factor and shift",
        "the stored mean and inverse deviation",
        "the stored range",
        "the stored mean square",
    )
    FOLDED, RANGED = STATS == "a folded factor and shift", STATS == "the stored range"
    if FOLDED or STATS == "the stored range":
        c.names({"kernel": "apply_norm normalize_channels rescale_channels"})
    elif STATS == "the stored mean square":
        c.names({"kernel": "rms_norm_inference apply_norm", "variances": "mean_squares running_ms"})
    AFFINE = "" if FOLDED else c.meaning("", ", with gain and bias", ", with a gain of one plus a weight")
    CLIPPED = ", clipped to [0, 1]" if RANGED else ", then ReLU6"
    AFTER = c.meaning("", ", then ReLU", ", plus a residual", CLIPPED, ", then swish")
    # Far enough for both bounds of the clipping.
    most = 12.0 if AFTER == ", then ReLU6" else 4.0
    PLACE = c.meaning("", ", in place")
    EPS = c.constant(0.00001, 0.001, step=0.00099)
    FORMULA = {
        "the stored mean and variance": "(entry - `{means}[k]`) / √(`{variances}[k]` + {EPS})",
        "a folded factor and shift": (
            "`{affine}[k][0]`·entry + `{affine}[k][1]`, as mean, variance, gain and bias are folded into"
            " these"
        ),
        "the stored mean and inverse deviation": "(entry - `{means}[k]`)·`{rstds}[k]`",
        "the stored range": "(entry - `{lowest}[k]`) / (`{highest}[k]` - `{lowest}[k]`)",
        "the stored mean square": "entry / √(`{variances}[k]` + {EPS}), as that is the mean square",
    }[STATS]
    AFFINED = {
        "": "",
        ", with gain and bias": " Then multiply by `{gain}[k]` and add `{bias}[k]`.",
        ", with a gain of one plus a weight": " Then multiply by 1 + `{gain}[k]`.",
    }[AFFINE]
    AFTERWARDS = {
        "": "",
        ", then ReLU": " Then apply a ReLU.",
        ", plus a residual": " Then add {residual}.",
        ", clipped to [0, 1]": " Then clip to [0, 1].",
        ", then ReLU6": " Then apply a ReLU6, a clamp to [0, 6].",
        ", then swish": " Then apply swish, z / (1 + exp(-z)).",
    }[AFTER]
    STORED = "in place" if PLACE else "in {y}"

    @c.kernel(n, channels)
    def kernel(
        x: wp.array2d[float] = (inout if PLACE != "" else input)(n, channels, low=-4.0, high=most),
        means: wp.array[float] = input(channels, low=-1.0, high=1.0),
        variances: wp.array[float] = input(channels, low=0.3, high=2.0),
        rstds: wp.array[float] = input(channels, low=0.5, high=1.5),
        affine: wp.array[wp.vec2] = input(channels, low=-1.0, high=2.0),
        lowest: wp.array[float] = input(channels, low=-3.0, high=-1.0),
        highest: wp.array[float] = input(channels, low=1.0, high=3.0),
        gain: wp.array[float] = input(channels, low=-0.5, high=1.5),
        bias: wp.array[float] = input(channels, low=-1.0, high=1.0),
        residual: wp.array2d[float] = input(n, channels, low=-1.0, high=1.0),
        y: wp.array2d[float] = output(n, channels),
    ):
        i, k = wp.tid()
        if FOLDED:
            # what the statistics and the gain come to, multiplied out beforehand
            z = affine[k][0] * x[i, k] + affine[k][1]
        elif STATS == "the stored mean and variance":
            z = (x[i, k] - means[k]) / wp.sqrt(variances[k] + EPS)
        elif STATS == "the stored mean and inverse deviation":
            z = (x[i, k] - means[k]) * rstds[k]
        elif RANGED:
            z = (x[i, k] - lowest[k]) / (highest[k] - lowest[k])
        else:
            z = x[i, k] / wp.sqrt(variances[k] + EPS)
        if AFFINE == ", with gain and bias":
            z = gain[k] * z + bias[k]
        elif AFFINE != "":
            z *= 1.0 + gain[k]
        if AFTER == ", then ReLU":
            z = wp.max(z, 0.0)
        elif AFTER == ", plus a residual":
            z += residual[i, k]
        elif AFTER == CLIPPED:
            z = wp.clamp(z, 0.0, 1.0 if RANGED else 6.0)
        elif AFTER == ", then swish":
            z /= 1.0 + wp.exp(-z)
        if PLACE != "":
            x[i, k] = z
        else:
            y[i, k] = z


@idiom(
    level=3,
    names={
        "x": "x vectors embeddings",
        "y": "y out normed",
        "v": "v x_i entry",
        "mean": "mean mu average",
        "scale": "scale rstd inv_norm",
        "i": "i row tid",
        "kernel": "normalize_vectors vector_norm norm_kernel",
    },
)
def short_vector_norm(c):
    """Normalizes each vector{LESS} by {NORM}{AFFINE}{PLACE}{GIVES}.

    Normalize each of the vectors {x}{LESSENED} by {FORMULA}.{AFFINED} Store the result {STORED}.{KEPT}
    """
    NORM = c.meaning(
        "its mean and standard deviation", "its root mean square", "its length", "one plus its length"
    )
    # Of two entries, mean and deviation leave the sign alone.
    CENTRED = NORM == "its mean and standard deviation"
    n, SIZE = c.size(6, 10), c.style(3, 4) if CENTRED else c.style(2, 3, 4)
    INVERSE = "rstd inv_std" if CENTRED else "inv_rms" if NORM == "its root mean square" else "inv_norm"
    c.names({"scale": f"scale {INVERSE}"})
    LESS = c.meaning("", " less a centre", " plus a residual")
    AFFINE = c.meaning("", ", with gains", ", with gains and biases")
    PLACE = c.meaning("", ", in place")
    GIVES = c.meaning("", ", and keeps the scale factor")
    Vec, EPS = c.vec(SIZE), c.constant(0.00001, 0.001, step=0.00099)
    LESSENED = {
        "": "",
        " less a centre": ", less {centre},",
        " plus a residual": ", plus {residual},",
    }[LESS]
    FORMULA = {
        "its mean and standard deviation": (
            "the mean and standard deviation of its entries: subtract the mean, then multiply by R = 1 /"
            " √(variance + {EPS}), where the variance is the mean squared difference from the mean"
        ),
        "its root mean square": (
            "the root mean square of its entries: multiply by R = 1 / √(mean square + {EPS})"
        ),
        "its length": "its length: multiply by R = 1 / max(length, {EPS})",
        "one plus its length": (
            "one plus its length, so that short vectors stay short: multiply by R = 1 / (1 + length)"
        ),
    }[NORM]
    AFFINED = {
        "": "",
        ", with gains": " Then multiply entry by entry by {gain}.",
        ", with gains and biases": " Then multiply entry by entry by {gain} and add {bias}.",
    }[AFFINE]
    STORED = "in place" if PLACE else "in {y}"
    KEPT = " {scales} keeps R." if GIVES else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = (inout if PLACE != "" else input)(n, low=-2.0, high=2.0),
        centre: Vec = input(low=-1.0, high=1.0),
        residual: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        gain: Vec = input(low=0.5, high=1.5),
        bias: Vec = input(low=-1.0, high=1.0),
        y: wp.array[Vec] = output(n),
        scales: wp.array[float] = output(n),
    ):
        i = wp.tid()
        if LESS == " less a centre":
            v = x[i] - centre
        elif LESS == " plus a residual":
            v = x[i] + residual[i]
        else:
            v = x[i]
        if CENTRED:
            # the product with ones is the sum of entries
            mean = wp.dot(v, Vec(1.0)) / float(SIZE)
            v -= Vec(mean)
            scale = 1.0 / wp.sqrt(wp.dot(v, v) / float(SIZE) + EPS)
        elif NORM == "its root mean square":
            scale = 1.0 / wp.sqrt(wp.length_sq(v) / float(SIZE) + EPS)
        elif NORM == "its length":
            scale = 1.0 / wp.max(wp.length(v), EPS)
        else:
            # short vectors stay short
            scale = 1.0 / (1.0 + wp.length(v))
        z = scale * v
        if AFFINE != "":
            z = wp.cw_mul(gain, z)
        if AFFINE == ", with gains and biases":
            z += bias
        if PLACE != "":
            x[i] = z
        else:
            y[i] = z
        if GIVES != "":
            scales[i] = scale


@idiom(
    level=2,
    differentiable=False,
    names={
        "means": "means running_mean mean_ema",
        "variances": "variances running_var var_ema",
        "sums": "sums totals batch_sums",
        "square_sums": "square_sums sum_sq batch_squares",
        "mean": "mean mu batch_mean",
        "variance": "variance var batch_var",
        "blend": "blend rate momentum",
        "k": "k channel feature",
        "tallies": "tallies counts n_seen",
        "kernel": "update_running_stats track_moments running_stats",
    },
)
def running_moments_update(c):
    """Updates each channel's running moments{TALLY} from {SOURCE}{BLEND}{KIND}{GIVES}.

    Update the running {means} and {variances} of batch norm, in place. {FRESH}{UNBIASED} {SHARE}

    {BLENDED}{GIVEN}
    """
    n = c.size(6, 10)
    SOURCE = c.meaning("sums of a batch", "moments of a batch", "one sample", "the halves of a batch")
    BLEND = c.meaning(" at a fixed rate", ", weighted by counts", " at a rate that falls to a floor")
    SAMPLE, COUNTED = SOURCE == "one sample", BLEND == ", weighted by counts"
    TALLIED = COUNTED and c.meaning(False, True)
    TALLY = " and count" if TALLIED else ""
    KIND = (
        c.meaning("", ", the variance unbiased")
        if SOURCE in ("sums of a batch", "moments of a batch") and not COUNTED
        else ""
    )
    AFFINE = ", and gives the factor and shift that normalize"
    GIVES = c.meaning("", ", and gives the inverse deviation", AFFINE)
    # Where the rate falls, some steps lie on both sides of its floor.
    RATE = c.constant(0.15, 0.26) if "floor" in BLEND else c.constant(0.05, 0.4)
    EPS = c.constant(0.00001, 0.001, step=0.00099)
    if SOURCE == "the halves of a batch":
        c.names({"batch_variances": "within_variances inner_variances", "halves": "half_means part_means"})
    FRESH = {
        "sums of a batch": (
            "The batch of {count} samples has the mean M = {sums} / {count} and the variance V ="
            " {square_sums} / {count} - M²."
        ),
        "moments of a batch": (
            "The batch{SIZED} has the mean M, {batch_means}, and the variance V, {batch_variances}."
        ),
        "one sample": "There is one new sample {x}, which differs from the mean by G = {x} - {means}.",
        "the halves of a batch": (
            "The batch{SIZED} has two halves of the same size, whose means are the components of"
            " {halves}; its mean M is the mean of these, and its variance V is {batch_variances}, that"
            " within the halves, plus ¼ of the squared difference of their means."
        ),
    }[SOURCE]
    SIZED = " of {count} samples" if COUNTED else ""
    UNBIASED = " V is made unbiased first: multiply it by {count} / ({count} - 1)." if KIND else ""
    SHARE = "The rate B is {RATE}."
    NEW = "1" if SAMPLE else "{count}"
    if TALLIED:
        SHARE = "Add {NEW} to {tallies}; the rate B is {NEW} / {tallies} after that."
    elif COUNTED:
        SHARE = "The rate B is {NEW} / ({seen} + {NEW}), as {seen} samples were seen before."
    elif "floor" in BLEND:
        SHARE = "The rate B is 1 / ({step} + 1), but no less than {RATE}."
    BLENDED = "Both move by B of the way to M and V."
    if SAMPLE:
        BLENDED = "{means} grows by B·G, and {variances} becomes (1 - B)·({variances} + B·G²)."
    elif COUNTED:
        BLENDED = (
            "With D = M - {means}, {means} grows by B·D and {variances} by B·(V - {variances} + (1 - B)·D²)."
        )
    GIVEN = ""
    if "inverse" in GIVES:
        GIVEN = " {out} gets the inverse deviation 1 / √({variances} + {EPS}) of the new variance."
    elif GIVES:
        GIVEN = (
            " {affine} gets the factor F = 1 / √({variances} + {EPS}) and the shift -F·{means} that"
            " normalize, both from the new moments."
        )

    @c.kernel(n)
    def kernel(
        sums: wp.array[float] = input(n, low=-6.0, high=6.0),
        square_sums: wp.array[float] = input(n, low=14.0, high=30.0),
        batch_means: wp.array[float] = input(n, low=-1.0, high=1.0),
        batch_variances: wp.array[float] = input(n, low=0.3, high=2.0),
        halves: wp.array[wp.vec2] = input(n, low=-1.0, high=1.0),
        x: wp.array[float] = input(n, low=-2.0, high=2.0),
        count: int = input(low=6, high=12),
        step: int = input(low=1, high=6),
        seen: int = input(low=4, high=20),
        tallies: wp.array[int] = inout(n, low=4, high=20),
        means: wp.array[float] = inout(n, low=-1.0, high=1.0),
        variances: wp.array[float] = inout(n, low=0.3, high=2.0),
        out: wp.array[float] = output(n),
        affine: wp.array[wp.vec2] = output(n),
    ):
        k = wp.tid()
        if SOURCE == "sums of a batch":
            mean = sums[k] / float(count)
            variance = square_sums[k] / float(count) - mean * mean
        elif SOURCE == "moments of a batch":
            mean = batch_means[k]
            variance = batch_variances[k]
        elif not SAMPLE:
            mean = 0.5 * (halves[k][0] + halves[k][1])
            # the variance within the halves, and that between their means
            gap = halves[k][0] - halves[k][1]
            variance = batch_variances[k] + 0.25 * gap * gap
        if KIND != "":
            variance *= float(count) / float(count - 1)
        if TALLIED:
            tallies[k] += 1 if SAMPLE else count
            blend = 1.0 / float(tallies[k]) if SAMPLE else float(count) / float(tallies[k])
        elif COUNTED:
            blend = 1.0 / float(seen + 1) if SAMPLE else float(count) / float(seen + count)
        elif BLEND == " at a rate that falls to a floor":
            blend = wp.max(1.0 / float(step + 1), RATE)
        else:
            blend = RATE
        if SAMPLE:
            gap = x[k] - means[k]
            means[k] += blend * gap
            variances[k] = (1.0 - blend) * (variances[k] + blend * gap * gap)
        elif COUNTED:
            # the gap between the two means adds to the variance
            drift = mean - means[k]
            means[k] += blend * drift
            variances[k] += blend * (variance - variances[k] + (1.0 - blend) * drift * drift)
        else:
            means[k] += blend * (mean - means[k])
            variances[k] += blend * (variance - variances[k])
        if GIVES == ", and gives the inverse deviation":
            out[k] = 1.0 / wp.sqrt(variances[k] + EPS)
        elif GIVES != "":
            scale = 1.0 / wp.sqrt(variances[k] + EPS)
            affine[k] = wp.vec2(scale, -scale * means[k])


@idiom(
    level=2,
    names={
        "w": "w weights kernel_weights",
        "out": "out folded fused",
        "scale": "scale factor ratio",
        "row col": "row col | o i | unit source",
        "kernel": "fold_norm fuse_bn fold_into_weights",
    },
)
def linear_norm_folding(c):
    """Folds the {STATS} of a normalization {SIDE} a layer into its weights{CENTRED}{PLACE}.

    Fold a normalization that {COMES} a linear layer into the weights {w} of that layer. The statistics belong
    to {BELONG}: {BEFORE}multiply each weight by {FACTOR} of its {LINE}.{CHANGED} Store the result {STORED}.
    """
    rows, cols = c.size(5, 8), c.size(4, 7)
    STATS = c.meaning(
        "variances",
        "variances and gains",
        "inverse deviations",
        "gains (stored less one)",
        "stored ranges",
    )
    SIDE = c.meaning("behind", "ahead of")
    CENTRED = c.meaning("", ", each row centred") if SIDE == "behind" else c.meaning("", ", and clips them")
    PLACE = c.meaning("", ", in place")
    EPS, BOUND = c.constant(0.00001, 0.001, step=0.00099), c.constant(0.5, 0.9)
    BEHIND, many = SIDE == "behind", rows if SIDE == "behind" else cols
    if STATS in ("gains (stored less one)", "stored ranges"):
        c.names({"kernel": "linear_norm_folding fold_norm fold_into_weights"})
    BELONG = "the layer's outputs, the rows of {w}" if BEHIND else "the layer's inputs, the columns of {w}"
    LINE = "row" if BEHIND else "column"
    FACTOR = {
        "variances": "1 / √({variances} + {EPS})",
        "variances and gains": "{gain} / √({variances} + {EPS})",
        "inverse deviations": "{rstds}",
        "gains (stored less one)": "1 + {gain}",
        "stored ranges": "2 / ({highest} - {lowest})",
    }[STATS]
    COMES = "follows" if BEHIND else "precedes"
    BEFORE, CHANGED = "", ""
    if "centred" in CENTRED:
        BEFORE = "first subtract from each weight its row's entry of {row_means}, then "
    elif CENTRED:
        CHANGED = " Then clip to [-{BOUND}, {BOUND}]."
    STORED = "in place" if PLACE else "in {out}"

    @c.kernel(rows, cols)
    def kernel(
        variances: wp.array[float] = input(many, low=0.3, high=2.0),
        rstds: wp.array[float] = input(many, low=0.5, high=2.0),
        gain: wp.array[float] = input(many, low=-0.5, high=1.5),
        lowest: wp.array[float] = input(many, low=-1.5, high=-0.5),
        highest: wp.array[float] = input(many, low=0.5, high=1.5),
        row_means: wp.array[float] = input(rows, low=-0.5, high=0.5),
        w: wp.array2d[float] = (inout if PLACE != "" else input)(rows, cols, low=-1.0, high=1.0),
        out: wp.array2d[float] = output(rows, cols),
    ):
        row, col = wp.tid()
        if STATS == "variances":
            scale = 1.0 / wp.sqrt(variances[row if BEHIND else col] + EPS)
        elif STATS == "variances and gains":
            scale = gain[row if BEHIND else col] / wp.sqrt(variances[row if BEHIND else col] + EPS)
        elif STATS == "inverse deviations":
            scale = rstds[row if BEHIND else col]
        elif STATS == "gains (stored less one)":
            scale = 1.0 + gain[row if BEHIND else col]
        else:
            scale = 2.0 / (highest[row if BEHIND else col] - lowest[row if BEHIND else col])
        if CENTRED == ", each row centred":
            folded = scale * (w[row, col] - row_means[row])
        elif CENTRED == ", and clips them":
            folded = wp.clamp(scale * w[row, col], -BOUND, BOUND)
        else:
            folded = scale * w[row, col]
        if PLACE != "":
            w[row, col] = folded
        else:
            out[row, col] = folded


@idiom(
    level=3,
    differentiable=False,
    names={
        "x": "x rows features",
        "out": "out normalized scaled",
        "head tail": "head tail | head_part tail_part | x_head x_tail",
        "row": "row tid sample",
        "kernel": "normalize_parts scale_parts",
    },
)
def halves_norm(c):
    """Divides {JOINED}{GAINED}{KEPT}.

    {PURPOSE} The {SIZE} of entries is {MEASURED}. {GAINS}The result goes to {out}.{SAVED}
    """
    rows, width = c.size(5, 8), c.size(6, 9)
    FIRST = c.count(2, 4)
    SIZE = c.meaning("root mean square", "mean magnitude", "largest magnitude", "standard deviation")
    EACH = f"the first {FIRST} entries of every row and the rest each by their own {SIZE}"
    WHOLE = f"every row by the {SIZE} of its first {FIRST} entries"
    JOINED = c.meaning(
        EACH, WHOLE, f"the first {FIRST} entries of every row by their {SIZE}, copying the rest"
    )
    COPIED, OWN = JOINED.endswith("rest"), JOINED == EACH
    GAINED = c.meaning("", ", with a gain for each of them" if COPIED else ", with a gain for each column")
    if COPIED and GAINED:
        JOINED = f"the first {FIRST} entries of every row by their {SIZE}"
        GAINED = ", with a gain for each, and copies the rest"
    KEPT = c.meaning("", ", and keeps both" if OWN else ", and keeps it")
    NAMES = ("rms root_mean_square", "mean_abs", "max_abs largest", "deviation std_of")
    at = ("root mean square", "mean magnitude", "largest magnitude", "standard deviation").index(SIZE)
    c.names({"kernel": "normalize_parts scale_parts", "measure": NAMES[at]})
    if SIZE == "largest magnitude":
        c.names({"total": "top most"})
    EPS = c.constant(0.00001, 0.001, step=0.00099)

    def measure(part: wp.array[float]) -> float:
        """Never zero, so that it can be divided by."""
        total = float(0.0)
        if SIZE == "standard deviation":
            mean = float(0.0)
            for k in range(part.shape[0]):
                mean += part[k]
            mean /= float(part.shape[0])
        for k in range(part.shape[0]):
            if SIZE == "root mean square":
                total += part[k] * part[k]
            elif SIZE == "mean magnitude":
                total += wp.abs(part[k])
            elif SIZE == "standard deviation":
                total += (part[k] - mean) * (part[k] - mean)
            else:
                total = wp.max(total, wp.abs(part[k]))
        if SIZE == "largest magnitude":
            return total + EPS
        elif SIZE == "mean magnitude":
            return total / float(part.shape[0]) + EPS
        else:
            return wp.sqrt(total / float(part.shape[0]) + EPS)

    def divide(part: wp.array[float], size: float, out: wp.array[float]):
        """Fills a part of a row of the output."""
        for k in range(part.shape[0]):
            out[k] = part[k] / size

    def divide_with_gains(part: wp.array[float], gains: wp.array[float], size: float, out: wp.array[float]):
        """Fills a part of a row of the output, each column with its gain."""
        for k in range(part.shape[0]):
            out[k] = gains[k] * part[k] / size

    PURPOSE = (
        "Divide the first {FIRST} entries of every row of {x} by their own {SIZE}, and the rest by its"
        " own {SIZE}."
    )
    if not OWN:
        PURPOSE = "Divide every row of {x} by the {SIZE} of its first {FIRST} entries."
    if COPIED:
        PURPOSE = (
            "Divide the first {FIRST} entries of every row of {x} by their {SIZE}, and copy the rest as"
            " it is."
        )
    MEASURED = {
        "root mean square": "√(mean square + {EPS})",
        "mean magnitude": "the mean of their magnitudes plus {EPS}",
        "largest magnitude": "the largest of their magnitudes plus {EPS}",
        "standard deviation": (
            "√(variance + {EPS}), where the variance is the mean squared difference from their mean"
        ),
    }[SIZE]
    GAINS = ""
    if GAINED:
        GAINS = "Multiply {WHICH} by the entry of {gains} for its column. "
    WHICH = "each of the divided entries" if COPIED else "every entry"
    SAVED = ""
    if KEPT:
        SAVED = (
            " Keep the {SIZE} of the first entries and that of the rest in the row of {sizes}."
            if OWN
            else " Keep that {SIZE} in {size}."
        )

    @c.kernel(rows)
    def kernel(
        x: wp.array2d[float] = input(rows, width, low=-2.0, high=2.0),
        gains: wp.array[float] = input(FIRST if COPIED else width, low=0.5, high=1.5),
        out: wp.array2d[float] = output(rows, width),
        sizes: wp.array2d[float] = output(rows, 2),
        size: wp.array[float] = output(rows),
    ):
        row = wp.tid()
        head = x[row, :FIRST]
        head_size = measure(head)
        if GAINED:
            divide_with_gains(head, gains if COPIED else gains[:FIRST], head_size, out[row, :FIRST])
        else:
            divide(head, head_size, out[row, :FIRST])
        if not COPIED:
            tail = x[row, FIRST:]
            if OWN:
                tail_size = measure(tail)
            if GAINED:
                divide_with_gains(tail, gains[FIRST:], tail_size if OWN else head_size, out[row, FIRST:])
            else:
                divide(tail, tail_size if OWN else head_size, out[row, FIRST:])
        else:
            for k in range(FIRST, x.shape[1]):
                out[row, k] = x[row, k]
        if KEPT:
            if OWN:
                sizes[row, 0] = head_size
                sizes[row, 1] = tail_size
            else:
                size[row] = head_size
