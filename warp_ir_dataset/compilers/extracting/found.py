"""Finds the kernels that importing a module creates."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from warp._src import context


class Made(NamedTuple):
    """A kernel, and the module whose import made it, by its own text or by a call of a library's."""

    kernel: Any
    importing: str


def made_by(run: Callable[[], object], module: str) -> list[Any]:
    """The kernels of a module, and of those below it, that are made while `run` runs, in this order.

    Kernels that a library makes when the module calls it are the module's, as are those that Warp makes of a
    function (`wp.map`), which are of no module. A kernel that takes any type is there as often as types were
    given to it, and once by itself if none were.
    """

    def of_module(name: str | None) -> bool:
        return name is None or f"{name}.".startswith(f"{module}.")

    with noted() as made:
        run()
    return concrete([k for k, importing in made if of_module(k.func.__module__) or of_module(importing)])


@contextmanager
def noted() -> Iterator[list[Made]]:
    """All kernels that are made until the context ends, in this order."""
    made: list[Made] = []
    register = context.Module.register_kernel

    def note(self: Any, kernel: Any) -> Any:
        made.append(Made(kernel, _importing()))
        return register(self, kernel)

    context.Module.register_kernel = note
    try:
        yield made
    finally:
        context.Module.register_kernel = register


def _importing() -> str:
    """The module that is being executed right now; nothing where none is."""
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")) if frame.f_code.co_name == "<module>" else ""


def concrete(kernels: list[Any]) -> list[Any]:
    """The same, each once, with those that were made of a kernel that takes any type in its place."""
    each = (tuple(kernel.overloads.values()) or (kernel,) for kernel in kernels)
    return list({id(kernel): kernel for group in each for kernel in group}.values())


@contextmanager
def any_device() -> Iterator[None]:
    """Until the context ends, every device of CUDA's that a module asks Warp for is there. Where there is no
    GPU it is the CPU: most modules that name a device at import only remember it."""
    context.init()
    runtime = context.runtime
    known, devices, current = runtime.device_map, runtime.cuda_devices, runtime.get_current_cuda_device
    default = runtime.default_device
    if not devices:
        runtime.device_map = _Devices(known, runtime.cpu_device)
        runtime.cuda_devices = [runtime.cpu_device]
        runtime.get_current_cuda_device = lambda: runtime.cpu_device
    try:
        yield
    finally:
        runtime.device_map, runtime.cuda_devices, runtime.get_current_cuda_device = known, devices, current
        runtime.default_device = default


class _Devices(dict[str, Any]):
    def __init__(self, known: dict[str, Any], cpu: Any) -> None:
        super().__init__(known)
        self._cpu = cpu

    def get(self, name: Any, otherwise: Any = None) -> Any:
        cuda = isinstance(name, str) and name.startswith("cuda:")
        return super().get(name, self._cpu if cuda else otherwise)
