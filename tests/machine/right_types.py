"""Kernels that break none of CUDA's rules: types, memories, sizes and the language."""

from __future__ import annotations

import numpy as np
from machine.cases import Drawn, a_block, a_size, blocks, drawn_of, floats, ints, of, right

HALF_DOT = """
#include <cuda_fp16.h>
__global__ void k(const __half* a, const half2* b, float* dot, __half* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    half2 v = b[i];
    __half s = __hadd(v.x, __hmul(__float2half(0.5f), v.y));
    y[i] = __hfma(a[i], s, __float2half(1.0f));
    atomicAdd(dot, __half2float(a[i]) * __low2float(v) + __high2float(v));
}
"""


@right
def halves(rng):
    n, block = a_size(rng), a_block(rng)
    a, b = floats(rng, n).astype(np.float16), floats(rng, n, 2).astype(np.float16)
    s = b[:, 0] + np.float16(0.5) * b[:, 1]
    y = (a.astype(np.float64) * s.astype(np.float64) + 1).astype(np.float16)
    dot = float((a.astype(np.float64) * b[:, 0] + b[:, 1]).sum())
    arguments = [a, b, np.zeros(1, np.float32), np.zeros(n, np.float16), n]
    return Drawn(HALF_DOT, arguments, blocks(n, block), block, after={2: [dot], 3: y})


HALF_SUM = """
#include <cuda_fp16.h>
__global__ void k(const __half* x, __half* sums, half2* pairs) {
    extern __shared__ __half s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = x[i];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
    if (t == 0) sums[blockIdx.x] = s[0];
    atomicAdd(pairs, __halves2half2(x[i], __float2half(1.0f)));
}
"""


@right
def halves_in_shared_memory(rng):
    block = drawn_of(rng, [32, 64], 4)
    x = rng.integers(-3, 4, 2 * block).astype(np.float16)
    arguments = [x, np.zeros(2, np.float16), np.zeros(2, np.float16)]
    after = {1: x.reshape(2, block).sum(1), 2: [x.sum(), 2 * block]}
    return Drawn(HALF_SUM, arguments, 2, block, 2 * block, after=after)


BF16 = """
#include <cuda_bf16.h>
__global__ void k(const __nv_bfloat16* x, __nv_bfloat16* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __float2bfloat16(__bfloat162float(x[i]) * 3.0f) - x[i];
}
"""


@right
def bfloats(rng):
    n, block = a_size(rng), a_block(rng)
    x = floats(rng, n)  # a few bits each, as bfloat16 has
    bits = (x.view(np.uint32) >> 16).astype(np.uint16)
    after = ((2 * x).view(np.uint32) >> 16).astype(np.uint16)
    return Drawn(BF16, [bits, np.zeros(n, np.uint16), n], blocks(n, block), block, after={1: after})


PIXELS = """
__global__ void k(const uchar4* in, unsigned char* grey, uchar4* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    uchar4 p = in[y * width + x];
    grey[y * width + x] = (unsigned char)((p.x * 77 + p.y * 151 + p.z * 28) >> 8);
    out[y * width + x] = make_uchar4(p.z, p.y, p.x, 255);
}
"""


@right
def pixels(rng):
    w, h = of(rng, int(rng.integers(10, 30)), 4), of(rng, int(rng.integers(5, 12)), 2)
    p = rng.integers(0, 256, (h, w, 4)).astype(np.uint8)
    q = p.astype(np.int32)
    grey = (q[..., 0] * 77 + q[..., 1] * 151 + q[..., 2] * 28) >> 8
    out = np.dstack([p[..., 2], p[..., 1], p[..., 0], np.full((h, w), 255, np.uint8)])
    block = (of(rng, 8, 2), of(rng, 4, 2))
    grid = (blocks(w, block[0]), blocks(h, block[1]))
    arguments = [p, np.zeros((h, w), np.uint8), np.zeros_like(p), w, h]
    return Drawn(PIXELS, arguments, grid, block, after={1: grey, 2: out})


