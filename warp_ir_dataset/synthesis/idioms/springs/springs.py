"""Springs between particles: forces, energies, failure, cloth and networks."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "x": "x positions particle_q pos",
    "v": "v velocities particle_qd vel",
    "f": "f forces particle_f",
    "ends": "ends edges spring_indices",
    "tails heads": "tails heads | first second | start finish",
    "rest": "rest rest_lengths natural_lengths",
    "stiffness": "stiffness ks spring_ke",
    "s": "s tid spring",
    "length": "length dist current_length",
    "stretch": "stretch elongation extension",
    "total": "total force net",
}


@idiom(level=3, names=NAMES | {"kernel": "eval_springs apply_springs"})
def spring_force(c):
    """Adds up the forces of springs on their particles: {LAW}, {DAMP}.

    Add up the forces that springs exert on particles. Spring k connects particle `{ends}[k, 0]`, its first
    end, with particle `{ends}[k, 1]`, its second; a particle may belong to many springs. Its direction is D
    / max(|D|, 0.0001), where D is the vector from the first end to the second, both in {x}.

    The first end of spring k is pulled along the direction with {PULL}{DRAG}; the second end gets the
    opposite force. {SLACK} Add all forces to {f}, which starts at zero.
    """
    springs, particles = c.size(10, 14), c.size(6, 9)
    Vec = c.vec(c.meaning(2, 3))
    LAW = c.meaning("linear in elongation", "linear in strain", "only in tension")
    DAMP = c.meaning("undamped", "damped along the spring", "damped in all directions")
    if LAW == "linear in strain":
        c.names({"stretch": "strain"})
    STIFFNESS, DAMPING = c.constant(5.0, 50.0), c.constant(1.0, 6.0)
    PULL = "{STIFFNESS} times its elongation, its length less `{rest}[k]`"
    if LAW == "linear in strain":
        PULL = "{STIFFNESS} times its strain, its length over `{rest}[k]` less 1"
    RELATIVE = "the velocity {v} of its second end relative to its first"
    DRAG = {
        "undamped": "",
        "damped along the spring": ", plus {DAMPING} times the part along the direction of {RELATIVE}",
        "damped in all directions": ", to which {DAMPING} times {RELATIVE} is added",
    }[DAMP]
    SLACK = ""
    if LAW == "only in tension":
        SLACK = "A spring that is shorter than `{rest}[k]` exerts no force at all."

    @c.kernel(springs)
    def kernel(
        x: wp.array[Vec] = input(particles, low=-2.0, high=2.0),
        v: wp.array[Vec] = input(particles, low=-1.0, high=1.0),
        ends: wp.array2d[int] = input(springs, 2, low=0, high=particles - 1),
        rest: wp.array[float] = input(springs, low=0.5, high=1.5),
        f: wp.array[Vec] = output(particles),
    ):
        s = wp.tid()
        a = ends[s, 0]
        b = ends[s, 1]
        d = x[b] - x[a]
        # two particles at one point have no direction
        length = wp.max(wp.length(d), 1.0e-4)
        n = d / length
        if LAW == "only in tension":
            # what is slack neither pulls nor damps
            if length < rest[s]:
                return
        if LAW == "linear in strain":
            stretch = length / rest[s] - 1.0
        else:
            stretch = length - rest[s]
        if DAMP == "damped along the spring":
            speed = wp.dot(v[b] - v[a], n)
            force = (STIFFNESS * stretch + DAMPING * speed) * n
        elif DAMP == "damped in all directions":
            force = STIFFNESS * stretch * n + DAMPING * (v[b] - v[a])
        else:
            force = STIFFNESS * stretch * n
        wp.atomic_add(f, a, force)
        if c.style(True, False):
            wp.atomic_sub(f, b, force)
        else:
            wp.atomic_add(f, b, -force)


@idiom(level=2, names=NAMES | {"kernel": "stored_energy elastic_energy", "energy": "energy potential e"})
def spring_energy(c):
    """The energy of springs{SLACK}, {LAW}, {WHERE}.

    Compute the elastic energy of springs. Spring k connects the particles `{tails}[k]` and `{heads}[k]`. With
    L the distance of these two in {x}, R = `{rest}[k]` and S = `{stiffness}[k]`, it stores the energy
    {FORMULA}.{UNLOADED}

    {STORED}
    """
    springs, particles = c.size(9, 14), c.size(4, 6)
    FORMS = ("quadratic in elongation", "quadratic in strain", "quadratic in logarithmic strain")
    LAW = c.meaning(*FORMS, "with a quartic term", "of finite extensibility", "of the Morse form")
    WHERE = c.meaning("one value each", "shared equally by their ends", "summed over all")
    SLACK = c.meaning("", " that only resist tension")
    REACH, HARDENING = c.constant(2.0, 4.0), c.constant(0.5, 3.0)
    if LAW == "of the Morse form":
        c.names({"stiffness": "depth well_depths"})
    count = {"one value each": springs, "shared equally by their ends": 2 * particles}
    FORMULA = {
        "quadratic in elongation": "½·S·(L - R)²",
        "quadratic in strain": "½·S·R·(L/R - 1)²",
        "quadratic in logarithmic strain": "½·S·R·(ln(L/R))²",
        "with a quartic term": "S·(½·D² + {HARDENING}/4·D⁴), where D = L - R",
        "of finite extensibility": "-½·S·{REACH}²·ln(1 - ((L - R) / {REACH})²), as a FENE spring does",
        "of the Morse form": "S·(1 - exp(R - L))², the Morse potential",
    }[LAW]
    UNLOADED = " It has no energy if L < R." if SLACK else ""
    STORED = {
        "one value each": "Store the energy of each spring in {energy}.",
        "shared equally by their ends": "Both ends of a spring get half of its energy: {energy} is the sum "
        "of these halves for each particle, and starts at zero.",
        "summed over all": "Store the sum over all springs in `{energy}[0]`, which starts at zero.",
    }[WHERE]

    @c.kernel(springs)
    def kernel(
        x: wp.array[wp.vec3] = input(2 * particles, low=-0.5, high=0.5),
        tails: wp.array[int] = input(springs, low=0, high=particles - 1),
        heads: wp.array[int] = input(springs, low=particles, high=2 * particles - 1),
        rest: wp.array[float] = input(springs, low=0.3, high=0.7),
        stiffness: wp.array[float] = input(springs, low=5.0, high=20.0),
        energy: wp.array[float] = output(count.get(WHERE, 1), of="energy"),
    ):
        s = wp.tid()
        length = wp.length(x[heads[s]] - x[tails[s]])
        if SLACK:
            if length < rest[s]:
                if WHERE == "one value each":
                    energy[s] = 0.0
                return
        if LAW == "quadratic in elongation":
            stretch = length - rest[s]
            stored = 0.5 * stiffness[s] * stretch * stretch
        elif LAW == "quadratic in strain":
            strain = length / rest[s] - 1.0
            stored = 0.5 * stiffness[s] * rest[s] * strain * strain
        elif LAW == "quadratic in logarithmic strain":
            strain = wp.log(length / rest[s])
            stored = 0.5 * stiffness[s] * rest[s] * strain * strain
        elif LAW == "with a quartic term":
            stretch = length - rest[s]
            square = stretch * stretch
            stored = stiffness[s] * square * (0.5 + 0.25 * HARDENING * square)
        elif LAW == "of finite extensibility":
            # the logarithm has its pole at the extension where the spring would break
            ratio = (length - rest[s]) / REACH
            stored = -0.5 * stiffness[s] * REACH * REACH * wp.log(1.0 - ratio * ratio)
        else:
            rise = 1.0 - wp.exp(rest[s] - length)
            stored = stiffness[s] * rise * rise
        if WHERE == "one value each":
            energy[s] = stored
        elif WHERE == "shared equally by their ends":
            energy[tails[s]] += 0.5 * stored
            energy[heads[s]] += 0.5 * stored
        else:
            wp.atomic_add(energy, 0, stored)


@idiom(level=3, names=NAMES | {"kernel": "chain_forces rope_forces", "here": "here xi p", "n": "n count"})
def hanging_chain_force(c):
    """The force on each particle of a chain of {LAW} {ENDS}, {LOAD}.

    Compute the force {f} on each particle of a chain. Links join each particle to the next in {x}{RING}. A
    link of length L pulls a particle towards its neighbour with the force {PULL}; {NEGATIVE}.{TIPS}

    To the forces of its links each particle adds {ADDED}.
    """
    particles = c.size()
    ENDS = c.meaning("closed into a ring", "with free ends", "pinned at both ends")
    LAW = c.meaning("linear links", "tension-only links", "hardening links")
    LOAD = c.meaning("under gravity", "in a wind", "with viscous drag")
    Vec = c.vec(3)
    if ENDS != "pinned at both ends" or LOAD != "under gravity":
        c.names({"kernel": "chain_forces rope_forces"})
    c.once("weight" if LOAD == "under gravity" else "drag")
    STIFFNESS, REST, DRAG = c.constant(10.0, 40.0), c.constant(0.6, 1.2), c.constant(2.0, 8.0)

    def pull(here: Vec, there: Vec) -> Vec:
        """The force of a link on the particle here."""
        d = there - here
        length = wp.length(d)
        if LAW == "tension-only links":
            if length <= REST:
                return Vec()
        if LAW == "hardening links":
            strain = length / REST - 1.0
            return STIFFNESS * (strain + strain * strain * strain) * wp.normalize(d)
        else:
            return STIFFNESS * (length - REST) * wp.normalize(d)

    RING = ", and the last to the first" if ENDS == "closed into a ring" else ""
    PULL = "{STIFFNESS}·(L - {REST})"
    if LAW == "hardening links":
        PULL = "{STIFFNESS}·(E + E³), where E = L / {REST} - 1 is its strain"
    NEGATIVE = "a negative force pushes them apart"
    if LAW == "tension-only links":
        NEGATIVE = "links not longer than {REST} are slack and exert no force"
    TIPS = {
        "closed into a ring": "",
        "with free ends": " The two ends of the chain have only one link.",
        "pinned at both ends": " The first and the last particle are pinned: their force is simply zero.",
    }[ENDS]
    ADDED = {
        "under gravity": "its weight, {mass} times {gravity}",
        "in a wind": "a quadratic drag: with U the {wind} relative to its velocity {v}, this is {DRAG}·|U|·U",
        "with viscous drag": "a viscous drag, -{DRAG} times its velocity {v}",
    }[LOAD]

    @c.kernel(particles)
    def kernel(
        x: wp.array[Vec] = input(particles, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = input(particles, low=-2.0, high=2.0, of="velocity"),
        mass: wp.array[float] = input(particles, low=0.5, high=2.0, of="mass"),
        gravity: Vec = input(low=-9.0, high=9.0),
        wind: Vec = input(low=-6.0, high=6.0),
        f: wp.array[Vec] = output(particles, of="force"),
    ):
        i = wp.tid()
        n = x.shape[0]
        if ENDS == "pinned at both ends":
            if i == 0 or i == n - 1:
                f[i] = Vec()
                return
        here = x[i]
        if ENDS == "closed into a ring":
            total = pull(here, x[(i + n - 1) % n]) + pull(here, x[(i + 1) % n])
        elif ENDS == "pinned at both ends":
            total = pull(here, x[i - 1]) + pull(here, x[i + 1])
        else:
            total = Vec()
            if i > 0:
                total += pull(here, x[i - 1])
            if i < n - 1:
                total += pull(here, x[i + 1])
        if LOAD == "under gravity":
            f[i] = total + mass[i] * gravity
        elif LOAD == "in a wind":
            relative = wind - v[i]
            f[i] = total + DRAG * wp.length(relative) * relative
        else:
            f[i] = total - DRAG * v[i]


@idiom(
    level=4,
    names=NAMES
    | {
        "kernel": "spring_hessian",
        "blocks": "blocks k_blocks hessian",
        "dx": "dx displacements delta",
        "tangent": "tangent k_spring local_k",
        "elastic": "elastic k_elastic",
    },
)
def spring_stiffness_block(c):
    """The {FORM} stiffness of springs linear in {LAW}{DAMP}, {WANTED}.

    Compute the stiffness of springs for an implicit solver{AIM}. Spring k connects the particles `{tails}[k]`
    and `{heads}[k]`. With N the unit vector along it, L its length in {x}, R = `{rest}[k]` and C =
    {COEFFICIENT}, its 3×3 block is {BLOCK}.{DAMPED}

    {USE}
    """
    springs, particles = c.size(8, 12), c.size(4, 6)
    WANTED = c.meaning("one block each", "summed into one block per particle", "applied to displacements")
    FORM = c.meaning("exact", "semidefinite", "axial")
    DAMP = c.meaning("", ", with dampers")
    LAW = c.meaning("elongation", "strain") if FORM != "axial" else "strain"
    STIFFNESS, DAMPING, DT = c.constant(5.0, 50.0), c.constant(1.0, 9.0), c.constant(0.1, 0.5)
    if WANTED == "applied to displacements":
        c.names({"kernel": "spring_products apply_stiffness", "f": "products stiffness_dx"})

    def block(d: wp.vec3, rest_length: float) -> wp.mat33:
        """Minus the derivative of the force at one end by the place of that end."""
        length = wp.length(d)
        n = d / length
        axial = wp.outer(n, n)
        k = STIFFNESS / rest_length if LAW == "strain" else STIFFNESS
        if FORM == "axial":
            elastic = k * axial
        else:
            if FORM == "semidefinite":
                # a compressed spring would make the matrix indefinite
                ratio = wp.max(1.0 - rest_length / length, 0.0)
            else:
                ratio = 1.0 - rest_length / length
            elastic = k * (axial + ratio * (wp.identity(n=3, dtype=float) - axial))
        if DAMP:
            # the damping of an implicit step, along the spring alone
            return elastic + (DAMPING / DT) * axial
        else:
            return elastic

    AIM = ", applied to displacements" if WANTED == "applied to displacements" else ""
    COEFFICIENT = "{STIFFNESS} / R" if LAW == "strain" else "{STIFFNESS}"
    BLOCK = {
        "exact": "C·(N·Nᵀ + (1 - R/L)·(I - N·Nᵀ))",
        "semidefinite": "C·(N·Nᵀ + max(1 - R/L, 0)·(I - N·Nᵀ)), so that a compressed one stays semidefinite",
        "axial": "C·N·Nᵀ, its axial part alone",
    }[FORM]
    DAMPED = " Its damper adds ({DAMPING} / {DT})·N·Nᵀ to that." if DAMP else ""
    USE = {
        "one block each": "Store the block of spring k in `{blocks}[k]`.",
        "summed into one block per particle": "{blocks} starts at zero and gets, for each particle, the sum "
        "of the blocks of all springs at it.",
        "applied to displacements": "The block of a spring times ({dx} of its tail less {dx} of its head), "
        "the difference of displacements, is added to {f} of the tail and subtracted from {f} of the head. "
        "{f} starts at zero.",
    }[WANTED]

    @c.kernel(springs)
    def kernel(
        x: wp.array[wp.vec3] = input(2 * particles, low=-1.0, high=1.0),
        dx: wp.array[wp.vec3] = input(2 * particles, low=-0.5, high=0.5),
        tails: wp.array[int] = input(springs, low=0, high=particles - 1),
        heads: wp.array[int] = input(springs, low=particles, high=2 * particles - 1),
        rest: wp.array[float] = input(springs, low=0.5, high=1.5),
        blocks: wp.array[wp.mat33] = output(springs if WANTED == "one block each" else 2 * particles),
        f: wp.array[wp.vec3] = output(2 * particles),
    ):
        s = wp.tid()
        a = tails[s]
        b = heads[s]
        tangent = block(x[b] - x[a], rest[s])
        if WANTED == "one block each":
            blocks[s] = tangent
        elif WANTED == "summed into one block per particle":
            wp.atomic_add(blocks, a, tangent)
            wp.atomic_add(blocks, b, tangent)
        else:
            product = tangent * (dx[a] - dx[b])
            f[a] += product
            f[b] -= product


@idiom(
    level=3,
    differentiable=False,
    names=NAMES | {"kernel": "break_springs tear_springs", "alive": "alive intact active"},
)
def spring_failure(c):
    """{EFFECT} the springs whose {MEASURE} exceeds a limit, and {SAID}.

    {DOES}. Spring k connects the particles `{tails}[k]` and `{heads}[k]`; its stretch is the distance of
    these in {x}, less `{rest}[k]`. Its load is {LOADS}. If that exceeds {LIMIT}, {CONSEQUENCE}.{GONE}

    {REPORTED}
    """
    springs, particles = c.size(9, 14), c.size(4, 6)
    MEASURE = c.meaning("strain", "tension", "stored energy")
    EFFECT = c.meaning("Breaks", "Damages", "Lengthens by creep")
    CREEPS = EFFECT == "Lengthens by creep"
    if CREEPS and MEASURE == "stored energy":
        # compressed ones as well, which become shorter
        EFFECT = "Relaxes by creep"
    REPORT = c.meaning("counts", "largest", "excess")
    SAID = {
        "counts": "counts them at their ends", "largest": f"keeps the largest {MEASURE} of all",
        "excess": "stores the excess of each",
    }[REPORT]  # fmt: skip
    LIMIT, RATE = c.constant(0.2, 0.6), c.constant(0.1, 0.5)
    if EFFECT == "Damages":
        c.names({"kernel": "damage_springs wear_springs"})
    elif CREEPS:
        c.names({"kernel": f"creep_springs {'relax' if 'Relaxes' in EFFECT else 'lengthen'}_springs"})
    DOES = "Let overloaded springs creep" if CREEPS else EFFECT.removesuffix("s") + " overloaded springs"
    LOADS = {
        "strain": "the strain, stretch / `{rest}[k]`",
        "tension": "the tension, `{stiffness}[k]` times the stretch",
        "stored energy": "the stored energy, ½·`{stiffness}[k]`·stretch²",
    }[MEASURE]
    CONSEQUENCE = {
        "Breaks": "set {alive} to 0 for it",
        "Damages": "its {damage} grows by {RATE} times the excess, load - {LIMIT}",
        "Lengthens by creep": "`{rest}[k]` is multiplied by 1 + {RATE}·(load - {LIMIT})",
        "Relaxes by creep": "`{rest}[k]` is multiplied by 1 + {RATE}·(load - {LIMIT}) if the spring is "
        "stretched, and by 1 - {RATE}·(load - {LIMIT}) if it is compressed",
    }[EFFECT]
    GONE = {
        "Breaks": " Springs with {alive} 0 are broken already: nothing happens to them, and they do not "
        "count.",
        "Damages": " Springs with {damage} of at least 1 are gone: nothing happens to them, and they do not "
        "count.",
    }.get(EFFECT, "")
    REPORTED = {
        "counts": "{count}, which starts at zero, tells for each particle how many springs at it exceed the "
        "limit.",
        "largest": "`{worst}[0]` is the largest load of all, but at least 0.",
        "excess": "{excess} is load - {LIMIT} for each spring, or 0 if that is negative{MISSING}.",
    }[REPORT]
    MISSING = "" if CREEPS else " or the spring was gone before"

    @c.kernel(springs)
    def kernel(
        x: wp.array[wp.vec3] = input(2 * particles, low=-1.0, high=1.0),
        tails: wp.array[int] = input(springs, low=0, high=particles - 1),
        heads: wp.array[int] = input(springs, low=particles, high=2 * particles - 1),
        stiffness: wp.array[float] = input(springs, low=0.5, high=1.5),
        rest: wp.array[float] = inout(springs, low=0.4, high=1.2)
        if CREEPS
        else input(springs, low=0.4, high=1.2),
        alive: wp.array[int] = inout(springs, low=0, high=1),
        damage: wp.array[float] = inout(springs, low=0.0, high=1.2),
        count: wp.array[int] = output(2 * particles),
        worst: wp.array[float] = output(1),
        excess: wp.array[float] = output(springs),
    ):
        s = wp.tid()
        if EFFECT == "Breaks":
            if alive[s] == 0:
                if REPORT == "excess":
                    excess[s] = 0.0
                return
        if EFFECT == "Damages":
            # a damage of one is a spring that is gone
            if damage[s] >= 1.0:
                if REPORT == "excess":
                    excess[s] = 0.0
                return
        stretch = wp.length(x[heads[s]] - x[tails[s]]) - rest[s]
        if MEASURE == "strain":
            load = stretch / rest[s]
        elif MEASURE == "tension":
            load = stiffness[s] * stretch
        else:
            load = 0.5 * stiffness[s] * stretch * stretch
        if REPORT == "largest":
            wp.atomic_max(worst, 0, load)
        if REPORT == "excess":
            excess[s] = wp.max(load - LIMIT, 0.0)
        if load > LIMIT:
            if EFFECT == "Breaks":
                alive[s] = 0
            elif EFFECT == "Damages":
                damage[s] += RATE * (load - LIMIT)
            elif MEASURE == "stored energy":
                # a compressed spring becomes shorter
                rest[s] *= 1.0 + RATE * (load - LIMIT) * wp.sign(stretch)
            else:
                rest[s] *= 1.0 + RATE * (load - LIMIT)
            if REPORT == "counts":
                wp.atomic_add(count, tails[s], 1)
                wp.atomic_add(count, heads[s], 1)


@idiom(
    level=3,
    names={
        "a b": "a b | i j | row col",
        "k": "k axial",
        "block": "block sub",
        "axis": "axis d direction",
        "kernel": "bar_matrices assemble_bars",
    },
)
def bar_stiffness(c):
    """The {PART} matrix of each {BAR} in the plane{TENSE}{GROUND}.

    Assemble the 4×4 {PART} matrix of each bar of a plane truss, {out}. Bar k goes from point `{pairs}[k, 0]`
    to point `{pairs}[k, 1]` of {points}; its length L counts as at least 0.01{UNIT}. The rows and columns are
    x and y of the first end, then x and y of the second.

    {ENTRIES}{GROUNDED}
    """
    n, nodes = c.size(), c.size()
    PART = c.meaning("stiffness", "damping", "mass")
    OTHER = {
        "stiffness": "bar with a transverse spring", "damping": "bar with a transverse damper",
        "mass": "lumped bar",
    }  # fmt: skip
    BAR = c.meaning("bar", OTHER[PART])
    TENSE = c.meaning("", ", under tension") if PART == "stiffness" and BAR == "bar" else ""
    ENDS = {"stiffness": ", on an elastic foundation", "damping": ", with dampers to the ground"}
    GROUND = c.meaning("", ENDS.get(PART, ", with a heavier first end"))
    YOUNG, PULL, DENSITY, ADDED, ACROSS = (
        c.constant(2.0, 9.0), c.constant(0.2, 1.0), c.constant(0.5, 2.0), c.constant(0.2, 1.0),
        c.constant(0.05, 0.3),
    )  # fmt: skip
    if PART != "stiffness":
        c.names({"kernel": "bar_matrices assemble_bars", "k": "coefficient c_axial"})
    UNIT = "" if PART == "mass" else ", and A is the vector between them divided by L"
    AXIAL = "{YOUNG}·`{areas}[k]` / L" if PART == "stiffness" else "`{coefficients}[k]`"
    CROSS = ""
    if TENSE:
        CROSS = " + {PULL}/L·(I - A·Aᵀ), the second term for its tension"
    elif BAR != "bar":
        CROSS = " + {ACROSS}·C·(I - A·Aᵀ), the second term for the transverse one"
    ENTRIES = "With C = {AXIAL} and the 2×2 block B = C·A·Aᵀ{CROSS}, the matrix is ((B, -B), (-B, B))."
    if PART == "mass":
        ENTRIES = "The mass of a bar is M = {DENSITY}·`{areas}[k]`·L. {SPREAD}"
    SPREAD = (
        "The consistent matrix has M/3 on its diagonal and M/6 between the same coordinates of both ends, "
        "and is zero elsewhere."
    )
    if BAR == "lumped bar":
        SPREAD = "The mass is lumped: the matrix has M/2 on its diagonal and is zero elsewhere."
    GROUNDED = ""
    if GROUND:
        GROUNDED = " Add {ADDED} to all four diagonal entries, for the {FOOT}."
        if PART == "mass":
            GROUNDED = " Add {ADDED} to the first two diagonal entries, for the heavier first end."
    FOOT = "elastic foundation" if PART == "stiffness" else "dampers to the ground"

    @c.kernel(n)
    def kernel(
        pairs: wp.array2d[int] = input(n, 2, low=0, high=nodes - 1),
        points: wp.array[wp.vec2] = input(nodes, low=-2.0, high=2.0),
        areas: wp.array[float] = input(n, low=0.2, high=1.0),
        coefficients: wp.array[float] = input(n, low=0.1, high=0.8),
        out: wp.array[wp.mat44] = output(n),
    ):
        tid = wp.tid()
        span = points[pairs[tid, 1]] - points[pairs[tid, 0]]
        length = wp.max(wp.length(span), 0.01)
        if PART == "mass":
            mass = DENSITY * areas[tid] * length
            m = wp.identity(n=4, dtype=float) * (0.5 * mass if BAR == "lumped bar" else mass / 3.0)
            if BAR == "bar":
                for a in range(2):
                    m[a, a + 2] = mass / 6.0
                    m[a + 2, a] = mass / 6.0
        else:
            axis = span / length
            k = coefficients[tid] if PART == "damping" else YOUNG * areas[tid] / length
            block = k * wp.outer(axis, axis)
            if TENSE:
                block += PULL / length * (wp.identity(n=2, dtype=float) - wp.outer(axis, axis))
            elif BAR != "bar":
                block += ACROSS * k * (wp.identity(n=2, dtype=float) - wp.outer(axis, axis))
            m = wp.mat44()
            for a in range(2):
                for b in range(2):
                    m[a, b] = block[a, b]
                    m[a, b + 2] = -block[a, b]
                    m[a + 2, b] = -block[a, b]
                    m[a + 2, b + 2] = block[a, b]
        if GROUND:
            if PART == "mass":
                m[0, 0] += ADDED
                m[1, 1] += ADDED
            else:
                m += ADDED * wp.identity(n=4, dtype=float)
        out[tid] = m
