"""Structural elements: plane frames and quadrilaterals."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp
from .elasticity import NAMES


@idiom(
    level=5,
    names=NAMES
    | {
        "ends": "ends members connectivity",
        "a b": "a b | n0 n1 | first second",
        "u": "u displacements nodal_disp",
        "u_a u_b": "u_a u_b | d0 d1 | disp_a disp_b",
        "span": "span chord_vector axis",
        "length": "length l member_length",
        "cosine sine": "cosine sine | cs sn | c_x c_y",
        "along_a along_b": "along_a along_b | axial_a axial_b | p_a p_b",
        "across_a across_b": "across_a across_b | lateral_a lateral_b | w_a w_b",
        "stretch": "stretch axial_strain eps",
        "normal": "normal axial_force n_force",
        "chord": "chord rotation chord_angle",
        "moment_a moment_b": "moment_a moment_b | m_a m_b | bend_a bend_b",
        "shear": "shear shear_force v_force",
        "shear_a shear_b": "shear_a shear_b | v_a v_b | q_a q_b",
        "forces": "forces internal residual",
        "load": "load line_load q_load",
        "E_MODULUS": "E_MODULUS YOUNG YOUNGS_MODULUS",
        "kernel": "frame_forces member_forces beam_forces",
    },
)
def frame_end_forces(c):
    """Adds up the end forces of plane {THEORY} frame members {JOINTS}{MORE}{REPORT}.

    Add up the end forces of plane {THEORY} frame members {JOINTS}. Member e goes from joint a = `{tails}[e]`
    to joint b = `{heads}[e]`, both in {x}, and has length L. Let U be its unit vector from a to b, and V that
    vector turned left by 90°. A joint's {u} holds its two displacements and its rotation r. With d the
    displacement of b less that of a, let {STRETCHED}, N = {E_MODULUS}·`{area}[e]`·s the normal force, c = d·V
    / L the rotation of the chord, {STIFF}.

    {MOMENTS}{DELTA}{LINE} In {forces}, joint a gets -N·U + Q_a·V and the moment M_a, and joint b gets N·U +
    Q_b·V and the moment {AT_B}.{STORE}
    """
    members, n = c.size(6, 10), c.size(4, 6)
    THEORY, JOINTS = (
        c.meaning("Euler-Bernoulli", "Timoshenko"),
        c.meaning("with rigid joints", "hinged at the second end"),
    )
    RIGID = JOINTS == "with rigid joints"
    GEOMETRIC = c.meaning("", "the P-delta effect")
    THERMAL = c.meaning("", "thermal expansion")
    LOADED = c.meaning("", "uniform line loads")
    *FIRST, LAST = [word for word in (GEOMETRIC, THERMAL, LOADED) if word] or [""]
    MORE = f", under {', '.join(FIRST)} and {LAST}" if FIRST else f", under {LAST}" if LAST else ""
    FIBRE = "; the largest fibre stress at the ends is stored"
    # what a load bends between the ends, end forces know nothing of
    REPORT = c.meaning(
        "",
        FIBRE,
        "; the extreme fibre stresses at the first end are stored"
        if LOADED
        else "; the strain energy is stored",
    )
    E_MODULUS, G_MODULUS, EXPANSION = c.constant(1.0, 4.0), c.constant(0.5, 2.0), c.constant(0.05, 0.3)
    SHEAR_FACTOR = c.constant(0.6, 0.9)
    TIMO = THEORY == "Timoshenko"
    STRETCHED = "s = d·U / L be the strain"
    if THERMAL:
        STRETCHED = "s = d·U / L - {EXPANSION}·`{heating}[e]` be the elastic strain"
    STIFF = "and B = {E_MODULUS}·`{inertia}[e]` / L"
    if TIMO:
        STIFF = (
            "B = {E_MODULUS}·`{inertia}[e]` / L, and f = 12·B / ({SHEAR_FACTOR}·{G_MODULUS}·`{area}[e]`·L)"
        )
    MOMENTS = "M_a = B·(4·r_a + 2·r_b - 6·c), M_b = B·(2·r_a + 4·r_b - 6·c) and Q_a = -Q_b = (M_a + M_b) / L."
    if RIGID and TIMO:
        MOMENTS = (
            "M_a = (B / (1 + f))·((4 + f)·r_a + (2 - f)·r_b - 6·c), M_b = (B / (1 + f))·((2 - f)·r_a + (4 "
            "+ f)·r_b - 6·c) and Q_a = -Q_b = (M_a + M_b) / L."
        )
    elif TIMO:
        MOMENTS = "M_a = 3·B·(r_a - c) / (1 + f/4) and Q_a = -Q_b = M_a / L; the hinge bears no moment."
    elif not RIGID:
        MOMENTS = "M_a = 3·B·(r_a - c) and Q_a = -Q_b = M_a / L; the hinge bears no moment."
    DELTA = " The P-delta effect takes N·c from Q_a and adds it to Q_b." if GEOMETRIC else ""
    LINE = ""
    if LOADED:
        LINE = (
            " A line load acts across, T = `{load}[e]`·L in all: it takes T/2 from both Q_a and Q_b, takes "
            "T·L/12 from M_a and adds it to M_b."
        )
        if TIMO and not RIGID:
            LINE = (
                " A line load acts across, T = `{load}[e]`·L in all: with h = (3 + f) / (8 + 2·f), it takes "
                "(1 - h)·T from Q_a, h·T from Q_b and (½ - h)·T·L from M_a."
            )
        elif not RIGID:
            LINE = (
                " A line load acts across, T = `{load}[e]`·L in all: it takes 0.625·T from Q_a, 0.375·T from "
                "Q_b and T·L/8 from M_a."
            )
    AT_B = "M_b" if RIGID else "0"
    BENT = "max(|M_a|, |M_b|)" if RIGID else "|M_a|"
    FINAL = " after all of these changes" if LOADED else ""
    STORE = ""
    if "fibre stress at" in REPORT or REPORT == FIBRE:
        STORE = (
            " {fibre_stress} gets |N| / `{area}[e]` + ½·{BENT}·`{height}[e] / {inertia}[e]`, the largest "
            "fibre stress{FINAL}."
        )
    elif "extreme" in REPORT:
        STORE = (
            " `{extremes}[e]` gets N / `{area}[e]` plus, then minus, ½·M_a·`{height}[e] / {inertia}[e]`, the "
            "fibre stresses at a{FINAL}."
        )
    elif REPORT:
        STORE = " `{energy}[e]` gets the strain energy, ½·(N·s·L + {WORK})."
    WORK = "M_a·(r_a - c) + M_b·(r_b - c)" if RIGID else "M_a·(r_a - c)"

    @c.kernel(members)
    def kernel(
        x: wp.array[wp.vec2] = input(2 * n, low=-2.0, high=2.0),
        u: wp.array[wp.vec3] = input(2 * n, low=-0.5, high=0.5),
        tails: wp.array[int] = input(members, low=0, high=n - 1),
        heads: wp.array[int] = input(members, low=n, high=2 * n - 1),
        area: wp.array[float] = input(members, low=0.5, high=2.0),
        inertia: wp.array[float] = input(members, low=0.2, high=1.0),
        height: wp.array[float] = input(members, low=0.3, high=1.0),
        heating: wp.array[float] = input(members, low=-1.0, high=2.0),
        load: wp.array[float] = input(members, low=-1.0, high=1.0),
        forces: wp.array[wp.vec3] = output(2 * n),
        fibre_stress: wp.array[float] = output(members, of="stress"),
        extremes: wp.array[wp.vec2] = output(members),
        energy: wp.array[float] = output(members, of="energy"),
    ):
        e = wp.tid()
        a = tails[e]
        b = heads[e]
        span = x[b] - x[a]
        length = wp.length(span)
        cosine = span[0] / length
        sine = span[1] / length
        u_a = u[a]
        u_b = u[b]
        # displacements along the member and across it
        along_a = cosine * u_a[0] + sine * u_a[1]
        along_b = cosine * u_b[0] + sine * u_b[1]
        across_a = cosine * u_a[1] - sine * u_a[0]
        across_b = cosine * u_b[1] - sine * u_b[0]
        stretch = (along_b - along_a) / length
        if THERMAL:
            stretch -= EXPANSION * heating[e]
        normal = E_MODULUS * area[e] * stretch
        chord = (across_b - across_a) / length
        bending = E_MODULUS * inertia[e] / length
        if THEORY == "Timoshenko":
            # how soft the member is in shear compared with bending
            phi = 12.0 * bending / (SHEAR_FACTOR * G_MODULUS * area[e] * length)
        if RIGID:
            if THEORY == "Timoshenko":
                bending /= 1.0 + phi
                moment_a = bending * ((4.0 + phi) * u_a[2] + (2.0 - phi) * u_b[2] - 6.0 * chord)
                moment_b = bending * ((2.0 - phi) * u_a[2] + (4.0 + phi) * u_b[2] - 6.0 * chord)
            else:
                moment_a = bending * (4.0 * u_a[2] + 2.0 * u_b[2] - 6.0 * chord)
                moment_b = bending * (2.0 * u_a[2] + 4.0 * u_b[2] - 6.0 * chord)
            shear = (moment_a + moment_b) / length
        else:
            if THEORY == "Timoshenko":
                bending /= 1.0 + 0.25 * phi
            moment_a = 3.0 * bending * (u_a[2] - chord)
            shear = moment_a / length
        if REPORT == "; the strain energy is stored":
            work = normal * stretch * length + moment_a * (u_a[2] - chord)
            if RIGID:
                work += moment_b * (u_b[2] - chord)
            energy[e] = 0.5 * work
        if GEOMETRIC:
            # tension straightens the member, compression pushes it over
            shear -= normal * chord
        if LOADED:
            total = load[e] * length
            if RIGID:
                shear_a = shear - 0.5 * total
                shear_b = -shear - 0.5 * total
                moment_a -= total * length / 12.0
                moment_b += total * length / 12.0
            else:
                if THEORY == "Timoshenko":
                    # how much of the load the hinge bears
                    share = (3.0 + phi) / (8.0 + 2.0 * phi)
                    shear_a = shear - (1.0 - share) * total
                    shear_b = -shear - share * total
                    moment_a -= (0.5 - share) * total * length
                else:
                    shear_a = shear - 0.625 * total
                    shear_b = -shear - 0.375 * total
                    moment_a -= total * length / 8.0
        if REPORT == "; the extreme fibre stresses at the first end are stored":
            axial = normal / area[e]
            bent = 0.5 * moment_a * height[e] / inertia[e]
            extremes[e] = wp.vec2(axial + bent, axial - bent)
        elif REPORT == FIBRE:
            if RIGID:
                moment = wp.max(wp.abs(moment_a), wp.abs(moment_b))
            else:
                moment = wp.abs(moment_a)
            fibre_stress[e] = wp.abs(normal) / area[e] + 0.5 * moment * height[e] / inertia[e]
        if LOADED:
            f_a = wp.vec3(-cosine * normal - sine * shear_a, cosine * shear_a - sine * normal, moment_a)
            if RIGID:
                f_b = wp.vec3(cosine * normal - sine * shear_b, sine * normal + cosine * shear_b, moment_b)
            else:
                f_b = wp.vec3(cosine * normal - sine * shear_b, sine * normal + cosine * shear_b, 0.0)
        else:
            f_a = wp.vec3(-cosine * normal - sine * shear, cosine * shear - sine * normal, moment_a)
            if RIGID:
                f_b = wp.vec3(cosine * normal + sine * shear, sine * normal - cosine * shear, moment_b)
            else:
                f_b = wp.vec3(cosine * normal + sine * shear, sine * normal - cosine * shear, 0.0)
        wp.atomic_add(forces, a, f_a)
        wp.atomic_add(forces, b, f_b)


@idiom(
    level=5,
    names=NAMES
    | {
        "quads": "quads elements connectivity",
        "a b g d": "a b c d | n0 n1 n2 n3 | i0 i1 i2 i3",
        "p q": "p q | diag1 diag2 | r s",
        "u_p u_q": "u_p u_q | du1 du2 | u_r u_s",
        "u_x u_y": "u_x u_y | du_dx du_dy | grad_x grad_y",
        "twice": "twice doubled_area two_area",
        "grad": "grad gradient h_mat",
        "strain": "strain eps e_strain",
        "stress": "stress sigma s_mat",
        "dilation": "dilation volumetric tr_e",
        "first": "first sum_normal tr_s",
        "f_g f_d": "f_g f_d | force_g force_d | pull_g pull_d",
        "hour": "hour hourglass hourglass_mode",
        "resist": "resist hourglass_force control",
        "u": "u displacements nodal_disp",
        "forces": "forces nodal_forces f",
        "E_MODULUS": "E_MODULUS YOUNG YOUNGS_MODULUS",
        "kernel": "quad_forces q4_forces one_point_quads",
    },
)
def reduced_quad_forces(c):
    """Adds up the forces of one-point quadrilaterals in {STATE} {STRAIN}{MORE}{REPORT}.

    Add up the nodal forces of quadrilaterals with one point of integration, in {STATE}, {STRAIN}. Row e of
    {quads} holds the nodes of element e, in order around it, with the places a, b, c, d in {x} and the
    displacements w_a, w_b, w_c, w_d in {u}. With the diagonals p = c - a and q = d - b, it has the area A =
    ½·(p_x·q_y - p_y·q_x); leave out elements with 2·A < 0.1{ZEROS}.

    The displacement gradient H takes p to w_c - w_a and q to w_d - w_b. The strain is E = {STRAIN_OF}. With
    the shear modulus G = {E_MODULUS} / (2·(1 + {NU})), the stress is S = 2·G·E + {LATERAL}·(tr E)·I.{STORE}

    With P = {STRESS_OF} and the thickness t = {thickness}, add ½·t·P·(-q_y, q_x) to {forces} of the third
    node and subtract it from {forces} of the first; add ½·t·P·(p_y, -p_x) to {forces} of the fourth and
    subtract it from {forces} of the second.{CONTROL}{HANGS}
    """
    count, n = c.size(7, 10), c.size(3, 5)
    STATE = c.meaning("plane stress", "plane strain")
    STRAIN = c.meaning("at small strains", "at large strains")
    LARGE = STRAIN == "at large strains"
    REPORT = c.meaning("", "strain energies", "principal stresses", "von Mises stress")
    THERMAL = c.meaning("", "thermal expansion")
    MISES, PRINCIPAL = REPORT == "von Mises stress", REPORT == "principal stresses"
    # all at once would be too long
    HOURGLASS = "" if PRINCIPAL or (MISES and THERMAL and LARGE) else c.meaning("hourglass control", "")
    WEIGHT = "" if HOURGLASS and (MISES or (THERMAL and REPORT)) else c.meaning("", "weight")
    *FIRST, LAST = [word for word in (HOURGLASS, THERMAL, WEIGHT) if word] or [""]
    MORE = f", with {', '.join(FIRST)} and {LAST}" if FIRST else f", with {LAST}" if LAST else ""
    ENERGIES = REPORT == "strain energies"
    # which of the stresses at large strains
    if LARGE and PRINCIPAL:
        REPORT = "principal second Piola-Kirchhoff stresses"
    elif LARGE and MISES:
        REPORT = "von Mises norm of the second Piola-Kirchhoff stress"
    REPORT = f", and stores the {REPORT}" if REPORT else ""
    E_MODULUS, NU, EXPANSION = c.constant(1.0, 4.0), c.constant(0.2, 0.4), c.constant(0.05, 0.3)
    STIFFNESS, DENSITY = c.constant(0.1, 0.5), c.constant(0.5, 2.0)
    ZEROS = ", whose results are zero" if REPORT else ""
    STRAIN_OF = "½·(H + Hᵀ + HᵀH)" if LARGE else "½·(H + Hᵀ)"
    HOT = "{EXPANSION}·`{heating}[e]`"
    if THERMAL and STATE == "plane strain":
        STRAIN_OF += " - (1 + {NU})·{HOT}·I"
    elif THERMAL:
        STRAIN_OF += " - {HOT}·I"
    LATERAL = "2·G·{NU} / (1 - {NU})" if STATE == "plane stress" else "2·G·{NU} / (1 - 2·{NU})"
    STORE = ""
    if ENERGIES:
        STORE = " `{energy}[e]` gets ½·{thickness}·A·{DOUBLED}."
    elif PRINCIPAL:
        STORE = " `{principal}[e]` gets the principal values of S, the larger one first."
    elif REPORT:
        STORE = " `{mises}[e]` gets the von Mises norm of S, √(1.5·Σ S_ij² - ½·(tr S)²){DEPTH}."
    DOUBLED = "S:E"
    if THERMAL and STATE == "plane strain":
        DOUBLED = "(S:E + {E_MODULUS}·({HOT})²)"
    DEPTH = ""
    if STATE == "plane strain":
        DEPTH = ", where the stress in depth counts in both, {NU}·(S_xx + S_yy)"
        if THERMAL:
            DEPTH += " - {E_MODULUS}·{HOT}"
    STRESS_OF = "S + H·S" if LARGE else "S"
    CONTROL = ""
    if HOURGLASS:
        CONTROL = (
            " Against hourglassing, let h = w_a - w_b + w_c - w_d - H·(a - b + c - d); each node also gets "
            "-{STIFFNESS}·t·h times the derivative of h by its displacement (a number, to which H "
            "contributes)."
        )
    HANGS = ""
    if WEIGHT:
        HANGS = " Each node also bears a quarter of the weight, ¼·{DENSITY}·t·A·{gravity}."

    @c.kernel(count)
    def kernel(
        x: wp.array[wp.vec2] = input(4 * n, low=-2.0, high=2.0),
        u: wp.array[wp.vec2] = input(4 * n, low=-0.5, high=0.5),
        quads: wp.array2d[int] = input(count, 4, low=0, high=4 * n - 1),
        heating: wp.array[float] = input(count, low=-1.0, high=3.0),
        thickness: float = input(low=0.5, high=1.5),
        gravity: wp.vec2 = input(low=-3.0, high=3.0),
        forces: wp.array[wp.vec2] = output(4 * n),
        energy: wp.array[float] = output(count, of="energy"),
        principal: wp.array[wp.vec2] = output(count),
        mises: wp.array[float] = output(count, of="stress"),
    ):
        e = wp.tid()
        a = quads[e, 0]
        b = quads[e, 1]
        g = quads[e, 2]
        d = quads[e, 3]
        # at the centre, gradients follow from the two diagonals
        p = x[g] - x[a]
        q = x[d] - x[b]
        twice = p[0] * q[1] - p[1] * q[0]
        # tiny and inverted elements are left out altogether
        if twice < 0.1:
            if ENERGIES:
                energy[e] = 0.0
            elif PRINCIPAL:
                principal[e] = wp.vec2()
            elif REPORT:
                mises[e] = 0.0
            return
        u_p = u[g] - u[a]
        u_q = u[d] - u[b]
        u_x = (q[1] * u_p - p[1] * u_q) / twice
        u_y = (p[0] * u_q - q[0] * u_p) / twice
        grad = wp.matrix_from_cols(u_x, u_y)
        strain = 0.5 * (grad + wp.transpose(grad))
        if LARGE:
            # Green-Lagrange
            strain += 0.5 * (wp.transpose(grad) * grad)
        identity = wp.identity(n=2, dtype=float)
        if THERMAL:
            if STATE == "plane strain":
                # expansion that is held back in depth adds to that in the plane
                free = (1.0 + NU) * EXPANSION * heating[e]
            else:
                free = EXPANSION * heating[e]
            strain -= free * identity
        shear = 0.5 * E_MODULUS / (1.0 + NU)
        if STATE == "plane stress":
            lame = 2.0 * shear * NU / (1.0 - NU)
        else:
            lame = 2.0 * shear * NU / (1.0 - 2.0 * NU)
        dilation = wp.trace(strain)
        stress = 2.0 * shear * strain + lame * dilation * identity
        if ENERGIES:
            doubled = wp.ddot(stress, strain)
            if THERMAL and STATE == "plane strain":
                # expansion that is held back in depth stores energy too
                doubled += E_MODULUS * EXPANSION * EXPANSION * heating[e] * heating[e]
            energy[e] = 0.25 * thickness * twice * doubled
        elif PRINCIPAL:
            centre = 0.5 * wp.trace(stress)
            half = 0.5 * (stress[0, 0] - stress[1, 1])
            radius = wp.sqrt(half * half + stress[0, 1] * stress[0, 1])
            principal[e] = wp.vec2(centre + radius, centre - radius)
        elif MISES:
            first = wp.trace(stress)
            squares = wp.ddot(stress, stress)
            if STATE == "plane strain":
                # the stress in depth, which holds the strain there at zero
                s_zz = NU * first
                if THERMAL:
                    s_zz -= E_MODULUS * EXPANSION * heating[e]
                first += s_zz
                squares += s_zz * s_zz
            mises[e] = wp.sqrt(1.5 * squares - 0.5 * first * first)
        if LARGE:
            # the first Piola-Kirchhoff stress
            stress += grad * stress
        side_g = wp.vec2(-q[1], q[0])
        side_d = wp.vec2(p[1], -p[0])
        f_g = 0.5 * thickness * (stress * side_g)
        f_d = 0.5 * thickness * (stress * side_d)
        if HOURGLASS:
            # the mode that one point does not see, less what the gradient gives on a skewed shape
            skew = x[a] - x[b] + x[g] - x[d]
            hour = u[a] - u[b] + u[g] - u[d] - grad * skew
            resist = STIFFNESS * thickness * hour
            f_g -= wp.dot(skew, side_g) / twice * resist
            f_d -= wp.dot(skew, side_d) / twice * resist
            wp.atomic_sub(forces, a, f_g + resist)
            wp.atomic_add(forces, b, resist - f_d)
            wp.atomic_add(forces, g, f_g - resist)
            wp.atomic_add(forces, d, f_d + resist)
        else:
            wp.atomic_sub(forces, a, f_g)
            wp.atomic_sub(forces, b, f_d)
            wp.atomic_add(forces, g, f_g)
            wp.atomic_add(forces, d, f_d)
        if WEIGHT:
            # each node bears a quarter of the element's weight
            weight = 0.125 * DENSITY * thickness * twice * gravity
            wp.atomic_add(forces, a, weight)
            wp.atomic_add(forces, b, weight)
            wp.atomic_add(forces, g, weight)
            wp.atomic_add(forces, d, weight)
