"""Kernels that break none of CUDA's rules: warps, groups, barriers, atomics and what they order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from machine.cases import Drawn, a_block, a_size, blocks, drawn_of, floats, ints, of, right

WIDTHS = """
__global__ void k(const int* x, int* y) {
    int t = threadIdx.x, v = x[t];
    int up = __shfl_up_sync(0xffffffffu, v, 2, 8);
    int down = __shfl_down_sync(0xffffffffu, v, 3, 16);
    int swapped = __shfl_xor_sync(0xffffffffu, v, 5, 8);
    int first = __shfl_sync(0xffffffffu, v, 0, 4);
    double d = __shfl_sync(0xffffffffu, (double)v, 9, 8);
    long long wide = __shfl_down_sync(0xffffffffu, (long long)v << 33, 1, 2);
    y[t] = up + 2 * down + 4 * swapped + 8 * first + 16 * (int)d + (int)(wide >> 33);
}
"""


@right
def shuffles_of_widths(rng):
    x = ints(rng, 64)
    t = np.arange(64)
    up = x[np.where(t % 8 >= 2, t - 2, t)]
    down = x[np.where(t % 16 + 3 < 16, t + 3, t)]
    wide = x[np.where(t % 2 + 1 < 2, t + 1, t)]
    after = up + 2 * down + 4 * x[t ^ 5] + 8 * x[t // 4 * 4] + 16 * x[t // 8 * 8 + 1] + wide
    return Drawn(WIDTHS, [x, np.zeros(64, np.int32)], 1, 64, after={1: after})


HALVES = """
__global__ void k(const int* x, int* y) {
    int t = threadIdx.x, v = x[t];
    unsigned mask = t % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
    if (t % 32 < 16) v += __shfl_xor_sync(mask, v, 8);
    else v = max(v, __shfl_xor_sync(mask, v, 4));
    y[t] = v;
}
"""


@right
def masks_of_half_a_warp(rng):
    x = ints(rng, 64)
    t = np.arange(64)
    after = np.where(t % 32 < 16, x + x[t ^ 8], np.maximum(x, x[t ^ 4]))
    return Drawn(HALVES, [x, np.zeros(64, np.int32)], 1, 64, after={1: after})


MATCHES = """
__global__ void k(const int* x, int* sums, int* all) {
    int t = threadIdx.x;
    unsigned peers = __match_any_sync(0xffffffffu, x[t]);
    int leader = __ffs(peers) - 1;
    if (t % 32 == leader) atomicAdd(&sums[x[t]], __popc(peers));
    int same;
    unsigned every = __match_all_sync(0xffffffffu, x[t / 32], &same);
    if (t % 32 == 0) all[t / 32] = same && every == 0xffffffffu;
}
"""


@right
def matches_of_equal_keys(rng):
    b = of(rng, 64, 8)
    x = ints(rng, b, 7)
    after = np.bincount(x, minlength=8)
    arguments = [x, np.zeros(8, np.int32), np.zeros(2, np.int32)]
    text = MATCHES if b == 64 else MATCHES.replace("every == 0xffffffffu", "every == 0xffu")
    return Drawn(text, arguments, 1, b, after={1: after, 2: [1, b // 64]})


REDUCES = """
__global__ void k(const unsigned* x, unsigned* y) {
    unsigned t = threadIdx.x, v = x[t], full = 0xffffffffu;
    unsigned r = __reduce_and_sync(full, v | 1) + __reduce_or_sync(full, v) + __reduce_xor_sync(full, v);
    r += __reduce_min_sync(full, v) + (unsigned)__reduce_min_sync(full, (int)v - 50);
    r += (unsigned)__reduce_add_sync(full, (int)v);
    y[t] = r;
}
"""


@right
def reduces_of_a_warp(rng):
    x = ints(rng, 64).astype(np.uint32)
    after = np.zeros(64, np.uint32)
    for w in (0, 32):
        v = x[w : w + 32]
        r = np.bitwise_and.reduce(v | 1) + np.bitwise_or.reduce(v) + np.bitwise_xor.reduce(v)
        after[w : w + 32] = (int(r) + int(v.min()) + int(v.min()) - 50 + int(v.sum())) % 2**32
    return Drawn(REDUCES, [x, np.zeros(64, np.uint32)], 1, 64, after={1: after})


SORTED_WARP = """
__global__ void k(int* x) {
    int t = threadIdx.x, lane = t & 31, v = x[blockIdx.x * blockDim.x + t];
    for (int size = 2; size <= 32; size <<= 1)
        for (int step = size >> 1; step > 0; step >>= 1) {
            int other = __shfl_xor_sync(0xffffffff, v, step);
            bool up = (lane & size) == 0, low = (lane & step) == 0;
            v = (up == low) ? min(v, other) : max(v, other);
        }
    x[blockIdx.x * blockDim.x + t] = v;
}
"""


@right
def bitonic_in_registers(rng):
    x = ints(rng, 128)
    return Drawn(SORTED_WARP, [x], 2, 64, after={0: np.sort(x.reshape(4, 32), 1).ravel()})


BALLOT_SCAN = """
#define B 64
__global__ void k(const int* x, int* y, int* counts) {
    __shared__ int before[B / 32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    bool keep = x[blockIdx.x * B + t] % 2 == 0;
    unsigned votes = __ballot_sync(0xffffffffu, keep);
    if (lane == 0) before[warp] = __popc(votes);
    __syncthreads();
    int place = __popc(votes & ((1u << lane) - 1));
    for (int w = 0; w < warp; ++w) place += before[w];
    if (keep) y[blockIdx.x * B + place] = x[blockIdx.x * B + t];
    if (t == 0) { int all = 0; for (int w = 0; w < B / 32; ++w) all += before[w]; counts[blockIdx.x] = all; }
}
"""


@right
def compaction_by_ballot(rng):
    x = ints(rng, 128)
    after, counts = np.zeros(128, np.int32), np.zeros(2, np.int32)
    for b in (0, 1):
        kept = [v for v in x[64 * b : 64 * b + 64] if v % 2 == 0]
        after[64 * b : 64 * b + len(kept)] = kept
        counts[b] = len(kept)
    arguments = [x, np.zeros(128, np.int32), np.zeros(2, np.int32)]
    return Drawn(BALLOT_SCAN, arguments, 2, 64, after={1: after, 2: counts})


CSR = """
__global__ void k(const int* starts, const int* columns, const float* values, const float* x, float* y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
    if (row >= rows) return;
    float sum = 0.0f;
    for (int j = starts[row] + lane; j < starts[row + 1]; j += 8) sum += values[j] * x[columns[j]];
    for (int d = 4; d > 0; d >>= 1) sum += __shfl_down_sync(mask, sum, d, 8);
    if (lane == 0) y[row] = sum;
}
"""


@right
def sparse_rows_by_parts_of_warps(rng):
    rows = int(rng.integers(10, 30))
    lengths = rng.integers(0, 20, rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    columns = rng.integers(0, 16, starts[-1]).astype(np.int32)
    values, x = floats(rng, starts[-1]), floats(rng, 16)
    parts = [float(values[a:b] @ x[columns[a:b]]) for a, b in pairwise(starts)]
    arguments = [starts, columns, values, x, np.zeros(rows, np.float32), rows]
    return Drawn(CSR, arguments, blocks(8 * rows, 64), 64, after={4: parts})


TILES = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(const float* x, float* sums, int n) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int i = block.group_index().x * block.size() + block.thread_rank();
    float v = i < n ? x[i] : 0.0f;
    v = cg::reduce(tile, v, cg::plus<float>());
    if (tile.thread_rank() == 0) atomicAdd(&sums[tile.meta_group_rank()], v);
}
"""


@right
def groups_reduce_tiles(rng):
    n = a_size(rng)
    b, tile = of(rng, 64, 4), of(rng, 16, 2)
    x = floats(rng, n)
    parts = np.pad(x, (0, blocks(n, b) * b - n)).reshape(-1, b // tile, tile).sum(axis=(0, 2))
    text = TILES.replace("16", str(tile))
    return Drawn(text, [x, np.zeros(b // tile, np.float32), n], blocks(n, b), b, after={1: parts})


GROUP_TREE = """
#include <cooperative_groups.h>
using namespace cooperative_groups;
__device__ int total(thread_group g, int* s, int v) {
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        s[lane] = v;
        g.sync();
        if (lane < i) v += s[lane + i];
        g.sync();
    }
    return v;
}
__global__ void k(const int* x, int* sums) {
    extern __shared__ int s[];
    thread_block b = this_thread_block();
    int v = total(b, s, x[blockIdx.x * blockDim.x + threadIdx.x]);
    if (b.thread_rank() == 0) sums[blockIdx.x] = v;
}
"""


@right
def groups_as_arguments(rng):
    block = drawn_of(rng, [32, 64, 128], 4)
    x = ints(rng, 2 * block)
    after = x.reshape(2, block).sum(1)
    return Drawn(GROUP_TREE, [x, np.zeros(2, np.int32)], 2, block, 4 * block, after={1: after})


GROUP_PARTS = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const int* x, int* y) {
    __shared__ int s[B];
    auto block = cg::this_thread_block();
    auto part = cg::tiled_partition(block, 4);
    int t = block.thread_rank();
    s[t] = x[t];
    part.sync();
    int v = s[t ^ 3];
    cg::sync(part);
    s[t] = v + 1;
    block.sync();
    y[t] = s[B - 1 - t];
}
"""


@right
def groups_of_four_wait_for_each_other(rng):
    b = of(rng, 64, 8)
    x = ints(rng, b)
    after = (x[np.arange(b) ^ 3] + 1)[::-1]
    return Drawn(
        GROUP_PARTS.replace("B", str(b), 2).replace("s[B", f"s[{b}"),
        [x, np.zeros(b, np.int32)],
        1,
        b,
        after={1: after},
    )


GROUP_COALESCED = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int next(int* counter) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(counter, (int)active.size());
    return active.shfl(base, 0) + active.thread_rank();
}
__global__ void k(const int* x, int* counter, int* marks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 40) marks[next(counter)] = 1;
}
"""


@right
def groups_of_active_threads(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n)
    m = int((x > 40).sum())
    marks = np.zeros(n, np.int32)
    marks[:m] = 1
    arguments = [x, np.zeros(1, np.int32), np.zeros(n, np.int32), n]
    return Drawn(GROUP_COALESCED, arguments, blocks(n, block), block, after={1: [m], 2: marks})


BLELLOCH = """
#define B 128
__global__ void k(const int* x, int* y) {
    __shared__ int s[2 * B];
    int t = threadIdx.x, step = 1;
    s[2 * t] = x[2 * t];
    s[2 * t + 1] = x[2 * t + 1];
    for (int d = B; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) { int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1; s[b] += s[a]; }
        step *= 2;
    }
    if (t == 0) s[2 * B - 1] = 0;
    for (int d = 1; d < 2 * B; d *= 2) {
        step >>= 1;
        __syncthreads();
        if (t < d) {
            int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    y[2 * t] = s[2 * t];
    y[2 * t + 1] = s[2 * t + 1];
}
"""


@right
def work_efficient_scan(rng):
    b = of(rng, 128, 4)
    x = ints(rng, 2 * b)
    after = np.concatenate([[0], np.cumsum(x)[:-1]])
    return Drawn(BLELLOCH.replace("B 128", f"B {b}"), [x, np.zeros(2 * b, np.int32)], 1, b, after={1: after})


UNTIL = """
__global__ void k(int* x, int* rounds) {
    extern __shared__ int s[];
    int t = threadIdx.x, n = blockDim.x, r = 0;
    s[t] = x[t];
    __syncthreads();
    bool changed;
    do {
        int least = s[t];
        if (t > 0) least = min(least, s[t - 1]);
        if (t + 1 < n) least = min(least, s[t + 1]);
        changed = least != s[t];
        __syncthreads();
        s[t] = least;
        ++r;
    } while (__syncthreads_or(changed));
    x[t] = s[t];
    if (t == 0) *rounds = r;
}
"""


@right
def until_nothing_changes(rng):
    block = drawn_of(rng, [32, 48, 64], 4)
    x = ints(rng, block)
    values, rounds = x.copy(), 0
    while True:
        rounds += 1
        least = np.minimum(values, np.minimum(np.r_[values[0], values[:-1]], np.r_[values[1:], values[-1]]))
        if (least == values).all():
            break
        values = least
    return Drawn(UNTIL, [x, np.zeros(1, np.int32)], 1, block, 4 * block, after={0: values, 1: [rounds]})


RETURNS = """
__global__ void k(const int* x, int* y, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = x[t] * 2;
    __syncthreads();
    y[t] = s[n - 1 - t];
}
"""


@right
def return_before_a_barrier(rng):
    block = drawn_of(rng, [64, 96], 4)
    n = block - 1 if isinstance(block, int) and block < 9 else int(rng.integers(33, block))
    x = ints(rng, n)
    return Drawn(RETURNS, [x, np.zeros(n, np.int32), n], 1, block, 4 * block, after={1: 2 * x[::-1]})


ATOMICS = """
__global__ void k(const int* x, int* y, unsigned* u, unsigned long long* w, float* f, double* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i];
    atomicAdd(&y[0], v); atomicSub(&y[1], v); atomicMin(&y[2], v); atomicMax(&y[3], v);
    atomicAnd(&y[4], v | 1); atomicOr(&y[5], v); atomicXor(&y[6], v);
    atomicInc(&u[0], 5u); atomicDec(&u[1], 7u); atomicMax(&u[2], (unsigned)v);
    atomicAdd(&w[0], (unsigned long long)v << 30); atomicMax(&w[1], (unsigned long long)v << 40);
    atomicOr(&w[2], 1ull << (v % 50));
    atomicAdd(f, (float)v); atomicAdd(d, 0.5 * v);
    atomicAdd_system(&y[7], v);
}
"""


@right
def atomics_of_all_types(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n)
    y = np.zeros(8, np.int32)
    y[2], y[4] = 1000, -1
    total = int(x.sum())
    down = 0
    for _ in range(n):
        down = 7 if down == 0 or down > 7 else down - 1
    after = [
        total, -total, x.min(), x.max(), np.bitwise_and.reduce(x | 1), np.bitwise_or.reduce(x),
        np.bitwise_xor.reduce(x), total,
    ]  # fmt: skip
    bits = 0
    for v in x:
        bits |= 1 << int(v) % 50
    wide = np.array([total << 30, int(x.max()) << 40, bits], np.uint64)
    arguments = [
        x, y, np.zeros(3, np.uint32), np.zeros(3, np.uint64), np.zeros(1, np.float32), np.zeros(1), n
    ]  # fmt: skip
    return Drawn(
        ATOMICS,
        arguments,
        blocks(n, block),
        block,
        after={1: after, 2: [n % 6, down, x.max()], 3: wide, 4: [total], 5: [total / 2]},
    )


EXCHANGES = """
__global__ void k(int* next, int* head, unsigned long long* claims, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    next[i] = atomicExch(head, i);
    unsigned long long seen = atomicCAS(&claims[i % 3], 0ull, (unsigned long long)i + 1);
    if (seen != 0) atomicAdd(&claims[3], 1ull);
}
"""


@right
def exchanges_link_a_list(rng):
    n, block = a_size(rng), a_block(rng)
    arguments = [np.zeros(n, np.int32), np.full(1, -1, np.int32), np.zeros(4, np.uint64), n]
    few = min(n, 3)
    after = {
        0: lambda found: len(set(found)) == n and -1 in found,
        2: lambda found: found[3] == n - few and all((found[c] - 1) % 3 == c for c in range(few)),
    }
    return Drawn(EXCHANGES, arguments, blocks(n, block), block, after=after)


BLOCK_SCOPE = """
#define B 64
__global__ void k(const int* x, int* y, int n) {
    __shared__ int count, most;
    int t = threadIdx.x, i = blockIdx.x * B + t;
    if (t == 0) { count = 0; most = 0; }
    __syncthreads();
    if (i < n) { atomicAdd_block(&count, x[i] % 3); atomicMax_block(&most, x[i]); atomicAdd_block(&y[2 * blockIdx.x + 1], 1); }
    __syncthreads();
    if (t == 0) y[2 * blockIdx.x] = count + 1000 * most;
}
"""


@right
def atomics_of_a_block(rng):
    n, b = a_size(rng), of(rng, 64, 4)
    x = ints(rng, n)
    grid = blocks(n, b)
    parts = [x[b * g : b * g + b] for g in range(grid)]
    after = np.ravel([[(p % 3).sum() + 1000 * p.max(), len(p)] for p in parts])
    return Drawn(
        BLOCK_SCOPE.replace("B 64", f"B {b}"), [x, np.zeros(2 * grid, np.int32), n], grid, b, after={1: after}
    )


CAS_DOUBLE = """
__device__ double multiply(double* p, double v) {
    unsigned long long* bits = (unsigned long long*)p;
    unsigned long long old = 0, seen;
    while ((seen = atomicCAS(bits, old, __double_as_longlong(v * __longlong_as_double(old)))) != old) old = seen;
    return __longlong_as_double(old);
}
__global__ void k(const int* x, double* product, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 7 == 0) multiply(product, 1.5);
}
"""


@right
def product_by_compare_and_swap(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n)
    after = 1.5 ** int((x % 7 == 0).sum())
    return Drawn(CAS_DOUBLE, [x, np.ones(1), n], blocks(n, block), block, after={1: [after]})


FLAGS = """
__global__ void k(const int* x, int* y, int* ready) {
    __shared__ int s;
    __shared__ int flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == blockDim.x - 1) {
        s = x[blockIdx.x] * 2;
        __threadfence_block();
        atomicExch_block(&flag, 1);
    } else {
        while (atomicAdd_block(&flag, 0) == 0) { }
        __threadfence_block();
        y[blockIdx.x * blockDim.x + t] = s + t;
    }
}
"""


@right
def flags_within_a_block(rng):
    block = drawn_of(rng, [32, 64], 4)
    x = ints(rng, 2)
    after = (2 * x[:, None] + np.arange(block)) * (np.arange(block) < block - 1)
    arguments = [x, np.zeros(2 * block, np.int32), np.zeros(1, np.int32)]
    return Drawn(FLAGS, arguments, 2, block, after={1: after.ravel()})


MUTEX = """
struct Lock {
    int state;
    __device__ void take() { while (atomicCAS(&state, 0, 1) != 0) __nanosleep(10); __threadfence(); }
    __device__ void give() { __threadfence(); atomicExch(&state, 0); }
};
__device__ Lock lock;
__device__ int made;
__global__ void k(const int* x, int* list, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 60) {
        lock.take();
        list[made] = x[i];
        made = made + 1;
        list[n] += 1;
        lock.give();
    }
}
"""


@right
def lock_of_every_thread(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n)
    x[:: of(rng, 9, 2)] = 70
    m = int((x > 60).sum())
    drawn = Drawn(MUTEX, [x, np.zeros(n + 1, np.int32), n], blocks(n, block), block)
    drawn.after[1] = lambda found: found[n] == m and sorted(found[:m]) == sorted(x[x > 60])
    return drawn


TWO_PHASES = """
__device__ unsigned int arrived;
__global__ void k(const float* x, float* parts, float* y, int n) {
    extern __shared__ float s[];
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] * x[i] : 0.0f;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
    if (t == 0) {
        parts[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    float sum = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) sum += parts[b];
    for (int j = t; j < n; j += blockDim.x) y[j] = x[j] / sum;
}
"""


@right
def last_block_normalizes(rng):
    n, block = a_size(rng), drawn_of(rng, [32, 64], 4)
    x = floats(rng, n)
    grid = blocks(n, block)
    y = x / np.float32((x * x).sum())
    arguments = [x, np.zeros(grid, np.float32), np.zeros(n, np.float32), n]
    return Drawn(TWO_PHASES, arguments, grid, block, 4 * block, after={2: y})


PRIVATE = """
#define BINS 8
__global__ void k(const unsigned char* x, unsigned int* bins, int n) {
    __shared__ unsigned int own[4][BINS];
    int t = threadIdx.x, w = t % 4;
    for (int j = t; j < 4 * BINS; j += blockDim.x) own[j / BINS][j % BINS] = 0u;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) atomicInc(&own[w][x[i] >> 5], 0xffffffffu);
    __syncthreads();
    if (t < BINS) {
        unsigned int sum = own[0][t] + own[1][t] + own[2][t] + own[3][t];
        if (sum > 0) atomicAdd(bins + t, sum);
    }
}
"""


@right
def histograms_of_parts(rng):
    n, block = a_size(rng), drawn_of(rng, [32, 64, 96], 4)
    x = rng.integers(0, 256, n).astype(np.uint8)
    text = PRIVATE if block >= 8 else PRIVATE.replace("BINS 8", "BINS 4").replace("x[i] >> 5", "x[i] >> 6")
    bins = 8 if block >= 8 else 4
    after = np.bincount(x // (256 // bins), minlength=bins)
    return Drawn(text, [x, np.zeros(bins, np.uint32), n], 2, block, after={1: after})


UNION_FIND = """
__device__ int find(int* parent, int i) {
    int p = atomicAdd(&parent[i], 0);
    while (p != i) { i = p; p = atomicAdd(&parent[i], 0); }
    return i;
}
__global__ void k(const int2* edges, int* parent, int n) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    int a = find(parent, edges[e].x), b = find(parent, edges[e].y);
    while (a != b) {
        if (a < b) { int c = a; a = b; b = c; }
        int seen = atomicMin(&parent[a], b);
        if (seen == a) break;
        a = find(parent, seen);
        b = find(parent, b);
    }
}
"""


@right
def sets_that_are_joined(rng):
    n, m, block = of(rng, 60, 5), of(rng, 40, 6), a_block(rng)
    edges = rng.integers(0, n, (m, 2)).astype(np.int32)
    group = np.arange(n)
    for a, b in np.tile(edges, (n, 1)):
        group[group == max(group[a], group[b])] = min(group[a], group[b])
    drawn = Drawn(UNION_FIND, [edges, np.arange(n, dtype=np.int32), m], blocks(m, block), block)

    def same(parent):
        roots = np.arange(n)
        for _ in range(n):
            roots = parent[roots]
        return (roots == group).all()

    drawn.after[1] = same
    return drawn


FRONTIER = """
__global__ void k(const int* starts, const int* targets, int* distance, int* found, int* count, int now, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || starts[v] == starts[v + 1]) return;
    if (atomicAdd(&distance[v], 0) != now) return;
    for (int j = starts[v]; j < starts[v + 1]; ++j)
        if (atomicCAS(&distance[targets[j]], -1, now + 1) == -1) found[atomicAdd(count, 1)] = targets[j];
}
"""


@right
def frontier_of_a_graph(rng):
    n, block = of(rng, 50, 6), a_block(rng)
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 4, n))]).astype(np.int32)
    targets = rng.integers(0, of(rng, n, 3), starts[-1]).astype(np.int32)
    distance = np.where(rng.random(n) < of(rng, 3, 6) / 10, 2, -1).astype(np.int32)
    distance[0] = -1
    reached = {int(t) for v in range(n) if distance[v] == 2 for t in targets[starts[v] : starts[v + 1]]}
    fresh = sorted(t for t in reached if distance[t] == -1)
    after = distance.copy()
    after[fresh] = 3
    arguments = [starts, targets, distance, np.zeros(n, np.int32), np.zeros(1, np.int32), 2, n]
    drawn = Drawn(FRONTIER, arguments, blocks(n, block), block, after={2: after, 4: [len(fresh)]})
    drawn.after[3] = lambda found: sorted(found[: len(fresh)]) == fresh
    return drawn


PIPELINE = """
#define B 32
__global__ void k(const int* x, int* y, int n) {
    __shared__ int s[3][B];
    int t = threadIdx.x;
    s[0][t] = x[t];
    for (int i = 1; i < n + 2; ++i) {
        if (i < n) s[i % 3][t] = x[i * B + t];
        __syncthreads();
        if (i - 1 < n) y[(i - 1) * B + t] = s[(i - 1) % 3][B - 1 - t];
    }
}
"""


@right
def three_stages_and_one_barrier(rng):
    b, n = of(rng, 32, 4), 5
    x = ints(rng, n * b)
    after = x.reshape(n, b)[:, ::-1].ravel()
    text = PIPELINE.replace("B 32", f"B {b}")
    return Drawn(text, [x, np.zeros(n * b, np.int32), n], 1, b, after={1: after})


LOOKBACK = """
#define B 32
__device__ int ticket;
__global__ void k(const int* x, int* y, int* state, int* sums) {
    __shared__ int s[B];
    __shared__ int mine, before;
    int t = threadIdx.x;
    if (t == 0) mine = atomicAdd(&ticket, 1);
    __syncthreads();
    int v = x[mine * B + t];
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        int o = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += o;
        __syncthreads();
    }
    if (t == B - 1) {
        int sum = 0;
        if (mine > 0) { while (atomicAdd(&state[mine - 1], 0) == 0) { } __threadfence(); sum = sums[mine - 1]; }
        before = sum;
        sums[mine] = sum + s[t];
        __threadfence();
        atomicExch(&state[mine], 1);
    }
    __syncthreads();
    y[mine * B + t] = before + s[t];
}
"""


@right
def scan_of_many_blocks(rng):
    b, grid = of(rng, 32, 4), of(rng, 5, 2)
    x = ints(rng, b * grid)
    arguments = [x, np.zeros(b * grid, np.int32), np.zeros(grid, np.int32), np.zeros(grid, np.int32)]
    return Drawn(LOOKBACK.replace("B 32", f"B {b}"), arguments, grid, b, after={1: np.cumsum(x)})


LANES_BY_FIVE_BITS = """
__global__ void k(int* y) {
    int lane = threadIdx.x % 32;
    int below = __shfl_down_sync(0xffffffffu, lane, lane == 0 ? 31u : -1u);
    int above = __shfl_up_sync(0xffffffffu, lane, 33);
    int across = __shfl_xor_sync(0xffffffffu, lane, 33);
    y[threadIdx.x] = below + 100 * above + 10000 * across;
}
"""


@right
def lanes_by_five_bits(rng):
    """PTX takes the last five bits of a shuffle's distance: -1 is 31, and 33 is 1."""
    lane = np.arange(64) % 32
    below, above, across = np.where(lane == 0, 31, lane), np.maximum(lane - 1, 0), lane ^ 1
    after = {0: below + 100 * above + 10000 * across}
    return Drawn(LANES_BY_FIVE_BITS, [np.zeros(64, np.int32)], 1, 64, after=after)
