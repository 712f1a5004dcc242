"""Idioms: kernels with a purpose, a file or a few for each family, a folder for each subject.

A new family is a new file and its name here; a new purpose is a page in a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..pages.page import Page

SUBJECTS = {
    "bodies": "cloth rigid_bodies",
    "data": (
        "checksums distributions gathering graphs hashing histograms ranking searching sorting "
        "sparse_rows tables vertices"
    ),
    "fields": "advection diffusion electromagnetics relaxation waves",
    "geometry": "curves distance_fields polygons projection rays surfaces",
    "images": "colour filters shading",
    "lattices": "automata",
    "learning": "activations attention normalization",
    "mechanics": "elasticity shallow_water",
    "numerics": "dense_algebra quadrature random_walks root_finding",
    "particles": "constraints contact gravity integrators smoothed_particles springs",
    "signals": "signals",
    "training": "losses optimizers quantization",
}
# The other modules of families that one file, of the family's name, does not hold.
PARTS = {
    "activations": "activations_gates activations_units",
    "advection": "advection_fluxes advection_lines advection_noise",
    "attention": "attention_heads attention_positions attention_memories",
    "automata": "automata_physics",
    "cloth": "cloth_bending cloth_contact cloth_garments cloth_worn",
    "colour": "colour_layers colour_textures",
    "constraints": "constraints_shapes constraints_bending",
    "contact": "contact_grains contact_laws contact_walls",
    "curves": "curves_along curves_nearest",
    "dense_algebra": "dense_algebra_bases dense_algebra_systems dense_algebra_krylov",
    "diffusion": "diffusion_media",
    "distance_fields": "distance_fields_use distance_fields_levels",
    "elasticity": "elasticity_elements elasticity_plastic",
    "electromagnetics": "electromagnetics_charges electromagnetics_orbits",
    "filters": "filters_local",
    "gathering": "gathering_claims",
    "gravity": "gravity_orbits",
    "integrators": "integrators_motion",
    "losses": "losses_boxes losses_likelihoods losses_margins",
    "normalization": "normalization_groups normalization_statistics normalization_short",
    "optimizers": "optimizers_adaptive optimizers_averages optimizers_schedules",
    "polygons": "polygons_lines polygons_meet",
    "projection": "projection_images",
    "quadrature": "quadrature_accuracy quadrature_panels",
    "quantization": "quantization_codes quantization_curves quantization_rounding",
    "random_walks": "random_walks_estimates random_walks_processes",
    "rays": "rays_solids rays_scenes",
    "relaxation": "relaxation_grids relaxation_modes",
    "rigid_bodies": "rigid_bodies_contact rigid_bodies_joints rigid_bodies_tops",
    "root_finding": "root_finding_closed root_finding_systems",
    "shading": "shading_marches shading_surfaces",
    "shallow_water": "shallow_water_sources shallow_water_waves",
    "signals": "signals_dynamics signals_tracking signals_adapting",
    "smoothed_particles": "smoothed_particles_forces smoothed_particles_steps",
    "springs": "springs_nets",
    "surfaces": "surfaces_shape",
    "waves": "waves_media waves_cells",
}


class _Idioms(Mapping[str, "tuple[Page, ...]"]):
    """Families by name. Their pages are many, and who asks for names alone reads none of them."""

    def __init__(self, subjects: Mapping[str, str], parts: Mapping[str, str]) -> None:
        self._subjects = {name: subject for subject, names in subjects.items() for name in names.split()}
        self._parts = {family: tuple(names.split()) for family, names in parts.items()}

    def __getitem__(self, family: str) -> tuple[Page, ...]:
        from ..pages.page import pages_of

        subject = self._subjects[family]
        names = (family, *self._parts.get(family, ()))
        modules = (import_module(f".{subject}.{name}", __name__) for name in names)
        return tuple(page for module in modules for page in pages_of(module))

    def __contains__(self, family: object) -> bool:
        return family in self._subjects

    def __iter__(self) -> Iterator[str]:
        return iter(self._subjects)

    def __len__(self) -> int:
        return len(self._subjects)


IDIOMS: Mapping[str, tuple[Page, ...]] = _Idioms(SUBJECTS, PARTS)
