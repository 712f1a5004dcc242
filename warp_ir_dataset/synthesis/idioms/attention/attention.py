"""Attention: scores, their softmax and other weights, positions, and weighted sums of values."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    differentiable=False,
    names={
        "x": "scores logits energies",
        "out": "out reduced row_scores",
        "total": "total exp_sum z",
        "peak": "peak largest top",
        "lengths": "lengths row_lengths valid_counts",
        "count": "count length",
        "row k": "row k | row col | i j | query key",
        "weights": "weights prior",
        "kernel": "logsumexp reduce_rows row_lse",
    },
)
def log_sum_exp(c):
    """The {WANTED} of each row of scores{PART}{HOW}.

    Find {RESULT} for each row of {x}{OVER}. {STABLE} {out} has an entry for each row.
    """
    n = c.size()
    width = c.size(4, 8)
    PART = c.meaning("", " up to the row's length", " up to the diagonal")
    HOW = c.meaning(", shifted by its maximum", ", in one pass")
    WANTED = c.meaning(
        "log-sum-exp",
        "log-sum-exp at a temperature",
        "log of the weighted sum of exponentials",
        "log-mean-exp",
    )
    WARM, WEIGHTED = WANTED.endswith("temperature"), "weighted" in WANTED
    MEAN = WANTED == "log-mean-exp"
    if WANTED != "log-sum-exp":
        c.names({"kernel": "reduce_rows log_of_exponentials"})
    TEMPERATURE = c.constant(0.5, 4.0)
    TERM = "exp({x} / {TEMPERATURE})" if WARM else "exp({x})"
    RESULT = "the logarithm of the sum of {TERM}"
    if WARM:
        RESULT = "{TEMPERATURE} times the logarithm of the sum of {TERM}"
    elif WEIGHTED:
        RESULT = "the logarithm of the sum of {TERM}, each column weighted by its entry of {weights},"
    elif MEAN:
        RESULT = "the logarithm of the mean of {TERM}"
    OVER = {
        "": "",
        " up to the row's length": ", over its first entries only, whose number is in {lengths}",
        " up to the diagonal": (
            ", over the entries up to the diagonal only: row r has its first r + 1, as far as there are any"
        ),
    }[PART]
    STABLE = (
        "Shift the exponents by the largest score of the row, which is found first, so that none of them "
        "overflows."
    )
    if HOW == ", in one pass":
        STABLE = (
            "Go through each row only once: keep a running maximum, which starts at -1e30, and rescale "
            "the sum whenever "
            "it rises, so that no exponential overflows."
        )

    @c.kernel(n)
    def kernel(
        x: wp.array2d[float] = input(n, width, low=-10.0, high=10.0),
        lengths: wp.array[int] = input(n, low=1, high=width),
        weights: wp.array[float] = input(width, low=0.2, high=2.0),
        out: wp.array[float] = output(n, of="score"),
    ):
        row = wp.tid()
        if PART == " up to the row's length":
            count = lengths[row]
        elif PART == " up to the diagonal":
            count = wp.min(row + 1, x.shape[1])
        else:
            count = x.shape[1]
        if HOW == ", in one pass":
            peak = float(-1.0e30)
            total = float(0.0)
            for k in range(count):
                if WARM:
                    score = x[row, k] / TEMPERATURE
                else:
                    score = x[row, k]
                # a new peak rescales what was summed under the old one
                if score > peak:
                    total *= wp.exp(peak - score)
                    peak = score
                if WEIGHTED:
                    total += weights[k] * wp.exp(score - peak)
                else:
                    total += wp.exp(score - peak)
        else:
            peak = x[row, 0]
            for k in range(1, count):
                peak = wp.max(peak, x[row, k])
            # shifted by {peak}, no exponential overflows
            total = float(0.0)
            for k in range(count):
                if WARM:
                    total += wp.exp((x[row, k] - peak) / TEMPERATURE)
                elif WEIGHTED:
                    total += weights[k] * wp.exp(x[row, k] - peak)
                else:
                    total += wp.exp(x[row, k] - peak)
        if WARM:
            if HOW == ", in one pass":
                out[row] = TEMPERATURE * (peak + wp.log(total))
            else:
                out[row] = peak + TEMPERATURE * wp.log(total)
        elif MEAN:
            out[row] = peak + wp.log(total / float(count))
        else:
            out[row] = peak + wp.log(total)


@idiom(
    level=3,
    differentiable=False,
    names={
        "x": "scores logits energies",
        "y": "probs weights attn out",
        "total": "total denominator z",
        "peak": "peak row_max largest",
        "count": "count length n_keys",
        "row k": "row k | row col | i j | query key",
        "kernel": "normalize_scores softmax_kernel attention_weights",
    },
)
def softmax_rows(c):
    """The {KIND} of each row of {NAMED}{PART}{BEYOND}{PLACED}.

    Turn each row of {x} into {WEIGHTS}{OVER}. With s for an entry{OF}, the result is
    {FORMULA}{SUMS}{SHIFTED}. {STORE}
    """
    n = c.size(5, 9)
    KIND = c.meaning("softmax", "log-softmax", "softmax with a zero sink", "softmin", "normalized ReLU")
    PART = c.meaning("", " up to the diagonal", " up to its length")
    SQUARE = c.style(True, False)
    # where columns are fewer than rows, a diagonal ends in the last column
    width = n if SQUARE else c.size(3, 4) if PART == " up to the diagonal" else c.size(5, 9)
    IN_PLACE, SCALED = c.meaning(False, True), c.meaning(False, True)
    NAMED = "scaled scores" if SCALED and KIND != "normalized ReLU" else "scores"
    PLACED = ", in place" if IN_PLACE else ""
    LOG = KIND == "log-softmax"
    BEYOND = "" if PART == "" else f", and {-100 if LOG else 'zero'} beyond"
    BETA = c.constant(0.2, 0.9)
    if KIND != "softmax":
        c.names({"kernel": "normalize_scores normalize_rows"})
    if LOG:
        c.names({"y": "log_probs out", "p": "log_p log_share"})
    elif KIND == "softmin":
        # what the scores are shifted by is their least
        c.names({"peak": "least row_min lowest"})

    def share(x: float, peak: float) -> float:
        """a score's part of its row, before division."""
        if KIND == "softmin":
            return wp.exp(BETA * (peak - x)) if SCALED else wp.exp(peak - x)
        else:
            return wp.exp(BETA * (x - peak)) if SCALED else wp.exp(x - peak)

    WEIGHTS = {
        "softmax": "attention weights by a softmax",
        "log-softmax": "the logarithms of its softmax",
        "softmax with a zero sink": (
            "attention weights by a softmax with a zero sink, one more score of 0 that nobody reads"
        ),
        "softmin": "weights by a softmin",
        "normalized ReLU": "weights by a normalized ReLU",
    }[KIND]
    OVER = {
        "": "",
        " up to the diagonal": (
            ", over the entries up to the diagonal: row r has its first r + 1, as far as there are any"
        ),
        " up to its length": ", over its first entries, whose number is in {lengths}",
    }[PART]
    OF = ""
    if NAMED == "scaled scores":
        OF = " times {BETA}"
    FORMULA = {
        "softmax": "exp(s) divided by the sum of exp(s)",
        "log-softmax": "s minus the logarithm of the sum of exp(s)",
        "softmax with a zero sink": "exp(s) divided by 1 plus the sum of exp(s)",
        "softmin": "exp(-s) divided by the sum of exp(-s)",
        "normalized ReLU": "max(s, 0) divided by 0.0001 plus the sum of max(s, 0)",
    }[KIND]
    SUMS = " over these entries" if PART else " over the row"
    SHIFTED = ""
    if KIND != "normalized ReLU":
        SHIFTED = "; shift the exponents so that the largest of them is 0 and none overflows"
    STORE = "Overwrite {x} with the results" if IN_PLACE else "Store the results in {y}"
    if PART:
        STORE += ", and set the entries beyond to -100." if LOG else ", and set the entries beyond to 0."
    else:
        STORE += "."

    @c.kernel(n)
    def kernel(
        lengths: wp.array[int] = input(n, low=1, high=width),
        x: wp.array2d[float] = inout(n, width, low=-4.0, high=4.0)
        if IN_PLACE
        else input(n, width, low=-4.0, high=4.0),
        y: wp.array2d[float] = output(n, width),
    ):
        row = wp.tid()
        if PART == " up to the diagonal":
            count = row + 1 if SQUARE else wp.min(row + 1, x.shape[1])
        elif PART == " up to its length":
            count = lengths[row]
        else:
            count = x.shape[1]
        if KIND == "normalized ReLU":
            # a row may have no score above zero
            total = float(1.0e-4)
            for k in range(count):
                total += wp.max(x[row, k], 0.0)
        else:
            if KIND == "softmax with a zero sink":
                # attending to nothing has a score of zero
                peak = float(0.0)
            else:
                peak = x[row, 0]
            for k in range(count) if KIND == "softmax with a zero sink" else range(1, count):
                peak = wp.min(peak, x[row, k]) if KIND == "softmin" else wp.max(peak, x[row, k])
            total = share(0.0, peak) if KIND == "softmax with a zero sink" else float(0.0)
            for k in range(count):
                total += share(x[row, k], peak)
        if KIND == "log-softmax":
            shift = BETA * peak + wp.log(total) if SCALED else peak + wp.log(total)
        for k in range(count):
            if KIND == "normalized ReLU":
                p = wp.max(x[row, k], 0.0) / total
            elif KIND == "log-softmax":
                p = BETA * x[row, k] - shift if SCALED else x[row, k] - shift
            else:
                p = share(x[row, k], peak) / total
            if IN_PLACE:
                x[row, k] = p
            else:
                y[row, k] = p
        if PART != "":
            for k in range(count, x.shape[1]):
                if IN_PLACE:
                    x[row, k] = -100.0 if LOG else 0.0
                else:
                    y[row, k] = -100.0 if LOG else 0.0


