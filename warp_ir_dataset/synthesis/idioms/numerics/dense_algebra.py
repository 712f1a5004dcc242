"""Dense linear algebra on many small matrices, one for each thread: singular values, bases, inverses."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp

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
            # of the angles of both factors
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


@idiom(
    level=3,
    names=NAMES
    | {
        "p q r": "p q r | a0 a1 a2 | x y z",
        "u v w": "u v w | q0 q1 q2 | e1 e2 e3",
        "kernel": "orthonormalize gram_schmidt make_frames",
        "rest": "rest left residual",
    },
)
def gram_schmidt(c):
    """{WANTED} of the {VECTORS} of each matrix by {METHOD}{MORE}."""
    n = c.size(6, 10)
    WANTED = c.meaning("An orthonormal basis", "The triangular factor", "Orthogonal vectors", "The volume")
    VECTORS = c.meaning("columns", "rows", "last two columns and first")
    METHOD = c.meaning(
        "classical Gram-Schmidt", "modified Gram-Schmidt", "a cross product", "symmetric orthogonalization",
        "weighted Gram-Schmidt",
    )  # fmt: skip
    VOLUME, FACTOR = WANTED == "The volume", WANTED == "The triangular factor"
    if METHOD == "symmetric orthogonalization":
        WANTED = "An orthonormal basis"
        VOLUME, FACTOR = False, False
        # it treats all alike, so that none comes first
        VECTORS = "rows" if VECTORS == "rows" else "columns"
    MORE = c.meaning("", ", with the cosine of the first two", ", with the lengths that were left")
    CROSS, SYMMETRIC = METHOD == "a cross product", METHOD == "symmetric orthogonalization"
    MODIFIED, WEIGHTED = METHOD == "modified Gram-Schmidt", METHOD == "weighted Gram-Schmidt"
    ROWS, TURNED = VECTORS == "rows", VECTORS.startswith("last")
    UNIT = WANTED == "An orthonormal basis"
    MORE = ", with the loss of orthogonality" if SYMMETRIC and MORE else MORE
    LENGTHS = MORE.endswith("left")
    if VOLUME:
        c.names({"kernel": "spanned_volume gram_schmidt_volume"})
    elif FACTOR:
        c.names({"kernel": "triangular_factor qr_factor", "out": "out R factors"})

    def inner(g: wp.vec3, p: wp.vec3, q: wp.vec3) -> float:
        """what the lengths and angles are measured by."""
        return wp.dot(wp.cw_mul(g, p), q)

    @c.kernel(n)
    def kernel(
        a: wp.array[wp.mat33] = given(n, low=-1.0, high=1.0),
        weights: wp.array[wp.vec3] = given(n, low=0.3, high=2.0),
        out: wp.array[wp.mat33] = result(n),
        volume: wp.array[float] = result(n),
        lengths: wp.array[wp.vec3] = result(n),
        cosines: wp.array[float] = result(n),
        loss: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        A = wp.transpose(a[tid]) if ROWS else a[tid]
        if SYMMETRIC:
            # Newton’s iteration for the closest orthogonal matrix
            Q = A / wp.sqrt(wp.ddot(A, A))
            for _k in range(8):
                Q = 1.5 * Q - 0.5 * Q * wp.transpose(Q) * Q
            out[tid] = wp.transpose(Q) if ROWS else Q
            if MORE:
                apart = wp.transpose(Q) * Q - wp.identity(n=3, dtype=float)
                loss[tid] = wp.sqrt(wp.ddot(apart, apart))
        else:
            if TURNED:
                p = wp.vec3(A[0, 1], A[1, 1], A[2, 1])
                q = wp.vec3(A[0, 2], A[1, 2], A[2, 2])
                r = wp.vec3(A[0, 0], A[1, 0], A[2, 0])
            else:
                p = wp.vec3(A[0, 0], A[1, 0], A[2, 0])
                q = wp.vec3(A[0, 1], A[1, 1], A[2, 1])
                r = wp.vec3(A[0, 2], A[1, 2], A[2, 2])
            if WEIGHTED:
                g = weights[tid]
            s0 = wp.sqrt(inner(g, p, p) if WEIGHTED else wp.dot(p, p))
            u = p / s0
            r01 = inner(g, u, q) if WEIGHTED else wp.dot(u, q)
            v = q - r01 * u
            s1 = wp.sqrt(inner(g, v, v) if WEIGHTED else wp.dot(v, v))
            v /= s1
            if CROSS:
                w = wp.cross(u, v)
                s2 = wp.dot(w, r)
            else:
                r02 = inner(g, u, r) if WEIGHTED else wp.dot(u, r)
                if MODIFIED:
                    rest = r - r02 * u
                    # by what is left of the third vector, for the sake of rounding
                    r12 = inner(g, v, rest) if WEIGHTED else wp.dot(v, rest)
                    w = rest - r12 * v
                else:
                    r12 = inner(g, v, r) if WEIGHTED else wp.dot(v, r)
                    w = r - r02 * u - r12 * v
                s2 = wp.sqrt(inner(g, w, w) if WEIGHTED else wp.dot(w, w))
                if not (VOLUME or FACTOR):
                    w /= s2
            if VOLUME:
                volume[tid] = s0 * s1 * (wp.abs(s2) if CROSS else s2)
            elif FACTOR:
                if CROSS:
                    out[tid] = wp.mat33(s0, r01, wp.dot(u, r), 0.0, s1, wp.dot(v, r), 0.0, 0.0, s2)
                else:
                    out[tid] = wp.mat33(s0, r01, r02, 0.0, s1, r12, 0.0, 0.0, s2)
            elif UNIT:
                out[tid] = wp.matrix_from_rows(u, v, w) if ROWS else wp.matrix_from_cols(u, v, w)
            else:
                out[tid] = (
                    wp.matrix_from_rows(p, s1 * v, s2 * w) if ROWS else wp.matrix_from_cols(p, s1 * v, s2 * w)
                )
            if LENGTHS:
                lengths[tid] = wp.vec3(s0, s1, wp.abs(s2) if CROSS else s2)
            elif MORE:
                cosines[tid] = r01 / wp.sqrt(inner(g, q, q) if WEIGHTED else wp.dot(q, q))


@idiom(
    level=3,
    names=NAMES
    | {
        "inverse": "inverse inv B",
        "det": "det d volume",
        "kernel": "invert_matrices small_inverse inverse_kernel",
        "X": "X Y guess",
    },
)
def adjugate_inverse(c):
    """The {WANTED} of each {SIZE} matrix by {METHOD}{SINGULAR}{MORE}."""
    n = c.size(6, 10)
    WANTED = c.meaning("inverse", "solution of a system", "adjugate", "derivative of the determinant")
    SIZE = c.meaning("2x2", "3x3", "symmetric 3x3")
    OTHER = "cross products" if SIZE == "3x3" else "cofactors"
    METHOD = c.meaning(OTHER, "its characteristic equation")
    ADJUGATE = WANTED in ("adjugate", "derivative of the determinant")
    SINGULAR = (
        c.meaning("", ", scaled to a determinant of size one")
        if ADJUGATE
        else c.meaning("", ", zero where it is singular", ", damped where it is nearly singular")
    )
    MORE = c.meaning("", ", with the determinant", ", with the condition number", ", with its norm")
    order = 2 if SIZE == "2x2" else 3
    Vec, Mat = c.vec(order), c.mat(order)
    LEAST, DAMPING = c.constant(0.2, 0.6), c.constant(0.05, 0.3)
    SOLVES, SYMMETRIC = WANTED.startswith("solution"), SIZE == "symmetric 3x3"
    ZERO, DAMPED = SINGULAR.endswith("is singular"), SINGULAR.endswith("nearly singular")
    UNITS = SINGULAR.endswith("size one")
    DET = UNITS or not ADJUGATE or MORE in (", with the determinant", ", with the condition number")
    c.names(
        {
            "kernel": "solve_small cramer_solve solve_by_cofactors"
            if SOLVES
            else "adjugates adjugate_kernel"
            if WANTED == "adjugate"
            else "cofactor_matrices determinant_gradient"
            if ADJUGATE
            else "invert_matrices small_inverse inverse_kernel"
        }
    )

    @c.kernel(n)
    def kernel(
        a: wp.array[Mat] = given(n, low=-1.5, high=1.5),
        upper: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5),
        diagonals: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        rhs: wp.array[Vec] = given(n, low=-1.0, high=1.0),
        out: wp.array[Mat] = result(n),
        x: wp.array[Vec] = result(n),
        measure: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        if SYMMETRIC:
            d = diagonals[tid]
            o = upper[tid]
            A = wp.mat33(d[0], o[0], o[1], o[0], d[1], o[2], o[1], o[2], d[2])
        else:
            A = a[tid]
        if METHOD == "its characteristic equation":
            # the matrix solves its own characteristic equation
            if SIZE == "2x2":
                B = wp.trace(A) * wp.identity(n=2, dtype=float) - A
            else:
                A2 = A * A
                t = wp.trace(A)
                B = A2 - t * A + 0.5 * (t * t - wp.trace(A2)) * wp.identity(n=3, dtype=float)
        elif METHOD == "cross products":
            p = wp.vec3(A[0, 0], A[1, 0], A[2, 0])
            q = wp.vec3(A[0, 1], A[1, 1], A[2, 1])
            r = wp.vec3(A[0, 2], A[1, 2], A[2, 2])
            B = wp.matrix_from_rows(wp.cross(q, r), wp.cross(r, p), wp.cross(p, q))
        elif SYMMETRIC:
            c00 = d[1] * d[2] - o[2] * o[2]
            c01 = o[1] * o[2] - o[0] * d[2]
            c02 = o[0] * o[2] - o[1] * d[1]
            c12 = o[0] * o[1] - d[0] * o[2]
            B = wp.mat33(
                c00, c01, c02, c01, d[0] * d[2] - o[1] * o[1], c12, c02, c12, d[0] * d[1] - o[0] * o[0]
            )
        else:
            B = wp.mat22(A[1, 1], -A[0, 1], -A[1, 0], A[0, 0])
        if DET:
            if SIZE == "2x2":
                det = A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]
            elif METHOD == "its characteristic equation":
                det = wp.ddot(wp.transpose(A), B) / 3.0
            elif METHOD == "cross products":
                det = wp.dot(p, wp.cross(q, r))
            else:
                det = A[0, 0] * B[0, 0] + A[0, 1] * B[1, 0] + A[0, 2] * B[2, 0]
        if ADJUGATE:
            if UNITS:
                # no matrix that is nearly singular is scaled all the way
                size = wp.max(wp.abs(det), LEAST)
                scale = 1.0 / (wp.sqrt(size) if order == 2 else wp.pow(size, 2.0 / 3.0))
                out[tid] = scale * (B if WANTED == "adjugate" else wp.transpose(B))
            else:
                out[tid] = B if WANTED == "adjugate" else wp.transpose(B)
        else:
            if ZERO:
                if wp.abs(det) < LEAST:
                    if SOLVES:
                        x[tid] = Vec()
                    else:
                        out[tid] = Mat()
                    if MORE:
                        measure[tid] = det if MORE == ", with the determinant" else 0.0
                    return
            if DAMPED:
                factor = det / (det * det + DAMPING)
            else:
                factor = 1.0 / det
            if SOLVES:
                found = factor * (B * rhs[tid])
                x[tid] = found
            else:
                out[tid] = factor * B
        if MORE == ", with the determinant":
            measure[tid] = det
        elif MORE == ", with its norm":
            if SOLVES:
                measure[tid] = wp.length(found)
            elif UNITS:
                measure[tid] = scale * wp.sqrt(wp.ddot(B, B))
            elif ADJUGATE:
                measure[tid] = wp.sqrt(wp.ddot(B, B))
            else:
                measure[tid] = wp.abs(factor) * wp.sqrt(wp.ddot(B, B))
        elif MORE:
            # that of Frobenius
            measure[tid] = wp.sqrt(wp.ddot(A, A) * wp.ddot(B, B)) / wp.abs(det)