LIFE = """
#define W 16
__global__ void k(const unsigned char* now, unsigned char* next, int columns, int rows) {
    __shared__ unsigned char tile[W + 2][W + 2];
    int x0 = blockIdx.x * W - 1, y0 = blockIdx.y * W - 1;
    for (int j = threadIdx.y * W + threadIdx.x; j < (W + 2) * (W + 2); j += W * W) {
        int x = x0 + j % (W + 2), y = y0 + j / (W + 2);
        tile[j / (W + 2)][j % (W + 2)] = x >= 0 && x < columns && y >= 0 && y < rows ? now[y * columns + x] : 0;
    }
    __syncthreads();
    int x = blockIdx.x * W + threadIdx.x, y = blockIdx.y * W + threadIdx.y;
    if (x >= columns || y >= rows) return;
    int around = 0;
    for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx)
            if (dx != 1 || dy != 1) around += tile[threadIdx.y + dy][threadIdx.x + dx];
    next[y * columns + x] = around == 3 || (around == 2 && tile[threadIdx.y + 1][threadIdx.x + 1]);
}
"""


@right
def game_of_life(rng):
    w = of(rng, 16, 2)
    columns, rows = of(rng, int(rng.integers(17, 40)), 4), of(rng, int(rng.integers(10, 30)), 2)
    x = rng.integers(0, 2, (rows, columns)).astype(np.uint8)
    p = np.pad(x, 1)
    around = sum(
        p[1 + dy : 1 + dy + rows, 1 + dx : 1 + dx + columns].astype(int)
        for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy
    )  # fmt: skip
    after = (around == 3) | ((around == 2) & (x == 1))
    grid = (blocks(columns, w), blocks(rows, w))
    arguments = [x, np.zeros_like(x), columns, rows]
    return Drawn(LIFE.replace("W 16", f"W {w}"), arguments, grid, (w, w), after={1: after})


CUBES = """
__global__ void k(const double* u, double* v, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    int i = (z * ny + y) * nx + x;
    double sum = 0;
    if (x > 0) sum += u[i - 1];
    if (x + 1 < nx) sum += u[i + 1];
    if (y > 0) sum += u[i - nx];
    if (y + 1 < ny) sum += u[i + nx];
    if (z > 0) sum += u[i - nx * ny];
    if (z + 1 < nz) sum += u[i + nx * ny];
    v[i] = sum - 6 * u[i];
}
"""


@right
def cubes(rng):
    nx, ny, nz = (int(v) for v in rng.integers(3, 9, 3))
    u = floats(rng, nz, ny, nx).astype(np.float64)
    p = np.pad(u, 1)
    inner = (slice(1, -1),) * 3
    after = -6 * u
    for axis in range(3):
        for by in (1, -1):
            after = after + np.roll(p, by, axis)[inner]
    grid = (blocks(nx, 4), blocks(ny, 2), blocks(nz, 2))
    return Drawn(CUBES, [u, np.zeros_like(u), nx, ny, nz], grid, (4, 2, 2), after={1: after})


PARTS = """
__global__ void k(const float* x, const int* keys, double* y) {
    extern __shared__ char memory[];
    double* sums = (double*)memory;
    float* values = (float*)(sums + blockDim.x);
    int* own = (int*)(values + blockDim.x);
    int t = threadIdx.x;
    sums[t] = 0;
    values[t] = x[t];
    own[t] = keys[t];
    __syncthreads();
    for (int j = 0; j < blockDim.x; ++j) if (own[j] == own[t]) sums[t] += values[j];
    y[t] = sums[t];
}
"""


@right
def dynamic_memory_in_parts(rng):
    block = drawn_of(rng, [32, 64], 4)
    x, keys = floats(rng, block), ints(rng, block, 5)
    after = [x[keys == key].sum() for key in keys]
    return Drawn(PARTS, [x, keys, np.zeros(block)], 1, block, 16 * block, after={2: after})


