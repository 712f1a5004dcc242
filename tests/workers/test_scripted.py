"""What a pool makes of its children, with children that are no processes: each does what its script says."""

from __future__ import annotations

import signal
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.workers import pool as pool_module
from warp_ir_dataset.workers.child import LOG_TAIL, Batch, Child, Job, describe
from warp_ir_dataset.workers.pool import Fault, Pool, WorkerError
from warp_ir_dataset.workers.task import Task
from warp_ir_dataset.workers.worker import WHOLE_BATCH, Channel

TASK = Task("nobody:loads")
READY = ("ready", None)


@dataclass(frozen=True)
class Item:
    name: str
    module: str = ""

    def __str__(self) -> str:
        return self.name


def items(count: int, modules: str = "") -> list[Item]:
    return [Item(str(index), modules[index] if modules else "") for index in range(count)]


@dataclass
class Died:
    """What a child does instead of an answer."""

    status: int = -signal.SIGSEGV
    busy_with: int = WHOLE_BATCH
    said: str = ""


Answer = Callable[[Sequence[Item]], Any]  # messages, or `Died`


class Scripted(Child[Item]):
    """A child whose process is the test's own: it answers a batch as soon as it has it."""

    def __init__(self, stage: Stage) -> None:
        self.ready, self.job = False, None
        self.busy_with, self.silence, self.said = WHOLE_BATCH, 0.0, ""
        self.stage = stage
        ours, theirs = socket.socketpair()
        self.channel, self.far = Channel(ours), Channel(theirs)
        self.status = -signal.SIGKILL
        start = stage.starts.popleft() if stage.starts else [READY]
        self.tell(start)

    def tell(self, answer: Any) -> None:
        if not isinstance(answer, Died):
            for kind, content in answer:
                self.far.send(kind, content)
            return
        if answer.busy_with != WHOLE_BATCH:
            self.far.send("running", answer.busy_with)
        self.status, self.last = answer.status, answer.said
        self.far.stream.close()

    last = ""

    def begin(self, job: Job[Item]) -> None:
        self.job, self.busy_with, self.silence = job, WHOLE_BATCH, 0.0
        self.stage.begun.append("".join(item.name for item in job.items))
        self.tell(self.stage.act(job.items))

    def end(self) -> int:
        self.said = self.last
        self.channel.stream.close()
        self.far.stream.close()
        self.stage.ended += 1
        return self.status


@dataclass
class Stage:
    """`begun` names the items of each job, in order; `starts` are what children say first."""

    act: Answer
    starts: deque[Any] = field(default_factory=deque)
    begun: list[str] = field(default_factory=list)
    ended: int = 0


def done(some: Sequence[Item]) -> Any:
    return [("results", [item.name.upper() for item in some])]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage(done)
    monkeypatch.setattr(pool_module, "Child", lambda task: Scripted(stage) if task == TASK else None)
    monkeypatch.setattr(pool_module, "TICK_SECONDS", 0.01)
    return stage


def outcomes(batch: Sequence[Item], **options: Any) -> list[Any]:
    with Pool[Item](1, TASK, **options) as pool:
        pool.submit("tag", batch)
        [(tag, found)] = pool.results()
    assert tag == "tag" and pool.pending == 0
    return found


def bad(name: str, answer: Any) -> Answer:
    return lambda some: answer(some) if name in [item.name for item in some] else done(some)


# ---- jobs


def job(count: int, modules: str = "") -> Job[Item]:
    return Job(Batch("tag", tuple(items(count, modules))), tuple(range(count)))


@pytest.mark.parametrize(
    ("modules", "halves"),
    [
        ("", ((0, 1, 2), (3, 4, 5))),
        ("abbbbb", ((0,), (1, 2, 3, 4, 5))),
        ("aabbbc", ((0, 1), (2, 3, 4, 5))),
        ("aaaaaa", ((0, 1, 2), (3, 4, 5))),
    ],
)
def test_a_job_is_halved_between_modules_if_it_has_several(modules: str, halves: tuple[Any, Any]) -> None:
    first, second = job(6, modules).halves()
    assert (first.indices, second.indices) == halves
    assert (first.again, second.again) == (False, False)


