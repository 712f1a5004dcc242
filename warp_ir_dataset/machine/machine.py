"""The side of the machine that compiles, loads and runs, in a process that whoever asks does not trust.

`prepare` does all that needs the system's help; `Prepared.run` needs none, so that a sandbox may be sealed
between the two. What it saw goes to pages that the other side reads.
"""

from __future__ import annotations

import ctypes
import functools
import json
import math
import mmap
import os
import re
import struct
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..compilers import announced, warp
from ..compilers.cuda_on_cpu import (
    ANCHORS,
    FIRSTS,
    INDEX,
    MOST_THUNKS,
    SECTIONS,
    SLOT,
    THUNK,
    THUNKS,
)
from . import text
from .findings import FIRST_NOTE, INACTIVE_LANE, LANE_USED, NAMES
from .objects import DATA, FUNCTION, Lines, Object, Symbol
from .text import Text

PAGE = mmap.PAGESIZE
MOST_THREADS, MOST_BLOCKS, MOST_TOTAL = 1024, 1 << 16, 1 << 20
MOST_STATIC, MOST_SHARED = 48 << 10, 232448  # bytes of shared memory
CONTROL, CONTROL_GAP = 64 << 10, 16 << 10
# Warp's functions are larger; its tiles lie behind the locals, and have 256 KiB.
CONTROL_OF_WARP, TILES = 256 << 10, 260 << 10
LOCALS = 256 << 20  # bytes for all stacks of locals, of which a thread has at most
MOST_LOCALS = 512 << 10
POOL = 192 << 20
REPORTS = 64
SLOTS = 128  # parameters, at most
FILE = "kernel.cu"
NO_KERNEL = "is not defined as __global__"
DEVICE, SHARED, READ_ONLY, INPUT = range(4)
STATIC_SHARED = ".bss.wm_shared"  # the section, as device.h has it
# Functions of the C library that clang makes calls to by itself.
_LIBC = ("memcpy", "memset", "memmove", "memcmp")
# What shuffles take from lanes that are not there: results that differ by it depend on such a lane.
_UNDEFINED = (0x7FBADBAD7FBADBAD, 0x3FABCDEF3FABCDEF)
_SIGNALS = (4, 7, 8, 11)  # SIGILL, SIGBUS, SIGFPE, SIGSEGV

_u32, _u64, _p = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p


class _Region(ctypes.Structure):
    _fields_ = [("low", _p), ("high", _p), ("cells", _p), ("kind", _u32), ("shift", _u32), ("set", _u64)]


class _Report(ctypes.Structure):
    _fields_ = [
        *((name, _u32) for name in ("kind", "pc", "other_pc", "region")),
        ("offset", _u64),
        *((name, _u32) for name in ("thread", "other", "count", "size")),
    ]


class _Config(ctypes.Structure):
    _fields_ = [
        ("grid", _u32 * 3),
        ("block", _u32 * 3),
        *((name, _p) for name in ("call", "arguments", "index", "text", "regions")),
        ("regions_count", _u64),
        ("control", _p),
        ("locals", _p),
        *((name, _u64) for name in ("control_size", "control_gap", "locals_size", "tiles_size")),
        *((name, _u32) for name in ("order", "seed", "preempt", "lone")),
        ("most_steps", _u64),
        ("reports", _p),
        ("most_reports", _u32),
        ("reports_count", _u32),
        *(
            (name, _u64)
            for name in ("steps", "accesses", "switches", "told_locals", "audited", "unannounced")
        ),
        ("pool", _p),
        ("pool_end", _p),
        ("unset", _p),
        ("ones", _u64),
        ("patterns", _u64),
        ("canary", _u64),
        ("undefined", _u64),
    ]


class _Action(ctypes.Structure):
    _fields_ = [("handler", _p), ("mask", ctypes.c_byte * 128), ("flags", ctypes.c_int), ("restorer", _p)]


