from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from toys.acts import TASK, row, toy

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.workers.child import Child
from warp_ir_dataset.workers.pool import Fault, Pool, WorkerError
from warp_ir_dataset.workers.task import Task

pytestmark = pytest.mark.process

ENOUGH = 30.0  # seconds to wait for what ought to happen at once


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where children get their folders; none of them may be left after any test."""
    base = tmp_path / "folders"
    base.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(base))
    yield base
    assert list(base.iterdir()) == []


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "diary"


def make_pool(workers: int = 1, **options: Any) -> Pool:
    return Pool(workers, TASK, **options)


def proved(candidate: Any) -> dict[str, Any]:
    return {**row(candidate), "target": "cuda sm_80"}


def prove_one_batch(candidates: list[Any], **options: Any) -> list[Any]:
    with make_pool(**options) as pool:
        pool.submit("tag", candidates)
        [(tag, outcomes)] = pool.results()
    assert tag == "tag"
    return outcomes


def assert_neighbours_arrive(candidates: list[Any], outcomes: list[Any], culprit: int) -> None:
    for index, (candidate, outcome) in enumerate(zip(candidates, outcomes, strict=True)):
        if index != culprit:
            assert outcome == proved(candidate)


def processes(diary: Path) -> list[int]:
    return [int(line.split()[0]) for line in diary.read_text().splitlines()]


def wait_until(condition: Any) -> None:
    deadline = time.monotonic() + ENOUGH
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_gone(pid: int) -> bool:
    """Whether a process has ended, reaped by its parent or not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_outcomes_come_under_their_tag_in_the_order_of_the_batch():
    batches = {
        tag: [toy(10 * tag + i, running="reject" if i == 2 else "pass") for i in range(4)] for tag in range(5)
    }
    with make_pool(workers=2) as pool:
        for tag, batch in batches.items():
            pool.submit(tag, batch)
        assert pool.pending == 5
        results = dict(pool.results())
        assert pool.pending == 0
    assert set(results) == set(batches)
    for tag, batch in batches.items():
        assert results[tag][2] == Rejected(Reason.NEAR_ZERO, "as told")
        assert_neighbours_arrive(batch, results[tag], culprit=2)


def test_batches_may_be_submitted_while_results_are_read_and_children_are_reused(diary: Path):
    tags = []
    with make_pool() as pool:
        pool.submit(0, [toy(0, running="chatter", diary=diary)])
        for tag, _ in pool.results():
            tags.append(tag)
            if tag < 3:
                pool.submit(tag + 1, [toy(tag, running="chatter", diary=diary)])
        pool.submit(4, [toy(4, running="chatter", diary=diary)])
        tags += [tag for tag, _ in pool.results()]
    assert tags == [0, 1, 2, 3, 4]
    assert len(processes(diary)) == 5
    assert len(set(processes(diary))) == 1


def test_an_empty_batch_has_no_outcomes():
    assert prove_one_batch([]) == []


def test_large_results_arrive_whole():
    candidates = [toy(i) for i in range(20_000)]
    assert prove_one_batch(candidates) == [proved(candidate) for candidate in candidates]


@pytest.mark.parametrize("culprit", [0, 3, 6])
def test_a_batch_that_does_not_compile_is_halved_down_to_its_culprit(culprit: int):
    candidates = [toy(i, compiling="refuse" if i == culprit else "pass") for i in range(7)]
    outcomes = prove_one_batch(candidates)
    assert outcomes[culprit] == Rejected(Reason.COMPILE_ERROR, f"7/arithmetic/{culprit} does not compile")
    assert_neighbours_arrive(candidates, outcomes, culprit)


def test_a_full_disk_is_no_fault_of_the_candidate(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=50 << 20))
    assert prove_one_batch([toy(0)]) == [proved(toy(0))]
    with pytest.raises(UserError, match=r" 50 MiB .* 200 MiB.*TMPDIR"):
        prove_one_batch([toy(0), toy(1, compiling="refuse")])
    for fault in ("die", "misbehave"):
        with pytest.raises(UserError, match="TMPDIR"):
            prove_one_batch([toy(0, running=fault)])


