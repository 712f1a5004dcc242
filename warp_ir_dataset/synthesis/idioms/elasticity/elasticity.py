"""Elastic solids: finite elements that deform, their stresses and forces."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp

NAMES = {
    "x": "x positions nodes",
    "e": "e tid element",
    "MU": "MU SHEAR_MODULUS LAME_MU",
    "LAME": "LAME LAM LAME_FIRST",
    "NU": "NU POISSON POISSON_RATIO",
}


@idiom(
    level=5,
    names=NAMES
    | {
        "tets": "tets tet_indices elements",
        "i0 i1 i2 i3": "i0 i1 i2 i3 | i j k l | n0 n1 n2 n3",
        "rest_inverse": "rest_inverse inv_rest dm_inv",
        "volumes": "volumes rest_volumes vol",
        "forces": "forces f particle_f",
        "shape": "shape edges ds",
        "edge1 edge2 edge3": "edge1 edge2 edge3 | e1 e2 e3 | x10 x20 x30",
        "grad": "grad deformation def_grad",
        "volume_ratio": "volume_ratio jac det_f",
        "cofactor": "cofactor cof dj_df",
        "stress": "stress piola pk1",
        "strain": "strain green e_strain",
        "identity": "identity eye unit",
        "rate": "rate grad_rate f_dot",
        "nodal": "nodal h force_columns",
        "f1 f2 f3": "f1 f2 f3 | fb fc fd | fj fk fl",
        "energy": "energy energies elastic_energy",
        "density": "density psi w_density",
        "kernel": "tet_forces elastic_forces eval_tets",
    },
)
def hyperelastic_tetrahedra(c):
    """Adds up the nodal forces of {LAW} tetrahedra{MORE}{ENERGY}{INVERTED}.

    Add up the nodal forces of {NAMED} tetrahedra. Row e of {tets} holds the nodes of element e, which lie at
    a, b, c and d in {x}. Its deformation gradient F is the matrix with the columns b - a, c - a and d - a,
    times `{rest_inverse}[e]`{GROWN}.

    The energy density is W = {DENSITY_OF}, and the first Piola-Kirchhoff stress P is its derivative by
    F{ADDED}. {FORCES}{HANGS}{STORE} All results start at zero.
    """
    count, n = c.size(8, 12), c.size(3, 5)
    LAW = c.meaning(
        "stable neo-Hookean",
        "Saint Venant-Kirchhoff",
        "logarithmic neo-Hookean",
        "nearly incompressible neo-Hookean",
        "linear elastic",
    )
    BARRIER = LAW in ("logarithmic neo-Hookean", "nearly incompressible neo-Hookean")
    # the longest of the laws leaves no room for damping, and neither of the two for energies beside the rest
    DAMPING = "" if LAW == "nearly incompressible neo-Hookean" else c.meaning("", "Kelvin-Voigt damping")
    FIBRE = c.meaning("", "active fibres")
    HEAT = "" if DAMPING and FIBRE else c.meaning("", "thermal expansion")
    WEIGHT = c.meaning("", "weight")
    *FIRST, LAST = [word for word in (DAMPING, FIBRE, HEAT, WEIGHT) if word] or [""]
    MORE = f", with {', '.join(FIRST)} and {LAST}" if FIRST else f", with {LAST}" if LAST else ""
    STORED = ", and stores their {} energies".format("passive elastic" if FIBRE else "elastic")
    ENERGY = "" if BARRIER and FIRST else c.meaning("", STORED)
    LEFT = "left out, with their weight, and counted" if WEIGHT else "left out and counted"
    INVERTED = f"; flat or inverted ones are {LEFT}" if BARRIER else ""
    MU, LAME, BULK = c.constant(0.5, 2.0), c.constant(0.5, 3.0), c.constant(1.0, 4.0)
    VISCOSITY, EXPANSION, DENSITY = c.constant(0.1, 0.6), c.constant(0.05, 0.2), c.constant(0.5, 2.0)
    if LAW == "linear elastic":
        c.names({"kernel": "tetrahedron_forces linear_tetrahedra"})
    NAMED = LAW
    GROWN = ", divided by the thermal growth g = 1 + {EXPANSION}·`{heating}[e]`" if HEAT else ""
    DENSITY_OF = {
        "stable neo-Hookean": "½·{MU}·(F:F - 3) - {MU}·(J - 1) + ½·{LAME}·(J - 1)² with J = det F",
        "logarithmic neo-Hookean": "½·{MU}·(F:F - 3) - {MU}·ln J + ½·{LAME}·(ln J)² with J = det F",
        "nearly incompressible neo-Hookean": "½·{MU}·(J^(-2/3)·F:F - 3) + ½·{BULK}·(J - 1)² with J = det F",
        "Saint Venant-Kirchhoff": "{MU}·E:E + ½·{LAME}·(tr E)² with Green's strain E = ½·(FᵀF - I)",
        "linear elastic": "{MU}·E:E + ½·{LAME}·(tr E)² with the strain E = ½·(F + Fᵀ) - I",
    }[LAW]
    ADDED = ""
    if FIBRE:
        ADDED += "; fibres along n = `{fibres}[e]` add `{activation}[e]`·(F·n)·nᵀ to P"
    RATE_OF = "the rate of F, built like F from the velocities {v}"
    if DAMPING and LAW == "linear elastic":
        ADDED += "; Kelvin-Voigt damping adds {VISCOSITY}·(R + Rᵀ) to P, where R is {RATE_OF}"
    elif DAMPING:
        ADDED += "; Kelvin-Voigt damping adds {VISCOSITY}·F·(FᵀR + RᵀF) to P, where R is {RATE_OF}"
    BY_GROWTH = " / g" if HEAT else ""
    FORCES = (
        "With H = -`{volumes}[e]`·P·`{rest_inverse}[e]`ᵀ{BY_GROWTH}, add its columns to {forces} of the "
        "second, third and fourth node, and minus their sum to {forces} of the first."
    )
    HANGS = ""
    if WEIGHT:
        HANGS = (
            " Each of the four nodes also bears a quarter of the weight, "
            "¼·{DENSITY}·`{volumes}[e]`·{gravity}."
        )
    STORE = " Store the element's energy `{volumes}[e]`·W in {energy}." if ENERGY else ""
    if BARRIER:
        STORE += " Leave out elements with J < 0.05, {WEIGHTLESS}and count them in `{inverted}[0]`."
    WEIGHTLESS = "their weight included, " if WEIGHT else ""

    @c.kernel(count)
    def kernel(
        x: wp.array[wp.vec3] = input(4 * n, low=-1.0, high=1.0),
        v: wp.array[wp.vec3] = input(4 * n, low=-1.0, high=1.0),
        tets: wp.array2d[int] = input(count, 4, low=0, high=4 * n - 1),
        rest_inverse: wp.array[wp.mat33] = input(count, low=-1.0, high=2.0, trait="dominant"),
        volumes: wp.array[float] = input(count, low=0.1, high=0.5),
        fibres: wp.array[wp.vec3] = input(count, low=-1.0, high=1.0, trait="unit"),
        activation: wp.array[float] = input(count, low=0.2, high=2.0),
        heating: wp.array[float] = input(count, low=-1.0, high=2.0),
        gravity: wp.vec3 = input(low=-10.0, high=10.0),
        forces: wp.array[wp.vec3] = output(4 * n),
        energy: wp.array[float] = output(count, of="energy"),
        inverted: wp.array[int] = output(1),
    ):
        e = wp.tid()
        i0 = tets[e, 0]
        i1 = tets[e, 1]
        i2 = tets[e, 2]
        i3 = tets[e, 3]
        edge1 = x[i1] - x[i0]
        edge2 = x[i2] - x[i0]
        edge3 = x[i3] - x[i0]
        shape = wp.matrix_from_cols(edge1, edge2, edge3)
        to_rest = rest_inverse[e]
        volume = volumes[e]
        grad = shape * to_rest
        if HEAT:
            # thermal growth by itself causes no stress
            growth = 1.0 + EXPANSION * heating[e]
            grad /= growth
        if LAW == "linear elastic":
            identity = wp.identity(n=3, dtype=float)
            strain = 0.5 * (grad + wp.transpose(grad)) - identity
            dilation = wp.trace(strain)
            stress = 2.0 * MU * strain + LAME * dilation * identity
            if ENERGY:
                density = MU * wp.ddot(strain, strain) + 0.5 * LAME * dilation * dilation
        elif LAW == "Saint Venant-Kirchhoff":
            identity = wp.identity(n=3, dtype=float)
            strain = 0.5 * (wp.transpose(grad) * grad - identity)
            dilation = wp.trace(strain)
            second = 2.0 * MU * strain + LAME * dilation * identity
            stress = grad * second
            if ENERGY:
                density = 0.5 * wp.ddot(second, strain)
        else:
            volume_ratio = wp.determinant(grad)
            if BARRIER:
                # the law holds for no element that is flat or inside out
                if volume_ratio < 0.05:
                    wp.atomic_add(inverted, 0, 1)
                    if ENERGY:
                        energy[e] = 0.0
                    return
            c0 = wp.vec3(grad[0, 0], grad[1, 0], grad[2, 0])
            c1 = wp.vec3(grad[0, 1], grad[1, 1], grad[2, 1])
            c2 = wp.vec3(grad[0, 2], grad[1, 2], grad[2, 2])
            # how the volume changes with each entry
            cofactor = wp.matrix_from_cols(wp.cross(c1, c2), wp.cross(c2, c0), wp.cross(c0, c1))
            if LAW == "stable neo-Hookean":
                excess = volume_ratio - 1.0
                stress = MU * grad + (LAME * excess - MU) * cofactor
                if ENERGY:
                    density = 0.5 * MU * (wp.ddot(grad, grad) - 3.0) - MU * excess
                    density += 0.5 * LAME * excess * excess
            elif LAW == "logarithmic neo-Hookean":
                log_ratio = wp.log(volume_ratio)
                stress = MU * grad + (LAME * log_ratio - MU) / volume_ratio * cofactor
                if ENERGY:
                    density = 0.5 * MU * (wp.ddot(grad, grad) - 3.0) - MU * log_ratio
                    density += 0.5 * LAME * log_ratio * log_ratio
            else:
                squares = wp.ddot(grad, grad)
                scale = MU * wp.pow(volume_ratio, -2.0 / 3.0)
                stress = scale * (grad - squares / (3.0 * volume_ratio) * cofactor)
                stress += BULK * (volume_ratio - 1.0) * cofactor
                if ENERGY:
                    density = 0.5 * (scale * squares - 3.0 * MU)
                    density += 0.5 * BULK * (volume_ratio - 1.0) * (volume_ratio - 1.0)
        if ENERGY:
            energy[e] = volume * density
        if FIBRE:
            fibre = fibres[e]
            stress += activation[e] * wp.outer(grad * fibre, fibre)
        if DAMPING:
            v0 = v[i0]
            rate = wp.matrix_from_cols(v[i1] - v0, v[i2] - v0, v[i3] - v0) * to_rest
            if HEAT:
                rate /= growth
            if LAW == "linear elastic":
                stress += VISCOSITY * (rate + wp.transpose(rate))
            else:
                strain_rate = wp.transpose(grad) * rate
                stress += VISCOSITY * (grad * (strain_rate + wp.transpose(strain_rate)))
        if HEAT:
            # the chain rule, as the elastic part is the deformation over the growth
            stress /= growth
        nodal = -volume * (stress * wp.transpose(to_rest))
        f1 = wp.vec3(nodal[0, 0], nodal[1, 0], nodal[2, 0])
        f2 = wp.vec3(nodal[0, 1], nodal[1, 1], nodal[2, 1])
        f3 = wp.vec3(nodal[0, 2], nodal[1, 2], nodal[2, 2])
        if WEIGHT:
            # a quarter of the element's weight hangs at each node
            weight = 0.25 * DENSITY * volume * gravity
            wp.atomic_add(forces, i0, weight - f1 - f2 - f3)
            f1 += weight
            f2 += weight
            f3 += weight
        else:
            wp.atomic_sub(forces, i0, f1 + f2 + f3)
        wp.atomic_add(forces, i1, f1)
        wp.atomic_add(forces, i2, f2)
        wp.atomic_add(forces, i3, f3)


@idiom(
    level=3,
    names=NAMES
    | {
        "stress": "stress sigma cauchy",
        "mean": "mean mean_stress hydrostatic",
        "deviator": "deviator s dev",
        "j2 j3": "j2 j3 | second third | inv2 inv3",
        "lode": "lode theta lode_angle",
        "radius": "radius r spread",
        "equivalent": "equivalent sigma_eq effective",
        "STRENGTH": "STRENGTH YIELD_STRESS SIGMA_Y",
        "FRICTION": "FRICTION ALPHA PRESSURE_COEFFICIENT",
        "out": "out values results",
        "kernel": "stress_measure failure_measure equivalent_stresses",
    },
)
def equivalent_stress(c):
    """The {WANTED} of each stress tensor by the {CRITERION} criterion{MOST}{FLAG}.

    Judge stress tensors, {stress}, by the {CRITERION} criterion. {MEASURE_OF}

    Store {ASKED} in {out}.{FLAGS}
    """
    n = c.size()
    CRITERION = c.meaning("von Mises", "Tresca", "Drucker-Prager", "Rankine", "Mohr-Coulomb")
    WANTED = c.meaning("equivalent stress", "safety factor", "yield function")
    if WANTED != "equivalent stress":
        c.names(
            {"kernel": "safety_factors safety_of_points", "out": "out factors"}
            if WANTED == "safety factor"
            else {"kernel": "yield_functions failure_measure", "out": "out excess"}
        )
    CAPPED = WANTED == "safety factor" and CRITERION not in ("von Mises", "Tresca")
    MOST = ", at most five" if CAPPED else ""
    FAILS = "fractures" if CRITERION == "Rankine" else "yields"
    FLAG = c.meaning("", f"; where it {FAILS} is flagged", f"; those that {FAILS[:-1]} are counted")
    # what is never negative goes on to the fatigue of elements
    BARE = WANTED == "equivalent stress" and CRITERION in ("von Mises", "Tresca") and not FLAG
    FLAGGED, COUNTED = FLAG.endswith("flagged"), FLAG.endswith("counted")
    # where pressure makes the material stronger, most points are under it
    LOW, HIGH = (-2.0, 2.0) if CRITERION in ("von Mises", "Tresca", "Rankine") else (-3.5, 1.5)
    if CRITERION == "Rankine":
        STRENGTH = c.constant(0.8, 2.2)
        c.names({"STRENGTH": "STRENGTH TENSILE_STRENGTH", "yielded": "cracked failed"})
    else:
        STRENGTH = c.constant(1.5, 3.5)
    FRICTION, PHI = c.constant(0.2, 0.5), c.constant(0.3, 0.7)
    MEASURE_OF = {
        "von Mises": "The equivalent stress is q = √(3·J₂), where J₂ is half the squared Frobenius norm of "
        "the deviator.",
        "Tresca": "The equivalent stress q is the largest principal stress less the smallest. {PRINCIPAL}",
        "Drucker-Prager": "The equivalent stress is q = (√(3·J₂) + 3·{FRICTION}·m) / (1 + {FRICTION}), "
        "where m is the mean stress, a third of the trace, and J₂ half the squared Frobenius norm of the "
        "deviator.",
        "Rankine": "The equivalent stress q is the largest principal stress; tension is positive. "
        "{PRINCIPAL}",
        "Mohr-Coulomb": "The equivalent stress is q = s - t·(1 - sin {PHI}) / (1 + sin {PHI}), where s and "
        "t are the largest and the smallest principal stress, and tension is positive. {PRINCIPAL}",
    }[CRITERION]
    PRINCIPAL = (
        "Take {NEEDED} from the Lode angle θ, with the mean stress m, a third of the trace, and r = √(J₂ / "
        "3): θ is a third of the arccosine of c, and c is J₃ / max(2·r³, 1e-9) clamped to [-1, 1]. J₂ is "
        "half the squared Frobenius norm of the deviator, and J₃ the determinant of the deviator."
    )
    NEEDED = "the largest, m + 2·r·cos(θ), and the smallest, m + 2·r·cos(θ + 2·π/3),"
    if CRITERION == "Rankine":
        NEEDED = "this, m + 2·r·cos(θ),"
    ASKED = {
        "equivalent stress": "q",
        "safety factor": "the safety factor, {STRENGTH} / {SAFE},",
        "yield function": "the yield function, q - {STRENGTH},",
    }[WANTED]
    SAFE = "max(q, 0.2·{STRENGTH})" if CAPPED else "q"
    FLAGS = ""
    if FLAGGED:
        FLAGS = " {yielded} gets 1 if q > {STRENGTH} and otherwise 0."
    elif COUNTED:
        FLAGS = " `{count}[0]` gets the number of tensors with q > {STRENGTH}."

    @c.kernel(n)
    def kernel(
        stress: wp.array[wp.mat33] = input(n, low=LOW, high=HIGH, trait="symmetric"),
        out: wp.array[float] = output(n, of="stress" if BARE else None),
        yielded: wp.array[int] = output(n),
        count: wp.array[int] = output(1),
    ):
        tid = wp.tid()
        tensor = stress[tid]
        # the mean stress, and what is left of the tensor without it
        mean = wp.trace(tensor) / 3.0
        deviator = tensor - mean * wp.identity(n=3, dtype=float)
        j2 = 0.5 * wp.ddot(deviator, deviator)
        if CRITERION in ("Tresca", "Rankine", "Mohr-Coulomb"):
            j3 = wp.determinant(deviator)
            radius = wp.sqrt(j2 / 3.0)
            # the Lode angle tells where between tension and compression the stress lies
            lode = wp.acos(wp.clamp(j3 / wp.max(2.0 * radius * radius * radius, 1.0e-9), -1.0, 1.0)) / 3.0
            highest = mean + 2.0 * radius * wp.cos(lode)
            if CRITERION != "Rankine":
                lowest = mean + 2.0 * radius * wp.cos(lode + 2.0 * wp.PI / 3.0)
            if CRITERION == "Tresca":
                equivalent = highest - lowest
            elif CRITERION == "Rankine":
                equivalent = highest
            else:
                # how the strength in tension compares with that in compression
                ratio = (1.0 - wp.sin(PHI)) / (1.0 + wp.sin(PHI))
                equivalent = highest - ratio * lowest
        elif CRITERION == "von Mises":
            equivalent = wp.sqrt(3.0 * j2)
        else:
            # under uniaxial tension, this is the tension itself
            equivalent = (wp.sqrt(3.0 * j2) + 3.0 * FRICTION * mean) / (1.0 + FRICTION)
        if WANTED == "equivalent stress":
            out[tid] = equivalent
        elif WANTED == "safety factor":
            if CRITERION in ("von Mises", "Tresca"):
                out[tid] = STRENGTH / equivalent
            else:
                # pressure alone is never dangerous
                out[tid] = STRENGTH / wp.max(equivalent, 0.2 * STRENGTH)
        else:
            out[tid] = equivalent - STRENGTH
        if FLAGGED:
            yielded[tid] = 1 if equivalent > STRENGTH else 0
        elif COUNTED:
            if equivalent > STRENGTH:
                wp.atomic_add(count, 0, 1)
