"""Subjects about weather, soils, terrain, waters and living things."""

from __future__ import annotations

from .. import branches, lines, loops, starts
from ..subject import Subject, begins, gives, keeps, positive, signed

TEMPERATURE = Subject(
    element=("station", "cell"),
    groups=(("regions", "region"), ("zones", "zone")),
    beginnings=(
        begins("temperature", starts.element, "temperatures air_temperatures"),
        begins("temperature", starts.smoothed, "temperatures surface_temperatures"),
        begins("temperature", starts.gathered, "temperatures", "nearest_station station_ids", "station"),
        begins("temperature", starts.window, "temperatures", "smoothing_weights"),
        begins("gradient", starts.central_difference, "temperatures"),
    ),
    quantities={
        "temperature": signed(
            "temperatures",
            keeps(branches.skipped, "valid has_data"),
            keeps(branches.selected, "valid has_data", "climatology"),
            keeps(lines.blended, "forecast background", "trust alpha"),
            keeps(lines.advanced, "heating_rates tendencies", "dt"),
            keeps(lines.midpoint, "other_sensor"),
            keeps(loops.relaxed, "equilibrium", "target", "cooling_rate"),
            keeps(loops.moving_average, "past_temperatures", "smoothing"),
            gives("anomaly", lines.difference, "climatology normals"),
            gives("anomaly", loops.row_mean, "ensemble past_years"),
            gives("rank", loops.share_below, "past_years record"),
        ),
        "anomaly": signed(
            "anomalies",
            keeps(lines.weighted, "area_weights"),
            keeps(branches.dead_band, "tolerance"),
            keeps(lines.clamped, "coldest", "warmest"),
            gives("score", lines.normalized, "mean_anomaly", "deviation"),
            gives("score", loops.row_norm, "past_anomalies", "past"),
            gives("warming", lines.rectified),
            gives("square", lines.squared),
            gives("response", loops.polynomial, "response_coefficients", "response"),
        ),
        "score": signed(
            "z_scores",
            keeps(lines.clamped, "lowest", "highest"),
            keeps(lines.soft_threshold, "noise_threshold"),
            gives("probability", lines.logistic),
        ),
        "gradient": signed(
            "gradients",
            keeps(lines.scaled, "inverse_spacing"),
            keeps(lines.clamped, "steepest_fall", "steepest_rise"),
            keeps(branches.dead_band, "noise_level"),
            gives("flux", lines.downhill, "conductivity"),
            gives("square", lines.squared),
        ),
        "flux": signed(
            "fluxes",
            keeps(branches.by_kind, "soil_types", "soil", "insulation", "enhancement"),
            keeps(loops.row_sum, "layer_fluxes", "layer_flux", "layer_weights"),
            keeps(lines.blended, "previous_fluxes", "mix"),
        ),
        "warming": positive(
            "warming",
            keeps(branches.knee, "slope_above"),
            keeps(lines.capped, "warming_limits"),
            gives("melt", branches.brackets, "melt_rate"),
            gives("melt", lines.scaled, "degree_day_factor"),
        ),
        "melt": positive(
            "melt",
            keeps(lines.capped, "snow_depths"),
            keeps(branches.by_kind, "surface_types", "surface", "shade", "exposure"),
            keeps(lines.decayed, "canopy_density", "shading"),
        ),
        "response": signed(
            "responses",
            keeps(lines.clamped, "least", "most"),
            keeps(branches.by_kind, "seasons", "season", "winter_factor", "summer_factor"),
        ),
        "rank": positive("ranks", keeps(branches.dead_band, "rare_share")),
        "probability": positive("probabilities", keeps(lines.blended, "prior", "prior_weight")),
        "square": positive("squares", keeps(lines.weighted, "area_weights")),
    },
)

