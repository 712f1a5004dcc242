"""Random kernels as chains: read a quantity, apply one step after another, store the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...language import ir
from ...language.analysis.intervals import Illegal
from ...language.domains import Interval
from ...language.types import INT
from ...language.walks import walk
from .branches import BRANCHES, dead_band, selected, skipped
from .draft import Draft
from .form import ZERO, Form, Made, Use, any_of, array, free, here, local, part, untaken
from .lines import LIMITS, blended, capped, clamped, rectified, soft_threshold, squashed
from .loops import LOOPS, moving_average, relaxed, row_maximum, row_minimum
from .ranges import tame
from .starts import STARTS, Start, element
from .subject import Beginning, Step, Subject
from .subjects import SUBJECTS
from .terms import atomic

STEPS = {2: (1, 2), 3: (2, 3), 4: (3, 3), 5: (4, 5)}  # of a chain, by difficulty
CONTROLS = {4: 1, 5: 2}  # steps with a branch or a loop that a chain has at least, by difficulty
KEPT_LOCAL, HELPED, IN_PLACE, NAMED, BARE, COUNTED = 0.5, 0.5, 0.3, 0.7, 0.4, 0.12
TRIES = 400
LARGEST = 500.0  # of what a step gives

# Forms that do much the same, of which a chain has one.
RIVALS: tuple[frozenset[Form], ...] = (
    frozenset((skipped, selected)),
    frozenset((blended, moving_average, relaxed)),
    frozenset((clamped, squashed, capped)),
    frozenset((dead_band, soft_threshold, rectified)),
    frozenset((row_maximum, row_minimum)),
)

CONTROL = frozenset((*BRANCHES, *LOOPS))

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
    """What chains of a family begin with, and what must be among their steps: `main` says how much each form
    counts, of which there must be `needed`. `shared` says how often results are added up over threads, and
    `least` how many steps a chain of difficulty 1 has."""

    starts: Sequence[Start]
    main: Mapping[Form, int]
    needed: int = 1
    shared: float = 0.12
    least: int = 1


def chained(s: Draft, plan: Chain) -> None:
    """Draw a kernel as a chain. Raises `Illegal` where one does not work out."""
    subject, beginning, steps = _route(s, plan)
    s.element = subject.element[len(s.threads) - 1]
    at = beginning.quantity
    began = beginning.start(s, Use(beginning.names, subject.quantities[at].span, at, beginning.trait))
    s.tell(began.told)
    held, verb = began.value, "collect"
    if steps:
        held = value = local(s, began.value, here(at))
    for number, step in enumerate(steps):
        made = step.form(s, value, Use(step.names, subject.quantities[at].span, at, keeps=not step.quantity))
        s.tell(made.told)
        verb = made.verb or verb
        called = step.quantity or _again(s, made.verb, at)
        held = _drawn_out(s, made, value) if s.difficulty >= 4 and _helps(s) else made.value
        small = tame(s, held, LARGEST)
        if small is not held:
            s.tell(f"takes {part(small, held)}")
        held = small
        at = step.quantity or at
        if isinstance(held, ir.Name):
            value = held
        elif number < len(steps) - 1 or s.rng.chance(KEPT_LOCAL):
            value = s.bind(held, free(s, here(called)))
            held = value
    arrays = subject.quantities[at].arrays
    changed = beginning.start is element and at == beginning.quantity and steps
    if (s.difficulty > 1 or plan.shared == 1.0) and s.rng.chance(plan.shared):
        verb = _added_up(s, held, subject, at)
    elif changed and s.rng.chance(IN_PLACE):
        _put_back(s, held, began.source)
    else:
        _stored(s, held, arrays)
    word = arrays.split()[0]
    if at != beginning.quantity:
        s.title = free(s, s.rng.pick((f"compute_{word}", f"{at}_from_{began.source}")))
    else:
        s.title = free(s, f"{verb}_{began.source if beginning.start in STARTS else word}")


def _helps(s: Draft) -> bool:
    """Whether to draw the next step out as a function: a hard kernel has one, if any step is worth it."""
    return not s.functions or s.rng.chance(HELPED)


def _again(s: Draft, verb: str, quantity: str) -> str:
    """What a local is called that still holds a quantity: ``clamped_load``, or ``clamped``."""
    done = DONE.get(verb, "new")
    alone = done.endswith("ed") and s.rng.chance(BARE)
    return done if alone else f"{done}_{quantity.rpartition('_')[2]}"


def _route(s: Draft, plan: Chain) -> tuple[Subject, Beginning, list[Step]]:
    """A way through a subject's quantities that has what the family wants of it; no quantity is left and
    come back to, and no form is used twice. Raises `Illegal` where none is found."""
    least, most = STEPS.get(s.difficulty, (plan.least, plan.least))
    for _ in range(TRIES):
        subject = s.rng.pick(SUBJECTS)
        beginnings = [b for b in subject.beginnings if b.start in plan.starts]
        if s.difficulty == 1:
            beginnings = [b for b in beginnings if b.start is element]
        if not beginnings:
            continue
        beginning = s.rng.pick(beginnings)
        count = s.rng.integer(least, most)
        if s.difficulty == 2 and beginning.start is element:
            count = most  # it has no operation of its own
        steps = _steps(s, subject, beginning.quantity, count)
        if len(steps) == count and _suits(s, plan, steps):
            s.size = s.rng.pick(subject.sizes)
            return subject, beginning, steps
    raise Illegal("no chain has what the family wants")


def _suits(s: Draft, plan: Chain, steps: Sequence[Step]) -> bool:
    """Whether steps hold enough of what the family is about, and of branches and loops."""
    if not steps:
        return True
    own = [step.form for step in steps if step.form in plan.main]
    # A limit that gives another quantity is never written as a branch, and counts for nothing then.
    counted = [step.form for step in steps if step.quantity is None or step.form not in LIMITS]
    if sum(plan.main.get(form, 0) for form in counted) < plan.needed or len(own) < len(steps) // 2:
        return False
    return sum(step.form in CONTROL for step in steps) >= CONTROLS.get(s.difficulty, 0)


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


def _drawn_out(s: Draft, made: Made, x: ir.Name) -> ir.Expr:
    """The value by a function of `x` and more, where it is worth one and made of names."""
    value = made.value
    found = dict.fromkeys(n for n in walk(value) if isinstance(n, ir.Name))
    names = tuple(sorted(found, key=lambda name: name != x))
    arrays = {a.name for a in s.arguments if a.ndim}
    operations = sum(isinstance(n, ir.Apply) for n in walk(value))
    plain = all(n.type == value.type and n.name not in arrays for n in names)
    if operations < 2 or len(names) > 4 or not plain:
        return value
    name = free(s, f"{made.verb}_{x.name}")
    s.define(ir.Function(name, names, (ir.Return((value,)),), value.type), s.span(value))
    return ir.Call(name, names, value.type)


def _stored(s: Draft, value: ir.Expr, arrays: str) -> None:
    """The result in an array of its own, named for the quantity if no input is."""
    own = untaken(s, arrays) or [f"new_{arrays.split()[0]}", f"{arrays.split()[0]}_out"]
    name = free(s, " ".join(s.rng.shuffled(own))) if s.rng.chance(NAMED) else any_of(s, "out result")
    s.store(s.array(value.type, name, s.span(value), role="output"), value)
    s.tell(f"stores the result in `{name}`")


def _put_back(s: Draft, value: ir.Expr, source: str) -> None:
    """The result in the place of what was taken."""
    s.arguments[:] = [replace(a, role="inout") if a.name == source else a for a in s.arguments]
    s.store(next(a for a in s.arguments if a.name == source), value)
    s.tell("puts the result in its place")


# What is done with a value that threads share, how often, the array's names, and words.
SHARED = {
    "add": (4.0, "total_{0} sums", "adds it to the sum"),
    "sub": (0.5, "remaining_{0}", "subtracts it from what is left"),
    "max": (1.0, "largest_{0} peaks", "keeps the largest"),
    "min": (0.6, "smallest_{0} lowest", "keeps the smallest"),
}


def _added_up(s: Draft, value: ir.Expr, subject: Subject, quantity: str) -> str:
    """The result added to a sum of all threads or of a group, or the extreme of a group; or counted. Returns
    a verb for it."""
    if s.span(value).lo >= 0 and s.rng.chance(COUNTED):
        _counted(s, value, quantity)
        return "count"
    which = s.rng.weighted([(name, row[0]) for name, row in SHARED.items()])
    _, names, done = SHARED[which]
    word = subject.quantities[quantity].arrays.split()[0]
    if which != "add" or s.rng.chance(0.5):
        bins = s.rng.integer(3, 6)
        groups, group = s.rng.pick([g for g in subject.groups if g[0] not in s.taken])
        labels = array(s, INT, groups, span=Interval(0, bins - 1))
        place: ir.Expr = s.bind(s.read(labels), free(s, group))
        told = f"for each of `{labels.name}`"
    else:
        bins, place, told = 1, ZERO, "of all threads"
    role: ir.Role = "output" if which == "add" else "inout"
    total = s.array(value.type, any_of(s, names.format(word)), Interval(-1.0, 1.0), role=role, shape=(bins,))
    s.emit(atomic(which, total, (place,), value))
    s.tell(f"{done} {told} in `{total.name}`")
    return "collect"


def _counted(s: Draft, value: ir.Expr, quantity: str) -> None:
    """One more in a bin of a histogram."""
    bins, per_unit = s.rng.integer(4, 8), s.rng.pick((2.0, 4.0, 5.0, 8.0))
    number = s.apply("to_integer", s.mul(value, per_unit), type=INT)
    place = s.bind(s.apply("min", number, ir.Literal(bins - 1, INT)), free(s, "bin_index bucket"))
    counts = s.array(
        INT, any_of(s, f"{quantity}_counts histogram"), Interval(0, 0), role="output", shape=(bins,)
    )
    s.emit(atomic("add", counts, (place,), ir.Literal(1, INT)))
    s.tell(f"counts it in bins of width {1 / per_unit:g} of `{counts.name}`, the last of which has no end")
