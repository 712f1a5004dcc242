"""Statistics of histograms: thresholds, quantiles, distances."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "counts": "counts hist histograms",
        "row": "row image tid",
        "total": "total mass whole",
        "best": "best cut chosen",
    },
)
def histogram_threshold(c):
    """The {RETURNED} the {RULE} threshold of each histogram{SMOOTH}.

    Find the {RULE} threshold of each histogram, a row of {counts}{SMOOTHED}. {DIVIDES}{METHOD}{EMPTY}

    Store {RETURN} in {out}.
    """
    rows, bins = c.size(6, 9), c.size(7, 10)
    RULE = c.meaning("Otsu", "isodata", "triangle", "maximum-entropy")
    if RULE == "triangle":
        # the line and the bins rise by a pseudocount alike
        SMOOTH = c.meaning("", ", smoothed over neighbouring bins")
    else:
        SMOOTH = c.meaning("", ", smoothed over neighbouring bins", ", with a pseudocount in each bin")
    RETURNED = c.meaning("bin of", "level in [0, 1] of", "share of counts at or above")
    if RETURNED == "bin of":
        c.names({"kernel": "select_threshold find_thresholds", "out": "out thresholds cuts"})
    elif RETURNED == "level in [0, 1] of":
        c.names({"kernel": "threshold_levels find_levels", "out": "out levels"})
    else:
        c.names({"kernel": "shares_above_threshold upper_shares", "out": "out shares upper"})
    if RULE == "Otsu":
        c.names({"score": "score separation", "value": "between variance_between"})
    elif RULE == "maximum-entropy":
        c.names({"score": "score most", "value": "entropy both_entropies"})
    if SMOOTH == ", with a pseudocount in each bin":
        c.names({"entry": "padded with_pseudocount padded_count"})
    elif SMOOTH:
        c.names({"entry": "smoothed smoothed_count blurred"})
    PSEUDO = c.constant(0.5, 2.0)

    def entry(counts: wp.array2d[float], row: int, k: int) -> float:
        """The count of a bin{SMOOTH}."""
        if SMOOTH == ", with a pseudocount in each bin":
            return counts[row, k] + PSEUDO
        else:
            left = counts[row, wp.max(k - 1, 0)]
            right = counts[row, wp.min(k + 1, counts.shape[1] - 1)]
            return 0.25 * (left + right) + 0.5 * counts[row, k]

    def mean_between(counts: wp.array2d[float], row: int, start: int, stop: int) -> float:
        """The mean position of what lies in bins from start to below stop."""
        mass = float(0.0)
        moment = float(0.0)
        for k in range(start, stop):
            count = entry(counts, row, k) if SMOOTH else counts[row, k]
            mass += count
            moment += count * float(k)
        return moment / (mass if SMOOTH else wp.max(mass, 1.0e-6))

    def mass_between(counts: wp.array2d[float], row: int, start: int, stop: int) -> float:
        """What lies in bins from start to below stop."""
        mass = float(0.0)
        for k in range(start, stop):
            mass += entry(counts, row, k) if SMOOTH else counts[row, k]
        return mass

    def entropy_between(counts: wp.array2d[float], row: int, start: int, stop: int) -> float:
        """The entropy of the distribution within bins from start to below stop."""
        if SMOOTH:
            mass = mass_between(counts, row, start, stop)
        else:
            mass = wp.max(mass_between(counts, row, start, stop), 1.0e-6)
        entropy = float(0.0)
        for k in range(start, stop):
            if SMOOTH:
                p = entry(counts, row, k) / mass
                entropy -= p * wp.log(p)
            else:
                p = counts[row, k] / mass
                if p > 0.0:
                    entropy -= p * wp.log(p)
        return entropy

    SMOOTHED = {
        "": "",
        ", smoothed over neighbouring bins": ", after smoothing: a bin counts ½ of itself and ¼ of either "
        "neighbour, and the first and the last bin are their own neighbours outside",
    }.get(SMOOTH, ", after {PSEUDO} has been added to each bin")
    DIVIDES = (
        "A threshold is a bin b from 1 on that divides the bins into the lower side, those below b, and the "
        "upper side, b and those after it{SIDES}. "
    )
    SIDES = "; the mean of a side is the mean index of its bins, weighted by their counts"
    if RULE == "maximum-entropy":
        SIDES = "; the entropy of a side is -Σ p·ln p with the shares p of its bins in the side's sum"
    METHOD = {
        "Otsu": "Take the b with the largest variance between the sides, (sum of the lower)·(sum of the "
        "upper)·(difference of their means)²; on ties the lower wins.",
        "maximum-entropy": "Take the b with the largest sum of both entropies; on ties the lower wins.",
        "isodata": "Start with b = ⌊bins / 2⌋. As often as there are bins, replace b by 1 + ⌊the middle "
        "between the means of both sides⌋, clamped to [1, bins - 1]; stop as soon as it stays.",
    }.get(RULE, "")
    if RULE == "triangle":
        DIVIDES = ""
        METHOD = (
            "Draw a line from the count of the peak, the first of the largest bins, to that of the last bin. "
            "Of the bins between, take the one whose count lies deepest below the line, the first on ties, "
            "and the peak itself if none lies below."
        )
    EMPTY = ""
    if not SMOOTH and RULE != "triangle":
        EMPTY = " The sum of a side counts as at least 1e-6 if it divides."
        if RULE == "maximum-entropy":
            EMPTY += " Empty bins add no entropy."
    RETURN = {
        "bin of": "b",
        "level in [0, 1] of": "b / bins",
    }.get(RETURNED, "the share of all counts{CHANGED} that lies in bin b and after it{LEAST}")
    CHANGED = ", changed in this way," if SMOOTH else ""
    LEAST = "" if SMOOTH else ", the sum of all being at least 1e-6,"
    if RULE == "triangle":
        METHOD += " Call it b."
        if RETURNED == "bin of":
            RETURN = "it"

    @c.kernel(rows)
    def kernel(
        counts: wp.array2d[float] = input(rows, bins, low=0.0, high=10.0),
        out: wp.array[int if RETURNED == "bin of" else float] = output(rows, of="value"),
    ):
        row = wp.tid()
        if RULE == "isodata":
            best = counts.shape[1] // 2
            for step in range(counts.shape[1]):
                below = mean_between(counts, row, 0, best)
                above = mean_between(counts, row, best, counts.shape[1])
                # the upper side begins past the middle between the means of both sides
                moved = wp.clamp(int(0.5 * (below + above)) + 1, 1, counts.shape[1] - 1)
                if moved == best:
                    break
                best = moved
        elif RULE == "triangle":
            peak = int(0)
            for k in range(1, counts.shape[1]):
                if (entry(counts, row, k) if SMOOTH else counts[row, k]) > (
                    entry(counts, row, peak) if SMOOTH else counts[row, peak]
                ):
                    peak = k
            height = entry(counts, row, peak) if SMOOTH else counts[row, peak]
            last = counts.shape[1] - 1
            tail = entry(counts, row, last) if SMOOTH else counts[row, last]
            best = int(peak)
            # the bin that lies deepest under the line from peak to tail
            deepest = float(0.0)
            for k in range(peak + 1, last):
                along = float(k - peak) / float(last - peak)
                depth = wp.lerp(height, tail, along) - (entry(counts, row, k) if SMOOTH else counts[row, k])
                if depth > deepest:
                    deepest = depth
                    best = k
        else:
            best = int(1)
            score = float(-1.0)
            for k in range(1, counts.shape[1]):
                if RULE == "Otsu":
                    low_mass = mass_between(counts, row, 0, k)
                    high_mass = mass_between(counts, row, k, counts.shape[1])
                    apart = mean_between(counts, row, k, counts.shape[1]) - mean_between(counts, row, 0, k)
                    # the variance between the two sides, but for a factor
                    value = low_mass * high_mass * apart * apart
                else:
                    value = entropy_between(counts, row, 0, k) + entropy_between(
                        counts, row, k, counts.shape[1]
                    )
                if value > score:
                    score = value
                    best = k
        if RETURNED == "bin of":
            out[row] = best
        elif RETURNED == "level in [0, 1] of":
            out[row] = float(best) / float(counts.shape[1])
        else:
            if SMOOTH:
                total = mass_between(counts, row, 0, counts.shape[1])
            else:
                total = wp.max(mass_between(counts, row, 0, counts.shape[1]), 1.0e-6)
            out[row] = mass_between(counts, row, best, counts.shape[1]) / total


@idiom(
    level=3,
    names={
        "p q": "p q | hist_a hist_b | first second",
        "out": "out distances result",
        "row": "row tid pair",
        "total": "total distance acc",
        "term": "term part apart",
        "p_sum q_sum": "sum_a sum_b | total_a total_b | a_sum b_sum",
        "kernel": "compare_histograms histogram_metric",
    },
)
def histogram_distance(c):
    """The {METRIC} {ROWS}{BINS}{SCALE}.

    Compute the {NAMED} {FROM_TO}. {ROWS_ARE} {MEASURE}; store it in {out}.{EMPTY}
    """
    rows, bins = c.size(), c.size(5, 9)
    METRIC = c.meaning(
        "chi-square distance",
        "intersection",
        "Hellinger distance",
        "earth mover's distance",
        "Kullback-Leibler divergence",
    )
    OF = c.meaning("distributions", "counts")
    SCALE = c.meaning("", ", each bin weighted")
    # what is moved passes empty bins too, and what is shared lies in no others
    if OF == "distributions" or METRIC in ("earth mover's distance", "intersection"):
        BINS = ""
    else:
        BINS = c.meaning("", ", over the bins that neither leaves empty")
    ROWS = "paired distributions" if OF == "distributions" else "paired rows of counts, each over its sum"
    if METRIC == "Kullback-Leibler divergence":
        ROWS = f"of the first from the second of {ROWS}"
    else:
        ROWS = f"of {ROWS}" if METRIC == "intersection" else f"between {ROWS}"
    if METRIC == "intersection":
        c.names({"kernel": "compare_histograms intersect_histograms", "out": "out overlaps result"})
        c.names({"total": "total overlap acc", "term": "shared common"})
    elif METRIC == "Kullback-Leibler divergence":
        c.names({"kernel": "compare_histograms histogram_divergence", "out": "out divergences result"})
        c.names({"total": "total divergence acc", "term": "term part"})
    Entry = int if OF == "counts" else float
    # a bin that holds nothing has no logarithm, and two of them no ratio
    LEAST, MOST = (0 if BINS else 1, 6) if OF == "counts" else (0.1, 1.0)
    NAMED = METRIC
    FROM_TO = "of each row of {p} and its partner in {q}"
    if METRIC == "Kullback-Leibler divergence":
        FROM_TO = "of each row of {p} from its partner in {q}"
    ROWS_ARE = "Let a and b be their entries in a bin."
    if OF == "counts":
        ROWS_ARE = "Let a and b be their counts in a bin, each over the sum of its row."
    WEIGHING = " (its entry in {weights})·" if SCALE else " "
    MEASURE = {
        "chi-square distance": "The distance is the sum over the bins of{WEIGHING}(a - b)² / (a + b)",
        "intersection": "The intersection is the sum over the bins of{WEIGHING}min(a, b)",
        "Hellinger distance": "The distance is the square root of the sum over the bins of{WEIGHING}½·(√a - "
        "√b)²",
        "Kullback-Leibler divergence": "The divergence is the sum over the bins of{WEIGHING}a·ln(a / b)",
    }.get(
        METRIC,
        "The distance is the sum over the bins of{WEIGHING}|the sum of a - b over this bin and all before "
        "it|",
    )
    EMPTY = " Leave out bins that are empty in either row." if BINS else ""

    @c.kernel(rows)
    def kernel(
        p: wp.array2d[Entry] = input(rows, bins, low=LEAST, high=MOST),
        q: wp.array2d[Entry] = input(rows, bins, low=LEAST, high=MOST),
        weights: wp.array[float] = input(bins, low=0.5, high=2.0),
        out: wp.array[float] = output(rows, of="value"),
    ):
        row = wp.tid()
        if OF == "counts":
            p_sum = int(0)
            q_sum = int(0)
            for k in range(p.shape[1]):
                p_sum += p[row, k]
                q_sum += q[row, k]
        total = float(0.0)
        if METRIC == "earth mover's distance":
            carried = float(0.0)
        for k in range(p.shape[1]):
            if BINS:
                if p[row, k] == 0 or q[row, k] == 0:
                    continue
            a = float(p[row, k]) / float(p_sum) if OF == "counts" else p[row, k]
            b = float(q[row, k]) / float(q_sum) if OF == "counts" else q[row, k]
            if METRIC == "chi-square distance":
                term = (a - b) * (a - b) / (a + b)
            elif METRIC == "intersection":
                term = wp.min(a, b)
            elif METRIC == "Hellinger distance":
                difference = wp.sqrt(a) - wp.sqrt(b)
                term = 0.5 * difference * difference
            elif METRIC == "Kullback-Leibler divergence":
                term = a * wp.log(a / b)
            else:
                # what is too much here must be carried to the next bin
                carried += a - b
                term = wp.abs(carried)
            total += weights[k] * term if SCALE else term
        out[row] = wp.sqrt(total) if METRIC == "Hellinger distance" else total


@idiom(
    level=4,
    differentiable=False,
    names={
        "x": "x samples values queries",
        "counts": "counts hist histogram",
        "edges": "edges borders splits",
        "out": "out mapped ranks",
        "along": "along within inside",
        "here": "here own of_bin",
        "kernel": "equalise map_through_cdf equalise_samples",
    },
)
def cumulative_histogram(c):
    """{ACTION} in the cumulative histogram of {COUNTS} in {EDGES}, {WITHIN}.

    Find the rank of each sample of {x} in a histogram, that is, the share of {MASSES} that lies below
    it{EXACTLY}. {BINNED} {RANK}

    {RETURN}
    """
    n, bins = c.size(), c.size(5, 8)
    COUNTS = c.meaning("counts", "weights", "clipped counts")
    EDGES = c.meaning("even bins", "bins between edges")
    WITHIN = c.meaning("linearly within bins", "by whole bins")
    ACTION = c.meaning(
        "Replaces each sample by its rank",
        "Gives the share above each sample",
        "Stretches each sample's rank",
    )
    c.names({"kernel": "equalise map_through_cdf equalise_samples"})
    if ACTION == "Gives the share above each sample":
        c.names({"kernel": "shares_above survival_of_samples", "out": "out shares above"})
    elif ACTION == "Stretches each sample's rank":
        c.names({"out": "out mapped stretched"})
    if COUNTS == "weights":
        c.names({"counts": "weights bin_weights masses"})
    if WITHIN == "by whole bins":
        c.names({"below": "reached cumulated up_to_here"})
    CLIP = c.count(3, 6)
    if COUNTS == "clipped counts":
        COUNTS = f"counts clipped at {CLIP}"
    LOW, HIGH = c.constant(-1.0, 0.2), c.constant(1.0, 3.0)

    def bin_of(edges: wp.array[float], value: float) -> int:
        """The last bin that begins at or before a value; the first bin for a value below all edges."""
        found = int(0)
        for k in range(1, edges.shape[0] - 1):
            if edges[k] <= value:
                found = k
        return found

    MASSES = "{counts}" if COUNTS in ("counts", "weights") else "{counts}, each clipped to at most {CLIP},"
    EXACTLY = " or in its bin" if WITHIN == "by whole bins" else ""
    BINNED = "The bins divide [0, 1] evenly, and samples outside belong to the first or the last."
    if EDGES != "even bins":
        BINNED = (
            "Bin k lies between `{edges}[k]` and `{edges}[k + 1]`. A sample belongs to the last bin that "
            "begins at or before it, or to the first if it is below all."
        )
    RANK = (
        "With the share t of its bin's width that lies below the sample, clamped to [0, 1]{NARROW}, its rank "
        "is (the sum of all bins before its own + t times its own) / (the sum of all, but at least 1e-6)."
    )
    if WITHIN == "by whole bins":
        RANK = (
            "The rank is (the sum of all bins up to its own, which counts in full) / (the sum of all, but at "
            "least 1e-6)."
        )
    NARROW = ", the width being at least 0.001" if EDGES != "even bins" else ""
    RETURN = {
        "Replaces each sample by its rank": "The rank takes the place of the sample.",
        "Gives the share above each sample": "Store the share above, 1 - rank, in {out}.",
        "Stretches each sample's rank": "Map the ranks linearly, 0 to {LOW} and 1 to {HIGH}, and store "
        "them in {out}.",
    }[ACTION]

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = (
            inout(n, low=-0.15, high=1.15, of="value")
            if ACTION == "Replaces each sample by its rank"
            else input(n, low=-0.15, high=1.15, of="value")
        ),
        counts: wp.array[int if COUNTS != "weights" else float] = input(bins, low=0, high=9),
        edges: wp.array[float] = input(bins + 1, low=0.0, high=1.0, trait="offsets"),
        out: wp.array[float] = output(n, of="probability" if "share above" in ACTION else "value"),
    ):
        tid = wp.tid()
        value = x[tid]
        if EDGES == "even bins":
            place = value * float(counts.shape[0])
            k = wp.clamp(int(place), 0, counts.shape[0] - 1)
            if WITHIN == "linearly within bins":
                along = wp.clamp(place - float(k), 0.0, 1.0)
        else:
            k = bin_of(edges, value)
            if WITHIN == "linearly within bins":
                # edges may coincide
                along = wp.clamp((value - edges[k]) / wp.max(edges[k + 1] - edges[k], 1.0e-3), 0.0, 1.0)
        total = float(0.0)
        below = float(0.0)
        if WITHIN == "linearly within bins":
            here = float(0.0)
        for j in range(counts.shape[0]):
            if COUNTS == "weights":
                mass = counts[j]
            else:
                mass = float(counts[j] if COUNTS == "counts" else wp.min(counts[j], CLIP))
            total += mass
            if WITHIN == "linearly within bins":
                if j < k:
                    below += mass
                elif j == k:
                    here = mass
            else:
                # the sample's own bin counts in full
                if j <= k:
                    below += mass
        whole = wp.max(total, 1.0e-6)
        rank = (below + along * here) / whole if WITHIN == "linearly within bins" else below / whole
        if ACTION == "Replaces each sample by its rank":
            x[tid] = rank
        elif ACTION == "Gives the share above each sample":
            out[tid] = 1.0 - rank
        else:
            out[tid] = LOW + (HIGH - LOW) * rank


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
    """The {SHAPE} kernel density estimate at each {PLACE} from {SIDES}, with {WIDTH}.

    Estimate the density of {samples} at {AT} with the {SHAPE} kernel and store it in {out}. Sample s adds
    {WEIGHTED}K(u) / h{SUMMED}, where u = (place - s) / h and K(u) is {KERNEL}. The bandwidth h is
    {BANDWIDTHS}.
    """
    n = c.size()
    SHAPE = c.meaning("Gaussian", "Epanechnikov", "triangular", "biweight", "box")
    WIDTH = c.meaning("one bandwidth", "the bandwidth of each contributing sample", "a bandwidth of its own")
    SIDES = c.meaning("all samples", "all others", "weighted samples")
    PLACE = "sample" if SIDES == "all others" else "place"
    c.names({"kernel": "estimate_density parzen_window kernel_density"})
    BANDWIDTH = c.constant(0.4, 0.9)
    AT = "each of them, the place, from all others," if SIDES == "all others" else "each place of {grid}"
    WEIGHTED = "its entry in {weights} times " if SIDES == "weighted samples" else ""
    SUMMED = {
        "weighted samples": ", and the sum is divided by the sum of the weights",
        "all others": ", and the sum is divided by the number of the others",
    }.get(SIDES, ", and the sum is divided by the length of {samples}")
    KERNEL = {
        "Gaussian": "0.398942·exp(-½·u²)",
        "Epanechnikov": "0.75·max(1 - u², 0)",
        "triangular": "max(1 - |u|, 0)",
        "biweight": "0.9375·max(1 - u², 0)²",
        "box": "½ if |u| ≤ 1 and otherwise 0",
    }[SHAPE]
    BANDWIDTHS = {
        "one bandwidth": "{BANDWIDTH}",
        "the bandwidth of each contributing sample": "that of sample s in {widths}",
    }.get(WIDTH, "the place's own in {widths}")

    @c.kernel(n)
    def kernel(
        grid: wp.array[float] = input(n, low=0.0, high=2.0),
        samples: wp.array[float] = input(n, low=0.0, high=2.0),
        widths: wp.array[float] = input(n, low=0.3, high=1.0),
        weights: wp.array[float] = input(n, low=0.2, high=1.0),
        out: wp.array[float] = output(n, of="value"),
    ):
        i = wp.tid()
        place = samples[i] if SIDES == "all others" else grid[i]
        if WIDTH == "a bandwidth of its own":
            h = widths[i]
        total = float(0.0)
        if SIDES == "weighted samples":
            mass = float(0.0)
        elif SIDES == "all others":
            mass = float(samples.shape[0] - 1)
        else:
            mass = float(samples.shape[0])
        for k in range(samples.shape[0]):
            if SIDES == "all others":
                if k == i:
                    continue
            if WIDTH == "one bandwidth":
                u = (place - samples[k]) / BANDWIDTH
            elif WIDTH == "the bandwidth of each contributing sample":
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
            if WIDTH == "the bandwidth of each contributing sample":
                value /= widths[k]
            if SIDES == "weighted samples":
                mass += weights[k]
                total += weights[k] * value
            else:
                total += value
        if WIDTH == "one bandwidth":
            out[i] = total / (BANDWIDTH * mass)
        elif WIDTH == "a bandwidth of its own":
            out[i] = total / (h * mass)
        else:
            out[i] = total / mass
