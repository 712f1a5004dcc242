"""A build that was tampered with is refused by the check that is meant for it, and by no other by chance."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from toys import anew
from toys.tampered.builds import TABLE

from warp_ir_dataset.evaluation.validation import validate as module

pytestmark = [pytest.mark.compile, pytest.mark.process, pytest.mark.folder]

TABLES = ("OF_FILES", "OF_FOLDER", "OF_PARTS")
CHECKS = [check for name in TABLES for check in vars(module)[name]]
# What only one check finds, but for files that nobody could read.
UNREADABLE = ("a file cut short", "a file removed")
ALONE = [name for name, each in TABLE.items() if len(each.failed) == 1 and name not in UNREADABLE]


@pytest.fixture
def tampered(builds: Path, tmp_path: Path, name: str) -> Path:
    each = TABLE[name]
    folder = shutil.copytree(builds / each.config, tmp_path / "build")
    each.act(folder)
    return folder


@pytest.mark.parametrize("name", TABLE)
def test_what_was_tampered_with_is_refused_by_the_check_for_it(tampered: Path, name: str) -> None:
    found = anew.validated(tampered)
    assert not found.ok
    assert found.failed == TABLE[name].failed, str(found)


def test_each_check_finds_something_alone() -> None:
    assert len(TABLE) >= 20
    # Versions that are not ours are not wrong: what cannot be proved for them is said by the others.
    assert {check for name in ALONE for check in TABLE[name].failed} == {*CHECKS} - {"versions"}


@pytest.mark.parametrize("name", ALONE)
def test_without_that_check_nothing_would_be_found(
    tampered: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for table in TABLES:
        left = {check: made for check, made in vars(module)[table].items() if check not in TABLE[name].failed}
        monkeypatch.setattr(module, table, left)
    assert not anew.validated(tampered).failed
