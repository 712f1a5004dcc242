"""Relaxation between coarse and fine grids, around electrodes, line by line."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .relaxation import NAMES


@idiom(
    level=3,
    names=NAMES
    | {
        "fine": "fine residual defect",
        "out": "out coarse coarse_b",
        "y x": "y x | fi fj | row col",
        "sides": "sides edges adjacent",
        "corners": "corners diagonal far",
        "kernel": "restrict coarsen downsample",
    },
)
def restrict_residual(c):
    """Restricts {fine} to half the size by {METHOD}{EDGE}{MASK}{SCALE}."""
    rows, cols = c.size(4, 6), c.size(4, 6)
    METHOD = c.meaning("full weighting", "half weighting", "injection", "averages of four cells")
    REACHES = METHOD in ("full weighting", "half weighting")
    EDGE = c.meaning(" with replicated edges", " with zero edges") if REACHES else ""
    MASK = c.meaning("", ", zero outside a mask")
    SCALE = c.meaning("", ", times four for the doubled spacing")

    def at(fine: wp.array2d[float], y: int, x: int) -> float:
        if EDGE == " with replicated edges":
            return fine[wp.max(y, 0), wp.max(x, 0)]
        else:
            if y < 0 or x < 0:
                return 0.0
            return fine[y, x]

    @c.kernel(rows, cols)
    def kernel(
        fine: wp.array2d[float] = given(2 * rows, 2 * cols, low=-1.0, high=1.0),
        mask: wp.array2d[int] = given(rows, cols, low=0, high=1),
        out: wp.array2d[float] = result(rows, cols, of="residual"),
    ):
        i, j = wp.tid()
        if MASK:
            if mask[i, j] == 0:
                out[i, j] = 0.0
                return
        y = 2 * i
        x = 2 * j
        if METHOD == "averages of four cells":
            value = 0.25 * (fine[y, x] + fine[y, x + 1] + fine[y + 1, x] + fine[y + 1, x + 1])
        elif METHOD == "injection":
            value = fine[y, x]
        else:
            sides = at(fine, y - 1, x) + at(fine, y + 1, x) + at(fine, y, x - 1) + at(fine, y, x + 1)
            if METHOD == "full weighting":
                corners = at(fine, y - 1, x - 1) + at(fine, y - 1, x + 1)
                corners += at(fine, y + 1, x - 1) + at(fine, y + 1, x + 1)
                value = (4.0 * fine[y, x] + 2.0 * sides + corners) / 16.0
            else:
                value = (4.0 * fine[y, x] + sides) / 8.0
        if SCALE:
            # the square of the spacing goes with the right side
            out[i, j] = 4.0 * value
        else:
            out[i, j] = value


@idiom(
    level=4,
    names=NAMES
    | {
        "y x": "y x | ci cj | row col",
        "y1 x1": "y1 x1 | other_y other_x | ci1 cj1",
        "value": "value correction lifted",
        "total": "total squares",
        "kernel": "prolong interpolate_up correct_fine",
    },
)
def add_coarse_correction(c):
    """Adds {coarse}{DAMP} to {fine} in place by {METHOD} between {GRID} grids{MASK}{NORM}."""
    rows, cols = c.size(3, 4), c.size(3, 4)
    METHOD, GRID = (
        c.meaning("bilinear interpolation", "piecewise-constant interpolation"),
        c.meaning("nodal", "cell-centred"),
    )
    DAMP, MASK = c.meaning("", " times a damping factor"), c.meaning("", ", except in solid cells")
    NORM = c.meaning("", ", and sums the squares of what it adds")
    DAMPING = c.constant(0.4, 0.95)
    # Nodes of the coarse grid are nodes of the fine one, from border to border.
    height, width = (2 * rows - 1, 2 * cols - 1) if GRID == "nodal" else (2 * rows, 2 * cols)

    def constant(coarse: wp.array2d[float], i: int, j: int) -> float:
        if GRID == "nodal":
            # the nearest node of the coarse grid
            return coarse[(i + 1) // 2, (j + 1) // 2]
        else:
            return coarse[i // 2, j // 2]

    def bilinear(coarse: wp.array2d[float], i: int, j: int) -> float:
        y = i // 2
        x = j // 2
        if GRID == "nodal":
            y1 = (i + 1) // 2
            x1 = (j + 1) // 2
            # at a node of the coarse grid all four are the same
            return 0.25 * (coarse[y, x] + coarse[y, x1] + coarse[y1, x] + coarse[y1, x1])
        else:
            y1 = wp.clamp(y + 2 * (i % 2) - 1, 0, coarse.shape[0] - 1)
            x1 = wp.clamp(x + 2 * (j % 2) - 1, 0, coarse.shape[1] - 1)
            sides = 3.0 * (coarse[y, x1] + coarse[y1, x])
            return (9.0 * coarse[y, x] + sides + coarse[y1, x1]) / 16.0

    lift = bilinear if METHOD == "bilinear interpolation" else constant

    @c.kernel(height, width)
    def kernel(
        coarse: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        solid: wp.array2d[int] = given(height, width, low=0, high=1),
        fine: wp.array2d[float] = updated(height, width, low=-1.0, high=1.0),
        total: wp.array[float] = result(1),
    ):
        i, j = wp.tid()
        if MASK:
            if solid[i, j] == 1:
                return
        value = lift(coarse, i, j)
        if DAMP:
            value *= DAMPING
        fine[i, j] += value
        if NORM:
            wp.atomic_add(total, 0, value * value)


@idiom(
    level=4,
    names=NAMES
    | {
        "label": "label kind electrode_of",
        "electrodes": "electrodes plates conductors",
        "inner outer": "inner outer | west_weight east_weight",
        "radius": "radius r rho_j",
        "relaxed": "relaxed mean target",
        "plate": "plate index electrode",
        "moved": "moved change delta",
        "left right": "left right | west east | kw ke",
        "up down": "up down | north south | kn ks",
        "permittivity": "permittivity epsilon eps",
        "own": "own middle eps_here",
        "total": "total weighted near",
        "kernel": "relax_electrodes laplace_step solve_laplace",
    },
)
def laplace_with_electrodes(c):
    """A {DAMP}Jacobi sweep for the potential around {electrodes} {GEOMETRY}{AMONG}, with a {EDGE}
    boundary{CHANGE}."""
    rows, cols, count = c.size(5, 7), c.size(5, 7), c.size(2, 4)
    GEOMETRY, EDGE = c.meaning("in the plane", "in axial symmetry"), c.meaning("zero-flux", "zero Dirichlet")
    # no dielectric is known beyond a grounded boundary
    FILL = c.meaning("", "dielectrics") if EDGE == "zero-flux" else ""
    CHARGE, DAMP = c.meaning("", "charges"), c.meaning("", "damped ")
    AMONG = " among " + " and ".join(said for said in (FILL, CHARGE) if said) if FILL or CHARGE else ""
    CHANGE, OMEGA = c.meaning("", ", and how much it changes"), c.constant(0.5, 0.9)
    c.once("relaxation", DAMP)
    c.once("change", CHANGE)

    class Electrode:
        voltage: float

    def at(u: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "zero-flux":
            return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]
        else:
            if i < 0 or j < 0 or i >= u.shape[0] or j >= u.shape[1]:
                return 0.0
            return u[i, j]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0, of="field before"),
        b: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0, of="residual"),
        label: wp.array2d[int] = given(rows, cols, low=-3, high=count - 1),
        electrodes: wp.array[Electrode] = given(count, low=0.2, high=2.0),
        permittivity: wp.array2d[float] = given(rows, cols, low=1.0, high=4.0),
        out: wp.array2d[float] = result(rows, cols, of="field"),
        moved: wp.array2d[float] = result(rows, cols),
    ):
        i, j = wp.tid()
        plate = label[i, j]
        if plate >= 0:
            # a conductor has one potential
            out[i, j] = electrodes[plate].voltage
            if CHANGE:
                moved[i, j] = wp.abs(electrodes[plate].voltage - u[i, j])
            return
        if FILL:
            own = permittivity[i, j]
            left = 0.5 * (own + at(permittivity, i, j - 1))
            right = 0.5 * (own + at(permittivity, i, j + 1))
            up = 0.5 * (own + at(permittivity, i - 1, j))
            down = 0.5 * (own + at(permittivity, i + 1, j))
            if GEOMETRY == "in axial symmetry":
                radius = float(j) + 0.5
                left *= 1.0 - 0.5 / radius
                right *= 1.0 + 0.5 / radius
            total = left * at(u, i, j - 1) + right * at(u, i, j + 1)
            total += up * at(u, i - 1, j) + down * at(u, i + 1, j)
            if CHARGE:
                total += b[i, j]
            relaxed = total / (left + right + up + down)
        else:
            total = at(u, i - 1, j) + at(u, i + 1, j) + at(u, i, j - 1) + at(u, i, j + 1)
            if GEOMETRY == "in axial symmetry":
                # the outer face of a ring is larger than the inner one
                radius = float(j) + 0.5
                total += 0.5 / radius * (at(u, i, j + 1) - at(u, i, j - 1))
            if CHARGE:
                total += b[i, j]
            relaxed = 0.25 * total
        if DAMP:
            relaxed = u[i, j] + OMEGA * (relaxed - u[i, j])
        out[i, j] = relaxed
        if CHANGE:
            moved[i, j] = wp.abs(relaxed - u[i, j])


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "line": "line row strip",
        "others": "others other_lines beside",
        "load": "load f defect",
        "inverse": "inverse pivots_inv factors",
        "carry": "carry partial running",
        "left right": "left right | west east",
        "above below": "above below | north south",
        "last": "last end n_last",
        "worst": "worst norm size",
        "k": "k x j",
        "at": "at neighbour beside_line",
        "total": "total norms errors",
        "kernel": "line_relax zebra_sweep solve_lines",
    },
)
def zebra_line_relaxation(c):
    """Relaxes each {PARITY} line of Poisson's equation in place {HOW}{STRETCH}, with {ENDS} ends and {EDGE}
    sides{NORM}."""
    rows, cols = c.size(4, 6), c.size(6, 9)
    HOW = c.meaning("by a tridiagonal solve", "by symmetric over-relaxation")
    PARITY = c.meaning("even", "odd")
    ENDS, EDGE = c.meaning("Dirichlet", "Neumann"), c.meaning("Dirichlet", "Neumann")
    STRETCH, NORM = (
        c.meaning("", " on stretched cells") if HOW == "by a tridiagonal solve" else "",
        c.meaning("", ", and sums squared residuals of each", ", and finds the largest residual of each"),
    )
    if HOW == "by symmetric over-relaxation":
        c.names({"kernel": "relax_lines sweep_lines ssor_lines"})
    if "squared" in NORM:
        c.names({"worst": "norm squares"})
    elif NORM:
        c.names({"worst": "worst largest", "total": "worst_out largest_out"})
    ASPECT, OMEGA = c.constant(0.2, 0.8), c.constant(1.1, 1.6)
    Load = updated if HOW == "by a tridiagonal solve" else given

    def along(u: wp.array2d[float], line: int, k: int) -> float:
        """The two neighbours in the line."""
        last = u.shape[1] - 1
        if ENDS == "Neumann":
            return u[line, wp.max(k - 1, 0)] + u[line, wp.min(k + 1, last)]
        else:
            if k == 0:
                return u[line, 1]
            if k == last:
                return u[line, last - 1]
            return u[line, k - 1] + u[line, k + 1]

    def across(others: wp.array2d[float], line: int, k: int) -> float:
        """The neighbours in the lines above and below, which are not relaxed now."""
        if PARITY == "even":
            if EDGE == "Neumann":
                return others[line, k] + others[wp.max(line - 1, 0), k]
            else:
                if line == 0:
                    return others[line, k]
                return others[line, k] + others[line - 1, k]
        else:
            if EDGE == "Neumann":
                return others[line, k] + others[wp.min(line + 1, others.shape[0] - 1), k]
            else:
                if line == others.shape[0] - 1:
                    return others[line, k]
                return others[line, k] + others[line + 1, k]

    def defect(u: wp.array2d[float], others: wp.array2d[float], load: float, line: int, k: int) -> float:
        if STRETCH:
            middle = 2.0 * (1.0 + ASPECT) * u[line, k]
            return load + along(u, line, k) + ASPECT * across(others, line, k) - middle
        else:
            return load + along(u, line, k) + across(others, line, k) - 4.0 * u[line, k]

    @c.kernel(rows)
    def kernel(
        u: wp.array2d[float] = updated(rows, cols, low=-1.0, high=1.0),
        others: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        load: wp.array2d[float] = Load(rows, cols, low=-1.0, high=1.0),
        inverse: wp.array[float] = given(cols, low=0.25, high=0.4),
        total: wp.array[float] = result(rows),
    ):
        line = wp.tid()
        count = u.shape[1]
        if NORM:
            worst = float(0.0)
        if HOW == "by a tridiagonal solve":
            carry = float(0.0)
            for k in range(count):
                # {inverse} holds one over the pivots of the matrix of a line
                residual = defect(u, others, load[line, k], line, k)
                if "squared" in NORM:
                    worst += residual * residual
                elif NORM:
                    worst = wp.max(worst, wp.abs(residual))
                carry = inverse[k] * (residual + carry)
                # the right side is overwritten by what elimination leaves of it
                load[line, k] = carry
            # back substitution gives the correction
            correction = float(0.0)
            for k in range(count - 1, -1, -1):
                correction = load[line, k] + inverse[k] * correction
                u[line, k] += correction
        else:
            for k in range(count):
                u[line, k] += OMEGA * defect(u, others, load[line, k], line, k) / 4.0
            for k in range(count - 1, -1, -1):
                residual = defect(u, others, load[line, k], line, k)
                u[line, k] += OMEGA * residual / 4.0
                if "squared" in NORM:
                    worst += residual * residual
                elif NORM:
                    worst = wp.max(worst, wp.abs(residual))
        if NORM:
            total[line] = worst
