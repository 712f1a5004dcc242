"""A plan and a prove function for tests of the doors: real shards of toy rows, without Warp or a generator.

What `prove` is asked for is written to the file that ``$TOY_DIARY`` names, one line a batch, for each of
which it takes ``$TOY_SECONDS``. A file ``<draw>.compiling`` or ``<draw>.running`` in ``$TOY_VICTIMS`` has its
process killed once at that step of that draw, as the system does where memory is short.

Every worker of every test imports this module: planner, generator and commands are imported where they are
used, which takes nine tenths of a worker's start away.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS, DEFAULT_CONFIG, SPLITS, tasks
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.common.versions import GENERATOR_VERSION

if TYPE_CHECKING:
    from warp_ir_dataset.builds.plan.plan import Plan
    from warp_ir_dataset.builds.request import Request

# The configs whose kernels are drawn.
TASKS = tuple(task.name for task in tasks())

COMPILERS = {
    "clang": "22.1.8",
    "clang_options": "optimization_level=0",
    "nvrtc": "13.4",
    "nvrtc_options": "fast_math=False",
}
UNKNOWN_ARCH = "sm_33"
SPARES = 30


@dataclass(frozen=True, slots=True)
class Candidate:
    """In the place of a plan's own, whose module knows the generator."""

    address: Address
    module: str = ""
    decided: int = 0
    text: str = ""

    def __str__(self) -> str:
        return str(self.address)


def address_at(seed: int, category: str, draw: int) -> Address:
    """One of every three has a purpose."""
    return Address(seed, category, draw, f"purpose_{draw}" if draw % 3 == 0 else None)


def make_plan(request: Request, counts: dict[str, int] | None = None) -> Plan:
    """One family, its draws dealt to the shards one after another; thirty spares each."""
    from warp_ir_dataset.builds.plan.plan import Plan, Queue, ShardPlan
    from warp_ir_dataset.builds.plan.sizes import shard_counts, split_sizes

    counts = counts or shard_counts(request)
    category, draw = request.categories[0], 0
    shards = []
    for split in SPLITS:
        rows, files = split_sizes(request)[split], counts[split]
        for index in range(files):
            quota = (rows + files - 1 - index) // files
            addresses = [address_at(request.seed, category, draw + i) for i in range(quota + SPARES)]
            candidates: Any = tuple(map(Candidate, addresses))
            queue = Queue(category, quota, candidates)
            shards.append(ShardPlan(split, index, files, (queue,)))
            draw += quota + SPARES
    return Plan(request, tuple(shards), {category: draw}, {category: 0}, {category: 0}, ())


def main(arguments: Sequence[str]) -> int:
    """The command `warp-ir`, whose builds are toy rows."""
    from toys.engines import PROVER
    from warp_ir_dataset import cli
    from warp_ir_dataset.builds.engine import LocalEngine

    return cli.main(arguments, engine=partial(LocalEngine, prover=PROVER), planner=make_plan)


def prove(
    candidates: Sequence[Candidate], config: str, arch: str, notify: Callable[[int], None]
) -> list[dict[str, Any] | Rejected]:
    notify(-1)
    if diary := os.environ.get("TOY_DIARY"):
        with open(diary, "a") as file:
            file.write(f"{os.getpid()} {len(candidates)} {' '.join(map(str, candidates))}\n")
    time.sleep(float(os.environ.get("TOY_SECONDS", 0)))
    if CONFIGS[config].cuda and arch == UNKNOWN_ARCH:
        raise UserError(f"NVRTC does not know the architecture {arch!r}: choose from sm_80, sm_90")
    if victims := os.environ.get("TOY_VICTIMS"):
        for step in ("compiling", "running"):
            for index, candidate in enumerate(candidates):
                if step == "running":
                    notify(index)
                _be_killed_once(Path(victims, f"{candidate.address.draw}.{step}"))
    return [_outcome(candidate.address, config, arch) for candidate in candidates]


def _be_killed_once(victim: Path) -> None:
    if victim.exists():
        victim.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


def _outcome(address: Address, config: str, arch: str) -> dict[str, Any] | Rejected:
    if address.draw % 50 == 7:
        return Rejected(Reason.NEAR_ZERO, "a toy")
    return values(address, config, arch)


def row(address: Address, config: str, arch: str) -> dict[str, Any]:
    """A row of a config's own columns."""
    from warp_ir_dataset.builds.row import schema

    found = values(address, config, arch)
    return {column: found[column] for column in schema(config).names}


def values(address: Address, config: str, arch: str) -> dict[str, Any]:
    """Columns of all configs: a file gets its own."""
    name = f"{address.category}_{address.draw}"
    return {
        "id": f"{address.seed:08x}{address.draw:08x}",
        "skeleton": f"{address.draw:016x}",
        "group": f"{address.draw:016x}",
        "purpose": address.purpose,
        "kernel_name": name,
        "entry_point": None if CONFIGS[config].python else name,
        "category": address.category,
        "difficulty": address.draw % 5 + 1,
        "description": f"Does {address.draw}.",
        "prompt": f"Write {name} for {config}.",
        "broken": f"def {name}(): pass",
        "kind": "missing store",
        "message": f"It leaves {address.draw} at out[0], where 1.0 should be.",
        "completion": f"void {name}() {{ /* {arch} */ }}",
        "python_source": f"def {name}(): ...",
        "ptx": f".entry {name}" if CONFIGS[config].cuda else None,
        "arch": arch,
        "arguments": [
            {
                "name": "x",
                "type": "float32",
                "ndim": 1,
                "shape": ["n"],
                "role": "input",
                "low": -1.0,
                "high": 1.0,
                "trait": None,
                "differentiable": True,
            }
        ],
        "launch_dim": [4],
        "builtins": ["sin"],
        "examples": "[{}]",
        "checks": {"native_compile": not CONFIGS[config].cuda, "cuda_text_error": 1e-7},
        "coverage": {"arms": 2, "arms_run": 2},
        "seed": address.seed,
        "draw": address.draw,
        "generator_version": GENERATOR_VERSION,
        "warp_version": "1.19.0",
        "harness": {"prelude": "", "main": f"int main() {{ /* {name} */ }}\n"},
        "specification": f"Write {name}.",
        "task": f"Ask for {name}.",
        "prompts": {DEFAULT_CONFIG: f"Write {name} for {DEFAULT_CONFIG}."},
        "completions": {DEFAULT_CONFIG: f"void {name}();"},
        "module": "warp.examples.toy",
        "file": "warp/examples/toy.py",
        "license": "Apache-2.0",
        "modified": "Modified.",
        "twin_of": None,
    }
