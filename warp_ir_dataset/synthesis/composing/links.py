"""Finds arguments of two kernels that are the same thing, so that one kernel can do the work of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

from ...common.recent import recent
from ...language import ir
from ...language.domains import Interval
from ...language.walks import walk, without_index
from ..templates.part import Part
from .pipelines import STATES
from .quantities import EXCLUSIVE, fits

LEAST_SHARED = 0.5  # of the narrower of two domains

Kind = OneOf["fed", "stored", "kept", "shared"]


class Unfit(ValueError):
    """Two kernels that cannot be one; the message says why."""


@dataclass(frozen=True)
class Link:
    """An argument of the first kernel and the one of the second that stands for the same.

    What is `fed` the first one gives as a result, and the second takes as an input: a local in the kernel of
    both. What is `stored` is that, and a result of both as well; what is `kept` is an array that the first
    one updates; what is `shared` both are given.
    """

    first: ir.Argument
    then: ir.Argument
    kind: Kind


def links(first: Part, then: Part) -> tuple[Link, ...]:
    """All that two kernels have in common, if one can follow the other.

    Raises `Unfit` unless each thread of the second can do with what the same thread of the first has made.
    """
    found = tuple(_links(first, then))
    if first.moves and then.moves:
        raise Unfit("both are a step in time")
    if {*first.quantities.values(), *then.quantities.values()} >= EXCLUSIVE:
        raise Unfit("one is given masses, and one inverse masses")
    if first.work & then.work:
        raise Unfit(f"both do the same: {', '.join(sorted(first.work & then.work))}")
    if not any(link.kind != "shared" for link in found):
        raise Unfit("the first one gives nothing that the second takes")
    for link in found:
        changed = link.kind != "shared" or link.then.role != "input"
        if changed and not (own(first.program, link.first.name) and own(then.program, link.then.name)):
            raise Unfit(f"{link.first.name} and {link.then.name} are not of the thread's own element alone")
    return found


def _links(first: Part, then: Part) -> Iterator[Link]:
    """Results are taken before what is updated, and that before inputs. What a result was made from is not
    taken for another thing of its quantity: a layer over a picture is not the picture as it was before."""
    given: set[str] = set()
    kinds: tuple[tuple[str, Kind], ...] = (("output", "fed"), ("inout", "kept"), ("input", "shared"))
    left = [a for a in first.program.arguments if a.name in first.quantities]
    for target in then.program.arguments:
        quantity = then.quantities.get(target.name)
        if quantity is None or target.role == "output":
            continue
        same = [a for a in left if fits(first.quantities[a.name], quantity) and _alike(a, target)]
        for role, kind in kinds:
            source = next((a for a in same if a.role == role), None)
            if kind == "shared" and source is not None and first.quantities[source.name] != quantity:
                continue
            if kind == "shared" and quantity in given:
                continue
            if source is not None and (kind != "shared" or joint(source, target) is not None):
                left.remove(source)
                given |= {quantity} if kind != "shared" else set()
                state = first.quantities[source.name]
                stored = kind == "fed" and state in STATES and target.role == "input"
                # Who gives a newer state has no use for the one on the way to it.
                stored = stored and not any(
                    a.role == "output" and then.quantities.get(a.name) == state
                    for a in then.program.arguments
                )
                yield Link(source, target, "stored" if stored else kind)
                break


def _alike(first: ir.Argument, then: ir.Argument) -> bool:
    return first.type == then.type and first.shape == then.shape


def joint(first: ir.Argument, then: ir.Argument) -> Interval | None:
    """What numbers an input of both has; None where their domains have little in common."""
    low, high = max(first.domain.lo, then.domain.lo), min(first.domain.hi, then.domain.hi)
    narrower = min(a.domain.hi - a.domain.lo for a in (first, then))
    fit = first.trait == then.trait and high - low >= LEAST_SHARED * narrower
    return Interval(low, high) if fit else None


def threads(program: ir.Program) -> tuple[ir.Name, ...]:
    """The names of a thread's indices. Raises `Unfit` for a kernel that does not begin with them."""
    names, _ = without_index(program.body)
    if len(names) != len(program.launch_dim):
        raise Unfit("a kernel has no indices of its threads")
    return names


def own(program: ir.Program, array: str) -> bool:
    """Whether a kernel touches no element of an array but the one that has the thread's indices."""
    return array in _own(program)


@recent
def _own(program: ir.Program) -> frozenset[str]:
    """The names whose every use is as an array's, at the thread's indices."""
    names = threads(program)
    uses: Counter[str] = Counter()
    elements: Counter[str] = Counter()
    for node in walk(program.body):
        match node:
            case ir.Name(name):
                uses[name] += 1
            case ir.Load(ir.Name(name), index) if index == names:
                elements[name] += 1
    return frozenset(name for name, count in elements.items() if count == uses[name])
