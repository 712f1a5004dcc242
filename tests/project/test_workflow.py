"""What strangers' machines run on every change is what the documents say, on every Python we promise."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())
JOBS: dict[str, Any] = WORKFLOW["jobs"]
STEPS = [step for job in JOBS.values() for step in job["steps"]]
CI = (ROOT / ".ci" / "run").read_text()
# `tomllib` is not in Python 3.10, and these are single lines.
PYPROJECT = (ROOT / "pyproject.toml").read_text()


def supported() -> list[str]:
    """The Pythons that `requires-python` allows."""
    first, end = map(int, re.findall(r'^requires-python = ">=3\.(\d+),<3\.(\d+)"$', PYPROJECT, re.M)[0])
    return [f"3.{minor}" for minor in range(first, end)]


def test_every_supported_python_runs_the_command_of_the_readme() -> None:
    job = JOBS["minutes"]
    assert job["strategy"]["matrix"]["python"] == supported()
    assert "${{ matrix.python }}" in [step.get("with", {}).get("python-version") for step in job["steps"]]
    [command] = [step["run"] for step in job["steps"] if "run" in step]
    assert f"\n{command}\n" in (ROOT / "README.md").read_text()
    [pattern] = re.findall(r"sed -n '/\^(.*)\$/p' README.md", CI)
    assert re.fullmatch(pattern, command)


def test_one_python_runs_everything() -> None:
    steps = JOBS["all"]["steps"]
    assert ".ci/run" in [step.get("run") for step in steps]
    [python] = [step["with"]["python-version"] for step in steps if "setup-python" in step.get("uses", "")]
    assert python in supported()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    everything = 'pytest --all -m "not gpu and not long" --no-skips'
    for command in ("ruff check .", "ruff format --check .", "mypy", everything):
        assert re.search(rf"^{re.escape(command)}( --durations=\d+)?$", CI, re.M), command


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_a_job_ends_and_may_only_read(job: dict[str, Any]) -> None:
    assert job["runs-on"] == "ubuntu-latest" and 0 < job["timeout-minutes"] <= 60
    assert WORKFLOW["permissions"] == {"contents": "read"} and "permissions" not in job


def test_actions_are_pinned_to_their_major_version() -> None:
    used = {step["uses"] for step in STEPS if "uses" in step}
    assert used and all(re.fullmatch(r"actions/[a-z-]+@v\d+", action) for action in used)


def test_marks_of_tiers_are_those_that_pytest_knows() -> None:
    from project.tiers import MARKS

    known = re.findall(r'^    "(\w+): ', PYPROJECT[PYPROJECT.index("markers = [") :], re.M)
    assert sorted(known) == sorted([*MARKS, "sampled"])
