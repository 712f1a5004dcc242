"""Areas under curves: rules for samples and for functions, in one dimension and in more, and moments."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "out": "out integrals result",
    "total": "total area acc",
    "h": "h dx width",
    "lo hi": "lo hi | a b | start end",
    "row": "row i curve",
    "k": "k j step",
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
    """The {WANTED} of each row of {samples} by {RULE} over {GRID}{ENDS}."""
    n, m = c.size(5, 9), c.count(3, 6) * 2 + 1
    WANTED, ENDS = (
        c.meaning("integral", "mean value", "root mean square"),
        c.meaning("", ", above a baseline"),
    )
    RULE = c.meaning("the trapezoidal rule", "Simpson's rule", "the midpoint rule", "Gregory's rule")
    GRID = "an even grid" if RULE != "the trapezoidal rule" else c.meaning("an even grid", "an uneven grid")
    BASE = c.constant(0.1, 0.9)
    if WANTED != "integral":
        c.names({"out": "means out" if WANTED == "mean value" else "rms out", "total": "total acc"})
    if RULE != "the trapezoidal rule":
        c.names({"kernel": "integrate_rows integrate_samples"})

    def height(samples: wp.array2d[float], row: int, k: int) -> float:
        if WANTED == "root mean square":
            if ENDS:
                above = samples[row, k] - BASE
                return above * above
            else:
                return samples[row, k] * samples[row, k]
        elif ENDS:
            return samples[row, k] - BASE
        else:
            return samples[row, k]

    @c.kernel(n)
    def kernel(
        samples: wp.array2d[float] = given(n, m, low=0.5, high=2.0),
        grid: wp.array[float] = given(m, low=0.0, high=3.0, trait="sorted"),
        h: float = given(low=0.1, high=0.5),
        out: wp.array[float] = result(n, of="number"),
    ):
        row = wp.tid()
        count = samples.shape[1]
        total = float(0.0)
        if GRID == "an uneven grid":
            for k in range(1, count):
                both = height(samples, row, k - 1) + height(samples, row, k)
                total += 0.5 * (grid[k] - grid[k - 1]) * both
        elif RULE == "the trapezoidal rule":
            for k in range(1, count - 1):
                total += height(samples, row, k)
            # both ends count half
            total += 0.5 * (height(samples, row, 0) + height(samples, row, count - 1))
        elif RULE == "Simpson's rule":
            for k in range(1, count - 1, 2):
                total += height(samples, row, k - 1) + 4.0 * height(samples, row, k)
                total += height(samples, row, k + 1)
            total /= 3.0
        elif RULE == "the midpoint rule":
            # every other sample is the middle of an interval
            for k in range(1, count, 2):
                total += 2.0 * height(samples, row, k)
        else:
            for k in range(count):
                total += height(samples, row, k)
            # the ends count 5/12, those next to them 13/12
            total -= 7.0 / 12.0 * (height(samples, row, 0) + height(samples, row, count - 1))
            total += (height(samples, row, 1) + height(samples, row, count - 2)) / 12.0
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
    names=NAMES
    | {"rate": "rate f flow", "running": "running so_far summed", "kernel": "accumulate running_area"},
)
def cumulative_integral(c):
    """The running integral of each row of {rate} {RULE}{START}{LEAK}{GIVES}."""
    n, m = c.size(5, 9), c.size(6, 12)
    RULE = c.meaning("by trapezoids", "by left rectangles", "by right rectangles", "by parabolas")
    START, LEAK = (
        c.meaning("", ", from an initial value"),
        c.meaning("", ", with a leak", ", never negative"),
    )
    GIVES = c.meaning("", ", with its largest value", ", in place")
    KEPT = c.constant(0.5, 0.95)

    @c.kernel(n)
    def kernel(
        rate: wp.array2d[float] = (updated if GIVES == ", in place" else given)(n, m, low=-1.0, high=2.0),
        first: wp.array[float] = given(n, low=0.0, high=1.0),
        h: float = given(low=0.1, high=0.9),
        out: wp.array2d[float] = result(n, m),
        peaks: wp.array[float] = result(n),
    ):
        row = wp.tid()
        if START:
            running = first[row]
        else:
            running = float(0.0)
        if GIVES == ", with its largest value":
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
            if LEAK == ", with a leak":
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
            if LEAK == ", never negative":
                running = wp.max(running, 0.0)
            if RULE != "by right rectangles":
                before = here
            if GIVES == ", in place":
                rate[row, k] = running
            else:
                out[row, k] = running
            if GIVES == ", with its largest value":
                peak = wp.max(peak, running)
        if GIVES == ", with its largest value":
            peaks[row] = peak


@idiom(
    level=2,
    names=NAMES
    | {
        "corners": "corners vertices p",
        "area": "area size measure",
        "kernel": "integrate_triangles face_integrals",
    },
)
def quadrature_on_triangles(c):
    """The {WANTED} of {f} over each triangle, from {RULE}."""
    n, DIM = c.size(), 2
    WANTED = c.meaning("integral", "mean")
    if WANTED == "mean":
        c.names({"kernel": "triangle_means mean_over_triangles", "out": "means out"})
    RULE = c.meaning("its centroid", "its corners", "the middles of its edges", "its corners and centroid")
    Vec = c.vec(DIM)

    def square(p: wp.vec2) -> float:
        """the squared distance from the origin."""
        return wp.dot(p, p)

    def bump(p: wp.vec2) -> float:
        """a bump around the origin."""
        return wp.exp(-wp.dot(p, p))

    def wave(p: wp.vec2) -> float:
        """a wave."""
        return 1.5 + wp.sin(p[0] + 2.0 * p[1])

    def potential(p: wp.vec2) -> float:
        """the potential of a softened charge."""
        return 1.0 / wp.sqrt(wp.dot(p, p) + 0.25)

    f = c.meaning(square, bump, wave, potential)

    @c.kernel(n)
    def kernel(
        corners: wp.array2d[Vec] = given(n, 3, low=-1.0, high=1.0),
        out: wp.array[float] = result(n, of="number"),
    ):
        tid = wp.tid()
        a = corners[tid, 0]
        b = corners[tid, 1]
        p = corners[tid, 2]
        if RULE == "its centroid":
            mean = f((a + b + p) / 3.0)
        elif RULE == "its corners":
            mean = (f(a) + f(b) + f(p)) / 3.0
        elif RULE == "the middles of its edges":
            mean = (f(0.5 * (a + b)) + f(0.5 * (b + p)) + f(0.5 * (p + a))) / 3.0
        else:
            mean = 0.75 * f((a + b + p) / 3.0) + (f(a) + f(b) + f(p)) / 12.0
        if WANTED == "mean":
            out[tid] = mean
        else:
            ab = b - a
            ap = p - a
            area = 0.5 * wp.abs(ab[0] * ap[1] - ab[1] * ap[0])
            out[tid] = area * mean
