"""Filters of images: blurs, edges, medians, and filters that keep edges."""

from __future__ import annotations

from ...pages.choices import TypeName
from ...pages.page import given, idiom, result, wp

BYTE = TypeName("wp.uint8")

NAMES = {
    "image": "image src img",
    "out": "out dst filtered",
    "i j": "i j | y x | row col",
    "di dj": "di dj | dy dx",
    "total": "total acc summed",
    "centre": "centre here pixel",
    "pixel_at": "pixel_at fetch tap",
}


@idiom(
    level=3,
    names=NAMES | {"norm": "norm weight_sum mass", "weight": "weight w tent", "kernel": "blur smooth"},
)
def kernel_convolution(c):
    """Blurs {PIXELS} {AXIS} with a {SHAPE} window, {EDGE}{WHAT}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    PIXELS, AXIS = (
        c.meaning("grey pixels", "colour pixels"),
        c.meaning("along rows", "along columns", "both ways"),
    )
    SHAPE = c.meaning("flat", "Gaussian", "triangular", "round")
    EDGE = c.meaning(
        "with its edge pixels repeated", "mirrored at its edges", "wrapped around", "cut off at its edges"
    )
    WHAT = c.meaning("", ", and keeps what the blur takes away")
    Pixel = float if PIXELS == "grey pixels" else c.vec(3)
    REACH, SIGMA = c.count(1, 2), c.constant(0.6, 1.6)

    def pixel_at(image: wp.array2d[Pixel], i: int, j: int) -> Pixel:
        rows = image.shape[0]
        cols = image.shape[1]
        if EDGE == "mirrored at its edges":
            y = rows - 1 - wp.abs(rows - 1 - wp.abs(i))
            x = cols - 1 - wp.abs(cols - 1 - wp.abs(j))
            return image[wp.clamp(y, 0, rows - 1), wp.clamp(x, 0, cols - 1)]
        elif EDGE == "wrapped around":
            return image[(i + rows) % rows, (j + cols) % cols]
        else:
            return image[wp.clamp(i, 0, rows - 1), wp.clamp(j, 0, cols - 1)]

    def window(di: int, dj: int) -> float:
        if SHAPE == "Gaussian":
            return wp.exp(-0.5 * float(di * di + dj * dj) / (SIGMA * SIGMA))
        elif SHAPE == "triangular":
            return float((REACH + 1 - wp.abs(di)) * (REACH + 1 - wp.abs(dj)))
        else:
            return wp.where(di * di + dj * dj <= REACH * REACH, 1.0, 0.2)

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = given(rows, cols, low=0.0, high=1.0, of="colour"),
        out: wp.array2d[Pixel] = result(rows, cols, of="colour"),
        detail: wp.array2d[Pixel] = result(rows, cols),
    ):
        i, j = wp.tid()
        total = Pixel(0.0)
        norm = float(0.0)
        if AXIS == "both ways":
            for di in range(-REACH, REACH + 1):
                for dj in range(-REACH, REACH + 1):
                    if EDGE == "cut off at its edges":
                        if i + di < 0 or i + di >= rows or j + dj < 0 or j + dj >= cols:
                            continue
                    weight = window(di, dj)
                    total += weight * pixel_at(image, i + di, j + dj)
                    norm += weight
        elif AXIS == "along rows":
            for dj in range(-REACH, REACH + 1):
                if EDGE == "cut off at its edges":
                    if j + dj < 0 or j + dj >= cols:
                        continue
                weight = window(0, dj)
                total += weight * pixel_at(image, i, j + dj)
                norm += weight
        else:
            for di in range(-REACH, REACH + 1):
                if EDGE == "cut off at its edges":
                    if i + di < 0 or i + di >= rows:
                        continue
                weight = window(di, 0)
                total += weight * pixel_at(image, i + di, j)
                norm += weight
        if WHAT:
            blurred = total / norm
            out[i, j] = blurred
            detail[i, j] = image[i, j] - blurred
        else:
            out[i, j] = total / norm


@idiom(
    level=3,
    names=NAMES
    | {"gx gy": "gx gy | dx dy | grad_x grad_y", "edge": "edge strength g", "kernel": "find_edges gradients"},
)
def sobel_edges(c):
    """The {WANTED} of {PIXELS} by {OPERATOR} differences, {EDGE}{CUT}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    OPERATOR, EDGE = (
        c.meaning("Sobel's", "Scharr's", "Prewitt's", "central"),
        c.meaning("clamped", "with an empty rim"),
    )
    WANTED = c.meaning("edge strength", "edge direction", "gradient")
    PIXELS = c.meaning("grey pixels", "the luma of colours", "bytes")
    CUT = c.meaning("", ", above a threshold")
    Pixel = {"grey pixels": float, "the luma of colours": c.vec(3), "bytes": BYTE}[PIXELS]
    Wanted = c.vec(2) if WANTED == "gradient" else float
    LEAST, HIGH = c.constant(0.05, 0.2), 255 if PIXELS == "bytes" else 1.0
    SIDE, DIAGONAL, NORM = {
        "Sobel's": (2.0, 1.0, 8.0),
        "Scharr's": (10.0, 3.0, 32.0),
        "Prewitt's": (1.0, 1.0, 6.0),
        "central": (1.0, 0.0, 2.0),
    }[OPERATOR]

    def grey(image: wp.array2d[Pixel], i: int, j: int) -> float:
        if EDGE == "clamped":
            pixel = image[wp.clamp(i, 0, image.shape[0] - 1), wp.clamp(j, 0, image.shape[1] - 1)]
        else:
            pixel = image[i, j]
        if PIXELS == "the luma of colours":
            return wp.dot(pixel, wp.vec3(0.2126, 0.7152, 0.0722))
        elif PIXELS == "bytes":
            return float(pixel) / 255.0
        else:
            return 1.0 * pixel

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = given(rows, cols, low=0, high=HIGH),
        out: wp.array2d[Wanted] = result(rows, cols, of="colour" if WANTED == "edge strength" else None),
    ):
        i, j = wp.tid()
        if EDGE == "with an empty rim":
            if i == 0 or j == 0 or i >= image.shape[0] - 1 or j >= image.shape[1] - 1:
                return
        gx = grey(image, i, j + 1) - grey(image, i, j - 1)
        gy = grey(image, i + 1, j) - grey(image, i - 1, j)
        if OPERATOR == "central":
            gx *= 0.5
            gy *= 0.5
        else:
            # the two diagonals belong to both directions
            falling = grey(image, i + 1, j + 1) - grey(image, i - 1, j - 1)
            rising = grey(image, i - 1, j + 1) - grey(image, i + 1, j - 1)
            gx = (SIDE * gx + DIAGONAL * (falling + rising)) / NORM
            gy = (SIDE * gy + DIAGONAL * (falling - rising)) / NORM
        if CUT:
            if wp.sqrt(gx * gx + gy * gy) < LEAST:
                return
        if WANTED == "gradient":
            out[i, j] = Wanted(gx, gy)
        elif WANTED == "edge direction":
            out[i, j] = wp.atan2(gy, gx)
        else:
            out[i, j] = wp.sqrt(gx * gx + gy * gy)


