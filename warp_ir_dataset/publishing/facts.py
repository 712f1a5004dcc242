"""Measures a built folder: every number that its card and its report show.

All of it is read from the Parquet files, and what rows cannot tell (how many candidates were tried, what
they failed) from the manifest. Nothing is kept from one measurement to the next.

Time grows with the rows and no faster, and memory by some hundred bytes a row: of a large build, near
duplicates are those of a sample (`COMPARED`, `REMOVED`).
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from ..builds.check.shape import holds_rows
from ..builds.output.manifest import read_manifest
from ..builds.row import schema
from ..common.configs import CONFIGS, SPLITS
from ..common.errors import UserError
from ..common.files import inside
from .contamination import Contamination, Neighbour, Source
from .similarity import THRESHOLDS, Nearest, Vocabulary, chosen, survivors

TEXTS = ("python_source", "prompt", "completion", "ptx")
HELD_OUT = ("validation", "test")
SOON = 5.0  # seconds, within which a bar is no help
AT_ONCE = 250  # rows that become Python's objects, which take ten times the memory
# Comparing a row costs half a millisecond for every row of train; removing near duplicates takes half a
# minute.
COMPARED = 2_000  # rows of a held-out split, at most, that are compared with train
REMOVED = 100_000  # rows of a config, at most, of which near duplicates are removed

_COLUMNS = ["id", "skeleton", "category", "difficulty", *TEXTS, "arguments", "builtins", "checks"]
_COLUMNS += ["kernel_name", "twin_of"]
_INSTRUCTION = re.compile(r"^\t(?:@!?%p\d+ )?([a-z]\w*)(?=[. ;\t])", re.MULTILINE)
_VERSION = re.compile(r"^\.version (\S+)", re.MULTILINE)
_TARGET = re.compile(r"^\.target (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Lengths:
    """How long a column's texts are: int32 arrays, one number per row; null texts are left out."""

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
    ids: Mapping[str, np.ndarray]  # by split; of bytes, each once, in order
    skeletons: Mapping[str, np.ndarray]  # by split; the same
    # Held-out split -> id -> similarity to the nearest train row; of collected kernels, that of any config.
    # All ids of the split, or `COMPARED` of them.
    nearest: Mapping[str, Mapping[str, float]]
    removed: int  # rows that `survivors` are some of: all, or `REMOVED`
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


def grouped(configs: Iterable[ConfigFacts]) -> list[list[ConfigFacts]]:
    """The configs in groups: those of a group have the same rows by family and difficulty."""
    groups: dict[tuple[object, ...], list[ConfigFacts]] = {}
    for config in configs:
        groups.setdefault(tuple(config.cells.items()), []).append(config)
    return list(groups.values())


@dataclass(frozen=True)
class Facts:
    """What `report` measures of a build.

    Attributes:
        folder: The build.
        manifest: Its manifest.
        manifest_sha256: The manifest's SHA-256.
        configs: Figures of each config that has rows, by name.
        contamination: For handwritten kernels, the nearest rows of other configs, the nearest first.
    """

    folder: Path
    manifest: Mapping[str, Any]
    manifest_sha256: str
    configs: Mapping[str, ConfigFacts]
    contamination: tuple[Neighbour, ...] = ()  # of collected kernels, the nearest first

    @property
    def sampled(self) -> bool:
        """Whether some held-out rows were not compared with train."""
        return any(len(c.nearest[split]) < c.rows[split] for c in self.configs.values() for split in HELD_OUT)

    @property
    def thinned(self) -> bool:
        """Whether near duplicates were removed from a part of some config only."""
        return any(config.removed < config.total for config in self.configs.values())


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
        kernels = [k for name, entry in entries.items() for k in _collected(folder, name, entry, vocabulary)]
        near = Contamination(kernels)
        configs = {name: _config(folder, name, e, vocabulary, near, bar) for name, e in entries.items()}
    found = near.found()
    of_kernels = {each.kernel.id: each.similarity for each in found}
    for config in configs.values():
        if not CONFIGS[config.name].drawn:
            cast("dict[str, float]", config.nearest["test"]).update(of_kernels)
    return Facts(folder, manifest, digest, configs, found)


def _steps(entry: Mapping[str, Any]) -> int:
    """How far the bar goes for a config: each row is read, and some are compared for every threshold."""
    rows = sum(file["rows"] for file in entry["files"].values())
    steps: int = rows + len(THRESHOLDS) * min(rows, REMOVED)
    return steps


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


def _collected(folder: Path, name: str, entry: Mapping[str, Any], vocabulary: Vocabulary) -> Iterator[Source]:
    """The sources of a handwritten config's rows, which are few; nothing for other configs."""
    if CONFIGS[name].drawn:
        return
    for _, table in shards(folder, entry["files"], ["id", "kernel_name", "python_source"]):
        for id, kernel, source in zip(*(column.to_pylist() for column in table.columns), strict=True):
            yield Source(id, kernel, vocabulary.encode(source))


