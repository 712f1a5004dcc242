"""Filters of images: blurs, edges, medians, and filters that keep edges."""

from __future__ import annotations

from ...templates.choices import TypeName
from ...templates.template import idiom, input, output, wp

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
    differentiable=False,
    names=NAMES | {"norm": "norm weight_sum mass", "weight": "weight w", "kernel": "blur smooth"},
)
def kernel_convolution(c):
    """Blurs {PIXELS} {AXIS} with a {SHAPE} window, {EDGE}{WHAT}.

    Blur {image} {AXIS} and store the result in {out}. Each pixel becomes the {MEAN} of the pixels up to
    {reach} away, {ALONG}; {WEIGHTS}. {BEYOND}{LOST}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    PIXELS = c.meaning("a grey image", "a colour image")
    AXIS = c.meaning("along its rows", "along its columns", "in both directions")
    BOTH = AXIS == "in both directions"
    SHAPE = c.meaning("box", "Gaussian", "triangular", "round" if BOTH else "parabolic")
    EDGE = c.meaning(
        "repeating edge pixels", "mirrored at its edges", "periodic at its edges", "cut off at its edges"
    )
    WHAT = c.meaning("", ", and keeps what the blur takes away")
    Pixel = float if PIXELS == "a grey image" else c.vec(3)
    if SHAPE in ("box", "round"):
        c.names({"norm": "count taps"})

    def inside(k: int, n: int) -> int:
        """The row or column that stands for one beyond the edges."""
        if EDGE == "mirrored at its edges":
            return n - 1 - wp.abs(n - 1 - wp.abs(k))
        elif EDGE == "periodic at its edges":
            return (k + n) % n
        else:
            return wp.clamp(k, 0, n - 1)

    def window(k: int, reach: int) -> float:
        if SHAPE == "Gaussian":
            # the window reaches to two standard deviations
            return wp.exp(-2.0 * float(k * k) / float(reach * reach))
        elif SHAPE == "triangular":
            return float(reach + 1 - wp.abs(k))
        else:
            return float((reach + 1) * (reach + 1) - k * k)

    ALONG = {
        "along its rows": "in its row",
        "along its columns": "in its column",
        "in both directions": "by row and by column",
    }[AXIS]
    MEAN = "mean" if SHAPE in ("box", "round") else "weighted mean"
    WEIGHTS = {
        "box": "the window is a box",
        "round": (
            "the window is round and holds those with di² + dj² ≤ {reach}², where di and dj are the"
            " distances along the axes"
        ),
        "Gaussian": "the weights are Gaussian, exp(-2·k² / {reach}²) at distance k",
        "triangular": "the weights are triangular, {reach} + 1 - |k| at distance k",
        "parabolic": "the weights are parabolic, ({reach} + 1)² - k² at distance k",
    }[SHAPE]
    if BOTH and SHAPE in ("Gaussian", "triangular"):
        WEIGHTS += ", the product of those along the two axes"
    BEYOND = {
        "repeating edge pixels": "Beyond the edges the pixels at the edge are repeated.",
        "mirrored at its edges": (
            "Beyond the edges the image is mirrored about its edge pixels, which are not repeated."
        ),
        "periodic at its edges": "The image is periodic.",
        "cut off at its edges": (
            "The window is cut off at the edges: the mean is over those of its pixels that exist."
        ),
    }[EDGE]
    LOST = ""
    if WHAT:
        LOST = " Store in {detail} the part that the blur takes away, the pixel less its blurred value."

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = input(rows, cols, low=0.0, high=1.0, of="colour"),
        reach: int = input(low=1, high=3),
        out: wp.array2d[Pixel] = output(rows, cols, of="colour"),
        detail: wp.array2d[Pixel] = output(rows, cols),
    ):
        i, j = wp.tid()
        total = Pixel(0.0)
        norm = float(0.0)
        if BOTH:
            for di in range(-reach, reach + 1):
                for dj in range(-reach, reach + 1):
                    if EDGE == "cut off at its edges":
                        row = i + di
                        col = j + dj
                        if row < 0 or row >= image.shape[0] or col < 0 or col >= image.shape[1]:
                            continue
                    if SHAPE == "round":
                        if di * di + dj * dj > reach * reach:
                            continue
                    if EDGE == "cut off at its edges":
                        pixel = image[row, col]
                    else:
                        pixel = image[inside(i + di, image.shape[0]), inside(j + dj, image.shape[1])]
                    if SHAPE == "box" or SHAPE == "round":
                        total += pixel
                        norm += 1.0
                    else:
                        weight = window(di, reach) * window(dj, reach)
                        total += weight * pixel
                        norm += weight
        else:
            for k in range(-reach, reach + 1):
                if AXIS == "along its rows":
                    if EDGE == "cut off at its edges":
                        col = j + k
                        if col < 0 or col >= image.shape[1]:
                            continue
                        pixel = image[i, col]
                    else:
                        pixel = image[i, inside(j + k, image.shape[1])]
                else:
                    if EDGE == "cut off at its edges":
                        row = i + k
                        if row < 0 or row >= image.shape[0]:
                            continue
                        pixel = image[row, j]
                    else:
                        pixel = image[inside(i + k, image.shape[0]), j]
                if SHAPE == "box":
                    total += pixel
                    norm += 1.0
                else:
                    weight = window(k, reach)
                    total += weight * pixel
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
    """The {WANTED} of {PIXELS} by {METHOD}, {EDGE}{CUT}.

    Find the {WANTED} {OF} by {METHOD} and store it in {out}. With v(i, j) the {VALUE}, {FORMULA}.{RESULT}

    {BEYOND}{WEAK}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    OPERATOR = c.meaning("Sobel's", "Scharr's", "Prewitt's", "central")
    WANTED = c.meaning("gradient magnitude", "gradient direction", "gradient")
    PIXELS = c.meaning("grey pixels", "the luma of colours", "grey bytes")
    if PIXELS == "grey pixels":
        EDGE = c.meaning("with edge pixels repeated", "periodic at the edges")
    else:
        EDGE = c.meaning("with edge pixels repeated", "with an empty rim")
    CUT = c.meaning("", ", zero below a threshold" if "rim" not in EDGE else " and zero below a threshold")
    METHOD = "central differences" if OPERATOR == "central" else f"{OPERATOR} operator"
    Pixel = {"grey pixels": float, "the luma of colours": c.vec(3), "grey bytes": BYTE}[PIXELS]
    Wanted = c.vec(2) if WANTED == "gradient" else float
    THRESHOLD, HIGH = c.constant(0.05, 0.2), 255 if PIXELS == "grey bytes" else 1.0
    SIDE, DIAGONAL, NORM = {
        "Sobel's": (2.0, 1.0, 8.0),
        "Scharr's": (10.0, 3.0, 32.0),
        "Prewitt's": (1.0, 1.0, 6.0),
        "central": (1.0, 0.0, 2.0),
    }[OPERATOR]
    c.names({"grey": "luma_at grey" if PIXELS == "the luma of colours" else "pixel_at value_at tap"})
    if WANTED == "gradient magnitude":
        if OPERATOR != "Sobel's":
            c.names({"kernel": "find_edges edge_strength"})
    elif WANTED == "gradient":
        c.names({"kernel": "image_gradients gradients", "out": "out slopes grads"})
    else:
        c.names({"kernel": "gradient_directions edge_directions", "out": "out directions angles"})

    def grey(image: wp.array2d[Pixel], i: int, j: int) -> float:
        if EDGE == "periodic at the edges":
            return image[(i + image.shape[0]) % image.shape[0], (j + image.shape[1]) % image.shape[1]]
        elif PIXELS == "grey pixels":
            return image[wp.clamp(i, 0, image.shape[0] - 1), wp.clamp(j, 0, image.shape[1] - 1)]
        else:
            if EDGE == "with edge pixels repeated":
                pixel = image[wp.clamp(i, 0, image.shape[0] - 1), wp.clamp(j, 0, image.shape[1] - 1)]
            else:
                pixel = image[i, j]
            if PIXELS == "the luma of colours":
                return wp.dot(pixel, wp.vec3(0.2126, 0.7152, 0.0722))
            else:
                return float(pixel) / 255.0

    OF = "of {image}"
    VALUE = {
        "grey pixels": "pixel in row i and column j",
        "the luma of colours": (
            "luma of the pixel in row i and column j, 0.2126·red + 0.7152·green + 0.0722·blue"
        ),
        "grey bytes": "byte in row i and column j over 255",
    }[PIXELS]
    FORMULA = "gx is half of v(i, j + 1) - v(i, j - 1), and gy is half of v(i + 1, j) - v(i - 1, j)"
    if OPERATOR != "central":
        FORMULA = (
            "gx is the sum of v(k, j + 1) - v(k, j - 1) over the rows k = i - 1, i and i + 1,"
            " weighted {DIAGONAL}, {SIDE},"
            " {DIAGONAL} and divided by {NORM}, and gy is the same with rows and columns exchanged"
        )
    RESULT = {
        "gradient magnitude": " The magnitude is √(gx² + gy²).",
        "gradient direction": " The direction is atan2(gy, gx).",
        "gradient": " The gradient is (gx, gy).",
    }[WANTED]
    BEYOND = {
        "with edge pixels repeated": "Beyond the edges the pixels at the edge are repeated.",
        "periodic at the edges": "The image is periodic.",
        "with an empty rim": "Pixels at the edges get zero.",
    }[EDGE]
    WEAK = " Where the magnitude √(gx² + gy²) does not exceed {THRESHOLD}, the result is zero." if CUT else ""

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = input(rows, cols, low=0, high=HIGH),
        out: wp.array2d[Wanted] = output(rows, cols, of="colour" if WANTED == "gradient magnitude" else None),
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
        if WANTED == "gradient" and CUT:
            out[i, j] = wp.where(edge > THRESHOLD, Wanted(gx, gy), Wanted())
        elif WANTED == "gradient":
            out[i, j] = Wanted(gx, gy)
        elif WANTED == "gradient direction" and CUT:
            out[i, j] = wp.where(edge > THRESHOLD, wp.atan2(gy, gx), 0.0)
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
    """Sharpens {PIXELS} by {DETAIL}{GAIN}{KEPT}.

    Sharpen {image}, pixel by pixel, into {out}: add {FACTOR} times the detail. The detail is
    {DETAILED}.{FADED}{STORED}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    PIXELS = c.meaning("grey pixels", "colours")
    DETAIL = c.meaning(
        "their difference from a blurred image",
        "their difference from the neighbours in the row",
        "their difference from the neighbours in the column",
        "the difference of two blurs",
    )
    GAIN = c.meaning("", ", with a gain for each pixel", ", with a gain that halves towards the corners")
    KEPT = c.meaning("", ", and stores the details too")
    Pixel, AMOUNT = float if PIXELS == "grey pixels" else c.vec(3), c.constant(0.3, 1.5)
    if "neighbours" in DETAIL:
        c.names({"kernel": "sharpen laplacian_sharpening", "detail": "detail bump"})
    elif DETAIL == "the difference of two blurs":
        c.names({"detail": "detail band", "blurred": "fine narrow", "coarse": "coarse wide"})
    else:
        c.names({"detail": "detail high"})
    FACTOR = "{gains}" if GAIN == ", with a gain for each pixel" else "{AMOUNT}"
    DETAILED = {
        "their difference from a blurred image": "the pixel less the blurred one, {blurred}",
        "the difference of two blurs": "the difference of two blurred images, {blurred} - {coarse}",
        "their difference from the neighbours in the row": (
            "the pixel less the mean of its left and right neighbours; at the edges the pixel itself"
            " stands in for one that is missing"
        ),
        "their difference from the neighbours in the column": (
            "the pixel less the mean of its neighbours above and below; at the edges the pixel itself"
            " stands in for one that is missing"
        ),
    }[DETAIL]
    FADED = ""
    if GAIN == ", with a gain that halves towards the corners":
        FADED = (
            " The factor falls towards the corners, to one half of it: multiply it by 1 - 0.25·(X² + Y²),"
            " where X goes from -1 in the first column of {image} to 1 in the last, and Y likewise over the"
            " rows."
        )
    STORED = " Store the detail in {details}." if KEPT else ""

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = input(rows, cols, low=0.0, high=1.0),
        blurred: wp.array2d[Pixel] = input(rows, cols, low=0.2, high=0.8),
        coarse: wp.array2d[Pixel] = input(rows, cols, low=0.3, high=0.7),
        gains: wp.array2d[float] = input(rows, cols, low=0.2, high=1.5),
        out: wp.array2d[Pixel] = output(rows, cols),
        details: wp.array2d[Pixel] = output(rows, cols),
    ):
        i, j = wp.tid()
        centre = image[i, j]
        if DETAIL == "their difference from a blurred image":
            detail = centre - blurred[i, j]
        elif DETAIL == "the difference of two blurs":
            # the band between two scales
            detail = blurred[i, j] - coarse[i, j]
        elif DETAIL == "their difference from the neighbours in the row":
            left = image[i, wp.max(j - 1, 0)]
            right = image[i, wp.min(j + 1, image.shape[1] - 1)]
            detail = centre - 0.5 * (left + right)
        else:
            upper = image[wp.max(i - 1, 0), j]
            lower = image[wp.min(i + 1, image.shape[0] - 1), j]
            detail = centre - 0.5 * (upper + lower)
        if KEPT:
            details[i, j] = detail
        if GAIN == "":
            out[i, j] = centre + AMOUNT * detail
        elif GAIN == ", with a gain for each pixel":
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
    """The {WANTED} at each pixel of a height map, by {SCHEME} differences that are {EDGE}.

    Find the {NAMED} at each pixel of a height map, {heights}, and store it in {out}. The slope S has the
    components along columns (to the right) and along rows (downwards), {DIFFERENCES}. {FORMULA}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    WANTED = c.meaning(
        "normal", "normal as a colour", "relief shading", "slope in radians", "gradient direction"
    )
    SCHEME = c.meaning("central", "forward", "backward")
    OPEN = {
        "central": "one-sided at the edges",
        "forward": "zero in the last row and column",
        "backward": "zero in the first row and column",
    }[SCHEME]
    EDGE = c.meaning(OPEN, "periodic")
    Wanted = c.vec(3) if WANTED[:6] == "normal" else float
    STEEP = c.constant(2.0, 5.0)
    KERNELS, OUT = {
        "normal": ("bump_normals normal_from_heights", "out normals"),
        "normal as a colour": ("bake_normals bump_normals", "out normal_map"),
        "relief shading": ("shade_relief hillshade", "out relief"),
        "slope in radians": ("slope_map steepness", "out slopes"),
        "gradient direction": ("gradient_directions uphill_directions", "out directions"),
    }[WANTED]
    c.names({"kernel": KERNELS, "out": OUT})
    NAMED = {
        "normal": "normal",
        "normal as a colour": "normal, as a colour,",
        "relief shading": "relief shading",
        "slope in radians": "slope angle in radians",
        "gradient direction": "direction of the gradient",
    }[WANTED]
    DIFFERENCES = {
        "central": "by central differences, the next pixel less the one before over 2",
        "forward": "by forward differences, the next pixel less this one",
        "backward": "by backward differences, this pixel less the one before",
    }[SCHEME]
    if EDGE == "periodic":
        DIFFERENCES += "; the map is periodic"
    elif SCHEME == "central":
        DIFFERENCES += "; at the edges they are one-sided, between the two pixels there, over 1"
    else:
        DIFFERENCES += "; they are {EDGE}"
    FORMULA = {
        "normal": "The normal is (-S.x, -S.y, 1), with S multiplied by {STEEP} before, normalized.",
        "normal as a colour": (
            "The normal N is (-S.x, -S.y, 1), with S multiplied by {STEEP} before, normalized; the colour"
            " is ½·N + ½ in each channel."
        ),
        "relief shading": (
            "The normal N is (-S.x, -S.y, 1), with S multiplied by {STEEP} before, normalized; the"
            " shading is max(N·{light}, 0)."
        ),
        "slope in radians": "The angle is atan({STEEP}·|S|).",
        "gradient direction": "The direction is atan2(S.y, S.x), which is 0 where S is zero.",
    }[WANTED]

    @c.kernel(rows, cols)
    def kernel(
        heights: wp.array2d[float] = input(rows, cols, low=0.0, high=1.0),
        light: wp.vec3 = input(low=0.1, high=1.0, trait="unit"),
        out: wp.array2d[Wanted] = output(rows, cols),
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
                slope = 0.5 * wp.vec2(right - left, below - above)
            else:
                # two pixels apart, but one at the edges
                run_x = wp.min(j + 1, heights.shape[1] - 1) - wp.max(j - 1, 0)
                run_y = wp.min(i + 1, heights.shape[0] - 1) - wp.max(i - 1, 0)
                slope = wp.vec2((right - left) / float(run_x), (below - above) / float(run_y))
        elif SCHEME == "forward":
            slope = wp.vec2(right - here, below - here)
        else:
            slope = wp.vec2(here - left, here - above)
        if WANTED != "gradient direction":
            slope *= STEEP
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
