"""Mutants of a row as answers to it, for `verdicts.py`, and whether one that scored is a mistake at all."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bite import others_of

from support import adjoint_mutants
from support.right_answers import Asked, NoAnswer
from support.trivial_answers import under_own_head
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.judge import tolerance
from warp_ir_dataset.judge.scales import draw_scales
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.mutants.table import mutants
from warp_ir_dataset.language.program import Program
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import numpy_type
from warp_ir_dataset.proof.bite import Bitten
from warp_ir_dataset.proof.cases import rehearse
from warp_ir_dataset.proof.inputs import make_output_gradients
from warp_ir_dataset.proof.run import Result
from warp_ir_dataset.proof.subject import Arrays

EQUIVALENT, ROUNDED = "equivalent", "below rounding"


@dataclass(frozen=True)
class Edited:
    """A mutant of a row: the operator that made it, its text in the config's language, what is edited, line
    by line, and its tree; None where the text of an adjoint was edited."""

    operator: str
    text: str
    edit: str
    program: Program | None


def mutated(asked: Asked, seed: str, count: int) -> list[Edited]:
    """So many mutants of a row, or all that are found; of adjoints as many of their text as of the tree."""
    rng = Rng(seed)
    found = [*_of_tree(asked, rng, count)]
    if asked.config.adjoint:
        for name, text in adjoint_mutants.mutated(asked.own, rng, count):
            found.append(Edited(name, text, _edit(asked.own, text), None))
        found = rng.sample(found, count)
    return found


def _of_tree(asked: Asked, rng: Rng, count: int) -> Iterator[Edited]:
    source = write(asked.program)
    for mutant in mutants(asked.program, rng, count):
        made = mutant.program
        if not asked.fits(made, whole=False) or (asked.config.adjoint and gradient_bar(made)):
            continue
        try:
            text = asked.answer(made)
        except NoAnswer:
            continue
        text = under_own_head(asked, text) if asked.config.plain else text
        yield Edited(mutant.operator, text, _edit(source, write(made)), made)


def _edit(before: str, after: str) -> str:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return " ".join(" ".join(line.split()) for line in lines if line[0] in "+-")


def excuse(asked: Asked, edited: Edited) -> str:
    """Why a mutant that scored is no mistake, by 64 other inputs at each of the sizes that the judge draws:
    that it is `EQUIVALENT`, or no further off than rounding goes. Empty if it is one."""
    if edited.program is None:
        return _excuse_of_adjoint(asked, edited.text, others_of(asked.program))
    found = set()
    for scale in draw_scales(asked.program.signature, asked.program, f"{asked.row['id']}/verdicts").all:
        assert scale.program is not None
        found.add(_excuse_at(scale.program, replace(edited.program, signature=scale.signature)))
    return "" if "" in found else ROUNDED if ROUNDED in found else EQUIVALENT


def _excuse_at(program: Program, mutant: Program) -> str:
    sets = others_of(program)
    told = Bitten(program, sets).by(mutant)
    if told.equivalent:
        return EQUIVALENT
    return ROUNDED if told.ends and is_rounded(program, mutant, sets) else ""


def is_rounded(program: Program, mutant: Program, sets: Sequence[Arrays]) -> bool:
    """Whether no element of an output is further off than rounding may move that element."""
    meaning = rehearse(program, sets).meaning
    found = rehearse(mutant, sets).meaning
    leaves = {leaf.name: leaf for argument in program.arguments for leaf in argument.leaves}
    expected = [
        Result({name: array.astype(numpy_type(leaves[name].type)) for name, array in outputs.items()}, {})
        for outputs in meaning
    ]
    distances = tolerance.of_outputs(program, tolerance.nudged(program.signature, sets), expected, meaning)
    return all(
        bool((np.abs(left[name].astype(np.float64) - array) <= allowed.get(name, 0.0)).all())
        for left, outputs, allowed in zip(found, meaning, distances, strict=True)
        for name, array in outputs.items()
    )


def _excuse_of_adjoint(asked: Asked, text: str, sets: tuple[Arrays, ...]) -> str:
    signature, source = asked.program.signature, write(asked.program)
    own = warp.translate(source, signature.name, backward=True, cuda=True)
    seeds = make_output_gradients(signature, f"{asked.row['id']}/verdicts")
    (told,) = adjoint_mutants.bitten(signature, own, asked.own, [text], sets, seeds)
    if told.same:
        return EQUIVALENT
    return ROUNDED if told.seen is not None and not told.seen.any() else ""
