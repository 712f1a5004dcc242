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
        "Rec. 709 luma",
        "Rec. 601 luma",
        "channel mean",
        "lightness",
        "Euclidean norm",
        "brightest channel",
    )
    FORMAT, INVERT = (
        c.meaning("a colour image", "three planes", "three planes of bytes"),
        c.meaning("", ", inverted"),
    )
    GAMMA = c.meaning("", ", gamma-encoded", ", linearized") if GREY != "Euclidean norm" else ""
    # a norm may exceed one
    INVERT = "" if GREY == "Euclidean norm" else INVERT
    c.once("gamma", GAMMA)
    # nothing is done to a picture any more once it is encoded
    FINISHED = None if GAMMA == ", gamma-encoded" else "colour"
    Pixel = float if FORMAT == "three planes" else BYTE if FORMAT == "three planes of bytes" else c.vec(3)
    HIGH = 255 if FORMAT == "three planes of bytes" else 1.0
    if "luma" not in GREY:
        c.names(
            {
                "kernel": "to_grey desaturate",
                "grey": "grey lightness" if GREY == "lightness" else "grey value",
            }
        )
    else:
        c.names({"grey": "grey luma"})

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = given(rows, cols, low=0, high=HIGH, of="colour"),
        planes: wp.array3d[Pixel] = given(3, rows, cols, low=0, high=HIGH),
        out: wp.array2d[float] = result(rows, cols, of=FINISHED),
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
        elif GREY == "channel mean":
            grey = (colour[0] + colour[1] + colour[2]) / 3.0
        elif GREY == "lightness":
            # halfway between the darkest and the brightest channel
            grey = 0.5 * (wp.min(colour) + wp.max(colour))
        elif GREY == "brightest channel":
            grey = wp.max(colour)
        else:
            grey = wp.length(colour)
        if GAMMA == ", gamma-encoded":
            grey = wp.pow(grey, 1.0 / 2.2)
        elif GAMMA == ", linearized":
            grey = wp.pow(grey, 2.2)
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
    """Tone-maps {LIGHT} by {curve}, {WAY}{CODE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    LIGHT, WAY = (
        c.meaning("a picture", "a picture in place"),
        c.meaning("by channel", "by luminance", "by the largest channel"),
    )
    CODE = c.meaning("", ", with a gamma of 2.2", ", in sRGB encoding")
    FINISHED = None if CODE else "colour"
    EXPOSURE = c.constant(0.4, 1.8)
    c.once("gamma", CODE)
    c.once("tone curve")
    # The sRGB code has another formula for what is nearly black.
    DARKEST, BRIGHTEST = (0.0001, 0.6) if CODE == ", in sRGB encoding" else (0.05, 4.0)

    def reinhard(x: float) -> float:
        """Reinhard's curve"""
        return x / (1.0 + x)

    def extended_reinhard(x: float) -> float:
        """Reinhard's curve with a white point"""
        # four becomes white
        return x * (1.0 + x / 16.0) / (1.0 + x)

    def exponential(x: float) -> float:
        """an exponential curve"""
        return 1.0 - wp.exp(-x)

    def filmic(x: float) -> float:
        """a filmic curve"""
        # a known fit of the curve of ACES
        numerator = x * (2.51 * x + 0.03)
        return wp.clamp(numerator / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0)

    def logarithmic(x: float) -> float:
        """a logarithmic curve"""
        # four becomes white
        return wp.log(1.0 + x) / wp.log(5.0)

    curve = c.meaning(reinhard, extended_reinhard, exponential, filmic, logarithmic)

    def encode(x: float) -> float:
        if CODE == ", in sRGB encoding":
            if x <= 0.0031308:
                return 12.92 * x
            return 1.055 * wp.pow(x, 1.0 / 2.4) - 0.055
        else:
            return wp.pow(x, 1.0 / 2.2)

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[wp.vec3] = (updated if LIGHT == "a picture in place" else given)(
            rows, cols, low=DARKEST, high=BRIGHTEST, of="colour" if LIGHT == "a picture" else FINISHED
        ),
        out: wp.array2d[wp.vec3] = result(rows, cols, of=FINISHED),
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
            mapped = exposed * (curve(grey) / wp.max(grey, 1.0e-6))
        if CODE:
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
    if METHOD == "the colour of a white patch":
        BRIGHT = c.meaning(", with luma kept", ", with green kept", "")
    else:
        BRIGHT = c.meaning(", with luma kept", "") if METHOD != "a matrix" else ""
    if "grey world" in METHOD:
        c.names({"white": "average mean_colour"})
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
            # each kind of cone adapts by itself, from the illuminant to white
            adapted = wp.cw_mul(wp.cw_div(seen, lit), to_cones * wp.vec3(1.0))
            balanced = wp.inverse(to_cones) * adapted
        elif METHOD == "the grey world's mean":
            mean = (white[0] + white[1] + white[2]) / 3.0
            balanced = mean * wp.cw_div(colour, white)
        else:
            balanced = wp.cw_div(colour, white)
        if BRIGHT == ", with luma kept":
            weights = wp.vec3(0.2126, 0.7152, 0.0722)
            balanced *= wp.dot(colour, weights) / wp.max(wp.dot(balanced, weights), 0.01)
        elif BRIGHT == ", with green kept":
            balanced *= white[1]
        if CLIP == ", clipped at one":
            balanced = wp.min(balanced, wp.vec3(1.0))
        elif CLIP == ", highlights spared":
            bright = wp.smoothstep(0.8, 1.2, wp.max(colour))
            balanced = wp.lerp(balanced, colour, bright)
        if PLACE == "pixels in place":
            image[i, j] = balanced
        else:
            out[i, j] = balanced
