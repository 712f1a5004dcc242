"""The facts that hold at one point of a program, and how they are merged where paths meet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .. import domains
from ..domains import Interval

NO_STEP = Interval(0, 0)


@dataclass
class State:
    """What is known at one point of a program: of locals and their members, and of the elements of arrays.

    `steps` is what the innermost loop has added to a name in one iteration so far; None where the name was
    changed in another way.
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


def joined(mine: dict, theirs: dict) -> dict:
    return {key: span.join(theirs[key]) for key, span in mine.items() if key in theirs}


def join_reached(states: Iterable[State | None]) -> State | None:
    """The join of the states that are reached; None where none is."""
    reached = [state for state in states if state is not None]
    if not reached:
        return None
    result = reached[0]
    for state in reached[1:]:
        result = result.join(state)
    return result


def grown(entry: State, head: State, end: State, times: int) -> State:
    """The head again, with room for what an iteration does so many times."""
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
    """Steps of the loop around, with those of all iterations of an inner loop."""
    steps = dict(before)
    for name in names:
        step, earlier = each.get(name, NO_STEP), before.get(name, NO_STEP)
        if step is None or earlier is None:
            steps[name] = None
        elif step != NO_STEP:
            whole = Interval(trips * min(step.lo, 0), trips * max(step.hi, 0))
            steps[name] = domains.add(earlier, whole)
    return steps
