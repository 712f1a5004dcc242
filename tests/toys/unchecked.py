"""What proves a batch, without the rules of legality for programs that break them, or telling of it first."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from unittest import mock

from warp_ir_dataset.builds import produce as checked
from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.common.outcomes import Outcome

PRODUCE = "toys.unchecked:produce"
TOLD = "toys.unchecked:produce_told"


def produce(
    candidates: Sequence[Candidate], config_name: str, arch: str, notify: Callable[[int], None]
) -> list[Outcome]:
    """As `builds.produce.produce`."""
    with mock.patch.object(checked, "check"):
        return checked.produce(candidates, config_name, arch, notify)


def produce_told(
    candidates: Sequence[Candidate], config_name: str, arch: str, notify: Callable[[int], None]
) -> list[Outcome]:
    """As `builds.produce.produce`, but first it writes a line to ``$TOY_DIARY``, as `toys.rows` does."""
    with open(os.environ["TOY_DIARY"], "a") as file:
        file.write(f"{os.getpid()} {len(candidates)} {' '.join(map(str, candidates))}\n")
    return checked.produce(candidates, config_name, arch, notify)
