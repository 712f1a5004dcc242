"""Level sets: fields that are kept at nodes, restored and read as phases."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=4,
    names={
        "phi": "phi level_set distance",
        "start": "start phi_start phi0",
        "out": "out phi_new next_phi",
        "i j south north west east": "i j dxm dxp dym dyp | row col up down left right",
        "kernel": "reinitialize_step restore_distance",
    },
)
def redistance_step(c):
    """One reinitialization step of a level set {SCHEME}, with {SIGN} of its start and {EDGE}{BAND}.

    Take one step of the reinitialization of a level set φ, {phi}, towards a signed distance, {SCHEME}, and
    store it in {out}: φ falls by {STEP}·{FALL}, where s is {SIGN_OF}.{FAR}

    With b and f, the backward and the forward difference along an axis, over {SPACING}, |∇φ|² is the sum over
    both axes of {SQUARES}. {EDGES}
    """
    rows, cols = c.size(6, 8), c.size(6, 8)
    SCHEME = c.meaning("by Godunov upwinding", "by Engquist-Osher upwinding", "by the Lax-Friedrichs scheme")
    SIGN = c.meaning("the sign", "the smeared sign")
    EDGE = c.meaning("zero-gradient edges", "periodic edges")
    BAND = c.meaning("", ", in a narrow band only")
    STEP, WIDTH, SPACING = c.constant(0.05, 0.25), c.constant(0.3, 0.8), c.constant(0.5, 1.5)

    def clipped(phi: wp.array2d[float], i: int, j: int) -> float:
        return phi[wp.clamp(i, 0, phi.shape[0] - 1), wp.clamp(j, 0, phi.shape[1] - 1)]

    def wrapped(phi: wp.array2d[float], i: int, j: int) -> float:
        rows = phi.shape[0]
        cols = phi.shape[1]
        return phi[(i + rows) % rows, (j + cols) % cols]

    at = wrapped if EDGE == "periodic edges" else clipped

    def godunov(back: float, ahead: float, sign: float) -> float:
        """The square of the derivative on the side that the front comes from."""
        if sign > 0.0:
            low = wp.max(back, 0.0)
            high = wp.min(ahead, 0.0)
            return wp.max(low * low, high * high)
        low = wp.min(back, 0.0)
        high = wp.max(ahead, 0.0)
        return wp.max(low * low, high * high)

    def engquist_osher(back: float, ahead: float, sign: float) -> float:
        """The sum of the squares of those one-sided derivatives that look to where the front comes from."""
        low = wp.max(back, 0.0) if sign > 0.0 else wp.min(back, 0.0)
        high = wp.min(ahead, 0.0) if sign > 0.0 else wp.max(ahead, 0.0)
        return low * low + high * high

    def central_squared(back: float, ahead: float) -> float:
        return 0.25 * (back + ahead) * (back + ahead)

    squared = godunov if "Godunov" in SCHEME else engquist_osher
    FALL = "s·(|∇φ| - 1)"
    if "Lax" in SCHEME:
        FALL = "(s·(|∇φ| - 1) - ½·(the sum of f - b over both axes))"
    SIGN_OF = "the sign of {start} (1 for 0)"
    if SIGN == "the smeared sign":
        SIGN_OF = "{start} / √({start}² + {SPACING}²)"
    FAR = " Nodes with |φ| > {WIDTH} keep their value." if BAND else ""
    SQUARES = {
        "by Godunov upwinding": "the larger of max(b, 0)² and min(f, 0)² if s > 0, and otherwise of min(b, "
        "0)² and max(f, 0)²",
        "by Engquist-Osher upwinding": "max(b, 0)² + min(f, 0)² if s > 0, and otherwise min(b, 0)² + "
        "max(f, 0)²",
    }.get(SCHEME, "¼·(b + f)²")
    EDGES = "Neighbours wrap around at the edges."
    if "zero" in EDGE:
        EDGES = "A neighbour outside the grid counts as the nearest node inside it."

    @c.kernel(rows, cols)
    def kernel(
        phi: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        start: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        out: wp.array2d[float] = output(rows, cols, of="field"),
    ):
        i, j = wp.tid()
        here = phi[i, j]
        if BAND:
            # far from the front nothing moves
            if wp.abs(here) > WIDTH:
                out[i, j] = here
                return
        south = (here - at(phi, i - 1, j)) / SPACING
        north = (at(phi, i + 1, j) - here) / SPACING
        west = (here - at(phi, i, j - 1)) / SPACING
        east = (at(phi, i, j + 1) - here) / SPACING
        if SIGN == "the smeared sign":
            sign = start[i, j] / wp.sqrt(start[i, j] * start[i, j] + SPACING * SPACING)
        else:
            sign = wp.sign(start[i, j])
        if SCHEME == "by the Lax-Friedrichs scheme":
            steepness = wp.sqrt(central_squared(west, east) + central_squared(south, north))
            # dissipation for the greatest speed of a front, which is one
            smoothing = 0.5 * (east - west + north - south)
            out[i, j] = here - STEP * (sign * (steepness - 1.0) - smoothing)
        else:
            steepness = wp.sqrt(squared(west, east, sign) + squared(south, north, sign))
            out[i, j] = here - STEP * sign * (steepness - 1.0)


@idiom(
    level=2,
    names={
        "phi": "phi level_set distance",
        "out": "out mixed values",
        "fraction": "fraction inside inner_share",
        "kernel": "mix_phases smear_interface",
    },
)
def phase_fractions(c):
    """The {WANTED} {WHERE} of a level set whose interface is smeared by {CURVE}, negative inside.

    Smear the interface of a level set φ, {phi}, negative inside, over a width of {WIDTH}: the fraction of the
    inner phase is w = {SMEARED}. Store {STORED} in {out}.
    """
    n = c.size(9, 14)
    WIDTH = c.constant(0.2, 0.8)
    WANTED = c.meaning(
        "fraction of the inner phase",
        "mean of two densities",
        "harmonic mean of two conductivities",
        "mass of the inner phase",
    )
    WHERE = "in the cell of each node" if WANTED == "mass of the inner phase" else "at each node"

    c.names(
        {
            "fraction of the inner phase": {
                "kernel": "phase_fractions smear_interface",
                "out": "out fractions",
            },
            "mean of two densities": {"kernel": "mix_phases mix_densities", "out": "out densities"},
            "harmonic mean of two conductivities": {
                "kernel": "mix_phases mix_conductivities",
                "out": "out conductivities",
            },
            "mass of the inner phase": {"kernel": "inner_masses mass_inside", "out": "out inner_mass"},
        }[WANTED]
    )

    def ramp(phi: float) -> float:
        return wp.clamp(0.5 - 0.5 * phi / WIDTH, 0.0, 1.0)

    def sine(phi: float) -> float:
        x = wp.clamp(phi / WIDTH, -1.0, 1.0)
        return 0.5 * (1.0 - x - wp.sin(wp.PI * x) / wp.PI)

    def tangent(phi: float) -> float:
        return 0.5 - 0.5 * wp.tanh(phi / WIDTH)

    def cubic(phi: float) -> float:
        return 1.0 - wp.smoothstep(-WIDTH, WIDTH, phi)

    def arc(phi: float) -> float:
        return 0.5 - wp.atan(phi / WIDTH) / wp.PI

    SMEAR, CURVE = c.meaning(
        (ramp, "a ramp"),
        (sine, "a ramp and a sine"),
        (tangent, "a hyperbolic tangent"),
        (cubic, "a cubic"),
        (arc, "an arc tangent"),
    )
    SMEARED = {
        "a ramp": "½ - ½·φ / {WIDTH}, clamped to [0, 1]",
        "a ramp and a sine": "½·(1 - s - sin(π·s) / π) with s = φ / {WIDTH} clamped to [-1, 1]",
        "a hyperbolic tangent": "½ - ½·tanh(φ / {WIDTH})",
        "a cubic": "1 - smoothstep(-{WIDTH}, {WIDTH}, φ), where smoothstep is the cubic t²·(3 - 2·t) of "
        "the position t between the two, clamped to [0, 1]",
        "an arc tangent": "½ - arctan(φ / {WIDTH}) / π",
    }[CURVE]
    STORED = {
        "fraction of the inner phase": "w",
        "mean of two densities": "the mean density w·{inner} + (1 - w)·{outer}",
        "harmonic mean of two conductivities": "the harmonic mean of the two conductivities, 1 / (w / "
        "{inner} + (1 - w) / {outer}),",
        "mass of the inner phase": "the mass of the inner phase, {inner}·w times the volume of the node's "
        "cell in {volumes},",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        phi: wp.array[float] = input(n, low=-1.0, high=1.0),
        volumes: wp.array[float] = input(n, low=0.5, high=2.0),
        inner: float = input(low=1.0, high=3.0),
        outer: float = input(low=0.2, high=0.9),
        out: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        fraction = SMEAR(phi[tid])
        if WANTED == "fraction of the inner phase":
            out[tid] = fraction
        elif WANTED == "mean of two densities":
            out[tid] = wp.lerp(outer, inner, fraction)
        elif WANTED == "harmonic mean of two conductivities":
            # a flux across the interface passes through one phase after the other
            out[tid] = 1.0 / (fraction / inner + (1.0 - fraction) / outer)
        else:
            out[tid] = inner * fraction * volumes[tid]
