"""Jobs for the sandbox and their results, and how both are sent."""

from __future__ import annotations

import errno
import json
import os
import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Literal

_HEADER = struct.Struct("!Q")

ANSWER = "answer.cpp"  # the file that an answer's text is from, as compilers are told, for its lines
TEXT_BYTES = 16 << 20  # of what a module is translated to

# On a busy machine a right answer must not be late. A compiler is given few seconds of CPU, since templates
# and macros may ask for any number of them; the clock may show more.
PATIENCE, LOAD_PATIENCE = 3.0, 15.0

# The last one says nothing of the job: there was no process for it.
End = Literal["ran", "refused", "crash", "timeout", "memory", "short"]

# What the system says where it has no more processes, memory, descriptors or room on a disk.
_SHORT = frozenset({errno.EAGAIN, errno.ENOMEM, errno.ENFILE, errno.EMFILE, errno.ENOSPC})


def is_short(error: BaseException | None) -> bool:
    """Whether an error says that this machine, or a limit of a process, has no more of something."""
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in _SHORT)


class Short(Exception):
    """There was no process for a job. If `lost`, the fork server began with it and ended, several times."""

    def __init__(self, said: str, *, lost: bool = False) -> None:
        super().__init__(said)
        self.lost = lost


@dataclass(frozen=True)
class Segment:
    """Pages of the shared file that are mapped at `address`."""

    address: int
    size: int
    offset: int
    writable: bool


@dataclass(frozen=True)
class Call:
    """An entry of the unit, and what it is called with: addresses, and behind them whole numbers."""

    symbol: str
    arguments: tuple[int, ...]


@dataclass(frozen=True)
class Limits:
    """Seconds of CPU, of which the clock shows at most `PATIENCE` times as many, while code is made
    `LOAD_PATIENCE` times; and bytes beside what a process has from the start. The system counts whole
    seconds, so that a process may take one more."""

    load_seconds: float = 4.0
    run_seconds: float = 5.0
    load_bytes: int = 1 << 30
    run_bytes: int = 256 << 20


@dataclass(frozen=True)
class Source:
    """The kernel `name` of a Python module, which is executed to be translated: where there is nothing to
    find, and not in the process that runs what comes of it."""

    source: str
    name: str
    limits: Limits

    @classmethod
    def of(cls, found: dict[str, Any]) -> Source:
        return cls(found["source"], found["name"], Limits(**found["limits"]))


@dataclass(frozen=True)
class Launches:
    """Launches of CUDA kernels on the machine, which knows itself what `wanted` means, but for ``pages``:
    from there on the shared file is for what the machine tells. It has stacks and records for many threads:
    most of its address space is never used."""

    wanted: dict[str, Any]
    limits: Limits = Limits(load_seconds=6.0, run_seconds=20.0, load_bytes=16 << 30, run_bytes=16 << 30)
    segments: tuple[Segment, ...] = ()

    @classmethod
    def of(cls, found: dict[str, Any]) -> Launches:
        segments = tuple(Segment(**each) for each in found["segments"])
        return cls(found["wanted"], Limits(**found["limits"]), segments)


@dataclass(frozen=True)
class Job:
    """`unit` is C++ that is compiled as it is. If it is to be `alone`, it must call and keep nothing that a
    device does not."""

    unit: str
    segments: tuple[Segment, ...]
    calls: tuple[Call, ...]
    limits: Limits
    alone: bool

    @classmethod
    def of(cls, found: dict[str, Any]) -> Job:
        segments = tuple(Segment(**each) for each in found["segments"])
        calls = tuple(Call(each["symbol"], tuple(each["arguments"])) for each in found["calls"])
        limits = Limits(**found["limits"])
        return cls(found["unit"], segments, calls, limits, found["alone"])


@dataclass(frozen=True)
class Ended:
    """How a caged process ended. It is no verdict: what it left in the shared pages is looked at after it.

    `loaded` says whether the code was made and about to run; `said` is one line, of a compiler's or ours. Of
    `Launches`, that line comes after all that the compilers said, as far as it is read.
    """

    end: End
    loaded: bool
    said: str


@dataclass(frozen=True)
class Translated:
    """What a process says that Warp makes of a source: a kernel's name and code text for the CPU. The
    source's own module had a hand in both."""

    name: str
    text: str


Asked = Job | Source | Launches


@contextmanager
def written(job: Asked) -> Iterator[int]:
    """The descriptor of a file in memory that holds a job, at its start."""
    descriptor = os.memfd_create("job", os.MFD_CLOEXEC)
    try:
        with open(descriptor, "w", encoding="utf-8", closefd=False) as file:
            file.write(json.dumps(job, default=vars))
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def send(stream: socket.socket, message: Any, descriptors: Sequence[int] = ()) -> None:
    """Send limits, an answer or plain values, and descriptors with it."""
    body = json.dumps(message if isinstance(message, dict) else asdict(message)).encode()
    head = _HEADER.pack(len(body))
    if descriptors:
        socket.send_fds(stream, [head], list(descriptors))
    else:
        stream.sendall(head)
    stream.sendall(body)


def receive(stream: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """The next message and its descriptors. Raises `EOFError` when the other end is gone."""
    head, descriptors, _, _ = socket.recv_fds(stream, _HEADER.size, 4)
    head += _exactly(stream, _HEADER.size - len(head)) if head else b""
    if not head:
        raise EOFError
    return json.loads(_exactly(stream, _HEADER.unpack(head)[0])), descriptors


def _exactly(stream: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        received = stream.recv(size - len(parts))
        if not received:
            raise EOFError
        parts += received
    return bytes(parts)