@idiom(
    level=2,
    names=NAMES
    | {
        "a b": "a b | before after | first second",
        "middle": "middle value chosen",
        "kernel": "rank_three filter_three",
    },
)
def median_of_three(c):
    """The {WANTED} of each pixel and {AROUND}{SPIKES}, for {PIXELS}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    AROUND = c.meaning("its left and right", "those above and below", "its diagonal neighbours")
    SPIKES, PIXELS = c.meaning("", ", where it is a spike"), c.meaning("grey pixels", "colours", "bytes")
    if PIXELS == "bytes":
        WANTED = c.meaning("median", "largest", "smallest")
    else:
        WANTED = c.meaning("median", "middle of the range", "largest", "smallest")
    Pixel = {"grey pixels": float, "colours": c.vec(3), "bytes": BYTE}[PIXELS]
    HIGH, JUMP = 255 if PIXELS == "bytes" else 1.0, c.constant(0.1, 0.4)

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = given(rows, cols, low=0, high=HIGH, of="colour"),
        out: wp.array2d[Pixel] = result(rows, cols, of="colour"),
    ):
        i, j = wp.tid()
        centre = image[i, j]
        if AROUND == "its left and right":
            a = image[i, wp.max(j - 1, 0)]
            b = image[i, wp.min(j + 1, image.shape[1] - 1)]
        elif AROUND == "those above and below":
            a = image[wp.max(i - 1, 0), j]
            b = image[wp.min(i + 1, image.shape[0] - 1), j]
        else:
            a = image[wp.max(i - 1, 0), wp.max(j - 1, 0)]
            b = image[wp.min(i + 1, image.shape[0] - 1), wp.min(j + 1, image.shape[1] - 1)]
        if WANTED == "median":
            middle = wp.max(wp.min(a, b), wp.min(wp.max(a, b), centre))
        elif WANTED == "largest":
            middle = wp.max(centre, wp.max(a, b))
        elif WANTED == "smallest":
            middle = wp.min(centre, wp.min(a, b))
        else:
            middle = 0.5 * (wp.min(centre, wp.min(a, b)) + wp.max(centre, wp.max(a, b)))
        if SPIKES:
            if PIXELS == "colours":
                out[i, j] = wp.where(wp.length(middle - centre) > JUMP, middle, centre)
            elif PIXELS == "bytes":
                out[i, j] = wp.where(wp.abs(int(middle) - int(centre)) > 20, middle, centre)
            else:
                out[i, j] = wp.where(wp.abs(middle - centre) > JUMP, middle, centre)
        else:
            out[i, j] = middle


@idiom(
    level=4,
    names=NAMES
    | {
        "weight": "weight w likeness",
        "norm": "norm mass weight_sum",
        "likeness": "likeness range_weight closeness",
        "kernel": "bilateral denoise",
    },
)
def bilateral_smoothing(c):
    """Smooths {PIXELS} in a {WINDOW} window, weighted by {likeness} of {GUIDE}{ADDED}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    PIXELS, GUIDE = c.meaning("grey pixels", "colours"), c.meaning("the pixels", "a guide", "depths")
    WINDOW, ADDED = (
        c.meaning("square", "Gaussian", "cross-shaped"),
        c.meaning("", ", and sharpens by what is left"),
    )
    Pixel = float if PIXELS == "grey pixels" else c.vec(3)
    Guide = c.vec(3) if GUIDE == "the pixels" and PIXELS == "colours" else float
    WIDTH, AMOUNT = c.constant(0.2, 0.6), c.constant(0.3, 0.9)

    def bell(difference: float) -> float:
        """a bell curve"""
        return wp.exp(-0.5 * difference * difference / (WIDTH * WIDTH))

    def tukey(difference: float) -> float:
        """Tukey's biweight"""
        rest = wp.max(1.0 - difference * difference / (4.0 * WIDTH * WIDTH), 0.0)
        return rest * rest

    def threshold(difference: float) -> float:
        """a threshold"""
        return wp.where(difference < WIDTH, 1.0, 0.0)

    def inverse(difference: float) -> float:
        """the inverse difference"""
        return WIDTH / (WIDTH + difference)

    likeness = c.meaning(bell, tukey, threshold, inverse)

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = given(rows, cols, low=0.0, high=1.0, of="colour"),
        guide: wp.array2d[float] = given(rows, cols, low=0.0, high=1.0),
        out: wp.array2d[Pixel] = result(rows, cols, of="colour"),
    ):
        i, j = wp.tid()
        if GUIDE == "the pixels":
            own = image[i, j]
        else:
            own = guide[i, j]
        total = Pixel(0.0)
        norm = float(0.0)
        for di in range(-1, 2):
            for dj in range(-1, 2):
                if WINDOW == "cross-shaped":
                    if di * dj != 0:
                        continue
                row = wp.clamp(i + di, 0, image.shape[0] - 1)
                col = wp.clamp(j + dj, 0, image.shape[1] - 1)
                if GUIDE == "depths":
                    # depths differ by their ratio
                    weight = likeness(wp.abs(guide[row, col] - own) / (own + 0.1))
                elif GUIDE == "a guide":
                    weight = likeness(wp.abs(guide[row, col] - own))
                elif PIXELS == "colours":
                    weight = likeness(wp.length(image[row, col] - own))
                else:
                    weight = likeness(wp.abs(image[row, col] - own))
                if WINDOW == "Gaussian":
                    weight *= wp.exp(-0.5 * float(di * di + dj * dj))
                total += weight * image[row, col]
                norm += weight
        if ADDED:
            smooth = total / norm
            out[i, j] = image[i, j] + AMOUNT * (image[i, j] - smooth)
        else:
            out[i, j] = total / norm


