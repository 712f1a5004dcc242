"""Waves on strings, sheets, volumes and water."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "u": "u height wave",
    "old": "old u_prev before",
    "out": "out u_next ahead",
    "lap": "lap laplacian curvature",
    "here": "here centre now",
    "at": "at sample value_at",
    "near": "near sides ring",
    "rows cols": "rows cols | ny nx | height width",
    "row k": "row k | line x | channel cell",
    "dt": "dt time_step h",
    "speed": "speed velocity c",
    "force": "force push total",
}


@idiom(
    level=2,
    names={"k": "k wavenumbers wave_numbers", "out": "out result", "kernel": "wave_relation", "w": "w omega"},
)
def dispersion_relation(c):
    """The {WANTED} of {MEDIUM} at each of {k}{CURRENT}."""
    n = c.size()
    WANTED = c.meaning("angular frequency", "phase speed", "group speed", "period")
    CURRENT = c.meaning("", ", on a current")
    G, STIFFNESS, GAP = c.constant(5.0, 12.0), c.constant(0.5, 2.0), c.constant(0.1, 0.9)

    def deep(k: float) -> float:
        """deep-water waves"""
        return wp.sqrt(G * k)

    def finite(k: float) -> float:
        """waves over a flat bed"""
        return wp.sqrt(G * k * wp.tanh(k * GAP))

    def ripples(k: float) -> float:
        """capillary-gravity waves"""
        return wp.sqrt(G * k + STIFFNESS * k * k * k)

    def plasma(k: float) -> float:
        """plasma waves"""
        return wp.sqrt(GAP * GAP + STIFFNESS * k * k)

    def chain(k: float) -> float:
        """waves along a chain of masses"""
        return 2.0 * STIFFNESS * wp.abs(wp.sin(0.5 * k * GAP))

    def beam(k: float) -> float:
        """bending waves"""
        return STIFFNESS * k * k

    MEDIUM = c.meaning(deep, finite, ripples, plasma, chain, beam)

    @c.kernel(n)
    def kernel(
        k: wp.array[float] = given(n, low=0.3, high=2.5, of="value"),
        current: float = given(low=0.2, high=1.5),
        out: wp.array[float] = result(n, of="value"),
    ):
        tid = wp.tid()
        if WANTED == "group speed":
            # a central difference over a hundredth on both sides
            above = MEDIUM(k[tid] + 1.0e-2)
            below = MEDIUM(k[tid] - 1.0e-2)
            if CURRENT:
                out[tid] = (above - below) / 2.0e-2 + current
            else:
                out[tid] = (above - below) / 2.0e-2
        else:
            w = MEDIUM(k[tid])
            if CURRENT:
                w += current * k[tid]
            if WANTED == "phase speed":
                out[tid] = w / k[tid]
            elif WANTED == "period":
                out[tid] = 2.0 * wp.PI / w
            else:
                out[tid] = w


@idiom(
    level=2,
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
    """Damps {WHAT} in place in a {SHAPE} sponge at {SIDES}, by {FORM}."""
    rows, cols = c.size(6, 8), c.size(6, 8)
    WHAT = c.meaning("a field", "a field and its velocity")
    SHAPE = c.meaning("linear", "quadratic", "cosine")
    SIDES = c.meaning("the right side", "all sides", "both ends of each row")
    FORM = c.meaning("decay", "division", "a straight factor")
    STRENGTH = c.constant(0.2, 0.9)

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = updated(rows, cols, low=-1.0, high=1.0, of="field"),
        v: wp.array2d[float] = updated(rows, cols, low=-1.0, high=1.0),
        width: int = given(low=2, high=3),
    ):
        i, j = wp.tid()
        if SIDES == "the right side":
            gap = u.shape[1] - 1 - j
        elif SIDES == "all sides":
            gap = wp.min(wp.min(i, u.shape[0] - 1 - i), wp.min(j, u.shape[1] - 1 - j))
        else:
            gap = wp.min(j, u.shape[1] - 1 - j)
        if gap >= width:
            return
        # one at the edge, nothing where the layer begins
        depth = 1.0 - float(gap) / float(width)
        if SHAPE == "linear":
            loss = STRENGTH * depth
        elif SHAPE == "quadratic":
            loss = STRENGTH * depth * depth
        else:
            loss = 0.5 * STRENGTH * (1.0 - wp.cos(wp.PI * depth))
        if FORM == "decay":
            keep = wp.exp(-loss)
        elif FORM == "division":
            keep = 1.0 / (1.0 + loss)
        else:
            keep = 1.0 - loss
        u[i, j] *= keep
        if WHAT == "a field and its velocity":
            v[i, j] *= keep


@idiom(level=3, names=NAMES | {"kernel": "leapfrog wave_step step_wave"})
def leapfrog_wave_step(c):
    """A {ORDER}-order leapfrog step of waves on a sheet with {EDGE} edges{DRAG}{MEDIUM}{STORE}."""
    rows, cols = c.size(6, 8), c.size(6, 8)
    EDGE, ORDER = c.meaning("periodic", "free", "fixed"), c.meaning("second", "fourth")
    DRAG, MEDIUM = c.meaning("", ", drag"), c.meaning("", ", uneven speed")
    STORE = c.meaning("", ", in place of the field before")
    RATE, LOSS = c.constant(0.1, 0.4), c.constant(0.05, 0.3)

    def at(u: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "periodic":
            return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]
        elif EDGE == "free":
            return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]
        else:
            if i < 0 or j < 0 or i >= u.shape[0] or j >= u.shape[1]:
                return 0.0
            return u[i, j]

    Old = updated if STORE else given

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        speed: wp.array2d[float] = given(rows, cols, low=0.2, high=0.6),
        old: wp.array2d[float] = Old(rows, cols, low=-1.0, high=1.0),
        out: wp.array2d[float] = result(rows, cols, of="field"),
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
            force = RATE * lap
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
    names=NAMES
    | {
        "phi": "phi field psi",
        "momentum": "momentum pi phi_dot",
        "out": "out phi_next next_field",
        "kernel": "kick_drift scalar_step field_step",
        "kicked": "kicked new_momentum faster",
        "source": "source drive charge",
        "nx ny nz": "nx ny nz | width height depth",
        "i j k": "i j k | x y z",
    },
)
def klein_gordon_step(c):
    """Kicks and drifts a scalar field in a box, with {SLOPE}, {EDGE} sides{EXPANSION}{SOURCE}."""
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    EDGE, EXPANSION = c.meaning("periodic", "mirrored", "zero"), c.meaning("", ", expansion")
    SOURCE = c.meaning("", ", sources")
    MASS, COUPLING, HUBBLE = c.constant(0.5, 2.0), c.constant(0.2, 1.5), c.constant(0.1, 0.6)

    def quadratic(phi: float) -> float:
        """a mass term"""
        return MASS * MASS * phi

    def sine_gordon(phi: float) -> float:
        """a sine-Gordon potential"""
        return MASS * MASS * wp.sin(phi)

    def quartic(phi: float) -> float:
        """a mass and a quartic term"""
        return MASS * MASS * phi + COUPLING * phi * phi * phi

    def double_well(phi: float) -> float:
        """a double well"""
        return COUPLING * phi * (phi * phi - 1.0)

    SLOPE = c.meaning(quadratic, sine_gordon, quartic, double_well)

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

    @c.kernel(nx, ny, nz)
    def kernel(
        phi: wp.array3d[float] = given(nx, ny, nz, low=-1.0, high=1.0),
        momentum: wp.array3d[float] = updated(nx, ny, nz, low=-1.0, high=1.0),
        source: wp.array3d[float] = given(nx, ny, nz, low=-1.0, high=1.0),
        dt: float = given(low=0.1, high=0.3),
        out: wp.array3d[float] = result(nx, ny, nz),
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
            # the Hubble drag
            force -= 3.0 * HUBBLE * momentum[i, j, k]
        kicked = momentum[i, j, k] + dt * force
        momentum[i, j, k] = kicked
        out[i, j, k] = here + dt * kicked


@idiom(
    level=3,
    names=NAMES
    | {
        "p": "p pressure sound",
        "vx vy": "vx vy | u v | speed_x speed_y",
        "flow": "flow divergence outflow",
        "kernel": "sound_step update_sound acoustic_step",
        "stiffness": "stiffness bulk modulus",
        "density": "density rho mass",
        "dx dy": "dx dy | slope_x slope_y | gx gy",
        "source": "source emitter driver",
    },
)
def staggered_acoustics(c):
    """Updates the {PART} of sound on a staggered grid in place, with {WALLS} walls{MEDIUM}{LOSS}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    PART, WALLS = c.meaning("pressure", "velocities"), c.meaning("rigid", "open")
    MEDIUM, LOSS = c.meaning("", ", uneven air"), c.meaning("", ", friction", ", a source")
    STIFFNESS, FRICTION = c.constant(0.5, 2.0), c.constant(0.5, 2.0)
    Speed, Pressure = (updated, given) if PART == "velocities" else (given, updated)

    @c.kernel(rows, cols)
    def kernel(
        p: wp.array2d[float] = Pressure(rows, cols, low=-1.0, high=1.0),
        vx: wp.array2d[float] = Speed(rows, cols, low=-1.0, high=1.0),
        vy: wp.array2d[float] = Speed(rows, cols, low=-1.0, high=1.0),
        source: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        density: wp.array2d[float] = given(rows, cols, low=0.5, high=2.0),
        stiffness: wp.array2d[float] = given(rows, cols, low=0.5, high=2.0),
        dt: float = given(low=0.1, high=0.4),
    ):
        i, j = wp.tid()
        if PART == "velocities":
            here = p[i, j]
            if WALLS == "open":
                # outside there is no sound
                dx = -here
                dy = -here
            else:
                dx = float(0.0)
                dy = float(0.0)
            if j < p.shape[1] - 1:
                dx = p[i, j + 1] - here
            if i < p.shape[0] - 1:
                dy = p[i + 1, j] - here
            if LOSS == ", friction":
                dx += FRICTION * vx[i, j]
                dy += FRICTION * vy[i, j]
            elif LOSS == ", a source":
                dx -= source[i, j]
            if MEDIUM:
                vx[i, j] -= dt * dx / density[i, j]
                vy[i, j] -= dt * dy / density[i, j]
            else:
                vx[i, j] -= dt * dx
                vy[i, j] -= dt * dy
        else:
            flow = vx[i, j] + vy[i, j]
            if WALLS == "open":
                flow -= vx[i, wp.max(j - 1, 0)] + vy[wp.max(i - 1, 0), j]
            else:
                if j > 0:
                    flow -= vx[i, j - 1]
                if i > 0:
                    flow -= vy[i - 1, j]
            if LOSS == ", friction":
                flow += FRICTION * p[i, j]
            elif LOSS == ", a source":
                flow -= source[i, j]
            if MEDIUM:
                p[i, j] -= dt * stiffness[i, j] * flow
            else:
                p[i, j] -= dt * STIFFNESS * flow


