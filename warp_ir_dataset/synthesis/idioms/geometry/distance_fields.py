"""Signed distance fields: shapes, how they are put together, and what is asked of them."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

FIELD = {"points": "points positions samples", "out": "out dist sdf", "d": "d dist depth"}


@idiom(level=2, names={**FIELD, "kernel": "eval_shape shape_sdf"})
def flat_shape_distance(c):
    """The signed distance in the plane from each point to {SHAPE}, {FINISH}."""
    n = c.size(9, 14)
    SIZE, ROUND = c.constant(0.6, 1.2), c.constant(0.1, 0.4)
    FINISH = c.meaning(
        "as it is",
        "with rounded corners",
        "of which only the rim is left",
        "if that is nearer than what was known",
    )
    so_far = updated(n, low=-0.5, high=1.5) if FINISH[:2] == "if" else result(n)

    def circle(p: wp.vec2) -> float:
        """a circle"""
        return wp.length(p) - SIZE

    def box(p: wp.vec2) -> float:
        """a square"""
        q = wp.vec2(wp.abs(p[0]) - SIZE, wp.abs(p[1]) - SIZE)
        return wp.length(wp.max(q, wp.vec2(0.0, 0.0))) + wp.min(wp.max(q[0], q[1]), 0.0)

    def segment(p: wp.vec2) -> float:
        """a segment on the x axis"""
        return wp.length(wp.vec2(p[0] - wp.clamp(p[0], -SIZE, SIZE), p[1]))

    def diamond(p: wp.vec2) -> float:
        """a diamond"""
        q = wp.abs(p)
        along = wp.clamp(0.5 * (SIZE + q[0] - q[1]), 0.0, SIZE)
        away = wp.length(q - wp.vec2(along, SIZE - along))
        return away if q[0] + q[1] > SIZE else -away

    def hexagon(p: wp.vec2) -> float:
        """a hexagon"""
        q = wp.abs(p)
        # folded into the sixth between two corners
        side = wp.vec2(-0.8660254, 0.5)
        q = q - 2.0 * wp.min(wp.dot(side, q), 0.0) * side
        limit = 0.5773503 * SIZE
        away = wp.vec2(q[0] - wp.clamp(q[0], -limit, limit), q[1] - SIZE)
        return wp.length(away) * wp.sign(away[1])

    SHAPE = c.meaning(circle, box, segment, diamond, hexagon)

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec2] = given(n, low=-2.0, high=2.0, of="position"), out: wp.array[float] = so_far
    ):
        tid = wp.tid()
        d = SHAPE(points[tid])
        if FINISH == "with rounded corners":
            out[tid] = d - ROUND
        elif FINISH == "of which only the rim is left":
            out[tid] = wp.abs(d) - ROUND
        elif FINISH == "if that is nearer than what was known":
            out[tid] = wp.min(out[tid], d)
        else:
            out[tid] = d


@idiom(
    level=3, names={**FIELD, "first second": "first second | a b | d0 d1", "kernel": "eval_scene scene_sdf"}
)
def blended_shapes(c):
    """The signed distance from each point to the {HOW} of a ball and {SHAPE}{SHELL}."""
    n = c.size(9, 14)
    HOW = c.meaning(
        "union", "intersection", "difference", "smooth union", "smooth difference", "chamfered union"
    )
    SHELL = c.meaning("", ", hollowed out")
    RADIUS, SIZE, BLEND = c.constant(0.8, 1.5), c.constant(0.4, 0.9), c.constant(0.2, 0.5)

    def box(p: wp.vec3) -> float:
        """a box"""
        q = wp.vec3(wp.abs(p[0]) - SIZE, wp.abs(p[1]) - SIZE, wp.abs(p[2]) - SIZE)
        outside = wp.length(wp.max(q, wp.vec3(0.0, 0.0, 0.0)))
        return outside + wp.min(wp.max(q), 0.0)

    def torus(p: wp.vec3) -> float:
        """a torus"""
        ring = wp.length(wp.vec2(p[0], p[2])) - 1.0
        return wp.length(wp.vec2(ring, p[1])) - 0.5 * SIZE

    def column(p: wp.vec3) -> float:
        """a column"""
        side = wp.length(wp.vec2(p[0], p[2])) - SIZE
        return wp.max(side, wp.abs(p[1]) - 2.0)

    def ground(p: wp.vec3) -> float:
        """the ground"""
        return p[1] + SIZE

    SHAPE = c.meaning(box, torus, column, ground)

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="position"),
        centre: wp.vec3 = given(low=-1.0, high=1.0),
        out: wp.array[float] = result(n, of="distance"),
    ):
        tid = wp.tid()
        p = points[tid]
        first = wp.length(p - centre) - RADIUS
        second = SHAPE(p)
        if HOW == "smooth union":
            # the two surfaces melt into each other within {BLEND}
            h = wp.clamp(0.5 + 0.5 * (second - first) / BLEND, 0.0, 1.0)
            d = wp.lerp(second, first, h) - BLEND * h * (1.0 - h)
        elif HOW == "smooth difference":
            h = wp.max(BLEND - wp.abs(first + second), 0.0) / BLEND
            d = wp.max(first, -second) + 0.25 * BLEND * h * h
        elif HOW == "chamfered union":
            d = wp.min(wp.min(first, second), 0.7071068 * (first + second - BLEND))
        elif HOW == "union":
            d = wp.min(first, second)
        else:
            d = wp.max(first, second if HOW == "intersection" else -second)
        if SHELL:
            out[tid] = wp.abs(d) - 0.1
        else:
            out[tid] = d


@idiom(level=3, names={**FIELD, "q": "q local folded", "kernel": "eval_pattern pattern_sdf"})
def tiled_shape(c):
    """The signed distance{ALSO} of each point for {SHAPE}, repeated {HOW} in {DIM} dimensions."""
    n, DIM = c.size(9, 14), c.meaning(2, 3)
    Vec = c.vec(DIM)
    HOW = c.meaning("without end", "a few times", "as in mirrors", "around the z axis")
    ALSO = c.meaning("", " and the cell") if HOW != "as in mirrors" else ""
    PERIOD, RING, SIZE = c.constant(1.0, 2.0), c.constant(1.0, 2.5), c.constant(0.2, 0.45)
    COUNT, SECTORS = c.count(1, 2), c.count(3, 8)

    def ball(p: Vec) -> float:
        """a ball"""
        return wp.length(p) - SIZE

    def cube(p: Vec) -> float:
        """a cube"""
        q = wp.abs(p)
        return wp.max(q) - SIZE

    def rod(p: Vec) -> float:
        """a rod"""
        q = p
        q[0] = q[0] - wp.clamp(q[0], -SIZE, SIZE)
        return wp.length(q) - 0.1

    SHAPE = c.meaning(ball, cube, rod)

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = given(n, low=-3.0, high=3.0, of="position"),
        out: wp.array[float] = result(n, of="distance"),
        cells: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        q = points[tid]
        if HOW == "around the z axis":
            # turned into the sector around the x axis
            step = 2.0 * wp.PI / float(SECTORS)
            sector = wp.round(wp.atan2(q[1], q[0]) / step)
            turn = -step * sector
            x = wp.cos(turn) * q[0] - wp.sin(turn) * q[1]
            q[1] = wp.sin(turn) * q[0] + wp.cos(turn) * q[1]
            q[0] = x - RING
        elif HOW == "as in mirrors":
            for k in range(DIM):
                q[k] = wp.abs(q[k] - PERIOD * wp.round(q[k] / PERIOD)) - 0.25 * PERIOD
        else:
            for k in range(DIM):
                if HOW == "a few times":
                    cell = wp.clamp(wp.round(q[k] / PERIOD), -float(COUNT), float(COUNT))
                else:
                    cell = wp.round(q[k] / PERIOD)
                q[k] -= PERIOD * cell
                if ALSO:
                    cells[tid] += cell
        out[tid] = SHAPE(q)
        if HOW == "around the z axis":
            if ALSO:
                cells[tid] = sector


@idiom(
    level=3,
    names={
        **FIELD,
        "out": "out normals gradients",
        "gradient": "gradient grad slope",
        "kernel": "eval_normals shade_normals",
    },
)
def field_normals(c):
    """The {WANTED} of {FIELD} at each point, by {SCHEME} differences."""
    n = c.size(8, 12)
    SCHEME = c.meaning("central", "forward", "tetrahedral")
    WANTED = c.meaning("gradient", "normal", "nearest point of the surface")
    RADIUS, STEP = c.constant(0.5, 1.5), c.constant(0.05, 0.2)

    def torus(p: wp.vec3) -> float:
        """a torus"""
        return wp.length(wp.vec2(wp.length(wp.vec2(p[0], p[2])) - RADIUS, p[1])) - 0.3

    def ellipsoid(p: wp.vec3) -> float:
        """an ellipsoid"""
        scaled = wp.cw_div(p, wp.vec3(RADIUS, 1.0, 0.5))
        return wp.length(scaled) - 1.0

    def waves(p: wp.vec3) -> float:
        """a ground with waves"""
        return p[1] - 0.2 * wp.sin(3.0 * p[0]) * wp.cos(2.0 * p[2]) + RADIUS

    def gyroid(p: wp.vec3) -> float:
        """a gyroid"""
        q = p / RADIUS
        return wp.sin(q[0]) * wp.cos(q[1]) + wp.sin(q[1]) * wp.cos(q[2]) + wp.sin(q[2]) * wp.cos(q[0])

    FIELD = c.meaning(torus, ellipsoid, waves, gyroid)

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="position"),
        out: wp.array[wp.vec3] = result(n, of="normal" if WANTED == "normal" else None),
    ):
        tid = wp.tid()
        p = points[tid]
        gradient = wp.vec3(0.0, 0.0, 0.0)
        if SCHEME == "tetrahedral":
            # four corners of a tetrahedron do for three derivatives
            for sx, sy, sz in ((1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)):
                gradient += FIELD(p + STEP * wp.vec3(sx, sy, sz)) * wp.vec3(sx, sy, sz)
            gradient = gradient / (4.0 * STEP)
        elif SCHEME == "central":
            for k in range(3):
                offset = wp.vec3(0.0, 0.0, 0.0)
                offset[k] = STEP
                gradient[k] = (FIELD(p + offset) - FIELD(p - offset)) / (2.0 * STEP)
        else:
            here = FIELD(p)
            gradient[0] = FIELD(p + wp.vec3(STEP, 0.0, 0.0)) - here
            gradient[1] = FIELD(p + wp.vec3(0.0, STEP, 0.0)) - here
            gradient[2] = FIELD(p + wp.vec3(0.0, 0.0, STEP)) - here
            gradient = gradient / STEP
        if WANTED == "gradient":
            out[tid] = gradient
        elif WANTED == "normal":
            out[tid] = wp.normalize(gradient)
        else:
            out[tid] = p - FIELD(p) * wp.normalize(gradient)


@idiom(
    level=3,
    names={
        **FIELD,
        "joints": "joints nodes bone_ends",
        "bones": "bones edges links",
        "nearest": "nearest best closest",
        "kernel": "skeleton_distance nearest_bone",
    },
)
def distance_to_capsules(c):
    """The {WANTED} for each point and a skeleton whose bones are capsules, {ROUND}."""
    n, count, nodes = c.size(8, 12), c.size(4, 7), c.size(5, 7)
    WANTED = c.meaning("signed distance", "smoothly blended distance", "nearest bone", "offset")
    Vec = c.vec(c.meaning(2, 3))
    Wanted = {"offset": Vec, "nearest bone": int}.get(WANTED, float)
    ROUND = c.meaning("of a radius each", "that taper from joint to joint", "all of one radius")
    # at a joint two bones that taper are equally near
    if WANTED == "nearest bone" or (WANTED == "offset" and ROUND == "all of one radius"):
        ROUND = "of a radius each"
    RADIUS, SHARP = c.constant(0.1, 0.4), c.constant(2.0, 8.0)

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = given(n, low=-2.0, high=2.0, of="position"),
        joints: wp.array[Vec] = given(nodes, low=-1.5, high=1.5),
        bones: wp.array2d[int] = given(count, 2, low=0, high=nodes - 1),
        radii: wp.array[float] = given(nodes if "taper" in ROUND else count, low=0.1, high=1.0),
        out: wp.array[Wanted] = result(n, of="distance" if "distance" in WANTED else None),
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
                offset = p - p
        for k in range(bones.shape[0]):
            a = joints[bones[k, 0]]
            bone = joints[bones[k, 1]] - a
            # a bone may be a point
            t = wp.clamp(wp.dot(p - a, bone) / wp.max(wp.length_sq(bone), 1.0e-6), 0.0, 1.0)
            away = p - a - t * bone
            if ROUND == "all of one radius":
                d = wp.length(away) - RADIUS
            elif ROUND == "of a radius each":
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
        "kernel": "collide_particles resolve_contacts",
    },
)
def field_collision(c):
    """Particles inside a sampled distance field are {RESPONSE} along {SLOPE}, {FRICTION}; outside, {EDGE}."""
    n, rows, cols = c.size(9, 14), c.size(5, 7), c.size(5, 7)
    RESPONSE = c.meaning("pushed out", "pushed out and stopped", "pushed out and bounced back")
    FRICTION = (
        c.meaning("without friction", "with Coulomb friction") if RESPONSE != "pushed out" else "and no more"
    )
    EDGE = c.meaning("the field goes on as at its edge", "the grid is free")
    SLOPE = c.meaning("differences", "the slope of a cell")
    BOUNCE, GRIP, SPACING = c.constant(0.2, 0.9), c.constant(0.1, 0.6), c.constant(0.2, 0.5)

    def sample(field: wp.array2d[float], x: float, y: float) -> float:
        """The field between its nodes."""
        i = wp.clamp(int(wp.floor(x)), 0, field.shape[0] - 2)
        j = wp.clamp(int(wp.floor(y)), 0, field.shape[1] - 2)
        s = wp.clamp(x - float(i), 0.0, 1.0)
        t = wp.clamp(y - float(j), 0.0, 1.0)
        low = wp.lerp(field[i, j], field[i + 1, j], s)
        high = wp.lerp(field[i, j + 1], field[i + 1, j + 1], s)
        return wp.lerp(low, high, t)

    def sample_with_slope(field: wp.array2d[float], x: float, y: float) -> wp.vec3:
        """The field and its two derivatives."""
        i = wp.clamp(int(x), 0, field.shape[0] - 2)
        j = wp.clamp(int(y), 0, field.shape[1] - 2)
        s = wp.clamp(x - float(i), 0.0, 1.0)
        t = wp.clamp(y - float(j), 0.0, 1.0)
        along = wp.vec2(field[i + 1, j] - field[i, j], field[i + 1, j + 1] - field[i, j + 1])
        low = field[i, j] + s * along[0]
        high = field[i, j + 1] + s * along[1]
        return wp.vec3(wp.lerp(low, high, t), wp.lerp(along[0], along[1], t), high - low)

    @c.kernel(n)
    def kernel(
        field: wp.array2d[float] = given(rows, cols, low=-1.0, high=0.6),
        x: wp.array[wp.vec2] = updated(n, low=0.0, high=2.0, of="position"),
        v: wp.array[wp.vec2] = updated(n, low=-2.0, high=2.0, of="velocity"),
    ):
        tid = wp.tid()
        place = x[tid] / SPACING
        if EDGE == "the grid is free":
            if place[0] < 0.0 or place[0] > float(field.shape[0] - 1):
                return
            if place[1] < 0.0 or place[1] > float(field.shape[1] - 1):
                return
        if SLOPE == "differences":
            depth = sample(field, place[0], place[1])
            if depth >= 0.0:
                return
            east = sample(field, place[0] + 0.5, place[1])
            west = sample(field, place[0] - 0.5, place[1])
            north = sample(field, place[0], place[1] + 0.5)
            south = sample(field, place[0], place[1] - 0.5)
            normal = wp.normalize(wp.vec2(east - west, north - south))
        else:
            local = sample_with_slope(field, place[0], place[1])
            depth = local[0]
            if depth >= 0.0:
                return
            normal = wp.normalize(wp.vec2(local[1], local[2]))
        x[tid] -= depth * normal
        if RESPONSE != "pushed out":
            speed = wp.dot(v[tid], normal)
            # what moves out already is left alone
            if speed < 0.0:
                sliding = v[tid] - speed * normal
                if FRICTION == "with Coulomb friction":
                    drag = wp.max(1.0 + GRIP * speed / wp.max(wp.length(sliding), 1.0e-4), 0.0)
                    sliding *= drag
                if RESPONSE == "pushed out and stopped":
                    v[tid] = sliding
                else:
                    v[tid] = sliding - BOUNCE * speed * normal


@idiom(
    level=4,
    names={
        "phi": "phi level_set distance",
        "old": "old phi_old start",
        "out": "out phi_new next_phi",
        "i j": "i j | row col",
        "kernel": "reinitialize_step restore_distance",
    },
)
def redistance_step(c):
    """One step that turns a level set into a distance, {SCHEME}, with {SIGN} and {EDGE}{BAND}."""
    rows, cols = c.size(6, 8), c.size(6, 8)
    SCHEME = c.meaning("upwind after Godunov", "upwind after Rouy and Tourin", "with central differences")
    SIGN = c.meaning("the sign of the start", "a smeared sign")
    EDGE = c.meaning("edges that are copied out", "periodic edges")
    BAND = c.meaning("", ", in a narrow band only")
    STEP, WIDTH, SPACING = c.constant(0.05, 0.4), c.constant(0.3, 0.8), c.constant(0.5, 1.5)

    def clipped(phi: wp.array2d[float], i: int, j: int) -> float:
        return phi[wp.clamp(i, 0, phi.shape[0] - 1), wp.clamp(j, 0, phi.shape[1] - 1)]

    def wrapped(phi: wp.array2d[float], i: int, j: int) -> float:
        rows = phi.shape[0]
        cols = phi.shape[1]
        return phi[(i + rows) % rows, (j + cols) % cols]

    at = wrapped if EDGE == "periodic edges" else clipped

    def godunov(back: float, ahead: float, sign: float) -> float:
        """The square of the derivative on the side that the front comes from."""
        if sign > 0.0:
            low = wp.max(back, 0.0)
            high = wp.min(ahead, 0.0)
            return wp.max(low * low, high * high)
        low = wp.min(back, 0.0)
        high = wp.max(ahead, 0.0)
        return wp.max(low * low, high * high)

    def rouy_tourin(back: float, ahead: float, sign: float) -> float:
        """The square of the steeper descent."""
        steepest = wp.max(wp.max(sign * back, -sign * ahead), 0.0)
        return steepest * steepest

    def central(back: float, ahead: float) -> float:
        return 0.25 * (back + ahead) * (back + ahead)

    squared = godunov if "Godunov" in SCHEME else rouy_tourin

    @c.kernel(rows, cols)
    def kernel(
        phi: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        old: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        out: wp.array2d[float] = result(rows, cols, of="field"),
    ):
        i, j = wp.tid()
        here = phi[i, j]
        if BAND:
            # far from the front nothing moves
            if wp.abs(here) > WIDTH:
                out[i, j] = here
                return
        west = (here - at(phi, i - 1, j)) / SPACING
        east = (at(phi, i + 1, j) - here) / SPACING
        south = (here - at(phi, i, j - 1)) / SPACING
        north = (at(phi, i, j + 1) - here) / SPACING
        if SIGN == "a smeared sign":
            sign = old[i, j] / wp.sqrt(old[i, j] * old[i, j] + SPACING * SPACING)
        else:
            sign = wp.sign(old[i, j])
        if SCHEME == "with central differences":
            steepness = wp.sqrt(central(west, east) + central(south, north))
        else:
            steepness = wp.sqrt(squared(west, east, sign) + squared(south, north, sign))
        out[i, j] = here - STEP * sign * (steepness - 1.0)


@idiom(
    level=5,
    names={
        "image": "image pixels frame",
        "row col": "row col | i j | y x",
        "light": "light to_light sun",
        "travelled": "travelled t depth",
        "kernel": "render_field trace_field march_pixels",
    },
)
def march_rays(c):
    """An image of {SHAPE} on a ground, by sphere tracing, lit with {LIGHT}; misses are {SKY}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    LIGHT = c.meaning("hard shadows", "soft shadows", "ambient occlusion", "a lamp at the eye")
    SKY = c.meaning("a bright sky", "lost in fog")
    STEPS, HARD = c.count(24, 40), c.constant(4.0, 12.0)
    CAREFUL = c.meaning(True, False)
    SIZE, RELAX = c.constant(0.4, 0.8), c.constant(0.6, 0.95)

    def torus(p: wp.vec3) -> float:
        """a ring"""
        return wp.length(wp.vec2(wp.length(wp.vec2(p[0], p[1])) - SIZE, p[2])) - 0.25

    def block(p: wp.vec3) -> float:
        """a block"""
        q = wp.abs(p) - wp.vec3(SIZE, 0.4, 0.4)
        outside = wp.max(q, wp.vec3(0.0, 0.0, 0.0))
        return wp.length(outside) + wp.min(wp.max(q), 0.0)

    def pair(p: wp.vec3) -> float:
        """two balls"""
        side = wp.vec3(wp.abs(p[0]) - SIZE, p[1], p[2])
        return wp.length(side) - 0.5

    SHAPE = c.meaning(torus, block, pair)

    def scene(p: wp.vec3) -> float:
        """The distance to the nearest surface."""
        return wp.min(SHAPE(p), p[1] + 1.0)

    def normal_at(p: wp.vec3) -> wp.vec3:
        dx = scene(p + wp.vec3(0.01, 0.0, 0.0)) - scene(p - wp.vec3(0.01, 0.0, 0.0))
        dy = scene(p + wp.vec3(0.0, 0.01, 0.0)) - scene(p - wp.vec3(0.0, 0.01, 0.0))
        dz = scene(p + wp.vec3(0.0, 0.0, 0.01)) - scene(p - wp.vec3(0.0, 0.0, 0.01))
        return wp.normalize(wp.vec3(dx, dy, dz))

    def shadow(p: wp.vec3, light: wp.vec3) -> float:
        """How much of the light comes to a point."""
        seen = float(1.0)
        t = float(0.05)
        for _k in range(16):
            d = scene(p + t * light)
            if d < 0.001:
                return 0.0
            if LIGHT == "soft shadows":
                seen = wp.min(seen, HARD * d / t)
            t += d
        return seen

    def openness(p: wp.vec3, normal: wp.vec3) -> float:
        """How much room there is before a surface."""
        lost = float(0.0)
        for k in range(1, 5):
            reach = 0.1 * float(k)
            lost += (reach - scene(p + reach * normal)) / float(k)
        return wp.clamp(1.0 - lost, 0.0, 1.0)

    @c.kernel(rows, cols)
    def kernel(
        eye: wp.vec3 = given(low=-0.4, high=0.4),
        light: wp.vec3 = given(low=0.2, high=1.0, trait="unit"),
        image: wp.array2d[float] = result(rows, cols),
    ):
        row, col = wp.tid()
        u = 2.0 * (float(col) + 0.5) / float(image.shape[1]) - 1.0
        v = 1.0 - 2.0 * (float(row) + 0.5) / float(image.shape[0])
        origin = eye + wp.vec3(0.0, 0.0, -3.0)
        view = wp.normalize(wp.vec3(u, v, 1.6))
        travelled = float(0.0)
        found = bool(False)
        for _step in range(STEPS):
            d = scene(origin + travelled * view)
            if d < 0.002:
                found = True
                break
            travelled += RELAX * d if CAREFUL else d
            if travelled > 12.0:
                break
        if not found:
            if SKY == "a bright sky":
                image[row, col] = 0.6 + 0.4 * v
            else:
                image[row, col] = wp.exp(-0.1 * travelled)
            return
        point = origin + travelled * view
        normal = normal_at(point)
        if LIGHT == "ambient occlusion":
            shade = openness(point, normal) * (0.5 + 0.5 * wp.dot(normal, light))
        elif LIGHT == "a lamp at the eye":
            shade = wp.max(-wp.dot(normal, view), 0.0)
        else:
            shade = shadow(point + 0.01 * normal, light) * wp.max(wp.dot(normal, light), 0.0)
        if SKY == "lost in fog":
            # what is far away fades
            image[row, col] = wp.lerp(1.0, shade, wp.exp(-0.1 * travelled))
        else:
            image[row, col] = 0.1 + 0.9 * shade
