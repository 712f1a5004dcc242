"""Advection by fluxes through the faces of cells."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .advection import NAMES


@idiom(
    level=3,
    names=NAMES
    | {
        "fx fy": "fx fy | flux_x flux_y | east_flux north_flux",
        "fz": "fz flux_z up_flux",
        "net": "net outflow divergence",
        "volume": "volume cell_volume volumes",
        "total": "total budget mass_change",
        "change": "change delta gain",
        "kernel": "apply_fluxes finite_volume_update",
    },
)
def apply_face_fluxes(c):
    """Updates {q} in place by {FLUXES}{SOURCE}{VOLUME}{FLOOR}{BUDGET}.

    Update the cells of {q} in place by a finite-volume step. {FACES}

    The net outflow of a cell is the sum, over {AXES}, of the flux through its upper face minus that through
    its lower one{SOURCES}. The cell changes by -{dt} times the net outflow{PER}{LIMIT}.{SUM}
    """
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    FLUXES = c.meaning(
        "the fluxes through six faces",
        "stacked fluxes through six faces",
        "the fluxes through four side faces",
    )
    VOLUME, SOURCE = c.meaning("", " per cell volume"), c.meaning("", " and sources")
    FLOOR, BUDGET = c.meaning("", ", kept non-negative"), c.meaning("", ", and sums the gains")
    if SOURCE:
        c.names({"net": "net net_loss lost"})
    FACES = (
        "`{fx}[i, j, k]` is the flux along i through the lower face of cell (i, j, k) and "
        "`{fx}[i + 1, j, k]` that through its upper one; likewise {fy} with j{AND} for the other {REST}."
    )
    AND, REST = " and {fz} with k", "axes"
    AXES = "the three axes"
    if FLUXES == "stacked fluxes through six faces":
        FACES = (
            "`{fluxes}[a, i, j, k]` is the flux along axis a through the lower face of cell (i, j, k); "
            "the flux through "
            "its upper one is a place further along axis a."
        )
    elif FLUXES == "the fluxes through four side faces":
        AND, REST, AXES = "", "axis", "the first two axes"
    SOURCES = ", less its {source}" if SOURCE else ""
    PER = ", divided by its {volume}" if VOLUME else ""
    LIMIT = ", but by no less than -{q}, so that it does not become negative" if FLOOR else ""
    SUM = ""
    if BUDGET:
        SUM = " Add the changes of all cells{EACH} up in {total}."
        EACH = ", each times its volume," if VOLUME else ""

    @c.kernel(nx, ny, nz)
    def kernel(
        q: wp.array3d[float] = inout(nx, ny, nz, low=0.05, high=2.0, of="field"),
        fluxes: wp.array4d[float] = input(3, nx + 1, ny + 1, nz + 1, low=-1.0, high=1.0),
        fx: wp.array3d[float] = input(nx + 1, ny, nz, low=-1.0, high=1.0),
        fy: wp.array3d[float] = input(nx, ny + 1, nz, low=-1.0, high=1.0),
        fz: wp.array3d[float] = input(nx, ny, nz + 1, low=-1.0, high=1.0),
        source: wp.array3d[float] = input(nx, ny, nz, low=-1.0, high=1.0, of="residual"),
        volume: wp.array3d[float] = input(nx, ny, nz, low=0.5, high=2.0),
        dt: float = input(low=0.2, high=0.6),
        total: wp.array[float] = output(1),
    ):
        i, j, k = wp.tid()
        if FLUXES == "stacked fluxes through six faces":
            # the first index says along which axis a flux goes
            net = fluxes[0, i + 1, j, k] - fluxes[0, i, j, k]
            net += fluxes[1, i, j + 1, k] - fluxes[1, i, j, k]
            net += fluxes[2, i, j, k + 1] - fluxes[2, i, j, k]
        else:
            net = fx[i + 1, j, k] - fx[i, j, k] + fy[i, j + 1, k] - fy[i, j, k]
            if FLUXES == "the fluxes through six faces":
                net += fz[i, j, k + 1] - fz[i, j, k]
        if SOURCE:
            net -= source[i, j, k]
        if VOLUME:
            change = -dt * net / volume[i, j, k]
        else:
            change = -dt * net
        if FLOOR:
            # no more is taken than there is
            change = wp.max(change, -q[i, j, k])
        q[i, j, k] += change
        if BUDGET:
            if VOLUME:
                wp.atomic_add(total, 0, change * volume[i, j, k])
            else:
                wp.atomic_add(total, 0, change)


@idiom(
    level=4,
    names=NAMES
    | {
        "nu": "nu courant cfl",
        "jump": "jump difference step_up",
        "ratio": "ratio r smoothness",
        "donor": "donor upwind_value carried",
        "before": "before behind upwind_jump",
        "flux": "flux face_flux limited_flux",
        "face_nu": "face_nu face_courant courant_at_faces",
        "kernel": "tvd tvd_advection limited_advection",
    },
)
def limited_transport(c):
    """{WANTED} {q} along rows {COURANT}, with the {LIMITER} limiter and {ENDS} ends.

    {PURPOSE} along rows by a flux-limited (TVD) Lax-Wendroff scheme with the {LIMITER} limiter. Face k of a
    row lies between cells k - 1 and k, and its Courant number n is {GIVEN}{FACES}. With D for the rise from
    cell k - 1 to cell k of {q}, the flux through the face is

    n·donor + ½·|n|·(1 - |n|)·L(r)·D,

    where the donor is the upwind value, that of {UPWIND}, and r is the rise {BEFORE}, divided by D. If |D| <
    1e-6, the flux is n·donor alone. The limiter is L(r) = {FORMULA}. {OUTSIDE} {STORED}
    """
    rows, cols = c.size(3, 5), c.size(7, 9)
    WANTED = c.meaning("A step that carries", "The fluxes through cell faces that carry")
    ENDS = c.meaning("periodic", "open")
    FLUXES = WANTED != "A step that carries"
    COURANT = c.meaning("in a steady wind", "by Courant numbers at the faces")
    # a periodic row ends with the face that it begins with
    faces = cols if ENDS == "periodic" else cols + 1
    threads = faces if FLUXES else cols
    if FLUXES:
        c.names({"kernel": "tvd_fluxes limited_fluxes", "out": "out fluxes face_fluxes"})

    def minmod(r: float) -> float:
        return wp.clamp(r, 0.0, 1.0)

    def superbee(r: float) -> float:
        return wp.max(0.0, wp.max(wp.min(2.0 * r, 1.0), wp.min(r, 2.0)))

    def van_leer(r: float) -> float:
        """Smooth but for a kink at zero."""
        return (r + wp.abs(r)) / (1.0 + wp.abs(r))

    def monotonized(r: float) -> float:
        """The central slope, unless it is more than twice the one on either side."""
        return wp.max(0.0, wp.min(wp.min(2.0 * r, 0.5 * (1.0 + r)), 2.0))

    def van_albada(r: float) -> float:
        if r <= 0.0:
            return 0.0
        return (r * r + r) / (r * r + 1.0)

    def koren(r: float) -> float:
        # of third order in space where the profile is smooth
        return wp.max(0.0, wp.min(wp.min(2.0 * r, (2.0 + r) / 3.0), 2.0))

    limiter = c.meaning(minmod, superbee, van_leer, monotonized, van_albada, koren)
    NAMED = {"van_leer": "van Leer", "monotonized": "monotonized central", "koren": "Koren"}
    LIMITER = (NAMED | {"van_albada": "van Albada"}).get(limiter.__name__, limiter.__name__)

    def cell(q: wp.array2d[float], row: int, k: int) -> float:
        if ENDS == "periodic":
            return q[row, (k + q.shape[1]) % q.shape[1]]
        else:
            return q[row, wp.clamp(k, 0, q.shape[1] - 1)]

    def flux(q: wp.array2d[float], row: int, k: int, nu: float) -> float:
        """What crosses the face between a cell and the one before it in a step."""
        jump = cell(q, row, k) - cell(q, row, k - 1)
        if COURANT == "by Courant numbers at the faces":
            donor = cell(q, row, k)
            before = cell(q, row, k + 1) - donor
            if nu > 0.0:
                donor = cell(q, row, k - 1)
                before = donor - cell(q, row, k - 2)
        else:
            donor = cell(q, row, k - 1)
            before = donor - cell(q, row, k - 2)
        if wp.abs(jump) < 1.0e-6:
            return nu * donor
        size = wp.abs(nu) if COURANT == "by Courant numbers at the faces" else nu
        return nu * donor + 0.5 * size * (1.0 - size) * limiter(before / jump) * jump

    PURPOSE = "Find the fluxes that carry {q}" if FLUXES else "Carry {q}"
    GIVEN = "the positive {nu}"
    if COURANT == "by Courant numbers at the faces":
        GIVEN = "`{face_nu}[row, k]`"
    FACES = ""
    if ENDS == "periodic" and COURANT == "by Courant numbers at the faces":
        FACES = ", the face behind the last cell being face 0"
    UPWIND, BEFORE = "cell k - 1", "from cell k - 2 to cell k - 1"
    if COURANT == "by Courant numbers at the faces":
        UPWIND = "cell k - 1 if n > 0 and of cell k otherwise"
        BEFORE = "from cell k - 2 to cell k - 1 or from cell k to cell k + 1 respectively"
    FORMULA = {
        minmod: "r clamped to [0, 1]",
        superbee: "max(0, min(2·r, 1), min(r, 2))",
        van_leer: "(r + |r|) / (1 + |r|)",
        monotonized: "max(0, min(2·r, ½·(1 + r), 2))",
        van_albada: "(r² + r) / (r² + 1) if r > 0 and 0 otherwise",
        koren: "max(0, min(2·r, (2 + r) / 3, 2))",
    }[limiter]
    OUTSIDE = "The rows are periodic."
    if ENDS == "open":
        OUTSIDE = "Cells past an end have the value of the last cell there."
    STORED = "`{out}[row, k]` gets the flux through face k."
    if not FLUXES:
        STORED = "{out} gets each cell less the flux through face k + 1, plus that through face k."

    @c.kernel(rows, threads)
    def kernel(
        q: wp.array2d[float] = input(rows, cols, low=0.0, high=2.0),
        face_nu: wp.array2d[float] = input(rows, faces, low=-0.8, high=0.8),
        nu: float = input(low=0.2, high=0.8),
        out: wp.array2d[float] = output(rows, threads, of=None if FLUXES else "field"),
    ):
        row, k = wp.tid()
        if FLUXES:
            if COURANT == "by Courant numbers at the faces":
                out[row, k] = flux(q, row, k, face_nu[row, k])
            else:
                out[row, k] = flux(q, row, k, nu)
        else:
            if COURANT == "by Courant numbers at the faces":
                west = flux(q, row, k, face_nu[row, k])
                if ENDS == "periodic":
                    east = flux(q, row, k + 1, face_nu[row, (k + 1) % q.shape[1]])
                else:
                    east = flux(q, row, k + 1, face_nu[row, k + 1])
            else:
                west = flux(q, row, k, nu)
                east = flux(q, row, k + 1, nu)
            out[row, k] = q[row, k] - (east - west)


@idiom(
    level=5,
    names=NAMES
    | {
        "u": "u speed velocity",
        "out": "out u_new next_u",
        "left right": "left right | ul ur | u_left u_right",
        "line": "line profile values",
        "kernel": "step_burgers burgers_update",
        "ratio": "ratio dt_dx lam",
        "change": "change delta gain",
    },
)
def burgers_step(c):
    """Steps Burgers' equation along rows by {NAME} fluxes of {CELLS} states, with {ENDS} ends{VISCOSITY}.

    Step Burgers' equation, the conservation law of a value U with the flux U²/2, along the rows of {u} by a
    finite-volume scheme with {NAME} fluxes. {ratio} is the time step over the cell size. {out} gets each cell
    plus {ratio} times the flux through its left face minus that through its right face{TERM}.

    The flux between the states L to the left of a face and R to its right is {FORMULA}. {STATES} {OUTSIDE}
    """
    rows, cols = c.size(3, 5), c.size(7, 10)
    CELLS = c.meaning("piecewise constant", "minmod-limited")
    ENDS = c.meaning("periodic", "open", "reflecting")
    VISCOSITY = c.meaning("", " and viscosity", " and quadratic drag")
    VISCOUS, DRAG = c.constant(0.1, 0.6), c.constant(0.1, 0.6)

    def godunov(left: float, right: float) -> float:
        """The flux of the exact solution between two states."""
        if left > right:
            # a shock, which goes where the mean points
            if left + right > 0.0:
                return 0.5 * left * left
            return 0.5 * right * right
        if left > 0.0:
            return 0.5 * left * left
        if right < 0.0:
            return 0.5 * right * right
        return 0.0

    def rusanov(left: float, right: float) -> float:
        """The mean flux, less what the faster of two states may spread."""
        fastest = wp.max(wp.abs(left), wp.abs(right))
        return 0.25 * (left * left + right * right) - 0.5 * fastest * (right - left)

    def engquist_osher(left: float, right: float) -> float:
        """What the left state sends forward and the right one back."""
        forward = wp.max(left, 0.0)
        backward = wp.min(right, 0.0)
        return 0.5 * (forward * forward + backward * backward)

    def roe(left: float, right: float) -> float:
        """The mean flux, upwinded by the speed of a jump between the states."""
        mean = 0.5 * (left + right)
        return 0.25 * (left * left + right * right) - 0.5 * wp.abs(mean) * (right - left)

    FLUX = c.meaning(godunov, rusanov, engquist_osher, roe)
    NAME = {"engquist_osher": "Engquist-Osher"}.get(FLUX.__name__, FLUX.__name__.title())

    def cell(line: wp.array[float], k: int) -> float:
        if ENDS == "periodic":
            return line[(k + line.shape[0]) % line.shape[0]]
        elif ENDS == "open":
            return line[wp.clamp(k, 0, line.shape[0] - 1)]
        else:
            # what lies behind a wall moves the other way
            if k < 0 or k >= line.shape[0]:
                return -line[(2 * line.shape[0] - 1 - k) % line.shape[0]]
            return line[k]

    def slope(line: wp.array[float], k: int) -> float:
        """The lesser of the slopes to both sides; none at a peak."""
        back = cell(line, k) - cell(line, k - 1)
        front = cell(line, k + 1) - cell(line, k)
        if back * front <= 0.0:
            return 0.0
        return wp.where(wp.abs(back) < wp.abs(front), back, front)

    def face(line: wp.array[float], k: int) -> float:
        """The flux into a cell from the one before it."""
        if CELLS == "minmod-limited":
            left = cell(line, k - 1) + 0.5 * slope(line, k - 1)
            right = cell(line, k) - 0.5 * slope(line, k)
            return FLUX(left, right)
        else:
            return FLUX(cell(line, k - 1), cell(line, k))

    FORMULA = {
        godunov: "that of the exact Riemann solution, ½·max(max(L, 0)², min(R, 0)²)",
        rusanov: "¼·(L² + R²) - ½·max(|L|, |R|)·(R - L)",
        engquist_osher: "½·(max(L, 0)² + min(R, 0)²)",
        roe: "¼·(L² + R²) - ½·|½·(L + R)|·(R - L)",
    }[FLUX]
    STATES = "The states are the values of the cells on either side."
    if CELLS == "minmod-limited":
        STATES = (
            "The states are reconstructed: each is the value of its cell plus or minus half the slope of "
            "the cell, at "
            "the face. The slope is the minmod of the differences to the cell before and to the cell "
            "after: 0 if their "
            "product is not positive, and otherwise the one of smaller magnitude."
        )
    OUTSIDE = {
        "periodic": "Rows are periodic.",
        "open": "Cells past an end have the value of the last cell there.",
        "reflecting": "The ends reflect: cells past an end mirror those inside, with the opposite sign.",
    }[ENDS]
    TERM = {
        "": "",
        " and viscosity": (
            ", plus {ratio}·{VISCOUS} times the second difference, the sum of its two neighbours less "
            "twice the cell"
        ),
        " and quadratic drag": ", minus {ratio}·{DRAG}·w·|w| for its value w",
    }[VISCOSITY]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        ratio: float = input(low=0.2, high=0.5),
        out: wp.array2d[float] = output(rows, cols, of="field"),
    ):
        row, k = wp.tid()
        line = u[row]
        here = line[k]
        change = ratio * (face(line, k) - face(line, k + 1))
        if VISCOSITY == " and viscosity":
            # the viscosity is in units of a speed times the spacing
            change += ratio * VISCOUS * (cell(line, k - 1) - 2.0 * here + cell(line, k + 1))
        elif VISCOSITY == " and quadratic drag":
            # the coefficient holds for the length of a cell
            change -= ratio * DRAG * here * wp.abs(here)
        out[row, k] = here + change
