"""What surfaces enclose, how they bend, and how they are swept and made coarser."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

MESH = {
    "vertices": "vertices points mesh_points",
    "triangles": "triangles faces tri_indices",
    "a b p": "a b p | p0 p1 p2 | v0 v1 v2",
}


@idiom(
    level=4,
    names={**MESH, "volume": "volume total_volume enclosed", "kernel": "integrate_mesh sum_tetrahedra"},
)
def mesh_moments(c):
    """Adds up the {SUMS} of a closed mesh{MASS} from tetrahedra between its faces and {TIP}{AREA}."""
    faces, points = c.size(8, 12), c.size(6, 9)
    WANTED = c.meaning("volume", "volume and first moment", "second moments", "volume and surface area")
    APEX, MASS = (
        c.meaning("the origin", "a point of reference"),
        c.meaning("", " of given density"),
    )
    AREA = ", and its surface area" if WANTED == "volume and surface area" else ""
    SUMS = "volume" if AREA else WANTED
    if MASS:
        SUMS = SUMS.replace("volume", "mass")
    TIP = APEX
    if "moment" in WANTED and APEX != "the origin":
        SUMS, TIP = f"{SUMS} about a point of reference", "that point"
    if MASS:
        c.names({"volume": "mass total_mass"})
    if "moment" not in WANTED:
        c.names({"kernel": "integrate_mesh sum_tetrahedra"})

    @c.kernel(faces)
    def kernel(
        vertices: wp.array[wp.vec3] = given(points, low=-2.0, high=2.0),
        triangles: wp.array2d[int] = given(faces, 3, low=0, high=points - 1),
        density: float = given(low=0.5, high=2.0),
        reference: wp.vec3 = given(low=-1.0, high=1.0),
        volume: wp.array[float] = updated(1, low=1.0, high=4.0),
        moment: wp.array[wp.vec3] = result(1),
        surface: wp.array[float] = result(1),
        second: wp.array[wp.mat33] = result(1),
    ):
        face = wp.tid()
        if APEX == "the origin":
            a = vertices[triangles[face, 0]]
            b = vertices[triangles[face, 1]]
            p = vertices[triangles[face, 2]]
        else:
            a = vertices[triangles[face, 0]] - reference
            b = vertices[triangles[face, 1]] - reference
            p = vertices[triangles[face, 2]] - reference
        # negative where the face looks to the apex
        part = wp.dot(a, wp.cross(b, p)) / 6.0
        if MASS:
            part *= density
        if WANTED == "second moments":
            sums = a + b + p
            products = wp.outer(a, a) + wp.outer(b, b) + wp.outer(p, p) + wp.outer(sums, sums)
            wp.atomic_add(second, 0, 0.05 * part * products)
        else:
            wp.atomic_add(volume, 0, part)
            if WANTED == "volume and first moment":
                wp.atomic_add(moment, 0, 0.25 * part * (a + b + p))
            elif WANTED == "volume and surface area":
                wp.atomic_add(surface, 0, 0.5 * wp.length(wp.cross(b - a, p - a)))


@idiom(
    level=4,
    names={
        "quadrics": "quadrics error_forms q_matrices",
        "edges": "edges pairs collapses",
        "costs": "costs errors priorities",
        "kernel": "rate_collapses quadric_errors",
    },
)
def edge_collapse_cost(c):
    """The cost of collapsing each edge to {PLACE}, by {ERROR}{LENGTH}{KEPT}."""
    count, points = c.size(9, 14), c.size(6, 9)
    PLACE = c.meaning("its middle", "its better end", "its best point")
    ERROR = c.meaning("the sum of both quadrics", "squared distances to the planes of its ends")
    LENGTH = c.meaning("", ", plus its weighted length")
    KEPT = c.meaning("", "; these places are stored too")
    WEIGHT = c.constant(0.05, 0.5)

    def by_quadrics(quadrics: wp.array[wp.mat44], head: int, tail: int, p: wp.vec3) -> float:
        h = wp.vec4(p[0], p[1], p[2], 1.0)
        return wp.dot(h, (quadrics[head] + quadrics[tail]) * h)

    def by_planes(planes: wp.array2d[wp.vec4], head: int, tail: int, p: wp.vec3) -> float:
        """The sum of the squared distances to the planes of both ends."""
        total = float(0.0)
        for k in range(planes.shape[1]):
            first = planes[head, k]
            second = planes[tail, k]
            to_first = first[0] * p[0] + first[1] * p[1] + first[2] * p[2] + first[3]
            to_second = second[0] * p[0] + second[1] * p[1] + second[2] * p[2] + second[3]
            total += to_first * to_first + to_second * to_second
        return total

    QUADRICS = ERROR == "the sum of both quadrics"
    error_at = by_quadrics if QUADRICS else by_planes

    @c.kernel(count)
    def kernel(
        vertices: wp.array[wp.vec3] = given(points, low=-2.0, high=2.0),
        edges: wp.array2d[int] = given(count, 2, low=0, high=points - 1),
        quadrics: wp.array[wp.mat44] = given(points, low=-1.0, high=1.0, trait="positive definite"),
        planes: wp.array2d[wp.vec4] = given(points, 3, low=-1.0, high=1.0),
        costs: wp.array[float] = result(count, of="loss"),
        places: wp.array[wp.vec3] = result(count),
    ):
        edge = wp.tid()
        head = edges[edge, 0]
        tail = edges[edge, 1]
        a = vertices[head]
        b = vertices[tail]
        if PLACE == "its middle":
            place = 0.5 * (a + b)
            cost = error_at(quadrics if QUADRICS else planes, head, tail, place)
        elif PLACE == "its better end":
            first = error_at(quadrics if QUADRICS else planes, head, tail, a)
            last = error_at(quadrics if QUADRICS else planes, head, tail, b)
            cost = wp.min(first, last)
            if KEPT:
                place = a if first < last else b
        else:
            first = error_at(quadrics if QUADRICS else planes, head, tail, a)
            centre = error_at(quadrics if QUADRICS else planes, head, tail, 0.5 * (a + b))
            last = error_at(quadrics if QUADRICS else planes, head, tail, b)
            # along the edge the error is a parabola
            bend = 4.0 * wp.max(first - 2.0 * centre + last, 1.0e-4)
            t = wp.clamp((3.0 * first - 4.0 * centre + last) / bend, 0.0, 1.0)
            place = wp.lerp(a, b, t)
            cost = error_at(quadrics if QUADRICS else planes, head, tail, place)
        if LENGTH:
            cost += WEIGHT * wp.length(b - a)
        costs[edge] = cost
        if KEPT:
            places[edge] = place


@idiom(
    level=4,
    names={
        "profile": "profile controls section",
        "u v": "u v | s t",
        "out": "out samples values",
        "kernel": "eval_sweep sample_sweep",
    },
)
def swept_surface(c):
    """{SAYS} the surface made of a {PROFILE} by {MOTION}, {WHERE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    WANTED = c.meaning("point", "normal", "area")
    PROFILE = c.meaning("parabola", "segment", "half wave")
    WHERE = c.meaning("on a grid of parameters", "at given parameters")
    GRID = WHERE == "on a grid of parameters"
    SAYS = {"point": "The points of", "normal": "The unit normals of"}.get(WANTED, "The stretch of areas on")
    if WANTED == "area" and GRID:
        SAYS = "The areas of the cells of"
    OUTS = {"point": "out samples", "normal": "out normals"}
    c.names({"out": OUTS.get(WANTED, "out areas" if GRID else "out stretches")})
    RISE, TURNS = c.constant(0.5, 2.0), c.constant(0.5, 1.0)
    Wanted = float if WANTED == "area" else c.vec(3)

    def section(profile: wp.array[wp.vec2], u: float) -> wp.vec2:
        if PROFILE == "segment":
            return wp.lerp(profile[0], profile[1], u)
        if PROFILE == "parabola":
            return wp.lerp(wp.lerp(profile[0], profile[1], u), wp.lerp(profile[1], profile[2], u), u)
        return wp.lerp(profile[0], profile[1], u) + wp.sin(wp.PI * u) * profile[2]

    def revolution(profile: wp.array[wp.vec2], u: float, v: float) -> wp.vec3:
        p = section(profile, u)
        angle = 2.0 * wp.PI * TURNS * v
        return wp.vec3(p[0] * wp.cos(angle), p[1], p[0] * wp.sin(angle))

    def screw(profile: wp.array[wp.vec2], u: float, v: float) -> wp.vec3:
        p = section(profile, u)
        turn = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), 2.0 * wp.PI * TURNS * v)
        return wp.quat_rotate(turn, wp.vec3(p[0], p[1], 0.0)) + wp.vec3(0.0, RISE * v, 0.0)

    def extrusion(profile: wp.array[wp.vec2], u: float, v: float) -> wp.vec3:
        p = section(profile, u)
        # at the end half as wide
        size = 1.0 - 0.5 * v
        return wp.vec3(size * p[0], size * p[1], RISE * v)

    SWEEP, MOTION = c.meaning(
        (revolution, "revolution about the y axis"),
        (screw, "a screw motion about the y axis"),
        (extrusion, "tapered extrusion along z"),
    )

    def tangents(profile: wp.array[wp.vec2], u: float, v: float):
        """Both derivatives, by central differences."""
        du = SWEEP(profile, u + 0.01, v) - SWEEP(profile, u - 0.01, v)
        dv = SWEEP(profile, u, v + 0.01) - SWEEP(profile, u, v - 0.01)
        return du / 0.02, dv / 0.02

    @c.kernel(rows, cols)
    def kernel(
        profile: wp.array[wp.vec2] = given(2 if PROFILE == "segment" else 3, low=0.3, high=2.0),
        params: wp.array2d[wp.vec2] = given(rows, cols, low=0.0, high=1.0),
        out: wp.array2d[Wanted] = result(rows, cols),
    ):
        i, j = wp.tid()
        if not GRID:
            u = params[i, j][0]
            v = params[i, j][1]
        else:
            u = float(i) / float(out.shape[0] - 1)
            v = float(j) / float(out.shape[1] - 1)
        if WANTED == "point":
            out[i, j] = SWEEP(profile, u, v)
        else:
            du, dv = tangents(profile, u, v)
            if WANTED == "normal":
                out[i, j] = wp.normalize(wp.cross(du, dv))
            elif GRID:
                out[i, j] = wp.length(wp.cross(du, dv)) / float((out.shape[0] - 1) * (out.shape[1] - 1))
            else:
                out[i, j] = wp.length(wp.cross(du, dv))


