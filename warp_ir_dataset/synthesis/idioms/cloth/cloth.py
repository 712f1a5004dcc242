"""Cloth of triangles: forces in its plane, the wind on it."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp

NAMES = {
    "x": "x positions particle_q pos",
    "v": "v velocities particle_qd vel",
    "f": "f forces particle_f",
    "faces": "faces triangles tri_indices",
    "t": "t tid tri",
    "i j k": "i j k | a b c | i0 i1 i2",
    "e1 e2": "e1 e2 | e0 e1 | edge1 edge2",
}


@idiom(
    level=5,
    names=NAMES
    | {
        "kernel": "eval_triangles membrane_forces stretch_forces",
        "poses": "poses inv_rest tri_poses rest_inverses",
        "area": "area rest_areas tri_area",
        "f1 f2": "f1 f2 | fu fv | F1 F2",
        "p1 p2": "p1 p2 | pu pv | P1 P2",
        "s11 s22 s12": "s11 s22 s12 | suu svv suv",
        "trace": "trace tr tr_e",
    },
)
def membrane_forces(c):
    """Adds up the membrane forces of cloth triangles by {LAW}{DAMP}{SLACK}{REPORT}.

    Add up the elastic forces in the plane of cloth triangles in {f}, which starts at zero, by {LAW}. The
    corners of triangle t are `{faces}[t, 0]` to `{faces}[t, 2]`. Its deformation gradient F, of 3 × 2, is the
    matrix of its edges from the first corner to the second and to the third, as columns, times `{poses}[t]`;
    a and b are the columns of F.{MOVES}

    {STRESS} The columns of -`{area}[t]`·P·`{poses}[t]`ᵀ are the forces on the second and on the third corner,
    and the first corner gets the opposite of their sum. {FLAT}{STORED}
    """
    triangles, n = c.size(8, 12), c.size(9, 12)
    LAW = c.meaning(
        "the Saint Venant-Kirchhoff law",
        "a stable neo-Hookean law",
        "the Baraff-Witkin conditions",
        "an orthotropic law of warp and weft",
    )
    NEO, CONDITIONS, WOVEN = "neo" in LAW, "Witkin" in LAW, "warp" in LAW
    DAMP = c.meaning(", with damped stretching" if CONDITIONS else ", with damping of the strain rate", "")
    if CONDITIONS or WOVEN:
        SLACK = c.meaning("", ", threads slack in compression")
    else:
        SLACK = "" if NEO or DAMP else c.meaning("", ", slack in compression")
    ENERGIES = "; the elastic energies are stored"
    if NEO:
        REPORT = c.meaning(ENERGIES, "", "; the ratios of areas are stored")
    elif CONDITIONS:
        REPORT = c.meaning(ENERGIES, "", "; the excess stretches and the shear are stored")
        c.names({"strains": "conditions excess"})
    else:
        REPORT = c.meaning(ENERGIES, "", "; the Green strains are stored")
    MU, LAME, DAMPING = c.constant(5.0, 20.0), c.constant(3.0, 15.0), c.constant(0.5, 2.0)
    STRETCH_STIFFNESS, SHEAR_STIFFNESS = c.constant(10.0, 40.0), c.constant(3.0, 9.0)
    WARP_STIFFNESS, WEFT_STIFFNESS = c.constant(10.0, 30.0), c.constant(5.0, 20.0)
    MOVES = (
        " G is the same for the velocities {v} in place of the positions {x}."
        if DAMP
        else " Positions are in {x}."
    )
    STRAINS = "With the Green strain E = ½·(Fᵀ·F - I), P = F·S, where S = {LINEAR}.{DAMPED}"
    DAMPED = ""
    LINEAR = "2·{MU}·E + {LAME}·tr(E)·I"
    FLAT, STORED = "", ""
    if DAMP:
        DAMPED = " Damping adds {DAMPING} times the rate of E, ½·(Fᵀ·G + Gᵀ·F), to S{BOUND}."
    BOUND = ""
    if WOVEN:
        LINEAR = (
            "({WARP_STIFFNESS}·E₁₁, 2·{SHEAR_STIFFNESS}·E₁₂; 2·{SHEAR_STIFFNESS}·E₁₂, {WEFT_STIFFNESS}·E₂₂)"
        )
        if SLACK:
            LINEAR += ", in which negative E₁₁ and E₂₂ count as 0, as threads are slack in compression"
        if SLACK and DAMP:
            BOUND = (
                ", but to its diagonal entries, which are tensions, no more than these tensions themselves, "
                "with either sign"
            )
    elif SLACK and not CONDITIONS:
        STRAINS = (
            "The cloth is slack in compression. The Green strain E = ½·(Fᵀ·F - I) has the principal "
            "strains m + r and "
            "m - r. The first counts as g = max(m + r, 0) and the second as l = max(m - r, "
            "-{LAME}·g / (2·{MU} + {LAME})); more contraction goes into wrinkles. P = F·S, where S = "
            "({MU} + {LAME})·(g + l)·I + {MU}·(g - l)·(E - m·I) / max(r, 1e-6)."
        )
    STRESS = STRAINS
    ENERGY = "½·(S : E), without damping and with E as it counts" if SLACK else "½·(S : E), without damping"
    if SLACK and not (WOVEN or CONDITIONS):
        ENERGY = "{MU}·(g² + l²) + ½·{LAME}·(g + l)²"
    if not DAMP and not SLACK:
        ENERGY = "½·(S : E)"
    if NEO:
        STRESS = (
            "With J = |a × b|, the ratio of areas, P is the derivative by F of the energy density "
            "{ENERGY}{DAMPED}."
        )
        ENERGY = "½·{MU}·(|a|² + |b|² - 2) - {MU}·(J - 1) + ½·{LAME}·(J - 1)²"
        DAMPED = ", plus {DAMPING}·F·½·(Fᵀ·G + Gᵀ·F)" if DAMP else ""
        FLAT = "Triangles with J < 0.0001 get no forces. "
    elif CONDITIONS:
        STRESS = (
            "With the stretch conditions {EXCESS} and the shear h = a·b, P is the derivative by F of the "
            "energy density "
            "{ENERGY}{DAMPED}."
        )
        EXCESS = "c = |a| - 1 and d = |b| - 1"
        if SLACK:
            EXCESS = "c = max(|a| - 1, 0) and d = max(|b| - 1, 0), as threads are slack in compression,"
        ENERGY = "½·{STRETCH_STIFFNESS}·(c² + d²) + ½·{SHEAR_STIFFNESS}·h²"
        if DAMP:
            DAMPED = (
                ", plus damping: its first column gets {DAMPING} times the rate of |a| times a/|a|, the "
                "rate being a/|a| dotted "
                "with the first column of G, and likewise its second for b"
            )
            if SLACK:
                DAMPED += (
                    ", but no more, with either sign, than the tension {STRETCH_STIFFNESS}·c or "
                    "{STRETCH_STIFFNESS}·d"
                )
        FLAT = "Triangles with |a| or |b| below 0.0001 get no forces. "
    if REPORT == ENERGIES:
        STORED = "{energy} gets the elastic energy of each triangle, `{area}[t]` times {DENSITY}."
        DENSITY = "that density" if NEO or CONDITIONS else ENERGY
    elif REPORT and NEO:
        STORED = "{ratios} gets J."
    elif REPORT and CONDITIONS:
        STORED = "{strains} gets (c, d, h)."
    elif REPORT:
        STORED = "{strains} gets (E₁₁, E₂₂, E₁₂){PLAIN}."
        PLAIN = " as it is" if SLACK else ""

    @c.kernel(triangles)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="velocity"),
        faces: wp.array2d[int] = input(triangles, 3, low=0, high=n - 1),
        poses: wp.array[wp.mat22] = input(triangles, low=-1.0, high=1.0, trait="dominant"),
        area: wp.array[float] = input(triangles, low=0.3, high=0.8),
        f: wp.array[wp.vec3] = output(n),
        energy: wp.array[float] = output(triangles),
        strains: wp.array[wp.vec3] = output(triangles),
        ratios: wp.array[float] = output(triangles),
    ):
        t = wp.tid()
        i = faces[t, 0]
        j = faces[t, 1]
        k = faces[t, 2]
        e1 = x[j] - x[i]
        e2 = x[k] - x[i]
        # the deformation gradient's columns: edges times the inverse of the rest shape
        pose = poses[t]
        f1 = pose[0, 0] * e1 + pose[1, 0] * e2
        f2 = pose[0, 1] * e1 + pose[1, 1] * e2
        if DAMP:
            u1 = v[j] - v[i]
            u2 = v[k] - v[i]
            # how fast the columns change
            g1 = pose[0, 0] * u1 + pose[1, 0] * u2
            g2 = pose[0, 1] * u1 + pose[1, 1] * u2
        if NEO:
            normal = wp.cross(f1, f2)
            ratio = wp.length(normal)
            if REPORT == ENERGIES:
                excess = wp.dot(f1, f1) + wp.dot(f2, f2) - 2.0
                dilation = ratio - 1.0
                energy[t] = area[t] * (0.5 * MU * excess - MU * dilation + 0.5 * LAME * dilation * dilation)
            elif REPORT:
                ratios[t] = ratio
            # a triangle without area has no plane to act in
            if ratio < 1.0e-4:
                return
            normal /= ratio
            pressure = LAME * (ratio - 1.0) - MU
            p1 = MU * f1 + pressure * wp.cross(f2, normal)
            p2 = MU * f2 + pressure * wp.cross(normal, f1)
            if DAMP:
                d1 = DAMPING * wp.dot(f1, g1)
                d2 = DAMPING * wp.dot(f2, g2)
                d12 = 0.5 * DAMPING * (wp.dot(f1, g2) + wp.dot(f2, g1))
                p1 += d1 * f1 + d12 * f2
                p2 += d12 * f1 + d2 * f2
        elif CONDITIONS:
            l1 = wp.length(f1)
            l2 = wp.length(f2)
            if SLACK:
                # compressed threads buckle and do not push
                c1 = wp.max(l1 - 1.0, 0.0)
                c2 = wp.max(l2 - 1.0, 0.0)
            else:
                c1 = l1 - 1.0
                c2 = l2 - 1.0
            shear = wp.dot(f1, f2)
            if REPORT == ENERGIES:
                stretching = STRETCH_STIFFNESS * (c1 * c1 + c2 * c2)
                energy[t] = 0.5 * area[t] * (stretching + SHEAR_STIFFNESS * shear * shear)
            elif REPORT:
                strains[t] = wp.vec3(c1, c2, shear)
            # a thread without length has no direction
            if wp.min(l1, l2) < 1.0e-4:
                return
            n1 = f1 / l1
            n2 = f2 / l2
            s11 = STRETCH_STIFFNESS * c1
            s22 = STRETCH_STIFFNESS * c2
            if DAMP:
                if SLACK:
                    # never more than the tension, so that no thread pushes
                    s11 += wp.clamp(DAMPING * wp.dot(n1, g1), -s11, s11)
                    s22 += wp.clamp(DAMPING * wp.dot(n2, g2), -s22, s22)
                else:
                    s11 += DAMPING * wp.dot(n1, g1)
                    s22 += DAMPING * wp.dot(n2, g2)
            p1 = s11 * n1 + SHEAR_STIFFNESS * shear * f2
            p2 = s22 * n2 + SHEAR_STIFFNESS * shear * f1
        else:
            # Green strain
            strain_1 = 0.5 * (wp.dot(f1, f1) - 1.0)
            strain_2 = 0.5 * (wp.dot(f2, f2) - 1.0)
            shear = 0.5 * wp.dot(f1, f2)
            if REPORT and REPORT != ENERGIES:
                strains[t] = wp.vec3(strain_1, strain_2, shear)
            if WOVEN:
                if SLACK:
                    # compressed threads buckle and do not push
                    strain_1 = wp.max(strain_1, 0.0)
                    strain_2 = wp.max(strain_2, 0.0)
                s11 = WARP_STIFFNESS * strain_1
                s22 = WEFT_STIFFNESS * strain_2
                s12 = 2.0 * SHEAR_STIFFNESS * shear
            elif SLACK:
                # the principal strains
                mean = 0.5 * (strain_1 + strain_2)
                half = 0.5 * (strain_1 - strain_2)
                radius = wp.sqrt(half * half + shear * shear)
                greatest = wp.max(mean + radius, 0.0)
                # contraction beyond this goes into wrinkles, which bear nothing
                least = wp.max(mean - radius, -LAME / (2.0 * MU + LAME) * greatest)
                trace = greatest + least
                share = MU * (greatest - least) / wp.max(radius, 1.0e-6)
                s11 = (MU + LAME) * trace + share * half
                s22 = (MU + LAME) * trace - share * half
                s12 = share * shear
            else:
                trace = strain_1 + strain_2
                s11 = 2.0 * MU * strain_1 + LAME * trace
                s22 = 2.0 * MU * strain_2 + LAME * trace
                s12 = 2.0 * MU * shear
            if REPORT == ENERGIES:
                if SLACK and not WOVEN:
                    stored = MU * (greatest * greatest + least * least) + 0.5 * LAME * trace * trace
                    energy[t] = area[t] * stored
                else:
                    energy[t] = area[t] * (0.5 * (s11 * strain_1 + s22 * strain_2) + s12 * shear)
            if DAMP:
                if SLACK:
                    # never more than the tension, so that no thread pushes
                    s11 += wp.clamp(DAMPING * wp.dot(f1, g1), -s11, s11)
                    s22 += wp.clamp(DAMPING * wp.dot(f2, g2), -s22, s22)
                else:
                    s11 += DAMPING * wp.dot(f1, g1)
                    s22 += DAMPING * wp.dot(f2, g2)
                s12 += 0.5 * DAMPING * (wp.dot(f1, g2) + wp.dot(f2, g1))
            p1 = s11 * f1 + s12 * f2
            p2 = s12 * f1 + s22 * f2
        # the forces on two corners; the third one balances them
        fj = -area[t] * (pose[0, 0] * p1 + pose[0, 1] * p2)
        fk = -area[t] * (pose[1, 0] * p1 + pose[1, 1] * p2)
        wp.atomic_sub(f, i, fj + fk)
        wp.atomic_add(f, j, fj)
        wp.atomic_add(f, k, fk)
