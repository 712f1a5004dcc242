"""The result of scoring a split: as figures, as text for a terminal, as JSON."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from ..common.configs import CONFIGS
from ..judge.verdict import Status
from .measure import LEVEL, RESAMPLES, Estimate, Figures, Kernel, figures
from .verdicts import Setting

WIDTH = 80
LEAST = 10  # kernels; of fewer, a table shows no interval


@dataclass(frozen=True)
class Evaluation:
    """The result of scoring a split.

    Handwritten rows, whose `config` is no task, have a score for originals and one for twins, and none for
    both.

    Attributes:
        config: Config of the rows.
        split: Split of the rows.
        setting: What the verdicts depend on; it names the task that was answered.
        ks: Values of k for pass@k.
        kernels: Rows of the split in its order, except those of `unjudged`. A row without an answer counts as
            unsolved.
        unjudged: Ids of rows whose answers say nothing, and why.
        unasked: How many handwritten rows have no prompt of the task.
        statuses: How many answers have each status; equal answers count as often as they were given.
    """

    config: str
    split: str
    setting: Setting
    ks: tuple[int, ...]
    kernels: tuple[Kernel, ...]
    unjudged: Mapping[str, str]
    unasked: int
    statuses: Counter[Status]

    @property
    def unanswered(self) -> int:
        return sum(not kernel.answers for kernel in self.kernels)

    @cached_property
    def total(self) -> Figures | None:
        """None where no kernel could be judged."""
        return figures(self.kernels, self.ks) if self.kernels else None

    @property
    def is_of_people(self) -> bool:
        return not CONFIGS[self.config].drawn

    @cached_property
    def parts(self) -> dict[str, Figures]:
        """Originals, those of them whose twin is there to compare with, and twins."""
        twins = [kernel for kernel in self.kernels if kernel.twin_of is not None]
        originals = [kernel for kernel in self.kernels if kernel.twin_of is None]
        met = {kernel.twin_of for kernel in twins}
        both = [kernel for kernel in originals if kernel.id in met]
        groups = {"originals": originals, "originals with a twin": both, "twins": twins}
        return {name: figures(group, self.ks) for name, group in groups.items() if group}

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
        told: dict[str, Any] = {
            **asdict(self.setting),
            "config": self.config,
            "task": self.setting.config,
            "split": self.split,
            "answers": self.statuses.total(),
            "statuses": {status.value: self.statuses[status] for status in Status if self.statuses[status]},
            "kernels": len(self.kernels),
            "unanswered": self.unanswered,
            "unjudged": len(self.unjudged),
            "reasons": dict(self.unjudged),
            "unasked": self.unasked,
            "interval": {"level": LEVEL, "resamples": RESAMPLES},
        }
        if self.is_of_people:
            return told | {name.replace(" ", "_"): _plain(group) for name, group in self.parts.items()}
        return told | {
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
        task = f", asked as {self.setting.config}" if self.is_of_people else ""
        yield f"{self.config}, {self.split}{task}: {answers:,} answers"
        if self.total is None:
            return
        columns = "".join(f"{f'pass@{k}':>9}{f'{LEVEL:.0%} interval':>16}" for k in self.ks)
        if self.is_of_people:
            yield ""
            yield f"{'':<22}{'kernels':>8}{columns}"
            yield from (_line(name, group) for name, group in self.parts.items())
            return
        for title, groups in (("family", self.families), ("difficulty", self.difficulties)):
            yield ""
            yield f"{title:<22}{'kernels':>8}{columns}"
            yield from (_line(f"  {name}", group) for name, group in groups.items())
        yield ""
        yield _line("all", self.total)

    def _remarks(self) -> Iterator[str]:
        counts = ", ".join(f"{count:,} {status.value}" for status, count in self.statuses.most_common())
        yield from textwrap.wrap(f"Answers: {counts}.", WIDTH, subsequent_indent="  ")
        yield f"Hidden inputs are those of seed {self.setting.seed}."
        if self.unanswered:
            count = self.unanswered
            what = "1 kernel of the split has" if count == 1 else f"{count:,} kernels of the split have"
            yield f"{what} no answer, and count{'s' * (count == 1)} as unsolved."
        if self.unjudged:
            yield f"{len(self.unjudged):,} kernels could not be judged, and do not count:"
            for why, count in Counter(self.unjudged.values()).most_common():
                yield from textwrap.wrap(f"  {count:,}: {why}", WIDTH, subsequent_indent="    ")
        if self.unasked:
            yield f"{self.unasked:,} kernels have no prompt of {self.setting.config}, and do not count."


def _line(name: str, group: Figures) -> str:
    cells = (_cells(estimate, group.kernels) for estimate in group.passes.values())
    return f"{name:<22}{group.kernels:>8,}{''.join(cells)}"


def _cells(estimate: Estimate, kernels: int) -> str:
    ends = f"{estimate.low:.1%} - {estimate.high:.1%}" if kernels >= LEAST else "-"
    return f"{estimate.value:>9.1%}{ends:>16}"


def _plain(group: Figures) -> dict[str, Any]:
    few = group.kernels < LEAST
    return {"kernels": group.kernels} | {
        f"pass@{k}": asdict(each) | ({"low": None, "high": None} if few else {})
        for k, each in group.passes.items()
    }
