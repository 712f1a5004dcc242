"""Builds that are killed, stopped, out of disk or out of memory: one line, nothing left, the same bytes."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from toys import rows as toy_rows
from toys.engines import PROVER, HereEngine

from warp_ir_dataset.api import build, finish, plan
from warp_ir_dataset.builds.engine import LocalEngine
from warp_ir_dataset.builds.output.manifest import PLAN
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common import files
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.workers.pool import Fault

REQUEST = Request("cpu", 300, 3)
ARGUMENTS = ("--config", "cpu", "--num-kernels", "300", "--seed", "3", "--batch-size", "5", "--workers", "2")
LINE = "warp-ir: stopped: the same command goes on from here\n"
ENOUGH = 120.0  # seconds to wait for what ought to happen soon

COMMAND = "import sys; from toys import rows; sys.exit(rows.main(sys.argv[1:]))"
REAL = """
import sys
from functools import partial
from toys.unchecked import TOLD
from warp_ir_dataset import cli
from warp_ir_dataset.builds.engine import LocalEngine, Prover, compilers
engine = partial(LocalEngine, prover=Prover(TOLD, compilers))
sys.exit(cli.main(sys.argv[1:], engine=engine))
"""


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def made(folder: Path) -> dict[str, bytes]:
    build(REQUEST, folder, engine=HereEngine(), planner=toy_rows.make_plan, quiet=True)
    return contents(folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return made(tmp_path_factory.mktemp("whole") / "out")


@pytest.fixture
def diary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOY_DIARY", str(tmp_path / "diary"))
    return tmp_path / "diary"


@contextmanager
def command(out: Path, script: str = COMMAND, *options: str) -> Iterator[subprocess.Popen[str]]:
    """`warp-ir build` at work."""
    with started("build", str(out), *ARGUMENTS, *options, script=script) as process:
        yield process


@contextmanager
def started(*arguments: str, script: str = COMMAND) -> Iterator[subprocess.Popen[str]]:
    """A command at work, in a session of its own."""
    here = Path(__file__).parents[1]
    with subprocess.Popen(
        [sys.executable, "-c", script, *arguments, "--quiet"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(here), str(here.parent)))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until(condition: Callable[[], object], process: subprocess.Popen[str]) -> bool:
    """Whether the condition came to hold before the process ended."""
    deadline = time.monotonic() + ENOUGH
    while process.poll() is None:
        if condition():
            return True
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return False


def files_in(folder: Path) -> int:
    """How many files a folder holds just now: those of a build at work come and go, folders too."""
    return sum(len(names) for _, _, names in os.walk(folder))


def proved_again(diary: Path) -> int:
    """How many candidates were begun more than once, each time counted."""
    names = [name for line in diary.read_text().splitlines() for name in line.split()[2:]]
    return len(names) - len(set(names))


@pytest.mark.process
def test_a_build_killed_at_random_moments_gives_the_same_bytes(
    whole: dict[str, bytes], diary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And never loses more than one batch of each of its two workers."""
    monkeypatch.setenv("TOY_SECONDS", "0.02")
    chance, killed, finished = random.Random(11), 0, 0
    for at in range(2):
        out = tmp_path / str(at)
        diary.unlink(missing_ok=True)
        before = killed
        for when in range(3):
            target = chance.randrange(1, 40)

            def reached(out: Path = out, target: int = target, when: int = when) -> bool:
                if when == 1:
                    return any(out.glob("cpu/*.parquet"))
                return files_in(out) >= target

            with command(out) as process:
                if wait_until(reached, process):
                    os.killpg(process.pid, signal.SIGKILL)
                    killed += 1
                    finished += any(out.glob("cpu/*.parquet"))
        assert made(out) == whole
        assert proved_again(diary) <= (killed - before) * 2 * 5
    assert killed and finished


