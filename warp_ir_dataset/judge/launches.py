"""Runs CUDA kernels of anybody's on the machine, in the sandbox, and says which rules they break."""

from __future__ import annotations

import functools
import math
import mmap
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..common import given
from ..common.errors import Failure, UserError
from ..machine import check, machine, selftest, text
from ..machine.check import Launch, Seen
from ..machine.findings import Checked
from .cage.cage import Cage, kept_cage
from .cage.job import Ended, Launches, Segment, Short

_ERROR = re.compile(r"kernel\.cu(?:\.(end|begin))?(?:\((\d+)\)|:(\d+):\d+): (?:\w+ )?error[^:\n]*: ([^\n]+)")
_ASSEMBLER = re.compile(r"\b(?:error|fatal)\s*: ([^\n]+)")


_SEGMENTS = tuple(
    Segment(place, mmap.PAGESIZE, number * mmap.PAGESIZE, number == 0)
    for number, place in enumerate(selftest.PLACES)
)


class Launcher:
    """Launches kernels, one text after the other, in a cage. Belongs to one process."""

    def __init__(self, cage: Cage) -> None:
        self._cage = cage
        self._tested = False

    def launch(self, source: str, launches: Sequence[Launch], seed: int = 0) -> list[Seen]:
        """What the machine saw of each launch of kernels of a text.

        Raises `UserError` for a text that does not compile, and for arguments that are not the kernel's;
        `Failure` where the machine cannot be trusted or did not come to an end, which says nothing of a
        kernel.
        """
        job = check.job(source, launches, seed)
        try:
            ended = self.run(job)
            if ended.end == "ran":
                return check.seen(job, text.named_back(ended.said))
            raise _why(ended)
        except Short as error:
            raise Failure(f"this machine has no process to run the kernel in: {error}") from error
        finally:
            job.close()

    def run(self, job: check.Job, segments: Sequence[Segment] = ()) -> Ended:
        """How a job ended, whose pages are mapped as `segments` say. Raises `Failure` where the machine
        cannot be trusted, `Short`."""
        if not self._tested:
            self._test()
            self._tested = True
        return self._cage.launch(Launches(job.wanted, segments=tuple(segments)), job.pages)

    def _test(self) -> None:
        job = check.job(selftest.TEXT, selftest.probes())
        behind = selftest.job_of_warp()
        try:
            ended = self._cage.launch(Launches(job.wanted), job.pages)
            if ended.end != "ran":
                raise _untested(ended)
            wrong = selftest.failing(check.seen(job, text.named_back(ended.said)))
            for name, wanted in selftest.refused(job.wanted).items():
                if wrong is None and self._cage.launch(Launches(wanted), job.pages).end != "refused":
                    wrong = name
            ended = self._cage.launch(Launches(behind.wanted, segments=_SEGMENTS), behind.pages)
            if ended.end != "ran":
                raise _untested(ended)
            wrong = wrong or selftest.failing_of(selftest.WANTED_OF_WARP, check.reported(behind))
        finally:
            job.close()
            behind.close()
        if wrong is not None:
            raise Failure(f"the machine does not find out what its own test does: {wrong}")


def _untested(ended: Ended) -> Failure:
    """The machine's own test, and no text that somebody gave, did not come to its end."""
    said = first_error(ended.said) if ended.end == "refused" else ended.said
    return Failure(f"the machine's own test does not run here ({ended.end}): {said}")


def _why(ended: Ended) -> UserError | Failure:
    if ended.end == "refused":
        return UserError(str(first_error(ended.said)))
    if not ended.loaded and ended.end in ("timeout", "memory"):
        return UserError("the text takes the compilers too much time or memory: make it simpler")
    return Failure(f"the machine ended ({ended.end} {ended.said}): this says nothing of the kernel")


@dataclass(frozen=True)
class Error:
    """The first that a compiler reports. `line` is the text's; None for a place that is not in it, but
    ``begin`` or ``end`` of what stands around it, if that is known."""

    what: str
    line: int | None = None
    around: str = ""

    def __str__(self) -> str:
        return self.what if self.line is None else f"line {self.line}: {self.what}"


def first_error(said: str) -> Error:
    """Of what a compiler says, with the text's own names."""
    found = _ERROR.search(said)
    if found is None:  # an assembler's, which knows no lines, or our own, behind warnings
        whole = _ASSEMBLER.search(said) or re.search(r"([^\n]+)\s*\Z", said)
        return Error(text.named_back(whole[1].strip()) if whole else "the text does not compile")
    around, what = found[1] or "", text.named_back(found[4].strip())
    return Error(what, None if around else int(found[2] or found[3]), around)


@functools.cache
def kept_launcher() -> Launcher:
    """The one of this process. Raises `UserError` where a wall of the sandbox is missing."""
    return Launcher(kept_cage())


def checked(
    source: str,
    kernel: str,
    arguments: Sequence[Any],
    grid: int | Sequence[int],
    block: int | Sequence[int],
    shared: int,
    seed: int,
) -> Checked:
    """See `api.check_cuda`."""
    launch = Launch(
        kernel,
        arguments,
        check.size("grid", grid, machine.MOST_BLOCKS, (2**31 - 1, 65535, 65535)),
        check.size("block", block, machine.MOST_THREADS, (1024, 1024, 64)),
        given.whole("shared", shared, 0, machine.MOST_SHARED),
    )
    threads = math.prod(launch.grid) * math.prod(launch.block)
    if threads > machine.MOST_TOTAL:
        raise UserError(f"a launch must have at most {machine.MOST_TOTAL:,} threads, not {threads:,}")
    for each in arguments:
        if isinstance(each, np.ndarray) and not each.flags.writeable:
            raise UserError("an array is read-only: give a copy, since kernels change arrays in place")
    (seen,) = kept_launcher().launch(source, [launch], seed)
    for array, after in zip(seen.given, seen.arrays[0], strict=True):
        if after is not None:
            array[...] = after
    return seen.checked
