"""Exports rows in plain CUDA as programs: a file each, a Makefile that builds and runs all, and a README.

OUT/<config>/<split>/00000-<id>.cu     prelude, completion and `main`: prints PASS or FAIL
OUT/Makefile  OUT/README.md            `make` takes nvcc and a GPU, `make cpu` any C++ compiler
OUT/cuda_on_cpu.h                      what the latter includes
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..common.configs import CONFIGS
from ..common.errors import UserError
from ..common.outcomes import Row
from ..language.cuda import shim
from .markdown import source

PROGRAMS = "cuda"  # the format of an export
MAKEFILE, README = "Makefile", "README.md"


def chosen(configs: Iterable[str]) -> list[str]:
    """The configs whose rows are programs. Raises `UserError` where there is none."""
    known = [name for name, config in CONFIGS.items() if config.plain]
    found = [name for name in configs if name in known]
    if not found:
        wanted = ", ".join(known)
        raise UserError(f"no rows in plain CUDA here: build with --config {wanted} for this format")
    return found


def text(row: Row) -> str:
    """A row as a whole program."""
    return f"{row['harness']['prelude']}{row['completion']}{row['harness']['main']}"


def write_programs(place: Path, rows: list[Row], first: int) -> None:
    """A file for each row of a split, numbered from `first`."""
    place.mkdir(exist_ok=True)
    for number, row in enumerate(rows, start=first):
        (place / f"{number:05d}-{row['id']}.cu").write_text(text(row), encoding="utf-8")


def write_around(place: Path) -> None:
    """What builds and runs the files, and tells how."""
    (place / shim.NAME).write_text(shim.HEADER, encoding="utf-8")
    (place / MAKEFILE).write_text(source("programs.mk"), encoding="utf-8")
    (place / README).write_text(source("programs.md"), encoding="utf-8")
