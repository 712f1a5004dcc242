"""The learning check: rows told apart, drawn, judged. How well a model learns is not judged here."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[2]
CODE = """// kernel.py:3
extern "C" __global__ void scale_cuda_kernel_forward(
    wp::launch_bounds_t<1> dim,
    wp::array_t<wp::float32> var_x)
{
    // x[i] = 2.0
    wp::float32* var_1;
    const wp::vec_t<2, wp::int32> var_2 = {1, 2};
    State const& var_3,
    var_1 = wp::address(var_x, var_0);
    return var_1;
}
"""
TINY = ["--layers", "1", "--width", "64", "--vocabulary", "300", "--budget", "2000", "--rate", "0.003"]


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def records(count: int, start: int = 0) -> list[dict[str, Any]]:
    """Rows whose code follows from their prompts."""
    numbers = range(start, start + count)
    return [
        {
            "id": f"k{n}",
            "category": ("even", "odd")[n % 2],
            "prompt": f"x{n} = {n} + y\n",
            "completion": f"// x{n}\nfloat x{n};\nx{n} = add({n}, y);\nreturn y;\n",
            "twin_of": f"k{n - 1}" if n % 4 == 3 else None,
        }
        for n in numbers
    ]


def as_lines(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_bytes_are_told_apart_by_their_lines() -> None:
    from support.row_texts import CLASSES, class_of, classes_of, sizes_of, uncommented

    common = frozenset({"{", "}", "    wp::launch_bounds_t<1> dim,"})
    found = [CLASSES[class_of(line, common)] for line in CODE.splitlines()]
    rest, declared, usual = "the rest", "declarations", "common lines"
    assert found == [
        *("comments", rest, usual, declared, usual, "comments"),
        *(declared, declared, declared, rest, rest, usual),
    ]
    assert CLASSES[class_of("// {", frozenset({"// {"}))] == usual
    # A break counts with the line behind it, and a letter as many times as it has bytes.
    assert classes_of("// ä\nx;", common).tolist() == [0] * 5 + [CLASSES.index(rest)] * 3
    assert sum(sizes_of(CODE, common)) == len(CODE)
    assert uncommented("a\n// b\n\n    // {\nc\n", frozenset({"    // {"})) == "a\n\n    // {\nc\n"


def test_lines_are_common_from_half_of_the_rows_on() -> None:
    from support.row_texts import Row, common_lines

    rows = [Row(str(n), "", "", text) for n, text in enumerate(("a\na\nb", "a", "b", "c"))]
    assert common_lines(rows) == {"a", "b"}


def test_rows_are_read_from_files_and_folders(tmp_path: Path) -> None:
    from support.row_texts import fingerprint, read_rows

    rows = records(6)
    lines = as_lines(tmp_path / "lines" / "a.jsonl", rows)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    table = read_rows([tmp_path / "a.parquet"])
    assert table == read_rows([lines]) == read_rows([tmp_path / "lines"])
    assert [row.twin for row in table] == [False, False, False, True, False, False]
    bare = read_rows([as_lines(tmp_path / "b.jsonl", [{"prompt": "p", "completion": "c"}])])
    assert bare[0].category == "" and not bare[0].twin
    # What they say counts, not where they lie.
    assert fingerprint(table) == fingerprint(read_rows([lines])) != fingerprint(table[::-1])
    with pytest.raises(SystemExit, match="without prompt or completion"):
        read_rows([as_lines(tmp_path / "c.jsonl", [{"text": "t"}])])
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit, match="no rows"):
        read_rows([tmp_path / "empty"])


def test_smaller_draws_are_part_of_larger_ones(tmp_path: Path) -> None:
    from support.row_texts import draw, read_rows

    rows = read_rows([as_lines(tmp_path / "a.jsonl", records(40))])
    large = draw(rows, 30, seed=1)
    assert draw(rows, 10, seed=1) == large[:10] != draw(rows, 10, seed=2)
    odd = draw(rows, 20, seed=1, without=["even"])
    assert {row.category for row in odd} == {"odd"}
    assert [row for row in large if row.category == "odd"] == list(odd[: len(set(odd) & set(large))])
    with pytest.raises(SystemExit, match="there are 20"):
        draw(rows, 21, seed=1, without=["even"])
    with pytest.raises(SystemExit, match="strange"):
        draw(rows, 1, seed=1, without=["strange"])


def line(seed: int, bits: Sequence[Sequence[float] | None], without: Sequence[str] = ()) -> dict[str, Any]:
    """A line of a model of ten rows that judged kernels of 4, 0, 0 and 4 bytes; the second is a twin."""
    kernels = [
        {"id": f"k{n}", "category": "ab"[n % 2], "twin": n == 1, "bytes": [4, 0, 0, 4], "bits": of_one}
        for n, of_one in enumerate(bits)
    ]
    run = {"rows": "r", "size": 10, "seed": seed, "without": list(without), "setting": {"layers": 1}}
    return {"judge": "people", "judged": "j", "run": run, "read": 25, "kernels": kernels}


def test_tables_compare_all_learners_on_the_same_kernels() -> None:
    from support.learned_table import tables

    lines = [
        line(0, [[4, 0, 0, 8], [1, 0, 0, 1], [2, 0, 0, 2], [9, 0, 0, 9]]),
        line(1, [[8, 0, 0, 8], [1, 0, 0, 1], [2, 0, 0, 2], None]),
        line(0, [[8, 0, 0, 8], [8, 0, 0, 8], [8, 0, 0, 8], [1, 0, 0, 1]], without=["b"]),
    ]
    lines.append(line(0, [[4.0, 12.0]] * 4))  # of comments, and of all else
    lines[-1]["run"] |= {"setting": None, "size": 20}
    originals, twins, own = tables(lines)
    assert originals.startswith("### people: 2 of 3 kernels fit (66.7%); comments 50.0%, declarations 0.0%")
    cells = [row.strip("| ").split(" | ") for row in originals.splitlines()[4:]]
    code = "1.250 (1.250–1.250)"
    assert cells == [
        ["compressor", "20", "1.2", "1", "2.000", "3.000", "–", "–", "–", "–"],
        ["model", "10", "2.5", "2", "1.125 (1.000–1.250)", code, "1.000 (0.750–1.250)", "–", "–", code],
        ["model without b", "10", "2.5", "1", "2.000", "2.000", "2.000", "–", "–", "2.000"],
    ]
    assert "### people, twins: 1 of 1 kernels fit" in twins and "| 0.250 (0.250–0.250) |" in twins
    # By the seeds that both have.
    assert own.splitlines()[-1] == "| b | 10 | 1 | 0.250 | 2.000 | 1.000 | 2.000 |"


@pytest.fixture
def told(tmp_path: Path) -> list[str]:
    rows = as_lines(tmp_path / "rows" / "train.jsonl", records(40))
    judged = as_lines(tmp_path / "people" / "test.jsonl", [*records(8, 40), *_too_long()])
    return ["--rows", str(rows), "--judge", str(judged), *TINY, "--window", "200"]


def _too_long() -> list[dict[str, Any]]:
    return [{"id": "long", "prompt": "p", "completion": "x = add(1, y);\n" * 200}]


@pytest.mark.nightly
def test_runs_are_done_once(
    told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    import learning

    runs = ["--sizes", "8", "16", "--seeds", "0", "--given", "4"]
    learning.main([str(tmp_path / "a"), *told, *runs])
    first = capsys.readouterr().out
    assert "### people: 6 of 7 kernels fit" in first and "### people, twins: 2 of 2 kernels fit" in first
    lines = list(map(json.loads, (tmp_path / "a" / "runs.jsonl").read_text().splitlines()))
    assert [(line["run"]["size"], line["run"]["seed"]) for line in lines] == [
        (4, 0),
        (8, 0),
        (16, 0),
    ]
    monkeypatch.setattr(learning, "trained", lambda *_: pytest.fail("trained again"))
    learning.main([str(tmp_path / "a"), *told, *runs])
    assert capsys.readouterr().out == first
    # Other rows to judge train nothing either: models are kept.
    other = as_lines(tmp_path / "others" / "test.jsonl", records(4, 60))
    learning.main([str(tmp_path / "a"), *told, "--judge", str(other), *runs])
    assert "### others: 3 of 3 kernels fit" in capsys.readouterr().out
    (tmp_path / "a" / "runs.jsonl").unlink()
    learning.main([str(tmp_path / "a"), *told, *runs])
    assert capsys.readouterr().out == first


@pytest.mark.nightly
def test_what_is_judged_is_not_trained_on(told: list[str], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    import learning

    known = as_lines(tmp_path / "known" / "a.jsonl", records(1, 39))
    with pytest.raises(SystemExit, match="among those to train on"):
        learning.main([str(tmp_path / "a"), *told, "--judge", str(known), "--sizes", "--given"])


@pytest.mark.nightly
def test_the_same_seed_learns_the_same(told: list[str], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    import learning

    runs = ["--sizes", "16", "--seeds", "3", "--given", "4", "--without", "even"]
    for name in ("a", "b"):
        learning.main([str(tmp_path / name), *told, *runs])
    one, other = ((tmp_path / name / "runs.jsonl").read_text() for name in ("a", "b"))
    assert one == other
    packed, learned = map(json.loads, one.splitlines())
    assert learned["run"]["without"] == ["even"] and learned["kernels"][-1]["bits"] is None
    common = [kernel["bits"][2] / kernel["bytes"][2] for kernel in learned["kernels"][:-1]]
    assert 0 < max(common) < 1  # what nothing was learned of costs over 3
    # The compressor, which is told the same prompt, too: of comments, and of all else.
    assert all(len(kernel["bits"]) == 2 and kernel["bits"][1] > 0 for kernel in packed["kernels"])


@pytest.mark.nightly
def test_a_model_that_knows_nothing_pays_the_same_for_each_token() -> None:
    torch = pytest.importorskip("torch")
    from support.row_texts import CLASSES, Row, common_lines
    from support.small_model import Codec, Setting, SmallModel, judge

    row = Row("k", "", "prompt\n", CODE)
    setting = Setting(layers=1, width=64, vocabulary=320, window=400)
    codec, model = Codec.learned([row], 320), SmallModel(setting)
    torch.nn.init.zeros_(model.embed.weight)
    (found,) = judge(codec, model, [row], common_lines([row]))
    tokens, first = codec.tokens(row)
    assert found.bits is not None and sum(found.bytes) == len(CODE)
    assert sum(found.bits) == pytest.approx(math.log2(320) * (len(tokens) - first - 1), rel=1e-5)
    (apart,) = judge(codec, model, [row], frozenset())
    assert apart.bits is not None and sum(apart.bits) == pytest.approx(sum(found.bits))
    assert apart.bits[CLASSES.index("common lines")] == 0 < apart.bits[CLASSES.index("comments")]


@pytest.mark.nightly
def test_a_token_costs_what_those_before_it_say() -> None:
    torch = pytest.importorskip("torch")
    from support.small_model import Setting, SmallModel

    torch.manual_seed(0)
    model = SmallModel(Setting(layers=2, width=64, vocabulary=50, window=32))
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.5)
    tokens = torch.randint(0, 50, (20,))
    whole, part = model(tokens, 5), model(tokens[:12], 5)
    assert torch.allclose(whole[:7], part, atol=1e-4) and torch.allclose(
        model(tokens, 1)[4:], whole, atol=1e-4
    )
    other = torch.cat((tokens[:1] + 1 - 2 * (tokens[:1] == 49), tokens[1:]))
    assert not torch.allclose(model(other, 5), whole, atol=1e-2)  # and on all of those
