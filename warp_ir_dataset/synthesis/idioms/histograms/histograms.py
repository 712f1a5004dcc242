"""Histograms: samples counted in bins, and statistics of the counts."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


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
    """The {KIND} of {x} in {SPACING} bins from {LOW} to {HIGH}{WEIGHT};
    what is out of range {BEYOND}.

    {PURPOSE} in bins of {SPACED} from {LOW} to {HIGH}. The bin of a value v is ⌊t · (length of {counts})⌋
    with t = {FRACTION}. {OUTSIDE} {PUT}
    """
    n, bins = c.size(10, 14), c.size(5, 9)
    SPACING = c.meaning("even", "logarithmic", "square-root spaced")
    BEYOND = c.meaning("is left out", "goes to the end bins")
    KIND = c.meaning("histogram", "sums")
    WEIGHT = c.meaning("", ", weighted") if KIND == "histogram" else ""
    if KIND == "sums":
        c.names({"counts": "sums totals", "kernel": "sum_in_bins bin_sums accumulate_bins"})
    elif WEIGHT:
        c.names({"counts": "hist sums bins"})
    LOW, HIGH = c.constant(0.4, 0.9), c.constant(3.0, 4.0)

    def fraction(value: float) -> float:
        """Where a value lies between the ends, zero to one."""
        if SPACING == "logarithmic":
            return wp.log(value / LOW) / wp.log(HIGH / LOW)
        elif SPACING == "square-root spaced":
            return (wp.sqrt(value) - wp.sqrt(LOW)) / (wp.sqrt(HIGH) - wp.sqrt(LOW))
        else:
            return (value - LOW) / (HIGH - LOW)

    PURPOSE = (
        "Sum up the values {x}"
        if KIND == "sums"
        else f"Make a{' weighted' if WEIGHT else ''} histogram of {{x}}"
    )
    SPACED = {
        "even": "equal width",
        "logarithmic": "equal width in the logarithm",
        "square-root spaced": "equal width in the square root",
    }[SPACING]  # fmt: skip
    FRACTION = {
        "even": "(v - {LOW}) / ({HIGH} - {LOW})", "logarithmic": "ln(v / {LOW}) / ln({HIGH} / {LOW})",
        "square-root spaced": "(√v - √{LOW}) / (√{HIGH} - √{LOW})",
    }[SPACING]  # fmt: skip
    OUTSIDE = "Values out of range are left out."
    if BEYOND == "goes to the end bins":
        OUTSIDE = "Values below the range go to the first bin, those above to the last."
    PUT = "{counts} is the number of values in each bin."
    if KIND == "sums":
        PUT = "{counts} is the sum of the values in each bin."
    elif WEIGHT:
        PUT = "{counts} is the sum of the {weights} of the values in each bin."

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=0.2, high=5.0, of="value"),
        weights: wp.array[float] = input(n, low=0.1, high=2.0),
        counts: wp.array[int if KIND == "histogram" and not WEIGHT else float] = output(bins),
    ):
        tid = wp.tid()
        value = x[tid]
        t = fraction(value)
        if BEYOND == "is left out":
            b = int(wp.floor(t * float(counts.shape[0])))
            if b < 0 or b >= counts.shape[0]:
                return
        else:
            b = wp.clamp(int(t * float(counts.shape[0])), 0, counts.shape[0] - 1)
        if KIND == "sums":
            wp.atomic_add(counts, b, value)
        elif WEIGHT:
            wp.atomic_add(counts, b, weights[tid])
        else:
            wp.atomic_add(counts, b, 1)


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
    """The joint histogram of pairs from {POINTS}, {WHAT}{SHARE}; those outside are {BEYOND}.

    Make a joint histogram of the pairs (a, b) {SOURCE}{ONLY}. The range from 0 to 1 of a is divided into the
    columns of {counts}, that of b into its rows. {SPREAD} {BOTH} {OUTSIDE}
    """
    n, width, height = c.size(10, 14), c.size(4, 6), c.size(4, 6)
    WHAT = c.meaning("counted", "weighted", "counted where valid")
    SHARE = c.meaning("", ", spread bilinearly over four cells", ", made symmetric")
    BEYOND = c.meaning("dropped", "clamped to the rim")
    POINTS = c.meaning("two arrays", "vectors")
    if SHARE == ", made symmetric":
        height = width
    Count = float if WHAT == "weighted" or "bilinearly" in SHARE else int
    if WHAT == "weighted":
        c.names({"counts": "hist2d joint mass_of_cells"})

    def add_share(counts: wp.array2d[float], row: int, col: int, share: float):
        """Adds a share to a cell, which may be outside."""
        if BEYOND == "clamped to the rim":
            wp.atomic_add(
                counts, wp.clamp(row, 0, counts.shape[0] - 1), wp.clamp(col, 0, counts.shape[1] - 1), share
            )
        else:
            if row >= 0 and row < counts.shape[0] and col >= 0 and col < counts.shape[1]:
                wp.atomic_add(counts, row, col, share)

    SOURCE = "in {points}" if POINTS == "vectors" else "in {x} and {y}"
    ONLY = ", leaving out pairs whose {valid} is 0" if "valid" in WHAT else ""
    VOTE = "its entry of {weights}" if WHAT == "weighted" else "1"
    SPREAD = "A pair adds {VOTE} to its cell."
    PARTS = "Pairs outside"
    if "bilinearly" in SHARE:
        SPREAD = (
            "A pair spreads {VOTE} bilinearly over the four cells whose centres surround it: with "
            "the distances dx and dy of "
        )
        SPREAD += "the pair from a centre, in columns and rows, the cell gets (1 - dx)·(1 - dy) of it."
        PARTS = "Shares of cells outside"
    OUTSIDE = "{PARTS} are dropped."
    if BEYOND == "clamped to the rim":
        OUTSIDE = "{PARTS} go to the nearest cell, row and column clamped separately."
    BOTH = ""
    if "symmetric" in SHARE:
        BOTH = (
            "The same is added to the transposed cell, row and column exchanged, even if this is that cell."
        )

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=-0.2, high=1.2, of="value"),
        y: wp.array[float] = input(n, low=-0.2, high=1.2, of="value"),
        points: wp.array[wp.vec2] = input(n, low=-0.2, high=1.2),
        weights: wp.array[float] = input(n, low=0.2, high=2.0),
        valid: wp.array[int] = input(n, low=0, high=1),
        counts: wp.array2d[Count] = output(height, width),
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
            if WHAT == "weighted":
                vote = weights[i]
                add_share(counts, cy, cx, vote * (1.0 - fx) * (1.0 - fy))
                add_share(counts, cy, cx + 1, vote * fx * (1.0 - fy))
                add_share(counts, cy + 1, cx, vote * (1.0 - fx) * fy)
                add_share(counts, cy + 1, cx + 1, vote * fx * fy)
            else:
                add_share(counts, cy, cx, (1.0 - fx) * (1.0 - fy))
                add_share(counts, cy, cx + 1, fx * (1.0 - fy))
                add_share(counts, cy + 1, cx, (1.0 - fx) * fy)
                add_share(counts, cy + 1, cx + 1, fx * fy)
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
                wp.atomic_add(counts, cy, cx, 1)
                if SHARE == ", made symmetric":
                    wp.atomic_add(counts, cx, cy, 1)


@idiom(
    level=3,
    differentiable=False,
    names={
        "x": "x samples values readings",
        "labels": "labels bins groups cell",
        "lows": "lows minima bin_min",
        "highs": "highs maxima bin_max",
        "kernel": "bin_extremes group_bounds",
    },
)
def binned_extremes(c):
    """Updates the {WANTED} of {QUANTITY} in each bin, binned {BINNING}, skipping those {SKIPPED}.

    Update the {WANTED} of {WHAT} in each bin, in place. {BIN} {SKIP} {PUT}
    """
    n, bins = c.size(12, 16), c.size(3, 4)
    WANTED = c.meaning("minimum and maximum", "maximum", "minimum")
    QUANTITY = c.meaning("samples", "magnitudes", "lengths")
    BINNING = c.meaning("by label", "by the whole part of a key", "by stretches of the list")
    if QUANTITY == "samples":
        SKIPPED = c.meaning("masked out", "below a floor", "not positive")
    else:
        SKIPPED = c.meaning("masked out", "below a floor")
    FLOOR = c.constant(1.5, 2.5) if QUANTITY == "lengths" else c.constant(0.2, 0.8)
    HIGHEST = 5.5 if QUANTITY == "lengths" else 3.5
    LOWEST = (
        2.0 if QUANTITY == "lengths" else 0.2 if SKIPPED != "masked out" or QUANTITY == "magnitudes" else -1.6
    )
    WHAT = {
        "samples": "the samples {x}",
        "magnitudes": "the magnitudes of {x}",
        "lengths": "the lengths of the vectors {x}",
    }[QUANTITY]  # fmt: skip
    BINS = "{lows}" if WANTED == "minimum" else "{highs}"
    BIN = {
        "by label": "The bin of sample k is `{labels}[k]`.",
        "by the whole part of a key": "The bin of sample k is ⌊`{keys}[k]`⌋, but at most the last bin.",
        "by stretches of the list": "The list of n samples is cut into b stretches, one for each of "
        "the b bins of {BINS}: the bin of sample k is ⌊k·b / n⌋.",
    }[BINNING]
    THING = {"samples": "Samples", "magnitudes": "Magnitudes", "lengths": "Lengths"}[QUANTITY]
    SKIP = {
        "masked out": "Samples whose {mask} is 0 are skipped.",
        "below a floor": "{THING} below {FLOOR} are skipped.",
        "not positive": "Samples that are not positive are skipped.",
    }[SKIPPED]  # fmt: skip
    PUT = {
        "minimum and maximum": "{lows} of each bin becomes the smaller of its old value and the least in the "
        "bin, and {highs} the larger of its old value and the greatest in the bin.",
        "minimum": "{lows} of each bin becomes the smaller of its old value and the least in the bin.",
        "maximum": "{highs} of each bin becomes the larger of its old value and the greatest in the bin.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3 if QUANTITY == "lengths" else float] = input(n, low=-2.0, high=4.0),
        labels: wp.array[int] = input(n, low=0, high=bins - 1),
        keys: wp.array[float] = input(n, low=0.0, high=bins + 0.5, of="value"),
        mask: wp.array[int] = input(n, low=0, high=1),
        lows: wp.array[float] = inout(bins, low=LOWEST, high=LOWEST + 2.0),
        highs: wp.array[float] = inout(bins, low=HIGHEST - 2.0, high=HIGHEST),
    ):
        i = wp.tid()
        if SKIPPED == "masked out":
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
        elif SKIPPED == "not positive":
            if value <= 0.0:
                return
        if BINNING == "by label":
            b = labels[i]
        elif BINNING == "by the whole part of a key":
            # larger keys belong to the last bin
            b = wp.min(int(keys[i]), (lows if WANTED == "minimum" else highs).shape[0] - 1)
        else:
            b = i * (lows if WANTED == "minimum" else highs).shape[0] // x.shape[0]
        if WANTED != "maximum":
            wp.atomic_min(lows, b, value)
        if WANTED != "minimum":
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
    """Histograms of {SIGN} gradient directions in {IMAGE}{FLAT}, {HELD}; a pixel gives {VOTE} to {SHARE}.

    Make histograms of the {SIGN} gradient directions in {IMAGE}, {HELD}, as for HOG descriptors. {GRADIENT}

    The angle of the gradient, from the first axis towards the second, in [0, {TURN}), is divided by {TURN}
    and multiplied by the number of bins{IN_EACH}. {VOTES} {WHERE}
    """
    rows, cols, bins, cell = 8, 8, c.size(6, 9), 4
    IMAGE = c.meaning(
        "a grey image",
        "a coloured image",
        "a periodic image",
        "a gradient field",
        "a periodic image by forward differences",
    )
    HELD = c.meaning("cell by cell", "over the whole image", "row by row")
    SHARE = c.meaning("one bin", "the two nearest bins")
    VOTE = c.meaning("its gradient magnitude", "its squared magnitude", "one vote", "its weighted magnitude")
    FLAT = ", flat pixels left out" if VOTE == "one vote" else c.meaning(", flat pixels left out", "")
    SIGN = c.meaning("signed", "unsigned")
    FLATNESS = c.constant(0.05, 0.3)
    Colour = c.vec(3) if IMAGE == "a coloured image" else float
    if IMAGE == "a coloured image":
        c.names({"image": "image picture colours"})

    def at(image: wp.array2d[Colour], i: int, j: int) -> float:
        if IMAGE == "a periodic image" or IMAGE == "a periodic image by forward differences":
            # what follows the last row or column is the first one
            row = (i + image.shape[0]) % image.shape[0]
            col = (j + image.shape[1]) % image.shape[1]
            return image[row, col]
        row = wp.clamp(i, 0, image.shape[0] - 1)
        col = wp.clamp(j, 0, image.shape[1] - 1)
        if IMAGE == "a coloured image":
            return wp.dot(image[row, col], wp.vec3(0.299, 0.587, 0.114))
        else:
            return image[row, col]

    TURN = "2·π" if SIGN == "signed" else "π"
    GRADIENT = (
        "The gradient of pixel (i, j) has two components, the first along j and the second along "
        "i: half the value of "
    )
    GRADIENT += "the next pixel less that of the one before."
    if IMAGE == "a gradient field":
        GRADIENT = "{slopes} holds the gradients."
    elif IMAGE == "a periodic image by forward differences":
        GRADIENT = (
            "The gradient of pixel (i, j) has two components, the first along j and the second "
            "along i: the next pixel "
        )
        GRADIENT += "less the pixel itself. {image} is periodic."
    elif IMAGE == "a periodic image":
        GRADIENT += " {image} is periodic."
    else:
        GRADIENT += " Past an edge, {image} continues with the pixels at the edge."
        if IMAGE == "a coloured image":
            GRADIENT += " The value of a pixel is its luminance, (0.299, 0.587, 0.114) · colour."
    if FLAT:
        GRADIENT += " Pixels with a gradient shorter than {FLATNESS} are left out."
    if SIGN == "unsigned":
        GRADIENT += " Opposite directions are the same."
    AMOUNT = {
        "its gradient magnitude": "the length of the gradient",
        "its squared magnitude": "the squared length of the gradient",
        "one vote": "1",
        "its weighted magnitude": "the length of the gradient times the pixel's entry of {weights}",
    }[VOTE]  # fmt: skip
    VOTES = "The pixel adds {AMOUNT} to the bin with the whole part of that."
    if SHARE != "one bin":
        VOTES = (
            "With f the fraction of that, the pixel adds {AMOUNT}, times 1 - f, to the bin with "
            "its whole part, and times f to "
        )
        VOTES += "the next bin; the first one follows the last."
    WHERE = {
        "cell by cell": "Cells have 4 × 4 pixels; `{cells}[a, b]` is the histogram of cell (a, b), "
        "the one of the pixel being (⌊i / 4⌋, ⌊j / 4⌋).",
        "over the whole image": "{hist} is the histogram of all pixels.",
        "row by row": "`{lines}[i]` is the histogram of row i.",
    }[HELD]
    IN_EACH = " in {hist}" if HELD == "over the whole image" else ""

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Colour] = input(rows, cols, low=0.0, high=1.0),
        slopes: wp.array2d[wp.vec2] = input(rows, cols, low=-1.0, high=1.0),
        weights: wp.array2d[float] = input(rows, cols, low=0.2, high=1.0),
        cells: wp.array3d[float] = output(rows // cell, cols // cell, bins),
        lines: wp.array2d[float] = output(rows, bins),
        hist: wp.array[float] = output(bins),
    ):
        i, j = wp.tid()
        if IMAGE == "a gradient field":
            g = slopes[i, j]
            gx, gy = g[0], g[1]
            magnitude = wp.length(g)
        else:
            if IMAGE == "a periodic image by forward differences":
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
            sectors = cells.shape[2]
        elif HELD == "row by row":
            sectors = lines.shape[1]
        else:
            sectors = hist.shape[0]
        angle = wp.atan2(gy, gx)
        if angle < 0.0:
            if SIGN == "signed":
                angle += wp.TAU
            else:
                # opposite directions are the same
                angle += wp.PI
        position = angle / (wp.TAU if SIGN == "signed" else wp.PI) * float(sectors)
        # rounding may reach the end
        first = wp.clamp(int(position), 0, sectors - 1)
        if VOTE == "its squared magnitude":
            vote = magnitude * magnitude
        elif VOTE == "its weighted magnitude":
            vote = weights[i, j] * magnitude
        elif VOTE == "its gradient magnitude":
            vote = magnitude
        if SHARE == "one bin":
            if HELD == "cell by cell":
                wp.atomic_add(cells, i // cell, j // cell, first, 1.0 if VOTE == "one vote" else vote)
            elif HELD == "row by row":
                wp.atomic_add(lines, i, first, 1.0 if VOTE == "one vote" else vote)
            else:
                wp.atomic_add(hist, first, 1.0 if VOTE == "one vote" else vote)
        else:
            # what lies between two directions goes to both
            second = (first + 1) % sectors
            share = position - wp.floor(position)
            rest = 1.0 - share
            if VOTE != "one vote":
                share *= vote
                rest *= vote
            if HELD == "cell by cell":
                wp.atomic_add(cells, i // cell, j // cell, first, rest)
                wp.atomic_add(cells, i // cell, j // cell, second, share)
            elif HELD == "row by row":
                wp.atomic_add(lines, i, first, rest)
                wp.atomic_add(lines, i, second, share)
            else:
                wp.atomic_add(hist, first, rest)
                wp.atomic_add(hist, second, share)