@idiom(
    level=2,
    differentiable=False,
    names={
        "q": "q queries query",
        "k": "k keys key",
        "out": "scores out logits",
        "i j": "i j | row col | query_index key_index",
        "d": "d c channel",
        "kernel": "score_kernel compute_scores qk_scores",
    },
)
def attention_scores(c):
    """The score of each query for each key by {LIKENESS}{MASK}.

    Score each query, a row of {q}, for each key, a row of {k}, by {LIKENESS}: `{out}[i, j]` is {FORMULA},
    where a is query i and b is key j. {UNSEEN}
    """
    n, m, width = c.size(5, 8), c.size(5, 8), c.size(4, 8)
    MASK = c.meaning("", ", with -100 for later keys", ", with -100 for padded keys")
    SCALE, CAP = c.constant(0.2, 0.8), c.constant(1.0, 3.0)

    def scaled_dot(q: wp.array2d[float], k: wp.array2d[float], i: int, j: int) -> float:
        """Large where both point the same way."""
        total = float(0.0)
        for d in range(q.shape[1]):
            total += q[i, d] * k[j, d]
        return SCALE * total

    def width_scaled_dot(q: wp.array2d[float], k: wp.array2d[float], i: int, j: int) -> float:
        """Divided by the root of the width, with which its spread grows."""
        total = float(0.0)
        for d in range(q.shape[1]):
            total += q[i, d] * k[j, d]
        return total / wp.sqrt(float(q.shape[1]))

    def cosine(q: wp.array2d[float], k: wp.array2d[float], i: int, j: int) -> float:
        """From -1 for opposite directions to 1 for the same one."""
        qk = float(0.0)
        qq = float(0.0)
        kk = float(0.0)
        for d in range(q.shape[1]):
            qk += q[i, d] * k[j, d]
            qq += q[i, d] * q[i, d]
            kk += k[j, d] * k[j, d]
        return qk / wp.sqrt(qq * kk + 1.0e-6)

    def minus_squared_distance(q: wp.array2d[float], k: wp.array2d[float], i: int, j: int) -> float:
        """The log of a Gaussian kernel."""
        square = float(0.0)
        for d in range(q.shape[1]):
            gap = q[i, d] - k[j, d]
            square += gap * gap
        return -0.5 * SCALE * square

    def minus_city_block(q: wp.array2d[float], k: wp.array2d[float], i: int, j: int) -> float:
        """The log of a Laplacian kernel."""
        distance = float(0.0)
        for d in range(q.shape[1]):
            distance += wp.abs(q[i, d] - k[j, d])
        return -SCALE * distance

    def additive(
        q: wp.array2d[float], k: wp.array2d[float], weights: wp.array[float], i: int, j: int
    ) -> float:
        """The score of a network with one hidden layer."""
        total = float(0.0)
        for d in range(q.shape[1]):
            total += weights[d] * wp.tanh(q[i, d] + k[j, d])
        return total

    def capped_dot(q: wp.array2d[float], k: wp.array2d[float], i: int, j: int) -> float:
        """Levels off at the cap on both sides."""
        total = float(0.0)
        for d in range(q.shape[1]):
            total += q[i, d] * k[j, d]
        return CAP * wp.tanh(SCALE * total / CAP)

    SCORES = {
        scaled_dot: "the scaled dot product",
        cosine: "the cosine of their angle",
        minus_squared_distance: "the negative scaled squared distance",
        additive: "a weighted sum over the tanh of both together",
        width_scaled_dot: "the dot product over the root of the width",
        minus_city_block: "the negative scaled city-block distance",
        capped_dot: "the scaled dot product, softly capped",
    }
    FORM = c.meaning(*SCORES)
    LIKENESS = SCORES[FORM]
    ADDITIVE = FORM is additive

    c.once("mask of scores", MASK)
    c.once("cap of scores", FORM is capped_dot)
    c.once("scale of scores", FORM not in (cosine, additive))
    FORMULA = {
        scaled_dot: "{SCALE}·(a·b)",
        cosine: "a·b / √(|a|²·|b|² + 1e-6)",
        minus_squared_distance: "-½·{SCALE}·|a - b|²",
        additive: "the sum over the columns of {weights}·tanh(a + b)",
        width_scaled_dot: "a·b / √w for w columns",
        minus_city_block: "-{SCALE} times the sum of |a - b| over the columns",
        capped_dot: "{CAP}·tanh({SCALE}·(a·b) / {CAP})",
    }[FORM]
    UNSEEN = {
        "": "",
        ", with -100 for later keys": "Keys after the query, with j > i, get -100 instead.",
        ", with -100 for padded keys": "Keys with `{padded}[j]` equal to 1 are padding and get -100 instead.",
    }[MASK]

    @c.kernel(n, m)
    def kernel(
        q: wp.array2d[float] = input(n, width, low=-1.5, high=1.5),
        k: wp.array2d[float] = input(m, width, low=-1.5, high=1.5),
        weights: wp.array[float] = input(width, low=-1.0, high=1.0),
        padded: wp.array[int] = input(m, low=0, high=1),
        out: wp.array2d[float] = output(n, m, of="score"),
    ):
        i, j = wp.tid()
        if MASK == ", with -100 for later keys":
            # a later key must not be seen
            if j > i:
                out[i, j] = -100.0
                return
        elif MASK != "":
            if padded[j] == 1:
                out[i, j] = -100.0
                return
        out[i, j] = FORM(q, k, weights, i, j) if ADDITIVE else FORM(q, k, i, j)


