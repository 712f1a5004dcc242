"""The benchmark as a task of Inspect AI: ``inspect eval warp_ir_dataset/warp_ir -T config=cuda --model ...``.

Inspect finds it by its entry point, which is why Inspect is imported here at the top; nothing else of the
package imports this module.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

# mypy skips Inspect, which [dev] does not install: its decorators have no types, hence the ignores.
import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, grouped, scorer, stderr
from inspect_ai.solver import TaskState, generate

from .api import load
from .builds.request import DEFAULT_KERNELS, DEFAULT_SEED
from .common.configs import CONFIGS, DEFAULT_CONFIG
from .common.errors import UserError
from .evaluation.evaluate import check_known, rows_of
from .judge.question import NEEDED
from .rewards import verdict


@task  # type: ignore[untyped-decorator]
def warp_ir(
    config: str = DEFAULT_CONFIG,
    split: str = "test",
    data: str | None = None,
    num_kernels: int = DEFAULT_KERNELS,
    seed: int = DEFAULT_SEED,
) -> Task:
    """Make the task: rows of a split, and the judge as scorer, with 1 for a right answer and 0 for another.

    Args:
        config: Config of the rows; not ``handwritten``.
        split: Split of the rows.
        data: A folder that ``warp-ir build`` wrote; if None, rows are made as `load` makes them.
        num_kernels: Without `data`: rows of all splits together.
        seed: Without `data`: each seed gives other kernels.

    Returns:
        The task.

    Raises:
        UserError: If there are no such rows, and for ``handwritten``, whose rows have two scores.
    """
    check_known(config, split)
    if not CONFIGS[config].drawn:
        raise UserError(f"rows of {config} have two scores: warp-ir score --config {config} prints both")
    if data is not None:
        rows = list(rows_of(Path(data), config, split, ["prompt"]).values())
    else:
        rows = list(load(config, split, streaming=True, num_kernels=num_kernels, seed=seed))
    samples = [
        Sample(
            id=row["id"],
            input=row["prompt"],
            metadata={name: row[name] for name in (*NEEDED, "difficulty")} | {"config": config},
        )
        for row in rows
    ]
    return Task(dataset=MemoryDataset(samples, name=f"{config}-{split}"), solver=generate(), scorer=judge())


@scorer(metrics=[accuracy(), stderr(), grouped(accuracy(), "difficulty")])  # type: ignore[untyped-decorator]
def judge() -> Scorer:
    """Make the scorer, which compiles and runs an answer on hidden inputs.

    What cannot be judged has no score.

    Returns:
        The scorer.
    """

    async def score(state: TaskState, target: Target) -> Score:
        row: dict[str, Any] = state.metadata
        text = state.output.completion
        found = await anyio.to_thread.run_sync(lambda: verdict(row, text, config=row["config"]))
        if found.value is None:
            return Score.unscored(explanation=found.feedback)
        return Score(value=found.value, answer=text, explanation=f"{found.status.value}: {found.feedback}")

    return score