@idiom(
    level=3,
    names=NAMES
    | {"x y": "x y | col row", "fine": "fine big full", "kernel": "next_level shrink halve_image"},
)
def image_pyramid_level(c):
    """The next {WAY} level of a pyramid of {PIXELS}, by {RULE}{DETAIL}."""
    rows, cols = c.size(3, 4), c.size(3, 5)
    WAY, PIXELS = c.meaning("smaller", "larger"), c.meaning("grey pixels", "colours")
    if WAY == "smaller":
        RULE = c.meaning("means of four", "the largest of four", "binomial weights", "every other pixel")
    else:
        RULE = c.meaning("copies", "interpolation")
    DETAIL = c.meaning("", ", with a gain", ", blended with a finer image", ", kept within bounds")
    Pixel = float if PIXELS == "grey pixels" else c.vec(3)
    GAIN, SCALE = c.constant(0.5, 1.8), 2 if WAY == "smaller" else 1

    @c.kernel(rows * (1 if WAY == "smaller" else 2), cols * (1 if WAY == "smaller" else 2))
    def kernel(
        image: wp.array2d[Pixel] = given(rows * SCALE, cols * SCALE, low=0.0, high=1.0),
        finer: wp.array2d[Pixel] = given(
            rows * 2 // SCALE, cols * 2 // SCALE, low=0.0, high=1.0, of="colour"
        ),
        out: wp.array2d[Pixel] = result(rows * 2 // SCALE, cols * 2 // SCALE, of="colour"),
    ):
        i, j = wp.tid()
        if WAY == "smaller":
            y = 2 * i
            x = 2 * j
            if RULE == "means of four":
                value = 0.25 * (image[y, x] + image[y, x + 1] + image[y + 1, x] + image[y + 1, x + 1])
            elif RULE == "the largest of four":
                upper = wp.max(image[y, x], image[y, x + 1])
                value = wp.max(upper, wp.max(image[y + 1, x], image[y + 1, x + 1]))
            elif RULE == "binomial weights":
                value = Pixel(0.0)
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        weight = float((2 - wp.abs(di)) * (2 - wp.abs(dj))) / 16.0
                        value += weight * image[wp.max(y + di, 0), wp.max(x + dj, 0)]
            else:
                value = image[y, x]
        else:
            y = i // 2
            x = j // 2
            if RULE == "copies":
                value = image[y, x]
            else:
                # the nearest pixels on the side of this quarter
                row = wp.clamp(y + 2 * (i % 2) - 1, 0, image.shape[0] - 1)
                col = wp.clamp(x + 2 * (j % 2) - 1, 0, image.shape[1] - 1)
                value = (
                    0.5625 * image[y, x] + 0.1875 * (image[row, x] + image[y, col]) + 0.0625 * image[row, col]
                )
        if DETAIL == ", with a gain":
            value *= GAIN
        elif DETAIL == ", blended with a finer image":
            value = wp.lerp(value, finer[i, j], 0.5)
        elif DETAIL == ", kept within bounds":
            if PIXELS == "grey pixels":
                value = wp.clamp(value, 0.2, 0.8)
            else:
                value = wp.min(value, Pixel(0.8))
        out[i, j] = value
