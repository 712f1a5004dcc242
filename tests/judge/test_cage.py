"""The walls of the cage: that each is there, what is said where one is missing, and what each alone keeps
out."""

from __future__ import annotations

import errno
import os
import resource
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.judge.cage import filters, nursery, system, walls
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.cage.caged import FILES
from warp_ir_dataset.judge.cage.job import Call, Ended, Job, Limits, Segment, Short

ADDRESS = 0x2000_0000_0000
LIMITS = Limits(load_seconds=6.0, run_seconds=1.0)
RAN = Ended("ran", True, "")
pytestmark = [pytest.mark.process, pytest.mark.compile]


@pytest.fixture
def page() -> Iterator[int]:
    descriptor = os.memfd_create("page")
    os.ftruncate(descriptor, 4096)
    yield descriptor
    os.close(descriptor)


def done(
    cage: Cage, page: int, body: str, before: str = "", *, writable: bool = True, alone: bool = False
) -> Ended:
    """How C++ ends whose function has a page of numbers in shared memory."""
    unit = f'{warp.preamble("cpu")}\n{before}\nextern "C" void k(int* page) {{ {body} }}\n'
    segment = Segment(ADDRESS, 4096, 0, writable)
    return cage.run(Job(unit, (segment,), (Call("k", (ADDRESS,)),), LIMITS, alone), page)


def test_results_come_back_by_shared_pages_alone(cage, page):
    assert done(cage, page, "page[0] = 7;") == RAN
    assert os.pread(page, 4, 0) == b"\7\0\0\0"


def test_pages_for_reading_are_not_written(cage, page):
    assert done(cage, page, "page[0] = 7;", writable=False) == Ended("crash", True, "SIGSEGV")
    assert os.pread(page, 4, 0) == bytes(4)


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ('extern "C" char* getenv(const char*);', 'page[0] = getenv("HOME") == nullptr;'),
        ('extern "C" long time(long*);', "page[0] = (int)time(nullptr);"),
        ("", "static int launches; page[0] = ++launches;"),
        ("static int launches = 1;", "page[0] = ++launches;"),
        ("namespace wp { int launches; }", "page[0] = ++wp::launches;"),
        ("struct S { static inline int launches; };", "page[0] = ++S::launches;"),
        ("template <int N> int launches = N;", "page[0] = ++launches<3>;"),
    ],
)
def test_a_text_for_a_device_calls_and_keeps_nothing_of_a_processors(cage, page, before, body):
    assert done(cage, page, body, before).end == "ran"
    ended = done(cage, page, body, before, alone=True)
    assert ended.end == "refused" and not ended.loaded


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("static const int table[3] = {1, 2, 3};", "page[0] = table[page[1]];"),
        ("", 'float x = page[1]; printf("%f", x); page[0] = powf(x, 2.5f) + wp::isnan(x) + wp::erf(x);'),
    ],
)
def test_a_text_for_a_device_has_constants_and_functions_of_numbers(cage, page, before, body):
    assert done(cage, page, body, before, alone=True) == RAN


def test_headers_elsewhere_are_not_read(cage, page):
    """Without the gate, which would not let such an answer come here."""
    ended = done(cage, page, "", '#include "/etc/passwd"')
    assert ended.end == "refused" and "/etc/passwd" in ended.said and "root" not in ended.said


def test_a_compiler_is_ended_at_its_first_error_and_harms_nobody(cage, page):
    header = done(cage, page, "page[0] = 1;")
    assert done(cage, page, "page[0] = missing;").said == "use of undeclared identifier 'missing'"
    assert done(cage, page, "page[0] = 1;") == header


def test_what_fails_to_compile_costs_little(cage, page):
    done(cage, page, "page[0] = missing;")
    before = children_seconds(cage)
    for _ in range(5):
        done(cage, page, "page[0] = missing;")
        done(cage, page, "page[0] = 1;")
    assert children_seconds(cage) - before < 5 * 2 * 0.4


