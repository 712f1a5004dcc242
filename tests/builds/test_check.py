"""A folder that was tampered with is refused by every door alike: one line, nothing written, nothing sent."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from loopback.desk import NAME, Desk
from toys import rows as toy_rows
from toys.engines import HereEngine
from toys.folders import plotting, toy_folder
from toys.tampered.acts import OUTSIDE, SECRET, SHARD, read, save
from toys.tampered.table import NOT, TAMPERINGS

from warp_ir_dataset import api, cli
from warp_ir_dataset.builds.check.folder import check
from warp_ir_dataset.builds.output.local_store import LOCK
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.versions import DATASET_VERSION
from warp_ir_dataset.publishing.card import write_card
from warp_ir_dataset.publishing.hub import push as pushing

CONFIGS = ("cpu", "cuda")
DOORS = {
    "report": ("report", "{}"),
    "export": ("export", "{}", "--format", "json-pairs"),
    "push": ("push", "{}", NAME),
}


pytestmark = pytest.mark.folder


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_alice")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As few configs as are tampered with: each door reads all that is there. Not to be changed."""
    with plotting():
        return toy_folder(tmp_path_factory.mktemp("good") / "build", configs=CONFIGS)


@pytest.fixture
def copy(good: Path, tmp_path: Path) -> Path:
    """A good folder, and beside it a place that is nobody's business."""
    folder = shutil.copytree(good, tmp_path / "place" / "build")
    (tmp_path / "place" / OUTSIDE).mkdir()
    (tmp_path / "place" / OUTSIDE / "id_rsa").write_text(SECRET)
    return folder


