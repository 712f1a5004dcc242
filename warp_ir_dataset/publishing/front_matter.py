"""The YAML on top of a card, which the Hub and `datasets` read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from ..builds.row import features
from ..common.configs import CONFIGS, DEFAULT_CONFIG, SPLITS

TITLE = "Warp IR dataset"


def front_matter(
    files: Mapping[str, str],
    rows: Mapping[str, Mapping[str, int]],
    memory: Mapping[str, Mapping[str, int]],
    stored: Mapping[str, int] | None = None,
) -> str:
    """All by config: a pattern of files with a field `{split}`, and rows and bytes in memory by split; for a
    folder of files also their bytes."""
    default = default_config(files)
    configs = []
    infos = []
    for config, pattern in files.items():
        # Small builds may leave a split without rows, and so without files.
        splits = [split for split in SPLITS if rows[config][split]]
        data_files = [{"split": split, "path": pattern.format(split=split)} for split in splits]
        marked = {"default": True} if config == default else {}
        configs.append({"config_name": config, **marked, "data_files": data_files})
        sizes = [
            {"name": split, "num_bytes": memory[config][split], "num_examples": rows[config][split]}
            for split in splits
        ]
        info = {"config_name": config, "features": features(config)._to_yaml_list(), "splits": sizes}
        if stored is None and not CONFIGS[config].drawn:
            del info["splits"]  # how many rows there will be is not known, and `datasets` would hold us to it
        if stored is not None:
            info |= {"download_size": stored[config], "dataset_size": sum(memory[config].values())}
        infos.append(info)
    head = {
        "license": "apache-2.0",
        "language": ["en", "code"],
        "pretty_name": TITLE,
        "size_categories": [_size_category(sum(sum(splits.values()) for splits in rows.values()))],
        "task_categories": ["text-generation"],
        "annotations_creators": ["machine-generated"],
        "source_datasets": ["original"],
        "tags": ["code", "cuda", "ptx", "warp", "gpu", "compiler", "synthetic"],
        "configs": configs,
        "dataset_info": infos,
    }
    return f"---\n{yaml.safe_dump(head, sort_keys=False, width=120)}---\n"


def default_config(configs: Mapping[str, Any]) -> str:
    """The config that is loaded when none is named: the usual one, or the first where it is missing."""
    return DEFAULT_CONFIG if DEFAULT_CONFIG in configs else next(iter(configs))


def _size_category(rows: int) -> str:
    bounds = {
        1_000: "n<1K",
        10_000: "1K<n<10K",
        100_000: "10K<n<100K",
        1_000_000: "100K<n<1M",
        10_000_000: "1M<n<10M",
    }
    return next((name for bound, name in bounds.items() if rows < bound), "10M<n<100M")
