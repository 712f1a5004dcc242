from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from toys import rows as toy_rows
from toys.engines import HereEngine
from toys.rows import UNKNOWN_ARCH

import warp_ir_dataset
from warp_ir_dataset import api, cli
from warp_ir_dataset.builds.filling import BATCH_SIZE, Shortage
from warp_ir_dataset.builds.output.files import Files
from warp_ir_dataset.builds.output.local_store import LOCK, LocalStore
from warp_ir_dataset.builds.output.manifest import published
from warp_ir_dataset.builds.plan.plan import Plan
from warp_ir_dataset.builds.plan.sizes import split_sizes
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.configs import CONFIGS, SPLITS
from warp_ir_dataset.common.errors import HubError, UserError
from warp_ir_dataset.common.versions import DATASET_VERSION, GENERATOR_VERSION, JUDGE_VERSION, WARP_MINOR
from warp_ir_dataset.loading import cache
from warp_ir_dataset.loading.urls import shards
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.workers.pool import Fault, WorkerError
from warp_ir_dataset.workers.seats import cores

SMALL = ("--num-kernels", "40", "--seed", "3")

# Loads a built folder where this package cannot be imported.
LOAD = """
import sys
sys.modules["warp_ir_dataset"] = None
import datasets
for config in sys.argv[2:]:
    dataset = datasets.load_dataset(sys.argv[1], config)
    info, data = dataset["test"].info, dataset["test"].data
    print({split: rows.num_rows for split, rows in dataset.items()})
    print(info.features == datasets.Features.from_arrow_schema(data.schema))
"""


def build(out: Path, *options: str) -> int:
    return toy_rows.main(["build", str(out), *SMALL, *options])


