"""A progress bar on the standard error: rows, rate, time left; when all is done, how many candidates failed.

In a log, where each update of a bar would be a new line, one line when it starts and one when all is done.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from tqdm import tqdm

from ..common.outcomes import Outcome, Rejected, failures

BATCH_SECONDS = 1.0  # the first batches of several workers come in within this
GAP_SECONDS = 0.005  # outcomes of one batch are not so far apart
LEAST_SECONDS = 2.0  # less than this of counting predicts nothing
STARTING = "{desc}: {n_fmt} of {total_fmt}{unit} [{elapsed}, starting]"
COUNTING = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}]"
RUNNING = COUNTING.replace("{elapsed}", "{elapsed}, {remaining} left, {rate_fmt}")


@dataclass(frozen=True)
class Words:
    """What is counted, what is to be done with it, and what it is called when that is done."""

    unit: str
    before: str
    after: str


ROWS = Words("rows", "to make", "are there")


class Tally:
    """Rows that are there, out of those that are wanted, and how fast they come. Without `spares` one less is
    wanted with each that is rejected.

    A tally may outlast a bar, so that several bars one after another show one thing; time between them does
    not count. The time until the first batch is in goes into starting compilers, and would predict an hour:
    the rate is of what came after it.
    """

    def __init__(
        self,
        title: str,
        rows: int,
        *,
        done: int = 0,
        spares: bool = True,
        words: Words = ROWS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.title, self.rows, self.done, self.spares = title, rows, done, spares
        self.words = words
        self.failed = 0  # candidates
        self.announced = False  # in a log
        self._clock, self._start = clock, clock()
        self._paused: float | None = None
        self._first: float | None = None  # when the first outcome was in
        # Each a time, and the rows that were there: when the first batch was in, the last whole one, and now.
        self._base = self._settled = self._last = (0.0, 0)

    @property
    def seconds(self) -> float:
        """How long it took so far."""
        return (self._clock() if self._paused is None else self._paused) - self._start

    @property
    def whole(self) -> bool:
        return self.done >= self.rows

    @property
    def started(self) -> bool:
        """Whether anything is in yet."""
        return self._first is not None

    @property
    def rate(self) -> float | None:
        """Rows a second, or None where it is too early to say."""
        seconds, rows = (self._settled[at] - self._base[at] for at in (0, 1))
        return rows / seconds if rows > 0 and seconds >= LEAST_SECONDS else None

    def add(self, outcome: Outcome) -> None:
        now = self.seconds
        if self._first is None:
            self._first = now
        if now - self._last[0] > GAP_SECONDS:
            self._settled = self._last  # all of a batch comes at once, and is not to be cut in two
        if isinstance(outcome, Rejected):
            self.failed += 1
            self.rows -= not self.spares
        else:
            self.done += 1
        self._last = (now, self.done)
        if now - self._first <= BATCH_SECONDS:
            self._base = self._settled = self._last

    def pause(self) -> None:
        self._paused = self._clock()

    def resume(self) -> None:
        if self._paused is not None:
            self._start += self._clock() - self._paused
            self._paused = None

    def failures(self) -> str:
        return failures(self.failed, replaced=self.spares)


class Bar:
    """Draws a tally; `seen` is told each outcome, with the item that it is of.

    With `keep` its last line remains, in a log a line when the tally is whole. It may be set meanwhile.
    """

    def __init__(self, tally: Tally, *, keep: bool = True, quiet: bool = False) -> None:
        self.tally, self.keep, self._quiet = tally, keep, quiet
        self._drawn: _Drawn | None = None

    def seen(self, item: object, outcome: Outcome) -> None:
        self.tally.add(outcome)
        if self._drawn is not None:
            self._drawn.show(self.tally)

    def __enter__(self) -> Bar:
        tally = self.tally
        tally.resume()
        if self._quiet or tally.whole:
            return self
        if _is_watched():
            self._drawn = _Drawn(tally)
        elif not tally.announced:
            tally.announced = True
            _say(f"{tally.title}: {tally.rows - tally.done:,} {tally.words.unit} {tally.words.before}")
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        tally = self.tally
        tally.pause()
        if self._drawn is not None:
            self._drawn.leave = self.keep
            self._drawn.close()
            if self.keep and tally.failed:
                _say(f"{tally.title}: {tally.failures()}")
        elif tally.announced and tally.whole and self.keep:
            all_of = f"all {tally.rows:,} {tally.words.unit} {tally.words.after}"
            line = f"{tally.title}: {all_of}, after {tally.seconds:,.0f} s"
            _say("; ".join(filter(None, (line, tally.failures()))))


class _Drawn(tqdm):  # type: ignore[type-arg]  # only the stubs of tqdm are generic
    """A tally as a bar, without a rate or a time left before there can be one."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        unit = f" {tally.words.unit}"
        super().__init__(desc=tally.title, total=tally.rows, initial=tally.done, unit=unit, miniters=1)

    def show(self, tally: Tally) -> None:
        self.total = tally.rows
        self.update(tally.done - self.n)

    @property
    def format_dict(self) -> dict[str, Any]:
        tally = self._tally
        rate = None if tally.whole else tally.rate
        layout = COUNTING if rate is None else RUNNING
        return {
            **super().format_dict,
            "elapsed": tally.seconds,  # also of bars before this one
            "rate": rate,
            "bar_format": layout if tally.started else STARTING,
        }


def _is_watched() -> bool:
    """Whether somebody sees a bar move: on a terminal, or in a notebook, whose cells are none."""
    return "ipykernel" in sys.modules or (hasattr(sys.stderr, "isatty") and sys.stderr.isatty())


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
