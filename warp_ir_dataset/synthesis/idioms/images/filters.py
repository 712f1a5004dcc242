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
    names=NAMES | {"norm": "norm weight_sum mass", "weight": "weight w", "kernel": "blur smooth"},
)
def kernel_convolution(c):
    """Blurs {PIXELS} {AXIS} with a {SHAPE} window, {EDGE}{WHAT}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    PIXELS = c.meaning("grey pixels", "colour pixels")
    AXIS = c.meaning("along rows", "along columns", "both ways")
    SHAPE = c.meaning("box", "Gaussian", "triangular", "round" if AXIS == "both ways" else "parabolic")
    EDGE = c.meaning(
        "with its edge pixels repeated",
        "mirrored at its edges",
        "periodic at its edges",
        "cut off at its edges",
    )
    WHAT = c.meaning("", ", and keeps what the blur takes away")
    Pixel = float if PIXELS == "grey pixels" else c.vec(3)

    def pixel_at(image: wp.array2d[Pixel], i: int, j: int) -> Pixel:
        rows = image.shape[0]
        cols = image.shape[1]
        if EDGE == "mirrored at its edges":
            y = rows - 1 - wp.abs(rows - 1 - wp.abs(i))
            x = cols - 1 - wp.abs(cols - 1 - wp.abs(j))
            return image[wp.clamp(y, 0, rows - 1), wp.clamp(x, 0, cols - 1)]
        elif EDGE == "periodic at its edges":
            return image[(i + rows) % rows, (j + cols) % cols]
        else:
            return image[wp.clamp(i, 0, rows - 1), wp.clamp(j, 0, cols - 1)]

    def window(di: int, dj: int, reach: int) -> float:
        if SHAPE == "Gaussian":
            return wp.exp(-2.0 * float(di * di + dj * dj) / float(reach * reach))
        elif SHAPE == "triangular":
            return float((reach + 1 - wp.abs(di)) * (reach + 1 - wp.abs(dj)))
        elif SHAPE == "parabolic":
            return float((reach + 1) * (reach + 1) - di * di - dj * dj)
        else:
            return wp.where(di * di + dj * dj <= reach * reach, 1.0, 0.0)

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = given(rows, cols, low=0.0, high=1.0, of="colour"),
        reach: int = given(low=1, high=3),
        out: wp.array2d[Pixel] = result(rows, cols, of="colour"),
        detail: wp.array2d[Pixel] = result(rows, cols),
    ):
        i, j = wp.tid()
        total = Pixel(0.0)
        norm = float(0.0)
        if AXIS == "both ways":
            for di in range(-reach, reach + 1):
                for dj in range(-reach, reach + 1):
                    if EDGE == "cut off at its edges":
                        if i + di < 0 or i + di >= image.shape[0]:
                            continue
                        if j + dj < 0 or j + dj >= image.shape[1]:
                            continue
                    if SHAPE == "box":
                        total += pixel_at(image, i + di, j + dj)
                        norm += 1.0
                    else:
                        weight = window(di, dj, reach)
                        total += weight * pixel_at(image, i + di, j + dj)
                        norm += weight
        else:
            for k in range(-reach, reach + 1):
                row = i + k if AXIS == "along columns" else i
                col = j if AXIS == "along columns" else j + k
                if EDGE == "cut off at its edges":
                    if AXIS == "along rows":
                        if col < 0 or col >= image.shape[1]:
                            continue
                    elif row < 0 or row >= image.shape[0]:
                        continue
                if SHAPE == "box":
                    total += pixel_at(image, row, col)
                    norm += 1.0
                else:
                    weight = window(0, k, reach)
                    total += weight * pixel_at(image, row, col)
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
    | {
        "gx gy": "gx gy | dx dy | grad_x grad_y",
        "edge": "edge strength g",
        "kernel": "find_edges sobel_filter",
    },
)
def sobel_edges(c):
    """The {WANTED} of {PIXELS} by {OPERATOR} differences, {EDGE}{CUT}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    OPERATOR, EDGE = (
        c.meaning("Sobel's", "Scharr's", "Prewitt's", "central"),
        c.meaning("clamped", "with an empty rim"),
    )
    WANTED = c.meaning("gradient magnitude", "gradient direction", "gradient")
    PIXELS = c.meaning("grey pixels", "the luma of colours", "bytes")
    CUT = c.meaning("", ", above a threshold")
    Pixel = {"grey pixels": float, "the luma of colours": c.vec(3), "bytes": BYTE}[PIXELS]
    Wanted = c.vec(2) if WANTED == "gradient" else float
    THRESHOLD, HIGH = c.constant(0.05, 0.2), 255 if PIXELS == "bytes" else 1.0
    SIDE, DIAGONAL, NORM = {
        "Sobel's": (2.0, 1.0, 8.0),
        "Scharr's": (10.0, 3.0, 32.0),
        "Prewitt's": (1.0, 1.0, 6.0),
        "central": (1.0, 0.0, 2.0),
    }[OPERATOR]
    if WANTED == "gradient magnitude":
        if OPERATOR != "Sobel's":
            c.names({"kernel": "find_edges edge_strength"})
    elif WANTED == "gradient":
        c.names({"kernel": "image_gradients gradients", "out": "out slopes grads"})
    else:
        c.names({"kernel": "gradient_directions edge_directions", "out": "out directions angles"})

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
        out: wp.array2d[Wanted] = result(rows, cols, of="colour" if WANTED == "gradient magnitude" else None),
    ):
        i, j = wp.tid()
        if EDGE == "with an empty rim":
            if i == 0 or j == 0 or i >= image.shape[0] - 1 or j >= image.shape[1] - 1:
                if WANTED == "gradient":
                    out[i, j] = wp.vec2()
                else:
                    out[i, j] = 0.0
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
        if CUT or WANTED == "gradient magnitude":
            edge = wp.sqrt(gx * gx + gy * gy)
        if CUT and WANTED != "gradient magnitude":
            gx = wp.where(edge > THRESHOLD, gx, 0.0)
            gy = wp.where(edge > THRESHOLD, gy, 0.0)
        if WANTED == "gradient":
            out[i, j] = Wanted(gx, gy)
        elif WANTED == "gradient direction":
            out[i, j] = wp.atan2(gy, gx)
        elif CUT:
            out[i, j] = wp.where(edge > THRESHOLD, edge, 0.0)
        else:
            out[i, j] = edge


