"""Cloth that holds air, cloth that is worn."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp
from .cloth import NAMES


@idiom(
    level=3,
    names=NAMES
    | {
        "kernel": "pressure_forces inflate apply_pressure",
        "normal": "normal area_normal nrm",
        "p": "p pressure inner",
        "load": "load force push",
        "centre": "centre centroid middle",
        "height": "height level z",
        "volume": "volume vol enclosed",
    },
)
def balloon_pressure(c):
    """The {WANTED} of an inflated cloth{OUTSIDE}, {GAS}{SHARED}.

    Find the {WANTED} of an inflated cloth. Triangle t has the corners `{faces}[t, 0]` to `{faces}[t, 2]` at
    their places in {x}; its area vector is N = ½·(second - first) × (third - first), which points outwards.
    The pressure inside is p = {GASEOUS}{ONLY}.{AROUND}

    {RESULT}
    """
    triangles, n = c.size(8, 12), c.size(8, 10)
    WANTED = c.meaning(
        "forces on the vertices",
        "load on each triangle",
        "potential energy of each triangle",
        "power on each triangle",
    )
    GAS = c.meaning(
        "by a given pressure",
        "by an ideal gas",
        "by a pressure that restores its volume",
        "by a gas that leaks",
    )
    FORCES, ENERGY, POWER = WANTED.startswith("forces"), "energy" in WANTED, "power" in WANTED
    # what the wind does to a cloth has no potential
    OUTSIDE = c.meaning("", " under water", " in still air" if ENERGY else " in wind")
    SHARED = c.meaning("", ", shared by corner angles", ", for one bladder of several") if FORCES else ""
    SHARED = SHARED if SHARED or not FORCES else c.meaning("", ", except held ones")
    if ENERGY:
        # a given pressure is then one for all triangles, as only that has a potential
        SHARED = "" if GAS == "by a given pressure" else ", at a fixed pressure"
    AMOUNT, STIFFNESS, TARGET = c.constant(1.0, 4.0), c.constant(1.0, 5.0), c.constant(1.0, 3.0)
    LEAK, WEIGHT, SURFACE, DRAG = (
        c.constant(0.2, 1.0), c.constant(1.0, 4.0), c.constant(-0.1, 0.4), c.constant(0.5, 2.0),
    )  # fmt: skip
    AIR = c.constant(0.2, 1.0)
    if ENERGY:
        c.names({"kernel": "pressure_energy inflation_energy", "out": "out energies"})
    elif POWER:
        c.names({"kernel": "pressure_power inflation_power", "out": "out powers"})
    else:
        c.names({"loads": "loads triangle_forces"})
    GASEOUS = {
        "by a given pressure": "`{pressure}[t]`",
        "by an ideal gas": "{AMOUNT} / {volume}",
        "by a pressure that restores its volume": "{STIFFNESS}·({TARGET} - {volume})",
        "by a gas that leaks": "{AMOUNT}·exp(-{LEAK}·{time}) / {volume}",
    }[GAS]
    if ENERGY and GAS == "by a given pressure":
        GASEOUS = "{filling}"
    ONLY = ""
    if SHARED == ", for one bladder of several":
        ONLY = ". Only the triangles for which {bladders} is {bladder} count"
    AROUND = ""
    if OUTSIDE == " under water":
        AROUND = " With y for the height of its centroid, h = max({SURFACE} - y, 0) is its depth under water"
        AROUND += (
            "." if ENERGY else ("; the water presses from outside, so that {WEIGHT}·h is subtracted from p.")
        )
    elif OUTSIDE == " in still air":
        AROUND = " The air outside has the pressure {AIR}, which is subtracted from p."
    LOAD = "The load of a triangle is p·N{BLOWN}."
    BLOWN = ""
    if OUTSIDE == " in wind":
        BLOWN = (
            " + {DRAG}·(u·n)·N, where n is the unit vector along N and u is {wind} less the mean of {v} "
            "of its corners"
        )
    if FORCES:
        RESULT = "{LOAD} {SPREAD} Add the forces up in {f}, which starts at zero."
        SPREAD = {
            "": "Each corner gets a third of it as a force.",
            ", for one bladder of several": "Each corner gets a third of it as a force.",
            ", shared by corner angles": (
                "Each corner gets the share angle / π of it as a force, by the angle of the triangle there."
            ),
            ", except held ones": (
                "Each corner gets a third of it as a force, but those for which {held} is 1 get none."
            ),
        }[SHARED]
    elif ENERGY:
        RESULT = (
            "{out} gets -p times the volume that the triangle contributes to what the cloth encloses, "
            "N·(sum of its "
            "corners) / 9{WATER}."
        )
        WATER = ", less ½·{WEIGHT}·h² times the y component of N" if OUTSIDE == " under water" else ""
    elif POWER:
        RESULT = "{LOAD} {out} gets the load dotted with the mean of {v} of the corners."
    else:
        RESULT = "{LOAD} Store it in {loads}."

    @c.kernel(triangles)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="velocity"),
        faces: wp.array2d[int] = input(triangles, 3, low=0, high=n - 1),
        bladders: wp.array[int] = input(triangles, low=0, high=2),
        bladder: int = input(low=0, high=2),
        held: wp.array[int] = input(n, low=0, high=1),
        pressure: wp.array[float] = input(triangles, low=0.5, high=3.0),
        filling: float = input(low=0.5, high=3.0),
        volume: float = input(low=0.8, high=3.0),
        time: float = input(low=0.0, high=2.0),
        wind: wp.vec3 = input(low=-3.0, high=3.0),
        f: wp.array[wp.vec3] = output(n),
        loads: wp.array[wp.vec3] = output(triangles),
        out: wp.array[float] = output(triangles),
    ):
        t = wp.tid()
        if SHARED == ", for one bladder of several":
            if bladders[t] != bladder:
                return
        i = faces[t, 0]
        j = faces[t, 1]
        k = faces[t, 2]
        # the normal points outwards; its length is the area of the triangle
        normal = 0.5 * wp.cross(x[j] - x[i], x[k] - x[i])
        if GAS == "by a given pressure":
            p = filling if ENERGY else pressure[t]
        elif GAS == "by an ideal gas":
            p = AMOUNT / volume
        elif GAS == "by a pressure that restores its volume":
            p = STIFFNESS * (TARGET - volume)
        else:
            p = AMOUNT * wp.exp(-LEAK * time) / volume
        if OUTSIDE == " under water":
            centre = (x[i] + x[j] + x[k]) / 3.0
            depth = wp.max(SURFACE - centre[1], 0.0)
            if not ENERGY:
                # the deeper, the harder the water presses from outside
                p -= WEIGHT * depth
        elif OUTSIDE == " in still air":
            p -= AIR
        if ENERGY:
            # the triangle's share of the enclosed volume, as seen from the origin
            share = wp.dot(normal, x[i] + x[j] + x[k]) / 9.0
            if OUTSIDE == " under water":
                # the depth summed over the volume is a flux through its surface
                out[t] = -p * share - 0.5 * WEIGHT * depth * depth * normal[1]
            else:
                out[t] = -p * share
        elif OUTSIDE == " in wind":
            relative = wind - (v[i] + v[j] + v[k]) / 3.0
            load = p * normal + DRAG * wp.dot(relative, wp.normalize(normal)) * normal
        else:
            load = p * normal
        if FORCES:
            if SHARED == ", shared by corner angles":
                for corner in range(3):
                    here = x[faces[t, corner]]
                    e1 = wp.normalize(x[faces[t, (corner + 1) % 3]] - here)
                    e2 = wp.normalize(x[faces[t, (corner + 2) % 3]] - here)
                    angle = wp.acos(wp.clamp(wp.dot(e1, e2), -1.0, 1.0))
                    wp.atomic_add(f, faces[t, corner], angle / wp.PI * load)
            elif SHARED == ", except held ones":
                for corner in range(3):
                    if held[faces[t, corner]] == 0:
                        wp.atomic_add(f, faces[t, corner], load / 3.0)
            else:
                load /= 3.0
                wp.atomic_add(f, i, load)
                wp.atomic_add(f, j, load)
                wp.atomic_add(f, k, load)
        elif POWER:
            out[t] = wp.dot(load, v[i] + v[j] + v[k]) / 3.0
        elif not ENERGY:
            loads[t] = load


@idiom(
    level=4,
    names=NAMES
    | {
        "kernel": "attach_to_skin follow_body wear_cloth",
        "skin": "skin body_points mesh_points",
        "weights": "weights bary barycentrics",
        "owner": "owner face triangle",
        "anchor": "anchor target goal",
        "normal": "normal n nrm",
        "lift": "lift offset height",
        "speed": "speed velocity skin_velocity",
        "p q r": "p q r | a b c | x0 x1 x2",
    },
)
def skin_attachment(c):
    """{WANTED} cloth vertices {DRAWN}{SEEN}{TOLD}.

    {PURPOSE} {ANCHOR}{STORED} {TIES}{RESULT}
    """
    n, m, triangles = c.size(), c.size(6, 8), c.size(5, 7)
    WANTED = c.meaning(
        "The new places of", "The forces on", "The corrections of", "The remaining distances of"
    )
    HELD = c.meaning("triangles", "bones", "the nearest vertex")
    TIED = c.meaning("", ", where tied")
    SEEN = (
        TIED if WANTED == "The remaining distances of" else c.meaning(TIED, ", each by a strength of its own")
    )
    BARY, BONES = HELD == "triangles", HELD == "bones"
    if BARY:
        DRAWN = c.meaning(
            "drawn to points on triangles of the body",
            "drawn to points above triangles of the body",
            "pushed to the outside of triangles of the body",
        )
    else:
        DRAWN = "drawn to places on rigid bones" if BONES else "drawn to the nearest vertex of the body"
    OUTSIDE, LIFT = "outside" in DRAWN, "outside" in DRAWN or "above" in DRAWN
    TOLD = c.meaning("", "; normals are stored") if LIFT else c.meaning("", "; anchors are stored")
    STIFFNESS, DAMPING, SHARE = c.constant(5.0, 30.0), c.constant(0.5, 3.0), c.constant(0.2, 0.8)
    FORCES, DISTANCES = WANTED == "The forces on", WANTED == "The remaining distances of"
    if BONES:
        c.names({"owners": "bone_ids bone_of owners"})
    if DISTANCES:
        c.names({"kernel": "attachment_gaps anchor_distances"})
    elif OUTSIDE:
        c.names({"kernel": "keep_outside push_out_of_body"})
    elif BONES:
        c.names({"kernel": "attach_to_bones follow_bones wear_cloth"})
    if FORCES:
        c.names({"out": "f forces particle_f"})
    elif WANTED == "The corrections of":
        c.names({"out": "dx corrections delta_x"})
    elif not DISTANCES:
        c.names({"out": "x_new moved placed"})
    PURPOSE = {
        "The new places of": "Move cloth vertices towards their anchors on a body.",
        "The forces on": "Find the forces that pull cloth vertices to their anchors on a body.",
        "The corrections of": "Find corrections that bring cloth vertices closer to their anchors on a body.",
        "The remaining distances of": "Find how far cloth vertices are from their anchors on a body.",
    }[WANTED]
    CORNERS = (
        "Vertex k belongs to the triangle `{owners}[k]` of {faces}, whose corners p, q, r are in {skin}; "
    )
    NORMAL = "its unit normal is along (q - p) × (r - p)"
    MIDDLE = "the anchor is the point (1 - a - b)·p + a·q + b·r with (a, b) = `{weights}[k]`"
    ANCHOR = CORNERS + MIDDLE + "."
    if OUTSIDE:
        ANCHOR = (
            CORNERS
            + NORMAL
            + (
                ". With the height h of its position in {x} above the plane, the anchor is that position, "
                "moved by max(`{lifts}[k]` - h, 0) along the normal, so that it may stay outside."
            )
        )
    elif LIFT:
        ANCHOR = CORNERS + NORMAL + ", and " + MIDDLE + ", lifted by `{lifts}[k]` along the normal."
    elif BONES:
        ANCHOR = (
            "The anchor of vertex k is the point `{local}[k]`, transformed by its bone, `{bones}[b]` with b "
            "= `{owners}[k]`."
        )
    elif not BARY:
        ANCHOR = (
            "The anchor of a vertex is the point of {skin} nearest to its position in {x}, the first on ties."
        )
    STORED = ""
    if TOLD:
        STORED = " Store the normals in {normals}." if LIFT else " Store the anchors in {anchors}."
    TIES = ""
    if SEEN == ", where tied":
        TIES = "If {tied} is 0, {LOOSE}. "
        LOOSE = "there is no force" if FORCES else "there is no correction"
        if DISTANCES:
            LOOSE = "the distance is 0"
        elif WANTED == "The new places of":
            LOOSE = "the vertex stays where it is"
    FULL = "Let d be the vector from its position in {x} to the anchor{SCALED}. "
    SCALED = ", times its entry of {strengths}" if SEEN == ", each by a strength of its own" else ""
    RESULT = (
        FULL
        + {
            "The new places of": "{out} gets the position plus {SHARE}·d.",
            "The forces on": "{out} gets {STIFFNESS}·d - {DAMPING}·{v}{UNLESS}.",
            "The corrections of": "{out} gets {SHARE}·d.",
            "The remaining distances of": "{gaps} gets its length.",
        }[WANTED]
    )
    UNLESS = ", but nothing if h is not below `{lifts}[k]`" if OUTSIDE else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="velocity"),
        skin: wp.array[wp.vec3] = input(m, low=-1.0, high=1.0),
        faces: wp.array2d[int] = input(triangles, 3, low=0, high=m - 1),
        owners: wp.array[int] = input(n, low=0, high=triangles - 1),
        weights: wp.array[wp.vec2] = input(n, low=0.1, high=0.45),
        bones: wp.array[wp.transform] = input(triangles, low=-1.0, high=1.0, trait="unit"),
        local: wp.array[wp.vec3] = input(n, low=-0.6, high=0.6),
        lifts: wp.array[float] = input(n, low=0.05, high=0.3),
        tied: wp.array[int] = input(n, low=0, high=1),
        strengths: wp.array[float] = input(n, low=0.2, high=1.0),
        out: wp.array[wp.vec3] = output(n),
        gaps: wp.array[float] = output(n),
        normals: wp.array[wp.vec3] = output(n),
        anchors: wp.array[wp.vec3] = output(n),
    ):
        tid = wp.tid()
        here = x[tid]
        if BARY:
            owner = owners[tid]
            if not OUTSIDE:
                w = weights[tid]
            p = skin[faces[owner, 0]]
            q = skin[faces[owner, 1]]
            r = skin[faces[owner, 2]]
            if not OUTSIDE:
                anchor = (1.0 - w[0] - w[1]) * p + w[0] * q + w[1] * r
            if LIFT:
                normal = wp.normalize(wp.cross(q - p, r - p))
                if not OUTSIDE:
                    anchor += lifts[tid] * normal
                else:
                    # what is outside already may stay there
                    height = wp.dot(here - p, normal)
                    anchor = here + wp.max(lifts[tid] - height, 0.0) * normal
                if TOLD:
                    normals[tid] = normal
        elif BONES:
            anchor = wp.transform_point(bones[owners[tid]], local[tid])
        else:
            anchor = skin[0]
            closest = wp.length_sq(here - skin[0])
            for k in range(1, skin.shape[0]):
                squared = wp.length_sq(here - skin[k])
                if squared < closest:
                    closest = squared
                    anchor = skin[k]
        if TOLD and not LIFT:
            anchors[tid] = anchor
        if SEEN == ", where tied":
            if tied[tid] == 0:
                if DISTANCES:
                    gaps[tid] = 0.0
                elif WANTED == "The new places of":
                    out[tid] = here
                else:
                    out[tid] = wp.vec3()
                return
        d = anchor - here
        if SEEN == ", each by a strength of its own":
            d *= strengths[tid]
        if DISTANCES:
            gaps[tid] = wp.length(d)
        elif FORCES:
            if OUTSIDE:
                # nothing slows what is outside
                if height < lifts[tid]:
                    out[tid] = STIFFNESS * d - DAMPING * v[tid]
                else:
                    out[tid] = wp.vec3()
            else:
                out[tid] = STIFFNESS * d - DAMPING * v[tid]
        elif WANTED == "The corrections of":
            out[tid] = SHARE * d
        else:
            out[tid] = here + SHARE * d
