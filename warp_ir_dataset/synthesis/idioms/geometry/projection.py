"""Cameras: points to pixels, what is seen, and what covers a pixel."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=2, names={"depths": "depths buffer z", "out": "out distances linear", "kernel": "convert_depths"}
)
def linearize_depth(c):
    """The {WANTED} of each value of a depth buffer that holds {KIND}{BACKDROP}."""
    n = c.size(9, 14)
    NEAR, FAR = c.constant(0.1, 0.9), c.constant(10.0, 50.0)
    WANTED = c.meaning("distance from the eye", "distance between the planes, from 0 to 1,", "disparity")
    BACKDROP = c.meaning("", "; the backdrop becomes zero")

    def direct(z: float) -> float:
        """values from 0 at the near plane to 1"""
        return NEAR * FAR / (FAR - z * (FAR - NEAR))

    def symmetric(z: float) -> float:
        """values from -1 at the near plane to 1"""
        ndc = 2.0 * z - 1.0
        return 2.0 * NEAR * FAR / (FAR + NEAR - ndc * (FAR - NEAR))

    def reversed_z(z: float) -> float:
        """values from 1 at the near plane to 0"""
        return NEAR * FAR / (NEAR + z * (FAR - NEAR))

    def logarithmic(z: float) -> float:
        """logarithms"""
        return NEAR * wp.pow(FAR / NEAR, z)

    KIND = c.meaning(direct, symmetric, reversed_z, logarithmic)

    @c.kernel(n)
    def kernel(
        depths: wp.array[float] = given(n, low=0.0, high=1.0),
        out: wp.array[float] = result(n, of="distance" if "eye" in WANTED else None),
    ):
        tid = wp.tid()
        if BACKDROP:
            # what nothing was drawn to lies almost at the far plane
            if KIND(depths[tid]) > 0.8 * FAR:
                return
        distance = KIND(depths[tid])
        if WANTED == "distance from the eye":
            out[tid] = distance
        elif WANTED == "disparity":
            out[tid] = 1.0 / distance
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
    """Projects points into the image of a camera {POSE} with {LENS}{WARP}; {TOO}."""
    n = c.size(9, 14)
    POSE = c.meaning("given by its pose", "given by a matrix", "that looks along z")
    LENS = c.meaning("a pinhole", "parallel rays", "a fisheye lens")
    WARP = c.meaning("", " and radial distortion")
    TOO = c.meaning("nothing else is told", "depths are told too", "points behind it become zero")
    FOCAL, BARREL, CENTRE = c.constant(1.0, 3.0), c.constant(0.02, 0.15), c.constant(0.2, 0.8)

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="position"),
        pose: wp.transform = given(low=-1.0, high=1.0, trait="unit"),
        view: wp.mat44 = given(low=-1.0, high=1.0),
        pixels: wp.array[wp.vec2] = result(n),
        depths: wp.array[float] = result(n, of="distance"),
    ):
        tid = wp.tid()
        if POSE == "given by its pose":
            local = wp.transform_point(wp.transform_inverse(pose), points[tid])
        elif POSE == "given by a matrix":
            local = wp.transform_point(view, points[tid])
        else:
            local = points[tid] + wp.vec3(0.0, 0.0, 3.0)
        if TOO == "points behind it become zero":
            if local[2] < 0.1:
                return
        if LENS == "a pinhole":
            # nothing is nearer than the near plane
            depth = wp.max(local[2], 0.1)
            flat = wp.vec2(local[0], local[1]) / depth
        elif LENS == "parallel rays":
            flat = wp.vec2(local[0], local[1])
        else:
            side = wp.length(wp.vec2(local[0], local[1]))
            angle = wp.atan2(side, local[2])
            flat = angle / wp.max(side, 1.0e-4) * wp.vec2(local[0], local[1])
        if WARP:
            square = wp.dot(flat, flat)
            flat *= 1.0 + BARREL * square
        pixels[tid] = FOCAL * flat + wp.vec2(CENTRE, CENTRE)
        if TOO == "depths are told too":
            depths[tid] = local[2]


@idiom(
    level=3,
    names={
        "normals offsets": "normals offsets | plane_normals plane_offsets",
        "centres": "centres centers positions",
        "seen": "seen visible out",
        "kernel": "cull_objects test_frustum",
    },
)
def cull_balls(c):
    """The {WANTED} for each {OBJECT} against the planes of a frustum that look inwards{RANGE}."""
    n = c.size(10, 14)
    WANTED = c.meaning(
        "visibility", "first plane that it lies behind", "number of planes that cut it", "margin"
    )
    OBJECT = c.meaning("ball", "upright box", "turned box", "point") if WANTED[0] != "n" else "ball"
    RANGE = c.meaning("", "; what is far from the eye is left out")
    LIMIT = c.constant(2.0, 4.0)

    @c.kernel(n)
    def kernel(
        normals: wp.array[wp.vec3] = given(6, low=-1.0, high=1.0, trait="unit"),
        offsets: wp.array[float] = given(6, low=0.2, high=2.0),
        centres: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="position"),
        radii: wp.array[float] = given(n, low=0.2, high=1.5),
        extents: wp.array[wp.vec3] = given(n, low=0.2, high=1.5),
        turns: wp.array[wp.quat] = given(n, low=-1.0, high=1.0, trait="unit"),
        eye: wp.vec3 = given(low=-1.0, high=1.0),
        seen: wp.array[float if WANTED == "margin" else int] = result(n),
    ):
        tid = wp.tid()
        centre = centres[tid]
        if RANGE:
            if wp.length(centre - eye) > LIMIT:
                seen[tid] = -1.0 if WANTED == "margin" else -1
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
            # how far the object reaches towards the plane
            if OBJECT == "ball":
                reach = radii[tid]
            elif OBJECT == "upright box":
                reach = wp.dot(extents[tid], wp.abs(normal))
            elif OBJECT == "turned box":
                reach = wp.dot(extents[tid], wp.abs(wp.quat_rotate_inv(turns[tid], normal)))
            else:
                reach = 0.0
            if WANTED == "margin":
                found = wp.min(found, distance + reach)
            elif WANTED[0] == "n":
                if wp.abs(distance) < reach:
                    found += 1
            elif distance < -reach:
                found = 0 if WANTED == "visibility" else k
                break
        seen[tid] = found


@idiom(
    level=3,
    names={
        "source": "source image texture",
        "out": "out warped target",
        "row col": "row col | i j | y x",
        "kernel": "warp_image resample_image",
    },
)
def homography_warp(c):
    """Draws a picture again through {MAP}, {FILTER}{MIXED}; what falls outside is {OUTSIDE}."""
    rows, cols, height, width = c.size(5, 8), c.size(5, 8), c.size(5, 8), c.size(5, 8)
    MAP = c.meaning("a homography", "an affine map", "a lens with distortion")
    FILTER = c.meaning("bilinearly", "by the nearest pixel")
    MIXED, BARREL, OPACITY = (
        c.meaning("", ", mixed with what is there"),
        c.constant(0.05, 0.3),
        c.constant(0.2, 0.8),
    )
    OUTSIDE = c.meaning("taken from the rim", "left as it was" if MIXED else "black")
    pictures = updated(rows, cols, low=0.1, high=0.5) if MIXED else result(rows, cols)

    @c.kernel(rows, cols)
    def kernel(
        source: wp.array2d[float] = given(height, width, low=0.0, high=1.0),
        homography: wp.mat33 = given(low=0.1, high=0.9, trait="dominant"),
        linear: wp.mat22 = given(low=-1.2, high=1.2, trait="dominant"),
        shift: wp.vec2 = given(low=0.0, high=1.5),
        out: wp.array2d[float] = pictures,
    ):
        row, col = wp.tid()
        if MAP == "a homography":
            h = homography * wp.vec3(float(col), float(row), 1.0)
            x = h[0] / h[2]
            y = h[1] / h[2]
        elif MAP == "an affine map":
            p = linear * wp.vec2(float(col), float(row)) + shift
            x = p[0]
            y = p[1]
        else:
            dx = (float(col) + shift[0]) / float(out.shape[1]) - 0.5
            dy = (float(row) + shift[1]) / float(out.shape[0]) - 0.5
            scale = 1.0 + BARREL * (dx * dx + dy * dy)
            x = (scale * dx + 0.5) * float(source.shape[1] - 1)
            y = (scale * dy + 0.5) * float(source.shape[0] - 1)
        if OUTSIDE != "taken from the rim":
            if x < 0.0 or y < 0.0 or x > float(source.shape[1] - 1) or y > float(source.shape[0] - 1):
                return
        if FILTER == "by the nearest pixel":
            i = wp.clamp(int(wp.round(y)), 0, source.shape[0] - 1)
            j = wp.clamp(int(wp.round(x)), 0, source.shape[1] - 1)
            value = source[i, j]
        else:
            i = wp.clamp(int(wp.floor(y)), 0, source.shape[0] - 2)
            j = wp.clamp(int(wp.floor(x)), 0, source.shape[1] - 2)
            s = wp.clamp(x - float(j), 0.0, 1.0)
            t = wp.clamp(y - float(i), 0.0, 1.0)
            upper = wp.lerp(source[i, j], source[i, j + 1], s)
            lower = wp.lerp(source[i + 1, j], source[i + 1, j + 1], s)
            value = wp.lerp(upper, lower, t)
        if MIXED:
            out[row, col] = wp.lerp(out[row, col], value, OPACITY)
        else:
            out[row, col] = value


@idiom(
    level=4,
    names={
        "starts ends": "starts ends | heads tails | p0 p1",
        "enter leave": "enter leave | t0 t1",
        "inside": "inside visible kept",
        "kernel": "clip_lines trim_segments",
    },
)
def clip_segment(c):
    """Cuts segments in {DIM} dimensions off at {REGION}; {GONE}{FLAGS}."""
    n, DIM = c.size(9, 14), c.meaning(2, 3)
    REGION = c.meaning("a box about the origin", "a box of their own", "a plane", "a ball")
    GONE = c.meaning("what lies outside stays as it is", "what lies outside shrinks to its middle")
    FLAGS = c.meaning("", "; those that are left are flagged")
    Vec, SIZE = c.vec(DIM), c.constant(0.6, 1.4)

    @c.kernel(n)
    def kernel(
        starts: wp.array[Vec] = updated(n, low=-2.0, high=2.0),
        ends: wp.array[Vec] = updated(n, low=-2.0, high=2.0),
        lower: wp.array[Vec] = given(n, low=-1.6, high=-0.2),
        upper: wp.array[Vec] = given(n, low=0.2, high=1.6),
        normal: Vec = given(low=-1.0, high=1.0, trait="unit"),
        inside: wp.array[int] = result(n),
    ):
        tid = wp.tid()
        a = starts[tid]
        way = ends[tid] - a
        enter = float(0.0)
        leave = float(1.0)
        if REGION == "a plane":
            before = wp.dot(normal, a) + 0.5 * SIZE
            after = wp.dot(normal, a + way) + 0.5 * SIZE
            if before < 0.0 and after < 0.0:
                leave = -1.0
            elif before < 0.0:
                enter = before / (before - after)
            elif after < 0.0:
                leave = before / (before - after)
        elif REGION == "a ball":
            half = wp.dot(a, way)
            square = wp.max(wp.dot(way, way), 1.0e-4)
            rest = half * half - square * (wp.dot(a, a) - SIZE * SIZE)
            if rest < 0.0:
                leave = -1.0
            else:
                enter = wp.max((-half - wp.sqrt(rest)) / square, 0.0)
                leave = wp.min((wp.sqrt(rest) - half) / square, 1.0)
        else:
            for k in range(DIM):
                if wp.abs(way[k]) > 1.0e-6:
                    if REGION == "a box of their own":
                        first = (lower[tid][k] - a[k]) / way[k]
                        second = (upper[tid][k] - a[k]) / way[k]
                    else:
                        first = (-SIZE - a[k]) / way[k]
                        second = (SIZE - a[k]) / way[k]
                    enter = wp.max(enter, wp.min(first, second))
                    leave = wp.min(leave, wp.max(first, second))
        if enter > leave:
            if GONE == "what lies outside shrinks to its middle":
                starts[tid] = a + 0.5 * way
                ends[tid] = a + 0.5 * way
            return
        starts[tid] = a + enter * way
        ends[tid] = a + leave * way
        if FLAGS:
            inside[tid] = 1


@idiom(
    level=4,
    names={
        "points": "points particles positions",
        "image": "image frame density",
        "weights": "weights energies masses",
        "kernel": "draw_points scatter_points",
    },
)
def splat_points(c):
    """Adds points to an image, seen {VIEW}, {SPREAD}{SHADE}; those outside {OUTSIDE}."""
    n, rows, cols = c.size(9, 14), c.size(5, 8), c.size(5, 8)
    VIEW = c.meaning("from above", "by a camera with a pose", "in perspective")
    SPREAD = c.meaning("spread over four pixels", "each in one pixel", "with a round spot")
    SHADE = c.meaning("", ", dimmed by distance")
    OUTSIDE = "are left out" if SPREAD == "with a round spot" else c.meaning("are left out", "wrap around")
    ZOOM, WIDTH = c.constant(0.8, 2.0), c.constant(0.5, 1.5)

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5, of="position"),
        weights: wp.array[float] = given(n, low=0.5, high=2.0, of="colour"),
        camera: wp.transform = given(low=-0.5, high=0.5, trait="unit"),
        image: wp.array2d[float] = updated(rows, cols, low=0.0, high=0.5),
    ):
        tid = wp.tid()
        if VIEW == "from above":
            p = points[tid]
            x = ZOOM * p[0]
            y = ZOOM * p[2]
        elif VIEW == "in perspective":
            p = points[tid] + wp.vec3(0.0, 0.0, 3.0)
            x = 3.0 * ZOOM * p[0] / p[2]
            y = 3.0 * ZOOM * p[1] / p[2]
        else:
            p = wp.transform_point(wp.transform_inverse(camera), points[tid])
            x = ZOOM * p[0]
            y = ZOOM * p[1]
        weight = weights[tid]
        if SHADE:
            weight *= wp.exp(-0.3 * wp.length(p))
        # the middle of the picture is the origin
        u = x + 0.5 * float(image.shape[1] - 1)
        v = y + 0.5 * float(image.shape[0] - 1)
        col = int(wp.floor(u))
        row = int(wp.floor(v))
        if OUTSIDE == "are left out":
            if row < 0 or col < 0 or row > image.shape[0] - 2 or col > image.shape[1] - 2:
                return
        if SPREAD == "each in one pixel":
            if OUTSIDE == "are left out":
                image[row, col] += weight
            else:
                rows = image.shape[0]
                cols = image.shape[1]
                image[(row % rows + rows) % rows, (col % cols + cols) % cols] += weight
        elif SPREAD == "spread over four pixels":
            s = u - float(col)
            t = v - float(row)
            if OUTSIDE == "are left out":
                image[row, col] += weight * (1.0 - s) * (1.0 - t)
                image[row, col + 1] += weight * s * (1.0 - t)
                image[row + 1, col] += weight * (1.0 - s) * t
                image[row + 1, col + 1] += weight * s * t
            else:
                for k in range(4):
                    share = wp.where(k % 2 == 0, 1.0 - s, s) * wp.where(k < 2, 1.0 - t, t)
                    i = ((row + k // 2) % image.shape[0] + image.shape[0]) % image.shape[0]
                    j = ((col + k % 2) % image.shape[1] + image.shape[1]) % image.shape[1]
                    image[i, j] += weight * share
        else:
            for i in range(image.shape[0]):
                for j in range(image.shape[1]):
                    dx = float(j) - u
                    dy = float(i) - v
                    image[i, j] += weight * wp.exp(-(dx * dx + dy * dy) / (2.0 * WIDTH * WIDTH))


@idiom(
    level=5,
    names={
        "corners": "corners clip_vertices screen",
        "image": "image frame color_buffer",
        "depth": "depth z_buffer depths",
        "row col": "row col | i j | y x",
        "kernel": "draw_triangles fill_triangles",
    },
)
def rasterize_triangles(c):
    """Draws triangles {SIDE} into an image, {ORDER}, with {VALUE}{SAMPLES}."""
    rows, cols, count = c.size(5, 8), c.size(5, 8), c.size(4, 7)
    SIDE = c.meaning("from both sides", "whose front is seen")
    ORDER = c.meaning("nearest first", "mixed by their opacity", "over what was there by depth")
    VALUE = c.meaning(
        "values of corners", "values in true perspective", "flat shading", "the width of a wire"
    )
    SAMPLES = c.meaning("", ", four samples a pixel") if ORDER[:4] != "over" else ""
    OPACITY, WIRE = c.constant(0.3, 0.8), c.constant(0.05, 0.2)
    image_buffer = updated(rows, cols, low=0.0, high=0.4) if ORDER[:4] == "over" else result(rows, cols)

    def side_of(a: wp.vec3, b: wp.vec3, p: wp.vec2) -> float:
        """Twice the area of the triangle that a point spans with an edge."""
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    def weights_at(a: wp.vec3, b: wp.vec3, d: wp.vec3, p: wp.vec2) -> wp.vec3:
        """Barycentric weights, the first below zero outside."""
        area = side_of(a, b, wp.vec2(d[0], d[1]))
        if SIDE == "whose front is seen":
            if area < 1.0e-3:
                return wp.vec3(-1.0, 0.0, 0.0)
        elif wp.abs(area) < 1.0e-3:
            return wp.vec3(-1.0, 0.0, 0.0)
        w = wp.vec3(side_of(b, d, p), side_of(d, a, p), side_of(a, b, p)) / area
        return w if wp.min(w) >= 0.0 else wp.vec3(-1.0, 0.0, 0.0)

    def shade(values: wp.array2d[float], k: int, w: wp.vec3, z: wp.vec3) -> float:
        if VALUE == "flat shading":
            return (values[k, 0] + values[k, 1] + values[k, 2]) / 3.0
        if VALUE == "the width of a wire":
            return wp.where(wp.min(w) < WIRE, values[k, 0], 0.1 * values[k, 1])
        if VALUE == "values in true perspective":
            # what is linear on the screen is the value over the depth
            over = wp.vec3(w[0] / z[0], w[1] / z[1], w[2] / z[2])
            total = over[0] * values[k, 0] + over[1] * values[k, 1] + over[2] * values[k, 2]
            return total / (over[0] + over[1] + over[2])
        return w[0] * values[k, 0] + w[1] * values[k, 1] + w[2] * values[k, 2]

    def colour_at(corners: wp.array2d[wp.vec3], values: wp.array2d[float], p: wp.vec2) -> wp.vec2:
        """The colour at a place of the image, and its depth."""
        nearest = float(10.0)
        colour = float(0.0)
        for k in range(corners.shape[0]):
            w = weights_at(corners[k, 0], corners[k, 1], corners[k, 2], p)
            if w[0] >= 0.0:
                z = wp.vec3(corners[k, 0][2], corners[k, 1][2], corners[k, 2][2])
                if ORDER == "mixed by their opacity":
                    colour = wp.lerp(colour, shade(values, k, w, z), OPACITY)
                    nearest = wp.min(nearest, wp.dot(w, z))
                elif wp.dot(w, z) < nearest:
                    nearest = wp.dot(w, z)
                    colour = shade(values, k, w, z)
        return wp.vec2(colour, nearest)

    @c.kernel(rows, cols)
    def kernel(
        corners: wp.array2d[wp.vec3] = given(count, 3, low=0.5, high=7.5),
        values: wp.array2d[float] = given(count, 3, low=0.2, high=1.0),
        image: wp.array2d[float] = image_buffer,
        depth: wp.array2d[float] = updated(rows, cols, low=2.0, high=8.0),
    ):
        row, col = wp.tid()
        if SAMPLES:
            total = float(0.0)
            for k in range(4):
                x = float(col) + 0.25 + 0.5 * float(k % 2)
                y = float(row) + 0.25 + 0.5 * float(k // 2)
                total += colour_at(corners, values, wp.vec2(x, y))[0]
            image[row, col] = 0.25 * total
        else:
            found = colour_at(corners, values, wp.vec2(float(col) + 0.5, float(row) + 0.5))
            if ORDER == "over what was there by depth":
                if found[1] < depth[row, col]:
                    depth[row, col] = found[1]
                    image[row, col] = wp.lerp(image[row, col], found[0], OPACITY)
            else:
                image[row, col] = found[0]
