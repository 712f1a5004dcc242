"""What cameras draw: pictures warped, points and triangles on a screen."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


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
        points: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5),
        weights: wp.array[float] = given(n, low=0.5, high=2.0),
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
