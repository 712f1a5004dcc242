"""Two scores on kernels that people wrote: of the originals, which models may have seen, and of their twins.

    python examples/judge.py ANSWERS.jsonl           one line {"id": ..., "answer": ...} for each row
    python examples/judge.py ANSWERS.jsonl --task cpu

An answer is right if it is the code that is expected, comments and layout aside. Only originals that have a
twin count, so that both scores are of the same kernels; an answer that is missing is wrong.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from datasets import load_dataset

from warp_ir_dataset import strip_comments


def is_right(row: Mapping[str, Any], task: str, answer: str) -> bool:
    return strip_comments(answer).split() == strip_comments(row["completions"][task]).split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("answers", type=Path, help="JSON lines")
    parser.add_argument("--task", default="cuda", help="cpu, cuda (default), cuda_backward or warp_to_cuda")
    parser.add_argument(
        "--data", default="./warp_ir_dataset", help="a folder or repository with `handwritten`"
    )
    options = parser.parse_args()
    lines = map(json.loads, options.answers.read_text().splitlines())
    answers = {line["id"]: line["answer"] for line in lines}
    rows = load_dataset(options.data, "handwritten", split="test")
    asked = {row["id"]: row for row in rows if row["completions"][options.task] is not None}
    pairs = [(asked[row["twin_of"]], row) for row in asked.values() if row["twin_of"] in asked]
    for what, judged in (("originals", [pair[0] for pair in pairs]), ("twins", [pair[1] for pair in pairs])):
        right = sum(is_right(row, options.task, answers.get(row["id"], "")) for row in judged)
        print(f"{what}: {right} of {len(judged)} right")


if __name__ == "__main__":
    main()
