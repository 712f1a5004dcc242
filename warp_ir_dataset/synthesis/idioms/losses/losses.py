"""Losses: of residuals, margins, classes, distributions and alignments."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    names={
        "predicted": "predicted predictions pred y_hat",
        "target": "target targets observed y",
        "r": "r residual error",
        "loss": "loss losses cost",
        "weights": "weights confidence w",
        "kernel": "robust_loss residual_loss eval_loss",
    },
)
def robust_residual_loss(c):
    """{ACT} {WHAT} of {WHOSE}{ADDED}.

    {PURPOSE} of {WHOSE}, r = {RESIDUAL}: {FORMULA}. {PUT}
    """
    n = c.size()
    KIND = c.meaning("plain", "relative", "logarithmic")
    WEIGHTED, TOTAL = c.meaning(False, True), c.meaning(False, True)
    WHOSE = {"plain": "each residual", "relative": "each relative residual", "logarithmic": "each log ratio"}[
        KIND
    ]
    ACT = "Adds" if TOTAL else "Evaluates"
    ADDED = (", times its weight" if WEIGHTED else "") + (", to a total" if TOTAL else "")
    if TOTAL and not WEIGHTED:
        ADDED = " to a total"
    if KIND == "logarithmic":
        c.names({"r": "r log_ratio residual"})
    WIDTH, QUANTILE = c.constant(0.3, 1.2), c.constant(0.6, 0.9)
    CUTOFF, TUBE = c.constant(0.9, 2.5), c.constant(0.1, 0.5)

    def huber(r: float) -> float:
        """Square near zero, and linear beyond a width."""
        a = wp.abs(r)
        if a <= WIDTH:
            return 0.5 * r * r
        return WIDTH * (a - 0.5 * WIDTH)

    def pseudo_huber(r: float) -> float:
        """Smoothly from square to linear."""
        s = r / WIDTH
        return WIDTH * WIDTH * (wp.sqrt(1.0 + s * s) - 1.0)

    def log_cosh(r: float) -> float:
        """The logarithm of the hyperbolic cosine."""
        # the exponential of a negative number cannot overflow
        a = wp.abs(r)
        return a + wp.log(0.5 + 0.5 * wp.exp(-2.0 * a))

    def cauchy(r: float) -> float:
        """Logarithmic for large residuals."""
        s = r / WIDTH
        return 0.5 * WIDTH * WIDTH * wp.log(1.0 + s * s)

    def tukey(r: float) -> float:
        """Flat beyond a cutoff."""
        s = wp.min(wp.abs(r) / CUTOFF, 1.0)
        rest = 1.0 - s * s
        return CUTOFF * CUTOFF * (1.0 - rest * rest * rest) / 6.0

    def geman(r: float) -> float:
        """At most one, however large the residual."""
        square = r * r
        return square / (square + WIDTH * WIDTH)

    def pinball(r: float) -> float:
        """Steeper on one side than on the other."""
        # a prediction below the target has a negative residual
        return wp.max(-QUANTILE * r, (1.0 - QUANTILE) * r)

    def insensitive(r: float) -> float:
        """Zero in a tube, and square outside."""
        over = wp.max(wp.abs(r) - TUBE, 0.0)
        return over * over

    FORM = c.meaning(huber, pseudo_huber, log_cosh, cauchy, tukey, geman, pinball, insensitive)
    WHAT = {
        huber: "the Huber loss",
        pseudo_huber: "the pseudo-Huber loss",
        log_cosh: "the log-cosh loss",
        cauchy: "the Cauchy loss",
        tukey: "Tukey's biweight loss",
        geman: "the Geman-McClure loss",
        pinball: "the quantile loss",
        insensitive: "the squared epsilon-insensitive loss",
    }[FORM]
    if FORM is insensitive:
        c.names({"kernel": "residual_loss eval_loss"})
    PURPOSE = f"Add up {WHAT}" if TOTAL else f"Compute {WHAT}"
    RESIDUAL = {
        "plain": "{predicted} - {target}", "relative": "({predicted} - {target}) / {target}",
        "logarithmic": "ln({predicted} / {target})",
    }[KIND]  # fmt: skip
    FORMULA = {
        huber: "½·r² if |r| ≤ {WIDTH}, otherwise {WIDTH} · (|r| - {WIDTH} / 2)",
        pseudo_huber: "{WIDTH}² · (√(1 + (r / {WIDTH})²) - 1)",
        log_cosh: "ln(cosh(r))",
        cauchy: "½ · {WIDTH}² · ln(1 + (r / {WIDTH})²)",
        tukey: "{CUTOFF}² / 6 · (1 - (1 - s²)³), where s = min(|r| / {CUTOFF}, 1)",
        geman: "r² / (r² + {WIDTH}²)",
        pinball: "max(-{QUANTILE}·r, (1 - {QUANTILE})·r)",
        insensitive: "max(|r| - {TUBE}, 0)²",
    }[FORM]
    LOSSES = "the losses, each times its entry of {weights}," if WEIGHTED else "the losses"
    PUT = "Add {LOSSES} to {loss}, which need not be zero before." if TOTAL else "Write {LOSSES} to {loss}."

    @c.kernel(n)
    def kernel(
        predicted: wp.array[float] = input(n, low=0.2, high=4.0, of="value"),
        target: wp.array[float] = input(n, low=0.2, high=4.0),
        weights: wp.array[float] = input(n, low=0.2, high=2.0),
        loss: wp.array[float] = inout(1, low=0.0, high=0.5) if TOTAL else output(n),
    ):
        i = wp.tid()
        if KIND == "relative":
            r = (predicted[i] - target[i]) / target[i]
        elif KIND == "logarithmic":
            r = wp.log(predicted[i] / target[i])
        else:
            r = predicted[i] - target[i]
        if TOTAL:
            wp.atomic_add(loss, 0, weights[i] * FORM(r) if WEIGHTED else FORM(r))
        else:
            loss[i] = weights[i] * FORM(r) if WEIGHTED else FORM(r)


@idiom(
    level=3,
    names={
        "p q": "p q | observed model | target predicted | posterior prior",
        "out": "out divergence result",
        "total": "total acc divergence_sum",
        "row k": "row k | i j",
        "kernel": "eval_divergence divergence compare_rows",
    },
)
def divergence_rows(c):
    """{ACT} {WHAT} {OF} each row of {p} {AND} {q}{GIVEN}{END}.

    {PURPOSE} {OF} each row of {p} {AND_Q}. {SHARES} The result is the sum over the columns of
    {TERM}{WEIGHT}. {PUT}
    """
    n, width = c.size(6, 10), c.size(4, 8)
    GIVEN = c.meaning("", ", given as counts", ", given as logarithms")
    POWER = c.constant(0.3, 0.8)

    def relative_entropy(p: float, q: float) -> float:
        """What one column adds to the Kullback-Leibler divergence."""
        return p * wp.log(p / q)

    def jeffreys(p: float, q: float) -> float:
        """What one column adds to the sum of both Kullback-Leibler divergences."""
        return (p - q) * (wp.log(p) - wp.log(q))

    def jensen(p: float, q: float) -> float:
        """What one column adds to the Jensen-Shannon divergence."""
        m = 0.5 * (p + q)
        return 0.5 * (p * wp.log(p / m) + q * wp.log(q / m))

    def hellinger(p: float, q: float) -> float:
        """Half the squared difference of roots."""
        d = wp.sqrt(p) - wp.sqrt(q)
        return 0.5 * d * d

    def pearson(p: float, q: float) -> float:
        """The squared difference, relative to the second."""
        d = p - q
        return d * d / q

    def variation(p: float, q: float) -> float:
        """Half the absolute difference."""
        return 0.5 * wp.abs(p - q)

    def tsallis(p: float, q: float) -> float:
        """What one column adds to the Tsallis divergence, where shares add up to one."""
        return (p - wp.pow(p, POWER) * wp.pow(q, 1.0 - POWER)) / (1.0 - POWER)

    FORM = c.meaning(relative_entropy, jeffreys, jensen, hellinger, pearson, variation, tsallis)
    ROOTS = (", as its root",) if FORM in (jensen, hellinger) else ()
    END = c.meaning("", ", weighted by column", ", to a total", *ROOTS)
    COUNTS, LOGS = GIVEN == ", given as counts", GIVEN == ", given as logarithms"
    ROOT, JENSEN = END == ", as its root", FORM is jensen
    ACT = "Adds" if END == ", to a total" else "Measures"
    WHAT = {
        relative_entropy: "the Kullback-Leibler divergence",
        jeffreys: "the Jeffreys divergence",
        jensen: "the Jensen-Shannon divergence",
        hellinger: "the squared Hellinger distance",
        pearson: "the chi-squared divergence",
        variation: "the total variation distance",
        tsallis: "the Tsallis divergence",
    }[FORM]
    if ROOT:
        WHAT, END = "the Jensen-Shannon distance" if JENSEN else "the Hellinger distance", ""
    directed = FORM in (relative_entropy, pearson, tsallis)
    OF, AND = ("of", "from") if directed else ("between", "and that of")
    if END == ", to a total" and GIVEN == "":
        END = " to a total"
    low, high = (-3.0, 0.0) if LOGS else (0.5, 9.0) if COUNTS else (0.05, 0.6)
    PURPOSE = f"Add up {WHAT}" if ACT == "Adds" else f"Compute {WHAT}"
    AND_Q = "from that of {q}" if AND == "from" else "and that of {q}"
    SHARES = {
        "": "The entries of the rows are a and b.",
        ", given as counts": "Entries are counts; a and b are the entries of {p} and {q}, each divided "
        "by the sum of its row.",
        ", given as logarithms": "Entries are logarithms; a and b are the exponentials of the entries "
        "of {p} and {q}.",
    }[GIVEN]
    TERM = {
        relative_entropy: "a·ln(a / b)",
        jeffreys: "(a - b) · (ln(a) - ln(b))",
        jensen: "½ · (a·ln(a / m) + b·ln(b / m)), where m is the mean of a and b",
        hellinger: "½ · (√a - √b)²",
        pearson: "(a - b)² / b",
        variation: "½ · |a - b|",
        tsallis: "(a - a^{POWER} · b^(1 - {POWER})) / (1 - {POWER})",
    }[FORM]
    WEIGHT = ", each times the column's entry of {weights}" if END == ", weighted by column" else ""
    PUT = "Write the result to {out}."
    if ACT == "Adds":
        PUT = "Add the results of all rows to {out}, which need not be zero before."
    elif ROOT:
        PUT = "Write the square root of the result to {out}."
        if JENSEN:
            PUT = "Write the square root of the result to {out}, or 0 if rounding has made it negative."

    @c.kernel(n)
    def kernel(
        p: wp.array2d[float] = input(n, width, low=low, high=high),
        q: wp.array2d[float] = input(n, width, low=low, high=high),
        weights: wp.array[float] = input(width, low=0.2, high=2.0),
        out: wp.array[float] = inout(1, low=0.0, high=1.0, of="loss")
        if ACT == "Adds"
        else output(n, of="loss"),
    ):
        row = wp.tid()
        if COUNTS:
            p_total = float(0.0)
            q_total = float(0.0)
            for k in range(p.shape[1]):
                p_total += p[row, k]
                q_total += q[row, k]
        total = float(0.0)
        for k in range(p.shape[1]):
            if COUNTS:
                d = FORM(p[row, k] / p_total, q[row, k] / q_total)
            elif LOGS:
                d = FORM(wp.exp(p[row, k]), wp.exp(q[row, k]))
            else:
                d = FORM(p[row, k], q[row, k])
            total += weights[k] * d if END == ", weighted by column" else d
        if ACT == "Adds":
            wp.atomic_add(out, 0, total)
        elif ROOT:
            if JENSEN:
                # of equal rows, rounding may leave a little below zero
                out[row] = wp.sqrt(wp.max(total, 0.0))
            else:
                out[row] = wp.sqrt(total)
        else:
            out[row] = total
