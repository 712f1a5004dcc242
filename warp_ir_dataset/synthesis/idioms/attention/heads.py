"""Whole heads of attention, and memories in their place."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=4,
    differentiable=False,
    names={
        "q": "q queries query",
        "k": "k keys key",
        "v": "v values value",
        "state": "state memory kv",
        "norm": "norm key_sum z",
        "out": "out context y",
        "phi": "phi feature feature_map",
        "kernel": "linear_attention_step recurrent_step update_memory",
        "head d e": "head d e | h a b | h row col",
    },
)
def linear_attention(c):
    """One recurrent step of linear attention over {FEATURES} with {MEMORY}{ORDER}{READ}.

    Do one recurrent step of linear attention for each head, with {MEMORY}. The memory of head h is S =
    `{state}[h]`, with a row for each feature and a column for each channel of the values. The features F of a
    query or key are taken of each of its entries x: {FORMULA}.{SUMS}

    {WRITE} {ANSWER} Each head reads {WHEN} it writes.
    """
    heads, width, depth = c.size(5, 8), c.size(4, 5), c.size(3, 5)
    MEMORY = c.meaning("an additive memory", "a decaying memory", "a normalized delta rule", "a gated memory")
    DELTA, DECAYING, GATED = MEMORY == "a normalized delta rule", "decaying" in MEMORY, "gated" in MEMORY
    READ = "" if DELTA else c.meaning("", ", and normalized")
    FIRST = c.meaning(False, True)
    ORDER = ", read before the write" if FIRST else ", read after the write"
    RATE = c.constant(0.2, 0.9)

    def elu_plus_one(x: float) -> float:
        """Positive, and linear above zero."""
        return x + 1.0 if x > 0.0 else wp.exp(x)

    def shifted_relu(x: float) -> float:
        """Never quite zero, so that sums of it can be divided by."""
        return wp.max(x, 0.0) + 0.01

    def taylor(x: float) -> float:
        """The exponential to second order, which has no zero either."""
        return 1.0 + x + 0.5 * x * x

    def squared_relu(x: float) -> float:
        """Never quite zero, so that sums of it can be divided by."""
        rise = wp.max(x, 0.0)
        return rise * rise + 0.01

    KINDS = {
        elu_plus_one: "ELU + 1 features",
        shifted_relu: "shifted ReLU features",
        taylor: "second-order Taylor features",
        squared_relu: "shifted squared ReLU features",
    }
    phi = c.meaning(*KINDS)
    FEATURES = KINDS[phi]
    FORMULA = {
        elu_plus_one: "x + 1 if x > 0 and exp(x) otherwise",
        shifted_relu: "max(x, 0) + 0.01",
        taylor: "1 + x + ½·x²",
        squared_relu: "max(x, 0)² + 0.01",
    }[phi]
    SUMS = " {norm} accumulates the features of the keys alone." if READ else ""
    WRITE = "Write: add the outer product of F({k}) and {v} to S"
    ALONE = ", and F({k}) to {norm}"
    if DELTA:
        WRITE = (
            "Write: add the outer product of F({k}) and {RATE}·({v} - Sᵀ·F({k})) / |F({k})|² to S, so "
            "that it learns only the part of the value that it does not hold under this key yet"
        )
    elif DECAYING:
        WRITE = "Write: multiply S by the head's {decay} and add the outer product of F({k}) and {v} to it"
        ALONE = "; treat {norm} likewise, adding F({k})"
    elif GATED:
        WRITE = (
            "Write: with the gate c = `{gates}[h, d]`, row d of S becomes c times itself plus (1 - "
            "c)·F(entry d of {k})·{v}"
        )
        ALONE = "; entry d of {norm} likewise, without {v}"
    WRITE += ALONE + "." if READ else "."
    ANSWER = "Read: {out} gets Sᵀ·F({q})."
    if READ:
        ANSWER = "Read: {out} gets Sᵀ·F({q}), divided by the dot product of F({q}) and {norm}."
    WHEN = "before" if FIRST else "after"

    @c.kernel(heads)
    def kernel(
        q: wp.array2d[float] = input(heads, width, low=-1.0, high=1.5),
        k: wp.array2d[float] = input(heads, width, low=-1.0, high=1.5),
        v: wp.array2d[float] = input(heads, depth, low=-2.0, high=2.0),
        decay: wp.array[float] = input(heads, low=0.3, high=0.95),
        gates: wp.array2d[float] = input(heads, width, low=0.2, high=0.95),
        state: wp.array3d[float] = inout(heads, width, depth, low=-1.0, high=1.0),
        norm: wp.array2d[float] = inout(heads, width, low=0.5, high=2.0),
        out: wp.array2d[float] = output(heads, depth),
    ):
        head = wp.tid()
        width = k.shape[1]
        if READ != "":
            total = float(0.0)
            for d in range(width):
                if FIRST:
                    total += phi(q[head, d]) * norm[head, d]
                if DECAYING:
                    norm[head, d] = decay[head] * norm[head, d] + phi(k[head, d])
                elif GATED:
                    norm[head, d] = wp.lerp(phi(k[head, d]), norm[head, d], gates[head, d])
                else:
                    norm[head, d] += phi(k[head, d])
                if not FIRST:
                    total += phi(q[head, d]) * norm[head, d]
        if DELTA:
            square = float(0.0)
            for d in range(width):
                square += phi(k[head, d]) * phi(k[head, d])
        for e in range(v.shape[1]):
            value = v[head, e]
            if DELTA:
                # what the memory says of this key already is not written again
                known = float(0.0)
                for d in range(width):
                    known += phi(k[head, d]) * state[head, d, e]
                value = RATE * (value - known) / square
            answer = float(0.0)
            for d in range(width):
                if FIRST:
                    answer += phi(q[head, d]) * state[head, d, e]
                if DECAYING:
                    state[head, d, e] = decay[head] * state[head, d, e] + phi(k[head, d]) * value
                elif GATED:
                    # what a gate lets go makes room for what is written
                    gate = gates[head, d]
                    state[head, d, e] = gate * state[head, d, e] + (1.0 - gate) * phi(k[head, d]) * value
                else:
                    state[head, d, e] += phi(k[head, d]) * value
                if not FIRST:
                    answer += phi(q[head, d]) * state[head, d, e]
            out[head, e] = answer / total if READ != "" else answer


@idiom(
    level=5,
    differentiable=False,
    names={
        "q": "q queries query",
        "k": "k keys key",
        "v": "v values value",
        "out": "out context y",
        "head i": "head i | h row | h query",
        "j": "j key token",
        "peak": "peak row_max running_max",
        "total": "total denominator normalizer",
        "kernel": "attention_forward attention_heads attend",
    },
)
def attention_head(c):
    """Attention of each head's queries over {KEYS} {FORM}{PASSES}{ALSO}.

    Compute attention for each head. Query i of head h is `{q}[h, i]`; {SHARING}. {SIGHT} The score of query a
    for key b is {FORMULA}. Its weights are the softmax of its scores over these keys, and {out} gets the sum
    of the values times the weights.

    {WAY} {REPORT}
    """
    heads, n, m = c.size(2, 4), c.size(4, 6), c.size(4, 6)
    Vec = c.vec(c.style(3, 4))
    SEEN = c.meaning("all", "causal", "window", "padded")
    ONLINE, SHARED = c.meaning(True, False), c.meaning(False, True)
    FORMS = (
        "by dot product",
        "by cosine",
        "by capped product",
        "by dot product less a slope times the distance",
    )
    FORM = c.meaning(*FORMS) if ONLINE else c.meaning(*FORMS[:3])
    ALSO = c.meaning("", ", and its log-sum-exp") if ONLINE else c.meaning("", ", and its weights")
    REACH = c.count(1, 2)
    KEYS = "shared keys" if SHARED else "their own keys"
    KEYS += {
        "all": "",
        "causal": " up to each query",
        "window": f" at most {REACH} away",
        "padded": " up to the head's length",
    }[SEEN]
    # the weights are stored by one more
    PASSES = ", in one pass" if ONLINE else ", in three passes" if ALSO else ", in two passes"
    SCALE, CAP = c.constant(0.3, 0.9), c.constant(1.0, 3.0)
    TEMPERATURE = c.constant(0.2, 0.9)
    if SEEN == "window":
        # each query has a key at its own place
        m = n
    shape = (m,) if SHARED else (heads, m)

    def score(query: Vec, key: Vec) -> float:
        """how well a key fits a query."""
        if FORM == "by cosine":
            return wp.dot(query, key) / (TEMPERATURE * wp.length(query) * wp.length(key) + 1.0e-6)
        elif FORM == "by capped product":
            return CAP * wp.tanh(wp.dot(query, key) / CAP)
        else:
            return SCALE * wp.dot(query, key)

    SHARING = "its keys and values are rows `{k}[h]` and `{v}[h]`"
    if SHARED:
        SHARING = "all heads share the keys {k} and the values {v}"
    SIGHT = {
        "all": "Each query sees all keys.",
        "causal": "The query sees keys 0 to i only, as far as there are any.",
        "window": "The query sees only keys j with |i - j| ≤ {REACH}.",
        "padded": "The query sees only the first keys, whose number for the head is in {lengths}.",
    }[SEEN]
    FORMULA = {
        "by dot product": "{SCALE}·(a·b)",
        "by cosine": "a·b / ({TEMPERATURE}·|a|·|b| + 1e-6)",
        "by capped product": "{CAP}·tanh(a·b / {CAP})",
        "by dot product less a slope times the distance": (
            "{SCALE}·(a·b) - `{slopes}[h]`·|i - j|, j being its index"
        ),
    }[FORM]
    WAY = (
        "Go over the keys only once, as in online softmax: keep a running maximum of the scores, which "
        "starts at -1e30, "
        "and rescale the sums whenever it rises."
    )
    REPORT = "{lse} gets the logarithm of the sum of exp(score) of each query." if ALSO else ""
    if not ONLINE:
        WAY = "Find the largest score first, from -1e30 on, and shift the exponents by it in a second pass."
        if ALSO:
            REPORT = "{weights} gets the weights, in a third one; the weights of keys out of sight are 0."
            if SEEN == "all":
                REPORT = "{weights} gets the weights, in a third one."

    @c.kernel(heads, n)
    def kernel(
        q: wp.array2d[Vec] = input(heads, n, low=-1.5, high=1.5),
        k: (wp.array[Vec] if SHARED else wp.array2d[Vec]) = input(*shape, low=-1.5, high=1.5),
        v: (wp.array[Vec] if SHARED else wp.array2d[Vec]) = input(*shape, low=-2.0, high=2.0),
        slopes: wp.array[float] = input(heads, low=0.1, high=0.8),
        lengths: wp.array[int] = input(heads, low=1, high=m),
        weights: wp.array3d[float] = output(heads, n, m),
        out: wp.array2d[Vec] = output(heads, n),
        lse: wp.array2d[float] = output(heads, n),
    ):
        head, i = wp.tid()
        query = q[head, i]
        if SEEN == "padded":
            stop = lengths[head]
        elif SEEN == "causal":
            stop = wp.min(i + 1, k.shape[0] if SHARED else k.shape[1])
        elif SEEN == "window":
            first = wp.max(i - REACH, 0)
            stop = wp.min(i + (REACH + 1), k.shape[0] if SHARED else k.shape[1])
        else:
            stop = k.shape[0] if SHARED else k.shape[1]
        peak = float(-1.0e30)
        total = float(0.0)
        mixed = Vec(0.0)
        for j in range(first, stop) if SEEN == "window" else range(stop):
            s = score(query, k[j] if SHARED else k[head, j])
            if FORM.endswith("distance"):
                s -= slopes[head] * float(wp.abs(i - j))
            if ONLINE:
                top = wp.max(peak, s)
                # what was gathered so far is rescaled to the new peak
                shrink = wp.exp(peak - top)
                p = wp.exp(s - top)
                total = shrink * total + p
                mixed = shrink * mixed + p * (v[j] if SHARED else v[head, j])
                peak = top
            else:
                peak = wp.max(peak, s)
        if ONLINE:
            out[head, i] = mixed / total
            if ALSO != "":
                lse[head, i] = peak + wp.log(total)
        else:
            for j in range(first, stop) if SEEN == "window" else range(stop):
                p = wp.exp(score(query, k[j] if SHARED else k[head, j]) - peak)
                total += p
                mixed += p * (v[j] if SHARED else v[head, j])
            out[head, i] = mixed / total
            if ALSO != "":
                if SEEN != "all":
                    # keys out of sight have no weight
                    for j in range(weights.shape[2]):
                        weights[head, i, j] = 0.0
                for j in range(first, stop) if SEEN == "window" else range(stop):
                    weights[head, i, j] = wp.exp(score(query, k[j] if SHARED else k[head, j]) - peak) / total


@idiom(
    level=4,
    differentiable=False,
    names={
        "queries": "queries q q_rows",
        "keys": "keys k k_rows",
        "token head": "token head | i h | row head",
        "q": "q query q_head",
        "out": "out scores logits",
        "kernel": "head_scores score_heads",
    },
)
def head_attention_scores(c):
    """For each token and head, the {WHICH}{LIKENESS} between its query and {WHOM}{BIASED}.

    Score the query of each token and head, `{queries}[token, head]`, against {KEY}. The score of a query a
    for a key b is {FORMULA}{LESS}. {RESULT}{BIAS}
    """
    tokens, heads, size = c.size(5, 7), c.size(2, 3), c.size(3, 4)
    LIKENESS = c.meaning(
        "scaled dot product", "cosine", "negative squared distance", "softplus of the dot product"
    )
    WINDOW = c.count(2, 3)
    BEFORE, FIRST = "the key of the token before", "the key of the first token"
    HERE = f"the keys of itself and up to {WINDOW} tokens before"
    WHICH = c.meaning("", "largest ", "mean ", "only ")
    BEST, MEAN = WHICH == "largest ", WHICH == "mean "
    WHOM = BEFORE if WHICH == "" else FIRST if WHICH == "only " else HERE
    if WHICH == "only ":
        WHICH = ""
    # All tokens but the first have the one before them at the same distance.
    THERE = ", less a share of that with its own key" if WHOM == BEFORE else ", less a penalty on distance"
    BIASED = c.meaning("", THERE, ", plus a bias of the head")
    SLOPE = c.constant(0.05, 0.3)

    def likeness(q: wp.array[float], k: wp.array[float]) -> float:
        """How well the query of a token fits the key of another, or its own."""
        total = float(0.0)
        if LIKENESS == "negative squared distance":
            for d in range(q.shape[0]):
                total -= (q[d] - k[d]) * (q[d] - k[d])
            return total
        elif LIKENESS == "cosine":
            qq = float(0.001)
            kk = float(0.001)
            for d in range(q.shape[0]):
                total += q[d] * k[d]
                qq += q[d] * q[d]
                kk += k[d] * k[d]
            return total / wp.sqrt(qq * kk)
        else:
            for d in range(q.shape[0]):
                total += q[d] * k[d]
            if LIKENESS == "scaled dot product":
                return total / wp.sqrt(float(q.shape[0]))
            else:
                return wp.log(1.0 + wp.exp(total))

    KEY = "the key of the same head at {OTHERS}"
    if WHOM == HERE:
        KEY = "the keys of the same head at {OTHERS}"
    OTHERS = {
        BEFORE: "the token before; the first token takes its own key, `{keys}[0, head]`",
        FIRST: "the first token, `{keys}[0, head]`",
        HERE: "its own token and up to {WINDOW} tokens before it in {keys}",
    }[WHOM]
    FORMULA = {
        "scaled dot product": "a·b / √n for vectors of n entries",
        "cosine": "a·b / √((|a|² + 0.001)·(|b|² + 0.001))",
        "negative squared distance": "-|a - b|²",
        "softplus of the dot product": "log(1 + exp(a·b))",
    }[LIKENESS]
    LESS = ""
    if BIASED == THERE:
        LESS = ", less {SLOPE} times the distance between the tokens"
        if WHOM == BEFORE:
            LESS = ", and {SLOPE} times its score for its own key is subtracted from that"
    RESULT = "Store it in {out}"
    if BEST:
        RESULT = "Store the largest of these, but at least -100, in {out}"
    elif MEAN:
        RESULT = "Store their mean over the tokens that there are in {out}"
    BIAS = ", plus `{biases}[head]`." if BIASED == ", plus a bias of the head" else "."

    @c.kernel(tokens, heads)
    def kernel(
        queries: wp.array3d[float] = input(tokens, heads, size, low=-1.0, high=1.0),
        keys: wp.array3d[float] = input(tokens, heads, size, low=-1.0, high=1.0),
        biases: wp.array[float] = input(heads, low=-0.5, high=0.5),
        out: wp.array2d[float] = output(tokens, heads),
    ):
        token, head = wp.tid()
        q = queries[token, head]
        if WHOM == BEFORE:
            # the first token has none before it and takes its own key
            other = wp.max(token - 1, 0)
            score = likeness(q, keys[other, head])
            if BIASED == THERE:
                score -= SLOPE * likeness(q, keys[token, head])
        elif WHOM == FIRST:
            score = likeness(q, keys[0, head])
            if BIASED == THERE:
                score -= SLOPE * float(token)
        else:
            start = wp.max(token - WINDOW, 0)
            score = float(-100.0) if BEST else float(0.0)
            for other in range(start, token + 1):
                match = likeness(q, keys[other, head])
                if BIASED == THERE:
                    match -= SLOPE * float(token - other)
                if BEST:
                    score = wp.max(score, match)
                else:
                    score += match
            if MEAN:
                score /= float(token + 1 - start)
        if BIASED == ", plus a bias of the head":
            score += biases[head]
        out[token, head] = score