class _Stack(ctypes.Structure):
    _fields_ = [("low", _p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]


_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = _p
_libc.mmap.argtypes = [_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.mprotect.argtypes = [_p, ctypes.c_size_t, ctypes.c_int]
_libc.madvise.argtypes = [_p, ctypes.c_size_t, ctypes.c_int]
_PRIVATE, _NO_RESERVE, _DONT_NEED = 0x22, 0x4000, 4


def _mapped(size: int) -> int:
    """Memory at a random address, between pages that cannot be touched. Raises `OSError`."""
    whole = -(-size // PAGE) * PAGE + 2 * PAGE
    hint = (0x100000000000 + int.from_bytes(os.urandom(6), "little") % 0x500000000000) & -PAGE
    found = _libc.mmap(hint, whole, 0, _PRIVATE | _NO_RESERVE, -1, 0)
    if found in (None, ctypes.c_void_p(-1).value):
        raise MemoryError("no room for the machine's memory")
    if _libc.mprotect(found + PAGE, whole - 2 * PAGE, 3):
        raise OSError(ctypes.get_errno(), "no memory can be protected")
    return int(found) + PAGE


# ---- the unit


@dataclass(frozen=True)
class Kernel:
    """A kernel by its name in the text; and the types of its parameters with their sizes in bytes, if it must
    have these: it need not describe them then."""

    name: str
    parameters: tuple[tuple[str, int], ...] | None = None

    @property
    def expression(self) -> str:
        """Its address, as both compilers know it. Raises `Refused`."""
        name = text.renamed(self.name)
        if self.parameters is None:
            return f"&{name}"
        return f"static_cast<void (*)({', '.join(self._types)})>(&{name})"

    @property
    def _types(self) -> list[str]:
        return [text.renamed_type(type) for type, _ in self.parameters or ()]

    def entries(self, number: int) -> str:
        """For clang, what describes it and what calls it."""
        call = f'extern "C" WM_QUIET void wm_call_{number}(char* slots)'
        if self.parameters is None:
            describe = f'extern "C" WM_QUIET int wm_describe_{number}(int* out)'
            return (
                f"{describe} {{ return wm_describe({self.expression}, out); }}\n"
                f"{call} {{ wm_invoke({self.expression}, slots); }}\n"
            )
        passed = ", ".join(f"*(wm_type_{i}*)(slots + {SLOT * i})" for i in range(len(self.parameters)))
        checks = "".join(
            f"typedef {type} wm_type_{i}; WM_PASSED(wm_type_{i}, {size})\n"
            for i, (type, (_, size)) in enumerate(zip(self._types, self.parameters, strict=True))
        )
        return f"{checks}{call} {{ ({self.expression})({passed}); }}\n"


@functools.cache
def start() -> announced.Made:
    """The runtime of this process, and the header: once, before any text comes. Raises `CompileError`."""
    runtime = Path(__file__).with_name("runtime.cpp").read_text(encoding="utf-8")
    return announced.made("".join(map(text.header, text.HEADERS)), runtime)


def _address(library: ctypes.CDLL, name: str) -> int:
    return ctypes.cast(getattr(library, name), _p).value or 0


# What texts with Warp's headers have otherwise, or not at all.
_NOT_OF_WARP = re.compile(
    r"^.*\b(?:wm_index\w*|(?:thread|block)Idx|(?:block|grid)Dim|warpSize|(?:wm_)?assert|printf"
    r"|(?:frexp|modf)f?)\b.*\n",
    re.MULTILINE,
)


@functools.cache
def warp_headers() -> str:
    """The folder of Warp's headers, with CUDA's own types and functions behind them, as plain CUDA has them.
    Raises `CompileError`."""
    whole = text.header("device.h")
    start = whole.index("#define WM_QUIET")
    own = _NOT_OF_WARP.sub("", whole[start : whole.index("template <typename T> struct wm_type ")])
    made = dict.fromkeys(["__device__", "__host__", *re.findall(r"^#define (\w+)", own, re.MULTILINE)])
    undone = "".join(f"#undef {name}\n" for name in made)
    return announced.warp_headers(f"#define __device__\n#define __host__\n{own}{undone}")


@functools.cache
def _addresses() -> dict[str, int]:
    """What a unit may call outside of itself."""
    found = start()
    symbols = Object(found.symbols).symbols
    ours = {each.name for each in symbols if each.kind == FUNCTION and each.is_global and each.section}
    libm, libc = ctypes.CDLL("libm.so.6"), ctypes.CDLL(None)
    known = {f"wm_c_{name}": _address(libm, name) for name in text.of_libm()}
    known |= {name: _address(libc, name) for name in _LIBC}
    return known | {name: found.runtime.address(name) for name in ours if name.startswith(("wm_", "__"))}


@functools.cache
def _announcements() -> dict[str, int]:
    """The same of a unit of Warp's: all else is in its headers, or the linker knows it."""
    known = _addresses()
    ours = {name: at for name, at in known.items() if name not in warp.declared()}
    return ours | {"printf": known["wm_printf"]}


@functools.cache
def warm_up(folder: str) -> None:
    """What the first text would wait for: the runtime, headers, addresses, known names, and a first call of
    NVRTC's."""
    start()
    warp_headers()
    _announcements()
    text.known()
    warp.gate_cuda(
        "__global__ void first() {}\n", os.path.join(folder, "first.cu"), os.path.join(folder, "first.ptx")
    )
    _libc.malloc_trim(0)  # a fork takes fresh pages sooner than it copies what is free in these


def units(read: Text, kernels: Sequence[Kernel], before: Text | None = None) -> tuple[str, str]:
    """A text for NVRTC and for clang, with an entry for each kernel; `before` is a text that stands before
    it."""
    line = f'\n#line 1 "{FILE}"\n'
    ahead = f'\n#line 1 "{FILE}.begin"\n'
    named = [each.expression for each in kernels]
    # A kernel that is there is one for both compilers, also if it is a template's.
    nvrtc = [
        f"__device__ void* wm_kernel_{i}() {{ return (void*)({name}); }}" for i, name in enumerate(named)
    ]
    body = (ahead + before.nvrtc if before else "") + line + read.nvrtc
    gate = _overloads(body) + text.header("both.h") + body
    gate += f'\n#line 1 "{FILE}.end"\n' + "\n".join(nvrtc) + "\n"
    entries = [each.entries(i) for i, each in enumerate(kernels)]
    tail = [
        f'\n#line 1 "{FILE}.end"\nextern "C" {{ extern __device__ char {", ".join(ANCHORS)};',
        f"__device__ char* {SECTIONS}[] = {{{', '.join('&' + each for each in ANCHORS)}}}; }}",
        f'extern "C" __device__ __attribute__((section(".{THUNKS}")))',
        f"char {THUNKS}[{MOST_THUNKS * THUNK}] = {{1}};",
        f'extern "C" {{ __device__ wm_index_type {INDEX} = {{}}; __device__ const int warpSize = 32; }}',
    ]
    unit = f'#include "{announced.HEADER}"' + (ahead + before.clang if before else "") + line + read.clang
    unit += "\n".join(tail) + "\n" + "".join(entries)
    return gate, unit


def _overloads(body: str) -> str:
    """For NVRTC, the functions of whole numbers and of two types that a text names."""
    words = frozenset(re.findall(r"[A-Za-z_]\w*", body))
    found, header = 0, text.header("nvrtc.h")

    def kept(overload: re.Match[str]) -> str:
        nonlocal found
        found += overload[1] in words
        return overload[0] if overload[1] in words else ""

    chosen = re.sub(r"(?<!#define )\bWM_OF_(?:WHOLE|TWO)\((\w+)\)", kept, header)
    return chosen if found else ""


class Unit:
    """A text, compiled and loaded by way of `files`: for the source, the object and PTX. Raises
    `CompileError`; bare exceptions are a compiler's, which has said why."""

    def __init__(
        self,
        gate: str,
        unit: str,
        dynamic: frozenset[str],
        kernels: Sequence[str],
        files: tuple[str, str, str],
        without: str = "",
        more: str = "",
    ) -> None:
        source, target, ptx = files
        made = start()
        self.most_threads: list[int] = []
        if gate:
            warp.gate_cuda(gate, source, ptx)
            self.most_threads = _most_threads(Path(ptx).read_text(encoding="utf-8"), kernels)
        warp.build_announced(unit, source, target, made.folder, without=without, more=more)
        self.object = Object(Path(target).read_bytes())
        symbols = {each.name: each for each in self.object.symbols if each.section}
        anchors = self._bind(symbols, dynamic)
        Path(target).write_bytes(self.object.data)
        self.library = warp.load_at(target)
        found = self.object
        self.sections = {index: self.library.address(name) for index, name in anchors.items()}
        for each in found.symbols:
            if (
                each.is_global
                and each.kind == FUNCTION
                and each.section
                and each.section not in self.sections
            ):
                self.sections[each.section] = self.library.address(each.name) - each.value
        self.text = min(at for i, at in self.sections.items() if found.sections[i].flags & 4)
        self._lines: Lines | None = None
        self.entries = [self.library.address(f"wm_call_{i}") for i in range(len(kernels))]
        self.dynamic = self.library.address("wm_dynamic")
        self._variables()

    def _bind(self, symbols: dict[str, Symbol], dynamic: frozenset[str]) -> dict[int, str]:
        """Give undefined symbols a place; returns the anchors by the sections of data that they lie in."""
        found = self.object
        thunks, pool = symbols[THUNKS], symbols["wm_dynamic"]
        anchors: dict[int, str] = {}
        data = [i for i, each in enumerate(found.sections) if each.flags & 2 and not each.flags & 4]
        data = [i for i in data if i != thunks.section and found.sections[i].size]
        addresses = _addresses()
        for each in found.undefined():
            if each.name in ANCHORS:
                index = ANCHORS.index(each.name)
                if index < len(data):
                    anchors[data[index]] = each.name
                found.define(each, data[index] if index < len(data) else pool.section, 0)
            elif each.name in addresses or each.name == "_GLOBAL_OFFSET_TABLE_":
                continue
            elif any(each.name == name or each.name.endswith(f"{len(name)}{name}E") for name in dynamic):
                found.define(each, pool.section, pool.value)
            elif each.name == "__tsan_vptr_read":
                raise warp.CompileError("a pointer to a member function: the machine does not have that")
            else:
                raise warp.CompileError(
                    f"{text.named_back(_plain(each.name))} is not defined, and none of CUDA's here"
                )
        if len(data) > len(ANCHORS):
            raise warp.CompileError("the text has more kinds of data than the machine takes")
        found.thunks(thunks, addresses)
        return anchors

    def _variables(self) -> None:
        found = self.object
        self.shared: list[tuple[str, int, int]] = []
        self.device: list[tuple[str, int, int]] = []
        for each in found.symbols:
            section = found.section(each)
            if each.kind != DATA or section is None or not each.section or not section.flags & 1:
                continue
            if section.is_constant:
                continue
            if "wm_gap" in each.name or each.name.startswith("wm_") or each.section not in self.sections:
                continue
            place = (text.named_back(_plain(each.name)), self.sections[each.section] + each.value, each.size)
            if section.name == STATIC_SHARED:
                self.shared.append(place)
            elif each.name.startswith("_ZZ"):
                raise warp.CompileError(
                    f"{place[0]}: a static variable in a function, which all threads have"
                )
            else:
                self.device.append(place)
        if sum(size for _, _, size in self.shared) > MOST_STATIC:
            raise warp.CompileError(f"a block has at most {MOST_STATIC:,} bytes of static shared memory")
        gaps = sorted(
            (self.sections[each.section] + each.value, each.size)
            for each in found.symbols
            if "wm_gap" in each.name and each.section in self.sections
        )
        self.constants: list[tuple[int, int]] = []
        for index, low in self.sections.items():
            if (section := found.sections[index]).is_constant:
                self.constants += _pieces(low, low + section.size, gaps)

    def line(self, pc: int) -> int | None:
        if self._lines is None:
            self._lines = self.object.lines(self.sections, FILE)
        return self._lines.of(self.text + pc - 1) if pc else None

    def parameters(self, kernel: int) -> list[tuple[bool, bool, str, int]]:
        """Of each: whether it is a pointer, whether to constants, the letter of a type, and its size."""
        out = (ctypes.c_int * (4 * SLOTS))()
        count = ctypes.CFUNCTYPE(ctypes.c_int, _p)(self.library.address(f"wm_describe_{kernel}"))(
            ctypes.addressof(out)
        )
        if count < 0:
            raise warp.CompileError(f"the kernel has more than {SLOTS} parameters")
        rows = [out[4 * i : 4 * i + 4] for i in range(count)]
        return [(bool(a), bool(b), chr(c), d) for a, b, c, d in rows]


def _most_threads(ptx: str, kernels: Sequence[str]) -> list[int]:
    """Of each kernel, the threads that a block may have by its `__launch_bounds__`. Raises `CompileError` for
    what NVRTC does not take for a kernel that the host may launch."""
    entries = re.findall(r"\.entry\s+(\w+)\s*\([^)]*\)([^{]*)", ptx)
    found = []
    for kernel in kernels:
        name = re.sub(r"<.*", "", text.renamed(kernel)).rpartition("::")[2].strip()
        mangled = re.compile(rf"(?<!\d){len(name)}{name}")
        heads = [head for each, head in entries if each == name or mangled.search(each)]
        if not heads:
            raise warp.CompileError(f"{kernel} {NO_KERNEL}")
        bounds = [re.search(r"\.maxntid\s+(\d+(?:,\s*\d+)*)", head) for head in heads]
        sizes = [math.prod(map(int, each[1].split(","))) for each in bounds if each]
        found.append(min([MOST_THREADS, *sizes]))
    return found


def _pieces(low: int, high: int, gaps: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What is left of a range without its gaps, in order."""
    for start, size in gaps:
        if low <= start < high:
            if start > low:
                yield low, start
            low = start + size
    if high > low:
        yield low, high


# A table that clang refers to, and the only variable of Warp's headers.
_TABLE = "_GLOBAL_OFFSET_TABLE_"
_TILES = "_ZZN2wp21tile_shared_storage_t13get_smem_baseEvE9smem_base"
# Functions of tiles, which all are for threads of a block together; not the storage, which each text sets up.
_OF_TILES = re.compile(r"_ZN?K?2wp\d+(?!tile_shared_storage_t)(?:un)?tile")


def check_alone(code: Object, ours: Collection[str]) -> None:
    """Look whether the code of a text with Warp's headers calls nothing that a device has not, and keeps
    nothing from one launch to the next; `ours` are names of what stands around it. Raises `CompileError`."""
    for symbol in code.undefined():
        if symbol.name not in warp.declared() and symbol.name not in (_TABLE, *ours):
            raise warp.CompileError(f"{symbol.name} is called, which no device has")
    kept = (each for each in code.variables() if each.name not in (_TILES, *ours))
    if any(not (place := code.section(each)) or not place.is_constant for each in kept):
        raise warp.CompileError("a static variable keeps what a launch leaves there")


class UnitOfWarp:
    """A text with Warp's headers, compiled and loaded by way of `files`; its `entries` are called with slots.
    See `Unit`, whose place it takes for launches that are placed."""

    def __init__(
        self,
        unit: str,
        entries: Sequence[str],
        files: tuple[str, str, str],
        *,
        tiles: bool,
        without: str = "",
        more: str = "",
    ) -> None:
        source, target, _ = files
        folder = warp_headers()
        warp.build_announced(unit, source, target, folder, of_warp=True, without=without, more=more)
        self.object = Object(Path(target).read_bytes())
        if not tiles and any(_OF_TILES.match(each.name) for each in self.object.symbols):
            raise warp.CompileError("tiles are not judged: here a block has one thread for them")
        addresses = _announcements()
        check_alone(self.object, (*addresses, *ANCHORS, INDEX, SECTIONS, THUNKS, FIRSTS))
        symbols = {each.name: each for each in self.object.symbols if each.section}
        constants = self._anchor(symbols[THUNKS].section)
        self.object.thunks(symbols[THUNKS], addresses)
        Path(target).write_bytes(self.object.data)
        self.library = warp.load_at(target)
        try:
            self.entries = [self.library.address(entry) for entry in entries]
            self.text = self.entries[0]
            starts = [(self.library.address(anchor), size) for anchor, size in constants.items()]
        except KeyError:
            raise warp.CompileError("the kernel that is asked for is not there") from None
        self.dynamic = 0  # there is no memory of a block's
        self.shared: list[tuple[str, int, int]] = []
        self.device: list[tuple[str, int, int]] = []
        self.constants = [(start, start + size) for start, size in starts]

    def _anchor(self, elsewhere: int) -> dict[str, int]:
        """Let anchors be the starts of the sections of constants, whose sizes are returned; what is left of
        them is `elsewhere`, in some section."""
        code = self.object
        places = [i for i, each in enumerate(code.sections) if each.is_constant and each.size]
        if len(places) > len(ANCHORS):
            raise warp.CompileError("the text has more kinds of data than the machine takes")
        for each in code.undefined():
            if each.name in ANCHORS:
                index = ANCHORS.index(each.name)
                code.define(each, places[index] if index < len(places) else elsewhere, 0)
        return {anchor: code.sections[i].size for anchor, i in zip(ANCHORS, places, strict=False)}

    def line(self, pc: int) -> int | None:
        """Lines cost clang a quarter more."""
        return None


def _plain(name: str) -> str:
    """The last name of a mangled one."""
    found = re.findall(r"\d+([A-Za-z_]\w*?)(?=E|\Z|_\d+\Z)", name) if name.startswith("_Z") else []
    return re.sub(r"^.*?E\d+", "", found[-1]) if found else name


# ---- a job


@dataclass
class _Array:
    """`initial` is what it holds before each pass; None for one whose pages are mapped as they are, which
    one pass alone uses."""

    low: int
    size: int
    initial: bytes | None
    item: int


class Prepared:
    """A job whose text is compiled and loaded, with all memory that it needs."""

    def __init__(
        self, job: dict[str, Any], files: tuple[str, str, str], shared: mmap.mmap, sealed: bool = True
    ) -> None:
        self.job, self.shared = job, shared
        self.unit: Unit | UnitOfWarp
        if job["of_warp"]:
            self.unit = UnitOfWarp(job["unit"], job["kernels"], files, tiles=job["tiles"], **job["flags"])
        else:
            self.unit = Unit(
                job["gate"], job["unit"], frozenset(job["dynamic"]), job["kernels"], files, **job["flags"]
            )
        if isinstance(self.unit, Unit):
            _check_bounds(job, self.unit.most_threads)
        runtime = start().runtime
        self._launch = ctypes.CFUNCTYPE(ctypes.c_int, _p)(runtime.address("wm_launch"))
        sizes = {name: _number(runtime, f"wm_{name}_size") for name in ("state", "cell")}
        self._cell = sizes["cell"]
        self.described = []
        if isinstance(self.unit, Unit) and not job["placed"]:
            self.described = [self.unit.parameters(i) for i in range(len(job["kernels"]))]
            for launch in job["launches"]:
                _check(launch, self.described[launch["kernel"]], job["arrays"])
        self.arrays = [self._array(each) for each in job["arrays"]]
        most = max(_volume(launch["block"]) for launch in job["launches"])
        self._memory(most, sizes["state"], max(_volume(launch["grid"]) for launch in job["launches"]))
        self._prime(runtime, most)

    def _array(self, array: dict[str, int]) -> _Array:
        size = array["size"]
        if "address" in array:
            return _Array(array["address"], size, None, array["item"])
        initial = self.shared[array["offset"] : array["offset"] + size]
        return _Array(_mapped(max(size, 1)), size, initial, array["item"])

    def _room(self, size: int) -> int:
        """Bytes for the cells of so many bytes, in whole pages."""
        return -(-max(size, 1) * self._cell // PAGE) * PAGE

    def _memory(self, threads: int, state: int, blocks: int) -> None:
        self.canary = int.from_bytes(os.urandom(8), "little") | 1
        self._state, self._order = _mapped(state), _mapped(4 * blocks)
        size = self._control_size = CONTROL_OF_WARP if self.job["of_warp"] else CONTROL
        self._control = _mapped(threads * (size + CONTROL_GAP))
        for i in range(threads):
            _libc.mprotect(self._control + i * (size + CONTROL_GAP) + size, CONTROL_GAP, 0)
        self._tiles_size = TILES if self.job["of_warp"] else 0
        self._locals_size = min(MOST_LOCALS, LOCALS // threads) // PAGE * PAGE + self._tiles_size
        self._locals = _mapped(threads * self._locals_size)
        self._unset = _mapped(threads * self._locals_size)
        self._pool = _mapped(POOL)
        self._config, self._reports = (
            _mapped(ctypes.sizeof(_Config)),
            _mapped(ctypes.sizeof(_Report) * REPORTS),
        )
        self._slots = _mapped(SLOT * SLOTS)
        used = (sum(self._room(self.arrays[i].size) for i in each["arrays"]) for each in self.job["launches"])
        self._cells = _mapped(max(1, *used, 1))
        unit = self.unit
        self._shared_cells = {at: _mapped(size * self._cell) for _, at, size in unit.shared if size}
        self._device_cells = {at: _mapped(size * self._cell) for _, at, size in unit.device if size}
        self._first = {at: ctypes.string_at(at, size) for _, at, size in unit.device}
        self._dynamic_cells = _mapped(max(1, *(each["shared"] for each in self.job["launches"])) * self._cell)
        self._regions = _mapped(ctypes.sizeof(_Region) * 4096)

    def _prime(self, runtime: warp.Library, threads: int) -> None:
        ctypes.CFUNCTYPE(None, _p, _u64, _p)(runtime.address("wm_start"))(
            self._state, self.canary, self._order
        )
        config = _Config.from_address(self._config)
        config.control, config.control_size = self._control, self._control_size
        config.control_gap, config.tiles_size = CONTROL_GAP, self._tiles_size
        config.locals, config.locals_size, config.text = self._locals, self._locals_size, self.unit.text
        ctypes.CFUNCTYPE(None, _p, _u32)(runtime.address("wm_prime"))(self._config, threads)
        size = 64 << 10
        stack = _Stack(_mapped(size), 0, size)
        _libc.sigaltstack(ctypes.byref(stack), None)
        on_stack, information, again = 0x08000000, 4, 0x40000000
        action = _Action(runtime.address("wm_signal"), flags=on_stack | information | again)
        self._actions = (_Action * len(_SIGNALS))()
        for number, before in zip(_SIGNALS, self._actions, strict=True):
            _libc.sigaction(number, ctypes.byref(action), ctypes.byref(before))

    def release(self) -> None:
        """Give signals back to whoever had them: only tests run on in this process."""
        for number, before in zip(_SIGNALS, self._actions, strict=True):
            _libc.sigaction(number, ctypes.byref(before), None)
        self.unit.library.unload()

    def run(self) -> None:
        """Run all launches, each in all its passes, and leave in the shared pages what became of them."""
        told: list[list[dict[str, Any]]] = []
        for launch in self.job["launches"]:
            told.append([])
            for number in range(len(launch["passes"])):
                told[-1].append(self._pass(launch, number))
                if not self.job["placed"]:
                    self._look_for_lanes(launch, number, told[-1][-1]["reports"])
                if any(NAMES[each["kind"]] == "hang" for each in told[-1][-1]["reports"]):
                    break  # the others would take as long
            ends = self.job["placed"] and not self.job["goes_on"]
            if ends and any(each["kind"] < FIRST_NOTE for each in told[-1][-1]["reports"]):
                break
        body = json.dumps({"token": self.job["token"], "launches": told}).encode()
        at = self.job["answer"]
        if len(body) > self.job["answer_size"] - 8:
            body = b"{}"
        self.shared[at + 8 : at + 8 + len(body)] = body
        self.shared[at : at + 8] = len(body).to_bytes(8, "little")

    def _look_for_lanes(self, launch: dict[str, Any], number: int, reports: list[dict[str, Any]]) -> None:
        """Whether results depend on lanes that are not there: then they are others by another value of such
        lanes."""
        lanes = [each for each in reports if each["kind"] == INACTIVE_LANE]
        if not lanes or any(each["kind"] < FIRST_NOTE for each in reports):
            return
        before = self._left(launch, number)
        self._pass(launch, number, _UNDEFINED[1])
        if self._left(launch, number) != before:
            reports.append(lanes[0] | {"kind": LANE_USED})

    def _left(self, launch: dict[str, Any], number: int) -> list[bytes]:
        found = zip(self.arrays, launch["results"][number], strict=False)
        return [self.shared[at : at + each.size] for each, at in found if at is not None]

    def _pass(self, launch: dict[str, Any], number: int, undefined: int = _UNDEFINED[0]) -> dict[str, Any]:
        order, preempt, lone, seed = launch["passes"][number]
        regions = self._placed(launch)
        config = _Config.from_address(self._config)
        config.grid[:], config.block[:] = launch["grid"], launch["block"]
        config.call = self.unit.entries[launch["kernel"]]
        config.arguments, config.index, config.text = (
            self._slots,
            self.unit.library.address(INDEX),
            self.unit.text,
        )
        config.regions, config.regions_count = self._regions, len(regions)
        config.order, config.seed, config.preempt, config.lone = order, seed, preempt, lone
        config.most_steps, config.reports, config.most_reports = launch["steps"], self._reports, REPORTS
        config.reports_count = config.accesses = config.switches = config.told_locals = 0
        config.audited = config.unannounced = 0
        config.pool, config.pool_end, config.canary = self._pool, self._pool + POOL, self.canary
        config.unset, config.ones, config.undefined = self._unset, self.job["ones"], undefined
        config.patterns = self.job["patterns"]
        stopped = self._launch(self._config)
        for each, at in zip(self.arrays, launch["results"][number], strict=False):
            if at is not None:
                self.shared[at : at + each.size] = ctypes.string_at(each.low, each.size)
        names = [name for name, _ in regions]
        reports = [self._report(config, i, names) for i in range(min(config.reports_count, REPORTS))]
        return {
            "reports": [each for each in reports if each["kind"] not in self.job["ignored"]],
            "whole": stopped >= 0,
            "stopped": stopped != 0,
            "steps": config.steps,
            "accesses": config.accesses,
            "locals": config.told_locals,
            "audited": config.audited,
            "unannounced": config.unannounced,
        }

    def _placed(self, launch: dict[str, Any]) -> list[tuple[str, _Region]]:
        """Regions and arguments as they are before a pass."""
        unit = self.unit
        index = unit.library.address(INDEX)
        found = [("the built-in variables", _Region(index, index + 48, None, READ_ONLY, 0, 1))]
        inputs = launch["inputs"] if self.job["placed"] else _inputs(launch, self.described[launch["kernel"]])
        for position, value in enumerate(launch["parameters"]):
            packed = self._packed(launch, position, value)
            ctypes.memmove(self._slots + SLOT * position, packed, len(packed))
        cells = self._cells
        for number in launch["arrays"]:
            each = self.arrays[number]
            if each.initial is not None:
                ctypes.memmove(each.low, each.initial, each.size)
            kind = INPUT if number in inputs else DEVICE
            self._clear(cells, each.size)
            unset = number in launch.get("unset", ())
            shift = 2 if each.item % 4 == 0 else 0
            region = _Region(each.low, each.low + each.size, cells, kind, shift, not unset)
            found.append((self.job["arrays"][number]["name"], region))
            cells += self._room(each.size)
        for name, at, size in unit.device:
            if size:
                if not self.job["placed"]:  # else launches follow each other, as on a device
                    ctypes.memmove(at, self._first[at], size)
                self._clear(self._device_cells[at], size)
                found.append((name, _Region(at, at + size, self._device_cells[at], DEVICE, 2, 1)))
        for name, at, size in unit.shared:
            if size:
                found.append((name, _Region(at, at + size, self._shared_cells[at], SHARED, 2, 0)))
        if size := launch["shared"]:
            at = unit.dynamic
            found.append(("dynamic shared memory", _Region(at, at + size, self._dynamic_cells, SHARED, 2, 0)))
        found += [("a constant", _Region(low, high, None, READ_ONLY, 0, 1)) for low, high in unit.constants]
        if len(found) > 4096:
            raise MemoryError("more variables than the machine takes")
        for place, (_, region) in enumerate(found):
            ctypes.memmove(
                self._regions + place * ctypes.sizeof(_Region), ctypes.byref(region), ctypes.sizeof(_Region)
            )
        return found

    def _packed(self, launch: dict[str, Any], position: int, value: Any) -> bytes:
        if self.job["placed"]:
            return bytes.fromhex(value)
        pointer, _, letter, size = self.described[launch["kernel"]][position]
        if not pointer:
            return _packed(value, letter, size)
        return (0 if value is None else self.arrays[value].low).to_bytes(8, "little")

    def _clear(self, cells: int, size: int) -> None:
        whole = max(size, 1) * self._cell
        if whole < 64 << 10:
            ctypes.memset(cells, 0, whole)
        else:
            _libc.madvise(cells, -(-whole // PAGE) * PAGE, _DONT_NEED)

    def _report(self, config: _Config, index: int, names: list[str]) -> dict[str, Any]:
        report = _Report.from_address(self._reports + index * ctypes.sizeof(_Report))
        region = report.region
        where, offset = (names[region], report.offset) if region < len(names) else ("", report.offset)
        if region >= len(names) and NAMES[report.kind] == "out of bounds":
            where, offset = self._near(report.offset, names)
        return {
            "kind": report.kind,
            "line": self.unit.line(report.pc),
            "other_line": self.unit.line(report.other_pc),
            "where": where,
            "offset": offset,
            "thread": report.thread,
            "other": report.other,
            "count": report.count,
            "size": report.size & 0x7FFFFFFF,
            "writes": bool(report.size >> 31),
            "mask": report.offset & 0xFFFFFFFF,
        }

    def _near(self, address: int, names: list[str]) -> tuple[str, int]:
        """The variable beside which an address lies, and how far behind its start."""
        best: tuple[int, str, int] | None = None
        for index, name in enumerate(names):
            region = _Region.from_address(self._regions + index * ctypes.sizeof(_Region))
            low, high = region.low or 0, region.high or 0
            far = low - address if address < low else address - high
            if far < 1 << 16 and (best is None or far < best[0]):
                best = (far, name, address - low)
        return ("null" if address < PAGE else "", 0) if best is None else best[1:]


def _number(library: warp.Library, name: str) -> int:
    return int(ctypes.CFUNCTYPE(_u64)(library.address(name))())


def _volume(size: list[int]) -> int:
    return size[0] * size[1] * size[2]


def _inputs(launch: dict[str, Any], described: list[tuple[bool, bool, str, int]]) -> set[int]:
    """Arrays that the kernel has through pointers to constants alone."""
    uses: dict[int, set[bool]] = {}
    for value, (pointer, constant, _, _) in zip(launch["parameters"], described, strict=True):
        if pointer and value is not None:
            uses.setdefault(value, set()).add(constant)
    return {number for number, constants in uses.items() if constants == {True}}


def _packed(value: float | int, letter: str, size: int) -> bytes:
    if letter == "f":
        return struct.pack("<f" if size == 4 else "<d", value)
    return (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")


def _check_bounds(job: dict[str, Any], most: Sequence[int]) -> None:
    """Raises `CompileError` for a launch that a kernel's `__launch_bounds__` forbid."""
    for launch in job["launches"]:
        number = launch["kernel"]
        if most and _volume(launch["block"]) > most[number]:
            name = job["kernels"][number]
            raise warp.CompileError(
                f"{name} has __launch_bounds__ of {most[number]} threads, and is launched with more"
            )


_LETTERS = {
    "f": "floating-point numbers",
    "i": "signed integers",
    "u": "unsigned integers",
    "b": "truth values",
}


def _check(
    launch: dict[str, Any], described: list[tuple[bool, bool, str, int]], arrays: list[dict[str, Any]]
) -> None:
    """Raises `CompileError` for arguments that are not the kernel's."""
    values = launch["parameters"]
    if len(values) != len(described):
        raise warp.CompileError(
            f"the kernel has {len(described)} parameters, and {len(values)} arguments are given"
        )
    for position, (value, (pointer, _, letter, size)) in enumerate(zip(values, described, strict=True), 1):
        if launch["is_array"][position - 1] != pointer:
            one, other = ("a pointer", "a number") if pointer else ("no pointer", "an array")
            raise warp.CompileError(
                f"parameter {position} of the kernel is {one}, and its argument is {other}"
            )
        if not pointer:
            whole = isinstance(value, (int, bool))
            if letter not in _LETTERS or (letter != "f" and not whole):
                what = _LETTERS.get(letter, "of a type of its own")
                raise warp.CompileError(f"parameter {position} of the kernel takes {what}, not {value}")
            low, high = (
                (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if letter == "i" else (0, (1 << 8 * size) - 1)
            )
            if letter in "iu" and not low <= value <= high:
                raise warp.CompileError(
                    f"parameter {position} of the kernel has {8 * size} bits, and {value} has more"
                )
        elif value is not None and letter in "fiu" and size:
            array = arrays[value]
            if (array["letter"], array["item"]) != (letter, size) and array["letter"] != "o":
                told = f"{_LETTERS[letter]} of {8 * size} bits"
                raise warp.CompileError(
                    f"parameter {position} of the kernel points to {told}, and its array is of others"
                )
