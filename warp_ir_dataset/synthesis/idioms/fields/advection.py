"""What flows carry: tracers, momentum and sediment on grids."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "q": "q tracer density rho",
    "out": "out q_new next_q",
    "velocity": "velocity wind vel",
    "here": "here centre own",
    "at": "at sample value_at",
    "cell": "cell cell_value fetch",
    "rows cols": "rows cols | ny nx | height width",
    "row k": "row k | line x | t k",
    "dt": "dt time_step step",
    "change": "change tendency gain",
    "west east": "west east | flux_in flux_out | f_left f_right",
    "source": "source emission inflow",
}


@idiom(
    level=2,
    names=NAMES
    | {
        "speed": "speed fastest rate",
        "v": "v here vel_i",
        "velocity": "velocity velocities u",
        "sound": "sound wave_speed speed_of_sound",
        "spacing": "spacing cell_size dx",
        "kernel": "cfl cfl_number stability",
    },
)
def cell_courant_number(c):
    """The {WANTED} of each cell in {SPACE}, from {NORM}{SOUND}{CELLS}."""
    n = c.size()
    WANTED, SPACE = c.meaning("Courant number", "largest stable step"), c.meaning("the plane", "space")
    NORM = c.meaning("the sum of speeds", "the largest speed", "the length of the velocity")
    SOUND, CELLS = c.meaning("", " and sound"), c.meaning("", ", in uneven cells")
    DIM = 2 if SPACE == "the plane" else 3
    Vec = c.vec(DIM)
    SAFETY, SPACING = c.constant(0.3, 0.9), c.constant(0.2, 0.9)

    @c.kernel(n)
    def kernel(
        velocity: wp.array[Vec] = given(n, low=-2.0, high=2.0, of="velocity"),
        spacing: wp.array[float] = given(n, low=0.2, high=1.0),
        sound: wp.array[float] = given(n, low=0.5, high=2.0),
        dt: float = given(low=0.05, high=0.3),
        out: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        v = velocity[tid]
        if NORM == "the sum of speeds":
            if DIM == 2:
                speed = wp.abs(v[0]) + wp.abs(v[1])
            else:
                speed = wp.abs(v[0]) + wp.abs(v[1]) + wp.abs(v[2])
        elif NORM == "the largest speed":
            speed = wp.max(wp.abs(v))
        else:
            speed = wp.length(v)
        if SOUND:
            speed += sound[tid]
        if WANTED == "Courant number":
            if CELLS:
                out[tid] = speed * dt / spacing[tid]
            else:
                out[tid] = speed * dt / SPACING
        else:
            # where nothing moves, any step will do
            if CELLS:
                out[tid] = SAFETY * spacing[tid] / wp.max(speed, 0.01)
            else:
                out[tid] = SAFETY * SPACING / wp.max(speed, 0.01)


@idiom(
    level=3,
    names=NAMES
    | {
        "slope": "slope upwind one_sided",
        "u v": "u v | vx vy | wx wy",
        "dqdx dqdy": "dqdx dqdy | qx qy | slope_x slope_y",
        "kernel": "advect upwind_step carry",
    },
)
def upwind_advection(c):
    """Carries {q} one {ORDER}-order upwind step with {WIND}, {EDGE} edges{EXTRA}{STORE}."""
    rows, cols = c.size(6, 8), c.size(6, 8)
    ORDER, WIND = c.meaning("first", "second"), c.meaning("a wind field", "one wind", "a spin")
    EDGE, EXTRA = c.meaning("periodic", "open"), c.meaning("", ", decay", ", sources")
    STORE = c.meaning("", ", as a rate of change")
    DECAY = c.constant(0.1, 0.9)

    def at(q: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "periodic":
            return q[(i + q.shape[0]) % q.shape[0], (j + q.shape[1]) % q.shape[1]]
        else:
            return q[wp.clamp(i, 0, q.shape[0] - 1), wp.clamp(j, 0, q.shape[1] - 1)]

    def slope(q: wp.array2d[float], i: int, j: int, di: int, dj: int) -> float:
        """The slope on the side that (di, dj) points to, from which the wind comes."""
        near = at(q, i + di, j + dj)
        if ORDER == "second":
            far = at(q, i + 2 * di, j + 2 * dj)
            return 1.5 * at(q, i, j) - 2.0 * near + 0.5 * far
        else:
            return at(q, i, j) - near

    @c.kernel(rows, cols)
    def kernel(
        q: wp.array2d[float] = given(rows, cols, low=0.0, high=2.0),
        velocity: wp.array2d[wp.vec2] = given(rows, cols, low=-1.0, high=1.0),
        wind: wp.vec2 = given(low=-1.0, high=1.0),
        spin: float = given(low=0.1, high=0.3),
        source: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0, of="residual"),
        dt: float = given(low=0.1, high=0.4),
        out: wp.array2d[float] = result(rows, cols, of="field"),
    ):
        i, j = wp.tid()
        if WIND == "a wind field":
            u = velocity[i, j][0]
            v = velocity[i, j][1]
        elif WIND == "one wind":
            u = wind[0]
            v = wind[1]
        else:
            # around the middle of the grid
            u = -spin * (float(i) - 0.5 * float(q.shape[0]))
            v = spin * (float(j) - 0.5 * float(q.shape[1]))
        dqdx = -slope(q, i, j, 0, 1)
        if u > 0.0:
            dqdx = slope(q, i, j, 0, -1)
        dqdy = -slope(q, i, j, 1, 0)
        if v > 0.0:
            dqdy = slope(q, i, j, -1, 0)
        change = -u * dqdx - v * dqdy
        if EXTRA == ", decay":
            change -= DECAY * q[i, j]
        elif EXTRA == ", sources":
            change += source[i, j]
        if STORE:
            out[i, j] = change
        else:
            out[i, j] = q[i, j] + dt * change


@idiom(
    level=3,
    names=NAMES
    | {
        "nu": "nu courant cfl",
        "behind ahead": "behind ahead | left right | qm qp",
        "line": "line values profile",
        "kernel": "transport step_lines carry_row",
    },
)
def linear_transport_step(c):
    """Carries each row of {q} to the right by {SCHEME}, with {ENDS} ends{EXTRA}{WHERE}."""
    rows, cols = c.size(3, 5), c.size(7, 10)
    SCHEME = c.meaning(
        "the Lax-Wendroff scheme", "upwinding", "Fromm's scheme", "the Beam-Warming scheme", "leapfrog"
    )
    ENDS, EXTRA = c.meaning("joined", "open"), c.meaning("", ", decay", ", spreading")
    WHERE = c.meaning("", ", where it is open")
    DECAY = c.constant(0.05, 0.3)

    def cell(line: wp.array[float], k: int) -> float:
        if ENDS == "joined":
            return line[(k + line.shape[0]) % line.shape[0]]
        else:
            return line[wp.clamp(k, 0, line.shape[0] - 1)]

    @c.kernel(rows, cols)
    def kernel(
        q: wp.array2d[float] = given(rows, cols, low=0.0, high=2.0),
        old: wp.array2d[float] = given(rows, cols, low=0.0, high=2.0),
        courant: wp.array[float] = given(rows, low=0.1, high=0.9),
        mask: wp.array2d[int] = given(rows, cols, low=0, high=1),
        out: wp.array2d[float] = result(rows, cols, of="field"),
    ):
        row, k = wp.tid()
        line = q[row]
        here = line[k]
        if WHERE:
            if mask[row, k] == 0:
                out[row, k] = here
                return
        nu = courant[row]
        behind = cell(line, k - 1)
        if SCHEME == "the Lax-Wendroff scheme":
            ahead = cell(line, k + 1)
            change = 0.5 * nu * nu * (ahead - 2.0 * here + behind) - 0.5 * nu * (ahead - behind)
        elif SCHEME == "upwinding":
            change = -nu * (here - behind)
        elif SCHEME == "Fromm's scheme":
            # the mean slope of a cell reaches over both neighbours
            here_slope = 0.5 * (cell(line, k + 1) - behind)
            behind_slope = 0.5 * (here - cell(line, k - 2))
            change = -nu * (here - behind) - 0.5 * nu * (1.0 - nu) * (here_slope - behind_slope)
        elif SCHEME == "leapfrog":
            change = old[row, k] - here - nu * (cell(line, k + 1) - behind)
        else:
            further = cell(line, k - 2)
            change = 0.5 * nu * nu * (here - 2.0 * behind + further)
            change -= 0.5 * nu * (3.0 * here - 4.0 * behind + further)
        if EXTRA == ", decay":
            change -= DECAY * here
        elif EXTRA == ", spreading":
            change += DECAY * (behind - 2.0 * here + cell(line, k + 1))
        out[row, k] = here + change


@idiom(
    level=3,
    names=NAMES
    | {
        "fx fy": "fx fy | flux_x flux_y | east_flux north_flux",
        "fz": "fz flux_z up_flux",
        "net": "net outflow divergence",
        "volume": "volume porosity room",
        "total": "total budget mass_change",
        "kernel": "apply_fluxes finite_volume_update",
    },
)
def apply_face_fluxes(c):
    """Updates {q} in place by {FLUXES} fluxes of faces{VOLUME}{SOURCE}{FLOOR}{BUDGET}."""
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    FLUXES = c.meaning("three", "stacked", "horizontal")
    VOLUME, SOURCE = c.meaning("", ", volumes"), c.meaning("", ", sources")
    FLOOR, BUDGET = c.meaning("", ", a floor of zero"), c.meaning("", ", a budget")

    @c.kernel(nx, ny, nz)
    def kernel(
        q: wp.array3d[float] = updated(nx, ny, nz, low=0.2, high=2.0, of="field"),
        fluxes: wp.array4d[float] = given(3, nx + 1, ny + 1, nz + 1, low=-1.0, high=1.0),
        fx: wp.array3d[float] = given(nx + 1, ny, nz, low=-1.0, high=1.0),
        fy: wp.array3d[float] = given(nx, ny + 1, nz, low=-1.0, high=1.0),
        fz: wp.array3d[float] = given(nx, ny, nz + 1, low=-1.0, high=1.0),
        source: wp.array3d[float] = given(nx, ny, nz, low=-1.0, high=1.0, of="residual"),
        volume: wp.array3d[float] = given(nx, ny, nz, low=0.5, high=2.0),
        dt: float = given(low=0.1, high=0.4),
        total: wp.array[float] = result(1),
    ):
        i, j, k = wp.tid()
        if FLUXES == "stacked":
            # an axis each
            net = fluxes[0, i + 1, j, k] - fluxes[0, i, j, k]
            net += fluxes[1, i, j + 1, k] - fluxes[1, i, j, k]
            net += fluxes[2, i, j, k + 1] - fluxes[2, i, j, k]
        else:
            net = fx[i + 1, j, k] - fx[i, j, k] + fy[i, j + 1, k] - fy[i, j, k]
            if FLUXES == "three":
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
    level=3,
    names=NAMES
    | {
        "forward": "forward advected predicted",
        "backward": "backward carried_back returned",
        "original": "original old q_old",
        "low high": "low high | least most | q_min q_max",
        "value": "value corrected better",
        "error": "error defect miss",
        "solid": "solid wall blocked",
        "kernel": "maccormack correct_advection bfecc_fix",
    },
)
def maccormack_correction(c):
    """Corrects {forward} by {SHARE} the round-trip error{LIMIT}{NEAR}{EDGE}{WALLS}."""
    rows, cols = c.size(6, 8), c.size(6, 8)
    SHARE = c.meaning("half", "a share of")
    LIMIT = c.meaning("", ", clamped", ", or not at all", ", cut at zero")
    NEAR = c.meaning(" to four neighbours", " to nine neighbours") if LIMIT == ", clamped" else ""
    EDGE = c.meaning("", ", wrapped") if LIMIT in (", clamped", ", or not at all") else ""
    WALLS = c.meaning("", ", off walls", ", rim kept")
    STRENGTH = c.constant(0.2, 0.6)

    def at(q: wp.array2d[float], i: int, j: int) -> float:
        if EDGE:
            return q[(i + q.shape[0]) % q.shape[0], (j + q.shape[1]) % q.shape[1]]
        else:
            return q[wp.clamp(i, 0, q.shape[0] - 1), wp.clamp(j, 0, q.shape[1] - 1)]

    @c.kernel(rows, cols)
    def kernel(
        original: wp.array2d[float] = given(rows, cols, low=-0.5, high=2.0),
        backward: wp.array2d[float] = given(rows, cols, low=-0.5, high=2.0),
        solid: wp.array2d[int] = given(rows, cols, low=0, high=1),
        forward: wp.array2d[float] = updated(rows, cols, low=-0.5, high=2.0, of="field"),
    ):
        i, j = wp.tid()
        if WALLS == ", off walls":
            if solid[i, j] == 1:
                return
        elif WALLS == ", rim kept":
            if i == 0 or j == 0 or i == forward.shape[0] - 1 or j == forward.shape[1] - 1:
                return
        error = original[i, j] - backward[i, j]
        if SHARE == "half":
            value = forward[i, j] + 0.5 * error
        else:
            value = forward[i, j] + STRENGTH * error
        if LIMIT == ", cut at zero":
            value = wp.max(value, 0.0)
        elif LIMIT == ", or not at all":
            # a value beyond those around it would ring
            low = wp.min(at(original, i, j - 1), at(original, i, j + 1))
            high = wp.max(at(original, i, j - 1), at(original, i, j + 1))
            low = wp.min(low, wp.min(at(original, i - 1, j), at(original, i + 1, j)))
            high = wp.max(high, wp.max(at(original, i - 1, j), at(original, i + 1, j)))
            if value < low or value > high:
                return
        elif NEAR == " to four neighbours":
            low = wp.min(wp.min(at(original, i, j - 1), at(original, i, j + 1)), original[i, j])
            high = wp.max(wp.max(at(original, i, j - 1), at(original, i, j + 1)), original[i, j])
            low = wp.min(low, wp.min(at(original, i - 1, j), at(original, i + 1, j)))
            high = wp.max(high, wp.max(at(original, i - 1, j), at(original, i + 1, j)))
            value = wp.clamp(value, low, high)
        elif NEAR == " to nine neighbours":
            low = float(original[i, j])
            high = float(original[i, j])
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    around = at(original, i + di, j + dj)
                    low = wp.min(low, around)
                    high = wp.max(high, around)
            value = wp.clamp(value, low, high)
        forward[i, j] = value


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
        "kernel": "tvd_step limited_step",
    },
)
def limited_transport(c):
    """{WANTED} of {q} carried along rows by {COURANT}, {limiter} limiter, {ENDS} ends."""
    rows, cols = c.size(3, 5), c.size(7, 9)
    WANTED, ENDS = c.meaning("The next values", "The face fluxes"), c.meaning("joined", "open")
    COURANT = c.meaning("a steady wind", "winds at faces")

    def minmod(r: float) -> float:
        return wp.clamp(r, 0.0, 1.0)

    def superbee(r: float) -> float:
        return wp.max(0.0, wp.max(wp.min(2.0 * r, 1.0), wp.min(r, 2.0)))

    def van_leer(r: float) -> float:
        """van Leer"""
        return (r + wp.abs(r)) / (1.0 + wp.abs(r))

    def monotonized(r: float) -> float:
        """monotonized central"""
        return wp.max(0.0, wp.min(wp.min(2.0 * r, 0.5 * (1.0 + r)), 2.0))

    def van_albada(r: float) -> float:
        """van Albada"""
        if r <= 0.0:
            return 0.0
        return (r * r + r) / (r * r + 1.0)

    def koren(r: float) -> float:
        """Koren"""
        return wp.max(0.0, wp.min(wp.min(2.0 * r, (1.0 + 2.0 * r) / 3.0), 2.0))

    limiter = c.meaning(minmod, superbee, van_leer, monotonized, van_albada, koren)

    def cell(q: wp.array2d[float], row: int, k: int) -> float:
        if ENDS == "joined":
            return q[row, (k + q.shape[1]) % q.shape[1]]
        else:
            return q[row, wp.clamp(k, 0, q.shape[1] - 1)]

    def flux(q: wp.array2d[float], row: int, k: int, nu: float) -> float:
        """What crosses the face between the cells k - 1 and k in a step."""
        jump = cell(q, row, k) - cell(q, row, k - 1)
        if COURANT == "winds at faces":
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
        amount = wp.abs(nu)
        return nu * donor + 0.5 * amount * (1.0 - amount) * limiter(before / jump) * jump

    @c.kernel(rows, cols)
    def kernel(
        q: wp.array2d[float] = given(rows, cols, low=0.0, high=2.0),
        winds: wp.array2d[float] = given(rows, cols + 1, low=-0.8, high=0.8),
        nu: float = given(low=0.2, high=0.8),
        out: wp.array2d[float] = result(rows, cols, of="field"),
    ):
        row, k = wp.tid()
        if WANTED == "The face fluxes":
            if COURANT == "winds at faces":
                out[row, k] = flux(q, row, k, winds[row, k])
            else:
                out[row, k] = flux(q, row, k, nu)
        else:
            if COURANT == "winds at faces":
                west = flux(q, row, k, winds[row, k])
                east = flux(q, row, k + 1, winds[row, k + 1])
            else:
                west = flux(q, row, k, nu)
                east = flux(q, row, k + 1, nu)
            out[row, k] = q[row, k] - (east - west)


@idiom(
    level=4,
    names=NAMES
    | {
        "x y": "x y | px py | col_pos row_pos",
        "x0 y0": "x0 y0 | left top | i0 j0",
        "tx ty": "tx ty | fx fy | sx sy",
        "sample": "sample lookup fetch_at",
        "motion": "motion drift u_here",
        "field": "field grid values",
        "kernel": "backtrace advect_back semi_lagrangian",
    },
)
def semi_lagrangian_advection(c):
    """Fetches {WHAT} from where the flow was, {TRACE}, {LOOKUP} samples, {EDGE} edges{FADE}."""
    rows, cols = c.size(6, 8), c.size(6, 8)
    WHAT, TRACE = c.meaning("a density", "the velocity itself"), c.meaning("Euler trace", "midpoint trace")
    LOOKUP, EDGE = c.meaning("bilinear", "nearest", "smoothed"), c.meaning("clamped", "periodic")
    FADE = c.meaning("", ", fading")
    Value = float if WHAT == "a density" else c.vec(2)
    FADING = c.constant(0.1, 0.9)

    def fetch(field: wp.array2d[Value], i: int, j: int) -> Value:
        if EDGE == "periodic":
            rows = field.shape[0]
            cols = field.shape[1]
            return field[(i % rows + rows) % rows, (j % cols + cols) % cols]
        else:
            return field[wp.clamp(i, 0, field.shape[0] - 1), wp.clamp(j, 0, field.shape[1] - 1)]

    def sample(field: wp.array2d[Value], y: float, x: float) -> Value:
        if LOOKUP == "nearest":
            return fetch(field, int(wp.round(y)), int(wp.round(x)))
        else:
            y0 = int(wp.floor(y))
            x0 = int(wp.floor(x))
            ty = y - float(y0)
            tx = x - float(x0)
            if LOOKUP == "smoothed":
                # no kinks from cell to cell
                ty = ty * ty * (3.0 - 2.0 * ty)
                tx = tx * tx * (3.0 - 2.0 * tx)
            top = wp.lerp(fetch(field, y0, x0), fetch(field, y0, x0 + 1), tx)
            bottom = wp.lerp(fetch(field, y0 + 1, x0), fetch(field, y0 + 1, x0 + 1), tx)
            return wp.lerp(top, bottom, ty)

    def halfway(velocity: wp.array2d[wp.vec2], i: int, j: int, dt: float) -> wp.vec2:
        """The velocity half a step upstream."""
        y = float(i) - 0.5 * dt * velocity[i, j][1]
        x = float(j) - 0.5 * dt * velocity[i, j][0]
        row = wp.clamp(int(wp.round(y)), 0, velocity.shape[0] - 1)
        col = wp.clamp(int(wp.round(x)), 0, velocity.shape[1] - 1)
        return velocity[row, col]

    @c.kernel(rows, cols)
    def kernel(
        velocity: wp.array2d[wp.vec2] = given(rows, cols, low=-2.0, high=2.0),
        density: wp.array2d[float] = given(rows, cols, low=0.0, high=2.0),
        dt: float = given(low=0.4, high=1.2),
        out: wp.array2d[Value] = result(rows, cols, of="field"),
    ):
        i, j = wp.tid()
        if TRACE == "Euler trace":
            motion = velocity[i, j]
        else:
            motion = halfway(velocity, i, j, dt)
        y = float(i) - dt * motion[1]
        x = float(j) - dt * motion[0]
        if WHAT == "a density":
            value = sample(density, y, x)
        else:
            value = sample(velocity, y, x)
        if FADE:
            out[i, j] = value / (1.0 + FADING * dt)
        else:
            out[i, j] = value


@idiom(
    level=4,
    names=NAMES
    | {
        "u": "u speed velocity",
        "left right": "left right | a b | ul ur",
        "line": "line profile values",
        "kernel": "step_burgers burgers_update",
        "ratio": "ratio dt_dx lam",
    },
)
def burgers_step(c):
    """A step of Burgers' equation along rows, {FLUX} fluxes, {CELLS} cells, {ENDS} ends{VISCOSITY}."""
    rows, cols = c.size(3, 5), c.size(7, 10)
    CELLS, ENDS = c.meaning("flat", "sloped"), c.meaning("joined", "open", "walled")
    VISCOSITY = c.meaning("", ", viscosity", ", drag")
    THICKNESS = c.constant(0.05, 0.3)

    def godunov(left: float, right: float) -> float:
        """Godunov"""
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
        """Rusanov"""
        fastest = wp.max(wp.abs(left), wp.abs(right))
        return 0.25 * (left * left + right * right) - 0.5 * fastest * (right - left)

    def engquist_osher(left: float, right: float) -> float:
        """Engquist-Osher"""
        forward = wp.max(left, 0.0)
        backward = wp.min(right, 0.0)
        return 0.5 * (forward * forward + backward * backward)

    def roe(left: float, right: float) -> float:
        """Roe"""
        mean = 0.5 * (left + right)
        return 0.25 * (left * left + right * right) - 0.5 * wp.abs(mean) * (right - left)

    FLUX = c.meaning(godunov, rusanov, engquist_osher, roe)

    def cell(line: wp.array[float], k: int) -> float:
        if ENDS == "joined":
            return line[(k + line.shape[0]) % line.shape[0]]
        elif ENDS == "open":
            return line[wp.clamp(k, 0, line.shape[0] - 1)]
        else:
            if k < 0 or k >= line.shape[0]:
                return -line[wp.clamp(k, 0, line.shape[0] - 1)]
            return line[k]

    def slope(line: wp.array[float], k: int) -> float:
        """The lesser of the slopes to both sides; none at a peak."""
        back = cell(line, k) - cell(line, k - 1)
        front = cell(line, k + 1) - cell(line, k)
        if back * front <= 0.0:
            return 0.0
        return wp.where(wp.abs(back) < wp.abs(front), back, front)

    def face(line: wp.array[float], k: int) -> float:
        """The flux between the cells k - 1 and k."""
        if CELLS == "sloped":
            left = cell(line, k - 1) + 0.5 * slope(line, k - 1)
            right = cell(line, k) - 0.5 * slope(line, k)
            return FLUX(left, right)
        else:
            return FLUX(cell(line, k - 1), cell(line, k))

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        ratio: float = given(low=0.2, high=0.5),
        out: wp.array2d[float] = result(rows, cols, of="field"),
    ):
        row, k = wp.tid()
        line = u[row]
        here = line[k]
        change = ratio * (face(line, k) - face(line, k + 1))
        if VISCOSITY == ", viscosity":
            change += THICKNESS * (cell(line, k - 1) - 2.0 * here + cell(line, k + 1))
        elif VISCOSITY == ", drag":
            change -= THICKNESS * here * wp.abs(here)
        out[row, k] = here + change


