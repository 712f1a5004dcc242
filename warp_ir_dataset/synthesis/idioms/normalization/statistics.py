"""Normalization by other statistics: of neighbours, of spectra, and such as are merged."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


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
    """{ACT} {ENERGY} in a {WINDOW}{EDGE}{LEAST}."""
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
    FIXED = AROUND and not SQUARE and c.spelling(True, False)

    @c.kernel(rows, cols)
    def kernel(
        x: wp.array2d[float] = given(rows, cols, low=-2.0, high=2.0),
        reach: int = given(low=1, high=2),
        y: wp.array2d[float] = result(rows, cols, of="activation"),
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
    """{ACT}, estimated by {STEPS} of power iteration{METHOD}{ALSO}."""
    count, size = c.size(6, 9), c.spelling(2, 3, 4)
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

    @c.kernel(count)
    def kernel(
        w: wp.array[Mat] = updated(count, low=-1.0, high=1.0),
        u: wp.array[Vec] = updated(count, low=-1.0, high=1.0, trait="unit"),
        sigmas: wp.array[float] = result(count),
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
    """Merges {WHAT} into the {STORED} of each feature{FADE}{ALSO}."""
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

    @c.kernel(features)
    def kernel(
        x: wp.array2d[float] = given(n, features, low=-2.0, high=2.0),
        valid: wp.array[int] = given(n, low=0, high=1),
        others: wp.array[Moments] = given(features, low=0.5, high=4.0),
        records: wp.array[Moments] = updated(features, low=1.0, high=4.0),
        counts: wp.array[float] = updated(features, low=1.0, high=9.0),
        means: wp.array[float] = updated(features, low=-1.0, high=1.0),
        squares: wp.array[float] = updated(features, low=0.5, high=4.0),
        spread: wp.array[float] = result(features),
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