REUSED = """
#define B 64
__global__ void k(const float* x, int* order, float* sums) {
    __shared__ union { float f[B]; int i[B]; } s;
    int t = threadIdx.x;
    s.f[t] = x[blockIdx.x * B + t];
    __syncthreads();
    int less = 0;
    for (int j = 0; j < B; ++j) if (s.f[j] < s.f[t] || (s.f[j] == s.f[t] && j < t)) ++less;
    __syncthreads();
    s.i[less] = t;
    __syncthreads();
    order[blockIdx.x * B + t] = s.i[t];
    if (t == 0) sums[blockIdx.x] = x[blockIdx.x * B + s.i[0]];
}
"""


@right
def shared_memory_used_twice(rng):
    b = of(rng, 64, 4)
    x = floats(rng, 2 * b)
    order = np.argsort(x.reshape(2, b), 1, kind="stable")
    arguments = [x, np.zeros(2 * b, np.int32), np.zeros(2, np.float32)]
    after = {1: order, 2: x.reshape(2, b).min(1)}
    return Drawn(REUSED.replace("B 64", f"B {b}"), arguments, 2, b, after=after)


WIDE_LOADS = """
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        v.x *= 2; v.y *= 2; v.z *= 2; v.w *= 2;
        reinterpret_cast<float4*>(y)[i] = v;
    } else {
        for (int j = 4 * i; j < n; ++j) y[j] = 2 * x[j];
    }
}
"""


@right
def wide_loads_with_a_tail(rng):
    n, block = a_size(rng) | 1, a_block(rng)
    x = floats(rng, n)
    grid = blocks(blocks(n, 4), block)
    return Drawn(WIDE_LOADS, [x, np.zeros(n, np.float32), n], grid, block, after={1: 2 * x})


TRIPLES = """
__global__ void k(const float3* p, const double2* q, float* y, longlong2* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 v = p[i];
    y[i] = v.x * v.x + v.y * v.y + v.z * v.z;
    double2 d = q[i];
    z[i] = make_longlong2((long long)d.x, (long long)(d.y * 4));
}
"""


@right
def vectors_of_three_and_two(rng):
    n, block = a_size(rng), a_block(rng)
    p, q = floats(rng, n, 3), floats(rng, n, 2).astype(np.float64)
    z = np.stack([np.trunc(q[:, 0]), np.trunc(q[:, 1] * 4)], 1).astype(np.int64)
    arguments = [p, q, np.zeros(n, np.float32), np.zeros((n, 2), np.int64), n]
    return Drawn(TRIPLES, arguments, blocks(n, block), block, after={2: (p * p).sum(1), 3: z})


CENTROIDS = """
#include <cfloat>
struct Centre { float x, y; int id; };
__constant__ Centre centres[3] = {{0.0f, 0.0f, 4}, {2.0f, -1.0f, 5}, {-3.0f, 2.5f, 6}};
__device__ int counts[8];
__global__ void k(const float2* p, int* which, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float best = FLT_MAX;
        const Centre* found = nullptr;
        for (const Centre& c : centres) {
            float dx = p[i].x - c.x, dy = p[i].y - c.y, d = dx * dx + dy * dy;
            if (d < best) { best = d; found = &c; }
        }
        which[i] = found->id;
        out[found->id] = 1;
        atomicAdd(&counts[found->id], 1);
    }
}
"""


@right
def nearest_of_constants(rng):
    n, block = a_size(rng), a_block(rng)
    p = floats(rng, n, 2)
    centres = np.array([[0, 0], [2, -1], [-3, 2.5]], np.float32)
    which = 4 + ((p[:, None] - centres) ** 2).sum(2).argmin(1)
    out = np.zeros(8, np.int32)
    out[which] = 1
    arguments = [p, np.zeros(n, np.int32), np.zeros(8, np.int32), n]
    return Drawn(CENTROIDS, arguments, blocks(n, block), block, after={1: which, 2: out})


