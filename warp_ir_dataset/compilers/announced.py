"""CUDA for this processor with every access announced: headers and the runtime, made once per machine.

clang wants a header where it was precompiled, so each lies in a folder of the machine's cache, or in this
process's own where there is no cache. A file says that the folder is whole, and what its files hold.

For plain CUDA there is one header, of our own. For texts that Warp generates there are Warp's own headers,
in which each atomic function says that it begins and ends: on this processor, it reads and writes like any
other. And tiles lie in memory of the thread that runs, as others go on beside it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from ..common.caches import root
from ..common.errors import UserError
from . import warp
from .cuda_on_cpu import NUMBER, OBJECT, QUIET, TILES

FOLDER, WHOLE, HEADER, RUNTIME = "machine", "whole", "builtin.h", "runtime.o"
FOUR = "wm_float4"
PATIENCE = 60.0  # seconds for another process that makes it, which takes two


@dataclass(frozen=True)
class Made:
    """A folder with a precompiled header, and the runtime, loaded."""

    folder: str
    runtime: warp.Library
    symbols: bytes  # the runtime's object file


@functools.cache
def made(header: str, runtime: str) -> Made:
    """Raises `CompileError`."""
    warp.start()
    place = _whole(warp.announced_key(header, runtime), lambda place: _make(place, header, runtime))
    target = place / RUNTIME
    return Made(str(place), warp.load_at(str(target)), target.read_bytes())


@functools.cache
def warp_headers(behind: str) -> str:
    """The folder of Warp's headers, changed, and with the text `behind` them. Raises `CompileError`."""
    warp.start()
    key = warp.announced_key(repr(_CHANGED), behind)
    return str(_whole(key, lambda place: _make_warp_headers(place, behind)))


def _whole(key: str, make: Callable[[Path], None]) -> Path:
    """A folder that somebody made, or that is made now."""
    try:
        place = root() / FOLDER / key
        place.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{place}.lock", timeout=PATIENCE):
            if not _is_whole(place):
                _make_whole(place, make)
    except (OSError, UserError):  # no cache, or one that is not ours; also a timeout
        place = Path(warp.scratch().name, FOLDER, key)
        place.mkdir(parents=True, exist_ok=True)
        _make_whole(place, make)
    return place


def _files(place: Path) -> list[Path]:
    return sorted(path for path in place.iterdir() if path.is_file() and path.name != WHOLE)


def _digest(place: Path) -> str:
    files = [(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in _files(place)]
    return hashlib.sha256(repr(files).encode()).hexdigest()


def _is_whole(place: Path) -> bool:
    seen = place.stat()
    if seen.st_uid != os.geteuid() or seen.st_mode & 0o002:
        raise UserError(f"{place} is not this user's alone")
    with suppress(OSError):
        return (place / WHOLE).read_text() == _digest(place)
    return False


def _make_whole(place: Path, make: Callable[[Path], None]) -> None:
    for file in place.iterdir():
        file.unlink()
    make(place)
    (place / WHOLE).write_text(_digest(place))


def _make(place: Path, header: str, runtime: str) -> None:
    (place / HEADER).write_text("#pragma once\n" + header, encoding="utf-8")
    source = place / "runtime.cpp"
    source.write_text(runtime, encoding="utf-8")
    warp.build_runtime(str(source), str(place / RUNTIME))
    unit = f'#include "{HEADER}"\n'
    warp.build_announced(unit, str(place / "first.cpp"), str(place / "first.o"), str(place))


# The types that a device changes by an atomic; Warp's of vectors and arrays change several of these in turn.
_NUMBERS = ("int", "unsigned", "long long", "unsigned long long", "float", "double", "half", "wp_bfloat16")
_DECLARED = f"""
extern "C" {{
void wm_atomic_begins(void*, unsigned long, void*);
void wm_atomic_ends();
char* {TILES}();
}}
namespace wp {{
struct half;
struct wp_bfloat16;
template <typename T> struct {NUMBER} {{ static const bool value = false; }};
{"".join(f"template <> struct {NUMBER}<{type}> {{ static const bool value = true; }};" for type in _NUMBERS)}
struct {OBJECT}
{{
    template <typename T> {QUIET} {OBJECT}(T* p)
    {{
        static_assert({NUMBER}<T>::value, "a device has no atomics of this type");
        wm_atomic_begins(p, sizeof(T), __builtin_return_address(0));
    }}
    {QUIET} ~{OBJECT}() {{ wm_atomic_ends(); }}
}};
}}
"""
_ATOMIC = r"\batomic_(?:add|min|max|cas|exch|and|or|xor)"
# Of each header, what is changed in it, how often, and to what. Each atomic function for a number begins with
# an object that lives as long; those for vectors and arrays call these.
_CHANGED = {
    HEADER: (
        (re.compile(r"^#pragma once\n", re.MULTILINE), 1, rf"\g<0>{_DECLARED}"),
        (
            re.compile(rf"{_ATOMIC}\(\w+\* (\w+), [^()]*\)\n\{{\n"),
            23,
            rf"\g<0>    {OBJECT} one(\1);\n",
        ),
        # After a loop Warp assigns its variable to an earlier one of that name, also if it has no value since
        # the loop had no iteration. That reads nothing: what is copied has no value either.
        (
            re.compile(r"(void assign\(T& dest, const T& src\) \{) dest = src; \}"),
            1,
            r"\1\n    if constexpr (__is_trivially_copyable(T)) __builtin_memcpy(&dest, &src, sizeof(T));\n"
            r"    else dest = src;\n}",
        ),
    ),
    "tile.h": (
        (
            re.compile(r"static unsigned int smem_base\[.*\n +return smem_base;"),
            1,
            f"return (unsigned*){TILES}();",
        ),
        # A text may have CUDA's own.
        (
            re.compile(r"(struct alignas\(16\)) float4 (\{[^}]*\};)"),
            1,
            rf"\1 {FOUR} \2\n#define float4 {FOUR}",
        ),
        (re.compile(r"static char dynamic_smem_base\[.*\n +return \w+;"), 1, f"return {TILES}() + 128;"),
    ),
}


def _make_warp_headers(place: Path, behind: str) -> None:
    """Links to Warp's headers, but for those that are changed, which are precompiled with all others."""
    folder = Path(warp.header_folders()[0])
    for file in folder.iterdir():
        if file.name not in _CHANGED:
            (place / file.name).symlink_to(file)
    for name, changes in _CHANGED.items():
        header = (folder / name).read_text(encoding="utf-8")
        for pattern, times, instead in changes:
            header, found = pattern.subn(instead, header)
            if found != times:
                raise warp.CompileError(f"Warp's header {name} is not as it was")
        (place / name).write_text(
            header + (f"#undef float4\n{behind}" if name == HEADER else ""), encoding="utf-8"
        )
    files = str(place / "first.cpp"), str(place / "first.o")
    warp.build_announced(warp.preamble("cpu"), *files, str(place), of_warp=True)
