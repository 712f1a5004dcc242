"""Two scores on kernels that people wrote: of the originals, which models may have seen, and of their twins.

    python examples/judge.py ANSWERS.jsonl           one line {"id": ..., "completion": ...} for each row
    python examples/judge.py ANSWERS.jsonl --task cpu

An answer is right if its code is what is expected, comments and layout aside. Only originals that have a twin
count, so that both scores are of the same kernels; an answer that is missing is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from datasets import load_dataset

from warp_ir_dataset import strip_comments
from warp_ir_dataset.common.configs import CONFIGS, whole_tasks
from warp_ir_dataset.evaluation.predictions import read_predictions
from warp_ir_dataset.judge.answers import code_of, wanted


def is_right(row: Mapping[str, Any], task: str, code: str) -> bool:
    expected: str = row["completions"][task]
    return strip_comments(code).split() == strip_comments(expected).split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("answers", type=Path, help="JSON lines, as warp-ir score reads them")
    parser.add_argument("--task", default="cuda", choices=[task.name for task in whole_tasks()])
    parser.add_argument(
        "--data", default="./warp_ir_dataset", help="a folder or repository with `handwritten`"
    )
    options = parser.parse_args()
    if not options.answers.is_file():
        parser.error(f"there is no file {options.answers}")
    try:
        rows = load_dataset(options.data, "handwritten", split="test")
        answers = read_predictions(options.answers, set(rows["id"]), f"handwritten in {options.data}")
    except (OSError, ValueError) as error:  # what `datasets` says, and what we say, of wrong input
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    task, names = CONFIGS[options.task], dict(zip(rows["id"], rows["kernel_name"], strict=True))
    codes = {answer.id: code_of(answer.text, wanted(task, names[answer.id])) for answer in answers}
    asked = {row["id"]: row for row in rows if row["completions"][options.task] is not None}
    pairs = [(asked[row["twin_of"]], row) for row in asked.values() if row["twin_of"] in asked]
    for what, judged in (("originals", [pair[0] for pair in pairs]), ("twins", [pair[1] for pair in pairs])):
        right = sum(is_right(row, options.task, codes.get(row["id"], "")) for row in judged)
        print(f"{what}: {right} of {len(judged)} right")


if __name__ == "__main__":
    main()