def surroundings(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Everything in and beside a folder: kind and rights, and bytes or where it leads."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for place, folders, files in os.walk(folder.parent):
        for name in (*folders, *files):
            path = Path(place, name)
            mode = path.lstat().st_mode
            held: bytes | str = path.read_bytes() if stat.S_ISREG(mode) else ""
            found[str(path)] = mode, os.readlink(path) if stat.S_ISLNK(mode) else held
    return found


def refused(command: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A command that must end with status 2 and one line, which it returns."""
    assert cli.main([word.format(folder) for word in command]) == 2
    out, error = capsys.readouterr()
    assert out == "" and error.endswith("\n") and error.count("\n") == 1, error
    assert error.startswith("warp-ir: error: ") and error.rstrip("\n").isprintable()
    return error


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_tampered_folder_is_refused_by_every_door(
    name: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    act, says = TAMPERINGS[name]
    act(copy)
    before = surroundings(copy)
    lines = [refused(command, copy, capsys) for command in DOORS.values()]
    assert says.format(copy) in lines[0]
    assert str(copy) in lines[0]
    assert len(set(lines)) == 1
    assert surroundings(copy) == before


@pytest.mark.parametrize("name", [name for name in TAMPERINGS if TAMPERINGS[name][1].startswith("(")])
def test_what_is_wrong_with_rows_names_the_file(
    name: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    TAMPERINGS[name][0](copy)
    assert f"read {copy}/c" in refused(DOORS["report"], copy, capsys)


@pytest.mark.parametrize("name", [SHARD, "README.md", "near_duplicates.json", "plots"])
def test_what_may_not_be_read_is_not_called_damaged(
    name: str, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(real: Callable[..., Any]) -> Callable[..., Any]:
        def opened(path: Any, *rest: Any, **options: Any) -> Any:
            if Path(path) == copy / name:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return real(path, *rest, **options)

        return opened

    monkeypatch.setattr(Path, "open", refusing(Path.open))
    monkeypatch.setattr(os, "listdir", refusing(os.listdir))
    with pytest.raises(UserError, match=f"{copy / name}: Permission denied$"):
        check(copy)


def test_there_are_many_ways() -> None:
    assert len(TAMPERINGS) >= 25


def test_none_of_them_reaches_a_hub(
    desk: Desk,
    good: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(pushing, "HfApi", partial(pushing.HfApi, endpoint=desk.hub.url))
    for number, (act, _) in enumerate(TAMPERINGS.values()):
        folder = shutil.copytree(good, tmp_path / f"{number}" / "build")
        (folder.parent / OUTSIDE).mkdir()
        act(folder)
        refused(DOORS["push"], folder, capsys)
    assert desk.hub.requests == [] and desk.hub.repos == {}
    assert cli.main([*(word.format(good) for word in DOORS["push"]), "--dry-run"]) == 0
    assert desk.hub.requests  # so a request would have been counted


def test_a_good_folder_passes_every_door(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", str(copy)]) == 0
    assert cli.main(["export", str(copy), "--format", "jsonl"]) == 0
    # What the doors themselves have written there is not in the way, nor is what somebody keeps beside it.
    (copy / "notes.txt").write_text("mine")
    (copy / "mine").symlink_to(copy.parent / OUTSIDE)
    assert cli.main(["report", str(copy)]) == 0
    assert "120 rows" not in capsys.readouterr().err


# ---- where a command writes inside the folder


@pytest.mark.parametrize(("door", "place"), [("report", "report"), ("export", "export-json-pairs")])
def test_nothing_is_written_through_a_link(
    door: str, place: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / place).symlink_to(copy.parent / OUTSIDE)
    before = surroundings(copy)
    error = refused(DOORS[door], copy, capsys)
    assert f"{copy / place} " in error and "link" in error
    assert surroundings(copy) == before


@pytest.mark.usefixtures("plotted")
def test_what_somebody_names_may_be_a_link(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    assert cli.main(["report", str(copy), "--out", str(tmp_path / "link")]) == 0
    (tmp_path / "build").symlink_to(copy)
    out = str(tmp_path / "build" / ".." / "lines")
    assert cli.main(["export", str(tmp_path / "build"), "--format", "jsonl", "--out", out]) == 0
    assert {path.name for path in (tmp_path / "there").iterdir()} >= {"report.md", "lengths.png"}


# ---- the build that goes on


def build(folder: Path) -> None:
    requests = [Request(config, 40, 3) for config in CONFIGS]
    api.build(requests, folder, engine=HereEngine(), planner=toy_rows.make_plan, quiet=True)


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the same build makes in a new folder. Not to be changed."""
    folder = tmp_path_factory.mktemp("made") / "build"
    build(folder)
    return folder


MENDED = [
    "no shard",
    "one bit of a shard",
    "a shard that is no Parquet",
    "a column less",
    "a null",
    "no rows",
    "another SHA-256",
    "a card of other bytes",
    "neighbours that are none",
]


@pytest.mark.parametrize("name", MENDED)
def test_the_same_build_mends_it(name: str, made: Path, tmp_path: Path) -> None:
    """As the line says that it does."""
    folder = shutil.copytree(made, tmp_path / "build")
    (tmp_path / OUTSIDE).mkdir()
    TAMPERINGS[name][0](folder)
    build(folder)
    assert files(folder) == files(made)
    assert not any(path.is_symlink() for path in folder.rglob("*"))


@pytest.mark.usefixtures("plotted")
def test_a_plot_is_drawn_in_the_place_of_a_link(copy: Path) -> None:
    picture = (copy / "plots" / "lengths.png").read_bytes()
    TAMPERINGS["a link for a plot"][0](copy)
    before = surroundings(copy)
    build(copy)
    assert not (copy / "plots" / "lengths.png").is_symlink()
    assert (copy / "plots" / "lengths.png").read_bytes() == picture
    assert surroundings(copy).items() >= {p: v for p, v in before.items() if f"/{OUTSIDE}/" in p}.items()


REFUSED = [
    *(name for name, (_, says) in TAMPERINGS.items() if says.startswith(NOT) and name not in ("no version",)),
    *(name for name in TAMPERINGS if name.startswith("a link for") and name != "a link for a plot"),
]


@pytest.mark.parametrize("name", REFUSED)
def test_a_build_does_not_go_on_in_it(name: str, copy: Path) -> None:
    TAMPERINGS[name][0](copy)
    before = surroundings(copy)
    with pytest.raises(UserError) as caught:
        build(copy)
    assert TAMPERINGS[name][1] in str(caught.value)
    assert surroundings(copy) == before


def test_a_build_follows_no_link_to_lock_or_to_clear(made: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(made, tmp_path / "place" / "build")
    (copy.parent / OUTSIDE).mkdir()
    (copy.parent / OUTSIDE / "id_rsa").write_text(SECRET)
    (copy / "mine").symlink_to(copy.parent / OUTSIDE)
    (copy.parent / OUTSIDE / ".README.md.12.tmp").write_text("nobody's business")
    before = surroundings(copy)
    build(copy)
    assert surroundings(copy) == before
    (copy / LOCK).symlink_to(copy.parent / OUTSIDE / "id_rsa")
    with pytest.raises(UserError, match=f"{copy / LOCK} .*link"):
        build(copy)
    assert (copy.parent / OUTSIDE / "id_rsa").read_text() == SECRET


def test_a_file_that_no_plan_has_is_not_kept(made: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(made, tmp_path / "build")
    one = copy / SHARD
    shutil.copy(one, one.with_name("train-00001-of-00002.parquet"))
    manifest = read(copy)
    listed = manifest["configs"]["cuda"]["files"]
    listed["cuda/train-00001-of-00002.parquet"] = listed.pop(SHARD)
    save(copy, manifest)
    build(copy)
    assert read(copy) == read(made)


def test_a_version_is_three_numbers(tmp_path: Path) -> None:
    for version in ("1", "1.0", "01.0.0", "1.0.0-a", "1.0.٣", "x y", "", None, 1):
        with pytest.raises(UserError, match=f"version .*{DATASET_VERSION}.* {re.escape(repr(version))}$"):
            api.build(Request(), tmp_path / "new", version=version)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rows", ["some", "all"])
def test_a_config_without_all_its_files_is_not_pushed_whatever_the_card_says(
    rows: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = read(copy)
    files = manifest["configs"]["cpu"]["files"]
    name = next(name for name, entry in files.items() if entry["split"] == "test")
    entry = files.pop(name)
    if rows == "all":  # by their number, but a file is not there
        files[one_of_two := "cpu/test-00000-of-00002.parquet"] = entry
        (copy / name).rename(copy / one_of_two)
    save(copy, manifest)
    write_card(copy, quiet=True)
    assert cli.main(["report", str(copy)]) == 0
    capsys.readouterr()
    line = refused(DOORS["push"], copy, capsys)
    assert f"cpu in {copy} " in line and "warp-ir build" in line


def test_what_a_stopped_build_has_can_be_looked_at_but_not_pushed(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / "README.md").unlink()
    manifest = read(copy)
    manifest["configs"]["cuda"]["files"] = {}
    save(copy, manifest)
    assert cli.main(["report", str(copy)]) == 0
    assert cli.main(["export", str(copy), "--format", "jsonl"]) == 0
    assert capsys.readouterr().err == ""
    line = refused(DOORS["push"], copy, capsys)
    assert f"{copy}/README.md is missing" in line and "warp-ir build" in line
