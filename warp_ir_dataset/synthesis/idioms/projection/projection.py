"""Cameras: projection of points to pixels, visibility, and coverage of a pixel."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    names={"depths": "depths buffer z_buffer", "drawn": "drawn mask covered", "kernel": "convert_depths"},
)
def linearize_depth(c):
    """The {WANTED} for each value of a depth buffer that holds {HELD}{BACKDROP}.

    Undo the projection of the depth buffer {depths}. A stored depth z is {KIND}. With these planes at n =
    {NEAR} and f = {FAR}, it stands for the depth d = {MAP} ahead of the eye. {GETS}.{NONE}
    """
    n = c.size(9, 14)
    NEAR, FAR = c.constant(0.1, 0.9, step=0.1), c.constant(10.0, 50.0, step=10.0)
    WANTED = c.meaning(
        "depth ahead of the eye",
        "linear depth between the planes, from 0 to 1,",
        "inverse depth",
        "distance from the eye",
    )
    OUT = {"inverse depth": "disparities", "distance from the eye": "distances"}.get(WANTED, "linear")
    c.names({"distance": "depth z_eye", "out": f"out {OUT}"})
    if WANTED == "inverse depth":
        c.names({"kernel": "convert_depths depth_to_disparity"})
    elif WANTED == "distance from the eye":
        c.names({"kernel": "convert_depths depth_to_distance"})
    BACKDROP = c.meaning("", "; where nothing was drawn it is zero")

    def from_unit(z: float) -> float:
        """Undoes a perspective whose depths go from 0 to 1."""
        return NEAR * FAR / (FAR - z * (FAR - NEAR))

    def from_symmetric(z: float) -> float:
        """Undoes a perspective whose depths go from -1 to 1."""
        return 2.0 * NEAR * FAR / (FAR + NEAR - z * (FAR - NEAR))

    def from_reversed(z: float) -> float:
        """Undoes a perspective whose depths go from 1 to 0."""
        return NEAR * FAR / (NEAR + z * (FAR - NEAR))

    def from_logarithm(z: float) -> float:
        return NEAR * wp.pow(FAR / NEAR, z)

    eye_depth = c.meaning(from_unit, from_symmetric, from_reversed, from_logarithm)
    HELD = {
        from_unit: "0 at the near plane and 1 at the far one",
        from_symmetric: "-1 at the near plane and 1 at the far one",
        from_reversed: "1 at the near plane and 0 at the far one",
        from_logarithm: "logarithms, 0 at the near plane and 1 at the far one",
    }[eye_depth]
    LOWEST = -1.0 if eye_depth is from_symmetric else 0.0
    KIND = HELD.replace("logarithms", "logarithmic")
    MAP = {
        from_unit: "n·f / (f - z·(f - n))",
        from_symmetric: "2·n·f / (f + n - z·(f - n))",
        from_reversed: "n·f / (n + z·(f - n))",
        from_logarithm: "n·(f/n)^z",
    }[eye_depth]
    GETS = {
        "depth ahead of the eye": "{out} gets d",
        "linear depth between the planes, from 0 to 1,": "{out} gets the linear depth (d - n) / (f - n)",
        "inverse depth": "{out} gets 1/d",
        "distance from the eye": "{out} gets the distance d·√(1 + |s|²) along the ray of the pixel, with "
        "the slopes s in {slopes}",
    }[WANTED]
    NONE = " Pixels whose {drawn} is 0 get 0 instead." if BACKDROP else ""

    @c.kernel(n)
    def kernel(
        depths: wp.array[float] = input(n, low=LOWEST, high=1.0),
        slopes: wp.array[wp.vec2] = input(n, low=-1.0, high=1.0),
        drawn: wp.array[int] = input(n, low=0, high=1),
        out: wp.array[float] = output(n, of="distance" if "eye" in WANTED else None),
    ):
        tid = wp.tid()
        if BACKDROP:
            if drawn[tid] == 0:
                out[tid] = 0.0
                return
        distance = eye_depth(depths[tid])
        if WANTED == "inverse depth":
            out[tid] = 1.0 / distance
        elif WANTED == "depth ahead of the eye":
            out[tid] = distance
        elif WANTED == "distance from the eye":
            # how the ray of the pixel leans to the side
            slope = slopes[tid]
            out[tid] = distance * wp.sqrt(1.0 + wp.dot(slope, slope))
        else:
            out[tid] = (distance - NEAR) / (FAR - NEAR)


CAMERA = {
    "points": "points world_points positions",
    "pose": "pose camera camera_pose",
    "pixels": "pixels uv image_points",
    "local": "local p_cam in_camera",
}


@idiom(level=3, names={**CAMERA, "kernel": "world_to_pixels project"})
def project_points(c):
    """Projects points into the image of {LENS} camera {POSE}{WARP}{TOO}.

    Project points to pixels of {LENS} camera. {PLACE}. Its image is {IMAGE}.{BENT} {pixels} gets {FOCAL}·m
    with {CENTRE} added to both components.{LEFT}{DEPTHS}
    """
    n = c.size(9, 14)
    POSE = c.meaning("with a pose", "with a view matrix", "that looks along z towards the origin")
    LENS = c.meaning("a pinhole", "a parallel-projection", "a fisheye")
    WARP = c.meaning("", ", with radial distortion")
    NEARER = "; what is nearer than the near plane becomes zero"
    ASIDE = "; what is out of its field of view becomes zero"
    if LENS == "a pinhole":
        # what is behind the eye has no image
        TOO = c.meaning(
            "; depths stop at the near plane", "; stores depths, the near plane's at least", NEARER
        )
    else:
        TOO = c.meaning("", "; stores depths too", NEARER if LENS == "a parallel-projection" else ASIDE)
    # in pixels, but for the distortion
    FOCAL, K1, CENTRE = c.constant(200.0, 600.0), c.constant(0.02, 0.15), c.constant(120.0, 400.0)
    NEAR, AWAY, WIDEST = c.constant(0.2, 1.0), c.constant(1.2, 2.4), c.constant(0.7, 1.5)
    if LENS == "a parallel-projection":
        c.names({"FOCAL": "SCALE PIXELS_PER_UNIT"})
    PLACE = {
        "with a pose": "The camera stands in the world by {pose}, so that the inverse of it takes "
        "{points} to camera coordinates (x, y, z)",
        "with a view matrix": "{view} takes {points} to camera coordinates (x, y, z), the first three "
        "components of its product with (point, 1), without a division",
        "that looks along z towards the origin": "The camera looks along +z and stands at (0, 0, "
        "-{AWAY}), so that its coordinates (x, y, z) are those of {points} with {AWAY} added to z",
    }[POSE]
    IMAGE = {
        "a pinhole": "m = (x, y) / z" if TOO == NEARER else "m = (x, y) / max(z, {NEAR})",
        "a parallel-projection": "m = (x, y)",
        "a fisheye": "m = a·(x, y) / max(r, 0.0001), where r = √(x² + y²) and a = atan2(r, z) is the "
        "angle off the axis (an equidistant fisheye)",
    }[LENS]
    BENT = ""
    if WARP:
        BENT = " Radial distortion multiplies m by 1 + {K1}·|m|²."
    LEFT = ""
    if TOO == NEARER:
        LEFT = " Points with z < {NEAR} get (0, 0)."
    elif TOO == ASIDE:
        LEFT = " Points with an angle a > {WIDEST} get (0, 0)."
    DEPTHS = ""
    if "stores" in TOO:
        DEPTHS = " {depths} gets max(z, {NEAR})." if LENS == "a pinhole" else " {depths} gets z."

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="position"),
        pose: wp.transform = input(low=-1.0, high=1.0, trait="unit"),
        view: wp.mat44 = input(low=-1.0, high=1.0),
        pixels: wp.array[wp.vec2] = output(n),
        depths: wp.array[float] = output(n, of="distance"),
    ):
        tid = wp.tid()
        if POSE == "with a pose":
            local = wp.transform_point(wp.transform_inverse(pose), points[tid])
        elif POSE == "with a view matrix":
            local = wp.transform_point(view, points[tid])
        else:
            # the camera stands this far before the origin
            local = points[tid] + wp.vec3(0.0, 0.0, AWAY)
        if TOO == NEARER:
            if local[2] < NEAR:
                pixels[tid] = wp.vec2(0.0)
                return
        if LENS == "a pinhole" and TOO == NEARER:
            flat = wp.vec2(local[0], local[1]) / local[2]
        elif LENS == "a pinhole":
            depth = wp.max(local[2], NEAR)
            flat = wp.vec2(local[0], local[1]) / depth
        elif LENS == "a parallel-projection":
            flat = wp.vec2(local[0], local[1])
        else:
            side = wp.length(wp.vec2(local[0], local[1]))
            # the angle off the axis becomes the distance from the centre
            angle = wp.atan2(side, local[2])
            if TOO == ASIDE:
                if angle > WIDEST:
                    pixels[tid] = wp.vec2(0.0)
                    return
            flat = angle / wp.max(side, 1.0e-4) * wp.vec2(local[0], local[1])
        if WARP:
            square = wp.dot(flat, flat)
            flat *= 1.0 + K1 * square
        pixels[tid] = FOCAL * flat + wp.vec2(CENTRE, CENTRE)
        if "stores" in TOO:
            depths[tid] = depth if LENS == "a pinhole" else local[2]


@idiom(
    level=3,
    names={
        "normals offsets": "normals offsets | plane_normals plane_offsets",
        "centres": "centres centers positions",
        "extents": "half_extents half_sizes",
        "kernel": "cull_objects test_frustum",
    },
)
def cull_balls(c):
    """The {TOLD} for each {OBJECT} against the planes of a frustum whose normals point inwards{RANGE}.

    Test {SHAPE} against the six planes of a view frustum. {APART} to plane j is d = `{normals}[j] ·
    {centres}[k] + {offsets}[j]`; normals are unit vectors and point inwards.{REACH} {GETS}.{TOO_FAR}
    """
    n = c.size(10, 14)
    WANTED = c.meaning("visibility", "first separating plane", "number of intersected planes", "margin")
    OBJECT = c.meaning("ball", "upright box", "turned box", "point") if WANTED[0] != "n" else "ball"
    # any number may be a margin, so that none can say that it was not found
    FAR = False if WANTED == "margin" else c.meaning(False, True)
    RANGE = "" if not FAR else f", {0 if WANTED == 'visibility' else -1} where its centre is far from the eye"
    TOLD = {
        "visibility": "visibility (1 or 0)",
        "first separating plane": "first separating plane (6 for none)",
        "margin": "margin (negative outside)",
    }.get(WANTED, WANTED)
    LIMIT = c.constant(1.5, 2.5)
    c.names(
        {
            "seen found": {
                "visibility": "seen visible | visible is_seen",
                "first separating plane": "planes plane | out first",
                "number of intersected planes": "counts crossed | out count",
                "margin": "margins margin | out least",
            }[WANTED]
        }
    )
    if WANTED != "visibility":
        c.names(
            {
                "kernel": {
                    "first separating plane": "find_planes separating_planes",
                    "number of intersected planes": "count_planes count_crossed_planes",
                    "margin": "frustum_margins measure_margins",
                }[WANTED]
            }
        )
    elif OBJECT != "ball":
        c.names({"kernel": "cull_objects test_frustum"})
    if OBJECT == "point":
        c.names({"centres": "points positions", "centre": "point p"})
    SHAPE = {
        "ball": "ball k with the middle `{centres}[k]` and the radius r = `{radii}[k]`",
        "upright box": "axis-aligned box k with the middle `{centres}[k]` and half the sides `{extents}[k]`,",
        "turned box": "box k with the middle `{centres}[k]` and half the sides `{extents}[k]`, turned "
        "about its middle by `{turns}[k]`,",
        "point": "point k",
    }[OBJECT]
    REACH = {
        "ball": "",
        "upright box": " With half the sides h and the normal n, its reach towards the plane is r = "
        "h.x·|n.x| + h.y·|n.y| + h.z·|n.z|.",
        "turned box": " With half the sides h and the normal n in the frame of the box, its reach "
        "towards the plane is r = h.x·|n.x| + h.y·|n.y| + h.z·|n.z|.",
        "point": "",
    }[OBJECT]
    APART = "Its signed distance" if OBJECT == "point" else "The signed distance of its middle"
    OUTER = "0" if OBJECT == "point" else "-r"
    INNER = "d" if OBJECT == "point" else "d + r"
    GETS = {
        "visibility": "{seen} gets 0 if d < {OUTER} for any plane, so that it is outside, and otherwise 1",
        "first separating plane": "{seen} gets the least index of a plane with d < {OUTER}, which it is "
        "outside of, and 6 if there is none",
        "number of intersected planes": "{seen} gets the number of planes with |d| < r, which cut the ball",
        "margin": "{seen} gets the least {INNER} over all planes (below 1000), which is negative outside",
    }[WANTED]
    TOO_FAR = ""
    if FAR:
        SAID = "0" if WANTED == "visibility" else "-1"
        TOO_FAR = " If it is farther than {LIMIT} from {eye}, {seen} gets {SAID} whatever the planes say."

    @c.kernel(n)
    def kernel(
        normals: wp.array[wp.vec3] = input(6, low=-1.0, high=1.0, trait="unit"),
        offsets: wp.array[float] = input(6, low=0.2, high=2.0),
        centres: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="position"),
        radii: wp.array[float] = input(n, low=0.2, high=1.5),
        extents: wp.array[wp.vec3] = input(n, low=0.2, high=1.5),
        turns: wp.array[wp.quat] = input(n, low=-1.0, high=1.0, trait="unit"),
        eye: wp.vec3 = input(low=-1.0, high=1.0),
        seen: wp.array[float if WANTED == "margin" else int] = output(n),
    ):
        tid = wp.tid()
        centre = centres[tid]
        if FAR:
            if wp.length(centre - eye) > LIMIT:
                seen[tid] = 0 if WANTED == "visibility" else -1
                return
        if WANTED == "visibility":
            found = int(1)
        elif WANTED == "margin":
            found = float(1.0e3)
        else:
            found = int(6) if WANTED[0] == "f" else int(0)
        for k in range(6):
            normal = normals[k]
            distance = wp.dot(normal, centre) + offsets[k]
            if OBJECT == "ball":
                reach = radii[tid]
            elif OBJECT == "upright box":
                # how far the corners of the box reach towards the plane
                reach = wp.dot(extents[tid], wp.abs(normal))
            elif OBJECT == "turned box":
                # how far the corners of the box reach towards the plane, seen in the frame of the box
                reach = wp.dot(extents[tid], wp.abs(wp.quat_rotate_inv(turns[tid], normal)))
            if WANTED == "margin" and OBJECT == "point":
                found = wp.min(found, distance)
            elif WANTED == "margin":
                found = wp.min(found, distance + reach)
            elif WANTED[0] == "n":
                if wp.abs(distance) < reach:
                    found += 1
            elif distance < 0.0 if OBJECT == "point" else distance < -reach:
                found = 0 if WANTED == "visibility" else k
                break
        seen[tid] = found


@idiom(
    level=4,
    differentiable=False,
    names={
        "starts ends": "starts ends | tails heads | p0 p1",
        "enter leave": "enter leave | t0 t1",
        "inside": "inside visible kept",
        "HALF": "HALF HALF_WIDTH HALF_SIZE",
        "kernel": "clip_lines trim_segments",
    },
)
def clip_segment(c):
    """Clips segments in {DIM} dimensions in place to {REGION}; those outside {GONE}{FLAGS}.

    Clip segments in place to {WITHIN}. Segment k has the points A + t·(B - A), t in [0, 1], with A =
    `{starts}[k]` and B = `{ends}[k]`. {HOW}. Such a segment {STAY}. Any other segment is replaced by its part
    inside, with its ends in the same order.{FLAG}
    """
    n, DIM = c.size(9, 14), c.meaning(2, 3)
    REGION = c.meaning("a box about the origin", "a box of their own", "a half-space", "a ball")
    GONE = c.meaning("stay as they are", "shrink to their midpoints")
    FLAGS = c.meaning("", " and are flagged with 0, the others with 1")
    Vec, HALF, RADIUS, OFFSET = c.vec(DIM), c.constant(0.6, 1.4), c.constant(0.6, 1.4), c.constant(0.3, 0.7)
    WITHIN = {
        "a box about the origin": "the box with all coordinates in [-{HALF}, {HALF}]",
        "a box of their own": (
            "boxes of their own; that of segment k reaches from `{lower}[k]` to `{upper}[k]`"
        ),
        "a half-space": "the half-space {normal}·p + {OFFSET} ≥ 0",
        "a ball": "the ball about the origin with radius r = {RADIUS}",
    }[REGION]
    HOW = {
        "a half-space": "A segment is outside if both its ends are",
        "a ball": "With D = B - A and s = max(|D|², 0.0001) the line through the segment enters and "
        "leaves it at t = (-A·D ∓ √q) / s, where q = (A·D)² - s·(|A|² - r²). A segment is outside if q < "
        "0, or if no t in [0, 1] is between these two",
    }.get(
        REGION,
        "By the slab test of Liang and Barsky, each axis limits t to its range between the two "
        "sides there; for this, a component of B - A of at most 1e-6 in absolute value counts as 1e-6. A "
        "segment is outside if no t in [0, 1] is left",
    )
    STAY = (
        "stays as it is"
        if GONE == "stay as they are"
        else "shrinks to its midpoint, which becomes both its ends"
    )
    FLAG = " {inside} gets 0 for segments that are outside and 1 for the others." if FLAGS else ""

    @c.kernel(n)
    def kernel(
        starts: wp.array[Vec] = inout(n, low=-2.0, high=2.0),
        ends: wp.array[Vec] = inout(n, low=-2.0, high=2.0),
        lower: wp.array[Vec] = input(n, low=-1.6, high=-0.2),
        upper: wp.array[Vec] = input(n, low=0.2, high=1.6),
        normal: Vec = input(low=-1.0, high=1.0, trait="unit"),
        inside: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        a = starts[tid]
        way = ends[tid] - a
        enter = float(0.0)
        leave = float(1.0)
        if REGION == "a half-space":
            before = wp.dot(normal, a) + OFFSET
            after = wp.dot(normal, a + way) + OFFSET
            if before < 0.0 and after < 0.0:
                leave = -1.0
            elif before < 0.0:
                enter = before / (before - after)
            elif after < 0.0:
                leave = before / (before - after)
        elif REGION == "a ball":
            half = wp.dot(a, way)
            square = wp.max(wp.dot(way, way), 1.0e-4)
            rest = half * half - square * (wp.dot(a, a) - RADIUS * RADIUS)
            if rest < 0.0:
                leave = -1.0
            else:
                enter = wp.max((-half - wp.sqrt(rest)) / square, 0.0)
                leave = wp.min((wp.sqrt(rest) - half) / square, 1.0)
        else:
            for k in range(DIM):
                # what runs along a pair of sides meets them far away
                slope = wp.where(wp.abs(way[k]) > 1.0e-6, way[k], 1.0e-6)
                if REGION == "a box of their own":
                    at_lower = (lower[tid][k] - a[k]) / slope
                    at_upper = (upper[tid][k] - a[k]) / slope
                else:
                    at_lower = (-HALF - a[k]) / slope
                    at_upper = (HALF - a[k]) / slope
                enter = wp.max(enter, wp.min(at_lower, at_upper))
                leave = wp.min(leave, wp.max(at_lower, at_upper))
        if enter > leave:
            if GONE == "shrink to their midpoints":
                starts[tid] = a + 0.5 * way
                ends[tid] = a + 0.5 * way
            if FLAGS:
                inside[tid] = 0
            return
        starts[tid] = a + enter * way
        ends[tid] = a + leave * way
        if FLAGS:
            inside[tid] = 1


@idiom(
    level=2,
    names={
        **CAMERA,
        "pixels": "pixels uv image_points",
        "disparities": "disparities shifts",
        "depths": "depths depth_map",
        "depth": "depth z",
        "kernel": "pixels_to_points lift_pixels",
    },
)
def back_projection(c):
    """The {WANTED} of each pixel, from its {GIVEN}, for {LENS} camera.

    Lift pixels to 3D for {LENS} camera that looks along +z. For a pixel p in {pixels} let m = (p - c) /
    {FOCAL}, where c is the image centre, ({CENTRE}, {CENTRE}); {DEPTH}. The point in camera coordinates is
    {POINT}. {GETS}.
    """
    n = c.size(9, 14)
    GIVEN = c.meaning("depth", "distance from the eye", "disparity between two cameras")
    LENS = c.meaning("a pinhole", "a parallel-projection", "an equidistant fisheye")
    if LENS == "a parallel-projection":
        GIVEN = "depth"
        c.names({"FOCAL": "SCALE PIXELS_PER_UNIT"})
    elif LENS != "a pinhole":
        # rays at right angles to the axis have no depth
        GIVEN = "distance from the eye"
    if GIVEN == "distance from the eye":
        c.names({"depths": "ranges distances", "depth": "distance reach"})
    WANTED = c.meaning("point in front of the camera", "point in the world", "position on the ground plane")
    if WANTED == "point in front of the camera":
        c.names({"points": "points camera_points points_in_camera"})
    elif WANTED == "position on the ground plane":
        c.names({"points": "positions ground_positions"})
    # a focal length and a centre in pixels
    FOCAL, CENTRE, BASE = c.constant(200.0, 600.0), c.constant(120.0, 400.0), c.constant(0.1, 0.6)
    Wanted = c.vec(2) if WANTED == "position on the ground plane" else c.vec(3)
    DEPTH = "z is its entry of {depths}"
    if GIVEN == "disparity between two cameras":
        DEPTH = (
            "z = {FOCAL}·{BASE} / disparity, with its entry of {disparities} and the baseline {BASE} "
            "between two cameras"
        )
    elif GIVEN == "distance from the eye":
        DEPTH = "r is its entry of {depths}, the distance from the eye"
    if LENS == "a parallel-projection":
        POINT = "(m.x, m.y, z)"
    elif LENS != "a pinhole":
        POINT = "r·(sin(a)·m / a, cos(a)) with a = |m|, which counts as at least 1e-6 as the divisor"
    elif GIVEN == "distance from the eye":
        POINT = "r times the unit vector along (m.x, m.y, 1)"
    else:
        POINT = "z·(m.x, m.y, 1)"
    GETS = {
        "point in front of the camera": "{points} gets this point",
        "point in the world": "{points} gets the point in the world, to which {pose} takes it",
        "position on the ground plane": "{pose} takes it to the world, and {points} gets the x and z of "
        "it there",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        pixels: wp.array[wp.vec2] = input(n, low=0.0, high=640.0),
        disparities: wp.array[float] = input(n, low=20.0, high=200.0),
        depths: wp.array[float] = input(n, low=0.5, high=4.0),
        pose: wp.transform = input(low=-1.0, high=1.0, trait="unit"),
        points: wp.array[Wanted] = output(n),
    ):
        tid = wp.tid()
        flat = (pixels[tid] - wp.vec2(CENTRE, CENTRE)) / FOCAL
        if GIVEN == "disparity between two cameras":
            # near points move further from one image to the other
            depth = FOCAL * BASE / disparities[tid]
        else:
            depth = depths[tid]
        if LENS == "a parallel-projection":
            local = wp.vec3(flat[0], flat[1], depth)
        else:
            if LENS == "a pinhole":
                ray = wp.vec3(flat[0], flat[1], 1.0)
            else:
                angle = wp.length(flat)
                side = wp.sin(angle) / wp.max(angle, 1.0e-6)
                ray = wp.vec3(side * flat[0], side * flat[1], wp.cos(angle))
            if GIVEN == "distance from the eye" and LENS == "a pinhole":
                local = depth * wp.normalize(ray)
            else:
                local = depth * ray
        if WANTED == "point in front of the camera":
            points[tid] = local
        elif WANTED == "point in the world":
            points[tid] = wp.transform_point(pose, local)
        else:
            there = wp.transform_point(pose, local)
            points[tid] = wp.vec2(there[0], there[2])
