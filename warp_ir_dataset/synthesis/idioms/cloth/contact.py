"""Cloth of triangles: wind on them, and vertices that touch them."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp
from .cloth import NAMES


@idiom(
    level=5,
    names=NAMES
    | {
        "kernel": "eval_wind triangle_wind_forces aerodynamic_forces",
        "normal": "normal n nrm",
        "area": "area tri_area a",
        "centre": "centre middle centroid",
        "relative": "relative u airflow",
        "speed": "speed flow_speed u_len",
        "force": "force load aero",
        "thrust": "half_rho_area scale aero_scale",
    },
)
def triangle_wind_forces(c):
    """Adds up {FORCES} on {POROUS}cloth triangles in {WIND}{LIMIT}{REPORT}.

    Add up aerodynamic forces on cloth triangles in {f}, which starts at zero; each corner of a triangle gets
    a third. The corners are in {faces}. With their positions {x}, A is the area of the triangle and n its
    unit normal, along (second - first) × (third - first); its velocity is the mean of {v} of its
    corners{CENTRED}. Triangles with A < 0.0001 get no force{NOTHING}.

    The wind is {AIR}. The wind less the triangle's velocity{THROUGH} is u. {SPEED}{LAW}{CAP}{INNER}{STORED}
    """
    triangles, n = c.size(10, 14), c.size(9, 12)
    MODEL = c.meaning("drag, lift", "wind pressure, skin friction", "drag, stalling lift")
    WIND = c.meaning("a travelling gust", "a vortex", "a logarithmic wind profile", "a uniform wind")
    LIMIT = c.meaning("", ", capped at what matches the wind in one step") if "gust" not in WIND else ""
    REPORT = c.meaning("; their power is stored", "; their sum is stored too", "")
    INFLATED = c.meaning("", "an inner pressure")
    POROUS = c.meaning("", "porous ")
    FORCES = f"{MODEL} and {INFLATED}" if INFLATED else MODEL.replace(", ", " and ")
    if INFLATED and LIMIT:
        LIMIT = ", wind forces capped at what matches the wind in one step"
    AIR_DENSITY, DRAG_COEFFICIENT, LIFT_COEFFICIENT = (
        c.constant(0.8, 2.0),
        c.constant(0.5, 1.5),
        c.constant(0.5, 1.5),
    )
    SKIN_FRICTION, STALL_ANGLE = c.constant(0.2, 0.8), c.constant(0.2, 0.9)
    GUST, WAVENUMBER, FREQUENCY = c.constant(0.3, 0.9), c.constant(1.0, 4.0), c.constant(2.0, 9.0)
    CIRCULATION, CORE, ROUGHNESS = c.constant(10.0, 40.0), c.constant(0.3, 0.9), c.constant(0.1, 0.3)
    REFERENCE_HEIGHT = c.constant(1.0, 2.0)
    PRESSURE, POROSITY, CLOTH_DENSITY = c.constant(1.0, 5.0), c.constant(0.1, 0.6), c.constant(0.1, 0.3)
    CENTRED = "" if WIND == "a uniform wind" else ", and its centre that of their positions"
    NOTHING = ", and 0 for their power" if "power" in REPORT else ""
    AIR = {
        "a uniform wind": "{wind}",
        "a travelling gust": (
            "(1 + {GUST}·sin({WAVENUMBER}·d - {FREQUENCY}·{time}))·{wind}, where d is the centre dotted "
            "with the direction "
            "of {wind}"
        ),
        "a vortex": (
            "{CIRCULATION} / (2π·(a² + b² + {CORE}²))·(b, 0, -a), where a and b are the first and the "
            "third component of the centre relative to {eye}"
        ),
        "a logarithmic wind profile": (
            "log(h / {ROUGHNESS}) / log({REFERENCE_HEIGHT} / {ROUGHNESS})·{wind}, where h is the y "
            "coordinate of the "
            "centre, but at least {ROUGHNESS}"
        ),
    }[WIND]
    THROUGH = ", times 1 - {POROSITY} because a part of the air goes through the cloth," if POROUS else ""
    SPEED = ""
    if MODEL != "wind pressure, skin friction" or LIMIT:
        SPEED = "Let s = |u|{LEAST}. "
        LEAST = ""
        if WIND in ("a uniform wind", "a logarithmic wind profile"):
            LEAST = ", but at least 0.0001"
    LAW = (
        "With w = u·n and r = u - w·n, the force is ½·{AIR_DENSITY}·A·({DRAG_COEFFICIENT}·|w|·w·n + "
        "{SKIN_FRICTION}·|r|·r), "
        "wind pressure and skin friction."
    )
    if MODEL != "wind pressure, skin friction":
        LAW = (
            "With the flow direction d = u / s, m = n or -n, so that m·d is not negative, q = m·d and c "
            "= m - q·d, the "
            "force is ½·{AIR_DENSITY}·A·s²·({DRAG_COEFFICIENT}·q·d + {LIFT}), drag and lift."
        )
        LIFT = "{LIFT_COEFFICIENT}·q·c"
        if MODEL == "drag, stalling lift":
            LIFT = "L·c/|c|"
            LAW += (
                " L is 2π·q, but once the angle of attack θ = atan2(q, |c|) reaches {STALL_ANGLE}, the "
                "flow separates and L "
                "is 2·q·cos(θ)."
            )
    CAP = " This force is scaled down to at most {CLOTH_DENSITY}·A·s / {dt} in length." if LIMIT else ""
    INNER = " Then an inner pressure adds {PRESSURE}·A·n." if INFLATED else ""
    STORED = ""
    if "power" in REPORT:
        STORED = " {power} gets the force dotted with the velocity of the triangle."
    elif REPORT:
        STORED = " {total} gets the sum of the forces of all triangles."

    @c.kernel(triangles)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-0.5, high=2.0, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="velocity"),
        faces: wp.array2d[int] = input(triangles, 3, low=0, high=n - 1),
        wind: wp.vec3 = input(low=-4.0, high=4.0),
        eye: wp.vec3 = input(low=0.0, high=2.0),
        time: float = input(low=0.0, high=3.0),
        dt: float = input(low=0.1, high=0.3),
        f: wp.array[wp.vec3] = output(n),
        power: wp.array[float] = output(triangles),
        total: wp.array[wp.vec3] = output(1),
    ):
        t = wp.tid()
        i = faces[t, 0]
        j = faces[t, 1]
        k = faces[t, 2]
        normal = wp.cross(x[j] - x[i], x[k] - x[i])
        area = 0.5 * wp.length(normal)
        if area < 1.0e-4:
            if REPORT == "; their power is stored":
                power[t] = 0.0
            return
        normal = wp.normalize(normal)
        velocity = (v[i] + v[j] + v[k]) / 3.0
        if WIND == "a uniform wind":
            relative = wind - velocity
        else:
            centre = (x[i] + x[j] + x[k]) / 3.0
            if WIND == "a travelling gust":
                phase = WAVENUMBER * wp.dot(centre, wp.normalize(wind)) - FREQUENCY * time
                relative = (1.0 + GUST * wp.sin(phase)) * wind - velocity
            elif WIND == "a vortex":
                arm = centre - eye
                # the air turns about the vertical through the eye, slower within the core
                swirl = CIRCULATION / (2.0 * wp.PI * (arm[0] * arm[0] + arm[2] * arm[2] + CORE * CORE))
                relative = wp.vec3(swirl * arm[2], 0.0, -swirl * arm[0]) - velocity
            else:
                # no wind below the roughness length, and the given one at the reference height
                height = wp.max(centre[1], ROUGHNESS)
                profile = wp.log(height / ROUGHNESS) / wp.log(REFERENCE_HEIGHT / ROUGHNESS)
                relative = profile * wind - velocity
        if POROUS:
            # a part of the air goes through
            relative *= 1.0 - POROSITY
        if MODEL != "wind pressure, skin friction" or LIMIT:
            if WIND == "a uniform wind" or WIND == "a logarithmic wind profile":
                # never quite zero, even in still air
                speed = wp.max(wp.length(relative), 1.0e-4)
            else:
                speed = wp.length(relative)
        if INFLATED:
            inner = PRESSURE * area * normal
        thrust = 0.5 * AIR_DENSITY * area
        if MODEL == "wind pressure, skin friction":
            through = wp.dot(relative, normal)
            along = relative - through * normal
            force = thrust * DRAG_COEFFICIENT * wp.abs(through) * through * normal
            force += thrust * SKIN_FRICTION * wp.length(along) * along
        else:
            flow = relative / speed
            # the normal that looks down the wind
            if wp.dot(normal, flow) < 0.0:
                normal = -normal
            # the sine of the angle of attack
            attack = wp.dot(normal, flow)
            across = normal - attack * flow
            drag = DRAG_COEFFICIENT * attack * flow
            if MODEL == "drag, lift":
                lift = LIFT_COEFFICIENT * attack * across
            else:
                angle = wp.atan2(attack, wp.length(across))
                # thin airfoil theory, and a flat plate once the flow separates
                coefficient = 2.0 * wp.PI * attack
                if angle >= STALL_ANGLE:
                    coefficient = 2.0 * attack * wp.cos(angle)
                lift = coefficient * wp.normalize(across)
            force = thrust * speed * speed * (drag + lift)
        if LIMIT:
            # the momentum that the cloth lacks, over the time step
            most = CLOTH_DENSITY * area * speed / dt
            strength = wp.length(force)
            if strength > most:
                force *= most / strength
        if INFLATED:
            force += inner
        if REPORT == "; their power is stored":
            power[t] = wp.dot(force, velocity)
        elif REPORT:
            wp.atomic_add(total, 0, force)
        wp.atomic_add(f, i, force / 3.0)
        wp.atomic_add(f, j, force / 3.0)
        wp.atomic_add(f, k, force / 3.0)


@idiom(
    level=5,
    names=NAMES
    | {
        "kernel": "self_contact vertex_triangle_contacts cloth_self_collision",
        "i": "i tid vertex",
        "t": "t tri face",
        "a b d": "a b d | i0 i1 i2 | ta tb tc",
        "p": "p here point",
        "n": "n normal nrm",
        "sq": "sq nn n_sq",
        "beta gamma alpha": "beta gamma alpha | bv bw bu | w1 w2 w0",
        "height": "height gap distance",
        "u": "u v_rel relative",
        "approach": "v_normal un vn",
        "previous": "previous x_prev last_positions",
    },
)
def vertex_triangle_contact(c):
    """{RESPONSE} where cloth vertices come near triangles{REST}{SIDE}{FRICTION}{COUNT}.

    Resolve contacts of cloth vertices with cloth triangles of thickness {THICKNESS}. Test every vertex i
    against every triangle of {faces} of which it is no corner{FAR}. With the corners a, b, d in their order,
    the normal is (b - a) × (d - a), normalized; triangles for which the product has a squared length below
    1e-6 are skipped. There is a contact only if the barycentric coordinates α, β, γ of the vertex, projected
    onto the plane, are not negative, and {NEAR}. The depth is {THICKNESS} - h.{COUNTED}

    {ANSWER}{RUB} {SHARES}
    """
    vertices, triangles = c.size(9, 12), c.size(16, 24)
    RESPONSE = c.meaning("Penalty forces", "Position corrections", "Changes of velocity")
    FRICTION = c.meaning("", ", with Coulomb friction")
    SIDE = c.meaning("", ", back to the side they were on")
    COUNT = c.meaning("", "; contacts of each vertex are counted")
    REST = c.meaning("", " that they are not near at rest")
    STIFFNESS, DAMPING, FRICTION_COEFFICIENT = (
        c.constant(10.0, 40.0),
        c.constant(0.5, 3.0),
        c.constant(0.1, 0.6),
    )
    THICKNESS, MAX_DEPTH, RELAXATION = c.constant(0.3, 0.6), c.constant(0.1, 0.5), c.constant(0.1, 0.4)
    SLIP_DAMPING = c.constant(1.0, 5.0)
    FAR = ""
    if REST:
        FAR = ", unless at rest, in {resting}, it is nearer than {THICKNESS} to the centroid of the triangle"
    NEAR = "its distance h from the plane is below {THICKNESS}; n is the normal on its own side"
    if SIDE:
        NEAR = (
            "-{MAX_DEPTH} ≤ h < {THICKNESS}, where h is its distance from the plane in {x} along n. Here "
            "n is the normal on "
            "the side of the triangle where the vertex was when all was in {previous}, by the plane "
            "through a then"
        )
    else:
        NEAR += ", all in {x}"
    COUNTED = " {count} gets the number of contacts of each vertex, as vertex i." if COUNT else ""
    MOTION = "u = {v} of the vertex minus the mean of {v} of the corners, weighted by α, β and γ"
    SLIDE = "s = u - (u·n)·n"
    WEIGHT = "w = m_i + α²·m_a + β²·m_b + γ²·m_d with the inverse masses m in {inv_mass}"
    RUB = ""
    if RESPONSE == "Penalty forces":
        ANSWER = "Let {MOTION}. The penalty force is N·n with N = {STIFFNESS}·depth - {DAMPING}·min(u·n, 0)."
        SHARES = (
            "Add the force to {f} of the vertex, and -α, -β and -γ times the force to {f} of the corners."
        )
        if FRICTION:
            RUB = (
                " Friction: if {SLIDE} is longer than 0.0001, subtract min({SLIP_DAMPING}·|s|, "
                "{FRICTION_COEFFICIENT}·N)·s/|s| from the force."
            )
    elif RESPONSE == "Position corrections":
        ANSWER = "Let {WEIGHT}. The push is depth·n."
        SHARES = (
            "Add m_i·push / w to {dx} of the vertex, -α·m_a·push / w to {dx} of corner a, and "
            "likewise for b with β "
            "and d with γ."
        )
        if FRICTION:
            RUB = (
                " Friction: let s be the part across n of the way of the vertex since {previous}, "
                "relative to the weighted "
                "mean of the ways of the corners. If s is longer than 0.0001, subtract min(1, "
                "{FRICTION_COEFFICIENT}·depth / |s|)·s from the push."
            )
    else:
        ANSWER = (
            "Let {MOTION}, and {WEIGHT}. The vertex is to leave with speed {RELAXATION}·depth / {dt} "
            "along n; if u·n is "
            "no less than that, nothing happens. Otherwise C is the difference, and the impulse is C / w·n."
        )
        SHARES = (
            "Add m_i·impulse to {dv} of the vertex, -α·m_a·impulse to {dv} of corner a, and likewise "
            "for b with β and "
            "d with γ."
        )
        if FRICTION:
            RUB = (
                " Friction: if {SLIDE} is longer than 0.0001, subtract (min(|s|, "
                "{FRICTION_COEFFICIENT}·C) / w)·s/|s| from "
                "the impulse."
            )

    @c.kernel(vertices)
    def kernel(
        x: wp.array[wp.vec3] = input(vertices, low=-0.5, high=0.5, of="position"),
        previous: wp.array[wp.vec3] = input(vertices, low=-0.5, high=0.5),
        resting: wp.array[wp.vec3] = input(vertices, low=-0.5, high=0.5),
        v: wp.array[wp.vec3] = input(vertices, low=-2.0, high=2.0, of="velocity"),
        inv_mass: wp.array[float] = input(vertices, low=0.4, high=2.0, of="inverse mass"),
        faces: wp.array2d[int] = input(triangles, 3, low=0, high=vertices - 1),
        dt: float = input(low=0.1, high=0.3),
        f: wp.array[wp.vec3] = output(vertices),
        dx: wp.array[wp.vec3] = output(vertices),
        dv: wp.array[wp.vec3] = output(vertices),
        count: wp.array[int] = output(vertices),
    ):
        i = wp.tid()
        p = x[i]
        for t in range(faces.shape[0]):
            a = faces[t, 0]
            b = faces[t, 1]
            d = faces[t, 2]
            # no vertex touches its own triangles
            if a == i or b == i or d == i:
                continue
            if REST:
                # what lies close together in the undeformed cloth may stay so
                middle = (resting[a] + resting[b] + resting[d]) / 3.0
                if wp.length(resting[i] - middle) < THICKNESS:
                    continue
            ab = x[b] - x[a]
            ad = x[d] - x[a]
            ap = p - x[a]
            n = wp.cross(ab, ad)
            sq = wp.dot(n, n)
            if sq < 1.0e-6:
                continue
            # barycentric coordinates of the vertex in the triangle's plane
            beta = wp.dot(wp.cross(ap, ad), n) / sq
            gamma = wp.dot(wp.cross(ab, ap), n) / sq
            alpha = 1.0 - beta - gamma
            if alpha < 0.0 or beta < 0.0 or gamma < 0.0:
                continue
            n = n / wp.sqrt(sq)
            height = wp.dot(ap, n)
            if SIDE:
                old_n = wp.cross(previous[b] - previous[a], previous[d] - previous[a])
                if wp.dot(previous[i] - previous[a], old_n) < 0.0:
                    # the normal points to where the vertex was
                    n = -n
                    height = -height
                if height >= THICKNESS or height < -MAX_DEPTH:
                    continue
            else:
                if height < 0.0:
                    n = -n
                    height = -height
                if height >= THICKNESS:
                    continue
            depth = THICKNESS - height
            if COUNT:
                count[i] += 1
            if RESPONSE == "Penalty forces":
                u = v[i] - alpha * v[a] - beta * v[b] - gamma * v[d]
                approach = wp.dot(u, n)
                normal_force = STIFFNESS * depth - DAMPING * wp.min(approach, 0.0)
                force = normal_force * n
                if FRICTION:
                    slide = u - approach * n
                    speed = wp.length(slide)
                    if speed > 1.0e-4:
                        # regularized: viscous until Coulomb's bound
                        drag = wp.min(SLIP_DAMPING * speed, FRICTION_COEFFICIENT * normal_force)
                        force -= drag / speed * slide
                wp.atomic_add(f, i, force)
                wp.atomic_sub(f, a, alpha * force)
                wp.atomic_sub(f, b, beta * force)
                wp.atomic_sub(f, d, gamma * force)
            else:
                weight = inv_mass[i] + alpha * alpha * inv_mass[a]
                weight += beta * beta * inv_mass[b] + gamma * gamma * inv_mass[d]
                if RESPONSE == "Position corrections":
                    push = depth * n
                    if FRICTION:
                        moved = alpha * (x[a] - previous[a]) + beta * (x[b] - previous[b])
                        moved += gamma * (x[d] - previous[d])
                        slide = p - previous[i] - moved
                        slide -= wp.dot(slide, n) * n
                        slipped = wp.length(slide)
                        if slipped > 1.0e-4:
                            push -= wp.min(1.0, FRICTION_COEFFICIENT * depth / slipped) * slide
                    push /= weight
                    wp.atomic_add(dx, i, inv_mass[i] * push)
                    wp.atomic_sub(dx, a, alpha * inv_mass[a] * push)
                    wp.atomic_sub(dx, b, beta * inv_mass[b] * push)
                    wp.atomic_sub(dx, d, gamma * inv_mass[d] * push)
                else:
                    u = v[i] - alpha * v[a] - beta * v[b] - gamma * v[d]
                    approach = wp.dot(u, n)
                    # fast enough to leave some of the overlap in this time step
                    wanted = RELAXATION * depth / dt
                    if approach >= wanted:
                        continue
                    change = wanted - approach
                    impulse = change / weight * n
                    if FRICTION:
                        slide = u - approach * n
                        speed = wp.length(slide)
                        if speed > 1.0e-4:
                            slower = wp.min(speed, FRICTION_COEFFICIENT * change)
                            impulse -= slower / (weight * speed) * slide
                    wp.atomic_add(dv, i, inv_mass[i] * impulse)
                    wp.atomic_sub(dv, a, alpha * inv_mass[a] * impulse)
                    wp.atomic_sub(dv, b, beta * inv_mass[b] * impulse)
                    wp.atomic_sub(dv, d, gamma * inv_mass[d] * impulse)
