"""Polygons in the plane: points inside, areas, and clipping."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp

POLYGON = {
    "polygon": "polygon vertices outline",
    "points": "points queries targets",
    "a b": "a b | p q | here ahead",
}


@idiom(
    level=3,
    differentiable=False,
    names={**POLYGON, "inside": "inside out hits", "kernel": "classify_points test_points"},
)
def point_in_polygon(c):
    """{SAYS}, by {TEST}.

    {ASKED}. {OUTLINE}; the last is joined to the first, and edges may cross each other.

    {RULE} {OUT}
    """
    n, count, corners = c.size(10, 14), c.size(3, 5), c.size(5, 8)
    POLYGON = c.meaning("a polygon", "the polygon assigned to it")
    TEST = c.meaning("ray crossings", "signed crossings", "the sum of angles")
    # crossings tell no more than odd or even
    TURNS = () if TEST == "ray crossings" else ("the winding number is given",)
    GIVES = c.meaning("one or zero is given", "hits are counted", *TURNS)
    COUNTED = GIVES == "hits are counted"
    ONE = POLYGON == "a polygon"
    SAYS = f"Whether each point lies in {POLYGON}"
    if COUNTED:
        SAYS = "The number of points that lie in " + ("a polygon" if ONE else "the polygons assigned to them")
    elif GIVES == "the winding number is given":
        SAYS = f"The winding number of {POLYGON} around each point"
    if COUNTED:
        c.names({"kernel": "count_inside count_points_inside", "inside": "hits count"})
    elif GIVES == "the winding number is given":
        c.names({"kernel": "winding_numbers wind_points", "inside": "windings out"})
    if TEST == "ray crossings":
        c.names({"turns": "crossings met"})
    DOWN = "" if TEST == "ray crossings" else ", minus one where it goes down there"
    ASKED = {
        "one or zero is given": "Tell for each of {points} whether it lies inside {ITS}",
        "hits are counted": "Count how many of {points} lie inside {ITS}",
        "the winding number is given": "Find how often {ITS} winds around each of {points}",
    }[GIVES]
    ITS = "a polygon" if ONE else "their polygons" if COUNTED else "its polygon"
    OUTLINE = "The vertices of the polygon are {polygon}, in order"
    if not ONE:
        OUTLINE = "The polygon of point k is row `{owner}[k]` of {polygons}, its vertices in order"
    RULE = {
        "ray crossings": "Use the even-odd rule with a ray in the direction of +x. An edge crosses the "
        "ray if "
        "just one of its ends has a y above that of the point, and if the edge is at the height of the "
        "point "
        "at an x strictly greater than that of the point.",
        "signed crossings": "Take the winding number from the crossings with a ray in the direction of "
        "+x. "
        "An edge adds 1 if it goes up, from y ≤ the point's y to y > the point's y, and has the point "
        "strictly "
        "to its left; it subtracts 1 if it goes down, from y > the point's y to y ≤ the point's y, and "
        "has the "
        "point strictly to its right.",
        "the sum of angles": "Take the winding number from angles: add the signed angles in [-π, π], "
        "positive "
        "if counterclockwise, at which the point sees the edges from their first to their second end, "
        "divide "
        "the sum by 2·π and round it to the nearest whole number, halves away from 0.",
    }[TEST]
    INNER = "the number of crossings is odd" if TEST == "ray crossings" else "the winding number is not zero"
    OUT = {
        "one or zero is given": "{inside} gets 1 if {INNER}, and otherwise 0.",
        "hits are counted": "A point is inside if {INNER}; `{inside}[0]` gets the number of such points.",
        "the winding number is given": "{inside} gets the winding number, with its sign.",
    }[GIVES]

    def crosses(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> int:
        """One where an edge crosses the ray to the right of a point{DOWN}, and else zero."""
        if TEST == "ray crossings":
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
        polygon: wp.array[wp.vec2] = input(corners, low=-2.0, high=2.0),
        polygons: wp.array2d[wp.vec2] = input(count, corners, low=-2.0, high=2.0),
        owner: wp.array[int] = input(n, low=0, high=count - 1),
        points: wp.array[wp.vec2] = input(n, low=-2.0, high=2.0),
        inside: wp.array[int] = output(1 if COUNTED else n),
    ):
        tid = wp.tid()
        p = points[tid]
        if TEST == "the sum of angles":
            angle = float(0.0)
        else:
            turns = int(0)
        if ONE:
            last = polygon[polygon.shape[0] - 1]
        else:
            shape = owner[tid]
            last = polygons[shape, polygons.shape[1] - 1]
        for k in range(polygon.shape[0] if ONE else polygons.shape[1]):
            here = polygon[k] if ONE else polygons[shape, k]
            if TEST == "the sum of angles":
                angle += angle_at(p, last, here)
            else:
                turns += crosses(last, here, p)
            last = here
        if TEST == "the sum of angles":
            # rounding leaves the sum near a whole number of turns
            turns = int(wp.round(angle / (2.0 * wp.PI)))
        if GIVES == "the winding number is given":
            inside[tid] = turns
        elif COUNTED:
            if turns % 2 == 1 if TEST == "ray crossings" else turns != 0:
                wp.atomic_add(inside, 0, 1)
        else:
            inside[tid] = 1 if (turns % 2 == 1 if TEST == "ray crossings" else turns != 0) else 0


@idiom(
    level=3,
    differentiable=False,
    names={
        "polygons": "polygons outlines shapes",
        "last here": "last here | a b | p q",
        "out": "out result values",
        "kernel": "measure_polygons integrate_outlines",
    },
)
def polygon_centroid(c):
    """The {WANTED} of each polygon, {STORED}{EDGES}{TOO}.

    Compute the {WANTED} of each polygon. {WHERE}; the last vertex is joined to the first.{FROM}

    {MEASURE}{AROUND}{FEW}
    """
    n, corners, total = c.size(7, 12), c.size(4, 8), c.size(26, 36)
    WANTED = c.meaning("centroid", "signed area", "polar moment", "centroid of the outline")
    STORED, OUTLINE = (
        c.meaning("a row of vertices", "a run of a vertex list"),
        WANTED == "centroid of the outline",
    )
    TOO = "" if OUTLINE else c.meaning("", "; its perimeter is stored too")
    Wanted = c.vec(2) if OUTLINE or WANTED == "centroid" else float
    LIST, ABOUT = STORED == "a run of a vertex list", c.meaning("", "from its first corner")
    # seen from the first corner, the two edges that meet there enclose nothing
    FAN = ABOUT and not (TOO or OUTLINE)
    EDGES = ", from a fan of triangles" if FAN else ", seen from its first corner" if ABOUT else ""
    if WANTED == "polar moment":
        WANTED = "polar moment about the first corner" if ABOUT else "polar moment about the origin"
        EDGES = ", from a fan of triangles" if FAN else ""
    POLAR = WANTED[:5] == "polar"
    if WANTED != "centroid":
        c.names({"kernel": "measure_polygons integrate_outlines"})
    WHERE = "Row k of {polygons} holds the vertices of polygon k, in order"
    if LIST:
        WHERE = (
            "Polygon k has the vertices from `{offsets}[k]` up to but not including `{offsets}[k + 1]` "
            "in the "
            "list {vertices}, in order"
        )
    FROM = ""
    if ABOUT:
        FROM = " Take all coordinates relative to the polygon's first vertex, as rounding is smaller there"
        FROM += ", and go through the fan of triangles at that vertex." if FAN else "."
    BACK = ", plus the first vertex again" if ABOUT else ""
    CROSS = "For an edge from A to B let c = A.x·B.y - A.y·B.x."
    MEASURE = {
        "centroid": CROSS + " The signed area S is half the sum of c over all edges, and the centroid is "
        "the sum "
        "of c·(A + B) divided by 6·S{BACK}. {out} gets the centroid if |S| > 0.05, and otherwise (0, 0).",
        "signed area": CROSS + " {out} gets the signed area, which is half the sum of c over all edges "
        "and "
        "positive if they run counterclockwise.",
        "polar moment": CROSS + " {out} gets the second polar moment of area, which is the sum of "
        "c·(|A|² + A·B + |B|²) / 12 over all edges; it is positive if they run counterclockwise.",
    }.get("polar moment" if POLAR else WANTED, "")
    if OUTLINE:
        MEASURE = (
            "{out} gets the centroid of the closed outline as if of wire: the mean of the midpoints of "
            "its edges, "
            "weighted by their lengths{BACK}. The sum of the lengths counts as at least 0.0001 in this "
            "mean."
        )
    AROUND = " {perimeter} gets the length of the closed outline." if TOO else ""
    FEW = " A polygon of fewer than three vertices gets zero everywhere." if LIST else ""

    @c.kernel(n)
    def kernel(
        polygons: wp.array2d[wp.vec2] = input(n, corners, low=0.5, high=2.0),
        vertices: wp.array[wp.vec2] = input(total, low=0.5, high=2.0),
        offsets: wp.array[int] = input(n + 1, low=0, high=total, trait="offsets"),
        out: wp.array[Wanted] = output(n, of="area" if WANTED == "signed area" else None),
        perimeter: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        if LIST:
            begin = offsets[tid]
            end = offsets[tid + 1]
            last = vertices[wp.min(begin + 1, vertices.shape[0] - 1) if FAN else wp.max(end - 1, 0)]
            if ABOUT:
                origin = vertices[wp.min(begin, vertices.shape[0] - 1)]
            if end - begin < 3:
                if OUTLINE or WANTED == "centroid":
                    out[tid] = wp.vec2()
                else:
                    out[tid] = 0.0
                if TOO:
                    perimeter[tid] = 0.0
                return
        else:
            last = polygons[tid, 1 if FAN else polygons.shape[1] - 1]
            if ABOUT:
                origin = polygons[tid, 0]
        if ABOUT:
            # places near a corner lose less to rounding than those far from the origin
            last -= origin
        if TOO or OUTLINE:
            around = float(0.0)
        if WANTED == "centroid" or WANTED == "signed area":
            area = float(0.0)
        elif POLAR:
            moment = float(0.0)
        if WANTED == "centroid" or OUTLINE:
            weighted = wp.vec2(0.0, 0.0)
        for k in (
            range(begin + 2 if FAN else begin, end)
            if LIST
            else range(2, polygons.shape[1])
            if FAN
            else range(polygons.shape[1])
        ):
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
                if POLAR:
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
            else:
                out[tid] = wp.vec2()
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
    differentiable=False,
    names={**POLYGON, "nearest": "nearest best closest", "out": "out found result"},
)
def nearest_edge(c):
    """{SAYS}{WIDTH}.

    Find for each of {points} {LOOK}. The vertices are {polygon}: {COURSE}. The point of the edge from A to B
    that is nearest to a point P is A + t·(B - A) with t = (P - A)·(B - A) / max(|B - A|², 1e-6), clamped to
    [0, 1]. {FAR} and always below 1e6.

    {OUT}
    """
    n, corners = c.size(9, 14), c.size(5, 9)
    SHAPE = c.meaning("a polygon", "a polyline")
    WANTED = c.meaning(
        "distance", "index", "nearest point", "signed distance" if SHAPE == "a polygon" else "side"
    )
    WIDTH = c.meaning("", ", where edges have widths of their own") if WANTED != "signed distance" else ""
    POINT = WANTED == "nearest point"
    # Where edges meet, both are as near: the first of them counts, whatever rounding says.
    MEET = WANTED in ("index", "side") and not WIDTH
    SAYS = {
        "distance": f"The distance from each point to the nearest edge of {SHAPE}",
        "index": f"The index of the edge of {SHAPE} nearest to each point",
        "nearest point": f"The point of {SHAPE} nearest to each given one",
        "signed distance": f"The signed distance from each point to {SHAPE}, negative inside",
        "side": f"Whether each point lies to the left of the nearest edge of {SHAPE}",
    }[WANTED]
    if POINT and WIDTH:
        SAYS = f"The point on the axis of the edge of {SHAPE} nearest to each given point"
    Wanted = c.vec(2) if POINT else int if WANTED in ("index", "side") else float
    KERNELS = {
        "distance": "distance_to_edges edge_distances",
        "index": "nearest_edge find_nearest_edge",
        "signed distance": "signed_distances outline_sdf",
        "side": "side_of_line side_of_nearest_edge",
    }
    # below zero inside: a distance from a line without width has no inside
    GIVEN = "distance" if WANTED == "signed distance" or (WANTED == "distance" and WIDTH) else None
    if SHAPE == "a polyline":
        c.names({"polygon": "polyline vertices path"})
    c.names({"radii": "radii half_widths", "kernel": KERNELS.get(WANTED, "closest_points nearest_points")})
    LOOK = {
        "distance": "how far it is from {SHAPE}",
        "index": "the edge of {SHAPE} that is nearest to it",
        "nearest point": "the point of {SHAPE} that is nearest to it",
        "side": "on which side of the nearest edge of {SHAPE} it lies",
        "signed distance": "its signed distance from {SHAPE}",
    }[WANTED]
    CLOSED = SHAPE == "a polygon"
    COURSE = "edge k runs from `{polygon}[k]` to `{polygon}[k + 1]`"
    COURSE += (
        ", and the last edge back to the first vertex"
        if CLOSED
        else ", so there is one edge less than vertices"
    )
    FAR = "The distance is that from P"
    if WIDTH:
        FAR += ", less `{radii}[k]`, half the width of the edge; it may be negative,"
    TIES = "On ties the first edge counts"
    if MEET:
        TIES = (
            "In order, an edge displaces an earlier one only if it is nearer by more than 0.00001, so "
            "the first counts at a shared corner"
        )
    OUT = {
        "distance": "{out} gets the least distance over all edges.",
        "index": "{out} gets the index of the nearest edge. {TIES}.",
        "nearest point": "{out} gets the nearest point of the segment of the nearest edge. {TIES}.",
        "side": "{out} gets 1 if the point lies strictly to the left of the directed line through the "
        "nearest edge, "
        "and otherwise 0. {TIES}.",
        "signed distance": "{out} gets the least distance over all edges, with a minus sign inside. "
        "Inside is by "
        "the even-odd rule for a ray in the direction of +x: an edge counts if just one of its ends has "
        "a y "
        "above that of the point and it is at this height at an x greater than that of the point.",
    }[WANTED]

    def left_of(way: wp.vec2, edge: wp.vec2) -> int:
        return 1 if edge[0] * way[1] > edge[1] * way[0] else 0

    @c.kernel(n)
    def kernel(
        polygon: wp.array[wp.vec2] = input(corners, low=-2.0, high=2.0),
        radii: wp.array[float] = input(corners if SHAPE == "a polygon" else corners - 1, low=0.1, high=1.0),
        points: wp.array[wp.vec2] = input(n, low=-2.0, high=2.0, of="position"),
        out: wp.array[Wanted] = output(n, of=GIVEN),
    ):
        tid = wp.tid()
        p = points[tid]
        nearest = float(1.0e6)
        if WANTED == "index" or WANTED == "side":
            found = int(-1)
        elif POINT:
            found = wp.vec2()
        elif WANTED == "signed distance":
            sign = float(1.0)
        count = polygon.shape[0]
        for k in range(count if SHAPE == "a polygon" else count - 1):
            a = polygon[k]
            edge = polygon[(k + 1) % count if SHAPE == "a polygon" else k + 1] - a
            if WANTED == "signed distance":
                # each edge that a ray to the right meets flips the side
                if (a[1] > p[1]) != (a[1] + edge[1] > p[1]):
                    if edge[0] * (p[1] - a[1]) / edge[1] > p[0] - a[0]:
                        sign = -sign
            t = wp.clamp(wp.dot(p - a, edge) / wp.max(wp.length_sq(edge), 1.0e-6), 0.0, 1.0)
            distance = wp.length(p - a - t * edge)
            if WIDTH:
                # half of an edge's width lies on either side
                distance -= radii[k]
            if WANTED == "distance" or WANTED == "signed distance":
                nearest = wp.min(nearest, distance)
            elif MEET:
                # where two edges meet, the first of them counts
                if distance < nearest - 1.0e-5:
                    nearest = distance
                    found = k if WANTED == "index" else left_of(p - a, edge)
            elif distance < nearest:
                nearest = distance
                if WANTED == "index":
                    found = k
                else:
                    found = left_of(p - a, edge) if WANTED == "side" else a + t * edge
        if WANTED == "distance":
            out[tid] = nearest
        elif WANTED == "signed distance":
            out[tid] = sign * nearest
        else:
            out[tid] = found


@idiom(
    level=4,
    differentiable=False,
    names={
        "polygons": "polygons outlines shapes",
        "last here": "last here | a b | p q",
        "kept": "kept count sizes",
        "out": "out clipped result",
        "kernel": "clip_outlines cut_polygons",
    },
)
def clip_polygon(c):
    """{SAYS}{MARKS}; unused entries {EMPTY}.

    {DO}. Row k of {polygons} is a polygon, closed from its last vertex to its first. For the side s(p) of a
    point p, {LINE}. A point is inside if s(p) > 0, so points on the line are not.

    Visit the vertices q of a row in order, each with its predecessor o, that of the first being the last
    vertex. {EMIT} The points emitted fill the row of {out} from its start, and the remaining entries {REST}.
    {kept} gets their number.{MARKED}
    """
    n, corners = c.size(6, 10), c.size(4, 7)
    CUTTER = c.meaning("a line of its own", "a vertical line", "a line through two points")
    MARKS = c.meaning("", ", marking the corners on it", "crossings")
    NEW = MARKS == "crossings"
    SIDE = "the positive side" if CUTTER == "a line of its own" else "the left"
    SAYS = f"Clips each polygon to {SIDE} of {CUTTER} by the Sutherland-Hodgman algorithm"
    if NEW:
        SAYS, MARKS = f"Finds where the edges of each polygon cross {CUTTER}, in their order", ""
        c.names({"kernel": "cross_outlines cut_edges", "out": "out crossings", "corner": "crossing met"})
        c.names({"kept": "counts found"})
    EMPTY = c.meaning("stay zero", "repeat the last")
    REPEAT = EMPTY == "repeat the last"
    LEVEL = c.constant(0.1, 1.0)
    LINE = {
        "a line of its own": "the line of row k is `{lines}[k]`, and s(p) = normal·p + offset",
        "a vertical line": "the line is x = {LEVEL}, and s(p) = {LEVEL} - p.x",
        "a line through two points": "the line runs from {first} to {second}, and s(p) is the cross "
        "product of "
        "{second} - {first} and p - {first}",
    }[CUTTER]
    DO = (
        "Find where the edges of polygons cross a line"
        if NEW
        else ("Clip polygons by the Sutherland-Hodgman algorithm, keeping the side of a line with s > 0")
    )
    EMIT = "If just one of them is inside, emit the crossing o + t·(q - o) with t = s(o) / (s(o) - s(q))"
    EMIT += "." if NEW else "; then, if q is inside, emit q."
    MARKED = " {marks} gets 1 at the places of crossings and 0 elsewhere." if MARKS else ""
    REST = "repeat the last point emitted, or stay zero if there is none" if REPEAT else "stay zero"

    class Line:
        normal: wp.vec2
        offset: float

    def from_line(line: Line, p: wp.vec2) -> float:
        """Positive on the side that the normal points to."""
        return wp.dot(line.normal, p) + line.offset

    def from_points(p: wp.vec2, first: wp.vec2, second: wp.vec2) -> float:
        """Positive to the left of the line."""
        way = second - first
        return way[0] * (p[1] - first[1]) - way[1] * (p[0] - first[0])

    @c.kernel(n)
    def kernel(
        polygons: wp.array2d[wp.vec2] = input(n, corners, low=-1.5, high=1.5),
        lines: wp.array[Line] = input(n, low=-1.0, high=1.0),
        first: wp.vec2 = input(low=-1.5, high=0.0),
        second: wp.vec2 = input(low=0.0, high=1.5),
        out: wp.array2d[wp.vec2] = output(n, 2 * corners),
        kept: wp.array[int] = output(n),
        marks: wp.array2d[int] = output(n, 2 * corners),
    ):
        tid = wp.tid()
        size = int(0)
        if REPEAT:
            corner = wp.vec2(0.0, 0.0)
        last = polygons[tid, polygons.shape[1] - 1]
        if CUTTER == "a line of its own":
            before = from_line(lines[tid], last)
        elif CUTTER == "a vertical line":
            before = LEVEL - last[0]
        else:
            before = from_points(last, first, second)
        for k in range(polygons.shape[1]):
            here = polygons[tid, k]
            if CUTTER == "a line of its own":
                after = from_line(lines[tid], here)
            elif CUTTER == "a vertical line":
                after = LEVEL - here[0]
            else:
                after = from_points(here, first, second)
            if (after > 0.0) != (before > 0.0):
                # the edge crosses the line
                if REPEAT:
                    corner = wp.lerp(last, here, before / (before - after))
                    out[tid, size] = corner
                else:
                    out[tid, size] = wp.lerp(last, here, before / (before - after))
                if MARKS:
                    marks[tid, size] = 1
                size += 1
            if not NEW:
                if after > 0.0:
                    out[tid, size] = here
                    if REPEAT:
                        corner = here
                    size += 1
            last = here
            before = after
        if REPEAT:
            if size > 0:
                for k in range(size, out.shape[1]):
                    out[tid, k] = corner
        kept[tid] = size
