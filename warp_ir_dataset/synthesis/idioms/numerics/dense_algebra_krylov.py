"""Dense linear algebra by iteration: systems of equations, eigenvalues, exponentials."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "tid": "tid i b",
    "a": "a matrices blocks",
    "A": "A M K",
    "k": "k step it",
}


@idiom(
    level=5,
    names={
        "b": "b tid system",
        "a": "a matrices operators",
        "rhs": "rhs sources loads",
        "x": "x guesses solutions",
        "A": "A M K",
        "r": "r res residual",
        "p": "p direction search",
        "alpha beta": "alpha beta | step_length mix",
        "k": "k step iteration",
        "kernel": "krylov_steps small_krylov iterate_krylov",
    },
)
def dense_krylov_solve(c):
    """Solves each {SIZE}system by {METHOD}{START}{MORE}."""
    n = c.size(5, 8)
    METHOD = c.meaning(
        "conjugate gradients",
        "conjugate gradients with a Jacobi preconditioner",
        "the conjugate residual method",
        "BiCGSTAB",
    )
    START = c.meaning("", ", from a guess in place")
    SIZE = c.meaning("3x3 ", "4x4 ")
    MORE = c.meaning(
        ", with the norm of the residual after each step",
        ", with the relative residual",
        ", with the energy norm of the solution",
    )
    order = 3 if SIZE == "3x3 " else 4
    Vec, Mat = c.vec(order), c.mat(order)
    JACOBI, RESIDUAL, STABLE = (
        METHOD.endswith("preconditioner"),
        METHOD.endswith("residual method"),
        METHOD == "BiCGSTAB",
    )
    # As many steps as unknowns leave nothing but rounding.
    HISTORY, steps = MORE.endswith("step"), order - 1

    @c.kernel(n)
    def kernel(
        a: wp.array[Mat] = given(n, low=-1.0, high=1.5, trait="positive definite"),
        rhs: wp.array[Vec] = given(n, low=-1.0, high=1.0),
        max_steps: int = given(low=1, high=steps),
        x: wp.array[Vec] = updated(n, low=-1.0, high=1.0),
        out: wp.array[Vec] = result(n),
        history: wp.array2d[float] = result(n, steps),
        measure: wp.array[float] = result(n),
    ):
        b = wp.tid()
        A = a[b]
        f = rhs[b]
        if START:
            u = x[b]
            r = f - A * u
        else:
            u = Vec()
            r = Vec(f)
        if JACOBI:
            diagonal = wp.get_diag(A)
            z = wp.cw_div(r, diagonal)
            p = wp.cw_div(r, diagonal)
            rho = wp.dot(r, z)
        else:
            p = Vec(r)
        if RESIDUAL:
            Ar = A * r
            Ap = A * r
            rho = wp.dot(r, Ar)
        elif STABLE:
            shadow = Vec(r)
            rho = wp.dot(r, r)
        elif not JACOBI:
            rho = wp.dot(r, r)
        for k in range(history.shape[1] if HISTORY else max_steps):
            # nothing is left to be done
            if wp.abs(rho) < 1.0e-8:
                break
            if STABLE:
                v = A * p
                alpha = rho / wp.dot(shadow, v)
                half = r - alpha * v
                t = A * half
                omega = wp.dot(t, half) / wp.max(wp.dot(t, t), 1.0e-8)
                u += alpha * p + omega * half
                r = half - omega * t
                rho_next = wp.dot(shadow, r)
                beta = rho_next / rho * alpha / omega
                p = r + beta * (p - omega * v)
            elif RESIDUAL:
                alpha = rho / wp.dot(Ap, Ap)
                u += alpha * p
                r -= alpha * Ap
                Ar = A * r
                rho_next = wp.dot(r, Ar)
                beta = rho_next / rho
                p = r + beta * p
                # in place of another product with the matrix
                Ap = Ar + beta * Ap
            else:
                Ap = A * p
                alpha = rho / wp.dot(p, Ap)
                u += alpha * p
                r -= alpha * Ap
                if JACOBI:
                    z = wp.cw_div(r, diagonal)
                    rho_next = wp.dot(r, z)
                    beta = rho_next / rho
                    p = z + beta * p
                else:
                    rho_next = wp.dot(r, r)
                    beta = rho_next / rho
                    p = r + beta * p
            rho = rho_next
            if HISTORY:
                history[b, k] = wp.length(r)
        if START:
            x[b] = u
        else:
            out[b] = u
        if MORE.endswith("relative residual"):
            measure[b] = wp.length(r) / wp.max(wp.length(f), 1.0e-6)
        elif MORE.endswith("solution"):
            measure[b] = wp.sqrt(wp.dot(u, A * u))


@idiom(
    level=3,
    names=NAMES
    | {
        "v": "v x q",
        "value": "value eigenvalue ritz",
        "starts": "starts guesses x0",
        "kernel": "power_iteration iterate_power",
        "apart": "apart change moved",
    },
)
def power_iteration(c):
    """The {TOLD} of each {SIZE} matrix by {METHOD}, {NORM}{START}."""
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
    INVERSE, QUOTIENT = METHOD == "inverse iteration", METHOD == "Rayleigh quotient iteration"
    if QUOTIENT and WANTED.startswith("residual"):
        # at rest it leaves nothing but rounding
        START, STEPS = c.meaning("", " from given vectors"), 2
    else:
        START = c.meaning("", " from given vectors", " until it is at rest")
        STEPS = c.count(3, 5)
    if START == " until it is at rest":
        # quotients get there in a few steps, powers slowly
        STEPS = c.count(6, 9) if QUOTIENT else c.count(30, 50)
    order = int(SIZE[0])
    Vec, Mat = c.vec(order), c.mat(order)
    SHIFT, TINY = c.constant(0.5, 2.0), 1.0e-3
    DEFLATED, SHIFTED = METHOD.endswith("known"), METHOD.endswith("shifted matrix")
    REST, LARGEST = START == " until it is at rest", NORM.endswith("entry")
    WHICH = "smallest" if INVERSE else "refined" if QUOTIENT else "next" if DEFLATED else "dominant"
    TOLD = f"residual of the {WHICH} eigenpair" if WANTED.startswith("residual") else f"{WHICH} {WANTED}"
    CLOSE = c.constant(0.001, 0.004, step=0.001)
    if INVERSE or QUOTIENT:
        c.names({"kernel": "inverse_iteration iterate_inverse"})
    elif WANTED in ("eigenvalue", "eigenvector") and not DEFLATED:
        c.names({"kernel": f"dominant_{WANTED} power_iteration iterate_power"})

    def scaled(u: Vec) -> Vec:
        """The same direction at a fixed size."""
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
                # a little below, as there is no inverse at an eigenvalue
                shift = wp.dot(v, A * v) / wp.dot(v, v) - TINY
                u = scaled(wp.inverse(A - shift * wp.identity(n=order, dtype=float)) * v)
            else:
                u = scaled(A * v)
            if REST:
                if QUOTIENT or DEFLATED:
                    # a step may turn the sign
                    apart = wp.min(wp.length(u - v), wp.length(u + v))
                else:
                    apart = wp.length(u - v)
            v = u
            if REST:
                if apart < CLOSE:
                    break
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
            if SQUARED or PADE or HORNER or MORE == ", with its distance from the identity":
                one = wp.identity(n=order, dtype=float)
            if SQUARED:
                A /= wp.pow(2.0, float(HALVINGS))
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
