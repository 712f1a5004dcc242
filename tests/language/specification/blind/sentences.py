"""Sentences as actions on what names stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import formulas as f
from .clauses import Left, Next, cases, chosen, clause, result, stop
from .gathering import described, spans
from .kinds import nothing, of_kind, of_member
from .places import place
from .tokens import Tokens, Unreadable

Names = dict[str, Any]
Action = Callable[[Names], None]


@dataclass
class Line:
    """A numbered sentence, with the cases and the steps under it."""

    text: str
    cases: list[str] = field(default_factory=list)
    inner: list[Line] = field(default_factory=list)


def block(lines: Sequence[Line], structs: dict[str, dict[str, str]]) -> Action:
    """Steps, one after another; ``Otherwise`` belongs to the step before."""
    actions: list[Action] = []
    chain: list[tuple[f.Formula | None, Action]] = []
    for line in lines:
        if line.text.startswith("Otherwise"):
            if not chain:
                raise Unreadable(f"otherwise than what? {line.text!r}")
            chain.append(_arm(line, structs))
        elif line.text.startswith("If "):
            chain = [_arm(line, structs)]
            actions.append(_chosen(chain))
        else:
            chain = []
            actions.append(step(line, structs))
    return lambda names: _all(actions, names)


def _all(actions: Sequence[Action], names: Names) -> None:
    for action in actions:
        action(names)


def _chosen(chain: Sequence[tuple[f.Formula | None, Action]]) -> Action:
    def run(names: Names) -> None:
        for condition, action in chain:
            if condition is None or condition(names):
                action(names)
                return

    return run


def _arm(line: Line, structs: dict[str, dict[str, str]]) -> tuple[f.Formula | None, Action]:
    t = Tokens(line.text)
    condition = None
    if t.take("Otherwise"):
        comma = t.take(",")
        if t.take("if"):
            condition = f.either(t)
        elif comma:
            return None, _rest(t, line)
    else:
        t.expect("If")
        condition = f.either(t)
    if t.take(":"):
        return condition, block(line.inner, structs)
    t.expect(",")
    return condition, _rest(t, line)


def _rest(t: Tokens, line: Line) -> Action:
    """A clause behind a comma, which is a sentence without its capital."""
    action = clause(t)
    t.expect(".")
    t.end()
    return action


# ---- steps that are more than a clause


def step(line: Line, structs: dict[str, dict[str, str]]) -> Action:
    text = line.text
    if text.startswith("Let ") and not re.match(r"Let \(", text):
        return local(line, structs)
    t = Tokens(text)
    if t.take("Threads with"):
        condition = f.either(t)
        if not (t.take("do nothing .") or t.take("stop here .")):
            raise Unreadable(text)
        return _chosen([(condition, stop)])
    if t.take("For each"):
        return _loop(t, line, structs, *spans(t))
    if t.take("Repeat until the loop is left :"):
        return _while(lambda names: True, block(line.inner, structs))
    if t.take("Repeat"):
        times = f.by_bits(t)
        t.expect("times")
        return _loop(t, line, structs, ["_"], lambda names: ((i,) for i in range(int(times(names)))))
    if t.take("As long as"):
        condition = f.either(t)
        t.expect(", repeat :")
        return _while(condition, block(line.inner, structs))
    if line.cases:
        return _by_cases(t, line)
    t.items[0] = ("word", t.peek().lower())
    action = clause(t)
    t.expect(".")
    t.end()
    return action


def _by_cases(t: Tokens, line: Line) -> Action:
    if t.take("Set"):
        target = place(t)
        t.expect("to")
        value = cases(line.cases)
        return lambda names: target.set(names, value(names))
    t.expect("The result is")
    value = cases(line.cases)
    return result(value)


def _loop(t: Tokens, line: Line, structs: Any, indices: list[str], rounds: Any) -> Action:
    t.take(", in order")
    t.take(", its end as it is before the loop")
    if t.take(":") and line.inner:
        body = block(line.inner, structs)
    else:
        t.take(",")
        body = _rest(t, line)

    def run(names: Names) -> None:
        for values in rounds(names):
            names.update(zip(indices, values, strict=True))
            try:
                body(names)
            except Next:
                continue
            except Left:
                break

    return run


def _while(condition: f.Formula, body: Action) -> Action:
    def run(names: Names) -> None:
        for _ in range(100_000):
            if not condition(names):
                return
            try:
                body(names)
            except Next:
                continue
            except Left:
                return
        raise Unreadable("a loop without end")

    return run


# ---- new locals

_LOCAL = re.compile(r"Let (?:the (?P<kind>[^=]+?) )?(?P<name>\w+) (?P<verb>=|be\b)(?P<rest>.*)$")


def local(line: Line, structs: dict[str, dict[str, str]]) -> Action:
    """``Let x = ...``, ``Let the integer k be the number of ...``."""
    found = _LOCAL.match(line.text)
    if found is None:
        raise Unreadable(line.text)
    name, kind = found["name"], found["kind"]
    t = Tokens(found["rest"])
    if found["verb"] == "=":
        value = cases(line.cases) if line.cases else chosen(t)
    elif t.sees("a") or t.sees("an"):
        value = record(t, line, structs)
    else:
        value = described(t)
    if not line.cases:
        t.expect(".")
    t.end()
    convert = dict if kind is None and re.match(rf"Let {name} be an? ", line.text) else of_kind(kind, structs)

    def run(names: Names) -> None:
        names[name] = convert(value(names))

    return run


def record(t: Tokens, line: Line, structs: dict[str, dict[str, str]]) -> f.Formula:
    """``a Record with x = 1, y = 2``."""
    t.next()
    struct = t.next()
    t.expect("with")
    members: dict[str, f.Formula] = {}
    for part in [Tokens(case) for case in line.cases] or [t]:
        while not part.done and not part.sees("."):
            member = part.next()
            if part.take("zero"):
                members[member] = nothing
            else:
                part.expect("=")
                members[member] = f.choice(part)
            part.take(",")
    convert = {member: of_member(kind, structs) for member, kind in structs[struct].items()}
    return lambda names: {member: convert[member](value(names)) for member, value in members.items()}
