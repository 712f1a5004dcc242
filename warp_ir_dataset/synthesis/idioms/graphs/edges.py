"""Kernels over the edges of a graph."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=2,
    names={
        "sources targets": "sources targets | tails heads | edge_u edge_v",
        "x": "x values potential",
        "e": "e edge tid",
        "u v": "u v | tail head | a b",
        "rise": "rise difference jump",
        "at_u at_v": "at_u at_v | tail_value head_value | x_from x_to",
        "out": "out gradient slopes",
        "kernel": "edge_differences gradient_on_edges incidence_product",
    },
)
def graph_gradient(c):
    """The {RISE} {VALUES} from source to target along each edge{WEIGHTED}{GIVEN}.

    {PURPOSE}. Edge k goes from vertex `{sources}[k]`, where {x} has value a, to vertex `{targets}[k]`,
    where it has value b. {NORM} Its {CALLED} is {FORMULA}. {PUT}
    """
    n, m = c.size(6, 9), c.size(9, 13)
    RISE = c.meaning("difference", "log ratio", "relative difference", "shortest turn")
    VALUES = "between angles" if RISE == "shortest turn" else "of vertex values"
    if RISE in ("log ratio", "relative difference"):
        c.names({"x": "x values amounts"})
    FLOW = ", which the source gains and the target loses"
    if RISE == "difference":
        WEIGHTED = c.meaning(
            "", ", weighted by edge", ", per length of the edge", ", normalised by root degrees"
        )
        GIVEN = c.meaning("", ", as Dirichlet energy", FLOW, ", and the mean of both ends")
    else:
        WEIGHTED = c.meaning("", ", weighted by edge", ", per length of the edge")
        GIVEN = c.meaning("", ", as half the sum of its squares", FLOW)
    ENERGY = GIVEN != "" and GIVEN in (", as Dirichlet energy", ", as half the sum of its squares")
    if ENERGY:
        DIRICHLET = "dirichlet_energy" if RISE == "difference" else "sum_of_squares"
        c.names({"kernel": f"{DIRICHLET} edge_energy add_up_energy"})
    elif GIVEN == FLOW:
        c.names({"kernel": "balance_vertices exchange_on_edges", "balance": "balance net_gain gains"})
    elif RISE != "difference":
        c.names({"kernel": "edge_changes rises_on_edges"})
    if RISE != "difference":
        c.names({"rise": "rise change", "out": "out rises changes"})
    if RISE == "shortest turn":
        c.names({"x": "angles phases headings", "rise": "turn change"})
    LOWEST, HIGHEST = (-3.1, 3.1) if RISE == "shortest turn" else (0.3, 4.0)
    PURPOSE = "Take differences along the edges of a graph"
    NORM = ""
    if RISE == "log ratio":
        PURPOSE = "Compare vertices along the edges of a graph by log ratios"
    elif RISE == "relative difference":
        PURPOSE = "Compare vertices along the edges of a graph by relative differences"
    elif RISE == "shortest turn":
        PURPOSE = "Find the turns between angles along the edges of a graph"
    if ENERGY:
        PURPOSE += " and add up their energy"
    elif GIVEN == FLOW:
        PURPOSE += " and let them flow from target to source"
    if WEIGHTED == ", normalised by root degrees":
        NORM = "Both are first divided by the square root of their vertex's {degree}."
    CALLED = "turn" if RISE == "shortest turn" else "rise"
    FORMULA = {
        "difference": "b - a", "log ratio": "ln(b / a)", "relative difference": "2·(b - a) / (b + a)",
        "shortest turn": "b - a the short way round, that is, reduced to [-π, π]",
    }[RISE]  # fmt: skip
    if WEIGHTED == ", weighted by edge" and not ENERGY:
        FORMULA = "`{weights}[k]` times " + FORMULA
    elif WEIGHTED == ", per length of the edge":
        FORMULA += ", divided by max(D, 0.001), with D the distance of the two vertices in {points}"
    PUT = "Write it to {out}."
    if ENERGY:
        PUT = "{energy} is half the sum of the squares of all edges."
        if WEIGHTED == ", weighted by edge":
            PUT = "{energy} is half the sum of the squares of all edges, each times `{weights}[k]`."
    elif GIVEN == FLOW:
        PUT = "{balance}, zero at the start, gains the rise at the source and loses it at the target."
    elif GIVEN:
        PUT = "Write it to {out}, and the mean of a and b to {means}."

    @c.kernel(m)
    def kernel(
        sources: wp.array[int] = input(m, low=0, high=n - 1),
        targets: wp.array[int] = input(m, low=0, high=n - 1),
        x: wp.array[float] = input(n, low=LOWEST, high=HIGHEST),
        weights: wp.array[float] = input(m, low=0.3, high=1.5),
        points: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        degree: wp.array[int] = input(n, low=1, high=5),
        out: wp.array[float] = output(m),
        means: wp.array[float] = output(m),
        energy: wp.array[float] = output(1),
        balance: wp.array[float] = output(n),
    ):
        e = wp.tid()
        u = sources[e]
        v = targets[e]
        if WEIGHTED == ", normalised by root degrees":
            at_u = x[u] / wp.sqrt(float(degree[u]))
            at_v = x[v] / wp.sqrt(float(degree[v]))
        else:
            at_u = x[u]
            at_v = x[v]
        if RISE == "log ratio":
            rise = wp.log(at_v / at_u)
        elif RISE == "relative difference":
            rise = 2.0 * (at_v - at_u) / (at_v + at_u)
        elif RISE == "shortest turn":
            # the short way round
            rise = wp.atan2(wp.sin(at_v - at_u), wp.cos(at_v - at_u))
        else:
            rise = at_v - at_u
        if WEIGHTED == ", weighted by edge":
            if ENERGY:
                # so that the square has the weight
                rise *= wp.sqrt(weights[e])
            else:
                rise *= weights[e]
        elif WEIGHTED == ", per length of the edge":
            # the ends may coincide
            rise /= wp.max(wp.length(points[v] - points[u]), 1.0e-3)
        if ENERGY:
            wp.atomic_add(energy, 0, 0.5 * rise * rise)
        elif GIVEN == FLOW:
            wp.atomic_add(balance, u, rise)
            wp.atomic_sub(balance, v, rise)
        else:
            out[e] = rise
            if GIVEN == ", and the mean of both ends":
                means[e] = 0.5 * (at_u + at_v)


@idiom(
    level=3,
    names={
        "sources targets": "sources targets | tails heads | edge_u edge_v",
        "weights": "weights ties edge_weights",
        "degree": "degree strength weighted_degree",
        "whole": "whole total_weight",
        "labels": "labels groups communities",
        "e": "e edge tid",
        "u v": "u v | tail head | a b",
        "excess": "excess surplus",
        "together": "together same agreement",
        "out": "out terms gains",
        "kernel": "modularity_terms score_edges community_quality",
    },
)
def edge_modularity(c):
    """{QUALITY}, {TOGETHER}{GIVEN}.

    {PURPOSE}. Edge k joins vertices u = `{sources}[k]` and v = `{targets}[k]`. Its term is {TERM}, times
    {ALIKE}. {PUT}
    """
    n, m, groups = c.size(6, 9), c.size(9, 13), c.count(3, 4)
    NULL = c.meaning(
        "the configuration model", "the directed configuration model", "a fixed resolution", "no null model"
    )
    TOGETHER = c.meaning(
        "where its ends are of one group",
        "times the overlap of its ends' memberships",
        "where its ends have spins of one sign",
        "times a Gaussian of its length",
    )
    GIVEN = c.meaning("", ", summed", ", halved between its ends")
    RESOLUTION = c.constant(0.3, 0.9)
    if NULL == "no null model":
        QUALITY, QUALITIES = "The weight of each edge", "inner_weight"
        c.names({"excess": "weight tie"})
    else:
        QUALITIES = "modularity"
        QUALITY = f"The excess of each edge's weight over {NULL}"
        if NULL == "the directed configuration model":
            c.names({"degree": "degree_out out_strength", "degree_in": "degree_in in_strength"})
    if not GIVEN:
        c.names({"kernel": f"{QUALITIES}_terms edge_{QUALITIES}"})
    elif GIVEN == ", summed":
        c.names({"kernel": f"sum_{QUALITIES} add_up_{QUALITIES}"})
    else:
        c.names({"kernel": f"{QUALITIES}_of_vertices vertex_{QUALITIES}"})
    PURPOSE = "Score the edges of a graph by modularity, " + {
        "the configuration model": "with the configuration model as the null model",
        "the directed configuration model": "with the directed configuration model as the null model",
        "a fixed resolution": "with a fixed resolution (the constant Potts model)", "no null model": "",
    }[NULL]  # fmt: skip
    if NULL == "no null model":
        PURPOSE = "Weigh the edges of a graph by how alike their ends are"
    TERM = "`{weights}[k]`" + {
        "the configuration model": " - `{degree}[u]` · `{degree}[v]` / (2 · {whole})",
        "the directed configuration model": " - `{degree}[u]` · `{degree_in}[v]` / {whole}",
        "a fixed resolution": " - {RESOLUTION}", "no null model": "",
    }[NULL]  # fmt: skip
    ALIKE = {
        "where its ends are of one group": "1 if both ends have the same label in {labels}, and times "
        "0 otherwise",
        "times the overlap of its ends' memberships": "the dot product of its ends' {shares}",
        "where its ends have spins of one sign": "1 if the {spins} of its ends have the same sign "
        "(that of 0 is +), and times 0 otherwise",
        "times a Gaussian of its length": "exp(-d²), where d is the distance of its ends in {points}",
    }[TOGETHER]
    PUT = {
        "": "Write it to {out}.", ", summed": "{total} is the sum of the terms of all edges.",
        ", halved between its ends": "{by_vertex}, zero at the start, gains one half of it at u and "
        "one half at v.",
    }[GIVEN]  # fmt: skip

    @c.kernel(m)
    def kernel(
        sources: wp.array[int] = input(m, low=0, high=n - 1),
        targets: wp.array[int] = input(m, low=0, high=n - 1),
        weights: wp.array[float] = input(m, low=0.5, high=2.0),
        degree: wp.array[float] = input(n, low=0.5, high=4.0),
        degree_in: wp.array[float] = input(n, low=0.5, high=4.0),
        whole: float = input(low=4.0, high=9.0),
        labels: wp.array[int] = input(n, low=0, high=groups - 1),
        shares: wp.array[wp.vec3] = input(n, low=0.1, high=0.8),
        spins: wp.array[float] = input(n, low=-1.0, high=1.0),
        points: wp.array[wp.vec2] = input(n, low=-1.0, high=1.0),
        out: wp.array[float] = output(m),
        total: wp.array[float] = output(1),
        by_vertex: wp.array[float] = output(n),
    ):
        e = wp.tid()
        u = sources[e]
        v = targets[e]
        if NULL == "the configuration model":
            excess = weights[e] - degree[u] * degree[v] / (2.0 * whole)
        elif NULL == "the directed configuration model":
            excess = weights[e] - degree[u] * degree_in[v] / whole
        elif NULL == "a fixed resolution":
            excess = weights[e] - RESOLUTION
        else:
            excess = weights[e]
        if TOGETHER == "where its ends are of one group":
            together = wp.where(labels[u] == labels[v], 1.0, 0.0)
        elif TOGETHER == "times the overlap of its ends' memberships":
            together = wp.dot(shares[u], shares[v])
        elif TOGETHER == "where its ends have spins of one sign":
            # one for spins of one sign, else zero
            together = 0.5 * (1.0 + wp.sign(spins[u]) * wp.sign(spins[v]))
        else:
            together = wp.exp(-wp.length_sq(points[u] - points[v]))
        if not GIVEN:
            out[e] = excess * together
        elif GIVEN == ", summed":
            wp.atomic_add(total, 0, excess * together)
        else:
            wp.atomic_add(by_vertex, u, 0.5 * excess * together)
            wp.atomic_add(by_vertex, v, 0.5 * excess * together)
