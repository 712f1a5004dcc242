"""Warp, clang and NVRTC: from a kernel's Python source to code text, object code and PTX.

The only file that touches Warp's private modules. Warp's own defaults decide what the text looks like;
what is ours is that the text becomes a pure function of the source: one Warp module per kernel, one
constant file name, helper functions numbered from zero, no hashes.

Text for the CPU is the form that a launch on the CPU compiles (`block_dim` 1); `wp.compile_aot_module`
writes the same text for a module whose `block_dim` option is 1, and its default form, which wraps the
same kernel for blocks of 256 cooperating fibers, is one no plain launch ever runs.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import functools
import gc
import io
import itertools
import json
import linecache
import os
import platform
import re
import sys
import tempfile
import traceback
import types
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import warp as wp
from warp._src import build as warp_build
from warp._src import codegen as warp_codegen
from warp._src import context as warp_context
from warp._src import types as warp_types

from ..common.versions import check_warp
from ..language.types import Type
from . import headers, layout, warp_text
from .architectures import capability
from .layout import Layout

# How units are compiled. Level 0 for the generic processor: higher levels fold calls of the C library and
# fuse operations, and results would then depend on the machine that built the row. NVRTC's are Warp's own.
# Templates of Warp's headers are made once, with the precompiled header, and not in each unit: 55 ms of each.
CLANG_OPTIONS = {"optimization_level": 0, "extra_flags": "-fpch-instantiate-templates"}
_FILLED = "-ftrivial-auto-var-init=pattern"
NVRTC_OPTIONS = {"config": "release", "optimization_level": 3, "fast_math": False, "fuse_fp": True}
# What of Warp's settings would change the text, and is no business of a kernel's; the last one, which does
# not, has Warp note which arrays are read and written.
FIXED_OPTIONS = {
    "mode": "release",
    "verify_fp": False,
    "line_directives": False,
    "verify_autograd_array_access": True,
}
# What of a module's options NVRTC is told, beside the text.
NVRTC_TOLD = ("fast_math", "fuse_fp", "optimization_level")
CUDA_BLOCK = 256  # Warp's own default
# CUDA in code of this processor where each access and each step is announced to a runtime, before it is made:
# those of locals too, which lie on a stack of their own. Bounds, divisors, alignment and the targets of
# calls are checked where they can be, locals are filled, and assembly is refused.
ANNOUNCED = """
    -x cuda -fcuda-is-device -fno-caret-diagnostics -Wno-everything -fno-gnu-inline-asm
    -fsanitize=thread,safe-stack,kcfi,array-bounds,local-bounds,alignment,return,shift-exponent,float-cast-overflow
    -fsanitize-minimal-runtime -ftrivial-auto-var-init=pattern -fstack-clash-protection
    -fsanitize-coverage-type=3 -fsanitize-coverage-trace-pc
    -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-distinguish-volatile=1
    -mllvm -tsan-instrument-read-before-write=1 -mllvm -tsan-omit-by-pointer-capturing=0
    -mllvm -safestack-use-pointer-address=1 -mllvm -sanitizer-coverage-prune-blocks=0
    -debug-info-kind=line-tables-only -dwarf-version=4 -Wuninitialized -fpch-instantiate-templates
    -Werror=dangling
"""
# The same for texts with Warp's headers, as C++: what decides results is as without it. Locals that nothing
# points to are not announced, which would cost 30 ms of each.
ANNOUNCED_OF_WARP = f"""
    -fno-caret-diagnostics -Wno-everything {CLANG_OPTIONS["extra_flags"]} {_FILLED}
    -fsanitize=thread,safe-stack,array-bounds,local-bounds,shift-exponent,float-cast-overflow
    -fsanitize-minimal-runtime -fstack-clash-protection
    -fsanitize-coverage-type=3 -fsanitize-coverage-trace-pc
    -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-distinguish-volatile=1
    -mllvm -tsan-instrument-read-before-write=1
    -mllvm -safestack-use-pointer-address=1 -mllvm -sanitizer-coverage-prune-blocks=0
