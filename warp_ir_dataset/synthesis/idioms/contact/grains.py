"""Balls and grains that strike each other and the ground."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .contact import NAMES


@idiom(level=3, names=NAMES | {"kernel": "collide_balls pair_impulses", "a b": "a b | i0 i1 | first second"})
def ball_impulses(c):
    """{EFFECT} of balls of {MASSES} that collide{RUB}{DRIFT}{COUNT}."""
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

    @c.kernel(pairs)
    def kernel(
        x: wp.array[wp.vec3] = given(2 * n, low=-0.7, high=0.7),
        v: wp.array[wp.vec3] = given(2 * n, low=-2.0, high=2.0),
        inv_mass: wp.array[float] = given(2 * n, low=0.4, high=2.0),
        radius: wp.array[float] = given(2 * n, low=0.1, high=0.9),
        spin: wp.array[wp.vec3] = given(2 * n, low=-3.0, high=3.0),
        firsts: wp.array[int] = given(pairs, low=0, high=n - 1),
        seconds: wp.array[int] = given(pairs, low=n, high=2 * n - 1),
        f: wp.array[wp.vec3] = result(2 * n),
        dw: wp.array[wp.vec3] = result(2 * n),
        hits: wp.array[int] = result(2 * n),
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
    """Counts {SAID}{MARGIN}{KEPT}."""
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

    @c.kernel(n, n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-0.8, high=0.8),
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        radius: wp.array[float] = given(n, low=0.1, high=0.5),
        pegs: wp.array[wp.vec3] = given(n, low=-0.8, high=0.8),
        peg_radius: wp.array[float] = given(n, low=0.1, high=0.4),
        touching: wp.array[int] = result(n),
        count: wp.array[int] = result(1),
        deepest: wp.array[float] = result(n),
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
    """The forces on grains from {SEARCH}{WALL}: {NORMAL}{TANGENT}{COHESION}."""
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

    @c.kernel(pairs if SEARCH == "pairs that may touch" else n)
    def kernel(
        x: wp.array[Vec] = given(n, low=-0.8, high=0.8, of="position"),
        v: wp.array[Vec] = given(n, low=-1.0, high=1.0, of="velocity"),
        radius: wp.array[float] = given(n, low=0.3, high=0.7, of="radius"),
        material: Material = given(low=0.5, high=2.0),
        contacts: wp.array2d[int] = given(pairs, 2, low=0, high=n - 1),
        offsets: wp.array[int] = given(n + 1, low=0, high=pairs, trait="offsets"),
        neighbours: wp.array[int] = given(pairs, low=0, high=n - 1),
        f: wp.array[Vec] = result(n, of="force"),
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
    """{WANTED} of balls thrown over {LAND}{AIR}, {IMPACT} where they land."""
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

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0, of="position")
        if WANTED != "The last places and velocities"
        else updated(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec2] = given(n, low=-2.0, high=2.0, of="velocity")
        if WANTED != "The last places and velocities"
        else updated(n, low=-2.0, high=2.0, of="velocity"),
        wind: wp.vec2 = given(low=-2.0, high=2.0),
        steps: int = given(low=6, high=16),
        hits: wp.array[int] = result(n),
        out: wp.array[float] = result(n),
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
