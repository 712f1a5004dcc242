"""Code for the CPU that ends itself where two of its threads meet.

It is the text that Warp writes of a kernel, with a note of who reads and who changes each element of the
arrays. Threads that run one after another leave what one order of them leaves; where one changes what another
one reads or changes, on a GPU others may come.
"""

from __future__ import annotations

import re

SIGNAL = "SIGILL"  # what such a process ends by
LARGEST = 16 << 20  # bytes of memory that are watched

_PRELUDE = """
namespace wp_watch {
struct Touch { unsigned writer, reader; };  // threads from 1 on; several readers are one that nobody is
static Touch touches[SIZE];
static unsigned now;
static size_t thread(size_t index) { now = (unsigned)index + 1; return index; }
template <typename T> static Touch* of(T* at)
{
    size_t place = (size_t)at - FIRST;
    return place < SIZE && place + sizeof(T) <= SIZE ? touches + place : nullptr;
}
template <typename T> static size_t step(T* at) { return ((size_t)at | sizeof(T)) % 4 ? 1 : 4; }
template <typename T> static void read(T* at)
{
    Touch* touch = of(at);
    for (size_t k = 0; touch && k < sizeof(T); k += step(at)) {
        if (touch[k].writer && touch[k].writer != now) __builtin_trap();
        touch[k].reader = touch[k].reader && touch[k].reader != now ? ~0u : now;
    }
}
template <typename T> static void write(T* at, const T& value)
{
    Touch* touch = of(at);
    for (size_t k = 0; touch && k < sizeof(T); k += step(at)) {
        bool same = true;  // what changes nothing disturbs nobody
        for (size_t b = k; b < k + step(at); ++b) same = same && ((char*)at)[b] == ((char*)&value)[b];
        if (same) continue;
        if ((touch[k].writer && touch[k].writer != now) || (touch[k].reader && touch[k].reader != now))
            __builtin_trap();
        touch[k].writer = now;
    }
}
template <typename T> static T load(T* at) { read(at); return wp::load(at); }
template <typename T> static void store(T* at, T value) { write(at, value); wp::store(at, value); }
template <template <typename> class A, typename T> static void array_store(const A<T>& a, int i, T value)
{ write(wp::address(a, i), value); wp::array_store(a, i, value); }
template <template <typename> class A, typename T>
static void array_store(const A<T>& a, int i, int j, T value)
{ write(wp::address(a, i, j), value); wp::array_store(a, i, j, value); }
template <template <typename> class A, typename T>
static void array_store(const A<T>& a, int i, int j, int k, T value)
{ write(wp::address(a, i, j, k), value); wp::array_store(a, i, j, k, value); }
template <template <typename> class A, typename T>
static void array_store(const A<T>& a, int i, int j, int k, int l, T value)
{ write(wp::address(a, i, j, k, l), value); wp::array_store(a, i, j, k, l, value); }
// A tile is a block's: each thread of it would store it.
template <typename... A> static void tile(A&&...) { __builtin_trap(); }
}
"""
_LAUNCH = re.compile(r"(\b\w+_cpu_kernel_forward<\w+>\(\*dim, )task_index\b")
_PLAIN = re.compile(r"\bwp::(load|store|array_store)\(")
_TILE = re.compile(r"\bwp::tile_store\w*(?:<[^()]*?>)?\(")
_ATOMIC = re.compile(r"\bwp::atomic_(\w+)\((\w+), ([\w, ]+)\)")


def watched(text: str, first: int, size: int) -> str | None:
    """A text that watches `size` bytes from the address `first` on; None where it is not as Warp writes it,
    or has too much to watch."""
    text, launches = _LAUNCH.subn(r"\1wp_watch::thread(task_index)", text)
    if not launches or size > LARGEST:
        return None
    text = _ATOMIC.sub(_noted, _PLAIN.sub(r"wp_watch::\1(", _TILE.sub("wp_watch::tile(", text)))
    return _PRELUDE.replace("SIZE", f"{size}ul").replace("FIRST", f"{first}ul") + text


def _noted(atomic: re.Match[str]) -> str:
    """An atomic reads: it does not disturb others of its kind. One that looks at nothing stores."""
    values = 2 if atomic[1] == "cas" else 1
    *indices, value = atomic[3].split(", ")
    place = f"wp::address({', '.join([atomic[2], *indices[: 1 - values or None]])})"
    note = f"write({place}, {value})" if atomic[1] == "exch" else f"read({place})"
    return f"(wp_watch::{note}, {atomic[0]})"
