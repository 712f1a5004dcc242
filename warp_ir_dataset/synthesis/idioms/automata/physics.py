"""Lattice models of physics: spins on a checkerboard, sand piles."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "i j": "i j | row col | y x",
        "north south": "north south | up down",
        "colour": "colour parity",
        "beta": "beta inverse_temperature inv_t",
        "local": "local local_field h_local",
        "energy": "energy energy_sum",
        "kernel": "sweep_spins update_sublattice",
    },
)
def ising_checkerboard(c):
    """A {UPDATE} sweep over one colour of a {MODEL} checkerboard with {BORDER} borders and {BONDS}{FIELD};
    {TALLY}.

    Do a {UPDATE} sweep over one colour of a checkerboard of {MODEL} spins. {spins} holds the spins of this
    colour, whose number is {colour}, and {others} the spins of the other colour, with rows packed to half
    their length. Site (i, j) has the neighbours (i - 1, j), (i + 1, j), (i, j) and (i, j') of {others}, where
    j' is j + 1 if i + {colour} is odd and j - 1 if it is even. {OUTSIDE} {VALUES}

    The local field h is {SUM}{OUTER}. Draw random numbers from the stream wp.rand_init({seed}, index) with
    the row-major index of the site in {spins}. {RULE} {spins} gets the new spins, in place. {TALLIED}
    """
    rows, half = 2 * c.size(3, 4), c.size(4, 5)
    BORDER = c.meaning("periodic", "free", "cylindrical")
    MODEL = c.meaning("site-diluted Ising", "Blume-Capel")
    UPDATE = c.meaning("Metropolis", "heat-bath")
    TALLY = c.meaning(
        "sums the energy, magnetization and flips of that colour",
        "keeps local fields and counts of flips",
    )
    BONDS = c.meaning("equal bonds", "random bonds", "anisotropic bonds")
    FIELD = c.meaning("", " in a field", " in random fields")
    J, J_ROW, J_COL, CRYSTAL = (
        c.constant(0.5, 1.5),
        c.constant(0.2, 2.0),
        c.constant(0.2, 2.0),
        c.constant(0.2, 1.0),
    )
    if MODEL == "Blume-Capel":
        c.names({"kernel": "sweep_spins update_sublattice blume_capel_sweep"})
    OUTSIDE = {
        "periodic": "The lattice is periodic in both directions.",
        "free": "Beyond the borders there are no neighbours.",
        "cylindrical": (
            "Rows wrap around, from the last to the first, but beyond the ends of a row there are no "
            "neighbours."
        ),
    }[BORDER]
    VALUES = "Spins are -1, 0 or 1."
    if MODEL == "site-diluted Ising":
        VALUES = "Spins are -1 or 1; a site with 0 is empty, stays so and {EMPTY}."
    EMPTY = "does not count in any sum" if TALLY[:4] == "sums" else "has a local field of 0"
    SUM = {
        "equal bonds": "{J} times the sum of the four neighbours",
        "random bonds": (
            "the sum of the four neighbours, in the order above, each times its bond in `{bonds}[i, j, "
            "0]` to "
            "`{bonds}[i, j, 3]`"
        ),
        "anisotropic bonds": (
            "{J_ROW} times the sum of the two neighbours in row i plus {J_COL} times that of the other two"
        ),
    }[BONDS]
    OUTER = {"": "", " in a field": ", plus {field}", " in random fields": ", plus `{fields}[i, j]`"}[FIELD]
    RULE = (
        "Propose to flip the spin s, which changes the energy by E = 2·h·s, and accept if a uniform "
        "number (wp.randf) is "
        "below exp(-{beta}·E)."
    )
    if UPDATE == "heat-bath":
        RULE = (
            "The spin becomes 1 if a uniform number (wp.randf) is below 1 / (1 + exp(-2·{beta}·h)), and -1 "
            "otherwise."
        )
        if MODEL == "Blume-Capel":
            RULE = (
                "The states 1, -1 and 0 have the weights U = exp({beta}·(h - {CRYSTAL})), D = "
                "exp(-{beta}·(h + "
                "{CRYSTAL})) and 1. With a uniform number (wp.randf) times U + D + 1, the spin becomes 1 "
                "below U, -1 "
                "below U + D, else 0."
            )
    elif MODEL == "Blume-Capel":
        RULE = (
            "Draw 0 or 1 by wp.randi: in the cycle -1, 0, 1, the proposed spin t is the one after the "
            "spin s for 0, and "
            "the one before it for 1. It changes the energy by E = {CRYSTAL}·(t² - s²) - h·(t - s). "
            "Accept it if a "
            "uniform number, drawn after that (wp.randf), is below exp(-{beta}·E)."
        )
    TALLIED = "{fields_out} gets h, and {flips} grows by 1 for a site whose spin changed."
    if TALLY[:4] == "sums":
        TALLIED = (
            "Over all sites of the colour, add up -h·s{CAPEL} of the new spins s in {energy} and s in "
            "{magnetization}, and "
            "count the spins that changed in {changed}."
        )
    CAPEL = " + {CRYSTAL}·s²" if MODEL == "Blume-Capel" else ""

    @c.kernel(rows, half)
    def kernel(
        others: wp.array2d[int] = input(rows, half, low=-1, high=1),
        colour: int = input(low=0, high=1),
        bonds: wp.array3d[float] = input(rows, half, 4, low=-1.0, high=1.0),
        fields: wp.array2d[float] = input(rows, half, low=-1.0, high=1.0),
        field: float = input(low=-1.0, high=1.0),
        beta: float = input(low=0.3, high=1.5),
        seed: int = input(low=1, high=10000),
        spins: wp.array2d[int] = inout(rows, half, low=-1, high=1),
        energy: wp.array[float] = output(1),
        magnetization: wp.array[int] = output(1),
        changed: wp.array[int] = output(1),
        flips: wp.array2d[int] = inout(rows, half, low=0, high=9),
        fields_out: wp.array2d[float] = output(rows, half),
    ):
        i, j = wp.tid()
        rows = spins.shape[0]
        half = spins.shape[1]
        spin = spins[i, j]
        if MODEL == "site-diluted Ising":
            # an empty site
            if spin == 0:
                if "local fields" in TALLY:
                    fields_out[i, j] = 0.0
                return
        # rows are packed: of the two neighbours beside a site one has its index, one the next or the previous
        beside = j + 2 * ((i + colour) % 2) - 1
        if BORDER == "free":
            north = int(0)
            south = int(0)
            if i > 0:
                north = others[i - 1, j]
            if i < rows - 1:
                south = others[i + 1, j]
        else:
            above = (i + rows - 1) % rows
            below = (i + 1) % rows
            north = others[above, j]
            south = others[below, j]
        across = others[i, j]
        if BORDER == "periodic":
            beside_it = others[i, (beside + half) % half]
        else:
            beside_it = int(0)
            if beside >= 0 and beside < half:
                beside_it = others[i, beside]
        if BONDS == "equal bonds":
            local = J * float(north + south + across + beside_it)
        elif BONDS == "anisotropic bonds":
            local = J_ROW * float(across + beside_it) + J_COL * float(north + south)
        else:
            local = bonds[i, j, 0] * float(north) + bonds[i, j, 1] * float(south)
            local += bonds[i, j, 2] * float(across) + bonds[i, j, 3] * float(beside_it)
        if FIELD == " in a field":
            local += field
        elif FIELD:
            local += fields[i, j]
        state = wp.rand_init(seed, i * half + j)
        if UPDATE == "heat-bath":
            if MODEL == "Blume-Capel":
                # weights of spin up, spin down and spin zero
                up = wp.exp(beta * (local - CRYSTAL))
                down = wp.exp(-beta * (local + CRYSTAL))
                drawn = wp.randf(state) * (up + down + 1.0)
                trial = int(0)
                if drawn < up:
                    trial = 1
                elif drawn < up + down:
                    trial = -1
            else:
                up = 1.0 / (1.0 + wp.exp(-2.0 * beta * local))
                trial = -1
                if wp.randf(state) < up:
                    trial = 1
        else:
            if MODEL == "Blume-Capel":
                # one of the two other states
                trial = (spin + 2 + wp.randi(state, 0, 2)) % 3 - 1
                change = CRYSTAL * float(trial * trial - spin * spin) - local * float(trial - spin)
            else:
                trial = -spin
                change = 2.0 * local * float(spin)
            # what lowers the energy is always accepted
            if wp.randf(state) >= wp.exp(-beta * change):
                trial = spin
        if TALLY == "sums the energy, magnetization and flips of that colour":
            if MODEL == "Blume-Capel":
                wp.atomic_add(energy, 0, CRYSTAL * float(trial * trial) - local * float(trial))
            else:
                wp.atomic_add(energy, 0, -local * float(trial))
            wp.atomic_add(magnetization, 0, trial)
            if trial != spin:
                wp.atomic_add(changed, 0, 1)
        else:
            fields_out[i, j] = local
            if trial != spin:
                flips[i, j] = flips[i, j] + 1
        spins[i, j] = trial


@idiom(
    level=5,
    names={
        "i j": "i j | row col | y x",
        "heights": "heights grains pile",
        "following": "following next_heights settled",
        "odometer": "odometer topplings slides",
        "lost": "lost fallen dissipated",
        "kernel": "topple_sand relax_pile",
    },
)
def sandpile_toppling(c):
    """A parallel toppling step of {MODEL} sandpile, {BORDER}{GROUND}; keeps what is lost and {TALLY}.

    Do one parallel toppling step of {MODEL} sandpile. {DRIVE} A site whose height is below {LIMIT} keeps it.
    Any other topples {TOPPLES} All sites topple at once, by their heights in {heights}{DRIVEN}, and
    {following}, zero at the start, gets the sums of all that stays and arrives.

    {RIM} {lost} gets the sum of all that is lost. {TALLIED}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    MODEL = c.meaning("the Bak-Tang-Wiesenfeld", "Zhang's", "Manna's")
    BORDER = c.meaning("open on all sides", "open at two sides of a cylinder")
    TALLY = c.meaning("how often each site toppled", "the size of the avalanche")
    GROUND = c.meaning(", driven at random sites", ", with sinks", ", driven by given grains")
    Height = float if MODEL == "Zhang's" else int
    OPEN = BORDER == "open on all sides"
    BTW, MANNA, RAIN = MODEL[:7] == "the Bak", MODEL == "Manna's", GROUND == ", driven at random sites"
    STREAM = "wp.rand_init({seed}, index) with its row-major index in {heights}"
    DRIVE = {
        ", driven at random sites": (
            "First, a site gets {GRAIN} if the first uniform number (wp.randf) of its stream, {STREAM}, "
            "is below {drive}."
        ),
        ", with sinks": (
            "A site for which {sinks} is 1 loses all that it has and does nothing else, though it may "
            "receive."
        ),
        ", driven by given grains": "First, each site gets its entry of {dropped}.",
    }[GROUND]
    GRAIN = "one grain"
    if MODEL == "Zhang's":
        GRAIN = "the second uniform number of its stream"
    DRIVEN = "" if GROUND == ", with sinks" else ", these gains included"
    LIMIT = "{critical}" if MODEL == "Zhang's" else "{threshold}" if MANNA else "4"
    TOPPLES = "by giving 0.25 times its height to each of its four neighbours, and keeps nothing."
    if BTW:
        TOPPLES = (
            "n times, n being a quarter of its height, rounded down; it loses 4·n grains, and each of its "
        )
        TOPPLES += "four neighbours gets n."
    elif MANNA:
        TOPPLES = (
            "by losing two grains, each of which goes to a neighbour drawn by wp.randi from 0 to 3 "
            "{WITH}: row i - 1, row "
            "i + 1, column j - 1 or column j + 1, in this order."
        )
    WITH = "from the same stream" if RAIN else "from its stream, {STREAM}"
    GRAINS = "anything that goes"
    RIM = "All four sides are open: {GRAINS} beyond them is lost."
    if not OPEN:
        RIM = "The lattice is a cylinder: columns wrap around; {GRAINS} beyond the first or last row is lost."
    TALLIED = "The entry of {odometer} grows by {TIMES} for each site that topples."
    if TALLY != "how often each site toppled":
        TALLIED = "{avalanche} gets the size of the avalanche, {HOW_OFTEN}."
    TIMES = "n" if BTW else "1"
    HOW_OFTEN = "the sum of n over all sites" if BTW else "the number of sites that topple"

    @c.kernel(rows, cols)
    def kernel(
        heights: wp.array2d[Height] = input(
            rows, cols, low=0, high=2 if Height is float else 4 if MANNA else 12
        ),
        dropped: wp.array2d[Height] = input(rows, cols, low=0, high=1),
        sinks: wp.array2d[int] = input(rows, cols, low=0, high=1),
        critical: float = input(low=0.6, high=1.4),
        threshold: int = input(low=2, high=4),
        drive: float = input(low=0.1, high=0.9),
        seed: int = input(low=1, high=10000),
        following: wp.array2d[Height] = output(rows, cols),
        odometer: wp.array2d[int] = inout(rows, cols, low=0, high=20),
        avalanche: wp.array[int] = output(1),
        lost: wp.array[Height] = output(1),
    ):
        i, j = wp.tid()
        rows = heights.shape[0]
        cols = heights.shape[1]
        if GROUND == ", with sinks":
            if sinks[i, j] == 1:
                wp.atomic_add(lost, 0, heights[i, j])
                return
        height = heights[i, j]
        if RAIN or MANNA:
            state = wp.rand_init(seed, i * cols + j)
        if RAIN:
            if wp.randf(state) < drive:
                if MODEL == "Zhang's":
                    height += wp.randf(state)
                else:
                    height += 1
        elif GROUND == ", driven by given grains":
            height += dropped[i, j]
        if height < (critical if MODEL == "Zhang's" else threshold if MANNA else 4):
            wp.atomic_add(following, i, j, height)
            return
        if BTW:
            # so many times the site topples
            share = height // 4
        if TALLY == "how often each site toppled":
            odometer[i, j] = odometer[i, j] + (share if BTW else 1)
        else:
            wp.atomic_add(avalanche, 0, share if BTW else 1)
        if MANNA:
            # two grains go to neighbours drawn at random
            wp.atomic_add(following, i, j, height - 2)
            for _ in range(2):
                side = wp.randi(state, 0, 4)
                y = i
                x = j
                if side == 0:
                    y = i - 1
                elif side == 1:
                    y = i + 1
                elif side == 2:
                    x = j - 1
                else:
                    x = j + 1
                if not OPEN:
                    x = (x + cols) % cols
                if y >= 0 and y < rows and x >= 0 and x < cols if OPEN else y >= 0 and y < rows:
                    wp.atomic_add(following, y, x, 1)
                else:
                    wp.atomic_add(lost, 0, 1)
        else:
            if MODEL == "Zhang's":
                # the site gives away all that it has
                share = 0.25 * height
            else:
                wp.atomic_add(following, i, j, height - 4 * share)
            receivers = int(0)
            if i > 0:
                wp.atomic_add(following, i - 1, j, share)
                receivers += 1
            if i < rows - 1:
                wp.atomic_add(following, i + 1, j, share)
                receivers += 1
            if OPEN:
                if j > 0:
                    wp.atomic_add(following, i, j - 1, share)
                    receivers += 1
                if j < cols - 1:
                    wp.atomic_add(following, i, j + 1, share)
                    receivers += 1
            else:
                left = (j + cols - 1) % cols
                right = (j + 1) % cols
                wp.atomic_add(following, i, left, share)
                wp.atomic_add(following, i, right, share)
                receivers += 2
            # what falls over the rim
            if receivers < 4:
                if MODEL == "Zhang's":
                    wp.atomic_add(lost, 0, share * float(4 - receivers))
                else:
                    wp.atomic_add(lost, 0, share * (4 - receivers))
