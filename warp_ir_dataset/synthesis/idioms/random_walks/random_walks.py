"""Chance: random walks, Markov chains, and estimates from samples."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "out": "out result estimates",
    "state": "state rng rand_state",
    "seed": "seed rng_seed base_seed",
    "tid": "tid walker i",
    "hits": "hits inside count",
    "total": "total acc summed",
}


@idiom(
    level=3,
    differentiable=False,
    names=NAMES
    | {
        "way": "squares step_squares sum_sq",
        "reach": "displacement_sq away_sq squared_distance",
        "begin": "begin origins x0",
        "kick": "kick noise jump",
        "x": "x positions walkers",
        "p": "p x_i here",
        "kernel": "diffuse random_step",
    },
)
def brownian_step(c):
    """Moves each walker by {NOISE} in {SPACE}{DRIFT}{WALLS}{GIVES}.

    Move each walker by one step of Brownian motion. Walker k draws from the state `wp.rand_init({seed}, k)`.
    Its kick is {KICK}. Its step is √{dt} times the kick{DRIFTING}; it is added to the position in
    {x}.{AT_WALLS}{MORE}
    """
    n = c.size()
    NOISE = c.meaning("normal noise", "a step in a random direction", "uniform noise", "a step on a lattice")
    # who drifts leaves the lattice
    DRIFTS = (
        () if NOISE == "a step on a lattice" else (", drifting along a flow", ", drifting towards the origin")
    )
    SPACE, DRIFT = c.meaning("the plane", "space"), c.meaning("", *DRIFTS)
    WALLS = c.meaning(
        "", ", reflected by the walls at +-1", ", in a periodic box from -1 to 1", ", stopped by walls at +-1"
    )
    # what is always as long needs no sum, and a box that is left on one side and entered on the other
    # hides how far a walker came
    CONSTANT = NOISE in ("a step in a random direction", "a step on a lattice") and not DRIFT
    SUMS = () if CONSTANT else (", and adds up squared steps",)
    REACHES = () if "periodic" in WALLS else (", and gives the squared distance from its start",)
    GIVES = c.meaning("", *SUMS, *REACHES)
    DIM = 2 if SPACE == "the plane" else 3
    Vec, AXES = c.vec(DIM), tuple(range(DIM))
    PULL = c.constant(0.2, 0.9)
    AXIS_COUNT = "two" if DIM == 2 else "three"
    KICK = {
        "normal noise": "{size} times a vector of {AXIS_COUNT} normals, from `wp.randn`, axis by axis",
        "uniform noise": "{size} times a vector of {AXIS_COUNT} numbers from `wp.randf(state, -1, 1)`, "
        "axis by axis",
        "a step on a lattice": "along the axis that `wp.randi(state, 0, {DIM})` gives: -{size} if the "
        "next `wp.randf` is below ½, and otherwise +{size}",
    }.get(NOISE, "{size} times (cos(a), sin(a)), with the angle a from `wp.randf(state, 0, 2π)`")
    if NOISE == "a step in a random direction" and DIM == 3:
        KICK = (
            "{size} times (√(1 - h²)·cos(a), √(1 - h²)·sin(a), h), with the height h from "
            "`wp.randf(state, -1, 1)` and then the angle a from `wp.randf(state, 0, 2π)`"
        )
    DRIFTING = {
        "": "",
        ", drifting along a flow": ", plus {dt} times its entry of {flow}",
        ", drifting towards the origin": ", less {dt}·{PULL} times its position",
    }[DRIFT]
    AT_WALLS = {
        "": "",
        ", reflected by the walls at +-1": " Walls at ±1 on every axis then reflect it, {TIMES}.",
        ", in a periodic box from -1 to 1": " Then every coordinate is wrapped into [-1, 1), with the "
        "period 2.",
        ", stopped by walls at +-1": " Then every coordinate is clamped to [-1, 1].",
    }[WALLS]
    TIMES = (
        "as often as it takes (a triangle wave with ¼ of a period per unit)"
        if NOISE == "normal noise"
        else "as mirrors; one reflection is enough"
    )
    MORE = {
        "": "",
        ", and adds up squared steps": " {way} is increased by the squared length of the step, before walls.",
        ", and gives the squared distance from its start": " {reach} gets the squared distance of its "
        "new position from its entry of {begin}.",
    }[GIVES]

    def folded(place: float) -> float:
        """Where the walls send a walker back to, as a long step may meet several of them."""
        along = place + 1.0
        along -= 4.0 * wp.floor(0.25 * along)
        return 1.0 - wp.abs(along - 2.0)

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = inout(n, low=-1.0, high=1.0, of="position"),
        flow: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        size: float = input(low=0.5, high=1.2),
        dt: float = input(low=0.2, high=0.7),
        seed: int = input(low=1, high=10000),
        begin: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        way: wp.array[float] = inout(n, low=0.0, high=2.0),
        reach: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        state = wp.rand_init(seed, tid)
        p = x[tid]
        if NOISE == "normal noise":
            if DIM == 2:
                kick = size * Vec(wp.randn(state), wp.randn(state))
            else:
                kick = size * Vec(wp.randn(state), wp.randn(state), wp.randn(state))
        elif NOISE == "uniform noise":
            kick = Vec()
            for axis in AXES:
                kick[axis] = size * wp.randf(state, -1.0, 1.0)
        elif NOISE == "a step on a lattice":
            axis = wp.randi(state, 0, DIM)
            kick = Vec()
            kick[axis] = wp.where(wp.randf(state) < 0.5, -size, size)
        elif DIM == 2:
            angle = wp.randf(state, 0.0, 2.0 * wp.PI)
            kick = size * Vec(wp.cos(angle), wp.sin(angle))
        else:
            # the height of a random point of the sphere is uniform
            height = wp.randf(state, -1.0, 1.0)
            angle = wp.randf(state, 0.0, 2.0 * wp.PI)
            radius = wp.sqrt(1.0 - height * height)
            kick = size * Vec(radius * wp.cos(angle), radius * wp.sin(angle), height)
        # the spread grows with the root of time
        step = wp.sqrt(dt) * kick
        if DRIFT == ", drifting along a flow":
            step += dt * flow[tid]
        elif DRIFT == ", drifting towards the origin":
            step -= dt * PULL * p
        p += step
        for axis in AXES:
            if "reflected" in WALLS and NOISE == "normal noise":
                p[axis] = folded(p[axis])
            elif "reflected" in WALLS:
                if p[axis] > 1.0:
                    p[axis] = 2.0 - p[axis]
                elif p[axis] < -1.0:
                    p[axis] = -2.0 - p[axis]
            elif "periodic" in WALLS:
                p[axis] -= 2.0 * wp.floor(0.5 * (p[axis] + 1.0))
            elif "stopped" in WALLS:
                p[axis] = wp.clamp(p[axis], -1.0, 1.0)
        x[tid] = p
        if GIVES == ", and adds up squared steps":
            way[tid] += wp.length_sq(step)
        elif GIVES == ", and gives the squared distance from its start":
            reach[tid] = wp.length_sq(p - begin[tid])


@idiom(
    level=2,
    differentiable=False,
    names=NAMES
    | {"tid": "tid i shape", "x y": "x y | px py | u v", "kernel": "throw_darts monte_carlo_shape"},
)
def area_by_darts(c):
    """Estimates the {WANTED} of a {SHAPE} of each size from {DARTS} random points{WAY}.

    Estimate the {WANTED} of a {SHAPE} of each size k by Monte Carlo. A point (x, y) is inside if {INNER},
    with s = `{sizes}[k]`. Draw {DARTS} points in the square from -1 to 1, from the state
    `wp.rand_init({seed}, k)`: for each point first {ACROSS} and then y from `wp.randf(state, -1, 1)`. {out}
    gets {GETS}.
    """
    n, DARTS = c.size(), c.count(20, 60)
    SHAPE = c.meaning("disk", "ring", "half disk", "star", "superellipse")
    # the others have their centroid at the origin
    HEIGHT = ("height of the centroid",) if SHAPE == "half disk" else ()
    WANTED = c.meaning("area", "polar second moment", *HEIGHT)
    if WANTED == "area":
        c.names({"total": "hits landed"})
    else:
        c.names(
            {
                "kernel": "throw_darts polar_moments"
                if "polar" in WANTED
                else "throw_darts centroid_heights",
                "out": "moments out" if "polar" in WANTED else "heights out",
            }
        )
    WAY = c.meaning("", ", stratified along x")
    HOLE = c.constant(0.3, 0.5)
    INNER = {
        "disk": "x² + y² < s²",
        "ring": "{HOLE}² < x² + y² < s²",
        "half disk": "x² + y² < s² and y > 0",
        "star": "√|x| + √|y| < √s",
        "superellipse": "x⁴ + y⁴ < s⁴",
    }[SHAPE]
    ACROSS = (
        "x = 2·(j + `wp.randf`) / {DARTS} - 1 for point j = 0, 1, …, which stratifies it,"
        if WAY
        else "x from `wp.randf(state, -1, 1)`"
    )
    GETS = {
        "area": "4 times the number of points inside, divided by {DARTS}",
        "polar second moment": "4 times the sum of x² + y² over the points inside, divided by {DARTS}",
        "height of the centroid": "the mean y of the points inside, 0 if there are none",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        sizes: wp.array[float] = input(n, low=0.6, high=1.0),
        seed: int = input(low=1, high=10000),
        out: wp.array[float] = output(n, of="area" if WANTED == "area" else None),
    ):
        tid = wp.tid()
        state = wp.rand_init(seed, tid)
        size = sizes[tid]
        total = float(0.0)
        if WANTED == "height of the centroid":
            hits = int(0)
        for k in range(DARTS):
            if WAY:
                x = 2.0 * (float(k) + wp.randf(state)) / float(DARTS) - 1.0
            else:
                x = wp.randf(state, -1.0, 1.0)
            y = wp.randf(state, -1.0, 1.0)
            if SHAPE == "superellipse":
                inside = x * x * x * x + y * y * y * y < size * size * size * size
            elif SHAPE == "star":
                inside = wp.sqrt(wp.abs(x)) + wp.sqrt(wp.abs(y)) < wp.sqrt(size)
            elif SHAPE == "half disk":
                inside = x * x + y * y < size * size and y > 0.0
            elif SHAPE == "ring":
                inside = x * x + y * y < size * size and x * x + y * y > HOLE * HOLE
            else:
                inside = x * x + y * y < size * size
            if inside:
                if WANTED == "area":
                    total += 1.0
                elif WANTED == "polar second moment":
                    total += x * x + y * y
                else:
                    total += y
                    hits += 1
        if WANTED == "height of the centroid":
            out[tid] = total / float(wp.max(hits, 1))
        else:
            out[tid] = 4.0 * total / float(DARTS)


@idiom(
    level=4,
    differentiable=False,
    names=NAMES
    | {
        "energy": "energy action cost",
        "proposed": "proposed candidate",
        "change": "change exponent scaled_rise",
        "low": "current current_energy now",
        "cold": "beta_now inverse_temperature",
        "accepted": "accepted n_accepted moves",
        "kernel": "sample_chain run_chains",
    },
)
def metropolis_update(c):
    """Runs {RULE} chain with {MOVE} for each walker on {energy}{PERIOD}{GIVES}.

    Run {RULE} chain of {steps} steps for each walker, on the energy {ENERGY}. Walker k starts at `{x}[k]` and
    draws from the state `wp.rand_init({seed}, k)`. In each step it proposes to move by {PROPOSES}{WRAPPED}.
    With the rise D in energy, it takes this move if the next `wp.randf` is below {CHANCE}, and otherwise
    stays. The inverse temperature b starts as `{beta}[k]`{COOLED}. {x} gets the last place.{MORE}
    """
    n = c.size()
    RULE = c.meaning("a Metropolis", "a Barker", "an annealed Metropolis")
    MOVE = c.meaning("normal steps", "uniform steps")
    GIVES = c.meaning("", ", and counts acceptances", ", and averages the energy")
    PERIOD = c.meaning("", " in a periodic box from -2 to 2")
    COOLING = c.constant(1.05, 1.3)
    if "Metropolis" not in RULE:
        c.names({"kernel": "sample_chain run_chains"})

    def double_well(x: float) -> float:
        """the double well (x * x - 1)**2."""
        return (x * x - 1.0) * (x * x - 1.0)

    def rugged(x: float) -> float:
        """the rugged valley x * x / 2 + cos(6 * x)."""
        return 0.5 * x * x + wp.cos(6.0 * x)

    def quartic(x: float) -> float:
        """the quartic potential x**2 / 2 + x**4 / 4."""
        return 0.5 * x * x + 0.25 * x * x * x * x

    def log_cauchy(x: float) -> float:
        """the logarithmic well log(1 + x * x)."""
        return wp.log(1.0 + x * x)

    energy = c.meaning(double_well, rugged, quartic, log_cauchy)
    ENERGY = {
        double_well: "E(q) = (q² - 1)²",
        rugged: "E(q) = q² / 2 + cos(6·q)",
        quartic: "E(q) = ½·q² + ¼·q⁴",
        log_cauchy: "E(q) = ln(1 + q²)",
    }[energy]
    PROPOSES = (
        "{reach} times a normal from `wp.randn`"
        if MOVE == "normal steps"
        else "a number from `wp.randf(state, -{reach}, {reach})`"
    )
    WRAPPED = ", wrapped into [-2, 2) (one unit is ¼ of the period)" if PERIOD else ""
    CHANCE = "1 / (1 + exp(b·D))" if RULE == "a Barker" else "min(1, exp(-b·D))"
    COOLED = " and is multiplied by {COOLING} after every step" if "annealed" in RULE else ""
    MORE = {
        "": "",
        ", and counts acceptances": " {counts} gets the number of moves taken.",
        ", and averages the energy": " {means} gets the mean of the energies after each of the steps.",
    }[GIVES]

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = inout(n, low=-1.5, high=1.5),
        beta: wp.array[float] = input(n, low=0.5, high=4.0),
        reach: float = input(low=0.4, high=1.2),
        steps: int = input(low=4, high=12),
        seed: int = input(low=1, high=10000),
        counts: wp.array[int] = output(n),
        means: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        state = wp.rand_init(seed, tid)
        here = x[tid]
        low = energy(here)
        cold = float(beta[tid])
        if GIVES == ", and counts acceptances":
            accepted = int(0)
        elif GIVES == ", and averages the energy":
            total = float(0.0)
        for _k in range(steps):
            if MOVE == "normal steps":
                proposed = here + reach * wp.randn(state)
            else:
                proposed = here + wp.randf(state, -reach, reach)
            if PERIOD:
                proposed -= 4.0 * wp.floor(0.25 * (proposed + 2.0))
            trial = energy(proposed)
            change = cold * (trial - low)
            if RULE == "a Barker":
                taken = wp.randf(state) < 1.0 / (1.0 + wp.exp(change))
            else:
                # downhill is always accepted
                taken = wp.randf(state) < wp.exp(wp.min(-change, 0.0))
            if taken:
                here = proposed
                low = trial
                if GIVES == ", and counts acceptances":
                    accepted += 1
            if GIVES == ", and averages the energy":
                total += low
            if RULE == "an annealed Metropolis":
                cold *= COOLING
        x[tid] = here
        if GIVES == ", and counts acceptances":
            counts[tid] = accepted
        elif GIVES == ", and averages the energy":
            means[tid] = total / float(steps)