MOISTURE = Subject(
    element=("plot", "cell"),
    groups=(("basins", "basin"), ("fields", "field")),
    beginnings=(
        begins("moisture", starts.element, "moisture soil_moisture"),
        begins("moisture", starts.smoothed, "moisture"),
        begins("moisture", starts.window, "moisture", "kernel_weights"),
        begins("rain", starts.element, "rainfall rain"),
        begins("rain", starts.gathered, "gauge_rain", "nearest_gauge", "gauge"),
    ),
    quantities={
        "rain": positive(
            "rain",
            keeps(branches.skipped, "wet_cells"),
            keeps(loops.row_sum, "hourly_rain", "hour"),
            keeps(loops.row_maximum, "gauge_rain"),
            keeps(lines.lessened, "catch_factors"),
            keeps(branches.selected, "gauge_works", "radar_rain"),
            gives("runoff", branches.brackets, "runoff_share"),
            gives("runoff", lines.scaled, "runoff_coefficient"),
            gives("excess", lines.difference, "infiltration"),
        ),
        "excess": signed(
            "excess",
            keeps(lines.advanced, "inflow", "dt"),
            keeps(branches.by_kind, "soil_types", "soil", "sand_factor", "clay_factor"),
            gives("runoff", lines.rectified),
        ),
        "runoff": positive(
            "runoff",
            keeps(lines.capped, "channel_capacities"),
            keeps(branches.knee, "overflow_slope"),
            keeps(lines.decayed, "distances_to_river", "loss_rate"),
            keeps(loops.row_sum, "upstream_runoff", "upstream", "routing_weights"),
            keeps(branches.dead_band, "least_runoff"),
        ),
        "moisture": positive(
            "moisture",
            keeps(branches.skipped, "is_land"),
            keeps(lines.advanced, "net_rain", "dt"),
            keeps(lines.capped, "field_capacity"),
            keeps(lines.raised, "residual_moisture"),
            keeps(lines.decayed, "depths", "drying_rate"),
            keeps(loops.relaxed, "equilibrium", "target", "drainage_rate"),
            keeps(loops.moving_average, "past_moisture", "smoothing"),
            keeps(branches.by_kind, "crops", "crop", "dry_factor", "wet_factor"),
            gives("saturation", lines.ratio, "porosity"),
            gives("available_water", lines.difference, "wilting_points"),
            gives("anomaly", loops.row_mean, "past_years"),
            gives("rank", loops.share_below, "past_years"),
        ),
        "saturation": positive(
            "saturation",
            gives("conductivity", lines.powered, "pore_exponent"),
            keeps(lines.clamped, "driest", "wettest"),
            gives("conductivity", loops.polynomial, "retention_coefficients", "conductivity"),
            gives("conductivity", lines.interpolated, "dry_conductivity", "wet_conductivity"),
            gives("square", lines.squared),
        ),
        "conductivity": positive(
            "conductivity",
            keeps(lines.weighted, "soil_factors"),
            keeps(branches.by_kind, "soil_types", "soil", "clay_factor", "sand_factor"),
        ),
        "available_water": signed(
            "available_water",
            gives("uptake", lines.faded, "wilting_point", "field_limit"),
            keeps(branches.dead_band, "tolerance"),
            keeps(lines.clamped, "least", "most"),
            gives("uptake", lines.logistic),
        ),
        "uptake": positive("uptake", keeps(loops.moving_average, "past_uptake", "smoothing")),
        "anomaly": signed(
            "anomalies", keeps(lines.soft_threshold, "noise_level"), keeps(lines.scaled, "sensitivity")
        ),
        "rank": positive("ranks", keeps(branches.brackets, "severity")),
        "square": positive("squares", keeps(lines.weighted, "crop_weights")),
    },
)

