"""Right kernels with one barrier, fence or atomic less: an atomic is made plain."""

from __future__ import annotations

import re

_CHANGES = {
    "Add": "o + (T)v",
    "Sub": "o - (T)v",
    "Exch": "(T)v",
    "Min": "(T)v < o ? (T)v : o",
    "Max": "(T)v > o ? (T)v : o",
    "And": "o & (T)v",
    "Or": "o | (T)v",
    "Xor": "o ^ (T)v",
    "Inc": "o >= (T)v ? (T)0 : o + 1",
    "Dec": "o == 0 || o > (T)v ? (T)v : o - 1",
}
# What atomics do, without being atomic.
_PLAIN = "".join(
    f"template <typename T, typename V> __device__ T plain{name}(T* p, V v) "
    f"{{ T o = *p; *p = (T)({change}); return o; }} "
    for name, change in _CHANGES.items()
)
_PLAIN += (
    "template <typename T, typename A, typename B> __device__ T plainCAS(T* p, A c, B v) "
    "{ T o = *p; if (o == (T)c) *p = (T)v; return o; }"
)
_TAKEN = re.compile(
    r"(?P<barrier>__syncthreads\(\);|__syncwarp\([^()]*\);|\b\w+\.sync\(\);|\bcg::sync\(\w+\);)"
    r"|(?P<count>__syncthreads_(?:count|and|or)(?=\())"
    r"|(?P<fence>__threadfence(?:_block|_system)?\(\);)"
    r"|\batomic(?P<atomic>[A-Z]\w*?)(?P<scope>_block|_system)?(?=\()"
)


def without(text: str) -> dict[str, str]:
    """Texts without one of them each, by its kind and number."""
    found: dict[str, str] = {}
    for number, taken in enumerate(_TAKEN.finditer(text), 1):
        kind = taken.lastgroup if taken.lastgroup != "scope" else "atomic"
        ahead, behind = text[: taken.start()], text[taken.end() :]
        if kind == "atomic":
            ahead = _after_includes(ahead)
            new = f"plain{taken['atomic']}"
        else:
            new = "(int)" if kind == "count" else ";"
        found[f"{kind} {number}"] = ahead + new + behind
    return found


def _after_includes(ahead: str) -> str:
    """With what is plain, which may be for types of a header."""
    lines = ahead.split("\n")
    last = max((i for i, line in enumerate(lines) if line.startswith("#include")), default=0)
    return "\n".join([*lines[: last + 1], _PLAIN, *lines[last + 1 :]])
