"""Step templates for elements of solids: fatigue, and marks for refinement of the mesh.

They occur only in kernels of several parts, and never as a row of their own.
"""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "i": "i e tid",
        "stress": "stress sigma peak_stress",
        "amplitude": "amplitude alternating stress_amplitude",
        "damage": "damage fatigue used_life",
        "added": "added spent increase",
        "total": "total after damage_now",
        "exponent": "exponent slope wohler",
        "kernel": "add_fatigue fatigue_step accumulate_damage",
    },
)
def fatigue_damage(c):
    """Adds the fatigue damage of load cycles of amplitude {stress} by {LAW}{MEAN}{COUNT}.

    Accumulate fatigue damage by the Palmgren-Miner rule, for {cycles} more load cycles of amplitude
    {stress}.{GOODMAN} By {LIFE}. Add that to {damage}, but store at most 1 there. {KEPT}
    """
    n = c.size(5, 14)
    LAW = c.meaning("Basquin's law", "Basquin's law above an endurance limit", "a bilinear law")
    MEAN = c.meaning("", ", corrected for mean stress by Goodman's line")
    COUNT = c.meaning("; failed elements are counted", "; the cycles that are left are stored")
    FATIGUE_STRENGTH, SLOPE, FLATTER = c.constant(7.0, 12.0), c.constant(2.0, 4.0), c.constant(5.0, 7.0)
    ULTIMATE, ENDURANCE = c.constant(8.0, 15.0), c.constant(0.5, 2.0)
    KNEE, KNEE_LIFE = c.constant(2.0, 4.0), c.constant(40.0, 90.0)
    GOODMAN = ""
    if MEAN:
        GOODMAN = (
            " Divide the amplitude by 1 - {mean_stress} / {ULTIMATE} to correct for mean stress by"
            " Goodman's line."
        )
    LIFE = {
        "Basquin's law": (
            "Basquin's law they do the damage {cycles} times (amplitude / {FATIGUE_STRENGTH}) to the"
            " power {SLOPE}"
        ),
        "Basquin's law above an endurance limit": (
            "Basquin's law they do the damage {cycles} times (amplitude / {FATIGUE_STRENGTH}) to the"
            " power {SLOPE}, or none if the amplitude is not above the endurance limit {ENDURANCE}"
        ),
        "a bilinear law": (
            "a bilinear law they do the damage {cycles} / {KNEE_LIFE} times (amplitude / {KNEE}) to the"
            " power {FLATTER} if the amplitude is below the knee {KNEE}, otherwise to the power {SLOPE}"
        ),
    }[LAW]
    KEPT = "{failed}, zero at the start, gets the number of elements whose sum is 1 or more."
    if COUNT == "; the cycles that are left are stored":
        KEPT = (
            "Store in {remaining} the cycles that are left: {cycles} times (1 - sum), at least 0, over"
            " (the damage just added + 0.001)."
        )

    @c.kernel(n)
    def kernel(
        stress: wp.array[float] = input(n, low=0.0, high=8.0, of="stress"),
        mean_stress: wp.array[float] = input(n, low=0.0, high=5.0),
        cycles: float = input(low=2.0, high=12.0),
        damage: wp.array[float] = inout(n, low=0.0, high=0.95),
        failed: wp.array[int] = output(1),
        remaining: wp.array[float] = output(n),
    ):
        i = wp.tid()
        amplitude = stress[i]
        if MEAN:
            # what is in tension already bears less on top of it
            amplitude /= 1.0 - mean_stress[i] / ULTIMATE
        if LAW == "Basquin's law above an endurance limit":
            added = float(0.0)
            if amplitude > ENDURANCE:
                added = cycles * wp.pow(amplitude / FATIGUE_STRENGTH, SLOPE)
        elif LAW == "a bilinear law":
            # below the knee the life is longer than the steep line would tell
            exponent = SLOPE
            if amplitude < KNEE:
                exponent = FLATTER
            added = cycles / KNEE_LIFE * wp.pow(amplitude / KNEE, exponent)
        else:
            added = cycles * wp.pow(amplitude / FATIGUE_STRENGTH, SLOPE)
        total = damage[i] + added
        if COUNT == "; failed elements are counted":
            if total >= 1.0:
                wp.atomic_add(failed, 0, 1)
        else:
            remaining[i] = cycles * wp.max(1.0 - total, 0.0) / (added + 0.001)
        damage[i] = wp.min(total, 1.0)


@idiom(
    level=3,
    names={
        "i": "i e tid",
        "energy": "energy energies stored",
        "density": "density intensity indicator",
        "marks": "marks flags refine",
        "kernel": "mark_elements flag_for_refinement choose_elements",
    },
)
def marked_elements(c):
    """Marks elements to be {HOW}, by the density of {energy} against {AGAINST}{COUNT}.

    Mark elements for mesh refinement by their energy density, {energy} / {sizes}. An element is refined, 1 in
    {marks}, if that is above the bound {BOUND}.{COARSER} All others get 0.{NOTED}
    """
    n = c.size(5, 14)
    HOW = c.meaning("refined", "refined or coarsened")
    AGAINST = c.meaning("a share of the largest", "a multiple of the mean")
    COUNT = c.meaning(", and counts those to be refined", ", and stores the density")
    SHARE, FACTOR, LITTLE = c.constant(0.2, 0.6), c.constant(1.1, 1.6), c.constant(0.1, 0.4)
    BOUND = "{FACTOR} times {mean}"
    if AGAINST == "a share of the largest":
        BOUND = "{SHARE} times {largest}"
    COARSER = ""
    if HOW == "refined or coarsened":
        COARSER = " It is coarsened, -1, if that is below {LITTLE} times the bound."
    NOTED = " Store the density in {densities}."
    if COUNT == ", and counts those to be refined":
        NOTED = " {refined}, zero at the start, gets the number of elements to be refined."

    @c.kernel(n)
    def kernel(
        energy: wp.array[float] = input(n, low=0.0, high=5.0, of="energy"),
        sizes: wp.array[float] = input(n, low=0.5, high=2.0),
        largest: float = input(low=4.0, high=10.0),
        mean: float = input(low=1.0, high=3.0),
        marks: wp.array[int] = output(n),
        refined: wp.array[int] = output(1),
        densities: wp.array[float] = output(n),
    ):
        i = wp.tid()
        density = energy[i] / sizes[i]
        bound = SHARE * largest if AGAINST == "a share of the largest" else FACTOR * mean
        mark = int(0)
        if density > bound:
            mark = 1
            if COUNT == ", and counts those to be refined":
                wp.atomic_add(refined, 0, 1)
        elif HOW == "refined or coarsened":
            if density < LITTLE * bound:
                mark = -1
        marks[i] = mark
        if COUNT == ", and stores the density":
            densities[i] = density
