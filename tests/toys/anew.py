"""Small builds of real kernels, proved in this process and once each: what is validated, and by whom."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from toys.engines import HereEngine
from warp_ir_dataset import api
from warp_ir_dataset.builds.engine import WARP, Prover, compilers
from warp_ir_dataset.builds.output.manifest import read_manifest
from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.builds.plan.saved import planned
from warp_ir_dataset.builds.produce import produce
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.outcomes import Outcome
from warp_ir_dataset.evaluation.validation.finding import Validation
from warp_ir_dataset.evaluation.validation.part import Build, Part
from warp_ir_dataset.evaluation.validation.validate import validate
from warp_ir_dataset.publishing.card import write_card
from warp_ir_dataset.workers.task import Task

KERNELS, SEED, FAMILIES = 10, 0, ("arithmetic", "waves")  # grown ones, and ones with a purpose

_known: dict[tuple[str, str, Address], Outcome] = {}


def remembered(
    candidates: Sequence[Candidate], config: str, arch: str, notify: Callable[[int], None]
) -> list[Outcome]:
    """`produce`, once for each address."""
    new = [each for each in candidates if (config, arch, each.address) not in _known]
    if new:
        for each, outcome in zip(new, produce(new, config, arch, lambda index: None), strict=True):
            _known[config, arch, each.address] = outcome
    return [_known[config, arch, each.address] for each in candidates]


def build(folder: Path, *configs: str) -> Path:
    engine = HereEngine(Prover("toys.anew:remembered", compilers))
    requests = [Request(config, KERNELS, SEED, categories=FAMILIES) for config in configs]
    api.build(requests, folder, engine=engine, quiet=True)
    return folder


def sealed(folder: Path) -> None:
    """Write the card anew."""
    write_card(folder)


def validated(folder: Path, **options: Any) -> Validation:
    """By this process, which makes a plan once."""
    return validate(folder, planner=_planned, workshop=_here, quiet=True, **options)


_planned = functools.cache(planned)


def _here(
    task: Task, batches: Iterable[tuple[Any, Sequence[Any]]]
) -> Iterator[tuple[Any, Sequence[Outcome]]]:
    function = remembered if task.function == WARP.function else task.load()
    for tag, items in batches:
        yield tag, function(items, *task.arguments, lambda index: None)


def part_of(folder: Path, config: str, *, sample: int | None, seed: int) -> Part:
    """A config of a folder, before anything is checked."""
    manifest, _ = read_manifest(folder)
    return Part(Build(folder, manifest, sample, seed, _planned, _here, True), config)
