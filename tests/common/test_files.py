"""Files that are whole or not there: what is written, and what is left when it cannot be."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.files import appearing, inside, replacing, sha256, was_to_be, writable, write


@contextmanager
def full_disk() -> Iterator[None]:
    """As good as a disk of a thousand bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("content", "found"), [("λ\n", "λ\n".encode()), (b"\x00\xff", b"\x00\xff")])
def test_a_file_is_written_and_replaced(tmp_path: Path, content: str | bytes, found: bytes) -> None:
    path = tmp_path / "card.md"
    write(path, "old")
    write(path, content)
    assert path.read_bytes() == found and names(tmp_path) == ["card.md"]


@pytest.mark.parametrize("there", [True, False])
def test_what_does_not_fit_leaves_what_was_there(tmp_path: Path, there: bool) -> None:
    path = tmp_path / "card.md"
    if there:
        path.write_text("old")
    with full_disk(), pytest.raises(UserError) as error:
        write(path, "new" * 1000)
    assert str(error.value).endswith(f"{path}: {os.strerror(errno.EFBIG)}")
    assert isinstance(error.value.__cause__, OSError)
    assert names(tmp_path) == (["card.md"] if there else [])
    assert not there or path.read_text() == "old"


def test_an_error_while_writing_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "rows") as file:
        file.write(b"half of")
        raise ZeroDivisionError
    assert names(tmp_path) == []


def test_nobody_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    with replacing(path) as file:
        file.write(b"half of")
        file.flush()
        [temporary] = names(tmp_path)
        assert not path.exists() and was_to_be(temporary) == "rows"
    assert path.read_bytes() == b"half of"


def test_threads_that_write_one_file_leave_one_of_theirs(tmp_path: Path) -> None:
    contents = [bytes([number]) * 100_000 for number in range(20)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda content: write(tmp_path / "rows", content), contents))
    assert (tmp_path / "rows").read_bytes() in contents and names(tmp_path) == ["rows"]


@pytest.mark.parametrize(
    ("name", "was"),
    [
        (".card.md.12.tmp", "card.md"),
        (".a-00000-of-00001.parquet.12-140.tmp", "a-00000-of-00001.parquet"),
        (".mine.tmp", None),
        ("card.md.12.tmp", None),
        (".card.md.12.tmp.bak", None),
    ],
)
def test_temporary_names_tell_what_they_were_to_be(name: str, was: str | None) -> None:
    assert was_to_be(name) == was


@pytest.mark.parametrize("advice", ["", "choose another"])
def test_what_the_disk_refuses_is_one_line(tmp_path: Path, advice: str) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError) as error, writable("to the cache", advice):
        (tmp_path / "file" / "folder").mkdir()
    assert str(error.value) == "cannot write to the cache: Not a directory" + (advice and f": {advice}")
    with pytest.raises(KeyError), writable("to the cache"):
        raise KeyError


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_says_what_to_do(number: int) -> None:
    for advice in ("", "point TMPDIR elsewhere"):
        with pytest.raises(UserError) as error, writable("x", advice):
            raise OSError(number, "full")
        wanted = advice or "make room, and run the same command again"
        assert str(error.value) == f"cannot write x: full: {wanted}"


# ---- folders


def test_a_folder_appears_when_all_is_in_it(tmp_path: Path) -> None:
    with appearing(tmp_path / "out") as place:
        (place / "a").write_text("a")
        assert not (tmp_path / "out").exists()
    assert names(tmp_path) == ["out"] and names(tmp_path / "out") == ["a"]


def test_an_empty_folder_may_be_there(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with appearing(tmp_path / "out") as place:
        (place / "a").write_text("a")
    assert names(tmp_path / "out") == ["a"]


def test_after_an_error_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), appearing(tmp_path / "out") as place:
        (place / "a").write_text("a")
        raise ZeroDivisionError
    assert names(tmp_path) == []


