"""What a compiler of CUDA refuses, and clang, for which an answer in CUDA is C++, does not.

That the kernel is a kernel, and that nobody writes to CUDA's own variables, clang says as well
(`compilers.cuda_on_cpu`). The rest is found in the text, which is not wholly parsed: what is not understood
is let through.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .gate import bare

# Words of CUDA: a macro of such a name makes another language.
_WORDS = """
__global__ __device__ __host__ __shared__ __constant__ __managed__ __launch_bounds__ __forceinline__
__noinline__ __restrict__ threadIdx blockIdx blockDim gridDim warpSize __syncthreads
"""
WORDS = frozenset(_WORDS.split())

_DIRECTIVE = re.compile(r"^[^\S\n]*(?:#|%:).*$", re.M)
_MACRO = re.compile(
    r"^[^\S\n]*(?:#|%:)[^\S\n]*(?:define|undef)\b[^\S\n]*(?P<name>\w+)(?P<given>\([^)\n]*\))?(?P<body>.*)$",
    re.M,
)
_TOKEN = re.compile(r'[A-Za-z_]\w*|\d[\w.]*|::|""|\S')
_OPEN, _CLOSED = "([{", ")]}"
_MOST = 10_000  # words that macros stand for
_LONG = 1_000  # words of a declaration that are looked at
_OF_WARP = re.compile(r"\bwp\s*::|\bnamespace\s+(?:\w+\s*=\s*)?(?:::\s*)?wp\b")

# A declaration that begins so makes no variable.
_NO_VARIABLE = {
    "using", "typedef", "namespace", "template", "static_assert", "friend",
    "struct", "class", "union", "enum",
}  # fmt: skip
_PLACED = {"__device__", "__global__"}
# What may be read on a device wherever it stands, or is for the compiler to say.
_READABLE = {"__device__", "__constant__", "__managed__", "const", "constexpr", "extern"}


def refused(code: str, kernels: Sequence[str], *, alone: bool) -> str | None:
    """Why CUDA code that is to have the `kernels` is refused, in a line that a model may see; None if it is
    not. `alone` is plain CUDA, where nothing is for the device that does not say so; Warp has its own text
    compiled as all for the device."""
    text = bare(code)
    macros: dict[str, list[_Macro]] = {}
    for found in _MACRO.finditer(text):
        name = found["name"]
        if name in WORDS or name in kernels:
            return f"a macro may not have the name {name}"
        macro = _Macro(found["given"] is not None, _TOKEN.findall(found["body"]))
        macros.setdefault(name, []).append(macro)
    words = set(re.findall(r"\w+", text))
    if "__shared__" in words:
        return "shared memory is not judged: threads run one after another"
    for kernel in kernels:
        if kernel not in words:
            return f"the kernel {kernel} is not in the answer"
    if not alone:
        return None
    if _OF_WARP.search(text):
        return "wp is not declared: plain CUDA has nothing of Warp's"
    outside = _Outside(macros)
    outside.walk(_TOKEN.findall(_DIRECTIVE.sub("", text)))
    return outside.misplaced()


@dataclass(frozen=True)
class _Macro:
    has_parameters: bool
    body: list[str]


@dataclass
class _Outside:
    """What stands outside of functions: which of it is for the host alone, and what those for a device
    name."""

    macros: dict[str, list[_Macro]]
    functions: set[str] = field(default_factory=set)  # of the host
    variables: set[str] = field(default_factory=set)
    on_device: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)  # in the bodies of functions for a device

    def misplaced(self) -> str | None:
        named = self._with_macros(self.named)
        for name in sorted((self.functions - self.on_device) & named):
            return f"{name} is called on the device, and is no __device__ function"
        for name in sorted((self.variables - self.on_device) & named):
            return f"{name} is used on the device, and is no __device__ variable"
        return None

    def _with_macros(self, names: set[str]) -> set[str]:
        """The names, and what the macros among them name."""
        found, left = set(names), list(names)
        while left:
            for macro in self.macros.get(left.pop(), ()):
                new = set(macro.body) - found
                found |= new
                left += new
        return found

    def walk(self, tokens: Sequence[str]) -> None:
        left = list(reversed(tokens))
        head: list[str] = []
        scopes: list[bool] = []  # those that are open, whether of a struct
        replaced = 0
        while left:
            word = left.pop()
            del head[:-_LONG]
            if word in self.macros and replaced < _MOST:
                replaced += self._replace(word, left)
            elif word == "template":
                _skip_angles(left)
            elif word == "{" and not _opens_scope(head):
                inside = _inside(left)
                if _is_function(head):
                    self._function(head, inside)
                    head = []
                else:
                    head.append("{}")
            elif word in ("(", "["):
                _inside(left)
                head.append("()" if word == "(" else "[]")
            elif word == "{":
                scopes.append("namespace" not in head and '""' not in head)
                head = []
            elif word == "}":
                del scopes[-1:]
                head = []
            elif word == ";":
                if not any(scopes):
                    self._variable(head)
                head = []
            elif word == ":" and head and head[-1] in ("public", "private", "protected"):
                head = []
            else:
                head.append(word)

    def _replace(self, name: str, left: list[str]) -> int:
        """Put what a macro stands for in front of what is `left`, without what it is given: that tells what
        is declared. Of several definitions, as in the arms of a condition, each counts. Returns how many
        words that are, at least one."""
        macros = self.macros[name]
        if any(macro.has_parameters for macro in macros) and left and left[-1] == "(":
            left.pop()
            _inside(left)
        for macro in macros:
            left += [word for word in reversed(macro.body) if word != name]
        return max(1, sum(len(macro.body) for macro in macros))

    def _function(self, head: Sequence[str], body: Sequence[str]) -> None:
        name = head[head.index("()") - 1]
        if not _PLACED.isdisjoint(head):
            self.on_device.add(name)
            self.named |= set(body)
        elif "constexpr" not in head:  # of which a constant may be made
            self.functions.add(name)

    def _variable(self, head: Sequence[str]) -> None:
        if not head or not _NO_VARIABLE.isdisjoint(head[:1]) or "()" in head[: _equals(head)]:
            return
        place = min([_equals(head), *(head.index(part) for part in ("[]", "{}") if part in head)])
        if place < 2:  # a type and a name
            return
        if _READABLE.isdisjoint(head):
            self.variables.add(head[place - 1])
        else:
            self.on_device.add(head[place - 1])


def _inside(left: list[str]) -> list[str]:
    """Take what stands up to the closing bracket, and that."""
    found, depth = [], 1
    while left:
        word = left.pop()
        depth += (word in _OPEN) - (word in _CLOSED)
        if not depth:
            break
        found.append(word)
    return found


def _skip_angles(left: list[str]) -> None:
    """Take the parameters of a template: a default is no value of what it declares."""
    if not left or left[-1] != "<":
        return
    depth = 0
    while left:
        word = left.pop()
        depth += (word == "<") - (word == ">")
        if word in _OPEN:
            _inside(left)
        if not depth:
            return


def _opens_scope(head: Sequence[str]) -> bool:
    """Whether a brace behind `head` opens a namespace, a block of C's, or a struct."""
    if "namespace" in head or list(head[-2:]) == ["extern", '""'] or head[-1:] == ['""']:
        return True
    aligned = [word for word, after in pairwise(head) if after == "()"]
    is_struct = not {"struct", "class", "union"}.isdisjoint(head) and "enum" not in head
    return is_struct and all(word in ("__align__", "alignas") for word in aligned) and "=" not in head


def _is_function(head: Sequence[str]) -> bool:
    return "()" in head[1:] and ("=" not in head or "operator" in head)


def _equals(head: Sequence[str]) -> int:
    return list(head).index("=") if "=" in head else len(head)
