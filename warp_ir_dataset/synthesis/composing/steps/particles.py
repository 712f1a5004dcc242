"""Step templates for particles: frames, external forces, time steps, cells, energies, light.

They occur only in kernels of several parts, and never as a row of their own.
"""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

STATE = {
    "x": "x positions particle_q pos",
    "v": "v velocities particle_qd vel",
    "f": "f forces particle_f",
    "p": "p pos_i here",
    "u": "u vel_i",
}


@idiom(level=2, names=STATE | {"p": "p local q", "out": "out local_points in_frame"})
def points_in_frame(c):
    """Brings {x} into a frame that is {TURN}{FOLD}.

    Bring {x} into the frame of a shape and store the result in {out}: subtract {origin}{TURNED}.{COPIES}
    """
    n, DIM = c.size(5, 14), c.meaning(2, 3)
    Vec = c.vec(DIM)
    TURN = c.meaning("moved", "moved and turned")
    FOLD = c.meaning("", ", with a mirror image beside it", ", repeated in cells")
    ANGLE, CELL, APART = c.constant(0.2, 1.4), c.constant(2.0, 3.0), c.constant(1.0, 1.4)
    c.once("copies in space", FOLD)
    GROUND = "Y" if DIM == 2 else "Z"
    BEFORE, AFTER = "(X, Y, Z)", "(X, C·Y + S·Z, C·Z - S·Y)"
    if DIM == 2:
        BEFORE, AFTER = "(X, Y)", "(C·X + S·Y, C·Y - S·X)"
    TURNED = ""
    if TURN == "moved and turned":
        TURNED = ", then turn it: {BEFORE} becomes {AFTER}, with C and S the cosine and the sine of {ANGLE}"
    COPIES = {
        "": "",
        ", with a mirror image beside it": (
            " Finally, fold space so that there is a copy on either side: the first component X becomes"
            " |X| - {APART}."
        ),
        ", repeated in cells": (
            " Finally, repeat space in cells of size {CELL}: subtract from the components X and {GROUND}"
            " the nearest multiple of {CELL}, of two equally near ones the one farther from 0."
        ),
    }[FOLD]

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = input(n, low=-2.0, high=2.0, of="position"),
        origin: Vec = input(low=-0.5, high=0.5),
        out: wp.array[Vec] = output(n, of="position in a frame"),
    ):
        i = wp.tid()
        p = x[i] - origin
        if TURN == "moved and turned":
            cosine = wp.cos(ANGLE)
            sine = wp.sin(ANGLE)
            if DIM == 2:
                p = wp.vec2(cosine * p[0] + sine * p[1], cosine * p[1] - sine * p[0])
            else:
                # about the x axis
                p = wp.vec3(p[0], cosine * p[1] + sine * p[2], cosine * p[2] - sine * p[1])
        if FOLD == ", with a mirror image beside it":
            # one on either side of the middle
            p[0] = wp.abs(p[0]) - APART
        elif FOLD == ", repeated in cells":
            p[0] = p[0] - CELL * wp.round(p[0] / CELL)
            if DIM == 2:
                p[1] = p[1] - CELL * wp.round(p[1] / CELL)
            else:
                # y is up
                p[2] = p[2] - CELL * wp.round(p[2] / CELL)
        out[i] = p


