"""The precompiled header in the machine's cache: made once, believed only as it was written, never needed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from warp_ir_dataset.compilers import headers
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers.headers import FOLDER, bring, fingerprint

NAME = "builtin_o0.pch"
CONTENT = b"CPCH" + bytes(range(256)) * 40


class Maker:
    """A compiler that counts how often it had to make its header."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.made = folder, 0
        folder.mkdir()

    def __call__(self) -> None:
        self.made += 1
        (self.folder / NAME).write_bytes(CONTENT)

    def bring(self, key: str = "key") -> Path | None:
        return bring(key, self.folder, self)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / FOLDER


def test_a_header_is_made_once_and_copied(cache: Path, tmp_path: Path) -> None:
    one, two = Maker(tmp_path / "one"), Maker(tmp_path / "two")
    assert one.bring() == one.folder / NAME and one.made == 1
    assert two.bring() == two.folder / NAME and two.made == 0
    assert (two.folder / NAME).read_bytes() == CONTENT
    three = Maker(tmp_path / "three")
    assert three.bring("another") and three.made == 1  # of other options
    assert {path.name for path in cache.iterdir() if path.suffix != ".lock"} == {"key", "another"}


@pytest.mark.parametrize(
    "damage",
    ["empty", "cut short", "changed", "of another key", "another name", "link", "pipe", "open to all"],
)
def test_a_broken_or_foreign_file_is_not_believed_and_replaced(
    damage: str, cache: Path, tmp_path: Path
) -> None:
    Maker(tmp_path / "first").bring()
    Maker(tmp_path / "second").bring("other")
    place = cache / "key"
    content = place.read_bytes()
    match damage:
        case "empty":
            place.write_bytes(b"")
        case "cut short":
            place.write_bytes(content[:-1])
        case "changed":
            place.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
        case "of another key":
            (cache / "other").replace(place)
        case "another name":
            place.write_bytes(content.replace(NAME.encode(), b"../../o0.pch", 1))
        case "link":
            place.rename(tmp_path / "elsewhere")
            place.symlink_to(tmp_path / "elsewhere")
        case "pipe":
            place.unlink()
            os.mkfifo(place)
        case "open to all":
            place.chmod(0o666)
    again = Maker(tmp_path / "again")
    assert again.bring() == again.folder / NAME and again.made == 1
    assert place.read_bytes() == content and not place.is_symlink()
    assert not (tmp_path / "o0.pch").exists()
    assert (last := Maker(tmp_path / "last")).bring() and last.made == 0


def test_somebody_elses_file_is_not_believed(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Maker(tmp_path / "first").bring()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    other = Maker(tmp_path / "other")
    assert other.bring() and other.made == 1


@pytest.mark.parametrize("kind", ["in the way", "nowhere", "held by one that hangs", "full"])
def test_no_cache_is_needed(kind: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker, held = Maker(tmp_path / "folder"), FileLock(f"{cache / 'key'}.lock", thread_local=False)
    monkeypatch.setattr(headers, "PATIENCE", 0.0)
    if kind == "in the way":
        cache.parent.write_text("a file")
    elif kind == "nowhere":
        monkeypatch.setenv("WARP_IR_CACHE", "~nobody-of-this-name/x")
    elif kind == "held by one that hangs":
        cache.mkdir(parents=True)
        held.acquire()
    else:

        def write(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(headers, "write", write)
    found = maker.bring()
    held.release()
    # With a full disk it was made here, and serves here; else the compiler is left to make its own.
    assert (found, maker.made) == ((maker.folder / NAME, 1) if kind == "full" else (None, 0))


def test_what_a_killed_process_left_is_cleared_away(cache: Path, tmp_path: Path) -> None:
    cache.mkdir(parents=True)
    (cache / ".key.12-140.tmp").write_text("half of")
    (cache / ".other.12-140.tmp").write_text("being written")
    Maker(tmp_path / "folder").bring()
    assert {path.name for path in cache.iterdir()} == {"key", "key.lock", ".other.12-140.tmp"}


def test_a_fingerprint_tells_headers_apart(tmp_path: Path) -> None:
    def told(*more: object) -> Iterator[str]:
        yield fingerprint(tmp_path, "1.19.0", *more)

    header = tmp_path / "sub" / "a.h"
    header.parent.mkdir()
    header.write_text("int a;")
    os.utime(header, ns=(0, 0))
    seen = [*told(), *told("flags")]
    os.utime(header, ns=(0, 10**9))  # clang would not take a header made before
    seen += told()
    header.write_text("int b;")
    os.utime(header, ns=(0, 10**9))
    seen += told()
    header.rename(tmp_path / "sub" / "b.h")
    seen += told()
    assert len(set(seen)) == len(seen)
    assert [*told()] == [seen[-1]]


@pytest.mark.compile
def test_a_unit_is_the_same_with_a_header_of_the_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made by clang for the unit, made for the cache, copied from it, and copied anew after an error."""
    scratch = Path(toolchain.header_folders()[1])
    unit = toolchain.preamble("cpu") + 'extern "C" float twice(float x) { return wp::mul(x, 2.0f); }\n'

    def compiled() -> bytes:
        toolchain.compile_native(unit).unload()
        return (scratch / "unit.o").read_bytes()

    def forget() -> None:
        monkeypatch.setattr(toolchain, "_headers", {})
        for header in scratch.glob("*.pch"):
            header.unlink()

    made: list[str] = []
    build = toolchain.build_at
    monkeypatch.setattr(
        toolchain,
        "build_at",
        lambda unit, source, *more, **how: (made.append(source), build(unit, source, *more, **how)),
    )
    cache.parent.write_text("no cache")
    forget()
    alone = compiled()
    cache.parent.unlink()
    forget()
    assert compiled() == alone and len(made) == 3  # the header's own unit too
    forget()
    assert compiled() == alone and len(made) == 4
    (header,) = scratch.glob("*.pch")
    with pytest.raises(toolchain.CompileError):
        toolchain.compile_native("broken")
    assert not header.exists()
    assert compiled() == alone and header.exists() and len(made) == 6
