"""Rows of a band."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=2,
    names={
        "lower diagonal upper": "lower diagonal upper | below on above | sub main sup",
        "x": "x v unknowns",
        "before after": "before after | left right | previous following",
        "i": "i row tid",
    },
)
def banded_row_product(c):
    """{WHAT} of a {BAND} {WHOLE}, {ENDS}.

    {PURPOSE}. The matrix A is {BANDED}. Row i of A·{x} is {ROW}. {BORDERS}{RESULT}
    """
    n = c.size()
    BAND = c.meaning("tridiagonal", "symmetric tridiagonal", "lower bidiagonal", "tridiagonal Toeplitz")
    RESIDUAL, RELAXED, ENERGY = ", as a residual", ", as a damped Jacobi update", ", as energy"
    if BAND in ("lower bidiagonal", "symmetric tridiagonal"):
        ENDS = c.meaning("zero beyond the ends", "with periodic ends")
    else:
        ENDS = c.meaning("zero beyond the ends", "with periodic ends", "mirrored at the ends")
    if BAND == "lower bidiagonal":
        GIVEN = c.meaning("", RESIDUAL)
    elif BAND == "tridiagonal" or ENDS == "mirrored at the ends":
        GIVEN = c.meaning("", RESIDUAL, RELAXED)
    else:
        GIVEN = c.meaning("", RESIDUAL, RELAXED, ENERGY)
    OFF, MIDDLE, OMEGA = c.constant(0.2, 0.9), c.constant(1.5, 3.0), c.constant(0.4, 0.9)
    WHAT, WHOLE, KERNELS, RESULTS = {
        "": ("The product", "matrix and a vector", "band_matvec multiply_band", "y out product"),
        RESIDUAL: ("The load less the product", "matrix and a vector", "band_residual", "residual r defect"),
        RELAXED: ("One damped Jacobi sweep", "system", "relax_rows jacobi_update", "x_new relaxed"),
        ENERGY: ("The energy, the sum of x (A x / 2 - load),", "matrix A", "band_energy add_energy", "y"),
    }[GIVEN]
    c.names({"kernel": KERNELS, "y": RESULTS})
    PURPOSE = {
        "": "Multiply a band matrix and the vector {x}",
        RESIDUAL: "Compute the residual of a system with a band matrix",
        RELAXED: "Do one damped Jacobi sweep on a system with a band matrix",
        ENERGY: "Compute the energy of a system with a band matrix",
    }[GIVEN]
    BANDED = {
        "tridiagonal": "tridiagonal",
        "symmetric tridiagonal": "symmetric and tridiagonal; {lower} holds the entries left of its diagonal, "
        "and the entry right of it in row i is the {lower} of the next row",
        "lower bidiagonal": "lower bidiagonal",
        "tridiagonal Toeplitz": "tridiagonal, with the same numbers in all rows",
    }[BAND]
    ROW = {
        "tridiagonal": "`{lower}[i]`·`{x}[i - 1]` + `{diagonal}[i]`·`{x}[i]` + `{upper}[i]`·`{x}[i + 1]`",
        "symmetric tridiagonal": "`{lower}[i]`·`{x}[i - 1]` + `{diagonal}[i]`·`{x}[i]` + `{lower}[i + "
        "1]`·`{x}[i + 1]`",
        "lower bidiagonal": "`{lower}[i]`·`{x}[i - 1]` + `{diagonal}[i]`·`{x}[i]`",
        "tridiagonal Toeplitz": "{MIDDLE}·`{x}[i]` - {OFF}·(`{x}[i - 1]` + `{x}[i + 1]`)",
    }[BAND]
    BORDERS = {
        "zero beyond the ends": "Beyond its ends {x} is zero.",
        "with periodic ends": "All indices wrap around at the ends.",
        "mirrored at the ends": "At the ends {x} is mirrored: a neighbour that is missing on one side is "
        "replaced by that on the other.",
    }[ENDS]
    PIVOT = "{MIDDLE}" if BAND == "tridiagonal Toeplitz" else "`{diagonal}[i]`"
    RESULT = {
        "": " Store A·{x} in {y}.",
        RESIDUAL: " Store {load} - A·{x} in {y}.",
        RELAXED: " {y} is `{x}[i]` + {OMEGA}·(`{load}[i]` - row i of A·{x}) / {PIVOT}.",
        ENERGY: " `{energy}[0]`, zero at the start, is the sum of {x}·(½·A·{x} - {load}) over all rows.",
    }[GIVEN]

    @c.kernel(n)
    def kernel(
        lower: wp.array[float] = input(n, low=-1.0, high=1.0),
        diagonal: wp.array[float] = input(n, low=1.0, high=3.0),
        upper: wp.array[float] = input(n, low=-1.0, high=1.0),
        x: wp.array[float] = input(n, low=-1.0, high=2.0),
        load: wp.array[float] = input(n, low=-1.0, high=2.0),
        y: wp.array[float] = output(n),
        energy: wp.array[float] = output(1),
    ):
        i = wp.tid()
        if ENDS == "with periodic ends":
            before = x[(i + x.shape[0] - 1) % x.shape[0]]
            if BAND != "lower bidiagonal":
                after = x[(i + 1) % x.shape[0]]
        elif ENDS == "mirrored at the ends":
            before = x[wp.abs(i - 1)]
            if BAND != "lower bidiagonal":
                after = x[x.shape[0] - 1 - wp.abs(x.shape[0] - 2 - i)]
        else:
            before = wp.where(i > 0, x[wp.max(i - 1, 0)], 0.0)
            if BAND != "lower bidiagonal":
                after = wp.where(i < x.shape[0] - 1, x[wp.min(i + 1, x.shape[0] - 1)], 0.0)
        if BAND == "symmetric tridiagonal":
            # the entry above the diagonal stands in the next row
            total = lower[i] * before + diagonal[i] * x[i] + lower[(i + 1) % x.shape[0]] * after
        elif BAND == "lower bidiagonal":
            total = lower[i] * before + diagonal[i] * x[i]
        elif BAND == "tridiagonal Toeplitz":
            total = MIDDLE * x[i] - OFF * (before + after)
        else:
            total = lower[i] * before + diagonal[i] * x[i] + upper[i] * after
        if GIVEN == RESIDUAL:
            y[i] = load[i] - total
        elif GIVEN == RELAXED and BAND == "tridiagonal Toeplitz":
            y[i] = x[i] + OMEGA * (load[i] - total) / MIDDLE
        elif GIVEN == RELAXED:
            y[i] = x[i] + OMEGA * (load[i] - total) / diagonal[i]
        elif GIVEN == ENERGY:
            wp.atomic_add(energy, 0, x[i] * (0.5 * total - load[i]))
        else:
            y[i] = total
