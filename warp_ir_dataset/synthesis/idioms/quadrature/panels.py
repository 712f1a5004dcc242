"""One panel or one segment at a time: areas, work, flux; and sums under densities."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    names={
        "y": "y samples f_values",
        "places": "places x nodes",
        "h": "h width panel_width",
        "area": "area part integral",
        "panel": "panel i p",
        "first": "first left base",
        "kernel": "integrate_panels panel_sums newton_cotes",
    },
)
def panel_areas(c):
    """{ACT} the integral of {WHAT} over each panel{NODES} by {RULE}.

    Integrate {VALUE} panel by panel, by {RULE}. Panel k has {WIDE}, H, and the samples {USES}; with their
    values y₀, y₁, … in order, its area is {FORMULA}. {GETS}.
    """
    n = c.size(5, 8)
    ACT = c.meaning("Stores", "Adds up")
    RULE = c.meaning(
        "Simpson's rule",
        "the trapezoidal rule",
        "the three-eighths rule",
        "the corrected trapezoidal rule",
        "Boole's rule",
    )
    NODES = c.meaning(" of one width", " between given ends")
    # the slopes are those of the samples themselves
    OTHERS = (
        () if RULE == "the corrected trapezoidal rule" else ("squared samples", "the logarithms of samples")
    )
    WHAT = c.meaning("samples", *OTHERS)
    SIMPSON, EIGHTHS, BOOLE = (
        RULE == "Simpson's rule",
        RULE == "the three-eighths rule",
        RULE == "Boole's rule",
    )
    STRIDE = 2 if SIMPSON else 3 if EIGHTHS else 4 if BOOLE else 1
    m, SQUARES, PLAIN = STRIDE * n + 1, WHAT == "squared samples", WHAT == "samples"
    VALUE = {
        "samples": "the samples in {y}",
        "squared samples": "the squares of the samples in {y}",
        "the logarithms of samples": "the natural logarithms of the samples in {y}",
    }[WHAT]
    USES = f"{STRIDE}·k to {STRIDE}·k + {STRIDE}, evenly spaced" if STRIDE > 1 else "k and k + 1"
    WIDE = "the width {width}" if NODES == " of one width" else "the width `{places}[k + 1] - {places}[k]`"
    FORMULA = {
        "Simpson's rule": "H/6·(y₀ + 4·y₁ + y₂)",
        "the trapezoidal rule": "H/2·(y₀ + y₁)",
        "the three-eighths rule": "1/8·H·(y₀ + 3·y₁ + 3·y₂ + y₃)",
        "the corrected trapezoidal rule": "H/2·(y₀ + y₁) + H²/12·(s₀ - s₁), with their slopes s in {slopes}",
        "Boole's rule": "H/90·(7·y₀ + 32·y₁ + 12·y₂ + 32·y₃ + 7·y₄)",
    }[RULE]
    GETS = (
        "`{out}[0]` gets the areas of all panels added to its value"
        if ACT == "Adds up"
        else "{out} gets the area of each panel"
    )

    @c.kernel(n)
    def kernel(
        y: wp.array[float] = input(m, low=0.3, high=4.0),
        slopes: wp.array[float] = input(m, low=-1.0, high=1.0),
        places: wp.array[float] = input(n + 1, low=0.0, high=6.0, trait="sorted"),
        width: float = input(low=0.5, high=2.0),
        out: wp.array[float] = inout(1, low=0.0, high=1.0) if ACT == "Adds up" else output(n),
    ):
        panel = wp.tid()
        h = width if NODES == " of one width" else places[panel + 1] - places[panel]
        first = STRIDE * panel
        y0 = y[first] if PLAIN else y[first] * y[first] if SQUARES else wp.log(y[first])
        y1 = y[first + 1] if PLAIN else y[first + 1] * y[first + 1] if SQUARES else wp.log(y[first + 1])
        if STRIDE > 1:
            y2 = y[first + 2] if PLAIN else y[first + 2] * y[first + 2] if SQUARES else wp.log(y[first + 2])
        if STRIDE > 2:
            y3 = y[first + 3] if PLAIN else y[first + 3] * y[first + 3] if SQUARES else wp.log(y[first + 3])
        if SIMPSON:
            area = h / 6.0 * (y0 + 4.0 * y1 + y2)
        elif EIGHTHS:
            area = 0.125 * h * (y0 + 3.0 * (y1 + y2) + y3)
        elif BOOLE:
            y4 = y[first + 4] if PLAIN else y[first + 4] * y[first + 4] if SQUARES else wp.log(y[first + 4])
            area = h / 90.0 * (7.0 * (y0 + y4) + 32.0 * (y1 + y3) + 12.0 * y2)
        else:
            area = 0.5 * h * (y0 + y1)
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
        "mean": "mean mean_field average",
        "i": "i segment tid",
        "kernel": "line_integral integrate_field path_integral",
    },
)
def segment_work(c):
    """{ACT} the {WANTED} of {field} {ALONG} each segment of a {PATH}, {RULE}.

    Compute the {WANTED} of F = {FORMULA} at points (x, y), {field}, {ALONG} each segment of a {PATH}. Segment
    k runs from `{p}[k]` to `{p}[k + 1]`{BACK}. With its vector d from start to end and the mean field M,
    which is {MEAN}, the {WANTED} is {PART}. {GETS}.
    """
    n = c.size(6, 10)
    ACT = c.meaning("Stores", "Adds up")
    WANTED = c.meaning("work", "flux")
    ALONG = "along" if WANTED == "work" else "through"
    PATH = c.meaning("closed path", "path")
    RULE = c.meaning("sampled at its middle", "sampled at both ends", "by Simpson's rule")
    STRENGTH, CORE = c.constant(0.3, 1.5), c.constant(0.1, 0.4)
    CROSS_WIND = c.constant(0.1, 0.4)

    def vortex(x: wp.vec2) -> wp.vec2:
        """a vortex with a soft core."""
        return STRENGTH * wp.vec2(-x[1], x[0]) / (CORE + wp.length_sq(x))

    def spring(x: wp.vec2) -> wp.vec2:
        """a spring to the origin."""
        return -STRENGTH * x

    def stagnation(x: wp.vec2) -> wp.vec2:
        """a flow with a stagnation point."""
        return STRENGTH * wp.vec2(x[0], -x[1])

    def source(x: wp.vec2) -> wp.vec2:
        """a source with a soft core."""
        return STRENGTH * x / (CORE + wp.dot(x, x))

    def shear(x: wp.vec2) -> wp.vec2:
        """a shear flow with a cross wind."""
        return wp.vec2(STRENGTH * x[1], CROSS_WIND)

    field = c.meaning(vortex, spring if WANTED == "work" else stagnation, source, shear)
    # a flow does no work
    SPRING = WANTED == "work" and field is spring
    if WANTED == "flux":
        c.names({"kernel": "segment_flux flux_through_path"})
    elif SPRING:
        c.names({"mean": "pull mean_force average"})
    else:
        WANTED = "line integral"
        c.names({"kernel": "line_integral integrate_field path_integral"})
    FORMULA = {
        vortex: "{STRENGTH}·(-y, x) / ({CORE} + x² + y²)",
        spring: "-{STRENGTH}·(x, y)",
        stagnation: "{STRENGTH}·(x, -y)",
        source: "{STRENGTH}·(x, y) / ({CORE} + x² + y²)",
        shear: "({STRENGTH}·y, {CROSS_WIND})",
    }[field]
    BACK = ", the last one back to the first point" if PATH == "closed path" else ""
    MEAN = {
        "sampled at its middle": "F at its middle",
        "sampled at both ends": "the mean of F at both ends",
        "by Simpson's rule": "1/6 of the sum of F at both ends and 4 times F at its middle",
    }[RULE]
    PART = (
        "M.x·d.y - M.y·d.x, so that flow to the right of the path is positive" if WANTED == "flux" else "M·d"
    )
    GETS = (
        "`{out}[0]` gets the values of all segments added to its own"
        if ACT == "Adds up"
        else "{out} gets one value per segment"
    )

    @c.kernel(n)
    def kernel(
        p: wp.array[wp.vec2] = input(n if PATH == "closed path" else n + 1, low=-2.0, high=2.0),
        out: wp.array[float] = inout(1, low=0.0, high=0.5) if ACT == "Adds up" else output(n),
    ):
        i = wp.tid()
        a = p[i]
        if PATH == "closed path":
            # the last point is joined to the first
            b = p[(i + 1) % p.shape[0]]
        else:
            b = p[i + 1]
        step = b - a
        if RULE == "sampled at its middle":
            mean = field(0.5 * (a + b))
        elif RULE == "sampled at both ends":
            mean = 0.5 * (field(a) + field(b))
        else:
            mean = (field(a) + 4.0 * field(0.5 * (a + b)) + field(b)) / 6.0
        if WANTED != "flux":
            part = wp.dot(mean, step)
        else:
            # flow to the right of the path counts as positive
            part = mean[0] * step[1] - mean[1] * step[0]
        if ACT == "Adds up":
            wp.atomic_add(out, 0, part)
        else:
            out[i] = part


@idiom(
    level=4,
    names={
        "out": "out result summaries",
        "row": "row i curve",
        "k": "k j index",
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
    """The mean{COMMA} {SPREAD}{THIRD} of the places under each row of weights{CUT}{ALARM}.

    Summarize densities by their moments. Row i of {weights} is a density over the places z in {places}, one
    for each column.{COUNTED}{LITTLE} {REST} weights of a row are divided by their sum, so that means over the
    places are weighted by them.

    In {out}, `mean` gets the mean m of z; {WIDTH}{MORE}.
    """
    FIXED = c.style(True, False)
    n, m = c.size(5, 9), 4 if FIXED else c.size(7, 12)
    SPREAD = c.meaning("variance", "standard deviation", "mean deviation")
    STANDARDIZED = () if SPREAD == "mean deviation" else (" and skewness", " and kurtosis")
    THIRD = c.meaning("", " and entropy", *STANDARDIZED)
    COMMA = "," if THIRD else " and"
    CUT = c.meaning("", "small", "tent")
    ALARM = c.meaning("", ", reporting such rows") if CUT else ""
    SMALL, TENT = CUT == "small", CUT == "tent"
    if CUT:
        CUT = " without the small ones" if SMALL else " in a tent window"
        CUT = f"{CUT}, zero where too little is left"
    SKEW, KURTOSIS, ENTROPY = (THIRD.endswith(word) for word in ("skewness", "kurtosis", "entropy"))
    higher = "cubes third_moment" if SKEW else "fourths fourth_moment" if KURTOSIS else "information disorder"
    c.names({"third": higher, "spread": "apart away" if SPREAD == "mean deviation" else "squares var"})
    CUTOFF, REACH = c.constant(0.3, 0.6), c.constant(1.3, 1.7)
    # about a third of all rows have less
    LOW, HIGH = (0.26, 0.46) if SMALL else (0.12, 0.24)
    LEAST = c.constant(round(LOW * m, 1), round(HIGH * m, 1), step=0.1)
    COUNTED = {
        "": "",
        "small": " A weight below {CUTOFF} counts as 0.",
        "tent": " Each weight is first multiplied by the tent max(1 - |z| / {REACH}, 0), where z is its "
        "place.",
    }["small" if SMALL else "tent" if TENT else ""]
    LITTLE = ""
    if CUT:
        LITTLE = " If the weights of a row then add up to less than {LEAST}, all its results are 0"
        LITTLE += (
            ", and it prints 'row %d has little weight' with its number and a line break." if ALARM else "."
        )
    WIDTH = {
        "variance": "`variance` gets the mean of (z - m)²",
        "standard deviation": "`deviation` gets the square root of the mean of (z - m)²",
        "mean deviation": "`mean_deviation` gets the mean of |z - m|",
    }[SPREAD]
    REST = "Otherwise the" if CUT else "The"
    MORE = ""
    if SKEW:
        MORE = ", and `skewness` gets the mean of (z - m)³ divided by V^1.5 + 1e-6, where V is the variance"
    elif KURTOSIS:
        MORE = ", and `kurtosis` gets the mean of (z - m)⁴ divided by V² + 1e-6, where V is the variance"
    elif ENTROPY:
        MORE = ", and `entropy` gets the sum of -w·ln(w) over all weights w > 0"

    class Moments:
        mean: float
        if SPREAD == "variance":
            variance: float
        elif SPREAD == "standard deviation":
            deviation: float
        else:
            mean_deviation: float
        if SKEW:
            skewness: float
        elif KURTOSIS:
            kurtosis: float
        elif ENTROPY:
            entropy: float

    def trimmed(weight: float) -> float:
        return wp.where(weight < CUTOFF, 0.0, weight)

    def windowed(weight: float, x: float) -> float:
        """The weight under a tent that falls to nothing at both ends."""
        return weight * wp.max(1.0 - wp.abs(x) / REACH, 0.0)

    @c.kernel(n)
    def kernel(
        weights: wp.array2d[float] = input(n, m, low=0.05, high=1.0),
        places: wp.array[float] = input(m, low=-2.0, high=2.0, trait="sorted"),
        out: wp.array[Moments] = output(n),
    ):
        row = wp.tid()
        mass = float(0.0)
        first = float(0.0)
        for k in range(m if FIXED else places.shape[0]):
            if SMALL:
                weight = trimmed(weights[row, k])
            elif TENT:
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
            if SMALL:
                weight = trimmed(weights[row, k])
            elif TENT:
                weight = windowed(weights[row, k], places[k])
            else:
                weight = weights[row, k]
            weight /= mass
            offset = places[k] - mean
            if SPREAD == "mean deviation":
                spread += weight * wp.abs(offset)
            else:
                spread += weight * offset * offset
            if SKEW:
                third += weight * offset * offset * offset
            elif KURTOSIS:
                third += weight * offset * offset * offset * offset
            elif ENTROPY:
                if CUT:
                    if weight > 0.0:
                        third -= weight * wp.log(weight)
                else:
                    third -= weight * wp.log(weight)
        found = Moments()
        found.mean = mean
        if SPREAD == "standard deviation":
            found.deviation = wp.sqrt(spread)
        elif SPREAD == "variance":
            found.variance = spread
        else:
            found.mean_deviation = spread
        if ENTROPY:
            found.entropy = third
        elif SKEW:
            found.skewness = third / (spread * wp.sqrt(spread) + 1.0e-6)
        elif KURTOSIS:
            found.kurtosis = third / (spread * spread + 1.0e-6)
        out[row] = found
