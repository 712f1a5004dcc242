"""Links arguments of two kernels that hold the same data, so that the kernels can be fused."""

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
from .pipelines import STATE_QUANTITIES
from .quantities import EXCLUSIVE, can_supply

LEAST_SHARED = 0.5  # of the width of the narrower of two domains

Kind = OneOf["forwarded", "stored", "updated", "shared"]


class Incompatible(ValueError):
    """Two kernels cannot be fused; the message says why."""


@dataclass(frozen=True)
class Link:
    """An argument of the first kernel, and the argument of the second that holds the same data.

    The `kind` says where the fused kernel has it. "forwarded": the first kernel writes it, the second reads
    it, and it becomes a local. "stored": the same, but it also stays an output. "updated": an array that the
    first kernel updates, and the fused kernel too. "shared": both kernels only read it, or the second one
    updates it.
    """

    first: ir.Argument
    then: ir.Argument
    kind: Kind


def links(first: Part, then: Part) -> tuple[Link, ...]:
    """The linked arguments of two kernels.

    Raises `Incompatible` unless each thread of the second kernel needs only results of the same thread of the
    first, and if both have a step that nobody writes twice.
    """
    found = tuple(_links(first, then))
    if first.advances_time and then.advances_time:
        raise Incompatible("both are a step in time")
    if {*first.quantities.values(), *then.quantities.values()} >= EXCLUSIVE:
        raise Incompatible("one has masses, and one inverse masses")
    if first.unique_steps & then.unique_steps:
        raise Incompatible(f"both do the same: {', '.join(sorted(first.unique_steps & then.unique_steps))}")
    if not any(link.kind != "shared" for link in found):
        raise Incompatible("the first one produces nothing that the second consumes")
    for link in found:
        changed = link.kind != "shared" or link.then.role != "input"
        if changed and not (own(first.program, link.first.name) and own(then.program, link.then.name)):
            raise Incompatible(
                f"{link.first.name} and {link.then.name} are not of the thread's own element alone"
            )
    return found


def _links(first: Part, then: Part) -> Iterator[Link]:
    """Link each argument of the second kernel to an output of the first, else to an array that it updates,
    else to an input. If a result of a quantity is linked, no input of this quantity is: a layer that is
    blended over a picture is not the picture as it was before."""
    produced: set[str] = set()
    kinds: tuple[tuple[str, Kind], ...] = (
        ("output", "forwarded"),
        ("inout", "updated"),
        ("input", "shared"),
    )
    left = [a for a in first.program.arguments if a.name in first.quantities]
    for target in then.program.arguments:
        quantity = then.quantities.get(target.name)
        if quantity is None or target.role == "output":
            continue
        same = [a for a in left if can_supply(first.quantities[a.name], quantity) and _alike(a, target)]
        for role, kind in kinds:
            source = next((a for a in same if a.role == role), None)
            if kind == "shared" and source is not None and first.quantities[source.name] != quantity:
                continue
            if kind == "shared" and quantity in produced:
                continue
            if source is not None and (kind != "shared" or shared_domain(source, target) is not None):
                left.remove(source)
                produced |= {quantity} if kind != "shared" else set()
                state = first.quantities[source.name]
                stored = kind == "forwarded" and state in STATE_QUANTITIES and target.role == "input"
                # If the second kernel stores a newer state, the state in between is not stored.
                stored = stored and not any(
                    a.role == "output" and then.quantities.get(a.name) == state
                    for a in then.program.arguments
                )
                yield Link(source, target, "stored" if stored else kind)
                break


def _alike(first: ir.Argument, then: ir.Argument) -> bool:
    return first.type == then.type and first.shape == then.shape


def shared_domain(first: ir.Argument, then: ir.Argument) -> Interval | None:
    """The domain of an input that two kernels share; None if their domains have little in common."""
    low, high = max(first.domain.lo, then.domain.lo), min(first.domain.hi, then.domain.hi)
    narrower = min(a.domain.hi - a.domain.lo for a in (first, then))
    fit = first.trait == then.trait and high - low >= LEAST_SHARED * narrower
    return Interval(low, high) if fit else None


def threads(program: ir.Program) -> tuple[ir.Name, ...]:
    """The names of a thread's indices. Raises `Incompatible` if a kernel does not begin with them."""
    names, _ = without_index(program.body)
    if len(names) != len(program.launch_dim):
        raise Incompatible("a kernel has no indices of its threads")
    return names


def own(program: ir.Program, array: str) -> bool:
    """Whether each thread uses only its own element of an array, the one at the thread's indices."""
    return array in _own(program)


@recent
def _own(program: ir.Program) -> frozenset[str]:
    """The arrays that occur only as elements at the thread's indices."""
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
