"""Diffusion of heat, dye and chemicals on lines, grids and volumes."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    names={
        "points": "points positions probes",
        "age": "age elapsed times",
        "heat": "heat amounts strength",
        "out": "temperature out warmth",
        "spread": "spread gaussian",
        "width": "width four_dt",
        "offset": "offset away r",
        "response": "response share per_unit",
        "kernel": "spread_heat heat_solution",
    },
)
def instantaneous_source(c):
    """The temperature at {points} in {SPACE} after heat is released at the origin{DRIFT}{WALL}{LOSS}.

    Compute the temperature at points in {SPACE} after heat was released at the origin: for point k, at
    `{points}[k]`, the heat is `{heat}[k]`, and it was released a time t = `{age}[k]` ago. Store the
    temperature in `{out}[k]`.

    One unit of heat gives G = exp(-r² / w) / (π·w){POWER} with w = 4·{DIFFUSIVITY}·t, at distance r.
    {DRIFTS}{MIRROR}{REST}
    """
    n = c.size()
    SPACE, DRIFT = c.meaning("the plane", "space"), c.meaning("", " in a wind")
    WALL = c.meaning("", " over an insulated floor", " over a cold floor")
    EARLIER = () if DRIFT or WALL else (" twice",)
    LOSS = c.meaning("", ", with losses", *EARLIER)
    DIM = 2 if SPACE == "the plane" else 3
    Vec = c.vec(DIM)
    DIFFUSIVITY, LOSS_RATE, DELAY = c.constant(0.2, 0.9), c.constant(0.1, 0.9), c.constant(0.5, 2.0)

    def in_plane(squared: float, width: float) -> float:
        return wp.exp(-squared / width) / (wp.PI * width)

    def in_space(squared: float, width: float) -> float:
        return wp.exp(-squared / width) / wp.pow(wp.PI * width, 1.5)

    spread = in_plane if DIM == 2 else in_space
    POWER = "" if DIM == 2 else "^1.5"
    UP = "y" if DIM == 2 else "z"
    DRIFTS = ""
    if DRIFT:
        DRIFTS = (
            "The wind carries the heat along: the distance is measured from the source moved by "
            "t·{wind}{LEVEL}. "
        )
    LEVEL = " without its {UP}" if WALL else ""
    MIRROR = ""
    if WALL:
        MIRROR = "There is {FLOOR} at {UP} = -1: {SIGN} G for the source's mirror image, at {UP} = -2. "
    FLOOR = "an insulated floor" if "insulated" in WALL else "a cold floor"
    SIGN = "add" if "insulated" in WALL else "subtract"
    REST = "The temperature is the heat times the sum." if WALL else "The temperature is the heat times G."
    if LOSS == ", with losses":
        REST += " Losses multiply it by exp(-{LOSS_RATE}·t)."
    elif LOSS:
        REST = (
            "The same heat had been released there {DELAY} earlier, too: the temperature is the heat times "
            "the sum of G for t and for t + {DELAY}."
        )

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = input(n, low=0.1, high=1.2, of="position"),
        age: wp.array[float] = input(n, low=0.4, high=1.5),
        heat: wp.array[float] = input(n, low=1.0, high=5.0),
        wind: Vec = input(low=0.1, high=0.8),
        out: wp.array[float] = output(n, of="concentration"),
    ):
        tid = wp.tid()
        width = 4.0 * age[tid] * DIFFUSIVITY
        if DRIFT and WALL:
            # the wind blows along the floor
            offset = points[tid] - age[tid] * wind
            offset[DIM - 1] = points[tid][DIM - 1]
        elif DRIFT == " in a wind":
            offset = points[tid] - age[tid] * wind
        else:
            offset = points[tid]
        # the temperature that one unit of heat gives
        response = spread(wp.length_sq(offset), width)
        if WALL:
            # the floor lies one below the source, the image of the source two
            image = offset
            image[DIM - 1] = offset[DIM - 1] + 2.0
            if WALL == " over an insulated floor":
                response += spread(wp.length_sq(image), width)
            else:
                response -= spread(wp.length_sq(image), width)
        if LOSS == ", with losses":
            out[tid] = heat[tid] * response * wp.exp(-LOSS_RATE * age[tid])
        elif LOSS == " twice":
            # the earlier release has spread further
            wider = 4.0 * (age[tid] + DELAY) * DIFFUSIVITY
            out[tid] = heat[tid] * (response + spread(wp.length_sq(offset), wider))
        else:
            out[tid] = heat[tid] * response


@idiom(
    level=3,
    names={
        "u": "u temp heat field",
        "out": "u_new out next_u",
        "laplacian": "laplacian lap diffusion",
        "source": "source_per_step gain_per_step",
        "kernel": "diffuse heat_step step_heat",
        "rows cols": "rows cols | ny nx | height width",
    },
)
def explicit_heat_step(c):
    """An explicit step of the heat equation by the {STENCIL} Laplacian, with {EDGE} edges{SOURCE}.

    Take an explicit step of the heat equation on a grid. With the {STENCIL} Laplacian L of {u}, {SUM},
    {FORMULA}. {EDGES}
    """
    rows, cols = c.size(6, 9), c.size(6, 9)
    EDGE = c.meaning("periodic", "insulated", "fixed")
    STENCIL = c.meaning("five-point", "nine-point")
    SOURCE = c.meaning("", " and sources given per step", " and decay")
    FOURIER, DECAY = c.constant(0.05, 0.24), c.constant(0.01, 0.2)

    def clipped(u: wp.array2d[float], i: int, j: int) -> float:
        return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]

    def wrapped(u: wp.array2d[float], i: int, j: int) -> float:
        return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]

    at = wrapped if EDGE == "periodic" else clipped
    SUM = "the sum of the four side neighbours less 4 times the cell"
    if STENCIL == "nine-point":
        SUM = (
            "(4 times the sum of the four side neighbours, plus the sum of the four corner neighbours, less "
            "20 times the cell) / 6"
        )
    FORMULA = {
        " and sources given per step": "{out} is {u} + {FOURIER}·L + {source}",
        " and decay": "{out} is ({u} + {FOURIER}·L)·(1 - {DECAY})",
    }.get(SOURCE, "{out} is {u} + {FOURIER}·L")
    EDGES = {
        "periodic": "Neighbours wrap around at the edges.",
        "insulated": "The edges are insulated: a neighbour outside the grid counts as the nearest cell "
        "inside it.",
        "fixed": "Cells on the rim of the grid keep their value.",
    }[EDGE]

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        source: wp.array2d[float] = input(rows, cols, low=-0.5, high=0.5, of="residual"),
        out: wp.array2d[float] = output(rows, cols, of="field"),
    ):
        i, j = wp.tid()
        if EDGE == "fixed":
            # the rim keeps its value
            if i == 0 or j == 0 or i == u.shape[0] - 1 or j == u.shape[1] - 1:
                out[i, j] = u[i, j]
                return
            sides = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            if STENCIL == "nine-point":
                corners = u[i - 1, j - 1] + u[i - 1, j + 1] + u[i + 1, j - 1] + u[i + 1, j + 1]
        else:
            sides = at(u, i - 1, j) + at(u, i + 1, j) + at(u, i, j - 1) + at(u, i, j + 1)
            if STENCIL == "nine-point":
                corners = (
                    at(u, i - 1, j - 1) + at(u, i - 1, j + 1) + at(u, i + 1, j - 1) + at(u, i + 1, j + 1)
                )
        if STENCIL == "nine-point":
            laplacian = (4.0 * sides + corners - 20.0 * u[i, j]) / 6.0
        else:
            laplacian = sides - 4.0 * u[i, j]
        if SOURCE == " and sources given per step":
            out[i, j] = u[i, j] + FOURIER * laplacian + source[i, j]
        elif SOURCE == " and decay":
            out[i, j] = (u[i, j] + FOURIER * laplacian) * (1.0 - DECAY)
        else:
            out[i, j] = u[i, j] + FOURIER * laplacian


@idiom(
    level=3,
    differentiable=False,
    names={
        "T": "temperature T plate temp",
        "power": "power sources heat_in",
        "loss": "loss cooling lost",
        "excess": "excess difference dT",
        "COOLING": "COOLING COOLING_RATE",
        "RADIATION": "RADIATION RADIATIVE_RATE",
        "heating": "heating gain added",
        "kernel": "cool_plate cool lose_heat",
        "dt": "dt time_step",
    },
)
def plate_cooling(c):
    """Cools {HEATED} in place by {BY} for {SCHEME} step{LIMIT}.

    Cool {HOT} in place for one {NAMED} step of {dt}. Each cell of temperature q changes at rate {RATE},
    with the ambient temperature {ambient}. {STAGE}{LIMITS}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    SCHEME = c.meaning("an Euler", "a midpoint")
    HEATED = c.meaning("a plate", "a heated plate", "a plate heated inside its rim")
    RIM = () if HEATED == "a plate heated inside its rim" else (", with a fixed rim",)
    WARM, OFF = ", where it is warmer than its surroundings", ", its heater off above a limit"
    LIMIT = c.meaning("", WARM if HEATED == "a plate" else OFF, *RIM)
    COOLING, RADIATION, WARMEST = c.constant(1.0, 3.0), c.constant(0.1, 0.15), c.constant(1.3, 1.7)
    if HEATED != "a plate":
        c.names({"kernel": "heat_plate plate_step step_plate"})

    def newton(temperature: float, ambient: float) -> float:
        return COOLING * (temperature - ambient)

    def radiation(temperature: float, ambient: float) -> float:
        return RADIATION * (wp.pow(temperature, 4.0) - wp.pow(ambient, 4.0))

    def convection(temperature: float, ambient: float) -> float:
        # the warmer the plate, the faster the air along it rises
        excess = temperature - ambient
        return COOLING * excess * wp.pow(wp.abs(excess), 0.25)

    LAW = c.meaning(newton, radiation, convection)
    BY = {"newton": "Newton's law", "convection": "natural convection"}.get(LAW.__name__, "radiation")
    HOT = "a plate {T}" if HEATED == "a plate" else "a heated plate {T}"
    NAMED = "Euler" if SCHEME == "an Euler" else "midpoint"
    LOSES = {
        "newton": "{COOLING}·(q - {ambient}) (Newton's law of cooling)",
        "radiation": "{RADIATION}·(q⁴ - {ambient}⁴) (radiation)",
        "convection": "{COOLING}·(q - {ambient})·|q - {ambient}|^0.25 (natural convection)",
    }[LAW.__name__]
    RATE = "-{LOSES}" if HEATED == "a plate" else "its heating less {LOSES}"
    STAGE = ""
    if SCHEME == "a midpoint":
        STAGE = "The rate is that at the temperature which an Euler step of half the length leads to. "
    LIMITS = ""
    if HEATED == "a heated plate":
        LIMITS = "The heating is the cell's {power}{OFF_ABOVE}. "
    elif HEATED != "a plate":
        LIMITS = "The heating is the cell's {power}{OFF_ABOVE}, and zero on the rim of the grid. "
    OFF_ABOVE = ""
    if LIMIT == OFF:
        OFF_ABOVE = ", or zero if the cell is warmer than {WARMEST} before the step"
    if LIMIT == WARM:
        LIMITS += "A cell that is not warmer than its surroundings stays as it is."
    elif "fixed" in LIMIT:
        LIMITS += "Cells on the rim of the grid stay as they are."

    @c.kernel(rows, cols)
    def kernel(
        T: wp.array2d[float] = inout(rows, cols, low=0.8, high=2.0, of="field"),
        power: wp.array2d[float] = input(rows, cols, low=0.2, high=3.0),
        ambient: float = input(low=0.4, high=1.4),
        dt: float = input(low=0.05, high=0.25),
    ):
        i, j = wp.tid()
        if LIMIT == ", with a fixed rim":
            if i == 0 or j == 0 or i == T.shape[0] - 1 or j == T.shape[1] - 1:
                return
        start = T[i, j]
        if LIMIT == WARM:
            if start <= ambient:
                return
        if HEATED == "a heated plate" and LIMIT == OFF:
            heating = wp.where(start > WARMEST, 0.0, power[i, j])
        elif HEATED == "a heated plate":
            heating = power[i, j]
        elif HEATED == "a plate heated inside its rim":
            # none at the rim
            heating = float(0.0)
            if i > 0 and j > 0 and i < T.shape[0] - 1 and j < T.shape[1] - 1:
                if LIMIT != OFF or start <= WARMEST:
                    heating = power[i, j]
        if HEATED == "a plate":
            rate = -LAW(start, ambient)
        else:
            rate = heating - LAW(start, ambient)
        if SCHEME == "a midpoint":
            halfway = start + 0.5 * dt * rate
            if HEATED == "a plate":
                rate = -LAW(halfway, ambient)
            else:
                rate = heating - LAW(halfway, ambient)
        T[i, j] = start + dt * rate


