"""What a sentence writes to: a name, an element, a member, a component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import formulas as f
from .tokens import Tokens

Names = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A name, and the way on from there: members by their names, indices as formulas."""

    name: str
    way: tuple[str | tuple[f.Formula, ...], ...]

    def set(self, names: Names, value: Any) -> None:
        if not self.way:
            names[self.name] = like(names.get(self.name), value)
            return
        names[self.name] = _changed(names[self.name], self.way, value, names)


def place(t: Tokens) -> Place:
    name, way = t.next(), []
    while True:
        if t.sees(".") and t.peek(1).isidentifier():
            t.next()
            way.append(t.next())
        elif t.take("["):
            way.append(tuple(f.arguments(t, "]")))
        else:
            return Place(name, tuple(way))


def like(old: Any, value: Any) -> Any:
    """A value of the kind that a name had: whole numbers stay whole, real ones real."""
    if isinstance(old, bool) or old is None or isinstance(value, dict):
        return value
    if isinstance(old, float):
        return float(value)
    if isinstance(old, np.generic):
        return old.dtype.type(value)
    if isinstance(old, int):
        return int(value)
    return np.array(value, old.dtype) if isinstance(old, np.ndarray) else value


def _key(part: str | tuple[f.Formula, ...], names: Names) -> Any:
    if isinstance(part, str):
        return "xyzw".index(part)
    index = tuple(int(one(names)) for one in part)
    if any(i < 0 for i in index):
        raise IndexError(index)
    return index


def _changed(whole: Any, way: tuple, value: Any, names: Names) -> Any:
    """A whole with another value at the end of the way: arrays are changed, structs and vectors made anew."""
    part, *rest = way
    if isinstance(whole, dict):
        key = part if isinstance(part, str) else _key(part, names)
        if isinstance(part, str):
            inner = _changed(whole[key], tuple(rest), value, names) if rest else like(whole[key], value)
            return {**whole, key: inner}
    key = _key(part, names)
    if isinstance(whole[key], dict):
        whole[key] = _changed(whole[key], tuple(rest), value, names) if rest else value
        return whole
    whole[key] = _changed(np.array(whole[key]), tuple(rest), value, names) if rest else value
    return whole


def value_of(target: Place, names: Names) -> Any:
    value = names[target.name]
    for part in target.way:
        value = value[part] if isinstance(value, dict) and isinstance(part, str) else value[_key(part, names)]
    return value.copy() if isinstance(value, np.ndarray) else f.plain_number(value)
