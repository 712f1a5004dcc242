"""Stores proved batches on disk until their file is written, so that a killed build loses only running ones.

A batch is a file that is written once, so any file system or object store will do. It has a line with a
SHA-256, and then the outcomes of candidates. A batch that is damaged, or has other parameters or versions, is
made again.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common.files import inside, was_to_be, writable, write
from ..common.outcomes import Outcome, Reason, Rejected
from .output.mirror import NOWHERE, Mirror
from .output.written import forget_written, is_written_here, note_written
from .plan.plan import Candidate

FOLDER = ".batches"
SUFFIX = ".batch"


@dataclass(frozen=True)
class _Batch:
    """A file, and the shards that still need it."""

    path: Path
    shards: set[str]
    digest: str


class Batches:
    """The batches of one config in a build's folder and in its mirror. `key` says what outcomes depend on.

    `told` counts the rows among what was known; `strange` says whether some of that was not proved by this
    machine (see `written`). Raises `UserError` where the folder cannot be written, and for links in it.
    """

    def __init__(self, folder: Path, config: str, key: str, mirror: Mirror = NOWHERE) -> None:
        self._name = f"{FOLDER}/{config}"
        self._path = inside(folder, self._name)
        self._key = key
        self._mirror = mirror
        self.told = 0
        self.strange = False
        self._known: dict[str, Outcome] = {}
        self._files: list[_Batch] = []
        mirror.fetch_all(self._name)
        if not self._path.is_dir():
            return
        with writable(f"to {self._path}"):
            for file in sorted(self._path.iterdir()):
                if file.suffix == SUFFIX or was_to_be(file.name):
                    self._take(inside(folder, f"{self._name}/{file.name}"))

    def known(self, candidate: Candidate) -> Outcome | None:
        """What became of a candidate, if it was proved before."""
        outcome = self._known.pop(str(candidate), None)
        self.told += outcome is not None and not isinstance(outcome, Rejected)
        return outcome

    def keep(
        self, shards: Sequence[str], candidates: Sequence[Candidate], outcomes: Sequence[Outcome]
    ) -> None:
        """Write a batch; `shards` are the names of those that its candidates are for. Raises `UserError` when
        the disk refuses."""
        first = candidates[0].address
        name = f"{Path(shards[0]).stem}.{first.category}-{first.draw}{SUFFIX}"
        tried = zip(candidates, outcomes, strict=True)
        said = {"key": self._key, "shards": [*shards], "tried": [_told(*each) for each in tried]}
        packed = zlib.compress(json.dumps(said).encode(), 1)
        with writable(f"to {self._path}"):
            self._path.mkdir(parents=True, exist_ok=True)
        write(self._path / name, f"{_digest(packed)}\n".encode() + packed)
        note_written(_digest(packed))
        self._mirror.send(f"{self._name}/{name}")
        self._files.append(_Batch(self._path / name, set(shards), _digest(packed)))

    def drop(self, done: Set[str]) -> None:
        """Remove the batches all of whose shards are `done`; with the last one, the folder."""
        old = [batch for batch in self._files if batch.shards <= done]
        self._files = [batch for batch in self._files if not batch.shards <= done]
        self._remove(*(batch.path for batch in old))
        for batch in old:
            forget_written(batch.digest)
        if not self._files:
            for folder in (self._path, self._path.parent):
                with suppress(OSError):  # another config has batches there
                    folder.rmdir()

    def _take(self, path: Path) -> None:
        """Read a file, or remove it."""
        digest, _, packed = path.read_bytes().partition(b"\n")
        if path.suffix == SUFFIX and digest.decode(errors="replace") == _digest(packed):
            said = json.loads(zlib.decompress(packed))
            if said["key"] == self._key:
                self._known |= dict(_heard(*each) for each in said["tried"])
                self._files.append(_Batch(path, {*said["shards"]}, _digest(packed)))
                self.strange |= not is_written_here(_digest(packed))
                return
        self._remove(path)

    def _remove(self, *paths: Path) -> None:
        for path in paths:
            path.unlink(missing_ok=True)
        self._mirror.remove(*(f"{self._name}/{path.name}" for path in paths))


def kept(folder: Path, mirror: Mirror = NOWHERE) -> bool:
    """Whether a build's folder, or its mirror, holds batches of any config."""
    here = inside(folder, FOLDER).glob(f"*/*{SUFFIX}")
    return any(here) or any(name.endswith(SUFFIX) for name in mirror.names(FOLDER))


def _told(candidate: Candidate, outcome: Outcome) -> list[Any]:
    if isinstance(outcome, Rejected):
        return [str(candidate), outcome.reason.value, outcome.detail]
    return [str(candidate), None, outcome]


def _heard(candidate: str, reason: str | None, said: Any) -> tuple[str, Outcome]:
    return candidate, said if reason is None else Rejected(Reason(reason), said)


def _digest(packed: bytes) -> str:
    return hashlib.sha256(packed).hexdigest()