@pytest.mark.parametrize(("taken", "why"), [("file", "file"), ("folder", "empty")])
def test_what_is_there_is_left_alone(tmp_path: Path, taken: str, why: str) -> None:
    out = tmp_path / "out"
    if taken == "folder":
        out.mkdir()
        (out / "thesis.tex").write_text("dear")
    else:
        out.write_text("dear")
    with pytest.raises(UserError, match=f"^{out} .*{why}"), appearing(out):
        pytest.fail("it was given")
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("there", [True, False])
def test_where_a_link_leads_is_where_it_appears(tmp_path: Path, there: bool) -> None:
    link, large = tmp_path / "out", tmp_path / "large"
    link.symlink_to(large / "rows")
    if there:
        (large / "rows").mkdir(parents=True)
    with appearing(link) as place:
        (place / "a").write_text("a")
    assert link.is_symlink() and names(link) == ["a"] and names(large) == ["rows"]


def test_what_is_mounted_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "ismount", lambda path: path == tmp_path)
    with pytest.raises(UserError, match=f"mounted on {tmp_path}, "), appearing(tmp_path):
        pytest.fail("it was given")
    with appearing(tmp_path / "out"):
        pass
    assert names(tmp_path) == ["out"]


def test_a_folder_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    says = f"{tmp_path}/file/out: Not a directory$"
    with pytest.raises(UserError, match=says), appearing(tmp_path / "file" / "out"):
        pytest.fail("it was given")


# ---- hashes


@pytest.mark.parametrize("size", [0, 10, (1 << 20) + 7])
def test_the_hash_of_a_file_is_that_of_its_content(tmp_path: Path, size: int) -> None:
    (tmp_path / "file").write_bytes(b"x" * size)
    assert sha256(tmp_path / "file") == hashlib.sha256(b"x" * size).hexdigest()
    with pytest.raises(OSError):
        sha256(tmp_path / "nothing")


# ---- inside a folder of anybody's


def test_a_place_inside_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("x")
    for name in ("a", "a/file", "new", "a/new", "new/new", "a/file with spaces"):
        assert inside(tmp_path, name) == tmp_path / name
    # How the folder itself is reached is its owner's business.
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert inside(tmp_path / "link", "file").read_text() == "x"


@pytest.mark.parametrize("name", ["", "..", "../x", "a/../../x", "/etc/passwd", "a//b", ".", "a\0b", "a\\b"])
def test_a_name_that_leads_out(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"^{re.escape(repr(name))} .*{tmp_path}:") as caught:
        inside(tmp_path, name)
    assert "\n" not in str(caught.value)


def test_what_is_no_plain_file_or_folder(tmp_path: Path) -> None:
    (tmp_path / "away").symlink_to("/")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("x")
    for name in ("away", "away/etc", "nowhere", "itself", "itself/x"):
        with pytest.raises(UserError, match=f"^{tmp_path / name.partition('/')[0]} .*link"):
            inside(tmp_path, name)
    with pytest.raises(UserError, match=f"^{tmp_path}/pipe .*remove"):
        inside(tmp_path, "pipe")
    with pytest.raises(UserError, match=f"{tmp_path}/file/x: Not a directory"):
        inside(tmp_path, "file/x")
    with pytest.raises(UserError, match=f"{tmp_path}/x+: File name too long"):
        inside(tmp_path, "x" * 300)


@pytest.mark.parametrize("name", [".", "../here"])
def test_the_folder_one_is_in_is_not_replaced(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(UserError, match=r"^.* folder you are in"), appearing(Path(name)):
        pytest.fail("there is nothing to write to")
    assert [path.name for path in tmp_path.rglob("*")] == ["here"]


def test_a_folder_may_be_named_from_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with appearing(Path("../there/.")) as place:
        (place / "rows").write_text("1")
    assert (tmp_path / "there" / "rows").read_text() == "1"


def test_what_a_killed_process_or_another_thread_left_is_in_nobody_s_way(tmp_path: Path) -> None:
    left = tmp_path / f".out.{os.getpid()}.tmp"
    left.mkdir()
    with appearing(tmp_path / "out") as first:
        with pytest.raises(ZeroDivisionError), appearing(tmp_path / "out") as second:
            assert second != first
            raise ZeroDivisionError
        (first / "rows").touch()
        assert was_to_be(first.name) == "out"
    assert names(tmp_path) == [left.name, "out"] and names(tmp_path / "out") == ["rows"]
