"""Each benchmark runs on little, and gives the right figure for a case whose answer is known."""

from __future__ import annotations

import ast
import json
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from toys.judged import PLAIN, program_at, row_at
from toys.rows import TASKS

from warp_ir_dataset import score_many
from warp_ir_dataset.builds.arguments import argument_rows
from warp_ir_dataset.builds.row import examples_text
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.evaluation.measure import share_interval
from warp_ir_dataset.evaluation.validation.sandboxed import try_rows
from warp_ir_dataset.judge.verdict import Status, Verdict
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import FLOAT
from warp_ir_dataset.proof.inputs import make_inputs, make_output_gradients

ROOT = Path(__file__).parents[2]
Row = dict[str, Any]


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


# ---- lines

SOURCE = '''"""A docstring."""
import ast; from os import path
# a comment

def f(x: int) -> str:
    """Another docstring."""
    text = """a string

    of three lines"""  # of which one is blank
    return text if x else path.sep
'''


def test_lines_of_code_are_counted() -> None:
    import lines

    assert SOURCE.count("\n") == 10 and lines.code_lines(SOURCE) == {5, 7, 9, 10}
    package = "warp_ir_dataset/"
    tree = {
        package + "builds/plan/plan.py": SOURCE,
        package + "api.py": SOURCE,
        package + "synthesis/idioms/waves/strings.py": SOURCE,
        package + "builds/texts.md": "data\n",
        "tests/test_plan.py": SOURCE,
        "docs/page.md": "# Title\n\ntext\n",
    }
    parts, longest = lines.measured(tree)
    assert parts == {
        package + "builds": 4,
        "warp_ir_dataset, top modules": 4,
        "warp_ir_dataset, all but templates": 8,
        **{"templates": 4, "tests": 4, "documents": 3},
    }
    assert longest == [f"4 `f` {package}{path}:5" for path in ("api.py", "builds/plan/plan.py")]


# ---- same_rows


def of_split(split: str) -> list[Row]:
    examples = json.dumps([{"inputs": {"a": [1.0, 2.5]}, "outputs": {"o": [0.5]}}])
    return [{"id": f"{split}{n}", "completion": "x = y;\n", "examples": examples} for n in range(4)]


