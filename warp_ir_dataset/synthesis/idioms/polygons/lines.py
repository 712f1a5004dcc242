"""Lines, triangles and boxes, which make up polygons and test them."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(level=2, names={"quads": "quads points corners", "out": "out signs", "kernel": "test_orientation"})
def orientation_test(c):
    """For each row of points {WANTED}, {TEST}.

    Run a geometric predicate on each row of {quads}, whose points are {CORNERS} in this order. Let v be
    {VALUE}.{CROSS} {GIVES}.
    """
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
    VALUE = {
        turn: "the cross product of B - A and C - A, positive if the path A, B, C turns left",
        in_circle: "the determinant of the 3×3 matrix with the rows (A - D, |A - D|²), (B - D, |B - D|²) "
        "and (C - D, |C - D|²); it is positive if D lies in the circle through A, B, C and these turn "
        "left",
        convex: "the product of two cross products, (B - A) × (C - B) and (C - B) × (D - C); it is "
        "positive if the path A, B, C, D turns twice the same way",
        in_disk: "-(A - C)·(B - C), positive if C lies in the circle that has A and B as the ends of a "
        "diameter",
        same_side: "the product of two cross products, (B - A) × (C - A) and (B - A) × (D - A); "
        "it is positive if C and D lie on one side of the line through A and B",
    }[TEST]
    CROSS = "" if TEST in (in_circle, in_disk) else " The cross product U × V is U.x·V.y - U.y·V.x."
    CORNERS = "A, B, C, D" if COUNT == 4 else "A, B, C"
    GIVES = {
        "a signed value": "{out} gets v",
        "a sign": "{out} gets 1 if v > 0, and otherwise -1",
        "a sign, zero within a tolerance": "{out} gets 0 if |v| < {BOUND}, otherwise 1 if v > 0 and -1 "
        "if v < 0",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        quads: wp.array2d[wp.vec2] = input(n, COUNT, low=-1.5, high=1.5),
        out: wp.array[float if WANTED == "a signed value" else int] = output(n),
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
    """{SAYS}{MISS}.

    Intersect {FIRST} k in the plane, {ONE} with {TWO}. {HIT}. Touching at an end counts as crossing;
    parallels never cross.
    """
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
    ONE = "from `{segments}[k, 0]` to `{segments}[k, 1]`,"
    if FIRST == "ray":
        ONE = "which starts at `{segments}[k, 0]`, goes through `{segments}[k, 1]` and has no end,"
    TWO = {
        "a segment of its own": "segment k from `{starts}[k]` to `{ends}[k]`",
        "a line of its own": "the endless line through `{starts}[k]` and `{ends}[k]`",
        "one segment": "the one segment from {left} to {right}",
    }[SECOND]
    HIT = {
        "point": "{out} gets the point where they cross, and the start of the {FIRST} if they do not",
        "parameter": "{out} gets the parameter of the crossing along the {FIRST}, 0 at its first point "
        "and 1 at its second, and {MISSED} if they do not cross",
        "distance": "{out} gets the distance from the start of the {FIRST} to the crossing, and {MISSED} "
        "if they do not cross",
        "truth": "{out} gets 1 if they cross, and otherwise 0",
        "sine": "{out} gets the sine of the angle from the direction of the {FIRST} to that of the "
        "other, positive if counterclockwise, and 0 if they do not cross",
    }[WANTED]

    def cross2(a: wp.vec2, b: wp.vec2) -> float:
        return a[0] * b[1] - a[1] * b[0]

    @c.kernel(n)
    def kernel(
        segments: wp.array2d[wp.vec2] = input(n, 2, low=-2.0, high=2.0),
        starts: wp.array[wp.vec2] = input(n, low=-2.0, high=2.0),
        ends: wp.array[wp.vec2] = input(n, low=-2.0, high=2.0),
        left: wp.vec2 = input(low=-2.0, high=0.0),
        right: wp.vec2 = input(low=0.0, high=2.0),
        out: wp.array[Wanted] = output(n),
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
    """The {WANTED} of each point {WHERE}, from {FORM}.

    Compute barycentric weights of point k of {points} in {TRIANGLE}: they add up to 1, and the corners times
    their weights, in order, add up to the point, also outside. Compute them {BY}. {GIVES}.
    """
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
    TRIANGLE = (
        "the one triangle with the corners {corners}"
        if ONE
        else "triangle k, with the corners in row k of {triangles}"
    )
    GIVES = {
        "barycentric weights": "{out} gets the three weights",
        "interpolated value": "{out} gets the sum of the weights times the components of {OF}, the "
        "values at the corners",
        "least barycentric weight": "{out} gets the least of the three weights, which is negative "
        "outside the triangle",
        "interpolated colour": "{out} gets the sum of the weights times the colours of the corners, "
        "which are the columns of {OF}",
    }[WANTED]
    if WANTED == "interpolated colour":
        OF = "{corner_colours}" if ONE else "`{colours}[k]`"
    else:
        OF = "{corner_values}" if ONE else "`{values}[k]`"
    BY = {
        "areas": "as signed areas of the triangles opposite to the corners over that of the whole",
        "dot products": "from the dot products of the two sides at the first corner and the point's offset",
        "an inverse matrix": "with the inverse of the matrix whose columns are the two sides at the "
        "first corner",
    }[FORM]

    def twice_area(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> float:
        """Twice the signed area of a triangle."""
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec2] = input(n, low=-1.0, high=1.0),
        triangles: wp.array2d[wp.vec2] = input(n, 3, low=-2.0, high=2.0),
        corners: wp.array[wp.vec2] = input(3, low=-2.0, high=2.0),
        values: wp.array[wp.vec3] = input(n, low=0.0, high=1.0),
        corner_values: wp.vec3 = input(low=0.0, high=1.0),
        colours: wp.array[wp.mat33] = input(n, low=0.0, high=1.0),
        corner_colours: wp.mat33 = input(low=0.0, high=1.0),
        out: wp.array[Wanted] = output(n),
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
    """For each box {WHAT} {AGAINST}{MEET}{GROWN}.

    Compare axis-aligned boxes with each other. Box k reaches from `{lower}[k]` to `{lower}[k] + {sizes}[k]`.
    Compare box k with {CANDIDATES}. {GIVES}.
    """
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
    CANDIDATES = "all the others"
    if AGAINST == "in a list of its own":
        CANDIDATES = (
            "the boxes whose indices are in row k of {candidates}, each as often as it is there; its own "
            "index is skipped"
        )
    MEETS = "meet if their ranges on every axis overlap by more than a point"
    if GROWN:
        MEETS = (
            "meet if the gap between their ranges is below {MARGIN} on every axis; the gap of ranges that "
            "overlap is negative"
        )
    SHARED = "The overlap of two boxes is the area" if DIM == 2 else "The overlap of two boxes is the volume"
    SHARED += " that they share, 0 if they are apart"
    GIVES = {
        "the number of boxes": "Two boxes {MEETS}. {hits} gets the number of boxes that meet box k",
        "the last of the boxes": "Two boxes {MEETS}. {hits} gets the index of the last one, in order, "
        "that meets box k, and -1 if there is none",
        "the total overlap with the boxes": "{SHARED}. {hits} gets the sum of the overlaps with box k",
        "its hull with the boxes": "Two boxes {MEETS}. {hull_low} and {hull_high} get the lower and "
        "upper corners of the smallest box around box k and all that meet it",
        "the greatest overlap with any of the boxes": "{SHARED}. {hits} gets the greatest overlap with box k",
    }[WHAT]

    def common(a: Vec, b: Vec) -> float:
        """The size of what two boxes share, from the corners of that."""
        side = wp.max(b - a, Vec())
        return side[0] * side[1] if DIM == 2 else side[0] * side[1] * side[2]

    @c.kernel(n)
    def kernel(
        lower: wp.array[Vec] = input(n, low=-2.0, high=0.8),
        sizes: wp.array[Vec] = input(n, low=0.5, high=2.0),
        candidates: wp.array2d[int] = input(n, m, low=0, high=n - 1),
        hits: wp.array[float if SIZE else int] = output(n),
        hull_low: wp.array[Vec] = output(n),
        hull_high: wp.array[Vec] = output(n),
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
