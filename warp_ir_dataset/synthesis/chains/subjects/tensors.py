"""Subjects whose chains begin with matrices: tensors of bodies, and covariances."""

from __future__ import annotations

from collections.abc import Callable

from ....language.domains import Trait
from .. import branches, lines, loops, starts
from ..subject import Quantity, Subject, Transition, begins, gives, keeps, positive, signed

DEFINITE: Trait = "positive definite"


def _invariant(
    sign: Callable[..., Quantity], word: str, arrays: str, limits: str, *more: Transition
) -> Quantity:
    """The quantity of an invariant of a matrix, and the transitions from it.

    Args:
        sign: `positive` or `signed`.
        word: The name of one value of it.
        arrays: The name of arrays of it.
        limits: The name of an array that holds a limit of each value.
        *more: Other transitions from it.
    """
    return sign(
        arrays,
        keeps(branches.skipped, "active"),
        keeps(lines.clamped, "least", "most"),
        keeps(branches.dead_band, "tolerance"),
        keeps(loops.moving_average, f"past_{arrays}", "smoothing"),
        gives("change", lines.relative_change, f"initial_{arrays}", f"initial_{word}"),
        gives("deviation", loops.row_mean, f"neighbour_{arrays}"),
        gives("error", lines.absolute_error, f"expected_{arrays}"),
        gives("excess", lines.difference, limits),
        *more,
    )


def _after_invariants(weights: str) -> dict[str, Quantity]:
    """The quantities to which invariants lead; `weights` are the arrays that weigh them."""
    return {
        "change": signed(
            "changes",
            keeps(branches.dead_band, "tolerance"),
            keeps(lines.clamped, "least", "most"),
            gives("square", lines.squared),
            gives("response", loops.polynomial, "response_coefficients", "response"),
        ),
        "response": signed("responses", keeps(lines.squashed, "most"), keeps(lines.weighted, weights)),
        "deviation": signed(
            "deviations", keeps(lines.soft_threshold, "noise_level"), gives("square", lines.squared)
        ),
        "error": positive(
            "errors",
            gives("penalty", branches.brackets, "penalty_rate"),
            keeps(branches.knee, "slope_above"),
            gives("square", lines.squared),
        ),
        "excess": signed("excess", gives("penalty", lines.rectified), keeps(branches.dead_band, "tolerance")),
        "penalty": positive(
            "penalties", keeps(lines.scaled, "penalty_weight"), keeps(lines.weighted, weights)
        ),
        "square": positive("squares", keeps(lines.weighted, weights)),
    }


_SPINNING = ("inertia_tensors", "I_body", "angular_velocities", "omega")
_RESIDUALS = ("precisions information", "P", "residuals innovations", "r")
_MATERIALS = ("materials", "material", "soft_factor", "stiff_factor")
_SENSORS = ("sensor_types", "sensor_type", "coarse_factor", "fine_factor")

TENSORS = Subject(
    element=("element", "element"),
    groups=(("bodies", "body"), ("parts", "part")),
    beginnings=(
        begins("dilation", starts.trace, "strains strain_tensors", "strain", trait="symmetric"),
        begins("volume_ratio", starts.determinant, "deformations", "F"),
        begins("energy", starts.half_form, "stiffness_matrices", "K", "displacements", "u", trait=DEFINITE),
        begins("energy", starts.half_form, *_SPINNING, trait=DEFINITE),
    ),
    quantities={
        "dilation": _invariant(
            signed,
            "dilation",
            "dilations",
            "thermal_dilations",
            gives("pressure", lines.downhill, "bulk_moduli"),
        ),
        "pressure": signed(
            "pressures",
            keeps(lines.squashed, "crush_pressure"),
            keeps(branches.by_kind, *_MATERIALS),
            keeps(branches.knee, "softening"),
            keeps(loops.row_maximum, "past_pressures"),
            keeps(lines.blended, "past_pressures", "damping"),
        ),
        "volume_ratio": _invariant(
            signed,
            "ratio",
            "volume_ratios",
            "crush_ratios",
            gives("volume", lines.weighted, "rest_volumes"),
        ),
        "volume": signed(
            "volumes",
            keeps(lines.rectified),
            keeps(loops.row_sum, "cut_volumes", "cut_volume", "fill_shares"),
            gives("mass", lines.scaled, "density"),
        ),
        "mass": signed("masses", keeps(lines.advanced, "inflow", "dt"), keeps(lines.raised, "least_masses")),
        "energy": _invariant(
            positive,
            "energy",
            "energies",
            "energy_limits",
            keeps(loops.row_sum, "other_energies", "other_energy", "shares"),
            gives("failure", lines.ratio, "fracture_energies"),
        ),
        "failure": positive("failures", keeps(lines.clamped, "least", "most"), gives("risk", lines.logistic)),
        "risk": positive("risks", keeps(lines.weighted, "consequences")),
        **_after_invariants("volumes"),
    },
)

ESTIMATES = Subject(
    element=("track", "track"),
    groups=(("sensors", "sensor"), ("filters", "filter_id")),
    beginnings=(
        begins("misfit", starts.quadratic_form, *_RESIDUALS, trait=DEFINITE),
        begins("total_variance", starts.trace, "covariances", "C", trait=DEFINITE),
        begins("spread", starts.determinant, "covariances", "C", trait=DEFINITE),
    ),
    quantities={
        "misfit": _invariant(
            positive,
            "misfit",
            "misfits",
            "gate_sizes",
            keeps(loops.row_sum, "other_misfits", "other_misfit", "shares"),
            keeps(branches.by_kind, *_SENSORS),
            gives("rejection", lines.logistic),
        ),
        "rejection": positive(
            "rejections",
            keeps(lines.blended, "past_rejections", "memory"),
            keeps(branches.dead_band, "cutoff"),
        ),
        "total_variance": _invariant(
            positive,
            "variance",
            "variances",
            "variance_limits",
            keeps(loops.row_sum, "noise_variances", "noise_variance", "shares"),
            keeps(lines.weighted, "inflation"),
            gives("ratio", lines.ratio, "prior_variances"),
        ),
        "spread": _invariant(
            positive,
            "spread",
            "spreads",
            "spread_limits",
            gives("ratio", lines.ratio, "prior_spreads"),
        ),
        "ratio": signed(
            "ratios", keeps(lines.clamped, "least", "most"), keeps(lines.advanced, "growth", "dt")
        ),
        **_after_invariants("confidences"),
    },
    sizes=(2, 3, 4),
)

SUBJECTS = (TENSORS, ESTIMATES)
