"""Reads `measured/*.json`: results of commands that take long, and what they were made with.

A file is one object:

    command    what was run, with OUT for a build; Markdown
    record     where the whole result stands: this file, or pages that have more of it
    versions   of what decides it: `generator`, `judge`, and others
    seed       of the build, as text
    date       of the measurement
    figures    names and texts or numbers: {NAME.KEY} in the template
    tables     names, each with `head`, `rows` and, if more than the first column is text, `text_columns`:
               {table:NAME.KEY}

Every file also gives {NAME.versions}, a phrase with its versions of generator and judge; the table of all
files (`overview`) has the other versions, the seed and the date.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warp_ir_dataset.publishing.markdown import table

KEYS = {"command", "record", "versions", "seed", "date", "figures", "tables"}
OURS = ("generator", "judge")  # versions of this project's own


@dataclass(frozen=True)
class Measured:
    """One file, as it stands."""

    name: str
    command: str
    record: str
    versions: Mapping[str, str]
    seed: str
    date: str
    values: Mapping[str, Any]
    tables: Mapping[str, Mapping[str, Any]]

    @property
    def stamp(self) -> str:
        """What the figures were made with, as a phrase."""
        versions = ", ".join(f"{what} {version}" for what, version in self.versions.items())
        seed = f", seed {self.seed}" if self.seed else ""
        return f"{versions}{seed}, {self.date}"

    @property
    def ours(self) -> str:
        """The versions of generator and judge, as a phrase for sentences."""
        return ", ".join(f"{what} {self.versions[what]}" for what in OURS if what in self.versions)

    def figures(self) -> dict[str, str]:
        """Its figures and tables, by name, as they are printed."""
        found = {f"{self.name}.versions": self.ours}
        found |= {f"{self.name}.{key}": printed(value) for key, value in self.values.items()}
        for key, content in self.tables.items():
            rows = [[printed(cell) for cell in row] for row in content["rows"]]
            found[f"table:{self.name}.{key}"] = table(
                content["head"], rows, text_columns=content.get("text_columns", 1)
            )
        return found


def overview(measured: Mapping[str, Measured]) -> str:
    """What was run, with what, and where the whole result stands."""
    cells = (
        [f"[`{name}`](report/measured/{name}.json)", each.command, each.stamp, each.record]
        for name, each in measured.items()
    )
    return table(["file", "how it was made", "with", "the whole result"], cells, text_columns=4)


def printed(value: object) -> str:
    """A figure as the report prints it: numbers with commas, texts as they are."""
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


def read_measured(folder: Path) -> dict[str, Measured]:
    """All files of a folder, by name. Raises `ValueError` for one with other keys."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.keys() != KEYS:
            raise ValueError(f"{path}: its keys are {sorted(content)}, not {sorted(KEYS)}")
        found[path.stem] = Measured(
            path.stem,
            content["command"],
            content["record"],
            content["versions"],
            content["seed"],
            content["date"],
            content["figures"],
            content["tables"],
        )
    return found
