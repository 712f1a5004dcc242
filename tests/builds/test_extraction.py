"""Modules of anybody's become folders of rows, and whatever they do costs one line."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import signal
import time
from pathlib import Path

import pytest
from datasets import load_dataset

from warp_ir_dataset import extract
from warp_ir_dataset.builds.extraction import trial
from warp_ir_dataset.builds.extraction.folder import FAILURES, SHOWN, Extracted, Missing
from warp_ir_dataset.builds.extraction.kernel import Failure, Kernel
from warp_ir_dataset.builds.extraction.target import parsed
from warp_ir_dataset.builds.extraction.trial import Candidate
from warp_ir_dataset.builds.prompts import prompt
from warp_ir_dataset.builds.row import SCHEMA
from warp_ir_dataset.cli import main
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.compilers.extracting.extract import Extraction
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.python.read import Unreadable, read
from warp_ir_dataset.proof import apart
from warp_ir_dataset.proof.apart import Disturbed
from warp_ir_dataset.proof.subject import Proof

FOREIGN = Path(__file__).parents[1] / "toys" / "foreign.py"

KERNELS = """
import warp as wp

GAIN = 3.0

@wp.kernel
def amplify(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    \"\"\"Louder.

    By a constant.
    \"\"\"
    i = wp.tid()
    out[i] = GAIN * wp.sin(x[i])

@wp.kernel
def again(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    j = wp.tid()
    out[j] = 3.0 * wp.sin(x[j])

@wp.kernel
def broken(x: wp.array(dtype=float)):
    x[wp.tid()] = missing(1.0)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("extracted")
    (place / "sound.py").write_text(KERNELS)
    found = extract(str(place / "sound.py"), place / "out", workers=1, quiet=True)
    assert found.rows == {config: dict.fromkeys(rows, 1) for config, rows in found.rows.items()}
    return place / "out"


def failures(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "failures.jsonl").read_text().splitlines()]


def only_row(folder: Path, config: str, tmp_path: Path) -> dict:
    splits = load_dataset(str(folder), config, cache_dir=str(tmp_path))
    (rows,) = splits.values()
    (row,) = rows
    return row


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.parametrize("config", ["cpu", "cuda", "cuda_backward"])
def test_rows_are_of_the_usual_schema(folder, config, tmp_path):
    row = only_row(folder, config, tmp_path)
    assert list(row) == SCHEMA.names
    assert (
        row["kernel_name"] == "amplify"
        and row["description"] == "Louder."
        and row["builtins"] == ["sin", "tid"]
    )
    assert (
        row["prompt"] == prompt(CONFIGS[config], row["python_source"])
        and "GAIN = 3.0" in row["python_source"]
    )
    assert [(a["name"], a["role"]) for a in row["arguments"]] == [("x", "input"), ("out", "output")]
    assert ("amplify_cuda_kernel_backward" in row["completion"]) == (config == "cuda_backward")
    assert (row["ptx"] is not None) == (row["arch"] == "sm_80") == (config != "cpu")


@pytest.mark.compile
@pytest.mark.process
def test_a_row_claims_no_proof_that_was_not_made(folder, tmp_path):
    row = only_row(folder, "cuda", tmp_path)
    assert {name for name, value in row["checks"].items() if value is not None} == {"ptx_compile"}
    assert row["examples"] is None and row["seed"] is None and row["difficulty"] is None


@pytest.mark.compile
@pytest.mark.process
def test_what_is_missing_is_told(folder):
    told = {(each["kernel"], each["config"]): each["why"] for each in failures(folder)}
    assert set(told) == {("sound:again", config) for config in ("cpu", "cuda", "cuda_backward")} | {
        ("sound:broken", "")
    }
    assert told["sound:again", "cpu"] == "the same kernel as amplify, which is there"
    assert "undefined symbol: missing" in told["sound:broken", ""]


@pytest.mark.compile
@pytest.mark.process
def test_one_kernel_may_be_named_and_a_module_found_by_its_name(tmp_path, monkeypatch, capsys):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "inner.py").write_text(KERNELS)
    monkeypatch.chdir(tmp_path)
    assert main(["extract", "package.inner:again", "out", "--workers", "1"]) == 0
    assert "rows: 1 of cpu, 1 of cuda, 1 of cuda_backward\n\n" in capsys.readouterr().out


