"""The dataset card: YAML that `datasets` reads, and a few words for people.

`python -m warp_ir_dataset.card` prints the card of the default build, whose data files are synthesized
when they are opened; the package's README.md is that text.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

import yaml

from .plan import split_sizes
from .recipe import CONFIGS, SPLITS, Recipe
from .record import features
from .urls import PROTOCOL, encode

DEFAULT_CONFIG = Recipe().config
TITLE = "Warp IR dataset"
# Any patch release of the pinned Warp will do.
WARP = "1.19.*"
# What a row takes in memory, roughly: `datasets` checks that the disk has room.
ROW_BYTES = {"cpu": 11_000, "cuda": 28_000, "cuda_backward": 65_000}

_PACKAGE = Path(__file__).parent
# In a wheel the template lies in the package, in a checkout beside it.
_TEMPLATES = (_PACKAGE / "template.md", _PACKAGE.parent / "dataset_card" / "template.md")


def default_card() -> str:
    """The card of the default build: every file is a URL of this package's file system."""
    recipes = [Recipe(config) for config in CONFIGS]
    return _card(
        files={r.config: f"{PROTOCOL}://{encode(r, WARP)}/{{split}}-*.parquet" for r in recipes},
        rows={r.config: split_sizes(r) for r in recipes},
        sizes={r.config: {s: n * ROW_BYTES[r.config] for s, n in split_sizes(r).items()} for r in recipes},
        location="./warp_ir_dataset",
        origin=(
            "Rows are synthesized on this machine when they are first loaded, and kept. For other sizes, "
            "seeds or families use `warp-ir build` or the builder `warp_ir_dataset.WarpIR`."
        ),
    )


def built_card(manifest: Mapping[str, Any]) -> str:
    """The card of a folder that `warp-ir build` wrote."""
    configs = manifest["configs"]
    parameters = ", ".join(f"{name} {_text(value)}" for name, value in manifest["parameters"].items())
    versions = ", ".join(f"{name} {value}" for name, value in manifest["versions"].items())
    return _card(
        files={config: f"{config}/{{split}}-*.parquet" for config in configs},
        rows={config: _sums(entry["files"], "rows") for config, entry in configs.items()},
        sizes={config: _sums(entry["files"], "num_bytes") for config, entry in configs.items()},
        location="<this folder>",
        origin=f"Built with {parameters}; {versions}.",
    )


def _card(
    files: Mapping[str, str],
    rows: Mapping[str, Mapping[str, int]],
    sizes: Mapping[str, Mapping[str, int]],
    location: str,
    origin: str,
) -> str:
    default = DEFAULT_CONFIG if DEFAULT_CONFIG in files else next(iter(files))
    # Small builds may leave a split without rows, and so without files.
    splits = {config: [split for split in SPLITS if rows[config][split]] for config in files}
    configs = []
    infos = []
    for config, pattern in files.items():
        data_files = [{"split": split, "path": pattern.format(split=split)} for split in splits[config]]
        marked = {"default": True} if config == default else {}
        configs.append({"config_name": config, **marked, "data_files": data_files})
        infos.append(
            {
                "config_name": config,
                "features": features()._to_yaml_list(),
                "splits": [
                    {"name": split, "num_bytes": sizes[config][split], "num_examples": rows[config][split]}
                    for split in splits[config]
                ],
            }
        )
    head = {
        "pretty_name": TITLE,
        "tags": ["code", "cuda", "ptx", "warp", "compiler", "synthetic"],
        "task_categories": ["text-generation"],
        "configs": configs,
        "dataset_info": infos,
    }
    return _template().substitute(
        front_matter=f"---\n{yaml.safe_dump(head, sort_keys=False, width=120)}---\n",
        title=TITLE,
        location=location,
        config=default,
        origin=origin,
        sizes="\n".join(
            f"| `{config}` | " + " | ".join(f"{rows[config][split]:,}" for split in SPLITS) + " |"
            for config in files
        ),
    )


def _template() -> Template:
    path = next(path for path in _TEMPLATES if path.exists())
    return Template(path.read_text(encoding="utf-8"))


def _sums(files: Mapping[str, Mapping[str, Any]], what: str) -> dict[str, int]:
    return {split: sum(f[what] for f in files.values() if f["split"] == split) for split in SPLITS}


def _text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


if __name__ == "__main__":
    print(default_card(), end="")