"""
# The oldest architecture that NVRTC has atomics and warp functions of all kinds for.
GATE_ARCH = 80
FILE_NAME = "kernel.py"
MODULE_NAME = "kernel"


class CompileError(Exception):
    """Warp, clang or NVRTC refused a kernel or a unit; the message is its first error line."""


@dataclass(frozen=True)
class Versions:
    warp: str
    clang: str
    nvrtc: str | None


@dataclass(frozen=True)
class Translation:
    """One kernel's code text, without Warp's fixed preamble: structs, functions, kernels.

    `name` is Warp's, which tells of the functions around a kernel: ``make_scaled__locals__scaled``.
    `arguments` is the record that its arguments are; `cuda` is None unless asked for; `kernel` is the live
    `wp.Kernel`, for a launch; `tid_dims` is the number of thread indices the kernel asks for; `only_read` are
    arrays that Warp sees it read and not write; without `grid_stride` a thread of CUDA's does one item; loops
    of at most `max_unroll` iterations are unrolled; `nvrtc` is what the module tells NVRTC otherwise than we.
    """

    name: str
    arguments: Layout
    tid_dims: int
    backward: bool
    kernel: Any
    cpu: str
    cuda: str | None
    only_read: frozenset[str]
    grid_stride: bool
    max_unroll: int
    nvrtc: tuple[tuple[str, Any], ...] = ()

    @property
    def parameters(self) -> tuple[tuple[str, Type], ...]:
        """The arguments' names and types; what is not in the language has its class's name for a scalar."""
        return tuple((name, member.type) for name, member in self.arguments.members)

    @property
    def cuda_kernels(self) -> tuple[str, ...]:
        """What the kernels of the CUDA text are called: forward and, if there is one, adjoint."""
        return warp_text.cuda_kernels(self.name, adjoint=self.backward)


# ---- start and versions


@functools.cache
def scratch() -> tempfile.TemporaryDirectory[str]:
    """This process's own folder: a compile error deletes clang's precompiled header, so each has a copy."""
    return tempfile.TemporaryDirectory(prefix="warp-ir-")


@functools.cache
def start() -> None:
    """Initialise Warp, silently and without touching the user's kernel cache. Safe to call again, and where
    the process uses Warp already."""
    check_warp(wp.config.version)
    if warp_context.runtime is not None:
        return
    wp.config.log_level = wp.LOG_ERROR
    wp.config.kernel_cache_dir = os.path.join(scratch().name, "cache")
    with open(os.devnull, "wb") as nowhere, _errors_to(nowhere):  # it warns where no GPU is, and none need be
        wp.init()
    # Warp's tables stay: without them, collections cost half, 2 % of a row of config `cpu`.
    gc.freeze()


def versions() -> Versions:
    start()
    nvrtc = warp_context.runtime.get_nvrtc_version()
    return Versions(
        warp=wp.config.version,
        clang=warp_context.runtime.get_llvm_version(),
        nvrtc=None if nvrtc is None else f"{nvrtc[0]}.{nvrtc[1]}",
    )


def architectures() -> tuple[int, ...]:
    """The compute capabilities NVRTC compiles for (80 for ``sm_80``); empty without CUDA support."""
    start()
    return tuple(wp.get_cuda_supported_archs())


def require_arch(arch: str) -> int:
    """``"sm_80"`` -> 80. Raises `UserError` for a Warp without CUDA and for an unknown architecture."""
    return capability(arch, architectures())


# ---- code text


def translate(
    source: str, name: str, *, backward: bool, cuda: bool, like: Translation | None = None
) -> Translation:
    """Code text of kernel `name` of the module `source`, with the options of the kernel that it is `like`, if
    that is given. Raises `CompileError` where Warp refuses it."""
    start()
    try:
        kernel = define(source, name)
        if like is not None:
            kernel.module.options |= like.kernel.module.options
            kernel.options |= like.kernel.options
            _settings[kernel.module] = _settings_of(like.kernel.module)
        return translated(kernel, backward=backward, cuda=cuda)
    except CompileError:
        raise
    except Exception as error:
        # Executing a source raises anything.
        raise refused(error) from error


def translated(kernel: Any, *, backward: bool, cuda: bool) -> Translation:
    """Code text of one kernel of a module that may hold others. Raises `CompileError`."""
    module = kernel.module
    try:
        kernel.options.pop("enable_backward", None)  # it would decide instead of us
        module.options |= {"enable_backward": backward, "strip_hash": True}
        block = CUDA_BLOCK if cuda else 1
        resolved = module.resolve_options(_settings_of(module))
        options = resolved | FIXED_OPTIONS | {"output_arch": None, "block_dim": block}
        alone = warp_context.ModuleHasher([], options)
        kernel.hash = alone.hash_kernel(kernel, options["default_grid_stride"])
        builder = warp_context.ModuleBuilder(module, options, alone)
        cuda_text = _body(builder, builder.codegen("cuda")) if cuda else None
        # The builder reads this option again when it writes text: one build serves both targets, but for
        # kernels with tiles.
        builder.options["block_dim"] = 1
        cpu_text = _body(builder, builder.codegen("cpu"))
        arguments = layout.of_arguments(kernel.adj.args)
    except Exception as error:
        # Warp raises bare exceptions of many types for kernels it cannot translate.
        raise refused(error) from error
    read = frozenset(one.label for one in kernel.adj.args if one.is_read and not one.is_write)
    dims = kernel.adj.kernel_dim
    return Translation(
        kernel.key,
        arguments,
        dims,
        backward,
        kernel,
        cpu_text,
        cuda_text,
        read,
        grid_stride=bool(kernel.grid_stride),  # resolved with the hash
        max_unroll=options["max_unroll"],
        nvrtc=_told_to_nvrtc(options),
    )


def _told_to_nvrtc(options: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Without a level of its own, a module is compiled at the usual one."""
    told = ((name, options[name]) for name in NVRTC_TOLD)
    return tuple((name, value) for name, value in told if value not in (None, NVRTC_OPTIONS[name]))


