"""Statistics of single bins: densities, and the information of their shares."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=3,
    names={
        "counts": "counts hits occurrences",
        "p q": "p q | share expected | here there",
        "total": "total sample_size",
        "whole": "whole summed",
        "term": "term part",
        "out": "out terms per_bin",
        "b": "b k tid",
        "kernel": "information_terms bin_information entropy_terms",
    },
)
def entropy_term(c):
    """What each bin adds to the {MEASURE}, with shares {SHARES}{GIVEN}.

    {ADDS}. The share p of bin k is {SHARE_OF}{REFER}; its term is {TERM}. {STORE}
    """
    n, groups = c.size(), c.count(3, 4)
    MEASURE = c.meaning(
        "Shannon entropy in bits",
        "Kullback-Leibler divergence from a reference",
        "Jensen-Shannon divergence from a reference",
        "Tsallis entropy",
        "cross entropy with a reference",
        "chi-square distance to a reference",
    )
    SHARES = c.meaning("from counts", "from smoothed counts", "from Boltzmann weights", "given")
    if SHARES == "from Boltzmann weights":
        c.names({"total": "partition partition_sum"})
    GIVEN = c.meaning("", ", summed", ", summed by group")
    if MEASURE == "Shannon entropy in bits":
        c.names({"term": "term bits information"})
    elif "entropy" not in MEASURE:
        c.names({"kernel": "divergence_terms compare_shares"})
    if GIVEN:
        SUMMED = "entropy" if "entropy" in MEASURE else "divergence"
        c.names({"kernel": f"sum_{SUMMED} add_up_{SUMMED} total_{SUMMED}"})
    PRIOR, ORDER = c.constant(0.2, 0.9), c.constant(1.3, 2.6)

    def term_of(p: float, q: float) -> float:
        """What one bin adds, from its share and that of the reference."""
        if MEASURE == "Jensen-Shannon divergence from a reference":
            middle = 0.5 * (p + q)
            return 0.5 * (p * wp.log(p / middle) + q * wp.log(q / middle))
        elif MEASURE == "cross entropy with a reference":
            return -p * wp.log(q)
        elif MEASURE == "chi-square distance to a reference":
            return (p - q) * (p - q) / q
        else:
            return p * wp.log(p / q)

    ADDS = "Compute the term that each bin adds to the {MEASURE}"
    if GIVEN == ", summed":
        ADDS = "Compute the {MEASURE} by adding up a term for each bin"
    elif GIVEN:
        ADDS = "Add up the terms of the {MEASURE} in each group of bins"
    SHARE_OF = {
        "from counts": "`{counts}[k] / {total}`",
        "from smoothed counts": "(`{counts}[k]` + {PRIOR}) / ({total} + {PRIOR}·(length of {counts}))",
        "from Boltzmann weights": "its Boltzmann weight exp(-`{energies}[k]`) / {total}",
        "given": "`{shares}[k]`",
    }[SHARES]
    REFER = ""
    if "reference" in MEASURE:
        REFER = ", and its share in the reference is q = `{reference}[k]`"
    TERM = {
        "Shannon entropy in bits": "-p·log₂ p",
        "Kullback-Leibler divergence from a reference": "p·ln(p / q)",
        "Jensen-Shannon divergence from a reference": "½·(p·ln(p / m) + q·ln(q / m)) with m = ½·(p + q)",
        "Tsallis entropy": "(p - p^{ORDER}) / ({ORDER} - 1)",
        "cross entropy with a reference": "-p·ln q",
        "chi-square distance to a reference": "(p - q)² / q",
    }[MEASURE]
    STORE = "Store it in `{out}[k]`."
    if GIVEN == ", summed":
        STORE = "Store the sum over all bins in `{whole}[0]`."
    elif GIVEN:
        STORE = (
            "Store the sum over the bins of each group in {by_group}; bin k belongs to group `{group}[k]`."
        )

    @c.kernel(n)
    def kernel(
        counts: wp.array[int] = input(n, low=1, high=12),
        total: float = (
            input(low=3.0, high=7.0) if SHARES == "from Boltzmann weights" else input(low=60.0, high=90.0)
        ),
        energies: wp.array[float] = input(n, low=0.2, high=2.0),
        shares: wp.array[float] = input(n, low=0.05, high=0.6),
        reference: wp.array[float] = input(n, low=0.05, high=0.6),
        group: wp.array[int] = input(n, low=0, high=groups - 1),
        out: wp.array[float] = output(n),
        whole: wp.array[float] = output(1),
        by_group: wp.array[float] = output(groups),
    ):
        b = wp.tid()
        if SHARES == "from counts":
            p = float(counts[b]) / total
        elif SHARES == "from smoothed counts":
            # every bin is given a little beforehand
            p = (float(counts[b]) + PRIOR) / (total + PRIOR * float(counts.shape[0]))
        elif SHARES == "from Boltzmann weights":
            p = wp.exp(-energies[b]) / total
        else:
            p = shares[b]
        if MEASURE == "Shannon entropy in bits":
            term = -p * wp.log2(p)
        elif MEASURE == "Tsallis entropy":
            term = (p - wp.pow(p, ORDER)) / (ORDER - 1.0)
        else:
            term = term_of(p, reference[b])
        if not GIVEN:
            out[b] = term
        elif GIVEN == ", summed":
            wp.atomic_add(whole, 0, term)
        else:
            wp.atomic_add(by_group, group[b], term)


@idiom(
    level=2,
    names={
        "cdf": "cdf cumulative shares_below",
        "edges": "edges borders limits",
        "inside": "inside mass share",
        "width": "width step extent",
        "left": "left reaching surviving",
        "out": "out density rates",
        "b": "b k tid",
        "kernel": "bin_rates density_from_cdf differentiate_cdf",
    },
)
def density_of_bin(c):
    """The {WANTED} of each bin{REACHED} from a cumulative distribution{EDGES}{GIVEN}.

    Compute {ASKED} of each bin {REACHED} from a cumulative distribution.{HOLDS} Store {FORMULA}{CHANGE} in
    `{out}[k]`.
    """
    n = c.size()
    WANTED = c.meaning(
        "density", "hazard rate", "log density", "conditional probability", "integrated hazard", "odds"
    )
    SPREAD = WANTED in ("density", "hazard rate", "log density")
    if SPREAD:
        EDGES = c.meaning(" over even bins", " over bins of their own widths", " over logarithmic bins")
    else:
        EDGES = ""
    REACHED = " for what reaches it" if WANTED == "conditional probability" else ""
    GIVEN = c.meaning(
        "", ", times an exposure" if WANTED in ("density", "hazard rate") else ", less a reference"
    )
    c.names(
        {
            "density": {"kernel": "density_from_cdf differentiate_cdf", "out": "density out pdf"},
            "hazard rate": {"kernel": "bin_rates hazard_rates", "out": "rates out hazard"},
            "log density": {"kernel": "log_density_from_cdf bin_log_density", "out": "log_density out log_p"},
            "conditional probability": {
                "kernel": "exit_chances chance_within_bins",
                "out": "chances out shares",
            },
            "integrated hazard": {
                "kernel": "integrated_hazards hazard_in_bins",
                "out": "hazards out hazard_steps",
            },
            "odds": {"kernel": "odds_from_cdf bin_odds", "out": "odds out ratios"},
        }[WANTED]
    )
    STEP = c.constant(0.3, 0.8)
    ASKED = "the {WANTED}"
    HOLDS = " Bin k holds the probability m = `{cdf}[k + 1] - {cdf}[k]`{WIDE}."
    if WANTED == "integrated hazard":
        HOLDS = " Bin k lies between entries k and k + 1."
    WIDE = ""
    if SPREAD:
        WIDE = {
            " over even bins": " over the width h = {STEP}",
            " over bins of their own widths": " over the width h = `{edges}[k + 1] - {edges}[k]`, but at "
            "least 0.001",
        }.get(EDGES, " over the logarithmic width h = ln(`{edges}[k + 1] / {edges}[k]`), but at least 0.001")
    FORMULA = {
        "density": "m / h",
        "hazard rate": "m / ((1 - `{cdf}[k]`)·h)",
        "log density": "ln(max(m, 1e-6) / h)",
        "conditional probability": "m / (1 - `{cdf}[k]`)",
        "integrated hazard": "ln((1 - `{cdf}[k]`) / (1 - `{cdf}[k + 1]`))",
        "odds": "m / (1 - m)",
    }[WANTED]
    CHANGE = ""
    if "exposure" in GIVEN:
        CHANGE = ", multiplied by `{exposure}[k]`,"
    elif GIVEN:
        CHANGE = ", less `{reference}[k]`,"

    @c.kernel(n)
    def kernel(
        cdf: wp.array[float] = input(n + 1, low=0.05, high=0.9, trait="sorted"),
        edges: wp.array[float] = input(n + 1, low=0.5, high=6.0, trait="sorted"),
        exposure: wp.array[float] = input(n, low=0.5, high=3.0),
        reference: wp.array[float] = input(n, low=0.2, high=1.5),
        out: wp.array[float] = output(n),
    ):
        b = wp.tid()
        if SPREAD:
            if EDGES == " over even bins":
                width = STEP
            elif EDGES == " over bins of their own widths":
                # neighbouring edges may lie close together
                width = wp.max(edges[b + 1] - edges[b], 1.0e-3)
            else:
                # neighbouring edges may lie close together
                width = wp.max(wp.log(edges[b + 1] / edges[b]), 1.0e-3)
        if WANTED != "integrated hazard":
            inside = cdf[b + 1] - cdf[b]
        if WANTED in ("hazard rate", "conditional probability"):
            left = 1.0 - cdf[b]
        if WANTED == "hazard rate":
            value = inside / (left * width)
        elif WANTED == "log density":
            # an empty bin has no logarithm
            value = wp.log(wp.max(inside, 1.0e-6) / width)
        elif WANTED == "conditional probability":
            value = inside / left
        elif WANTED == "integrated hazard":
            value = wp.log((1.0 - cdf[b]) / (1.0 - cdf[b + 1]))
        elif WANTED == "odds":
            value = inside / (1.0 - inside)
        else:
            value = inside / width
        if GIVEN == ", times an exposure":
            out[b] = exposure[b] * value
        elif GIVEN == ", less a reference":
            out[b] = value - reference[b]
        else:
            out[b] = value
