"""Roots without a loop: of quadratics, and one step within a bracket."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(
    level=2,
    names={
        "leading linear constant": "leading linear constant | a b c | c2 c1 c0",
        "p": "p centre vertex",
        "q": "q product rest",
        "root": "root s spread",
        "far": "far outer bigger",
        "near": "near inner smaller",
        "out": "out roots solution",
        "tid": "tid i idx",
        "kernel": "solve_quadratics quadratic roots_kernel",
    },
)
def quadratic_roots(c):
    """The {WANTED} of each quadratic with {GIVEN} by {HOW}{NONE}."""
    n = c.size()
    WANTED = c.meaning(
        "two roots", "larger root", "smaller root", "root nearer to zero", "first positive root"
    )
    GIVEN = c.meaning("three coefficients", "leading coefficient one", "half its linear coefficient")
    HOW = c.meaning("the stable formula", "the textbook formula")
    NONE = c.meaning("", ", with a mark where there is none")
    if WANTED == "first positive root":
        # there may be none above zero
        NONE = ", with a mark where there is none"
    STABLE, BOTH = HOW == "the stable formula", WANTED == "two roots"

    @c.kernel(n)
    def kernel(
        leading: wp.array[float] = given(n, low=0.5, high=2.0),
        linear: wp.array[float] = given(n, low=-4.0, high=4.0),
        constant: wp.array[float] = given(n, low=-2.0, high=1.5),
        out: wp.array[wp.vec2 if BOTH else float] = result(n),
    ):
        tid = wp.tid()
        if GIVEN == "three coefficients":
            p = -0.5 * linear[tid] / leading[tid]
            q = constant[tid] / leading[tid]
        elif GIVEN == "leading coefficient one":
            p = -0.5 * linear[tid]
            q = constant[tid]
        else:
            p = -linear[tid] / leading[tid]
            q = constant[tid] / leading[tid]
        if NONE == "":
            # without a real root, both are at the turning point
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
        if NONE == "":
            out[tid] = found
        elif WANTED == "first positive root":
            # one below zero does not count either
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
    """The next guess of the root in each bracket by {METHOD}{SAFE}{GIVES}."""
    n = c.size()
    METHOD = c.meaning(
        "the secant method",
        "inverse quadratic interpolation",
        "Ridders' formula",
        "a central-difference Newton step",
        "Newton's step",
    )
    SAFE = c.meaning("", ", kept away from its ends", ", halved where that fails")
    GIVES = c.meaning("", ", with how far it is from the middle", ", with its share of the bracket")
    MARGIN = c.constant(0.05, 0.2)
    HALVES = METHOD in (
        "inverse quadratic interpolation",
        "Ridders' formula",
        "a central-difference Newton step",
    )
    fails = METHOD in ("inverse quadratic interpolation", "Newton's step")
    if not fails and SAFE == ", halved where that fails":
        SAFE = ", kept away from its ends"
    MIDDLE = HALVES or SAFE == ", halved where that fails" or GIVES == ", with how far it is from the middle"

    @c.kernel(n)
    def kernel(
        lows: wp.array[float] = given(n, low=-2.0, high=0.5),
        highs: wp.array[float] = given(n, low=1.0, high=3.0),
        f_lows: wp.array[float] = given(n, low=-3.0, high=-1.0),
        f_highs: wp.array[float] = given(n, low=1.0, high=3.0),
        f_mids: wp.array[float] = given(n, low=-0.8, high=0.8),
        slopes: wp.array[float] = given(n, low=0.5, high=2.0),
        out: wp.array[float] = result(n),
        offsets: wp.array[float] = result(n),
    ):
        tid = wp.tid()
        lo = lows[tid]
        if METHOD != "Newton's step" or SAFE != "" or GIVES != "":
            hi = highs[tid]
        f_lo = f_lows[tid]
        if METHOD != "Newton's step":
            f_hi = f_highs[tid]
        if MIDDLE:
            mid = 0.5 * (lo + hi)
        if HALVES:
            f_mid = f_mids[tid]
        if METHOD == "inverse quadratic interpolation":
            # the place as a quadratic of the value, at zero
            at_lo = lo * f_mid * f_hi / ((f_lo - f_mid) * (f_lo - f_hi))
            at_mid = mid * f_lo * f_hi / ((f_mid - f_lo) * (f_mid - f_hi))
            x = at_lo + at_mid + hi * f_lo * f_mid / ((f_hi - f_lo) * (f_hi - f_mid))
        elif METHOD == "Ridders' formula":
            x = mid - (mid - lo) * f_mid / wp.sqrt(f_mid * f_mid - f_lo * f_hi)
        elif METHOD == "a central-difference Newton step":
            left = (f_mid - f_lo) / (mid - lo)
            right = (f_hi - f_mid) / (hi - mid)
            x = mid - 2.0 * f_mid / (left + right)
        elif METHOD == "Newton's step":
            x = lo - f_lo / slopes[tid]
        else:
            x = (lo * f_hi - hi * f_lo) / (f_hi - f_lo)
        if SAFE == ", kept away from its ends":
            x = wp.clamp(x, lo + MARGIN * (hi - lo), hi - MARGIN * (hi - lo))
        elif SAFE == ", halved where that fails":
            x = wp.where(x > lo and x < hi, x, mid)
        out[tid] = x
        if GIVES == ", with how far it is from the middle":
            offsets[tid] = x - mid
        elif GIVES != "":
            offsets[tid] = (x - lo) / (hi - lo)