_settings: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # by modules that changed them


def _settings_of(module: Any) -> Any:
    """Warp's configuration as it is for a module: one that was executed here may have set it."""
    return _settings.get(module, wp.config)


@contextlib.contextmanager
def _own_settings() -> Iterator[dict[str, Any]]:
    """What a source sets in Warp's configuration is for itself alone; as it was set, in the end."""
    before, changed = dict(vars(wp.config)), dict[str, Any]()
    try:
        yield changed
    finally:
        now = vars(wp.config)
        changed |= {name: now[name] for name in before if name in now and now[name] is not before[name]}
        for name in changed:
            setattr(wp.config, name, before[name])


def refused(error: Exception) -> CompileError:
    """What Warp's front end raised, in one line."""
    told = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return CompileError(" ".join(told.split()) or type(error).__name__)


def raised_by_module(error: BaseException) -> str | None:
    """The class and the line of what a module's own code raised, while it ran; None for what Warp says of it.
    The message is left out: the module has made it."""
    found, seen = None, set[int]()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        for frame, line in traceback.walk_tb(cause.__traceback__):
            if frame.f_code.co_filename == FILE_NAME:
                found = f"{type(cause).__name__} in line {line}"
            elif frame.f_code.co_filename == "<string>":  # what Warp evaluates of a kernel
                found = found or f"{type(cause).__name__} in an expression"
        cause = cause.__cause__ or cause.__context__
    return found


@functools.cache
def words() -> frozenset[str]:
    """The words that Warp's messages, and ours of its kernels, are made of."""
    files = [Path(__file__), *Path(warp_codegen.__file__).parent.glob("*.py")]
    texts = (path.read_text(encoding="utf-8") for path in files)
    return frozenset(word for text in texts for word in re.findall(r"\w+", text)) | {*dir(builtins)}


