"""Waves by their medium: dispersion, sound, strings, shallow water."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .waves import NAMES


@idiom(
    level=2,
    names={"k": "k wavenumbers wave_numbers", "out": "out result", "kernel": "wave_relation", "w": "w omega"},
)
def dispersion_relation(c):
    """The {WANTED} of {MEDIUM} at each of {k}{CURRENT}."""
    n = c.size()
    WANTED = c.meaning("angular frequency", "phase velocity", "group velocity", "period")
    CURRENT = c.meaning("", ", on a current")
    G, STIFFNESS, TENSION = c.constant(5.0, 12.0), c.constant(0.5, 2.0), c.constant(0.5, 2.0)
    DEPTH, CUTOFF, THERMAL = c.constant(0.1, 0.9), c.constant(0.1, 0.9), c.constant(0.5, 2.0)
    RATE, SPACING = c.constant(0.5, 2.0), c.constant(0.1, 0.9)

    def deep(k: float) -> float:
        """deep-water waves"""
        return wp.sqrt(G * k)

    def finite(k: float) -> float:
        """finite-depth water waves"""
        return wp.sqrt(G * k * wp.tanh(k * DEPTH))

    def ripples(k: float) -> float:
        """capillary-gravity waves"""
        return wp.sqrt(G * k + TENSION * k * k * k)

    def plasma(k: float) -> float:
        """plasma waves"""
        return wp.sqrt(CUTOFF * CUTOFF + THERMAL * k * k)

    def chain(k: float) -> float:
        """waves along a chain of masses"""
        return 2.0 * RATE * wp.abs(wp.sin(0.5 * k * SPACING))

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
        if WANTED == "group velocity":
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
            if WANTED == "phase velocity":
                out[tid] = w / k[tid]
            elif WANTED == "period":
                out[tid] = 2.0 * wp.PI / w
            else:
                out[tid] = w


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
    MEDIUM, LOSS = c.meaning("", ", in a varying medium"), c.meaning("", ", with friction", ", with a source")
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
            if LOSS == ", with friction":
                dx += FRICTION * vx[i, j]
                dy += FRICTION * vy[i, j]
            elif LOSS == ", with a source":
                dx -= source[i, j]
            if MEDIUM:
                dx /= density[i, j]
                dy /= density[i, j]
            if WALLS == "rigid":
                # nothing moves through a wall
                vx[i, j] = wp.where(j < p.shape[1] - 1, vx[i, j] - dt * dx, 0.0)
                vy[i, j] = wp.where(i < p.shape[0] - 1, vy[i, j] - dt * dy, 0.0)
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
            if LOSS == ", with friction":
                flow += FRICTION * p[i, j]
            elif LOSS == ", with a source":
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
        "struck": "struck hammer_at",
        "kernel": "step_strings string_step",
    },
)
def stiff_string_step(c):
    """Steps {STIFF}strings with {ends} ends{LOSS}{DRIVE}."""
    count, points = c.size(3, 5), c.size(8, 11)
    STIFF, LOSS = c.meaning("", "stiff "), c.meaning("", " and damping", " and frequency-dependent damping")
    DRIVE = c.meaning("", ", struck by a hammer", ", bowed")
    if DRIVE == ", bowed":
        c.names(
            {
                "drive": "bow_speeds bowing",
                "struck": "bowed bow_at",
                "kernel": "step_strings string_step bow_strings",
            }
        )

    class String:
        tension: float
        if STIFF:
            stiffness: float
        if LOSS:
            loss: float
        if LOSS == " and frequency-dependent damping":
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
        """periodic"""
        return u[(k + u.shape[0]) % u.shape[0]]

    ends = c.meaning(clamped, hinged, looped)

    def curvature(u: wp.array[float], k: int) -> float:
        return ends(u, k - 1) - 2.0 * u[k] + ends(u, k + 1)

    @c.kernel(count, points)
    def kernel(
        now: wp.array2d[float] = given(count, points, low=-1.0, high=1.0),
        old: wp.array2d[float] = given(count, points, low=-1.0, high=1.0),
        strings: wp.array[String] = given(count, low=0.02, high=0.15),
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
        if LOSS:
            force -= wire.loss * speed
        if LOSS == " and frequency-dependent damping":
            force += wire.high_loss * (curvature(line, k) - curvature(old[s], k))
        if DRIVE == ", struck by a hammer":
            if k == struck[s]:
                force += drive[s]
        elif DRIVE == ", bowed":
            if k == struck[s]:
                # the bow drags the string along, less so the faster they slip
                slip = drive[s] - speed
                force += slip / (1.0 + slip * slip)
        out[s, k] = line[k] + speed + force


@idiom(
    level=5,
    names=NAMES
    | {
        "state": "state water q",
        "west east": "west east | inflow outflow | flux_left flux_right",
        "moved": "moved updated_state advanced",
        "ratio": "ratio dt_dx dt_over_dx",
        "interface": "interface numerical_flux riemann",
        "flux": "flux physical_flux carried",
        "inside": "inside nearest own",
        "fastest slowest": "fastest slowest | s_max s_min | speed_high speed_low",
        "fastest": "fastest s_max top_speed",
        "mixed": "mixed blend middle",
        "s": "s water_state w",
        "rise": "bed_slope bed_gradient incline",
        "signals": "signals wave_speeds eigenvalues",
        "rain": "rain rainfall source",
        "cell": "cell_at neighbour ghost",
        "left right": "left right | a b | l r",
        "kernel": "step_water water_step flood",
    },
)
def shallow_water_step(c):
    """{FLUX} step of shallow water in channels with {ENDS} ends, {SOURCE}."""
    rows, cols = c.size(3, 5), c.size(7, 10)
    FLUX, ENDS = (
        c.meaning("A Rusanov", "An HLL", "A Lax-Friedrichs"),
        c.meaning("reflecting", "open", "periodic"),
    )
    SOURCE = c.meaning(
        "over level beds", "down sloping beds", "in the rain", "with Manning friction", "with linear friction"
    )
    G, ROUGHNESS, FASTEST = c.constant(5.0, 12.0), c.constant(0.2, 0.9), c.constant(3.0, 8.0)

    def flux(s: wp.vec2) -> wp.vec2:
        """What a state of depth and discharge carries through a section."""
        pressure = 0.5 * s[0] * s[0] * G
        return s[1] / s[0] * s + wp.vec2(0.0, pressure)

    def signals(s: wp.vec2) -> wp.vec2:
        """The speeds of the waves that go upstream and downstream."""
        flow = s[1] / s[0]
        wave = wp.sqrt(G * s[0])
        return wp.vec2(flow - wave, flow + wave)

    def interface(left: wp.vec2, right: wp.vec2) -> wp.vec2:
        if FLUX == "A Lax-Friedrichs":
            return 0.5 * (flux(left) + flux(right) - FASTEST * (right - left))
        elif FLUX == "A Rusanov":
            fastest = wp.max(wp.max(wp.abs(signals(left))), wp.max(wp.abs(signals(right))))
            return 0.5 * (flux(left) + flux(right)) - 0.5 * fastest * (right - left)
        else:
            # both are zero or beyond, so that the waves enclose the face
            slowest = wp.min(wp.min(signals(left)[0], signals(right)[0]), 0.0)
            fastest = wp.max(wp.max(signals(left)[1], signals(right)[1]), 0.0)
            mixed = fastest * flux(left) - slowest * flux(right) + slowest * fastest * (right - left)
            return mixed / (fastest - slowest)

    def cell(state: wp.array2d[wp.vec2], row: int, k: int) -> wp.vec2:
        if ENDS == "periodic":
            return state[row, (k + state.shape[1]) % state.shape[1]]
        else:
            inside = state[row, wp.clamp(k, 0, state.shape[1] - 1)]
            if ENDS == "reflecting":
                # a wall sends the water back
                if k < 0 or k >= state.shape[1]:
                    return wp.vec2(inside[0], -inside[1])
            return inside

    @c.kernel(rows, cols)
    def kernel(
        state: wp.array2d[wp.vec2] = given(rows, cols, low=0.5, high=2.0),
        rise: wp.array2d[float] = given(rows, cols, low=-0.5, high=0.5),
        rain: wp.array2d[float] = given(rows, cols, low=0.1, high=1.0),
        ratio: float = given(low=0.04, high=0.1),
        dt: float = given(low=0.02, high=0.1),
        out: wp.array2d[wp.vec2] = result(rows, cols),
    ):
        row, k = wp.tid()
        here = state[row, k]
        west = interface(cell(state, row, k - 1), here)
        east = interface(here, cell(state, row, k + 1))
        moved = here - ratio * (east - west)
        if SOURCE == "over level beds":
            out[row, k] = moved
        elif SOURCE == "in the rain":
            out[row, k] = moved + wp.vec2(dt * rain[row, k], 0.0)
        elif SOURCE == "down sloping beds":
            out[row, k] = moved - wp.vec2(0.0, dt * G * here[0] * rise[row, k])
        else:
            # friction is implicit, so that it never turns the water round
            if SOURCE == "with Manning friction":
                drag = G * wp.abs(here[1]) * ROUGHNESS / wp.pow(here[0], 7.0 / 3.0)
            else:
                drag = ROUGHNESS / here[0]
            out[row, k] = wp.vec2(moved[0], moved[1] / (1.0 + dt * drag))
