"""The outcome of a candidate: a row, or one reason for its rejection. Every rejection is counted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Reason(str, Enum):
    ILLEGAL = "illegal"  # by its tree it may leave an array, a type's limits or where an operation is defined
    COMPILE_ERROR = "compile_error"  # clang or NVRTC refused it
    CRASH = "crash"  # the process that compiled or ran it died
    TIMEOUT = "timeout"  # it never ended; counted only when faults are skipped
    NOT_FINITE = "not_finite"  # an output holds an infinity or a NaN
    CONSTANT_OUTPUT = "constant_output"  # an output is the same for several random inputs
    IGNORES_INPUT = "ignores_input"  # no output changes when one of the inputs does
    NEAR_ZERO = "near_zero"  # an output is zero, or nearly so, throughout
    DEAD_ARM = "dead_arm"  # an arm of a branch runs on no input that was drawn
    DEAD_STATEMENT = "dead_statement"  # what a statement computes shows in no output
    ONLY_COPIES = "only_copies"  # every output is an input
    ROUNDING_DECIDES = (
        "rounding_decides"  # float32 and float64, or rounding otherwise, give visibly different outputs
    )
    NO_PLAIN_FORM = "no_plain_form"  # it is not written as plain CUDA, or its source not read
    PLAIN_DIFFERS = "plain_differs"  # the plain CUDA and Warp's CPU launch disagree
    UNBROKEN = "unbroken"  # no mistake was found that shows in it
    UNTOLD = "untold"  # no specification can be written of it
    CUDA_DIFFERS = "cuda_differs"  # the CUDA text and Warp's CPU launch disagree
    RACE = "race"  # threads in another order give something else, and that is not what an atomic returned
    ADJOINT_DIFFERS = "adjoint_differs"  # the two adjoints, or float32 and float64, disagree
    WRONG_GRADIENT = "wrong_gradient"  # the adjoint and finite differences disagree
    NO_GRADIENT = "no_gradient"  # every input gradient is zero, or that of an input which may have one
    KINK = "kink"  # too few inputs lie where a derivative exists
    CHANGED = "changed"  # of a kernel that was collected: the installed Warp has no such kernel any more
    NO_LAUNCH = "no_launch"  # of a kernel that was collected: no inputs were found that it can be run with
    NO_TWIN = "no_twin"  # of a kernel that was collected: it is not known how to write it otherwise


@dataclass(frozen=True)
class Rejected:
    """A candidate that failed its proof; `detail` is one line for a person."""

    reason: Reason
    detail: str


def failures(count: int, *, replaced: bool) -> str:
    """The sentence on candidates that failed their proof, for progress lines; empty if there are none."""
    if not count:
        return ""
    told = "1 candidate failed its proof" if count == 1 else f"{count:,} candidates failed their proof"
    was = "was" if count == 1 else "were"
    return f"{told} and {was} {'replaced' if replaced else 'left out'}"


Row = dict[str, Any]
Outcome = Row | Rejected


class BatchFailed(Exception):
    """A unit of several kernels did not compile, so that one of them is to blame; says what was wrong."""
