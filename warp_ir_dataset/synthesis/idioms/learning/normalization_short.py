"""Normalization without sums: by statistics that are known, and of short vectors."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=2,
    names={
        "x": "x inputs activations",
        "y": "y out normed",
        "means": "means running_mean mu",
        "variances": "variances running_var var",
        "spreads": "spreads rstd inv_std",
        "z": "z normed value",
        "i k": "i k | row channel | sample feature",
        "kernel": "batch_norm_inference apply_norm normalize_channels",
    },
)
def stored_statistics_norm(c):
    """Normalizes each entry by {STATS} of its channel{AFFINE}{AFTER}{PLACE}."""
    n, channels = c.size(5, 8), c.size(4, 7)
    STATS = c.meaning(
        "the stored mean and variance",
        "a folded factor and shift",
        "the stored mean and inverse deviation",
        "the stored range",
        "the stored mean square",
    )
    FOLDED = STATS == "a folded factor and shift"
    if FOLDED or STATS == "the stored range":
        c.names({"kernel": "apply_norm normalize_channels rescale_channels"})
    elif STATS == "the stored mean square":
        c.names({"kernel": "rms_norm_inference apply_norm", "variances": "mean_squares running_ms"})
    AFFINE = "" if FOLDED else c.meaning("", ", with gain and bias", ", with a gain about one")
    AFTER = c.meaning("", ", then ReLU", ", plus a residual", ", then ReLU6", ", then swish")
    PLACE = c.meaning("", ", in place")
    EPS = c.constant(0.001, 0.009, step=0.001)

    @c.kernel(n, channels)
    def kernel(
        x: wp.array2d[float] = (updated if PLACE != "" else given)(n, channels, low=-3.0, high=8.0),
        means: wp.array[float] = given(channels, low=-1.0, high=1.0),
        variances: wp.array[float] = given(channels, low=0.3, high=2.0),
        spreads: wp.array[float] = given(channels, low=0.5, high=1.5),
        affine: wp.array[wp.vec2] = given(channels, low=-1.0, high=1.5),
        lowest: wp.array[float] = given(channels, low=-3.0, high=-1.0),
        highest: wp.array[float] = given(channels, low=1.0, high=8.0),
        gain: wp.array[float] = given(channels, low=-0.5, high=1.5),
        bias: wp.array[float] = given(channels, low=-1.0, high=1.0),
        residual: wp.array2d[float] = given(n, channels, low=-1.0, high=1.0),
        y: wp.array2d[float] = result(n, channels),
    ):
        i, k = wp.tid()
        if FOLDED:
            # what the statistics and the gain come to, multiplied out beforehand
            z = affine[k][0] * x[i, k] + affine[k][1]
        elif STATS == "the stored mean and variance":
            z = (x[i, k] - means[k]) / wp.sqrt(variances[k] + EPS)
        elif STATS == "the stored mean and inverse deviation":
            z = (x[i, k] - means[k]) * spreads[k]
        elif STATS == "the stored range":
            z = (x[i, k] - lowest[k]) / (highest[k] - lowest[k])
        else:
            z = x[i, k] / wp.sqrt(variances[k] + EPS)
        if AFFINE == ", with gain and bias":
            z = gain[k] * z + bias[k]
        elif AFFINE == ", with a gain about one":
            z *= 1.0 + gain[k]
        if AFTER == ", then ReLU":
            z = wp.max(z, 0.0)
        elif AFTER == ", plus a residual":
            z += residual[i, k]
        elif AFTER == ", then ReLU6":
            z = wp.clamp(z, 0.0, 6.0)
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
    """Normalizes each vector{LESS} by {NORM}{AFFINE}{PLACE}{GIVES}."""
    n, SIZE = c.size(6, 10), c.spelling(2, 3, 4)
    NORM = c.meaning("its mean and standard deviation", "its root mean square", "its length", "a soft length")
    c.names(
        {
            "scale": {
                "its mean and standard deviation": "scale rstd inv_std",
                "its root mean square": "scale inv_rms",
            }.get(NORM, "scale inv_norm")
        }
    )
    LESS = c.meaning("", " less a centre", " plus a residual")
    AFFINE = c.meaning("", ", with gains", ", with gains and biases")
    PLACE = c.meaning("", ", in place")
    GIVES = c.meaning("", ", and keeps the scale")
    Vec, EPS = c.vec(SIZE), c.constant(0.001, 0.009, step=0.001)

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = (updated if PLACE != "" else given)(n, low=-2.0, high=2.0),
        centre: Vec = given(low=-1.0, high=1.0),
        residual: wp.array[Vec] = given(n, low=-1.0, high=1.0),
        gain: Vec = given(low=0.5, high=1.5),
        bias: Vec = given(low=-1.0, high=1.0),
        y: wp.array[Vec] = result(n),
        scales: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if LESS == " less a centre":
            v = x[i] - centre
        elif LESS == " plus a residual":
            v = x[i] + residual[i]
        else:
            v = x[i]
        if NORM == "its mean and standard deviation":
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
    names={
        "means": "means running_mean mean_ema",
        "variances": "variances running_var var_ema",
        "sums": "sums totals batch_sums",
        "square_sums": "square_sums sum_sq batch_squares",
        "mean": "mean mu batch_mean",
        "variance": "variance var batch_var",
        "blend": "blend rate momentum",
        "k": "k channel feature",
        "kernel": "update_running_stats track_moments running_stats",
    },
)
def running_moments_update(c):
    """Updates each channel's running moments from {SOURCE} {BLEND}{KIND}{GIVES}."""
    n = c.size(6, 10)
    SOURCE = c.meaning("sums of a batch", "moments of a batch", "one sample", "the halves of a batch")
    BLEND = c.meaning("at a fixed rate", "weighted by counts", "at a falling rate")
    KIND = (
        c.meaning("", ", the variance unbiased")
        if SOURCE in ("sums of a batch", "moments of a batch")
        else ""
    )
    GIVES = c.meaning("", ", and gives the inverse deviation", ", and gives factor and shift")
    RATE, EPS = c.constant(0.05, 0.4), c.constant(0.001, 0.009, step=0.001)
    if SOURCE == "the halves of a batch":
        c.names({"batch_variances": "within_variances inner_variances", "halves": "half_means part_means"})

    @c.kernel(n)
    def kernel(
        sums: wp.array[float] = given(n, low=-6.0, high=6.0),
        square_sums: wp.array[float] = given(n, low=14.0, high=30.0),
        batch_means: wp.array[float] = given(n, low=-1.0, high=1.0),
        batch_variances: wp.array[float] = given(n, low=0.3, high=2.0),
        halves: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0),
        x: wp.array[float] = given(n, low=-2.0, high=2.0),
        count: int = given(low=6, high=12),
        step: int = given(low=1, high=6),
        seen: int = given(low=4, high=20),
        means: wp.array[float] = updated(n, low=-1.0, high=1.0),
        variances: wp.array[float] = updated(n, low=0.3, high=2.0),
        out: wp.array[float] = result(n),
        affine: wp.array[wp.vec2] = result(n),
    ):
        k = wp.tid()
        if SOURCE == "sums of a batch":
            mean = sums[k] / float(count)
            variance = square_sums[k] / float(count) - mean * mean
        elif SOURCE == "moments of a batch":
            mean = batch_means[k]
            variance = batch_variances[k]
        elif SOURCE == "the halves of a batch":
            mean = 0.5 * (halves[k][0] + halves[k][1])
            # the variance within the halves, and that between their means
            gap = halves[k][0] - halves[k][1]
            variance = batch_variances[k] + 0.25 * gap * gap
        else:
            # the spread is taken about the mean of before
            mean = x[k]
            gap = x[k] - means[k]
            variance = gap * gap
        if KIND != "":
            variance *= float(count) / float(count - 1)
        if BLEND == "weighted by counts":
            blend = 1.0 / float(seen + 1) if SOURCE == "one sample" else float(count) / float(seen + count)
        elif BLEND == "at a falling rate":
            blend = wp.max(1.0 / float(step + 1), RATE)
        else:
            blend = RATE
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
    """Folds the {STATS} of a normalization {SIDE} a layer into its weights{CENTRED}{PLACE}."""
    rows, cols = c.size(5, 8), c.size(4, 7)
    STATS = c.meaning(
        "variances", "variances and gains", "inverse deviations", "gains about one", "stored ranges"
    )
    SIDE = c.meaning("behind", "ahead of")
    CENTRED = c.meaning("", ", each row centred") if SIDE == "behind" else c.meaning("", ", and clips them")
    PLACE = c.meaning("", ", in place")
    EPS, BOUND = c.constant(0.001, 0.009, step=0.001), c.constant(0.5, 1.2)
    BEHIND, many = SIDE == "behind", rows if SIDE == "behind" else cols

    @c.kernel(rows, cols)
    def kernel(
        variances: wp.array[float] = given(many, low=0.3, high=2.0),
        spreads: wp.array[float] = given(many, low=0.5, high=2.0),
        gain: wp.array[float] = given(many, low=-0.5, high=1.5),
        lowest: wp.array[float] = given(many, low=-3.0, high=-1.0),
        highest: wp.array[float] = given(many, low=1.0, high=3.0),
        row_means: wp.array[float] = given(rows, low=-0.5, high=0.5),
        w: wp.array2d[float] = (updated if PLACE != "" else given)(rows, cols, low=-1.0, high=1.0),
        out: wp.array2d[float] = result(rows, cols),
    ):
        row, col = wp.tid()
        if STATS == "variances":
            scale = 1.0 / wp.sqrt(variances[row if BEHIND else col] + EPS)
        elif STATS == "variances and gains":
            scale = gain[row if BEHIND else col] / wp.sqrt(variances[row if BEHIND else col] + EPS)
        elif STATS == "inverse deviations":
            scale = spreads[row if BEHIND else col]
        elif STATS == "gains about one":
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
    names={
        "x": "x rows features",
        "out": "out normalized scaled",
        "head": "head first low_part",
        "tail": "tail rest high_part",
        "row": "row tid sample",
        "kernel": "normalize_parts scale_parts",
    },
)
def halves_norm(c):
    """Scales {JOINED}{GAINED}{KEPT}."""
    rows, width = c.size(5, 8), c.size(6, 9)
    SIZE = c.meaning("root mean square", "mean magnitude", "largest magnitude", "standard deviation")
    JOINED = c.meaning(
        f"each of the two parts of every row by its own {SIZE}",
        f"the first part of every row by its {SIZE} and the rest by the mean of that and its own",
        f"the first part of every row by its {SIZE} and copies the rest",
    )
    ALONE, AVERAGED = JOINED.endswith("copies the rest"), JOINED.endswith("its own")
    GAINED = c.meaning("", ", with a gain for each scaled column")
    KEPT = c.meaning("", ", and keeps the size" if ALONE else ", and keeps the sizes")
    c.names({"kernel": "normalize_parts scale_parts"})
    FIRST, EPS = c.count(2, 4), c.constant(0.001, 0.009, step=0.001)

    def size_of(part: wp.array[float]) -> float:
        """How large the entries of a part of a row are."""
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

    def scale(part: wp.array[float], size: float, out: wp.array[float]):
        """Fills a part of a row of the output."""
        for k in range(part.shape[0]):
            out[k] = part[k] / size

    def scale_each(part: wp.array[float], gains: wp.array[float], size: float, out: wp.array[float]):
        """Fills a part of a row of the output, each column with its gain."""
        for k in range(part.shape[0]):
            out[k] = gains[k] * part[k] / size

    @c.kernel(rows)
    def kernel(
        x: wp.array2d[float] = given(rows, width, low=-2.0, high=2.0),
        gains: wp.array[float] = given(width, low=0.5, high=1.5),
        out: wp.array2d[float] = result(rows, width),
        sizes: wp.array2d[float] = result(rows, 1 if ALONE else 2),
    ):
        row = wp.tid()
        head = x[row, :FIRST]
        first = size_of(head)
        if GAINED:
            scale_each(head, gains[:FIRST], first, out[row, :FIRST])
        else:
            scale(head, first, out[row, :FIRST])
        if not ALONE:
            tail = x[row, FIRST:]
            second = size_of(tail)
            if AVERAGED:
                second = 0.5 * (first + second)
            if GAINED:
                scale_each(tail, gains[FIRST:], second, out[row, FIRST:])
            else:
                scale(tail, second, out[row, FIRST:])
        else:
            for k in range(FIRST, x.shape[1]):
                out[row, k] = x[row, k]
        if KEPT:
            sizes[row, 0] = first
            if not ALONE:
                sizes[row, 1] = second