def test_a_job_knows_its_modules() -> None:
    assert job(3, "aaa").is_one_module and not job(3, "aab").is_one_module
    assert not job(2).is_one_module and job(1).is_one_module


def test_a_job_without_an_item() -> None:
    batch = job(3).batch
    part = Job(batch, (0, 2), again=True)
    assert part.items == (batch.items[0], batch.items[2])
    assert part.without(0) == Job(batch, (2,))
    assert Job(batch, (1,)).without(1) is None


def test_an_end_is_described_by_its_signal() -> None:
    assert describe(0) == "exit status 0" and describe(3) == "exit status 3"
    assert describe(-11) == "killed by SIGSEGV" and describe(-9) == "killed by SIGKILL"


# ---- messages


@pytest.fixture
def channels() -> Iterator[tuple[Channel, Channel]]:
    ends = socket.socketpair()
    with ends[0], ends[1]:
        yield Channel(ends[0]), Channel(ends[1])


def test_messages_come_whole_however_they_are_cut(channels: tuple[Channel, Channel]) -> None:
    here, there = channels
    sent = [("running", -1), ("results", ["x" * 3000, {"a": 1}])]
    probe, far = socket.socketpair()
    with probe, far:
        for message in sent:
            Channel(probe).send(*message)
        raw = far.recv(1 << 16)
    got = []
    for cut in (raw[:3], raw[3:8], raw[8:9], raw[9:-1], raw[-1:] + raw):
        here.stream.sendall(cut)
        got.append(there.receive())
    assert got[0] == got[1] == got[2] == [] and got[3] == sent[:1] and got[4] == [sent[1], *sent]
    assert there.fileno() == there.stream.fileno()


def test_the_end_of_a_channel_is_told(channels: tuple[Channel, Channel]) -> None:
    here, there = channels
    here.send("ready", None)
    here.stream.close()
    assert there.receive() == [("ready", None)]
    with pytest.raises(EOFError):
        there.receive()
    with pytest.raises(ConnectionError):
        for _ in range(2):
            there.send("batch", ())


# ---- the pool


def test_batches_go_to_whoever_is_idle_and_come_back_under_their_tags(stage: Stage) -> None:
    with Pool[Item](2, TASK) as pool:
        for tag in range(3):
            pool.submit(tag, [Item(f"a{tag}"), Item(f"b{tag}")])
        pool.submit("empty", [])
        assert pool.pending == 4
        assert dict(pool.results()) == {**{tag: [f"A{tag}", f"B{tag}"] for tag in range(3)}, "empty": []}
        assert pool.pending == 0 and pool.workers == 2
        pool.submit("later", items(1))
        assert list(pool.results()) == [("later", ["0"])]
    assert stage.begun == ["a0b0", "a1b1", "a2b2", "0"] and stage.ended == 2
    with pytest.raises(RuntimeError):
        pool.submit("closed", items(1))


def test_what_does_not_compile_is_halved(stage: Stage) -> None:
    stage.act = bad("2", lambda some: [("batch_failed", f"{len(some)} do not")])
    assert outcomes(items(4)) == ["0", "1", Rejected(Reason.COMPILE_ERROR, "1 do not"), "3"]
    assert stage.begun == ["0123", "01", "23", "2", "3"] and stage.ended == 1


@pytest.mark.parametrize(
    ("busy_with", "begun"),
    [
        (2, ["0123", "0123", "2", "013"]),
        (-1, ["0123", "0123", "01", "23", "23", "2", "2", "3"]),
    ],
)
def test_who_was_busy_when_a_process_died_is_tried_alone(
    busy_with: int, begun: list[str], stage: Stage
) -> None:
    def die(some: Sequence[Item]) -> Died:
        suspect = [item.name for item in some].index("2")
        return Died(busy_with=suspect if busy_with >= 0 else WHOLE_BATCH, said="noise\nlast words")

    stage.act = bad("2", die)
    why = f"killed by SIGSEGV while {'running' if busy_with >= 0 else 'compiling'}: last words"
    assert outcomes(items(4)) == ["0", "1", Rejected(Reason.CRASH, why), "3"]
    assert sorted(stage.begun) == sorted(begun)