@idiom(
    level=2,
    names=NAMES
    | {"blurred": "blurred smooth low", "detail": "detail high laplacian", "kernel": "sharpen unsharp_mask"},
)
def unsharp_masking(c):
    """Sharpens {PIXELS} by {DETAIL}, {GAIN}{KEPT}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    PIXELS = c.meaning("grey pixels", "colours")
    DETAIL = c.meaning(
        "their difference to a blurred image",
        "the Laplacian along rows",
        "the Laplacian along columns",
        "the difference of two blurs",
    )
    GAIN = c.meaning("with one gain", "with a gain for each pixel", "with a gain that falls to the corners")
    KEPT = c.meaning("", ", and keeps the details apart")
    Pixel, AMOUNT = float if PIXELS == "grey pixels" else c.vec(3), c.constant(0.3, 1.5)
    if "Laplacian" in DETAIL:
        c.names({"kernel": "sharpen laplacian_sharpening", "detail": "detail bump"})
    else:
        c.names({"detail": "detail high"})

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = given(rows, cols, low=0.0, high=1.0),
        blurred: wp.array2d[Pixel] = given(rows, cols, low=0.2, high=0.8),
        coarse: wp.array2d[Pixel] = given(rows, cols, low=0.3, high=0.7),
        gains: wp.array2d[float] = given(rows, cols, low=0.2, high=1.5),
        out: wp.array2d[Pixel] = result(rows, cols),
        details: wp.array2d[Pixel] = result(rows, cols),
    ):
        i, j = wp.tid()
        centre = image[i, j]
        if DETAIL == "their difference to a blurred image":
            detail = centre - blurred[i, j]
        elif DETAIL == "the difference of two blurs":
            # the band between two scales
            detail = blurred[i, j] - coarse[i, j]
        elif DETAIL == "the Laplacian along rows":
            left = image[i, wp.max(j - 1, 0)]
            right = image[i, wp.min(j + 1, image.shape[1] - 1)]
            detail = centre - 0.5 * (left + right)
        else:
            upper = image[wp.max(i - 1, 0), j]
            lower = image[wp.min(i + 1, image.shape[0] - 1), j]
            detail = centre - 0.5 * (upper + lower)
        if KEPT:
            details[i, j] = detail
        if GAIN == "with one gain":
            out[i, j] = centre + AMOUNT * detail
        elif GAIN == "with a gain for each pixel":
            out[i, j] = centre + gains[i, j] * detail
        else:
            x = 2.0 * float(j) / float(image.shape[1] - 1) - 1.0
            y = 2.0 * float(i) / float(image.shape[0] - 1) - 1.0
            out[i, j] = centre + AMOUNT * (1.0 - 0.25 * (x * x + y * y)) * detail


@idiom(
    level=3,
    names=NAMES
    | {
        "heights": "heights height_map bumps",
        "slope": "slope gradient tilt",
        "normal": "normal n facing",
        "kernel": "bump_normals bake_normals",
    },
)
def normal_from_heights(c):
    """The {WANTED} of each pixel of a height map, by {SCHEME} differences that are {EDGE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    WANTED = c.meaning(
        "normal", "normal as a colour", "relief shading", "slope in radians", "gradient direction"
    )
    SCHEME = c.meaning("central", "forward", "backward")
    EDGE = c.meaning("one-sided at edges" if SCHEME == "central" else "zero at one edge", "periodic")
    Wanted = c.vec(3) if WANTED[:6] == "normal" else float
    STEEP = c.constant(0.5, 3.0)
    c.names(
        {
            "kernel": {
                "normal": "bump_normals normal_from_heights",
                "normal as a colour": "bake_normals bump_normals",
                "relief shading": "shade_relief hillshade",
                "slope in radians": "slope_map steepness",
                "gradient direction": "slope_aspect gradient_directions",
            }[WANTED]
        }
    )

    @c.kernel(rows, cols)
    def kernel(
        heights: wp.array2d[float] = given(rows, cols, low=0.0, high=1.0),
        light: wp.vec3 = given(low=0.1, high=1.0, trait="unit"),
        out: wp.array2d[Wanted] = result(rows, cols),
    ):
        i, j = wp.tid()
        if EDGE == "periodic":
            rows = heights.shape[0]
            cols = heights.shape[1]
        if SCHEME != "central":
            here = heights[i, j]
        if SCHEME != "backward":
            if EDGE == "periodic":
                right = heights[i, (j + 1) % cols]
                below = heights[(i + 1) % rows, j]
            else:
                right = heights[i, wp.min(j + 1, heights.shape[1] - 1)]
                below = heights[wp.min(i + 1, heights.shape[0] - 1), j]
        if SCHEME != "forward":
            if EDGE == "periodic":
                left = heights[i, (j + cols - 1) % cols]
                above = heights[(i + rows - 1) % rows, j]
            else:
                left = heights[i, wp.max(j - 1, 0)]
                above = heights[wp.max(i - 1, 0), j]
        if SCHEME == "central":
            if EDGE == "periodic":
                slope = 0.5 * STEEP * wp.vec2(right - left, below - above)
            else:
                # two pixels apart, but one at the edges
                width = wp.min(j + 1, heights.shape[1] - 1) - wp.max(j - 1, 0)
                height = wp.min(i + 1, heights.shape[0] - 1) - wp.max(i - 1, 0)
                slope = STEEP * wp.vec2((right - left) / float(width), (below - above) / float(height))
        elif SCHEME == "forward":
            slope = STEEP * wp.vec2(right - here, below - here)
        else:
            slope = STEEP * wp.vec2(here - left, here - above)
        if WANTED == "slope in radians":
            out[i, j] = wp.atan(wp.length(slope))
        elif WANTED == "gradient direction":
            out[i, j] = wp.atan2(slope[1], slope[0])
        else:
            normal = wp.normalize(wp.vec3(-slope[0], -slope[1], 1.0))
            if WANTED == "normal":
                out[i, j] = normal
            elif WANTED == "normal as a colour":
                # components from -1 to 1 become channels from 0 to 1
                out[i, j] = 0.5 * normal + wp.vec3(0.5)
            else:
                out[i, j] = wp.max(wp.dot(normal, light), 0.0)
