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
    "fields": "diffusion",
    "geometry": "rays",
    "learning": "attention",
    "particles": "springs",
}

IDIOMS: Mapping[str, tuple[Page, ...]] = {
    family: pages_of(import_module(f".{subject}.{family}", __name__))
    for subject, families in SUBJECTS.items()
    for family in families.split()
}
