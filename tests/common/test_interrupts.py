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
from warp_ir_dataset.common.interrupts import Ended, ignore_from_here, stopping_at_once, stopping_in_order


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    """As a terminal starts a process: `nohup` ignores SIGHUP, and a shell SIGINT for what runs behind it."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    kept = {number: signal.signal(number, action) for number, action in usual.items()}
    yield
    for number, action in kept.items():
        signal.signal(number, action)


def press(number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_while_modules_are_imported_it_ends_the_process(
    number: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Exited(Exception):
        pass

    def end(status: int) -> NoReturn:
        raise Exited(status)

    monkeypatch.setattr(interrupts.os, "_exit", end)
    with pytest.raises(Exited, match=str(128 + number)), stopping_at_once():
        press(number)
        pytest.fail("it went on")
    assert capfd.readouterr().err == "warp-ir: stopped\n"
    with pytest.raises(KeyboardInterrupt):
        press()


def test_a_handler_of_somebody_else_stays() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with stopping_at_once():
        press()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_library_that_raises_its_own_does_not_change_the_status(number: int) -> None:
    with pytest.raises(Ended) as ended, stopping_in_order():
        try:
            press(number)
        except KeyboardInterrupt:
            raise KeyboardInterrupt from None
    assert ended.value.status == 128 + number
    with pytest.raises(KeyboardInterrupt) as pressed, stopping_in_order():
        press()
    assert not isinstance(pressed.value, Ended)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_is_at_work_is_unwound_and_not_interrupted_again(number: int) -> None:
    unwound = []
    with pytest.raises(Ended) as ended, stopping_in_order():
        try:
            press(number)
            pytest.fail("it went on")
        finally:
            for again in (signal.SIGTERM, signal.SIGHUP):
                press(again)
            unwound.append(number)
    assert unwound and ended.value.status == 128 + number
    assert isinstance(ended.value, KeyboardInterrupt)  # what cleans up after a Ctrl-C does so here
    assert all(signal.getsignal(each) is signal.SIG_DFL for each in (signal.SIGTERM, signal.SIGHUP))


def test_a_command_under_nohup_goes_on() -> None:
    kept = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        for context in (stopping_in_order, stopping_at_once):
            with context():
                press(signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, kept)


def test_a_terminal_that_is_gone_hears_nothing() -> None:
    """It may be closed at any time, and what is said to it must not stand in the way of the end."""
    keyboard, screen = os.openpty()
    kept = os.dup(2)
    try:
        os.dup2(screen, 2)
        os.close(screen)
        os.close(keyboard)
        with pytest.raises(OSError, match="Input/output"):
            os.write(2, b"lost")
        with pytest.raises(Ended), stopping_in_order():
            press(signal.SIGHUP)
        os.write(2, b"lost as well")
    finally:
        os.dup2(kept, 2)
        os.close(kept)


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
    "where", ["cli", "argparse", "pyarrow.parquet", "numpy", "builds.output.build", "api"]
)
def test_a_command_that_is_stopped_while_it_imports_is_one_line(where: str) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTING, where], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "warp-ir: stopped\n")
