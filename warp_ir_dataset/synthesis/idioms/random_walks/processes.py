"""Single draws: steps of processes in time, and samples of distributions."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "state": "state rng rand_state",
    "seed": "seed rng_seed base_seed",
    "tid": "tid walker i",
    "x": "x levels values",
}


@idiom(
    level=3,
    differentiable=False,
    names=NAMES
    | {
        "here": "here x_i level",
        "noise": "noise z normal",
        "swing": "swing spread diffusion",
        "rates": "rates speeds kappa",
        "kernel": "sde_step step_process advance_levels",
    },
)
def mean_reverting_step(c):
    """One step of {PROCESS} by {SCHEME}{COMMON}{BOUND}{GIVES}.

    Take one step of {dt} of {PROCESS}, by {SCHEME}. Path k has {START}, and its speed of reversion is r =
    `{rates}[k]`. From the state `wp.rand_init({seed}, k)` draw {Z}. The new y is {NEXT}. Store
    {BACK} in {x}.{STORED}
    """
    n = c.size()
    PROCESS = c.meaning(
        "an Ornstein-Uhlenbeck process",
        "a square-root process",
        "a Jacobi process",
        "Schwartz's price model",
    )
    SCHEMES = ("Euler's scheme", "Milstein's scheme", "a drift-implicit scheme")
    PRICE = PROCESS == "Schwartz's price model"
    EXACT = PROCESS == "an Ornstein-Uhlenbeck process" or PRICE
    SCHEME = c.meaning(
        *(("Euler's scheme", "its exact law", "a drift-implicit scheme") if EXACT else SCHEMES)
    )
    COMMON = c.meaning("", ", partly driven by a common shock")
    BOUND = c.meaning("", ", kept above a floor")
    GIVES = c.meaning("", ", storing its noise")
    CENTRE, SIGMA, SHARE = c.constant(0.4, 0.8), c.constant(0.2, 0.6), c.constant(0.3, 0.8)
    ROOT, BOUNDED = PROCESS == "a square-root process", PROCESS == "a Jacobi process"
    FLOOR = c.constant(1.1, 1.4) if PRICE else c.constant(0.25, 0.4)
    # a step of Euler's may leave where the noise has a root, one of Milstein's is used inside
    ROOTED = (ROOT or BOUNDED) and SCHEME != "Milstein's scheme"
    LOW, HIGH = (0.8, 2.5) if PRICE else (-0.1, 1.1 if BOUNDED else 0.9) if ROOTED else (0.1, 0.9)
    if PRICE:
        c.names({"here": "log_price level", "x": "prices spots"})
    START = "y = ln(price), with the price `{x}[k]`" if PRICE else "y = `{x}[k]`"
    Z = "the normal number z from `wp.randn`"
    if COMMON:
        Z = "the noise z = {SHARE}·{shock} + √(1 - {SHARE}²)·normal, with one normal number from `wp.randn`"
    ROOTS = ("max(y, 0)" if ROOTED else "y") if ROOT else ("max(y·(1 - y), 0)" if ROOTED else "y·(1 - y)")
    SWING = "{SIGMA}·√({ROOTS})" if ROOT or BOUNDED else "{SIGMA}"
    if ROOT and not ROOTED:
        SWING = "{SIGMA}·√y"
    KICK = "n = {SWING}·√{dt}·z"
    if SCHEME == "Milstein's scheme":
        KICK += " + {SIGMA}²·{SLOPE}·{dt}·(z² - 1)"
    SLOPE = "0.25" if ROOT else "0.25·(1 - 2·y)"
    NEXT = {
        "its exact law": "{CENTRE} + (y - {CENTRE})·a + {SIGMA}·z·√((1 - a²) / (2·r)), with a = exp(-r·{dt})",
        "a drift-implicit scheme": "(y + r·{CENTRE}·{dt} + n) / (1 + r·{dt}), with the noise term {KICK}",
    }.get(SCHEME, "y + r·({CENTRE} - y)·{dt} + n, with the noise term {KICK}")
    BACK = "exp(the new y)" if PRICE else "the new y"
    if BOUND:
        BACK = "max(exp(the new y), {FLOOR})" if PRICE else "max(the new y, {FLOOR})"
    STORED = " {noises} gets z." if GIVES else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = inout(n, low=LOW, high=HIGH),
        rates: wp.array[float] = input(n, low=0.5, high=2.0),
        dt: float = input(low=0.05, high=0.3),
        shock: float = input(low=-1.5, high=1.5),
        seed: int = input(low=1, high=10000),
        noises: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        state = wp.rand_init(seed, tid)
        here = wp.log(x[tid]) if PRICE else x[tid]
        if COMMON != "":
            # correlated normals of unit variance
            noise = SHARE * shock + wp.sqrt(1.0 - SHARE * SHARE) * wp.randn(state)
        else:
            noise = wp.randn(state)
        if GIVES != "":
            noises[tid] = noise
        if SCHEME == "its exact law":
            fade = wp.exp(-rates[tid] * dt)
            swing = SIGMA * wp.sqrt((1.0 - fade * fade) / (2.0 * rates[tid]))
            here = CENTRE + (here - CENTRE) * fade + swing * noise
        else:
            if ROOT:
                swing = SIGMA * wp.sqrt(wp.max(here, 0.0) if ROOTED else here)
            elif BOUNDED:
                # the noise vanishes at zero and at one
                swing = SIGMA * wp.sqrt(wp.max(here * (1.0 - here), 0.0) if ROOTED else here * (1.0 - here))
            if ROOT or BOUNDED:
                kick = swing * wp.sqrt(dt) * noise
            else:
                kick = SIGMA * wp.sqrt(dt) * noise
            if SCHEME == "Milstein's scheme":
                slope = 0.25 if ROOT else 0.25 * (1.0 - 2.0 * here)
                kick += SIGMA * SIGMA * slope * dt * (noise * noise - 1.0)
            if SCHEME == "a drift-implicit scheme":
                here = (here + rates[tid] * CENTRE * dt + kick) / (1.0 + rates[tid] * dt)
            else:
                here += rates[tid] * (CENTRE - here) * dt + kick
        if PRICE:
            x[tid] = wp.max(wp.exp(here), FLOOR) if BOUND != "" else wp.exp(here)
        else:
            x[tid] = wp.max(here, FLOOR) if BOUND != "" else here


@idiom(
    level=2,
    names=NAMES
    | {
        "tid": "tid i item",
        "scales": "scales scale_params",
        "u": "u uniform r",
        "out": "out samples draws",
        "kernel": "sample draw_samples fill_random",
    },
)
def inverted_variates(c):
    """Draws from the {LAW} distribution{OF} by inversion{CUT}{WHERE}.

    Draw one number for each k from the {LAW} distribution by inversion. Let u be `wp.randf(state, 1e-5,
    0.99999)` from the state `wp.rand_init({seed}, k)`, and s = `{scales}[k]`. The draw is {DRAW}.{CLAMPED}
    {GETS}.
    """
    n = c.size()
    LAW = c.meaning(
        "exponential",
        "Rayleigh",
        "Cauchy",
        "Laplace",
        "logistic",
        "Weibull",
        "Pareto",
        "Gumbel",
        "triangular",
    )
    WHERE = c.meaning("", ", added to what is there", ", each moved to its location")
    CUT = c.meaning("", ", cut off")
    SHAPE = c.constant(1.2, 3.0)
    # all that is drawn from Pareto's is above its scale, and little from Gumbel's is far below zero
    LOW, HIGH = {"Pareto": (2.2, 4.0), "triangular": (0.6, 1.2), "Gumbel": (0.8, 1.5)}.get(LAW, (1.5, 4.0))
    LIMIT = c.constant(LOW, HIGH)
    ADDED, MOVED = WHERE == ", added to what is there", WHERE == ", each moved to its location"
    TWO_SIDED = LAW in ("Cauchy", "Laplace", "logistic", "Gumbel")
    OF = " of each scale and one shape" if LAW in ("Weibull", "Pareto") else " of each scale"
    if CUT:
        CUT = ", clamped on both sides" if TWO_SIDED else ", clamped from above"
    DRAW = {
        "exponential": "-s·ln(u)",
        "Rayleigh": "s·√(-2·ln(u))",
        "Cauchy": "s·tan(π·(u - ½))",
        "Laplace": "-s·sign(u - ½)·ln(1 - 2·|u - ½|)",
        "logistic": "s·ln(u / (1 - u))",
        "Weibull": "s·(-ln(u))^(1 / {SHAPE})",
        "Pareto": "s / u^(1 / {SHAPE})",
        "Gumbel": "-s·ln(-ln(u))",
        "triangular": "s·h if u < ½ and otherwise s·(1 - h), with h = √(min(u, 1 - u) / 2)",
    }[LAW]
    CLAMPED = ""
    if CUT:
        CLAMPED = (
            " It is clamped to [-{LIMIT}, {LIMIT}]."
            if TWO_SIDED
            else " It is at most {LIMIT}, to which larger ones are cut."
        )
    GETS = (
        "It is added to {out}"
        if ADDED
        else "{out} gets it, plus its entry of {locations}"
        if MOVED
        else "{out} gets it"
    )

    @c.kernel(n)
    def kernel(
        scales: wp.array[float] = input(n, low=0.5, high=2.0),
        locations: wp.array[float] = input(n, low=-2.0, high=2.0),
        seed: int = input(low=1, high=10000),
        out: wp.array[float] = inout(n, low=-1.0, high=1.0) if ADDED else output(n),
    ):
        tid = wp.tid()
        state = wp.rand_init(seed, tid)
        # neither zero nor one, where the inverse has no value
        u = wp.randf(state, 1.0e-5, 0.99999)
        if LAW == "exponential":
            draw = -scales[tid] * wp.log(u)
        elif LAW == "Rayleigh":
            draw = scales[tid] * wp.sqrt(-2.0 * wp.log(u))
        elif LAW == "Cauchy":
            draw = scales[tid] * wp.tan(wp.PI * (u - 0.5))
        elif LAW == "Laplace":
            side = u - 0.5
            draw = -scales[tid] * wp.sign(side) * wp.log(1.0 - 2.0 * wp.abs(side))
        elif LAW == "logistic":
            draw = scales[tid] * wp.log(u / (1.0 - u))
        elif LAW == "Weibull":
            draw = scales[tid] * wp.pow(-wp.log(u), 1.0 / SHAPE)
        elif LAW == "Pareto":
            draw = scales[tid] / wp.pow(u, 1.0 / SHAPE)
        elif LAW == "Gumbel":
            draw = -scales[tid] * wp.log(-wp.log(u))
        else:
            rise = wp.sqrt(0.5 * wp.min(u, 1.0 - u))
            draw = scales[tid] * wp.where(u < 0.5, rise, 1.0 - rise)
        if CUT != "":
            draw = wp.clamp(draw, -LIMIT, LIMIT) if TWO_SIDED else wp.min(draw, LIMIT)
        if ADDED:
            out[tid] += draw
        elif MOVED:
            out[tid] = locations[tid] + draw
        else:
            out[tid] = draw
