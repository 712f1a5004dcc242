"""Waves on strings, sheets, volumes and water."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "u": "u height wave",
    "old": "old u_prev before",
    "out": "out u_next ahead",
    "lap": "lap laplacian curvature",
    "here": "here centre now",
    "at": "at sample value_at",
    "near": "near sides ring",
    "rows cols": "rows cols | ny nx | height width",
    "row k": "row k | line x | channel k",
    "dt": "dt time_step delta_t",
    "speed": "speed velocity c",
    "force": "force push pull",
}


@idiom(
    level=2,
    differentiable=False,
    names=NAMES
    | {
        "v": "v velocity rate",
        "gap": "gap distance to_edge",
        "depth": "depth inside x",
        "loss": "loss sigma damping",
        "keep": "keep factor gain",
        "kernel": "damp_edges apply_sponge absorb",
    },
)
def sponge_layer_damping(c):
    """Damps {WHAT} in place in a {SHAPE} sponge along {SIDES}, by {FORM}.

    Damp {WHAT} near the edges of a grid, so that waves leave without an echo. With g the number of cells
    between a cell and {NEAREST} (0 for those at the edge), its depth in the sponge is D = 1 - g / {width}, or
    0 if that is negative. The loss is S = {LOSSES}. Multiply {TARGET} by {FACTOR}, in place.
    """
    rows, cols = c.size(8, 10), c.size(8, 10)
    WHAT = c.meaning("a field", "a field and its velocity")
    SHAPE = c.meaning("linear", "quadratic", "cosine")
    SIDES = c.meaning("the right side", "all sides", "both ends of each row")
    FORM = c.meaning("exponential decay", "an implicit step", "an explicit step")
    GUARDED = c.style(True, False)
    STRENGTH = c.constant(0.2, 0.9)
    # A sponge is for waves that would leave.
    c.once("edges")
    NEAREST = {
        "the right side": "the last column",
        "all sides": "the nearest edge of the grid",
        "both ends of each row": "the nearer end of its row",
    }[SIDES]
    LOSSES = {
        "linear": "{STRENGTH}·D",
        "quadratic": "{STRENGTH}·D²",
        "cosine": "{STRENGTH}·(½ - ½·cos(π·D))",
    }[SHAPE]
    TARGET = "{u}" if WHAT == "a field" else "{u} and {v}"
    FACTOR = {
        "exponential decay": "exp(-S)",
        "an implicit step": "1 / (1 + S)",
        "an explicit step": "1 - S",
    }[FORM]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0, of="field"),
        v: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0),
        width: int = input(low=2, high=3),
    ):
        i, j = wp.tid()
        if SIDES == "the right side":
            gap = u.shape[1] - 1 - j
        elif SIDES == "all sides":
            gap = wp.min(wp.min(i, u.shape[0] - 1 - i), wp.min(j, u.shape[1] - 1 - j))
        else:
            gap = wp.min(j, u.shape[1] - 1 - j)
        # the depth in the layer is one at the edge, nothing where it begins
        if GUARDED:
            if gap >= width:
                return
            depth = 1.0 - float(gap) / float(width)
        else:
            depth = wp.max(1.0 - float(gap) / float(width), 0.0)
        if SHAPE == "linear":
            loss = STRENGTH * depth
        elif SHAPE == "quadratic":
            loss = STRENGTH * depth * depth
        else:
            loss = STRENGTH * (0.5 - 0.5 * wp.cos(wp.PI * depth))
        if FORM == "exponential decay":
            keep = wp.exp(-loss)
        elif FORM == "an implicit step":
            keep = 1.0 / (1.0 + loss)
        else:
            keep = 1.0 - loss
        u[i, j] *= keep
        if WHAT == "a field and its velocity":
            v[i, j] *= keep


@idiom(level=3, names=NAMES | {"kernel": "leapfrog wave_step step_wave"})
def leapfrog_wave_step(c):
    """A leapfrog step of the wave equation, of {ORDER} order in space, with {EDGE} edges{MORE}{STORE}.

    Advance the wave equation on a grid by one leapfrog step{LOSSY}. With U the field {u}, O the field {old}
    before it and F = {SQUARED}·L in cell (i, j), the next field is {NEXT}. {TARGET} L is the Laplacian of
    {ORDER} order for a grid of unit steps, {STENCIL}.

    {RIM}
    """
    rows, cols = c.size(6, 8), c.size(6, 8)
    EDGE, ORDER = c.meaning("periodic", "free", "fixed"), c.meaning("second", "fourth")
    DRAG, MEDIUM = c.meaning("", "damping"), c.meaning("", "varying wave speed")
    STORE = c.meaning("", ", overwriting the previous field")
    FOUND = [said for said in (DRAG, MEDIUM) if said]
    MORE = f"{', ' if FOUND[1:] else ' and '}{' and '.join(FOUND)}" if FOUND else ""
    # the higher order is stable up to three eighths
    COURANT_SQUARED, LOSS = c.constant(0.1, 0.35), c.constant(0.05, 0.3)
    c.once("edges", EDGE == "periodic")
    if STORE:
        # what was the past becomes the future
        c.names({"old": "u_prev u_swap previous"})

    def at(u: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "periodic":
            return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]
        elif EDGE == "free":
            return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]
        else:
            if i < 0 or j < 0 or i >= u.shape[0] or j >= u.shape[1]:
                return 0.0
            return u[i, j]

    Old = inout if STORE else input
    LOSSY = " with damping" if DRAG else ""
    SQUARED = "`{speed}[i, j]`²" if MEDIUM else "{COURANT_SQUARED}"
    NEXT = "2·U - O + F"
    if DRAG:
        NEXT = "(2·U - (1 - {LOSS})·O + F) / (1 + {LOSS})"
    TARGET = "The next field replaces O in {old}." if STORE else "Store it in {out}."
    STENCIL = "the sum of the four nearest values less 4·U"
    if ORDER == "fourth":
        STENCIL = (
            "(16·N - M - 60·U) / 12, with N the sum of the four values one step away and M of those two away"
        )
    RIM = {
        "periodic": "The grid is periodic in both directions.",
        "free": "The edges are free: beyond them the field has the value of the nearest cell inside.",
        "fixed": "The edges are fixed: beyond them the field is zero.",
    }[EDGE]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        speed: wp.array2d[float] = input(rows, cols, low=0.2, high=0.6),
        old: wp.array2d[float] = Old(rows, cols, low=-1.0, high=1.0),
        out: wp.array2d[float] = output(rows, cols, of="field"),
    ):
        i, j = wp.tid()
        here = u[i, j]
        near = at(u, i - 1, j) + at(u, i + 1, j) + at(u, i, j - 1) + at(u, i, j + 1)
        if ORDER == "fourth":
            far = at(u, i - 2, j) + at(u, i + 2, j) + at(u, i, j - 2) + at(u, i, j + 2)
            lap = (16.0 * near - far - 60.0 * here) / 12.0
        else:
            lap = near - 4.0 * here
        if MEDIUM:
            force = speed[i, j] * speed[i, j] * lap
        else:
            force = COURANT_SQUARED * lap
        if DRAG:
            ahead = (2.0 * here - (1.0 - LOSS) * old[i, j] + force) / (1.0 + LOSS)
        else:
            ahead = 2.0 * here - old[i, j] + force
        if STORE:
            old[i, j] = ahead
        else:
            out[i, j] = ahead


@idiom(
    level=3,
    differentiable=False,
    names=NAMES
    | {
        "phi": "phi field psi",
        "momentum": "momentum pi phi_dot",
        "out": "out phi_next next_field",
        "kernel": "kick_drift scalar_step field_step",
        "kicked": "kicked new_momentum",
        "source": "source drive charge",
        "nx ny nz": "nx ny nz | width height depth",
        "i j k": "i j k | x y z",
    },
)
def klein_gordon_step(c):
    """Kicks and drifts a scalar field with {TERM}{MORE}, in a box with {EDGE} sides.

    Advance a scalar field, of the Klein-Gordon kind, by a kick and a drift. Its {momentum} P changes in place
    by {dt}·(L - {POTENTIAL}{MORE_FORCE}), where X is the field {phi} of the cell and L its Laplacian: the sum
    of the six neighbours less 6·X. Then the field is X + {dt}·P with the new P, stored in {out}. {RIM}
    """
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    EDGE, EXPANSION = c.meaning("periodic", "replicated", "zero"), c.meaning("", "Hubble drag")
    SOURCE = c.meaning("", "sources")
    FOUND = [said for said in (EXPANSION, SOURCE) if said]
    MORE = f"{', ' if FOUND[1:] else ' and '}{' and '.join(FOUND)}" if FOUND else ""
    MASS, COUPLING, HUBBLE = c.constant(0.5, 2.0), c.constant(0.2, 1.5), c.constant(0.1, 0.6)

    def quadratic(phi: float) -> float:
        """The slope of the potential of a free field."""
        return MASS * MASS * phi

    def sine_gordon(phi: float) -> float:
        """The slope of a potential with minima at all whole turns."""
        return MASS * MASS * wp.sin(phi)

    def quartic(phi: float) -> float:
        """The slope of a potential that is steeper than a parabola."""
        return MASS * MASS * phi + COUPLING * phi * phi * phi

    def double_well(phi: float) -> float:
        """The slope of a potential with minima at one and minus one."""
        return COUPLING * phi * (phi * phi - 1.0)

    SLOPE = c.meaning(quadratic, sine_gordon, quartic, double_well)
    TERM = {
        "quadratic": "a mass term",
        "sine_gordon": "a sine-Gordon potential",
        "quartic": "a mass and a quartic term",
    }.get(SLOPE.__name__, "a double-well potential")

    def at(phi: wp.array3d[float], i: int, j: int, k: int) -> float:
        nx = phi.shape[0]
        ny = phi.shape[1]
        nz = phi.shape[2]
        if EDGE == "periodic":
            return phi[(i + nx) % nx, (j + ny) % ny, (k + nz) % nz]
        elif EDGE == "zero":
            if i < 0 or j < 0 or k < 0 or i >= nx or j >= ny or k >= nz:
                return 0.0
            return phi[i, j, k]
        else:
            return phi[wp.clamp(i, 0, nx - 1), wp.clamp(j, 0, ny - 1), wp.clamp(k, 0, nz - 1)]

    POTENTIAL = {
        "quadratic": "{MASS}²·X",
        "sine_gordon": "{MASS}²·sin(X)",
        "quartic": "{MASS}²·X - {COUPLING}·X³",
        "double_well": "{COUPLING}·X·(X² - 1)",
    }[SLOPE.__name__]
    MORE_FORCE = (" + `{source}[i, j, k]`" if SOURCE else "") + (" - 3·{HUBBLE}·P" if EXPANSION else "")
    RIM = {
        "periodic": "The box is periodic.",
        "replicated": "Beyond its sides the box has the value of the nearest cell inside.",
        "zero": "Beyond the sides of the box the field is zero.",
    }[EDGE]

    @c.kernel(nx, ny, nz)
    def kernel(
        phi: wp.array3d[float] = input(nx, ny, nz, low=-1.0, high=1.0),
        momentum: wp.array3d[float] = inout(nx, ny, nz, low=-1.0, high=1.0),
        source: wp.array3d[float] = input(nx, ny, nz, low=-1.0, high=1.0),
        dt: float = input(low=0.1, high=0.3),
        out: wp.array3d[float] = output(nx, ny, nz),
    ):
        i, j, k = wp.tid()
        here = phi[i, j, k]
        lap = at(phi, i - 1, j, k) + at(phi, i + 1, j, k) - 2.0 * here
        lap += at(phi, i, j - 1, k) + at(phi, i, j + 1, k) - 2.0 * here
        lap += at(phi, i, j, k - 1) + at(phi, i, j, k + 1) - 2.0 * here
        force = lap - SLOPE(here)
        if SOURCE:
            force += source[i, j, k]
        if EXPANSION:
            force -= 3.0 * HUBBLE * momentum[i, j, k]
        kicked = momentum[i, j, k] + dt * force
        momentum[i, j, k] = kicked
        out[i, j, k] = here + dt * kicked


@idiom(
    level=4,
    names=NAMES
    | {
        "u": "u disp",
        "speed": "speed velocity moved",
        "mixed": "mixed shear_xy uxy",
        "across down": "across down | uxx uyy | d_xx d_yy",
        "lame": "lame moduli material",
        "stretch shear": "stretch shear | lam mu",
        "pair": "pair moduli_here constants",
        "squeeze": "squeeze compression grad_div",
        "load": "load body_force applied",
        "poke": "impulse poke",
        "poke_row poke_col": "poke_row poke_col | src_i src_j",
        "force": "force accel",
        "kernel": "elastic_step update_sheet",
    },
)
def elastic_wave_step(c):
    """{STEP} of elastic waves in {MEDIUM} sheet, with {EDGE} edges{MORE}.

    Advance elastic waves in a sheet, with the displacements {u}; x runs along columns j, and y along rows i.
    The force on cell (i, j) is F = M·L + (K + M)·G with the Lamé moduli K and M, {MODULI}. L is the
    Laplacian: the four nearest displacements less 4 times its own. G, the gradient of the divergence, has the
    x component A.x + ¼·C.y and the y component B.y + ¼·C.x: A and B are the second differences along x and y,
    and C is the sum of the displacements at (i - 1, j - 1) and (i + 1, j + 1) less those at (i - 1, j + 1)
    and (i + 1, j - 1).{PUSHED}

    {MOVE} {RIM}
    """
    rows, cols = c.size(5, 7), c.size(5, 7)
    MEDIUM, EDGE = (
        c.meaning("a uniform", "a heterogeneous"),
        c.meaning("periodic", "zero-gradient", "clamped"),
    )
    LOSS, FORCE = c.meaning("", "drag"), c.meaning("", "body forces", "an impulse at one cell")
    FOUND = [said for said in (LOSS, FORCE) if said]
    MORE = f"{', ' if FOUND[1:] else ' and '}{' and '.join(FOUND)}" if FOUND else ""
    STEP = c.meaning("A leapfrog step", "An in-place leapfrog step", "A velocity update")
    DRAG = c.constant(0.05, 0.3)
    Old = inout if STEP == "An in-place leapfrog step" else input
    if STEP == "An in-place leapfrog step":
        # what was the past becomes the future
        c.names({"old": "u_prev u_swap previous"})

    def at(u: wp.array2d[wp.vec2], i: int, j: int) -> wp.vec2:
        if EDGE == "periodic":
            return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]
        elif EDGE == "zero-gradient":
            return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]
        else:
            if i < 0 or j < 0 or i >= u.shape[0] or j >= u.shape[1]:
                return wp.vec2(0.0, 0.0)
            return u[i, j]

    MODULI = "which are {stretch} and {shear}"
    if MEDIUM == "a heterogeneous":
        MODULI = "the two components of `{lame}[i, j]`"
    PUSHED = {
        "": "",
        "body forces": " Add `{load}[i, j]` to F.",
        "an impulse at one cell": " Add {poke} to F at the cell ({poke_row}, {poke_col}).",
    }[FORCE]
    INERTIA = "U + (1 - {DRAG})·(U - O)" if LOSS else "2·U - O"
    TARGET = "; store it in {out}" if STEP == "A leapfrog step" else ", and replaces O in {old}"
    MOVE = "With U the displacement and O that of {old}, the next one is {INERTIA} + F{TARGET}."
    if STEP == "A velocity update":
        MOVE = "The velocity {v} grows by {dt}·F, in place."
        if LOSS:
            MOVE = "The velocity V in {v} grows by {dt}·(F - {DRAG}·V), in place."
    RIM = {
        "periodic": "The sheet is periodic.",
        "zero-gradient": "Beyond the edges the displacement is that of the nearest cell inside.",
        "clamped": "Beyond the edges the displacement is zero.",
    }[EDGE]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[wp.vec2] = input(rows, cols, low=-1.0, high=1.0),
        lame: wp.array2d[wp.vec2] = input(rows, cols, low=0.05, high=0.2),
        stretch: float = input(low=0.05, high=0.2),
        shear: float = input(low=0.05, high=0.2),
        load: wp.array2d[wp.vec2] = input(rows, cols, low=-0.5, high=0.5),
        poke_row: int = input(low=0, high=rows - 1),
        poke_col: int = input(low=0, high=cols - 1),
        poke: wp.vec2 = input(low=-2.0, high=2.0),
        old: wp.array2d[wp.vec2] = Old(rows, cols, low=-1.0, high=1.0),
        v: wp.array2d[wp.vec2] = inout(rows, cols, low=-1.0, high=1.0),
        dt: float = input(low=0.3, high=0.9),
        out: wp.array2d[wp.vec2] = output(rows, cols),
    ):
        i, j = wp.tid()
        here = u[i, j]
        across = at(u, i, j - 1) - 2.0 * here + at(u, i, j + 1)
        down = at(u, i - 1, j) - 2.0 * here + at(u, i + 1, j)
        mixed = at(u, i - 1, j - 1) + at(u, i + 1, j + 1)
        mixed -= at(u, i - 1, j + 1) + at(u, i + 1, j - 1)
        # the gradient of the divergence
        squeeze = wp.vec2(across[0] + 0.25 * mixed[1], down[1] + 0.25 * mixed[0])
        if MEDIUM == "a heterogeneous":
            # the moduli vary slowly: what their slopes would add is left out
            pair = lame[i, j]
            force = pair[1] * (across + down) + (pair[0] + pair[1]) * squeeze
        else:
            force = shear * (across + down) + (stretch + shear) * squeeze
        if FORCE == "body forces":
            force += load[i, j]
        elif FORCE == "an impulse at one cell":
            if i == poke_row and j == poke_col:
                force += poke
        if STEP == "A velocity update":
            if LOSS:
                force -= DRAG * v[i, j]
            v[i, j] += dt * force
        else:
            speed = here - old[i, j]
            if LOSS:
                speed *= 1.0 - DRAG
            if STEP == "An in-place leapfrog step":
                old[i, j] = here + speed + force
            else:
                out[i, j] = here + speed + force
