"""A group of answers in Python is compiled in one unit: each gets the verdict that it gets alone, whoever is
beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import pytest
from toys.judged import python_answer, row_at

from warp_ir_dataset.compilers import warp
from warp_ir_dataset.judge import referee
from warp_ir_dataset.judge.answers import Answer
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.cage.job import Call, Ended, Job, Limits, Segment, Sources, Unit
from warp_ir_dataset.judge.python import together
from warp_ir_dataset.judge.referee import Referee
from warp_ir_dataset.judge.verdict import Status, Verdict

pytestmark = [pytest.mark.process, pytest.mark.compile]

LIMITS = Limits(load_seconds=20.0, run_seconds=1.0)
RIGHT = "wp.cosh(data[i])"


def read(value: str, module: str = "") -> str:
    return python_answer(module, value, executed=False)


FUNCTION = "@wp.func\ndef f(x: wp.float64) -> wp.float64:\n    return wp.{}(x)\n"
# What is read and translated, each another program; then what is not.
SHARED = {
    read(RIGHT): Status.CORRECT,
    read(f"{RIGHT} * wp.float64(1.0)"): Status.CORRECT,
    read("wp.sinh(data[i])"): Status.WRONG_OUTPUT,
    read(f"{RIGHT} / (data[i] - data[i])"): Status.NOT_FINITE,
    read("wp.cosh(data[i + 1])"): Status.CRASH,
    read("f(data[i])", FUNCTION.format("cosh")): Status.CORRECT,  # of one name
    read("f(data[i])", FUNCTION.format("sinh")): Status.WRONG_OUTPUT,
}
ALONE = {
    read("wp.not_there(data[i])"): Status.COMPILE_ERROR,
    read("wp.cosh(wp.float32(data[i]))"): Status.WRONG_OUTPUT,
    python_answer("import math", RIGHT): Status.CORRECT,
    python_answer("import os\nK = os.getpid()", "wp.float64(K)", executed=True): Status.FORBIDDEN,
    "def kernel(:\n": Status.COMPILE_ERROR,
    "": Status.EMPTY,
}


class Watching(Cage):
    """A cage that counts what it is asked for: how many units are built for several, and how many runs use
    one."""

    def __init__(self, built: Callable[[Unit], Ended | None] = lambda unit: None) -> None:
        super().__init__()
        self.units: list[str] = []
        self.shared = 0
        self._built = built

    def build(self, unit: Unit) -> Ended | int:
        self.units.append(unit.unit)
        return self._built(unit) or super().build(unit)

    def run(self, job: Job, pages: int, compiled: int | None = None) -> Ended:
        self.shared += compiled is not None
        return super().run(job, pages, compiled)


@pytest.fixture
def watching() -> Iterator[Watching]:
    with Watching() as cage:
        yield cage


def judged(cage: Cage, texts: Sequence[str]) -> list[Verdict]:
    """What workers do with a batch, in a cage that is given."""
    answers = [Answer(row_at("spec_to_warp"), text, "spec_to_warp", 0) for text in texts]
    with patch.dict(referee._referees, {(False, ()): Referee(cage, LIMITS)}):
        return referee.judge_some(answers, "", "", lambda index: None)


def alone(cage: Cage, texts: Sequence[str]) -> list[Verdict]:
    return [verdict for text in texts for verdict in judged(cage, [text])]


def test_a_group_gets_the_verdicts_of_its_answers_alone(watching: Watching) -> None:
    wanted = SHARED | ALONE
    together = judged(watching, [*wanted])
    assert [verdict.status for verdict in together] == [*wanted.values()]
    (unit,) = watching.units
    assert unit.count("WP_API") == watching.shared == len(SHARED) + 1  # that of float32 too
    assert together == alone(watching, [*wanted])
    assert len(watching.units) == 1


def test_the_same_program_is_compiled_once(watching: Watching) -> None:
    first, second, *_ = SHARED
    texts = [first, second, f"{first}\n# again\n", f"```python\n{second}```"]
    assert [verdict.value for verdict in judged(watching, texts)] == [1.0] * 4
    assert watching.units[0].count("WP_API") == 2 and watching.shared == 4
    assert [verdict.value for verdict in judged(watching, [first, first])] == [1.0] * 2
    assert len(watching.units) == 1  # one program needs no unit of several


@pytest.mark.parametrize("end", ["refused", "crash", "timeout", "memory"])
def test_where_a_unit_fails_each_is_compiled_alone(end: Any) -> None:
    with Watching(lambda unit: Ended(end, False, "error")) as cage:
        assert [verdict.status for verdict in judged(cage, [*SHARED])] == [*SHARED.values()]
        assert len(cage.units) == 1 and not cage.shared


def test_where_translating_fails_each_is_translated_alone(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    translate = Cage.translate

    def failing(cage: Cage, asked: Sources) -> Any:
        return translate(cage, asked) if len(asked.sources) == 1 else Ended("timeout", False, "")

    monkeypatch.setattr(Cage, "translate", failing)
    assert [verdict.status for verdict in judged(watching, [*SHARED])] == [*SHARED.values()]
    assert not watching.units


def test_what_fails_in_a_unit_spoils_nobody(watching: Watching, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that Warp translates and clang refuses: then nobody's text is compiled with it."""
    broken = read("wp.cosh(data[i]) + wp.float64(123.25)")
    translate = Cage.translate

    def spoiling(cage: Cage, asked: Any) -> Any:
        made = translate(cage, asked)
        return made if isinstance(made, Ended) else [spoiled(text) for text in made]

    def spoiled(text: Any) -> Any:
        return text and type(text)(text.name, text.text.replace("123.25", "123.25 missing"))

    monkeypatch.setattr(Cage, "translate", spoiling)
    verdicts = judged(watching, [*SHARED, broken])
    assert [verdict.status for verdict in verdicts] == [*SHARED.values(), Status.COMPILE_ERROR]
    assert len(watching.units) == 1 and not watching.shared


