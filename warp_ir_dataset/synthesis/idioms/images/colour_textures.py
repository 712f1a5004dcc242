"""Textures out of noise."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(
    level=4,
    names={
        "row col": "row col | i j | y x",
        "out": "out texture heights image",
        "state": "state rng generator",
        "total": "total height value",
        "amplitude": "amplitude weight gain",
        "frequency": "frequency scale zoom",
        "kernel": "noise_texture fill_with_noise",
    },
)
def fractal_noise(c):
    """Fills an image with {KIND} fractal noise of {OCTAVES} octaves, {DOMAIN}{WINDOW}{TONE}."""
    rows, cols, OCTAVES = c.size(5, 8), c.size(5, 8), c.count(3, 4)
    KIND = c.meaning("plain", "billowing", "ridged", "turbulent")
    DOMAIN = c.meaning("in the plane", "at a point in time")
    WINDOW = c.meaning("", ", fading out at the rim", ", rotated")
    TONE = c.meaning("", ", remapped to [0, 1]", ", quantized", ", through a smoothstep")
    SCALED = TONE in (", remapped to [0, 1]", ", through a smoothstep")
    POSITIVE = KIND in ("ridged", "turbulent")
    CELL, GAIN, LACUNARITY = c.constant(0.2, 0.6), c.constant(0.4, 0.6), c.constant(1.8, 2.2)

    def octave(value: float) -> float:
        """What one octave adds."""
        if KIND == "plain":
            return value
        elif KIND == "billowing":
            return 2.0 * wp.abs(value) - 0.5
        elif KIND == "turbulent":
            return wp.abs(value)
        else:
            ridge = 1.0 - wp.abs(value)
            return ridge * ridge

    @c.kernel(rows, cols)
    def kernel(
        seed: int = given(low=1, high=1000),
        time: float = given(low=0.2, high=2.0),
        angle: float = given(low=0.2, high=1.2),
        out: wp.array2d[float] = result(rows, cols),
    ):
        row, col = wp.tid()
        state = wp.rand_init(seed)
        x = (float(col) + 0.5) * CELL
        y = (float(row) + 0.5) * CELL
        if WINDOW == ", rotated":
            p = wp.vec2(wp.cos(angle) * x - wp.sin(angle) * y, wp.sin(angle) * x + wp.cos(angle) * y)
        else:
            p = wp.vec2(x, y)
        total = float(0.0)
        if SCALED:
            norm = float(0.0)
        amplitude = float(1.0)
        frequency = float(1.0)
        for k in range(OCTAVES):
            if DOMAIN == "in the plane":
                sample = wp.noise(state, frequency * p)
            else:
                sample = wp.noise(state, wp.vec3(frequency * p[0], frequency * p[1], time))
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
            # from the range of the octaves together
            t = wp.clamp(total / norm if POSITIVE else 0.5 + 0.5 * total / norm, 0.0, 1.0)
        if TONE == ", remapped to [0, 1]":
            out[row, col] = t
        elif TONE == ", quantized":
            # in eighths
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
        "t": "t pattern value",
        "kernel": "shade_by_noise noise_pattern",
    },
)
def noise_patterns(c):
    """The colour of {PATTERN} at points{WARP}, mixed {MIXED} of two colours{LIGHT}."""
    n = c.size()
    PATTERN = c.meaning("marble", "wood", "clouds", "spots", "stripes")
    WARP = c.meaning("", ", warped by noise", ", warped along curl noise")
    MIXED = c.meaning("linearly", "smoothly", "sharply")
    LIGHT = c.meaning("", ", darker below")
    SCALE, SHIFT, RINGS = c.constant(0.6, 1.8), c.constant(0.2, 0.8), c.constant(3.0, 8.0)

    def pattern(state: wp.uint32, p: wp.vec3) -> float:
        if PATTERN == "marble":
            return 0.5 + 0.5 * wp.sin(RINGS * (p[0] + wp.noise(state, p)))
        elif PATTERN == "wood":
            radius = wp.sqrt(p[0] * p[0] + p[1] * p[1]) * RINGS + wp.noise(state, p)
            return radius - wp.floor(radius)
        elif PATTERN == "clouds":
            return 0.5 + 0.5 * wp.noise(state, p) + 0.25 * wp.noise(state, 2.0 * p)
        elif PATTERN == "spots":
            spot = wp.noise(state, RINGS * 0.4 * p)
            return 1.0 - 2.0 * wp.abs(spot)
        else:
            return wp.abs(wp.sin(RINGS * p[2] + 2.0 * wp.noise(state, p)))

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="position"),
        seed: int = given(low=1, high=1000),
        dark: wp.vec3 = given(low=0.0, high=0.4),
        bright: wp.vec3 = given(low=0.6, high=1.0),
        out: wp.array[wp.vec3] = result(n),
    ):
        tid = wp.tid()
        state = wp.rand_init(seed)
        p = SCALE * points[tid]
        if WARP == ", warped by noise":
            p += SHIFT * wp.vec3(wp.noise(state, p), wp.noise(state, 2.0 * p), 0.0)
        elif WARP == ", warped along curl noise":
            p += SHIFT * wp.curlnoise(state, p)
        t = wp.clamp(pattern(state, p), 0.0, 1.0)
        if MIXED == "smoothly":
            t = t * t * (3.0 - 2.0 * t)
        elif MIXED == "sharply":
            t = wp.clamp(4.0 * t - 1.5, 0.0, 1.0)
        colour = wp.lerp(dark, bright, t)
        if LIGHT:
            colour *= 0.75 + 0.125 * points[tid][2]
        out[tid] = colour
