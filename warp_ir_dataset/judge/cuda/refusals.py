"""Refuses CUDA with Warp's headers that a CUDA compiler would refuse, but that clang accepts as C++.

That the kernel is a kernel, and that nobody writes to CUDA's own variables, clang says as well
(`compilers.cuda_on_cpu`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..gate import bare

# Words of CUDA: a macro of such a name makes another language.
_WORDS = """
__global__ __device__ __host__ __shared__ __constant__ __managed__ __launch_bounds__ __forceinline__
__noinline__ __restrict__ __align__ threadIdx blockIdx blockDim gridDim warpSize __syncthreads
"""
WORDS = frozenset(_WORDS.split())

_MACRO = re.compile(r"^[^\S\n]*(?:#|%:)[^\S\n]*(?:define|undef)\b[^\S\n]*(\w+)", re.M)
# By these a text may be another one for a GPU than for this processor. Warp writes none.
_CONDITION = re.compile(r"^[^\S\n]*(?:#|%:)[^\S\n]*(?:if|el|define\s+\w+\([^\n]*?(?:#|%:))", re.M)
_OF_HEADERS = re.compile(r"\b_wp_\w+")  # what Warp's headers have for a processor


def refused(code: str, kernels: Sequence[str]) -> str | None:
    """Why CUDA code that is to have the `kernels` is refused, in a line that a model may see; None if it is
    not."""
    text = bare(code)
    for name in _MACRO.findall(text):
        if name in WORDS or name in kernels:
            return f"a macro may not have the name {name}"
    if not text.isascii():
        return "a name has other characters than ASCII's"
    if (found := _OF_HEADERS.search(text)) is not None:
        return f"use of undeclared identifier '{found[0]}'"
    if any("__host__" in head and "__device__" not in head for head in re.split(r"[;{}]", text)):
        return "a function with __host__ alone is not one of a device"
    words = {*re.findall(r"\w+", text)}
    if "__shared__" in words:
        return "shared memory is not judged beside Warp's own headers"
    for kernel in kernels:
        if kernel not in words:
            return f"the kernel {kernel} is not in the answer"
    if _CONDITION.search(text):
        return "a condition on what compiles the text is not judged"
    return None