@idiom(
    level=5,
    names=NAMES
    | {
        "a b": "a b | v0 v1 | m2 m1",
        "e d": "e d | v4 v3 | p2 p1",
        "s0 s1 s2": "s0 s1 s2 | beta0 beta1 beta2 | is0 is1 is2",
        "w0 w1 w2": "w0 w1 w2 | alpha0 alpha1 alpha2 | a0 a1 a2",
        "p0 p1 p2": "p0 p1 p2 | q0 q1 q2 | left_part middle_part right_part",
        "line": "line values row_of_q",
        "weno": "reconstruct edge_value weno",
        "out_right": "out_right q_plus right_states",
        "kernel": "weno5 reconstruct_faces",
    },
)
def weno_reconstruction(c):
    """Reconstructs {WANTED} of each cell in rows of {q} by {SCHEME}, {ENDS} ends."""
    rows, cols = c.size(3, 5), c.size(7, 10)
    SCHEME = c.meaning("WENO-JS", "WENO-Z", "third-order ENO", "the fifth-order upwind scheme")
    WANTED, ENDS = (
        c.meaning("the right edge", "both edges", "the slope"),
        c.meaning("joined", "open", "mirrored"),
    )
    TINY = 1.0e-6

    def weno(a: float, b: float, m: float, d: float, e: float) -> float:
        """The value at the edge between the third and the fourth of five cells."""
        if SCHEME == "the fifth-order upwind scheme":
            return (2.0 * a - 13.0 * b + 47.0 * m + 27.0 * d - 3.0 * e) / 60.0
        else:
            # three parabolas
            p0 = (2.0 * a - 7.0 * b + 11.0 * m) / 6.0
            p1 = (-b + 5.0 * m + 2.0 * d) / 6.0
            p2 = (2.0 * m + 5.0 * d - e) / 6.0
            if SCHEME == "third-order ENO":
                if wp.abs(m - b) < wp.abs(d - m):
                    if wp.abs(a - 2.0 * b + m) < wp.abs(b - 2.0 * m + d):
                        return p0
                    return p1
                if wp.abs(b - 2.0 * m + d) < wp.abs(m - 2.0 * d + e):
                    return p1
                return p2
            else:
                bend0 = a - 2.0 * b + m
                bend1 = b - 2.0 * m + d
                bend2 = m - 2.0 * d + e
                tilt0 = a - 4.0 * b + 3.0 * m
                tilt2 = 3.0 * m - 4.0 * d + e
                # how far from smooth each of them is
                s0 = 13.0 / 12.0 * bend0 * bend0 + 0.25 * tilt0 * tilt0
                s1 = 13.0 / 12.0 * bend1 * bend1 + 0.25 * (b - d) * (b - d)
                s2 = 13.0 / 12.0 * bend2 * bend2 + 0.25 * tilt2 * tilt2
                if SCHEME == "WENO-Z":
                    whole = wp.abs(s0 - s2)
                    w0 = 0.1 * (1.0 + whole / (s0 + TINY))
                    w1 = 0.6 * (1.0 + whole / (s1 + TINY))
                    w2 = 0.3 * (1.0 + whole / (s2 + TINY))
                else:
                    w0 = 0.1 / ((s0 + TINY) * (s0 + TINY))
                    w1 = 0.6 / ((s1 + TINY) * (s1 + TINY))
                    w2 = 0.3 / ((s2 + TINY) * (s2 + TINY))
                return (w0 * p0 + w1 * p1 + w2 * p2) / (w0 + w1 + w2)

    def cell(line: wp.array[float], k: int) -> float:
        count = line.shape[0]
        if ENDS == "joined":
            return line[(k + count) % count]
        elif ENDS == "open":
            return line[wp.clamp(k, 0, count - 1)]
        else:
            if k < 0:
                return line[wp.clamp(-1 - k, 0, count - 1)]
            if k >= count:
                return line[wp.clamp(2 * count - 1 - k, 0, count - 1)]
            return line[k]

    def right_edge(line: wp.array[float], k: int) -> float:
        a = cell(line, k - 2)
        b = cell(line, k - 1)
        d = cell(line, k + 1)
        e = cell(line, k + 2)
        return weno(a, b, cell(line, k), d, e)

    @c.kernel(rows, cols)
    def kernel(
        q: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        spacing: float = given(low=0.3, high=1.0),
        out: wp.array2d[float] = result(rows, cols, of="field"),
        out_right: wp.array2d[float] = result(rows, cols),
    ):
        row, k = wp.tid()
        line = q[row]
        if WANTED == "the slope":
            out[row, k] = (right_edge(line, k) - right_edge(line, k - 1)) / spacing
        elif WANTED == "both edges":
            out_right[row, k] = right_edge(line, k)
            # from the other side
            a = cell(line, k + 2)
            b = cell(line, k + 1)
            d = cell(line, k - 1)
            e = cell(line, k - 2)
            out[row, k] = weno(a, b, line[k], d, e)
        else:
            out[row, k] = right_edge(line, k)


