"""Polygons that meet: cuts, overlaps, hulls."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


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
        measure: wp.array[float] = result(n),
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