POINTERS = """
typedef float (*Function)(float);
__device__ float twice(float v) { return 2 * v; }
__device__ float square(float v) { return v * v; }
__device__ float negate(float v) { return -v; }
__device__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
__global__ void k(const float* x, const int* which, float* y, int* g, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Function all[3] = {twice, square, negate};
    y[i] = all[which[i]](x[i]);
    switch (which[i]) {
    case 0: g[i] = gcd(i, 12); break;
    case 1: g[i] = gcd(18, i);
    default: g[i] += 100;
    }
}
"""


@right
def functions_by_pointer(rng):
    n, block = a_size(rng), a_block(rng)
    x, which = floats(rng, n), ints(rng, n, 3)
    y = np.select([which == 0, which == 1], [2 * x, x * x], -x)
    i = np.arange(n)
    g = np.select([which == 0, which == 1], [np.gcd(i, 12), np.gcd(18, i) + 100], 100)
    arguments = [x, which, np.zeros(n, np.float32), np.zeros(n, np.int32), n]
    return Drawn(POINTERS, arguments, blocks(n, block), block, after={2: y, 3: g})


BY_VALUE = """
struct View { const float* data; int rows, columns; float scale[2]; __device__ float at(int r, int c) const { return data[r * columns + c]; } };
template <int N, typename F> __device__ __forceinline__ float fold(const View& v, int r, F f) {
    float a = 0;
#pragma unroll
    for (int c = 0; c < N; ++c) a = f(a, v.at(r, c));
    return a;
}
__global__ void k(const float* x, float* y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    View v = {x, rows, 5, {2.0f, 0.5f}};
    float s = fold<5>(v, r, [](float a, float b) { return a + b; });
    float m = fold<4>(v, r, [&v](float a, float b) { return fmaxf(a, b * v.scale[1]); });
    y[r] = s * v.scale[0] + m;
}
"""


@right
def structs_and_lambdas(rng):
    rows, block = a_size(rng), a_block(rng)
    x = floats(rng, rows, 5)
    after = 2 * x.sum(1) + np.maximum(0, x[:, :4].max(1) / 2)
    return Drawn(
        BY_VALUE, [x, np.zeros(rows, np.float32), rows], blocks(rows, block), block, after={1: after}
    )


CHECKS = """
#include <cassert>
#include <cstdio>
__global__ void k(const int* x, int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(blockDim.x >= 4 && n > 0);
    if (i < n) {
        if (x[i] < 0) __trap();
        if (x[i] == 17) printf("%d is %d\\n", i, x[i]);
        y[i] = x[i] > 50 ? x[i] : -1;
        assert(y[i] != 0);
    }
}
"""


@right
def assertions_that_hold(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n)
    after = np.where(x > 50, x, -1)
    return Drawn(CHECKS, [x, np.zeros(n, np.int32), n], blocks(n, block), block, after={1: after})


BITS = """
#include <cstdint>
__global__ void k(const uint32_t* x, const uint64_t* w, uint64_t* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t r = __popc(x[i]) + __clz(x[i]) + __ffs(x[i]) + (__brev(x[i]) >> 7);
    r += __popcll(w[i]) + __clzll(w[i]) + __umul64hi(w[i], 0x123456789abcdefull) + __umulhi(x[i], 77777u);
    r ^= __byte_perm(x[i], 0x01020304u, 0x5410) + __funnelshift_l(x[i], 99u, 5);
    y[i] = r;
}
"""


