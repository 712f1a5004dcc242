"""`warp-ir report`: the contents of a build, as Markdown with plots, and as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..builds.check.folder import check, check_output
from ..common.configs import SPLITS
from ..common.errors import UserError
from ..common.files import readable, writable, write
from . import plots, tables
from .facts import HELD_OUT, ConfigFacts, Facts, measure
from .markdown import number, share
from .similarity import THRESHOLDS

REPORT = "report.md"
_BEGINNING = re.compile(rb"# [^\n]*\n\nVersion ")
BAR = 24  # characters
SHADES = "▏▎▍▌▋▊▉█"
SPARKS = "▁▂▃▄▅▆▇█"
SHOWN = 12
WIDTH = 80


def _compared(facts: Facts) -> str:
    return f"Of near duplicates, {tables.compared(facts)}." if facts.sampled else ""


def _removed(facts: Facts) -> str:
    return f"Near duplicates are removed from {tables.removed(facts)}." if facts.thinned else ""


# Headings, the tables below them, and the plot.
_SECTIONS = (
    ("Size", (tables.sizes,), None),
    ("Families and difficulties", (tables.families,), "families.png"),
    ("Lengths", (tables.lengths, tables.fitting), "lengths.png"),
    ("Argument types", (tables.types,), "types.png"),
    ("Built-ins", (tables.coverage, tables.builtins), "builtins.png"),
    ("PTX", (tables.ptx_versions, tables.instructions), "instructions.png"),
    ("From draws to rows", (tables.draws, tables.rejections), None),
    ("Proofs", (tables.proofs,), None),
    ("Splits and skeletons", (tables.skeletons,), None),
    ("Near duplicates", (_compared, tables.near, _removed, tables.survivors), "neighbours.png"),
    ("Contamination", (tables.worst, tables.contaminated), None),
)


def report(folder: Path, out: Path) -> Facts:
    """Check and measure the build in `folder`, and write `report.md` to `out`, with plots where matplotlib is
    installed.

    Raises `UserError`, before anything is written, for a folder that is not as a build left it.
    """
    check(folder)
    check_output(folder, out)
    _check_replaced(out)
    facts = measure(folder)
    with writable(f"to {out}"):
        out.mkdir(parents=True, exist_ok=True)
    write(out / REPORT, markdown(facts, {}))  # before the plots: where it lies, they are ours to replace
    if plots.available():
        write(out / REPORT, markdown(facts, plots.save(facts, out)))
    else:
        plots.remove(out)
    return facts


def _check_replaced(out: Path) -> None:
    """Raise `UserError` where files of somebody's have the names of what is to be written."""
    with readable(out / REPORT):
        if (out / REPORT).is_file() and _BEGINNING.match((out / REPORT).read_bytes()):
            return
        there = [name for name in (REPORT, *(plot.file for plot in plots.PLOTS)) if (out / name).exists()]
    if there:
        raise UserError(f"{out / there[0]} is there already and of no report: choose another folder")


def markdown(facts: Facts, shown: Mapping[str, str]) -> str:
    """The report; `shown` are the plots beside it, and what they show."""
    asked = facts.manifest["parameters"]
    origin = ", ".join(f"{name} {_text(value)}" for name, value in asked.items())
    versions = ", ".join(f"{name} {value}" for name, value in facts.manifest["versions"].items())
    parts = [
        f"# {facts.folder.resolve().name}",
        f"Version {facts.manifest['version']}. "
        + " ".join(
            f"{name}: {text}." for name, text in (("Built with", origin), ("Versions", versions)) if text
        ),
    ]
    for heading, makers, plot in _SECTIONS:
        blocks = [block for maker in makers if (block := maker(facts))]
        if plot is not None and plot in shown:
            blocks.append(f"![{shown[plot]}]({plot})")
        if blocks:
            parts += [f"## {heading}", *blocks]
    return "\n\n".join(parts) + "\n"


def _text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


# ---- terminal


def terminal(facts: Facts) -> str:
    """The same in short, for a terminal of 80 columns and more."""
    blocks = [*map(_config, facts.configs.values()), textwrap.fill(tables.worst(facts), WIDTH)]
    return "\n\n".join(block for block in blocks if block)


def _config(config: ConfigFacts) -> str:
    splits = " / ".join(number(config.rows[split]) for split in SPLITS)
    blocks = [
        [f"{config.name}: {splits} rows (train / validation / test), {config.stored / 1e6:.1f} MB"],
        _families(config),
        _bars("argument types", config.types, config.total),
        _bars(f"built-ins ({len(config.builtins)})", config.builtins, config.total),
        _bars(
            f"PTX instructions ({len(config.instructions)})", config.instructions, config.instructions.total()
        ),
        _lengths(config),
        _origin(config),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _families(config: ConfigFacts) -> list[str]:
    levels = config.levels
    width = max(map(len, config.families), default=0)
    lines = [f"  {'families':<{width}}  " + "".join(f"{level:>6}" for level in levels) + "     rows"]
    for family in config.families:
        counts = [config.cells.get((family, level), 0) for level in levels]
        cells = "".join(f"{n:>6,}" for n in counts)
        lines.append(f"  {family:<{width}}  {cells}{config.of_family(family):>9,}")
    return lines


def _bars(title: str, counts: Mapping[str, int], whole: int) -> list[str]:
    order = sorted(counts, key=lambda name: (-counts[name], name))[:SHOWN]
    if not order:
        return []
    width = max(map(len, order))
    largest = counts[order[0]]
    lines = [
        f"    {name:<{width}}  {share(counts[name], whole):>6}  {bar(counts[name] / largest)}"
        for name in order
    ]
    return [f"  {title}", *lines]


def bar(part: float) -> str:
    """A bar for a part of one, in eighths of a character."""
    whole, rest = divmod(round(part * BAR * len(SHADES)), len(SHADES))
    return SHADES[-1] * whole + (SHADES[rest - 1] if rest else "")


def _lengths(config: ConfigFacts) -> list[str]:
    lines = ["  tokens, estimated    median      90 %      99 %   longest"]
    texts = {name: found.tokens for name, found in config.lengths.items() if found.tokens.size}
    for name, tokens in {**texts, "prompt + completion": config.pair_tokens}.items():
        cells = "".join(f"{value:>10,}" for value in tables.quantiles(tokens))
        lines.append(f"    {name:<19}{cells[2:]}  {spark(tokens)}")
    return lines


def spark(values: np.ndarray) -> str:
    """The distribution of `values` on a logarithmic scale, in 16 characters."""
    counts, _ = np.histogram(np.log(values + 1.0), bins=16)
    return "".join(SPARKS[round(n / counts.max() * (len(SPARKS) - 1))] for n in counts)


def _origin(config: ConfigFacts) -> list[str]:
    lines = ["  near neighbours in train"]
    for split in (split for split in HELD_OUT if config.rows[split]):
        compared = len(config.nearest[split])
        cells = (f"{_of(config.near(split, t), compared)} at {t}" for t in THRESHOLDS)
        some = "" if compared == config.rows[split] else f" of {compared:,} compared"
        lines.append(f"    {split:<12}{', '.join(cells)}{some}")
    if config.draws is not None:
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(config.rejections.items())) or "nothing"
        lines.append(
            f"  drawn {config.draws:,}; {config.duplicates:,} seen before; "
            f"{config.barred:,} not differentiable; rejected: {reasons}"
        )
    return lines


def _of(part: int, whole: int) -> str:
    return f"{part:,} ({share(part, whole)})"
