"""Chooses the folder in which a build works: its own, or for a URL one in this machine's cache."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...common import given
from ...common.caches import root
from ...common.errors import UserError
from ...common.files import is_url, writable
from ..batches import FOLDER as BATCHES
from .folder import PLANNED
from .lease import FOLDER as LEASES
from .lease import WHOLE, held
from .manifest import MANIFEST, PLAN
from .mirror import NOWHERE, Mirror
from .parts import CONFIGS_FILE, Part
from .remote import Remote, file_system

FOLDER = "builds"  # in the cache


@contextmanager
def working(out: str | Path, part: Part | None = None) -> Iterator[tuple[Path, Mirror]]:
    """The folder in which a build, or a part of one, goes on, and its mirror.

    For a URL the folder is in the cache, and holds what is there of manifest and plan; it is removed when the
    context ends well. Raises `UserError` for a URL that cannot be read and written, that holds something
    else, or where another process works on the same.
    """
    if not is_url(out):
        yield given.folder("folder", out), NOWHERE
        return
    files, place = file_system(str(out))
    url = str(out).rstrip("/")
    if url.startswith(("file:", "local:")):
        yield Path(place), NOWHERE
        return
    name = WHOLE if part is None else f"{part.index}-of-{part.count}"
    path = root() / FOLDER / hashlib.sha256(f"{url} {name}".encode()).hexdigest()[:16]
    remote = Remote(url, path, files, place)
    try:
        _check_contents(remote)
        with held(remote, name):
            _begin(remote, whole=part is None)
            yield path, remote
        if part is None:
            remote.clear(LEASES)  # of processes that were killed
            if not remote.names(BATCHES):  # of a config that is not done
                remote.clear(BATCHES)
    except UserError as error:
        if str(error).startswith("cannot write"):  # to a disk of this machine, maybe
            raise
        raise UserError(str(error).replace(str(path), url)) from error
    shutil.rmtree(path, ignore_errors=True)


def _check_contents(remote: Remote) -> None:
    there = remote.top() - {LEASES, PLAN, PLANNED, BATCHES}  # before there is a manifest
    if there and MANIFEST not in there:
        raise UserError(f"{remote.url} is not empty and holds no build: choose a new or an empty folder")


def _begin(remote: Remote, whole: bool) -> None:
    """Make the folder what is at the URL, which is what counts. Shards and batches come when they are asked
    for: those of other parts never do."""
    with writable(f"to {remote.path}"):
        shutil.rmtree(remote.path, ignore_errors=True)  # of a process that was killed
        remote.path.mkdir(parents=True)
    remote.fetch(MANIFEST)
    if (manifest := remote.path / MANIFEST).exists():  # it is sent when all plans are there
        try:
            json.loads(manifest.read_bytes())
        except ValueError:  # not every file system writes whole files
            raise UserError(
                f"{manifest} was not written whole: remove all that is at {remote.url}, and run the same "
                "command again, or choose another folder"
            ) from None
        remote.fetch_all(PLAN)
    if whole and not (remote.path / PLAN / CONFIGS_FILE).exists() and PLAN in remote.top():
        # What was left of a plan by who was stopped while sending it, or while removing it.
        remote.clear(PLAN)
        shutil.rmtree(remote.path / PLAN, ignore_errors=True)
