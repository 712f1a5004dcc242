"""What a built folder holds, measured: every number that its card and its report show.

All of it is read from the Parquet files, and what rows cannot tell (how many candidates were tried, what
they failed) from the manifest. Nothing is kept from one measurement to the next.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from ..builds.check.shape import holds_rows
from ..builds.output.manifest import read_manifest
from ..builds.row import schema
from ..common.configs import SPLITS
from ..common.errors import UserError
from ..common.files import inside
from .contamination import Neighbour, Source, contamination
from .similarity import THRESHOLDS, Corpus, Vocabulary, survivors

TEXTS = ("python_source", "prompt", "completion", "ptx")
HELD_OUT = ("validation", "test")
SOON = 5.0  # seconds, within which a bar is no help

_COLUMNS = ["id", "skeleton", "category", "difficulty", *TEXTS, "arguments", "builtins", "checks"]
_COLUMNS += ["kernel_name", "twin_of"]
_INSTRUCTION = re.compile(r"^\t(?:@!?%p\d+ )?([a-z]\w*)(?=[. ;\t])", re.MULTILINE)
_VERSION = re.compile(r"^\.version (\S+)", re.MULTILINE)
_TARGET = re.compile(r"^\.target (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Lengths:
    """How long a column's texts are: int64 arrays, one number per row; null texts are left out."""

    lines: np.ndarray
    characters: np.ndarray
    tokens: np.ndarray


@dataclass(frozen=True)
class ConfigFacts:
    """One config. Counters count rows unless they say otherwise."""

    name: str
    rows: Mapping[str, int]  # by split
    stored: int  # bytes of its files
    memory: Mapping[str, int]  # uncompressed bytes, by split
    cells: Mapping[tuple[str, int | None], int]  # by family and difficulty, which collected kernels have not
    types: Counter[str]  # with an argument of that type
    builtins: Counter[str]  # that call it
    calls: np.ndarray  # how many different built-ins a row calls
    lengths: Mapping[str, Lengths]  # by column
    pair_tokens: np.ndarray  # prompt and completion together
    instructions: Counter[str]  # PTX instructions, all of them counted
    instruction_rows: Counter[str]  # that use the PTX instruction
    ptx_versions: Counter[str]
    ptx_targets: Counter[str]
    ids: Mapping[str, frozenset[str]]  # by split
    skeletons: Mapping[str, frozenset[str]]  # by split
    # Held-out split -> id -> similarity to the nearest train row; of collected kernels, that of any config.
    nearest: Mapping[str, Mapping[str, float]]
    survivors: Mapping[float, int]  # threshold -> rows left when near duplicates are removed
    passed: Counter[str]  # by proof
    errors: Mapping[str, float]  # the largest measured, by proof
    draws: int | None  # None where the manifest does not know, as for rows that were not built here
    duplicates: int
    barred: int
    rejections: Counter[str]  # candidates, by reason

    @property
    def total(self) -> int:
        return sum(self.rows.values())

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(family for family, _ in self.cells))

    @property
    def levels(self) -> list[int]:
        """Difficulties; none of what was collected."""
        return sorted({level for _, level in self.cells if level is not None})

    def of_family(self, family: str) -> int:
        """How many rows a family, or a topic, has."""
        return sum(rows for (of, _), rows in self.cells.items() if of == family)

    def near(self, split: str, threshold: float) -> int:
        """How many rows of a held-out split are as alike as `threshold` to a row of train."""
        return sum(similarity >= threshold for similarity in self.nearest[split].values())


@dataclass(frozen=True)
class Facts:
    folder: Path
    manifest: Mapping[str, Any]
    manifest_sha256: str
    configs: Mapping[str, ConfigFacts]
    contamination: tuple[Neighbour, ...] = ()  # of collected kernels, the nearest first


