"""Markdown for cards and reports: tables, and the texts of `dataset_card`."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import yaml

from ..builds.row import schema

_PACKAGE = Path(__file__).parents[1]
# In a wheel what is written by hand lies in the package, in a checkout beside it.
_SOURCES = (_PACKAGE / "dataset_card", _PACKAGE.parent / "dataset_card")


def source(name: str) -> str:
    """A file of `dataset_card`: templates, notes on columns, the changelog."""
    path = next(folder / name for folder in _SOURCES if (folder / name).exists())
    return path.read_text(encoding="utf-8")


@functools.cache
def notes() -> Mapping[str, Mapping[str, str]]:
    """What columns, proofs and reasons mean."""
    read: Mapping[str, Mapping[str, str]] = yaml.safe_load(source("notes.yaml"))
    return read


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, text_columns: int = 1) -> str:
    """A Markdown table, numbers to the right; empty without rows."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    if not lines:
        return ""
    rule = "|---" * text_columns + "|---:" * (len(head) - text_columns) + "|"
    return "\n".join(["| " + " | ".join(head) + " |", rule, *lines])


def number(value: float) -> str:
    return f"{value:,.0f}"


def share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def columns(configs: Iterable[str]) -> str:
    """Every column of the rows of these configs, with its Arrow type and what it means."""
    fields = {field.name: field for config in configs for field in schema(config)}
    # In the order of the notes: some configs have columns that others have not.
    known = [(name, fields[name].type, words) for name, words in notes()["columns"].items() if name in fields]
    rows = [[f"`{name}`", _type(type), words] for name, type, words in known]
    return table(["column", "type", "meaning"], rows, text_columns=3)


def _type(type: object) -> str:
    text = str(type)
    return "struct" if text.startswith("struct") else "list of struct" if "struct" in text else _plain(text)


def _plain(text: str) -> str:
    for item in ("int32", "string"):
        if text.startswith("list") and item in text:
            return f"list of {item}"
    return text
