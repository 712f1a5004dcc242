"""Draws the report's plots as SVG, for light and for dark pages."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import flow
import numpy as np
from build_figures import MAIN
from measurements import Measured
from row_contents import ERRORS, Contents
from themes import THEMES, Theme, blank, rectangles, style, svg

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.publishing import plots, tables
from warp_ir_dataset.publishing.facts import HELD_OUT, ConfigFacts, Facts
from warp_ir_dataset.publishing.similarity import THRESHOLDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 20  # bars
STAGE = "of it, "  # begins a row of the table of costs
LEVELS = ("#9ec5e8", "#6aa84f", "#d9a03b", "#c0504d", "#9b59a6")  # difficulty 1 to 5


@dataclass(frozen=True)
class Data:
    """What plots are drawn from."""

    facts: Facts
    rows: Mapping[str, Contents]
    measured: Mapping[str, Measured]


@dataclass(frozen=True)
class Plot:
    """One picture: its name, what it shows in words, and what draws it."""

    name: str
    alt: str
    draw: Callable[[Data, Theme], Figure]

    @property
    def html(self) -> str:
        """What shows it on a page of GitHub, in the reader's theme."""
        light, dark = (f"report/{self.name}-{theme.name}.svg" for theme in THEMES)
        return (
            f'<picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
            f'<img alt="{html.escape(self.alt)}" src="{light}"></picture>'
        )


def save(data: Data, folder: Path) -> None:
    """Draw every plot in both themes. Raises `UserError` without matplotlib."""
    if not plots.available():
        raise UserError(plots.ADVICE)
    import matplotlib

    for plot in PLOTS:
        for theme in THEMES:
            with matplotlib.rc_context(style(theme)):
                text = svg(plot.draw(data, theme))
            (folder / f"{plot.name}-{theme.name}.svg").write_text(text, encoding="utf-8")


def _flow(data: Data, theme: Theme) -> Figure:
    return flow.draw(theme)


# ---- what is in it


def _families(data: Data, theme: Theme) -> Figure:
    from matplotlib.ticker import MaxNLocator

    config = _main(data)
    names = sorted(config.families, key=lambda name: (config.of_family(name), name))
    figure = blank(1.0 + 0.19 * len(names))
    axes = figure.subplots()
    left = np.zeros(len(names))
    for level, colour in enumerate(LEVELS, start=1):
        counts = np.array([config.cells.get((name, level), 0) for name in names])
        rectangles(axes, left, counts, colour, str(level))
        left += counts
    axes.set_yticks(range(len(names)), names)
    axes.margins(x=0.02, y=0.01)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.set_xlabel(f"rows of {config.name}, by level of difficulty")
    axes.grid(axis="x")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=len(LEVELS))
    return figure


def _lengths(data: Data, theme: Theme) -> Figure:
    configs = list(data.facts.configs.values())
    figure = blank(0.6 + 0.95 * len(configs))
    panels = figure.subplots(len(configs), 1, sharex=True, squeeze=False)[:, 0]
    bins = np.geomspace(64, 65536, 61)
    for panel, config in zip(panels, configs, strict=True):
        panel.hist(config.pair_tokens, bins=bins, color=CONFIGS[config.name].colour, histtype="stepfilled")
        median = tables.quantiles(config.pair_tokens)[0]
        panel.axvline(median, color=theme.ink, linewidth=1)
        panel.set_title(f"{config.name}: half have at most {median:,}")
        panel.set_yticks([])
    panels[-1].set_xscale("log")
    ticks = (256, 1024, 4096, 16384)
    panels[-1].set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    panels[-1].set_xticks([], minor=True)
    panels[-1].set_xlabel("tokens of prompt and completion (estimate)")
    return figure


def _types(data: Data, theme: Theme) -> Figure:
    """Kernels' own structs, whose names begin with a capital, are left out."""
    return _bars(
        data,
        lambda config: Counter({name: n for name, n in config.types.items() if name[0].islower()}),
        "% of rows with an argument of the type",
    )


def _builtins(data: Data, theme: Theme) -> Figure:
    return _bars(data, lambda config: config.builtins, "% of rows that call the built-in")


def _instructions(data: Data, theme: Theme) -> Figure:
    config = _main(data)
    total = max(config.instructions.total(), 1)
    common = most_common(config.instructions)
    shares = [100 * count / total for _, count in reversed(common)]
    return _horizontal(
        [name for name, _ in reversed(common)], shares, "% of all PTX instructions", config.name
    )


