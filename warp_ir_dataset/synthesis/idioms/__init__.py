"""Idioms: kernels with a purpose, a file for each family, a folder for each subject.

A new family is a new file and its name here; a new purpose is a page in a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from ..pages.page import Page, pages_of

SUBJECTS = {
    "fields": "advection diffusion electromagnetics relaxation waves",
    "geometry": "curves distance_fields polygons projection rays surfaces",
    "images": "colour filters",
    "learning": "activations attention losses normalization optimizers quantization",
    "numerics": "quadrature random_walks root_finding",
    "particles": "constraints contact gravity integrators smoothed_particles springs",
}

IDIOMS: Mapping[str, tuple[Page, ...]] = {
    family: pages_of(import_module(f".{subject}.{family}", __name__))
    for subject, families in SUBJECTS.items()
    for family in families.split()
}
