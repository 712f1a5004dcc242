"""Draws the hidden inputs of a row, and computes the expected outputs.

Inputs depend on a row's id and a seed, and are the same for all answers to it. They must pass the checks that
the row's own inputs passed: outputs and gradients are finite and agree with float64 but for rounding.
Together they must be telling: outputs vary, and are neither nearly zero nor equal to an input or to the index
of an element.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter

import numpy as np

from ..common.outcomes import Rejected
from ..compilers import units, warp
from ..compilers.layout import Layout
from ..compilers.units import Member
from ..compilers.warp import Translation
from ..language import ir
from ..language.analysis.coverage import Outcome
from ..language.analysis.edges import (
    AIMED,
    aimed,
    constants,
    may_be_special,
    non_differentiable_at,
    on_edge,
    special_outcomes,
    with_special_numbers,
)
from ..language.analysis.guards import wanted
from ..language.analysis.interpreter import NonTerminating
from ..language.analysis.thresholds import Margins, Observed, approached, made_to, nearness, tied
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
from .question import Question, Unsupported
from .scales import Scale, draw_scales

CASES = 6  # at least
MOST = 16  # where rounding matters little in so many: an answer may be wrong on few inputs only
# Sets of inputs, from which those that pass are taken; more while they do not tell, or leave arms out.
DRAWN = (24, 48, 96)
EDGES = 8  # extreme or degenerate ones beside those that are drawn first
SPOTTED = 6  # floating-point inputs that hold zeros, one at a time, where gradients are judged
SEARCHED, SEARCHES = 24, 3  # and so many more, so often, for what none of them runs
ROUNDED = 3  # times an extreme one is rounded otherwise: what only just holds seldom does each time
LARGE = 12  # times as large as others are some gradients that arrive
RARE, ALONE = 2, 8  # of the first ones at a rare scale: of many items, and of one, which may do nothing
APPROACHED = 2  # inputs on which a comparison is only just decided, one way and the other, and nearly so
TIED = 2  # inputs of each size in which numbers that are compared are made equal
TWICE = 2  # inputs that run each arm, where there are as many: on one, what it does may not show
SECONDS = 20  # for one set of inputs, where no tree says that a kernel ends
# Rounding matters little where an answer that computes in another order is as near to what is expected as
# this, of the tolerance.
SHARE = 0.25


@dataclass(frozen=True)
class Expected:
    """`results` are those of Warp's own code for the row's source, case by case, each launched as its
    signature says; gradients too where the config has them. `starts` is what inputs' gradients hold before,
    where the adjoint runs once more, and `held` what that code makes of these. `translation` is that code.
    `illegal` other sizes were drawn again.

    Of `unordered` outputs the elements may come in any order: the tree lets them follow what an atomic
    returned, and on hidden inputs they do; those of one group of `together` in one order, and case by case
    only those to which `exchanging` gives one number among themselves. `distances` are how far an answer's
    outputs and gradients may be from `results`, of arrays of which that is known (`tolerance`)."""

    translation: Translation
    signatures: tuple[ir.Signature, ...]
    inputs: tuple[Arrays, ...]
    output_gradients: tuple[Arrays, ...]  # none where they are not judged
    starts: tuple[Arrays, ...]
    results: tuple[Result, ...]
    unordered: Unordered
    together: tuple[frozenset[str], ...]
    exchanging: tuple[Arrays, ...]
    distances: tuple[Result, ...]
    illegal: int = 0
    held: tuple[Arrays, ...] = ()

    @property
    def arguments(self) -> Layout:
        return self.translation.arguments


def expect(question: Question, seed: int | str) -> Expected:
    """Hidden inputs of a question, drawn by its id and `seed` (`Answer.drawn_by`), and what its own source
    makes of them. Raises `Unsupported` where no inputs are found that tell."""
    text = f"{question.id}/judge/{seed}"
    scales = draw_scales(question.signature, question.program, text)
    seeds = [_arriving(scale, text) if question.config.adjoint else None for scale in scales.all]
    try:
        with _Native(question) as native:
            found = _Found(question, text, scales.all, lambda s, i: native.run(s, i, seeds[s.number]))
            for count in DRAWN:
                found.draw(count)
                found.search()
                chosen = found.telling()
                if not isinstance(chosen, str) and not found.lacking():
                    break
            if isinstance(chosen, str):
                raise Unsupported(chosen)
            distances = _distances(native, chosen, seeds)
            starts, held = _held(native, chosen, seeds, text)
    except warp.CompileError as error:
        raise Unsupported(f"the row's own source is refused: {error}") from error
    unordered = {name: found.allowed[name] for name in sorted(found.elsewhere)}
    groups, numbers = found.order(chosen, unordered)
    return Expected(
        native.translation,
        tuple(each.scale.signature for each in chosen),
        tuple(each.inputs for each in chosen),
        tuple(given for each in chosen if (given := seeds[each.scale.number]) is not None),
        tuple(starts),
        tuple(each.run.result for each in chosen),
        unordered,
        groups,
        numbers,
        distances,
        scales.illegal + found.illegal,
        tuple(held),
    )


@dataclass(frozen=True)
class _Run:
    """`exact` are the gradients in float64, where the kernel has such a form, and `error` is how far its own
    are from them, of the tolerance."""

    result: Result
    error: float = 0.0
    exact: Arrays | None = None


@dataclass(frozen=True)
class _Drawn:
    """Inputs, and whether they are extreme (`edges`); which one of them is `spotted`, so that there may be no
    derivative; which comparison they are made to tie."""

    inputs: Arrays
    edge: bool
    spotted: str = ""
    tied: Outcome | None = None


@dataclass(frozen=True, kw_only=True)
class _Passed(_Drawn):
    """Inputs that passed what the row's own passed. `meaning` is what the tree makes of them, nothing without
    one. `error` is how far their outputs are from that, as Warp rounds and rounded otherwise, and gradients
    from those in float64, of the tolerance: how much rounding matters, infinite without a tree; `ran` what of
    it they run."""

    scale: Scale
    run: _Run
    meaning: Arrays
    error: float
    ran: frozenset[Outcome]

    @property
    def does_nothing(self) -> bool:
        """Whether all outputs are what was there before: zeros, if they are no inputs."""
        nothing = {name: np.zeros_like(array) for name, array in self.run.result.outputs.items()}
        return verify.unchanged(self.run.result.outputs, nothing | dict(self.inputs))

    def is_idle(self, beside: _Passed) -> bool:
        """Whether nothing is done on them, or what is done on others."""
        outputs, others = self.run.result.outputs, beside.run.result.outputs
        if verify.unchanged(outputs, self.inputs):
            return True
        return not any(verify.visibly_different(array, others[name]) for name, array in outputs.items())


Make = Callable[[Scale, Arrays, str], _Drawn]  # of drawn inputs, and a text to draw more by


class _Found:
    """Inputs that are drawn for a question, batch after batch, at each of its scales in turn: at the own one
    where there are not two others, or where inputs at these do not suffice."""

    def __init__(
        self,
        question: Question,
        text: str,
        scales: Sequence[Scale],
        run: Callable[[Scale, Arrays], _Run | None],
    ) -> None:
        self._question, self._text, self._scales, self._run = question, text, scales, run
        self._drawn = 0
        self._passed: list[_Passed] = []
        self._ways: frozenset[Outcome] = frozenset()
        self._own: frozenset[Outcome] | None = None
        # Where numbers tie, a derivative need not exist.
        self._ties = not question.config.adjoint
        self._wanted = () if question.program is None else wanted(question.program, ties=self._ties)
        self._searched = False
        # Of each scale the inputs that were drawn, and how each comparison was decided on them.
        self._told: dict[int, list[Observed]] = {}
        self._constants = () if question.program is None else constants(question.program)
        self.illegal = 0  # scales at which an index leaves its array, or a loop does not end
        self.allowed = may_follow(question.signature, question.program)
        # What another order of threads makes of them, by the tree; where there is none, by the row.
        self.elsewhere = question.unordered & self.allowed.keys()

    def draw(self, count: int) -> None:
        """So many more, at first extreme ones beside them. If something is lacking, only those that run some
        of it are tried."""
        more: list[Make] = []
        if not self._drawn and self._question.program is not None:
            more = [self._edge] * EDGES
            if self._ties:
                more += [partial(self._aimed, kind=kind) for kind in range(AIMED)]
            else:
                leaves = [leaf for argument in self._question.signature.inputs for leaf in argument.leaves]
                names = [leaf.name for leaf in leaves if may_be_special(leaf)]
                more += [partial(self._spotted, name=name) for name in names[:SPOTTED]]
        self._more([self._plain] * count + more, self.lacking())

    def search(self) -> None:
        """Extreme inputs, if there is something in the program that no inputs run, and such on which a
        comparison is only just decided; once."""
        if self._searched:
            return
        self._searched = True
        self._tie()
        for _ in range(SEARCHES):
            if unrun := self._unrun():
                self._more([self._edge] * SEARCHED, unrun)
        self._approach()

    def _tie(self) -> None:
        """Inputs of which two that are compared are made equal."""
        for scale in self._scales:
            if scale.program is None or scale.rare or scale.number not in self._told:
                continue
            made = [*tied(scale.program, self._told[scale.number][0], TIED)]
            if made:
                drawn = [_Drawn(inputs, True, tied=tie) for tie, inputs in made]
                self._rehearse(scale, scale.program, drawn, frozenset(tie for tie, _ in made))

    def _approach(self) -> None:
        """Inputs on which comparisons come out as narrowly as on none of those that there are, each at the
        scale where that is nearest."""
        ran = frozenset[Outcome]().union(*(each.ran for each in self._robust))
        usual = [scale.number for scale in self._scales if not scale.rare]
        told = {number: self._told[number] for number in usual if number in self._told}
        ways = frozenset[Outcome]().union(
            *(margins.narrow_outcomes for some in told.values() for _, margins in some)
        )
        nearest = {way: min(told, key=lambda number: nearness(way, told[number])) for way in ways - ran}
        for scale in self._scales:
            left = frozenset(way for way, number in nearest.items() if number == scale.number)
            if left and scale.program is not None:
                made = approached(scale.program, told[scale.number], left, APPROACHED)
                if made:
                    self._rehearse(scale, scale.program, [_Drawn(inputs, True) for inputs in made], left)

    def _unrun(self) -> frozenset[Outcome]:
        """What inputs should run, and none of those on which rounding matters little do."""
        ran = frozenset[Outcome]().union(*(each.ran for each in self._robust))
        components = (margins.component_outcomes for some in self._told.values() for _, margins in some)
        return frozenset[Outcome]().union(
            *(each for each in self._wanted if each.isdisjoint(ran)), *(each - ran for each in components)
        )

    def _more(self, kinds: Sequence[Make], lacking: frozenset[Outcome]) -> None:
        """Inputs that each of `kinds` makes of drawn ones."""
        usual = [scale for scale in self._scales if not scale.rare]
        others = [scale for scale in usual if scale.number]
        first = not self._drawn
        scales = others if first and len(others) > 1 else usual
        every = [(scales[place % len(scales)], make) for place, make in enumerate(kinds)]
        if first:
            rare = [scale for scale in self._scales if scale.rare]
            every += [(scale, self._plain) for scale in rare for _ in range(_rare(scale))]
        drawn: dict[int, list[_Drawn]] = {scale.number: [] for scale in self._scales}
        for place, (scale, make) in enumerate(every):
            text = f"{self._text}/{self._drawn + place}"
            drawn[scale.number].append(make(scale, make_inputs(scale.signature, text), text))
        self._drawn += len(every)
        for scale in self._scales:
            some = drawn[scale.number]
            if scale.program is None:
                for each in some:
                    self._try(scale, each, None, frozenset())
            elif some:
                self._rehearse(scale, scale.program, some, lacking)

    def _plain(self, scale: Scale, inputs: Arrays, text: str) -> _Drawn:
        return _Drawn(inputs, False)

    def _edge(self, scale: Scale, inputs: Arrays, text: str) -> _Drawn:
        made = on_edge(inputs, scale.signature, self._constants, f"{text}/edge", ties=self._ties)
        return _Drawn(made, True)

    def _aimed(self, scale: Scale, inputs: Arrays, text: str, kind: int) -> _Drawn:
        return _Drawn(aimed(inputs, scale.signature, self._constants, f"{text}/aimed", kind), True)

    def _spotted(self, scale: Scale, inputs: Arrays, text: str, name: str) -> _Drawn:
        (leaf,) = (leaf for a in scale.signature.inputs for leaf in a.leaves if leaf.name == name)
        return _Drawn(with_special_numbers(inputs, leaf, f"{text}/spotted"), True, spotted=name)

    def _rehearse(
        self, scale: Scale, program: ir.Program, drawn: Sequence[_Drawn], lacking: frozenset[Outcome]
    ) -> None:
        sets = [each.inputs for each in drawn]
        before = self._told.get(scale.number)
        margins = None  # at a rare scale a number may be off by too much to show which side it lies on
        if not scale.rare:
            margins = (
                before[0][1].again(len(sets)) if before else Margins(program, len(sets), ties=self._ties)
            )
        try:
            told = rehearse(program, sets, margins)
        except (NonTerminating, IndexError):
            if not scale.number:
                raise
            self._scales = [other for other in self._scales if other is not scale]
            self.illegal += 1
            return
        except np.linalg.LinAlgError:  # on some a matrix has no inverse
            for each in drawn if len(drawn) > 1 else ():
                self._rehearse(scale, program, [each], lacking)
            return
        if margins is not None:
            self._told.setdefault(scale.number, []).append((sets, margins))
        own = _launched(scale)
        self._ways |= told.coverage.outcomes | own
        ran = [told.coverage.ran(place) | own for place in range(len(drawn))]
        for place, tie in enumerate(each.tied for each in drawn):
            if tie in ran[place]:
                ran[place] |= {made_to(tie)}
                self._ways |= {made_to(tie)}
        spots = [place for place, each in enumerate(drawn) if each.spotted]
        bent = {
            spots[number]
            for number in non_differentiable_at(
                program, [(drawn[place].inputs, drawn[place].spotted) for place in spots]
            )
        }
        tried = [
            place
            for place in range(len(drawn))
            if place not in bent and (not lacking or not lacking.isdisjoint(ran[place]))
        ]
        if not tried:
            return
        sets, meaning = [drawn[place].inputs for place in tried], [told.meaning[place] for place in tried]
        other = moved(program, self.allowed, sets, meaning)
        self.elsewhere |= other.outputs
        rounded = self._rounded(program, [drawn[place] for place in tried], meaning)
        for number, place in enumerate(tried):
            if number not in other.races:
                self._try(scale, drawn[place], (meaning[number], rounded[number]), ran[place])

    @staticmethod
    def _rounded(
        program: ir.Program, drawn: Sequence[_Drawn], meaning: Sequence[Arrays]
    ) -> list[list[Arrays]]:
        """What is made of each of the inputs if it is rounded otherwise, once or several times."""
        places = [*range(len(drawn))]
        places += [place for place in places if drawn[place].edge] * (ROUNDED - 1)
        (nudged,) = tolerance.nudged(program.signature, [drawn[place].inputs for place in places], runs=1)
        made = rounded_otherwise(program, nudged)
        found: list[list[Arrays]] = [[] for _ in drawn]
        for number, place in enumerate(places):
            found[place].append(made[number] if made else meaning[place])
        return found

    def _try(
        self,
        scale: Scale,
        drawn: _Drawn,
        told: tuple[Arrays, Sequence[Arrays]] | None,
        ran: frozenset[Outcome],
    ) -> None:
        """`told` is what the tree makes of the inputs, exactly, and each time it is rounded otherwise."""
        run = self._run(scale, drawn.inputs)
        if run is None:
            return
        outputs = run.result.outputs
        ran |= special_outcomes(scale.signature, drawn.inputs, None if self._ties else run.result.gradients)
        passed = partial(
            _Passed, drawn.inputs, drawn.edge, drawn.spotted, drawn.tied, scale=scale, run=run, ran=ran
        )
        if told is None:
            self._passed.append(passed(meaning={}, error=math.inf))
            return
        exact, rounded = told
        if not isinstance(verify.meaning_agrees(outputs, exact), Rejected):
            error = max(run.error, worst_error(outputs, exact))
            for each in rounded:
                alike = {name: each[name].astype(array.dtype) for name, array in outputs.items()}
                error = max(error, worst_error(alike, exact))
            if not drawn.edge or error <= SHARE:
                self._passed.append(passed(meaning=exact, error=error))

    def order(
        self, chosen: Sequence[_Passed], unordered: Unordered
    ) -> tuple[tuple[frozenset[str], ...], tuple[Arrays, ...]]:
        """Which of these outputs keep their elements of one index together, on all inputs that passed; and of
        those that are chosen, which elements change places."""
        if self._question.program is None or not unordered:
            return (), tuple({} for _ in chosen)
        told = [together(_program(some), unordered, *_with_meaning(some)) for some in _alike(self._passed)]
        groups = tuple(group for group in told[0] if all(group in other for other in told))
        numbers: dict[int, Arrays] = {}
        for some in _alike(chosen):
            found = exchanging(_program(some), unordered, groups, *_with_meaning(some))
            numbers |= {id(each): arrays for each, arrays in zip(some, found, strict=True)}
        return groups, tuple(numbers[id(each)] for each in chosen)

    @property
    def _robust(self) -> list[_Passed]:
        """Inputs on which every output is so near to its meaning that another rounding stays within the
        tolerance."""
        return [each for each in self._passed if each.error <= SHARE]

    @property
    def _left(self) -> frozenset[Outcome]:
        """What some inputs run, and none of those on which rounding matters little."""
        return self._ways.difference(*(each.ran for each in self._robust))

    @property
    def _rare(self) -> frozenset[Outcome]:
        """Being launched at rare scales, for which no more inputs are drawn."""
        return frozenset[Outcome]().union(*(_launched(scale) for scale in self._scales if scale.rare))

    def lacking(self) -> frozenset[Outcome]:
        """What the row's own inputs run, and none of those on which rounding matters little."""
        program = self._question.program
        left = self._left - self._rare
        if program is None or not left:
            return frozenset()
        if self._own is None:
            own = rehearse(program, draw_cases(program.signature, self._question.id).inputs).coverage
            self._own = frozenset[Outcome]().union(
                *(own.ran(place) for place in range(own.sets)), *map(_launched, self._scales)
            )
        return left & self._own

    def telling(self) -> list[_Passed] | str:
        """`MOST` of those where rounding matters little, such that they run all that these do, and others
        where these are less than `CASES`, or run what none of them does. Where those do not tell, as many as
        are drawn at first, of all that passed; where these do not either, why."""
        robust = sorted(self._robust, key=lambda each: each.scale.rare and each.does_nothing)
        rest = [each for each in self._passed if not each.error <= SHARE]
        needed = self.lacking() | self._left & self._rare
        alone = _covering([each for each in rest if each.error <= 1.0], needed, CASES)
        ran = frozenset[Outcome]().union(*(each.ran for each in robust))
        chosen = [*_covering(robust, ran, MOST - len(alone)), *alone]
        taken = {id(each) for each in chosen}
        free = [
            [each for each in some if id(each) not in taken and not each.scale.rare]
            for some in (robust, rest)
        ]
        left = [each for some in free for each in _in_turn(some, chosen)]
        more = max(0, max(CASES, min(len(chosen) + len(free[0]), MOST)) - len(chosen))
        few = _halved([*chosen, *left[:more]], len(chosen))
        if len(few) < CASES:
            return f"of {self._drawn} inputs drawn for it, only {len(few)} pass what its own passed"
        if _tell(few):
            return few
        beside = {each.scale.number: each for each in reversed(few)}
        left.sort(key=lambda each: each.is_idle(beside=beside.get(each.scale.number, each)))
        many = [*chosen, *left][: DRAWN[0]]
        return many if _tell(many) else "on fresh inputs an answer that computes nothing would be right"