def test_two_culprits_in_one_batch():
    candidates = [toy(0), toy(1, compiling="refuse"), toy(2), toy(3, running="die"), toy(4)]
    outcomes = prove_one_batch(candidates)
    assert [getattr(outcome, "reason", None) for outcome in outcomes] == [
        None, Reason.COMPILE_ERROR, None, Reason.CRASH, None,
    ]  # fmt: skip


@pytest.mark.parametrize("culprit", [0, 2, 4])
def test_a_candidate_whose_run_kills_the_process_is_rejected(culprit: int, diary: Path):
    candidates = [toy(i, running="die" if i == culprit else "pass", diary=diary) for i in range(5)]
    outcomes = prove_one_batch(candidates)
    assert outcomes[culprit] == Rejected(Reason.CRASH, "killed by SIGSEGV while running: last words")
    assert_neighbours_arrive(candidates, outcomes, culprit)
    assert len(set(processes(diary))) == 3  # in the batch, then twice alone, each time in another process


def test_a_candidate_whose_compilation_kills_the_process_is_rejected():
    candidates = [toy(i, compiling="die" if i == 4 else "pass") for i in range(6)]
    outcomes = prove_one_batch(candidates, workers=2)
    assert outcomes[4] == Rejected(Reason.CRASH, "killed by SIGSEGV while compiling: last words")
    assert_neighbours_arrive(candidates, outcomes, culprit=4)


def test_a_candidate_that_only_crashes_once_is_a_row(diary: Path):
    candidates = [toy(0), toy(1, running="die_once", diary=diary), toy(2)]
    assert prove_one_batch(candidates) == [proved(candidate) for candidate in candidates]


@pytest.mark.parametrize(
    ("step", "why"), [("running", "did not end within 1 s"), ("compiling", "did not compile within 1.5 s")]
)
def test_a_candidate_that_never_ends_stops_the_build(step: str, why: str, diary: Path):
    candidates = [toy(0), toy(1, **{step: "hang"}, diary=diary)]
    with pytest.raises(Fault) as fault:
        prove_one_batch(candidates, compile_seconds=0.5, run_seconds=1)
    assert str(fault.value) == f"kernel 7/arithmetic/1: {why}; rerun with --skip-faults to leave it out"
    if step == "running":
        assert len(set(processes(diary))) == 3  # twice with its batch, once alone
    assert all(is_gone(pid) for pid in processes(diary))


def test_a_candidate_that_never_ends_is_counted_when_faults_are_skipped():
    candidates = [toy(i, running="hang" if i == 1 else "pass") for i in range(4)]
    outcomes = prove_one_batch(candidates, run_seconds=1, skip_faults=True)
    assert outcomes[1] == Rejected(Reason.TIMEOUT, "did not end within 1 s")
    assert_neighbours_arrive(candidates, outcomes, culprit=1)


def test_being_killed_from_outside_is_not_held_against_a_candidate():
    candidates = [toy(0), toy(1, running="be_killed"), toy(2)]
    with pytest.raises(Fault, match=r"^kernel 7/arithmetic/1: .*SIGKILL.*running.*--workers"):
        prove_one_batch(candidates)


@pytest.mark.parametrize("step", ["compiling", "running"])
def test_a_batch_whose_process_is_killed_from_outside_is_done_again_whole(
    step: str, diary: Path, monkeypatch: pytest.MonkeyPatch
):
    candidates = [toy(i, **({step: "be_killed_once", "diary": diary} if i == 1 else {})) for i in range(4)]
    begun = []
    begin = Child.begin
    monkeypatch.setattr(Child, "begin", lambda child, job: begun.append(job.indices) or begin(child, job))
    assert prove_one_batch(candidates) == [proved(candidate) for candidate in candidates]
    assert begun == [(0, 1, 2, 3)] * 2  # what is made of a part may be other than what is made of all


MODULES = "aabbbbb"