TERRAIN = Subject(
    element=("point", "cell"),
    groups=(("catchments", "catchment"), ("tiles_of_map", "map_tile")),
    beginnings=(
        begins("elevation", starts.element, "elevations terrain"),
        begins("elevation", starts.smoothed, "elevations terrain"),
        begins("elevation", starts.window, "elevations", "kernel_weights"),
        begins("slope", starts.central_difference, "elevations terrain"),
        begins("curvature", starts.second_difference, "elevations terrain"),
    ),
    quantities={
        "elevation": signed(
            "elevations",
            keeps(branches.skipped, "is_land surveyed"),
            keeps(lines.blended, "coarse_elevations", "detail"),
            keeps(lines.midpoint, "second_survey"),
            keeps(lines.advanced, "uplift", "years"),
            keeps(loops.row_minimum, "breach_levels"),
            keeps(loops.relaxed, "base_levels", "base_level", "erosion_rate"),
            keeps(branches.selected, "surveyed", "fallback_elevations"),
            gives("depth", lines.difference, "sea_floor bed_levels"),
            gives("relief", loops.row_mean, "profile"),
            gives("error", lines.absolute_error, "reference_elevations"),
        ),
        "depth": signed(
            "depths",
            keeps(lines.rectified),
            keeps(branches.knee, "overflow_slope"),
            keeps(branches.dead_band, "dry_depth"),
            gives("square", lines.squared),
        ),
        "slope": signed(
            "slopes",
            keeps(lines.scaled, "inverse_spacing"),
            keeps(lines.squashed, "steepest"),
            keeps(lines.clamped, "steepest_fall", "steepest_rise"),
            gives("steepness", lines.magnitude, "cross_slopes", "across"),
            gives("square", lines.squared),
            gives("transport", lines.weighted, "erodibility"),
        ),
        "steepness": positive(
            "steepness",
            gives("erosion", lines.powered, "slope_exponent"),
            keeps(lines.capped, "repose_slopes"),
            keeps(branches.by_kind, "rock_types", "rock", "hard_factor", "soft_factor"),
            gives("erosion", branches.brackets, "erosion_rate"),
            gives("erosion", loops.polynomial, "erosion_coefficients", "erosion"),
        ),
        "erosion": positive(
            "erosion", keeps(lines.weighted, "rainfall"), keeps(lines.decayed, "vegetation", "protection")
        ),
        "transport": signed(
            "transport",
            keeps(loops.row_sum, "tributaries", "tributary", "shares"),
            keeps(branches.by_kind, "rock_types", "rock", "hard_factor", "soft_factor"),
            keeps(lines.soft_threshold, "critical_stress"),
        ),
        "curvature": signed(
            "curvatures",
            keeps(lines.scaled, "diffusivity"),
            keeps(lines.soft_threshold, "noise_level"),
            keeps(branches.dead_band, "flatness"),
            gives("square", lines.squared),
        ),
        "relief": signed("relief", keeps(lines.scaled, "exaggeration"), keeps(lines.clamped, "low", "high")),
        "error": positive(
            "errors", gives("penalty", branches.brackets, "penalty_rate"), gives("square", lines.squared)
        ),
        "penalty": positive("penalties", keeps(lines.weighted, "areas")),
        "square": positive("squares", keeps(lines.weighted, "areas")),
    },
)

POPULATION = Subject(
    element=("patch", "patch"),
    groups=(("habitats", "habitat"), ("islands", "island")),
    beginnings=(
        begins("population", starts.element, "populations population"),
        begins("population", starts.smoothed, "populations"),
        begins("population", starts.gathered, "populations", "source_patches", "source"),
    ),
    quantities={
        "population": positive(
            "populations",
            keeps(branches.skipped, "habitable occupied"),
            keeps(lines.advanced, "migrants net_births", "dt"),
            keeps(lines.decayed, "ages", "mortality"),
            keeps(lines.capped, "capacities"),
            keeps(lines.raised, "refuge_sizes"),
            keeps(lines.midpoint, "neighbour_populations"),
            keeps(lines.lessened, "survival"),
            keeps(loops.row_sum, "immigrants", "arrivals", "survival_shares"),
            keeps(loops.relaxed, "capacities", "capacity", "growth_rate"),
            keeps(branches.by_kind, "species", "kind", "decline", "growth"),
            gives("density", lines.ratio, "areas"),
            gives("change", lines.relative_change, "last_year", "before"),
            gives("growth", loops.polynomial, "growth_coefficients", "growth"),
        ),
        "density": positive(
            "densities",
            keeps(branches.knee, "crowding"),
            keeps(loops.moving_average, "past_densities", "smoothing"),
            gives("competition", loops.nearness, "niches", "niche_width", "competition"),
            gives("contact_rate", lines.squared),
            gives("harvest", branches.brackets, "effort"),
        ),
        "change": signed(
            "changes",
            keeps(branches.dead_band, "tolerance"),
            keeps(lines.clamped, "worst", "best"),
            gives("risk", lines.logistic),
            gives("score", lines.normalized, "mean_change", "spread"),
        ),
        "growth": signed("growth", keeps(lines.squashed, "most"), keeps(lines.scaled, "rain_factor")),
        "competition": positive("competition", keeps(lines.scaled, "strength")),
        "contact_rate": positive("contact_rates", keeps(lines.scaled, "encounter_rate")),
        "harvest": positive("harvests", keeps(lines.capped, "quotas")),
        "risk": positive("risks", keeps(lines.blended, "prior", "prior_weight")),
        "score": signed("scores", keeps(lines.rectified), gives("risk", lines.logistic)),
    },
)

SUBJECTS = (TEMPERATURE, MOISTURE, TERRAIN, POPULATION)