def most_common(counts: Counter[str]) -> list[tuple[str, int]]:
    """At most `SHOWN` of them; of equal ones the first by name, whatever came first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]


def _bars(data: Data, counts: Callable[[ConfigFacts], Counter[str]], label: str) -> Figure:
    config = _main(data)
    common = most_common(counts(config))
    names = [name for name, _ in reversed(common)]
    return _horizontal(names, [100 * counts(config)[n] / config.total for n in names], label, config.name)


def _horizontal(names: Sequence[str], widths: Sequence[float], label: str, config: str) -> Figure:
    figure = blank(0.7 + 0.21 * max(len(names), 3))
    axes = figure.subplots()
    rectangles(axes, np.zeros(len(names)), widths, CONFIGS[config].colour)
    axes.set_yticks(range(len(names)), names)
    axes.margins(x=0.02, y=0.02)
    axes.set_xlabel(label)
    axes.grid(axis="x")
    return figure


# ---- proofs


def _errors(data: Data, theme: Theme) -> Figure:
    places = range(-17, 0)
    figure = blank(0.7 + 0.9 * len(ERRORS))
    panels = figure.subplots(len(ERRORS), 1, sharex=True, squeeze=False)[:, 0]
    for panel, (name, words) in zip(panels, ERRORS.items(), strict=True):
        counts = sum((own.errors.get(name, Counter()) for own in data.rows.values()), Counter[float]())
        total = max(counts.total(), 1)
        powers = Counter[int]()
        for error, count in counts.items():
            powers[round(float(np.log10(error))) if error else places[0]] += count
        panel.bar(list(places), [100 * powers[p] / total for p in places], color=CONFIGS["cuda"].colour)
        largest = max(counts, default=0.0)
        panel.set_title(f"{words}: {largest:.0e} at most" if largest else f"{words}: no error")
        panel.set_ylabel("%")
    panels[-1].set_xticks([-17, -15, -12, -9, -6, -3], ["0", "1e-15", "1e-12", "1e-9", "1e-6", "1e-3"])
    panels[-1].set_xlabel("largest error of a row, rounded up to a power of ten")
    return figure


def _neighbours(data: Data, theme: Theme) -> Figure:
    figure = blank(3.2)
    axes = figure.subplots()
    for config in (data.facts.configs[name] for name in MAIN):
        near = np.sort([s for split in HELD_OUT for s in config.nearest[split].values()])
        left = 100 * np.arange(len(near), 0, -1) / max(len(near), 1)
        axes.step(
            [0, *near, 1], [100, *left, 0], where="pre", color=CONFIGS[config.name].colour, label=config.name
        )
    for threshold in THRESHOLDS:
        axes.axvline(threshold, color=theme.ink, linewidth=1, linestyle=(0, (4, 3)))
    axes.set(xlim=(0, 1), ylim=(0, 102))
    axes.tick_params(axis="x", pad=8)
    axes.set_xlabel("similarity to the nearest row of train, at least")
    axes.set_ylabel("% of held-out rows")
    axes.grid()
    axes.legend()
    return figure


def _cost(data: Data, theme: Theme) -> Figure:
    """Of the table of costs, the rows that are parts of the first."""
    rates = data.measured["cost"].tables["rates"]
    stages = [row for row in rates["rows"] if row[0].startswith(STAGE)]
    configs = rates["head"][1:]
    figure = blank(2.9)
    axes = figure.subplots()
    left = np.zeros(len(configs))
    colours = ("#9ec5e8", "#5b7db1", "#2b9d9d", "#6aa84f", "#d9893b", "#7f7f7f")
    for (stage, *values), colour in zip(stages, colours, strict=True):
        widths = np.array([float(value or 0) for value in values])
        axes.barh(
            [config.strip("`") for config in configs],
            widths,
            left=left,
            color=colour,
            label=stage.removeprefix(STAGE),
        )
        left += widths
    axes.invert_yaxis()
    axes.set_xlabel("CPU milliseconds of a row")
    axes.grid(axis="x")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", ncols=2, handlelength=1)
    return figure


def _main(data: Data) -> ConfigFacts:
    return data.facts.configs["cuda"]


PLOTS = (
    Plot("flow", "How a row is made, proved and judged, from an address to a verdict", _flow),
    Plot("families", "Rows of each family, by level of difficulty", _families),
    Plot("lengths", "How long prompts and completions are, config by config", _lengths),
    Plot("types", "The most frequent types of arguments", _types),
    Plot("builtins", "The most frequent built-ins of Warp", _builtins),
    Plot("instructions", "The most frequent PTX instructions", _instructions),
    Plot("errors", "How far the accounts of a kernel lie apart, proof by proof", _errors),
    Plot("neighbours", "How near held-out rows are to rows of train", _neighbours),
    Plot("cost", "The CPU time of a row, by stage", _cost),
)
