"""Formulas, from the loosest sign to the tightest, as functions of what names stand for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import numbers as n
from .noise import NOISES
from .randoms import DRAWS, State, begun
from .tokens import Tokens, Unreadable

Names = dict[str, Any]
Formula = Callable[[Names], Any]

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "≤": lambda a, b: a <= b,
    "≥": lambda a, b: a >= b,
    "=": lambda a, b: np.all(a == b),
    "≠": lambda a, b: not np.all(a == b),
    "equals": lambda a, b: bool(a) is bool(b),  # of truth values
    "differs": lambda a, b: bool(a) is not bool(b),
}
_FACTORS = {"·": n.multiply, "/": n.divide, "⊙": np.multiply, "⊘": np.divide}
_BITS = ("bitand", "bitor", "bitxor", "<<", ">>")
_FUNCTIONS = {**n.FUNCTIONS, **NOISES, "wp.rand_init": begun}
_CONSTANTS = {"true": True, "false": False, "π": math.pi, "infinity": math.inf, "NaN": math.nan}


def choice(t: Tokens) -> Formula:
    """``a if c else b``, or anything."""
    then = either(t)
    if not t.take("if"):
        return then
    condition = either(t)
    t.expect("else")
    orelse = choice(t)
    return lambda names: then(names) if condition(names) else orelse(names)


def either(t: Tokens) -> Formula:
    first = both(t)
    while t.take("or"):
        first = _or(first, both(t))
    return first


def _or(a: Formula, b: Formula) -> Formula:
    return lambda names: bool(a(names)) or bool(b(names))


def both(t: Tokens) -> Formula:
    first = denied(t)
    while t.sees("and") and t.peek(1) not in ("let", "set", ","):
        t.next()
        first = _and(first, denied(t))
    return first


def _and(a: Formula, b: Formula) -> Formula:
    return lambda names: bool(a(names)) and bool(b(names))


def denied(t: Tokens) -> Formula:
    if t.take("not"):
        inner = atom(t)
        return lambda names: not inner(names)
    return by_bits(t)


def by_bits(t: Tokens) -> Formula:
    first = compared(t)
    if t.peek() in _BITS:
        sign, second = t.next(), power(t)
        return lambda names: n.bits(sign, first(names), second(names))
    return first


def compared(t: Tokens) -> Formula:
    operands, signs = [remainder(t)], []
    if t.take("is given"):
        return lambda names: operands[0](names).size > 0
    while t.peek() in _COMPARISONS:
        sign = t.next()
        if sign == "differs":
            t.expect("from")
        signs.append(_COMPARISONS[sign])
        operands.append(remainder(t))
    if not signs:
        return operands[0]

    def holds(names: Names) -> bool:
        values = [operand(names) for operand in operands]
        return all(sign(a, b) for sign, a, b in zip(signs, values, values[1:], strict=False))

    return holds


def remainder(t: Tokens) -> Formula:
    first = total(t)
    if t.take("mod"):
        second = power(t)
        return lambda names: n.modulo(first(names), second(names))
    return first


def total(t: Tokens) -> Formula:
    first = _negative(t) if t.take("-") else term(t)
    while t.peek() in ("+", "-"):
        function = n.add if t.next() == "+" else n.subtract
        first = _applied(function, first, term(t))
    return first


def _negative(t: Tokens) -> Formula:
    inner = term(t)
    return lambda names: n.negate(inner(names))


def _applied(function: Callable[[Any, Any], Any], a: Formula, b: Formula) -> Formula:
    return lambda names: function(a(names), b(names))


def term(t: Tokens) -> Formula:
    first = power(t)
    while t.peek() in _FACTORS:
        first = _applied(_FACTORS[t.next()], first, power(t))
    return first


def power(t: Tokens) -> Formula:
    base = atom(t)
    if t.take("^"):
        exponent = atom(t)
        return lambda names: n.power(base(names), exponent(names))
    if t.take("²"):
        return lambda names: n.multiply(base(names), base(names))
    if t.take("ᵀ"):
        return lambda names: np.transpose(base(names))
    if t.take("⁻¹"):
        return lambda names: np.linalg.inv(base(names))
    return base


def atom(t: Tokens) -> Formula:
    """Something with members and indices behind it."""
    found = plain(t)
    while True:
        if t.sees(".") and t.peek(1).isidentifier():
            t.next()
            found = _member(found, t.next())
        elif t.take("["):
            found = _element(found, places(t))
        else:
            return found


def _member(of: Formula, member: str) -> Formula:
    def read(names: Names) -> Any:
        value = of(names)
        if member == "shape":
            return value.shape
        if isinstance(value, np.ndarray) and value.shape == (7,):
            return value[:3] if member == "p" else value[3:]
        return value[member] if isinstance(value, dict) else value["xyzw".index(member)]

    return read


def _element(of: Formula, index: list[Formula]) -> Formula:
    def read(names: Names) -> Any:
        value = of(names)
        places = tuple(part(names) for part in index)
        places = tuple(place if isinstance(place, slice) else int(place) for place in places)
        if any(not isinstance(place, slice) and place < 0 for place in places):
            raise IndexError(places)
        return value[places[0]] if isinstance(value, tuple) else at(value, places)

    return read


def places(t: Tokens) -> list[Formula]:
    """What stands in square brackets: indices, and ranges such as ``1:7:2``."""
    parts: list[Formula] = []
    while not t.take("]"):
        if parts:
            t.expect(",")
        bounds: list[Formula | None] = [None if t.sees(":") else choice(t)]
        while t.take(":"):
            bounds.append(None if t.peek() in (":", ",", "]") else choice(t))
        parts.append(_range(bounds) if len(bounds) > 1 else bounds[0])  # type: ignore[arg-type]
    return parts


def _range(bounds: list[Formula | None]) -> Formula:
    return lambda names: slice(*(None if bound is None else int(bound(names)) for bound in bounds))


def at(value: Any, places: tuple[int, ...]) -> Any:
    found = value[places]
    if any(isinstance(place, slice) for place in places):
        return found
    return found.copy() if isinstance(found, np.ndarray) else plain_number(found)


def plain_number(value: Any) -> Any:
    """A number as Python has it, but unsigned ones, which wrap around."""
    if isinstance(value, np.generic) and value.dtype.kind != "u":
        return value.item()
    return value


def plain(t: Tokens) -> Formula:
    kind, sign = t.kind(), t.next()
    if kind == "number":
        number = float(sign) if "." in sign or "e" in sign else int(sign)
        return lambda names: number
    if kind == "word":
        return word(t, sign)
    if sign == "(":
        parts = arguments(t, ")")
        if len(parts) == 1:
            return parts[0]
        return lambda names: n.vector([part(names) for part in parts])
    if sign == "|":
        return _around(t, "|", np.abs)
    if sign == "‖":
        return _around(t, "‖", lambda v: math.sqrt(float((v * v).sum())))
    if sign == "⌊":
        return _around(t, "⌋", n.floor)
    if sign == "⌈":
        return _around(t, "⌉", n.ceiling)
    raise Unreadable(f"{sign!r} in {t.text!r}")


def _around(t: Tokens, end: str, function: Callable[[Any], Any]) -> Formula:
    inner = choice(t)
    t.expect(end)
    return lambda names: function(inner(names))


def arguments(t: Tokens, end: str) -> list[Formula]:
    """What stands between brackets, with commas in between."""
    parts: list[Formula] = []
    while not t.take(end):
        if parts:
            t.expect(",")
        parts.append(choice(t))
    return parts


def word(t: Tokens, name: str) -> Formula:
    while t.sees(".") and t.peek(1).isidentifier() and t.peek(2) == "(":
        t.next()
        name = f"{name}.{t.next()}"
    if name in DRAWS:
        return drawn(t, name)
    if t.take("("):
        given = arguments(t, ")")

        def called(names: Names) -> Any:
            function = names["functions"].get(name) or _FUNCTIONS.get(name)
            if function is None:
                raise Unreadable(f"{name}(...)")
            return plain_number(function(*(part(names) for part in given)))

        return called
    if name in _CONSTANTS:
        return lambda names: _CONSTANTS[name]

    def looked_up(names: Names) -> Any:
        if name not in names:
            raise Unreadable(f"the name {name!r} in {t.text!r}")
        return names[name]

    return looked_up


def drawn(t: Tokens, name: str) -> Formula:
    """``wp.randf(state, 0, 1)``: a random number, of a state that moves on."""
    t.expect("(")
    kept = t.next()
    given = arguments(t, ")") if t.take(",") else []
    if not given:
        t.expect(")")

    def value(names: Names) -> Any:
        state = State(names[kept])
        found = DRAWS[name](state, *(part(names) for part in given))
        names[kept] = np.uint32(state.bits)
        return found

    return value
