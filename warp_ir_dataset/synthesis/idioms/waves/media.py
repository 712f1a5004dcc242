"""Waves by their medium: dispersion, sound, strings, shallow water."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .waves import NAMES


@idiom(
    level=2,
    names={"k": "k wavenumbers wave_numbers", "out": "out result", "kernel": "wave_relation", "w": "w omega"},
)
def dispersion_relation(c):
    """The {WANTED} of {WAVES} at each wavenumber{CURRENT}.

    Compute the {WANTED} of {WAVES} for each wavenumber K in {k}. Their angular frequency is W(K) =
    {RELATION}{SHIFT}. Store {FORMULA} in {out}.
    """
    n = c.size()
    WANTED = c.meaning("angular frequency", "phase velocity", "group velocity", "period")
    CURRENT = c.meaning("", ", on a current")
    G, STIFFNESS, TENSION = c.constant(9.81, 9.81, step=0.01), c.constant(0.5, 2.0), c.constant(0.5, 2.0)
    DEPTH, CUTOFF, THERMAL = c.constant(0.1, 0.9), c.constant(0.1, 0.9), c.constant(0.5, 2.0)
    RATE, SPACING = c.constant(0.5, 2.0), c.constant(0.1, 0.9)

    def deep(k: float) -> float:
        """The angular frequency of deep-water waves."""
        return wp.sqrt(G * k)

    def finite(k: float) -> float:
        """The angular frequency of waves on water of some depth."""
        return wp.sqrt(G * k * wp.tanh(k * DEPTH))

    def ripples(k: float) -> float:
        # surface tension drives the shortest waves
        return wp.sqrt(G * k + TENSION * k * k * k)

    def plasma(k: float) -> float:
        """The angular frequency of waves in a warm plasma."""
        return wp.sqrt(CUTOFF * CUTOFF + THERMAL * k * k)

    def chain(k: float) -> float:
        """The angular frequency of waves along masses on springs."""
        return 2.0 * RATE * wp.sin(0.5 * k * SPACING)

    def beam(k: float) -> float:
        return STIFFNESS * k * k

    MEDIUM = c.meaning(deep, finite, ripples, plasma, chain, beam)
    WAVES = {
        "deep": "deep-water waves", "finite": "finite-depth water waves", "plasma": "plasma waves",
        "ripples": "capillary-gravity waves", "chain": "waves along a chain of masses",
    }.get(MEDIUM.__name__, "bending waves of a beam")  # fmt: skip
    RESULTS = {"angular frequency": "omegas", "period": "periods"}.get(WANTED, "speeds")
    c.names({"out": f"out result {RESULTS}"})
    if WANTED != "angular frequency":
        c.names(
            {
                "kernel": {
                    "phase velocity": "phase_velocities phase_speeds",
                    "group velocity": "group_velocities group_speeds",
                    "period": "wave_periods",
                }[WANTED]
            }
        )
    RELATION = {
        "deep": "√({G}·K)",
        "finite": "√({G}·K·tanh({DEPTH}·K))",
        "ripples": "√({G}·K + {TENSION}·K³)",
        "plasma": "√({CUTOFF}² + {THERMAL}·K²)",
        "chain": "2·{RATE}·sin(½·{SPACING}·K)",
        "beam": "{STIFFNESS}·K²",
    }[MEDIUM.__name__]
    SHIFT = " + {current}·K, shifted by the current" if CURRENT else ""
    FORMULA = {
        "angular frequency": "W(K)",
        "phase velocity": "W(K) / K",
        "period": "2·π / W(K)",
        "group velocity": "the central difference (W(K + 0.01) - W(K - 0.01)) / 0.02",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        k: wp.array[float] = input(n, low=0.3, high=2.5, of="value"),
        current: float = input(low=0.2, high=1.5),
        out: wp.array[float] = output(n, of="value"),
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
        "fx fy": "fx fy | force_x force_y | push_x push_y",
        "source": "source emitter driver",
        "load": "load body_force applied",
        "intensity": "intensity energy_flow power_flow",
        "stored": "stored energy potential_energy",
    },
)
def staggered_acoustics(c):
    """Updates the {PART} of sound in place on a staggered grid{MEDIUM}, with {WALLS} walls{LOSS}{STORE}.

    Do half of an acoustic step on a staggered grid: update {UPDATED} in place, from {FIXED}. The pressure {p}
    belongs to the cells; `{vx}[i, j]` is the flow from cell (i, j) to (i, j + 1), and `{vy}[i, j]` that to (i
    + 1, j).

    {RULE} {RIM}{TOLD}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    PART, WALLS = c.meaning("pressure", "particle velocities"), c.meaning("rigid", "open")
    MEDIUM = c.meaning("", " in a varying medium")
    if PART == "particle velocities":
        LOSS, STORE = (
            c.meaning("", " and friction", " and body forces"),
            c.meaning("", ", and stores the intensity"),
        )
    else:
        LOSS, STORE = (
            c.meaning("", " and absorption", " and sources"),
            c.meaning("", ", and stores its energy"),
        )
    STIFFNESS, FRICTION = c.constant(0.5, 1.5), c.constant(0.2, 0.9)
    Speed, Pressure = (inout, input) if PART == "particle velocities" else (input, inout)
    BY_SPEED = PART == "particle velocities"
    UPDATED = "the velocities" if BY_SPEED else "the pressure"
    FIXED = "the pressure" if BY_SPEED else "the velocities"
    MODULUS = "`{stiffness}[i, j]`" if MEDIUM else "{STIFFNESS}"
    if BY_SPEED:
        DIVISOR = ", all divided by `{density}[i, j]`" if MEDIUM else ""
        EXTRA = {
            "": "",
            " and friction": ", less {FRICTION} times the velocity itself",
            " and body forces": ", plus the component of `{load}[i, j]` (x for {vx}, y for {vy})",
        }[LOSS]
        RULE = (
            "Each velocity grows by {dt} times its force: the pressure of the cell that it leaves less that "
            "of the cell that it enters{EXTRA}{DIVISOR}."
        )
        RIM = "The walls are open: the pressure beyond the last column and the last row is zero."
        if WALLS == "rigid":
            RIM = "The walls are rigid: {vx} of the last column and {vy} of the last row become 0."
        TOLD = " {intensity} is the pressure times the vector of the new velocities." if STORE else ""
    else:
        EXTRA = {
            "": "",
            " and absorption": " + {FRICTION}·P",
            " and sources": " - `{source}[i, j]`",
        }[LOSS]
        RULE = (
            "The pressure P of a cell falls by {dt}·{MODULUS} times the outflow `{vx}[i, j]` + `{vy}[i, j]` "
            "- `{vx}[i, j - 1]` - `{vy}[i - 1, j]`{EXTRA}."
        )
        RIM = "The walls are rigid: the velocities that are missing in the first column and row are zero."
        if WALLS == "open":
            RIM = (
                "The walls are open: in the first column, and the first row, the velocity that is missing "
                "equals the cell's own, `{vx}[i, j]` or `{vy}[i, j]`."
            )
        TOLD = " {stored} is the energy ½·P² / {MODULUS}, with the new P." if STORE else ""

    @c.kernel(rows, cols)
    def kernel(
        p: wp.array2d[float] = Pressure(rows, cols, low=-1.0, high=1.0),
        vx: wp.array2d[float] = Speed(rows, cols, low=-1.0, high=1.0),
        vy: wp.array2d[float] = Speed(rows, cols, low=-1.0, high=1.0),
        source: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        load: wp.array2d[wp.vec2] = input(rows, cols, low=-1.0, high=1.0),
        density: wp.array2d[float] = input(rows, cols, low=0.5, high=2.0),
        stiffness: wp.array2d[float] = input(rows, cols, low=0.5, high=1.5),
        dt: float = input(low=0.1, high=0.35),
        intensity: wp.array2d[wp.vec2] = output(rows, cols),
        stored: wp.array2d[float] = output(rows, cols),
    ):
        i, j = wp.tid()
        if PART == "particle velocities":
            here = p[i, j]
            if WALLS == "open":
                # outside there is no sound
                fx = float(here)
                fy = float(here)
            else:
                fx = float(0.0)
                fy = float(0.0)
            if j < p.shape[1] - 1:
                fx = here - p[i, j + 1]
            if i < p.shape[0] - 1:
                fy = here - p[i + 1, j]
            if LOSS == " and friction":
                fx -= FRICTION * vx[i, j]
                fy -= FRICTION * vy[i, j]
            elif LOSS == " and body forces":
                fx += load[i, j][0]
                fy += load[i, j][1]
            if MEDIUM:
                fx /= density[i, j]
                fy /= density[i, j]
            if WALLS == "rigid":
                # nothing moves through a wall
                vx[i, j] = wp.where(j < p.shape[1] - 1, vx[i, j] + dt * fx, 0.0)
                vy[i, j] = wp.where(i < p.shape[0] - 1, vy[i, j] + dt * fy, 0.0)
            else:
                vx[i, j] += dt * fx
                vy[i, j] += dt * fy
            if STORE:
                intensity[i, j] = here * wp.vec2(vx[i, j], vy[i, j])
        else:
            flow = vx[i, j] + vy[i, j]
            if WALLS == "open":
                flow -= vx[i, wp.max(j - 1, 0)] + vy[wp.max(i - 1, 0), j]
            else:
                if j > 0:
                    flow -= vx[i, j - 1]
                if i > 0:
                    flow -= vy[i - 1, j]
            if LOSS == " and absorption":
                flow += FRICTION * p[i, j]
            elif LOSS == " and sources":
                flow -= source[i, j]
            if MEDIUM:
                p[i, j] -= dt * stiffness[i, j] * flow
            else:
                p[i, j] -= dt * STIFFNESS * flow
            if STORE:
                if MEDIUM:
                    stored[i, j] = 0.5 * p[i, j] * p[i, j] / stiffness[i, j]
                else:
                    stored[i, j] = 0.5 * p[i, j] * p[i, j] / STIFFNESS