def test_an_item_that_dies_once_is_no_culprit(stage: Stage) -> None:
    deaths = iter([Died(busy_with=1)])
    stage.act = bad("1", lambda some: next(deaths, None) or done(some))
    assert outcomes(items(3)) == ["0", "1", "2"]
    assert stage.begun == ["012", "012"]  # its module is not torn


def test_an_item_that_dies_in_a_used_process_is_tried_in_a_fresh_one(stage: Stage) -> None:
    stage.act = bad("1", lambda some: Died(busy_with=0))
    with Pool[Item](1, TASK) as pool:
        pool.submit(0, items(1))
        pool.submit(1, [Item("1")])
        found = dict(pool.results())
    assert found == {0: ["0"], 1: [Rejected(Reason.CRASH, "killed by SIGSEGV while running")]}
    assert stage.begun == ["0", "1", "1"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_what_is_killed_from_outside_is_done_again_whole_and_then_stops_the_build(
    how: signal.Signals, stage: Stage
) -> None:
    stage.act = bad("1", lambda some: Died(-how, [item.name for item in some].index("1")))
    with pytest.raises(Fault) as fault:
        outcomes(items(3))
    assert stage.begun[:2] == ["012", "012"]
    said = str(fault.value)
    assert said.startswith(f"kernel 1: killed by {how.name} while running")
    assert ("rerun with fewer --workers" in said) == (how == signal.SIGKILL)
    with pytest.raises(Fault) as fault:
        outcomes(items(3), skip_faults=True)  # a lack of memory is no fault of a kernel
    assert str(fault.value) == said


def test_what_is_killed_from_outside_once_is_made_as_a_whole(stage: Stage) -> None:
    deaths = iter([Died(-signal.SIGKILL, 1)])
    stage.act = bad("1", lambda some: next(deaths, None) or done(some))
    assert outcomes(items(3)) == ["0", "1", "2"] and stage.begun == ["012", "012"]


@pytest.mark.parametrize("busy_with", [WHOLE_BATCH, 1])
def test_a_module_is_not_torn_by_a_kill_from_outside(busy_with: int, stage: Stage) -> None:
    def die(some: Sequence[Item]) -> Died:
        return Died(-signal.SIGKILL, min(busy_with, [item.name for item in some].index("1")))

    stage.act = bad("1", die)
    with pytest.raises(Fault) as fault:
        outcomes(items(5, "aabbb"))
    assert str(fault.value).startswith("kernels 0 to 1: killed by SIGKILL")
    assert stage.begun == ["01234", "01234", "01", "01"]


def test_who_is_silent_for_too_long_is_ended(stage: Stage) -> None:
    stage.act = bad("1", lambda some: [("running", [item.name for item in some].index("1"))])
    with pytest.raises(Fault) as fault:
        outcomes(items(3), run_seconds=0.02)
    assert str(fault.value) == "kernel 1: did not end within 0.02 s; rerun with --skip-faults to leave it out"
    assert stage.begun[:3] == ["012", "012", "1"]
    found = outcomes(items(3), run_seconds=0.02, skip_faults=True)
    assert found == ["0", Rejected(Reason.TIMEOUT, "did not end within 0.02 s"), "2"]


def test_a_compilation_has_time_by_the_size_of_its_batch(stage: Stage) -> None:
    stage.act = bad("0", lambda some: [])
    with pytest.raises(Fault) as fault:
        outcomes(items(2), compile_seconds=0.01)
    assert "kernel 0: did not compile within 0.03 s" in str(fault.value)
    assert stage.begun == ["01", "01", "0", "0"]


def test_the_silence_of_an_idle_child_does_not_count(stage: Stage) -> None:
    with Pool[Item](1, TASK, run_seconds=0.0, compile_seconds=1.0) as pool:
        for tag in range(3):
            pool.submit(tag, items(2))
            assert list(pool.results()) == [(tag, ["0", "1"])]
    assert stage.ended == 1


def test_errors_of_a_child_are_those_of_the_pool(stage: Stage) -> None:
    stage.act = bad("1", lambda some: [("user_error", "unknown")])
    with pytest.raises(UserError, match=r"^unknown$"):
        outcomes(items(2))
    stage.act = bad("1", lambda some: [("running", 1), ("bug", "Traceback")])
    with pytest.raises(WorkerError) as bug:
        outcomes(items(3))
    assert str(bug.value) == "proving 1 failed:\nTraceback"
    stage.act = bad("1", lambda some: [("bug", "Traceback")])
    with pytest.raises(WorkerError, match=r"^proving 0, 1, 2 failed:\nTraceback"):
        outcomes(items(3))
    assert stage.ended == 3  # no child is left


@pytest.mark.parametrize("answer", [[("batch_failed", "no")], Died(), [("bug", "Traceback")]])
def test_a_full_disk_rejects_nothing(answer: Any, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    free = [pool_module.NEEDED_SPACE - 1]
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=free[0]))
    stage.act = bad("0", lambda some: answer)
    with pytest.raises(UserError, match=r"has 199 MiB left and compilers need 200 MiB"):
        outcomes(items(1))
    free[0] += 1
    if answer == [("bug", "Traceback")]:
        with pytest.raises(WorkerError):
            outcomes(items(1))
    else:
        assert isinstance(outcomes(items(1))[0], Rejected)


