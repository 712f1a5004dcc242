"""What one edge of a graph gives, or one row of a matrix by its diagonal."""

from __future__ import annotations

from ....pages.page import given, idiom, result, updated, wp


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
    """The {RISE} {VALUES} from source to target along each edge{WEIGHTED}{GIVEN}."""
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

    @c.kernel(m)
    def kernel(
        sources: wp.array[int] = given(m, low=0, high=n - 1),
        targets: wp.array[int] = given(m, low=0, high=n - 1),
        x: wp.array[float] = given(n, low=LOWEST, high=HIGHEST),
        weights: wp.array[float] = given(m, low=0.3, high=1.5),
        points: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        degree: wp.array[int] = given(n, low=1, high=5),
        out: wp.array[float] = result(m),
        means: wp.array[float] = result(m),
        energy: wp.array[float] = result(1),
        balance: wp.array[float] = result(n),
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
    """{QUALITY}, {TOGETHER}{GIVEN}."""
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

    @c.kernel(m)
    def kernel(
        sources: wp.array[int] = given(m, low=0, high=n - 1),
        targets: wp.array[int] = given(m, low=0, high=n - 1),
        weights: wp.array[float] = given(m, low=0.5, high=2.0),
        degree: wp.array[float] = given(n, low=0.5, high=4.0),
        degree_in: wp.array[float] = given(n, low=0.5, high=4.0),
        whole: float = given(low=4.0, high=9.0),
        labels: wp.array[int] = given(n, low=0, high=groups - 1),
        shares: wp.array[wp.vec3] = given(n, low=0.1, high=0.8),
        spins: wp.array[float] = given(n, low=-1.0, high=1.0),
        points: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0),
        out: wp.array[float] = result(m),
        total: wp.array[float] = result(1),
        by_vertex: wp.array[float] = result(n),
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


@idiom(
    level=3,
    names={
        "sources targets": "sources targets | carriers contacts | edge_u edge_v",
        "infected": "infected sick prevalence",
        "immune": "immune recovered removed",
        "contact": "contact weights closeness",
        "pressure": "pressure force exposure",
        "e": "e edge tid",
        "u v": "u v | carrier other | a b",
        "back": "back returned",
        "guard": "guard protection shielding",
        "kernel": "spread_on_edges infect_neighbours contact_step",
    },
)
def contagion_step(c):
    """Adds up each vertex's exposure to {MODEL} along {WAYS}, with {CONTACT}{GUARD}."""
    n, m = c.size(6, 9), c.size(9, 13)
    MODEL = c.meaning("an SI epidemic", "an SIR epidemic", "a rumour", "a soft-threshold contagion")
    WAYS = c.meaning("its incoming edges", "its edges in both directions")
    CONTACT = c.meaning("even contacts", "contact rates by edge", "contacts that fade with distance")
    GUARD = c.meaning("", " and partly protected receivers", ", saturating")
    if WAYS == "its edges in both directions":
        c.names({"passed": "passed forward"})
    if MODEL == "a rumour":
        c.names(
            {
                "kernel": "spread_on_edges pass_rumour",
                "infected": "informed heard",
                "pressure": "pressure exposure",
            }
        )
    elif MODEL == "a soft-threshold contagion":
        c.names(
            {
                "kernel": "spread_on_edges cascade_step",
                "infected": "active adopted",
                "immune": "thresholds inertia",
                "pressure": "pressure exposure",
            }
        )
    RATE, SHARP = c.constant(0.2, 0.8), c.constant(3.0, 9.0)

    RESISTED = MODEL in ("an SIR epidemic", "a soft-threshold contagion")

    if RESISTED:

        def caught(sender: float, receiver: float, resistance: float) -> float:
            """What one end passes to the other."""
            if MODEL == "a soft-threshold contagion":
                return (1.0 - receiver) / (1.0 + wp.exp(SHARP * (resistance - sender)))
            else:
                # only those neither infected nor immune can catch it
                return sender * wp.max(1.0 - receiver - resistance, 0.0)

    else:

        def caught(sender: float, receiver: float) -> float:
            """What one end passes to the other."""
            if MODEL == "a rumour":
                # where most have heard it, few still tell it
                return sender * (1.0 - receiver) * (1.0 - sender)
            else:
                return sender * (1.0 - receiver)

    @c.kernel(m)
    def kernel(
        sources: wp.array[int] = given(m, low=0, high=n - 1),
        targets: wp.array[int] = given(m, low=0, high=n - 1),
        infected: wp.array[float] = given(n, low=0.05, high=0.9),
        immune: wp.array[float] = given(n, low=0.0, high=0.4),
        contact: wp.array[float] = given(m, low=0.2, high=1.5),
        points: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0),
        guard: wp.array[float] = given(n, low=0.1, high=0.9),
        pressure: wp.array[float] = updated(n, low=0.0, high=0.5),
    ):
        e = wp.tid()
        u = sources[e]
        v = targets[e]
        if CONTACT == "contact rates by edge":
            strength = RATE * contact[e]
        elif CONTACT == "contacts that fade with distance":
            strength = RATE * wp.exp(-wp.length(points[u] - points[v]))
        if RESISTED:
            received = caught(infected[u], infected[v], immune[v])
        else:
            received = caught(infected[u], infected[v])
        passed = (RATE if CONTACT == "even contacts" else strength) * received
        if GUARD == " and partly protected receivers":
            passed *= 1.0 - guard[v]
        elif GUARD == ", saturating":
            # strong contacts count for less and less
            passed = wp.tanh(passed)
        wp.atomic_add(pressure, v, passed)
        if WAYS == "its edges in both directions":
            if RESISTED:
                given_back = caught(infected[v], infected[u], immune[u])
            else:
                given_back = caught(infected[v], infected[u])
            back = (RATE if CONTACT == "even contacts" else strength) * given_back
            if GUARD == " and partly protected receivers":
                wp.atomic_add(pressure, u, (1.0 - guard[u]) * back)
            elif GUARD == ", saturating":
                wp.atomic_add(pressure, u, wp.tanh(back))
            else:
                wp.atomic_add(pressure, u, back)


