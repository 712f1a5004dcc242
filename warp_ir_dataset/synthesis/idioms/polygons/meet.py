"""Polygons of many points: hulls, and the axes that part them."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=5,
    names={
        "first second": "first second | left right | hull_a hull_b",
        "axis": "axis normal direction",
        "gap": "gap distance apart_by",
        "widest": "widest best greatest",
        "out": "out separation result",
        "kernel": "test_polygons find_separation",
    },
)
def separating_axis(c):
    """The {SAYS} each pair of {SHAPES}, {PAIRS}, by the separating axis theorem{SIGN}.

    Test pairs of {SHAPES} for overlap by the separating axis theorem. Pair k is {TWO}.

    The axes to try, in both directions, are {AXES}. The gap in a direction is the least coordinate along it
    of the second shape less the greatest of the first, which is negative if these overlap.{MORE} The
    separation is the largest gap over all axes (gaps lie between -1000 and 1000). {GIVES}{TIES}.
    """
    n, corners, count = c.size(7, 12), c.size(3, 5), c.size(7, 9)
    SHAPES = c.meaning("convex polygons", "oriented boxes", "a polygon and a disk")
    BOXES, DISKS = SHAPES == "oriented boxes", SHAPES == "a polygon and a disk"
    PAIRS = c.meaning("row by row", "given by indices")
    ROWS = PAIRS == "row by row"
    if BOXES:
        WANTED = c.meaning("signed separation", "overlap flag", "depth of the overlap")
    else:
        WANTED = c.meaning(
            "signed separation",
            "axis of least overlap",
            "overlap flag",
            "minimum translation vector",
            "depth of the overlap",
        )
    SAYS = f"{WANTED} of"
    if WANTED == "minimum translation vector":
        SAYS = "least translation that frees the second of"
    SIGN = "; negative where they overlap" if WANTED == "signed separation" else ""
    if WANTED == "axis of least overlap":
        SIGN = "; it points from the first to the second"
    AXIS = WANTED in ("axis of least overlap", "minimum translation vector")
    if DISKS:
        c.names({"first": "hulls shapes convex"})
    Wanted = c.vec(2) if AXIS else int if WANTED == "overlap flag" else float

    c.names(
        {
            "out": {
                "signed separation": "out separations",
                "overlap flag": "out flags touching",
                "depth of the overlap": "out depths",
                "axis of least overlap": "out axes",
                "minimum translation vector": "out translations",
            }[WANTED],
            "kernel": {
                "signed separation": "find_separation signed_separations",
                "overlap flag": "test_overlap separating_axis",
                "depth of the overlap": "overlap_depths measure_overlap",
                "axis of least overlap": "least_overlap_axes separating_axis",
                "minimum translation vector": "least_translations resolve_overlap",
            }[WANTED],
        }
    )
    if BOXES:
        TWO = "box {P} of {boxes} and box {Q} of {others}"
    elif DISKS:
        TWO = "the convex polygon in row {P} of {first} and disk {Q} of {disks}, given as (x, y, radius)"
    else:
        TWO = "the convex polygon in row {P} of {first} and that in row {Q} of {second}"
    P = "k" if ROWS else "`{pairs}[k, 0]`"
    Q = "k" if ROWS else "`{pairs}[k, 1]`"
    AXES = (
        "the unit normals of all edges of both, each edge running from a vertex to the next and the last "
        "one back to the first"
    )
    if DISKS:
        AXES = "the unit normals of all edges of the polygon, the last of which runs back to the first vertex"
    elif BOXES:
        AXES = (
            "the two sides of each box; a box has the middle `centre`, half the lengths of its sides in "
            "`half`, and is turned counterclockwise by `angle`, in radians, so that its sides are along "
            "(cos, sin) and (-sin, cos)"
        )
    MORE = ""
    if DISKS:
        MORE = (
            " There is one more, in one direction alone: the unit vector from the vertex nearest to the "
            "disk's centre (on ties the first) to that centre."
        )
    GIVES = {
        "signed separation": "{out} gets the separation",
        "overlap flag": "{out} gets 1 if the separation is negative, and otherwise 0",
        "depth of the overlap": "{out} gets minus the separation, but at least 0",
        "axis of least overlap": "{out} gets the unit direction of this gap, from the first to the second",
        "minimum translation vector": "{out} gets the unit direction of this gap, from the first to the "
        "second, times minus the separation, but at least 0: it moves the second free of the first",
    }[WANTED]
    TIES = ""
    if AXIS:
        TIES = ". On ties the earliest axis counts, in the order of edges" + (
            "; the one through the vertex is the first"
            if DISKS
            else ", those of the first polygon before the second's"
        )
        TIES += "; for an edge (x, y){OF_FIRST}, the direction along (y, -x) comes before the opposite one"
        OF_FIRST = " of the polygon"
        if not DISKS:
            TIES += ", and for one of the second the direction along (-y, x)"
            OF_FIRST = " of the first"

    class Box:
        centre: wp.vec2
        half: wp.vec2
        angle: float

    def extent(polygons: wp.array2d[wp.vec2], index: int, axis: wp.vec2) -> wp.vec2:
        """The least and the greatest place along an axis."""
        least = float(1.0e3)
        greatest = float(-1.0e3)
        for k in range(polygons.shape[1]):
            place = wp.dot(polygons[index, k], axis)
            least = wp.min(least, place)
            greatest = wp.max(greatest, place)
        return wp.vec2(least, greatest)

    def separation(
        polygons: wp.array2d[wp.vec2], index: int, others: wp.array2d[wp.vec2], second: int
    ) -> wp.vec3:
        """The axis that parts a polygon best from another, away from it, and the gap along it."""
        widest = wp.vec3(0.0, 0.0, -1.0e3)
        for k in range(polygons.shape[1]):
            edge = polygons[index, (k + 1) % polygons.shape[1]] - polygons[index, k]
            axis = wp.normalize(wp.vec2(edge[1], -edge[0]))
            one = extent(polygons, index, axis)
            other = extent(others, second, axis)
            if other[0] - one[1] > widest[2]:
                widest = wp.vec3(axis[0], axis[1], other[0] - one[1])
            if one[0] - other[1] > widest[2]:
                widest = wp.vec3(-axis[0], -axis[1], one[0] - other[1])
        return widest

    def widest_gap(
        polygons: wp.array2d[wp.vec2], index: int, others: wp.array2d[wp.vec2], second: int
    ) -> float:
        """The widest gap along the normals of a polygon's edges, negative for an overlap."""
        widest = float(-1.0e3)
        for k in range(polygons.shape[1]):
            edge = polygons[index, (k + 1) % polygons.shape[1]] - polygons[index, k]
            axis = wp.normalize(wp.vec2(edge[1], -edge[0]))
            one = extent(polygons, index, axis)
            other = extent(others, second, axis)
            widest = wp.max(widest, wp.max(other[0] - one[1], one[0] - other[1]))
        return widest

    def nearest_corner(polygons: wp.array2d[wp.vec2], index: int, place: wp.vec2) -> wp.vec2:
        """The corner of a polygon that is nearest to a place."""
        nearest = polygons[index, 0]
        for k in range(1, polygons.shape[1]):
            if wp.length_sq(polygons[index, k] - place) < wp.length_sq(nearest - place):
                nearest = polygons[index, k]
        return nearest

    def gap_to_disk(polygons: wp.array2d[wp.vec2], index: int, disk: wp.vec3) -> float:
        """The widest gap between a polygon and a disk, negative for an overlap."""
        centre = wp.vec2(disk[0], disk[1])
        # the axis from the nearest corner, then the normals of the edges
        axis = wp.normalize(centre - nearest_corner(polygons, index, centre))
        span = extent(polygons, index, axis)
        widest = wp.dot(axis, centre) - span[1] - disk[2]
        for k in range(polygons.shape[1]):
            edge = polygons[index, (k + 1) % polygons.shape[1]] - polygons[index, k]
            axis = wp.normalize(wp.vec2(edge[1], -edge[0]))
            span = extent(polygons, index, axis)
            place = wp.dot(axis, centre)
            widest = wp.max(widest, wp.max(place - span[1], span[0] - place) - disk[2])
        return widest

    def from_disk(polygons: wp.array2d[wp.vec2], index: int, disk: wp.vec3) -> wp.vec3:
        """The axis that parts a polygon best from a disk, away from it, and the gap along it."""
        centre = wp.vec2(disk[0], disk[1])
        # the axis from the nearest corner, then the normals of the edges
        axis = wp.normalize(centre - nearest_corner(polygons, index, centre))
        span = extent(polygons, index, axis)
        widest = wp.vec3(axis[0], axis[1], wp.dot(axis, centre) - span[1] - disk[2])
        for k in range(polygons.shape[1]):
            edge = polygons[index, (k + 1) % polygons.shape[1]] - polygons[index, k]
            axis = wp.normalize(wp.vec2(edge[1], -edge[0]))
            span = extent(polygons, index, axis)
            # how far the disk's centre lies from the middle of the polygon's shadow
            off = wp.dot(axis, centre) - 0.5 * (span[0] + span[1])
            gap = wp.abs(off) - 0.5 * (span[1] - span[0]) - disk[2]
            if gap > widest[2]:
                widest = wp.vec3(wp.sign(off) * axis[0], wp.sign(off) * axis[1], gap)
        return widest

    def gap_between(box: Box, other: Box) -> float:
        """The wider of the gaps along the axes of a box."""
        apart = other.centre - box.centre
        right = wp.vec2(wp.cos(box.angle), wp.sin(box.angle))
        up = wp.vec2(-right[1], right[0])
        cosine = wp.abs(wp.cos(other.angle - box.angle))
        sine = wp.abs(wp.sin(other.angle - box.angle))
        across = box.half[0] + cosine * other.half[0] + sine * other.half[1]
        along = box.half[1] + sine * other.half[0] + cosine * other.half[1]
        return wp.max(wp.abs(wp.dot(right, apart)) - across, wp.abs(wp.dot(up, apart)) - along)

    @c.kernel(n)
    def kernel(
        first: wp.array2d[wp.vec2] = input(n if ROWS else count, corners, low=-1.5, high=0.8),
        second: wp.array2d[wp.vec2] = input(n if ROWS else count, corners, low=-0.8, high=1.5),
        boxes: wp.array[Box] = input(n if ROWS else count, low=0.05, high=0.4),
        others: wp.array[Box] = input(n if ROWS else count, low=0.05, high=1.2),
        disks: wp.array[wp.vec3] = input(n if ROWS else count, low=0.05, high=1.5),
        pairs: wp.array2d[int] = input(n, 2, low=0, high=count - 1),
        out: wp.array[Wanted] = output(n),
    ):
        tid = wp.tid()
        if not ROWS:
            one = pairs[tid, 0]
            two = pairs[tid, 1]
        if BOXES:
            box = boxes[tid if ROWS else one]
            other = others[tid if ROWS else two]
            gap = gap_between(box, other)
            gap = wp.max(gap, gap_between(other, box))
        elif not AXIS:
            if DISKS:
                gap = gap_to_disk(first, tid if ROWS else one, disks[tid if ROWS else two])
            else:
                gap = widest_gap(first, tid if ROWS else one, second, tid if ROWS else two)
                gap = wp.max(gap, widest_gap(second, tid if ROWS else two, first, tid if ROWS else one))
        elif DISKS:
            widest = from_disk(first, tid if ROWS else one, disks[tid if ROWS else two])
        else:
            widest = separation(first, tid if ROWS else one, second, tid if ROWS else two)
            back = separation(second, tid if ROWS else two, first, tid if ROWS else one)
            if back[2] > widest[2]:
                # what points away from the second points to the first
                widest = wp.vec3(-back[0], -back[1], back[2])
        if WANTED == "signed separation":
            out[tid] = gap
        elif WANTED == "overlap flag":
            out[tid] = 1 if gap < 0.0 else 0
        elif WANTED == "depth of the overlap":
            out[tid] = wp.max(-gap, 0.0)
        elif WANTED == "minimum translation vector":
            out[tid] = wp.max(-widest[2], 0.0) * wp.vec2(widest[0], widest[1])
        else:
            out[tid] = wp.vec2(widest[0], widest[1])