def _distances(
    native: _Native, chosen: Sequence[_Passed], seeds: Sequence[Arrays | None]
) -> tuple[Result, ...]:
    """How far answers may be from what is expected on these inputs; without a tree that is not known. At a
    rare scale finding it out is not worth its cost: an answer that is wrong there alone is far off."""
    found: dict[int, Result] = {}
    for some in _alike(chosen):
        scale = some[0].scale
        if scale.program is None:
            found |= {id(each): Result({}, {}) for each in some}
            continue
        if scale.rare:
            found |= {id(each): _widest(each.run.result) for each in some}
            continue
        inputs, meaning = _with_meaning(some)
        given = seeds[scale.number]
        count = tolerance.RUNS if given is None else tolerance.adjoints(scale.signature)
        runs = tolerance.nudged(scale.signature, inputs, count)
        results = [each.run.result for each in some]
        outputs = tolerance.of_outputs(scale.program, runs[: tolerance.RUNS], results, meaning)
        arriving = [
            {name: tolerance.moved(s, number) for name, s in (given or {}).items()}
            for number in range(len(runs))
        ]
        for place, each in enumerate(some):
            gradients = {}
            if given is not None:
                others = [
                    native.gradients(scale, sets[place], moved_seeds)
                    for sets, moved_seeds in zip(runs, arriving, strict=True)
                ]
                sums = []
                for start in tolerance.beginnings(each.run.result.gradients):
                    ended = native.gradients(scale, each.inputs, {**given, **start})
                    sums.append({name: ended[name].astype(np.float64) - start[name] for name in ended})
                gradients = tolerance.of_gradients(each.run.result.gradients, others, sums, each.run.exact)
            found[id(each)] = Result(outputs[place], gradients)
    return tuple(found[id(each)] for each in chosen)


