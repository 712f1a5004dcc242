"""Colour: grey values, tones, white balance, hues, layers and palettes."""

from __future__ import annotations

from ...templates.choices import TypeName
from ...templates.template import idiom, inout, input, output, wp

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
    """The {VALUE} of each pixel of {FORMAT}{GAMMA}{INVERTED}.

    Turn an RGB image into grey: {out} gets {FORMULA} of each pixel (i, j){CODED}{TURNED}. {LAYOUT}
    """
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
        c.meaning("a colour image", "a planar image", "a planar image of bytes"),
        c.meaning(False, True),
    )
    ENCODED, LINEARIZED = ", encoded with a gamma of 2.2", ", linearized with a gamma of 2.2"
    GAMMA = c.meaning("", ENCODED, LINEARIZED) if GREY != "Euclidean norm" else ""
    if GREY == "Euclidean norm":
        # it may exceed one
        INVERT = False
    INVERTED = "" if not INVERT else " and inverted" if GAMMA else ", inverted"
    c.once("gamma", GAMMA)
    # nothing is done to a picture any more once it is encoded
    FINISHED = None if GAMMA == ENCODED else "colour"
    Pixel = float if FORMAT == "a planar image" else BYTE if "bytes" in FORMAT else c.vec(3)
    HIGH = 255 if "bytes" in FORMAT else 1.0
    VALUE = "HSL lightness" if GREY == "lightness" else GREY
    if "luma" in GREY and GAMMA == ENCODED:
        # only channels that are encoded already have a luma
        VALUE = f"luminance, with {GREY[:8]} weights,"
        c.names({"kernel": "to_grey desaturate", "grey": "luminance grey"})
    elif "luma" in GREY:
        c.names({"grey": "luma grey"})
    else:
        words = {"lightness": "grey lightness", "Euclidean norm": "norm size"}.get(GREY, "grey value")
        c.names({"kernel": "to_grey desaturate", "grey": words})
    FORMULA = {
        "Rec. 709 luma": "0.2126·r + 0.7152·g + 0.0722·b, the Rec. 709 weights,",
        "Rec. 601 luma": "0.299·r + 0.587·g + 0.114·b, the Rec. 601 weights,",
        "channel mean": "the mean (r + g + b) / 3",
        "lightness": "the HSL lightness, the mean of the smallest and the largest channel,",
        "Euclidean norm": "the Euclidean norm √(r² + g² + b²)",
        "brightest channel": "the largest channel",
    }[GREY]
    CODED, TURNED = "", ""
    if GAMMA:
        CODED = ", raised to the power of 1/2.2" if GAMMA == ENCODED else ", raised to the power of 2.2"
    if INVERT:
        TURNED = ", then subtracted from 1"
    LAYOUT = {
        "a colour image": "`{image}[i, j]` is (r, g, b).",
        "a planar image": "`{planes}[0, i, j]`, `{planes}[1, i, j]` and `{planes}[2, i, j]` are r, g and b.",
        "a planar image of bytes": (
            "The bytes `{planes}[0, i, j]`, `{planes}[1, i, j]` and `{planes}[2, i, j]`, divided by 255, "
            "are r, g and b."
        ),
    }[FORMAT]

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = input(rows, cols, low=0, high=HIGH, of="colour"),
        planes: wp.array3d[Pixel] = input(3, rows, cols, low=0, high=HIGH),
        out: wp.array2d[float] = output(rows, cols, of=FINISHED),
    ):
        i, j = wp.tid()
        if FORMAT == "a colour image":
            colour = image[i, j]
        elif FORMAT == "a planar image":
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
        if GAMMA == ENCODED:
            grey = wp.pow(grey, 1.0 / 2.2)
        elif GAMMA == LINEARIZED:
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
    """Tone-maps {LIGHT} by {CURVE} {WAY}{CODE}.

    Tone-map the picture {image}{PLACED}. Multiply its pixels by the exposure {EXPOSURE}. {MAPPED} The curve
    is {SHAPE}.{ENCODED}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    LIGHT, WAY = (
        c.meaning("a picture", "a picture in place"),
        c.meaning("of each channel", "of the luminance", "of the largest channel"),
    )
    CODE = c.meaning("", ", and encodes it with a gamma of 2.2", ", and encodes it as sRGB")
    SRGB = CODE == ", and encodes it as sRGB"
    FINISHED = None if CODE else "colour"
    EXPOSURE, WHITE = c.constant(0.6, 1.8), c.constant(3.0, 5.0, step=0.5)
    c.once("gamma", CODE)
    c.once("tone curve")

    def reinhard(x: float) -> float:
        return x / (1.0 + x)

    def extended_reinhard(x: float) -> float:
        """Reinhard's curve, stretched so that {WHITE} becomes one."""
        return x * (1.0 + x / (WHITE * WHITE)) / (1.0 + x)

    def exponential(x: float) -> float:
        return 1.0 - wp.exp(-x)

    def filmic(x: float) -> float:
        # Narkowicz fitted this to the curve of ACES
        fit = x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)
        if SRGB:
            return fit
        else:
            return wp.min(fit, 1.0)

    def logarithmic(x: float) -> float:
        """A logarithm scaled so that {WHITE} becomes one."""
        return wp.log(1.0 + x) / wp.log(1.0 + WHITE)

    curve = c.meaning(reinhard, extended_reinhard, exponential, filmic, logarithmic)
    CURVE = {
        reinhard: "Reinhard's curve",
        extended_reinhard: "Reinhard's curve with a white point",
        exponential: "an exponential curve",
        filmic: "a filmic curve",
        logarithmic: "a logarithmic curve",
    }[curve]
    if WAY == "of the luminance":
        c.names({"grey": "luminance"})
    elif WAY == "of the largest channel":
        c.names({"grey": "largest brightest peak"})
    # The sRGB code has another formula for what is nearly black, and what is very bright is cut off.
    DARKEST, BRIGHTEST = (0.0, 0.15) if SRGB else (0.05, 16.0 if curve is filmic else 4.0)

    def encode(x: float) -> float:
        if SRGB:
            if x <= 0.0031308:
                return 12.92 * x
            return 1.055 * wp.pow(x, 1.0 / 2.4) - 0.055
        else:
            return wp.pow(x, 1.0 / 2.2)

    PLACED = ", in place" if LIGHT == "a picture in place" else " into {out}"
    MAPPED = {
        "of each channel": "Then map each channel by {CURVE}.",
        "of the luminance": (
            "Then map its luminance y = 0.2126·r + 0.7152·g + 0.0722·b by {CURVE} and multiply all "
            "channels by the mapped "
            "value over y{GUARD}."
        ),
        "of the largest channel": (
            "Then map its largest channel y by {CURVE} and multiply all channels by the mapped value "
            "divided by {GUARD}."
        ),
    }[WAY]
    GUARD = "max(y, 1e-6)" if SRGB else "y"
    SHAPE = {
        reinhard: "t / (1 + t)",
        extended_reinhard: "t·(1 + t / {WHITE}²) / (1 + t)",
        exponential: "1 - exp(-t)",
        filmic: "t·(2.51·t + 0.03) / (t·(2.43·t + 0.59) + 0.14){TOP}",
        logarithmic: "log(1 + t) / log(1 + {WHITE})",
    }[curve]
    TOP = ", not limited to 1" if SRGB else ", but at most 1"
    ENCODED = ""
    if SRGB:
        ENCODED = (
            " Encode each channel c of the result as sRGB: 12.92·c if c ≤ 0.0031308 and 1.055·c^(1/2.4) "
            "- 0.055 otherwise."
        )
    elif CODE:
        ENCODED = " Raise each channel of the result to the power of 1/2.2."

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[wp.vec3] = (inout if LIGHT == "a picture in place" else input)(
            rows, cols, low=DARKEST, high=BRIGHTEST, of="colour" if LIGHT == "a picture" else FINISHED
        ),
        out: wp.array2d[wp.vec3] = output(rows, cols, of=FINISHED),
    ):
        i, j = wp.tid()
        exposed = EXPOSURE * image[i, j]
        if WAY == "of each channel":
            mapped = wp.vec3(curve(exposed[0]), curve(exposed[1]), curve(exposed[2]))
        else:
            # one factor for all channels keeps the hue
            if WAY == "of the luminance":
                grey = wp.dot(exposed, wp.vec3(0.2126, 0.7152, 0.0722))
            else:
                grey = wp.max(exposed)
            mapped = exposed * (curve(grey) / (wp.max(grey, 1.0e-6) if SRGB else grey))
        if CODE:
            mapped = wp.vec3(encode(mapped[0]), encode(mapped[1]), encode(mapped[2]))
        if LIGHT == "a picture in place":
            image[i, j] = mapped
        else:
            out[i, j] = mapped