@idiom(
    level=5,
    differentiable=False,
    names={
        "points": "points sites cloud",
        "hull": "hull outline indices",
        "measure": "measure out result",
        "kernel": "measure_hulls hull_of_points",
    },
)
def convex_hull(c):
    """{GIVES}{TOO} of the convex hull of each row of points{WAY}, by {METHOD}.

    Find the convex hull of the points in each row of {points}, {EDGES}. No three points of a row lie on one
    line.

    {GETS}.{NUMBER}
    """
    n, count = c.size(6, 9), c.size(5, 8)
    METHOD = c.meaning(
        "testing every pair", "gift wrapping from the lowest point", "gift wrapping from the leftmost point"
    )
    TURNS, TOO = c.meaning("left", "right"), c.meaning("", " and the number of corners")
    GIVES = c.meaning("The area", "The perimeter", "The longest side", "The indices of the corners")
    INDICES = GIVES == "The indices of the corners"
    if INDICES:
        TOO = TOO and ", with the number of corners,"
    # that the hull turns right decides its order, but not its size
    WAY = (", counterclockwise" if TURNS == "left" else ", clockwise") if INDICES else ""
    if INDICES:
        if METHOD == "testing every pair":
            GIVES = "The corner after each one (-1 for inner points)"
            c.names({"kernel": "link_hulls convex_hull", "hull": "following successors"})
        else:
            c.names({"kernel": "wrap_hulls convex_hull"})
    else:
        KIND = GIVES.split()[-1]
        TOTALS = {"area": "total area", "perimeter": "total perimeter", "side": "longest"}
        MEASURES = {"area": "areas out", "perimeter": "perimeters out", "side": "longest_sides out"}
        KERNELS = {"area": "hull_areas", "perimeter": "hull_perimeters", "side": "longest_hull_sides"}
        c.names({"total": TOTALS[KIND], "measure": MEASURES[KIND]})
        c.names({"kernel": f"measure_hulls {KERNELS[KIND]}"})
    AROUND = "counterclockwise" if TURNS == "left" else "clockwise"
    FAR = "right" if TURNS == "left" else "left"
    EDGES = "by gift wrapping from {START} (the first on ties), {AROUND}"
    START = "the lowest point, of the least y" if "lowest" in METHOD else "the leftmost point, of the least x"
    if METHOD == "testing every pair":
        EDGES = (
            "by testing every ordered pair (a, b) of different points, {AROUND}: b follows a on the hull "
            "if no point of the row lies to the {FAR} of the line from a to b, which it does if the "
            "cross product of b - a and its offset from a is {SIGN}"
        )
    SIGN = "below -0.00001" if TURNS == "left" else "above 0.00001"
    if not INDICES:
        WHICH = {
            "The area": "area of the hull",
            "The perimeter": "perimeter of the hull",
            "The longest side": "length of the hull's longest side",
        }[GIVES]
        GETS = "{measure} gets the {WHICH}, which is positive"
    elif METHOD == "testing every pair":
        GETS = (
            "`{hull}[r, i]` gets the index in row r of the corner that follows point i, the last such if "
            "there are more, and -1 if point i is no corner"
        )
    else:
        GETS = (
            "Row r of {hull} gets the indices in row r of the corners in this order, beginning with that "
            "point, and -1 in the remaining entries"
        )
    NUMBER = " {size} gets the number of corners." if TOO else ""

    def turn(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> float:
        """Positive where the third point lies to the left."""
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    @c.kernel(n)
    def kernel(
        points: wp.array2d[wp.vec2] = input(n, count, low=-2.0, high=2.0),
        hull: wp.array2d[int] = output(n, count),
        size: wp.array[int] = output(n),
        measure: wp.array[float] = output(n, of="area" if GIVES == "The area" else "length"),
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
                        if side < -1.0e-5 if TURNS == "left" else side > 1.0e-5:
                            outside += 1
                    if outside == 0:
                        if TOO:
                            found += 1
                        if INDICES:
                            hull[tid, one] = other
                        elif GIVES == "The area":
                            p = points[tid, one]
                            q = points[tid, other]
                            if TURNS == "left":
                                total += 0.5 * (p[0] * q[1] - p[1] * q[0])
                            else:
                                total += 0.5 * (p[1] * q[0] - p[0] * q[1])
                        elif GIVES == "The perimeter":
                            total += wp.length(points[tid, other] - points[tid, one])
                        else:
                            total = wp.max(total, wp.length(points[tid, other] - points[tid, one]))
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
                    if side < 0.0 if TURNS == "left" else side > 0.0:
                        ahead = k
                if GIVES == "The area":
                    a = points[tid, here]
                    b = points[tid, ahead]
                    if TURNS == "left":
                        total += 0.5 * (a[0] * b[1] - a[1] * b[0])
                    else:
                        total += 0.5 * (a[1] * b[0] - a[0] * b[1])
                elif GIVES == "The perimeter":
                    total += wp.length(points[tid, ahead] - points[tid, here])
                elif GIVES == "The longest side":
                    total = wp.max(total, wp.length(points[tid, ahead] - points[tid, here]))
                here = ahead
                if here == start:
                    break
        if INDICES and METHOD != "testing every pair":
            for k in range(found, points.shape[1]):
                hull[tid, k] = -1
        if not INDICES:
            measure[tid] = total
        if TOO:
            size[tid] = found
