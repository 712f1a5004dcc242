"""Balls and grains that strike each other and the ground."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .contact import NAMES


@idiom(level=3, names=NAMES | {"kernel": "collide_balls pair_impulses", "a b": "a b | i0 i1 | first second"})
def ball_impulses(c):
    """{EFFECT} of balls of {MASSES} that collide{RUB}{DRIFT}{COUNT}.

    Resolve collisions of balls. Pair k may have one, of ball `{firsts}[k]` with ball `{seconds}[k]`, here
    called a and b. Their centres {x} have distance d, n is the unit vector from a to b, and the gap is d
    less both radii, {radius}. {MASS} The relative velocity u is that of b less that of a{TOUCH}. Nothing
    happens in pairs with a gap > 0 or with u·n > 0.

    Otherwise b gets the impulse J and a gets -J. Along n, J is {PART}. {RUBS}{ANSWER}
    """
    pairs, n = c.size(7, 10), c.size(4, 6)
    EFFECT = c.meaning("Adds up the impulses", "Adds up the velocity changes")
    MASSES = c.meaning("any mass", "unit mass")
    RUB = c.meaning("", " with friction", " with friction and spin")
    DRIFT = c.meaning("", ", with Baumgarte stabilization")
    IMPULSES = EFFECT == "Adds up the impulses"
    COUNT = "" if IMPULSES else ", and counts their hits"
    BOUNCE, FRICTION, BIAS = c.constant(0.2, 0.9), c.constant(0.1, 0.7), c.constant(2.0, 8.0)
    if IMPULSES:
        c.names({"f": "impulses linear_impulses", "dw": "angular_impulses twists"})
    else:
        c.names({"f": "dv delta_v velocity_changes", "dw": "dw delta_w spin_changes"})
        c.names({"kernel": "collide_balls resolve_collisions"})
    SHARED = "2" if MASSES == "unit mass" else "(w_a + w_b)"
    MASS = (
        "All masses are 1." if MASSES == "unit mass" else "Ball c has the inverse mass w_c = `{inv_mass}[c]`."
    )
    TOUCH = ", both from {v}"
    if RUB == " with friction and spin":
        TOUCH = (
            ", at the points that touch: velocity {v} plus angular velocity {spin} × the way from the "
            "centre, "
        )
        TOUCH += "radius·n for a and -radius·n for b"
    PART = "j = -(1 + {BOUNCE})·(u·n) / {SHARED}"
    if DRIFT:
        PART = (
            "j = (-(1 + {BOUNCE})·(u·n) - {BIAS}·gap) / {SHARED}, the gap being negative (Baumgarte "
            "stabilization)"
        )
    RUBS = ""
    if RUB:
        RUBS = "With the slip, the part of u perpendicular to n, friction adds the impulse "
        RUBS += "min({FRICTION}·j, {MOST}) against the slip. "
    MOST = "|slip| / {SHARED}"
    if RUB == " with friction and spin":
        MOST = "2/7·|slip| / {SHARED}"
    ANSWER = "Add up the impulses of each ball in {f}"
    if not IMPULSES:
        ANSWER = "Add up the changes of velocity that these impulses give each ball in {f}"
        if MASSES != "unit mass":
            ANSWER += " (impulse times inverse mass)"
    if RUB == " with friction and spin":
        if IMPULSES:
            ANSWER += (
                ", and the angular impulses in {dw}: -radius·(n × J) for either ball, with its own radius"
            )
        else:
            ANSWER += ", and the changes of angular velocity of solid balls in {dw}: {PER_TWIST}·(n × J) for "
            ANSWER += "either ball, with its own radius"
    PER_TWIST = "-2.5 / radius" if MASSES == "unit mass" else "-2.5·(inverse mass) / radius"
    ANSWER += (
        "; {hits} counts the collisions of each. All start at zero."
        if not IMPULSES
        else ". Both start at zero."
        if "spin" in RUB
        else ", which starts at zero."
    )

    @c.kernel(pairs)
    def kernel(
        x: wp.array[wp.vec3] = input(2 * n, low=-0.7, high=0.7),
        v: wp.array[wp.vec3] = input(2 * n, low=-2.0, high=2.0),
        inv_mass: wp.array[float] = input(2 * n, low=0.4, high=2.0),
        radius: wp.array[float] = input(2 * n, low=0.1, high=0.9),
        spin: wp.array[wp.vec3] = input(2 * n, low=-3.0, high=3.0),
        firsts: wp.array[int] = input(pairs, low=0, high=n - 1),
        seconds: wp.array[int] = input(pairs, low=n, high=2 * n - 1),
        f: wp.array[wp.vec3] = output(2 * n),
        dw: wp.array[wp.vec3] = output(2 * n),
        hits: wp.array[int] = output(2 * n),
    ):
        pair = wp.tid()
        a = firsts[pair]
        b = seconds[pair]
        d = x[b] - x[a]
        dist = wp.length(d)
        gap = dist - radius[a] - radius[b]
        if gap > 0.0:
            return
        n = d / dist
        if RUB == " with friction and spin":
            # the velocities of the two points that touch
            relative = v[b] - v[a] - wp.cross(radius[b] * spin[b] + radius[a] * spin[a], n)
        else:
            relative = v[b] - v[a]
        normal_speed = wp.dot(relative, n)
        if normal_speed > 0.0:
            return
        if DRIFT:
            target = -(1.0 + BOUNCE) * normal_speed - BIAS * gap
        else:
            target = -(1.0 + BOUNCE) * normal_speed
        if MASSES == "unit mass":
            jn = 0.5 * target
        else:
            jn = target / (inv_mass[a] + inv_mass[b])
        if RUB:
            slip = relative - normal_speed * n
            # no more than what ends the slip
            if MASSES == "unit mass":
                stop = 0.5 * wp.length(slip)
            else:
                stop = wp.length(slip) / (inv_mass[a] + inv_mass[b])
            if RUB == " with friction and spin":
                # where solid balls touch, they yield seven halves as easily as their centres
                stop *= 2.0 / 7.0
            impulse = jn * n - wp.min(FRICTION * jn, stop) * wp.normalize(slip)
        else:
            impulse = jn * n
        if RUB == " with friction and spin":
            twist = wp.cross(n, impulse)
            if IMPULSES:
                wp.atomic_sub(dw, a, radius[a] * twist)
                wp.atomic_sub(dw, b, radius[b] * twist)
            elif MASSES == "unit mass":
                # the inertia of a ball is two fifths of its mass times its radius squared
                wp.atomic_sub(dw, a, 2.5 / radius[a] * twist)
                wp.atomic_sub(dw, b, 2.5 / radius[b] * twist)
            else:
                wp.atomic_sub(dw, a, 2.5 * inv_mass[a] / radius[a] * twist)
                wp.atomic_sub(dw, b, 2.5 * inv_mass[b] / radius[b] * twist)
        if not IMPULSES and MASSES == "any mass":
            wp.atomic_sub(f, a, inv_mass[a] * impulse)
            wp.atomic_add(f, b, inv_mass[b] * impulse)
        else:
            wp.atomic_sub(f, a, impulse)
            wp.atomic_add(f, b, impulse)
        if not IMPULSES:
            wp.atomic_add(hits, a, 1)
            wp.atomic_add(hits, b, 1)


@idiom(level=3, names=NAMES | {"kernel": "count_contacts contact_census", "count": "count total counter"})
def collect_contacts(c):
    """Counts {SAID}{MARGIN}{KEPT}.

    Find which {BOTH} touch, and count {COUNTED}. {GAP} {TOUCHES}.

    {OUTPUTS}
    """
    n = c.size(7, 10)
    BODIES = c.meaning("balls", "balls and fixed pegs", "cubes")
    WHAT = c.meaning("the contacts of each", "those that touch another", "contacts")
    MARGIN = c.meaning("", ", gaps within a margin included", " while the two approach each other")
    EXTRA = c.meaning("", "; keeps the deepest overlap of each", "; adds up the overlaps of each")
    REACH = c.constant(0.1, 0.3)
    PEGS = BODIES == "balls and fixed pegs"
    ONE, OTHER = "cube" if BODIES == "cubes" else "ball", "a fixed peg" if PEGS else "another"
    KEPT = f"{EXTRA} {ONE}" if EXTRA else ""
    SAID = {
        "the contacts of each": f"the contacts of each {ONE} with {'fixed pegs' if PEGS else 'others'}",
        "those that touch another": f"the {ONE}s that touch {OTHER}",
        "contacts": "the contacts of balls with fixed pegs" if PEGS else f"the contacts among {ONE}s",
    }[WHAT]
    c.names({"kernel": "count_touching" if "touch" in WHAT else "count_contacts contact_census"})
    if BODIES == "cubes":
        c.names({"radius": "half_width extents half_extents", "ra rb": "ha hb | half_a half_b"})
    if EXTRA.endswith("overlaps of each"):
        c.names({"deepest": "overlaps total_overlap overlap_sum"})

    def clearance(a: wp.vec3, b: wp.vec3, ra: float, rb: float) -> float:
        """The gap between two bodies, negative where they overlap."""
        if BODIES == "cubes":
            d = a - b
            return wp.max(wp.max(wp.abs(d[0]), wp.abs(d[1])), wp.abs(d[2])) - ra - rb
        else:
            return wp.length(a - b) - ra - rb

    BOTH = "balls and fixed pegs" if PEGS else f"of a set of {ONE}s"
    COUNTED = {
        "the contacts of each": f"the contacts of each {ONE}",
        "those that touch another": f"the {ONE}s that touch " + ("any peg" if PEGS else "any other"),
        "contacts": "the contacts",
    }[WHAT]
    GAP = "The gap of two balls is the distance of their centres {x} less both radii, {radius}."
    if PEGS:
        GAP = (
            "The gap of ball i and peg j is the distance of their centres, `{x}[i]` and `{pegs}[j]`, less "
            "both radii, "
        )
        GAP += "`{radius}[i]` and `{peg_radius}[j]`."
    elif BODIES == "cubes":
        GAP = (
            "The cubes are aligned with the axes; {x} holds their centres and {radius} half their widths. "
            "The gap of two is "
        )
        GAP += "the largest of the differences |dx|, |dy|, |dz| of their centres, less both half widths."
    TOUCHES = "Two are in contact if the gap is ≤ 0"
    if "margin" in MARGIN:
        TOUCHES = "Two count as in contact if the gap is ≤ {REACH}"
    elif MARGIN:
        TOUCHES += " and they approach each other or keep their distance, {CLOSING} ≤ 0"
    CLOSING = "`{v}[i]·({x}[i] - {pegs}[j])`" if PEGS else "`({v}[i] - {v}[j])·({x}[i] - {x}[j])`"
    PLURAL = "" if PEGS else ", for both of a pair"
    OUTPUTS = {
        "the contacts of each": "{touching} gets the number of contacts of each {ONE}{PLURAL}.",
        "those that touch another": "{touching} gets the number of contacts of each {ONE}{PLURAL}, and "
        "`{count}[0]` the number of {ONE}s that have at least one.",
        "contacts": "`{count}[0]` gets the number of contacts"
        + ("." if PEGS else ", each pair counted once."),
    }[WHAT]
    if "deepest" in EXTRA:
        OUTPUTS += (
            " {deepest} gets the largest overlap, minus the gap, among the contacts of each {ONE}, or 0 if "
        )
        OUTPUTS += "it overlaps none."
    elif EXTRA:
        OUTPUTS += (
            " {deepest} gets the sum of the overlaps of each {ONE} with all that it is in contact with, "
            "where "
        )
        OUTPUTS += "an overlap is minus the gap" + (
            ", and 0 if they do not reach each other." if "margin" in MARGIN else "."
        )

    @c.kernel(n, n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-0.8, high=0.8),
        v: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        radius: wp.array[float] = input(n, low=0.1, high=0.5),
        pegs: wp.array[wp.vec3] = input(n, low=-0.8, high=0.8),
        peg_radius: wp.array[float] = input(n, low=0.1, high=0.4),
        touching: wp.array[int] = output(n),
        count: wp.array[int] = output(1),
        deepest: wp.array[float] = output(n),
    ):
        i, j = wp.tid()
        if BODIES == "balls and fixed pegs":
            gap = clearance(x[i], pegs[j], radius[i], peg_radius[j])
        else:
            # each pair once
            if j <= i:
                return
            gap = clearance(x[i], x[j], radius[i], radius[j])
        if MARGIN == ", gaps within a margin included":
            if gap > REACH:
                return
        else:
            if gap > 0.0:
                return
        if MARGIN == " while the two approach each other":
            if BODIES == "balls and fixed pegs":
                if wp.dot(v[i], x[i] - pegs[j]) > 0.0:
                    return
            else:
                if wp.dot(v[i] - v[j], x[i] - x[j]) > 0.0:
                    return
        if EXTRA == "; keeps the deepest overlap of each":
            if MARGIN == ", gaps within a margin included":
                # what does not touch leaves the zero that is there
                wp.atomic_max(deepest, i, -gap)
            else:
                wp.atomic_max(deepest, i, -gap)
            if BODIES != "balls and fixed pegs":
                wp.atomic_max(deepest, j, -gap)
        elif EXTRA == "; adds up the overlaps of each":
            if MARGIN == ", gaps within a margin included":
                overlap = wp.max(-gap, 0.0)
            else:
                overlap = -gap
            wp.atomic_add(deepest, i, overlap)
            if BODIES != "balls and fixed pegs":
                wp.atomic_add(deepest, j, overlap)
        if WHAT == "contacts":
            wp.atomic_add(count, 0, 1)
        elif WHAT == "those that touch another":
            # only the first contact of a body counts it
            if wp.atomic_add(touching, i, 1) == 0:
                wp.atomic_add(count, 0, 1)
            if BODIES != "balls and fixed pegs":
                if wp.atomic_add(touching, j, 1) == 0:
                    wp.atomic_add(count, 0, 1)
        else:
            wp.atomic_add(touching, i, 1)
            if BODIES != "balls and fixed pegs":
                wp.atomic_add(touching, j, 1)


@idiom(
    level=4,
    names=NAMES
    | {
        "kernel": "grain_contacts dem_forces",
        "a b": "a b | p q | i0 i1",
        "r_eff": "r_eff reduced_radius",
        "vn": "vn normal_speed v_n",
        "overlap": "overlap delta indent",
        "ft": "ft friction_force",
    },
)
def grain_forces(c):
    """The forces on grains from {SEARCH}{WALL}: {NORMAL}{TANGENT}{COHESION}.

    Compute the contact forces on grains by the discrete element method. {WHICH} Two grains at {x}, whose
    distance is d, overlap by h = the sum of their radii {radius} less d; if h ≤ 0 they exert no force.
    Otherwise let n be the unit vector from the other grain to this one, and u the velocity {v} of this one
    less that of the other{EFFECTIVE}.

    The grain is pushed along n with F = {PUSH}. {TANGENTIAL}{ATTRACT}{FLOOR}{ANSWER}
    """
    n, pairs = c.size(6, 9), c.size(10, 14)
    SEARCH = c.meaning("all others", "their neighbours", "pairs that may touch")
    NORMAL = c.meaning(
        "damped springs", "Hertz's law with a damper", "Hertz's law with damping that grows with the contact"
    )
    TANGENT, COHESION = c.meaning("", ", sliding friction", ", viscous drag"), c.meaning("", ", cohesion")
    WALL = "" if SEARCH == "pairs that may touch" else c.meaning("", " and an elastic floor")
    c.once("floor", WALL)
    Vec = c.vec(c.meaning(3, 2))

    class Material:
        stiffness: float
        damping: float
        if TANGENT == ", sliding friction":
            friction: float
        elif TANGENT == ", viscous drag":
            drag: float
        if COHESION:
            cohesion: float

    def contact_force(d: Vec, ra: float, rb: float, u: Vec, m: Material) -> Vec:
        """The force on a grain that is d away from another and moves at u relative to it."""
        dist = wp.length(d)
        overlap = ra + rb - dist
        if overlap <= 0.0:
            return Vec()
        n = d / dist
        vn = wp.dot(n, u)
        if NORMAL != "damped springs" or COHESION:
            r_eff = ra * rb / (ra + rb)
        # however fast grains part, the damper does not hold them
        if NORMAL == "Hertz's law with a damper":
            push = wp.max(m.stiffness * overlap * wp.sqrt(r_eff * overlap) - m.damping * vn, 0.0)
        elif NORMAL == "damped springs":
            push = wp.max(m.stiffness * overlap - m.damping * vn, 0.0)
        else:
            push = wp.sqrt(r_eff * overlap) * wp.max(m.stiffness * overlap - m.damping * vn, 0.0)
        if TANGENT == "":
            force = push * n
        elif TANGENT == ", viscous drag":
            force = push * n - m.drag * (u - vn * n)
        else:
            slip = u - vn * n
            # Coulomb's cone bounds the damping of slip
            ft = wp.min(m.friction * push, m.damping * wp.length(slip))
            force = push * n - ft * wp.normalize(slip)
        if COHESION:
            force -= m.cohesion * r_eff * n
        return force

    def push_of_all(i: int, x: wp.array[Vec], v: wp.array[Vec], radius: wp.array[float], m: Material) -> Vec:
        total = Vec()
        for j in range(x.shape[0]):
            if j != i:
                total += contact_force(x[i] - x[j], radius[i], radius[j], v[i] - v[j], m)
        return total

    WHICH = {
        "all others": "Each grain feels all others.",
        "their neighbours": "Grain i feels the grains `{neighbours}[{offsets}[i]]` up to and without "
        "`{neighbours}[{offsets}[i + 1]]`; if it is listed as its own neighbour, that is ignored.",
        "pairs that may touch": "Row k of {contacts} names two grains that may touch; a pair of a grain "
        "with itself is ignored.",
    }[SEARCH]
    EFFECTIVE = ""
    if NORMAL != "damped springs" or COHESION:
        EFFECTIVE = "; R is the product of their radii over the sum of these"
    PUSH = {
        "damped springs": "max(`{material}.stiffness`·h - `{material}.damping`·(u·n), 0)",
        "Hertz's law with a damper": "max(`{material}.stiffness`·h·√(R·h) - `{material}.damping`·(u·n), 0)",
    }.get(NORMAL, "√(R·h)·max(`{material}.stiffness`·h - `{material}.damping`·(u·n), 0)")
    TANGENTIAL = ""
    if TANGENT == ", viscous drag":
        TANGENTIAL = "Viscous drag adds -`{material}.drag` times the slip, the part of u perpendicular to n. "
    elif TANGENT:
        TANGENTIAL = "Friction acts against the slip, the part of u perpendicular to n, with "
        TANGENTIAL += "min(`{material}.friction`·F, `{material}.damping`·|slip|). "
    ATTRACT = "Cohesion adds -`{material}.cohesion`·R·n. " if COHESION else ""
    FLOOR = ""
    if WALL:
        FLOOR = "A floor at y = 0 pushes each grain up with `{material}.stiffness`·max(radius - y, 0). "
    ANSWER = "Store the total force on each grain in {f}."
    if SEARCH == "pairs that may touch":
        ANSWER = (
            "The other grain of the pair gets the opposite force. Add all forces to {f}, which starts at "
            "zero."
        )

    @c.kernel(pairs if SEARCH == "pairs that may touch" else n)
    def kernel(
        x: wp.array[Vec] = input(n, low=-0.8, high=0.8, of="position"),
        v: wp.array[Vec] = input(n, low=-1.0, high=1.0, of="velocity"),
        radius: wp.array[float] = input(n, low=0.3, high=0.7, of="radius"),
        material: Material = input(low=0.5, high=2.0),
        contacts: wp.array2d[int] = input(pairs, 2, low=0, high=n - 1),
        offsets: wp.array[int] = input(n + 1, low=0, high=pairs, trait="offsets"),
        neighbours: wp.array[int] = input(pairs, low=0, high=n - 1),
        f: wp.array[Vec] = output(n, of="force"),
    ):
        if SEARCH == "pairs that may touch":
            pair = wp.tid()
            a = contacts[pair, 0]
            b = contacts[pair, 1]
            if a == b:
                return
            force = contact_force(x[a] - x[b], radius[a], radius[b], v[a] - v[b], material)
            f[a] += force
            f[b] -= force
        else:
            i = wp.tid()
            if SEARCH == "their neighbours":
                total = Vec()
                for k in range(offsets[i], offsets[i + 1]):
                    j = neighbours[k]
                    if j != i:
                        total += contact_force(x[i] - x[j], radius[i], radius[j], v[i] - v[j], material)
            else:
                total = push_of_all(i, x, v, radius, material)
            if WALL:
                lift = material.stiffness * wp.max(radius[i] - x[i][1], 0.0)
                total[1] += lift
            f[i] = total


@idiom(
    level=5,
    differentiable=False,
    names=NAMES | {"kernel": "simulate_bounces throw_balls", "steps": "steps count n_steps"},
)
def bounce_on_terrain(c):
    """{WANTED} of balls thrown over {LAND}{AIR}, {IMPACT} where they land.

    Simulate balls, points in a vertical plane, that are thrown over {LAND} of height {HEIGHT_AT}, with
    the horizontal coordinate q, and {STRIKES}. Ball k starts at `{x}[k]` with the velocity `{v}[k]`; there
    are {steps} steps of {DT}.

    In each step, the velocity grows by {DT} times the acceleration, {GRAVITY} downwards{DRAGS}; then the ball
    moves by {DT} times the new velocity. If that takes it below the ground, it lands: it goes to the ground
    at the same q. Let n be the ground's normal, (-g, 1) normalized, with the slope g = (height at q + 0.01,
    less that at q - 0.01) / 0.02, and w the part of the velocity along n. {SLOWS}The velocity loses {LANDS}.

    {ANSWER}
    """
    n = c.size()
    WANTED = c.meaning(
        "The last places and velocities", "The numbers of landings", "The lengths of the paths", "The ranges"
    )
    SLIDING = ("sliding on",) if WANTED != "The numbers of landings" else ()
    IMPACT = c.meaning("bouncing", "bouncing with friction", *SLIDING)
    AIR = c.meaning("", " against drag", " in a wind")
    if IMPACT == "sliding on":
        c.names({"kernel": "slide_on_terrain throw_balls"})
    GRAVITY, DT, BOUNCE = 9.81, c.constant(0.06, 0.12), c.constant(0.4, 0.95)
    HEIGHT, GRIP, DRAG = c.constant(0.2, 0.5), c.constant(0.1, 0.5), c.constant(0.5, 1.5)

    def hills(at: float) -> float:
        return HEIGHT * wp.sin(3.0 * at)

    def valley(at: float) -> float:
        return HEIGHT * (at * at - 1.0)

    def slope(at: float) -> float:
        return -HEIGHT * at

    GROUND, LAND = c.meaning((hills, "hills"), (valley, "a valley"), (slope, "a slope"))

    def normal(at: float) -> wp.vec2:
        rise = (GROUND(at + 0.01) - GROUND(at - 0.01)) / 0.02
        return wp.normalize(wp.vec2(-rise, 1.0))

    STRIKES = "slide where they land" if IMPACT == "sliding on" else "bounce where they land"
    HEIGHT_AT = {
        "hills": "{HEIGHT}·sin(3·q)",
        "a valley": "{HEIGHT}·(q² - 1)",
        "a slope": "-{HEIGHT}·q",
    }[LAND]
    DRAGS = {
        "": "",
        " against drag": " less {DRAG}·|velocity|·velocity for drag",
        " in a wind": " plus {DRAG}·({wind} - velocity) for the wind",
    }[AIR]
    SLOWS = ""
    if IMPACT == "bouncing with friction":
        SLOWS = "Friction takes {GRIP} of the rest of the velocity away. "
    LANDS = "(1 + {BOUNCE})·min(w, 0)·n"
    if IMPACT == "sliding on":
        LANDS = "min(w, 0)·n"
    ANSWER = {
        "The last places and velocities": "Store the last places and velocities in place.",
        "The numbers of landings": "{hits} gets how often each ball lands.",
        "The lengths of the paths": "{out} gets the length of each ball's path, the sum of the straight "
        "ways between the places after the steps, its start included.",
        "The ranges": "{out} gets the horizontal distance, without a sign, of the last place of each ball "
        "from its start.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = input(n, low=-1.0, high=1.0, of="position")
        if WANTED != "The last places and velocities"
        else inout(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec2] = input(n, low=-2.0, high=2.0, of="velocity")
        if WANTED != "The last places and velocities"
        else inout(n, low=-2.0, high=2.0, of="velocity"),
        wind: wp.vec2 = input(low=-2.0, high=2.0),
        steps: int = input(low=6, high=16),
        hits: wp.array[int] = output(n),
        out: wp.array[float] = output(n),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        if WANTED == "The numbers of landings":
            landings = int(0)
        if WANTED == "The lengths of the paths":
            path = float(0.0)
        for _ in range(steps):
            if WANTED == "The lengths of the paths":
                last = p
            if AIR == " against drag":
                u += DT * (wp.vec2(0.0, -GRAVITY) - DRAG * wp.length(u) * u)
            elif AIR == " in a wind":
                u += DT * (wp.vec2(0.0, -GRAVITY) + DRAG * (wind - u))
            else:
                u += DT * wp.vec2(0.0, -GRAVITY)
            ahead = p + DT * u
            if ahead[1] < GROUND(ahead[0]):
                # back up to the ground
                p = wp.vec2(ahead[0], GROUND(ahead[0]))
                n = normal(p[0])
                speed = wp.dot(u, n)
                if IMPACT == "bouncing with friction":
                    u -= GRIP * (u - speed * n)
                if IMPACT == "sliding on":
                    u -= wp.min(speed, 0.0) * n
                else:
                    u -= (1.0 + BOUNCE) * wp.min(speed, 0.0) * n
                if WANTED == "The numbers of landings":
                    landings += 1
            else:
                p = ahead
            if WANTED == "The lengths of the paths":
                path += wp.length(p - last)
        if WANTED == "The last places and velocities":
            x[i] = p
            v[i] = u
        elif WANTED == "The numbers of landings":
            hits[i] = landings
        elif WANTED == "The lengths of the paths":
            out[i] = path
        else:
            out[i] = wp.abs(p[0] - x[i][0])
