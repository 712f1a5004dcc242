"""A kernel on a device, as anyone launches it: Warp compiles it for the device by itself, or is given PTX."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp
from warp._src import context as warp_context

from . import warp as toolchain
from .launch import Given, Gradient, adjoint_of, value_of
from .layout import is_array, is_struct, members_of

_ENTRY = re.compile(r"\.entry (\w+_cuda_kernel_(forward|backward))\(")


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


def take_ptx(device: str, kernel: Any, ptx: str) -> None:
    """Make launches of a live kernel on `device` run this PTX of it, instead of what Warp would compile. The
    driver assembles it, or Warp's own assembler where the driver is older than Warp's CUDA.

    Raises `CompileError`.
    """
    there, core = wp.get_device(device), warp_context.runtime.core
    entries = {way: name for name, way in _ENTRY.findall(ptx)}
    if "forward" not in entries:
        raise toolchain.CompileError("the PTX has no entry of a kernel")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "kernel.ptx")
        file.write_text(ptx, encoding="utf-8")
        handle = core.wp_cuda_load_module(there.context, str(file).encode())
    if not handle:
        raise toolchain.CompileError("the PTX cannot be assembled")
    loaded = warp_context.ModuleExec(handle, None, there, {}, toolchain.CUDA_BLOCK)  # which unloads it
    forward, backward = (
        core.wp_cuda_get_kernel(there.context, handle, entries[way].encode()) if way in entries else None
        for way in ("forward", "backward")
    )
    loaded.kernel_names[kernel] = entries["forward"]
    loaded.kernel_hooks[entries["forward"]] = warp_context.KernelHooks(forward, backward)
    kernel.module.load = lambda device, block_dim=None: loaded


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
