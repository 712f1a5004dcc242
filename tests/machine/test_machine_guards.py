"""The machine trusts no flag: without one of clang's, its own test fails, and there is no verdict."""

from __future__ import annotations

import numpy as np
import pytest
from machine.attacks import FOUND
from machine.right import RIGHT
from machine.runs import launch
from machine.wrong import WRONG

from warp_ir_dataset.common.errors import Failure, UserError
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.cage.job import Launches, Limits
from warp_ir_dataset.judge.launches import Launcher, first_error
from warp_ir_dataset.machine import check, selftest, text

pytestmark = [pytest.mark.process, pytest.mark.compile]

# What tells no access and guards none: clang's messages are shorter by them, or its work.
IMMATERIAL = {
    "-fno-caret-diagnostics",
    "-Wno-everything",
    "-fpch-instantiate-templates",
    "-dwarf-version=4",  # clang's own choice
}


def flags() -> list[str]:
    """What `warp.build_announced` can leave out: each flag, and each kind of check."""
    found: list[str] = []
    words = iter(warp.ANNOUNCED.split())
    for word in words:
        if word in ("-x", "-mllvm"):
            found.append(f"{word} {next(words)}")
        elif "," in word:
            first, *others = word.partition("=")[2].split(",")
            found += [f"{first},", *(f",{each}" for each in others)]
        else:
            found.append(word)
    return found


@pytest.fixture(scope="module")
def cage():
    with Cage() as found:
        yield found


def outcome(cage: Cage, without: str | None) -> str | None:
    flags = {} if without is None else {"without": without}
    job = check.job(selftest.TEXT, selftest.probes(), 0, flags=flags)
    try:
        limits = Limits(load_seconds=10.0, run_seconds=3.0, load_bytes=16 << 30, run_bytes=16 << 30)
        ended = cage.launch(Launches(job.wanted, limits), job.pages)
        if ended.end != "ran":
            return ended.end
        wrong = selftest.failing(check.seen(job, text.named_back(ended.said)))
        for name, wanted in selftest.refused(job.wanted).items():
            if wrong is None and cage.launch(Launches(wanted, limits), job.pages).end != "refused":
                wrong = name
        return wrong
    finally:
        job.close()


def test_every_flag_is_there_and_immaterial_ones_are(cage):
    assert set(flags()) > IMMATERIAL
    for flag in IMMATERIAL:
        assert outcome(cage, flag) is None


def test_the_whole_machine_passes(cage):
    assert outcome(cage, None) is None


@pytest.mark.parametrize("flag", [each for each in flags() if each not in IMMATERIAL])
def test_without_a_flag_the_machine_fails_its_test(cage, flag):
    assert outcome(cage, flag) is not None


AUDIT = "-fsanitize-coverage-trace-loads -fsanitize-coverage-trace-stores"


def audited(cage: Cage, text: str, launches: list[check.Launch], **flags: str) -> list[check.Seen]:
    job = check.job(text, launches, 0, flags={"more": AUDIT, **flags})
    try:
        assert cage.launch(Launches(job.wanted), job.pages).end == "ran"
        return check.seen(job)
    finally:
        job.close()


@pytest.mark.slow
def test_every_access_is_announced(cage):
    """Another pass of clang's announces all loads and stores: none of them was left out. Its calls keep clang
    from two ways of leaving out, which flags forbid and the machine's own test looks for."""
    kernels = [*RIGHT.values()] + [draw for draw, kind in WRONG.values() if kind != "hang"]
    seen = 0
    for draw in kernels:
        drawn = draw(np.random.default_rng(0))
        (found,) = audited(cage, drawn.text, [launch(drawn)])
        assert found.unannounced == 0, drawn.text
        seen += found.audited
    assert seen > 100_000
    for attack, kind in FOUND.values():
        y, x = np.zeros(64, np.int32), np.zeros(64, np.int32)
        if kind != "hang":
            (found,) = audited(cage, attack, [check.Launch("k", (y, x), (2, 1, 1), (32, 1, 1))])
            assert found.unannounced <= found.audited * (kind == "bad call"), attack


def test_the_audit_sees_what_is_not_announced(cage):
    drawn = RIGHT["tree_reduction"](np.random.default_rng(0))
    (found,) = audited(cage, drawn.text, [launch(drawn)], without="thread,")
    assert found.unannounced > 0


def test_no_verdict_without_a_passed_test(cage, monkeypatch):
    launcher = Launcher(cage)
    monkeypatch.setitem(selftest.WANTED, "right", "hang")
    launches = [check.Launch("k", (), (1, 1, 1), (32, 1, 1))]
    with pytest.raises(Failure) as failure:
        launcher.launch("__global__ void k() { }", launches)
    assert "right" in str(failure.value)


def test_a_test_of_its_own_that_does_not_compile_is_no_fault_of_a_text(cage, monkeypatch):
    monkeypatch.setattr(selftest, "TEXT", f"{selftest.TEXT}__device__ int more() {{ return nowhere; }}\n")
    with pytest.raises(Failure, match=r"own test does not run here \(refused\): line \d+: .*nowhere"):
        Launcher(cage).launch("__global__ void k() { }", [check.Launch("k", (), (1, 1, 1), (32, 1, 1))])


def test_a_reason_stands_behind_warnings():
    warned = "kernel.cu:13:48: warning: variable 'a' is uninitialized when used here"
    assert (
        str(first_error(f"{warned}\n\nf is called, which no device has\n"))
        == "f is called, which no device has"
    )
    assert str(first_error(f"{warned}\nkernel.cu:2:1: error: no\n\nno")) == "line 2: no"


def test_what_a_process_did_not_finish_is_no_verdict(cage):
    job = check.job("__global__ void k() { }", [check.Launch("k", (), (1, 1, 1), (32, 1, 1))])
    try:
        with pytest.raises(Failure):
            check.seen(job)
        job.wanted["unit"] = "not C++"
        assert cage.launch(Launches(job.wanted), job.pages).end == "refused"
    finally:
        job.close()


def test_compilers_are_stopped(cage):
    macros = "#define AA x[0]+x[0]\n" + "".join(
        f"#define {chr(65 + i + 1) * 2} {'+'.join([chr(65 + i) * 2] * 8)}\n" for i in range(8)
    )
    text = macros + "__global__ void k(int* x) { x[0] = II; }"
    with pytest.raises(UserError):
        Launcher(cage).launch(text, [check.Launch("k", (np.zeros(4, np.int32),), (1, 1, 1), (32, 1, 1))])
