"""What spreads: heat, dye and chemicals on lines, grids and volumes."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


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
        "kernel": "spread_heat heat_solution",
    },
)
def instantaneous_source(c):
    """The heat at {points} in {SPACE} after a burst, with {DRIFT}, {WALL} and {LOSS}."""
    n = c.size()
    SPACE, DRIFT = c.meaning("the plane", "space"), c.meaning("no wind", "a wind")
    WALL = c.meaning("no floor", "an insulated floor", "a cold floor")
    LOSS = c.meaning("no loss", "losses", "a second burst")
    DIM = 2 if SPACE == "the plane" else 3
    Vec = c.vec(DIM)
    DIFFUSIVITY, LOSS_RATE, DELAY = c.constant(0.2, 0.9), c.constant(0.1, 0.9), c.constant(0.5, 2.0)

    def flat(squared: float, width: float) -> float:
        return wp.exp(-squared / width) / (wp.PI * width)

    def deep(squared: float, width: float) -> float:
        return wp.exp(-squared / width) / wp.pow(wp.PI * width, 1.5)

    spread = flat if DIM == 2 else deep

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = given(n, low=0.1, high=1.2, of="position"),
        age: wp.array[float] = given(n, low=0.4, high=1.5),
        heat: wp.array[float] = given(n, low=1.0, high=5.0),
        wind: Vec = given(low=0.1, high=0.8),
        out: wp.array[float] = result(n, of="concentration"),
    ):
        tid = wp.tid()
        width = 4.0 * DIFFUSIVITY * age[tid]
        if DRIFT == "a wind":
            offset = points[tid] - age[tid] * wind
        else:
            offset = points[tid]
        total = spread(wp.length_sq(offset), width)
        if WALL != "no floor":
            # the floor lies one below the source, and its image two
            image = offset
            image[DIM - 1] = offset[DIM - 1] + 2.0
            if WALL == "an insulated floor":
                total += spread(wp.length_sq(image), width)
            else:
                total -= spread(wp.length_sq(image), width)
        if LOSS == "losses":
            out[tid] = heat[tid] * total * wp.exp(-LOSS_RATE * age[tid])
        elif LOSS == "a second burst":
            later = 4.0 * DIFFUSIVITY * (age[tid] + DELAY)
            out[tid] = heat[tid] * (total + spread(wp.length_sq(offset), later))
        else:
            out[tid] = heat[tid] * total


@idiom(
    level=3,
    names={
        "u": "u temp heat field",
        "out": "u_new out next_u",
        "laplacian": "laplacian lap diffusion",
        "kernel": "diffuse heat_step step_heat",
        "rows cols": "rows cols | ny nx | height width",
    },
)
def explicit_heat_step(c):
    """A step of the heat equation with {EDGE} edges, the {STENCIL} Laplacian and {SOURCE}."""
    rows, cols = c.size(6, 9), c.size(6, 9)
    EDGE = c.meaning("periodic", "insulated", "fixed")
    STENCIL = c.meaning("five-point", "nine-point")
    SOURCE = c.meaning("no sources", "sources", "decay")
    RATE, DECAY = c.constant(0.05, 0.24), c.constant(0.01, 0.2)

    def clipped(u: wp.array2d[float], i: int, j: int) -> float:
        return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]

    def wrapped(u: wp.array2d[float], i: int, j: int) -> float:
        return u[(i + u.shape[0]) % u.shape[0], (j + u.shape[1]) % u.shape[1]]

    at = wrapped if EDGE == "periodic" else clipped

    @c.kernel(rows, cols)
    def kernel(
        u: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        source: wp.array2d[float] = given(rows, cols, low=-0.5, high=0.5, of="residual"),
        out: wp.array2d[float] = result(rows, cols, of="field"),
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
        if SOURCE == "sources":
            out[i, j] = u[i, j] + RATE * laplacian + source[i, j]
        elif SOURCE == "decay":
            out[i, j] = (u[i, j] + RATE * laplacian) * (1.0 - DECAY)
        else:
            out[i, j] = u[i, j] + RATE * laplacian


@idiom(
    level=3,
    names={
        "T": "temperature T plate temp",
        "power": "power heating heat_in",
        "loss": "loss cooling lost",
        "excess": "excess difference dT",
        "kernel": "cool_plate cool lose_heat",
        "dt": "dt time_step",
    },
)
def plate_cooling(c):
    """Cools {HEATED} plate in place by {LAW} in {SCHEME} steps{LIMIT}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    SCHEME, HEATED = c.meaning("Euler", "midpoint"), c.meaning("an unheated", "a heated", "a core-heated")
    LIMIT = c.meaning("", ", never below the surroundings", " that stop at a frozen rim")
    COEFFICIENT, EMISSIVITY = c.constant(0.5, 3.0), c.constant(0.2, 0.9)

    def newton(temperature: float, ambient: float) -> float:
        """Newton's law"""
        return COEFFICIENT * (temperature - ambient)

    def radiation(temperature: float, ambient: float) -> float:
        return EMISSIVITY * (wp.pow(temperature, 4.0) - wp.pow(ambient, 4.0))

    def convection(temperature: float, ambient: float) -> float:
        """natural convection"""
        excess = temperature - ambient
        return COEFFICIENT * excess * wp.pow(wp.abs(excess), 0.25)

    LAW = c.meaning(newton, radiation, convection)

    @c.kernel(rows, cols)
    def kernel(
        T: wp.array2d[float] = updated(rows, cols, low=0.8, high=2.0, of="field"),
        power: wp.array2d[float] = given(rows, cols, low=0.2, high=3.0, of="field"),
        ambient: float = given(low=0.6, high=1.4),
        dt: float = given(low=0.04, high=0.12),
    ):
        i, j = wp.tid()
        if LIMIT == " that stop at a frozen rim":
            if i == 0 or j == 0 or i == T.shape[0] - 1 or j == T.shape[1] - 1:
                return
        start = T[i, j]
        rate = -LAW(start, ambient)
        if SCHEME == "midpoint":
            halfway = start + 0.5 * dt * rate
            rate = -LAW(halfway, ambient)
        if HEATED == "a heated":
            rate += power[i, j]
        elif HEATED == "a core-heated":
            if i > 0 and j > 0 and i < T.shape[0] - 1 and j < T.shape[1] - 1:
                rate += power[i, j]
        if LIMIT == ", never below the surroundings":
            T[i, j] = wp.max(start + dt * rate, ambient)
        else:
            T[i, j] = start + dt * rate