def measure(folder: Path, *, quiet: bool = False) -> Facts:
    """Measure a folder that `warp-ir build` wrote, with a bar where that takes long and nobody wants it
    `quiet`. Raises `UserError` where there is none, or not all.

    What lies there is taken as it is: a folder that comes from elsewhere wants `check` first.
    """
    manifest, digest = read_manifest(folder)
    entries = {name: entry for name, entry in manifest["configs"].items() if holds_rows(entry)}
    steps = sum(map(_steps, entries.values()))
    with tqdm(total=steps, desc="measuring", unit=" steps", delay=SOON, disable=quiet or None) as bar:
        vocabulary = Vocabulary()
        tallies = {name: _tally(folder, name, entry, vocabulary, bar) for name, entry in entries.items()}
        near = contamination(
            [source for tally in tallies.values() for source in tally.collected],
            [source for tally in tallies.values() for source in tally.train],
        )
        configs = {name: _config(name, entries[name], tally, near, bar) for name, tally in tallies.items()}
    return Facts(folder, manifest, digest, configs, near)


def _steps(entry: Mapping[str, Any]) -> int:
    """How far the bar goes for a config: each row is read, and compared for every threshold; one that is held
    out is compared with train as well."""
    files = entry["files"].values()
    held_out = sum(file["rows"] for file in files if file["split"] in HELD_OUT)
    return held_out + (1 + len(THRESHOLDS)) * sum(file["rows"] for file in files)


def shards(
    folder: Path, files: Mapping[str, Mapping[str, Any]], columns: Sequence[str] | None = None
) -> Iterator[tuple[str, pa.Table]]:
    """The split and the rows of each of a manifest's `files`, in order. Raises `UserError`."""
    for name in sorted(files, key=lambda name: (SPLITS.index(files[name]["split"]), name)):
        try:
            table = pq.read_table(inside(folder, name), columns=columns, partitioning=None)
        except (OSError, pa.ArrowException) as error:
            line = str(error).splitlines()[0]
            raise UserError(f"cannot read {folder / name}: {line}: build it again") from error
        yield files[name]["split"], table


# ---- one config


def _tally(folder: Path, name: str, entry: Mapping[str, Any], vocabulary: Vocabulary, bar: tqdm) -> _Tally:
    tally = _Tally(vocabulary)
    for split, table in shards(folder, entry["files"], [c for c in _COLUMNS if c in schema(name).names]):
        tally.add(split, table)
        bar.update(table.num_rows)
    return tally


def _config(
    name: str, entry: Mapping[str, Any], tally: _Tally, near: Sequence[Neighbour], bar: tqdm
) -> ConfigFacts:
    files = entry["files"].values()
    lengths = {column: _lengths(rows) for column, rows in tally.lengths.items()}
    nearest, left = _neighbours(tally.ids, tally.grams, bar)
    if tally.collected:
        nearest["test"] |= {each.kernel.id: each.similarity for each in near}
    return ConfigFacts(
        name=name,
        rows={split: len(tally.ids[split]) for split in SPLITS},
        stored=sum(file["bytes"] for file in files),
        memory={split: sum(f["num_bytes"] for f in files if f["split"] == split) for split in SPLITS},
        cells=dict(sorted(tally.cells.items())),
        types=tally.types,
        builtins=tally.builtins,
        calls=np.array(tally.calls, dtype=np.int64),
        lengths=lengths,
        pair_tokens=lengths["prompt"].tokens + lengths["completion"].tokens,
        instructions=tally.instructions,
        instruction_rows=tally.instruction_rows,
        ptx_versions=tally.ptx_versions,
        ptx_targets=tally.ptx_targets,
        ids={split: frozenset(ids) for split, ids in tally.ids.items()},
        skeletons={split: frozenset(skeletons) for split, skeletons in tally.skeletons.items()},
        nearest=nearest,
        survivors=left,
        passed=tally.passed,
        errors=tally.errors,
        draws=sum(entry["draws"].values()) if "draws" in entry else None,
        duplicates=sum(entry.get("duplicates", {}).values()),
        barred=sum(entry.get("barred", {}).values()),
        rejections=sum((Counter(file["rejections"]) for file in files), Counter()),
    )


