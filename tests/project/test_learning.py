"""The learning script at toy size, from rows to the table. How well a model learns is not judged here."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from toys import anew
from toys import rows as toy_rows
from toys.folders import toy_folder

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.evaluation import evaluate as flow
from warp_ir_dataset.judge.answers import Answer
from warp_ir_dataset.judge.verdict import Status, Verdict

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TASKS = ("warp_to_cuda", "cpu", "spec_to_warp")
TINY = ["--layers", "2", "--width", "32", "--head", "16", "--batch", "4", "--device", "cpu"]


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def lessons(count: int) -> list[Any]:
    """Rows whose completions follow from nothing but their prompts, of all tasks in turn."""
    from support.lessons import Lesson

    made = []
    for n in range(count):
        task = TASKS[n % 3]
        prompt = f"{CONFIGS[task].instruction}\n\nWrite k{n}.\n"
        text = f"void k{n}() {{\n    x = {n * n % 11} + ä;{' y = 1;' * (n % 4)}\n}}\n"
        made.append(Lesson(f"id{n}", task, prompt, text, f"{task}.jsonl", f"group{n % 2}"))
    return made


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A dozen rows, all of which are asked for as well."""
    pytest.importorskip("torch")
    from support.lessons import write

    write(tmp_path / "prepared", lessons(12), lessons(12), 64, 320)
    return tmp_path / "prepared"


def test_training_needs_nothing_but_torch_and_numpy() -> None:
    tree = ast.parse((BENCHMARKS / "learning.py").read_text(encoding="utf-8"))
    names = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    assert {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) == {"numpy", "torch"}


@pytest.mark.nightly
def test_windows_hold_whole_rows_and_say_completions_alone(prepared: Path) -> None:
    import learning

    held, rows = learning.Prepared(prepared), lessons(12)
    assert [held.text(held._rows[n]) for n in range(12)] == [
        f"{row.prompt}<|answer|>{row.completion}<|end|>" for row in rows
    ]
    batches = held.batches(held.drawn(12, 0), 2, 0)
    said, read = [], 0
    while read < held.lengths.sum():
        tokens, targets, count = next(batches)
        read += count
        for line, target in zip(tokens, targets, strict=True):
            assert all(target[n] in (-1, line[n + 1]) for n in range(len(line) - 1))
            said += held.text(target[target != -1]).split("<|end|>")[:-1]
    assert read == held.lengths.sum() and sorted(said) == sorted(row.completion for row in rows)


@pytest.mark.nightly
def test_the_loss_is_that_of_completions(prepared: Path) -> None:
    import learning
    import numpy as np
    import torch

    held = learning.Prepared(prepared)
    model = noisy(held)
    tokens, targets, _ = next(held.batches(held.drawn(12, 0), 2, 0))
    logits = model(torch.from_numpy(tokens)).log_softmax(-1)
    places = np.argwhere(targets != -1)
    nats = [-logits[line, at, targets[line, at]].item() for line, at in places]
    found = model.loss(torch.from_numpy(tokens), torch.from_numpy(targets)).item()
    assert 0 < len(nats) < tokens.size and found == pytest.approx(np.mean(nats), rel=1e-5)


def noisy(held: Any) -> Any:
    import learning
    import torch

    model = learning.Model(learning.Setting(layers=2, width=32, head=16), held.vocabulary, held.context)
    torch.manual_seed(1)
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.5)
    return model.eval()


@pytest.mark.nightly
def test_answers_with_a_cache_are_those_without(prepared: Path) -> None:
    """Of prompts of several lengths, some of which are closed and leave the cache before others."""
    import learning
    import numpy as np
    import torch

    held = learning.Prepared(prepared)
    model = noisy(held)
    rng = np.random.default_rng(0)
    asked = [rng.integers(0, held.vocabulary, size).astype(np.uint16) for size in (3, 9, 5, 14, 4)]
    limits, whole = [3, 50, 7, 40, 2], []
    with torch.no_grad():
        for prompt, limit in zip(asked, limits, strict=True):
            tokens = prompt.astype(np.int64).tolist()
            for _ in range(limit):
                tokens.append(int(model(torch.tensor([tokens]))[0, -1].argmax()))
            whole.append(tokens[len(prompt) :])
        # Bits of logits as well, not the largest alone.
        cache = learning.Cache(20)
        first = torch.tensor([[*range(9)], [*range(20, 29)]])
        model.hidden(first, cache)
        cache.reach, at = 8, torch.tensor([7, 4])  # the second one ends before
        found = model.hidden(torch.tensor([[33], [44]]), cache, at)[:, 0]
        lines = [torch.tensor([[*first[n, : at[n]].tolist(), (33, 44)[n]]]) for n in range(2)]
        expected = torch.cat([model.hidden(line)[:, -1] for line in lines])
    assert torch.allclose(found, expected, atol=1e-4)
    never = held.vocabulary  # no token ends
    for together in (5, 2):
        said = learning.answers(model, asked, limits, never, together, float("inf"), lambda part: None)
        assert said == whole
    end = whole[1][20]
    (short,) = learning.answers(model, asked[1:2], [50], end, 1, float("inf"), lambda part: None)
    assert short == whole[1][: whole[1].index(end) + 1]
    (cut,) = learning.answers(model, asked[1:2], [50], never, 1, 0.0, lambda part: None)
    assert cut == whole[1][:1]


