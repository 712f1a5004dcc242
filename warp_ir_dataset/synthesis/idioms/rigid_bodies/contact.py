"""Rigid bodies that touch: impulses at their corners on the ground, and between two of them."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .rigid_bodies import NAMES


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "solve_ground_contacts ground_impulses",
        "points": "points corners vertices",
        "inv_mass": "inv_mass body_inv_mass inverse_masses",
        "linear": "linear velocity vel",
        "spin": "spin omega ang_vel",
        "r": "r arm lever",
        "gap": "gap clearance separation",
        "n": "n normal up",
        "u": "u velocity_at v_rel",
        "approach": "v_normal un vn",
        "push": "push jn lambda_n",
        "slide": "slide ut vt",
        "t": "t tangent",
        "carried": "carried platform_velocity surface_velocity",
        "impulse": "impulse p j",
    },
)
def corner_contact_impulses(c):
    """Applies {SOLVE} contact impulses at {BODIES} on {GROUND}{MORE}{STORE}.

    Solve the contacts of rigid bodies with {RESTING} by impulses at their corners, and update the velocities
    {v} and spins {w} in place. A body at {x} with the rotation {rotations} has the inverse mass {inv_mass}
    and, in its own frame, the inverse principal moments {inv_inertia}; I is their tensor in the world. Its
    corners, in its own frame, are {CORNERS}; r is a corner turned by the rotation. The gap there is {GAP},
    and N is {NORMAL}.

    With U = V + W × r{CARRYING}, the velocity of a corner, and A = U·N, corners with a gap below 0 and A <
    {ENOUGH} are pushed by J·N with J = {PUSHED} / ({inv_mass} + (r × N)·I·(r × N)).{WANTING}{RUBBING} An
    impulse P changes V by {inv_mass}·P and W by I·(r × P).

    {ORDER}{STORED}
    """
    n_bodies, corners = c.size(6, 10), c.size(4, 8)
    SOLVE = c.meaning("sequential", "simultaneous")
    BODIES = c.meaning("the corners of bodies of one shape", "the bodies' own corners")
    OWN = "own" in BODIES
    GROUND = c.meaning("the ground y = 0", "an inclined plane", "a moving platform")
    FRICTION = c.meaning("", "Coulomb friction", "static and dynamic friction")
    BIAS = c.meaning("", "restitution", "Baumgarte stabilization")
    WITH = (", " if "static" in FRICTION else " and ").join(filter(None, (BIAS, FRICTION)))
    MORE = f", with {WITH}" if WITH else ""
    STORE = c.meaning("", "; a body's normal ones are summed")
    if SOLVE == "simultaneous":
        STORE = STORE.replace("summed", "averaged")
    if GROUND == "an inclined plane":
        c.names({"n": "n nrm"})
    FRICTION_COEFFICIENT, RESTITUTION = c.constant(0.3, 1.0), c.constant(0.2, 0.8)
    STATIC_FRICTION, DYNAMIC_FRICTION = c.constant(0.5, 0.8), c.constant(0.2, 0.4)
    BAUMGARTE, SLOP = c.constant(0.1, 0.3), c.constant(0.01, 0.05)
    RESTING = {
        "the ground y = 0": "the ground y = 0",
        "an inclined plane": "an inclined plane",
        "a moving platform": "a moving platform",
    }[GROUND]
    CORNERS = "those in row i of {hulls} for body i" if OWN else "the same {points} for all"
    GAP = {
        "the ground y = 0": "the y of {x} + r",
        "an inclined plane": "N·({x} + r) - {offset}",
        "a moving platform": "the y of {x} + r less {height}",
    }[GROUND]
    NORMAL = "{normal}" if GROUND == "an inclined plane" else "(0, 1, 0)"
    CARRYING = " - {carried}" if GROUND == "a moving platform" else ""
    ENOUGH = "B" if BIAS == "Baumgarte stabilization" else "0"
    PUSHED = {
        "": "-A",
        "restitution": "-(1 + {RESTITUTION})·A",
        "Baumgarte stabilization": "(B - A)",
    }[BIAS]
    WANTING = ""
    if BIAS == "Baumgarte stabilization":
        WANTING = " By Baumgarte stabilization B = {BAUMGARTE} / {dt} · max(-gap - {SLOP}, 0)."
    RUBBING = ""
    if FRICTION:
        RUBBING = (
            " Friction acts if the sliding S = U - A·N is faster than 0.02: subtract from J·N an impulse"
            " along T, the direction of S. It is F = |S| / ({inv_mass} + (r × T)·I·(r × T)), which would"
            " end the sliding, {BOUNDED}."
        )
    BOUNDED = "but at most {FRICTION_COEFFICIENT}·J"
    if "static" in FRICTION:
        BOUNDED = "if F ≤ {STATIC_FRICTION}·J, otherwise {DYNAMIC_FRICTION}·J"
    ORDER = "Go through the corners in order; each sees the velocities that the one before it left."
    if SOLVE == "simultaneous":
        ORDER = (
            "All corners see the velocities at the start; a body then gets the mean of the changes of its"
            " corners that are pushed, if there are any."
        )
    STORED = ""
    if STORE:
        STORED = (
            " Store in {pressed} the "
            + ("mean" if SOLVE == "simultaneous" else "sum")
            + " of the J of its pushed corners, or 0."
        )

    @c.kernel(n_bodies)
    def kernel(
        x: wp.array[wp.vec3] = input(n_bodies, low=-0.6, high=0.4, of="position"),
        rotations: wp.array[wp.quat] = input(n_bodies, low=-1.0, high=1.0, trait="unit"),
        points: wp.array[wp.vec3] = input(corners, low=-0.5, high=0.5),
        hulls: wp.array2d[wp.vec3] = input(n_bodies, corners, low=-0.5, high=0.5),
        inv_mass: wp.array[float] = input(n_bodies, low=0.5, high=2.0),
        inv_inertia: wp.array[wp.vec3] = input(n_bodies, low=0.5, high=3.0),
        normal: wp.vec3 = input(low=-1.0, high=1.0, trait="unit"),
        offset: float = input(low=-0.2, high=0.2),
        height: float = input(low=-0.2, high=0.2),
        carried: wp.vec3 = input(low=-1.5, high=1.5),
        dt: float = input(low=0.01, high=0.05),
        v: wp.array[wp.vec3] = inout(n_bodies, low=-2.0, high=2.0, of="velocity"),
        w: wp.array[wp.vec3] = inout(n_bodies, low=-3.0, high=3.0),
        pressed: wp.array[float] = output(n_bodies),
    ):
        i = wp.tid()
        q = rotations[i]
        linear = v[i]
        spin = w[i]
        inv_m = inv_mass[i]
        # the inverse inertia in the frame of the world
        frame = wp.quat_to_matrix(q)
        inv_i = frame * wp.diag(inv_inertia[i]) * wp.transpose(frame)
        if GROUND == "an inclined plane":
            n = normal
        else:
            n = wp.vec3(0.0, 1.0, 0.0)
        if SOLVE == "simultaneous":
            total_v = wp.vec3()
            total_w = wp.vec3()
            touching = int(0)
            if STORE:
                total_push = float(0.0)
        for k in range(hulls.shape[1] if OWN else points.shape[0]):
            r = wp.quat_rotate(q, hulls[i, k] if OWN else points[k])
            if GROUND == "the ground y = 0":
                gap = x[i][1] + r[1]
            elif GROUND == "a moving platform":
                gap = x[i][1] + r[1] - height
            else:
                gap = wp.dot(x[i] + r, n) - offset
            if gap >= 0.0:
                continue
            u = linear + wp.cross(spin, r)
            if GROUND == "a moving platform":
                u -= carried
            approach = wp.dot(u, n)
            if BIAS == "Baumgarte stabilization":
                # some of the depth is undone in this time step
                wanted = BAUMGARTE / dt * wp.max(-gap - SLOP, 0.0)
                if approach >= wanted:
                    continue
            else:
                if approach >= 0.0:
                    continue
            arm = wp.cross(r, n)
            response = inv_m + wp.dot(arm, inv_i * arm)
            if BIAS == "restitution":
                push = -(1.0 + RESTITUTION) * approach / response
            elif BIAS:
                push = (wanted - approach) / response
            else:
                push = -approach / response
            impulse = push * n
            if FRICTION:
                slide = u - approach * n
                speed = wp.length(slide)
                if speed > 0.02:
                    t = slide / speed
                    side = wp.cross(r, t)
                    # what would end the sliding
                    stick = speed / (inv_m + wp.dot(side, inv_i * side))
                    if FRICTION == "Coulomb friction":
                        impulse -= wp.min(stick, FRICTION_COEFFICIENT * push) * t
                    else:
                        if stick <= STATIC_FRICTION * push:
                            impulse -= stick * t
                        else:
                            impulse -= DYNAMIC_FRICTION * push * t
            if SOLVE == "simultaneous":
                total_v += inv_m * impulse
                total_w += inv_i * wp.cross(r, impulse)
                touching += 1
                if STORE:
                    total_push += push
            else:
                linear += inv_m * impulse
                spin += inv_i * wp.cross(r, impulse)
                if STORE:
                    pressed[i] += push
        if SOLVE == "simultaneous":
            if touching > 0:
                # the mean of what each corner would do alone
                v[i] = linear + total_v / float(touching)
                w[i] = spin + total_w / float(touching)
                if STORE:
                    pressed[i] = total_push / float(touching)
        else:
            v[i] = linear
            w[i] = spin


@idiom(
    level=5,
    names=NAMES
    | {
        "kernel": "resolve_collisions collide_bodies collision_impulses",
        "k": "k tid contact",
        "firsts seconds": "firsts seconds | bodies_a bodies_b | contact_body0 contact_body1",
        "a b": "a b | i j",
        "points": "points contact_points places",
        "normals": "normals contact_normals",
        "ra rb": "ra rb | r_a r_b | arm_a arm_b",
        "n": "n normal nrm",
        "u": "u v_rel relative",
        "approach": "v_normal un vn",
        "push": "push jn normal_impulse",
        "impulse": "impulse j p",
        "dv": "dv delta_v velocity_changes",
        "dw": "dw delta_w spin_changes",
    },
)
def colliding_body_impulses(c):
    """Adds up the changes of {WHAT} of colliding {BODIES}{MORE}{REPORT}.

    Resolve collisions between {COLLIDING} by impulses, and add up the changes. Contact k is between the
    bodies `{firsts}[k]` and `{seconds}[k]`, called 1 and 2, {MEETING} Contacts with depth ≤ 0 change nothing.

    {APART}With the velocities {v} and spins {w}, U is the velocity of body 2 at the contact less that of body
    1, each its velocity plus spin × r, and A = U·N. Only if A < 0 an impulse acts: J·N with J = {PUSHED} /
    {RESPONSE}.{RUBBING} The impulse P as a whole acts on body 2, and -P on body 1: to {dv}
    add the impulse times the inverse mass, and to {dw} add I·(r × impulse). All outputs start at
    zero.{REPORTED}
    """
    contacts, n_bodies = c.size(10, 14), c.size(4, 6)
    BODIES = c.meaning("rigid bodies", "solid balls", "rigid bodies with inertias in world axes")
    RUBS = c.meaning("Coulomb friction", "static and dynamic friction")
    FRICTION = c.meaning("", RUBS) if BODIES != "solid balls" else RUBS
    BOUNCE = c.meaning("", "restitution", "the lesser restitution")
    WITH = (", " if "static" in FRICTION else " and ").join(filter(None, (BOUNCE, FRICTION)))
    MORE = f", by {WITH}" if WITH else ""
    PUSH = c.meaning(False, True)
    WHAT = "velocity, spin and place" if PUSH else "velocity and spin"
    REPORT = c.meaning("", "; the impulse of each contact is stored", "; a body's normal impulses are summed")
    RESTITUTION, FRICTION_COEFFICIENT = c.constant(0.2, 0.8), c.constant(0.2, 0.6)
    STATIC_FRICTION, DYNAMIC_FRICTION = c.constant(0.5, 0.8), c.constant(0.2, 0.4)
    RELAXATION, SLOP = c.constant(0.2, 0.8), c.constant(0.01, 0.05)
    COLLIDING = "solid balls" if BODIES == "solid balls" else "rigid bodies"
    MEETING = (
        "at {points} with the depth {depths} and the normal N = {normals} from 1 to 2; r is the"
        " contact point less a body's {x}."
    )
    if BODIES == "solid balls":
        MEETING = (
            "whose centres are in {x}. N is the unit vector from 1 to 2, the depth is the sum of the"
            " {radii} less the distance, and"
            " r is radius·N for 1 and -radius·N for 2. Balls at the same place change nothing either."
        )
    INERTIAS = {
        "solid balls": " A body's inverse inertia is I = 2.5·{inv_mass} / radius².",
        "rigid bodies": (
            " A body's inverse inertia tensor I in the world is that of the inverse principal moments"
            " {inv_inertia}, turned by {rotations}."
        ),
        "rigid bodies with inertias in world axes": (
            " A body's inverse inertia tensor I in the world is {world_inv_inertia}."
        ),
    }[BODIES]
    MEETING += INERTIAS
    APART = ""
    if PUSH:
        APART = (
            "With M, the sum of both {inv_mass}, and D = {RELAXATION} / M · max(depth - {SLOP}, 0),"
            " subtract {inv_mass}·D·N from {dx} of 1 and add {inv_mass}·D·N to that of 2, each with its"
            " own inverse mass. "
        )
    PUSHED = {
        "": "-A",
        "restitution": "-(1 + {RESTITUTION})·A",
        "the lesser restitution": "-(1 + the lesser {restitution} of both)·A",
    }[BOUNCE]
    RESPONSE = "(the sum over both of {inv_mass} + (r × N)·I·(r × N))"
    if BODIES == "solid balls":
        RESPONSE = "the sum of both {inv_mass}"
    RUBBING = ""
    if FRICTION:
        RUBBING = (
            " Friction acts if the sliding S = U - A·N is faster than 0.05: subtract from J·N an impulse"
            " along T, the direction of S. It is F = |S| / (the sum over both of {inv_mass} + (r × T)·I·(r"
            " × T)), which would end the sliding, {BOUNDED}."
        )
    BOUNDED = "but at most {FRICTION_COEFFICIENT}·J"
    if "static" in FRICTION:
        BOUNDED = "if F ≤ {STATIC_FRICTION}·J, otherwise {DYNAMIC_FRICTION}·J"
    REPORTED = {
        "": "",
        "; the impulse of each contact is stored": " Store P in {impulses}, zero where none acts.",
        "; a body's normal impulses are summed": " Add J to {pressed} of both bodies.",
    }[REPORT]

    @c.kernel(contacts)
    def kernel(
        x: wp.array[wp.vec3] = input(2 * n_bodies, low=-0.6, high=0.6, of="position"),
        rotations: wp.array[wp.quat] = input(2 * n_bodies, low=-1.0, high=1.0, trait="unit"),
        v: wp.array[wp.vec3] = input(2 * n_bodies, low=-2.0, high=2.0, of="velocity"),
        w: wp.array[wp.vec3] = input(2 * n_bodies, low=-3.0, high=3.0),
        inv_mass: wp.array[float] = input(2 * n_bodies, low=0.5, high=2.0),
        inv_inertia: wp.array[wp.vec3] = input(2 * n_bodies, low=0.5, high=3.0),
        world_inv_inertia: wp.array[wp.mat33] = input(
            2 * n_bodies, low=0.5, high=3.0, trait="positive definite"
        ),
        radii: wp.array[float] = input(2 * n_bodies, low=0.3, high=0.8),
        restitution: wp.array[float] = input(2 * n_bodies, low=0.1, high=0.9),
        firsts: wp.array[int] = input(contacts, low=0, high=n_bodies - 1),
        seconds: wp.array[int] = input(contacts, low=n_bodies, high=2 * n_bodies - 1),
        points: wp.array[wp.vec3] = input(contacts, low=-0.6, high=0.6),
        normals: wp.array[wp.vec3] = input(contacts, low=-1.0, high=1.0, trait="unit"),
        depths: wp.array[float] = input(contacts, low=-0.1, high=0.25),
        dv: wp.array[wp.vec3] = output(2 * n_bodies),
        dw: wp.array[wp.vec3] = output(2 * n_bodies),
        dx: wp.array[wp.vec3] = output(2 * n_bodies),
        impulses: wp.array[wp.vec3] = output(contacts),
        pressed: wp.array[float] = output(2 * n_bodies),
    ):
        k = wp.tid()
        a = firsts[k]
        b = seconds[k]
        inv_ma = inv_mass[a]
        inv_mb = inv_mass[b]
        inv_sum = inv_ma + inv_mb
        if BODIES == "solid balls":
            d = x[b] - x[a]
            distance = wp.length(d)
            depth = radii[a] + radii[b] - distance
            if depth <= 0.0 or distance == 0.0:
                if REPORT == "; the impulse of each contact is stored":
                    impulses[k] = wp.vec3()
                return
            n = d / distance
            ra = radii[a] * n
            rb = -radii[b] * n
        else:
            depth = depths[k]
            if depth <= 0.0:
                if REPORT == "; the impulse of each contact is stored":
                    impulses[k] = wp.vec3()
                return
            # from the first body to the second one
            n = normals[k]
            ra = points[k] - x[a]
            rb = points[k] - x[b]
        if PUSH:
            shift = RELAXATION * wp.max(depth - SLOP, 0.0) / inv_sum * n
            wp.atomic_sub(dx, a, inv_ma * shift)
            wp.atomic_add(dx, b, inv_mb * shift)
        u = v[b] + wp.cross(w[b], rb) - v[a] - wp.cross(w[a], ra)
        approach = wp.dot(u, n)
        if approach >= 0.0:
            if REPORT == "; the impulse of each contact is stored":
                impulses[k] = wp.vec3()
            return
        if BODIES == "solid balls":
            # the inverse of 2/5 m r^2
            inv_ia = 2.5 * inv_ma / (radii[a] * radii[a])
            inv_ib = 2.5 * inv_mb / (radii[b] * radii[b])
        else:
            if BODIES == "rigid bodies":
                # principal moments, turned into the frame of the world
                frame_a = wp.quat_to_matrix(rotations[a])
                inv_ia = frame_a * wp.diag(inv_inertia[a]) * wp.transpose(frame_a)
                frame_b = wp.quat_to_matrix(rotations[b])
                inv_ib = frame_b * wp.diag(inv_inertia[b]) * wp.transpose(frame_b)
            else:
                inv_ia = world_inv_inertia[a]
                inv_ib = world_inv_inertia[b]
            arm_a = wp.cross(ra, n)
            arm_b = wp.cross(rb, n)
            response = inv_sum + wp.dot(arm_a, inv_ia * arm_a) + wp.dot(arm_b, inv_ib * arm_b)
        if BOUNCE == "restitution":
            push = -(1.0 + RESTITUTION) * approach / (inv_sum if BODIES == "solid balls" else response)
        elif BOUNCE:
            bounce = wp.min(restitution[a], restitution[b])
            push = -(1.0 + bounce) * approach / (inv_sum if BODIES == "solid balls" else response)
        else:
            push = -approach / (inv_sum if BODIES == "solid balls" else response)
        impulse = push * n
        if FRICTION:
            slide = u - approach * n
            speed = wp.length(slide)
            if speed > 0.05:
                t = slide / speed
                side_a = wp.cross(ra, t)
                side_b = wp.cross(rb, t)
                turning = wp.dot(side_a, inv_ia * side_a) + wp.dot(side_b, inv_ib * side_b)
                # what would end the sliding
                stick = speed / (inv_sum + turning)
                if FRICTION == "Coulomb friction":
                    impulse -= wp.min(stick, FRICTION_COEFFICIENT * push) * t
                else:
                    if stick <= STATIC_FRICTION * push:
                        impulse -= stick * t
                    else:
                        impulse -= DYNAMIC_FRICTION * push * t
        wp.atomic_sub(dv, a, inv_ma * impulse)
        wp.atomic_add(dv, b, inv_mb * impulse)
        wp.atomic_sub(dw, a, inv_ia * wp.cross(ra, impulse))
        wp.atomic_add(dw, b, inv_ib * wp.cross(rb, impulse))
        if REPORT == "; the impulse of each contact is stored":
            impulses[k] = impulse
        elif REPORT:
            wp.atomic_add(pressed, a, push)
            wp.atomic_add(pressed, b, push)
