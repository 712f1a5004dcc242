"""Curves: splines, polylines, their lengths, frames and bends."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

POLYLINE = {"points": "points vertices polyline", "out": "out result values"}


@idiom(
    level=2,
    names={
        "controls": "controls control_points ctrl",
        "params": "params times ts",
        "out": "out points samples",
        "kernel": "eval_curves sample_segments",
    },
)
def cubic_segment(c):
    """The {WANTED} of each cubic {BASIS} segment at a parameter of its own, in {DIM} dimensions{STORED}.

    Evaluate cubic segments of {BASIS} type, each at a parameter of its own. {ROW} Store in `{out}[k]` {VALUE}
    at t = `{params}[k]`, where t runs from 0 to 1 over the segment.
    """
    n, DIM = c.size(9, 14), c.meaning(2, 3)
    WANTED = c.meaning("point", "velocity", "second derivative")
    BASIS = c.meaning("Bezier", "Hermite", "Catmull-Rom", "B-spline")
    if WANTED != "point":
        VELOCITY = WANTED == "velocity"
        c.names(
            {
                "out": "out velocities" if VELOCITY else "out second_derivatives accelerations",
                "kernel": "curve_velocities differentiate_segments" if VELOCITY else "curve_accelerations",
            }
        )
    STORED = ""
    if BASIS == "Hermite":
        STORED = "; rows hold both ends, each with its velocity"
        c.names({"controls": "ends hermite_data segments", "a b p q": "a va p vp | p0 v0 p1 v1"})
    Vec = c.vec(DIM)
    ROW = {
        "Bezier": "Row k of {controls} holds its four Bezier control points.",
        "Hermite": "Row k of {controls} holds its start, the velocity there, its end, and the velocity "
        "there.",
        "Catmull-Rom": "Row k of {controls} holds four successive points of a uniform Catmull-Rom spline; "
        "the segment joins the second to the third, and its derivative at each is half the vector between "
        "that point's two neighbours.",
        "B-spline": "Row k of {controls} holds the four control points of a segment of a uniform cubic "
        "B-spline, which starts at 1/6 of the first plus 4/6 of the second plus 1/6 of the third.",
    }[BASIS]
    VALUE = {
        "point": "its point",
        "velocity": "its first derivative by t",
        "second derivative": "its second derivative by t (6·t for t³)",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        controls: wp.array2d[Vec] = input(n, 4, low=-2.0, high=2.0),
        params: wp.array[float] = input(n, low=0.0, high=1.0),
        out: wp.array[Vec] = output(n, of="position" if WANTED == "point" else None),
    ):
        tid = wp.tid()
        t = params[tid]
        a = controls[tid, 0]
        b = controls[tid, 1]
        p = controls[tid, 2]
        q = controls[tid, 3]
        if BASIS == "Bezier":
            s = 1.0 - t
            if WANTED == "point":
                out[tid] = s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * p + t * t * t * q
            elif WANTED == "velocity":
                out[tid] = 3.0 * (s * s * (b - a) + 2.0 * s * t * (p - b) + t * t * (q - p))
            else:
                out[tid] = 6.0 * (s * (a - 2.0 * b + p) + t * (b - 2.0 * p + q))
        else:
            if BASIS == "Hermite":
                cubic = 2.0 * (a - p) + b + q
                square = 3.0 * (p - a) - 2.0 * b - q
            elif BASIS == "Catmull-Rom":
                cubic = 0.5 * (q - a) + 1.5 * (b - p)
                square = a - 2.5 * b + 2.0 * p - 0.5 * q
            else:
                cubic = (q - a) / 6.0 + 0.5 * (b - p)
                square = 0.5 * (a + p) - b
            if WANTED != "second derivative":
                linear = b if BASIS == "Hermite" else 0.5 * (p - a)
            if WANTED == "point":
                start = a if BASIS == "Hermite" else b if BASIS == "Catmull-Rom" else (a + 4.0 * b + p) / 6.0
                out[tid] = ((cubic * t + square) * t + linear) * t + start
            elif WANTED == "velocity":
                out[tid] = (3.0 * cubic * t + 2.0 * square) * t + linear
            else:
                out[tid] = 6.0 * cubic * t + 2.0 * square


@idiom(
    level=3,
    names={
        "controls": "controls control_points ctrl",
        "left right": "left right | first second | head tail",
        "split": "split flags was_split",
        "kernel": "split_curves subdivide_curves",
    },
)
def bezier_split(c):
    """{CUTS} each {DEGREE} Bezier curve {WHERE}{SPARED}, by de Casteljau's construction{KEPT}.

    {DO} {DEGREE} Bezier curves by de Casteljau's construction. Row k of {controls} holds the control points
    of curve k, which is divided at parameter {AT}. {UNLESS}{STORED}
    """
    n, DIM = c.size(6, 9), c.meaning(2, 3)
    DEGREE = c.meaning("cubic", "quadratic")
    KEPT = c.meaning(
        "; both pieces are stored",
        "; the first piece takes its place",
        "; the second piece takes its place",
        "; the second piece takes its place, the first is stored apart",
    )
    IN_PLACE = KEPT in ("; the first piece takes its place", "; the second piece takes its place")
    CUTS = "Cuts" if IN_PLACE else "Splits"
    if IN_PLACE:
        c.names({"kernel": "trim_curves cut_curves " + ("drop_tails" if "first" in KEPT else "drop_heads")})
    WHERE = c.meaning("in the middle", "at a parameter of its own")
    SPARED = ""
    if KEPT == "; both pieces are stored":
        SPARED = c.meaning("", ", unless its ends point roughly the same way")
    elif WHERE != "in the middle":
        SPARED = c.meaning("", ", if that lies in (0, 1)")
    STRAIGHT, OUTSIDE = "ends point" in SPARED, "if that" in SPARED
    Vec, ORDER, ALIGNED = c.vec(DIM), 4 if DEGREE == "cubic" else 3, c.constant(0.4, 0.7, step=0.1)
    curves = input if KEPT == "; both pieces are stored" else inout
    DO = CUTS[:-1]
    AT = "½" if WHERE == "in the middle" else "`{params}[k]`"
    UNLESS = ""
    if STRAIGHT:
        UNLESS = (
            "A curve is not divided if the cosine of the angle between its tangents at both ends, along its "
            "first and its last control leg, is above {ALIGNED}; `{split}[k]` gets 1 for the others and 0 "
            "for it. "
        )
    elif OUTSIDE:
        UNLESS = "Only parameters with 0 < t < 1 divide a curve; others leave it as it is. "
    PIECE = "the control points of its piece"
    STORED = {
        "; both pieces are stored": "Its row of {left} gets {PIECE} before the parameter, and its row of "
        "{right} those of the piece after it, both in the order along the curve.",
        "; the first piece takes its place": "The piece before the parameter takes its place in {controls}.",
        "; the second piece takes its place": "The piece after the parameter takes its place in "
        "{controls}, in the order along the curve.",
    }.get(
        KEPT,
        "The piece after the parameter takes its place in {controls}, and the piece before it goes to "
        "{left}, both in the order along the curve.",
    )
    if STRAIGHT:
        STORED += " The rows of curves that are not divided stay zero."
    elif OUTSIDE and "apart" in KEPT:
        STORED += " Then its row of {left} stays zero."

    @c.kernel(n)
    def kernel(
        params: wp.array[float] = input(n, low=-0.4 if OUTSIDE else 0.1, high=1.4 if OUTSIDE else 0.9),
        controls: wp.array2d[Vec] = curves(n, ORDER, low=-2.0, high=2.0),
        left: wp.array2d[Vec] = output(n, ORDER),
        right: wp.array2d[Vec] = output(n, ORDER),
        split: wp.array[int] = output(n),
    ):
        curve = wp.tid()
        if STRAIGHT:
            leaves = wp.normalize(controls[curve, 1] - controls[curve, 0])
            arrives = wp.normalize(controls[curve, ORDER - 1] - controls[curve, ORDER - 2])
            # the cosine of the angle between the tangents at both ends
            if wp.dot(leaves, arrives) > ALIGNED:
                return
            split[curve] = 1
        t = 0.5 if WHERE == "in the middle" else params[curve]
        if OUTSIDE:
            if t <= 0.0 or t >= 1.0:
                return
        if "the second piece" in KEPT:
            if "apart" in KEPT:
                left[curve, 0] = controls[curve, 0]
            for level in range(1, ORDER):
                for k in range(ORDER - level):
                    controls[curve, k] = wp.lerp(controls[curve, k], controls[curve, k + 1], t)
                if "apart" in KEPT:
                    left[curve, level] = controls[curve, 0]
        else:
            p0 = controls[curve, 0]
            p1 = controls[curve, 1]
            p2 = controls[curve, 2]
            p01 = wp.lerp(p0, p1, t)
            p12 = wp.lerp(p1, p2, t)
            p012 = wp.lerp(p01, p12, t)
            if DEGREE == "cubic":
                p3 = controls[curve, 3]
                p23 = wp.lerp(p2, p3, t)
                p123 = wp.lerp(p12, p23, t)
                joint = wp.lerp(p012, p123, t)
            if KEPT == "; both pieces are stored":
                left[curve, 0] = p0
                left[curve, 1] = p01
                left[curve, 2] = p012
                if DEGREE == "cubic":
                    left[curve, 3] = joint
                    right[curve, 0] = joint
                    right[curve, 1] = p123
                    right[curve, 2] = p23
                    right[curve, 3] = p3
                else:
                    right[curve, 0] = p012
                    right[curve, 1] = p12
                    right[curve, 2] = p2
            else:
                controls[curve, 1] = p01
                controls[curve, 2] = p012
                if DEGREE == "cubic":
                    controls[curve, 3] = joint


@idiom(
    level=3,
    names={
        **POLYLINE,
        "before after": "before after | back ahead | e0 e1",
        "kernel": "eval_curvature bend_of_points",
    },
)
def polyline_curvature(c):
    """The {TOLD}{SCALED} at each vertex of {SHAPE}, in {DIM} dimensions.

    Compute {ASKED} at each vertex of {OF}, whose vertices are {points}. {EDGES}

    {MEASURE}{TIMES} Store it in {out}.
    """
    n, DIM = c.size(9, 14), c.meaning(2, 3)
    WANTED = c.meaning("turning angle", "Menger curvature", "curvature vector")
    SHAPE = c.meaning(
        "a closed polyline",
        "an open polyline, zero at its ends",
        "an open polyline, whose ends take the value next to them",
    )
    SCALED = c.meaning("", ", times the bending stiffness,")
    # in the plane a bend has a sign
    TOLD = f"signed {WANTED}" if DIM == 2 and WANTED != "curvature vector" else WANTED
    Vec = c.vec(DIM)
    Wanted = Vec if WANTED == "curvature vector" else float
    if WANTED == "turning angle":
        c.names({"kernel": "turning_angles bend_of_points", "bend": "angle turn"})
    else:
        c.names({"bend": "bend curvature kappa"})
    ASKED = {
        "turning angle": "the turning angle",
        "Menger curvature": "Menger's curvature",
        "curvature vector": "the curvature vector",
    }[WANTED]
    OF = "a closed polyline" if "closed" in SHAPE else "an open polyline"
    EDGES = "Let a be the edge that arrives at the vertex and b the edge that leaves it; they wrap around."
    if "open" in SHAPE:
        EDGES = "Let a be the edge that arrives at the vertex and b the edge that leaves it. {ENDS}"
    ENDS = "The first and the last vertex get zero."
    if "zero" not in SHAPE:
        ENDS = "The first and the last vertex get the same as their only neighbour{LESS}."
    LESS = " before it is multiplied" if SCALED else ""
    CROSS = "a_x·b_y - a_y·b_x" if DIM == 2 else "|a × b|"
    TWICE = "2·({CROSS})" if DIM == 2 else "2·{CROSS}"
    SIGN = ", positive to the left," if DIM == 2 else ", from 0 to π,"
    MEASURE = {
        "turning angle": "The angle from a to b{SIGN} is atan2({CROSS}, a·b).",
        "Menger curvature": "The curvature is {TWICE} / max(|a|·|b|·|a + b|, 0.001){LEFT}, the inverse of "
        "the radius of the circle through the three vertices.",
        "curvature vector": "The vector is (b / |b| - a / |a|) / max((|a| + |b|) / 2, 0.001).",
    }[WANTED]
    LEFT = ", positive to the left" if DIM == 2 else ""
    TIMES = " Multiply it by the vertex's {stiffness}." if SCALED else ""

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = input(n, low=-2.0, high=2.0),
        stiffness: wp.array[float] = input(n, low=0.5, high=2.0),
        out: wp.array[Wanted] = output(n, of="angle" if WANTED == "turning angle" and not SCALED else None),
    ):
        tid = wp.tid()
        count = points.shape[0]
        if SHAPE == "a closed polyline":
            here = points[tid]
            before = here - points[(tid + count - 1) % count]
            after = points[(tid + 1) % count] - here
        elif SHAPE == "an open polyline, zero at its ends":
            if tid == 0 or tid == count - 1:
                if WANTED == "curvature vector":
                    out[tid] = Vec()
                else:
                    out[tid] = 0.0
                return
            before = points[tid] - points[tid - 1]
            after = points[tid + 1] - points[tid]
        else:
            middle = wp.clamp(tid, 1, count - 2)
            before = points[middle] - points[middle - 1]
            after = points[middle + 1] - points[middle]
        if WANTED == "turning angle":
            if DIM == 2:
                # positive to the left
                wedge = before[0] * after[1] - before[1] * after[0]
                bend = wp.atan2(wedge, wp.dot(before, after))
            else:
                bend = wp.atan2(wp.length(wp.cross(before, after)), wp.dot(before, after))
        elif WANTED == "curvature vector":
            mean = 0.5 * (wp.length(before) + wp.length(after))
            bend = (wp.normalize(after) - wp.normalize(before)) / wp.max(mean, 1.0e-3)
        else:
            sides = wp.length(before) * wp.length(after) * wp.length(before + after)
            if DIM == 2:
                wedge = before[0] * after[1] - before[1] * after[0]
                # four times the area of the triangle over the product of its sides
                bend = 2.0 * wedge / wp.max(sides, 1.0e-3)
            else:
                # four times the area of the triangle over the product of its sides
                bend = 2.0 * wp.length(wp.cross(before, after)) / wp.max(sides, 1.0e-3)
        if SCALED:
            out[tid] = stiffness[tid] * bend
        else:
            out[tid] = bend


@idiom(
    level=3,
    names={
        "points": "points coarse polyline",
        "fine": "fine refined out",
        "here ahead": "here ahead | a b | p q",
        "kernel": "refine_polyline subdivide",
    },
)
def corner_cutting(c):
    """One round of {RULE} subdivision of {SHAPE}: two points for each vertex.

    Refine {SHAPE} by one round of {NAMED} subdivision. For each vertex p = `{points}[k]`, row k of {fine}
    gets two points. Let q be the vertex after it{OTHERS}; {BEYOND}.

    The first point is {ONE}, and the second is {TWO}.{LAST}
    """
    n = c.size(7, 12)
    RULE = c.meaning("Chaikin", "cubic B-spline", "four-point", "midpoint")
    SHAPE = c.meaning("a closed polyline", "an open polyline whose ends are repeated")
    CLOSED, LOCAL = SHAPE == "a closed polyline", RULE in ("Chaikin", "midpoint")
    if RULE in ("four-point", "midpoint"):
        # whose corners stay
        c.names({"kernel": "refine_polyline subdivide"})
    Vec = c.vec(c.meaning(2, 3))
    TENSION = c.constant(0.04, 0.1)

    def closed(points: wp.array[Vec], i: int) -> Vec:
        count = points.shape[0]
        return points[(i + count) % count]

    def open_ended(points: wp.array[Vec], i: int) -> Vec:
        return points[wp.clamp(i, 0, points.shape[0] - 1)]

    at = closed if CLOSED else open_ended
    NAMED = {
        "Chaikin": "Chaikin's corner-cutting",
        "cubic B-spline": "cubic B-spline",
        "four-point": "four-point",
        "midpoint": "midpoint",
    }[RULE]
    OTHERS = {
        "cubic B-spline": " and o the one before it",
        "four-point": ", r the one after q, and o the one before p",
    }.get(RULE, "")
    BEYOND = (
        "indices wrap around"
        if CLOSED
        else "beyond its ends the polyline repeats its first and its last vertex"
    )
    ONE = {"Chaikin": "0.75·p + 0.25·q", "cubic B-spline": "0.75·p + 0.125·(o + q)"}.get(RULE, "p itself")
    TWO = {
        "Chaikin": "0.25·p + 0.75·q",
        "four-point": "(½ + {TENSION})·(p + q) - {TENSION}·(o + r)",
    }.get(RULE, "½·(p + q)")
    LAST = ""
    if RULE == "four-point" and not CLOSED:
        LAST = " At the last vertex, the second point is that vertex again."

    @c.kernel(n)
    def kernel(points: wp.array[Vec] = input(n, low=-2.0, high=2.0), fine: wp.array2d[Vec] = output(n, 2)):
        i = wp.tid()
        here = points[i]
        if LOCAL:
            ahead = points[(i + 1) % points.shape[0] if CLOSED else wp.min(i + 1, points.shape[0] - 1)]
        else:
            ahead = at(points, i + 1)
        if RULE == "Chaikin":
            fine[i, 0] = 0.75 * here + 0.25 * ahead
            fine[i, 1] = 0.25 * here + 0.75 * ahead
        elif RULE == "cubic B-spline":
            fine[i, 0] = 0.125 * at(points, i - 1) + 0.75 * here + 0.125 * ahead
            fine[i, 1] = 0.5 * (here + ahead)
        elif RULE == "four-point":
            outer = at(points, i - 1) + at(points, i + 2)
            if not CLOSED:
                # nothing is made beyond the last vertex
                if i == points.shape[0] - 1:
                    outer = 2.0 * here
            # the old vertex stays
            fine[i, 0] = here
            fine[i, 1] = (0.5 + TENSION) * (here + ahead) - TENSION * outer
        else:
            fine[i, 0] = here
            fine[i, 1] = 0.5 * (here + ahead)


@idiom(
    level=2,
    names={
        "a b p": "a b p | p0 p1 p2 | u v w",
        "circles": "circles out result",
        "weight_sum": "weight_sum whole",
        "kernel": "fit_circles circumscribe_triples",
    },
)
def circle_through_points(c):
    """The {SAYS} {DATA}.

    {PURPOSE} {TRIPLE} Store {STORED} in {circles}.

    Let a, b, c be the lengths of the triangle's sides across from its first, second and third point{SUM}.
    {FORMULA}
    """
    n, Vec = c.size(9, 14), c.vec(c.meaning(2, 3))
    CIRCLE = c.meaning("through", "inscribed in the triangle of")
    WANTED = c.meaning("radius", "centre", "area", "curvature" if CIRCLE == "through" else "share")
    DATA = c.meaning(
        "the three points of each row",
        "three points given by indices",
        "every three consecutive points of a polyline",
    )
    count = c.size(9, 12)
    SAYS = f"{WANTED} of the circle {CIRCLE}"
    if WANTED == "share":
        SAYS = "share of its triangle that the inscribed circle covers, for"
    c.names(
        {
            "circles": {
                "radius": "radii out",
                "centre": "centres out",
                "area": "areas out",
                "curvature": "curvatures out",
                "share": "shares covered",
            }[WANTED]
        }
    )
    if CIRCLE != "through":
        c.names({"kernel": "inscribed_circles incircles", "weight_sum": "perimeter around"})
    ROUND = CIRCLE == "through"
    PURPOSE = (
        "Find the circles through triples of points." if ROUND else "Find the inscribed circles of triangles."
    )
    TRIPLE = {
        "the three points of each row": "The three points of triple k are row k of {rows}.",
        "three points given by indices": "Row k of {triples} holds the indices of its three points in "
        "{points}.",
        "every three consecutive points of a polyline": "Triple k is `{points}[k]`, `{points}[k + 1]` and "
        "`{points}[k + 2]`.",
    }[DATA]
    STORED = {
        "radius": "the radius",
        "centre": "the centre",
        "area": "the area of the circle",
        "curvature": "the curvature, the inverse of the radius,",
        "share": "the share of the triangle that the circle covers",
    }[WANTED]
    SUM = ", and S their sum a + b + c, but at least 0.001"
    if ROUND:
        SUM = (
            "; the weights a²·(b² + c² - a²), b²·(c² + a² - b²) and c²·(a² + b² - c²) belong to these "
            "points, and S is their sum, but at least 0.001"
        )
    SQUARE = "a²·b²·c² / S" if ROUND else "(S - 2·a)·(S - 2·b)·(S - 2·c) / (4·S)"
    FORMULA = {
        "radius": "The radius is the square root of {SQUARE}.",
        "centre": "The centre is the sum of the points, each times "
        + ("its weight" if ROUND else "the length of the side across from it")
        + ", over S.",
        "area": "The squared radius is {SQUARE}, and the area π times that.",
        "curvature": "The squared radius is {SQUARE}, but for the curvature at least 0.001.",
        "share": "The squared radius is {SQUARE}, and the share is 2·π·radius / S.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        rows: wp.array2d[Vec] = input(n, 3, low=-2.0, high=2.0),
        points: wp.array[Vec] = input(
            n + 2 if DATA == "every three consecutive points of a polyline" else count, low=-2.0, high=2.0
        ),
        triples: wp.array2d[int] = input(n, 3, low=0, high=count - 1),
        circles: wp.array[Vec if WANTED == "centre" else float] = output(n),
    ):
        tid = wp.tid()
        if DATA == "the three points of each row":
            a = rows[tid, 0]
            b = rows[tid, 1]
            p = rows[tid, 2]
        elif DATA == "every three consecutive points of a polyline":
            a = points[tid]
            b = points[tid + 1]
            p = points[tid + 2]
        else:
            a = points[triples[tid, 0]]
            b = points[triples[tid, 1]]
            p = points[triples[tid, 2]]
        if CIRCLE == "through":
            # weights of the corners, from the squares of the sides across
            opposite = wp.vec3(wp.length_sq(p - b), wp.length_sq(a - p), wp.length_sq(b - a))
            total = opposite[0] + opposite[1] + opposite[2]
            weights = wp.cw_mul(opposite, wp.vec3(total) - 2.0 * opposite)
        else:
            # the side across from each corner
            weights = wp.vec3(wp.length(p - b), wp.length(a - p), wp.length(b - a))
        weight_sum = wp.max(weights[0] + weights[1] + weights[2], 1.0e-3)
        if WANTED == "centre":
            circles[tid] = (weights[0] * a + weights[1] * b + weights[2] * p) / weight_sum
        else:
            if CIRCLE == "through":
                radius_sq = opposite[0] * opposite[1] * opposite[2] / weight_sum
            else:
                excess = wp.vec3(weight_sum) - 2.0 * weights
                radius_sq = 0.25 * excess[0] * excess[1] * excess[2] / weight_sum
            if WANTED == "radius":
                circles[tid] = wp.sqrt(radius_sq)
            elif WANTED == "area":
                circles[tid] = wp.PI * radius_sq
            elif WANTED == "share":
                # the area of the triangle is the radius times half its perimeter
                circles[tid] = 2.0 * wp.PI * wp.sqrt(radius_sq) / weight_sum
            else:
                circles[tid] = 1.0 / wp.sqrt(wp.max(radius_sq, 1.0e-3))
