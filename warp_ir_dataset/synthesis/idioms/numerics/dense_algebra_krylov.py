"""Systems of equations by iteration."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


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
    HISTORY, steps = MORE.endswith("step"), 3

    @c.kernel(n)
    def kernel(
        a: wp.array[Mat] = given(n, low=-1.0, high=1.5, trait="positive definite"),
        rhs: wp.array[Vec] = given(n, low=-1.0, high=1.0),
        max_steps: int = given(low=1, high=3),
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
