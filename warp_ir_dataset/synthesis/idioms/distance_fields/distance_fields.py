"""Signed distance fields: shapes, their combinations, and queries."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

FIELD = {"points": "points positions samples", "out": "out dist sdf", "d": "d dist gap"}


@idiom(level=2, names={**FIELD, "THIN": "THIN HALF_WIDTH", "kernel": "eval_shape shape_sdf"})
def flat_shape_distance(c):
    """The {DISTANCE} in the plane from each point to a {FORM}{FINISH}.

    Compute the {DISTANCE} in the plane from each of {points} to {SHAPE_IS}{NEGATIVE}. {CHANGE}
    """
    n = c.size(9, 14)
    SIZE, ROUNDING, THIN = c.constant(0.6, 1.2), c.constant(0.1, 0.4), c.constant(0.1, 0.4)
    FORM = c.meaning("circle", "square", "segment", "diamond", "hexagon")
    # a circle has no corners, and a segment no inside
    CORNERS = () if FORM in ("circle", "segment") else (", grown so that its corners are round",)
    OUTLINE = " with a thickness" if FORM == "segment" else ", of which only a thick outline is left"
    FINISH = c.meaning("", *CORNERS, OUTLINE, "; the smaller of it and the stored one is kept")
    SIGNED = FORM != "segment" or FINISH == OUTLINE
    DISTANCE = "signed distance" if SIGNED else "distance"
    if not SIGNED:
        c.names({"out": "out dist", "kernel": "segment_distances distance_to_segment"})
    so_far = inout(n, low=-0.5, high=1.5) if "stored" in FINISH else output(n, of="distance")
    # a frame that turns changes nothing for a circle about its origin
    PLACE = None if FORM == "circle" else "position"

    def circle(p: wp.vec2) -> float:
        return wp.length(p) - SIZE

    def square(p: wp.vec2) -> float:
        q = wp.vec2(wp.abs(p[0]) - SIZE, wp.abs(p[1]) - SIZE)
        return wp.length(wp.max(q, wp.vec2(0.0, 0.0))) + wp.min(wp.max(q[0], q[1]), 0.0)

    def segment(p: wp.vec2) -> float:
        return wp.length(wp.vec2(p[0] - wp.clamp(p[0], -SIZE, SIZE), p[1]))

    def diamond(p: wp.vec2) -> float:
        q = wp.abs(p)
        along = wp.clamp(0.5 * (SIZE + q[0] - q[1]), 0.0, SIZE)
        away = wp.length(q - wp.vec2(along, SIZE - along))
        return away if q[0] + q[1] > SIZE else -away

    def hexagon(p: wp.vec2) -> float:
        q = wp.abs(p)
        # folded into the sixth around the y axis
        side = wp.vec2(-0.8660254, 0.5)
        q = q - 2.0 * wp.min(wp.dot(side, q), 0.0) * side
        limit = 0.5773503 * SIZE
        away = wp.vec2(q[0] - wp.clamp(q[0], -limit, limit), q[1] - SIZE)
        return wp.length(away) * wp.sign(away[1])

    SHAPES = {"circle": circle, "square": square, "segment": segment, "diamond": diamond}
    SHAPE = SHAPES.get(FORM, hexagon)
    SHAPE_IS = {
        "circle": "the circle of radius {SIZE} around the origin",
        "square": "the square |x| ≤ {SIZE}, |y| ≤ {SIZE}",
        "segment": "the segment from (-{SIZE}, 0) to ({SIZE}, 0)",
        "diamond": "the diamond |x| + |y| ≤ {SIZE}",
        "hexagon": "the regular hexagon around the origin whose upper and lower sides lie at y = ±{SIZE}, "
        "each from x = -0.5773503·{SIZE} to 0.5773503·{SIZE}; its other sides have the normals "
        "(±0.8660254, ±½)",
    }[FORM]
    NEGATIVE = ", negative inside" if SIGNED and FORM != "segment" else ""
    CHANGE = "Store it in {out}."
    if "corners" in FINISH:
        CHANGE = (
            "The shape is grown by {ROUNDING} on all sides, which makes its corners round: subtract "
            "{ROUNDING} from the distance, and store it in {out}."
        )
    elif "outline" in FINISH:
        CHANGE = (
            "Only an outline of the shape is left, {THIN} thick to both sides: {out} gets |distance| - "
            "{THIN}."
        )
    elif "thickness" in FINISH:
        CHANGE = "The segment is {THIN} thick to all sides: {out} gets the distance less {THIN}."
    elif "stored" in FINISH:
        CHANGE = "{out} holds the distances to other shapes; keep the smaller of the two."

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec2] = input(n, low=-2.0, high=2.0, of=PLACE), out: wp.array[float] = so_far
    ):
        tid = wp.tid()
        d = SHAPE(points[tid])
        if "corners" in FINISH:
            out[tid] = d - ROUNDING
        elif "outline" in FINISH:
            out[tid] = wp.abs(d) - THIN
        elif "thickness" in FINISH:
            out[tid] = d - THIN
        elif "stored" in FINISH:
            out[tid] = wp.min(out[tid], d)
        else:
            out[tid] = d


@idiom(
    level=3, names={**FIELD, "first second": "first second | a b | d0 d1", "kernel": "eval_scene scene_sdf"}
)
def blended_shapes(c):
    """The signed distance from each point to the {HOW} of a ball and {OTHER}{SHELL}.

    Compute the signed distance, negative inside, from each of the {points} to a solid that is put together of
    two. With the exact signed distances a from the ball of radius {RADIUS} around {centre} and b from
    {OTHER_IS}, {out} gets their {HOW}{SHELLED}, {FORMULA}.{HOLLOW}
    """
    n = c.size(9, 14)
    HOW = c.meaning(
        "union", "intersection", "difference", "smooth union", "smooth difference", "chamfered union"
    )
    SHELL = c.meaning("", ", hollowed out")
    RADIUS, SIZE, BLEND = c.constant(0.8, 1.4), c.constant(0.6, 1.0), c.constant(0.2, 0.5)

    def cube(p: wp.vec3) -> float:
        q = wp.vec3(wp.abs(p[0]) - SIZE, wp.abs(p[1]) - SIZE, wp.abs(p[2]) - SIZE)
        outside = wp.length(wp.max(q, wp.vec3(0.0, 0.0, 0.0)))
        return outside + wp.min(wp.max(q), 0.0)

    def torus(p: wp.vec3) -> float:
        ring = wp.length(wp.vec2(p[0], p[2])) - 1.0
        return wp.length(wp.vec2(ring, p[1])) - 0.5 * SIZE

    def column(p: wp.vec3) -> float:
        w = wp.vec2(wp.length(wp.vec2(p[0], p[2])) - SIZE, wp.abs(p[1]) - 1.2)
        return wp.length(wp.max(w, wp.vec2(0.0, 0.0))) + wp.min(wp.max(w), 0.0)

    def ground(p: wp.vec3) -> float:
        return p[1] + SIZE

    SHAPE, OTHER = c.meaning(
        (cube, "a cube"), (torus, "a torus"), (column, "a column"), (ground, "the ground")
    )
    OTHER_IS = {
        "a cube": "the cube whose coordinates lie within ±{SIZE}",
        "a torus": "the torus around the y axis whose ring, in the plane y = 0, has radius 1 and whose "
        "tube has radius ½·{SIZE}",
        "a column": "the column around the y axis with radius {SIZE} and |y| ≤ 1.2",
        "the ground": "the ground, all that lies below y = -{SIZE}",
    }[OTHER]
    FORMULA = {
        "union": "min(a, b)",
        "intersection": "max(a, b)",
        "difference": "max(a, -b)",
        "smooth union": "h·a + (1 - h)·b - {BLEND}·h·(1 - h) with h = ½ + (b - a) / (2·{BLEND}) clamped to "
        "[0, 1]",
        "smooth difference": "max(a, -b) + ¼·{BLEND}·h² with h = max({BLEND} - |a + b|, 0) / {BLEND}",
        "chamfered union": "min(a, b, 0.7071068·(a + b - {BLEND}))",
    }[HOW]
    SHELLED = " d" if SHELL else ""
    HOLLOW = " It is hollowed out, so store |d| - 0.1 instead." if SHELL else ""

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = input(n, low=-1.5, high=1.5, of="position"),
        centre: wp.vec3 = input(low=-0.6, high=0.6),
        out: wp.array[float] = output(n, of="distance"),
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


@idiom(
    level=3,
    differentiable=False,
    names={**FIELD, "q": "q local folded", "kernel": "eval_pattern pattern_sdf"},
)
def tiled_shape(c):
    """The signed distance from each point to {BODY} {HOW}, in {DIM} dimensions{ALSO}.

    Compute the signed distance, negative inside, from each of the {points} to {BODY} {HOW}. Only one copy
    counts: first fold each point into the coordinates q of a copy, {FOLD}. Then store in {out} the distance
    from q to {BODY_IS}.{NUMBER}
    """
    n, DIM = c.size(9, 14), c.meaning(2, 3)
    Vec = c.vec(DIM)
    WAY = c.meaning("infinitely", "a few times", "mirrored", "around")
    SECTORS, COUNT = c.count(3, 8), c.count(1, 2)
    HOW = {
        "infinitely": "repeated infinitely",
        "a few times": f"repeated {2 * COUNT + 1} times along each axis",
        "mirrored": "mirrored at the walls and middles of cells",
        "around": f"set {SECTORS} times around the " + ("origin" if DIM == 2 else "z axis"),
    }[WAY]
    ALSO = c.meaning("", ", and the number of its sector") if WAY == "around" else ""
    # the last of a few copies is well inside the points, and no two copies meet
    RANGES = {"a few times": (0.95, 1.05) if COUNT == 2 else (1.0, 1.5), "mirrored": (2.0, 2.8)}
    PERIOD, RING = c.constant(*RANGES.get(WAY, (1.0, 2.0))), c.constant(1.3, 2.5)
    SIZE, ASIDE = c.constant(0.2, 0.37), c.constant(0.5, 0.55, step=0.05)
    c.once("copies in space")

    def ball(p: Vec) -> float:
        """The distance from a round body."""
        return wp.length(p) - SIZE

    def cube(p: Vec) -> float:
        """The distance from a body with flat sides."""
        beyond = wp.abs(p) - Vec(SIZE)
        return wp.length(wp.max(beyond, Vec())) + wp.min(wp.max(beyond), 0.0)

    def rod(p: Vec) -> float:
        """The distance from a rod along the x axis."""
        away = p
        away[0] = away[0] - wp.clamp(away[0], -SIZE, SIZE)
        return wp.length(away) - 0.1

    SHAPE, BODY = c.meaning((ball, "balls"), (cube, "cubes"), (rod, "rods"))
    if DIM == 2:
        BODY = {"balls": "disks", "cubes": "squares"}.get(BODY, BODY)
        c.names({"ball": "disk", "cube": "square"})
    FOLD = {
        "infinitely": "q = p - {PERIOD}·round(p / {PERIOD}) for each coordinate p{HALVES}",
        "a few times": "q = p - {PERIOD}·g for each coordinate p, with g = round(p / {PERIOD}) clamped to "
        "[-{COUNT}, {COUNT}]{HALVES}",
        "mirrored": "q = |p - {PERIOD}·round(p / {PERIOD})| - {ASIDE} for each coordinate p{HALVES}",
        "around": "turning it about the {PIVOT} by -m·2·π / {SECTORS}, where m = round(atan2(y, "
        "x)·{SECTORS} / (2·π)) is the number of its sector (halves are rounded away "
        "from 0), and then subtracting {RING} from its x",
    }[WAY]
    HALVES = " (halves are rounded away from 0)"
    PIVOT = "origin" if DIM == 2 else "z axis"
    BODY_IS = {
        "balls": "the ball of radius {SIZE} around the origin",
        "disks": "the disk of radius {SIZE} around the origin",
        "cubes": "the cube whose coordinates lie within ±{SIZE}",
        "squares": "the square whose coordinates lie within ±{SIZE}",
        "rods": "the rod around the origin, all that is within 0.1 of the points with |x| ≤ {SIZE} on the "
        "x axis",
    }[BODY]
    NUMBER = " Store m modulo {SECTORS}, which is never negative, in {sectors}." if ALSO else ""

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = input(n, low=-3.0, high=3.0, of="position"),
        out: wp.array[float] = output(n, of="distance"),
        sectors: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        q = points[tid]
        if WAY == "around":
            # turned into the sector around the x axis
            step = 2.0 * wp.PI / float(SECTORS)
            sector = wp.round(wp.atan2(q[1], q[0]) / step)
            turn = -step * sector
            x = wp.cos(turn) * q[0] - wp.sin(turn) * q[1]
            q[1] = wp.sin(turn) * q[0] + wp.cos(turn) * q[1]
            q[0] = x - RING
        elif WAY == "mirrored":
            for k in range(DIM):
                # measured from the nearest middle of a cell
                q[k] = wp.abs(q[k] - PERIOD * wp.round(q[k] / PERIOD)) - ASIDE
        else:
            for k in range(DIM):
                if WAY == "a few times":
                    cell = wp.clamp(wp.round(q[k] / PERIOD), -float(COUNT), float(COUNT))
                else:
                    cell = wp.round(q[k] / PERIOD)
                q[k] -= PERIOD * cell
        out[tid] = SHAPE(q)
        if ALSO:
            # the angles pi and -pi fall into one sector
            sectors[tid] = (int(sector) + SECTORS) % SECTORS


@idiom(
    level=3,
    names={
        **FIELD,
        "gradient": "gradient grad slope",
    },
)
def field_normals(c):
    """{SAYS} {BODY}, by {SCHEME} differences.

    {PURPOSE} With points p = (x, y, z), the field is F(p) = {FIELD_IS}.

    Approximate its gradient g at each of the {points} by {DIFFERENCES}. {STORE}
    """
    n = c.size(8, 12)
    SCHEME = c.meaning("central", "forward", "tetrahedral")
    WANTED = c.meaning("gradient", "normal", "Newton step onto the surface")
    # a normal in a frame of its own is none where light falls on it
    PLACE = None if WANTED == "normal" else "position"
    SAYS = {
        "gradient": "The gradient at each point of the implicit field of",
        "normal": "The unit normal at each point of the implicit field of",
        "Newton step onto the surface": "A Newton step of each point towards the surface of",
    }[WANTED]
    RADIUS, STEP = c.constant(0.5, 1.5), c.constant(0.002, 0.005, step=0.003)
    LEVEL, CELL = c.constant(0.5, 1.5), c.constant(0.5, 1.5)
    c.names(
        {
            "gradient": {"kernel": "field_gradients eval_gradients", "out": "out gradients"},
            "normal": {"kernel": "eval_normals field_normals", "out": "out normals"},
            "Newton step onto the surface": {
                "kernel": "step_to_surface snap_to_surface",
                "out": "out moved snapped",
            },
        }[WANTED]
    )

    def torus(p: wp.vec3) -> float:
        return wp.length(wp.vec2(wp.length(wp.vec2(p[0], p[2])) - RADIUS, p[1])) - 0.3

    def ellipsoid(p: wp.vec3) -> float:
        scaled = wp.cw_div(p, wp.vec3(RADIUS, 1.0, 0.5))
        return wp.length(scaled) - 1.0

    def waves(p: wp.vec3) -> float:
        return p[1] - 0.2 * wp.sin(3.0 * p[0]) * wp.cos(2.0 * p[2]) - LEVEL

    def gyroid(p: wp.vec3) -> float:
        q = p / CELL
        return wp.sin(q[0]) * wp.cos(q[1]) + wp.sin(q[1]) * wp.cos(q[2]) + wp.sin(q[2]) * wp.cos(q[0])

    FIELD, BODY = c.meaning(
        (torus, "a torus"), (ellipsoid, "an ellipsoid"), (waves, "wavy ground"), (gyroid, "a gyroid")
    )
    PURPOSE = {
        "gradient": "Compute the gradients of an implicit field, that of {BODY}.",
        "normal": "Compute the unit normals of an implicit field, that of {BODY}.",
        "Newton step onto the surface": "Move points onto the surface F = 0 of {BODY}, given by an "
        "implicit field, by one Newton step.",
    }[WANTED]
    FIELD_IS = {
        "a torus": "√((√(x² + z²) - {RADIUS})² + y²) - 0.3",
        "an ellipsoid": "√((x / {RADIUS})² + y² + (z / 0.5)²) - 1",
        "wavy ground": "y - 0.2·sin(3·x)·cos(2·z) - {LEVEL}",
        "a gyroid": "sin(a)·cos(b) + sin(b)·cos(c) + sin(c)·cos(a) with (a, b, c) = p / {CELL}",
    }[BODY]
    DIFFERENCES = {
        "central": "central differences, between two points {STEP} off to both sides along each axis",
        "forward": "forward differences, between the point and points {STEP} farther along each axis",
        "tetrahedral": "the tetrahedral scheme, the sum of F(p + {STEP}·s)·s over s = (1, 1, 1), (1, -1, "
        "-1), (-1, 1, -1) and (-1, -1, 1), over 4·{STEP}",
    }[SCHEME]
    STORE = {
        "gradient": "Store g in {out}.",
        "normal": "Store g / |g| in {out}.",
        "Newton step onto the surface": "Store p - F(p)·g / |g|² in {out}.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of=PLACE),
        out: wp.array[wp.vec3] = output(n, of="normal" if WANTED == "normal" else None),
    ):
        tid = wp.tid()
        p = points[tid]
        gradient = wp.vec3(0.0, 0.0, 0.0)
        if SCHEME == "tetrahedral":
            # four corners of a tetrahedron suffice for three derivatives
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
            out[tid] = p - FIELD(p) / wp.length_sq(gradient) * gradient


@idiom(
    level=2,
    names={**FIELD, "profile": "profile flat d2", "rise": "rise height dz", "kernel": "eval_solid solid_sdf"},
)
def solid_from_profile(c):
    """The signed distance from each point to {FLAT} {HOW}{SHELL}.

    Compute the signed distance, negative inside, from {points} (x, y, z) to {PROFILE_IS}, {HOW}. With the
    signed distance F(a, b) of that profile in its plane, it is {SOLID}. Store {HOLLOW} in {out}.
    """
    n = c.size(9, 14)
    HOW = c.meaning(
        "revolved about the y axis at a radius of one",
        "extruded along z",
        "extruded along z with rounded rims",
        "revolved about its own axis and stretched along z",
    )
    SHELL = c.meaning("", ", hollowed out")
    SIZE, HALF, WALL, ROUNDING = (
        c.constant(0.5, 0.9),
        c.constant(0.5, 1.0),
        c.constant(0.03, 0.08),
        c.constant(0.05, 0.08),
    )

    def disk(x: float, y: float) -> float:
        return wp.length(wp.vec2(x, y)) - SIZE

    def square(x: float, y: float) -> float:
        q = wp.vec2(wp.abs(x) - SIZE, wp.abs(y) - SIZE)
        return wp.length(wp.max(q, wp.vec2())) + wp.min(wp.max(q), 0.0)

    def rhombus(x: float, y: float) -> float:
        q = wp.vec2(wp.abs(x), wp.abs(y))
        along = wp.clamp(0.5 * (SIZE + q[0] - q[1]), 0.0, SIZE)
        return wp.length(q - wp.vec2(along, SIZE - along)) * wp.sign(q[0] + q[1] - SIZE)

    def ring(x: float, y: float) -> float:
        return wp.abs(wp.length(wp.vec2(x, y)) - SIZE) - 0.2

    PROFILE, FLAT = c.meaning(
        (disk, "a disk"), (square, "a square"), (rhombus, "a rhombus"), (ring, "a ring")
    )
    PROFILE_IS = {
        "a disk": "the disk of radius {SIZE} around the origin",
        "a square": "the square whose coordinates lie within ±{SIZE}",
        "a rhombus": "the rhombus |a| + |b| ≤ {SIZE}",
        "a ring": "the ring of all points within 0.2 of the circle of radius {SIZE} around the origin",
    }[FLAT]
    SOLID = {
        "revolved about the y axis at a radius of one": "F(√(x² + z²) - 1, y)",
        "revolved about its own axis and stretched along z": "F(√(x² + h²), y) with h = z less z clamped "
        "to [-{HALF}, {HALF}]",
    }.get(
        HOW,
        "√(max(g, 0)² + max(h, 0)²) + min(max(g, h), 0){LESS} with g = F(x, y){ADD} and h = |z| - "
        "{HALF}{ADD}",
    )
    ADD = " + {ROUNDING}" if "rims" in HOW else ""
    LESS = " - {ROUNDING}" if "rims" in HOW else ""
    HOLLOW = "|distance| - {WALL}, as the solid is hollowed out," if SHELL else "it"

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = input(n, low=-1.4, high=1.4, of="position"),
        out: wp.array[float] = output(n, of="distance"),
    ):
        tid = wp.tid()
        p = points[tid]
        if HOW == "revolved about the y axis at a radius of one":
            away = wp.length(wp.vec2(p[0], p[2])) - 1.0
            d = PROFILE(away, p[1])
        elif "stretched" in HOW:
            # the middle is drawn apart, the ends keep their shape
            past = p[2] - wp.clamp(p[2], -HALF, HALF)
            d = PROFILE(wp.length(wp.vec2(p[0], past)), p[1])
        else:
            if HOW == "extruded along z":
                profile = PROFILE(p[0], p[1])
                rise = wp.abs(p[2]) - HALF
            else:
                # a thinner solid, swollen again
                profile = PROFILE(p[0], p[1]) + ROUNDING
                rise = wp.abs(p[2]) - HALF + ROUNDING
            d = wp.length(wp.vec2(wp.max(profile, 0.0), wp.max(rise, 0.0))) + wp.min(
                wp.max(profile, rise), 0.0
            )
            if HOW != "extruded along z":
                d -= ROUNDING
        if SHELL:
            out[tid] = wp.abs(d) - WALL
        else:
            out[tid] = d
