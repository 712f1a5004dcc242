"""Constraints of bending: hinges, rods, strands of hair."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .constraints import NAMES


@idiom(
    level=4,
    names=NAMES | {"kernel": "solve_bending project_bends", "i j k": "i j k | i0 i1 i2", "t": "t tid bend"},
)
def bending_correction(c):
    """Adds up the corrections that bring {SAID}{SOFT}{MASSES}."""
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

    @c.kernel(m)
    def kernel(
        x: wp.array[wp.vec3] = given(4 * n, low=-1.0, high=1.0),
        w: wp.array[float] = given(4 * n, low=0.2, high=2.0),
        firsts: wp.array[int] = given(m, low=0, high=n - 1),
        seconds: wp.array[int] = given(m, low=n, high=2 * n - 1),
        thirds: wp.array[int] = given(m, low=2 * n, high=3 * n - 1),
        fourths: wp.array[int] = given(m, low=3 * n, high=4 * n - 1),
        rest: wp.array[float] = given(m, low=0.3, high=1.2),
        dx: wp.array[wp.vec3] = result(4 * n),
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
    """Steps strands{OWN} {ROOT}{OBSTACLE}, in sweeps that {LINKS}{BEND}."""
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

    @c.kernel(strands)
    def kernel(
        x: wp.array2d[wp.vec3] = updated(strands, nodes, low=-1.0, high=1.0),
        v: wp.array2d[wp.vec3] = updated(strands, nodes, low=-1.0, high=1.0),
        old: wp.array2d[wp.vec3] = updated(strands, nodes, low=-1.0, high=1.0),
        gravity: wp.vec3 = given(low=-9.0, high=9.0),
        centre: wp.vec3 = given(low=-0.3, high=0.3),
        rest_length: float = given(low=0.2, high=0.5),
        rests: wp.array[float] = given(strands, low=0.2, high=0.5),
        dt: float = given(low=0.1, high=0.3),
        sweeps: int = given(low=2, high=5),
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
    """The {WANTED} of hinges between two triangles{LESS}{SHAPE}, {BY}."""
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

    @c.kernel(m)
    def kernel(
        x: wp.array[wp.vec3] = given(4 * n, low=-1.0, high=1.0),
        firsts: wp.array[int] = given(m, low=0, high=n - 1),
        seconds: wp.array[int] = given(m, low=n, high=2 * n - 1),
        thirds: wp.array[int] = given(m, low=2 * n, high=3 * n - 1),
        fourths: wp.array[int] = given(m, low=3 * n, high=4 * n - 1),
        rest: wp.array[float] = given(m, low=-1.0, high=1.0),
        areas: wp.array[float] = given(m, low=0.5, high=2.0),
        out: wp.array[float] = result(m),
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
    """The {WANTED} of each {KIND} joint between two bodies, {BY}{FRAME}."""
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

    @c.kernel(n)
    def kernel(
        joints: wp.array[Joint] = given(n, low=-0.5, high=0.5),
        out: wp.array[Wanted] = result(n),
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
