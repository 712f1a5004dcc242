"""What worker processes are told to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Task:
    """A function, named by its place as ``module:function``, and what it is given with every batch.

    It is called as ``function(items, *arguments, notify)`` and returns a list of one outcome per item, in
    order: a row, or why there is none. It calls `notify` with -1 before a step that concerns the whole batch
    and with an index before a step for that item alone, so that a crash has somebody to blame. It raises
    `BatchFailed` for a batch of several that fails as a whole, and `UserError` for what cannot be.
    """

    function: str
    arguments: tuple[str, ...] = ()

    def load(self) -> Callable[..., Any]:
        """The function. Raises what importing its module raises."""
        module, _, name = self.function.partition(":")
        return getattr(import_module(module), name)
