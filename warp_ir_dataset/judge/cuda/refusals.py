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
__noinline__ __restrict__ threadIdx blockIdx blockDim gridDim warpSize __syncthreads
"""
WORDS = frozenset(_WORDS.split())

_MACRO = re.compile(r"^[^\S\n]*(?:#|%:)[^\S\n]*(?:define|undef)\b[^\S\n]*(\w+)", re.M)


def refused(code: str, kernels: Sequence[str]) -> str | None:
    """Why CUDA code that is to have the `kernels` is refused, in a line that a model may see; None if it is
    not."""
    text = bare(code)
    for name in _MACRO.findall(text):
        if name in WORDS or name in kernels:
            return f"a macro may not have the name {name}"
    words = {*re.findall(r"\w+", text)}
    if "__shared__" in words:
        return "shared memory is not judged: threads run one after another"
    for kernel in kernels:
        if kernel not in words:
            return f"the kernel {kernel} is not in the answer"
    return None