def _widest(result: Result) -> Result:
    return Result(tolerance.widest(result.outputs), tolerance.widest(result.gradients))


def _with_meaning(some: Sequence[_Passed]) -> tuple[list[Arrays], list[Arrays]]:
    return [each.inputs for each in some], [each.meaning for each in some]


def _alike(some: Sequence[_Passed]) -> list[list[_Passed]]:
    """These in groups that are launched alike, whose arrays have one shape."""
    found: dict[int, list[_Passed]] = {}
    for each in some:
        found.setdefault(each.scale.number, []).append(each)
    return [*found.values()]


def _program(some: Sequence[_Passed]) -> ir.Program:
    program = some[0].scale.program
    assert program is not None
    return program


def _rare(scale: Scale) -> int:
    """How many inputs are drawn for a rare scale."""
    return RARE if math.prod(scale.signature.launch_dim) > 1 else ALONE


def _launched(scale: Scale) -> frozenset[Outcome]:
    """Being launched at other sizes counts as an arm of the program."""
    return frozenset({(-scale.number, 0, True)} if scale.number else ())


def _in_turn(some: Sequence[_Passed], behind: Sequence[_Passed]) -> list[_Passed]:
    """These so that, with those that they come behind, each scale has its turn, an extreme one every third
    time."""
    counts = Counter((each.scale.number, each.edge) for each in behind)
    ranked = []
    for each in some:
        counts[each.scale.number, each.edge] += 1
        ranked.append((counts[each.scale.number, each.edge] * (2 if each.edge else 1), each))
    return [each for _, each in sorted(ranked, key=itemgetter(0))]


