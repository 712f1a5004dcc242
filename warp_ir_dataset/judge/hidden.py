"""Draws the hidden inputs of a row, and computes the expected outputs.

Inputs depend on a row's id and a seed, and are the same for all answers to it. They must pass the checks that
the row's own inputs passed: outputs and gradients are finite and agree with float64 but for rounding.
Together they must be telling: outputs vary, and are neither nearly zero nor equal to an input or to the index
of an element.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..common.outcomes import Rejected
from ..compilers import units, warp
from ..compilers.layout import Layout
from ..compilers.units import Member
from ..compilers.warp import Translation
from ..language.analysis.coverage import Way
from ..language.python.write import write
from ..proof import apart, verify
from ..proof.cases import rehearse, rounded_otherwise
from ..proof.inputs import draw_cases, make_inputs, make_output_gradients
from ..proof.orders import exchanging, may_follow, moved, together
from ..proof.run import Result, Runner
from ..proof.subject import Arrays
from ..proof.twin import twin
from ..proof.verify import Unordered
from . import tolerance
from .pages import added_to
from .question import Question, Unsupported

CASES = 6  # at least
MOST = 16  # where rounding matters little in so many: an answer may be wrong on few inputs only
# Sets of inputs, from which those that pass are taken; more while they do not tell, or leave arms out.
DRAWN = (24, 48, 96)
TWICE = 2  # inputs that run each arm, where there are as many: on one, what it does may not show
SECONDS = 20  # for one set of inputs, where no tree says that a kernel ends
# Rounding matters little where an answer that computes in another order is as near to what is expected as
# this, of the tolerance.
SHARE = 0.25


@dataclass(frozen=True)
class Expected:
    """`results` are those of Warp's own code for the row's source, case by case, gradients too where the
    config has them: what the adjoint adds to `starts`, which inputs' gradients hold before. `translation` is
    that code. Of `unordered` outputs the elements may come in any order: the tree lets them follow what an
    atomic returned, and on hidden inputs they do; those of one group of `together` in one order, and case by
    case only those to which `exchanging` gives one number among themselves. `distances` are how far an
    answer's outputs and gradients may be from `results`, of arrays of which that is known (`tolerance`)."""

    translation: Translation
    inputs: tuple[Arrays, ...]
    output_gradients: Arrays | None
    starts: tuple[Arrays, ...]
    results: tuple[Result, ...]
    unordered: Unordered
    together: tuple[frozenset[str], ...]
    exchanging: tuple[Arrays, ...]
    distances: tuple[Result, ...]

    @property
    def arguments(self) -> Layout:
        return self.translation.arguments


def expect(question: Question, seed: int) -> Expected:
    """Hidden inputs of a question, and what its own source makes of them. Raises `Unsupported` where no
    inputs are found that tell."""
    text = f"{question.id}/judge/{seed}"
    seeds = make_output_gradients(question.signature, text) if question.config.adjoint else None
    try:
        with _Native(question) as native:
            found = _Found(question, text, lambda inputs: native.run(inputs, seeds))
            for count in DRAWN:
                found.draw(count)
                chosen = found.telling()
                if not isinstance(chosen, str) and not found.lacking():
                    break
            distances = () if isinstance(chosen, str) else _distances(question, native, chosen, seeds)
    except warp.CompileError as error:
        raise Unsupported(f"the row's own source is refused: {error}") from error
    if isinstance(chosen, str):
        raise Unsupported(chosen)
    unordered = {name: found.allowed[name] for name in sorted(found.elsewhere)}
    groups, numbers = found.order(chosen, unordered)
    return Expected(
        native.translation,
        tuple(each.inputs for each in chosen),
        seeds,
        tuple(each.run.starts for each in chosen),
        tuple(each.run.result for each in chosen),
        unordered,
        groups,
        numbers,
        distances,
    )