def define(source: str, name: str, module: str = MODULE_NAME) -> Any:
    """Execute `source` as a Warp module of its own, without a file, and return its kernel. A `module` of its
    own name may be loaded by Warp beside others."""
    _forget_structs()
    # A modification time of None keeps linecache from looking for the file on disk.
    # Its lines are Python's: a form feed, which `str.splitlines` splits at, ends none.
    linecache.cache[FILE_NAME] = (len(source), None, io.StringIO(source).readlines(), FILE_NAME)
    # What a class is of is looked up there: a dataclass reads annotations that are text in its module.
    holder = types.ModuleType(module)
    namespace: dict[str, Any] = vars(holder)
    # Warp numbers functions that share a name, and may hold a module of somebody's under our name.
    numbers = dict(warp_context.function_key_counts)
    theirs = warp_context.user_modules.pop(module, None)
    warp_context.function_key_counts.clear()
    before = sys.modules.get(module)
    sys.modules[module] = holder
    try:
        with _own_settings() as changed:
            exec(compile(source, FILE_NAME, "exec", dont_inherit=True), namespace)
    finally:
        if before is None:
            del sys.modules[module]
        else:
            sys.modules[module] = before
        # Warp would keep the module, and add the next kernel to it.
        warp_context.user_modules.pop(module, None)
        if theirs is not None:
            warp_context.user_modules[module] = theirs
        warp_context.function_key_counts.clear()
        warp_context.function_key_counts.update(numbers)
    kernel = namespace.get(name)
    if not isinstance(kernel, warp_context.Kernel):
        raise CompileError(f"the module makes no kernel {name}: a function under @wp.kernel")
    if changed:
        _settings[kernel.module] = types.SimpleNamespace(**{**vars(wp.config), **changed})
    return kernel


def _forget_structs() -> None:
    """Warp keeps the size of every struct, and with it the struct, its module and the kernels of that."""
    sizes = warp_types._type_size_cache
    for struct in [each for each in tuple(sizes) if isinstance(each, warp_codegen.Struct)]:
        del sizes[struct]


_PADDING = re.compile(r"^([ \t]*// .*\S) +(<L \d+>)$", re.MULTILINE)


def _body(builder: Any, text: str) -> str:
    """What follows the preamble, with plain struct names and without the padding inside comments."""
    body = text[text.index(warp_codegen.codegen_cast_macros) + len(warp_codegen.codegen_cast_macros) :]
    keys = {struct.native_name: struct.key for struct in builder.structs}
    seen: Counter[str] = Counter()  # structs of two modules may share a name
    for native_name, key in keys.items():
        seen[key] += 1
        body = body.replace(native_name, f"{key}_of_{seen[key]}" if seen[key] > 1 else key)
    return _PADDING.sub(r"\1 \2", body).strip("\n") + "\n"


def preamble(target: str, texts: Sequence[str] = ()) -> str:
    """Warp's fixed opening of a ``cpu`` or ``cuda`` unit that holds `texts`: headers and macros."""
    start()
    if target == "cpu":
        header = warp_codegen.cpu_module_header.format(block_dim=1)
    else:
        header = warp_codegen.cuda_module_header.format(block_dim=CUDA_BLOCK)
    # As Warp does: the overloads for bfloat16 are costly and left out where nothing names the type.
    no_bfloat16 = "" if any("bfloat16" in text for text in texts) else "#define WP_NO_BFLOAT16\n"
    opening: str = no_bfloat16 + header + warp_codegen.codegen_cast_macros
    return opening


# ---- compilers


