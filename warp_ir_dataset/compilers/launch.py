"""Warp's own launch: the reference for every other way to run a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import warp as wp

from .layout import is_array, is_struct, members_of
from .warp import Translation, attach

# What an argument is made of: numbers, an array (of records, where its elements are structs), or a struct's
# members by their names. A gradient has the same form, and None for what has none.
Given: TypeAlias = "np.ndarray | Mapping[str, Given]"
Gradient: TypeAlias = "np.ndarray | Mapping[str, Gradient] | None"
# Makes an array of a kind out of numbers.
MakesArray: TypeAlias = Callable[[Any, np.ndarray], "wp.array"]


def launch(
    translation: Translation,
    entries: tuple[Callable[..., None], Callable[..., None] | None],
    dim: tuple[int, ...],
    arguments: Sequence[Given],
    gradients: Sequence[Gradient] | None = None,
) -> None:
    """`wp.launch` on the CPU, in place on the numpy arrays in `arguments`, with `entries` as native code.

    `arguments` follow the kernel's: an array has the shape ``array shape + type shape``, or holds records in
    Warp's own layout. With `gradients` the adjoint launch follows the forward one on the same arrays, as
    `wp.Tape` has it: what they hold for outputs is spread to inputs.
    """
    kernel = translation.kernel
    attach(translation, entries)
    slots: Sequence[Gradient] = gradients if gradients is not None else [None] * len(arguments)
    values = [
        value_of(variable.type, given, gradient, _shared)
        for variable, given, gradient in zip(kernel.adj.args, arguments, slots, strict=True)
    ]
    wp.launch(kernel, dim, inputs=values, device="cpu")
    if gradients is not None:
        adjoints = [
            adjoint_of(variable.type, value) for variable, value in zip(kernel.adj.args, values, strict=True)
        ]
        wp.launch(kernel, dim, inputs=values, adj_inputs=adjoints, adjoint=True, device="cpu")


def value_of(kind: Any, given: Given, gradient: Gradient, array: MakesArray) -> Any:
    """The array, struct or number that a launch is given; `array` makes an array of Warp's."""
    if is_struct(kind):
        assert isinstance(given, Mapping)
        made = kind()
        inner = gradient if isinstance(gradient, Mapping) else {}
        for name, member in members_of(kind).items():
            setattr(made, name, value_of(member, given[name], inner.get(name), array))
        return made
    assert isinstance(given, np.ndarray)
    if not is_array(kind):
        return kind(*np.ravel(given).tolist())
    found = array(kind, given)
    if gradient is not None:
        assert isinstance(gradient, np.ndarray)
        found.grad = array(kind, gradient)
    return found


def _shared(kind: Any, given: np.ndarray) -> wp.array:
    return wp.array(given, dtype=kind.dtype, ndim=kind.ndim, device="cpu", copy=False)


def adjoint_of(kind: Any, value: Any) -> Any:
    """What an adjoint launch is given beside a value: an array's gradient, and of a struct another one that
    holds the gradients of its arrays."""
    if is_array(kind):
        return value.grad
    if not is_struct(kind):
        return value
    made = kind()
    for name, member in members_of(kind).items():
        if is_array(member) or is_struct(member):
            setattr(made, name, adjoint_of(member, getattr(value, name)))
    return made
