"""Shading: microfacets, lists of lamps, fog."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp

NAMES = {
    "i j": "i j | y x | row col",
    "image": "image pixels frame shaded",
    "normals": "normals normal_map gbuffer_normals",
    "positions": "positions points world_pos",
    "to_eye": "to_eye view_dir v",
    "to_light": "to_light light_dir l",
    "eye": "eye camera_pos viewer",
}


@idiom(
    level=5,
    names=NAMES
    | {
        "halfway": "halfway h half_vector",
        "albedo": "albedo base_colours base_color",
        "n_dot_l n_dot_v n_dot_h v_dot_h": "n_dot_l n_dot_v n_dot_h v_dot_h | nl nv nh vh",
        "distribution": "distribution ndf d_term",
        "visibility": "visibility vis v_term",
        "kernel": "shade_microfacets deferred_lighting",
    },
)
def microfacet_shading(c):
    """Lights a G-buffer of {METAL} by {LIGHT} and {AMBIENCE}: {NDF} microfacets, {MASKING} shadowing and
    {FRESNEL} term over {DIFFUSE} diffuse reflection{APART}.

    Light a G-buffer by {LIGHT}, with {NDF} microfacets. N, C and R are {normals}, {albedo} and {roughness} of
    the pixel. {PLACED} {LAMP} H is the unit vector half-way between L and V. The pixel gets the ambient light
    {EVEN}. If N·L > 0 and N·V > 0, it also gets (diffuse + specular)·(N·L)·E, channel by channel.{STORED}

    The specular part is D·G·F with α = R². Here D = {SPREAD}; G = {SHADOWED}; and F = F0 + (1 - F0)·{EDGE}
    with F0 = {BASE}.

    The diffuse part is (1 - F)·C/π{DULL}{ROUGHER}.
    """
    rows, cols = c.size(5, 7), c.size(5, 7)
    DIFFUSE = c.meaning("Burley", "Lambertian", "Oren-Nayar")
    NDF = c.meaning("GGX", "Beckmann")
    if NDF == "GGX":
        MASKING = c.meaning("height-correlated Smith", "separable Smith", "Schlick-GGX")
    else:
        MASKING = c.meaning("V-cavity", "Schlick-Beckmann")
    LIGHT = c.meaning("a spotlight", "a directional light", "a point light")
    PLACES = c.meaning("stored", "rebuilt from depth")
    APART = c.meaning("", "; stores highlights apart")
    AMBIENCE = c.meaning("constant ambient light", "hemispherical ambient light")
    METAL = c.meaning("metals and dielectrics", "dielectrics")
    FRESNEL = c.meaning("Schlick's Fresnel", "a spherical Gaussian Fresnel")
    AMBIENT, COS_INNER, COS_OUTER = c.constant(0.05, 0.2), c.constant(0.94, 0.98), c.constant(0.8, 0.9)
    if APART:
        c.names({"image": "diffuse_image diffuse_light", "highlights": "highlights specular_image"})

    def shadowing(cosine: float, k: float) -> float:
        """Schlick's approximation of one direction's shadowing."""
        return cosine / (cosine * (1.0 - k) + k)

    def smith(cosine: float, alpha_sq: float) -> float:
        """Smith's shadowing of one direction."""
        return 2.0 * cosine / (cosine + wp.sqrt(alpha_sq + (1.0 - alpha_sq) * cosine * cosine))

    PLACED = "Its point P is in {positions}, and V is the unit vector from P to {eye}."
    if PLACES == "rebuilt from depth":
        PLACED = "V is minus its ray in {rays}."
        if LIGHT != "a directional light":
            PLACED = (
                "V is minus its ray in {rays}, and its point is P = {eye} + depth·ray, with its {depths}."
            )
    LAMP = "L is {sun}, and the light is E = {power}."
    if LIGHT != "a directional light":
        LAMP = "L points from P to {lamp} at distance d, and the light is E = {power} / d²{CONE}."
    CONE = ""
    if LIGHT == "a spotlight":
        CONE = ", times smoothstep({COS_OUTER}, {COS_INNER}, -L·{axis})"
    EVEN = "{AMBIENT}·C"
    if AMBIENCE == "hemispherical ambient light":
        EVEN = "C times lerp({ground}, {sky}, ½ + ½·N.y)"
    STORED = " Store the sum in {image}."
    if APART:
        STORED = (
            " Store the pixel in {image} without its specular part, which goes to {highlights}, with 0 if it "
            "has none."
        )
    SPREAD = "α² / (π·((N·H)²·(α² - 1) + 1)²)"
    if NDF == "Beckmann":
        SPREAD = "exp(-(1 - c²) / (c²·α²)) / (π·α²·c⁴) with c = N·H"
    SHADOWED = {
        "height-correlated Smith": "½ / ((N·V)·r(N·L) + (N·L)·r(N·V)), the height-correlated Smith "
        "visibility, with r(c) = √(α² + (1 - α²)·c²)",
        "separable Smith": "g(N·L)·g(N·V) / (4·(N·L)·(N·V)), Smith's shadowing, with g(c) = 2·c / (c + √(α² "
        "+ (1 - α²)·c²))",
        "V-cavity": "min(1, 2·(N·H)·min(N·L, N·V) / (V·H)) / (4·(N·L)·(N·V)), the shadowing of V-cavities",
        "Schlick-GGX": "g(N·L)·g(N·V) / (4·(N·L)·(N·V)), Schlick's shadowing, with g(c) = c / (c·(1 - k) + "
        "k) and k = ⅛·(R + 1)²",
        "Schlick-Beckmann": "g(N·L)·g(N·V) / (4·(N·L)·(N·V)), Schlick's shadowing, with g(c) = c / (c·(1 - "
        "k) + k) and k = α·√(2 / π)",
    }[MASKING]
    EDGE = "(1 - V·H)^5"
    if FRESNEL != "Schlick's Fresnel":
        EDGE = "2^((-5.55473·(V·H) - 6.98316)·(V·H)), a spherical Gaussian,"
    BASE, DULL = "0.04", ""
    if METAL == "metals and dielectrics":
        BASE = "(1 - m)·0.04 + m·C, where m is the {metalness}"
        DULL = "·(1 - m)"
    ROUGHER = {
        "Lambertian": "",
        "Burley": "·(1 + q·(1 - N·L)^5)·(1 + q·(1 - N·V)^5), after Burley, with q = 2·R·(V·H)² - ½",
        "Oren-Nayar": "·(1 - ½·α² / (α² + 0.33) + s·0.45·α² / (α² + 0.09)), after Oren and Nayar: s is L·V - "
        "(N·L)·(N·V), divided by the larger of N·L and N·V if it is positive",
    }[DIFFUSE]

    @c.kernel(rows, cols)
    def kernel(
        positions: wp.array2d[wp.vec3] = input(rows, cols, low=-0.5, high=0.5),
        depths: wp.array2d[float] = input(rows, cols, low=2.0, high=3.5),
        rays: wp.array2d[wp.vec3] = input(rows, cols, low=-1.0, high=0.2, trait="unit"),
        normals: wp.array2d[wp.vec3] = input(rows, cols, low=-0.6, high=1.0, trait="unit"),
        albedo: wp.array2d[wp.vec3] = input(rows, cols, low=0.1, high=0.9),
        roughness: wp.array2d[float] = input(rows, cols, low=0.25, high=0.9),
        metalness: wp.array2d[float] = input(rows, cols, low=0.0, high=1.0),
        eye: wp.vec3 = input(low=0.8, high=3.0),
        sun: wp.vec3 = input(low=-0.2, high=1.0, trait="unit"),
        lamp: wp.vec3 = input(low=0.9, high=1.6),
        axis: wp.vec3 = input(low=-1.0, high=-0.3, trait="unit"),
        power: wp.vec3 = input(low=4.0, high=12.0),
        sky: wp.vec3 = input(low=0.2, high=0.6),
        ground: wp.vec3 = input(low=0.02, high=0.2),
        image: wp.array2d[wp.vec3] = output(rows, cols, of="colour"),
        highlights: wp.array2d[wp.vec3] = output(rows, cols),
    ):
        i, j = wp.tid()
        normal = normals[i, j]
        base = albedo[i, j]
        rough = roughness[i, j]
        if PLACES == "rebuilt from depth":
            to_eye = -rays[i, j]
            if LIGHT != "a directional light":
                point = eye - depths[i, j] * to_eye
        else:
            point = positions[i, j]
            to_eye = wp.normalize(eye - point)
        if LIGHT == "a directional light":
            to_light = sun
            irradiance = power
        else:
            offset = lamp - point
            distance_sq = wp.length_sq(offset)
            to_light = offset / wp.sqrt(distance_sq)
            irradiance = power / distance_sq
            if LIGHT == "a spotlight":
                # the cone fades from its inner to its outer angle
                irradiance *= wp.smoothstep(COS_OUTER, COS_INNER, -wp.dot(to_light, axis))
        n_dot_l = wp.dot(normal, to_light)
        n_dot_v = wp.dot(normal, to_eye)
        if AMBIENCE == "hemispherical ambient light":
            ambient = wp.cw_mul(base, wp.lerp(ground, sky, 0.5 + 0.5 * normal[1]))
        else:
            ambient = AMBIENT * base
        if n_dot_l <= 0.0 or n_dot_v <= 0.0:
            image[i, j] = ambient
            if APART:
                highlights[i, j] = wp.vec3()
            return
        halfway = wp.normalize(to_light + to_eye)
        n_dot_h = wp.dot(normal, halfway)
        v_dot_h = wp.dot(to_eye, halfway)
        # squared, so that even steps of roughness look even
        alpha = rough * rough
        alpha_sq = alpha * alpha
        if NDF == "GGX":
            spread = n_dot_h * n_dot_h * (alpha_sq - 1.0) + 1.0
            distribution = alpha_sq / (wp.PI * spread * spread)
        else:
            cos_sq = n_dot_h * n_dot_h
            slope_sq = (1.0 - cos_sq) / cos_sq
            distribution = wp.exp(-slope_sq / alpha_sq) / (wp.PI * alpha_sq * cos_sq * cos_sq)
        if MASKING == "height-correlated Smith":
            over_light = n_dot_v * wp.sqrt(alpha_sq + (1.0 - alpha_sq) * n_dot_l * n_dot_l)
            over_eye = n_dot_l * wp.sqrt(alpha_sq + (1.0 - alpha_sq) * n_dot_v * n_dot_v)
            visibility = 0.5 / (over_light + over_eye)
        else:
            if MASKING == "separable Smith":
                geometry = smith(n_dot_l, alpha_sq) * smith(n_dot_v, alpha_sq)
            elif MASKING == "V-cavity":
                cavity = 2.0 * n_dot_h / v_dot_h
                geometry = wp.min(1.0, cavity * wp.min(n_dot_l, n_dot_v))
            else:
                if MASKING == "Schlick-GGX":
                    k = 0.125 * (rough + 1.0) * (rough + 1.0)
                else:
                    k = alpha * wp.sqrt(2.0 / wp.PI)
                geometry = shadowing(n_dot_l, k) * shadowing(n_dot_v, k)
            visibility = geometry / (4.0 * n_dot_l * n_dot_v)
        if METAL == "metals and dielectrics":
            metal = metalness[i, j]
            f0 = wp.lerp(wp.vec3(0.04), base, metal)
        else:
            f0 = wp.vec3(0.04)
        if FRESNEL == "Schlick's Fresnel":
            grazing = wp.pow(1.0 - v_dot_h, 5.0)
        else:
            # a spherical Gaussian in place of the fifth power of Schlick's formula
            grazing = wp.pow(2.0, (-5.55473 * v_dot_h - 6.98316) * v_dot_h)
        fresnel = f0 + grazing * (wp.vec3(1.0) - f0)
        specular = distribution * visibility * fresnel
        # what is mirrored does not enter the material
        diffuse = wp.cw_mul(wp.vec3(1.0) - fresnel, base / wp.PI)
        if METAL == "metals and dielectrics":
            diffuse *= 1.0 - metal
        if DIFFUSE == "Burley":
            retro = 2.0 * rough * v_dot_h * v_dot_h - 0.5
            toward_light = 1.0 + retro * wp.pow(1.0 - n_dot_l, 5.0)
            toward_eye = 1.0 + retro * wp.pow(1.0 - n_dot_v, 5.0)
            diffuse *= toward_light * toward_eye
        elif DIFFUSE == "Oren-Nayar":
            across = wp.dot(to_light, to_eye) - n_dot_l * n_dot_v
            if across > 0.0:
                across /= wp.max(n_dot_l, n_dot_v)
            flat = 1.0 - 0.5 * alpha_sq / (alpha_sq + 0.33)
            diffuse *= flat + 0.45 * alpha_sq / (alpha_sq + 0.09) * across
        received = n_dot_l * irradiance
        if APART:
            image[i, j] = wp.cw_mul(diffuse, received) + ambient
            highlights[i, j] = wp.cw_mul(specular, received)
        else:
            image[i, j] = wp.cw_mul(diffuse + specular, received) + ambient


