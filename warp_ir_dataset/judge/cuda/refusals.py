"""Refuses CUDA that a CUDA compiler would refuse, but that clang accepts as C++.

That the kernel is a kernel, and that nobody writes to CUDA's own variables, clang says as well
(`compilers.cuda_on_cpu`). Whether plain CUDA keeps host and device apart is looked at once it is right
(`settled`, `spaces`), but for constants of the host (`of_host`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..gate import bare
from .declarations import declarations
from .of_host import of_host

# Words of CUDA: a macro of such a name makes another language.
_WORDS = """
__global__ __device__ __host__ __shared__ __constant__ __managed__ __launch_bounds__ __forceinline__
__noinline__ __restrict__ threadIdx blockIdx blockDim gridDim warpSize __syncthreads
"""
WORDS = frozenset(_WORDS.split())

_MACRO = re.compile(r"^[^\S\n]*(?:#|%:)[^\S\n]*(?:define|undef)\b[^\S\n]*(\w+)", re.M)
_DIRECTIVE = re.compile(r"^[^\S\n]*#(?:.*\\\n)*.*$", re.M)
_OF_WARP = re.compile(r"\bwp\s*::|\bnamespace\s+(?:\w+\s*=\s*)?(?:::\s*)?wp\b")


def refused(code: str, kernels: Sequence[str], *, alone: bool) -> str | None:
    """Why CUDA code that is to have the `kernels` is refused, in a line that a model may see; None if it is
    not. `alone` is plain CUDA, which has nothing of Warp's."""
    text = bare(code)
    for name in _MACRO.findall(text):
        if name in WORDS or name in kernels:
            return f"a macro may not have the name {name}"
    words = set(_words(text))
    if "__shared__" in words:
        return "shared memory is not judged: threads run one after another"
    for kernel in kernels:
        if kernel not in words:
            return f"the kernel {kernel} is not in the answer"
    if alone and _OF_WARP.search(text):
        return "wp is not declared: plain CUDA has nothing of Warp's"
    if not alone:
        return None
    return of_host(declarations(_DIRECTIVE.sub("", text)), set(_MACRO.findall(text)))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
