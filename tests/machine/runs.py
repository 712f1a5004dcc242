"""Many launches of a kernel in one job, each in orders by a seed of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from machine.cases import Draw, Drawn

from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.cage.job import Launches, Limits
from warp_ir_dataset.machine import check, text
from warp_ir_dataset.machine.check import Launch, Seen

IN_A_JOB = 10  # launches


def launch(drawn: Drawn) -> Launch:
    size = (check.size(name, getattr(drawn, name), 1 << 20, (1 << 20,) * 3) for name in ("grid", "block"))
    return Launch(drawn.kernel, drawn.arguments, *size, drawn.shared)


def seen(cage: Cage, launches: Sequence[Drawn], first_seed: int = 0) -> list[Seen]:
    """What the machine sees of launches of one text; the seeds are their numbers, from `first_seed` on."""
    [source] = {each.text for each in launches}
    job = check.job(source, [launch(each) for each in launches])
    try:
        for seed, each in enumerate(job.wanted["launches"], first_seed):
            each["passes"] = check.passes(seed)
        limits = Limits(load_seconds=10.0, run_seconds=40.0, load_bytes=16 << 30, run_bytes=16 << 30)
        ended = cage.launch(Launches(job.wanted, limits), job.pages)
        assert ended.end == "ran", ended
        return check.seen(job, text.named_back(ended.said))
    finally:
        job.close()


def drawn_by_seeds(cage: Cage, draw: Draw, seeds: int) -> list[tuple[Drawn, Seen]]:
    """Launches that are drawn by so many seeds; most kernels have one text for all of them."""
    drawn = [draw(np.random.default_rng(seed)) for seed in range(seeds)]
    found: dict[int, Seen] = {}
    for source in dict.fromkeys(each.text for each in drawn):
        chosen = [seed for seed, each in enumerate(drawn) if each.text == source]
        # Kernels that hang run until their steps are used up: twenty launches may take a job too long.
        for start in range(0, len(chosen), IN_A_JOB):
            some = chosen[start : start + IN_A_JOB]
            found |= dict(zip(some, seen(cage, [drawn[seed] for seed in some], start), strict=True))
    return [(each, found[seed]) for seed, each in enumerate(drawn)]
