"""Shading: surfaces whose normals are roughened, and drawings in flat tones."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp
from .shading import NAMES


@idiom(
    level=4,
    names=NAMES
    | {
        "material": "material m surface",
        "bumpiness": "bumpiness bump roughness",
        "rise_x rise_y": "rise_x rise_y | du dv",
        "toward": "incidence n_dot_l cosine",
        "kernel": "shade_bumps bump_mapping light_rough_surface",
        "grazing": "grazing slant rim",
    },
)
def bumped_surface(c):
    """Lights a surface by {LAMP} {MODEL}, its normals tilted by {BUMPS}{RIM}{TONE}.

    Light a bumpy surface in the plane z = 0, seen from above.{PLACED} {HEIGHT} Its slopes along x (j) and y
    (i) are {SLOPES}. With B = `{material}.bumpiness`, the normal N is (-B·slope_x, -B·slope_y, 1),
    normalized.

    The light comes from {SOURCE}. With the cosine c = N·L, the colour is {REFLECTED}.{NEAR}{RIMMED} {TONED}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    BUMPS = c.meaning(
        "gradient noise",
        "the slopes of a height map",
        "two layers of gradient noise",
        "ripples",
        "ridges of gradient noise",
    )
    NOISY = "noise" in BUMPS
    MODEL = c.meaning(
        "after Lambert's law",
        "with wrapped diffuse light",
        "with a Blinn-Phong glint",
        "after Minnaert's law",
    )
    LAMP = c.meaning("a distant lamp", "a lamp nearby")
    RIM = c.meaning("", ", brighter where it is steep", ", darker in the hollows")
    TONE = c.meaning("", ", clipped at one", ", through Reinhard's curve")
    STEP, WRAP, SHININESS = c.constant(0.05, 0.2), c.constant(0.2, 0.6), c.constant(6.0, 24.0)
    DARKNESS, WAVES, DEEP = c.constant(0.6, 1.6), c.constant(2.0, 6.0), c.constant(0.4, 0.9)
    if BUMPS == "ripples" and RIM == ", darker in the hollows":
        RIM = ""

    class Material:
        colour: wp.vec3
        bumpiness: float
        if BUMPS != "the slopes of a height map":
            scale: float

    def height_at(state: wp.uint32, p: wp.vec2) -> float:
        """How high the surface stands at a point."""
        if BUMPS == "two layers of gradient noise":
            return wp.noise(state, p) + 0.5 * wp.noise(state, 2.0 * p)
        else:
            return 1.0 - wp.abs(wp.noise(state, p))

    # where the hollows begin
    PLAIN = BUMPS == "gradient noise"
    LEVEL = {"the slopes of a height map": 0.5, "ridges of gradient noise": 0.8}.get(BUMPS, 0.0)

    def tilted(material: Material, rise_x: float, rise_y: float) -> wp.vec3:
        """The normal of a surface that rises so much along x and y."""
        return wp.normalize(wp.vec3(-material.bumpiness * rise_x, -material.bumpiness * rise_y, 1.0))

    PLACED = ""
    if NOISY or BUMPS == "ripples" or LAMP == "a lamp nearby":
        PLACED = " Pixel (i, j) lies at x = 0.2·(j + ½), y = 0.2·(i + ½)."
    HEIGHT = {
        "the slopes of a height map": "Its height is Z = `{heights}[i, j]`.",
        "ripples": "Its height is sin(K·x) + sin(K·y), with K = {WAVES}·`{material}.scale`.",
        "gradient noise": "Its height is Z = n(q) with q = `{material}.scale`·(x, y){NOISE}.",
        "two layers of gradient noise": "Its height is Z = n(q) + ½·n(2·q) with q = `{material}.scale`·(x, "
        "y){NOISE}.",
        "ridges of gradient noise": "Its height is Z = 1 - |n(q)| with q = `{material}.scale`·(x, y){NOISE}.",
    }[BUMPS]
    NOISE = ", where n is `noise` with the state `rand_init({seed})`"
    SLOPES = {
        "the slopes of a height map": "the differences to the next height, and 0 in the last column or row",
        "ripples": "K·cos(K·x) and K·cos(K·y)",
    }.get(BUMPS, "forward differences, the height {STEP} further on in x or y less Z, divided by {STEP}")
    SOURCE = "the direction of the unit vector L = {to_light}"
    NEAR = ""
    if LAMP == "a lamp nearby":
        SOURCE = "{lamp}, in the direction L from the pixel"
        NEAR = " Multiply it by {power} over the squared distance of the lamp."
    BASE = "`{material}.colour`"
    REFLECTED = {
        "after Lambert's law": "max(c, 0)·{BASE}",
        "with wrapped diffuse light": "(max(c + {WRAP}, 0) / (1 + {WRAP}))·{BASE}",
        "with a Blinn-Phong glint": "max(c, 0)·{BASE}, plus a white glint (N·H)^{SHININESS} if c > 0, where "
        "H is the normalized L + (0, 0, 1)",
        "after Minnaert's law": "max(c, 0.01)^{DARKNESS}·N.z^({DARKNESS} - 1)·{BASE}",
    }[MODEL]
    RIMMED = {
        "": "",
        ", brighter where it is steep": " Then add (1 - N.z)²·{BASE}.",
        ", darker in the hollows": " Multiply it by 1 - {DEEP}·max({HOLLOW}, 0), darker in the hollows.",
    }[RIM]
    HOLLOW = "{LEVEL} - Z" if LEVEL else "-Z"
    TONED = {
        "": "Store it in {image}.",
        ", clipped at one": "Store it in {image}, each channel clipped at 1.",
        ", through Reinhard's curve": "Store V / (1 + V) in {image} for each of its channels V.",
    }[TONE]

    @c.kernel(rows, cols)
    def kernel(
        material: Material = input(low=0.3, high=1.2),
        heights: wp.array2d[float] = input(rows, cols, low=0.0, high=1.0),
        to_light: wp.vec3 = input(low=-0.3, high=1.0, trait="unit"),
        lamp: wp.vec3 = input(low=0.3, high=2.0),
        power: float = input(low=1.0, high=5.0),
        seed: int = input(low=1, high=1000),
        image: wp.array2d[wp.vec3] = output(rows, cols),
    ):
        i, j = wp.tid()
        if NOISY or BUMPS == "ripples" or LAMP == "a lamp nearby":
            x = 0.2 * (float(j) + 0.5)
            y = 0.2 * (float(i) + 0.5)
        if BUMPS == "the slopes of a height map":
            height = heights[i, j]
            rise_x = heights[i, wp.min(j + 1, heights.shape[1] - 1)] - height
            rise_y = heights[wp.min(i + 1, heights.shape[0] - 1), j] - height
        elif BUMPS == "ripples":
            wavenumber = WAVES * material.scale
            rise_x = wavenumber * wp.cos(wavenumber * x)
            rise_y = wavenumber * wp.cos(wavenumber * y)
        else:
            state = wp.rand_init(seed)
            p = wp.vec2(x, y)
            beside = p + wp.vec2(STEP, 0.0)
            below = p + wp.vec2(0.0, STEP)
            if PLAIN:
                height = wp.noise(state, material.scale * p)
                rise_x = (wp.noise(state, material.scale * beside) - height) / STEP
                rise_y = (wp.noise(state, material.scale * below) - height) / STEP
            else:
                height = height_at(state, material.scale * p)
                rise_x = (height_at(state, material.scale * beside) - height) / STEP
                rise_y = (height_at(state, material.scale * below) - height) / STEP
        normal = tilted(material, rise_x, rise_y)
        if LAMP == "a lamp nearby":
            offset = lamp - wp.vec3(x, y, 0.0)
            distance_sq = wp.length_sq(offset)
            light = wp.normalize(offset)
        else:
            light = to_light
        toward = wp.dot(normal, light)
        if MODEL == "with wrapped diffuse light":
            # light reaches a little beyond the terminator
            lit = wp.max(toward + WRAP, 0.0) / (1.0 + WRAP)
        elif MODEL == "after Minnaert's law":
            lit = wp.pow(wp.max(toward, 0.01), DARKNESS) * wp.pow(normal[2], DARKNESS - 1.0)
        else:
            lit = wp.max(toward, 0.0)
        shade = lit * material.colour
        if MODEL == "with a Blinn-Phong glint":
            if toward > 0.0:
                # the eye looks straight down
                halfway = wp.normalize(light + wp.vec3(0.0, 0.0, 1.0))
                shade += wp.vec3(wp.pow(wp.dot(normal, halfway), SHININESS))
        if LAMP == "a lamp nearby":
            shade *= power / distance_sq
        if RIM == ", brighter where it is steep":
            grazing = 1.0 - normal[2]
            shade += grazing * grazing * material.colour
        elif RIM == ", darker in the hollows":
            if LEVEL == 0.0:
                shade *= 1.0 + DEEP * wp.min(height, 0.0)
            else:
                shade *= 1.0 - DEEP * wp.max(LEVEL - height, 0.0)
        if TONE == ", clipped at one":
            image[i, j] = wp.min(shade, wp.vec3(1.0))
        elif TONE == ", through Reinhard's curve":
            image[i, j] = wp.cw_div(shade, shade + wp.vec3(1.0))
        else:
            image[i, j] = shade


