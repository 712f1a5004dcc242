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
    """The {WANTED} {LINE} to a point of its own."""
    n = c.size(9, 14)
    LINE = c.meaning("the line of a ray", "a ray", "a ray of limited length")
    WANTED = c.meaning(
        "parameter of the nearest point of", "nearest point of", "distance from", "offset from"
    )
    c.names(
        {
            "parameter of the nearest point of": {
                "kernel": "ray_params params_of_points",
                "hit": "params out",
            },
            "nearest point of": {"kernel": "nearest_on_ray nearest_on_rays", "hit": "nearest feet out"},
            "distance from": {"kernel": "ray_distances distances_to_rays", "hit": "distances out"},
            "offset from": {"kernel": "ray_offsets offsets_from_rays", "hit": "offsets out"},
        }[WANTED]
    )
    UNIT = c.meaning(True, False)
    REACH = c.constant(0.5, 2.0)
    Wanted = c.vec(3) if WANTED in ("nearest point of", "offset from") else float

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
        if WANTED == "nearest point of":
            hit[tid] = origin + t * direction
        elif WANTED == "distance from":
            hit[tid] = wp.length(origin + t * direction - points[tid])
        elif WANTED == "offset from":
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
    """Turns each ray by {LAW} at a surface whose normals {FACING}{ALSO}."""
    n = c.size(9, 14)
    INDEX_RATIO, GLOSS = c.constant(1.3, 1.6), c.constant(0.2, 0.9)
    LIFT = c.constant(0.001, 0.009, step=0.001)
    FACING = c.meaning("point against the ray", "may point either way")
    ALSO = c.meaning("", "; origins are lifted off the surface", "; energies are scaled by the cosine")

    def mirrored(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        """mirror reflection"""
        return d - 2.0 * wp.dot(d, n) * n

    def refracted(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        """refraction"""
        ratio = INDEX_RATIO
        cosine = -wp.dot(d, n)
        # out of the denser medium: its index over the other one
        rest = 1.0 - ratio * ratio * (1.0 - cosine * cosine)
        # total reflection
        if rest < 0.0:
            return d + 2.0 * cosine * n
        return ratio * d + (ratio * cosine - wp.sqrt(rest)) * n

    def glossy(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        """glossy reflection"""
        bounced = d - 2.0 * wp.dot(d, n) * n
        return wp.normalize(wp.lerp(n, bounced, GLOSS))

    LAW = c.meaning(mirrored, refracted, glossy)

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
        if ALSO == "; origins are lifted off the surface":
            origins[tid] += LIFT * wp.sign(wp.dot(turned, normal)) * normal
        elif ALSO == "; energies are scaled by the cosine":
            cosine = wp.abs(wp.dot(turned, normal))
            energies[tid] *= cosine


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
    if WANTED == "cosine of the angle":
        c.names({"hit": "cosines out"})
    elif WANTED[:5] == "depth":
        c.names({"hit": "depths nearest"})
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
            across = wp.vec3(plane[0], plane[1], plane[2])
            # the normal may have any length, and the offset goes with it
            centre = plane[3] / wp.max(wp.length_sq(across), 1.0e-4) * across
            normal = wp.normalize(across)
        slope = wp.dot(directions[tid], normal)
        t = wp.dot(centre - origins[tid], normal) / slope
        if SHAPE == "a disk":
            met = t > 0.0 and wp.length(origins[tid] + t * directions[tid] - centre) < RADIUS
        elif SHAPE == "a ring":
            distance = wp.length(origins[tid] + t * directions[tid] - centre)
            met = t > 0.0 and distance > HOLE and distance < RADIUS
        elif SHAPE == "the front":
            # a ray that runs along the normal comes from behind
            met = t > 0.0 and slope < -1.0e-3
        else:
            # almost along the plane nothing is met
            met = t > 0.0 and wp.abs(slope) > 1.0e-3
        if WANTED == "point":
            hit[tid] = wp.where(met, origins[tid] + t * directions[tid], wp.vec3(0.0))
        elif WANTED == "distance":
            hit[tid] = wp.where(met, t, -1.0 if MISS == "minus one" else 0.0)
        elif WANTED == "cosine of the angle":
            hit[tid] = wp.where(met, wp.abs(slope), -1.0 if MISS == "minus one" else 0.0)
        else:
            hit[tid] = wp.where(met, wp.min(hit[tid], t), hit[tid])


@idiom(
    level=2,
    names={
        "cosines": "cosines cos_in cos_thetas",
        "cosine": "cosine cos_theta mu",
        "weights": "weights throughput energies",
        "kernel": "fresnel reflect_rays",
    },
)
def fresnel_reflectance(c):
    """The {WANTED} at a surface that each ray meets, by {LAW}."""
    n = c.size(9, 14)
    WANTED = c.meaning("reflectance", "transmittance", "weight times the reflectance")
    if WANTED == "reflectance":
        c.names({"weights": "reflectance out"})
    elif WANTED == "transmittance":
        c.names({"kernel": "fresnel_transmittance transmitted_share", "weights": "transmittance out"})
    else:
        c.names({"kernel": "weigh_rays fresnel"})
    INDEX, ABSORPTION, FACING = c.constant(1.2, 2.4), c.constant(1.5, 3.0), c.constant(0.02, 0.3)
    GIVEN = c.meaning("cosines", "vectors")

    def schlick(cosine: float) -> float:
        """Schlick's formula"""
        rest = 1.0 - cosine
        return FACING + (1.0 - FACING) * rest * rest * rest * rest * rest

    def dielectric(cosine: float) -> float:
        """Fresnel's formulas for a dielectric"""
        inner = wp.sqrt(1.0 - (1.0 - cosine * cosine) / (INDEX * INDEX))
        across = (cosine - INDEX * inner) / (cosine + INDEX * inner)
        along = (INDEX * cosine - inner) / (INDEX * cosine + inner)
        return 0.5 * (across * across + along * along)

    def metal(cosine: float) -> float:
        """Fresnel's formula for a metal that absorbs"""
        # the squared size of the complex index
        size = INDEX * INDEX + ABSORPTION * ABSORPTION
        across = size * cosine * cosine
        square = (across - 2.0 * INDEX * cosine + 1.0) / (across + 2.0 * INDEX * cosine + 1.0)
        rest = size + cosine * cosine
        return 0.5 * (square + (rest - 2.0 * INDEX * cosine) / (rest + 2.0 * INDEX * cosine))

    def spherical(cosine: float) -> float:
        """a spherical Gaussian"""
        # fitted to the fifth power of Schlick's formula
        return FACING + (1.0 - FACING) * wp.exp((-3.85 * cosine - 4.84) * cosine)

    LAW = c.meaning(schlick, dielectric, metal, spherical)

    @c.kernel(n)
    def kernel(
        cosines: wp.array[float] = given(n, low=0.0, high=1.0),
        directions: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        weights: wp.array[float] = (updated(n, low=0.2, high=1.0) if WANTED[0] == "w" else result(n)),
    ):
        tid = wp.tid()
        if GIVEN == "cosines":
            share = LAW(cosines[tid])
        else:
            # either side of the surface may face the ray
            cosine = wp.abs(wp.dot(directions[tid], normals[tid]))
            share = LAW(cosine)
        if WANTED == "reflectance":
            weights[tid] = share
        elif WANTED == "transmittance":
            weights[tid] = 1.0 - share
        else:
            weights[tid] *= share


@idiom(
    level=2,
    names={
        "origins": "origins ray_origins starts",
        "directions": "directions ray_dirs dirs",
        "row col": "row col | i j | y x",
        "pose": "pose camera camera_pose",
        "kernel": "make_rays generate_rays",
    },
)
def primary_rays(c):
    """The {WANTED} of each pixel of a {CAMERA} camera {POSE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    CAMERA = c.meaning("pinhole", "parallel-projection", "fisheye", "panoramic", "thin-lens")
    POSE = c.meaning("with a pose", "turned by a matrix")
    ORTHO = CAMERA == "parallel-projection"
    if ORTHO:
        WANTED = "start of the ray"
    elif CAMERA == "thin-lens":
        WANTED = c.meaning("ray, from the lens on,", "way from the lens to the focus")
    else:
        WANTED = c.meaning("direction of the ray", "point a distance away along the ray")
    if WANTED[:5] == "point":
        c.names({"kernel": "points_on_rays lift_pixels", "directions": "points targets"})
    FOCAL, REACH, WIDTH = c.constant(0.4, 2.0), c.constant(1.0, 3.0), c.constant(0.8, 2.0)

    @c.kernel(rows, cols)
    def kernel(
        pose: wp.transform = given(low=-1.0, high=1.0, trait="unit"),
        eye: wp.vec3 = given(low=-1.0, high=1.0),
        turn: wp.mat33 = given(low=-1.0, high=1.0, trait="rotation"),
        lens: wp.array2d[wp.vec2] = given(rows, cols, low=-0.4, high=0.4),
        origins: wp.array2d[wp.vec3] = result(rows, cols),
        directions: wp.array2d[wp.vec3] = result(rows, cols),
    ):
        row, col = wp.tid()
        x = (float(col) + 0.5) / float(origins.shape[1] if ORTHO else directions.shape[1]) - 0.5
        y = 0.5 - (float(row) + 0.5) / float(origins.shape[0] if ORTHO else directions.shape[0])
        if ORTHO:
            start = wp.vec3(WIDTH * x, WIDTH * y, 0.0)
            if POSE == "with a pose":
                origins[row, col] = wp.transform_point(pose, start)
            else:
                origins[row, col] = eye + turn * start
        else:
            if CAMERA == "pinhole":
                way = wp.normalize(wp.vec3(x, y, FOCAL))
            elif CAMERA == "fisheye":
                # the angle from the axis grows evenly from the middle
                r = wp.max(wp.length(wp.vec2(x, y)), 1.0e-4)
                angle = r / FOCAL
                way = wp.vec3(x / r * wp.sin(angle), y / r * wp.sin(angle), wp.cos(angle))
            elif CAMERA == "panoramic":
                around = 2.0 * wp.PI * x
                up = wp.PI * y
                way = wp.vec3(wp.cos(up) * wp.sin(around), wp.sin(up), wp.cos(up) * wp.cos(around))
            else:
                start = wp.vec3(lens[row, col][0], lens[row, col][1], 0.0)
                # every ray of a pixel meets the others in the plane of focus
                way = REACH * wp.vec3(x / FOCAL, y / FOCAL, 1.0) - start
                if WANTED[:3] == "ray":
                    way = wp.normalize(way)
                    if POSE == "with a pose":
                        origins[row, col] = wp.transform_point(pose, start)
                    else:
                        origins[row, col] = eye + turn * start
            if WANTED[:5] == "point":
                if POSE == "with a pose":
                    directions[row, col] = wp.transform_point(pose, REACH * way)
                else:
                    directions[row, col] = eye + REACH * (turn * way)
            elif POSE == "with a pose":
                directions[row, col] = wp.transform_vector(pose, way)
            else:
                directions[row, col] = turn * way
