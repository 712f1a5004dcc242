"""Dense linear algebra on many small matrices, one for each thread: singular values."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(
    level=5,
    names={
        "b": "b tid i",
        "a": "a matrices blocks",
        "U V": "U V | left right | L R",
        "s0 s1": "s0 s1 | sigma0 sigma1 | s_max s_min",
        "sigma": "sigma singular_values stretches",
        "kernel": "svd2 svd_2x2 singular_values_2x2",
    },
)
def small_svd(c):
    """The {WANTED} of each 2x2 matrix, from its singular value decomposition by {METHOD}{SIGNED}{MORE}."""
    n = c.size(6, 10)
    METHOD = c.meaning(
        "two angles", "a Jacobi rotation of its columns", "the eigenvectors of its normal matrix"
    )
    WANTED = c.meaning(
        "singular values and vectors",
        "closest rotation and stretch",
        "pseudo-inverse",
        "best rank-one approximation",
        "deformation with limited stretch",
    )
    SIGNED = c.meaning("", ", both factors rotations") if WANTED == "singular values and vectors" else ""
    if WANTED == "closest rotation and stretch" or WANTED == "deformation with limited stretch":
        SIGNED = ", both factors rotations"
    MORE = c.meaning("", ", with its condition number", ", with its nuclear norm")
    MIN_STRETCH, MAX_STRETCH, CUT = c.constant(0.4, 0.9), c.constant(1.1, 1.6), c.constant(0.1, 0.4)
    RANK_ONE = WANTED == "best rank-one approximation"
    # the sign of the smaller singular value is nothing to the largest
    ROTATIONS = SIGNED != "" or RANK_ONE
    c.names(
        {
            "kernel": {
                "singular values and vectors": "svd2 svd_2x2",
                "closest rotation and stretch": "polar_2x2 polar_decomposition",
                "pseudo-inverse": "pseudo_inverse_2x2 invert_2x2",
                "best rank-one approximation": "rank_one_2x2 best_rank_one",
                "deformation with limited stretch": "limit_stretch clamp_stretches",
            }[WANTED]
        }
    )

    @c.kernel(n)
    def kernel(
        a: wp.array[wp.mat22] = given(n, low=-2.0, high=2.0),
        left: wp.array[wp.mat22] = result(n),
        right: wp.array[wp.mat22] = result(n),
        sigma: wp.array[wp.vec2] = result(n),
        out: wp.array[wp.mat22] = result(n),
        stretch: wp.array[wp.mat22] = result(n),
        measure: wp.array[float] = result(n),
    ):
        b = wp.tid()
        A = a[b]
        a00 = A[0, 0]
        a01 = A[0, 1]
        a10 = A[1, 0]
        a11 = A[1, 1]
        if METHOD == "two angles":
            e = 0.5 * (a00 + a11)
            f = 0.5 * (a00 - a11)
            g = 0.5 * (a10 + a01)
            h = 0.5 * (a10 - a01)
            q = wp.sqrt(e * e + h * h)
            r = wp.sqrt(f * f + g * g)
            s0 = q + r
            if not RANK_ONE or MORE:
                s1 = q - r
            sum_angle = wp.atan2(h, e)
            difference = wp.atan2(g, f)
            beta = 0.5 * (sum_angle + difference)
            gamma = 0.5 * (difference - sum_angle)
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
            if METHOD == "a Jacobi rotation of its columns":
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
                    shorter = cs
                    cs = -sn
                    sn = shorter
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
                if METHOD == "the eigenvectors of its normal matrix":
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
            if s1 > CUT * s0:
                inverse1 = 1.0 / s1
            out[b] = V * wp.diag(wp.vec2(inverse0, inverse1)) * wp.transpose(U)
        elif WANTED == "best rank-one approximation":
            out[b] = s0 * wp.outer(u, v) if METHOD == "two angles" else wp.outer(u, v)
        else:
            kept0 = wp.clamp(s0, MIN_STRETCH, MAX_STRETCH)
            kept1 = wp.clamp(s1, MIN_STRETCH, MAX_STRETCH)
            out[b] = U * wp.diag(wp.vec2(kept0, kept1)) * wp.transpose(V)
            sigma[b] = wp.vec2(s0, s1)
        if MORE.endswith("number"):
            measure[b] = s0 / wp.max(wp.abs(s1) if ROTATIONS else s1, 1.0e-3 * s0)
        elif MORE:
            measure[b] = s0 + (wp.abs(s1) if ROTATIONS else s1)
