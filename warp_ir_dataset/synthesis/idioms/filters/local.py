"""Filters that look at their pixels: medians, likeness, and scales."""

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


@idiom(level=2, names=NAMES | {"middle": "middle median", "kernel": "rank_three filter_three"})
def median_of_three(c):
    """{DONE} {PIXELS} and {AROUND}, edges repeated{SPIKES}.

    Filter {image}: each pixel becomes the {WANTED} of itself and {AMONG}, in {out}. {BEYOND}{CHANNELS}{SPIKY}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    AROUND = c.meaning(
        "its left and right neighbours",
        "the pixels above and below",
        "its neighbours along a falling diagonal",
    )
    PIXELS = c.meaning("each grey pixel", "each colour", "each byte")
    if PIXELS == "each byte":
        WANTED = c.meaning("median", "maximum", "minimum")
    else:
        WANTED = c.meaning("median", "range", "maximum", "minimum")
    SPIKES = c.meaning(False, True) if WANTED == "median" else False
    DONE = "The median of" if SPIKES else f"The {WANTED} of"
    SPIKES = "; what is near its median stays as it is" if SPIKES else ""
    Pixel = {"each grey pixel": float, "each colour": c.vec(3), "each byte": BYTE}[PIXELS]
    HIGH, JUMP = 255 if PIXELS == "each byte" else 1.0, c.constant(0.1, 0.4)
    # of a byte, a whole number is the limit
    STEP = c.count(30, 90)
    c.names(
        {
            "a b": {
                "its left and right neighbours": "left right | west east",
                "the pixels above and below": "above below | upper lower",
                "its neighbours along a falling diagonal": "upper_left lower_right | before after",
            }[AROUND]
        }
    )
    if WANTED != "median":
        c.names(
            {
                "middle": {
                    "maximum": "largest highest",
                    "minimum": "smallest least",
                    "range": "contrast spread",
                }[WANTED],
                "kernel": "local_range range_filter" if WANTED == "range" else "rank_three filter_three",
            }
        )
    # a range is no colour of the picture
    OF = None if WANTED == "range" else "colour"
    AMONG = {
        "its left and right neighbours": "its left and right neighbours",
        "the pixels above and below": "those above and below",
        "its neighbours along a falling diagonal": (
            "its neighbours along a falling diagonal, one row up and one column left, and one down and right"
        ),
    }[AROUND]
    BEYOND = "Beyond the edges rows and columns are clamped."
    CHANNELS = " Take it channel by channel." if PIXELS == "each colour" else ""
    if WANTED == "range":
        CHANNELS += " The range is the largest less the smallest of them."
    SPIKY = ""
    if SPIKES:
        SPIKY = {
            "each grey pixel": (
                " Only spikes are removed: a pixel stays as it is unless it differs from its median by"
                " more than {JUMP}."
            ),
            "each colour": (
                " Only spikes are removed: a pixel stays as it is unless the distance of its colour from"
                " the median exceeds {JUMP}."
            ),
            "each byte": (
                " Only spikes are removed: a pixel stays as it is unless it differs from its median by"
                " more than {STEP}."
            ),
        }[PIXELS]

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = input(rows, cols, low=0, high=HIGH, of="colour"),
        out: wp.array2d[Pixel] = output(rows, cols, of=OF),
    ):
        i, j = wp.tid()
        centre = image[i, j]
        if AROUND == "its left and right neighbours":
            a = image[i, wp.max(j - 1, 0)]
            b = image[i, wp.min(j + 1, image.shape[1] - 1)]
        elif AROUND == "the pixels above and below":
            a = image[wp.max(i - 1, 0), j]
            b = image[wp.min(i + 1, image.shape[0] - 1), j]
        else:
            a = image[wp.max(i - 1, 0), wp.max(j - 1, 0)]
            b = image[wp.min(i + 1, image.shape[0] - 1), wp.min(j + 1, image.shape[1] - 1)]
        if WANTED == "median":
            middle = wp.max(wp.min(a, b), wp.min(wp.max(a, b), centre))
        elif WANTED == "maximum":
            middle = wp.max(centre, wp.max(a, b))
        elif WANTED == "minimum":
            middle = wp.min(centre, wp.min(a, b))
        else:
            middle = wp.max(centre, wp.max(a, b)) - wp.min(centre, wp.min(a, b))
        if SPIKES:
            if PIXELS == "each colour":
                out[i, j] = wp.where(wp.length(middle - centre) > JUMP, middle, centre)
            elif PIXELS == "each byte":
                out[i, j] = wp.where(wp.abs(int(middle) - int(centre)) > STEP, middle, centre)
            else:
                out[i, j] = wp.where(wp.abs(middle - centre) > JUMP, middle, centre)
        else:
            out[i, j] = middle


@idiom(
    level=4,
    differentiable=False,
    names=NAMES
    | {"weight": "weight w likeness", "norm": "norm mass weight_sum", "kernel": "bilateral denoise"},
)
def bilateral_smoothing(c):
    """{DONE} over a {WINDOW} window, weighting pixels by {LIKENESS} of their {DIFFERENCE}.

    Apply a bilateral filter to {image} and store the result in {out}{SHARP}. The smoothed pixel is the mean
    of the pixels in its window, weighted by {LIKENESS} of their difference D: {LIKE}. D is {DISTANCE}.

    The window reaches {reach} pixels to all sides{CROSS}; beyond the edges the pixels at the edge are
    repeated.{FADING}{SHARPLY}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    PIXELS, GUIDE = c.meaning("grey pixels", "colours"), c.meaning("the pixels", "a guide", "depths")
    WINDOW, SHARPENED = c.meaning("square", "Gaussian", "cross-shaped"), c.meaning(False, True)
    DONE = f"Smooths {PIXELS}"
    if SHARPENED:
        c.names({"kernel": "bilateral_sharpening sharpen"})
        DONE = f"Sharpens {PIXELS} by what they lose when smoothed"
    Pixel = float if PIXELS == "grey pixels" else c.vec(3)
    Guide = c.vec(3) if GUIDE == "the pixels" and PIXELS == "colours" else float
    WIDTH, AMOUNT = c.constant(0.15, 0.4), c.constant(0.3, 0.9)
    NEAR, FAR = (1.0, 3.0) if GUIDE == "depths" else (0.0, 1.0)
    if GUIDE == "depths":
        c.names({"guide": "depths depth_map"})
        DIFFERENCE = "relative difference in depth"
    else:
        DIFFERENCE = "difference" if GUIDE == "the pixels" else "difference in a guide image"

    def bell(difference: float) -> float:
        return wp.exp(-0.5 * difference * difference / (WIDTH * WIDTH))

    def tukey(difference: float) -> float:
        # zero from twice the width on
        rest = wp.max(1.0 - difference * difference / (4.0 * WIDTH * WIDTH), 0.0)
        return rest * rest

    def threshold(difference: float) -> float:
        return wp.where(difference < WIDTH, 1.0, 0.0)

    def hyperbola(difference: float) -> float:
        """One without a difference, a half where it is {WIDTH}."""
        return WIDTH / (WIDTH + difference)

    likeness = c.meaning(bell, tukey, threshold, hyperbola)
    LIKENESS = {
        bell: "a Gaussian",
        tukey: "Tukey's biweight",
        threshold: "a threshold",
        hyperbola: "a hyperbola",
    }[likeness]
    SHARP = ", sharpened" if SHARPENED else ", smoothed"
    LIKE = {
        "a Gaussian": "exp(-½·(D / {WIDTH})²)",
        "Tukey's biweight": "(1 - D² / (4·{WIDTH}²))², or 0 from D = 2·{WIDTH} on",
        "a threshold": "1 if D < {WIDTH}, otherwise 0",
        "a hyperbola": "{WIDTH} / ({WIDTH} + D)",
    }[LIKENESS]
    DISTANCE = {
        "the pixels": "the distance between the two colours"
        if PIXELS == "colours"
        else "the absolute difference of the two pixels",
        "a guide": "the absolute difference of their entries in {guide}",
        "depths": "the absolute difference of their entries in {guide}, divided by the pixel's own entry",
    }[GUIDE]
    CROSS = ", but only in its row and its column" if WINDOW == "cross-shaped" else ""
    FADING = ""
    if WINDOW == "Gaussian":
        FADING = (
            " Weights are also multiplied by exp(-½·(di² + dj²)), with the distances di and dj by rows"
            " and columns."
        )
    SHARPLY = " The result is the pixel plus {AMOUNT} times (pixel - smoothed pixel)." if SHARPENED else ""

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = input(rows, cols, low=0.0, high=1.0, of="colour"),
        guide: wp.array2d[float] = input(rows, cols, low=NEAR, high=FAR),
        reach: int = input(low=1, high=2),
        out: wp.array2d[Pixel] = output(rows, cols, of="colour"),
    ):
        i, j = wp.tid()
        if GUIDE == "the pixels":
            own = image[i, j]
        else:
            own = guide[i, j]
        total = Pixel(0.0)
        norm = float(0.0)
        for di in range(-reach, reach + 1):
            for dj in range(-reach, reach + 1):
                if WINDOW == "cross-shaped":
                    if di * dj != 0:
                        continue
                row = wp.clamp(i + di, 0, image.shape[0] - 1)
                col = wp.clamp(j + dj, 0, image.shape[1] - 1)
                if GUIDE == "depths":
                    # what is far away may differ more
                    weight = likeness(wp.abs(guide[row, col] - own) / own)
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
        if SHARPENED:
            smooth = total / norm
            out[i, j] = image[i, j] + AMOUNT * (image[i, j] - smooth)
        else:
            out[i, j] = total / norm


