"""Whole heads of attention, and memories in their place."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=4,
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
    """One recurrent step of linear attention, {MEMORY}, with {phi}{READ}{ORDER}."""
    heads, width, depth = c.size(5, 8), c.size(4, 5), c.size(3, 5)
    MEMORY = c.meaning("summed", "with decay", "by the delta rule", "gated")
    READ = "" if MEMORY == "by the delta rule" else c.meaning("", ", normalized")
    ORDER = c.meaning("", ", reading before it writes")
    RATE = c.constant(0.2, 0.9)

    def elu_plus_one(x: float) -> float:
        """ELU + 1 features"""
        return x + 1.0 if x > 0.0 else wp.exp(x)

    def relu_features(x: float) -> float:
        """shifted ReLU features"""
        return wp.max(x, 0.0) + 0.01

    def exponential(x: float) -> float:
        """exponential features"""
        return wp.exp(x - 1.0)

    def bump(x: float) -> float:
        """shifted squared ReLU features"""
        rise = wp.max(x, 0.0)
        return rise * rise + 0.01

    phi = c.meaning(elu_plus_one, relu_features, exponential, bump)

    @c.kernel(heads)
    def kernel(
        q: wp.array2d[float] = given(heads, width, low=-1.0, high=1.5),
        k: wp.array2d[float] = given(heads, width, low=-1.0, high=1.5),
        v: wp.array2d[float] = given(heads, depth, low=-2.0, high=2.0),
        decay: wp.array[float] = given(heads, low=0.3, high=0.95),
        gates: wp.array2d[float] = given(heads, width, low=0.2, high=0.95),
        state: wp.array3d[float] = updated(heads, width, depth, low=-1.0, high=1.0),
        norm: wp.array2d[float] = updated(heads, width, low=0.5, high=2.0),
        out: wp.array2d[float] = result(heads, depth),
    ):
        head = wp.tid()
        width = k.shape[1]
        if READ != "":
            total = float(0.0)
            for d in range(width):
                if ORDER != "":
                    total += phi(q[head, d]) * norm[head, d]
                if MEMORY == "with decay":
                    norm[head, d] = decay[head] * norm[head, d] + phi(k[head, d])
                elif MEMORY == "gated":
                    norm[head, d] = wp.lerp(phi(k[head, d]), norm[head, d], gates[head, d])
                else:
                    norm[head, d] += phi(k[head, d])
                if ORDER == "":
                    total += phi(q[head, d]) * norm[head, d]
        for e in range(v.shape[1]):
            value = v[head, e]
            if MEMORY == "by the delta rule":
                # what the memory says of this key already is not written again
                known = float(0.0)
                for d in range(width):
                    known += phi(k[head, d]) * state[head, d, e]
                value = RATE * (value - known)
            answer = float(0.0)
            for d in range(width):
                if ORDER != "":
                    answer += phi(q[head, d]) * state[head, d, e]
                if MEMORY == "with decay":
                    state[head, d, e] = decay[head] * state[head, d, e] + phi(k[head, d]) * value
                elif MEMORY == "gated":
                    # what a gate lets go makes room for what is written
                    gate = gates[head, d]
                    state[head, d, e] = gate * state[head, d, e] + (1.0 - gate) * phi(k[head, d]) * value
                else:
                    state[head, d, e] += phi(k[head, d]) * value
                if ORDER == "":
                    answer += phi(q[head, d]) * state[head, d, e]
            out[head, e] = answer / total if READ != "" else answer


@idiom(
    level=5,
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
    """Attention of each head's queries over {KEYS}, {FORM}{PASSES}{ALSO}."""
    heads, n, m = c.size(2, 4), c.size(4, 6), c.size(4, 6)
    Vec = c.vec(c.spelling(3, 4))
    SEEN = c.meaning("all", "causal", "window", "padded")
    ONLINE, SHARED = c.meaning(True, False), c.meaning(False, True)
    FORMS = ("by dot product", "by cosine", "by capped product", "with a linear bias")
    FORM = c.meaning(*FORMS) if ONLINE else c.meaning(*FORMS[:3])
    ALSO = c.meaning("", ", with the log-sum-exp") if ONLINE else c.meaning("", ", with its weights")
    KEYS = "shared keys" if SHARED else "their own keys"
    KEYS += {"all": "", "causal": ", causally", "window": " in a window", "padded": " up to a length"}[SEEN]
    PASSES = ", in one pass" if ONLINE else ""
    REACH, SCALE, CAP = c.count(1, 3), c.constant(0.3, 0.9), c.constant(2.0, 6.0)
    if SEEN == "window":
        # each query has a key at its own place
        m = n
    shape = (m,) if SHARED else (heads, m)

    def score(query: Vec, key: Vec) -> float:
        """how well a key fits a query."""
        if FORM == "by cosine":
            return wp.dot(query, key) / (SCALE * wp.length(query) * wp.length(key) + 1.0e-6)
        elif FORM == "by capped product":
            return CAP * wp.tanh(wp.dot(query, key) / CAP)
        else:
            return SCALE * wp.dot(query, key)

    @c.kernel(heads, n)
    def kernel(
        q: wp.array2d[Vec] = given(heads, n, low=-1.5, high=1.5),
        k: (wp.array[Vec] if SHARED else wp.array2d[Vec]) = given(*shape, low=-1.5, high=1.5),
        v: (wp.array[Vec] if SHARED else wp.array2d[Vec]) = given(*shape, low=-2.0, high=2.0),
        slopes: wp.array[float] = given(heads, low=0.1, high=0.8),
        lengths: wp.array[int] = given(heads, low=1, high=m),
        weights: wp.array3d[float] = result(heads, n, m),
        out: wp.array2d[Vec] = result(heads, n),
        lse: wp.array2d[float] = result(heads, n),
    ):
        head, i = wp.tid()
        query = q[head, i]
        if SEEN == "padded":
            last = lengths[head]
        else:
            last = k.shape[0] if SHARED else k.shape[1]
        if SEEN == "causal":
            last = wp.min(i + 1, last)
        elif SEEN == "window":
            first = wp.max(i - REACH, 0)
            last = wp.min(i + (REACH + 1), last)
        peak = float(-1.0e30)
        total = float(0.0)
        mixed = Vec(0.0)
        for j in range(first, last) if SEEN == "window" else range(last):
            s = score(query, k[j] if SHARED else k[head, j])
            if FORM == "with a linear bias":
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
            for j in range(first, last) if SEEN == "window" else range(last):
                p = wp.exp(score(query, k[j] if SHARED else k[head, j]) - peak)
                total += p
                mixed += p * (v[j] if SHARED else v[head, j])
            out[head, i] = mixed / total
            if ALSO != "":
                if SEEN != "all":
                    # keys out of sight have no weight
                    for j in range(weights.shape[2]):
                        weights[head, i, j] = 0.0
                for j in range(first, last) if SEEN == "window" else range(last):
                    weights[head, i, j] = wp.exp(score(query, k[j] if SHARED else k[head, j]) - peak) / total


