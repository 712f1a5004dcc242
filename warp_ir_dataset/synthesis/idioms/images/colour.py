"""Colour: grey values, tones, white balance, hues, layers and palettes."""

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


@idiom(level=2, names=NAMES | {"kernel": "to_grey desaturate"})
def luma_of_pixels(c):
    """The {GREY} of each pixel of {FORMAT}{GAMMA}{INVERT}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    GREY = c.meaning(
        "Rec. 709 luma", "Rec. 601 luma", "mean of the channels", "lightness", "length", "brightest channel"
    )
    FORMAT, INVERT = (
        c.meaning("a colour image", "three planes", "three planes of bytes"),
        c.meaning("", ", inverted"),
    )
    GAMMA = c.meaning("", ", as a fourth root", ", as a square") if GREY != "length" else ""
    Pixel = float if FORMAT == "three planes" else BYTE if FORMAT == "three planes of bytes" else c.vec(3)
    HIGH = 255 if FORMAT == "three planes of bytes" else 1.0

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = given(rows, cols, low=0, high=HIGH, of="colour"),
        planes: wp.array3d[Pixel] = given(3, rows, cols, low=0, high=HIGH),
        out: wp.array2d[float] = result(rows, cols, of="colour"),
    ):
        i, j = wp.tid()
        if FORMAT == "a colour image":
            colour = image[i, j]
        elif FORMAT == "three planes":
            colour = wp.vec3(planes[0, i, j], planes[1, i, j], planes[2, i, j])
        else:
            colour = wp.vec3(float(planes[0, i, j]), float(planes[1, i, j]), float(planes[2, i, j])) / 255.0
        if GREY == "Rec. 709 luma":
            grey = wp.dot(colour, wp.vec3(0.2126, 0.7152, 0.0722))
        elif GREY == "Rec. 601 luma":
            grey = wp.dot(colour, wp.vec3(0.299, 0.587, 0.114))
        elif GREY == "mean of the channels":
            grey = (colour[0] + colour[1] + colour[2]) / 3.0
        elif GREY == "lightness":
            # halfway between the darkest and the brightest channel
            grey = 0.5 * (wp.min(colour) + wp.max(colour))
        elif GREY == "brightest channel":
            grey = wp.max(colour)
        else:
            grey = wp.length(colour)
        if GAMMA == ", as a fourth root":
            grey = wp.sqrt(wp.sqrt(grey))
        elif GAMMA == ", as a square":
            grey *= grey
        if INVERT:
            out[i, j] = 1.0 - grey
        else:
            out[i, j] = grey


@idiom(
    level=3,
    names=NAMES
    | {"curve": "curve tone_curve operator", "exposed": "exposed light radiance", "kernel": "tonemap expose"},
)
def tone_mapping(c):
    """Maps {LIGHT} of high range to a screen by {curve}, {WAY}, {CODE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    LIGHT, WAY = (
        c.meaning("a picture", "a picture in place"),
        c.meaning("by channel", "by luminance", "by the peak"),
    )
    CODE = c.meaning("linear", "with a gamma of 2.2", "in the sRGB code")
    EXPOSURE = c.constant(0.4, 1.8)

    def reinhard(x: float) -> float:
        """Reinhard's curve"""
        return x / (1.0 + x)

    def extended_reinhard(x: float) -> float:
        """Reinhard's curve with a white point"""
        return x * (1.0 + x / 16.0) / (1.0 + x)

    def exponential(x: float) -> float:
        """an exponential curve"""
        return 1.0 - wp.exp(-x)

    def filmic(x: float) -> float:
        """a filmic curve"""
        numerator = x * (2.51 * x + 0.03)
        return wp.clamp(numerator / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0)

    def logarithmic(x: float) -> float:
        """a logarithmic curve"""
        return wp.log(1.0 + x) / wp.log(5.0)

    curve = c.meaning(reinhard, extended_reinhard, exponential, filmic, logarithmic)

    def encode(x: float) -> float:
        if CODE == "in the sRGB code":
            if x <= 0.0031308:
                return 12.92 * x
            return 1.055 * wp.pow(x, 1.0 / 2.4) - 0.055
        else:
            return wp.pow(x, 1.0 / 2.2)

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[wp.vec3] = (updated if LIGHT == "a picture in place" else given)(
            rows, cols, low=0.05, high=4.0, of="colour"
        ),
        out: wp.array2d[wp.vec3] = result(rows, cols, of="colour"),
    ):
        i, j = wp.tid()
        exposed = EXPOSURE * image[i, j]
        if WAY == "by channel":
            mapped = wp.vec3(curve(exposed[0]), curve(exposed[1]), curve(exposed[2]))
        else:
            # hues are kept
            if WAY == "by luminance":
                grey = wp.dot(exposed, wp.vec3(0.2126, 0.7152, 0.0722))
            else:
                grey = wp.max(exposed)
            mapped = exposed * (curve(grey) / grey)
        if CODE != "linear":
            mapped = wp.vec3(encode(mapped[0]), encode(mapped[1]), encode(mapped[2]))
        if LIGHT == "a picture in place":
            image[i, j] = mapped
        else:
            out[i, j] = mapped


