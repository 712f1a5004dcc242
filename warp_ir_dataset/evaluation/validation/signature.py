"""A row's signature, out of its own columns: what a stranger knows of it who draws nothing again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ...common.outcomes import Row
from ...language.domains import Interval
from ...language.program import Argument, Role, Signature
from ...language.python.read import read
from ...language.types import Array, Struct, Value

Numbers = Mapping[str, Any]  # lists by leaf


def examples_of(row: Row) -> list[dict[str, Any]]:
    """What is in a row's `examples`. Raises `ValueError` for what is none."""
    found = json.loads(row["examples"])
    if not isinstance(found, list) or not found:
        raise ValueError("it has no examples")
    return found


def signature_of(row: Row) -> Signature:
    """How a row's kernel is launched: types by its source, roles and bounds by `arguments`, shapes by its
    first example.

    Raises `Unreadable` for a source that is not in the language, and `ValueError`, which that is too, for
    columns that do not fit each other.
    """
    known = read(row["python_source"], kernel=row["kernel_name"]).signature
    told = {each["name"]: each for each in row["arguments"]}
    example = examples_of(row)[0]
    numbers = {**example["inputs"], **example["outputs"]}
    lacking = [argument.name for argument in known.arguments if argument.name not in told]
    if lacking:
        raise ValueError(f"arguments do not tell of {lacking[0]}")
    arguments = tuple(_argument(argument, told, numbers) for argument in known.arguments)
    return Signature(known.name, arguments, tuple(row["launch_dim"]))


def _argument(argument: Argument, told: Mapping[str, Mapping[str, Any]], numbers: Numbers) -> Argument:
    entry, name = told[argument.name], argument.name
    own = [each for label, each in told.items() if label == name or label.startswith(f"{name}.")]
    lows, highs = ([each[key] for each in own if each[key] is not None] for key in ("low", "high"))
    domain = Interval(min(lows), max(highs)) if lows and highs else argument.domain
    made = replace(argument, role=cast(Role, entry["role"]), domain=domain, trait=entry["trait"])
    if isinstance(argument.type, Struct):
        leaves = {label: np.shape(value) for label, value in numbers.items() if label.startswith(f"{name}.")}
        shape = next(iter(leaves.values()), ())[: argument.ndim]
        members = dict(_members(argument.type, "", name, leaves, len(shape)))
        return replace(made, shape=tuple(shape), member_shapes=tuple(members.items()))
    return replace(made, shape=_outer(np.shape(numbers[name]), argument.type))


def _members(
    struct: Struct, prefix: str, name: str, leaves: Mapping[str, Sequence[int]], outer: int
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The shapes of the arrays in a struct, behind `outer` dimensions of what they are in."""
    for member, type in struct.members:
        path, inner = prefix + member, outer
        if isinstance(type, Array):
            label = f"{name}.{path}"
            shape = next(s for leaf, s in leaves.items() if leaf == label or leaf.startswith(f"{label}."))
            inner, type = outer + type.ndim, type.element
            yield path, tuple(shape[outer:inner])
        if isinstance(type, Struct):
            yield from _members(type, f"{path}.", name, leaves, inner)


def _outer(shape: tuple[int, ...], type: Any) -> tuple[int, ...]:
    """An array's own dimensions, without those of its elements."""
    assert isinstance(type, Value)
    return shape[: len(shape) - len(type.shape)]
