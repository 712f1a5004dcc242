"""Steps of the heat equation on grids."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(
    level=3,
    names={
        "u": "u temperature heat field",
        "out": "u_new out updated next_u",
        "laplacian": "laplacian lap diffusion",
        "kernel": "diffuse heat_step step_heat",
        "rows cols": "rows cols | ny nx | height width",
    },
)
def explicit_heat_step(c):
    """One explicit step of the heat equation on a grid, with {EDGE} edges and the {STENCIL} Laplacian."""
    rows, cols = c.size(6, 9), c.size(6, 9)
    EDGE = c.meaning("periodic", "insulated", "fixed")
    STENCIL = c.meaning("five-point", "nine-point")
    SOURCE = c.meaning("none", "field", "decay")
    RATE, DECAY = c.constant(0.05, 0.24), c.constant(0.01, 0.2)

    def clipped(u: wp.array2d[float], i: int, j: int) -> float:
        return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]

    def wrapped(u: wp.array2d[float], i: int, j: int) -> float:
        return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]

    at = wrapped if EDGE == "periodic" else clipped

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        source: wp.array2d[float] = given(rows, cols, low=-0.5, high=0.5),
        out: wp.array2d[float] = result(rows, cols),
    ):
        i, j = wp.tid()
        if EDGE == "fixed":
            # the rim keeps its value
            if i == 0 or j == 0 or i == u.shape[0] - 1 or j == u.shape[1] - 1:
                out[i, j] = u[i, j]
                return
            sides = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            if STENCIL == "nine-point":
                corners = u[i - 1, j - 1] + u[i - 1, j + 1] + u[i + 1, j - 1] + u[i + 1, j + 1]
        else:
            sides = at(u, i - 1, j) + at(u, i + 1, j) + at(u, i, j - 1) + at(u, i, j + 1)
            if STENCIL == "nine-point":
                corners = (
                    at(u, i - 1, j - 1) + at(u, i - 1, j + 1) + at(u, i + 1, j - 1) + at(u, i + 1, j + 1)
                )
        if STENCIL == "nine-point":
            laplacian = (4.0 * sides + corners - 20.0 * u[i, j]) / 6.0
        else:
            laplacian = sides - 4.0 * u[i, j]
        if SOURCE == "field":
            out[i, j] = u[i, j] + RATE * laplacian + source[i, j]
        elif SOURCE == "decay":
            out[i, j] = (u[i, j] + RATE * laplacian) * (1.0 - DECAY)
        else:
            out[i, j] = u[i, j] + RATE * laplacian
