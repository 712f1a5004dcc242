"""Rays against shapes."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

RAYS = {
    "origins": "origins ray_origins starts",
    "directions": "directions ray_dirs dirs",
    "hit": "hit hits hit_out",
    "origin": "origin start ray_start",
    "direction": "direction ray_dir",
}


@idiom(level=2, names={**RAYS, "points": "points targets samples", "kernel": "ray_distances nearest_on_ray"})
def ray_point_approach(c):
    """The {WANTED} where {LINE} comes nearest to a point of its own."""
    n = c.size(9, 14)
    LINE = c.meaning("the whole line of a ray", "a ray", "a ray of limited length")
    WANTED = c.meaning("parameter along the ray", "place", "distance to the point", "offset to the point")
    UNIT = c.meaning(True, False)
    REACH = c.constant(0.5, 2.0)
    Wanted = c.vec(3) if WANTED in ("place", "offset to the point") else float

    @c.kernel(n)
    def kernel(
        origins: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5),
        directions: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit" if UNIT else None),
        points: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="position"),
        hit: wp.array[Wanted] = result(n),
    ):
        tid = wp.tid()
        origin = origins[tid]
        direction = directions[tid]
        t = wp.dot(points[tid] - origin, direction)
        if not UNIT:
            t = t / wp.dot(direction, direction)
        if LINE == "a ray":
            # points behind the origin are nearest to the origin itself
            t = wp.max(t, 0.0)
        elif LINE == "a ray of limited length":
            t = wp.clamp(t, 0.0, REACH)
        if WANTED == "place":
            hit[tid] = origin + t * direction
        elif WANTED == "distance to the point":
            hit[tid] = wp.length(origin + t * direction - points[tid])
        elif WANTED == "offset to the point":
            foot = origin + t * direction
            hit[tid] = points[tid] - foot
        else:
            hit[tid] = t


@idiom(
    level=3,
    names={
        "normals": "normals surface_normals",
        "origins": "origins positions hit_points",
        "directions": "directions ray_dirs dirs",
        "cosine": "cosine cos_theta cos_in",
        "turned": "turned new_direction outgoing",
        "kernel": "scatter_rays turn_rays redirect_rays",
    },
)
def bounced_rays(c):
    """Turns each ray by {LAW} at a surface whose normals {FACING}; {ALSO}."""
    n = c.size(9, 14)
    INDEX, LIFT, GLOSS = c.constant(1.1, 1.9), c.constant(0.05, 0.3), c.constant(0.2, 0.9)
    FACING = c.meaning("point against the ray", "may point either way")
    ALSO = c.meaning("nothing else changes", "origins are lifted off the surface", "energies are weakened")

    def mirrored(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        """mirror reflection"""
        return d - 2.0 * wp.dot(d, n) * n

    def refracted(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        """refraction"""
        ratio = 1.0 / INDEX
        cosine = -wp.dot(d, n)
        rest = 1.0 - ratio * ratio * (1.0 - cosine * cosine)
        # total reflection
        if rest < 0.0:
            return d + 2.0 * cosine * n
        return ratio * d + (ratio * cosine - wp.sqrt(rest)) * n

    def glossy(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        """glossy reflection"""
        bounced = d - 2.0 * wp.dot(d, n) * n
        return wp.normalize(wp.lerp(n, bounced, GLOSS))

    def half_turned(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        """a half turn about the normal"""
        return wp.quat_rotate(wp.quat_from_axis_angle(n, wp.PI), -d)

    LAW = c.meaning(mirrored, refracted, glossy, half_turned)

    @c.kernel(n)
    def kernel(
        directions: wp.array[wp.vec3] = updated(n, low=-1.0, high=1.0, trait="unit", of="direction"),
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit", of="normal"),
        origins: wp.array[wp.vec3] = updated(n, low=-2.0, high=2.0, of="position"),
        energies: wp.array[float] = updated(n, low=0.2, high=1.0),
    ):
        tid = wp.tid()
        normal = normals[tid]
        if FACING == "may point either way":
            # the side that the ray comes from counts
            if wp.dot(directions[tid], normal) > 0.0:
                normal = -normal
        turned = LAW(directions[tid], normal)
        directions[tid] = turned
        if ALSO == "origins are lifted off the surface":
            origins[tid] += LIFT * wp.sign(wp.dot(turned, normal)) * normal
        elif ALSO == "energies are weakened":
            cosine = wp.abs(wp.dot(turned, normal))
            energies[tid] *= 0.2 + 0.8 * cosine


@idiom(level=3, names={**RAYS, "slope": "slope cosine denom", "kernel": "intersect_planes hit_plane"})
def ray_plane(c):
    """The {WANTED} where each ray meets {SHAPE} of a plane {GIVEN}; {MISS} for a miss."""
    n = c.size(10, 14)
    GIVEN = c.meaning("with a normal and an offset", "through a centre")
    SHAPE = c.meaning("any part", "a disk", "a ring", "the front")
    WANTED = c.meaning("distance", "point", "cosine of the angle", "depth, if nearer than the last,")
    MISS = (
        "the last"
        if WANTED[:5] == "depth"
        else "zero"
        if WANTED == "point"
        else c.meaning("zero", "minus one")
    )
    RADIUS, HOLE = c.constant(1.6, 4.0), c.constant(0.2, 1.5)
    Wanted = c.vec(3) if WANTED == "point" else float
    hits = updated(n, low=1.0, high=6.0) if WANTED[:5] == "depth" else result(n)

    @c.kernel(n)
    def kernel(
        origins: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="position"),
        directions: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit", of="direction"),
        planes: wp.array[wp.vec4] = given(n, low=-1.0, high=1.0),
        centres: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit", of="normal"),
        hit: wp.array[Wanted] = hits,
    ):
        tid = wp.tid()
        if GIVEN == "through a centre":
            centre = centres[tid]
            normal = normals[tid]
        else:
            plane = planes[tid]
            normal = wp.normalize(wp.vec3(plane[0], plane[1], plane[2]))
            centre = plane[3] * normal
        if MISS == "minus one":
            hit[tid] = -1.0
        slope = wp.dot(directions[tid], normal)
        if SHAPE == "the front":
            # a ray that runs along the normal comes from behind
            if slope > -1.0e-4:
                return
        elif wp.abs(slope) < 1.0e-4:
            return
        t = wp.dot(centre - origins[tid], normal) / slope
        if t < 0.0:
            return
        if SHAPE == "a disk":
            if wp.length(origins[tid] + t * directions[tid] - centre) > RADIUS:
                return
        elif SHAPE == "a ring":
            distance = wp.length(origins[tid] + t * directions[tid] - centre)
            if distance < HOLE or distance > RADIUS:
                return
        if WANTED == "point":
            hit[tid] = origins[tid] + t * directions[tid]
        elif WANTED == "distance":
            hit[tid] = t
        elif WANTED == "cosine of the angle":
            hit[tid] = wp.abs(slope)
        else:
            hit[tid] = wp.min(hit[tid], t)


@idiom(
    level=3,
    names={
        **RAYS,
        "enter leave": "enter leave | t_near t_far | t_min t_max",
        "kernel": "intersect_boxes slab_test",
    },
)
def ray_box_slabs(c):
    """The {WANTED} of each ray with a box given by {GIVEN}, by the slab test; {MISS} for a miss."""
    n = c.size(10, 14)
    GIVEN = c.meaning("two corners", "a pose and half its extents")
    WANTED = c.meaning("first distance", "first point", "chord")
    FORM = c.meaning("one axis after the other", "all axes at once")
    MISS = "the origin" if WANTED == "first point" else c.meaning("zero", "minus one")
    Wanted = c.vec(3) if WANTED == "first point" else float

    @c.kernel(n)
    def kernel(
        origins: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="position"),
        directions: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit", of="direction"),
        lower: wp.array[wp.vec3] = given(n, low=-1.5, high=0.0),
        upper: wp.array[wp.vec3] = given(n, low=0.0, high=1.5),
        poses: wp.array[wp.transform] = given(n, low=-1.0, high=1.0, trait="unit"),
        extents: wp.array[wp.vec3] = given(n, low=0.5, high=1.5),
        hit: wp.array[Wanted] = result(n, of="distance" if WANTED == "first distance" else None),
    ):
        tid = wp.tid()
        if GIVEN == "a pose and half its extents":
            # in the frame of the box its sides are upright
            to_box = wp.transform_inverse(poses[tid])
            origin = wp.transform_point(to_box, origins[tid])
            direction = wp.transform_vector(to_box, directions[tid])
            low = -extents[tid]
            high = extents[tid]
        else:
            origin = origins[tid]
            direction = directions[tid]
            low = lower[tid]
            high = upper[tid]
        if FORM == "all axes at once":
            first = wp.cw_div(low - origin, direction)
            second = wp.cw_div(high - origin, direction)
            enter = wp.max(wp.max(wp.min(first, second)), 0.0)
            leave = wp.min(wp.max(first, second))
        else:
            enter = float(0.0)
            leave = float(1.0e6)
            for axis in range(3):
                near = (low[axis] - origin[axis]) / direction[axis]
                far = (high[axis] - origin[axis]) / direction[axis]
                enter = wp.max(enter, wp.min(near, far))
                leave = wp.min(leave, wp.max(near, far))
        if WANTED == "first point":
            hit[tid] = origins[tid] + wp.where(enter <= leave, enter, 0.0) * directions[tid]
        elif WANTED == "chord" and MISS == "zero":
            hit[tid] = wp.max(leave - enter, 0.0)
        else:
            found = enter if WANTED == "first distance" else leave - enter
            hit[tid] = wp.where(enter <= leave, found, 0.0 if MISS == "zero" else -1.0)


@idiom(
    level=4,
    names={
        **RAYS,
        "triangles": "triangles faces tri_indices",
        "vertices": "vertices points mesh_points",
        "nearest": "nearest best t_min",
        "met": "met weights result",
        "kernel": "intersect_triangles pick_triangle",
    },
)
def ray_triangle_hit(c):
    """The {WANTED} where each ray first meets a triangle of a {DATA} {SIDE}, found by {TEST}; rays {END}."""
    rays, faces, corners = c.size(9, 12), c.size(7, 10), c.size(6, 8)
    WANTED = c.meaning("distance", "index of the face", "normal", "weights of the corners")
    SIDE, END = c.meaning("from any side", "from the front"), c.meaning("have no end", "end at their reach")
    DATA = c.meaning("mesh", "soup of triangles")
    Wanted = {"distance": float, "index of the face": int}.get(WANTED, c.vec(3))

    def moller_trumbore(
        origin: wp.vec3, direction: wp.vec3, p0: wp.vec3, p1: wp.vec3, p2: wp.vec3
    ) -> wp.vec3:
        """the test of Möller and Trumbore"""
        side = wp.cross(direction, p2 - p0)
        det = wp.dot(p1 - p0, side)
        if SIDE == "from the front":
            if det < 1.0e-5:
                return wp.vec3(-1.0, 0.0, 0.0)
        elif wp.abs(det) < 1.0e-5:
            return wp.vec3(-1.0, 0.0, 0.0)
        u = wp.dot(origin - p0, side) / det
        around = wp.cross(origin - p0, p1 - p0)
        v = wp.dot(direction, around) / det
        if u < 0.0 or v < 0.0 or u + v > 1.0:
            return wp.vec3(-1.0, 0.0, 0.0)
        return wp.vec3(wp.dot(p2 - p0, around) / det, u, v)

    def signed_volumes(origin: wp.vec3, direction: wp.vec3, p0: wp.vec3, p1: wp.vec3, p2: wp.vec3) -> wp.vec3:
        """the volumes that it spans with the edges"""
        w0 = wp.dot(direction, wp.cross(p2 - origin, p1 - origin))
        w1 = wp.dot(direction, wp.cross(p0 - origin, p2 - origin))
        w2 = wp.dot(direction, wp.cross(p1 - origin, p0 - origin))
        inside = w0 >= 0.0 and w1 >= 0.0 and w2 >= 0.0
        if SIDE == "from any side":
            inside = inside or (w0 <= 0.0 and w1 <= 0.0 and w2 <= 0.0)
        total = w0 + w1 + w2
        if not inside or wp.abs(total) < 1.0e-5:
            return wp.vec3(-1.0, 0.0, 0.0)
        there = (w0 * p0 + w1 * p1 + w2 * p2) / total
        return wp.vec3(wp.dot(there - origin, direction), w1 / total, w2 / total)

    TEST = c.meaning(moller_trumbore, signed_volumes)

    @c.kernel(rays)
    def kernel(
        origins: wp.array[wp.vec3] = given(rays, low=-1.0, high=1.0, of="position"),
        directions: wp.array[wp.vec3] = given(rays, low=-1.0, high=1.0, trait="unit", of="direction"),
        vertices: wp.array[wp.vec3] = given(corners, low=-3.0, high=3.0),
        triangles: wp.array2d[int] = given(faces, 3, low=0, high=corners - 1),
        soup: wp.array2d[wp.vec3] = given(faces, 3, low=-3.0, high=3.0),
        reach: wp.array[float] = given(rays, low=0.3, high=4.0),
        hit: wp.array[Wanted] = result(rays, of="distance" if WANTED == "distance" else None),
    ):
        tid = wp.tid()
        nearest = float(1.0e6) if END == "have no end" else reach[tid]
        if WANTED == "weights of the corners":
            found = wp.vec3(0.0, 0.0, 0.0)
        elif WANTED != "distance":
            found = int(-1)
        for k in range(triangles.shape[0] if DATA == "mesh" else soup.shape[0]):
            if DATA == "mesh":
                p0 = vertices[triangles[k, 0]]
                p1 = vertices[triangles[k, 1]]
                p2 = vertices[triangles[k, 2]]
                met = TEST(origins[tid], directions[tid], p0, p1, p2)
            else:
                met = TEST(origins[tid], directions[tid], soup[k, 0], soup[k, 1], soup[k, 2])
            if met[0] > 0.0 and met[0] < nearest:
                nearest = met[0]
                if WANTED == "weights of the corners":
                    found = wp.vec3(1.0 - met[1] - met[2], met[1], met[2])
                elif WANTED != "distance":
                    found = k
        if WANTED == "distance":
            hit[tid] = nearest
        elif WANTED == "normal":
            if found >= 0:
                if DATA == "mesh":
                    corner = vertices[triangles[found, 0]]
                    edge = vertices[triangles[found, 1]] - corner
                    hit[tid] = wp.normalize(wp.cross(edge, vertices[triangles[found, 2]] - corner))
                else:
                    edge = soup[found, 1] - soup[found, 0]
                    hit[tid] = wp.normalize(wp.cross(edge, soup[found, 2] - soup[found, 0]))
        else:
            hit[tid] = found


QUADRICS = {**RAYS, "root": "root sqrt_disc", "kernel": "intersect_quadrics pierce_shapes"}


@idiom(level=4, names=QUADRICS)
def ray_quadric(c):
    """The {WANTED} where each ray enters {SHAPE} about the y axis, {FRAME}, {CUT}; zero for a miss."""
    n = c.size(10, 14)
    WANTED = c.meaning("distance", "point", "height")
    FRAME = c.meaning("as it stands in the world", "moved by a pose")
    CUT = c.meaning("without ends", "cut off at a height")
    RADIUS, SLOPE, HEIGHT = c.constant(1.0, 2.0), c.constant(0.7, 1.4), c.constant(0.3, 2.5)
    Wanted = c.vec(3) if WANTED == "point" else float

    def cylinder(o: wp.vec3, d: wp.vec3) -> wp.vec3:
        """a cylinder"""
        p = wp.vec2(o[0], o[2])
        q = wp.vec2(d[0], d[2])
        return wp.vec3(wp.dot(q, q), wp.dot(p, q), wp.dot(p, p) - RADIUS * RADIUS)

    def cone(o: wp.vec3, d: wp.vec3) -> wp.vec3:
        """a double cone"""
        grow = SLOPE * SLOPE
        a = d[0] * d[0] + d[2] * d[2] - grow * d[1] * d[1]
        b = o[0] * d[0] + o[2] * d[2] - grow * o[1] * d[1]
        return wp.vec3(a, b, o[0] * o[0] + o[2] * o[2] - grow * o[1] * o[1])

    def paraboloid(o: wp.vec3, d: wp.vec3) -> wp.vec3:
        """a paraboloid"""
        a = d[0] * d[0] + d[2] * d[2]
        b = o[0] * d[0] + o[2] * d[2] - 0.5 * SLOPE * d[1]
        return wp.vec3(a, b, o[0] * o[0] + o[2] * o[2] - SLOPE * o[1])

    def ellipsoid(o: wp.vec3, d: wp.vec3) -> wp.vec3:
        """an ellipsoid"""
        stretch = wp.vec3(1.0, 1.0 / SLOPE, 1.0)
        p = wp.cw_mul(o, stretch)
        q = wp.cw_mul(d, stretch)
        return wp.vec3(wp.dot(q, q), wp.dot(p, q), wp.dot(p, p) - RADIUS * RADIUS)

    SHAPE = c.meaning(cylinder, cone, paraboloid, ellipsoid)

    @c.kernel(n)
    def kernel(
        origins: wp.array[wp.vec3] = given(n, low=-1.8, high=1.8, of="position"),
        directions: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit", of="direction"),
        poses: wp.array[wp.transform] = given(n, low=-1.0, high=1.0, trait="unit"),
        hit: wp.array[Wanted] = result(n, of="distance" if WANTED == "distance" else None),
    ):
        tid = wp.tid()
        if FRAME == "moved by a pose":
            origin = wp.transform_point(wp.transform_inverse(poses[tid]), origins[tid])
            direction = wp.quat_rotate_inv(wp.transform_get_rotation(poses[tid]), directions[tid])
        else:
            origin = origins[tid]
            direction = directions[tid]
        # a t^2 + 2 b t + c = 0
        terms = SHAPE(origin, direction)
        rest = terms[1] * terms[1] - terms[0] * terms[2]
        if rest < 0.0 or wp.abs(terms[0]) < 1.0e-4:
            return
        root = wp.sqrt(rest)
        near = (-terms[1] - root) / terms[0]
        far = (-terms[1] + root) / terms[0]
        if CUT == "cut off at a height":
            # a hit beyond the ends does not count
            if near < 0.0 or wp.abs(origin[1] + near * direction[1]) > HEIGHT:
                near = far
            if near < 0.0 or wp.abs(origin[1] + near * direction[1]) > HEIGHT:
                return
            t = near
        else:
            t = wp.where(near > 0.0, near, far)
            if t < 0.0:
                return
        if WANTED == "point":
            hit[tid] = origins[tid] + t * directions[tid]
        else:
            hit[tid] = t if WANTED == "distance" else origin[1] + t * direction[1]


@idiom(
    level=4,
    names={
        **RAYS,
        "balls": "balls spheres particles",
        "nearest": "nearest t_min best",
        "kernel": "trace_balls cast_rays",
    },
)
def nearest_ball(c):
    """The {WANTED} where each ray first meets a ball{BUT}, {MISS} if none; balls around it {AROUND}."""
    rays, count = c.size(12, 14), c.size(4, 5)
    WANTED = c.meaning("distance", "index of the ball", "point", "normal")
    AROUND = c.meaning("are seen from within", "are passed over")
    METHOD = c.meaning("closest approach", "quadratic", "general quadratic")
    BUT = c.meaning("", " other than its own")
    UNIT = None if METHOD == "general quadratic" else "unit"
    FAR = c.count(50, 200) * 1.0
    MISS = {"distance": f"{FAR:g}", "index of the ball": "minus one"}.get(WANTED, "zero")
    Wanted = {"distance": float, "index of the ball": int}.get(WANTED, c.vec(3))

    class Ball:
        centre: wp.vec3
        radius: float

    def meet(ball: Ball, origin: wp.vec3, direction: wp.vec3) -> float:
        """The distance along a ray to a ball, negative for a miss."""
        if METHOD == "general quadratic":
            # the direction may have any length
            offset = origin - ball.centre
            a = wp.length_sq(direction)
            b = 2.0 * wp.dot(offset, direction)
            rest = b * b - 4.0 * a * (wp.length_sq(offset) - ball.radius * ball.radius)
            if rest < 0.0:
                return -1.0
            root = wp.sqrt(rest)
            if AROUND == "are seen from within":
                near = (-b - root) / (2.0 * a)
                return near if near > 0.0 else (root - b) / (2.0 * a)
            return (-b - root) / (2.0 * a)
        if METHOD == "quadratic":
            offset = origin - ball.centre
            half = wp.dot(offset, direction)
            rest = half * half - wp.length_sq(offset) + ball.radius * ball.radius
            if rest < 0.0:
                return -1.0
            root = wp.sqrt(rest)
            if AROUND == "are seen from within":
                # from within a ball it is the far side that counts
                if half + root > 0.0:
                    return root - half
            return -half - root
        along = wp.dot(ball.centre - origin, direction)
        gap = wp.length(origin + along * direction - ball.centre)
        if gap > ball.radius:
            return -1.0
        chord = wp.sqrt(ball.radius * ball.radius - gap * gap)
        if AROUND == "are seen from within":
            return wp.where(along > chord, along - chord, along + chord)
        return along - chord

    @c.kernel(rays)
    def kernel(
        origins: wp.array[wp.vec3] = given(rays, low=-0.5, high=2.9, of="position"),
        directions: wp.array[wp.vec3] = given(rays, low=-1.0, high=1.0, trait=UNIT, of="direction"),
        balls: wp.array[Ball] = given(count, low=0.4, high=2.0),
        owners: wp.array[int] = given(rays, low=0, high=count - 1),
        hit: wp.array[Wanted] = result(rays, of="distance" if WANTED == "distance" else None),
    ):
        tid = wp.tid()
        nearest = float(FAR)
        if WANTED == "index of the ball" or WANTED == "normal":
            index = int(-1)
        for k in range(balls.shape[0]):
            if BUT:
                if k == owners[tid]:
                    continue
            t = meet(balls[k], origins[tid], directions[tid])
            if t > 0.0 and t < nearest:
                nearest = t
                if WANTED == "index of the ball" or WANTED == "normal":
                    index = k
        if WANTED == "index of the ball":
            hit[tid] = index
        elif WANTED == "distance":
            hit[tid] = nearest
        elif WANTED == "point":
            if nearest < FAR:
                hit[tid] = origins[tid] + nearest * directions[tid]
        elif index >= 0:
            ball = balls[index]
            hit[tid] = (origins[tid] + nearest * directions[tid] - ball.centre) / ball.radius


@idiom(
    level=5,
    names={
        "centres radii": "centres radii | centers radii | ball_x ball_r",
        "image": "image pixels frame",
        "row col": "row col | i j | y x",
        "light": "light to_light sun",
        "kernel": "render_balls trace_pixels render",
    },
)
def shade_balls(c):
    """An image of balls {GROUND}, seen by a {CAMERA} camera, with {MODEL} shading and {SHADOW}."""
    rows, cols, count = c.size(5, 8), c.size(5, 8), c.size(4, 6)
    CAMERA = c.meaning("pinhole", "parallel", "turning")
    GROUND = c.meaning("in empty space", "above a chequered ground")
    MODEL, SHADOW = (
        c.meaning("Lambert", "half-Lambert", "Blinn-Phong"),
        c.meaning("no shadows", "shadows", "mirrored light"),
    )
    AMBIENT, FOCAL = c.constant(0.05, 0.2), c.constant(1.0, 2.0)

    def distance_to(centre: wp.vec3, radius: float, origin: wp.vec3, direction: wp.vec3) -> float:
        """The distance along a ray to a ball, negative for a miss."""
        way = centre - origin
        along = wp.dot(way, direction)
        rest = radius * radius - wp.length_sq(way) + along * along
        if rest < 0.0:
            return -1.0
        return along - wp.sqrt(rest)

    def is_free(centres: wp.array[wp.vec3], radii: wp.array[float], point: wp.vec3, light: wp.vec3) -> bool:
        """Whether no ball stands in the way."""
        for k in range(centres.shape[0]):
            if distance_to(centres[k], radii[k], point, light) > 0.0:
                return False
        return True

    @c.kernel(rows, cols)
    def kernel(
        centres: wp.array[wp.vec3] = given(count, low=-1.2, high=1.2),
        radii: wp.array[float] = given(count, low=0.3, high=1.0),
        distance: float = given(low=3.5, high=5.0),
        angle: float = given(low=-1.0, high=1.0),
        light: wp.vec3 = given(low=0.2, high=1.0, trait="unit"),
        image: wp.array2d[float] = result(rows, cols),
    ):
        row, col = wp.tid()
        u = 2.0 * (float(col) + 0.5) / float(image.shape[1]) - 1.0
        v = 1.0 - 2.0 * (float(row) + 0.5) / float(image.shape[0])
        if CAMERA == "parallel":
            origin = wp.vec3(1.5 * u, 1.5 * v, -10.0)
            view = wp.vec3(0.0, 0.0, 1.0)
        elif CAMERA == "turning":
            turn = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), angle)
            origin = wp.quat_rotate(turn, wp.vec3(0.0, 0.0, -distance))
            view = wp.quat_rotate(turn, wp.normalize(wp.vec3(u, v, FOCAL)))
        else:
            origin = wp.vec3(0.0, 0.0, -distance)
            view = wp.normalize(wp.vec3(u, v, FOCAL))
        nearest = float(100.0)
        index = int(-1)
        for k in range(centres.shape[0]):
            t = distance_to(centres[k], radii[k], origin, view)
            if t > 0.0 and t < nearest:
                nearest = t
                index = k
        if index < 0:
            if GROUND == "above a chequered ground":
                if CAMERA != "parallel":
                    if view[1] < -0.01:
                        # the ground lies a little below the balls
                        spot = origin - (origin[1] + 1.3) / view[1] * view
                        odd = (int(wp.floor(spot[0] + 0.5)) + int(wp.floor(spot[2]))) % 2
                        image[row, col] = wp.where(odd == 0, 0.8, 0.4)
                        return
                elif origin[1] < -1.0:
                    image[row, col] = 0.4
                    return
            image[row, col] = 0.5 * (1.0 - v)
            return
        point = origin + nearest * view
        normal = (point - centres[index]) / radii[index]
        cosine = wp.dot(normal, light)
        if MODEL == "half-Lambert":
            shade = 0.25 * (cosine + 1.0) * (cosine + 1.0)
        elif MODEL == "Blinn-Phong":
            shine = wp.max(wp.dot(normal, wp.normalize(light - view)), 0.0)
            shade = wp.max(cosine, 0.0) + 0.5 * wp.pow(shine, 16.0)
        else:
            shade = wp.max(cosine, 0.0)
        if SHADOW == "shadows":
            # lifted a little, so that the ball itself casts none
            if not is_free(centres, radii, point + 0.001 * normal, light):
                image[row, col] = AMBIENT
                return
        elif SHADOW == "mirrored light":
            bounced = view - 2.0 * wp.dot(view, normal) * normal
            if is_free(centres, radii, point + 0.001 * normal, bounced):
                shade += 0.3 * wp.max(bounced[1], 0.0)
        image[row, col] = AMBIENT + (1.0 - AMBIENT) * shade
