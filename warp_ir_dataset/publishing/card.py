"""The dataset card: YAML that `datasets` reads, and a text for people.

The card of a built folder shows what was measured there. `python -m warp_ir_dataset.publishing.card` prints
the short one of the default build, whose data files are synthesized when they are opened; the package's
README.md is that text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from ..builds.handwritten.notice import notices
from ..builds.output.manifest import CARD, NEAR, PLOTS
from ..builds.plan.sizes import split_sizes
from ..builds.request import DEFAULT_CATEGORIES, DIFFICULTIES, Request
from ..builds.row import schema
from ..common.about import TITLE, citation
from ..common.configs import CONFIGS, DEFAULT_CONFIG, SPLITS
from ..common.files import write
from ..common.versions import DATASET_VERSION, WARP_MINOR
from ..language.python.grams import GRAM
from ..loading.urls import PROTOCOL, encode
from . import plots, tables
from .facts import HELD_OUT, TEXTS, Facts, measure, shards
from .front_matter import default_config, front_matter
from .markdown import columns, number, source, table
from .similarity import THRESHOLDS

# Any patch release of the pinned Warp will do.
WARP = f"{WARP_MINOR}.*"
# Stand where a folder's own card cannot know where it will be; `located` puts a repository there.
PLACE = "<this folder>"
ADDRESS = "<address of this dataset>"


def default_card() -> str:
    """The card of the default build: every file is a URL of this package's file system."""
    requests = [Request(config) for config in CONFIGS]
    rows = {request.config: split_sizes(request) for request in requests}
    memory = {
        name: {split: count * config.row_bytes for split, count in rows[name].items()}
        for name, config in CONFIGS.items()
    }
    stored = {
        name: sum(rows[name].values()) * config.file_bytes for name, config in CONFIGS.items() if config.drawn
    }
    sizes = ([f"`{c}`", *(_size_of(c, n) for n in rows[c].values())] for c in CONFIGS)
    files = {r.config: f"{PROTOCOL}://{encode(r, WARP)}/{{split}}-*.parquet" for r in requests}
    return Template(source("template_checkout.md")).substitute(
        front_matter=front_matter(files, rows, memory, stored, DATASET_VERSION),
        title=TITLE,
        location="./warp_ir_dataset",
        config=DEFAULT_CONFIG,
        pairs=_pairs(CONFIGS),
        sizes=table(["config", *SPLITS], sizes),
        lengths=source("lengths.md").strip(),
        citation=citation(),
        columns=columns(CONFIGS),
    )


def _size_of(config: str, rows: int) -> str:
    """Of what is collected only the most that it may be is known beforehand."""
    return str(rows) if CONFIGS[config].drawn or not rows else f"up to {rows}"


def built_card(folder: Path) -> str:
    """The card of a folder that `warp-ir build` wrote, measured anew; it shows the plots that are there."""
    return _card(measure(folder), _shown(folder))


def write_card(folder: Path, *, quiet: bool = False) -> None:
    """Measure a built folder, and write its card and what the card refers to: how near held-out rows are
    to train, and plots where matplotlib is installed. `quiet` shows no bar. Raises `UserError`."""
    facts = measure(folder, quiet=quiet)
    if plots.available():
        shown = plots.save(facts, folder / PLOTS)
    else:
        shown = {}
        plots.remove(folder / PLOTS)
    for name, text in _beside(facts, shown).items():
        write(folder / name, text)


def texts_beside(folder: Path) -> dict[str, str]:
    """What `write_card` would write to a built folder that has the plots that are there, measured anew: texts
    by the names of files. Raises `UserError`."""
    return _beside(measure(folder), _shown(folder))


def _beside(facts: Facts, shown: Mapping[str, str]) -> dict[str, str]:
    return {**notices(facts.configs), NEAR: near_text(facts), CARD: _card(facts, shown)}


def _shown(folder: Path) -> dict[str, str]:
    """The plots in a folder, and what they show."""
    return {p.file: p.alt for p in plots.PLOTS if (folder / PLOTS / p.file).exists()}


