"""Relaxation of single modes of the error, and the gradient field of a potential."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp
from .relaxation import NAMES


@idiom(
    level=2,
    names={
        "theta": "theta modes phases",
        "amplitude": "amplitude errors size",
        "factor": "factor damping gain",
        "sweeps": "sweeps rounds count",
        "out": "out damped found",
        "kernel": "smoothing_factor damp_modes fourier_factor",
    },
)
def mode_damping(c):
    """{TELLS}.

    Tell how {SWEEPS} damp error modes of Poisson's equation in {SPACE} (local Fourier analysis). A mode of
    {theta} has the phase angles θ along the axes; its factor is g = {FACTOR}. {GETS}.
    """
    n = c.size()
    WANTED, SPACE = c.meaning("factors", "amplitudes", "numbers of sweeps"), c.meaning("the plane", "space")
    c.names(
        {
            "factors": {"kernel": "smoothing_factors fourier_factors", "out": "out factors"},
            "amplitudes": {"kernel": "damp_modes mode_damping", "out": "out damped"},
            "numbers of sweeps": {
                "kernel": "sweeps_per_decade sweeps_needed",
                "out": "out needed sweeps_needed",
            },
        }[WANTED]
    )
    DIM = 2 if SPACE == "the plane" else 3
    Vec = c.vec(DIM)
    OMEGA, SHORT = c.constant(0.65, 0.9), c.constant(0.2, 0.45)

    def jacobi(theta: Vec) -> float:
        """One minus what a damped sweep takes off."""
        if DIM == 2:
            return 1.0 - OMEGA * (1.0 - 0.5 * (wp.cos(theta[0]) + wp.cos(theta[1])))
        else:
            return 1.0 - OMEGA * (1.0 - (wp.cos(theta[0]) + wp.cos(theta[1]) + wp.cos(theta[2])) / 3.0)

    def two_steps(theta: Vec) -> float:
        """The product of the factors of a long and a short step."""
        if DIM == 2:
            eigenvalue = 0.5 * (2.0 - wp.cos(theta[0]) - wp.cos(theta[1]))
        else:
            eigenvalue = (3.0 - wp.cos(theta[0]) - wp.cos(theta[1]) - wp.cos(theta[2])) / 3.0
        return (1.0 - OMEGA * eigenvalue) * (1.0 - SHORT * eigenvalue)

    def lines(theta: Vec) -> float:
        # along the first axis the equations are solved exactly
        if DIM == 2:
            return wp.cos(theta[1]) / (2.0 - wp.cos(theta[0]))
        else:
            return (wp.cos(theta[1]) + wp.cos(theta[2])) / (3.0 - wp.cos(theta[0]))

    def red_black(theta: Vec) -> float:
        if DIM == 2:
            mean = 0.5 * (wp.cos(theta[0]) + wp.cos(theta[1]))
        else:
            mean = (wp.cos(theta[0]) + wp.cos(theta[1]) + wp.cos(theta[2])) / 3.0
        # once for each colour
        return mean * mean

    smoother = c.meaning(jacobi, lines, red_black, two_steps)
    SWEEPS = {
        "jacobi": "damped Jacobi sweeps", "lines": "line Jacobi sweeps", "red_black": "red-black sweeps"
    }.get(smoother.__name__, "pairs of Richardson steps")  # fmt: skip
    TELLS = {
        "factors": f"The damping factors of error modes in {SPACE} under {SWEEPS}",
        "amplitudes": f"The amplitudes of error modes in {SPACE} after a number of {SWEEPS}",
    }.get(WANTED, f"The numbers of {SWEEPS} that reduce error modes in {SPACE} tenfold")
    # few sweeps are enough for the short waves
    HIGHEST = 1.3 if WANTED == "numbers of sweeps" else 3.0
    MEAN = "½·(cos θ₁ + cos θ₂)" if DIM == 2 else "1/3 of cos θ₁ + cos θ₂ + cos θ₃"
    FACTOR = {
        "jacobi": "1 - {OMEGA}·(1 - m), where m is {MEAN}",
        "two_steps": "(1 - {OMEGA}·(1 - m))·(1 - {SHORT}·(1 - m)), where m is {MEAN}",
        "red_black": "m², where m is {MEAN}",
        "lines": "cos θ₂ / (2 - cos θ₁)" if DIM == 2 else "(cos θ₂ + cos θ₃) / (3 - cos θ₁)",
    }[smoother.__name__]
    GETS = {
        "factors": "{out} gets g",
        "amplitudes": "{out} gets {amplitude} times |g| to the power of {sweeps}",
        "numbers of sweeps": "{out} gets ln(0.1) / ln(g), a real number",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        theta: wp.array[Vec] = input(n, low=0.4, high=HIGHEST),
        amplitude: wp.array[float] = input(n, low=0.5, high=2.0),
        sweeps: int = input(low=1, high=4),
        out: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        factor = smoother(theta[tid])
        if WANTED == "factors":
            out[tid] = factor
        elif WANTED == "amplitudes":
            if SWEEPS == "red-black sweeps":
                out[tid] = amplitude[tid] * wp.pow(factor, float(sweeps))
            else:
                out[tid] = amplitude[tid] * wp.pow(wp.abs(factor), float(sweeps))
        else:
            # each sweep takes the same share
            out[tid] = wp.log(0.1) / wp.log(factor)


@idiom(
    level=3,
    names=NAMES
    | {
        "dx dy": "rise_x rise_y | diff_x diff_y | slope_x slope_y",
        "field": "field E_here strength",
        "u": "u phi pot",
        "spacing": "spacing dx_cell cell_size",
        "eps": "eps permittivity medium",
        "out": "out fields E",
        "energy": "energy stored density",
        "kernel": "electric_field compute_field",
    },
)
def field_from_potential(c):
    """The {WANTED} of the potential {u} by {SLOPE} differences, with {EDGE} edges{MEDIUM}.

    Compute the {WANTED} of the potential {u}; in cell (i, j), x grows with j and y with i. The field F is
    minus the {SLOPE} differences over {spacing}; these are {DIFFERENCES}. Cells {BEYOND}. {GETS}.
    """
    rows, cols = c.size(6, 8), c.size(6, 8)
    WANTED = c.meaning("electric field", "electric energy density", "electric field and energy density")
    SLOPE = c.meaning("central", "forward", "fourth-order", "diagonal")
    EDGE = c.meaning("periodic", "replicated")
    MEDIUM = c.meaning("", ", in dielectrics") if WANTED != "electric field" else ""
    if WANTED == "electric energy density":
        c.names({"kernel": "field_energy electric_energy"})
    DIFFERENCES = {
        "central": "½·(next cell - last cell) along each axis",
        "forward": "next cell - the cell itself, along each axis",
        "fourth-order": "(8·p - q) / 12 along each axis, with the difference p of the next and the last "
        "cell, and q of the next but one and the last but one",
        "diagonal": "½·(p + q) along x and ½·(p - q) along y, where p = v(i + 1, j + 1) - v(i, j) "
        "and q = v(i, j + 1) - v(i + 1, j) are differences of values v",
    }[SLOPE]
    BEYOND = (
        "wrap around the edges" if EDGE == "periodic" else "beyond the edges are the nearest cells inside"
    )
    DENSITY = "½·{eps}·|F|²" if MEDIUM else "½·|F|²"
    GETS = {
        "electric field": "{out} gets F = (x, y)",
        "electric energy density": "{energy} gets {DENSITY}",
        "electric field and energy density": "{out} gets F = (x, y), and {energy} gets {DENSITY}",
    }[WANTED]

    def at(u: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "periodic":
            return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]
        else:
            return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        eps: wp.array2d[float] = input(rows, cols, low=1.0, high=4.0),
        spacing: float = input(low=0.3, high=1.0),
        out: wp.array2d[wp.vec2] = output(rows, cols),
        energy: wp.array2d[float] = output(rows, cols),
    ):
        i, j = wp.tid()
        if SLOPE == "forward":
            dx = at(u, i, j + 1) - u[i, j]
            dy = at(u, i + 1, j) - u[i, j]
        elif SLOPE == "central":
            dx = 0.5 * (at(u, i, j + 1) - at(u, i, j - 1))
            dy = 0.5 * (at(u, i + 1, j) - at(u, i - 1, j))
        elif SLOPE == "diagonal":
            # along the two diagonals of a cell between four nodes
            rising = at(u, i + 1, j + 1) - u[i, j]
            falling = at(u, i, j + 1) - at(u, i + 1, j)
            dx = 0.5 * (rising + falling)
            dy = 0.5 * (rising - falling)
        else:
            near = wp.vec2(at(u, i, j + 1) - at(u, i, j - 1), at(u, i + 1, j) - at(u, i - 1, j))
            far = wp.vec2(at(u, i, j + 2) - at(u, i, j - 2), at(u, i + 2, j) - at(u, i - 2, j))
            slopes = (8.0 * near - far) / 12.0
        if SLOPE == "fourth-order":
            field = -slopes / spacing
        else:
            field = -wp.vec2(dx, dy) / spacing
        if WANTED != "electric energy density":
            out[i, j] = field
        if WANTED != "electric field":
            if MEDIUM:
                energy[i, j] = 0.5 * eps[i, j] * wp.dot(field, field)
            else:
                energy[i, j] = 0.5 * wp.dot(field, field)
