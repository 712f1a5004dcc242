"""Areas under curves: rules for samples and for functions, in one dimension and in more, and moments."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

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
        "samples": "samples values f",
        "grid": "grid x nodes",
        "count": "count num points",
        "kernel": "integrate_rows",
    },
)
def trapezoid_of_samples(c):
    """The {WANTED} of each row of samples{ENDS} by {RULE} over {GRID}.

    Compute the {WANTED} of each row of {samples}. Integrate {VALUES} along the row by {WEIGHTS}. {SPACED}.
    {GETS}.
    """
    n, m = c.size(5, 9), c.count(3, 6) * 2 + 1
    WANTED, ENDS = (
        c.meaning("integral", "mean value", "root mean square"),
        c.meaning("", ", less a baseline,"),
    )
    RULE = c.meaning("the trapezoidal rule", "Simpson's rule", "the midpoint rule", "Gregory's rule")
    GRID = "an even grid" if RULE != "the trapezoidal rule" else c.meaning("an even grid", "an uneven grid")
    BASE, SQUARED = c.constant(0.1, 0.9), WANTED == "root mean square"
    SHAPED = SQUARED or ENDS != ""
    if WANTED != "integral":
        c.names({"out": "means out" if WANTED == "mean value" else "rms out", "total": "total acc"})
    if SQUARED:
        c.names({"height": "squared square_of"})
    if RULE != "the trapezoidal rule" or WANTED != "integral":
        averages = "rms_of_rows row_rms" if SQUARED else "average_rows row_means"
        c.names({"kernel": "integrate_rows integrate_samples" if WANTED == "integral" else averages})
    VALUES = {
        (False, False): "the samples",
        (True, False): "the samples less the baseline {BASE}",
        (False, True): "the squares of the samples",
        (True, True): "the squares of the samples less the baseline {BASE}",
    }[ENDS != "", SQUARED]
    SPACED = "The samples of a row are evenly spaced" + (" by {h}" if WANTED == "integral" else "")
    if GRID == "an uneven grid":
        SPACED = "Column j is at `{grid}[j]`"
    WEIGHTS = {
        "the trapezoidal rule": "the trapezoidal rule",
        "Simpson's rule": "the composite Simpson's rule, with a third of the spacing times the weights "
        "1, 4, 2, 4, …, 2, 4, 1",
        "the midpoint rule": "the midpoint rule: the samples in odd columns (1, 3, …) are the middles of "
        "intervals of twice the spacing, and the others do not count",
        "Gregory's rule": "Gregory's rule: it has weight 1 for inner samples, 13/12 for those next "
        "to the ends and 5/12 (7/12 less than 1) for the ends",
    }[RULE]
    GETS = {
        "integral": "{out} gets the integral",
        "mean value": "{out} gets the integral divided by the length of the interval from the first "
        "sample to the last",
        "root mean square": "{out} gets the square root of the integral divided by the length of the "
        "interval from the first sample to the last",
    }[WANTED]

    def height(sample: float) -> float:
        if ENDS:
            if SQUARED:
                above = sample - BASE
                return above * above
            else:
                return sample - BASE
        else:
            return sample * sample

    @c.kernel(n)
    def kernel(
        samples: wp.array2d[float] = input(n, m, low=0.5, high=2.0),
        grid: wp.array[float] = input(m, low=0.0, high=3.0, trait="sorted"),
        h: float = input(low=0.1, high=0.5),
        out: wp.array[float] = output(n, of="number"),
    ):
        row = wp.tid()
        count = samples.shape[1]
        total = float(0.0)
        if RULE != "Simpson's rule" and RULE != "the midpoint rule":
            first = height(samples[row, 0]) if SHAPED else samples[row, 0]
            if GRID == "an even grid":
                last = height(samples[row, count - 1]) if SHAPED else samples[row, count - 1]
        if GRID == "an uneven grid":
            left = first
            for k in range(1, count):
                right = height(samples[row, k]) if SHAPED else samples[row, k]
                total += 0.5 * (grid[k] - grid[k - 1]) * (left + right)
                left = right
        elif RULE == "the trapezoidal rule":
            for k in range(1, count - 1):
                total += height(samples[row, k]) if SHAPED else samples[row, k]
            # both ends count half
            total += 0.5 * (first + last)
        elif RULE == "Simpson's rule":
            for k in range(1, count - 1, 2):
                if SHAPED:
                    total += height(samples[row, k - 1]) + 4.0 * height(samples[row, k])
                    total += height(samples[row, k + 1])
                else:
                    total += samples[row, k - 1] + 4.0 * samples[row, k] + samples[row, k + 1]
            total /= 3.0
        elif RULE == "the midpoint rule":
            # every other sample is the middle of an interval of twice the width
            for k in range(1, count, 2):
                total += 2.0 * (height(samples[row, k]) if SHAPED else samples[row, k])
        else:
            for k in range(count):
                total += height(samples[row, k]) if SHAPED else samples[row, k]
            # the ends count 5/12, those next to them 13/12
            total -= 7.0 / 12.0 * (first + last)
            if SHAPED:
                total += (height(samples[row, 1]) + height(samples[row, count - 2])) / 12.0
            else:
                total += (samples[row, 1] + samples[row, count - 2]) / 12.0
        if GRID == "an uneven grid":
            if WANTED == "integral":
                out[row] = total
            elif WANTED == "mean value":
                out[row] = total / (grid[count - 1] - grid[0])
            else:
                out[row] = wp.sqrt(total / (grid[count - 1] - grid[0]))
        elif WANTED == "integral":
            out[row] = h * total
        elif WANTED == "mean value":
            out[row] = total / float(count - 1)
        else:
            out[row] = wp.sqrt(total / float(count - 1))


@idiom(
    level=3,
    differentiable=False,
    names=NAMES
    | {"rate": "rate f flow", "running": "running so_far summed", "kernel": "accumulate running_area"},
)
def cumulative_integral(c):
    """The running integral of each row of rates {RULE}, from {START}{LEAK}{GIVES}.

    Compute the running integral of each row of {rate}, whose entries are spaced by {h}. {FROM}, which belongs
    to column 0; step k (1, 2, …) then adds {STEP}.{LOST} {GETS}.
    """
    n, m = c.size(5, 9), c.size(6, 12)
    RULE = c.meaning("by trapezoids", "by left rectangles", "by right rectangles", "by parabolas")
    START, LEAK = (
        c.meaning("zero", "an initial value"),
        c.meaning("", ", a share lost each step", ", never below zero"),
    )
    GIVES = c.meaning("", ", and its largest value", ", in place")
    KEPT = c.constant(0.5, 0.95)
    STEP = {
        "by trapezoids": "{h} times the mean of the rates k - 1 and k",
        "by left rectangles": "{h} times rate k - 1",
        "by right rectangles": "{h} times rate k",
        "by parabolas": "{h}·(5·r₋ + 8·r - r₊) / 12, with the rates r₋, r and r₊ of k - 1, k and k + 1; "
        "the last step, which has no r₊, adds {h} times the mean of r₋ and r",
    }[RULE]
    FROM = (
        "The integral starts with `{first}[i]` in row i"
        if START == "an initial value"
        else "The integral starts with 0"
    )
    LOST = {
        "": "",
        ", a share lost each step": " Before each step adds, the integral is multiplied by {KEPT}.",
        ", never below zero": " Whenever a step makes the integral negative, it becomes 0.",
    }[LEAK]
    GETS = {
        "": "{out} gets the integral after each step",
        ", and its largest value": "{out} gets the integral after each step, and {peaks} the largest "
        "value of it in the row, its start included",
        ", in place": "The integral after each step replaces the rate in {rate}; the rates in the "
        "formula are those given",
    }[GIVES]

    @c.kernel(n)
    def kernel(
        rate: wp.array2d[float] = (inout if GIVES == ", in place" else input)(n, m, low=-1.0, high=2.0),
        first: wp.array[float] = input(n, low=0.0, high=1.0),
        h: float = input(low=0.1, high=0.9),
        out: wp.array2d[float] = output(n, m),
        peaks: wp.array[float] = output(n),
    ):
        row = wp.tid()
        if START == "an initial value":
            running = first[row]
        else:
            running = float(0.0)
        if GIVES == ", and its largest value":
            peak = float(running)
        if RULE != "by right rectangles":
            before = rate[row, 0]
        if GIVES == ", in place":
            rate[row, 0] = running
        else:
            out[row, 0] = running
        count = rate.shape[1]
        for k in range(1, count):
            here = rate[row, k]
            if LEAK == ", a share lost each step":
                running *= KEPT
            if RULE == "by trapezoids":
                running += 0.5 * h * (before + here)
            elif RULE == "by left rectangles":
                running += h * before
            elif RULE == "by right rectangles":
                running += h * here
            elif k < count - 1:
                running += h * (5.0 * before + 8.0 * here - rate[row, k + 1]) / 12.0
            else:
                # no sample is beyond the last one
                running += 0.5 * h * (before + here)
            if LEAK == ", never below zero":
                running = wp.max(running, 0.0)
            if RULE != "by right rectangles":
                before = here
            if GIVES == ", in place":
                rate[row, k] = running
            else:
                out[row, k] = running
            if GIVES == ", and its largest value":
                peak = wp.max(peak, running)
        if GIVES == ", and its largest value":
            peaks[row] = peak


@idiom(
    level=2,
    names=NAMES
    | {
        "corners": "corners vertices triangles",
        "p0 p1 p2": "p0 p1 p2 | a b c",
        "u v": "u v | edge0 edge1 | e1 e2",
        "kernel": "integrate_triangles face_integrals",
    },
)
def quadrature_on_triangles(c):
    """The {WANTED} of {f} over each triangle, from its values at {RULE}.

    Integrate {FORMULA} over triangles, at points (x, y). The corners of triangle k are row k of {corners}.
    Take {MEAN} as the mean of the function over the triangle. {GETS}.
    """
    n = c.size()
    WANTED = c.meaning("integral", "mean")
    if WANTED == "mean":
        c.names({"kernel": "triangle_means mean_over_triangles", "out": "means out"})
    RULE = c.meaning("its centroid", "its corners", "the middles of its edges", "its corners and centroid")

    def square(p: wp.vec2) -> float:
        """the squared distance from the origin."""
        return wp.dot(p, p)

    def bump(p: wp.vec2) -> float:
        """a Gaussian bump around the origin."""
        return wp.exp(-wp.dot(p, p))

    def wave(p: wp.vec2) -> float:
        """the plane wave 1.5 + sin(x + 2y)."""
        return 1.5 + wp.sin(p[0] + 2.0 * p[1])

    def potential(p: wp.vec2) -> float:
        """the potential of a softened charge at the origin."""
        return 1.0 / wp.sqrt(wp.dot(p, p) + 0.25)

    f = c.meaning(square, bump, wave, potential)
    FORMULA = {
        square: "the squared distance from the origin, x² + y²,",
        bump: "the Gaussian bump exp(-(x² + y²))",
        wave: "the plane wave 1.5 + sin(x + 2·y)",
        potential: "the potential 1 / √(x² + y² + 0.25) of a softened charge",
    }[f]
    MEAN = {
        "its centroid": "its value at the centroid",
        "its corners": "the mean of its values at the three corners",
        "the middles of its edges": "the mean of its values at the middles of the three edges",
        "its corners and centroid": "0.75 times its value at the centroid plus 1/12 of the sum of its "
        "values at the three corners",
    }[RULE]
    GETS = (
        "{out} gets this mean"
        if WANTED == "mean"
        else "{out} gets this mean times the area of the triangle, which is positive"
    )

    @c.kernel(n)
    def kernel(
        corners: wp.array2d[wp.vec2] = input(n, 3, low=-1.0, high=1.0),
        out: wp.array[float] = output(n, of="number"),
    ):
        tid = wp.tid()
        p0 = corners[tid, 0]
        p1 = corners[tid, 1]
        p2 = corners[tid, 2]
        if RULE == "its centroid":
            mean = f((p0 + p1 + p2) / 3.0)
        elif RULE == "its corners":
            mean = (f(p0) + f(p1) + f(p2)) / 3.0
        elif RULE == "the middles of its edges":
            mean = (f(0.5 * (p0 + p1)) + f(0.5 * (p1 + p2)) + f(0.5 * (p2 + p0))) / 3.0
        else:
            mean = 0.75 * f((p0 + p1 + p2) / 3.0) + (f(p0) + f(p1) + f(p2)) / 12.0
        if WANTED == "mean":
            out[tid] = mean
        else:
            u = p1 - p0
            v = p2 - p0
            area = 0.5 * wp.abs(u[0] * v[1] - u[1] * v[0])
            out[tid] = area * mean
