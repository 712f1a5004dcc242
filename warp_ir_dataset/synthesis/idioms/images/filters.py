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
        image: wp.array2d[Pixel] = given(rows, cols, low=0.0, high=1.0),
        out: wp.array2d[Pixel] = result(rows, cols),
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
        out: wp.array2d[Wanted] = result(rows, cols),
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
