"""Cloth of triangles: forces of bending, limits of strain."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .cloth import NAMES


@idiom(
    level=5,
    names={"i j k m": "i j k m | i0 i1 i2 i3 | a b c d"}
    | NAMES
    | {
        "kernel": "eval_bending bending_forces hinge_forces",
        "t": "t tid hinge",
        "edges": "edges hinges edge_indices",
        "lefts rights": "lefts rights | opposite_a opposite_b | wings_a wings_b",
        "rest": "rest rest_angles edge_rest",
        "edge": "edge e axis",
        "angle": "angle theta phi",
        "gi gj gk gm": "gi gj gk gm | g0 g1 g2 g3 | grad_a grad_b grad_c grad_d",
        "moment": "moment bending_moment torque",
        "bend": "bend excess d_theta",
    },
)
def bending_forces(c):
    """Adds up the bending forces of cloth hinges {MODEL}{STIFF}{MORE}{REPORT}.

    Add up the bending forces of cloth hinges {MODEL} in {f}, which starts at zero. Hinge t is the edge from
    vertex i = `{edges}[t, 0]` to vertex j = `{edges}[t, 1]`, and k = `{lefts}[t]` and m = `{rights}[t]` are
    the corners across it. With y for positions in {x}, let e = y_j - y_i, p = (y_k - y_i) × e and q = e ×
    (y_m - y_i). A hinge with |p|² or |q|² below 1e-6 has no force{NOTHING}. The angle is θ = atan2((p × q)·e
    / |e|, p·q), which is 0 for flat cloth.

    With c = (y_k - y_i)·e / |e|² and d = (y_m - y_i)·e / |e|², the gradients of the angle are g_k = |e|·p /
    |p|², g_m = |e|·q / |q|², g_i = (c - 1)·g_k + (d - 1)·g_m and g_j = -c·g_k - d·g_m. Each of the four
    vertices gets the force -M times its own gradient{CORNERS}. The moment is M =
    {MOMENT}{RATE}.{WOVEN}{YIELDS}{STORED}
    """
    hinges, n = c.size(10, 14), c.size(12, 15)
    MODEL = c.meaning(
        "by the discrete shells model", "by the sine of half the angle", "by moments linear in the angle"
    )
    SINE = "sine" in MODEL
    DAMP = c.meaning("damping of the angle", "damping of the corners", "")
    CREASE = c.meaning("", "plastic creases") if not SINE else ""
    REPORT = c.meaning("; energies are stored", "", "; angles are stored")
    REPORT = "; angles are stored" if SINE and "energies" in REPORT else REPORT
    if SINE:
        c.names({"bend": "bend excess d_sine"})
    STIFF = c.meaning("", ", stiffer along the warp")
    MORE = f", with {' and '.join(filter(None, (CREASE, DAMP)))}" if CREASE or DAMP else ""
    STIFFNESS, DAMPING, YIELD_ANGLE = c.constant(2.0, 9.0), c.constant(0.2, 0.9), c.constant(0.5, 1.5)
    WARP_STIFFNESS, WEFT_STIFFNESS = c.constant(5.0, 9.0), c.constant(1.0, 4.0)
    NOTHING = ""
    if REPORT:
        NOTHING = ", and its energy is 0" if "energies" in REPORT else ", and its angle counts as 0"
    K = "{STIFFNESS}"
    WOVEN = ""
    if STIFF:
        K = "K"
        WOVEN = (
            " The stiffness is K = {WARP_STIFFNESS}·a² + {WEFT_STIFFNESS}·b², where (a, b) is the "
            "direction across the "
            "edge in warp and weft, `{weaves}[t]`."
        )
    BEND = "θ - `{rest}[t]`"
    if CREASE:
        BEND = "B"
    MOMENT = {
        "by the discrete shells model": "2·{K}·`{weights}[t]`·({BEND})",
        "by the sine of half the angle": "{K}·|e|²·(sin(θ / 2) - sin(`{rest}[t]` / 2)) / (|p| + |q|)",
        "by moments linear in the angle": "{K}·({BEND})",
    }[MODEL]
    YIELDS = ""
    if CREASE:
        MOMENT = MOMENT.replace("({BEND})", "{BEND}")
        YIELDS = (
            " B is the excess θ - `{rest}[t]`, clamped to [-{YIELD_ANGLE}, {YIELD_ANGLE}]; the fold is "
            "plastic, so that "
            "the part cut off is added to `{rest}[t]` for good."
        )
    CORNERS, RATE = "", ""
    if DAMP == "damping of the corners":
        CORNERS = ", less {DAMPING} times its velocity {v} relative to the mean of the four"
    elif DAMP:
        RATE = (
            ", plus {DAMPING} times the rate of the angle, the sum over the four of gradient times velocity "
            "{v}"
        )
    STORED = ""
    if "energies" in REPORT:
        STORED = " {energy} gets ½·M times {EXCESS}{PLAIN}."
        EXCESS = "the difference of the sines" if SINE else "B" if CREASE else "({BEND})"
        PLAIN = ", without the damping" if RATE else ""
    elif REPORT:
        STORED = " {angles} gets θ."

    @c.kernel(hinges)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="velocity"),
        edges: wp.array2d[int] = input(hinges, 2, low=0, high=n - 1),
        lefts: wp.array[int] = input(hinges, low=0, high=n // 2),
        rights: wp.array[int] = input(hinges, low=n // 2 + 1, high=n - 1),
        rest: wp.array[float] = (inout if CREASE else input)(hinges, low=-0.5, high=0.5),
        weights: wp.array[float] = input(hinges, low=0.5, high=2.0),
        weaves: wp.array[wp.vec2] = input(hinges, low=-1.0, high=1.0, trait="unit"),
        f: wp.array[wp.vec3] = output(n),
        energy: wp.array[float] = output(hinges),
        angles: wp.array[float] = output(hinges),
    ):
        t = wp.tid()
        # the ends of the edge, and the corners across it
        i = edges[t, 0]
        j = edges[t, 1]
        k = lefts[t]
        m = rights[t]
        edge = x[j] - x[i]
        dk = x[k] - x[i]
        dm = x[m] - x[i]
        n1 = wp.cross(dk, edge)
        n2 = wp.cross(edge, dm)
        sq1 = wp.length_sq(n1)
        sq2 = wp.length_sq(n2)
        if sq1 < 1.0e-6 or sq2 < 1.0e-6:
            if REPORT == "; energies are stored":
                energy[t] = 0.0
            elif REPORT:
                angles[t] = 0.0
            return
        length = wp.length(edge)
        # zero where the two triangles lie in one plane
        angle = wp.atan2(wp.dot(wp.cross(n1, n2), edge) / length, wp.dot(n1, n2))
        gk = length / sq1 * n1
        gm = length / sq2 * n2
        near = wp.dot(dk, edge) / (length * length)
        far = wp.dot(dm, edge) / (length * length)
        # turning or moving the hinge as a whole does not change its angle
        gi = (near - 1.0) * gk + (far - 1.0) * gm
        gj = -near * gk - far * gm
        if STIFF:
            # the direction across the edge, in warp and weft
            weave = weaves[t]
            stiffness = WARP_STIFFNESS * weave[0] * weave[0] + WEFT_STIFFNESS * weave[1] * weave[1]
        if SINE:
            scale = length * length / (wp.sqrt(sq1) + wp.sqrt(sq2))
            bend = wp.sin(0.5 * angle) - wp.sin(0.5 * rest[t])
            moment = (stiffness if STIFF else STIFFNESS) * scale * bend
        else:
            bend = angle - rest[t]
            if CREASE:
                # a fold beyond the yield angle stays
                if bend > YIELD_ANGLE:
                    rest[t] += bend - YIELD_ANGLE
                    bend = YIELD_ANGLE
                elif bend < -YIELD_ANGLE:
                    rest[t] += bend + YIELD_ANGLE
                    bend = -YIELD_ANGLE
            if MODEL == "by the discrete shells model":
                # weighed by the edge's length over the height of its triangles
                moment = 2.0 * (stiffness if STIFF else STIFFNESS) * weights[t] * bend
            else:
                moment = (stiffness if STIFF else STIFFNESS) * bend
        if REPORT == "; energies are stored":
            energy[t] = 0.5 * moment * bend
        elif REPORT:
            angles[t] = angle
        if DAMP == "damping of the angle":
            rate = wp.dot(gi, v[i]) + wp.dot(gj, v[j]) + wp.dot(gk, v[k]) + wp.dot(gm, v[m])
            moment += DAMPING * rate
        if DAMP == "damping of the corners":
            # what moves with the hinge as a whole is not damped
            mean = 0.25 * (v[i] + v[j] + v[k] + v[m])
            wp.atomic_sub(f, i, moment * gi + DAMPING * (v[i] - mean))
            wp.atomic_sub(f, j, moment * gj + DAMPING * (v[j] - mean))
            wp.atomic_sub(f, k, moment * gk + DAMPING * (v[k] - mean))
            wp.atomic_sub(f, m, moment * gm + DAMPING * (v[m] - mean))
        else:
            wp.atomic_sub(f, i, moment * gi)
            wp.atomic_sub(f, j, moment * gj)
            wp.atomic_sub(f, k, moment * gk)
            wp.atomic_sub(f, m, moment * gm)


@idiom(
    level=5,
    names=NAMES
    | {
        "kernel": "limit_strain clamp_stretches strain_limiting",
        "shapes": "shapes rest_shapes dm",
        "pose": "pose inv_rest dm_inv",
        "f1 f2": "f1 f2 | fu fv | F1 F2",
        "mean": "mean half_trace middle",
        "spread": "spread radius r",
        "s1 s2": "s1 s2 | sigma1 sigma2 | stretch1 stretch2",
        "dx": "dx corrections delta_x",
    },
)
def triangle_strain_limiting(c):
    """Adds up {PART}corrections that keep {STRAIN} of cloth triangles {RANGE}{SHEAR}{MASS}{COUNT}.

    Limit the strain of cloth triangles: {dx}, zero at the start, gets the sum of the corrections that bring
    {STRAIN} back {RANGED}. The corners of triangle t are `{faces}[t, 0]` to `{faces}[t, 2]`, at their places
    in {x}. {METHOD} {COUNTED}
    """
    triangles, n = c.size(8, 12), c.size(9, 12)
    STRAIN = c.meaning("the principal stretches", "the thread stretches", "the edge stretches")
    EDGES, PRINCIPAL = STRAIN == "the edge stretches", STRAIN == "the principal stretches"
    RANGE = c.meaning("between two limits", "below a limit", "below a limit per triangle")
    OWN = "per" in RANGE
    SHEAR = "" if EDGES or PRINCIPAL else " and their shear below a bound"
    COUNT = c.meaning("", "; each particle's are counted")
    MASS = c.meaning("", ", shared by mass")
    PART = c.meaning("", "relaxed ")
    MAX_SHEAR = c.constant(0.2, 0.7)
    MIN_STRETCH, MAX_STRETCH, RELAXATION = c.constant(0.75, 0.95), c.constant(1.05, 1.3), c.constant(0.2, 0.8)
    RANGED = {
        "between two limits": "between {MIN_STRETCH} and {MAX_STRETCH}",
        "below a limit": "to at most {MAX_STRETCH}",
        "below a limit per triangle": "to at most `{limits}[t]`",
    }[RANGE]
    PARTLY = "{RELAXATION} times " if PART else ""
    if EDGES:
        METHOD = (
            "Side s runs from corner s to the next; its stretch is its length over `{rest}[t, s]`. Sides "
            "shorter than "
            "0.0001 are left alone. The side is to change by the vector D, {PARTLY}(wanted stretch / "
            "stretch - 1) times the "
            "side: its first end moves by -D and its second by D, each times {EACH}."
        )
        EACH = "½"
        if MASS:
            EACH = "its share of the sum of the two {inv_mass}"
    else:
        METHOD = (
            "Triangles whose edges have a cross product shorter than 0.01 are left alone. The "
            "deformation gradient F is the "
            "matrix of the edges from the first corner to the second and the third, as columns, times "
            "the inverse of "
            "`{shapes}[t]`. {GOAL} The edges change by the columns of {PARTLY}(H - F)·`{shapes}[t]`, and "
            "all three corners "
            "are shifted together so that {FIXED} stays in its place."
        )
        GOAL = (
            "The principal stretches are the singular values of F. H is F with its singular values "
            "clamped to the allowed "
            "range, with the same directions; if nothing has to be clamped, there is no correction."
        )
        if not PRINCIPAL:
            GOAL = (
                "The thread stretches are the lengths of its columns. H has columns of the same "
                "directions with lengths "
                "clamped to the allowed range. The cosine between the columns is also limited, to "
                "±{MAX_SHEAR}: if it is "
                "beyond, the second column turns in the plane of both until it meets the bound, the sign "
                "staying the same. "
                "If all is within bounds, there is no correction."
            )
        FIXED = "the centre of mass, by {mass}," if MASS else "the centroid"
    COUNTED = ""
    if COUNT:
        COUNTED = (
            "{count} gets the number of corrections that each particle received, from its {SOURCES} beyond a "
            "bound."
        )
        SOURCES = "sides" if EDGES else "triangles"

    @c.kernel(triangles)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="position"),
        mass: wp.array[float] = input(n, low=0.3, high=2.0, of="mass"),
        inv_mass: wp.array[float] = input(n, low=0.3, high=2.0, of="inverse mass"),
        faces: wp.array2d[int] = input(triangles, 3, low=0, high=n - 1),
        shapes: wp.array[wp.mat22] = input(triangles, low=-1.3, high=1.3, trait="dominant"),
        limits: wp.array[float] = input(triangles, low=1.02, high=1.4),
        rest: wp.array2d[float] = input(triangles, 3, low=0.5, high=1.5),
        dx: wp.array[wp.vec3] = output(n),
        count: wp.array[int] = output(n),
    ):
        t = wp.tid()
        if OWN:
            limit = limits[t]
        if EDGES:
            for side in range(3):
                i = faces[t, side]
                j = faces[t, (side + 1) % 3]
                d = x[j] - x[i]
                length = wp.length(d)
                if length < 1.0e-4:
                    continue
                stretch = length / rest[t, side]
                if OWN:
                    wanted = wp.min(stretch, limit)
                elif RANGE == "below a limit":
                    wanted = wp.min(stretch, MAX_STRETCH)
                else:
                    wanted = wp.clamp(stretch, MIN_STRETCH, MAX_STRETCH)
                if wanted == stretch:
                    continue
                change = (wanted / stretch - 1.0) * d
                if PART:
                    change *= RELAXATION
                if MASS:
                    total = inv_mass[i] + inv_mass[j]
                    wp.atomic_sub(dx, i, inv_mass[i] / total * change)
                    wp.atomic_add(dx, j, inv_mass[j] / total * change)
                else:
                    wp.atomic_sub(dx, i, 0.5 * change)
                    wp.atomic_add(dx, j, 0.5 * change)
                if COUNT:
                    wp.atomic_add(count, i, 1)
                    wp.atomic_add(count, j, 1)
        else:
            i = faces[t, 0]
            j = faces[t, 1]
            k = faces[t, 2]
            e1 = x[j] - x[i]
            e2 = x[k] - x[i]
            # a collapsed triangle has no plane
            if wp.length(wp.cross(e1, e2)) < 1.0e-2:
                return
            # the columns of a shape are the edges at rest
            shape = shapes[t]
            pose = wp.inverse(shape)
            f1 = pose[0, 0] * e1 + pose[1, 0] * e2
            f2 = pose[0, 1] * e1 + pose[1, 1] * e2
            if PRINCIPAL:
                # eigenvalues of the right Cauchy-Green tensor
                c11 = wp.dot(f1, f1)
                c12 = wp.dot(f1, f2)
                c22 = wp.dot(f2, f2)
                mean = 0.5 * (c11 + c22)
                spread = wp.sqrt(0.25 * (c11 - c22) * (c11 - c22) + c12 * c12)
                s1 = wp.sqrt(mean + spread)
                # their product is the ratio of areas
                s2 = wp.length(wp.cross(f1, f2)) / s1
            else:
                s1 = wp.length(f1)
                s2 = wp.length(f2)
            if OWN:
                t1 = wp.min(s1, limit)
                t2 = wp.min(s2, limit)
            elif RANGE == "below a limit":
                t1 = wp.min(s1, MAX_STRETCH)
                t2 = wp.min(s2, MAX_STRETCH)
            else:
                t1 = wp.clamp(s1, MIN_STRETCH, MAX_STRETCH)
                t2 = wp.clamp(s2, MIN_STRETCH, MAX_STRETCH)
            if PRINCIPAL:
                if OWN or RANGE == "below a limit":
                    # the other stretch is no greater
                    if t1 == s1:
                        return
                elif t1 == s1 and t2 == s2:
                    return
                # the direction of the greater stretch in the cloth
                angle = 0.5 * wp.atan2(2.0 * c12, c11 - c22)
                cs = wp.cos(angle)
                sn = wp.sin(angle)
                g1 = t1 / s1 - 1.0
                g2 = t2 / s2 - 1.0
                m11 = g1 * cs * cs + g2 * sn * sn
                m12 = (g1 - g2) * cs * sn
                m22 = g1 * sn * sn + g2 * cs * cs
                # the change of the deformation gradient's columns
                d1 = m11 * f1 + m12 * f2
                d2 = m12 * f1 + m22 * f2
            else:
                n1 = f1 / s1
                n2 = f2 / s2
                cosine = wp.dot(n1, n2)
                if t1 == s1 and t2 == s2 and wp.abs(cosine) <= MAX_SHEAR:
                    return
                if wp.abs(cosine) > MAX_SHEAR:
                    # the weft turns back in the plane of the triangle
                    across = wp.normalize(n2 - cosine * n1)
                    bound = wp.sign(cosine) * MAX_SHEAR
                    n2 = bound * n1 + wp.sqrt(1.0 - bound * bound) * across
                d1 = t1 * n1 - f1
                d2 = t2 * n2 - f2
            if PART:
                d1 *= RELAXATION
                d2 *= RELAXATION
            de1 = shape[0, 0] * d1 + shape[1, 0] * d2
            de2 = shape[0, 1] * d1 + shape[1, 1] * d2
            if MASS:
                # the centre of mass stays where it is
                shift = (mass[j] * de1 + mass[k] * de2) / (mass[i] + mass[j] + mass[k])
            else:
                # the centroid stays where it is
                shift = (de1 + de2) / 3.0
            wp.atomic_sub(dx, i, shift)
            wp.atomic_add(dx, j, de1 - shift)
            wp.atomic_add(dx, k, de2 - shift)
            if COUNT:
                wp.atomic_add(count, i, 1)
                wp.atomic_add(count, j, 1)
                wp.atomic_add(count, k, 1)
