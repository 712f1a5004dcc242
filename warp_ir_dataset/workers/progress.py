"""A progress bar on the standard error: rows, rate, time left; when all is done, how many candidates failed.

In a log, where each update of a bar would be a new line, one line when it starts and one when all is done.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from types import TracebackType

from tqdm import tqdm
from typing_extensions import Never

from ..common.outcomes import Outcome, Rejected, failures


@dataclass(frozen=True)
class Words:
    """What is counted, what is to be done with it, and what it is called when that is done."""

    unit: str
    before: str
    after: str


ROWS = Words("rows", "to make", "are there")


class Bar:
    """Shows how many of `total` rows are there, `done` of which were there before it is entered.

    Without `spares` one less is wanted with each that is rejected. With `keep` its last line remains, in a
    log a line when it is whole. Both `total` and `keep` may be set meanwhile. A log that is `announced` knows
    what is to be made.
    """

    def __init__(
        self,
        title: str,
        total: int,
        *,
        done: int = 0,
        spares: bool = True,
        words: Words = ROWS,
        keep: bool = True,
        quiet: bool = False,
        announced: bool = False,
    ) -> None:
        self.title, self.total, self.done, self.keep = title, total, done, keep
        self.failed = 0  # candidates
        self._spares, self._words, self._quiet, self._announced = spares, words, quiet, announced
        self._drawn: tqdm[Never] | None = None
        self._start: float | None = None  # in a log

    @property
    def is_whole(self) -> bool:
        return self.done >= self.total

    def seen(self, item: object, outcome: Outcome) -> None:
        """Count an outcome, of an item that callers have at hand."""
        if isinstance(outcome, Rejected):
            self.failed += 1
            self.total -= not self._spares
        else:
            self.done += 1
        if self._drawn is not None:
            if self._drawn.n == self._drawn.initial:  # compilers have started, which would predict an hour
                self._drawn.unpause()
            self._drawn.total = self.total
            self._drawn.update(self.done - self._drawn.n)

    def __enter__(self) -> Bar:
        if self._quiet or self.is_whole:
            return self
        if _is_watched():
            unit = f" {self._words.unit}"
            self._drawn = tqdm(desc=self.title, total=self.total, initial=self.done, unit=unit)
        else:
            self._start = time.monotonic()
            if not self._announced:
                _say(f"{self.title}: {self.total - self.done:,} {self._words.unit} {self._words.before}")
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        failed = failures(self.failed, replaced=self._spares)
        if self._drawn is not None:
            self._drawn.leave = self.keep
            self._drawn.close()
            if self.keep and failed:
                _say(f"{self.title}: {failed}")
        elif self._start is not None and self.is_whole and self.keep:
            seconds = time.monotonic() - self._start
            done = f"all {self.total:,} {self._words.unit} {self._words.after}, after {seconds:,.0f} s"
            _say(f"{self.title}: " + "; ".join(filter(None, (done, failed))))


def _is_watched() -> bool:
    """Whether somebody sees a bar move: on a terminal, or in a notebook, whose cells are none."""
    return "ipykernel" in sys.modules or (hasattr(sys.stderr, "isatty") and sys.stderr.isatty())


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