def _config(
    folder: Path,
    name: str,
    entry: Mapping[str, Any],
    vocabulary: Vocabulary,
    near: Contamination,
    bar: tqdm[NoReturn],
) -> ConfigFacts:
    held_out = _held_out(folder, entry["files"], vocabulary)
    compared = Nearest([source for rows in held_out.values() for source in rows.values()])
    tally = _Tally(vocabulary, compared, near, _sample(folder, entry["files"], REMOVED))
    for split, table in shards(folder, entry["files"], [c for c in _COLUMNS if c in schema(name).names]):
        for at in range(0, table.num_rows, AT_ONCE):
            tally.add(split, some := table.slice(at, AT_ONCE))
            bar.update(some.num_rows)
    similarities = iter(compared.similarities)
    nearest = {split: dict(zip(rows, similarities)) for split, rows in held_out.items()}  # noqa: B905
    left = {threshold: len(survivors(tally.grams, threshold, bar.update)) for threshold in THRESHOLDS}
    files = entry["files"].values()
    lengths = {column: _lengths(rows) for column, rows in tally.lengths.items()}
    return ConfigFacts(
        name=name,
        rows=tally.rows,
        stored=sum(file["bytes"] for file in files),
        memory={split: sum(f["num_bytes"] for f in files if f["split"] == split) for split in SPLITS},
        cells=dict(sorted(tally.cells.items())),
        types=tally.types,
        builtins=tally.builtins,
        calls=np.array(tally.calls),
        lengths=lengths,
        pair_tokens=lengths["prompt"].tokens + lengths["completion"].tokens,
        instructions=tally.instructions,
        instruction_rows=tally.instruction_rows,
        ptx_versions=tally.ptx_versions,
        ptx_targets=tally.ptx_targets,
        ids={split: _each_once(ids) for split, ids in tally.ids.items()},
        skeletons={split: _each_once(skeletons) for split, skeletons in tally.skeletons.items()},
        nearest=nearest,
        removed=len(tally.grams),
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

    def __init__(
        self, vocabulary: Vocabulary, compared: Nearest, near: Contamination, removed: Iterator[bool]
    ) -> None:
        self.vocabulary = vocabulary
        self.compared = compared
        self.near = near
        self.removed = removed
        self.grams: list[np.ndarray] = []  # of the rows that are `removed`, if they are near an earlier one
        self.rows: dict[str, int] = dict.fromkeys(SPLITS, 0)
        self.ids: dict[str, list[np.ndarray]] = {split: [] for split in SPLITS}
        self.skeletons: dict[str, list[np.ndarray]] = {split: [] for split in SPLITS}
        self.lengths: dict[str, list[np.ndarray]] = {column: [] for column in TEXTS}
        self.calls = array("i")
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
        self.rows[split] += table.num_rows
        self.ids[split].append(np.array(columns["id"], dtype="S"))
        self.skeletons[split].append(np.array(columns["skeleton"], dtype="S"))
        self.cells.update(zip(columns["category"], columns["difficulty"], strict=True))
        for column in TEXTS:
            found = [measures(text) for text in columns.get(column, ()) if text is not None]
            self.lengths[column].append(np.array(found, dtype=np.int32).reshape(-1, 3))
        self._sources(columns, split == "train")
        for arguments in columns["arguments"]:
            self.types.update({argument["type"] for argument in arguments})
        for builtins in columns["builtins"]:
            self.builtins.update(builtins)
            self.calls.append(len(builtins))
        for ptx in columns.get("ptx", ()):
            self._ptx(ptx or "")
        for checks in columns["checks"]:
            self._checks(checks, table.schema.field("checks").type)

    def _sources(self, columns: Mapping[str, Sequence[Any]], train: bool) -> None:
        for id, name, source in zip(
            *(columns[c] for c in ("id", "kernel_name", "python_source")), strict=True
        ):
            if next(self.removed):
                grams = self.vocabulary.encode(source)
                self.grams.append(grams)
                size = len(grams)
            elif train:
                grams, size = self.vocabulary.known(source)
            if train:
                self.compared.see(grams, size)
                if "twin_of" not in columns:
                    self.near.see(id, name, grams, size)

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


def _each_once(tables: Sequence[np.ndarray]) -> np.ndarray:
    return np.unique(np.concatenate([*tables, np.empty(0, dtype="S1")]))


# ---- near duplicates


def _held_out(
    folder: Path, files: Mapping[str, Mapping[str, Any]], vocabulary: Vocabulary
) -> dict[str, dict[str, np.ndarray]]:
    """The rows that are compared with train, by split and id."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for split in HELD_OUT:
        own = {name: file for name, file in files.items() if file["split"] == split}
        wanted = _sample(folder, own, COMPARED)
        found[split] = {
            id: vocabulary.encode(source)
            for _, table in shards(folder, own, ["id", "python_source"])
            for id, source in zip(*(column.to_pylist() for column in table.columns), strict=True)
            if next(wanted)
        }
    return found


def _sample(folder: Path, files: Mapping[str, Mapping[str, Any]], most: int) -> Iterator[bool]:
    """For each row of some files, in order, whether it is one of `most`."""
    if sum(file["rows"] for file in files.values()) <= most:
        return repeat(True)
    tables = shards(folder, files, ["id"])
    return iter(chosen((id for _, table in tables for id in table["id"].to_pylist()), most).tolist())


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


def _lengths(tables: Sequence[np.ndarray]) -> Lengths:
    return Lengths(*np.concatenate([*tables, np.empty((0, 3), dtype=np.int32)]).T)
