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
from warp_ir_dataset.judge.hidden import ROUNDED as ROUNDED_TIMES
from warp_ir_dataset.judge.hidden import SHARE, worst_error
from warp_ir_dataset.judge.scales import draw_scales
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.edges import constants, on_edge
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.mutants.table import mutants
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import numpy_type
from warp_ir_dataset.proof.bite import Bitten
from warp_ir_dataset.proof.cases import rehearse, rounded_otherwise
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
    program: ir.Program | None


def mutated(asked: Asked, seed: str, count: int, operators: Sequence[str] = ()) -> list[Edited]:
    """So many mutants of a row, or all that are found; of adjoints as many of their text as of the tree. With
    `operators` of the tree alone, by these."""
    rng = Rng(seed)
    found = [*_of_tree(asked, rng, count, operators)]
    if asked.config.adjoint and not operators:
        for name, text in adjoint_mutants.mutated(asked.own, rng, count):
            found.append(Edited(name, text, _edit(asked.own, text), None))
        found = rng.sample(found, count)
    return found


def _of_tree(asked: Asked, rng: Rng, count: int, operators: Sequence[str]) -> Iterator[Edited]:
    source = write(asked.program)
    for mutant in mutants(asked.program, rng, count, operators):
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


@dataclass(frozen=True)
class Excuse:
    """Why a mutant that scored is no mistake: that it is `EQUIVALENT`, or no further off than rounding goes.
    `why` is empty if it is one. `shown` says what that follows from."""

    why: str
    shown: str


def excuse(asked: Asked, edited: Edited) -> Excuse:
    """Whether a mutant is a mistake, by 64 other inputs and as many extreme ones at each of the sizes that
    the judge draws."""
    if edited.program is None:
        return _excuse_of_adjoint(asked, edited.text, others_of(asked.program))
    found = []
    for scale in draw_scales(asked.program.signature, asked.program, f"{asked.row['id']}/verdicts").all:
        assert scale.program is not None
        mutant = replace(edited.program, signature=scale.signature)
        found.append(_excuse_at(scale.program, mutant, ties=not asked.config.adjoint))
    return min(found, key=lambda each: ("", ROUNDED, EQUIVALENT).index(each.why))


def _excuse_at(program: ir.Program, mutant: ir.Program, *, ties: bool) -> Excuse:
    plain, extreme = finite(program, others_of(program)), extreme_of(program, ties=ties)
    if not plain:
        return Excuse(EQUIVALENT, "no inputs give numbers at this size")
    told = Bitten(program, (*plain, *extreme)).by(mutant)
    if told.same:
        return Excuse(EQUIVALENT, f"the same on {len(plain)} inputs and {len(extreme)} extreme ones")
    if not told.ends:
        return Excuse("", "it leaves an array, or does not end")
    sets = (*plain, *sturdy(program, extreme))
    worst = farthest(program, mutant, sets)
    if worst.distance > 1:
        return Excuse("", worst.shown)
    if worst.distance == 0:
        return Excuse(ROUNDED, "it differs on extreme inputs alone, where rounding decides")
    return Excuse(ROUNDED, f"off by at most {worst.distance:.2g} of what may be, on {len(sets)} inputs")


def extreme_of(program: ir.Program, *, ties: bool) -> list[Arrays]:
    """As many extreme inputs as `others_of`, of those on which outputs are finite numbers."""
    told = constants(program)
    return finite(
        program,
        [
            on_edge(inputs, program.signature, told, f"{program.name}/extreme/{place}", ties=ties)
            for place, inputs in enumerate(others_of(program))
        ],
    )


def finite(program: ir.Program, sets: Sequence[Arrays]) -> list[Arrays]:
    """The inputs on which outputs are finite numbers."""
    found = []
    for inputs in sets:
        try:
            (outputs,) = rehearse(program, [inputs]).meaning
        except np.linalg.LinAlgError:
            continue
        if all(np.isfinite(array).all() for array in outputs.values()):
            found.append(inputs)
    return found


def sturdy(program: ir.Program, sets: Sequence[Arrays]) -> list[Arrays]:
    """Those inputs on which rounding matters as little as the judge asks for."""
    if not sets:
        return []
    found, meaning = [*range(len(sets))], rehearse(program, sets).meaning
    for nudged in tolerance.nudged(program.signature, sets, runs=ROUNDED_TIMES):
        made = rounded_otherwise(program, nudged)
        found = [place for place in found if made and worst_error(made[place], meaning[place]) <= SHARE]
    return [sets[place] for place in found]


@dataclass(frozen=True)
class Farthest:
    """By how much the number that is furthest off is off, as a part of what rounding may change there."""

    distance: float
    shown: str


def farthest(program: ir.Program, mutant: ir.Program, sets: Sequence[Arrays]) -> Farthest:
    """The number of an output that a mutant moves furthest."""
    meaning = rehearse(program, sets).meaning
    found = rehearse(mutant, sets).meaning
    leaves = {leaf.name: leaf for argument in program.arguments for leaf in argument.leaves}
    expected = [
        Result({name: array.astype(numpy_type(leaves[name].type)) for name, array in outputs.items()}, {})
        for outputs in meaning
    ]
    distances = tolerance.of_outputs(program, tolerance.nudged(program.signature, sets), expected, meaning)
    worst = Farthest(0.0, "")
    for left, outputs, allowed in zip(found, meaning, distances, strict=True):
        for name, array in outputs.items():
            off = np.abs(left[name].astype(np.float64) - array)
            with np.errstate(divide="ignore", invalid="ignore"):
                parts = np.where(off == 0, 0.0, off / allowed.get(name, 0.0))
            parts = np.nan_to_num(parts, nan=np.inf, posinf=np.inf)
            place = np.unravel_index(int(parts.argmax()), parts.shape)
            if parts[place] > worst.distance:
                index = ", ".join(map(str, place))
                shown = f"{name}[{index}] is {left[name][place]:.9g}, not {array[place]:.9g}"
                worst = Farthest(float(parts[place]), shown)
    return worst


def _excuse_of_adjoint(asked: Asked, text: str, sets: tuple[Arrays, ...]) -> Excuse:
    signature, source = asked.program.signature, write(asked.program)
    own = warp.translate(source, signature.name, backward=True, cuda=True)
    seeds = make_output_gradients(signature, f"{asked.row['id']}/verdicts")
    (told,) = adjoint_mutants.bitten(signature, own, asked.own, [text], sets, seeds)
    if told.same:
        return Excuse(EQUIVALENT, f"the same gradients on {len(sets)} inputs")
    if told.seen is None:
        return Excuse("", "it does not compile here, or does not end")
    seen = int(told.seen.sum())
    return Excuse("" if seen else ROUNDED, f"another gradient shows on {seen} of {len(sets)} inputs")
