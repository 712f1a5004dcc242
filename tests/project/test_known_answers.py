"""Answers that are known to be wrong or right are what they are said to be, and are judged and counted."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from toys.judged import PLAIN, program_at, row_at

from warp_ir_dataset.builds.row import examples_text
from warp_ir_dataset.common.configs import CONFIGS, whole_tasks
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.judge.verdict import Status, Verdict
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.mutants.table import mutants
from warp_ir_dataset.language.passes.table import PASSES
from warp_ir_dataset.language.program import Program
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof.bite import Bitten
from warp_ir_dataset.proof.inputs import make_inputs, make_output_gradients

ROOT = Path(__file__).parents[2]
PLACES = [("vector", 1), ("matrix", 2), ("nested_loop", 4), ("relaxation", 1)]


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "answers"))


def asked(place: tuple[str, int]) -> Any:
    """A program as a question whose answer is in Python, with two examples."""
    import texts

    program = program_at(*place)
    row = {"id": "0", "completion": write(program), "examples": examples_of(program)}
    return texts.Asked(CONFIGS["spec_to_warp"], row, program)


def examples_of(program: Program) -> str:
    seeds = make_output_gradients(program.signature, "seeds")
    inputs = [make_inputs(program.signature, f"example {n}") for n in range(2)]
    examples = [{"inputs": i, "outputs": alone(program, i), "output_gradients": seeds} for i in inputs]
    return examples_text(examples)


def alone(program: Program, inputs: Any) -> dict[str, np.ndarray]:
    outputs = interpret(program, {name: value[None] for name, value in inputs.items()}, 1)
    return {name: value[0] for name, value in outputs.items()}


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_trivial_answers_are_what_they_are_called(place: tuple[str, int]) -> None:
    import trivial

    question = asked(place)
    signature = question.program.signature
    made: dict[str, list[Program]] = {}
    for kind, text in trivial.trivial(question):
        made.setdefault(kind, []).append(read(text, signature))
    assert list(made) == [
        "empty", "zeros", "a constant", "the commonest number", "the thread index", "an input copied out",
        "a table of the examples",
    ]  # fmt: skip
    fresh = make_inputs(signature, "fresh")
    left = {kind: [alone(program, fresh) for program in programs] for kind, programs in made.items()}
    for name, value in left["empty"][0].items():
        assert np.array_equal(value, fresh.get(name, np.zeros_like(value)))
    assert all((value == 0).all() for value in left["zeros"][0].values())
    assert all((value == 1).all() for value in left["a constant"][0].values())
    leaves = {leaf.name: leaf for argument in signature.arguments for leaf in argument.leaves}
    for name, value in left["the thread index"][0].items():
        one_each = value.reshape(int(np.prod(leaves[name].shape)), -1)
        assert (one_each == np.arange(len(one_each))[:, None]).all()
    copied = [value.ravel()[0] for outputs in left["an input copied out"] for value in outputs.values()]
    assert set(copied) <= {0, *(value.ravel()[0] for value in fresh.values())} and any(copied)
    (table,) = made["a table of the examples"]
    for example in json.loads(question.row["examples"]):
        inputs = {name: np.array(value, fresh[name].dtype) for name, value in example["inputs"].items()}
        for name, value in alone(table, inputs).items():
            assert np.allclose(value, example["outputs"][name], rtol=1e-6)
    first = json.loads(question.row["examples"])[0]["outputs"]
    assert all(np.allclose(v, first[n], rtol=1e-6) for n, v in left["a table of the examples"][0].items())


def test_right_answers_are_right_and_other_texts() -> None:
    import texts

    kinds = set()
    for place in PLACES:
        question = asked(place)
        sets = [make_inputs(question.program.signature, f"fresh {n}") for n in range(4)]
        bitten = Bitten(question.program, sets)
        found = list(texts.right(question, "0", 8))
        assert 0 < sum(kind in texts.WORDS for kind, _ in found) <= 4
        for kind, text in found:
            assert text != question.own
            if not text.startswith("<think>"):
                assert not bitten.by(read(text, question.program.signature)).seen.any(), kind
            kinds.add(kind)
    assert len(kinds) > 9 and set(texts.CHANGES) > texts.WORDS
    # Whatever changes the question is none.
    assert not kinds & {name for name, row in PASSES.items() if not row.respells}


def test_a_neighbour_is_wrong_unless_it_means_the_same() -> None:
    import trivial

    question = asked(("vector", 1))
    own = question.program
    told = Bitten(own, inputs_of(own))
    other = next(m.program for m in mutants(own, Rng("0"), 8) if told.by(m.program).seen.any())
    same = PASSES["bind"](own, Rng("0"))
    assert same is not None and same != own
    under_other_names = replace(other, signature=replace(other.signature, name="theirs"))
    found = [
        (way, read(text, own.signature))
        for way, _, text in trivial.beside(question, [under_other_names, same])
    ]
    assert [way for way, _ in found] == ["trivial", "right"]
    assert trivial.fitted(own, own) == {argument.name: argument.name for argument in own.arguments}
    less = replace(own.signature, arguments=own.signature.arguments[1:])
    assert trivial.fitted(own, replace(own, signature=less)) is None


def inputs_of(program: Program) -> list[Any]:
    return [make_inputs(program.signature, f"{n}") for n in range(4)]


def test_the_cases_of_a_row_are_its_examples() -> None:
    import bite

    place = ("vector", 1)
    row = {"seed": 0, "category": place[0], "draw": place[1], "examples": examples_of(program_at(*place))}
    measured = bite.measure_row(row, "cuda", 8)
    assert measured.family == "vector" and len(measured.found) == 8
    assert not measured.of_adjoint and not measured.wrong
    assert sum(found[bite.CAUGHT] for _, found in measured.found) >= 4
    # Cases on which nothing happens catch nothing.
    examples = json.loads(row["examples"])
    for example in examples:
        example["inputs"] = {name: np.zeros_like(value).tolist() for name, value in example["inputs"].items()}
    blunt = bite.measure_row({**row, "examples": json.dumps(examples)}, "cuda", 8)
    assert sum(found[bite.CAUGHT] for _, found in blunt.found) < sum(
        f[bite.CAUGHT] for _, f in measured.found
    )


ADJOINT = """\
void adj_f(
    wp::float32 var_x,
    wp::float32 & adj_x,
    wp::float32 & adj_ret)
{
    wp::float32 var_0;
    wp::float32 var_1;
    wp::int32 var_2;
    bool var_3;
    wp::range_t var_4;
    wp::float32 adj_0 = {};
    wp::float32 adj_1 = {};
    wp::int32 adj_2 = {};
    // forward
    var_0 = wp::sin(var_x);
    var_1 = wp::add(var_0, var_x);
    //---------
    // reverse
    adj_1 += adj_ret;
    wp::adj_add(var_0, var_x, adj_0, adj_x, adj_1);
    var_4 = wp::iter_reverse(var_4);
    adj_0 = {};
    adj_2 = {};
    var_0 = wp::sin(var_x);
    if (var_3) {
        wp::adj_sin(var_x, adj_x, adj_0);
        wp::adj_add(var_2, var_2, adj_2, adj_2, adj_2);
    }
}
"""


def test_adjoints_are_edited_where_gradients_are_made() -> None:
    import adjoints

    made: dict[str, set[tuple[str, str]]] = {}
    old = ADJOINT.split("\n")
    for name, text in adjoints.mutated(ADJOINT, Rng("0"), 99):
        new = text.split("\n")
        at = next(
            n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other or n == len(old)
        )
        length = 1 + len(new) - len(old)
        made.setdefault(name, set()).add(
            (old[at].strip(), " ".join(line.strip() for line in new[at : at + length]))
        )
    sine = "wp::adj_sin(var_x, adj_x, adj_0);"
    total = "wp::adj_add(var_0, var_x, adj_0, adj_x, adj_1);"
    assert made["adjoint deleted"] == {(line, "") for line in ("adj_1 += adj_ret;", total, sine)}
    assert (sine, "adj_0 = wp::neg(adj_0); " + sine + " adj_0 = wp::neg(adj_0);") in made[
        "adjoint of another sign"
    ]
    assert made["adjoint of another operation"] == {
        (total, total.replace("adj_add", "adj_sub")), (sine, sine.replace("adj_sin", "adj_cos")),
    }  # fmt: skip
    assert made["another value"] == {
        (total, "wp::adj_add(var_1, var_x, adj_0, adj_x, adj_1);"),
        (total, "wp::adj_add(var_0, var_0, adj_0, adj_x, adj_1);"),
        (total, "wp::adj_add(var_0, var_1, adj_0, adj_x, adj_1);"),
        (sine, "wp::adj_sin(var_0, adj_x, adj_0);"),
        (sine, "wp::adj_sin(var_1, adj_x, adj_0);"),
    }
    assert (sine, "wp::adj_sin(var_x, adj_0, adj_x);") in made["gradients exchanged"]
    assert made["gradient not reset"] == {("adj_0 = {};", "")}  # nothing of whole numbers
    assert made["value not calculated again"] == {("var_0 = wp::sin(var_x);", "")}
    assert made["branch negated"] == {("if (var_3) {", "if (!var_3) {")}
    assert made["loop not reversed"] == {("var_4 = wp::iter_reverse(var_4);", "")}
    assert set(made) == set(adjoints.EDITS)


def test_what_is_judged_otherwise_is_counted() -> None:
    import verdicts

    row = {"id": "1f", "seed": 5, "category": "waves", "draw": 3}

    def told(way: str, status: Status) -> verdicts.Told:
        return verdicts.Told(verdicts.Known("cuda", way, "kind", row, ""), Verdict(status, "so", 0))

    right, wrong = Status.CORRECT, Status.WRONG_OUTPUT
    every = [
        *(told("own", status) for status in (right, Status.UNSUPPORTED)),
        *(told("trivial", status) for status in (wrong, right, Status.COMPILE_ERROR)),
        *(told("right", right) for _ in range(98)), told("right", wrong),
    ]  # fmt: skip
    assert [str(each) for each in every if each.is_wrong] == [
        "cuda 1f (seed 5, waves, draw 3): own: kind: unsupported: so",
        "cuda 1f (seed 5, waves, draw 3): trivial: kind: correct: so",
        "cuda 1f (seed 5, waves, draw 3): right: kind: wrong_output: so",
    ]
    assert [each.shows_nothing for each in every[:5]] == [False, False, False, False, True]
    table = verdicts.summed(every)
    figures = [[table[way][name] for name in ("answers", "scored", "ran")] for way in verdicts.WAYS]
    assert figures == [[2, 1, 1], [3, 1, 2], [99, 98, 99]]
    assert not any(verdicts.is_enough(way, table[way]) for way in verdicts.WAYS)
    refused = told("trivial", Status.COMPILE_ERROR)
    assert not replace(refused, known=replace(refused.known, kind="the broken module")).shows_nothing
    better = verdicts.summed([every[0], every[2], *every[5:], told("right", right)])
    assert all(verdicts.is_enough(way, better[way]) for way in verdicts.WAYS)


@pytest.mark.folder
def test_rows_are_those_of_all_splits(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import verdicts

    found = verdicts.rows_of_config(built, "cuda", 0)
    rows = {row["id"]: row for file in (built / "cuda").iterdir() for row in pq.read_table(file).to_pylist()}
    assert {row["id"] for row in found} == set(rows) and len(found) == len(rows)
    assert [row["id"] for row in found] == [row["id"] for row in verdicts.rows_of_config(built, "cuda", 0)]
    assert all(sum(row["takes"].values()) == len(rows[row["id"]]["arguments"]) for row in found)
    for words in ([str(built / "none")], [str(built), "--limit", "0"]):
        with pytest.raises(SystemExit) as ended:
            verdicts.main(words)
        assert ended.value.code == 2 and "error: " in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.compile
@pytest.mark.process
def test_known_answers_are_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import verdicts

    examples = examples_of(program_at(*PLAIN))
    rows = {
        config: {**row_at(config), "examples": examples, "takes": Counter()}
        for config in ("cuda_backward", "warp_to_cuda")
    }
    monkeypatch.setattr(verdicts, "rows_of_config", lambda folder, config, seed: [rows[config]])
    words = ["OUT", "--config", *rows, "--right", "4", "--workers", "1", "--json"]
    assert verdicts.main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert not found["judged otherwise"]
    for config in rows:
        table = found["configs"][config]
        assert table["own"]["scored"] == 1 and table["right"]["scored"] == table["right"]["answers"] >= 3
        assert table["trivial"]["ran"] == table["trivial"]["answers"] >= 7
    assert found["configs"]["cuda_backward"]["trivial: no gradients"]["statuses"] == {"wrong_gradient": 1}


def test_answers_to_what_people_wrote_are_judged_task_by_task(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is drawn for such rows, which have no address."""
    import verdicts

    row = {"id": "1f", "seed": None, "category": "handwritten", "draw": None}
    row["completions"] = {task.name: f"of {task.name}" for task in whole_tasks()} | {"cpu": None}
    heard: list[Any] = []

    def judged(answers: Any, *_: Any) -> Any:
        heard.extend(answers)
        return [(place, Verdict(Status.CORRECT, "", each.seed)) for place, each in enumerate(answers)]

    monkeypatch.setattr(verdicts, "rows_in", lambda folder, config, seed, more: [row])
    monkeypatch.setattr(verdicts, "judged", judged)
    assert verdicts.main(["OUT", "--config", "handwritten", "--json"]) == 0
    asked = [task.name for task in whole_tasks() if task.name != "cpu"]
    assert [(each.config, each.text) for each in heard] == [(task, f"of {task}") for task in asked]
    assert json.loads(capsys.readouterr().out)["all"]["own"]["scored"] == len(asked)


