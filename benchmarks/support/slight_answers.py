"""Answers that are slightly wrong, for `verdicts.py`: one constant is off by 1 % or 0.1 %."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from support.arithmetic import scaled
from support.right_answers import Asked, NoAnswer
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.judge import tolerance
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.analysis.interpreter import Endless
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.program import Program
from warp_ir_dataset.language.types import numpy_type
from warp_ir_dataset.proof.cases import rehearse
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.run import Result

FACTORS = (1.01, 1.001)
EACH = 2  # constants of a row, by each factor
INPUTS = 64  # on which an answer must be wrong by more than rounding


def slight(asked: Asked, seed: str) -> Iterator[tuple[str, str]]:
    """The row's own kernel with another constant, if that is wrong, and how much it is off."""
    for factor in FACTORS:
        made = Rng(f"{seed}/{factor}").shuffled(list(scaled(asked.program, factor)))
        for program in made[:EACH]:
            if (asked.config.adjoint and gradient_bar(program)) or not is_wrong(program, asked.program):
                continue
            try:
                yield f"a constant times {factor}", asked.answer(program)
            except NoAnswer:
                continue


def is_wrong(made: Program, own: Program) -> bool:
    """Whether an output is further off than rounding can bring it, on some of many inputs. On the others the
    constant is not used, or rounding decides."""
    inputs = [make_inputs(own.signature, f"{identify(own).id}/slight/{place}") for place in range(INPUTS)]
    meaning = rehearse(own, inputs).meaning
    try:
        found = rehearse(made, inputs).meaning
    except (Endless, IndexError, np.linalg.LinAlgError):
        return True
    leaves = {leaf.name: leaf for argument in own.arguments for leaf in argument.leaves}
    expected = [
        {name: array.astype(numpy_type(leaves[name].type)) for name, array in outputs.items()}
        for outputs in meaning
    ]
    runs = tolerance.nudged(own.signature, inputs)
    distances = tolerance.of_outputs(own, runs, [Result(outputs, {}) for outputs in expected], meaning)
    return any(
        bool((np.abs(left[name].astype(np.float64) - array) > allowed.get(name, 0.0)).any())
        for left, outputs, allowed in zip(found, meaning, distances, strict=True)
        for name, array in outputs.items()
    )