@idiom(
    level=4,
    names=NAMES
    | {
        "strings": "strings params wires",
        "drive": "drive strength hammer_force",
        "now": "now u shape_now",
        "s": "s string n",
        "k": "k x point",
        "line": "line shape current",
        "speed": "speed velocity moved",
        "bend": "bend fourth stiffness_term",
        "struck": "struck hammer_at",
        "kernel": "step_strings string_step",
    },
)
def stiff_string_step(c):
    """Steps {STIFF}strings with {ends} ends{LOSS}{DRIVE}.

    Advance strings, one in each row, by one explicit step in which time and space have unit steps. With Y row
    s of {now}, O that of {old}, V = Y[k] - O[k] and the curvature C(Y) = Y[k - 1] - 2·Y[k] + Y[k + 1], the
    new displacement {out} is Y[k] + V + F with the force F = {FORCES}, where {LETTERS}.{PLUCK}

    {TIPS}
    """
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
        # beyond a hinge, half a step from the last point, the string goes on upside down
        if k < 0 or k >= u.shape[0]:
            return -u[(2 * u.shape[0] - 1 - k) % u.shape[0]]
        return u[k]

    def joined(u: wp.array[float], k: int) -> float:
        return u[(k + u.shape[0]) % u.shape[0]]

    ends = c.meaning(clamped, hinged, joined)

    def curvature(u: wp.array[float], k: int) -> float:
        return ends(u, k - 1) - 2.0 * u[k] + ends(u, k + 1)

    FORCES, LETTERS = "T·C(Y)", "T = `{strings}[s].tension`"
    if STIFF:
        FORCES += " - B·(Y[k - 2] - 4·Y[k - 1] + 6·Y[k] - 4·Y[k + 1] + Y[k + 2])"
        LETTERS += ", B = `{strings}[s].stiffness`"
    if LOSS:
        FORCES += " - S·V"
        LETTERS += ", S = `{strings}[s].loss`"
    if LOSS == " and frequency-dependent damping":
        FORCES += " + H·(C(Y) - C(O))"
        LETTERS += ", H = `{strings}[s].high_loss`"
    PLUCK = {
        "": "",
        ", struck by a hammer": " A hammer adds `{drive}[s]` to F at the point `{struck}[s]` of string s.",
        ", bowed": " A bow adds D / (1 + D²) to F at the point `{struck}[s]` of string s, where D = "
        "`{drive}[s]` - V is how fast the string slips.",
    }[DRIVE]
    TIPS = {
        "clamped": "The ends are clamped: the displacement beyond them is zero.",
        "hinged": "The ends are hinged: beyond an end the string goes on as its negative mirror image, the "
        "first point outside being minus the last one inside, the second minus the one before that.",
        "joined": "The ends are joined: each row wraps around.",
    }[ends.__name__]

    @c.kernel(count, points)
    def kernel(
        now: wp.array2d[float] = input(count, points, low=-1.0, high=1.0),
        old: wp.array2d[float] = input(count, points, low=-1.0, high=1.0),
        strings: wp.array[String] = input(count, low=0.02, high=0.15),
        drive: wp.array[float] = input(count, low=0.5, high=2.0),
        struck: wp.array[int] = input(count, low=1, high=points - 2),
        out: wp.array2d[float] = output(count, points, of="field"),
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
                # the bow drags the string along; when they slip fast it loses its grip
                slip = drive[s] - speed
                force += slip / (1.0 + slip * slip)
        out[s, k] = line[k] + speed + force


@idiom(
    level=5,
    names=NAMES
    | {
        "depth discharge": "depth discharge | h q | depths discharges",
        "west east": "west east | inflow outflow | flux_left flux_right",
        "moved": "moved updated_state advanced",
        "ratio": "ratio dt_dx dt_over_dx",
        "interface": "interface numerical_flux riemann",
        "flux": "flux physical_flux carried",
        "out": "out states_out next_states",
        "col": "col inside nearest",
        "fastest slowest": "fastest slowest | s_max s_min | speed_high speed_low",
        "fastest": "fastest s_max top_speed",
        "mixed": "mixed blend middle",
        "between": "between mean_signals roe_speeds",
        "s": "s water_state w",
        "rise": "bed_slope bed_gradient incline",
        "signals": "signals wave_speeds eigenvalues",
        "rain": "rain rainfall source",
        "cell": "cell_at neighbour state_at",
        "left right": "left right | a b | l r",
        "kernel": "step_water water_step flood",
    },
)
def shallow_water_step(c):
    """{FLUX} step of shallow water in channels with {ENDS} ends, {SOURCE}.

    Advance shallow water in channels, one in each row, by {STEP} step of the finite-volume method. The state
    of a cell is W = (H, Q), {depth} and {discharge}, and its flux is F(W) = (Q, Q² / H + ½·{G}·H²). The flux
    between a cell A and the next one B is {NUMERICAL}

    {out} is W - {ratio}·(the flux to the next cell - the flux from the one before){ADDED}. {OUTSIDE}
    """
    rows, cols = c.size(3, 5), c.size(7, 10)
    FLUX, ENDS = (
        c.meaning("A Rusanov", "An HLL", "A Lax-Friedrichs", "An HLLE"),
        c.meaning("reflecting", "open", "periodic"),
    )
    SOURCE = c.meaning(
        "over level beds", "over sloping beds", "in the rain", "with Manning friction", "with linear friction"
    )
    if ENDS == "periodic":
        c.names({"col": "col wrapped"})
    FRICTION, ROUGHNESS, FASTEST = c.constant(0.2, 0.9), c.constant(0.05, 0.15), c.constant(11.0, 12.5)
    G = c.constant(9.81, 9.81, step=0.01)

    def flux(s: wp.vec2) -> wp.vec2:
        """What a state of depth and discharge carries through a section."""
        pressure = 0.5 * s[0] * s[0] * G
        return s[1] / s[0] * s + wp.vec2(0.0, pressure)

    def signals(s: wp.vec2) -> wp.vec2:
        """The speeds of the waves that go upstream and downstream."""
        flow = s[1] / s[0]
        wave = wp.sqrt(G * s[0])
        return wp.vec2(flow - wave, flow + wave)

    def roe(left: wp.vec2, right: wp.vec2) -> wp.vec2:
        """The mean depth, at the velocity weighted by the roots of the depths."""
        wl = wp.sqrt(left[0])
        wr = wp.sqrt(right[0])
        mean = 0.5 * (left[0] + right[0])
        return wp.vec2(mean, mean * (left[1] / wl + right[1] / wr) / (wl + wr))

    def interface(left: wp.vec2, right: wp.vec2) -> wp.vec2:
        if FLUX == "A Lax-Friedrichs":
            return 0.5 * (flux(left) + flux(right) - FASTEST * (right - left))
        elif FLUX == "A Rusanov":
            fastest = wp.max(wp.max(wp.abs(signals(left))), wp.max(wp.abs(signals(right))))
            return 0.5 * (flux(left) + flux(right)) - 0.5 * fastest * (right - left)
        else:
            # the slowest is zero or less, the fastest zero or more: the two waves enclose the face
            if FLUX == "An HLLE":
                # Roe's mean state tells how fast shocks run
                between = signals(roe(left, right))
                slowest = wp.min(wp.min(signals(left)[0], between[0]), 0.0)
                fastest = wp.max(wp.max(signals(right)[1], between[1]), 0.0)
            else:
                slowest = wp.min(wp.min(signals(left)[0], signals(right)[0]), 0.0)
                fastest = wp.max(wp.max(signals(left)[1], signals(right)[1]), 0.0)
            mixed = fastest * flux(left) - slowest * flux(right) + slowest * fastest * (right - left)
            return mixed / (fastest - slowest)

    def cell(depth: wp.array2d[float], discharge: wp.array2d[float], row: int, k: int) -> wp.vec2:
        if ENDS == "periodic":
            col = (k + depth.shape[1]) % depth.shape[1]
        else:
            col = wp.clamp(k, 0, depth.shape[1] - 1)
            if ENDS == "reflecting":
                # a wall sends the water back
                if k != col:
                    return wp.vec2(depth[row, col], -discharge[row, col])
        return wp.vec2(depth[row, col], discharge[row, col])

    STEP = FLUX.replace("A", "a", 1)
    NUMERICAL = {
        "A Lax-Friedrichs": "½·(F(A) + F(B) - {FASTEST}·(B - A)).",
        "A Rusanov": "½·(F(A) + F(B)) - ½·S·(B - A), where S is the largest |Q / H ± √({G}·H)| of the two.",
        "An HLL": "{TWO_WAVES} of both, but at most 0, and S is the largest Q / H + √({G}·H) of both, but at "
        "least 0.",
        "An HLLE": "{TWO_WAVES} of A and the mean state, but at most 0, and S is the largest Q / H + "
        "√({G}·H) of B and the mean state, but at least 0. The mean state of Roe has the mean depth of A and "
        "B, and their mean velocity Q / H weighted by √H.",
    }[FLUX]
    TWO_WAVES = "(S·F(A) - R·F(B) + R·S·(B - A)) / (S - R); here R is the smallest Q / H - √({G}·H)"
    ADDED = {
        "over level beds": "",
        "over sloping beds": ", less {dt}·{G}·H times the slope {rise} in Q",
        "in the rain": ", plus {dt} times {rain} in H",
        "with Manning friction": "; then Q is divided by 1 + {dt}·{G}·{ROUGHNESS}²·|Q| / H^(7/3), Manning "
        "friction with the old H and Q",
        "with linear friction": "; then Q is divided by 1 + {dt}·{FRICTION} / H, with the old H",
    }[SOURCE]
    OUTSIDE = {
        "reflecting": "Beyond the ends of a row are walls: a cell there has the depth of the last cell and "
        "minus its discharge.",
        "open": "The ends are open: a cell beyond the end of a row has the state of the last one.",
        "periodic": "The rows are periodic.",
    }[ENDS]

    @c.kernel(rows, cols)
    def kernel(
        depth: wp.array2d[float] = input(rows, cols, low=0.2, high=0.8),
        discharge: wp.array2d[float] = input(rows, cols, low=-2.0, high=2.0),
        rise: wp.array2d[float] = input(rows, cols, low=-0.5, high=0.5),
        rain: wp.array2d[float] = input(rows, cols, low=0.1, high=1.0),
        ratio: float = input(low=0.02, high=0.08),
        dt: float = input(low=0.02, high=0.1),
        out: wp.array2d[wp.vec2] = output(rows, cols),
    ):
        row, k = wp.tid()
        here = wp.vec2(depth[row, k], discharge[row, k])
        west = interface(cell(depth, discharge, row, k - 1), here)
        east = interface(here, cell(depth, discharge, row, k + 1))
        moved = here - ratio * (east - west)
        if SOURCE == "over level beds":
            out[row, k] = moved
        elif SOURCE == "in the rain":
            out[row, k] = moved + wp.vec2(dt * rain[row, k], 0.0)
        elif SOURCE == "over sloping beds":
            out[row, k] = moved - wp.vec2(0.0, dt * G * here[0] * rise[row, k])
        else:
            # friction is implicit, so that it never turns the water round
            if SOURCE == "with Manning friction":
                drag = G * ROUGHNESS * ROUGHNESS * wp.abs(here[1]) / wp.pow(here[0], 7.0 / 3.0)
            else:
                drag = FRICTION / here[0]
            out[row, k] = wp.vec2(moved[0], moved[1] / (1.0 + dt * drag))
