"""Polygons in the plane: what they hold, how large they are, how they meet."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

POLYGON = {
    "polygon": "polygon vertices outline",
    "points": "points queries targets",
    "a b": "a b | p q | here ahead",
}


@idiom(
    level=2, names={"quads": "quads points corners", "out": "out signs sides", "kernel": "test_orientation"}
)
def orientation_test(c):
    """The {WANTED} that tells {TEST} for each row of points."""
    n = c.size(9, 14)
    WANTED, BOUND = c.meaning("determinant", "sign", "sign, zero within a tolerance,"), c.constant(0.1, 0.8)

    def turn(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> float:
        """whether the path turns left"""
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    def in_circle(a: wp.vec2, b: wp.vec2, p: wp.vec2, q: wp.vec2) -> float:
        """whether the last lies in the circle through the others"""
        d = wp.matrix_from_rows(
            wp.vec3(a[0] - q[0], a[1] - q[1], wp.length_sq(a - q)),
            wp.vec3(b[0] - q[0], b[1] - q[1], wp.length_sq(b - q)),
            wp.vec3(p[0] - q[0], p[1] - q[1], wp.length_sq(p - q)),
        )
        return wp.determinant(d)

    def convex(a: wp.vec2, b: wp.vec2, p: wp.vec2, q: wp.vec2) -> float:
        """whether both turns of the path go the same way"""
        first = (b[0] - a[0]) * (p[1] - b[1]) - (b[1] - a[1]) * (p[0] - b[0])
        second = (p[0] - b[0]) * (q[1] - p[1]) - (p[1] - b[1]) * (q[0] - p[0])
        return first * second

    def in_disk(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> float:
        """whether the third lies in the circle over the first two"""
        return -wp.dot(a - p, b - p)

    def same_side(a: wp.vec2, b: wp.vec2, p: wp.vec2, q: wp.vec2) -> float:
        """whether two points lie on one side of a line"""
        normal = wp.vec2(a[1] - b[1], b[0] - a[0])
        return wp.dot(normal, p - a) * wp.dot(normal, q - a)

    TEST = c.meaning(turn, in_circle, convex, in_disk, same_side)
    COUNT = 4 if TEST in (in_circle, convex, same_side) else 3

    @c.kernel(n)
    def kernel(
        quads: wp.array2d[wp.vec2] = given(n, COUNT, low=-1.5, high=1.5),
        out: wp.array[float if WANTED == "determinant" else int] = result(n, of="value"),
    ):
        tid = wp.tid()
        if COUNT == 4:
            value = TEST(quads[tid, 0], quads[tid, 1], quads[tid, 2], quads[tid, 3])
        else:
            value = TEST(quads[tid, 0], quads[tid, 1], quads[tid, 2])
        if WANTED == "determinant":
            out[tid] = value
        elif WANTED == "sign":
            out[tid] = 1 if value > 0.0 else -1
        elif value > BOUND:
            out[tid] = 1
        elif value < -BOUND:
            out[tid] = -1


@idiom(level=3, names={**POLYGON, "inside": "inside out hits", "kernel": "classify_points test_points"})
def point_in_polygon(c):
    """Whether a point lies in {POLYGON}, by {TEST}; {GIVES}."""
    n, count, corners = c.size(10, 14), c.size(3, 5), c.size(5, 8)
    POLYGON = c.meaning("one polygon", "a polygon of its own")
    TEST = c.meaning("crossings of a ray", "the winding number", "the sum of angles")
    GIVES = c.meaning(
        "one or zero is given", "points inside are moved aside", "hits are counted", "turns are given"
    )
    STEP, COUNTED = c.constant(0.5, 2.0), GIVES == "hits are counted"

    def crosses(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> int:
        """How an edge counts for a point."""
        if TEST == "crossings of a ray":
            if (a[1] > p[1]) == (b[1] > p[1]):
                return 0
            at = a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
            return 1 if p[0] < at else 0
        side = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
        if a[1] <= p[1] and b[1] > p[1] and side > 0.0:
            return 1
        if a[1] > p[1] and b[1] <= p[1] and side < 0.0:
            return -1
        return 0

    def angle_at(p: wp.vec2, a: wp.vec2, b: wp.vec2) -> float:
        """The angle at which a point sees an edge."""
        u = a - p
        v = b - p
        return wp.atan2(u[0] * v[1] - u[1] * v[0], wp.dot(u, v))

    @c.kernel(n)
    def kernel(
        polygon: wp.array[wp.vec2] = given(corners, low=-2.0, high=2.0),
        polygons: wp.array2d[wp.vec2] = given(count, corners, low=-2.0, high=2.0),
        owner: wp.array[int] = given(n, low=0, high=count - 1),
        points: wp.array[wp.vec2] = (updated if GIVES[:6] == "points" else given)(n, low=-2.0, high=2.0),
        inside: wp.array[int] = result(1 if COUNTED else n),
    ):
        tid = wp.tid()
        p = points[tid]
        if TEST == "the sum of angles":
            angle = float(0.0)
        else:
            turns = int(0)
        if POLYGON == "one polygon":
            last = polygon[polygon.shape[0] - 1]
        else:
            shape = owner[tid]
            last = polygons[shape, polygons.shape[1] - 1]
        for k in range(polygon.shape[0] if POLYGON == "one polygon" else polygons.shape[1]):
            here = polygon[k] if POLYGON == "one polygon" else polygons[shape, k]
            if TEST == "the sum of angles":
                angle += angle_at(p, last, here)
            else:
                turns += crosses(last, here, p)
            last = here
        if TEST == "the sum of angles":
            # rounding leaves it near a whole number of turns
            turns = int(wp.round(angle / (2.0 * wp.PI)))
        if GIVES == "turns are given":
            inside[tid] = turns
        elif turns % 2 == 1 if TEST == "crossings of a ray" else turns != 0:
            if GIVES == "points inside are moved aside":
                points[tid] = p + wp.vec2(STEP, 0.0)
            elif COUNTED:
                wp.atomic_add(inside, 0, 1)
            else:
                inside[tid] = 1


@idiom(
    level=3,
    names={
        "polygons": "polygons outlines shapes",
        "last here": "last here | a b | p q",
        "out": "out result values",
        "kernel": "measure_polygons integrate_outlines",
    },
)
def polygon_centroid(c):
    """The {WANTED} of each polygon, stored as {STORED}, from its edges{ABOUT}{TOO}."""
    n, corners, total = c.size(7, 12), c.size(4, 8), c.size(26, 36)
    WANTED = c.meaning("centroid", "signed area", "polar moment", "middle of the outline")
    STORED, OUTLINE = c.meaning("a row of an array", "a run of a list"), WANTED == "middle of the outline"
    TOO = "" if OUTLINE else c.meaning("", "; its perimeter is given too")
    Wanted = c.vec(2) if OUTLINE or WANTED == "centroid" else float
    LIST, ABOUT = STORED == "a run of a list", c.meaning("", ", seen from its first corner")

    @c.kernel(n)
    def kernel(
        polygons: wp.array2d[wp.vec2] = given(n, corners, low=0.5, high=2.0),
        vertices: wp.array[wp.vec2] = given(total, low=0.5, high=2.0),
        offsets: wp.array[int] = given(n + 1, low=0, high=total, trait="offsets"),
        out: wp.array[Wanted] = result(n, of="area"),
        perimeter: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        if LIST:
            begin = offsets[tid]
            end = offsets[tid + 1]
            if end - begin < 3:
                return
            last = vertices[wp.max(end - 1, 0)]
        else:
            last = polygons[tid, polygons.shape[1] - 1]
        if ABOUT:
            # small numbers lose less to rounding
            origin = vertices[wp.min(begin, vertices.shape[0] - 1)] if LIST else polygons[tid, 0]
            last -= origin
        if TOO or OUTLINE:
            around = float(0.0)
        if WANTED == "centroid" or WANTED == "signed area":
            area = float(0.0)
        elif WANTED == "polar moment":
            moment = float(0.0)
        if WANTED == "centroid" or OUTLINE:
            weighted = wp.vec2(0.0, 0.0)
        for k in range(begin if LIST else 0, end if LIST else polygons.shape[1]):
            here = vertices[k] if LIST else polygons[tid, k]
            if ABOUT:
                here -= origin
            if TOO or OUTLINE:
                length = wp.length(here - last)
                around += length
            if OUTLINE:
                weighted += 0.5 * length * (last + here)
            else:
                twice = last[0] * here[1] - last[1] * here[0]
                if WANTED == "polar moment":
                    squares = wp.length_sq(last) + wp.dot(last, here) + wp.length_sq(here)
                    moment += twice * squares / 12.0
                else:
                    area += 0.5 * twice
                    if WANTED == "centroid":
                        weighted += twice / 6.0 * (last + here)
            last = here
        if WANTED == "centroid":
            # a polygon without area has no centroid
            if wp.abs(area) > 0.05:
                if ABOUT:
                    out[tid] = origin + weighted / area
                else:
                    out[tid] = weighted / area
        elif OUTLINE:
            if ABOUT:
                out[tid] = origin + weighted / wp.max(around, 1.0e-4)
            else:
                out[tid] = weighted / wp.max(around, 1.0e-4)
        else:
            out[tid] = area if WANTED == "signed area" else moment
        if TOO:
            perimeter[tid] = around


@idiom(
    level=3,
    names={**POLYGON, "nearest": "nearest best closest", "out": "out found result", "kernel": "nearest_side"},
)
def nearest_edge(c):
    """For each point the {WANTED} of the nearest edge of {SHAPE} polygon{WIDTH}{ENDS}."""
    n, corners = c.size(9, 14), c.size(5, 9)
    SHAPE = c.meaning("a closed", "an open")
    WANTED = c.meaning(
        "distance", "number", "nearest place", "signed distance" if SHAPE == "a closed" else "side"
    )
    WIDTH = c.meaning("", " whose edges have widths")
    ENDS = c.meaning("", ", not counting its ends")
    Wanted = {"number": int, "side": int, "nearest place": c.vec(2)}.get(WANTED, float)

    @c.kernel(n)
    def kernel(
        polygon: wp.array[wp.vec2] = given(corners, low=-2.0, high=2.0),
        widths: wp.array[float] = given(corners, low=0.1, high=1.0),
        points: wp.array[wp.vec2] = given(n, low=-2.0, high=2.0, of="position"),
        out: wp.array[Wanted] = result(n, of="distance" if "distance" in WANTED else None),
    ):
        tid = wp.tid()
        p = points[tid]
        nearest = float(1.0e2)
        if WANTED == "number" or WANTED == "side":
            found = int(-1)
        elif WANTED == "nearest place":
            found = p
        elif WANTED == "signed distance":
            sign = float(1.0)
        count = polygon.shape[0]
        for k in range(count if SHAPE == "a closed" else count - 1):
            a = polygon[k]
            edge = polygon[(k + 1) % count if SHAPE == "a closed" else k + 1] - a
            if WANTED == "signed distance":
                # each edge that a ray to the right meets turns the side
                if (a[1] > p[1]) != (a[1] + edge[1] > p[1]):
                    if edge[0] * (p[1] - a[1]) / edge[1] > p[0] - a[0]:
                        sign = -sign
            t = wp.dot(p - a, edge) / wp.max(wp.length_sq(edge), 1.0e-6)
            if ENDS:
                if t < 0.0 or t > 1.0:
                    continue
            else:
                t = wp.clamp(t, 0.0, 1.0)
            distance = wp.length(p - a - t * edge)
            if WIDTH:
                distance -= widths[k]
            if WANTED == "distance" or WANTED == "signed distance":
                nearest = wp.min(nearest, distance)
            elif distance < nearest:
                nearest = distance
                if WANTED == "number":
                    found = k
                elif WANTED == "side":
                    found = 1 if edge[0] * (p[1] - a[1]) > edge[1] * (p[0] - a[0]) else 0
                else:
                    found = a + t * edge
        if WANTED == "distance":
            out[tid] = nearest
        elif WANTED == "signed distance":
            out[tid] = sign * nearest
        else:
            out[tid] = found


@idiom(
    level=3,
    names={
        "lower": "lower corners box_min",
        "sizes": "sizes sides spans",
        "hits": "hits overlaps out",
        "kernel": "test_boxes find_overlaps",
    },
)
def boxes_overlap(c):
    """For each box {WHAT} {AGAINST} that meet it{GROWN}."""
    n, m, DIM = c.size(9, 13), c.size(5, 8), c.meaning(2, 3)
    WHAT = c.meaning(
        "the number of boxes",
        "the last of the boxes",
        "the shared size of the boxes",
        "the hull of the boxes",
    )
    AGAINST, GROWN = c.meaning("among all others", "in a list of its own"), c.meaning("", " with a margin")
    Vec, MARGIN = c.vec(DIM), c.constant(0.05, 0.6)
    HULL, SIZE = WHAT == "the hull of the boxes", WHAT == "the shared size of the boxes"

    def common(a: Vec, b: Vec) -> float:
        """The size of what two boxes share, from its corners."""
        side = wp.max(b - a, a - a)
        return side[0] * side[1] if DIM == 2 else side[0] * side[1] * side[2]

    @c.kernel(n)
    def kernel(
        lower: wp.array[Vec] = given(n, low=-2.0, high=0.8),
        sizes: wp.array[Vec] = given(n, low=0.5, high=2.0),
        candidates: wp.array2d[int] = given(n, m, low=0, high=n - 1),
        hits: wp.array[float if SIZE else int] = result(n),
        hull_low: wp.array[Vec] = result(n),
        hull_high: wp.array[Vec] = result(n),
    ):
        tid = wp.tid()
        low = lower[tid]
        high = low + sizes[tid]
        if HULL:
            least = low
            greatest = high
        else:
            found = float(0.0) if SIZE else int(-1) if WHAT == "the last of the boxes" else int(0)
        for k in range(candidates.shape[1] if AGAINST == "in a list of its own" else lower.shape[0]):
            other = candidates[tid, k] if AGAINST == "in a list of its own" else k
            if other == tid:
                continue
            first = wp.max(low, lower[other])
            last = wp.min(high, lower[other] + sizes[other])
            if SIZE:
                found += common(first, last)
            else:
                # apart on one axis is apart
                gap = wp.max(first - last)
                if gap < (MARGIN if GROWN else 0.0):
                    if HULL:
                        least = wp.min(least, lower[other])
                        greatest = wp.max(greatest, lower[other] + sizes[other])
                    elif WHAT == "the last of the boxes":
                        found = other
                    else:
                        found += 1
        if HULL:
            hull_low[tid] = least
            hull_high[tid] = greatest
        else:
            hits[tid] = found


@idiom(
    level=4,
    names={
        "polygons": "polygons outlines shapes",
        "last here": "last here | a b | p q",
        "kept": "kept count length",
        "out": "out clipped result",
        "kernel": "clip_outlines cut_polygons",
    },
)
def clip_polygon(c):
    """Cuts each {SHAPE} off at {CUTTER}, after Sutherland and Hodgman{MARKS}; places left over {EMPTY}."""
    n, corners = c.size(6, 10), c.size(4, 7)
    CUTTER = c.meaning("a line of its own", "an upright line", "a line through two points")
    MARKS = c.meaning("", "; new corners are marked", "; new corners only are kept")
    EMPTY = c.meaning("stay zero", "repeat the last corner")
    LEVEL, NEW = c.constant(0.1, 1.0), MARKS[-4:] == "kept"
    SHAPE = c.meaning("polygon", "open polyline")

    class Line:
        normal: wp.vec2
        offset: float

    def from_line(line: Line, p: wp.vec2) -> float:
        """How far inside a point lies."""
        return wp.dot(line.normal, p) + line.offset

    def from_points(p: wp.vec2, first: wp.vec2, second: wp.vec2) -> float:
        """Positive to the left of the line."""
        way = second - first
        return way[0] * (p[1] - first[1]) - way[1] * (p[0] - first[0])

    @c.kernel(n)
    def kernel(
        polygons: wp.array2d[wp.vec2] = given(n, corners, low=-1.5, high=1.5),
        lines: wp.array[Line] = given(n, low=-1.0, high=1.0),
        first: wp.vec2 = given(low=-1.5, high=0.0),
        second: wp.vec2 = given(low=0.0, high=1.5),
        out: wp.array2d[wp.vec2] = result(n, 2 * corners),
        kept: wp.array[int] = result(n),
        marks: wp.array2d[int] = result(n, 2 * corners),
    ):
        tid = wp.tid()
        size = int(0)
        last = polygons[tid, 0 if SHAPE == "open polyline" else polygons.shape[1] - 1]
        if CUTTER == "a line of its own":
            before = from_line(lines[tid], last)
        elif CUTTER == "an upright line":
            before = LEVEL - last[0]
        else:
            before = from_points(last, first, second)
        if SHAPE == "open polyline" and not NEW:
            if before > 0.0:
                out[tid, 0] = last
                size = 1
        for k in range(1 if SHAPE == "open polyline" else 0, polygons.shape[1]):
            here = polygons[tid, k]
            if CUTTER == "a line of its own":
                inside = from_line(lines[tid], here)
            elif CUTTER == "an upright line":
                inside = LEVEL - here[0]
            else:
                inside = from_points(here, first, second)
            if (inside > 0.0) != (before > 0.0):
                # the edge crosses the line
                if size < out.shape[1]:
                    out[tid, size] = wp.lerp(last, here, before / (before - inside))
                    if MARKS == "; new corners are marked":
                        marks[tid, size] = 1
                    size += 1
            if not NEW:
                if inside > 0.0:
                    if size < out.shape[1]:
                        out[tid, size] = here
                        size += 1
            last = here
            before = inside
        if EMPTY == "repeat the last corner":
            for k in range(out.shape[1]):
                if k >= size:
                    out[tid, k] = last
        kept[tid] = size


@idiom(
    level=4,
    names={
        "first second": "first second | left right | hull_a hull_b",
        "axis": "axis normal direction",
        "out": "out separation result",
        "kernel": "test_polygons find_separation",
    },
)
def separating_axis(c):
    """The {WANTED} of each pair of {SHAPES}, by the axes of {AXES}."""
    n, corners = c.size(7, 12), c.size(3, 5)
    WANTED = c.meaning("separation", "axis of least overlap", "truth of an overlap", "way out")
    SHAPES = c.meaning("convex polygons", "turned boxes")
    AXES = c.meaning("both", "the first one")
    Wanted = {"separation": float, "truth of an overlap": int}.get(WANTED, c.vec(2))

    def extent(polygons: wp.array2d[wp.vec2], index: int, axis: wp.vec2) -> wp.vec2:
        """The least and the greatest place along an axis."""
        least = float(1.0e3)
        greatest = float(-1.0e3)
        for k in range(polygons.shape[1]):
            place = wp.dot(polygons[index, k], axis)
            least = wp.min(least, place)
            greatest = wp.max(greatest, place)
        return wp.vec2(least, greatest)

    def edge_normal(polygons: wp.array2d[wp.vec2], index: int, k: int) -> wp.vec2:
        edge = polygons[index, (k + 1) % polygons.shape[1]] - polygons[index, k]
        return wp.normalize(wp.vec2(edge[1], -edge[0]))

    def reach(half: wp.vec2, angle: float, axis: wp.vec2) -> float:
        """How far a box reaches from its centre."""
        right = wp.vec2(wp.cos(angle), wp.sin(angle))
        up = wp.vec2(-wp.sin(angle), wp.cos(angle))
        return half[0] * wp.abs(wp.dot(right, axis)) + half[1] * wp.abs(wp.dot(up, axis))

    @c.kernel(n)
    def kernel(
        first: wp.array2d[wp.vec2] = given(n, corners, low=-1.5, high=0.8),
        second: wp.array2d[wp.vec2] = given(n, corners, low=-0.8, high=1.5),
        centres: wp.array2d[wp.vec2] = given(n, 2, low=-1.0, high=1.0),
        halves: wp.array2d[wp.vec2] = given(n, 2, low=0.2, high=0.9),
        angles: wp.array2d[float] = given(n, 2, low=-1.5, high=1.5),
        out: wp.array[Wanted] = result(n),
    ):
        tid = wp.tid()
        if WANTED != "truth of an overlap":
            widest = float(-1.0e3)
        if WANTED == "axis of least overlap" or WANTED == "way out":
            best = wp.vec2(0.0, 0.0)
        if SHAPES == "convex polygons":
            for which in range(2 if AXES == "both" else 1):
                for k in range(first.shape[1]):
                    if AXES == "both":
                        axis = edge_normal(first, tid, k) if which == 0 else edge_normal(second, tid, k)
                    else:
                        axis = edge_normal(first, tid, k)
                    one = extent(first, tid, axis)
                    other = extent(second, tid, axis)
                    gap = wp.max(other[0] - one[1], one[0] - other[1])
                    if WANTED == "truth of an overlap":
                        # one gap is enough
                        if gap > 0.0:
                            return
                    elif gap > widest:
                        widest = gap
                        if WANTED == "axis of least overlap" or WANTED == "way out":
                            # it points away from the first one
                            best = axis if other[0] + other[1] > one[0] + one[1] else -axis
        else:
            apart = centres[tid, 1] - centres[tid, 0]
            for k in range(4 if AXES == "both" else 2):
                angle = angles[tid, k // 2] if AXES == "both" else angles[tid, 0]
                side = wp.vec2(wp.cos(angle), wp.sin(angle))
                axis = wp.vec2(-side[1], side[0]) if k % 2 == 1 else side
                span = reach(halves[tid, 0], angles[tid, 0], axis) + reach(
                    halves[tid, 1], angles[tid, 1], axis
                )
                gap = wp.abs(wp.dot(apart, axis)) - span
                if WANTED == "truth of an overlap":
                    if gap > 0.0:
                        return
                elif gap > widest:
                    widest = gap
                    if WANTED == "axis of least overlap" or WANTED == "way out":
                        best = axis if wp.dot(apart, axis) > 0.0 else -axis
        if WANTED == "separation":
            out[tid] = widest
        elif WANTED == "truth of an overlap":
            out[tid] = 1
        elif WANTED == "axis of least overlap":
            out[tid] = best
        else:
            out[tid] = wp.max(-widest, 0.0) * best


@idiom(
    level=5,
    names={
        "points": "points sites cloud",
        "hull": "hull outline indices",
        "measure": "measure out result",
        "kernel": "measure_hulls hull_of_points",
    },
)
def convex_hull(c):
    """The convex hull of each row of points by {METHOD}, {WAY}; {GIVES}{TOO}."""
    n, count = c.size(6, 9), c.size(5, 8)
    METHOD = c.meaning(
        "testing every pair", "wrapping from the lowest point", "wrapping from the leftmost point"
    )
    WAY, TOO = (
        c.meaning("with turns to the left", "with turns to the right"),
        c.meaning("", ", and the number of corners"),
    )
    GIVES = c.meaning("its area", "its perimeter", "its diameter", "the indices of its corners")
    INDICES = GIVES == "the indices of its corners"

    def turn(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> float:
        """Positive where the third point lies to the left."""
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    @c.kernel(n)
    def kernel(
        points: wp.array2d[wp.vec2] = given(n, count, low=-2.0, high=2.0),
        hull: wp.array2d[int] = result(n, count),
        size: wp.array[int] = result(n),
        measure: wp.array[float] = result(n, of="area"),
    ):
        tid = wp.tid()
        if not INDICES:
            total = float(0.0)
        if TOO or (INDICES and METHOD != "testing every pair"):
            found = int(0)
        if METHOD == "testing every pair":
            for one in range(points.shape[1]):
                if INDICES:
                    hull[tid, one] = -1
                for other in range(points.shape[1]):
                    if one == other:
                        continue
                    outside = int(0)
                    for k in range(points.shape[1]):
                        side = turn(points[tid, one], points[tid, other], points[tid, k])
                        # both ends give zero but for rounding
                        if side < -1.0e-5 if WAY == "with turns to the left" else side > 1.0e-5:
                            outside += 1
                    if outside == 0:
                        if TOO:
                            found += 1
                        if INDICES:
                            hull[tid, one] = other
                        elif GIVES == "its area":
                            p = points[tid, one]
                            q = points[tid, other]
                            total += 0.5 * (p[0] * q[1] - p[1] * q[0])
                        elif GIVES == "its perimeter":
                            total += wp.length(points[tid, other] - points[tid, one])
                        else:
                            for k in range(points.shape[1]):
                                total = wp.max(total, wp.length(points[tid, k] - points[tid, one]))
        else:
            start = int(0)
            for k in range(1, points.shape[1]):
                if "lowest" in METHOD:
                    if points[tid, k][1] < points[tid, start][1]:
                        start = k
                elif points[tid, k][0] < points[tid, start][0]:
                    start = k
            here = int(start)
            for step in range(points.shape[1]):
                if INDICES:
                    hull[tid, step] = here
                if TOO or INDICES:
                    found += 1
                # any other point, until all the rest lies on one side
                ahead = (here + 1) % points.shape[1]
                for k in range(points.shape[1]):
                    side = turn(points[tid, here], points[tid, ahead], points[tid, k])
                    if side < 0.0 if WAY == "with turns to the left" else side > 0.0:
                        ahead = k
                if GIVES == "its area":
                    a = points[tid, here]
                    b = points[tid, ahead]
                    total += 0.5 * (a[0] * b[1] - a[1] * b[0])
                elif GIVES == "its perimeter":
                    total += wp.length(points[tid, ahead] - points[tid, here])
                elif GIVES == "its diameter":
                    for k in range(points.shape[1]):
                        total = wp.max(total, wp.length(points[tid, k] - points[tid, here]))
                here = ahead
                if here == start:
                    break
        if INDICES and METHOD != "testing every pair":
            for k in range(points.shape[1]):
                if k >= found:
                    hull[tid, k] = -1
        if not INDICES:
            measure[tid] = total
        if TOO:
            size[tid] = found
