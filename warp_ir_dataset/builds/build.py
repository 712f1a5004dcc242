"""From requests to a folder of Parquet shards with a card and a manifest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..common.versions import DATASET_VERSION
from ..publishing.card import write_card
from ..workers.pool import Pool
from ..workers.progress import Bar
from ..workers.seats import cores
from .folder import opened
from .plan.plan import planned
from .request import Request
from .shards import BATCH_SIZE, fill


def build(
    requests: Sequence[Request],
    folder: Path,
    *,
    workers: int | None = None,
    skip_faults: bool = False,
    batch_size: int = BATCH_SIZE,
    version: str = DATASET_VERSION,
    quiet: bool = False,
) -> dict:
    """Build one dataset, one request per config, and return its manifest.

    The requests differ in their config alone. The pool's children run `prove.prove`, which takes a
    candidate from its address to a row: generate, render, compile, verify, record. A build that was
    stopped goes on where it was. Raises `UserError`, and what `shard.fill` raises.
    """
    with opened(folder, requests[0], skip_faults=skip_faults, version=version) as output:
        # What can be refused, for its architecture or by a Warp without CUDA, comes first.
        for request in sorted(requests, key=lambda request: request.config == "cpu"):
            with Pool(workers or cores(), request.config, request.arch, skip_faults=skip_faults) as pool:
                plan = planned(request)
                missing = output.missing(plan)
                done = request.num_kernels - sum(shard.rows for shard in missing)
                with Bar(request.config, request.num_kernels, done=done, quiet=quiet) as bar:
                    for shard, rows, rejections in fill(
                        missing, pool, batch_size=batch_size, on_outcome=bar.seen
                    ):
                        output.add(request, shard, rows, rejections)
        output.save()
        write_card(folder)
        return output.manifest