@idiom(
    level=5,
    differentiable=False,
    names={
        "vertices": "vertices points positions",
        "ring": "ring neighbours fans",
        "links_of": "links_of ring_indices adjacent",
        "out": "out curvature result",
        "kernel": "bend_of_vertices estimate_curvature",
    },
)
def vertex_curvature(c):
    """The {WANTED} at each vertex of a mesh, from its closed ring, {DATA}, with {AREA} areas."""
    n, valence, links = c.size(7, 10), c.size(4, 6), c.size(28, 40)
    WANTED = c.meaning(
        "Gauss curvature",
        "absolute mean curvature",
        "mean curvature vector",
        "greatest absolute principal curvature",
    )
    AREA = c.meaning("barycentric", "Voronoi", "mixed")
    DATA = c.meaning("a row of an array", "a run of a list")
    LIST = DATA == "a run of a list"
    Wanted = c.vec(3) if WANTED == "mean curvature vector" else float
    TURN, BEND = WANTED[0] == "G" or WANTED[:8] == "greatest", WANTED[0] != "G"

    def angle_between(a: wp.vec3, b: wp.vec3) -> float:
        # a side without length has no angle
        return wp.atan2(wp.length(wp.cross(a, b)), wp.dot(a, b) + 1.0e-6)

    def cotangent(a: wp.vec3, b: wp.vec3) -> float:
        # the cotangents of slivers would have no bound
        return wp.dot(a, b) / wp.max(wp.length(wp.cross(a, b)), 1.0e-1)

    def share(here: wp.vec3, p: wp.vec3, q: wp.vec3) -> float:
        """The part of a triangle's area that belongs to its first corner."""
        if AREA == "barycentric":
            return wp.length(wp.cross(p - here, q - here)) / 6.0
        at_p = cotangent(here - p, q - p)
        at_q = cotangent(here - q, p - q)
        voronoi = 0.125 * (at_q * wp.length_sq(p - here) + at_p * wp.length_sq(q - here))
        if AREA == "Voronoi":
            return wp.max(voronoi, 0.0)
        area = 0.5 * wp.length(wp.cross(p - here, q - here))
        if wp.dot(p - here, q - here) < 0.0:
            return 0.5 * area
        if at_p < 0.0 or at_q < 0.0:
            return 0.25 * area
        return voronoi

    @c.kernel(n)
    def kernel(
        vertices: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        ring: wp.array2d[int] = given(n, valence, low=0, high=n - 1),
        offsets: wp.array[int] = given(n + 1, low=0, high=links, trait="offsets"),
        links_of: wp.array[int] = given(links, low=0, high=n - 1),
        out: wp.array[Wanted] = result(n, of="value" if Wanted is float else None),
    ):
        i = wp.tid()
        here = vertices[i]
        if LIST:
            begin = offsets[i]
            end = offsets[i + 1]
            q = vertices[links_of[wp.max(end - 1, 0)]]
        else:
            count = ring.shape[1]
        area = float(0.0)
        if TURN:
            angles = float(0.0)
        if BEND:
            bend = wp.vec3(0.0, 0.0, 0.0)
        for k in range(begin, end) if LIST else range(count):
            if LIST:
                p = q
                q = vertices[links_of[k]]
            else:
                p = vertices[ring[i, k]]
                q = vertices[ring[i, (k + 1) % count]]
            area += share(here, p, q)
            if TURN:
                angles += angle_between(p - here, q - here)
            if BEND:
                bend += cotangent(here - q, p - q) * (p - here) + cotangent(here - p, q - p) * (q - here)
        area = wp.max(area, 1.0e-1)
        if TURN:
            gauss = (2.0 * wp.PI - angles) / area
        if WANTED == "Gauss curvature":
            out[i] = gauss
        elif WANTED == "mean curvature vector":
            out[i] = 0.25 * bend / area
        else:
            mean = 0.25 * wp.length(bend) / area
            if WANTED == "absolute mean curvature":
                out[i] = mean
            else:
                # noise may bring the square below the Gauss curvature
                out[i] = mean + wp.sqrt(wp.max(mean * mean - gauss, 0.0))


