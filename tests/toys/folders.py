"""Folders as `warp-ir build` writes them, of toy rows, made in a moment and without processes or Warp."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from toys import rows as toy_rows
from toys.engines import ENGINE
from warp_ir_dataset.builds.output.build import opened
from warp_ir_dataset.builds.output.local_store import LocalStore
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.builds.shards import Filled
from warp_ir_dataset.common.configs import SPLITS
from warp_ir_dataset.publishing import plots
from warp_ir_dataset.publishing.card import write_card

_available = plots.available


@contextmanager
def plotting(shown: bool = True) -> Iterator[None]:
    """Cards and reports have plots, or have none, as where matplotlib is absent. Tests have none unless they
    ask: plots take most of the time of a toy build."""
    with mock.patch.object(plots, "available", _available if shown else lambda: False):
        yield


def toy_folder(
    folder: Path,
    *,
    configs: Iterable[str] = toy_rows.TASKS,
    kernels: int = 40,
    seed: int = 3,
    version: str = "1.0.0",
    files: int = 1,
) -> Path:
    """Returns the folder. `files` is the number of shards of each split."""
    requests = [Request(config, kernels, seed) for config in configs]
    with opened(LocalStore(folder), requests, ENGINE, version) as output:
        for request in requests:
            counts = dict.fromkeys(SPLITS, files)
            own = output.planned(request, lambda asked, counts=counts: toy_rows.make_plan(asked, counts))
            for shard in own.plan.shards:
                candidates = [c for queue in shard.queues for c in queue.candidates[: queue.quota]]
                rows = [toy_rows.row(c.address, request.config, request.arch) for c in candidates]
                own.add(Filled(shard, rows, Counter()))
            output.take(own)
        output.finish(write_card)
    return folder
