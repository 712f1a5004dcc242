"""Larger equations: systems of two unknowns, and flow through pipes."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "out": "out roots solution",
    "fx": "fx f_x residual",
    "slope": "slope dfx derivative",
    "bend": "bend d2fx second",
    "lo hi": "lo hi | a b | left right",
    "mid": "mid middle m",
    "tid": "tid i idx",
}


@idiom(
    level=4,
    names=NAMES
    | {
        "p": "p unknowns state",
        "miss": "miss f residual",
        "jacobian": "jacobian J jac",
        "evaluate": "evaluate equations system",
        "kernel": "newton_2d intersect_curves",
    },
)
def newton_system_solve(c):
    """{LEAD} by {TIMES} of {METHOD}{WHERE}{COUNTED}.

    {GOAL} by {METHOD} in two unknowns, x and y. Solve {EQUATIONS}, the components of F, whose Jacobian is J.
    Start at {ORIGIN} and do {TIMES}. Each adds to (x, y) the step {STEP}.{END}

    Store x and y in {TARGET}{ALSO}.
    """
    n = c.size()
    SYSTEM = c.meaning("two circles", "an ellipse and a line", "a steady reaction", "a two-link arm")
    METHOD = c.meaning("Newton's method", "Newton's method with short steps", "Levenberg's method")
    STOP = c.meaning("fixed", "fits", "counted")
    FIXED, COUNTED = STOP == "fixed", ", and counts them" if STOP == "counted" else ""
    IN_PLACE = c.meaning(False, True) if FIXED else False
    FIRST = False if IN_PLACE else c.meaning(False, True)
    DAMPING, MAX_STEP = c.style(0.05, 0.1, 0.2), c.style(0.2, 0.25, 0.3)
    ROUNDS = 2 if IN_PLACE else 3 if FIXED else c.count(6, 12)
    TIMES = ("two rounds" if IN_PLACE else "three rounds") if FIXED else f"up to {ROUNDS} rounds"
    WHERE = " from a guess in place" if IN_PLACE else " from a rough guess of each" if FIRST else ""
    LEAD, sizes, kernel_name = {
        "two circles": (
            "Finds where two circles of given radii, one apart, cross",
            "radii radius_pair",
            "intersect_circles",
        ),
        "an ellipse and a line": (
            "Finds where an ellipse and a line cross",
            "coefficients coeffs",
            "intersect_curves",
        ),
        "a steady reaction": (
            "Finds the steady state of Schnakenberg's reaction",
            "feeds feed",
            "steady_states",
        ),
        "a two-link arm": (
            "Finds the two angles with which an arm reaches each target",
            "targets target",
            "inverse_kinematics",
        ),
    }[SYSTEM]
    ARM = SYSTEM == "a two-link arm"
    LOW, HIGH = (0.5, 1.2) if ARM else (0.6, 1.0)
    c.names(
        {
            "kernel": f"{'newton_2d' if 'Newton' in METHOD else 'solve_pairs'} {kernel_name}",
            "sizes size": sizes,
        }
    )

    def evaluate(p: wp.vec2, size: wp.vec2):
        """The residuals of both equations, and their derivatives."""
        x = p[0]
        y = p[1]
        if SYSTEM == "two circles":
            # radii are given, and the centres are one apart
            u = x - 1.0
            miss = wp.vec2(x * x + y * y - size[0] * size[0], u * u + y * y - size[1] * size[1])
            return miss, wp.mat22(2.0 * x, 2.0 * y, 2.0 * u, 2.0 * y)
        elif SYSTEM == "an ellipse and a line":
            miss = wp.vec2(size[0] * x * x + y * y - 2.0, x - size[1] * y)
            return miss, wp.mat22(2.0 * size[0] * x, 2.0 * y, 1.0, -size[1])
        elif SYSTEM == "a steady reaction":
            rate = x * x * y
            miss = wp.vec2(size[0] - x + rate, size[1] - rate)
            return miss, wp.mat22(2.0 * x * y - 1.0, x * x, -2.0 * x * y, -x * x)
        else:
            both = x + y
            reach = wp.vec2(wp.cos(x) + wp.cos(both), wp.sin(x) + wp.sin(both))
            return reach - size, wp.mat22(-reach[1], -wp.sin(both), reach[0], wp.cos(both))

    del sizes  # in a task this is the argument
    GOAL = {
        "two circles": "Find where two circles cross that are one apart, the radii R and S in {sizes},",
        "an ellipse and a line": "Find where ellipses and lines cross, with R and S the components of "
        "{sizes},",
        "a steady reaction": "Find steady states of Schnakenberg's reaction, with the feeds R and S in "
        "{sizes},",
        "a two-link arm": "Find the angles x and y with which an arm of two unit links reaches its target, "
        "the point (R, S) in {sizes},",
    }[SYSTEM]
    EQUATIONS = {
        "two circles": "x² + y² - R² = 0 and (x - 1)² + y² - S² = 0",
        "an ellipse and a line": "R·x² + y² - 2 = 0 and x - S·y = 0",
        "a steady reaction": "R - x + x²·y = 0 and S - x²·y = 0",
        "a two-link arm": "cos(x) + cos(x + y) - R = 0 and sin(x) + sin(x + y) - S = 0",
    }[SYSTEM]
    ORIGIN = "(1, 0.8)"
    if IN_PLACE:
        ORIGIN = "{guess}"
    elif FIRST:
        ORIGIN = {
            "two circles": "(R, ½·S)",
            "an ellipse and a line": "(1, 1 / S)",
            "a steady reaction": "(1, S)",
            "a two-link arm": "(atan2(S, R) - 0.5, 1)",
        }[SYSTEM]
    STEP = {
        "Newton's method": "-J⁻¹·F",
        "Newton's method with short steps": "-J⁻¹·F, but shortened to a length of at most {MAX_STEP}",
        "Levenberg's method": "-(Jᵀ·J + {DAMPING}·I)⁻¹·Jᵀ·F",
    }[METHOD]
    END = "" if FIXED else " Stop before a round if |F| < 0.001 there."
    TARGET = "{guess}" if IN_PLACE else "{out}"
    ALSO = ", and the number of rounds done in {rounds}" if COUNTED else ""

    @c.kernel(n)
    def kernel(
        sizes: wp.array[wp.vec2] = input(n, low=LOW, high=HIGH),
        guess: wp.array[wp.vec2] = inout(n, low=0.4, high=2.0),
        out: wp.array[wp.vec2] = output(n),
        rounds: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        size = sizes[tid]
        if IN_PLACE:
            p = guess[tid]
        elif FIRST:
            if SYSTEM == "two circles":
                p = wp.vec2(size[0], 0.5 * size[1])
            elif SYSTEM == "an ellipse and a line":
                # where the line is at x = 1
                p = wp.vec2(1.0, 1.0 / size[1])
            elif ARM:
                # towards the target, the elbow bent
                p = wp.vec2(wp.atan2(size[1], size[0]) - 0.5, 1.0)
            else:
                p = wp.vec2(1.0, size[1])
        else:
            p = wp.vec2(1.0, 0.8)
        if COUNTED:
            count = int(0)
        for _k in range(ROUNDS):
            miss, jacobian = evaluate(p, size)
            if not FIXED:
                if wp.length(miss) < 1.0e-3:
                    break
            if COUNTED:
                count += 1
            if METHOD == "Newton's method":
                p -= wp.inverse(jacobian) * miss
            elif METHOD == "Newton's method with short steps":
                step = wp.inverse(jacobian) * miss
                # far from the root a step is cut short
                p -= step * wp.min(1.0, MAX_STEP / wp.length(step))
            else:
                transposed = wp.transpose(jacobian)
                normal = transposed * jacobian + DAMPING * wp.identity(n=2, dtype=float)
                p -= wp.inverse(normal) * (transposed * miss)
        if IN_PLACE:
            guess[tid] = p
        else:
            out[tid] = p
        if COUNTED:
            rounds[tid] = count


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "friction": "colebrook colebrook_residual imbalance",
        "out": "out result",
        "reynolds": "reynolds Re reynolds_number",
        "rough": "rough relative_roughness eps",
        "aspect": "aspect length_to_diameter",
        "kernel": "pipe_friction darcy_factors",
    },
)
def colebrook_friction(c):
    """The {WANTED} of each pipe, given its {FLOW}, from Colebrook's equation by {METHOD} from
    {START}{LAMINAR}{CHECK}.

    Compute the {WANTED} of flow in pipes from Colebrook's equation. With the Reynolds number R = {SPEEDS} and
    E = {roughness} / 3.7, the relative roughness over 3.7, solve x = -2·log10(E + 2.51·x / R) by {METHOD}.
    Start at {ORIGIN} and do at most {ROUNDS} steps; the first that changes x by less than {TOLERANCE} is the
    last. {STEP} The Darcy factor is f = 1 / x²{BLEND}.

    Store {FORMULA} in {out}.{WARNED}
    """
    n = c.size()
    METHOD = c.meaning("fixed-point steps", "Newton's method", "the secant method")
    START = c.meaning("Haaland's formula", "Swamee and Jain's formula", "a fixed value")
    LAMINAR = c.meaning("", ", laminar below Re = 2300", ", blended with laminar flow")
    FLOW = c.meaning("Reynolds number", "speed and diameter")
    WANTED = c.meaning("Darcy factor", "pressure drop", "Fanning factor", "friction velocity")
    CHECK = c.meaning("", ", warning where the flow is not turbulent")
    if FLOW == "Reynolds number" and WANTED in ("pressure drop", "friction velocity"):
        FLOW = "Reynolds number and speed"
    if WANTED != "Darcy factor":
        kernels = {
            "pressure drop": "pressure_drops pipe_losses",
            "Fanning factor": "fanning_factors pipe_friction",
            "friction velocity": "friction_velocities shear_velocities",
        }
        c.names({"kernel": kernels[WANTED]})
    FIXED = START == "a fixed value"
    ROUNDS, TOLERANCE = c.count(4, 8), c.style(1.0e-3, 1.0e-4, 1.0e-5)

    def friction(x: float, rough: float, reynolds: float) -> float:
        """What is left of the Colebrook equation for x, one over the square root of the Darcy factor."""
        return x + 2.0 * wp.log10(rough / 3.7 + 2.51 * x / reynolds)

    def start(rough: float, reynolds: float) -> float:
        if START == "Haaland's formula":
            return -1.8 * wp.log10(wp.pow(rough / 3.7, 1.11) + 6.9 / reynolds)
        else:
            return -2.0 * wp.log10(rough / 3.7 + 5.74 / wp.pow(reynolds, 0.9))

    def solve(rough: float, reynolds: float) -> float:
        x = float(5.0) if FIXED else start(rough, reynolds)
        if METHOD == "the secant method":
            before = x - 0.5
            f_before = friction(before, rough, reynolds)
        for _k in range(ROUNDS):
            if METHOD == "fixed-point steps":
                ahead = -2.0 * wp.log10(rough / 3.7 + 2.51 * x / reynolds)
            elif METHOD == "the secant method":
                fx = friction(x, rough, reynolds)
                ahead = x - fx * (x - before) / (fx - f_before)
                before = x
                f_before = fx
            else:
                inner = rough / 3.7 + 2.51 * x / reynolds
                fx = x + 2.0 * wp.log10(inner)
                ahead = x - fx / (1.0 + 2.18 / (inner * reynolds))
            change = wp.abs(ahead - x)
            x = ahead
            if change < TOLERANCE:
                break
        return x

    def darcy(rough: float, reynolds: float) -> float:
        if LAMINAR == ", laminar below Re = 2300":
            if reynolds < 2300.0:
                return 64.0 / reynolds
        x = solve(rough, reynolds)
        if LAMINAR == ", blended with laminar flow":
            # between 2000 and 4000 flow changes from laminar to turbulent
            turbulent = wp.smoothstep(2000.0, 4000.0, reynolds)
            return wp.lerp(64.0 / reynolds, 1.0 / (x * x), turbulent)
        else:
            return 1.0 / (x * x)

    SPEEDS = "{reynolds}"
    if FLOW == "speed and diameter":
        SPEEDS = "{speed}·{diameters} / {viscosity}"
    ORIGIN = {
        "Haaland's formula": "Haaland's x = -1.8·log10(E^1.11 + 6.9 / R)",
        "Swamee and Jain's formula": "Swamee and Jain's x = -2·log10(E + 5.74 / R^0.9)",
        "a fixed value": "x = 5",
    }[START]
    STEP = {
        "fixed-point steps": "A step replaces x by the right-hand side.",
        "Newton's method": "A step subtracts G(x) / (1 + 2.18 / (I·R)) from x, where I = E + 2.51·x / R and "
        "G(x) = x + 2·log10(I).",
        "the secant method": "A step is one of the secant method for G(x) = x + 2·log10(E + 2.51·x / R); the "
        "point before the start is 0.5 below it.",
    }[METHOD]
    BLEND = ""
    if LAMINAR == ", laminar below Re = 2300":
        BLEND = "; below R = 2300 it is 64 / R instead"
    elif LAMINAR:
        BLEND = (
            ", blended with the laminar one: f = (1 - T)·64 / R + T / x², where T = U²·(3 - 2·U) and U is (R "
            "- 2000) / (4000 - 2000) clamped to [0, 1]"
        )
    FORMULA = {
        "Darcy factor": "f",
        "Fanning factor": "the Fanning factor ¼·f",
        "friction velocity": "the friction velocity, {speed}·√(f/8),",
        "pressure drop": "the pressure drop ½·{density}·f·{aspect}·{speed}², where {aspect} is length over "
        "diameter,",
    }[WANTED]
    WARNED = ""
    if CHECK:
        WARNED = (
            " For pipes with R < 4000 print the line `pipe %d: flow at Re = %f is not turbulent` with the "
            "index of the pipe and R."
        )

    @c.kernel(n)
    def kernel(
        reynolds: wp.array[float] = input(n, low=1000.0, high=8000.0),
        diameters: wp.array[float] = input(n, low=0.05, high=0.2),
        viscosity: float = input(low=5.0e-5, high=9.0e-5),
        roughness: wp.array[float] = input(n, low=0.01, high=0.05),
        speed: wp.array[float] = input(n, low=0.5, high=3.0, of="speed"),
        aspect: float = input(low=10.0, high=50.0),
        density: float = input(low=0.8, high=1.2),
        out: wp.array[float] = output(n, of="number"),
    ):
        pipe = wp.tid()
        if FLOW == "speed and diameter":
            re = speed[pipe] * diameters[pipe] / viscosity
        else:
            re = reynolds[pipe]
        if CHECK:
            if re < 4000.0:
                wp.printf("pipe %d: flow at Re = %f is not turbulent\n", pipe, re)
        if LAMINAR != "":
            factor = darcy(roughness[pipe], re)
        else:
            x = solve(roughness[pipe], re)
            factor = 1.0 / (x * x)
        if WANTED == "Darcy factor":
            out[pipe] = factor
        elif WANTED == "Fanning factor":
            out[pipe] = 0.25 * factor
        elif WANTED == "friction velocity":
            out[pipe] = speed[pipe] * wp.sqrt(factor / 8.0)
        else:
            out[pipe] = 0.5 * density * factor * aspect * speed[pipe] * speed[pipe]
