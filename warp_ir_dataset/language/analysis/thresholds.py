"""Finds inputs on which the two operands of a comparison are nearly equal, on either side.

A threshold that is off by a percent only shows if a number lies between the right threshold and the wrong
one, and computed numbers seldom do. So inputs are moved along lines, from some that fall on one side to
others that fall on the other, until the two operands are nearly equal. The tree is run on many points of all
lines at once, and again on the part of each line in which the comparison changes. Of the points found, those
are taken on which another threshold makes a difference. An operation that jumps, such as `wp.floor` or
`wp.sign`, compares a number with the nearest number at which it jumps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, permutations

import numpy as np

from .. import ir
from ..operations.traits import (
    BOUNDING,
    JUMPING,
    MAGNITUDES,
    MIDDLE,
    PLUS,
    RELAXED,
    SIGNS,
    TIMES,
    TRUNCATING,
    WHOLE,
)
from ..rewrite import map_bodies, map_expressions
from ..traits import with_trait
from ..types import Scalar, Value
from .coverage import COMPARISONS, Coverage, Outcome, compared, exact, tie
from .interpreter import NonTerminating, interpret

NEAR = 5e-4  # relative difference of nearly equal operands
NEAREST = NEAR / 16  # the least difference: nearer ones may only differ by rounding
# The range of differences if both sides give nearly the same result, so that only larger ones show.
BESIDE = (0.002, 0.01)
BITES = (0.05, 0.95)  # the range of differences of a number and its bound, so that both matter
# If computed numbers are compared with zero, one part in so many of the largest counts as the larger number:
# a constant in a term of that size may be wrong.
TERMS = 8
FARTHEST = 0.5  # the largest distance to a number at which rounding changes
ROUNDS = 3  # of the search along lines, each in a part of the line of the round before
POINTS = 8  # on each line, at first
FINE = 12  # points towards an end where numbers vanish, each at a quarter of the distance
FINEST = 2**26  # points to a quarter, or to the whole way
LEVELS = (-40, -14, -4, -0.6, 0.6, 4, 14, 40)  # times `NEAR`: the differences of the next points
CANDIDATES = 6  # inputs that are tested for whether they show a wrong threshold
JOINED = 3  # threads, or iterations, for each of which lines join two inputs
SEEN = 1e-5  # relative to the largest number of an array, the least visible difference
COMPARED = 6  # comparisons per search
EXECUTIONS = 64  # executions of a comparison whose numbers are recorded
_NARROW = -100  # narrow outcomes of a node are numbered from here
_MADE = -50  # ties made on purpose are numbered from here
_COMPONENTS = -10_000  # components replaced by bounds are numbered from here

Key = tuple[int, int]  # a node by its identity, and which of its comparisons
Arrays = Mapping[str, np.ndarray]


def narrow(key: Key, *, above: bool, beside: bool = False) -> Outcome:
    """The outcome that the operands of a comparison are nearly equal, with the first one `above` the second
    or below; with `beside`, a little further apart."""
    number, place = key
    return number, _NARROW - 2 * place - beside, above


def made_to(tie: Outcome) -> Outcome:
    """The outcome that two numbers are equal because an input was changed."""
    number, place, _ = tie
    return number, _MADE + place, True


def compared_by(outcome: Outcome) -> Key | None:
    """The comparison of a `narrow` outcome; None for others."""
    number, place, _ = outcome
    return (number, (_NARROW - place) // 2) if _COMPONENTS < place <= _NARROW else None


class Margins(Coverage):
    """Coverage that also records nearly equal operands, and the relative difference of each comparison.

    The difference is relative to the larger operand; if one is zero and the other computed, to the larger
    operand in other threads. With `ties` equal computed numbers are recorded too."""

    def __init__(self, program: ir.Program, sets: int, *, ties: bool = True) -> None:
        super().__init__(program, sets)
        self._exact = exact(program)
        self._given = frozenset((id(node), place) for node, place, sides in compared(program) if all(sides))
        self._ties = ties
        self.forget()

    def again(self, sets: int) -> Margins:
        """An empty record for `sets` other inputs of the program."""
        made = type(self).__new__(type(self))
        Coverage.__init__(made, self.program, sets)
        made._exact, made._given, made._ties = self._exact, self._given, self._ties
        made.forget()
        return made

    def forget(self) -> None:
        super().forget()
        self._narrow: dict[Outcome, np.ndarray] = {}
        self._margins: dict[Key, list[np.ndarray]] = {}
        self._larger: dict[Key, list[np.ndarray]] = {}
        self._pairs: dict[Key, list[tuple[np.ndarray, np.ndarray]]] = {}

    def applied(self, node: ir.Apply, values: Sequence[np.ndarray], active: np.ndarray) -> None:
        super().applied(node, values, active)
        if node.operation in COMPARISONS:
            self._differ(node, 0, values, active)
        elif node.operation in JUMPING and values[0].dtype.kind == "f" and values[0].ndim == 2:
            number = values[0].astype(np.float64)
            pair = number, _jump(node.operation, number)
            if node.operation in SIGNS:
                self._margin((id(node), 0), pair, active, computed=True)
            elif not _is_whole(node.operands[0]):
                self._margin((id(node), 0), pair, active, larger=FARTHEST)
        elif node.operation in BOUNDING - set(MAGNITUDES):
            for place, bound in enumerate(values[1:]):
                if isinstance(node.type, Value) and node.type.is_float:
                    if values[0].ndim == 2:
                        self._margin((id(node), place), (values[0], bound), active, ranges=(BITES,))
                    else:
                        self._bitten(node, place, values[0], bound, active)

    def chained(
        self, node: ir.Chain, values: Sequence[np.ndarray], observed: Sequence[np.ndarray], active: np.ndarray
    ) -> None:
        super().chained(node, values, observed, active)
        for place, pair in enumerate(pairwise(values)):
            self._differ(node, place, pair, active)
            active = active & observed[place]

    def _differ(
        self, node: ir.Apply | ir.Chain, place: int, values: Sequence[np.ndarray], active: np.ndarray
    ) -> None:
        """Record a comparison. Integers are nearly equal if they differ by one."""
        first, second = values
        key = id(node), place
        given = key in self._given
        if first.dtype.kind == "f" or second.dtype.kind == "f":
            self._margin(key, values, active, computed=key not in self._exact)
            # Also components of inputs, and inputs passed to functions, but no literals.
            given = given or (key in self._exact and first.size > 1 and second.size > 1)
        else:
            distance = first.astype(np.float64) - second
            self._note(self._narrow, narrow(key, above=True)[:2], distance == 1, distance == -1, active)
        if given and self._ties and self._place == slice(0, self.sets):
            found = self._pairs.setdefault(key, [])
            if len(found) < EXECUTIONS:
                found.append((np.where(active, first, np.nan), np.where(active, second, np.nan)))
        if self._ties or key in self._exact:
            self._note(self._narrow, tie(node, place)[:2], first == second, first != second, active)

    def _bitten(
        self, node: ir.Apply, place: int, first: np.ndarray, second: np.ndarray, active: np.ndarray
    ) -> None:
        """Record for each component of a vector on which side of its bound it lies."""
        below, above = np.broadcast_arrays(first < second, first > second)
        for number, component in enumerate(np.ndindex(below.shape[2:])):
            key = id(node), _COMPONENTS - 2 * number - place
            own = (slice(None), slice(None), *component)
            self._note(self._narrow, key, below[own], above[own], active)

    def _margin(
        self,
        key: Key,
        values: Sequence[np.ndarray],
        active: np.ndarray,
        *,
        ranges: Sequence[tuple[float, float]] = ((NEAREST, NEAR), BESIDE),
        computed: bool = False,
        larger: float | np.ndarray | None = None,
    ) -> None:
        first, second = (value.astype(np.float64) for value in values)
        if larger is None:
            larger = np.maximum(np.abs(first), np.abs(second))
        if computed and not (first.any() and second.any()):
            larger = np.where(active, larger, 0.0).max(axis=1, keepdims=True) / TERMS
        parts = (first - second) / larger
        size = np.abs(parts)
        for beside, (least, most) in enumerate(ranges):
            close = (size >= least) & (size <= most)
            outcome = narrow(key, above=True, beside=bool(beside))
            self._note(self._narrow, outcome[:2], close & (parts > 0), close & (parts < 0), active)
        if self._place == slice(0, self.sets):  # otherwise inputs run one by one
            found = self._margins.setdefault(key, [])
            if len(found) < EXECUTIONS:
                found.append(np.where(active, parts, np.nan))
                self._larger.setdefault(key, []).append(np.broadcast_to(larger, active.shape))

    @property
    def outcomes(self) -> frozenset[Outcome]:
        """All outcomes except the narrow ones, which need not occur."""
        return frozenset().union(*super()._all)

    @property
    def _all(self) -> tuple[dict[Outcome, np.ndarray], ...]:
        return *super()._all, self._narrow

    @property
    def narrow_outcomes(self) -> frozenset[Outcome]:
        """The narrow outcomes of the float comparisons that some inputs reached."""
        return frozenset(outcome for outcome in self._narrow if compared_by(outcome) in self._margins)

    @property
    def component_outcomes(self) -> frozenset[Outcome]:
        """The two sides of each component of vectors with bounds that some inputs reached."""
        return frozenset(outcome for outcome in self._narrow if outcome[1] <= _COMPONENTS)

    @property
    def keys(self) -> tuple[Key, ...]:
        """The float comparisons, in the order in which they were reached."""
        return tuple(self._margins)

    def pairs(self, key: Key) -> tuple[np.ndarray, np.ndarray]:
        """Both operands of a comparison of two inputs: for each set, each execution and each thread."""
        first, second = zip(*self._pairs[key], strict=True)
        return np.concatenate(first, axis=1), np.concatenate(second, axis=1)

    @property
    def paired(self) -> Collection[Key]:
        """The comparisons of two inputs that were reached."""
        return self._pairs.keys()

    def margins(self, key: Key) -> np.ndarray:
        """The relative differences of a float comparison: of shape ``(sets, executions × threads)``, NaN if
        not reached."""
        return self._joined(self._margins, key)

    def larger(self, key: Key) -> np.ndarray:
        """The numbers to which `margins` are relative."""
        return self._joined(self._larger, key)

    def _joined(self, noted: Mapping[Key, list[np.ndarray]], key: Key) -> np.ndarray:
        found = noted.get(key, ())
        return np.concatenate(found, axis=1) if found else np.zeros((self.sets, 0))


def _jump(operation: str, numbers: np.ndarray) -> np.ndarray:
    """For each number the nearest one at which an operation jumps."""
    if operation in SIGNS:
        return np.zeros_like(numbers)
    middle = 0.5 if operation in MIDDLE else 0.0
    nearest = np.rint(numbers - middle) + middle
    return np.where(nearest == 0, np.copysign(1.0, numbers), nearest) if operation in TRUNCATING else nearest


def _is_whole(expression: ir.Expr) -> bool:
    """Whether a rounding operation has already made a number an integer."""
    return isinstance(expression, ir.Apply) and expression.operation in WHOLE


# ---- lines


@dataclass(frozen=True)
class _Line:
    """A line from some inputs to others, with the integers of the first.

    Its points are `at` numbers from 0: fractions of the way; or, if numbers are `vanishing` towards its end,
    how often the remaining distance is quartered."""

    key: Key
    start: Arrays
    end: Arrays
    at: tuple[float, ...]
    vanishing: bool = False

    def point(self, at: float, moving: Sequence[ir.Argument]) -> dict[str, np.ndarray]:
        part = 1 - 0.25**at if self.vanishing else at
        made = dict(self.start)
        for leaf in moving:
            start, end = (side[leaf.name].astype(np.float64) for side in (self.start, self.end))
            made[leaf.name] = with_trait(start + part * (end - start), leaf).astype(made[leaf.name].dtype)
        return made


Observed = tuple[Sequence[Arrays], Margins]  # inputs, and their margins


def approached(
    program: ir.Program, observed: Sequence[Observed], wanted: Collection[Outcome], most: int
) -> list[dict[str, np.ndarray]]:
    """Inputs on which the operands of float comparisons are nearly equal.

    Args:
        program: The kernel's tree.
        observed: Inputs at which lines start, in groups that ran together: at least one.
        wanted: The outcomes to reach, of `Margins.narrow_outcomes`.
        most: Inputs for each of these, at most.

    Returns:
        The inputs. Comparisons of unchanged inputs with zero are not searched, nor more comparisons than
        `COMPARED`.
    """
    leaves = [leaf for argument in program.signature.inputs for leaf in argument.leaves]
    moving = [leaf for leaf in leaves if leaf.type.is_float and leaf.trait not in _STIFF]
    order = [*dict.fromkeys(key for _, margins in observed for key in margins.keys)]
    keys = sorted({key for outcome in wanted if (key := compared_by(outcome)) is not None}, key=order.index)
    lines = [line for key in keys if moving for line in _lines(key, observed, moving)]
    searched = [*dict.fromkeys(line.key for line in lines)][:COMPARED]
    found: dict[Outcome, list[dict[str, np.ndarray]]] = {
        outcome: []
        for key in searched
        for beside in (False, True)
        for above in (False, True)
        if (outcome := narrow(key, above=above, beside=beside)) in wanted
    }
    for _ in range(ROUNDS):
        open_keys = {compared_by(outcome) for outcome, some in found.items() if len(some) < CANDIDATES}
        lines = [line for line in lines if line.key in open_keys]
        inputs = [line.point(at, moving) for line in lines for at in line.at]
        if not inputs:
            break
        margins = observed[0][1].again(len(inputs))
        try:
            interpret(program, _stacked(inputs), len(inputs), margins)
        except (NonTerminating, IndexError, np.linalg.LinAlgError):
            break
        lines_of = [number for number, line in enumerate(lines) for _ in line.at]
        for outcome, some in found.items():
            places = _in_turn(np.flatnonzero(margins.runs(outcome)), lines_of)
            some += [inputs[place] for place in places[: CANDIDATES - len(some)]]
        lines = _nearer(lines, margins)
    chosen: dict[int, dict[str, np.ndarray]] = {}
    every = [inputs for some in found.values() for inputs in some]
    left, last = _left(program, every) if every else None, 0
    for outcome, some in found.items():
        first, last = last, last + len(some)
        own = None if left is None else {name: array[first:last] for name, array in left.items()}
        shown = _showing(program, outcome, some, own)
        chosen |= {id(some[place]): some[place] for place in np.argsort(~shown, kind="stable")[:most]}
    return [*chosen.values()]


def _in_turn(places: np.ndarray, lines_of: Sequence[int]) -> list[int]:
    """One point of each line, then another one of each, and so on."""
    turns, ranked = Counter[int](), []
    for place in places.tolist():
        ranked.append((turns[lines_of[place]], place))
        turns[lines_of[place]] += 1
    return [place for _, place in sorted(ranked)]


def _showing(program: ir.Program, outcome: Outcome, sets: Sequence[Arrays], own: Arrays | None) -> np.ndarray:
    """Which of these inputs, all with one outcome, give outputs other than the program's `own` if the
    threshold is wrong. On others both sides may give the same result, or later code hides the difference."""
    key = compared_by(outcome)
    if len(sets) < 2 or key is None:
        return np.full(len(sets), True)
    return _differ(own, _left(_changed(program, key, partial(_crossed, outcome=outcome)), sets), len(sets))


def _crossed(node: ir.Expr, outcome: Outcome) -> ir.Expr:
    """The comparison, bound or jump with a threshold that is moved past the nearly equal numbers of this
    outcome. Zero, and thresholds of jumps, are moved by a part of `FARTHEST`."""
    assert isinstance(node, (ir.Apply, ir.Chain))
    _, number, above = outcome
    place, beside = divmod(_NARROW - number, 2)
    jumps = isinstance(node, ir.Apply) and node.operation in JUMPING
    bounds = isinstance(node, ir.Apply) and node.operation in BOUNDING
    place = 0 if jumps else place + 1
    threshold = node.operands[place]
    if not (isinstance(threshold.type, Scalar) and threshold.type.is_float):
        return node
    most = BITES[1] if bounds else BESIDE[1] if beside else NEAR
    if jumps or (isinstance(threshold, ir.Literal) and not threshold.value):
        by: ir.Expr = ir.Literal(most * FARTHEST * (1 if above != jumps else -1), threshold.type)
    else:
        part = ir.Literal((1 / (1 - most) if above else 1 - most) - 1, threshold.type)
        size = ir.Apply(MAGNITUDES[0], (threshold,), threshold.type)
        by = ir.Apply(TIMES, (size, part), threshold.type)
    operands = [*node.operands]
    operands[place] = ir.Apply(PLUS, (threshold, by), threshold.type)
    return replace(node, operands=tuple(operands))


def tied(
    program: ir.Program, observed: Observed, most: int
) -> Iterator[tuple[Outcome, dict[str, np.ndarray]]]:
    """Inputs in which two compared input numbers are made equal: one element takes the value of the other.
    Only inputs whose outputs show how the comparison treats equal numbers.

    Args:
        program: The kernel's tree.
        observed: Inputs to change, and their margins.
        most: Inputs for each comparison, at most.

    Yields:
        The tie, and inputs.
    """
    leaves = [leaf for argument in program.signature.inputs for leaf in argument.leaves]
    sets, margins = observed
    for key in [*margins.paired][:COMPARED]:
        first, second = margins.pairs(key)
        differ = np.isfinite(first) & np.isfinite(second) & (first != second)
        # The last execution: later iterations may hide the change of an earlier one.
        changed = (
            _with(sets[place], leaves, *pair)
            for place, times in enumerate(differ)
            for time in np.flatnonzero(times)[-1:]
            for pair in permutations((float(first[place, time]), float(second[place, time])))
        )
        made = [inputs for inputs in changed if inputs is not None]
        if made:
            other = _changed(program, key, partial(_relaxed, place=key[1]))
            shown = _differ(_left(program, made), _left(other, made), len(made))
            for place in np.flatnonzero(shown)[:most]:
                yield (key[0], -1 - key[1], True), made[place]


def _relaxed(node: ir.Expr, place: int) -> ir.Expr:
    """The comparison that treats equal numbers the other way."""
    if isinstance(node, ir.Chain):
        names = [*node.comparisons]
        names[place] = RELAXED.get(names[place], names[place])
        return replace(node, comparisons=tuple(names))
    if isinstance(node, ir.Apply):
        return replace(node, operation=RELAXED.get(node.operation, node.operation))
    return node


def _changed(program: ir.Program, key: Key, change: Callable[[ir.Expr], ir.Expr]) -> ir.Program:
    """The program with one node changed."""

    def made(node: ir.Expr) -> ir.Expr:
        return change(node) if id(node) == key[0] else node

    return map_bodies(program, lambda body: map_expressions(body, made))


def _stacked(sets: Sequence[Arrays]) -> dict[str, np.ndarray]:
    return {name: np.stack([each[name] for each in sets]) for name in sets[0]}


def _left(program: ir.Program, sets: Sequence[Arrays]) -> Arrays | None:
    """The outputs of a program for these inputs; None if it fails on some."""
    try:
        return interpret(program, _stacked(sets), len(sets))
    except (NonTerminating, IndexError, np.linalg.LinAlgError):
        return None


def _differ(own: Arrays | None, other: Arrays | None, sets: int) -> np.ndarray:
    """On which inputs two programs give different outputs, or one of them gives none."""
    if own is None or other is None:
        return np.full(sets, True)
    differ = np.zeros(sets, bool)
    for one, two in zip(own.values(), other.values(), strict=True):
        one, two = (side.reshape(sets, -1).astype(np.float64) for side in (one, two))
        with np.errstate(invalid="ignore"):
            alike = np.abs(one - two) <= SEEN * np.abs(one).max(axis=1, keepdims=True, initial=0.0)
        differ |= ~(alike | (np.isnan(one) & np.isnan(two))).all(axis=1)
    return differ


def _with(
    inputs: Arrays, leaves: Sequence[ir.Argument], number: float, other: float
) -> dict[str, np.ndarray] | None:
    """Inputs with one element `number` replaced by `other`; None if no element allows it."""
    for leaf in leaves:
        values = inputs[leaf.name]
        (places,) = np.nonzero(values.reshape(-1) == number)
        if leaf.trait in (None, "sorted") and places.size and leaf.domain.lo <= other <= leaf.domain.hi:
            changed = values.copy()
            changed.reshape(-1)[places[0]] = other
            return {**inputs, leaf.name: with_trait(changed, leaf).astype(values.dtype)}
    return None


def nearness(outcome: Outcome, observed: Sequence[Observed]) -> tuple[float, float]:
    """How near inputs are to an outcome: the distance of the nearest two inputs on both sides of the
    comparison, and of the nearest input. Infinite if there are none."""
    key = compared_by(outcome)
    assert key is not None
    return min(_nearest(margins.margins(key))[:2] for _, margins in observed)


def _lines(key: Key, observed: Sequence[Observed], moving: Sequence[ir.Argument]) -> Iterator[_Line]:
    """Lines between the nearest two inputs on both sides, for a few threads, and from the nearest input to
    zero. If all inputs are on one side, lines to inputs whose elements are all equal, equal in pairs, or at
    an end of their domains."""
    ranked = [(*_nearest(margins.margins(key)), sets) for sets, margins in observed]
    distance, size, ends, place, sets = min(ranked, key=lambda each: each[:2])
    if not np.isfinite(size):
        return
    evenly, quartered = tuple(np.linspace(0, 1, POINTS).tolist()), tuple(map(float, range(FINE)))
    nearest = sets[place]
    yield _Line(key, nearest, _ended(nearest, moving, 0.0), quartered, vanishing=True)
    if np.isfinite(distance):
        for pair in ends:
            above, below = (sets[end] for end in pair)
            yield _Line(key, above, below, evenly)
            if len(moving) < len(above):  # otherwise the points are the same
                yield _Line(key, below, above, evenly)
    else:
        for alike in (_alike, _in_pairs):
            end = {**nearest, **{leaf.name: alike(nearest[leaf.name], leaf) for leaf in moving}}
            yield _Line(key, nearest, end, quartered, vanishing=True)
        yield _Line(key, nearest, _ended(nearest, moving, -np.inf), evenly)
        yield _Line(key, nearest, _ended(nearest, moving, np.inf), evenly)


def _nearest(parts: np.ndarray) -> tuple[float, float, tuple[tuple[int, int], ...], int]:
    """The least distance of two inputs on both sides of a comparison, and of one input; the numbers of these
    pairs, for a few threads or executions, and of that input."""
    if not parts.size:
        return np.inf, np.inf, (), 0
    # No unchanged input counts as near zero.
    size = np.where(np.isfinite(parts) & (np.abs(parts) != 1), np.abs(parts), np.inf)
    above, below = np.where(parts > 0, size, np.inf), np.where(parts < 0, size, np.inf)
    distance = above.min(axis=0) + below.min(axis=0)
    times = [time for time in np.argsort(distance, kind="stable")[:JOINED] if np.isfinite(distance[time])]
    ends = tuple((int(above[:, time].argmin()), int(below[:, time].argmin())) for time in times)
    return float(distance.min()), float(size.min()), ends, int(size.min(axis=1).argmin())


def _ended(inputs: Arrays, moving: Sequence[ir.Argument], number: float) -> dict[str, np.ndarray]:
    """The inputs with all moving numbers as near to `number` as their domains allow."""
    ends = {leaf.name: min(max(number, leaf.domain.lo), leaf.domain.hi) for leaf in moving}
    return {**inputs, **{name: np.full_like(inputs[name], end) for name, end in ends.items()}}


def _alike(values: np.ndarray, leaf: ir.Argument) -> np.ndarray:
    """All elements equal to the first one."""
    elements = values.reshape(-1, *leaf.type.shape)
    return np.broadcast_to(elements[:1], elements.shape).reshape(values.shape)


def _in_pairs(values: np.ndarray, leaf: ir.Argument) -> np.ndarray:
    """Every second element equal to the one before, so that differences of two elements vanish."""
    elements = values.reshape(-1, *leaf.type.shape)
    return np.repeat(elements[::2], 2, axis=0)[: len(elements)].reshape(values.shape)


def _nearer(lines: Sequence[_Line], margins: Margins) -> list[_Line]:
    """The part of each line in which the result of the comparison changes, with points where the operands
    should be nearly equal."""
    found, first = [], 0
    for line in lines:
        last = first + len(line.at)
        parts, larger = margins.margins(line.key)[first:last], margins.larger(line.key)[first:last]
        if not line.vanishing:  # along a short line the difference is linear, the relative one is not
            parts = parts * larger
        first = last
        with np.errstate(invalid="ignore"):
            size = np.where(parts[:-1] * parts[1:] < 0, np.abs(parts[:-1]) + np.abs(parts[1:]), np.inf)
        if not np.isfinite(size).any():
            continue
        place, time = np.unravel_index(int(size.argmin()), size.shape)
        low, high = line.at[place], line.at[place + 1]
        one, other = parts[place, time], parts[place + 1, time]
        near = NEAR
        if line.vanishing:
            one, other = _scaled(one), _scaled(other)
        else:
            near *= min(larger[place, time], larger[place + 1, time])
        guessed = [low + (high - low) * float(one - level * near) / float(one - other) for level in LEVELS]
        # Rounded, so that differences of numpy's functions between processors do not show.
        rounded = (round(each * FINEST) / FINEST for each in (*guessed, (low + high) / 2))
        at = {low, high, *(each for each in rounded if low < each < high)}
        found.append(replace(line, at=tuple(sorted(at))))
    return found


def _scaled(part: float) -> float:
    """The logarithm of the quotient of two numbers with this relative difference: linear for powers."""
    return float(-np.copysign(np.log1p(-abs(part)), part)) if abs(part) < 1 else float(part)


# Points between two inputs with these traits may lack the trait, or `with_trait` moves them too far.
_STIFF = ("rotation", "permutation", "dominant", "positive definite")
