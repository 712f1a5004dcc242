"""Figures of a split from verdicts that are made up: what counts, what does not, and where it is told."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.evaluation.evaluate import _ks, _task, check_known
from warp_ir_dataset.evaluation.evaluation import Evaluation
from warp_ir_dataset.evaluation.measure import LEVEL, RESAMPLES, Kernel, interval
from warp_ir_dataset.evaluation.validation.finding import SHOWN, Finding, State, Validation, judged, unproved
from warp_ir_dataset.evaluation.verdicts import Setting, opened
from warp_ir_dataset.judge.verdict import Status, Verdict

SETTING = Setting("cpu", 3, False, "1.0.0", "2.0.0", "3.0.0")
STATUSES = Counter({Status.CORRECT: 1200, Status.WRONG_OUTPUT: 34})


def kernel(id: str, correct: int, answers: int = 2, twin_of: str | None = None, **options: Any) -> Kernel:
    given = {"category": "math", "difficulty": 1, **options}
    return Kernel(id, given["category"], given["difficulty"], answers, correct, twin_of)


def evaluation(*kernels: Kernel, config: str = "cpu", **options: Any) -> Evaluation:
    return Evaluation(
        config,
        "test",
        SETTING,
        (1, 2),
        kernels,
        **{"unjudged": {}, "unasked": 0, "statuses": STATUSES, **options},
    )


def test_families_and_difficulties_share_out_the_kernels() -> None:
    found = evaluation(
        kernel("a", 2, category="waves", difficulty=3),
        kernel("b", 0, answers=0),
        kernel("c", 1, difficulty=3),
    )
    assert found.unanswered == 1 and not found.is_of_people
    assert found.total is not None and found.total.kernels == 3
    assert found.total.passes[1].value == pytest.approx((1 + 0 + 0.5) / 3)
    assert found.total.passes[2].value == pytest.approx(2 / 3)
    assert list(found.families) == ["math", "waves"] and list(found.difficulties) == ["1", "3"]
    assert found.families["math"].passes[1].value == pytest.approx(0.25)
    assert found.difficulties["3"].kernels == 2


def test_what_is_told_as_json() -> None:
    found = evaluation(kernel("a", 2), kernel("b", 1), unjudged={"c": "too large"}, unasked=4).as_json()
    assert found["all"]["kernels"] == 2 and found["all"]["pass@1"]["value"] == pytest.approx(0.75)
    assert found["families"]["math"] == found["all"] == found["difficulties"]["1"]
    assert {name: found[name] for name in ("config", "task", "split", "seed", "judge", "weaker_sandbox")} == {
        "config": "cpu", "task": "cpu", "split": "test", "seed": 3, "judge": "2.0.0", "weaker_sandbox": False,
    }  # fmt: skip
    assert found["answers"] == 1234 and found["statuses"] == {"correct": 1200, "wrong_output": 34}
    assert (found["kernels"], found["unanswered"], found["unjudged"], found["unasked"]) == (2, 0, 1, 4)
    assert found["reasons"] == {"c": "too large"}
    assert found["interval"] == {"level": LEVEL, "resamples": RESAMPLES}
    assert evaluation().as_json()["all"] is None


def test_originals_and_twins_are_counted_apart() -> None:
    people = (kernel("a", 2), kernel("b", 0), kernel("a2", 1, twin_of="a"), kernel("z2", 0, twin_of="z"))
    found = evaluation(*people, config="handwritten")
    assert found.is_of_people
    assert {name: group.kernels for name, group in found.parts.items()} == {
        "originals": 2, "originals with a twin": 1, "twins": 2,
    }  # fmt: skip
    assert found.parts["originals with a twin"].passes[1].value == 1.0
    told = found.as_json()
    assert told["originals_with_a_twin"]["kernels"] == 1 and "all" not in told and "families" not in told
    assert list(evaluation(kernel("a", 1), config="handwritten").parts) == ["originals"]


def test_a_table_has_a_line_for_each_group() -> None:
    kernels = [kernel(str(number), 2, category="waves") for number in range(10)]
    lines = str(evaluation(*kernels, kernel("x", 1))).splitlines()
    assert lines[0] == "cpu, test: 1,234 answers"
    table = {line.split()[0]: line.split()[1:] for line in lines if line and line[0] == " "}
    assert table["waves"] == ["10", "100.0%", "100.0%", "-", "100.0%", "100.0%", "100.0%", "-", "100.0%"]
    assert table["math"] == ["1", "50.0%", "-", "100.0%", "-"]  # no interval of few
    (last,) = (line for line in lines if line.startswith("all"))
    assert last.split()[1:3] == ["11", "95.5%"]
    assert "Answers: 1,200 correct, 34 wrong_output." in lines
    assert str(evaluation()).splitlines()[0] == lines[0]
    people = str(evaluation(kernel("a", 1), kernel("a2", 2, twin_of="a"), config="handwritten")).splitlines()
    assert people[0].startswith("handwritten, test, asked as cpu")
    assert [line.split()[0] for line in people[3:6]] == ["originals", "originals", "twins"]


def test_what_does_not_count_is_told() -> None:
    reasons = {"a": "too large", "b": "too large", "c": "odd"}
    told = str(evaluation(kernel("x", 0, answers=0), unjudged=reasons, unasked=5))
    for words in (
        "1 kernel of the split has no answer, and counts",
        "3 kernels could not",
        "2: too large",
        "1: odd",
        "5 kernels have",
    ):
        assert words in told
    plain = str(evaluation(kernel("x", 1)))
    assert "kernels could not" not in plain and "have no" not in plain and "no answer" not in plain


# ---- what is asked for


def test_the_task_is_the_rows_own_unless_they_have_several() -> None:
    assert _task("cpu", None) == "cpu" and _task("handwritten", None) == "cuda"
    assert _task("handwritten", "cpu") == "cpu"
    for config, task in (("cpu", "cpu"), ("handwritten", "handwritten"), ("handwritten", "knitting")):
        with pytest.raises(UserError):
            _task(config, task)


def test_ks_are_those_that_every_kernel_has_answers_for() -> None:
    assert _ks(None, {"a": 1, "b": 4}) == (1,) and _ks(None, {"a": 3, "b": 4}) == (1, 3)
    assert _ks([3, 1, 3], {"a": 3}) == (1, 3)
    for k in (0, 4):
        with pytest.raises(UserError, match=f"pass@{k}.*a has 3"):
            _ks([1, k], {"a": 3, "b": 9})


@pytest.mark.parametrize(("config", "split"), [("vulkan", "test"), ("cpu", "dev"), ("", "test")])
def test_configs_and_splits_are_known_ones(config: str, split: str) -> None:
    check_known("cpu", "test")
    with pytest.raises(UserError, match="unknown"):
        check_known(config, split)


def test_an_interval_of_many_kernels_is_drawn_in_parts() -> None:
    values = np.resize([0.0, 1.0], 1 << 21)
    low, high = interval(values[: 1 << 12])
    assert 0.48 < low < 0.5 < high < 0.52


# ---- verdicts that are not kept


def test_in_dev_null_nothing_is_kept(tmp_path: Path) -> None:
    with opened(Path(os.devnull), SETTING) as kept:
        kept.add(("a", "digest"), Verdict(Status.CORRECT, "", 3))
        assert [*kept.verdicts] == [("a", "digest")]
    with opened(Path(os.devnull), SETTING) as kept:
        assert not kept.verdicts


def test_what_could_not_be_judged_is_judged_again(tmp_path: Path) -> None:
    for _ in range(2):
        with opened(tmp_path / "v", SETTING) as kept:
            assert not kept.verdicts
            kept.add(("a", "digest"), Verdict(Status.UNSUPPORTED, "why", 3))
            assert kept.verdicts
    assert (tmp_path / "v").read_bytes() == b""


# ---- findings of a validation


def test_a_check_fails_if_anything_is_wrong_or_nothing_was_looked_at() -> None:
    good = judged("ids", "cpu", 1200, "rows", [])
    assert good == Finding("ids", "cpu", State.PASSED, 1200, "rows") and str(good).split()[2:] == [
        "passed",
        "1,200",
        "rows",
    ]
    bad = judged("ids", None, 1200, "rows", ["a", "b"])
    assert (bad.state, bad.wrong, bad.said) == (State.FAILED, 2, ("a", "b"))
    assert str(bad).splitlines() == [
        "ids         the folder      failed    1,200 rows, 2 wrong",
        "    a",
        "    b",
    ]
    none = judged("ids", "cpu", 0, "rows", [])
    assert none.state is State.FAILED and none.wrong == 0 and len(none.said) == 1
    assert judged("ids", "cpu", 0, "rows", ["a"]).said == ("a",)


def test_of_many_faults_the_first_are_shown() -> None:
    wrong = [str(number) for number in range(SHOWN + 1)]
    assert judged("ids", "cpu", 9, "rows", wrong[:-1]).said == tuple(wrong[:-1])
    assert judged("ids", "cpu", 9, "rows", wrong).said == (*wrong[:-1], "and 1 more")
    counted = judged("ids", "cpu", 9999, "rows", wrong, count=2000)
    assert counted.wrong == 2000 and counted.said[-1] == f"and {2000 - SHOWN:,} more"
    assert judged("ids", "cpu", 9, "rows", [], count=3).said == ("and 3 more",)


def test_a_validation_is_good_if_every_check_was_made_and_passed() -> None:
    good, bad = judged("ids", "cpu", 1, "rows", []), judged("ptx", "cpu", 1, "rows", ["a"])
    unknown = unproved("run", None, "rows", "no compiler")
    assert Validation((good,)).ok and not Validation(()).ok
    for found, failed in (((good, bad), {"ptx"}), ((good, unknown), set()), ((bad, unknown), {"ptx"})):
        assert not Validation(found).ok and Validation(found).failed == failed
    said = Validation((good, bad, unknown)).as_json()
    assert not said["ok"] and [each["state"] for each in said["findings"]] == ["passed", "failed", "unproved"]
    assert said["findings"][2]["said"] == ("no compiler",) and said["findings"][1]["wrong"] == 1
    lines = str(Validation((good, bad, unknown))).splitlines()
    assert len(lines) == 7 and "ptx failed" in lines[-1]
    assert "no compiler" in lines[3] and lines[4].split() == ["the", "folder", "run"]
    ends = {str(Validation(found)).splitlines()[-1] for found in ((good,), (good, unknown), (bad,))}
    assert len(ends) == 3