@idiom(
    level=3,
    names={
        "image": "image picture noisy",
        "out": "smoothed out denoised",
        "flow": "flow flux change",
        "conductance": "conductance g stopping diffusivity",
        "kernel": "perona_malik diffuse_image",
    },
)
def edge_preserving_diffusion(c):
    """A Perona-Malik step on a {WHAT} image with {AROUND} neighbours{PULL}, {conductance} conductance."""
    rows, cols = c.size(6, 8), c.size(6, 8)
    WHAT, AROUND = c.meaning("grey", "colour"), c.meaning("four", "eight")
    PULL = c.meaning("", " and fidelity")
    Pixel = c.vec(3) if WHAT == "colour" else float
    STEP, CONTRAST, FIDELITY = c.constant(0.05, 0.12), c.constant(0.2, 0.9), c.constant(0.1, 0.5)

    def lorentzian(ratio: float) -> float:
        return 1.0 / (1.0 + ratio * ratio)

    def gaussian(ratio: float) -> float:
        return wp.exp(-ratio * ratio)

    def charbonnier(ratio: float) -> float:
        return 1.0 / wp.sqrt(1.0 + ratio * ratio)

    def biweight(ratio: float) -> float:
        rest = wp.max(1.0 - ratio * ratio, 0.0)
        return rest * rest

    conductance = c.meaning(lorentzian, gaussian, charbonnier, biweight)

    def inflow(image: wp.array2d[Pixel], i: int, j: int, centre: Pixel) -> Pixel:
        """What flows in from one neighbour; none from outside."""
        row = wp.clamp(i, 0, image.shape[0] - 1)
        col = wp.clamp(j, 0, image.shape[1] - 1)
        difference = image[row, col] - centre
        if WHAT == "colour":
            return conductance(wp.length(difference) / CONTRAST) * difference
        else:
            return conductance(wp.abs(difference) / CONTRAST) * difference

    @c.kernel(rows, cols)
    def kernel(
        image: wp.array2d[Pixel] = given(rows, cols, low=0.0, high=1.0),
        original: wp.array2d[Pixel] = given(rows, cols, low=0.0, high=1.0, of="colour"),
        out: wp.array2d[Pixel] = result(rows, cols, of="colour"),
    ):
        i, j = wp.tid()
        centre = image[i, j]
        if AROUND == "four":
            flow = inflow(image, i - 1, j, centre) + inflow(image, i + 1, j, centre)
            flow += inflow(image, i, j - 1, centre) + inflow(image, i, j + 1, centre)
        else:
            flow = Pixel(0.0)
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        # a diagonal neighbour is further off by the root of two
                        flow += inflow(image, i + di, j + dj, centre) / float(di * di + dj * dj)
        if PULL:
            flow += FIDELITY * (original[i, j] - centre)
        out[i, j] = centre + STEP * flow


