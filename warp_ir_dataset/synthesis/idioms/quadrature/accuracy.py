"""Areas under functions, to an accuracy: rules of Gauss and extrapolation."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp

NAMES = {
    "out": "out integrals result",
    "total": "total area acc",
    "h": "h dx width",
    "lo hi": "lo hi | a b | start end",
    "row": "row i curve",
    "k": "k j index",
}


@idiom(
    level=3,
    names=NAMES
    | {
        "lower upper": "lower upper | a b | from_x to_x",
        "half": "half radius scale",
        "kernel": "gauss_integrals",
    },
)
def gauss_legendre_rows(c):
    """Integrates {f} from each {DOMAIN} with {RULE}{SPLIT}{WEIGHT}.

    Integrate {FORMULA} with p = `{parameter}[k]`, for each k {OVER}. Use the quadrature rule of {RULE}: on
    {SPAN} its nodes are {NODES} and their weights {WEIGHTS}{HALVED}.{PARTS} {out} gets {GETS}.
    """
    n = c.size()
    RULE = c.meaning(
        "two Gauss points",
        "three Gauss points",
        "four Gauss points",
        "three Lobatto points",
        "two Radau points",
    )
    SPLIT, WEIGHT = (
        c.meaning("", "equal", "double"),
        c.meaning("", ", and scales the integral"),
    )
    PANELS = 2 if RULE == "four Gauss points" else c.count(2, 3)
    EQUAL, DOUBLE = SPLIT == "equal", SPLIT == "double"
    COUNT = "two" if PANELS == 2 else "three"
    if EQUAL:
        SPLIT = f" in each of {COUNT} equal panels"
    elif DOUBLE:
        SPLIT = f" in each of {COUNT} panels of doubling width"
    DOMAIN = "lower to its upper end"
    if RULE != "three Lobatto points":
        DOMAIN = c.meaning("lower to its upper end", "lower end to infinity")
    INFINITE = DOMAIN.endswith("infinity")
    POINTS = {
        "two Gauss points": ((-0.5773502692, 1.0), (0.5773502692, 1.0)),
        "three Gauss points": (
            (-0.7745966692, 0.5555555556),
            (0.0, 0.8888888889),
            (0.7745966692, 0.5555555556),
        ),
        "four Gauss points": (
            (-0.8611363116, 0.3478548451),
            (-0.3399810436, 0.6521451549),
            (0.3399810436, 0.6521451549),
            (0.8611363116, 0.3478548451),
        ),
        "three Lobatto points": ((-1.0, 0.3333333333), (0.0, 1.3333333333), (1.0, 0.3333333333)),
        "two Radau points": ((-1.0, 0.5), (0.3333333333, 1.5)),
    }[RULE]
    BELOW = tuple((-node, weight) for node, weight in POINTS if node < 0.0)
    ABOVE = tuple((node, weight) for node, weight in POINTS if node > 0.0)
    CENTRE = dict(POINTS).get(0.0, 0.0)
    FROM_ZERO_TO_ONE = tuple((round(0.5 + 0.5 * node, 10), weight) for node, weight in POINTS)
    if "Gauss" not in RULE:
        c.names({"kernel": "integrate_rows quadrature_rows"})

    def bell(x: float, p: float) -> float:
        """the bell curve exp(-p * x * x)."""
        return wp.exp(-p * x * x)

    def planck(x: float, p: float) -> float:
        """Planck's law without its constants."""
        return x * x * x / (wp.exp(p * x) - 1.0)

    def resonance(x: float, p: float) -> float:
        """the resonance 1 / (1 + p * x * x)."""
        return 1.0 / (1.0 + p * x * x)

    def diffraction(x: float, p: float) -> float:
        """the diffraction pattern of a slit."""
        phase = p * x
        ratio = wp.sin(phase) / phase
        return ratio * ratio

    f = c.meaning(bell, planck, resonance, diffraction)

    def on_half_line(t: float, start: float, p: float) -> float:
        """The integrand where t, from zero to one, stands for the half line from the start."""
        rest = 1.0 - t
        return f(start + t / rest, p) / (rest * rest)

    FORMULA = {
        bell: "the bell curve exp(-p·x²)",
        planck: "Planck's law without its constants, x³ / (exp(p·x) - 1)",
        resonance: "the resonance 1 / (1 + p·x²)",
        diffraction: "the diffraction pattern of a slit, (sin(p·x) / (p·x))²",
    }[f]
    UNIT = INFINITE and SPLIT == ""
    NODES = ", ".join(f"{node:.10g}" for node, _ in (FROM_ZERO_TO_ONE if UNIT else POINTS))
    WEIGHTS = ", ".join(f"{weight:.10g}" for _, weight in POINTS)
    SPAN = "[0, 1]" if UNIT else "[-1, 1]"
    HALVED = ", all halved" if UNIT else ""
    OVER = "from `{lower}[k]` to `{upper}[k]`"
    if INFINITE:
        OVER = (
            "from `{lower}[k]` to infinity. Substitute x = `{lower}[k]` + t / (1 - t), whose derivative "
            "is 1 / (1 - t)², and integrate over t from 0 to 1"
        )
    PARTS = ""
    if EQUAL:
        PARTS = " Apply it to each of {COUNT} panels of equal width{FIRST}."
    elif DOUBLE:
        PARTS = (
            " Apply it to each of {COUNT} panels, each of which is twice as wide as the one before, so "
            "that the first{FIRST} is 1/{ALL} of the whole."
        )
    ALL = 2**PANELS - 1
    FIRST = f" (of half-width 1/{2 * (ALL if DOUBLE else PANELS)})" if INFINITE else ""
    GETS = "`{factors}[k]` times the integral" if WEIGHT else "the integral"

    @c.kernel(n)
    def kernel(
        lower: wp.array[float] = input(n, low=0.2, high=1.0),
        upper: wp.array[float] = input(n, low=1.5, high=3.0),
        parameter: wp.array[float] = input(n, low=0.5, high=2.0, of="number"),
        factors: wp.array[float] = input(n, low=0.5, high=2.0),
        out: wp.array[float] = output(n, of="number"),
    ):
        tid = wp.tid()
        p = parameter[tid]
        start = lower[tid]
        total = float(0.0)
        if INFINITE:
            if SPLIT == "":
                for node, weight in FROM_ZERO_TO_ONE:
                    total += weight * on_half_line(node, start, p)
                total *= 0.5
            elif DOUBLE:
                half = 0.5 / float(2**PANELS - 1)
                middle = float(half)
                for _k in range(PANELS):
                    panel = float(0.0)
                    for node, weight in BELOW:
                        panel += weight * on_half_line(middle - half * node, start, p)
                    if CENTRE > 0.0:
                        panel += CENTRE * on_half_line(middle, start, p)
                    for node, weight in ABOVE:
                        panel += weight * on_half_line(middle + half * node, start, p)
                    total += half * panel
                    middle += 3.0 * half
                    half *= 2.0
            else:
                half = 0.5 / float(PANELS)
                for k in range(PANELS):
                    middle = (2.0 * float(k) + 1.0) * half
                    for node, weight in BELOW:
                        total += weight * on_half_line(middle - half * node, start, p)
                    if CENTRE > 0.0:
                        total += CENTRE * on_half_line(middle, start, p)
                    for node, weight in ABOVE:
                        total += weight * on_half_line(middle + half * node, start, p)
                total *= half
        elif SPLIT == "":
            middle = 0.5 * (start + upper[tid])
            half = 0.5 * (upper[tid] - start)
            for node, weight in BELOW:
                total += weight * f(middle - half * node, p)
            if CENTRE > 0.0:
                total += CENTRE * f(middle, p)
            for node, weight in ABOVE:
                total += weight * f(middle + half * node, p)
            total *= half
        elif DOUBLE:
            edge = float(start)
            half = 0.5 * (upper[tid] - start) / float(2**PANELS - 1)
            for _k in range(PANELS):
                middle = edge + half
                panel = float(0.0)
                for node, weight in BELOW:
                    panel += weight * f(middle - half * node, p)
                if CENTRE > 0.0:
                    panel += CENTRE * f(middle, p)
                for node, weight in ABOVE:
                    panel += weight * f(middle + half * node, p)
                total += half * panel
                edge += 2.0 * half
                half *= 2.0
        else:
            half = 0.5 * (upper[tid] - start) / float(PANELS)
            for k in range(PANELS):
                middle = start + (2.0 * float(k) + 1.0) * half
                for node, weight in BELOW:
                    total += weight * f(middle - half * node, p)
                if CENTRE > 0.0:
                    total += CENTRE * f(middle, p)
                for node, weight in ABOVE:
                    total += weight * f(middle + half * node, p)
            total *= half
        if WEIGHT:
            out[tid] = factors[tid] * total
        else:
            out[tid] = total


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "earlier latest": "earlier latest | older newer | before_last last",
        "fine middle coarse": "fine middle coarse | finest half quarter",
        "bound": "estimate error_estimate error",
        "change": "change step_error last_change",
        "level": "level depth stage",
        "kernel": "romberg romberg_integrals",
    },
)
def romberg_extrapolation(c):
    """Integrates {f} from zero to each end by {START}{HOW} {STOP}{GIVES}.

    Integrate {FORMULA} with p = `{parameter}[k]`, for each k from x = 0 to `{ends}[k]`. Let S(N) be the
    result of {RULE} on N equal panels.

    {RESULT}{GETS}{ERROR}.
    """
    n, LEVELS = c.size(), c.count(3, 4)
    START = c.meaning("trapezoids", "midpoints")
    HOW = c.meaning(
        " with Romberg's extrapolation", " with Aitken's extrapolation", " with one Richardson step", ""
    )
    UNTIL = c.meaning(False, True)
    GIVES = c.meaning("", ", and estimates the error")
    LAST, BEFORE = LEVELS - 1, LEVELS - 2
    FINEST, HALF, QUARTER = 2**LAST, 2**BEFORE, 2 ** (LEVELS - 3)
    STOP = f"on up to {FINEST} panels, until two results agree" if UNTIL else f"on {FINEST} panels"
    TOLERANCE, Row = c.style(5.0e-2, 3.0e-2, 2.0e-2), c.vec(LEVELS)
    ROMBERG, AITKEN, RICHARDSON = "Romberg" in HOW, "Aitken" in HOW, "Richardson" in HOW
    if UNTIL:
        c.names({"kernel": "integrate_to_accuracy refine_integral"})
    elif not ROMBERG:
        c.names({"kernel": "refined_integrals integrate_on_levels" if HOW else "composite_integrals"})

    def bell(x: float, p: float) -> float:
        """the bell curve exp(-p * x * x)."""
        return wp.exp(-p * x * x)

    def length_element(x: float, p: float) -> float:
        """the length element of the parabola p * x * x."""
        return wp.sqrt(1.0 + 4.0 * p * p * x * x)

    def ellipse(x: float, p: float) -> float:
        """the elliptic integrand of the second kind."""
        swing = wp.sin(x)
        return wp.sqrt(1.0 - 0.4 * p * swing * swing)

    def bessel(x: float, p: float) -> float:
        """Bessel's integrand."""
        return wp.cos(x - p * wp.sin(x))

    f = c.meaning(bell, length_element, ellipse, bessel)

    def sum_of(end: float, p: float, panels: int) -> float:
        h = end / float(panels)
        if START == "trapezoids":
            total = 0.5 * (f(0.0, p) + f(end, p))
            for k in range(1, panels):
                total += f(float(k) * h, p)
        else:
            total = float(0.0)
            for k in range(panels):
                total += f((float(k) + 0.5) * h, p)
        return h * total

    FORMULA = {
        bell: "the bell curve exp(-p·x²)",
        length_element: "the length element of the parabola p·x², √(1 + 4·p²·x²)",
        ellipse: "the elliptic integrand √(1 - 0.4·p·sin²(x))",
        bessel: "Bessel's integrand cos(x - p·sin(x))",
    }[f]
    RULE = "the composite trapezoidal rule" if START == "trapezoids" else "the composite midpoint rule"
    TABLE = (
        "Extend the column T(j, 0) = S(2^j) to Romberg's table by T(j, m) = T(j, m - 1) + (T(j, m - 1) - "
        "T(j - 1, m - 1)) / (4^m - 1)."
    )
    if UNTIL:
        RESULT = {
            " with Romberg's extrapolation": TABLE + " The result of level j is T(j, j)",
            " with Aitken's extrapolation": "The result of level 0 is S(1), that of level 1 is S(2), and "
            "that of any further level is, by Aitken's extrapolation, c - (c - b)² / (c - 2·b + a), with "
            "the last three sums a, b and c = S(2^j)",
            " with one Richardson step": "The result of level 0 is S(1), and that of any further level j "
            "is, by one Richardson step, (4·S(2^j) - S(2^(j - 1))) / 3",
            "": "The result of level j is S(2^j)",
        }[HOW]
        RESULT += (
            ". Go up from level 0 until the results of two levels differ by less than {TOLERANCE}, or to "
            "level {LAST}"
        )
        GETS = ". {out} gets the last result"
        ERROR = ", and {bound} how much it differs from the one before, in absolute value" if GIVES else ""
    else:
        RESULT = {
            " with Romberg's extrapolation": TABLE + " {out} gets T({LAST}, {LAST})",
            " with Aitken's extrapolation": "With the sums a = S({QUARTER}), b = S({HALF}) and c = "
            "S({FINEST}), {out} gets, by Aitken's extrapolation, c - (c - b)² / (c - 2·b + a), but c if "
            "this divisor is at most 0.0001 in absolute value",
            " with one Richardson step": "{out} gets, by one Richardson step, (4·S({FINEST}) - "
            "S({HALF})) / 3",
            "": "{out} gets S({FINEST})",
        }[HOW]
        GETS = ""
        ERROR = (
            {
                " with Romberg's extrapolation": ", and {bound} gets how much it differs from T({LAST}, "
                "{BEFORE}), in absolute value",
                "": ", and {bound} gets how much it differs from S({HALF}), in absolute value",
            }.get(HOW, ", and {bound} gets how much it differs from S({FINEST}), in absolute value")
            if GIVES
            else ""
        )

    @c.kernel(n)
    def kernel(
        ends: wp.array[float] = input(n, low=0.2, high=3.0, of="number"),
        parameter: wp.array[float] = input(n, low=0.5, high=2.0, of="number"),
        out: wp.array[float] = output(n, of="number"),
        bound: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        end = ends[tid]
        p = parameter[tid]
        if not UNTIL:
            if ROMBERG:
                table = Row()
                table[0] = sum_of(end, p, 1)
                for level in range(1, LEVELS):
                    carried = sum_of(end, p, 1 << level)
                    # each column is better by two orders
                    for column in range(level):
                        power = float(4 << (2 * column))
                        better = carried + (carried - table[column]) / (power - 1.0)
                        table[column] = carried
                        carried = better
                    table[level] = carried
                best = table[LAST]
                if GIVES:
                    change = wp.abs(best - table[BEFORE])
            elif HOW == "":
                best = sum_of(end, p, FINEST)
                if GIVES:
                    change = wp.abs(best - sum_of(end, p, HALF))
            else:
                fine = sum_of(end, p, FINEST)
                middle = sum_of(end, p, HALF)
                if RICHARDSON:
                    best = (4.0 * fine - middle) / 3.0
                else:
                    coarse = sum_of(end, p, QUARTER)
                    bend = fine - 2.0 * middle + coarse
                    best = float(fine)
                    # without a bend the sums are at rest already
                    if wp.abs(bend) > 1.0e-4:
                        best -= (fine - middle) * (fine - middle) / bend
                if GIVES:
                    change = wp.abs(best - fine)
        else:
            latest = sum_of(end, p, 1)
            best = float(latest)
            if GIVES:
                change = float(0.0)
            if ROMBERG:
                table = Row()
                table[0] = latest
            elif AITKEN:
                earlier = float(0.0)
            for level in range(1, LEVELS):
                if ROMBERG:
                    carried = sum_of(end, p, 1 << level)
                    # each column is better by two orders
                    for column in range(level):
                        power = float(4 << (2 * column))
                        better = carried + (carried - table[column]) / (power - 1.0)
                        table[column] = carried
                        carried = better
                    table[level] = carried
                    now = carried
                elif HOW == "":
                    now = sum_of(end, p, 1 << level)
                else:
                    after = sum_of(end, p, 1 << level)
                    if RICHARDSON:
                        now = (4.0 * after - latest) / 3.0
                    else:
                        bend = after - 2.0 * latest + earlier
                        now = after
                        # from three levels on; results that agree would have ended it before
                        if level > 1:
                            now = after - (after - latest) * (after - latest) / bend
                        earlier = latest
                    latest = after
                change = wp.abs(now - best)
                best = now
                if change < TOLERANCE:
                    break
        out[tid] = best
        if GIVES:
            bound[tid] = change
