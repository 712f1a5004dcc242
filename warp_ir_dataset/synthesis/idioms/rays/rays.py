"""Rays against shapes."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

RAYS = {
    "origins": "origins ray_origins starts",
    "directions": "directions ray_dirs dirs",
    "origin": "origin start ray_start",
    "direction": "direction ray_dir",
}


@idiom(level=2, names={**RAYS, "points": "points targets samples"})
def ray_point_approach(c):
    """The {SAID} a point of its own.

    Find the {SAID} a point of its own. {CAPITAL} k starts at o = `{origins}[k]` and has the {KIND} d =
    `{directions}[k]`; its point is p = `{points}[k]`. The nearest point is o + t·d with t =
    {PARAMETER}{LIMITS}. {hit} gets {GETS}.
    """
    n = c.size(9, 14)
    UNIT = c.meaning(True, False)
    LINE = c.meaning("line", "ray", "ray of limited length" if UNIT else "segment")
    WANTED = c.meaning(
        "parameter on", "nearest point on", "distance from", "offset from", "squared distance from"
    )
    SAID = f"parameter at which each {LINE} is nearest to" if "para" in WANTED else f"{WANTED} each {LINE} to"
    OF = LINE.split()[0]
    KERNELS, HIT = {
        "parameter on": (f"{OF}_params nearest_params", "params out"),
        "nearest point on": (f"nearest_on_{OF} nearest_on_{OF}s", "nearest feet out"),
        "distance from": (f"{OF}_distances distances_to_{OF}s", "distances out"),
        "offset from": (f"{OF}_offsets offsets_from_{OF}s", "offsets out"),
        "squared distance from": (f"{OF}_distances_sq squared_distances", "distances_sq out"),
    }[WANTED]
    c.names({"kernel": KERNELS, "hit": HIT})
    if LINE == "segment":
        c.names({"origins origin": "starts start | tails tail", "directions direction": "spans span"})
    REACH = c.constant(0.5, 2.0)
    Wanted = c.vec(3) if WANTED in ("nearest point on", "offset from") else float
    LIMITS = {
        "line": "",
        "ray": ", but at least 0",
        "ray of limited length": ", clamped to [0, {REACH}]",
        "segment": ", clamped to [0, 1]",
    }[LINE]
    PARAMETER = "(p - o)·d" if UNIT else "(p - o)·d / |d|²"
    CAPITAL = OF.capitalize()
    KIND = "unit direction" if UNIT else "vector to its end" if LINE == "segment" else "direction"
    GETS = {
        "parameter on": "t",
        "nearest point on": "o + t·d",
        "distance from": "the distance of p from o + t·d",
        "offset from": "p - (o + t·d)",
        "squared distance from": "the squared distance of p from o + t·d",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        origins: wp.array[wp.vec3] = input(n, low=-1.5, high=1.5),
        directions: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit" if UNIT else None),
        points: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="position"),
        hit: wp.array[Wanted] = output(n),
    ):
        tid = wp.tid()
        origin = origins[tid]
        direction = directions[tid]
        t = wp.dot(points[tid] - origin, direction)
        if not UNIT:
            t = t / wp.dot(direction, direction)
        if LINE == "ray":
            # points behind the origin are nearest to the origin itself
            t = wp.max(t, 0.0)
        elif LINE == "ray of limited length":
            t = wp.clamp(t, 0.0, REACH)
        elif LINE == "segment":
            t = wp.clamp(t, 0.0, 1.0)
        if WANTED == "nearest point on":
            hit[tid] = origin + t * direction
        elif WANTED == "distance from":
            hit[tid] = wp.length(origin + t * direction - points[tid])
        elif WANTED == "offset from":
            foot = origin + t * direction
            hit[tid] = points[tid] - foot
        elif WANTED == "squared distance from":
            gap = points[tid] - origin - t * direction
            hit[tid] = wp.dot(gap, gap)
        else:
            hit[tid] = t


@idiom(
    level=3,
    differentiable=False,
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
    """Turns each ray in place by {LAW} at a surface{FACING}{ALSO}.

    Turn rays at a surface by {LAW}. Ray k has the unit direction d = `{directions}[k]` and meets a surface
    with the unit normal n = `{normals}[k]`.{FLIPPED} The new direction, which replaces d, is {TURNED}.{MORE}
    """
    n = c.size(9, 14)
    OUT, INTO = "refraction out of a denser medium", "refraction into a denser medium"
    BENT, DIFFUSE = "reflection bent towards the normal", "diffuse reflection"
    LAW = c.meaning("mirror reflection", OUT, INTO, BENT, DIFFUSE)
    INDEX_RATIO, GLOSS, KEPT = c.constant(1.3, 1.6), c.constant(0.2, 0.9), c.constant(0.4, 0.9)
    R0, LIFT = c.constant(0.04, 0.2), c.constant(0.001, 0.001, step=0.001)
    AGAINST, EITHER = " whose normals point against the ray", " whose normals may point either way"
    REFRACTED = LAW[:4] == "refr"
    if REFRACTED or LAW == BENT:
        FACING = c.meaning(AGAINST, EITHER)
    else:
        # a mirror does not tell the sides apart, and only they matter where light is diffused
        FACING = EITHER if LAW == DIFFUSE else ""
    SHARE = "a constant share" if REFRACTED or LAW == DIFFUSE else "Schlick's reflectance"
    ALSO = c.meaning("", "; lifts origins off it", f"; scales energies by {SHARE}")
    FLIPPED = ""
    if FACING == EITHER:
        FLIPPED = " If d·n > 0, the normal is turned over first, n = -n, for all that follows."
    TURNED = {
        "mirror reflection": "d - 2·(d·n)·n",
        OUT: "{INDEX_RATIO}·d + ({INDEX_RATIO}·c - √q)·n, with c = -d·n and q = 1 - {INDEX_RATIO}²·(1 - "
        "c²), by Snell's law; if q < 0, there is total reflection and it is d + 2·c·n",
        INTO: "d / {INDEX_RATIO} + (c / {INDEX_RATIO} - √(1 - (1 - c²) / {INDEX_RATIO}²))·n, with c = "
        "-d·n, by Snell's law",
        BENT: "the unit vector along (1 - {GLOSS})·n + {GLOSS}·m, where m = d - 2·(d·n)·n is the "
        "mirrored direction",
        DIFFUSE: "the unit vector along n + s, where s is `wp.sample_unit_sphere_surface` of the state "
        "`wp.rand_init({seed}, k)` (cosine law)",
    }[LAW]
    MORE = ""
    if "lifts" in ALSO:
        MORE = " {origins} moves by {LIFT} along n"
        MORE += (
            ", to the side that the new direction points to, or to that of n if it lies in the surface."
            if REFRACTED or LAW == "mirror reflection"
            else "."
        )
    elif "energies" in ALSO:
        MORE = (
            " {energies} is multiplied by {KEPT}."
            if SHARE == "a constant share"
            else " {energies} is "
            "multiplied by Schlick's reflectance {R0} + (1 - {R0})·(1 - |d·n|)^5, with the old d."
        )

    def mirrored(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        return d - 2.0 * wp.dot(d, n) * n

    def refracted(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        """The index where the ray comes from is {INDEX_RATIO} times the other one."""
        cosine = -wp.dot(d, n)
        rest = 1.0 - INDEX_RATIO * INDEX_RATIO * (1.0 - cosine * cosine)
        # total reflection
        if rest < 0.0:
            return d + 2.0 * cosine * n
        return INDEX_RATIO * d + (INDEX_RATIO * cosine - wp.sqrt(rest)) * n

    def refracted_in(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        """The index where the ray goes to is {INDEX_RATIO} times the other one."""
        cosine = -wp.dot(d, n)
        sine_sq = (1.0 - cosine * cosine) / (INDEX_RATIO * INDEX_RATIO)
        return d / INDEX_RATIO + (cosine / INDEX_RATIO - wp.sqrt(1.0 - sine_sq)) * n

    def glossy(d: wp.vec3, n: wp.vec3) -> wp.vec3:
        bounced = d - 2.0 * wp.dot(d, n) * n
        return wp.normalize(wp.lerp(n, bounced, GLOSS))

    turn = {"mirror reflection": mirrored, OUT: refracted, INTO: refracted_in}.get(LAW, glossy)

    @c.kernel(n)
    def kernel(
        directions: wp.array[wp.vec3] = inout(n, low=-1.0, high=1.0, trait="unit", of="direction"),
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit", of="normal"),
        origins: wp.array[wp.vec3] = inout(n, low=-2.0, high=2.0, of="position"),
        energies: wp.array[float] = inout(n, low=0.2, high=1.0),
        seed: int = input(low=1, high=10000),
    ):
        tid = wp.tid()
        normal = normals[tid]
        if FACING == EITHER:
            # the side that the ray comes from counts
            if wp.dot(directions[tid], normal) > 0.0:
                normal = -normal
        if "energies" in ALSO and SHARE == "a constant share":
            energies[tid] *= KEPT
        elif "energies" in ALSO:
            grazing = 1.0 - wp.abs(wp.dot(directions[tid], normal))
            energies[tid] *= R0 + (1.0 - R0) * wp.pow(grazing, 5.0)
        if LAW == DIFFUSE:
            # a unit sphere on top of the normal gives the cosine law
            state = wp.rand_init(seed, tid)
            turned = wp.normalize(normal + wp.sample_unit_sphere_surface(state))
        else:
            turned = turn(directions[tid], normal)
        directions[tid] = turned
        if ALSO == "; lifts origins off it":
            if REFRACTED or LAW == "mirror reflection":
                origins[tid] += LIFT * wp.sign(wp.dot(turned, normal)) * normal
            else:
                origins[tid] += LIFT * normal


@idiom(level=3, names={**RAYS, "slope": "slope cosine denom", "kernel": "intersect_planes hit_plane"})
def ray_plane(c):
    """{WANTED} where {EACH} meets {SHAPE} {GIVEN}{MISSED}.

    Intersect each ray with {SHAPE} of its own. Ray k goes from `{origins}[k]` in the unit direction D =
    `{directions}[k]`. {SURFACE}. With s = D·N, the ray meets the plane at distance t = (C - origin)·N /
    s. It is a hit if {WHEN}. {GETS}.
    """
    n = c.size(10, 14)
    GIVEN = c.meaning(
        "with a normal n and an offset d (n.x = d)", "at a point", "spanned by two vectors from its centre"
    )
    OFFSET, SPANNED = GIVEN[:4] == "with", GIVEN[:7] == "spanned"
    if OFFSET:
        SHAPE = c.meaning("a plane", "the front of a plane")
        c.names({"centre": "foot anchor"})
    elif SPANNED:
        SHAPE = c.meaning("a parallelogram", "an ellipse")
    else:
        SHAPE = c.meaning("a disk", "a ring", "the front of a plane", "a plane")
        if "plane" in SHAPE:
            c.names({"centres": "anchors plane_points", "centre": "anchor on_plane"})
        GIVEN = "through a point" if "plane" in SHAPE else "about a centre"
    FOUND = c.meaning("distance", "point", "cosine of incidence", "depth")
    DEPTH = FOUND == "depth"
    WANTED, EACH = ("Lowers each depth to", "its ray") if DEPTH else (f"The {FOUND}", "each ray")
    MISS = "zero" if FOUND == "point" or DEPTH else c.meaning("zero", "minus one")
    MISSED = ", if that is nearer" if DEPTH else f"; {MISS} for a miss"
    c.names(
        {
            "hit": {
                "distance": "distances t_hit out",
                "point": "points hit_points out",
                "cosine of incidence": "cosines out",
                "depth": "depths nearest",
            }[FOUND]
        }
    )
    if "plane" not in SHAPE:
        FIGURE = SHAPE.split()[1]
        c.names({"kernel": f"intersect_{FIGURE}s ray_{FIGURE}"})
    RADIUS, HOLE = c.constant(1.6, 4.0), c.constant(0.2, 1.5)
    Wanted = c.vec(3) if FOUND == "point" else float
    hits = inout(n, low=1.0, high=6.0) if DEPTH else output(n)
    if OFFSET:
        SURFACE = (
            "`{planes}[k]` holds the normal n, which is no unit vector, and then the offset d of the plane "
            "n·p = d. Let its point C be d·n / max(|n|², 0.0001); N is the unit vector along n"
        )
    elif SPANNED:
        SURFACE = (
            "{WHOLE} k is at the centre C = `{centres}[k]` and reaches from it to both sides by U = "
            "`{sides_u}[k]` and V = `{sides_v}[k]`; N is the unit vector along U × V"
        )
    else:
        SURFACE = "{WHOLE} k has the point C = `{centres}[k]` and the unit normal N = `{normals}[k]`"
    WHEN = {
        "a parallelogram": "t > 0 and |u| < 1 and |v| < 1, where the point is C + u·U + v·V",
        "an ellipse": "t > 0 and u² + v² < 1, where the point is C + u·U + v·V",
        "a disk": "t > 0 and the point is less than {RADIUS} away from C",
        "a ring": "t > 0 and the point is more than {HOLE} and less than {RADIUS} away from C",
        "the front of a plane": "t > 0 and s < -0.001",
        "a plane": "t > 0 and |s| > 0.001",
    }[SHAPE]
    WHOLE = "Plane" if "plane" in SHAPE else SHAPE.split()[1].capitalize()
    NONE = "-1" if MISS == "minus one" else "0"
    GETS = {
        "distance": "{hit} gets t, and {NONE} for a miss",
        "point": "{hit} gets the point, and (0, 0, 0) for a miss",
        "cosine of incidence": "{hit} gets |s|, and {NONE} for a miss",
        "depth": "{hit} becomes the lesser of itself and t for a hit, and stays as it is for a miss",
    }[FOUND]

    @c.kernel(n)
    def kernel(
        origins: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="position"),
        directions: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit", of="direction"),
        planes: wp.array[wp.vec4] = input(n, low=-1.0, high=1.0),
        centres: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit", of="normal"),
        sides_u: wp.array[wp.vec3] = input(n, low=-3.0, high=3.0),
        sides_v: wp.array[wp.vec3] = input(n, low=-3.0, high=3.0),
        hit: wp.array[Wanted] = hits,
    ):
        tid = wp.tid()
        if OFFSET:
            plane = planes[tid]
            across = wp.vec3(plane[0], plane[1], plane[2])
            # the normal may have any length, and the offset goes with it
            centre = plane[3] / wp.max(wp.length_sq(across), 1.0e-4) * across
            normal = wp.normalize(across)
        else:
            centre = centres[tid]
            if SPANNED:
                side_u = sides_u[tid]
                side_v = sides_v[tid]
                across = wp.cross(side_u, side_v)
                normal = wp.normalize(across)
            else:
                normal = normals[tid]
        slope = wp.dot(directions[tid], normal)
        t = wp.dot(centre - origins[tid], normal) / slope
        if SPANNED:
            reached = origins[tid] + t * directions[tid] - centre
            # how far the point lies along each of the vectors, in lengths of that vector
            u = wp.dot(wp.cross(reached, side_v), across) / wp.length_sq(across)
            v = wp.dot(wp.cross(side_u, reached), across) / wp.length_sq(across)
            if SHAPE == "an ellipse":
                met = t > 0.0 and u * u + v * v < 1.0
            else:
                met = t > 0.0 and wp.abs(u) < 1.0 and wp.abs(v) < 1.0
        elif SHAPE == "a disk":
            met = t > 0.0 and wp.length(origins[tid] + t * directions[tid] - centre) < RADIUS
        elif SHAPE == "a ring":
            distance = wp.length(origins[tid] + t * directions[tid] - centre)
            met = t > 0.0 and distance > HOLE and distance < RADIUS
        elif SHAPE == "the front of a plane":
            # a ray that runs along the normal comes from behind
            met = t > 0.0 and slope < -1.0e-3
        else:
            # a ray almost along the plane meets nothing
            met = t > 0.0 and wp.abs(slope) > 1.0e-3
        if FOUND == "point":
            hit[tid] = wp.where(met, origins[tid] + t * directions[tid], wp.vec3(0.0))
        elif FOUND == "distance":
            hit[tid] = wp.where(met, t, -1.0 if MISS == "minus one" else 0.0)
        elif FOUND == "cosine of incidence":
            hit[tid] = wp.where(met, wp.abs(slope), -1.0 if MISS == "minus one" else 0.0)
        else:
            hit[tid] = wp.where(met, wp.min(hit[tid], t), hit[tid])


@idiom(
    level=2,
    names={
        "cosines": "cosines cos_in cos_thetas",
        "cosine": "cosine cos_theta mu",
        "weights": "weights throughput energies",
        "kernel": "fresnel reflected_share",
    },
)
def fresnel_reflectance(c):
    """{DONE} at a surface, from {GIVEN}, by {FORMULA}.

    {ASKED}, by {FORMULA}. With the cosine of incidence {COSINE}, the reflectance is {SHARED}. {GETS}.
    """
    n = c.size(9, 14)
    WANTED = c.meaning("reflectance", "transmittance", "weight times the reflectance")
    INDEX, ABSORPTION, R0 = c.constant(1.2, 2.4), c.constant(1.5, 3.0), c.constant(0.02, 0.3)
    GIVEN = c.meaning("the cosine of incidence", "the ray's direction and the normal")

    def schlick(cosine: float) -> float:
        rest = 1.0 - cosine
        return R0 + (1.0 - R0) * rest * rest * rest * rest * rest

    def dielectric(cosine: float) -> float:
        # the mean of both polarizations
        inner = wp.sqrt(1.0 - (1.0 - cosine * cosine) / (INDEX * INDEX))
        across = (cosine - INDEX * inner) / (cosine + INDEX * inner)
        along = (INDEX * cosine - inner) / (INDEX * cosine + inner)
        return 0.5 * (across * across + along * along)

    def metal(cosine: float) -> float:
        # the squared size of the complex index
        size = INDEX * INDEX + ABSORPTION * ABSORPTION
        linear = 2.0 * INDEX * cosine
        along = (size * cosine * cosine - linear + 1.0) / (size * cosine * cosine + linear + 1.0)
        across = (size + cosine * cosine - linear) / (size + cosine * cosine + linear)
        return 0.5 * (along + across)

    def spherical(cosine: float) -> float:
        # fitted to the fifth power of Schlick, which is slower
        return R0 + (1.0 - R0) * wp.exp((-3.85 * cosine - 4.84) * cosine)

    law = c.meaning(schlick, dielectric, metal, spherical)
    FORMULA = {schlick: "Schlick's formula", dielectric: "Fresnel's formulas for a dielectric"}.get(
        law, "an approximation for metals" if law is metal else "a spherical Gaussian"
    )
    DONE = {"reflectance": "The reflectance", "transmittance": "The transmittance"}.get(
        WANTED, "Multiplies weights by the reflectance"
    )
    c.names({"kernel": "weigh_rays fresnel"} if WANTED[0] == "w" else {"weights": f"{WANTED} out"})
    if WANTED == "transmittance" and law is metal:
        # nothing goes through it
        DONE = "The absorbed share"
        c.names({"kernel": "fresnel_absorption absorbed_share", "weights": "absorbed out"})
    elif WANTED == "transmittance":
        c.names({"kernel": "fresnel_transmittance transmitted_share"})
    ASKED = {
        "reflectance": "Compute how much light a surface reflects",
        "transmittance": "Compute how much light a surface lets through",
    }.get(WANTED, "Weigh light by how much of it a surface reflects")
    if WANTED == "transmittance" and law is metal:
        ASKED = "Compute how much light a metal absorbs"
    COSINE = (
        "c = `{cosines}[k]`"
        if GIVEN == "the cosine of incidence"
        else "c = |`{directions}[k] · {normals}[k]`|"
    )
    SHARED = {
        schlick: "R = {R0} + (1 - {R0})·(1 - c)⁵",
        dielectric: "R = ½·(((c - {INDEX}·q) / (c + {INDEX}·q))² + (({INDEX}·c - q) / ({INDEX}·c + "
        "q))²), with q = √(1 - (1 - c²) / {INDEX}²)",
        metal: "R = ½·((s·c² - l + 1) / (s·c² + l + 1) + (s + c² - l) / (s + c² + l)), with s = {INDEX}² "
        "+ {ABSORPTION}² and l = 2·{INDEX}·c",
        spherical: "R = {R0} + (1 - {R0})·exp((-3.85·c - 4.84)·c)",
    }[law]
    GETS = {
        "reflectance": "{weights} gets R",
        "transmittance": "{weights} gets 1 - R",
        "weight times the reflectance": "{weights} is multiplied by R",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        cosines: wp.array[float] = input(n, low=0.0, high=1.0),
        directions: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit"),
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit"),
        weights: wp.array[float] = (inout(n, low=0.2, high=1.0) if WANTED[0] == "w" else output(n)),
    ):
        tid = wp.tid()
        if GIVEN == "the cosine of incidence":
            share = law(cosines[tid])
        else:
            # either side of the surface may face the ray
            cosine = wp.abs(wp.dot(directions[tid], normals[tid]))
            share = law(cosine)
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
    """The {WANTED} each pixel's ray in a {CAMERA} camera {POSE}.

    Generate the primary rays of a {CAMERA} camera. For pixel (i, j), in row i, of h rows and w columns let x
    = (j + ½) / w - ½ and y = ½ - (i + ½) / h; in the camera's frame x goes right, y up and z ahead. {GETS}.
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    CAMERA = c.meaning("pinhole", "parallel-projection", "fisheye", "panoramic", "thin-lens")
    POSE = c.meaning("with a pose", "turned by a matrix")
    ORTHO = CAMERA == "parallel-projection"
    if ORTHO:
        WANTED = "start of"
        c.names({"kernel": "ray_starts place_rays"})
    elif CAMERA == "thin-lens":
        WANTED = c.meaning("start on the lens and direction of", "way from lens to focal plane along")
    else:
        WANTED = c.meaning("direction of", "point at a distance along")
    if WANTED[:5] == "point":
        c.names({"kernel": "points_on_rays lift_pixels", "directions": "points targets"})
    FOCAL, REACH, WIDTH = c.constant(0.4, 2.0), c.constant(1.0, 3.0), c.constant(0.8, 2.0)
    POSED = POSE == "with a pose"
    DIRECTION = {
        "pinhole": "is the unit vector along (x, y, {FOCAL})",
        "fisheye": "is (x/r·sin(a), y/r·sin(a), cos(a)), with r = √(x² + y²), at least 0.0001, and the "
        "angle a = r / {FOCAL} off the axis",
        "panoramic": "is (cos(b)·sin(a), sin(b), cos(b)·cos(a)), with a = 2π·x around and b = π·y up",
        "thin-lens": "is the vector from the point l = (X, Y, 0) of the lens, (X, Y) = `{lens}[i, j]`, "
        "to the point {REACH}·(x / {FOCAL}, y / {FOCAL}, 1) of the focal plane",
    }.get(CAMERA, "")
    if WANTED[:5] == "start" and not ORTHO:
        DIRECTION += ", normalized"
    VECTOR = "D as {pose} rotates it" if POSED else "{turn}·D"
    GETS = {
        "start of": "{origins} gets the start of the ray, the point S = ({WIDTH}·x, {WIDTH}·y, 0), as "
        "{PLACE}",
        "direction of": "{directions} gets the direction of the ray, {VECTOR}; D {DIRECTION}",
        "point at a distance along": "{directions} gets the point of the ray at distance {REACH}, S "
        "= {REACH}·D, as {PLACE}; D {DIRECTION}",
        "start on the lens and direction of": "{directions} gets the direction of the ray, {VECTOR}, and "
        "{origins} its start, S = l, as {PLACE}; D {DIRECTION}",
        "way from lens to focal plane along": "{directions} gets the way of the ray to the focal plane, "
        "{VECTOR}; D {DIRECTION}",
    }[WANTED]
    PLACE = "{pose} takes it to the world" if POSED else "{eye} + {turn}·S"

    @c.kernel(rows, cols)
    def kernel(
        pose: wp.transform = input(low=-1.0, high=1.0, trait="unit"),
        eye: wp.vec3 = input(low=-1.0, high=1.0),
        turn: wp.mat33 = input(low=-1.0, high=1.0, trait="rotation"),
        lens: wp.array2d[wp.vec2] = input(rows, cols, low=-0.4, high=0.4),
        origins: wp.array2d[wp.vec3] = output(rows, cols),
        directions: wp.array2d[wp.vec3] = output(rows, cols),
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
                # wherever on the lens a ray starts, it is to meet this point in the focal plane
                way = REACH * wp.vec3(x / FOCAL, y / FOCAL, 1.0) - start
                if WANTED[:5] == "start":
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
