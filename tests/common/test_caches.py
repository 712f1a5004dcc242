"""Where the cache lies, and which versions its content is of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from warp_ir_dataset.common import versions
from warp_ir_dataset.common.caches import root
from warp_ir_dataset.common.errors import UserError


def test_the_cache_lies_where_it_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARP_IR_CACHE", "/somewhere")
    assert root() == Path("/somewhere")
    monkeypatch.delenv("WARP_IR_CACHE")
    monkeypatch.setenv("HF_HOME", "/hf")
    assert root() == Path("/hf/warp_ir")
    monkeypatch.delenv("HF_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert root() == Path("/xdg/huggingface/warp_ir")
    for name in ("WARP_IR_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "")  # as if it were not set
    monkeypatch.setenv("HOME", "/me")
    assert root() == Path("/me/.cache/huggingface/warp_ir")
    monkeypatch.setenv("HF_HOME", "$HOME/hf")
    assert root() == Path("/me/hf/warp_ir")
    monkeypatch.setenv("WARP_IR_CACHE", "~/${HF_HOME}x")
    assert root() == Path("/me/$HOME/hfx")
    monkeypatch.setenv("WARP_IR_CACHE", "~nobody-of-this-name/x")
    with pytest.raises(UserError, match="WARP_IR_CACHE is '~nobody-of-this-name/x', and there is no such"):
        root()


def test_a_source_changes_with_what_makes_rows_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "PACKAGE", tmp_path)
    for folder in ("builds", "common", "compilers", "language", "proof", "synthesis", "publishing"):
        (tmp_path / folder).mkdir()
    versions.source.cache_clear()

    def changed(path: str, text: str | None) -> bool:
        before = versions.source()
        file = tmp_path / path
        file.unlink() if text is None else file.write_text(text)
        versions.source.cache_clear()
        return versions.source() != before

    assert versions.source().startswith(f"{versions.GENERATOR_VERSION} ")
    for folder in ("builds", "common", "compilers", "language", "proof", "synthesis"):
        assert changed(f"{folder}/a.py", "x = 1") and changed(f"{folder}/a.py", "x = 2")
    assert changed("builds/b.json", "{}") and changed("builds/c.txt", "a") and changed("builds/c.txt", None)
    assert not changed("publishing/a.py", "x = 1") and not changed("builds/a.pyc", "x = 1")
    shutil.move(tmp_path / "builds/b.json", tmp_path / "builds/d.json")
    versions.source.cache_clear()
    assert versions.source(("builds",)) != versions.source(("common",))
    versions.source.cache_clear()


def test_only_the_known_minor_version_of_warp_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for good in (f"{versions.WARP_MINOR}.0", f"{versions.WARP_MINOR}.7.dev1"):
        monkeypatch.setattr("importlib.metadata.version", lambda name, good=good: good)
        assert versions.warp_version() == good
    for bad in ("0.9.9", f"{versions.WARP_MINOR}0.0", f"1{versions.WARP_MINOR}.0", "99.0.0"):
        with pytest.raises(UserError, match=versions.WARP_MINOR):
            versions.check_warp(bad)