@idiom(level=2, names=STATE | {"total": "total load push", "gravity": "gravity g"})
def outer_forces(c):
    """Adds {SAID} to {f}.

    Add {LOADED}.{SLIPPED}{PULLED}
    """
    n, DIM = c.size(5, 14), c.meaning(2, 3)
    Vec = c.vec(DIM)
    LOAD = c.meaning("weight", "a uniform field", "a swirl about the origin")
    DRAG = c.meaning("", "linear drag in the wind", "quadratic drag in the wind")
    ANCHOR = c.meaning("", "a pull to an anchor")
    *MORE, LAST = [word for word in (LOAD, DRAG, ANCHOR) if word]
    SAID = f"{', '.join(MORE)} and {LAST}" if MORE else LAST
    SWIRL, RESISTANCE, PULL = c.constant(1.0, 9.0), c.constant(0.2, 1.5), c.constant(0.5, 4.0)
    c.once("weight", LOAD == "weight")
    c.once("drag", DRAG)
    c.once("anchor", ANCHOR)
    PLACE, TURNED = ("(a, b)", "(-b, a)") if DIM == 2 else ("(a, b, c)", "(-b, a, 0)")
    LOADED = {
        "weight": "the weight of each particle to {f}, in place: {gravity} times {mass}, along -y",
        "a uniform field": "the force of a uniform field to {f}, in place: {mass} times {field}",
        "a swirl about the origin": (
            "the force of a swirl about the origin to {f}, in place: {SWIRL} times {TURNED} at the"
            " position {x} = {PLACE}"
        ),
    }[LOAD]
    SLIPPED = {
        "": "",
        "linear drag in the wind": " Add linear drag, {RESISTANCE} times ({wind} - {v}).",
        "quadratic drag in the wind": (
            " Add quadratic drag, {RESISTANCE} times the slip {wind} - {v} times its length."
        ),
    }[DRAG]
    PULLED = " Add the pull to an anchor, {PULL} times ({anchors} - {x})." if ANCHOR else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = input(n, low=-2.0, high=2.0, of="velocity"),
        mass: wp.array[float] = input(n, low=0.3, high=2.0, of="mass"),
        anchors: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        field: Vec = input(low=-3.0, high=3.0),
        wind: Vec = input(low=-1.0, high=1.0),
        gravity: float = input(low=1.0, high=9.0),
        f: wp.array[Vec] = inout(n, low=-5.0, high=5.0, of="force"),
    ):
        i = wp.tid()
        total = f[i]
        if LOAD == "weight":
            total[1] = total[1] - gravity * mass[i]
        elif LOAD == "a uniform field":
            total = total + mass[i] * field
        else:
            total[0] = total[0] - SWIRL * x[i][1]
            total[1] = total[1] + SWIRL * x[i][0]
        if DRAG != "":
            slip = wind - v[i]
            if DRAG == "linear drag in the wind":
                total = total + RESISTANCE * slip
            else:
                total = total + RESISTANCE * wp.length(slip) * slip
        if ANCHOR != "":
            total = total + PULL * (anchors[i] - x[i])
        f[i] = total


