"""Root finding: iterations of one and of two unknowns, brackets, roots of polynomials."""

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
    level=2,
    names=NAMES
    | {"guess": "guess x0 start", "a": "a values x", "x": "x y estimate", "kernel": "polish refine"},
)
def inverse_root_newton(c):
    """Improves a guess of {WANTED} of each number by {TIMES} of {METHOD}{WHERE}.

    Improve a guess of {WANTED} of each number by {TIMES} of {METHOD}. For each i, with A = `{a}[i]` and the
    guess X = `{guess}[i]`, a step turns X into {FORMULA}. {TARGET}
    """
    n = c.size()
    WANTED = c.meaning("the reciprocal", "the square root", "the inverse square root", "the cube root")
    METHOD, TIMES = c.meaning("Newton's method", "Halley's method"), c.meaning("one step", "two steps")
    WHERE = c.meaning("", ", in place")
    ROUNDS = (1,) if TIMES == "one step" else (1, 2)
    NEWTON = METHOD == "Newton's method"
    if WANTED == "the reciprocal":
        # Halley's formula would divide by the number itself
        METHOD = METHOD if NEWTON else "Chebyshev's method"
        c.names({"out": "out reciprocals", "kernel": "polish refine reciprocal_steps"})
    else:
        c.names({"kernel": "polish refine newton_steps" if NEWTON else "polish refine halley_steps"})
    FORMULA = {
        ("the reciprocal", True): "X + X·(1 - A·X)",
        ("the reciprocal", False): "X + X·M·(1 + M), where M = 1 - A·X",
        ("the square root", True): "½·(X + A / X)",
        ("the square root", False): "X·(X² + 3·A) / (3·X² + A)",
        ("the inverse square root", True): "X·(1.5 - ½·A·X²)",
        ("the inverse square root", False): "X·(3 + A·X²) / (1 + 3·A·X²)",
        ("the cube root", True): "X - (X³ - A) / (3·X²)",
        ("the cube root", False): "X·(X³ + 2·A) / (2·X³ + A)",
    }[WANTED, NEWTON]
    TARGET = "The result replaces the guess." if WHERE else "Store the result in {out}."

    @c.kernel(n)
    def kernel(
        a: wp.array[float] = input(n, low=0.5, high=1.6, of="number"),
        guess: wp.array[float] = (inout if WHERE else input)(n, low=0.25, high=1.2),
        out: wp.array[float] = output(n, of="number"),
    ):
        tid = wp.tid()
        x = guess[tid]
        value = a[tid]
        for _step in ROUNDS:
            if WANTED == "the reciprocal":
                # no division is needed
                miss = 1.0 - value * x
                if NEWTON:
                    x += x * miss
                else:
                    x += x * miss * (1.0 + miss)
            elif WANTED == "the square root":
                if NEWTON:
                    x = 0.5 * (x + value / x)
                else:
                    x *= (x * x + 3.0 * value) / (3.0 * x * x + value)
            elif WANTED == "the inverse square root":
                square = value * x * x
                if NEWTON:
                    x *= 1.5 - 0.5 * square
                else:
                    x *= (3.0 + square) / (1.0 + 3.0 * square)
            else:
                cube = x * x * x
                if NEWTON:
                    x -= (cube - value) / (3.0 * x * x)
                else:
                    x *= (cube + 2.0 * value) / (2.0 * cube + value)
        if WHERE:
            guess[tid] = x
        else:
            out[tid] = x