@idiom(
    level=3,
    names={
        "image": "image picture noisy",
        "out": "smoothed out denoised",
        "flow": "flow flux change",
        "conductance": "conductance g stopping diffusivity",
        "contrast": "contrast kappa edge_size",
        "contrasts": "contrasts kappas edge_sizes",
        "kernel": "perona_malik diffuse_image",
    },
)
def edge_preserving_diffusion(c):
    """A Perona-Malik step of a {WHAT} image by {NAME} conductances to {AROUND} neighbours{OWN}{PULL}.

    Smooth a {WHAT} {image} by one step of Perona-Malik diffusion and store it in {out}. A pixel p receives
    {STEP} times the sum of g·(q - p) over {AROUND_IT}, where g = {CONDUCTANCE} ({NAME}) with s = |q - p| /
    {SCALE}{LENGTH}. A neighbour outside the image counts as the nearest pixel inside it.{FIDELITY_TO}
    """
    rows, cols = c.size(6, 8), c.size(6, 8)
    WHAT, AROUND = c.meaning("grey", "colour"), c.meaning("four", "eight")
    PULL = c.meaning("", ", pulled to the original image")
    OWN = c.meaning("", ", with a contrast for each pixel")
    Pixel = c.vec(3) if WHAT == "colour" else float
    STEP, CONTRAST, FIDELITY = c.constant(0.05, 0.12), c.constant(0.2, 0.6), c.constant(0.1, 0.5)

    def lorentzian(ratio: float) -> float:
        return 1.0 / (1.0 + ratio * ratio)

    def gaussian(ratio: float) -> float:
        return wp.exp(-ratio * ratio)

    def charbonnier(ratio: float) -> float:
        return 1.0 / wp.sqrt(1.0 + ratio * ratio)

    def biweight(ratio: float) -> float:
        """None across differences beyond the contrast."""
        rest = wp.max(1.0 - ratio * ratio, 0.0)
        return rest * rest

    conductance = c.meaning(lorentzian, gaussian, charbonnier, biweight)
    NAME = {"biweight": "Tukey biweight"}.get(conductance.__name__, conductance.__name__.title())

    def inflow(image: wp.array2d[Pixel], i: int, j: int, centre: Pixel, contrast: float) -> Pixel:
        """What flows in from one neighbour; outside, the pixels of the edge are repeated."""
        row = wp.clamp(i, 0, image.shape[0] - 1)
        col = wp.clamp(j, 0, image.shape[1] - 1)
        difference = image[row, col] - centre
        if WHAT == "colour":
            return conductance(wp.length(difference) / contrast) * difference
        else:
            return conductance(wp.abs(difference) / contrast) * difference

    def flow_from(image: wp.array2d[Pixel], i: int, j: int, centre: Pixel) -> Pixel:
        """What flows in from one neighbour; outside, the pixels of the edge are repeated."""
        row = wp.clamp(i, 0, image.shape[0] - 1)
        col = wp.clamp(j, 0, image.shape[1] - 1)
        difference = image[row, col] - centre
        if WHAT == "colour":
            return conductance(wp.length(difference) / CONTRAST) * difference
        else:
            return conductance(wp.abs(difference) / CONTRAST) * difference

    CONDUCTANCE = {
        "lorentzian": "1 / (1 + s²)",
        "gaussian": "exp(-s²)",
        "charbonnier": "1 / √(1 + s²)",
        "biweight": "max(1 - s², 0)²",
    }[conductance.__name__]
    LENGTH = ", and |q - p| the length of a difference of colours" if WHAT == "colour" else ""
    SCALE = "the pixel's entry in {contrasts}" if OWN else "{CONTRAST}"
    AROUND_IT = "its four side neighbours q"
    if AROUND == "eight":
        AROUND_IT = "its eight neighbours q, of which the four diagonal ones count half"
    FIDELITY_TO = ""
    if PULL:
        FIDELITY_TO = " To the sum, add {FIDELITY}·(the pixel of {original} less p)."

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = input(rows, cols, low=0.0, high=1.0),
        original: wp.array2d[Pixel] = input(rows, cols, low=0.0, high=1.0, of="colour"),
        contrasts: wp.array2d[float] = input(rows, cols, low=0.2, high=0.6),
        out: wp.array2d[Pixel] = output(rows, cols, of="colour"),
    ):
        i, j = wp.tid()
        centre = image[i, j]
        if OWN:
            contrast = contrasts[i, j]
            flow = inflow(image, i - 1, j, centre, contrast) + inflow(image, i + 1, j, centre, contrast)
            flow += inflow(image, i, j - 1, centre, contrast) + inflow(image, i, j + 1, centre, contrast)
        else:
            flow = flow_from(image, i - 1, j, centre) + flow_from(image, i + 1, j, centre)
            flow += flow_from(image, i, j - 1, centre) + flow_from(image, i, j + 1, centre)
        if AROUND == "eight":
            if OWN:
                corners = inflow(image, i - 1, j - 1, centre, contrast)
                corners += inflow(image, i - 1, j + 1, centre, contrast)
                corners += inflow(image, i + 1, j - 1, centre, contrast)
                corners += inflow(image, i + 1, j + 1, centre, contrast)
            else:
                corners = flow_from(image, i - 1, j - 1, centre) + flow_from(image, i - 1, j + 1, centre)
                corners += flow_from(image, i + 1, j - 1, centre) + flow_from(image, i + 1, j + 1, centre)
            # diagonal neighbours are further off by the root of two
            flow += 0.5 * corners
        if PULL:
            flow += FIDELITY * (original[i, j] - centre)
        out[i, j] = centre + STEP * flow