@pytest.mark.parametrize("step", ["compiling", "running"])
def test_what_is_killed_again_is_done_in_whole_modules(
    step: str, diary: Path, monkeypatch: pytest.MonkeyPatch
):
    acts = {1: {step: "be_killed_twice", "diary": diary}}
    candidates = [toy(i, module=module, **acts.get(i, {})) for i, module in enumerate(MODULES)]
    begun = []
    begin = Child.begin
    monkeypatch.setattr(Child, "begin", lambda child, job: begun.append(job.indices) or begin(child, job))
    assert prove_one_batch(candidates) == [proved(candidate) for candidate in candidates]
    assert begun == [(0, 1, 2, 3, 4, 5, 6)] * 2 + [(0, 1), (2, 3, 4, 5, 6)]


@pytest.mark.parametrize("step", ["compiling", "running"])
def test_a_module_is_not_torn_by_a_kill_from_outside(step: str):
    candidates = [
        toy(i, module=module, **({step: "be_killed"} if i == 1 else {})) for i, module in enumerate(MODULES)
    ]
    says = rf"^kernels 7/arithmetic/0 to 7/arithmetic/1: .*SIGKILL.*{step}.*--workers"
    with pytest.raises(Fault, match=says):
        prove_one_batch(candidates, skip_faults=True)


def test_a_batch_that_does_not_compile_is_halved_between_modules(monkeypatch: pytest.MonkeyPatch):
    candidates = [
        toy(i, module=module, compiling="refuse" if i == 5 else "pass") for i, module in enumerate(MODULES)
    ]
    begun = []
    begin = Child.begin
    monkeypatch.setattr(Child, "begin", lambda child, job: begun.append(job.indices) or begin(child, job))
    assert_neighbours_arrive(candidates, prove_one_batch(candidates), culprit=5)
    modules = [(0, 1), (2, 3, 4, 5, 6)]
    assert begun == [(0, 1, 2, 3, 4, 5, 6), *modules, (2, 3), (4, 5, 6), (4,), (5, 6), (5,), (6,)]


def test_what_nobody_could_skip_is_not_advised_to_be_skipped():
    with pytest.raises(Fault) as fault:
        prove_one_batch([toy(0, running="hang")], run_seconds=1, skip_faults=None)
    assert str(fault.value) == "kernel 7/arithmetic/0: did not end within 1 s"


def test_a_bug_of_ours_surfaces_with_its_traceback_and_address():
    with pytest.raises(WorkerError) as bug:
        prove_one_batch([toy(0), toy(1, running="misbehave"), toy(2)])
    assert str(bug.value).partition("\n")[2].startswith("Traceback") and "7/arithmetic/1 " in str(bug.value)
    assert "in _misbehave" in str(bug.value)
    assert str(bug.value).rstrip().endswith("ZeroDivisionError: a bug of ours")


def test_a_bug_in_a_step_of_the_whole_batch_names_the_batch():
    with pytest.raises(WorkerError, match=r"^[^\n]* 7/arithmetic/0, 7/arithmetic/1 "):
        prove_one_batch([toy(0), toy(1, compiling="misbehave")])


def test_a_user_error_in_a_child_is_one_in_the_parent():
    with pytest.raises(UserError, match=r"^this arch is unknown$"):
        prove_one_batch([toy(0, compiling="complain")])


def test_a_child_that_does_not_start_says_why():
    with Pool(1, Task("no_such_module:prove")) as pool:
        pool.submit(0, [toy(0)])
        with pytest.raises(WorkerError, match=r"start[^\n]*\n(?s:.*)No module named 'no_such_module'"):
            list(pool.results())


@pytest.mark.parametrize("workers", [1, 2])
def test_a_child_that_is_killed_before_it_is_ready_is_started_again(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As often as there are workers: memory that is short in the beginning may be there a moment later."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "short.py").write_text(
        "import os, pathlib, signal\n"
        f"left = sorted(pathlib.Path({str(tmp_path)!r}).glob('*.victim'))\n"
        "if left:\n"
        "    left[0].unlink(missing_ok=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "from toys.acts import prove\n"
    )
    task = Task("short:prove", TASK.arguments)
    (tmp_path / "0.victim").touch()
    with Pool(workers, task) as pool:
        pool.submit(0, [toy(0)])
        assert list(pool.results()) == [(0, [proved(toy(0))])]
    for number in range(10):
        (tmp_path / f"{number}.victim").touch()
    with Pool(workers, task) as pool:
        pool.submit(0, [toy(0)])
        with pytest.raises(WorkerError, match=r"^[^\n]*start[^\n]*SIGKILL"):
            list(pool.results())


