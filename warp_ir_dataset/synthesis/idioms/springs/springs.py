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
    "length": "length dist current_length",
    "stretch": "stretch elongation extension",
    "total": "total force net",
}


@idiom(level=3, names=NAMES | {"kernel": "eval_springs apply_springs"})
def spring_force(c):
    """Adds up the forces of springs on their particles: {LAW}, {DAMP}.

    Add up the forces that springs exert on particles. Spring k connects particle `{ends}[k, 0]`, its first
    end, with particle `{ends}[k, 1]`, its second; a particle may belong to many springs. Its direction is the
    vector from the first end to the second, both in {x}, divided by its length, which counts as at least
    0.0001.

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
    WHERE = c.meaning("one value each", "shared equally by their ends", "summed over all")
    SLACK = c.meaning("", " that only resist tension")
    REACH, HARDENING = c.constant(2.0, 4.0), c.constant(0.5, 3.0)
    if LAW == "of the Morse form":
        c.names({"stiffness": "depth well_depths"})
    count = {"one value each": springs, "shared equally by their ends": 2 * particles}

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
    """The force on each particle of a chain of {LAW} {ENDS}, {LOAD}."""
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

    @c.kernel(particles)
    def kernel(
        x: wp.array[Vec] = given(particles, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = given(particles, low=-2.0, high=2.0, of="velocity"),
        mass: wp.array[float] = given(particles, low=0.5, high=2.0, of="mass"),
        gravity: Vec = given(low=-9.0, high=9.0),
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
    """The {FORM} stiffness of springs linear in {LAW}{DAMP}, {WANTED}."""
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
    """{EFFECT} the springs whose {MEASURE} exceeds a limit, and {SAID}."""
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

    @c.kernel(springs)
    def kernel(
        x: wp.array[wp.vec3] = given(2 * particles, low=-1.0, high=1.0),
        tails: wp.array[int] = given(springs, low=0, high=particles - 1),
        heads: wp.array[int] = given(springs, low=particles, high=2 * particles - 1),
        stiffness: wp.array[float] = given(springs, low=0.5, high=1.5),
        rest: wp.array[float] = updated(springs, low=0.4, high=1.2)
        if CREEPS
        else given(springs, low=0.4, high=1.2),
        alive: wp.array[int] = updated(springs, low=0, high=1),
        damage: wp.array[float] = updated(springs, low=0.0, high=1.2),
        count: wp.array[int] = result(2 * particles),
        worst: wp.array[float] = result(1),
        excess: wp.array[float] = result(springs),
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
        c.names({"kernel": "bar_matrices assemble_bars", "k": "coefficient c_axial"})

    @c.kernel(n)
    def kernel(
        pairs: wp.array2d[int] = given(n, 2, low=0, high=nodes - 1),
        points: wp.array[wp.vec2] = given(nodes, low=-2.0, high=2.0),
        areas: wp.array[float] = given(n, low=0.2, high=1.0),
        coefficients: wp.array[float] = given(n, low=0.1, high=0.8),
        out: wp.array[wp.mat44] = result(n),
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
