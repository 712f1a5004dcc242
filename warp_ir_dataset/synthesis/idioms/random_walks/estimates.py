"""Estimates from many walks or samples: prices of options, potentials, expectations."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "out": "out result estimates",
    "state": "state rng rand_state",
    "seed": "seed rng_seed base_seed",
    "tid": "tid walker i",
    "hits": "hits inside count",
    "total": "total acc summed",
    "x": "x positions walkers",
}


@idiom(
    level=4,
    differentiable=False,
    names=NAMES
    | {
        "spot": "spot s0 start_price",
        "strike": "strike K strikes",
        "price": "price s asset",
        "payoff": "payoff pay claim",
        "out": "sums payoffs totals",
        "growth": "growth drift carry",
        "option path": "option path | i k | contract sample",
        "kernel": "price_options simulate_paths",
    },
)
def option_value_by_paths(c):
    """Adds each path's discounted payoff of {OPTION} under {MODEL}{ERROR}.

    Price {OPTION} by Monte Carlo under {MODEL}, for contract i on path j, which draws from the state
    `wp.rand_init({seed}, j)`, so that all contracts see the same numbers. The price starts at `{spot}[i]`;
    {PATH}

    With the last price S{STRUCK}, the payoff is {PAYS}.{TWIN} Discounted by exp(-{RATE}·{dt}·{steps}), it is
    added to `{out}[i]`{SQUARED}.
    """
    n, paths = c.size(4, 6), c.size(5, 8)
    OPTION = c.meaning(
        "a call",
        "an Asian call",
        "a digital call",
        "a lookback put",
        "a straddle",
        "an up-and-out call",
        "a put",
    )
    MODEL = c.meaning("geometric Brownian motion", "jump diffusion", "mean reverting volatility")
    if OPTION in ("a call", "a put"):
        ERROR = c.meaning("", "antithetic", "square")
    else:
        ERROR = c.meaning("", "square")
    MIRRORED, SQUARES = ERROR == "antithetic", ERROR == "square"
    ERROR = (
        ", averaged with its antithetic twin's, to its contract's sum"
        if MIRRORED
        else " to its contract's sum"
    )
    if SQUARES:
        ERROR = ", and its square, to the sums of its contract"
    RATE, BARRIER = c.constant(0.01, 0.08), c.constant(1.25, 1.4)
    JUMP_RATE, JUMP = c.constant(0.4, 1.0), c.constant(0.8, 0.9)
    REVERSION, LEVERAGE = c.constant(1.0, 3.0), c.constant(0.5, 0.9)
    # about a tenth of all paths get there
    MIN_VOL = c.constant(0.2, 0.3)
    DRIFT = "({RATE} - v²/2)·{dt}"
    if MODEL == "jump diffusion":
        DRIFT = "({RATE} - v²/2)·{dt} + {JUMP_RATE}·(1 - {JUMP})·{dt}"
    PATH = (
        "each of {steps} steps of {dt} multiplies it by exp({DRIFT} + v·√{dt}·z), with a normal z from "
        "`wp.randn` and v = `{sigma}[i]`."
    )
    if MODEL == "jump diffusion":
        PATH += (
            " After that it jumps, by a factor of {JUMP}, if the next `wp.randf` is below {JUMP_RATE}·{dt}."
        )
    elif MODEL == "mean reverting volatility":
        PATH = (
            "each of {steps} steps of {dt} multiplies it by exp({DRIFT} + v·√{dt}·z), with a normal z "
            "from `wp.randn` and the volatility v before the step. This starts as V = `{sigma}[i]` and "
            "becomes v + {REVERSION}·(V - v)·{dt} - {LEVERAGE}·V·√{dt}·z, but at least {MIN_VOL}, in "
            "each step."
        )
    TWIN = ""
    if MIRRORED:
        TWIN = " The payoff is the mean over the path and its antithetic twin, which has -z in place of z"
        TWIN += " and a volatility of its own." if MODEL == "mean reverting volatility" else "."
        if MODEL == "jump diffusion":
            TWIN = TWIN[:-1] + " and the same jumps."
    PAYS = {
        "a call": "max(S - X, 0)",
        "a put": "max(X - S, 0)",
        "an Asian call": "max(A - X, 0), where A is the mean of the prices after each step",
        "a lookback put": "M - S, where M is the highest price of the path, its start included",
        "a digital call": "1 if S > X, and otherwise 0",
        "a straddle": "|S - X|",
        "an up-and-out call": "max(S - X, 0), but 0 if the price was above {BARRIER} after any step",
    }[OPTION]
    STRUCK = "" if OPTION == "a lookback put" else " and the strike X = `{strike}[i]`"
    SQUARED = ", and its square to `{squares}[i]`" if SQUARES else ""

    @c.kernel(n, paths)
    def kernel(
        spot: wp.array[float] = input(n, low=0.9, high=1.2),
        strike: wp.array[float] = input(n, low=0.9, high=1.2),
        sigma: wp.array[float] = input(n, low=0.3, high=0.6),
        dt: float = input(low=0.1, high=0.3),
        steps: int = input(low=3, high=6),
        seed: int = input(low=1, high=10000),
        out: wp.array[float] = inout(n, low=0.0, high=0.5, of="number"),
        squares: wp.array[float] = inout(n, low=0.0, high=0.5),
    ):
        option, path = wp.tid()
        # all contracts see the same random numbers
        state = wp.rand_init(seed, path)
        vol = sigma[option]
        price = float(spot[option])
        if MODEL == "mean reverting volatility":
            level = float(vol)
        else:
            growth = (RATE - 0.5 * vol * vol) * dt
            swing = vol * wp.sqrt(dt)
            if MODEL == "jump diffusion":
                # the drift makes up for the jumps
                growth += JUMP_RATE * (1.0 - JUMP) * dt
        if MIRRORED:
            mirrored = float(price)
            if MODEL == "mean reverting volatility":
                mirrored_level = float(vol)
        if OPTION == "an Asian call":
            average = float(0.0)
        elif OPTION == "a lookback put":
            peak = float(price)
        elif OPTION == "an up-and-out call":
            alive = float(1.0)
        for _step in range(steps):
            normal = wp.randn(state)
            if MODEL == "mean reverting volatility":
                growth = (RATE - 0.5 * level * level) * dt
                swing = level * wp.sqrt(dt)
                # volatility falls when the price rises
                level += REVERSION * (vol - level) * dt - LEVERAGE * vol * wp.sqrt(dt) * normal
                level = wp.max(level, MIN_VOL)
            price *= wp.exp(growth + swing * normal)
            if MIRRORED:
                if MODEL == "mean reverting volatility":
                    # the mirrored path has a volatility of its own
                    growth = (RATE - 0.5 * mirrored_level * mirrored_level) * dt
                    swing = mirrored_level * wp.sqrt(dt)
                    mirrored_level += (
                        REVERSION * (vol - mirrored_level) * dt + LEVERAGE * vol * wp.sqrt(dt) * normal
                    )
                    mirrored_level = wp.max(mirrored_level, MIN_VOL)
                mirrored *= wp.exp(growth - swing * normal)
            if MODEL == "jump diffusion":
                if wp.randf(state) < JUMP_RATE * dt:
                    price *= JUMP
                    if MIRRORED:
                        mirrored *= JUMP
            if OPTION == "an Asian call":
                average += price / float(steps)
            elif OPTION == "a lookback put":
                peak = wp.max(peak, price)
            elif OPTION == "an up-and-out call":
                if price > BARRIER:
                    alive = 0.0
                    break
        if OPTION == "a call":
            payoff = wp.max(price - strike[option], 0.0)
            if MIRRORED:
                payoff = 0.5 * (payoff + wp.max(mirrored - strike[option], 0.0))
        elif OPTION == "a put":
            payoff = wp.max(strike[option] - price, 0.0)
            if MIRRORED:
                payoff = 0.5 * (payoff + wp.max(strike[option] - mirrored, 0.0))
        elif OPTION == "an Asian call":
            payoff = wp.max(average - strike[option], 0.0)
        elif OPTION == "a lookback put":
            payoff = peak - price
        elif OPTION == "a digital call":
            payoff = wp.where(price > strike[option], 1.0, 0.0)
        elif OPTION == "a straddle":
            payoff = wp.abs(price - strike[option])
        else:
            payoff = alive * wp.max(price - strike[option], 0.0)
        payoff *= wp.exp(-RATE * dt * float(steps))
        wp.atomic_add(out, option, payoff)
        if SQUARES:
            wp.atomic_add(squares, option, payoff * payoff)


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "p": "p point here",
        "radius": "radius room gap",
        "boundary": "boundary wall_value potential",
        "distance": "distance room_at to_wall",
        "WALKS": "WALKS PATHS SAMPLES",
        "kernel": "solve_laplace_by_walks walk",
    },
)
def walk_on_spheres(c):
    """Estimates {WANTED} in {distance} with {boundary} on the wall, by {WALKS} walks of up to {STEPS}
    steps on {BALLS}{GIVES}.

    Estimate {WANTED} at each of {points} by walk on spheres, as the mean over {WALKS} walks, which goes to
    {out}. All walks of point k draw from one state `wp.rand_init({seed}, k)`, one walk after the other. Each
    starts at the point and ends when the distance R to the wall is below {EPSILON}, or after {STEPS} steps. A
    step leads to {ANY}.

    The distance R from p = {COORDINATES} to the wall is that in {ROOM}. The result of a walk is the boundary
    value at the place where it ends, {VALUE}.{EARNS}{COUNTED}
    """
    n, WALKS, STEPS = c.size(6, 9), c.count(4, 8), c.count(6, 12)
    WANTED = c.meaning("a harmonic function", "a potential with a source", "a screened potential")
    if WANTED != "a harmonic function":
        c.names({"kernel": "solve_by_walks walk walk_on_spheres"})
    GIVES, SPACE = c.meaning("", ", and counts the steps"), c.meaning("the plane", "space")
    BALLS = "circles" if SPACE == "the plane" else "spheres"
    BALL = BALLS.removesuffix("s")
    DIM = 2 if SPACE == "the plane" else 3
    Vec, SOURCE, EPSILON = c.vec(DIM), c.constant(0.5, 2.0), c.style(0.02, 0.05, 0.01)
    SCREENING = c.constant(0.5, 2.0)

    def disk(p: Vec) -> float:
        """the unit disk
        as a distance to its wall."""
        return 1.0 - wp.length(p)

    def square(p: Vec) -> float:
        """a square
        as a distance to its wall."""
        return wp.min(1.0 - wp.abs(p[0]), 1.0 - wp.abs(p[1]))

    def ring(p: Vec) -> float:
        """a ring
        as a distance to the nearer of its two walls."""
        length = wp.length(p)
        return wp.min(1.2 - length, length - 0.1)

    def ball(p: Vec) -> float:
        """the unit ball
        as a distance to its wall."""
        return 1.0 - wp.length(p)

    def box(p: Vec) -> float:
        """a cube
        as a distance to its wall."""
        return 1.0 - wp.max(wp.abs(p))

    def shell(p: Vec) -> float:
        """a shell
        as a distance to the nearer of its two walls."""
        length = wp.length(p)
        return wp.min(1.2 - length, length - 0.1)

    def hot_side(p: Vec) -> float:
        """one hot side
        where x is positive."""
        return wp.where(p[0] > 0.0, 1.0, 0.0)

    def ramp(p: Vec) -> float:
        """a linear ramp
        along x and down y."""
        return 1.0 + p[0] - 0.5 * p[1]

    def saddle(p: Vec) -> float:
        """a saddle
        that rises along x and falls along y."""
        return 1.0 + p[0] * p[0] - p[1] * p[1]

    shapes = (disk, square, ring) if DIM == 2 else (ball, box, shell)
    distance, boundary = c.meaning(*shapes), c.meaning(hot_side, ramp, saddle)
    ROOM = {
        disk: "the unit disk, 1 - |p|",
        square: "the square, min(1 - |x|, 1 - |y|)",
        ring: "the ring, min(1.2 - |p|, |p| - 0.1)",
        ball: "the unit ball, 1 - |p|",
        box: "the cube, 1 - max(|x|, |y|, |z|)",
        shell: "the shell, min(1.2 - |p|, |p| - 0.1)",
    }[distance]
    VALUE = {
        hot_side: "1 where x > 0, and otherwise 0",
        ramp: "1 + x - y/2",
        saddle: "1 + x² - y²",
    }[boundary]
    ANY = "the point of the circle of radius R around it at angle `wp.randf(state, 0, 2π)`"
    if DIM == 3:
        ANY = (
            "the point of the sphere of radius R around it in the direction of a vector of three numbers "
            "from `wp.randn`, in order x, y, z"
        )
    EARNS = ""
    if WANTED == "a potential with a source":
        EARNS = (
            " Each step adds ¼·{SOURCE}·R² to its result."
            if DIM == 2
            else " Each step adds {SOURCE}·R²/6 to its result."
        )
    elif WANTED == "a screened potential":
        EARNS = (
            " The boundary value is divided by 1 + q + ¼·q², q = ¼·{SCREENING}·R², for each step (the "
            "first terms of the Bessel function I₀)."
            if DIM == 2
            else " The boundary value is multiplied by s / sinh(s), s = R·√{SCREENING}, for each step."
        )
    COORDINATES = "(x, y)" if DIM == 2 else "(x, y, z)"
    COUNTED = " {steps} gets the number of steps of all its walks." if GIVES else ""

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = input(n, low=-0.5, high=0.5, of="position"),
        seed: int = input(low=1, high=10000),
        out: wp.array[float] = output(n),
        steps: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        state = wp.rand_init(seed, tid)
        total = float(0.0)
        if GIVES:
            count = int(0)
        for _walk in range(WALKS):
            p = points[tid]
            if WANTED == "a screened potential":
                alive = float(1.0)
            for _step in range(STEPS):
                radius = distance(p)
                if radius < EPSILON:
                    break
                if DIM == 2:
                    angle = wp.randf(state, 0.0, 2.0 * wp.PI)
                    p += radius * Vec(wp.cos(angle), wp.sin(angle))
                else:
                    p += radius * wp.normalize(Vec(wp.randn(state), wp.randn(state), wp.randn(state)))
                if WANTED == "a potential with a source":
                    # what the source adds on the mean way out of the {BALL}
                    if DIM == 2:
                        total += 0.25 * SOURCE * radius * radius
                    else:
                        total += SOURCE * radius * radius / 6.0
                elif WANTED == "a screened potential":
                    # the chance to survive up to the wall of the {BALL}
                    if DIM == 2:
                        q = 0.25 * SCREENING * radius * radius
                        # the first terms of the Bessel function I0
                        alive /= 1.0 + q + 0.25 * q * q
                    else:
                        reach = wp.sqrt(SCREENING) * radius
                        alive *= reach / wp.sinh(reach)
                if GIVES:
                    count += 1
            if WANTED == "a screened potential":
                total += alive * boundary(p)
            else:
                total += boundary(p)
        out[tid] = total / float(WALKS)
        if GIVES:
            steps[tid] = count


@idiom(
    level=3,
    names=NAMES
    | {
        "tid": "tid i item",
        "means": "means mu locations",
        "spreads": "spreads sigma scales",
        "noise": "noise eps z",
        "draw": "draw sample shifted",
        "value": "value f_x score",
        "total": "total acc summed",
        "most": "most worst highest",
        "x": "x v",
        "kernel": "sampled_expectation expected_values estimate_means",
    },
)
def sampled_expectation(c):
    """Estimates the expectation of {f} under {LAW} noise at each {OF} from {SAMPLES}{GIVES}.

    Estimate the expectation of {FORMULA} under {LAW} noise at each location m = `{means}[k]`, from {DRAWS}
    samples. The noise e of a sample is {NOISY}{SPREAD}. The state is {STATE}. The value of a sample is
    {SAMPLE}; {out} gets the mean of the values{MORE}.
    """
    n = c.size()
    LAW = c.meaning("normal", "uniform", "logistic", "exponential")
    WAY = c.meaning("", ", each with its mirror image", ", stratified", ", the same for all")
    if WAY == ", stratified" and LAW == "normal":
        # its distribution has no inverse in closed form
        WAY = ""
    GIVES = c.meaning("", ", with the largest one", ", less its value without noise")
    SCALED = c.meaning(True, False)
    DRAWS = c.count(3, 5)
    SAMPLES, OF = f"{DRAWS} samples{WAY}", "location and spread" if SCALED else "location"
    MIRRORED, STRATIFIED = WAY == ", each with its mirror image", WAY == ", stratified"
    LARGEST, LESS = GIVES == ", with the largest one", GIVES == ", less its value without noise"

    def softplus(x: float) -> float:
        """the softplus log(1 + exp(x))."""
        return wp.log(1.0 + wp.exp(x))

    def quartic(x: float) -> float:
        """the quartic x**4 / 4 - x**2 / 2."""
        return (0.25 * x * x - 0.5) * x * x

    def bump(x: float) -> float:
        """the bell exp(-x * x / 2)."""
        return wp.exp(-0.5 * x * x)

    def hinge(x: float) -> float:
        """the squared hinge max(x, 0)**2."""
        above = wp.max(x, 0.0)
        return above * above

    f = c.meaning(softplus, quartic, bump, hinge)
    FORMULA = {
        softplus: "f(v) = ln(1 + exp(v))",
        quartic: "f(v) = ¼·v⁴ - ½·v²",
        bump: "f(v) = exp(-v²/2)",
        hinge: "f(v) = max(v, 0)²",
    }[f]
    if LAW == "normal":
        NOISY = "a number from `wp.randn`"
    elif LAW == "uniform":
        NOISY = (
            "2·(j + `wp.randf`) / {DRAWS} - 1 for sample j = 0, 1, … (stratified)"
            if STRATIFIED
            else "a number from `wp.randf(state, -1, 1)`"
        )
    else:
        NOISY = "ln(u / (1 - u))" if LAW == "logistic" else "-ln(u)"
        NOISY += (
            " with u = (j + `wp.randf(state, 0.01, 0.99)`) / {DRAWS} for sample j = 0, 1, … (stratified)"
            if STRATIFIED
            else " with u = `wp.randf(state, 0.001, 0.999)`"
        )
    STATE = (
        "`wp.rand_init({seed})`, the same for all k"
        if WAY == ", the same for all"
        else "`wp.rand_init({seed}, k)`"
    )
    SPREAD = ", times `{spreads}[k]`" if SCALED else ""
    SAMPLE = "f(m + e)"
    if MIRRORED:
        SAMPLE = "the mean of f(m + e) and f(m - e)"
    MORE = ", less f(m)" if LESS else ""
    if LARGEST:
        MORE = ", and {largest} the largest of them and of f(m)"

    @c.kernel(n)
    def kernel(
        means: wp.array[float] = input(n, low=-1.0, high=1.0, of="number"),
        spreads: wp.array[float] = input(n, low=0.3, high=0.9),
        seed: int = input(low=1, high=10000),
        out: wp.array[float] = output(n, of="number"),
        largest: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        if WAY == ", the same for all":
            # common random numbers: what differs between two items is not noise
            state = wp.rand_init(seed)
        else:
            state = wp.rand_init(seed, tid)
        centre = means[tid]
        total = float(0.0)
        if LARGEST:
            most = float(f(centre))
        for k in range(DRAWS):
            if LAW == "normal":
                noise = wp.randn(state)
            elif LAW == "uniform" and STRATIFIED:
                noise = 2.0 * (float(k) + wp.randf(state)) / float(DRAWS) - 1.0
            elif LAW == "uniform":
                noise = wp.randf(state, -1.0, 1.0)
            else:
                if STRATIFIED:
                    u = (float(k) + wp.randf(state, 0.01, 0.99)) / float(DRAWS)
                else:
                    u = wp.randf(state, 0.001, 0.999)
                noise = wp.log(u / (1.0 - u)) if LAW == "logistic" else -wp.log(u)
            if SCALED:
                noise *= spreads[tid]
            # it is added to what was drawn, so that derivatives pass through each sample
            value = f(centre + noise)
            if MIRRORED:
                value = 0.5 * (value + f(centre - noise))
            total += value
            if LARGEST:
                most = wp.max(most, value)
        if LESS:
            out[tid] = total / float(DRAWS) - f(centre)
        else:
            out[tid] = total / float(DRAWS)
        if LARGEST:
            largest[tid] = most