def test_the_summary_names_what_has_no_row_in_some_config():
    missing = [Missing("m:none", "", "it races"), Missing("m:loop", "cuda_backward", "wrong_gradient")]
    missing += [Missing("m:again", config, "the same kernel") for config in ("cpu", "cuda")]
    missing += [Missing(f"m:k{n}", "cuda", "PTX") for n in range(SHOWN)]
    rows = {"cpu": {"train": 2, "test": 1}}
    lines = str(Extracted(rows, missing, [("m:none", "it races")])).splitlines()
    assert [line for line in lines if "m:none" in line] == ["  m:none: it races"]
    assert [line for line in lines if "m:again" in line] == ["  m:again, cpu, cuda: the same kernel"]
    assert "  m:loop, cuda_backward: wrong_gradient" in lines and "3 of cpu" in lines[0]
    assert sum("m:k" in line for line in lines) == SHOWN - 2 and FAILURES in lines[-1]


HOSTILE = {
    "prints": (KERNELS + "\nprint('hello')\nimport os; os.write(1, b'noise'); os.write(2, b'noise')\n", None),
    "exits": (KERNELS + "\nimport sys; sys.exit(3)\n", "exits (with 3)"),
    "dies": (KERNELS + "\nimport os; os._exit(4)\n", "exit status 4"),
    "hangs": (KERNELS + "\nimport time; time.sleep(600)\n", " 3 s"),
    "raises": (KERNELS + "\nraise ValueError('no\\nway')\n", "ValueError: no"),
    "lacks": ("import not_there_at_all\n", "ModuleNotFoundError: No module named 'not_there_at_all'"),
    "is no python": ("def (:\n", "SyntaxError"),
    "has none": ("import warp as wp\n", "makes no kernels"),
    "eats memory": (KERNELS + "\nheld = bytearray(1 << 40)\n", "MemoryError"),
}


@pytest.mark.compile
@pytest.mark.process
def test_an_unknown_architecture_is_refused_before_the_import(tmp_path, capfd):
    (tmp_path / "odd.py").write_text("import time; time.sleep(600)\n")
    assert main(["extract", f"{tmp_path}/odd.py", f"{tmp_path}/out", "--arch", "sm_1"]) == 2
    error = capfd.readouterr().err
    assert all(name in error for name in ("NVRTC", "'sm_1'", "sm_80"))


LIBRARY = """
import warp as wp

def make(gain):
    @wp.kernel
    def scaled(x: wp.array(dtype=float)):
        x[wp.tid()] = x[wp.tid()] * gain
    return scaled

own = make(1.0)
"""
USER = """
import warp as wp
import library_of_factories

wp.set_device("cuda:0")
assert wp.is_cuda_available() and wp.get_cuda_device_count()
assert wp.get_device("cuda") and wp.get_cuda_device(0)
held = wp.zeros(3, dtype=float, device="cuda:0")
mine = library_of_factories.make(2.0)
"""


@pytest.mark.compile
@pytest.mark.process
def test_kernels_that_a_library_makes_for_a_module_are_the_modules(tmp_path):
    """And nothing in the module has to do without a GPU until the kernels are run."""
    (tmp_path / "library_of_factories.py").write_text(LIBRARY)
    (tmp_path / "user.py").write_text(USER)
    found = extract(str(tmp_path / "user.py"), tmp_path / "out", workers=1, quiet=True)
    assert found.kernels == 1 and not found.missing
    assert "gain = 2.0" in only_row(tmp_path / "out", "cpu", tmp_path / "cache")["python_source"]


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_module_does_costs_one_line(name, tmp_path, capfd):
    source, said = HOSTILE[name]
    (tmp_path / "odd.py").write_text(source)
    before, seconds = time.monotonic(), "3" if name == "hangs" else "20"
    status = main(
        ["extract", f"{tmp_path}/odd.py", f"{tmp_path}/out", "--seconds", seconds, "--workers", "1"]
    )
    if said is None:
        assert status == 0 and (tmp_path / "out" / "README.md").exists()
        return
    error = capfd.readouterr().err.strip()
    assert status == 2 and error.startswith(f"warp-ir: error: {tmp_path}/odd.py ") and "\n" not in error
    assert said in error
    assert not (tmp_path / "out").exists() and time.monotonic() - before < 60


