"""Sums under densities."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


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
    CUTOFF = c.constant(0.3, 0.6)
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
        return weight * wp.max(1.0 - wp.abs(x) / 1.5, 0.0)

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
