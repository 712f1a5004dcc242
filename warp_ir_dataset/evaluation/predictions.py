"""Reads models' answers to a split: a file of JSON lines, checked as a whole before it is used."""

from __future__ import annotations

import hashlib
import json
from codecs import BOM_UTF8
from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common.errors import UserError
from ..common.given import shown
from ..judge.answers import Wanted, code_of

_SHOWN = 60  # characters of an id that is none


@dataclass(frozen=True)
class Prediction:
    """An answer to the row `id`: `text` as a model wrote it, and `digest`, the SHA-256 of its code."""

    id: str
    text: Any
    digest: str


def read_predictions(
    path: Path, ids: Container[str], whole: str, wanted: Callable[[str], Wanted | None] = lambda id: None
) -> list[Prediction]:
    """Read a file of predictions, and check it as a whole.

    Each line is an object with `id` and `completion`, which is text or messages; other members are ignored.
    Empty lines are ignored, and a row may have several predictions.

    Args:
        path: The file.
        ids: Ids that a prediction may have.
        whole: What has these ids, for messages.
        wanted: Returns what the code for the row of an id has to define, or None.

    Returns:
        The predictions, in the order of their lines.

    Raises:
        UserError: If the file cannot be read or has no prediction, and for the first line that is none, with
            its number.
    """
    found = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.removeprefix(BOM_UTF8) if number == 1 else line
                if text.strip():
                    found.append(_prediction(text, f"{path}, line {number}", ids, whole, wanted))
    except OSError as error:
        raise UserError(f"cannot read the predictions in {path}: {error.strerror or error}") from None
    if not found:
        raise UserError(f"{path} holds no predictions: write a line with id and completion for each answer")
    return found


def _prediction(
    line: bytes, where: str, ids: Container[str], whole: str, wanted: Callable[[str], Wanted | None]
) -> Prediction:
    try:
        read = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise UserError(f"{where}: it is not UTF-8 text") from None
    except RecursionError:
        raise UserError(f"{where}: it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise UserError(f"{where}: it is not JSON ({error.msg} at character {error.pos + 1})") from None
    except ValueError:  # Python's own limit
        raise UserError(f"{where}: it holds a number of too many digits") from None
    wanted_form = 'write one object such as {"id": "...", "completion": "..."} on each line'
    if not isinstance(read, dict):
        raise UserError(f"{where}: it is no object: {wanted_form}")
    for key in ("id", "completion"):
        if key not in read:
            raise UserError(f"{where}: it has no {key}: {wanted_form}")
    if not isinstance(read["id"], str):
        raise UserError(f"{where}: its id must be a string, not {shown(read['id'])}")
    if read["id"] not in ids:
        raise UserError(f"{where}: {whole} has no row with the id {read['id'][:_SHOWN]!r}")
    try:
        code = code_of(read["completion"], wanted(read["id"]))
    except UserError as error:
        raise UserError(f"{where}: the completion cannot be read: {error}") from None
    digest = hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()
    return Prediction(read["id"], read["completion"], digest)
