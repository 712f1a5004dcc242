"""What is read off histograms: thresholds, quantiles, distances."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .parts.bins import density_of_bin, entropy_term

__all__ = ["density_of_bin", "entropy_term"]


@idiom(
    level=5,
    names={
        "counts": "counts hist histograms",
        "out": "out thresholds levels",
        "row": "row image tid",
        "kernel": "select_threshold find_thresholds",
        "total": "total pixels mass",
        "best": "best cut chosen",
    },
)
def histogram_threshold(c):
    """The {RULE} threshold of each histogram row{SMOOTH}, as {RETURNED}."""
    rows, bins = c.size(6, 9), c.size(7, 10)
    RULE = c.meaning("Otsu", "isodata", "triangle", "maximum-entropy")
    SMOOTH = c.meaning("", ", smoothed by its neighbours", ", with a pseudocount in each bin")
    RETURNED = c.meaning("a bin", "a level in [0, 1]", "the share of counts above it")
    if "share" in RETURNED:
        c.names({"out": "out shares above"})
    PSEUDO = c.constant(0.5, 2.0)

    def entry(counts: wp.array2d[float], row: int, k: int) -> float:
        """The count of one bin."""
        if SMOOTH == ", smoothed by its neighbours":
            left = counts[row, wp.max(k - 1, 0)]
            right = counts[row, wp.min(k + 1, counts.shape[1] - 1)]
            return 0.25 * (left + right) + 0.5 * counts[row, k]
        elif SMOOTH == ", with a pseudocount in each bin":
            return counts[row, k] + PSEUDO
        else:
            return counts[row, k]

    def mean_between(counts: wp.array2d[float], row: int, start: int, stop: int) -> float:
        """The mean position of what lies in bins from start to below stop."""
        mass = float(0.0)
        moment = float(0.0)
        for k in range(start, stop):
            held = entry(counts, row, k)
            mass += held
            moment += held * float(k)
        return moment / wp.max(mass, 1.0e-6)

    def mass_between(counts: wp.array2d[float], row: int, start: int, stop: int) -> float:
        """What lies in bins from start to below stop."""
        mass = float(0.0)
        for k in range(start, stop):
            mass += entry(counts, row, k)
        return mass

    def entropy_between(counts: wp.array2d[float], row: int, start: int, stop: int) -> float:
        """The entropy of the distribution within bins from start to below stop."""
        mass = wp.max(mass_between(counts, row, start, stop), 1.0e-6)
        entropy = float(0.0)
        for k in range(start, stop):
            p = entry(counts, row, k) / mass
            if p > 0.0:
                entropy -= p * wp.log(p)
        return entropy

    @c.kernel(rows)
    def kernel(
        counts: wp.array2d[float] = given(rows, bins, low=0.0, high=10.0),
        out: wp.array[int if RETURNED == "a bin" else float] = result(rows, of="value"),
    ):
        row = wp.tid()
        best = counts.shape[1] // 2 if RULE == "isodata" else int(1)
        if RULE == "isodata":
            # the threshold lies midway between the means of both sides
            for step in range(counts.shape[1]):
                below = mean_between(counts, row, 0, best)
                above = mean_between(counts, row, best, counts.shape[1])
                moved = wp.clamp(int(0.5 * (below + above) + 0.5), 1, counts.shape[1] - 1)
                if moved == best:
                    break
                best = moved
        elif RULE == "triangle":
            peak = int(0)
            for k in range(1, counts.shape[1]):
                if entry(counts, row, k) > entry(counts, row, peak):
                    peak = k
            height = entry(counts, row, peak)
            tail = entry(counts, row, counts.shape[1] - 1)
            # the bin that lies deepest under the line from peak to tail
            deepest = float(-1.0)
            for k in range(peak, counts.shape[1]):
                along = float(k - peak) / float(wp.max(counts.shape[1] - 1 - peak, 1))
                depth = wp.lerp(height, tail, along) - entry(counts, row, k)
                if depth > deepest:
                    deepest = depth
                    best = k
        else:
            score = float(-1.0)
            for k in range(1, counts.shape[1]):
                if RULE == "Otsu":
                    low_mass = mass_between(counts, row, 0, k)
                    high_mass = mass_between(counts, row, k, counts.shape[1])
                    apart = mean_between(counts, row, k, counts.shape[1]) - mean_between(counts, row, 0, k)
                    gain = low_mass * high_mass * apart * apart
                else:
                    gain = entropy_between(counts, row, 0, k) + entropy_between(
                        counts, row, k, counts.shape[1]
                    )
                if gain > score:
                    score = gain
                    best = k
        if RETURNED == "a bin":
            out[row] = best
        elif RETURNED == "a level in [0, 1]":
            out[row] = float(best) / float(counts.shape[1])
        else:
            total = wp.max(mass_between(counts, row, 0, counts.shape[1]), 1.0e-6)
            out[row] = mass_between(counts, row, best, counts.shape[1]) / total


@idiom(
    level=3,
    names={
        "p q": "p q | hist_a hist_b | a b",
        "out": "out distances result",
        "row": "row tid pair",
        "kernel": "compare_histograms histogram_metric",
        "total": "total distance acc",
    },
)
def histogram_distance(c):
    """The {METRIC} of paired histogram rows{SCALE}{BINS}."""
    rows, bins = c.size(), c.size(5, 9)
    METRIC = c.meaning(
        "chi-square distance",
        "intersection",
        "Hellinger distance",
        "earth mover's distance",
        "Kullback-Leibler divergence",
    )
    SCALE = c.meaning("", ", normalised", ", weighted by bin")
    if METRIC == "intersection":
        c.names(
            {
                "kernel": "compare_histograms intersect_histograms",
                "out": "out overlaps result",
                "total": "total overlap acc",
                "apart": "shared common",
            }
        )
    # what is moved passes empty bins too, and what is shared lies in no others
    BINS = (
        ""
        if METRIC in ("earth mover's distance", "intersection")
        else c.meaning("", " over the bins held by both")
    )

    @c.kernel(rows)
    def kernel(
        p: wp.array2d[float] = given(rows, bins, low=0.0 if BINS else 0.1, high=1.0),
        q: wp.array2d[float] = given(rows, bins, low=0.0 if BINS else 0.1, high=1.0),
        weights: wp.array[float] = given(bins, low=0.5, high=2.0),
        out: wp.array[float] = result(rows, of="value"),
    ):
        row = wp.tid()
        if SCALE == ", normalised":
            p_sum = float(1.0e-6)
            q_sum = float(1.0e-6)
            for k in range(p.shape[1]):
                p_sum += p[row, k]
                q_sum += q[row, k]
        total = float(0.0)
        if METRIC == "earth mover's distance":
            carried = float(0.0)
        for k in range(p.shape[1]):
            a = p[row, k]
            b = q[row, k]
            if BINS:
                if a <= 0.0 or b <= 0.0:
                    continue
            if SCALE == ", normalised":
                a /= p_sum
                b /= q_sum
            if METRIC == "chi-square distance":
                apart = (a - b) * (a - b) / (a + b)
            elif METRIC == "intersection":
                apart = wp.min(a, b)
            elif METRIC == "Hellinger distance":
                root = wp.sqrt(a) - wp.sqrt(b)
                apart = 0.5 * root * root
            elif METRIC == "Kullback-Leibler divergence":
                apart = a * wp.log(a / b)
            else:
                # what is too much here must be carried to the next bin
                carried += a - b
                apart = wp.abs(carried)
            if SCALE == ", weighted by bin":
                total += weights[k] * apart
            else:
                total += apart
        out[row] = wp.sqrt(total) if METRIC == "Hellinger distance" else total


@idiom(
    level=4,
    names={
        "x": "x samples values queries",
        "counts": "counts hist histogram",
        "edges": "edges borders splits",
        "out": "out mapped ranks",
        "kernel": "equalise map_through_cdf",
    },
)
def cumulative_histogram(c):
    """Equalises samples by the cumulative histogram of {COUNTS} in {EDGES}, {WITHIN} in each{AS}."""
    n, bins = c.size(), c.size(5, 8)
    COUNTS = c.meaning("counts", "weights", "clipped counts")
    EDGES = c.meaning("even bins", "bins between edges")
    WITHIN = c.meaning("linear", "constant")
    AS = c.meaning(", in place", ", as the share above", ", stretched to a range")
    if "stretched" in AS:
        c.names({"out": "out mapped stretched"})
    CLIP, LOW, HIGH = c.constant(3.0, 7.0), c.constant(-1.0, 0.2), c.constant(1.0, 3.0)

    def bin_of(edges: wp.array[float], value: float) -> int:
        """The last bin that begins at or before a value."""
        found = int(0)
        for k in range(1, edges.shape[0] - 1):
            if edges[k] <= value:
                found = k
        return found

    def held(counts: wp.array[int if COUNTS != "weights" else float], k: int) -> float:
        if COUNTS == "clipped counts":
            return wp.min(float(counts[k]), CLIP)
        elif COUNTS == "weights":
            return counts[k]
        else:
            return float(counts[k])

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = (
            updated(n, low=0.0, high=1.0, of="value")
            if AS == ", in place"
            else given(n, low=0.0, high=1.0, of="value")
        ),
        counts: wp.array[int if COUNTS != "weights" else float] = given(bins, low=0, high=9),
        edges: wp.array[float] = given(bins + 1, low=0.0, high=1.0, trait="offsets"),
        out: wp.array[float] = result(n, of="probability" if "share" in AS else "value"),
    ):
        tid = wp.tid()
        value = x[tid]
        if EDGES == "even bins":
            k = wp.min(int(value * float(counts.shape[0])), counts.shape[0] - 1)
        else:
            k = bin_of(edges, value)
        total = float(1.0e-6)
        below = float(0.0)
        for j in range(counts.shape[0]):
            mass = held(counts, j)
            total += mass
            if j < k:
                below += mass
        if WITHIN == "linear":
            if EDGES == "even bins":
                along = value * float(counts.shape[0]) - float(k)
            else:
                along = wp.min((value - edges[k]) / wp.max(edges[k + 1] - edges[k], 1.0e-3), 1.0)
            below += along * held(counts, k)
        else:
            below += held(counts, k)
        if AS == ", in place":
            x[tid] = below / total
        elif AS == ", as the share above":
            out[tid] = 1.0 - below / total
        else:
            out[tid] = LOW + (HIGH - LOW) * below / total


@idiom(
    level=3,
    names={
        "grid": "grid at centres places",
        "samples": "samples data observations",
        "out": "density out estimate",
        "u": "u z scaled",
        "kernel": "estimate_density parzen_window",
    },
)
def kernel_density_bins(c):
    """The {SHAPE} kernel density estimate at each place with {WIDTH} bandwidth, {SIDES}."""
    n = c.size()
    SHAPE = c.meaning("Gaussian", "Epanechnikov", "triangular", "biweight", "box")
    WIDTH = c.meaning("a common", "each sample's own", "each place's own")
    SIDES = c.meaning("from all samples", "leaving its own sample out", "from weighted samples")
    c.names({"kernel": "estimate_density parzen_window kernel_density"})
    BANDWIDTH = c.constant(0.4, 0.9)

    @c.kernel(n)
    def kernel(
        grid: wp.array[float] = given(n, low=0.0, high=2.0),
        samples: wp.array[float] = given(n, low=0.0, high=2.0),
        widths: wp.array[float] = given(n, low=0.3, high=1.0),
        weights: wp.array[float] = given(n, low=0.2, high=1.0),
        out: wp.array[float] = result(n, of="value"),
    ):
        i = wp.tid()
        if SIDES == "leaving its own sample out":
            place = samples[i]
        else:
            place = grid[i]
        if WIDTH == "each place's own":
            h = widths[i]
        total = float(0.0)
        if SIDES == "from weighted samples":
            mass = float(0.0)
        elif SIDES == "leaving its own sample out":
            mass = float(samples.shape[0] - 1)
        else:
            mass = float(samples.shape[0])
        for k in range(samples.shape[0]):
            if SIDES == "leaving its own sample out":
                if k == i:
                    continue
            if WIDTH == "a common":
                u = (place - samples[k]) / BANDWIDTH
            elif WIDTH == "each sample's own":
                u = (place - samples[k]) / widths[k]
            else:
                u = (place - samples[k]) / h
            if SHAPE == "Gaussian":
                # one over the root of two pi
                value = 0.398942 * wp.exp(-0.5 * u * u)
            elif SHAPE == "Epanechnikov":
                value = 0.75 * wp.max(1.0 - u * u, 0.0)
            elif SHAPE == "triangular":
                value = wp.max(1.0 - wp.abs(u), 0.0)
            elif SHAPE == "biweight":
                rest = wp.max(1.0 - u * u, 0.0)
                value = 0.9375 * rest * rest
            else:
                value = wp.where(wp.abs(u) <= 1.0, 0.5, 0.0)
            if WIDTH == "each sample's own":
                value /= widths[k]
            if SIDES == "from weighted samples":
                mass += weights[k]
                total += weights[k] * value
            else:
                total += value
        if WIDTH == "a common":
            out[i] = total / (BANDWIDTH * mass)
        elif WIDTH == "each place's own":
            out[i] = total / (h * mass)
        else:
            out[i] = total / mass