@idiom(
    level=4,
    names=NAMES
    | {
        "incidence": "incidence n_dot_l lambert",
        "tone": "tone level",
        "depths": "depths depth_buffer z_buffer",
        "kernel": "toon_shade cel_shading draw_flat_tones",
    },
)
def toon_shading(c):
    """Draws a {KIND} picture in flat tones: {TONES}{LINES}{GLINT}{RIM}.

    Draw a picture in flat tones, as cartoons do. With N the normal of the pixel in {normals} and c =
    N·{to_light}, the pixel is its {albedo} times {TONE}.{SHINE}{RIMMED}{INK} Store it in {image}.
    """
    rows, cols, count = c.size(6, 8), c.size(6, 8), c.size(3, 5)
    TONES = c.meaning(
        "light and shadow",
        "three tones of light",
        "equal steps of light",
        "tones of a ramp",
        "warm and cool tones",
    )
    LINES = c.meaning("", ", outlined where depth jumps", ", outlined where normals turn away")
    GLINT = c.meaning("", ", with hard highlights", ", with highlights in two steps")
    RIM = c.meaning("", ", with a bright rim")
    if GLINT and RIM:
        RIM = " and a bright rim"
    KIND = c.meaning("coloured", "grey")
    SHADOW, BRIGHT_FROM, HALFTONE = c.constant(0.1, 0.25), c.constant(0.4, 0.7), c.constant(0.4, 0.7)
    EDGE, GRAZING, STEPS = c.constant(0.2, 0.5), c.constant(0.05, 0.3), c.count(3, 6)
    SHARP, SOFT = c.constant(0.88, 0.97), c.constant(0.65, 0.85)
    SLANT, GLOW = c.constant(0.35, 0.7), c.constant(0.2, 0.5)
    if KIND == "grey" and TONES == "warm and cool tones":
        TONES = "equal steps of light"
    Pixel = c.vec(3) if KIND == "coloured" else float
    TONE = {
        "light and shadow": "1 if c > 0, and {SHADOW} otherwise",
        "three tones of light": "1 if c > {BRIGHT_FROM}, {SHADOW} if c ≤ 0, and {HALFTONE} in between",
        "equal steps of light": "max(c, 0) rounded up to a multiple of 1/{STEPS}",
        "tones of a ramp": "the tone of {ramp} for c: with n tones, that number ⌊max(c, 0)·n⌋, the last one "
        "for c = 1",
        "warm and cool tones": "{warm} if c > 0 and {cool} otherwise, channel by channel",
    }[TONES]
    SHINE = ""
    if GLINT:
        SHINE = (
            " A highlight needs c > 0: with S = N·H, H the normalized {to_light} + {to_eye}, the pixel is "
            "white (1) if S > {SHARP}"
        )
        SHINE += ", and half-way to white if only S > {SOFT}." if "two steps" in GLINT else "."
    RIMMED = " If N·{to_eye} < {SLANT}, add {GLOW} to each channel, the bright rim." if RIM else ""
    if KIND == "grey":
        RIMMED = RIMMED.replace(" to each channel", "")
    INK = {
        "": "",
        ", outlined where depth jumps": " The outline covers everything: a pixel is black if its depth D "
        "in {depths} differs by more than {EDGE}·D from that of the next pixel in its row or in its column "
        "(there is no next one at the end).",
        ", outlined where normals turn away": " The outline covers everything: a pixel with N·{to_eye} < "
        "{GRAZING} is black.",
    }[LINES]

    @c.kernel(rows, cols)
    def kernel(
        albedo: wp.array2d[Pixel] = input(rows, cols, low=0.2, high=0.9),
        normals: wp.array2d[wp.vec3] = input(rows, cols, low=-0.6, high=1.0, trait="unit"),
        depths: wp.array2d[float] = input(rows, cols, low=1.0, high=3.0),
        ramp: wp.array[float] = input(count, low=0.1, high=1.0),
        warm: wp.vec3 = input(low=0.6, high=1.0),
        cool: wp.vec3 = input(low=0.1, high=0.5),
        to_light: wp.vec3 = input(low=-0.2, high=1.0, trait="unit"),
        to_eye: wp.vec3 = input(low=-0.2, high=1.0, trait="unit"),
        image: wp.array2d[Pixel] = output(rows, cols),
    ):
        i, j = wp.tid()
        normal = normals[i, j]
        if LINES == ", outlined where depth jumps":
            depth = depths[i, j]
            jump_x = wp.abs(depths[i, wp.min(j + 1, depths.shape[1] - 1)] - depth)
            jump_y = wp.abs(depths[wp.min(i + 1, depths.shape[0] - 1), j] - depth)
            if wp.max(jump_x, jump_y) > EDGE * depth:
                # ink
                image[i, j] = Pixel(0.0)
                return
        elif LINES == ", outlined where normals turn away":
            if wp.dot(normal, to_eye) < GRAZING:
                image[i, j] = Pixel(0.0)
                return
        incidence = wp.dot(normal, to_light)
        if TONES == "light and shadow":
            tone = 1.0 if incidence > 0.0 else SHADOW
        elif TONES == "three tones of light":
            tone = float(1.0)
            if incidence <= 0.0:
                tone = SHADOW
            elif incidence <= BRIGHT_FROM:
                tone = HALFTONE
        elif TONES == "equal steps of light":
            tone = wp.ceil(wp.max(incidence, 0.0) * float(STEPS)) / float(STEPS)
        elif TONES == "tones of a ramp":
            place = int(wp.max(incidence, 0.0) * float(ramp.shape[0]))
            tone = ramp[wp.min(place, ramp.shape[0] - 1)]
        if TONES == "warm and cool tones":
            tint = warm if incidence > 0.0 else cool
            shade = wp.cw_mul(tint, albedo[i, j])
        else:
            shade = tone * albedo[i, j]
        if GLINT:
            halfway = wp.normalize(to_light + to_eye)
            closeness = wp.dot(normal, halfway)
            # the light has to reach what shines
            if incidence > 0.0:
                if closeness > SHARP:
                    shade = Pixel(1.0)
                elif GLINT == ", with highlights in two steps" and closeness > SOFT:
                    shade = 0.5 * (shade + Pixel(1.0))
        if RIM:
            if wp.dot(normal, to_eye) < SLANT:
                shade += GLOW if KIND == "grey" else Pixel(GLOW)
        image[i, j] = shade
