"""Balls and grains that strike each other and the ground."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .contact import NAMES


@idiom(level=3, names=NAMES | {"kernel": "collide_balls pair_impulses", "a b": "a b | i0 i1 | first second"})
def ball_impulses(c):
    """{EFFECT} from collisions of balls of {MASSES}{RUB}{DRIFT}."""
    pairs, n = c.size(7, 10), c.size(4, 6)
    EFFECT, MASSES = c.meaning("Impulses", "Counted changes of velocity"), c.meaning("any mass", "unit mass")
    RUB = c.meaning("", " with friction", " with friction and spin")
    DRIFT = c.meaning("", ", with Baumgarte stabilization")
    BOUNCE, FRICTION, BIAS = c.constant(0.2, 0.9), c.constant(0.1, 0.7), c.constant(2.0, 8.0)
    if EFFECT == "Impulses":
        c.names({"f": "impulses given", "dw": "angular_impulses twists"})
    else:
        c.names({"f": "dv delta_v velocity_changes", "dw": "dw delta_w spin_changes"})

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
            size = 0.5 * target
        else:
            size = target / (inv_mass[a] + inv_mass[b])
        if RUB:
            slip = relative - normal_speed * n
            # no more than what ends the slip
            if MASSES == "unit mass":
                stop = 0.5 * wp.length(slip)
            else:
                stop = wp.length(slip) / (inv_mass[a] + inv_mass[b])
            if RUB == " with friction and spin":
                # solid balls that spin too yield seven halves as much
                stop *= 2.0 / 7.0
            impulse = size * n - wp.min(FRICTION * size, stop) * wp.normalize(slip)
        else:
            impulse = size * n
        if RUB == " with friction and spin":
            twist = wp.cross(n, impulse)
            if EFFECT == "Impulses":
                wp.atomic_sub(dw, a, radius[a] * twist)
                wp.atomic_sub(dw, b, radius[b] * twist)
            elif MASSES == "unit mass":
                # the inertia of a ball is two fifths of its mass times its radius squared
                wp.atomic_sub(dw, a, 2.5 / radius[a] * twist)
                wp.atomic_sub(dw, b, 2.5 / radius[b] * twist)
            else:
                wp.atomic_sub(dw, a, 2.5 * inv_mass[a] / radius[a] * twist)
                wp.atomic_sub(dw, b, 2.5 * inv_mass[b] / radius[b] * twist)
        if EFFECT != "Impulses" and MASSES == "any mass":
            f[a] -= inv_mass[a] * impulse
            f[b] += inv_mass[b] * impulse
        else:
            wp.atomic_sub(f, a, impulse)
            wp.atomic_add(f, b, impulse)
        if EFFECT != "Impulses":
            wp.atomic_add(hits, a, 1)
            wp.atomic_add(hits, b, 1)


@idiom(level=3, names=NAMES | {"kernel": "count_contacts contact_census", "count": "count total counter"})
def collect_contacts(c):
    """Counts {SAID}{MARGIN}{KEPT}."""
    n = c.size(7, 10)
    BODIES = c.meaning("balls", "balls and fixed pegs", "cubes")
    WHAT = c.meaning("the contacts of each", "those that touch another", "contacts")
    MARGIN = c.meaning("", " within a margin", " while the two approach each other")
    EXTRA = c.meaning("", " and keeps the deepest overlap of each", " and adds up the overlaps of each")
    REACH = c.constant(0.1, 0.3)
    PEGS = BODIES == "balls and fixed pegs"
    ONE, OTHER = "cube" if BODIES == "cubes" else "ball", "a fixed peg" if PEGS else "another"
    KEPT = f"{EXTRA} {ONE}" if EXTRA else ""
    SAID = {
        "the contacts of each": f"the contacts of each {ONE} with {'fixed pegs' if PEGS else 'others'}",
        "those that touch another": f"the {ONE}s that touch {OTHER}",
        "contacts": "the contacts of balls with fixed pegs" if PEGS else f"the contacts among {ONE}s",
    }[WHAT]
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
        if MARGIN == " within a margin":
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
        if EXTRA == " and keeps the deepest overlap of each":
            # what does not touch leaves the zero that is there
            wp.atomic_max(deepest, i, -gap)
            if BODIES != "balls and fixed pegs":
                wp.atomic_max(deepest, j, -gap)
        elif EXTRA == " and adds up the overlaps of each":
            if MARGIN == " within a margin":
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


@idiom(level=4, names=NAMES | {"kernel": "grain_contacts dem_forces", "a b": "a b | first second | p q"})
def grain_forces(c):
    """The force on grains from {SEARCH}{WALL}: {NORMAL}{TANGENT}{COHESION}."""
    n, pairs = c.size(6, 9), c.size(10, 14)
    SEARCH = c.meaning("all others", "their neighbours", "pairs in contact")
    NORMAL = c.meaning("linear springs", "Hertz’s law", "damped Hertzian contact")
    TANGENT, COHESION = c.meaning("", ", sliding friction", ", viscous drag"), c.meaning("", ", cohesion")
    WALL = "" if SEARCH == "pairs in contact" else c.meaning("", " and the floor")
    c.once("floor", WALL)

    class Material:
        stiffness: float
        damping: float
        if TANGENT != "":
            friction: float
        if COHESION:
            cohesion: float

    def contact_force(d: wp.vec3, ra: float, rb: float, u: wp.vec3, m: Material) -> wp.vec3:
        """The force on a grain from what it touches, d away and as fast as u."""
        dist = wp.length(d)
        overlap = ra + rb - dist
        if overlap <= 0.0:
            return wp.vec3()
        n = d / dist
        vn = wp.dot(n, u)
        if NORMAL != "linear springs" or COHESION:
            size = ra * rb / (ra + rb)
        if NORMAL == "Hertz’s law":
            push = m.stiffness * overlap * wp.sqrt(size * overlap) - m.damping * vn
        elif NORMAL == "linear springs":
            push = m.stiffness * overlap - m.damping * vn
        else:
            push = wp.sqrt(size * overlap) * (m.stiffness * overlap - m.damping * vn)
        if TANGENT == "":
            force = push * n
        elif TANGENT == ", viscous drag":
            force = push * n - m.friction * (u - vn * n)
        else:
            slip = u - vn * n
            # Coulomb’s cone bounds the viscous drag
            drag = wp.min(m.friction * wp.abs(push), m.damping * wp.length(slip))
            force = push * n - drag * wp.normalize(slip)
        if COHESION:
            force -= m.cohesion * size * n
        return force

    def push_of_all(
        i: int, x: wp.array[wp.vec3], v: wp.array[wp.vec3], radius: wp.array[float], m: Material
    ) -> wp.vec3:
        total = wp.vec3()
        for j in range(x.shape[0]):
            if j != i:
                total += contact_force(x[i] - x[j], radius[i], radius[j], v[i] - v[j], m)
        return total

    @c.kernel(pairs if SEARCH == "pairs in contact" else n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-0.8, high=0.8, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity"),
        radius: wp.array[float] = given(n, low=0.3, high=0.7, of="radius"),
        material: Material = given(low=0.5, high=2.0),
        contacts: wp.array2d[int] = given(pairs, 2, low=0, high=n - 1),
        offsets: wp.array[int] = given(n + 1, low=0, high=pairs, trait="offsets"),
        neighbours: wp.array[int] = given(pairs, low=0, high=n - 1),
        f: wp.array[wp.vec3] = result(n, of="force"),
    ):
        if SEARCH == "pairs in contact":
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
                total = wp.vec3()
                for k in range(offsets[i], offsets[i + 1]):
                    j = neighbours[k]
                    if j != i:
                        total += contact_force(x[i] - x[j], radius[i], radius[j], v[i] - v[j], material)
            else:
                total = push_of_all(i, x, v, radius, material)
            if WALL:
                lift = material.stiffness * wp.max(radius[i] - x[i][1], 0.0)
                total += wp.vec3(0.0, lift, 0.0)
            f[i] = total


@idiom(
    level=5,
    names=NAMES
    | {
        "kernel": "simulate_bounces throw_balls",
        "bounces": "impacts hits_so_far",
        "steps": "steps count n_steps",
    },
)
def bounce_on_terrain(c):
    """{WANTED} of balls thrown over {LAND}{AIR}, {IMPACT}."""
    n = c.size()
    WANTED = c.meaning(
        "Last position and velocity", "The number of impacts", "The length of the paths", "The range"
    )
    IMPACT = c.meaning("bouncing", "bouncing with friction", "sliding on")
    AIR = c.meaning("", " against drag", " in a wind")
    GRAVITY, DT, BOUNCE = c.constant(3.0, 9.0), c.constant(0.12, 0.25), c.constant(0.4, 0.95)
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
        if WANTED != "Last position and velocity"
        else updated(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec2] = given(n, low=-2.0, high=2.0, of="velocity")
        if WANTED != "Last position and velocity"
        else updated(n, low=-2.0, high=2.0, of="velocity"),
        wind: wp.vec2 = given(low=-2.0, high=2.0),
        steps: int = given(low=3, high=9),
        hits: wp.array[int] = result(n),
        out: wp.array[float] = result(n),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        if WANTED == "The number of impacts":
            bounces = int(0)
        if WANTED == "The length of the paths":
            path = float(0.0)
        for _ in range(steps):
            if WANTED == "The length of the paths":
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
                if IMPACT == "bouncing":
                    u = u - (1.0 + BOUNCE) * wp.min(speed, 0.0) * n
                elif IMPACT == "bouncing with friction":
                    u = (1.0 - GRIP) * (u - speed * n) + BOUNCE * wp.abs(speed) * n
                else:
                    u = u - wp.min(speed, 0.0) * n
                if WANTED == "The number of impacts":
                    bounces += 1
            else:
                p = ahead
            if WANTED == "The length of the paths":
                path += wp.length(p - last)
        if WANTED == "Last position and velocity":
            x[i] = p
            v[i] = u
        elif WANTED == "The number of impacts":
            hits[i] = bounces
        elif WANTED == "The length of the paths":
            out[i] = path
        else:
            out[i] = wp.abs(p[0] - x[i][0])
