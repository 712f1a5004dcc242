"""Single contacts: frames, Hertz's theory, rebounds, dashpots."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp
from .contact import NAMES


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "contact_bases build_frames tangent_basis",
        "n": "n normal axis",
        "t": "t tangent t1",
        "b": "b bitangent t2",
        "first second": "first second | tangents bitangents",
        "parts": "parts local components",
        "up": "up reference guide",
    },
)
def contact_frame(c):
    """The {WANTED}, the first tangent {ALONG}."""
    n = c.size()
    WANTED = c.meaning(
        "tangents of each contact",
        "frame of each contact, its axes as columns",
        "relative velocity of each contact in its frame",
        "force of each contact from its parts in its frame",
    )
    if "velocity" in WANTED:
        c.names({"kernel": "to_contact_frames local_velocities"})
    elif "force" in WANTED:
        c.names({"kernel": "assemble_forces forces_of_components"})
    AXES = ("by Duff's formula", "across a fixed axis")
    ALONG = c.meaning(*AXES) if "velocity" in WANTED else c.meaning(*AXES, "along the slip")

    @c.kernel(n)
    def kernel(
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        v: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        parts: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        up: wp.vec3 = given(low=-1.0, high=1.0, trait="unit"),
        first: wp.array[wp.vec3] = result(n),
        second: wp.array[wp.vec3] = result(n),
        frames: wp.array[wp.mat33] = result(n),
        v_local: wp.array[wp.vec3] = result(n),
        f: wp.array[wp.vec3] = result(n),
    ):
        i = wp.tid()
        n = normals[i]
        if ALONG == "by Duff's formula":
            # no normal is special, and nothing is divided by zero
            side = wp.where(n[2] < 0.0, -1.0, 1.0)
            a = -1.0 / (side + n[2])
            t = wp.vec3(1.0 + side * a * n[0] * n[0], side * a * n[0] * n[1], -side * n[0])
        elif ALONG == "along the slip":
            t = wp.normalize(v[i] - wp.dot(v[i], n) * n)
        else:
            t = wp.normalize(wp.cross(up, n))
        b = wp.cross(n, t)
        if "tangents" in WANTED:
            first[i] = t
            second[i] = b
        elif "columns" in WANTED:
            frames[i] = wp.matrix_from_cols(t, b, n)
        elif "force" in WANTED:
            f[i] = parts[i][0] * t + parts[i][1] * b + parts[i][2] * n
        else:
            v_local[i] = wp.vec3(wp.dot(v[i], t), wp.dot(v[i], b), wp.dot(v[i], n))


@idiom(
    level=2,
    names=NAMES
    | {
        "kernel": "hertz_formulas elastic_contact",
        "load": "load force normal_force",
        "r_eff": "r_eff reduced_radius effective_radius",
        "modulus": "modulus reduced_modulus e_star",
        "patch": "patch contact_radius a",
        "young": "young youngs_modulus elasticity",
        "out": "out found values",
    },
)
def hertz_contact(c):
    """The {WANTED} of {BODIES}{MATERIAL} pressed together, by Hertz's theory."""
    n = c.size()
    WANTED = c.meaning("contact radius", "approach", "peak pressure", "stiffness", "stored energy")
    BODIES = c.meaning("two balls", "a ball and a wall", "crossed cylinders")
    MATERIAL = c.meaning(" of one material", " of two materials", ", one of them rigid,")
    POISSON = c.constant(0.1, 0.4)

    @c.kernel(n)
    def kernel(
        load: wp.array[float] = given(n, low=0.5, high=4.0),
        radius: wp.array[float] = given(n, low=0.3, high=1.5),
        other_radius: wp.array[float] = given(n, low=0.3, high=1.5),
        young: wp.array[float] = given(n, low=2.0, high=9.0),
        other_young: wp.array[float] = given(n, low=2.0, high=9.0),
        out: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if BODIES == "two balls":
            r_eff = radius[i] * other_radius[i] / (radius[i] + other_radius[i])
        elif BODIES == "crossed cylinders":
            r_eff = wp.sqrt(radius[i] * other_radius[i])
        else:
            r_eff = radius[i]
        if MATERIAL == " of one material":
            modulus = 0.5 * young[i] / (1.0 - POISSON * POISSON)
        elif MATERIAL == " of two materials":
            softness = (1.0 - POISSON * POISSON) * (1.0 / young[i] + 1.0 / other_young[i])
            modulus = 1.0 / softness
        else:
            modulus = young[i] / (1.0 - POISSON * POISSON)
        patch = wp.cbrt(0.75 * load[i] * r_eff / modulus)
        if WANTED == "contact radius":
            out[i] = patch
        elif WANTED == "approach":
            out[i] = patch * patch / r_eff
        elif WANTED == "peak pressure":
            out[i] = 1.5 * load[i] / (wp.PI * patch * patch)
        elif WANTED == "stiffness":
            out[i] = 2.0 * modulus * patch
        else:
            out[i] = 0.4 * load[i] * patch * patch / r_eff


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "rebound bounce_off reflect_velocities",
        "n": "n normal",
        "u": "u v_i incoming",
        "speed": "speed impact_speed approach_speed",
        "bounce": "bounce e restitution",
        "wall": "wall wall_velocity v_wall",
        "slip": "slip vt tangential",
    },
)
def rebound_velocity(c):
    """The {WANTED} of balls that strike {SURFACE}, with {BOUNCE}{RUB}."""
    n = c.size()
    WANTED = c.meaning("new velocities", "impulses", "energy losses")
    SURFACE = c.meaning("level ground", "walls", "moving walls")
    BOUNCE = c.meaning(
        "restitutions of their own", "a restitution that falls with speed", "both sides' mean restitution"
    )
    RUB = c.meaning("", " and friction")
    WALL_BOUNCE, SOFTNESS, FRICTION = c.constant(0.3, 0.9), c.constant(0.2, 0.9), c.constant(0.1, 0.6)
    if SURFACE == "moving walls":
        c.names({"u": "u relative approach_velocity"})
    c.names(
        {
            "kernel": {
                "new velocities": "rebound bounce_off",
                "impulses": "rebound_impulses bounce_impulses",
                "energy losses": "rebound_losses lost_energy",
            }[WANTED]
        }
    )

    @c.kernel(n)
    def kernel(
        v: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0),
        normals: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        mass: wp.array[float] = given(n, low=0.5, high=2.0),
        restitution: wp.array[float] = given(n, low=0.2, high=0.9),
        wall: wp.vec3 = given(low=-1.0, high=1.0),
        v_new: wp.array[wp.vec3] = result(n),
        impulses: wp.array[wp.vec3] = result(n),
        out: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if SURFACE == "level ground":
            n = wp.vec3(0.0, 1.0, 0.0)
        else:
            n = normals[i]
        if SURFACE == "moving walls":
            u = v[i] - wall
        else:
            u = v[i]
        # a ball that leaves already is let go
        speed = wp.max(-wp.dot(u, n), 0.0)
        if BOUNCE == "both sides' mean restitution":
            bounce = 0.5 * (restitution[i] + WALL_BOUNCE)
        elif BOUNCE == "restitutions of their own":
            bounce = restitution[i]
        else:
            # the faster a ball strikes, the less of its speed comes back
            bounce = 1.0 / (1.0 + SOFTNESS * speed)
        if RUB:
            slip = u - wp.dot(u, n) * n
            grip = wp.min(FRICTION * (1.0 + bounce) * speed / (wp.length(slip) + 1.0e-6), 1.0)
            change = (1.0 + bounce) * speed * n - grip * slip
        else:
            change = (1.0 + bounce) * speed * n
        if WANTED == "new velocities":
            v_new[i] = v[i] + change
        elif WANTED == "impulses":
            impulses[i] = mass[i] * change
        else:
            out[i] = 0.5 * mass[i] * (wp.length_sq(u) - wp.length_sq(u + change))


