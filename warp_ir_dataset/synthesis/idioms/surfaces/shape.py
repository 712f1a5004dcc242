"""Surfaces: enclosed volumes, curvature, sweeps and coarsening."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

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
    """Adds up the {SUMS} of a closed mesh{MASS} from tetrahedra between its faces and {TIP}{AREA}.

    Integrate over the inside of a closed mesh, from the tetrahedra between its faces and {TOP}. Each row of
    {triangles} has the indices of three corners in {vertices}; with the corners as vectors A, B and C{FROM},
    the tetrahedron has the signed volume W = A·(B × C) / 6{DENSE}. {ADDED}
    """
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
    TOP = "the origin" if APEX == "the origin" else "the point {reference}"
    FROM = "" if APEX == "the origin" else " from that point"
    DENSE = ", times the {density}" if MASS else ""
    ADDED = {
        "volume": "Add all W to {volume}, on top of its value.",
        "volume and first moment": (
            "Add all W to {volume}, on top of its value, and all ¼·W·(A + B + C) to {moment}, which"
            " starts at zero."
        ),
        "second moments": (
            "Add all 0.05·W·(A Aᵀ + B Bᵀ + C Cᵀ + S Sᵀ), with S = A + B + C, to {second}, which starts at"
            " zero."
        ),
        "volume and surface area": (
            "Add all W to {volume}, on top of its value, and the areas of all faces to {surface}, which"
            " starts at zero."
        ),
    }[WANTED]

    @c.kernel(faces)
    def kernel(
        vertices: wp.array[wp.vec3] = input(points, low=-2.0, high=2.0),
        triangles: wp.array2d[int] = input(faces, 3, low=0, high=points - 1),
        density: float = input(low=0.5, high=2.0),
        reference: wp.vec3 = input(low=-1.0, high=1.0),
        volume: wp.array[float] = inout(1, low=1.0, high=4.0),
        moment: wp.array[wp.vec3] = output(1),
        surface: wp.array[float] = output(1),
        second: wp.array[wp.mat33] = output(1),
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
    """The cost of collapsing each edge to {PLACE}, by {ERROR}{LENGTH}{KEPT}.

    Find the cost of collapsing each edge of a mesh, in {costs}, for mesh simplification. A row of {edges} has
    the indices of its two ends in {vertices}, A and B. The error at a point is {FORM}. The edge collapses to
    {TARGET}, and its cost is the error there{LONGER}.{STORED}
    """
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
    FORM = {
        "the sum of both quadrics": (
            "hᵀ·M·h, where h is the point with a 1 as its fourth entry and M the sum of the {quadrics} of"
            " both ends"
        ),
        "squared distances to the planes of its ends": (
            "the sum of (N·point + w)² over all planes (N, w) in the rows of {planes} of both ends"
        ),
    }[ERROR]
    TARGET = {
        "its middle": "its middle",
        "its better end": "the end with the smaller error{TIED}",
        "its best point": (
            "the point A + t·(B - A) with t in [0, 1] where the parabola through the errors E0, E1 and E2"
            " at A, in the middle and at B is least: t = (3·E0 - 4·E1 + E2) / (4·max(E0 - 2·E1 + E2,"
            " 1e-4)), clamped to [0, 1]"
        ),
    }[PLACE]
    TIED = " (of equal ones B)" if KEPT else ""
    LONGER = " plus {WEIGHT} times its length" if LENGTH else ""
    STORED = " Store that point in {places}." if KEPT else ""

    @c.kernel(count)
    def kernel(
        vertices: wp.array[wp.vec3] = input(points, low=-2.0, high=2.0),
        edges: wp.array2d[int] = input(count, 2, low=0, high=points - 1),
        quadrics: wp.array[wp.mat44] = input(points, low=-1.0, high=1.0, trait="positive definite"),
        planes: wp.array2d[wp.vec4] = input(points, 3, low=-1.0, high=1.0),
        costs: wp.array[float] = output(count, of="loss"),
        places: wp.array[wp.vec3] = output(count),
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
    """{SAYS} the surface made of a {PROFILE} by {MOTION}, {WHERE}.

    {PURPOSE} a surface made by {MOTION} from a profile, at the parameters u and v in [0, 1], in {out}.
    {PARAMETERS}

    The profile point (p, q) at u is {CURVE}. The surface point is {PLACED}.{MEASURED}
    """
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

    PURPOSE = {"point": "Find the points of", "normal": "Find the unit normals of"}.get(
        WANTED, "Find the stretch of areas on"
    )
    if WANTED == "area" and GRID:
        PURPOSE = "Find the areas of the cells of"
    PARAMETERS = "Row i of {out} has u = i / (rows - 1), and column j has v = j / (columns - 1)."
    if not GRID:
        PARAMETERS = "An entry of {params} is (u, v)."
    CURVE = {
        "segment": "`{profile}[0]` + u·(`{profile}[1]` - `{profile}[0]`)",
        "parabola": "that of the quadratic Bézier curve with the controls in {profile}",
        "half wave": "`{profile}[0]` + u·(`{profile}[1]` - `{profile}[0]`) + sin(π·u)·`{profile}[2]`",
    }[PROFILE]
    TURN = "with T = 2·π·{TURNS}·v"
    PLACED = {
        "revolution about the y axis": "(p·cos(T), q, p·sin(T)) {TURN}",
        "a screw motion about the y axis": "(p·cos(T), q + {RISE}·v, -p·sin(T)) {TURN}",
        "tapered extrusion along z": "((1 - v/2)·p, (1 - v/2)·q, {RISE}·v)",
    }[MOTION]
    MEASURED = ""
    if WANTED != "point":
        MEASURED = (
            " With its derivatives along u and v, central differences between 0.01 below and 0.01 above"
            " over 0.02, the {RESULT}."
        )
    RESULT = "normal is their cross product, u first, normalized"
    if WANTED == "area":
        RESULT = (
            "area is the length of their cross product over (rows - 1)·(columns - 1)"
            if GRID
            else "stretch is the length of their cross product"
        )

    @c.kernel(rows, cols)
    def kernel(
        profile: wp.array[wp.vec2] = input(2 if PROFILE == "segment" else 3, low=0.3, high=2.0),
        params: wp.array2d[wp.vec2] = input(rows, cols, low=0.0, high=1.0),
        out: wp.array2d[Wanted] = output(rows, cols),
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
    """The {WANTED} at each vertex of a mesh, from its closed ring, {DATA}, with {AREA} areas.

    Estimate the {WANTED} at each vertex of a mesh and store it in {out}. The ring of vertex i holds its
    neighbours in order, {STORED}, as indices in {vertices}. It is closed: with H the vertex, each neighbour P
    and the next one Q, after the last the first, make a triangle H, P, Q. The cotangent at a corner between
    the sides E and F is E·F / max(|E × F|, 0.1).

    The area of the vertex, at least 0.1, is the sum of {SHARES}. {GAUSSIAN}{BENT}
    """
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

    STORED = "in row i of {ring}"
    if LIST:
        STORED = "in {links_of} from `{offsets}[i]` up to but not including `{offsets}[i + 1]`"
    SHARES = {
        "barycentric": "|(P - H) × (Q - H)| / 6 over the triangles, a third of their areas",
        "Voronoi": (
            "its Voronoi part of each triangle, ⅛·(cotangent at Q·|P - H|² + cotangent at P·|Q - H|²),"
            " but at least 0"
        ),
        "mixed": (
            "its mixed part of each triangle: half of its area if the angle at H is obtuse; otherwise ¼"
            " of it if the cotangent at P or Q is negative; otherwise the Voronoi part, ⅛·(cotangent at"
            " Q·|P - H|² + cotangent at P·|Q - H|²)"
        ),
    }[AREA]
    GAUSSIAN = ""
    if TURN:
        GAUSSIAN = (
            "The Gauss curvature G is (2·π - the sum of the angles at H) / area, where an angle between E"
            " and F is atan2(|E × F|, E·F + 1e-6). "
        )
    BENT = ""
    if BEND:
        BENT = (
            "The mean curvature vector K is ¼ / area times the sum of cotangent at Q·(P - H) + cotangent"
            " at P·(Q - H) over the triangles"
        )
        if WANTED == "mean curvature vector":
            BENT += "."
        elif WANTED == "absolute mean curvature":
            BENT += "; the result is its length."
        else:
            BENT += "; the result is |K| + √(|K|² - G), where a negative radicand counts as 0."

    @c.kernel(n)
    def kernel(
        vertices: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0),
        ring: wp.array2d[int] = input(n, valence, low=0, high=n - 1),
        offsets: wp.array[int] = input(n + 1, low=0, high=links, trait="offsets"),
        links_of: wp.array[int] = input(links, low=0, high=n - 1),
        out: wp.array[Wanted] = output(n, of="value" if Wanted is float else None),
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
    """Moves each vertex of a mesh {ALONG} by {KIND}{MASK}{GIVES}.

    Roughen a mesh: move each vertex, in place in {points}, {OUTWARDS} by {STRENGTH} times
    F({SCALE}·p){MASKED}, where p is its position. Here F(p) is {NOISE}, with the noise `wp.noise` of p for
    the state `wp.rand_init({seed})`.{TOLD}
    """
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

    OUTWARDS = "along its normal in {normals}"
    if ALONG == "away from a centre":
        OUTWARDS = "straight away from {centre}"
    NOISE = {
        "gradient noise": "gradient noise",
        "ridges of noise": "1 - |noise|, for ridges",
        "billows of noise": "|noise|, for billows",
        "two layers of noise": "the noise of p plus half of that of 2·p",
    }[KIND]
    MASKED = ""
    if "high" in MASK:
        MASKED = " times ½ + ½·(z of p), clamped to [0, 1]"
    elif MASK:
        MASKED = " times {weights}"
    TOLD = ""
    if GIVES == ", never inwards":
        TOLD = " Vertices never move inwards: a negative distance counts as 0."
    elif GIVES:
        TOLD = (
            " Store the distance, which may be negative, in {moved_by}."
            if BELOW
            else " Store the distance in {moved_by}."
        )

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = inout(n, low=-1.5, high=1.5, of="position"),
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit"),
        centre: wp.vec3 = input(low=-0.3, high=0.3),
        weights: wp.array[float] = input(n, low=0.0, high=1.0),
        seed: int = input(low=1, high=1000),
        moved_by: wp.array[float] = output(n),
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
