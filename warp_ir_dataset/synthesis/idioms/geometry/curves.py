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
    """Splits each {DEGREE} Bezier curve {WHERE} by de Casteljau's construction{FLAT}; {KEPT}."""
    n, DIM = c.size(6, 9), c.meaning(2, 3)
    DEGREE, FLAT = c.meaning("cubic", "quadratic"), c.meaning("", ", unless it is almost straight")
    KEPT = c.meaning(
        "both halves are kept",
        "the first half takes its place",
        "the second half takes its place",
        "the second half takes its place and the first is kept apart",
    )
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
            for k in range(1, ORDER):
                detour += wp.length(controls[curve, k] - controls[curve, k - 1])
            if detour < TOLERANCE:
                return
        t = 0.5 if WHERE == "in the middle" else params[curve]
        if "second half" in KEPT:
            if "apart" in KEPT:
                left[curve, 0] = controls[curve, 0]
            for level in range(1, ORDER):
                for k in range(ORDER - level):
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
    WANTED = c.meaning("turning angle", "curvature of the circle through three", "curvature vector")
    ENDS = c.meaning("closed", "open, with straight ends", "open, whose ends take from next door")
    SCALED = c.meaning("", ", times the rod's stiffness there")
    Vec = c.vec(DIM)
    Wanted = Vec if WANTED == "curvature vector" else float

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
            # the old vertex stays
            fine[i, 0] = here
            fine[i, 1] = (0.5 + TENSION) * (here + ahead) - TENSION * outer
        else:
            back = at(points, i - 1)
            fine[i, 0] = 0.5 * (back + here)
            fine[i, 1] = 0.25 * (back + 2.0 * here + ahead)


@idiom(
    level=4,
    names={
        "controls": "controls control_points ctrl",
        "lengths": "lengths out arc_lengths",
        "total": "total length measured",
        "kernel": "measure_curves integrate_speed",
    },
)
def bezier_length(c):
    """The length of each {DEGREE} Bezier curve in {DIM} dimensions, {UPTO}, by {RULE}{TOO}."""
    n, DIM = c.size(6, 10), c.meaning(2, 3)
    DEGREE, UPTO = (
        c.meaning("quadratic", "cubic"),
        c.meaning("from end to end", "up to a parameter of its own"),
    )
    RULE = c.meaning("chords", "Simpson's rule", "the trapezoidal rule", "Gauss's rule with three nodes")
    TOO = c.meaning("", "; the straight way between the ends is given too")
    Vec, ORDER, PIECES = c.vec(DIM), 4 if DEGREE == "cubic" else 3, c.count(2, 8)
    NODES = ((0.1127017, 0.2777778), (0.5, 0.4444444), (0.8872983, 0.2777778))

    def point_at(controls: wp.array2d[Vec], curve: int, t: float) -> Vec:
        ab = wp.lerp(controls[curve, 0], controls[curve, 1], t)
        bc = wp.lerp(controls[curve, 1], controls[curve, 2], t)
        if DEGREE == "quadratic":
            return wp.lerp(ab, bc, t)
        cd = wp.lerp(controls[curve, 2], controls[curve, 3], t)
        return wp.lerp(wp.lerp(ab, bc, t), wp.lerp(bc, cd, t), t)

    def speed_at(controls: wp.array2d[Vec], curve: int, t: float) -> float:
        """The length of the first derivative."""
        ab = controls[curve, 1] - controls[curve, 0]
        bc = controls[curve, 2] - controls[curve, 1]
        if DEGREE == "quadratic":
            return 2.0 * wp.length(wp.lerp(ab, bc, t))
        cd = controls[curve, 3] - controls[curve, 2]
        return 3.0 * wp.length(wp.lerp(wp.lerp(ab, bc, t), wp.lerp(bc, cd, t), t))

    @c.kernel(n)
    def kernel(
        controls: wp.array2d[Vec] = given(n, ORDER, low=-2.0, high=2.0),
        params: wp.array[float] = given(n, low=0.2, high=1.0),
        lengths: wp.array[float] = result(n, of="length"),
        straight: wp.array[float] = result(n),
    ):
        curve = wp.tid()
        if UPTO == "from end to end":
            end = 1.0
        else:
            end = params[curve]
        if RULE == "chords":
            total = float(0.0)
            last = controls[curve, 0]
            for k in range(1, PIECES + 1):
                point = point_at(controls, curve, end * float(k) / float(PIECES))
                total += wp.length(point - last)
                last = point
            lengths[curve] = total
        elif RULE == "the trapezoidal rule":
            total = 0.5 * (speed_at(controls, curve, 0.0) + speed_at(controls, curve, end))
            for k in range(1, PIECES):
                total += speed_at(controls, curve, end * float(k) / float(PIECES))
            lengths[curve] = total * end / float(PIECES)
        elif RULE == "Simpson's rule":
            width = end / float(PIECES)
            total = float(0.0)
            for k in range(PIECES):
                t = width * float(k)
                total += speed_at(controls, curve, t) + 4.0 * speed_at(controls, curve, t + 0.5 * width)
                total += speed_at(controls, curve, t + width)
            lengths[curve] = total * width / 6.0
        else:
            total = float(0.0)
            for node, weight in NODES:
                total += weight * speed_at(controls, curve, end * node)
            lengths[curve] = end * total
        if TOO:
            straight[curve] = wp.length(point_at(controls, curve, end) - controls[curve, 0])