@pytest.mark.compile
@pytest.mark.process
def test_a_kernel_that_kills_its_process_costs_no_other(tmp_path):
    """Warp evaluates static expressions again when it makes code: there it can be hit."""
    (tmp_path / "odd.py").write_text(
        KERNELS
        + """
import os

def deadly(k):
    os._exit(7)

@wp.kernel
def fatal(x: wp.array(dtype=float)):
    for k in range(2):
        x[k] = wp.static(deadly(k))
"""
    )
    found = extract(str(tmp_path / "odd.py"), tmp_path / "out", workers=1, quiet=True)
    assert found.kernels == 1
    (told,) = (each for each in found.missing if each.kernel == "odd:fatal")
    assert told.why == "its process ended with exit status 7"


@pytest.mark.compile
@pytest.mark.process
def test_a_module_that_makes_other_kernels_each_time_is_told(tmp_path):
    (tmp_path / "odd.py").write_text(
        """
import os
import warp as wp

def make():
    @wp.kernel
    def kernel(x: wp.array(dtype=float)):
        x[wp.tid()] = 1.0
    return kernel

kernels = [make() for _ in range(2)]

if os.path.exists("seen"):
    @wp.kernel
    def second(x: wp.array(dtype=float)):
        x[wp.tid()] = 2.0
else:
    @wp.kernel
    def first(x: wp.array(dtype=float)):
        x[wp.tid()] = 3.0
open(os.path.join(os.path.dirname(__file__), "seen"), "w").close()
""".replace('"seen"', repr(str(tmp_path / "seen")))
    )
    found = extract(str(tmp_path / "odd.py"), tmp_path / "out", workers=1, quiet=True)
    assert [each.why for each in found.missing if each.kernel == "odd:first"] == [
        "the module makes other kernels each time that it is imported"
    ]


RUNNABLE = """
import warp as wp

@wp.kernel
def smooth(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = 0.5 * (x[i] + x[i + 1])

@wp.kernel(grid_stride=False)
def lean(x: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    out[i, j] = 2.0 * x[i, j] * x[i, j]

@wp.kernel
def stiff(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    t = wp.tid()
    a = float(0.0)
    for j in range(n):
        a += x[0]
    out[t] = 20000.0 * x[t + 1] + a * x[0]

@wp.kernel
def gather(index: wp.array(dtype=int), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = 2.0 * x[index[i]]

@wp.kernel
def last(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    out[0] = x[wp.tid()]

@wp.struct
class Ball:
    radius: float
    hits: wp.array(dtype=float)

@wp.kernel
def handed(balls: wp.array(dtype=Ball), out: wp.array(dtype=float)):
    i = wp.tid()
    ball = balls[i]
    ball.hits = out
    balls[i] = ball
    out[i] = 2.0 * ball.radius

@wp.kernel
def address(x: wp.array(dtype=float), out: wp.array(dtype=wp.uint64)):
    out[wp.tid()] = wp.uint64(x.ptr)

@wp.func_native("return x;")
def same(x: float) -> float: ...

@wp.kernel
def native(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = same(x[i])

@wp.kernel
def far(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i + 5000]

@wp.kernel
def decay(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * x[i]

@wp.kernel
def lookup(mesh: wp.uint64, out: wp.array(dtype=float)):
    out[wp.tid()] = wp.mesh_get_point(mesh, 0)[0]
"""

