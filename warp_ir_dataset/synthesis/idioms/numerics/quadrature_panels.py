"""One panel or one segment at a time: areas, work, flux; and sums under densities."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=2,
    names={
        "y": "y samples f_values",
        "places": "places x nodes",
        "h": "h dx width",
        "area": "area panel part",
        "panel": "panel i p",
        "first": "first left base",
        "kernel": "integrate_panels panel_sums newton_cotes",
    },
)
def panel_areas(c):
    """{ACT} the integral of {WHAT} over each panel by {RULE}, {NODES}."""
    n = c.size(5, 8)
    ACT = c.meaning("Stores", "Adds up")
    RULE = c.meaning(
        "Simpson's rule",
        "the trapezoidal rule",
        "the three-eighths rule",
        "the corrected trapezoidal rule",
        "Boole's rule",
    )
    NODES = c.meaning("evenly spaced", "between given ends")
    # the slopes are those of the samples themselves
    OTHERS = (
        () if RULE == "the corrected trapezoidal rule" else ("squared samples", "the logarithms of samples")
    )
    WHAT = c.meaning("samples", *OTHERS)
    STRIDE = {"Simpson's rule": 2, "the three-eighths rule": 3, "Boole's rule": 4}.get(RULE, 1)
    m = STRIDE * n + 1

    def value(sample: float) -> float:
        if WHAT == "squared samples":
            return sample * sample
        else:
            return wp.log(sample)

    @c.kernel(n)
    def kernel(
        y: wp.array[float] = given(m, low=0.3, high=4.0),
        slopes: wp.array[float] = given(m, low=-1.0, high=1.0),
        places: wp.array[float] = given(n + 1, low=0.0, high=6.0, trait="sorted"),
        spacing: float = given(low=0.5, high=2.0),
        out: wp.array[float] = updated(1, low=0.0, high=1.0) if ACT == "Adds up" else result(n),
    ):
        panel = wp.tid()
        if NODES == "evenly spaced":
            h = spacing
        else:
            h = places[panel + 1] - places[panel]
        first = STRIDE * panel
        if WHAT == "samples":
            if RULE == "Simpson's rule":
                area = h / 6.0 * (y[first] + 4.0 * y[first + 1] + y[first + 2])
            elif RULE == "the three-eighths rule":
                area = 0.125 * h * (y[first] + 3.0 * (y[first + 1] + y[first + 2]) + y[first + 3])
            elif RULE == "Boole's rule":
                ends = 7.0 * (y[first] + y[first + 4])
                inner = 32.0 * (y[first + 1] + y[first + 3])
                area = h / 90.0 * (ends + inner + 12.0 * y[first + 2])
            else:
                area = 0.5 * h * (y[first] + y[first + 1])
        else:
            a = value(y[first])
            b = value(y[first + 1])
            if RULE == "Simpson's rule":
                area = h / 6.0 * (a + 4.0 * b + value(y[first + 2]))
            elif RULE == "the three-eighths rule":
                d = value(y[first + 3])
                area = 0.125 * h * (a + 3.0 * (b + value(y[first + 2])) + d)
            elif RULE == "Boole's rule":
                middle = value(y[first + 2])
                d = value(y[first + 3])
                e = value(y[first + 4])
                area = h / 90.0 * (7.0 * (a + e) + 32.0 * (b + d) + 12.0 * middle)
            else:
                area = 0.5 * h * (a + b)
        if RULE == "the corrected trapezoidal rule":
            # the slopes at both ends cancel the leading error
            area += h * h / 12.0 * (slopes[panel] - slopes[panel + 1])
        if ACT == "Adds up":
            wp.atomic_add(out, 0, area)
        else:
            out[panel] = area


@idiom(
    level=3,
    names={
        "p": "p points path",
        "a b": "a b | start end | p0 p1",
        "step": "step edge chord",
        "middle": "middle centre mid",
        "pull": "pull f mean_force",
        "i": "i segment tid",
        "kernel": "line_integral integrate_field path_integral",
    },
)
def segment_work(c):
    """{ACT} the {WANTED} of {field} along each segment of a {PATH} by {RULE}."""
    n = c.size(6, 10)
    ACT = c.meaning("Stores", "Adds up")
    WANTED = c.meaning("work", "flux")
    if WANTED == "flux":
        c.names({"kernel": "segment_flux flux_through_path", "pull": "flow field_here"})
    PATH = c.meaning("closed path", "path")
    RULE = c.meaning("its middle", "its two ends", "Simpson's rule")
    STRENGTH, CORE = c.constant(0.3, 1.5), c.constant(0.1, 0.4)
    CROSS_WIND = c.constant(0.1, 0.4)

    def vortex(x: wp.vec2) -> wp.vec2:
        """a vortex with a soft core."""
        return STRENGTH * wp.vec2(-x[1], x[0]) / (CORE + wp.length_sq(x))

    def spring(x: wp.vec2) -> wp.vec2:
        """a spring."""
        return -STRENGTH * x

    def source(x: wp.vec2) -> wp.vec2:
        """a source with a soft core."""
        return STRENGTH * x / (CORE + wp.dot(x, x))

    def shear(x: wp.vec2) -> wp.vec2:
        """a shear flow with a cross wind."""
        return wp.vec2(STRENGTH * x[1], CROSS_WIND)

    field = c.meaning(vortex, spring, source, shear)

    @c.kernel(n)
    def kernel(
        p: wp.array[wp.vec2] = given(n if PATH == "closed path" else n + 1, low=-2.0, high=2.0),
        out: wp.array[float] = updated(1, low=0.0, high=0.5) if ACT == "Adds up" else result(n),
    ):
        i = wp.tid()
        a = p[i]
        if PATH == "closed path":
            # the last point is joined to the first
            b = p[(i + 1) % p.shape[0]]
        else:
            b = p[i + 1]
        step = b - a
        if RULE == "its middle":
            pull = field(0.5 * (a + b))
        elif RULE == "its two ends":
            pull = 0.5 * (field(a) + field(b))
        else:
            pull = (field(a) + 4.0 * field(0.5 * (a + b)) + field(b)) / 6.0
        if WANTED == "work":
            part = wp.dot(pull, step)
        else:
            part = pull[0] * step[1] - pull[1] * step[0]
        if ACT == "Adds up":
            wp.atomic_add(out, 0, part)
        else:
            out[i] = part


@idiom(
    level=4,
    names={
        "out": "out result summaries",
        "row": "row i curve",
        "k": "k j step",
        "weights": "weights density pdf",
        "places": "places x bin_centres",
        "mass": "mass norm total_weight",
        "mean": "mean centre mu",
        "spread": "spread width",
        "third": "third shape higher",
        "kernel": "summarize_densities moments",
    },
)
def density_moments(c):
    """The mean and the {SPREAD} of the density in each row of {weights}{CUT}{THIRD}{ALARM}."""
    FIXED = c.spelling(True, False)
    n, m = c.size(5, 9), 4 if FIXED else c.size(7, 12)
    SPREAD = c.meaning("variance", "standard deviation", "mean deviation")
    STANDARDIZED = () if SPREAD == "mean deviation" else (", and its skewness", ", and its kurtosis")
    THIRD = c.meaning("", ", and its entropy", *STANDARDIZED)
    CUT = c.meaning("", ", without small weights", ", under a tent window")
    ALARM = c.meaning("", ", with a report of rows of little weight") if CUT else ""
    if THIRD:
        c.names({"third": THIRD.removeprefix(", and its ")})
    CUTOFF, REACH = c.constant(0.3, 0.6), c.constant(1.3, 1.7)
    # about a third of all rows have less
    LEAST = c.constant(0.26 * m, 0.46 * m) if "small" in CUT else c.constant(0.12 * m, 0.24 * m)

    class Moments:
        mean: float
        spread: float
        if THIRD:
            third: float

    def trimmed(weight: float) -> float:
        return wp.where(weight < CUTOFF, 0.0, weight)

    def windowed(weight: float, x: float) -> float:
        """The weight under a tent that falls to nothing at both ends."""
        return weight * wp.max(1.0 - wp.abs(x) / REACH, 0.0)

    @c.kernel(n)
    def kernel(
        weights: wp.array2d[float] = given(n, m, low=0.05, high=1.0),
        places: wp.array[float] = given(m, low=-2.0, high=2.0, trait="sorted"),
        out: wp.array[Moments] = result(n),
    ):
        row = wp.tid()
        mass = float(0.0)
        first = float(0.0)
        for k in range(m if FIXED else places.shape[0]):
            if CUT == ", without small weights":
                weight = trimmed(weights[row, k])
            elif CUT == ", under a tent window":
                weight = windowed(weights[row, k], places[k])
            else:
                weight = weights[row, k]
            mass += weight
            first += weight * places[k]
        if CUT:
            # too little is left to tell anything
            if mass < LEAST:
                if ALARM:
                    wp.printf("row %d has little weight\n", row)
                out[row] = Moments()
                return
        mean = first / mass
        spread = float(0.0)
        if THIRD:
            third = float(0.0)
        for k in range(m if FIXED else places.shape[0]):
            if CUT == ", without small weights":
                weight = trimmed(weights[row, k])
            elif CUT == ", under a tent window":
                weight = windowed(weights[row, k], places[k])
            else:
                weight = weights[row, k]
            weight /= mass
            offset = places[k] - mean
            if SPREAD == "mean deviation":
                spread += weight * wp.abs(offset)
            else:
                spread += weight * offset * offset
            if THIRD == ", and its skewness":
                third += weight * offset * offset * offset
            elif THIRD == ", and its kurtosis":
                third += weight * offset * offset * offset * offset
            elif THIRD == ", and its entropy":
                if weight > 0.0:
                    third -= weight * wp.log(weight)
        found = Moments()
        found.mean = mean
        if SPREAD == "standard deviation":
            found.spread = wp.sqrt(spread)
        else:
            found.spread = spread
        if THIRD == ", and its entropy":
            found.third = third
        elif THIRD == ", and its skewness":
            found.third = third / wp.max(spread * wp.sqrt(spread), 0.01)
        elif THIRD == ", and its kurtosis":
            found.third = third / wp.max(spread * spread, 0.01)
        out[row] = found