def contents(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All configs, built by two workers. Not to be changed."""
    out = tmp_path_factory.mktemp("build") / "whole"
    assert build(out, "--config", "all", "--workers", "2") == 0
    return out


@pytest.mark.parametrize(
    ("command", "keeps"),
    [
        (["score", "x", "--predictions", "y"], True),
        (["validate", "x"], False),
        (["report", "x"], False),
        (["export", "x"], False),
        (["extract", "x", "y"], False),
        (["push", "x", "y", "--dry-run"], False),
    ],
)
def test_what_is_stopped_goes_on_only_where_something_is_kept(
    command: list[str], keeps: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(options: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "RUNS", dict.fromkeys(cli.RUNS, stop))
    assert cli.main(command) == 130
    more = ": the same command goes on from here" if keeps else ""
    assert capsys.readouterr().err == f"warp-ir: stopped{more}\n"


@pytest.mark.process
def test_a_build_loads_with_the_package_absent(whole: Path, tmp_path: Path) -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", LOAD, str(whole), *CONFIGS],
        env={**os.environ, "HF_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    told = []
    for config in CONFIGS:
        told += [str({s: n for s, n in split_sizes(Request(config, 40)).items() if n}), "True"]
    assert loaded.stdout.splitlines() == told


def test_a_build_tells_scripts_what_it_took(
    toys: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(tmp_path / "out", "--config", "cpu,cuda", "--json", "--quiet") == 0
    said = capsys.readouterr()
    assert said.err == ""
    configs = json.loads((tmp_path / "out" / "manifest.json").read_text())["configs"]
    told = {line["config"]: line for line in map(json.loads, said.out.splitlines())}
    assert sorted(told) == ["cpu", "cuda"]
    for name, line in told.items():
        files = configs[name]["files"].values()
        assert (line["rows"], line["made"], line["files"]) == (40, 40, len(files))
        assert line["bytes"] == sum(file["bytes"] for file in files)
        assert line["draws"] == sum(configs[name]["draws"].values()) and line["proving_seconds"] > 0
        assert sum(line["rejections"].values()) == sum(sum(f["rejections"].values()) for f in files)
    assert build(tmp_path / "out", "--config", "cpu", "--json") == 0  # nothing is left to do
    assert json.loads(capsys.readouterr().out)["made"] == 0
    assert build(tmp_path / "out", "--config", "cpu", "--quiet") == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("plotted")
def test_the_manifest_says_what_is_there(
    toys: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert build(out, "--config", "cpu,cuda") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r"\d+ failed (its|their) proof", said)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["parameters"]["seed"] == 3 and manifest["versions"]["generator"]
    assert list(manifest["configs"]) == ["cpu", "cuda"]
    entries = {
        name: entry for config in manifest["configs"].values() for name, entry in config["files"].items()
    }
    files = contents(out)
    beside = {name for name in files if re.fullmatch(r"plots/\w+\.png", name)}
    assert set(files) - beside == {*entries, "README.md", "manifest.json", "near_duplicates.json"}
    assert set(published(out)) == set(files) and beside
    assert manifest["version"] == DATASET_VERSION
    assert manifest["versions"].keys() >= {"generator", "warp-lang", "pyarrow", "clang", "nvrtc"}
    for name, entry in entries.items():
        assert entry["sha256"] == hashlib.sha256(files[name]).hexdigest()
    assert sum(entry["rows"] for entry in entries.values()) == 80
    assert entries["cuda/train-00000-of-00001.parquet"]["rejections"] == {"near_zero": 1}


def test_a_build_holds_the_shards_of_the_file_system(toys: Callable[[], int], tmp_path: Path) -> None:
    assert build(tmp_path / "out", "--config", "cuda") == 0
    for shard in shards(Request("cuda", 40, 3)):
        built = tmp_path / "out" / "cuda" / shard.name
        assert built.read_bytes() == cache.fetch(shard).read_bytes()


def test_workers_and_batches_do_not_change_a_build(
    whole: Path, toys: Callable[[], int], tmp_path: Path
) -> None:
    for workers, batch_size in (("1", "3"), ("4", "5")):
        sizes = ("--workers", workers, "--batch-size", batch_size)
        assert build(tmp_path / workers, "--config", "all", *sizes) == 0
        assert contents(tmp_path / workers) == contents(whole)


class Interrupted:
    """Stops a build when it has written a number of shards, as a Ctrl-C at that moment would."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
        self.left, self.add = after, Files.add
        monkeypatch.setattr(Files, "add", self)

    def __get__(self, files: Files, _: type[Files]) -> Callable[..., Any]:
        def add(*arguments: Any) -> Any:
            entry = self.add(files, *arguments)
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt
            return entry

        return add


def test_a_stopped_build_goes_on_where_it_was(
    whole: Path,
    toys: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        Interrupted(patch, after=4)
        assert build(out, "--config", "all") == 130
    assert capsys.readouterr().err.splitlines()[-1].startswith("warp-ir: stopped:")
    assert not (out / "README.md").exists()
    kept = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    assert len(kept) == 4
    assert build(out, "--config", "all") == 0
    assert contents(out) == contents(whole)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    proved = toys()
    assert build(out, "--config", "all") == 0 and toys() == proved  # nothing is left to do


def test_another_version_changes_card_and_manifest_alone(toys: Callable[[], int], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert build(out, "--config", "cpu") == 0
    before, proved = contents(out), toys()
    assert build(out, "--config", "cpu", "--dataset-version", "7.0.1") == 0
    after = contents(out)
    assert toys() == proved
    assert {name for name in after if after[name] != before[name]} == {"README.md", "manifest.json"}
    assert json.loads(after["manifest.json"])["version"] == "7.0.1"
    assert b"version 7.0.1" in after["README.md"]


def test_a_damaged_shard_is_built_again(toys: Callable[[], int], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert build(out, "--config", "cpu") == 0
    before = contents(out)
    (out / "cpu" / "test-00000-of-00001.parquet").write_bytes(b"PAR1")
    (out / "cpu" / "validation-00000-of-00001.parquet").unlink()
    assert build(out, "--config", "cpu") == 0
    assert contents(out) == before


@pytest.mark.folder
@pytest.mark.parametrize(
    "line",
    [
        "{out} --config cpu cuda",
        "{out} --config cpu,cuda",
        "--config cpu --config cuda {out}",
        "--config cpu cuda {out}",
    ],
)
def test_configs_are_named_in_any_way(line: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert here("build", *line.format(out=out).split(), *SMALL) == 0
    assert list(json.loads((out / "manifest.json").read_text())["configs"]) == ["cpu", "cuda"]


def test_configs_can_be_added_one_by_one(whole: Path, toys: Callable[[], int], tmp_path: Path) -> None:
    for config in reversed(CONFIGS):
        assert build(tmp_path / "one", "--config", config) == 0
    assert contents(tmp_path / "one") == contents(whole)


def test_a_config_that_is_not_finished_is_not_left_beside_another(
    whole: Path,
    toys: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        Interrupted(patch, after=1)
        assert build(out, "--config", "cpu") == 130
    before, proved = contents(out), toys()
    capsys.readouterr()
    assert build(out, "--config", "cuda") == 2
    line = capsys.readouterr().err
    assert "cpu in" in line and "ask for it too, with --config cpu cuda, or choose another" in line
    assert contents(out) == before and toys() == proved
    assert build(out, "--config", "cpu", "cuda") == 0
    for config in CONFIGS:
        assert build(out, "--config", config) == 0
    assert contents(out) == contents(whole)


# ---- wrong input


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Runs a command that must end with status 2 and one line, which it returns."""
    capsys.readouterr()
    assert toy_rows.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1
    return captured.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--config", "vulkan"), "unknown config 'vulkan': choose from cpu, cuda, cuda_backward"),
        (("--config", "vulkan"), "handwritten, all"),
        (("--config", "cuda,"), "unknown config ''"),
        (("--category", "knitting"), "unknown category 'knitting': choose from arithmetic"),
        (("--num-kernels", "0"), "num_kernels must be from 10 to"),
        (("--num-kernels", "-3"), "num_kernels must be from 10 to"),
        (("--num-kernels", "5"), "num_kernels must be from 10 to"),
        (("--num-kernels", "99999999999"), "num_kernels must be from 10 to"),
        (("--num-kernels", "٤٠"), "must be a whole number, not '٤٠'"),
        (("--num-kernels", "4_0"), "must be a whole number, not '4_0'"),
        (("--seed", "9" * 5000), "must have at most 40 digits, not 5000"),
        (("--shard", "1/1000000000000"), "must look like 0/3, the first of three, with at most six digits"),
        (("--difficulty", "２-４"), "must be a level such as 3 or a span such as 2-4"),
        (("--difficulty", "9" * 5000), "must be a level such as 3"),
        (("--arch", "sm_٨٠"), "arch must look like 'sm_80'"),
        (("--dataset-version", "١.0.0"), "a dataset's version must look like 1."),
        (("--num-kernels", "many"), "must be a whole number, not 'many'"),
        (("--seed", "1.5"), "must be a whole number, not '1.5'"),
        (("--seed", "-1"), "seed must be from 0"),
        (("--arch", "volta"), "arch must look like 'sm_80', not 'volta'"),
        (("--difficulty", "hard"), "must be a level such as 3 or a span such as 2-4, not 'hard'"),
        (("--difficulty", "4-2"), "difficulty 4-2: the lower level comes first"),
        (("--difficulty", "0"), "difficulty 0: levels are from 1 to 5"),
        (("--difficulty", "2-9"), "difficulty 2-9: levels are from 1 to 5"),
        (("--config", "cudas"), "unknown config 'cudas': did you mean cuda?"),
        (("--config", "CUDA_Backward"), "unknown config 'CUDA_Backward': did you mean cuda_backward?"),
        (("--category", "wave"), "unknown category 'wave': did you mean waves?"),
        (("--engine", "lokal"), "unknown value of --engine 'lokal': did you mean local?"),
        (("--engine", "slurm"), "unknown value of --engine 'slurm': choose from local, ray"),
        (("--num-kernel5", "40"), "unrecognized arguments: --num-kernel5 40: did you mean --num-kernels?"),
        (("--workers", "0"), "--workers must be at least 1, not 0"),
        (("--workers", "99999"), f"--workers must be at most {8 * cores()}, 8 a core, not 99999"),
        (("--batch-size", "-1"), "--batch-size must be at least 1, not -1"),
        (("--dataset-version", "v2"), f"a dataset's version must look like {DATASET_VERSION}, not 'v2'"),
        (("--colour", "red"), "unrecognized arguments: --colour red (see warp-ir build --help)"),
    ],
)
def test_wrong_input_is_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], says: str
) -> None:
    out = tmp_path / "out"
    assert says in fails(capsys, "build", str(out), *options)
    assert not out.exists()


def test_a_config_is_not_taken_for_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "warp-ir build OUT --config cpu" in fails(capsys, "build", "cpu")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("out[1]", "load_dataset cannot read a folder with '[' in its path"),
        ("a*", "load_dataset cannot read a folder with '*' in its path"),
        ("a::b", "load_dataset cannot read a folder with '::' in its path"),
        ("$HOME", "load_dataset cannot read a folder with '$' in its path"),
        ("[old]/out", "load_dataset cannot read a folder with '[' in its path"),
        ("~nobody-of-this-name/x", "argument OUT: there is no such user as in '~nobody-of-this-name/x'"),
        ("s4://bucket/out", "cannot open s4://bucket/out: Protocol not known: s4"),
        ("s3:/bucket/out", "s3:/bucket/out looks like a URL: give it as text, with two slashes: s3://"),
        ("", "argument OUT: is empty"),
    ],
)
def test_a_name_that_would_not_load_is_refused_before_anything_is_built(
    name: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert says in fails(capsys, "build", name, *SMALL)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["report", "export --format jsonl"])
def test_a_folder_of_nobodys_is_one_clear_line(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no such user" in fails(capsys, *command.split(), "~nobody-of-this-name/x")


def here(*arguments: str) -> int:
    """A command whose builds are toy rows of this process."""
    return cli.main(arguments, engine=lambda **_: HereEngine(), planner=toy_rows.make_plan)


@pytest.mark.parametrize(
    ("options", "built"),
    [
        ((), ["cuda"]),
        (("--config", "cpu"), ["cpu"]),
        (("--config", "all"), list(CONFIGS)),
        (("--config", "cpu", "all"), list(CONFIGS)),
    ],
)
def test_the_default_config_is_built_unless_others_are_named(
    options: tuple[str, ...],
    built: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert here("build", "json", *SMALL, *options) == 0
    assert list(json.loads((tmp_path / "json" / "manifest.json").read_text())["configs"]) == built
    *above, last = capsys.readouterr().out.splitlines()
    # A bare "json" would be a loader of `datasets`.
    assert last == f'load_dataset("./json", "{built[0]}") loads it.'
    others = "cpu, cuda_backward, warp_to_cuda, spec_to_warp, repair, handwritten"
    line = f"This is the config cuda; --config all builds {others} as well."
    assert (line in above) == (not options)


class Call(Exception):
    """What a command asked of the API, instead of doing it."""


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    def asked(*given: Any, **options: Any) -> None:
        raise Call(given, options)

    names = ("extract", "report", "export", "push_to_hub", "score_predictions", "validate")
    for name in (*names, "validate_on_device", "build", "build_part", "finish", "plan"):
        monkeypatch.setattr(api, name, asked)
    with pytest.raises(Call) as caught:
        cli.main(arguments, engine=lambda **options: options, planner=toy_rows.make_plan)  # type: ignore
    return caught.value.args  # type: ignore[return-value]


X, Y = Path("x"), Path("y")
SCORED = {
    "config": "cuda", "task": None, "split": "test", "results": None, "ks": None, "workers": None, "seed": 0,
    "allow_weaker_sandbox": False,
}  # fmt: skip
VALIDATED = {"configs": None, "sample": None, "seed": 0, "workers": None}
EXTRACTED = {"arch": "sm_80", "examples": False, "seconds": 120, "workers": None}
PUSHED = {
    "private": False, "revision": None, "create_pr": False, "token": None, "dry_run": False, "replace": [],
}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "given", "options"),
    [
        ("extract m:k y", ("m:k", Y), EXTRACTED),
        (
            "extract m y --examples --arch sm_90 --seconds 5 --workers 2",
            ("m", Y),
            {"arch": "sm_90", "examples": True, "seconds": 5, "workers": 2},
        ),
        ("report x", (X, X / "report"), {}),
        ("report x --out y", (X, Y), {}),
        ("export x", (X, "jsonl", X / "export-jsonl"), {"strip_comments": False}),
        ("export x --format cuda --out y --strip-comments", (X, "cuda", Y), {"strip_comments": True}),
        ("push x me/y", (X, "me/y"), PUSHED),
        (
            "push x me/y --private --revision b --create-pr --dry-run --replace card tag",
            (X, "me/y"),
            {"private": True, "revision": "b", "create_pr": True, "token": None, "dry_run": True,
             "replace": ["card", "tag"]},
        ),
        ("score x --predictions y", (X, Y), SCORED),
        (
            "score x --predictions y --config cpu --task c --split train --k 1 3 --results r --workers 2 "
            "--seed 5 --allow-weaker-sandbox",
            (X, Y),
            {"config": "cpu", "task": "c", "split": "train", "results": Path("r"), "ks": [1, 3], "workers": 2,
             "seed": 5, "allow_weaker_sandbox": True},
        ),
        ("validate x", (X,), VALIDATED),
        ("validate x --gpu", (X,), {**VALIDATED, "trust": False}),
        (
            "validate x --config cpu,cuda repair --sample 3 --seed 5 --workers 2",
            (X,),
            {"configs": ["cpu", "cuda", "repair"], "sample": 3, "seed": 5, "workers": 2},
        ),
        ("validate x --gpu --trust --seed 5", (X,), {**VALIDATED, "seed": 5, "trust": True}),
    ],
)  # fmt: skip
def test_a_command_asks_for_what_its_options_say(
    command: str, given: tuple[Any, ...], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(monkeypatch, *command.split()) == (given, options)


def test_what_is_built_is_what_the_options_say(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = {"workers": None, "batch_size": BATCH_SIZE, "skip_faults": False}
    (requests, out), options = call(monkeypatch, "build", "y")
    assert (requests, out) == ([Request()], Y)
    assert options.pop("on_config") and options == {
        "engine": engine, "planner": toy_rows.make_plan, "version": DATASET_VERSION, "quiet": False,
    }  # fmt: skip
    line = "--config cpu,repair cpu --num-kernels 40 --seed 3 --arch sm_90 --category math,waves"
    more = "--difficulty 2-4 --workers 2 --batch-size 7 --skip-faults --quiet --dataset-version 9.1.2"
    (requests, out), options = call(monkeypatch, "build", "y", *line.split(), *more.split())
    wanted = (40, 3, "sm_90", ("math", "waves"), (2, 4))
    assert (requests, out) == ([Request("cpu", *wanted), Request("repair", *wanted)], Y)
    assert options["engine"] == {"workers": 2, "batch_size": 7, "skip_faults": True}
    assert options["quiet"] and options["version"] == "9.1.2"
    (requests, _), options = call(monkeypatch, "plan", "y", "--difficulty", "3")
    assert requests == [Request(difficulty=(3, 3))] and options["engine"] == engine and not options["quiet"]
    given, options = call(monkeypatch, "build", "y", "--shard", "1/3")
    assert given == (Y, "1/3") and options["engine"] == engine
    given, options = call(monkeypatch, "build", "s3://b/y", "--finish")
    assert given == ("s3://b/y",) and options["engine"] == engine


@pytest.mark.parametrize(
    "line",
    [
        "--shard 0/2 --finish",
        "--finish --seed 3",
        "--finish --config cpu",
        "--shard 0/2 --dataset-version 1.0.0",
    ],
)
def test_a_part_takes_no_parameters(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "warp-ir: error: " in fails(capsys, "build", "y", *line.split())


def test_an_address_is_of_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["build", "y", "--address", "here:1"]) == 2
    assert "--engine ray" in capsys.readouterr().err


@pytest.mark.parametrize(("workers", "status"), [(8, None), (9, 2)])
def test_there_are_at_most_eight_workers_a_core(
    workers: int, status: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("warp_ir_dataset.workers.seats.cores", lambda: 1)
    if status is None:
        assert call(monkeypatch, "validate", "x", "--workers", str(workers))[1]["workers"] == workers
    else:
        assert cli.main(["validate", "x", "--workers", str(workers)]) == status
        assert "at most 8" in capsys.readouterr().err


def test_a_folder_that_stands_last_is_found_behind_names(monkeypatch: pytest.MonkeyPatch) -> None:
    (requests, out), _ = call(monkeypatch, "build", "--config", "cpu", "cuda", "y")
    assert [request.config for request in requests] == ["cpu", "cuda"] and out == Y
    (requests, out), _ = call(monkeypatch, "build", "--category", "math", "y")
    assert requests == [Request(categories=("math",))] and out == Y


@pytest.mark.parametrize("names", ["cpu", "cpu cuda", "y", "cpu y,x"])
def test_where_to_write_must_be_said(names: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "OUT" in fails(capsys, "build", "--config", *names.split())


def test_a_folder_of_a_configs_name_can_be_meant(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(monkeypatch, "build", "./cpu")[0][1] == Path("cpu")
    assert call(monkeypatch, "build", "cpu", "--config", "cuda")[0][1] == Path("cpu")
    (tmp_path / "cpu").mkdir()
    assert call(monkeypatch, "build", "cpu")[0][1] == Path("cpu")


class Found:
    """What a validation found."""

    def __init__(self, ok: bool) -> None:
        self.ok = ok

    def __str__(self) -> str:
        return "in words"

    def as_json(self) -> dict[str, Any]:
        return {"ok": self.ok}


@pytest.mark.parametrize("ok", [True, False])
@pytest.mark.parametrize("gpu", [True, False])
def test_a_validation_ends_with_what_it_found(
    ok: bool, gpu: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(api, "validate_on_device" if gpu else "validate", lambda *_, **__: Found(ok))
    command = ["validate", "x", *(["--gpu"] if gpu else [])]
    assert cli.main(command) == (0 if ok else 1)
    assert capsys.readouterr().out == "in words\n"
    assert cli.main([*command, "--json"]) == (0 if ok else 1)
    assert json.loads(capsys.readouterr().out) == {"ok": ok}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UserError("wrong"), 2),
        (HubError("refused"), 1),
        (Fault("hangs"), 1),
        (WorkerError("a bug"), 1),
        (Shortage("too few"), 1),
        (OSError(errno.EMFILE, "Too many open files"), 1),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), 1),
        (KeyboardInterrupt(), 130),
    ],
    ids=repr,
)
def test_what_stops_a_command_is_one_line_and_a_status(
    error: BaseException, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(api, "validate", stop)
    assert cli.main(["validate", "x"]) == status
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1
    assert captured.err.startswith("warp-ir: ") and str(getattr(error, "strerror", error)) in captured.err


def test_what_nobody_expects_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (OSError(errno.EPERM, "no"), ZeroDivisionError()):
        monkeypatch.setattr(api, "validate", lambda *_, error=error, **__: (_ for _ in ()).throw(error))
        with pytest.raises(type(error)):
            cli.main(["validate", "x"])


@pytest.mark.parametrize(
    ("out", "place"),
    [
        (Path("json"), '"./json", "cpu"'),
        (Path("."), '".", "cpu"'),
        (Path("../up"), '"../up", "cpu"'),
        (Path("/a b"), '"/a b", "cpu"'),
        (Path("ä"), '"./ä", "cpu"'),
    ],
)
def test_how_to_load_a_folder_can_be_pasted(out: Path, place: str) -> None:
    assert cli._how_to_load(out, ["cpu", "cuda"], chosen=True) == f"load_dataset({place}) loads it."


def test_how_to_load_from_a_url_names_its_files() -> None:
    line = cli._how_to_load("s3://b/y/", ["handwritten"], chosen=True)
    files = {"test": "s3://b/y/handwritten/*test-*.parquet"}
    assert line == f'load_dataset("parquet", data_files={json.dumps(files)}) loads it.'


@pytest.mark.folder
def test_the_folder_one_is_in_can_be_built_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert here("build", ".", *SMALL) == 0
    assert capsys.readouterr().out.endswith('load_dataset(".", "cuda") loads it.\n')
    assert here("report", ".", "--out", ".") == 0
    assert (tmp_path / "report.md").exists()
    assert "is the folder you are in" in fails(capsys, "export", ".", "--format", "jsonl", "--out", ".")


def test_help_fits_a_terminal_and_the_version_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for command in (
        [],
        ["build"],
        ["plan"],
        ["extract"],
        ["report"],
        ["export"],
        ["push"],
        ["score"],
        ["validate"],
        ["check"],
        ["primer"],
    ):
        with pytest.raises(SystemExit, match="0"):
            cli.main([*command, "--help"])
        shown = capsys.readouterr().out
        assert max(map(len, shown.splitlines())) <= 80 and shown.startswith(
            " ".join(["usage: warp-ir", *command])
        )
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    told = capsys.readouterr().out
    assert told.count("\n") == 1 and told.startswith(f"warp-ir-dataset {warp_ir_dataset.__version__} ")
    for version in (GENERATOR_VERSION, JUDGE_VERSION, WARP_MINOR):
        assert version in told
    with pytest.raises(SystemExit, match="0"):
        cli.main(["build", "--list-categories"])
    assert capsys.readouterr().out.replace("\n", " ").strip().split(", ") == [*CATEGORIES]


@pytest.mark.process
@pytest.mark.parametrize("command", [(), ("build",), ("score",)])
def test_help_imports_no_library_that_takes_a_moment(command: tuple[str, ...]) -> None:
    script = (
        "import sys; from warp_ir_dataset import cli\n"
        "try: cli.main(sys.argv[1:])\n"
        "except SystemExit: print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command, "--help"], capture_output=True, text=True, check=True
    )
    imported = set(done.stderr.split())
    assert "warp_ir_dataset" in imported and done.stdout.startswith("usage: warp-ir")
    slow = ("numpy", "datasets", "pyarrow", "warp", "torch", "yaml", "fsspec", "tqdm", "huggingface_hub")
    assert not imported & set(slow)


def test_a_command_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "command" in fails(capsys)
    assert "unknown command 'biuld': did you mean build?" in fails(capsys, "biuld")
    assert "OUT" in fails(capsys, "build")


def test_an_output_folder_that_cannot_be_written_is_one_clear_line(
    toys: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "cannot write to" in fails(capsys, "build", str(tmp_path / "file" / "out"), *SMALL)
    assert "cannot write to" in fails(capsys, "build", str(tmp_path / "file"), *SMALL)


@pytest.mark.parametrize(
    "command",
    [
        "build {name}",
        "build {name} --shard 0/2",
        "build {name} --finish",
        "plan {name}",
        "extract {name}.py out",
        "report {name}",
        "export {name}",
        "validate {name}",
    ],
)
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a" * 300, "too long|holds no plan|there is no file"),
        (os.fsdecode(b"bad\xff"), r"'bad\\udcff(\.py)?' is not UTF-8: choose another name"),
    ],
)
def test_a_name_that_no_file_can_have_is_one_clear_line(
    command: str, name: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [word.format(name=name) for word in command.split()]
    assert re.search(says, fails(capsys, *arguments))


def test_planning_writes_to_its_own_folder_alone(
    toys: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails_to_build() -> str:
        assert cli.main(["build", str(tmp_path / "out"), *SMALL], engine=lambda **_: HereEngine()) == 2
        return capsys.readouterr().err

    place = tmp_path / "out.scanned"
    (tmp_path / "elsewhere").mkdir()
    place.symlink_to(tmp_path / "elsewhere")
    assert "is a symbolic link" in fails_to_build()
    place.unlink()
    (place / "lock").mkdir(parents=True)
    assert "holds a folder that is called lock: remove it" in fails_to_build()
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_volume_whose_parent_cannot_be_written_is_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What planning has seen is then in the folder: for a plan that was stopped, and no longer than that."""
    out, access = tmp_path / "out", os.access
    out.mkdir()
    # A superuser may write anywhere, but for file systems that are read-only: `access` tells both.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path and access(path, mode))
    stopped = [True]

    def planned(request: Request, *, scan_cache: Path, **_: object) -> Plan:
        scan_cache.mkdir(exist_ok=True)
        assert (scan_cache / "seen").exists() != stopped[0]
        (scan_cache / "seen").touch()
        if stopped.pop():
            stopped.append(False)
            raise KeyboardInterrupt
        return toy_rows.make_plan(request)

    monkeypatch.setattr("warp_ir_dataset.api.planned", planned)
    requests = [Request("cpu", 40)]
    with pytest.raises(KeyboardInterrupt):
        api.plan(requests, out, engine=HereEngine())
    assert [*out.rglob("seen")]
    api.plan(requests, out, engine=HereEngine())
    assert [*tmp_path.iterdir()] == [out] and not [*out.rglob("seen")]
    api.build_part(out, "0/1", engine=HereEngine(), quiet=True)
    api.finish(out, engine=HereEngine(), quiet=True)
    assert not [*out.glob(".*")]


def test_an_unknown_architecture_is_refused_before_anything_is_built(
    toys: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert build(out, "--arch", UNKNOWN_ARCH) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "warp-ir: error: NVRTC does not know the architecture 'sm_33': choose from sm_80, sm_90"
    assert not list(out.rglob("*.parquet"))
    # What was planned would be lost with other parameters.
    assert "other parameters" in fails(capsys, "build", str(out), *SMALL)


def test_what_a_killed_build_left_is_cleared_away(toys: Callable[[], int], tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / ".manifest.json.12.tmp").write_text("half of")
    assert build(out, "--config", "cpu") == 0
    whole = contents(out)
    (out / ".README.md.12.tmp").write_text("half of")
    (out / "cpu" / ".test-00000-of-00001.parquet.12-140.tmp").write_text("half of")
    (out / "cpu" / ".mine.tmp").write_text("no build wrote this")
    assert build(out, "--config", "cpu") == 0
    assert contents(out) == {**whole, "cpu/.mine.tmp": b"no build wrote this"}


def test_somebody_elses_folder_is_left_alone(
    toys: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.tex").write_text("dear")
    assert "is not empty and holds no build" in fails(capsys, "build", str(tmp_path), *SMALL)
    (tmp_path / "manifest.json").write_text('{"name": "another tool"}')
    assert "is not the manifest of a build" in fails(capsys, "build", str(tmp_path), *SMALL)
    assert {"thesis.tex", "manifest.json"} >= set(contents(tmp_path)) - {"diary"}


def test_another_build_in_the_folder_is_left_alone(
    toys: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert build(out, "--config", "cpu") == 0
    before = contents(out)
    told = "holds a build with other parameters or versions (num_kernels 40, not 1200, seed 3, not 4)"
    assert told in fails(capsys, "build", str(out), "--seed", "4")
    assert contents(out) == before


def test_a_build_that_was_stopped_while_it_was_planned_is_left_alone(
    toys: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert build(out, "--arch", UNKNOWN_ARCH) == 2  # a manifest, and no rows
    capsys.readouterr()
    before = contents(out)
    LocalStore(out).scan_cache.mkdir()
    assert "other parameters or versions" in fails(capsys, "build", str(out), *SMALL)
    assert contents(out) == before


def test_two_builds_in_one_folder_at_once_are_one_clear_line(
    toys: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with FileLock(out / LOCK):
        assert "another build is writing" in fails(capsys, "build", str(out), *SMALL)
    assert build(out, "--config", "cpu") == 0


@pytest.mark.process
def test_of_two_builds_that_start_at_once_one_builds_and_one_says_so(
    toys: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_SECONDS", "1")  # a batch: the other one is there before the first has ended
    out, alone = tmp_path / "out", tmp_path / "alone"
    script = "import sys; from toys import rows; sys.exit(rows.main(sys.argv[1:]))"
    here = Path(__file__).parents[1]
    paths = {"PYTHONPATH": os.pathsep.join((str(here), str(here.parent)))}
    words = [sys.executable, "-c", script, "build", str(out), *SMALL, "--config", "cpu"]
    words += ["--workers", "1", "--batch-size", "10"]
    both = [
        subprocess.Popen([*words, "--quiet"], env=os.environ | paths, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = {process.communicate()[1]: process.returncode for process in both}
    refusal = f"warp-ir: error: another build is writing to {out}: wait for it or choose another\n"
    assert said == {"": 0, refusal: 2}
    monkeypatch.delenv("TOY_SECONDS")
    assert build(alone, "--config", "cpu") == 0
    for name in ("manifest.json", *(f"cpu/{split}-00000-of-00001.parquet" for split in SPLITS)):
        assert contents(out)[name] == contents(alone)[name]


def test_a_shortage_is_one_line_and_not_the_users_fault(
    toys: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("toys.rows.SPARES", 0)
    assert toy_rows.make_plan(Request("cuda", 40, 3)).shards[0].rows == 32
    assert build(tmp_path / "out") == 1
    assert (
        "too few of 32 candidates passed their proof: near zero (1)"
        in capsys.readouterr().err.splitlines()[-1]
    )


@pytest.mark.process
def test_a_command_ends_without_a_word_where_nobody_reads_on() -> None:
    """As behind ``| head``: the pipe is closed before anything is written to it."""
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-m", "warp_ir_dataset", "primer"], stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, "")


def ended(line: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line for the shell, in which `"$@"` is the command warp-ir."""
    command = [sys.executable, "-m", "warp_ir_dataset", *arguments]
    return subprocess.run(
        ["sh", "-c", line, "sh", *command],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.process
@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ('"$@" primer >/dev/full', 2, "warp-ir: error: cannot print: No space left on device\n"),
        ('"$@" --help >/dev/full', 2, "warp-ir: error: cannot print: No space left on device\n"),
        ('"$@" primer >&-', 0, ""),
        ('"$@" nothing 2>/dev/full', 2, ""),
        ('"$@" nothing 2>&- >&- <&-', 2, ""),
    ],
)
def test_what_cannot_be_printed_is_one_clear_line_or_none(line: str, status: int, said: str) -> None:
    done = ended(line)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", said)


@pytest.mark.process
def test_too_low_a_limit_is_one_clear_line(tmp_path: Path) -> None:
    done = ended('ulimit -n 10; "$@"', "build", str(tmp_path / "out"), "--config", "cpu")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "Too many open files: raise what limits this process" in done.stderr


BAR = """
import sys
from warp_ir_dataset.__main__ import _streams
_streams()
from warp_ir_dataset.workers.progress import Bar
with Bar("rows", 2) as bar:
    bar.seen(0, {})
    bar.seen(1, {})
print("\u2588 done")
"""


@pytest.mark.process
def test_no_work_ends_for_a_bar_and_no_character_is_too_much() -> None:
    line = f"{sys.executable} -c '{BAR}' 2>/dev/full"
    done = ended(line, PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stdout) == (0, "\\u2588 done\n")


def test_the_primer_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["primer"]) == 0
    assert capsys.readouterr().out == warp_ir_dataset.primer()