@idiom(
    level=4,
    names={
        "points": "points vertices polyline",
        "heights": "arc arc_lengths cumulative",
        "out": "out resampled even",
        "target": "target goal s",
        "kernel": "resample_curve redistribute_points",
    },
)
def resample_polyline(c):
    """Points spread along {SHAPE} polyline {SPACING}, joined {BETWEEN}; found by {SEARCH}."""
    n, count, DIM = c.size(8, 12), c.size(8, 14), c.meaning(2, 3)
    SHAPE = c.meaning("a closed", "an open")
    SPACING = c.meaning("at equal arc lengths", "more densely to its start", "at arc lengths that are given")
    BETWEEN, SEARCH = c.meaning("straight", "by Catmull-Rom pieces"), c.meaning("a walk", "bisection")
    Vec = c.vec(DIM)
    knots = n + 1 if SHAPE == "a closed" else n

    @c.kernel(count)
    def kernel(
        points: wp.array[Vec] = given(n, low=-2.0, high=2.0),
        arc: wp.array[float] = given(knots, low=0.0, high=6.0, trait="offsets"),
        wanted: wp.array[float] = given(count, low=0.0, high=6.0),
        out: wp.array[Vec] = result(count, of="position"),
    ):
        tid = wp.tid()
        last = arc.shape[0] - 1
        if SPACING == "at arc lengths that are given":
            target = wanted[tid]
        else:
            share = float(tid) / float(out.shape[0] if SHAPE == "a closed" else out.shape[0] - 1)
            if SPACING == "at equal arc lengths":
                target = arc[last] * share
            else:
                target = arc[last] * share * share
        low = int(0)
        if SEARCH == "a walk":
            # the first piece that reaches so far
            for k in range(1, last):
                if arc[k] > target:
                    break
                low = k
        else:
            high = int(last)
            while high - low > 1:
                middle = (low + high) // 2
                if arc[middle] <= target:
                    low = middle
                else:
                    high = middle
        t = wp.clamp((target - arc[low]) / wp.max(arc[low + 1] - arc[low], 1.0e-4), 0.0, 1.0)
        ahead = (low + 1) % points.shape[0] if SHAPE == "a closed" else low + 1
        p = points[low]
        q = points[ahead]
        if BETWEEN == "straight":
            out[tid] = wp.lerp(p, q, t)
        else:
            if SHAPE == "a closed":
                back = points[(low + points.shape[0] - 1) % points.shape[0]]
                beyond = points[(low + 2) % points.shape[0]]
            else:
                back = points[wp.max(low - 1, 0)]
                beyond = points[wp.min(low + 2, points.shape[0] - 1)]
            slope = 0.5 * (q - back)
            bend = back - 2.5 * p + 2.0 * q - 0.5 * beyond
            twist = 1.5 * (p - q) + 0.5 * (beyond - back)
            out[tid] = p + t * (slope + t * (bend + t * twist))


