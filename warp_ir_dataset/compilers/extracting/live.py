"""The generated code of a kernel in a user's module, which stays unchanged."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import warp as wp

from .. import warp as toolchain
from ..warp import Translation


def translate_live(kernel: Any, *, backward: bool, cuda: bool) -> Translation:
    """As `warp.translate`, of a `wp.Kernel`, without executing its source again; inside of `as_it_was`.

    Raises `CompileError`.
    """
    return toolchain.translated(kernel, backward=backward, cuda=cuda)


@contextlib.contextmanager
def as_it_was(kernel: Any) -> Iterator[None]:
    """Restore, at the end, what translations change: options, hashes, and what an adjoint keeps of them,
    which would fill the memory of who goes through many kernels. Warp says nothing meanwhile."""
    module, settings = kernel.module, wp.config
    options, own, level = dict(module.options), dict(kernel.options), settings.log_level
    hashed, strided = kernel.hash, kernel.grid_stride
    kept = _states(kernel)
    settings.log_level = wp.LOG_ERROR
    try:
        yield
    finally:
        settings.log_level = level
        for changed, before in ((module.options, options), (kernel.options, own)):
            changed.clear()
            changed.update(before)
        kernel.hash, kernel.grid_stride = hashed, strided
        for adjoint, state in kept:
            vars(adjoint).clear()
            vars(adjoint).update(state)


def _states(kernel: Any) -> list[tuple[Any, dict[str, Any]]]:
    """The adjoints of a kernel and of all functions of Warp's that it may call, and what they hold."""
    found: dict[int, tuple[Any, dict[str, Any]]] = {}

    def keep(adjoint: Any) -> None:
        if id(adjoint) in found:
            return
        found[id(adjoint)] = adjoint, dict(vars(adjoint))
        for function in adjoint.get_references()[2]:
            if not function.is_builtin():
                for each in (function, *function.user_templates.values(), *function.user_overloads.values()):
                    keep(each.adj)

    with contextlib.suppress(Exception):  # what refers to nothing is told when it is translated
        keep(kernel.adj)
    return list(found.values())
