"""Relaxation between coarse and fine grids, around electrodes, line by line."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
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
    """Restricts {fine} to half the size by {METHOD}{EDGE}{MASK}{SCALE}.

    Restrict the fine grid {fine} to a coarse one of half the size by {METHOD}. `{out}[i, j]` gets
    {VALUE}{TIMES}.{BEYOND}{MASKED}
    """
    rows, cols = c.size(4, 6), c.size(4, 6)
    METHOD = c.meaning("full weighting", "half weighting", "injection", "averages of four cells")
    REACHES = METHOD in ("full weighting", "half weighting")
    EDGE = c.meaning(" with replicated edges", " with zero edges") if REACHES else ""
    MASK = c.meaning("", ", zero outside a mask")
    SCALE = c.meaning("", ", times four for the doubled spacing")
    VALUE = {
        "full weighting": "1/16 of the sum of 4 times the value at (2·i, 2·j) of {fine}, 2 times its "
        "four side neighbours and its four diagonal neighbours",
        "half weighting": "1/8 of the sum of 4 times the value at (2·i, 2·j) of {fine} and its four side "
        "neighbours",
        "injection": "the value at (2·i, 2·j) of {fine}",
        "averages of four cells": "¼ of the sum of the four cells of {fine} in rows 2·i and 2·i + 1 and "
        "columns 2·j and 2·j + 1",
    }[METHOD]
    BEYOND = ""
    if EDGE:
        BEYOND = " Neighbours before the first row or column are " + (
            "0." if "zero" in EDGE else "those in the first one."
        )
    TIMES = ", all times 4 for the doubled spacing" if SCALE else ""
    MASKED = " It is 0 where {mask} is 0." if MASK else ""

    def at(fine: wp.array2d[float], y: int, x: int) -> float:
        if EDGE == " with replicated edges":
            return fine[wp.max(y, 0), wp.max(x, 0)]
        else:
            if y < 0 or x < 0:
                return 0.0
            return fine[y, x]

    @c.kernel(rows, cols)
    def kernel(
        fine: wp.array2d[float] = input(2 * rows, 2 * cols, low=-1.0, high=1.0),
        mask: wp.array2d[int] = input(rows, cols, low=0, high=1),
        out: wp.array2d[float] = output(rows, cols, of="residual"),
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
    """Adds {coarse}{DAMP} to {fine} in place by {METHOD} between {GRID} grids{MASK}{NORM}.

    Prolong a correction from the grid {coarse} to {fine} by {METHOD}, the grids being {GRID}. {LIFTED}.
    This{TIMES} is added to {fine} in place.{MASKED}{SUMMED}
    """
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
    LIFTED = {
        ("bilinear interpolation", "nodal"): "Node (i, j) of the coarse grid is node (2·i, 2·j) of the "
        "fine one. A fine node gets the value of the coarse node that it is, or the mean of the two that "
        "it lies between, or of the four around it (¼ of each)",
        ("bilinear interpolation", "cell-centred"): "Each coarse cell (⌊i/2⌋, ⌊j/2⌋) holds four fine "
        "cells (i, j). A fine cell gets 9/16 of its coarse cell, 3/16 of each of the two coarse cells "
        "beside that on the sides where it lies, and 1/16 of the one diagonal to it there; coarse "
        "indices are clamped to the grid",
        ("piecewise-constant interpolation", "nodal"): "Fine node (i, j) gets the value of the coarse "
        "node (⌊(i + 1)/2⌋, ⌊(j + 1)/2⌋)",
        ("piecewise-constant interpolation", "cell-centred"): "Fine cell (i, j) gets the value of the "
        "coarse cell (⌊i/2⌋, ⌊j/2⌋)",
    }[METHOD, GRID]
    TIMES = " times {DAMPING}" if DAMP else ""
    MASKED = " Cells whose {solid} is 1 get nothing." if MASK else ""
    SUMMED = " `{total}[0]` gets the sum of the squares of all that is added." if NORM else ""

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
        coarse: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        solid: wp.array2d[int] = input(height, width, low=0, high=1),
        fine: wp.array2d[float] = inout(height, width, low=-1.0, high=1.0),
        total: wp.array[float] = output(1),
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
    boundary{CHANGE}.

    Do one {DAMP}Jacobi sweep for the potential {u} around electrodes {GEOMETRY}. A cell whose {label} is 0 or
    more belongs to that electrode of {electrodes} and gets its `voltage`. For other cells the relaxed value
    is {STAR}{RADIUS}; {BEYOND}. {STEP}.{MOVES}
    """
    rows, cols, count = c.size(5, 7), c.size(5, 7), c.size(2, 4)
    GEOMETRY, EDGE = c.meaning("in the plane", "in axial symmetry"), c.meaning("zero-flux", "zero Dirichlet")
    # no dielectric is known beyond a grounded boundary
    FILL = c.meaning("", "dielectrics") if EDGE == "zero-flux" else ""
    CHARGE, DAMP = c.meaning("", "charges"), c.meaning("", "damped ")
    AMONG = " among " + " and ".join(said for said in (FILL, CHARGE) if said) if FILL or CHARGE else ""
    CHANGE, OMEGA = c.meaning("", ", and how much it changes"), c.constant(0.5, 0.9)
    c.once("relaxation", DAMP)
    c.once("change", CHANGE)
    BEYOND = "the potential beyond the edges is 0"
    if EDGE == "zero-flux":
        BEYOND = "the potential beyond the edges is that of the nearest cell" + (
            ", and so is {permittivity}" if FILL else ""
        )
    AXIAL = GEOMETRY == "in axial symmetry"
    SOURCE = " + {b}" if CHARGE else ""
    if FILL:
        STAR = (
            "(w₁·u₁ + w₂·u₂ + w₃·u₃ + w₄·u₄{SOURCE}) / (w₁ + w₂ + w₃ + w₄) over its left, right, upper "
            "and lower neighbours u₁ … u₄, in which each weight w is the mean of {permittivity} of the "
            "cell and of that neighbour"
        )
        if AXIAL:
            STAR += "; in axial symmetry w₁ is multiplied by 1 - ½/R and w₂ by 1 + ½/R"
    else:
        STAR = "¼·(the sum of its four neighbours{RINGS}{SOURCE})"
    RINGS = " + ½/R·(right neighbour - left neighbour)" if AXIAL else ""
    RADIUS = ", with R = j + ½ the radius of cell (i, j)" if AXIAL else ""
    STEP = "In these cells {out} gets this value"
    if DAMP:
        STEP = "In these cells {out} gets the old potential plus {OMEGA} times the way from it to this value"
    MOVES = " {moved} gets the absolute change of each cell, also of electrodes." if CHANGE else ""

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
        u: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0, of="field before"),
        b: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0, of="residual"),
        label: wp.array2d[int] = input(rows, cols, low=-3, high=count - 1),
        electrodes: wp.array[Electrode] = input(count, low=0.2, high=2.0),
        permittivity: wp.array2d[float] = input(rows, cols, low=1.0, high=4.0),
        out: wp.array2d[float] = output(rows, cols, of="field"),
        moved: wp.array2d[float] = output(rows, cols),
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
    sides{NORM}.

    Relax Poisson's equation on the {PARITY} lines of a grid, {HOW} (zebra line relaxation). Row r of {u} is
    one of these lines, and {others} has the lines between, so that its neighbours beside it are {BESIDE}; one
    that does not exist {BESIDE_EDGE}. A neighbour in the line beyond its ends is {END}. The defect is
    {DEFECT}.

    {DO}{NORMED}
    """
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
    Load = inout if HOW == "by a tridiagonal solve" else input
    BESIDE = (
        "`{others}[r]` above and `{others}[r + 1]` below"
        if PARITY == "odd"
        else "`{others}[r - 1]` above and `{others}[r]` below"
    )
    BESIDE_EDGE = "is 0" if EDGE == "Dirichlet" else "counts as the other of the two"
    END = "0" if ENDS == "Dirichlet" else "the value at the end itself"
    DEFECT = "d = {load} + (both neighbours in the line) + (both neighbours beside it) - 4·{u}"
    if STRETCH:
        DEFECT = (
            "d = {load} + (both neighbours in the line) + {ASPECT}·(both neighbours beside it) - 2·(1 + "
            "{ASPECT})·{u}"
        )
    if HOW == "by a tridiagonal solve":
        DO = (
            "With all defects of the old {u}, solve the line by the Thomas algorithm, {inverse} holding "
            "1 over the pivots p. Elimination gives y(k) = (d(k) + y(k - 1)) / p(k) from the left, which "
            "replaces {load}; back substitution from the right gives the corrections e(k) = y(k) + e(k + "
            "1) / p(k), which are added to {u}. Beyond the ends y and e are 0."
        )
    else:
        DO = (
            "Sweep a line forth from its first entry to its last and then back, adding {OMEGA}·d/4 to "
            "each entry of {u} in turn, with d of the values at that time."
        )
    WHICH = "the defects" if HOW == "by a tridiagonal solve" else "the defects d of the way back"
    NORMED = ""
    if NORM:
        NORMED = (
            " {total} gets the sum of the squares of {WHICH} of each line."
            if "squared" in NORM
            else " {total} gets the largest absolute value of {WHICH} of each line."
        )

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
        u: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0),
        others: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        load: wp.array2d[float] = Load(rows, cols, low=-1.0, high=1.0),
        inverse: wp.array[float] = input(cols, low=0.25, high=0.4),
        total: wp.array[float] = output(rows),
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
