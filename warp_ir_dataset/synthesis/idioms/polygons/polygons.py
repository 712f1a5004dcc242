"""Polygons in the plane: what they hold, how large they are, and what is cut off them."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp

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
    """{SAYS}, by {TEST}."""
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
        polygon: wp.array[wp.vec2] = given(corners, low=-2.0, high=2.0),
        polygons: wp.array2d[wp.vec2] = given(count, corners, low=-2.0, high=2.0),
        owner: wp.array[int] = given(n, low=0, high=count - 1),
        points: wp.array[wp.vec2] = given(n, low=-2.0, high=2.0),
        inside: wp.array[int] = result(1 if COUNTED else n),
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
    """The {WANTED} of each polygon, {STORED}{EDGES}{TOO}."""
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

    @c.kernel(n)
    def kernel(
        polygons: wp.array2d[wp.vec2] = given(n, corners, low=0.5, high=2.0),
        vertices: wp.array[wp.vec2] = given(total, low=0.5, high=2.0),
        offsets: wp.array[int] = given(n + 1, low=0, high=total, trait="offsets"),
        out: wp.array[Wanted] = result(n, of="area" if WANTED == "signed area" else None),
        perimeter: wp.array[float] = result(n),
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
    """{SAYS}{WIDTH}."""
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

    def left_of(way: wp.vec2, edge: wp.vec2) -> int:
        return 1 if edge[0] * way[1] > edge[1] * way[0] else 0

    @c.kernel(n)
    def kernel(
        polygon: wp.array[wp.vec2] = given(corners, low=-2.0, high=2.0),
        radii: wp.array[float] = given(corners if SHAPE == "a polygon" else corners - 1, low=0.1, high=1.0),
        points: wp.array[wp.vec2] = given(n, low=-2.0, high=2.0, of="position"),
        out: wp.array[Wanted] = result(n, of=GIVEN),
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
    """{SAYS}{MARKS}; unused entries {EMPTY}."""
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
