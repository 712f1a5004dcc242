"""Random kernels as chains: read a quantity, apply one step after another, store the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...language.analysis.intervals import Illegal
from ...language.domains import Interval
from ...language.program import Apply, Argument, Call, Expr, Function, Literal, Name, Return, Role
from ...language.types import INT
from ...language.walks import walk
from ..growing.draft import Draft
from ..growing.repair import tame
from ..growing.terms import atomic
from .branches import BRANCHES, dead_band, selected, skipped
from .form import Form, Made, Use, any_of, array, free, here, local
from .lines import (
    CURVES,
    LIMITS,
    LINES,
    UPDATES,
    blended,
    capped,
    clamped,
    rectified,
    soft_threshold,
    squashed,
)
from .loops import LOOPS, moving_average, relaxed, row_maximum, row_minimum
from .starts import MATRIX_STARTS, STARTS, VECTOR_STARTS, Start, central_difference, element, gathered, window
from .subject import Beginning, Step, Subject
from .subjects import SUBJECTS

STEPS = {2: (1, 1), 3: (2, 3), 4: (3, 3), 5: (3, 4)}  # of a chain, by difficulty
KEPT_LOCAL, HELPED, SHARED, IN_PLACE, NAMED, BARE = 0.5, 0.5, 0.12, 0.3, 0.7, 0.4
TRIES = 400

# Forms that do much the same, of which a chain has one.
RIVALS: tuple[frozenset[Form], ...] = (
    frozenset((skipped, selected)),
    frozenset((blended, moving_average, relaxed)),
    frozenset((clamped, squashed, capped)),
    frozenset((dead_band, soft_threshold, rectified)),
    frozenset((row_maximum, row_minimum)),
)

# What a local is called that still holds the same quantity, for what was done.
DONE = {
    "advance": "advanced", "attenuate": "attenuated", "average": "averaged", "blend": "blended",
    "clamp": "clamped", "compare": "relative", "accumulate": "accumulated", "divide": "divided",
    "fill": "filled", "limit": "limited", "raise": "raised", "rectify": "positive", "reduce": "reduced",
    "rescale": "rescaled", "saturate": "saturated", "scale": "scaled", "shrink": "shrunk",
    "smooth": "smoothed", "weigh": "weighted",
}  # fmt: skip


@dataclass(frozen=True)
class Chain:
    """What chains of a family begin with, and what must be among their forms; `shared` says how often results
    are added up over threads."""

    starts: Sequence[Start]
    main: Sequence[Form]
    shared: float = SHARED


CHAINS = {
    "arithmetic": Chain(STARTS, (*LINES, *UPDATES)),
    "atomic": Chain(STARTS, (*LINES, *UPDATES, *LIMITS), 1.0),
    "combined": Chain((*STARTS, *VECTOR_STARTS), (*LOOPS, *BRANCHES)),
    "control_flow": Chain(STARTS, (*BRANCHES, *LOOPS)),
    "math": Chain(STARTS, CURVES),
    "matrix": Chain(MATRIX_STARTS, (*LINES, *LIMITS, *UPDATES)),
    "multi_conditional": Chain(STARTS, BRANCHES),
    "nested_loop": Chain((window,), LOOPS),
    "scalar_param": Chain((element, central_difference, gathered), (*LIMITS, *LINES)),
    "vector": Chain(VECTOR_STARTS, (*LINES, *LIMITS, *UPDATES)),
}


def chained(s: Draft, family: str) -> None:
    """Draw a kernel of the family as a chain. Raises `Illegal` where one does not work out."""
    plan = CHAINS[family]
    subject, beginning, steps = _route(s, plan)
    s.theme = replace(s.theme, element=subject.element[len(s.threads) - 1])
    at = beginning.quantity
    began = beginning.start(s, Use(beginning.names, subject.quantities[at].span, at, beginning.trait))
    s.tell(began.told)
    value, held = local(s, began.value, here(at)), began.value
    verb = "collect"
    for number, step in enumerate(steps):
        made = step.form(s, value, Use(step.names, subject.quantities[at].span, at))
        s.tell(made.told)
        verb = made.verb or verb
        called = step.quantity or _again(s, made.verb, at)
        held = _drawn_out(s, made, value) if s.difficulty >= 4 and s.rng.chance(HELPED) else made.value
        held = tame(s, held, 500.0)
        at = step.quantity or at
        if isinstance(held, Name):
            value = held
        elif number < len(steps) - 1 or s.rng.chance(KEPT_LOCAL):
            value = s.bind(held, free(s, here(called)))
            held = value
    arrays = subject.quantities[at].arrays
    changed = beginning.start is element and at == beginning.quantity
    word = arrays.split()[0]
    if s.rng.chance(plan.shared):
        _added_up(s, held, subject, word)
    elif changed and s.rng.chance(IN_PLACE):
        _put_back(s, held, began.source)
    else:
        _stored(s, held, arrays)
    if at == beginning.quantity:
        s.title = free(s, f"{verb}_{began.source if beginning.start in STARTS else word}")
    else:
        s.title = free(s, s.rng.pick((f"compute_{word}", f"{at}_from_{began.source}")))


def _again(s: Draft, verb: str, quantity: str) -> str:
    """What a local is called that still holds a quantity: ``clamped_load``, or ``clamped``."""
    done = DONE.get(verb, "new")
    alone = done.endswith("ed") and s.rng.chance(BARE)
    return done if alone else f"{done}_{quantity.rpartition('_')[2]}"


def _route(s: Draft, plan: Chain) -> tuple[Subject, Beginning, list[Step]]:
    """A way through a subject's quantities that has what the family wants of it; no quantity is left and
    come back to, and no form is used twice. Raises `Illegal` where none is found."""
    count = s.rng.integer(*STEPS[s.difficulty])
    for _ in range(TRIES):
        subject = s.rng.pick(SUBJECTS)
        beginnings = [
            b for b in subject.beginnings if b.start in plan.starts and _has_shapes(s, subject, b.start)
        ]
        if not beginnings:
            continue
        beginning = s.rng.pick(beginnings)
        steps = _steps(s, subject, beginning.quantity, count)
        own = sum(step.form in plan.main for step in steps)
        decides = any(step.form in BRANCHES or step.form in LOOPS for step in steps)
        if len(steps) == count and own >= max(1, count // 2) and (decides or s.difficulty < 4):
            return subject, beginning, steps
    raise Illegal("no chain has what the family wants")


def _steps(s: Draft, subject: Subject, at: str, count: int) -> list[Step]:
    """So many steps from a quantity on, or fewer where there are no more."""
    steps: list[Step] = []
    left = {at}
    for place in range(count):
        options = [
            step
            for step in subject.quantities[at].steps
            if step.quantity not in left
            and not any(_rival(step.form, each.form) for each in steps)
            and (place == 0 or step.form is not skipped)
        ]
        if not options:
            break
        steps.append(s.rng.pick(options))
        at = steps[-1].quantity or at
        left.add(at)
    return steps


def _rival(form: Form, done: Form) -> bool:
    """Whether a chain that has `done` must not have `form` too."""
    return form is done or any(form in group and done in group for group in RIVALS)


def _has_shapes(s: Draft, subject: Subject, start: Start) -> bool:
    """Whether the kernel has vectors or square matrices, where it takes them, of a size of the subject."""
    if start in STARTS:
        return True
    shapes = [shape for shape in s.shapes if len(shape) == (2 if start in MATRIX_STARTS else 1)]
    return any(shape[0] == shape[-1] and shape[0] in subject.sizes for shape in shapes)


def _drawn_out(s: Draft, made: Made, x: Name) -> Expr:
    """The value by a function of `x` and more, where it is worth one and made of names."""
    value = made.value
    found = dict.fromkeys(n for n in walk(value) if isinstance(n, Name))
    names = tuple(sorted(found, key=lambda name: name != x))
    arrays = {a.name for a in s.arguments if a.ndim}
    operations = sum(isinstance(n, Apply) for n in walk(value))
    plain = all(n.type == value.type and n.name not in arrays for n in names)
    if operations < 2 or len(names) > 4 or not plain:
        return value
    name = free(s, f"{made.verb}_{x.name}")
    s.define(Function(name, names, (Return((value,)),), value.type), s.span(value))
    return Call(name, names, value.type)


def _stored(s: Draft, value: Expr, arrays: str) -> None:
    """The result in an array of its own, named for the quantity if no input is."""
    own = [name for name in arrays.split() if name not in s.names.taken]
    own = own or [f"new_{arrays.split()[0]}", f"{arrays.split()[0]}_out"]
    name = free(s, " ".join(s.rng.shuffled(own))) if s.rng.chance(NAMED) else any_of(s, "out result")
    out = s.array(value.type, role="output", name=name)
    s.store(out, value)
    s.tell(f"stores the result in `{name}`")


def _put_back(s: Draft, value: Expr, source: str) -> None:
    """The result in the place of what was taken."""
    s.arguments[:] = [replace(a, role="inout") if a.name == source else a for a in s.arguments]
    s.store(next(a for a in s.arguments if a.name == source), value)
    s.tell("puts the result in its place")


def _added_up(s: Draft, value: Expr, subject: Subject, word: str) -> None:
    """The result added to a sum of all threads or of a group, or the extreme of a group."""
    which = s.rng.weighted((("add", 4.0), ("max", 1.0), ("min", 0.6)))
    if which != "add" or s.rng.chance(0.5):
        bins = s.rng.integer(3, 6)
        groups, group = s.rng.pick([g for g in subject.groups if g[0] not in s.names.taken])
        labels = array(s, INT, groups, span=Interval(0, bins - 1))
        place: Expr = s.bind(s.read(labels), free(s, group))
        told = f"for each of `{labels.name}`"
    else:
        bins, place, told = 1, Literal(0, INT), "of all threads"
    names = {
        "add": f"total_{word} sums",
        "max": f"largest_{word} peaks",
        "min": f"smallest_{word} lowest",
    }[which]
    role: Role = "output" if which == "add" else "inout"
    total: Argument = s.array(
        value.type, role=role, index=(place,), shape=(bins,), name=any_of(s, names), span=Interval(-1.0, 1.0)
    )
    s.emit(atomic(which, total, (place,), value))
    done = {"add": "adds it to the sum", "max": "keeps the largest", "min": "keeps the smallest"}[which]
    s.tell(f"{done} {told} in `{total.name}`")
