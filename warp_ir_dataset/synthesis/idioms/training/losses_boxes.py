"""Losses of single predictions: boxes, and numbers with an uncertainty."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=3,
    names={
        "boxes targets": "boxes targets | predicted truths | pred_boxes gt_boxes",
        "sizes target_sizes": "sizes target_sizes | extents target_extents",
        "overlap": "overlap inter shared_area",
        "joint": "joint union_area total_area",
        "p_low p_high t_low t_high": "p_low p_high t_low t_high | low_a high_a low_b high_b",
        "i": "i tid idx",
        "kernel": "box_loss overlap_loss regress_boxes",
    },
)
def box_overlap_loss(c):
    """The {FORM} of each box and its target, {STORED}{WEIGHED}{KEEPS}."""
    n = c.size(6, 10)
    FORM = c.meaning(
        "IoU loss",
        "logarithmic IoU loss",
        "generalized IoU loss",
        "distance IoU loss",
        "coverage loss",
    )
    STORED = c.meaning("given by corners", "given by centres and sizes", "given by corners and sizes")
    WEIGHED = c.meaning("", ", weighted", ", times its score", ", squared")
    KEEPS = c.meaning("", ", summed")
    CORNERS, CENTRES = STORED == "given by corners", STORED == "given by centres and sizes"
    HULL = FORM in ("generalized IoU loss", "distance IoU loss")

    def area(lower: wp.vec2, upper: wp.vec2) -> float:
        """the area between two corners, zero where they are swapped."""
        return wp.max(upper[0] - lower[0], 0.0) * wp.max(upper[1] - lower[1], 0.0)

    @c.kernel(n)
    def kernel(
        boxes: wp.array[wp.vec2] = given(n, low=0.0, high=1.0),
        targets: wp.array[wp.vec2] = given(n, low=0.0, high=1.0),
        uppers: wp.array[wp.vec2] = given(n, low=1.2, high=3.0),
        target_uppers: wp.array[wp.vec2] = given(n, low=1.2, high=3.0),
        sizes: wp.array[wp.vec2] = given(n, low=0.3, high=2.0),
        target_sizes: wp.array[wp.vec2] = given(n, low=0.3, high=2.0),
        weights: wp.array[float] = given(n, low=0.3, high=2.0),
        scores: wp.array[float] = given(n, low=0.1, high=1.0),
        loss: wp.array[float] = updated(1, low=0.0, high=1.0) if KEEPS != "" else result(n),
    ):
        i = wp.tid()
        if CENTRES:
            p_low = boxes[i] - 0.5 * sizes[i]
            t_low = targets[i] - 0.5 * target_sizes[i]
        else:
            p_low = boxes[i]
            t_low = targets[i]
        if CORNERS:
            p_high = uppers[i]
            t_high = target_uppers[i]
        else:
            p_high = p_low + sizes[i]
            t_high = t_low + target_sizes[i]
        overlap = area(wp.max(p_low, t_low), wp.min(p_high, t_high))
        if FORM == "coverage loss":
            value = 1.0 - overlap / wp.max(area(t_low, t_high), 1.0e-4)
        else:
            joint = area(p_low, p_high) + area(t_low, t_high) - overlap
            share = overlap / wp.max(joint, 1.0e-4)
            if FORM == "logarithmic IoU loss":
                value = -wp.log(wp.max(share, 0.01))
            else:
                value = 1.0 - share
        if HULL:
            # the smallest box around both tells apart those that do not meet
            low = wp.min(p_low, t_low)
            high = wp.max(p_high, t_high)
            if FORM == "generalized IoU loss":
                hull = wp.max(area(low, high), 1.0e-4)
                value += (hull - joint) / hull
            else:
                between = 0.5 * (p_low + p_high - t_low - t_high)
                value += wp.length_sq(between) / wp.max(wp.length_sq(high - low), 1.0e-4)
        if WEIGHED == ", weighted":
            value *= weights[i]
        elif WEIGHED == ", times its score":
            value *= scores[i]
        elif WEIGHED != "":
            value *= value
        if KEEPS != "":
            wp.atomic_add(loss, 0, value)
        else:
            loss[i] = value


@idiom(
    level=2,
    names={
        "means": "means predicted mu",
        "targets": "targets y truths",
        "d": "d z standardized",
        "spread": "spread sigma scale",
        "precisions": "inv_scales inverse_scales",
        "value": "value nll cost",
        "i": "i tid row",
        "kernel": "nll_loss neg_log_likelihood eval_nll",
    },
)
def gaussian_likelihood_loss(c):
    """The negative log-likelihood of each target under {LAW} with {GIVEN}{WEIGHED}{KEEPS}."""
    n = c.size()
    LAW = c.meaning(
        "a Gaussian",
        "a Laplacian",
        "a logistic distribution",
        "a Cauchy distribution",
        "a Student distribution",
    )
    GIVEN = c.meaning("a log scale", "a scale", "an inverse scale", "a softplus scale")
    WEIGHED = c.meaning("", ", weighted", ", where known")
    KEEPS = c.meaning("", ", summed")
    FREEDOM, MIN_SCALE = c.constant(2.0, 5.0), c.constant(0.05, 0.3)
    if LAW != "a Gaussian":
        c.names({"kernel": "nll_loss neg_log_likelihood eval_nll negative_log_density"})

    @c.kernel(n)
    def kernel(
        means: wp.array[float] = given(n, low=-2.0, high=2.0),
        targets: wp.array[float] = given(n, low=-2.0, high=2.0),
        log_spreads: wp.array[float] = given(n, low=-1.0, high=1.0),
        spreads: wp.array[float] = given(n, low=0.05, high=2.0),
        precisions: wp.array[float] = given(n, low=0.4, high=2.0),
        raw: wp.array[float] = given(n, low=-2.0, high=2.0),
        weights: wp.array[float] = given(n, low=0.3, high=2.0),
        known: wp.array[int] = given(n, low=0, high=1),
        loss: wp.array[float] = updated(1, low=0.0, high=1.0) if KEEPS != "" else result(n),
    ):
        i = wp.tid()
        if GIVEN == "a log scale":
            spread = wp.exp(log_spreads[i])
        elif GIVEN == "a scale":
            spread = wp.max(spreads[i], MIN_SCALE)
        elif GIVEN == "an inverse scale":
            spread = 1.0 / precisions[i]
        else:
            # softplus keeps it positive, in a form that does not overflow
            spread = MIN_SCALE + wp.max(raw[i], 0.0) + wp.log(1.0 + wp.exp(-wp.abs(raw[i])))
        d = (targets[i] - means[i]) / spread
        if LAW == "a Gaussian":
            value = 0.5 * d * d + wp.log(spread)
        elif LAW == "a Laplacian":
            value = wp.abs(d) + wp.log(2.0 * spread)
        elif LAW == "a logistic distribution":
            value = wp.abs(d) + 2.0 * wp.log(1.0 + wp.exp(-wp.abs(d))) + wp.log(spread)
        elif LAW == "a Cauchy distribution":
            value = wp.log(wp.PI * spread * (1.0 + d * d))
        else:
            value = 0.5 * (FREEDOM + 1.0) * wp.log(1.0 + d * d / FREEDOM) + wp.log(spread)
        if WEIGHED == ", weighted":
            value *= weights[i]
        elif WEIGHED != "":
            value *= float(known[i])
        if KEEPS != "":
            wp.atomic_add(loss, 0, value)
        else:
            loss[i] = value