@dataclass(frozen=True)
class _Run:
    """`exact` are the gradients in float64, where the kernel has such a form, and `error` is how far its own
    are from them, of the tolerance."""

    result: Result
    starts: Arrays
    error: float = 0.0
    exact: Arrays | None = None


@dataclass(frozen=True)
class _Passed:
    """Inputs that passed what the row's own passed. `meaning` is what the tree makes of them, nothing without
    one. `error` is how far their outputs are from that, as Warp rounds and rounded otherwise, and gradients
    from those in float64, of the tolerance: how much rounding matters, infinite without a tree; `ran` what of
    it they run."""

    inputs: Arrays
    run: _Run
    meaning: Arrays
    error: float
    ran: frozenset[Way]

    def is_idle(self, beside: _Passed) -> bool:
        """Whether nothing is done on them, or what is done on others."""
        outputs, others = self.run.result.outputs, beside.run.result.outputs
        if verify.unchanged(outputs, self.inputs):
            return True
        return not any(verify.visibly_different(array, others[name]) for name, array in outputs.items())


class _Found:
    """Inputs that are drawn for a question, batch after batch."""

    def __init__(self, question: Question, text: str, run: Callable[[Arrays], _Run | None]) -> None:
        self._question, self._text, self._run = question, text, run
        self._drawn = 0
        self._passed: list[_Passed] = []
        self._ways: frozenset[Way] = frozenset()
        self._own: frozenset[Way] | None = None
        self.allowed = may_follow(question.signature, question.program)
        # What another order of threads makes of them, by the tree; where there is none, by the row.
        self.elsewhere = question.unordered & self.allowed.keys()

    def draw(self, count: int) -> None:
        """So many more. If something is lacking, only those that run some of it are tried."""
        numbers = range(self._drawn, self._drawn + count)
        signature, program = self._question.signature, self._question.program
        drawn = [make_inputs(signature, f"{self._text}/{number}") for number in numbers]
        lacking = self.lacking()
        self._drawn += count
        if program is None:
            for inputs in drawn:
                self._try(inputs, None, frozenset())
            return
        told = rehearse(program, drawn)
        self._ways |= told.coverage.ways
        ran = [told.coverage.ran(place) for place in range(count)]
        tried = [place for place in range(count) if not lacking or not lacking.isdisjoint(ran[place])]
        if not tried:
            return
        sets, meaning = [drawn[place] for place in tried], [told.meaning[place] for place in tried]
        other = moved(program, self.allowed, sets, meaning)
        self.elsewhere |= other.outputs
        (nudged,) = tolerance.nudged(signature, sets, runs=1)
        rounded = rounded_otherwise(program, nudged) or meaning
        for number, place in enumerate(tried):
            if number not in other.races:
                self._try(drawn[place], (meaning[number], rounded[number]), ran[place])

    def _try(self, inputs: Arrays, told: tuple[Arrays, Arrays] | None, ran: frozenset[Way]) -> None:
        """`told` is what the tree makes of the inputs, exactly and rounded otherwise."""
        run = self._run(inputs)
        if run is None:
            return
        outputs = run.result.outputs
        if told is None:
            self._passed.append(_Passed(inputs, run, {}, math.inf, ran))
            return
        exact, rounded = told
        if not isinstance(verify.meaning_agrees(outputs, exact), Rejected):
            alike = {name: rounded[name].astype(array.dtype) for name, array in outputs.items()}
            error = max(run.error, _error(outputs, exact), _error(alike, exact))
            self._passed.append(_Passed(inputs, run, exact, error, ran))

    def order(
        self, chosen: Sequence[_Passed], unordered: Unordered
    ) -> tuple[tuple[frozenset[str], ...], tuple[Arrays, ...]]:
        """Which of these outputs keep their elements of one index together, on all inputs that passed; and of
        those that are chosen, which elements change places."""
        program = self._question.program
        if program is None or not unordered:
            return (), tuple({} for _ in chosen)
        groups = together(program, unordered, *_with_meaning(self._passed))
        return groups, tuple(exchanging(program, unordered, groups, *_with_meaning(chosen)))

    @property
    def _robust(self) -> list[_Passed]:
        """Inputs on which every output is so near to its meaning that another rounding stays within the
        tolerance."""
        return [each for each in self._passed if each.error <= SHARE]

    def lacking(self) -> frozenset[Way]:
        """What the row's own inputs run, and none of those on which rounding matters little."""
        program = self._question.program
        left = self._ways.difference(*(each.ran for each in self._robust))
        if program is None or not left:
            return frozenset()
        if self._own is None:
            own = rehearse(program, draw_cases(program.signature, self._question.id).inputs).coverage
            self._own = frozenset[Way]().union(*(own.ran(place) for place in range(own.sets)))
        return left & self._own

    def telling(self) -> list[_Passed] | str:
        """`MOST` of those where rounding matters little, such that they run all that these do, and others
        where these are less than `CASES`, or run what none of them does. Where those do not tell, as many as
        are drawn at first, of all that passed; where these do not either, why."""
        robust = self._robust
        rest = [each for each in self._passed if not each.error <= SHARE]
        alone = _covering([each for each in rest if each.error <= 1.0], self.lacking(), CASES)
        chosen = [*_covering(robust, self._ways, MOST - len(alone)), *alone]
        left = [each for each in (*robust, *rest) if all(each is not other for other in chosen)]
        more = max(0, max(CASES, min(len(robust), MOST)) - len(chosen))
        few = [*chosen, *left[:more]]
        if len(few) < CASES:
            return f"of {self._drawn} inputs drawn for it, only {len(few)} pass what its own passed"
        if _tell(few):
            return few
        left.sort(key=lambda each: each.is_idle(beside=few[0]))
        many = [*chosen, *left][: DRAWN[0]]
        return many if _tell(many) else "on fresh inputs an answer that computes nothing would be right"


