"""Builds random programs as chains: read a quantity, apply one step after another, store the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...language import ir
from ...language.analysis.intervals import Illegal
from ...language.domains import Interval
from ...language.types import INT
from ...language.walks import walk
from .branches import BRANCHES, dead_band, selected, skipped
from .builder import Builder
from .lines import LIMITS, blended, capped, clamped, rectified, soft_threshold, squashed
from .loops import LOOPS, moving_average, relaxed, row_maximum, row_minimum
from .ranges import rescale
from .starts import STARTS, Start, element
from .step import (
    ZERO,
    Step,
    StepResult,
    Use,
    any_free_name,
    as_local,
    free_name,
    free_names,
    local_names,
    new_array,
    rescaled_phrase,
)
from .subject import Beginning, Subject, Transition
from .subjects import SUBJECTS
from .terms import atomic

STEPS = {2: (1, 2), 3: (2, 3), 4: (3, 3), 5: (4, 5)}  # the least and most steps of a chain, by difficulty
CONTROLS = {4: 1, 5: 2}  # the least steps with a branch or a loop, by difficulty
KEPT_LOCAL, HELPED, IN_PLACE, NAMED, BARE, COUNTED = 0.5, 0.5, 0.3, 0.7, 0.4, 0.12  # probabilities
TRIES = 400
LARGEST = 500.0  # result of a step

# Groups of similar steps, of which a chain has at most one.
RIVALS: tuple[frozenset[Step], ...] = (
    frozenset((skipped, selected)),
    frozenset((blended, moving_average, relaxed)),
    frozenset((clamped, squashed, capped)),
    frozenset((dead_band, soft_threshold, rectified)),
    frozenset((row_maximum, row_minimum)),
)

CONTROL = frozenset((*BRANCHES, *LOOPS))

# By a step's verb: the name of a local with its result, if that is the same quantity.
DONE = {
    "advance": "advanced", "attenuate": "attenuated", "average": "averaged", "blend": "blended",
    "clamp": "clamped", "compare": "relative", "accumulate": "accumulated", "divide": "divided",
    "fill": "filled", "limit": "limited", "raise": "raised", "rectify": "positive", "reduce": "reduced",
    "rescale": "rescaled", "saturate": "saturated", "scale": "scaled", "shrink": "shrunk",
    "smooth": "smoothed", "weigh": "weighted",
}  # fmt: skip


@dataclass(frozen=True)
class Chain:
    """How chains of a family are made.

    `starts` are their first steps. `main` are the weights of the steps that make a program one of the family;
    those in a chain sum to at least `needed`. `reduced` is the probability that its result is reduced over
    threads. `least` is the number of steps at difficulty 1.
    """

    starts: Sequence[Start]
    main: Mapping[Step, int]
    needed: int = 1
    reduced: float = 0.12
    least: int = 1


def build_chain(b: Builder, plan: Chain) -> None:
    """Build a chain. Raises `Illegal` if an attempt fails."""
    subject, beginning, transitions = _choose_route(b, plan)
    b.element = subject.element[len(b.threads) - 1]
    at = beginning.quantity
    start = beginning.start(b, Use(beginning.names, subject.quantities[at].span, at, beginning.trait))
    b.describe(start.clause)
    value, verb = start.value, "collect"
    if transitions:
        value = x = as_local(b, start.value, local_names(at))
    for number, transition in enumerate(transitions):
        span, keeps = subject.quantities[at].span, not transition.quantity
        made = transition.step(b, x, Use(transition.names, span, at, keeps=keeps))
        b.describe(made.clause)
        verb = made.verb or verb
        name = transition.quantity or _local_name_after(b, made.verb, at)
        makes_function = b.difficulty >= 4 and _makes_function(b)
        value = _as_function(b, made, x) if makes_function else made.value
        small = rescale(b, value, LARGEST)
        if small is not value:
            b.describe(f"takes {rescaled_phrase(small, value)}")
        value = small
        at = transition.quantity or at
        if isinstance(value, ir.Name):
            x = value
        elif number < len(transitions) - 1 or b.rng.chance(KEPT_LOCAL):
            value = x = b.bind(value, free_name(b, local_names(name)))
    same_quantity = beginning.start is element and at == beginning.quantity and transitions
    if (b.difficulty > 1 or plan.reduced == 1.0) and b.rng.chance(plan.reduced):
        verb = _reduce_over_threads(b, value, subject, at)
    elif same_quantity and b.rng.chance(IN_PLACE):
        _store_in_place(b, value, start.source)
    else:
        _store_result(b, value, subject.quantities[at].arrays)
    word = subject.quantities[at].arrays.split()[0]
    if at != beginning.quantity:
        b.kernel_name = free_name(b, b.rng.pick((f"compute_{word}", f"{at}_from_{start.source}")))
    else:
        b.kernel_name = free_name(b, f"{verb}_{start.source if beginning.start in STARTS else word}")


def _makes_function(b: Builder) -> bool:
    """Whether to make the next step a helper function: a hard kernel has one, if any step is long enough."""
    return not b.functions or b.rng.chance(HELPED)


def _local_name_after(b: Builder, verb: str, quantity: str) -> str:
    """The name of a local with the same quantity as before: ``clamped_load``, or ``clamped``."""
    done = DONE.get(verb, "new")
    alone = done.endswith("ed") and b.rng.chance(BARE)
    return done if alone else f"{done}_{quantity.rpartition('_')[2]}"


def _choose_route(b: Builder, plan: Chain) -> tuple[Subject, Beginning, list[Transition]]:
    """A route through the quantities of a subject that meets the family's plan.

    It does not come back to a quantity that it left, and uses no step twice. Raises `Illegal` if none is
    found.
    """
    least, most = STEPS.get(b.difficulty, (plan.least, plan.least))
    for _ in range(TRIES):
        subject = b.rng.pick(SUBJECTS)
        beginnings = [each for each in subject.beginnings if each.start in plan.starts]
        if b.difficulty == 1:
            beginnings = [each for each in beginnings if each.start is element]
        if not beginnings:
            continue
        beginning = b.rng.pick(beginnings)
        count = b.rng.integer(least, most)
        if b.difficulty == 2 and beginning.start is element:
            count = most  # reading an element is no operation
        transitions = _transitions(b, subject, beginning.quantity, count)
        if len(transitions) == count and _meets_plan(b, plan, transitions):
            b.size = b.rng.pick(subject.sizes)
            return subject, beginning, transitions
    raise Illegal("no chain meets the family's plan")


def _meets_plan(b: Builder, plan: Chain, transitions: Sequence[Transition]) -> bool:
    """Whether a route has enough main steps of the family, and enough branches and loops."""
    if not transitions:
        return True
    main = [each.step for each in transitions if each.step in plan.main]
    # A limit that leads to another quantity is never written as a branch, so it does not count.
    counted = [each.step for each in transitions if each.quantity is None or each.step not in LIMITS]
    if sum(plan.main.get(step, 0) for step in counted) < plan.needed or len(main) < len(transitions) // 2:
        return False
    return sum(each.step in CONTROL for each in transitions) >= CONTROLS.get(b.difficulty, 0)


def _transitions(b: Builder, subject: Subject, at: str, count: int) -> list[Transition]:
    """A route of `count` transitions from a quantity, or a shorter one if it ends before."""
    route: list[Transition] = []
    visited = {at}
    for place in range(count):
        options = [
            each
            for each in subject.quantities[at].transitions
            if each.quantity not in visited
            and not any(_are_rivals(each.step, other.step) for other in route)
            and (place == 0 or each.step is not skipped)
        ]
        if not options:
            break
        route.append(b.rng.pick(options))
        at = route[-1].quantity or at
        visited.add(at)
    return route


def _are_rivals(step: Step, other: Step) -> bool:
    """Whether a chain must not have both steps."""
    return step is other or any(step in group and other in group for group in RIVALS)


def _as_function(b: Builder, made: StepResult, x: ir.Name) -> ir.Expr:
    """The value as a call of a helper function, if it is long enough and made of a few names of one type."""
    value = made.value
    found = dict.fromkeys(n for n in walk(value) if isinstance(n, ir.Name))
    names = tuple(sorted(found, key=lambda name: name != x))
    arrays = {a.name for a in b.arguments if a.ndim}
    operations = sum(isinstance(n, ir.Apply) for n in walk(value))
    plain = all(n.type == value.type and n.name not in arrays for n in names)
    if operations < 2 or len(names) > 4 or not plain:
        return value
    name = free_name(b, f"{made.verb}_{x.name}")
    b.define(ir.Function(name, names, (ir.Return((value,)),), value.type), b.span(value))
    return ir.Call(name, names, value.type)


def _store_result(b: Builder, value: ir.Expr, arrays: str) -> None:
    """Store the result in a new array, which has a name of the quantity if no input has it."""
    own = free_names(b, arrays) or [f"new_{arrays.split()[0]}", f"{arrays.split()[0]}_out"]
    name = any_free_name(b, " ".join(own) if b.rng.chance(NAMED) else "out result")
    b.store(b.array_argument(value.type, name, b.span(value), role="output"), value)
    b.describe(f"stores the result in `{name}`")


def _store_in_place(b: Builder, value: ir.Expr, source: str) -> None:
    """Store the result in the array that the chain started from."""
    b.arguments[:] = [replace(a, role="inout") if a.name == source else a for a in b.arguments]
    b.store(next(a for a in b.arguments if a.name == source), value)
    b.describe("puts the result in its place")


# Reductions over threads: their weights, names of the array, and words.
REDUCTIONS = {
    "add": (4.0, "total_{0} sums", "adds it to the sum"),
    "sub": (0.5, "remaining_{0}", "subtracts it from what is left"),
    "max": (1.0, "largest_{0} peaks", "keeps the largest"),
    "min": (0.6, "smallest_{0} lowest", "keeps the smallest"),
}


def _reduce_over_threads(b: Builder, value: ir.Expr, subject: Subject, quantity: str) -> str:
    """Reduce the result over all threads or over groups of them, or count it in bins. Returns a verb for
    it."""
    if b.span(value).lo >= 0 and b.rng.chance(COUNTED):
        _count_in_bins(b, value, quantity)
        return "count"
    which = b.rng.weighted([(name, row[0]) for name, row in REDUCTIONS.items()])
    _, names, done = REDUCTIONS[which]
    word = subject.quantities[quantity].arrays.split()[0]
    if which != "add" or b.rng.chance(0.5):
        bins = b.rng.integer(3, 6)
        groups, group = b.rng.pick([g for g in subject.groups if g[0] not in b.taken])
        labels = new_array(b, INT, groups, span=Interval(0, bins - 1))
        place: ir.Expr = b.bind(b.read(labels), free_name(b, group))
        scope = f"for each of `{labels.name}`"
    else:
        bins, place, scope = 1, ZERO, "of all threads"
    role: ir.Role = "output" if which == "add" else "inout"
    total = b.array_argument(
        value.type, any_free_name(b, names.format(word)), Interval(-1.0, 1.0), role=role, shape=(bins,)
    )
    b.emit(atomic(which, total, (place,), value))
    b.describe(f"{done} {scope} in `{total.name}`")
    return "collect"


def _count_in_bins(b: Builder, value: ir.Expr, quantity: str) -> None:
    """Add one to a bin of a histogram."""
    bins, per_unit = b.rng.integer(4, 8), b.rng.pick((2.0, 4.0, 5.0, 8.0))
    number = b.apply("to_integer", b.mul(value, per_unit), type=INT)
    place = b.bind(b.apply("min", number, ir.Literal(bins - 1, INT)), free_name(b, "bin_index bucket"))
    counts = b.array_argument(
        INT, any_free_name(b, f"{quantity}_counts histogram"), Interval(0, 0), role="output", shape=(bins,)
    )
    b.emit(atomic("add", counts, (place,), ir.Literal(1, INT)))
    b.describe(
        f"counts it in bins of width {1 / per_unit:g} of `{counts.name}`, the last of which has no end"
    )
