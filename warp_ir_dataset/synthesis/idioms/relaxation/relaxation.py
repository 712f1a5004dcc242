"""Poisson's equation by relaxation: sweeps, residuals, and the steps between coarse and fine grids."""

from __future__ import annotations

from typing import Any

from ...templates.template import idiom, inout, input, output, wp


def empty(*shape: int, low: float, high: float) -> Any:
    """An output where its like is read as well."""
    return output(*shape)


NAMES = {
    "u": "u phi potential",
    "b": "b f charge",
    "out": "out u_new relaxed",
    "at": "at sample value_at",
    "near": "near sides ring",
    "here": "here centre own",
    "rows cols": "rows cols | ny nx | height width",
    "residual": "residual defect r",
    "fine": "fine u_fine detail",
    "coarse": "coarse u_coarse low_res",
    "total": "total norm",
    "weight": "weight coefficient",
}


@idiom(
    level=2,
    names=NAMES
    | {"lap": "lap laplacian value", "spacing": "spacing dx cell_size", "kernel": "laplacian apply_stencil"},
)
def grid_laplacian(c):
    """The {STENCIL} Laplacian of {u}{SCALE}, with {EDGE} edges{SHIFT}.

    Apply the {STENCIL} Laplacian to {u}. For a cell with value v, the Laplacian is L = {OVER}, {SUMS}.
    {out} gets {PLUS}. Neighbours {BEYOND}.
    """
    rows, cols = c.size(6, 8), c.size(6, 8)
    EDGE, SCALE = c.meaning("periodic", "zero-gradient"), c.meaning("", " over the squared spacing")
    SHIFT = c.meaning("", ", minus a screening term", ", plus an Allen-Cahn term")
    SCREENING = c.constant(0.2, 1.5)
    c.names({"out": "out lap_u applied"})
    if SHIFT:
        c.names({"kernel": "apply_operator apply_stencil", "lap": "value term", "out": "out applied"})

    def wrapped(u: wp.array2d[float], i: int, j: int) -> float:
        return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]

    def clipped(u: wp.array2d[float], i: int, j: int) -> float:
        return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]

    at = wrapped if EDGE == "periodic" else clipped
    STENCIL = c.meaning("five-point", "diagonal", "nine-point", "fourth-order", "horizontal three-point")
    VALUE = {
        "five-point": "S - 4·v|with the sum S of the four side neighbours",
        "diagonal": "½·D - 2·v|with the sum D of the four diagonal neighbours",
        "nine-point": "(4·S + D - 20·v) / 6|with the sum S of the four side neighbours and D of the four "
        "diagonal ones",
        "fourth-order": "(16·S - T - 60·v) / 12|with the sum S of the four side neighbours and T of the "
        "four at distance 2 along the axes",
        "horizontal three-point": "S - 2·v|with the sum S of the left and the right neighbour",
    }[STENCIL]
    BEYOND = (
        "wrap around the edges" if EDGE == "periodic" else "beyond the edges are the nearest cells inside"
    )
    FORM, SUMS = VALUE.split("|")
    OVER = "({FORM}) / {spacing}²" if SCALE else "{FORM}"
    PLUS = {
        "": "L",
        ", minus a screening term": "L - {SCREENING}·v",
        ", plus an Allen-Cahn term": "L + v - v³",
    }[SHIFT]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        spacing: float = input(low=0.3, high=1.0),
        out: wp.array2d[float] = output(rows, cols, of="residual"),
    ):
        i, j = wp.tid()
        if STENCIL == "diagonal":
            upper = at(u, i - 1, j - 1) + at(u, i - 1, j + 1)
            lower = at(u, i + 1, j - 1) + at(u, i + 1, j + 1)
            lap = 0.5 * (upper + lower) - 2.0 * u[i, j]
        elif STENCIL == "horizontal three-point":
            lap = at(u, i, j - 1) - 2.0 * u[i, j] + at(u, i, j + 1)
        else:
            near = at(u, i - 1, j) + at(u, i + 1, j) + at(u, i, j - 1) + at(u, i, j + 1)
            if STENCIL == "nine-point":
                upper = at(u, i - 1, j - 1) + at(u, i - 1, j + 1)
                lower = at(u, i + 1, j - 1) + at(u, i + 1, j + 1)
                lap = (4.0 * near + upper + lower - 20.0 * u[i, j]) / 6.0
            elif STENCIL == "fourth-order":
                far = at(u, i - 2, j) + at(u, i + 2, j) + at(u, i, j - 2) + at(u, i, j + 2)
                lap = (16.0 * near - far - 60.0 * u[i, j]) / 12.0
            else:
                lap = near - 4.0 * u[i, j]
        if SCALE:
            lap /= spacing * spacing
        if SHIFT == ", minus a screening term":
            lap -= SCREENING * u[i, j]
        elif SHIFT == ", plus an Allen-Cahn term":
            lap += u[i, j] - u[i, j] * u[i, j] * u[i, j]
        out[i, j] = lap


