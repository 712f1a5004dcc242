"""Positions of tokens in attention: rotary embeddings, biases."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, wp


@idiom(
    level=4,
    differentiable=False,
    names={
        "q": "q queries query",
        "k": "k keys key",
        "positions": "positions token_positions pos",
        "row": "row token t",
        "half": "half n_pairs pairs",
        "angle": "angle theta phase",
        "kernel": "apply_rotary rope rotate_pairs",
        "turned": "turned rotated rotate",
        "co si": "co si | cos_a sin_a | cosine sine",
        "even odd": "even odd | a b",
        "x y": "x y | x0 x1 | re im",
    },
)
def rotary_positions(c):
    """Rotary embedding: turns the {PAIRS} pairs of {WHOM} in place by {SOURCE}{STRETCHED}.

    {PURPOSE} Each row has m pairs: {PAIRED}. Turn pair p of row r by {ANGLE}: {TURN}.
    """
    n, width = c.size(6, 9), 2 * c.size(3, 4)
    PAIRS = c.meaning("adjacent", "half-split", "vec2")
    WHOM = c.meaning("queries", "queries and keys")
    SOURCE = c.meaning("their position", "tabulated angles", "their row index", "tabulated cosines and sines")
    FIT = c.meaning("none", "stretched", "capped") if SOURCE.startswith("their") else "none"
    WAY = c.meaning("forward", "back") if FIT == "none" else "forward"
    BY = "back by" if WAY == "back" else "by"
    STRETCHED = {"none": "", "stretched": ", with position interpolation", "capped": ", capped at a limit"}[
        FIT
    ]
    if WAY == "back":
        STRETCHED = ", in the inverse direction"
        c.names({"kernel": "undo_rotary inverse_rope rotate_back"})
    ADJACENT, SPLIT, VECTORS = PAIRS == "adjacent", PAIRS == "half-split", PAIRS == "vec2"
    KEYS = WHOM == "queries and keys"
    if VECTORS:
        c.names({"half": "n_pairs pairs"})
    length = width // 2 if VECTORS else width
    BASE, STRETCH = c.constant(100.0, 1000.0, step=900.0), c.constant(1.5, 4.0)

    def turned(pair: wp.vec2, angle: float) -> wp.vec2:
        """The pair, turned {BY} an angle."""
        si = wp.sin(angle)
        co = wp.cos(angle)
        if WAY == "back":
            return wp.vec2(co * pair[0] + si * pair[1], co * pair[1] - si * pair[0])
        else:
            return wp.vec2(co * pair[0] - si * pair[1], si * pair[0] + co * pair[1])

    def frequency(p: int, half: int) -> float:
        """Radians that a pair turns from one position to the next."""
        return wp.pow(BASE, -float(p) / float(half))

    PURPOSE = "Apply rotary position embedding to the rows of {q}{BOTH}, in place."
    if WAY == "back":
        PURPOSE = "Undo a rotary position embedding of the rows of {q}{BOTH}, in place."
    BOTH = " and {k}" if KEYS else ""
    PAIRED = {
        "adjacent": "pair p is in columns 2p and 2p + 1",
        "half-split": "pair p is in columns p and m + p",
        "vec2": "pair p is the 2-vector in column p",
    }[PAIRS]
    TIME = "the angle t·{BASE}^(-p / m), where the position t is {PLACE}"
    ANGLE = {
        "their position": TIME,
        "their row index": TIME,
        "tabulated angles": "the angle `{angles}[r, p]`",
        "tabulated cosines and sines": (
            "the angle whose cosine is `{cosines}[r, p]` and whose sine is `{sines}[r, p]`"
        ),
    }[SOURCE]
    PLACE = "`{positions}[r]`" if SOURCE == "their position" else "r"
    if FIT == "stretched":
        PLACE += " / {STRETCH}, interpolated to fit a longer context"
    elif FIT == "capped":
        PLACE += " but at most {limit}"
    TURN = "(a, b) becomes (a·cos - b·sin, a·sin + b·cos)"
    if WAY == "back":
        TURN = "(a, b) becomes (a·cos + b·sin, b·cos - a·sin), the inverse rotation"

    @c.kernel(n)
    def kernel(
        positions: wp.array[int] = input(n, low=0, high=12),
        limit: int = input(low=2, high=5),
        angles: wp.array2d[float] = input(n, width // 2, low=-3.0, high=3.0),
        cosines: wp.array2d[float] = input(n, width // 2, low=-1.0, high=1.0),
        sines: wp.array2d[float] = input(n, width // 2, low=-1.0, high=1.0),
        q: wp.array2d[wp.vec2 if VECTORS else float] = inout(n, length, low=-2.0, high=2.0),
        k: wp.array2d[wp.vec2 if VECTORS else float] = inout(n, length, low=-2.0, high=2.0),
    ):
        row = wp.tid()
        half = q.shape[1] if VECTORS else q.shape[1] // 2
        if FIT == "capped":
            place = float(wp.min(positions[row] if SOURCE == "their position" else row, limit))
        elif FIT == "stretched":
            # longer texts than those of training are squeezed into their range
            place = float(positions[row] if SOURCE == "their position" else row) / STRETCH
        elif SOURCE == "their position":
            place = float(positions[row])
        elif SOURCE == "their row index":
            place = float(row)
        for p in range(half):
            if ADJACENT:
                even = 2 * p
                odd = 2 * p + 1
            if SOURCE == "tabulated cosines and sines":
                co = cosines[row, p]
                si = sines[row, p] if WAY == "forward" else -sines[row, p]
                if VECTORS:
                    pair = q[row, p]
                    q[row, p] = wp.vec2(co * pair[0] - si * pair[1], si * pair[0] + co * pair[1])
                    if KEYS:
                        key_pair = k[row, p]
                        k[row, p] = wp.vec2(
                            co * key_pair[0] - si * key_pair[1], si * key_pair[0] + co * key_pair[1]
                        )
                else:
                    x = q[row, even if ADJACENT else p]
                    y = q[row, odd if ADJACENT else p + half]
                    q[row, even if ADJACENT else p] = co * x - si * y
                    q[row, odd if ADJACENT else p + half] = si * x + co * y
                    if KEYS:
                        u = k[row, even if ADJACENT else p]
                        w = k[row, odd if ADJACENT else p + half]
                        k[row, even if ADJACENT else p] = co * u - si * w
                        k[row, odd if ADJACENT else p + half] = si * u + co * w
            else:
                angle = angles[row, p] if SOURCE == "tabulated angles" else place * frequency(p, half)
                if VECTORS:
                    q[row, p] = turned(q[row, p], angle)
                    if KEYS:
                        k[row, p] = turned(k[row, p], angle)
                else:
                    pair = turned(
                        wp.vec2(q[row, even if ADJACENT else p], q[row, odd if ADJACENT else p + half]), angle
                    )
                    q[row, even if ADJACENT else p] = pair[0]
                    q[row, odd if ADJACENT else p + half] = pair[1]
                    if KEYS:
                        key_pair = turned(
                            wp.vec2(k[row, even if ADJACENT else p], k[row, odd if ADJACENT else p + half]),
                            angle,
                        )
                        k[row, even if ADJACENT else p] = key_pair[0]
                        k[row, odd if ADJACENT else p + half] = key_pair[1]


@idiom(
    level=3,
    names={
        "scores": "scores logits s",
        "head i j": "head i j | h row col | h query key",
        "distance": "distance gap offset",
        "bias": "bias penalty shift",
        "kernel": "add_bias add_position_bias bias_scores",
    },
)
def position_bias(c):
    """Adds {BIAS} to {SCALED}scores in place{MASKED}.

    Add position biases to attention scores in place. The score of query i for key j in head h, `{scores}[h,
    i, j]`,{FACTOR} gets {ADDED}. {UNSEEN}
    """
    BIAS = c.meaning(
        "ALiBi penalties",
        "biases by clipped offset",
        "biases by log-spaced bucket of distance",
        "penalties on the log of the distance",
        "the log of a Gaussian window of each query",
    )
    BUCKETS, OFFSETS = "bucket" in BIAS, "offset" in BIAS
    if BUCKETS or OFFSETS:
        c.names({"bias": "bias shift"})
    # Far enough for keys that share the last bucket.
    heads, n, m = c.size(3, 5), *((c.size(10, 12),) * 2 if BUCKETS else (c.size(5, 7), c.size(5, 7)))
    # Near offsets have a bucket each, so that the far ones must be seen where they share.
    SEEN = c.meaning("all", "causal") if BUCKETS else c.meaning("all", "causal", "near")
    MASKED = {"all": "", "causal": ", with -100 for later keys", "near": ", with -100 for far keys"}[SEEN]
    SCALED = c.meaning("", "scaled ")
    SCALE, REACH = c.constant(0.2, 0.8), c.count(2, 3)
    WIDTH = c.constant(0.5, 3.0)
    # The last offset with a number of its own lies within reach.
    LAST = 3 if BUCKETS else 1 if SEEN == "near" else 2
    columns = LAST + 1 if SEEN == "causal" else 2 * LAST + 1
    FACTOR = " is multiplied by {SCALE} and then" if SCALED else ""
    AHEAD = "" if SEEN == "causal" else "; for later keys, with j > i, {LAST} is added to the bucket"
    DISTANCE = "(i - j)" if SEEN == "causal" else "|i - j|"
    ADDED = {
        "ALiBi penalties": "the ALiBi penalty -`{slopes}[h]`·{DISTANCE}",
        "biases by clipped offset": (
            "`{table}[h, c + {LAST}]`, where c is the offset j - i clamped to [-{LAST}, {LAST}]"
        ),
        "biases by log-spaced bucket of distance": (
            "`{table}[h, c]`, where c is the bucket of the distance d = |i - j|: d itself up to 1, and "
            "beyond that "
            "1 + ⌊log2(d)⌋ but at most {LAST}{AHEAD}"
        ),
        "penalties on the log of the distance": "the penalty -`{slopes}[h]`·log(1 + {DISTANCE})",
        "the log of a Gaussian window of each query": (
            "-½·((j - `{centres}[h, i]`) / {WIDTH})², the log of a Gaussian window"
        ),
    }[BIAS]
    if OFFSETS and SEEN == "causal":
        ADDED = "`{table}[h, c]`, where c is the distance i - j but at most {LAST}"
    UNSEEN = {
        "all": "",
        "causal": "For later keys, with j > i, the score becomes -100 instead.",
        "near": "For keys with |i - j| > {REACH}, the score becomes -100 instead.",
    }[SEEN]

    @c.kernel(heads, n, m)
    def kernel(
        table: wp.array2d[float] = input(heads, columns, low=-2.0, high=2.0),
        slopes: wp.array[float] = input(heads, low=0.1, high=0.9),
        centres: wp.array2d[float] = input(heads, n, low=0.0, high=5.0),
        scores: wp.array3d[float] = inout(heads, n, m, low=-2.0, high=2.0),
    ):
        head, i, j = wp.tid()
        if SEEN == "causal":
            if j > i:
                scores[head, i, j] = -100.0
                return
        elif SEEN == "near":
            if wp.abs(i - j) > REACH:
                scores[head, i, j] = -100.0
                return
        if BIAS == "ALiBi penalties":
            distance = float(i - j) if SEEN == "causal" else float(wp.abs(i - j))
            bias = -slopes[head] * distance
        elif BIAS == "penalties on the log of the distance":
            distance = float(i - j) if SEEN == "causal" else float(wp.abs(i - j))
            bias = -slopes[head] * wp.log(1.0 + distance)
        elif BIAS == "the log of a Gaussian window of each query":
            u = (float(j) - centres[head, i]) / WIDTH
            bias = -0.5 * u * u
        elif OFFSETS:
            if SEEN == "causal":
                bucket = wp.min(wp.abs(i - j), LAST)
            else:
                bucket = wp.clamp(j - i, -LAST, LAST) + LAST
            bias = table[head, bucket]
        else:
            # near offsets have a bucket each, far ones share
            bucket = wp.abs(i - j)
            if bucket > 1:
                # half a place more keeps powers of two clear of rounding
                bucket = wp.min(1 + int(wp.log2(float(bucket) + 0.5)), LAST)
            if SEEN != "causal":
                # later keys have buckets of their own
                if j > i:
                    bucket += LAST
            bias = table[head, bucket]
        if SCALED != "":
            scores[head, i, j] = SCALE * scores[head, i, j] + bias
        elif SEEN == "all":
            scores[head, i, j] += bias
        else:
            scores[head, i, j] = scores[head, i, j] + bias
