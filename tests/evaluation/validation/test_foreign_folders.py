"""A folder that wants to have its code run: nothing is, as a file shows that is not there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from loopback.desk import Desk
from toys import anew
from toys.tampered.builds import OTHER, Act, foreign, manifest, rows, shard, stored

from warp_ir_dataset import api, cli, validate_on_device
from warp_ir_dataset.builds.output.manifest import read_manifest
from warp_ir_dataset.builds.row import schema
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import Row
from warp_ir_dataset.evaluation.validation.anew import SANDBOXED
from warp_ir_dataset.evaluation.validation.finding import State

pytestmark = [pytest.mark.compile, pytest.mark.process, pytest.mark.folder]

CONFIGS = ("cpu", "spec_to_warp", "warp_to_cuda")
_C = 'extern "C" int system(const char*);\n'
_BODY = re.compile(r"(kernel_forward\(|__global__ void)[^{]*\{")
MARK = Path("/tmp/warp-ir-a-folder-was-here")


@pytest.fixture(autouse=True)
def _nothing_is_run() -> Any:
    MARK.unlink(missing_ok=True)
    yield
    assert not MARK.exists()


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of a few configs. Not to be changed."""
    return anew.build(tmp_path_factory.mktemp("foreign") / "build", *CONFIGS)


def in_python(text: str) -> str:
    """It does something before it does what it did, in the module and in the kernel."""
    act = f"__import__('os').system('touch {MARK}')"
    return f"import os\nos.system('touch {MARK}')\n{text}\n{act}\n"


def in_kernel(text: str) -> str:
    """The same for what evaluates a part of the kernel, and cannot be read."""
    act = f"wp.static(__import__('os').system('touch {MARK}'))"
    return re.sub(r"\n(    \w+ = wp\.tid\(\)|    \w+, .* = wp\.tid\(\))", rf"\n\1\n    never = {act}", text)


def in_c(text: str) -> str:
    return _C + _BODY.sub(lambda found: f'{found[0]} system("touch {MARK}");', text, count=1)


def everywhere(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: everywhere(part, change) for name, part in value.items()}
    return [everywhere(part, change) for part in value] if isinstance(value, list) else value


def edited(columns: Sequence[str], config: str, change: Callable[[str], str] | None = None) -> Act:
    """Other texts in columns of all rows of train."""

    def edit(found: list[Row]) -> list[Row]:
        return [
            {**row, **{name: everywhere(row[name], change or change_of(config, name)) for name in columns}}
            for row in found
        ]

    return rows(edit, config)


# What a check of a file's shape refuses at once, and what is JSON.
FIXED = (
    *("id", "skeleton", "group", "kernel_name", "entry_point", "category", "arch"),
    *("generator_version", "warp_version", "purpose", "arguments", "checks", "ptx", "examples"),
)
CODE = ("python_source", "completion", "harness")


def texts_of(config: str) -> list[str]:
    """The columns of a config that hold any text."""
    return [each.name for each in schema(config) if "string" in str(each.type) and each.name not in FIXED]


def change_of(config: str, column: str) -> Callable[[str], str]:
    native = config in ("cpu", "warp_to_cuda") and column in ("completion", "harness")
    return in_c if native else in_python


# One column that holds code, or all others.
COLUMNS = [
    (config, columns)
    for config in CONFIGS
    for texts in [texts_of(config)]
    for columns in ([[name] for name in CODE if name in texts] + [[n for n in texts if n not in CODE]])
]