ENDLESS = """
import warp as wp

@wp.kernel
def endless(x: wp.array(dtype=float)):
    while x[0] > 0.0:
        x[1] = 1.0
"""


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.slow
def test_kernels_are_run_on_inputs_that_are_made_up(tmp_path):
    (tmp_path / "own.py").write_text(RUNNABLE)
    out = tmp_path / "out"
    found = extract(str(tmp_path / "own.py"), out, examples=True, workers=1, quiet=True)
    rows = {
        (config, row["kernel_name"]): row
        for config in found.rows
        for split in load_dataset(str(out), config, cache_dir=str(tmp_path / "cache")).values()
        for row in split
    }
    names = {"smooth", "lean", "stiff", "gather", "decay", "handed"}
    wrong = {("cuda_backward", "decay"), ("cuda_backward", "stiff")}
    assert set(rows) == {(config, name) for config in found.rows for name in names} - wrong
    row = rows["cuda", "smooth"]
    examples = json.loads(row["examples"])
    assert len(examples) == row["checks"]["cases"] == 3
    for example in examples:
        x = example["inputs"]["x"]
        for i in range(row["launch_dim"][0]):
            assert example["outputs"]["out"][i] == pytest.approx(0.5 * (x[i] + x[i + 1]))
    assert row["checks"]["numpy_matches"] and row["checks"]["cuda_text_matches"]
    # An array handed to a struct: it has no meaning on numpy.
    assert rows["cuda", "handed"]["checks"]["numpy_matches"] is None
    assert rows["cuda_backward", "smooth"]["checks"]["finite_differences"]
    # What a struct hands around is differenced in float64 all the same.
    precisions = {
        name: rows["cuda_backward", name]["checks"]["finite_difference_precision"]
        for name in names - {"decay", "stiff"}
    }
    assert precisions == dict.fromkeys(precisions, "double")
    told = {(each["kernel"], each["config"]): each["why"] for each in failures(out)}
    assert "leaves its arrays" in told["own:far", ""] and "crashes" in told["own:lookup", ""]
    assert "threads that race" in told["own:last", ""]
    assert "it uses .ptr" in told["own:address", ""] and "it uses @wp.func_native" in told["own:native", ""]
    assert "own:last" in dict(found.without) and "own:decay" not in dict(found.without)
    assert told["own:decay", "cuda_backward"].startswith("wrong_gradient: ")
    assert (
        "wrong_gradient: a derivative needs a value that a dynamic loop changes"
        in told["own:stiff", "cuda_backward"]
    )


def extraction(value: str) -> Extraction:
    source = f"""import warp as wp

@wp.kernel
def only(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = {value}
"""
    return Extraction("only", (), source, "", None, None, None, None, None, {}, ())


def test_a_kernel_that_is_too_deep_to_be_pickled_is_sent_to_be_run():
    kernel = Kernel.of(extraction(" + ".join(["x[i]"] * 300)))
    with pytest.raises(RecursionError):
        pickle.dumps(kernel.program)
    assert pickle.loads(pickle.dumps(Candidate.of(kernel))).id == kernel.identity.id


def test_a_kernel_is_known_by_its_tree_or_by_its_text():
    tree = read(extraction("x[i]").python_source, kernel="only")
    assert Kernel.of(extraction("(x[i])")).identity == identify(tree)
    other = Kernel.of(extraction("wp.no_such(x[i])"))
    text = hashlib.sha256(other.source.encode()).hexdigest()[:16]
    assert other.program is None and (other.identity.id, other.identity.skeleton) == (text, text)


def endless() -> int:
    while True:
        pass


@pytest.mark.process
def test_a_launch_is_ended_for_what_it_computes_and_not_for_how_long_that_takes(monkeypatch):
    monkeypatch.setattr(trial, "SECONDS", 1)
    assert trial._fails(lambda: int(time.sleep(2) or 0)) == ""
    assert trial._fails(endless) == trial.ENDLESS
    assert trial._fails(lambda: trial.IDLE) == "changes nothing"


DISTURBANCES = {
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "waiting": lambda: time.sleep(60),
    "raised": lambda: 1 // 0,
}


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.parametrize("what", DISTURBANCES)
def test_a_busy_machine_chooses_no_other_launch(monkeypatch, what):
    monkeypatch.setattr(trial, "SECONDS", 1)
    monkeypatch.setattr(apart, "PATIENCE", 1)
    monkeypatch.setattr(trial, "_go_through", lambda *_: DISTURBANCES[what]())
    with pytest.raises(Disturbed):
        trial._fails(DISTURBANCES[what])
    told = []
    outcome, _ = trial.tried(candidate(COUNTED), "sm_80", lambda: told.append(1))
    assert isinstance(outcome, Failure) and len(told) == 2  # for the kernel, and for its first launch


