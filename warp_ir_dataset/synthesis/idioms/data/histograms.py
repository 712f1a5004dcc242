"""Counting samples into bins, and what is read off the counts."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .parts.bins import bin_error, bin_means

__all__ = ["bin_error", "bin_means"]


@idiom(
    level=3,
    names={
        "x": "x samples values data",
        "counts": "counts hist histogram bins",
        "weights": "weights w mass",
        "kernel": "histogram bin_samples accumulate_histogram",
    },
)
def value_histogram(c):
    """Adds each of {x} to a histogram of {SPACING} bins{WEIGHT}; what is out of range is {BEYOND}."""
    n, bins = c.size(10, 14), c.size(5, 9)
    SPACING = c.meaning("even", "logarithmic", "square-root spaced")
    BEYOND = c.meaning("left out", "clamped to the end bins")
    WEIGHT = c.meaning("", ", weighted", ", weighted by its own value")
    if WEIGHT:
        c.names({"counts": "hist sums bins"})
    LOW, HIGH = c.constant(0.5, 1.0), c.constant(3.0, 4.0)

    def fraction(value: float) -> float:
        if SPACING == "logarithmic":
            return wp.log(value / LOW) / wp.log(HIGH / LOW)
        elif SPACING == "square-root spaced":
            return (wp.sqrt(value) - wp.sqrt(LOW)) / (wp.sqrt(HIGH) - wp.sqrt(LOW))
        else:
            return (value - LOW) / (HIGH - LOW)

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = given(n, low=0.2, high=5.0, of="value"),
        weights: wp.array[float] = given(n, low=0.1, high=2.0),
        counts: wp.array[float if WEIGHT else int] = result(bins),
    ):
        tid = wp.tid()
        value = x[tid]
        t = fraction(value)
        if BEYOND == "left out":
            if t < 0.0 or t >= 1.0:
                return
            b = wp.min(int(t * float(counts.shape[0])), counts.shape[0] - 1)
        else:
            b = wp.clamp(int(t * float(counts.shape[0])), 0, counts.shape[0] - 1)
        if WEIGHT == "":
            wp.atomic_add(counts, b, 1)
        elif WEIGHT == ", weighted":
            wp.atomic_add(counts, b, weights[tid])
        else:
            wp.atomic_add(counts, b, value)


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
    """The joint histogram of pairs from {POINTS}, {WHAT}{SHARE}; outside they are {BEYOND}."""
    n, width, height = c.size(10, 14), c.size(4, 6), c.size(4, 6)
    WHAT = c.meaning("counted", "weighted", "counted where valid")
    SHARE = c.meaning("", ", spread bilinearly over four cells", ", made symmetric")
    BEYOND = c.meaning("dropped", "clamped to the rim")
    POINTS = c.meaning("two arrays", "vectors")
    if SHARE == ", made symmetric":
        height = width

    def add_share(counts: wp.array2d[float], row: int, col: int, share: float):
        if BEYOND == "clamped to the rim":
            wp.atomic_add(
                counts, wp.clamp(row, 0, counts.shape[0] - 1), wp.clamp(col, 0, counts.shape[1] - 1), share
            )
        else:
            if row >= 0 and row < counts.shape[0] and col >= 0 and col < counts.shape[1]:
                wp.atomic_add(counts, row, col, share)

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
            px = p[0] * float(counts.shape[1])
            py = p[1] * float(counts.shape[0])
        else:
            px = x[i] * float(counts.shape[1])
            py = y[i] * float(counts.shape[0])
        if SHARE == ", spread bilinearly over four cells":
            # cells have their values in their middles
            cx = int(wp.floor(px - 0.5))
            cy = int(wp.floor(py - 0.5))
            fx = px - 0.5 - float(cx)
            fy = py - 0.5 - float(cy)
            vote = weights[i] if WHAT == "weighted" else 1.0
            add_share(counts, cy, cx, vote * (1.0 - fx) * (1.0 - fy))
            add_share(counts, cy, cx + 1, vote * fx * (1.0 - fy))
            add_share(counts, cy + 1, cx, vote * (1.0 - fx) * fy)
            add_share(counts, cy + 1, cx + 1, vote * fx * fy)
        else:
            if BEYOND == "clamped to the rim":
                cx = wp.clamp(int(px), 0, counts.shape[1] - 1)
                cy = wp.clamp(int(py), 0, counts.shape[0] - 1)
            else:
                cx = int(wp.floor(px))
                cy = int(wp.floor(py))
                if cx < 0 or cx >= counts.shape[1] or cy < 0 or cy >= counts.shape[0]:
                    return
            if WHAT == "weighted":
                wp.atomic_add(counts, cy, cx, weights[i])
                if SHARE == ", made symmetric":
                    wp.atomic_add(counts, cx, cy, weights[i])
            else:
                wp.atomic_add(counts, cy, cx, 1.0)
                if SHARE == ", made symmetric":
                    wp.atomic_add(counts, cx, cy, 1.0)


@idiom(
    level=3,
    names={
        "x": "x samples values readings",
        "labels": "labels bins groups cell",
        "lows": "lows minima bin_min",
        "highs": "highs maxima bin_max",
        "kernel": "bin_extremes group_bounds",
    },
)
def binned_extremes(c):
    """The {WANTED} of {QUANTITY} in each bin, {BINNING}, without those that are {SKIPPED}."""
    n, bins = c.size(12, 16), c.size(3, 4)
    WANTED = c.meaning("smallest and largest", "largest", "smallest")
    QUANTITY = c.meaning("samples", "magnitudes", "lengths")
    BINNING = c.meaning("by label", "by the whole part of a key", "of one stretch of the list")
    if QUANTITY == "samples":
        SKIPPED = c.meaning("masked", "below a floor", "negative or zero")
    else:
        SKIPPED = c.meaning("masked", "below a floor")
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
        if SKIPPED == "below a floor":
            if value < FLOOR:
                return
        elif SKIPPED == "negative or zero":
            if value <= 0.0:
                return
        if BINNING == "by label":
            b = labels[i]
        elif BINNING == "by the whole part of a key":
            b = wp.min(int(keys[i]), (lows if WANTED == "smallest" else highs).shape[0] - 1)
        else:
            b = i * (lows if WANTED == "smallest" else highs).shape[0] // x.shape[0]
        if WANTED != "largest":
            wp.atomic_min(lows, b, value)
        if WANTED != "smallest":
            wp.atomic_max(highs, b, value)


@idiom(
    level=4,
    names={
        "image": "image gray intensity",
        "hist": "hist descriptor orientations",
        "gx gy": "gx gy | dx dy | ix iy",
        "magnitude": "magnitude strength norm",
        "kernel": "gradient_histogram hog_cells vote_orientations",
    },
)
def orientation_histogram(c):
    """Histograms of {SIGN} gradient directions in {IMAGE}{FLAT}, {HELD}; a pixel gives {VOTE} to {SHARE}."""
    rows, cols, bins, cell = 8, 8, c.size(6, 9), 4
    IMAGE = c.meaning(
        "a grey image",
        "a coloured image",
        "a periodic image",
        "a gradient field",
        "forward differences of a periodic image",
    )
    HELD = c.meaning("cell by cell", "over the whole image", "row by row")
    SHARE = c.meaning("one bin", "the two nearest bins")
    VOTE = c.meaning("its gradient magnitude", "its squared magnitude", "one vote", "its weighted magnitude")
    FLAT = ", flat pixels left out" if VOTE == "one vote" else c.meaning(", flat pixels left out", "")
    SIGN = c.meaning("signed", "unsigned")
    TURN = 6.2831853 if SIGN == "signed" else 3.1415927
    FLATNESS = c.constant(0.05, 0.3)
    Colour = c.vec(3) if IMAGE == "a coloured image" else float

    def at(image: wp.array2d[Colour], i: int, j: int) -> float:
        if IMAGE == "a periodic image" or IMAGE == "forward differences of a periodic image":
            return image[(i + image.shape[0]) % image.shape[0], (j + image.shape[1]) % image.shape[1]]
        row = wp.clamp(i, 0, image.shape[0] - 1)
        col = wp.clamp(j, 0, image.shape[1] - 1)
        if IMAGE == "a coloured image":
            return wp.dot(image[row, col], wp.vec3(0.299, 0.587, 0.114))
        else:
            return image[row, col]

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Colour] = given(rows, cols, low=0.0, high=1.0),
        slopes: wp.array2d[wp.vec2] = given(rows, cols, low=-1.0, high=1.0),
        weights: wp.array2d[float] = given(rows, cols, low=0.2, high=1.0),
        cells: wp.array3d[float] = result(rows // cell, cols // cell, bins),
        lines: wp.array2d[float] = result(rows, bins),
        hist: wp.array[float] = result(bins),
    ):
        i, j = wp.tid()
        if IMAGE == "a gradient field":
            g = slopes[i, j]
            gx, gy = g[0], g[1]
            magnitude = wp.length(g)
        else:
            if IMAGE == "forward differences of a periodic image":
                here = image[i, j]
                gx = at(image, i, j + 1) - here
                gy = at(image, i + 1, j) - here
            else:
                gx = 0.5 * (at(image, i, j + 1) - at(image, i, j - 1))
                gy = 0.5 * (at(image, i + 1, j) - at(image, i - 1, j))
            magnitude = wp.sqrt(gx * gx + gy * gy)
        if FLAT and magnitude < FLATNESS:
            return
        if HELD == "cell by cell":
            count = cells.shape[2]
        elif HELD == "row by row":
            count = lines.shape[1]
        else:
            count = hist.shape[0]
        angle = wp.atan2(gy, gx)
        position = wp.where(angle < 0.0, angle + TURN, angle) / TURN * float(count)
        first = wp.max(int(position), 0) % count
        if VOTE == "its squared magnitude":
            vote = magnitude * magnitude
        elif VOTE == "its weighted magnitude":
            vote = weights[i, j] * magnitude
        else:
            vote = magnitude if VOTE == "its gradient magnitude" else 1.0
        if SHARE == "one bin":
            if HELD == "cell by cell":
                wp.atomic_add(cells, i // cell, j // cell, first, vote)
            elif HELD == "row by row":
                wp.atomic_add(lines, i, first, vote)
            else:
                wp.atomic_add(hist, first, vote)
        else:
            # what lies between two directions goes to both
            second = (first + 1) % count
            share = vote * (position - wp.floor(position))
            if HELD == "cell by cell":
                wp.atomic_add(cells, i // cell, j // cell, first, vote - share)
                wp.atomic_add(cells, i // cell, j // cell, second, share)
            elif HELD == "row by row":
                wp.atomic_add(lines, i, first, vote - share)
                wp.atomic_add(lines, i, second, share)
            else:
                wp.atomic_add(hist, first, vote - share)
                wp.atomic_add(hist, second, share)
