"""Lattice models of physics: spins on a checkerboard, sand piles."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


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
    {TALLY}."""
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

    @c.kernel(rows, half)
    def kernel(
        others: wp.array2d[int] = given(rows, half, low=-1, high=1),
        colour: int = given(low=0, high=1),
        bonds: wp.array3d[float] = given(rows, half, 4, low=-1.0, high=1.0),
        fields: wp.array2d[float] = given(rows, half, low=-1.0, high=1.0),
        field: float = given(low=-1.0, high=1.0),
        beta: float = given(low=0.3, high=1.5),
        seed: int = given(low=1, high=10000),
        spins: wp.array2d[int] = updated(rows, half, low=-1, high=1),
        energy: wp.array[float] = result(1),
        magnetization: wp.array[int] = result(1),
        changed: wp.array[int] = result(1),
        flips: wp.array2d[int] = updated(rows, half, low=0, high=9),
        fields_out: wp.array2d[float] = result(rows, half),
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
    """A parallel toppling step of {MODEL} sandpile, {BORDER}{GROUND}; keeps what is lost and {TALLY}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    MODEL = c.meaning("the Bak-Tang-Wiesenfeld", "Zhang's", "Manna's")
    BORDER = c.meaning("open on all sides", "open at two sides of a cylinder")
    TALLY = c.meaning("how often each site toppled", "the size of the avalanche")
    GROUND = c.meaning(", driven at random sites", ", with sinks", ", driven by given grains")
    Height = float if MODEL == "Zhang's" else int
    OPEN = BORDER == "open on all sides"
    BTW, MANNA, RAIN = MODEL[:7] == "the Bak", MODEL == "Manna's", GROUND == ", driven at random sites"

    @c.kernel(rows, cols)
    def kernel(
        heights: wp.array2d[Height] = given(
            rows, cols, low=0, high=2 if Height is float else 4 if MANNA else 12
        ),
        dropped: wp.array2d[Height] = given(rows, cols, low=0, high=1),
        sinks: wp.array2d[int] = given(rows, cols, low=0, high=1),
        critical: float = given(low=0.6, high=1.4),
        threshold: int = given(low=2, high=4),
        drive: float = given(low=0.1, high=0.9),
        seed: int = given(low=1, high=10000),
        following: wp.array2d[Height] = result(rows, cols),
        odometer: wp.array2d[int] = updated(rows, cols, low=0, high=20),
        avalanche: wp.array[int] = result(1),
        lost: wp.array[Height] = result(1),
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
