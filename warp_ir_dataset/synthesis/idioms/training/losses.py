"""Losses: of residuals, margins, classes, distributions and alignments."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


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
    """Evaluates {FORM} of {WHOSE}{ADDED}."""
    n = c.size()
    KIND = c.meaning("plain", "relative", "logarithmic")
    WEIGHTED, TOTAL = c.meaning(False, True), c.meaning(False, True)
    WHOSE = {"plain": "each residual", "relative": "each relative residual", "logarithmic": "each log ratio"}[
        KIND
    ]
    ADDED = ", summed with weights" if WEIGHTED and TOTAL else ", weighted" if WEIGHTED else ""
    ADDED = ", summed" if TOTAL and not WEIGHTED else ADDED
    WIDTH, QUANTILE = c.constant(0.3, 1.2), c.constant(0.6, 0.9)

    def huber(r: float) -> float:
        """the Huber loss."""
        a = wp.abs(r)
        if a <= WIDTH:
            return 0.5 * r * r
        return WIDTH * (a - 0.5 * WIDTH)

    def pseudo_huber(r: float) -> float:
        """the pseudo-Huber loss."""
        s = r / WIDTH
        return WIDTH * WIDTH * (wp.sqrt(1.0 + s * s) - 1.0)

    def log_cosh(r: float) -> float:
        """the log-cosh loss."""
        a = wp.abs(r)
        return a + wp.log(0.5 + 0.5 * wp.exp(-2.0 * a))

    def cauchy(r: float) -> float:
        """the Cauchy loss."""
        s = r / WIDTH
        return 0.5 * WIDTH * WIDTH * wp.log(1.0 + s * s)

    def tukey(r: float) -> float:
        """the biweight loss."""
        s = wp.min(wp.abs(r) / (3.0 * WIDTH), 1.0)
        rest = 1.0 - s * s
        return 1.0 - rest * rest * rest

    def geman(r: float) -> float:
        """the Geman-McClure loss."""
        square = r * r
        return square / (square + WIDTH * WIDTH)

    def pinball(r: float) -> float:
        """the quantile loss."""
        # a prediction below the target has a negative residual
        return wp.max(-QUANTILE * r, (1.0 - QUANTILE) * r)

    def insensitive(r: float) -> float:
        """the squared loss beyond a dead zone."""
        over = wp.max(wp.abs(r) - 0.5 * WIDTH, 0.0)
        return over * over

    FORM = c.meaning(huber, pseudo_huber, log_cosh, cauchy, tukey, geman, pinball, insensitive)

    @c.kernel(n)
    def kernel(
        predicted: wp.array[float] = given(n, low=0.2, high=4.0, of="value"),
        target: wp.array[float] = given(n, low=0.2, high=4.0),
        weights: wp.array[float] = given(n, low=0.2, high=2.0),
        loss: wp.array[float] = updated(1, low=0.0, high=0.5) if TOTAL else result(n),
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
        "p": "p prior observed",
        "q": "q model predicted",
        "out": "out divergence result",
        "total": "total d divergence_sum",
        "pk qk": "pk qk | u v | a b",
        "row k": "row k | i j",
        "kernel": "eval_divergence divergence compare_rows",
    },
)
def divergence_rows(c):
    """Measures {FORM} of each row of {p} from {q}{GIVEN}{END}."""
    n, width = c.size(6, 10), c.size(4, 8)
    GIVEN = c.meaning("", ", given as counts", ", given as logarithms")
    POWER = c.constant(0.3, 0.8)

    def forward(p: float, q: float) -> float:
        """the Kullback-Leibler divergence."""
        return p * wp.log(p / q)

    def jeffreys(p: float, q: float) -> float:
        """the Jeffreys divergence."""
        return (p - q) * (wp.log(p) - wp.log(q))

    def jensen(p: float, q: float) -> float:
        """the Jensen-Shannon divergence."""
        m = 0.5 * (p + q)
        return 0.5 * (p * wp.log(p / m) + q * wp.log(q / m))

    def hellinger(p: float, q: float) -> float:
        """the squared Hellinger distance."""
        d = wp.sqrt(p) - wp.sqrt(q)
        return 0.5 * d * d

    def pearson(p: float, q: float) -> float:
        """the chi-squared divergence."""
        d = p - q
        return d * d / q

    def variation(p: float, q: float) -> float:
        """the total variation."""
        return 0.5 * wp.abs(p - q)

    def tsallis(p: float, q: float) -> float:
        """the Tsallis divergence."""
        return (p - wp.pow(p, POWER) * wp.pow(q, 1.0 - POWER)) / (1.0 - POWER)

    FORM = c.meaning(forward, jeffreys, jensen, hellinger, pearson, variation, tsallis)
    ROOTS = (", as its root",) if FORM in (jensen, hellinger) else ()
    END = c.meaning("", ", weighted by column", ", summed", *ROOTS)
    COUNTS, LOGS = GIVEN == ", given as counts", GIVEN == ", given as logarithms"
    low, high = (-3.0, 0.0) if LOGS else (0.5, 9.0) if COUNTS else (0.05, 0.6)

    @c.kernel(n)
    def kernel(
        p: wp.array2d[float] = given(n, width, low=low, high=high),
        q: wp.array2d[float] = given(n, width, low=low, high=high),
        weights: wp.array[float] = given(width, low=0.2, high=2.0),
        out: wp.array[float] = updated(1, low=0.0, high=1.0, of="loss")
        if END == ", summed"
        else result(n, of="loss"),
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
        if END == ", summed":
            wp.atomic_add(out, 0, total)
        elif END == ", as its root":
            out[row] = wp.sqrt(wp.max(total, 0.0))
        else:
            out[row] = total
