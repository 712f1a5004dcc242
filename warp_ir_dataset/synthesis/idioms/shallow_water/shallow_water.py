"""Shallow water by finite volumes: fluxes through faces, wetting and drying."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "depth": "depth h water_depth",
    "hu hv": "hu hv | qx qy | mom_x mom_y",
    "bed": "bed zb bottom",
    "dt": "dt time_step",
    "i j": "i j | row col",
    "G": "G GRAVITY",
    "DRY": "DRY DRY_DEPTH H_MIN",
}


@idiom(
    level=5,
    names=NAMES
    | {
        "h_left h_right u_left u_right v_left v_right c_left c_right q_left q_right p_left p_right": (
            "h_left h_right u_left u_right v_left v_right c_left c_right q_left q_right p_left p_right | "
            "hl hr ul ur vl vr cl cr ql qr fl fr | h_w h_e u_w u_e v_w v_e c_w c_e q_w q_e f_w f_e | "
            "h0 h1 u0 u1 v0 v1 a0 a1 q0 q1 p0 p1"
        ),
        "s_left s_right": "s_left s_right | sl sr | slowest fastest",
        "mass push side": "mass push side | f_h f_hu f_hv | flux0 flux1 flux2",
        "z_face": "z_face bed_face crest",
        "flux_h": "flux_h mass_flux depth_flux",
        "flux_left flux_right": "flux_left flux_right | normal_flux_w normal_flux_e",
        "flux_normal": "flux_normal flux_hu momentum_flux",
        "flux_side": "flux_side flux_hv transverse_flux",
        "speeds": "speeds wave_speeds face_speeds",
        "fastest_wave": "fastest_wave max_speed top_speed",
        "kernel": "face_flux water_flux riemann_flux",
    },
)
def riemann_face_flux(c):
    """The {FLUX} fluxes of shallow water through faces along x, from {STATE}{SPEEDS}{FRONT}{BED}{REPORT}.

    Compute the {FLUX} fluxes of shallow water through the face between each cell (i, j) and (i, j + 1), its
    left and its right side. A side has the depth h in {depth}, {VELOCITY}, the momentum q = h·u, the wave
    speed c = √({G}·h) and the pressure T(h) = {G}/2·h². Its state is U = (h, q, h·v) and its flux F = (q, q·u
    + T(h), q·v).{CUT}

    {FORMULA}

    {flux_h} and {flux_side} get the first and the third flux. {PUSHED} If the depths as given are below {DRY}
    on both sides, only pressure acts: {STILL}.{REPORTED}
    """
    rows, cols = c.size(4, 6), c.size(7, 10)
    FLUX = c.meaning("HLL", "HLLC", "Rusanov", "Roe")
    STATE = c.meaning("depth and momentum", "depth and velocity")
    BED = c.meaning("", ", after hydrostatic reconstruction")
    if FLUX == "Rusanov":
        SPEEDS = ""
    elif FLUX == "Roe":
        SPEEDS = c.meaning("", ", with Harten's entropy fix")
        # magnitudes of the two speeds
        c.names({"s_left s_right": "s_back s_ahead | abs_back abs_ahead | speed_back speed_ahead"})
    else:
        SPEEDS = c.meaning(
            ", with Davis's wave speeds", ", with Einfeldt's wave speeds", ", with speeds of two rarefactions"
        )
    FRONT = ""
    if "Davis" in SPEEDS or "rarefactions" in SPEEDS:
        FRONT = c.meaning("", " and dry fronts")
    # two faces of one cell would tie for the fastest
    TIED = FLUX == "Rusanov" or "Davis" in SPEEDS
    REPORT = c.meaning("", "; the wave speeds are stored" if TIED else "; the fastest wave is found too")
    G, DRY, FIX = c.constant(9.81, 9.81, step=0.01), c.constant(0.03, 0.09), c.constant(0.3, 0.9)

    def celerity(h: float) -> float:
        """The speed of long waves on water of this depth."""
        return wp.sqrt(G * h)

    def thrust(h: float) -> float:
        """The pressure of water at rest, summed from the surface to the bed."""
        return 0.5 * G * h * h

    VELOCITY = "the velocity (u, v) in {u} and {v}"
    if STATE == "depth and momentum":
        VELOCITY = "the velocity (u, v) = ({hu}, {hv}) / h, which is zero if h < {DRY}"
    CUT = ""
    if BED:
        CUT = (
            " For these, reconstruct the depths hydrostatically: with Z the higher {bed} of the two sides, h "
            "becomes max(h + {bed} - Z, 0), while u and v stay."
        )
    WAVES = {
        "": "",
        ", with Davis's wave speeds": "S, the smallest u - c of both sides, and R, the largest u + c",
        ", with Einfeldt's wave speeds": "S, the smaller of u - c on the left and w - d, and R, the larger "
        "of u + c on the right and w + d; w is the mean of u weighted by √h, whose divisor is the sum of "
        "both √h plus 1e-6, and d is √({G}·mean depth)",
        ", with speeds of two rarefactions": "S, the smaller of u - c on the left and w - d, and R, the "
        "larger of u + c on the right and w + d; with both sides 1 and 2, w = ½·(u1 + u2) + c1 - c2 and d = "
        "max(½·(c1 + c2) + ¼·(u1 - u2), 0)",
    }.get(SPEEDS, "")
    DRY_FRONT = ""
    if FRONT:
        DRY_FRONT = (
            " But at a dry front, if h < {DRY} on the left, S is u - 2·c of the right side; if not, but h < "
            "{DRY} on the right, R is u + 2·c of the left side."
        )
    THIRD = ""
    if FLUX == "HLLC":
        THIRD = (
            " The third component is the first one times v of the side that it comes from (left if it is ≥ "
            "0)."
        )
    FORMULA = (
        "The wave speeds are {WAVES}.{DRY_FRONT} The flux is F of the right side if R ≤ 0; otherwise it is "
        "F of the left side if S ≥ 0, and (R·F1 - S·F2 + R·S·(U2 - U1)) / (R - S) if not, with 1 for left "
        "and 2 for right.{THIRD}"
    )
    if FLUX == "Rusanov":
        FORMULA = (
            "The flux is ½·(F1 + F2 - S·(U2 - U1)), with 1 for left and 2 for right, where S is the larger "
            "|u| + c of both sides."
        )
    elif FLUX == "Roe":
        FORMULA = (
            "The mean velocity (u, v) is weighted by √h, the divisor being the sum of both √h plus 1e-6, and "
            "the mean wave speed is c = √({G}·mean depth) + 1e-6. With the differences dh, dq and ds of h, q "
            "and h·v, right less left, the waves have the strengths A = M(u - c)·((u + c)·dh - dq) / (2·c) "
            "and B = M(u + c)·(dq - (u - c)·dh) / (2·c), where {MAGNITUDE}. The flux is the mean F of both "
            "sides less half of (A + B, A·(u - c) + B·(u + c), (A + B)·v + |u|·(ds - v·dh))."
        )
    MAGNITUDE = "M(s) = |s|"
    if SPEEDS:
        MAGNITUDE = "M(s) = |s|, or ½·(s² / {FIX} + {FIX}) if |s| < {FIX}, Harten's entropy fix"
    PUSHED = "{flux_normal} gets the second."
    STILL = "the fluxes are 0, but {flux_normal} is the mean of both T(h)"
    if BED:
        PUSHED = (
            "The second one goes to {flux_left} and {flux_right}, each with T(depth as given) - T(h) of its "
            "side added."
        )
        STILL = "the fluxes are 0, but {flux_left} and {flux_right} are T of the given depth of their side"
    FASTEST = {
        "Rusanov": "S",
        "Roe": "the larger of M(u - c) and M(u + c)",
    }.get(FLUX, "the larger of |S| and |R|")
    REPORTED = ""
    if REPORT and TIED:
        REPORTED = " {speeds} gets the wave speed of each face: {FASTEST}, or 0 in that case."
    elif REPORT:
        REPORTED = " `{fastest_wave}[0]`, zero at the start, is the largest of all other faces: {FASTEST}."

    @c.kernel(rows, cols - 1)
    def kernel(
        depth: wp.array2d[float] = input(rows, cols, low=0.0, high=0.3),
        hu: wp.array2d[float] = input(rows, cols, low=-0.3, high=0.3),
        hv: wp.array2d[float] = input(rows, cols, low=-0.3, high=0.3),
        u: wp.array2d[float] = input(rows, cols, low=-2.5, high=2.5),
        v: wp.array2d[float] = input(rows, cols, low=-2.0, high=2.0),
        bed: wp.array2d[float] = input(rows, cols, low=0.0, high=0.5),
        flux_h: wp.array2d[float] = output(rows, cols - 1),
        flux_normal: wp.array2d[float] = output(rows, cols - 1),
        flux_left: wp.array2d[float] = output(rows, cols - 1),
        flux_right: wp.array2d[float] = output(rows, cols - 1),
        flux_side: wp.array2d[float] = output(rows, cols - 1),
        speeds: wp.array2d[float] = output(rows, cols - 1),
        fastest_wave: wp.array[float] = output(1),
    ):
        i, j = wp.tid()
        h_left = depth[i, j]
        h_right = depth[i, j + 1]
        # between two dry cells nothing flows, and a film of water presses
        if h_left < DRY and h_right < DRY:
            flux_h[i, j] = 0.0
            flux_side[i, j] = 0.0
            if REPORT and TIED:
                speeds[i, j] = 0.0
            if BED:
                flux_left[i, j] = thrust(h_left)
                flux_right[i, j] = thrust(h_right)
            else:
                flux_normal[i, j] = 0.5 * (thrust(h_left) + thrust(h_right))
            return
        if STATE == "depth and momentum":
            u_left = float(0.0)
            v_left = float(0.0)
            if h_left >= DRY:
                u_left = hu[i, j] / h_left
                v_left = hv[i, j] / h_left
            u_right = float(0.0)
            v_right = float(0.0)
            if h_right >= DRY:
                u_right = hu[i, j + 1] / h_right
                v_right = hv[i, j + 1] / h_right
        else:
            u_left = u[i, j]
            v_left = v[i, j]
            u_right = u[i, j + 1]
            v_right = v[i, j + 1]
        if BED:
            # the higher bed of the two cuts off what lies below it
            z_face = wp.max(bed[i, j], bed[i, j + 1])
            full_left = h_left
            full_right = h_right
            h_left = wp.max(h_left + bed[i, j] - z_face, 0.0)
            h_right = wp.max(h_right + bed[i, j + 1] - z_face, 0.0)
        if FLUX != "Roe":
            c_left = celerity(h_left)
            c_right = celerity(h_right)
        q_left = h_left * u_left
        q_right = h_right * u_right
        p_left = q_left * u_left + thrust(h_left)
        p_right = q_right * u_right + thrust(h_right)
        if FLUX == "Rusanov":
            top = wp.max(wp.abs(u_left) + c_left, wp.abs(u_right) + c_right)
            mass = 0.5 * (q_left + q_right - top * (h_right - h_left))
            push = 0.5 * (p_left + p_right - top * (q_right - q_left))
            side = 0.5 * (q_left * v_left + q_right * v_right - top * (h_right * v_right - h_left * v_left))
        elif FLUX == "Roe":
            weight_left = wp.sqrt(h_left)
            weight_right = wp.sqrt(h_right)
            weight = weight_left + weight_right + 1.0e-6
            u_roe = (weight_left * u_left + weight_right * u_right) / weight
            v_roe = (weight_left * v_left + weight_right * v_right) / weight
            c_roe = celerity(0.5 * (h_left + h_right)) + 1.0e-6
            back = u_roe - c_roe
            ahead = u_roe + c_roe
            jump_h = h_right - h_left
            jump_q = q_right - q_left
            shear = h_right * v_right - h_left * v_left - v_roe * jump_h
            s_left = wp.abs(back)
            s_right = wp.abs(ahead)
            if SPEEDS:
                # a transonic rarefaction must not become a shock
                if s_left < FIX:
                    s_left = 0.5 * (s_left * s_left / FIX + FIX)
                if s_right < FIX:
                    s_right = 0.5 * (s_right * s_right / FIX + FIX)
            wave_left = s_left * (ahead * jump_h - jump_q) / (2.0 * c_roe)
            wave_right = s_right * (jump_q - back * jump_h) / (2.0 * c_roe)
            if REPORT:
                top = wp.max(s_left, s_right)
            mass = 0.5 * (q_left + q_right - wave_left - wave_right)
            push = 0.5 * (p_left + p_right - wave_left * back - wave_right * ahead)
            side = q_left * v_left + q_right * v_right - v_roe * (wave_left + wave_right)
            side = 0.5 * (side - wp.abs(u_roe) * shear)
        else:
            if SPEEDS == ", with Davis's wave speeds":
                s_left = wp.min(u_left - c_left, u_right - c_right)
                s_right = wp.max(u_left + c_left, u_right + c_right)
            elif SPEEDS == ", with Einfeldt's wave speeds":
                weight_left = wp.sqrt(h_left)
                weight_right = wp.sqrt(h_right)
                u_roe = (weight_left * u_left + weight_right * u_right) / (
                    weight_left + weight_right + 1.0e-6
                )
                c_roe = celerity(0.5 * (h_left + h_right))
                s_left = wp.min(u_left - c_left, u_roe - c_roe)
                s_right = wp.max(u_right + c_right, u_roe + c_roe)
            else:
                u_star = 0.5 * (u_left + u_right) + c_left - c_right
                c_star = wp.max(0.5 * (c_left + c_right) + 0.25 * (u_left - u_right), 0.0)
                s_left = wp.min(u_left - c_left, u_star - c_star)
                s_right = wp.max(u_right + c_right, u_star + c_star)
            if FRONT:
                # a front runs onto a dry bed at twice the wave speed
                if h_left < DRY:
                    s_left = u_right - 2.0 * c_right
                elif h_right < DRY:
                    s_right = u_left + 2.0 * c_left
            mass = q_left
            push = p_left
            if FLUX == "HLL":
                side = q_left * v_left
            if s_right <= 0.0:
                mass = q_right
                push = p_right
                if FLUX == "HLL":
                    side = q_right * v_right
            elif s_left < 0.0:
                spread = s_right - s_left
                product = s_left * s_right
                mass = (s_right * q_left - s_left * q_right + product * (h_right - h_left)) / spread
                push = (s_right * p_left - s_left * p_right + product * (q_right - q_left)) / spread
                if FLUX == "HLL":
                    jump = h_right * v_right - h_left * v_left
                    side = (s_right * q_left * v_left - s_left * q_right * v_right + product * jump) / spread
            if FLUX == "HLLC":
                # the contact wave carries the transverse velocity downstream
                side = mass * v_left if mass >= 0.0 else mass * v_right
            if REPORT:
                top = wp.max(wp.abs(s_left), wp.abs(s_right))
        flux_h[i, j] = mass
        flux_side[i, j] = side
        if BED:
            # the pressure of the water that the higher bed cut off
            flux_left[i, j] = push + thrust(full_left) - thrust(h_left)
            flux_right[i, j] = push + thrust(full_right) - thrust(h_right)
        else:
            flux_normal[i, j] = push
        if REPORT and TIED:
            speeds[i, j] = top
        elif REPORT:
            wp.atomic_max(fastest_wave, 0, top)


@idiom(
    level=3,
    differentiable=False,
    names=NAMES
    | {
        "h": "h here water",
        "u v": "u v | vel_x vel_y | speed_x speed_y",
        "wet": "wet active wet_flag",
        "missing": "missing created deficit",
        "kernel": "wet_or_dry dry_cells treat_dry_cells",
    },
)
def wetting_drying(c):
    """The velocities of water, zeroed with the momenta where dry, {VELOCITY}{DEFICIT}{LIMIT}{FLAGS}.

    Turn the momenta {hu} and {hv} of shallow water of depth h in {depth} into velocities {u} and {v}, and
    treat dry cells. A cell is dry if {DRIED}; there velocities and momenta become zero.{NEGATIVE}

    Elsewhere a velocity is the momentum times {FACTOR}.{SLOWED}{AGAIN}{FLAGGED}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    VELOCITY = c.meaning(
        "by plain division",
        "by Kurganov and Petrova's desingularization",
        "by a division that fades out near the dry depth",
    )
    DEFICIT = c.meaning(
        "", ", with negative depths set to zero", ", with negative depths set to zero and summed"
    )
    LIMIT, FLAGS = c.meaning("", ", limited in Froude number"), c.meaning("", "; wet cells are flagged")
    G, DRY, FROUDE = c.constant(9.81, 9.81, step=0.01), c.constant(0.02, 0.1), c.constant(0.5, 1.5)

    def celerity(h: float) -> float:
        """The speed of long waves on water of this depth."""
        return wp.sqrt(G * h)

    Depth, SUMMED = inout if DEFICIT else input, DEFICIT.endswith("summed")
    DRIED = "h ≤ 0" if "Kurganov" in VELOCITY else "h < {DRY}"
    FACTOR = {
        "by plain division": "1 / h",
        "by Kurganov and Petrova's desingularization": "√2·h / √(h⁴ + max(h⁴, {DRY}⁴)), the "
        "desingularization of Kurganov and Petrova",
        "by a division that fades out near the dry depth": "smoothstep({DRY}, 2·{DRY}, h) / h",
    }[VELOCITY]
    NEGATIVE = " A negative depth is set to 0." if DEFICIT else ""
    if SUMMED:
        NEGATIVE = (
            " A negative depth is set to 0, and `{missing}[0]`, zero at the start, is the sum of all -h that "
            "this takes."
        )
    SLOWED = ""
    if LIMIT:
        SLOWED = (
            " If the velocity is longer than {FROUDE}·√({G}·h), a limit of the Froude number, scale it down "
            "to that."
        )
    AGAIN = ""
    if LIMIT or VELOCITY != "by plain division":
        AGAIN = " The momenta become h times the velocities."
    FLAGGED = " {wet} is 0 for dry cells and 1 for others." if FLAGS else ""

    @c.kernel(rows, cols)
    def kernel(
        depth: wp.array2d[float] = Depth(rows, cols, low=-0.1, high=0.3),
        hu: wp.array2d[float] = inout(rows, cols, low=-0.25, high=0.25),
        hv: wp.array2d[float] = inout(rows, cols, low=-0.25, high=0.25),
        u: wp.array2d[float] = output(rows, cols),
        v: wp.array2d[float] = output(rows, cols),
        wet: wp.array2d[int] = output(rows, cols),
        missing: wp.array[float] = output(1),
    ):
        i, j = wp.tid()
        h = depth[i, j]
        if "Kurganov" in VELOCITY:
            if h <= 0.0:
                if DEFICIT:
                    depth[i, j] = 0.0
                if SUMMED:
                    wp.atomic_add(missing, 0, -h)
                hu[i, j] = 0.0
                hv[i, j] = 0.0
                u[i, j] = 0.0
                v[i, j] = 0.0
                if FLAGS:
                    wet[i, j] = 0
                return
            h4 = wp.pow(h, 4.0)
            scale = wp.sqrt(2.0) * h / wp.sqrt(h4 + wp.max(h4, wp.pow(DRY, 4.0)))
        else:
            if DEFICIT:
                if h < 0.0:
                    if SUMMED:
                        wp.atomic_add(missing, 0, -h)
                    depth[i, j] = 0.0
            if h < DRY:
                hu[i, j] = 0.0
                hv[i, j] = 0.0
                u[i, j] = 0.0
                v[i, j] = 0.0
                if FLAGS:
                    wet[i, j] = 0
                return
            scale = 1.0 / h
            if "fades" in VELOCITY:
                scale *= wp.smoothstep(DRY, 2.0 * DRY, h)
        vel_x = scale * hu[i, j]
        vel_y = scale * hv[i, j]
        if LIMIT:
            speed = wp.sqrt(vel_x * vel_x + vel_y * vel_y)
            limit = FROUDE * celerity(h)
            if speed > limit:
                vel_x *= limit / speed
                vel_y *= limit / speed
        if FLAGS:
            wet[i, j] = 1
        u[i, j] = vel_x
        v[i, j] = vel_y
        if LIMIT or VELOCITY != "by plain division":
            # depth, momentum and velocity agree again
            hu[i, j] = h * vel_x
            hv[i, j] = h * vel_y
