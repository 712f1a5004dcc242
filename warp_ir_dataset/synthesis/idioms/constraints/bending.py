"""Constraints of bending: hinges, rods, strands of hair."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .constraints import NAMES


@idiom(
    level=4,
    names=NAMES | {"kernel": "solve_bending project_bends", "i j k": "i j k | i0 i1 i2", "t": "t tid bend"},
)
def bending_correction(c):
    """Adds up the corrections that bring {SAID}{SOFT}{MASSES}.

    Find position corrections against bending: {dx}, zero at the start, gets the sums of the corrections that
    bring {SAID}. Constraint t has the particles i, j{NAMED} = `{firsts}[t]`, `{seconds}[t]`, {LISTED}; y
    stands for positions in {x}. {MEASURE}

    The step is s = {STEP}, where W is the sum of {WEIGHTS}|g|² over the particles{SUMMED}. Each particle
    moves by {MOVED}.
    """
    m, n = c.size(6, 9), c.size(3, 5)
    BODY = c.meaning("middle", "bend", "hinge")
    REST = c.meaning("its rest value", "straightness")
    SOFT, MASSES = c.meaning("", ", with compliance", ", under-relaxed"), c.meaning("", ", for equal masses")
    SAID = {
        "middle": "the middle of three particles to their centroid",
        "bend": "three particles into line",
        "hinge": "hinges between two triangles flat",
    }[BODY]
    if REST == "its rest value":
        SAID = {
            "middle": "the middle of three particles to its rest distance from their centroid",
            "bend": "the bends of three particles to their rest angles",
            "hinge": "hinges between two triangles to their rest angles",
        }[BODY]
    COMPLIANCE, PART = c.constant(0.1, 0.9), c.constant(0.2, 0.9)

    WEIGHED = "whose" if MASSES else "whose weighted"

    def step_of(gap: float, total: float) -> float:
        """How far to go along the gradients, {WEIGHED} squares sum to total."""
        if SOFT == ", with compliance":
            return -gap / (total + COMPLIANCE)
        elif SOFT == ", under-relaxed":
            return -PART * gap / (total + 1.0e-3)
        else:
            return -gap / (total + 1.0e-3)

    HINGE = BODY == "hinge"
    NAMED = ", k, l" if HINGE else ", k"
    LISTED = "`{thirds}[t]`, `{fourths}[t]`" if HINGE else "`{thirds}[t]`"
    LESS = " - `{rest}[t]`" if REST == "its rest value" else ""
    MEASURE = {
        "middle": (
            "Let d = (y_i + y_j + y_k) / 3 - y_j and e = d / |d|. The value is C = |d|{LESS}, and its "
            "gradients are g_i = g_k = e / 3 and g_j = -2·e / 3."
        ),
        "bend": (
            "With a = y_j - y_i, b = y_k - y_j and n the unit vector along a × b, the value is C = "
            "atan2(|a × b|, a·b){LESS}, and its gradients are g_i = (n × a) / |a|², g_k = (n × b) / |b|² "
            "and g_j = -(g_i + g_k)."
        ),
        "hinge": (
            "The hinge is the edge e = y_j - y_i, with the wings k and l. With the normals p = (y_k - "
            "y_i) × e and q = e × (y_l - y_i), the value is C = atan2((p × q)·e / |e|, p·q){LESS}. With "
            "a = (y_k - y_i)·e / |e|² and b = (y_l - y_i)·e / |e|², its gradients are g_k = |e|·p / "
            "|p|², g_l = |e|·q / |q|², g_j = -a·g_k - b·g_l and g_i = (a - 1)·g_k + (b - 1)·g_l."
        ),
    }[BODY]
    STEP = {
        "": "-C / (W + 0.001)",
        ", with compliance": "-C / (W + {COMPLIANCE}), with compliance",
        ", under-relaxed": "-{PART}·C / (W + 0.001)",
    }[SOFT]
    WEIGHTS = "" if MASSES else "the inverse mass {w} times "
    SUMMED = ""
    if BODY == "middle":
        SUMMED = ", 2/3 in all" if MASSES else ", that is (m_i + 4·m_j + m_k) / 9 for these inverse masses m"
    MOVED = "s times its gradient" if MASSES else "s times its inverse mass times its gradient"

    @c.kernel(m)
    def kernel(
        x: wp.array[wp.vec3] = input(4 * n, low=-1.0, high=1.0),
        w: wp.array[float] = input(4 * n, low=0.2, high=2.0),
        firsts: wp.array[int] = input(m, low=0, high=n - 1),
        seconds: wp.array[int] = input(m, low=n, high=2 * n - 1),
        thirds: wp.array[int] = input(m, low=2 * n, high=3 * n - 1),
        fourths: wp.array[int] = input(m, low=3 * n, high=4 * n - 1),
        rest: wp.array[float] = input(m, low=0.3, high=1.2),
        dx: wp.array[wp.vec3] = output(4 * n),
    ):
        t = wp.tid()
        i = firsts[t]
        j = seconds[t]
        k = thirds[t]
        if BODY == "middle":
            # from the middle particle to the centroid of all three
            d = (x[i] + x[j] + x[k]) / 3.0 - x[j]
            length = wp.length(d)
            gi = wp.normalize(d) / 3.0
            gj = -2.0 * gi
            total = 2.0 / 3.0 if MASSES else (w[i] + 4.0 * w[j] + w[k]) / 9.0
            step = step_of(length, total) if REST == "straightness" else step_of(length - rest[t], total)
            dx[i] += step * gi if MASSES else step * w[i] * gi
            dx[j] += step * gj if MASSES else step * w[j] * gj
            dx[k] += step * gi if MASSES else step * w[k] * gi
        elif BODY == "bend":
            a = x[j] - x[i]
            b = x[k] - x[j]
            normal = wp.normalize(wp.cross(a, b))
            gap = wp.atan2(wp.length(wp.cross(a, b)), wp.dot(a, b))
            if REST != "straightness":
                gap -= rest[t]
            gi = wp.cross(normal, a) / wp.dot(a, a)
            gk = wp.cross(normal, b) / wp.dot(b, b)
            gj = -(gi + gk)
            if MASSES:
                total = wp.dot(gi, gi) + wp.dot(gj, gj) + wp.dot(gk, gk)
            else:
                total = w[i] * wp.dot(gi, gi) + w[j] * wp.dot(gj, gj) + w[k] * wp.dot(gk, gk)
            step = step_of(gap, total)
            dx[i] += step * gi if MASSES else step * w[i] * gi
            dx[j] += step * gj if MASSES else step * w[j] * gj
            dx[k] += step * gk if MASSES else step * w[k] * gk
        else:
            m = fourths[t]
            edge = x[j] - x[i]
            # the bend is positive where both wings rise along these normals
            n1 = wp.cross(x[k] - x[i], edge)
            n2 = wp.cross(edge, x[m] - x[i])
            length = wp.length(edge)
            gap = wp.atan2(wp.dot(wp.cross(n1, n2), edge) / length, wp.dot(n1, n2))
            if REST != "straightness":
                gap -= rest[t]
            gk = length / wp.dot(n1, n1) * n1
            gm = length / wp.dot(n2, n2) * n2
            # where along the edge the tips of both wings are, from zero to one
            foot1 = wp.dot(x[k] - x[i], edge) / (length * length)
            foot2 = wp.dot(x[m] - x[i], edge) / (length * length)
            gj = -foot1 * gk - foot2 * gm
            gi = (foot1 - 1.0) * gk + (foot2 - 1.0) * gm
            if MASSES:
                total = wp.dot(gk, gk) + wp.dot(gm, gm) + wp.dot(gi, gi) + wp.dot(gj, gj)
            else:
                total = w[k] * wp.dot(gk, gk) + w[m] * wp.dot(gm, gm)
                total += w[i] * wp.dot(gi, gi) + w[j] * wp.dot(gj, gj)
            step = step_of(gap, total)
            dx[i] += step * gi if MASSES else step * w[i] * gi
            dx[j] += step * gj if MASSES else step * w[j] * gj
            dx[k] += step * gk if MASSES else step * w[k] * gk
            dx[m] += step * gm if MASSES else step * w[m] * gm


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "simulate_strands hair_step",
        "s": "s tid strand",
        "sweeps": "sweeps iterations rounds",
        "rest_length": "rest_length link_length spacing",
        "rests": "rests rest_lengths link_lengths",
        "rest": "rest rest_dist",
    },
)
def strand_solver(c):
    """Steps strands{OWN} {ROOT}{OBSTACLE}, in sweeps that {LINKS}{BEND}.

    Step strands of particles by position based dynamics, in place. Row s of {x} holds the positions of strand
    s and row s of {v} their velocities; particle 0 is held{ENDS}. The links have the rest length L =
    {LINKED}.

    First each free particle is predicted: with u = (1 - {DAMPING}·{dt})·{v} + {dt}·{gravity}, its position
    goes to {old} and then moves by {dt}·u. Then do {sweeps} sweeps, always with the latest positions.
    {RODS}{UNBEND}{AROUND} After the sweeps, {v} of each free particle becomes its position less {old}, over
    {dt}.
    """
    strands, nodes = c.size(4, 7), c.size(4, 6)
    LINKS = c.meaning(
        "correct their rods in turn",
        "drag their rods by follow-the-leader",
        "tighten their threads in turn",
    )
    THREADS = "threads" in LINKS
    BEND, ROOT = c.meaning("", " and unbend them"), c.meaning("held at the root", "held at both ends")
    # one pass of follow-the-leader would be enough for free strands
    FREE = () if "leader" in LINKS and "root" in ROOT and not BEND else ("",)
    OBSTACLE = c.meaning(", around a ball", ", over a floor", *FREE)
    OWN = c.meaning("", " with link lengths of their own,")
    DAMPING, STIFFNESS = c.constant(0.5, 2.0), c.constant(0.2, 0.9)
    RADIUS, FLOOR = c.constant(0.4, 0.8), c.constant(-0.8, -0.4)
    LONG = "long" if THREADS else "long (or, negative, too short)"

    def excess(d: wp.vec3, wanted: float) -> wp.vec3:
        """By how much a link is too {LONG}, along it."""
        length = wp.length(d)
        if THREADS:
            return wp.max(1.0 - wanted / length, 0.0) * d
        else:
            return (1.0 - wanted / length) * d

    BOTH = ROOT == "held at both ends"
    ENDS = ", and the last particle as well" if BOTH else ""
    LINKED = "`{rests}[s]`" if OWN else "{rest_length}"
    KINK = "the excess of the link, that is (1 - L / |d|)·d, where d goes from the particle before it to it"
    if THREADS:
        KINK = (
            "the excess of the link, that is max(1 - L / |d|, 0)·d, where d goes from the particle before it "
            "to it"
        )
    RODS = "Along the strand from particle 1 on, each free particle moves by the negative of " + KINK
    if LINKS == "drag their rods by follow-the-leader":
        RODS += "; the one before it stays (follow-the-leader)."
    else:
        RODS = "Along the strand from particle 1 on, each free particle moves back by half of " + KINK
        RODS += (
            ", and the one before it forth by as much; but particle 1 moves back by all of it, as particle 0 "
            "is held."
        )
    if BOTH:
        RODS += (
            " After these, the last free particle moves by the negative of the excess of its link to the "
            "last particle, now with d from that one to it."
        )
    UNBEND = ""
    if BEND:
        UNBEND = (
            " Then the strand unbends: along it from particle 2 on, each free particle moves by "
            "-{STIFFNESS}·{FOLDED}, where d goes from the particle two before it to it."
        )
        FOLDED = "min(1 - 2·L / |d|, 0)·d" if THREADS else "(1 - 2·L / |d|)·d"
    AROUND = ""
    if OBSTACLE == ", around a ball":
        AROUND = (
            " Finally, free particles nearer than {RADIUS} to {centre} are moved straight away from it to "
            "that distance."
        )
    elif OBSTACLE:
        AROUND = " Finally, free particles with y below {FLOOR} are lifted to it."

    @c.kernel(strands)
    def kernel(
        x: wp.array2d[wp.vec3] = inout(strands, nodes, low=-1.0, high=1.0),
        v: wp.array2d[wp.vec3] = inout(strands, nodes, low=-1.0, high=1.0),
        old: wp.array2d[wp.vec3] = inout(strands, nodes, low=-1.0, high=1.0),
        gravity: wp.vec3 = input(low=-9.0, high=9.0),
        centre: wp.vec3 = input(low=-0.3, high=0.3),
        rest_length: float = input(low=0.2, high=0.5),
        rests: wp.array[float] = input(strands, low=0.2, high=0.5),
        dt: float = input(low=0.1, high=0.3),
        sweeps: int = input(low=2, high=5),
    ):
        s = wp.tid()
        rest = rests[s] if OWN else rest_length
        end = x.shape[1] - 1 if ROOT == "held at both ends" else x.shape[1]
        for k in range(1, end):
            u = (1.0 - DAMPING * dt) * v[s, k] + dt * gravity
            old[s, k] = x[s, k]
            x[s, k] = x[s, k] + dt * u
        for _ in range(sweeps):
            for k in range(1, end):
                link = excess(x[s, k] - x[s, k - 1], rest)
                if LINKS == "drag their rods by follow-the-leader":
                    x[s, k] = x[s, k] - link
                else:
                    # the root does not yield
                    if k == 1:
                        x[s, k] = x[s, k] - link
                    else:
                        x[s, k] = x[s, k] - 0.5 * link
                        x[s, k - 1] = x[s, k - 1] + 0.5 * link
            if ROOT == "held at both ends":
                x[s, end - 1] = x[s, end - 1] - excess(x[s, end - 1] - x[s, end], rest)
            if BEND:
                for k in range(2, end):
                    if THREADS:
                        # what is folded is pushed apart
                        fold = x[s, k] - x[s, k - 2]
                        x[s, k] = x[s, k] - STIFFNESS * wp.min(1.0 - 2.0 * rest / wp.length(fold), 0.0) * fold
                    else:
                        x[s, k] = x[s, k] - STIFFNESS * excess(x[s, k] - x[s, k - 2], 2.0 * rest)
            if OBSTACLE == ", around a ball":
                for k in range(1, end):
                    d = x[s, k] - centre
                    if wp.length(d) < RADIUS:
                        x[s, k] = centre + RADIUS * wp.normalize(d)
            elif OBSTACLE == ", over a floor":
                for k in range(1, end):
                    p = x[s, k]
                    x[s, k] = wp.vec3(p[0], wp.max(p[1], FLOOR), p[2])
        for k in range(1, end):
            v[s, k] = (x[s, k] - old[s, k]) / dt


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "hinge_angles bend_angles measure_bends",
        "t": "t hinge tid",
        "i j": "i j | i0 i1 | tail head",
        "edge": "edge axis hinge_axis",
        "n1 n2": "n1 n2 | left_normal right_normal | na nb",
        "angle": "angle theta bend",
        "out": "out angles found",
    },
)
def dihedral_angles(c):
    """The {WANTED} of hinges between two triangles{LESS}{SHAPE}, {BY}.

    Measure the dihedral angles of hinges between two triangles. Hinge t has the edge from particle i =
    `{firsts}[t]` to j = `{seconds}[t]`, and the tips k = `{thirds}[t]` and l = `{fourths}[t]` beside it. With
    y for positions in {x} and e for the unit vector along the edge, p is the unit normal along (y_k - y_i) ×
    e and q that along e × (y_l - y_i). The angle θ is {ANGLE}; it is 0 for a flat hinge. {STORED}
    """
    m, n = c.size(6, 10), c.size(3, 5)
    WANTED = c.meaning("signed angles", "bending energies", "bending moments")
    if WANTED != "signed angles":
        c.names(
            {"kernel": "hinge_energies bending_energies", "out": "out energies"}
            if WANTED == "bending energies"
            else {"kernel": "hinge_moments bending_moments", "out": "out moments"}
        )
    HOW = c.meaning("the arctangent", "the arccosine", "the tangent of half the angle")
    BY = f"by {HOW}" if WANTED == "signed angles" else f"from angles by {HOW}"
    LESS = c.meaning(
        "", " beyond their rest angles" if WANTED == "signed angles" else " about their rest angles"
    )
    SHAPE = c.meaning("", ", stiffer the longer and narrower they are") if WANTED != "signed angles" else ""
    STIFFNESS = c.constant(0.5, 3.0)
    ANGLE = {
        "the arctangent": "atan2((p × q)·e, p·q)",
        "the arccosine": "the arccosine of p·q, which is clamped to [-1, 1], with the sign of (p × q)·e (+ "
        "for 0)",
        "the tangent of half the angle": "2·atan2(|p - q|, |p + q|), with the sign of (p × q)·e (+ for 0)",
    }[HOW]
    DEFLECTION = "(θ - `{rest}[t]`)" if LESS else "θ"
    K = "{STIFFNESS}"
    if SHAPE:
        K = "K"
    STORED = {
        "signed angles": "{out} gets {DEFLECTION}.",
        "bending energies": "{out} gets the bending energy ½·{K}·{DEFLECTION}²{STIFFER}.",
        "bending moments": "{out} gets the bending moment -{K}·{DEFLECTION}{STIFFER}.",
    }[WANTED]
    STIFFER = ""
    if SHAPE:
        STIFFER = ", where K = {STIFFNESS}·|y_j - y_i|² / `{areas}[t]`"
    if LESS and WANTED == "signed angles":
        STORED = "{out} gets θ - `{rest}[t]`."

    @c.kernel(m)
    def kernel(
        x: wp.array[wp.vec3] = input(4 * n, low=-1.0, high=1.0),
        firsts: wp.array[int] = input(m, low=0, high=n - 1),
        seconds: wp.array[int] = input(m, low=n, high=2 * n - 1),
        thirds: wp.array[int] = input(m, low=2 * n, high=3 * n - 1),
        fourths: wp.array[int] = input(m, low=3 * n, high=4 * n - 1),
        rest: wp.array[float] = input(m, low=-1.0, high=1.0),
        areas: wp.array[float] = input(m, low=0.5, high=2.0),
        out: wp.array[float] = output(m),
    ):
        t = wp.tid()
        i = firsts[t]
        j = seconds[t]
        edge = wp.normalize(x[j] - x[i])
        n1 = wp.normalize(wp.cross(x[thirds[t]] - x[i], edge))
        n2 = wp.normalize(wp.cross(edge, x[fourths[t]] - x[i]))
        if HOW == "the arctangent":
            # the sign says to which side the hinge is bent
            angle = wp.atan2(wp.dot(wp.cross(n1, n2), edge), wp.dot(n1, n2))
        elif HOW == "the arccosine":
            angle = wp.acos(wp.clamp(wp.dot(n1, n2), -1.0, 1.0))
            angle *= wp.sign(wp.dot(wp.cross(n1, n2), edge))
        else:
            # as right for flat hinges as for folded ones
            half = wp.atan2(wp.length(n1 - n2), wp.length(n1 + n2))
            angle = 2.0 * wp.sign(wp.dot(wp.cross(n1, n2), edge)) * half
        if LESS:
            angle -= rest[t]
        if SHAPE:
            # by the square of the edge over the area of both triangles
            stiffness = STIFFNESS * wp.length_sq(x[j] - x[i]) / areas[t]
        if WANTED == "signed angles":
            out[t] = angle
        elif WANTED == "bending energies":
            out[t] = 0.5 * (stiffness if SHAPE else STIFFNESS) * angle * angle
        else:
            out[t] = -(stiffness if SHAPE else STIFFNESS) * angle


@idiom(
    level=3,
    names={
        "joints": "joints links couplings",
        "joint": "joint link coupling",
        "gap": "gap drift offset",
        "tilt": "tilt misalignment swing",
        "pivot": "pivot hold socket",
    },
)
def joint_errors(c):
    """The {WANTED} of each {KIND} joint between two bodies, {BY}{FRAME}.

    Find the {WANTED} of each of {joints}, {KIND} joints between two bodies, a parent and a child. The pose of
    a body, `parent` or `child`, has its origin at `place` and is turned by the quaternion `turn`, normalized
    first. Its anchor is the point `arm` in its own frame. Let d be the vector from the parent's anchor to the
    child's, in {WHICH}. {AXIS}{BEYOND}{TILT}{out} gets {RESULT}.
    """
    n = c.size()
    WANTED = c.meaning("error", "energy", "force on the child")
    # what keeps the angles of hinges, sliders and fixed joints is a torque
    KIND = c.meaning("ball", "sliding", *(("hinge", "fixed") if WANTED != "force on the child" else ()))
    # lengths are the same in every frame
    LOCAL = (", in the parent's frame",) if WANTED == "force on the child" else ()
    FRAME, SOFT = c.meaning("", *LOCAL), c.meaning("", " beyond a slack")
    STIFFNESS, TURNING, SLACK = c.constant(2.0, 9.0), c.constant(0.3, 1.5), c.constant(0.3, 0.6)
    Wanted = c.vec(3) if WANTED == "force on the child" else float
    TURNS = KIND != "ball" and WANTED != "force on the child"
    ANGLE = (" and the angle of its axes" if KIND == "hinge" else " and the bodies' angle") if TURNS else ""
    BY = f"by the distance of its anchors{' across its axis' if KIND == 'sliding' else ''}{SOFT}{ANGLE}"
    c.names(
        {
            "error": {"kernel": "joint_errors measure_joints", "out": "out errors residuals"},
            "energy": {"kernel": "joint_energies measure_joints", "out": "out energies"},
            "force on the child": {"kernel": "joint_forces pull_joints", "out": "out forces pulls"},
        }[WANTED]
    )

    class Anchor:
        place: wp.vec3
        turn: wp.quat
        arm: wp.vec3

    class Joint:
        parent: Anchor
        child: Anchor
        if KIND in ("hinge", "sliding"):
            axis: wp.vec3

    WHICH = "the parent's frame" if FRAME else "the world"
    AXIS = ""
    if KIND == "sliding":
        AXIS = (
            "Along the axis, `axis` normalized in the parent's frame, the joint is free: remove the part "
            "of d along it. "
        )
    FORCE = WANTED == "force on the child"
    BEYOND = ""
    GAP = "|d|"
    if SOFT:
        GAP = "c"
        BEYOND = "Let c = max(|d| - {SLACK}, 0), the distance beyond a slack. "
    TILT = ""
    if TURNS:
        TILT = (
            "Let θ be the unsigned angle between `axis`, normalized, as turned by the parent and as "
            "turned by the child. "
        )
        if KIND != "hinge":
            TILT = "Let θ be the angle, from 0 to π, by which the child is turned relative to the parent. "
    RESULT = {
        "error": "{GAP} + {TURNING}·θ" if TURNS else "{GAP}",
        "energy": "½·{STIFFNESS}·({GAP}² + {TURNING}·θ²)" if TURNS else "½·{STIFFNESS}·{GAP}²",
        "force on the child": "the force -{STIFFNESS}·c·d / |d|" if SOFT else "the force -{STIFFNESS}·d",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        joints: wp.array[Joint] = input(n, low=-0.5, high=0.5),
        out: wp.array[Wanted] = output(n),
    ):
        tid = wp.tid()
        joint = joints[tid]
        parent = wp.transform(joint.parent.place, wp.normalize(joint.parent.turn))
        child = wp.transform(joint.child.place, wp.normalize(joint.child.turn))
        # where the parent holds the child
        pivot = wp.transform_point(parent, joint.parent.arm)
        gap = wp.transform_point(child, joint.child.arm) - pivot
        if FRAME:
            gap = wp.transform_vector(wp.transform_inverse(parent), gap)
        if KIND == "sliding":
            # along the parent's axis the joint is free
            axis = wp.normalize(joint.axis)
            if not FRAME:
                axis = wp.transform_vector(parent, axis)
            gap -= wp.dot(gap, axis) * axis
        if SOFT or WANTED != "force on the child":
            distance = wp.length(gap)
        if SOFT and WANTED != "force on the child":
            distance = wp.max(distance - SLACK, 0.0)
        if TURNS:
            if KIND == "hinge":
                first = wp.quat_rotate(parent.q, wp.normalize(joint.axis))
                second = wp.quat_rotate(child.q, wp.normalize(joint.axis))
                tilt = wp.atan2(wp.length(wp.cross(first, second)), wp.dot(first, second))
            else:
                relative = wp.quat_inverse(parent.q) * child.q
                sine = wp.length(wp.vec3(relative.x, relative.y, relative.z))
                tilt = 2.0 * wp.atan2(sine, wp.abs(relative.w))
        if WANTED == "error":
            out[tid] = distance + TURNING * tilt if TURNS else distance
        elif WANTED == "energy":
            if TURNS:
                out[tid] = 0.5 * STIFFNESS * (distance * distance + TURNING * tilt * tilt)
            else:
                out[tid] = 0.5 * STIFFNESS * distance * distance
        elif SOFT:
            out[tid] = -STIFFNESS * wp.max(distance - SLACK, 0.0) / distance * gap
        else:
            out[tid] = -STIFFNESS * gap
