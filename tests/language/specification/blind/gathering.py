"""Ranges, and what is gathered over them: sums, counts, extremes, searches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from . import formulas as f
from . import numbers as n
from .tokens import Tokens, Unreadable

Names = dict[str, Any]
Range = Callable[[Names], Iterable[int]]


def span(t: Tokens) -> tuple[str, Range]:
    """``k from 0 to n - 1``."""
    index = t.next()
    t.expect("from")
    start = f.by_bits(t)
    if t.take("down to"):
        low = f.by_bits(t)
        return index, lambda names: range(int(start(names)), int(low(names)) - 1, -1)
    if t.take("in steps of"):
        sign = -1 if t.take("-") else 1
        size = sign * int(t.next())
        if not (t.take("while below") or t.take("while above")):
            raise Unreadable(t.text)
        stop = f.by_bits(t)
        return index, lambda names: range(int(start(names)), int(stop(names)), size)
    t.expect("to")
    stop = f.by_bits(t)
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
    return searched(t, f.either(t)) or _refused(t)


def _refused(t: Tokens) -> f.Formula:
    raise Unreadable(t.text)


def searched(t: Tokens, value: f.Formula) -> f.Formula | None:
    """``for the first k ...`` or ``if there is a k ...`` behind a value; None where neither stands."""
    if t.take("for the first"):
        return _search(t, value)
    if t.take("if there is a") or t.take("if there is an"):
        return _search(t, value, "otherwise", "")
    return None


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


def _search(
    t: Tokens, value: f.Formula | None, other: str = "or", end: str = "if there is none"
) -> f.Formula:
    index, values = span(t)
    t.expect("with")
    condition = f.either(t)
    t.expect(f", {other}")
    otherwise = f.either(t)
    t.expect(end)

    def found(names: Names) -> Any:
        for number in values(names):
            names[index] = number
            if condition(names):
                return number if value is None else value(names)
        return otherwise(names)

    return found
