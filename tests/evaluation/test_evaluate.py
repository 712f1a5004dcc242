"""From files to figures. In fast tests the judge is one who reads answers instead of running them."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from toys import anew
from toys import rows as toy_rows
from toys.folders import toy_folder
from toys.tampered.builds import Act, shard, store, stored, tell, told

from warp_ir_dataset import cli, score_predictions
from warp_ir_dataset.builds.row import schema
from warp_ir_dataset.builds.shards import write_parquet
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.evaluation import evaluate as flow
from warp_ir_dataset.evaluation.evaluate import rows_of
from warp_ir_dataset.judge.answers import Answer
from warp_ir_dataset.judge.verdict import Status, Verdict


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy_folder(tmp_path_factory.mktemp("toys") / "build", configs=["cpu", "warp_to_cuda"])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Answer]:
    """What a judge was asked who takes an answer's word for its status, and answers in another order."""
    heard: list[Answer] = []

    def judged(answers: Sequence[Answer], workers: int, weaker: bool) -> Iterator[tuple[int, Verdict]]:
        for place, answer in reversed(list(enumerate(answers))):
            heard.append(answer)
            status, _, told = answer.text.partition(" ")
            yield place, Verdict(Status(status), told, answer.seed)

    monkeypatch.setattr(flow, "judged", judged)
    return heard


def written(path: Path, *answers: tuple[str, str]) -> Path:
    path.write_text("".join(json.dumps({"id": id, "completion": text}) + "\n" for id, text in answers))
    return path


def scored(folder: Path, predictions: Path, **options: Any) -> dict[str, Any]:
    found = score_predictions(folder, predictions, **{"config": "cpu", "quiet": True, **options})
    return found.as_json()


def ids_of(folder: Path) -> list[str]:
    return list(rows_of(folder, "cpu", "test"))


@pytest.mark.folder
def test_figures_count_every_row_of_the_split(folder: Path, tmp_path: Path, asked: list[Answer]) -> None:
    first, second, third, fourth = ids_of(folder)
    answers = [(first, "correct"), (first, "wrong_output"), (second, "correct"), (second, "correct"),
               (third, "empty"), (third, "unsupported")]  # fmt: skip
    found = scored(folder, written(tmp_path / "p.jsonl", *answers))
    assert found["all"]["kernels"] == found["kernels"] == 3  # the fourth has no answer, the third no verdict
    assert found["unanswered"] == found["unjudged"] == 1
    assert found["all"]["pass@1"]["value"] == pytest.approx((0.5 + 1 + 0) / 3)
    assert found["all"]["pass@2"]["value"] == pytest.approx(2 / 3)
    assert found["statuses"] == {"correct": 3, "wrong_output": 1, "empty": 1, "unsupported": 1}
    groups = list(found["families"].values()), list(found["difficulties"].values())
    assert all(sum(group["kernels"] for group in each) == 3 for each in groups)
    assert fourth and len(asked) == 5  # the same code twice is judged once


@pytest.mark.folder
def test_what_was_judged_is_not_judged_again(folder: Path, tmp_path: Path, asked: list[Answer]) -> None:
    first, second, *_ = ids_of(folder)
    path = written(tmp_path / "p.jsonl", (first, "correct"), (second, "wrong_output"))
    before = scored(folder, path)
    assert scored(folder, path) == before and len(asked) == 2
    kept = tmp_path / "p.verdicts.jsonl"
    kept.write_bytes(kept.read_bytes()[:-5])  # killed in the middle of a line
    assert scored(folder, path) == before and len(asked) == 3
    written(path, (second, "wrong_output"), (first, "correct"), (first, "crash"), (second, "correct 2"))
    assert scored(folder, path)["statuses"] == {"correct": 2, "wrong_output": 1, "crash": 1}
    assert len(asked) == 5
    scored(folder, path, results=tmp_path / "other")
    scored(folder, path, seed=1)
    assert len(asked) == 13 and {answer.seed for answer in asked} == {0, 1}


@pytest.mark.folder
def test_the_order_of_predictions_changes_nothing(folder: Path, tmp_path: Path, asked: list[Answer]) -> None:
    answers = [(id, text) for id in ids_of(folder) for text in ("correct", "crash")][:-2]
    one = scored(folder, written(tmp_path / "one.jsonl", *answers))
    assert scored(folder, written(tmp_path / "other.jsonl", *reversed(answers))) == one


