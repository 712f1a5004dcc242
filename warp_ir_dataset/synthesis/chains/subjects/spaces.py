"""Subjects whose chains begin with vectors: particles, winds, features, light."""

from __future__ import annotations

from .. import branches, lines, loops, starts
from ..subject import Subject, begins, gives, keeps, positive, signed

PARTICLES = Subject(
    element=("particle", "particle"),
    groups=(("clusters", "cluster"), ("species_ids", "species")),
    beginnings=(
        begins("distance", starts.distance, "positions", "partner_positions", "centre"),
        begins("speed", starts.length, "velocities", "v"),
        begins("specific_energy", starts.half_square, "velocities", "v"),
        begins("clearance", starts.distance, "positions", "obstacle_positions", "obstacle"),
        begins("normal_speed", starts.projection, "velocities", "surface_normals", "normal"),
    ),
    quantities={
        "distance": positive(
            "distances",
            gives("density", lines.bell, "smoothing_length"),
            keeps(branches.skipped, "active alive"),
            gives("stretch", lines.difference, "rest_lengths"),
            gives("strain", lines.relative_change, "rest_lengths", "rest"),
            gives("density", loops.nearness, "shells", "smoothing_length", "density"),
            gives("potential", loops.polynomial, "potential_coefficients", "potential"),
            gives("inertia", lines.squared),
            gives("scaled_distance", lines.ratio, "radii"),
        ),
        "clearance": positive(
            "clearances",
            keeps(branches.skipped, "active alive"),
            keeps(loops.row_minimum, "wall_distances"),
            keeps(lines.capped, "sensing_ranges"),
            gives("gap", lines.difference, "radii"),
        ),
        "gap": signed(
            "gaps", keeps(branches.dead_band, "contact_tolerance"), keeps(lines.clamped, "least", "most")
        ),
        "scaled_distance": positive(
            "scaled_distances",
            gives("share", lines.faded, "inner_edge", "outer_edge"),
            gives("share", lines.interpolated, "inner_values", "outer_values"),
            keeps(lines.clamped, "nearest", "farthest"),
        ),
        "share": positive("shares", keeps(lines.weighted, "masses")),
        "stretch": signed(
            "stretches",
            keeps(branches.dead_band, "slack"),
            keeps(lines.rectified),
            gives("force", lines.scaled, "stiffness"),
            gives("force", lines.weighted, "stiffnesses"),
            gives("spring_energy", lines.squared),
        ),
        "strain": signed(
            "strains",
            keeps(lines.clamped, "least", "most"),
            gives("force", loops.polynomial, "law", "force"),
            gives("damage", lines.logistic),
        ),
        "damage": positive("damage", keeps(loops.row_maximum, "past_damage")),
        "force": signed(
            "forces",
            keeps(lines.squashed, "strength"),
            keeps(branches.by_kind, "bond_types", "bond", "weak_factor", "strong_factor"),
            keeps(loops.row_sum, "contact_forces", "contact", "contact_weights"),
            keeps(lines.clamped, "most_pull", "most_push"),
        ),
        "potential": signed("potentials", keeps(lines.weighted, "charges"), keeps(lines.scaled, "strength")),
        "density": positive(
            "densities", keeps(lines.weighted, "masses"), keeps(lines.blended, "past_densities", "mix")
        ),
        "inertia": positive("inertia", keeps(lines.weighted, "masses")),
        "spring_energy": positive("spring_energies", keeps(lines.scaled, "half_stiffness")),
        "speed": positive(
            "speeds",
            keeps(branches.skipped, "active alive"),
            keeps(lines.capped, "speed_limits"),
            keeps(lines.difference, "drift_speeds"),
            keeps(loops.relaxed, "target_speeds", "target", "drag"),
            keeps(loops.moving_average, "past_speeds", "smoothing"),
            keeps(branches.dead_band, "rest_speed"),
            keeps(branches.knee, "drag_slope"),
            gives("drag_force", branches.brackets, "drag"),
            gives("drag_force", loops.polynomial, "drag_coefficients", "drag_force"),
            gives("courant", lines.ratio, "cell_sizes"),
            gives("rank", loops.share_below, "other_speeds"),
            gives("error", lines.absolute_error, "target_speeds"),
        ),
        "drag_force": signed("drag_forces", keeps(lines.weighted, "areas"), keeps(lines.squashed, "most")),
        "courant": positive(
            "courant_numbers", keeps(loops.row_maximum, "other_axes"), keeps(lines.scaled, "dt")
        ),
        "error": positive(
            "errors",
            gives("penalty", branches.brackets, "penalty_rate"),
            keeps(lines.weighted, "weights"),
        ),
        "penalty": positive("penalties", keeps(lines.scaled, "strength")),
        "specific_energy": positive(
            "specific_energies",
            keeps(branches.skipped, "active alive"),
            gives("energy", lines.weighted, "masses"),
            gives("energy", lines.scaled, "mass"),
        ),
        "energy": positive(
            "energies",
            keeps(loops.row_sum, "bond_energies", "bond_energy"),
            keeps(loops.moving_average, "past_energies", "smoothing"),
            keeps(lines.decayed, "times", "cooling_rate"),
            gives("excess", lines.difference, "mean_energies"),
        ),
        "excess": signed("excess", keeps(lines.rectified), keeps(lines.scaled, "coupling")),
        "rank": positive("ranks", keeps(branches.dead_band, "slow_share")),
        "normal_speed": signed(
            "normal_speeds",
            keeps(lines.scaled, "restitution"),
            keeps(branches.dead_band, "rest_speed"),
            keeps(lines.clamped, "slowest", "fastest"),
            gives("impact", lines.rectified),
            gives("momentum", lines.weighted, "masses"),
        ),
        "impact": positive("impacts", keeps(branches.knee, "softening"), keeps(lines.weighted, "masses")),
        "momentum": signed("momenta", keeps(loops.row_sum, "contact_impulses", "impulse")),
    },
)