@idiom(
    level=3,
    names=NAMES | {"x y": "x y | col row", "other": "other second", "out": "out dst level"},
)
def image_pyramid_level(c):
    """The next {WAY} level of a pyramid of {PIXELS}, by {RULE}{DETAIL}.

    Make the next {WAY} level of an image pyramid from {image}, in {out}. {FORMULA}{CHANGED}
    """
    rows, cols = c.size(3, 4), c.size(3, 5)
    WAY, PIXELS = c.meaning("smaller", "larger"), c.meaning("grey pixels", "colours")
    if WAY == "smaller":
        RULE = c.meaning("means of four", "the largest of four", "binomial weights", "every other pixel")
        DETAIL = c.meaning("", ", less a threshold", ", mixed half and half with another image")
    else:
        RULE = c.meaning("nearest-neighbour copies", "bilinear interpolation")
        DETAIL = c.meaning("", ", plus the details of that level", ", mixed half and half with another image")
    Pixel = float if PIXELS == "grey pixels" else c.vec(3)
    THRESHOLD, SCALE = c.constant(0.2, 0.5), 2 if WAY == "smaller" else 1
    LEAST = -0.5 if DETAIL == ", plus the details of that level" else 0.0
    if DETAIL == ", plus the details of that level":
        c.names({"other": "details laplacian"})
    c.names({"kernel": "next_level shrink" if WAY == "smaller" else "next_level enlarge"})

    def across(image: wp.array2d[Pixel], y: int, x: int) -> Pixel:
        """The weights 1, 2, 1 along a row."""
        return 0.25 * image[y, wp.max(x - 1, 0)] + 0.5 * image[y, x] + 0.25 * image[y, x + 1]

    FORMULA = {
        "means of four": "A pixel is the mean of the 2 × 2 pixels that it covers, ¼ of their sum.",
        "the largest of four": "A pixel is the largest of the 2 × 2 pixels that it covers{CHANNELWISE}.",
        "binomial weights": (
            "Pixel (i, j) is the mean of the 3 × 3 pixels around (2·i, 2·j), with the weights ¼, ½, ¼"
            " along each axis; before the first row and column, these are repeated."
        ),
        "every other pixel": "Pixel (i, j) is that at (2·i, 2·j).",
        "nearest-neighbour copies": "Pixel (i, j) is a copy of that at (⌊i/2⌋, ⌊j/2⌋).",
        "bilinear interpolation": (
            "Interpolate bilinearly: pixel (i, j) is 9/16 of the pixel (y, x) = (⌊i/2⌋, ⌊j/2⌋), 3/16 of"
            " each of its neighbours in the next row and in the next column, and 1/16 of the one that is"
            " diagonal between these. The next row is y - 1 for an even i and y + 1 for an odd one,"
            " likewise for columns, clamped to {image}."
        ),
    }[RULE]
    CHANNELWISE = ", channel by channel" if PIXELS == "colours" else ""
    CHANGED = {
        "": "",
        ", less a threshold": " Then subtract {THRESHOLD}, and let negative results be 0.",
        ", plus the details of that level": " Then add {other}, the details of the new level.",
        ", mixed half and half with another image": " Then take the mean of that and {other}.",
    }[DETAIL]

    @c.kernel(rows * (1 if WAY == "smaller" else 2), cols * (1 if WAY == "smaller" else 2))
    def kernel(
        image: wp.array2d[Pixel] = input(rows * SCALE, cols * SCALE, low=0.0, high=1.0),
        other: wp.array2d[Pixel] = input(
            rows * 2 // SCALE,
            cols * 2 // SCALE,
            low=LEAST,
            high=LEAST + 1.0,
            of="colour" if LEAST == 0.0 else None,
        ),
        out: wp.array2d[Pixel] = output(rows * 2 // SCALE, cols * 2 // SCALE, of="colour"),
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
                value = across(image, y, x)
                value = 0.5 * value + 0.25 * (across(image, wp.max(y - 1, 0), x) + across(image, y + 1, x))
            else:
                value = image[y, x]
        else:
            y = i // 2
            x = j // 2
            if RULE == "nearest-neighbour copies":
                value = image[y, x]
            else:
                # the neighbours on the side where this quarter of the pixel lies
                row = wp.clamp(y + 2 * (i % 2) - 1, 0, image.shape[0] - 1)
                col = wp.clamp(x + 2 * (j % 2) - 1, 0, image.shape[1] - 1)
                value = (
                    0.5625 * image[y, x] + 0.1875 * (image[row, x] + image[y, col]) + 0.0625 * image[row, col]
                )
        if DETAIL == ", less a threshold":
            # only what is bright goes on
            value = wp.max(value - Pixel(THRESHOLD), Pixel(0.0))
        elif DETAIL == ", plus the details of that level":
            value += other[i, j]
        elif DETAIL:
            value = wp.lerp(value, other[i, j], 0.5)
        out[i, j] = value


@idiom(
    level=3,
    names={
        "n ch i j": "n ch i j | batch channel row col | b k y x",
        "x": "x images inputs",
        "out": "out rearranged shuffled",
        "kernel": "shuffle_pixels rearrange_channels",
    },
)
def channel_shuffle(c):
    """{MOVED} in a batch of images{FLIP}{SCALED}{AFTER}.

    {PURPOSE} of a batch of images, {x} with the indices image, channel, row and column, and store the result
    in {out}. {FORMULA}{FLIPPED}{CHANGED}{CLIPPED}
    """
    WAY = c.meaning("depth to space", "space to depth", "a channel shuffle")
    MOVED = {
        "depth to space": "Turns every four channels into blocks of 2x2 pixels",
        "space to depth": "Turns every block of 2x2 pixels into four channels",
        "a channel shuffle": "Interleaves the two halves of the channels",
    }[WAY]
    c.names(
        {
            "kernel": {
                "depth to space": "depth_to_space pixel_shuffle",
                "space to depth": "space_to_depth pixel_unshuffle",
                "a channel shuffle": "channel_shuffle shuffle_channels",
            }[WAY]
        }
    )
    FLIP = c.meaning("", ", mirrored left to right", ", turned upside down")
    SCALED = c.meaning("", ", with a gain for each channel", ", with an offset for each image")
    AFTER = c.meaning("", ", rectified", ", clamped to [-1, 1]")
    images, groups, per = c.count(2, 3), 2, c.count(1, 2) if WAY == "a channel shuffle" else 1
    rows, cols = c.count(3, 4), c.count(3, 4)
    fine, coarse = (rows * 2, cols * 2), (rows, cols)
    many, few = 4 * per, per
    if WAY == "a channel shuffle":
        many = few = groups * (per + 1)
        fine = coarse
    DOWN, ACROSS = FLIP == ", turned upside down", FLIP == ", mirrored left to right"
    # what is read, and what is written
    before, after = (
        ((many, *coarse), (few, *fine)) if WAY == "depth to space" else ((few, *fine), (many, *coarse))
    )
    PURPOSE = {
        "depth to space": "Turn depth to space in the channels",
        "space to depth": "Turn space to depth in the channels",
        "a channel shuffle": "Shuffle the channels",
    }[WAY]
    FORMULA = {
        "depth to space": (
            "Every four channels become blocks of 2 × 2 pixels: channel k of {out} at (i, j) comes from"
            " channel 4·k + 2·(i mod 2) + (j mod 2) at (⌊i/2⌋, ⌊j/2⌋)."
        ),
        "space to depth": (
            "Every block of 2 × 2 pixels becomes four channels: channel k of {out} at (i, j) comes from"
            " channel ⌊k/4⌋ at (2·i + ⌊p/2⌋, 2·j + (p mod 2)), where p = k mod 4."
        ),
        "a channel shuffle": (
            "The two halves of the channels are interleaved, first the first channel of the first half, then"
            " the first of the second half: channel k of {out} comes from channel (k mod 2)·c/2 + ⌊k/2⌋, with"
            " c channels in {out}."
        ),
    }[WAY]
    FLIPPED = {
        "": "",
        ", mirrored left to right": (
            " The images that come out of this are mirrored left to right: column j of {out} gets what column"
            " w - 1 - j would have had, with w columns in {out}."
        ),
        ", turned upside down": (
            " The images that come out of this are turned upside down: row i of {out} gets what row h - 1 - i"
            " would have had, with h rows in {out}."
        ),
    }[FLIP]
    CHANGED = {
        "": "",
        ", with a gain for each channel": " Then multiply by {gains} of the new channel.",
        ", with an offset for each image": " Then add {offsets} of the image.",
    }[SCALED]
    CLIPPED = {
        "": "",
        ", rectified": " Finally, negative values become 0.",
        ", clamped to [-1, 1]": " Finally, clamp to [-1, 1].",
    }[AFTER]

    @c.kernel(images, *after)
    def kernel(
        x: wp.array4d[float] = input(images, *before, low=-1.5, high=1.5),
        gains: wp.array[float] = input(after[0], low=0.5, high=2.0),
        offsets: wp.array[float] = input(images, low=-0.5, high=0.5),
        out: wp.array4d[float] = output(images, *after),
    ):
        n, ch, i, j = wp.tid()
        if ACROSS:
            col = out.shape[3] - 1 - j
        elif DOWN:
            row = out.shape[2] - 1 - i
        if WAY == "depth to space":
            # four channels make a block of two by two
            source = 4 * ch + 2 * ((row if DOWN else i) % 2) + (col if ACROSS else j) % 2
            value = x[n, source, (row if DOWN else i) // 2, (col if ACROSS else j) // 2]
        elif WAY == "space to depth":
            part = ch % 4
            value = x[n, ch // 4, 2 * (row if DOWN else i) + part // 2, 2 * (col if ACROSS else j) + part % 2]
        else:
            members = out.shape[1] // groups
            value = x[n, ch % groups * members + ch // groups, row if DOWN else i, col if ACROSS else j]
        if SCALED == ", with a gain for each channel":
            value *= gains[ch]
        elif SCALED:
            value += offsets[n]
        if AFTER == ", rectified":
            value = wp.max(value, 0.0)
        elif AFTER:
            value = wp.clamp(value, -1.0, 1.0)
        out[n, ch, i, j] = value
