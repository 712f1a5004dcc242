"""What proves a batch, without the rules of legality: for programs that break them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from unittest import mock

from warp_ir_dataset.builds import produce as checked
from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.common.outcomes import Outcome

PRODUCE = "toys.unchecked:produce"


def produce(
    candidates: Sequence[Candidate], config_name: str, arch: str, notify: Callable[[int], None]
) -> list[Outcome]:
    """As `builds.produce.produce`."""
    with mock.patch.object(checked, "check"):
        return checked.produce(candidates, config_name, arch, notify)
