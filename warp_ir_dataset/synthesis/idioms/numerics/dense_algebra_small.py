"""Small matrices whole: eigenvalues by iteration, exponentials, bases, inverses."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp

NAMES = {
    "tid": "tid i b",
    "a": "a matrices blocks",
    "A": "A M K",
    "k": "k step it",
}


@idiom(
    level=3,
    names=NAMES
    | {
        "v": "v x q",
        "value": "value eigenvalue ritz",
        "starts": "starts guesses x0",
        "kernel": "power_iteration dominant_eigenvalue iterate_power",
    },
)
def power_iteration(c):
    """The {WANTED} of each {SIZE} matrix by {METHOD}, {NORM}{START}."""
    n = c.size(6, 10)
    METHOD = c.meaning(
        "the power method",
        "inverse iteration",
        "Rayleigh quotient iteration",
        "powers of the matrix less what is known",
        "powers of a shifted matrix",
    )
    WANTED = c.meaning("eigenvalue", "eigenvector", "eigenpair", "residual of an eigenpair")
    SIZE = c.meaning("3x3", "2x2", "4x4")
    NORM = c.meaning("normed each step", "normed by the largest entry")
    START = c.meaning("", " from given vectors", " until it is at rest")
    order = int(SIZE[0])
    Vec, Mat = c.vec(order), c.mat(order)
    SHIFT, TINY, STEPS = c.constant(0.5, 2.0), 1.0e-4, c.count(3, 5)
    INVERSE, QUOTIENT = METHOD == "inverse iteration", METHOD == "Rayleigh quotient iteration"
    DEFLATED, SHIFTED = METHOD.endswith("known"), METHOD.endswith("shifted matrix")
    REST, LARGEST = START == " until it is at rest", NORM.endswith("entry")
    if WANTED == "eigenvector":
        c.names({"kernel": "dominant_eigenvector power_iteration iterate_power"})
    if INVERSE or QUOTIENT:
        c.names({"kernel": "inverse_iteration iterate_inverse"})

    def scaled(u: Vec) -> Vec:
        """the same direction at a fixed size."""
        if LARGEST:
            return u / wp.max(wp.abs(u))
        else:
            return wp.normalize(u)

    @c.kernel(n)
    def kernel(
        a: wp.array[Mat] = given(n, low=-1.0, high=1.5, trait="positive definite"),
        starts: wp.array[Vec] = given(n, low=0.2, high=1.0),
        known: wp.array[Vec] = given(n, low=-1.0, high=1.0, trait="unit"),
        known_values: wp.array[float] = given(n, low=0.5, high=2.0),
        values: wp.array[float] = result(n),
        vectors: wp.array[Vec] = result(n),
        residuals: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        if INVERSE:
            A = wp.inverse(a[tid] + SHIFT * wp.identity(n=order, dtype=float))
        elif DEFLATED:
            # what belongs to the known eigenvector is taken away
            A = a[tid] - known_values[tid] * wp.outer(known[tid], known[tid])
        elif SHIFTED:
            A = a[tid] + SHIFT * wp.identity(n=order, dtype=float)
        else:
            A = a[tid]
        v = starts[tid] if START == " from given vectors" else Vec(1.0)
        for _k in range(STEPS):
            if QUOTIENT:
                shift = wp.dot(v, A * v) / wp.dot(v, v) + TINY + SHIFT
                u = scaled(wp.inverse(A - shift * wp.identity(n=order, dtype=float)) * v)
            else:
                u = scaled(A * v)
            if REST:
                if wp.length(u - v) < 0.05:
                    break
            v = u
        if WANTED != "eigenvector":
            M = a[tid]
            value = wp.dot(v, M * v) / wp.dot(v, v)
        if WANTED == "residual of an eigenpair":
            residuals[tid] = wp.length(M * v - value * v)
        elif WANTED == "eigenvalue":
            values[tid] = value
        elif WANTED == "eigenvector":
            vectors[tid] = v
        else:
            values[tid] = value
            vectors[tid] = v


@idiom(
    level=3,
    names=NAMES
    | {
        "term": "term power p",
        "total": "total series e",
        "kernel": "matrix_exponential expm small_expm",
        "u": "u states x",
        "dt": "dt time h",
    },
)
def matrix_exponential(c):
    """The {WANTED} of each {KIND} by {METHOD}{MORE}."""
    n = c.size(6, 10)
    WANTED = c.meaning("exponential", "exponential times a vector", "integral of the exponential over time")
    KIND = c.meaning("3x3 matrix", "2x2 matrix", "skew matrix", "upper triangle of order 3")
    ACTS, INTEGRAL = WANTED.endswith("vector"), WANTED.startswith("integral")
    METHOD = (
        c.meaning("a Taylor series", "Horner’s scheme")
        if INTEGRAL
        else c.meaning("a Taylor series", "a product of small steps", "a Padé approximant")
        if ACTS
        else c.meaning("a series, scaled and squared", "a Padé approximant", "Horner’s scheme")
    )
    MORE = (
        c.meaning("", ", with its determinant", ", with its distance from the identity")
        if not ACTS
        else (c.meaning("", ", with its norm", ", after a source"))
    )
    order = 2 if KIND == "2x2 matrix" else 3
    Vec, Mat = c.vec(order), c.mat(order)
    TERMS, HALVINGS = c.count(4, 6), c.count(2, 3)
    SKEW, TRIANGLE = KIND == "skew matrix", KIND.startswith("upper")
    SQUARED, PADE, HORNER = METHOD.endswith("squared"), "Padé" in METHOD, METHOD.startswith("Horner")
    c.names(
        {
            "kernel": "expm_action propagate_states exponential_step"
            if ACTS
            else "integrate_exponential phi_function"
            if INTEGRAL
            else "matrix_exponential expm small_expm"
        }
    )

    @c.kernel(n)
    def kernel(
        a: wp.array[Mat] = given(n, low=-0.9, high=0.9),
        spins: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        u: wp.array[Vec] = given(n, low=-1.0, high=1.0),
        sources: wp.array[Vec] = given(n, low=-1.0, high=1.0),
        dt: float = given(low=0.3, high=0.9),
        out: wp.array[Mat] = result(n),
        moved: wp.array[Vec] = result(n),
        measure: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        if SKEW:
            A = dt * wp.skew(spins[tid])
        else:
            A = dt * a[tid]
        if TRIANGLE:
            # nothing stands below the diagonal
            A[1, 0] = 0.0
            A[2, 0] = 0.0
            A[2, 1] = 0.0
        if ACTS:
            x = u[tid] + dt * sources[tid] if MORE == ", after a source" else u[tid]
            if METHOD == "a Taylor series":
                term = Vec(x)
                total = Vec(x)
                for k in range(1, TERMS):
                    term = A * term / float(k)
                    total += term
            elif PADE:
                one = wp.identity(n=order, dtype=float)
                A2 = A * A / 12.0
                total = wp.inverse(one - 0.5 * A + A2) * ((one + 0.5 * A + A2) * x)
            else:
                total = Vec(x)
                for _k in range(TERMS):
                    # a step to second order
                    slope = A * total / float(TERMS)
                    total += slope + A * slope / float(2 * TERMS)
            moved[tid] = total
            if MORE == ", with its norm":
                measure[tid] = wp.length(total)
        else:
            one = wp.identity(n=order, dtype=float)
            if SQUARED:
                A /= wp.pow(2.0, float(HALVINGS))
                term = one + A
                total = one + A * (one + 0.5 * A * (one + A / 3.0))
                for _k in range(HALVINGS):
                    total = total * total
            elif PADE:
                A2 = A * A / 12.0
                total = wp.inverse(one - 0.5 * A + A2) * (one + 0.5 * A + A2)
            elif HORNER:
                total = wp.identity(n=order, dtype=float)
                for k in range(TERMS, 0, -1):
                    total = one + A * total / float(k + 1 if INTEGRAL else k)
            else:
                term = wp.identity(n=order, dtype=float)
                total = wp.identity(n=order, dtype=float)
                for k in range(1, TERMS):
                    term = A * term / float(k + 1)
                    total += term
            if INTEGRAL:
                total *= dt
            out[tid] = total
            if MORE == ", with its determinant":
                measure[tid] = wp.determinant(total)
            elif MORE:
                apart = total - one
                measure[tid] = wp.sqrt(wp.ddot(apart, apart))


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
    MORE = c.meaning("", ", with the loss of orthogonality", ", with the lengths that were left")
    CROSS, SYMMETRIC = METHOD == "a cross product", METHOD == "symmetric orthogonalization"
    MODIFIED, WEIGHTED = METHOD == "modified Gram-Schmidt", METHOD == "weighted Gram-Schmidt"
    ROWS, TURNED = VECTORS == "rows", VECTORS.startswith("last")
    UNIT = WANTED == "An orthonormal basis"
    MORE = ", with the loss of orthogonality" if SYMMETRIC and MORE.endswith("left") else MORE
    LENGTHS = MORE.endswith("left")
    if VOLUME:
        c.names({"kernel": "spanned_volume gram_schmidt_volume"})
    elif FACTOR:
        c.names({"kernel": "triangular_factor qr_factor", "out": "out R factors"})

    def inner(g: wp.vec3, p: wp.vec3, q: wp.vec3) -> float:
        """what the lengths and angles are measured by."""
        if WEIGHTED:
            return wp.dot(wp.cw_mul(g, p), q)
        else:
            return wp.dot(p, q)

    @c.kernel(n)
    def kernel(
        a: wp.array[wp.mat33] = given(n, low=-1.0, high=1.0),
        weights: wp.array[wp.vec3] = given(n, low=0.3, high=2.0),
        out: wp.array[wp.mat33] = result(n),
        volume: wp.array[float] = result(n),
        lengths: wp.array[wp.vec3] = result(n),
        loss: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        A = wp.transpose(a[tid]) if ROWS else a[tid]
        if SYMMETRIC:
            # Newton’s iteration for the closest orthogonal matrix
            Q = A / wp.sqrt(wp.ddot(A, A))
            for _k in range(4):
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
            else:
                g = wp.vec3(1.0)
            s0 = wp.sqrt(inner(g, p, p))
            u = p / s0
            r01 = inner(g, u, q)
            v = q - r01 * u
            s1 = wp.sqrt(inner(g, v, v))
            v /= s1
            if CROSS:
                w = wp.cross(u, v)
                s2 = wp.dot(w, r)
            else:
                r02 = inner(g, u, r)
                if MODIFIED:
                    rest = r - r02 * u
                    # by what is left of the third vector, for the sake of rounding
                    r12 = inner(g, v, rest)
                    w = rest - r12 * v
                else:
                    r12 = inner(g, v, r)
                    w = r - r02 * u - r12 * v
                s2 = wp.sqrt(inner(g, w, w))
                if not (VOLUME or FACTOR):
                    w /= s2
            if VOLUME:
                volume[tid] = s0 * s1 * s2
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
                lengths[tid] = wp.vec3(s0, s1, s2)
            elif MORE:
                loss[tid] = wp.abs(inner(g, u, q)) / s1 if VOLUME else inner(g, u, r) / s2


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
    METHODS = (
        ("cofactors", "cross products") if SIZE == "3x3" else ("cofactors", "its characteristic equation")
    )
    METHOD = c.meaning(*METHODS)
    ADJUGATE = WANTED in ("adjugate", "derivative of the determinant")
    SINGULAR = (
        c.meaning("", ", of unit determinant")
        if ADJUGATE
        else c.meaning("", ", zero where it is singular", ", damped where it is nearly singular")
    )
    MORE = c.meaning("", ", with the determinant", ", with the condition number", ", with its norm")
    order = 2 if SIZE == "2x2" else 3
    Vec, Mat = c.vec(order), c.mat(order)
    LEAST, DAMPING = c.constant(0.2, 0.6), c.constant(0.05, 0.3)
    SOLVES, SYMMETRIC = WANTED.startswith("solution"), SIZE == "symmetric 3x3"
    ZERO, DAMPED = SINGULAR.endswith("is singular"), SINGULAR.endswith("nearly singular")
    UNITS = SINGULAR == ", of unit determinant"
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
        elif SIZE == "2x2":
            B = wp.mat22(A[1, 1], -A[0, 1], -A[1, 0], A[0, 0])
        else:
            B = wp.mat33()
            for i in range(3):
                for j in range(3):
                    i1 = (i + 1) % 3
                    i2 = (i + 2) % 3
                    j1 = (j + 1) % 3
                    j2 = (j + 2) % 3
                    B[j, i] = A[i1, j1] * A[i2, j2] - A[i1, j2] * A[i2, j1]
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
                B /= wp.max(wp.abs(det), 0.05)
            out[tid] = B if WANTED == "adjugate" else wp.transpose(B)
        else:
            if ZERO:
                if wp.abs(det) < LEAST:
                    if SOLVES:
                        x[tid] = Vec()
                    else:
                        out[tid] = Mat()
                    if MORE:
                        measure[tid] = 0.0
                    return
            if DAMPED:
                factor = det / (det * det + DAMPING)
            else:
                factor = 1.0 / det
            if SOLVES:
                x[tid] = factor * (B * rhs[tid])
            else:
                out[tid] = factor * B
        if MORE == ", with the determinant":
            measure[tid] = det
        elif MORE == ", with its norm":
            measure[tid] = wp.sqrt(wp.ddot(B, B))
        elif MORE:
            # that of Frobenius
            measure[tid] = wp.sqrt(wp.ddot(A, A) * wp.ddot(B, B)) / wp.abs(det)