class Library:
    """Native code of one unit, loaded. Addresses are good until `unload`."""

    def __init__(self, handle: bytes) -> None:
        self._handle = handle
        self._addresses: dict[str, int] = {}  # a lookup takes 0.2 ms

    def address(self, symbol: str) -> int:
        """Where the extern "C" function `symbol` starts. Raises `KeyError` if the unit has none."""
        if symbol not in self._addresses:
            address = warp_context.runtime.llvm.wp_lookup(self._handle, symbol.encode())
            if not address:
                raise KeyError(symbol)
            self._addresses[symbol] = int(address)
        return self._addresses[symbol]

    def unload(self) -> None:
        warp_context.runtime.llvm.wp_unload_obj(self._handle)


_handles = itertools.count()


def compile_native(unit: str, *, checked: bool = False, filled: bool = False) -> Library:
    """Compile a C++ unit with Warp's clang and load it. Of a `checked` one, an access outside of an array
    ends the process. In one that is `filled`, no local variable begins with what a call before left on the
    stack: floats are NaN. Raises `CompileError`."""
    start()
    with _first_error():
        _bring_header(checked, filled)
        target = _unit_path("unit.o")
        build_at(unit, _unit_path("unit.cpp"), target, checked=checked, filled=filled)
        return load_at(target)


def load_at(target: str) -> Library:
    """Load an object file. Raises `CompileError`."""
    handle = f"warp_ir_{next(_handles)}".encode()
    if warp_context.runtime.llvm.wp_load_obj(target.encode(), handle, wp.config.legacy_cpu_linker) != 0:
        raise CompileError("the compiled unit could not be loaded")
    return Library(handle)


def build_at(unit: str, source: str, target: str, *, checked: bool = False, filled: bool = False) -> None:
    """Compile a C++ unit by way of the file `source` to the file `target`; see `compile_native`. What clang
    says goes to descriptor 2, for who reads it there. Raises a bare `Exception` for what clang refuses."""
    with open(source, "w", encoding="utf-8") as file:
        file.write(unit)
    flags = f"{CLANG_OPTIONS['extra_flags']} {_FILLED if filled else ''}"
    warp_build.build_cpu(
        target,
        source,
        **CLANG_OPTIONS | {"extra_flags": flags},
        mode="debug" if checked else "release",
        use_precompiled_headers=True,
        pch_dir=scratch().name,
        block_dim=1,
        enable_tiles_in_stack_memory=platform.machine() == "aarch64",
    )


def gate_cuda(unit: str, source: str, target: str) -> None:
    """Compile plain CUDA with NVRTC, as Warp brings it, without Warp's headers. What NVRTC says goes to
    descriptors 1 and 2. Raises a bare `Exception` for what it refuses."""
    with open(source, "w", encoding="utf-8") as file:
        file.write(unit)
    options = NVRTC_OPTIONS | {"optimization_level": 0, "use_precompiled_headers": False}
    warp_build.build_cuda(source, GATE_ARCH, target, pch_dir=None, **options)


def build_announced(
    unit: str,
    source: str,
    target: str,
    folder: str,
    *,
    of_warp: bool = False,
    without: str = "",
    more: str = "",
) -> None:
    """Compile CUDA with clang for this processor, to the file `target`, with every access announced to
    functions that the unit does not define. Its header is ``builtin.h`` in `folder`, precompiled there: if
    the text is `of_warp`, it is Warp's. What clang says goes to descriptor 2. Raises `CompileError` for what
    it refuses. `without` one of its flags is for tests, and `more` are others."""
    start()
    usual = ANNOUNCED_OF_WARP if of_warp else ANNOUNCED
    flags = f"{usual.replace(without, '') if without else usual} {more}".split()
    listed = (ctypes.c_char_p * (len(flags) + 1))(*(flag.encode() for flag in flags), None)
    precompiled = not (without or more)
    in_stack_memory = not of_warp or platform.machine() == "aarch64"
    # As Warp's own `build_cpu` does, which has one folder of headers.
    failed = warp_context.runtime.llvm.wp_compile_cpp(
        *(each.encode() for each in (unit, source, folder, target)),
        *(False, False, True, in_stack_memory, listed, 0, False, precompiled, folder.encode(), 1),
    )
    if failed:
        raise CompileError("clang refuses the text")