WIND = Subject(
    element=("station", "cell"),
    groups=(("farms", "farm"), ("regions", "region")),
    beginnings=(
        begins("wind_speed", starts.length, "winds", "wind"),
        begins("tailwind", starts.projection, "winds", "headings", "heading"),
        begins("energy_per_mass", starts.half_square, "winds", "wind"),
    ),
    quantities={
        "wind_speed": positive(
            "wind_speeds",
            keeps(branches.skipped, "has_turbine"),
            keeps(lines.weighted, "height_factors"),
            keeps(lines.decayed, "forest_density", "sheltering"),
            keeps(loops.moving_average, "past_speeds", "smoothing"),
            keeps(loops.row_maximum, "gusts"),
            keeps(branches.dead_band, "cut_in_speed"),
            gives("power", loops.polynomial, "power_curve", "power"),
            gives("power", branches.brackets, "efficiency"),
            gives("change", lines.relative_change, "mean_speeds", "mean_speed"),
            gives("anomaly", loops.row_mean, "past_speeds"),
            gives("rank", loops.share_below, "past_speeds"),
            gives("squared_speed", lines.squared),
        ),
        "power": signed(
            "powers",
            keeps(lines.rectified),
            keeps(lines.weighted, "rotor_areas"),
            keeps(lines.squashed, "rating"),
            keeps(branches.by_kind, "turbine_types", "turbine", "small_factor", "large_factor"),
        ),
        "change": signed("changes", keeps(lines.clamped, "least", "most"), gives("alarm", lines.logistic)),
        "anomaly": signed(
            "anomalies", keeps(lines.soft_threshold, "noise_level"), gives("square", lines.squared)
        ),
        "rank": positive("ranks", keeps(lines.blended, "past_ranks", "memory")),
        "alarm": positive("alarms", keeps(branches.dead_band, "alarm_threshold")),
        "square": positive("squares", keeps(lines.weighted, "area_weights")),
        "tailwind": signed(
            "tailwinds",
            keeps(lines.scaled, "gust_factor"),
            keeps(lines.blended, "forecast", "trust"),
            keeps(lines.clamped, "head_limit", "tail_limit"),
            gives("squared_speed", lines.squared),
            gives("following_wind", lines.rectified),
            gives("delay", loops.polynomial, "delay_coefficients", "delay"),
        ),
        "delay": signed(
            "delays", keeps(lines.weighted, "route_lengths"), keeps(branches.knee, "slope_above")
        ),
        "following_wind": positive("following_winds", keeps(lines.lessened, "exposures")),
        "squared_speed": positive(
            "squared_speeds",
            gives("pressure", lines.scaled, "half_density"),
            gives("pressure", lines.weighted, "half_densities"),
        ),
        "energy_per_mass": positive(
            "energies_per_mass",
            gives("pressure", lines.scaled, "air_density"),
            gives("pressure", lines.weighted, "air_densities"),
        ),
        "pressure": positive(
            "pressures",
            keeps(loops.row_sum, "inner_pressures", "inner", "opening_shares"),
            keeps(branches.by_kind, "roof_types", "roof", "sheltered_factor", "exposed_factor"),
            gives("utilization", lines.ratio, "strengths"),
        ),
        "utilization": positive("utilizations", keeps(lines.clamped, "least", "most")),
    },
)

