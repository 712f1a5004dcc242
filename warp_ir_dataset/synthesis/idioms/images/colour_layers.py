"""Colours together: layers, dither."""

from __future__ import annotations

from ...pages.choices import TypeName
from ...pages.page import given, idiom, result, updated, wp

BYTE = TypeName("wp.uint8")
NAMES = {
    "image": "image pixels img",
    "out": "out result dst",
    "i j": "i j | y x | row col",
    "colour": "colour rgb pixel",
    "grey": "grey luma lightness",
    "r g b": "r g b | red green blue",
}


@idiom(
    level=4,
    names=NAMES
    | {
        "blend": "blend mode mixed",
        "below above": "below above | base layer | backdrop source",
        "kernel": "blend composite",
    },
)
def blend_layers(c):
    """Lays one image over another by {blend} blending with {COVER}{MASK}{WHERE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    COVER, MASK = (
        c.meaning("alpha of each pixel", "constant opacity", "a fade to the right"),
        c.meaning("", ", inside a mask"),
    )
    WHERE = c.meaning("", ", in place", ", and adds up the change")
    OPACITY = c.constant(0.3, 0.9)

    def multiply(a: float, b: float) -> float:
        """multiply"""
        return a * b

    def screen(a: float, b: float) -> float:
        """screen"""
        return a + b - a * b

    def overlay(a: float, b: float) -> float:
        """overlay"""
        if a < 0.5:
            return 2.0 * a * b
        return 1.0 - 2.0 * (1.0 - a) * (1.0 - b)

    def soft_light(a: float, b: float) -> float:
        """soft-light"""
        return (1.0 - 2.0 * b) * a * a + 2.0 * a * b

    def dodge(a: float, b: float) -> float:
        """colour-dodge"""
        if b >= 0.99:
            return 1.0
        return wp.min(a / (1.0 - b), 1.0)

    def difference(a: float, b: float) -> float:
        """difference"""
        return wp.abs(a - b)

    blend = c.meaning(multiply, screen, overlay, soft_light, dodge, difference)

    @c.kernel(rows, cols)
    def kernel(
        below: wp.array2d[wp.vec3] = (updated if WHERE == ", in place" else given)(
            rows, cols, low=0.0, high=1.0, of="colour"
        ),
        above: wp.array2d[wp.vec3] = given(rows, cols, low=0.0, high=1.0),
        alpha: wp.array2d[float] = given(rows, cols, low=0.1, high=1.0),
        mask: wp.array2d[wp.uint8] = given(rows, cols, low=0, high=1),
        out: wp.array2d[wp.vec3] = result(rows, cols, of="colour"),
        change: wp.array[float] = result(1),
    ):
        i, j = wp.tid()
        base = below[i, j]
        layer = above[i, j]
        if MASK:
            if mask[i, j] == wp.uint8(0):
                if WHERE != ", in place":
                    out[i, j] = base
                return
        mixed = wp.vec3(blend(base[0], layer[0]), blend(base[1], layer[1]), blend(base[2], layer[2]))
        if COVER == "alpha of each pixel":
            cover = alpha[i, j]
        elif COVER == "a fade to the right":
            cover = OPACITY * float(j + 1) / float(below.shape[1])
        if COVER == "constant opacity":
            laid = base + OPACITY * (mixed - base)
        else:
            laid = base + cover * (mixed - base)
        if WHERE == ", in place":
            below[i, j] = laid
        else:
            out[i, j] = laid
        if WHERE == ", and adds up the change":
            wp.atomic_add(change, 0, wp.length(laid - base))


@idiom(
    level=3,
    names=NAMES
    | {"level": "level step shade", "limit": "limit threshold bias", "kernel": "dither reduce_levels"},
)
def ordered_dither(c):
    """Reduces {PIXELS} to {LEVELS} by {PATTERN}, {STORE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    PIXELS, LEVELS = (
        c.meaning("grey pixels", "the luma of colours"),
        c.meaning("black and white", "a few shades"),
    )
    PATTERN = c.meaning(
        "a 2x2 Bayer matrix", "a 4x4 Bayer matrix", "white noise", "interleaved gradient noise"
    )
    STORE, STEPS = c.meaning("as bytes", "as floats", "as bytes, and stores the errors"), c.count(3, 7)
    c.once("levels")
    Pixel = float if PIXELS == "grey pixels" else c.vec(3)
    Stored = float if STORE == "as floats" else BYTE

    def bayer(i: int, j: int) -> float:
        """The ordered threshold of two by two pixels."""
        return float(2 * ((i + j) % 2) + i % 2)

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = given(rows, cols, low=0.0, high=1.0, of="colour"),
        seed: int = given(low=1, high=10000),
        out: wp.array2d[Stored] = result(rows, cols),
        errors: wp.array2d[float] = result(rows, cols),
    ):
        i, j = wp.tid()
        if PIXELS == "grey pixels":
            grey = image[i, j]
        else:
            grey = wp.dot(image[i, j], wp.vec3(0.2126, 0.7152, 0.0722))
        if PATTERN == "a 2x2 Bayer matrix":
            limit = (bayer(i, j) + 0.5) / 4.0
        elif PATTERN == "a 4x4 Bayer matrix":
            # the small pattern of the cells refines that of the pixels
            limit = (4.0 * bayer(i, j) + bayer(i // 2, j // 2) + 0.5) / 16.0
        elif PATTERN == "white noise":
            state = wp.rand_init(seed, i * image.shape[1] + j)
            limit = wp.randf(state)
        else:
            # the published constants of this noise
            limit = wp.frac(52.9829189 * wp.frac(0.06711056 * float(j) + 0.00583715 * float(i)))
        if LEVELS == "black and white":
            level = wp.where(grey > limit, 1.0, 0.0)
        else:
            level = wp.min(wp.floor(grey * float(STEPS - 1) + limit), float(STEPS - 1)) / float(STEPS - 1)
        if STORE == "as floats":
            out[i, j] = level
        else:
            out[i, j] = wp.uint8(255.0 * level + 0.5)
        if STORE == "as bytes, and stores the errors":
            errors[i, j] = grey - level


@idiom(
    level=2,
    names=NAMES
    | {
        "below above": "below above | base layer | backdrop source",
        "a b": "a b | dst src | d s",
        "kernel": "composite porter_duff",
    },
)
def composite_premultiplied(c):
    """Puts one image {OPERATOR} another, whose colours are {STORED}{FADED}{WHERE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    OPERATOR = c.meaning("over", "under", "inside", "outside", "on top of", "beside", "added to")
    STORED = c.meaning("premultiplied by alpha", "not premultiplied")
    if OPERATOR not in ("over", "on top of"):
        c.names({"below above": "backdrop source | first second | first_image second_image"})
    if STORED != "premultiplied by alpha":
        c.names({"kernel": "composite porter_duff"})
    FADED = c.meaning("", ", faded by an opacity")
    if STORED == "premultiplied by alpha":
        WHERE = c.meaning("", ", in place")
    else:
        WHERE = ", and gives premultiplied ones"
    IN_PLACE = WHERE == ", in place"
    OPACITY = c.constant(0.3, 0.9)

    def multiplied(pixel: wp.vec4) -> wp.vec4:
        """Colours times alpha."""
        return wp.vec4(pixel[0] * pixel[3], pixel[1] * pixel[3], pixel[2] * pixel[3], pixel[3])

    @c.kernel(rows, cols)
    def kernel(
        below: wp.array2d[wp.vec4] = (updated if IN_PLACE else given)(rows, cols, low=0.1, high=0.9),
        above: wp.array2d[wp.vec4] = given(rows, cols, low=0.1, high=0.9),
        out: wp.array2d[wp.vec4] = result(rows, cols),
    ):
        i, j = wp.tid()
        if STORED == "not premultiplied":
            a = multiplied(below[i, j])
            b = multiplied(above[i, j])
        else:
            a = below[i, j]
            b = above[i, j]
        if FADED:
            b *= OPACITY
        if OPERATOR == "over":
            mixed = b + (1.0 - b[3]) * a
        elif OPERATOR == "under":
            mixed = a + (1.0 - a[3]) * b
        elif OPERATOR == "inside":
            mixed = a[3] * b
        elif OPERATOR == "outside":
            mixed = (1.0 - a[3]) * b
        elif OPERATOR == "on top of":
            # seen only where the image below is
            mixed = a[3] * b + (1.0 - b[3]) * a
        elif OPERATOR == "beside":
            mixed = (1.0 - a[3]) * b + (1.0 - b[3]) * a
        else:
            mixed = wp.min(a + b, wp.vec4(1.0))
        if IN_PLACE:
            below[i, j] = mixed
        else:
            out[i, j] = mixed


@idiom(
    level=2,
    names=NAMES
    | {"luma": "luma y light", "chroma": "chroma difference opponent", "kernel": "split_colour to_channels"},
)
def opponent_channels(c):
    """The {WANTED} of each {FORMAT} in {SPACE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    WANTED = c.meaning(
        "channels",
        "saturation",
        "hue angle",
        "channels, with amplified chroma,",
        "channels at constant lightness",
    )
    RATIO = WANTED in ("saturation", "hue angle")
    FORMAT = "pixel" if RATIO else c.meaning("pixel", "pixel, times its gain,")
    STRETCH = c.constant(1.2, 2.0)
    if RATIO:
        saturated = WANTED == "saturation"
        c.names({"kernel": "saturation_map measure_saturation" if saturated else "hue_map measure_hue"})

    def ycbcr(rgb: wp.vec3) -> wp.vec3:
        """YCbCr"""
        luma = wp.dot(rgb, wp.vec3(0.299, 0.587, 0.114))
        return wp.vec3(luma, 0.564 * (rgb[2] - luma), 0.713 * (rgb[0] - luma))

    def ycocg(rgb: wp.vec3) -> wp.vec3:
        """YCoCg"""
        mean = 0.5 * (rgb[0] + rgb[2])
        return wp.vec3(0.5 * (rgb[1] + mean), 0.5 * (rgb[0] - rgb[2]), 0.5 * (rgb[1] - mean))

    def opponent(rgb: wp.vec3) -> wp.vec3:
        """opponent colours"""
        light = (rgb[0] + rgb[1] + rgb[2]) / 3.0
        return wp.vec3(light, rgb[0] - rgb[1], 0.5 * (rgb[0] + rgb[1]) - rgb[2])

    def hexagonal(rgb: wp.vec3) -> wp.vec3:
        """the plane of hues"""
        # the sine of 60 degrees
        side = 0.8660254 * (rgb[1] - rgb[2])
        return wp.vec3(wp.max(rgb), rgb[0] - 0.5 * (rgb[1] + rgb[2]), side)

    SPACE = c.meaning(ycbcr, ycocg, opponent, hexagonal)
    Wanted = float if RATIO else c.vec(3)

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[wp.vec3] = given(rows, cols, low=0.05, high=1.0),
        gains: wp.array2d[float] = given(rows, cols, low=0.5, high=1.5),
        out: wp.array2d[Wanted] = result(rows, cols),
    ):
        i, j = wp.tid()
        if FORMAT == "pixel":
            channels = SPACE(image[i, j])
        else:
            channels = SPACE(gains[i, j] * image[i, j])
        if WANTED == "saturation":
            chroma = wp.vec2(channels[1], channels[2])
            # dark colours are as colourful as bright ones
            out[i, j] = wp.length(chroma) / wp.max(channels[0], 0.01)
        elif WANTED == "hue angle":
            out[i, j] = wp.atan2(channels[2], channels[1])
        elif WANTED == "channels":
            out[i, j] = channels
        elif WANTED == "channels at constant lightness":
            out[i, j] = wp.vec3(0.5, channels[1], channels[2])
        else:
            out[i, j] = wp.vec3(channels[0], STRETCH * channels[1], STRETCH * channels[2])
