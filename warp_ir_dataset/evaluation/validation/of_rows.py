"""Checks rows by their own columns: each kernel's identity and split, and that no kernel is there twice."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from ...common.outcomes import Row
from ...language import ir
from ...language.identity import (
    Identity,
    identify,
    identify_normal_form,
    identify_text,
    purpose_group,
    split_of,
)
from ...language.python.read import Unreadable, read
from ...proof.told import signature_of
from ...synthesis.kinds import KINDS
from .finding import Finding, judged
from .part import Part

IDENTITIES, KINDS_CHECK, SPLITS, TWICE, MADE_BY = "identities", "kinds", "splits", "twice", "made_by"

_KEPT = ("id", "skeleton", "group", "purpose", "category")
_READ = (*_KEPT, "kernel_name", "python_source", "arguments", "launch_dim", "examples")


@dataclass(frozen=True)
class _Known:
    """A row, which kernel its source is, and whether it is of the kind that its category names."""

    file: str
    row: Row
    identity: Identity
    meaning: Identity
    is_of_kind: bool | None  # None where its category names no kind

    @property
    def place(self) -> str:
        return f"{self.file}: {self.row['id']}"


@functools.lru_cache(maxsize=1)  # two checks one after the other want it
def _known(part: Part) -> tuple[_Known, ...]:
    return tuple(_look(file, row) for file, rows in part.rows(_READ) for row in rows)


def _look(file: str, row: Row) -> _Known:
    program, found = identity_of(row)
    meaning = found if program is None else identify_normal_form(program)
    kind = KINDS.get(row["category"]) if row["purpose"] is None else None
    is_of_kind = None if kind is None else program is not None and kind(program)
    return _Known(file, {name: row[name] for name in _KEPT}, found, meaning, is_of_kind)


def identities(part: Part) -> Finding:
    """A row's id, skeleton and group are those of its source, and no id is twice."""
    wrong, seen = [], set()
    for known in _known(part):
        row, found = known.row, known.identity
        group = known.meaning.skeleton if row["purpose"] is None else purpose_group(row["purpose"])
        expected = {"id": found.id, "skeleton": found.skeleton, "group": group}
        if different := [name for name, value in expected.items() if row[name] != value]:
            name = different[0]
            wrong.append(f"{known.place}: {name} is {row[name]}, its source says {expected[name]}")
        elif row["id"] in seen:
            wrong.append(f"{known.place} is there twice")
        seen.add(row["id"])
    return judged(IDENTITIES, part.name, len(_known(part)), "rows", wrong)


def identity_of(row: Row) -> tuple[ir.Program | None, Identity]:
    """The tree of a row's source, if it can be read, and which kernel it is. The sizes of arrays in structs
    count, and stand in the row's examples alone."""
    try:
        program = read(row["python_source"], kernel=row["kernel_name"])
    except (Unreadable, RecursionError):  # what is nested too deep is in no build
        return None, identify_text(row["python_source"])
    found = identify(program)
    if found.id != row["id"]:
        try:
            program = read(row["python_source"], signature_of(row))
        except (ValueError, KeyError, TypeError, StopIteration):
            return program, found
        found = identify(program)
    return program, found


def kinds(part: Part) -> Finding:
    """A row without a purpose is a kernel of the kind that its category names."""
    drawn = [known for known in _known(part) if known.is_of_kind is not None]
    wrong = [f"{each.place} is no {each.row['category']} kernel" for each in drawn if not each.is_of_kind]
    return judged(KINDS_CHECK, part.name, len(drawn), "rows", wrong)


def splits(part: Part) -> Finding:
    """A row is in the split that its group decides; what was collected is in test."""
    wrong, count = [], 0
    for file, rows in part.rows(["id", "group"]):
        split = part.files[file]["split"]
        for row in rows:
            count += 1
            wanted = split_of(row["group"]) if part.config.drawn else "test"
            if wanted != split:
                wrong.append(f"{file}: {row['id']} belongs to {wanted}")
    return judged(SPLITS, part.name, count, "rows", wrong)


def twice(part: Part) -> Finding:
    """No two kernels differ in names, literals and spelling alone."""
    wrong = []
    seen: dict[str, str] = {}
    for known in _known(part):
        id = known.row["id"]
        others = [seen.setdefault(each.skeleton, id) for each in (known.identity, known.meaning)]
        if doubles := [other for other in others if other != id]:
            wrong.append(f"{known.place} has the shape of {doubles[0]}")
    return judged(TWICE, part.name, len(_known(part)), "rows", wrong)


def made_by(part: Part) -> Finding:
    """Every row says that it is of the versions that the manifest says."""
    made: Mapping[str, str] = part.build.manifest["versions"]
    wanted = {"generator_version": made["generator"], "warp_version": made["warp-lang"]}
    wrong, count = [], 0
    for file, rows in part.rows(["id", *wanted]):
        for row in rows:
            count += 1
            for column, version in wanted.items():
                if row[column] != version:
                    wrong.append(f"{file}: {row['id']} is of {column} {row[column]}, the build of {version}")
    return judged(MADE_BY, part.name, count, "rows", wrong)
