"""Textures out of noise."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=4,
    differentiable=False,
    names={
        "row col": "row col | i j | y x",
        "out": "out texture heights image",
        "state": "state rng generator",
        "total": "total height value",
        "amplitude": "amplitude weight",
        "frequency": "frequency freq",
        "GAIN": "GAIN PERSISTENCE",
        "norm": "norm amplitudes bound",
        "kernel": "noise_texture fill_with_noise",
    },
)
def fractal_noise(c):
    """Fills an image with {OCTAVES} octaves of {KIND} noise{DOMAIN}{WINDOW}{TONE}.

    Fill {out} with {OCTAVES} octaves of {KIND} noise. Pixel (i, j) is at the point p = ((j + ½)·{CELL}, (i +
    ½)·{CELL}){TURNED}. {SUM}{RIM}{FINISH}
    """
    rows, cols, OCTAVES = c.size(5, 8), c.size(5, 8), c.count(3, 4)
    KIND = c.meaning("gradient", "billowing", "ridged", "turbulent")
    DOMAIN = c.meaning("", " at a point in time")
    WINDOW = c.meaning("", ", fading out at the rim", ", rotated by an angle")
    TONE = c.meaning("", ", normalized to [0, 1]", ", rounded down to eighths", ", through a smoothstep")
    SCALED = TONE in (", normalized to [0, 1]", ", through a smoothstep")
    POSITIVE = KIND in ("ridged", "turbulent")
    CELL, GAIN, LACUNARITY = c.constant(0.2, 0.6), c.constant(0.4, 0.6), c.constant(1.8, 2.2)

    def octave(value: float) -> float:
        """What one octave adds, before its amplitude."""
        if KIND == "billowing":
            return 2.0 * wp.abs(value) - 1.0
        else:
            ridge = 1.0 - wp.abs(value)
            return ridge * ridge

    TURNED = ""
    if WINDOW == ", rotated by an angle":
        TURNED = ", rotated about the origin by {angle}: (x·cos - y·sin, x·sin + y·cos)"
    PLACE = "f·p" if DOMAIN == "" else "(f·x, f·y, {time}) for p = (x, y)"
    TERM = {
        "gradient": "s",
        "billowing": "(2·|s| - 1)",
        "ridged": "(1 - |s|)²",
        "turbulent": "|s|",
    }[KIND]
    SUM = (
        "Its value is the sum over the octaves k = 0, 1, … of {GAIN}^k·{TERM}, where s is wp.noise at "
        "{PLACE} with "
        "f = {LACUNARITY}^k, its state from wp.rand_init({seed})."
    )
    RIM = ""
    if WINDOW == ", fading out at the rim":
        RIM = (
            " It fades out at the rim: it is multiplied by (1 - u²)·(1 - v²), where u = 2·(j + ½) / "
            "(columns) - 1, and v is "
            "the same with i and rows."
        )
    RATIO = "Divide by the sum of the amplitudes {GAIN}^k{HALVED}"
    HALVED = "" if POSITIVE else " and map [-1, 1] to [0, 1] by ½ + ½·t"
    FINISH = {
        "": "",
        ", normalized to [0, 1]": " {RATIO}.",
        ", rounded down to eighths": " Round it down to eighths, ⌊8·value⌋ / 8.",
        ", through a smoothstep": " {RATIO}; store t²·(3 - 2·t) of the result t.",
    }[TONE]

    @c.kernel(rows, cols)
    def kernel(
        seed: int = input(low=1, high=1000),
        time: float = input(low=0.2, high=2.0),
        angle: float = input(low=0.2, high=1.2),
        out: wp.array2d[float] = output(rows, cols),
    ):
        row, col = wp.tid()
        state = wp.rand_init(seed)
        x = (float(col) + 0.5) * CELL
        y = (float(row) + 0.5) * CELL
        if WINDOW == ", rotated by an angle":
            p = wp.vec2(wp.cos(angle) * x - wp.sin(angle) * y, wp.sin(angle) * x + wp.cos(angle) * y)
        else:
            p = wp.vec2(x, y)
        total = float(0.0)
        if SCALED:
            norm = float(0.0)
        amplitude = float(1.0)
        frequency = float(1.0)
        for k in range(OCTAVES):
            if DOMAIN == "":
                sample = wp.noise(state, frequency * p)
            else:
                sample = wp.noise(state, wp.vec3(frequency * p[0], frequency * p[1], time))
            if KIND == "gradient":
                total += amplitude * sample
            elif KIND == "turbulent":
                total += amplitude * wp.abs(sample)
            else:
                total += amplitude * octave(sample)
            if SCALED:
                norm += amplitude
            amplitude *= GAIN
            frequency *= LACUNARITY
        if WINDOW == ", fading out at the rim":
            u = 2.0 * (float(col) + 0.5) / float(out.shape[1]) - 1.0
            v = 2.0 * (float(row) + 0.5) / float(out.shape[0]) - 1.0
            total *= (1.0 - u * u) * (1.0 - v * v)
        if SCALED:
            # no sum of the octaves is larger than that of their amplitudes
            t = total / norm if POSITIVE else 0.5 + 0.5 * total / norm
        if TONE == ", normalized to [0, 1]":
            out[row, col] = t
        elif TONE == ", rounded down to eighths":
            out[row, col] = wp.floor(8.0 * total) / 8.0
        elif TONE == ", through a smoothstep":
            out[row, col] = t * t * (3.0 - 2.0 * t)
        else:
            out[row, col] = total


@idiom(
    level=3,
    names={
        "points": "points positions coords",
        "out": "out colours rgb",
        "state": "state rng generator",
        "t": "t share",
        "kernel": "shade_by_noise noise_pattern",
    },
)
def noise_patterns(c):
    """Colours points like {PATTERN}{WARP}, {MIXED} from a dark to a bright colour{LIGHT}.

    Colour {points} like {PATTERN}. Let p be {SCALE} times a point{WARPED}. Here n(p) is wp.noise with the
    state wp.rand_init({seed}). The share is t = {SHARE}{SHARPER}. {out} gets the colour that is linear from
    {dark} at t = 0 to {bright} at t = 1{SHADED}.
    """
    n = c.size()
    PATTERN = c.meaning("marble", "wood", "clouds", "veined stone", "stripes", "spotted stone")
    WARP = c.meaning("", " warped by noise", " warped along curl noise")
    MIXED = c.meaning("blending linearly", "blending by a smoothstep", "with sharp edges")
    LIGHT = c.meaning("", ", darker below")
    SCALE, SHIFT, RINGS = c.constant(0.6, 1.8), c.constant(0.2, 0.8), c.constant(3.0, 8.0)
    if PATTERN != "wood":
        c.names({"RINGS": "BANDS FREQUENCY"})

    def pattern(state: wp.uint32, p: wp.vec3) -> float:
        if PATTERN == "marble":
            return 0.5 + 0.5 * wp.sin(RINGS * (p[0] + wp.noise(state, p)))
        elif PATTERN == "wood":
            # rings around the z axis, the noise makes them uneven
            radius = wp.sqrt(p[0] * p[0] + p[1] * p[1]) * RINGS + wp.noise(state, p)
            return radius - wp.floor(radius)
        elif PATTERN == "clouds":
            return wp.clamp(0.5 + 1.6 * wp.noise(state, p) + 0.8 * wp.noise(state, 2.0 * p), 0.0, 1.0)
        elif PATTERN == "veined stone":
            # a vein runs where the noise changes its sign
            return wp.max(1.0 - 3.0 * wp.abs(wp.noise(state, p)), 0.0)
        elif PATTERN == "spotted stone":
            return wp.smoothstep(0.05, 0.25, wp.noise(state, 2.0 * p))
        else:
            return wp.abs(wp.sin(RINGS * p[2] + 2.0 * wp.noise(state, p)))

    WARPED = {
        "": "",
        " warped by noise": ", warped by adding {SHIFT}·(n(p), n(2·p), 0)",
        " warped along curl noise": (
            ", warped by adding {SHIFT} times wp.curlnoise of p with the same state as n"
        ),
    }[WARP]
    SHARE = {
        "marble": "½ + ½·sin({RINGS}·(x + n(p))), where x is the first coordinate of p",
        "wood": (
            "q - ⌊q⌋ with q = {RINGS}·√(x² + y²) + n(p), where x and y are the first two coordinates of p"
        ),
        "clouds": "½ + 1.6·n(p) + 0.8·n(2·p), clamped to [0, 1]",
        "veined stone": "max(1 - 3·|n(p)|, 0)",
        "spotted stone": (
            "the smoothstep of n(2·p) from 0.05 to 0.25: u²·(3 - 2·u) with u = (n(2·p) - 0.05) / 0.2 clamped "
            "to [0, 1]"
        ),
        "stripes": "|sin({RINGS}·z + 2·n(p))|, where z is the third coordinate of p",
    }[PATTERN]
    SHARPER = {
        "blending linearly": "",
        "blending by a smoothstep": "; then it becomes t²·(3 - 2·t)",
        "with sharp edges": "; then it becomes 4·t - 1.5, clamped to [0, 1]",
    }[MIXED]
    SHADED = ""
    if LIGHT:
        SHADED = (
            ", times 0.75 + 0.125 times the third coordinate of the point itself, so that it is darker below"
        )

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="position"),
        seed: int = input(low=1, high=1000),
        dark: wp.vec3 = input(low=0.0, high=0.4),
        bright: wp.vec3 = input(low=0.6, high=1.0),
        out: wp.array[wp.vec3] = output(n),
    ):
        tid = wp.tid()
        state = wp.rand_init(seed)
        p = SCALE * points[tid]
        if WARP == " warped by noise":
            p += SHIFT * wp.vec3(wp.noise(state, p), wp.noise(state, 2.0 * p), 0.0)
        elif WARP == " warped along curl noise":
            p += SHIFT * wp.curlnoise(state, p)
        t = pattern(state, p)
        if MIXED == "blending by a smoothstep":
            t = t * t * (3.0 - 2.0 * t)
        elif MIXED == "with sharp edges":
            t = wp.clamp(4.0 * t - 1.5, 0.0, 1.0)
        colour = wp.lerp(dark, bright, t)
        if LIGHT:
            colour *= 0.75 + 0.125 * points[tid][2]
        out[tid] = colour
