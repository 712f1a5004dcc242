"""A build in a folder of this machine, or in one that several machines see."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ...common.errors import UserError
from ...common.files import check_text, inside, readable, writable, write
from .store import SCANNED, Part

LONGEST = 255  # bytes of a name, in the file systems that there are
LOCKS = ".warp-ir."  # the beginning of their names
LOCK = f"{LOCKS}lock"
SOON = 10.0  # seconds in which another part has taken its own lock


class LocalStore:
    """A folder of this machine, or one that several machines see. No name in it leads elsewhere by a link."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def get(self, name: str) -> bytes | None:
        path = inside(self.path, name)
        with readable(path), suppress(FileNotFoundError):
            return path.read_bytes()
        return None

    def put(self, name: str, content: bytes) -> None:
        path = inside(self.path, name)
        with writable(f"to {self.path}"):
            path.parent.mkdir(parents=True, exist_ok=True)
        write(path, content)

    def list(self, folder: str) -> list[str]:
        top = inside(self.path, folder)
        found = (Path(place) / name for place, _, names in os.walk(top) for name in names)
        return sorted(path.relative_to(top).as_posix() for path in found)

    def delete(self, *names: str) -> None:
        """And the folders that are empty then."""
        with writable(f"to {self.path}"):
            for name in names:
                path = inside(self.path, name)
                path.unlink(missing_ok=True)
                with suppress(OSError):  # something else is in it
                    while (path := path.parent) != self.path:
                        path.rmdir()

    def clear(self, folder: str) -> None:
        with writable(f"to {self.path}"), suppress(FileNotFoundError):
            shutil.rmtree(inside(self.path, folder))

    def top(self) -> set[str]:
        with readable(self.path), suppress(FileNotFoundError, NotADirectoryError):
            return {*os.listdir(self.path)}
        return set()

    @contextmanager
    def claim(self, part: Part | None = None) -> Iterator[None]:
        """And makes the folder of a whole build."""
        with ExitStack() as stack:
            if part is None:
                with writable(f"to {self.path}"):
                    self.path.mkdir(parents=True, exist_ok=True)
                another = f"another build is writing to {self.path}: wait for it or choose another"
                stack.enter_context(self._locked(LOCK, another))
                for path in sorted(self.path.glob(f"{LOCKS}*.lock")):
                    name = path.name.split(".")[2].replace("-of-", "/")
                    stack.enter_context(self._locked(path.name, self._filling(name)))
            else:
                whole = f"another process is at work on all of {self.path}: wait for it"
                with self._locked(LOCK, whole, SOON):
                    name = f"{LOCKS}{part.name}.lock"
                    stack.enter_context(self._locked(name, self._filling(str(part))))
            yield

    def _filling(self, part: str) -> str:
        return f"another process fills part {part} of {self.path}: wait for it"

    @contextmanager
    def _locked(self, name: str, refusal: str, timeout: float = 0.0) -> Iterator[None]:
        path = inside(self.path, name)
        lock = FileLock(path)
        with writable(f"to {self.path}"):
            try:
                lock.acquire(timeout=timeout)
            except Timeout:
                raise UserError(refusal) from None
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
            lock.release()

    @contextmanager
    def at_hand(self, *names: str) -> Iterator[Path]:
        yield self.path

    @property
    def scan_cache(self) -> Path:
        """It is beside the folder. Where nothing can be made there, as beside a volume of a container, it is
        in the folder, until the build is whole. Raises `UserError` for a link there, and for what planning
        could not write to."""
        whole = self.path.absolute()
        place, name = whole.parent, f"{whole.name}{SCANNED}"
        if not _may_write(place / name):
            place, name = whole, SCANNED
        if inside(place, f"{name}/lock").is_dir():
            raise UserError(f"{place / name} holds a folder that is called lock: remove it")
        return place / name

    def forget_scan_cache(self) -> None:
        shutil.rmtree(self.path / SCANNED, ignore_errors=True)

    def check(self) -> None:
        """Raise `UserError` for a folder that `load_dataset` would not read."""
        check_name(self.path)
        if self.path.is_symlink() and not os.path.exists(self.path):
            raise UserError(f"{self.path} is a link to nothing: remove it, or choose another name")


def check_name(path: Path) -> None:
    """Refuse what `load_dataset` would not take for the name of a folder, but for a pattern, a chain of file
    systems, a user or a variable. No spelling of such a name makes it load."""
    check_text(path)
    if len(f"{path.name}{SCANNED}".encode()) > LONGEST:
        raise UserError(f"{path.name} is too long for the name of a folder: choose a shorter one")
    if path.parts and path.parts[0].startswith("~"):
        raise UserError(f"{path} begins with '~', which stands for a user: give the folder's whole path")
    if len(path.parts) > 1 and re.fullmatch(r"[A-Za-z][\w+.-]*:", path.parts[0]):
        url = str(path).replace("/", "//", 1)
        raise UserError(f"{path} looks like a URL: give it as text, with two slashes: {url}")
    if found := re.search(r"[*?\[\]]|::|\$(?=[\w{])", str(path.absolute())):
        raise UserError(
            f"load_dataset cannot read a folder with {found[0]!r} in its path: choose another name"
        )


def _may_write(folder: Path) -> bool:
    """Whether this process may write to a folder or, if it is not there, may make it."""
    there = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    return os.access(there, os.W_OK) or there.is_symlink()  # a link is refused in so many words
