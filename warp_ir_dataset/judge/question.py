"""A row as a task to judge: its program, and the inputs and outputs for which answers are checked.

The columns of a row of a build are not enough to draw inputs: domains, traits and shapes come from the
program at its address. The judge draws that program again, and checks that it is the row's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa

from ..builds.row import schema
from ..common.address import Address
from ..common.configs import CONFIGS, DEFAULT_CONFIG, Config
from ..common.errors import UserError
from ..common.versions import GENERATOR_VERSION
from ..language import ir
from ..language.identity import identify
from ..language.python.write import write
from ..synthesis.categories import CATEGORIES
from ..synthesis.sampling import sample
from .collected import NEEDED as OF_COLLECTED
from .collected import Unknown, is_collected, is_extracted, kernel_of, unordered

# Columns without which a row cannot be judged; the prompt tells the config, where that is not given.
NEEDED = ("id", "kernel_name", "category", "purpose", "seed", "draw", "python_source")


class Unsupported(Exception):
    """A row that cannot be judged; the message is one line that says why."""


@dataclass(frozen=True)
class Question:
    """A kernel, what is asked about it, and the row's `id`, which its hidden inputs are drawn by.

    `program` is its tree; None where a kernel that people wrote has none that is legal for every input. Which
    of its outputs come in any order is then what the row says. One that is `drawn` is the package's own, with
    its launch; of another one a row says at least how it is launched.
    """

    config: Config
    id: str
    signature: ir.Signature
    source: str
    program: ir.Program | None
    unordered: frozenset[str] = frozenset()
    drawn: bool = True

    @property
    def key(self) -> tuple[str, str]:
        return self.config.name, self.id


def question_of(row: Mapping[str, Any], config: Config) -> Question:
    """The question that a row asks; of a kernel that somebody wrote, its own prompt's for `handwritten`, else
    that of the task `config`. Raises `UserError` for what is no row, `Unsupported`."""
    lacking = [name for name in NEEDED if name not in row]
    if lacking:
        raise UserError(
            f"a row that is judged needs the column{'s' * (len(lacking) > 1)} {', '.join(lacking)}"
        )
    row = _as_columns(row)
    if is_collected(row) or is_extracted(row):
        task = config if config.drawn else CONFIGS[DEFAULT_CONFIG]
        try:
            return Question(task, row["id"], *kernel_of(row), frozenset(unordered(row)), drawn=False)
        except Unknown as error:
            raise Unsupported(str(error)) from error
    if not config.drawn:
        raise Unsupported(f"it is no row of {config.name}: it does not say where it comes from")
    if None in (row["seed"], row["draw"]) or row["category"] not in CATEGORIES:
        raise Unsupported(f"row {row['id']} has no address, so that no inputs can be drawn for it")
    try:
        program, source, id = _kernel_at(Address.of(row))
    except KeyError:
        raise Unsupported("this version of the package has no such purpose in its category") from None
    if (source, id) != (row["python_source"], row["id"]):
        raise Unsupported(
            f"generator {GENERATOR_VERSION}, which is installed, makes another kernel at the row's address: "
            "use the version that made the row (its `generator_version`), or build the rows again"
        )
    return Question(config, id, program.signature, source, program)


def _as_columns(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is read of a row, each column as a build writes it. Raises `Unsupported` for another type."""
    columns = (*NEEDED, *OF_COLLECTED, "checks") if is_collected(row) or is_extracted(row) else NEEDED
    types = schema("handwritten" if is_collected(row) else DEFAULT_CONFIG)
    found = {}
    for name in columns:
        if name in row:
            try:
                (found[name],) = pa.array([row[name]], types.field(name).type).to_pylist()
            except (TypeError, ValueError, OverflowError):
                raise Unsupported(f"its {name} is not what a build writes there") from None
    return found


@lru_cache(maxsize=32)
def _kernel_at(address: Address) -> tuple[ir.Program, str, str]:
    """The program at an address, its source and its id. Answers come in groups to one row, and drawing takes
    as long as judging."""
    program = sample(address).program
    return program, write(program), identify(program).id