class _Tally:
    """Counts the rows of one config, table by table."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.ids: dict[str, list[str]] = {split: [] for split in SPLITS}
        self.skeletons: dict[str, list[str]] = {split: [] for split in SPLITS}
        self.train: list[Source] = []
        self.collected: list[Source] = []
        self.grams: dict[str, list[np.ndarray]] = {split: [] for split in SPLITS}
        self.lengths: dict[str, list[tuple[int, int, int]]] = {column: [] for column in TEXTS}
        self.calls: list[int] = []
        self.cells: Counter[tuple[str, int]] = Counter()
        self.types: Counter[str] = Counter()
        self.builtins: Counter[str] = Counter()
        self.instructions: Counter[str] = Counter()
        self.instruction_rows: Counter[str] = Counter()
        self.ptx_versions: Counter[str] = Counter()
        self.ptx_targets: Counter[str] = Counter()
        self.passed: Counter[str] = Counter()
        self.errors: dict[str, float] = {}

    def add(self, split: str, table: pa.Table) -> None:
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        self.ids[split] += columns["id"]
        self.skeletons[split] += columns["skeleton"]
        self.cells.update(zip(columns["category"], columns["difficulty"], strict=True))
        for column in TEXTS:
            self.lengths[column] += [measures(text) for text in columns.get(column, ()) if text is not None]
        grams = [self.vocabulary.encode(source) for source in columns["python_source"]]
        self.grams[split] += grams
        sources = map(Source, columns["id"], columns["kernel_name"], grams)
        if "twin_of" in columns:
            self.collected += sources
        elif split == "train":
            self.train += sources
        for arguments in columns["arguments"]:
            self.types.update({argument["type"] for argument in arguments})
        for builtins in columns["builtins"]:
            self.builtins.update(builtins)
            self.calls.append(len(builtins))
        for ptx in columns.get("ptx", ()):
            self._ptx(ptx or "")
        for checks in columns["checks"]:
            self._checks(checks, table.schema.field("checks").type)

    def _ptx(self, ptx: str) -> None:
        used = Counter(_INSTRUCTION.findall(ptx))
        self.instructions += used
        self.instruction_rows.update(used.keys())
        self.ptx_versions.update(_VERSION.findall(ptx))
        self.ptx_targets.update(_TARGET.findall(ptx))

    def _checks(self, checks: Mapping[str, Any], struct: pa.StructType) -> None:
        for field in struct:
            value = checks[field.name]
            if value is None:
                continue
            if pa.types.is_boolean(field.type):
                self.passed[field.name] += value
            elif pa.types.is_list(field.type):
                self.passed[field.name] += bool(value)
            elif pa.types.is_floating(field.type):
                self.errors[field.name] = max(value, self.errors.get(field.name, 0.0))


def _neighbours(
    ids: Mapping[str, Sequence[str]], grams: Mapping[str, Sequence[np.ndarray]], bar: tqdm
) -> tuple[dict[str, dict[str, float]], dict[float, int]]:
    train = Corpus(grams["train"])
    nearest: dict[str, dict[str, float]] = {split: {} for split in HELD_OUT}
    for split, found in nearest.items():
        for id, source in zip(ids[split], grams[split], strict=True):
            found[id] = train.nearest(source)
            bar.update()
    everything = [source for split in SPLITS for source in grams[split]]
    return nearest, {threshold: len(survivors(everything, threshold, bar.update)) for threshold in THRESHOLDS}


# ---- lengths

_LETTER, _DIGIT, _BLANK, _SIGN = range(4)
_CLASSES = np.full(256, _SIGN, dtype=np.uint8)
for _kind, _signs in ((_BLANK, b" \t\n\r\f\v"), (_DIGIT, b"0123456789")):
    _CLASSES[list(_signs)] = _kind
# Whatever is beyond ASCII counts as a letter.
_CLASSES[[*range(65, 91), *range(97, 123), *range(128, 256)]] = _LETTER


def measures(text: str) -> tuple[int, int, int]:
    """Lines, characters and tokens of a text.

    Tokens are an estimate that needs no tokenizer: runs of letters (and of all that is beyond ASCII), runs of
    digits, single other signs, and white space of two characters or more.
    """
    lines = text.count("\n") + (not text.endswith("\n") and text != "")
    classes = _CLASSES[np.frombuffer(text.encode(), dtype=np.uint8)]
    if not classes.size:
        return lines, 0, 0
    starts = np.concatenate(([True], classes[1:] != classes[:-1]))
    blank = classes == _BLANK
    wide = np.count_nonzero(starts[:-1] & blank[:-1] & blank[1:])
    words = np.count_nonzero(starts & (classes < _BLANK))
    return lines, len(text), int(words + wide + np.count_nonzero(classes == _SIGN))


def _lengths(rows: Sequence[tuple[int, int, int]]) -> Lengths:
    return Lengths(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)