@idiom(
    level=3,
    names={
        "r": "r residual defect",
        "z": "z preconditioned direction",
        "x": "x solution unknowns",
        "diagonal": "diagonal pivots diag",
        "row": "row i tid",
        "step": "step change correction",
        "kernel": "apply_preconditioner scale_residual precondition",
    },
)
def diagonal_preconditioner(c):
    """{KIND_OF}: each residual {OVER} {DIAGONAL}{DAMPED}{GIVEN}."""
    n = c.size()
    BLOCK = c.meaning("single", "three by three", "two by two")
    KIND = "single"
    OVER = "divided by"
    if BLOCK == "single":
        DIAGONAL = c.meaning("its diagonal entry", "its absolute row sum", "its shifted diagonal entry")
        KIND_OF = "Jacobi"
    else:
        KIND = c.meaning("its", "a shifted", "the diagonal of its")
        DIAGONAL = f"{'its shifted' if KIND == 'a shifted' else KIND} {BLOCK} block"
        KIND_OF = "Jacobi" if KIND == "the diagonal of its" else "block Jacobi"
        if KIND_OF == "block Jacobi":
            OVER = "times the inverse of"
            c.names({"kernel": "apply_preconditioner precondition block_jacobi"})
    DAMPED = c.meaning("", ", damped", ", damped by row")
    GIVEN = c.meaning("", ", added to the solution", ", and the dot product of residual and result")
    if GIVEN == ", added to the solution":
        KIND_OF = f"One step of {KIND_OF} relaxation"
        c.names({"kernel": "correct_solution jacobi_step relaxation_step"})
    else:
        KIND_OF = f"A {KIND_OF} preconditioner"
    WIDTH = 3 if BLOCK == "three by three" else 2
    OMEGA, SHIFT = c.constant(0.4, 0.9), c.constant(0.2, 0.8)
    Item = float if BLOCK == "single" else c.vec(WIDTH)
    Block = c.mat(WIDTH)

    @c.kernel(n)
    def kernel(
        r: wp.array[Item] = given(n, low=-1.0, high=2.0),
        diagonal: wp.array[float] = given(n, low=0.8, high=3.0),
        beside: wp.array[float] = given(n, low=0.2, high=1.0),
        blocks: wp.array[Block] = given(n, low=0.5, high=2.0, trait="positive definite"),
        damping: wp.array[float] = given(n, low=0.4, high=1.0),
        x: wp.array[Item] = updated(n, low=-1.0, high=1.0),
        z: wp.array[Item] = result(n),
        product: wp.array[float] = result(1),
    ):
        row = wp.tid()
        residual = r[row]
        if DIAGONAL == "its absolute row sum":
            step = residual / (diagonal[row] + beside[row])
        elif DIAGONAL == "its shifted diagonal entry":
            step = residual / (diagonal[row] + SHIFT)
        elif DIAGONAL == "its diagonal entry":
            step = residual / diagonal[row]
        elif KIND == "a shifted":
            step = wp.inverse(blocks[row] + SHIFT * wp.identity(n=WIDTH, dtype=float)) * residual
        elif KIND == "its":
            step = wp.inverse(blocks[row]) * residual
        else:
            step = wp.cw_div(residual, wp.get_diag(blocks[row]))
        if DAMPED == ", damped":
            step *= OMEGA
        elif DAMPED == ", damped by row":
            step *= damping[row]
        if GIVEN == ", added to the solution":
            x[row] += step
        else:
            z[row] = step
            if GIVEN == ", and the dot product of residual and result":
                wp.atomic_add(product, 0, residual * step if BLOCK == "single" else wp.dot(residual, step))