@right
def bits_of_words(rng):
    n, block = a_size(rng), a_block(rng)
    x = rng.integers(1, 2**32, n, dtype=np.uint32)
    w = rng.integers(1, 2**63, n, dtype=np.uint64)
    after = []
    for a, b in zip(map(int, x), map(int, w), strict=True):
        r = a.bit_count() + 32 - a.bit_length() + (a & -a).bit_length() + (int(f"{a:032b}"[::-1], 2) >> 7)
        r += b.bit_count() + 64 - b.bit_length() + (b * 0x123456789ABCDEF >> 64) + (a * 77777 >> 32)
        r ^= ((a & 0xFFFF) | 0x0304 << 16) + (((99 << 32 | a) << 5 >> 32) & 0xFFFFFFFF)
        after.append(r % 2**64)
    arguments = [x, w, np.zeros(n, np.uint64), n]
    return Drawn(BITS, arguments, blocks(n, block), block, after={2: np.array(after, np.uint64)})


CONVOLUTION = """
#define R 1
#define T 8
__constant__ float weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
__global__ void k(const float* in, float* out, int w, int h) {
    extern __shared__ float tile[];
    int side = T + 2 * R;
    for (int y = threadIdx.y; y < side; y += T)
        for (int x = threadIdx.x; x < side; x += T) {
            int gx = min(max((int)(blockIdx.x * T + x) - R, 0), w - 1), gy = min(max((int)(blockIdx.y * T + y) - R, 0), h - 1);
            tile[y * side + x] = in[gy * w + gx];
        }
    __syncthreads();
    int gx = blockIdx.x * T + threadIdx.x, gy = blockIdx.y * T + threadIdx.y;
    if (gx >= w || gy >= h) return;
    float sum = 0;
    for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx) sum += weights[dy][dx] * tile[(threadIdx.y + dy) * side + threadIdx.x + dx];
    out[gy * w + gx] = sum / 16;
}
"""


@right
def convolution_in_dynamic_memory(rng):
    t = of(rng, 8, 2)
    w, h = of(rng, int(rng.integers(9, 20)), 3), of(rng, int(rng.integers(9, 20)), 2)
    x = floats(rng, h, w)
    p = np.pad(x, 1, "edge")
    weights = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.float32)
    after = sum(weights[a, b] * p[a : a + h, b : b + w] for a in range(3) for b in range(3)) / 16
    grid = (blocks(w, t), blocks(h, t))
    text = CONVOLUTION.replace("T 8", f"T {t}")
    return Drawn(text, [x, np.zeros_like(x), w, h], grid, (t, t), 4 * (t + 2) ** 2, after={1: after})


RANDOM = """
__device__ unsigned int step(unsigned int& s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }
__global__ void k(unsigned long long* inside, unsigned int* states, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int s = states[i];
    int hits = 0;
    for (int r = 0; r < rounds; ++r) {
        float x = (step(s) >> 8) * (1.0f / 16777216.0f), y = (step(s) >> 8) * (1.0f / 16777216.0f);
        hits += x * x + y * y < 1.0f;
    }
    states[i] = s;
    atomicAdd(inside, (unsigned long long)hits);
}
"""


@right
def random_numbers(rng):
    block = drawn_of(rng, [32, 64], 4)
    states = rng.integers(1, 2**32, 2 * block, dtype=np.uint32)
    s, hits = states.copy(), 0

    def step(s):
        s ^= s << np.uint32(13)
        s ^= s >> np.uint32(17)
        s ^= s << np.uint32(5)
        return ((s >> np.uint32(8)).astype(np.float32) * np.float32(1 / 16777216)).astype(np.float32)

    for _ in range(10):
        x, y = step(s), step(s)
        hits += int((x * x + y * y < 1).sum())
    return Drawn(RANDOM, [np.zeros(1, np.uint64), states, 10], 2, block, after={0: [hits], 1: s})


ONCE = """
__global__ void k(const int* __restrict__ x, int* y, const long long* offsets, int n) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
        int v = __ldg(x + i) + __ldg(&x[(i + 1) % n]);
        __stcs(y + offsets[i], v);
    }
}
"""


