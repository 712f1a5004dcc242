"""Linux system calls for which Python has no function, by ctypes (x86-64)."""

from __future__ import annotations

import ctypes
import os
import platform
import sys

# Numbers of the calls that a cage lets through or makes itself. Of x86-64; nothing else is caged.
NUMBERS = {
    name: number
    for number, name in {
        0: "read", 1: "write", 2: "open", 3: "close", 4: "stat", 5: "fstat", 6: "lstat", 7: "poll",
        8: "lseek", 9: "mmap", 10: "mprotect", 11: "munmap", 12: "brk", 13: "rt_sigaction",
        14: "rt_sigprocmask", 15: "rt_sigreturn", 16: "ioctl", 17: "pread64", 20: "writev", 21: "access",
        24: "sched_yield", 25: "mremap", 28: "madvise", 32: "dup", 33: "dup2", 35: "nanosleep", 39: "getpid",
        60: "exit", 63: "uname", 72: "fcntl", 77: "ftruncate", 79: "getcwd", 89: "readlink", 96:
        "gettimeofday", 97: "getrlimit", 98: "getrusage", 99: "sysinfo", 102: "getuid", 104: "getgid", 107:
        "geteuid", 108: "getegid", 110: "getppid", 131: "sigaltstack", 157: "prctl", 186: "gettid", 201:
        "time", 202: "futex", 204: "sched_getaffinity", 217: "getdents64", 228: "clock_gettime", 230:
        "clock_nanosleep", 231: "exit_group", 257: "openat", 262: "newfstatat", 267: "readlinkat", 302:
        "prlimit64", 317: "seccomp", 318: "getrandom", 334: "rseq", 439: "faccessat2",
    }.items()
}  # fmt: skip
_CAPSET = 126
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWIPC = 0x10000000, 0x40000000, 0x08000000
MAP_SHARED, MAP_FIXED_NOREPLACE, PROT_READ, PROT_WRITE = 1, 0x100000, 1, 2

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]


def supported() -> bool:
    """Whether the numbers above are those of this system."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def call(number: int, *arguments: object) -> int:
    """A system call by its number. Raises `OSError`."""
    return _checked(_libc.syscall(ctypes.c_long(number), *arguments))


def prctl(option: int, value: int) -> None:
    """Raises `OSError`."""
    _checked(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0))


def unshare(flags: int) -> None:
    """Leave the namespaces in `flags` for new ones. Raises `OSError`."""
    _checked(_libc.unshare(flags))


def map_shared(address: int, size: int, protection: int, descriptor: int, offset: int) -> None:
    """Map a part of a file, shared, exactly at `address`. Raises `OSError`."""
    flags = MAP_SHARED | MAP_FIXED_NOREPLACE
    found = _libc.mmap(address, size, protection, flags, descriptor, offset)
    if found != address:
        raise OSError(ctypes.get_errno(), f"nothing can be mapped at {address:#x}")


def drop_capabilities() -> None:
    """Give up all that a privileged user may do beyond others. Raises `OSError`."""
    version3 = 0x20080522
    call(_CAPSET, (ctypes.c_uint32 * 2)(version3, 0), (ctypes.c_uint32 * 6)())


# ---- Landlock

# What each version of Landlock added to the ways of using a file; from the first on, execute, write, read,
# list, remove and make of all kinds.
_FILE_RIGHTS = {1: 0x1FFF, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_NET_RIGHTS = {4: 0b11}  # bind and connect, by TCP
_SCOPES = {6: 0b11}  # abstract sockets, and signals to processes outside
LANDLOCK_READ = 0b1100  # files and folders
LANDLOCK_USE = 0b0110  # write to a file and read it
LANDLOCK_TRUNCATE = 1 << 14
_PATH_BENEATH = 1


def landlock_version() -> int:
    """Raises `OSError` where the system has no Landlock."""
    return call(_LANDLOCK_CREATE, None, 0, 1)


def _since(rights: dict[int, int], version: int) -> int:
    return sum(mask for first, mask in rights.items() if first <= version)


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def restrict_files(readable: tuple[str, ...], writable: tuple[str, ...]) -> None:
    """From now on nothing opens a file but below `readable` folders, for reading, and the `writable` files.

    Also no TCP and no signals to other processes, where this version of Landlock can forbid that. Raises
    `OSError`.
    """
    version = landlock_version()
    handled = _since(_FILE_RIGHTS, version)
    wanted = _Ruleset(handled, _since(_NET_RIGHTS, version), _since(_SCOPES, version))
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = call(_LANDLOCK_CREATE, ctypes.byref(wanted), ctypes.c_size_t(size), 0)
    allowed = [(path, LANDLOCK_READ) for path in readable]
    allowed += [(path, LANDLOCK_USE | LANDLOCK_TRUNCATE) for path in writable]
    for path, rights in allowed:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = _Beneath(rights & handled, place)
        call(_LANDLOCK_ADD, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
        os.close(place)
    call(_LANDLOCK_RESTRICT, rules, 0)
    os.close(rules)
