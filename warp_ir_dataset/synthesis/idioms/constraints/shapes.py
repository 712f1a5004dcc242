"""Constraints that keep volumes, shapes and places."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .constraints import NAMES


@idiom(
    level=4,
    names=NAMES | {"kernel": "project_volumes solve_cells", "i j k": "i j k | i0 i1 i2", "t": "t tid cell"},
)
def volume_constraint(c):
    """{DO} the corrections that keep {BODY} {TARGET}{SOFT}{MASSES}.

    Project constraints on {BODY}, as in position based dynamics: {dx}, zero at the start, gets the sums of
    the corrections. Constraint t has the particles i, j{NAMED} = `{firsts}[t]`, `{seconds}[t]`, {LISTED}. Let
    a, b{SIDES} be the vectors in {x} from i to {OTHERS}. {MEASURE} The gap is C = {SIZED} - {GOAL}{ONLY}.

    The step is s = {STEP}, where W is the sum of {WEIGHTS}|g|² over the particles. Each of them moves by
    {MOVED}.{SOFTENED}{COUNTED}
    """
    m, n = c.size(6, 9), c.size(3, 4)
    BODY = c.meaning("the volumes of tetrahedra", "the areas of triangles", "the signed areas of triangles")
    TARGET = c.meaning(
        "at their rest values", "from falling below their rest values", "at inflated rest values"
    )
    SOFT = c.meaning("", ", with compliance and multipliers", ", under-relaxed")
    MASSES, DO = c.meaning("", ", for equal masses"), c.meaning("Adds up", "Adds up and counts")
    COMPLIANCE, RELAXATION, SWELL = c.constant(0.1, 0.9), c.constant(0.3, 0.9), c.constant(1.2, 2.0)
    Vec = c.vec(2 if "signed" in BODY else 3)
    if "volumes" in BODY:
        c.names({"size": "volume vol size"})
    else:
        c.names(
            {"size": "area size", "kernel": "area_constraint project_areas keep_areas", "t": "t tid triangle"}
        )

    def crosswise(d: wp.vec2) -> wp.vec2:
        return wp.vec2(-d[1], d[0])

    SOLID = BODY == "the volumes of tetrahedra"
    SOFTENED = ""
    if SOFT == ", with compliance and multipliers":
        SOFTENED = (
            " The compliance is {COMPLIANCE}, and λ is the multiplier `{multiplier}[t]`, to which s is added "
            "then."
        )
    NAMED, LISTED, SIDES, OTHERS = ", k", "`{thirds}[t]`", "", "j and k"
    if SOLID:
        NAMED, LISTED, SIDES, OTHERS = ", k, l", "`{thirds}[t]`, `{fourths}[t]`", ", c", "j, k and l"
    SIZED = "V" if SOLID else "A"
    MEASURE = {
        "the volumes of tetrahedra": (
            "The volume is V = (b × c)·a / 6, with a sign; its gradients are g_j = (b × c) / 6, g_k = (c "
            "× a) / 6, g_l = (a × b) / 6 and g_i = -(g_j + g_k + g_l)."
        ),
        "the areas of triangles": (
            "The area is A = ½·|a × b|; with n the unit vector along a × b, its gradients are g_j = ½·(b "
            "× n), g_k = ½·(n × a) and g_i = -(g_j + g_k)."
        ),
        "the signed areas of triangles": (
            "The area is A = ½·(a₀·b₁ - a₁·b₀), with a sign; its gradients are g_j = ½·(b₁, -b₀), g_k = "
            "½·(-a₁, a₀) and g_i = -(g_j + g_k)."
        ),
    }[BODY]
    GOAL = "{SWELL}·`{rest}[t]`" if TARGET == "at inflated rest values" else "`{rest}[t]`"
    ONLY = ""
    if TARGET == "from falling below their rest values":
        ONLY = "; if it is positive, nothing happens"
    STEP = {
        "": "-C / (W + 0.001)",
        ", with compliance and multipliers": ("-(C + {COMPLIANCE}·λ) / (W + {COMPLIANCE})"),
        ", under-relaxed": "-{RELAXATION}·C / (W + 0.001)",
    }[SOFT]
    WEIGHTS = "" if MASSES else "the inverse mass {w} times "
    MOVED = "s times its gradient" if MASSES else "s times its inverse mass times its gradient"
    COUNTED = (
        " {count} gets the number of corrections of each particle." if DO == "Adds up and counts" else ""
    )

    @c.kernel(m)
    def kernel(
        x: wp.array[Vec] = input(4 * n, low=-1.0, high=1.0),
        w: wp.array[float] = input(4 * n, low=0.2, high=2.0),
        firsts: wp.array[int] = input(m, low=0, high=n - 1),
        seconds: wp.array[int] = input(m, low=n, high=2 * n - 1),
        thirds: wp.array[int] = input(m, low=2 * n, high=3 * n - 1),
        fourths: wp.array[int] = input(m, low=3 * n, high=4 * n - 1),
        rest: wp.array[float] = input(m, low=0.1, high=0.6),
        multiplier: wp.array[float] = inout(m, low=0.0 if "below" in TARGET else -0.3, high=0.3),
        dx: wp.array[Vec] = output(4 * n),
        count: wp.array[int] = output(4 * n),
    ):
        t = wp.tid()
        i = firsts[t]
        j = seconds[t]
        k = thirds[t]
        a = x[j] - x[i]
        b = x[k] - x[i]
        if BODY == "the volumes of tetrahedra":
            m = fourths[t]
            d = x[m] - x[i]
            # each gradient is a third of the opposite face
            gj = wp.cross(b, d) / 6.0
            gk = wp.cross(d, a) / 6.0
            gm = wp.cross(a, b) / 6.0
            gi = -(gj + gk + gm)
            size = wp.dot(gj, a)
        elif BODY == "the areas of triangles":
            n = wp.cross(a, b)
            size = 0.5 * wp.length(n)
            n = wp.normalize(n)
            gj = 0.5 * wp.cross(b, n)
            gk = 0.5 * wp.cross(n, a)
            gi = -(gj + gk)
        else:
            size = 0.5 * wp.dot(crosswise(a), b)
            gj = -0.5 * crosswise(b)
            gk = 0.5 * crosswise(a)
            gi = -(gj + gk)
        gap = size - SWELL * rest[t] if TARGET == "at inflated rest values" else size - rest[t]
        if TARGET == "from falling below their rest values":
            if gap > 0.0:
                return
        if MASSES:
            total = wp.length_sq(gi) + wp.length_sq(gj) + wp.length_sq(gk)
            if BODY == "the volumes of tetrahedra":
                total += wp.length_sq(gm)
        else:
            total = w[i] * wp.length_sq(gi) + w[j] * wp.length_sq(gj) + w[k] * wp.length_sq(gk)
            if BODY == "the volumes of tetrahedra":
                total += w[m] * wp.length_sq(gm)
        if SOFT == ", with compliance and multipliers":
            step = -(gap + COMPLIANCE * multiplier[t]) / (total + COMPLIANCE)
            multiplier[t] += step
        elif SOFT == ", under-relaxed":
            step = -RELAXATION * gap / (total + 1.0e-3)
        else:
            step = -gap / (total + 1.0e-3)
        dx[i] += step * gi if MASSES else step * w[i] * gi
        dx[j] += step * gj if MASSES else step * w[j] * gj
        dx[k] += step * gk if MASSES else step * w[k] * gk
        if BODY == "the volumes of tetrahedra":
            dx[m] += step * gm if MASSES else step * w[m] * gm
        if DO == "Adds up and counts":
            count[i] += 1
            count[j] += 1
            count[k] += 1
            if BODY == "the volumes of tetrahedra":
                count[m] += 1


@idiom(
    level=4,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "match_shapes solve_clusters",
        "g": "g tid cluster",
        "goal": "goal target aim",
        "rest_x": "rest_x material shape0",
    },
)
def shape_matching(c):
    """{DO} corrections that pull particles to their clusters' rest shapes, {SHAPE}{HOW}{WEIGHT}{STORE}.

    Match the shapes of clusters, as Müller et al. do: {dx}, zero at the start, gets the sums of the
    corrections that pull particles to the rest shapes of their clusters. Cluster g holds the particles listed
    in {particles} from place `{offsets}[g]` up to but not including `{offsets}[g + 1]`. Its centre is
    {MEAN} of the positions {x}, and its rest centre the same of the rest positions {rest_x}; the divisor is
    increased by 1e-6.{TURN}

    The correction of each particle is {PULL} times (its goal - its position), where its goal is the centre
    plus {ARM}.{COUNTED}
    """
    clusters, n, members = c.size(4, 6), c.size(6, 9), c.size(14, 20)
    SHAPE, WEIGHT = (
        c.meaning("turned", "deformed linearly", "only moved"),
        c.meaning("", ", weighted by mass"),
    )
    HOW = c.meaning(" by Gram-Schmidt", " step by step") if SHAPE == "turned" else ""
    if SHAPE == "deformed linearly":
        c.names({"rotation": "deformation linear_map"})
    DO, STORE = c.meaning(
        ("Adds up", ""), ("Adds up and counts", ""), ("Adds up", "; stores the clusters' centres")
    )
    PULL, BLEND = c.constant(0.2, 0.9), c.constant(0.1, 0.4)

    def orthonormal(a: wp.mat33) -> wp.mat33:
        """The columns of a matrix, made orthonormal one after the other."""
        first = wp.normalize(wp.vec3(a[0, 0], a[1, 0], a[2, 0]))
        second = wp.vec3(a[0, 1], a[1, 1], a[2, 1])
        second = wp.normalize(second - wp.dot(second, first) * first)
        return wp.matrix_from_cols(first, second, wp.cross(first, second))

    def rotation_towards(a: wp.mat33, rounds: int) -> wp.mat33:
        """A rotation that comes nearer to a matrix with each round."""
        q = wp.quat_identity()
        for _ in range(rounds):
            # what is left to turn shows in the part that is not symmetric
            m = a * wp.transpose(wp.quat_to_matrix(q))
            turn = wp.vec3(m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1])
            turn /= wp.sqrt(wp.ddot(a, a))
            q = wp.normalize(wp.quat_from_axis_angle(wp.normalize(turn), wp.length(turn)) * q)
        return wp.quat_to_matrix(q)

    MEAN = "the mean, weighted by {mass}," if WEIGHT else "the mean"
    ARM = (
        "its rest arm, that is its rest position less the rest centre"
        if SHAPE == "only moved"
        else "R times its rest arm"
    )
    HEAVY = "its mass times " if WEIGHT else ""
    MOMENT = (
        " Let A be {BLEND}·I plus the sum, over its particles, of {HEAVY}the outer product of its arm, "
        "from the centre, and its rest arm, from the rest centre."
    )
    TURN = {
        "turned": MOMENT,
        "deformed linearly": MOMENT
        + (
            " R is A·B⁻¹, where B is {BLEND}·I plus the sum of {HEAVY}the outer product of the rest arm "
            "with itself."
        ),
        "only moved": "",
    }[SHAPE]
    if HOW == " by Gram-Schmidt":
        TURN += (
            " R is the rotation that Gram-Schmidt makes of its columns: the first is normalized, the "
            "second is too, after its part along the first is removed, and the third is their cross "
            "product."
        )
    elif HOW:
        TURN += (
            " R is the rotation of a quaternion q that starts as the identity and gets closer to A in "
            "{rounds} rounds. In each, let M = A·Rᵀ with the rotation R of q and u = (M₂₁ - M₁₂, M₀₂ - "
            "M₂₀, M₁₀ - M₀₁) / √(A : A), counted from 0; turn q, from the left, by the angle |u| about "
            "the axis u, and normalize it."
        )
    COUNTED = ""
    if STORE:
        COUNTED = " {centres} gets the centres of the clusters."
    elif DO == "Adds up and counts":
        COUNTED = " {count} gets the number of corrections of each particle."

    @c.kernel(clusters)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        rest_x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        mass: wp.array[float] = input(n, low=0.3, high=1.5),
        offsets: wp.array[int] = input(clusters + 1, low=0, high=members, trait="offsets"),
        particles: wp.array[int] = input(members, low=0, high=n - 1),
        dx: wp.array[wp.vec3] = output(n),
        count: wp.array[int] = output(n),
        rounds: int = input(low=3, high=6),
        centres: wp.array[wp.vec3] = output(clusters),
    ):
        g = wp.tid()
        total = float(1.0e-6)
        centre = wp.vec3()
        rest_centre = wp.vec3()
        for k in range(offsets[g], offsets[g + 1]):
            i = particles[k]
            if WEIGHT:
                total += mass[i]
                centre += mass[i] * x[i]
                rest_centre += mass[i] * rest_x[i]
            else:
                total += 1.0
                centre += x[i]
                rest_centre += rest_x[i]
        centre /= total
        rest_centre /= total
        if STORE:
            centres[g] = centre
        if SHAPE != "only moved":
            # regularised by the identity: a few particles may span no volume
            moment = BLEND * wp.identity(n=3, dtype=float)
            if SHAPE == "deformed linearly":
                spread = wp.identity(n=3, dtype=float) * BLEND
            for k in range(offsets[g], offsets[g + 1]):
                i = particles[k]
                arm = rest_x[i] - rest_centre
                moment += wp.outer(mass[i] * (x[i] - centre), arm) if WEIGHT else wp.outer(x[i] - centre, arm)
                if SHAPE == "deformed linearly":
                    spread += mass[i] * wp.outer(arm, arm) if WEIGHT else wp.outer(arm, arm)
            if HOW == " by Gram-Schmidt":
                rotation = orthonormal(moment)
            elif HOW == " step by step":
                rotation = rotation_towards(moment, rounds)
            else:
                rotation = moment * wp.inverse(spread)
        for k in range(offsets[g], offsets[g + 1]):
            i = particles[k]
            if SHAPE == "only moved":
                goal = centre + rest_x[i] - rest_centre
            else:
                goal = centre + rotation * (rest_x[i] - rest_centre)
            dx[i] += PULL * (goal - x[i])
            if DO == "Adds up and counts":
                count[i] += 1


@idiom(
    level=4,
    names=NAMES | {"kernel": "limit_stretch clamp_strain", "i j k": "i j k | i0 i1 i2", "t": "t tid tri"},
)
def limit_strain(c):
    """{DO} the corrections that bound {STRAIN} {RANGE}{HOW}.

    Limit {STRAIN} in the plane: {dx}, zero at the start, gets the sums of the corrections. Triangle t has the
    particles i, j, k = `{firsts}[t]`, `{seconds}[t]`, `{thirds}[t]`. Its edges in {x} are a from i to j and b
    from i to k; the columns of `{shapes}[t]` are these edges at rest. {BOUND}

    The edges are to change by {CHANGES}. Particle j moves by D - m, k by E - m and i by -m, where m is
    {MIDDLE}.{COUNTED}
    """
    m, n = c.size(6, 9), c.size(3, 5)
    STRAIN = c.meaning(
        "the stretches of two edges of triangles",
        "the stretches of triangles along both axes",
        "the area ratios of triangles",
    )
    RANGE, DO = c.meaning("on both sides", "from above"), c.meaning("Adds up", "Adds up and counts")
    HOW = c.meaning("", ", under-relaxed", ", and keep centres of mass")
    LOWEST, HIGHEST, RELAXATION = c.constant(0.6, 0.9), c.constant(1.1, 1.5), c.constant(0.2, 0.8)

    def bounded(ratio: float) -> float:
        if RANGE == "from above":
            return wp.min(ratio, HIGHEST)
        else:
            return wp.clamp(ratio, LOWEST, HIGHEST)

    RANGED = "clamped to [{LOWEST}, {HIGHEST}]"
    if RANGE == "from above":
        RANGED = "limited to at most {HIGHEST}"
    BOUND = {
        "the stretches of two edges of triangles": (
            "The stretch of an edge is its length over that at rest. The wanted edges a' and b' are a "
            "and b with their stretches {RANGED}, in the same directions."
        ),
        "the stretches of triangles along both axes": (
            "The deformation gradient is F = (a, b)·`{shapes}[t]`⁻¹, with a and b as columns. Its "
            "columns are the stretched axes: with their lengths {RANGED} and their directions kept, they "
            "make F', and the wanted edges a' and b' are the columns of F'·`{shapes}[t]`."
        ),
        "the area ratios of triangles": (
            "The area ratio r is |det F| + 0.001 for the deformation gradient F = (a, "
            "b)·`{shapes}[t]`⁻¹, with a and b as columns. The wanted edges a' and b' are a and b times "
            "√(q / r), where q is r {RANGED}."
        ),
    }[STRAIN]
    CHANGES = "D = a' - a and E = b' - b"
    if HOW == ", under-relaxed":
        CHANGES = "D = {RELAXATION}·(a' - a) and E = {RELAXATION}·(b' - b)"
    MIDDLE = "(D + E) / 3, so that the centroid stays"
    if HOW == ", and keep centres of mass":
        MIDDLE = "the mean of 0, D and E, weighted by {mass} of i, j and k, so that the centre of mass stays"
    COUNTED = (
        " {count} gets the number of corrections of each particle." if DO == "Adds up and counts" else ""
    )

    @c.kernel(m)
    def kernel(
        x: wp.array[wp.vec2] = input(3 * n, low=-1.0, high=1.0),
        shapes: wp.array[wp.mat22] = input(m, low=-1.0, high=1.0, trait="dominant"),
        mass: wp.array[float] = input(3 * n, low=0.2, high=2.0),
        firsts: wp.array[int] = input(m, low=0, high=n - 1),
        seconds: wp.array[int] = input(m, low=n, high=2 * n - 1),
        thirds: wp.array[int] = input(m, low=2 * n, high=3 * n - 1),
        dx: wp.array[wp.vec2] = output(3 * n),
        count: wp.array[int] = output(3 * n),
    ):
        t = wp.tid()
        i = firsts[t]
        j = seconds[t]
        k = thirds[t]
        a = x[j] - x[i]
        b = x[k] - x[i]
        if STRAIN == "the stretches of two edges of triangles":
            shape = shapes[t]
            stretch_a = wp.length(a) / wp.length(wp.vec2(shape[0, 0], shape[1, 0]))
            stretch_b = wp.length(b) / wp.length(wp.vec2(shape[0, 1], shape[1, 1]))
            da = (bounded(stretch_a) / stretch_a - 1.0) * a
            db = (bounded(stretch_b) / stretch_b - 1.0) * b
        else:
            # the columns of a shape are the edges at rest
            gradient = wp.matrix_from_cols(a, b) * wp.inverse(shapes[t])
            if STRAIN == "the area ratios of triangles":
                ratio = wp.abs(wp.determinant(gradient)) + 1.0e-3
                scale = wp.sqrt(bounded(ratio) / ratio) - 1.0
                da = scale * a
                db = scale * b
            else:
                along = wp.vec2(gradient[0, 0], gradient[1, 0])
                across = wp.vec2(gradient[0, 1], gradient[1, 1])
                along = bounded(wp.length(along)) * wp.normalize(along)
                across = bounded(wp.length(across)) * wp.normalize(across)
                edges = wp.matrix_from_cols(along, across) * shapes[t]
                da = wp.vec2(edges[0, 0], edges[1, 0]) - a
                db = wp.vec2(edges[0, 1], edges[1, 1]) - b
        if HOW == ", under-relaxed":
            da *= RELAXATION
            db *= RELAXATION
        if HOW == ", and keep centres of mass":
            mean = (mass[j] * da + mass[k] * db) / (mass[i] + mass[j] + mass[k])
        else:
            # the centroid stays where it is
            mean = (da + db) / 3.0
        dx[i] -= mean
        dx[j] += da - mean
        dx[k] += db - mean
        if DO == "Adds up and counts":
            count[i] += 1
            count[j] += 1
            count[k] += 1


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "pin_particles attach hold_particles",
        "anchors": "anchors targets pins",
        "d": "d away offset",
        "move": "move correction pull",
        "which": "which anchor_of anchor_ids",
    },
)
def pin_to_anchors(c):
    """Adds the corrections that keep particles {KIND} {ANCHOR}{SOFT}{COUNT}.

    Keep particles {KIND} {ANCHOR}: add their corrections to {dx}{COUNTED}. With d for the vector from the
    anchor of a particle, {AT}, to its position in {x}, its correction is {FORMULA}{PART}.
    """
    n, m = c.size(), c.size(4, 7)
    KIND = c.meaning("at", "within a tether of", "at a distance from", "in a plane through")
    ANCHOR = c.meaning("their anchors", "one anchor", "anchors they share")
    SOFT, COUNT = c.meaning("", ", with compliance", ", under-relaxed"), c.meaning("", ", and counts them")
    TETHER, DISTANCE = c.constant(0.6, 1.2), c.constant(0.4, 1.0)
    COMPLIANCE, RELAXATION = c.constant(0.1, 0.9), c.constant(0.2, 0.9)
    if KIND != "at":
        KERNELS = {
            "within a tether of": "tether_particles limit_tethers",
            "at a distance from": "hold_at_distance keep_distances",
            "in a plane through": "hold_in_planes project_to_planes",
        }
        c.names({"kernel": KERNELS[KIND]})
    AT = {
        "their anchors": "its entry of {anchors}",
        "one anchor": "the point {anchor}",
        "anchors they share": "entry `{which}[i]` of {shared} for particle i",
    }[ANCHOR]
    FORMULA = {
        "at": "-d",
        "within a tether of": "min({TETHER} / |d| - 1, 0)·d, so a slack tether does not pull",
        "at a distance from": "{DISTANCE}·d / |d| - d",
        "in a plane through": "-(d·n)·n with the normal n of the plane, its entry of {normals}",
    }[KIND]
    PART = {
        "": "",
        ", with compliance": (
            ", all times {w} / ({w} + {COMPLIANCE}) with its inverse mass {w} and the compliance {COMPLIANCE}"
        ),
        ", under-relaxed": ", all times {RELAXATION}",
    }[SOFT]
    COUNTED = ", and count one more for each particle in {count}" if COUNT else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        w: wp.array[float] = input(n, low=0.2, high=2.0, of="inverse mass"),
        anchors: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        anchor: wp.vec3 = input(low=-1.0, high=1.0),
        shared: wp.array[wp.vec3] = input(m, low=-1.0, high=1.0),
        which: wp.array[int] = input(n, low=0, high=m - 1),
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit"),
        dx: wp.array[wp.vec3] = inout(n, low=-0.5, high=0.5),
        count: wp.array[int] = inout(n, low=0, high=4),
    ):
        i = wp.tid()
        if ANCHOR == "their anchors":
            d = x[i] - anchors[i]
        elif ANCHOR == "one anchor":
            d = x[i] - anchor
        else:
            d = x[i] - shared[which[i]]
        if KIND == "at a distance from":
            move = DISTANCE * wp.normalize(d) - d
        elif KIND == "within a tether of":
            # a slack tether does not pull
            move = wp.min(TETHER / wp.length(d) - 1.0, 0.0) * d
        elif KIND == "in a plane through":
            move = -wp.dot(d, normals[i]) * normals[i]
        else:
            move = -d
        if SOFT == ", with compliance":
            dx[i] += w[i] / (w[i] + COMPLIANCE) * move
        elif SOFT == ", under-relaxed":
            dx[i] += RELAXATION * move
        else:
            dx[i] += move
        if COUNT:
            count[i] += 1
