"""Shows two short rows of a build: a repair, as a change of lines, and a random program.

Both are chosen by a rule, so another build may show others.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from followed import block, rows_of

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.publishing.facts import Facts

Row = Mapping[str, Any]


def figures(facts: Facts) -> dict[str, str]:
    """The two samples. Raises `UserError` where a build has none."""
    repair = shortest(rows_of(facts, "repair", ["id", "purpose", "kind", "broken", "message", "completion"]))
    random = chosen_program(rows_of(facts, "cuda", ["id", "purpose", "category", "python_source"]))
    return {
        "sample.kind": repair["kind"],
        "sample.category": random["category"],
        "code:repair": block("diff", changed(repair["broken"], repair["completion"])),
        "sample.message": span(repair["message"]),
        "code:random": block("python", kernel(random["python_source"])),
    }


def shortest(rows: Iterator[Row]) -> Row:
    """The repair with the fewest letters in message and module; one with a purpose if there is any."""
    rank = lambda row: (row["purpose"] is None, len(row["message"]) + len(row["broken"]), row["id"])  # noqa: E731
    if (best := min(rows, key=rank, default=None)) is None:
        raise UserError("the build has no row of repair")
    return best


def chosen_program(rows: Iterator[Row]) -> Row:
    """Of the random programs that have a condition, the one with the shortest source. Where none has one,
    any; and where all rows have a purpose, any row."""

    def rank(row: Row) -> tuple[bool, bool, int, str]:
        source = row["python_source"]
        plain = re.search(r"^ +if ", source, re.MULTILINE) is None
        return row["purpose"] is not None, plain, len(source), row["id"]

    if (best := min(rows, key=rank, default=None)) is None:
        raise UserError("the build has no row of cuda")
    return best


def span(text: str) -> str:
    """Code within a sentence."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def changed(before: str, after: str) -> str:
    """The lines that differ between two texts, with a line around each place."""
    lines: Sequence[str] = list(
        difflib.unified_diff(before.strip().splitlines(), after.strip().splitlines(), n=1, lineterm="")
    )
    return "\n".join(line for line in lines[2:] if not line.startswith("@@"))


def kernel(source: str) -> str:
    """A module without its imports and without the mark of its kernel."""
    lines = source.strip().splitlines()
    return "\n".join(line for line in lines if not line.startswith(("import ", "@wp.kernel"))).strip()