@pytest.fixture(scope="module")
def of_people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of which every second is a twin of that before it, and every third has no prompt of `cpu`."""
    values = toy_rows.values

    def collected(address: Address, config: str, arch: str) -> dict[str, Any]:
        found = values(address, config, arch)
        if address.draw % 2:
            found["twin_of"] = values(Address(0, address.category, address.draw - 1), config, arch)["id"]
        if address.draw % 3:
            found["prompts"] = {**found["prompts"], "cpu": "Write it for cpu."}
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toy_rows, "values", collected)
        return toy_folder(
            tmp_path_factory.mktemp("people") / "build", configs=["cuda", "handwritten"], seed=0
        )


@pytest.mark.folder
def test_originals_and_twins_have_a_score_each(of_people: Path, tmp_path: Path, asked: list[Answer]) -> None:
    rows = rows_of(of_people, "handwritten", "test")
    twins = {row["twin_of"]: id for id, row in rows.items() if row["twin_of"]}
    first, second, third = list(twins)[:3]
    answers = [(first, "correct"), (second, "correct"), (twins[first], "correct"), (twins[second], "crash"),
               (third, "correct"), (twins[third], "unsupported it is not legal")]  # fmt: skip
    path = written(tmp_path / "p.jsonl", *answers)
    found = scored(of_people, path, config="handwritten")
    whole, both, alone = (found[name] for name in ("originals", "originals_with_a_twin", "twins"))
    assert "all" not in found and (found["config"], found["task"]) == ("handwritten", "cuda")
    assert {answer.config for answer in asked} == {"cuda"}
    # The twin that could not be judged does not count, nor does its original where both are compared.
    assert whole["kernels"] == len(rows) - len(twins)
    assert both["kernels"] == alone["kernels"] == len(twins) - 1
    passes = [part["pass@1"]["value"] * part["kernels"] for part in (whole, both, alone)]
    assert passes == pytest.approx([3, 2, 1])
    assert (found["unjudged"], found["reasons"]) == (1, {twins[third]: "it is not legal"})
    shown = str(score_predictions(of_people, path, config="handwritten", quiet=True)).splitlines()
    assert shown[0] == "handwritten, test, asked as cuda: 6 answers"
    names = [line[:22].strip() for line in shown[3:6]]
    assert names == ["originals", "originals with a twin", "twins"] and not shown[6]
    assert "1 kernels could not be judged, and do not count:" in shown and "  1: it is not legal" in shown


@pytest.mark.folder
def test_what_people_wrote_is_asked_in_a_task(of_people: Path, tmp_path: Path, asked: list[Answer]) -> None:
    rows = rows_of(of_people, "handwritten", "test")
    able = [id for id, row in rows.items() if row["prompts"]["cpu"]]
    (other, *_) = set(rows) - set(able)
    path = written(tmp_path / "p.jsonl", (able[0], "correct"))
    found = scored(of_people, path, config="handwritten", task="cpu")
    kernels = sum(found[part]["kernels"] for part in ("originals", "twins"))
    assert kernels == found["kernels"] == len(able) and found["unasked"] == len(rows) - len(able) > 0
    assert [answer.config for answer in asked] == ["cpu"]
    with pytest.raises(UserError, match=f"test of handwritten.* cpu.*'{other}'"):
        scored(of_people, written(path, (other, "correct")), config="handwritten", task="cpu")
    with pytest.raises(UserError, match=r"handwritten .*'repair'.* cpu, cuda"):
        scored(of_people, path, config="handwritten", task="repair")
    with pytest.raises(UserError, match=r"cuda .*--task .*handwritten"):
        scored(of_people, path, config="cuda", task="cpu")


@pytest.mark.folder
@pytest.mark.parametrize(
    ("config", "split", "words"),
    [
        ("vulkan", "test", "'vulkan'.* cpu"),
        ("cpu", "tests", "'tests'.* test"),
        ("cuda", "test", " cuda in test: .* cpu test, cpu train, cpu validation, "),
    ],
)
def test_rows_that_are_not_there_are_said(config: str, split: str, words: str, folder: Path) -> None:
    with pytest.raises(UserError) as raised:
        rows_of(folder, config, split)
    assert re.search(words, str(raised.value))


@pytest.mark.folder
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--k", "1", "3"], "pass@3 "),
        (["--k", "0"], "pass@0 "),
        (["--workers", "0"], "--workers .* 1, .* 0$"),
        (["--split", "nowhere"], "'nowhere'.* train, validation, test"),
        (["--predictions", "nowhere.jsonl"], "predictions in nowhere.jsonl: No such file"),
        (["--results", "nowhere/x"], " nowhere/x: "),
    ],
)
def test_a_mistake_is_one_line(
    options: list[str],
    words: str,
    folder: Path,
    tmp_path: Path,
    asked: list[Answer],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second, *_ = ids_of(folder)
    written(tmp_path / "p.jsonl", (first, "correct"), (second, "crash"), (second, "correct"))
    command = ["score", str(folder), "--config", "cpu", "--predictions", "p.jsonl", *options]
    assert cli.main(command) == 2
    told = capsys.readouterr()
    assert re.search(words, told.err) and told.err.count("\n") == 1 and not told.out and not asked


def one_row(folder: Path) -> None:
    path = folder / TEST
    write_parquet(stored(folder, TEST)[:1], schema("cpu"), path)


def flipped(folder: Path) -> None:
    held = bytearray((folder / TEST).read_bytes())
    held[len(held) // 2] ^= 1
    (folder / TEST).write_bytes(held)


def other_rows(folder: Path) -> None:
    """In the manifest."""
    manifest = told(folder)
    manifest["configs"]["cpu"]["files"][TEST]["rows"] += 1
    tell(folder, manifest)


def without_completions(folder: Path) -> None:
    store(folder, TEST, [{**row, "completion": None} for row in stored(folder, TEST)])


def folder_instead(folder: Path) -> None:
    (folder / TEST).unlink()
    (folder / TEST).mkdir()


TEST = shard("cpu", "test")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"folder": None}, "folder .*path.* None$"),
        ({"predictions": 3}, "predictions .*path.* 3$"),
        ({"results": b"x"}, "results .*path.* b'x'$"),
        ({"config": ["cpu"]}, r"config \['cpu'\]"),
        ({"ks": 3}, "ks .*list.* 3$"),
        ({"ks": ["1"]}, "^k .*whole.* '1'$"),
        ({"seed": "0"}, "seed .*whole.* '0'$"),
        ({"workers": "2"}, "workers .*whole.* 1, .* '2'$"),
    ],
)
def test_what_is_given_must_be_of_its_kind(options: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        score_predictions(**{"folder": "x", "predictions": "y", **options})


DAMAGED = [
    (one_row, " bytes "),
    (flipped, "SHA-256"),
    (other_rows, " 4 rows .* 5"),
    (without_completions, "'completion'"),
    (lambda folder: (folder / TEST).unlink(), "No such file"),
    (folder_instead, "read "),
]


@pytest.mark.folder
@pytest.mark.parametrize(("act", "words"), DAMAGED)
def test_damaged_rows_are_not_scored(
    act: Act,
    words: str,
    folder: Path,
    tmp_path: Path,
    asked: list[Answer],
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = written(tmp_path / "p.jsonl", (ids_of(folder)[0], "correct"))
    damaged = shutil.copytree(folder, tmp_path / "build")
    act(damaged)
    assert cli.main(["score", str(damaged), "--config", "cpu", "--predictions", str(path)]) == 2
    told = capsys.readouterr()
    assert re.search(words, told.err) and TEST in told.err and told.err.count("\n") == 1
    assert not told.out and not asked and not (tmp_path / "p.verdicts.jsonl").exists()


@pytest.mark.folder
def test_what_a_terminal_shows(
    folder: Path,
    tmp_path: Path,
    asked: list[Answer],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second, *_ = ids_of(folder)
    path = written(tmp_path / "p.jsonl", (first, "correct"), (second, "crash"), (second, "correct"))
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    assert cli.main(["score", str(folder), "--config", "cpu", "--predictions", str(path)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "cpu, test: 3 answers" and max(map(len, shown)) <= 80
    (whole,) = [line for line in shown if line.startswith("all ")]
    assert whole.split() == ["all", "4", "37.5%", "-"]
    assert shown[-3:] == [
        "Answers: 2 correct, 1 crash.",
        "Hidden inputs are those of seed 0.",
        "2 kernels of the split have no answer, and count as unsolved.",
    ]
    assert log.getvalue().splitlines()[0] == "cpu: 3 answers to judge"
    assert log.getvalue().splitlines()[1].startswith("cpu: all 3 answers are judged, after ")
    assert cli.main(["score", str(folder), "--config", "cpu", "--predictions", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["all"]["pass@1"]["value"] == 0.375


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.slow
def test_answers_to_a_build_are_judged(tmp_path: Path) -> None:
    """Real rows and the real judge: any number of workers tells the same."""
    import pyarrow.parquet as pq

    anew.build(tmp_path / "build", "cpu")
    (file,) = (tmp_path / "build" / "cpu").glob("train-*.parquet")
    first, second, *_ = pq.read_table(file).to_pylist()
    answers = [(first["id"], first["completion"]), (second["id"], f"```cpp\n{second['completion']}```"),
               (second["id"], first["completion"]), (first["id"], "\ud800")]  # fmt: skip
    path = written(tmp_path / "p.jsonl", *answers)
    found = [
        scored(tmp_path / "build", path, split="train", workers=n, results=tmp_path / str(n)) for n in (1, 2)
    ]
    assert found[0] == found[1]
    assert found[0]["statuses"] == {"correct": 2, "compile_error": 2}
    lines = [sorted((tmp_path / str(n)).read_text().splitlines()) for n in (1, 2)]
    assert lines[0] == lines[1] and len(lines[0]) == 4


@pytest.mark.folder
@pytest.mark.parametrize("held", [b'{"precious": [1, 2, 3]}', b"x", b'{"id": "1"}\n'])
def test_a_file_of_something_else_stays_as_it_is(
    held: bytes, folder: Path, tmp_path: Path, asked: list[Answer]
) -> None:
    path, other = written(tmp_path / "p.jsonl", (ids_of(folder)[0], "correct")), tmp_path / "other.json"
    other.write_bytes(held)
    with pytest.raises(UserError, match=rf"^{other}, line 1: .*--results"):
        scored(folder, path, results=other)
    assert other.read_bytes() == held and not asked