FEATURES = Subject(
    element=("item", "item"),
    groups=(("classes", "class_id"), ("clusters", "cluster")),
    beginnings=(
        begins("similarity", starts.projection, "embeddings", "queries", "direction"),
        begins("distance", starts.distance, "embeddings", "prototypes", "centroid"),
        begins("norm", starts.length, "embeddings", "vec"),
    ),
    quantities={
        "similarity": signed(
            "similarities",
            keeps(branches.skipped, "kept"),
            keeps(lines.scaled, "inverse_temperature", "bias"),
            keeps(lines.weighted, "item_weights"),
            keeps(loops.row_maximum, "other_similarities"),
            keeps(lines.soft_threshold, "noise_level"),
            keeps(branches.by_kind, "heads", "head", "damping", "boost"),
            keeps(lines.squashed, "soft_cap"),
            gives("score", lines.normalized, "mean_similarity", "similarity_std"),
            gives("probability", lines.logistic),
            gives("margin", lines.difference, "best_similarities"),
            gives("rank", loops.share_below, "other_similarities"),
            gives("centred", loops.row_mean, "other_similarities"),
        ),
        "score": signed(
            "scores", keeps(lines.clamped, "lowest", "highest"), gives("probability", lines.logistic)
        ),
        "centred": signed("centred", keeps(lines.scaled, "gain"), gives("probability", lines.logistic)),
        "margin": signed("margins", keeps(branches.dead_band, "tolerance"), gives("loss", lines.rectified)),
        "probability": positive(
            "probabilities",
            keeps(lines.blended, "prior", "smoothing"),
            gives("error", lines.absolute_error, "labels"),
        ),
        "error": positive(
            "errors", gives("loss", lines.squared), gives("loss", branches.brackets, "loss_weight")
        ),
        "loss": positive(
            "losses",
            keeps(lines.weighted, "sample_weights"),
            keeps(loops.row_sum, "auxiliary_losses", "auxiliary", "loss_weights"),
        ),
        "rank": positive("ranks", keeps(branches.dead_band, "top_share")),
        "distance": positive(
            "distances",
            gives("affinity", lines.bell, "bandwidth"),
            keeps(branches.skipped, "kept"),
            keeps(loops.row_minimum, "other_distances"),
            keeps(branches.knee, "slope_above"),
            keeps(lines.scaled, "inverse_radius"),
            gives("affinity", loops.nearness, "centres", "bandwidth", "affinity"),
            gives("square", lines.squared),
            gives("excess", lines.difference, "radii"),
        ),
        "excess": signed("excess", gives("loss", lines.rectified), keeps(branches.dead_band, "margin")),
        "affinity": positive(
            "affinities", keeps(lines.lessened, "confidences"), keeps(lines.ratio, "affinity_sums")
        ),
        "square": positive(
            "squares", keeps(lines.weighted, "precisions"), keeps(lines.capped, "outlier_limits")
        ),
        "norm": positive(
            "norms",
            keeps(loops.moving_average, "past_norms", "update_rate"),
            keeps(lines.raised, "least_norms"),
            gives("scale_error", lines.absolute_error, "target_norms"),
            gives("relative_norm", lines.ratio, "mean_norms"),
            gives("penalty", lines.squared),
        ),
        "scale_error": positive("scale_errors", gives("penalty", branches.brackets, "penalty_weight")),
        "relative_norm": positive("relative_norms", keeps(lines.clamped, "least", "most")),
        "penalty": positive("penalties", keeps(lines.scaled, "weight_decay")),
    },
    sizes=(2, 3, 4),
)

LIGHT = Subject(
    element=("vertex", "pixel"),
    groups=(("materials", "material"), ("objects", "object_id")),
    beginnings=(
        begins("cosine", starts.projection, "light_directions", "normals", "normal"),
        begins("light_distance", starts.distance, "points", "light_positions", "light_position"),
    ),
    quantities={
        "cosine": signed(
            "cosines",
            keeps(branches.skipped, "visible"),
            keeps(lines.scaled, "steepness", "wrap"),
            keeps(lines.blended, "baked_cosines", "bake"),
            gives("shade", lines.rectified),
            gives("shade", loops.polynomial, "ramp_coefficients", "shade"),
            gives("facing", lines.logistic),
        ),
        "facing": positive(
            "facing",
            gives("spot", lines.powered, "shininess"),
            gives("tint", lines.interpolated, "shadow_tints", "lit_tints"),
        ),
        "tint": positive("tints", keeps(lines.lessened, "albedo")),
        "shade": signed(
            "shades",
            keeps(lines.weighted, "light_intensities"),
            keeps(lines.scaled, "albedo", "ambient"),
            keeps(loops.row_sum, "other_lights", "light", "light_weights"),
            keeps(branches.by_kind, "materials", "material", "dull_factor", "glossy_factor"),
            keeps(lines.capped, "white_levels"),
            keeps(branches.knee, "shoulder"),
            gives("band", branches.brackets, "toon_level"),
            gives("square", lines.squared),
        ),
        "band": signed("bands", keeps(lines.lessened, "albedo")),
        "square": positive("highlights", keeps(lines.scaled, "gloss")),
        "light_distance": positive(
            "light_distances",
            keeps(branches.skipped, "visible"),
            keeps(loops.row_minimum, "light_ranges"),
            keeps(lines.capped, "fog_ends"),
            gives("reach", lines.ratio, "light_radii"),
            gives("spot", loops.nearness, "rings", "ring_width", "spot"),
            gives("square_distance", lines.squared),
        ),
        "reach": positive(
            "reaches",
            keeps(lines.clamped, "near", "far"),
            gives("brightness", lines.interpolated, "far_light", "near_light"),
        ),
        "brightness": positive("brightness", keeps(lines.lessened, "albedo")),
        "spot": positive("spots", keeps(lines.weighted, "light_intensities")),
        "square_distance": positive("square_distances", keeps(lines.raised, "least_squares")),
    },
)

SUBJECTS = (PARTICLES, WIND, FEATURES, LIGHT)