@pytest.fixture(scope="module")
def bad(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder all of whose texts are so, in every config. Not to be changed."""
    folder = shutil.copytree(whole, tmp_path_factory.mktemp("bad") / "build")
    for config in CONFIGS:
        edited(texts_of(config), config)(folder)
    return folder


@pytest.fixture
def hostile(bad: Path, tmp_path: Path) -> Path:
    return shutil.copytree(bad, tmp_path / "place" / "build")


def test_there_would_be_a_file() -> None:
    subprocess.run([sys.executable, "-c", in_python("pass")], check=True)
    assert MARK.exists()
    MARK.unlink()


# ---- by column


@pytest.mark.parametrize("version", ["same", "other"])
@pytest.mark.parametrize(("config", "columns"), COLUMNS)
def test_no_text_is_run_by_validate(
    config: str, columns: list[str], version: str, whole: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(whole, tmp_path / "build")
    act = edited(columns, config)
    (foreign(act) if version == "other" else act)(folder)
    found = anew.validated(folder, configs=[config], sample=2)
    assert not found.ok
    ran = {each.check: each for each in found.findings}
    if version == "other":
        assert SANDBOXED in ran["run"].said
    if version == "other" and columns == ["completion"] and config != "spec_to_warp":
        assert ran["run"].state is State.FAILED and "system" in str(ran["run"])  # no device has that


@pytest.mark.parametrize("change", [in_kernel, in_python])
@pytest.mark.parametrize("column", ["python_source", "completion"])
def test_no_python_that_warp_would_evaluate_is_run(
    column: str, change: Callable[[str], str], whole: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(whole, tmp_path / "build")
    foreign(edited([column], "spec_to_warp", change))(folder)
    assert stored(folder, shard("spec_to_warp", "train"))[0][column].count(str(MARK))
    anew.validated(folder, configs=["spec_to_warp"], sample=4)


# ---- by door


def test_report_runs_nothing(hostile: Path) -> None:
    assert cli.main(["report", str(hostile)]) in (0, 2)


@pytest.mark.parametrize("format", ["jsonl", "json-pairs", "cuda"])
def test_export_runs_nothing_and_stays_where_it_is(hostile: Path, format: str) -> None:
    before = {path for path in hostile.parent.rglob("*") if hostile not in path.parents}
    assert cli.main(["export", str(hostile), "--format", format]) in (0, 2)
    assert {path for path in hostile.parent.rglob("*") if hostile not in path.parents} == before


def test_a_makefile_has_no_word_of_a_row(hostile: Path, tmp_path: Path) -> None:
    assert cli.main(["export", str(hostile), "--format", "cuda", "--out", str(tmp_path / "out")]) == 0
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not any(str(MARK) in path.read_text() for path in files if path.suffix != ".cu")
    names = {path.relative_to(tmp_path / "out").as_posix() for path in files if path.suffix == ".cu"}
    assert names and all(
        re.fullmatch(r"warp_to_cuda/[a-z]+/[0-9]{5}-[0-9a-f]{16}\.cu", name) for name in names
    )


def test_push_runs_nothing(hostile: Path, desk: Desk) -> None:
    desk.run(hostile, "--dry-run")
    assert not desk.hub.repos


def test_score_runs_nothing_of_the_rows(hostile: Path, tmp_path: Path) -> None:
    for config in CONFIGS:
        (row, *_) = stored(hostile, shard(config, "train"))
        said = tmp_path / f"{config}.jsonl"
        said.write_text(json.dumps({"id": row["id"], "completion": row["completion"]}) + "\n")
        found = api.score_predictions(hostile, said, config=config, split="train", workers=1, quiet=True)
        assert "correct" not in found.as_json().get("statuses", {})


@pytest.mark.parametrize("version", ["same", "other"])
def test_no_device_runs_it(
    version: str, hostile: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if version == "other":
        manifest(lambda found: found["versions"].update(generator=OTHER))(hostile)
    assert cli.main(["validate", str(hostile), "--gpu"]) == 2
    assert "this machine did not write" in capsys.readouterr().err
    with pytest.raises(UserError, match="--trust"):
        validate_on_device(hostile, device="cpu")
    # What this machine wrote is run, and what somebody vouches for.
    assert validate_on_device(whole, configs=["cpu"], sample=1, device="cpu", quiet=True).ok
    forgotten = read_manifest(whole)[0]["configs"]["cpu"]["files"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARP_IR_CACHE", str(hostile.parent / "empty"))
        with pytest.raises(UserError, match=f"this machine did not write .*{min(forgotten)}"):
            validate_on_device(whole, configs=["cpu"], sample=1, device="cpu")
        assert validate_on_device(whole, configs=["cpu"], sample=1, device="cpu", trust=True, quiet=True).ok


def test_trust_is_for_devices(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", str(whole), "--trust"]) == 2
    assert "--trust is for --gpu" in capsys.readouterr().err


def test_what_goes_on_from_rows_of_others_is_not_this_machines(whole: Path, tmp_path: Path) -> None:
    """A build that somebody began has their rows, whoever ends it."""
    folder = shutil.copytree(whole, tmp_path / "build")
    edited(["description"], "cpu", lambda text: f"{text} So.")(folder)
    anew.build(folder, "cpu")
    with pytest.raises(UserError, match="this machine did not write"):
        validate_on_device(folder, configs=["cpu"], device="cpu")


@pytest.mark.parametrize("name", ["build", "build.cpu", "./build", "build:k", "build/cpu"])
def test_a_build_is_no_module(
    name: str,
    hostile: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for place in (hostile, hostile / "cpu"):
        (place / "__init__.py").write_text(in_python("pass"))
    monkeypatch.chdir(hostile.parent)
    assert cli.main(["extract", name, str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("words", [["validate", ".", "--sample", "1"], ["validate", ".", "--gpu", "--trust"]])
def test_modules_in_a_folder_are_not_imported(whole: Path, tmp_path: Path, words: list[str]) -> None:
    """Where the command is called in it."""
    folder = shutil.copytree(whole, tmp_path / "build")
    foreign()(folder)
    for name in ("warp", "numpy", "json", "yaml", "pyarrow", "warp_ir_dataset", "sitecustomize"):
        (folder / f"{name}.py").write_text(in_python("raise SystemExit(9)"))
    script = tmp_path / "scripts" / "warp-ir"
    script.parent.mkdir()
    script.write_text("import sys\nfrom warp_ir_dataset.__main__ import main\nsys.exit(main())\n")
    paths = [path for path in sys.path if path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, str(script), *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
    assert done.returncode in (1, 2), done.stderr


IMAGE = "<img src=x onerror=alert(1)>"


def test_no_text_leaves_its_fence_in_a_card(whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole, tmp_path / "build")
    for config in CONFIGS:
        texts = ["prompt", "python_source", "completion"]
        edited(texts, config, lambda text: f"{text}\n````\n`````\n{IMAGE}\n")(folder)
    fence, inside = "", 0
    for line in (folder / "README.md").read_text().splitlines():
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if fence:
            inside += IMAGE in line
            fence = "" if line == ticks and len(ticks) >= len(fence) else fence
        else:
            assert IMAGE not in line
            fence = ticks if len(ticks) > 2 else ""
    assert inside and not fence


def test_what_python_cannot_parse_is_measured(whole: Path, tmp_path: Path) -> None:
    """A report, and a card, of texts that end Python's parser."""
    for text in (f"x = {'-' * 3000}1\n", "#\0", "def", f"y = {'+'.join(['1'] * 30_000)}\n"):
        folder = shutil.copytree(whole, tmp_path / "build")
        edited(["python_source"], "cpu", lambda before, text=text: before + text)(folder)  # type: ignore[misc]
        assert cli.main(["report", str(folder)]) == 0
        shutil.rmtree(folder)
