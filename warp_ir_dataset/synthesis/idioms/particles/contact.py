"""Contact: penalties, friction, walls, colliding balls, grains, bouncing."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "x": "x positions particle_q pos",
    "v": "v velocities particle_qd vel",
    "f": "f forces particle_f contact_forces",
    "radius": "radius radii particle_radius",
    "depth": "depth penetration overlap",
    "normals": "normals contact_normals directions",
    "gap": "gap clearance",
    "mass": "mass masses particle_mass",
}


@idiom(level=2, names=NAMES | {"kernel": "ground_contact eval_ground", "push": "push magnitude fn"})
def ground_penalty(c):
    """Adds to {f} the push of {GROUND} on the particles within it: {LAW}."""
    n = c.size()
    LAW = c.meaning(
        "a spring", "a spring and damper", "Hertz’s law", "an exponential", "Hunt and Crossley’s law"
    )
    GROUND = c.meaning("level ground", "a plane", "a spherical bowl")
    BALLS = c.meaning(True, False)
    STIFFNESS, DAMPING, SHARPNESS = c.constant(20.0, 90.0), c.constant(0.4, 1.5), c.constant(0.5, 2.0)

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity"),
        radius: wp.array[float] = given(n, low=0.1, high=0.5, of="radius"),
        normal: wp.vec3 = given(low=-1.0, high=1.0, trait="unit"),
        offset: float = given(low=-0.5, high=0.5),
        bowl: float = given(low=0.8, high=1.4),
        f: wp.array[wp.vec3] = updated(n, low=-5.0, high=5.0, of="force"),
    ):
        i = wp.tid()
        if GROUND == "level ground":
            depth = radius[i] - x[i][1] if BALLS else -x[i][1]
            up = wp.vec3(0.0, 1.0, 0.0)
        elif GROUND == "a plane":
            depth = offset + radius[i] - wp.dot(normal, x[i]) if BALLS else offset - wp.dot(normal, x[i])
            up = normal
        else:
            depth = wp.length(x[i]) + radius[i] - bowl if BALLS else wp.length(x[i]) - bowl
            up = -wp.normalize(x[i])
        if depth <= 0.0:
            return
        if LAW == "a spring":
            push = STIFFNESS * depth
        elif LAW == "a spring and damper":
            # a damper alone would glue particles to the ground
            push = wp.max(STIFFNESS * depth - DAMPING * STIFFNESS * wp.dot(v[i], up), 0.0)
        elif LAW == "Hertz’s law":
            push = STIFFNESS * depth * wp.sqrt(depth)
        elif LAW == "an exponential":
            push = STIFFNESS * (wp.exp(SHARPNESS * depth) - 1.0)
        else:
            approach = -wp.dot(v[i], up)
            push = STIFFNESS * depth * wp.sqrt(depth) * (1.0 + DAMPING * approach)
        f[i] += push * up


@idiom(level=2, names=NAMES | {"kernel": "friction_forces tangential_force", "slip": "slip vt tangential"})
def coulomb_friction(c):
    """The {WANTED} of contacts that slide on their {SURFACE}, {LAW}."""
    n = c.size()
    LAW = c.meaning(
        "by Coulomb’s law", "rising with slip", "smoothed by tanh", "by Stribeck’s curve", "viscous to a cap"
    )
    WANTED = c.meaning("friction force", "power lost to friction", "velocity that friction leaves")
    SURFACE = c.meaning("planes", "moving belts")
    FRICTION, SMOOTH = c.constant(0.2, 0.9), c.constant(0.2, 0.8)
    STICTION, VISCOUS = c.constant(1.1, 1.9), c.constant(0.5, 2.5)
    DT = c.constant(0.1, 0.3)

    @c.kernel(n)
    def kernel(
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity"),
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit", of="normal"),
        load: wp.array[float] = given(n, low=0.5, high=3.0),
        belt: wp.vec3 = given(low=-1.0, high=1.0),
        f: wp.array[wp.vec3] = result(n, of="force"),
        power: wp.array[float] = result(n),
        v_new: wp.array[wp.vec3] = result(n),
    ):
        i = wp.tid()
        n = normals[i]
        if SURFACE == "moving belts":
            relative = v[i] - belt
            slip = relative - wp.dot(relative, n) * n
        else:
            slip = v[i] - wp.dot(v[i], n) * n
        speed = wp.length(slip)
        if speed < 1.0e-5:
            return
        if LAW == "by Coulomb’s law":
            drag = FRICTION * load[i]
        elif LAW == "rising with slip":
            drag = FRICTION * load[i] * wp.min(speed / SMOOTH, 1.0)
        elif LAW == "smoothed by tanh":
            drag = FRICTION * load[i] * wp.tanh(speed / SMOOTH)
        elif LAW == "by Stribeck’s curve":
            # it takes more to start than to keep sliding
            ratio = speed / SMOOTH
            drag = load[i] * FRICTION * (1.0 + (STICTION - 1.0) * wp.exp(-ratio * ratio))
        else:
            drag = wp.min(VISCOUS * speed, FRICTION * load[i])
        if WANTED == "friction force":
            f[i] = -drag / speed * slip
        elif WANTED == "power lost to friction":
            power[i] = drag * speed
        else:
            v_new[i] = v[i] - wp.min(DT * drag, speed) / speed * slip


@idiom(level=3, names=NAMES | {"kernel": "resolve_walls keep_inside", "side": "side half half_width"})
def container_walls(c):
    """Keeps particles in {SHAPE}: those beyond a wall {RESPONSE}{FRICTION}."""
    n = c.size()
    SHAPE = c.meaning("a box", "a ball", "an upright cylinder")
    RESPONSE = c.meaning("bounce", "stop", "are pushed back")
    FRICTION = c.meaning("", ", with friction")
    SIDE, BOUNCE, RUB, STIFFNESS = (
        c.constant(0.6, 1.2), c.constant(0.2, 0.9), c.constant(0.1, 0.9), c.constant(10.0, 50.0),
    )  # fmt: skip

    def outside(p: wp.vec3):
        """How far a point is outside, and the direction back in."""
        if SHAPE == "a ball":
            reach = wp.length(p)
            return reach - SIDE, -p / reach
        elif SHAPE == "an upright cylinder":
            reach = wp.sqrt(p[0] * p[0] + p[2] * p[2])
            return reach - SIDE, wp.vec3(-p[0] / reach, 0.0, -p[2] / reach)
        else:
            # the wall that is farthest behind the point
            a = wp.abs(p[0])
            b = wp.abs(p[1])
            d = wp.abs(p[2])
            if a >= b and a >= d:
                return a - SIDE, wp.vec3(-wp.sign(p[0]), 0.0, 0.0)
            if b >= d:
                return b - SIDE, wp.vec3(0.0, -wp.sign(p[1]), 0.0)
            return d - SIDE, wp.vec3(0.0, 0.0, -wp.sign(p[2]))

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.5, high=1.5, of="position")
        if RESPONSE == "are pushed back"
        else updated(n, low=-1.5, high=1.5, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity")
        if RESPONSE == "are pushed back"
        else updated(n, low=-1.0, high=1.0, of="velocity"),
        f: wp.array[wp.vec3] = result(n, of="force"),
    ):
        i = wp.tid()
        depth, inward = outside(x[i])
        if depth <= 0.0:
            return
        if RESPONSE == "are pushed back":
            if FRICTION:
                slip = v[i] - wp.dot(v[i], inward) * inward
                f[i] = STIFFNESS * depth * (inward - RUB * wp.normalize(slip))
            else:
                f[i] = STIFFNESS * depth * inward
        else:
            x[i] = x[i] + depth * inward
            speed = wp.dot(v[i], inward)
            if speed < 0.0:
                along = (1.0 - RUB) * (v[i] - speed * inward) if FRICTION else v[i] - speed * inward
                v[i] = along - BOUNCE * speed * inward if RESPONSE == "bounce" else along


@idiom(level=3, names=NAMES | {"kernel": "collide_balls pair_impulses", "a b": "a b | i0 i1 | first second"})
def ball_impulses(c):
    """{EFFECT} from collisions of balls of {MASSES}{RUB}{DRIFT}."""
    pairs, n = c.size(7, 10), c.size(4, 6)
    EFFECT, MASSES = c.meaning("Impulses", "Counted changes of velocity"), c.meaning("any mass", "one mass")
    RUB = c.meaning("", " with friction", " with friction and spin")
    DRIFT = c.meaning("", ", pushed apart")
    BOUNCE, FRICTION, BIAS = c.constant(0.2, 0.9), c.constant(0.1, 0.7), c.constant(2.0, 8.0)

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
        approach = wp.dot(relative, n)
        if approach > 0.0:
            return
        if DRIFT:
            target = -(1.0 + BOUNCE) * approach - BIAS * gap
        else:
            target = -(1.0 + BOUNCE) * approach
        if MASSES == "one mass":
            size = 0.5 * target
        else:
            size = target / (inv_mass[a] + inv_mass[b])
        if RUB:
            slip = relative - approach * n
            impulse = size * (n - FRICTION * wp.normalize(slip))
        else:
            impulse = size * n
        if RUB == " with friction and spin":
            wp.atomic_sub(dw, a, radius[a] * wp.cross(n, impulse))
            wp.atomic_sub(dw, b, radius[b] * wp.cross(n, impulse))
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
    """Counts {WHAT} among {BODIES}{MARGIN}{EXTRA}."""
    n = c.size(7, 10)
    BODIES = c.meaning("balls", "balls and fixed pegs", "boxes")
    WHAT = c.meaning("the contacts of each", "those that touch another", "contacts")
    MARGIN = c.meaning("", " within a margin", " that approach each other")
    EXTRA = c.meaning("", " and keeps the deepest", " and adds up overlaps")
    REACH = c.constant(0.1, 0.3)

    def clearance(a: wp.vec3, b: wp.vec3, ra: float, rb: float) -> float:
        """The gap between two bodies, negative where they overlap."""
        if BODIES == "boxes":
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
        if MARGIN == " that approach each other":
            if BODIES == "balls and fixed pegs":
                if wp.dot(v[i], x[i] - pegs[j]) > 0.0:
                    return
            else:
                if wp.dot(v[i] - v[j], x[i] - x[j]) > 0.0:
                    return
        if EXTRA == " and keeps the deepest":
            wp.atomic_max(deepest, i, -gap)
        elif EXTRA == " and adds up overlaps":
            deepest[i] -= gap
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
    """The force on grains from {SEARCH}{WALL}: {NORMAL}, {TANGENT}{COHESION}."""
    n, pairs = c.size(6, 9), c.size(10, 14)
    SEARCH = c.meaning("all others", "their neighbours", "pairs in contact")
    NORMAL = c.meaning("linear springs", "Hertz’s law", "damped Hertzian contact")
    TANGENT, COHESION = c.meaning("no friction", "sliding", "viscous drag"), c.meaning("", ", cohesion")
    WALL = "" if SEARCH == "pairs in contact" else c.meaning("", " and the floor")

    class Material:
        stiffness: float
        damping: float
        if TANGENT != "no friction":
            friction: float
        if COHESION:
            cohesion: float

    def contact_force(d: wp.vec3, reach: float, size: float, u: wp.vec3, m: Material) -> wp.vec3:
        """The force on a grain from what it touches, d away and as fast as u."""
        dist = wp.length(d)
        overlap = reach - dist
        if overlap <= 0.0:
            return wp.vec3()
        n = d / dist
        vn = wp.dot(n, u)
        if NORMAL == "Hertz’s law":
            push = m.stiffness * overlap * wp.sqrt(size * overlap) - m.damping * vn
        elif NORMAL == "linear springs":
            push = m.stiffness * size * overlap - m.damping * vn
        else:
            push = wp.sqrt(size * overlap) * (m.stiffness * overlap - m.damping * vn)
        if TANGENT == "no friction":
            force = push * n
        elif TANGENT == "viscous drag":
            force = push * n - m.friction * (u - vn * n)
        else:
            slip = u - vn * n
            # Coulomb’s cone bounds the viscous drag
            drag = wp.min(m.friction * wp.abs(push), m.damping * wp.length(slip))
            force = push * n - drag * wp.normalize(slip)
        if COHESION:
            force -= m.cohesion * size * n
        return force

    def between(ra: float, rb: float) -> float:
        """The effective radius of two grains."""
        return ra * rb / (ra + rb)

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
            size = between(radius[a], radius[b])
            force = contact_force(x[a] - x[b], radius[a] + radius[b], size, v[a] - v[b], material)
            f[a] += force
            f[b] -= force
        else:
            i = wp.tid()
            total = wp.vec3()
            if SEARCH == "their neighbours":
                for k in range(offsets[i], offsets[i + 1]):
                    j = neighbours[k]
                    if j != i:
                        size = between(radius[i], radius[j])
                        d = x[i] - x[j]
                        total += contact_force(d, radius[i] + radius[j], size, v[i] - v[j], material)
            else:
                for j in range(x.shape[0]):
                    if j == i:
                        continue
                    size = between(radius[i], radius[j])
                    total += contact_force(x[i] - x[j], radius[i] + radius[j], size, v[i] - v[j], material)
            if WALL:
                foot = wp.vec3(0.0, x[i][1], 0.0)
                total += contact_force(foot, radius[i], radius[i], v[i], material)
            f[i] = total


@idiom(level=4, names=NAMES | {"kernel": "collide_with_shape body_contact", "pose": "pose body_q xform"})
def shape_contact(c):
    """{WHAT} particles at {SHAPE} that {MOTION}{FRICTION}."""
    n = c.size()
    WHAT = c.meaning("The penalty force on", "The new velocities of", "The new places of")
    MOTION = c.meaning("stands at the origin", "stands anywhere", "moves")
    if WHAT == "The new places of" and MOTION == "moves":
        MOTION = "stands anywhere"
    FRICTION = c.meaning("", ", with friction") if WHAT != "The new places of" else ""
    SIZE, THICKNESS = c.constant(0.6, 1.1), c.constant(0.2, 0.5)
    STIFFNESS, RUB, DAMPING = c.constant(10.0, 50.0), c.constant(0.2, 0.9), c.constant(2.0, 6.0)

    def ball(p: wp.vec3):
        reach = wp.length(p)
        return reach - SIZE, p / reach

    def slab(p: wp.vec3):
        return wp.abs(p[1]) - THICKNESS, wp.vec3(0.0, wp.sign(p[1]), 0.0)

    def capsule(p: wp.vec3):
        d = p - wp.vec3(0.0, wp.clamp(p[1], -SIZE, SIZE), 0.0)
        reach = wp.length(d)
        return reach - THICKNESS, d / reach

    def torus(p: wp.vec3):
        ring = SIZE * wp.normalize(wp.vec3(p[0], 0.0, p[2]))
        reach = wp.length(p - ring)
        return reach - THICKNESS, (p - ring) / reach

    SURFACE, SHAPE = c.meaning((ball, "a ball"), (torus, "a torus"), (capsule, "a capsule"), (slab, "a slab"))

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="velocity"),
        pose: wp.transform = given(low=-0.3, high=0.3, trait="unit"),
        linear: wp.vec3 = given(low=-1.0, high=1.0),
        angular: wp.vec3 = given(low=-1.0, high=1.0),
        radius: wp.array[float] = given(n, low=0.05, high=0.8, of="radius"),
        f: wp.array[wp.vec3] = result(n, of="force"),
        v_new: wp.array[wp.vec3] = result(n, of="velocity"),
        x_new: wp.array[wp.vec3] = result(n, of="position"),
    ):
        i = wp.tid()
        if MOTION == "stands at the origin":
            gap, n = SURFACE(x[i])
        else:
            local = wp.transform_point(wp.transform_inverse(pose), x[i])
            gap, direction = SURFACE(local)
            n = wp.transform_vector(pose, direction)
        depth = radius[i] - gap
        if WHAT == "The new places of":
            x_new[i] = x[i] + wp.max(depth, 0.0) * n
        else:
            if MOTION == "moves":
                arm = x[i] - wp.transform_get_translation(pose)
                surface = linear + wp.cross(angular, arm)
                relative = v[i] - surface
            else:
                relative = v[i]
            approach = wp.dot(relative, n)
            if WHAT == "The penalty force on":
                if depth <= 0.0:
                    return
                push = wp.max(STIFFNESS * depth - DAMPING * approach, 0.0)
                if FRICTION:
                    slip = relative - approach * n
                    f[i] = push * (n - RUB * wp.normalize(slip))
                else:
                    f[i] = push * n
            else:
                if depth <= 0.0 or approach >= 0.0:
                    v_new[i] = v[i]
                    return
                along = relative - approach * n
                if FRICTION:
                    slowed = wp.max(1.0 + RUB * approach / wp.max(wp.length(along), 1.0e-6), 0.0) * along
                else:
                    slowed = along
                v_new[i] = surface + slowed if MOTION == "moves" else slowed


@idiom(level=5, names=NAMES | {"kernel": "simulate_bounces throw_balls", "bounces": "bounces hits"})
def bounce_on_terrain(c):
    """{WANTED} of balls thrown over {LAND}{AIR}, {IMPACT}."""
    n, STEPS = c.size(), c.count(5, 8)
    WANTED = c.meaning(
        "Last place and velocity", "The number of bounces", "The length of the paths", "The range"
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

    def crossing(above: wp.vec2, below: wp.vec2) -> float:
        """How far between two points the ground is met, by bisection."""
        lo = float(0.0)
        hi = float(1.0)
        for _ in range(6):
            middle = 0.5 * (lo + hi)
            p = above + middle * (below - above)
            if p[1] > GROUND(p[0]):
                lo = middle
            else:
                hi = middle
        return lo

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0, of="position")
        if WANTED != "Last place and velocity"
        else updated(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec2] = given(n, low=-2.0, high=2.0, of="velocity")
        if WANTED != "Last place and velocity"
        else updated(n, low=-2.0, high=2.0, of="velocity"),
        wind: wp.vec2 = given(low=-2.0, high=2.0),
        hits: wp.array[int] = result(n),
        out: wp.array[float] = result(n),
    ):
        i = wp.tid()
        p = x[i]
        u = v[i]
        if WANTED == "The number of bounces":
            bounces = int(0)
        if WANTED == "The length of the paths":
            path = float(0.0)
        for _ in range(STEPS):
            if AIR == " against drag":
                u += DT * (wp.vec2(0.0, -GRAVITY) - DRAG * wp.length(u) * u)
            elif AIR == " in a wind":
                u += DT * (wp.vec2(0.0, -GRAVITY) + DRAG * (wind - u))
            else:
                u += DT * wp.vec2(0.0, -GRAVITY)
            ahead = p + DT * u
            if ahead[1] < GROUND(ahead[0]):
                p = p + crossing(p, ahead) * (ahead - p)
                n = normal(p[0])
                speed = wp.dot(u, n)
                if IMPACT == "bouncing":
                    u = u - (1.0 + BOUNCE) * wp.min(speed, 0.0) * n
                elif IMPACT == "bouncing with friction":
                    u = (1.0 - GRIP) * (u - speed * n) + BOUNCE * wp.abs(speed) * n
                else:
                    u = u - wp.min(speed, 0.0) * n
                if WANTED == "The number of bounces":
                    bounces += 1
            else:
                p = ahead
            if WANTED == "The length of the paths":
                path += wp.length(u) * DT
        if WANTED == "Last place and velocity":
            x[i] = p
            v[i] = u
        elif WANTED == "The number of bounces":
            hits[i] = bounces
        elif WANTED == "The length of the paths":
            out[i] = path
        else:
            out[i] = wp.length(p - x[i])
