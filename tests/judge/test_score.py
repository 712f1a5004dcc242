"""The doors of the judge: from the caller's process, in which Warp is never started."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from toys.judged import cpu_kernel, row_at

import warp_ir_dataset
from warp_ir_dataset import Status, Verdict, score, score_many
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.judge import referee as judging
from warp_ir_dataset.judge import score as doors
from warp_ir_dataset.judge.answers import LONGEST_PYTHON, Answer
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.cage.job import Short
from warp_ir_dataset.judge.referee import LONGEST, Referee
from warp_ir_dataset.judge.verdict import FEEDBACK

RIGHT = "for (int i = 0; i < size; ++i) out[i] = wp::cosh(in[i]);"


@pytest.mark.compile
@pytest.mark.process
def test_one_answer():
    verdict = score(row_at("cpu"), cpu_kernel(RIGHT), seed=3)
    assert verdict == Verdict(Status.CORRECT, "all outputs are right on all hidden inputs", 3)
    assert verdict.value == 1.0
    pools = [*doors._kept[os.getpid(), 1, False]]
    assert pools
    assert score(row_at("cpu"), [{"role": "assistant", "content": ""}]).status is Status.EMPTY
    assert doors._kept[os.getpid(), 1, False] == pools  # another one would cost seconds


def test_a_secret_decides_and_is_nowhere():
    row = {"id": "a row"}
    plain, *others = (Answer(row, "", "cpu", 3, secret) for secret in ("", "xyzzy", "plugh", "\udcff"))
    assert plain.drawn_by == "3" == Answer(row, "", "cpu", 3).drawn_by
    assert len({each.drawn_by for each in others}) == 3
    assert (
        others[0].drawn_by == Answer(row, "x", "cuda", 3, "xyzzy").drawn_by
    )  # for all answers, on all ranks
    assert others[0].drawn_by != Answer(row, "", "cpu", 4, "xyzzy").drawn_by
    assert "xyzzy" not in f"{others[0]!r} {others[0]} {others[0].drawn_by}"


@pytest.mark.compile
@pytest.mark.process
def test_hidden_inputs_follow_from_the_secret(cage):
    referee, row = Referee(cage), row_at("cpu")
    verdicts = [
        referee.judge(Answer(row, row["completion"], None, 3, secret)) for secret in (None, "xyzzy", "plugh")
    ]
    assert {(verdict.status, verdict.seed) for verdict in verdicts} == {(Status.CORRECT, 3)}
    assert not any("xyzzy" in str(verdict) for verdict in verdicts)
    images = {prepared.pages.image for prepared in referee._prepared.values()}
    assert len(images) == 3
    text = Answer(row, "", None, 3, "xyzzy").drawn_by
    assert all(text not in str(verdict) for verdict in verdicts)


@pytest.mark.compile
@pytest.mark.process
def test_many_answers_keep_their_order():
    rows = [row_at("cpu"), row_at("cpu"), row_at("cuda"), row_at("spec_to_warp"), row_at("cpu", "math", 3)]
    texts = [row["completion"] for row in rows]
    wrong = [cpu_kernel("for (;;);"), cpu_kernel("out[-9999] = 1.0;"), "", "x = 1", "asm();"]
    verdicts = score_many([*rows, *rows], [*texts, *wrong], workers=2)
    assert [v.value for v in verdicts] == [1.0] * 5 + [0.0] * 5
    assert [v.status for v in verdicts[5:]] == [
        Status.TIMEOUT, Status.CRASH, Status.EMPTY, Status.COMPILE_ERROR, Status.FORBIDDEN,
    ]  # fmt: skip


@pytest.mark.compile
@pytest.mark.process
def test_what_is_no_row_is_said():
    with pytest.raises(UserError, match="kernel_name"):
        score_many([{"id": "x", "prompt": row_at("cpu")["prompt"]}], ["x"])


def test_each_row_has_one_text():
    with pytest.raises(UserError, match=r" 2 rows .* 1 texts"):
        score_many([row_at_nothing(), row_at_nothing()], ["x"])


ROW = {"id": "x", "prompt": f"{CONFIGS['cuda'].instruction}\n"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((None, "x"), "mapping.* None$"),
        (("row", "x"), "mapping.* 'row'$"),
        (([ROW], "x"), r"mapping.* \[\{'id'"),
        ((ROW, None), "answer .* NoneType$"),
        ((ROW, "x", {"config": ["cuda"]}), r"config \['cuda'\]"),
        (({"id": "x"}, "x"), "prompt.*config='cuda'"),
        ((ROW, "x", {"seed": "0"}), "seed .* '0'$"),
        ((ROW, "x", {"seed": 1.5}), r"seed .* 1\.5$"),
        ((ROW, "x", {"seed": None}), "seed .* None$"),
        ((ROW, "x", {"seed": True}), "seed .* True$"),
        ((ROW, "x", {"seed": []}), r"seed .* \[\]$"),
    ],
)
def test_what_cannot_be_judged_is_said_before_a_process_is_asked(given, says, monkeypatch):
    monkeypatch.setattr(doors, "Pool", lambda *_, **__: pytest.fail("a process was started"))
    row, text, *options = given
    for ask in (lambda **o: score(row, text, **o), lambda **o: score_many([ROW, row], ["x", text], **o)):
        with pytest.raises(UserError, match=says):
            ask(**(options[0] if options else {}))


@pytest.mark.parametrize(
    ("rows", "texts", "options", "says"),
    [
        (None, None, {}, "rows .*list.* None$"),
        (ROW, ["x"], {}, r"rows .*list.* \{'id'"),
        ([ROW], "x", {}, "texts .*list.* 'x'$"),
        ([ROW], ["x"], {"workers": "2"}, "workers .* 1, .* '2'$"),
        ([ROW], ["x"], {"workers": []}, r"workers .* 1, .* \[\]$"),
        ([ROW], ["x"], {"workers": 0}, "workers .* 1, .* 0$"),
    ],
)
def test_many_are_lists(rows, texts, options, says):
    with pytest.raises(UserError, match=says):
        score_many(rows, texts, **options)


def row_at_nothing() -> dict[str, object]:
    return {"id": "x"}


@pytest.mark.process
def test_warp_is_not_imported_by_the_caller():
    script = (
        "import sys, warp_ir_dataset\nfrom warp_ir_dataset import score\nassert 'warp' not in sys.modules"
    )
    place = str(Path(warp_ir_dataset.__file__).parents[1])
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "PYTHONPATH": place})


def test_every_status_has_a_value_but_those_that_say_nothing():
    values = {status: Verdict(status, "", 0).value for status in Status}
    assert values.pop(Status.CORRECT) == 1.0
    assert values.pop(Status.UNSUPPORTED) is None and values.pop(Status.UNAVAILABLE) is None
    assert set(values.values()) == {0.0}


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.parametrize("config", ["cpu", "cuda", "cuda_backward", "warp_to_cuda"])
def test_a_compile_error_names_the_line_of_the_answer(judge, config: str):
    row = row_at(config)
    *before, last = row["completion"].rstrip().split("\n")
    assert last.startswith("}")
    verdict = judge(row, "\n".join([*before, "int x = missing;", last]))
    assert verdict.status is Status.COMPILE_ERROR
    assert verdict.feedback.startswith(f"line {len(before) + 1}: ") and "missing" in verdict.feedback


@pytest.mark.compile
@pytest.mark.process
def test_feedback_is_short(judge):
    long = "x" * 5000
    verdict = judge(row_at("cpu"), cpu_kernel(f"{long} = 1;"))
    assert verdict.status is Status.COMPILE_ERROR and 100 < len(verdict.feedback) <= FEEDBACK


class Spent:
    """A pool whose processes end over answers: `ends` gives a verdict, or why there is none."""

    def __init__(self, ends: Callable[[Answer], Verdict | Rejected]) -> None:
        self.ends, self.batches = ends, []

    def submit(self, places, answers):
        self.batches.append((places, answers))

    def results(self):
        while self.batches:
            places, answers = self.batches.pop()
            yield places, [self.ends(answer) for answer in answers]


GONE = Rejected(Reason.CRASH, "killed by SIGSEGV while running: 0.7251")
KILLED = Rejected(Reason.TIMEOUT, "killed by SIGKILL while running: 0.7251")


@pytest.mark.parametrize("gone", [GONE, KILLED])
@pytest.mark.parametrize(
    ("own", "status"),
    [
        (Verdict(Status.CORRECT, "", 0), Status.CRASH),
        (Verdict(Status.UNSUPPORTED, "", 0), Status.UNSUPPORTED),
        (Verdict(Status.CRASH, "", 0), Status.UNSUPPORTED),
        (Verdict(Status.UNAVAILABLE, "", 0), Status.UNAVAILABLE),
        (GONE, Status.UNSUPPORTED),
        (KILLED, Status.UNAVAILABLE),
    ],
)
def test_the_judge_s_own_end_is_held_against_the_answer_if_the_row_s_code_is_right(gone, own, status):
    row, right = {"id": "a row"}, Verdict(Status.CORRECT, "", 0)
    answers = [Answer(row, text, "cpu", 0) for text in ("fine", "bad", "fine")]
    pool = Spent(lambda answer: own if answer.own else gone if answer.text == "bad" else right)
    found = dict(doors._judged(pool, answers))
    assert [found[place].status for place in range(3)] == [Status.CORRECT, status, Status.CORRECT]
    assert "0.7251" not in found[1].feedback  # which the judge's process may have printed of the row


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("when", ["at once", "after the first"])
def test_without_a_process_for_the_judge_there_is_no_verdict(when, keep, monkeypatch):
    """And what was judged before is; the next call begins anew."""

    class Ending(Spent):
        def __init__(self, *_: object, **__: object) -> None:
            if when == "at once":
                raise OSError(errno.EAGAIN, "no more processes")
            super().__init__(lambda answer: Verdict(Status.CORRECT, "", 0))

        def __enter__(self):
            return self

        def __exit__(self, *_: object) -> None:
            self.close()

        def close(self) -> None:
            pass

        def results(self):
            yield next(iter(super().results()))
            raise OSError(errno.ENOMEM, "no more memory")

    monkeypatch.setattr(doors, "Pool", Ending)
    monkeypatch.setattr(doors, "_kept", {})
    rows = [{"id": name, "prompt": f"{CONFIGS['cpu'].instruction}\n"} for name in "ab"]
    for _ in range(2):
        found = [verdict.status for verdict in score_many(rows, ["x", "y"], keep=keep)]
        expected = [Status.UNAVAILABLE] * 2 if when == "at once" else [Status.UNAVAILABLE, Status.CORRECT]
        assert found == expected
    assert not any(doors._kept.values())


RIGHT_ONE, WRONG_ONE = (Status.CORRECT, ""), (Status.WRONG_OUTPUT, "")
TOO_MUCH = (Status.MEMORY, "")
NO_FORK, LOST = Short("no process"), Short("it ended", lost=True)
NO_MEMORY, NO_FILE = MemoryError(), OSError(errno.EMFILE, "too many")


@pytest.mark.parametrize(
    ("answer", "own", "again", "status"),
    [
        (RIGHT_ONE, None, None, Status.CORRECT),
        (WRONG_ONE, None, None, Status.WRONG_OUTPUT),
        (TOO_MUCH, RIGHT_ONE, None, Status.MEMORY),
        (TOO_MUCH, TOO_MUCH, None, Status.UNAVAILABLE),
        (TOO_MUCH, NO_FORK, None, Status.UNAVAILABLE),
        *((error, own, None, Status.UNAVAILABLE) for error in (NO_FORK, LOST, NO_MEMORY, NO_FILE) for own in
        (NO_FORK, LOST, NO_MEMORY, NO_FILE, TOO_MUCH, (Status.TIMEOUT, ""))),
        *((error, RIGHT_ONE, again, again[0]) for error in (NO_FORK, LOST, NO_MEMORY, NO_FILE) for again in
        (RIGHT_ONE, WRONG_ONE, TOO_MUCH)),
        (NO_FORK, RIGHT_ONE, NO_FORK, Status.UNAVAILABLE),
        (NO_FILE, RIGHT_ONE, NO_FILE, Status.UNAVAILABLE),
        (LOST, RIGHT_ONE, LOST, Status.CRASH),
        (NO_MEMORY, RIGHT_ONE, NO_MEMORY, Status.MEMORY),
    ],
)  # fmt: skip
def test_an_answer_s_failure_is_its_own_if_the_row_s_code_does_not_fail(
    answer, own, again, status, monkeypatch
):
    told = {"answer": [answer, again], "own": [own]}

    def next_of(code: str) -> tuple[Status, str]:
        found = told[code].pop(0)
        assert found is not None, "it is asked too often"
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(judging, "own_code", lambda prepared: "own")
    monkeypatch.setattr(Referee, "_decide", lambda self, prepared, code: next_of(code))
    monkeypatch.setattr(Referee, "repeat", lambda self, prepared, code: next_of(code))
    found = Referee(None)._fairly(None, "answer")  # type: ignore[arg-type]
    assert (found or (Status.UNAVAILABLE,))[0] is status


def test_other_errors_are_bugs(monkeypatch):
    def fails(*_: object) -> None:
        raise OSError(errno.EBADF, "no such descriptor")

    monkeypatch.setattr(Referee, "_decide", fails)
    with pytest.raises(OSError, match="descriptor"):
        Referee(None)._fairly(None, "answer")  # type: ignore[arg-type]


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.parametrize("config", ["cpu", "spec_to_warp"])
def test_without_processes_there_is_no_verdict(config):
    """The fork server gets no descriptor for a pipe, and then it does."""
    row, wrong = row_at(config), "" if config == "spec_to_warp" else cpu_kernel("out[-9999] = 1.0;")
    with Cage() as own:
        referee = Referee(own)
        assert referee.judge(Answer(row, row["completion"], None, 0)).value == 1.0
        limit = resource.prlimit(own.process_id, resource.RLIMIT_NOFILE)
        resource.prlimit(own.process_id, resource.RLIMIT_NOFILE, (4, limit[1]))
        short = referee.judge(Answer(row, row["completion"], None, 5))
        assert (short.status, short.value) == (Status.UNAVAILABLE, None)
        if wrong:
            assert referee.judge(Answer(row, wrong, None, 5)).status is Status.UNAVAILABLE
        resource.prlimit(own.process_id, resource.RLIMIT_NOFILE, limit)
        assert referee.judge(Answer(row, row["completion"], None, 5)).value == 1.0
        if wrong:
            assert referee.judge(Answer(row, wrong, None, 5)).status is Status.CRASH


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.parametrize("config", ["cpu", "cuda", "cuda_backward", "warp_to_cuda", "spec_to_warp", "repair"])
def test_the_row_s_own_code_is_right(cage, config):
    row = row_at(config)
    assert Referee(cage).judge(Answer(row, "x", config, 0, own=True)).status is Status.CORRECT


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.parametrize("config", ["cpu", "spec_to_warp"])
def test_code_without_measure_is_not_looked_at(judge, config):
    row = row_at(config)
    mark, longest = ("#", LONGEST_PYTHON) if config == "spec_to_warp" else ("//", LONGEST)
    for length, status in ((longest, Status.CORRECT), (longest + 1, Status.FORBIDDEN)):
        code = f"{row['completion']}{mark} "
        verdict = judge(row, f"```\n{code.ljust(length, 'x')}\n```")
        assert verdict.status is status, verdict.feedback
