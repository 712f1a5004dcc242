"""Signed distance fields at work: skeletons, collisions, level sets, sphere tracing."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

FIELD = {"points": "points positions samples", "out": "out dist sdf", "d": "d dist gap"}


@idiom(
    level=3,
    differentiable=False,
    names={
        **FIELD,
        "joints": "joints nodes bone_ends",
        "bones": "bones edges links",
        "nearest": "nearest best closest",
        "kernel": "skeleton_distance skeleton_sdf",
    },
)
def distance_to_capsules(c):
    """{SAYS}, {ROUND}{DATA}.

    {PURPOSE} Bone k goes from {FROM}. Its distance from a point p of {points} is d = |p - c| - r, where c
    lies at the share t of its way: t is the projection of p on the bone, clamped to [0, 1]; the squared
    length by which it divides counts as at least 1e-6. The radius r is {RADII}.

    {STORE}
    """
    n, count, nodes = c.size(8, 12), c.size(4, 7), c.size(5, 7)
    WANTED = c.meaning("signed distance", "smoothly blended distance", "nearest bone", "offset")
    Vec = c.vec(c.meaning(2, 3))
    Wanted = {"offset": Vec, "nearest bone": int}.get(WANTED, float)
    ROUND = c.meaning("each of its own radius", "tapering from joint to joint", "all of one radius")
    SAYS = {
        "signed distance": "The signed distance from each point to a skeleton of capsules",
        "smoothly blended distance": "The signed distance from each point to a smooth blend of capsules",
        "nearest bone": "For each point the index of the nearest of the capsules of a skeleton",
        "offset": "The offset of each point from the axis of the nearest of the capsules of a skeleton",
    }[WANTED]
    if WANTED == "nearest bone":
        c.names({"kernel": "nearest_bones bind_points", "out": "out owners bone_of"})
    elif WANTED == "offset":
        c.names({"kernel": "bone_offsets offsets_to_skeleton", "out": "out offsets"})
    # at a joint two bones that taper are equally near
    if WANTED == "nearest bone" or (WANTED == "offset" and ROUND == "all of one radius"):
        ROUND = "each of its own radius"
    DATA = "" if "taper" in ROUND else c.meaning("", ", with ends of their own")
    RADIUS, SHARP = c.constant(0.1, 0.4), c.constant(2.0, 8.0)
    PURPOSE = {
        "signed distance": "Compute the signed distances of points from a skeleton of capsules.",
        "smoothly blended distance": "Compute the signed distances of points from a smooth blend of "
        "capsules.",
        "nearest bone": "Find the nearest capsule of a skeleton for each point.",
        "offset": "Find the offsets of points from the axes of the nearest capsules of a skeleton.",
    }[WANTED]
    FROM = (
        "`{ends}[k, 0]` to `{ends}[k, 1]`"
        if DATA
        else "`{joints}[{bones}[k, 0]]` to `{joints}[{bones}[k, 1]]`"
    )
    RADII = {
        "all of one radius": "{RADIUS} for all bones",
        "each of its own radius": "`{radii}[k]`",
    }.get(ROUND, "interpolated linearly, by t, between those of the two joints in {radii}")
    STORE = {
        "signed distance": "Store the smallest d in {out}.",
        "smoothly blended distance": "Store -ln(the sum of exp(-{SHARP}·d)) / {SHARP} in {out}.",
        "nearest bone": "Store the index of the bone with the smallest d in {out}; on ties the lower one "
        "wins.",
        "offset": "Store p - c for the bone with the smallest d in {out}; on ties the lower one wins.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = input(n, low=-2.0, high=2.0, of="position"),
        joints: wp.array[Vec] = input(nodes, low=-1.5, high=1.5),
        bones: wp.array2d[int] = input(count, 2, low=0, high=nodes - 1),
        ends: wp.array2d[Vec] = input(count, 2, low=-1.5, high=1.5),
        radii: wp.array[float] = input(nodes if "taper" in ROUND else count, low=0.1, high=1.0),
        out: wp.array[Wanted] = output(n, of="distance" if "distance" in WANTED else None),
    ):
        tid = wp.tid()
        p = points[tid]
        if WANTED == "smoothly blended distance":
            total = float(0.0)
        else:
            nearest = float(1.0e6)
            if WANTED == "nearest bone":
                index = int(-1)
            elif WANTED == "offset":
                offset = Vec()
        for k in range(ends.shape[0] if DATA else bones.shape[0]):
            if DATA:
                a = ends[k, 0]
                bone = ends[k, 1] - a
            else:
                a = joints[bones[k, 0]]
                bone = joints[bones[k, 1]] - a
            t = wp.clamp(wp.dot(p - a, bone) / wp.max(wp.length_sq(bone), 1.0e-6), 0.0, 1.0)
            away = p - a - t * bone
            if ROUND == "all of one radius":
                d = wp.length(away) - RADIUS
            elif ROUND == "each of its own radius":
                d = wp.length(away) - radii[k]
            else:
                d = wp.length(away) - wp.lerp(radii[bones[k, 0]], radii[bones[k, 1]], t)
            if WANTED == "smoothly blended distance":
                total += wp.exp(-SHARP * d)
            elif WANTED == "signed distance":
                nearest = wp.min(nearest, d)
            elif d < nearest:
                nearest = d
                if WANTED == "nearest bone":
                    index = k
                else:
                    offset = away
        if WANTED == "smoothly blended distance":
            out[tid] = -wp.log(total) / SHARP
        elif WANTED == "signed distance":
            out[tid] = nearest
        elif WANTED == "nearest bone":
            out[tid] = index
        else:
            out[tid] = offset


@idiom(
    level=4,
    names={
        "x": "x positions particle_x",
        "v": "v velocities particle_v",
        "field": "field sdf phi",
        "distance": "distance gap sd",
        "kernel": "collide_particles resolve_contacts",
    },
)
def field_collision(c):
    """Pushes particles out of a sampled distance field along its gradient {SLOPE}{RESPONSE}{FRICTION};
    outside the grid {EDGE}.

    Push particles out of the obstacle of a sampled distance field, negative inside. Node (i, j) of {field}
    lies at ({SPACING}·i, {SPACING}·j). {OUTSIDE} Update {x} and {v} in place.

    For each particle, take the distance d and the normal n, the normalized slope of the field, {SAMPLE}. Only
    if d < 0, move the particle by -d·n{THEN}.
    """
    n, rows, cols = c.size(9, 14), c.size(5, 6), c.size(5, 6)
    RESPONSE = c.meaning("", " and stops their approach", " and bounces them back")
    FRICTION = c.meaning("", ", with Coulomb friction") if RESPONSE else ""
    EDGE = c.meaning("the field keeps its edge values", "nothing is in the way")
    HELD = EDGE == "the field keeps its edge values"
    SLOPE = c.meaning("at the nearest node", "in the cell")
    BOUNCE, GRIP, SPACING = c.constant(0.2, 0.9), c.constant(0.1, 0.6), c.constant(0.2, 0.36)
    c.once("ends of the domain")

    def sample_with_slope(field: wp.array2d[float], x: float, y: float) -> wp.vec3:
        """The field between four nodes, and its two derivatives."""
        if HELD:
            i = wp.clamp(int(x), 0, field.shape[0] - 2)
            j = wp.clamp(int(y), 0, field.shape[1] - 2)
            s = wp.clamp(x - float(i), 0.0, 1.0)
            t = wp.clamp(y - float(j), 0.0, 1.0)
        else:
            i = wp.clamp(int(x), 0, field.shape[0] - 2)
            j = wp.clamp(int(y), 0, field.shape[1] - 2)
            s = x - float(i)
            t = y - float(j)
        low = wp.lerp(field[i, j], field[i + 1, j], s)
        high = wp.lerp(field[i, j + 1], field[i + 1, j + 1], s)
        across = wp.lerp(field[i + 1, j] - field[i, j], field[i + 1, j + 1] - field[i, j + 1], t)
        return wp.vec3(wp.lerp(low, high, t), across, high - low)

    OUTSIDE = "Particles outside the grid stay as they are."
    SAMPLE = "at the nearest node{INNER}, halves rounded up, the slope by central differences"
    INNER = " that has neighbours on all sides"
    if SLOPE == "in the cell":
        SAMPLE = (
            "at its place: interpolate the field bilinearly in its cell, and take the derivatives of that"
        )
    if HELD:
        OUTSIDE = "A place outside the grid counts as the nearest one inside it."
    THEN = ""
    if RESPONSE:
        THEN = (
            "; then split its velocity into w·n with w = min(velocity·n, 0), which is zero if it moves out "
            "already, and the rest. {SLIDES}The new velocity is the rest{BACK}"
        )
    SLIDES = ""
    if FRICTION:
        SLIDES = (
            "Coulomb friction multiplies the rest by max(1 - {GRIP}·{CHANGE} / L, 0), where L is the length "
            "of the rest, but at least 0.0001. "
        )
    CHANGE = "(1 + {BOUNCE})·|w|" if "bounces" in RESPONSE else "|w|"
    BACK = " less {BOUNCE}·w·n" if "bounces" in RESPONSE else ""

    @c.kernel(n)
    def kernel(
        field: wp.array2d[float] = input(rows, cols, low=-0.5, high=0.3),
        x: wp.array[wp.vec2] = inout(n, low=-0.3, high=2.0, of="position"),
        v: wp.array[wp.vec2] = inout(n, low=-2.0, high=2.0, of="velocity"),
    ):
        tid = wp.tid()
        place = x[tid] / SPACING
        if not HELD:
            if wp.min(place) < 0.0:
                return
            if place[0] > float(field.shape[0] - 1) or place[1] > float(field.shape[1] - 1):
                return
        if SLOPE == "at the nearest node":
            # the nearest node that has others on all sides
            i = wp.clamp(int(wp.round(place[0])), 1, field.shape[0] - 2)
            j = wp.clamp(int(wp.round(place[1])), 1, field.shape[1] - 2)
            distance = field[i, j]
            slope = wp.vec2(field[i + 1, j] - field[i - 1, j], field[i, j + 1] - field[i, j - 1])
        else:
            local = sample_with_slope(field, place[0], place[1])
            distance = local[0]
            slope = wp.vec2(local[1], local[2])
        if distance >= 0.0:
            return
        normal = wp.normalize(slope)
        x[tid] -= distance * normal
        if RESPONSE:
            # what moves out already is left alone
            speed = wp.min(wp.dot(v[tid], normal), 0.0)
            sliding = v[tid] - speed * normal
            if FRICTION:
                # friction in proportion to the change of the normal velocity
                change = -(1.0 + BOUNCE) * speed if "bounces" in RESPONSE else -speed
                sliding *= wp.max(1.0 - GRIP * change / wp.max(wp.length(sliding), 1.0e-4), 0.0)
            if RESPONSE == " and stops their approach":
                v[tid] = sliding
            else:
                v[tid] = sliding - BOUNCE * speed * normal


@idiom(
    level=5,
    differentiable=False,
    names={
        "image": "image pixels frame",
        "row col": "row col | i j | y x",
        "light": "light to_light sun",
        "travelled": "travelled t depth",
        "aims": "aims targets pixel_points",
        "kernel": "render_field trace_field march_pixels",
    },
)
def march_rays(c):
    """An image of {BODY} {STAGE}, sphere traced in at most {STEPS} steps {VIEW}, lit by {LIGHT}; {SKY}.

    Render a scene, {BODY} {STAGE}, by sphere tracing. With points p = (x, y, z), the distance field is F(p) =
    {SCENE}.

    {CAMERA} From t = 0 take at most {STEPS} steps: with d = F at the origin + t·view, stop if d < 0.002 or t
    > 8, and otherwise let t grow by {RELAX}·d. If t > 8 in the end, the pixel of {image} gets {MISS}.

    Otherwise p = origin + t·view is hit. Its shade is {SHADE}{SHADOWS} The pixel gets {PIXEL}.
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    LIGHT = c.meaning("a sun", "a sun with hard shadows", "a sun with soft shadows", "a lamp at the eye")
    SKY, STAGE = (
        c.meaning("rays that miss see a bright sky", "what is far is lost in fog"),
        c.meaning("above the ground", "in empty space"),
    )
    VIEW = c.meaning("through a pinhole", "along rays through given points")
    STEPS, HARD, FOG = c.count(24, 40), c.constant(4.0, 12.0), c.constant(0.6, 0.9)
    SIZE, RELAX = c.constant(0.4, 0.8), c.count(12, 19) / 20.0
    # behind a pinhole the eye moves a little; otherwise it stands anywhere outside
    NEAR, FAR = (-0.4, 0.4) if VIEW == "through a pinhole" else (1.5, 2.5)

    def torus(p: wp.vec3) -> float:
        return wp.length(wp.vec2(wp.length(wp.vec2(p[0], p[1])) - SIZE, p[2])) - 0.25

    def block(p: wp.vec3) -> float:
        # turned about the y axis
        turned = wp.vec3(0.8 * p[0] + 0.6 * p[2], p[1], 0.8 * p[2] - 0.6 * p[0])
        q = wp.abs(turned) - wp.vec3(SIZE, 0.7, 0.6)
        # no ray gets inside
        return wp.length(wp.max(q, wp.vec3(0.0)))

    def pair(p: wp.vec3) -> float:
        return wp.length(wp.vec3(wp.abs(p[0]) - SIZE, p[1], p[2])) - 0.5

    SHAPE, BODY = c.meaning((torus, "a ring"), (block, "a block"), (pair, "two balls"))

    def scene(p: wp.vec3) -> float:
        """The distance to the nearest surface."""
        return wp.min(SHAPE(p), p[1] + 1.0)

    field = scene if STAGE == "above the ground" else SHAPE

    def shadow(p: wp.vec3, light: wp.vec3) -> float:
        """How much of the light comes to a point."""
        seen = float(1.0)
        t = float(0.1)
        for _step in range(STEPS):
            d = field(p + t * light)
            if d < 0.001:
                return 0.0
            if LIGHT == "a sun with soft shadows":
                seen = wp.min(seen, HARD * d / t)
            t += d
        return seen

    SOLID = {
        "a ring": "√((√(x² + y²) - {SIZE})² + z²) - 0.25",
        "a block": "|max((|0.8·x + 0.6·z| - {SIZE}, |y| - 0.7, |0.8·z - 0.6·x| - 0.6), 0)|, the larger "
        "taken entry by entry",
        "two balls": "√((|x| - {SIZE})² + y² + z²) - 0.5",
    }[BODY]
    SCENE = "the smaller of y + 1 and {SOLID}" if "ground" in STAGE else "{SOLID}"
    CAMERA = (
        "The ray of pixel (row, col) starts at {eye}, its origin, and its unit direction view points to "
        "`{aims}[row, col]`."
    )
    if VIEW == "through a pinhole":
        CAMERA = (
            "The rays start at {eye} + (0, 0, 3), their origin, and the unit direction view of pixel (row, "
            "col) is that of ((col + ½) / columns - ½, ½ - (row + ½) / rows, -1.8), with the "
            "rows and columns of {image}."
        )
    MISS = "{FOG}" if "fog" in SKY else "0.7 + 0.3·view_y"
    SHADE = "(F(p + 0.02·{light}) - F(p)) / 0.02"
    if LIGHT == "a lamp at the eye":
        SHADE = "(F(p - 0.02·view) - F(p)) / 0.02"
    SHADOWS = "."
    if "shadows" in LIGHT:
        SHADOWS = (
            ", or 0 if that is negative, times the light that arrives. To find it, go from p towards "
            "{light}, starting at the distance s = 0.1, in at most {STEPS} steps of d = F(p + s·{light}) "
            "each. {BLOCKED}"
        )
    BLOCKED = "If a d is below 0.001, no light arrives; otherwise all does (1)."
    if "soft" in LIGHT:
        BLOCKED = (
            "If a d is below 0.001, no light arrives; otherwise the smallest {HARD}·d / s of the steps does, "
            "but at most 1."
        )
    PIXEL = "½ + ½·shade"
    if "fog" in SKY:
        PIXEL = "{FOG} + (½ + ½·shade - {FOG})·exp(-0.2·t)"

    @c.kernel(rows, cols)
    def kernel(
        eye: wp.vec3 = input(low=NEAR, high=FAR),
        aims: wp.array2d[wp.vec3] = input(rows, cols, low=-1.2, high=1.2),
        light: wp.vec3 = input(low=0.2, high=1.0, trait="unit"),
        image: wp.array2d[float] = output(rows, cols),
    ):
        row, col = wp.tid()
        if VIEW == "through a pinhole":
            u = (float(col) + 0.5) / float(image.shape[1]) - 0.5
            v = 0.5 - (float(row) + 0.5) / float(image.shape[0])
            view = wp.normalize(wp.vec3(u, v, -1.8))
            origin = eye + wp.vec3(0.0, 0.0, 3.0)
        else:
            view = wp.normalize(aims[row, col] - eye)
            origin = eye
        travelled = float(0.0)
        for _step in range(STEPS):
            d = field(origin + travelled * view)
            if d < 0.002 or travelled > 8.0:
                break
            travelled += RELAX * d
        if travelled > 8.0:
            image[row, col] = FOG if "fog" in SKY else 0.7 + 0.3 * view[1]
            return
        point = origin + travelled * view
        # the slope of the field towards the light is Lambert's cosine
        if LIGHT == "a lamp at the eye":
            shade = (field(point - 0.02 * view) - field(point)) / 0.02
        else:
            shade = (field(point + 0.02 * light) - field(point)) / 0.02
        if "shadows" in LIGHT:
            # what turns away from the light gets none
            shade = wp.max(shade, 0.0) * shadow(point, light)
        if "fog" in SKY:
            image[row, col] = wp.lerp(FOG, 0.5 + 0.5 * shade, wp.exp(-0.2 * travelled))
        else:
            image[row, col] = 0.5 + 0.5 * shade
