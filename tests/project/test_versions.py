from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from toys import rows as toy_rows

import warp_ir_dataset
from warp_ir_dataset import WarpIR
from warp_ir_dataset.common import versions
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.loading.urls import decode

ROOT = Path(__file__).parents[2]
KNOWN = re.escape(f"warp-lang=={versions.WARP_MINOR}.*")


@pytest.mark.parametrize(
    "version", ["0.9.9", f"{versions.WARP_MINOR}0.0", "99.0.0", f"1{versions.WARP_MINOR}.0"]
)
def test_another_minor_version_is_refused(version: str) -> None:
    with pytest.raises(UserError, match=re.escape(f"{versions.WARP_MINOR}.x")) as caught:
        versions.check_warp(version)
    assert "\n" not in str(caught.value) and version in str(caught.value)
    versions.check_warp(f"{versions.WARP_MINOR}.7")


def test_what_is_installed_with_the_package_is_what_it_works_with() -> None:
    major, minor = map(int, versions.WARP_MINOR.split("."))
    pins = re.findall(r'"warp-lang(.*?)"', (ROOT / "pyproject.toml").read_text())
    assert pins == [f">={major}.{minor},<{major}.{minor + 1}"]


def test_every_door_refuses_another_warp_at_once(
    toys: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.7.2")
    says = rf"warp-lang 1\.7\.2 .*pip install '{KNOWN}'"
    assert toy_rows.main(["build", str(tmp_path / "out"), "--num-kernels", "40"]) == 2
    assert re.match(f"warp-ir: error: {says}", capsys.readouterr().err)
    with pytest.raises(UserError, match=says):
        WarpIR("cuda", num_kernels=40)
    with pytest.raises(UserError, match=says):
        decode(f"generator-{versions.GENERATOR_VERSION}/warp-1.*/seed-0/kernels-40/sm_80/cuda")
    assert not (tmp_path / "out").exists() and toys() == 0


def test_no_warp_at_all_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", absent)
    with pytest.raises(UserError, match=rf"^warp-lang \D+: pip install '{KNOWN}'$"):
        versions.warp_version()


def test_package_and_data_set_have_one_version() -> None:
    """The package's is read from the file that says the data set's: pyproject.toml has none of its own."""
    assert warp_ir_dataset.__version__ == versions.DATASET_VERSION
    project = (ROOT / "pyproject.toml").read_text()
    assert 'dynamic = ["version"]' in project and not re.search("^version = ", project, re.MULTILINE)
    path = re.search(r'\[tool\.hatch\.version\]\npath = "(.+)"', project)
    assert path is not None
    found = re.findall('^__version__ = "(.+)"$', (ROOT / path[1]).read_text(), re.MULTILINE)
    assert found == [warp_ir_dataset.__version__]
