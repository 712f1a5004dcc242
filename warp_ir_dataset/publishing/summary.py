"""Summarizes a finished build in words, for the terminal."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..builds.plan.plan import Plan
from ..common.configs import CONFIGS, SPLITS

WIDTH = 80
PROVING = "proving"
STAGES = {"planning": "planning", PROVING: "compiling and proving", "checking": "checking files"}


@dataclass(frozen=True)
class Spent:
    """What one config took in `build`, `build_part` or `finish`.

    Attributes:
        config: Name of the config.
        made: Rows that were not proved before.
        seconds: Duration of each of `STAGES` that it went through, by name.
        manifest: The config's entry of the manifest; of a part, the entry's files alone.
    """

    config: str
    made: int
    seconds: Mapping[str, float]
    manifest: Mapping[str, Any]

    def __str__(self) -> str:
        made = f"{self.made:,} rows made; " if PROVING in self.seconds else ""
        stages = [f"{took:,.0f} s of {STAGES[stage]}" for stage, took in self.seconds.items()]
        rate = f" ({self.made / self.seconds[PROVING]:,.1f} rows a second)" if self.made else ""
        return f"{self.config}: {made}{', '.join(stages)}{rate}."

    def as_json(self) -> dict[str, Any]:
        """The same as one object of JSON."""
        files = self.manifest["files"].values()
        counts = [what for what in ("draws", "duplicates", "barred") if what in self.manifest]
        return {
            "config": self.config,
            "rows": sum(file["rows"] for file in files),
            "made": self.made,
            "files": len(files),
            "bytes": sum(file["bytes"] for file in files),
            **{f"{stage}_seconds": round(self.seconds.get(stage, 0.0), 3) for stage in STAGES},
            **{what: sum(self.manifest[what].values()) for what in counts},
            "rejections": dict(
                sorted(sum((Counter(file["rejections"]) for file in files), Counter()).items())
            ),
        }


@dataclass(frozen=True)
class Planned:
    """What one config took in `plan`.

    Attributes:
        plan: Its plan.
        planning: Duration in seconds.
    """

    plan: Plan
    planning: float

    def __str__(self) -> str:
        told = self.as_json()
        return (
            f"{told['config']}: {told['rows']:,} rows and {told['candidates'] - told['rows']:,} spares"
            f" planned, for {told['files']:,} files, out of {told['draws']:,} candidates;"
            f" {self.planning:,.0f} s of planning."
        )

    def as_json(self) -> dict[str, Any]:
        """The same as one object of JSON; `candidates` are rows and spares."""
        queues = [queue for shard in self.plan.shards for queue in shard.queues]
        return {
            "config": self.plan.request.config,
            "rows": self.plan.rows,
            "files": len(self.plan.shards),
            "candidates": sum(len(queue.candidates) for queue in queues),
            "draws": sum(self.plan.draws.values()),
            "duplicates": sum(self.plan.duplicates.values()),
            "barred": sum(self.plan.non_differentiable.values()),
            "planning_seconds": round(self.planning, 3),
        }


def summary(manifest: Mapping[str, Any], spent: Sequence[Spent], seconds: float) -> str:
    """A table of rows per split and megabytes, and below it what became of all candidates, and what each
    config, and all of it, took."""
    configs = manifest["configs"].items()
    lines = [f"{'config':<16}{'train':>10}{'validation':>12}{'test':>10}{'MB':>9}"]
    for name, config in configs:
        files = config["files"].values()
        rows = [sum(file["rows"] for file in files if file["split"] == split) for split in SPLITS]
        size = sum(file["bytes"] for file in files) / 1e6
        lines.append(f"{name:<16}{rows[0]:>10,}{rows[1]:>12,}{rows[2]:>10,}{size:>9.1f}")
    for name, config in configs:
        lines += ["", *textwrap.wrap(f"{name}: {origin(name, config)}", WIDTH, subsequent_indent="  ")]
    return "\n".join([*lines, *map(str, spent), f"{seconds:,.0f} s in all."])


def origin(name: str, config: Mapping[str, Any]) -> str:
    """What became of the candidates for a config, or of what was collected, or of what a part has tried,
    which cannot tell what the whole has drawn: the figures add up to the first."""
    files = config["files"].values()
    rows = sum(file["rows"] for file in files)
    failed = sum(sum(file["rejections"].values()) for file in files)
    parts = [f"{rows:,} became rows"]
    if failed:
        parts.append(f"{failed:,} failed {'its' if failed == 1 else 'their'} proof")
    if "draws" not in config:
        return f"{rows + failed:,} kernels tried: {' and '.join(parts)}."
    drawn, seen, barred = (sum(config[what].values()) for what in ("draws", "duplicates", "barred"))
    left = drawn - rows - failed - seen - barred
    if not CONFIGS[name].drawn:
        return f"{drawn:,} kernels and twins collected: {' and '.join(parts)}."
    parts += [
        *([f"{seen:,} had the shape of an earlier one"] if seen else []),
        *([f"{barred:,} have no gradient to trust"] if barred else []),
        f"{left:,} were not needed (spares, or candidates of a split that was full)",
    ]
    return f"{drawn:,} candidates were considered: {', '.join(parts)}."