@idiom(level=3, names=STATE | {"dt": "dt h step", "a": "a acc"})
def particle_step(c):
    """Steps particles {PLACE} by their {FROM}{DAMP}{LIMIT}{FIXED}.

    Step the particles by symplectic Euler. The new velocity is {v} + {dt}·{PUSH}{DAMPED}.{CUT} The new
    position is {x} plus {dt} times the new velocity. Store {STORED}.{STAYS}
    """
    n, DIM = c.size(5, 14), c.meaning(2, 3)
    Vec = c.vec(DIM)
    FROM = c.meaning("forces", "accelerations")
    DAMP = c.meaning("", ", damped", ", damped implicitly")
    LIMIT = c.meaning("", ", no faster than a limit")
    FIXED = c.meaning("", "; fixed ones stay") if FROM == "forces" else ""
    PLACE = c.meaning("in place", "into new arrays") if FIXED == "" else "in place"
    NEW = PLACE == "into new arrays"
    State = input if NEW else inout
    DAMPING, FASTEST = c.constant(0.2, 1.5), c.constant(1.5, 2.5)
    c.once("drag", DAMP)
    c.once("speed limit", LIMIT)
    c.once("motion")
    # what keeps particles in a domain or out of a shape moves the fixed ones too
    c.once("ends of the domain", FIXED)
    c.once("obstacle", FIXED)
    if FROM == "accelerations":
        c.names({"f": "acc accelerations particle_qdd"})
    PUSH = "{f} / {mass}" if FROM == "forces" else "{f}"
    DAMPED = {
        "": "",
        ", damped": ", multiplied by 1 - {DAMPING}·{dt} for damping",
        ", damped implicitly": ", divided by 1 + {DAMPING}·{dt} for implicit damping",
    }[DAMP]
    CUT = " If its length exceeds {FASTEST}, it is shortened to that." if LIMIT else ""
    STORED = "them in {x_new} and {v_new}" if NEW else "both in place"
    STAYS = " Particles with {fixed} 1 are fixed and keep position and velocity." if FIXED else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = State(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[Vec] = State(n, low=-2.0, high=2.0, of="velocity"),
        f: wp.array[Vec] = input(n, low=-4.0, high=4.0, of="force" if FROM == "forces" else "acceleration"),
        mass: wp.array[float] = input(n, low=0.6, high=2.0, of="mass"),
        fixed: wp.array[int] = input(n, low=0, high=1),
        dt: float = input(low=0.1, high=0.4),
        x_new: wp.array[Vec] = output(n, of="position"),
        v_new: wp.array[Vec] = output(n, of="velocity"),
    ):
        i = wp.tid()
        if FIXED != "" and fixed[i] == 1:
            return
        a = f[i] / mass[i] if FROM == "forces" else f[i]
        u = v[i] + dt * a
        if DAMP == ", damped":
            u = (1.0 - DAMPING * dt) * u
        elif DAMP == ", damped implicitly":
            u = u / (1.0 + DAMPING * dt)
        if LIMIT != "":
            speed = wp.length(u)
            if speed > FASTEST:
                u = (FASTEST / speed) * u
        p = x[i] + dt * u
        if NEW:
            x_new[i] = p
            v_new[i] = u
        else:
            x[i] = p
            v[i] = u


@idiom(level=2, names=STATE | {"speed": "speed pace", "out": "out kinetic_energy energies", "e": "e energy"})
def energy_of_motion(c):
    """The {WANTED} of each particle{CAP}{TOTAL}.

    Find {FORMULA} for each particle and store it in {out}. The speed is the length of {v}{CAPPED}.{ADDED}
    """
    n, DIM = c.size(5, 14), c.meaning(2, 3)
    Vec = c.vec(DIM)
    WANTED = c.meaning("kinetic energy", "power lost to quadratic drag", "squared Mach number")
    if WANTED == "power lost to quadratic drag":
        c.names({"out": "out drag_power powers", "e": "power lost"})
    elif WANTED == "squared Mach number":
        c.names({"out": "out mach_sq machs_squared", "e": "mach_squared square"})
    CAP = c.meaning("", " with its speed capped")
    TOTAL = c.meaning("", ", and their sum", ", and the largest of them")
    if TOTAL == ", and the largest of them":
        c.names({"total": "largest greatest"})
    FASTEST, DRAG = c.constant(1.5, 2.5), c.constant(0.3, 1.5)
    c.once("speed limit", CAP)
    FORMULA = {
        "kinetic energy": "the kinetic energy, ½·{mass}·speed²,",
        "power lost to quadratic drag": "the power lost to quadratic drag, {DRAG} times speed³,",
        "squared Mach number": "the square of the Mach number, the speed over {sound},",
    }[WANTED]
    CAPPED = ", but counts as at most {FASTEST}" if CAP else ""
    ADDED = {
        "": "",
        ", and their sum": " Add up all of them in {total}, which starts at zero.",
        ", and the largest of them": " Keep the largest of them all in {total}, which starts at zero.",
    }[TOTAL]

    @c.kernel(n)
    def kernel(
        v: wp.array[Vec] = input(n, low=-2.0, high=2.0, of="velocity"),
        mass: wp.array[float] = input(n, low=0.3, high=2.0, of="mass"),
        sound: wp.array[float] = input(n, low=0.8, high=2.0),
        total: wp.array[float] = output(1),
        out: wp.array[float] = output(n, of="energy" if WANTED == "kinetic energy" else "value"),
    ):
        i = wp.tid()
        speed = wp.length(v[i])
        if CAP != "":
            speed = wp.min(speed, FASTEST)
        if WANTED == "kinetic energy":
            e = 0.5 * mass[i] * speed * speed
        elif WANTED == "power lost to quadratic drag":
            # the force grows with the square of the speed
            e = DRAG * speed * speed * speed
        else:
            mach = speed / sound[i]
            e = mach * mach
        if TOTAL == ", and their sum":
            wp.atomic_add(total, 0, e)
        elif TOTAL == ", and the largest of them":
            wp.atomic_max(total, 0, e)
        out[i] = e


