"""Step templates for grids and images: masks, limits, phases, colours, grading, grey levels.

They occur only in kernels of several parts, and never as a row of their own.
"""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

GRID = {
    "field": "field values levels",
    "out": "out output next_field",
    "old": "old previous before",
    "i j": "i j | row col | y x",
}


@idiom(level=2, names=GRID | {"solid": "solid mask blocked"})
def masked_relaxation(c):
    """Under-relaxes {field}{LIMIT}{WALLS}{CHANGE}.

    Under-relax {field}: to {old} add {PART} times ({field} - {old}){CUT}, and store the sum in
    {out}.{FLOOR}{BLOCKS}{SIZES}
    """
    n, m = c.size(4, 9), c.size(4, 9)
    LIMIT = c.meaning("", " by limited changes", " to values not below zero")
    WALLS = c.meaning(", except in walls", ", with walls at given values", "")
    CHANGE = c.meaning("", ", and finds the largest change", ", and sums the sizes of all changes")
    PART, MOST = c.constant(0.3, 0.9), c.constant(0.2, 0.5)
    c.once("relaxation")
    c.once("change", CHANGE)
    CUT = ", clamped to [-{MOST}, {MOST}]" if LIMIT == " by limited changes" else ""
    FLOOR = " Values below zero become zero." if LIMIT == " to values not below zero" else ""
    BLOCKS = {
        "": "",
        ", except in walls": " Cells with {solid} 1 are walls, which keep {old} whatever it is.",
        ", with walls at given values": " Cells with {solid} 1 are walls, which get {walls} instead.",
    }[WALLS]
    SIZES = {
        "": "",
        ", and finds the largest change": (
            " {change}, zero at the start, is the largest |{out} - {old}| of all cells."
        ),
        ", and sums the sizes of all changes": (
            " {change}, zero at the start, is the sum of |{out} - {old}| over all cells."
        ),
    }[CHANGE]

    @c.kernel(n, m)
    def kernel(
        field: wp.array2d[float] = input(n, m, low=-2.0, high=2.0, of="field"),
        old: wp.array2d[float] = input(n, m, low=-1.0, high=1.0, of="field before"),
        solid: wp.array2d[int] = input(n, m, low=0, high=1),
        walls: wp.array2d[float] = input(n, m, low=-1.0, high=1.0),
        change: wp.array[float] = output(1),
        out: wp.array2d[float] = output(n, m, of="field"),
    ):
        i, j = wp.tid()
        before = old[i, j]
        move = PART * (field[i, j] - before)
        if LIMIT == " by limited changes":
            move = wp.clamp(move, -MOST, MOST)
        after = before + move
        if LIMIT == " to values not below zero":
            after = wp.max(after, 0.0)
        if WALLS == ", except in walls":
            if solid[i, j] == 1:
                after = before
        elif WALLS == ", with walls at given values" and solid[i, j] == 1:
            after = walls[i, j]
        if CHANGE == ", and finds the largest change":
            wp.atomic_max(change, 0, wp.abs(after - before))
        elif CHANGE == ", and sums the sizes of all changes":
            wp.atomic_add(change, 0, wp.abs(after - before))
        out[i, j] = after


