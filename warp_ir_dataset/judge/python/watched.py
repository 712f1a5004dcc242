"""Finds data races: adds code to a kernel's C++ that ends the process when two threads access one element.

The text is the one that Warp generates, with a record of the threads that read and write each array element.
On the CPU, threads run one after another, so a run shows the result of one order only. If a thread writes an
element that another one reads or writes, a GPU may give other results. `last_first` is the same text in
reverse order, for memory that cannot be watched.
"""

from __future__ import annotations

import re

from .tiles import kind_of

SIGNAL = "SIGILL"  # what such a process ends by
LARGEST = 16 << 20  # bytes of memory that are watched

_PRELUDE = """
namespace wp_watch {
// Threads from 1 on; several are one that nobody is. `writer` changed it, `kept` stored what was there anyway
// (which would wipe what another one stores first), `added` changed it by an atomic, `last` as the last one,
// `looked` read it as if before that, as may be on a GPU; `first` says that thread 1 stored it from a tile.
struct Touch { unsigned writer, reader, kept, added, last, looked, first; };
static char before[SIZE];  // the last atomic
static Touch touches[SIZE];
static unsigned now;
static size_t thread(size_t index) { now = (unsigned)index + 1; return index; }
static bool others(unsigned thread) { return thread && thread != now; }
static void note(unsigned& thread) { thread = others(thread) ? ~0u : now; }
template <typename T> static Touch* of(T* at)
{
    size_t place = (size_t)at - FIRST;
    return place < SIZE && place + sizeof(T) <= SIZE ? touches + place : nullptr;
}
template <typename T> static size_t step(T* at) { return ((size_t)at | sizeof(T)) % 4 ? 1 : 4; }
static bool same(const void* a, const void* b, size_t first, size_t many)
{
    bool all = true;
    for (size_t k = first; k < first + many; ++k) all = all && ((const char*)a)[k] == ((const char*)b)[k];
    return all;
}
template <typename T> static void read(T* at)
{
    Touch* touch = of(at);
    for (size_t k = 0; touch && k < sizeof(T); k += step(at)) {
        if (others(touch[k].writer)) __builtin_trap();
        note(touch[k].reader);
    }
}
// Not by an atomic: after one's own, others may have come; before it, the last of them may still come, once.
template <typename T> static T load(T* at)
{
    read(at);
    T value = wp::load(at);
    Touch* touch = of(at);
    for (size_t k = 0; touch && k < sizeof(T); k += step(at)) {
        if (!others(touch[k].added)) continue;
        if (touch[k].last == now) __builtin_trap();
        if (touch[k].looked == now) continue;
        touch[k].looked = now;
        for (size_t b = k; b < k + step(at); ++b) ((char*)&value)[b] = before[(size_t)at - FIRST + b];
    }
    return value;
}
template <typename T> static void write(T* at, const T& value)
{
    Touch* touch = of(at);
    for (size_t k = 0; touch && k < sizeof(T); k += step(at)) {
        if (same(at, &value, k, step(at))) {  // disturbs nobody who stores the same or reads
            if (others(touch[k].added)) __builtin_trap();
            note(touch[k].kept);
            continue;
        }
        if (others(touch[k].writer) || others(touch[k].reader) || others(touch[k].kept)) __builtin_trap();
        touch[k].writer = now;
    }
}
template <typename T> static void add(T* at, const T& other)  // by an atomic, which makes one of the other
{
    Touch* touch = of(at);
    for (size_t k = 0; touch && k < sizeof(T); k += step(at)) {
        if (same(at, &other, k, step(at))) continue;
        if (others(touch[k].kept)) __builtin_trap();
        note(touch[k].added);
        touch[k].last = now;
        for (size_t b = k; b < k + step(at); ++b) before[(size_t)at - FIRST + b] = ((const char*)&other)[b];
    }
}
template <typename T> struct Atomic {  // reads, and lives until what it stands beside is done
    T* at;
    T before;
    Atomic(T* at) : at(at), before(*at) { read(at); }
    ~Atomic() { add(at, before); }
};
#define WP_WATCH_SLOT(name) \\
    template <typename A, typename T, typename F, typename... I> \\
    static T name(A& a, T value, F part, I... i) \\
    { Atomic watch(&part(wp::index(a, i...))); return wp::name(a, value, part, i...); }
WP_WATCH_SLOT(array_atomic_add_slot)
WP_WATCH_SLOT(array_atomic_sub_slot)
WP_WATCH_SLOT(array_atomic_and_slot)
WP_WATCH_SLOT(array_atomic_or_slot)
WP_WATCH_SLOT(array_atomic_xor_slot)
template <typename T> static void store(T* at, T value) { write(at, value); wp::store(at, value); }
// An array that is not in the pages is a thread's own, on the stack. What is beyond it may be what another
// thread left.
template <typename T> static void inside(const wp::array_t<T>& a, const T* at)
{
    if ((size_t)a.data - FIRST < SIZE) return;
    long place = (const char*)at - (const char*)a.data, end = 0;
    for (int d = 0; d < a.ndim; ++d)
        if ((long)a.shape[d] * a.strides[d] > end) end = (long)a.shape[d] * a.strides[d];
    if (place < 0 || place >= end) __builtin_trap();
}
template <typename T> static void inside(const wp::indexedarray_t<T>&, const T*) {}
template <typename A, typename... I> static auto address(const A& a, I... i)
{
    auto at = wp::address(a, i...);
    inside(a, at);
    return at;
}
template <template <typename> class A, typename T> static void array_store(const A<T>& a, int i, T value)
{ write(address(a, i), value); wp::array_store(a, i, value); }
template <template <typename> class A, typename T>
static void array_store(const A<T>& a, int i, int j, T value)
{ write(address(a, i, j), value); wp::array_store(a, i, j, value); }
template <template <typename> class A, typename T>
static void array_store(const A<T>& a, int i, int j, int k, T value)
{ write(address(a, i, j, k), value); wp::array_store(a, i, j, k, value); }
template <template <typename> class A, typename T>
static void array_store(const A<T>& a, int i, int j, int k, int l, T value)
{ write(address(a, i, j, k, l), value); wp::array_store(a, i, j, k, l, value); }
// Beyond the parts of a vector is what else is on the stack, also what another thread left there.
static void part(int at, int parts) { if (at < -parts || at >= parts) __builtin_trap(); }
static void part(wp::slice_t, int) {}
template <typename V, typename... I> static void parts(const V&, I...) {}
template <unsigned N, typename T, typename I> static void parts(const wp::vec_t<N, T>&, I i) { part(i, N); }
template <typename T, typename I> static void parts(const wp::quat_t<T>&, I i) { part(i, 4); }
template <typename T, typename I> static void parts(const wp::transform_t<T>&, I i) { part(i, 7); }
template <unsigned N, unsigned M, typename T, typename I>
static void parts(const wp::mat_t<N, M, T>&, I i) { part(i, N); }
template <unsigned N, unsigned M, typename T, typename I, typename J>
static void parts(const wp::mat_t<N, M, T>&, I i, J j) { part(i, N); part(j, M); }
template <typename V, typename... I> static auto extract(const V& v, I... i)
{ parts(v, i...); return wp::extract(v, i...); }
#define WP_WATCH_PART(name) \\
    template <typename V, typename I, typename T> static void name(V& v, I i, T value) \\
    { parts(v, i); wp::name(v, i, value); } \\
    template <typename V, typename I, typename J, typename T> static void name(V& v, I i, J j, T value) \\
    { parts(v, i, j); wp::name(v, i, j, value); }
WP_WATCH_PART(assign_inplace)
WP_WATCH_PART(add_inplace)
WP_WATCH_PART(sub_inplace)
template <typename T> static int lower_bound(const wp::array_t<T>& a, int lower, int end, T value)
{
    for (int first = lower, last = end - 1; first < last;) {  // as it looks
        int middle = first + (last - first) / 2;
        T* at = wp::address(a, middle);
        read(at);
        if (*at < value) first = middle + 1; else last = middle;
    }
    return wp::lower_bound(a, lower, end, value);
}
template <typename T> static int lower_bound(const wp::array_t<T>& a, T value)
{ return wp_watch::lower_bound(a, 0, a.shape[0], value); }
static int sample_cdf(wp::uint32& state, const wp::array_t<float>& a)
{
    wp::uint32 copy = state;
    wp_watch::lower_bound(a, wp::randf(copy));
    return wp::sample_cdf(state, a);
}
template <typename T, bool Checks, bool Aligned, unsigned... Shape, typename... I>
static auto tile_load(wp::array_t<T>& a, I... i)
{
    const int shape[] = {(int)Shape...}, first[] = {(int)i...};
    for (int k = 0; k < (int)(Shape * ...); ++k) {
        char* at = (char*)a.data;
        bool within = true;
        for (int d = sizeof...(Shape) - 1, left = k; d >= 0; left /= shape[d--]) {
            int index = first[d] + left % shape[d];
            within = within && index >= 0 && index < a.shape[d];
            at += (long)a.strides[d] * index;
        }
        if (within) read((T*)at);
    }
    return wp::tile_load<T, Checks, Aligned, Shape...>(a, i...);
}
template <unsigned... Shape, typename T, typename Tile, typename... I>
static auto tile_load_indexed(wp::array_t<T>& a, Tile& indices, int axis, I... i)
{
    wp::tile_register_t<T, wp::tile_layout_register_t<wp::tile_shape_t<Shape...>>>().apply([&](int, auto c) {
        int64_t at;
        if (wp::compute_index(a, indices, axis, wp::tile_coord(i...), c, at)) read(a.data + at);
    });
    return wp::tile_load_indexed<Shape...>(a, indices, axis, i...);
}
// A tile is a block's. One that holds nothing of single threads (JOINT is false) is the same for all of them,
// or each would store its own: they store what the first one does, and none but it adds. The sum of a block
// (SUMMED) is added where the first one adds it.
template <typename T> static void first(T* at)
{
    Touch* touch = of(at);
    for (size_t k = 0; touch && k < sizeof(T); k += step(at)) {
        if (now == 1) touch[k].first = 1;
        if (!touch[k].first) __builtin_trap();
    }
}
struct Stores {
    template <typename T> static void note(T* at, const T& value) { if (!JOINT) first(at); write(at, value); }
};
struct Adds {
    template <typename T> static void note(T* at, const T& value)
    {
        if (!JOINT && now != 1) __builtin_trap();
        if (SUMMED) first(at);
        T sum = *at;
        wp::atomic_add(&sum, value);
        read(at);
        add(at, sum);
    }
};
template <typename How, typename Tile, typename T, typename... I>
static void tile(Tile& tile, wp::array_t<T>& a, I... i)
{
    wp::tile_global_t<T, typename Tile::Layout::Shape> place(a, wp::tile_coord(i...));
    auto own = tile.copy_to_register();
    own.apply([&](int k, auto c) {
        int64_t at;
        if (place.index(c, at)) How::note(a.data + at, T(own.data[k]));
    });
}
template <typename How, typename Tile, typename T, typename Indices, typename... I>
static void tile_indexed(Tile& tile, wp::array_t<T>& a, Indices& indices, int axis, I... i)
{
    auto own = tile.copy_to_register();
    own.apply([&](int k, auto c) {
        int64_t at;
        bool within = wp::compute_index(a, indices, axis, wp::tile_coord(i...), c, at);
        if (within) How::note(a.data + at, T(own.data[k]));
    });
}
// Matrices in arrays of floats.
static float stored[SIZE / sizeof(float) + 1];
struct Matrix {  // lives until it is stored
    float* at;
    int many;
    float* before(int k)
    { return of(at + k) ? stored + ((size_t)(at + k) - FIRST) / sizeof(float) : nullptr; }
    Matrix(const wp::array_t<float>& a, int many) : at(a.data), many(many)
    { for (int k = 0; k < many; ++k) if (before(k)) *before(k) = at[k]; }
    ~Matrix()
    {
        for (int k = 0; k < many; ++k) {
            if (!before(k)) continue;
            float value = at[k];
            at[k] = *before(k);
            write(at + k, value);
            at[k] = value;
        }
    }
};
static void read_matrix(const wp::array_t<float>& a, int many)
{ for (int k = 0; k < many; ++k) read(a.data + k); }
static void dense_gemm(int m, int n, int p, int s, int t, const wp::array_t<float>& a,
    const wp::array_t<float>& b, wp::array_t<float>& c)
{
    read_matrix(a, m * p);
    read_matrix(b, p * n);
    Matrix watch(c, m * n);
    wp::dense_gemm(m, n, p, s, t, a, b, c);
}
static void dense_chol(int n, const wp::array_t<float>& a, float r, wp::array_t<float>& c)
{ read_matrix(a, n * n); Matrix watch(c, n * n); wp::dense_chol(n, a, r, c); }
static void dense_subs(int n, const wp::array_t<float>& l, const wp::array_t<float>& b, wp::array_t<float>& x)
{ read_matrix(l, n * n); read_matrix(b, n); Matrix watch(x, n); wp::dense_subs(n, l, b, x); }
static void dense_solve(int n, const wp::array_t<float>& a, const wp::array_t<float>& l,
    const wp::array_t<float>& b, wp::array_t<float>& x)
{ read_matrix(l, n * n); read_matrix(b, n); Matrix watch(x, n); wp::dense_solve(n, a, l, b, x); }
}
"""
_NAME = "wp_watch"
_LAUNCH = re.compile(r"(\b\w+_cpu_kernel_forward<\w+>\(\*dim, )task_index\b")
_PLAIN = re.compile(
    r"\bwp::(load|store|address|array_store|array_atomic_\w+_slot|lower_bound|sample_cdf|tile_load|tile_load_indexed"
    r"|dense_(?:gemm|chol|subs|solve)|extract|(?:assign|add|sub)_inplace)(?=[(<])"
)
_TILE = re.compile(r"\bwp::tile_(store|atomic_add)(_indexed)?(?:<[^()]*?>)?\(([\w, ]+), (\w+)\)")
_ATOMIC = re.compile(r"\bwp::atomic_(\w+)\((\w+), ([\w, ]+)\)")


