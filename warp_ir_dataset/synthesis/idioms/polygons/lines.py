"""Lines, triangles and boxes: what polygons are made of and tested by."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(level=2, names={"quads": "quads points corners", "out": "out signs", "kernel": "test_orientation"})
def orientation_test(c):
    """For each row of points {WANTED}, {TEST}."""
    n = c.size(9, 14)
    WANTED = c.meaning("a signed value", "a sign", "a sign, zero within a tolerance")

    def turn(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> float:
        """positive where the path through the points turns left."""
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    def in_circle(a: wp.vec2, b: wp.vec2, p: wp.vec2, q: wp.vec2) -> float:
        """positive where the last lies in the circle through the others, if these turn left."""
        d = wp.matrix_from_rows(
            wp.vec3(a[0] - q[0], a[1] - q[1], wp.length_sq(a - q)),
            wp.vec3(b[0] - q[0], b[1] - q[1], wp.length_sq(b - q)),
            wp.vec3(p[0] - q[0], p[1] - q[1], wp.length_sq(p - q)),
        )
        return wp.determinant(d)

    def convex(a: wp.vec2, b: wp.vec2, p: wp.vec2, q: wp.vec2) -> float:
        """positive where both turns of the path through the points go the same way."""
        first = (b[0] - a[0]) * (p[1] - b[1]) - (b[1] - a[1]) * (p[0] - b[0])
        second = (p[0] - b[0]) * (q[1] - p[1]) - (p[1] - b[1]) * (q[0] - p[0])
        return first * second

    def in_disk(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> float:
        """positive where the third lies in the circle that has the first two as the ends of a diameter."""
        return -wp.dot(a - p, b - p)

    def same_side(a: wp.vec2, b: wp.vec2, p: wp.vec2, q: wp.vec2) -> float:
        """positive where the last two lie on one side of the line through the first two."""
        normal = wp.vec2(a[1] - b[1], b[0] - a[0])
        return wp.dot(normal, p - a) * wp.dot(normal, q - a)

    TEST = c.meaning(turn, in_circle, convex, in_disk, same_side)
    BOUND = c.constant(1.0, 4.0) if TEST is in_circle else c.constant(0.1, 0.8)
    if WANTED == "a signed value":
        c.names({"out": "out values"})
    if TEST in (in_circle, in_disk):
        c.names({"kernel": "circle_tests test_circles"})
    elif TEST is same_side:
        c.names({"kernel": "side_tests compare_sides"})
    COUNT = 4 if TEST in (in_circle, convex, same_side) else 3
    if COUNT == 3:
        c.names({"quads": "triples points corners"})

    @c.kernel(n)
    def kernel(
        quads: wp.array2d[wp.vec2] = given(n, COUNT, low=-1.5, high=1.5),
        out: wp.array[float if WANTED == "a signed value" else int] = result(n),
    ):
        tid = wp.tid()
        if COUNT == 4:
            value = TEST(quads[tid, 0], quads[tid, 1], quads[tid, 2], quads[tid, 3])
        else:
            value = TEST(quads[tid, 0], quads[tid, 1], quads[tid, 2])
        if WANTED == "a signed value":
            out[tid] = value
        elif WANTED == "a sign":
            out[tid] = 1 if value > 0.0 else -1
        else:
            out[tid] = 0 if wp.abs(value) < BOUND else 1 if value > 0.0 else -1


@idiom(
    level=3,
    names={
        "start way": "start way | p d",
        "across": "across other_way",
        "out": "out crossings result",
        "t u": "t u | s t | along beside",
        "kernel": "cross_segments intersect_pairs",
    },
)
def segment_crossing(c):
    """{SAYS}{MISS}."""
    n = c.size(9, 14)
    FIRST, SECOND = (
        c.meaning("segment", "ray"),
        c.meaning("a segment of its own", "a line of its own", "one segment"),
    )
    WANTED = c.meaning("point", "parameter", "distance", "truth", "sine")
    SAYS = {
        "point": f"The point where each {FIRST} crosses {SECOND}",
        "parameter": f"The parameter at which each {FIRST} crosses {SECOND}",
        "distance": f"The distance along each {FIRST} to where it crosses {SECOND}",
        "truth": f"Whether each {FIRST} crosses {SECOND}",
        "sine": f"The sine of the angle at which each {FIRST} crosses {SECOND}",
    }[WANTED]
    MISSED = -1.0 if WANTED in ("parameter", "distance") and c.meaning(False, True) else 0.0
    MISS = ", its start where it misses" if WANTED == "point" else ""
    if WANTED in ("parameter", "distance", "sine"):
        MISS = f", {MISSED:g} where it misses"
    Wanted = {"point": c.vec(2), "truth": int}.get(WANTED, float)
    if FIRST == "ray":
        c.names({"segments": "rays ray_points", "kernel": "cross_rays intersect_rays"})
    c.names(
        {
            "out": {
                "point": "out crossings",
                "parameter": "out params",
                "distance": "out distances",
                "truth": "out hits",
                "sine": "out sines",
            }[WANTED]
        }
    )

    def cross2(a: wp.vec2, b: wp.vec2) -> float:
        return a[0] * b[1] - a[1] * b[0]

    @c.kernel(n)
    def kernel(
        segments: wp.array2d[wp.vec2] = given(n, 2, low=-2.0, high=2.0),
        starts: wp.array[wp.vec2] = given(n, low=-2.0, high=2.0),
        ends: wp.array[wp.vec2] = given(n, low=-2.0, high=2.0),
        left: wp.vec2 = given(low=-2.0, high=0.0),
        right: wp.vec2 = given(low=0.0, high=2.0),
        out: wp.array[Wanted] = result(n),
    ):
        tid = wp.tid()
        start = segments[tid, 0]
        way = segments[tid, 1] - start
        if SECOND == "one segment":
            across = right - left
            apart = left - start
        else:
            across = ends[tid] - starts[tid]
            apart = starts[tid] - start
        # zero for parallels, which then fail a test
        turn = cross2(way, across)
        t = cross2(apart, across) / turn
        if SECOND == "a line of its own":
            crossed = t >= 0.0 and turn != 0.0 if FIRST == "ray" else t >= 0.0 and t <= 1.0
        else:
            u = cross2(apart, way) / turn
            crossed = t >= 0.0 and u >= 0.0 and u <= 1.0
            if FIRST == "segment":
                crossed = crossed and t <= 1.0
        if WANTED == "point":
            out[tid] = wp.where(crossed, start + t * way, start)
        elif WANTED == "parameter":
            out[tid] = wp.where(crossed, t, MISSED)
        elif WANTED == "distance":
            out[tid] = wp.where(crossed, t * wp.length(way), MISSED)
        elif WANTED == "sine":
            out[tid] = wp.where(crossed, turn / (wp.length(way) * wp.length(across)), MISSED)
        else:
            out[tid] = wp.where(crossed, 1, 0)


@idiom(
    level=2,
    names={
        "points": "points queries samples",
        "a b p": "a b p | p0 p1 p2",
        "q": "q point here",
        "out": "out weights values",
        "kernel": "weigh_corners interpolate_points",
    },
)
def triangle_weights(c):
    """The {WANTED} of each point {WHERE}, from {FORM}."""
    n = c.size(9, 14)
    WANTED = c.meaning(
        "barycentric weights", "interpolated value", "least barycentric weight", "interpolated colour"
    )
    WHERE = c.meaning("in a triangle of its own", "in one triangle")
    FORM = c.meaning("areas", "dot products", "an inverse matrix")
    ONE = WHERE == "in one triangle"
    Wanted = float if WANTED == "interpolated value" or WANTED == "least barycentric weight" else c.vec(3)
    c.names(
        {
            "kernel": {
                "barycentric weights": "weigh_corners triangle_weights",
                "interpolated value": "interpolate_points interpolate_values",
                "least barycentric weight": "weigh_corners least_weights",
                "interpolated colour": "interpolate_points interpolate_colours",
            }[WANTED],
            "out": {
                "barycentric weights": "out weights_out",
                "interpolated value": "out interpolated",
                "least barycentric weight": "out least",
                "interpolated colour": "out blended",
            }[WANTED],
        }
    )

    def twice_area(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> float:
        """Twice the signed area of a triangle."""
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0),
        triangles: wp.array2d[wp.vec2] = given(n, 3, low=-2.0, high=2.0),
        corners: wp.array[wp.vec2] = given(3, low=-2.0, high=2.0),
        values: wp.array[wp.vec3] = given(n, low=0.0, high=1.0),
        corner_values: wp.vec3 = given(low=0.0, high=1.0),
        colours: wp.array[wp.mat33] = given(n, low=0.0, high=1.0),
        corner_colours: wp.mat33 = given(low=0.0, high=1.0),
        out: wp.array[Wanted] = result(n),
    ):
        tid = wp.tid()
        q = points[tid]
        if ONE:
            a = corners[0]
            b = corners[1]
            p = corners[2]
        else:
            a = triangles[tid, 0]
            b = triangles[tid, 1]
            p = triangles[tid, 2]
        if FORM == "areas":
            whole = twice_area(a, b, p)
            weights = wp.vec3(twice_area(b, p, q), twice_area(p, a, q), twice_area(a, b, q)) / whole
        elif FORM == "an inverse matrix":
            # the columns are the two sides at the first corner
            sides = wp.matrix_from_cols(b - a, p - a)
            local = wp.inverse(sides) * (q - a)
            weights = wp.vec3(1.0 - local[0] - local[1], local[0], local[1])
        else:
            ab = b - a
            ap = p - a
            aq = q - a
            shared = wp.dot(ab, ap)
            det = wp.length_sq(ab) * wp.length_sq(ap) - shared * shared
            v = (wp.length_sq(ap) * wp.dot(aq, ab) - shared * wp.dot(aq, ap)) / det
            w = (wp.length_sq(ab) * wp.dot(aq, ap) - shared * wp.dot(aq, ab)) / det
            weights = wp.vec3(1.0 - v - w, v, w)
        if WANTED == "barycentric weights":
            out[tid] = weights
        elif WANTED == "least barycentric weight":
            # below zero outside
            out[tid] = wp.min(weights)
        elif WANTED == "interpolated colour":
            # a column is the colour of a corner
            out[tid] = (corner_colours if ONE else colours[tid]) * weights
        else:
            out[tid] = wp.dot(weights, corner_values if ONE else values[tid])


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
    """For each box {WHAT} {AGAINST}{MEET}{GROWN}."""
    n, m, DIM = c.size(9, 13), c.size(5, 8), c.meaning(2, 3)
    WHAT = c.meaning(
        "the number of boxes",
        "the last of the boxes",
        "the total overlap with the boxes",
        "its hull with the boxes",
        "the greatest overlap with any of the boxes",
    )
    HULL, MOST = WHAT == "its hull with the boxes", WHAT == "the greatest overlap with any of the boxes"
    SIZE = MOST or WHAT == "the total overlap with the boxes"
    MEET = "" if SIZE else " that meet it"
    AGAINST = c.meaning("among all others", "in a list of its own")
    GROWN = "" if SIZE else c.meaning("", " or come within a margin")
    Vec, MARGIN = c.vec(DIM), c.constant(0.05, 0.6)
    c.names(
        {
            "hits": {
                "the last of the boxes": "partners last_hit",
                "the total overlap with the boxes": "overlaps shared",
                "the greatest overlap with any of the boxes": "overlaps largest",
            }.get(WHAT, "hits counts"),
            "found": {
                "the last of the boxes": "found partner last_met",
                "the total overlap with the boxes": "total overlap",
                "the greatest overlap with any of the boxes": "most greatest_overlap",
            }.get(WHAT, "found count met"),
            "kernel": {
                "the last of the boxes": "find_partners last_overlaps",
                "the total overlap with the boxes": "overlap_sizes measure_overlaps",
                "its hull with the boxes": "merge_boxes hulls_of_boxes",
                "the greatest overlap with any of the boxes": "greatest_overlaps measure_overlaps",
            }.get(WHAT, "count_overlaps boxes_overlap"),
        }
    )

    def common(a: Vec, b: Vec) -> float:
        """The size of what two boxes share, from the corners of that."""
        side = wp.max(b - a, Vec())
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
            if MOST:
                found = wp.max(found, common(first, last))
            elif SIZE:
                found += common(first, last)
            else:
                # boxes that are apart on one axis are apart
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
