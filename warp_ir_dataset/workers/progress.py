"""A bar on the standard error: rows, rate, time left, and how many candidates were rejected and why."""

from __future__ import annotations

from collections import Counter
from types import TracebackType

from tqdm import tqdm

from ..common.outcomes import Outcome, Reason, Rejected


class Bar:
    """Counts outcomes; `seen` is told each, with the item that it is of."""

    def __init__(
        self, title: str, rows: int, *, done: int = 0, keep: bool = True, quiet: bool = False
    ) -> None:
        self._rejections: Counter[Reason] = Counter()
        self._bar = tqdm(desc=title, total=rows, initial=done, unit="row", leave=keep, disable=quiet)

    def seen(self, item: object, outcome: Outcome) -> None:
        if isinstance(outcome, Rejected):
            self._rejections[outcome.reason] += 1
            counts = {reason.value: n for reason, n in sorted(self._rejections.items())}
            self._bar.set_postfix(counts, refresh=False)
        else:
            self._bar.update()

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._bar.close()
