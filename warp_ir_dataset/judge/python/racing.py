"""Finds answers in Python with data races, which no run on a CPU shows: threads run there one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...common.outcomes import Rejected
from ...language.analysis.interpreter import Endless, in_step
from ...language.analysis.intervals import Illegal
from ...language.analysis.legality import no_races
from ...language.analysis.memory import Meeting
from ...language.mutants.table import stands
from ...language.program import Apply, For, Program, Signature, ThreadIndex, While
from ...language.python.read import Unreadable
from ...language.walks import statements, walk
from ...proof.run import Result
from ...proof.subject import Arrays
from ...proof.verify import meaning_agrees
from ..candidate import read_answer


def races(
    code: str,
    own: Program,
    signatures: Sequence[Signature],
    inputs: Sequence[Arrays],
    expected: Sequence[Result],
) -> bool | None:
    """Whether what an answer gives is wrong on some inputs when its threads run in step, as those of a GPU's
    warp do. `own` is the question's program, `expected` what that gives, launched as `signatures` say.

    None where that is not known: of an answer that cannot be read or is nested deep, that has more loops than
    `own` (it is run here, outside of any cage), whose threads use what atomics return or exchange, where
    `own` does not exchange, or may meet and yet are right in step: another warp's may come first.
    """
    try:
        program = read_answer(code, own.signature)
        if not _may_race(program):
            return None if _exchanges(program) and not _exchanges(own) else False
        if _loops(program) > _loops(own) or not stands(program):
            return None
    except (Unreadable, RecursionError):
        return None
    for signature, given, wanted in zip(signatures, inputs, expected, strict=True):
        stacked = {name: np.asarray(value)[None] for name, value in given.items()}
        try:
            left = in_step(replace(program, signature=signature), stacked, 1)
        except (Meeting, Endless, IndexError, np.linalg.LinAlgError):
            return None
        outputs = {name: value[0] for name, value in left.items()}
        if isinstance(meaning_agrees(wanted.outputs, outputs), Rejected):
            return True
    return None


def _may_race(program: Program) -> bool:
    if not any(isinstance(statement, ThreadIndex) for statement in program.body):
        return True  # all threads do the same, to the same elements
    try:
        no_races(program)
    except Illegal:  # an output that is read back, too
        return True
    return False


def _exchanges(program: Program) -> bool:
    """Whether threads store atomically, each what it likes: what was read before may be of no use by then."""
    return any(isinstance(n, Apply) and n.operation == "atomic_exch" for n in walk(program))


def _loops(program: Program) -> int:
    return sum(isinstance(s, For | While) for body in program.bodies for s in statements(body))