def test_output_and_interrupts_of_a_child_disturb_nobody(capfd: pytest.CaptureFixture[str]):
    candidates = [toy(0, running="chatter"), toy(1, running="interrupt"), toy(2)]
    assert prove_one_batch(candidates) == [proved(candidate) for candidate in candidates]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("workers", [0, -1, True, 1.5, "2"])
def test_the_number_of_workers_is_checked(workers: Any):
    with pytest.raises(UserError, match=f"workers .* {workers!r}$"):
        make_pool(workers=workers)


def test_a_closed_pool_says_so():
    pool = make_pool()
    pool.close()
    pool.close()
    with pytest.raises(RuntimeError, match="closed"):
        pool.submit(0, [toy(0)])


@pytest.mark.parametrize("batch_size", [1, 3, 11])
@pytest.mark.parametrize("workers", [1, 3])
def test_outcomes_do_not_depend_on_workers_and_batches(workers: int, batch_size: int):
    special = {2: ("reject", "pass"), 4: ("die", "pass"), 9: ("pass", "refuse")}
    candidates = [toy(i, *special.get(i, ("pass", "pass"))) for i in range(11)]
    outcomes: dict[int, Any] = {}
    with make_pool(workers) as pool:
        for start in range(0, len(candidates), batch_size):
            pool.submit(start, candidates[start : start + batch_size])
        for start, part in pool.results():
            outcomes.update(enumerate(part, start))
    reasons = {2: Reason.NEAR_ZERO, 4: Reason.CRASH, 9: Reason.COMPILE_ERROR}
    for index, candidate in enumerate(candidates):
        if index in reasons:
            assert outcomes[index].reason == reasons[index]
        else:
            assert outcomes[index] == proved(candidate)


def _use(pool: Pool | None, send: Any) -> None:
    """In another process: prove a batch with its own pool, or try to use an inherited one."""
    try:
        if pool is None:
            send.send(prove_one_batch([toy(1), toy(2)]))
        else:
            pool.close()  # must leave the owner's children alone
            pool.submit(0, [toy(0)])
    except RuntimeError as error:
        send.send(str(error))


def test_a_pool_works_in_a_daemonic_process():
    receive, send = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_use, args=(None, send), daemon=True)
    process.start()
    assert receive.poll(ENOUGH)
    assert receive.recv() == [proved(toy(1)), proved(toy(2))]
    process.join()


def test_a_pool_inherited_through_a_fork_is_refused_and_stays_whole():
    receive, send = multiprocessing.Pipe(duplex=False)
    with make_pool() as pool:
        process = multiprocessing.get_context("fork").Process(target=_use, args=(pool, send))
        process.start()
        assert receive.poll(ENOUGH)
        assert "forked" in receive.recv()
        process.join()
        pool.submit("after", [toy(3)])
        assert list(pool.results()) == [("after", [proved(toy(3))])]


# A script without a main guard, whose pool nobody closes, and which a fork of it leaves early.
SCRIPT = """
import os
import signal
import sys
from toys.acts import TASK, toy
from warp_ir_dataset.workers.pool import Pool

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts its background jobs without it
pool = Pool(2, TASK)
for tag in range(2):
    pool.submit(tag, [toy(tag, running=sys.argv[1], diary=sys.argv[2])])
fork = os.fork()
if not fork:
    sys.exit()  # runs what is registered for the interpreter's end
os.waitpid(fork, 0)
print(len(os.listdir(os.environ["TMPDIR"])), "folders")
print(sorted(tag for tag, _ in pool.results()), flush=True)
"""


