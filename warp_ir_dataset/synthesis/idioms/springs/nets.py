"""Springs in nets and cloths, at anchors, around axes."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp
from .springs import NAMES


@idiom(
    level=4,
    names=NAMES | {"kernel": "cloth_forces eval_cloth", "rows cols": "rows cols | height width | nu nv"},
)
def cloth_grid_force(c):
    """{WANTED} the nodes of a cloth of {LAW}{SPRINGS} {LOAD}; {EDGE}."""
    rows, cols = c.size(4, 6), c.size(4, 6)
    EDGE = c.meaning(
        "the first row is held", "the cloth is a tube", "the cloth is free", "two corners are held"
    )
    SPRINGS = c.meaning("", ", diagonal ones too,", ", bending ones too,") if "tube" not in EDGE else ""
    WANTED = c.meaning("The force on", "The acceleration of", "The new velocity of")
    LAW, LOAD = (
        c.meaning("linear springs", "threads", "logarithmic springs"),
        c.meaning("under gravity", "in a wind", "in still air"),
    )
    GUARDED = not SPRINGS and c.spelling(True, True, False)
    STIFFNESS, DAMPING, REST = c.constant(5.0, 30.0), c.constant(1.0, 5.0), c.constant(0.4, 0.9)
    AIR_DRAG = c.constant(1.0, 5.0)
    if LOAD == "under gravity":
        c.names({"load": "gravity g"})
    elif LOAD == "in a wind":
        c.names({"load": "wind air_velocity"})
    if WANTED == "The acceleration of":
        c.names({"f": "acc accelerations", "kernel": "accelerate_cloth cloth_accelerations"})
    elif WANTED != "The force on":
        c.names({"kernel": "kick_cloth update_cloth_velocities"})

    def pull(d: wp.vec3, u: wp.vec3, span: float) -> wp.vec3:
        """The force of a spring along d, whose other end moves at u relative to this one."""
        length = wp.length(d)
        n = d / length
        if LAW == "logarithmic springs":
            return (STIFFNESS * wp.log(length / span) + DAMPING * wp.dot(u, n)) * n
        elif LAW == "threads":
            # a thread that is slack neither pulls nor damps
            if length < span:
                return wp.vec3()
            return (STIFFNESS * (length - span) + DAMPING * wp.dot(u, n)) * n
        else:
            return (STIFFNESS * (length - span) + DAMPING * wp.dot(u, n)) * n

    def link(x: wp.array2d[wp.vec3], v: wp.array2d[wp.vec3], i: int, j: int, di: int, dj: int) -> wp.vec3:
        """The force of the spring to a neighbour, if there is one."""
        row = i + di
        col = j + dj
        if row < 0 or row >= x.shape[0] or col < 0 or col >= x.shape[1]:
            return wp.vec3()
        span = REST * wp.sqrt(float(di * di + dj * dj))
        return pull(x[row, col] - x[i, j], v[row, col] - v[i, j], span)

    @c.kernel(rows, cols)
    def kernel(
        x: wp.array2d[wp.vec3] = given(rows, cols, low=-1.0, high=1.0),
        v: wp.array2d[wp.vec3] = given(rows, cols, low=-1.0, high=1.0),
        normals: wp.array2d[wp.vec3] = given(rows, cols, low=-1.0, high=1.0, trait="unit"),
        mass: wp.array2d[float] = given(rows, cols, low=0.5, high=2.0),
        load: wp.vec3 = given(low=-9.0, high=9.0),
        dt: float = given(low=0.02, high=0.1),
        v_new: wp.array2d[wp.vec3] = result(rows, cols),
        f: wp.array2d[wp.vec3] = result(rows, cols),
    ):
        i, j = wp.tid()
        if EDGE == "the first row is held":
            if i == 0:
                if WANTED == "The new velocity of":
                    v_new[i, j] = wp.vec3()
                else:
                    f[i, j] = wp.vec3()
                return
        elif EDGE == "two corners are held":
            if i == 0 and (j == 0 or j == x.shape[1] - 1):
                if WANTED == "The new velocity of":
                    v_new[i, j] = wp.vec3()
                else:
                    f[i, j] = wp.vec3()
                return
        if EDGE == "the cloth is a tube":
            here = x[i, j]
            velocity = v[i, j]
            # around the tube there is always a next one
            left = (j + x.shape[1] - 1) % x.shape[1]
            right = (j + 1) % x.shape[1]
            total = pull(x[i, left] - here, v[i, left] - velocity, REST)
            total += pull(x[i, right] - here, v[i, right] - velocity, REST)
            if i > 0:
                total += pull(x[i - 1, j] - here, v[i - 1, j] - velocity, REST)
            if i < x.shape[0] - 1:
                total += pull(x[i + 1, j] - here, v[i + 1, j] - velocity, REST)
        elif GUARDED:
            here = x[i, j]
            velocity = v[i, j]
            total = wp.vec3()
            if i > 0:
                total += pull(x[i - 1, j] - here, v[i - 1, j] - velocity, REST)
            if j > 0:
                total += pull(x[i, j - 1] - here, v[i, j - 1] - velocity, REST)
            if i < x.shape[0] - 1:
                total += pull(x[i + 1, j] - here, v[i + 1, j] - velocity, REST)
            if j < x.shape[1] - 1:
                total += pull(x[i, j + 1] - here, v[i, j + 1] - velocity, REST)
        else:
            total = link(x, v, i, j, 1, 0) + link(x, v, i, j, -1, 0)
            total += link(x, v, i, j, 0, 1) + link(x, v, i, j, 0, -1)
        if SPRINGS == ", diagonal ones too,":
            total += link(x, v, i, j, 1, 1) + link(x, v, i, j, 1, -1)
            total += link(x, v, i, j, -1, 1) + link(x, v, i, j, -1, -1)
        elif SPRINGS:
            bending = link(x, v, i, j, 2, 0) + link(x, v, i, j, -2, 0)
            total += bending + link(x, v, i, j, 0, 2) + link(x, v, i, j, 0, -2)
        if LOAD == "in a wind":
            # air slips along the cloth
            normal = normals[i, j]
            total += AIR_DRAG * wp.dot(load - v[i, j], normal) * normal
        elif LOAD == "under gravity":
            total += mass[i, j] * load
        else:
            total -= AIR_DRAG * v[i, j]
        if WANTED == "The force on":
            f[i, j] = total
        elif WANTED == "The acceleration of":
            f[i, j] = total / mass[i, j]
        else:
            v_new[i, j] = v[i, j] + dt / mass[i, j] * total


@idiom(level=5, names=NAMES | {"kernel": "step_network integrate_lattice", "moved": "moved x_new next_x"})
def relax_spring_network(c):
    """One {SCHEME} step of a network of {LAW} springs{ANCHOR}{FLOOR}."""
    particles, springs = c.size(6, 9), c.size(12, 18)
    SCHEME = c.meaning("symplectic Euler", "damped position Verlet", "overdamped")
    LAW, ANCHOR = c.meaning("linear", "logarithmic", "tension-only"), c.meaning("", " with fixed nodes")
    FLOOR = c.meaning(" that bounces off the floor", " that cannot sink into the floor", "")
    Vec = c.vec(c.meaning(3, 2))
    STIFFNESS, DAMPING, BOUNCE = c.constant(4.0, 9.0), c.constant(0.2, 0.9), c.constant(0.3, 0.9)
    FRICTION, LEVEL = c.constant(1.0, 4.0), c.constant(-0.6, -0.4)
    c.once("ends of the domain", ANCHOR)

    def tension(length: float, relaxed: float) -> float:
        """The pull of a spring, by how long it is and should be."""
        if LAW == "logarithmic":
            return STIFFNESS * wp.log(length / relaxed)
        else:
            return STIFFNESS * (length - relaxed)

    @c.kernel(particles)
    def kernel(
        x: wp.array[Vec] = given(particles, low=-0.8, high=0.8, of="position"),
        v: wp.array[Vec] = given(particles, low=-3.0, high=3.0, of="velocity"),
        previous: wp.array[Vec] = given(particles, low=-0.8, high=0.8),
        mass: wp.array[float] = given(particles, low=0.2, high=1.0, of="mass"),
        fixed: wp.array[int] = given(particles, low=0, high=1),
        offsets: wp.array[int] = given(particles + 1, low=0, high=springs, trait="offsets"),
        others: wp.array[int] = given(springs, low=0, high=particles - 1),
        rest: wp.array[float] = given(springs, low=0.3, high=1.0),
        gravity: Vec = given(low=-4.0, high=4.0),
        dt: float = given(low=0.05, high=0.3),
        moved: wp.array[Vec] = result(particles, of="position"),
        v_new: wp.array[Vec] = result(particles, of="velocity"),
    ):
        i = wp.tid()
        here = x[i]
        if ANCHOR:
            if fixed[i] == 1:
                moved[i] = here
                if SCHEME == "symplectic Euler":
                    v_new[i] = Vec()
                return
        total = mass[i] * gravity
        for k in range(offsets[i], offsets[i + 1]):
            d = x[others[k]] - here
            length = wp.length(d)
            if LAW == "tension-only":
                # what is slack neither pulls nor damps
                if length <= rest[k]:
                    continue
            else:
                # two nodes at one point have no direction
                if length < 1.0e-4:
                    continue
            n = d / length
            if SCHEME == "symplectic Euler":
                speed = wp.dot(v[others[k]] - v[i], n)
                total += (tension(length, rest[k]) + DAMPING * speed) * n
            else:
                total += tension(length, rest[k]) * n
        if SCHEME == "symplectic Euler":
            velocity = v[i] + dt / mass[i] * total
            target = here + dt * velocity
        elif SCHEME == "damped position Verlet":
            target = here + (1.0 - DAMPING) * (here - previous[i]) + dt * dt / mass[i] * total
        else:
            target = here + dt / FRICTION * total
        if FLOOR:
            if target[1] < LEVEL:
                if FLOOR == " that bounces off the floor":
                    target[1] = LEVEL + BOUNCE * (LEVEL - target[1])
                    if SCHEME == "symplectic Euler":
                        # what rises already goes on
                        velocity[1] = wp.max(velocity[1], -BOUNCE * velocity[1])
                else:
                    target[1] = LEVEL
                    if SCHEME == "symplectic Euler":
                        velocity[1] = wp.max(velocity[1], 0.0)
        moved[i] = target
        if SCHEME == "symplectic Euler":
            v_new[i] = velocity


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "pull_to_anchors tether_forces",
        "anchors": "anchors homes targets",
        "d": "d away offset",
        "here": "here p place",
    },
)
def anchor_springs(c):
    """The {WANTED} {OF} particles that {LAW} ties to {ANCHOR}{DAMP}."""
    n = c.size()
    WANTED = c.meaning("force", "acceleration", "energy")
    LAW = c.meaning(
        "a linear spring", "a spring of finite length", "a hardening spring", "a softening spring"
    )
    OF = "on" if WANTED == "force" else "of"
    ANCHOR = c.meaning("their anchors", "one anchor", "an axis through the origin")
    DAMP = c.meaning("", ", with linear drag") if WANTED != "energy" else ""
    STIFFNESS, REST, HARDENING, DRAG = (
        c.constant(3.0, 20.0), c.constant(0.2, 0.8), c.constant(0.5, 2.0), c.constant(0.5, 3.0),
    )  # fmt: skip
    c.once("anchor")
    c.once("drag", DAMP)
    if WANTED == "energy":
        c.names({"kernel": "anchor_energies tether_energies"})
    elif WANTED == "acceleration":
        c.names({"f": "acc accelerations", "kernel": "pull_to_anchors tether_accelerations"})

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="velocity"),
        anchors: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        mass: wp.array[float] = given(n, low=0.4, high=2.0),
        anchor: wp.vec3 = given(low=-1.0, high=1.0),
        axis: wp.vec3 = given(low=-1.0, high=1.0, trait="unit"),
        f: wp.array[wp.vec3] = result(n, of=WANTED),
        energy: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if ANCHOR == "their anchors":
            d = anchors[i] - x[i]
        elif ANCHOR == "one anchor":
            d = anchor - x[i]
        else:
            # straight to the nearest point of the axis
            d = wp.dot(x[i], axis) * axis - x[i]
        if WANTED == "energy":
            if LAW == "a linear spring":
                energy[i] = 0.5 * STIFFNESS * wp.length_sq(d)
            elif LAW == "a spring of finite length":
                stretch = wp.length(d) - REST
                energy[i] = 0.5 * STIFFNESS * stretch * stretch
            elif LAW == "a hardening spring":
                square = wp.length_sq(d)
                energy[i] = STIFFNESS * square * (0.5 + 0.25 * HARDENING * square)
            else:
                energy[i] = STIFFNESS * (wp.sqrt(1.0 + wp.length_sq(d)) - 1.0)
        else:
            if LAW == "a linear spring":
                force = STIFFNESS * d
            elif LAW == "a spring of finite length":
                force = STIFFNESS * (1.0 - REST / wp.length(d)) * d
            elif LAW == "a hardening spring":
                force = STIFFNESS * (1.0 + HARDENING * wp.length_sq(d)) * d
            else:
                force = STIFFNESS / wp.sqrt(1.0 + wp.length_sq(d)) * d
            if DAMP:
                force -= DRAG * v[i]
            if WANTED == "acceleration":
                f[i] = force / mass[i]
            else:
                f[i] = force


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "twist_rods restoring_torques",
        "q": "q rotations frames",
        "turn": "turn difference relative",
        "away": "away vector_part imaginary",
        "w": "w spins angular_velocities",
        "torque": "torque moment tau",
        "out": "out torques energies",
        "a b": "a b | tail head | parent child",
    },
)
def torsion_springs(c):
    """The {WANTED} of torsion springs that turn {BODIES}, by {ANGLE}{DAMP}."""
    n, m = c.size(), c.size(5, 8)
    WANTED, BODIES = (
        c.meaning("torques", "energies"),
        c.meaning("bodies to their poses", "pairs of bodies to one orientation"),
    )
    ANGLE = c.meaning("the shorter angle", "the sine of half the angle", "the direction of one axis")
    DAMP = c.meaning("", ", with damping") if WANTED == "torques" else ""
    PAIRS = BODIES == "pairs of bodies to one orientation"
    STIFFNESS, DAMPING = c.constant(2.0, 9.0), c.constant(0.3, 1.5)
    Wanted = c.vec(3) if WANTED == "torques" else float
    if WANTED == "torques":
        c.names({"out": "out torques"})
    else:
        c.names({"out": "out energies", "kernel": "twist_energies rod_energies"})

    @c.kernel(n)
    def kernel(
        q: wp.array[wp.quat] = given(m, low=-1.0, high=1.0, trait="unit"),
        poses: wp.array[wp.quat] = given(n, low=-1.0, high=1.0, trait="unit"),
        bodies: wp.array[int] = given(n, low=0, high=m - 1),
        others: wp.array[int] = given(n, low=0, high=m - 1),
        w: wp.array[wp.vec3] = given(m, low=-2.0, high=2.0),
        axis: wp.vec3 = given(low=-1.0, high=1.0, trait="unit"),
        out: wp.array[Wanted] = result(n),
    ):
        i = wp.tid()
        a = bodies[i]
        if PAIRS:
            b = others[i]
        if ANGLE != "the direction of one axis":
            # what is still to be turned
            if PAIRS:
                turn = q[b] * wp.quat_inverse(q[a])
            else:
                turn = poses[i] * wp.quat_inverse(q[a])
            away = wp.vec3(turn[0], turn[1], turn[2])
            if ANGLE == "the shorter angle":
                # the shorter way round
                angle = 2.0 * wp.atan2(wp.length(away), wp.abs(turn[3]))
                if WANTED == "energies":
                    out[i] = 0.5 * STIFFNESS * angle * angle
                else:
                    torque = STIFFNESS * angle * wp.sign(turn[3]) * wp.normalize(away)
            else:
                if WANTED == "energies":
                    out[i] = 2.0 * STIFFNESS * wp.dot(away, away)
                else:
                    torque = 2.0 * STIFFNESS * turn[3] * away
        else:
            here = wp.quat_rotate(q[a], axis)
            if PAIRS:
                there = wp.quat_rotate(q[b], axis)
            else:
                there = wp.quat_rotate(poses[i], axis)
            if WANTED == "energies":
                out[i] = STIFFNESS * (1.0 - wp.dot(here, there))
            else:
                torque = STIFFNESS * wp.cross(here, there)
        if WANTED == "torques":
            if DAMP:
                if PAIRS:
                    out[i] = torque + DAMPING * (w[b] - w[a])
                else:
                    out[i] = torque - DAMPING * w[a]
            else:
                out[i] = torque