def children_seconds(cage: Cage) -> float:
    """CPU seconds of all processes that a nursery has waited for."""
    with open(f"/proc/{cage.process_id}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def test_a_call_that_is_no_call_of_a_kernel_ends_the_process(cage, page):
    ended = done(cage, page, "syscall(39); syscall(41, 2, 1, 0);", 'extern "C" long syscall(long, ...);')
    assert ended == Ended("crash", True, "SIGSYS")


@pytest.mark.parametrize("wall", [name for name, wall in walls.WALLS.items() if wall.needed])
def test_a_missing_wall_is_said_and_refused(wall):
    with pytest.raises(UserError, match=f"{wall}.*allow_weaker_sandbox"):
        Cage(without=[wall])


def test_namespaces_are_not_needed():
    with Cage(without=["namespaces"]) as cage:
        assert cage.missing == {"namespaces": "left out"}


def test_walls_that_are_left_out_keep_nothing_out(cage, page):
    """So they are what does, where they are there."""
    tries = {
        "seccomp": ("page[0] = getppid();", 'extern "C" int getppid();'),
        "landlock": ("", '#include "/etc/hostname"'),
        "limits": ("page[0] = malloc(1l << 32) ? 2 : 1;", 'extern "C" void* malloc(unsigned long);'),
    }
    with Cage(without=list(tries), allow_weaker=True) as weaker:
        assert set(weaker.missing) == set(tries)
        seen = {}
        for wall, (body, before) in tries.items():
            seen[wall] = [(done(each, page, body, before), os.pread(page, 1, 0)) for each in (cage, weaker)]
    assert [ended.end for ended, _ in seen["seccomp"]] == ["crash", "ran"]
    assert len({ended.said for ended, _ in seen["landlock"]}) == 2
    assert seen["limits"] == [(RAN, b"\1"), (RAN, b"\2")]


def test_a_nursery_that_is_killed_is_replaced_and_no_answer_blamed(page):
    with Cage() as cage:
        assert done(cage, page, "page[0] = 7;").end == "ran"
        os.kill(cage.process_id, 9)
        assert done(cage, page, "page[0] = 7;").end == "ran"


def test_where_no_process_is_left_it_is_said(page, monkeypatch, tmp_path):
    """Of a fork that fails nothing stays open, and the next one is made."""
    limits, open_before = Limits(), os.listdir("/proc/self/fd")
    for number in (errno.EAGAIN, errno.ENOMEM):
        with monkeypatch.context() as patched:
            patched.setattr(os, "fork", mock.Mock(side_effect=OSError(number, "no more of it")))
            assert nursery._do("run", limits, (), (), str(tmp_path)) == Ended("short", False, "no more of it")
    assert os.listdir("/proc/self/fd") == open_before


def test_a_nursery_without_descriptors_is_short_and_then_it_is_not(page):
    with Cage() as cage:
        assert done(cage, page, "page[0] = 7;") == RAN
        limit = resource.prlimit(cage.process_id, resource.RLIMIT_NOFILE)
        resource.prlimit(cage.process_id, resource.RLIMIT_NOFILE, (4, limit[1]))
        with pytest.raises(Short) as raised:
            done(cage, page, "page[0] = 7;")
        assert not raised.value.lost
        resource.prlimit(cage.process_id, resource.RLIMIT_NOFILE, limit)
        assert done(cage, page, "page[0] = 7;") == RAN


def test_a_nursery_that_does_not_start_again_is_short(page, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Cage() as cage:
        assert done(cage, page, "page[0] = 7;") == RAN
        os.kill(cage.process_id, 9)
        with monkeypatch.context() as patched, pytest.raises(Short):
            patched.setattr(subprocess, "Popen", mock.Mock(side_effect=OSError(errno.EAGAIN, "no process")))
            done(cage, page, "page[0] = 7;")
        assert not list(tmp_path.iterdir())
        assert done(cage, page, "page[0] = 7;") == RAN


def test_a_process_that_the_system_kills_lacked_memory(page):
    """It had time left, and nobody here ended it."""
    with Cage() as cage:
        done(cage, page, "page[0] = 7;")
        children = Path(f"/proc/{cage.process_id}/task/{cage.process_id}/children")

        def kill() -> None:
            while not os.pread(page, 1, 0).startswith(b"\1"):
                time.sleep(0.01)
            os.kill(int(children.read_text()), 9)

        os.pwrite(page, bytes(4), 0)
        killer = threading.Thread(target=kill)
        killer.start()
        ended = done(cage, page, "page[0] = 1; for (volatile int i = 0;; i = i + 1);")
        killer.join()
        assert ended == Ended("memory", True, "")
        assert done(cage, page, "for (volatile int i = 0;; i = i + 1);") == Ended("timeout", True, "")


def test_a_cage_leaves_no_folder(page, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Cage() as cage:
        assert done(cage, page, "page[0] = 7;").end == "ran"
        (folder,) = tmp_path.glob("answer-*")
        names = {path.name for path in folder.iterdir()} - {*FILES}
        assert all(name.startswith("warp-ir-") for name in names)  # of the nursery's own
    assert not list(tmp_path.iterdir())


def test_a_nursery_ends_with_its_parent(tmp_path):
    """Even with one that is killed; and its folder goes with it."""
    script = (
        "import os, time\nfrom warp_ir_dataset.judge.cage.cage import Cage\n"
        "cage = Cage()\nprint(cage.process_id, flush=True)\ntime.sleep(100)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert parent.stdout is not None
    nursery = int(parent.stdout.readline())
    handle = os.pidfd_open(nursery)
    assert list(tmp_path.glob("answer-*"))
    parent.kill()
    parent.wait()
    ready, _, _ = select.select([handle], [], [], 60)  # it may be compiling, which it ends first
    os.close(handle)
    assert ready and not list(tmp_path.glob("answer-*"))


# ---- without a process


def test_filters_are_whole():
    """Instructions of eight bytes; every jump ends inside of the program; the last one returns."""
    for program in (filters.while_loading(), filters.while_running()):
        count = len(program) // 8
        for number in range(count):
            code, then, otherwise = program[8 * number], program[8 * number + 2], program[8 * number + 3]
            if code & 0x07 == 0x05:
                assert number + 1 + max(then, otherwise) < count
        assert program[-8] == 0x06


def test_names_of_calls_are_known():
    names = f"{filters.WHILE_LOADING} {filters.WHILE_RUNNING} {filters.REFUSED_WHILE_RUNNING}".split()
    assert {*names, *filters.ARGUMENTS_WHILE_LOADING} <= system.NUMBERS.keys()
    for never in (
        "socket",
        "clone",
        "fork",
        "execve",
        "kill",
        "ptrace",
        "mount",
        "connect",
        "unlink",
        "rename",
    ):
        assert never not in names
