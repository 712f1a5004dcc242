"""Title, licence, description and citation of the data set, for `DatasetInfo` and for the cards.

There is no home page: the data set is not published anywhere yet.
"""

from __future__ import annotations

from .configs import CONFIGS
from .versions import DATASET_VERSION

TITLE = "Warp IR dataset"
LICENSE = "apache-2.0"


def description(config: str) -> str:
    """One sentence on the rows of a config."""
    known = CONFIGS[config]
    begin = "each row pairs a Python kernel of NVIDIA Warp with " if known.drawn else ""
    return f"{TITLE}, config {config}: {begin}{known.pairs}."


def citation(version: str = DATASET_VERSION, address: str = "") -> str:
    """BibTeX, with the address where the data set is published, if there is one."""
    fields = {
        "author": "{the warp\\_ir\\_dataset contributors}",
        "title": f"{TITLE}: Python GPU kernels paired with what real compilers make of them",
        "year": "2026",
        "version": version,
        "howpublished": address,
    }
    lines = [f"  {name} = {{{text}}}" for name, text in fields.items() if text]
    return "@misc{warp_ir_dataset,\n" + ",\n".join(lines) + "\n}"
