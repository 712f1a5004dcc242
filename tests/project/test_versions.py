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


@pytest.mark.parametrize("version", ["1.18.9", "1.20.0", "2.0.0", "1.190.0"])
def test_another_minor_version_is_refused(version: str) -> None:
    with pytest.raises(UserError, match=r"1\.19\.x") as caught:
        versions.check_warp(version)
    assert "\n" not in str(caught.value) and version in str(caught.value)
    versions.check_warp("1.19.7")


def test_every_door_refuses_another_warp_at_once(
    toys: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.7.2")
    says = r"warp-lang 1\.7\.2 .*pip install 'warp-lang==1\.19\.\*'"
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
    with pytest.raises(UserError, match=r"^warp-lang \D+: pip install 'warp-lang==1\.19\.\*'$"):
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
