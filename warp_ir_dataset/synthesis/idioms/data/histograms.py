"""Counting samples into bins, and what is read off the counts."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=3,
    names={
        "x": "x samples values data",
        "counts": "counts hist histogram bins",
        "b": "b k bucket",
        "weights": "weights w mass",
        "kernel": "histogram bin_samples accumulate_histogram",
        "t": "t fraction u",
    },
)
def value_histogram(c):
    """Adds {WEIGHT} to the {SPACING} bin of each sample, {BEYOND} where out of range."""
    n, bins = c.size(10, 14), c.count(5, 9)
    SPACING = c.meaning("even", "logarithmic", "square-root")
    BEYOND = c.meaning("left out", "clamped", "wrapped around")
    WEIGHT = c.meaning("one", "its weight", "its distance from the middle", "its own value")
    LOW, HIGH = c.constant(0.5, 1.0), c.constant(3.0, 4.0)

    def fraction(value: float) -> float:
        if SPACING == "logarithmic":
            return wp.log(value / LOW) / wp.log(HIGH / LOW)
        elif SPACING == "square-root":
            return (wp.sqrt(value) - wp.sqrt(LOW)) / (wp.sqrt(HIGH) - wp.sqrt(LOW))
        else:
            return (value - LOW) / (HIGH - LOW)

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = given(n, low=0.2, high=5.0, of="value"),
        weights: wp.array[float] = given(n, low=0.1, high=2.0),
        counts: wp.array[int if WEIGHT == "one" else float] = result(bins),
    ):
        tid = wp.tid()
        value = x[tid]
        t = fraction(value)
        if BEYOND == "left out":
            if t < 0.0 or t >= 1.0:
                return
            b = wp.min(int(t * float(bins)), bins - 1)
        elif BEYOND == "wrapped around":
            b = int(wp.floor(t * float(bins))) % bins
            # the remainder has the sign of what is divided
            if b < 0:
                b += bins
        else:
            b = wp.clamp(int(t * float(bins)), 0, bins - 1)
        if WEIGHT == "one":
            wp.atomic_add(counts, b, 1)
        elif WEIGHT == "its weight":
            wp.atomic_add(counts, b, weights[tid])
        elif WEIGHT == "its own value":
            wp.atomic_add(counts, b, value)
        else:
            middle = (float(b) + 0.5) / float(bins)
            wp.atomic_add(counts, b, wp.abs(t - middle))


@idiom(
    level=3,
    names={
        "x y": "x y | u v | xs ys",
        "counts": "counts hist2d joint histogram",
        "cx cy": "cx cy | col row | bx by",
        "weights": "weights w mass",
        "kernel": "histogram_2d joint_histogram bin_pairs",
    },
)
def two_dimensional_histogram(c):
    """The joint histogram of pairs, {WHAT} in {SHARE}, {BEYOND}."""
    n, width, height = c.size(10, 14), c.count(4, 6), c.count(4, 6)
    WHAT = c.meaning("counted", "weighted", "counted where valid")
    SHARE = c.meaning("the cell of each pair", "the four nearest cells", "the cell and its mirror image")
    BEYOND = c.meaning("dropped outside", "clamped to the rim")
    POINTS = c.meaning("two arrays", "vectors")
    if SHARE == "the cell and its mirror image":
        height = width

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = given(n, low=-0.2, high=1.2, of="value"),
        y: wp.array[float] = given(n, low=-0.2, high=1.2, of="value"),
        points: wp.array[wp.vec2] = given(n, low=-0.2, high=1.2),
        weights: wp.array[float] = given(n, low=0.2, high=2.0),
        valid: wp.array[int] = given(n, low=0, high=1),
        counts: wp.array2d[float] = result(height, width),
    ):
        i = wp.tid()
        if WHAT == "counted where valid":
            if valid[i] == 0:
                return
        if POINTS == "vectors":
            p = points[i]
            px = p[0] * float(width)
            py = p[1] * float(height)
        else:
            px = x[i] * float(width)
            py = y[i] * float(height)
        if SHARE == "the four nearest cells":
            # cells have their values in their middles
            cx = int(wp.floor(px - 0.5))
            cy = int(wp.floor(py - 0.5))
            fx = px - 0.5 - float(cx)
            fy = py - 0.5 - float(cy)
            for dy in range(2):
                for dx in range(2):
                    share = wp.where(dx == 1, fx, 1.0 - fx) * wp.where(dy == 1, fy, 1.0 - fy)
                    if WHAT == "weighted":
                        share *= weights[i]
                    if BEYOND == "clamped to the rim":
                        row = wp.clamp(cy + dy, 0, height - 1)
                        col = wp.clamp(cx + dx, 0, width - 1)
                        wp.atomic_add(counts, row, col, share)
                    else:
                        row = cy + dy
                        col = cx + dx
                        if row >= 0 and row < height and col >= 0 and col < width:
                            wp.atomic_add(counts, row, col, share)
        else:
            if BEYOND == "clamped to the rim":
                cx = wp.clamp(int(px), 0, width - 1)
                cy = wp.clamp(int(py), 0, height - 1)
            else:
                cx = int(wp.floor(px))
                cy = int(wp.floor(py))
                if cx < 0 or cx >= width or cy < 0 or cy >= height:
                    return
            if WHAT == "weighted":
                wp.atomic_add(counts, cy, cx, weights[i])
                if SHARE == "the cell and its mirror image":
                    wp.atomic_add(counts, cx, cy, weights[i])
            else:
                wp.atomic_add(counts, cy, cx, 1.0)
                if SHARE == "the cell and its mirror image":
                    wp.atomic_add(counts, cx, cy, 1.0)


@idiom(
    level=3,
    names={
        "x": "x samples values readings",
        "labels": "labels bins groups cell",
        "lows": "lows minima bin_min",
        "highs": "highs maxima bin_max",
        "b": "b cell group",
        "kernel": "bin_extremes group_bounds",
    },
)
def binned_extremes(c):
    """The {WANTED} of {QUANTITY} in each bin, {BINNING}, without those that are {SKIPPED}."""
    n, bins = c.size(12, 16), c.count(3, 4)
    WANTED = c.meaning("smallest and largest", "largest", "smallest")
    QUANTITY = c.meaning("samples", "magnitudes", "lengths")
    BINNING = c.meaning("by label", "by whole key", "by position")
    SKIPPED = c.meaning("masked", "below the floor", "negative or zero")
    FLOOR = c.constant(0.2, 0.8)
    HIGHEST = 6.0 if QUANTITY == "lengths" else 3.5
    LOWEST = (
        1.0 if QUANTITY == "lengths" else 0.2 if SKIPPED != "masked" or QUANTITY == "magnitudes" else -1.6
    )

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3 if QUANTITY == "lengths" else float] = given(n, low=-2.0, high=4.0),
        labels: wp.array[int] = given(n, low=0, high=bins - 1),
        keys: wp.array[float] = given(n, low=0.0, high=1.0 * bins, of="value"),
        mask: wp.array[int] = given(n, low=0, high=1),
        lows: wp.array[float] = updated(bins, low=LOWEST, high=LOWEST + 2.0),
        highs: wp.array[float] = updated(bins, low=HIGHEST - 2.0, high=HIGHEST),
    ):
        i = wp.tid()
        if SKIPPED == "masked":
            if mask[i] == 0:
                return
        if QUANTITY == "magnitudes":
            value = wp.abs(x[i])
        elif QUANTITY == "lengths":
            value = wp.length(x[i])
        else:
            value = x[i]
        if SKIPPED == "below the floor":
            if value < FLOOR:
                return
        elif SKIPPED == "negative or zero":
            if value <= 0.0:
                return
        if BINNING == "by label":
            b = labels[i]
        elif BINNING == "by whole key":
            b = wp.min(int(keys[i]), bins - 1)
        else:
            b = i * bins // n
        if WANTED != "largest":
            wp.atomic_min(lows, b, value)
        if WANTED != "smallest":
            wp.atomic_max(highs, b, value)


@idiom(
    level=2,
    names={
        "sums": "sums totals bin_sums",
        "counts": "counts hits bin_counts",
        "out": "means out averages profile",
        "b": "b k tid",
        "kernel": "normalise_bins finish_means",
    },
)
def bin_means(c):
    """The {STATISTIC} of each bin from its sums and counts, {EMPTY} where the bin is empty."""
    n = c.size(8, 12)
    EMPTY = c.meaning("zero", "its fallback", "the overall mean")
    STATISTIC = c.meaning(
        "mean", "variance", "standard error", "shrunken mean", "density", "root mean square"
    )
    WIDTH, PRIOR, OVERALL = c.constant(0.1, 0.5), c.constant(1.0, 4.0), c.constant(0.5, 2.0)

    @c.kernel(n)
    def kernel(
        sums: wp.array[float] = given(n, low=1.0, high=6.0),
        squares: wp.array[float] = given(n, low=20.0, high=60.0),
        counts: wp.array[int] = given(n, low=0, high=5),
        fallback: wp.array[float] = given(n, low=-1.0, high=1.0),
        out: wp.array[float] = result(n),
    ):
        b = wp.tid()
        count = counts[b]
        if count == 0:
            if EMPTY == "zero":
                out[b] = 0.0
            elif EMPTY == "its fallback":
                out[b] = fallback[b]
            else:
                out[b] = OVERALL
            return
        number = float(count)
        if STATISTIC == "variance":
            mean = sums[b] / number
            out[b] = squares[b] / number - mean * mean
        elif STATISTIC == "standard error":
            mean = sums[b] / number
            variance = squares[b] / number - mean * mean
            out[b] = wp.sqrt(wp.max(variance, 0.0) / number)
        elif STATISTIC == "shrunken mean":
            # few samples are pulled towards zero
            out[b] = sums[b] / (number + PRIOR)
        elif STATISTIC == "density":
            out[b] = sums[b] / (number * WIDTH)
        elif STATISTIC == "root mean square":
            out[b] = wp.sqrt(squares[b] / number)
        else:
            out[b] = sums[b] / number


@idiom(
    level=4,
    names={
        "image": "image gray intensity",
        "hist": "hist descriptor orientation",
        "gx gy": "gx gy | dx dy | ix iy",
        "magnitude": "magnitude strength norm",
        "kernel": "gradient_histogram hog_cells vote_orientations",
    },
)
def orientation_histogram(c):
    """Histograms of {SIGN} gradients of a {IMAGE} image by {SCHEME}; a pixel gives {VOTE} to {SHARE}."""
    rows, cols, bins, cell = 8, 8, c.count(6, 9), 4
    SIGN, SCHEME = c.meaning("signed", "unsigned"), c.meaning("differences", "Sobel")
    VOTE = c.meaning("its slope", "its squared slope", "one vote")
    IMAGE = c.meaning("grey", "coloured")
    SHARE = c.meaning("one bin", "two bins")
    EDGE = c.meaning("clamped", "skipped")
    TURN = 6.2831853 if SIGN == "signed" else 3.1415927
    SMALL = c.constant(0.05, 0.3)

    def clamped(image: wp.array2d[wp.vec3 if IMAGE == "coloured" else float], i: int, j: int) -> float:
        row = wp.clamp(i, 0, image.shape[0] - 1)
        col = wp.clamp(j, 0, image.shape[1] - 1)
        if IMAGE == "coloured":
            return wp.dot(image[row, col], wp.vec3(0.299, 0.587, 0.114))
        else:
            return image[row, col]

    def slope(
        image: wp.array2d[wp.vec3 if IMAGE == "coloured" else float], i: int, j: int, di: int, dj: int
    ) -> float:
        """The difference of an image across a pixel in one direction."""
        if SCHEME == "Sobel":
            total = 2.0 * (clamped(image, i + di, j + dj) - clamped(image, i - di, j - dj))
            total += clamped(image, i + di + dj, j + dj + di) - clamped(image, i - di + dj, j - dj + di)
            total += clamped(image, i + di - dj, j + dj - di) - clamped(image, i - di - dj, j - dj - di)
            return 0.125 * total
        else:
            return 0.5 * (clamped(image, i + di, j + dj) - clamped(image, i - di, j - dj))

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[wp.vec3 if IMAGE == "coloured" else float] = given(rows, cols, low=0.0, high=1.0),
        hist: wp.array3d[float] = result(rows // cell, cols // cell, bins),
    ):
        i, j = wp.tid()
        if EDGE == "skipped":
            if i == 0 or j == 0 or i == image.shape[0] - 1 or j == image.shape[1] - 1:
                return
        gx = slope(image, i, j, 0, 1)
        gy = slope(image, i, j, 1, 0)
        magnitude = wp.sqrt(gx * gx + gy * gy)
        # flat pixels have no direction
        if magnitude < SMALL:
            return
        angle = wp.atan2(gy, gx)
        if angle < 0.0:
            angle += TURN
        position = angle / TURN * float(bins)
        if VOTE == "its squared slope":
            vote = magnitude * magnitude
        elif VOTE == "its slope":
            vote = magnitude
        if SHARE == "one bin":
            first = int(position) % bins
            if VOTE == "one vote":
                wp.atomic_add(hist, i // cell, j // cell, wp.max(first, 0), 1.0)
            else:
                wp.atomic_add(hist, i // cell, j // cell, wp.max(first, 0), vote)
        else:
            low = wp.floor(position)
            share = position - low
            first = wp.max(int(low), 0) % bins
            second = (first + 1) % bins
            if VOTE == "one vote":
                wp.atomic_add(hist, i // cell, j // cell, first, 1.0 - share)
                wp.atomic_add(hist, i // cell, j // cell, second, share)
            else:
                wp.atomic_add(hist, i // cell, j // cell, first, vote * (1.0 - share))
                wp.atomic_add(hist, i // cell, j // cell, second, vote * share)