def located(text: str, name: str) -> str:
    """A folder's card as it is published in the repository `name` (``user/name``)."""
    return (
        text.replace(f"{PLACE}/{NEAR}", f"hf://datasets/{name}/{NEAR}")
        .replace(PLACE, name)
        .replace(ADDRESS, f"https://huggingface.co/datasets/{name}")
    )


def near_text(facts: Facts) -> str:
    """JSON: config -> held-out split -> id -> similarity to the nearest row of train, 4 digits rounded down
    (so that what is below a threshold stays below it). Rows that were not compared are not in it."""
    nearest = {
        name: {
            split: {id: math.floor(s * 10_000) / 10_000 for id, s in config.nearest[split].items()}
            for split in HELD_OUT
        }
        for name, config in facts.configs.items()
    }
    return json.dumps(nearest, indent=1) + "\n"


# ---- body


def _card(facts: Facts, shown: Mapping[str, str]) -> str:
    """`shown` are the plots in the folder: file names, and what they show."""
    configs, manifest = facts.configs, facts.manifest
    default = configs[default_config(configs)]
    held_out = next((split for split in reversed(HELD_OUT) if default.rows[split]), None)
    images = {_place(plot): f"![{shown[plot]}]({PLOTS}/{plot})" for plot in shown}
    present = {
        "draws": any(config.draws is not None for config in configs.values()),
        "versions": bool(manifest["versions"]),
        "near": held_out is not None and default.rows["train"] > 0,
        "trains": default.rows["train"] > 0,
        "ptx": any(config.ptx_versions for config in configs.values()),
        "rebuild": bool(manifest["parameters"]),
        "plain": any(CONFIGS[name].plain for name in configs),
        "collected": any(not CONFIGS[name].drawn for name in configs),
        "contaminated": bool(facts.contamination),
    }
    return _template(present, images).substitute(
        front_matter=front_matter(
            {name: f"{name}/{{split}}-*.parquet" for name in configs},
            {name: config.rows for name, config in configs.items()},
            {name: config.memory for name, config in configs.items()},
            {name: config.stored for name, config in configs.items()},
            manifest["version"],
        ),
        title=TITLE,
        version=manifest["version"],
        location=PLACE,
        address=ADDRESS,
        config=default.name,
        split=next(split for split in SPLITS if default.rows[split]),
        but_for=", but for `handwritten`" if present["collected"] else "",
        rows=number(sum(config.total for config in configs.values())),
        pairs=_pairs(configs),
        max_length=_max_length(default.pair_tokens),
        example=_example(facts, default.name),
        columns=columns(configs),
        versions=_versions(manifest),
        gram=GRAM,
        threshold=THRESHOLDS[0],
        held_out=held_out,
        near_file=NEAR,
        near_rows="the compared rows" if facts.sampled else "every row",
        not_compared=", leaving out what was not compared too" if facts.sampled else "",
        nearest='nearest.get(row["id"], 1)' if facts.sampled else 'nearest[row["id"]]',
        notice_file=", ".join(notices(configs)),
        driver=_driver(facts),
        rebuild=_rebuild(facts),
        citation=citation(manifest["version"], ADDRESS),
        changelog=source("changelog.md").strip(),
        **{name: make(facts) for name, make in tables.OF_FACTS.items()},
        **images,
    )


def _place(plot: str) -> str:
    """What a plot's file is called in the template."""
    return f"{Path(plot).stem}_plot"


def _template(present: Mapping[str, bool], images: Mapping[str, str]) -> Template:
    """The card's template without the parts that this build has nothing to say about."""
    text = _choose(source("template.md"), present)
    for name in {_place(plot.file) for plot in plots.PLOTS} - images.keys():
        text = text.replace(f"${name}\n\n", "")
    return Template(text)


def _choose(template: str, present: Mapping[str, bool]) -> str:
    """Keep or leave out what stands between ``[[if name]]`` and ``[[end]]``."""
    return re.sub(
        r"^\[\[if (\w+)\]\]\n(.*?)^\[\[end\]\]\n",
        lambda match: match[2] if present[match[1]] else "",
        template,
        flags=re.MULTILINE | re.DOTALL,
    )


