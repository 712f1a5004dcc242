"""Rays against scenes of many things, and the images they make."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp

RAYS = {
    "origins": "origins ray_origins starts",
    "directions": "directions ray_dirs dirs",
    "origin": "origin start ray_start",
    "direction": "direction ray_dir",
}


@idiom(
    level=4,
    differentiable=False,
    names={
        **RAYS,
        "triangles": "triangles faces tri_indices",
        "vertices": "vertices points mesh_points",
        "nearest": "nearest best t_min",
        "met": "met trial crossing",
        "kernel": "intersect_triangles trace_triangles",
    },
)
def ray_triangle_hit(c):
    """The {WANTED} where each ray{END} first meets a triangle of a {DATA}{SIDE}, by {METHOD};
    {MISS} for a miss.

    Find for each ray the first triangle that it hits, by {METHOD}. Ray k starts at `{origins}[k]` and has the
    unit direction D = `{directions}[k]`. Triangle j has the corners A, B, C, {CORNERS}, and N = (B - A) × (C
    - A). The ray hits it at distance t if 0 < t, {UP_TO}, the point lies in the triangle, edges included,
    and {FRONT}. The hit with the least t counts, on ties the first triangle. {GETS}.
    """
    rays, faces, corners = c.size(12, 16), c.size(9, 12), c.size(13, 16)
    WANTED = c.meaning("distance", "index of the face", "normal", "barycentric weights")
    SIDE, END = c.meaning("", " from the front"), c.meaning("", ", up to its reach,")
    DATA = c.meaning("mesh", "soup")
    MISS = {"distance": "its reach" if END else "1e6", "index of the face": "-1"}.get(WANTED, "zero")
    if WANTED in ("index of the face", "normal"):
        c.names({"found": "face nearest_face"})
    elif WANTED == "barycentric weights":
        c.names({"found": "weights bary"})
    if WANTED == "index of the face":
        c.names({"kernel": "pick_triangle find_faces"})
    c.names(
        {
            "hit": {
                "distance": "distances t_hit out",
                "index of the face": "face_ids hit_faces out",
                "normal": "normals hit_normals out",
                "barycentric weights": "barycentrics out",
            }[WANTED]
        }
    )
    Wanted = {"distance": float, "index of the face": int}.get(WANTED, c.vec(3))
    CORNERS = (
        "whose indices into {vertices} are row j of {triangles}"
        if DATA == "mesh"
        else "which are row j of {soup}"
    )
    FRONT = "|D·N| is at least 0.00001"
    if SIDE:
        FRONT = "-D·N is at least 0.00001, so that it is seen from the front"
    UP_TO = "t < `{reach}[k]`" if END else "t < 1e6"
    GETS = {
        "distance": "{hit} gets the distance, and {LIMIT} for a miss",
        "index of the face": "{hit} gets the index j of the triangle, and -1 for a miss",
        "normal": "{hit} gets the unit vector along N, not turned towards the ray, and 0 for a miss",
        "barycentric weights": "{hit} gets the barycentric weights of the point for A, B, C in this "
        "order, and 0 for a miss",
    }[WANTED]
    LIMIT = "`{reach}[k]`" if END else "1e6"

    def moller_trumbore(
        origin: wp.vec3, direction: wp.vec3, p0: wp.vec3, p1: wp.vec3, p2: wp.vec3
    ) -> wp.vec3:
        """The distance along the ray and two barycentric weights; the distance is -1 for a miss."""
        side = wp.cross(direction, p2 - p0)
        det = wp.dot(p1 - p0, side)
        if SIDE == " from the front":
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
        """The distance along the ray and two barycentric weights; the distance is -1 for a miss."""
        # six times the volumes of the tetrahedra that the ray spans with each of the edges
        w0 = wp.dot(direction, wp.cross(p2 - origin, p1 - origin))
        w1 = wp.dot(direction, wp.cross(p0 - origin, p2 - origin))
        w2 = wp.dot(direction, wp.cross(p1 - origin, p0 - origin))
        inside = w0 >= 0.0 and w1 >= 0.0 and w2 >= 0.0
        if SIDE == "":
            inside = inside or (w0 <= 0.0 and w1 <= 0.0 and w2 <= 0.0)
        total = w0 + w1 + w2
        if not inside or wp.abs(total) < 1.0e-5:
            return wp.vec3(-1.0, 0.0, 0.0)
        there = (w0 * p0 + w1 * p1 + w2 * p2) / total
        return wp.vec3(wp.dot(there - origin, direction), w1 / total, w2 / total)

    TEST = c.meaning(moller_trumbore, signed_volumes)
    METHOD = "Moller and Trumbore's test" if TEST is moller_trumbore else "signed volumes"

    @c.kernel(rays)
    def kernel(
        origins: wp.array[wp.vec3] = input(rays, low=-1.0, high=1.0, of="position"),
        directions: wp.array[wp.vec3] = input(rays, low=-1.0, high=1.0, trait="unit", of="direction"),
        vertices: wp.array[wp.vec3] = input(corners, low=-3.0, high=3.0),
        triangles: wp.array2d[int] = input(faces, 3, low=0, high=corners - 1),
        soup: wp.array2d[wp.vec3] = input(faces, 3, low=-3.0, high=3.0),
        reach: wp.array[float] = input(rays, low=0.3, high=4.0),
        hit: wp.array[Wanted] = output(rays, of="distance" if WANTED == "distance" else None),
    ):
        tid = wp.tid()
        nearest = reach[tid] if END else float(1.0e6)
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
    differentiable=False,
    names={
        "centres radii": "centres radii | centers radii | ball_x ball_r",
        "image": "image pixels frame",
        "row col": "row col | i j | y x",
        "light": "light to_light sun",
        "aims": "aims targets pixel_points",
        "kernel": "render_balls trace_pixels render",
    },
)
def shade_balls(c):
    """An image of {THINGS} {SKY}, seen {CAMERA}, with {MODEL} shading and {SHADOW}.

    Render an image of {THINGS} {SKY}. {BALLS}. {VIEWED}. It shows the ball that it enters first, at a
    distance above 0 and below 100, found {BY}; a ball around its start is not entered, and on ties the first
    ball counts. A ray that enters none gives {BACKGROUND}{CHANNELS}.

    At the point where it enters, with the outward unit normal n and the direction L = {light} to the light,
    the shade is {SHADE} ({MODEL}).{SHADED} {image} gets {GETS}.
    """
    rows, cols, count = c.size(5, 8), c.size(5, 8), c.size(4, 6)
    CAMERA = c.meaning("through a pinhole", "by parallel rays", "through given points")
    THINGS, SKY = c.meaning("balls", "coloured balls"), c.meaning("before a wall", "under a sky")
    KEPT = c.meaning("lists of their own", "lists of centres and looks")
    if CAMERA == "by parallel rays":
        SKY = "before a wall"
    MODEL = c.meaning("Lambert", "half-Lambert", "Blinn-Phong")
    if SKY == "under a sky":
        SHADOW = c.meaning("no shadows", "hard shadows", "soft shadows", "reflections of the sky")
    else:
        SHADOW = c.meaning("no shadows", "hard shadows", "soft shadows")
    if SHADOW == "hard shadows" and MODEL == "half-Lambert":
        # the shadow of a ball on itself ends at the terminator
        MODEL = "Lambert"
    NEAREST = c.meaning("by the quadratic", "by the foot of the centre")
    STRUCTS = KEPT == "lists of centres and looks"
    AMBIENT, FOCAL, GLOSS = c.constant(0.05, 0.2), c.constant(0.6, 1.2), c.constant(0.1, 0.4)
    Pixel = float if THINGS == "balls" else c.vec(3)
    BALLS = (
        "Ball k has the centre `{centres}[k]`, and `{looks}[k]` holds its `radius` and its `albedo`"
        if STRUCTS
        else "Ball k has the centre `{centres}[k]` and the radius `{radii}[k]`"
    )
    if not STRUCTS and THINGS != "balls":
        BALLS += "; its colour is `{colours}[k]`"
    BY = "by the quadratic formula" if "quadratic" in NEAREST else "from the foot of the centre on the ray"
    XY = "With x = (j + ½) / w - ½ and y = ½ - (i + ½) / h for pixel (i, j) of h rows and w columns, "
    VIEWED = {
        "through a pinhole": XY + "the ray starts at (0, 0, -4) in the direction of (x, y, {FOCAL})",
        "by parallel rays": XY + "the ray starts at (3·x, 3·y, -4) in the direction (0, 0, 1)",
        "through given points": "The ray of pixel (i, j) starts at {eye} in the direction of `{aims}[i, j]`",
    }[CAMERA]
    BACKGROUND = "0.2" if SKY == "before a wall" else "0.6 + 0.4·(the y of its unit direction)"
    SHADE = {
        "Lambert": "max(n·L, 0)",
        "half-Lambert": "½ + ½·n·L",
        "Blinn-Phong": "max(n·L, 0), plus ½·(n·H)^16 if n·L > 0, where H is the unit vector along L "
        "minus the direction of the ray",
    }[MODEL]
    SHADED = {
        "no shadows": "",
        "hard shadows": " The shade becomes 0 if a ray from the point, lifted by 0.001·n, in the "
        "direction L enters any ball; then {AMBIENT} is added.",
        "soft shadows": " The shade is multiplied for every ball by the share of light that it lets "
        "past: 1 if its centre lies less than its radius ahead of the point along L, and otherwise "
        "smoothstep(0.7, 1.3, q), where q is the distance of its centre from the line along L, over its "
        "radius, and smoothstep(a, b, q) = u²·(3 - 2·u) with u = (q - a) / (b - a) clamped to [0, 1].",
        "reflections of the sky": " If the mirrored ray, from the point lifted by 0.001·n, enters no "
        "ball, {GLOSS}·(0.6 + 0.4·(the y of its direction)) is added to the shade.",
    }[SHADOW]
    CHANNELS = "" if THINGS == "balls" else " in all channels"
    GETS = "the shade"
    if STRUCTS:
        GETS = "the shade times the albedo of the ball"
    elif THINGS != "balls":
        GETS = "the shade times the colour of the ball"

    class Look:
        radius: float
        albedo: Pixel

    def distance_to(centre: wp.vec3, radius: float, origin: wp.vec3, direction: wp.vec3) -> float:
        """The distance along a ray to where it enters a ball, negative if it does not."""
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

    def is_free(centres: wp.array[wp.vec3], radii: wp.array[float], point: wp.vec3, way: wp.vec3) -> bool:
        """Whether no ball stands in the way."""
        for k in range(centres.shape[0]):
            if distance_to(centres[k], radii[k], point, way) > 0.0:
                return False
        return True

    def is_open(centres: wp.array[wp.vec3], looks: wp.array[Look], point: wp.vec3, way: wp.vec3) -> bool:
        """Whether that way from a point leads past all balls."""
        clear = bool(True)
        for k in range(looks.shape[0]):
            if distance_to(centres[k], looks[k].radius, point, way) > 0.0:
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
        centres: wp.array[wp.vec3] = input(count, low=-1.2, high=1.2),
        looks: wp.array[Look] = input(count, low=0.3, high=0.9),
        radii: wp.array[float] = input(count, low=0.3, high=1.0),
        colours: wp.array[wp.vec3] = input(count, low=0.2, high=1.0),
        eye: wp.vec3 = input(low=2.0, high=3.0),
        aims: wp.array2d[wp.vec3] = input(rows, cols, low=-1.0, high=1.0),
        light: wp.vec3 = input(low=0.2, high=1.0, trait="unit"),
        image: wp.array2d[Pixel] = output(rows, cols),
    ):
        row, col = wp.tid()
        if CAMERA == "through given points":
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
        incidence = wp.dot(normal, light)
        if MODEL == "half-Lambert":
            shade = 0.5 + 0.5 * incidence
        elif MODEL == "Blinn-Phong":
            shade = wp.max(incidence, 0.0)
            if incidence > 0.0:
                halfway = wp.normalize(light - view)
                shade += 0.5 * wp.pow(wp.dot(normal, halfway), 16.0)
        else:
            shade = wp.max(incidence, 0.0)
        if SHADOW == "hard shadows":
            # lifted a little, so that the ball casts no shadow on itself
            lifted = point + 0.001 * normal
            if not (
                is_open(centres, looks, lifted, light) if STRUCTS else is_free(centres, radii, lifted, light)
            ):
                shade = 0.0
            shade += AMBIENT
        elif SHADOW == "soft shadows":
            for k in range(centres.shape[0]):
                if STRUCTS:
                    shade *= light_past(centres[k], looks[k].radius, point, light)
                else:
                    shade *= light_past(centres[k], radii[k], point, light)
        elif SHADOW == "reflections of the sky":
            bounced = view - 2.0 * wp.dot(view, normal) * normal
            lifted = point + 0.001 * normal
            if (
                is_open(centres, looks, lifted, bounced)
                if STRUCTS
                else is_free(centres, radii, lifted, bounced)
            ):
                shade += GLOSS * (0.6 + 0.4 * bounced[1])
        if STRUCTS:
            image[row, col] = shade * look.albedo
        elif THINGS == "balls":
            image[row, col] = shade
        else:
            image[row, col] = shade * colours[index]
