"""Tiers of tests: which tests a plain `pytest` runs, what an unmarked test may not do, and `--no-skips`.

A plain `pytest` takes minutes and needs the extra `[dev]` alone. It runs all tests without a mark, a share of
those that are repeated for many templates or families (`sampled`), and a smaller share of those that start
processes or compilers. The hash of the commit chooses the shares, so that each commit is tested on others;
`--sample` chooses the same ones again, and `--all` runs everything. A command that names files, or chooses by
`-k` or `-m`, gets all that it names.

A test without a mark starts no process, opens no port and compiles nothing. One that does so all the same
fails, whatever becomes of the exception it gets.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import pytest
from warp._src import build as warp_build

MARKS = (
    "process",
    "compile",
    "folder",
    "slow",
    "long",
    "nightly",
    "hub",
    "gpu",
)
SAMPLED = 4  # a plain run has one of so many tests that are repeated for many templates or families,
MARKED = 20  # and one of so many that start processes or compilers
GPU = Path("/dev/nvidiactl")

# Fixtures of `conftest.py` that start worker processes, or a server.
MARKED_FIXTURES = {"toys": "process", "desk": "hub"}

# What Python tells its audit hooks before it does it.
PROCESS_EVENTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec"}
PORT_EVENTS = {"socket.bind", "socket.connect"}
COMPILERS = ("build_cpu", "build_cuda")
# What libraries ask the machine once: Warp for its processor, matplotlib for its fonts.
QUESTIONS = {"uname", "fc-list"}


class Guard:
    """Refuses what the running test may not do, and remembers that it tried."""

    def __init__(self) -> None:
        self.allowed = True  # outside of tests
        self.tried: list[str] = []

    def refuse(self, what: str) -> NoReturn:
        self.tried.append(what)
        raise PermissionError(f"a test without a mark may not {what}")

    def hear(self, event: str, arguments: tuple) -> None:
        if self.allowed:
            return
        if event in PROCESS_EVENTS and not _is_question(event, arguments):
            self.refuse(f"start a process ({event})")
        # Sockets between a process and its threads have no address of the network.
        if event in PORT_EVENTS and isinstance(arguments[1], tuple):
            self.refuse(f"use a port ({event} {arguments[1]})")

    def watch(self, owner: Any, name: str) -> None:
        function = getattr(owner, name)

        @wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            if not self.allowed:
                self.refuse(f"compile ({name})")
            return function(*args, **kwargs)

        setattr(owner, name, guarded)


def _is_question(event: str, arguments: tuple) -> bool:
    return event == "subprocess.Popen" and os.path.basename(os.fsdecode(arguments[0])) in QUESTIONS


guard = Guard()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tiers")
    group.addoption("--all", action="store_true", help="all tests, not those of minutes alone")
    group.addoption("--sample", metavar="TEXT", help="chooses the share (default: the hash of the commit)")
    group.addoption("--no-skips", action="store_true", help="a skip or an expected failure is a failure")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.sample is None:
        config.option.sample = _commit(config.rootpath)
    # A hook cannot be removed again, and pytest is all that runs in this process.
    sys.addaudithook(guard.hear)
    for name in COMPILERS:
        guard.watch(warp_build, name)


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.option.all or _named(config):
        return None
    return f"a share of all tests, chosen by --sample {config.option.sample} (--all runs everything)"


def _commit(folder: Path) -> str:
    """The hash of the commit that is checked out, or a constant where there is none."""
    command = ["git", "-C", str(folder), "rev-parse", "--short=12", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "0"


def _share(items: list[pytest.Item], sample: str) -> set[pytest.Item]:
    """The tests of a plain run.

    Of each test that is repeated a share stays, and never none, so that no test is left out by chance.
    """
    kept: set[pytest.Item] = set()
    repeated: dict[tuple[Path, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if marked(item, "slow", "long", "nightly"):
            continue
        if marked(item, "gpu"):
            kept.add(item)
        elif marked(item, *MARKS):
            if _draw(item, sample) % MARKED == 0:
                kept.add(item)
        elif marked(item, "sampled"):
            repeated[item.path, getattr(item, "originalname", item.name)].append(item)
        else:
            kept.add(item)
    for group in repeated.values():
        many = -(-len(group) // SAMPLED)
        kept |= set(sorted(group, key=lambda item: _draw(item, sample))[:many])
    return kept


def _draw(item: pytest.Item, sample: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{sample} {item.nodeid}".encode()).digest()[:8], "big")


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        definitions = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009 (pytest's own way in)
        for fixture, mark in MARKED_FIXTURES.items():
            # A file may have a fixture of the same name that starts nothing.
            if fixture in definitions and "test_" not in definitions[fixture][-1].baseid:
                item.add_marker(mark)
        if marked(item, "gpu") and not GPU.exists():
            item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU"))
    if config.option.all or _named(config):
        return
    kept = _share(items, config.option.sample)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def _named(config: pytest.Config) -> bool:
    """Whether the command names tests or files: then it means all of these."""
    given = config.args_source is pytest.Config.ArgsSource.ARGS
    return bool(given or config.option.markexpr or config.option.keyword)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    guard.tried.clear()
    guard.allowed = marked(item, *MARKS)
    try:
        return (yield)
    finally:
        guard.allowed = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[pytest.TestReport]:
    report = yield
    if guard.tried and report.when == "teardown":
        fail(report, f"{item.nodeid} has no mark, and tried to {', '.join(guard.tried)}")
    expected = report.skipped or hasattr(report, "wasxfail")
    excused = marked(item, "gpu") and not GPU.exists()
    if item.config.option.no_skips and expected and not excused:
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else "an expected failure"
        fail(report, f"--no-skips: {why}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[pytest.CollectReport]:
    report = yield
    if report.skipped and collector.config.option.no_skips:
        fail(report, f"--no-skips: {report.longrepr}")
    return report


def marked(item: pytest.Item, *marks: str) -> bool:
    # Not by `keywords`: those hold the names of files and folders too, and one folder is called hub.
    return any(marker.name in marks for marker in item.iter_markers())


def fail(report: Any, why: str) -> None:
    vars(report).pop("wasxfail", None)
    report.outcome, report.longrepr = "failed", why