@idiom(
    level=4,
    names={
        "points": "points centreline vertices",
        "normals": "normals directors frames",
        "kernel": "transport_frames carry_normals",
    },
)
def transported_frames(c):
    """Carries {START} of each curve along it by {METHOD}, {TWIST}{ALSO}."""
    curves, n = c.size(5, 8), c.size(5, 8)
    METHOD = c.meaning("double reflection", "the smallest rotation", "projection")
    TWIST = c.meaning("without twist", "twisted evenly", "twisted by angles of its own")
    ALSO = c.meaning("", "; binormals are told too", "; the turn of the frame is told too")
    START = c.meaning("the first normal", "a normal square to the start")
    RATE, frames = c.constant(0.1, 0.6), updated if START == "the first normal" else result
    given_normals = {"low": -1.0, "high": 1.0, "trait": "unit"} if START == "the first normal" else {}

    @c.kernel(curves)
    def kernel(
        points: wp.array2d[wp.vec3] = given(curves, n, low=-2.0, high=2.0),
        angles: wp.array2d[float] = given(curves, n, low=-1.0, high=1.0),
        normals: wp.array2d[wp.vec3] = frames(curves, n, **given_normals),
        binormals: wp.array2d[wp.vec3] = result(curves, n),
        turns: wp.array[float] = result(curves),
    ):
        curve = wp.tid()
        tangent = wp.normalize(points[curve, 1] - points[curve, 0])
        if START == "the first normal":
            first = normals[curve, 0]
            normal = wp.normalize(first - wp.dot(first, tangent) * tangent)
        else:
            # any axis that the tangent is far from
            axis = wp.vec3(1.0, 0.0, 0.0)
            if wp.abs(tangent[0]) > 0.7:
                axis = wp.vec3(0.0, 1.0, 0.0)
            normal = wp.normalize(wp.cross(tangent, axis))
        normals[curve, 0] = normal
        if ALSO == "; binormals are told too":
            binormals[curve, 0] = wp.cross(tangent, normal)
        elif ALSO == "; the turn of the frame is told too":
            turn = float(0.0)
        for k in range(1, points.shape[1] - 1):
            ahead = wp.normalize(points[curve, k + 1] - points[curve, k])
            if METHOD == "double reflection":
                # the first mirror stands between the points, the second between the tangents
                way = points[curve, k] - points[curve, k - 1]
                scale = 2.0 / wp.max(wp.length_sq(way), 1.0e-6)
                mirrored = normal - scale * wp.dot(way, normal) * way
                image = tangent - scale * wp.dot(way, tangent) * way
                gap = ahead - image
                normal = mirrored - 2.0 / wp.max(wp.length_sq(gap), 1.0e-6) * wp.dot(gap, mirrored) * gap
            elif METHOD == "the smallest rotation":
                hinge = wp.cross(tangent, ahead)
                angle = wp.atan2(wp.length(hinge), wp.dot(tangent, ahead))
                normal = wp.quat_rotate(wp.quat_from_axis_angle(wp.normalize(hinge), angle), normal)
            else:
                normal = wp.normalize(normal - wp.dot(normal, ahead) * ahead)
            if ALSO == "; the turn of the frame is told too":
                turn += wp.acos(wp.clamp(wp.dot(tangent, ahead), -1.0, 1.0))
            tangent = ahead
            if TWIST == "twisted evenly":
                normal = wp.quat_rotate(wp.quat_from_axis_angle(tangent, RATE), normal)
            elif TWIST == "twisted by angles of its own":
                normal = wp.quat_rotate(wp.quat_from_axis_angle(tangent, angles[curve, k]), normal)
            normals[curve, k] = normal
            if ALSO == "; binormals are told too":
                binormals[curve, k] = wp.cross(tangent, normal)
        if ALSO == "; the turn of the frame is told too":
            turns[curve] = turn


