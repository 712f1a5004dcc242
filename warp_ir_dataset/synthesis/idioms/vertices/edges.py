"""Steps of graph algorithms over the edges of a vertex."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, wp


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
    """Adds up each vertex's exposure to {MODEL} along {WAYS}, with {CONTACT}{GUARD}.

    Add up how strongly vertices are exposed to {MODEL} along the edges of a graph. Edge e leads from u =
    `{sources}[e]` to v = `{targets}[e]` and adds {PASSED} to `{pressure}[v]`, on top of its value. Here G =
    {RATED}, and F is {CAUGHT}, with S the {infected} of the sender u, R that of the receiver
    v{RESISTS}.{BACK}
    """
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

    RATED = {
        "even contacts": "{RATE}",
        "contact rates by edge": "{RATE}·`{contact}[e]`",
        "contacts that fade with distance": "{RATE}·exp(-|`{points}[u]` - `{points}[v]`|)",
    }[CONTACT]
    PASSED = {
        "": "G·F",
        " and partly protected receivers": "G·F·(1 - `{guard}[v]`)",
        ", saturating": "tanh(G·F)",
    }[GUARD]
    CAUGHT = {
        "an SI epidemic": "S·(1 - R)",
        "an SIR epidemic": "S·max(1 - R - T, 0)",
        "a rumour": "S·(1 - R)·(1 - S)",
        "a soft-threshold contagion": "(1 - R) / (1 + exp({SHARP}·(T - S)))",
    }[MODEL]
    RESISTS = " and T the receiver's entry of {immune}" if RESISTED else ""
    BACK = ""
    if WAYS == "its edges in both directions":
        BACK = " It carries to u in the same way, with both ends exchanged."

    @c.kernel(m)
    def kernel(
        sources: wp.array[int] = input(m, low=0, high=n - 1),
        targets: wp.array[int] = input(m, low=0, high=n - 1),
        infected: wp.array[float] = input(n, low=0.05, high=0.9),
        immune: wp.array[float] = input(n, low=0.0, high=0.4),
        contact: wp.array[float] = input(m, low=0.2, high=1.5),
        points: wp.array[wp.vec2] = input(n, low=-1.0, high=1.0),
        guard: wp.array[float] = input(n, low=0.1, high=0.9),
        pressure: wp.array[float] = inout(n, low=0.0, high=0.5),
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
