"""Kernels that break none of CUDA's rules, with what they leave."""

from __future__ import annotations

import numpy as np
from machine.cases import RIGHT, Drawn, a_block, a_size, blocks, drawn_of, floats, ints, of, right

SAXPY = """
__global__ void k(float a, const float* __restrict__ x, float* __restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""


@right
def saxpy(rng):
    n, block = a_size(rng), a_block(rng)
    x, y = floats(rng, n), floats(rng, n)
    return Drawn(SAXPY, [2.0, x, y, n], blocks(n, block), block, after={2: 2 * x + y})


GRID_STRIDE = """
__global__ void k(const float* x, float* total, int n) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    atomicAdd(total, sum);
}
"""


@right
def grid_stride(rng):
    n = a_size(rng)
    x = floats(rng, n)
    grid = of(rng, 3, 2)
    return Drawn(GRID_STRIDE, [x, np.zeros(1, np.float32), n], grid, a_block(rng), after={1: [x.sum()]})


HISTOGRAM = """
#define BINS 16
__global__ void k(const int* x, int* bins, int n) {
    __shared__ int local[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&local[x[i] % BINS], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}
"""


@right
def histogram(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n)
    after = np.bincount(x % 16, minlength=16)
    return Drawn(HISTOGRAM, [x, np.zeros(16, np.int32), n], blocks(n, block), block, after={1: after})


TREE = """
__global__ void k(const float* x, float* sums, int n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}
"""


@right
def tree_reduction(rng):
    n, block = a_size(rng), drawn_of(rng, [32, 64, 128], 4)
    x = floats(rng, n)
    grid = blocks(n, block)
    padded = np.pad(x, (0, grid * block - n)).reshape(grid, block)
    sums = np.zeros(grid, np.float32)
    return Drawn(TREE, [x, sums, n], grid, block, 4 * block, {1: padded.sum(1)})


TRANSPOSE = """
#define TILE 8
__global__ void k(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[TILE][TILE + 1];
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
    if (r < rows && c < columns) tile[threadIdx.y][threadIdx.x] = in[r * columns + c];
    __syncthreads();
    int tr = blockIdx.x * TILE + threadIdx.y, tc = blockIdx.y * TILE + threadIdx.x;
    if (tr < columns && tc < rows) out[tr * rows + tc] = tile[threadIdx.x][threadIdx.y];
}
"""


@right
def transpose(rng):
    t = of(rng, 8, 2)
    rows, columns = of(rng, int(rng.integers(9, 20)), 2), of(rng, int(rng.integers(9, 20)), 3)
    x = floats(rng, rows, columns)
    grid = (blocks(columns, t), blocks(rows, t))
    out = np.zeros((columns, rows), np.float32)
    text = TRANSPOSE.replace("TILE 8", f"TILE {t}")
    return Drawn(text, [x, out, rows, columns], grid, (t, t), after={1: x.T})


SCAN = """
__global__ void k(const int* x, int* y, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = t < n ? x[t] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t < n) y[t] = s[t];
}
"""


@right
def block_scan(rng):
    n, block = of(rng, int(rng.integers(40, 200)), 7), of(rng, 256, 8)
    x = ints(rng, n)
    return Drawn(SCAN, [x, np.zeros(n, np.int32), n], 1, block, 4 * block, {1: np.cumsum(x)})


SHUFFLE = """
__inline__ __device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}
__global__ void k(const float* x, float* total, int n) {
    __shared__ float part[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
    v = warp_sum(v);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? part[lane] : 0.0f;
    if (warp == 0) v = warp_sum(v);
    if (threadIdx.x == 0) *total = v;
}
"""


@right
def shuffle_reduction(rng):
    n, block = a_size(rng), int(rng.choice([64, 96, 128]))  # one warp needs no barrier
    x = floats(rng, n)
    return Drawn(SHUFFLE, [x, np.zeros(1, np.float32), n], 1, block, after={1: [x.sum()]})


STENCIL = """
#define R 2
template <int B> __global__ void stencil(const float* x, float* y, int n) {
    __shared__ float s[B + 2 * R];
    int g = blockIdx.x * B + threadIdx.x, l = threadIdx.x + R;
    s[l] = g < n ? x[g] : 0.0f;
    if (threadIdx.x < R) {
        s[l - R] = g >= R ? x[g - R] : 0.0f;
        s[l + B] = g + B < n ? x[g + B] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int o = -R; o <= R; ++o) sum += s[l + o];
    if (g < n) y[g] = sum;
}
"""


@right
def stencil_with_halo(rng):
    n = a_size(rng)
    x = floats(rng, n)
    y = np.convolve(x, np.ones(5, np.float32), "same")
    b = of(rng, 64, 4)
    arguments = [x, np.zeros(n, np.float32), n]
    return Drawn(STENCIL, arguments, blocks(n, b), b, after={1: y}, kernel=f"stencil<{b}>")


MATMUL = """
const int T = 8;
__global__ void k(const float* a, const float* b, float* c, int m, int n, int p) {
    __shared__ float as[T][T], bs[T][T];
    int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (n + T - 1) / T; ++t) {
        int ac = t * T + threadIdx.x, br = t * T + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && ac < n ? a[row * n + ac] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = br < n && column < p ? b[br * p + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < T; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < p) c[row * p + column] = sum;
}
"""


@right
def tiled_matmul(rng):
    t = of(rng, 8, 2)
    m, n, p = (2, 3, 3) if t == 2 else (int(v) for v in rng.integers(9, 20, 3))
    a, b = floats(rng, m, n), floats(rng, n, p)
    arguments = [a, b, np.zeros((m, p), np.float32), m, n, p]
    text = MATMUL.replace("T = 8", f"T = {t}")
    return Drawn(text, arguments, (blocks(p, t), blocks(m, t)), (t, t), after={2: a @ b})


BITONIC = """
__global__ void k(int* x) {
    __shared__ int s[128];
    unsigned t = threadIdx.x;
    s[t] = x[blockIdx.x * 128 + t];
    __syncthreads();
    for (unsigned size = 2; size <= 128; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            unsigned other = t ^ step;
            if (other > t) {
                bool up = (t & size) == 0;
                if ((s[t] > s[other]) == up) { int v = s[t]; s[t] = s[other]; s[other] = v; }
            }
            __syncthreads();
        }
    x[blockIdx.x * 128 + t] = s[t];
}
"""


@right
def bitonic_sort(rng):
    b = of(rng, 128, 4)
    x = ints(rng, 2 * b)
    text = BITONIC.replace("128", str(b))
    return Drawn(text, [x], 2, b, after={0: np.sort(x.reshape(2, b), 1).ravel()})


SOFTMAX = """
#include <math.h>
__global__ void k(const float* x, float* y, int columns) {
    extern __shared__ float s[];
    const float* row = x + blockIdx.x * columns;
    float most = -INFINITY;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) most = fmaxf(most, row[c]);
    s[threadIdx.x] = most;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + d]);
        __syncthreads();
    }
    most = s[0];
    __syncthreads();
    float sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(row[c] - most);
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    for (int c = threadIdx.x; c < columns; c += blockDim.x) y[blockIdx.x * columns + c] = expf(row[c] - most) / s[0];
}
"""


@right
def softmax_by_row(rng):
    rows, columns, block = of(rng, 3, 2), of(rng, int(rng.integers(20, 90)), 6), of(rng, 32, 4)
    x = floats(rng, rows, columns)
    e = np.exp(x - x.max(1, keepdims=True))
    y = np.zeros((rows, columns), np.float32)
    return Drawn(SOFTMAX, [x, y, columns], rows, block, 4 * block, {1: e / e.sum(1, keepdims=True)})


LAST_BLOCK = """
__device__ unsigned int done;
__global__ void k(const float* x, float* parts, float* total, int n) {
    __shared__ float s[64];
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
    if (t == 0) {
        parts[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float sum = 0.0f;
        for (int b = 0; b < gridDim.x; ++b) sum += parts[b];
        *total = sum;
    }
}
"""


@right
def last_block_done(rng):
    n = a_size(rng)
    x = floats(rng, n)
    b = of(rng, 64, 4)
    grid = blocks(n, b)
    arguments = [x, np.zeros(grid, np.float32), np.zeros(1, np.float32), n]
    text = LAST_BLOCK.replace("64", str(b)).replace("d = 32", f"d = {b // 2}")
    return Drawn(text, arguments, grid, b, after={2: [x.sum()]})


AGGREGATED = """
__global__ void k(const int* x, int* count, int* kept, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 3 == 0) {
        unsigned mask = __activemask();
        int lane = threadIdx.x % 32, leader = __ffs(mask) - 1, base = 0;
        if (lane == leader) base = atomicAdd(count, __popc(mask));
        base = __shfl_sync(mask, base, leader);
        kept[base + __popc(mask & ((1u << lane) - 1))] = 1;
    }
}
"""


@right
def aggregated_atomics(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n)
    m = int((x % 3 == 0).sum())
    kept = np.zeros(n, np.int32)
    after = np.zeros(n, np.int32)
    after[:m] = 1
    return Drawn(
        AGGREGATED, [x, np.zeros(1, np.int32), kept, n], blocks(n, block), block, after={1: [m], 2: after}
    )


COUNTED = """
__global__ void k(const int* x, int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int many = __syncthreads_count(i < n && x[i] > 50);
    int any = __syncthreads_or(i < n && x[i] == 7), all = __syncthreads_and(i >= n || x[i] < 100);
    if (threadIdx.x == 0) { counts[3 * blockIdx.x] = many; counts[3 * blockIdx.x + 1] = any != 0; counts[3 * blockIdx.x + 2] = all != 0; }
}
"""


@right
def counting_barriers(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n)
    grid = blocks(n, block)
    p = np.pad(x, (0, grid * block - n), constant_values=-1).reshape(grid, block)
    after = np.stack([(p > 50).sum(1), (p == 7).any(1), np.ones(grid)], 1).ravel()
    return Drawn(COUNTED, [x, np.zeros(3 * grid, np.int32), n], grid, block, after={1: after})


CAS_MAX = """
__device__ float atomic_max(float* address, float value) {
    int* bits = (int*)address;
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__global__ void k(const float* x, float* most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomic_max(most, x[i]);
}
"""


@right
def compare_and_swap_maximum(rng):
    n, block = a_size(rng), a_block(rng)
    x = floats(rng, n)
    most = np.full(1, -100, np.float32)
    return Drawn(CAS_MAX, [x, most, n], blocks(n, block), block, after={1: [x.max()]})


TICKETS = """
__device__ int ticket, ready;
__global__ void k(const int* x, int* y, int n) {
    __shared__ int mine;
    __shared__ int before;
    if (threadIdx.x == 0) mine = atomicAdd(&ticket, 1);
    __syncthreads();
    int i = mine * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int j = 0; j < blockDim.x; ++j) if (mine * blockDim.x + j < n) sum += x[mine * blockDim.x + j];
        while (atomicAdd(&ready, 0) < mine) { }
        __threadfence();
        before = mine > 0 ? y[n + mine - 1] : 0;
        y[n + mine] = before + sum;
        __threadfence();
        atomicExch(&ready, mine + 1);
    }
    __syncthreads();
    if (i < n) y[i] = before;
}
"""


@right
def scan_by_ticket(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n)
    grid = blocks(n, block)
    sums = np.cumsum(np.pad(x, (0, grid * block - n)).reshape(grid, block).sum(1))
    after = np.concatenate([np.repeat(np.concatenate([[0], sums[:-1]]), block)[:n], sums])
    return Drawn(TICKETS, [x, np.zeros(n + grid, np.int32), n], grid, block, after={1: after})


SYNCWARP = """
__global__ void k(const int* x, int* y) {
    __shared__ int s[128];
    int t = threadIdx.x, lane = t % 32, first = t - lane;
    s[t] = x[t];
    __syncwarp();
    int v = s[first + (lane + 1) % 32];
    __syncwarp();
    s[t] = v + 1;
    __syncwarp();
    y[t] = s[first + 31 - lane];
}
"""


@right
def warp_exchange(rng):
    b, w = of(rng, 128, 8), of(rng, 32, 8)
    x = ints(rng, b)
    after = (np.roll(x.reshape(-1, w), -1, 1) + 1)[:, ::-1].ravel()
    text = SYNCWARP.replace("128", str(b)).replace("32", str(w)).replace("31", str(w - 1))
    return Drawn(text, [x, np.zeros(b, np.int32)], 1, b, after={1: after})


TEMPLATES = """
#include <cstdint>
namespace ops {
struct Square { __device__ float operator()(float v) const { return v * v; } };
template <typename F, typename T> __device__ T apply(F f, T v) { return f(v); }
}
template <typename T, typename F> __global__ void map(const T* x, T* y, int64_t n, F f) { }
__constant__ float weights[4] = {1.0f, 2.0f, 4.0f, 8.0f};
template <typename T> __global__ void scaled(const T* x, T* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto weigh = [=](T v) { return v * weights[i % 4]; };
    if (i < n) y[i] = ops::apply(ops::Square(), weigh(x[i]));
}
"""


@right
def templates_and_constants(rng):
    n, block = a_size(rng), a_block(rng)
    x = floats(rng, n)
    after = (x * np.array([1, 2, 4, 8], np.float32)[np.arange(n) % 4]) ** 2
    y = np.zeros(n, np.float32)
    return Drawn(TEMPLATES, [x, y, n], blocks(n, block), block, after={1: after}, kernel="scaled<float>")


VECTORS = """
__global__ void k(const float4* x, float2* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = x[i];
    y[i] = make_float2(v.x + v.y, v.z - v.w);
}
"""


@right
def vector_loads(rng):
    n, block = a_size(rng), a_block(rng)
    x = floats(rng, n, 4)
    after = np.stack([x[:, 0] + x[:, 1], x[:, 2] - x[:, 3]], 1)
    return Drawn(VECTORS, [x, np.zeros((n, 2), np.float32), n], blocks(n, block), block, after={1: after})


VOTES = """
__global__ void k(const int* x, unsigned* y) {
    int t = threadIdx.x, lane = t % 32;
    unsigned odd = __ballot_sync(0xffffffffu, x[t] & 1);
    int some = __any_sync(0xffffffffu, x[t] == 3), every = __all_sync(0xffffffffu, x[t] < 100);
    unsigned same = __match_any_sync(0xffffffffu, x[t] % 4);
    unsigned sum = __reduce_add_sync(0xffffffffu, (unsigned)x[t]);
    int high = __reduce_max_sync(0xffffffffu, x[t]);
    y[t] = odd + some + every + __popc(same) + sum + high + __shfl_xor_sync(0xffffffffu, x[t], 1) +
        __shfl_up_sync(0xffffffffu, x[t], 1) + __shfl_sync(0xffffffffu, x[t], lane / 8 * 8, 8);
}
"""


@right
def votes_and_matches(rng):
    x = ints(rng, 64)
    after = np.zeros(64, np.uint32)
    for w in (x[:32], x[32:]):
        at = 0 if w is not x[32:] and np.shares_memory(w, x[:32]) else 32
        odd = sum(int(v & 1) << i for i, v in enumerate(w))
        for i in range(32):
            same = int((w % 4 == w[i] % 4).sum())
            value = odd + int((w == 3).any()) + int((w < 100).all()) + same + int(w.sum()) + int(w.max())
            value += int(w[i ^ 1]) + int(w[max(i - 1, 0)]) + int(w[i // 8 * 8])
            after[at + i] = value % 2**32
    return Drawn(VOTES, [x, np.zeros(64, np.uint32)], 1, 64, after={1: after})


PRODUCER = """
__global__ void k(const int* x, int* y, int* flag) {
    if (threadIdx.x < 32) {
        while (atomicAdd(flag, 0) == 0) { }
        __threadfence();
        y[threadIdx.x] = y[32 + threadIdx.x] + 1;
    } else {
        y[threadIdx.x] = x[threadIdx.x - 32];
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 32) { __threadfence(); atomicExch(flag, 1); }
    }
}
"""


@right
def producer_and_consumer(rng):
    x = ints(rng, 32)
    return Drawn(
        PRODUCER,
        [x, np.zeros(64, np.int32), np.zeros(1, np.int32)],
        1,
        64,
        after={1: np.concatenate([x + 1, x])},
    )


SPIN_LOCK = """
__device__ int lock;
__global__ void k(int* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) { }
        __threadfence();
        total[0] += 3;
        total[1] = total[0] * 2;
        __threadfence();
        atomicExch(&lock, 0);
    }
}
"""


@right
def lock_between_blocks(rng):
    grid, block = of(rng, int(rng.integers(2, 9)), 2), of(rng, 32, 2)
    return Drawn(SPIN_LOCK, [np.zeros(2, np.int32), 1], grid, block, after={0: [3 * grid, 6 * grid]})


THOUSAND = """
__global__ void k(int* x) {
    __shared__ int s[1024];
    int t = threadIdx.y * 32 + threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    x[t] = s[1023 - t];
}
"""


@right
def a_thousand_threads(rng):
    x = ints(rng, 1024)
    return Drawn(THOUSAND, [x], 1, (32, 32), after={0: x[::-1].copy()})


EARLY = """
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < 3; ++j) {
        if (x[i] < 0) continue;
        y[i] += x[i];
    }
}
"""


@right
def early_return(rng):
    n, block = a_size(rng), a_block(rng)
    x = floats(rng, n)
    return Drawn(
        EARLY, [x, np.zeros(n, np.float32), n], blocks(n, block), block, after={1: 3 * np.maximum(x, 0)}
    )


LOCALS = """
struct Pair { float key; int at; };
__device__ void insert(Pair* best, int& count, Pair p) {
    int j = count < 4 ? count++ : 4;
    while (j > 0 && best[j - 1].key > p.key) { if (j < 4) best[j] = best[j - 1]; --j; }
    if (j < 4) best[j] = p;
}
__global__ void k(const float* x, int* y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    Pair best[4];
    int count = 0;
    for (int c = 0; c < columns; ++c) { Pair p; p.key = x[r * columns + c]; p.at = c; insert(best, count, p); }
    for (int j = 0; j < 4; ++j) y[4 * r + j] = best[j].at;
}
"""


@right
def best_four(rng):
    rows, columns = int(rng.integers(20, 60)), 9
    x = rng.permuted(np.tile(np.arange(columns, dtype=np.float32), (rows, 1)), axis=1)
    after = np.argsort(x, 1)[:, :4]
    return Drawn(
        LOCALS, [x, np.zeros((rows, 4), np.int32), rows, columns], blocks(rows, 32), 32, after={1: after}
    )


BYTES = """
__global__ void k(const unsigned char* in, unsigned char* out, unsigned* words, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 255 - in[i];
    if (i < n / 4) { unsigned char* b = (unsigned char*)&words[i]; b[0] = in[4 * i]; b[3] = 7; }
}
"""


@right
def bytes_of_words(rng):
    n, block = of(rng, 4 * int(rng.integers(30, 80)), 8), a_block(rng)
    x = rng.integers(0, 256, n).astype(np.uint8)
    words = np.zeros(n // 4, np.uint32)
    after = x[::4].astype(np.uint32) | 7 << 24
    return Drawn(
        BYTES, [x, np.zeros(n, np.uint8), words, n], blocks(n, block), block, after={1: 255 - x, 2: after}
    )


DOUBLES = """
#include <cmath>
#include <algorithm>
__global__ void k(const double* x, double* y, long long* bits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s, c;
        sincos(x[i], &s, &c);
        y[i] = s * s + c * c + std::max(0.0, x[i]) + pow(x[i], 2.0) + std::fabs(x[i]);
        atomicMax(bits, (long long)(x[i] * 8));
    }
}
"""


@right
def doubles(rng):
    n, block = a_size(rng), a_block(rng)
    x = floats(rng, n).astype(np.float64)
    after = 1 + np.maximum(x, 0) + x**2 + abs(x)
    bits = np.full(1, -(2**40), np.int64)
    return Drawn(
        DOUBLES,
        [x, np.zeros(n), bits, n],
        blocks(n, block),
        block,
        after={1: after, 2: [int((x * 8).max())]},
    )


SAME = """
__global__ void k(const int* x, int* found, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] == 5) *found = 1;
}
"""


@right
def the_same_value_twice(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n, 8)
    x[:2] = 5
    return Drawn(SAME, [x, np.zeros(1, np.int32), n], blocks(n, block), block, after={1: [1]})


PARTIAL_WARP = """
__global__ void k(const float* x, float* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    unsigned mask = __ballot_sync(0xffffffffu, i < n);
    if (i < n) {
        for (int d = 16; d > 0; d /= 2) {
            float o = __shfl_down_sync(mask, v, d);
            if (threadIdx.x % 32 + d < __popc(mask)) v += o;
        }
        if (threadIdx.x % 32 == 0) atomicAdd(total, v);
    }
}
"""


@right
def part_of_a_warp(rng):
    n, block = a_size(rng), drawn_of(rng, [32, 64, 96], 4)
    x = floats(rng, n)
    return Drawn(PARTIAL_WARP, [x, np.zeros(1, np.float32), n], blocks(n, block), block, after={1: [x.sum()]})


DOUBLE_BUFFER = """
__global__ void k(const float* x, float* y, int steps) {
    __shared__ float s[2][64];
    int t = threadIdx.x, now = 0;
    s[0][t] = x[t];
    __syncthreads();
    for (int i = 0; i < steps; ++i) {
        s[1 - now][t] = 0.5f * (s[now][(t + 63) % 64] + s[now][(t + 1) % 64]);
        now = 1 - now;
        __syncthreads();
    }
    y[t] = s[now][t];
}
"""


@right
def two_buffers(rng):
    b = of(rng, 64, 4)
    x = floats(rng, b)
    y = x
    for _ in range(4):
        y = np.float32(0.5) * (np.roll(y, 1) + np.roll(y, -1))
    text = DOUBLE_BUFFER.replace("64", str(b)).replace("63", str(b - 1))
    return Drawn(text, [x, np.zeros(b, np.float32), 4], 1, b, after={1: y})


# They add to the same dictionary.
from machine import others, right_types, right_warps  # noqa: E402, F401

__all__ = ["RIGHT"]
