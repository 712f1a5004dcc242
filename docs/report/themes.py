"""Gives the report's pictures their size, their letters and their colours, on light and on dark pages.

A picture is 360 points wide. No letter is lower than 11 points, so that it has 11 pixels on a page of 360
pixels. Texts stay texts, which keeps files small. Equal data give equal bytes with one version of matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Literal

import numpy as np

from warp_ir_dataset.publishing import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 5.0  # inches, of 72 points
LETTER = 11  # points


@dataclass(frozen=True)
class Theme:
    """Colours for a page's background."""

    name: str
    ink: str
    pale: str
    box: str


THEMES = (Theme("light", "#1f2328", "#c9d1d9", "#f0f3f6"), Theme("dark", "#e6edf3", "#444c56", "#21262d"))


def style(theme: Theme) -> dict[str, object]:
    return {
        **plots.STYLE,
        "svg.fonttype": "none",
        "svg.hashsalt": "report",
        "font.size": LETTER,
        "axes.titlesize": LETTER,
        "axes.labelsize": LETTER,
        "xtick.labelsize": LETTER,
        "ytick.labelsize": LETTER,
        "legend.fontsize": LETTER,
        "text.color": theme.ink,
        "axes.labelcolor": theme.ink,
        "axes.edgecolor": theme.pale,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "savefig.facecolor": "none",
        "xtick.color": theme.ink,
        "ytick.color": theme.ink,
        "grid.color": theme.pale,
    }


def svg(figure: Figure) -> str:
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def blank(height: float, layout: Literal["constrained"] | None = "constrained") -> Figure:
    """A figure without anything in it; `height` in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), layout=layout)


def rectangles(
    axes: Axes, left: np.ndarray, widths: Sequence[float] | np.ndarray, colour: str, label: str = ""
) -> None:
    """Horizontal bars, the first one lowest, as one path: a file has not one path for each of hundreds."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    bars = [
        Outline(
            [(x, y - 0.37), (x + width, y - 0.37), (x + width, y + 0.37), (x, y + 0.37), (x, y)], closed=True
        )
        for y, (x, width) in enumerate(zip(left.tolist(), widths, strict=True))
        if width
    ]
    if bars:
        axes.add_patch(PathPatch(Outline.make_compound_path(*bars), color=colour, linewidth=0, label=label))
        axes.autoscale_view()
