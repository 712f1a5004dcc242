"""Roots without a loop: of quadratics, and one step within a bracket."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=2,
    names={
        "leading linear constant": "leading linear constant | a b c | c2 c1 c0",
        "p": "p centre vertex",
        "q": "q product",
        "root": "s spread offset",
        "far": "far outer",
        "near": "near inner",
        "out": "out roots solution",
        "tid": "tid i idx",
        "kernel": "solve_quadratics quadratic roots_kernel",
    },
)
def quadratic_roots(c):
    """The {WANTED} of each quadratic{GIVEN} by {HOW}, {NONE}.

    Find the {WANTED} of the quadratics {EQUATION}. With {VERTEX}, the roots are p ± √(p² - q).

    {CHOICE}{EMPTY} Store the result in {out}{PAIR}.
    """
    n = c.size()
    WANTED = c.meaning(
        "two roots", "larger root", "smaller root", "root nearer to zero", "first positive root"
    )
    GIVEN = c.meaning("", " of leading coefficient one", " given half its linear coefficient")
    HOW = c.meaning("the stable formula", "the textbook formula")
    MARKED = c.meaning(False, True)
    if WANTED == "first positive root":
        # there may be none above zero
        MARKED = True
    NONE = "-99 where there is none" if MARKED else "the vertex where there is none"
    STABLE, BOTH = HOW == "the stable formula", WANTED == "two roots"
    if GIVEN.endswith("linear coefficient"):
        c.names({"leading linear constant": "leading half_linear constant | a half_b c"})
    EQUATION = {
        "": "A·x² + B·x + C, with the coefficients {leading}, {linear} and {constant}",
        " of leading coefficient one": "x² + B·x + C, with the coefficients {linear} and {constant}",
        " given half its linear coefficient": "A·x² + 2·B·x + C, with {leading} for A, {linear} for B and "
        "{constant} for C",
    }[GIVEN]
    VERTEX = {
        "": "the vertex p = -B / (2·A) and q = C / A",
        " of leading coefficient one": "the vertex p = -B/2 and q = C",
        " given half its linear coefficient": "the vertex p = -B / A and q = C / A",
    }[GIVEN]
    CHOICE = ""
    if STABLE:
        CHOICE = (
            "Avoid cancellation: take the root farther from zero, p - √(p² - q) if p < 0 and otherwise p + "
            "√(p² - q), and for the other one q divided by it, or 0 if it is at most 1e-6 in absolute value. "
        )
    elif WANTED == "root nearer to zero":
        CHOICE = "The nearer one is p - sign(p)·√(p² - q), where sign(0) = 1. "
    EMPTY = "If p² < q there is no real root, and the result is {INSTEAD}."
    INSTEAD = "-99" if MARKED else "p, the vertex"
    if BOTH:
        INSTEAD += ", twice"
    if WANTED == "first positive root":
        EMPTY = (
            "The result is the smallest root above 0; if there is none, or no real root (p² < q), it is -99."
        )
    PAIR = ", the smaller root first" if BOTH else ""

    @c.kernel(n)
    def kernel(
        leading: wp.array[float] = input(n, low=0.5, high=2.0),
        linear: wp.array[float] = input(n, low=-4.0, high=4.0),
        constant: wp.array[float] = input(n, low=-2.0, high=1.5),
        out: wp.array[wp.vec2 if BOTH else float] = output(n),
    ):
        tid = wp.tid()
        if GIVEN == "":
            p = -0.5 * linear[tid] / leading[tid]
            q = constant[tid] / leading[tid]
        elif GIVEN == " of leading coefficient one":
            p = -0.5 * linear[tid]
            q = constant[tid]
        else:
            p = -linear[tid] / leading[tid]
            q = constant[tid] / leading[tid]
        if STABLE and not MARKED:
            # without a real root, both are at the vertex
            q = wp.min(q, p * p)
        root = wp.sqrt(wp.max(p * p - q, 0.0))
        if STABLE:
            far = wp.where(p < 0.0, p - root, p + root)
            near = wp.where(wp.abs(far) > 1.0e-6, q / far, 0.0)
            if WANTED == "two roots":
                found = wp.vec2(wp.min(near, far), wp.max(near, far))
            elif WANTED == "larger root":
                found = wp.max(near, far)
            elif WANTED == "smaller root":
                found = wp.min(near, far)
            elif WANTED == "root nearer to zero":
                found = near
            else:
                low = wp.min(near, far)
                found = wp.where(low > 0.0, low, wp.max(near, far))
        elif WANTED == "two roots":
            found = wp.vec2(p - root, p + root)
        elif WANTED == "larger root":
            found = p + root
        elif WANTED == "smaller root":
            found = p - root
        elif WANTED == "root nearer to zero":
            found = p - wp.sign(p) * root
        else:
            found = wp.where(p - root > 0.0, p - root, p + root)
        if not MARKED:
            out[tid] = found
        elif WANTED == "first positive root":
            # a root below zero does not count either
            out[tid] = wp.where(p * p < q or found <= 0.0, -99.0, found)
        elif BOTH:
            out[tid] = wp.where(p * p < q, wp.vec2(-99.0, -99.0), found)
        else:
            out[tid] = wp.where(p * p < q, -99.0, found)


@idiom(
    level=3,
    names={
        "lo hi": "lo hi | a b | left right",
        "f_lo f_hi": "f_lo f_hi | fa fb | f_left f_right",
        "x": "x guess estimate",
        "tid": "tid i idx",
        "out": "out roots estimates",
        "kernel": "interpolate_root refine_bracket next_guess",
    },
)
def bracket_interpolation(c):
    """The next guess of the root in each rising bracket by {METHOD}{SAFE}{GIVES}.

    Give the next guess for the root in each {BRACKET}, by {METHOD}. {VALUES} The guess is {FORMULA}.{SAFETY}

    Store the guess x in {out}{ALSO}.
    """
    n = c.size()
    METHOD = c.meaning(
        "the secant method",
        "inverse quadratic interpolation",
        "Ridders' formula",
        "Muller's method",
        "Newton's method from its lower end",
    )
    SAFE = c.meaning("", ", kept away from its ends", ", or its middle where that leaves it")
    GIVES = c.meaning("", ", with its offset from the middle", ", with its share of the bracket")
    MARGIN = c.constant(0.1, 0.25)
    INVERSE, NEWTON = METHOD.startswith("inverse"), METHOD.startswith("Newton")
    HALVES = METHOD in ("inverse quadratic interpolation", "Ridders' formula", "Muller's method")
    if not INVERSE and not NEWTON and SAFE.endswith("leaves it"):
        # the others never do
        SAFE = ", kept away from its ends"
    CLAMPED, HALVED, SHARE = SAFE.endswith("ends"), SAFE.endswith("leaves it"), GIVES.endswith("bracket")
    MIDDLE = HALVES or HALVED or GIVES.endswith("middle")
    if NEWTON:
        c.names({"kernel": "refine_bracket next_guess newton_guess"})
    # inverse interpolation of what does not rise throughout is nowhere near
    LEAST, MOST = (0.1, 2.0) if not INVERSE else (0.5, 0.8) if SAFE else (1.0, 0.8)
    BRACKET = "bracket [a, b] from {lows} to {highs}"
    if NEWTON and SAFE == "" and GIVES == "":
        BRACKET = "bracket from a in {lows} upwards"
    VALUES = "The function has the value A = {f_lows} at a and B = {f_highs} at b."
    if HALVES:
        VALUES = (
            "The function has the value A = {f_lows} at a, B = {f_highs} at b and M = {f_mids} at the middle "
            "m = ½·(a + b)."
        )
    elif NEWTON:
        VALUES = "The function has the value A = {f_lows} and the slope S = {slopes} at a."
    FORMULA = {
        "the secant method": "x = (a·B - b·A) / (B - A)",
        "inverse quadratic interpolation": "where the quadratic x(f) through the three pairs (A, a), (M, m) "
        "and (B, b), of values and places, has f = 0",
        "Ridders' formula": "x = m - (m - a)·M / √(M² - A·B)",
        "Muller's method": "the root x = m - 2·M / (S + √(S² - 4·C·M)) of the parabola through the three "
        "points, with its slope S = (B - A) / (b - a) at m and C = ((B - M) / (b - m) - (M - A) / (m - a)) / "
        "(b - a)",
        "Newton's method from its lower end": "x = a - A / S",
    }[METHOD]
    SAFETY = ""
    if CLAMPED:
        SAFETY = " Clamp x so that it keeps a distance of {MARGIN}·(b - a) from both ends."
    elif HALVED:
        SAFETY = " If x is not between a and b, take the middle ½·(a + b) instead."
    ALSO = {
        "": "",
        ", with its offset from the middle": ", and its offset from the middle, x - ½·(a + b), in {offsets}",
        ", with its share of the bracket": ", and its share of the bracket, (x - a) / (b - a), in {shares}",
    }[GIVES]

    @c.kernel(n)
    def kernel(
        lows: wp.array[float] = input(n, low=-2.0, high=0.5),
        highs: wp.array[float] = input(n, low=1.0, high=3.0),
        f_lows: wp.array[float] = input(n, low=-3.0, high=-LEAST),
        f_highs: wp.array[float] = input(n, low=LEAST, high=3.0),
        f_mids: wp.array[float] = input(n, low=-MOST, high=MOST),
        slopes: wp.array[float] = input(n, low=0.5, high=2.0),
        out: wp.array[float] = output(n),
        offsets: wp.array[float] = output(n),
        shares: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        lo = lows[tid]
        if not NEWTON or SAFE != "" or GIVES != "":
            hi = highs[tid]
        f_lo = f_lows[tid]
        if not NEWTON:
            f_hi = f_highs[tid]
        if MIDDLE:
            mid = 0.5 * (lo + hi)
        if HALVES:
            f_mid = f_mids[tid]
        if METHOD == "inverse quadratic interpolation":
            # the place as a quadratic function of the value, where that is zero
            at_lo = lo * f_mid * f_hi / ((f_lo - f_mid) * (f_lo - f_hi))
            at_mid = mid * f_lo * f_hi / ((f_mid - f_lo) * (f_mid - f_hi))
            x = at_lo + at_mid + hi * f_lo * f_mid / ((f_hi - f_lo) * (f_hi - f_mid))
        elif METHOD == "Ridders' formula":
            x = mid - (mid - lo) * f_mid / wp.sqrt(f_mid * f_mid - f_lo * f_hi)
        elif METHOD == "Muller's method":
            # a parabola through all three points
            left = (f_mid - f_lo) / (mid - lo)
            right = (f_hi - f_mid) / (hi - mid)
            slope = 0.5 * (left + right)
            bend = (right - left) / (hi - lo)
            x = mid - 2.0 * f_mid / (slope + wp.sqrt(slope * slope - 4.0 * bend * f_mid))
        elif NEWTON:
            x = lo - f_lo / slopes[tid]
        else:
            x = (lo * f_hi - hi * f_lo) / (f_hi - f_lo)
        if CLAMPED:
            margin = MARGIN * (hi - lo)
            x = wp.clamp(x, lo + margin, hi - margin)
        elif HALVED:
            x = wp.where(x < hi, x, mid) if NEWTON else wp.where(x > lo and x < hi, x, mid)
        out[tid] = x
        if SHARE:
            shares[tid] = (x - lo) / (hi - lo)
        elif GIVES != "":
            offsets[tid] = x - mid
