"""Fresh builds pass, builds of another version have their own text run, and the command says so."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from toys import anew
from toys.tampered.builds import foreign, manifest

from warp_ir_dataset import cli, validate, validate_on_device
from warp_ir_dataset.common.configs import tasks
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.evaluation.validation import validate as module
from warp_ir_dataset.evaluation.validation.finding import Finding, State, Validation, judged, unproved

pytestmark = [pytest.mark.compile, pytest.mark.process, pytest.mark.folder]

CHECKS = [*module.OF_FILES, *module.OF_FOLDER, *module.OF_PARTS]
# What other versions leave open.
OPEN = {"versions", "card", "plan", "drawn", "rejections"}
QUICK = ("cpu", "cuda")


def built(config: str, builds: Path, place: Path) -> Path:
    """A fresh build of a config."""
    folder = builds / config
    return shutil.copytree(folder, place / config) if folder.exists() else anew.build(place / config, config)


CONFIGS = [pytest.param(task.name, marks=() if task.name in QUICK else pytest.mark.slow) for task in tasks()]


@pytest.mark.parametrize("config", CONFIGS)
def test_a_fresh_build_passes_every_check(config: str, builds: Path, tmp_path: Path) -> None:
    folder = built(config, builds, tmp_path)
    found = anew.validated(folder)
    assert found.ok and not found.failed, str(found)
    assert [each.check for each in found.findings] == CHECKS
    assert all(each.counted for each in found.findings)
    foreign()(folder)
    found = anew.validated(folder, sample=2)
    assert not found.ok and not found.failed, str(found)
    assert {each.check for each in found.findings if each.state is State.UNPROVED} == OPEN
    assert {each.counted for each in found.findings if each.check in ("compiled", "run")} == {2}


def test_the_command_tells_a_line_for_each_check(builds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With workers, who know nothing of what was made before."""
    command = ["validate", str(builds / "cpu"), "--sample", "2", "--workers", "1"]
    assert cli.main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[: len(CHECKS)]] == CHECKS
    assert lines[-1] == "Everything is as it should be."
    drawn = next(line for line in lines if line.startswith("drawn"))
    assert drawn.split() == ["drawn", "cpu", "passed", "2", "rows"]


def test_the_command_ends_with_1_and_tells_what_is_wrong(
    builds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(builds / "cpu", tmp_path / "build")
    (folder / "cpu" / "more.parquet").write_bytes(b"")
    assert cli.main(["validate", str(folder), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False
    (found,) = (each for each in told["findings"] if each["state"] == "failed")
    assert (found["check"], found["wrong"]) == ("listed", 1)
    assert found["said"] == ["cpu/more.parquet is not in the manifest"]
    assert all(each["state"] == "unproved" for each in told["findings"][2:])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "no folder nowhere"),
        (["{}", "--config", "cuda"], "the build has no config 'cuda': choose from cpu"),
        (["{}", "--sample", "0"], "--sample must be at least 1"),
    ],
)
def test_wrong_input_ends_with_2(
    arguments: list[str], says: str, builds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["validate", *(word.format(builds / "cpu") for word in arguments)]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sample": 0}, "sample must be at least 1, not 0"),
        ({"sample": -1}, "sample must be at least 1, not -1"),
        ({"sample": "2"}, "sample must be a whole number of at least 1, not '2'"),
        ({"sample": 1.5}, "sample must be a whole number of at least 1, not 1.5"),
        ({"configs": 3}, "configs must be a list, not 3"),
        ({"configs": "cuda"}, "the build has no config 'cuda'"),
    ],
)
def test_wrong_parameters_are_said_at_once(options: dict[str, Any], says: str, builds: Path) -> None:
    for function in (validate, validate_on_device):
        with pytest.raises(UserError, match=says):
            function(builds / "cpu", **options)
    with pytest.raises(UserError, match="seed must be a whole number of at least 0, not nan"):
        validate(builds / "cpu", seed=float("nan"))


def test_rows_that_were_not_built_cannot_be_made_again(builds: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(builds / "cpu", tmp_path / "build")
    manifest(lambda found: found.update(parameters={}))(folder)
    with pytest.raises(UserError, match="were not built"):
        anew.validated(folder)


def test_other_compilers_leave_the_rest_open(builds: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(builds / "cpu", tmp_path / "build")
    manifest(lambda found: found["versions"].update(clang="1.0"))(folder)
    found = anew.validated(folder, sample=1)
    assert not found.ok and not found.failed, str(found)
    versions = next(each for each in found.findings if each.check == "versions")
    assert versions.said[0].startswith("the build is of clang 1.0, and this is ")


def test_a_sample_depends_on_the_seed(builds: Path) -> None:
    parts = [anew.part_of(builds / "cpu", "cpu", sample=3, seed=seed) for seed in (0, 0, 1)]
    first, again, other = (part.sampled for part in parts)
    assert first == again != other
    assert {len(each or ()) for each in (first, again, other)} == {3}


def test_a_check_with_nothing_to_look_at_fails() -> None:
    assert judged("drawn", "cpu", 0, "rows", []).state is State.FAILED
    assert not Validation(()).ok


def test_checks_that_could_not_be_made_for_one_reason_are_told_together() -> None:
    findings = [
        judged("files", None, 3, "files", []),
        unproved("card", None, "texts", "damaged"),
        unproved("drawn", "cpu", "rows", "damaged"),
        unproved("run", "cpu", "rows", "damaged"),
        unproved("plan", "cpu", "rows", "another version"),
    ]
    words = [line.replace(",", "").split() for line in str(Validation((*findings,))).splitlines()]
    assert ["the", "folder", "card"] in words
    assert ["cpu", "drawn", "run"] in words and ["cpu", "plan"] in words
    assert sum("damaged" in line for line in words) == sum("version" in line for line in words) == 1


def test_findings_are_told_in_lines() -> None:
    found = judged("drawn", "cpu", 1200, "rows", [f"row {number}" for number in range(7)])
    assert found == Finding(
        "drawn", "cpu", State.FAILED, 1200, "rows", 7, (*(f"row {n}" for n in range(5)), "and 2 more")
    )
    assert str(found).splitlines()[0] == "drawn       cpu             failed    1,200 rows, 7 wrong"
    assert str(Validation((found,))).endswith("It is not what a build wrote: drawn failed.")