@idiom(level=2, names=GRID | {"phase": "phase kind region", "value": "value level here"})
def phase_of_cells(c):
    """Sorts cells into three phases by {field} at two levels{BY}{MIX}, and {COUNT}.

    Sort the cells by {field} into phases: 0 below a lower level, 2 above an upper level, otherwise 1. The
    levels are {LEVELS}.{KEPT}

    {COUNTED} Store the phase in {phases}{AGAIN}.
    """
    n, m = c.size(4, 9), c.size(4, 9)
    BY, MIX = c.meaning("", " of each row"), c.meaning("", ", with hysteresis about each")
    COUNT = c.meaning("counts each phase", "sums the values of each phase", "marks the cells that change")
    KNOWN = MIX or COUNT == "marks the cells that change"
    before = inout(n, m, low=0, high=2) if KNOWN else output(n, m)
    LOW, HIGH, BAND = c.constant(0.1, 0.25), c.constant(0.45, 0.65), c.constant(0.1, 0.3)
    LEVELS = "`{low}[r]` and `{high}[r]` in row r" if BY else "{LOW} and {HIGH}"
    KEPT = ""
    if MIX:
        KEPT = (
            " Each level has hysteresis: if {field} is less than {BAND} times the gap between the"
            " levels away from it, the"
            " cell gets the phase next to that level on the side where {phases} had it before, so"
            " near the lower level 2"
            " becomes 1, and near the upper level 0 does."
        )
    COUNTED = {
        "counts each phase": "Add the number of cells of each phase to its entry of {counts}.",
        "sums the values of each phase": (
            "Add the values of the cells of each phase to its entry of {totals}."
        ),
        "marks the cells that change": (
            "Store 1 in {marks} if the phase differs from {phases} before, otherwise 0."
        ),
    }[COUNT]
    AGAIN = ", in place" if KNOWN else ""

    @c.kernel(n, m)
    def kernel(
        field: wp.array2d[float] = input(n, m, low=-2.0, high=2.0, of="field"),
        low: wp.array[float] = input(n, low=-0.4, high=0.3),
        high: wp.array[float] = input(n, low=0.4, high=0.7),
        phases: wp.array2d[int] = before,
        counts: wp.array[int] = inout(3, low=0, high=9),
        totals: wp.array[float] = inout(3, low=0.0, high=1.0),
        marks: wp.array2d[int] = output(n, m),
    ):
        i, j = wp.tid()
        value = field[i, j]
        phase = int(1)
        lower = low[i] if BY else LOW
        upper = high[i] if BY else HIGH
        if value < lower:
            phase = 0
        elif value > upper:
            phase = 2
        if MIX:
            # near a level a cell stays on the side where it was
            width = BAND * (upper - lower)
            if wp.abs(value - lower) < width:
                phase = wp.min(phases[i, j], 1)
            elif wp.abs(value - upper) < width:
                phase = wp.max(phases[i, j], 1)
        if COUNT == "counts each phase":
            wp.atomic_add(counts, phase, 1)
        elif COUNT == "sums the values of each phase":
            wp.atomic_add(totals, phase, value)
        elif phase != phases[i, j]:
            marks[i, j] = 1
        else:
            marks[i, j] = 0
        phases[i, j] = phase


