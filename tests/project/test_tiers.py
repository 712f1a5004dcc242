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

@pytest.mark.long
def test_long():
    pass

@pytest.mark.nightly
def test_nightly():
    pass

@pytest.mark.sampled
@pytest.mark.parametrize("page", range(40))
def test_page(page):
    pass

@pytest.mark.process
@pytest.mark.parametrize("page", range(400))
def test_many(page):
    pass
"""

REFUSED = {"fixture", "popen", "system", "fork", "port", "compile"}
SKIPS = {"skip", "skip_if", "expected", "unexpected"}
PLAIN = {"numbers", "pair", "page"} | REFUSED | SKIPS


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
    for name, outcome in re.findall(r"::test_(\w+(?:\[\d+\])?) (\w+)", done.stdout):
        found.setdefault("FAILED" if outcome == "ERROR" else outcome, set()).add(name)
    assert found, done.stdout + done.stderr
    return found


def names(found: dict[str, set[str]]) -> set[str]:
    """The tests that ran, without what they were repeated for."""
    return {name.partition("[")[0] for name in set.union(*found.values())}


@pytest.mark.process
def test_a_plain_run_takes_unmarked_tests_and_a_share(tmp_path: Path) -> None:
    first, again, other = (outcomes(tmp_path, "--sample", sample) for sample in ("a", "a", "b"))
    assert first == again
    assert names(first) - {"marked", "marked_port", "many", "gpu"} == PLAIN
    for found in (first, other):
        pages = {name for name in found["PASSED"] if name.startswith("page")}
        many = {name for name in found["PASSED"] if name.startswith("many")}
        assert len(pages) == 10 and 0 < len(many) < 50
    assert first["PASSED"] != other["PASSED"]


@pytest.mark.process
def test_an_unmarked_test_that_does_too_much_fails(tmp_path: Path) -> None:
    found = outcomes(tmp_path)
    assert found["FAILED"] == REFUSED
    assert {"numbers", "pair"} <= found["PASSED"] and {"skip", "skip_if"} <= found["SKIPPED"]


@pytest.mark.process
def test_everything_runs_if_asked_or_named(tmp_path: Path) -> None:
    everything = outcomes(tmp_path, "--all")
    assert names(everything) == PLAIN | {"marked", "marked_port", "many", "gpu", "long", "nightly"}
    assert outcomes(tmp_path, "test_suite.py") == everything
    assert names(outcomes(tmp_path, "-m", "long")) == {"long"}


@pytest.mark.process
def test_no_skips(tmp_path: Path) -> None:
    found = outcomes(tmp_path, "--all", "--no-skips")
    assert found["FAILED"] == REFUSED | SKIPS
    assert {"numbers", "pair", "marked", "marked_port"} <= found["PASSED"]
    # Without a GPU that one test is excused.
    assert found.get("SKIPPED", set()) | found["PASSED"] >= {"gpu"}
