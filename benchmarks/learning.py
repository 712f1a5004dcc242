"""What a small model learns from rows: bits per byte of code it has not seen, given the prompt.

    python benchmarks/learning.py OUT --rows ROWS/cuda/train-*.parquet --judge ROWS/handwritten \\
        --sizes 300 600 1200 2400 --seeds 0 1 2
    python benchmarks/learning.py OUT --rows ... --judge ... --sizes 1200 --without vector,matrix math

Each run trains a transformer and its tokenizer from nothing on `size` rows, on the same budget of tokens
whatever the rows, and judges it on each `--judge`, called by its folder's name. A compressor that is given
twenty rows (`--given`) and the prompt is what to beat. Runs are lines of OUT/runs.jsonl and their models
files of OUT/models: what is there is not done again, so an interrupted table is resumed by the same command,
and another judge trains nothing. The table shows all lines of OUT that were trained and judged alike.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch
from support.learned_table import tables
from support.row_texts import Row, common_lines, draw, fingerprint, read_rows, sizes_of, uncommented
from support.small_model import Judged, Setting, judge, save, saved, trained
from tqdm import tqdm


@dataclass(frozen=True)
class Run:
    """What is drawn from the rows, and who reads it: a model of this setting, or a compressor without one."""

    rows: str  # their fingerprint
    size: int
    seed: int
    without: tuple[str, ...] = ()
    setting: Setting | None = None

    @property
    def key(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


class Record:
    """The lines of a folder, by run and judge. Several processes may add to one folder."""

    def __init__(self, folder: Path) -> None:
        (folder / "models").mkdir(parents=True, exist_ok=True)
        self._folder, self._file = folder, folder / "runs.jsonl"

    @property
    def lines(self) -> list[dict[str, Any]]:
        if not self._file.exists():
            return []
        return list(map(json.loads, self._file.read_text(encoding="utf-8").splitlines()))

    def holds(self, run: Run, judged: str) -> bool:
        return any(line["key"] == run.key and line["judged"] == judged for line in self.lines)

    def add(self, line: dict[str, Any]) -> None:
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def model(self, run: Run) -> Path:
        return self._folder / "models" / f"{run.key}.pt"


def planned(options: argparse.Namespace, rows: Sequence[Row], setting: Setting) -> list[Run]:
    """All runs that the options ask for: the compressor's first, then models, seed by seed."""
    told = fingerprint(rows)
    left_out = [tuple(group.split(",")) for group in options.without] or [()]
    runs = [Run(told, given, seed) for given in options.given for seed in options.seeds]
    return runs + [
        Run(told, size, seed, without, setting)
        for seed in options.seeds
        for without in left_out
        for size in options.sizes
    ]


def primed(given: Sequence[Row], judged: Sequence[Row], common: frozenset[str]) -> Iterator[Judged]:
    """What each completion adds to a compressed text of the given rows and its prompt, in two numbers: what
    it costs without its comments, and what these add."""
    before = "".join(row.text for row in given)
    for row in judged:
        asked = before + row.prompt
        none, code, all = (
            _packed(asked + text) for text in ("", uncommented(row.completion, common), row.completion)
        )
        yield Judged(row, sizes_of(row.completion, common), (8.0 * (all - code), 8.0 * (code - none)))


def _packed(text: str) -> int:
    data = text.encode()
    # A window over all of it, and no larger: the time goes into setting that up.
    whole = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": max(4096, len(data))}
    return len(lzma.compress(data, lzma.FORMAT_RAW, filters=[whole]))


@dataclass(frozen=True)
class Judge:
    """Rows that are not trained on, under the name of their folder."""

    name: str
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, paths: Sequence[Path]) -> Judge:
        first = paths[0].resolve()
        return cls((first if first.is_dir() else first.parent).name, read_rows(paths))


def line_of(run: Run, judge: Judge, read: int, found: Sequence[Judged]) -> dict[str, Any]:
    kernels = [
        {
            "id": one.row.id,
            "category": one.row.category,
            "twin": one.row.twin,
            "bytes": one.bytes,
            "bits": one.bits and [round(bits, 2) for bits in one.bits],
        }
        for one in found
    ]
    told = {"key": run.key, "judge": judge.name, "judged": fingerprint(judge.rows), "run": asdict(run)}
    return told | {"read": read, "kernels": kernels}


def do(run: Run, rows: Sequence[Row], judges: Sequence[Judge], record: Record, bar: Any, device: str) -> None:
    """Train, or find what was trained, and judge where no line says what came of it."""
    missing = [judge for judge in judges if not record.holds(run, fingerprint(judge.rows))]
    drawn = draw(rows, run.size, run.seed, run.without)
    if missing and run.setting:
        path = record.model(run)
        if path.exists():
            codec, model, read = saved(path, run.setting, device)
        else:
            codec, model, read = trained(drawn, run.setting, run.seed, device, bar.update)
            save(path, codec, model, read)
    for judged in missing:
        common = common_lines(judged.rows)
        if run.setting:
            found = list(judge(codec, model, judged.rows, common))
        else:
            read, found = run.size, list(primed(drawn, judged.rows, common))
        record.add(line_of(run, judged, read, found))


def work_of(run: Run, judges: Sequence[Judge], record: Record) -> int:
    """Tokens that are still to be read, for the bar."""
    done = all(record.holds(run, fingerprint(judge.rows)) for judge in judges)
    return 0 if done or not run.setting or record.model(run).exists() else run.setting.budget


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    torch.set_num_threads(options.threads)
    names = {field.name for field in fields(Setting)}
    setting = Setting(**{name: value for name, value in vars(options).items() if name in names})
    rows, judges = read_rows(options.rows), [Judge.of(paths) for paths in options.judge]
    if {row.text for row in rows} & {row.text for judge in judges for row in judge.rows}:
        raise SystemExit("a row that is judged is among those to train on")
    record, runs = Record(options.folder), planned(options, rows, setting)
    total = sum(work_of(run, judges, record) for run in runs)
    with tqdm(total=total, unit="tok", unit_scale=True, disable=None) as bar:
        for run in runs:
            bar.set_description(f"{run.size} rows, seed {run.seed}")
            do(run, rows, judges, record, bar, options.device)
    told, alike = fingerprint(rows), (None, asdict(setting))  # a compressor has no setting
    judged = {fingerprint(judge.rows) for judge in judges}
    lines = [line for line in record.lines if line["run"]["rows"] == told and line["judged"] in judged]
    print("\n\n".join(tables([line for line in lines if line["run"]["setting"] in alike])))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="OUT", help="where runs and models are kept")
    parser.add_argument(
        "--rows", type=Path, nargs="+", required=True, help="Parquet, JSON lines, or folders of them"
    )
    parser.add_argument(
        "--judge", type=Path, nargs="+", action="append", required=True, help="the same; each is judged apart"
    )
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[300, 600, 1200, 2400], help="rows of a model"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--given", type=int, nargs="*", default=[20], help="rows of a compressor")
    parser.add_argument(
        "--without",
        nargs="+",
        default=[],
        metavar="FAMILIES",
        help="left out, several with commas: a run each",
    )
    for field in fields(Setting):
        if field.type == "bool":
            parser.add_argument(f"--{field.name}", action="store_true", help="train in it")
        else:
            kind = {"int": int, "float": float}[str(field.type)]
            parser.add_argument(f"--{field.name}", type=kind, default=field.default)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    return parser


if __name__ == "__main__":
    main()