@pytest.mark.parametrize(
    "text",
    [
        read(RIGHT).replace("i = wp.tid()", "i = wp.tid()  # says \\"),
        read(RIGHT).replace("i = wp.tid()", '"""#define double float"""\n    i = wp.tid()'),
        read(RIGHT).replace("i = wp.tid()", "# */ /*\n    i = wp.tid()"),
    ],
)
def test_nothing_that_an_answer_says_is_in_a_unit(watching: Watching, text: str) -> None:
    other = read(f"{RIGHT} * wp.float64(1.0)")
    assert [verdict.value for verdict in judged(watching, [text, other])] == [1.0, 1.0]
    (unit,) = watching.units
    assert watching.shared == 2
    assert not any(part in unit for part in ("says", "double float", "*/", "results[i]"))


def test_what_holds_a_string_is_compiled_alone(watching: Watching) -> None:
    printing = read(RIGHT).replace("i = wp.tid()", "i = wp.tid()\n    wp.printf('a')")
    texts = [printing, *SHARED]
    assert [verdict.status for verdict in judged(watching, texts)] == [Status.CORRECT, *SHARED.values()]
    assert watching.units[0].count("WP_API") == watching.shared == len(SHARED)


@pytest.mark.parametrize("name", ["LONGEST", "LONGEST_TEXT"])
def test_what_is_long_is_compiled_alone(
    watching: Watching, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(together, name, 100)
    assert [verdict.status for verdict in judged(watching, [*SHARED])] == [*SHARED.values()]
    assert not watching.units


def test_a_unit_takes_no_longer_than_a_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    with Watching(lambda unit: asked.append(unit.limits.load_seconds)) as cage:
        judged(cage, [*SHARED])
    assert asked == [LIMITS.load_seconds / together.QUICK]


def test_what_a_translation_is_refused_for_keeps_it_out(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee.tiles, "unseen", lambda text: "no" if "sinh" in text else None)
    refused = [text for text in SHARED if "sinh" in text]
    expected = [Status.COMPILE_ERROR if text in refused else status for text, status in SHARED.items()]
    assert [verdict.status for verdict in judged(watching, [*SHARED])] == expected
    assert watching.units[0].count("WP_API") == len(SHARED) - len(refused)


def test_of_rows_apart_nothing_is_shared(watching: Watching) -> None:
    judge = Referee(watching, LIMITS)
    rows = row_at("spec_to_warp"), row_at("spec_to_warp", "math", 3)
    answers = [Answer(row, row["completion"], "spec_to_warp", 0) for row in rows]
    judge.share(answers, lambda index: None)
    assert [judge.judge(answer).value for answer in answers] == [1.0, 1.0]
    seeds = [Answer(rows[0], text, "spec_to_warp", seed) for seed, text in enumerate([*SHARED][:2])]
    judge.share(seeds, lambda index: None)
    assert [judge.judge(answer).value for answer in seeds] == [1.0, 1.0]
    assert not watching.units


def test_who_is_read_is_told(watching: Watching) -> None:
    """A process that ends over one has that one to blame."""
    told: list[int] = []
    row = row_at("spec_to_warp")
    answers = [Answer(row, text, "spec_to_warp", 0) for text in SHARED]
    Referee(watching, LIMITS).share(answers, told.append)
    assert told == [*range(len(SHARED)), -1]


def test_an_object_is_written_no_more_and_closed(watching: Watching) -> None:
    unit = f'{warp.preamble("cpu")}\nextern "C" void k(int* page) {{ page[0] = 7; }}\n'
    compiled = watching.build(Unit(unit, LIMITS))
    assert isinstance(compiled, int)
    for write in (lambda: os.pwrite(compiled, b"x", 0), lambda: os.ftruncate(compiled, 0)):
        with pytest.raises(PermissionError):
            write()
    pages = os.memfd_create("page")
    os.ftruncate(pages, 4096)
    segment = Segment(0x2000_0000_0000, 4096, 0, True)
    job = Job("", (segment,), (Call("k", (segment.address,)),), LIMITS)
    assert watching.run(job, pages, compiled) == Ended("ran", True, "")
    assert os.pread(pages, 4, 0) == b"\7\0\0\0"
    os.close(pages)
    os.close(compiled)

    judge = Referee(watching, LIMITS)
    answers = [Answer(row_at("spec_to_warp"), text, "spec_to_warp", 0) for text in SHARED]
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        judge.share(answers, lambda index: None)
    assert len(os.listdir("/proc/self/fd")) == before + 1


def test_a_unit_that_is_refused_says_why(watching: Watching) -> None:
    ended = watching.build(Unit(f"{warp.preamble('cpu')}\nint x = missing;\n", LIMITS))
    assert ended == Ended("refused", False, "use of undeclared identifier 'missing'")
