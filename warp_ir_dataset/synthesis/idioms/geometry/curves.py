"""Curves: splines, polylines, their lengths, frames and bends."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

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
    """The {WANTED} of a cubic {BASIS} segment at the parameter of each thread, in {DIM} dimensions."""
    n, DIM = c.size(9, 14), c.meaning(2, 3)
    WANTED = c.meaning("point", "velocity", "second derivative")
    BASIS = c.meaning("Bezier", "Hermite", "Catmull-Rom", "B-spline")
    if WANTED != "point":
        c.names({"out": "out velocities" if WANTED == "velocity" else "out bends second_derivatives"})
    Vec = c.vec(DIM)

    @c.kernel(n)
    def kernel(
        controls: wp.array2d[Vec] = given(n, 4, low=-2.0, high=2.0),
        params: wp.array[float] = given(n, low=0.0, high=1.0),
        out: wp.array[Vec] = result(n, of="position" if WANTED == "point" else None),
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
                # ends at a and p, with the velocities b and q
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
        "work": "work points level",
        "kernel": "split_curves subdivide_curves",
    },
)
def bezier_split(c):
    """{CUTS} each {DEGREE} Bezier curve {WHERE} by de Casteljau's construction{FLAT}; {KEPT}."""
    n, DIM = c.size(6, 9), c.meaning(2, 3)
    DEGREE = c.meaning("cubic", "quadratic")
    KEPT = c.meaning(
        "both halves are kept",
        "the first half takes its place",
        "the second half takes its place",
        "the second half takes its place and the first is kept apart",
    )
    # what is not split has no halves to store
    IN_PLACE = KEPT in ("the first half takes its place", "the second half takes its place")
    FLAT = c.meaning("", ", unless it is almost straight") if IN_PLACE else ""
    CUTS = "Cuts" if IN_PLACE else "Splits"
    if IN_PLACE:
        c.names({"kernel": "trim_curves cut_curves " + ("drop_tails" if "first" in KEPT else "drop_heads")})
    WHERE = c.meaning("in the middle", "at a parameter of its own")
    Vec, ORDER, TOLERANCE = c.vec(DIM), 4 if DEGREE == "cubic" else 3, c.constant(1.0, 3.0)
    curves = given if KEPT == "both halves are kept" else updated

    @c.kernel(n)
    def kernel(
        params: wp.array[float] = given(n, low=0.1, high=0.9),
        controls: wp.array2d[Vec] = curves(n, ORDER, low=-2.0, high=2.0),
        left: wp.array2d[Vec] = result(n, ORDER),
        right: wp.array2d[Vec] = result(n, ORDER),
    ):
        curve = wp.tid()
        if FLAT:
            # the polygon of the control points is hardly longer than the chord
            way = wp.length(controls[curve, ORDER - 1] - controls[curve, 0])
            detour = -way
            for k in range(1, controls.shape[1]):
                detour += wp.length(controls[curve, k] - controls[curve, k - 1])
            if detour < TOLERANCE:
                return
        t = 0.5 if WHERE == "in the middle" else params[curve]
        if "second half" in KEPT:
            if "apart" in KEPT:
                left[curve, 0] = controls[curve, 0]
            for level in range(1, controls.shape[1]):
                for k in range(controls.shape[1] - level):
                    controls[curve, k] = wp.lerp(controls[curve, k], controls[curve, k + 1], t)
                if "apart" in KEPT:
                    left[curve, level] = controls[curve, 0]
        else:
            a = controls[curve, 0]
            b = controls[curve, 1]
            p = controls[curve, 2]
            ab = wp.lerp(a, b, t)
            bp = wp.lerp(b, p, t)
            mid = wp.lerp(ab, bp, t)
            if DEGREE == "cubic":
                q = controls[curve, 3]
                pq = wp.lerp(p, q, t)
                last = wp.lerp(bp, pq, t)
                joint = wp.lerp(mid, last, t)
            if KEPT == "both halves are kept":
                left[curve, 0] = a
                left[curve, 1] = ab
                left[curve, 2] = mid
                if DEGREE == "cubic":
                    left[curve, 3] = joint
                    right[curve, 0] = joint
                    right[curve, 1] = last
                    right[curve, 2] = pq
                    right[curve, 3] = q
                else:
                    right[curve, 0] = mid
                    right[curve, 1] = bp
                    right[curve, 2] = p
            else:
                controls[curve, 1] = ab
                controls[curve, 2] = mid
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
    """The {WANTED} at each vertex of a polyline that is {ENDS}, in {DIM} dimensions{SCALED}."""
    n, DIM = c.size(9, 14), c.meaning(2, 3)
    WANTED = c.meaning("turning angle", "Menger curvature", "curvature vector")
    ENDS = c.meaning("closed", "open, with straight ends", "open, with end values copied from inside")
    SCALED = c.meaning("", ", times the bending stiffness")
    Vec = c.vec(DIM)
    Wanted = Vec if WANTED == "curvature vector" else float
    if WANTED == "turning angle":
        c.names({"kernel": "turning_angles bend_of_points"})

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = given(n, low=-2.0, high=2.0),
        stiffness: wp.array[float] = given(n, low=0.5, high=2.0),
        out: wp.array[Wanted] = result(n, of="angle" if WANTED == "turning angle" else None),
    ):
        tid = wp.tid()
        count = points.shape[0]
        if ENDS == "closed":
            here = points[tid]
            before = here - points[(tid + count - 1) % count]
            after = points[(tid + 1) % count] - here
        elif ENDS == "open, with straight ends":
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
                area = before[0] * after[1] - before[1] * after[0]
                bend = wp.atan2(area, wp.dot(before, after))
            else:
                bend = wp.atan2(wp.length(wp.cross(before, after)), wp.dot(before, after))
        elif WANTED == "curvature vector":
            mean = 0.5 * (wp.length(before) + wp.length(after))
            bend = (wp.normalize(after) - wp.normalize(before)) / wp.max(mean, 1.0e-3)
        else:
            sides = wp.length(before) * wp.length(after) * wp.length(before + after)
            if DIM == 2:
                area = before[0] * after[1] - before[1] * after[0]
                bend = 2.0 * area / wp.max(sides, 1.0e-3)
            else:
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
    """One round of {RULE} subdivision of {SHAPE} polyline; two points are made for each vertex."""
    n = c.size(7, 12)
    RULE = c.meaning("Chaikin", "cubic B-spline", "four-point", "midpoint")
    SHAPE = c.meaning("a closed", "an open")
    Vec = c.vec(c.meaning(2, 3))
    TENSION = c.constant(0.04, 0.1)

    def closed(points: wp.array[Vec], i: int) -> Vec:
        count = points.shape[0]
        return points[(i + count) % count]

    def open_ended(points: wp.array[Vec], i: int) -> Vec:
        return points[wp.clamp(i, 0, points.shape[0] - 1)]

    at = closed if SHAPE == "a closed" else open_ended

    @c.kernel(n)
    def kernel(points: wp.array[Vec] = given(n, low=-2.0, high=2.0), fine: wp.array2d[Vec] = result(n, 2)):
        i = wp.tid()
        here = points[i]
        ahead = at(points, i + 1)
        if RULE == "Chaikin":
            fine[i, 0] = 0.75 * here + 0.25 * ahead
            fine[i, 1] = 0.25 * here + 0.75 * ahead
        elif RULE == "cubic B-spline":
            fine[i, 0] = 0.125 * at(points, i - 1) + 0.75 * here + 0.125 * ahead
            fine[i, 1] = 0.5 * (here + ahead)
        elif RULE == "four-point":
            outer = at(points, i - 1) + at(points, i + 2)
            if SHAPE == "an open":
                # the last one is repeated
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
        "kernel": "fit_circles round_triples",
    },
)
def circle_through_points(c):
    """The {WANTED} of the circle {CIRCLE} {DATA}."""
    n, Vec = c.size(9, 14), c.vec(c.meaning(2, 3))
    CIRCLE = c.meaning("through", "inscribed in the triangle of")
    WANTED = c.meaning("radius", "centre", "area", "curvature")
    DATA = c.meaning(
        "three points of each row", "three points given by indices", "three consecutive points of a polyline"
    )
    count = c.size(9, 12)
    c.names(
        {
            "circles": {
                "radius": "radii out",
                "centre": "centres out",
                "area": "areas out",
                "curvature": "curvatures out",
            }[WANTED]
        }
    )
    if CIRCLE != "through":
        c.names({"kernel": "inscribed_circles incircles"})

    @c.kernel(n)
    def kernel(
        rows: wp.array2d[Vec] = given(n, 3, low=-2.0, high=2.0),
        points: wp.array[Vec] = given(
            n + 2 if DATA == "three consecutive points of a polyline" else count, low=-2.0, high=2.0
        ),
        triples: wp.array2d[int] = given(n, 3, low=0, high=count - 1),
        circles: wp.array[Vec if WANTED == "centre" else float] = result(n),
    ):
        tid = wp.tid()
        if DATA == "three points of each row":
            a = rows[tid, 0]
            b = rows[tid, 1]
            p = rows[tid, 2]
        elif DATA == "three consecutive points of a polyline":
            a = points[tid]
            b = points[tid + 1]
            p = points[tid + 2]
        else:
            a = points[triples[tid, 0]]
            b = points[triples[tid, 1]]
            p = points[triples[tid, 2]]
        if CIRCLE == "through":
            # weights of the corners, from squared sides
            opposite = wp.vec3(wp.length_sq(p - b), wp.length_sq(a - p), wp.length_sq(b - a))
            total = opposite[0] + opposite[1] + opposite[2]
            weights = wp.cw_mul(opposite, wp.vec3(total) - 2.0 * opposite)
        else:
            weights = wp.vec3(wp.length(p - b), wp.length(a - p), wp.length(b - a))
        whole = wp.max(weights[0] + weights[1] + weights[2], 1.0e-3)
        if WANTED == "centre":
            circles[tid] = (weights[0] * a + weights[1] * b + weights[2] * p) / whole
        else:
            if CIRCLE == "through":
                square = opposite[0] * opposite[1] * opposite[2] / whole
            else:
                excess = wp.vec3(whole) - 2.0 * weights
                square = 0.25 * excess[0] * excess[1] * excess[2] / whole
            if WANTED == "radius":
                circles[tid] = wp.sqrt(square)
            elif WANTED == "area":
                circles[tid] = wp.PI * square
            else:
                circles[tid] = 1.0 / wp.sqrt(wp.max(square, 1.0e-3))