@idiom(
    level=3,
    names=NAMES
    | {
        "relaxed": "relaxed target jacobi",
        "left right": "left right | west east | kw ke",
        "up down": "up down | north south | kn ks",
        "kernel": "jacobi jacobi_step relax",
    },
)
def jacobi_poisson_sweep(c):
    """A {DAMPED}Jacobi sweep for {EQUATION} with {EDGE} edges and {MEDIUM} coefficients.

    Do one {DAMPED}Jacobi sweep for {EQUATION} on the grid {u}. For each cell {STEP}.{COEFFICIENTS}{BEYOND}
    """
    rows, cols = c.size(6, 8), c.size(6, 8)
    DAMPED, EQUATION = (
        c.meaning("", "damped "),
        c.meaning("Poisson's equation", "the screened Poisson equation"),
    )
    EDGE = c.meaning("zero Dirichlet", "zero-flux", "periodic", "fixed-value")
    MEDIUM = c.meaning("constant", "varying")
    c.once("relaxation", DAMPED)
    OMEGA, SCREEN = c.constant(0.5, 0.9), c.constant(0.2, 1.5)
    BEYOND = {
        "zero Dirichlet": " Neighbours beyond the edges are 0.",
        "zero-flux": " Neighbours beyond the edges are the nearest cells inside.",
        "periodic": " Neighbours wrap around the edges.",
        "fixed-value": " Cells at the edges keep their values.",
    }[EDGE]
    SCREENED = EQUATION == "the screened Poisson equation"
    if MEDIUM == "varying":
        STAR = (
            "(the sum of its four neighbours, each times its coefficient, + {b}) / (the sum of the four "
            "coefficients{EXTRA})"
        )
        COEFFICIENTS = (
            " The coefficients of cell (i, j) are `{across}[i, j]` to the left, `{across}[i, j + 1]` to "
            "the right, `{along}[i, j]` up (to row i - 1) and `{along}[i + 1, j]` down."
        )
    else:
        STAR = (
            "(the sum of its four neighbours + {b}) / (4{EXTRA})"
            if SCREENED
            else "¼·(the sum of its four neighbours + {b})"
        )
        COEFFICIENTS = ""
    EXTRA = " + {SCREEN}" if SCREENED else ""
    STEP = "{out} gets {STAR}"
    if DAMPED:
        STEP = "{out} gets {u} plus {OMEGA} times the way from it to the relaxed value {STAR}"

    def at(u: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "periodic":
            return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]
        elif EDGE == "zero-flux":
            return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]
        elif EDGE == "fixed-value":
            return u[i, j]
        else:
            if i < 0 or j < 0 or i >= u.shape[0] or j >= u.shape[1]:
                return 0.0
            return u[i, j]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0, of="field before"),
        b: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0, of="residual"),
        across: wp.array2d[float] = input(rows, cols + 1, low=0.5, high=2.0),
        along: wp.array2d[float] = input(rows + 1, cols, low=0.5, high=2.0),
        out: wp.array2d[float] = output(rows, cols, of="field"),
    ):
        i, j = wp.tid()
        if EDGE == "fixed-value":
            if i == 0 or j == 0 or i == u.shape[0] - 1 or j == u.shape[1] - 1:
                out[i, j] = u[i, j]
                return
        if MEDIUM == "varying":
            # what connects the cell to its neighbours
            left = across[i, j]
            right = across[i, j + 1]
            up = along[i, j]
            down = along[i + 1, j]
            near = left * at(u, i, j - 1) + right * at(u, i, j + 1)
            near += up * at(u, i - 1, j) + down * at(u, i + 1, j)
            weight = left + right + up + down
            if EQUATION == "the screened Poisson equation":
                weight += SCREEN
            relaxed = (near + b[i, j]) / weight
        else:
            near = at(u, i - 1, j) + at(u, i + 1, j) + at(u, i, j - 1) + at(u, i, j + 1)
            if EQUATION == "the screened Poisson equation":
                # four neighbours, and the screening
                relaxed = (near + b[i, j]) / (4.0 + SCREEN)
            else:
                relaxed = 0.25 * (near + b[i, j])
        if DAMPED:
            out[i, j] = u[i, j] + OMEGA * (relaxed - u[i, j])
        else:
            out[i, j] = relaxed


