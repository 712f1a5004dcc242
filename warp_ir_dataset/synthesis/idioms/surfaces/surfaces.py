"""Surfaces: measures and curvature of meshes and patches, smoothing and coarsening."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

MESH = {
    "vertices": "vertices points mesh_points",
    "triangles": "triangles faces tri_indices",
    "a b p": "a b p | p0 p1 p2 | v0 v1 v2",
}


@idiom(level=2, names={**MESH, "areas": "areas out face_area", "kernel": "measure_faces triangle_areas"})
def face_areas(c):
    """{SAYS}, {FORM}.

    Measure the triangles of a mesh: each row of {triangles} has the indices of the three corners in
    {vertices}. {RESULT} Find the area {METHOD}.
    """
    faces, points, DIM = c.size(8, 14), c.size(6, 9), c.meaning(2, 3)
    Vec, WANTED = (
        c.vec(DIM),
        c.meaning("area", "share in vertex areas", "mass"),
    )
    SAYS = f"The {WANTED} of each triangle of a mesh in {DIM} dimensions"
    if WANTED == "share in vertex areas":
        SAYS = (
            f"Adds a third of the area of each triangle of a mesh in {DIM} dimensions to each of its corners"
        )
    FORM = c.meaning("from a cross product", "by Heron's formula", "from its base and height")
    if WANTED != "area":
        MASSES = WANTED == "mass"
        c.names(
            {
                "kernel": "face_masses weigh_faces" if MASSES else "vertex_areas share_areas",
                "areas": "masses out" if MASSES else "shares out vertex_area",
            }
        )
    RESULT = {
        "area": "Store the area of each in {areas}.",
        "mass": "Store the mass of each in {areas}, its area times its {density}.",
        "share in vertex areas": (
            "Add a third of the area of each to all three of its corners, in {areas}, which starts at zero."
        ),
    }[WANTED]
    METHOD = {
        "from a cross product": "from a cross product; it is never negative",
        "by Heron's formula": "by Heron's formula, with 0 for a flat triangle",
        "from its base and height": (
            "as half of the base, the side from the first corner to the second, times the height (when"
            " dividing by the square of the base, that counts as at least 1e-6)"
        ),
    }[FORM]

    @c.kernel(faces)
    def kernel(
        vertices: wp.array[Vec] = input(points, low=-2.0, high=2.0),
        triangles: wp.array2d[int] = input(faces, 3, low=0, high=points - 1),
        density: wp.array[float] = input(faces, low=0.5, high=2.0),
        areas: wp.array[float] = output(
            points if WANTED == "share in vertex areas" else faces,
            of="area" if WANTED == "area" else None,
        ),
    ):
        face = wp.tid()
        a = vertices[triangles[face, 0]]
        b = vertices[triangles[face, 1]]
        p = vertices[triangles[face, 2]]
        if FORM == "by Heron's formula":
            first = wp.length(b - a)
            second = wp.length(p - b)
            third = wp.length(a - p)
            half = 0.5 * (first + second + third)
            # rounding may bring this below zero for a flat triangle
            area = wp.sqrt(wp.max(half * (half - first) * (half - second) * (half - third), 0.0))
        elif FORM == "from its base and height":
            base = b - a
            along = wp.dot(p - a, base) / wp.max(wp.length_sq(base), 1.0e-6)
            area = 0.5 * wp.length(base) * wp.length(p - a - along * base)
        elif DIM == 2:
            area = 0.5 * wp.abs((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]))
        else:
            area = 0.5 * wp.length(wp.cross(b - a, p - a))
        if WANTED == "area":
            areas[face] = area
        elif WANTED == "mass":
            areas[face] = density[face] * area
        else:
            wp.atomic_add(areas, triangles[face, 0], area / 3.0)
            wp.atomic_add(areas, triangles[face, 1], area / 3.0)
            wp.atomic_add(areas, triangles[face, 2], area / 3.0)


@idiom(level=3, names={**MESH, "quality": "quality shape out", "kernel": "rate_triangles triangle_shape"})
def triangle_quality(c):
    """The {MEASURE} of each triangle of a {DATA}, scaled to one for equilateral ones{COUNTED}.

    Rate the shape of triangles, from 0 for a flat to 1 for an equilateral one, in {quality}. {CORNERS} With
    the sides A, B and C, the quality is {FORMULA}.{BELOW}
    """
    faces, points = c.size(8, 14), c.size(6, 9)
    MEASURE = c.meaning("radius ratio", "ratio of area to squared edges", "aspect ratio", "smallest angle")
    DATA, COUNTED = c.meaning("mesh", "soup"), c.meaning("", "; those below a limit are counted")
    Vec, LIMIT = c.vec(c.meaning(2, 3)), c.constant(0.3, 0.7)
    CORNERS = "Each row of {triangles} has the indices of three corners in {vertices}."
    if DATA == "soup":
        CORNERS = "Each row of {soup} has the three corners of one."
    FORMULA = {
        "radius ratio": ("the radius ratio, (B + C - A)·(C + A - B)·(A + B - C) / max(A·B·C, 1e-6)"),
        "ratio of area to squared edges": (
            "6.9282032 (four times √3) times the area, divided by max(A² + B² + C², 1e-6)"
        ),
        "aspect ratio": (
            "the height on the longest side over that side, scaled: 2.3094011 (4 / √3) times the area,"
            " divided by the square of the longest side, but at least by 1e-6"
        ),
        "smallest angle": (
            "the angle across from the shortest side S, times 3/π. Its cosine is (½·(A² + B² + C²) - S²)"
            " / P, but at most 1; P is the product of the other two sides, A·B·C / max(S, 0.001), and"
            " counts as at least 0.001"
        ),
    }[MEASURE]
    BELOW = ""
    if COUNTED:
        BELOW = " {count}, zero at the start, gets the number of triangles with a quality below {LIMIT}."

    @c.kernel(faces)
    def kernel(
        vertices: wp.array[Vec] = input(points, low=-2.0, high=2.0),
        triangles: wp.array2d[int] = input(faces, 3, low=0, high=points - 1),
        soup: wp.array2d[Vec] = input(faces, 3, low=-2.0, high=2.0),
        quality: wp.array[float] = output(faces, of="score"),
        count: wp.array[int] = output(1),
    ):
        face = wp.tid()
        if DATA == "mesh":
            a = vertices[triangles[face, 0]]
            b = vertices[triangles[face, 1]]
            p = vertices[triangles[face, 2]]
        else:
            a = soup[face, 0]
            b = soup[face, 1]
            p = soup[face, 2]
        first = wp.length(p - b)
        second = wp.length(a - p)
        third = wp.length(b - a)
        if MEASURE == "radius ratio":
            # twice the radius of the inscribed circle over that of the circle around
            product = (second + third - first) * (third + first - second) * (first + second - third)
            value = product / wp.max(first * second * third, 1.0e-6)
        elif MEASURE == "smallest angle":
            shortest = wp.min(first, wp.min(second, third))
            squares = first * first + second * second + third * third
            product = first * second * third / wp.max(shortest, 1.0e-3)
            cosine = (0.5 * squares - shortest * shortest) / wp.max(product, 1.0e-3)
            # rounding may bring the cosine of a flat triangle above one
            value = wp.acos(wp.min(cosine, 1.0)) * 3.0 / wp.PI
        else:
            half = 0.5 * (first + second + third)
            square = half * (half - first) * (half - second) * (half - third)
            # rounding may bring this below zero for a flat triangle
            area = wp.sqrt(wp.max(square, 0.0))
            if MEASURE == "ratio of area to squared edges":
                squares = first * first + second * second + third * third
                # four times the root of three makes this one for equal sides
                value = 6.9282032 * area / wp.max(squares, 1.0e-6)
            else:
                longest = wp.max(first, wp.max(second, third))
                # the height on the longest side over that side
                value = 2.3094011 * area / wp.max(longest * longest, 1.0e-6)
        quality[face] = value
        if COUNTED:
            if value < LIMIT:
                wp.atomic_add(count, 0, 1)


@idiom(
    level=3, names={**MESH, "normals": "normals vertex_normals out", "kernel": "scatter_normals add_normals"}
)
def vertex_normals(c):
    """Adds the normal of each {FACE}, weighted {WEIGHT}, to those of its corners{TOO}.

    Add up vertex normals from the {FACE}s of a mesh: to {normals} of each corner, which may have values
    before, add a share of the {FACE}'s normal. Each row of {triangles} has the indices of its corners in
    {vertices}, in order around it. Its normal N is {CROSS}. {SHARED}{COUNTED}
    """
    count, points = c.size(8, 12), c.size(6, 9)
    FACE, TOO = (
        c.meaning("triangle", "quad"),
        c.meaning("", ", and counts the faces there", "; faces below a least area are left out"),
    )
    if FACE == "quad":
        c.names({"triangles": "quads faces quad_indices"})
    WEIGHT = c.meaning(
        "by area", "equally", "by the corner angle", "by area and inverse squares of its edges"
    )
    PER_CORNER = WEIGHT not in ("by area", "equally")
    MIN_AREA, SIDES = c.constant(0.3, 0.8), 3 if FACE == "triangle" else 4

    def corner_weight(here: wp.vec3, ahead: wp.vec3, back: wp.vec3) -> float:
        to_ahead = ahead - here
        to_back = back - here
        if WEIGHT == "by the corner angle":
            if FACE == "quad":
                # corners that coincide have no angle
                return wp.atan2(wp.length(wp.cross(to_ahead, to_back)), wp.dot(to_ahead, to_back) + 1.0e-6)
            return wp.atan2(wp.length(wp.cross(to_ahead, to_back)), wp.dot(to_ahead, to_back))
        return 1.0 / wp.max(wp.length_sq(to_ahead) * wp.length_sq(to_back), 1.0e-2)

    CROSS = "(second corner - first) × (third - first)"
    if FACE == "quad":
        CROSS = "the cross product of its diagonals, (third corner - first) × (fourth - second)"
    SHARED = {
        "by area": "Weighted by area, each corner gets N as it is.",
        "equally": "Each corner gets N, normalized; a normal without length stays zero.",
        "by the corner angle": (
            "Each corner gets N, normalized (or zero if it has no length), times the angle between the"
            " edges E and F that meet there, atan2(|E × F|, E·F{ASIDE})."
        ),
        "by area and inverse squares of its edges": (
            "Each corner gets N / (|E|²·|F|²) with the edges E and F that meet there, by Max; the divisor"
            " counts as at least 0.01."
        ),
    }[WEIGHT]
    ASIDE = " + 1e-6" if FACE == "quad" else ""
    COUNTED = {
        "": "",
        ", and counts the faces there": (
            " {counts}, zero at the start, gets the number of {FACE}s at each vertex."
        ),
        "; faces below a least area are left out": " Leave out faces with ½·|N| < {MIN_AREA}.",
    }[TOO]

    @c.kernel(count)
    def kernel(
        vertices: wp.array[wp.vec3] = input(points, low=-1.2, high=1.2),
        triangles: wp.array2d[int] = input(count, SIDES, low=0, high=points - 1),
        normals: wp.array[wp.vec3] = inout(points, low=-1.0, high=1.0),
        counts: wp.array[int] = output(points),
    ):
        face = wp.tid()
        a = vertices[triangles[face, 0]]
        b = vertices[triangles[face, 1]]
        p = vertices[triangles[face, 2]]
        if FACE == "quad":
            # the diagonals of a quad span twice its area
            normal = wp.cross(p - a, vertices[triangles[face, 3]] - b)
        else:
            normal = wp.cross(b - a, p - a)
        if TOO == "; faces below a least area are left out":
            if 0.5 * wp.length(normal) < MIN_AREA:
                return
        if WEIGHT == "by the corner angle" or WEIGHT == "equally":
            normal = wp.normalize(normal)
        if SIDES == 3 and TOO != ", and counts the faces there" and not PER_CORNER:
            wp.atomic_add(normals, triangles[face, 0], normal)
            wp.atomic_add(normals, triangles[face, 1], normal)
            wp.atomic_add(normals, triangles[face, 2], normal)
        else:
            for k in range(3 if FACE == "triangle" else triangles.shape[1]):
                corner = triangles[face, k]
                if not PER_CORNER:
                    wp.atomic_add(normals, corner, normal)
                else:
                    ahead = vertices[triangles[face, (k + 1) % SIDES]]
                    back = vertices[triangles[face, (k + (SIDES - 1)) % SIDES]]
                    normals[corner] += corner_weight(vertices[corner], ahead, back) * normal
                if TOO == ", and counts the faces there":
                    counts[corner] += 1


@idiom(
    level=3,
    differentiable=False,
    names={
        "vertices": "vertices points positions",
        "offsets ring": "offsets ring | row_offsets neighbours | starts links",
        "out": "out smoothed relaxed",
        "kernel": "smooth_vertices relax_mesh",
    },
)
def umbrella_smoothing(c):
    """Moves each vertex {WAY} towards the mean of its neighbours{MEAN}; {STILL}.

    Smooth a mesh by the umbrella operator: move each vertex {FAR} the {AVERAGE} of its neighbours and store
    it in {out}. The neighbours of vertex i, as indices in {vertices}, are the entries of {ring} from
    `{offsets}[i]` up to but not including `{offsets}[i + 1]`.{WEIGHTED}{FLAT} {STAYING}
    """
    n, links = c.size(7, 12), c.size(18, 28)
    MEAN = c.meaning("", ", weighted by closeness", ", weighted by link")
    WAY = c.meaning("all the way", "a part of the way", "within its tangent plane")
    STILL = c.meaning(
        "those with fewer than two stay", "pinned ones and those without any stay", "no step exceeds a limit"
    )
    RATE, SOFT, LIMIT = c.constant(0.2, 0.9), c.constant(0.2, 1.5), c.constant(0.3, 0.8)
    LIMITED = STILL == "no step exceeds a limit"
    STRAIGHT = WAY == "all the way" and not (LIMITED or MEAN)
    FAR = {
        "all the way": "to",
        "a part of the way": "by {RATE} of the way to",
        "within its tangent plane": "towards",
    }[WAY]
    AVERAGE = "weighted mean" if MEAN else "mean"
    WEIGHTED = ""
    if MEAN:
        WEIGHTED = (
            " The weight of a neighbour is its entry of {link_weights}."
            if "link" in MEAN
            else " The weight of a neighbour is 1 / ({SOFT} + its distance)."
        )
    FLAT = ""
    if "tangent" in WAY:
        FLAT = " Of the way there take only the part that is perpendicular to its unit normal in {normals}."
    STAYING = {
        "those with fewer than two stay": "Vertices with fewer than two neighbours stay.",
        "pinned ones and those without any stay": (
            "Vertices with {pinned} 1 and those without neighbours stay."
        ),
        "no step exceeds a limit": (
            "A step longer than {LIMIT} is shortened to that; vertices without neighbours stay."
        ),
    }[STILL]

    @c.kernel(n)
    def kernel(
        vertices: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0),
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit"),
        offsets: wp.array[int] = input(n + 1, low=0, high=links, trait="offsets"),
        ring: wp.array[int] = input(links, low=0, high=n - 1),
        link_weights: wp.array[float] = input(links, low=0.2, high=2.0),
        pinned: wp.array[int] = input(n, low=0, high=1),
        out: wp.array[wp.vec3] = output(n, of="position"),
    ):
        i = wp.tid()
        here = vertices[i]
        begin = offsets[i]
        end = offsets[i + 1]
        if LIMITED:
            if begin == end:
                out[i] = here
                return
        elif STILL == "pinned ones and those without any stay":
            if pinned[i] == 1 or begin == end:
                out[i] = here
                return
        elif end - begin < 2:
            out[i] = here
            return
        total = wp.vec3(0.0, 0.0, 0.0)
        if not MEAN:
            for k in range(begin, end):
                total += vertices[ring[k]]
            if not STRAIGHT:
                way = total / float(end - begin) - here
        else:
            weight_sum = float(0.0)
            for k in range(begin, end):
                apart = vertices[ring[k]] - here
                weight = link_weights[k] if "link" in MEAN else 1.0 / (SOFT + wp.length(apart))
                total += weight * apart
                weight_sum += weight
            way = total / weight_sum
        if WAY == "within its tangent plane":
            # what points out of the surface would shrink it
            way -= wp.dot(way, normals[i]) * normals[i]
        elif WAY == "a part of the way":
            way *= RATE
        if LIMITED:
            far = wp.length(way)
            if far > LIMIT:
                way *= LIMIT / far
        if STRAIGHT:
            out[i] = total / float(end - begin)
        else:
            out[i] = here + way


@idiom(
    level=3,
    names={
        **MESH,
        "values": "values field heights",
        "out": "out gradients slopes",
        "kernel": "differentiate_field",
    },
)
def triangle_gradients(c):
    """The {WANTED} of a field on each triangle of {DATA} in {DIM} dimensions, given {WHERE}, by {FORM}.

    Find the {NAMED} on each triangle and store it in {out}. {CORNERS}

    The field is linear on the triangle; find its gradient {METHOD}. That divides by D, the square of twice
    the area, or by 0.01 if D is less: the result is the true gradient times (2·area)² / D, smaller on
    slivers and zero on triangles without area.{RESULT}
    """
    faces, points = c.size(8, 13), c.size(6, 9)
    WANTED = c.meaning(
        "gradient",
        "squared gradient norm",
        "Dirichlet energy",
        "derivative along a wind",
        "conductive flux",
    )
    if WANTED != "gradient":
        c.names(
            {
                "squared gradient norm": {
                    "kernel": "gradient_norms steepness_of_faces",
                    "out": "out squares",
                },
                "Dirichlet energy": {"kernel": "dirichlet_energies face_energies", "out": "out energies"},
                "derivative along a wind": {
                    "kernel": "wind_derivatives differentiate_along",
                    "out": "out rates",
                },
                "conductive flux": {"kernel": "conductive_fluxes face_fluxes", "out": "out fluxes"},
            }[WANTED]
        )
    DATA, WHERE = c.meaning(
        ("a mesh", "at its vertices"),
        ("a mesh", "at the corners of each face"),
        ("a soup", "at its corners"),
    )
    FORM, DIM = c.meaning("its turned edges", "the metric of its sides"), c.meaning(2, 3)
    Vec = c.vec(DIM)
    Wanted = Vec if WANTED == "gradient" or WANTED == "conductive flux" else float
    NAMED = {
        "gradient": "gradient of a field",
        "squared gradient norm": "squared norm of the gradient of a field",
        "Dirichlet energy": "Dirichlet energy of a field",
        "derivative along a wind": "derivative of a field along the vector {wind}",
        "conductive flux": "conductive flux of a field",
    }[WANTED]
    CORNERS = (
        "Each row of {triangles} has the indices of the three corners in {vertices}; the values are {VALUED}."
    )
    if DATA == "a soup":
        CORNERS = "Each row of {soup} has its three corners; the values there are in {corner_values}."
    VALUED = (
        "those of the vertices in {values}"
        if WHERE == "at its vertices"
        else "those of its corners in {corner_values}"
    )
    METHOD = "from the turned edges, each times the value of the corner across from it"
    if FORM != "its turned edges":
        METHOD = "from the metric of two sides and the rises of the field along them"
    RESULT = {
        "gradient": "",
        "squared gradient norm": "",
        "Dirichlet energy": " The energy is ¼·√D times the square of the gradient.",
        "derivative along a wind": " The derivative is the dot product with {wind}.",
        "conductive flux": " The flux is minus {conductivity} times the gradient.",
    }[WANTED]

    @c.kernel(faces)
    def kernel(
        vertices: wp.array[Vec] = input(points, low=-2.0, high=2.0),
        triangles: wp.array2d[int] = input(faces, 3, low=0, high=points - 1),
        soup: wp.array2d[Vec] = input(faces, 3, low=-2.0, high=2.0),
        values: wp.array[float] = input(points, low=-1.0, high=1.0),
        corner_values: wp.array[wp.vec3] = input(faces, low=-1.0, high=1.0),
        wind: Vec = input(low=-1.0, high=1.0),
        conductivity: wp.array[float] = input(faces, low=0.2, high=2.0),
        out: wp.array[Wanted] = output(faces),
    ):
        face = wp.tid()
        if DATA == "a mesh":
            a = vertices[triangles[face, 0]]
            b = vertices[triangles[face, 1]]
            p = vertices[triangles[face, 2]]
        else:
            a = soup[face, 0]
            b = soup[face, 1]
            p = soup[face, 2]
        if WHERE != "at its vertices":
            f = corner_values[face]
        else:
            f = wp.vec3(values[triangles[face, 0]], values[triangles[face, 1]], values[triangles[face, 2]])
        if FORM == "its turned edges" and DIM == 2:
            twice = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
            around = f[0] * (p - b) + f[1] * (a - p) + f[2] * (b - a)
            square = wp.max(twice * twice, 1.0e-2)
            # a quarter turn to the left
            gradient = twice / square * wp.vec2(-around[1], around[0])
        elif FORM == "its turned edges":
            normal = wp.cross(b - a, p - a)
            # each corner's share is perpendicular to the side across from it
            around = f[0] * (p - b) + f[1] * (a - p) + f[2] * (b - a)
            square = wp.max(wp.length_sq(normal), 1.0e-2)
            gradient = wp.cross(normal, around) / square
        else:
            u = b - a
            v = p - a
            uv = wp.dot(u, v)
            square = wp.max(wp.length_sq(u) * wp.length_sq(v) - uv * uv, 1.0e-2)
            du = wp.length_sq(v) * (f[1] - f[0]) - uv * (f[2] - f[0])
            dv = wp.length_sq(u) * (f[2] - f[0]) - uv * (f[1] - f[0])
            gradient = (du * u + dv * v) / square
        if WANTED == "gradient":
            out[face] = gradient
        elif WANTED == "squared gradient norm":
            out[face] = wp.length_sq(gradient)
        elif WANTED == "Dirichlet energy":
            out[face] = 0.25 * wp.sqrt(square) * wp.length_sq(gradient)
        elif WANTED == "derivative along a wind":
            out[face] = wp.dot(wind, gradient)
        else:
            out[face] = -conductivity[face] * gradient
