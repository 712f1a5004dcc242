"""Colours together: layers, dither."""

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


@idiom(
    level=4,
    names=NAMES
    | {
        "below above": "below above | base layer | backdrop source",
        "laid": "blended covered",
        "change": "change total_change moved",
        "kernel": "blend composite",
    },
)
def blend_layers(c):
    """Lays one image over another in {MODE} mode with {COVER}{MASK}{WHERE}.

    Lay the image {above} over {below} in {MODE} mode. With a for a channel of {below} and b for that of
    {above}, the mixed channel is {FORMULA}. The result is the pixel of {below} plus {OPAQUE} times the
    difference from it to the mixed one; it {STORED}.{INSIDE}{MOVED}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    COVER, MASK = (
        c.meaning("an alpha for each pixel", "one opacity", "an opacity that grows to the right"),
        c.meaning("", ", inside a mask"),
    )
    WHERE = c.meaning("", ", in place", ", and adds up how far colours move")
    OPACITY = c.constant(0.3, 0.9)

    def multiply(a: float, b: float) -> float:
        return a * b

    def screen(a: float, b: float) -> float:
        return a + b - a * b

    def overlay(a: float, b: float) -> float:
        """Multiplies where the image below is dark, and screens where it is bright."""
        if a < 0.5:
            return 2.0 * a * b
        return 1.0 - 2.0 * (1.0 - a) * (1.0 - b)

    def soft_light(a: float, b: float) -> float:
        # other formulas of soft light have a kink at a half
        return (1.0 - 2.0 * b) * a * a + 2.0 * a * b

    def dodge(a: float, b: float) -> float:
        return wp.min(a / wp.max(1.0 - b, 1.0e-3), 1.0)

    def difference(a: float, b: float) -> float:
        return wp.abs(a - b)

    blend = c.meaning(multiply, screen, overlay, soft_light, dodge, difference)
    MODE = {soft_light: "soft-light", dodge: "colour-dodge"}.get(blend, blend.__name__)
    FORMULA = {
        multiply: "a·b",
        screen: "a + b - a·b",
        overlay: "2·a·b if a < 0.5 and 1 - 2·(1 - a)·(1 - b) otherwise",
        soft_light: "(1 - 2·b)·a² + 2·a·b",
        dodge: "a / max(1 - b, 0.001), but at most 1",
        difference: "|a - b|",
    }[blend]
    OPAQUE = {
        "an alpha for each pixel": "its {alpha}",
        "one opacity": "{OPACITY}",
        "an opacity that grows to the right": "{OPACITY}·(j + 1) / (columns of {below}), for column j,",
    }[COVER]
    STORED = "overwrites {below}" if WHERE == ", in place" else "goes to {out}"
    INSIDE = ""
    if MASK:
        INSIDE = " Pixels for which {mask} is 0 keep the colour of {below}."
    MOVED = ""
    if WHERE == ", and adds up how far colours move":
        MOVED = " Add up in {change} how far the colours move from {below}, as lengths of RGB vectors."

    @c.kernel(rows, cols)
    def kernel(
        below: wp.array2d[wp.vec3] = (inout if WHERE == ", in place" else input)(
            rows, cols, low=0.0, high=1.0, of="colour"
        ),
        above: wp.array2d[wp.vec3] = input(rows, cols, low=0.0, high=1.0),
        alpha: wp.array2d[float] = input(rows, cols, low=0.1, high=1.0),
        mask: wp.array2d[wp.uint8] = input(rows, cols, low=0, high=1),
        out: wp.array2d[wp.vec3] = output(rows, cols, of="colour"),
        change: wp.array[float] = output(1),
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
        if COVER == "an alpha for each pixel":
            cover = alpha[i, j]
        elif COVER == "an opacity that grows to the right":
            cover = OPACITY * float(j + 1) / float(below.shape[1])
        if COVER == "one opacity":
            laid = base + OPACITY * (mixed - base)
        else:
            laid = base + cover * (mixed - base)
        if WHERE == ", in place":
            below[i, j] = laid
        else:
            out[i, j] = laid
        if WHERE == ", and adds up how far colours move":
            wp.atomic_add(change, 0, wp.length(laid - base))


@idiom(level=3, names=NAMES | {"kernel": "dither reduce_levels"})
def ordered_dither(c):
    """Dithers {PIXELS} to {SHADES} by {PATTERN}, stored {STORE}.

    Dither {SOURCE} to {SHADES}. The threshold m of pixel (i, j) comes from {NOISE}. The level is {FORMULA}.
    {KEPT}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    PIXELS, LEVELS = (
        c.meaning("grey pixels", "the luma of colours"),
        c.meaning("black and white", "several shades"),
    )
    PATTERN = c.meaning(
        "a 2x2 Bayer matrix", "a 4x4 Bayer matrix", "white noise", "interleaved gradient noise"
    )
    STORE, STEPS = c.meaning("as bytes", "as floats", "as bytes beside their errors"), c.count(3, 6)
    c.once("levels")
    Pixel = float if PIXELS == "grey pixels" else c.vec(3)
    Stored = float if STORE == "as floats" else BYTE
    if LEVELS == "black and white":
        SHADES = LEVELS
        c.names({"limit": "limit threshold cutoff", "level": "level shade"})
    else:
        SHADES = f"{STEPS} shades"
        c.names({"limit": "bias shift", "level": "level shade"})
    if PATTERN == "white noise":
        c.names({"kernel": "dither random_dither reduce_levels"})

    def bayer(i: int, j: int) -> float:
        """The rank of a pixel in its cell of two by two, from 0 to 3."""
        return float(2 * ((i + j) % 2) + i % 2)

    SOURCE = "the grey pixels {image}"
    GREY = "the grey value"
    if PIXELS != "grey pixels":
        SOURCE = "the luma of the colours {image}, y = 0.2126·r + 0.7152·g + 0.0722·b,"
        GREY = "y"
    RANK = "with the rank R(i, j) = 2·((i + j) mod 2) + i mod 2"
    NOISE = {
        "a 2x2 Bayer matrix": "a 2 × 2 Bayer matrix: m = (R(i, j) + ½) / 4, " + RANK,
        "a 4x4 Bayer matrix": (
            "a 4 × 4 Bayer matrix: m = (4·R(i, j) + R(⌊i/2⌋, ⌊j/2⌋) + ½) / 16, with the rank R(i, j) = "
            "2·((i + j) mod 2) + i mod 2"
        ),
        "white noise": (
            "white noise: it is the first uniform number (wp.randf) of the stream wp.rand_init({seed}, "
            "index), with its row-major index in {image}"
        ),
        "interleaved gradient noise": (
            "interleaved gradient noise: m = frac(52.9829189·frac(0.06711056·j + 0.00583715·i)), where "
            "frac is the fractional part"
        ),
    }[PATTERN]
    FORMULA = "1, white, if {GREY} is above m and 0, black, otherwise"
    MOST = STEPS - 1
    if LEVELS != "black and white":
        FORMULA = "min(⌊v·{MOST} + m⌋, {MOST}) / {MOST}, where v is {GREY}"
    KEPT = "{out} gets it as a byte, {WHOLE}."
    WHOLE = "0 or 255" if LEVELS == "black and white" else "255 times the level, rounded"
    if STORE == "as floats":
        KEPT = "{out} gets the level."
    elif STORE != "as bytes":
        KEPT += " {errors} gets {GREY} less the level."

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = input(rows, cols, low=0.0, high=1.2, of="colour"),
        seed: int = input(low=1, high=10000),
        out: wp.array2d[Stored] = output(rows, cols),
        errors: wp.array2d[float] = output(rows, cols),
    ):
        i, j = wp.tid()
        if PIXELS == "grey pixels":
            grey = image[i, j]
        else:
            grey = wp.dot(image[i, j], wp.vec3(0.2126, 0.7152, 0.0722))
        if PATTERN == "a 2x2 Bayer matrix":
            limit = (bayer(i, j) + 0.5) / 4.0
        elif PATTERN == "a 4x4 Bayer matrix":
            # the matrix of two by two refines itself: cells of equal rank are told apart by their block
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
            # what is brighter than white stays white
            level = wp.min(wp.floor(grey * float(STEPS - 1) + limit), float(STEPS - 1)) / float(STEPS - 1)
        if STORE == "as floats":
            out[i, j] = level
        elif LEVELS == "black and white":
            out[i, j] = wp.uint8(255.0 * level)
        else:
            out[i, j] = wp.uint8(255.0 * level + 0.5)
        if STORE == "as bytes beside their errors":
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
    """{DONE}; {STORED}{WHERE}.

    {PURPOSE} by the Porter-Duff operator "{NAMED}". Pixels are (r, g, b, alpha){ALPHAS}. With a for a pixel
    of {below} and b for that of {above}{FADING}, and α and β for their alphas, the result is {FORMULA} for
    all four components; it {STORES}.
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    OPERATOR = c.meaning("over", "under", "inside", "outside", "on top", "xor", "plus")
    STORED = c.meaning("both are premultiplied by alpha", "neither is premultiplied")
    if OPERATOR not in ("over", "on top"):
        c.names({"below above": "backdrop source | other image | destination source"})
    if STORED == "neither is premultiplied":
        c.names({"kernel": "composite porter_duff"})
    FADED = c.meaning(False, True)
    if STORED == "both are premultiplied by alpha":
        IN_PLACE = c.meaning(False, True)
        WHERE = ", and the other is overwritten" if IN_PLACE else ""
    else:
        IN_PLACE = False
        WHERE = ", but the result is"
    ONE = "an image faded by its opacity" if FADED else "one image"
    DONE = {
        "over": f"Puts {ONE} over another",
        "under": f"Puts {ONE} under another",
        "inside": f"Keeps of {ONE} what is inside another",
        "outside": f"Keeps of {ONE} what is outside another",
        "on top": f"Puts {ONE} on top of another, visible only where the other is",
        "xor": f"Puts {ONE} and another each outside the other",
        "plus": f"Adds {ONE} to another, up to one",
    }[OPERATOR]
    OPACITY = c.constant(0.3, 0.9)

    def multiplied(pixel: wp.vec4) -> wp.vec4:
        """Colours times alpha."""
        return wp.vec4(pixel[0] * pixel[3], pixel[1] * pixel[3], pixel[2] * pixel[3], pixel[3])

    PURPOSE = "Composite the image {above} with the image {below}"
    USUAL = {"inside": "in", "outside": "out", "on top": "atop", "under": "destination over"}
    NAMED = USUAL.get(OPERATOR, OPERATOR)
    ALPHAS = ", premultiplied by alpha"
    if STORED != "both are premultiplied by alpha":
        ALPHAS = ", not premultiplied: multiply the colours by alpha first; the result stays premultiplied"
    FADING = ", times its opacity {OPACITY} in all components" if FADED else ""
    FORMULA = {
        "over": "b + (1 - β)·a",
        "under": "a + (1 - α)·b",
        "inside": "α·b",
        "outside": "(1 - α)·b",
        "on top": "α·b + (1 - β)·a",
        "xor": "(1 - α)·b + (1 - β)·a",
        "plus": "min(a + b, 1)",
    }[OPERATOR]
    STORES = "overwrites {below}" if IN_PLACE else "goes to {out}"

    @c.kernel(rows, cols)
    def kernel(
        below: wp.array2d[wp.vec4] = (inout if IN_PLACE else input)(rows, cols, low=0.1, high=0.9),
        above: wp.array2d[wp.vec4] = input(rows, cols, low=0.1, high=0.9),
        out: wp.array2d[wp.vec4] = output(rows, cols),
    ):
        i, j = wp.tid()
        if STORED == "neither is premultiplied":
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
        elif OPERATOR == "on top":
            mixed = a[3] * b + (1.0 - b[3]) * a
        elif OPERATOR == "xor":
            mixed = (1.0 - a[3]) * b + (1.0 - b[3]) * a
        else:
            mixed = wp.min(a + b, wp.vec4(1.0))
        if IN_PLACE:
            below[i, j] = mixed
        else:
            out[i, j] = mixed


@idiom(level=2, names=NAMES | {"chroma": "chroma chrominance", "kernel": "split_colour to_channels"})
def opponent_channels(c):
    """The {WANTED} of each {FORMAT} in {SPACE}.

    Convert the RGB pixels (r, g, b) of {image}{GAINED} to {SPACE}. The channels are {FORMULA}. {out} gets
    {RESULT}.
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    WANTED = c.meaning(
        "channels",
        "saturation",
        "hue angle",
        "channels, with amplified chroma,",
        "channels, with a lightness of a half,",
    )
    RATIO = WANTED in ("saturation", "hue angle")
    FORMAT = "pixel" if RATIO else c.meaning("pixel", "pixel times its gain")
    STRETCH = c.constant(1.2, 2.0)
    if RATIO:
        saturated = WANTED == "saturation"
        c.names({"kernel": "saturation_map measure_saturation" if saturated else "hue_map measure_hue"})

    def ycbcr(rgb: wp.vec3) -> wp.vec3:
        luma = wp.dot(rgb, wp.vec3(0.299, 0.587, 0.114))
        return wp.vec3(luma, 0.564 * (rgb[2] - luma), 0.713 * (rgb[0] - luma))

    def ycocg(rgb: wp.vec3) -> wp.vec3:
        mean = 0.5 * (rgb[0] + rgb[2])
        return wp.vec3(0.5 * (rgb[1] + mean), 0.5 * (rgb[0] - rgb[2]), 0.5 * (rgb[1] - mean))

    def opponent(rgb: wp.vec3) -> wp.vec3:
        """The mean, red against green, and yellow against blue."""
        return wp.vec3((rgb[0] + rgb[1] + rgb[2]) / 3.0, rgb[0] - rgb[1], 0.5 * (rgb[0] + rgb[1]) - rgb[2])

    def hexagonal(rgb: wp.vec3) -> wp.vec3:
        """The value, and the place of the hue in the plane of the colour hexagon."""
        # the sine of 60 degrees
        side = 0.8660254 * (rgb[1] - rgb[2])
        return wp.vec3(wp.max(rgb), rgb[0] - 0.5 * (rgb[1] + rgb[2]), side)

    split = c.meaning(ycbcr, ycocg, opponent, hexagonal)
    SPACE = {
        ycbcr: "YCbCr",
        ycocg: "YCoCg",
        opponent: "opponent colours",
        hexagonal: "the hexagonal plane of hues",
    }[split]
    Wanted = float if RATIO else c.vec(3)
    GAINED = ", each times its entry of {gains}," if FORMAT != "pixel" else ""
    FORMULA = {
        ycbcr: "y = 0.299·r + 0.587·g + 0.114·b, 0.564·(b - y) and 0.713·(r - y)",
        ycocg: "½·(g + m), ½·(r - b) and ½·(g - m), where m = ½·(r + b)",
        opponent: "(r + g + b) / 3, r - g and ½·(r + g) - b",
        hexagonal: "max(r, g, b), r - ½·(g + b) and 0.8660254·(g - b)",
    }[split]
    RESULT = {
        "channels": "the three channels",
        "saturation": "the saturation, the length of the last two channels over the first",
        "hue angle": "the hue angle, atan2(third, second)",
        "channels, with amplified chroma,": "the three channels, the last two multiplied by {STRETCH}",
        "channels, with a lightness of a half,": "the three channels, the first replaced by ½",
    }[WANTED]

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[wp.vec3] = input(rows, cols, low=0.05, high=1.0),
        gains: wp.array2d[float] = input(rows, cols, low=0.5, high=1.5),
        out: wp.array2d[Wanted] = output(rows, cols),
    ):
        i, j = wp.tid()
        if FORMAT == "pixel":
            channels = split(image[i, j])
        else:
            channels = split(gains[i, j] * image[i, j])
        if WANTED == "saturation":
            chroma = wp.vec2(channels[1], channels[2])
            # a darker shade is as saturated as the colour itself
            out[i, j] = wp.length(chroma) / channels[0]
        elif WANTED == "hue angle":
            out[i, j] = wp.atan2(channels[2], channels[1])
        elif WANTED == "channels":
            out[i, j] = channels
        elif WANTED == "channels, with a lightness of a half,":
            out[i, j] = wp.vec3(0.5, channels[1], channels[2])
        else:
            out[i, j] = wp.vec3(channels[0], STRETCH * channels[1], STRETCH * channels[2])
