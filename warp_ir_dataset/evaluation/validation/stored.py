"""Rows of another version: nothing can be drawn again, but their own text is compiled, and run on their own
examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...builds.filling import BATCH_SIZE
from ...common.configs import CONFIGS, Config
from ...common.outcomes import Rejected, Row
from ...compilers import plain, units, warp
from ...compilers.units import Member
from ...compilers.warp import CompileError
from ...language.cuda.refusals import NoPlainForm
from ...language.cuda.render import render
from ...language.program import Signature
from ...language.python.read import read
from ...proof import verify
from ...proof.run import Result, Runner
from ...proof.told import arrays_of, examples_of, signature_of
from ...workers.task import Task
from .part import Part

COMPILED, RUN = "compiled", "run"

TASK = "warp_ir_dataset.evaluation.validation.stored:try_rows"
_PREFIX = "k0"
Wrong = tuple[str, str]  # a check, and what it finds wrong


def differences(part: Part, columns: Sequence[str]) -> Iterator[tuple[str, list[Wrong]]]:
    """A row's place, and what is wrong with it, for each row that is sampled."""
    for tag, outcomes in part.build.workshop(Task(TASK, (part.name,)), _batches(part, columns)):
        for place, outcome in zip(tag, outcomes, strict=True):
            if isinstance(outcome, Rejected):
                yield place, [(RUN, f"{outcome.reason.value} ({outcome.detail})")]
            else:
                yield place, outcome["wrong"]


def _batches(part: Part, columns: Sequence[str]) -> Iterator[tuple[list[str], list[Row]]]:
    for file, rows in part.rows(columns):
        wanted = list(filter(part.is_sampled, rows))
        for start in range(0, len(wanted), BATCH_SIZE):
            batch = wanted[start : start + BATCH_SIZE]
            yield [f"{file}: {row['id']}" for row in batch], batch


def try_rows(rows: Sequence[Row], config_name: str, notify: Callable[[int], None]) -> list[dict[str, Any]]:
    """What is wrong with each row: the function of a `Task`, which see."""
    found = []
    for index, row in enumerate(rows):
        notify(index)
        found.append({"wrong": _try(row, CONFIGS[config_name])})
    return found


def _try(row: Row, config: Config) -> list[Wrong]:
    """What does not compile is not run either."""
    try:
        signature = signature_of(row)
        member = _member(row, signature, config)
        library = warp.compile_native(units.native_unit([member], [member] if config.cuda else []))
    except (CompileError, NoPlainForm, StopIteration, ValueError, KeyError, TypeError) as error:
        return _neither(error)
    try:
        runner = Runner(signature, member, library, config.cuda)
    except (ValueError, KeyError, RuntimeError) as error:
        library.unload()
        return _neither(error)
    try:
        return [(RUN, what) for what in _run(row, runner, signature, config)]
    except (ValueError, KeyError, TypeError) as error:
        return [(RUN, f"its examples are not those of its arguments: {error}")]
    finally:
        library.unload()


def _neither(error: Exception) -> list[Wrong]:
    what = f"it does not compile: {str(error) or type(error).__name__}"
    return [(COMPILED, what), (RUN, what)]


def _member(row: Row, signature: Signature, config: Config) -> Member:
    """The row's own completion as a member of a unit."""
    source, code = row["python_source"], row["completion"]
    if config.python:
        return Member(_PREFIX, warp.translate(code, signature.name, backward=False, cuda=False))
    own = warp.translate(source, signature.name, backward=config.adjoint, cuda=config.cuda)
    if config.plain:
        found = replace(render(read(source, signature)), completion=code)
        return Member(_PREFIX, own, plain.runnable(found, signature, _PREFIX))
    return Member(_PREFIX, replace(own, cuda=code) if config.cuda else replace(own, cpu=code))


def _run(row: Row, runner: Runner, signature: Signature, config: Config) -> Iterator[str]:
    arrays = partial(arrays_of, signature)
    for number, example in enumerate(examples_of(row)):
        inputs, outputs = arrays(example["inputs"]), arrays(example["outputs"])
        gradients = arrays(example["output_gradients"]) if "output_gradients" in example else None
        expected = Result({**outputs}, {**arrays(example.get("input_gradients", {}))})
        if config.plain:
            found = runner.run_plain(inputs)
        elif config.cuda:
            found = runner.run_cuda(inputs, gradients)
        else:
            found = runner.run(inputs, gradients)
        for what in ("outputs", "gradients"):
            unequal = verify.compare(getattr(found, what), getattr(expected, what)).unequal
            if unequal is not None:
                yield f"example {number}: {what} differ in {unequal}"
