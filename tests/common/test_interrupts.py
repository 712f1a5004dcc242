from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import NoReturn

import pytest

from warp_ir_dataset.common import interrupts
from warp_ir_dataset.common.interrupts import ignore_from_here, stopping_at_once


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    kept = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, kept)


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_while_modules_are_imported_it_ends_the_process(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Ended(Exception):
        pass

    def end(status: int) -> NoReturn:
        raise Ended(status)

    monkeypatch.setattr(interrupts.os, "_exit", end)
    with pytest.raises(Ended, match="130"), stopping_at_once():
        press()
        pytest.fail("it went on")
    assert capfd.readouterr().err == "warp-ir: stopped: the same command goes on from here\n"
    with pytest.raises(KeyboardInterrupt):
        press()


def test_a_handler_of_somebody_else_stays() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with stopping_at_once():
        press()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_another_thread_has_no_say() -> None:
    def other() -> None:
        with stopping_at_once():
            seen.append(signal.getsignal(signal.SIGINT))
        ignore_from_here()

    seen: list[object] = []
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler] == [signal.getsignal(signal.SIGINT)]


def test_when_all_is_done_it_does_nothing() -> None:
    ignore_from_here()
    press()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


IMPORTING = """
import builtins, os, signal, sys
real, (where,) = builtins.__import__, sys.argv[1:]
def importing(name, *rest):
    if name.endswith(where):
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *rest)
builtins.__import__ = importing
from warp_ir_dataset.__main__ import main
sys.argv[1:] = ["build", "/nowhere/at/all"]
sys.exit(main())
"""


@pytest.mark.process
@pytest.mark.parametrize(
    "where", ["cli", "argparse", "pyarrow.parquet", "numpy", "builds.output.folder", "api"]
)
def test_a_command_that_is_stopped_while_it_imports_is_one_line(where: str) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTING, where], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "warp-ir: stopped: the same command goes on from here\n")