@idiom(
    level=3,
    names=NAMES
    | {"gains": "gains scale balance", "white": "white illuminant light", "kernel": "balance adapt_white"},
)
def white_balance(c):
    """Balances {PLACE} by {METHOD}{BRIGHT}{CLIP}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    PLACE, METHOD = (
        c.meaning("pixels in place", "a copy of the pixels"),
        c.meaning("the colour of a white patch", "a matrix", "cone responses", "the grey world's mean"),
    )
    BRIGHT = c.meaning(", with luma kept", ", with green kept", "") if METHOD != "a matrix" else ""
    CLIP = c.meaning("", ", clipped at one", ", highlights spared")

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[wp.vec3] = (updated if PLACE == "pixels in place" else given)(
            rows, cols, low=0.05, high=1.2, of="colour"
        ),
        white: wp.vec3 = given(low=0.6, high=1.2),
        correction: wp.mat33 = given(low=0.0, high=0.9),
        to_cones: wp.mat33 = given(low=0.1, high=0.9, trait="dominant"),
        out: wp.array2d[wp.vec3] = result(rows, cols, of="colour"),
    ):
        i, j = wp.tid()
        colour = image[i, j]
        if METHOD == "a matrix":
            balanced = correction * colour
        elif METHOD == "cone responses":
            seen = to_cones * colour
            lit = to_cones * white
            # each kind of cone adapts by itself
            balanced = wp.inverse(to_cones) * wp.cw_div(seen, lit)
        elif METHOD == "the grey world's mean":
            mean = (white[0] + white[1] + white[2]) / 3.0
            balanced = mean * wp.cw_div(colour, white)
        else:
            balanced = wp.cw_div(colour, white)
        if BRIGHT == ", with luma kept":
            weights = wp.vec3(0.2126, 0.7152, 0.0722)
            balanced *= wp.dot(colour, weights) / wp.max(wp.dot(balanced, weights), 0.01)
        elif BRIGHT == ", with green kept":
            balanced *= colour[1] / wp.max(balanced[1], 0.01)
        if CLIP == ", clipped at one":
            balanced = wp.min(balanced, wp.vec3(1.0))
        elif CLIP == ", highlights spared":
            bright = wp.smoothstep(0.8, 1.2, wp.max(colour))
            balanced = wp.lerp(balanced, colour, bright)
        if PLACE == "pixels in place":
            image[i, j] = balanced
        else:
            out[i, j] = balanced


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
    """Lays one image over another by {blend} with {COVER}{MASK}{WHERE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    COVER, MASK = (
        c.meaning("an alpha of its own", "one opacity", "a fade to the right"),
        c.meaning("", ", inside a mask"),
    )
    WHERE = c.meaning("", ", in place", ", and adds up the change")
    OPACITY = c.constant(0.3, 0.9)

    def multiply(a: float, b: float) -> float:
        """multiplication"""
        return a * b

    def screen(a: float, b: float) -> float:
        """a screen"""
        return a + b - a * b

    def overlay(a: float, b: float) -> float:
        """an overlay"""
        if a < 0.5:
            return 2.0 * a * b
        return 1.0 - 2.0 * (1.0 - a) * (1.0 - b)

    def soft_light(a: float, b: float) -> float:
        """soft light"""
        return (1.0 - 2.0 * b) * a * a + 2.0 * a * b

    def dodge(a: float, b: float) -> float:
        """a colour dodge"""
        if b >= 0.99:
            return 1.0
        return wp.min(a / (1.0 - b), 1.0)

    def difference(a: float, b: float) -> float:
        """their difference"""
        return wp.abs(a - b)

    blend = c.meaning(multiply, screen, overlay, soft_light, dodge, difference)

    @c.kernel(rows, cols)
    def kernel(
        below: wp.array2d[wp.vec3] = (updated if WHERE == ", in place" else given)(
            rows, cols, low=0.0, high=1.0, of="colour"
        ),
        above: wp.array2d[wp.vec3] = given(rows, cols, low=0.0, high=1.0, of="colour"),
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
        if COVER == "an alpha of its own":
            cover = alpha[i, j]
        elif COVER == "a fade to the right":
            cover = OPACITY * float(j + 1) / float(below.shape[1])
        if COVER == "one opacity":
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
        "a Bayer pattern of two", "a Bayer pattern of four", "white noise", "slanted gradient noise"
    )
    STORE, STEPS = c.meaning("as bytes", "as floats", "as bytes, with the errors apart"), c.count(3, 7)
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
        if PATTERN == "a Bayer pattern of two":
            limit = (bayer(i, j) + 0.5) / 4.0
        elif PATTERN == "a Bayer pattern of four":
            # the small pattern of the cells refines that of the pixels
            limit = (4.0 * bayer(i, j) + bayer(i // 2, j // 2) + 0.5) / 16.0
        elif PATTERN == "white noise":
            state = wp.rand_init(seed, i * image.shape[1] + j)
            limit = wp.randf(state)
        else:
            limit = wp.frac(52.9829 * wp.frac(0.0671 * float(j) + 0.00584 * float(i)))
        if LEVELS == "black and white":
            level = wp.where(grey > limit, 1.0, 0.0)
        else:
            level = wp.min(wp.floor(grey * float(STEPS - 1) + limit), float(STEPS - 1)) / float(STEPS - 1)
        if STORE == "as floats":
            out[i, j] = level
        else:
            out[i, j] = wp.uint8(255.0 * level)
        if STORE == "as bytes, with the errors apart":
            errors[i, j] = grey - level
