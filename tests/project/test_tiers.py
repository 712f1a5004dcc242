"""The tiers are held: by tests of tests, in a process of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

SUITE = """
import os
import socket
import subprocess
import sys
from multiprocessing import get_context

import pytest

@pytest.fixture(scope="session")
def child():
    return subprocess.run([sys.executable, "-c", ""]).returncode

def test_numbers():
    assert 1 + 1 == 2

def test_fixture(child):
    pass

def test_popen():
    try:
        subprocess.run([sys.executable, "-c", ""])
    except PermissionError:
        pass  # hiding it does not help

def test_system():
    os.system("true")

def test_fork():
    get_context("fork").Process(target=print).start()

def test_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))

def test_pair():
    for end in socket.socketpair():
        end.close()

def test_compile():
    import warp as wp
    @wp.kernel
    def nothing(a: wp.array(dtype=float)):
        a[0] = 1.0
    wp.launch(nothing, dim=1, inputs=[wp.zeros(1, device="cpu")], device="cpu")

@pytest.mark.process
def test_marked():
    assert subprocess.run([sys.executable, "-c", ""]).returncode == 0

@pytest.mark.hub
def test_marked_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))

def test_skip():
    pytest.skip("not today")

@pytest.mark.skipif(True, reason="not here")
def test_skip_if():
    pass

@pytest.mark.xfail
def test_expected():
    assert False

@pytest.mark.xfail
def test_unexpected():
    pass

@pytest.mark.gpu
def test_gpu():
    pass
"""

REFUSED = {"fixture", "popen", "system", "fork", "port", "compile"}
SKIPS = {"skip", "skip_if", "expected", "unexpected"}
FAST = {"numbers", "pair"} | REFUSED | SKIPS


def outcomes(folder: Path, *options: str) -> dict[str, set[str]]:
    """Names of tests by their outcome; ``FAILED`` holds those with errors too."""
    (folder / "test_suite.py").write_text(SUITE)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-p",
        "project.tiers",
        "-p",
        "no:cacheprovider",
        *options,
    ]
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "WARP_CACHE_PATH": str(folder / "warp")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    found: dict[str, set[str]] = {}
    for name, outcome in re.findall(r"::test_(\w+) (\w+)", done.stdout):
        found.setdefault("FAILED" if outcome == "ERROR" else outcome, set()).add(name)
    assert found, done.stdout + done.stderr
    return found


@pytest.mark.process
def test_an_unmarked_test_that_does_too_much_fails(tmp_path: Path) -> None:
    found = outcomes(tmp_path, "--fast")
    assert found["FAILED"] == REFUSED
    assert set.union(*found.values()) == FAST
    assert {"numbers", "pair"} <= found["PASSED"] and found["SKIPPED"] == {"skip", "skip_if"}


@pytest.mark.process
def test_no_skips(tmp_path: Path) -> None:
    found = outcomes(tmp_path, "--no-skips")
    assert found["FAILED"] == REFUSED | SKIPS
    assert {"numbers", "pair", "marked", "marked_port"} <= found["PASSED"]
    # Without a GPU that one test is excused.
    assert found.get("SKIPPED", set()) | found["PASSED"] >= {"gpu"}