@idiom(
    level=4,
    names=NAMES
    | {
        "strings": "strings params wires",
        "drive": "drive strength push_in",
        "now": "now u shape_now",
        "s": "s string n",
        "k": "k x point",
        "line": "line shape current",
        "bend": "bend fourth stiffness_term",
        "kernel": "step_strings string_step pluck",
    },
)
def stiff_string_step(c):
    """Steps {ends} strings, each with its own numbers{STIFF}, {LOSS} losses{DRIVE}."""
    count, points = c.size(3, 5), c.size(8, 11)
    STIFF, LOSS = c.meaning("", ", stiff"), c.meaning("no", "plain", "two kinds of")
    DRIVE = c.meaning("", ", a hammer", ", a bow")

    class String:
        tension: float
        if STIFF:
            stiffness: float
        if LOSS != "no":
            loss: float
        if LOSS == "two kinds of":
            high_loss: float

    def clamped(u: wp.array[float], k: int) -> float:
        if k < 0 or k >= u.shape[0]:
            return 0.0
        return u[k]

    def hinged(u: wp.array[float], k: int) -> float:
        last = u.shape[0] - 1
        # beyond a hinge the string goes on, upside down
        if k < 0:
            return -u[wp.clamp(-k, 0, last)]
        if k > last:
            return -u[wp.clamp(2 * last - k, 0, last)]
        return u[wp.clamp(k, 0, last)]

    def looped(u: wp.array[float], k: int) -> float:
        return u[(k + u.shape[0]) % u.shape[0]]

    ends = c.meaning(clamped, hinged, looped)

    def curvature(u: wp.array[float], k: int) -> float:
        return ends(u, k - 1) - 2.0 * u[k] + ends(u, k + 1)

    @c.kernel(count, points)
    def kernel(
        now: wp.array2d[float] = given(count, points, low=-1.0, high=1.0),
        old: wp.array2d[float] = given(count, points, low=-1.0, high=1.0),
        strings: wp.array[String] = given(count, low=0.05, high=0.3),
        drive: wp.array[float] = given(count, low=0.5, high=2.0),
        struck: wp.array[int] = given(count, low=1, high=points - 2),
        out: wp.array2d[float] = result(count, points, of="field"),
    ):
        s, k = wp.tid()
        wire = strings[s]
        line = now[s]
        force = wire.tension * curvature(line, k)
        if STIFF:
            far = ends(line, k - 2) + ends(line, k + 2)
            near = ends(line, k - 1) + ends(line, k + 1)
            force -= wire.stiffness * (far - 4.0 * near + 6.0 * line[k])
        speed = line[k] - old[s, k]
        if LOSS != "no":
            force -= wire.loss * speed
        if LOSS == "two kinds of":
            force += wire.high_loss * (curvature(line, k) - curvature(old[s], k))
        if DRIVE == ", a hammer":
            if k == struck[s]:
                force += drive[s]
        elif DRIVE == ", a bow":
            if k == struck[s]:
                # the bow drags the string along, less so the faster they slip
                slip = drive[s] - speed
                force += slip / (1.0 + slip * slip)
        out[s, k] = line[k] + speed + force