@right
def hinted_loads_and_stores(rng):
    n, block = a_size(rng), a_block(rng)
    x, offsets = ints(rng, n), rng.permutation(n).astype(np.int64)
    after = np.zeros(n, np.int32)
    after[offsets] = x + np.roll(x, -1)
    return Drawn(ONCE, [x, np.zeros(n, np.int32), offsets, n], 2, block, after={1: after})


LIMITS = """
#include <limits>
#include <algorithm>
#include <cmath>
__global__ void k(const float* x, float* y, int* z, int n) {
    __shared__ float low[32], high[32];
    int t = threadIdx.x;
    float a = std::numeric_limits<float>::infinity(), b = -INFINITY;
    for (int i = t; i < n; i += blockDim.x) { a = std::min(a, x[i]); b = std::max(b, x[i]); }
    low[t] = a; high[t] = b;
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < blockDim.x; ++i) { low[0] = fminf(low[0], low[i]); high[0] = fmaxf(high[0], high[i]); }
        if (low[0] > high[0]) std::swap(low[0], high[0]);
        y[0] = low[0]; y[1] = high[0];
        z[0] = std::numeric_limits<int>::max() + (int)std::floor(-1.5f);
    }
}
"""


@right
def least_and_greatest(rng):
    n, block = a_size(rng), of(rng, 32, 4)
    x = floats(rng, n)
    arguments = [x, np.zeros(2, np.float32), np.zeros(1, np.int32), n]
    return Drawn(LIMITS, arguments, 1, block, after={1: [x.min(), x.max()], 2: [2**31 - 3]})


VOLATILE = """
__global__ void k(const int* x, volatile int* y, int n) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] = s[t] + s[t + d];
        __syncthreads();
    }
    if (t == 0) y[0] = s[0];
    if (t == 1) y[1] = s[0] - 1;
}
"""


@right
def volatile_with_barriers(rng):
    block = drawn_of(rng, [32, 64], 4)
    x = ints(rng, block)
    return Drawn(VOLATILE, [x, np.zeros(2, np.int32), block], 1, block, after={1: [x.sum(), x.sum() - 1]})


TRANSPOSED = """
__global__ void k(const float* in, float* out, int w, int h) {
    extern __shared__ float tile[];
    int t = blockDim.x;
    int x = blockIdx.x * t + threadIdx.x, y = blockIdx.y * t + threadIdx.y;
    for (int r = 0; r < t; r += blockDim.y)
        if (x < w && y + r < h) tile[(threadIdx.y + r) * (t + 1) + threadIdx.x] = in[(y + r) * w + x];
    __syncthreads();
    x = blockIdx.y * t + threadIdx.x;
    y = blockIdx.x * t + threadIdx.y;
    for (int r = 0; r < t; r += blockDim.y)
        if (x < h && y + r < w) out[(y + r) * h + x] = tile[threadIdx.x * (t + 1) + threadIdx.y + r];
}
"""


@right
def transpose_by_several_rows_a_thread(rng):
    t, rows = of(rng, 16, 4), of(rng, 4, 2)
    w, h = of(rng, int(rng.integers(17, 40)), 4), of(rng, int(rng.integers(17, 40)), 3)
    x = floats(rng, h, w)
    grid = (blocks(w, t), blocks(h, t))
    out = np.zeros((w, h), np.float32)
    return Drawn(TRANSPOSED, [x, out, w, h], grid, (t, rows), 4 * t * (t + 1), after={1: x.T})


SEGMENTS = """
__global__ void k(const int* keys, const float* values, float* sums, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4, key = -1;
    float run = 0;
    for (int j = i; j < min(i + 4, n); ++j) {
        if (keys[j] != key) {
            if (key >= 0) atomicAdd(sums + key, run);
            key = keys[j];
            run = 0;
        }
        run += values[j];
    }
    if (key >= 0) atomicAdd(sums + key, run);
}
"""


