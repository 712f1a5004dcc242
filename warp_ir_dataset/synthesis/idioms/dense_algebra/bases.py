"""Dense linear algebra on many small matrices, one for each thread: orthonormal bases, inverses."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

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
        "p q r": "p q r | a0 a1 a2 | x y z",
        "u v w": "u v w | q0 q1 q2 | e1 e2 e3",
        "kernel": "orthonormalize gram_schmidt make_frames",
        "rest": "rest remainder residual",
    },
)
def gram_schmidt(c):
    """{LEAD} {VECTORS} by {METHOD}{MORE}.

    {DO} {OF} by {WAY}. {INNER}

    {FORMULAS} {STORE}{EXTRA}
    """
    n = c.size(6, 10)
    WANTED = c.meaning("orthonormal basis", "triangular factor", "orthogonal vectors", "volume")
    VECTORS = c.meaning("the columns of each matrix", "the rows of each matrix", "each row of three vectors")
    METHOD = c.meaning(
        "classical Gram-Schmidt",
        "modified Gram-Schmidt",
        "a cross product",
        "Newton-Schulz steps",
        "Gram-Schmidt in a weighted inner product",
    )
    SYMMETRIC, CROSS = METHOD == "Newton-Schulz steps", METHOD == "a cross product"
    WANTED = "orthonormal basis" if SYMMETRIC else WANTED
    UNIT, ORTHOGONAL = WANTED == "orthonormal basis", WANTED == "orthogonal vectors"
    VOLUME, FACTOR = WANTED == "volume", WANTED == "triangular factor"
    # the factor has the lengths on its diagonal
    LEFT = () if FACTOR else (", and the length that each has left",)
    MORE = c.meaning("", ", and the cosine between the first two", *LEFT)
    LENGTHS = MORE.endswith("left")
    MODIFIED, WEIGHTED = METHOD == "modified Gram-Schmidt", METHOD.endswith("inner product")
    ROWS, APART = "rows" in VECTORS, VECTORS.endswith("vectors") and not SYMMETRIC
    PAIR = CROSS and UNIT and not LENGTHS  # two vectors tell the third
    THIRD, IN_PLACE = 2 if PAIR else 3, APART and ORTHOGONAL
    LEAD = {
        "orthonormal basis": "An orthonormal basis from",
        "triangular factor": "The triangular factor of",
        "orthogonal vectors": "Orthogonalizes in place" if IN_PLACE else "Orthogonal vectors from",
        "volume": "The volume spanned by",
    }[WANTED]
    if IN_PLACE:
        MORE = MORE.replace(", and", ", and stores")
    if PAIR:
        LEAD = "A right-handed orthonormal basis from"
        VECTORS = f"the first two {'rows' if ROWS else 'columns'} of each matrix"
        VECTORS = "each pair of vectors" if APART else VECTORS
    if SYMMETRIC:
        # it treats all alike, so that none comes first
        c.names({"kernel": "orthonormalize closest_basis make_frames"})
        STEPS = c.count(4, 6) if MORE else c.count(7, 9)
        LEAD, METHOD = "The closest orthonormal basis to", f"{STEPS} Newton-Schulz steps"
        VECTORS = "the rows of each matrix" if ROWS else "the columns of each matrix"
        MORE = ", and how far it is from orthogonal" if MORE else ""
    if not UNIT:
        c.names(
            {
                "kernel": "spanned_volume gram_schmidt_volume"
                if VOLUME
                else "triangular_factor qr_factor"
                if FACTOR
                else "orthogonalize gram_schmidt remove_projections",
                "out": "out R factors" if FACTOR else "out result",
            }
        )

    def inner(g: wp.vec3, p: wp.vec3, q: wp.vec3) -> float:
        """The inner product that lengths and angles are measured by."""
        return wp.dot(wp.cw_mul(g, p), q)

    LINES = "rows" if ROWS else "columns"
    DO = {
        "orthonormal basis": "Make orthonormal bases from",
        "triangular factor": "Find the triangular factors of",
        "orthogonal vectors": "Orthogonalize",
        "volume": "Find the volumes spanned by",
    }[WANTED]
    OF = "the {LINES} of the matrices {a}"
    if PAIR:
        OF = "the first two {LINES} of the matrices {a}"
    if APART:
        OF = (
            "the pairs of vectors in the rows of {vectors}"
            if PAIR
            else "the triples of vectors in the rows of {vectors}"
        )
    NAMED = "p and q" if PAIR else "p, q and r"
    ITS_LINES = "the first two {LINES} of `{a}[k]`" if PAIR else "the {LINES} of `{a}[k]`"
    if APART:
        ITS_LINES = "the entries of row k of {vectors}"
    WAY = (
        "means of a cross product"
        if CROSS
        else "Gram-Schmidt in a weighted inner product"
        if WEIGHTED
        else METHOD
    )
    INNER = "Let {NAMED} be {ITS_LINES}."
    if WEIGHTED:
        INNER += (
            " With the weights g = `{weights}[k]`, the inner product of b and c is g_0·b_0·c_0 + g_1·b_1·c_1 "
            "+ g_2·b_2·c_2; lengths, parts and angles are measured by it."
        )
    if ORTHOGONAL:
        FORMULAS = "v is q less its part along p, and w is r less its parts along p and v."
        if CROSS:
            FORMULAS = "v is q less its part along p, and w is the part of r along p × v."
    else:
        FORMULAS = (
            "u is p normalized, v is q less its part along u, normalized, and w is r less its parts along u "
            "and v, normalized."
        )
        if CROSS:
            FORMULAS = "u is p normalized, v is q less its part along u, normalized, and w = u × v."
    RESULT = "p, v and w" if ORTHOGONAL else "u, v and w"
    UQ, UR, VR = ("⟨u, q⟩", "⟨u, r⟩", "⟨v, r⟩") if WEIGHTED else ("u·q", "u·r", "v·r")
    LAST = "w·r" if CROSS else "|r|"
    NORMALIZED = (
        "|p| is the length of p, and |q| the one that q less its part along u has before it is normalized"
        if CROSS
        else "|p| is the length of p, and |q| and |r| are those that q and r less their parts have before"
        " they are normalized"
    )
    STORE = {
        "orthonormal basis": "{RESULT} become the {LINES} of `{out}[k]`.",
        "triangular factor": "The rows of `{out}[k]` are |p|, {UQ}, {UR}, then 0, |q|, {VR} and 0, 0, {LAST}:"
        " {NORMALIZED}.",
        "orthogonal vectors": "{RESULT} become the {LINES} of `{out}[k]`.",
        "volume": "`{volume}[k]` gets the volume, the product of the lengths of p, of q without its part "
        "along p, and of the part of r that is orthogonal to both p and q.",
    }[WANTED]
    if IN_PLACE:
        STORE = "v and w take the places of q and r."
    EXTRA = ""
    if LENGTHS:
        EXTRA = (
            " `{lengths}[k]` gets the lengths of p, of q without its part along p, and of the part of r that "
            "is orthogonal to both p and q."
        )
        if VOLUME:
            EXTRA = " `{lengths}[k]` gets these three lengths."
    elif MORE:
        EXTRA = " `{cosines}[k]` gets the cosine of the angle between p and q."
    if SYMMETRIC:
        INNER = (
            "Q is first the matrix divided by its Frobenius norm; each step replaces Q by 1.5·Q - 0.5·Q·Qᵀ·Q."
        )
        DO = "Find the closest orthonormal bases to"
        FORMULAS, STORE = "The last Q goes to {out}.", ""
        EXTRA = "{loss} gets the Frobenius norm of its Qᵀ·Q less the identity." if MORE else ""

    @c.kernel(n)
    def kernel(
        a: wp.array[wp.mat33] = input(n, low=-1.0, high=1.0),
        vectors: wp.array2d[wp.vec3] = (inout if IN_PLACE else input)(n, THIRD, low=-1.0, high=1.0),
        weights: wp.array[wp.vec3] = input(n, low=0.3, high=2.0),
        out: wp.array[wp.mat33] = output(n),
        volume: wp.array[float] = output(n),
        lengths: wp.array[wp.vec3] = output(n),
        cosines: wp.array[float] = output(n),
        loss: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        if not APART:
            A = wp.transpose(a[tid]) if ROWS else a[tid]
        if SYMMETRIC:
            # scaled so that no singular value is above one
            Q = A / wp.sqrt(wp.ddot(A, A))
            for _k in range(STEPS):
                Q = 1.5 * Q - 0.5 * Q * wp.transpose(Q) * Q
            out[tid] = wp.transpose(Q) if ROWS else Q
            if MORE:
                apart = wp.transpose(Q) * Q - wp.identity(n=3, dtype=float)
                loss[tid] = wp.sqrt(wp.ddot(apart, apart))
        else:
            if APART:
                p = vectors[tid, 0]
                q = vectors[tid, 1]
                if not PAIR:
                    r = vectors[tid, 2]
            else:
                p = wp.vec3(A[0, 0], A[1, 0], A[2, 0])
                q = wp.vec3(A[0, 1], A[1, 1], A[2, 1])
                if not PAIR:
                    r = wp.vec3(A[0, 2], A[1, 2], A[2, 2])
            if WEIGHTED:
                g = weights[tid]
            if ORTHOGONAL:
                pp = inner(g, p, p) if WEIGHTED else wp.dot(p, p)
                pq = inner(g, p, q) if WEIGHTED else wp.dot(p, q)
                v = q - pq / pp * p
                if LENGTHS or not CROSS:
                    vv = inner(g, v, v) if WEIGHTED else wp.dot(v, v)
                if CROSS:
                    w = wp.cross(p, v)
                    w *= wp.dot(w, r) / wp.dot(w, w)
                elif WEIGHTED:
                    w = r - inner(g, p, r) / pp * p - inner(g, v, r) / vv * v
                elif MODIFIED:
                    rest = r - wp.dot(p, r) / pp * p
                    # projecting what is left keeps rounding errors small
                    w = rest - wp.dot(v, rest) / vv * v
                else:
                    w = r - wp.dot(p, r) / pp * p - wp.dot(v, r) / vv * v
                if IN_PLACE:
                    # the first vector stays as it is
                    vectors[tid, 1] = v
                    vectors[tid, 2] = w
                else:
                    out[tid] = wp.matrix_from_rows(p, v, w) if ROWS else wp.matrix_from_cols(p, v, w)
                if LENGTHS:
                    last = wp.sqrt(inner(g, w, w)) if WEIGHTED else wp.length(w)
                    lengths[tid] = wp.vec3(wp.sqrt(pp), wp.sqrt(vv), last)
                elif MORE:
                    cosines[tid] = pq / wp.sqrt(pp * (inner(g, q, q) if WEIGHTED else wp.dot(q, q)))
            else:
                s0 = wp.sqrt(inner(g, p, p)) if WEIGHTED else wp.length(p)
                u = p / s0
                r01 = inner(g, u, q) if WEIGHTED else wp.dot(u, q)
                v = q - r01 * u
                s1 = wp.sqrt(inner(g, v, v)) if WEIGHTED else wp.length(v)
                v /= s1
                if CROSS:
                    w = wp.cross(u, v)
                    if not PAIR:
                        s2 = wp.dot(w, r)
                else:
                    r02 = inner(g, u, r) if WEIGHTED else wp.dot(u, r)
                    if MODIFIED:
                        rest = r - r02 * u
                        # projecting what is left keeps rounding errors small
                        r12 = wp.dot(v, rest)
                        w = rest - r12 * v
                    else:
                        r12 = inner(g, v, r) if WEIGHTED else wp.dot(v, r)
                        w = r - r02 * u - r12 * v
                    s2 = wp.sqrt(inner(g, w, w)) if WEIGHTED else wp.length(w)
                    if UNIT:
                        w /= s2
                if VOLUME:
                    volume[tid] = s0 * s1 * (wp.abs(s2) if CROSS else s2)
                elif FACTOR:
                    if CROSS:
                        out[tid] = wp.mat33(s0, r01, wp.dot(u, r), 0.0, s1, wp.dot(v, r), 0.0, 0.0, s2)
                    else:
                        out[tid] = wp.mat33(s0, r01, r02, 0.0, s1, r12, 0.0, 0.0, s2)
                else:
                    out[tid] = wp.matrix_from_rows(u, v, w) if ROWS else wp.matrix_from_cols(u, v, w)
                if LENGTHS:
                    lengths[tid] = wp.vec3(s0, s1, wp.abs(s2) if CROSS else s2)
                elif MORE:
                    cosines[tid] = r01 / (wp.sqrt(inner(g, q, q)) if WEIGHTED else wp.length(q))


@idiom(
    level=3,
    names=NAMES | {"det": "det d determinant", "B": "B adj adjugate"},
)
def adjugate_inverse(c):
    """{LEAD} by {METHOD}{SINGULAR}{MORE}.

    {DO} by {HOW}. {WHERE}{ADJ}

    {ANSWER}{EXTRA}
    """
    n = c.size(6, 10)
    WANTED = c.meaning("inverse", "solution", "adjugate", "derivative of the determinant")
    # a symmetric matrix has six entries, by which the derivative is another
    SIZES = ("2x2", "3x3") if WANTED.startswith("derivative") else ("2x2", "3x3", "symmetric 3x3")
    SIZE = c.meaning(*SIZES)
    OTHER = "cross products of its columns" if SIZE == "3x3" else "cofactors"
    METHOD = c.meaning(OTHER, "the Cayley-Hamilton theorem")
    ADJUGATE, SOLVES = WANTED in ("adjugate", "derivative of the determinant"), WANTED == "solution"
    SINGULAR = (
        c.meaning("", ", the matrix first scaled towards a determinant of size one")
        if ADJUGATE
        else c.meaning("", ", zero where it is nearly singular", ", damped where it is nearly singular")
    )
    UNITS, SYMMETRIC = ADJUGATE and SINGULAR != "", SIZE == "symmetric 3x3"
    MORE = c.meaning("", ", with the determinant", ", with the condition number", ", with its norm")
    if UNITS:
        MORE = MORE.replace("the determinant", "the determinant before")
    elif SOLVES:
        MORE = MORE.replace("its norm", "the norm of the solution")
    order = 2 if SIZE == "2x2" else 3
    Vec, Mat = c.vec(order), c.mat(order)
    LEAST, DAMPING = c.constant(0.2, 0.6), c.constant(0.05, 0.3)
    ZERO, DAMPED = SINGULAR.startswith(", zero"), SINGULAR.startswith(", damped")
    DETERMINANT, CONDITION = "determinant" in MORE, MORE.endswith("number")
    DET = UNITS or not ADJUGATE or DETERMINANT or CONDITION
    LEAD = f"Solves each {SIZE} system" if SOLVES else f"The {WANTED} of each {SIZE} matrix"
    kernels = {
        "inverse": "invert_matrices small_inverse inverse_kernel",
        "solution": "cramer_solve solve_small",
        "adjugate": "adjugates adjugate_kernel",
        "derivative of the determinant": "cofactor_matrices determinant_gradient",
    }[WANTED]
    told = "det dets" if DETERMINANT else "cond condition" if CONDITION else "norms norm"
    c.names({"kernel": kernels, "measure": told})
    DO = {
        "inverse": "Invert {SIZE} matrices",
        "solution": "Solve {SIZE} systems",
        "adjugate": "Compute the adjugates of {SIZE} matrices",
        "derivative of the determinant": "Compute the derivatives of the determinants of {SIZE} matrices "
        "by their entries (cofactor matrices)",
    }[WANTED]
    HOW = METHOD.replace("its", "their")
    WHERE = "Matrix k is A = `{a}[k]`. "
    if SYMMETRIC:
        WHERE = (
            "Matrix k, A, has the diagonal `{diagonals}[k]`, and `{upper}[k]` holds its entries (0, 1), (0, "
            "2) and (1, 2). "
        )
    ADJ = "Let B be its adjugate and D its determinant." if DET else "Let B be its adjugate."
    RESULT = "B" if WANTED == "adjugate" else "Bᵀ"
    POWER = "(1/2)" if order == 2 else "(2/3)"
    if ADJUGATE:
        ANSWER = "Store {RESULT} in `{out}[k]`."
        if UNITS:
            ANSWER = (
                "The matrix is first scaled towards a determinant of size 1, divided by max(|D|, "
                "{LEAST})^(1/{order}), which turns {RESULT} into {RESULT} / max(|D|, {LEAST})^{POWER}. Store "
                "that in `{out}[k]`."
            )
    elif SOLVES:
        ANSWER = "Store the solution {FACTOR}·B·`{rhs}[k]` in `{x}[k]`."
    else:
        ANSWER = "Store the inverse {FACTOR}·B in `{out}[k]`."
    FACTOR = "(D / (D² + {DAMPING}))" if DAMPED else "(1 / D)"
    ZEROS = ", and so is {measure}" if MORE and not DETERMINANT else ""
    if ZERO:
        ANSWER += " If |D| < {LEAST}, the {WANTED} is zero{ZEROS}."
    NORM_OF = "length of the solution" if SOLVES else "Frobenius norm of the matrix stored"
    EXTRA = ""
    if DETERMINANT:
        EXTRA = " `{measure}[k]` gets D{UNSCALED}."
    elif CONDITION:
        EXTRA = " `{measure}[k]` gets the condition number in the Frobenius norm, ‖A‖·‖B‖ / |D|."
    elif MORE:
        EXTRA = " `{measure}[k]` gets the {NORM_OF}."
    UNSCALED = ", of the matrix before scaling" if UNITS else ""

    @c.kernel(n)
    def kernel(
        a: wp.array[Mat] = input(n, low=-1.5, high=1.5),
        upper: wp.array[wp.vec3] = input(n, low=-1.5, high=1.5),
        diagonals: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0),
        rhs: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        out: wp.array[Mat] = output(n),
        x: wp.array[Vec] = output(n),
        measure: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        if SYMMETRIC:
            d = diagonals[tid]
            o = upper[tid]
            if METHOD != "cofactors" or CONDITION:
                A = wp.mat33(d[0], o[0], o[1], o[0], d[1], o[2], o[1], o[2], d[2])
        else:
            A = a[tid]
        if METHOD == "the Cayley-Hamilton theorem":
            # the matrix solves its own characteristic equation
            if SIZE == "2x2":
                B = wp.trace(A) * wp.identity(n=2, dtype=float) - A
            else:
                A2 = A * A
                t = wp.trace(A)
                B = A2 - t * A + 0.5 * (t * t - wp.trace(A2)) * wp.identity(n=3, dtype=float)
        elif METHOD == "cross products of its columns":
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
            elif METHOD == "the Cayley-Hamilton theorem":
                # three times the determinant is the trace of the matrix and its adjugate
                det = wp.ddot(wp.transpose(A), B) / 3.0
            elif METHOD == "cross products of its columns":
                det = wp.dot(p, wp.cross(q, r))
            else:
                det = d[0] * c00 + o[0] * c01 + o[1] * c02
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
                        measure[tid] = det if DETERMINANT else 0.0
                    return
            if DAMPED:
                factor = det / (det * det + DAMPING)
            else:
                factor = 1.0 / det
            if SOLVES and MORE.endswith("solution"):
                solution = factor * (B * rhs[tid])
                x[tid] = solution
            elif SOLVES:
                x[tid] = factor * (B * rhs[tid])
            else:
                out[tid] = factor * B
        if DETERMINANT:
            measure[tid] = det
        elif MORE and not CONDITION:
            if SOLVES:
                measure[tid] = wp.length(solution)
            elif UNITS:
                measure[tid] = scale * wp.sqrt(wp.ddot(B, B))
            elif ADJUGATE:
                measure[tid] = wp.sqrt(wp.ddot(B, B))
            else:
                measure[tid] = wp.abs(factor) * wp.sqrt(wp.ddot(B, B))
        elif MORE:
            # in the Frobenius norm
            measure[tid] = wp.sqrt(wp.ddot(A, A) * wp.ddot(B, B)) / wp.abs(det)
