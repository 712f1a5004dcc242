"""Reads the signature of a row's kernel from the row's own columns, without drawing the program again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

import numpy as np

from ..common.outcomes import Row
from ..language import ir
from ..language.domains import Interval, Trait, intersection
from ..language.python.read import read
from ..language.traits import can_have_trait
from ..language.types import FLOAT, SCALARS, Array, Struct, Type, Value, numpy_type
from .subject import Arrays

Numbers = Mapping[str, Any]  # lists by leaf


def examples_of(row: Row) -> list[dict[str, Any]]:
    """What is in a row's `examples`. Raises `ValueError` for what is none."""
    try:
        found = json.loads(row["examples"])
    except RecursionError:
        raise ValueError("its examples are nested too deeply") from None
    if not isinstance(found, list) or not found:
        raise ValueError("it has no examples")
    return found


def arrays_of(signature: ir.Signature, values: Numbers) -> Arrays:
    """Numbers of an example as arrays of their types, by leaf. Raises `KeyError` for a leaf that no argument
    has."""
    leaves = {leaf.name: leaf for argument in signature.arguments for leaf in argument.leaves}
    return {name: np.asarray(value, numpy_type(leaves[name].type)) for name, value in values.items()}


def signature_of(row: Row, parameters: Sequence[tuple[str, Type]] | None = None) -> ir.Signature:
    """How a row's kernel is launched: types by its source, roles and bounds by `arguments`, shapes by its
    first example. `parameters` are the types where the source cannot be read.

    Raises `Unreadable` for a source that is not in the language, and `ValueError`, which that is too, for
    columns that do not fit each other.
    """
    if parameters is None:
        known = read(row["python_source"], kernel=row["kernel_name"]).signature.arguments
    else:
        known = tuple(_of_type(name, type) for name, type in parameters)
    told = {each["name"]: each for each in row["arguments"]}
    example = examples_of(row)[0]
    numbers = {**example["inputs"], **example["outputs"]}
    lacking = [argument.name for argument in known if argument.name not in told]
    if lacking:
        raise ValueError(f"arguments do not tell of {lacking[0]}")
    dims = row["launch_dim"]
    if not dims or not all(isinstance(size, int) and size > 0 for size in dims):
        raise ValueError("launch_dim is no number of threads")
    arguments = tuple(_argument(argument, told, numbers) for argument in known)
    for leaf in (leaf for argument in arguments for leaf in argument.leaves):
        if not can_have_trait(leaf):
            raise ValueError(f"{leaf.name} is {leaf.trait}, which no number between its bounds can be")
    return ir.Signature(row["kernel_name"], arguments, tuple(dims))


def _of_type(name: str, type: Type) -> ir.Argument:
    if isinstance(type, Array):
        return ir.Argument(name, type.element, "input", (0,) * type.ndim, _limits(type.element))
    return ir.Argument(name, type, "input", (), _limits(type))


def _limits(type: Type) -> Interval:
    return SCALARS[type.scalar].limits if isinstance(type, Value) else SCALARS[FLOAT.scalar].limits


def _argument(argument: ir.Argument, told: Mapping[str, Mapping[str, Any]], numbers: Numbers) -> ir.Argument:
    entry, name = told[argument.name], argument.name
    own = [each for label, each in told.items() if label == name or label.startswith(f"{name}.")]
    lows, highs = ([each[key] for each in own if each[key] is not None] for key in ("low", "high"))
    domain = _bounds(argument, Interval(min(lows), max(highs))) if lows and highs else argument.domain
    if entry["role"] not in get_args(ir.Role) or entry["trait"] not in (None, *get_args(Trait)):
        raise ValueError(f"{name} has a role or a trait that is none")
    made = replace(argument, role=cast(ir.Role, entry["role"]), domain=domain, trait=entry["trait"])
    if isinstance(argument.type, Struct):
        leaves = {label: np.shape(value) for label, value in numbers.items() if label.startswith(f"{name}.")}
        shape = next(iter(leaves.values()), ())[: argument.ndim]
        members = dict(_members(argument.type, "", name, leaves, len(shape)))
        return replace(made, shape=tuple(shape), member_shapes=tuple(members.items()))
    return replace(made, shape=_outer(np.shape(numbers[name]), argument.type))


def _bounds(argument: ir.Argument, told: Interval) -> Interval:
    """Bounds of whole numbers are whole, and no wider than the type: as columns they were rounded. Raises
    `ValueError` for bounds between which nothing can be drawn."""
    limits = _limits(argument.type)
    found = told
    if not math.isfinite(told.width):
        raise ValueError(f"{argument.name} has bounds that are not finite")
    if isinstance(argument.type, Value):
        if argument.type.is_integer:
            found = intersection(Interval(math.ceil(told.lo), math.floor(told.hi)), limits)
        if not found.within(limits) or found.width < 0:
            raise ValueError(f"{argument.name} has bounds beyond its type")
    return found


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


def _outer(shape: tuple[int, ...], type: Type) -> tuple[int, ...]:
    """An array's own dimensions, without those of its elements."""
    assert isinstance(type, Value)
    return shape[: len(shape) - len(type.shape)]
