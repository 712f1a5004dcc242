"""Datasets in memory, written as `warp-ir build` would write them: Parquet, a manifest and a card."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...builds.check.rows import check_table
from ...builds.output.manifest import MANIFEST, check_version, file_entry
from ...builds.row import schema
from ...builds.shards import PARQUET
from ...common.configs import CONFIGS, SPLITS
from ...common.errors import UserError
from ...common.files import write
from ...common.given import one_of
from ..card import write_card

BATCH = 1000  # rows of a row group


def pack(data: Any, folder: Path, config: str | None, version: str) -> None:
    """Write datasets to an empty folder that can be pushed and loaded.

    `data` is a `DatasetDict`, a `Dataset`, or a mapping of those by config; `config` says which config it is
    where that cannot be seen. Raises `UserError` for rows that are not of this package, and for a version
    that does not look like ``1.0.0``.
    """
    check_version(version)
    configs: dict[str, Any] = {}
    versions: dict[str, set[str]] = {"generator": set(), "warp-lang": set()}
    for name, splits in sorted(_configs(data, config).items(), key=lambda item: list(CONFIGS).index(item[0])):
        files = configs.setdefault(name, {"files": {}})["files"]
        (folder / name).mkdir()
        for split, rows in splits.items():
            path = f"{name}/{split}-00000-of-00001.parquet"
            _write(folder / path, name, rows, versions)
            files[path] = file_entry((folder / path).read_bytes(), split, Counter())
    manifest = {
        "version": version,
        # Which draws and rejections led to these rows, only a build knows.
        "parameters": {},
        "versions": {what: ", ".join(sorted(found)) for what, found in versions.items()},
        "configs": configs,
    }
    write(folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")
    write_card(folder)


def _configs(data: Any, config: str | None) -> dict[str, dict[str, Any]]:
    """Datasets by config and split."""
    by_config = isinstance(data, Mapping) and (
        any(isinstance(value, Mapping) for value in data.values()) or set(CONFIGS).issuperset(data)
    )
    if by_config and data:
        return {key: found for name, value in data.items() for key, found in _configs(value, name).items()}
    splits = dict(data) if isinstance(data, Mapping) else {str(getattr(data, "split", None) or "train"): data}
    if not splits or not all(hasattr(rows, "with_format") for rows in splits.values()):
        raise UserError(f"expected a folder or datasets, not {type(data).__name__}")
    if unknown := set(splits) - set(SPLITS):
        one_of("split", sorted(unknown)[0], SPLITS)
    name = config or next(iter(splits.values())).info.config_name
    if name not in CONFIGS:
        raise UserError(f"say which config these rows are: config= one of {', '.join(CONFIGS)}, not {name!r}")
    return {name: {split: splits[split] for split in SPLITS if split in splits}}


def _write(path: Path, config: str, rows: Any, versions: dict[str, set[str]]) -> None:
    with pq.ParquetWriter(path, schema(config), **PARQUET) as writer:
        for table in _tables(rows, config):
            writer.write_table(table)
            versions["generator"].update(table["generator_version"].unique().to_pylist())
            versions["warp-lang"].update(table["warp_version"].unique().to_pylist())


def _tables(rows: Any, config: str) -> Iterator[pa.Table]:
    what = "these are not rows of warp_ir_dataset"
    for table in rows.with_format("arrow").iter(batch_size=BATCH):
        if missing := set(schema(config).names) - set(table.column_names):
            raise UserError(f"{what}: they have no column {sorted(missing)[0]!r}")
        try:
            table = table.select(schema(config).names).cast(schema(config))
            check_table(table, config)
        except (pa.ArrowException, ValueError) as error:
            raise UserError(f"{what}: {' '.join(str(error).split())}") from error
        yield table
