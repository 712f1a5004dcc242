"""Springs between particles: forces, energies, failure, cloth and networks."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "x": "x positions particle_q pos",
    "v": "v velocities particle_qd vel",
    "f": "f forces particle_f",
    "ends": "ends edges spring_indices",
    "tails heads": "tails heads | first second | start finish",
    "rest": "rest rest_lengths natural_lengths",
    "stiffness": "stiffness ks spring_ke",
    "s": "s tid spring",
    "length": "length dist l",
    "stretch": "stretch elongation extension",
    "total": "total force net",
}


@idiom(level=3, names=NAMES | {"kernel": "eval_springs apply_springs"})
def spring_force(c):
    """Adds the force of each spring between two particles to {f} ({LAW} law, {DAMP} damping)."""
    springs, particles = c.size(10, 14), c.size(6, 9)
    Vec = c.vec(c.meaning(2, 3))
    LAW, DAMP = c.meaning("linear", "strain", "tension-only"), c.meaning("no", "axial", "full")
    STIFFNESS, DAMPING = c.constant(5.0, 50.0), c.constant(1.0, 6.0)

    @c.kernel(springs)
    def kernel(
        x: wp.array[Vec] = given(particles, low=-2.0, high=2.0),
        v: wp.array[Vec] = given(particles, low=-1.0, high=1.0),
        ends: wp.array2d[int] = given(springs, 2, low=0, high=particles - 1),
        rest: wp.array[float] = given(springs, low=0.5, high=1.5),
        f: wp.array[Vec] = result(particles),
    ):
        s = wp.tid()
        a = ends[s, 0]
        b = ends[s, 1]
        d = x[b] - x[a]
        # two particles at one point have no direction
        length = wp.max(wp.length(d), 1.0e-4)
        n = d / length
        if LAW == "strain":
            stretch = length / rest[s] - 1.0
        elif LAW == "tension-only":
            stretch = wp.max(length - rest[s], 0.0)
        else:
            stretch = length - rest[s]
        if DAMP == "axial":
            speed = wp.dot(v[b] - v[a], n)
            force = (STIFFNESS * stretch + DAMPING * speed) * n
        elif DAMP == "full":
            force = STIFFNESS * stretch * n + DAMPING * (v[b] - v[a])
        else:
            force = STIFFNESS * stretch * n
        wp.atomic_add(f, a, force)
        if c.spelling(True, False):
            wp.atomic_sub(f, b, force)
        else:
            wp.atomic_add(f, b, -force)


@idiom(level=2, names=NAMES | {"kernel": "stored_energy elastic_energy", "energy": "energy potential e"})
def spring_energy(c):
    """The energy of springs{SLACK}, {LAW}, {WHERE}."""
    springs, particles = c.size(9, 14), c.size(4, 6)
    FORMS = ("quadratic in elongation", "quadratic in strain", "quadratic in logarithmic strain")
    LAW = c.meaning(*FORMS, "with a quartic term", "of finite extensibility", "of the Morse form")
    WHERE = c.meaning("one number for each spring", "shared by their ends", "summed over all of them")
    SLACK = c.meaning("", " in tension")
    REACH, HARDENING = c.constant(2.0, 4.0), c.constant(0.5, 3.0)
    count = {"one number for each spring": springs, "shared by their ends": 2 * particles}

    @c.kernel(springs)
    def kernel(
        x: wp.array[wp.vec3] = given(2 * particles, low=-0.5, high=0.5),
        tails: wp.array[int] = given(springs, low=0, high=particles - 1),
        heads: wp.array[int] = given(springs, low=particles, high=2 * particles - 1),
        rest: wp.array[float] = given(springs, low=0.3, high=0.7),
        stiffness: wp.array[float] = given(springs, low=5.0, high=20.0),
        energy: wp.array[float] = result(count.get(WHERE, 1), of="energy"),
    ):
        s = wp.tid()
        length = wp.length(x[heads[s]] - x[tails[s]])
        if SLACK:
            if length < rest[s]:
                if WHERE == "one number for each spring":
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
            # the bond would break at REACH, where the logarithm has its pole
            ratio = (length - rest[s]) / REACH
            stored = -0.5 * stiffness[s] * REACH * REACH * wp.log(1.0 - ratio * ratio)
        else:
            well = 1.0 - wp.exp(rest[s] - length)
            stored = stiffness[s] * well * well
        if WHERE == "one number for each spring":
            energy[s] = stored
        elif WHERE == "shared by their ends":
            energy[tails[s]] += 0.5 * stored
            energy[heads[s]] += 0.5 * stored
        else:
            wp.atomic_add(energy, 0, stored)


@idiom(level=3, names=NAMES | {"kernel": "chain_forces rope_forces", "here": "here xi p", "n": "n count"})
def hanging_chain_force(c):
    """The force on the particles of a chain {ENDS}: links that {LAW}, and {LOAD}."""
    particles = c.size()
    ENDS = c.meaning("closed into a ring", "with free ends", "pinned at both ends")
    LAW = c.meaning("are linear", "only pull", "harden")
    LOAD = c.meaning("gravity", "a wind", "viscous drag")
    Vec = c.vec(3)
    c.once("weight" if LOAD == "gravity" else "drag")
    STIFFNESS, REST, DRAG = c.constant(10.0, 40.0), c.constant(0.3, 1.2), c.constant(2.0, 8.0)
    GRAVITY = c.constant(5.0, 20.0)

    def pull(here: Vec, there: Vec) -> Vec:
        """The force of the link from one particle to the next one."""
        d = there - here
        length = wp.length(d)
        if LAW == "only pull":
            if length <= REST:
                return Vec()
        if LAW == "harden":
            strain = length / REST - 1.0
            return STIFFNESS * (strain + strain * strain * strain) * wp.normalize(d)
        else:
            return STIFFNESS * (length - REST) * wp.normalize(d)

    @c.kernel(particles)
    def kernel(
        x: wp.array[Vec] = given(particles, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = given(particles, low=-2.0, high=2.0, of="velocity"),
        mass: wp.array[float] = given(particles, low=0.5, high=2.0, of="mass"),
        wind: Vec = given(low=-6.0, high=6.0),
        f: wp.array[Vec] = result(particles, of="force"),
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
        if LOAD == "gravity":
            f[i] = total - Vec(0.0, GRAVITY * mass[i], 0.0)
        elif LOAD == "a wind":
            relative = wind - v[i]
            f[i] = total + DRAG * wp.length(relative) * relative
        else:
            f[i] = total - DRAG * v[i]


@idiom(
    level=4,
    names=NAMES | {"kernel": "spring_hessian", "blocks": "blocks k_blocks hessian", "dx": "dx p delta"},
)
def spring_stiffness_block(c):
    """The stiffness of springs{DAMP} by {FORM}, {WANTED}."""
    springs, particles = c.size(8, 12), c.size(4, 6)
    WANTED = c.meaning("one block each", "summed by particle", "times displacements")
    FORM = c.meaning("the exact derivative", "the definite part", "the axial part")
    DAMP = c.meaning("", " and dampers")
    LAW = c.meaning("elongation", "strain") if FORM != "the axial part" else "strain"
    STIFFNESS, DAMPING, DT = c.constant(5.0, 50.0), c.constant(1.0, 9.0), c.constant(0.1, 0.5)
    if WANTED == "times displacements":
        c.names({"kernel": "spring_products apply_stiffness", "f": "products stiffness_dx"})

    def block(d: wp.vec3, rest_length: float) -> wp.mat33:
        """Minus the derivative of the force at one end by the place of that end."""
        length = wp.length(d)
        n = d / length
        axial = wp.outer(n, n)
        k = STIFFNESS / rest_length if LAW == "strain" else STIFFNESS
        if FORM == "the axial part":
            made = k * axial
        else:
            if FORM == "the definite part":
                # a compressed spring would make the matrix indefinite
                ratio = wp.max(1.0 - rest_length / length, 0.0)
            else:
                ratio = 1.0 - rest_length / length
            made = k * (axial + ratio * (wp.identity(n=3, dtype=float) - axial))
        if DAMP:
            return made + (DAMPING / DT) * axial
        else:
            return made

    @c.kernel(springs)
    def kernel(
        x: wp.array[wp.vec3] = given(2 * particles, low=-1.0, high=1.0),
        dx: wp.array[wp.vec3] = given(2 * particles, low=-0.5, high=0.5),
        tails: wp.array[int] = given(springs, low=0, high=particles - 1),
        heads: wp.array[int] = given(springs, low=particles, high=2 * particles - 1),
        rest: wp.array[float] = given(springs, low=0.5, high=1.5),
        blocks: wp.array[wp.mat33] = result(springs if WANTED == "one block each" else 2 * particles),
        f: wp.array[wp.vec3] = result(2 * particles),
    ):
        s = wp.tid()
        a = tails[s]
        b = heads[s]
        k = block(x[b] - x[a], rest[s])
        if WANTED == "one block each":
            blocks[s] = k
        elif WANTED == "summed by particle":
            wp.atomic_add(blocks, a, k)
            wp.atomic_add(blocks, b, k)
        else:
            product = k * (dx[a] - dx[b])
            f[a] += product
            f[b] -= product


@idiom(level=3, names=NAMES | {"kernel": "break_springs tear_springs", "alive": "alive intact active"})
def spring_failure(c):
    """Finds the springs whose {MEASURE} is beyond its limit, {EFFECT}, and {REPORT}."""
    springs, particles = c.size(9, 14), c.size(4, 6)
    MEASURE = c.meaning("strain", "tension", "stored energy")
    EFFECT = c.meaning("breaks them", "damages them", "lets them creep")
    REPORT = c.meaning("counts them by particle", "keeps the largest value", "returns the excess")
    LIMIT, RATE = c.constant(0.2, 0.8), c.constant(0.1, 0.5)
    if EFFECT == "damages them":
        c.names({"kernel": "damage_springs wear_springs"})
    elif EFFECT != "breaks them":
        c.names({"kernel": "creep_springs lengthen_springs"})

    @c.kernel(springs)
    def kernel(
        x: wp.array[wp.vec3] = given(2 * particles, low=-1.0, high=1.0),
        tails: wp.array[int] = given(springs, low=0, high=particles - 1),
        heads: wp.array[int] = given(springs, low=particles, high=2 * particles - 1),
        stiffness: wp.array[float] = given(springs, low=0.5, high=1.5),
        rest: wp.array[float] = updated(springs, low=0.4, high=1.2)
        if EFFECT == "lets them creep"
        else given(springs, low=0.4, high=1.2),
        alive: wp.array[int] = updated(springs, low=0, high=1),
        damage: wp.array[float] = updated(springs, low=0.0, high=1.2),
        count: wp.array[int] = result(2 * particles),
        worst: wp.array[float] = result(1),
        excess: wp.array[float] = result(springs),
    ):
        s = wp.tid()
        if EFFECT == "breaks them":
            if alive[s] == 0:
                if REPORT == "returns the excess":
                    excess[s] = 0.0
                return
        if EFFECT == "damages them":
            # a damage of one is a spring that is gone
            if damage[s] >= 1.0:
                if REPORT == "returns the excess":
                    excess[s] = 0.0
                return
        stretch = wp.length(x[heads[s]] - x[tails[s]]) - rest[s]
        if MEASURE == "strain":
            load = stretch / rest[s]
        elif MEASURE == "tension":
            load = stiffness[s] * stretch
        else:
            load = 0.5 * stiffness[s] * stretch * stretch
        if REPORT == "keeps the largest value":
            wp.atomic_max(worst, 0, load)
        if REPORT == "returns the excess":
            excess[s] = wp.max(load - LIMIT, 0.0)
        if load > LIMIT:
            if EFFECT == "breaks them":
                alive[s] = 0
            elif EFFECT == "damages them":
                damage[s] += RATE * (load - LIMIT)
            else:
                rest[s] *= 1.0 + RATE * (load - LIMIT)
            if REPORT == "counts them by particle":
                wp.atomic_add(count, tails[s], 1)
                wp.atomic_add(count, heads[s], 1)


@idiom(
    level=3,
    names={
        "a b": "a b | i j | first second",
        "k": "k entry block",
        "axis": "axis d direction",
        "kernel": "bar_matrices assemble_bars",
    },
)
def bar_stiffness(c):
    """The {PART} matrix of each {BAR} in the plane{TENSE}{GROUND}."""
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
        c.names({"kernel": "bar_matrices assemble_bars"})

    @c.kernel(n)
    def kernel(
        pairs: wp.array2d[int] = given(n, 2, low=0, high=nodes - 1),
        points: wp.array[wp.vec2] = given(nodes, low=-2.0, high=2.0),
        areas: wp.array[float] = given(n, low=0.2, high=1.0),
        rates: wp.array[float] = given(n, low=0.1, high=0.8),
        out: wp.array[wp.mat44] = result(n),
    ):
        tid = wp.tid()
        span = points[pairs[tid, 1]] - points[pairs[tid, 0]]
        size = wp.max(wp.length(span), 0.01)
        if PART == "mass":
            share = DENSITY * areas[tid] * size / 6.0
            m = wp.identity(n=4, dtype=float) * (3.0 * share if BAR == "lumped bar" else 2.0 * share)
            if BAR == "bar":
                for a in range(2):
                    m[a, a + 2] = share
                    m[a + 2, a] = share
        else:
            axis = span / size
            k = rates[tid] if PART == "damping" else YOUNG * areas[tid] / size
            block = k * wp.outer(axis, axis)
            if TENSE:
                block += PULL / size * (wp.identity(n=2, dtype=float) - wp.outer(axis, axis))
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