@idiom(
    level=5,
    names=NAMES
    | {
        "positions": "positions points",
        "normals": "normals point_normals",
        "lamps": "lamps light_positions lights",
        "colours": "colours light_colors intensities",
        "attenuation": "attenuation falloff fade",
        "incidence": "incidence n_dot_l cos_theta",
        "glint": "glint highlight spec",
        "kernel": "shade_with_lamps shade_points",
    },
)
def light_accumulation(c):
    """Lights {SIDES}points by ambient light and {LISTED}, with {FALLOFF} attenuation{SHADOWS} {MODEL}
    highlights{TONE}{APART}.

    Light surface points by {LAMPS} and ambient light. A point of {positions} starts with the colour {AMBIENT}
    times its {albedo}, and every lamp that reaches it adds to that.{BOTH_SIDES} For lamp k, let d be the
    distance of `{lamps}[k]`, l the unit vector to it, and c = n·l with the normal n in {normals}.{AXIS} The
    lamp reaches the point only if {CONDITION}.{DARK}

    Its light is A·`{colours}[k]` with the attenuation A = {ATTENUATION}. It adds that light times c·albedo +
    g, channel by channel. The {MODEL} highlight g, which the albedo does not tint, is {HIGHLIGHT}.
    {RESULT}{WINNER}
    """
    n, count, blockers, groups = c.size(10, 14), c.size(3, 5), c.size(2, 3), c.size(3, 5)
    MODEL = c.meaning("Blinn-Phong", "Phong", "Gaussian")
    FALLOFF = c.meaning("windowed inverse-square", "quadratic", "inverse-square", "linear")
    LAMPS = c.meaning("spotlights", "point lights")
    LIST = c.meaning("all", "culled", "strongest")
    LISTED = f"each tile's {LAMPS}" if LIST == "culled" else LAMPS
    SIDES = c.meaning("", "two-sided ")
    SHADOWS = c.meaning(", shadows of spheres and", " and")
    if LIST == "strongest":
        APART = "; stores the strongest lamp, or minus one"
    else:
        APART = c.meaning("", "; stores highlights apart")
    if APART == "; stores highlights apart":
        c.names({"image": "diffuse_light surface_light", "highlights": "highlights specular_light"})
        TONE = ""
    else:
        TONE = c.meaning("", ", then applies Reinhard's curve", ", then encodes with a gamma of 2.2")
    AMBIENT, LINEAR, QUADRATIC = c.constant(0.02, 0.1), c.constant(0.1, 0.4), c.constant(0.05, 0.3)
    # the mirrored ray turns twice as far as the halfway vector, so a fourth of the exponent is as sharp
    SHININESS = c.constant(2.0, 10.0) if MODEL == "Phong" else c.constant(8.0, 40.0)
    SPREAD = c.constant(0.2, 0.5)
    BOTH_SIDES = ""
    if SIDES:
        BOTH_SIDES = " The normals of points that turn their back to {eye} are reversed first."
    AXIS = ""
    RANGED = FALLOFF in ("windowed inverse-square", "linear")
    CONDITION = "d < `{ranges}[k]` and c > 0" if RANGED else "c > 0"
    if LAMPS == "spotlights":
        AXIS = " Let a = -`{axes}[k]`·l be the cosine off its axis."
        CONDITION = CONDITION.replace(" and", ",") + " and a > `{cos_outer}[k]`"
    if LIST == "culled":
        AXIS += (
            " The lamps of a point are those of its tile t in {tiles}: the entries `{offsets}[t]` up to but "
            "not including `{offsets}[t + 1]` of {listed}."
        )
    DARK = ""
    if SHADOWS == ", shadows of spheres and":
        DARK = (
            " Spheres with {centres} and {radii} cast shadows: one blocks the lamp if, with w the way from "
            "the point to its centre and s = w·l, both 0 < s < d and |w|² - s² < radius²."
        )
    ATTENUATION = {
        "windowed inverse-square": "(1 - (d / `{ranges}[k]`)⁴)² / d²",
        "quadratic": "1 / (1 + {LINEAR}·d + {QUADRATIC}·d²)",
        "inverse-square": "1 / d²",
        "linear": "1 - d / `{ranges}[k]`",
    }[FALLOFF]
    if LAMPS == "spotlights":
        SOFT = "smoothstep(`{cos_outer}[k]`, `{cos_inner}[k]`, a)"
        ATTENUATION = f"({ATTENUATION})·{SOFT}" if FALLOFF == "linear" else f"{ATTENUATION}·{SOFT}"
    HIGHLIGHT = {
        "Phong": "max(r·v, 0)^{SHININESS} with the mirrored light r = 2·c·n - l and v",
        "Blinn-Phong": "max(n·h, 0)^{SHININESS}, where h is half-way between l and v",
        "Gaussian": "exp(-(T / {SPREAD})²) for the angle T = atan2(|n × h|, max(n·h, 0)), where h is "
        "half-way between l and v",
    }[MODEL] + ", the unit vector to {eye}"
    RESULT = {
        "": "Store the colour in {image}, without clamping.",
        ", then applies Reinhard's curve": "Store in {image} the colour divided by 1 plus its luminance, the "
        "sum of 0.2126, 0.7152 and 0.0722 times its red, green and blue.",
        ", then encodes with a gamma of 2.2": "Store in {image} each channel clipped at 1 and raised to "
        "1/2.2.",
    }[TONE]
    if APART == "; stores highlights apart":
        RESULT = "Store the sum of all highlights in {highlights} and the rest of the colour in {image}."
    WINNER = ""
    if LIST == "strongest":
        WINNER = (
            " {strongest} is the lamp, among those that reach the point, with the largest A·c·(largest "
            "channel of `{colours}[k]`), the first one if there are several, or -1 if none gives more than 0."
        )

    @c.kernel(n)
    def kernel(
        positions: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        normals: wp.array[wp.vec3] = input(n, low=-0.7, high=1.0, trait="unit"),
        albedo: wp.array[wp.vec3] = input(n, low=0.1, high=0.9),
        lamps: wp.array[wp.vec3] = input(count, low=0.6, high=2.2),
        colours: wp.array[wp.vec3] = input(count, low=0.5, high=3.0),
        ranges: wp.array[float] = input(count, low=1.8, high=4.5),
        axes: wp.array[wp.vec3] = input(count, low=-1.0, high=-0.1, trait="unit"),
        cos_outer: wp.array[float] = input(count, low=0.2, high=0.6),
        cos_inner: wp.array[float] = input(count, low=0.7, high=0.95),
        tiles: wp.array[int] = input(n, low=0, high=groups - 1),
        offsets: wp.array[int] = input(groups + 1, low=0, high=2 * groups, trait="offsets"),
        listed: wp.array[int] = input(2 * groups, low=0, high=count - 1),
        centres: wp.array[wp.vec3] = input(blockers, low=-0.5, high=1.2),
        radii: wp.array[float] = input(blockers, low=0.4, high=0.8),
        eye: wp.vec3 = input(low=2.0, high=3.0),
        image: wp.array[wp.vec3] = output(n),
        highlights: wp.array[wp.vec3] = output(n),
        strongest: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        point = positions[tid]
        normal = normals[tid]
        base = albedo[tid]
        to_eye = wp.normalize(eye - point)
        if SIDES:
            # the back of a thin sheet is lit like its front
            if wp.dot(normal, to_eye) < 0.0:
                normal = -normal
        diffuse = AMBIENT * base
        specular = wp.vec3(0.0)
        if LIST == "strongest":
            most = float(0.0)
            best = int(-1)
        elif LIST == "culled":
            tile = tiles[tid]
        for k in range(offsets[tile], offsets[tile + 1]) if LIST == "culled" else range(lamps.shape[0]):
            if LIST == "culled":
                lamp = listed[k]
                offset = lamps[lamp] - point
            else:
                offset = lamps[k] - point
            distance = wp.length(offset)
            if FALLOFF in ("windowed inverse-square", "linear"):
                reach = ranges[lamp if LIST == "culled" else k]
                if distance >= reach:
                    continue
            to_light = offset / distance
            incidence = wp.dot(normal, to_light)
            if incidence <= 0.0:
                continue
            if FALLOFF == "windowed inverse-square":
                # the window brings the light to zero at its range
                ratio = distance / reach
                window = 1.0 - ratio * ratio * ratio * ratio
                attenuation = window * window / (distance * distance)
            elif FALLOFF == "quadratic":
                attenuation = 1.0 / (1.0 + LINEAR * distance + QUADRATIC * distance * distance)
            elif FALLOFF == "inverse-square":
                attenuation = 1.0 / (distance * distance)
            else:
                attenuation = 1.0 - distance / reach
            if LAMPS == "spotlights":
                cosine = -wp.dot(axes[lamp if LIST == "culled" else k], to_light)
                if cosine <= cos_outer[lamp if LIST == "culled" else k]:
                    continue
                attenuation *= wp.smoothstep(
                    cos_outer[lamp if LIST == "culled" else k],
                    cos_inner[lamp if LIST == "culled" else k],
                    cosine,
                )
            if SHADOWS == ", shadows of spheres and":
                lit = bool(True)
                for m in range(centres.shape[0]):
                    aside = centres[m] - point
                    along = wp.dot(aside, to_light)
                    if along > 0.0 and along < distance:
                        if wp.length_sq(aside) - along * along < radii[m] * radii[m]:
                            lit = False
                            break
                if not lit:
                    continue
            if LIST == "strongest":
                strength = attenuation * incidence * wp.max(colours[k])
                if strength > most:
                    most = strength
                    best = k
            received = attenuation * colours[lamp if LIST == "culled" else k]
            diffuse += incidence * wp.cw_mul(base, received)
            if MODEL == "Phong":
                mirrored = 2.0 * incidence * normal - to_light
                glint = wp.pow(wp.max(wp.dot(mirrored, to_eye), 0.0), SHININESS)
            else:
                halfway = wp.normalize(to_light + to_eye)
                cos_half = wp.dot(normal, halfway) if SIDES else wp.max(wp.dot(normal, halfway), 0.0)
                if MODEL == "Gaussian":
                    deviation = wp.atan2(wp.length(wp.cross(normal, halfway)), cos_half) / SPREAD
                    glint = wp.exp(-deviation * deviation)
                else:
                    glint = wp.pow(cos_half, SHININESS)
            specular += glint * received
        if APART == "; stores highlights apart":
            image[tid] = diffuse
            highlights[tid] = specular
        else:
            total = diffuse + specular
            if TONE == ", then applies Reinhard's curve":
                luminance = 0.2126 * total[0] + 0.7152 * total[1] + 0.0722 * total[2]
                image[tid] = total / (1.0 + luminance)
            elif TONE == ", then encodes with a gamma of 2.2":
                for channel in range(3):
                    total[channel] = wp.pow(wp.min(total[channel], 1.0), 1.0 / 2.2)
                image[tid] = total
            else:
                image[tid] = total
        if LIST == "strongest":
            strongest[tid] = best


@idiom(
    level=3,
    names={
        "i j": "i j | y x | row col",
        "image": "image pixels frame",
        "depths": "depths distances",
        "fog": "fog haze_colour fog_color",
        "clear": "clear transmittance visible",
        "kernel": "apply_fog blend_fog",
    },
)
def depth_fog(c):
    """Blends {FOG}{COLOUR} into an image by the distance of each pixel{START}.

    Blend {FOG} into the {image} by the distance d of each pixel in {depths}{CLEARED}. The pixel keeps the
    share T = {SHARE}, and the rest is {HAZE}. Store the colour in {out}.
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    FOG = c.meaning("linear fog", "exponential fog", "exponential squared fog", "height fog")
    COLOUR = c.meaning("", ", glowing towards the sun,")
    START = "" if FOG == "linear fog" else c.meaning("", " beyond a clear zone")
    DENSITY, HEIGHT, NEAR, FAR = (
        c.constant(0.1, 0.4),
        c.constant(1.0, 3.0),
        c.constant(1.0, 2.0),
        c.constant(6.0, 9.0),
    )
    CLEARED = ", reduced by {NEAR} first, but not below 0" if START else ""
    SHARE = {
        "linear fog": "({FAR} - d) / ({FAR} - {NEAR}), clamped to [0, 1]",
        "exponential fog": "exp(-{DENSITY}·d)",
        "exponential squared fog": "exp(-({DENSITY}·d)²)",
        "height fog": "exp(-{DENSITY}·exp(-h / {HEIGHT})·(1 - exp(-r·d)) / r), where r is the y component of "
        "the ray in {rays} divided by {HEIGHT}, and h is {BEGIN}",
    }[FOG]
    BEGIN = "{eye_height}"
    if START:
        BEGIN = "{eye_height} plus {NEAR} times that component"
    HAZE = "the colour {fog}"
    if COLOUR:
        HAZE = (
            "the colour {fog}·(1 - s) + {glow}·s, which glows towards {sun}: s = max(ray·{sun}, 0)^8 for the "
            "ray in {rays}"
        )

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[wp.vec3] = input(rows, cols, low=0.0, high=1.0, of="colour"),
        depths: wp.array2d[float] = input(rows, cols, low=0.5, high=10.0),
        rays: wp.array2d[wp.vec3] = input(rows, cols, low=0.1, high=1.0, trait="unit"),
        eye_height: float = input(low=0.5, high=2.0),
        fog: wp.vec3 = input(low=0.4, high=0.9),
        glow: wp.vec3 = input(low=0.5, high=1.0),
        sun: wp.vec3 = input(low=-0.4, high=1.0, trait="unit"),
        out: wp.array2d[wp.vec3] = output(rows, cols, of="colour"),
    ):
        i, j = wp.tid()
        if START:
            depth = wp.max(depths[i, j] - NEAR, 0.0)
        else:
            depth = depths[i, j]
        if FOG == "linear fog":
            clear = wp.clamp((FAR - depth) / (FAR - NEAR), 0.0, 1.0)
        elif FOG == "exponential fog":
            clear = wp.exp(-DENSITY * depth)
        elif FOG == "exponential squared fog":
            thickness = DENSITY * depth
            clear = wp.exp(-thickness * thickness)
        else:
            # the integral of a density that thins out with height, along the ray
            rise = rays[i, j][1] / HEIGHT
            start = eye_height + NEAR * rays[i, j][1] if START else eye_height
            thickness = wp.exp(-start / HEIGHT) * (1.0 - wp.exp(-rise * depth)) / rise
            clear = wp.exp(-DENSITY * thickness)
        if COLOUR:
            toward = wp.max(wp.dot(rays[i, j], sun), 0.0)
            haze = wp.lerp(fog, glow, wp.pow(toward, 8.0))
            out[i, j] = wp.lerp(haze, image[i, j], clear)
        else:
            out[i, j] = wp.lerp(fog, image[i, j], clear)
