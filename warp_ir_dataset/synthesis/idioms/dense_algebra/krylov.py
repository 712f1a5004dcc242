"""Dense linear algebra by iteration: systems of equations, eigenvalues, exponentials."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "tid": "tid i b",
    "a": "a matrices blocks",
    "A": "A M K",
    "k": "k step it",
}


@idiom(
    level=5,
    differentiable=False,
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
    """Takes {STEPS} of {METHOD} for each positive definite {SIZE}system{START}{MORE}.

    Take {STEPS_OF} of {NAMED} for each system k, A·u = b, where A = `{a}[k]` is symmetric positive definite
    and b = `{rhs}[k]`. {BEGIN}

    {DETAILS}Take no further step once |ρ| < 1e-8, with ρ = {RHO}. {STORE}{EXTRA}
    """
    n = c.size(5, 8)
    METHOD = c.meaning(
        "conjugate gradients",
        "Jacobi-preconditioned conjugate gradients",
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
    JACOBI, RESIDUAL, STABLE = METHOD.startswith("Jacobi"), METHOD.endswith("method"), METHOD == "BiCGSTAB"
    # As many steps as unknowns leave nothing but rounding.
    HISTORY, steps = MORE.endswith("step"), order - 1
    STEPS = f"{'two' if steps == 2 else 'three'} steps" if HISTORY else "the given number of steps"
    c.names(
        {"measure": "relative relative_residuals" if MORE.endswith("residual") else "energy_norms energy"}
    )
    STEPS_OF = "{COUNT} steps" if HISTORY else "{max_steps} steps"
    COUNT = "two" if steps == 2 else "three"
    NAMED = METHOD
    if JACOBI:
        NAMED = "conjugate gradients, preconditioned by the diagonal of A (Jacobi),"
    elif STABLE:
        NAMED = "the stabilized biconjugate gradient method (BiCGSTAB)"
    BEGIN = "Start from u = 0." if not START else "Start from the guess u = `{x}[k]`."
    DETAILS = ""
    if STABLE:
        DETAILS = (
            "The shadow residual is the first residual. A step goes α = ρ / (shadow·A·p) along the direction "
            "p, at first the residual; then ω along the residual h that this leaves, where ω = (A·h)·h / "
            "max(|A·h|², 1e-8). "
        )
    RHO = {
        "conjugate gradients": "r·r for the residual r",
        "Jacobi-preconditioned conjugate gradients": "r·z for the residual r and z = r / diagonal",
        "the conjugate residual method": "r·A·r for the residual r",
        "BiCGSTAB": "shadow·r for the residual r",
    }[METHOD]
    STORE = "u takes the place of the guess." if START else "Store u in {out}."
    EXTRA = {
        ", with the norm of the residual after each step": " `{history}[k, j]` gets the norm of the "
        "residual after step j, counted from 0, and 0 for steps that are not taken.",
        ", with the relative residual": " `{measure}[k]` gets |r| / max(|b|, 1e-6) at the end.",
        ", with the energy norm of the solution": " `{measure}[k]` gets the energy norm √(u·A·u).",
    }[MORE]

    @c.kernel(n)
    def kernel(
        a: wp.array[Mat] = input(n, low=-1.0, high=1.5, trait="positive definite"),
        rhs: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        max_steps: int = input(low=1, high=steps),
        x: wp.array[Vec] = inout(n, low=-1.0, high=1.0),
        out: wp.array[Vec] = output(n),
        history: wp.array2d[float] = output(n, steps),
        measure: wp.array[float] = output(n),
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
            p = Vec(z)
            rho = wp.dot(r, z)
        else:
            p = Vec(r)
        if RESIDUAL:
            Ar = A * r
            Ap = Vec(Ar)
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
        "change": "change moved turned",
    },
)
def power_iteration(c):
    """{TOLD} of each {SIZE} matrix by {TIMES} of {METHOD}{NORM}{START}.

    Find {WHAT} of each {SIZE} symmetric positive definite matrix A of {a} by {METHOD}. {BEGIN}

    {STEP}{STOP} {STORE}
    """
    n = c.size(6, 10)
    METHOD = c.meaning(
        "the power method",
        "inverse iteration",
        "Rayleigh quotient iteration",
        "the power method after deflation",
        "the power method on its trace minus the matrix",
    )
    WANTED = c.meaning("eigenvalue", "eigenvector", "eigenpair", "residual of an eigenpair")
    SIZE = c.meaning("3x3", "2x2", "4x4")
    NORM = c.meaning("", ", scaled by the largest entry")
    INVERSE, QUOTIENT = METHOD == "inverse iteration", METHOD == "Rayleigh quotient iteration"
    if QUOTIENT and WANTED.startswith("residual"):
        # at rest it leaves nothing but rounding
        START, STEPS = c.meaning("", ", from given vectors"), 2
    else:
        START = c.meaning("", ", from given vectors", ", until it is at rest")
        STEPS = c.count(3, 5)
    REST, GIVEN, LARGEST = START.endswith("rest"), START.endswith("vectors"), NORM != ""
    if REST:
        # quotients get there in a few steps, powers slowly
        STEPS = c.count(6, 9) if QUOTIENT else c.count(30, 50)
    TIMES = f"at most {STEPS} steps" if REST else f"{STEPS} steps"
    order = int(SIZE[0])
    Vec, Mat = c.vec(order), c.mat(order)
    TINY, CLOSE = 1.0e-3, c.constant(0.001, 0.004, step=0.001)
    DEFLATED, LESS = METHOD.endswith("deflation"), METHOD.endswith("minus the matrix")
    DERIVED = INVERSE or DEFLATED or LESS
    WHICH = "smallest " if INVERSE or LESS else "second " if DEFLATED else "dominant "
    WHICH = "an " if QUOTIENT else f"the {WHICH}"
    TOLD = f"The residual of {WHICH}eigenpair" if WANTED.startswith("residual") else f"{WHICH}{WANTED}"
    TOLD = TOLD[:1].upper() + TOLD[1:]
    if INVERSE or QUOTIENT:
        c.names({"kernel": "inverse_iteration iterate_inverse"})
    elif DEFLATED:
        c.names({"kernel": "deflated_power power_with_deflation"})
    elif LESS:
        c.names({"kernel": "smallest_eigen shifted_power"})
    elif WANTED in ("eigenvalue", "eigenvector"):
        c.names({"kernel": f"dominant_{WANTED} power_iteration iterate_power"})
    WHAT = {
        "residual of an eigenpair": "the residual of {WHICH}eigenpair",
    }.get(WANTED, "{WHICH}{WANTED}")
    SCALE = "divided by the absolute value of its largest entry" if LARGEST else "normalized"
    FIRST = "its vector of {starts}" if GIVEN else "the vector of ones"
    BEGIN = "Start with v = {FIRST}{UNIT}."
    UNIT = ", normalized" if QUOTIENT and not LARGEST else ""
    MATRIX = "A"
    if INVERSE:
        MATRIX = "A⁻¹"
    elif LESS:
        MATRIX = "(trace(A)·I - A)"
    elif DEFLATED:
        MATRIX = "(A - λ·u·uᵀ)"
        BEGIN = (
            "First deflate it: let u be {FIRST} after {STEPS} times being multiplied by A and normalized, "
            "and λ = u·A·u. Then start again with v = {FIRST}."
        )
    elif QUOTIENT:
        MATRIX = "(A - σ·I)⁻¹"
    UNTIL = "At most {STEPS} times" if REST else "{STEPS} times"
    STEP = "{UNTIL}, replace v by {MATRIX}·v, {SCALE}{SHIFT}."
    SHIFT = ", where σ is the Rayleigh quotient (v·A·v) / (v·v) less {TINY}" if QUOTIENT else ""
    STOP = ""
    if REST:
        STOP = " Stop after a step whose v differs from that before{OPPOSITE} by less than {CLOSE} in length."
    OPPOSITE = ", or from its negative," if QUOTIENT else ""
    RAYLEIGH = "the Rayleigh quotient μ = (v·A·v) / (v·v)"
    STORE = {
        "eigenvalue": "Store {RAYLEIGH} in {values}.",
        "eigenvector": "Store v in {vectors}.",
        "eigenpair": "Store {RAYLEIGH} in {values} and v in {vectors}.",
        "residual of an eigenpair": "With {RAYLEIGH}, store |A·v - μ·v| in {residuals}.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        a: wp.array[Mat] = input(n, low=-1.0, high=1.5, trait="positive definite"),
        starts: wp.array[Vec] = input(n, low=0.2, high=1.0),
        values: wp.array[float] = output(n),
        vectors: wp.array[Vec] = output(n),
        residuals: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        if not DEFLATED:
            A = a[tid]
        if INVERSE:
            B = wp.inverse(A)
        elif LESS:
            # no eigenvalue is above the trace, so that the smallest one becomes the largest
            B = wp.trace(A) * wp.identity(n=order, dtype=float) - A
        elif DEFLATED:
            B = a[tid]
            first = starts[tid] if GIVEN else Vec(1.0)
            for _k in range(STEPS):
                first = wp.normalize(B * first)
            # what belongs to the dominant eigenvector is taken away
            B -= wp.dot(first, B * first) * wp.outer(first, first)
        v = starts[tid] if GIVEN else Vec(1.0)
        if QUOTIENT and not LARGEST:
            v = wp.normalize(v)
        for _k in range(STEPS):
            if QUOTIENT:
                # a little below the quotient, as there is no inverse at an eigenvalue
                shift = wp.dot(v, A * v) / wp.dot(v, v) - TINY if LARGEST else wp.dot(v, A * v) - TINY
                inverse = wp.inverse(A - shift * wp.identity(n=order, dtype=float))
            if REST:
                w = (inverse if QUOTIENT else B if DERIVED else A) * v
                w = w / wp.max(wp.abs(w)) if LARGEST else wp.normalize(w)
                if QUOTIENT:
                    # a step may turn the sign
                    change = wp.min(wp.length(w - v), wp.length(w + v))
                else:
                    change = wp.length(w - v)
                v = w
                if change < CLOSE:
                    break
            elif LARGEST:
                v = (inverse if QUOTIENT else B if DERIVED else A) * v
                v /= wp.max(wp.abs(v))
            else:
                v = wp.normalize((inverse if QUOTIENT else B if DERIVED else A) * v)
        if WANTED != "eigenvector":
            if DEFLATED:
                A = a[tid]
            value = wp.dot(v, A * v) / wp.dot(v, v) if LARGEST else wp.dot(v, A * v)
        if WANTED == "residual of an eigenpair":
            residuals[tid] = wp.length(A * v - value * v)
        else:
            if WANTED != "eigenvector":
                values[tid] = value
            if WANTED != "eigenvalue":
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
    """{LEAD} {KIND}{TIME} by {METHOD}{MORE}.

    {DO} by {WAY}. The exponent is E = {dt}·A with {MATRIX}.{START}

    {FORMULA}{STORE}{EXTRA}
    """
    n = c.size(6, 10)
    WANTED = c.meaning("exponential", "exponential times a vector", "integral of the exponential over time")
    KIND = c.meaning("3x3 matrix", "2x2 matrix", "skew matrix", "upper triangular 3x3 matrix")
    ACTS, INTEGRAL = WANTED.endswith("vector"), WANTED.startswith("integral")
    TERMS, HALVINGS = c.count(4, 6), c.count(2, 3)
    HOW = (
        c.meaning("series", "Horner")
        if INTEGRAL
        else c.meaning("series", "steps", "Pade")
        if ACTS
        else c.meaning("squared", "Pade", "Horner")
    )
    SQUARED, PADE, HORNER = HOW == "squared", HOW == "Pade", HOW == "Horner"
    METHOD = {
        "series": f"the first {TERMS} terms of its series",
        "steps": f"{TERMS} steps of second order",
        "Pade": "the Padé approximant of order two",
        "squared": f"{HALVINGS} squarings of a cubic",
        "Horner": f"Horner's scheme up to power {TERMS}",
    }[HOW]
    SKEW, TRIANGLE = KIND == "skew matrix", KIND.startswith("upper")
    if ACTS:
        # a rotation keeps lengths
        NORM = ", and stores how far it moved" if SKEW else ", and stores the norm of the result"
        MORE = c.meaning("", NORM, ", a source added first")
    else:
        # that of a rotation is one
        DETERMINANT = () if SKEW and not INTEGRAL else (", with its determinant",)
        MORE = c.meaning("", ", with its distance from the identity", *DETERMINANT)
    order = 2 if KIND == "2x2 matrix" else 3
    Vec, Mat = c.vec(order), c.mat(order)
    LEAD, kernels = {
        "exponential": ("The exponential of each", "matrix_exponential expm small_expm"),
        "exponential times a vector": (
            "Multiplies each vector by the exponential of its",
            "expm_action propagate_states exponential_step",
        ),
        "integral of the exponential over time": (
            "The integral over a time step of the exponential of each",
            "integrate_exponential phi_function",
        ),
    }[WANTED]
    TIME = "" if INTEGRAL else " times the time step"
    c.names({"kernel": kernels, "total": "total series e" if HOW == "series" else "e result expA"})
    if ACTS:
        c.names({"total": "total x_new series" if HOW == "series" else "y state x_new"})
    if MORE.endswith("determinant"):
        c.names({"measure": "dets det"})
    else:
        c.names({"measure": "norms norm" if MORE.endswith("result") else "distances distance"})
    DO = {
        "exponential": "Compute matrix exponentials",
        "exponential times a vector": "Multiply vectors by matrix exponentials",
        "integral of the exponential over time": "Integrate matrix exponentials exp(t·A) over the time t "
        "from 0 to {dt},",
    }[WANTED]
    WAY = METHOD if HOW != "squared" else "scaling and squaring"
    MATRIX = "the matrix A = `{a}[k]`"
    if SKEW:
        MATRIX = "the skew matrix A of `{spins}[k]`, which turns a vector into `{spins}[k]` × vector"
    elif TRIANGLE:
        MATRIX = "the matrix A = `{a}[k]`, whose entries below the diagonal count as zero"
    START = ""
    if ACTS:
        START = " The vector is q = `{u}[k]`."
        if MORE.endswith("first"):
            START = " The vector is q = `{u}[k]` + {dt}·`{sources}[k]`."
    LAST = TERMS if HORNER else TERMS - 1
    FORMULA = {
        "series": "The series is q + E·q + E²·q / 2! + … up to the power {LAST}.",
        "steps": "Each of the {TERMS} steps, with H = E / {TERMS}, turns a vector s, at first q, into s + "
        "H·s + ½·H²·s.",
        "Pade": "The result is (I - E/2 + E²/12)⁻¹·(I + E/2 + E²/12){ON}.",
        "squared": "The result is the series I + H + H²/2 + H³/6 of H = E / 2^{HALVINGS}, squared {HALVINGS} "
        "times.",
        "Horner": "The result is the series I + E + E²/2! + … up to the power {LAST}.",
    }[HOW]
    ON = "·q" if ACTS else ""
    if INTEGRAL:
        FORMULA = "The result is {dt} times the series I + E/2! + E²/3! + … up to the power {LAST} of E."
    STORE = " Store the result in `{moved}[k]`." if ACTS else " Store the matrix in `{out}[k]`."
    EXTRA = ""
    if MORE.endswith("result"):
        EXTRA = " `{measure}[k]` gets the length of the result."
    elif MORE.endswith("moved"):
        EXTRA = " `{measure}[k]` gets the length of its difference from q."
    elif MORE.endswith("determinant"):
        EXTRA = " `{measure}[k]` gets its determinant."
    elif MORE and not ACTS:
        EXTRA = " `{measure}[k]` gets the Frobenius norm of its difference from the identity."

    @c.kernel(n)
    def kernel(
        a: wp.array[Mat] = input(n, low=-0.9, high=0.9),
        spins: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        u: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        sources: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        dt: float = input(low=0.3, high=0.9),
        out: wp.array[Mat] = output(n),
        moved: wp.array[Vec] = output(n),
        measure: wp.array[float] = output(n),
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
            x = u[tid] + dt * sources[tid] if MORE.endswith("first") else u[tid]
            if HOW == "series":
                term = Vec(x)
                total = Vec(x)
                for k in range(1, TERMS):
                    term = A * term / float(k)
                    total += term
            elif PADE:
                even = wp.identity(n=order, dtype=float) + A * A / 12.0
                odd = 0.5 * A
                total = wp.inverse(even - odd) * ((even + odd) * x)
            else:
                total = Vec(x)
                for _k in range(TERMS):
                    change = A * total / float(TERMS)
                    total += change + A * change / float(2 * TERMS)
            moved[tid] = total
            if MORE.endswith("result"):
                measure[tid] = wp.length(total)
            elif MORE.endswith("moved"):
                measure[tid] = wp.length(total - x)
        else:
            if SQUARED or HORNER or MORE == ", with its distance from the identity":
                one = wp.identity(n=order, dtype=float)
            if SQUARED:
                # the series of a small part of the exponent, up to the third power
                A /= float(2**HALVINGS)
                total = one + A * (one + 0.5 * A * (one + A / 3.0))
                for _k in range(HALVINGS):
                    total = total * total
            elif PADE:
                even = wp.identity(n=order, dtype=float) + A * A / 12.0
                odd = 0.5 * A
                total = wp.inverse(even - odd) * (even + odd)
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