@idiom(
    level=4,
    names=NAMES
    | {
        "red black": "red black | reds blacks",
        "shift": "shift offset parity",
        "beside": "beside across other_side",
        "change": "change update correction",
        "kernel": "relax_red half_sweep",
    },
)
def red_black_sweep(c):
    """Relaxes {red} from {black} on a checkerboard with a {START} corner for {EQUATION}, with {EDGE}
    edges{SPEED}{NORM}.

    Relax the red cells of a checkerboard from the black ones for {EQUATION}, half of a red-black sweep. The
    cells of each colour are packed along rows into {red} and {black}; the corner of the board is {START}. The
    neighbours of the red cell (i, j) are `{black}[i - 1, j]`, `{black}[i + 1, j]`, `{black}[i, j]` and, on
    its other side, {SIDE}. {BEYOND} {STEP}.{NORMED}
    """
    # an even number of rows, so that a checkerboard meets itself around the edge
    rows, half = 2 * c.size(3, 4), c.size(4, 6)
    EDGE, SPEED = c.meaning("zero Dirichlet", "zero-flux", "periodic"), c.meaning("", ", over-relaxed")
    NORM, START = (
        c.meaning("", ", and sums the squared changes", ", and finds the largest change"),
        c.meaning("red", "black"),
    )
    EQUATION = c.meaning("Poisson's equation", "the screened equation")
    Red = inout if SPEED or NORM else empty
    OMEGA, LOSS = c.constant(1.1, 1.9), c.constant(0.2, 1.5)
    if SPEED:
        c.names({"kernel": "red_black_sweep relax_red sor_colour half_sweep"})
    c.names({"total": "largest_change max_change" if "largest" in NORM else "squares total_squares"})
    SIDE = "`{black}[i, j - 1]` in even rows and `{black}[i, j + 1]` in odd ones"
    if START == "black":
        SIDE = "`{black}[i, j + 1]` in even rows and `{black}[i, j - 1]` in odd ones"
    BEYOND = {
        "zero Dirichlet": "Neighbours beyond the edges are 0.",
        "zero-flux": "A column beyond the edges counts as the nearest one, row -1 as row 1, and the row "
        "after the last as the last but one.",
        "periodic": "Neighbours wrap around the edges.",
    }[EDGE]
    STAR = (
        "¼·(the sum of the four + {b})"
        if EQUATION == "Poisson's equation"
        else "(the sum of the four + {b}) / (4 + {LOSS})"
    )
    STEP = "{red} gets the relaxed value {STAR}"
    if SPEED:
        STEP = "{red} changes by {OMEGA} times the way from it to the relaxed value {STAR}"
    NORMED = {
        "": "",
        ", and sums the squared changes": " `{total}[0]` gets the sum of the squares of all changes.",
        ", and finds the largest change": " `{total}[0]` gets the largest absolute value of a change.",
    }[NORM]

    def at(black: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "periodic":
            return black[(i + black.shape[0]) % black.shape[0], (j + black.shape[1]) % black.shape[1]]
        elif EDGE == "zero-flux":
            col = wp.clamp(j, 0, black.shape[1] - 1)
            # beyond the first and last rows the field is mirrored
            if i < 0:
                return black[1, col]
            if i >= black.shape[0]:
                return black[black.shape[0] - 2, col]
            return black[i, col]
        else:
            if i < 0 or j < 0 or i >= black.shape[0] or j >= black.shape[1]:
                return 0.0
            return black[i, j]

    @c.kernel(rows, half)
    def kernel(
        black: wp.array2d[float] = input(rows, half, low=-1.0, high=1.0),
        b: wp.array2d[float] = input(rows, half, low=-1.0, high=1.0, of="residual"),
        red: wp.array2d[float] = Red(rows, half, low=-1.0, high=1.0),
        total: wp.array[float] = output(1),
    ):
        i, j = wp.tid()
        # in every second row the black cells lie on the other side
        if START == "red":
            beside = j + 2 * (i % 2) - 1
        else:
            beside = j + 1 - 2 * (i % 2)
        near = at(black, i - 1, j) + at(black, i + 1, j) + black[i, j] + at(black, i, beside)
        if EQUATION == "the screened equation":
            # four neighbours, and the screening
            relaxed = (near + b[i, j]) / (4.0 + LOSS)
        else:
            relaxed = 0.25 * (near + b[i, j])
        if SPEED or NORM:
            change = relaxed - red[i, j]
            if SPEED:
                change *= OMEGA
            red[i, j] += change
        else:
            red[i, j] = relaxed
        if NORM == ", and sums the squared changes":
            wp.atomic_add(total, 0, change * change)
        elif NORM == ", and finds the largest change":
            wp.atomic_max(total, 0, wp.abs(change))


@idiom(
    level=3,
    names=NAMES
    | {
        "nx ny nz": "nx ny nz | width depth height",
        "i j k": "i j k | x y z",
        "out": "out residual_out defect_out",
        "kernel": "compute_residual residual_3d",
    },
)
def poisson_residual(c):
    """The residuals of {EQUATION} in a box with {EDGE} boundaries{MASK}, and {NORM}.

    Compute the residuals of {EQUATION} for {u} in a box. {out} gets {VALUE}, where v is the value of the cell
    in {u} and S the sum of its six neighbours; those {BEYOND}. `{total}[0]` gets {NORMED}.{SOLIDS}
    """
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    EQUATION = c.meaning(
        "Poisson's equation", "the Helmholtz equation", "a Poisson equation with local weights"
    )
    EDGE = c.meaning("zero Dirichlet", "zero-flux", "periodic")
    NORM, MASK = (
        c.meaning("their sum of squares", "the largest magnitude", "the sum of their magnitudes"),
        c.meaning("", ", zero in solid cells"),
    )
    WAVENUMBER = c.constant(0.5, 2.0)
    LOOPED = c.style(True, False, False)
    if EQUATION != "Poisson's equation":
        c.names({"kernel": "compute_residual residual_3d"})
    if NORM == "the largest magnitude":
        c.names({"total": "largest worst"})
    VALUE = {
        "Poisson's equation": "{b} + S - 6·v",
        "the Helmholtz equation": "{b} + S - (6 - {WAVENUMBER}²)·v",
        "a Poisson equation with local weights": "{b} - {weight}·(6·v - S)",
    }[EQUATION]
    BEYOND = {
        "zero Dirichlet": "beyond the boundaries are 0",
        "zero-flux": "beyond the boundaries are the nearest cells inside",
        "periodic": "wrap around the boundaries",
    }[EDGE]
    SOLIDS = " Cells whose {solid} is 1 get 0 and add nothing to that." if MASK else ""
    NORMED = {
        "their sum of squares": "the sum of the squares of the residuals",
        "the largest magnitude": "the largest absolute value of a residual",
        "the sum of their magnitudes": "the sum of the absolute values of the residuals",
    }[NORM]

    def at(u: wp.array3d[float], i: int, j: int, k: int) -> float:
        if EDGE == "periodic":
            nx = u.shape[0]
            ny = u.shape[1]
            nz = u.shape[2]
            return u[(i + nx) % nx, (j + ny) % ny, (k + nz) % nz]
        elif EDGE == "zero-flux":
            x = wp.clamp(i, 0, u.shape[0] - 1)
            y = wp.clamp(j, 0, u.shape[1] - 1)
            z = wp.clamp(k, 0, u.shape[2] - 1)
            return u[x, y, z]
        else:
            if i < 0 or j < 0 or k < 0 or i >= u.shape[0] or j >= u.shape[1] or k >= u.shape[2]:
                return 0.0
            return u[i, j, k]

    @c.kernel(nx, ny, nz)
    def kernel(
        u: wp.array3d[float] = input(nx, ny, nz, low=-1.0, high=1.0),
        b: wp.array3d[float] = input(nx, ny, nz, low=-1.0, high=1.0, of="residual"),
        weight: wp.array3d[float] = input(nx, ny, nz, low=0.5, high=2.0),
        solid: wp.array3d[int] = input(nx, ny, nz, low=0, high=1),
        out: wp.array3d[float] = output(nx, ny, nz, of="residual"),
        total: wp.array[float] = output(1),
    ):
        i, j, k = wp.tid()
        if MASK:
            if solid[i, j, k] == 1:
                out[i, j, k] = 0.0
                return
        here = u[i, j, k]
        if LOOPED:
            near = float(0.0)
            for side in range(-1, 2, 2):
                near += at(u, i + side, j, k) + at(u, i, j + side, k) + at(u, i, j, k + side)
        else:
            near = at(u, i - 1, j, k) + at(u, i + 1, j, k)
            near += at(u, i, j - 1, k) + at(u, i, j + 1, k)
            near += at(u, i, j, k - 1) + at(u, i, j, k + 1)
        if EQUATION == "a Poisson equation with local weights":
            residual = b[i, j, k] - weight[i, j, k] * (6.0 * here - near)
        elif EQUATION == "the Helmholtz equation":
            residual = b[i, j, k] + near - (6.0 - WAVENUMBER * WAVENUMBER) * here
        else:
            residual = b[i, j, k] + near - 6.0 * here
        out[i, j, k] = residual
        if NORM == "their sum of squares":
            wp.atomic_add(total, 0, residual * residual)
        elif NORM == "the largest magnitude":
            wp.atomic_max(total, 0, wp.abs(residual))
        else:
            wp.atomic_add(total, 0, wp.abs(residual))
