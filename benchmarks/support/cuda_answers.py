"""Answers in plain CUDA whose threads matter, for `verdicts.py`: a row's own text with one edit.

Some do something together that changes nothing, and are right. Others are right for one size of a block, take
no heed of other threads, or are no CUDA at all, and are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from support.right_answers import Asked
from warp_ir_dataset.language.cuda.render import THREAD, render

_BODY = re.compile(r"^__global__[^{;]*\{\n", re.MULTILINE)
_ATOMIC = re.compile(r"\batomic(Add|Sub|Min|Max|And|Or|Xor|Exch)\(")
_AT_ONE_PLACE = re.compile(r"\batomic\w+\(&\w+\[\d+\], ")  # where all threads meet
_STORE = re.compile(r"^ +\w+\[[^=\n]*\](?:\.\w+)* (?:[-+*/|&^]|)= .*;$", re.MULTILINE)
_OF_ZERO = re.compile(r"= (?:(?:\(\w+\))?0(?:\.0)?f?|\w+\{\});$")
_CHANGES = {
    "Add": "old + value", "Sub": "old - value", "Min": "value < old ? value : old",
    "Max": "value > old ? value : old", "And": "old & value", "Or": "old | value", "Xor": "old ^ value",
    "Exch": "value",
}  # fmt: skip

# What a kernel may begin with, and is right all the same.
TOGETHER: Mapping[str, str] = {
    "shared memory": (
        "__shared__ int shared_seen[256];\nshared_seen[threadIdx.x] = threadIdx.x;\n__syncthreads();\n"
        "if (shared_seen[blockDim.x - 1 - threadIdx.x] + threadIdx.x != blockDim.x - 1)\n    return;\n"
    ),
    "a barrier": "__syncthreads();\n",
    "a shuffle": (
        "int shuffled_lane = __shfl_sync(0xffffffffu, (int)threadIdx.x, threadIdx.x % 32);\n"
        "if (shuffled_lane != (int)threadIdx.x)\n    return;\n"
    ),
}  # fmt: skip


def together(asked: Asked) -> Iterator[tuple[str, str]]:
    """Right answers by their kind."""
    for kind, text in TOGETHER.items():
        yield kind, _begun(asked.own, text)


def careless(asked: Asked) -> Iterator[tuple[str, str]]:
    """Wrong answers by their kind."""
    for kind, edit in CARELESS.items():
        text = edit(asked)
        if text != asked.own:
            yield kind, text


def _begun(own: str, text: str) -> str:
    return _BODY.sub(lambda head: head[0] + text, own, count=1)


def _plain_atomics(asked: Asked) -> str:
    """Where threads have places of their own, that would be right."""
    if not _AT_ONE_PLACE.search(asked.own):
        return asked.own
    used = {*_ATOMIC.findall(asked.own)}
    functions = "".join(
        f"template <typename T, typename V> __device__ T plain{name}(T* p, V given)\n"
        f"{{\n    T old = *p, value = (T)given;\n    *p = {_CHANGES[name]};\n    return old;\n}}\n"
        for name in sorted(used)
    )
    return functions + _ATOMIC.sub(r"plain\1(", asked.own)


def _without_a_store(asked: Asked) -> str:
    start = _BODY.search(asked.own)
    stores = [*_STORE.finditer(asked.own, start.end() if start else 0)]
    # Outputs are zero before.
    stores = [store for store in stores if not _OF_ZERO.search(store[0])]
    if not stores:
        return asked.own
    first, last = stores[-1].span()
    return f"{asked.own[:first]};{asked.own[last:]}"


def _variable_length(asked: Asked) -> str:
    count = render(asked.program).parameters[0].name
    return _begun(asked.own, f"int seen_so_far[{count}];\nseen_so_far[0] = 0;\n")


CARELESS: Mapping[str, Callable[[Asked], str]] = {
    "the thread alone": lambda asked: asked.own.replace(THREAD, "threadIdx.x"),
    "blocks of 32": lambda asked: asked.own.replace(THREAD, "blockIdx.x * 32 + threadIdx.x"),
    "blocks of 256": lambda asked: asked.own.replace(THREAD, "blockIdx.x * 256 + threadIdx.x"),
    "atomics made plain": _plain_atomics,
    "a variable-length array": _variable_length,
    "a builtin of clang's": lambda asked: _begun(
        asked.own, "if (__builtin_popcount(1u) != 1)\n    return;\n"
    ),
    "without a store": _without_a_store,
}
