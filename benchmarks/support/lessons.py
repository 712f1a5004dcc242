"""Rows of builds become what `learning.py` trains on and asks: tokens, in a folder that is easily carried.

A kernel of the training split has one number in all tasks, so that as many rows are drawn of each. Questions
are test rows of purposes that no training row has, and twins of human-written kernels. Needs `tokenizers`, of
the extra ``[train]``.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers, trainers
from tqdm import tqdm

from warp_ir_dataset.builds.output.manifest import read_manifest
from warp_ir_dataset.common.configs import CONFIGS

TASKS = ("warp_to_cuda", "cpu", "spec_to_warp")
PEOPLE = "handwritten"
END, ANSWER = "<|end|>", "<|answer|>"
# Names are cut into words, the same tokens wherever they stand but for a space before them; numbers, three
# digits at a time. A line's break goes with its indentation. What Warp writes around the numbers of its
# variables is one piece, as a row of `cpu` has little else.
PIECES = (
    r"\n[ \t]*"
    r"|[^\n\dA-Za-z_]*wp::[a-z_]+(?:8|16|32|64)?[^\n\dA-Za-z_]*(?:var_)?"
    r"|[^\n\dA-Za-z_]*var_"
    r"|\d{1,3}"
    r"| ?[A-Za-z]+_?"
    r"|[^\nA-Za-z\d]+"
)
LEARNED = 4000  # kernels whose rows the tokenizer is learned from
AT_ONCE = 512


@dataclass(frozen=True)
class Lesson:
    """A row to train on, or to ask for: `file` names the answers to questions of its kind, `group` what is
    one draw of them, a purpose or a kernel."""

    id: str
    task: str
    prompt: str
    completion: str
    file: str = ""
    group: str = ""


def prepare(
    folder: Path,
    builds: Sequence[Path],
    people: Path | None,
    context: int,
    vocabulary: int,
    questions: int,
) -> None:
    """Write what `learning.py train` reads. The same builds give the same bytes."""
    known: set[str] = set()
    rows = list(training(builds, known))
    asked = [*held_out(builds[0], known, questions), *(twins(people) if people else ())]
    write(folder, rows, asked, context, vocabulary)


def training(builds: Sequence[Path], known: set[str]) -> Iterator[Lesson]:
    """Training rows, each once; their purposes are added to the `known` ones."""
    seen = set()
    for build in builds:
        for task in TASKS:
            for row in _rows(build, task, "train", ["purpose"]):
                known.add(row["purpose"])
                if (task, row["id"]) not in seen:
                    seen.add((task, row["id"]))
                    yield Lesson(row["id"], task, row["prompt"], row["completion"])


def held_out(build: Path, known: set[str], most: int) -> Iterator[Lesson]:
    """At most so many test rows of each task whose purpose is none of these, chosen by their ids."""
    for task in TASKS:
        rows = [
            row for row in _rows(build, task, "test", ["purpose"]) if row["purpose"] not in {None, *known}
        ]
        for row in sorted(rows, key=lambda row: hashlib.sha256(row["id"].encode()).digest())[:most]:
            yield Lesson(row["id"], task, row["prompt"], row["completion"], f"{task}.jsonl", row["purpose"])


def twins(build: Path) -> Iterator[Lesson]:
    """The twins of human-written kernels, in each task in which they were proved."""
    rows = list(_rows(build, PEOPLE, "test", ["prompts", "completions", "twin_of"]))
    for task in TASKS:
        for row in rows:
            if row["twin_of"] is not None and row["prompts"][task] is not None:
                texts = row["prompts"][task], row["completions"][task]
                yield Lesson(row["id"], task, *texts, f"{PEOPLE}-{task}.jsonl", row["id"])


def _rows(build: Path, config: str, split: str, more: Sequence[str]) -> Iterator[dict[str, Any]]:
    manifest, _ = read_manifest(build)
    for name, entry in manifest["configs"].get(config, {"files": {}})["files"].items():
        if entry["split"] == split:
            columns = ["id", "prompt", "completion", *more]
            yield from pq.read_table(build / name, columns=columns, partitioning=None).to_pylist()


def write(
    folder: Path, rows: Sequence[Lesson], asked: Sequence[Lesson], context: int, vocabulary: int
) -> None:
    """Tokens of rows and questions that the context holds whole, and how many it does not.

    Raises `SystemExit` without any row to train on, and for a vocabulary that has no room for all bytes.
    """
    numbers = {id: number for number, id in enumerate(sorted({row.id for row in rows}))}
    tokenizer = learned([row for row in rows if numbers[row.id] < LEARNED], vocabulary)
    (end,), (answer,) = (tokenizer.encode(text).ids for text in (END, ANSWER))
    left_out: Counter[str] = Counter()
    longest: Counter[str] = Counter()
    found: list[tuple[Lesson, list[int], list[int]]] = []
    questions: list[tuple[Lesson, list[int]]] = []
    with tqdm(total=len(rows) + len(asked), unit="row", disable=None) as bar:
        for row, asks, says in _encoded(tokenizer, rows, bar):
            asks, says = [*asks, answer], [*says, end]
            if len(asks) + len(says) > context:
                left_out[row.task] += 1
                continue
            longest[row.task] = max(longest[row.task], len(says))
            found.append((row, asks, says))
        if not found:
            raise SystemExit(f"no row fits into {context} tokens")
        for row, asks, says in _encoded(tokenizer, asked, bar):
            if len(asks) + len(says) + 2 > context:
                left_out[row.file] += 1
                continue
            questions.append((row, [*asks, answer]))
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        folder / "tokens.npz",
        rows=_joined([[*asks, *says] for _, asks, says in found]),
        lengths=np.array([len(asks) + len(says) for _, asks, says in found], dtype=np.int32),
        firsts=np.array([len(asks) for _, asks, _ in found], dtype=np.int32),
        kernels=np.array([numbers[row.id] for row, _, _ in found], dtype=np.int32),
        tasks=np.array([TASKS.index(row.task) for row, _, _ in found], dtype=np.uint8),
        asked=_joined([asks for _, asks in questions]),
        asked_lengths=np.array([len(asks) for _, asks in questions], dtype=np.int32),
    )
    told = {
        "context": context,
        "end": end,
        "kernels": len(numbers),
        "tasks": list(TASKS),
        "left_out": {task: left_out[task] for task in TASKS if left_out[task]},
        "questions": [
            # As long as the longest answer that was shown, where the context has room for it.
            {"id": row.id, "task": row.task, "file": row.file, "group": row.group}
            | {"limit": min(longest[row.task] or context, context - len(asks))}
            for row, asks in questions
        ],
        "vocabulary": _vocabulary(tokenizer),
    }
    (folder / "prepared.json").write_text(json.dumps(told), encoding="utf-8")
    tokenizer.save(str(folder / "tokenizer.json"))
    print(_told(rows, found, questions, left_out, folder))


def _encoded(
    tokenizer: Tokenizer, rows: Sequence[Lesson], bar: Any
) -> Iterator[tuple[Lesson, list[int], list[int]]]:
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        asks = tokenizer.encode_batch_fast([row.prompt for row in some])
        says = tokenizer.encode_batch_fast([row.completion for row in some])
        yield from ((row, ask.ids, say.ids) for row, ask, say in zip(some, asks, says, strict=True))
        bar.update(len(some))


def learned(rows: Sequence[Lesson], vocabulary: int) -> Tokenizer:
    """Byte-level pairs. A prompt's first paragraph, the same in all prompts of a task, is one token."""
    told = [CONFIGS[task].instruction for task in TASKS]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    if not len(alphabet) + len(told) + 2 < vocabulary <= 65_536:
        raise SystemExit(f"a vocabulary of {vocabulary} has no room for all bytes, or none in 16 bits")
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(PIECES), "isolated")
    levels = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, levels])
    special = [AddedToken(text, special=True, normalized=False) for text in (END, ANSWER, *told)]
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, initial_alphabet=alphabet, special_tokens=special, show_progress=False
    )
    texts = (row.prompt.removeprefix(CONFIGS[row.task].instruction) + row.completion for row in rows)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def _vocabulary(tokenizer: Tokenizer) -> list[str]:
    """The bytes of all tokens, as text in which each byte is a letter (latin-1): what joins them has no
    tokenizer."""
    # Bytes that are no printable letter are written as those from 256 on, in their order.
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printed]
    letters = {chr(byte): byte for byte in printed} | {chr(256 + n): byte for n, byte in enumerate(others)}
    special = set(tokenizer.get_added_tokens_decoder())
    named = sorted((number, name) for name, number in tokenizer.get_vocab().items())
    found = [
        name.encode() if n in special else bytes(letters[letter] for letter in name) for n, name in named
    ]
    return [data.decode("latin-1") for data in found]


def _joined(rows: Sequence[Sequence[int]]) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.uint16), *(np.array(row, dtype=np.uint16) for row in rows)])


def _told(
    rows: Sequence[Lesson],
    found: Sequence[tuple[Lesson, list[int], list[int]]],
    questions: Sequence[tuple[Lesson, list[int]]],
    left_out: Counter[str],
    folder: Path,
) -> str:
    lines = []
    for task in TASKS:
        lengths = [len(asks) + len(says) for row, asks, says in found if row.task == task]
        of_task = sum(row.task == task for row in rows)
        median = f", median {int(np.median(lengths)):,} tokens" if lengths else ""
        lines.append(f"{task}: {len(lengths):,} of {of_task:,} rows fit{median}")
    fitting = Counter(row.file for row, _ in questions)
    for file in sorted({*fitting, *left_out} - {*TASKS}):
        lines.append(f"{file}: {fitting[file]:,} questions fit, {left_out[file]:,} do not")
    size = sum(path.stat().st_size for path in folder.iterdir())
    total = sum(len(asks) + len(says) for _, asks, says in found)
    return "\n".join([*lines, f"{total:,} tokens in {folder}, {size / 1e6:.1f} MB"])
