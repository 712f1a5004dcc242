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
    with pytest.raises(UserError, match="line 2: it is not"):
        read(tmp_path / "p", GOOD, GOOD.encode("utf-8-sig"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 3: it is not JSON"),
        (b"\xff", "line 3: it is not UTF-8"),
        ("[" * 100_000, "line 3: it is nested too deeply"),
        ("9" * 5000, "line 3: it holds a number of too many digits"),
        ("[]", "line 3: it is not an object"),
        ('{"id": 3, "completion": ""}', "line 3: it is not an object"),
        ('{"id": "a"}', "line 3: it is not an object"),
        ('{"id": "c", "completion": ""}', "line 3: the split test of cpu has no row with the id 'c'"),
        ('{"id": "a", "completion": 3}', "line 3: the completion cannot be read"),
    ],
)
def test_a_line_that_is_no_prediction_is_told_by_its_number(
    line: str | bytes, words: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as raised:
        read(tmp_path / "p", GOOD, GOOD, line, GOOD)
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_a_file_without_predictions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no predictions"):
        read(tmp_path / "p", "", "")
    with pytest.raises(UserError, match=r"cannot read the predictions in .*nowhere: No such file"):
        read_predictions(tmp_path / "nowhere", {}, "")
    with pytest.raises(UserError, match="cannot read the predictions"):
        read_predictions(tmp_path, {}, "")
