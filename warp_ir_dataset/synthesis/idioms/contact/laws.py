"""Single contacts: frames, Hertz's theory, rebounds, dashpots."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp
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
    """The {WANTED}, the first tangent {ALONG}.

    {PURPOSE} Contact k has the unit normal n = `{normals}[k]`. The first tangent t is {FIRST}, and the second
    is b = n × t.

    {ANSWER}
    """
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
    PURPOSE = {
        "tangents of each contact": "Build two tangents for each contact normal.",
        "frame of each contact, its axes as columns": "Build a frame for each contact normal.",
        "relative velocity of each contact in its frame": "Express the relative velocities at contacts in "
        "contact frames.",
        "force of each contact from its parts in its frame": "Turn contact forces from contact frames into "
        "the world.",
    }[WANTED]
    FIRST = {
        "by Duff's formula": "that of Duff's formula: t = (1 + s·a·n_x², s·a·n_x·n_y, -s·n_x) with a = -1 "
        "/ (s + n_z), where s is -1 if n_z < 0 and otherwise 1",
        "across a fixed axis": "the normalized {up} × n",
        "along the slip": "the part of the velocity `{v}[k]` perpendicular to n, normalized",
    }[ALONG]
    ANSWER = {
        "tangents of each contact": "Store t in {first} and b in {second}.",
        "frame of each contact, its axes as columns": "The columns of `{frames}[k]` are t, b and n, in "
        "this order.",
        "relative velocity of each contact in its frame": "`{v_local}[k]` gets the parts of `{v}[k]` along "
        "t, b and n, in this order.",
        "force of each contact from its parts in its frame": "The entries of `{parts}[k]` are the parts of "
        "the force along t, b and n, in this order; `{f}[k]` gets the force.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0),
        parts: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        up: wp.vec3 = input(low=-1.0, high=1.0, trait="unit"),
        first: wp.array[wp.vec3] = output(n),
        second: wp.array[wp.vec3] = output(n),
        frames: wp.array[wp.mat33] = output(n),
        v_local: wp.array[wp.vec3] = output(n),
        f: wp.array[wp.vec3] = output(n),
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
    """The {WANTED} of {BODIES}{MATERIAL} pressed together, by Hertz's theory.

    For each contact k, evaluate Hertz's theory for {PRESSED} pressed together by the force F = `{load}[k]`.
    The effective radius is R = {EFFECTIVE}, and the effective modulus is E = {MODULUS}.

    With the contact radius a = ∛(3·F·R / (4·E)), store {ANSWER} in `{out}[k]`.
    """
    n = c.size()
    WANTED = c.meaning("contact radius", "approach", "peak pressure", "stiffness", "stored energy")
    BODIES = c.meaning("two balls", "a ball and a wall", "crossed cylinders")
    MATERIAL = c.meaning(" of one material", " of two materials", ", one of them rigid,")
    POISSON = c.constant(0.1, 0.4)
    PRESSED = {
        "two balls": "two balls",
        "a ball and a wall": "a ball and a flat wall",
        "crossed cylinders": "two cylinders at right angles",
    }[BODIES]
    EFFECTIVE = {
        "two balls": "`{radius}[k]·{other_radius}[k] / ({radius}[k] + {other_radius}[k])`",
        "a ball and a wall": "`{radius}[k]`",
        "crossed cylinders": "`√({radius}[k]·{other_radius}[k])`",
    }[BODIES]
    MODULUS = {
        " of one material": "½·`{young}[k]` / (1 - {POISSON}²), as both have this Young's modulus and "
        "Poisson's ratio",
        " of two materials": "1 / ((1 - {POISSON}²)·`(1 / {young}[k] + 1 / {other_young}[k])`), with the "
        "same Poisson's ratio of both",
        ", one of them rigid,": "`{young}[k]` / (1 - {POISSON}²), as one body is rigid",
    }[MATERIAL]
    ANSWER = {
        "contact radius": "a",
        "approach": "the approach, a² / R,",
        "peak pressure": "the peak pressure, 3·F / (2·π·a²),",
        "stiffness": "the stiffness, 2·E·a,",
        "stored energy": "the stored energy, 2/5·F·a² / R,",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        load: wp.array[float] = input(n, low=0.5, high=4.0),
        radius: wp.array[float] = input(n, low=0.3, high=1.5),
        other_radius: wp.array[float] = input(n, low=0.3, high=1.5),
        young: wp.array[float] = input(n, low=2.0, high=9.0),
        other_young: wp.array[float] = input(n, low=2.0, high=9.0),
        out: wp.array[float] = output(n),
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
    """The {WANTED} of balls that strike {SURFACE}, with {BOUNCE}{RUB}.

    Let balls rebound from {OFF}. Ball k has {WEIGHT}the velocity {RELATIVE}. The speed of the impact is w =
    max(-u·n, 0), zero for a ball that leaves already, and the coefficient of restitution is e =
    {RESTITUTION}.

    The velocity changes by {CHANGE}{RUBS}. {ANSWER}
    """
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
    OFF = (
        "level ground, whose normal n is the y axis"
        if SURFACE == "level ground"
        else "walls with the unit normals {normals}, n = `{normals}[k]`"
    )
    WEIGHT = "" if WANTED == "new velocities" else "the mass `{mass}[k]` and "
    RELATIVE = "u = `{v}[k]`"
    if SURFACE == "moving walls":
        RELATIVE = "`{v}[k]`, and all walls move with {wall}; let u be the difference, `{v}[k] - {wall}`"
    RESTITUTION = {
        "both sides' mean restitution": "the mean of `{restitution}[k]` and {WALL_BOUNCE}",
        "restitutions of their own": "`{restitution}[k]`",
        "a restitution that falls with speed": "1 / (1 + {SOFTNESS}·w), which falls with speed",
    }[BOUNCE]
    CHANGE = "(1 + e)·w·n"
    RUBS = ""
    if RUB:
        RUBS = (
            " and, by Coulomb friction, by -min({FRICTION}·(1 + e)·w / (L + 1e-6), 1) times the slip, the "
            "part of u "
        )
        RUBS += "perpendicular to n, whose length is L"
    ANSWER = {
        "new velocities": "Store the new velocity in {v_new}.",
        "impulses": "Store the impulse, mass times change, in {impulses}.",
        "energy losses": "Store the loss of kinetic energy in {out}: mass / 2 times the difference of |u|² "
        "before and after the change.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0),
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit"),
        mass: wp.array[float] = input(n, low=0.5, high=2.0),
        restitution: wp.array[float] = input(n, low=0.2, high=0.9),
        wall: wp.vec3 = input(low=-1.0, high=1.0),
        v_new: wp.array[wp.vec3] = output(n),
        impulses: wp.array[wp.vec3] = output(n),
        out: wp.array[float] = output(n),
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
    """The {WANTED} of a spring-and-dashpot contact of {BODIES}, from {GIVEN}.

    Find {ASKED} of each spring-and-dashpot contact i with stiffness `{k}[i]` and mass m = {MASS}. {ZETA}
    Store {ANSWER} in `{out}[i]`.
    """
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
    ASKED = {
        "damping constant": "the damping constants",
        "duration": "the durations",
        "longest stable step": "the longest stable time steps",
        "deepest overlap": "the deepest overlaps",
    }[WANTED]
    MASS = {
        "two grains": "`{mass}[i]·{other}[i] / ({mass}[i] + {other}[i])` of two grains",
        "a grain and a wall": "`{mass}[i]` of a grain that meets a wall",
        "equal grains": "`{mass}[i] / 2` of two equal grains",
    }[BODIES]
    ZETA = "With {LOG}, the damping ratio is z = -L / √(π² + L²)."
    LOG = "the restitution `{restitution}[i]` and L = ln `{restitution}[i]`"
    if GIVEN == "its loss of energy":
        LOG = "the share `{lost}[i]` of energy that is lost and L = ½·ln `(1 - {lost}[i])`"
    elif GIVEN == "its damping ratio":
        ZETA = "The damping ratio is z = `{damping_ratio}[i]`."
    ANSWER = {
        "damping constant": "2·z·√(`{k}[i]`·m)",
        "duration": "π / √((1 - z²)·`{k}[i]` / m)",
        "longest stable step": "2·√(m / `{k}[i]`)·(√(1 + z²) - z)",
        "deepest overlap": "{DEEPEST}",
    }[WANTED]
    DEEPEST = (
        "`{impact}[i]`·√(m / `{k}[i]`)·exp(-z·arccos(z) / √(1 - z²)), where `{impact}[i]` is the speed of "
        "the "
        "impact,"
    )

    @c.kernel(n)
    def kernel(
        mass: wp.array[float] = input(n, low=0.5, high=2.0),
        other: wp.array[float] = input(n, low=0.5, high=2.0),
        k: wp.array[float] = input(n, low=5.0, high=40.0),
        restitution: wp.array[float] = input(n, low=0.2, high=0.9),
        damping_ratio: wp.array[float] = input(n, low=0.1, high=0.8),
        lost: wp.array[float] = input(n, low=0.1, high=0.9),
        impact: wp.array[float] = input(n, low=0.5, high=3.0),
        out: wp.array[float] = output(n),
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