@idiom(level=3, names=STATE | {"cx cy": "cx cy | col row | ix iy", "cell": "cell bin index"})
def cell_of_particle(c):
    """Finds the grid cell of each of {x}{PLANE}, {EDGE}, and {WHAT} there{SORT}.

    Bin {x} by the components X and {ROWS} on a grid of {WIDE} × {WIDE} cells of size {SIZE}, which starts at
    {LOW} in both. The column is ⌊(X - start) / {SIZE}⌋, the row likewise by {ROWS}{CLAMPED}. Store
    {WIDE}·row + column in {cells}{OUTSIDE}.

    {GIVEN}{RANKED}
    """
    n, WIDE = c.size(5, 14), c.count(4, 5)
    DIM = c.meaning(2, 3)
    Vec = c.vec(DIM)
    # seen from above, where y is up
    PLANE, ACROSS = (" by x and z", 2) if DIM == 3 else ("", 1)
    EDGE = c.meaning("clamped to the grid", "-1 outside the grid")
    WHAT = c.meaning("counts it", "adds its mass", "adds its height" if DIM == 3 else "adds its position")
    if WHAT == "adds its position":
        c.names({"sums": "sums position_sums"})
    elif WHAT == "adds its mass":
        c.names({"sums": "sums masses cell_mass"})
    else:
        c.names({"sums": "sums heights height_sums"})
    SORT = c.meaning("", ", giving its rank") if WHAT == "counts it" else ""
    SIZE, LOW = c.constant(0.3, 0.45), c.constant(-0.8, -0.4)
    ROWS = "Z" if DIM == 3 else "Y"
    CLAMPED, OUTSIDE = ", both clamped to the grid", ""
    if EDGE == "-1 outside the grid":
        NEITHER = " and in {ranks}" if SORT else ""
        CLAMPED, OUTSIDE = "", "; a particle outside the grid gets -1 there{NEITHER}, and counts nowhere"
    GIVEN = {
        "counts it": "{counts}, zero at the start, gets the number of particles in each cell.",
        "adds its mass": "{sums}, zero at the start, gets the sum of {mass} in each cell.",
        "adds its height": (
            "{sums}, zero at the start, gets the sum of the heights, the second components, in each cell."
        ),
        "adds its position": "{sums}, zero at the start, gets the sum of the positions in each cell.",
    }[WHAT]
    RANKED = ""
    if SORT:
        RANKED = " Store in {ranks} the count of its cell just before the particle is added to it."

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = input(n, low=-1.0, high=2.0, of="position"),
        mass: wp.array[float] = input(n, low=0.3, high=2.0, of="mass"),
        counts: wp.array[int] = output(WIDE * WIDE),
        sums: wp.array[Vec if WHAT == "adds its position" else float] = output(WIDE * WIDE),
        cells: wp.array[int] = output(n),
        ranks: wp.array[int] = output(n),
    ):
        i = wp.tid()
        p = x[i]
        cx = int(wp.floor((p[0] - LOW) / SIZE))
        cy = int(wp.floor((p[ACROSS] - LOW) / SIZE))
        if EDGE == "clamped to the grid":
            cx = wp.clamp(cx, 0, WIDE - 1)
            cy = wp.clamp(cy, 0, WIDE - 1)
        else:
            cells[i] = -1
            if SORT != "":
                ranks[i] = -1
            if cx < 0 or cx >= WIDE or cy < 0 or cy >= WIDE:
                return
        cell = cy * WIDE + cx
        cells[i] = cell
        if WHAT == "adds its mass":
            wp.atomic_add(sums, cell, mass[i])
        elif WHAT == "adds its height":
            wp.atomic_add(sums, cell, p[1])
        elif WHAT == "adds its position":
            wp.atomic_add(sums, cell, p)
        elif SORT == "":
            wp.atomic_add(counts, cell, 1)
        else:
            rank = wp.atomic_add(counts, cell, 1)
            ranks[i] = rank