@idiom(
    level=3,
    differentiable=False,
    names=NAMES | {"load": "targets levels wanted_values", "kernel": "find_roots find_crossings"},
)
def bisect_crossings(c):
    """Finds where {f} takes each value by {ROUNDS} rounds of {METHOD} {ENDS}{GIVES}.

    Find where {f} takes each value T of {load}, by {METHOD}. {BRACKET} With F(x) the function less T, {ROUND}

    Store {ROOT} in {out}{ALSO}.
    """
    n = c.size()
    METHOD = c.meaning("bisection", "regula falsi", "the Illinois method", "bisection with Ridders' formula")
    BISECTION, RIDDERS, ILLINOIS = METHOD == "bisection", "Ridders" in METHOD, "Illinois" in METHOD
    if not BISECTION:
        c.names({"kernel": "find_roots find_crossings solve_in_brackets"})
    if ILLINOIS:
        # the newest is the second, on whichever side it is
        c.names({"lo hi": "a b", "f_lo f_hi": "fa fb"})
    ENDS = c.meaning("in one bracket", "in a bracket that is expanded first")
    LAST = ", with the slope there" if BISECTION else ", counting the rounds"
    GIVES = c.meaning("", ", with the value there", LAST)
    # the others come so near so soon that later rounds would change nothing
    MOST = c.count(6, 10) if BISECTION else 2 if RIDDERS else c.count(3, 5)
    ROUNDS, TOLERANCE = f"{MOST}" if BISECTION else f"up to {MOST}", c.style(1.0e-3, 1.0e-4, 5.0e-4)

    def cubic(x: float) -> float:
        """the cubic x**3 - 3 * x**2 + 4 * x."""
        return ((x - 3.0) * x + 4.0) * x

    def wave(x: float) -> float:
        """the function x + sin(2 * x) / 3."""
        return x + wp.sin(2.0 * x) / 3.0

    def growth(x: float) -> float:
        """the function x * exp(x)."""
        return x * wp.exp(x)

    def linear_log(x: float) -> float:
        """the function x + log(x)."""
        return x + wp.log(x)

    # of a function that bends one way only, regula falsi moves the same end for ever, and the
    # Illinois method has one end to halve
    f = c.meaning(cubic, wave, *((growth, linear_log) if BISECTION or RIDDERS else ()))
    HIGH = 3.0 if f is cubic else 2.0
    BRACKET = "The bracket [a, b] is [0.05, 2.5]."
    if ENDS != "in one bracket":
        BRACKET = (
            "The bracket [a, b] starts as [0.05, 0.25]; while the function at b is below T, a moves to b, "
            "and b is doubled."
        )
    CUT = "x = (a·F(b) - b·F(a)) / (F(b) - F(a)), where the secant through both ends is zero"
    if BISECTION:
        ROUND = (
            "{MOST} times keep the upper half of the bracket if F < 0 in its middle, and the lower otherwise."
        )
    elif RIDDERS:
        ROUND = (
            "each round takes the middle m of the bracket and Ridders' x = m - (m - a)·F(m) / √(F(m)² - "
            "F(a)·F(b)). Stop at this x if |F(x)| < {TOLERANCE}, or in round number {MOST}; if not, keep "
            "the upper half of the bracket if F(m) < 0, and the lower one otherwise."
        )
    elif ILLINOIS:
        ROUND = (
            "start with {CUT}. Each round, at most {MOST}, first stops if |F(x)| < {TOLERANCE}. Otherwise, "
            "if F(x)·F(b) < 0, a takes the place and the value of b; if not, a stays and the value kept for "
            "F(a) is halved. Then b moves to x, and a new x follows from the same formula."
        )
    else:
        ROUND = (
            "start with {CUT}. Each round, at most {MOST}, first stops if |F(x)| < {TOLERANCE}. Otherwise x "
            "becomes the lower end a if F(x) < 0, and the upper end b if not, and a new x follows from the "
            "same formula."
        )
    ROOT = "the middle of the last bracket" if BISECTION else "the last x"
    ALSO = {
        "": "",
        ", with the value there": ", and the value of the function there in {reached}",
        ", with the slope there": ", and in {slopes} the slope of the function there, its central difference "
        "over 0.01 to both sides, divided by 0.02",
        ", counting the rounds": ", and in {rounds} the number of rounds, that which stops included",
    }[GIVES]

    @c.kernel(n)
    def kernel(
        load: wp.array[float] = input(n, low=0.3, high=HIGH, of="number"),
        out: wp.array[float] = output(n, of="number"),
        reached: wp.array[float] = output(n),
        slopes: wp.array[float] = output(n),
        rounds: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        wanted = load[tid]
        lo = float(0.05)
        if ENDS == "in one bracket":
            hi = float(2.5)
        else:
            hi = float(0.25)
            while f(hi) < wanted:
                lo = hi
                hi *= 2.0
        if not BISECTION:
            f_lo = f(lo) - wanted
            f_hi = f(hi) - wanted
            if RIDDERS:
                x = float(0.0)
            else:
                x = (lo * f_hi - hi * f_lo) / (f_hi - f_lo)
        if GIVES == ", counting the rounds":
            count = int(0)
        for _k in range(MOST):
            if GIVES == ", counting the rounds":
                count += 1
            if BISECTION or RIDDERS:
                mid = 0.5 * (lo + hi)
            if BISECTION:
                if f(mid) < wanted:
                    lo = mid
                else:
                    hi = mid
            elif RIDDERS:
                f_mid = f(mid) - wanted
                # an exponential factor straightens the function first
                x = mid - (mid - lo) * f_mid / wp.sqrt(f_mid * f_mid - f_lo * f_hi)
            if not BISECTION:
                fx = f(x) - wanted
                if wp.abs(fx) < TOLERANCE:
                    break
                if RIDDERS:
                    # the half that holds the root stays
                    if f_mid < 0.0:
                        lo = mid
                        f_lo = f_mid
                    else:
                        hi = mid
                        f_hi = f_mid
                elif ILLINOIS:
                    if fx * f_hi < 0.0:
                        lo = hi
                        f_lo = f_hi
                    else:
                        # an end that stays once more must not stay for ever
                        f_lo *= 0.5
                    hi = x
                    f_hi = fx
                elif fx < 0.0:
                    lo = x
                    f_lo = fx
                else:
                    hi = x
                    f_hi = fx
                if not RIDDERS:
                    x = (lo * f_hi - hi * f_lo) / (f_hi - f_lo)
        root = 0.5 * (lo + hi) if BISECTION else x
        out[tid] = root
        if GIVES == ", with the value there":
            reached[tid] = f(root)
        elif GIVES == ", with the slope there":
            slopes[tid] = (f(root + 0.01) - f(root - 0.01)) / 0.02
        elif GIVES != "":
            rounds[tid] = count


@idiom(
    level=3,
    names=NAMES
    | {"z": "z values x", "w": "w guess estimate", "e": "e exp_w", "kernel": "invert_wew product_log"},
)
def lambert_w(c):
    """Solves w * exp(w) = z for each z on the {BRANCH} branch by {STOP} of {METHOD}{GIVES}.

    Compute the {BRANCH} branch of Lambert's W function: the w with w·exp(w) = T for each T in {z}. Start at
    {FIRST} and do {STEPS} of {METHOD}: each adds {STEP} to w, with {PARTS}.{END}

    Store w in {out}{ALSO}.
    """
    n = c.size()
    BRANCH, METHOD = (
        c.meaning("principal", "lower"),
        c.meaning("Newton's method", "Halley's method", "Fritsch's method"),
    )
    FIXED = c.meaning(True, False)
    GIVES = c.meaning("", ", with the slope of the solution")
    if not FIXED:
        GIVES = c.meaning("", ", with the slope of the solution", ", and counts the steps")
    ROUNDS = c.count(2, 3) if FIXED else c.count(3, 8)
    STOP = ("two steps" if ROUNDS == 2 else "three steps") if FIXED else f"up to {ROUNDS} steps"
    TOLERANCE = c.style(1.0e-3, 1.0e-4, 5.0e-4)
    LOW, HIGH = (0.1, 4.0) if BRANCH == "principal" else (-0.3, -0.05)
    FIRST = "w = ln(1 + T)"
    if BRANCH == "lower":
        FIRST = "w = L - ln(-L), where L = ln(-T),"
    STEPS = STOP if FIXED else "at most {ROUNDS} steps"
    STEP = {
        "Newton's method": "-F / S",
        "Halley's method": "-F / (S - ½·F·(w + 2) / (w + 1))",
        "Fritsch's method": "w·M·(Q - M) / ((1 + w)·(Q - 2·M))",
    }[METHOD]
    PARTS = "F = w·exp(w) - T and S = exp(w)·(w + 1)"
    if METHOD == "Fritsch's method":
        PARTS = "M = ln(T / w) - w and Q = 2·(1 + w)·(1 + w + 2·M / 3)"
    END = "" if FIXED else " The first step with an absolute value below {TOLERANCE} is the last one."
    ALSO = {
        "": "",
        ", with the slope of the solution": ", and the slope of this solution, 1 / (exp(w)·(1 + w)), in "
        "{slopes}",
        ", and counts the steps": ", and the number of steps done in {steps}",
    }[GIVES]

    @c.kernel(n)
    def kernel(
        z: wp.array[float] = input(n, low=LOW, high=HIGH, of="number"),
        out: wp.array[float] = output(n, of="number"),
        slopes: wp.array[float] = output(n),
        steps: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        value = z[tid]
        if BRANCH == "principal":
            w = wp.log(1.0 + value)
        else:
            # near zero the lower branch falls like a logarithm
            l1 = wp.log(-value)
            w = l1 - wp.log(-l1)
        if GIVES == ", and counts the steps":
            count = int(0)
        for _k in range(ROUNDS):
            if METHOD == "Fritsch's method":
                miss = wp.log(value / w) - w
                ahead = 1.0 + w
                twice = 2.0 * ahead * (ahead + 2.0 * miss / 3.0)
                step = w * miss / ahead * (twice - miss) / (twice - 2.0 * miss)
            else:
                e = wp.exp(w)
                fx = w * e - value
                slope = e * (w + 1.0)
                if METHOD == "Newton's method":
                    step = -fx / slope
                else:
                    step = -fx / (slope - 0.5 * fx * (w + 2.0) / (w + 1.0))
            w += step
            if GIVES == ", and counts the steps":
                count += 1
            if not FIXED:
                if wp.abs(step) < TOLERANCE:
                    break
        out[tid] = w
        if GIVES == ", with the slope of the solution":
            slopes[tid] = 1.0 / (wp.exp(w) * (1.0 + w))
        elif GIVES == ", and counts the steps":
            steps[tid] = count
