"""Exports a build for other tools: one JSON line per row, one JSON file per pair, or programs.

    jsonl        OUT/<config>/<split>.jsonl                every column of a row, in the schema's order
    json-pairs   OUT/<config>/<split>/00000-<id>.json      the pair, and the other columns as `metadata`
    cuda         OUT/<config>/<split>/00000-<id>.cu        rows in plain CUDA, as programs (see `programs`)

Nothing is lost in JSON, but for comments in completions where that is asked for: `pair` and `row_of` are
inverse to each other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..builds.check.folder import check, check_output
from ..builds.row import schema
from ..common.configs import CONFIGS
from ..common.files import appearing
from ..common.given import one_of
from ..common.outcomes import Row
from .facts import shards
from .programs import PROGRAMS, chosen, write_around, write_programs
from .trainers import strip_comments


def export(folder: Path, out: Path, format: str, *, stripped: bool = False) -> Counter[tuple[str, str]]:
    """Write the build in `folder` to `out`, which must be new or empty; rows written, by config and split.

    With `stripped`, completions lose Warp's comments. `out` appears when everything is in it. Raises
    `UserError`, before anything is written, for a folder that is not as a build left it.
    """
    writer = WRITERS[one_of("format", format, WRITERS)]
    manifest, _ = check(folder)
    check_output(folder, out)
    configs = writer.configs(manifest["configs"])
    written: Counter[tuple[str, str]] = Counter()
    with appearing(out) as place:
        writer.around(place)
        for config in configs:
            (place / config).mkdir()
            for split, table in shards(folder, manifest["configs"][config]["files"]):
                rows = [strip_comments(row) if stripped else row for row in table.to_pylist()]
                writer.rows(place / config / split, config, rows, written[config, split])
                written[config, split] += len(rows)
    return written


def pair(row: Row, config: str) -> dict[str, Any]:
    """A row as a pair: `python_source`, the code under the name of its kind, and the rest as `metadata`."""
    named = {"python_source": row["python_source"], CONFIGS[config].code: row["completion"]}
    rest = {name: value for name, value in row.items() if name not in ("python_source", "completion")}
    return {**named, "metadata": {**rest, "config": config}}


def row_of(pair: Mapping[str, Any]) -> Row:
    """The row that a pair was made of, its columns in the schema's order."""
    metadata = pair["metadata"]
    values = {
        **metadata,
        "python_source": pair["python_source"],
        "completion": pair[CONFIGS[metadata["config"]].code],
    }
    return {name: values[name] for name in schema(metadata["config"]).names}


def _write_lines(place: Path, config: str, rows: list[Row], first: int) -> None:
    with place.with_name(f"{place.name}.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(f"{_json(row)}\n" for row in rows)


def _write_pairs(place: Path, config: str, rows: list[Row], first: int) -> None:
    place.mkdir(exist_ok=True)
    for number, row in enumerate(rows, start=first):
        path = place / f"{number:05d}-{row['id']}.json"
        path.write_text(_json(pair(row, config), indent=1) + "\n", encoding="utf-8")


def _write_programs(place: Path, config: str, rows: list[Row], first: int) -> None:
    write_programs(place, rows, first)


@dataclass(frozen=True)
class _Writer:
    """What writes a format: some rows of a split, which are numbered from the fourth argument; of which
    configs; and what goes beside them."""

    rows: Callable[[Path, str, list[Row], int], None]
    configs: Callable[[Iterable[str]], list[str]] = list
    around: Callable[[Path], None] = lambda place: None


WRITERS: Mapping[str, _Writer] = {
    "jsonl": _Writer(_write_lines),
    "json-pairs": _Writer(_write_pairs),
    PROGRAMS: _Writer(_write_programs, chosen, write_around),
}


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
