"""What begins with matrices: tensors of bodies, and how well things are known."""

from __future__ import annotations

from .. import branches, lines, loops, starts
from ..subject import Quantity, Step, Subject, begins, gives, keeps, positive, signed


def _invariants(
    word: str, arrays: str, limits: str, kinds: tuple[str, ...], *more: Step, weights: str = "volumes"
) -> Quantity:
    """What may be done with an invariant of a matrix."""
    return signed(
        arrays,
        keeps(branches.skipped, "active"),
        keeps(lines.scaled, "scale"),
        keeps(lines.weighted, weights),
        keeps(lines.squashed, "most"),
        keeps(lines.clamped, "least", "most"),
        keeps(branches.dead_band, "tolerance"),
        keeps(loops.moving_average, f"past_{arrays}", "smoothing"),
        keeps(loops.row_sum, f"other_{arrays}", f"other_{word}", "shares"),
        keeps(branches.by_kind, *kinds),
        gives("change", lines.relative_change, f"initial_{arrays}", f"initial_{word}"),
        gives("deviation", loops.row_mean, f"neighbour_{arrays}"),
        gives("error", lines.absolute_error, f"measured_{arrays}"),
        gives("excess", lines.difference, limits),
        *more,
    )


def _of_invariants(weights: str) -> dict[str, Quantity]:
    """What comes of them."""
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
            keeps(branches.brackets, "penalty"),
            keeps(branches.knee, "slope_above"),
            gives("square", lines.squared),
        ),
        "excess": signed("excess", gives("penalty", lines.rectified), keeps(branches.dead_band, "tolerance")),
        "penalty": positive(
            "penalties", keeps(lines.scaled, "penalty_weight"), keeps(branches.brackets, "penalty_rate")
        ),
        "square": positive("squares", keeps(lines.weighted, weights)),
    }


_MATERIALS = ("materials", "material", "soft_factor", "stiff_factor")
_SENSORS = ("sensor_types", "sensor_type", "coarse_factor", "fine_factor")

TENSORS = Subject(
    ("element", "element"),
    (("bodies", "body"), ("parts", "part")),
    (
        begins("dilation", starts.trace, "strains strain_tensors", "strain"),
        begins("volume_ratio", starts.determinant, "deformations", "F"),
        begins("energy", starts.half_form, "stiffness_matrices", "K", "displacements", "u"),
        begins("energy", starts.half_form, "inertia_tensors", "I_body", "angular_velocities", "omega"),
    ),
    {
        "dilation": _invariants(
            "dilation",
            "dilations",
            "thermal_dilations",
            _MATERIALS,
            gives("pressure", lines.weighted, "bulk_moduli"),
        ),
        "pressure": signed(
            "pressures",
            keeps(lines.squashed, "crush_pressure"),
            keeps(branches.knee, "softening"),
            keeps(loops.row_maximum, "past_pressures"),
            keeps(lines.blended, "past_pressures", "damping"),
        ),
        "volume_ratio": _invariants(
            "ratio",
            "volume_ratios",
            "crush_ratios",
            _MATERIALS,
            gives("volume", lines.weighted, "rest_volumes"),
        ),
        "volume": signed(
            "volumes",
            keeps(lines.rectified),
            keeps(loops.row_sum, "cut_volumes", "cut_volume", "fill_shares"),
            gives("mass", lines.scaled, "density"),
        ),
        "mass": signed("masses", keeps(lines.advanced, "inflow", "dt"), keeps(lines.raised, "least_masses")),
        "energy": _invariants(
            "energy",
            "energies",
            "energy_limits",
            _MATERIALS,
            gives("failure", lines.ratio, "fracture_energies"),
        ),
        "failure": signed("failures", keeps(lines.clamped, "least", "most"), gives("risk", lines.logistic)),
        "risk": positive("risks", keeps(lines.weighted, "consequences")),
        **_of_invariants("volumes"),
    },
)

ESTIMATES = Subject(
    ("track", "track"),
    (("sensors", "sensor"), ("filters", "filter_id")),
    (
        begins("misfit", starts.quadratic_form, "precisions information", "P", "residuals innovations", "r"),
        begins("total_variance", starts.trace, "covariances", "C"),
        begins("spread", starts.determinant, "covariances", "C"),
    ),
    {
        "misfit": _invariants(
            "misfit",
            "misfits",
            "gate_sizes",
            _SENSORS,
            gives("rejection", lines.logistic),
            weights="track_weights",
        ),
        "rejection": positive(
            "rejections",
            keeps(lines.blended, "past_rejections", "memory"),
            keeps(branches.dead_band, "cutoff"),
        ),
        "total_variance": _invariants(
            "variance",
            "variances",
            "variance_limits",
            _SENSORS,
            gives("ratio", lines.ratio, "prior_variances"),
            weights="inflation",
        ),
        "spread": _invariants(
            "spread",
            "spreads",
            "spread_limits",
            _SENSORS,
            gives("ratio", lines.ratio, "prior_spreads"),
            weights="confidences",
        ),
        "ratio": signed(
            "ratios", keeps(lines.clamped, "least", "most"), keeps(lines.advanced, "growth", "dt")
        ),
        **_of_invariants("confidences"),
    },
    sizes=(2, 3, 4),
)

SUBJECTS = (TENSORS, ESTIMATES)
