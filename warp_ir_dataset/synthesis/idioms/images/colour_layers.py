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
            rows, cols, low=0.0, high=1.0
        ),
        above: wp.array2d[wp.vec3] = given(rows, cols, low=0.0, high=1.0),
        alpha: wp.array2d[float] = given(rows, cols, low=0.1, high=1.0),
        mask: wp.array2d[wp.uint8] = given(rows, cols, low=0, high=1),
        out: wp.array2d[wp.vec3] = result(rows, cols),
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
        image: wp.array2d[Pixel] = given(rows, cols, low=0.0, high=1.0),
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
