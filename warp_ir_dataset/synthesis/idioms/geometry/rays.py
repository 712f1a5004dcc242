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
        points: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
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
        directions: wp.array[wp.vec3] = updated(n, low=-1.0, high=1.0, trait="unit"),
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        origins: wp.array[wp.vec3] = updated(n, low=-2.0, high=2.0),
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
        origins: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        directions: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        planes: wp.array[wp.vec4] = given(n, low=-1.0, high=1.0),
        centres: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
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