def _halved(some: Sequence[_Passed], kept: int) -> list[_Passed]:
    """These without so many, behind those that are kept, of the row's own size that they are more than half;
    `CASES` of them stay."""
    found = [*some]
    others = sum(each.scale.number > 0 for each in found)
    for place in reversed(range(kept, len(found))):
        if others and len(found) > max(CASES, 2 * others) and not found[place].scale.number:
            del found[place]
    return found


def _tell(some: Sequence[_Passed]) -> bool:
    """Whether an answer that computes nothing is wrong on some of these inputs."""
    return any(
        verify.trivial([e.run.result.outputs for e in alike], [e.inputs for e in alike]) is None
        for alike in _alike(some)
    )


def _covering(among: Sequence[_Passed], ways: frozenset[Outcome], most: int) -> list[_Passed]:
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


def worst_error(found: Arrays, exact: Arrays) -> float:
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
        unit = units.native_unit(self._members, self._members[:1] if self._turned else [], reference=True)
        self._library = warp.compile_native(unit, checked=self._checked)
        self._runners: dict[int, tuple[Runner, Runner | None]] = {}
        return self

    def _at(self, scale: Scale) -> tuple[Runner, Runner | None]:
        """What runs the code as it is launched there, and that in float64."""
        if scale.number not in self._runners:
            own, *wide = self._members
            runner, wide_runner = Runner(scale.signature, own, self._library, cuda=self._turned), None
            if self._wide is not None:
                signature = _shaped(self._wide.signature, scale.signature)
                wide_runner = Runner(signature, wide[0], self._library, cuda=False)
            self._runners[scale.number] = runner, wide_runner
        return self._runners[scale.number]

    def __exit__(self, *_: object) -> None:
        self._library.unload()

    def run(self, scale: Scale, inputs: Arrays, seeds: Arrays | None) -> _Run | None:
        """What the code makes of inputs; None where it does not end well, a number is not finite, a gradient
        hangs on rounding, or the order of threads decides."""
        runner, wide_runner = self._at(scale)
        if self._checked and apart.exit_status(lambda: self._goes_through(scale, inputs, seeds), SECONDS):
            return None
        result = runner.run(inputs, seeds)
        if verify.not_finite([result.outputs]) or verify.gradient_not_finite(result.gradients):
            return None
        if self._turned:
            other = runner.run_cuda(inputs, seeds, backwards=True)
            leaves = may_follow(self._question.signature, None)
            unordered = {name: leaves[name] for name in leaves.keys() & self._question.unordered}
            if verify.compare(other.outputs, result.outputs, unordered).unequal is not None:
                return None
        if seeds is None:
            return _Run(result)
        error, exact = 0.0, None
        if wide_runner is not None:
            exact = wide_runner.run(inputs, seeds).gradients
            if verify.adjoint_precision(result.gradients, exact):
                return None
            error = worst_error(result.gradients, exact)
        return _Run(result, error, exact)

    def gradients(self, scale: Scale, inputs: Arrays, seeds: Arrays) -> Arrays:
        """What the adjoint makes of inputs that are known to be safe."""
        return self._at(scale)[0].run(inputs, seeds).gradients

    def _goes_through(self, scale: Scale, inputs: Arrays, seeds: Arrays | None) -> int:
        runner, wide_runner = self._at(scale)
        runner.run(inputs, seeds)
        if self._turned:
            runner.run_cuda(inputs, seeds, backwards=True)
        if wide_runner is not None:
            wide_runner.run(inputs, seeds)
        return 0