@idiom(
    level=4,
    names=NAMES
    | {
        "u": "u shift motion",
        "mixed": "mixed shear_xy uxy",
        "across down": "across down | uxx uyy | d_xx d_yy",
        "lame": "lame moduli material",
        "stretch shear": "stretch shear | lam mu",
        "push_x push_y": "push_x push_y | fx fy | ax ay",
        "load": "load body_force applied",
        "moduli": "moduli lame_constants stiffness",
        "poke": "poke tap impulse",
        "poke_row poke_col": "poke_row poke_col | tap_i tap_j | at_row at_col",
        "kernel": "elastic_step solid_step",
    },
)
def elastic_wave_step(c):
    """{STEP} of elastic waves in {MEDIUM} sheet with {EDGE} edges{LOSS}{FORCE}."""
    rows, cols = c.size(5, 7), c.size(5, 7)
    MEDIUM, EDGE = c.meaning("a uniform", "an uneven"), c.meaning("periodic", "free", "held")
    LOSS, FORCE = c.meaning("", ", drag"), c.meaning("", ", loads", ", a poke")
    STEP = c.meaning("A leapfrog step", "An in-place step", "A kick")
    DRAG = c.constant(0.05, 0.3)
    Old = updated if STEP == "An in-place step" else given

    def at(u: wp.array2d[wp.vec2], i: int, j: int) -> wp.vec2:
        if EDGE == "periodic":
            return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]
        elif EDGE == "free":
            return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]
        else:
            if i < 0 or j < 0 or i >= u.shape[0] or j >= u.shape[1]:
                return wp.vec2(0.0, 0.0)
            return u[i, j]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[wp.vec2] = given(rows, cols, low=-1.0, high=1.0),
        lame: wp.array2d[wp.vec2] = given(rows, cols, low=0.05, high=0.3),
        moduli: wp.vec2 = given(low=0.05, high=0.3),
        load: wp.array2d[wp.vec2] = given(rows, cols, low=-0.5, high=0.5),
        poke_row: int = given(low=0, high=rows - 1),
        poke_col: int = given(low=0, high=cols - 1),
        poke: wp.vec2 = given(low=-2.0, high=2.0),
        old: wp.array2d[wp.vec2] = Old(rows, cols, low=-1.0, high=1.0),
        v: wp.array2d[wp.vec2] = updated(rows, cols, low=-1.0, high=1.0),
        dt: float = given(low=0.3, high=0.9),
        out: wp.array2d[wp.vec2] = result(rows, cols),
    ):
        i, j = wp.tid()
        here = u[i, j]
        across = at(u, i, j - 1) - 2.0 * here + at(u, i, j + 1)
        down = at(u, i - 1, j) - 2.0 * here + at(u, i + 1, j)
        mixed = at(u, i - 1, j - 1) + at(u, i + 1, j + 1)
        mixed -= at(u, i - 1, j + 1) + at(u, i + 1, j - 1)
        if MEDIUM == "an uneven":
            stretch = lame[i, j][0]
            shear = lame[i, j][1]
        else:
            stretch = moduli[0]
            shear = moduli[1]
        push_x = (stretch + 2.0 * shear) * across[0] + shear * down[0]
        push_y = (stretch + 2.0 * shear) * down[1] + shear * across[1]
        # each component also feels how the other one shears
        push_x += 0.25 * (stretch + shear) * mixed[1]
        push_y += 0.25 * (stretch + shear) * mixed[0]
        force = wp.vec2(push_x, push_y)
        if FORCE == ", loads":
            force += load[i, j]
        elif FORCE == ", a poke":
            if i == poke_row and j == poke_col:
                force += poke
        if STEP == "A kick":
            if LOSS:
                force -= DRAG * v[i, j]
            v[i, j] += dt * force
        else:
            speed = here - old[i, j]
            if LOSS:
                speed *= 1.0 - DRAG
            if STEP == "An in-place step":
                old[i, j] = here + speed + force
            else:
                out[i, j] = here + speed + force