@idiom(level=3, names=NAMES | {"white": "white illuminant light", "bright": "bright blown spared"})
def white_balance(c):
    """White-balances {PLACE} by {METHOD}{BRIGHT}{CLIP}.

    White-balance the picture {image}{PLACED}{KIND}. A pixel c becomes {FORMULA}{SEPARATELY}. {KEPT}{LIMITED}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    PLACE, METHOD = (
        c.meaning("a picture in place", "a picture"),
        c.meaning("the colour of a white patch", "a colour matrix", "cone responses", "its average colour"),
    )
    if METHOD == "the colour of a white patch":
        BRIGHT = c.meaning(", keeping luminance", ", keeping green", "")
        c.names({"kernel": "white_balance balance", "white": "white patch"})
    else:
        BRIGHT = c.meaning(", keeping luminance", "") if METHOD != "a colour matrix" else ""
    if METHOD == "its average colour":
        c.names({"kernel": "white_balance grey_world", "white": "average mean_colour"})
    elif METHOD == "cone responses":
        c.names({"kernel": "white_balance adapt_white"})
    elif METHOD == "a colour matrix":
        c.names({"kernel": "white_balance correct_colours"})
    CLIP = c.meaning("", ", clipped at one", ", sparing the highlights")
    PLACED = ", in place," if PLACE == "a picture in place" else " into {out}"
    KIND = {
        "the colour of a white patch": " by the colour {white} of a white patch",
        "a colour matrix": " by a colour matrix",
        "cone responses": " by von Kries adaptation of cone responses from the illuminant {white}",
        "its average colour": " by its average colour {white}, as the grey-world assumption has it",
    }[METHOD]
    FORMULA = {
        "the colour of a white patch": "c / {white}",
        "a colour matrix": "{correction}·c",
        "cone responses": "M⁻¹·(((M·c) / (M·{white}))·(M·(1, 1, 1))), where M is {to_cones}",
        "its average colour": "m·c / {white}, where m is the mean of the channels of {white}",
    }[METHOD]
    SEPARATELY = "" if METHOD == "a colour matrix" else ", channel by channel"
    if METHOD == "cone responses":
        SEPARATELY = " and vectors are multiplied and divided component by component"
    KEPT = ""
    if BRIGHT == ", keeping luminance":
        KEPT = (
            "Then keep the luminance Y = 0.2126·r + 0.7152·g + 0.0722·b: multiply the result by (Y "
            "of c) / max(Y of the result, 0.0001). "
        )
    elif BRIGHT:
        KEPT = "To keep green, multiply the result by the green channel of {white}. "
    LIMITED = ""
    if CLIP == ", clipped at one":
        LIMITED = "Clip channels above 1 to 1."
    elif CLIP:
        LIMITED = (
            "Spare the highlights: blend from the result to c by s, the smoothstep t²·(3 - 2·t) of the "
            "largest channel of c "
            "from 0.8 to 1.2, where t is its place between these two, clamped to [0, 1]."
        )

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[wp.vec3] = (inout if PLACE == "a picture in place" else input)(
            rows, cols, low=0.05, high=1.2, of="colour"
        ),
        white: wp.vec3 = input(low=0.6, high=1.2),
        correction: wp.mat33 = input(low=0.0, high=0.9),
        to_cones: wp.mat33 = input(low=0.1, high=0.9, trait="dominant"),
        out: wp.array2d[wp.vec3] = output(rows, cols, of="colour"),
    ):
        i, j = wp.tid()
        colour = image[i, j]
        if METHOD == "a colour matrix":
            balanced = correction * colour
        elif METHOD == "cone responses":
            seen = to_cones * colour
            lit = to_cones * white
            # each kind of cone adapts by itself, from the illuminant to white
            adapted = wp.cw_mul(wp.cw_div(seen, lit), to_cones * wp.vec3(1.0))
            balanced = wp.inverse(to_cones) * adapted
        elif METHOD == "its average colour":
            # the world is taken to be grey on average
            mean = (white[0] + white[1] + white[2]) / 3.0
            balanced = mean * wp.cw_div(colour, white)
        else:
            balanced = wp.cw_div(colour, white)
        if BRIGHT == ", keeping luminance":
            weights = wp.vec3(0.2126, 0.7152, 0.0722)
            balanced *= wp.dot(colour, weights) / wp.max(wp.dot(balanced, weights), 1.0e-4)
        elif BRIGHT == ", keeping green":
            balanced *= white[1]
        if CLIP == ", clipped at one":
            balanced = wp.min(balanced, wp.vec3(1.0))
        elif CLIP == ", sparing the highlights":
            bright = wp.smoothstep(0.8, 1.2, wp.max(colour))
            balanced = wp.lerp(balanced, colour, bright)
        if PLACE == "a picture in place":
            image[i, j] = balanced
        else:
            out[i, j] = balanced
