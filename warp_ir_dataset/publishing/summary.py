"""What a build made, in words, for the terminal it was made in."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..builds.plan.plan import Plan
from ..common.configs import CONFIGS, SPLITS

WIDTH = 80


@dataclass(frozen=True)
class Spent:
    """What a config of a build, or of a part of one, took: `made` rows that were not proved before, seconds
    for `planning` and for `proving` (compilers included), and what the manifest says of it by now; of a part,
    what it will say of its files."""

    config: str
    made: int
    planning: float
    proving: float
    manifest: Mapping[str, Any]

    def __str__(self) -> str:
        rate = f" ({self.made / self.proving:,.1f} rows a second)" if self.made else ""
        return (
            f"{self.config}: {self.made:,} rows made; {self.planning:,.0f} s of planning,"
            f" {self.proving:,.0f} s of compiling and proving{rate}."
        )

    def as_json(self) -> dict[str, Any]:
        """One object of numbers by name, with none but strings as keys."""
        files = self.manifest["files"].values()
        counts = [what for what in ("draws", "duplicates", "barred") if what in self.manifest]
        return {
            "config": self.config,
            "rows": sum(file["rows"] for file in files),
            "made": self.made,
            "files": len(files),
            "bytes": sum(file["bytes"] for file in files),
            "planning_seconds": round(self.planning, 3),
            "proving_seconds": round(self.proving, 3),
            **{what: sum(self.manifest[what].values()) for what in counts},
            "rejections": dict(
                sorted(sum((Counter(file["rejections"]) for file in files), Counter()).items())
            ),
        }


@dataclass(frozen=True)
class Planned:
    """The plan of a config, and the seconds that it took."""

    plan: Plan
    planning: float

    def __str__(self) -> str:
        told = self.as_json()
        return (
            f"{told['config']}: {told['rows']:,} rows and {told['candidates'] - told['rows']:,} spares"
            f" planned, for {told['files']:,} files, out of {told['draws']:,} programs;"
            f" {self.planning:,.0f} s of planning."
        )

    def as_json(self) -> dict[str, Any]:
        """One object of numbers by name, with none but strings as keys; `candidates` are rows and spares."""
        queues = [queue for shard in self.plan.shards for queue in shard.queues]
        return {
            "config": self.plan.request.config,
            "rows": self.plan.rows,
            "files": len(self.plan.shards),
            "candidates": sum(len(queue.candidates) for queue in queues),
            "draws": sum(self.plan.draws.values()),
            "duplicates": sum(self.plan.duplicates.values()),
            "barred": sum(self.plan.barred.values()),
            "planning_seconds": round(self.planning, 3),
        }


def summary(manifest: Mapping[str, Any]) -> str:
    """A table of rows per split and megabytes, and below it what became of all programs drawn."""
    configs = manifest["configs"].items()
    lines = [f"{'config':<16}{'train':>10}{'validation':>12}{'test':>10}{'MB':>9}"]
    for name, config in configs:
        files = config["files"].values()
        rows = [sum(file["rows"] for file in files if file["split"] == split) for split in SPLITS]
        size = sum(file["bytes"] for file in files) / 1e6
        lines.append(f"{name:<16}{rows[0]:>10,}{rows[1]:>12,}{rows[2]:>10,}{size:>9.1f}")
    for name, config in configs:
        lines += ["", *textwrap.wrap(f"{name}: {origin(name, config)}", WIDTH, subsequent_indent="  ")]
    return "\n".join(lines)


def origin(name: str, config: Mapping[str, Any]) -> str:
    """What became of the programs drawn for a config, or of what was collected: the figures add up to the
    first."""
    files = config["files"].values()
    drawn, seen, barred = (sum(config[what].values()) for what in ("draws", "duplicates", "barred"))
    rows = sum(file["rows"] for file in files)
    failed = sum((Counter(file["rejections"]) for file in files), Counter())
    left = drawn - rows - failed.total() - seen - barred
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(failed.items()))
    parts = [
        f"{rows:,} became rows",
        f"{failed.total():,} failed their proof" + (f" ({reasons})" if reasons else ""),
    ]
    if not CONFIGS[name].drawn:
        return f"{drawn:,} kernels and twins collected: {' and '.join(parts)}."
    parts += [
        f"{seen:,} had the shape of an earlier one",
        *([f"{barred:,} have no gradient to trust"] if barred else []),
        f"{left:,} were not needed (spares, or of a split that was full)",
    ]
    return f"{drawn:,} programs drawn: {', '.join(parts)}."