@idiom(level=2, names={"normals": "normals n_hat", "out": "out shade light"})
def light_on_normal(c):
    """The light on a surface with each of {normals}, {MODEL}{GLOSS}{RIM}.

    Light a surface with the unit normal N, one of {normals}, {LIT}.{SHINE}{EDGED} Store the light in {out}.
    """
    n = c.size(5, 14)
    MODEL = c.meaning("by Lambert's law", "by half Lambert shading", "from a sky above a ground")
    GLOSS = c.meaning("", " with a highlight")
    RIM = c.meaning("", " and a rim of light" if GLOSS else " with a rim of light", ", in a few bands")
    SHARP, AMBIENT, BANDS = c.constant(4.0, 20.0), c.constant(0.05, 0.3), c.constant(2.0, 5.0, step=1.0)
    LIT = {
        "by Lambert's law": (
            "by Lambert's law: {AMBIENT} + max(N·{light}, 0), where · between vectors is the dot product"
        ),
        "by half Lambert shading": (
            "by half Lambert shading: (½·(N·{light}) + ½)², where · between vectors is the dot product"
        ),
        "from a sky above a ground": (
            "from a sky of brightness 1 above a ground of brightness {AMBIENT}: interpolate from the"
            " ground to the sky by ½·y + ½, with the y component of N"
        ),
    }[MODEL]
    SHINE = ""
    if GLOSS:
        SHINE = (
            " Add a Blinn-Phong highlight if N·{light} > 0: max(N·H, 0) to the power {SHARP}, where H is"
            " {light} + {view}, normalized."
        )
    EDGED = ""
    if RIM == ", in a few bands":
        EDGED = " Round that down to a multiple of 1 / {BANDS}."
    elif RIM:
        EDGED = " Add a rim of light, {AMBIENT} times (1 - |N·{view}|)²."
    if "·{" in SHINE + EDGED and "dot product" not in LIT:
        EDGED += " Here · between vectors is the dot product."

    @c.kernel(n)
    def kernel(
        normals: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit", of="normal"),
        light: wp.vec3 = input(low=-1.0, high=1.0, trait="unit"),
        view: wp.vec3 = input(low=-1.0, high=1.0, trait="unit"),
        out: wp.array[float] = output(n, of="value"),
    ):
        i = wp.tid()
        normal = normals[i]
        if GLOSS != "" or MODEL != "from a sky above a ground":
            facing = wp.dot(normal, light)
        if MODEL == "by Lambert's law":
            shade = AMBIENT + wp.max(facing, 0.0)
        elif MODEL == "by half Lambert shading":
            half = 0.5 * facing + 0.5
            shade = half * half
        else:
            shade = wp.lerp(AMBIENT, 1.0, 0.5 * normal[1] + 0.5)
        if GLOSS != "":
            if facing > 0.0:
                # halfway between light and eye
                middle = wp.normalize(light + view)
                shade += wp.pow(wp.max(wp.dot(normal, middle), 0.0), SHARP)
        if "rim" in RIM:
            edge = 1.0 - wp.abs(wp.dot(normal, view))
            shade += AMBIENT * edge * edge
        elif RIM == ", in a few bands":
            shade = wp.floor(shade * BANDS) / BANDS
        out[i] = shade
