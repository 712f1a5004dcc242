"""The interface of tasks that worker processes run, and of the workers towards their callers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from ..common.outcomes import Outcome


@dataclass(frozen=True)
class Task:
    """A function, named by its place as ``module:function``, and what it is given with every batch.

    It is called as ``function(items, *arguments, notify)`` and returns a list of one outcome per item, in
    order: a row, or why there is none. It calls `notify` with -1 before a step that concerns the whole batch
    and with an index before a step for that item alone, so that a crash has somebody to blame. It raises
    `BatchFailed` for a batch of several that fails as a whole, and `UserError` for what cannot be.

    With `of_others`, what others wrote is run or compiled there: its processes start with few variables
    (`common.environment`).
    """

    function: str
    arguments: tuple[str, ...] = ()
    of_others: bool = False

    def load(self) -> Callable[..., Any]:
        """The function. Raises what importing its module raises."""
        module, _, name = self.function.partition(":")
        function: Callable[..., Any] = getattr(import_module(module), name)
        return function


class Workforce(Protocol):
    """Who does a task for batches of items: a `Pool` of processes here, or a `ClusterPool` of machines."""

    @property
    def workers(self) -> int: ...

    @property
    def pending(self) -> int: ...

    def submit(self, tag: Any, items: Sequence[Any]) -> None: ...

    def results(self) -> Iterator[tuple[Any, list[Outcome]]]: ...
