"""Solids that yield: return mapping of stress, and material points on a grid."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp
from .elasticity import NAMES


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "p": "p tid point",
        "increments": "increments dstrain strain_increment",
        "stress": "stress sigma stresses",
        "trial": "trial predictor sigma_trial",
        "pressure": "mean_stress hydrostatic sigma_m",
        "relative": "relative xi shifted",
        "deviator": "deviator dev s_trial",
        "q": "q sigma_eq equivalent",
        "alpha": "alpha slip_sum eps_p",
        "history": "history plastic_sum eqps",
        "back": "back back_stress beta",
        "strength": "strength yield_stress flow_stress",
        "excess": "excess yield_value f_trial",
        "gamma": "gamma multiplier d_gamma",
        "stiffness": "stiffness denominator modulus",
        "G_MOD": "G_MOD SHEAR MU",
        "K_MOD": "K_MOD BULK BULK_MODULUS",
        "SIGMA0": "SIGMA0 YIELD0 SIGMA_Y",
        "broken": "broken d lost",
        "whole": "whole integrity sound",
        "release": "release y_rate energy_release",
        "soft": "soft softening weakened",
        "D_CRITICAL": "D_CRITICAL CRITICAL DAMAGE_LIMIT",
        "kernel": "return_map radial_return update_stress",
    },
)
def elastoplastic_update(c):
    """Returns each stress to the {CRITERION} yield surface after a strain increment{MORE}{REPORT}.

    Update stresses of points after a strain increment by radial return to the {CRITERION} yield surface.
    {FAILED}The elastic predictor is T = {OLD} + 2·{G_MOD}·dev(e) + {K_MOD}·tr(e)·I with the increment e =
    `{increments}[p]`. Let m be its mean, tr(T) / 3, S its deviator{SHIFTED}, and Q = √(1.5·S:S). The strength
    is {STRENGTH_IS}{SOFTENED}. The point yields if f = Q{CONE_PART} - Y > 0; otherwise {ELASTIC}.

    If it yields, {AMOUNT}. With N = 1.5·S / Q, {FLOWS}. {AFTER}{HISTORY}{STORE}
    """
    n = c.size(6, 9)
    CRITERION = c.meaning("von Mises", "Drucker-Prager")
    CONE = CRITERION == "Drucker-Prager"
    if CONE:
        c.names({"kernel": "elastoplastic_update return_map update_stress"})
    # where a cone's tip is, the laws that need iterations would not say in a line
    HARDENING = c.meaning("no", "linear") if CONE else c.meaning("no", "linear", "Voce", "Swift")
    NEWTON, ITERATIONS = HARDENING in ("Voce", "Swift"), c.count(2, 3)
    KINEMATIC = "" if CONE else c.meaning("", "Prager's kinematic hardening")
    RATE = c.meaning("", "Perzyna viscosity")
    DAMAGE = c.meaning("", "Lemaitre's damage")
    # all at once would be too long
    PLAIN = not NEWTON or not (DAMAGE or KINEMATIC)
    HEAT = c.meaning("", "softening by plastic heat") if PLAIN else ""
    REPORT = c.meaning("", "; the plastic strain is stored", "; the plastic work is summed")
    STRAINS, WORK = REPORT == "; the plastic strain is stored", REPORT == "; the plastic work is summed"
    LAW = f"{HARDENING} hardening"
    LAW = f"{LAW} in {'two' if ITERATIONS == 2 else 'three'} Newton steps" if NEWTON else LAW
    *FIRST, LAST = [word for word in (LAW, KINEMATIC, RATE, DAMAGE, HEAT) if word]
    MORE = f", with {', '.join(FIRST)} and {LAST}" if FIRST else f", with {LAST}"
    MORE = MORE.replace("with no hardening, ", "with ").replace("no hardening and ", "")
    G_MOD, K_MOD = (
        (c.constant(1.0, 1.8), c.constant(4.0, 7.0)) if CONE else (c.constant(1.5, 3.0), c.constant(2.0, 5.0))
    )
    # softened points yield as often as others
    HARD = (0.9 if CONE else 1.7 if HARDENING == "no" else 1.5) if HEAT else 0.6 if CONE else 1.0
    SIGMA0 = c.constant(round(0.8 * HARD, 1), round(1.3 * HARD, 1), step=0.05)
    SLOPE, SATURATED, SPEED = (
        c.constant(0.3, 1.2),
        c.constant(2.2, 3.0) if HEAT else c.constant(1.5, 2.2),
        c.constant(2.0, 6.0),
    )
    STRAIN0, EXPONENT, PRAGER = c.constant(0.1, 0.4), c.constant(0.2, 0.6), c.constant(0.3, 1.5)
    FRICTION, DILATANCY, VISCOSITY = c.constant(0.6, 0.9), c.constant(0.1, 0.5), c.constant(0.1, 0.5)
    RESISTANCE, D_CRITICAL = c.constant(0.02, 0.1), c.constant(0.3, 0.6)
    ROOM, MELTING, HEAT_CAPACITY = (
        c.constant(15.0, 40.0, step=5.0),
        c.constant(200.0, 300.0),
        c.constant(0.002, 0.01, step=0.001),
    )
    OLD = "`{stress}[p]` / (1 - D)" if DAMAGE else "`{stress}[p]`"
    FAILED = ""
    if DAMAGE:
        FAILED = (
            "Point p has the damage D = `{damage}[p]`; if D ≥ {D_CRITICAL}, its stress becomes zero and "
            "nothing else changes. "
        )
    SHIFTED = " less the back stress `{back}[p]`" if KINEMATIC else ""
    PAST = "`{history}[p]`"
    STRENGTH_IS = {
        "no": "Y = {SIGMA0}",
        "linear": "Y(w) = {SIGMA0} + {SLOPE}·w at w = {PAST}",
        "Voce": "Y(w) = {SATURATED} - ({SATURATED} - {SIGMA0})·exp(-{SPEED}·w) at w = {PAST}",
        "Swift": "Y(w) = {SIGMA0}·(1 + w / {STRAIN0})^{EXPONENT} at w = {PAST}",
    }[HARDENING]
    SOFTENED = ""
    if HEAT:
        SOFTENED = (
            ", all times z = 1 - (`{temperature}[p]` - {ROOM}) / ({MELTING} - {ROOM}), clamped to [0, 1]"
        )
    CONE_PART = " + {FRICTION}·m" if CONE else ""
    ELASTIC = "the new stress is T·(1 - D)" if DAMAGE else "the new stress is T"
    ELASTIC += " and nothing else changes"
    TERMS = "3·{G_MOD}"
    if KINEMATIC:
        TERMS += " + {PRAGER}"
    if CONE:
        TERMS += " + {K_MOD}·{FRICTION}·{DILATANCY}"
    if RATE:
        TERMS += " + {VISCOSITY} / {dt}"
    if HARDENING == "linear":
        TERMS += " + {SLOPE}·z" if HEAT else " + {SLOPE}"
    AMOUNT = "the plastic amount is g = f / ({TERMS})"
    if NEWTON:
        AMOUNT = (
            "the plastic amount g starts at f / R with R = {TERMS}, and {ITERATIONS} Newton steps solve Q - "
            "R·g - Y({PAST} + g) = 0 for it"
        )
    FLOWS = "the deviator of T loses 2·{G_MOD}·g·N"
    if KINEMATIC:
        FLOWS += ", and `{back}[p]` grows by 2/3·{PRAGER}·g·N"
    elif CONE:
        FLOWS += ", and m loses {K_MOD}·v with the opening v = {DILATANCY}·g"
    AFTER = ""
    if CONE:
        AFTER = (
            "But if 3·{G_MOD}·g > Q, the point is past the tip of the cone: then g is Q / (3·{G_MOD}){GROWN} "
            "and v = (m - Y / {FRICTION}) / {K_MOD}. "
        )
    GROWN = ""
    if CONE and (RATE or HARDENING == "linear"):
        PARTS = []
        if RATE:
            PARTS.append("{VISCOSITY} / {dt}")
        if HARDENING == "linear":
            PARTS.append("{SLOPE}·z" if HEAT else "{SLOPE}")
        GROWN = ", Y grows by (" + " + ".join(PARTS) + ")·g," if RATE else ", Y grows by " + PARTS[0] + "·g,"
    HISTORY = "The new stress is the deviator plus m·I, and `{history}[p]` grows by g. "
    if DAMAGE:
        HISTORY = (
            "Then D grows by g·(|deviator|² / (4·{G_MOD}) + m² / (2·{K_MOD})) / {RESISTANCE}, with the "
            "returned parts, up to 1 at most. The new stress is (1 - D)·(deviator + m·I), and `{history}[p]` "
            "grows by g. "
        )
    SPENT = "g·(deviator:N) + m·v" if CONE else "g·(deviator:N)"
    if DAMAGE:
        SPENT = "(1 - D)·({SPENT_WHOLE})"
    SPENT_WHOLE = "g·(deviator:N) + m·v" if CONE else "g·(deviator:N)"
    STORE = ""
    if HEAT:
        STORE = (
            "`{temperature}[p]` rises by 0.9 / {HEAT_CAPACITY} times the plastic work {SPENT}, with the "
            "returned parts. "
        )
    if STRAINS:
        STORE += (
            "`{plastic_strain}[p]` gets the plastic strain g·N{VOLUMETRIC}, or zero if the point does not "
            "yield."
        )
    elif WORK and HEAT:
        STORE += "Add that work to `{work}[0]`."
    elif WORK:
        STORE += "Add the plastic work {SPENT}, with the returned parts, to `{work}[0]`."
    VOLUMETRIC = " + v / 3·I" if CONE else ""

    @c.kernel(n)
    def kernel(
        increments: wp.array[wp.mat33] = input(n, low=-0.25, high=0.25, trait="symmetric"),
        stress: wp.array[wp.mat33] = inout(n, low=-0.5, high=0.5, trait="symmetric"),
        back: wp.array[wp.mat33] = inout(n, low=-0.2, high=0.2, trait="symmetric"),
        history: wp.array[float] = inout(n, low=0.0, high=0.5),
        damage: wp.array[float] = inout(n, low=0.0, high=0.65),
        temperature: wp.array[float] = inout(n, low=0.0, high=250.0),
        dt: float = input(low=0.2, high=1.0),
        plastic_strain: wp.array[wp.mat33] = output(n),
        work: wp.array[float] = output(1),
    ):
        p = wp.tid()
        if DAMAGE:
            broken = damage[p]
            # a point that failed carries nothing any more
            if broken >= D_CRITICAL:
                stress[p] = wp.mat33(0.0)
                if STRAINS:
                    plastic_strain[p] = wp.mat33(0.0)
                return
            whole = 1.0 - broken
        step = increments[p]
        identity = wp.identity(n=3, dtype=float)
        dilation = wp.trace(step)
        # elastic predictor
        elastic = 2.0 * G_MOD * (step - dilation / 3.0 * identity) + K_MOD * dilation * identity
        if DAMAGE:
            trial = stress[p] / whole + elastic
        else:
            trial = stress[p] + elastic
        pressure = wp.trace(trial) / 3.0
        deviator = trial - pressure * identity
        if KINEMATIC:
            relative = deviator - back[p]
            q = wp.sqrt(1.5 * wp.ddot(relative, relative))
        else:
            q = wp.sqrt(1.5 * wp.ddot(deviator, deviator))
        alpha = history[p]
        if HARDENING == "no":
            strength = SIGMA0
        elif HARDENING == "linear":
            strength = SIGMA0 + SLOPE * alpha
        elif HARDENING == "Voce":
            strength = SATURATED - (SATURATED - SIGMA0) * wp.exp(-SPEED * alpha)
        else:
            strength = SIGMA0 * wp.pow(1.0 + alpha / STRAIN0, EXPONENT)
        if HEAT:
            homologous = wp.clamp((temperature[p] - ROOM) / (MELTING - ROOM), 0.0, 1.0)
            soft = 1.0 - homologous
            strength *= soft
        if CONE:
            excess = q + FRICTION * pressure - strength
        else:
            excess = q - strength
        if excess <= 0.0:
            if DAMAGE:
                stress[p] = whole * trial
            else:
                stress[p] = trial
            if STRAINS:
                plastic_strain[p] = wp.mat33(0.0)
            return
        stiffness = 3.0 * G_MOD
        if KINEMATIC:
            stiffness += PRAGER
        if CONE:
            stiffness += K_MOD * FRICTION * DILATANCY
        if RATE:
            stiffness += VISCOSITY / dt
        if HARDENING == "linear":
            if HEAT:
                stiffness += soft * SLOPE
            else:
                stiffness += SLOPE
        gamma = excess / stiffness
        if NEWTON:
            # the strength rises as the point yields, so Newton's method finds the amount
            first = excess + strength
            for _ in range(ITERATIONS):
                if HARDENING == "Voce":
                    rest = (SATURATED - SIGMA0) * wp.exp(-SPEED * (alpha + gamma))
                    strength = SATURATED - rest
                    slope = SPEED * rest
                else:
                    growth = 1.0 + (alpha + gamma) / STRAIN0
                    strength = SIGMA0 * wp.pow(growth, EXPONENT)
                    slope = EXPONENT * strength / (growth * STRAIN0)
                if HEAT:
                    strength *= soft
                    slope *= soft
                residual = first - stiffness * gamma - strength
                gamma += residual / (stiffness + slope)
        if KINEMATIC:
            flow = 1.5 / q * relative
            back[p] = back[p] + 2.0 / 3.0 * PRAGER * gamma * flow
            deviator -= 2.0 * G_MOD * gamma * flow
        elif CONE:
            flow = 1.5 / q * deviator
            opening = DILATANCY * gamma
            if 3.0 * G_MOD * gamma > q:
                # past the tip of the cone, the stress returns to the tip
                gamma = q / (3.0 * G_MOD)
                if RATE or HARDENING == "linear":
                    # yielding up to there has added to the strength
                    strength += (stiffness - 3.0 * G_MOD - K_MOD * FRICTION * DILATANCY) * gamma
                opening = (pressure - strength / FRICTION) / K_MOD
            deviator -= 2.0 * G_MOD * gamma * flow
            pressure -= K_MOD * opening
        else:
            flow = 1.5 / q * deviator
            deviator -= 2.0 * G_MOD * gamma * flow
        if DAMAGE:
            # the energy that a further crack would set free drives the damage
            release = wp.ddot(deviator, deviator) / (4.0 * G_MOD) + pressure * pressure / (2.0 * K_MOD)
            broken = wp.min(broken + gamma * release / RESISTANCE, 1.0)
            damage[p] = broken
            stress[p] = (1.0 - broken) * (deviator + pressure * identity)
        else:
            stress[p] = deviator + pressure * identity
        if HEAT or WORK:
            spent = gamma * wp.ddot(deviator, flow)
            if CONE:
                spent += pressure * opening
            if DAMAGE:
                # only what is still whole bears the stress
                spent *= 1.0 - broken
        if HEAT:
            # nine tenths of the plastic work become heat
            temperature[p] = temperature[p] + 0.9 * spent / HEAT_CAPACITY
        history[p] = alpha + gamma
        if STRAINS:
            if CONE:
                plastic_strain[p] = gamma * flow + opening / 3.0 * identity
            else:
                plastic_strain[p] = gamma * flow
        elif WORK:
            wp.atomic_add(work, 0, spent)


@idiom(
    level=3,
    differentiable=False,
    names={
        "e": "e tid k",
        "young": "young moduli youngs_modulus",
        "poisson": "poisson ratios poisson_ratios",
        "across": "across modulus_ratios young_ratios",
        "D": "D stiffness moduli_matrix",
        "strain": "strain strains epsilon",
        "stress": "stress stresses sigma",
        "scale": "scale factor lead",
        "kernel": "material_matrices elastic_moduli constitutive_law",
    },
)
def material_stiffness(c):
    """{GIVES} of each element in {STATE}{WEAKENED}{SHEARED}.

    {DO} of elements in {STATE}. Element e has Young's modulus Y = `{young}[e]`{WEAK} and Poisson's ratio n =
    `{poisson}[e]`. {ENTRIES} All other entries are zero.

    {STORE}
    """
    n = c.size(6, 10)
    STATE = c.meaning("plane stress", "plane strain", "axial symmetry", "orthotropic plane stress")
    WEAKENED = c.meaning("", ", weakened by damage", ", softened by heat")
    GIVES = c.meaning("The elasticity matrix", "The stress", "The elastic energy")
    SHEARED = "" if GIVES == "The elasticity matrix" else ", from strains with engineering shear last"
    RING, ORTHOTROPIC = STATE == "axial symmetry", STATE == "orthotropic plane stress"
    if SHEARED:
        c.names(
            {
                "kernel": "elastic_stresses stresses_by_hooke"
                if GIVES == "The stress"
                else "elastic_energies stored_energy"
            }
        )
    Strain = c.vec(4 if RING else 3)
    SOFTENING = c.constant(0.05, 0.3)
    DO = {
        "The elasticity matrix": "Set up the elasticity matrices",
        "The stress": "Compute the stresses",
        "The elastic energy": "Compute the elastic energies",
    }[GIVES]
    FACTOR = "(1 - `{damage}[e]`)" if "damage" in WEAKENED else "exp(-{SOFTENING}·`{heating}[e]`)"
    WEAK = ""
    if WEAKENED:
        WEAK = ", times {FACTOR},"
    ENTRIES = {
        "axial symmetry": "With s = Y / ((1 + n)·(1 - 2·n)), the matrix D for (radial, axial, around, "
        "shear) has s·(1 - n) at (0, 0), (1, 1) and (2, 2), s·n elsewhere in these rows and columns, and "
        "½·Y / (1 + n) at (3, 3).",
        "orthotropic plane stress": "With r = `{across}[e]`, the ratio of the second modulus to the first, "
        "and s = Y / (1 - n²·r), the matrix D for (x, y, shear) has s at (0, 0), s·r at (1, 1), s·n·r at "
        "(0, 1) and (1, 0), and `{shear_modulus}[e]`{ALSO} at (2, 2).",
        "plane stress": "With s = Y / (1 - n²), the matrix D for (x, y, shear) has s at (0, 0) and (1, 1), "
        "s·n at (0, 1) and (1, 0), and ½·s·(1 - n) at (2, 2).",
        "plane strain": "With s = Y / ((1 + n)·(1 - 2·n)), the matrix D for (x, y, shear) has s·(1 - n) at "
        "(0, 0) and (1, 1), s·n at (0, 1) and (1, 0), and s·(½ - n) at (2, 2).",
    }[STATE]
    ALSO = ", times the same factor," if WEAKENED else ""
    STORE = {
        "The elasticity matrix": "Store D in `{matrices}[e]`.",
        "The stress": "Store D·`{strains}[e]` in `{stresses}[e]`; strains have the engineering shear last.",
        "The elastic energy": "Store ½·`{volumes}[e]` times the dot product of the strain `{strains}[e]`, "
        "with the engineering shear last, and D·strain in `{energy}[e]`.",
    }[GIVES]

    @c.kernel(n)
    def kernel(
        young: wp.array[float] = input(n, low=1.0, high=4.0),
        across: wp.array[float] = input(n, low=0.5, high=0.9),
        poisson: wp.array[float] = input(n, low=0.1, high=0.4),
        shear_modulus: wp.array[float] = input(n, low=0.3, high=1.0),
        damage: wp.array[float] = input(n, low=0.0, high=0.8),
        heating: wp.array[float] = input(n, low=0.0, high=2.0),
        strains: wp.array[Strain] = input(n, low=-0.3, high=0.3),
        volumes: wp.array[float] = input(n, low=0.5, high=2.0),
        matrices: wp.array[wp.mat44 if RING else wp.mat33] = output(n),
        stresses: wp.array[Strain] = output(n),
        energy: wp.array[float] = output(n, of="energy"),
    ):
        e = wp.tid()
        nu = poisson[e]
        stiff = young[e]
        if WEAKENED == ", weakened by damage":
            kept = 1.0 - damage[e]
            stiff *= kept
        elif WEAKENED:
            kept = wp.exp(-SOFTENING * heating[e])
            stiff *= kept
        if RING:
            # radial, axial, around, and shear
            D = wp.mat44()
            scale = stiff / ((1.0 + nu) * (1.0 - 2.0 * nu))
            for r in range(3):
                for s in range(3):
                    D[r, s] = scale * nu
                D[r, r] = scale * (1.0 - nu)
            D[3, 3] = 0.5 * stiff / (1.0 + nu)
        else:
            D = wp.mat33()
            if ORTHOTROPIC:
                # the second Poisson's ratio follows from symmetry
                soft = stiff * across[e]
                scale = 1.0 / (1.0 - nu * nu * across[e])
                D[0, 0] = scale * stiff
                D[1, 1] = scale * soft
                D[0, 1] = scale * nu * soft
                D[1, 0] = D[0, 1]
                if WEAKENED:
                    D[2, 2] = kept * shear_modulus[e]
                else:
                    D[2, 2] = shear_modulus[e]
            elif STATE == "plane stress":
                scale = stiff / (1.0 - nu * nu)
                D[0, 0] = scale
                D[1, 1] = scale
                D[0, 1] = scale * nu
                D[1, 0] = scale * nu
                D[2, 2] = 0.5 * scale * (1.0 - nu)
            else:
                scale = stiff / ((1.0 + nu) * (1.0 - 2.0 * nu))
                D[0, 0] = scale * (1.0 - nu)
                D[1, 1] = scale * (1.0 - nu)
                D[0, 1] = scale * nu
                D[1, 0] = scale * nu
                D[2, 2] = scale * (0.5 - nu)
        if GIVES == "The elasticity matrix":
            matrices[e] = D
        elif GIVES == "The stress":
            stresses[e] = D * strains[e]
        else:
            energy[e] = 0.5 * volumes[e] * wp.dot(strains[e], D * strains[e])
