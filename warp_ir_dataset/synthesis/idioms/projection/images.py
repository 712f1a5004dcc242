"""Images of cameras: warped pictures, points and triangles on a screen."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "source": "source texture src",
        "out": "out warped target",
        "row col": "row col | i j | y x",
        "kernel": "warp_image resample_image",
    },
)
def homography_warp(c):
    """Fills a picture from another one, read {FILTER} where {MAP} takes each pixel{MIXED}; {OUTSIDE}.

    Warp the picture {source} into {out}, by looking up where each pixel of {out} comes from. In a picture of
    h rows and w columns pixel (i, j) is at u = (j + ½) / w - ½, v = (i + ½) / h - ½, from the middle. For a
    pixel of {out}, {TO}. With h and w of {source}, this is at x = (p.x + ½)·w - ½, y = (p.y + ½)·h - ½ there,
    in columns and rows: {BEYOND}. Read {source} {READ}. {GETS}.
    """
    rows, cols, height, width = c.size(5, 8), c.size(5, 8), c.size(5, 8), c.size(5, 8)
    MAP = c.meaning("a homography", "an affine map", "barrel distortion")
    FILTER = c.meaning("bilinearly", "at the nearest pixel")
    MIXED, BARREL, OPACITY = (
        c.meaning("", ", mixed with what is there"),
        c.constant(0.6, 1.2),
        c.constant(0.2, 0.8),
    )
    CLAMPED = c.meaning(True, False)
    OUTSIDE = "what is outside is clamped to the edge" if CLAMPED else "what is outside is black"
    if MIXED and not CLAMPED:
        OUTSIDE = "what is outside changes nothing"
    pictures = inout(rows, cols, low=0.1, high=0.5) if MIXED else output(rows, cols)
    if MAP != "a homography":
        c.names({"kernel": "warp_image resample_image"})
    TO = {
        "a homography": "the homography takes it to p = (q.x, q.y) / q.z with q = {homography}·(u, v, 1)",
        "an affine map": "the affine map takes it to p = {linear}·(u, v) + {shift}",
        "barrel distortion": "barrel distortion takes it to p = (1 + {BARREL}·(u² + v²))·(u, v)",
    }[MAP]
    BEYOND = "clamp x to [0, w - 1] and y to [0, h - 1]"
    if not CLAMPED:
        BEYOND = "if x is not in [0, w - 1] or y not in [0, h - 1], the pixel of {out} "
        BEYOND += "stays as it is" if MIXED else "becomes 0"
    READ = (
        "by bilinear interpolation of the four pixels around it"
        if FILTER == "bilinearly"
        else "at the nearest pixel, with x and y rounded, halves away from 0"
    )
    GETS = "{out} gets this value"
    if MIXED:
        GETS = "{out} keeps 1 - {OPACITY} of its old value and gets {OPACITY} times this one added"

    @c.kernel(rows, cols)
    def kernel(
        source: wp.array2d[float] = input(height, width, low=0.0, high=1.0),
        homography: wp.mat33 = input(low=0.1, high=0.9, trait="dominant"),
        linear: wp.mat22 = input(low=-1.2, high=1.2, trait="dominant"),
        shift: wp.vec2 = input(low=-0.3, high=0.3),
        out: wp.array2d[float] = pictures,
    ):
        row, col = wp.tid()
        # from the middle of the picture, with its sides as units
        u = (float(col) + 0.5) / float(out.shape[1]) - 0.5
        v = (float(row) + 0.5) / float(out.shape[0]) - 0.5
        if MAP == "a homography":
            h = homography * wp.vec3(u, v, 1.0)
            p = wp.vec2(h[0], h[1]) / h[2]
        elif MAP == "an affine map":
            p = linear * wp.vec2(u, v) + shift
        else:
            p = (1.0 + BARREL * (u * u + v * v)) * wp.vec2(u, v)
        x = (p[0] + 0.5) * float(source.shape[1]) - 0.5
        y = (p[1] + 0.5) * float(source.shape[0]) - 0.5
        if CLAMPED:
            x = wp.clamp(x, 0.0, float(source.shape[1] - 1))
            y = wp.clamp(y, 0.0, float(source.shape[0] - 1))
        else:
            if x < 0.0 or y < 0.0 or x > float(source.shape[1] - 1) or y > float(source.shape[0] - 1):
                if not MIXED:
                    out[row, col] = 0.0
                return
        if FILTER == "at the nearest pixel":
            value = source[int(wp.round(y)), int(wp.round(x))]
        else:
            i = wp.min(int(y), source.shape[0] - 2)
            j = wp.min(int(x), source.shape[1] - 2)
            s = x - float(j)
            t = y - float(i)
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
    """Adds the weights of points to an image, seen {VIEW}, {SPREAD}{SHADE}; those outside are left out.

    Splat {points} with {weights} onto {image}, adding to its values. {SEEN}.{DIMMED} In an image of h rows
    and w columns the picture is one unit wide and high around its middle, so that the place in pixels is u =
    (X + ½)·w - ½ along a row and v = (Y + ½)·h - ½ down the rows. {SPOT}. Other points add nothing.
    """
    n, rows, cols = c.size(9, 14), c.size(5, 8), c.size(5, 8)
    VIEW = c.meaning("from above", "along the axis of a posed camera", "in perspective")
    SPREAD = c.meaning("spread over four pixels", "each in one pixel", "as Gaussian spots")
    # from above, nobody stands anywhere
    SHADE = c.meaning("", ", dimmed by distance") if VIEW != "from above" else ""
    ZOOM, WIDTH, AWAY = c.constant(0.36, 0.5), c.constant(0.5, 1.5), c.constant(2.5, 4.0)
    HAZE = c.constant(0.1, 0.4)
    SEEN = {
        "from above": "A point (x, y, z) is seen from above, at X = {ZOOM}·x and Y = {ZOOM}·z",
        "along the axis of a posed camera": "The inverse of the pose {camera} takes a point to its "
        "coordinates q in the camera; it is seen in parallel along z, at X = {ZOOM}·q.x and Y = "
        "{ZOOM}·q.y",
        "in perspective": "The eye is at (0, 0, -{AWAY}) and sees a point p with the offset q = p + (0, "
        "0, {AWAY}) in perspective, at X = {AWAY}·{ZOOM}·q.x / q.z and Y = {AWAY}·{ZOOM}·q.y / q.z",
    }[VIEW]
    DIMMED = ""
    if SHADE:
        DIMMED = " Its weight is multiplied by exp(-{HAZE}·|q|)."
    SPOT = {
        "each in one pixel": "Add all of its weight to the pixel nearest to (u, v), with both "
        "rounded, halves away from 0, if this is in the image",
        "spread over four pixels": "Spread its weight bilinearly over the four pixels around (u, v), "
        "from columns ⌊u⌋ and ⌊u⌋ + 1 and rows ⌊v⌋ and ⌊v⌋ + 1, if all of these are in the image",
        "as Gaussian spots": "If u is in [0, w - 1] and v in [0, h - 1], add weight·exp(-d² / "
        "(2·{WIDTH}²)) to every pixel of the image, where d is the distance in pixels between it and (u, "
        "v)",
    }[SPREAD]

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = input(n, low=-1.5, high=1.5, of="position"),
        weights: wp.array[float] = input(n, low=0.5, high=2.0, of="colour"),
        camera: wp.transform = input(low=-0.5, high=0.5, trait="unit"),
        image: wp.array2d[float] = inout(rows, cols, low=0.0, high=0.5),
    ):
        tid = wp.tid()
        if VIEW == "from above":
            p = points[tid]
            x = ZOOM * p[0]
            y = ZOOM * p[2]
        elif VIEW == "in perspective":
            # the eye stands this far before the origin
            p = points[tid] + wp.vec3(0.0, 0.0, AWAY)
            x = AWAY * ZOOM * p[0] / p[2]
            y = AWAY * ZOOM * p[1] / p[2]
        else:
            p = wp.transform_point(wp.transform_inverse(camera), points[tid])
            x = ZOOM * p[0]
            y = ZOOM * p[1]
        weight = weights[tid]
        if SHADE:
            weight *= wp.exp(-HAZE * wp.length(p))
        # the middle of the picture is the origin, and its sides are one
        u = (x + 0.5) * float(image.shape[1]) - 0.5
        v = (y + 0.5) * float(image.shape[0]) - 0.5
        if SPREAD == "each in one pixel":
            col = int(wp.round(u))
            row = int(wp.round(v))
            if row < 0 or col < 0 or row >= image.shape[0] or col >= image.shape[1]:
                return
        elif SPREAD == "as Gaussian spots":
            if u < 0.0 or v < 0.0 or u > float(image.shape[1] - 1) or v > float(image.shape[0] - 1):
                return
        else:
            col = int(wp.floor(u))
            row = int(wp.floor(v))
            if row < 0 or col < 0 or row > image.shape[0] - 2 or col > image.shape[1] - 2:
                return
        if SPREAD == "each in one pixel":
            image[row, col] += weight
        elif SPREAD == "spread over four pixels":
            s = u - float(col)
            t = v - float(row)
            image[row, col] += weight * (1.0 - s) * (1.0 - t)
            image[row, col + 1] += weight * s * (1.0 - t)
            image[row + 1, col] += weight * (1.0 - s) * t
            image[row + 1, col + 1] += weight * s * t
        else:
            for i in range(image.shape[0]):
                for j in range(image.shape[1]):
                    dx = float(j) - u
                    dy = float(i) - v
                    image[i, j] += weight * wp.exp(-(dx * dx + dy * dy) / (2.0 * WIDTH * WIDTH))


@idiom(
    level=5,
    differentiable=False,
    names={
        "corners": "corners screen_corners screen",
        "image": "image frame color_buffer",
        "depth": "depth z_buffer depth_buffer",
        "row col": "row col | i j | y x",
        "kernel": "draw_triangles fill_triangles",
    },
)
def rasterize_triangles(c):
    """Draws triangles {DATA}{SIDE} into an image, {ORDER}{VALUE}.

    Rasterize triangles into the picture {image}. Pixel (i, j), in row i and column j, has its centre at x = j
    + ½, y = i + ½. {FACE}

    {SHADED}{DRAWN}
    """
    rows, cols, points = c.size(5, 8), c.size(5, 8), c.size(6, 9)
    DATA = c.meaning("of a list", "of a mesh", "given by edge equations")
    MESH, EQUATIONS = DATA == "of a mesh", DATA == "given by edge equations"
    count = c.size(8, 10) if MESH else c.size(5, 7)
    SIDE = "" if EQUATIONS else c.meaning("", " with back-face culling")
    ORDER = c.meaning(
        "the nearest on top",
        "one blended over the other",
        "where they are nearer than what is there",
        "as an overdraw heat map",
    )
    if ORDER == "as an overdraw heat map":
        VALUE = ""
    else:
        VALUE = c.meaning(
            ", with interpolated corner values",
            ", with perspective-correct values",
            ", flat in the mean of their corner values",
            ", as a wireframe over dimmed faces",
        )
    OPACITY, WIRE = c.constant(0.3, 0.8), c.constant(0.05, 0.2)
    OVER = ORDER == "where they are nearer than what is there"
    DEEP = OVER or ORDER == "the nearest on top"
    buffers = inout(rows, cols, low=0.0, high=0.4) if OVER else output(rows, cols)

    def side_of(a: wp.vec2, b: wp.vec2, p: wp.vec2) -> float:
        """Twice the area of the triangle that a point spans with an edge."""
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    def weights_at(a: wp.vec2, b: wp.vec2, d: wp.vec2, p: wp.vec2) -> wp.vec3:
        """Barycentric weights, one of them below zero outside."""
        w = wp.vec3(side_of(b, d, p), side_of(d, a, p), side_of(a, b, p))
        area = w[0] + w[1] + w[2]
        if SIDE == " with back-face culling":
            return w / wp.max(area, 1.0e-3)
        return w / (wp.sign(area) * wp.max(wp.abs(area), 1.0e-3))

    def areas_at(a: wp.vec2, b: wp.vec2, d: wp.vec2, p: wp.vec2) -> wp.vec3:
        """Twice the areas that a point cuts a triangle into, one of them below zero outside."""
        w = wp.vec3(side_of(b, d, p), side_of(d, a, p), side_of(a, b, p))
        if SIDE == " with back-face culling":
            return w
        return wp.sign(w[0] + w[1] + w[2]) * w

    FLAT = VALUE == "" or (VALUE == ", flat in the mean of their corner values" and not DEEP)
    parts_at = areas_at if FLAT else weights_at

    def in_perspective(value: wp.vec3, z: wp.vec3, w: wp.vec3) -> float:
        """What is linear on the screen is the value over the depth."""
        over = wp.cw_div(w, z)
        return wp.dot(over, value) / (over[0] + over[1] + over[2])

    if EQUATIONS:
        FACE = (
            "Triangle k has the edge functions e = `{edges}[k]`·(x, y, 1), and covers the pixel if all "
            "three are positive."
        )
        if not FLAT:
            FACE += " Its barycentric weights are w = e over the sum of e."
    else:
        FACE = (
            "Triangle k has the corners {CORNERS}. It covers the pixel if the centre is strictly "
            "inside{FACING}."
        )
        if not FLAT:
            FACE += (
                " Let w be the barycentric weights of the centre; their divisor, twice the area, counts "
                "as at least 0.001 in absolute value."
            )
    CORNERS = "in row k of {corners}"
    if MESH:
        CORNERS = "in {vertices} whose indices are row k of {triangles}"
    FACING = ", whichever way the corners run"
    if SIDE:
        FACING = (
            " and the corners A, B, C run so that the cross product of B - A and C - A is positive; "
            "others are culled"
        )
    SHADED = {
        "": "",
        ", with interpolated corner values": "The shade of triangle k is the dot product of w and "
        "`{values}[k]`, the values at the corners. ",
        ", with perspective-correct values": "The shade of triangle k is perspective-correct: the sum of "
        "w·value / depth over the corners, divided by the sum of w / depth, with `{values}[k]` and "
        "`{depths}[k]` at the corners. ",
        ", flat in the mean of their corner values": "The shade of triangle k is the mean of `{values}[k]`. ",
        ", as a wireframe over dimmed faces": "The shade of triangle k is the dot product of w and "
        "`{values}[k]`, the values at the corners; if the least of w is not below {WIRE}, it is "
        "multiplied by 0.1, so that edges stand out. ",
    }[VALUE]
    DEEPER = "the dot product of w and `{depths}[k]`"
    if VALUE == ", with perspective-correct values":
        DEEPER = "1 over the sum of w / depth"
    DRAWN = {
        "the nearest on top": "The pixel of {image} gets the shade of the covering triangle with the "
        "least depth, {DEEPER}, the first one on ties, and 0 if there is none. Depths are below 1e6.",
        "one blended over the other": "The pixel of {image} starts at 0, and every covering triangle, in "
        "order, blends over it: the old value times 1 - {OPACITY} plus the shade times {OPACITY}.",
        "where they are nearer than what is there": "The triangles are drawn in order over {image} with "
        "the depth buffer {depth}: one whose depth, {DEEPER}, is less than that in the buffer replaces "
        "the value and the depth of the pixel. Both are updated.",
        "as an overdraw heat map": "The pixel of {image} gets the number of triangles that cover it.",
    }[ORDER]

    @c.kernel(rows, cols)
    def kernel(
        corners: wp.array2d[wp.vec2] = input(count, 3, low=-1.0, high=9.0),
        vertices: wp.array[wp.vec2] = input(points, low=-1.0, high=9.0),
        triangles: wp.array2d[int] = input(count, 3, low=0, high=points - 1),
        edges: wp.array[wp.mat33] = input(count, low=-0.1, high=0.15),
        depths: wp.array[wp.vec3] = input(count, low=1.0, high=8.0),
        values: wp.array[wp.vec3] = input(count, low=0.2, high=1.0),
        image: wp.array2d[float] = buffers,
        depth: wp.array2d[float] = inout(rows, cols, low=2.0, high=8.0),
    ):
        row, col = wp.tid()
        if EQUATIONS:
            p = wp.vec3(float(col) + 0.5, float(row) + 0.5, 1.0)
        else:
            p = wp.vec2(float(col) + 0.5, float(row) + 0.5)
        if DEEP:
            nearest = depth[row, col] if OVER else float(1.0e6)
        colour = image[row, col] if OVER else float(0.0)
        for k in range(edges.shape[0] if EQUATIONS else triangles.shape[0] if MESH else corners.shape[0]):
            if EQUATIONS:
                # edge functions, positive inside
                w = edges[k] * p
            elif MESH:
                a = vertices[triangles[k, 0]]
                b = vertices[triangles[k, 1]]
                w = parts_at(a, b, vertices[triangles[k, 2]], p)
            else:
                w = parts_at(corners[k, 0], corners[k, 1], corners[k, 2], p)
            if wp.min(w) <= 0.0:
                continue
            if EQUATIONS and not FLAT and (DEEP or VALUE != ", with perspective-correct values"):
                # edge functions are barycentric weights up to a factor
                w = w / (w[0] + w[1] + w[2])
            if ORDER == "as an overdraw heat map":
                colour += 1.0
            else:
                if VALUE == ", flat in the mean of their corner values":
                    shade = (values[k][0] + values[k][1] + values[k][2]) / 3.0
                elif VALUE == ", as a wireframe over dimmed faces":
                    full = wp.dot(w, values[k])
                    shade = wp.where(wp.min(w) < WIRE, full, 0.1 * full)
                elif VALUE == ", with perspective-correct values":
                    shade = in_perspective(values[k], depths[k], w)
                else:
                    shade = wp.dot(w, values[k])
                if ORDER == "one blended over the other":
                    colour = wp.lerp(colour, shade, OPACITY)
                else:
                    if VALUE == ", with perspective-correct values":
                        z = 1.0 / wp.dot(w, wp.cw_div(wp.vec3(1.0), depths[k]))
                    else:
                        z = wp.dot(w, depths[k])
                    if z < nearest:
                        nearest = z
                        colour = shade
        image[row, col] = colour
        if OVER:
            depth[row, col] = nearest


@idiom(
    level=3,
    differentiable=False,
    names={
        "spans": "spans half_sizes half_extents",
        "out": "out matrices view_projection",
        "m": "m proj lens",
        "ahead": "ahead forward z_sign",
        "place": "place eye position",
        "view": "view world_to_camera look",
        "kernel": "camera_matrices build_projections",
    },
)
def camera_matrices(c):
    """The {LENS} matrix of each camera{PLACED}, with depth {DEPTH}{HAND}.

    Build the {LENS} projection matrix of each camera k, for column vectors. The camera looks along {AHEAD},
    so that d = {AHEAD} is the depth ahead{DOWN}. With s = `{spans}[k]`, the matrix takes the point (x, y, z,
    1) to {CLIP}. {EASE} goes {RANGE} at the far plane d = {FAR}. {VIEWED}.
    """
    n = c.size()
    LENS = c.meaning("perspective", "orthographic", "oblique", "off-centre perspective")
    PLACED = c.meaning("", " times its translation", " times its view matrix", " times its look-at matrix")
    DEPTH = c.meaning(
        "from -1 at the near plane to 1", "from 0 at the near plane to 1", "from 1 at the near plane to 0"
    )
    if PLACED == " times its look-at matrix":
        # which looks along -z
        HAND = c.meaning("", ", with y downwards")
    else:
        HAND = c.meaning("", ", looking along z", ", with y downwards")
    NEAR, FAR = c.constant(0.1, 0.5, step=0.1), c.constant(5.0, 20.0, step=5.0)
    AHEAD = "z" if HAND == ", looking along z" else "-z"
    Y = "-y" if HAND == ", with y downwards" else "y"
    DOWN = "; y of the image runs downwards" if HAND == ", with y downwards" else ""
    CLIP = {
        "perspective": "(x / s.x, {Y} / s.y, ζ, d), so that s is half the window at distance 1",
        "off-centre perspective": "((x - d·c.x) / s.x, {MINUS}(y - d·c.y) / s.y, ζ, d), where c = "
        "`{shifts}[k]` is the middle of the window and s half its size, both at distance 1",
        "orthographic": "(x / s.x, {Y} / s.y, ζ, 1), so that s is half the size of the window",
        "oblique": "(x / s.x + h.x·z, {Y} / s.y + h.y·z, ζ, 1), so that s is half the size of the "
        "window; h = `{shifts}[k]` shears it",
    }[LENS]
    MINUS = "-" if HAND == ", with y downwards" else ""
    EASE = "ζ is linear in z and such that ζ/d" if "perspective" in LENS else "ζ is linear in z and"
    RANGE = DEPTH.replace("at the near plane", "at the near plane d = {NEAR}")
    VIEWED = {
        "": "{out} gets this matrix",
        " times its translation": "{out} gets this matrix times the translation by -`{places}[k]`, where "
        "the camera stands",
        " times its view matrix": "{out} gets this matrix times the view matrix, which takes a point p "
        "of the world to R⁻¹·(p - `{places}[k]`), where the rotation R is that of `{turns}[k]`",
        " times its look-at matrix": "{out} gets this matrix times the look-at matrix of a camera at e = "
        "`{places}[k]` that looks at `{targets}[k]`. It takes a point p of the world to the dot products "
        "of p - e with the unit vectors R (right), U (up) and B (back): B points from the target to e, R "
        "is along (0, 1, 0) × B, and U = B × R",
    }[PLACED]

    @c.kernel(n)
    def kernel(
        spans: wp.array[wp.vec2] = input(n, low=0.4, high=2.0),
        shifts: wp.array[wp.vec2] = input(n, low=-0.3, high=0.3),
        places: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0),
        targets: wp.array[wp.vec3] = input(n, low=2.5, high=5.0),
        turns: wp.array[wp.quat] = input(n, low=-1.0, high=1.0, trait="unit"),
        out: wp.array[wp.mat44] = output(n),
    ):
        tid = wp.tid()
        span = spans[tid]
        # the sign of z before the camera
        ahead = 1.0 if HAND == ", looking along z" else -1.0
        m = wp.identity(n=4, dtype=float)
        m[0, 0] = 1.0 / span.x
        m[1, 1] = -1.0 / span.y if HAND == ", with y downwards" else 1.0 / span.y
        if "perspective" in LENS:
            if LENS == "off-centre perspective":
                # the middle of the window lies off the axis
                m[0, 2] = -ahead * shifts[tid].x * m[0, 0]
                m[1, 2] = -ahead * shifts[tid].y * m[1, 1]
            # w is the distance ahead
            m[3, 2] = ahead
            m[3, 3] = 0.0
            if DEPTH == "from -1 at the near plane to 1":
                m[2, 2] = ahead * (FAR + NEAR) / (FAR - NEAR)
                m[2, 3] = -2.0 * FAR * NEAR / (FAR - NEAR)
            elif DEPTH == "from 0 at the near plane to 1":
                m[2, 2] = ahead * FAR / (FAR - NEAR)
                m[2, 3] = -FAR * NEAR / (FAR - NEAR)
            else:
                m[2, 2] = -ahead * NEAR / (FAR - NEAR)
                m[2, 3] = FAR * NEAR / (FAR - NEAR)
        else:
            if LENS == "oblique":
                m[0, 2] = shifts[tid].x
                m[1, 2] = shifts[tid].y
            if DEPTH == "from -1 at the near plane to 1":
                m[2, 2] = ahead * 2.0 / (FAR - NEAR)
                m[2, 3] = -(FAR + NEAR) / (FAR - NEAR)
            elif DEPTH == "from 0 at the near plane to 1":
                m[2, 2] = ahead / (FAR - NEAR)
                m[2, 3] = -NEAR / (FAR - NEAR)
            else:
                m[2, 2] = -ahead / (FAR - NEAR)
                m[2, 3] = FAR / (FAR - NEAR)
        if PLACED == " times its translation":
            place = places[tid]
            view = wp.identity(n=4, dtype=float)
            for k in range(3):
                view[k, 3] = -place[k]
            out[tid] = m * view
        elif PLACED == " times its look-at matrix":
            place = places[tid]
            back = wp.normalize(place - targets[tid])
            right = wp.normalize(wp.cross(wp.vec3(0.0, 1.0, 0.0), back))
            up = wp.cross(back, right)
            view = wp.identity(n=4, dtype=float)
            for k in range(3):
                view[0, k] = right[k]
                view[1, k] = up[k]
                view[2, k] = back[k]
            view[0, 3] = -wp.dot(right, place)
            view[1, 3] = -wp.dot(up, place)
            view[2, 3] = -wp.dot(back, place)
            out[tid] = m * view
        elif PLACED:
            turned = wp.quat_to_matrix(wp.quat_inverse(turns[tid]))
            offset = turned * places[tid]
            view = wp.identity(n=4, dtype=float)
            for r in range(3):
                for k in range(3):
                    view[r, k] = turned[r, k]
                view[r, 3] = -offset[r]
            out[tid] = m * view
        else:
            out[tid] = m