def _pairs(configs: Mapping[str, Any]) -> str:
    rows = ([f"`{name}`", CONFIGS[name].pairs] for name in configs)
    return table(["config", "pairs a Python `@wp.kernel` with"], rows, text_columns=2)


def _max_length(tokens: np.ndarray) -> int:
    """The smallest power of two, from 1,024, that nine rows in ten do not exceed."""
    ninth = max(1024, int(np.percentile(tokens, 90, method="inverted_cdf")))
    return 1 << (ninth - 1).bit_length()


def _example(facts: Facts, config: str) -> str:
    """One whole row: of those that are more than a single expression, the shortest."""
    files = facts.manifest["configs"][config]["files"]
    rows = next(rows for _, rows in shards(facts.folder, files) if rows.num_rows)
    row = min(rows.to_pylist(), key=lambda row: ((row["difficulty"] or 1) < 2, _size(row), row["id"]))
    language = {"python_source": "python", "completion": "cpp", "ptx": "text", "prompt": "markdown"}
    plain = {name: value for name, value in row.items() if name not in TEXTS}
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in plain.items())
    blocks = [f"```json\n{{\n{lines}\n}}\n```"]
    for name in (column for column in schema(config).names if column in TEXTS and row[column] is not None):
        text = row[name].rstrip()
        fence = "`" * max(4, 1 + max(map(len, re.findall("`+", text)), default=0))  # no text ends it
        fenced = f"{fence}{language[name]}\n{text}\n{fence}"
        blocks.append(f"<details><summary><code>{name}</code></summary>\n\n{fenced}\n\n</details>")
    return "\n\n".join(blocks)


def _size(row: Mapping[str, Any]) -> int:
    return sum(len(row.get(name) or "") for name in TEXTS) + len(row["examples"])


def _versions(manifest: Mapping[str, Any]) -> str:
    rows = [[f"`{name}`", str(value)] for name, value in manifest["versions"].items()]
    if arch := manifest["parameters"].get("arch"):
        rows.append(["architecture of PTX", arch])
    return table(["what", "version or options"], rows, text_columns=2)


def _driver(facts: Facts) -> str:
    found = {version for config in facts.configs.values() for version in config.ptx_versions}
    nvrtc = facts.manifest["versions"].get("nvrtc")
    asked = f"CUDA {nvrtc}, whose NVRTC wrote it," if nvrtc else "the CUDA release of that PTX version"
    return (
        f"The PTX is version {', '.join(sorted(found))}, which older drivers refuse: it needs a driver for "
        f"{asked} or newer (`nvidia-smi` shows what a driver supports), and a GPU of the target or newer."
    )


def _rebuild(facts: Facts) -> str:
    manifest = facts.manifest
    if not manifest["parameters"]:
        return ""
    versions = ", ".join(
        f"{name} {manifest['versions'][name]}" for name in ("generator", "warp-lang", "pyarrow")
    )
    return (
        f"With {versions} installed, this writes the same bytes again, with any number of workers (on any "
        "machine whose C library computes the outputs in `examples` to the same last digit):\n\n"
        f"```bash\n{rebuild_command(manifest)}\n```\n\n"
        "The SHA-256 of its `manifest.json`, which holds the one of every data file, is "
        f"`{facts.manifest_sha256}`."
    )


def rebuild_command(manifest: Mapping[str, Any]) -> str:
    """The command that makes the build of a manifest."""
    asked = manifest["parameters"]
    words = ["warp-ir build OUT", "--config", *manifest["configs"]]
    for name in ("num_kernels", "seed", "arch"):
        words += [f"--{name.replace('_', '-')}", str(asked[name])]
    if tuple(asked["categories"]) != DEFAULT_CATEGORIES:
        words += ["--category", *asked["categories"]]
    if tuple(asked["difficulty"]) != DIFFICULTIES:
        words += ["--difficulty", "-".join(map(str, asked["difficulty"]))]
    if asked["skip_faults"]:
        words.append("--skip-faults")
    return " ".join([*words, "--dataset-version", manifest["version"]])


if __name__ == "__main__":
    print(default_card(), end="")