def build_runtime(source: str, target: str) -> None:
    """Compile a C++ file with clang for this processor, to run fast. Raises `CompileError`."""
    start()
    with _first_error():
        warp_build.build_cpu(target, source, optimization_level=2, block_dim=1)


# Where the header of units that are checked or filled, or are not, was brought to.
_headers: dict[tuple[bool, bool], Path | None] = {}


def _bring_header(checked: bool, filled: bool) -> None:
    """Have the precompiled header of such units in this process's folder, from the machine's cache; without
    one, clang makes it."""
    if (checked, filled) in _headers:
        path = _headers[checked, filled]
        if path is None or path.exists():  # a compile error deletes it
            return

    def make() -> None:
        with contextlib.suppress(Exception):  # the unit to come has the same fault, and says so
            files = map(_unit_path, ("header.cpp", "header.o"))
            build_at(preamble("cpu"), *files, checked=checked, filled=filled)

    _headers[checked, filled] = headers.bring(_header_key(checked, filled), Path(scratch().name), make)


def compiler_files() -> list[os.stat_result]:
    return [path.stat() for path in sorted(Path(wp.__file__).parent.glob("bin/*warp-clang.*"))]


def announced_key(*texts: str) -> str:
    """A word for all that decides what `build_announced` makes of headers, and `build_runtime` of a
    runtime, or of Warp's headers."""
    known = (wp.config.version, versions().clang, ANNOUNCED, ANNOUNCED_OF_WARP, platform.machine(), texts)
    files = [(each.st_size, each.st_mtime_ns) for each in compiler_files()]
    return headers.fingerprint(Path(header_folders()[0]), known, files)


@functools.cache
def _header_key(checked: bool, filled: bool) -> str:
    compilers = compiler_files()
    return headers.fingerprint(
        Path(header_folders()[0]),
        *(wp.config.version, versions().clang, CLANG_OPTIONS, checked, filled, platform.machine()),
        *((each.st_size, each.st_mtime_ns) for each in compilers),
    )


def header_folders() -> tuple[str, str]:
    """What clang reads: Warp's headers, and this process's folder, where the precompiled one is kept."""
    return os.path.join(os.path.dirname(wp.__file__), "native"), scratch().name


@functools.cache
def declared() -> frozenset[str]:
    """The functions of C that Warp's headers declare, and those that clang calls by itself: all that a text
    for a device has of a processor's."""
    text = (Path(header_folders()[0]) / "crt.h").read_text(encoding="utf-8")
    [block] = re.findall(r'^extern "C" \{$(.*?)^\}', text, re.MULTILINE | re.DOTALL)
    called = re.findall(r'^extern "C" WP_API \w+ (\w+)\(', text, re.MULTILINE)
    return frozenset([*re.findall(r"(\w+)\([^()]*\);", block), *called, "memmove", "memcmp"])


def compile_ptx(unit: str, arch: int, told: Iterable[tuple[str, Any]] = ()) -> str:
    """Compile a CUDA unit with NVRTC to PTX for compute capability `arch`; NVRTC is `told` some things
    otherwise than it usually is. Raises `CompileError`."""
    start()
    source, target = _unit_path("kernels.cu"), _unit_path("kernels.ptx")
    with open(source, "w", encoding="utf-8") as file:
        file.write(unit)
    with _first_error():
        pch_dir = warp_context.runtime.get_nvrtc_pch_dir()
        warp_build.build_cuda(source, arch, target, pch_dir=pch_dir, **NVRTC_OPTIONS | dict(told))
    with open(target, encoding="utf-8") as file:
        # NVRTC hands out its text with the NUL byte that ends it, which assemblers refuse.
        return file.read().rstrip("\0")


def _unit_path(name: str) -> str:
    return os.path.join(scratch().name, name)