@idiom(
    level=4,
    names={
        "a b": "a b | u v | activator inhibitor",
        "a_out b_out": "a_out b_out | u_new v_new | next_a next_b",
        "state": "state both here",
        "rates": "rates reaction_rate change",
        "p": "p params model",
        "kernel": "grow_pattern reaction_step turing_step",
        "dt": "dt time_step",
    },
)
def reaction_diffusion_step(c):
    """Steps two chemicals by {REACTION}: {EDGE} edges, {STENCIL}, {FEED}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    EDGE, STENCIL = c.meaning("periodic", "closed"), c.meaning("five points", "nine points")
    FEED = c.meaning("no mask", "a mask", "no negatives")

    class Params:
        spread_a: float
        spread_b: float
        feed: float
        kill: float

    def gray_scott(a: float, b: float, p: Params) -> wp.vec2:
        """Gray-Scott kinetics."""
        eaten = a * b * b
        return wp.vec2(p.feed * (1.0 - a) - eaten, eaten - (p.feed + p.kill) * b)

    def brusselator(a: float, b: float, p: Params) -> wp.vec2:
        """Brusselator kinetics."""
        made = a * a * b
        return wp.vec2(p.feed - (1.0 + p.kill) * a + made, p.kill * a - made)

    def fitzhugh_nagumo(a: float, b: float, p: Params) -> wp.vec2:
        """FitzHugh-Nagumo kinetics."""
        return wp.vec2(a - a * a * a - b + p.feed, p.kill * (a - b))

    def schnakenberg(a: float, b: float, p: Params) -> wp.vec2:
        """Schnakenberg kinetics."""
        made = a * a * b
        return wp.vec2(p.feed - a + made, p.kill - made)

    REACTION = c.meaning(gray_scott, brusselator, fitzhugh_nagumo, schnakenberg)

    def at(field: wp.array2d[float], i: int, j: int) -> float:
        rows = field.shape[0]
        cols = field.shape[1]
        if EDGE == "periodic":
            return field[(i + rows) % rows, (j + cols) % cols]
        else:
            return field[wp.clamp(i, 0, rows - 1), wp.clamp(j, 0, cols - 1)]

    def laplacian(field: wp.array2d[float], i: int, j: int) -> float:
        sides = at(field, i - 1, j) + at(field, i + 1, j) + at(field, i, j - 1) + at(field, i, j + 1)
        if STENCIL == "nine points":
            above = at(field, i - 1, j - 1) + at(field, i - 1, j + 1)
            below = at(field, i + 1, j - 1) + at(field, i + 1, j + 1)
            return 0.2 * sides + 0.05 * (above + below) - field[i, j]
        else:
            return sides - 4.0 * field[i, j]

    @c.kernel(rows, cols)
    def kernel(
        a: wp.array2d[float] = given(rows, cols, low=0.2, high=1.0),
        b: wp.array2d[float] = given(rows, cols, low=0.1, high=0.8),
        mask: wp.array2d[int] = given(rows, cols, low=0, high=1),
        p: Params = given(low=0.2, high=0.9),
        dt: float = given(low=0.1, high=0.2),
        a_out: wp.array2d[float] = result(rows, cols, of="field"),
        b_out: wp.array2d[float] = result(rows, cols, of="concentration"),
    ):
        i, j = wp.tid()
        rates = REACTION(a[i, j], b[i, j], p)
        if FEED == "a mask":
            # outside of the mask nothing reacts
            if mask[i, j] == 0:
                rates = wp.vec2(0.0, 0.0)
        a_new = a[i, j] + dt * (p.spread_a * laplacian(a, i, j) + rates[0])
        b_new = b[i, j] + dt * (p.spread_b * laplacian(b, i, j) + rates[1])
        if FEED == "no negatives":
            a_out[i, j] = wp.max(a_new, 0.0)
            b_out[i, j] = wp.max(b_new, 0.0)
        else:
            a_out[i, j] = a_new
            b_out[i, j] = b_new


@idiom(
    level=4,
    names={
        "u": "temperature T u",
        "label": "label material_ids cell_kind",
        "materials": "materials table palette",
        "out": "out next_T warmed",
        "heat": "heat gained total",
        "own": "own cell mine",
        "other": "other neighbour beside",
        "here": "here centre own_T",
        "inflow": "inflow exchange flux_from",
        "between": "between face_mean face_conductivity",
        "total": "total sums both",
        "side": "side step offset",
        "a b": "a b | k0 k1 | near far",
        "kernel": "conduct heat_volume",
        "i j k": "i j k | ix iy iz",
    },
)
def composite_conduction(c):
    """{STEP} heat in a {GLOW}block of {materials}: {MEAN} means at the faces, {EDGE} sides."""
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    kinds = c.size(3, 4)
    STEP, GLOW = c.meaning("Conducts", "Balances"), c.meaning("", "glowing ")
    MEAN, EDGE = c.meaning("harmonic", "plain", "geometric"), c.meaning("closed", "cooled")
    RATE, AMBIENT = c.constant(0.05, 0.15), c.constant(0.2, 0.8)

    class Material:
        conductivity: float
        if STEP == "Conducts":
            capacity: float
        if GLOW:
            glow: float

    def between(a: float, b: float) -> float:
        """The conductivity of the face between two cells."""
        if MEAN == "harmonic":
            return 2.0 * a * b / (a + b)
        elif MEAN == "plain":
            return 0.5 * (a + b)
        else:
            return wp.sqrt(a * b)

    def inflow(
        u: wp.array3d[float],
        label: wp.array3d[int],
        materials: wp.array[Material],
        own: Material,
        i: int,
        j: int,
        k: int,
    ) -> wp.vec2:
        if EDGE == "cooled":
            if i < 0 or j < 0 or k < 0 or i >= u.shape[0] or j >= u.shape[1] or k >= u.shape[2]:
                return own.conductivity * wp.vec2(1.0, AMBIENT)
            other = materials[label[i, j, k]]
            return between(own.conductivity, other.conductivity) * wp.vec2(1.0, u[i, j, k])
        else:
            x = wp.clamp(i, 0, u.shape[0] - 1)
            y = wp.clamp(j, 0, u.shape[1] - 1)
            z = wp.clamp(k, 0, u.shape[2] - 1)
            other = materials[label[x, y, z]]
            return between(own.conductivity, other.conductivity) * wp.vec2(1.0, u[x, y, z])

    @c.kernel(nx, ny, nz)
    def kernel(
        u: wp.array3d[float] = given(nx, ny, nz, low=0.0, high=2.0),
        label: wp.array3d[int] = given(nx, ny, nz, low=0, high=kinds - 1),
        materials: wp.array[Material] = given(kinds, low=0.3, high=2.0),
        out: wp.array3d[float] = result(nx, ny, nz),
    ):
        i, j, k = wp.tid()
        own = materials[label[i, j, k]]
        # first the sum of weights, then that of weighted temperatures
        total = wp.vec2(0.0, 0.0)
        for side in range(-1, 2, 2):
            total += inflow(u, label, materials, own, i + side, j, k)
            total += inflow(u, label, materials, own, i, j + side, k)
            total += inflow(u, label, materials, own, i, j, k + side)
        if STEP == "Balances":
            if GLOW:
                out[i, j, k] = (total[1] + own.glow) / total[0]
            else:
                out[i, j, k] = total[1] / total[0]
        else:
            heat = total[1] - total[0] * u[i, j, k]
            if GLOW:
                heat += own.glow
            out[i, j, k] = u[i, j, k] + RATE * heat / own.capacity


@idiom(
    level=5,
    names={
        "u": "u temperature T",
        "faces": "faces conductance exchange",
        "capacity": "capacity heat_capacity mass",
        "row": "row line j",
        "left right": "left right | west east | lower upper",
        "load": "load known right_side",
        "before": "before value reduced",
        "behind here": "behind here | previous current",
        "last": "last end rim",
        "slope": "slope multiplier ratio",
        "pivot": "pivot denominator beta",
        "diagonal": "diagonal middle diag",
        "k": "k x col",
        "kernel": "adi_sweep implicit_sweep solve_rows thomas_rows",
    },
)
def alternating_direction_sweep(c):
    """Takes {SCHEME} heat step in place along each {LOSS}row{MASS}, with {ENDS} ends."""
    rows, cols = c.size(6, 8), c.size(6, 9)
    SCHEME = c.meaning("an implicit", "a Crank-Nicolson", "a Douglas")
    ENDS, LOSS = c.meaning("fixed", "insulated", "cooled"), c.meaning("", "leaky ")
    MASS = c.meaning("", " of uneven capacity")
    BIOT, AMBIENT, LEAK = c.constant(0.1, 0.9), c.constant(0.2, 0.9), c.constant(0.1, 0.5)

    @c.kernel(rows)
    def kernel(
        u: wp.array2d[float] = updated(rows, cols, low=0.0, high=2.0),
        faces: wp.array2d[float] = updated(rows, cols, low=0.3, high=1.5),
        across: wp.array2d[float] = given(rows, cols, low=-0.5, high=0.5),
        capacity: wp.array2d[float] = given(rows, cols, low=0.5, high=2.0),
    ):
        row = wp.tid()
        last = u.shape[1] - 1
        left = float(0.0)
        slope = float(0.0)
        before = float(0.0)
        if SCHEME == "a Crank-Nicolson":
            behind = float(u[row, 0])
        for k in range(u.shape[1]):
            # nothing passes the right end
            if SCHEME == "a Crank-Nicolson":
                right = wp.where(k < last, 0.5 * faces[row, k], 0.0)
            else:
                right = wp.where(k < last, faces[row, k], 0.0)
            here = u[row, k]
            if MASS:
                load = capacity[row, k] * here
                diagonal = capacity[row, k] + left + right
            else:
                load = here
                diagonal = 1.0 + left + right
            if SCHEME == "a Crank-Nicolson":
                ahead = u[row, wp.min(k + 1, last)]
                load += right * (ahead - here) - left * (here - behind)
                behind = here
            elif SCHEME == "a Douglas":
                load += across[row, k]
            if LOSS:
                diagonal += LEAK
            if ENDS == "cooled" and (k == 0 or k == last):
                diagonal += BIOT
                load += BIOT * AMBIENT
            pivot = diagonal - left * slope
            slope = right / pivot
            before = (load + left * before) / pivot
            if ENDS == "fixed" and (k == 0 or k == last):
                slope = 0.0
                before = here
            faces[row, k] = slope
            u[row, k] = before
            left = right
        # back substitution
        for k in range(last - 1, -1, -1):
            before = u[row, k] + faces[row, k] * before
            u[row, k] = before
