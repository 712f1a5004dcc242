"""Kernels as chains: a value is taken, and one thing after the other is done with it, as people do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...language.domains import Interval
from ...language.program import Apply, Call, Expr, Function, Literal, Name, Return, Role
from ...language.types import INT
from ...language.walks import walk
from ..growing.draft import Draft
from ..growing.repair import tame
from ..growing.terms import atomic
from .branches import BRANCHES, selected, skipped
from .form import Form, Made, array, free, local
from .lines import CURVES, LIMITS, LINES, UPDATES
from .loops import LOOPS
from .starts import STARTS, VECTOR_STARTS, Start, element, gathered, quadratic_form, slope, window

Forms = Sequence[tuple[Form, float]]
MANY = {3: (2, 3), 4: (3, 3), 5: (3, 4)}  # forms of a chain, by difficulty
KEPT_LOCAL, HELPED, SHARED = 0.5, 0.5, 0.12


@dataclass(frozen=True)
class Chain:
    """What chains of a family begin with, and what must be among their forms; `shared` says that results
    are added up over threads."""

    starts: Sequence[tuple[Start, float]]
    main: Forms
    shared: float = SHARED


# People first choose and scale what they have, then calculate, then limit it, and then update something.
_STAGES: tuple[Forms, ...] = (
    [(form, weight) for form, weight in BRANCHES if form in (skipped, selected)],
    LINES,
    (*CURVES, *LOOPS),
    (*LIMITS, *((form, weight) for form, weight in BRANCHES if form not in (skipped, selected))),
    UPDATES,
)
_STAGE: Mapping[Form, int] = {form: at for at, forms in enumerate(_STAGES) for form, _ in forms}
_ANY: Forms = (*LINES, *LINES, *LIMITS, *UPDATES)

CHAINS = {
    "arithmetic": Chain(STARTS, LINES),
    "atomic": Chain((*STARTS, *VECTOR_STARTS[:0]), LINES, 1.0),
    "combined": Chain((*STARTS, *VECTOR_STARTS), (*LOOPS, *BRANCHES)),
    "control_flow": Chain(STARTS, (*BRANCHES, *LOOPS)),
    "math": Chain(STARTS, CURVES),
    "matrix": Chain(((quadratic_form, 1.0),), LINES),
    "multi_conditional": Chain(STARTS, BRANCHES),
    "nested_loop": Chain(((window, 1.0),), LOOPS),
    "scalar_param": Chain(((element, 3.0), (slope, 1.0), (gathered, 0.5)), (*LIMITS, *LINES)),
    "vector": Chain(VECTOR_STARTS, LINES),
}


def chained(s: Draft, family: str) -> None:
    """Draw a kernel of the family as a chain."""
    plan = CHAINS[family]
    starts = plan.starts
    if not any(len(shape) == 1 for shape in s.shapes):
        starts = [(start, w) for start, w in starts if (start, w) not in VECTOR_STARTS] or STARTS
    made = s.rng.weighted(starts)(s)
    subject, value, verb = made.verb, local(s, made.value, *made.names), "compute"
    s.tell(made.told)
    forms = _forms(s, plan, s.rng.integer(*MANY[s.difficulty]))
    for number, form in enumerate(forms):
        step = form(s, value)
        s.tell(step.told)
        verb = step.verb or verb
        held = _drawn_out(s, step, value) if s.difficulty >= 4 and s.rng.chance(HELPED) else step.value
        held = tame(s, held, 500.0)
        if isinstance(held, Name):
            value = held
        elif number == len(forms) - 1 and s.rng.chance(KEPT_LOCAL):
            _stored(s, held, plan, subject)
            break
        else:
            value = s.bind(held, free(s, *s.rng.shuffled(step.names or ("reduced",))))
    else:
        _stored(s, value, plan, subject)
    s.title = free(s, f"{verb}_{subject}", f"{subject}_kernel")


def _forms(s: Draft, plan: Chain, count: int) -> list[Form]:
    """Forms of different stages in their order, one or two of the family's own among them."""
    chosen: list[Form] = []
    for place in range(count):
        pool = plan.main if place < max(1, count // 2) else _ANY
        if place == 1 and s.difficulty >= 4:
            pool = (*BRANCHES, *LOOPS)
        left = [(form, weight) for form, weight in pool if form not in chosen]
        apart = [(form, weight) for form, weight in left if _STAGE[form] not in map(_STAGE.get, chosen)]
        chosen.append(s.rng.weighted(apart or left))
    return sorted(chosen, key=lambda form: _STAGE[form])


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
    name = free(s, f"{made.names[0]}_value")
    s.define(Function(name, names, (Return((value,)),), value.type), s.span(value))
    return Call(name, names, value.type)


def _stored(s: Draft, value: Expr, plan: Chain, subject: str) -> None:
    """The result in an array of its own, in the place of what was taken, or added up over threads."""
    if s.rng.chance(plan.shared):
        _added_up(s, value)
        return
    out = s.array(
        value.type,
        role="output",
        name=free(s, *s.rng.shuffled(("out", "result", f"{subject}_out", f"new_{subject}"))),
    )
    s.store(out, value)
    s.tell(f"stores the result in `{out.name}`")


def _added_up(s: Draft, value: Expr) -> None:
    which = s.rng.weighted((("add", 4.0), ("max", 1.0), ("min", 0.6)))
    if which != "add" or s.rng.chance(0.5):
        bins = s.rng.integer(3, 6)
        labels = array(s, INT, "groups", "bins", "cells", "segments", span=Interval(0, bins - 1))
        place: Expr = s.bind(s.read(labels), free(s, "group", "bin_index", "cell"))
        told = f"of its `{labels.name}`"
    else:
        bins, place, told = 1, Literal(0, INT), "of all threads"
    names = {"add": ("sums", "totals"), "max": ("largest", "peaks"), "min": ("smallest", "lowest")}[which]
    role: Role = "output" if which == "add" else "inout"
    total = s.array(
        value.type, role=role, index=(place,), shape=(bins,), name=free(s, *names), span=Interval(-1.0, 1.0)
    )
    s.emit(atomic(which, total, (place,), value))
    done = {"add": "adds it to the sum", "max": "keeps the largest", "min": "keeps the smallest"}[which]
    s.tell(f"{done} {told} in `{total.name}`")
