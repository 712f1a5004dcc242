"""Drops what answers in C++ and CUDA have beside the kernel and that changes no result: headers, unrolling,
functions that launch, declarations of the prompt."""

from __future__ import annotations

import functools
import re

from ..gate import masked as masked_of

_OF_C = """
cuda_runtime cuda_runtime_api cuda device_launch_parameters math_constants vector_types vector_functions
math stdint stddef float limits stdio stdlib string assert stdbool inttypes
"""
_OF_CPP = """
cmath cstdint cstddef cfloat climits cstdio cstdlib cstring cassert algorithm limits utility vector iostream
"""
_HEADERS, _WITHOUT_H = "|".join(_OF_C.split()), "|".join(_OF_CPP.split())
_HARMLESS = re.compile(
    rf"^[^\S\n]*#[^\S\n]*include[^\S\n]*(?:<(?:(?:{_HEADERS})\.h|{_WITHOUT_H})>"
    rf'|"(?:{_HEADERS})\.h")[^\S\n]*(?://.*|/\*[^\n]*\*/[^\S\n]*)?$',
    re.M,
)
_ONCE = re.compile(r"^[^\S\n]*#[^\S\n]*pragma[^\S\n]+once[^\S\n]*(?://.*)?$", re.M)
_TOKEN = re.compile(r"\w+|[^\w\s]")
_UNROLL = re.compile(
    r"^[^\S\n]*#[^\S\n]*pragma[^\S\n]+"
    r"(?:no)?unroll\b(?:[^\S\n]*(?:\w+|\([^\S\n]*\w+[^\S\n]*\)))?[^\S\n]*(?://.*)?$",
    re.M,
)

# What functions for the host have in them that no device has: they launch, or are for those that do.
_OF_HOST = re.compile(r"<<<|\bcuda[A-Z]\w*|\bstd\s*::\s*(?:vector|string|cout|cerr)\b")
_BRACE = re.compile(r"[{};]|^[^\S\n]*#(?:.*\\\n)*.*$", re.M)  # or a whole directive


def without_unrolling(code: str) -> str:
    return _UNROLL.sub("", code)


def without_headers(code: str) -> str:
    """Without headers of CUDA and C that code needs nothing of here, for it is there, and without what says
    that it is a header itself."""
    return _ONCE.sub("", _HARMLESS.sub("", code))


def without_repeats(code: str, interface: str) -> str:
    """Without what plain CUDA repeats of the `interface` that its prompt declares, word for word. It is there
    already, and a type is defined once."""
    masked, spans = masked_of(code), []
    for declared in _declared(interface):
        spans += [found.span() for found in re.finditer(declared, masked)]
    for first, last in sorted(spans, reverse=True):
        code = code[:first] + "\n" * code.count("\n", first, last) + code[last:]
    return code


@functools.lru_cache(maxsize=32)  # for many answers to a row
def _declared(interface: str) -> tuple[re.Pattern[str], ...]:
    """What finds each declaration of an interface, a kernel's too, however it is spaced."""
    found, start, depth = [], 0, 0
    for edge in re.finditer(r"[{};]", interface):
        depth += {"{": 1, "}": -1}.get(edge[0], 0)
        if edge[0] == ";" and not depth:
            words = _TOKEN.findall(interface[start : edge.end()])
            start = edge.end()
            pairs = zip(words, [*words[1:], ""], strict=True)
            spaced = (
                re.escape(w) + (r"\s+" if w.isidentifier() and n.isidentifier() else r"\s*") for w, n in pairs
            )
            found.append(re.compile(rf"(?<![\w:]){''.join(spaced)}"))
    return tuple(found)


def without_launches(code: str) -> str:
    """Without functions for the host that launch kernels or name what is CUDA's there, and without its main:
    they show how it works."""
    masked = masked_of(code)
    if not re.search(rf"{_OF_HOST.pattern}|\bmain\b", masked):
        return code
    spans, depth, start, opened = [], 0, 0, 0
    for end in (match.end() for match in _BRACE.finditer(masked)):
        sign = masked[end - 1]
        if sign == "{" and (depth or "(" in masked[start:end]):
            opened, depth = (opened, depth + 1) if depth else (end, 1)
        elif sign == "}" and depth:
            depth -= 1
            if not depth and _launches(masked[start:opened], masked[opened:end]):
                spans.append((start, end))
        if not depth:
            start = end
    for first, last in reversed(spans):
        code = code[:first] + "\n" * code.count("\n", first, last) + code[last:]
    return code


def _launches(head: str, body: str) -> bool:
    """Whether a function is for the host, and for trying kernels out."""
    if re.search(r"__(?:global|device)__", head):
        return False
    is_main = re.search(r"\bmain\s*\([^()]*\)\s*\{$", head) is not None
    return is_main or any(map(_OF_HOST.search, (head, body)))
