"""Verdicts on disk outlast whoever wrote them, and are never taken for others."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.evaluation.verdicts import Setting, beside, opened
from warp_ir_dataset.judge.verdict import Status, Verdict

SETTING = Setting("cpu", 3, False, "1.0.0", "2.0.0", "3.0.0")
RIGHT = Verdict(Status.CORRECT, "all\nright", 3)
WRONG = Verdict(Status.WRONG_OUTPUT, "no", 3)


def kept(path: Path, setting: Setting = SETTING, **add: Verdict) -> dict[tuple[str, str], Verdict]:
    """The verdicts in a file after some were added; their names are the ids."""
    with opened(path, setting) as found:
        for id, verdict in add.items():
            found.add((id, "digest"), verdict)
        return dict(found.verdicts)


def test_verdicts_are_there_again(tmp_path: Path) -> None:
    path = tmp_path / "v"
    kept(path, a=RIGHT)
    first = path.read_bytes()
    assert kept(path, b=WRONG) == {("a", "digest"): RIGHT, ("b", "digest"): WRONG}
    assert path.read_bytes().startswith(first) and path.read_bytes().count(b"\n") == 2
    assert kept(path) == {("a", "digest"): RIGHT, ("b", "digest"): WRONG}


def test_a_verdict_is_never_changed(tmp_path: Path) -> None:
    path = tmp_path / "v"
    kept(path, a=RIGHT)
    assert kept(path, a=WRONG) == {("a", "digest"): RIGHT}


@pytest.mark.parametrize(
    "other",
    [{"config": "cuda"}, {"seed": 4}, {"weaker_sandbox": True}, {"generator": "1.0.1"}, {"judge": "2.0.1"},
     {"warp": "3.0.1"}],
)  # fmt: skip
def test_verdicts_of_another_setting_are_left_alone(other: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "v"
    kept(path, a=RIGHT)
    changed = replace(SETTING, **other)  # type: ignore[arg-type]
    assert kept(path, changed) == {}
    kept(path, changed, a=WRONG)
    assert kept(path) == {("a", "digest"): RIGHT}


def test_what_a_killed_run_left_unfinished_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "v"
    kept(path, a=RIGHT, b=WRONG)
    whole = path.read_bytes()
    for cut in range(1, len(whole.splitlines()[1]) + 1):
        path.write_bytes(whole[:-cut])
        assert kept(path) == {("a", "digest"): RIGHT}
        kept(path, b=WRONG)
        assert path.read_bytes() == whole


@pytest.mark.parametrize("line", ["x", "3", "[]", "{}", '{"id": "a", "answer": "b", "status": "fine"}'])
def test_a_file_of_something_else_is_left_as_it_is(line: str, tmp_path: Path) -> None:
    path = tmp_path / "v"
    kept(path, a=RIGHT)
    with path.open("a") as file:
        file.write(f"{line}\nmore")
    before = path.read_bytes()
    with pytest.raises(UserError, match=f"^{path}, line 2: .*--results"):
        kept(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ['{"id": "0123456789abcdef", "completion": "x"}', '{"idea": 1}', "x"])
def test_a_last_line_of_something_else_is_left_as_it_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "v"
    path.write_text(text)
    with pytest.raises(UserError, match=f"^{path}, line 1: .*--results"):
        kept(path)
    assert path.read_text() == text


@pytest.mark.parametrize("status", [Status.UNSUPPORTED, Status.UNAVAILABLE])
def test_what_says_nothing_about_an_answer_is_not_kept(status: Status, tmp_path: Path) -> None:
    path = tmp_path / "v"
    assert kept(path, a=Verdict(status, "why", 3))
    assert kept(path) == {} and not path.read_bytes()


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "v"
    with opened(path, SETTING) as first:
        with pytest.raises(UserError, match=f" to {path}: .*--results FILE"):
            kept(path)
        first.add(("a", "digest"), RIGHT)
    assert kept(path) == {("a", "digest"): RIGHT}


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f" to {tmp_path}/nowhere/v: "):
        kept(tmp_path / "nowhere" / "v")


@pytest.mark.parametrize("place", [".", "..", "/", "/dev/full", "/dev/zero"])
def test_what_is_no_plain_file_is_said(place: str) -> None:
    with pytest.raises(UserError, match=f"^{re.escape(place)} .*--results FILE"):
        kept(Path(place))


@pytest.mark.parametrize("place", ["/proc/self/fd/verdicts", "/proc/verdicts", "a" * 300])
def test_a_place_that_cannot_be_written_is_no_other_run(place: str) -> None:
    with pytest.raises(UserError, match=f" to {place}: "):
        kept(Path(place))


def test_in_dev_null_nothing_is_kept() -> None:
    for _ in range(2):
        assert kept(Path("/dev/null")) == {}
        assert kept(Path("/dev/null"), a=RIGHT) == {("a", "digest"): RIGHT}


def test_they_lie_beside_the_predictions(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").touch()
    assert beside(tmp_path / "answers.jsonl") == tmp_path / "answers.verdicts.jsonl"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match=f"^{tmp_path}/pipe .*--results FILE"):
        beside(tmp_path / "pipe")
