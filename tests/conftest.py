"""Every test runs with caches of its own: nothing touches the user's."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# ruff: noqa: E402
# Before anything imports `datasets`, torch or Warp: they read these once.
_CACHES = Path(tempfile.mkdtemp(prefix="warp-ir-tests-"))
os.environ.update(
    HF_HOME=str(_CACHES / "huggingface"),
    WARP_CACHE_PATH=str(_CACHES / "warp"),
    WARP_IR_CACHE=str(_CACHES / "warp_ir"),
    HF_DATASETS_DISABLE_PROGRESS_BARS="1",
    HF_HUB_DISABLE_PROGRESS_BARS="1",
    HF_HUB_DISABLE_TELEMETRY="1",
    OMP_NUM_THREADS="1",  # threads of torch that wait take the time of the test beside them
)
for _name in ("HF_DATASETS_CACHE", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
    os.environ.pop(_name, None)

pytest_plugins = ["project.tiers"]

import datasets
from loopback.desk import Desk
from loopback.hub import LoopbackHub
from toys import built as toy_build
from toys import rows as toy_rows
from toys.engines import PROVER
from toys.folders import plotting, toy_folder

from warp_ir_dataset.loading.maker import Maker, SharedEngine, made_by
from warp_ir_dataset.publishing.card import write_card
from warp_ir_dataset.workers import seats as workshop


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(_CACHES, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _without_plots() -> Iterator[None]:
    with plotting(False):
        yield


@pytest.fixture
def plotted() -> Iterator[None]:
    """What this test writes has plots; `built` and `first` have theirs anyway."""
    with plotting():
        yield


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Real shards, caches and worker processes behind the doors, but toy rows; for commands and builds see
    `toys.rows`. Gives the number of rows proved so far."""
    diary = tmp_path / "diary"
    monkeypatch.setenv("TOY_DIARY", str(diary))
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    monkeypatch.setattr(datasets.config, "DOWNLOADED_DATASETS_PATH", tmp_path / "downloads")
    with made_by(Maker(SharedEngine(PROVER), toy_rows.make_plan)):
        yield (
            lambda: (
                sum(int(line.split()[1]) for line in diary.read_text().splitlines()) if diary.exists() else 0
            )
        )
    workshop.close()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built folder with its card and plots, of real kernels whose code is made up. Not to be changed."""
    folder = toy_build.write(tmp_path_factory.mktemp("built") / "kernels")
    with plotting():
        write_card(folder)
    return folder


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A Hub with alice, who may write there and in lab, mallory, who has nothing there yet, and a reader."""
    with LoopbackHub() as hub:
        hub.add_user("alice", organizations=("lab",))
        hub.add_user("reader", may_write=False)
        hub.add_user("mallory")
        yield Desk(hub, tmp_path)


@pytest.fixture(scope="session")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six configs of forty toy rows, with plots. Not to be changed."""
    with plotting():
        return toy_folder(tmp_path_factory.mktemp("builds") / "one")


@pytest.fixture(scope="session")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The next version: other rows, in more files. Not to be changed."""
    return toy_folder(tmp_path_factory.mktemp("builds") / "two", seed=4, version="1.1.0", files=2)