@contextlib.contextmanager
def _errors_to(file: IO[bytes]) -> Iterator[None]:
    """Let what is written to descriptor 2 go to a file."""
    kept = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@contextlib.contextmanager
def _first_error() -> Iterator[None]:
    """Turn a failed build into `CompileError` with the first error the compiler wrote to descriptor 2."""
    with tempfile.TemporaryFile() as file:
        try:
            with _errors_to(file):
                yield
        except Exception as failure:  # Warp raises a bare Exception here
            file.seek(0)
            raise CompileError(error_line(file.read().decode(errors="replace")) or str(failure)) from failure


def error_line(log: str, named: str | None = None) -> str | None:
    """The text after the first ``error:``, without the place in a file that is gone by then, but for the line
    in the one that is `named`."""
    match = re.search(r"(?:(\S+?):(\d+):)?[)\d]+: (?:\w+ )?error[^:\n]*: (.+)", log)
    if match is None:
        return None
    file, line, said = match.groups()
    return f"line {line}: {said.strip()}" if line and file == named else said.strip()


# ---- what a launch needs

_ENTRY = re.compile(r"\.entry (\w+_cuda_kernel_(forward|backward))\(")


def launch_bounds(dim: tuple[int, ...], tid_dims: int) -> ctypes.Structure:
    """What Warp passes to a kernel that asks for `tid_dims` thread indices, launched over `dim`."""
    start()
    bounds: ctypes.Structure = warp_context._build_launch_bounds_from_tuple(dim, tid_dims)
    return bounds


def attach(translation: Translation, entries: tuple[Callable[..., None], Callable[..., None] | None]) -> None:
    """Make Warp find the kernel's native code in `entries` instead of compiling it once more."""
    kernel, name = translation.kernel, translation.name
    loaded = warp_context.ModuleExec(None, None, wp.get_device("cpu"), {}, 1)
    loaded.kernel_names[kernel] = name
    loaded.kernel_hooks[name] = warp_context.KernelHooks(*entries)
    kernel.module.load = lambda device, block_dim=None: loaded


def attach_ptx(device: str, kernel: Any, ptx: str) -> None:
    """Make launches of a live kernel on `device` run this PTX of it, instead of what Warp would compile. The
    driver assembles it, or Warp's own assembler where the driver is older than Warp's CUDA.

    Raises `CompileError`.
    """
    there, core = wp.get_device(device), warp_context.runtime.core
    entries = {way: name for name, way in _ENTRY.findall(ptx)}
    if "forward" not in entries:
        raise CompileError("the PTX has no entry of a kernel")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "kernel.ptx")
        file.write_text(ptx, encoding="utf-8")
        handle = core.wp_cuda_load_module(there.context, str(file).encode())
    if not handle:
        raise CompileError("the PTX cannot be assembled")
    loaded = warp_context.ModuleExec(handle, None, there, {}, CUDA_BLOCK)  # which unloads it
    forward, backward = (
        core.wp_cuda_get_kernel(there.context, handle, entries[way].encode()) if way in entries else None
        for way in ("forward", "backward")
    )
    loaded.kernel_names[kernel] = entries["forward"]
    loaded.kernel_hooks[entries["forward"]] = warp_context.KernelHooks(forward, backward)
    kernel.module.load = lambda device, block_dim=None: loaded


def _described() -> dict[str, str]:
    """Compilers and their options, as a build's manifest has them; without CUDA there is no NVRTC."""
    known = versions()
    options = (("clang", known.clang, CLANG_OPTIONS), ("nvrtc", known.nvrtc, NVRTC_OPTIONS))
    described = {}
    for name, version, values in options:
        if version is not None:
            described[name] = version
            described[f"{name}_options"] = ", ".join(f"{key}={value}" for key, value in values.items())
    return described


if __name__ == "__main__":
    print(json.dumps({"compilers": _described(), "architectures": architectures()}))
