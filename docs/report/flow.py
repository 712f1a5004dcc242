"""Draws how a row is made, proved and judged, from an address to a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from themes import Theme, blank

from warp_ir_dataset.common.configs import CONFIGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(theme: Theme) -> Figure:
    """The picture; places are in points, from the upper left."""
    figure = blank(7.0, layout=None)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, 360), ylim=(504, 0))
    axes.axis("off")
    green, blue, orange = (CONFIGS[name].colour for name in ("cuda", "cpu", "cuda_backward"))
    _box(axes, theme, 75, 8, 210, "address: seed, purpose, number")
    _arrow(axes, theme, 180, 32, 180, 48)
    _box(axes, theme, 75, 48, 210, "typed program (a tree)", green)
    _arrow(axes, theme, 130, 72, 60, 96)
    _arrow(axes, theme, 180, 72, 180, 96)
    _arrow(axes, theme, 230, 72, 300, 96)
    _box(axes, theme, 4, 96, 112, "words: task,\nspecification", green)
    _box(axes, theme, 124, 96, 112, "Python source\n(Warp)", green)
    _box(axes, theme, 244, 96, 112, "plain CUDA C++\n(our renderer)", green)
    _arrow(axes, theme, 180, 136, 180, 160)
    axes.text(186, 152, "Warp", color=theme.ink, va="center")
    _box(axes, theme, 4, 160, 112, "C++ for\nthe CPU", blue)
    _box(axes, theme, 124, 160, 112, "CUDA C++\nforward", blue)
    _box(axes, theme, 244, 160, 112, "CUDA C++\n+ adjoint", blue)
    _arrow(axes, theme, 180, 200, 180, 224)
    axes.text(174, 214, "NVRTC: PTX", color=theme.ink, ha="right", va="center")
    axes.text(186, 214, "clang: runs on a CPU", color=theme.ink, va="center")
    _box(axes, theme, 14, 224, 332, "outputs of 3 cases or more, threads in two orders", blue)
    _arrow(axes, theme, 180, 248, 180, 268)
    axes.text(180, 278, "must agree with", color=theme.ink, ha="center", va="center")
    _box(axes, theme, 4, 292, 112, "numpy in\nfloat64", orange)
    _box(axes, theme, 124, 292, 112, "numpy rounded\notherwise", orange)
    _box(axes, theme, 244, 292, 112, "central\ndifferences", orange)
    _arrow(axes, theme, 100, 332, 100, 360)
    axes.text(106, 346, "agree", color=theme.ink, va="center")
    _arrow(axes, theme, 290, 332, 290, 360)
    axes.text(284, 346, "disagree", color=theme.ink, ha="right", va="center")
    _box(axes, theme, 14, 360, 172, "a row: prompt, completion,\ncode, cases, checks", green)
    _box(axes, theme, 224, 360, 132, "rejected; the\nreason is counted")
    _arrow(axes, theme, 100, 400, 100, 424)
    axes.text(106, 412, "a model answers the prompt", color=theme.ink, va="center")
    _box(
        axes,
        theme,
        14,
        424,
        332,
        "the judge: compiles it, runs it in a sandbox on\nhidden inputs, in four orders of threads",
        orange,
    )
    _arrow(axes, theme, 180, 464, 180, 480)
    axes.text(180, 491, "right, or wrong and why", color=theme.ink, ha="center", va="center")
    return figure


def _box(
    axes: Axes, theme: Theme, x: float, y: float, width: float, text: str, edge: str | None = None
) -> None:
    from matplotlib.patches import FancyBboxPatch

    height = 40 if "\n" in text else 24
    shape = FancyBboxPatch(
        (x + 3, y + 3),
        width - 6,
        height - 6,
        "round,pad=3",
        facecolor=theme.box,
        edgecolor=edge or theme.pale,
    )
    axes.add_patch(shape)
    axes.text(x + width / 2, y + height / 2, text, color=theme.ink, ha="center", va="center", linespacing=1.1)


def _arrow(axes: Axes, theme: Theme, x: float, y: float, to_x: float, to_y: float) -> None:
    arrow = {"arrowstyle": "->", "color": theme.ink, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (to_x, to_y), (x, y), arrowprops=arrow)
