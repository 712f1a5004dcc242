"""Statistics of single bins: errors of their counts, means."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=2,
    names={
        "counts": "counts hits entries",
        "model": "model expected prediction",
        "number": "number observed yield_of_bin",
        "variance": "variance var spread",
        "out": "out errors",
        "b": "b k tid",
        "kernel": "bin_errors errors_of_bins",
    },
)
def bin_error(c):
    """The {WANTED} of each bin of {OBSERVED}{AGAINST}{SCALE}.

    For each bin, compute the {WANTED} of its {YIELD}{AGAINST}. {MEANING} {FORMULA} {SCALED} Write it to
    {out}.
    """
    n = c.size()
    WANTED = c.meaning(
        "standard error", "relative error", "pull", "Anscombe-transformed residual", "deviance", "ratio"
    )
    OBSERVED = c.meaning("counts", "weighted counts", "counts less scaled background")
    AGAINST = "" if "error" in WANTED else " to a model" if WANTED == "ratio" else " against a model"
    if WANTED == "standard error":
        SCALE = c.meaning("", ", per width of the bin")
    elif WANTED in ("pull", "Anscombe-transformed residual"):
        SCALE = c.meaning("", ", clipped at a limit")
    else:
        SCALE = ""
    if "error" not in WANTED:
        c.names(
            {
                "kernel": "bin_residuals compare_bins"
                if SCALE or WANTED == "pull"
                else "compare_bins compare_yields",
                "out": {
                    "pull": "pulls out",
                    "deviance": "deviances out",
                    "ratio": "ratios out",
                }.get(WANTED, "residuals out"),
            }
        )
    SHARE, LIMIT = c.constant(0.2, 0.8), c.constant(1.2, 2.5)
    SPREAD = WANTED in ("standard error", "relative error", "pull")
    YIELD = "yield" if OBSERVED == "counts less scaled background" else "content"
    N_IS = {
        "counts": "The content is the count N in {counts}",
        "weighted counts": "The content is N, the sum of weights in {sums}",
        "counts less scaled background": "The yield N is the count in {counts} less {SHARE} times the "
        "{background}",
    }[OBSERVED]  # fmt: skip
    V_IS = {
        "counts": "the variance V of a count is the count itself",
        "weighted counts": "V, the sum of squared weights, is in {squares}",
        "counts less scaled background": "its variance V is the count plus {SHARE}² times the background",
    }[OBSERVED]  # fmt: skip
    MEANING = f"{N_IS}; {V_IS}." if SPREAD else f"{N_IS}."
    if WANTED == "standard error":
        MEANING = {
            "counts": "The variance V of a count is the count itself, {counts}.",
            "weighted counts": "The variance V is the sum of the squared weights, {squares}.",
            "counts less scaled background": "The yield is the count in {counts} less {SHARE} times "
            "the {background}; its variance V is the count plus "
            "{SHARE}² times the background.",
        }[OBSERVED]
    FORMULA = {
        "standard error": "The error is √V.", "relative error": "The relative error is √V / N.",
        "pull": "With the model's value m in {model}, the pull is (N - m) / √V.",
        "Anscombe-transformed residual": "With the model's value m in {model}, the residual is 2·√(N + "
        "3/8) - 2·√(m + 3/8).",
        "deviance": "With the model's value m in {model}, the deviance is 2·(m - N + N·ln(N / m)).",
        "ratio": "Divide N by the model's value in {model}.",
    }[WANTED]  # fmt: skip
    SCALED = ""
    if "width" in SCALE:
        SCALED = "Divide it by the bin's width in {widths}."
    elif SCALE:
        SCALED = "Clamp it to [-{LIMIT}, {LIMIT}]."

    @c.kernel(n)
    def kernel(
        counts: wp.array[int] = input(n, low=4, high=16),
        sums: wp.array[float] = input(n, low=3.0, high=15.0),
        squares: wp.array[float] = input(n, low=3.0, high=20.0),
        background: wp.array[float] = input(n, low=0.5, high=3.5),
        model: wp.array[float] = input(n, low=3.0, high=14.0),
        widths: wp.array[float] = input(n, low=0.4, high=2.0),
        out: wp.array[float] = output(n),
    ):
        b = wp.tid()
        if OBSERVED == "weighted counts":
            if WANTED != "standard error":
                number = sums[b]
            if SPREAD:
                # the sum of the squared weights
                variance = squares[b]
        elif OBSERVED == "counts less scaled background":
            if WANTED != "standard error":
                number = float(counts[b]) - SHARE * background[b]
            if SPREAD:
                # the counts and the background both fluctuate
                variance = float(counts[b]) + SHARE * SHARE * background[b]
        else:
            if WANTED == "standard error":
                # the variance of a count is the count
                variance = float(counts[b])
            else:
                number = float(counts[b])
        if WANTED == "standard error":
            value = wp.sqrt(variance)
        elif WANTED == "relative error":
            value = wp.sqrt(number if OBSERVED == "counts" else variance) / number
        elif WANTED == "pull":
            value = (number - model[b]) / wp.sqrt(number if OBSERVED == "counts" else variance)
        elif WANTED == "Anscombe-transformed residual":
            # for Poisson counts the transform has a variance of about one
            value = 2.0 * (wp.sqrt(number + 0.375) - wp.sqrt(model[b] + 0.375))
        elif WANTED == "deviance":
            value = 2.0 * (model[b] - number + number * wp.log(number / model[b]))
        else:
            value = number / model[b]
        if SCALE == ", per width of the bin":
            out[b] = value / widths[b]
        elif SCALE == ", clipped at a limit":
            out[b] = wp.clamp(value, -LIMIT, LIMIT)
        else:
            out[b] = value


@idiom(
    level=2,
    names={
        "sums": "sums totals bin_sums",
        "counts": "counts hits bin_counts",
        "out": "means out averages profile",
        "kernel": "normalise_bins finish_means",
    },
)
def bin_means(c):
    """The {STATISTIC} of each bin from its {SUMS} and count, {EMPTY} where the bin is empty.

    For each bin, compute the {STATISTIC} of its samples from their {SUMS} and their number n in {counts}:
    {FORMULA}. {NONE} Write it to {out}.
    """
    n = c.size(8, 12)
    EMPTY = c.meaning("zero", "its fallback", "a fixed value")
    STATISTIC = c.meaning(
        "mean",
        "variance",
        "standard error",
        "shrunken mean",
        "geometric mean",
        "root mean square",
        "coefficient of variation",
    )
    SUMS = {
        "variance": "sum, sum of squares",
        "standard error": "sum, sum of squares",
        "coefficient of variation": "sum, sum of squares",
        "geometric mean": "sum of logarithms",
        "root mean square": "sum of squares",
    }.get(STATISTIC, "sum")
    if STATISTIC not in ("mean", "shrunken mean"):
        c.names(
            {
                "variance": {"kernel": "bin_variances variance_of_bins", "out": "variances out spread"},
                "standard error": {
                    "kernel": "bin_errors errors_of_means",
                    "out": "errors out standard_errors",
                },
                "coefficient of variation": {
                    "kernel": "bin_variation relative_spreads",
                    "out": "variation out relative",
                },
                "geometric mean": {
                    "kernel": "bin_geometric_means geometric_means",
                    "sums": "log_sums sums_of_logs",
                },
                "root mean square": {
                    "kernel": "bin_rms rms_of_bins",
                    "out": "rms out effective",
                    "squares": "squares sums_of_squares",
                },
            }[STATISTIC]
        )
    PRIOR, FILL = c.constant(1.0, 4.0), c.constant(0.5, 2.0)
    LOWEST, HIGHEST = (-1.5, 3.0) if STATISTIC == "geometric mean" else (1.0, 6.0)
    FORMULA = {
        "mean": "{sums} / n", "variance": "V = {squares} / n - ({sums} / n)², but at least 0",
        "standard error": "√(V / n), where the variance V is {squares} / n - ({sums} / n)², but at least 0",
        "shrunken mean": "{sums} / (n + {PRIOR}), which pulls the mean of few samples towards zero",
        "geometric mean": "exp({sums} / n)", "root mean square": "√({squares} / n)",
        "coefficient of variation": "√V / m, where the mean m is {sums} / n and the variance V is "
        "{squares} / n - m², but at least 0",
    }[STATISTIC]  # fmt: skip
    NONE = {
        "zero": "An empty bin gives 0.", "its fallback": "An empty bin gives its value in {fallback}.",
        "a fixed value": "An empty bin gives {FILL}.",
    }[EMPTY]  # fmt: skip

    @c.kernel(n)
    def kernel(
        sums: wp.array[float] = input(n, low=LOWEST, high=HIGHEST),
        squares: wp.array[float] = input(n, low=20.0, high=60.0),
        counts: wp.array[int] = input(n, low=0, high=5),
        fallback: wp.array[float] = input(n, low=-1.0, high=1.0),
        out: wp.array[float] = output(n),
    ):
        b = wp.tid()
        if EMPTY == "zero":
            if counts[b] == 0:
                out[b] = 0.0
                return
            number = float(counts[b])
        elif STATISTIC == "shrunken mean":
            number = float(counts[b])
        else:
            # an empty bin divides by one
            number = float(wp.max(counts[b], 1))
        if STATISTIC in ("variance", "standard error", "coefficient of variation"):
            mean = sums[b] / number
            # rounding may leave less than nothing
            variance = wp.max(squares[b] / number - mean * mean, 0.0)
        if STATISTIC == "variance":
            value = variance
        elif STATISTIC == "standard error":
            value = wp.sqrt(variance / number)
        elif STATISTIC == "coefficient of variation":
            value = wp.sqrt(variance) / mean
        elif STATISTIC == "shrunken mean":
            # few samples are pulled towards zero
            value = sums[b] / (number + PRIOR)
        elif STATISTIC == "geometric mean":
            value = wp.exp(sums[b] / number)
        elif STATISTIC == "root mean square":
            value = wp.sqrt(squares[b] / number)
        else:
            value = sums[b] / number
        if EMPTY == "zero":
            out[b] = value
        elif EMPTY == "its fallback":
            out[b] = wp.where(counts[b] > 0, value, fallback[b])
        else:
            out[b] = wp.where(counts[b] > 0, value, FILL)
