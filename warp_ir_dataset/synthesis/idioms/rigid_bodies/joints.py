"""Joints between rigid bodies."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .rigid_bodies import NAMES


@idiom(
    level=5,
    names=NAMES
    | {
        "kernel": "eval_joints joint_wrenches joint_forces",
        "j": "j tid joint",
        "parents children": "parents children | joint_parent joint_child",
        "a b": "a b | parent child",
        "qa qb": "qa qb | q_a q_b | q_p q_c",
        "ra rb": "ra rb | r_a r_b | r_p r_c",
        "anchors child_anchors": "anchors child_anchors | parent_anchors child_anchors | joint_X_p joint_X_c",
        "error": "error gap d",
        "force": "force f_joint pull",
        "torque": "torque t_joint moment",
        "axis": "axis joint_axis u",
        "angle": "angle theta phi",
    },
)
def joint_forces(c):
    """Adds up the forces and torques of springs and dampers in {JOINT} joints{DRIVE}{WORLD}.

    Add up the forces and torques of {JOINT} joints, made of springs and dampers, on rigid bodies with the
    positions {x}, the rotations {rotations}, velocities {v} and spins {w}. Joint j ties the body
    `{parents}[j]` at its anchor in {anchors} to the body `{children}[j]` at its anchor in {child_anchors};
    both are in the body's own frame, and r is an anchor turned by the body's rotation.{WORLDLY}{SNAPPED}

    E is the child's anchor in the world less the parent's, S likewise for their velocities there, body's
    velocity plus spin × r, and D the child's spin less the parent's. The force is F = {STIFFNESS}·E +
    {DAMPING}·S{SLID} {TURNED}

    The parent gets F and r × F + M, the child -F and -(r × F + M), each with its own r, added to {forces} and
    {torques}, which start at zero.{BREAKS}
    """
    joints, n = c.size(8, 12), c.size(4, 6)
    JOINT = c.meaning("ball", "hinge", "fixed", "prismatic")
    DRIVES = {
        "ball": (", with a limit on the swing", ", with limits on swing and twist"),
        "hinge": ("", ", with limits on the angle", ", with motors", ", with drives to angles"),
        "prismatic": ("", ", with limits on the travel", ", with motors"),
        "fixed": (" that break under too great a load", ""),
    }
    DRIVE = c.meaning(*DRIVES[JOINT])
    MOTOR = DRIVE == ", with motors"
    WORLD = c.meaning("", "; a parent of -1 is the world") if DRIVE else "; a parent of -1 is the world"
    STIFFNESS, DAMPING = c.constant(20.0, 60.0), c.constant(2.0, 5.0)
    ANGULAR_STIFFNESS, ANGULAR_DAMPING = c.constant(10.0, 30.0), c.constant(1.0, 3.0)
    MAX_FORCE, MAX_TORQUE = c.constant(60.0, 120.0), c.constant(25.0, 60.0)
    SWING_LIMIT = c.constant(0.8, 1.6)
    MAX_EFFORT = c.constant(10.0, 40.0) if "angles" in DRIVE else c.constant(2.0, 5.0)
    WORLDLY = ""
    if WORLD:
        WORLDLY = (
            " A parent of -1 is the world: its anchor is a place in the world, at rest and not turned,"
            " and nothing is added for it."
        )
    BREAKABLE = JOINT == "fixed" and DRIVE
    SNAPPED = " Joints with {broken} 1 do nothing." if BREAKABLE else ""
    SLID = "."
    if JOINT == "prismatic":
        SLID = (
            ", but not along the axis C, the one in {axes} turned with the parent. With T = E·C the"
            " parent's r grows by T·C and S"
            " loses T·(parent's spin × C); then the parts T·C and V·C, with V = S·C, are taken out of"
            " E and S. "
        )
        if MOTOR:
            SLID += (
                "A motor adds {DAMPING}·(V - {targets}), clamped to [-{MAX_EFFORT}, {MAX_EFFORT}], times"
                " C to F."
            )
        elif DRIVE:
            SLID += (
                "If T is below {lower} or above {upper}, {STIFFNESS}·(T - that bound) + {DAMPING}·V,"
                " times C, is added to F."
            )
    RELATIVE = "the quaternion child · parent⁻¹ of the rotations, with the vector part Q and the real part R"
    TURNED = (
        "The torque is M = 2·{ANGULAR_STIFFNESS}·Q + {ANGULAR_DAMPING}·D, where Q is the vector part of"
        " the quaternion child · parent⁻¹ of the rotations, negated if its real part is negative."
    )
    if JOINT == "ball":
        TURNED = (
            "The torque M is {ANGULAR_DAMPING}·D. Let K and L be the axis in {axes} turned with the"
            " parent and with the child; if the"
            " angle between them exceeds {SWING_LIMIT}, add {ANGULAR_STIFFNESS} times the excess,"
            " along K × L, to M."
        )
        if "twist" in DRIVE:
            TURNED += (
                " The twist is 2·atan(q / R), where q is the dot product of the axis in {axes} with"
                " the vector part of the"
                " quaternion parent⁻¹ · child, and R its real part. If it is below {lower} or above"
                " {upper}, add"
                " {ANGULAR_STIFFNESS}·(twist - that bound)·L."
            )
    elif JOINT == "hinge":
        TURNED = (
            "With K and L, the axis in {axes} turned with the parent and with the child, and the rate"
            " A = D·K, the torque is M ="
            " {ANGULAR_STIFFNESS}·(K × L) + {ANGULAR_DAMPING}·(D - A·K)."
        )
        if MOTOR:
            TURNED += (
                " A motor adds {ANGULAR_DAMPING}·(A - {targets}), clamped to [-{MAX_EFFORT},"
                " {MAX_EFFORT}], times K."
            )
        elif DRIVE:
            TURNED += " The angle about K is 2·atan2(Q·K, R), brought into [-π, π], with {RELATIVE}."
            if "angles" in DRIVE and "limits" not in DRIVE:
                TURNED += (
                    " A drive adds {ANGULAR_STIFFNESS}·(angle - {targets}) + {ANGULAR_DAMPING}·A, clamped"
                    " to [-{MAX_EFFORT}, {MAX_EFFORT}], times K."
                )
            else:
                TURNED += (
                    " If it is below {lower} or above {upper}, add {ANGULAR_STIFFNESS}·(angle - that"
                    " bound)·K."
                )
    BREAKS = ""
    if BREAKABLE:
        BREAKS = (
            " But if |F| > {MAX_FORCE} or |M| > {MAX_TORQUE}, the joint breaks: set {broken} to 1 and add"
            " nothing."
        )

    @c.kernel(joints)
    def kernel(
        x: wp.array[wp.vec3] = input(2 * n, low=-1.0, high=1.0, of="position"),
        rotations: wp.array[wp.quat] = input(2 * n, low=-1.0, high=1.0, trait="unit"),
        v: wp.array[wp.vec3] = input(2 * n, low=-2.0, high=2.0, of="velocity"),
        w: wp.array[wp.vec3] = input(2 * n, low=-3.0, high=3.0),
        parents: wp.array[int] = input(joints, low=-1 if WORLD else 0, high=n - 1),
        children: wp.array[int] = input(joints, low=n, high=2 * n - 1),
        anchors: wp.array[wp.vec3] = input(joints, low=-0.5, high=0.5),
        child_anchors: wp.array[wp.vec3] = input(joints, low=-0.5, high=0.5),
        axes: wp.array[wp.vec3] = input(joints, low=-1.0, high=1.0, trait="unit"),
        lower: wp.array[float] = input(joints, low=-1.0, high=-0.2),
        upper: wp.array[float] = input(joints, low=0.2, high=1.0),
        broken: wp.array[int] = inout(joints, low=0, high=1),
        targets: wp.array[float] = input(joints, low=-2.0, high=2.0),
        forces: wp.array[wp.vec3] = output(2 * n),
        torques: wp.array[wp.vec3] = output(2 * n),
    ):
        j = wp.tid()
        if JOINT == "fixed" and DRIVE:
            if broken[j] == 1:
                return
        a = parents[j]
        b = children[j]
        if WORLD:
            qa = wp.quat_identity()
            ra = wp.vec3()
            pa = anchors[j]
            va = wp.vec3()
            wa = wp.vec3()
            if a >= 0:
                qa = rotations[a]
                ra = wp.quat_rotate(qa, anchors[j])
                pa = x[a] + ra
                wa = w[a]
                va = v[a] + wp.cross(wa, ra)
        else:
            qa = rotations[a]
            wa = w[a]
            ra = wp.quat_rotate(qa, anchors[j])
            pa = x[a] + ra
            va = v[a] + wp.cross(wa, ra)
        qb = rotations[b]
        rb = wp.quat_rotate(qb, child_anchors[j])
        error = x[b] + rb - pa
        slip = v[b] + wp.cross(w[b], rb) - va
        spin = w[b] - wa
        if JOINT == "prismatic":
            axis = wp.quat_rotate(qa, axes[j])
            travel = wp.dot(error, axis)
            # the parent is pulled at the place that the child has slid to
            ra += travel * axis
            slip -= travel * wp.cross(wa, axis)
            speed = wp.dot(slip, axis)
            error -= travel * axis
            slip -= speed * axis
        force = STIFFNESS * error + DAMPING * slip
        if JOINT == "prismatic":
            if DRIVE == ", with limits on the travel":
                if travel < lower[j]:
                    force += (STIFFNESS * (travel - lower[j]) + DAMPING * speed) * axis
                elif travel > upper[j]:
                    force += (STIFFNESS * (travel - upper[j]) + DAMPING * speed) * axis
            elif MOTOR:
                effort = wp.clamp(DAMPING * (speed - targets[j]), -MAX_EFFORT, MAX_EFFORT)
                force += effort * axis
        if JOINT == "fixed" or JOINT == "prismatic":
            turn = qb * wp.quat_inverse(qa)
            twist = 2.0 * wp.vec3(turn[0], turn[1], turn[2])
            # of the two quaternions of one rotation, the shorter way
            if turn[3] < 0.0:
                twist = -twist
            torque = ANGULAR_STIFFNESS * twist + ANGULAR_DAMPING * spin
            if JOINT == "fixed" and DRIVE:
                if wp.length(force) > MAX_FORCE or wp.length(torque) > MAX_TORQUE:
                    broken[j] = 1
                    return
        elif JOINT == "hinge":
            axis = wp.quat_rotate(qa, axes[j])
            # zero when the two axes are parallel
            lean = wp.cross(axis, wp.quat_rotate(qb, axes[j]))
            rate = wp.dot(spin, axis)
            torque = ANGULAR_STIFFNESS * lean + ANGULAR_DAMPING * (spin - rate * axis)
            if MOTOR:
                effort = wp.clamp(ANGULAR_DAMPING * (rate - targets[j]), -MAX_EFFORT, MAX_EFFORT)
                torque += effort * axis
            elif DRIVE:
                turn = qb * wp.quat_inverse(qa)
                half = wp.dot(wp.vec3(turn[0], turn[1], turn[2]), axis)
                angle = 2.0 * wp.atan2(half, turn[3])
                # the same angle in [-pi, pi]
                if angle > wp.PI:
                    angle -= 2.0 * wp.PI
                elif angle < -wp.PI:
                    angle += 2.0 * wp.PI
                if DRIVE == ", with drives to angles":
                    effort = ANGULAR_STIFFNESS * (angle - targets[j]) + ANGULAR_DAMPING * rate
                    torque += wp.clamp(effort, -MAX_EFFORT, MAX_EFFORT) * axis
                else:
                    if angle < lower[j]:
                        torque += ANGULAR_STIFFNESS * (angle - lower[j]) * axis
                    elif angle > upper[j]:
                        torque += ANGULAR_STIFFNESS * (angle - upper[j]) * axis
        else:
            torque = ANGULAR_DAMPING * spin
            axis = wp.quat_rotate(qa, axes[j])
            other = wp.quat_rotate(qb, axes[j])
            lean = wp.cross(axis, other)
            swing = wp.atan2(wp.length(lean), wp.dot(axis, other))
            if swing > SWING_LIMIT:
                torque += ANGULAR_STIFFNESS * (swing - SWING_LIMIT) * wp.normalize(lean)
            if DRIVE == ", with limits on swing and twist":
                # the turn about the axis that is left when the swing is undone
                turn = wp.quat_inverse(qa) * qb
                along = wp.dot(wp.vec3(turn[0], turn[1], turn[2]), axes[j])
                twist = 2.0 * wp.atan(along / turn[3])
                if twist < lower[j]:
                    torque += ANGULAR_STIFFNESS * (twist - lower[j]) * other
                elif twist > upper[j]:
                    torque += ANGULAR_STIFFNESS * (twist - upper[j]) * other
        if WORLD:
            if a >= 0:
                wp.atomic_add(forces, a, force)
                wp.atomic_add(torques, a, wp.cross(ra, force) + torque)
        else:
            wp.atomic_add(forces, a, force)
            wp.atomic_add(torques, a, wp.cross(ra, force) + torque)
        wp.atomic_sub(forces, b, force)
        wp.atomic_sub(torques, b, wp.cross(rb, force) + torque)
