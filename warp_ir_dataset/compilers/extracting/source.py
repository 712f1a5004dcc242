"""Writes a module with one kernel and all that it needs, from the live kernel."""

from __future__ import annotations

import enum
import functools
import importlib.util
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import warp as wp
from warp._src import codegen, context
from warp._src.types import scalar_and_bool_types, type_is_generic

from ..warp import NVRTC_TOLD
from .definitions import Definitions, named
from .functions import STATIC, Body
from .type_text import NoText, short_name, type_text
from .value_text import value_text

# What of a module's options, of Warp's configuration alone and of a kernel's options decides the code that is
# made of a kernel: its text, and its PTX.
_MATHDX = ("enable_mathdx_gemm", "enable_mathdx_solver", "enable_mathdx_fft")
_DETERMINISTIC = ("deterministic", "deterministic_max_records")
MODULE_OPTIONS = ("max_unroll", "default_grid_stride", *_MATHDX, *_DETERMINISTIC, *NVRTC_TOLD)
SETTINGS = ("enable_vector_component_overwrites",)
KERNEL_OPTIONS = (
    "launch_bounds",
    "grid_stride",
    "cluster_dim",
    "cuda_max_registers",
    "enable_cuda_smem_spilling",
    "entry_point_abi",
)
# What no module that stands alone has: files and text beside it.
BESIDE = "extra_build_options"


@dataclass(frozen=True)
class Source:
    text: str
    kernel: str  # the kernel's name in it


def self_contained(kernel: Any) -> Source:
    """The source of a kernel, as a module that needs nothing but Warp. Raises `NoText`."""
    return _Gathering().module(kernel)


class _Gathering:
    def __init__(self) -> None:
        self._definitions = Definitions()
        self._held: dict[int, dict[str, str]] = {}  # constants by name, by what holds them

    def module(self, kernel: Any) -> Source:
        mark = self._definitions.begin("kernel", kernel.func.__name__)
        self._definitions.complete(mark, f"@wp.kernel{_options(kernel)}\n{self._body(kernel.adj, mark)}")
        names, definitions = self._definitions.module()
        imports = [text for text in definitions if text.startswith("import ")]
        rest = [*_module_options(kernel.module), *(text for text in definitions if text not in imports)]
        body = "\n\n\n".join(text.rstrip("\n") for text in rest if text)
        imports += [line for line, word in _IMPORTS if re.search(word, body)]
        head = sorted(re.sub(r"^import (\w+) as \1$", r"import \1", line) for line in imports)
        text = "\n".join([*head, *([""] if head else []), "import warp as wp", "", "", body, ""])
        return Source(text, named(mark, names))

    def _body(self, adj: Any, name: str) -> str:
        body = Body(adj, self._resolved, self._annotation, name)
        self._definitions.used_among(body.text, body.locals)
        return body.text

    def _annotation(self, kind: Any) -> str:
        """A type in an annotation; one without a name of Warp's gets a name."""
        if hasattr(kind, "_wp_generic_type_str_") and not type_is_generic(kind):
            return self._type(kind, short_name(kind))
        return type_text(kind, self._named)

    def _resolved(self, value: Any, called: str, holder: Any) -> str:
        """The text for something that a function names (see `functions.Resolve`)."""
        if isinstance(value, context.Function):
            return f"wp.{value.key}" if value.is_builtin() else self._function(value)
        if isinstance(value, codegen.Struct):
            return self._struct(value)
        if isinstance(value, type) or value is Any:
            return self._enumeration(value) if _is_enumeration(value) else self._type(value, called)
        text = value_text(value, self._named)
        if called == STATIC:
            # Warp takes ``-1`` and ``wp.vec3(1.0, 2.0, 3.0)`` for work to be done.
            return text if re.fullmatch(r"[\w.]+|'.*'|\".*\"", text) else f"wp.static({text})"
        if holder is not None:
            return f"{self._holder(holder, called, text)}.{called}"
        return self._defined(("value", called, text), called, text)

    def _holder(self, holder: Any, member: str, text: str) -> str:
        """A class that holds constants in the place of a module, a class or an object that did: Warp makes
        other code of ``limits.LARGEST`` than of ``LARGEST``."""
        if getattr(holder, "__name__", None) in sys.stdlib_module_names:
            return self._imported(holder)
        members = self._held.setdefault(id(holder), {})
        members[member] = text
        mark = self._definitions.find(("holder", id(holder)))
        if mark is None:
            told = getattr(holder, "__name__", type(holder).__name__)
            mark = self._definitions.begin(("holder", id(holder)), told.rpartition(".")[2])
        lines = (f"    {name} = {value}" for name, value in members.items())
        return self._definitions.complete(mark, "\n".join([f"class {mark}:", *lines]))

    def _imported(self, module: Any) -> str:
        if found := self._definitions.find(("module", module.__name__)):
            return found
        mark = self._definitions.begin(("module", module.__name__), module.__name__)
        return self._definitions.complete(mark, f"import {module.__name__} as {mark}")

    def _named(self, value: Any) -> str:
        """A value or a type that has to be defined."""
        if isinstance(value, codegen.Struct):
            return self._struct(value)
        if isinstance(value, context.Function):
            return self._resolved(value, value.key, None)
        raise NoText(f"a value of type {type(value).__name__}")

    def _defined(self, key: Any, preferred: str, text: str) -> str:
        if found := self._definitions.find(key):
            return found
        mark = self._definitions.begin(key, preferred)
        return self._definitions.complete(mark, f"{mark} = {text}")

    def _type(self, kind: Any, called: str) -> str:
        if kind in scalar_and_bool_types:
            return f"wp.{kind.__name__}"  # in the place of which ``float`` makes other code
        text = type_text(kind, self._named)
        return text if "(" not in text else self._defined(("type", text), called, text)

    def _enumeration(self, kind: type[enum.Enum]) -> str:
        if found := self._definitions.find(("class", id(kind))):
            return found
        mark = self._definitions.begin(("class", id(kind)), kind.__name__)
        base = "IntFlag" if issubclass(kind, enum.IntFlag) else "IntEnum"
        lines = [f"class {mark}(enum.{base}):"]
        lines += [f"    {name} = {member.value!r}" for name, member in kind.__members__.items()]
        return self._definitions.complete(mark, "\n".join(lines))

    def _struct(self, struct: codegen.Struct) -> str:
        if found := self._definitions.find(("class", id(struct))):
            return found
        mark = self._definitions.begin(("class", id(struct)), struct.cls.__name__)
        lines = ["@wp.struct", f"class {mark}:"]
        lines += [f"    {name}: {self._annotation(member.type)}" for name, member in struct.vars.items()]
        lines += [] if struct.vars else ["    pass"]
        for name, method in vars(struct.cls).items():
            if isinstance(method, context.Function):
                text = "\n".join(self._overloads(method, name))
                lines += ["", textwrap.indent(text, "    ").rstrip()]
        return self._definitions.complete(mark, "\n".join(lines))

    def _function(self, function: Any) -> str:
        if found := self._definitions.find(("function", id(function))):
            return found
        mark = self._definitions.begin(("function", id(function)), function.func.__name__)
        return self._definitions.complete(mark, "\n\n".join(self._overloads(function, mark)))

    def _overloads(self, function: Any, name: str) -> Iterator[str]:
        """Every function of this name that was written, each with its own gradient and replay."""
        each = {**function.user_templates, **function.user_overloads}.values() or (function,)
        for overload in each:
            if overload.generic_parent is not None:
                continue  # made from another one, for a call
            yield f"@wp.func{_decoration(overload)}\n{self._body(overload.adj, name)}"
            customs = {"grad": overload.custom_grad_func, "replay": overload.custom_replay_func}
            for kind, custom in customs.items():
                if custom is not None:
                    text = self._body(custom.adj, f"{kind}_of_{overload.func.__name__}")
                    yield f"@wp.func_{kind}({name})\n{text}"


