"""Steps for what elements of a solid bear: fatigue, and which of them want a finer mesh."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=3,
    names={
        "i": "i e tid",
        "stress": "stress sigma peak_stress",
        "amplitude": "amplitude stress_range alternating",
        "damage": "damage fatigue used_life",
        "added": "added spent cost",
        "total": "total after damage_now",
        "kernel": "add_fatigue fatigue_step accumulate_damage",
    },
)
def fatigue_damage(c):
    """Adds what load cycles of {stress} cost to the fatigue damage of each element, by {LAW}{MEAN}{COUNT}."""
    n = c.size(5, 14)
    LAW = c.meaning("Basquin’s law", "Basquin’s law above an endurance limit", "a bilinear law")
    MEAN = c.meaning("", ", corrected for mean stress by Goodman’s line")
    COUNT = c.meaning(", and counts those that fail", ", and gives the cycles that are left")
    STRENGTH, SLOPE, STEEP = c.constant(6.0, 12.0), c.constant(2.0, 4.0), c.constant(4.0, 6.0)
    ULTIMATE, ENDURANCE, KNEE = c.constant(8.0, 15.0), c.constant(0.5, 1.5), c.constant(1.0, 3.0)

    @c.kernel(n)
    def kernel(
        stress: wp.array[float] = given(n, low=0.0, high=8.0, of="stress"),
        mean_stress: wp.array[float] = given(n, low=0.0, high=5.0),
        cycles: float = given(low=2.0, high=30.0),
        damage: wp.array[float] = updated(n, low=0.0, high=0.95),
        failed: wp.array[int] = result(1),
        remaining: wp.array[float] = result(n),
    ):
        i = wp.tid()
        amplitude = stress[i]
        if MEAN:
            # a part in tension bears less on top of it
            amplitude /= 1.0 - mean_stress[i] / ULTIMATE
        if LAW == "Basquin’s law above an endurance limit":
            added = float(0.0)
            if amplitude > ENDURANCE:
                added = cycles * wp.pow(amplitude / STRENGTH, SLOPE)
        elif LAW == "a bilinear law":
            # few large cycles cost more than many small ones
            exponent = STEEP
            if amplitude < KNEE:
                exponent = SLOPE
            added = cycles * wp.pow(amplitude / STRENGTH, exponent)
        else:
            added = cycles * wp.pow(amplitude / STRENGTH, SLOPE)
        before = damage[i]
        total = before + added
        if COUNT == ", and counts those that fail":
            if before < 1.0 and total >= 1.0:
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
    """Marks each element to be {HOW} by the density of {energy}, against {AGAINST}{COUNT}."""
    n = c.size(5, 14)
    HOW = c.meaning("refined or left", "refined, coarsened or left")
    AGAINST = c.meaning("a share of the largest", "the mean")
    COUNT = c.meaning(", and counts how many are refined", ", and stores the density")
    SHARE, FACTOR, LITTLE = c.constant(0.3, 0.7), c.constant(1.1, 1.6), c.constant(0.1, 0.4)

    @c.kernel(n)
    def kernel(
        energy: wp.array[float] = given(n, low=0.0, high=5.0, of="energy"),
        sizes: wp.array[float] = given(n, low=0.5, high=2.0),
        largest: float = given(low=1.0, high=3.0),
        mean: float = given(low=0.5, high=2.0),
        marks: wp.array[int] = result(n),
        refined: wp.array[int] = result(1),
        densities: wp.array[float] = result(n),
    ):
        i = wp.tid()
        density = energy[i] / sizes[i]
        bound = SHARE * largest if AGAINST == "a share of the largest" else FACTOR * mean
        mark = int(0)
        if density > bound:
            mark = 1
            if COUNT == ", and counts how many are refined":
                wp.atomic_add(refined, 0, 1)
        elif HOW == "refined, coarsened or left":
            if density < LITTLE * bound:
                mark = -1
        marks[i] = mark
        if COUNT == ", and stores the density":
            densities[i] = density
