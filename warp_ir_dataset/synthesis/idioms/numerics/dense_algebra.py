"""Dense linear algebra on many small matrices, one for each thread: eigenvalues and singular values."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(
    level=5,
    names={
        "b": "b tid matrix",
        "a": "a matrices tensors",
        "vectors": "vectors eigenvectors axes",
        "values": "values eigenvalues spectrum",
        "A V": "A V | S Q | m axes_m",
        "app aqq apq": "app aqq apq | a_pp a_qq a_pq",
        "cs sn": "cs sn | cosine sine | co si",
        "tangent": "tangent tan_phi t",
        "residue": "residue off_norm residual",
        "kernel": "jacobi_eigen symmetric_eigen eigen_jacobi",
    },
)
def jacobi_eigenvalues(c):
    """Finds the {WANTED} of each symmetric 3x3 matrix by {PIVOTS} Jacobi rotations{STOP}{SORTED}{MORE}."""
    n = c.size(5, 8)
    PIVOTS = c.meaning("cyclic", "classical", "thresholded cyclic")
    WANTED = c.meaning("eigenvalues and eigenvectors", "eigenvalues", "principal eigenvalue and axis")
    PRODUCTS = c.meaning(False, True)
    STOP = c.meaning("", " until it is nearly diagonal")
    MORE = c.meaning(
        ", with the Frobenius norm left off the diagonal",
        ", with the fractional anisotropy",
        ", with the von Mises value",
        "",
    )
    if WANTED != "eigenvalues" and not PRODUCTS:
        MORE = ""
    SORTED = (
        c.meaning("", ", in descending order", ", in descending order of magnitude")
        if WANTED == "eigenvalues"
        else ""
    )
    VECTORS, CLASSICAL, SORTS = WANTED != "eigenvalues", PIVOTS == "classical", SORTED != ""
    MAGNITUDE, PRINCIPAL = SORTED.endswith("magnitude"), WANTED.startswith("principal")
    TOLERANCE, THRESHOLD = c.spelling(1.0e-3, 1.0e-4), c.constant(0.02, 0.1)

    @c.kernel(n)
    def kernel(
        a: wp.array[wp.mat33] = given(n, low=-1.0, high=1.0, trait="symmetric"),
        rotations: int = given(low=2, high=5),
        values: wp.array[wp.vec3] = result(n),
        vectors: wp.array[wp.mat33] = result(n),
        largest: wp.array[float] = result(n),
        axes: wp.array[wp.vec3] = result(n),
        measure: wp.array[float] = result(n),
        rounds: wp.array[int] = result(n),
    ):
        b = wp.tid()
        A = a[b]
        if VECTORS:
            V = wp.identity(n=3, dtype=float)
        if STOP:
            done = int(0)
        for k in range(rotations):
            if STOP:
                off = A[0, 1] * A[0, 1] + A[0, 2] * A[0, 2] + A[1, 2] * A[1, 2]
                if off < TOLERANCE:
                    break
                done += 1
            if CLASSICAL:
                # the largest element off the diagonal
                p = int(0)
                q = int(1)
                if not PRODUCTS:
                    r = int(2)
                if wp.abs(A[0, 2]) > wp.abs(A[p, q]):
                    q = 2
                    if not PRODUCTS:
                        r = 1
                if wp.abs(A[1, 2]) > wp.abs(A[p, q]):
                    p = 1
                    q = 2
                    if not PRODUCTS:
                        r = 0
            else:
                p = k % 3
                q = (k + 1) % 3
                if not PRODUCTS:
                    r = (k + 2) % 3
            apq = A[p, q]
            if PIVOTS == "thresholded cyclic":
                if wp.abs(apq) < THRESHOLD:
                    continue
            elif wp.abs(apq) < 1.0e-6:
                continue
            app = A[p, p]
            aqq = A[q, q]
            theta = 0.5 * (aqq - app) / apq
            # the smaller root: at most 45 degrees
            tangent = 1.0 / (wp.abs(theta) + wp.sqrt(theta * theta + 1.0))
            if theta < 0.0:
                tangent = -tangent
            cs = 1.0 / wp.sqrt(tangent * tangent + 1.0)
            sn = tangent * cs
            if PRODUCTS:
                J = wp.identity(n=3, dtype=float)
                J[p, p] = cs
                J[q, q] = cs
                J[p, q] = sn
                J[q, p] = -sn
                A = wp.transpose(J) * A * J
                if VECTORS:
                    V = V * J
            else:
                A[p, p] = app - tangent * apq
                A[q, q] = aqq + tangent * apq
                A[p, q] = 0.0
                A[q, p] = 0.0
                arp = A[r, p]
                arq = A[r, q]
                A[r, p] = cs * arp - sn * arq
                A[p, r] = A[r, p]
                A[r, q] = sn * arp + cs * arq
                A[q, r] = A[r, q]
                if VECTORS:
                    for i in range(3):
                        vip = V[i, p]
                        viq = V[i, q]
                        V[i, p] = cs * vip - sn * viq
                        V[i, q] = sn * vip + cs * viq
        w = wp.get_diag(A)
        if SORTS:
            for k in range(3):
                # neighbours 0 1, 1 2 and again 0 1
                i = k % 2
                if wp.abs(w[i]) < wp.abs(w[i + 1]) if MAGNITUDE else w[i] < w[i + 1]:
                    smaller = w[i]
                    w[i] = w[i + 1]
                    w[i + 1] = smaller
        if PRINCIPAL:
            top = int(0)
            if w[1] > w[top]:
                top = 1
            if w[2] > w[top]:
                top = 2
            largest[b] = w[top]
            axes[b] = wp.vec3(V[0, top], V[1, top], V[2, top])
        else:
            values[b] = w
            if VECTORS:
                vectors[b] = V
        if STOP:
            rounds[b] = done
        if MORE.endswith("diagonal"):
            measure[b] = wp.sqrt(2.0 * (A[0, 1] * A[0, 1] + A[0, 2] * A[0, 2] + A[1, 2] * A[1, 2]))
        elif MORE.endswith("anisotropy"):
            mean = (w[0] + w[1] + w[2]) / 3.0
            deviation = w - wp.vec3(mean, mean, mean)
            measure[b] = wp.sqrt(1.5) * wp.length(deviation) / wp.length(w)
        elif MORE:
            d01 = w[0] - w[1]
            d12 = w[1] - w[2]
            d20 = w[2] - w[0]
            measure[b] = wp.sqrt(0.5 * (d01 * d01 + d12 * d12 + d20 * d20))


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
    LEAST, MOST, CUT = c.constant(0.4, 0.9), c.constant(1.1, 1.6), c.constant(0.1, 0.4)
    ROTATIONS = SIGNED != ""

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
            s1 = q - r
            sum_angle = wp.atan2(h, e)
            difference = wp.atan2(g, f)
            beta = 0.5 * (sum_angle + difference)
            gamma = 0.5 * (difference - sum_angle)
            cb = wp.cos(beta)
            sb = wp.sin(beta)
            cg = wp.cos(gamma)
            sg = wp.sin(gamma)
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
                mean = 0.5 * (p00 + p11)
                half = 0.5 * (p00 - p11)
                spread = wp.sqrt(half * half + p01 * p01)
                angle = 0.5 * wp.atan2(p01, half)
                cs = wp.cos(angle)
                sn = wp.sin(angle)
            V = wp.mat22(cs, -sn, sn, cs)
            W = A * V
            if METHOD == "the eigenvectors of its normal matrix":
                s0 = wp.sqrt(mean + spread)
            else:
                s0 = wp.sqrt(W[0, 0] * W[0, 0] + W[1, 0] * W[1, 0])
            u0 = W[0, 0] / s0
            u1 = W[1, 0] / s0
            U = wp.mat22(u0, -u1, u1, u0)
            s1 = wp.determinant(A) / s0
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
            u = wp.vec2(U[0, 0], U[1, 0])
            v = wp.vec2(V[0, 0], V[1, 0])
            out[b] = s0 * wp.outer(u, v)
        else:
            kept0 = wp.clamp(s0, LEAST, MOST)
            kept1 = wp.clamp(s1, LEAST, MOST)
            out[b] = U * wp.diag(wp.vec2(kept0, kept1)) * wp.transpose(V)
            sigma[b] = wp.vec2(s0, s1)
        if MORE.endswith("number"):
            measure[b] = s0 / wp.max(wp.abs(s1) if ROTATIONS else s1, 1.0e-3 * s0)
        elif MORE:
            measure[b] = s0 + (wp.abs(s1) if ROTATIONS else s1)
