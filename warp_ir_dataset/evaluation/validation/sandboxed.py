"""Rows of another version: nothing can be drawn again, but each row's own completion is run in the judge's
sandbox, on the row's own examples.

Outside of the sandbox nothing of a folder is executed. How arguments lie in memory is Warp's to say: it is
given the row's kernel as the project reads it and writes it anew. A kernel that cannot be read is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ...builds.filling import BATCH_SIZE
from ...common.configs import CONFIGS, Config
from ...common.outcomes import Rejected, Row
from ...compilers import warp
from ...judge.cage.job import Short
from ...judge.hidden import Expected
from ...judge.question import Question
from ...judge.referee import Prepared, Referee, kept_referee
from ...judge.verdict import SHORT_OF, Status
from ...language.cuda.render import PlainCuda, render
from ...language.python.read import Unreadable, read
from ...language.python.write import write
from ...proof.run import Result
from ...proof.subject import Arrays
from ...proof.told import arrays_of, examples_of, signature_of
from ...workers.task import Task
from .part import Part

COMPILED, RUN = "compiled", "run"
COLUMNS = ("id", "kernel_name", "python_source", "completion", "arguments", "launch_dim", "examples")

_TASK = "warp_ir_dataset.evaluation.validation.sandboxed:try_rows"
_NOT_COMPILED = (Status.EMPTY, Status.FORBIDDEN, Status.COMPILE_ERROR)
Wrong = tuple[str, str]  # a check, and what it finds wrong


def differences(part: Part) -> Iterator[tuple[str, list[Wrong] | str]]:
    """A row's place, and what is wrong with it or why it was left out, for each row that is sampled. Raises
    `UserError` where this system has no such sandbox."""
    for tag, outcomes in part.build.workshop(Task(_TASK, (part.name,), of_others=True), _batches(part)):
        for place, outcome in zip(tag, outcomes, strict=True):
            if isinstance(outcome, Rejected):
                yield place, [(RUN, f"{outcome.reason.value} ({outcome.detail})")]
            else:
                yield place, outcome["left_out"] or outcome["wrong"]


def _batches(part: Part) -> Iterator[tuple[list[str], list[Row]]]:
    for file, rows in part.rows(COLUMNS):
        wanted = list(filter(part.is_sampled, rows))
        for start in range(0, len(wanted), BATCH_SIZE):
            batch = wanted[start : start + BATCH_SIZE]
            yield [f"{file}: {row['id']}" for row in batch], batch


def try_rows(rows: Sequence[Row], config: str, notify: Callable[[int], None]) -> list[dict[str, Any]]:
    """What is wrong with each row: the function of a `Task`, which see. Raises `UserError`."""
    referee = kept_referee()
    found = []
    for index, row in enumerate(rows):
        notify(index)
        wrong: list[Wrong] = []
        left_out = None
        try:
            wrong = _try(referee, row, CONFIGS[config])
        except Unreadable as error:
            left_out = str(error)
        except Short:
            left_out = SHORT_OF
        except Exception as error:  # whoever wrote the row chose what it raises
            wrong = [(RUN, f"its columns do not fit each other: {' '.join(str(error).split())[:200]}")]
        found.append({"wrong": wrong, "left_out": left_out})
    return found


def _try(referee: Referee, row: Row, config: Config) -> list[Wrong]:
    """What does not compile is not run either. Raises `Unreadable`, and others for what is no row."""
    kernel = _kernel(row, config)
    for number, example in enumerate(examples_of(row)):
        status, told = referee.repeat(_prepared(kernel, example), row["completion"])
        if status is Status.UNAVAILABLE:
            raise Short(told)
        if status in _NOT_COMPILED:
            return [(check, f"it does not compile: {told}") for check in (COMPILED, RUN)]
        if status is not Status.CORRECT:
            return [(RUN, f"example {number}: {status.value} ({told})")]
    return []


class _Kernel(NamedTuple):
    """A row's kernel as the project reads it, and what Warp or the renderer makes of it."""

    question: Question
    own: warp.Translation
    rendered: PlainCuda | None


def _kernel(row: Row, config: Config) -> _Kernel:
    """Reads and translates a kernel once, for all examples of its row. Raises like `_try`."""
    signature = signature_of(row)
    program = read(row["python_source"], signature)
    source = write(program)
    own = warp.translate(source, signature.name, backward=config.adjoint, cuda=config.cuda)
    question = Question(config, row["id"], signature, source, program)
    return _Kernel(question, own, render(program) if config.plain else None)


def _prepared(kernel: _Kernel, example: dict[str, Any]) -> Prepared:
    """A row as a question whose inputs and answers are those of one of its examples."""
    question, own, rendered = kernel
    signature, adjoint = question.signature, question.config.adjoint

    def arrays(what: str) -> Arrays:
        return arrays_of(signature, example[what])

    seeds = (arrays("output_gradients"),) if adjoint else ()
    wanted = Result(dict(arrays("outputs")), dict(arrays("input_gradients")) if adjoint else {})
    expected = Expected(
        own, (signature,), (arrays("inputs"),), seeds, ({},), (wanted,), {}, (), ({},), (Result({}, {}),)
    )
    return Prepared.of(question, expected, rendered)
