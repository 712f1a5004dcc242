"""Pipelines: for each subject, the order in which people compute purposes one after another.

Two kernels do not make one that anybody would write just because a result of the first fits an argument of
the second: a rank is a number, and so is the key of a table. So only pairs in this order are composed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

# The stages of work in each subject, each a list of purposes. A kernel may come before kernels of later
# stages.
PIPELINES: tuple[tuple[str, ...], ...] = (
    # Particles: forces, external forces, a step, obstacles, statistics.
    (
        "nbody_acceleration barnes_hut_walk rotating_frame_acceleration pressure_acceleration sph_viscosity"
        " hanging_chain_force lorentz_force grain_forces ground_penalty coulomb_friction"
        " anchor_springs colour_field_tension cloth_self_collision",
        "outer_forces",
        "particle_step euler_step verlet_step langevin_step brownian_step runge_kutta_tracers magnetic_kick"
        " relax_spring_network adaptive_orbit apply_corrections fluid_step bounce_on_terrain",
        "push_out_of_shapes container_walls field_collision shape_contact domain_boundary wall_kinds",
        "energy_of_motion cell_of_particle cell_hash morton_code deposit_charge",
        "value_histogram",
    ),
    # Points: into a shape's frame, its distance or normal, and functions of these.
    (
        "points_in_frame",
        "blended_shapes distance_to_capsules tiled_shape flat_shape_distance solid_from_profile nearest_edge"
        " field_normals",
        "contact_response soft_occupancy light_on_normal",
    ),
    # Fields: a step, and pictures of them.
    (
        "apply_face_fluxes burgers_step limited_transport linear_transport_step maccormack_correction"
        " semi_lagrangian_advection upwind_advection explicit_heat_step plate_cooling reaction_diffusion_step"
        " redistance_step",
        "phase_of_cells false_colour",
    ),
    # Waves: a step, the sponge at the edges, colours.
    ("leapfrog_wave_step burgers_step linear_transport_step", "sponge_layer_damping", "false_colour"),
    ("rotating_gravity_waves rain_and_infiltration", "phase_of_cells false_colour"),
    ("stiff_string_step", "false_colour"),
    # Sweeps, under-relaxed.
    ("jacobi_poisson_sweep laplace_with_electrodes", "masked_relaxation", "false_colour"),
    # Pictures: rendered or cleaned, balanced, graded, made small.
    (
        "microfacet_shading volume_march sphere_traced_image",
        "bilateral_smoothing median_of_three edge_preserving_diffusion image_pyramid_level kernel_convolution"
        " depth_fog",
        "white_balance",
        "tone_mapping graded_picture",
        "blend_layers",
        "luma_of_pixels ordered_dither",
        "grey_bytes",
    ),
    # Layers: a product, its activation, dropout, few bits.
    (
        "int8_matmul response_normalization",
        "bias_and_activation smooth_rectifier gated_linear_unit learned_slopes bounded_activation"
        " maxout_units spline_activation",
        "dropout",
        "stored_in_bytes symmetric_quantization fake_quantization stochastic_rounding",
    ),
    # Training: the gradient of weights, a step, an average of the weights.
    (
        "straight_through_gradient fake_quantization",
        "adaptive_moment_step momentum_step resilient_step rmsprop_step sign_momentum_step gradient_update",
        "weight_average",
    ),
    # Losses of rows, weighted; scores of attention, capped.
    (
        "alignment_recursion classification_margin contrastive_loss cross_entropy_loss distillation_loss"
        " divergence_rows triplet_loss",
        "weighted_loss",
    ),
    ("attention_scores log_sum_exp", "capped_scores"),
    # Rays: bounced, and what they hit then.
    ("bounced_rays", "nearest_ball ray_box_slabs ray_quadric ray_triangle_hit"),
    # Codes: made, and looked up.
    (
        "checksum_of_rows counter_random morton_code",
        "bit_tricks",
        "hash_table_insert bloom_filter_probe",
    ),
    # Solids: stresses and forces in elements, and their damage.
    (
        "frame_end_forces reduced_quad_forces hyperelastic_tetrahedra equivalent_stress elastoplastic_update"
        " material_stiffness",
        "fatigue_damage marked_elements",
    ),
    # Energies, and how likely they are.
    ("spring_energy", "thermal_weight", "information_of_chance"),
    # Readings: a curve, corrections, smoothing, alarms.
    (
        "interpolation_in_table piecewise_curve uniform_table_lookup",
        "calibrated_reading",
        "windowed_reading trend_smoothing running_statistics",
        "alarm_with_hysteresis robust_weighting",
    ),
    # Readings as codes of few bits.
    ("calibrated_reading", "windowed_reading trend_smoothing", "codebook_assignment"),
)

# Quantities that make up the state of a simulation: a kernel stores them even if a later part consumes them,
# as the next step needs them.
STATE_QUANTITIES = ("position", "velocity", "field", "force", "acceleration")


@cache
def _stages() -> dict[str, tuple[tuple[int, int], ...]]:
    """By purpose, its stages: the number of a pipeline, and the place in it."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, pipeline in enumerate(PIPELINES):
        for place, purposes in enumerate(pipeline):
            for purpose in purposes.split():
                found.setdefault(purpose, []).append((number, place))
    return {purpose: tuple(places) for purpose, places in found.items()}


def purposes_named() -> Iterator[str]:
    """The purposes in pipelines."""
    yield from _stages()


def precedes(first: str, then: str) -> bool:
    """Whether a pipeline has one purpose at an earlier stage than another."""
    pairs = ((a, b) for a in _stages().get(first, ()) for b in _stages().get(then, ()))
    return any(mine == theirs and earlier < later for (mine, earlier), (theirs, later) in pairs)