@pytest.mark.compile
@pytest.mark.process
def test_cases_catch_adjoints_that_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    import adjoints

    monkeypatch.setattr(adjoints, "SECONDS", 1)

    program, row = program_at(*PLAIN), row_at("cuda_backward")
    own = warp.translate(row["python_source"], program.name, backward=True, cuda=True)
    sets, seeds = inputs_of(program), make_output_gradients(program.signature, "seeds")
    line = "wp::adj_cosh(var_3, adj_1, adj_2);"
    edits = [
        line + "// so",
        "",
        line + line,
        "not_there();",
        "for (;;);",
        f"if (var_3 > {median(program)}) {line}",
        *(f"{line} adj_1 *= {factor!r};" for factor in (1.0 + 1e-15, 1.0 + 1e-3)),
    ]
    texts = [row["completion"].replace(line, edit) for edit in edits]
    assert len({row["completion"], *texts}) == 1 + len(texts)
    same, less, twice, refused, endless, some, rounded, other = adjoints.bitten(
        program.signature, own, row["completion"], texts, sets, seeds
    )
    assert same.same and not same.seen.any()
    assert less.seen.all() and twice.seen.all() and not less.same
    assert refused.seen is None and endless.seen.all()
    assert some.seen.any() and not some.same
    assert rounded.same and other.seen.all() and not other.same


def median(program: Program) -> float:
    return float(np.median([value for inputs in inputs_of(program) for value in inputs.values()]))
