"""The result of judging an answer: a status, feedback, and a score of 0.0 or 1.0."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

FEEDBACK = 1500  # characters that a model may see
SHORT_OF = "this machine is short of processes or memory, which says nothing about the answer"


class Status(str, Enum):
    """Why an answer has its value. Only `CORRECT` counts 1.0."""

    CORRECT = "correct"
    WRONG_OUTPUT = "wrong_output"  # an output differs on some hidden input, or memory around it was written
    WRONG_GRADIENT = "wrong_gradient"  # outputs agree, a gradient does not
    NOT_FINITE = "not_finite"  # an infinity or a NaN where a number belongs
    COMPILE_ERROR = "compile_error"  # it is not read, translated or compiled, or the kernel is not in it
    CRASH = "crash"  # its process died: out of an array, or with a call that the cage forbids
    TIMEOUT = "timeout"  # it does not end, or its compilation
    MEMORY = "memory"  # it wants more than there is for it
    FORBIDDEN = "forbidden"  # it says what no answer needs (`gate.FORBIDDEN`), or too much
    EMPTY = "empty"  # there is no code in it
    UNSUPPORTED = "unsupported"  # the row cannot be judged: says nothing about the answer
    UNAVAILABLE = "unavailable"  # this machine was short of processes or memory: says nothing of it either


@dataclass(frozen=True)
class Verdict:
    """The result of judging an answer.

    Attributes:
        status: Why the answer has its value.
        feedback: One or a few lines that a model may see: they contain no hidden value.
        seed: Which seed the hidden inputs were sampled with.
    """

    status: Status
    feedback: str
    seed: int

    @property
    def value(self) -> float | None:
        """1.0 for a correct answer, 0.0 for any other; None where nothing can be said of it."""
        if self.status in (Status.UNSUPPORTED, Status.UNAVAILABLE):
            return None
        return 1.0 if self.status is Status.CORRECT else 0.0


def unavailable(seed: int) -> Verdict:
    return Verdict(Status.UNAVAILABLE, SHORT_OF, seed)