def build(folder: Path, last: list[Row]) -> str:
    """A folder with two splits of one config, of which the second has the rows `last`."""
    (folder / "cuda").mkdir(parents=True)
    for split, rows in (("train", of_split("train")), ("test", last)):
        pq.write_table(pa.Table.from_pylist(rows), folder / "cuda" / f"{split}-00000-of-00001.parquet")
    return str(folder)


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (lambda rows: rows, []),
        (
            lambda rows: [*rows[:3], rows[3] | {"completion": "x = z;\n"}],
            ["completion 7 equal 1 different"],
        ),
        (
            lambda rows: [*rows[:3], rows[3] | {"examples": rows[3]["examples"].replace("1.0", "1")}],
            ["examples 7 equal 1 different", "examples.inputs 7 equal 1 different"],
        ),
        (lambda rows: rows[:3], ["1 rows only in old: test/test3"]),
        (lambda rows: rows[::-1], ["8 rows in both, in ANOTHER ORDER"]),
    ],
    ids=["equal", "a byte", "a type", "a row less", "another order"],
)
def test_same_rows_sees_a_difference(
    change: Callable[[list[Row]], list[Row]],
    lines: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import same_rows

    rows = of_split("test")
    folders = [build(tmp_path / "old", rows), build(tmp_path / "new", change(rows))]
    monkeypatch.setattr(sys, "argv", ["same_rows.py", *folders, "--config", "cuda"])
    with pytest.raises(SystemExit) as ended:
        same_rows.main()
    assert ended.value.code == bool(lines)
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    same = re.compile(r"cuda|\d+ rows in both, in one order|\S+ \d equal 0 different|test/.*|the .*")
    assert [line for line in said if not same.fullmatch(line)] == lines


# ---- near_duplicates, idioms, token_lengths


@pytest.mark.process
def test_near_duplicates_do_not_survive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import near_duplicates

    first, other = (write(program_at(*place)) for place in (PLAIN, ("nested_loop", 4)))
    renamed = first.replace(program_at(*PLAIN).name, "under_another_name")
    sources = {"python_source": [first, other, renamed], "category": ["math", "nested_loop", "math"]}
    pq.write_table(pa.table(sources), tmp_path / "rows.parquet")
    monkeypatch.setattr(
        sys, "argv", ["near_duplicates.py", str(tmp_path / "rows.parquet"), "--processes", "1"]
    )
    assert near_duplicates.main() == 1  # fewer than asked
    told = capsys.readouterr().out.splitlines()
    assert [re.findall(r"\d+ of \d+|\w+ \d+%", line) for line in told[:2]] == [
        ["2 of 3"],
        ["math 50%", "nested_loop 100%"],
    ]
    assert "2 of 3" in told[2]


def test_kernels_of_a_template_are_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import idioms

    family, template = next(idioms.chosen([]))
    samples, failed = idioms.samples_of(family, template, 4, 0, False)
    assert len(samples) + len(failed) == 4 and samples
    summary = idioms.summary(family, template, samples[:1] * 3, ["so"], idioms.meanings(samples[:1] * 3))
    numbers = dict(re.findall(r"(plain|meanings|near|left|failed) +(\d+)", summary))
    assert numbers == {"plain": "1", "meanings": "1", "near": "100", "left": "1", "failed": "1"}
    monkeypatch.setattr(sys, "argv", ["idioms.py", template.purpose, "--samples", "4", "--show", "1"])
    idioms.main()
    out = capsys.readouterr().out
    assert out.startswith(family) and write(samples[0].program) in out


@pytest.mark.folder
def test_tokens_of_rows_are_counted(
    built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import token_lengths

    monkeypatch.setitem(token_lengths.KNOWN, "words", lambda name: lambda text: len(text.split()))
    token_lengths.main([str(built), "--tokenizer", "words"])
    lines = capsys.readouterr().out.splitlines()[2:]
    for line, config in zip(lines, TASKS, strict=True):
        rows = [row for file in (built / config).iterdir() for row in pq.read_table(file).to_pylist()]
        lengths = sorted(len((row["prompt"] + row["completion"]).split()) + 1 for row in rows)
        name, count, median, _, _, longest, whole, limit = line.strip("| ").split(" | ")
        assert (name, int(count)) == (f"`{config}`", len(lengths))
        assert int(median) == lengths[(len(lengths) - 1) // 2] and int(longest) == lengths[-1]
        assert whole == "100.0%" and lengths[-1] <= int(limit) < lengths[-1] + 256 and int(limit) % 256 == 0


# ---- throughput, cpu_per_row


@pytest.mark.compile
@pytest.mark.long
def test_throughput_measures_all_that_has_a_budget() -> None:
    sizes = ["--kernels", "10", "--rows", "10", "--workers", "1", "--load", "10"]
    command = [sys.executable, "benchmarks/throughput.py", "--config", "cuda", *sizes]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    lines = [re.split(r" {2,}", line) for line in run.stdout.splitlines() if line.startswith("cuda: ")]
    found = {cells[0]: float(re.sub(r"[^\d.-]", "", cells[1])) for cells in lines if len(cells) > 2}
    assert len(found) == 15 and all(map(math.isfinite, found.values()))
    assert all(value > 0 for what, value in found.items() if "growth" not in what)
    assert found["cuda: CPU of a row, plan included, against its floor"] > 1


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
    assert re.search("cpu.*old.*no kernels", capsys.readouterr().out)
    with pytest.raises(CheckoutError, match="no kernels"):
        seconds(Fake("old", "2.5"), Fake("new", None))


def test_cpu_of_two_commits_is_a_ratio() -> None:
    import cpu_per_row

    assert cpu_per_row.row("cuda", [[0.1, 0.3], [0.05, 0.3]]).split() == [
        *("cuda", "200.0", "175.0", "0.875"),
        *("0.500", "to", "1.000"),
    ]


# ---- announced


@pytest.mark.compile
@pytest.mark.process
def test_a_byte_that_announcing_changes_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import announced

    monkeypatch.setattr(announced, "rows_in", lambda folder, config, seed, more: [row_at(config)])
    assert announced.main(["OUT"]) == 0
    assert re.findall(r"(\w+): 1 of 1 ", capsys.readouterr().out) == [*announced.TASKS]
    left, runs = announced.left, []

    def changed(*asked: Any) -> Any:
        results = left(*asked)
        runs.append(results)
        if len(runs) == 2:
            next(iter(results[-1].outputs.values())).view(np.uint8).reshape(-1)[0] ^= 1
        return results

    monkeypatch.setattr(announced, "left", changed)
    assert announced.main(["OUT", "--config", "warp_to_cuda"]) == 1
    assert re.search(r"differs\n.* 0 of 1 ", capsys.readouterr().out)


# ---- judge_cost


@pytest.mark.compile
@pytest.mark.process
def test_what_judging_costs_is_told_by_config(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import judge_cost

    def rows(folder: Path, config: str, seed: int, more: tuple[str, ...]) -> list[Row]:
        return [row_at(config, *TABLE), row_at(config)]

    monkeypatch.setattr(judge_cost, "rows_in", rows)
    configs, sizes = ("cuda", "spec_to_warp"), ["--rows", "1", "--group", "2", "--others", "1"]
    assert judge_cost.main(["OUT", "--config", *configs, *sizes, "--callers", "2"]) == 0
    head, _, *table = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines() if line]
    assert head[1:] == [f"`{config}`" for config in configs]
    assert len(table) == 13 and all(len(cells) == 3 and "nan" not in "".join(cells) for cells in table)
    found = {cells[0]: float(re.findall(r"[\d.]+", cells[2])[0]) for cells in table}
    whole, first = found["a right answer, mean"], found["a row: hidden inputs and their outputs"]
    assert whole > 0 < first and found["one to a row"] < found["answers a second on two cores, 2 to a row"]


def test_answers_in_python_are_python_however_a_module_begins_and_ends() -> None:
    import judge_cost

    module = CLOSURE.format("x[i] += 1.0")
    assert judge_cost.with_line(module, "y = 2") == CLOSURE.format("x[i] += 1.0\n        y = 2")
    texts = [text for _, text in judge_cost.answers(module, "spec_to_warp", 3, 2)]
    trees = {ast.dump(ast.parse(text)) for text in texts}
    assert len(trees) == len(texts) == 7


CLOSURE = """from typing import Any

import warp as wp

def create():
    @wp.kernel
    def k(x: wp.array[float]):
        i = wp.tid()
        {}

    return k

k = create()
"""


def test_a_verdict_that_is_not_expected_is_told() -> None:
    import judge_cost

    right, wrong = (Verdict(status, "so", 0) for status in (Status.CORRECT, Status.WRONG_OUTPUT))
    told = [
        [*judge_cost.unlike({"id": "1f"}, kind, verdict)]
        for kind in (judge_cost.RIGHT, judge_cost.WRONG, judge_cost.REFUSED)
        for verdict in (right, wrong)
    ]
    assert told == [[], ["1f: right: wrong_output: so"], [], [], ["1f: refused: correct: so"], []]


# ---- bite


def test_bites_are_counted_by_operator() -> None:
    import bite

    measured = bite.measure(0, 0, 6)
    assert measured.family == bite.CATEGORIES[0] and len(measured.found) == 6
    # Two cases and two other inputs: a survivor, one that is caught, and one that no input shows.
    survivor, caught, unseen = (
        bite.row_of(False, np.array(flags), [0, 1], 2)
        for flags in ([False, False, True, False], [True, False, True, True], [False] * 4)
    )
    one = {bite.MADE: 1, bite.OTHER: 1}
    assert survivor == Counter({**one, bite.SEEN: 1}) and unseen == Counter(one)
    assert caught == Counter({**one, bite.SEEN: 1, bite.BOTH: 1, bite.CAUGHT: 1})
    assert bite.row_of(True, np.array([False] * 4), [0, 1], 2) == {bite.MADE: 1}
    # Every operator weighs the same, however many mutants it has.
    rows = {name: Counter() for name in bite.OPERATORS}
    rows["another sign"] = Counter({bite.SEEN: 100, bite.BOTH: 100, bite.OTHER: 100, bite.CAUGHT: 100})
    rows["store deleted"] = Counter({bite.SEEN: 10, bite.BOTH: 7, bite.OTHER: 20, bite.CAUGHT: 8})
    figures = [(round(figure, 3), enough) for _, figure, enough in bite.judged(rows)]
    assert figures == [(0.85, False), (0.7, False), (0.7, False), (0.4, False)]
    rows["store deleted"] = rows["another sign"]
    assert all(enough for _, _, enough in bite.judged(rows))


@pytest.mark.compile
@pytest.mark.process
def test_cases_catch_adjoints_that_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    from support import adjoint_mutants

    monkeypatch.setattr(adjoint_mutants, "SECONDS", 1)

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
    same, less, twice, refused, endless, some, rounded, other = adjoint_mutants.bitten(
        program.signature, own, row["completion"], texts, sets, seeds
    )
    assert same.same and not same.seen.any()
    assert less.seen.all() and twice.seen.all() and not less.same
    assert refused.seen is None and endless.seen.all()
    assert some.seen.any() and not some.same
    assert rounded.same and other.seen.all() and not other.same


def median(program: ir.Program) -> float:
    return float(np.median([value for inputs in inputs_of(program) for value in inputs.values()]))


def inputs_of(program: ir.Program) -> list[Any]:
    return [make_inputs(program.signature, f"{n}") for n in range(4)]


# ---- verdicts


def test_wrong_verdicts_are_counted() -> None:
    import verdicts

    row = {"id": "1f", "seed": 5, "category": "waves", "purpose": "elastic_wave_step", "draw": 3}

    def told(way: str, status: Status) -> verdicts.Told:
        return verdicts.Told(verdicts.Known("cuda", way, "kind", row, ""), Verdict(status, "so", 0))

    right, wrong = Status.CORRECT, Status.WRONG_OUTPUT
    every = [
        *(told("own", status) for status in (right, Status.UNSUPPORTED)),
        *(told("trivial", status) for status in (wrong, right, Status.COMPILE_ERROR)),
        *(told("right", right) for _ in range(98)), told("right", wrong),
        told("sized", right), told("sized", right),
        *(told("rounded", right) for _ in range(98)), told("rounded", wrong),
        told("mutants", wrong), told("mutants", right),
        *(replace(told("mutants", right), excuse="below rounding") for _ in range(2)),
    ]  # fmt: skip
    assert [str(each) for each in every if each.is_wrong] == [
        "cuda 1f (waves, 5/elastic_wave_step/3): own: kind: unsupported: so",
        "cuda 1f (waves, 5/elastic_wave_step/3): trivial: kind: correct: so",
        "cuda 1f (waves, 5/elastic_wave_step/3): right: kind: wrong_output: so",
        *["cuda 1f (waves, 5/elastic_wave_step/3): sized: kind: correct: so"] * 2,
        "cuda 1f (waves, 5/elastic_wave_step/3): rounded: kind: wrong_output: so",
        "cuda 1f (waves, 5/elastic_wave_step/3): mutants: kind: correct: so",
    ]
    assert [each.shows_nothing for each in every[:5]] == [False, False, False, False, True]
    table = verdicts.summed(every)
    ways = [way for way in verdicts.WAYS if way not in ("together", "careless")]  # of plain CUDA alone
    figures = [[table[way][name] for name in ("answers", "scored", "ran")] for way in ways]
    assert figures == [[2, 1, 1], [3, 1, 2], [2, 2, 2], [99, 98, 99], [99, 98, 99], [4, 3, 4]]
    assert table["mutants"]["excused"] == 2
    assert not any(verdicts.is_enough(way, table[way]) for way in ways)
    wrong_ones = {"own": (1, 2), "trivial": (1, 3), "sized": (2, 2), "right": (1, 99)}
    wrong_ones |= {"rounded": (1, 99), "mutants": (1, 4)}
    assert verdicts.errors(table) == wrong_ones
    refused = told("trivial", Status.COMPILE_ERROR)
    assert not replace(refused, known=replace(refused.known, kind="the broken module")).shows_nothing
    sized = [told("sized", wrong), told("mutants", wrong), told("rounded", right), every[-1]]
    better = verdicts.summed([every[0], every[2], *every[5:104], told("right", right), *sized])
    assert all(verdicts.is_enough(way, better[way]) for way in ways)


def test_an_interval_is_wilson_s() -> None:
    # R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17,
    # 1998, table I, method 3.
    known = {(81, 263): (0.2553, 0.3662), (15, 148): (0.0624, 0.1605), (0, 20): (0.0, 0.1611)}
    for counts, bounds in known.items():
        assert share_interval(*counts) == pytest.approx(bounds, abs=5e-5)
    low, high = share_interval(300, 300)
    assert (1 - high, 1 - low) == pytest.approx(share_interval(0, 300))


# Each change has something to do here, and the last two constants are no more than rounding.
OTHERWISE = """import warp as wp


@wp.kernel
def otherwise(x: wp.array[float], w: wp.array[float], y: wp.array[float]):
    i = wp.tid()
    total = float(0.0)
    for k in range(1, 5):
        total += w[k] * x[i]
    first = x[i] * 3.0 + w[i] * x[i]
    second = (x[i] + w[i]) * (x[i] - w[i]) / 7.0
    y[i] = total + first - second + x[i] ** 3.0 + 0.0 * x[i] + wp.min(w[i], 900.0) + 1e-11
"""


def _otherwise() -> ir.Program:
    unit, shape = Interval(0.5, 1.0), (8,)
    arguments = [ir.Argument(name, FLOAT, "input", shape, unit) for name in "xw"]
    arguments.append(ir.Argument("y", FLOAT, "output", shape, Interval(-1e3, 1e3)))
    return read(OTHERWISE, ir.Signature("otherwise", tuple(arguments), shape))


def test_what_is_computed_in_another_order_means_the_same() -> None:
    from support import arithmetic

    program = _otherwise()
    inputs = make_inputs(program.signature, "0")
    expected = alone(program, inputs)["y"]
    for name, change in arithmetic.CHANGES.items():
        made = change(program)
        assert made != program, name
        assert alone(made, inputs)["y"] == pytest.approx(expected, rel=1e-12), name


def test_products_are_fused_with_sums_of_their_own_block() -> None:
    from support.arithmetic import fused

    lines = [
        *("wp::float32 var_3;", "wp::float32 var_4;", "wp::float64 var_5;", "var_3 = wp::mul(var_1, var_2);"),
        *(
            "var_4 = wp::sub(var_3, var_4);",
            "var_4 = wp::sub(var_4, var_3);",
            "var_5 = wp::add(var_5, var_3);",
        ),
        *("wp::assign(var_1, var_4);", "var_4 = wp::add(var_4, var_3);"),
        *("var_3 = wp::mul(var_1, var_2);", "}", "var_4 = wp::add(var_4, var_3);"),
    ]
    expected = [*lines]
    expected[4] = "var_4 = fmaf(var_1, var_2, -var_4);"
    expected[5] = "var_4 = fmaf(-var_1, var_2, var_4);"
    assert fused("\n".join(lines)).split("\n") == expected


def test_what_differs_by_no_more_than_rounding_is_excused() -> None:
    from support.judged_mutants import farthest, others_of

    program = _otherwise()
    sets = others_of(program)

    def changed(before: str, after: str) -> ir.Program:
        return read(OTHERWISE.replace(before, after), program.signature)

    assert farthest(program, changed("/ 7.0", "/ 7.07"), sets).distance > 1
    assert farthest(program, changed("* 3.0", "* 3.003"), sets).distance > 1
    assert farthest(program, changed("900.0", "909.0"), sets).distance <= 1
    assert farthest(program, changed("1e-11", "1.01e-11"), sets).distance <= 1


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
    assert verdicts.main([*words, "--ways", "own", "trivial", "right"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert not found["judged otherwise"]
    for config in rows:
        table = found["configs"][config]
        assert table["own"]["scored"] == 1 and table["right"]["scored"] == table["right"]["answers"] >= 3
        assert table["trivial"]["ran"] == table["trivial"]["answers"] >= 8
    assert found["configs"]["cuda_backward"]["trivial: no gradients"]["statuses"] == {"wrong_gradient": 1}


THREADS = {"the first threads only", "threads from the start again", "one thread in a loop"}
TABLE = ("tables", 0, "bilinear_table_lookup")  # which is asked for its size
IMAGE = ("filters", 0, "unsharp_masking")  # of threads in two dimensions


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.parametrize(
    ("config", "address", "kinds"),
    [
        ("cpu", TABLE, {"sizes as numbers"} | THREADS - {"one thread in a loop"}),
        ("cuda", TABLE, {"sizes as numbers"} | THREADS),
        ("cuda_backward", TABLE, {"sizes as numbers"} | THREADS),
        ("warp_to_cuda", IMAGE, {"sizes as numbers", "the index in the block"} | THREADS),
        ("spec_to_warp", IMAGE, {"sizes as numbers"} | THREADS),
    ],
)
def test_answers_of_one_size_are_right_at_it(
    config: str, address: tuple[str, int, str], kinds: set[str]
) -> None:
    from support import adjoint_mutants
    from support.right_answers import Asked
    from support.sized_answers import of_one_size

    program = program_at(*address)
    row = {
        **row_at(config, *address),
        "examples": examples_of(program),
        "arguments": argument_rows(program.signature, None, program),
        "launch_dim": list(program.signature.launch_dim),
    }
    found = dict(of_one_size(Asked(CONFIGS[config], row, program)))
    assert found.keys() == kinds and row["completion"] not in found.values()
    if CONFIGS[config].adjoint:
        own = warp.translate(row["python_source"], program.name, backward=True, cuda=True)
        sets, seeds = inputs_of(program), make_output_gradients(program.signature, "seeds")
        given = program.signature, own, row["completion"], [*found.values()], sets, seeds
        assert all(told.same for told in adjoint_mutants.bitten(*given))
    forward = "cuda" if CONFIGS[config].adjoint else config
    found.pop("the index in the block", None)  # right where a launch has one block, which nobody promises
    rows = [row | {"completion": text} for text in found.values()]
    assert try_rows(rows, forward, lambda at: None) == [{"wrong": [], "left_out": None}] * len(found)


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize(
    "address",
    [
        PLAIN,
        ("histograms", 0, "value_histogram"),
        ("advection", 0, "apply_face_fluxes"),
        ("graphs", 0, "edge_modularity"),
    ],
    ids=str,
)
def test_the_threads_of_plain_cuda_matter(address: tuple[Any, ...]) -> None:
    from support.cuda_answers import CARELESS, careless, together
    from support.right_answers import Asked

    row, program = row_at("warp_to_cuda", *address), program_at(*address)
    asked = Asked(CONFIGS["warp_to_cuda"], row, program)
    right, wrong = dict(together(asked)), dict(careless(asked))
    assert wrong.keys() >= CARELESS.keys() - {"atomics made plain", "without a store"} and len(right) == 3
    assert ("atomics made plain" in wrong) == ("atomicAdd(&total[0]" in row["completion"])
    texts = right | wrong
    verdicts = score_many([row] * len(texts), [*texts.values()], workers=1)
    values = dict(zip(texts, [verdict.value for verdict in verdicts], strict=True))
    assert values == {**dict.fromkeys(right, 1.0), **dict.fromkeys(wrong, 0.0)}


def test_answers_of_one_size_are_wrong_at_others() -> None:
    from support.right_answers import Asked
    from support.sized_answers import of_one_size

    program = program_at(*TABLE)
    told = argument_rows(program.signature, None, program)
    row = row_at("spec_to_warp", *TABLE) | {"examples": examples_of(program), "arguments": told}
    larger = tuple(
        replace(argument, shape=tuple(size + 2 for size in argument.shape)) for argument in program.arguments
    )
    signature = replace(program.signature, arguments=larger, launch_dim=(program.launch_dim[0] + 2,))
    (inputs,) = [make_inputs(signature, "larger")]
    (wanted,) = alone(replace(program, signature=signature), inputs).values()
    found = dict(of_one_size(Asked(CONFIGS["spec_to_warp"], row, program)))
    for kind, text in found.items():
        (output,) = alone(read(text, signature), inputs).values()
        assert not np.array_equal(output, wanted), kind
    shapes = {argument.name: [*map(str, argument.shape)] for argument in program.arguments}
    stay = row | {"arguments": [each | {"shape": shapes[each["name"]]} for each in told]}
    others = dict(of_one_size(Asked(CONFIGS["spec_to_warp"], stay, program)))
    assert found.keys() - others.keys() == {"sizes as numbers"}, "a number is right for a size that stays"


@pytest.mark.compile
@pytest.mark.process
def test_mutants_that_score_are_held_against_other_inputs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import verdicts
    from support import judged_mutants
    from support.right_answers import Asked

    program = program_at(*IMAGE)
    row = {**row_at("spec_to_warp", *IMAGE), "examples": examples_of(program), "takes": Counter()}
    monkeypatch.setattr(verdicts, "rows_of_config", lambda folder, config, seed: [row])
    words = ["OUT", "--config", "spec_to_warp", "--workers", "1", "--json"]
    verdicts.main([*words, "--ways", "mutants", "--mutants", "6"])
    table = json.loads(capsys.readouterr().out)["configs"]["spec_to_warp"]["mutants"]
    assert table["answers"] == 6 > table["scored"] and table["excused"] <= table["scored"]
    asked = Asked(CONFIGS["spec_to_warp"], row, program)
    source = write(program)
    assert "1.3 *" in source
    scaled = [source.replace("1.3 *", f"{factor} *") for factor in ("1.3", "1.30000001", "1.3013")]
    edited = [judged_mutants.Edited("", text, "", read(text, program.signature)) for text in scaled]
    excuses = [judged_mutants.excuse(asked, each).why for each in edited]
    assert excuses == [judged_mutants.EQUIVALENT, judged_mutants.ROUNDED, ""]


def examples_of(program: ir.Program) -> str:
    seeds = make_output_gradients(program.signature, "seeds")
    inputs = [make_inputs(program.signature, f"example {n}") for n in range(2)]
    examples = [{"inputs": i, "outputs": alone(program, i), "output_gradients": seeds} for i in inputs]
    return examples_text(examples)


def alone(program: ir.Program, inputs: Any) -> dict[str, np.ndarray]:
    outputs = interpret(program, {name: value[None] for name, value in inputs.items()}, 1)
    return {name: value[0] for name, value in outputs.items()}
