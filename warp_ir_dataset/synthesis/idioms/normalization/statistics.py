"""Normalization by other statistics: of neighbours, of spectra, and such as are merged."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "x": "x inputs activations",
        "y": "y out responses",
        "pool": "pool energy local",
        "kernel": "local_response_norm lrn response_norm",
        "i j": "i j | pixel channel | row col",
        "a b": "a b | m n | p q",
        "reach": "reach radius half_width",
    },
)
def response_normalization(c):
    """{ACT} {ENERGY} in a {WINDOW}{EDGE}{LEAST}.

    {PURPOSE} The window of an entry {REGION}, {ENDS}. P is {POOLED} in the window{COUNTED}. {FORMULA} Store
    it in {y}.
    """
    rows, cols = c.size(6, 9), c.size(6, 9)
    ALONG = c.meaning("along the row", "in a square", "along the column")
    WINDOW = "square window" if ALONG == "in a square" else f"window {ALONG}"
    ENERGY = c.meaning("the energy", "the mean magnitude", "the largest magnitude", "the standard deviation")
    c.names({"pool": "pool energy" if ENERGY == "the energy" else "pool local"})
    EDGE = c.meaning("", ", with periodic ends")
    POWER = c.meaning(False, True)
    SPREAD, MEAN = ENERGY == "the standard deviation", ENERGY == "the mean magnitude"
    LARGEST = ENERGY == "the largest magnitude"
    LEAST = ", but by no less than one" if SPREAD and POWER else ""
    if SPREAD:
        ACT = "Divides each entry less the mean by"
        c.names({"kernel": "contrast_norm local_contrast normalize_locally"})
    else:
        OF = "a power of " if POWER else "the root of " if ENERGY == "the energy" else ""
        ACT = f"Divides each entry by {OF}a constant plus a share of"
    EXPONENT, EPS = c.constant(0.4, 0.9), c.constant(0.0001, 0.001, step=0.0009)
    BASE, STRENGTH = c.constant(0.5, 2.0), c.constant(0.2, 0.9)
    AROUND, SQUARE = EDGE != "", ALONG == "in a square"
    FIXED = AROUND and not SQUARE and c.style(True, False)
    PURPOSE = (
        "Apply local contrast normalization to {x}."
        if SPREAD
        else "Apply local response normalization to {x}."
    )
    REGION = {
        "along the row": "reaches {reach} entries to either side in its row",
        "in a square": "is a square that reaches {reach} entries to all sides",
        "along the column": "reaches {reach} entries to either side in its column",
    }[ALONG]
    if FIXED:
        REGION = (
            "is itself and its two neighbours in its row"
            if ALONG == "along the row"
            else "is itself and its two neighbours in its column"
        )
    ENDS = "and wraps around at the ends" if AROUND else "but not beyond the array"
    POOLED = {
        "the energy": "the sum of squares",
        "the mean magnitude": "the mean of magnitudes",
        "the largest magnitude": "the largest magnitude",
        "the standard deviation": "√(variance + {EPS})",
    }[ENERGY]
    COUNTED = ", and M the mean; the variance is the mean of squares less M²" if SPREAD else ""
    FORMULA = "Each entry becomes entry / ({BASE} + {STRENGTH}·P)."
    if SPREAD:
        FORMULA = "Each entry becomes (entry - M) / P."
        if POWER:
            FORMULA = "Each entry becomes (entry - M) / P, where P counts as at least 1."
    elif POWER:
        FORMULA = "Each entry is divided by ({BASE} + {STRENGTH}·P) to the power {EXPONENT}."
    elif ENERGY == "the energy":
        FORMULA = "Each entry becomes entry / √({BASE} + {STRENGTH}·P)."

    @c.kernel(rows, cols)
    def kernel(
        x: wp.array2d[float] = input(rows, cols, low=-2.0, high=2.0),
        reach: int = input(low=1, high=2),
        y: wp.array2d[float] = output(rows, cols, of="activation"),
    ):
        i, j = wp.tid()
        pool = float(0.0)
        if SPREAD:
            total = float(0.0)
        if not AROUND:
            # windows end where the array does
            if ALONG != "along the row":
                top = wp.max(i - reach, 0)
                bottom = wp.min(i + (reach + 1), x.shape[0])
            if ALONG != "along the column":
                left = wp.max(j - reach, 0)
                right = wp.min(j + (reach + 1), x.shape[1])
        if SQUARE and AROUND:
            for a in range(-reach, reach + 1):
                near_row = (i + a + x.shape[0]) % x.shape[0]
                for b in range(-reach, reach + 1):
                    v = x[near_row, (j + b + x.shape[1]) % x.shape[1]]
                    pool = wp.max(pool, wp.abs(v)) if LARGEST else pool + (wp.abs(v) if MEAN else v * v)
                    if SPREAD:
                        total += v
        elif SQUARE:
            for a in range(top, bottom):
                for b in range(left, right):
                    pool = (
                        wp.max(pool, wp.abs(x[a, b]))
                        if LARGEST
                        else pool + (wp.abs(x[a, b]) if MEAN else x[a, b] * x[a, b])
                    )
                    if SPREAD:
                        total += x[a, b]
        elif AROUND:
            for a in range(-1 if FIXED else -reach, 2 if FIXED else reach + 1):
                if ALONG == "along the row":
                    v = x[i, (j + a + x.shape[1]) % x.shape[1]]
                else:
                    v = x[(i + a + x.shape[0]) % x.shape[0], j]
                pool = wp.max(pool, wp.abs(v)) if LARGEST else pool + (wp.abs(v) if MEAN else v * v)
                if SPREAD:
                    total += v
        elif ALONG == "along the row":
            for b in range(left, right):
                pool = (
                    wp.max(pool, wp.abs(x[i, b]))
                    if LARGEST
                    else pool + (wp.abs(x[i, b]) if MEAN else x[i, b] * x[i, b])
                )
                if SPREAD:
                    total += x[i, b]
        else:
            for a in range(top, bottom):
                pool = (
                    wp.max(pool, wp.abs(x[a, j]))
                    if LARGEST
                    else pool + (wp.abs(x[a, j]) if MEAN else x[a, j] * x[a, j])
                )
                if SPREAD:
                    total += x[a, j]
        if SPREAD or MEAN:
            if AROUND and FIXED:
                count = 3.0
            elif AROUND:
                side = 2 * reach + 1
                count = float(side * side) if SQUARE else float(side)
            elif SQUARE:
                count = float((bottom - top) * (right - left))
            elif ALONG == "along the row":
                count = float(right - left)
            else:
                count = float(bottom - top)
            pool /= count
        if SPREAD:
            mean = total / count
            spread = wp.sqrt(wp.max(pool - mean * mean, 0.0) + EPS)
            y[i, j] = (x[i, j] - mean) / (wp.max(spread, 1.0) if POWER else spread)
        elif POWER:
            y[i, j] = x[i, j] / wp.pow(BASE + STRENGTH * pool, EXPONENT)
        elif ENERGY == "the energy":
            y[i, j] = x[i, j] / wp.sqrt(BASE + STRENGTH * pool)
        else:
            y[i, j] = x[i, j] / (BASE + STRENGTH * pool)


@idiom(
    level=4,
    differentiable=False,
    names={
        "w": "w weights matrices",
        "u": "u left_vectors directions",
        "sigma": "sigma top_value norm",
        "m": "m layer k",
        "kernel": "power_iteration spectral_norm normalize_spectrum",
    },
)
def spectral_normalization(c):
    """{ACT}, estimated by {STEPS} of power iteration{METHOD}{ALSO}.

    {PURPOSE} Estimate the largest singular value by {STEPS} of power iteration{START}. {STEPPED}

    {DIVIDED}{STORED}{KEPT}
    """
    count, size = c.size(6, 9), c.style(2, 3, 4)
    ONCE, TIMES = c.meaning(True, False), c.count(3, 5)
    STEPS = "one step" if ONCE else f"{TIMES} steps"
    METHOD = c.meaning(" from the last vector", " on its Gram matrix", " from ones")
    DIVIDES = c.meaning(True, False)
    if DIVIDES:
        ACT = "Divides each matrix in place by its largest singular value"
    else:
        ACT = "Limits the largest singular value of each matrix in place"
        c.names({"kernel": "limit_spectrum clip_spectral_norm"})
    ALSO = c.meaning("", ", and keeps the estimate")
    # About what a matrix of this size has.
    LIMIT = c.constant(*{2: (0.8, 1.2), 3: (1.0, 1.6), 4: (1.3, 1.9)}[size], step=0.1)
    Mat, Vec = c.mat(size), c.vec(size)
    ONES, GRAM = METHOD == " from ones", METHOD == " on its Gram matrix"
    PURPOSE = "Apply spectral normalization to the matrices A in {w}, in place."
    if not DIVIDES:
        PURPOSE = "Limit the spectral norm of the matrices A in {w} to {LIMIT}, in place."
    START = (
        ", starting from the vector L with equal entries and unit length"
        if ONES
        else ", starting from L, the vector in {u}"
    )
    STEPPED = (
        "Each step makes R the unit vector along Aᵀ·L, and then L the unit vector along A·R. The estimate"
        " is L·(A·R)."
    )
    if GRAM:
        STEPPED = (
            "Each step makes L the unit vector along G·L, with the Gram matrix G = A·Aᵀ. The estimate is"
            " √(L·(G·L))."
        )
    DIVIDED = "Divide A by the estimate."
    if not DIVIDES:
        DIVIDED = "If the estimate exceeds {LIMIT}, multiply A by {LIMIT} / estimate."
    STORED = "" if ONES else " Store the last L in {u} for the next time."
    KEPT = " Store the estimate in {sigmas}." if ALSO else ""

    @c.kernel(count)
    def kernel(
        w: wp.array[Mat] = inout(count, low=-1.0, high=1.0),
        u: wp.array[Vec] = inout(count, low=-1.0, high=1.0, trait="unit"),
        sigmas: wp.array[float] = output(count),
    ):
        m = wp.tid()
        a = w[m]
        left = wp.normalize(Vec(1.0)) if ONES else u[m]
        if GRAM:
            gram = a * wp.transpose(a)
            if ONCE:
                left = wp.normalize(gram * left)
            else:
                for _ in range(TIMES):
                    left = wp.normalize(gram * left)
            sigma = wp.sqrt(wp.dot(left, gram * left))
        elif ONCE:
            right = wp.normalize(wp.transpose(a) * left)
            left = wp.normalize(a * right)
            sigma = wp.dot(left, a * right)
        else:
            right = Vec(0.0)
            for _ in range(TIMES):
                right = wp.normalize(wp.transpose(a) * left)
                left = wp.normalize(a * right)
            sigma = wp.dot(left, a * right)
        if not ONES:
            # the next step goes on from here
            u[m] = left
        if ALSO != "":
            sigmas[m] = sigma
        if DIVIDES:
            w[m] = a / sigma
        elif sigma > LIMIT:
            w[m] = a * (LIMIT / sigma)


@idiom(
    level=3,
    differentiable=False,
    names={
        "x": "x batch samples",
        "counts": "counts n_seen seen",
        "means": "means running_mean mu",
        "squares": "squares m2 deviations",
        "delta": "delta shift gap",
        "feature sample": "feature sample | j i | channel row",
        "kernel": "update_statistics welford_merge accumulate_moments",
    },
)
def merged_statistics(c):
    """Merges {WHAT} into the {STORED} of each feature{FADE}{ALSO}.

    Merge {MERGED} into the running statistics of each feature: its count N, its mean M and the sum Q of
    squared differences from the mean, in {PLACES}.{FADED} {FORMULA}

    Store the new values in place.{SPREAD}
    """
    n, features = c.size(5, 8), c.size(6, 9)
    SOURCE = c.meaning("the moments of a batch", "samples by Welford's update", "given moments")
    STORED = c.meaning("running count and moments", "running record")
    FADE = c.meaning("", ", whose weight decays first")
    ALSO = c.meaning("", ", and gives the standard deviation")
    SKIP = c.meaning("", " where valid") if SOURCE != "given moments" else ""
    WHAT = SOURCE
    if SKIP != "":
        WHAT = SOURCE.replace("a batch", "the valid samples of a batch").replace(
            "samples by", "valid samples by"
        )
    if SOURCE != "samples by Welford's update":
        c.names({"kernel": "merge_moments merge_statistics combine_moments"})
    FADING = c.constant(0.5, 0.95)
    BATCH, RECORD = SOURCE == "the moments of a batch", STORED == "running record"

    class Moments:
        count: float
        mean: float
        m2: float

    CHOSEN = "the samples whose {valid} is not 0" if SKIP else "the samples"
    MERGED = {
        "the moments of a batch": "{CHOSEN} in the rows of {x}",
        "samples by Welford's update": "{CHOSEN} in the rows of {x}, one by one by Welford's update,",
        "given moments": "the moments {others}",
    }[SOURCE]
    PLACES = "the fields of {records}" if RECORD else "{counts}, {means} and {squares}"
    FADED = " First multiply N and Q by {FADING}, so that old samples count for less." if FADE else ""
    FORMULA = (
        "With n, m and q such values of the others{OWN}, and D = m - M, the new M is M + D·n / (N +"
        " n), the new Q is"
        " Q + q + D²·N·n / (N + n), and the new N is N + n."
    )
    OWN = ""
    if BATCH:
        OWN = ", those of the batch"
        if SKIP:
            OWN = (
                ", those of the valid samples (n counts them and 1e-6 more, also in the divisor of their"
                " mean m and of q = sum of squares - sum² / n)"
            )
    if SOURCE == "samples by Welford's update":
        FORMULA = (
            "Each sample s makes N one larger; with D = s - M before, M grows by D / N and Q by D·(s"
            " - M), where M is"
            " the new mean."
        )
    SPREAD = " Store the standard deviation √(Q / N) in {spread}." if ALSO else ""

    @c.kernel(features)
    def kernel(
        x: wp.array2d[float] = input(n, features, low=-2.0, high=2.0),
        valid: wp.array[int] = input(n, low=0, high=1),
        others: wp.array[Moments] = input(features, low=0.5, high=4.0),
        records: wp.array[Moments] = inout(features, low=1.0, high=4.0),
        counts: wp.array[float] = inout(features, low=1.0, high=9.0),
        means: wp.array[float] = inout(features, low=-1.0, high=1.0),
        squares: wp.array[float] = inout(features, low=0.5, high=4.0),
        spread: wp.array[float] = output(features),
    ):
        feature = wp.tid()
        if RECORD:
            old = records[feature]
            count = old.count
            mean = old.mean
            square = old.m2
        else:
            count = counts[feature]
            mean = means[feature]
            square = squares[feature]
        if FADE != "":
            count *= FADING
            square *= FADING
        if SOURCE == "samples by Welford's update":
            for sample in range(x.shape[0]):
                if SKIP != "":
                    if valid[sample] == 0:
                        continue
                count += 1.0
                delta = x[sample, feature] - mean
                mean += delta / count
                # the mean has moved between the two factors
                square += delta * (x[sample, feature] - mean)
        else:
            if BATCH:
                if SKIP != "":
                    # perhaps no sample is valid at all
                    more = float(1.0e-6)
                else:
                    more = float(x.shape[0])
                total = float(0.0)
                power = float(0.0)
                for sample in range(x.shape[0]):
                    if SKIP != "":
                        if valid[sample] == 0:
                            continue
                        more += 1.0
                    v = x[sample, feature]
                    total += v
                    power += v * v
                delta = total / more - mean
                square += power - total * total / more
            else:
                other = others[feature]
                more = other.count
                delta = other.mean - mean
                square += other.m2
            both = count + more
            mean += delta * more / both
            square += delta * delta * count * more / both
            count = both
        if RECORD:
            records[feature].count = count
            records[feature].mean = mean
            records[feature].m2 = square
        else:
            counts[feature] = count
            means[feature] = mean
            squares[feature] = square
        if ALSO != "":
            spread[feature] = wp.sqrt(square / count)