@pytest.mark.nightly
def test_a_dozen_rows_are_learned_by_heart_and_once(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import learning

    command = ["train", str(prepared), str(tmp_path / "out"), *TINY]
    command += ["--rows", "12", "--rate", "0.01", "--budget", "60000"]
    learning.main(command)
    told = capsys.readouterr()
    place = tmp_path / "out" / "seed-0" / "rows-12"
    answers = [
        json.loads(line) for task in TASKS for line in (place / f"{task}.jsonl").read_text().splitlines()
    ]
    assert {a["id"]: a["completion"] for a in answers} == {row.id: row.completion for row in lessons(12)}
    run = json.loads((place / "run.json").read_text())
    assert (run["rows"], run["unended"], run["answers"]) == (12, 0, 12)
    assert run["by_task"] == dict.fromkeys(TASKS, 4) and 60_000 <= run["tokens"] < 60_300
    assert told.out.startswith("12 rows: 60,") and "100% 12 rows of each task: answering" in told.err
    with monkeypatch.context() as patch:
        patch.setattr(learning, "trained", lambda *_: pytest.fail("trained again"))
        learning.main(command)
        assert capsys.readouterr().out == told.out
        with pytest.raises(SystemExit, match="another setting"):
            learning.main([*command, "--layers", "1"])
        with pytest.raises(SystemExit, match="there are 12"):
            learning.main([*command, "--rows", "13"])


@pytest.mark.nightly
def test_the_same_seed_gives_the_same_weights(prepared: Path) -> None:
    import learning
    import torch

    held = learning.Prepared(prepared)
    setting = learning.Setting(layers=2, width=32, head=16, batch=2)
    model = learning.Model(setting, held.vocabulary, held.context)
    rows, found = held.drawn(8, 0), []
    for seed in (0, 0, 1):
        learning.trained(model, model.loss, held, rows, seed, 2000, float("inf"), lambda part: None)
        found.append({name: weight.clone() for name, weight in model.state_dict().items()})
    same, other = (all(torch.equal(found[0][name], after[name]) for name in found[0]) for after in found[1:])
    assert same and not other
    assert set(held.drawn(4, 0)) < set(rows) != set(held.drawn(8, 1))


@pytest.mark.nightly
def test_what_the_clock_takes_from_one_run_is_taken_from_all(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import learning

    held = learning.Prepared(prepared)
    model = learning.Model(learning.Setting(1, 32, 16, batch=2), held.vocabulary, held.context)
    told = learning.trained(model, model.loss, held, held.drawn(8, 0), 0, 10**9, 0.0, lambda part: None)
    assert told["steps"] == 1 and 0 < told["tokens"] <= 128
    budgets = []

    def trained(*given: Any) -> dict[str, Any]:
        budgets.append(given[5])
        return told | {"tokens": 500}

    monkeypatch.setattr(learning, "trained", trained)
    learning.main(["train", str(prepared), str(tmp_path / "out"), *TINY, "--rows", "12", "4", "8"])
    assert budgets == [learning.Setting.budget, 500, 500]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy_folder(tmp_path_factory.mktemp("toys") / "build", configs=TASKS)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of which every second is a twin of that before it, and every third has no prompt of `cpu`."""
    values = toy_rows.values

    def collected(address: Address, config: str, arch: str) -> dict[str, Any]:
        found = values(address, config, arch)
        if address.draw % 2:
            found["twin_of"] = values(Address(0, address.category, address.draw - 1), config, arch)["id"]
        asked = [task for task in TASKS if task != "cpu" or address.draw % 3]
        for name, says in (("prompts", "Write it for"), ("completions", "void")):
            found[name] = {**found[name], **{task: f"{says} {task} {address.draw}" for task in asked}}
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toy_rows, "values", collected)
        return toy_folder(tmp_path_factory.mktemp("people") / "build", configs=["handwritten"], seed=0)


@pytest.fixture
def believing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge who takes an answer's word for its status, and finds that others do not compile."""

    def judged(answers: Sequence[Answer], workers: int, weaker: bool) -> Iterator[tuple[int, Verdict]]:
        for place, answer in enumerate(answers):
            known = answer.text in [status.value for status in Status]
            yield place, Verdict(Status(answer.text) if known else Status.COMPILE_ERROR, "", answer.seed)

    monkeypatch.setattr(flow, "judged", judged)


@pytest.mark.nightly
@pytest.mark.folder
@pytest.mark.usefixtures("believing")
def test_rows_become_a_table(
    build: Path, people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    import learning

    places = [str(tmp_path / "prepared"), str(tmp_path / "out")]
    builds = ["--rows", str(build), "--handwritten", str(people)]
    for name in ("other", "prepared"):
        sizes = ["--vocabulary", "320", "--context", "96"]
        learning.main(["prepare", str(tmp_path / name), *builds, *sizes])
    files = [sorted((tmp_path / name).iterdir()) for name in ("other", "prepared")]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
    told = json.loads((tmp_path / "prepared" / "prepared.json").read_text())
    assert told["kernels"] == 32 and "cpu: 32 of 32 rows fit, median" in capsys.readouterr().out
    asked = [question["file"] for question in told["questions"]]
    counts = {file: asked.count(file) for file in asked}
    # Of a test split of four rows those that have a purpose; twins, two thirds of them in `cpu`.
    assert (
        1 <= counts["cpu.jsonl"] < 4
        and counts["handwritten-spec_to_warp.jsonl"] > counts["handwritten-cpu.jsonl"]
    )
    assert len(counts) == 6

    learning.main(["train", *places, *TINY, "--rows", "8", "16", "--budget", "3000"])
    capsys.readouterr()
    for size, verdicts in ((8, ["wrong_output"]), (16, ["correct", "crash"])):
        path = tmp_path / "out" / "seed-0" / f"rows-{size}" / "handwritten-cpu.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        answers = [line | {"completion": verdicts[n % len(verdicts)]} for n, line in enumerate(lines)]
        path.write_text("".join(json.dumps(line) + "\n" for line in answers))
    learning.main(["judge", *places, *builds])
    caption, shown = capsys.readouterr().out.split("\n\n")
    assert "trained from nothing on rows of each task; seeds 0; on cpu" in caption.replace("\n", " ")
    assert "- 16 rows, seed 0: 48 of three tasks fit; 3," in caption
    cells = [line.strip("| ").split(" | ") for line in shown.splitlines()[2:]]
    assert [(line[0], line[1], line[2]) for line in cells] == [
        (asked, f"`{task}`", size)
        for asked in ("held-out purposes", "handwritten twins")
        for task in TASKS
        for size in ("8", "16")
    ]
    assert all(line[5].startswith("0 of ") and line[6] == line[8] == "0.0%" for line in cells[:6])
    few, many = (line for line in cells if line[:2] == ["handwritten twins", "`cpu`"])
    twins = counts["handwritten-cpu.jsonl"]
    assert few[3:7] == [str(twins), "–", f"0 of {twins}", "0.0%"] and few[8] == many[8] == "100.0%"
    assert few[7].startswith("0.0% – ") and not few[7].endswith(" 0.0%")  # zero of some rules little out
    assert many[5] == f"{(twins + 1) // 2} of {twins}"


@pytest.mark.nightly
def test_kernels_of_a_purpose_are_drawn_together() -> None:
    from support.learned_table import interval

    alone = interval([[1.0], [0.0]] * 20)
    together = interval([[1.0] * 5, [0.0] * 5] * 4)
    assert 0 <= together[0] < alone[0] < 0.5 < alone[1] < together[1] <= 1
    assert interval([[0.0]] * 30) == pytest.approx((0.0, 1 - 0.025 ** (1 / 30)))
    assert interval([[1.0, 1.0]] * 30)[1] == 1.0


@pytest.mark.nightly
@pytest.mark.compile
@pytest.mark.process
@pytest.mark.slow
def test_answers_are_run(tmp_path: Path) -> None:
    """Real rows and the real judge: one seed's model is right, the other's wrong."""
    import pyarrow.parquet as pq

    pytest.importorskip("tokenizers")
    from support.learned_table import table_of

    anew.build(tmp_path / "build", "cpu")
    (file,) = (tmp_path / "build" / "cpu").glob("test-*.parquet")
    (row,) = pq.read_table(file).to_pylist()
    question = {"id": row["id"], "task": "cpu", "file": "cpu.jsonl", "group": "one"}
    (tmp_path / "prepared").mkdir()
    told = {"questions": [question], "context": 64, "left_out": {}}
    (tmp_path / "prepared" / "prepared.json").write_text(json.dumps(told))
    run = {"rows": 4, "by_task": {"cpu": 4}, "parameters": 1, "device": "cpu", "torch": "2", "tokens": 5}
    run |= {"passes": 1.0, "loss": 1.0, "seconds": 1.0, "answers": 1, "answering": 1.0, "unended": 0}
    for seed, answer in enumerate((row["completion"], row["completion"][:-40])):
        place = tmp_path / "out" / f"seed-{seed}" / "rows-4"
        place.mkdir(parents=True)
        (place / "cpu.jsonl").write_text(json.dumps({"id": row["id"], "completion": answer}) + "\n")
        (place / "run.json").write_text(json.dumps(run | {"seed": seed}))
    shown = table_of(tmp_path / "prepared", tmp_path / "out", tmp_path / "build", None, workers=1)
    assert shown.splitlines()[-1].startswith("| held-out purposes | `cpu` | 4 | 1 | 1 | 1 of 2 | 50.0% |")
    assert shown.endswith("| 50.0% |")
