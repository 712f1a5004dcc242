"""Runs a kernel on a device as users do: Warp itself compiles it for the device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import warp as wp

from . import warp as toolchain
from .launch import Given, Gradient, adjoint_of, value_of
from .layout import is_array, is_struct, members_of


class Immovable(ValueError):
    """What holds addresses of this machine's memory: arrays in the elements of an array."""


def devices() -> tuple[str, ...]:
    """The names under which Warp knows the CUDA devices here (``cuda:0``)."""
    toolchain.start()
    return tuple(device.alias for device in wp.get_cuda_devices())


def device_name(device: str) -> str:
    """What a device is called by who made it."""
    return str(wp.get_device(device).name)


def works(device: str) -> bool:
    """Whether a device still does in this process what it is asked to: after a fault it never does again."""
    try:
        return bool((wp.ones(4, dtype=wp.int32, device=device).numpy() == 1).all())
    except Exception:  # whatever Warp makes of what the driver says
        return False


def launch_on(
    device: str,
    kernel: Any,
    dim: tuple[int, ...],
    arguments: Sequence[Given],
    gradients: Sequence[Gradient] | None = None,
) -> None:
    """`wp.launch` of a live kernel on `device`; what it leaves is in the numpy arrays of `arguments` and,
    where they are given, of `gradients`, as `launch.launch` has it.

    Raises `Immovable`, and what Warp raises for a kernel that the device's compiler refuses.
    """
    slots: Sequence[Gradient] = gradients if gradients is not None else [None] * len(arguments)
    moved: list[tuple[wp.array, np.ndarray]] = []

    def move(kind: Any, here: np.ndarray) -> wp.array:
        if any(_arrays_in(kind.dtype)):
            raise Immovable("its arrays hold arrays")
        there = wp.array(here, dtype=kind.dtype, ndim=kind.ndim, device=device, copy=True)
        moved.append((there, here))
        return there

    kinds = [variable.type for variable in kernel.adj.args]
    values = [
        value_of(kind, given, gradient, move)
        for kind, given, gradient in zip(kinds, arguments, slots, strict=True)
    ]
    wp.launch(kernel, dim, inputs=values, device=device)
    if gradients is not None:
        adjoints = [adjoint_of(kind, value) for kind, value in zip(kinds, values, strict=True)]
        wp.launch(kernel, dim, inputs=values, adj_inputs=adjoints, adjoint=True, device=device)
    wp.synchronize_device(device)
    for there, here in moved:
        here[...] = there.numpy().reshape(here.shape)


def _arrays_in(kind: Any) -> Iterator[bool]:
    """Whether each member of a struct, down through structs in it, is an array."""
    for member in members_of(kind).values() if is_struct(kind) else ():
        yield is_array(member)
        yield from _arrays_in(member)
