"""Dense linear algebra on many small matrices, one for each thread: singular values."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp

NAMES = {
    "tid": "tid i b",
    "a": "a matrices blocks",
    "A": "A M K",
    "k": "k step it",
}


@idiom(
    level=5,
    names={
        "b": "b tid i",
        "a": "a matrices blocks",
        "U V": "U V | left right | L R",
        "s0 s1": "s0 s1 | sigma0 sigma1 | s_max s_min",
        "sigma": "sigma singular_values values",
    },
)
def small_svd(c):
    """{LEAD} {METHOD}{MORE}.

    {DO} A of {a}, {METHOD_OF}. A is U·diag(s₀, s₁)·Vᵀ with {SIGNS}.

    {VECTORS}{STORE}{EXTRA}
    """
    n = c.size(6, 10)
    METHOD = c.meaning(
        "from the angles of two rotations",
        "by a Jacobi rotation of its columns",
        "from the eigenvectors of its normal matrix",
    )
    ANGLES = METHOD.endswith("rotations")
    WANTED = c.meaning(
        "singular values and vectors",
        "closest rotation and stretch",
        "pseudo-inverse",
        "best rank-one approximation",
        "deformation with limited stretch",
    )
    SIGNED = c.meaning(False, True) if WANTED == "singular values and vectors" else False
    if WANTED == "closest rotation and stretch" or WANTED == "deformation with limited stretch":
        SIGNED = True
    MORE = c.meaning("", "; also its condition number (at most 1000)", "; also its nuclear norm")
    MIN_STRETCH, MAX_STRETCH, RCOND = c.constant(0.4, 0.9), c.constant(1.1, 1.6), c.constant(0.1, 0.3)
    RANK_ONE = WANTED == "best rank-one approximation"
    # the sign of the smaller singular value is nothing to the largest
    ROTATIONS = SIGNED or RANK_ONE
    LEAD, kernels = {
        "singular values and vectors": (
            "Decomposes each 2x2 matrix into two rotations and singular values, the smaller one signed,"
            if SIGNED
            else "The singular values and vectors of each 2x2 matrix",
            "svd2 svd_2x2",
        ),
        "closest rotation and stretch": (
            "Splits each 2x2 matrix into the closest rotation and a symmetric stretch",
            "polar_2x2 polar_decomposition",
        ),
        "pseudo-inverse": (
            "The pseudo-inverse of each 2x2 matrix, a relatively small singular value dropped,",
            "pseudo_inverse_2x2 invert_2x2",
        ),
        "best rank-one approximation": (
            "The best rank-one approximation of each 2x2 matrix",
            "rank_one_2x2 best_rank_one",
        ),
        "deformation with limited stretch": (
            "Clamps the stretches of each 2x2 deformation (a negative one to the lower limit) and stores the"
            " unclamped ones, found",
            "limit_stretch clamp_stretches",
        ),
    }[WANTED]
    c.names({"kernel": kernels, "measure": "condition cond" if "condition" in MORE else "nuclear_norm norms"})
    if WANTED == "deformation with limited stretch":
        c.names({"sigma": "stretches sigma"})
    DO = {
        "singular values and vectors": "Find the singular value decomposition of each 2x2 matrix",
        "closest rotation and stretch": "Find the polar decomposition of each 2x2 matrix",
        "pseudo-inverse": "Find the pseudo-inverse of each 2x2 matrix",
        "best rank-one approximation": "Find the best rank-one approximation of each 2x2 matrix",
        "deformation with limited stretch": "Limit the stretches of each 2x2 deformation",
    }[WANTED]
    METHOD_OF = METHOD
    if METHOD == "by a Jacobi rotation of its columns" and WANTED != "singular values and vectors":
        METHOD_OF += " (none if their dot product is at most 1e-6 in absolute value)"
    SIGNS = "s₀ ≥ |s₁|; U and V are rotations, so s₁ has the sign of det A" if ROTATIONS else "s₀ ≥ s₁ ≥ 0"
    VECTORS = ""
    if WANTED == "singular values and vectors":
        if ANGLES:
            VECTORS = (
                "With α = atan2(A₁₀ - A₀₁, A₀₀ + A₁₁) and β = atan2(A₁₀ + A₀₁, A₀₀ - A₁₁), U is the rotation "
                "by (β + α) / 2 and V the rotation by (β - α) / 2, counterclockwise{FLIP}. "
            )
        elif METHOD == "by a Jacobi rotation of its columns":
            VECTORS = (
                "V is the rotation by an angle θ with |θ| ≤ 45°, counterclockwise, that makes the columns of "
                "A·V orthogonal (θ = 0 if the dot product of the columns of A is at most 1e-6 in absolute "
                "value); if "
                "the second column of A·V is then longer than the first, add 90° to θ. The first column of U "
                "is the first of A·V, normalized, and the second is that turned by 90° "
                "counterclockwise{FLIP}. "
            )
        else:
            VECTORS = (
                "V is the rotation by θ = ½·atan2(N₀₁, (N₀₀ - N₁₁) / 2), counterclockwise, with the normal "
                "matrix N = Aᵀ·A. The first column of U is the first of A·V, normalized, and the second is "
                "that turned by 90° counterclockwise{FLIP}. "
            )
    FLIP = "" if ROTATIONS else "; if det A < 0, the second column of U changes its sign"
    STORE = {
        "singular values and vectors": "Store U in {left}, V in {right} and (s₀, s₁) in {sigma}.",
        "closest rotation and stretch": "Store the rotation U·Vᵀ in {out} and the symmetric stretch "
        "V·diag(s₀, s₁)·Vᵀ in {stretch}.",
        "pseudo-inverse": "Store V·diag(1 / s₀, 1 / s₁)·Uᵀ in {out}, with 0 for 1 / s₁ unless s₁ > "
        "{RCOND}·s₀.",
        "best rank-one approximation": "Store s₀·u·vᵀ in {out}, with the first columns u and v of U and V.",
        "deformation with limited stretch": "Store U·diag(s₀, s₁)·Vᵀ with both s₀ and s₁ clamped to "
        "[{MIN_STRETCH}, {MAX_STRETCH}] in {out}, and (s₀, s₁) without clamping in {sigma}.",
    }[WANTED]
    EXTRA = ""
    if "condition" in MORE:
        EXTRA = " {measure} gets the condition number s₀ / max(|s₁|, 0.001·s₀)."
    elif MORE:
        EXTRA = " {measure} gets the nuclear norm s₀ + |s₁|."

    @c.kernel(n)
    def kernel(
        a: wp.array[wp.mat22] = input(n, low=-2.0, high=2.0),
        left: wp.array[wp.mat22] = output(n),
        right: wp.array[wp.mat22] = output(n),
        sigma: wp.array[wp.vec2] = output(n),
        out: wp.array[wp.mat22] = output(n),
        stretch: wp.array[wp.mat22] = output(n),
        measure: wp.array[float] = output(n),
    ):
        b = wp.tid()
        A = a[b]
        a00 = A[0, 0]
        a01 = A[0, 1]
        a10 = A[1, 0]
        a11 = A[1, 1]
        if ANGLES:
            e = 0.5 * (a00 + a11)
            f = 0.5 * (a00 - a11)
            g = 0.5 * (a10 + a01)
            h = 0.5 * (a10 - a01)
            q = wp.sqrt(e * e + h * h)
            r = wp.sqrt(f * f + g * g)
            s0 = q + r
            if not RANK_ONE or MORE:
                s1 = q - r
            # difference and sum of the angles of both factors
            difference = wp.atan2(h, e)
            sum_angle = wp.atan2(g, f)
            beta = 0.5 * (sum_angle + difference)
            gamma = 0.5 * (sum_angle - difference)
            cb = wp.cos(beta)
            sb = wp.sin(beta)
            cg = wp.cos(gamma)
            sg = wp.sin(gamma)
            if RANK_ONE:
                u = wp.vec2(cb, sb)
                v = wp.vec2(cg, sg)
            else:
                U = wp.mat22(cb, -sb, sb, cb)
                V = wp.mat22(cg, -sg, sg, cg)
            if not ROTATIONS:
                # a reflection goes into the left factor
                if s1 < 0.0:
                    s1 = -s1
                    U = wp.mat22(cb, sb, sb, -cb)
        else:
            p00 = a00 * a00 + a10 * a10
            p01 = a00 * a01 + a10 * a11
            p11 = a01 * a01 + a11 * a11
            if METHOD == "by a Jacobi rotation of its columns":
                cs = float(1.0)
                sn = float(0.0)
                if wp.abs(p01) > 1.0e-6:
                    zeta = 0.5 * (p11 - p00) / p01
                    t = 1.0 / (wp.abs(zeta) + wp.sqrt(1.0 + zeta * zeta))
                    if zeta < 0.0:
                        t = -t
                    cs = 1.0 / wp.sqrt(1.0 + t * t)
                    sn = -t * cs
                if p00 + p01 * sn / cs < p11 - p01 * sn / cs:
                    # the longer column comes first
                    old_cs = cs
                    cs = -sn
                    sn = old_cs
            else:
                half = 0.5 * (p00 - p11)
                if not RANK_ONE or MORE:
                    mean = 0.5 * (p00 + p11)
                    spread = wp.sqrt(half * half + p01 * p01)
                angle = 0.5 * wp.atan2(p01, half)
                cs = wp.cos(angle)
                sn = wp.sin(angle)
            if RANK_ONE:
                v = wp.vec2(cs, sn)
                u = A * v
            else:
                V = wp.mat22(cs, -sn, sn, cs)
                W = A * V
            if not RANK_ONE or MORE:
                if METHOD == "from the eigenvectors of its normal matrix":
                    s0 = wp.sqrt(mean + spread)
                elif RANK_ONE:
                    s0 = wp.length(u)
                else:
                    s0 = wp.sqrt(W[0, 0] * W[0, 0] + W[1, 0] * W[1, 0])
                s1 = wp.determinant(A) / s0
            if not RANK_ONE:
                u0 = W[0, 0] / s0
                u1 = W[1, 0] / s0
                U = wp.mat22(u0, -u1, u1, u0)
            if not ROTATIONS:
                # a reflection goes into the left factor
                if s1 < 0.0:
                    s1 = -s1
                    U = wp.mat22(u0, u1, u1, -u0)
        if WANTED == "singular values and vectors":
            left[b] = U
            right[b] = V
            sigma[b] = wp.vec2(s0, s1)
        elif WANTED == "closest rotation and stretch":
            out[b] = U * wp.transpose(V)
            stretch[b] = V * wp.diag(wp.vec2(s0, s1)) * wp.transpose(V)
        elif WANTED == "pseudo-inverse":
            inverse0 = 1.0 / s0
            inverse1 = float(0.0)
            # what is small beside the largest counts as zero
            if s1 > RCOND * s0:
                inverse1 = 1.0 / s1
            out[b] = V * wp.diag(wp.vec2(inverse0, inverse1)) * wp.transpose(U)
        elif WANTED == "best rank-one approximation":
            out[b] = s0 * wp.outer(u, v) if ANGLES else wp.outer(u, v)
        else:
            kept0 = wp.clamp(s0, MIN_STRETCH, MAX_STRETCH)
            kept1 = wp.clamp(s1, MIN_STRETCH, MAX_STRETCH)
            out[b] = U * wp.diag(wp.vec2(kept0, kept1)) * wp.transpose(V)
            sigma[b] = wp.vec2(s0, s1)
        if "condition" in MORE:
            measure[b] = s0 / wp.max(wp.abs(s1) if ROTATIONS else s1, 1.0e-3 * s0)
        elif MORE:
            measure[b] = s0 + (wp.abs(s1) if ROTATIONS else s1)