@right
def sums_of_segments(rng):
    n, block = a_size(rng), a_block(rng)
    keys, values = np.sort(ints(rng, n, of(rng, 9, 2))), floats(rng, n)
    after = [values[keys == key].sum() for key in range(9)]
    arguments = [keys, values, np.zeros(9, np.float32), n]
    return Drawn(SEGMENTS, arguments, blocks(blocks(n, 4), block), block, after={2: after})


PRINTED = """
__global__ void k(const int* x, int* y) {
    char name[8] = {'a', 'b', 0};
    int i = threadIdx.x;
    y[i] = printf("%s %s: %5.2f%% %-*d %lld %p\\n", "thread", name, 0.5f * x[i], 4, x[i], (long long)i, y);
    y[i] += printf("none\\n");
}
"""


@right
def texts_that_are_printed(rng):
    block = a_block(rng)
    arguments = [ints(rng, block), np.zeros(block, np.int32)]
    return Drawn(PRINTED, arguments, 1, block, after={1: np.full(block, 7)})


ARITHMETIC = """
__global__ void k(const int* x, long long* y) {
    int i = threadIdx.x, n = x[i] % 32;
    unsigned bits = 1u << n, low = ~0u >> (31 - n);
    float wide = (float)x[i] * 1e30f;
    y[4 * i] = (long long)bits + low;
    y[4 * i + 1] = (int)2147483520.0f + (int)-2147483648.0f + (unsigned char)255.9f;
    y[4 * i + 2] = __float2ll_rz(wide) - __double2ll_rn(1e300) + llrintf(-wide - 1e30f);
    y[4 * i + 3] = (1ll << (n + 31)) >> 31;
}
"""


@right
def shifts_and_conversions_in_bounds(rng):
    block = a_block(rng)
    x = ints(rng, block, 99) + 1
    n, most = (x % 32).astype(np.int64), 2**63 - 1
    after = np.stack([2**n + 2 ** (n + 1) - 1, 0 * n + 127, 0 * n - most - 1, 2**n], 1)
    return Drawn(
        ARITHMETIC,
        [x, np.zeros(4 * block, np.int64)],
        1,
        block,
        after={1: lambda y: (y == after.ravel()).all()},
    )


READ_BY_ALL = """
__global__ void k(float* x, float* y, int n) {
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int step = 0; step < 3; ++step) {
        for (int i = 0; i < n; ++i) sum += x[i];
        __syncthreads();
        for (int i = t; i < n; i += blockDim.x) x[i] = x[i] + 1.0f;
        __threadfence();
        __syncthreads();
        if (t % 2 == 0) { __threadfence_block(); sum += x[t % n]; }
        sum += x[t % n];
        __syncthreads();
    }
    y[t] = sum;
}
"""


@right
def numbers_that_all_threads_read(rng):
    n, block = of(rng, 40, 2), a_block(rng)
    x = ints(rng, n).astype(np.float32)
    sums = np.zeros(block, np.float32)
    now = x.copy()
    for _ in range(3):
        sums += now.sum()
        now = now + 1
        sums += now[np.arange(block) % n] * (2 - np.arange(block) % 2)
    return Drawn(READ_BY_ALL, [x, np.zeros(block, np.float32), n], 1, block, after={0: now, 1: sums})


WINDOW = """
struct Best { float value; int at; };
__global__ void k(const float* x, float* y, int n) {
    float window[3] = {};
    Best best[2];
    int none[4] = {-1, -1, -1, -1};
    for (int i = 0; i < n; ++i) {
        window[0] = window[1]; window[1] = window[2]; window[2] = x[i * blockDim.x + threadIdx.x];
        if (i == 0 || window[2] > best[0].value) { if (i > 0) best[1] = best[0]; best[0] = {window[2], i}; }
        if (i < 4) none[i] += i;
    }
    y[threadIdx.x] = window[0] + window[1] + best[0].value + (float)(none[0] + none[3]);
}
"""


