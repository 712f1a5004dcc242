"""Sentences as actions on what names stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import formulas as f
from . import numbers as n
from .places import Place, place, value_of
from .tokens import Tokens, Unreadable

Names = dict[str, Any]
Action = Callable[[Names], None]
Range = Callable[[Names], Iterable[int]]


class Left(Exception):
    """The loop is left."""


class Next(Exception):
    """The next round begins."""


class Done(Exception):
    """The thread stops, or the function has a result."""

    def __init__(self, result: Any = None) -> None:
        self.result = result


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
    _end(t)
    return action


def _end(t: Tokens) -> None:
    if not t.done:
        raise Unreadable(f"{t.rest()!r} is left of {t.text!r}")


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
        return _chosen([(condition, _stop)])
    if t.take("For each"):
        return _loop(t, line, structs, *spans(t))
    if t.take("Repeat until the loop is left :"):
        return _while(lambda names: True, block(line.inner, structs))
    if t.take("Repeat"):
        times = int(t.next())
        t.expect("times")
        return _loop(t, line, structs, ["_"], lambda names: ((i,) for i in range(times)))
    if t.take("As long as"):
        condition = f.either(t)
        t.expect(", repeat :")
        return _while(condition, block(line.inner, structs))
    if line.cases:
        return _by_cases(t, line)
    t.items[0] = ("word", t.peek().lower())
    action = clause(t)
    t.expect(".")
    _end(t)
    return action


def _stop(names: Names) -> None:
    raise Done


def _by_cases(t: Tokens, line: Line) -> Action:
    if t.take("Set"):
        target = place(t)
        t.expect("to")
        value = cases(line.cases)
        return lambda names: target.set(names, value(names))
    t.expect("The result is")
    value = cases(line.cases)
    return _result(value)


def cases(texts: Sequence[str]) -> f.Formula:
    """``if c: a``, ``else if d: b``, ``otherwise: e``."""
    found: list[tuple[f.Formula | None, f.Formula]] = []
    for text in texts:
        t = Tokens(text)
        condition = None
        if not t.take("otherwise"):
            t.take("else")
            t.expect("if")
            condition = f.either(t)
        t.expect(":")
        found.append((condition, f.choice(t)))
        _end(t)

    def value(names: Names) -> Any:
        return next(v(names) for condition, v in found if condition is None or condition(names))

    return value


def chosen(t: Tokens) -> f.Formula:
    """``a``, or ``a if c, otherwise b``."""
    then = f.either(t)
    if not t.take("if"):
        return then
    condition = f.either(t)
    t.expect(", otherwise")
    orelse = f.either(t)
    return lambda names: then(names) if condition(names) else orelse(names)


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


# ---- ranges


def span(t: Tokens) -> tuple[str, Range]:
    """``k from 0 to n - 1``."""
    index = t.next()
    t.expect("from")
    start = f.total(t)
    if t.take("down to"):
        low = f.total(t)
        return index, lambda names: range(int(start(names)), int(low(names)) - 1, -1)
    if t.take("in steps of"):
        sign = -1 if t.take("-") else 1
        size = sign * int(t.next())
        if not (t.take("while below") or t.take("while above")):
            raise Unreadable(t.text)
        stop = f.total(t)
        return index, lambda names: range(int(start(names)), int(stop(names)), size)
    t.expect("to")
    stop = f.total(t)
    return index, lambda names: range(int(start(names)), int(stop(names)) + 1)


def spans(t: Tokens) -> tuple[list[str], Callable[[Names], Iterator[tuple[int, ...]]]]:
    """Ranges inside each other, and which of their indices count."""
    ranges = [span(t)]
    while t.take("and"):
        ranges.append(span(t))
    only = f.either(t) if t.take("with") else None
    never = f.either(t) if t.take("except where") else None

    def rounds(names: Names, depth: int = 0) -> Iterator[tuple[int, ...]]:
        if depth == len(ranges):
            if (only is None or only(names)) and not (never is not None and never(names)):
                yield tuple(names[index] for index, _ in ranges)
            return
        index, values = ranges[depth]
        for value in values(names):
            names[index] = value
            yield from rounds(names, depth + 1)

    return [index for index, _ in ranges], rounds


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
    _end(t)
    convert = dict if kind is None and re.match(rf"Let {name} be an? ", line.text) else of_kind(kind, structs)

    def run(names: Names) -> None:
        names[name] = convert(value(names))

    return run


def of_kind(kind: str | None, structs: Any) -> Callable[[Any], Any]:
    """What makes a value of a kind: real where it is not said."""
    if kind is None:
        return lambda value: float(value) if not isinstance(value, bool) else value
    if kind == "truth value":
        return bool
    if kind == "integer" or re.fullmatch(r"int\d+", kind):
        return n.whole
    if re.fullmatch(r"uint\d+", kind):
        return n.unsigned(kind)
    if re.fullmatch(r"float\d+", kind):
        return float
    if found := re.fullmatch(r"\d+-vector(?: of (\w+))?", kind):
        scalar = found[1] or ""
        carrier = np.int64 if scalar.startswith("int") else scalar if scalar.startswith("u") else float
        return lambda value: np.array(value, carrier)
    if re.fullmatch(r"\d+×\d+ matrix(?: of \w+)?", kind):
        return lambda value: np.array(value, float)
    if kind in structs:
        return lambda value: dict(value)
    raise Unreadable(f"a local that is a {kind}")


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
                members[member] = lambda names: 0.0
            else:
                part.expect("=")
                members[member] = f.choice(part)
            part.take(",")
    convert = {member: of_member(kind) for member, kind in structs[struct].items()}
    return lambda names: {member: convert[member](value(names)) for member, value in members.items()}


def of_member(kind: str) -> Callable[[Any], Any]:
    if kind.endswith(("float32", "float64")) and ("vector" in kind or "matrix" in kind):
        return lambda value: np.array(value, float)
    return of_kind(kind, {}) if re.fullmatch(r"u?int\d+|float\d+", kind) else lambda value: value


def described(t: Tokens) -> f.Formula:
    """``the sum, over ..., of ...`` and its like."""
    if t.take("minus"):
        inner = described(t)
        return lambda names: n.negate(inner(names))
    if t.take("the number of"):
        _, rounds = spans(t)
        return lambda names: sum(1 for _ in rounds(names))
    if t.take("the sum , over"):
        return _gathered(t, n.add, 0)
    if t.take("the product , over"):
        return _gathered(t, n.multiply, 1)
    for word, function in (("largest", np.maximum), ("smallest", np.minimum)):
        if t.take(f"the {word} of"):
            first = f.either(t)
            t.expect("and , for every")
            return _extreme(t, function, first)
    if t.take("the first"):
        return _search(t, None)
    value = f.either(t)
    t.expect("for the first")
    return _search(t, value)


def _gathered(t: Tokens, function: Callable[[Any, Any], Any], start: Any) -> f.Formula:
    _, rounds = spans(t)
    t.expect(", of")
    value = f.choice(t)

    def total(names: Names) -> Any:
        found = start
        for _ in rounds(names):
            found = function(found, value(names))
        return found

    return total


def _extreme(t: Tokens, function: Callable[[Any, Any], Any], first: f.Formula) -> f.Formula:
    _, rounds = spans(t)
    t.expect(",")
    value = f.choice(t)

    def total(names: Names) -> Any:
        found = first(names)
        for _ in rounds(names):
            found = function(found, value(names))
        return found

    return total


def _search(t: Tokens, value: f.Formula | None) -> f.Formula:
    index, values = span(t)
    t.expect("with")
    condition = f.either(t)
    t.expect(", or")
    otherwise = f.either(t)
    t.expect("if there is none")

    def found(names: Names) -> Any:
        for number in values(names):
            names[index] = number
            if condition(names):
                return number if value is None else value(names)
        return otherwise(names)

    return found


# ---- clauses


def clause(t: Tokens) -> Action:
    """One thing that is done, from its verb on."""
    atomically = t.take("atomically")
    if t.take("set"):
        target = place(t)
        t.expect("to")
        action = _set(t, target, atomically)
    elif t.take("add") or t.take("subtract"):
        function = n.add if t.peek(-1) == "add" else n.subtract
        value = f.choice(t)
        if not (t.take("to") or t.take("from")):
            raise Unreadable(t.text)
        target = place(t)
        action = _update(target, function, value)
    elif t.take("multiply") or t.take("divide"):
        function = n.multiply if t.peek(-1) == "multiply" else n.divide
        target = place(t)
        t.expect("by")
        action = _update(target, function, f.choice(t))
    else:
        return _plain(t)
    return _with_old(t, target, action) if atomically and t.sees(",") else action


def _set(t: Tokens, target: Place, atomically: bool) -> Action:
    value = _of_itself(target, f.choice(t)) if atomically else chosen(t)
    if atomically and t.take("if it equals"):
        expected = f.either(t)

        def swap(names: Names) -> None:
            if value_of(target, names) == expected(names):
                target.set(names, value(names))

        return swap
    return lambda names: target.set(names, value(names))


def _of_itself(target: Place, value: f.Formula) -> f.Formula:
    return lambda names: value(names | {"itself": value_of(target, names)})


def _update(target: Place, function: Callable[[Any, Any], Any], value: f.Formula) -> Action:
    return lambda names: target.set(names, function(value_of(target, names), value(names)))


def _with_old(t: Tokens, target: Place, action: Action) -> Action:
    """``..., and let the integer slot be its value before that``."""
    t.expect(", and")
    if t.take("let"):
        if t.take("the"):
            t.next()
        kept: Place = place(t)
        t.expect("be")
    else:
        t.expect("set")
        kept = place(t)
        t.expect("to")
    t.expect("its value before that")

    def run(names: Names) -> None:
        old = value_of(target, names)
        action(names)
        kept.set(names, old)

    return run


def _plain(t: Tokens) -> Action:
    if t.take("leave"):
        return _leave(t)
    if t.take("go on with the next"):
        t.next()
        return _next
    if t.take("the thread stops") or t.take("return"):
        return _stop
    if t.take("the result is"):
        return _result(chosen(t))
    if t.take("call"):
        called = f.choice(t)
        return lambda names: void(called(names))
    if t.take("let ("):
        return _several(t)
    if t.take("print") or t.take("assert"):
        while not t.done and not (t.sees(".") and t.place == len(t.items) - 1):
            t.next()
        return lambda names: None
    raise Unreadable(t.text)


def void(result: Any) -> None:
    return None


def _leave(t: Tokens) -> Action:
    if t.take("the loop over"):
        t.next()
    else:
        t.expect("this loop")
    return _left


def _left(names: Names) -> None:
    raise Left


def _next(names: Names) -> None:
    raise Next


def _result(value: f.Formula) -> Action:
    def run(names: Names) -> None:
        raise Done(value(names))

    return run


def _several(t: Tokens) -> Action:
    targets = [t.next()]
    while t.take(","):
        targets.append(t.next())
    t.expect(") be")
    value = f.choice(t)

    def run(names: Names) -> None:
        names.update(zip(targets, value(names), strict=True))

    return run