def start_script(tmp_path: Path, folders: Path, running: str, diary: Path) -> subprocess.Popen[str]:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "pickle.py").write_text("raise SystemExit('this is not the pickle that is meant')")
    search_path = os.pathsep.join([str(Path(__file__).parents[1]), str(Path(__file__).parents[2])])
    return subprocess.Popen(
        [sys.executable, str(script), running, str(diary)],
        env={**os.environ, "PYTHONPATH": search_path, "TMPDIR": str(folders)},
        cwd=elsewhere,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def children_of(diary: Path, count: int) -> list[int]:
    """The processes of so many children, once all of them are busy."""
    wait_until(lambda: diary.exists() and len(diary.read_text().splitlines()) == count)
    return processes(diary)


def test_a_script_needs_no_main_guard_minds_no_folder_and_leaves_nothing_behind(
    tmp_path: Path, folders: Path, diary: Path
):
    script = start_script(tmp_path, folders, "chatter", diary)
    assert script.communicate(timeout=ENOUGH) == ("2 folders\n[0, 1]\n", "")
    assert all(is_gone(pid) for pid in processes(diary))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("busy", ["hang", "litter"])
def test_children_die_with_their_parent_and_remove_their_folders(
    busy: str, how: signal.Signals, tmp_path: Path, folders: Path, diary: Path
):
    script = start_script(tmp_path, folders, busy, diary)
    children = children_of(diary, 2)
    assert not any(is_gone(pid) for pid in children)
    script.send_signal(how)
    script.communicate(timeout=ENOUGH)
    # Of a process that becomes another program from a thread, the first thread looks dead for a moment: the
    # folders tell when that program has done its work.
    wait_until(lambda: all(is_gone(pid) for pid in children) and not list(folders.iterdir()))


def test_an_interrupt_ends_children_and_removes_folders(tmp_path: Path, folders: Path, diary: Path):
    script = start_script(tmp_path, folders, "hang", diary)
    children = children_of(diary, 2)
    os.killpg(script.pid, signal.SIGINT)  # as the terminal does
    _, said = script.communicate(timeout=ENOUGH)
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert all(is_gone(pid) for pid in children)


def test_forks_of_a_child_end_with_it(diary: Path):
    with pytest.raises(Fault):
        prove_one_batch([toy(0, running="fork", diary=diary)], run_seconds=1)
    assert len(set(processes(diary))) == 4  # a child and its fork, twice
    wait_until(lambda: all(map(is_gone, processes(diary))))


def test_a_second_interrupt_does_not_stop_the_removal(folders: Path, monkeypatch: pytest.MonkeyPatch):
    pool = make_pool()
    remove, impatient = shutil.rmtree, iter([True])

    def rmtree(*arguments: Any, **options: Any) -> None:
        if next(impatient, False):
            raise KeyboardInterrupt
        remove(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", rmtree)
        with pytest.raises(KeyboardInterrupt):
            pool.close()
    assert not list(folders.iterdir())
    pool.close()


def test_each_child_has_a_temporary_folder_of_its_own(diary: Path, folders: Path):
    with make_pool(workers=2) as pool:
        for tag in range(8):
            pool.submit(tag, [toy(tag, running="chatter", diary=diary)])
        list(pool.results())
        assert len(list(folders.iterdir())) == 2
    used = {tuple(line.split()) for line in diary.read_text().splitlines()}
    assert all(Path(folder).parent == folders for _, folder in used)
    assert len({pid for pid, _ in used}) == len({folder for _, folder in used}) == len(used)


@pytest.mark.process
@pytest.mark.parametrize("of_others", [False, True])
def test_where_others_code_is_run_few_variables_are_known(
    of_others: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_xyzzy")
    child: Child[None] = Child(Task("json:loads", (), of_others))
    try:
        variables = Path(f"/proc/{child._process.pid}/environ")
        wait_until(variables.read_bytes)  # empty for a moment, on a busy machine
        found = variables.read_bytes()
    finally:
        child.end()
    assert (b"hf_xyzzy" in found) is not of_others
    assert b"PYTHONPATH=" in found and b"WARP_CACHE_PATH=" in found