_IMPORTS = (("import enum", r"\(enum\."), ("from typing import Any", r"\bAny\b"))


def _is_enumeration(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, enum.Enum)


def _decoration(function: Any) -> str:
    if function.native_snippet is not None:
        snippets = (function.native_snippet, function.adj_native_snippet, function.replay_snippet)
        named = zip(("snippet", "adj_snippet", "replay_snippet"), snippets, strict=True)
        told = ", ".join(f"{name}={_block(text)}" for name, text in named if text is not None)
        return f"_native({told})"
    match function.inline_hint:
        case None:
            return ""
        case hint:
            return f"(inline={hint == 'forceinline'})"


def _block(text: str) -> str:
    """Native code as a string over several lines, where it can be one."""
    plain = '"""' not in text and "\\" not in text and not text.endswith('"')
    return f'"""{text}"""' if plain else repr(text)


def _options(kernel: Any) -> str:
    told = ", ".join(f"{name}={kernel.options[name]!r}" for name in KERNEL_OPTIONS if name in kernel.options)
    return f"({told})" if told else ""


def _module_options(module: Any) -> Iterator[str]:
    """What of a module's options, or of the process's in their place, is not as Warp has it by itself. Warp
    takes some from its configuration alone, whatever a module's options say. Raises `NoText`."""
    if module.options[BESIDE] is not None:
        raise NoText(f"the module option {BESIDE}")
    used, usual = module.resolve_options(wp.config), context.Module(None)
    usual.options |= {name: getattr(_untouched(), name) for name in ("max_unroll", _DETERMINISTIC[1])}
    usual.options[_DETERMINISTIC[0]] = wp.DeterministicMode(_untouched().deterministic.value)
    expected = usual.resolve_options(_untouched())
    for name in SETTINGS:
        if used[name] != expected[name]:
            yield f"wp.config.{name} = {used[name]!r}"
    differ = (name for name in MODULE_OPTIONS if _plain(used[name]) != _plain(expected[name]))
    told = ", ".join(f"{name!r}: {_option_text(used[name])}" for name in differ)
    if told:
        yield f"wp.set_module_options({{{told}}})"


def _plain(value: Any) -> Any:
    """An option's value; that of an enumeration, which a copy of Warp's configuration has for itself."""
    return value.value if isinstance(value, enum.Enum) else value


def _option_text(value: Any) -> str:
    return f"wp.{type(value).__name__}.{value.name}" if isinstance(value, enum.Enum) else repr(value)


@functools.cache
def _untouched() -> Any:
    """Warp's own configuration, in a copy that nobody has changed."""
    spec = importlib.util.spec_from_file_location("untouched_config", wp.config.__file__)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where it looks for itself
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module
