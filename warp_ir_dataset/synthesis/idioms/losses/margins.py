"""Losses with margins: triplets, contrasts."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "x": "x features inputs",
        "w": "w weights plane",
        "labels": "labels classes truths",
        "margin": "margin m agreement",
        "loss": "loss losses cost",
        "dscore": "dscore grad_score slope",
        "i k": "i k | row col | sample feature",
        "kernel": "margin_loss classification_loss eval_margin_loss",
    },
)
def classification_margin(c):
    """{FORM} of each {MARGIN_OF}{ALSO}.

    Compute {LOSS_OF}. {MARGIN_IS} The loss is {FORMULA}. Write it to {loss}. {MORE}
    """
    n, width = c.size(6, 10), c.size(4, 7)
    SCORES = c.meaning("given", "linear", "pairwise")
    LABELS = "signs" if SCORES == "pairwise" else c.meaning("signs", "bits")
    ALSO = c.meaning("", ", and its derivative by the score", ", counting wrong ones")
    FORM_NAME = c.meaning("hinge", "squared hinge", "logistic", "exponential", "ramp", "smoothed hinge")
    FORM = f"The {FORM_NAME} loss"
    MARGIN_OF = {
        "given": "score's margin",
        "linear": "sample's margin by a linear score",
        "pairwise": "margin between a better and a worse item",
    }[SCORES]
    if SCORES != "pairwise":
        MARGIN_OF += ", for labels of 0 and 1" if LABELS == "bits" else ", labelled by signs"
    if SCORES == "pairwise":
        ALSO = ALSO.replace("the score", "the better score")
        c.names({"scores": "better better_scores preferred", "margin": "margin m lead"})
        c.names({"kernel": "margin_loss ranking_loss pairwise_loss"})
    GAP, CAP = c.constant(0.8, 1.5), c.constant(1.5, 2.0)
    SLOPE = ALSO.startswith(", and its derivative")
    LOSS_OF = f"the {FORM_NAME} loss of each {MARGIN_OF}"
    LABEL = "1 if `{targets}[k]` is not negative and -1 otherwise"
    if LABELS == "bits":
        LABEL = "2 · `{labels}[k]` - 1"
    MARGIN_IS = {
        "pairwise": "The margin m is the better score in {scores} less the {worse} one.",
        "given": "The margin m of sample k is y · `{scores}[k]` with y = {LABEL}.",
        "linear": "The margin m of sample k is y · (the dot product of {w} and row k of {x}) with y = "
        "{LABEL}.",
    }[SCORES]
    FORMULA = {
        "hinge": "max({GAP} - m, 0)",
        "squared hinge": "½ · max({GAP} - m, 0)²",
        "logistic": "ln(1 + exp(-m))",
        "exponential": "exp(-m)", "ramp": "{GAP} - m clamped to [0, {CAP}]",
        "smoothed hinge": "0 if m ≥ {GAP}, ({GAP} - m)² / (2 · {GAP}) if m lies between 0 and {GAP}, "
        "and {GAP} / 2 - m if m < 0",
    }[FORM_NAME]  # fmt: skip
    DERIVATIVE = {
        "hinge": "-1 if m < {GAP}, otherwise 0",
        "squared hinge": "-max({GAP} - m, 0)",
        "logistic": "-1 / (1 + exp(m))",
        "exponential": "-exp(-m)", "ramp": "-1 if the loss lies strictly between 0 and {CAP}, otherwise 0",
        "smoothed hinge": "-({GAP} - m) / {GAP}, with {GAP} - m clamped to [0, {GAP}]",
    }[FORM_NAME]  # fmt: skip
    MORE = ""
    if SLOPE:
        TO = "better score" if SCORES == "pairwise" else "score"
        MORE = "Write its derivative by the {TO} to {dscore}: the derivative by m, {DERIVATIVE}"
        MORE += "." if SCORES == "pairwise" else ", times y."
    elif ALSO:
        MORE = "Add the number of samples with m ≤ 0 to {wrong}."

    @c.kernel(n)
    def kernel(
        scores: wp.array[float] = input(n, low=-2.0, high=2.0, of="score"),
        worse: wp.array[float] = input(n, low=-2.0, high=2.0),
        x: wp.array2d[float] = input(n, width, low=-1.0, high=1.0),
        w: wp.array[float] = input(width, low=-1.0, high=1.0),
        labels: wp.array[int] = input(n, low=0, high=1),
        targets: wp.array[float] = input(n, low=-1.0, high=1.0),
        loss: wp.array[float] = output(n, of="loss"),
        dscore: wp.array[float] = output(n, of="gradient"),
        wrong: wp.array[int] = inout(1, low=0, high=3),
    ):
        i = wp.tid()
        if SCORES == "linear":
            score = float(0.0)
            for k in range(w.shape[0]):
                score += w[k] * x[i, k]
        elif SCORES == "given":
            score = scores[i]
        if SCORES == "pairwise":
            margin = scores[i] - worse[i]
        elif LABELS == "bits":
            y = float(2 * labels[i] - 1)
            margin = y * score
        else:
            y = wp.sign(targets[i])
            margin = y * score
        if FORM_NAME == "hinge":
            value = wp.max(GAP - margin, 0.0)
            if SLOPE:
                d = wp.where(margin < GAP, -1.0, 0.0)
        elif FORM_NAME == "squared hinge":
            lack = wp.max(GAP - margin, 0.0)
            value = 0.5 * lack * lack
            if SLOPE:
                d = -lack
        elif FORM_NAME == "logistic":
            # of the two forms of log(1 + exp(-m)), the one that cannot overflow
            value = wp.max(-margin, 0.0) + wp.log(1.0 + wp.exp(-wp.abs(margin)))
            if SLOPE:
                d = -1.0 / (1.0 + wp.exp(margin))
        elif FORM_NAME == "exponential":
            value = wp.exp(-margin)
            if SLOPE:
                d = -value
        elif FORM_NAME == "ramp":
            # an outlier beyond the cap pulls no more
            value = wp.clamp(GAP - margin, 0.0, CAP)
            if SLOPE:
                d = wp.where(value > 0.0 and value < CAP, -1.0, 0.0)
        else:
            lack = wp.clamp(GAP - margin, 0.0, GAP)
            value = lack * (wp.max(GAP - margin, 0.0) - 0.5 * lack) / GAP
            if SLOPE:
                d = -lack / GAP
        loss[i] = value
        if SLOPE:
            dscore[i] = d if SCORES == "pairwise" else d * y
        elif ALSO != "":
            if margin <= 0.0:
                wp.atomic_add(wrong, 0, 1)


@idiom(
    level=3,
    names={
        "anchors": "anchors anchor queries",
        "positives": "positives positive matches",
        "negatives": "negatives negative others",
        "near": "near d_pos to_positive",
        "far": "far d_neg to_negative",
        "i j": "i j | row other | anchor_index k",
        "kernel": "triplet_margin_loss eval_triplets",
    },
)
def triplet_loss(c):
    """The triplet loss of each anchor by {DISTANCE}, {SHAPE}, against {NEGATIVE}{SWAP}.

    Compute the triplet loss of each anchor in {anchors}, {SHAPE}, against {NEGATIVE}{SWAP}. Distances are
    {MEASURE}. With the distance p of the anchor from its entry of {positives} and n {FAR}, the loss is
    {FORMULA}. {MEAN} Write it to {loss}.
    """
    n, m = c.size(6, 10), c.size(5, 8)
    Vec = c.vec(c.style(2, 3, 4))
    NEGATIVE = c.meaning("its own negative", "the nearest negative", "all negatives, averaged")
    SHAPE = c.meaning("with a margin", "with a softplus", "as a share of both distances")
    if SHAPE != "with a margin":
        c.names({"kernel": "triplet_loss eval_triplets"})
    GIVEN = NEGATIVE == "its own negative"
    SWAP = c.meaning("", ", with anchor swap") if GIVEN else ""
    MARGIN = c.constant(0.2, 1.0)

    def squared(a: Vec, b: Vec) -> float:
        """the squared Euclidean distance."""
        return wp.length_sq(a - b)

    def euclidean(a: Vec, b: Vec) -> float:
        """the Euclidean distance."""
        return wp.length(a - b)

    def cosine_distance(a: Vec, b: Vec) -> float:
        """the cosine distance."""
        return 1.0 - wp.dot(a, b) / wp.max(wp.length(a) * wp.length(b), 1.0e-4)

    DISTANCE = c.meaning(squared, euclidean, cosine_distance)
    MEASURE = {
        squared: "squared Euclidean distances", euclidean: "Euclidean distances",
        cosine_distance: "cosine distances, 1 - a·b / max(|a|·|b|, 0.0001)",
    }[DISTANCE]  # fmt: skip
    FAR = {
        "its own negative": "that from its entry of {negatives}",
        "the nearest negative": "the least distance from any of {negatives}",
        "all negatives, averaged": "that from one of {negatives}",
    }[NEGATIVE]  # fmt: skip
    if SWAP:
        FAR = (
            "the smaller one of the distances of the anchor and of the positive from its entry of {negatives}"
        )
    FORMULA = {
        "with a margin": "max(p - n + {MARGIN}, 0)", "with a softplus": "ln(1 + exp(p - n))",
        "as a share of both distances": "p / (p + n + 0.0001)",
    }[SHAPE]  # fmt: skip
    MEAN = "Take the mean over all the negatives." if "averaged" in NEGATIVE else ""

    @c.kernel(n)
    def kernel(
        anchors: wp.array[Vec] = input(n, low=-1.5, high=1.5, of="activation"),
        positives: wp.array[Vec] = input(n, low=-1.5, high=1.5),
        negatives: wp.array[Vec] = input(n if GIVEN else m, low=-1.5, high=1.5),
        loss: wp.array[float] = output(n, of="loss"),
    ):
        i = wp.tid()
        anchor = anchors[i]
        near = DISTANCE(anchor, positives[i])
        if GIVEN:
            if SWAP != "":
                # the nearer of the two pairs is the harder one
                far = wp.min(DISTANCE(anchor, negatives[i]), DISTANCE(positives[i], negatives[i]))
            else:
                far = DISTANCE(anchor, negatives[i])
        elif NEGATIVE == "the nearest negative":
            far = DISTANCE(anchor, negatives[0])
            for j in range(1, negatives.shape[0]):
                far = wp.min(far, DISTANCE(anchor, negatives[j]))
        if NEGATIVE == "all negatives, averaged":
            total = float(0.0)
            for j in range(negatives.shape[0]):
                far = DISTANCE(anchor, negatives[j])
                if SHAPE == "with a margin":
                    total += wp.max(near - far + MARGIN, 0.0)
                elif SHAPE == "with a softplus":
                    total += wp.log(1.0 + wp.exp(near - far))
                else:
                    total += near / (near + far + 1.0e-4)
            loss[i] = total / float(negatives.shape[0])
        elif SHAPE == "with a margin":
            loss[i] = wp.max(near - far + MARGIN, 0.0)
        elif SHAPE == "with a softplus":
            loss[i] = wp.log(1.0 + wp.exp(near - far))
        else:
            # small where the positive is much nearer than the negative
            loss[i] = near / (near + far + 1.0e-4)


@idiom(
    level=4,
    names={
        "a b": "a b | views_a views_b | images texts | z1 z2",
        "labels": "labels classes class_of",
        "total": "total denominator z",
        "i j": "i j | row col | anchor other",
        "kernel": "contrast_pairs contrastive_kernel batch_contrast",
    },
)
def contrastive_loss(c):
    """The {KIND} loss of each {ROW}, by {SIMILARITY} over a temperature, with {PARTNERS}.

    Compute the {KIND} loss of each {ROW}. The similarity s of vector i in {a} and {PARTNER} is {AFFINITY},
    divided by the temperature {TEMPERATURE}. {POSITIVE} {FORMULA} Write it to {loss}.
    """
    FIXED = c.style(True, False)
    n = c.size(4, 5) if FIXED else c.size(5, 9)
    Vec = c.vec(c.style(3, 4))
    FORM = c.meaning("softmax", "pairwise sigmoid", "margin")
    PARTNERS = c.meaning("its match as the positive", "its class as the positives")
    CLASSES = PARTNERS == "its class as the positives"
    ONE_SET = c.meaning(False, True) if CLASSES else False
    HARD = c.meaning(False, True) if FORM == "softmax" else False
    ROW = "vector among its batch" if ONE_SET else "vector against a second batch"
    KIND = {"softmax": "InfoNCE", "pairwise sigmoid": "mean sigmoid", "margin": "mean contrastive margin"}[
        FORM
    ]
    KIND = "decoupled InfoNCE" if HARD else KIND
    if ONE_SET:
        c.names({"a": "a embeddings features z"})
    elif CLASSES:
        c.names({"a b": "a b | views_a views_b | queries keys | z1 z2"})
    # each sample meets all others, so a mask of what comes of it comes too late
    c.once("mask of samples")

    def affinity(u: Vec, v: Vec) -> float:
        """the dot product."""
        return wp.dot(u, v)

    def cosine(u: Vec, v: Vec) -> float:
        """the cosine."""
        return wp.dot(wp.normalize(u), wp.normalize(v))

    def closeness(u: Vec, v: Vec) -> float:
        """the negative squared distance."""
        return -wp.length_sq(u - v)

    SIMILARITY = c.meaning(affinity, cosine, closeness)
    NEGATIVE = SIMILARITY is closeness
    TEMPERATURE = c.constant(0.3, 0.8)
    OFFSET = MARGIN = c.constant(2.0, 4.0) if NEGATIVE else c.constant(0.2, 0.6)
    PARTNER = "another vector j of {a}, j ≠ i," if ONE_SET else "vector j in {b}"
    AFFINITY = {
        affinity: "their dot product",
        cosine: "their cosine (0 if one of them is zero)",
        closeness: "minus their squared distance",
    }[SIMILARITY]
    POSITIVE = (
        "j is a positive if it has the same class as i in {labels}, and a negative otherwise."
        if CLASSES
        else "j = i is the positive, and all other j are negatives."
    )
    S_LESS = "s + " if NEGATIVE else "s - "
    OVER = "all j but i" if ONE_SET else "all j"
    if FORM == "softmax":
        MEAN = "the mean of s over the positives" if CLASSES else "s of the positive"
        SUM = "ln of the sum of exp(s) over {OVER}"
        if HARD:
            SUM = "ln of the sum of exp(s) over the negatives"
            if CLASSES:
                SUM = "ln of 0.001 plus the sum of exp(s) over the negatives"
        FORMULA = "The loss is {SUM}, less {MEAN}."
        if ONE_SET:
            FORMULA = "The loss is {SUM}, less {MEAN}; it is 0 if i has no positives."
    elif FORM == "pairwise sigmoid":
        FORMULA = (
            "The loss is the mean of ln(1 + exp(-y)) over {OVER}, where y is {S_LESS}{OFFSET} for "
            "positives and -({S_LESS}{OFFSET}) for "
        )
        FORMULA += "negatives."
    else:
        FORMULA = (
            "The loss is the mean over {OVER} of -s for positives and max({S_LESS}{MARGIN}, 0) for negatives."
        )

    @c.kernel(n)
    def kernel(
        a: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        b: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        labels: wp.array[int] = input(n, low=0, high=2),
        loss: wp.array[float] = output(n, of="loss"),
    ):
        i = wp.tid()
        if FORM == "softmax":
            if HARD and CLASSES:
                # a little above zero, as a batch of one class has no negatives
                total = float(1.0e-3)
            else:
                total = float(0.0)
            if CLASSES or HARD:
                matched = float(0.0)
            if CLASSES:
                partners = int(0)
            for j in range(n if FIXED else a.shape[0]):
                if ONE_SET:
                    # a vector is no partner of its own
                    if j == i:
                        continue
                s = SIMILARITY(a[i], a[j] if ONE_SET else b[j]) / TEMPERATURE
                if CLASSES:
                    if labels[j] == labels[i]:
                        matched += s
                        partners += 1
                    elif HARD:
                        total += wp.exp(s)
                    if not HARD:
                        total += wp.exp(s)
                elif HARD:
                    if j == i:
                        matched = s
                    else:
                        total += wp.exp(s)
                else:
                    total += wp.exp(s)
            if ONE_SET:
                # a vector alone in its class has no loss
                loss[i] = wp.where(partners > 0, wp.log(total) - matched / float(wp.max(partners, 1)), 0.0)
            elif CLASSES:
                loss[i] = wp.log(total) - matched / float(partners)
            elif HARD:
                loss[i] = wp.log(total) - matched
            else:
                loss[i] = wp.log(total) - SIMILARITY(a[i], b[i]) / TEMPERATURE
        else:
            cost = float(0.0)
            for j in range(n if FIXED else a.shape[0]):
                if ONE_SET:
                    if j == i:
                        continue
                s = SIMILARITY(a[i], a[j] if ONE_SET else b[j]) / TEMPERATURE
                together = labels[j] == labels[i] if CLASSES else j == i
                if FORM == "pairwise sigmoid":
                    # zero is the border between what belongs together and what does not
                    z = s + OFFSET if NEGATIVE else s - OFFSET
                    if not together:
                        z = -z
                    cost += wp.log(1.0 + wp.exp(-z))
                elif together:
                    cost -= s
                else:
                    cost += wp.max(s + MARGIN if NEGATIVE else s - MARGIN, 0.0)
            if ONE_SET:
                loss[i] = cost / float(n - 1 if FIXED else a.shape[0] - 1)
            else:
                loss[i] = cost / float(n if FIXED else a.shape[0])
