"""The system calls that a sandboxed process may make: two seccomp filters, for compiling and for running.

The first answers what is not allowed with an error, so that a compiler can go on; the second ends the
process. Filters add up: what one forbids, no later one allows.
"""

from __future__ import annotations

import ctypes
import fcntl
import struct
from collections.abc import Iterable
from fcntl import F_DUPFD_CLOEXEC

from . import system
from .system import NUMBERS

_X86_64 = 0xC000003E  # AUDIT_ARCH_X86_64
_X32 = 0x40000000  # numbers from here on are those of another interface to the same kernel
_KILL, _REFUSE, _ALLOW = 0x80000000, 0x00050000 | 1, 0x7FFF0000  # the process; with EPERM; go on
_LOAD, _EQUAL, _NOT_BELOW, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # where a filter finds them, in the order of a little end
_PROTECTION, _FLAGS = _FIRST_ARGUMENT + 8 * 2, _FIRST_ARGUMENT + 8 * 3  # of `mmap`
_PROT_EXEC, _MAP_ANONYMOUS = 4, 0x20

# What the interpreter, clang and the loader use to make code of text. No process is started, none signalled,
# nothing is sent. Files are opened: Landlock says which.
WHILE_LOADING = """
    read write open openat close stat fstat lstat newfstatat lseek pread64 readlink readlinkat access
    faccessat2 getdents64 getcwd dup dup2 ftruncate poll writev mmap mprotect munmap mremap madvise brk
    rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack futex rseq sched_yield sched_getaffinity getpid
    gettid getppid getuid getgid geteuid getegid uname sysinfo getrlimit getrusage time gettimeofday
    clock_gettime clock_nanosleep nanosleep getrandom seccomp exit exit_group
"""
# Two more, for some values of one argument: limits of this process and no other's; descriptors copied and
# their flags, and not whom they send signals to.
ARGUMENTS_WHILE_LOADING = {
    "prlimit64": (0, (0,)),
    "fcntl": (
        1,
        (fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_SETFL, F_DUPFD_CLOEXEC),
    ),
}
# What is left when the code runs: memory of its own, and the end. Memory that can be executed is not to be
# had.
WHILE_RUNNING = """
    munmap mremap madvise brk rt_sigreturn futex sched_yield getpid gettid
    time gettimeofday clock_gettime exit exit_group
"""
# Kernels that print get an error for it, and go on.
REFUSED_WHILE_RUNNING = "write writev fstat newfstatat ioctl lseek close rt_sigprocmask"


def while_loading() -> bytes:
    allowed = (_answer(NUMBERS[name], _ALLOW) for name in WHILE_LOADING.split())
    chosen = (_with_argument(NUMBERS[name], *rule) for name, rule in ARGUMENTS_WHILE_LOADING.items())
    return b"".join([_PROLOGUE, *allowed, *chosen, _instruction(_RETURN, _REFUSE)])


def while_running() -> bytes:
    allowed = (_answer(NUMBERS[name], _ALLOW) for name in WHILE_RUNNING.split())
    refused = (_answer(NUMBERS[name], _REFUSE) for name in REFUSED_WHILE_RUNNING.split())
    return b"".join([_PROLOGUE, _anonymous_memory(), *allowed, *refused, _instruction(_RETURN, _KILL)])


def install(program: bytes) -> None:
    """From now on this process's calls go through the filter. Raises `OSError`."""
    buffer = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    wanted = Program(len(program) // 8, ctypes.addressof(buffer))
    set_mode_filter = 1
    system.call(NUMBERS["seccomp"], set_mode_filter, 0, ctypes.byref(wanted))


def available() -> None:
    """Raises `OSError` where the system cannot end a process by a filter."""
    get_action_available = 2
    system.call(NUMBERS["seccomp"], get_action_available, 0, ctypes.byref(ctypes.c_uint32(_KILL)))


def _instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)


def _all(instructions: Iterable[bytes]) -> bytes:
    return b"".join(instructions)


# Another architecture's numbers mean other calls: nobody honest uses them.
_PROLOGUE = _all(
    [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, _X86_64, 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
        _instruction(_NOT_BELOW, _X32, 0, 1),
        _instruction(_RETURN, _KILL),
    ]
)


def _answer(number: int, action: int) -> bytes:
    return _instruction(_EQUAL, number, 0, 1) + _instruction(_RETURN, action)


def _with_argument(number: int, position: int, values: tuple[int, ...]) -> bytes:
    """A call is let through if an argument has one of the values, in its lower half; else refused."""
    tests = [
        _instruction(_LOAD, _FIRST_ARGUMENT + 8 * position),
        *(_answer(value, _ALLOW) for value in values),
        _instruction(_RETURN, _REFUSE),
    ]
    body = b"".join(tests)
    return _instruction(_EQUAL, number, 0, len(body) // 8) + body


def _anonymous_memory() -> bytes:
    """`mmap` of fresh memory that cannot be executed; any other ends the process."""
    return _all(
        [
            _instruction(_EQUAL, NUMBERS["mmap"], 0, 7),
            _instruction(_LOAD, _PROTECTION),
            _instruction(_ANY_BIT, _PROT_EXEC, 0, 1),
            _instruction(_RETURN, _KILL),
            _instruction(_LOAD, _FLAGS),
            _instruction(_ANY_BIT, _MAP_ANONYMOUS, 1, 0),
            _instruction(_RETURN, _KILL),
            _instruction(_RETURN, _ALLOW),
        ]
    )