@idiom(
    level=5,
    names=NAMES
    | {
        "state": "state water q",
        "west east": "west east | inflow outflow | flux_left flux_right",
        "bed": "bed ground z",
        "depth": "depth h level",
        "moved": "moved updated_state advanced",
        "ratio": "ratio dt_dx courant",
        "interface": "interface numerical_flux riemann",
        "flux": "flux physical_flux carried",
        "inside": "inside nearest own",
        "discharge": "discharge hu flow",
        "fastest slowest": "fastest slowest | s_max s_min | speed_high speed_low",
        "fastest": "fastest s_max top_speed",
        "mixed": "mixed blend middle",
        "s": "s water_state w",
        "rise": "rise dz climb",
        "rain": "rain rainfall source",
        "cell": "cell_at neighbour ghost",
        "left right": "left right | a b | l r",
        "kernel": "step_water water_step flood",
    },
)
def shallow_water_step(c):
    """A {FLUX} step of shallow water in channels over {BED} beds, {ENDS} ends{FRICTION}{RAIN}."""
    rows, cols = c.size(3, 5), c.size(7, 10)
    FLUX, ENDS = c.meaning("Rusanov", "HLL", "Lax-Friedrichs"), c.meaning("walled", "open", "joined")
    BED, FRICTION = c.meaning("level", "uneven"), c.meaning("", ", Manning friction", ", linear friction")
    RAIN = c.meaning("", ", rain")
    G, ROUGHNESS, FASTEST = c.constant(5.0, 12.0), c.constant(0.2, 0.9), c.constant(3.0, 8.0)

    def flux(s: wp.vec2) -> wp.vec2:
        """What a state of depth and discharge carries through a section."""
        return wp.vec2(s[1], s[1] * s[1] / s[0] + 0.5 * G * s[0] * s[0])

    def interface(left: wp.vec2, right: wp.vec2) -> wp.vec2:
        if FLUX == "Lax-Friedrichs":
            return 0.5 * (flux(left) + flux(right)) - 0.5 * FASTEST * (right - left)
        elif FLUX == "Rusanov":
            fast_left = wp.abs(left[1] / left[0]) + wp.sqrt(G * left[0])
            fast_right = wp.abs(right[1] / right[0]) + wp.sqrt(G * right[0])
            fastest = wp.max(fast_left, fast_right)
            return 0.5 * (flux(left) + flux(right)) - 0.5 * fastest * (right - left)
        else:
            wave_left = wp.sqrt(G * left[0])
            wave_right = wp.sqrt(G * right[0])
            slowest = wp.min(left[1] / left[0] - wave_left, right[1] / right[0] - wave_right)
            fastest = wp.max(left[1] / left[0] + wave_left, right[1] / right[0] + wave_right)
            if slowest >= 0.0:
                return flux(left)
            if fastest <= 0.0:
                return flux(right)
            mixed = fastest * flux(left) - slowest * flux(right) + slowest * fastest * (right - left)
            return mixed / (fastest - slowest)

    def cell(state: wp.array2d[wp.vec2], row: int, k: int) -> wp.vec2:
        if ENDS == "joined":
            return state[row, (k + state.shape[1]) % state.shape[1]]
        else:
            inside = state[row, wp.clamp(k, 0, state.shape[1] - 1)]
            if ENDS == "walled":
                # a wall sends the water back
                if k < 0 or k >= state.shape[1]:
                    return wp.vec2(inside[0], -inside[1])
            return inside

    @c.kernel(rows, cols)
    def kernel(
        state: wp.array2d[wp.vec2] = given(rows, cols, low=0.5, high=2.0),
        bed: wp.array2d[float] = given(rows, cols, low=0.0, high=0.5),
        rain: wp.array2d[float] = given(rows, cols, low=0.1, high=1.0),
        ratio: float = given(low=0.04, high=0.1),
        out: wp.array2d[wp.vec2] = result(rows, cols),
    ):
        row, k = wp.tid()
        here = state[row, k]
        west = interface(cell(state, row, k - 1), here)
        east = interface(here, cell(state, row, k + 1))
        moved = here - ratio * (east - west)
        depth = moved[0]
        discharge = moved[1]
        if BED == "uneven":
            rise = bed[row, wp.min(k + 1, bed.shape[1] - 1)] - bed[row, wp.max(k - 1, 0)]
            discharge -= 0.5 * ratio * G * here[0] * rise
        if RAIN:
            depth += ratio * rain[row, k]
        # friction is implicit, so that it never turns the water round
        if FRICTION == ", Manning friction":
            drag = ROUGHNESS * ROUGHNESS * wp.abs(here[1]) / wp.pow(here[0], 7.0 / 3.0)
            discharge /= 1.0 + ratio * G * drag
        elif FRICTION == ", linear friction":
            discharge /= 1.0 + ratio * ROUGHNESS
        out[row, k] = wp.vec2(depth, discharge)
