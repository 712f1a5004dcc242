"""The sandboxed processes, which translate, compile, run and check a candidate's code.

They are forked from the fork server (`nursery`), have no expected value, and the judge trusts none of their
messages. Their only results are the generated text, which is treated like any candidate's, the objects
compiled from such texts, and the numbers in shared pages. Only the first process executes Python; it has no
inputs or pages.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import mmap
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Concatenate, NoReturn, ParamSpec

from ...compilers import warp
from ...machine import machine
from ...machine.objects import Object
from . import system, walls
from .job import Job, Launches, Limits, Source, is_short

# The prefix of the one kernel of a unit.
PREFIX = "k0"
# In the folder of a compilation: for a unit, its object, and PTX.
FILES = ("answer.cpp", "answer.o", "answer.ptx")
LONGEST_REFUSAL = 1500  # characters


_P = ParamSpec("_P")


def _process(
    work: Callable[Concatenate[Sequence[int], int, _P], None],
) -> Callable[Concatenate[Sequence[int], int, _P], NoReturn]:
    """What is done in a process of its own, which it ends, and which says before to `status`, its second
    argument, what went wrong."""

    @functools.wraps(work)
    def process(shared: Sequence[int], status: int, /, *more: _P.args, **named: _P.kwargs) -> NoReturn:
        try:
            work(shared, status, *more, **named)
        except BaseException as error:  # a module raises anything
            _tell(status, _refusal(error))
        finally:
            os._exit(0)

    return process


@_process
def caged(
    shared: Sequence[int], status: int, errors: int, built: Sequence[str], folder: str, parent: int
) -> None:
    """Compile, load and run in this process, and end it.

    `shared` are descriptors of files in memory: one holds the job, which the nursery itself never reads, as
    nothing of one answer is in the memory that the process of the next begins with; and one the pages. What
    is refused, and that the code is loaded, is written to `status`, what the compiler says to `errors`;
    `built` are the walls to build. `folder` holds empty `FILES`.
    """
    size = _prepare((*shared, status, errors), parent)
    wanted, pages = shared
    job = Job.of(_read(wanted))
    source, target, _ = _files(folder)
    _enclose_to_load(built, job.limits, size, warp.header_folders(), (source, target))
    warp.build_at(job.unit, source, target, filled=True)
    if job.alone:
        machine.check_alone(Object(Path(target).read_bytes()), ())
    entries = _entries(job, warp.load_at(target))
    _map(job, pages)
    _seal(built, job.limits, size, status, (2,))
    for entry, arguments in entries:
        entry(*arguments)
    os._exit(0)  # before anything is freed, where the answer may have written


@_process
def translating(shared: Sequence[int], status: int, errors: int, built: Sequence[str], parent: int) -> None:
    """Write what Warp makes of a source to the second file of `shared`, in this process, and end it.

    Its module is executed here. It finds the descriptor of the text and the two that tell; no file can be
    opened.
    """
    size = _prepare((*shared, status, errors), parent)
    wanted, text = shared
    asked = Source.of(_read(wanted))
    _enclose(built, asked.limits, size, (), ())
    made = warp.translate(asked.source, asked.name, backward=False, cuda=False)
    with open(text, "w", encoding="utf-8", closefd=False) as file:
        json.dump((made.name, made.cpu), file)
    _tell(status, {"loaded": True})


@_process
def launching(
    shared: Sequence[int], status: int, errors: int, built: Sequence[str], folder: str, parent: int
) -> None:
    """Compile and load a CUDA text for the machine, run its kernels there, and end this process. What
    compilers say is written to `errors`; what the machine saw, to the pages."""
    size = _prepare((*shared, status, errors), parent)
    os.dup2(2, 1)  # where NVRTC's complaints go
    wanted, pages = shared
    job = Launches.of(_read(wanted))
    files = _files(folder)
    _enclose_to_load(built, job.limits, size, _readable(), files)
    start = job.wanted["pages"]
    told = mmap.mmap(pages, os.fstat(pages).st_size - start, offset=start)
    _map(job, pages)
    prepared = machine.Prepared(job.wanted, files, told)
    _seal(built, job.limits, size, status, (1, 2))
    prepared.run()


def _readable() -> tuple[str, ...]:
    return (*warp.header_folders(), machine.start().folder, machine.warp_headers())


def _files(folder: str) -> tuple[str, str, str]:
    source, target, ptx = (os.path.join(folder, name) for name in FILES)
    return source, target, ptx


def _prepare(descriptors: tuple[int, ...], parent: int) -> int:
    """No descriptor but what is needed, no signal handler, and an end with the nursery's. Returns the
    descriptor of what `_address_space` reads, which no wall lets a later process open."""
    os.setsid()
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.dup2(descriptors[-1], 2)
    size = os.open("/proc/self/statm", os.O_RDONLY)
    kept = {0, 1, 2, *descriptors[:-1], size}
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        if descriptor not in kept:
            with contextlib.suppress(OSError):  # that of the listing itself
                os.close(descriptor)
    os.environ.clear()
    return size


def _enclose(
    built: Sequence[str], limits: Limits, size: int, readable: tuple[str, ...], writable: tuple[str, ...]
) -> None:
    """Build the walls around a process that only makes code; `size` is what `_prepare` returned."""
    if walls.LIMITS in built:
        walls.limit(limits.load_seconds, _address_space(size) + limits.load_bytes)
    os.close(size)
    walls.enclose(built, readable, writable)


def _enclose_to_load(
    built: Sequence[str], limits: Limits, size: int, readable: tuple[str, ...], writable: tuple[str, ...]
) -> None:
    """The same around a process that will run what it makes: `_seal` comes before that."""
    if walls.LIMITS in built:
        walls.limit(limits.load_seconds, _address_space(size) + limits.load_bytes, then=limits.run_seconds)
    walls.enclose(built, readable, writable)


def _seal(built: Sequence[str], limits: Limits, size: int, status: int, outputs: Sequence[int]) -> None:
    """Tell that the code is loaded, and leave a process nothing but to run it: no descriptor of `outputs`,
    of `status` and of `size` leads anywhere from here on."""
    os.write(status, json.dumps({"loaded": True}).encode())
    for output in outputs:
        os.dup2(0, output)
    os.close(status)
    if walls.LIMITS in built:
        walls.limit(limits.run_seconds, _address_space(size) + limits.run_bytes)
    os.close(size)
    walls.seal(built)


def _read(wanted: int) -> dict[str, Any]:
    with open(wanted, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def _entries(
    job: Job, library: warp.Library
) -> list[tuple[Callable[..., None], tuple[ctypes.c_void_p, ...]]]:
    entry = ctypes.CFUNCTYPE(None)
    return [
        (entry(_address(library, call.symbol)), tuple(map(ctypes.c_void_p, call.arguments)))
        for call in job.calls
    ]


def _address(library: warp.Library, symbol: str) -> int:
    try:
        return library.address(symbol)
    except KeyError:
        raise warp.CompileError(
            "the kernel that is asked for is not there, or something that the code calls"
        ) from None


def _map(job: Job | Launches, pages: int) -> None:
    for segment in job.segments:
        protection = system.PROT_READ | (system.PROT_WRITE if segment.writable else 0)
        system.map_shared(segment.address, segment.size, protection, pages, segment.offset)
    os.close(pages)


def _refusal(error: BaseException) -> dict[str, object]:
    # The cause is that of what the answer's own module does.
    if is_short(error) or is_short(error.__cause__):
        return {"memory": True}
    said = warp.raised_by_module(error)
    if said is None:
        said = str(warp.refused(error)) if isinstance(error, Exception) else type(error).__name__
    return {"refused": said[:LONGEST_REFUSAL]}


def _tell(status: int, message: dict[str, object]) -> None:
    with contextlib.suppress(OSError):
        os.write(status, json.dumps(message).encode())


def _address_space(size: int) -> int:
    """Bytes of address space that this process has; `size` is a descriptor of /proc/self/statm."""
    return int(os.pread(size, 100, 0).split()[0]) * mmap.PAGESIZE
