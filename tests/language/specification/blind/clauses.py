"""Clauses, from their verbs on, as actions on what names stand for; and what ends loops and threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import formulas as f
from . import numbers as n
from .gathering import described, searched
from .places import Place, place, value_of
from .tokens import Tokens, Unreadable

Names = dict[str, Any]
Action = Callable[[Names], None]


class Left(Exception):
    """The loop is left."""


class Next(Exception):
    """The next round begins."""


class Done(Exception):
    """The thread stops, or the function has a result."""

    def __init__(self, result: Any = None) -> None:
        self.result = result


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
        t.end()

    def value(names: Names) -> Any:
        return next(v(names) for condition, v in found if condition is None or condition(names))

    return value


def chosen(t: Tokens) -> f.Formula:
    """``a``, or ``a if c, otherwise b``; or a value of the first index with something."""
    then = f.either(t)
    if found := searched(t, then):
        return found
    if not t.take("if"):
        return then
    condition = f.either(t)
    t.expect(", otherwise")
    orelse = f.either(t)
    return lambda names: then(names) if condition(names) else orelse(names)


def clause(t: Tokens) -> Action:
    """One thing that is done, from its verb on."""
    atomically = t.take("atomically")
    if t.sees("set ("):
        return _plain(t)
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
    if t.sees("the") or t.sees("minus the"):
        gathered = described(t)
        return lambda names: target.set(names, gathered(names))
    value = _of_itself(target, f.either(t)) if atomically else chosen(t)
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
        return stop
    if t.take("the result is"):
        return result(chosen(t))
    if t.take("call"):
        called = f.choice(t)
        return lambda names: void(called(names))
    if t.take("let (") or t.take("set ("):
        return _several(t)
    if t.take("do nothing"):
        return lambda names: None
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


def result(value: f.Formula) -> Action:
    def run(names: Names) -> None:
        raise Done(value(names))

    return run


def _several(t: Tokens) -> Action:
    targets = [t.next()]
    while not t.take(")"):
        word = t.next()
        targets = [*targets, t.next()] if word == "," else [*targets[:-1], word]
    if not (t.take("be") or t.take("to")):
        raise Unreadable(t.text)
    value = f.choice(t)

    def run(names: Names) -> None:
        names.update(zip(targets, value(names), strict=True))

    return run


def stop(names: Names) -> None:
    raise Done