@idiom(
    level=2,
    names={
        "kernel": "tune_dashpots contact_dashpots",
        "m": "m reduced_mass effective",
        "mass": "mass masses m1",
        "other": "other other_mass m2",
        "k": "k stiffness spring",
        "restitution": "restitution e bounce",
        "zeta": "zeta fraction xi",
        "impact": "impact impact_speed v_in",
        "lost": "lost lost_share energy_loss",
        "out": "out found values",
    },
)
def dashpot_constants(c):
    """The {WANTED} of a spring-and-dashpot contact of {BODIES}, from {GIVEN}."""
    n = c.size()
    WANTED = c.meaning("damping constant", "duration", "longest stable step", "deepest overlap")
    c.names(
        {
            "damping constant": {"kernel": "tune_dashpots contact_dashpots", "out": "out damping"},
            "duration": {"kernel": "contact_durations collision_times", "out": "out durations"},
            "longest stable step": {"kernel": "stable_steps critical_steps", "out": "out steps dt_max"},
            "deepest overlap": {"kernel": "deepest_overlaps largest_overlaps", "out": "out overlaps"},
        }[WANTED]
    )
    BODIES = c.meaning("two grains", "a grain and a wall", "equal grains")
    GIVEN = c.meaning("its restitution", "its damping ratio", "its loss of energy")

    @c.kernel(n)
    def kernel(
        mass: wp.array[float] = given(n, low=0.5, high=2.0),
        other: wp.array[float] = given(n, low=0.5, high=2.0),
        k: wp.array[float] = given(n, low=5.0, high=40.0),
        restitution: wp.array[float] = given(n, low=0.2, high=0.9),
        damping_ratio: wp.array[float] = given(n, low=0.1, high=0.8),
        lost: wp.array[float] = given(n, low=0.1, high=0.9),
        impact: wp.array[float] = given(n, low=0.5, high=3.0),
        out: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if BODIES == "two grains":
            m = mass[i] * other[i] / (mass[i] + other[i])
        elif BODIES == "equal grains":
            m = 0.5 * mass[i]
        else:
            m = mass[i]
        if GIVEN == "its damping ratio":
            zeta = damping_ratio[i]
        else:
            if GIVEN == "its restitution":
                decay = wp.log(restitution[i])
            else:
                # what is left of the energy is the square of the restitution
                decay = 0.5 * wp.log(1.0 - lost[i])
            zeta = -decay / wp.sqrt(wp.PI * wp.PI + decay * decay)
        if WANTED == "damping constant":
            out[i] = 2.0 * zeta * wp.sqrt(k[i] * m)
        elif WANTED == "duration":
            out[i] = wp.PI / wp.sqrt(k[i] / m * (1.0 - zeta * zeta))
        elif WANTED == "longest stable step":
            out[i] = 2.0 * wp.sqrt(m / k[i]) * (wp.sqrt(1.0 + zeta * zeta) - zeta)
        else:
            # how much slower the contact swings than without a damper
            slowed = wp.sqrt(1.0 - zeta * zeta)
            out[i] = impact[i] * wp.sqrt(m / k[i]) * wp.exp(-zeta / slowed * wp.acos(zeta))