def test_a_child_that_dies_before_it_is_ready_is_a_bug_unless_it_is_killed(stage: Stage) -> None:
    killed = Died(-signal.SIGKILL)
    stage.starts.extend([killed])
    assert outcomes(items(2)) == ["0", "1"] and stage.ended == 2
    stage.starts.extend([killed, killed])
    with pytest.raises(WorkerError, match=r"did not start \(killed by SIGKILL\)"):
        outcomes(items(2))
    stage.starts.extend([Died(1, said="no room")])
    with pytest.raises(WorkerError) as bug:
        outcomes(items(2))
    assert "(exit status 1)" in str(bug.value) and str(bug.value).endswith("no room")
    stage.starts.extend([[("bug", "Traceback")]])
    with pytest.raises(WorkerError, match="did not start:\nTraceback"):
        outcomes(items(2))


def test_an_answer_for_other_items_is_a_bug(stage: Stage) -> None:
    stage.act = lambda some: [("results", ["0"])]
    with pytest.raises(ValueError):
        outcomes(items(2))
    assert stage.ended == 1


def test_a_suspect_stays_one_if_its_next_process_does_not_start(stage: Stage) -> None:
    stage.starts.extend([[READY], Died(-signal.SIGKILL)])
    deaths = iter([Died(busy_with=1)])
    stage.act = bad("1", lambda some: next(deaths, None) or done(some))
    assert outcomes(items(3)) == ["0", "1", "2"]
    assert stage.begun == ["012", "012"]  # its module is not torn


def test_a_child_that_does_not_start_in_time_is_a_bug(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "START_SECONDS", 0.02)
    stage.starts.extend([[]])
    with pytest.raises(WorkerError, match="did not start"):
        outcomes(items(1))


def test_only_so_much_is_kept_of_what_a_child_said(tmp_path: Path) -> None:
    child: Any = Scripted(Stage(done))
    child.far.stream.close()
    child._log, child._remove, child._process = tmp_path / "log", lambda: None, SimpleNamespace(returncode=7)
    child._log.write_text("early\n" + "x" * (LOG_TAIL - 5) + "\nend\n")
    assert Child.end(child) == 7
    assert child.said.startswith("x") and child.last_line == "end" and len(child.said) < LOG_TAIL
    child.said = "y" * 300
    assert child.last_line == "y" * 200
    child.said = ""
    assert child.last_line == ""


def test_a_child_knows_its_suspect() -> None:
    child: Any = Scripted(Stage(done))
    child.job = replace(job(4), indices=(1, 3))
    assert child.suspect is None
    child.busy_with = 1
    assert child.suspect == 3
    child.job = replace(job(4), indices=(2,))
    child.busy_with = WHOLE_BATCH
    assert child.suspect == 2
    finished = child.finish()
    assert finished.indices == (2,) and child.job is None
    child.end()
