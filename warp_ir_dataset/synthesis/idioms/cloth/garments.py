"""Garments: seams, layers that keep apart."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp
from .cloth import NAMES


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "sew_seams close_seams stitch_panels",
        "firsts seconds": "firsts seconds | left_verts right_verts | seam_a seam_b",
        "i j": "i j | a b | first second",
        "s": "s tid stitch",
        "d": "d gap apart",
        "length": "length dist gap_length",
        "torn": "torn broken ripped",
        "tearing": "tearing tears torn_now",
        "force": "force pull tension",
        "allowed": "allowed slack opening",
        "w": "w u fraction",
    },
)
def sew_seams(c):
    """Adds up the {WANTED} that close the stitches of a seam, {ENDS}{LAW}{TORN}{TOLD}.

    Sew cloth together along a seam: add up the {WANTED} that close its stitches in {f}, which starts at zero.
    Stitch s ties vertex i = `{firsts}[s]`, at `{x}[i]`, to {PARTNER}. Let d be the vector from vertex i to
    there; its length is the gap. {RULES}

    {PULL} {SHARES}
    """
    seams, n = c.size(8, 12), c.size(5, 7)
    WANTED = c.meaning("forces", "corrections", "changes of velocity")
    ENDS = c.meaning("vertex to vertex", "vertex to edge", "vertex to mirror image")
    LAW = c.meaning("", ", down to an allowance", ", down to a length that shrinks in time")
    TORN = c.meaning("", "; overlong ones are flagged as torn")
    TOLD = c.meaning("", "; gaps are stored", "; open ones are counted")
    TOLD = TOLD if LAW or "open" not in TOLD else "; those open beyond a tolerance are counted"
    SHRINKS, COUNTED = LAW.endswith("in time"), TOLD.endswith("counted")
    STIFFNESS, DAMPING, RATE = c.constant(10.0, 50.0), c.constant(0.5, 3.0), c.constant(0.5, 4.0)
    BREAKING, ALLOWANCE, SPEED = c.constant(1.1, 1.8), c.constant(0.5, 1.0), c.constant(0.5, 2.0)
    RELAXATION, TOLERANCE = c.constant(0.2, 0.8), c.constant(0.4, 1.1)
    EDGE, MIRROR = ENDS == "vertex to edge", ENDS == "vertex to mirror image"
    FORCES, KICKS = WANTED == "forces", WANTED == "changes of velocity"
    points = n if MIRROR else 2 * n
    if MIRROR:
        c.names({"firsts": "seam_verts stitched border"})
    if KICKS:
        c.names({"f": "dv delta_v velocity_changes", "force": "closing kick change"})
    elif not FORCES:
        c.names({"f": "dx corrections delta_x", "force": "change shift move"})
    PARTNER = "vertex j = `{seconds}[s]`"
    POINT = "`{v}[j]`"
    if EDGE:
        PARTNER = (
            "a point on an edge, at the fraction w = `{along}[s]` of the way from vertex j = "
            "`{seconds}[s]` to vertex "
            "j + 1"
        )
        POINT = "the velocity of the point, interpolated like it from {v},"
    elif MIRROR:
        PARTNER = "its own mirror image on the other half of the garment, with the opposite first coordinate"
        POINT = "the velocity of the image, which is that in {v} mirrored,"
    LEAST = "`{rest}[s]`·exp(-{SPEED}·{time})" if SHRINKS else "{ALLOWANCE}"
    RULES = ""
    if TOLD == "; gaps are stored":
        RULES += " {gaps} gets all gaps."
    elif COUNTED:
        RULES += " {open} gets the number of stitches with a gap {ABOVE}{INCLUDED}."
        ABOVE = "above {LEAST}" if LAW else "above {TOLERANCE}"
        INCLUDED = ", torn ones included" if TORN else ""
    if TORN:
        RULES += (
            " Stitches for which {torn} is 1 hold nothing any more; another whose gap is above "
            "{BREAKING} tears now: its "
            "{tearing} becomes 1, and it holds nothing either."
        )
    if LAW:
        RULES += " A stitch pulls only if its gap is not below {LEAST}."
    SHORTER = "Shorten d by {LEAST} first. " if LAW else ""
    if FORCES:
        PULL = "{SHORTER}The force is {STIFFNESS}·d plus {DAMPING} times {POINT} relative to `{v}[i]`."
        SHARES = "Add the force to {f} of vertex i, and its opposite to {f} of vertex j."
        if EDGE:
            SHARES = (
                "Add the force to {f} of vertex i, and -(1 - w) and -w times the force to {f} of vertices j "
                "and j + 1."
            )
        elif MIRROR:
            SHARES = "Add the force to {f} of vertex i only."
    else:
        PULL = "{SHORTER}The change is {RELAXATION}·d."
        if KICKS:
            PULL = (
                "The change is a + {RATE}·{EXCESS} along the direction of d, where a is the speed at "
                "which the two part: "
                "{POINT} relative to `{v}[i]`, along that direction."
            )
            EXCESS = "(gap - {LEAST})" if LAW else "gap"
        SHARES = (
            "The change is shared by the inverse masses m in {inv_mass}: vertex i gets m_i / W times it, and "
            "vertex j the "
            "opposite of m_j / W times it, with W = m_i + m_j."
        )
        if EDGE:
            SHARES = (
                "The change is shared by the inverse masses m in {inv_mass}: with W = m_i + (1 - w)²·m_j + "
                "w²·m_k and k = j + 1, "
                "vertex i gets m_i / W times the change, j gets -(1 - w)·m_j / W times it, and k gets "
                "-w·m_k / W times it."
            )
        elif MIRROR:
            SHARES = "Vertex i gets half of the change, as the image takes the other half."

    @c.kernel(seams)
    def kernel(
        x: wp.array[wp.vec3] = input(points, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = input(points, low=-2.0, high=2.0, of="velocity"),
        inv_mass: wp.array[float] = input(points, low=0.4, high=2.0),
        firsts: wp.array[int] = input(seams, low=0, high=n - 1),
        seconds: wp.array[int] = input(seams, low=n, high=2 * n - 2),
        along: wp.array[float] = input(seams, low=0.1, high=0.9),
        rest: wp.array[float] = input(seams, low=0.6, high=1.6),
        time: float = input(low=0.0, high=1.0),
        torn: wp.array[int] = input(seams, low=0, high=1),
        f: wp.array[wp.vec3] = output(points),
        gaps: wp.array[float] = output(seams),
        open: wp.array[int] = output(1),
        tearing: wp.array[int] = output(seams),
    ):
        s = wp.tid()
        i = firsts[s]
        if MIRROR:
            # the other half of the garment is the image in the plane x = 0
            d = wp.vec3(-2.0 * x[i][0], 0.0, 0.0)
        elif EDGE:
            j = seconds[s]
            w = along[s]
            d = wp.lerp(x[j], x[j + 1], w) - x[i]
        else:
            j = seconds[s]
            d = x[j] - x[i]
        if TOLD or TORN or LAW or KICKS:
            length = wp.length(d)
        if TOLD == "; gaps are stored":
            gaps[s] = length
        if SHRINKS:
            allowed = rest[s] * wp.exp(-SPEED * time)
        if COUNTED and (TORN or not LAW):
            if length > (allowed if SHRINKS else ALLOWANCE if LAW else TOLERANCE):
                wp.atomic_add(open, 0, 1)
        if TORN:
            # a stitch that tore holds nothing any more
            if torn[s] == 1:
                return
            if length > BREAKING:
                tearing[s] = 1
                return
        if LAW:
            if length < (allowed if SHRINKS else ALLOWANCE):
                return
            if not KICKS:
                d *= 1.0 - (allowed if SHRINKS else ALLOWANCE) / length
            if COUNTED and not TORN:
                wp.atomic_add(open, 0, 1)
        if FORCES:
            if MIRROR:
                force = STIFFNESS * d - 2.0 * DAMPING * wp.vec3(v[i][0], 0.0, 0.0)
            elif EDGE:
                force = STIFFNESS * d + DAMPING * (wp.lerp(v[j], v[j + 1], w) - v[i])
            else:
                force = STIFFNESS * d + DAMPING * (v[j] - v[i])
            wp.atomic_add(f, i, force)
            if EDGE:
                wp.atomic_sub(f, j, (1.0 - w) * force)
                wp.atomic_sub(f, j + 1, w * force)
            elif not MIRROR:
                wp.atomic_sub(f, j, force)
        else:
            if KICKS:
                n = wp.normalize(d)
                # how fast the two ends part
                if MIRROR:
                    speed = -2.0 * v[i][0] * n[0]
                elif EDGE:
                    speed = wp.dot(wp.lerp(v[j], v[j + 1], w) - v[i], n)
                else:
                    speed = wp.dot(v[j] - v[i], n)
                if LAW:
                    force = (speed + RATE * (length - (allowed if SHRINKS else ALLOWANCE))) * n
                else:
                    force = (speed + RATE * length) * n
            else:
                force = RELAXATION * d
            if MIRROR:
                # the mirror image moves the other half
                wp.atomic_add(f, i, 0.5 * force)
            elif EDGE:
                shared = inv_mass[i] + (1.0 - w) * (1.0 - w) * inv_mass[j] + w * w * inv_mass[j + 1]
                wp.atomic_add(f, i, inv_mass[i] / shared * force)
                wp.atomic_sub(f, j, (1.0 - w) * inv_mass[j] / shared * force)
                wp.atomic_sub(f, j + 1, w * inv_mass[j + 1] / shared * force)
            else:
                shared = inv_mass[i] + inv_mass[j]
                wp.atomic_add(f, i, inv_mass[i] / shared * force)
                wp.atomic_sub(f, j, inv_mass[j] / shared * force)


@idiom(
    level=4,
    differentiable=False,
    names=NAMES
    | {
        "kernel": "self_repulsion keep_layers_apart self_contact",
        "i j": "i j | tid other | p q",
        "d": "d away apart",
        "gap": "gap dist separation",
        "depth": "depth overlap penetration",
        "n": "n normal direction",
        "total": "total push acc",
        "out": "out repulsions",
    },
)
def cloth_self_collision(c):
    """The {WANTED} that keep layers of cloth apart, {PAIRS}{LAW}{RUB}{TOLD}.

    Keep layers of cloth apart: {out} gets the sum of the {WANTED} of each particle i against {WHOM}. Only
    those j count whose distance g from i in {x} is below {THICKNESS}, the thickness of the cloth. The
    direction n from j to i is (`{x}[i] - {x}[j]`) / max(g, 0.0001).

    {PUSH}{RUBS}{MEAN}{STORED}
    """
    n, near = c.size(8, 11), c.size(4, 5)
    WANTED = c.meaning("forces", "corrections", "changes of velocity")
    PAIRS = c.meaning(
        "between particles far apart at rest",
        "between listed neighbours",
        "between all but neighbours along a thread",
    )
    FORCES, SHIFTS = WANTED == "forces", WANTED == "corrections"
    LISTED, THREAD = "listed" in PAIRS, "thread" in PAIRS
    LAW = (
        c.meaning(" by a linear law", " by a barrier", " by a quadratic law")
        if FORCES
        else c.meaning(", each in full", ", each in part", ", averaged")
    )
    RUB = "" if SHIFTS else c.meaning("", ", with friction", ", with drag")
    TOLD = c.meaning("", "; those nearer than the thickness are counted", "; the least gap is stored")
    COUNTED = TOLD.endswith("counted")
    TOLD = TOLD if COUNTED or not TOLD else "; the least gap up to the thickness is stored"
    THICKNESS, STIFFNESS, RUBBING = c.constant(0.7, 1.2), c.constant(5.0, 20.0), c.constant(0.2, 0.8)
    PART, SPAN, SLIP_DAMPING = c.constant(0.2, 0.7), c.constant(0.4, 0.9), c.constant(0.5, 3.0)
    c.names(
        {
            "out": "f forces" if FORCES else "dx corrections" if SHIFTS else "dv velocity_changes",
            "rub": "friction tangential",
        }
    )
    WHOM = {
        "between particles far apart at rest": (
            "all particles j, except those closer than {SPAN} to it at rest, in {rest}"
        ),
        "between listed neighbours": "each particle j of row i of {others}, except itself",
        "between all but neighbours along a thread": "all particles j with |i - j| ≥ 2",
    }[PAIRS]
    AMOUNT = "½"
    if LAW == ", each in part":
        AMOUNT = "½·{PART}"
    PUSHED = (
        "P·n, where P is {AMOUNT} times the speed at which i and j approach each other along n, or 0 if they "
        "do not"
    )
    if FORCES:
        PUSHED = {
            " by a linear law": "P·n with P = {STIFFNESS}·({THICKNESS} - g)",
            " by a quadratic law": "P·n with P = {STIFFNESS}·({THICKNESS} - g)²",
            " by a barrier": (
                "P·n with P = {STIFFNESS}·(1 - r)·((1 - r) / r - 2·log(r)), the slope of a logarithmic "
                "barrier, where r is "
                "g / {THICKNESS}, but at least 0.01"
            ),
        }[LAW]
    elif SHIFTS:
        PUSHED = "{AMOUNT}·({THICKNESS} - g)·n"
    PUSH = "Each of these j gives {PUSHED}{SPEEDS}."
    SPEEDS = "" if FORCES or SHIFTS else "; velocities are in {v}"
    RUBS = ""
    if RUB == ", with friction":
        RUBS = (
            " Friction subtracts min({RUBBING}·P, {SLIP}·|s|)·s/|s|, where s is the part across n of the "
            "velocity {v} of i "
            "relative to that of j."
        )
        SLIP = "{SLIP_DAMPING}" if FORCES else "½"
    elif RUB:
        RUBS = " Drag subtracts {SLIP}{RUBBING} times the velocity {v} of i relative to that of j."
        SLIP = "" if FORCES else "½·"
    MEAN = ""
    if LAW == ", averaged":
        MEAN = (
            " The sum is divided by the number of these j, so that the mean is stored; it is 0 if there are "
            "none."
        )
    STORED = ""
    if COUNTED:
        STORED = " {touching} gets the number of these j."
    elif TOLD:
        STORED = " {least} gets the least g of these j, or {THICKNESS} if there are none."

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-0.8, high=0.8, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="velocity"),
        rest: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        others: wp.array2d[int] = input(n, near, low=0, high=n - 1),
        out: wp.array[wp.vec3] = output(n, of="force" if FORCES else None),
        touching: wp.array[int] = output(n),
        least: wp.array[float] = output(n),
    ):
        i = wp.tid()
        total = wp.vec3()
        if COUNTED or LAW == ", averaged":
            count = int(0)
        if TOLD and not COUNTED:
            closest = float(THICKNESS)
        for k in range(others.shape[1] if LISTED else x.shape[0]):
            if LISTED:
                j = others[i, k]
                if j == i:
                    continue
            elif THREAD:
                j = k
                # neighbours along the thread may touch
                if wp.abs(j - i) < 2:
                    continue
            else:
                j = k
                # what is close in the undeformed cloth may touch
                if wp.length(rest[j] - rest[i]) < SPAN:
                    continue
            d = x[i] - x[j]
            gap = wp.length(d)
            if gap < THICKNESS:
                n = d / wp.max(gap, 1.0e-4)
                if SHIFTS or (FORCES and LAW != " by a barrier"):
                    depth = THICKNESS - gap
                if FORCES:
                    if LAW == " by a linear law":
                        push = STIFFNESS * depth
                    elif LAW == " by a quadratic law":
                        push = STIFFNESS * depth * depth
                    else:
                        ratio = wp.max(gap / THICKNESS, 0.01)
                        closeness = 1.0 - ratio
                        # the slope of the barrier -(1 - ratio)^2 log(ratio)
                        push = STIFFNESS * closeness * (closeness / ratio - 2.0 * wp.log(ratio))
                    total += push * n
                elif SHIFTS:
                    if LAW == ", each in part":
                        total += 0.5 * PART * depth * n
                    else:
                        total += 0.5 * depth * n
                else:
                    approach = wp.min(wp.dot(v[i] - v[j], n), 0.0)
                    # each of the two takes a half
                    if LAW == ", each in part":
                        push = -0.5 * PART * approach
                    else:
                        push = -0.5 * approach
                    total += push * n
                if RUB == ", with friction":
                    u = v[i] - v[j]
                    slip = u - wp.dot(u, n) * n
                    # Coulomb's bound, and below it what slows the slip or ends it
                    rub = wp.min(RUBBING * push, (SLIP_DAMPING if FORCES else 0.5) * wp.length(slip))
                    total -= rub * wp.normalize(slip)
                elif RUB:
                    total -= (RUBBING if FORCES else 0.5 * RUBBING) * (v[i] - v[j])
                if COUNTED or LAW == ", averaged":
                    count += 1
                if TOLD and not COUNTED:
                    closest = wp.min(closest, gap)
        if LAW == ", averaged":
            total /= float(wp.max(count, 1))
        out[i] = total
        if COUNTED:
            touching[i] = count
        elif TOLD:
            least[i] = closest
