"""Rays against scenes of many things, and the images they make."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp

RAYS = {
    "origins": "origins ray_origins starts",
    "directions": "directions ray_dirs dirs",
    "hit": "hit hits hit_out",
    "origin": "origin start ray_start",
    "direction": "direction ray_dir",
}


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
    rays, faces, corners = c.size(12, 16), c.size(9, 12), c.size(13, 16)
    WANTED = c.meaning("distance", "index of the face", "normal", "barycentric weights")
    SIDE, END = c.meaning("from any side", "from the front"), c.meaning("are unbounded", "end at their reach")
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
        nearest = float(1.0e6) if END == "are unbounded" else reach[tid]
        if WANTED == "barycentric weights":
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
                if WANTED == "barycentric weights":
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
                hit[tid] = wp.vec3()
        else:
            hit[tid] = found


@idiom(
    level=5,
    names={
        "centres radii": "centres radii | centers radii | ball_x ball_r",
        "image": "image pixels frame",
        "row col": "row col | i j | y x",
        "light": "light to_light sun",
        "aims": "aims targets through",
        "kernel": "render_balls trace_pixels render",
    },
)
def shade_balls(c):
    """An image of {THINGS} in {KEPT} {SKY}, seen {CAMERA}, with {MODEL} shading and {SHADOW}."""
    rows, cols, count = c.size(5, 8), c.size(5, 8), c.size(4, 6)
    CAMERA = c.meaning("through a pinhole", "by parallel rays", "through points that are given")
    THINGS, SKY = c.meaning("balls", "coloured balls"), c.meaning("before a wall", "under a sky")
    KEPT = c.meaning("lists of their own", "lists of centres and looks")
    if CAMERA == "by parallel rays":
        SKY = "before a wall"
    MODEL = c.meaning("Lambert", "half-Lambert", "Blinn-Phong")
    SHADOW = c.meaning("no shadows", "shadows", "reflections", "soft shadows")
    NEAREST = c.meaning("by the quadratic", "by the foot of the centre")
    STRUCTS = KEPT == "lists of centres and looks"
    AMBIENT, FOCAL = c.constant(0.05, 0.2), c.constant(0.6, 1.2)
    Pixel = float if THINGS == "balls" else c.vec(3)

    class Look:
        radius: float
        colour: Pixel

    def distance_to(centre: wp.vec3, radius: float, origin: wp.vec3, direction: wp.vec3) -> float:
        """The distance along a ray to a ball, negative for a miss."""
        if NEAREST == "by the quadratic":
            offset = origin - centre
            half = wp.dot(offset, direction)
            rest = half * half - wp.length_sq(offset) + radius * radius
            return -1.0 if rest < 0.0 else -half - wp.sqrt(rest)
        along = wp.dot(centre - origin, direction)
        gap = wp.length(origin + along * direction - centre)
        if gap > radius:
            return -1.0
        return along - wp.sqrt(radius * radius - gap * gap)

    def is_free(centres: wp.array[wp.vec3], radii: wp.array[float], point: wp.vec3, light: wp.vec3) -> bool:
        """Whether no ball stands in the way."""
        for k in range(centres.shape[0]):
            if distance_to(centres[k], radii[k], point, light) > 0.0:
                return False
        return True

    def is_lit(centres: wp.array[wp.vec3], looks: wp.array[Look], point: wp.vec3, light: wp.vec3) -> bool:
        """Whether the light comes through."""
        clear = bool(True)
        for k in range(looks.shape[0]):
            if distance_to(centres[k], looks[k].radius, point, light) > 0.0:
                clear = False
        return clear

    def light_past(centre: wp.vec3, radius: float, point: wp.vec3, light: wp.vec3) -> float:
        """The share of light that a ball leaves to a point, by how closely the way passes it."""
        along = wp.dot(centre - point, light)
        if along < radius:
            return 1.0
        gap = wp.length(point + along * light - centre)
        return wp.smoothstep(0.7, 1.3, gap / radius)

    @c.kernel(rows, cols)
    def kernel(
        centres: wp.array[wp.vec3] = given(count, low=-1.2, high=1.2),
        looks: wp.array[Look] = given(count, low=0.3, high=0.9),
        radii: wp.array[float] = given(count, low=0.3, high=1.0),
        colours: wp.array[wp.vec3] = given(count, low=0.2, high=1.0),
        eye: wp.vec3 = given(low=2.0, high=3.0),
        aims: wp.array2d[wp.vec3] = given(rows, cols, low=-1.0, high=1.0),
        light: wp.vec3 = given(low=0.2, high=1.0, trait="unit"),
        image: wp.array2d[Pixel] = result(rows, cols),
    ):
        row, col = wp.tid()
        if CAMERA == "through points that are given":
            view = wp.normalize(aims[row, col] - eye)
            origin = eye
        else:
            x = (float(col) + 0.5) / float(image.shape[1]) - 0.5
            y = 0.5 - (float(row) + 0.5) / float(image.shape[0])
            if CAMERA == "by parallel rays":
                view = wp.vec3(0.0, 0.0, 1.0)
                origin = wp.vec3(3.0 * x, 3.0 * y, -4.0)
            else:
                view = wp.normalize(wp.vec3(x, y, FOCAL))
                origin = wp.vec3(0.0, 0.0, -4.0)
        nearest = float(100.0)
        index = int(-1)
        for k in range(centres.shape[0]):
            if STRUCTS:
                t = distance_to(centres[k], looks[k].radius, origin, view)
            else:
                t = distance_to(centres[k], radii[k], origin, view)
            if t > 0.0 and t < nearest:
                nearest = t
                index = k
        if index < 0:
            backdrop = 0.2 if SKY == "before a wall" else 0.6 + 0.4 * view[1]
            image[row, col] = backdrop if THINGS == "balls" else Pixel(backdrop)
            return
        point = origin + nearest * view
        if STRUCTS:
            look = looks[index]
            normal = (point - centres[index]) / look.radius
        else:
            normal = (point - centres[index]) / radii[index]
        if MODEL == "half-Lambert":
            shade = 0.5 + 0.5 * wp.dot(normal, light)
        elif MODEL == "Blinn-Phong":
            halfway = wp.normalize(light - view)
            gloss = wp.pow(wp.max(wp.dot(normal, halfway), 0.0), 16.0)
            shade = wp.max(wp.dot(normal, light), 0.0) + 0.5 * gloss
        else:
            shade = wp.max(wp.dot(normal, light), 0.0)
        if SHADOW == "shadows":
            # lifted a little, so that the ball itself casts none
            lifted = point + 0.001 * normal
            if not (
                is_lit(centres, looks, lifted, light) if STRUCTS else is_free(centres, radii, lifted, light)
            ):
                shade = AMBIENT
        elif SHADOW == "soft shadows":
            for k in range(centres.shape[0]):
                if STRUCTS:
                    shade *= light_past(centres[k], looks[k].radius, point, light)
                else:
                    shade *= light_past(centres[k], radii[k], point, light)
        elif SHADOW == "reflections":
            bounced = view - 2.0 * wp.dot(view, normal) * normal
            lifted = point + 0.001 * normal
            if (
                is_lit(centres, looks, lifted, bounced)
                if STRUCTS
                else is_free(centres, radii, lifted, bounced)
            ):
                shade += 0.3 * wp.max(bounced[1], 0.0)
        if STRUCTS:
            image[row, col] = shade * look.colour
        elif THINGS == "balls":
            image[row, col] = shade
        else:
            image[row, col] = shade * colours[index]