@idiom(
    level=4,
    names=NAMES
    | {
        "q": "q dust concentration",
        "species": "species kinds sizes",
        "kind": "kind grain what",
        "s": "s n kind_index",
        "above below": "above below | over under",
        "change": "change net gain",
        "upwind": "upwind arriving upstream",
        "kernel": "settle sediment_step fall",
    },
)
def sedimentation_step(c):
    """Sinks {species} of dust in {q} onto {FLOOR} floor{MIXING}{DECAY}{WIND}{RATE}."""
    count, nx, ny, nz = c.size(2, 3), c.size(3, 4), c.size(3, 4), c.size(4, 5)
    FLOOR, MIXING = c.meaning("a closed", "an open"), c.meaning("", ", with mixing")
    DECAY, WIND = c.meaning("", ", with decay"), c.meaning("", ", in a wind")
    RATE = c.meaning("", ", as a rate of change")

    class Species:
        fall_speed: float
        if MIXING:
            mixing: float
        if DECAY:
            decay: float

    @c.kernel(count, nx, ny, nz)
    def kernel(
        q: wp.array4d[float] = given(count, nx, ny, nz, low=0.0, high=2.0),
        species: wp.array[Species] = given(count, low=0.2, high=1.0),
        wind: wp.array[float] = given(nz, low=0.1, high=1.0),
        dt: float = given(low=0.1, high=0.4),
        out: wp.array4d[float] = result(count, nx, ny, nz),
    ):
        s, i, j, k = wp.tid()
        kind = species[s]
        here = q[s, i, j, k]
        # nothing comes from above the top
        change = float(0.0)
        if k < q.shape[3] - 1:
            change = kind.fall_speed * q[s, i, j, k + 1]
        if FLOOR == "a closed":
            if k > 0:
                change -= kind.fall_speed * here
        else:
            change -= kind.fall_speed * here
        if MIXING:
            above = q[s, i, j, wp.min(k + 1, q.shape[3] - 1)]
            below = q[s, i, j, wp.max(k - 1, 0)]
            change += kind.mixing * (above - 2.0 * here + below)
        if WIND:
            upwind = q[s, wp.max(i - 1, 0), j, k]
            change -= wind[k] * (here - upwind)
        if DECAY:
            change -= kind.decay * here
        if RATE:
            out[s, i, j, k] = change
        else:
            out[s, i, j, k] = here + dt * change
