"""Notes which files of rows, and which units, this machine wrote: an empty file for each, in the cache.

A folder says nothing of who wrote it that somebody else could not say too. So what is written here is noted,
if its rows were made by this machine too: a file by its SHA-256, a unit by its checksum. Whoever removes the
cache has to say that a folder is trusted.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ...common.caches import root
from ...common.errors import UserError

FOLDER = "written"


def note_written(digest: str) -> None:
    """Note a file. Where the cache cannot be written, it counts as somebody else's."""
    with suppress(OSError, UserError):
        place = _place(digest)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()


def forget_written(digest: str) -> None:
    """Forget a file that is gone."""
    with suppress(OSError, UserError):
        _place(digest).unlink(missing_ok=True)


def is_written_here(digest: str) -> bool:
    """Whether a file with this SHA-256 was noted."""
    try:
        return _place(digest).is_file()
    except (OSError, UserError):
        return False


def _place(digest: str) -> Path:
    return root() / FOLDER / digest[:2] / digest
