"""Writes the folder of extracted rows, which `load_dataset` reads, and why other kernels are missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from ...common.configs import DEFAULT_CONFIG, SPLITS, compiled_tasks
from ...common.files import sha256, write
from ...common.outcomes import Row
from ...language.identity import split_of
from ..output.written import note_written
from ..row import schema
from ..shards import write_parquet

CARD = "README.md"
FAILURES = "failures.jsonl"
SHOWN = 10  # failures in a summary


@dataclass(frozen=True)
class Missing:
    """A kernel without rows in some configs: `config` is empty for one that has none at all."""

    kernel: str
    config: str
    why: str


@dataclass(frozen=True)
class Extracted:
    """What a folder holds: rows by config and split, what is missing, and kernels that have no row at all,
    with a reason."""

    rows: Mapping[str, Mapping[str, int]]
    missing: Sequence[Missing]
    without: Sequence[tuple[str, str]]

    @property
    def kernels(self) -> int:
        """How many kernels have a row."""
        return max((sum(splits.values()) for splits in self.rows.values()), default=0)

    def __str__(self) -> str:
        """Rows by config, and why kernels have none, or none in some config."""
        rows = ", ".join(f"{sum(splits.values())} of {config}" for config, splits in self.rows.items())
        none = {kernel for kernel, _ in self.without}
        configs: dict[tuple[str, str], list[str]] = {}
        for each in self.missing:
            if each.kernel not in none:
                configs.setdefault((each.kernel, each.why), []).append(each.config)
        some = [
            (f"{kernel}, {', '.join(dict.fromkeys(names))}", why) for (kernel, why), names in configs.items()
        ]
        count = len(none)
        return "\n".join(
            [
                f"rows: {rows}",
                *_listed(
                    "1 kernel has no row:" if count == 1 else f"{count} kernels have no row:", self.without
                ),
                *_listed("without a row in some configs:", some),
            ]
        )


def _listed(title: str, reasons: Sequence[tuple[str, str]]) -> list[str]:
    """A title, and some of what lacks rows with the reasons; nothing where nothing lacks rows."""
    if not reasons:
        return []
    more = [f"  and {len(reasons) - SHOWN} more, all in {FAILURES}"] if len(reasons) > SHOWN else []
    return [title, *(f"  {what}: {why}" for what, why in reasons[:SHOWN]), *more]


def write_folder(
    folder: Path,
    rows: Sequence[tuple[str, Row]],
    missing: Sequence[Missing],
    without: Sequence[tuple[str, str]],
    of: str,
) -> Extracted:
    """Write rows, each with the name of its config, in their order; a row is in the split that its group
    says, as in every build. `of` names the module. Raises `UserError` when the disk refuses."""
    counts: dict[str, dict[str, int]] = {}
    for config in (task.name for task in compiled_tasks()):
        for split in SPLITS:
            own = [row for name, row in rows if name == config and split_of(row["group"]) == split]
            if own:
                path = folder / config / f"{split}-00000-of-00001.parquet"
                path.parent.mkdir(exist_ok=True)
                write_parquet(own, schema(config), path)
                note_written(sha256(path))
                counts.setdefault(config, {})[split] = len(own)
    found = Extracted(counts, tuple(missing), tuple(without))
    write(folder / FAILURES, "".join(json.dumps(vars(each)) + "\n" for each in missing))
    write(folder / CARD, "\n".join(_card(found, of)) + "\n")
    return found


def _card(found: Extracted, of: str) -> Iterator[str]:
    default = DEFAULT_CONFIG if DEFAULT_CONFIG in found.rows else next(iter(found.rows), "")
    configs = [
        {
            "config_name": config,
            **({"default": True} if config == default else {}),
            "data_files": [{"split": s, "path": f"{config}/{s}-*.parquet"} for s in splits],
        }
        for config, splits in found.rows.items()
    ]
    yield f"---\n{yaml.safe_dump({'configs': configs}, sort_keys=False)}---"
    yield f"# Kernels of {of}\n"
    yield f"{found.kernels} kernels were extracted, not synthesized: rows hold their sources, each as a"
    yield "module that stands alone, and the code that Warp makes of them. Where `examples` is null, a kernel"
    yield "was not run; `checks` says what was done. They are under the licence of what they come from.\n"
    yield f"| config | {' | '.join(SPLITS)} |\n|---|{'---:|' * len(SPLITS)}"
    for config, splits in found.rows.items():
        yield f"| `{config}` | {' | '.join(str(splits.get(split, 0)) for split in SPLITS)} |"
    yield f"\nWhat is missing, and why, stands in `{FAILURES}`: {len(found.missing)} lines."
