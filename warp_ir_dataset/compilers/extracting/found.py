"""Finds the kernels that importing a module creates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from warp._src import context


def made_by(run: Callable[[], object], module: str) -> list[Any]:
    """The kernels of a module, and of those below it, that are made while `run` runs, in this order.

    Those that Warp makes of a function (`wp.map`), which are of no module, are among them. One that takes any
    type is there as often as types were given to it, and once by itself if none were.
    """
    with noted() as made:
        run()
    places = (None, module)
    return concrete([k for k in made if (m := k.func.__module__) in places or m.startswith(f"{module}.")])


@contextmanager
def noted() -> Iterator[list[Any]]:
    """All kernels that are made until the context ends, in this order."""
    made: list[Any] = []
    register = context.Module.register_kernel

    def note(self: Any, kernel: Any) -> Any:
        made.append(kernel)
        return register(self, kernel)

    context.Module.register_kernel = note
    try:
        yield made
    finally:
        context.Module.register_kernel = register


def concrete(kernels: list[Any]) -> list[Any]:
    """The same, each once, with those that were made of a kernel that takes any type in its place."""
    each = (tuple(kernel.overloads.values()) or (kernel,) for kernel in kernels)
    return list({id(kernel): kernel for group in each for kernel in group}.values())
