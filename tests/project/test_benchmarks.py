"""The benchmarks run, and what they print is whole. What they measure is not judged here."""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from toys.rows import TASKS

from warp_ir_dataset.language.operations.signatures import signature
from warp_ir_dataset.language.types import SCALARS, Quaternion, Vector

ROOT = Path(__file__).parents[2]
UNIT = "(%| MB| ms| us| s|)"
ROW = re.compile(rf"(?P<what>.+?)  +(?P<measured>-?[\d.]+){UNIT}  +([<>]= [\d.]+{UNIT}  +(ok|NO)|reported)")

MEASURED = [
    "cuda: CPU of a row, plan included, against its floor",
    "cuda: our own CPU of a row, plan included",
    "cuda: rows a CPU second",
    "cuda: lines of source a CPU second",
    "cuda: rows a second of 1 worker",
    "cuda: memory of a worker",
    "cuda: its growth over the last half",
    "cuda: code text, against Warp's builder",
    "cuda: the same, against Warp's decorators too",
    "cuda: a build of 10 loaded, cold",
    "cuda: its first streamed row, cold",
    "cuda: the same from the cache",
    "cuda: two workers against one, plan alone",
    "cuda: two workers against one, plan included",
    "cuda: two workers against one, by CPU time",
    "cuda: CPU of a row, of 40 against 20",
    "cuda: serial planning of a row, of 500",
    "cuda: memory of the process that plans, of 500",
]


def table(*arguments: str) -> dict[str, float]:
    """What `throughput.py` measured, by the name of the row."""
    run = subprocess.run(
        [sys.executable, "benchmarks/throughput.py", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    rows = filter(None, map(ROW.fullmatch, run.stdout.splitlines()))
    return {row["what"]: float(row["measured"]) for row in rows}


@pytest.mark.compile
@pytest.mark.slow
@pytest.mark.long
def test_throughput_measures_all_that_has_a_budget() -> None:
    sizes = ["--kernels", "10", "--rows", "10", "--workers", "1", "--load", "10", "--plan", "500"]
    found = table("--config", "cuda", *sizes, "--grow", "20", "40")
    assert list(found) == MEASURED
    assert all(map(math.isfinite, found.values()))
    positive = {what: value for what, value in found.items() if "growth" not in what}
    assert all(value > 0 for value in positive.values()), positive
    assert found["cuda: CPU of a row, plan included, against its floor"] > 1


@pytest.fixture
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "answers"))


@pytest.mark.usefixtures("_benchmarks")
def test_serial_planning_is_measured_beside_its_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from support import recorded

    monkeypatch.setattr(sys, "argv", ["recorded.py", "cuda_backward", "200"])
    recorded.main()
    told = json.loads(capsys.readouterr().out)
    assert told["microseconds"] > 0 and told["megabytes"] > 10
    assert told["looks"] > 1.5 and told["rounds"] > 1  # half of what has a purpose is barred


