"""Hidden inputs, and what is expected of them.

Inputs are drawn freshly by a row's id and a seed, the same for all answers to it, and must pass what the
row's own passed: outputs finite and those of float64 but for rounding, gradients too. Together they must
tell: the outputs vary, and are neither nearly zero nor an input nor the index of an element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..common.outcomes import Rejected
from ..compilers import units, warp
from ..compilers.layout import Layout
from ..compilers.units import Member
from ..compilers.warp import Translation
from ..language.analysis.interpreter import interpret
from ..language.python.write import write
from ..proof import verify
from ..proof.inputs import make_inputs, make_output_gradients
from ..proof.orders import Moved, may_follow, moved
from ..proof.run import Result, Runner
from ..proof.subject import Arrays
from ..proof.twin import twin
from ..proof.verify import Unordered
from .pages import added_to
from .question import Question, Unsupported

CASES = 6  # at least
MOST = 16  # where rounding matters little in so many: an answer may be wrong on few inputs only
DRAWN = 24  # sets of inputs, from which the first that pass are taken
# Rounding matters little where an answer that computes in another order is as near to what is expected as
# this, of the tolerance.
SHARE = 0.25


@dataclass(frozen=True)
class Expected:
    """`results` are those of Warp's own code for the row's source, case by case, gradients too where the
    config has them: what the adjoint adds to `starts`, which inputs' gradients hold before. `translation` is
    that code. Of `unordered` outputs the elements may come in any order: the tree lets them follow what an
    atomic returned, and on hidden inputs they do."""

    translation: Translation
    inputs: tuple[Arrays, ...]
    output_gradients: Arrays | None
    starts: tuple[Arrays, ...]
    results: tuple[Result, ...]
    unordered: Unordered

    @property
    def arguments(self) -> Layout:
        return self.translation.arguments


def expect(question: Question, seed: int) -> Expected:
    """Hidden inputs of a question, and what its own source makes of them. Raises `Unsupported` where no
    inputs are found that tell."""
    signature, adjoint = question.signature, question.config.adjoint
    text = f"{question.id}/judge/{seed}"
    drawn = [make_inputs(signature, f"{text}/{number}") for number in range(DRAWN)]
    seeds = make_output_gradients(signature, text) if adjoint else None
    stacked = {name: np.stack([inputs[name] for inputs in drawn]) for name in drawn[0]} if drawn[0] else {}
    exact: list[Arrays] | None = None
    if question.program is not None:
        meaning = interpret(question.program, stacked, DRAWN)
        exact = [{name: value[lane] for name, value in meaning.items()} for lane in range(DRAWN)]
    allowed = may_follow(signature, question.program)
    other = Moved(question.unordered & allowed.keys(), {})
    if question.program is not None and exact is not None:
        other = moved(question.program, allowed, drawn, exact)
    try:
        with _Native(question) as native:
            runs = [native.run(inputs, seeds) for inputs in drawn]
    except warp.CompileError as error:
        raise Unsupported(f"the row's own source is refused: {error}") from error
    passed = {
        n: run.result
        for n, run in enumerate(runs)
        if n not in other.races
        and run is not None
        and not (exact and isinstance(verify.meaning_agrees(run.result.outputs, exact[n]), Rejected))
    }
    robust = [n for n in passed if exact is not None and _robust(passed[n].outputs, exact[n])]
    chosen = _telling(robust, passed, drawn)
    return Expected(
        native.translation,
        tuple(drawn[n] for n in chosen),
        seeds,
        tuple(run.starts for n in chosen if (run := runs[n]) is not None),
        tuple(passed[n] for n in chosen),
        {name: allowed[name] for name in sorted(other.outputs)},
    )


@dataclass(frozen=True)
class _Run:
    result: Result
    starts: Arrays


class _Native:
    """A question's own source as native code, and in float64 where gradients are judged. It runs here,
    outside of any cage: it is what the package itself draws, whatever a row says."""

    def __init__(self, question: Question) -> None:
        name, adjoint = question.signature.name, question.config.adjoint
        self.translation = warp.translate(question.source, name, backward=adjoint, cuda=question.config.cuda)
        self._question = question
        self._members = [Member("k0", self.translation)]
        # Where no tree tells whether threads race, the CUDA text is run in the other order as well.
        self._turned = question.config.cuda and question.program is None
        self._wide = twin(question.program) if adjoint and question.program is not None else None
        if self._wide is not None:
            text = warp.translate(write(self._wide), name, backward=True, cuda=False)
            self._members.append(Member("k0_wide", text))

    def __enter__(self) -> _Native:
        own, *wide = self._members
        unit = units.native_unit(self._members, [own] if self._turned else [])
        # What no tree vouches for ends the process instead of reaching our memory.
        self._library = warp.compile_native(unit, checked=self._question.program is None)
        self._runner = Runner(self._question.signature, own, self._library, cuda=self._turned)
        self._wide_runner = None
        if self._wide is not None:
            self._wide_runner = Runner(self._wide.signature, wide[0], self._library, cuda=False)
        return self

    def __exit__(self, *_: object) -> None:
        self._library.unload()

    def run(self, inputs: Arrays, seeds: Arrays | None) -> _Run | None:
        """What the code makes of inputs; None where a number is not finite, a gradient hangs on rounding, or
        the order of threads decides."""
        result = self._runner.run(inputs, seeds)
        if verify.not_finite([result.outputs]) or verify.gradient_not_finite(result.gradients):
            return None
        if self._turned:
            other = self._runner.run_cuda(inputs, seeds, backwards=True)
            leaves = may_follow(self._question.signature, None)
            unordered = {name: leaves[name] for name in leaves.keys() & self._question.unordered}
            if verify.compare(other.outputs, result.outputs, unordered).unequal is not None:
                return None
        if seeds is not None and self._wide_runner is not None:
            wide = self._wide_runner.run(inputs, seeds)
            if verify.adjoint_precision(result.gradients, wide.gradients):
                return None
        if seeds is None:
            return _Run(result, {})
        starts = _starts(result.gradients, seeds)
        added = added_to(starts, self._runner.run(inputs, {**seeds, **starts}).gradients)
        return None if verify.gradient_not_finite(added) else _Run(Result(result.outputs, added), starts)


def _starts(gradients: Arrays, seeds: Arrays) -> Arrays:
    """What the gradients of inputs hold before the adjoint adds to them: other than nothing, so that one that
    stores is told from one that adds; and less than half of their largest number, so that rounding is the
    same. Into those that outputs have as well, `seeds` arrive."""
    found = {}
    for name, gradient in gradients.items():
        if name not in seeds:
            largest = float(np.abs(gradient).max(initial=0.0)) or 1.0
            share = 0.25 + 0.25 * (np.arange(gradient.size) * 0.618 % 1.0)
            found[name] = (largest * share).reshape(gradient.shape).astype(gradient.dtype)
    return found


def _robust(outputs: Arrays, exact: Arrays) -> bool:
    """Whether every output is so near to its meaning that another rounding stays within the tolerance."""
    return all(
        verify.relative_error(output.astype(np.float64), exact[name].astype(np.float64))
        <= SHARE * verify.TOLERANCE.get(output.dtype.name, 0.0)
        for name, output in outputs.items()
    )


def _telling(robust: Sequence[int], passed: Mapping[int, Result], inputs: Sequence[Arrays]) -> list[int]:
    """The first `MOST` of the `robust` inputs, and others where these are less than `CASES`; all that passed
    where those do not tell. Raises `Unsupported` where that does not either."""
    order = [*robust, *(n for n in passed if n not in robust)]
    for chosen in (order[: max(CASES, min(len(robust), MOST))], order):
        if len(chosen) < CASES:
            raise Unsupported(f"of {DRAWN} inputs drawn for it, only {len(chosen)} pass what its own passed")
        if verify.trivial([passed[n].outputs for n in chosen], [inputs[n] for n in chosen]) is None:
            return chosen
    raise Unsupported("on fresh inputs an answer that computes nothing would be right")