@pytest.mark.process
def test_three_parts_at_once_give_the_same_bytes(
    whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them is killed while the others work, and goes on; one is begun twice."""
    out = tmp_path / "out"
    monkeypatch.setenv("TOY_SECONDS", "0.3")
    plan(REQUEST, out, engine=HereEngine(), planner=toy_rows.make_plan)
    with ExitStack() as stack:
        parts = [
            stack.enter_context(started("build", str(out), "--shard", f"{part}/3", "--workers", "1"))
            for part in (0, 1, 2, 1)
        ]
        assert wait_until(lambda: any(out.glob(".plan/cpu/*/*.unit")), parts[0])
        os.killpg(parts[0].pid, signal.SIGKILL)
        ends = [process.wait(ENOUGH) for process in parts]
    assert ends[0] == -signal.SIGKILL and ends[2] == 0
    assert sorted((ends[1], ends[3])) in ([0, 0], [0, 2])  # one fills a part, or one after the other
    with pytest.raises(UserError, match="--shard 0/3"):
        finish(out, engine=HereEngine(), quiet=True)
    with started("build", str(out), "--shard", "0/3") as process:
        assert process.wait(ENOUGH) == 0
    finish(out, engine=HereEngine(), quiet=True)
    assert contents(out) == whole


@pytest.fixture
def hang_up() -> Iterator[None]:
    """Children end at SIGHUP, also where the tests run under `nohup`, which they would inherit."""
    kept = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, kept)


@pytest.mark.process
def test_a_build_that_is_told_to_end_says_so_and_leaves_nothing_behind(
    whole: dict[str, bytes],
    diary: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hang_up: None,
) -> None:
    monkeypatch.setenv("TOY_SECONDS", "0.2")
    out, temporary = tmp_path / "out", tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    for number in (signal.SIGTERM, signal.SIGHUP):
        kept = set(out.glob(f"{PLAN}/cpu/*/*"))
        with command(out) as process:
            assert wait_until(lambda kept=kept: set(out.glob(f"{PLAN}/cpu/*/*.unit")) - kept, process)
            assert any(temporary.iterdir())
            process.send_signal(number)
            said = process.communicate(timeout=ENOUGH)
        assert (process.returncode, said) == (128 + number, ("", LINE))
        assert not any(temporary.iterdir())
        workers = {int(line.split()[0]) for line in diary.read_text().splitlines()}
        assert workers and not any(Path(f"/proc/{pid}").exists() for pid in workers)
    monkeypatch.delenv("TOY_SECONDS")
    assert made(out) == whole


@pytest.fixture(scope="module")
def writes(tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many files an undisturbed build writes."""
    count = 0

    def fsync(descriptor: int) -> None:
        nonlocal count
        count += 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files.os, "fsync", fsync)
        made(tmp_path_factory.mktemp("writes") / "out")
    return count


@pytest.mark.parametrize("share", [0.02, 0.05, 0.25, 0.75, 1.0])
def test_a_full_disk_is_one_line_and_costs_nothing(
    share: float, writes: int, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file is the first that has no room: a unit, a file, the manifest, the card."""
    out, left = tmp_path / "out", iter(range(round(share * (writes - 1))))

    def fsync(descriptor: int) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", fsync)
        with pytest.raises(UserError) as full:
            made(out)
    assert str(full.value).startswith(f"cannot write {out}/")
    assert str(full.value).endswith(": No space left on device: make room, and run the same command again")
    assert not [path for path in out.rglob("*") if path.suffix == ".tmp"]
    assert made(out) == whole


@pytest.mark.process
def test_a_worker_killed_for_its_memory_changes_no_byte(
    whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victims, out = tmp_path / "victims", tmp_path / "out"
    victims.mkdir()
    monkeypatch.setenv("TOY_VICTIMS", str(victims))
    engine = LocalEngine(2, batch_size=20, prover=PROVER)
    for name in ("3.running", "40.compiling", "41.running"):
        (victims / name).touch()
    build(REQUEST, out, engine=engine, planner=toy_rows.make_plan, quiet=True)
    assert not any(victims.iterdir())
    assert contents(out) == whole


@pytest.mark.process
def test_a_kernel_that_twice_takes_all_memory_is_named_and_nothing_else_lost(
    whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victims, out = tmp_path / "victims", tmp_path / "out"
    victims.mkdir()
    monkeypatch.setenv("TOY_VICTIMS", str(victims))
    for step in ("compiling", "running"):
        (victims / f"3.{step}").touch()
    engine = LocalEngine(1, batch_size=1, prover=PROVER)
    with pytest.raises(Fault, match=r"^kernel 3/purpose_3/3: .*SIGKILL.*running.*--workers"):
        build(REQUEST, out, engine=engine, planner=toy_rows.make_plan, quiet=True)
    assert made(out) == whole


@pytest.mark.compile
@pytest.mark.long
def test_a_build_of_real_rows_killed_ten_times_gives_the_same_bytes(diary: Path, tmp_path: Path) -> None:
    small = ("--num-kernels", "60", "--batch-size", "6")
    begin = time.monotonic()
    with command(tmp_path / "whole", REAL, *small) as process:
        assert process.communicate()[1] == "" and process.returncode == 0
    seconds = time.monotonic() - begin
    undisturbed = contents(tmp_path / "whole")
    chance, killed, finished, number = random.Random(7), 0, 0, 0
    while killed < 10:
        out, before = tmp_path / str(number), killed
        number += 1
        diary.unlink()
        done = False
        while not done:
            at = time.monotonic() + chance.uniform(0, seconds / 2)
            shards = set(out.glob("cpu/*.parquet"))

            def reached(out: Path = out, at: float = at, odd: int = killed % 2, there: set = shards) -> bool:
                """At any moment, and in turn just when a shard is finished."""
                return set(out.glob("cpu/*.parquet")) > there if odd else time.monotonic() > at

            with command(out, REAL, *small) as process:
                if killed < 10 and wait_until(reached, process):
                    os.killpg(process.pid, signal.SIGKILL)
                    killed += 1
                    finished += any(out.glob("cpu/*.parquet"))
                else:
                    assert process.communicate()[1] == ""
                    done = process.returncode == 0
        assert contents(out) == undisturbed
        assert not diary.exists() or proved_again(diary) <= (killed - before) * 2 * 6
    assert finished
