"""What somebody sees who loads a config."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from toys import rows as toy_rows
from toys.engines import HereEngine

from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.loading import bars, cache
from warp_ir_dataset.loading.maker import Maker, made_by
from warp_ir_dataset.loading.urls import encode, shards
from warp_ir_dataset.publishing.card import default_card

REQUEST = Request(seed=3)  # twelve shards of 80 rows for training, and four of 60
TITLE = "Synthesizing cuda"

LOAD = """
import sys
from datasets import load_dataset
from toys import rows
from toys.engines import HereEngine
from warp_ir_dataset.loading.builder import WarpIR
from warp_ir_dataset.loading.maker import Maker, made_by
with made_by(Maker(HereEngine(), rows.make_plan)):
    if sys.argv[1] == "builder":
        WarpIR("cuda").download_and_prepare()
    elif sys.argv[1] == "stream":
        assert len(list(load_dataset("./warp_ir_dataset", "cuda", split="train", streaming=True))) == 960
    else:
        load_dataset("./warp_ir_dataset", "cuda")
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(bars, "_announced", set())
    monkeypatch.setattr(bars, "_turns", {})
    with made_by(Maker(HereEngine(), toy_rows.make_plan)):
        yield


def remains(text: str) -> list[str]:
    """The lines that a terminal shows in the end: what stands behind the last carriage return of each."""
    lines = (line.rpartition("\r")[2].rstrip() for line in text.replace("\r\n", "\n").split("\n"))
    return [line for line in lines if line]


def test_all_shards_of_a_config_are_one_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    for shard in shards(REQUEST):
        cache.fetch(shard, whole=True)
    line, failed = remains(sys.stderr.getvalue())  # type: ignore[attr-defined]
    assert re.fullmatch(rf"{TITLE}: [1-9]\d* candidates failed their proof and were replaced", failed)
    assert line.startswith(f"{TITLE}: 100%|") and "1200/1200" in line


def test_what_is_in_the_cache_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = shards(REQUEST)
    cache.fetch(others.pop(), quiet=True)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    for shard in (first, *others):
        cache.fetch(shard, whole=True)
    start, end = sys.stderr.getvalue().splitlines()
    assert start == f"{TITLE}: 1,140 rows to make"
    assert end.startswith(f"{TITLE}: all 1,200 rows are there, after ")


def test_of_a_stream_nothing_remains_and_a_log_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    for shard in shards(REQUEST)[:2]:
        cache.fetch(shard)
    assert "Synthesizing cuda/train 2/12" in sys.stderr.getvalue() and not remains(sys.stderr.getvalue())
    bars._announced.clear()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    for shard in shards(REQUEST)[2:]:
        cache.fetch(shard)
    assert sys.stderr.getvalue().splitlines() == ["Synthesizing cuda/train 3/12: 80 rows to make"]


def test_of_several_processes_one_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bars, cache):
        monkeypatch.setattr(module, "is_one_of_several", lambda: True)
    monkeypatch.setattr(sys, "stderr", Terminal())
    first, second, third, *_ = shards(REQUEST)
    turn = cache.root() / encode(REQUEST) / "bar.lock"
    turn.parent.mkdir(parents=True)
    with FileLock(turn):
        cache.fetch(first, whole=True)
        assert sys.stderr.getvalue() == ""
    cache.fetch(second, whole=True)
    assert "80/1200" in sys.stderr.getvalue()
    with pytest.raises(TimeoutError):
        FileLock(turn).acquire(timeout=0)
    cache.fetch(third, whole=True)
    assert "160/1200" in sys.stderr.getvalue()
    bars._turns[turn].release()


# ---- through `datasets`, which has bars of its own


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout" / "warp_ir_dataset"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(default_card())
    return folder.parent


def command(door: str, checkout: Path) -> tuple[list[str], dict[str, str]]:
    environment = {
        **os.environ,
        "HF_HOME": str(checkout.parent / "home"),
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "0",
        "USE_TORCH": "0",  # which `datasets` imports for two seconds where rows are streamed
        "PYTHONPATH": os.pathsep.join(os.path.abspath(entry) for entry in sys.path),
    }
    return [sys.executable, "-c", LOAD, door], environment


@pytest.mark.process
@pytest.mark.parametrize(
    ("door", "ours"), [("load", 2), pytest.param("builder", 2, marks=pytest.mark.long), ("stream", 1)]
)
def test_a_log_has_six_lines_at_most(door: str, ours: int, checkout: Path) -> None:
    arguments, environment = command(door, checkout)
    done = subprocess.run(arguments, cwd=checkout, env=environment, capture_output=True)
    text = done.stderr.decode()
    assert done.returncode == 0, text
    shown = remains(text)
    assert len(shown) <= 6 and len([line for line in shown if "Synthesizing" in line]) == ours
    assert not re.search("Downloading|left", text)


@pytest.mark.process
@pytest.mark.parametrize(
    ("door", "ours"), [("load", 1), pytest.param("builder", 1, marks=pytest.mark.long), ("stream", 0)]
)
def test_a_terminal_keeps_six_lines_at_most(door: str, ours: int, checkout: Path) -> None:
    arguments, environment = command(door, checkout)
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    with subprocess.Popen(arguments, cwd=checkout, env=environment, stdout=writer, stderr=writer) as process:
        os.close(writer)
        text = b""
        try:
            while piece := os.read(reader, 1 << 16):
                text += piece
        except OSError:  # it has ended
            pass
    os.close(reader)
    shown = remains(text.decode())
    assert process.returncode == 0 and len(shown) <= 6, shown
    assert len([line for line in shown if "Synthesizing" in line and "%" in line]) == ours
    assert "Downloading" not in text.decode()
