"""What relaxation does to waves of error, and the field of a potential that is found."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp
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
    """The {WANTED} of error modes in {SPACE}, by {smoother}."""
    n = c.size()
    WANTED = c.meaning(
        "damping factors", "amplitudes after some sweeps", "numbers of sweeps per decade of reduction"
    )
    c.names(
        {
            "damping factors": {"kernel": "smoothing_factors fourier_factors", "out": "out factors"},
            "amplitudes after some sweeps": {"kernel": "damp_modes mode_damping", "out": "out damped"},
            "numbers of sweeps per decade of reduction": {
                "kernel": "sweeps_per_decade sweeps_needed",
                "out": "out counts needed",
            },
        }[WANTED]
    )
    SPACE = c.meaning("the plane", "space")
    DIM = 2 if SPACE == "the plane" else 3
    Vec = c.vec(DIM)
    OMEGA, SHORT = c.constant(0.5, 0.9), c.constant(0.2, 0.45)

    def jacobi(theta: Vec) -> float:
        """damped Jacobi sweeps"""
        if DIM == 2:
            return 1.0 - OMEGA * (1.0 - 0.5 * (wp.cos(theta[0]) + wp.cos(theta[1])))
        else:
            return 1.0 - OMEGA * (1.0 - (wp.cos(theta[0]) + wp.cos(theta[1]) + wp.cos(theta[2])) / 3.0)

    def two_steps(theta: Vec) -> float:
        """two Richardson steps of different length"""
        if DIM == 2:
            eigenvalue = 0.5 * (2.0 - wp.cos(theta[0]) - wp.cos(theta[1]))
        else:
            eigenvalue = (3.0 - wp.cos(theta[0]) - wp.cos(theta[1]) - wp.cos(theta[2])) / 3.0
        return (1.0 - OMEGA * eigenvalue) * (1.0 - SHORT * eigenvalue)

    def lines(theta: Vec) -> float:
        """line Jacobi sweeps"""
        if DIM == 2:
            return wp.cos(theta[1]) / (2.0 - wp.cos(theta[0]))
        else:
            return (wp.cos(theta[1]) + wp.cos(theta[2])) / (3.0 - wp.cos(theta[0]))

    def red_black(theta: Vec) -> float:
        """red-black sweeps"""
        if DIM == 2:
            mean = 0.5 * (wp.cos(theta[0]) + wp.cos(theta[1]))
        else:
            mean = (wp.cos(theta[0]) + wp.cos(theta[1]) + wp.cos(theta[2])) / 3.0
        return mean * mean

    smoother = c.meaning(jacobi, lines, red_black, two_steps)

    @c.kernel(n)
    def kernel(
        theta: wp.array[Vec] = given(n, low=0.4, high=1.3),
        amplitude: wp.array[float] = given(n, low=0.5, high=2.0),
        sweeps: int = given(low=1, high=4),
        out: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        factor = smoother(theta[tid])
        if WANTED == "damping factors":
            out[tid] = factor
        elif WANTED == "amplitudes after some sweeps":
            out[tid] = amplitude[tid] * wp.pow(wp.abs(factor), float(sweeps))
        else:
            # each sweep takes the same share
            out[tid] = wp.log(0.1) / wp.log(wp.abs(factor))


@idiom(
    level=3,
    names=NAMES
    | {
        "dx dy": "dx dy | slope_x slope_y | gx gy",
        "field": "field E_here strength",
        "spacing": "spacing dx_cell cell_size",
        "eps": "eps permittivity medium",
        "out": "out fields E",
        "energy": "energy stored density",
        "kernel": "potential_gradient electric_field compute_field",
    },
)
def field_from_potential(c):
    """The {WANTED} of {u} in each cell by {SLOPE} differences, {EDGE} edges{MEDIUM}."""
    rows, cols = c.size(6, 8), c.size(6, 8)
    WANTED = c.meaning("electric field", "electric energy density", "electric field and energy density")
    SLOPE = c.meaning("central", "forward", "fourth-order", "diagonal")
    EDGE = c.meaning("periodic", "replicated")
    MEDIUM = c.meaning("", ", in dielectrics") if WANTED != "electric field" else ""
    if WANTED == "electric energy density":
        c.names({"kernel": "field_energy electric_energy"})

    def at(u: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "periodic":
            return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]
        else:
            return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        eps: wp.array2d[float] = given(rows, cols, low=1.0, high=4.0),
        spacing: float = given(low=0.3, high=1.0),
        out: wp.array2d[wp.vec2] = result(rows, cols),
        energy: wp.array2d[float] = result(rows, cols),
    ):
        i, j = wp.tid()
        if SLOPE == "forward":
            dx = at(u, i, j + 1) - u[i, j]
            dy = at(u, i + 1, j) - u[i, j]
        elif SLOPE == "central":
            dx = 0.5 * (at(u, i, j + 1) - at(u, i, j - 1))
            dy = 0.5 * (at(u, i + 1, j) - at(u, i - 1, j))
        elif SLOPE == "diagonal":
            # the corners of a cell, of which the next is the opposite one
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
