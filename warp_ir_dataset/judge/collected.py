"""Lets the judge take rows of `handwritten`: finds the program and the launch of such a row.

These rows have no address. The judge accepts a row if its source is a kernel that this package knows by its
id, or a twin of one: a program that it can read, and that is legal for every input that the row's arguments
allow. It accepts an extracted row, of a module that a user named, if it can read the source: it writes that
out again, and executes nothing of the text itself. The row itself has the launch.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from ..builds.handwritten.texts import topics
from ..common.configs import EXTRACTED
from ..common.errors import UserError
from ..language import ir
from ..language.analysis.intervals import Illegal
from ..language.analysis.legality import check
from ..language.identity import identify, identify_text
from ..language.python.read import Unreadable, read
from ..language.python.write import write
from ..proof.told import signature_of

TWIN = "twin_of"
NEEDED = (TWIN, "arguments", "launch_dim", "examples")


class Unknown(Exception):
    """A row whose kernel is not known; the message is one line that says why."""


def is_collected(row: Mapping[str, Any]) -> bool:
    """Whether a row says that somebody wrote its kernel."""
    return TWIN in row


def is_extracted(row: Mapping[str, Any]) -> bool:
    """Whether a row's kernel comes from a module that somebody named."""
    return row.get("category") == EXTRACTED


def unordered(row: Mapping[str, Any]) -> list[str]:
    """The outputs whose elements come in any order, by what was proved of a row."""
    return (row.get("checks") or {}).get("unordered") or []


def kernel_of(row: Mapping[str, Any]) -> tuple[ir.Signature, str, ir.Program | None]:
    """A collected or extracted row's signature, its source as it is run, and its tree if that is legal.

    Raises `UserError` for a row without a column, `Unknown`.
    """
    if lacking := [name for name in NEEDED if name not in row and not (name == TWIN and is_extracted(row))]:
        raise UserError(f"a row of a kernel that somebody wrote, if judged, needs the column {lacking[0]}")
    twin, source = row.get(TWIN) is not None, row["python_source"]
    if is_extracted(row):
        if row["examples"] is None:
            raise Unknown("the kernel was extracted without a launch: extract it with --examples")
    elif (row[TWIN] if twin else row["id"]) not in _ids():
        raise Unknown("this version of the package knows no such kernel of Warp's")
    try:
        signature = signature_of(dict(row))
        program = read(source, signature)
    except Unreadable as error:
        if twin or is_extracted(row):
            raise Unknown(f"its source cannot be read, and is not executed: {error}") from error
        return _unread(row, source)
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        raise Unknown(f"its columns do not fit each other: {error}") from error
    if not twin and row["id"] not in (identify(program).id, identify(read(source)).id):
        raise Unknown("its source is not the kernel of its id")
    try:
        check(program)
    except Illegal as error:
        if twin:
            raise Unknown(f"it is not legal for every input: {error}") from error
        return signature, write(program), None
    return signature, write(program), program


def _unread(row: Mapping[str, Any], source: str) -> tuple[ir.Signature, str, None]:
    """Of a kernel that is not in the language the text itself is known: it is executed, so its id must be
    that of one of ours."""
    if identify_text(source).id != row["id"]:
        raise Unknown("its source is not the kernel of its id")
    from ..compilers import warp  # heavy, and needed for few rows

    try:
        parameters = warp.translate(source, row["kernel_name"], backward=False, cuda=False).parameters
        return signature_of(dict(row), parameters), source, None
    except (warp.CompileError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise Unknown(f"its columns do not fit each other: {error}") from error


@functools.cache
def _ids() -> frozenset[str]:
    return frozenset(text.id for texts in topics().values() for text in texts)