def _distances(
    question: Question, native: _Native, chosen: Sequence[_Passed], seeds: Arrays | None
) -> tuple[Result, ...]:
    """How far answers may be from what is expected on these inputs; without a tree that is not known."""
    if question.program is None:
        return tuple(Result({}, {}) for _ in chosen)
    inputs, meaning = _with_meaning(chosen)
    runs = tolerance.nudged(question.signature, inputs)
    results = [each.run.result for each in chosen]
    outputs = tolerance.of_outputs(question.program, runs, results, meaning)
    if seeds is None:
        return tuple(Result(of_case, {}) for of_case in outputs)
    moved_seeds = [
        {name: tolerance.moved(seed, number) for name, seed in seeds.items()} for number in range(len(runs))
    ]
    gradients = []
    for place, run in enumerate(each.run for each in chosen):
        others = [
            native.added(sets[place], arriving, run.starts)
            for sets, arriving in zip(runs, moved_seeds, strict=True)
        ]
        gradients.append(tolerance.of_gradients(run.result.gradients, others, run.exact, run.starts))
    return tuple(map(Result, outputs, gradients))


def _with_meaning(some: Sequence[_Passed]) -> tuple[list[Arrays], list[Arrays]]:
    return [each.inputs for each in some], [each.meaning for each in some]


def _tell(some: Sequence[_Passed]) -> bool:
    """Whether an answer that computes nothing is wrong on some of these inputs."""
    return verify.trivial([e.run.result.outputs for e in some], [e.inputs for e in some]) is None


def _covering(among: Sequence[_Passed], ways: frozenset[Way], most: int) -> list[_Passed]:
    """Few of these that run each of the ways `TWICE`, as far as they do: each time the one that runs most of
    what is left."""
    chosen: list[_Passed] = []
    for _ in range(TWICE):
        left = ways
        while len(chosen) < most:
            able = [each for each in among if all(each is not other for other in chosen)]
            best = max(able, key=lambda each: len(each.ran & left), default=None)
            if best is None or left.isdisjoint(best.ran):
                break
            chosen.append(best)
            left -= best.ran
    return chosen


