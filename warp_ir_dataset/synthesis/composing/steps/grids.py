"""Steps for grids and images: masks, limits, phases, colours, grading, bytes."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

GRID = {
    "field": "field values levels",
    "out": "out output next_field",
    "old": "old previous before",
    "i j": "i j | row col | y x",
}


@idiom(level=2, names=GRID | {"new": "new fresh", "solid": "solid mask walls"})
def masked_relaxation(c):
    """Blends {field} with its old values{LIMIT}, {WALLS}{CHANGE}."""
    n, m = c.size(4, 9), c.size(4, 9)
    LIMIT = c.meaning("", ", changes limited", ", values kept above zero")
    WALLS = c.meaning("walls kept as they were", "walls set to their own values", "no walls")
    CHANGE = c.meaning("", ", and keeps the largest change", ", and adds up the changes")
    PART, MOST = c.constant(0.3, 0.95), c.constant(0.2, 0.9)
    c.once("relaxation")
    c.once("change", CHANGE)

    @c.kernel(n, m)
    def kernel(
        field: wp.array2d[float] = given(n, m, low=-2.0, high=2.0, of="field"),
        old: wp.array2d[float] = given(n, m, low=-1.0, high=1.0, of="field before"),
        solid: wp.array2d[int] = given(n, m, low=0, high=1),
        walls: wp.array2d[float] = given(n, m, low=-1.0, high=1.0),
        change: wp.array[float] = result(1),
        out: wp.array2d[float] = result(n, m, of="field"),
    ):
        i, j = wp.tid()
        before = old[i, j]
        move = PART * (field[i, j] - before)
        if LIMIT == ", changes limited":
            move = wp.clamp(move, -MOST, MOST)
        after = before + move
        if LIMIT == ", values kept above zero":
            after = wp.max(after, 0.0)
        if WALLS == "walls kept as they were":
            if solid[i, j] == 1:
                after = before
        elif WALLS == "walls set to their own values" and solid[i, j] == 1:
            after = walls[i, j]
        if CHANGE == ", and keeps the largest change":
            wp.atomic_max(change, 0, wp.abs(after - before))
        elif CHANGE == ", and adds up the changes":
            wp.atomic_add(change, 0, wp.abs(after - before))
        out[i, j] = after


@idiom(level=2, names=GRID | {"phase": "phase kind region", "v": "v level"})
def phase_of_cells(c):
    """Sorts cells into phases by {field} and {BY}, {MIX}, and {COUNT}."""
    n, m = c.size(4, 9), c.size(4, 9)
    BY = c.meaning("two levels", "levels of each row")
    MIX = c.meaning("sharply", "with a band about each level")
    COUNT = c.meaning("counts them", "adds up their values", "marks where they change")
    KNOWN = MIX == "with a band about each level" or COUNT == "marks where they change"
    before = updated(n, m, low=0, high=2) if KNOWN else result(n, m)
    LOW, HIGH, BAND = c.constant(0.1, 0.3), c.constant(0.5, 0.9), c.constant(0.1, 0.3)

    @c.kernel(n, m)
    def kernel(
        field: wp.array2d[float] = given(n, m, low=-2.0, high=2.0, of="field"),
        low: wp.array[float] = given(n, low=-0.4, high=0.3),
        high: wp.array[float] = given(n, low=0.4, high=0.9),
        phases: wp.array2d[int] = before,
        totals: wp.array[float] = updated(3, low=0.0, high=1.0),
        marks: wp.array2d[int] = result(n, m),
    ):
        i, j = wp.tid()
        v = field[i, j]
        phase = int(1)
        lower = LOW if BY == "two levels" else low[i]
        upper = HIGH if BY == "two levels" else high[i]
        if v < lower:
            phase = 0
        elif v > upper:
            phase = 2
        if MIX == "with a band about each level":
            # near a level a cell keeps its phase
            if wp.min(wp.abs(v - lower), wp.abs(v - upper)) < BAND * (upper - lower):
                phase = phases[i, j]
        if COUNT == "counts them":
            wp.atomic_add(totals, phase, 1.0)
        elif COUNT == "adds up their values":
            wp.atomic_add(totals, phase, v)
        elif phase != phases[i, j]:
            marks[i, j] = 1
        else:
            marks[i, j] = 0
        phases[i, j] = phase


@idiom(level=2, names=GRID | {"t": "t s share", "colour": "colour shade rgb"})
def false_colour(c):
    """Shows {field} in colours {RAMP}, {SCALE}{LINES}."""
    n, m = c.size(4, 9), c.size(4, 9)
    RAMP = c.meaning("from blue to red", "from black over red to white", "that go around the wheel")
    SCALE = c.meaning("linearly", "by its size", "by a curve of sign and root")
    LINES = c.meaning("", ", with lines of equal level", ", darker in the shade")
    LOW, HIGH, STEPS = c.constant(-0.9, -0.2), c.constant(1.0, 2.0), c.constant(2.0, 6.0)

    @c.kernel(n, m)
    def kernel(
        field: wp.array2d[float] = given(n, m, low=-2.0, high=2.0, of="field"),
        shade: wp.array2d[float] = given(n, m, low=0.4, high=1.0),
        image: wp.array2d[wp.vec3] = result(n, m, of="colour"),
    ):
        i, j = wp.tid()
        v = field[i, j]
        if SCALE == "linearly":
            t = wp.clamp((v - LOW) / (HIGH - LOW), 0.0, 1.0)
        elif SCALE == "by its size":
            t = wp.clamp(wp.abs(v) / HIGH, 0.0, 1.0)
        else:
            t = wp.clamp(0.5 + 0.5 * wp.sign(v) * wp.sqrt(wp.abs(v) / HIGH), 0.0, 1.0)
        if RAMP == "from blue to red":
            colour = wp.vec3(t, 4.0 * t * (1.0 - t), 1.0 - t)
        elif RAMP == "from black over red to white":
            colour = wp.vec3(
                wp.min(3.0 * t, 1.0), wp.clamp(3.0 * t - 1.0, 0.0, 1.0), wp.clamp(3.0 * t - 2.0, 0.0, 1.0)
            )
        else:
            turn = 2.0 * wp.PI * t
            colour = wp.vec3(
                0.5 + 0.5 * wp.cos(turn), 0.5 + 0.5 * wp.cos(turn - 2.1), 0.5 + 0.5 * wp.cos(turn + 2.1)
            )
        if LINES == ", with lines of equal level":
            # dark where a step of the level begins
            part = STEPS * t - wp.floor(STEPS * t)
            if part < 0.15:
                colour = 0.5 * colour
        elif LINES == ", darker in the shade":
            colour = shade[i, j] * colour
        image[i, j] = colour


@idiom(
    level=2, names={"image": "image pixels picture", "out": "out graded result", "i j": "i j | row col | y x"}
)
def graded_picture(c):
    """Grades {image}: {LIFT}{SATURATION}{VIGNETTE}{CODE}."""
    n, m = c.size(4, 9), c.size(4, 9)
    LIFT = c.meaning("lift and gain", "exposure and contrast", "a curve")
    SATURATION = c.meaning("", ", saturation")
    VIGNETTE = c.meaning("", ", darker corners")
    if LIFT == "a curve" and SATURATION == "":
        # what comes of the curve lies between 0 and 1
        CODE = c.meaning("", ", with a gamma")
    else:
        CODE = c.meaning("", ", between 0 and 1", ", with a gamma")
    GAIN, LIFTED, PIVOT = c.constant(0.8, 1.5), c.constant(0.02, 0.15), c.constant(0.2, 0.5)
    # a picture less vivid than the curve leaves it would stay between 0 and 1
    VIVID = c.constant(1.1 if LIFT == "a curve" else 0.4, 1.6)
    FALL = c.constant(0.1, 0.5)
    c.once("gamma", CODE == ", with a gamma")
    c.once("tone curve", LIFT == "a curve")
    # nothing is done to a picture any more once it is encoded
    FINISHED = None if CODE == ", with a gamma" else "colour"

    @c.kernel(n, m)
    def kernel(
        image: wp.array2d[wp.vec3] = given(n, m, low=0.0, high=1.5, of="colour"),
        out: wp.array2d[wp.vec3] = result(n, m, of=FINISHED),
    ):
        i, j = wp.tid()
        rgb = image[i, j]
        if LIFT == "lift and gain":
            rgb = GAIN * rgb + LIFTED * wp.vec3(1.0, 1.0, 1.0)
        elif LIFT == "exposure and contrast":
            middle = wp.vec3(PIVOT, PIVOT, PIVOT)
            rgb = middle + GAIN * (rgb - middle)
        else:
            # the curve has a pole below zero
            rgb = wp.max(rgb, wp.vec3(0.0, 0.0, 0.0))
            rgb = wp.vec3(rgb[0] / (rgb[0] + PIVOT), rgb[1] / (rgb[1] + PIVOT), rgb[2] / (rgb[2] + PIVOT))
        if SATURATION != "":
            grey = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
            rgb = VIVID * rgb + (1.0 - VIVID) * wp.vec3(grey, grey, grey)
        if VIGNETTE != "":
            up = 2.0 * (float(i) + 0.5) / float(image.shape[0]) - 1.0
            along = 2.0 * (float(j) + 0.5) / float(image.shape[1]) - 1.0
            rgb = (1.0 - FALL * (up * up + along * along)) * rgb
        if CODE == ", between 0 and 1":
            rgb = wp.min(wp.max(rgb, wp.vec3(0.0, 0.0, 0.0)), wp.vec3(1.0, 1.0, 1.0))
        elif CODE == ", with a gamma" and LIFT == "a curve" and SATURATION + VIGNETTE == "":
            rgb = wp.vec3(wp.pow(rgb[0], 0.4545), wp.pow(rgb[1], 0.4545), wp.pow(rgb[2], 0.4545))
        elif CODE == ", with a gamma":
            rgb = wp.vec3(
                wp.pow(wp.max(rgb[0], 0.0), 0.4545),
                wp.pow(wp.max(rgb[1], 0.0), 0.4545),
                wp.pow(wp.max(rgb[2], 0.0), 0.4545),
            )
        out[i, j] = rgb


@idiom(
    level=2, names={"image": "image pixels picture", "out": "out bytes codes", "i j": "i j | row col | y x"}
)
def grey_bytes(c):
    """Stores {image} in grey as {DEPTH}, {NOISE}{CURVE}{REPORT}."""
    n, m = c.size(4, 9), c.size(4, 9)
    DEPTH = c.meaning("bytes", "sixteen levels", "four levels")
    NOISE = c.meaning("rounded", "dithered by a checkerboard", "dithered at random")
    CURVE = c.meaning("", " after a gamma", " after a soft shoulder")
    REPORT = c.meaning("", ", and counts the dark and the bright", ", and keeps the error")
    TOP = {"bytes": 255.0, "sixteen levels": 15.0, "four levels": 3.0}[DEPTH]
    BEND = c.constant(0.3, 0.9)
    c.once("gamma", CURVE == " after a gamma")
    c.once("tone curve", CURVE == " after a soft shoulder")
    c.once("levels")

    @c.kernel(n, m)
    def kernel(
        image: wp.array2d[float] = given(n, m, low=0.0, high=1.2, of="colour"),
        seed: int = given(low=1, high=9999),
        codes: wp.array2d[int] = result(n, m),
        halves: wp.array[int] = updated(2, low=0, high=9),
        errors: wp.array2d[float] = result(n, m),
    ):
        i, j = wp.tid()
        v = wp.max(image[i, j], 0.0)
        if CURVE == " after a gamma":
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