@idiom(
    level=2,
    names=GRID
    | {
        "t": "t s share",
        "value": "value level here",
        "colour": "colour rgb paint",
        "light": "light lit brightness",
    },
)
def false_colour(c):
    """Shows {field} on {SCALE}, in colours {RAMP}{LINES}.

    Show {field} in false colours. With the scale t = {SCALED}, the colour is {RAMPED}.{MARKED} Store it in
    {image}.
    """
    n, m = c.size(4, 9), c.size(4, 9)
    RAMP = c.meaning(
        "from blue through green to red", "from black through red to white", "around the colour wheel"
    )
    SCALE = c.meaning("a soft scale", "a scale of squares", "a scale that repeats")
    LINES = c.meaning("", ", with dark lines at equal levels", ", dimmed by the light on each cell")
    MIDDLE, WIDTH, STEPS = c.constant(0.2, 0.6), c.constant(0.4, 0.9), float(c.count(4, 9))
    HALF = c.constant(0.2, 0.8)
    SCALED = {
        "a soft scale": "½ + ½·tanh(({field} - {MIDDLE}) / {WIDTH})",
        "a scale of squares": "s / (s + {HALF}), where s is the square of {field}",
        "a scale that repeats": "s - ⌊s⌋, where s is ({field} - {MIDDLE}) / {WIDTH}",
    }[SCALE]
    RAMPED = {
        "from blue through green to red": "(t, 4·t·(1 - t), 1 - t)",
        "from black through red to white": "(3·t, 3·t - 1, 3·t - 2), each clamped to [0, 1]",
        "around the colour wheel": (
            "½ + ½·cos(2·π·t) in red, and in green and blue the same of 2·π·t - 2·π/3 and 2·π·t + 2·π/3"
        ),
    }[RAMP]
    MARKED = ""
    if LINES == ", with dark lines at equal levels":
        MARKED = (
            " Draw dark lines where each of the scale's {STEPS} steps begins: halve the colour if the"
            " fractional part of {STEPS}·t is below 0.15."
        )
    elif LINES:
        MARKED = " Multiply it by the light on the cell, {light}."

    @c.kernel(n, m)
    def kernel(
        field: wp.array2d[float] = input(n, m, low=-2.0, high=2.0, of="field"),
        light: wp.array2d[float] = input(n, m, low=0.4, high=1.0),
        image: wp.array2d[wp.vec3] = output(n, m, of="colour"),
    ):
        i, j = wp.tid()
        value = field[i, j]
        if SCALE == "a soft scale":
            t = 0.5 + 0.5 * wp.tanh((value - MIDDLE) / WIDTH)
        elif SCALE == "a scale of squares":
            square = value * value
            t = square / (square + HALF)
        else:
            turns = (value - MIDDLE) / WIDTH
            t = turns - wp.floor(turns)
        if RAMP == "from blue through green to red":
            colour = wp.vec3(t, 4.0 * t * (1.0 - t), 1.0 - t)
        elif RAMP == "from black through red to white":
            colour = wp.vec3(
                wp.min(3.0 * t, 1.0), wp.clamp(3.0 * t - 1.0, 0.0, 1.0), wp.clamp(3.0 * t - 2.0, 0.0, 1.0)
            )
        else:
            turn = 2.0 * wp.PI * t
            colour = wp.vec3(
                0.5 + 0.5 * wp.cos(turn),
                0.5 + 0.5 * wp.cos(turn - 2.0 * wp.PI / 3.0),
                0.5 + 0.5 * wp.cos(turn + 2.0 * wp.PI / 3.0),
            )
        if LINES == ", with dark lines at equal levels":
            # where a step of the scale begins
            part = STEPS * t - wp.floor(STEPS * t)
            if part < 0.15:
                colour = 0.5 * colour
        elif LINES:
            colour = light[i, j] * colour
        image[i, j] = colour