def watched(text: str, first: int, size: int) -> str | None:
    """A text that watches `size` bytes from the address `first` on; None where it is not as Warp writes it,
    or has too much to watch."""
    name = _NAME
    while name in text:  # a struct may be called that
        name += "_"
    text, launches = _LAUNCH.subn(rf"\1{name}::thread(task_index)", text)
    if not launches or size > LARGEST:
        return None
    prelude = _PRELUDE.replace("SIZE", f"{size}ul").replace("FIRST", f"{first}ul").replace(_NAME, name)
    for word, is_so in zip(("JOINT", "SUMMED"), kind_of(text), strict=True):
        prelude = prelude.replace(word, "true" if is_so else "false")
    text = _PLAIN.sub(rf"{name}::\1", _TILE.sub(lambda found: _stored(found, name), text))
    return prelude + _ATOMIC.sub(lambda found: _noted(found, name), text)


def last_first(text: str) -> str | None:
    """A text whose threads come last first; None where it is not as Warp writes it."""
    text, launches = _LAUNCH.subn(r"\1dim->size - 1 - task_index", text)
    return text if launches else None


def _stored(tile: re.Match[str], name: str) -> str:
    how = "Adds" if tile[1] == "atomic_add" else "Stores"
    return f"({name}::tile{tile[2] or ''}<{name}::{how}>({tile[4]}, {tile[3]}), {tile[0]})"


def _noted(atomic: re.Match[str], name: str) -> str:
    """An atomic does not disturb others of its kind. One that looks at nothing stores."""
    values = 2 if atomic[1] == "cas" else 1
    *indices, value = atomic[3].split(", ")
    place = f"{name}::address({', '.join([atomic[2], *indices[: 1 - values or None]])})"
    note = f"write({place}, {value})" if atomic[1] == "exch" else f"Atomic({place})"
    return f"({name}::{note}, {atomic[0]})"
