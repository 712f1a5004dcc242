from __future__ import annotations

import io
import re
import sys
from typing import Any

import pytest

from warp_ir_dataset.common.outcomes import Reason, Rejected, failures
from warp_ir_dataset.workers import progress
from warp_ir_dataset.workers.progress import Bar

BAD = Rejected(Reason.NEAR_ZERO, "a toy")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def see(bar: Bar, rows: int) -> None:
    for _ in range(rows):
        bar.seen(None, {})


def remains(text: str) -> list[str]:
    """The lines that a terminal shows in the end."""
    return [line.rpartition("\r")[2].rstrip() for line in text.replace("\r\n", "\n").split("\n")]


def onto(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """The standard error from here on; pytest has its own until the test runs."""
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def test_a_bar_shows_rows_rate_and_time_left_and_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = onto(Terminal(), monkeypatch)
    with Bar("cuda", 100, done=20) as bar:
        bar.seen(None, BAD)
        assert "20/100" in terminal.getvalue() and "? rows/s" in terminal.getvalue()
        see(bar, 80)
    shown = remains(terminal.getvalue())
    assert re.search(r"cuda: 100%\|.*\| 100/100 \[00:0\d<00:00, .* rows/s\]", shown[0])
    assert shown[1:] == ["cuda: 1 candidate failed its proof and was replaced", ""]


def test_the_time_in_which_compilers_start_predicts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    onto(Terminal(), monkeypatch)
    with Bar("cuda", 100) as bar:
        assert bar._drawn is not None
        bar._drawn.start_t -= 3600
        bar._drawn.last_print_t -= 3600
        see(bar, 50)
        assert bar._drawn.format_dict["elapsed"] < 60


def test_a_bar_may_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = onto(Terminal(), monkeypatch)
    with Bar("planning cuda", 20) as bar:
        see(bar, 20)
        bar.total += 30
        see(bar, 30)
    assert "50/50" in remains(terminal.getvalue())[0]


def test_a_bar_that_is_not_kept_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = onto(Terminal(), monkeypatch)
    with pytest.raises(KeyboardInterrupt), Bar("cuda", 40, keep=False) as bar:
        bar.seen(None, {})
        raise KeyboardInterrupt
    assert remains(terminal.getvalue()) == [""]


def test_whether_a_bar_is_kept_may_be_said_late(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = onto(Terminal(), monkeypatch)
    with Bar("cuda", 40, keep=False) as bar:
        see(bar, 40)
        bar.keep = bar.is_whole
    assert "40/40" in remains(terminal.getvalue())[0]


def test_a_log_has_a_line_at_the_start_and_one_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    log = onto(io.StringIO(), monkeypatch)
    with Bar("cuda", 1200, done=100) as bar:
        see(bar, 1100)
        bar.seen(None, BAD)
        bar.seen(None, BAD)
    assert re.fullmatch(
        "cuda: 1,100 rows to make\n"
        r"cuda: all 1,200 rows are there, after \d s; 2 candidates failed their proof and were replaced\n",
        log.getvalue(),
    )


def test_a_log_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    log = onto(io.StringIO(), monkeypatch)
    with Bar("cuda", 2, announced=True) as bar:
        see(bar, 2)
    assert re.fullmatch(r"cuda: all 2 rows are there, after \d s\n", log.getvalue())


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


def test_without_spares_a_failure_leaves_a_row_out(monkeypatch: pytest.MonkeyPatch) -> None:
    log = onto(io.StringIO(), monkeypatch)
    with Bar("handwritten", 2, spares=False) as bar:
        bar.seen(None, BAD)
        assert (bar.total, bar.is_whole) == (1, False)
        bar.seen(None, {})
    last = log.getvalue().splitlines()[-1]
    assert "all 1 rows" in last and last.endswith("; 1 candidate failed its proof and was left out")


def test_with_spares_a_failure_is_replaced() -> None:
    bar = Bar("cuda", 3, done=2, quiet=True)
    bar.seen(None, BAD)
    assert (bar.total, bar.is_whole, bar.failed) == (3, False, 1)


@pytest.mark.parametrize("options", [{"quiet": True}, {"done": 40}])
def test_where_there_is_nothing_to_show_nothing_is_shown(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    for stream in (Terminal(), io.StringIO()):
        shown = onto(stream, monkeypatch)
        with Bar("cuda", 40, **options) as bar:
            bar.seen(None, BAD)
        assert shown.getvalue() == ""


def test_a_notebook_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    onto(io.StringIO(), monkeypatch)
    assert not progress._is_watched()
    monkeypatch.setitem(sys.modules, "ipykernel", io)
    assert progress._is_watched()


def test_in_a_log_a_bar_that_is_not_kept_or_whole_ends_without_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = onto(io.StringIO(), monkeypatch)
    words = progress.Words("answers", "to judge", "are judged")
    with Bar("cuda", 2000, words=words, keep=False) as bar:
        see(bar, 2000)
    assert log.getvalue() == "cuda: 2,000 answers to judge\n"
    with Bar("cpu", 1) as bar:
        bar.seen(None, BAD)
    assert log.getvalue().splitlines()[1:] == ["cpu: 1 rows to make"]
