"""What tells attention where tokens stand."""

from __future__ import annotations

from ...pages.page import given, idiom, updated, wp


@idiom(
    level=4,
    names={
        "q": "q queries x",
        "k": "k keys y",
        "positions": "positions token_positions pos",
        "row": "row token t",
        "angle": "angle theta phase",
        "kernel": "apply_rotary rope rotate_pairs",
        "turned": "turned rotated rotate",
    },
)
def rotary_positions(c):
    """Rotary embedding: turns the {PAIRS} pairs of {WHOM} in place by {SOURCE}{STRETCHED}."""
    n, width = c.size(6, 9), 2 * c.size(3, 4)
    PAIRS = c.meaning("adjacent", "half-split", "stored")
    WHOM = c.meaning("queries", "queries and keys")
    SOURCE = c.meaning("their position", "tabulated angles", "their row index", "tabulated cosines and sines")
    FIT = c.meaning("none", "stretched", "capped") if SOURCE.startswith("their") else "none"
    WAY = c.meaning("forward", "back") if FIT == "none" else "forward"
    STRETCHED = {"none": "", "stretched": ", with position interpolation", "capped": ", up to a limit"}[FIT]
    if WAY == "back":
        STRETCHED = ", in the inverse direction"
    length = width // 2 if PAIRS == "stored" else width
    BASE, STRETCH = c.constant(100.0, 900.0), c.constant(1.5, 4.0)

    def turned(pair: wp.vec2, angle: float) -> wp.vec2:
        """the pair, turned by an angle."""
        s = wp.sin(angle)
        h = wp.cos(angle)
        if WAY == "back":
            return wp.vec2(h * pair[0] + s * pair[1], h * pair[1] - s * pair[0])
        else:
            return wp.vec2(h * pair[0] - s * pair[1], s * pair[0] + h * pair[1])

    def frequency(p: int, half: int) -> float:
        """radians that a pair turns from one position to the next."""
        return wp.pow(BASE, -float(p) / float(half))

    @c.kernel(n)
    def kernel(
        positions: wp.array[int] = given(n, low=0, high=20),
        limit: int = given(low=2, high=5),
        angles: wp.array2d[float] = given(n, width // 2, low=-3.0, high=3.0),
        cosines: wp.array2d[float] = given(n, width // 2, low=-1.0, high=1.0),
        sines: wp.array2d[float] = given(n, width // 2, low=-1.0, high=1.0),
        q: wp.array2d[wp.vec2 if PAIRS == "stored" else float] = updated(n, length, low=-2.0, high=2.0),
        k: wp.array2d[wp.vec2 if PAIRS == "stored" else float] = updated(n, length, low=-2.0, high=2.0),
    ):
        row = wp.tid()
        half = q.shape[1] if PAIRS == "stored" else q.shape[1] // 2
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
            if PAIRS == "adjacent":
                a = 2 * p
                b = 2 * p + 1
            elif PAIRS == "half-split":
                b = p + half
            if SOURCE == "tabulated cosines and sines":
                h = cosines[row, p]
                s = sines[row, p] if WAY == "forward" else -sines[row, p]
                if PAIRS == "stored":
                    x = q[row, p]
                    q[row, p] = wp.vec2(h * x[0] - s * x[1], s * x[0] + h * x[1])
                    if WHOM == "queries and keys":
                        y = k[row, p]
                        k[row, p] = wp.vec2(h * y[0] - s * y[1], s * y[0] + h * y[1])
                else:
                    x = q[row, p if PAIRS == "half-split" else a]
                    y = q[row, b]
                    q[row, p if PAIRS == "half-split" else a] = h * x - s * y
                    q[row, b] = s * x + h * y
                    if WHOM == "queries and keys":
                        u = k[row, p if PAIRS == "half-split" else a]
                        w = k[row, b]
                        k[row, p if PAIRS == "half-split" else a] = h * u - s * w
                        k[row, b] = s * u + h * w
            else:
                angle = angles[row, p] if SOURCE == "tabulated angles" else place * frequency(p, half)
                if PAIRS == "stored":
                    q[row, p] = turned(q[row, p], angle)
                    if WHOM == "queries and keys":
                        k[row, p] = turned(k[row, p], angle)
                else:
                    x = turned(wp.vec2(q[row, p if PAIRS == "half-split" else a], q[row, b]), angle)
                    q[row, p if PAIRS == "half-split" else a] = x[0]
                    q[row, b] = x[1]
                    if WHOM == "queries and keys":
                        y = turned(wp.vec2(k[row, p if PAIRS == "half-split" else a], k[row, b]), angle)
                        k[row, p if PAIRS == "half-split" else a] = y[0]
                        k[row, b] = y[1]


@idiom(
    level=3,
    names={
        "scores": "scores logits s",
        "head i j": "head i j | h row col | h query key",
        "distance": "distance gap offset",
        "slope": "slope decay rate",
        "bias": "bias penalty shift",
        "kernel": "add_bias add_position_bias bias_scores",
    },
)
def position_bias(c):
    """Adds {BIAS} to {SCALED}scores in place{MASKED}."""
    heads, n, m = c.size(3, 5), c.size(4, 6), c.size(4, 6)
    BIAS = c.meaning(
        "ALiBi penalties",
        "biases by clipped offset",
        "biases by log-spaced bucket",
        "logarithmic distance penalties",
        "a Gaussian window of each query",
    )
    # Near offsets have a bucket each, so that the far ones must be seen where they share.
    SEEN = c.meaning("all", "causal") if BIAS.endswith("bucket") else c.meaning("all", "causal", "near")
    MASKED = {"all": "", "causal": ", future keys masked", "near": ", far keys masked"}[SEEN]
    SCALED = c.meaning("", "scaled ")
    SCALE, REACH = c.constant(0.2, 0.8), c.count(2, 3)
    WIDTH = c.constant(0.5, 3.0)
    # The last offset with a number of its own lies within reach.
    LAST = 1 if SEEN == "near" else 4

    @c.kernel(heads, n, m)
    def kernel(
        table: wp.array2d[float] = given(heads, 2 * LAST + 1, low=-2.0, high=2.0),
        slopes: wp.array[float] = given(heads, low=0.1, high=0.9),
        centres: wp.array2d[float] = given(heads, n, low=0.0, high=5.0),
        scores: wp.array3d[float] = updated(heads, n, m, low=-2.0, high=2.0),
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
            distance = float(wp.abs(i - j))
            bias = -slopes[head] * distance
        elif BIAS == "logarithmic distance penalties":
            distance = float(wp.abs(i - j))
            bias = -slopes[head] * wp.log(1.0 + distance)
        elif BIAS == "a Gaussian window of each query":
            u = (float(j) - centres[head, i]) / WIDTH
            bias = -0.5 * u * u
        elif BIAS == "biases by clipped offset":
            bucket = wp.clamp(j - i, -LAST, LAST) + LAST
            bias = table[head, bucket]
        else:
            # near offsets have a bucket each, far ones share
            distance = wp.abs(i - j)
            bucket = wp.min(distance, 2)
            if distance > 3:
                bucket = wp.clamp(1 + int(wp.log2(float(distance))), 3, LAST)
            if SEEN != "causal":
                if j > i:
                    bucket += LAST
            bias = table[head, bucket]
        if SCALED != "":
            scores[head, i, j] = SCALE * scores[head, i, j] + bias
        elif SEEN == "all":
            scores[head, i, j] += bias
        else:
            scores[head, i, j] = scores[head, i, j] + bias