@idiom(
    level=3,
    differentiable=False,
    names={
        "tid": "tid v i",
        "points": "points vertices positions",
        "normals": "normals vertex_normals nrm",
        "state": "state rng generator",
        "height": "height displacement bump",
        "p": "p x_v here",
        "kernel": "roughen_mesh displace_vertices add_noise_to_mesh",
    },
)
def roughened_mesh(c):
    """Moves each vertex of a mesh {ALONG} by {KIND}{MASK}{GIVES}."""
    n = c.size()
    ALONG = c.meaning("along its normal", "away from a centre")
    KIND = c.meaning("gradient noise", "ridges of noise", "billows of noise", "two layers of noise")
    MASK = c.meaning("", ", more the higher up it is", ", times weights of its own")
    GIVEN = ("", ", and gives how far")
    # ridges and billows are never below zero
    BELOW = KIND in ("gradient noise", "two layers of noise")
    GIVES = c.meaning(*GIVEN, ", never inwards") if BELOW else c.meaning(*GIVEN)
    SCALE, STRENGTH = c.constant(0.6, 2.0), c.constant(0.2, 0.9)

    def rough(state: wp.uint32, p: wp.vec3) -> float:
        """How far a point is moved, before scaling."""
        if KIND == "ridges of noise":
            return 1.0 - wp.abs(wp.noise(state, p))
        elif KIND == "billows of noise":
            return wp.abs(wp.noise(state, p))
        elif KIND == "two layers of noise":
            return wp.noise(state, p) + 0.5 * wp.noise(state, 2.0 * p)
        else:
            return wp.noise(state, p)

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = updated(n, low=-1.5, high=1.5, of="position"),
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        centre: wp.vec3 = given(low=-0.3, high=0.3),
        weights: wp.array[float] = given(n, low=0.0, high=1.0),
        seed: int = given(low=1, high=1000),
        moved_by: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        p = points[tid]
        state = wp.rand_init(seed)
        height = STRENGTH * rough(state, SCALE * p)
        if "high" in MASK:
            height *= wp.clamp(0.5 + 0.5 * p[2], 0.0, 1.0)
        elif MASK:
            height *= weights[tid]
        if GIVES == ", never inwards":
            height = wp.max(height, 0.0)
        elif GIVES:
            moved_by[tid] = height
        if ALONG == "along its normal":
            points[tid] = p + height * normals[tid]
        else:
            points[tid] = p + height * wp.normalize(p - centre)