def _shaped(signature: ir.Signature, like: ir.Signature) -> ir.Signature:
    """A signature whose types stay, launched on arrays of the shapes of another one."""
    pairs = zip(signature.arguments, like.arguments, strict=True)
    arguments = tuple(
        replace(argument, shape=other.shape, member_shapes=other.member_shapes) for argument, other in pairs
    )
    return ir.Signature(signature.name, arguments, like.launch_dim)


def _arriving(scale: Scale, text: str) -> Arrays:
    """Gradients that arrive at outputs. At every other scale a quarter of them are zero, and a quarter are
    several times as large as one."""
    given = make_output_gradients(scale.signature, text)
    if scale.number % 2:
        return given
    found = {}
    for name, gradient in given.items():
        draw = random.Random(f"{text}/arriving/{scale.number}/{name}")
        factors = [draw.choice((0, 1, 1, LARGE)) for _ in range(gradient.size)]
        found[name] = gradient * np.array(factors, gradient.dtype).reshape(gradient.shape)
    return found


def _held(
    native: _Native, chosen: Sequence[_Passed], seeds: Sequence[Arrays | None], text: str
) -> tuple[list[Arrays], list[Arrays]]:
    """What gradients of inputs hold before, input by input, and what the own adjoint leaves there."""
    starts, held = [], []
    for number, each in enumerate(chosen):
        given = seeds[each.scale.number] or {}
        start = _starts(each.run.result.gradients, given, text, number)
        starts.append(start)
        held.append(native.gradients(each.scale, each.inputs, {**given, **start}) if start else {})
    return starts, held


# Powers of two, of which a gradient holds one before, as shares of the largest one that its type has, or
# float32: near any gradient there is a smaller one, and a larger one; and of usual gradients several.
_EXPONENTS = (-0.6, 0.0, 0.09, 0.6, -0.04, 0.2, -0.2)


def _starts(gradients: Arrays, seeds: Arrays, text: str, case: int) -> Arrays:
    """What gradients of inputs hold before, so that an adjoint that stores is told from one that adds: drawn
    from `text`, since a number that follows from results would tell them. An element has another scale than
    its neighbours, and than in the case before. Into gradients that outputs have as well, `seeds` arrive."""
    found = {}
    for name, gradient in gradients.items():
        if name not in seeds:
            draw = random.Random(f"{text}/start/{case}/{name}")
            first, most = case % len(_EXPONENTS), min(np.finfo(gradient.dtype).maxexp, 128)
            numbers = [
                draw.choice((-1, 1)) * math.ldexp(1 + draw.random(), int(share * most))
                for share in itertools.islice(itertools.cycle(_EXPONENTS), first, first + gradient.size)
            ]
            found[name] = np.array(numbers, gradient.dtype).reshape(gradient.shape)
    return found
