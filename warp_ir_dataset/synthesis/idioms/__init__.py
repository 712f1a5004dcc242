"""Idioms: kernels with a purpose, a file for each family, a folder for each subject.

A new family is a new file and its name here; a new purpose is a page in a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from ..pages.page import Page, pages_of

SUBJECTS = {
    "data": (
        "checksums distributions gathering graphs hashing histograms ranking searching sorting "
        "sparse_rows tables vertices"
    ),
    "fields": "advection diffusion electromagnetics relaxation waves",
    "geometry": "curves distance_fields polygons projection rays surfaces",
    "images": "colour filters",
    "learning": "activations attention normalization",
    "numerics": "quadrature random_walks root_finding",
    "particles": "constraints contact gravity integrators smoothed_particles springs",
    "training": "losses optimizers quantization",
}

IDIOMS: Mapping[str, tuple[Page, ...]] = {
    family: pages_of(import_module(f".{subject}.{family}", __name__))
    for subject, families in SUBJECTS.items()
    for family in families.split()
}