@pytest.mark.usefixtures("_benchmarks")
def test_an_older_commit_may_not_be_able_to(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import throughput
    from support.checkouts import CheckoutError

    class Fake:
        def __init__(self, name: str, told: str | None) -> None:
            self.name, self.told = name, told

        def run(self, command: list[str], _: Path) -> str:
            if self.told is None:
                raise CheckoutError("it has no kernels")
            return f"{command[-1]} {self.told}"

    def seconds(*projects: Fake) -> list[tuple[float, float | None]]:
        figures = throughput.loading(projects, "cpu", 1200, tmp_path)
        return [(figure.measured, figure.before) for figure in figures]

    assert seconds(Fake("old", "2.5"), Fake("new", "1.5")) == [(1.5, 2.5)] * 3
    assert seconds(Fake("new", "1.5")) == [(1.5, None)] * 3
    assert not capsys.readouterr().out
    assert seconds(Fake("old", None), Fake("new", "1.5")) == [(1.5, None)] * 3
    assert capsys.readouterr().out == "cpu: loading is not measured at old: it has no kernels\n"
    with pytest.raises(CheckoutError, match="no kernels"):
        seconds(Fake("old", "2.5"), Fake("new", None))


@pytest.mark.usefixtures("_benchmarks")
@pytest.mark.folder
def test_token_lengths_count_whole_rows(
    built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import token_lengths

    monkeypatch.setitem(token_lengths.KNOWN, "words", lambda name: lambda text: len(text.split()))
    expected = {}
    for config in TASKS:
        rows = [row for file in (built / config).iterdir() for row in pq.read_table(file).to_pylist()]
        expected[config] = sorted(len((row["prompt"] + row["completion"]).split()) + 1 for row in rows)
    token_lengths.main([str(built), "--tokenizer", "words"])
    lines = capsys.readouterr().out.splitlines()[2:]
    for line, (config, lengths) in zip(lines, expected.items(), strict=True):
        name, rows, median, _, _, longest, whole, limit = line.strip("| ").split(" | ")
        assert (name, int(rows)) == (f"`{config}`", len(lengths))
        assert int(median) == lengths[(len(lengths) - 1) // 2] and int(longest) == lengths[-1]
        assert whole == "100.0%" and lengths[-1] <= int(limit) < lengths[-1] + 256 and int(limit) % 256 == 0
    token_lengths.main([str(built), "--tokenizer", "words", "--strip-comments"])
    assert capsys.readouterr().out.count("\n") == 2 + len(TASKS)


@pytest.mark.usefixtures("_benchmarks")
def test_pieces_are_cut_where_their_content_says() -> None:
    import reupload

    data = random.Random(0).randbytes(4_000_000)
    found = list(reupload.pieces(data))
    assert b"".join(found) == data and all(len(p) <= reupload.LARGEST for p in found)
    assert all(len(p) >= reupload.SMALLEST for p in found[:-1])
    assert 32 * 1024 < len(data) / len(found) < 96 * 1024
    # What is put in far in front costs a piece or two, and nothing behind them.
    assert 1 <= len(set(reupload.pieces(data[:1000] + b"more" + data[1000:])) - set(found)) <= 3
    assert reupload.sent([data], [data]) == 0 and reupload.sent([], [data, data]) == len(data)


@pytest.mark.usefixtures("_benchmarks")
def test_a_reupload_is_told_for_each_config(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import reupload

    for words in ([], ["--merge"]):
        reupload.main([str(built), *words])
        lines = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
        kinds = [(f"`{c}`", k, o) for c in TASKS for k in ("words", "rows") for o in ("plain", "ours")]
        assert [tuple(line[:3]) for line in lines] == kinds
        for *_, whole, again, part in lines:
            sizes = [int(cell.replace(",", "")) for cell in (whole, again)]
            assert 0 < sizes[1] <= sizes[0] and part == f"{sizes[1] / sizes[0]:.1%}"
    old = [[{"prompt": "p", "completion": "c\n", "id": str(n)} for n in range(30)]]
    for kind in reupload.EDITS:
        new = reupload.edited(old, kind)
        assert sum(a != b for a, b in zip(old[0], new[0], strict=True)) == 10


@pytest.mark.usefixtures("_benchmarks")
def test_the_table_is_counted_against_warps_own_stub() -> None:
    import signatures

    without = signatures.missing()
    assert not without["Scalar Math"] and not without["Operators"]
    # A row that is written as a function of Warp is one that the stub has.
    known = {name for names in signatures.groups().values() for name in names}
    beside = {"extract", "", *SCALARS}  # subscripts, constructors and words of Python's
    assert signatures.covered() <= known | beside


@pytest.mark.usefixtures("_benchmarks")
def test_lines_to_start_from_are_signatures() -> None:
    import signatures

    lines = signatures.lines("Quaternion Math")
    assert "quat_rotate(quat<F>, vec<3,F>) -> vec<3,F>" in lines
    read = signature("quat_rotate(quat<F>, vec<3,F>) -> vec<3,F>")
    assert read.instances[0] == ((Quaternion("float32"), Vector("float32", 3)), Vector("float32", 3))


@pytest.mark.usefixtures("_benchmarks")
def test_bites_are_counted_by_operator_and_judged() -> None:
    import bite

    measured = bite.measure(0, 0, 6)
    assert measured.family == bite.CATEGORIES[0] and len(measured.found) == 6 and not measured.wrong
    assert all(row[bite.MADE] == 1 and row[bite.CAUGHT] >= row[bite.BOTH] for _, row in measured.found)
    # Every operator weighs the same, however many mutants it has.
    rows = {name: Counter() for name in bite.OPERATORS}
    rows["another sign"] = Counter({bite.SEEN: 100, bite.BOTH: 100, bite.OTHER: 100, bite.CAUGHT: 100})
    rows["store deleted"] = Counter({bite.SEEN: 10, bite.BOTH: 7, bite.OTHER: 20, bite.CAUGHT: 8})
    figures = [(round(figure, 3), enough) for _, figure, enough in bite.judged(rows)]
    assert figures == [(0.85, False), (0.7, False), (0.7, False), (0.4, False)]
    rows["store deleted"] = rows["another sign"]
    assert all(enough for _, _, enough in bite.judged(rows))
