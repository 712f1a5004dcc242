"""Polygons in the plane: what they hold, how large they are, how they meet."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

POLYGON = {
    "polygon": "polygon vertices outline",
    "points": "points queries targets",
    "a b": "a b | p q | here ahead",
}


@idiom(level=2, names={"quads": "quads points corners", "out": "out signs sides", "kernel": "test_orientation"})
def orientation_test(c):
    """The {WANTED} that tells {TEST} for each row of points."""
    n = c.size(9, 14)
    WANTED, BOUND = c.meaning("determinant", "sign", "sign, zero within a tolerance,"), c.constant(0.1, 0.8)

    def turn(a: wp.vec2, b: wp.vec2, p: wp.vec2, q: wp.vec2) -> float:
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

    def in_disk(a: wp.vec2, b: wp.vec2, p: wp.vec2, q: wp.vec2) -> float:
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
        out: wp.array[float if WANTED == "determinant" else int] = result(n),
    ):
        tid = wp.tid()
        value = TEST(quads[tid, 0], quads[tid, 1], quads[tid, 2], quads[tid, COUNT - 1])
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
    """Whether each point lies in {POLYGON}, by {TEST}; {GIVES}."""
    n, count, corners = c.size(10, 14), c.size(3, 5), c.size(5, 8)
    POLYGON = c.meaning("a polygon", "one of several polygons", "the polygon of its own")
    TEST = c.meaning("crossings of a ray", "the winding number", "the sum of angles")
    GIVES = c.meaning("one or zero is given", "points inside are moved out of the way")
    STEP = c.constant(0.5, 2.0)

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
        inside: wp.array[int] = result(n),
    ):
        tid = wp.tid()
        p = points[tid]
        if POLYGON == "one of several polygons":
            found = int(0)
            for shape in range(polygons.shape[0]):
                if TEST == "the sum of angles":
                    angle = float(0.0)
                    for k in range(polygons.shape[1]):
                        angle += angle_at(p, polygons[shape, k], polygons[shape, (k + 1) % polygons.shape[1]])
                    if wp.abs(angle) > wp.PI:
                        found = 1
                        break
                else:
                    turns = int(0)
                    for k in range(polygons.shape[1]):
                        turns += crosses(polygons[shape, k], polygons[shape, (k + 1) % polygons.shape[1]], p)
                    if turns % 2 != 0 if TEST == "crossings of a ray" else turns != 0:
                        found = 1
                        break
        else:
            last = polygon[polygon.shape[0] - 1] if POLYGON == "a polygon" else polygons[owner[tid], corners - 1]
            if TEST == "the sum of angles":
                angle = float(0.0)
            else:
                turns = int(0)
            for k in range(corners):
                here = polygon[k] if POLYGON == "a polygon" else polygons[owner[tid], k]
                if TEST == "the sum of angles":
                    angle += angle_at(p, last, here)
                else:
                    turns += crosses(last, here, p)
                last = here
            if TEST == "the sum of angles":
                found = 1 if wp.abs(angle) > wp.PI else 0
            elif TEST == "crossings of a ray":
                found = turns % 2
            else:
                found = 1 if turns != 0 else 0
        if GIVES == "one or zero is given":
            inside[tid] = found
        elif found == 1:
            points[tid] = p + wp.vec2(STEP, 0.0)


@idiom(
    level=3,
    names={
        "polygons": "polygons outlines shapes",
        "a b": "a b | here ahead | p q",
        "out": "out result values",
        "kernel": "measure_polygons integrate_outlines",
    },
)
def polygon_centroid(c):
    """The {WANTED} of each polygon, {STORED}, from the cross products of its edges{TOO}."""
    n, corners, total = c.size(7, 12), c.size(4, 8), c.size(18, 26)
    WANTED = c.meaning("centroid", "signed area", "polar moment", "middle of its outline")
    STORED = c.meaning("a row of an array", "a run of a list", "an inner and an outer ring")
    TOO = c.meaning("", "; its perimeter is given too") if WANTED != "middle of its outline" else ""
    Wanted = c.vec(2) if WANTED in ("centroid", "middle of its outline") else float
    LIST, RINGS = STORED == "a run of a list", STORED == "an inner and an outer ring"

    def cross(a: wp.vec2, b: wp.vec2) -> float:
        return a[0] * b[1] - a[1] * b[0]

    @c.kernel(n)
    def kernel(
        polygons: wp.array2d[wp.vec2] = given(n, corners, low=0.5, high=2.0),
        holes: wp.array2d[wp.vec2] = given(n, corners, low=0.5, high=1.0),
        vertices: wp.array[wp.vec2] = given(total, low=0.5, high=2.0),
        offsets: wp.array[int] = given(n + 1, low=0, high=total, trait="offsets"),
        out: wp.array[Wanted] = result(n),
        perimeter: wp.array[float] = result(n),
    ):
        tid = wp.tid()
