"""`warp-ir report`: the contents of a build, as Markdown with plots, and as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..builds.check.folder import check, check_output
from ..builds.request import DIFFICULTIES
from ..common.configs import SPLITS
from ..common.errors import UserError
from ..common.files import readable, writable, write
from . import plots, tables
from .facts import HELD_OUT, ConfigFacts, Facts, measure
from .markdown import notes, number
from .similarity import THRESHOLDS

REPORT = "report.md"
_BEGINNING = re.compile(rb"# [^\n]*\n\nVersion ")
WIDTH = 80  # characters of a terminal
SHOWN = 5  # reasons
LARGEST = 12  # families
LEVELS = range(DIFFICULTIES[0], DIFFICULTIES[1] + 1)
SIZE_HEADS = (*SPLITS, "MB", "median", "90 %", "longest")
CONTENT_HEADS = (*map(str, LEVELS), "families", "built-ins", "types", "failed")
NEAR_HEADS = tuple(f"{split} {threshold}" for split in HELD_OUT for threshold in THRESHOLDS)


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
        raise UserError(f"{out / there[0]} exists, and no report wrote it: choose another folder")


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
    """An overview for a terminal of 80 columns: tables with a line per config, and sentences below them. The
    Markdown report has everything."""
    configs = list(facts.configs.values())
    rows, size = sum(config.total for config in configs), _mb(sum(config.stored for config in configs))
    blocks = [
        f"{facts.folder.resolve().name}: version {facts.manifest['version']}, {rows:,} rows, {size} MB",
        _columns("rows, and tokens per row", SIZE_HEADS, map(_size, configs)),
        _columns("rows by difficulty", CONTENT_HEADS, map(_content, configs)),
        _columns("near duplicates of train", NEAR_HEADS, map(_near, configs)),
        textwrap.fill(tables.worst(facts), WIDTH),
        _reasons(configs),
        _families(configs),
    ]
    return "\n\n".join(block for block in blocks if block)


def _columns(title: str, heads: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """A table of figures, whose first column is names; empty without rows."""
    cells = [(name, values) for name, values in rows if values]
    if not cells:
        return ""
    width = max(len(title), *(len(name) for name, _ in cells))
    widths = [max(map(len, column)) for column in zip(heads, *(values for _, values in cells), strict=True)]
    return "\n".join(
        f"{name:<{width}}  " + "  ".join(f"{v:>{w}}" for v, w in zip(values, widths, strict=True))
        for name, values in ((title, heads), *cells)
    )


def _mb(size: float) -> str:
    return f"{size / 1e6:.1f}"


def _size(config: ConfigFacts) -> tuple[str, list[str]]:
    rows = [number(config.rows[split]) for split in SPLITS]
    median, most, _, longest = tables.quantiles(config.pair_tokens)
    return config.name, [*rows, _mb(config.stored), *map(number, (median, most, longest))]


def _content(config: ConfigFacts) -> tuple[str, list[str]]:
    levels = (sum(n for (_, at), n in config.cells.items() if at == level) for level in LEVELS)
    cells = [number(n) if config.levels else "-" for n in levels]
    cells += [number(len(kind)) for kind in (config.families, config.builtins, config.types)]
    return config.name, [*cells, "-" if config.draws is None else number(config.rejections.total())]


def _near(config: ConfigFacts) -> tuple[str, list[str]]:
    """How many of the held-out rows that were compared are near a row of train; nothing without any."""
    counts = {split: len(config.nearest[split]) for split in HELD_OUT}
    cells = [
        f"{number(config.near(split, threshold))} of {number(compared)}" if compared else "-"
        for split, compared in counts.items()
        for threshold in THRESHOLDS
    ]
    return config.name, cells if any(counts.values()) else []


def _reasons(configs: Sequence[ConfigFacts]) -> str:
    """The most frequent reasons for which candidates failed their proof; empty if none did."""
    reasons = sum((config.rejections for config in configs), Counter[str]()).most_common(SHOWN)
    if not reasons:
        return ""
    width = len(number(reasons[0][1]))
    lines = ["why candidates failed their proof, in all configs together"]
    for reason, count in reasons:
        meaning = notes()["reasons"][reason].removeprefix("`handwritten` only: ")
        lines.append(
            f"  {number(count):>{width}}  {textwrap.shorten(meaning, WIDTH - width - 4, placeholder='...')}"
        )
    return "\n".join(lines)


def _families(configs: Sequence[ConfigFacts]) -> str:
    """The largest families of the config that has most."""
    config = max(configs, key=lambda config: len(config.families))
    counts = sorted((-config.of_family(family), family) for family in config.families)
    most = ", ".join(f"{family}\N{NO-BREAK SPACE}{number(-count)}" for count, family in counts[:LARGEST])
    told = f"largest of the {len(counts)} families of {config.name}: {most}"
    return textwrap.fill(told, WIDTH, subsequent_indent="  ").replace("\N{NO-BREAK SPACE}", " ")
