"""The intervals that hold at one point of a program, and their join where paths come together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .. import domains
from ..domains import Interval

NO_STEP = Interval(0, 0)


@dataclass
class State:
    """The intervals of locals, of their members and of the elements of arrays at one point of a program.

    `steps` has the amount that the innermost loop has added to a name in this iteration so far; None if it
    changed the name in another way.
    """

    names: dict[str, Interval] = field(default_factory=dict)
    arrays: dict[str, Interval] = field(default_factory=dict)
    steps: dict[str, Interval | None] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.names), dict(self.arrays), dict(self.steps))

    def join(self, other: State) -> State:
        steps: dict[str, Interval | None] = {}
        for name in self.steps.keys() | other.steps.keys():
            mine, theirs = self.steps.get(name, NO_STEP), other.steps.get(name, NO_STEP)
            steps[name] = None if mine is None or theirs is None else mine.join(theirs)
        return State(joined(self.names, other.names), joined(self.arrays, other.arrays), steps)


def joined(mine: Mapping[str, Interval], theirs: Mapping[str, Interval]) -> dict[str, Interval]:
    return {key: interval.join(theirs[key]) for key, interval in mine.items() if key in theirs}


def join_reached(states: Iterable[State | None]) -> State | None:
    """The join of the reachable states; None if there are none."""
    reached = [state for state in states if state is not None]
    if not reached:
        return None
    result = reached[0]
    for state in reached[1:]:
        result = result.join(state)
    return result


def extrapolated(entry: State, head: State, end: State, times: int) -> State:
    """The state at a loop's head, widened by the steps of `times` iterations."""
    names = {}
    for name, start in entry.names.items():
        step = end.steps.get(name, NO_STEP)
        if step is None:
            reached = start.join(end.names[name])
        else:
            reached = Interval(start.lo + times * min(step.lo, 0), start.hi + times * max(step.hi, 0))
        names[name] = head.names[name].join(reached)
    return State(names, joined(head.arrays, end.arrays))


def total_steps(
    before: dict[str, Interval | None], each: dict[str, Interval | None], names: Iterable[str], trips: int
) -> dict[str, Interval | None]:
    """The steps of the outer loop, including those of all iterations of an inner loop."""
    steps = dict(before)
    for name in names:
        step, earlier = each.get(name, NO_STEP), before.get(name, NO_STEP)
        if step is None or earlier is None:
            steps[name] = None
        elif step != NO_STEP:
            whole = Interval(trips * min(step.lo, 0), trips * max(step.hi, 0))
            steps[name] = domains.add(earlier, whole)
    return steps
