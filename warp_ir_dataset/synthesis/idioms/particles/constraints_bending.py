"""Constraints of bending: hinges, rods, strands of hair."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .constraints import NAMES


@idiom(
    level=4,
    names=NAMES | {"kernel": "solve_bending project_bends", "i j k": "i j k | i0 i1 i2", "t": "t tid bend"},
)
def bending_correction(c):
    """Corrections that bring {BODY} to {REST}{SOFT}{MASSES}."""
    m, n = c.size(6, 9), c.size(3, 5)
    BODY = c.meaning("the middle of three particles", "the angle of three particles", "the angle of hinges")
    REST = c.meaning("its rest value", "straightness")
    SOFT, MASSES = c.meaning("", ", with compliance", ", under-relaxed"), c.meaning("", ", of equal masses")
    COMPLIANCE, PART = c.constant(0.1, 0.9), c.constant(0.2, 0.9)

    def step_of(gap: float, total: float) -> float:
        """How far to go along the gradients, for the sum of their squares."""
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
        if BODY == "the middle of three particles":
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
        elif BODY == "the angle of three particles":
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
            n1 = wp.cross(x[k] - x[i], edge)
            n2 = wp.cross(edge, x[m] - x[i])
            length = wp.length(edge)
            # the angle is positive on the side of the first normal
            gap = wp.atan2(wp.dot(wp.cross(n1, n2), edge) / length, wp.dot(n1, n2))
            if REST != "straightness":
                gap -= rest[t]
            gk = length / wp.dot(n1, n1) * n1
            gm = length / wp.dot(n2, n2) * n2
            near = wp.dot(x[k] - x[i], edge) / (length * length)
            far = wp.dot(x[m] - x[i], edge) / (length * length)
            gj = -near * gk - far * gm
            gi = (near - 1.0) * gk + (far - 1.0) * gm
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
    names=NAMES
    | {"kernel": "simulate_strands hair_step", "s": "s tid strand", "sweeps": "sweeps iterations rounds"},
)
def strand_solver(c):
    """One step of strands of {LINKS}{BEND}, {ROOT}{OBSTACLE}."""
    strands, nodes = c.size(4, 7), c.size(4, 6)
    LINKS = c.meaning("rods solved in turn", "rods by follow-the-leader", "threads solved in turn")
    BEND, ROOT = c.meaning("", " that straighten"), c.meaning("held at the root", "held at both ends")
    # one pass of follow-the-leader would be enough for free strands
    FREE = () if "leader" in LINKS and "root" in ROOT and not BEND else ("",)
    OBSTACLE = c.meaning(", about a ball", ", on a floor", *FREE)
    REST, DAMPING, STIFF, SIZE = (
        c.constant(0.2, 0.5), c.constant(0.1, 0.6), c.constant(0.2, 0.9), c.constant(0.4, 0.8),
    )  # fmt: skip

    def pulled(d: wp.vec3, wanted: float) -> wp.vec3:
        """What must be taken from a distance vector to make it as long as it should be."""
        length = wp.length(d)
        if LINKS == "threads solved in turn":
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
        dt: float = given(low=0.1, high=0.3),
        sweeps: int = given(low=2, high=5),
    ):
        s = wp.tid()
        end = x.shape[1] - 1 if ROOT == "held at both ends" else x.shape[1]
        for k in range(1, end):
            u = (1.0 - DAMPING) * v[s, k] + dt * gravity
            old[s, k] = x[s, k]
            x[s, k] = x[s, k] + dt * u
        for _ in range(sweeps):
            for k in range(1, end):
                link = pulled(x[s, k] - x[s, k - 1], REST)
                if LINKS == "rods by follow-the-leader":
                    x[s, k] = x[s, k] - link
                else:
                    # the root does not yield
                    if k == 1:
                        x[s, k] = x[s, k] - link
                    else:
                        x[s, k] = x[s, k] - 0.5 * link
                        x[s, k - 1] = x[s, k - 1] + 0.5 * link
            if ROOT == "held at both ends":
                x[s, end - 1] = x[s, end - 1] - pulled(x[s, end - 1] - x[s, end], REST)
            if BEND:
                for k in range(2, end):
                    if LINKS == "threads solved in turn":
                        # what is bent is pushed apart
                        fold = x[s, k] - x[s, k - 2]
                        x[s, k] = x[s, k] - STIFF * wp.min(1.0 - 2.0 * REST / wp.length(fold), 0.0) * fold
                    else:
                        x[s, k] = x[s, k] - STIFF * pulled(x[s, k] - x[s, k - 2], 2.0 * REST)
            if OBSTACLE == ", about a ball":
                for k in range(1, end):
                    d = x[s, k] - centre
                    if wp.length(d) < SIZE:
                        x[s, k] = centre + SIZE * wp.normalize(d)
            elif OBSTACLE == ", on a floor":
                for k in range(1, end):
                    p = x[s, k]
                    x[s, k] = wp.vec3(p[0], wp.max(p[1], -SIZE), p[2])
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
    """The {WANTED} of hinges between two triangles, by {HOW}{LESS}{SHAPE}."""
    m, n = c.size(6, 10), c.size(3, 5)
    WANTED = c.meaning("angles", "bending energies", "bending moments")
    if WANTED != "angles":
        c.names(
            {"kernel": "hinge_energies bending_energies", "out": "out energies"}
            if WANTED == "bending energies"
            else {"kernel": "hinge_moments bending_moments", "out": "out moments"}
        )
    HOW = c.meaning("the arctangent", "the arccosine", "the sine of half the angle")
    LESS = c.meaning("", ", from their rest angles")
    SHAPE = c.meaning("", ", scaled by their shapes") if WANTED != "angles" else ""
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
            half = wp.asin(wp.min(0.5 * wp.length(n1 - n2), 1.0))
            angle = 2.0 * wp.sign(wp.dot(wp.cross(n1, n2), edge)) * half
        if LESS:
            angle -= rest[t]
        if SHAPE:
            # long hinges between small triangles are stiff
            stiffness = STIFFNESS * wp.length_sq(x[j] - x[i]) / areas[t]
        if WANTED == "angles":
            out[t] = angle
        elif WANTED == "bending energies":
            out[t] = 0.5 * (stiffness if SHAPE else STIFFNESS) * angle * angle
        else:
            out[t] = -(stiffness if SHAPE else STIFFNESS) * angle


@idiom(
    level=3,
    names={
        "joints": "joints links hinges",
        "joint": "joint link hinge",
        "out": "out errors residuals",
        "gap": "gap drift offset",
        "kernel": "joint_errors measure_joints",
    },
)
def joint_errors(c):
    """The {WANTED} of each {KIND} joint between two bodies{FRAME}{SOFT}."""
    n = c.size()
    WANTED = c.meaning("error", "energy", "force on the child")
    # what keeps the angles of hinges and fixed joints is a torque
    KIND = c.meaning("ball", "sliding", *(("hinge", "fixed") if WANTED != "force on the child" else ()))
    # lengths are the same in every frame
    LOCAL = (", in the parent’s frame",) if WANTED == "force on the child" else ()
    FRAME = c.meaning("", *LOCAL)
    SOFT = c.meaning("", ", beyond a slack")
    STIFFNESS, TURNING, SLACK = c.constant(2.0, 9.0), c.constant(0.3, 1.5), c.constant(0.05, 0.3)
    Wanted = c.vec(3) if WANTED == "force on the child" else float
    c.names(
        {
            "error": {"kernel": "joint_errors measure_joints", "out": "out errors residuals"},
            "energy": {"kernel": "joint_energies measure_joints", "out": "out energies"},
            "force on the child": {"kernel": "joint_reactions pull_joints", "out": "out forces reactions"},
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
        joints: wp.array[Joint] = given(n, low=-1.0, high=1.0),
        out: wp.array[Wanted] = result(n),
    ):
        tid = wp.tid()
        joint = joints[tid]
        parent = wp.transform(joint.parent.place, wp.normalize(joint.parent.turn))
        child = wp.transform(joint.child.place, wp.normalize(joint.child.turn))
        # where each body holds the joint
        held = wp.transform_point(parent, joint.parent.arm)
        gap = wp.transform_point(child, joint.child.arm) - held
        if FRAME:
            gap = wp.transform_vector(wp.transform_inverse(parent), gap)
        if KIND == "sliding":
            # along the parent's axis it is free
            axis = wp.normalize(joint.axis)
            if not FRAME:
                axis = wp.transform_vector(parent, axis)
            gap -= wp.dot(gap, axis) * axis
        size = wp.length(gap)
        if SOFT:
            size = wp.max(size - SLACK, 0.0)
        if KIND == "hinge" and WANTED != "force on the child":
            first = wp.quat_rotate(parent.q, wp.normalize(joint.axis))
            second = wp.quat_rotate(child.q, wp.normalize(joint.axis))
            bend = wp.length(wp.cross(first, second))
        elif KIND == "fixed" and WANTED != "force on the child":
            relative = wp.quat_inverse(parent.q) * child.q
            bend = 2.0 * wp.atan2(wp.length(wp.vec3(relative.x, relative.y, relative.z)), wp.abs(relative.w))
        if WANTED == "error":
            out[tid] = size + TURNING * bend if KIND in ("hinge", "fixed") else size
        elif WANTED == "energy":
            if KIND in ("hinge", "fixed"):
                out[tid] = 0.5 * STIFFNESS * (size * size + TURNING * bend * bend)
            else:
                out[tid] = 0.5 * STIFFNESS * size * size
        else:
            pull = -STIFFNESS * size / (wp.length(gap) + 0.001)
            out[tid] = pull * gap