@idiom(
    level=2,
    names={
        "depth": "depth depths z",
        "age": "age elapsed t",
        "ratio": "ratio eta scaled_depth",
        "reach": "reach diffusion_length spread",
        "out": "out temperature T",
        "kernel": "half_space_heat soil_temperature",
    },
)
def ground_temperature(c):
    """The {WANTED} at each depth below a surface {SURFACE}{GRADIENT}.

    For each point k, compute the {SAID} at the depth q = `{depth}[k]` below a surface {HOW}, at the time τ =
    `{age}[k]`, and store it in `{out}[k]`. The diffusivity is {DIFFUSIVITY}.

    The temperature changes by {CHANGE}. {ANSWER}
    """
    n = c.size()
    SURFACE = c.meaning(
        "after a sudden rise of its temperature",
        "under a constant heat flux",
        "of periodic temperature",
        "under convective cooling",
    )
    WANTED = c.meaning(
        "temperature", "temperature change", "temperature change relative to the undisturbed temperature"
    )
    # a change does not hang on where it started
    GRADIENT = c.meaning("", ", with a geothermal gradient") if WANTED != "temperature change" else ""
    DIFFUSIVITY, HEAT, LOSS = c.constant(0.3, 0.9), c.constant(1.0, 5.0), c.constant(0.3, 0.9)
    AMPLITUDE = c.constant(1.0, 5.0)
    if WANTED != "temperature":
        WORDS = "changes dT" if WANTED == "temperature change" else "relative_change ratios"
        c.names({"out": f"out {WORDS}", "kernel": "half_space_response surface_response"})
    SLOPE, START = c.constant(0.2, 0.9), c.constant(3.0, 9.0)

    def warmed(z: float, t: float) -> float:
        return AMPLITUDE * wp.erfc(z / (2.0 * wp.sqrt(DIFFUSIVITY * t)))

    def heated(z: float, t: float) -> float:
        reach = wp.sqrt(DIFFUSIVITY * t)
        ratio = z / (2.0 * reach)
        return 2.0 * HEAT * reach * (wp.exp(-ratio * ratio) / wp.sqrt(wp.PI) - ratio * wp.erfc(ratio))

    def swinging(z: float, t: float) -> float:
        # a radian in a unit of time; deeper down the wave is weaker and comes later
        reach = wp.sqrt(2.0 * DIFFUSIVITY)
        return AMPLITUDE * wp.exp(-z / reach) * wp.cos(t - z / reach)

    def cooled(z: float, t: float) -> float:
        reach = wp.sqrt(DIFFUSIVITY * t)
        ratio = z / (2.0 * reach)
        film = wp.exp(LOSS * z + LOSS * LOSS * reach * reach) * wp.erfc(ratio + LOSS * reach)
        return -AMPLITUDE * (wp.erfc(ratio) - film)

    FORMS = {
        "after a sudden rise of its temperature": warmed,
        "under a constant heat flux": heated,
        "of periodic temperature": swinging,
    }
    response = FORMS.get(SURFACE, cooled)
    SAID = {
        "temperature": "temperature",
        "temperature change": "change of temperature",
    }.get(WANTED, "relative change of temperature")
    HOW = {
        "after a sudden rise of its temperature": "whose temperature rises by {AMPLITUDE} at τ = 0",
        "under a constant heat flux": "that receives a constant heat flux of {HEAT} from τ = 0 on (with a "
        "conductivity of 1)",
        "of periodic temperature": "whose temperature swings with amplitude {AMPLITUDE}, a radian in a "
        "unit of time",
    }.get(SURFACE, "that is cooled by convection from τ = 0 on, by surroundings colder by {AMPLITUDE}")
    CHANGE = {
        "after a sudden rise of its temperature": "{AMPLITUDE}·erfc(q / (2·√({DIFFUSIVITY}·τ)))",
        "under a constant heat flux": "2·{HEAT}·h·(exp(-s²) / √π - s·erfc(s)) with h = √({DIFFUSIVITY}·τ) "
        "and s = q / (2·h)",
        "of periodic temperature": "{AMPLITUDE}·exp(-q / h)·cos(τ - q / h) with h = √(2·{DIFFUSIVITY})",
    }.get(
        SURFACE,
        "-{AMPLITUDE}·(erfc(s) - exp({LOSS}·q + {LOSS}²·h²)·erfc(s + {LOSS}·h)) with h = "
        "√({DIFFUSIVITY}·τ) and s = q / (2·h)",
    )
    BEFORE = "{START} + {SLOPE}·q" if GRADIENT else "{START}"
    ANSWER = {
        "temperature": "Add that to the undisturbed temperature, {BEFORE}.",
        "temperature change": "",
    }.get(WANTED, "Divide that by the undisturbed temperature, {BEFORE}.")

    @c.kernel(n)
    def kernel(
        depth: wp.array[float] = input(n, low=0.1, high=1.5),
        age: wp.array[float] = input(n, low=0.5, high=3.0),
        out: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        change = response(depth[tid], age[tid])
        if WANTED == "temperature change":
            out[tid] = change
        else:
            if GRADIENT:
                undisturbed = START + SLOPE * depth[tid]
            else:
                undisturbed = START
            if WANTED == "temperature":
                out[tid] = undisturbed + change
            else:
                out[tid] = change / undisturbed