@idiom(
    level=2, names={"image": "image pixels picture", "out": "out graded result", "i j": "i j | row col | y x"}
)
def graded_picture(c):
    """Grades {image}: {LIFT}{SATURATION}{VIGNETTE}{CODE}.

    Grade {image} and store the result in {out}. {LIFTS}{VIVIDLY}{DARKENED}{ENCODED}
    """
    n, m = c.size(4, 9), c.size(4, 9)
    LIFT = c.meaning("lift and gain", "contrast about a pivot", "a curve that never reaches one")
    CURVED = LIFT == "a curve that never reaches one"
    SATURATION = c.meaning(
        "", ", more saturation" if CURVED else c.style(", more saturation", ", less saturation")
    )
    VIGNETTE = c.meaning("", ", darker corners")
    if CURVED and SATURATION == "":
        # what comes of the curve lies between 0 and 1
        CODE = c.meaning("", ", a gamma of 2.2")
    else:
        CODE = c.meaning("", ", clamped to [0, 1]", ", a gamma of 2.2")
    GAIN, LIFTED, PIVOT = c.constant(1.1, 1.5), c.constant(0.02, 0.15), c.constant(0.2, 0.5)
    VIVID = c.constant(0.4, 0.8) if SATURATION == ", less saturation" else c.constant(1.2, 1.6)
    FALL = c.constant(0.1, 0.5)
    c.once("gamma", CODE == ", a gamma of 2.2")
    c.once("tone curve", CURVED)
    # nothing is done to a picture any more once it is encoded
    FINISHED = None if CODE == ", a gamma of 2.2" else "colour"
    LIFTS = {
        "lift and gain": "Multiply each channel by {GAIN} and add {LIFTED}.",
        "contrast about a pivot": (
            "Scale contrast about a pivot: each channel becomes {PIVOT} plus {GAIN} times its difference"
            " to {PIVOT}."
        ),
        "a curve that never reaches one": "Bend each channel c to c / (c + {PIVOT}).",
    }[LIFT]
    VIVIDLY = ""
    if SATURATION:
        VIVIDLY = (
            " Then change the saturation: the colour becomes {VIVID}·colour + (1 - {VIVID})·grey,"
            " where grey is its luma,"
            " 0.2126·red + 0.7152·green + 0.0722·blue."
        )
    DARKENED = ""
    if VIGNETTE:
        DARKENED = (
            " Then darken the corners: multiply by 1 - {FALL}·(U² + V²), where U and V are the row"
            " and the column of the"
            " pixel's centre, scaled so that they go from -1 at one edge of {image} to 1 at the other."
        )
    ENCODED = {
        "": "",
        ", clamped to [0, 1]": " Finally, clamp all channels to [0, 1].",
        ", a gamma of 2.2": " Finally, encode with a gamma of 2.2: raise {EACH} to the power 0.4545.",
    }[CODE]
    EACH = "each channel" if CURVED and not SATURATION else "each channel, at least 0,"

    @c.kernel(n, m)
    def kernel(
        image: wp.array2d[wp.vec3] = input(n, m, low=0.0, high=1.5, of="colour"),
        out: wp.array2d[wp.vec3] = output(n, m, of=FINISHED),
    ):
        i, j = wp.tid()
        rgb = image[i, j]
        if LIFT == "lift and gain":
            rgb = GAIN * rgb + LIFTED * wp.vec3(1.0, 1.0, 1.0)
        elif LIFT == "contrast about a pivot":
            middle = wp.vec3(PIVOT, PIVOT, PIVOT)
            rgb = middle + GAIN * (rgb - middle)
        else:
            rgb = wp.vec3(rgb[0] / (rgb[0] + PIVOT), rgb[1] / (rgb[1] + PIVOT), rgb[2] / (rgb[2] + PIVOT))
        if SATURATION != "":
            grey = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
            rgb = VIVID * rgb + (1.0 - VIVID) * wp.vec3(grey, grey, grey)
        if VIGNETTE != "":
            down = 2.0 * (float(i) + 0.5) / float(image.shape[0]) - 1.0
            along = 2.0 * (float(j) + 0.5) / float(image.shape[1]) - 1.0
            rgb = (1.0 - FALL * (down * down + along * along)) * rgb
        if CODE == ", clamped to [0, 1]":
            rgb = wp.min(wp.max(rgb, wp.vec3(0.0, 0.0, 0.0)), wp.vec3(1.0, 1.0, 1.0))
        elif CODE == ", a gamma of 2.2" and CURVED and SATURATION == "":
            rgb = wp.vec3(wp.pow(rgb[0], 0.4545), wp.pow(rgb[1], 0.4545), wp.pow(rgb[2], 0.4545))
        elif CODE == ", a gamma of 2.2":
            rgb = wp.vec3(
                wp.pow(wp.max(rgb[0], 0.0), 0.4545),
                wp.pow(wp.max(rgb[1], 0.0), 0.4545),
                wp.pow(wp.max(rgb[2], 0.0), 0.4545),
            )
        out[i, j] = rgb