COUNTED = """
@wp.kernel
def counted(count: wp.array(dtype=int)):
    count[0] = count[0] + 1
"""

SUMMED = """
@wp.kernel
def summed(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    tid = wp.tid()
    total = float(0.0)
    for i in range(x.shape[0]):
        total += x[i]
    out[0] = total
"""

FLIPPED = """
@wp.kernel
def flipped(on: wp.array(dtype=int)):
    on[0] = 5 - on[0]
"""

GUARDED = """
@wp.kernel
def guarded(count: wp.array(dtype=int)):
    if wp.tid() == 0:
        count[0] = count[0] + 1
"""

ADDED = """
@wp.kernel
def added(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    wp.atomic_add(out, 0, x[0])
"""

LAST = """
@wp.kernel
def last(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    out[0] = x[wp.tid()]
"""

# Without a tree, as the table has no `wp.mul`: inputs with equal numbers let threads meet.
SCATTERED = """
@wp.kernel
def scattered(index: wp.array(dtype=int), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[index[i]] = wp.mul(x[i], 2.0)
"""


def candidate(kernel: str) -> Candidate:
    name = re.search(r"def (\w+)", kernel)[1]
    roles = {"index": "input", "x": "input", "out": "output", "count": "inout", "on": "inout"}
    return Candidate(f"import warp as wp\n\n{kernel}", name, roles, name)


def launched(kernel: str) -> trial.Run | Failure:
    outcome, _ = trial.tried(candidate(kernel), "sm_80", lambda: None)
    return outcome


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.parametrize(
    ("kernel", "threads"), [(COUNTED, 1), (SUMMED, 1), (FLIPPED, 1), (GUARDED, 4), (ADDED, 4)]
)
def test_a_kernel_that_is_meant_for_one_thread_is_run_with_one(kernel, threads):
    run = launched(kernel)
    assert isinstance(run, trial.Run) and run.signature.launch_dim == (threads,)
    for config in ("cpu", "cuda", *(["warp_to_cuda"] if threads == 1 else [])):
        assert isinstance(run.proofs[config], Proof), run.proofs[config]


@pytest.mark.compile
@pytest.mark.process
def test_a_kernel_whose_threads_do_different_things_is_not_run_with_one():
    found = launched(LAST)
    assert isinstance(found, Failure) and "threads that race" in found.why


@pytest.mark.compile
@pytest.mark.process
def test_threads_of_a_kernel_that_cannot_be_read_do_not_race_in_its_launch():
    with pytest.raises(Unreadable):
        read(candidate(SCATTERED).source, kernel="scattered")
    run = launched(SCATTERED)
    assert isinstance(run, trial.Run) and run.signature.arguments[0].trait == "permutation"
    assert isinstance(run.proofs["cuda"], Proof) and isinstance(run.proofs["cuda_backward"], Proof)


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.long
def test_an_endless_kernel_is_not_run(tmp_path):
    (tmp_path / "own.py").write_text(ENDLESS)
    with pytest.raises(UserError, match=trial.ENDLESS):
        extract(str(tmp_path / "own.py"), tmp_path / "out", examples=True, workers=1, quiet=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("no/such/file.py", r"file no/such/file\.py: "),
        ("two words", r"'two words' .*\.py"),
        ("module:", "'' .*module:NAME"),
        ("module:a.b", r"'a\.b' .*module:NAME"),
    ],
)
def test_what_is_no_module_is_one_line(given, said):
    with pytest.raises(UserError, match=said):
        parsed(given)


def test_a_file_must_have_a_name_that_python_can_import(tmp_path):
    (tmp_path / "1-2.py").write_text("")
    with pytest.raises(UserError, match=rf"{tmp_path}/1-2\.py .*'1-2'"):
        parsed(f"{tmp_path}/1-2.py")


def test_a_folder_that_holds_something_is_kept(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("kept")
    with pytest.raises(UserError, match=f"{tmp_path / 'out'} .*empty"):
        extract(str(FOREIGN), tmp_path / "out")
    assert (tmp_path / "out" / "mine.txt").read_text() == "kept"
