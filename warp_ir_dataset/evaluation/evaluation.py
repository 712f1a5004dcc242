"""What became of all answers to a split: as figures, as text for a terminal, as JSON."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from ..judge.verdict import Status
from .measure import LEVEL, RESAMPLES, Estimate, Figures, Kernel, figures
from .verdicts import Setting

WIDTH = 80
LEAST = 10  # kernels; of fewer, a table shows no interval


@dataclass(frozen=True)
class Evaluation:
    """`kernels` are the rows of the split in its order, also those without an answer, which count as
    unsolved, but not the `unjudged` ones, with an answer that says nothing. `statuses` counts answers, the
    same one as often as it was given; `ks` are those of pass@k.
    """

    split: str
    setting: Setting
    ks: tuple[int, ...]
    kernels: tuple[Kernel, ...]
    unjudged: int
    statuses: Counter[Status]

    @property
    def unanswered(self) -> int:
        return sum(not kernel.answers for kernel in self.kernels)

    @cached_property
    def total(self) -> Figures | None:
        """None where no kernel could be judged."""
        return figures(self.kernels, self.ks) if self.kernels else None

    @cached_property
    def families(self) -> dict[str, Figures]:
        return self._groups(lambda kernel: kernel.category)

    @cached_property
    def difficulties(self) -> dict[str, Figures]:
        return self._groups(lambda kernel: str(kernel.difficulty))

    def __str__(self) -> str:
        return "\n".join([*self._table(), "", *self._remarks()])

    def as_json(self) -> dict[str, Any]:
        """The same as plain values: intervals, counts, and what they depend on."""
        return {
            **asdict(self.setting),
            "split": self.split,
            "answers": self.statuses.total(),
            "statuses": {status.value: self.statuses[status] for status in Status if self.statuses[status]},
            "kernels": len(self.kernels),
            "unanswered": self.unanswered,
            "unjudged": self.unjudged,
            "interval": {"level": LEVEL, "resamples": RESAMPLES},
            "all": self.total and _plain(self.total),
            "families": {name: _plain(group) for name, group in self.families.items()},
            "difficulties": {name: _plain(group) for name, group in self.difficulties.items()},
        }

    def _groups(self, of: Callable[[Kernel], str]) -> dict[str, Figures]:
        names = sorted({of(kernel) for kernel in self.kernels})
        return {
            name: figures([kernel for kernel in self.kernels if of(kernel) == name], self.ks)
            for name in names
        }

    def _table(self) -> Iterator[str]:
        answers = self.statuses.total()
        yield f"{self.setting.config}, {self.split}: {answers:,} answers"
        if self.total is None:
            return
        columns = "".join(f"{f'pass@{k}':>9}{f'{LEVEL:.0%} interval':>16}" for k in self.ks)
        for title, groups in (("family", self.families), ("difficulty", self.difficulties)):
            yield ""
            yield f"{title:<22}{'kernels':>8}{columns}"
            yield from (_line(f"  {name}", group) for name, group in groups.items())
        yield ""
        yield _line("all", self.total)

    def _remarks(self) -> Iterator[str]:
        counts = ", ".join(f"{count:,} {status.value}" for status, count in self.statuses.most_common())
        yield from textwrap.wrap(f"Answers: {counts}.", WIDTH, subsequent_indent="  ")
        if self.unanswered:
            yield f"{self.unanswered:,} kernels of the split have no answer, and count as unsolved."
        if self.unjudged:
            yield f"{self.unjudged:,} kernels could not be judged, and do not count."


def _line(name: str, group: Figures) -> str:
    cells = (_cells(estimate, group.kernels) for estimate in group.passes.values())
    return f"{name:<22}{group.kernels:>8,}{''.join(cells)}"


def _cells(estimate: Estimate, kernels: int) -> str:
    ends = f"{estimate.low:.1%} - {estimate.high:.1%}" if kernels >= LEAST else "-"
    return f"{estimate.value:>9.1%}{ends:>16}"


def _plain(group: Figures) -> dict[str, Any]:
    return {"kernels": group.kernels} | {f"pass@{k}": asdict(each) for k, each in group.passes.items()}