@idiom(
    level=2, names={"image": "image pixels picture", "codes": "codes levels", "i j": "i j | row col | y x"}
)
def grey_bytes(c):
    """Stores the grey of {image} in {DEPTH}, {NOISE}{CURVE}{REPORT}.

    Quantize {image} to {LEVELS} grey levels in {codes}.{CURVED} The level is {TOP} times {CUT}, and the
    code is {ROUNDED}.{NOTED}
    """
    n, m = c.size(4, 9), c.size(4, 9)
    DEPTH = c.meaning("256 levels", "sixteen levels", "four levels")
    NOISE = c.meaning("rounded", "dithered by a checkerboard", "dithered at random")
    CURVE = c.meaning("", " after a gamma of 2.2", " after a soft shoulder")
    REPORT = c.meaning("", ", and counts the dark and the bright", ", and keeps the error")
    TOP = {"256 levels": 255.0, "sixteen levels": 15.0, "four levels": 3.0}[DEPTH]
    BEND = c.constant(0.3, 0.9)
    c.once("gamma", CURVE == " after a gamma of 2.2")
    c.once("tone curve", CURVE == " after a soft shoulder")
    c.once("levels")
    LEVELS = {"256 levels": "256", "sixteen levels": "16", "four levels": "4"}[DEPTH]
    CURVED = {
        "": "",
        " after a gamma of 2.2": " Encode with a gamma of 2.2 first: raise to the power 0.4545.",
        " after a soft shoulder": (
            " First bend a value v above {BEND} over a soft shoulder, to {BEND} + (1 - {BEND})·(v -"
            " {BEND}) / (v + 1 - 2·{BEND})."
        ),
    }[CURVE]
    CUT = {
        "": "the grey, at most 1",
        " after a gamma of 2.2": "the result, at most 1",
        " after a soft shoulder": "the result",
    }[CURVE]
    ROUNDED = {
        "rounded": "⌊level + ½⌋",
        "dithered by a checkerboard": (
            "dithered by a checkerboard: ⌊level + 0.25⌋ at pixel (i, j) if i + j is even, otherwise"
            " ⌊level + 0.75⌋"
        ),
        "dithered at random": (
            "dithered at random: ⌊level + u⌋, where u is `wp.randf` of the state `wp.rand_init({seed},"
            " k)` for the pixel that is number k of {image}, counted from 0 row by row"
        ),
    }[NOISE]
    NOTED = {
        "": "",
        ", and counts the dark and the bright": (
            " Count pixels in {halves}: add those with codes below half of {TOP} to entry 0, others to"
            " entry 1."
        ),
        ", and keeps the error": " Store in {errors} the level less the code.",
    }[REPORT]

    @c.kernel(n, m)
    def kernel(
        image: wp.array2d[float] = input(n, m, low=0.0, high=1.2, of="colour"),
        seed: int = input(low=1, high=9999),
        codes: wp.array2d[int] = output(n, m),
        halves: wp.array[int] = inout(2, low=0, high=9),
        errors: wp.array2d[float] = output(n, m),
    ):
        i, j = wp.tid()
        v = image[i, j]
        if CURVE == " after a gamma of 2.2":
            v = wp.pow(v, 0.4545)
        elif CURVE == " after a soft shoulder" and v > BEND:
            # what lies above the bend goes to one and never reaches it
            v = BEND + (1.0 - BEND) * (v - BEND) / (v + 1.0 - 2.0 * BEND)
        level = TOP * (v if CURVE == " after a soft shoulder" else wp.min(v, 1.0))
        if NOISE == "rounded":
            code = int(level + 0.5)
        elif NOISE == "dithered by a checkerboard":
            code = int(level + 0.25) if (i + j) % 2 == 0 else int(level + 0.75)
        else:
            state = wp.rand_init(seed, i * image.shape[1] + j)
            code = int(level + wp.randf(state))
        codes[i, j] = code
        if REPORT == ", and counts the dark and the bright":
            wp.atomic_add(halves, 0 if 2.0 * float(code) < TOP else 1, 1)
        elif REPORT == ", and keeps the error":
            errors[i, j] = level - float(code)
