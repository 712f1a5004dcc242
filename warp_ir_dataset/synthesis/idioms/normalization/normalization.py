"""Normalization: of rows, of channels over a batch, of groups of channels, of weights."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "x": "x inputs hidden",
        "y": "y out normed",
        "gain": "gain gamma weight",
        "bias": "bias beta shift",
        "mean": "mean mu average",
        "rstd": "rstd inv_std",
        "row k": "row k | i j | token channel",
        "kernel": "normalize_rows norm_rows row_norm",
    },
)
def layer_norm(c):
    """{ACT} by its {NORM}{AFFINE}{PLACE}.

    Normalize each row of {x} {METHOD}.{SUMMED} Each entry becomes {FORMULA}.{AFFINED} Store that
    {STORED}.{SAVED}
    """
    FIXED = c.style(True, False)
    n, width = c.size(5, 8), c.size(3, 4) if FIXED else c.size(5, 8)
    NORM = c.meaning("mean and standard deviation", "root mean square", "mean magnitude", "range to [-1, 1]")
    AFFINE = c.meaning("", ", with gains and biases", ", with gains of one plus a weight")
    JOINED = c.meaning("", " plus a residual")
    ACT = "Adds a residual to each row in place and normalizes it" if JOINED != "" else "Normalizes each row"
    PLACE = c.meaning("", ", in place", ", and keeps the inverse scale")
    if NORM == "root mean square":
        c.names({"kernel": "rms_norm norm_rows normalize_rows", "rstd": "inv_rms rrms"})
    elif NORM != "mean and standard deviation":
        c.names(
            {
                "kernel": "normalize_rows norm_rows row_norm",
                "rstd": "inv_scale inv_size",
                "mean": "middle centre",
            }
        )
    EPS = c.constant(0.00001, 0.001, step=0.00099)
    CENTRED = NORM in ("mean and standard deviation", "range to [-1, 1]")
    IN_PLACE = PLACE == ", in place"
    if JOINED != "" and IN_PLACE:
        PLACE = ""
        ACT = "Adds a residual to each row and normalizes it in place"
    METHOD = {
        "mean and standard deviation": "by layer norm",
        "root mean square": "by RMS norm",
        "mean magnitude": "by its mean magnitude",
        "range to [-1, 1]": "to the range [-1, 1]",
    }[NORM]
    SUMMED = ""
    if JOINED:
        SUMMED = " Before that, add {residual} to {x}, in place{AGAIN}."
    AGAIN = "" if IN_PLACE else ": the sum is needed there by the next layer"
    FORMULA = {
        "mean and standard deviation": (
            "(entry - mean)·R with R = 1 / √(variance + {EPS}), where the variance is the mean squared"
            " difference from the mean of the row"
        ),
        "root mean square": "entry·R with R = 1 / √(mean square of the row + {EPS})",
        "mean magnitude": "entry·R with R = the row's length / (sum of magnitudes in the row + {EPS})",
        "range to [-1, 1]": (
            "(entry - middle)·R with R = 2 / (largest - smallest entry of the row + {EPS}), where the"
            " middle is halfway between these two"
        ),
    }[NORM]
    AFFINED = {
        "": "",
        ", with gains and biases": " Then multiply by its column's {gain} and add its {bias}.",
        ", with gains of one plus a weight": " Then multiply by 1 + {gain} of its column.",
    }[AFFINE]
    STORED = "in place" if IN_PLACE else "in {y}"
    SAVED = " {saved} keeps R." if "inverse" in PLACE else ""

    @c.kernel(n)
    def kernel(
        residual: wp.array2d[float] = input(n, width, low=-1.0, high=1.0),
        gain: wp.array[float] = input(width, low=-0.5, high=0.6 if "one" in AFFINE else 1.5),
        bias: wp.array[float] = input(width, low=-1.0, high=1.0),
        x: wp.array2d[float] = inout(n, width, low=-2.0, high=2.0)
        if IN_PLACE or JOINED != ""
        else input(n, width, low=-2.0, high=2.0),
        y: wp.array2d[float] = output(n, width),
        saved: wp.array[float] = output(n),
    ):
        row = wp.tid()
        if not FIXED:
            cols = x.shape[1]
        if NORM == "range to [-1, 1]":
            least = float(1.0e6)
            most = float(-1.0e6)
        else:
            total = float(0.0)
        for k in range(width if FIXED else cols):
            if JOINED != "":
                if not IN_PLACE:
                    # the sum stays, for the residual of the next layer
                    x[row, k] = x[row, k] + residual[row, k]
                else:
                    x[row, k] = x[row, k] + residual[row, k]
            if NORM == "mean and standard deviation":
                total += x[row, k]
            elif NORM == "root mean square":
                total += x[row, k] * x[row, k]
            elif NORM == "mean magnitude":
                total += wp.abs(x[row, k])
            else:
                least = wp.min(least, x[row, k])
                most = wp.max(most, x[row, k])
        if NORM == "mean and standard deviation":
            mean = total / float(width if FIXED else cols)
            square = float(0.0)
            for k in range(width if FIXED else cols):
                d = x[row, k] - mean
                square += d * d
            rstd = 1.0 / wp.sqrt(square / float(width if FIXED else cols) + EPS)
        elif NORM == "root mean square":
            rstd = 1.0 / wp.sqrt(total / float(width if FIXED else cols) + EPS)
        elif NORM == "mean magnitude":
            rstd = float(width if FIXED else cols) / (total + EPS)
        else:
            mean = 0.5 * (least + most)
            rstd = 2.0 / (most - least + EPS)
        for k in range(width if FIXED else cols):
            z = (x[row, k] - mean) * rstd if CENTRED else x[row, k] * rstd
            if AFFINE == ", with gains and biases":
                z = gain[k] * z + bias[k]
            elif AFFINE == ", with gains of one plus a weight":
                z *= 1.0 + gain[k]
            if IN_PLACE:
                x[row, k] = z
            else:
                y[row, k] = z
        if PLACE == ", and keeps the inverse scale":
            saved[row] = rstd


@idiom(
    level=2,
    names={
        "x": "x vectors embeddings",
        "y": "y out unit_vectors",
        "norm": "norm size magnitude",
        "other": "other r m",
        "row k": "row k | i j | token channel",
        "kernel": "normalize scale_to_norm limit_norms",
    },
)
def length_normalization(c):
    """Scales {WHAT}{PLACED}.

    {PURPOSE} {FORMULA} {STORED}
    """
    FIXED = c.style(True, False)
    n, width = (c.size(3, 6), c.size(3, 6)) if FIXED else (c.size(5, 9), c.size(4, 8))
    WHICH = c.meaning("each row", "each column", "longer rows")
    LIMITED, OVER_ROWS = WHICH == "longer rows", WHICH != "each column"
    GIVEN = LIMITED or c.meaning(False, True)
    IN_PLACE = LIMITED or c.meaning(True, False)
    PLACED = ", in place" if IN_PLACE else ""
    c.names({"y": "y out scaled" if GIVEN else "y out normed"})
    if not OVER_ROWS and IN_PLACE:
        # a thread's index is that of a column
        c.names({"row k": "column row | j i | channel token"})
    c.names(
        {
            "kernel": {
                "each row": "normalize scale_to_norm",
                "each column": "normalize_columns scale_columns",
                "longer rows": "limit_norms clip_norms",
            }[WHICH]
        }
    )

    def euclidean(x: wp.array2d[float], row: int) -> float:
        """The length of a row as a vector."""
        total = float(0.0)
        for k in range(width if FIXED else x.shape[1]):
            total += x[row, k] * x[row, k]
        return wp.sqrt(total)

    def city_block(x: wp.array2d[float], row: int) -> float:
        """The sum of magnitudes in a row."""
        total = float(0.0)
        for k in range(width if FIXED else x.shape[1]):
            total += wp.abs(x[row, k])
        return total

    def largest(x: wp.array2d[float], row: int) -> float:
        """The largest magnitude in a row."""
        top = float(0.0)
        for k in range(width if FIXED else x.shape[1]):
            top = wp.max(top, wp.abs(x[row, k]))
        return top

    def column_euclidean(x: wp.array2d[float], col: int) -> float:
        """The length of a column as a vector."""
        total = float(0.0)
        for other in range(n if FIXED else x.shape[0]):
            total += x[other, col] * x[other, col]
        return wp.sqrt(total)

    def column_city_block(x: wp.array2d[float], col: int) -> float:
        """The sum of magnitudes in a column."""
        total = float(0.0)
        for other in range(n if FIXED else x.shape[0]):
            total += wp.abs(x[other, col])
        return total

    def root_mean_square(x: wp.array2d[float], row: int) -> float:
        """The typical magnitude in a row."""
        total = float(0.0)
        for k in range(width if FIXED else x.shape[1]):
            total += x[row, k] * x[row, k]
        return wp.sqrt(total / float(width if FIXED else x.shape[1]))

    NORMS = {euclidean: "L2 norm", city_block: "L1 norm", largest: "maximum norm", root_mean_square: "RMS"}
    COLUMN_NORMS = {column_euclidean: "L2 norm", column_city_block: "L1 norm"}
    OF = c.meaning(*(NORMS if OVER_ROWS else COLUMN_NORMS))
    NORM = (NORMS if OVER_ROWS else COLUMN_NORMS)[OF]
    WHAT = f"{WHICH} to {'a given' if GIVEN else 'unit'} {NORM}"
    if LIMITED:
        WHAT = f"rows whose {NORM} exceeds a limit down to it"
        # around what random rows have
        low, high = {
            "L2 norm": (1.0 * width**0.5, 1.3 * width**0.5),
            "L1 norm": (0.85 * width, 1.1 * width),
            "maximum norm": (2.0 * 0.3 ** (1.0 / width), 2.0 * 0.7 ** (1.0 / width)),
            "RMS": (1.0, 1.3),
        }[NORM]
        LIMIT = c.constant(round(low, 1), round(high, 1), step=0.1)
    else:
        SIZE = c.constant(0.8, 2.0)
    MEASURED = {
        "L2 norm": "the square root of the sum of squares",
        "L1 norm": "the sum of magnitudes",
        "maximum norm": "the largest magnitude",
        "RMS": "the square root of the mean square",
    }[NORM]
    if LIMITED:
        PURPOSE = "Limit the {NORM} of each row of {x}, {MEASURED}, to {LIMIT}."
        FORMULA = "A row with a larger norm is multiplied by {LIMIT} / norm; all others stay as they are."
    else:
        PURPOSE = "Scale {WHICH} of {x} so that its {NORM}, {MEASURED}, becomes " + (
            "{SIZE}." if GIVEN else "1."
        )
        FORMULA = "Divide its entries by the norm{RESCALED}; a norm below 0.0001 counts as 0.0001."
    RESCALED = " and multiply them by {SIZE}" if GIVEN else ""
    STORED = "Work in place." if IN_PLACE else "Store the result in {y}."

    @c.kernel(*((n if OVER_ROWS else width,) if IN_PLACE else (n, width)))
    def kernel(
        x: wp.array2d[float] = inout(n, width, low=-2.0, high=2.0)
        if IN_PLACE
        else input(n, width, low=-2.0, high=2.0),
        y: wp.array2d[float] = output(n, width),
    ):
        if not IN_PLACE:
            row, k = wp.tid()
            # a zero vector stays zero
            norm = wp.max(OF(x, row if OVER_ROWS else k), 1.0e-4)
            y[row, k] = SIZE * x[row, k] / norm if GIVEN else x[row, k] / norm
        else:
            row = wp.tid()
            if LIMITED:
                norm = OF(x, row)
                if norm <= LIMIT:
                    return
                scale = LIMIT / norm
            elif GIVEN:
                scale = SIZE / wp.max(OF(x, row), 1.0e-4)
            else:
                scale = 1.0 / wp.max(OF(x, row), 1.0e-4)
            if OVER_ROWS:
                for k in range(width if FIXED else x.shape[1]):
                    x[row, k] = x[row, k] * scale
            else:
                for k in range(n if FIXED else x.shape[0]):
                    x[k, row] = x[k, row] * scale


@idiom(
    level=4,
    differentiable=False,
    names={
        "x": "x inputs activations",
        "y": "y out normed",
        "running_mean running_var": "running_mean running_var | mean_ema var_ema | moving_mean moving_var",
        "mean": "mean mu batch_mean",
        "channel sample": "channel sample | c n | col row",
        "kernel": "batch_norm_forward batch_norm_train update_batch_norm",
    },
)
def batch_norm(c):
    """Batch {KIND}normalization of each channel{AFFINE}{AFTER}, updating running {WAY}.

    {METHOD} {x}, with samples in its rows and channels in its columns. M and V are the mean and the variance
    of a channel over the batch, V dividing by the number of samples{STATED}. Each entry becomes
    {FORMULA}{AFFINED}{RECTIFIED}, in {y}.{LIMITS}

    Then update the running statistics: {running_mean} moves by {MOMENTUM} of the way to M, and {running_var}
    by the same share of the way to {TARGET}.
    """
    n, channels = c.size(5, 9), c.size(6, 9)
    AFFINE = c.meaning("", " with gain and bias")
    AFTER = c.meaning("", ", then ReLU")
    KIND = c.meaning("", "re")
    RENORM = KIND == "re"
    UNBIASED = not RENORM and c.meaning(False, True)
    WAY = "means and unbiased variances" if UNBIASED else "statistics"
    if RENORM:
        c.names({"kernel": "batch_renorm batch_renorm_train"})
    BLENDED = c.style(True, False)
    PASSES = c.meaning("two", "one")
    MOMENTUM, EPS = c.constant(0.05, 0.4), c.constant(0.00001, 0.001, step=0.00099)
    R_MOST, D_MOST = c.constant(1.1, 1.4, step=0.05), c.constant(0.3, 0.7)

    class Affine:
        gain: float
        bias: float

    METHOD = "Apply batch renorm to" if RENORM else "Apply batch norm to"
    STATED = "" if PASSES == "two" else "; find them in one pass, from the sums of entries and of squares"
    FORMULA, LIMITS = "(entry - M) / √(V + {EPS})", ""
    if RENORM:
        FORMULA = "R·(entry - M) / √(V + {EPS}) + D"
        LIMITS = (
            " With the running statistics of before, K = √({running_var} + {EPS}), R = √(V + {EPS}) /"
            " K clamped to"
            " [1 / {R_MOST}, {R_MOST}], and D = (M - {running_mean}) / K clamped to [-{D_MOST}, {D_MOST}]."
        )
    AFFINED = ", times `{affine}[j].gain` plus `{affine}[j].bias` of its channel j" if AFFINE else ""
    RECTIFIED = ", and negative results become 0" if AFTER else ""
    TARGET = "the unbiased variance, V·n / (n - 1) for n samples" if UNBIASED else "V"

    @c.kernel(channels)
    def kernel(
        x: wp.array2d[float] = input(n, channels, low=-2.0, high=2.0),
        affine: wp.array[Affine] = input(channels, low=-1.0, high=1.5),
        running_mean: wp.array[float] = inout(channels, low=-1.0, high=1.0),
        running_var: wp.array[float] = inout(channels, low=0.4, high=2.5),
        y: wp.array2d[float] = output(n, channels),
    ):
        channel = wp.tid()
        n = x.shape[0]
        total = float(0.0)
        if PASSES == "one":
            square = float(0.0)
        for sample in range(n):
            total += x[sample, channel]
            if PASSES == "one":
                square += x[sample, channel] * x[sample, channel]
        mean = total / float(n)
        if PASSES == "one":
            variance = wp.max(square / float(n) - mean * mean, 0.0)
        else:
            variance = float(0.0)
            for sample in range(n):
                d = x[sample, channel] - mean
                variance += d * d
            variance /= float(n)
        if RENORM:
            spread = wp.sqrt(variance + EPS)
            known = wp.sqrt(running_var[channel] + EPS)
            # the batch may differ only so far from what is known
            r = wp.clamp(spread / known, 1.0 / R_MOST, R_MOST)
            d = wp.clamp((mean - running_mean[channel]) / known, -D_MOST, D_MOST)
        for sample in range(n):
            if RENORM:
                z = (x[sample, channel] - mean) / spread * r + d
            else:
                z = (x[sample, channel] - mean) / wp.sqrt(variance + EPS)
            if AFFINE != "":
                z = affine[channel].gain * z + affine[channel].bias
            y[sample, channel] = wp.max(z, 0.0) if AFTER != "" else z
        if UNBIASED:
            variance *= float(n) / float(n - 1)
        if not BLENDED:
            running_mean[channel] += MOMENTUM * (mean - running_mean[channel])
            running_var[channel] += MOMENTUM * (variance - running_var[channel])
        else:
            running_mean[channel] = wp.lerp(running_mean[channel], mean, MOMENTUM)
            running_var[channel] = wp.lerp(running_var[channel], variance, MOMENTUM)
