"""Draws plots of a build's facts. Needs matplotlib, from the extra [report]."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..common.configs import CONFIGS
from ..common.errors import UserError
from ..common.files import writable, write
from .facts import HELD_OUT, Facts, grouped
from .similarity import THRESHOLDS
from .tables import LIMITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

LEVELS = ("#d5e8d4", "#a3cfa0", "#6aa84f", "#3f7a3a", "#1f4a2c")  # difficulty 1 to 5
INK, PALE = "#2b2b2b", "#d9d9d9"
WIDTH = 8.0  # inches
DPI = 110
ADVICE = 'for plots, pip install ".[report]" in the checkout adds matplotlib'
SHOWN = 40
CURVES = 3  # beside each other
LETTERS = 84  # of a title, in the width of a figure

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": PALE,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": PALE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}


@dataclass(frozen=True)
class Plot:
    """One picture: its file, what it shows in words, and what draws it where there is something to draw."""

    file: str
    alt: str
    draw: Callable[[Facts], Figure | None]


def available() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def save(facts: Facts, folder: Path) -> dict[str, str]:
    """Draw every plot there is data for into `folder`; file names and what they show.

    Plots of an earlier call are removed. Raises `UserError` without matplotlib, and when the disk refuses.
    """
    if not available():
        raise UserError(ADVICE)
    import matplotlib

    shown = {}
    with writable(f"to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for plot in PLOTS:
            with matplotlib.rc_context(STYLE):
                figure = plot.draw(facts)
                if figure is not None:
                    write(folder / plot.file, _png(figure))
                    shown[plot.file] = plot.alt
                else:
                    (folder / plot.file).unlink(missing_ok=True)
    return shown


def remove(folder: Path) -> None:
    """Remove the plots of an earlier call, and the folder if nothing else is in it."""
    for plot in PLOTS:
        (folder / plot.file).unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _png(figure: Figure) -> bytes:
    """Nothing but the picture: equal facts give equal bytes."""
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=DPI, metadata={"Software": None})
    return picture.getvalue()


def _figure(height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), layout="constrained")


# ---- families and difficulties


def _families(facts: Facts) -> Figure | None:
    configs = [config for config in facts.configs.values() if config.levels]
    groups = grouped(configs)
    if not groups:
        return None
    families = sorted({family for config in configs for family in config.families}, reverse=True)
    figure = _figure(1.2 + 0.27 * len(families))
    panels = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for panel, group in zip(panels, groups, strict=True):
        left = np.zeros(len(families))
        for level, colour in enumerate(LEVELS, start=1):
            counts = np.array([group[0].cells.get((family, level), 0) for family in families])
            panel.barh(families, counts, left=left, color=colour, height=0.75, label=str(level))
            left += counts
        panel.set_title(_titled([config.name for config in group], len(groups)))
        panel.set_xlabel("rows")
        _whole_numbers(panel.xaxis)
        _grid(panel, "x")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, title="difficulty", loc="outside right center")
    return figure


# ---- lengths


def _lengths(facts: Facts) -> Figure:
    configs = list(facts.configs.values())
    figure = _figure(0.6 + 1.35 * len(configs))
    panels = figure.subplots(len(configs), 1, sharex=True, squeeze=False)[:, 0]
    every = np.concatenate([config.pair_tokens for config in configs])
    low, high = max(1, every.min() * 0.9), max(every.max() * 1.1, LIMITS[-1])
    bins = np.geomspace(low, high, 61)
    for panel, config in zip(panels, configs, strict=True):
        panel.hist(config.pair_tokens, bins=bins, color=CONFIGS[config.name].colour)
        median, most = np.percentile(config.pair_tokens, (50, 90), method="inverted_cdf")
        panel.margins(y=0.45)  # room for the words
        _marks(panel, {f"half: {median:,.0f}": median, f"nine in ten: {most:,.0f}": most})
        panel.set_title(config.name)
        panel.set_ylabel("rows")
        _whole_numbers(panel.yaxis)
        _grid(panel, "x")
    panels[-1].set_xscale("log")
    ticks = [limit for limit in (256, 512, *LIMITS, 65536, 262144) if low <= limit <= high]
    panels[-1].set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    panels[-1].set_xticks([], minor=True)
    panels[-1].set_xlim(low, high)
    panels[-1].set_xlabel("tokens of prompt and completion, estimated")
    return figure


def _marks(panel: Axes, places: Mapping[str, float]) -> None:
    """Dashed lines across a panel, each with its words to the right of its top."""
    for line, (words, place) in enumerate(places.items()):
        panel.axvline(place, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
        height = 0.99 - 0.16 * line
        panel.annotate(
            words, (place, height), (4, 0), ("data", "axes fraction"), "offset points", va="top", fontsize=8
        )


# ---- built-ins, types, instructions


def _builtins(facts: Facts) -> Figure | None:
    shares = {c.name: {n: k / c.total for n, k in c.builtins.items()} for c in facts.configs.values()}
    return _bars(shares, SHOWN, "share of rows that call the built-in")


def _types(facts: Facts) -> Figure | None:
    shares = {c.name: {n: k / c.total for n, k in c.types.items()} for c in facts.configs.values()}
    return _bars(shares, SHOWN, "share of rows with an argument of the type")


def _instructions(facts: Facts) -> Figure | None:
    shares = {
        c.name: {n: k / c.instructions.total() for n, k in c.instructions.items()}
        for c in facts.configs.values()
        if c.instructions
    }
    return _bars(shares, 25, "share of all PTX instructions")


def _bars(shares: Mapping[str, Mapping[str, float]], most: int, label: str) -> Figure | None:
    """One group of bars per name, ordered by their sum, in as many columns as are legible."""
    totals: dict[str, float] = {}
    for values in shares.values():
        for name, value in values.items():
            totals[name] = totals.get(name, 0.0) + value
    names = sorted(totals, key=lambda name: (-totals[name], name))[:most]
    if not names:
        return None
    count = 1 if len(names) <= 12 else 2
    length = -(-len(names) // count)
    figure = _figure(1.0 + 0.24 * length)
    panels = figure.subplots(1, count, sharex=False, squeeze=False)[0]
    for column, panel in enumerate(panels):
        part = names[column * length : (column + 1) * length]
        _group(panel, part, shares)
        panel.set_ylim(length - 0.4, -0.6)
        panel.set_xlabel(label + (", finer scale" if column else ""))
        panel.xaxis.set_major_formatter(lambda value, _: f"{value:.3g} %")
        _grid(panel, "x")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels))
    return figure


def _group(panel: Axes, names: list[str], shares: Mapping[str, Mapping[str, float]]) -> None:
    height = 0.8 / len(shares)
    for at, (config, values) in enumerate(shares.items()):
        places = np.arange(len(names)) + (at - (len(shares) - 1) / 2) * height
        widths = [100 * values.get(name, 0.0) for name in names]
        panel.barh(places, widths, height=height, color=CONFIGS[config].colour, label=config)
    panel.set_yticks(range(len(names)), names)


# ---- neighbours


def _neighbours(facts: Facts) -> Figure | None:
    held_out = {
        c.name: np.array([s for split in HELD_OUT for s in c.nearest[split].values()])
        for c in facts.configs.values()
    }
    held_out = {name: similarities for name, similarities in held_out.items() if similarities.any()}
    if not held_out:
        return None
    groups: dict[bytes, list[str]] = {}  # configs of the same kernels have the same curve
    for name, similarities in held_out.items():
        groups.setdefault(np.sort(similarities).tobytes(), []).append(name)
    columns = min(len(groups), CURVES)
    lines = -(-len(groups) // columns)
    figure = _figure(0.9 + 1.5 * lines)
    panels = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for panel, names in zip(panels, groups.values(), strict=False):
        ordered = np.sort(held_out[names[0]])
        left = 100 * np.arange(len(ordered), 0, -1) / len(ordered)
        # From zero, which every row reaches, to one.
        places, shares = np.array([0, *ordered, 1]), np.array([100, *left, 100 * np.mean(ordered >= 1)])
        colour = CONFIGS[names[0]].colour
        panel.fill_between(places, shares, step="pre", color=colour, alpha=0.3, linewidth=0)
        panel.step(places, shares, where="pre", color=colour, linewidth=1.8)
        _marks(panel, {f"{threshold}": threshold for threshold in THRESHOLDS})
        panel.set_title(_titled(names, columns))
        panel.set_xlim(0, 1)
        panel.set_ylim(0, 102)
        _grid(panel, "both")
    for panel in panels[len(groups) - columns : len(groups)]:
        panel.tick_params(labelbottom=True)  # also where the panel below is none
    for panel in panels[len(groups) :]:
        panel.set_visible(False)
    some = "compared rows of " if facts.sampled else ""
    figure.supxlabel("similarity to the nearest row of train, at least", fontsize=9)
    figure.supylabel(f"% of {some}validation and test", fontsize=9)
    return figure


def _titled(names: Sequence[str], columns: int) -> str:
    """The title of one of several panels beside each other: the configs that it is of, in short lines."""
    return textwrap.fill(", ".join(names), LETTERS // columns)


def _whole_numbers(axis: Axis) -> None:
    """Ticks for counts: no half rows."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(4, integer=True))


def _grid(panel: Axes, axis: Literal["x", "both"]) -> None:
    panel.grid(axis=axis)
    panel.tick_params(labelsize=8)


PLOTS = (
    Plot("families.png", "Rows per family and difficulty", _families),
    Plot("lengths.png", "Distribution of the tokens of prompt and completion", _lengths),
    Plot("types.png", "Share of rows by argument type", _types),
    Plot("builtins.png", "Share of rows by built-in", _builtins),
    Plot("instructions.png", "Share of PTX instructions", _instructions),
    Plot("neighbours.png", "How near held-out rows are to train", _neighbours),
)
