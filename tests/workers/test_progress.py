from __future__ import annotations

import io
import re
import sys
from typing import Any

import pytest

from warp_ir_dataset.common.outcomes import Reason, Rejected, failures
from warp_ir_dataset.workers import progress
from warp_ir_dataset.workers.progress import Bar, Tally

BAD = Rejected(Reason.NEAR_ZERO, "a toy")


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def batch(bar: Bar, clock: Clock, at: float, rows: int) -> None:
    clock.now = at
    for _ in range(rows):
        bar.seen(None, {})


def remains(text: str) -> list[str]:
    """The lines that a terminal shows in the end."""
    return [line.rpartition("\r")[2].rstrip() for line in text.replace("\r\n", "\n").split("\n")]


def onto(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """The standard error from here on; pytest has its own until the test runs."""
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def test_there_is_no_rate_until_two_batches_tell_one() -> None:
    clock = Clock()
    tally = Tally("cuda", 100, clock=clock)
    bar = Bar(tally, quiet=True)
    rates: list[Any] = [tally.rate]
    for at, rows in ((10.0, 20), (10.4, 20), (13.0, 20), (15.0, 20), (16.0, 10)):
        batch(bar, clock, at, rows)
        rates.append(tally.rate and round(tally.rate, 2))
    # Two workers' first batches are where it begins; a batch counts when it is whole.
    assert rates == [None, None, None, None, 7.69, 8.7]


def test_a_bar_predicts_nothing_before_the_first_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = onto(Terminal(), monkeypatch)
    clock = Clock()
    with Bar(Tally("cuda", 100, clock=clock)) as bar:
        clock.now = 50.0
        bar.seen(None, BAD)
        before = terminal.getvalue()
        assert "starting" in before and "left" not in before and "/s" not in before
        batch(bar, clock, 60.0, 20)
        batch(bar, clock, 64.0, 20)
        batch(bar, clock, 66.0, 20)
        bar._drawn.refresh()  # type: ignore[union-attr]
        assert re.search(r" 60/100 \[01:06, 00:14 left,  2.86 rows/s\]", terminal.getvalue())
        batch(bar, clock, 70.0, 40)
    shown = remains(terminal.getvalue())
    assert "100/100 [01:10]" in shown[0]
    assert shown[1:] == ["cuda: 1 candidate failed its proof and was replaced", ""]


def test_bars_one_after_another_show_one_tally(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = onto(Terminal(), monkeypatch)
    clock = Clock()
    tally = Tally("cuda", 40, clock=clock)
    with Bar(tally, keep=False) as bar:
        batch(bar, clock, 5.0, 20)
    clock.now = 1000.0  # what happens in between takes no time of ours
    with Bar(tally, keep=False) as bar:
        assert "20/40 [00:05]" in remains(terminal.getvalue())[-1]
        batch(bar, clock, 1002.0, 20)
        bar.keep = tally.whole
    shown = remains(terminal.getvalue())
    assert len(shown) == 2 and "40/40 [00:07]" in shown[0]


def test_a_bar_that_is_not_kept_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = onto(Terminal(), monkeypatch)
    with pytest.raises(KeyboardInterrupt), Bar(Tally("cuda", 40), keep=False) as bar:
        bar.seen(None, {})
        raise KeyboardInterrupt
    assert remains(terminal.getvalue()) == [""]


def test_a_log_has_a_line_at_the_start_and_one_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    log = onto(io.StringIO(), monkeypatch)
    clock = Clock()
    tally = Tally("cuda", 1200, done=100, clock=clock)
    for _ in range(2):
        with Bar(tally) as bar:
            batch(bar, clock, clock.now + 6, 550)
            bar.seen(None, BAD)
    assert log.getvalue().splitlines() == [
        "cuda: 1,100 rows to make",
        "cuda: all 1,200 rows are there, after 12 s; 2 candidates failed their proof and were replaced",
    ]


@pytest.mark.parametrize(
    ("count", "replaced", "says"),
    [
        (0, True, ""),
        (1, True, "1 candidate failed its proof and was replaced"),
        (9, True, "9 candidates failed their proof and were replaced"),
        (1200, False, "1,200 candidates failed their proof and were left out"),
    ],
)
def test_failures_are_counted_in_words(count: int, replaced: bool, says: str) -> None:
    assert failures(count, replaced=replaced) == says


def test_a_log_says_nothing_of_failures_where_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    log = onto(io.StringIO(), monkeypatch)
    with Bar(Tally("cuda", 2)) as bar:
        bar.seen(None, {})
        bar.seen(None, {})
    assert re.fullmatch(r"cuda: all 2 rows are there, after \d+ s", log.getvalue().splitlines()[-1])


def test_without_spares_a_failure_leaves_a_row_out(monkeypatch: pytest.MonkeyPatch) -> None:
    log = onto(io.StringIO(), monkeypatch)
    with Bar(Tally("handwritten", 2, spares=False)) as bar:
        bar.seen(None, BAD)
        bar.seen(None, {})
    last = log.getvalue().splitlines()[-1]
    assert "all 1 rows" in last and last.endswith("; 1 candidate failed its proof and was left out")


@pytest.mark.parametrize("options", [{"quiet": True}, {"done": 40}])
def test_where_there_is_nothing_to_show_nothing_is_shown(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    terminal = onto(Terminal(), monkeypatch)
    with Bar(Tally("cuda", 40, done=options.pop("done", 0)), **options) as bar:
        bar.seen(None, BAD)
    assert terminal.getvalue() == ""


def test_a_notebook_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    onto(io.StringIO(), monkeypatch)
    assert not progress._is_watched()
    monkeypatch.setitem(sys.modules, "ipykernel", io)
    assert progress._is_watched()


def test_without_spares_a_rejected_row_is_not_waited_for() -> None:
    tally = Tally("repair", 3, spares=False)
    tally.add({})
    tally.add(BAD)
    assert (tally.rows, tally.done, tally.whole, tally.failed) == (2, 1, False, 1)
    tally.add({})
    assert tally.whole and tally.started
    spared = Tally("cuda", 3, done=2)
    assert not spared.started
    spared.add(BAD)
    assert (spared.rows, spared.whole) == (3, False)


def test_time_between_bars_does_not_count() -> None:
    clock = Clock()
    tally = Tally("cuda", 100, clock=clock)
    tally.resume()  # it was not paused
    clock.now = 7.0
    assert tally.seconds == 7.0
    tally.pause()
    clock.now = 100.0
    assert tally.seconds == 7.0
    tally.resume()
    clock.now = 103.0
    assert tally.seconds == 10.0


def test_a_rate_needs_two_seconds() -> None:
    clock = Clock()
    tally = Tally("cuda", 100, clock=clock)
    bar = Bar(tally, quiet=True)
    batch(bar, clock, 0.0, 10)
    for at in (1.9, 2.0, 2.1):
        batch(bar, clock, at, 1)
    assert tally.rate == pytest.approx(2 / 2.0)


def test_in_a_log_a_bar_that_is_not_kept_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    log = onto(io.StringIO(), monkeypatch)
    words = progress.Words("answers", "to judge", "are judged")
    with Bar(Tally("cuda", 2000, words=words), keep=False) as bar:
        for _ in range(2000):
            bar.seen(None, {})
    assert log.getvalue() == "cuda: 2,000 answers to judge\n"
    with Bar(Tally("cpu", 1)) as bar:  # is not whole
        bar.seen(None, BAD)
    assert log.getvalue().splitlines()[1:] == ["cpu: 1 rows to make"]
