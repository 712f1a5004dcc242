"""A file of predictions is good as a whole, or told what is wrong with it, and where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.evaluation.predictions import Prediction, read_predictions

GOOD = json.dumps({"id": "a", "completion": "x = 1"})


def read(path: Path, *lines: str | bytes) -> list[Prediction]:
    encoded = [line if isinstance(line, bytes) else line.encode() for line in lines]
    path.write_bytes(b"\n".join(encoded))
    return read_predictions(path, {"a", "b"}, "the split test of cpu")


def test_answers_with_one_code_have_one_digest(tmp_path: Path) -> None:
    messages = [{"role": "assistant", "content": "Here it is:\n```\nx = 1\n```"}]
    other = json.dumps({"id": "b", "completion": messages, "model": "some"})
    first, second, third = read(
        tmp_path / "p", GOOD, "", other, json.dumps({"id": "a", "completion": "x = 2"}), ""
    )
    assert (first.id, second.id, second.text) == ("a", "b", messages)
    assert first.digest == second.digest != third.digest


def test_half_a_character_is_an_answer_too(tmp_path: Path) -> None:
    """JSON can say what UTF-8 cannot."""
    (found,) = read(tmp_path / "p", '{"id": "a", "completion": "\\ud800"}')
    assert len(found.digest) == 64


def test_a_mark_of_the_byte_order_is_no_part_of_a_line(tmp_path: Path) -> None:
    (found,) = read(tmp_path / "p", GOOD.encode("utf-8-sig"))
    assert found.id == "a"
    with pytest.raises(UserError, match=f"^{tmp_path}/p, line 2: .*JSON"):
        read(tmp_path / "p", GOOD, GOOD.encode("utf-8-sig"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "JSON"),
        (b"\xff", "UTF-8"),
        ("[" * 100_000, "nested"),
        ("9" * 5000, "digits"),
        ("[]", '"id".*"completion"'),
        ('{"id": 3, "completion": ""}', "id .* 3"),
        ('{"id": "a"}', '"id".*"completion"'),
        ('{"id": "c", "completion": ""}', "test of cpu .*'c'"),
        ('{"id": "a", "completion": 3}', " completion "),
    ],
)
def test_a_line_that_is_no_prediction_is_told_by_its_number(
    line: str | bytes, words: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=f"^{tmp_path}/p, line 3: .*{words}") as raised:
        read(tmp_path / "p", GOOD, GOOD, line, GOOD)
    assert "\n" not in str(raised.value)


def test_a_file_without_predictions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"^{tmp_path}/p .* id .*completion"):
        read(tmp_path / "p", "", "")
    with pytest.raises(UserError, match=f"predictions in {tmp_path}/nowhere: No such file"):
        read_predictions(tmp_path / "nowhere", {}, "")
    with pytest.raises(UserError, match=f"predictions in {tmp_path}: Is a directory"):
        read_predictions(tmp_path, {}, "")