@idiom(
    level=3,
    names={
        "weights": "weights probs attn",
        "v": "v values value",
        "out": "out context y",
        "context": "context mixed pooled",
        "most": "most largest heaviest",
        "skipped": "skipped padded masked",
        "i d": "i d | row channel | query feature",
        "j": "j key source",
        "kernel": "mix_values attend apply_attention",
    },
)
def attended_values(c):
    """Each query's {MIX}{KEYS}{AFTER}.

    {PURPOSE} Row i of {weights} holds the weights of query i for all keys, and row j of {v} the value of key
    j. {KEPT} {RESULT} {STORE}
    """
    n, m, width = c.size(5, 8), c.size(5, 8), c.size(4, 6)
    MIX = c.meaning(
        "weighted sum of the values",
        "weighted mean of the values",
        "value of largest weight",
        "weighted variance of the values",
    )
    MEAN, VARIANCE = MIX.startswith("weighted mean"), MIX.startswith("weighted variance")
    HARD = MIX == "value of largest weight"
    MASKED = " among those not masked" if HARD else " that are not masked"
    KEYS = c.meaning("", MASKED, " up to its own position")
    AFTER = c.meaning("", ", added to what is there", ", times a sigmoid gate")
    if VARIANCE:
        c.names({"context": "mean mu average", "kernel": "attended_variance value_spread"})
    elif HARD:
        c.names({"context": "picked chosen context", "kernel": "attended_values attend hard_attention"})
    target = inout(n, width, low=-1.0, high=1.0) if AFTER.startswith(", added") else output(n, width)
    PURPOSE = "Gather the values that each query attends to."
    KEPT = {
        "": "",
        MASKED: "Keys for which {skipped} is 1 do not count.",
        " up to its own position": "Query i attends to keys 0 to i only, as far as there are any.",
    }[KEYS]
    RESULT = {
        "weighted sum of the values": "In each column, the result is the sum of weight times value.",
        "weighted mean of the values": (
            "In each column, the result is the sum of weight times value, divided by the sum of the "
            "weights plus 1e-6."
        ),
        "value of largest weight": (
            "Attention is hard: the result is the value of the key with the largest weight, of the first "
            "on ties."
        ),
        "weighted variance of the values": (
            "With W for the sum of the weights plus 1e-6, the result in each column is the weighted "
            "variance: the sum of "
            "weight times squared value over W, less the square of the sum of weight times value over W."
        ),
    }[MIX]
    if HARD and KEYS == MASKED:
        RESULT += " Without any key, it is 0."
    STORE = {
        "": "{out} gets the results.",
        ", added to what is there": "Add the results to {out}.",
        ", times a sigmoid gate": "{out} gets the results times 1 / (1 + exp(-{gate})).",
    }[AFTER]

    @c.kernel(n, width)
    def kernel(
        weights: wp.array2d[float] = input(n, m, low=0.02, high=1.0),
        v: wp.array2d[float] = input(m, width, low=-2.0, high=2.0),
        skipped: wp.array[int] = input(m, low=0, high=1),
        gate: wp.array2d[float] = input(n, width, low=-3.0, high=3.0),
        out: wp.array2d[float] = target,
    ):
        i, d = wp.tid()
        context = float(0.0)
        if MEAN or VARIANCE:
            if KEYS == MASKED:
                total = float(1.0e-6)  # all keys may be skipped
            else:
                total = float(1.0e-6)  # all weights may be zero
        if VARIANCE:
            square = float(0.0)
        if HARD:
            most = float(0.0)
        for j in range(wp.min(i + 1, v.shape[0]) if KEYS == " up to its own position" else v.shape[0]):
            if KEYS == MASKED:
                if skipped[j] == 1:
                    continue
            if HARD:
                if weights[i, j] > most:
                    most = weights[i, j]
                    context = v[j, d]
            elif not MEAN and not VARIANCE:
                context += weights[i, j] * v[j, d]
            else:
                w = weights[i, j]
                context += w * v[j, d]
                total += w
                if VARIANCE:
                    square += w * v[j, d] * v[j, d]
        if MEAN or VARIANCE:
            context /= total
        if VARIANCE:
            variance = square / total - context * context
        if AFTER == ", added to what is there":
            out[i, d] += variance if VARIANCE else context
        elif AFTER == ", times a sigmoid gate":
            out[i, d] = (variance if VARIANCE else context) / (1.0 + wp.exp(-gate[i, d]))
        else:
            out[i, d] = variance if VARIANCE else context