@right
def windows_in_local_arrays(rng):
    block, n = a_block(rng), 6
    x = floats(rng, n, block)
    after = x[3] + x[4] + x.max(0) + 1
    return Drawn(WINDOW, [x, np.zeros(block, np.float32), n], 1, block, after={1: after})


LIBRARY = """
#include <cmath>
#include <cstring>
#include <type_traits>
#include <limits>
typedef float (*one)(float);
template <float (*F)(float)> __device__ float by(float a) { return F(a); }
template <class F> __device__ float taken(F f, float a) { return f(a); }
template <class T> __device__ std::enable_if_t<std::is_floating_point<T>::value, T> least() { return std::numeric_limits<T>::epsilon(); }
__device__ one table[2] = {sqrtf, fabsf};
struct S { float a, b; };
__global__ void k(const float* x, float* y, int n) {
    const int warpSize = 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double (*d)(double) = floor;
    if (i % 2) d = ceil;
    float S::*member = i % warpSize ? &S::a : &S::b;
    S s = {1.0f, 2.0f};
    float v = x[i], copy[2];
    int bits, quotient;
    memset(copy, 0, sizeof(copy));
    memcpy(&bits, &v, sizeof(v));
    memcpy(copy + 1, &bits, 4);
    float rest = remquof(v, 3.0f, &quotient);
    y[i] = table[i % 2](v) + by<sqrtf>(v) + taken(rsqrtf, v + 1.0f) + (float)d(v) + s.*member + copy[0] + copy[1]
        + rest + (quotient & 7) + least<float>() + scalblnf(v, 2l) + normf(2, copy);
}
"""


@right
def pointers_to_functions(rng):
    n, block = a_size(rng), a_block(rng)
    x = rng.integers(0, 100, n).astype(np.float32)
    i = np.arange(n)
    q = np.rint(x / 3)
    y = np.where(i % 2, x, np.sqrt(x)) + np.sqrt(x) + 1 / np.sqrt(x + 1) + x + np.where(i % 32, 1, 2) + x
    y = y + (x - 3 * q) + q % 8 + np.finfo(np.float32).eps + 4 * x + x
    return Drawn(LIBRARY, [x, np.zeros(n, np.float32), n], blocks(n, block), block, after={1: y})


MACROS = """
#ifndef BLOCK
#define BLOCK 128 // of threads, at 100%: <%> \u00b5
#endif
#define DEVICE static __device__ __forceinline__
#define OPERATION(name, op) struct name { DEVICE int of(int a, int b) { return a op b; } };
#define JOIN(a, b) a##b
#define MOST(...) max(__VA_ARGS__)
#define min(a, b) ((a) < (b) ? (a) : (b))
#define CHECK(c) do { if (!(c)) printf("no: %s \u00b5\\n", #c); } while (0)
OPERATION(JOIN(A, dd), +)
#if 0
#error "no text"
#endif
__global__ void k(const int* x, int* y, int n) {
    __shared__ int JOIN(s, 1)[BLOCK];
    int i = blockIdx.x * blockDim.x \\
        + threadIdx.x;
    constexpr static int one = 1;
    const static int several[2] = {one, 2};
    s1[threadIdx.x] = 0;
    if (i >= n) return;
    CHECK(i < n);
    _Pragma("unroll") for (int j = 0; j < 2; ++j) s1[threadIdx.x] += several[j];
    y[i] = Add::of(s1[threadIdx.x], MOST(x[i], min(5, 7)));
}
"""


@right
def macros(rng):
    n, block = a_size(rng), a_block(rng)
    x = ints(rng, n)
    after = 3 + np.maximum(x, 5)
    return Drawn(MACROS, [x, np.zeros(n, np.int32), n], blocks(n, block), block, after={1: after})
