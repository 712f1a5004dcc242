"""The YAML on top of a card, which the Hub and `datasets` read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from ..builds.row import features
from ..common.about import LICENSE, TITLE, citation, description
from ..common.configs import DEFAULT_CONFIG, SPLITS


def front_matter(
    files: Mapping[str, str],
    rows: Mapping[str, Mapping[str, int]],
    memory: Mapping[str, Mapping[str, int]],
    stored: Mapping[str, int],
    version: str,
) -> str:
    """All by config: a pattern of files with a field `{split}`, rows and bytes in memory by split, and bytes
    of its files. A config that is not in `stored` declares no sizes, as `datasets` refuses other row counts.

    `datasets` fills the `DatasetInfo` of a config from its entry in `dataset_info`, and from nothing else.
    """
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
        info = {
            "config_name": config,
            "description": description(config),
            "citation": " ".join(citation(version).split()),
            "license": LICENSE,
            "features": features(config)._to_yaml_list(),
        }
        if config in stored:
            total = sum(memory[config].values())
            info |= {"splits": sizes, "download_size": stored[config], "dataset_size": total}
        infos.append(info)
    head = {
        "license": LICENSE,
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
