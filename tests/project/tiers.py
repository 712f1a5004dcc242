"""Tiers of tests, held: what an unmarked test may not do, `--fast`, and `--no-skips`.

A test without a mark is fast: it starts no process, opens no port and compiles nothing. One that does so
all the same fails, whatever becomes of the exception it gets.
"""

from __future__ import annotations

import os
import sys
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
    "train",
    "frameworks",
    "cluster",
    "store",
    "hub",
    "gpu",
)
FAST = " and ".join(f"not {mark}" for mark in MARKS)
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
    group.addoption("--fast", action="store_true", help="only tests without a mark: no process, no compiler")
    group.addoption("--no-skips", action="store_true", help="a skip or an expected failure is a failure")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.fast:
        config.option.markexpr = FAST
    # A hook cannot be removed again, and pytest is all that runs in this process.
    sys.addaudithook(guard.hear)
    for name in COMPILERS:
        guard.watch(warp_build, name)


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        definitions = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009 (pytest's own way in)
        for fixture, mark in MARKED_FIXTURES.items():
            # A file may have a fixture of the same name that starts nothing.
            if fixture in definitions and "test_" not in definitions[fixture][-1].baseid:
                item.add_marker(mark)
        if marked(item, "gpu") and not GPU.exists():
            item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU"))


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
