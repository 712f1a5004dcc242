"""Shading along rays: volumes that scatter light, and scenes of signed distances."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp

NAMES = {
    "i j": "i j | y x | row col",
    "image": "image pixels frame",
    "sun": "sun sun_dir to_sun",
    "eye": "eye camera_pos ray_origin",
    "steps": "steps num_steps max_steps",
}


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "directions": "directions ray_dirs rays",
        "transmittance": "transmittance trans visibility",
        "radiance": "radiance scattered glow",
        "opacity": "opacity alpha coverage",
        "density": "density rho",
        "step": "step dt stride",
        "kernel": "render_volume march_volume trace_smoke",
    },
)
def volume_march(c):
    """Ray-marches {KIND} in a {BOUNDS}, in {LIGHT} with {PHASE} scattering, {SUM}{JITTER}{DEPTH}.

    Render {KIND} by ray marching with single scattering. The ray of a pixel is X(t) = {eye} + t·D, with D in
    {directions}. It crosses {SOLID}; if it does not, the pixel is its {backdrop}{MISSED}. The part inside, of
    all t, is divided into {steps} steps of equal length H, each sampled {WHERE}.

    The density there is {DENSITY}, the extinction E is {SIGMA_T} times that, and the light I that arrives
    {ARRIVES}. The share {ALBEDO} of it is scattered, with the phase function p = {ANGLES}.

    From front to back, with the transmittance T from 1 on, a step with S = exp(-E·H) has the weight W =
    {WEIGHT}, adds W·{ALBEDO}·p·I to the radiance, and multiplies T by S. The march ends early after a step
    that leaves T < 0.02. The pixel in {image} is the radiance plus T times its {backdrop}.{MORE}
    """
    rows, cols, cells = c.size(5, 6), c.size(5, 6), c.size(4, 5)
    LIGHT = c.meaning("shadowed sunlight", "sunlight", "the light of a lamp")
    BOUNDS = c.meaning("box", "sphere")
    DEPTH = c.meaning("", ", and stores the opacity", ", and stores the mean depth of what is seen")
    G, SIGMA_T, ALBEDO = c.constant(0.2, 0.8), c.constant(4.0, 9.0), c.constant(0.5, 0.95)
    SCALE = c.constant(0.6, 1.2)

    def haze(p: wp.vec3) -> float:
        return wp.exp(-(p[1] + 1.0) / SCALE)

    def cloud(p: wp.vec3) -> float:
        return wp.exp(-wp.length_sq(p) / (SCALE * SCALE))

    def puff(p: wp.vec3) -> float:
        return 1.0 - wp.smoothstep(0.5 * SCALE, SCALE, wp.length(p))

    MEDIUM = c.meaning("a grid of densities", haze, cloud, puff)
    GRID = MEDIUM == "a grid of densities"
    EMPTY = GRID or MEDIUM is puff
    KIND = {haze: "an exponential atmosphere", cloud: "a Gaussian cloud", puff: "a puff of smoke"}.get(
        MEDIUM, "a grid of densities"
    )
    SUM = c.meaning("integrated exactly over each step", "summed step by step")
    PHASE = c.meaning("Henyey-Greenstein", "isotropic", "Rayleigh")
    JITTER = c.meaning("", " at jittered points")

    def lookup(grid: wp.array3d[float], p: wp.vec3) -> float:
        """The density of the cell that a point is in; the grid reaches from -1 to 1."""
        q = 0.5 * p + wp.vec3(0.5)
        ix = wp.clamp(int(q[0] * float(grid.shape[0])), 0, grid.shape[0] - 1)
        iy = wp.clamp(int(q[1] * float(grid.shape[1])), 0, grid.shape[1] - 1)
        iz = wp.clamp(int(q[2] * float(grid.shape[2])), 0, grid.shape[2] - 1)
        return grid[ix, iy, iz]

    def phase(cosine: float) -> float:
        """The share of light that is scattered by an angle."""
        if PHASE == "Rayleigh":
            return 3.0 / (16.0 * wp.PI) * (1.0 + cosine * cosine)
        return (1.0 - G * G) / (4.0 * wp.PI * wp.pow(1.0 + G * G - 2.0 * G * cosine, 1.5))

    SOLID = "the cube from -1 to 1 in x, y and z"
    if BOUNDS == "sphere":
        SOLID = "the unit sphere about the origin"
    MISSED = ""
    if DEPTH:
        MISSED = ", and {opacity} is 0" if DEPTH.endswith("opacity") else ", and {mean_depth} is 0"
    WHERE = "in its middle"
    if JITTER:
        WHERE = (
            "at a random point: step k at k + u steps from the start, where u is the next `randf` of a "
            "generator from `rand_init({seed}, i·w + j)` for w columns in {image}"
        )
    DENSITY = "that of the cell of {grid} that holds the point; the grid reaches from -1 to 1, x first"
    if not GRID:
        DENSITY = {
            haze: "exp(-(y + 1) / {SCALE})",
            cloud: "exp(-|X|² / {SCALE}²)",
            puff: "1 - smoothstep(½·{SCALE}, {SCALE}, |X|)",
        }[MEDIUM]
    ARRIVES = {
        "sunlight": "from {sun} is {power}",
        "the light of a lamp": "from the lamp at {lamp} is {power} over the squared distance",
        "shadowed sunlight": "from {sun} is {power}·exp(-{SIGMA_T}·{shadow_stride}·C); C is the sum of the "
        "densities at the distances {shadow_stride}·(m + ½), m = 0 … {shadow_steps} - 1, along {sun}, "
        "without those from the first point outside of the {BOUNDS} on",
    }[LIGHT]
    ANGLES = {
        "Henyey-Greenstein": "(1 - {G}²) / (4·π·(1 + {G}² - 2·{G}·c)^1.5) of Henyey and Greenstein{COSINE}",
        "isotropic": "1 / (4·π)",
        "Rayleigh": "3·(1 + c²) / (16·π) of Rayleigh{COSINE}",
    }[PHASE]
    COSINE = ", where c is the cosine of the angle between D and the way to the light"
    WEIGHT = "T·(1 - S)" if SUM == "integrated exactly over each step" else "T·E·H"
    MORE = ""
    if DEPTH == ", and stores the opacity":
        MORE = " {opacity} is 1 - T."
    elif DEPTH:
        MORE = " {mean_depth} is the mean t of the steps done, weighted by W: (sum of W·t) / "
        MORE += "max(sum of W, 0.001)." if EMPTY else "(sum of W)."

    @c.kernel(rows, cols)
    def kernel(
        grid: wp.array3d[float] = input(cells, cells, cells, low=0.0, high=1.0),
        eye: wp.vec3 = input(low=1.3, high=2.2),
        directions: wp.array2d[wp.vec3] = input(
            rows, cols, low=-1.0, high=0.3 if BOUNDS == "box" else -0.1, trait="unit"
        ),
        backdrop: wp.array2d[wp.vec3] = input(rows, cols, low=0.1, high=0.8),
        sun: wp.vec3 = input(low=-0.5, high=1.0, trait="unit"),
        lamp: wp.vec3 = input(low=1.1, high=1.8),
        power: wp.vec3 = input(low=5.0, high=15.0),
        steps: int = input(low=4, high=12),
        shadow_steps: int = input(low=2, high=6),
        shadow_stride: float = input(low=0.08, high=0.4),
        seed: int = input(low=1, high=1000),
        image: wp.array2d[wp.vec3] = output(rows, cols, of="colour"),
        opacity: wp.array2d[float] = output(rows, cols),
        mean_depth: wp.array2d[float] = output(rows, cols),
    ):
        i, j = wp.tid()
        direction = directions[i, j]
        behind = backdrop[i, j]
        if BOUNDS == "box":
            # slabs: where the ray enters and leaves the box
            to_lower = wp.cw_div(wp.vec3(-1.0) - eye, direction)
            to_upper = wp.cw_div(wp.vec3(1.0) - eye, direction)
            enter = wp.max(wp.min(to_lower, to_upper))
            leave = wp.min(wp.max(to_lower, to_upper))
        else:
            # the unit sphere about the origin
            nearest = -wp.dot(eye, direction)
            chord_sq = 1.0 - wp.length_sq(eye) + nearest * nearest
        if leave <= enter if BOUNDS == "box" else chord_sq <= 0.0:
            image[i, j] = behind
            if DEPTH == ", and stores the opacity":
                opacity[i, j] = 0.0
            elif DEPTH:
                mean_depth[i, j] = 0.0
            return
        if BOUNDS == "sphere":
            half = wp.sqrt(chord_sq)
            enter = nearest - half
        if BOUNDS == "box":
            step = (leave - enter) / float(steps)
        else:
            step = 2.0 * half / float(steps)
        if JITTER:
            state = wp.rand_init(seed, i * image.shape[1] + j)
        if LIGHT != "the light of a lamp" and PHASE != "isotropic":
            # the sun is far away: one angle for the whole ray
            scattering = ALBEDO * phase(wp.dot(direction, sun))
        transmittance = float(1.0)
        radiance = wp.vec3(0.0)
        if DEPTH == ", and stores the mean depth of what is seen":
            weighted = float(0.0)
            seen = float(0.0)
        for k in range(steps):
            if JITTER:
                t = enter + (float(k) + wp.randf(state)) * step
            else:
                t = enter + (float(k) + 0.5) * step
            point = eye + t * direction
            density = lookup(grid, point) if GRID else MEDIUM(point)
            extinction = SIGMA_T * density
            if LIGHT == "the light of a lamp":
                offset = lamp - point
                distance_sq = wp.length_sq(offset)
                arriving = power / distance_sq
                if PHASE != "isotropic":
                    scattering = ALBEDO * phase(wp.dot(direction, offset) / wp.sqrt(distance_sq))
            elif LIGHT == "shadowed sunlight":
                # optical depth towards the sun
                column = float(0.0)
                for m in range(shadow_steps):
                    ahead = point + (float(m) + 0.5) * shadow_stride * sun
                    # outside there is nothing that casts a shadow
                    if (wp.max(wp.abs(ahead)) if BOUNDS == "box" else wp.length_sq(ahead)) > 1.0:
                        break
                    column += lookup(grid, ahead) if GRID else MEDIUM(ahead)
                arriving = wp.exp(-SIGMA_T * shadow_stride * column) * power
            survived = wp.exp(-extinction * step)
            if SUM == "integrated exactly over each step":
                weight = transmittance * (1.0 - survived)
            else:
                weight = transmittance * extinction * step
            if PHASE == "isotropic":
                gain = weight * ALBEDO / (4.0 * wp.PI)
            else:
                gain = weight * scattering
            radiance += gain * (power if LIGHT == "sunlight" else arriving)
            if DEPTH == ", and stores the mean depth of what is seen":
                weighted += weight * t
                seen += weight
            transmittance *= survived
            # what lies behind is hardly seen any more
            if transmittance < 0.02:
                break
        image[i, j] = radiance + transmittance * behind
        if DEPTH == ", and stores the opacity":
            opacity[i, j] = 1.0 - transmittance
        elif DEPTH:
            # where there is nothing, nothing is seen
            mean_depth[i, j] = weighted / (wp.max(seen, 0.001) if EMPTY else seen)


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "centres radii": "centres radii | centers radii | positions sizes",
        "travelled": "travelled t ray_t",
        "gap": "gap d sd",
        "normal": "normal n surface_normal",
        "view": "view ray_dir direction",
        "occlusion": "occlusion ao blocked",
        "shadow": "shadow sunlight visibility",
        "kernel": "render_distance_field sphere_trace",
    },
)
def sphere_traced_image(c):
    """Sphere-traces {SCENE} over a floor, with {LIGHTS}; normals by {NORMAL}{DEPTH}.

    Render a scene of signed distances by sphere tracing. The floor is at y = 0, so its distance is y;
    {OBJECTS}.

    The ray of pixel (i, j) starts at {eye} in the direction D = `{rays}[i, j]`. It takes at most {steps}
    steps, each as long as the distance G to the scene, and ends before one if G < 0.002 or the way t so far
    is above {FAR}. If t > {FAR} in the end, {image} is the sky, 0.7 + 0.3·D.y; otherwise the ray counts as
    having hit the scene at its last point P.{STORED} The normal N of the scene at P is {SLOPES}.

    The shadow ray goes along {sun} from P + 0.02·N and starts at s = 0.02. Before each of at most {steps}
    steps it looks up G; the step has that length, and the ray ends after one that leaves s > {FAR}. The
    sunlight Z is 0 if it ever finds G < 0.01, {PENUMBRA}.

    With L = max(N·{sun}, 0) the brightness is Z·L, plus {AMBIENCE}.{GLINT}{HAZE} Store it in {image}.
    """
    rows, cols, count = c.size(5, 6), c.size(5, 6), c.size(4, 5)
    NORMAL = c.meaning("central differences", "tetrahedral differences")
    OCCLUSION = c.meaning("ambient occlusion", "even ambient light", "hemispherical ambient light")
    DEPTH = c.meaning("", "; stores the depth", "; stores the number of steps")
    FAR, BLEND, HARDNESS = float(c.count(4, 6)), c.constant(0.2, 0.5), c.constant(1.5, 5.0)
    DENSITY, AMBIENT, SHININESS = c.constant(0.05, 0.2), c.constant(0.2, 0.5), c.constant(8.0, 30.0)

    def unite(centres: wp.array[wp.vec3], radii: wp.array[float], p: wp.vec3) -> float:
        gap = p[1]
        for k in range(centres.shape[0]):
            gap = wp.min(gap, wp.length(p - centres[k]) - radii[k])
        return gap

    def blend(centres: wp.array[wp.vec3], radii: wp.array[float], p: wp.vec3) -> float:
        gap = p[1]
        for k in range(centres.shape[0]):
            ball = wp.length(p - centres[k]) - radii[k]
            h = wp.max(BLEND - wp.abs(gap - ball), 0.0) / BLEND
            gap = wp.min(gap, ball) - 0.25 * h * h * BLEND
        return gap

    def boxes(centres: wp.array[wp.vec3], radii: wp.array[float], p: wp.vec3) -> float:
        gap = p[1]
        for k in range(centres.shape[0]):
            q = wp.abs(p - centres[k]) - wp.vec3(radii[k])
            gap = wp.min(gap, wp.length(wp.max(q, wp.vec3(0.0))) + wp.min(wp.max(q), 0.0))
        return gap

    def rings(centres: wp.array[wp.vec3], radii: wp.array[float], p: wp.vec3) -> float:
        gap = p[1]
        for k in range(centres.shape[0]):
            q = p - centres[k]
            across = wp.length(wp.vec2(q[0], q[1])) - radii[k]
            gap = wp.min(gap, wp.length(wp.vec2(across, q[2])) - 0.25 * radii[k])
        return gap

    SHAPES = c.meaning(unite, blend, boxes, rings)
    SCENE = {unite: "balls", blend: "smoothly blended balls", boxes: "cubes", rings: "upright rings"}[SHAPES]
    SHADOW = c.meaning("soft shadows", "hard shadows")
    GLOSS = c.meaning("", "Blinn-Phong highlights")
    FOG = c.meaning("", "exponential fog")
    PARTS = [part for part in (SHADOW, GLOSS, OCCLUSION, FOG) if part]
    LIGHTS = ", ".join(PARTS[:-1]) + " and " + PARTS[-1]
    OBJECTS = {
        unite: "the scene's distance is the smallest of this and of |P - C| - R for each ball, with its "
        "centre C in {centres} and its radius R in {radii}",
        blend: "the balls, with the distances B = |P - C| - R from their centres {centres} and {radii}, are "
        "joined to it one after the other: the distance A so far becomes min(A, B) - ¼·{BLEND}·H², where H = "
        "max({BLEND} - |A - B|, 0) / {BLEND}",
        boxes: "the scene's distance is the smallest of this and the distances of cubes with centres "
        "{centres} and half edges {radii}: |max(Q, 0)| + min(largest component of Q, 0), where Q = |P - "
        "C| - R in each component",
        rings: "the scene's distance is the smallest of this and the distances of tori about the z axis with "
        "centres {centres}, radii R in {radii} and tube radius ¼·R: √((√(x² + y²) - R)² + z²) - ¼·R, "
        "with x, y, z relative to the centre",
    }[SHAPES]
    STORED = ""
    if DEPTH == "; stores the depth":
        STORED = " {depths} is t, but at most {FAR}."
    elif DEPTH:
        STORED = " {step_counts} is the number of steps taken, also for the sky."
    SLOPES = "along the gradient by central differences over ±0.01 in x, y and z"
    if NORMAL == "tetrahedral differences":
        SLOPES = (
            "the normalized sum of e·G(P + 0.01·e) over the four vectors e = (1, -1, -1), (-1, -1, 1), (-1, "
            "1, -1) and (1, 1, 1)"
        )
    PENUMBRA = "and 1 otherwise"
    if SHADOW == "soft shadows":
        PENUMBRA = "and otherwise the smallest of 1 and all {HARDNESS}·G / s"
    GLINT = ""
    if GLOSS:
        GLINT = (
            " If L > 0, a Blinn-Phong highlight adds ½·Z·max(N·M, 0)^{SHININESS}, where M is the normalized "
            "{sun} - D."
        )
    AMBIENCE = {
        "even ambient light": "{AMBIENT}",
        "hemispherical ambient light": "{AMBIENT}·lerp(0.3, 1, ½ + ½·N.y), the ground being darker than the "
        "sky",
        "ambient occlusion": "{AMBIENT}·(1 - 2·O), where the occlusion O is the sum over m = 0 … {taps} - 1 "
        "of (h - G(P + h·N)) / 2^m with h = 0.1·(m + 1)",
    }[OCCLUSION]
    HAZE = ""
    if FOG:
        HAZE = " Finally, blend it with the fog 0.6: the brightness keeps the share exp(-{DENSITY}·t)."

    @c.kernel(rows, cols)
    def kernel(
        centres: wp.array[wp.vec3] = input(count, low=0.1, high=1.4),
        radii: wp.array[float] = input(count, low=0.3, high=0.7),
        eye: wp.vec3 = input(low=2.0, high=2.6),
        sun: wp.vec3 = input(low=-0.3, high=1.0, trait="unit"),
        rays: wp.array2d[wp.vec3] = input(rows, cols, low=-1.0, high=-0.1, trait="unit"),
        steps: int = input(low=16, high=30),
        taps: int = input(low=2, high=5),
        image: wp.array2d[float] = output(rows, cols, of="colour"),
        depths: wp.array2d[float] = output(rows, cols),
        step_counts: wp.array2d[int] = output(rows, cols),
    ):
        i, j = wp.tid()
        view = rays[i, j]
        travelled = float(0.0)
        if DEPTH == "; stores the number of steps":
            taken = int(0)
        for _ in range(steps):
            gap = SHAPES(centres, radii, eye + travelled * view)
            if gap < 0.002 or travelled > FAR:
                break
            travelled += gap
            if DEPTH == "; stores the number of steps":
                taken += 1
        if DEPTH == "; stores the number of steps":
            step_counts[i, j] = taken
        elif DEPTH:
            depths[i, j] = wp.min(travelled, FAR)
        if travelled > FAR:
            # the sky, brighter above
            image[i, j] = 0.7 + 0.3 * view[1]
            return
        point = eye + travelled * view
        if NORMAL == "central differences":
            dx = wp.vec3(0.01, 0.0, 0.0)
            dy = wp.vec3(0.0, 0.01, 0.0)
            dz = wp.vec3(0.0, 0.0, 0.01)
            slope_x = SHAPES(centres, radii, point + dx) - SHAPES(centres, radii, point - dx)
            slope_y = SHAPES(centres, radii, point + dy) - SHAPES(centres, radii, point - dy)
            slope_z = SHAPES(centres, radii, point + dz) - SHAPES(centres, radii, point - dz)
            normal = wp.normalize(wp.vec3(slope_x, slope_y, slope_z))
        else:
            # four corners of a cube do instead of six points
            a = wp.vec3(1.0, -1.0, -1.0)
            b = wp.vec3(-1.0, -1.0, 1.0)
            g = wp.vec3(-1.0, 1.0, -1.0)
            h = wp.vec3(1.0, 1.0, 1.0)
            slope = a * SHAPES(centres, radii, point + 0.01 * a)
            slope += b * SHAPES(centres, radii, point + 0.01 * b)
            slope += g * SHAPES(centres, radii, point + 0.01 * g)
            slope += h * SHAPES(centres, radii, point + 0.01 * h)
            normal = wp.normalize(slope)
        lifted = point + 0.02 * normal
        shadow = float(1.0)
        along = float(0.02)
        for _ in range(steps):
            gap = SHAPES(centres, radii, lifted + along * sun)
            if gap < 0.01:
                shadow = 0.0
                break
            if SHADOW == "soft shadows":
                shadow = wp.min(shadow, HARDNESS * gap / along)
            along += gap
            if along > FAR:
                break
        incidence = wp.max(wp.dot(normal, sun), 0.0)
        if GLOSS:
            halfway = wp.normalize(sun - view)
            glint = wp.pow(wp.max(wp.dot(normal, halfway), 0.0), SHININESS)
            # no highlight on the side that the sun does not reach
            shade = shadow * (incidence + wp.where(incidence > 0.0, 0.5 * glint, 0.0))
        else:
            shade = shadow * incidence
        if OCCLUSION == "hemispherical ambient light":
            # less from the ground than from the sky
            facing = 0.5 + 0.5 * normal[1]
            shade += AMBIENT * wp.lerp(0.3, 1.0, facing)
        elif OCCLUSION == "ambient occlusion":
            # how much nearer the scene is than an open half-space
            occlusion = float(0.0)
            weight = float(1.0)
            for tap in range(taps):
                height = 0.1 * float(tap + 1)
                occlusion += weight * (height - SHAPES(centres, radii, point + height * normal))
                weight *= 0.5
            shade += AMBIENT * (1.0 - 2.0 * occlusion)
        else:
            shade += AMBIENT
        if FOG:
            # into the grey of the haze
            shade = wp.lerp(0.6, shade, wp.exp(-DENSITY * travelled))
        image[i, j] = shade
