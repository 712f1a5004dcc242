"""Losses of single predictions: boxes, and numbers with an uncertainty."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "boxes targets": "boxes targets | predicted truths | pred_boxes gt_boxes",
        "sizes target_sizes": "sizes target_sizes | extents target_extents",
        "overlap": "overlap inter shared_area",
        "joint": "joint union_area combined",
        "share": "share iou overlap_ratio",
        "p_low p_high t_low t_high": "p_low p_high t_low t_high | low_a high_a low_b high_b",
        "i": "i tid idx",
        "kernel": "box_loss overlap_loss box_regression_loss",
    },
)
def box_overlap_loss(c):
    """The {FORM} of each box and its target, {STORED}{WEIGHED}{KEEPS}.

    Compute the {FORM} of each box and its target. {GEOMETRY} With I the area that both share{MORE}, the loss
    is {FORMULA}. {WEIGHT} {PUT}
    """
    n = c.size(6, 10)
    FORM = c.meaning(
        "IoU loss",
        "logarithmic IoU loss",
        "generalized IoU loss",
        "distance IoU loss",
        "coverage loss",
    )
    STORED = c.meaning(
        "both given by opposite corners",
        "both given by centres and sizes",
        "both given by lower corners and sizes",
    )
    WEIGHED = c.meaning("", ", weighted", ", times the score of the box", ", zero where it is unmatched")
    KEEPS = c.meaning("", ", added to a total")
    MATCHED = "unmatched" in WEIGHED
    if MATCHED and KEEPS != "":
        WEIGHED = ", where they are matched"
    CORNERS, CENTRES = STORED.endswith("opposite corners"), STORED.endswith("centres and sizes")
    HULL = FORM in ("generalized IoU loss", "distance IoU loss")
    COVERAGE = FORM == "coverage loss"
    EPS = c.constant(1.0e-6, 1.0e-6)
    if COVERAGE:
        c.names({"kernel": "box_loss coverage_loss box_regression_loss"})
    if CORNERS:
        c.names(
            {
                "boxes targets": "corners target_corners | box_corners truth_corners",
                "opposites target_opposites": "opposites target_opposites | far_corners target_far_corners",
            }
        )
    elif CENTRES:
        c.names({"boxes targets": "centres target_centres | pred_centres gt_centres"})
    else:
        c.names({"boxes targets": "lowers target_lowers | low_corners target_low_corners"})

    def area(lower: wp.vec2, upper: wp.vec2) -> float:
        """the area between two corners, zero where they are swapped."""
        return wp.max(upper[0] - lower[0], 0.0) * wp.max(upper[1] - lower[1], 0.0)

    GEOMETRY = {
        "both given by opposite corners": "A box has the opposite corners {boxes} and {opposites}, in "
        "any order; its target has {targets} and {target_opposites}.",
        "both given by centres and sizes": "A box has the centre {boxes} and the size {sizes}; its "
        "target has {targets} and {target_sizes}.",
        "both given by lower corners and sizes": "A box has the lower corner {boxes} and the size "
        "{sizes}; its target has {targets} and {target_sizes}.",
    }[STORED]
    MORE = "" if COVERAGE else " and U the area of their union"
    FORMULA = {
        "IoU loss": "1 - I / (U + {EPS})", "logarithmic IoU loss": "-ln(max(I / (U + {EPS}), 0.01))",
        "generalized IoU loss": "1 - I / (U + {EPS}) + (H - U) / H, where H is the area of the "
        "smallest box around both plus {EPS}",
        "distance IoU loss": "1 - I / (U + {EPS}) + c² / (d² + {EPS}), where c is the distance of the "
        "two centres and d the diagonal of the smallest box around both",
        "coverage loss": "1 - I / (area of the target + {EPS})",
    }[FORM]  # fmt: skip
    WEIGHT = {
        "": "", ", weighted": "Multiply the loss by the pair's entry of {weights}.",
        ", times the score of the box": "Multiply the loss by the box's score in {scores}.",
    }.get(WEIGHED, "")  # fmt: skip
    PUT = "Write the loss to {loss}."
    if KEEPS:
        PUT = "Add the losses to {loss}, which need not be zero before."
    if MATCHED:
        PUT += " Pairs whose {matched} is 0 are left out." if KEEPS else " The loss is 0 if {matched} is 0."

    @c.kernel(n)
    def kernel(
        boxes: wp.array[wp.vec2] = input(n, low=0.0, high=2.0),
        targets: wp.array[wp.vec2] = input(n, low=0.0, high=2.0),
        opposites: wp.array[wp.vec2] = input(n, low=0.0, high=2.0),
        target_opposites: wp.array[wp.vec2] = input(n, low=0.0, high=2.0),
        sizes: wp.array[wp.vec2] = input(n, low=0.3, high=2.0),
        target_sizes: wp.array[wp.vec2] = input(n, low=0.3, high=2.0),
        weights: wp.array[float] = input(n, low=0.3, high=2.0),
        scores: wp.array[float] = input(n, low=0.1, high=1.0),
        matched: wp.array[int] = input(n, low=0, high=1),
        loss: wp.array[float] = inout(1, low=0.0, high=1.0) if KEEPS != "" else output(n),
    ):
        i = wp.tid()
        if MATCHED:
            if matched[i] == 0:
                if KEEPS == "":
                    loss[i] = 0.0
                return
        if CORNERS:
            # the two corners may come in any order
            p_low = wp.min(boxes[i], opposites[i])
            p_high = wp.max(boxes[i], opposites[i])
            t_low = wp.min(targets[i], target_opposites[i])
            t_high = wp.max(targets[i], target_opposites[i])
        else:
            if CENTRES:
                p_low = boxes[i] - 0.5 * sizes[i]
                t_low = targets[i] - 0.5 * target_sizes[i]
            else:
                p_low = boxes[i]
                t_low = targets[i]
            p_high = p_low + sizes[i]
            t_high = t_low + target_sizes[i]
        overlap = area(wp.max(p_low, t_low), wp.min(p_high, t_high))
        if COVERAGE:
            # the part of the target that the box misses
            value = 1.0 - overlap / (area(t_low, t_high) + EPS)
        else:
            joint = area(p_low, p_high) + area(t_low, t_high) - overlap
            share = overlap / (joint + EPS)
            if FORM == "logarithmic IoU loss":
                # where boxes do not meet the loss would be infinite
                value = -wp.log(wp.max(share, 0.01))
            else:
                value = 1.0 - share
        if HULL:
            # the smallest box around both tells how far apart boxes are that do not meet
            low = wp.min(p_low, t_low)
            high = wp.max(p_high, t_high)
            if FORM == "generalized IoU loss":
                hull = area(low, high) + EPS
                value += (hull - joint) / hull
            else:
                between = 0.5 * (p_low + p_high - t_low - t_high)
                value += wp.length_sq(between) / (wp.length_sq(high - low) + EPS)
        if WEIGHED == ", weighted":
            value *= weights[i]
        elif WEIGHED == ", times the score of the box":
            value *= scores[i]
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
    """The negative log-likelihood{UP} of each target under {LAW}, {GIVEN}{WEIGHED}{KEEPS}.

    Compute the negative log-likelihood of each target under {LAW}, with the location in {means}. With the
    scale s {SCALE} and z = (target - location) / s, targets being in {targets}, it is {FORMULA}. {WEIGHT}
    {PUT}
    """
    n = c.size()
    LAW = c.meaning(
        "a Gaussian",
        "a Laplacian",
        "a logistic distribution",
        "a Cauchy distribution",
        "a Student distribution",
    )
    GIVEN = c.meaning(
        "whose log scale is given",
        "whose scale is given and kept above a floor",
        "whose inverse scale is given",
        "whose scale is a softplus above a floor",
    )
    WEIGHED = c.meaning("", ", weighted", ", zero where it is unknown")
    KEEPS = c.meaning("", ", added to a total")
    if "unknown" in WEIGHED and KEEPS != "":
        WEIGHED = ", where it is known"
    FREEDOM, MIN_SCALE = c.constant(2.0, 5.0), c.constant(0.1, 0.3)
    UP = " (up to a constant)" if LAW == "a Student distribution" else ""
    if LAW != "a Gaussian":
        c.names({"kernel": "nll_loss neg_log_likelihood eval_nll negative_log_density"})
    if LAW == "a Cauchy distribution":
        c.names({"means": "locations centres predicted"})
    SCALE = {
        "whose log scale is given": "= exp({log_spreads})",
        "whose scale is given and kept above a floor": "= max({spreads}, {MIN_SCALE})",
        "whose inverse scale is given": "= 1 / {precisions}",
        "whose scale is a softplus above a floor": "= {MIN_SCALE} + ln(1 + exp({raw}))",
    }[GIVEN]
    FORMULA = {
        "a Gaussian": "½ · (z² + ln(2·π·s²))", "a Laplacian": "|z| + ln(2·s)",
        "a logistic distribution": "|z| + 2·ln(1 + exp(-|z|)) + ln(s)",
        "a Cauchy distribution": "ln(π·s·(1 + z²))",
        "a Student distribution": "½ · ({FREEDOM} + 1) · ln(1 + z² / {FREEDOM}) + ln(s), up to a constant",
    }[LAW]  # fmt: skip
    WEIGHT = "Multiply it by the entry of {weights}." if WEIGHED == ", weighted" else ""
    PUT = "Write it to {loss}."
    if KEEPS:
        PUT = "Add the results to {loss}, which need not be zero before."
    if "known" in WEIGHED:
        PUT += " Targets whose {known} is 0 " + (
            "do not count." if KEEPS else "give 0; for the others it is 1."
        )

    @c.kernel(n)
    def kernel(
        means: wp.array[float] = input(n, low=-2.0, high=2.0),
        targets: wp.array[float] = input(n, low=-2.0, high=2.0),
        log_spreads: wp.array[float] = input(n, low=-1.0, high=1.0),
        spreads: wp.array[float] = input(n, low=0.02, high=1.5),
        precisions: wp.array[float] = input(n, low=0.4, high=2.0),
        raw: wp.array[float] = input(n, low=-2.0, high=2.0),
        weights: wp.array[float] = input(n, low=0.3, high=2.0),
        known: wp.array[int] = input(n, low=0, high=1),
        loss: wp.array[float] = inout(1, low=0.0, high=1.0) if KEEPS != "" else output(n),
    ):
        i = wp.tid()
        if GIVEN.startswith("whose log"):
            spread = wp.exp(log_spreads[i])
        elif GIVEN.startswith("whose scale is given"):
            spread = wp.max(spreads[i], MIN_SCALE)
        elif GIVEN.startswith("whose inverse"):
            spread = 1.0 / precisions[i]
        else:
            # softplus keeps the scale positive, in a form that does not overflow
            spread = MIN_SCALE + wp.max(raw[i], 0.0) + wp.log(1.0 + wp.exp(-wp.abs(raw[i])))
        d = (targets[i] - means[i]) / spread
        if LAW == "a Gaussian":
            value = 0.5 * (d * d + wp.log(wp.TAU * spread * spread))
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
