"""More dense linear algebra: systems of equations, one for each thread."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "b": "b tid system",
        "a": "a matrices lhs",
        "rhs": "rhs x solution",
        "i j k": "i j k | row col k | i j m",
        "order": "order m dim",
        "acc": "acc total value",
        "pivot": "pivot diagonal d",
        "damping": "damping ridge shift",
        "kernel": "factor_and_solve solve_spd",
    },
)
def solve_positive_definite(c):
    """Solves {EACH} symmetric system{SIDES} in place by {LOOKING}{FACTORS} of its lower
    triangle{INFO}{MORE}.

    Solve symmetric positive definite systems in place by {LOOKING}{NAMED}. The matrix of system k is
    `{a}[k]`; only its lower triangle is used and changed. {SHIFT}

    {FACTOR}{STOP} {SIDE}{EXTRA}
    """
    n, order, columns = c.size(5, 7), c.count(4, 6), c.count(2, 3)
    FACTORS = c.meaning("Cholesky", "LDL^T")
    SYSTEM = c.meaning("one damped system", "one system", "several systems")
    LOOKING = c.meaning("left-looking ", "right-looking ")
    if SYSTEM == "several systems":
        MORE = c.meaning("", ", with the log-determinant")
    else:
        MORE = c.meaning(
            "",
            ", with the log-determinant",
            ", with the Mahalanobis distance of its right-hand side",
            ", with the Gaussian log-density of its right-hand side",
        )
    INFO = c.meaning(
        "",
        ", stopping at the first pivot that is not positive and storing its number",
        ", counting small pivots raised to a floor",
    )
    RIGHT, FLOOR, RAISED = LOOKING == "right-looking ", c.constant(0.4, 0.9), INFO.endswith("floor")
    DAMPED, SEVERAL, LDL = SYSTEM == "one damped system", SYSTEM == "several systems", FACTORS == "LDL^T"
    DENSITY, SQUARE = "density" in MORE, MORE.endswith("side")
    LOG = DENSITY or MORE.endswith("determinant")
    LOW, HIGH = (0.8, 2.0) if INFO else (2.5, 4.0)
    # what is added to the diagonal makes it positive definite, mostly
    EACH = "each damped" if DAMPED else "each regularized"
    SIDES = " for several right-hand sides" if SEVERAL else ""
    if DAMPED:
        c.names({"kernel": "factor_and_solve solve_damped solve_spd"})
    told = "log_densities logpdf" if DENSITY else "mahalanobis distances" if SQUARE else "log_det log_dets"
    c.names({"measure": told})
    NAMED = "LDLᵀ factorization" if LDL else "Cholesky factorization"
    SHIFT = "Add `{ridges}[k, i]` to each diagonal entry (i, i) first."
    if DAMPED:
        SHIFT = "Add {damping} to each diagonal entry first."
    FACTOR = "The lower triangle with the diagonal becomes the factor L of the matrix L·Lᵀ."
    if LDL:
        FACTOR = (
            "The diagonal becomes D, and the lower triangle below it the unit lower triangular L, of the "
            "matrix L·D·Lᵀ."
        )
    STOP = ""
    if RAISED:
        STOP = " A pivot{BEFORE} below {FLOOR} is raised to {FLOOR}, and `{info}[k]` counts them."
    elif INFO:
        STOP = (
            " If a pivot{BEFORE} is not positive, stop there, with the number of its column, counted from 1, "
            "in `{info}[k]` (which is otherwise 0) and nothing else changed but {DONE}."
        )
    BEFORE = ", that is, an entry of D," if LDL else " (a diagonal entry before its root is taken)"
    DONE = "the columns before it"
    if RIGHT:
        DONE = (
            "the columns before it and the lower triangle behind them, from which their products are "
            "subtracted already, but with nothing added to the diagonal"
        )
    SIDE = "The solution replaces `{rhs}[k]`."
    if SEVERAL:
        SIDE = "Each column of `columns[k]` is a right-hand side, and its solution replaces it."
    EXTRA = ""
    if MORE.endswith("determinant"):
        EXTRA = (
            " `{measure}[k]` gets the logarithm of the determinant, the sum of the logarithms of the pivots."
        )
    elif DENSITY:
        EXTRA = (
            " `{measure}[k]` gets the Gaussian log-density of the right-hand side b with the factored matrix "
            "M as its covariance: -½·(b·M⁻¹·b + log det M + order·log(2·π))."
        )
    elif MORE:
        EXTRA = (
            " `{measure}[k]` gets the Mahalanobis distance √(b·M⁻¹·b) of the right-hand side b, with the "
            "factored matrix M."
        )
    if INFO and not RAISED and MORE:
        EXTRA += " It stays zero if the factorization stops."

    @c.kernel(n)
    def kernel(
        a: wp.array3d[float] = inout(n, order, order, low=-0.6, high=0.6),
        ridges: wp.array2d[float] = input(n, order, low=LOW, high=HIGH),
        damping: float = input(low=LOW, high=HIGH),
        rhs: wp.array2d[float] = inout(n, order, low=-1.0, high=1.0),
        columns: wp.array3d[float] = inout(n, order, columns, low=-1.0, high=1.0),
        measure: wp.array[float] = output(n),
        info: wp.array[int] = output(n),
    ):
        b = wp.tid()
        order = a.shape[1]
        if LOG:
            log_det = float(0.0)
        if RAISED:
            raised = int(0)
        for j in range(order):
            pivot = a[b, j, j] + damping if DAMPED else a[b, j, j] + ridges[b, j]
            if not RIGHT:
                for k in range(j):
                    if LDL:
                        pivot -= a[b, j, k] * a[b, j, k] * a[b, k, k]
                    else:
                        pivot -= a[b, j, k] * a[b, j, k]
            if RAISED:
                if pivot < FLOOR:
                    pivot = FLOOR
                    raised += 1
            elif INFO:
                if pivot <= 0.0:
                    info[b] = j + 1
                    return
            if LOG:
                log_det += wp.log(pivot)
            if not LDL:
                pivot = wp.sqrt(pivot)
            a[b, j, j] = pivot
            if RIGHT:
                for i in range(j + 1, order):
                    a[b, i, j] = a[b, i, j] / pivot
                # what is left of the matrix loses the share of this column
                for k in range(j + 1, order):
                    for i in range(k, order):
                        if LDL:
                            a[b, i, k] = a[b, i, k] - a[b, i, j] * a[b, k, j] * pivot
                        else:
                            a[b, i, k] = a[b, i, k] - a[b, i, j] * a[b, k, j]
            else:
                for i in range(j + 1, order):
                    acc = a[b, i, j]
                    for k in range(j):
                        if LDL:
                            acc -= a[b, i, k] * a[b, j, k] * a[b, k, k]
                        else:
                            acc -= a[b, i, k] * a[b, j, k]
                    a[b, i, j] = acc / pivot
        if RAISED:
            info[b] = raised
        elif INFO:
            info[b] = 0
        if SQUARE:
            square = float(0.0)
        if SEVERAL:
            for col in range(columns.shape[2]):
                for i in range(order):
                    acc = columns[b, i, col]
                    for k in range(i):
                        acc -= a[b, i, k] * columns[b, k, col]
                    columns[b, i, col] = acc if LDL else acc / a[b, i, i]
                for i in range(order - 1, -1, -1):
                    acc = columns[b, i, col] / a[b, i, i] if LDL else columns[b, i, col]
                    for k in range(i + 1, order):
                        acc -= a[b, k, i] * columns[b, k, col]
                    columns[b, i, col] = acc if LDL else acc / a[b, i, i]
        else:
            # forward, then back substitution
            for i in range(order):
                acc = rhs[b, i]
                for k in range(i):
                    acc -= a[b, i, k] * rhs[b, k]
                if not LDL:
                    acc /= a[b, i, i]
                rhs[b, i] = acc
                if SQUARE:
                    square += acc * acc / a[b, i, i] if LDL else acc * acc
            for i in range(order - 1, -1, -1):
                acc = rhs[b, i] / a[b, i, i] if LDL else rhs[b, i]
                for k in range(i + 1, order):
                    acc -= a[b, k, i] * rhs[b, k]
                rhs[b, i] = acc if LDL else acc / a[b, i, i]
        if MORE.endswith("determinant"):
            measure[b] = log_det
        elif DENSITY:
            measure[b] = -0.5 * (square + log_det + float(order) * wp.log(2.0 * wp.PI))
        elif MORE:
            measure[b] = wp.sqrt(square)


@idiom(
    level=5,
    differentiable=False,
    names={
        "b": "b tid problem",
        "a": "a design matrices",
        "rhs": "rhs y targets",
        "rows cols": "rows cols | m n",
        "i j k": "i j k | row col k",
        "cs sn": "cs sn | cosine sine | co si",
        "misfit": "misfit square_sum rss",
        "kernel": "qr_solve qr_least_squares",
    },
)
def least_squares_qr(c):
    """Solves each {WEIGHTED}least squares problem{SEVERAL} in place by QR with {METHOD}{MORE}.

    Solve {KIND}least squares problems in place by QR factorization with {METHOD}. The columns of `{a}[k]` are
    fitted to {SIDE}.{SCALED}

    {FACTOR} {SOLVED}{EXTRA}
    """
    n, cols, sides = c.size(4, 6), c.count(2, 3), c.count(2, 3)
    rows = cols + c.count(2, 3)
    METHOD = c.meaning("Householder reflections", "Givens rotations")
    SEVERAL = c.meaning("", " for several right-hand sides")
    WEIGHTED = c.meaning("", "weighted ")
    TANGENT = c.meaning(False, True) if METHOD == "Givens rotations" else False
    MORE = c.meaning(
        "",
        ", with the norm of the residual",
        ", with the ratio of the largest to the smallest pivot",
        ", with the log of the volume that the columns span",
    )
    PIVOTS, VOLUME = MORE.endswith("pivot"), MORE.endswith("span")
    c.names({"measure": "ratios ratio" if PIVOTS else "log_volumes logvol" if VOLUME else "norms misfits"})
    KIND = "weighted " if WEIGHTED else ""
    SIDE = "each column of `sides[k]`" if SEVERAL else "`{rhs}[k]`"
    RIGHT_SIDE = "the right-hand sides" if SEVERAL else "the right-hand side"
    SCALED = ""
    if WEIGHTED:
        SCALED = (
            " First multiply each row, that of {RIGHT_SIDE} too, by the square root of its entry in "
            "{weights}."
        )
    FACTOR = (
        "For one column after the other, rotate its row j with each row i below it, in order, so that the "
        "entry (i, j) becomes zero: with p at (j, j) and q at (i, j), row j becomes cs·(row j) + sn·(row i), "
        "and row i becomes cs·(row i) - sn·(row j), in {RIGHT_SIDE} too{ROTATION}."
    )
    ROTATION = "; cs = p / √(p² + q²) and sn = q / √(p² + q²), and nothing is done if both are 0"
    if TANGENT:
        ROTATION = (
            "; of the two rotations that do it, take the one with sn > 0 if |q| > |p|, and otherwise the "
            "one with cs > 0"
        )
    if METHOD == "Householder reflections":
        FACTOR = (
            "For one column after the other, let s be the part of the column from the diagonal down, and r "
            "its length, negative if its first entry is positive. The reflection along s - r·e, with the "
            "first unit vector e, takes s to r·e; apply it to the later columns and to {RIGHT_SIDE}. The "
            "diagonal keeps r, and the entries below it stay as they were before the reflection."
        )
    SOLVED = (
        "Back substitution puts the coefficients in the first rows of {RIGHT_SIDE}; the other rows stay as "
        "the {TURNS} left them."
    )
    TURNS = "rotations" if METHOD == "Givens rotations" else "reflections"
    EXTRA = ""
    if PIVOTS:
        EXTRA = (
            " `{measure}[k]` gets the largest diagonal entry of the triangular factor over the smallest, "
            "both in absolute value."
        )
    elif VOLUME:
        EXTRA = (
            " `{measure}[k]` gets the sum of log |d| over the diagonal entries d of the triangular factor, "
            "the log of the volume that the columns span."
        )
    elif MORE:
        EXTRA = (
            " `{measure}[k]` gets the norm of the residual, the root of the sum of squares of those other "
            "rows."
        )

    @c.kernel(n)
    def kernel(
        weights: wp.array2d[float] = input(n, rows, low=0.2, high=2.0),
        a: wp.array3d[float] = inout(n, rows, cols, low=-1.0, high=1.0),
        rhs: wp.array2d[float] = inout(n, rows, low=-1.0, high=1.0),
        sides: wp.array3d[float] = inout(n, rows, sides, low=-1.0, high=1.0),
        measure: wp.array[float] = output(n),
    ):
        b = wp.tid()
        rows = a.shape[1]
        cols = a.shape[2]
        if WEIGHTED == "weighted ":
            for i in range(rows):
                scale = wp.sqrt(weights[b, i])
                if SEVERAL:
                    for side in range(sides.shape[2]):
                        sides[b, i, side] = scale * sides[b, i, side]
                else:
                    rhs[b, i] = scale * rhs[b, i]
                for j in range(cols):
                    a[b, i, j] = scale * a[b, i, j]
        if VOLUME:
            log_volume = float(0.0)
        elif PIVOTS:
            largest = float(0.0)
            smallest = float(1.0e6)
        for k in range(cols):
            if METHOD == "Givens rotations":
                for i in range(k + 1, rows):
                    p = a[b, k, k]
                    q = a[b, i, k]
                    if TANGENT:
                        cs = float(1.0)
                        sn = float(0.0)
                        # by the smaller quotient, which cannot overflow
                        if wp.abs(q) > wp.abs(p):
                            quotient = p / q
                            sn = 1.0 / wp.sqrt(1.0 + quotient * quotient)
                            cs = sn * quotient
                        elif q != 0.0:
                            quotient = q / p
                            cs = 1.0 / wp.sqrt(1.0 + quotient * quotient)
                            sn = cs * quotient
                    else:
                        length = wp.sqrt(p * p + q * q)
                        if length == 0.0:
                            continue
                        cs = p / length
                        sn = q / length
                    a[b, k, k] = cs * p + sn * q if TANGENT else length
                    a[b, i, k] = 0.0
                    for j in range(k + 1, cols):
                        upper = a[b, k, j]
                        lower = a[b, i, j]
                        a[b, k, j] = cs * upper + sn * lower
                        a[b, i, j] = cs * lower - sn * upper
                    if SEVERAL:
                        for side in range(sides.shape[2]):
                            upper = sides[b, k, side]
                            lower = sides[b, i, side]
                            sides[b, k, side] = cs * upper + sn * lower
                            sides[b, i, side] = cs * lower - sn * upper
                    else:
                        upper = rhs[b, k]
                        lower = rhs[b, i]
                        rhs[b, k] = cs * upper + sn * lower
                        rhs[b, i] = cs * lower - sn * upper
                if VOLUME or PIVOTS:
                    pivot = a[b, k, k]
            else:
                square = float(0.0)
                for i in range(k, rows):
                    square += a[b, i, k] * a[b, i, k]
                # of the opposite sign to the diagonal, so that nothing cancels
                pivot = -wp.sqrt(square) if a[b, k, k] > 0.0 else wp.sqrt(square)
                a[b, k, k] = a[b, k, k] - pivot
                # half the squared length of the reflector
                half = -pivot * a[b, k, k]
                for j in range(k + 1, cols):
                    dot = float(0.0)
                    for i in range(k, rows):
                        dot += a[b, i, k] * a[b, i, j]
                    share = dot / half
                    for i in range(k, rows):
                        a[b, i, j] = a[b, i, j] - share * a[b, i, k]
                if SEVERAL:
                    for side in range(sides.shape[2]):
                        dot = float(0.0)
                        for i in range(k, rows):
                            dot += a[b, i, k] * sides[b, i, side]
                        share = dot / half
                        for i in range(k, rows):
                            sides[b, i, side] = sides[b, i, side] - share * a[b, i, k]
                else:
                    dot = float(0.0)
                    for i in range(k, rows):
                        dot += a[b, i, k] * rhs[b, i]
                    share = dot / half
                    for i in range(k, rows):
                        rhs[b, i] = rhs[b, i] - share * a[b, i, k]
                a[b, k, k] = pivot
            if VOLUME:
                log_volume += wp.log(wp.abs(pivot))
            elif PIVOTS:
                largest = wp.max(largest, wp.abs(pivot))
                smallest = wp.min(smallest, wp.abs(pivot))
        # back substitution
        for k in range(cols - 1, -1, -1):
            if SEVERAL:
                for side in range(sides.shape[2]):
                    acc = sides[b, k, side]
                    for j in range(k + 1, cols):
                        acc -= a[b, k, j] * sides[b, j, side]
                    sides[b, k, side] = acc / a[b, k, k]
            else:
                acc = rhs[b, k]
                for j in range(k + 1, cols):
                    acc -= a[b, k, j] * rhs[b, j]
                rhs[b, k] = acc / a[b, k, k]
        if VOLUME:
            measure[b] = log_volume
        elif PIVOTS:
            measure[b] = largest / smallest
        elif MORE:
            misfit = float(0.0)
            for i in range(cols, rows):
                if SEVERAL:
                    for side in range(sides.shape[2]):
                        misfit += sides[b, i, side] * sides[b, i, side]
                else:
                    misfit += rhs[b, i] * rhs[b, i]
            measure[b] = wp.sqrt(misfit)
