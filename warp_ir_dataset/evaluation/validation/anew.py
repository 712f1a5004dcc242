"""Makes stored rows again (draws, compiles and proves them) and compares the results with the files."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...builds.filling import BATCH_SIZE, module_size_of, ptx_modules
from ...builds.plan.plan import Candidate
from ...common.address import Address
from ...common.errors import UserError
from ...common.outcomes import Outcome, Rejected, Row
from ...workers.progress import Bar, Words
from .finding import Finding, judged, unproved
from .of_plan import left_out
from .part import Part
from .sandboxed import COMPILED, RUN, differences

DRAWN, REJECTIONS = "drawn", "rejections"
SANDBOXED = "each row's completion, in the sandbox, on the row's own examples"

# Whose a column is: of another check by name, and else of what is drawn.
_COLUMNS = {
    COMPILED: ("completion", "completions", "harness", "ptx", "arch"),
    RUN: ("examples", "checks", "coverage"),
    None: ("id", "skeleton", "group", "generator_version", "warp_version"),  # of_rows.py
}
_OWNER = {column: check for check, columns in _COLUMNS.items() for column in columns}
_WORDS = Words("rows", "to prove", "are proved")


@dataclass
class Made:
    """What came of making a config's rows anew: how many were compared, and what is wrong, by check; of
    candidates that a build left out, how many failed for which reason, by file, and which passed. Of rows of
    another version, how many were `left_out`, or why none could be run (`barred`)."""

    compared: int = 0
    left_out: int = 0
    barred: str | None = None
    wrong: dict[str, list[str]] = field(default_factory=lambda: {DRAWN: [], COMPILED: [], RUN: []})
    failed: dict[str, Counter[str]] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)


def drawn(part: Part) -> Finding:
    """Made anew at its address, a row has the same source, words, prompt and arguments."""
    return _finding(part, DRAWN)


def compiled(part: Part) -> Finding:
    """And the same code, and PTX."""
    return _finding(part, COMPILED)


def run(part: Part) -> Finding:
    """And the same examples, checks and coverage."""
    return _finding(part, RUN)


def rejections(part: Part) -> Finding:
    """What the manifest says of candidates that failed is so: how many of each file, and, unless rows are
    sampled, for which reason."""
    build = part.build
    if build.strange is not None:
        return unproved(REJECTIONS, part.name, "candidates", build.strange)
    if isinstance(part.plan, str):
        return unproved(REJECTIONS, part.name, "candidates", part.plan)
    wrong = []
    found = left_out(part, part.plan)
    for name, entry in part.files.items():
        said, missing = Counter(entry["rejections"]), len(found.get(name, ()))
        if said.total() != missing:
            wrong.append(f"{name}: {said.total()} failed by the manifest, {missing} by the plan")
        elif build.sample is None and +said != +_made(part).failed.get(name, Counter()):
            wrong.append(f"{name}: candidates failed for other reasons than the manifest says")
    if build.sample is None:
        wrong += _made(part).passed
    tried = sum(entry["rows"] for entry in part.files.values()) + sum(map(len, found.values()))
    return judged(REJECTIONS, part.name, tried, "candidates", wrong)


def _finding(part: Part, check: str) -> Finding:
    if part.build.strange is not None and check == DRAWN:
        return unproved(check, part.name, "rows", part.build.strange)
    if part.build.strange is None and isinstance(part.plan, str):
        return unproved(check, part.name, "rows", part.plan)
    made = _made(part)
    if part.build.strange is None:
        return judged(check, part.name, made.compared, "rows", made.wrong[check])
    if not made.compared:
        return unproved(check, part.name, "rows", made.barred or "no row's kernel can be read here")
    found = judged(check, part.name, made.compared, "rows", made.wrong[check])
    left_out = (f"{made.left_out:,} rows were left out: their kernels cannot be read here",)
    return replace(found, said=(SANDBOXED, *(left_out if made.left_out else ()), *found.said))


@functools.lru_cache(maxsize=1)
def _made(part: Part) -> Made:
    """All rows made again and compared, once for the three checks that use the result."""
    made = Made()
    count = sum(1 for _ in _wanted(part))
    with Bar(part.name, count, words=_WORDS, quiet=part.build.quiet) as bar:
        if part.build.strange is not None:
            _stored(part, made, bar)
        else:
            _anew(part, made, bar)
    return made


def _wanted(part: Part) -> Iterator[str]:
    return (row["id"] for _, rows in part.rows(["id"]) for row in rows if part.is_sampled(row))


# ---- by this version


@dataclass(frozen=True)
class _Tag:
    """What a batch is held against: a stored row for each candidate, or None for one that was left out."""

    file: str
    rows: tuple[Row | None, ...]


def _anew(part: Part, made: Made, bar: Bar) -> None:
    doubtful: dict[str, list[Row]] = {}
    for tag, outcomes in part.build.workshop(part.task(), _batches(part, made)):
        for row, outcome in zip(tag.rows, outcomes, strict=True):
            if row is not None:
                made.compared += 1
                _compare(tag.file, row, outcome, made, doubtful)
                bar.seen(None, {})
            elif isinstance(outcome, Rejected):
                made.failed.setdefault(tag.file, Counter())[outcome.reason.value] += 1
            else:
                made.passed.append(f"{tag.file}: {outcome['id']} passes, and is not there")
    # What else is in a module may change the order of instructions: made in its own, a row is what it was.
    again = part.build.workshop(part.task(), _whole_modules(part, doubtful)) if doubtful else ()
    for tag, outcomes in again:
        for row, outcome in zip(tag.rows, outcomes, strict=True):
            if row is not None:
                _compare(tag.file, row, outcome, made)


def _whole_modules(
    part: Part, doubtful: Mapping[str, list[Row]]
) -> Iterator[tuple[_Tag, Sequence[Candidate]]]:
    """Rows again, with all that became PTX together with them when they were built."""
    assert not isinstance(part.plan, str)
    for shard in part.plan.shards:
        module = ptx_modules(shard, module_size_of(part.config))
        for row in doubtful.get(file := f"{part.name}/{shard.name}", ()):
            address = part.address(row)
            assert address is not None
            together = [at for at, name in module.items() if name == module[address]]
            yield (
                _Tag(file, tuple(row if at == address else None for at in together)),
                [part.candidates[at] for at in together],
            )


def _batches(part: Part, made: Made) -> Iterator[tuple[_Tag, Sequence[Candidate]]]:
    assert not isinstance(part.plan, str)
    missing = left_out(part, part.plan) if part.build.sample is None else {}
    for file, rows in part.rows():
        pairs: list[tuple[Candidate, Row | None]] = [(each, None) for each in missing.get(file, ())]
        for row in filter(part.is_sampled, rows):
            address = part.address(row)
            if address is None or address not in part.candidates:
                made.compared += 1
                for wrong in made.wrong.values():
                    wrong.append(f"{file}: {row['id']}: nothing is planned at its address")
            else:
                pairs.append((part.candidates[address], row))
        pairs.sort(key=lambda pair: _place(pair[0].address))  # twins are cheaper
        for start in range(0, len(pairs), BATCH_SIZE):
            batch = pairs[start : start + BATCH_SIZE]
            yield _Tag(file, tuple(row for _, row in batch)), [candidate for candidate, _ in batch]


def _place(address: Address) -> tuple[str, str, int]:
    return address.category, address.purpose or "", address.draw


def _compare(
    file: str, row: Row, outcome: Outcome, made: Made, doubtful: dict[str, list[Row]] | None = None
) -> None:
    """Record the columns that differ. If only PTX differs, put the row into `doubtful` (if given), by
    file."""
    where = f"{file}: {row['id']}"
    if isinstance(outcome, Rejected):
        for wrong in made.wrong.values():
            wrong.append(f"{where}: its address gives no row: {outcome.reason.value} ({outcome.detail})")
        return
    different: dict[str, list[str]] = {}
    for column in sorted(row.keys() | outcome.keys()):
        if row.get(column) != _as_stored(outcome.get(column), row.get(column)):
            owner = _OWNER.get(column, DRAWN)
            if owner is not None:
                different.setdefault(owner, []).append(column)
    if doubtful is not None and different == {COMPILED: ["ptx"]}:
        doubtful.setdefault(file, []).append(row)
        return
    for check, columns in different.items():
        made.wrong[check].append(
            f"{where}: {', '.join(columns)} {'is' if len(columns) == 1 else 'are'} other"
        )


def _as_stored(value: Any, there: Any) -> Any:
    """A struct as Parquet gives it back: with all its fields, those that were not there as None."""
    if isinstance(value, Mapping) and isinstance(there, Mapping):
        return {**dict.fromkeys(there), **value}
    return value


# ---- by another


def _stored(part: Part, made: Made, bar: Bar) -> None:
    """The rows of another version: their own text is compiled and run in the sandbox, on what they say."""
    try:
        for place, told in differences(part):
            bar.seen(None, {})
            if isinstance(told, str):
                made.left_out += 1
                continue
            made.compared += 1
            for check, what in told:
                made.wrong[check].append(f"{place}: {what}")
    except UserError as error:
        made.barred = str(error)
