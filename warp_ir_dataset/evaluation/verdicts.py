"""Stores verdicts on disk, a line for each judged answer, so that a stopped evaluation continues.

A line names all that its verdict depends on: the row, the answer's code, the hidden inputs' seed, versions. A
file may hold lines of several configs, seeds and versions; each run takes those that are its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from filelock import FileLock, Timeout

from ..common.errors import UserError
from ..common.files import writable
from ..common.versions import GENERATOR_VERSION, JUDGE_VERSION, warp_version
from ..judge.verdict import Status, Verdict


@dataclass(frozen=True)
class Setting:
    """What the verdicts of one run depend on, besides the row and the answer."""

    config: str
    seed: int
    weaker_sandbox: bool
    generator: str
    judge: str
    warp: str


def setting(config: str, seed: int, weaker_sandbox: bool) -> Setting:
    """With the versions that are installed. Raises `UserError` for a Warp that we do not work with."""
    return Setting(config, seed, weaker_sandbox, GENERATOR_VERSION, JUDGE_VERSION, warp_version())


Key = tuple[str, str]  # a row's id, and the digest of an answer's code


class Kept:
    """The verdicts of one setting in an open file. Use `opened`, which keeps other runs out."""

    def __init__(self, file: BinaryIO, path: Path, setting: Setting) -> None:
        self._file, self._path, self.setting = file, path, setting
        self.verdicts: dict[Key, Verdict] = {}
        end = 0
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):  # whoever wrote it was killed meanwhile
                if not _begun(line):
                    raise self._refused(number)
                break
            end += len(line)
            self._take(line, number)
        file.truncate(end)
        file.seek(end)

    def add(self, key: Key, verdict: Verdict) -> None:
        """Keep a verdict. Raises `UserError` when the disk refuses."""
        if key in self.verdicts:
            return
        self.verdicts[key] = verdict
        if verdict.value is None:  # of this run: it says nothing about the answer
            return
        line = {"id": key[0], "answer": key[1], **asdict(self.setting)}
        line |= {"status": verdict.status.value, "feedback": verdict.feedback}
        with writable(f"to {self._path}"):
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()

    def _refused(self, number: int) -> UserError:
        return UserError(f"{self._path}, line {number}: it is no verdict: take another file for --results")

    def _take(self, line: bytes, number: int) -> None:
        try:
            found = json.loads(line)
            key, status = (found.pop("id"), found.pop("answer")), Status(found.pop("status"))
            feedback = found.pop("feedback")
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
            raise self._refused(number) from None
        if found == asdict(self.setting):
            self.verdicts.setdefault(key, Verdict(status, feedback, self.setting.seed))


def _begun(line: bytes) -> bool:
    """Whether this may be the beginning of a line that `Kept.add` writes."""
    id, _, _ = line.removeprefix(b'{"id": "').partition(b'"')
    beginning = b'{"id": "%s", "answer": "' % id
    return line.startswith(beginning[: len(line)])


@contextmanager
def opened(path: Path, setting: Setting) -> Iterator[Kept]:
    """The verdicts in a file, which is made if it is new. What a killed run left unfinished is cut off. In
    /dev/null none are kept.

    Raises `UserError` for a file that holds something else, that another run writes to, or that cannot be
    written, and for what is no plain file.
    """
    if path == Path(os.devnull):
        with TemporaryFile() as file:
            yield Kept(file, path, setting)
        return
    with writable(f"to {path}"):
        if path.exists() and not path.is_file():
            raise UserError(f"{path} is not a plain file, where verdicts could be kept: give --results FILE")
        if not path.parent.is_dir():  # a lock would make it
            raise UserError(f"cannot write to {path}: there is no such folder")
        path.touch()  # where that cannot be, a lock is told to be somebody else's
    lock = FileLock(path.with_name(f".{path.name}.lock"), thread_local=False)
    with writable(f"to {path}"):
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise UserError(f"another warp-ir score writes to {path}: wait, or give --results FILE") from None
    try:
        with writable(f"to {path}"):
            file = path.open("r+b")
        with file:
            yield Kept(file, path, setting)
    finally:
        lock.release()


def beside(predictions: Path) -> Path:
    """Where the verdicts on predictions lie unless another file is named. Raises `UserError` where they are
    no file, but come out of a pipe."""
    if not predictions.is_file():
        raise UserError(f"{predictions} is not a plain file, to keep verdicts beside: give --results FILE")
    return predictions.with_name(f"{predictions.stem}.verdicts.jsonl")
