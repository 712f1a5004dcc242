"""The layers of the sandbox: the access that each denies, whether this system has it, and how it is set up.

If a layer is missing, the judge says so and judges nothing, unless the user allows that. Namespaces are an
optional layer, since containers often refuse them.
"""

from __future__ import annotations

import math
import resource
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from . import filters, system

LIMITS, FILES, CALLS, NAMESPACES = "limits", "landlock", "seccomp", "namespaces"
FILE_BYTES = 64 << 20  # an object file
DESCRIPTORS = 64


@dataclass(frozen=True)
class Wall:
    """`probe` raises `OSError` where the system has no such wall."""

    keeps: str
    probe: Callable[[], object]
    needed: bool = True


def _limits() -> None:
    if not hasattr(resource, "RLIMIT_NPROC"):
        raise OSError("this system limits no processes")


def _namespaces() -> None:
    """Tried, since nothing else tells: a process that did it is in a network of its own."""
    try:
        system.unshare(system.CLONE_NEWUSER | system.CLONE_NEWNET | system.CLONE_NEWIPC)
    except OSError:
        system.unshare(system.CLONE_NEWNET | system.CLONE_NEWIPC)


WALLS: Mapping[str, Wall] = {
    LIMITS: Wall("time, memory, files and processes within limits", _limits),
    FILES: Wall("files unread and unwritten", system.landlock_version),
    CALLS: Wall("system calls away: network, processes, signals", filters.available),
    NAMESPACES: Wall("the network away once more", _namespaces, needed=False),
}


def missing(without: Iterable[str] = ()) -> dict[str, str]:
    """Why this process cannot have a wall, by the walls it cannot have. Enters namespaces, if there are any.

    Walls in `without` are taken for missing.
    """
    found = {}
    for name, wall in WALLS.items():
        if name in without:
            found[name] = "left out"
        elif not system.supported() and name != LIMITS:
            found[name] = "known for Linux on x86-64 only"
        else:
            try:
                wall.probe()
            except OSError as error:
                found[name] = error.strerror or str(error)
    return found


def limit(seconds: float, memory: int, *, then: float = 0.0) -> None:
    """Limits of this process from now on: CPU time beside what it has used, and address space in all. `then`
    are the seconds that it may give itself later, by another call."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = int(used.ru_utime + used.ru_stime + seconds) + 1
    for kind, value in (
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, DESCRIPTORS),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # When its time is up a process gets SIGXCPU, and a second later SIGKILL, which it cannot catch.
        later = 1 + math.ceil(2 * (then > 0) + then) if kind == resource.RLIMIT_CPU else 0
        most = soft + later if hard == resource.RLIM_INFINITY else min(soft + later, hard)
        resource.setrlimit(kind, (soft, most))


def enclose(walls: Iterable[str], readable: tuple[str, ...], writable: tuple[str, ...]) -> None:
    """Build the walls around this process that hold while code is made and loaded. Raises `OSError`."""
    if not system.supported():
        return
    system.drop_capabilities()
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    if FILES in walls:
        system.restrict_files(readable, writable)
    if CALLS in walls:
        filters.install(filters.while_loading())


def seal(walls: Iterable[str]) -> None:
    """The last wall, before the code runs. Raises `OSError`."""
    if CALLS in walls and system.supported():
        filters.install(filters.while_running())
