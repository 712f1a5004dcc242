"""Springs in nets and cloths, at anchors, around axes."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp
from .springs import NAMES


@idiom(
    level=4,
    names=NAMES | {"kernel": "cloth_forces eval_cloth", "rows cols": "rows cols | height width | nu nv"},
)
def cloth_grid_force(c):
    """{WANTED} the nodes of a cloth of {LAW}{SPRINGS} {LOAD}; {EDGE}.

    Compute {WHAT} each node of a cloth that hangs in a grid of springs. Node (i, j) has the position `{x}[i,
    j]` and the velocity `{v}[i, j]`. {TIES}

    A spring of length L, with the unit vector N from the node to its neighbour and the rest length R, pulls
    the node with the force ({ELASTIC} + {DAMPING}·N·U)·N, where U is the neighbour's velocity less the
    node's.{SLACK} {OUTSIDE}

    {LOADED} {STORED} {HELD}
    """
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
    GUARDED = not SPRINGS and c.style(True, True, False)
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

    WHAT = {
        "The force on": "the force on",
        "The acceleration of": "the acceleration of",
        "The new velocity of": "the new velocity of",
    }[WANTED]
    TIES = "Springs tie it to its four neighbours in its row and column, with the rest length {REST}"
    if SPRINGS == ", diagonal ones too,":
        TIES += ", and to its four diagonal ones, with √2·{REST}"
    elif SPRINGS:
        TIES += ", and to the four that are two steps away in its row or column, with 2·{REST}"
    TIES += "."
    ELASTIC = "{STIFFNESS}·ln(L / R)" if LAW == "logarithmic springs" else "{STIFFNESS}·(L - R)"
    SLACK = ""
    if LAW == "threads":
        SLACK = " They are threads: one with L < R is slack and neither pulls nor damps."
    OUTSIDE = "There are no springs to places outside of the grid."
    if EDGE == "the cloth is a tube":
        OUTSIDE = "The cloth is a tube: the first and the last column are neighbours, while rows do not wrap."
    LOADED = {
        "in a wind": "The air adds {AIR_DRAG}·((W - V)·M)·M, where W is the wind {load}, V the node's "
        "velocity and M its normal in {normals}.",
        "under gravity": "Gravity adds {mass} times {load}.",
        "in still air": "Still air adds -{AIR_DRAG} times the node's velocity.",
    }[LOAD]
    STORED = {
        "The force on": "Store the sum in {f}.",
        "The acceleration of": "Store the sum divided by {mass} in {f}.",
        "The new velocity of": "Store in {v_new} the old velocity plus {dt} / {mass} times the sum.",
    }[WANTED]
    HELD = {
        "the first row is held": "The first row is held: its results are zero.",
        "two corners are held": "The first and the last node of the first row are held: their results are "
        "zero.",
    }.get(EDGE, "")

    @c.kernel(rows, cols)
    def kernel(
        x: wp.array2d[wp.vec3] = input(rows, cols, low=-1.0, high=1.0),
        v: wp.array2d[wp.vec3] = input(rows, cols, low=-1.0, high=1.0),
        normals: wp.array2d[wp.vec3] = input(rows, cols, low=-1.0, high=1.0, trait="unit"),
        mass: wp.array2d[float] = input(rows, cols, low=0.5, high=2.0),
        load: wp.vec3 = input(low=-9.0, high=9.0),
        dt: float = input(low=0.02, high=0.1),
        v_new: wp.array2d[wp.vec3] = output(rows, cols),
        f: wp.array2d[wp.vec3] = output(rows, cols),
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
    """One {SCHEME} step of a network of {LAW} springs{ANCHOR}{FLOOR}.

    Advance a network of springs by one {SCHEME} step. The springs of node i are the entries from
    `{offsets}[i]` up to but not including `{offsets}[i + 1]` of {others} (the other node) and {rest} (the
    length R at rest). A spring of length L, with the unit vector N to the other node, pulls the node with
    {TENSION}·N{DAMPED}. {SLACK} The total force F also has the weight, {mass} times {gravity}.

    {MOVE}{LANDING}{HELD} Store the new position in {moved}{ALSO}.
    """
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

    EULER = SCHEME == "symplectic Euler"
    TENSION = "{STIFFNESS}·ln(L / R)" if LAW == "logarithmic" else "{STIFFNESS}·(L - R)"
    DAMPED = ""
    if EULER:
        TENSION = "(" + TENSION + " + {DAMPING}·U·N)"
        DAMPED = ", where U is the velocity {v} of the other node less its own"
    SLACK = "Springs with L < 0.0001 exert no force."
    if LAW == "tension-only":
        SLACK = "Springs with L ≤ R are slack and exert no force at all."
    MOVE = {
        "symplectic Euler": "The velocity becomes {v} + {dt}·F / {mass}; then the position in {x} changes by "
        "{dt} times this new velocity.",
        "damped position Verlet": "The position X in {x} becomes X + (1 - {DAMPING})·(X - X0) + {dt}²·F / "
        "{mass}, where X0 is its place in {previous}.",
        "overdamped": "The position in {x} changes by {dt}·F / {FRICTION}.",
    }[SCHEME]
    LANDING = ""
    if FLOOR == " that bounces off the floor":
        LANDING = (
            " If the new y is below the floor, {LEVEL}, it is reflected to {LEVEL} + {BOUNCE}·({LEVEL} - y)"
        )
        LANDING += "; a y velocity W that points down then becomes -{BOUNCE}·W." if EULER else "."
    elif FLOOR:
        LANDING = " If the new y is below {LEVEL}, the floor, it becomes {LEVEL}"
        LANDING += ", and a y velocity that points down becomes 0." if EULER else "."
    HELD = ""
    if ANCHOR:
        HELD = " Nodes with {fixed} 1 stay in their place" + (", with zero velocity." if EULER else ".")
    ALSO = " and the new velocity in {v_new}" if EULER else ""

    @c.kernel(particles)
    def kernel(
        x: wp.array[Vec] = input(particles, low=-0.8, high=0.8, of="position"),
        v: wp.array[Vec] = input(particles, low=-3.0, high=3.0, of="velocity"),
        previous: wp.array[Vec] = input(particles, low=-0.8, high=0.8),
        mass: wp.array[float] = input(particles, low=0.2, high=1.0, of="mass"),
        fixed: wp.array[int] = input(particles, low=0, high=1),
        offsets: wp.array[int] = input(particles + 1, low=0, high=springs, trait="offsets"),
        others: wp.array[int] = input(springs, low=0, high=particles - 1),
        rest: wp.array[float] = input(springs, low=0.3, high=1.0),
        gravity: Vec = input(low=-4.0, high=4.0),
        dt: float = input(low=0.05, high=0.3),
        moved: wp.array[Vec] = output(particles, of="position"),
        v_new: wp.array[Vec] = output(particles, of="velocity"),
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
    """The {WANTED} {OF} particles that {LAW} ties to {ANCHOR}{DAMP}.

    Compute the {WANTED} {OF} particles, each tied to {ANCHORED} by {LAW}. With D the vector from the position
    {x} to {END} and |D| its length, the spring has {FORMULA}.{DRAGGED}{DIVIDED} Store it in {OUTPUT}.
    """
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
    ANCHORED = {
        "their anchors": "an anchor of its own",
        "one anchor": "one common anchor",
        "an axis through the origin": "an axis through the origin",
    }[ANCHOR]
    END = {
        "their anchors": "its entry of {anchors}",
        "one anchor": "{anchor}",
        "an axis through the origin": "the nearest point of the line along the unit vector {axis}",
    }[ANCHOR]
    FORCE = {
        "a linear spring": "{STIFFNESS}·D",
        "a spring of finite length": "{STIFFNESS}·(1 - {REST} / |D|)·D",
        "a hardening spring": "{STIFFNESS}·(1 + {HARDENING}·|D|²)·D",
        "a softening spring": "{STIFFNESS}·D / √(1 + |D|²)",
    }[LAW]
    POTENTIAL = {
        "a linear spring": "{STIFFNESS}/2·|D|²",
        "a spring of finite length": "{STIFFNESS}/2·(|D| - {REST})²",
        "a hardening spring": "{STIFFNESS}·(½·|D|² + {HARDENING}/4·|D|⁴)",
        "a softening spring": "{STIFFNESS}·(√(1 + |D|²) - 1)",
    }[LAW]
    FORMULA = "the energy {POTENTIAL}" if WANTED == "energy" else "the force {FORCE}"
    DRAGGED = " A linear drag, {DRAG} times the velocity {v}, is subtracted from it." if DAMP else ""
    DIVIDED = " Divide the total by the {mass}." if WANTED == "acceleration" else ""
    OUTPUT = "{energy}" if WANTED == "energy" else "{f}"

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="velocity"),
        anchors: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        mass: wp.array[float] = input(n, low=0.4, high=2.0),
        anchor: wp.vec3 = input(low=-1.0, high=1.0),
        axis: wp.vec3 = input(low=-1.0, high=1.0, trait="unit"),
        f: wp.array[wp.vec3] = output(n, of=WANTED),
        energy: wp.array[float] = output(n),
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
    """The {WANTED} of torsion springs that turn {BODIES}, by {ANGLE}{DAMP}.

    Compute the {WANTED} of torsion springs, {out}. Spring i turns {BOUND}. {MEASURED}

    {FORMULA}{DAMPED}
    """
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
    BOUND = "body `{bodies}[i]`, with its rotation A in {q}, to its pose B = `{poses}[i]`"
    if PAIRS:
        BOUND = "body `{bodies}[i]`, with its rotation A in {q}, towards the rotation B of body `{others}[i]`"
    MEASURED = "The rotation left is the quaternion B·A⁻¹, with the vector part V and the real part W."
    FORMULA = {
        "the shorter angle": "With the angle of the shorter way, T = 2·atan2(|V|, |W|), ",
        "the sine of half the angle": "",
        "the direction of one axis": "",
    }[ANGLE]
    if ANGLE == "the direction of one axis":
        MEASURED = "It looks at one direction only: P is {axis} rotated by A, and Q is {axis} rotated by B."
    if WANTED == "energies":
        FORMULA += {
            "the shorter angle": "the energy is {STIFFNESS}/2·T².",
            "the sine of half the angle": "The energy is 2·{STIFFNESS}·|V|².",
            "the direction of one axis": "The energy is {STIFFNESS}·(1 - P·Q).",
        }[ANGLE]
    else:
        FORMULA += {
            "the shorter angle": "the torque is {STIFFNESS}·T times the unit vector along V, with the sign "
            "of W (+ for 0).",
            "the sine of half the angle": "The torque is 2·{STIFFNESS}·W·V.",
            "the direction of one axis": "The torque is {STIFFNESS} times the cross product P × Q.",
        }[ANGLE]
    SPIN = "(second body less first body) is added" if PAIRS else "of the body is subtracted"
    DAMPED = " Damping: {DAMPING} times the angular velocity {w} {SPIN}." if DAMP else ""

    @c.kernel(n)
    def kernel(
        q: wp.array[wp.quat] = input(m, low=-1.0, high=1.0, trait="unit"),
        poses: wp.array[wp.quat] = input(n, low=-1.0, high=1.0, trait="unit"),
        bodies: wp.array[int] = input(n, low=0, high=m - 1),
        others: wp.array[int] = input(n, low=0, high=m - 1),
        w: wp.array[wp.vec3] = input(m, low=-2.0, high=2.0),
        axis: wp.vec3 = input(low=-1.0, high=1.0, trait="unit"),
        out: wp.array[Wanted] = output(n),
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
