"""Kernels without end for verifiers: rows of the dataset, seed after seed, and its judge as reward."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from typing import Any, Literal

# mypy skips verifiers, which [dev] does not install: what it gives has no types, hence the ignores.
import verifiers.v1 as vf

import warp_ir_dataset
from warp_ir_dataset.judge.question import NEEDED
from warp_ir_dataset.rewards import verdict


class WarpIRConfig(vf.TasksetConfig):  # type: ignore[misc]
    config: Literal["cpu", "cuda", "cuda_backward", "warp_to_cuda", "spec_to_warp", "repair"] = "spec_to_warp"
    """What is asked for: see the dataset's README."""
    seed: int = 1
    """The first seed; that of the default build is 0."""
    num_kernels: int = 120
    """Kernels drawn by one seed, of which train has four fifths."""


class WarpIRData(vf.TaskData):  # type: ignore[misc]
    config: str
    row: dict[str, Any]
    """What the judge reads of the row; the model sees the prompt alone."""
    completion: str
    """The row's own answer, which `validate` judges."""


class WarpIRTask(vf.Task[WarpIRData, vf.State, vf.TaskConfig]):  # type: ignore[misc]
    @vf.reward(weight=1.0)  # type: ignore[untyped-decorator]
    async def correct(self, trace: vf.Trace) -> float:
        """1.0 for an answer that is right on hidden inputs, 0.0 for another one, or none."""
        return await self._value(trace.last_reply)

    async def validate(self, runtime: vf.Runtime) -> bool:
        return await self._value(self.data.completion) == 1.0

    async def _value(self, text: str) -> float:
        found = await asyncio.to_thread(verdict, self.data.row, text, config=self.data.config)
        return found.value or 0.0


class WarpIRTaskset(vf.Taskset[WarpIRTask, WarpIRConfig]):  # type: ignore[misc]
    """Rows of the split train alone: kernels of the shape of a test row are never in it, by any seed."""

    INFINITE = True

    def load(self) -> Iterator[WarpIRTask]:
        config = self.config
        for seed in itertools.count(config.seed):
            rows = warp_ir_dataset.load(
                config.config, "train", streaming=True, num_kernels=config.num_kernels, seed=seed
            )
            for row in rows:
                data = WarpIRData(
                    id=f"{config.config}/{row['id']}",
                    name=row["kernel_name"],
                    prompt=row["prompt"],
                    config=config.config,
                    row={name: row[name] for name in NEEDED},
                    completion=row["completion"],
                )
                yield WarpIRTask(data, config.task)