@idiom(
    level=4,
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
    """How much each head of a token attends to {WHOM}, by {LIKENESS}{BIASED}."""
    tokens, heads, size = c.size(5, 7), c.size(2, 3), c.size(3, 4)
    LIKENESS = c.meaning(
        "the scaled dot product",
        "the cosine",
        "the negative squared distance",
        "the softplus of the dot product",
    )
    WHOM = c.meaning(
        "the token before it", "the best of its window", "its window on average", "the first token"
    )
    # All tokens but the first have the one before them at the same distance.
    THERE = (
        ", less a share of what it gives itself"
        if WHOM == "the token before it"
        else ", less a distance penalty"
    )
    BIASED = c.meaning("", THERE, ", with a bias for each head")
    WINDOW, SLOPE = c.count(2, 3), c.constant(0.05, 0.3)

    def likeness(q: wp.array[float], k: wp.array[float]) -> float:
        """How alike two heads’ entries are."""
        total = float(0.0)
        if LIKENESS == "the negative squared distance":
            for d in range(q.shape[0]):
                total -= (q[d] - k[d]) * (q[d] - k[d])
            return total
        elif LIKENESS == "the cosine":
            of_q = float(0.001)
            of_k = float(0.001)
            for d in range(q.shape[0]):
                total += q[d] * k[d]
                of_q += q[d] * q[d]
                of_k += k[d] * k[d]
            return total / wp.sqrt(of_q * of_k)
        else:
            for d in range(q.shape[0]):
                total += q[d] * k[d]
            if LIKENESS == "the scaled dot product":
                return total / wp.sqrt(float(q.shape[0]))
            else:
                return wp.log(1.0 + wp.exp(total))

    @c.kernel(tokens, heads)
    def kernel(
        queries: wp.array3d[float] = given(tokens, heads, size, low=-1.0, high=1.0),
        keys: wp.array3d[float] = given(tokens, heads, size, low=-1.0, high=1.0),
        biases: wp.array[float] = given(heads, low=-0.5, high=0.5),
        out: wp.array2d[float] = result(tokens, heads),
    ):
        token, head = wp.tid()
        q = queries[token, head]
        if WHOM == "the token before it":
            other = wp.max(token - 1, 0)
            score = likeness(q, keys[other, head])
            if BIASED == ", less a share of what it gives itself":
                score -= SLOPE * likeness(q, keys[token, head])
        elif WHOM == "the first token":
            score = likeness(q, keys[0, head])
            if BIASED == ", less a distance penalty":
                score -= SLOPE * float(token)
        else:
            start = wp.max(token - WINDOW, 0)
            score = float(-100.0) if WHOM == "the best of its window" else float(0.0)
            for other in range(start, token + 1):
                near = likeness(q, keys[other, head])
                if BIASED == ", less a distance penalty":
                    near -= SLOPE * float(token - other)
                if WHOM == "the best of its window":
                    score = wp.max(score, near)
                else:
                    score += near
            if WHOM == "its window on average":
                score /= float(token + 1 - start)
        if BIASED == ", with a bias for each head":
            score += biases[head]
        out[token, head] = score