def _error(found: Arrays, exact: Arrays) -> float:
    """How far numbers are from what is exact: the worst, of the tolerance of its type."""
    worst = 0.0
    for name, array in found.items():
        error = verify.relative_error(array.astype(np.float64), exact[name].astype(np.float64))
        tolerance = verify.TOLERANCE.get(array.dtype.name, 0.0)
        if error:
            worst = max(worst, error / tolerance) if tolerance and error < math.inf else math.inf
    return worst


class _Native:
    """A question's own source as native code, and in float64 where gradients are judged. It runs here,
    outside of any sandbox: it is what the package itself draws, whatever a row says, or a kernel of the
    language, or of Warp's, whose accesses to memory are checked."""

    def __init__(self, question: Question) -> None:
        name, adjoint = question.signature.name, question.config.adjoint
        self.translation = warp.translate(question.source, name, backward=adjoint, cuda=question.config.cuda)
        self._question = question
        self._members = [Member("k0", self.translation)]
        # What no tree vouches for, or a row has a hand in, ends a process of its own instead of reaching our
        # memory.
        self._checked = question.program is None or not question.drawn
        # Where no tree tells whether threads race, the CUDA text is run in the other order as well.
        self._turned = question.config.cuda and question.program is None
        self._wide = twin(question.program) if adjoint and question.program is not None else None
        if self._wide is not None:
            text = warp.translate(write(self._wide), name, backward=True, cuda=False)
            self._members.append(Member("k0_wide", text))

    def __enter__(self) -> _Native:
        own, *wide = self._members
        unit = units.native_unit(self._members, [own] if self._turned else [])
        self._library = warp.compile_native(unit, checked=self._checked)
        self._runner = Runner(self._question.signature, own, self._library, cuda=self._turned)
        self._wide_runner = None
        if self._wide is not None:
            self._wide_runner = Runner(self._wide.signature, wide[0], self._library, cuda=False)
        return self

    def __exit__(self, *_: object) -> None:
        self._library.unload()

    def run(self, inputs: Arrays, seeds: Arrays | None) -> _Run | None:
        """What the code makes of inputs; None where it does not end well, a number is not finite, a gradient
        hangs on rounding, or the order of threads decides."""
        if self._checked and apart.exit_status(lambda: self._goes_through(inputs, seeds), SECONDS):
            return None
        result = self._runner.run(inputs, seeds)
        if verify.not_finite([result.outputs]) or verify.gradient_not_finite(result.gradients):
            return None
        if self._turned:
            other = self._runner.run_cuda(inputs, seeds, backwards=True)
            leaves = may_follow(self._question.signature, None)
            unordered = {name: leaves[name] for name in leaves.keys() & self._question.unordered}
            if verify.compare(other.outputs, result.outputs, unordered).unequal is not None:
                return None
        if seeds is None:
            return _Run(result, {})
        error, exact = 0.0, None
        if self._wide_runner is not None:
            exact = self._wide_runner.run(inputs, seeds).gradients
            if verify.adjoint_precision(result.gradients, exact):
                return None
            error = _error(result.gradients, exact)
        starts = _starts(result.gradients, seeds)
        added = self.added(inputs, seeds, starts)
        if verify.gradient_not_finite(added):
            return None
        return _Run(Result(result.outputs, added), starts, error, exact)

    def added(self, inputs: Arrays, seeds: Arrays, starts: Arrays) -> dict[str, np.ndarray]:
        """What the adjoint adds to gradients that hold `starts`."""
        return added_to(starts, self._runner.run(inputs, {**seeds, **starts}).gradients)

    def _goes_through(self, inputs: Arrays, seeds: Arrays | None) -> int:
        self._runner.run(inputs, seeds)
        if self._turned:
            self._runner.run_cuda(inputs, seeds, backwards=True)
        if self._wide_runner is not None:
            self._wide_runner.run(inputs, seeds)
        return 0


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