@idiom(
    level=5,
    names={
        "targets": "targets queries points",
        "controls": "controls control_points ctrl",
        "best": "best nearest closest",
        "out": "out found projections",
        "kernel": "project_to_splines closest_on_curves",
    },
)
def nearest_on_spline(c):
    """The {WANTED} for each target on the nearest piece of a {BASIS}, started at {START}, by {METHOD}."""
    n, count, DIM = c.size(6, 9), c.size(6, 9), c.meaning(2, 3)
    WANTED = c.meaning("nearest point", "distance", "parameter", "tangent at the nearest point")
    BASIS = c.meaning("cubic B-spline", "Catmull-Rom spline", "quadratic B-spline")
    METHOD = c.meaning("Newton's method", "halving of the interval", "the golden section")
    START = c.meaning("samples", "the nearest control point")
    SAMPLES, STEPS = c.count(3, 5), c.count(4, 8)
    REACH = round(0.5 / SAMPLES, 3) if START == "samples" else 0.5
    Vec = c.vec(DIM)
    ORDER = 3 if BASIS == "quadratic B-spline" else 4
    Wanted = Vec if "nearest" in WANTED else float

    def point_at(controls: wp.array[Vec], k: int, t: float) -> Vec:
        """A point of the k-th piece."""
        a = controls[k]
        b = controls[k + 1]
        p = controls[k + 2]
        if BASIS == "quadratic B-spline":
            return 0.5 * (a + b) + t * (b - a) + 0.5 * t * t * (a - 2.0 * b + p)
        q = controls[k + 3]
        if BASIS == "Catmull-Rom spline":
            return b + 0.5 * t * (p - a + t * (2.0 * a - 5.0 * b + 4.0 * p - q + t * (3.0 * (b - p) + q - a)))
        s = 1.0 - t
        inner = ((3.0 * t - 6.0) * t * t + 4.0) * b + ((3.0 * s - 6.0) * s * s + 4.0) * p
        return (s * s * s * a + inner + t * t * t * q) / 6.0

    def velocity_at(controls: wp.array[Vec], k: int, t: float) -> Vec:
        """The first derivative."""
        a = controls[k]
        b = controls[k + 1]
        p = controls[k + 2]
        if BASIS == "quadratic B-spline":
            return b - a + t * (a - 2.0 * b + p)
        q = controls[k + 3]
        if BASIS == "Catmull-Rom spline":
            return 0.5 * (p - a) + t * (2.0 * a - 5.0 * b + 4.0 * p - q + 1.5 * t * (3.0 * (b - p) + q - a))
        s = 1.0 - t
        return 0.5 * (s * s * (b - a) + (1.0 + 2.0 * s * t) * (p - b) + t * t * (q - p))

    def bend_at(controls: wp.array[Vec], k: int, t: float) -> Vec:
        """The second derivative."""
        if BASIS == "quadratic B-spline":
            return controls[k] - 2.0 * controls[k + 1] + controls[k + 2]
        if BASIS == "Catmull-Rom spline":
            ends = 2.0 * controls[k] - 5.0 * controls[k + 1] + 4.0 * controls[k + 2] - controls[k + 3]
            return ends + 3.0 * t * (
                3.0 * (controls[k + 1] - controls[k + 2]) + controls[k + 3] - controls[k]
            )
        first = controls[k] - 2.0 * controls[k + 1] + controls[k + 2]
        return wp.lerp(first, controls[k + 1] - 2.0 * controls[k + 2] + controls[k + 3], t)

    @c.kernel(n)
    def kernel(
        targets: wp.array[Vec] = given(n, low=-2.0, high=2.0, of="position"),
        controls: wp.array[Vec] = given(count, low=-2.0, high=2.0),
        out: wp.array[Wanted] = result(n),
    ):
        tid = wp.tid()
        target = targets[tid]
        best = float(1.0e6)
        index = int(0)
        t = float(0.0)
        if START == "samples":
            for k in range(controls.shape[0] - (ORDER - 1)):
                for s in range(SAMPLES):
                    trial = (float(s) + 0.5) / float(SAMPLES)
                    apart = wp.length_sq(point_at(controls, k, trial) - target)
                    if apart < best:
                        best = apart
                        index = k
                        t = trial
        else:
            for k in range(controls.shape[0]):
                apart = wp.length_sq(controls[k] - target)
                if apart < best:
                    best = apart
                    index = k
            # its weight is greatest in the middle of a piece or at its end
            index = wp.clamp(index - 1, 0, controls.shape[0] - ORDER)
            t = 0.5
        if METHOD == "Newton's method":
            for _step in range(STEPS):
                offset = point_at(controls, index, t) - target
                velocity = velocity_at(controls, index, t)
                bend = bend_at(controls, index, t)
                slope = wp.dot(offset, velocity)
                steep = wp.dot(velocity, velocity) + wp.dot(offset, bend)
                # away from a minimum the step would lead uphill
                if steep < 1.0e-3:
                    break
                t = wp.clamp(t - slope / steep, 0.0, 1.0)
        elif METHOD == "the golden section":
            low = wp.max(t - REACH, 0.0)
            width = wp.min(t + REACH, 1.0) - low
            for _step in range(STEPS):
                first = wp.length_sq(point_at(controls, index, low + 0.381966 * width) - target)
                second = wp.length_sq(point_at(controls, index, low + 0.618034 * width) - target)
                if first > second:
                    low += 0.381966 * width
                width *= 0.618034
            t = low + 0.5 * width
        else:
            low = wp.max(t - REACH, 0.0)
            high = wp.min(t + REACH, 1.0)
            for _step in range(STEPS):
                t = 0.5 * (low + high)
                slope = wp.dot(point_at(controls, index, t) - target, velocity_at(controls, index, t))
                if slope > 0.0:
                    high = t
                else:
                    low = t
        if WANTED == "nearest point":
            out[tid] = point_at(controls, index, t)
        elif WANTED == "distance":
            out[tid] = wp.length(point_at(controls, index, t) - target)
        elif WANTED == "parameter":
            out[tid] = float(index) + t
        else:
            out[tid] = wp.normalize(velocity_at(controls, index, t))
