"""Runs answers in plain CUDA on the machine (`machine`), in the sandbox: each hidden case once, in one order
of threads and blocks."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ...common.errors import Failure, UserError
from ...compilers import plain
from ...language import ir
from ...language.cuda.render import PlainCuda
from ...machine import check, findings, machine, macros, text
from ...machine.check import Placed
from ...machine.machine import Kernel
from ...proof.run import Result
from ..cage.job import Ended
from ..launches import Launcher, first_error
from ..pages import Pages, Spoiled
from ..verdict import Status
from . import spellings

QUOTED = 3  # findings, at most


@dataclass(frozen=True)
class Asked:
    """What answers in plain CUDA to one row share: the kernel as the project writes it, the text that stands
    before answers, and how each case is launched. Raises `UserError` for what the machine does not take."""

    rendered: PlainCuda
    before: text.Text
    kernel: Kernel
    launches: tuple[Placed, ...]
    pages: Pages

    @staticmethod
    def of(rendered: PlainCuda, signature: ir.Signature, pages: Pages) -> Asked:
        types = [parameter.text for parameter in rendered.parameters]
        launches: list[Placed] = []
        for case, order in zip(pages.cases, orders_of(pages), strict=True):
            arguments = plain.passed(rendered, case.signature, pages.record(case))
            grid, block = (case.grid.blocks, 1, 1), (case.grid.threads, 1, 1)
            launches.append(Placed(arguments, pages.memory(case), grid, block, order))
        before = text.read(rendered.prelude)
        sizes = map(len, launches[0].arguments)
        kernel = Kernel(rendered.name, tuple(zip(types, sizes, strict=True)))
        return Asked(rendered, before, kernel, tuple(launches), pages)


# The largest launch comes first in one that stops threads for one another.
_TURNS = check.RANDOM, check.FORWARD, check.RANDOM + 1, check.BACKWARD


def orders_of(pages: Pages) -> list[tuple[int, int, int, int]]:
    """The order in which each case runs: those with launches of one size have all in turn."""
    sizes = [math.prod(case.signature.launch_dim) for case in pages.cases]
    ranked, seen = sorted({*sizes}, reverse=True), Counter[int]()
    found = []
    for number, size in enumerate(sizes):
        turn = _TURNS[(ranked.index(size) + seen[size]) % len(_TURNS)]
        seen[size] += 1
        found.append(check.passes(number)[turn])
    return found


def ran(launcher: Launcher, asked: Asked, code: str) -> list[Result] | tuple[Status, str] | Ended:
    """What an answer leaves of each case; or what is wrong with it; or how its process ended otherwise.
    Raises `Failure` where the machine cannot be trusted, `Short`."""
    code = spellings.without_repeats(spellings.without_launches(code), asked.rendered.interface)
    if not code.strip():
        return Status.EMPTY, "there is no code in the answer"
    try:
        read = text.read(code)
    except macros.Refused as error:
        return _STATUS[type(error)], str(error)
    place = partial(check.placed_job, read, asked.before, asked.kernel, asked.launches)
    found = left(launcher, asked.pages, place)
    if isinstance(found, Ended) and found.end == "refused":
        return Status.COMPILE_ERROR, _refusal(found.said, asked)
    return found


def left(
    launcher: Launcher, pages: Pages, place: Callable[[int, int], check.Job]
) -> list[Result] | tuple[Status, str] | Ended:
    """What launches leave of each case; or the rule that they break; or how their process ended otherwise.
    `place` makes the job for a file of the pages, and the place in it where what is told begins."""
    file = pages.file(check.ANSWER)
    try:
        job = place(file, len(pages.image))
        ended = launcher.run(job, pages.segments)
        if ended.end != "ran":
            return ended
        wrong = _found(job, text.named_back(ended.said))
        return pages.left(file) if wrong is None else wrong
    except Spoiled:
        return Status.WRONG_OUTPUT, "the kernel writes to memory beside its arrays"
    finally:
        os.close(file)


_STATUS = {
    macros.Refused: Status.FORBIDDEN,
    macros.Broken: Status.COMPILE_ERROR,
    macros.Lacking: Status.UNSUPPORTED,
}


def _refusal(said: str, asked: Asked) -> str:
    error = first_error(said)
    if machine.NO_KERNEL in error.what or (error.around == "end" and "static assertion" not in error.what):
        types = ", ".join(type for type, _ in asked.kernel.parameters or ())
        return f"{asked.kernel.name} {machine.NO_KERNEL} void {asked.kernel.name}({types})"
    return str(error)


def _found(job: check.Job, said: str) -> tuple[Status, str] | None:
    """The rules of CUDA that an answer breaks, without anything of the inputs on which it does."""
    try:
        reported = check.reported(job, said)
    except UserError as error:  # too many fences for the machine's records
        return Status.MEMORY, str(error)
    except Failure:
        return Status.CRASH, "the kernel ended the process that it ran in"
    found = {(each.kind, each.line): each for seen in reported for each in seen.findings}
    if not found:
        return None
    hangs = any(kind == "hang" for kind, _ in found)
    return Status.TIMEOUT if hangs else Status.WRONG_OUTPUT, _quoted([*found.values()])


def _quoted(found: Sequence[findings.Finding]) -> str:
    lines = [
        f"{each.kind}{f' in line {each.line}' if each.line else ''}: {findings.RULES[each.kind]}"
        for each in found[:QUOTED]
    ]
    return "\n".join(lines)
