"""Idioms: kernels with a purpose, a file for each family, a folder for each subject.

A new family is a new file and its name here; a new purpose is a page in a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


class _Idioms(Mapping[str, tuple[Page, ...]]):
    """Families by name. Their pages are many, and who asks for names alone reads none of them."""

    def __init__(self, subjects: Mapping[str, str]) -> None:
        self._subjects = {name: subject for subject, names in subjects.items() for name in names.split()}

    def __getitem__(self, family: str) -> tuple[Page, ...]:
        return pages_of(import_module(f".{self._subjects[family]}.{family}", __name__))

    def __contains__(self, family: object) -> bool:
        return family in self._subjects

    def __iter__(self) -> Iterator[str]:
        return iter(self._subjects)

    def __len__(self) -> int:
        return len(self._subjects)


IDIOMS: Mapping[str, tuple[Page, ...]] = _Idioms(SUBJECTS)
