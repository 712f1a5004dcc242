"""Wrong kernels by others, who did not know the machine: each has one fault, whatever the sizes and the block.

`kind` is the fault; `where` is a part of the line on which it happens, which is not always the one to be mended.
"""

import numpy as np


def up(a, b):
    return (a + b - 1) // b


# ---- 1. no barrier between filling the tile and reading it across
transpose_without_barrier = {
    "text": """
__global__ void k(const float* in, float* out, int n) {
    extern __shared__ float s[];
    int T = blockDim.x;
    int x = blockIdx.x * T + threadIdx.x;
    int y = blockIdx.y * T + threadIdx.y;
    if (x < n && y < n) s[threadIdx.y * T + threadIdx.x] = in[y * n + x];
    int ox = blockIdx.y * T + threadIdx.x;
    int oy = blockIdx.x * T + threadIdx.y;
    if (ox < n && oy < n) out[oy * n + ox] = s[threadIdx.x * T + threadIdx.y];
}
""",
    "arguments": lambda rng, n, block: [
        rng.random((n, n), dtype=np.float32),
        np.zeros((n, n), np.float32),
        n,
    ],
    "grid": lambda n, block: (up(n, block[0]), up(n, block[1])),
    "block": [(4, 4), (8, 8), (16, 16)],
    "sizes": [2, 7, 16, 33],
    "shared": lambda n, block: 4 * block[0] * block[1],
    "after": lambda arguments: {1: np.ascontiguousarray(arguments[0].T)},
    "kind": "read-write race",
    "where": "out[oy * n + ox] = s[",
}


# ---- 2. no barrier before the tiles are filled again
product_tile_reused = {
    "text": """
__global__ void k(const float* a, const float* b, float* c, int n) {
    __shared__ float sa[16][16];
    __shared__ float sb[16][16];
    int T = blockDim.x;
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * T + ty;
    int col = blockIdx.x * T + tx;
    float sum = 0.0f;
    for (int base = 0; base < n; base += T) {
        sa[ty][tx] = row < n && base + tx < n ? a[row * n + base + tx] : 0.0f;
        sb[ty][tx] = base + ty < n && col < n ? b[(base + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < T; j++) sum += sa[ty][j] * sb[j][tx];
    }
    if (row < n && col < n) c[row * n + col] = sum;
}
""",
    "arguments": lambda rng, n, block: [
        rng.random((n, n), dtype=np.float32),
        rng.random((n, n), dtype=np.float32),
        np.zeros((n, n), np.float32),
        n,
    ],
    "grid": lambda n, block: (up(n, block[0]), up(n, block[1])),
    "block": [(4, 4), (8, 8), (16, 16)],
    "sizes": [17, 20, 33],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        2: (arguments[0].astype(np.float64) @ arguments[1].astype(np.float64)).astype(np.float32)
    },
    "kind": "read-write race",
    "where": ("sa[ty][tx] = ", "sb[ty][tx] = "),
}


# ---- 3. a barrier under the guard against the end of the array, which part of a block does not pass
barrier_under_guard = {
    "text": """
__global__ void k(const int* x, int* roughness, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    int change = 0;
    if (i < n) {
        s[t] = x[i]; __syncthreads();
        int left = t > 0 ? s[t - 1] : x[max(i - 1, 0)];
        change = abs(s[t] - left);
    }
    __syncthreads();
    s[t] = change;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(roughness, s[0]);
}
""",
    "arguments": lambda rng, n, block: [rng.integers(0, 100, n, dtype=np.int32), np.zeros(1, np.int32), n],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 128],
    "sizes": [1, 45, 100, 200],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.array([np.abs(np.diff(arguments[0])).sum()], np.int32)},
    "kind": "divergent barrier",
    "where": "s[t] = x[i]; __syncthreads();",
}


# ---- 4. barriers in a loop that some threads go round once more than the others
barrier_in_uneven_loop = {
    "text": """
__global__ void k(const int* x, int* y, int* done, int n) {
    __shared__ int s[96];
    int t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) {
        s[t] = x[i]; __syncthreads();
        y[i] = max(s[t], s[t ^ 1]);
        __syncthreads();
    }
    __syncthreads();
    if (t == 0) *done = n;
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 100, n, dtype=np.int32),
        np.zeros(n, np.int32),
        np.zeros(1, np.int32),
        n,
    ],
    "grid": lambda n, block: 1,
    "block": [32, 64, 96],
    "sizes": [2, 34, 70, 150],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        1: np.repeat(arguments[0].reshape(-1, 2).max(axis=1), 2),
        2: np.array([len(arguments[0])], np.int32),
    },
    "kind": "divergent barrier",
    "where": "s[t] = x[i]; __syncthreads();",
}


def five_sums(x):
    padded = np.pad(x, 2, mode="edge")
    return sum(padded[j : j + len(x)] for j in range(5)).astype(np.int32)


# ---- 5. halo of two, of which only one cell on each side is loaded
halo_cell_not_loaded = {
    "text": """
__global__ void k(const int* x, int* y, int n) {
    extern __shared__ int s[];
    const int R = 2;
    int many = blockDim.x;
    int base = blockIdx.x * many;
    int t = threadIdx.x;
    s[R + t] = x[min(base + t, n - 1)];
    if (t < R - 1) {
        s[t] = x[min(max(base + t - R, 0), n - 1)];
        s[R + many + t] = x[min(base + many + t, n - 1)];
    }
    __syncthreads();
    if (base + t < n) {
        int sum = 0;
        for (int j = 0; j <= 2 * R; j++) sum += s[t + j];
        y[base + t] = sum;
    }
}
""",
    "arguments": lambda rng, n, block: [rng.integers(0, 100, n, dtype=np.int32), np.zeros(n, np.int32), n],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 100],
    "sizes": [1, 50, 128, 300],
    "shared": lambda n, block: 4 * (block + 4),
    "after": lambda arguments: {1: five_sums(arguments[0])},
    "kind": "unset read",
    "where": "sum += s[t + j]",
}


# ---- 6. rows padded by one against bank conflicts, but the launch gives memory for rows without padding
padded_rows_small_allocation = {
    "text": """
__global__ void k(const float* in, float* out, int n) {
    extern __shared__ float s[];
    int T = blockDim.x;
    int pitch = T + 1;
    int x = blockIdx.x * T + threadIdx.x;
    int y = blockIdx.y * T + threadIdx.y;
    s[threadIdx.y * pitch + threadIdx.x] = x < n && y < n ? in[y * n + x] : 0.0f;
    __syncthreads();
    int ox = blockIdx.y * T + threadIdx.x;
    int oy = blockIdx.x * T + threadIdx.y;
    if (ox < n && oy < n) out[oy * n + ox] = s[threadIdx.x * pitch + threadIdx.y];
}
""",
    "arguments": lambda rng, n, block: [
        rng.random((n, n), dtype=np.float32),
        np.zeros((n, n), np.float32),
        n,
    ],
    "grid": lambda n, block: (up(n, block[0]), up(n, block[1])),
    "block": [(4, 4), (8, 8), (16, 16)],
    "sizes": [1, 7, 16, 33],
    "shared": lambda n, block: 4 * block[0] * block[1],
    "after": lambda arguments: {1: np.ascontiguousarray(arguments[0].T)},
    "kind": "out of bounds",
    "where": "s[threadIdx.y * pitch + threadIdx.x] = ",
}


def sums_of_sixteen(x):
    return np.pad(x, (0, -len(x) % 16)).reshape(-1, 16).sum(axis=1).astype(np.int32)


# ---- 7. sums of half warps: the upper half calls with the mask of the lower half
half_warp_low_mask = {
    "text": """
__global__ void k(const int* x, int* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? x[i] : 0;
    for (int d = 8; d > 0; d >>= 1) v += __shfl_down_sync(0xffffu, v, d, 16);
    if ((threadIdx.x & 15) == 0 && i < n) sums[i / 16] = v;
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 100, n, dtype=np.int32),
        np.zeros(up(n, 16), np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 128],
    "sizes": [1, 16, 50, 300],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: sums_of_sixteen(arguments[0])},
    "kind": "bad mask",
    "where": "v += __shfl_down_sync(0xffffu, v, d, 16)",
}


# ---- 8. the last warp of each block has fewer than 32 threads, the mask names all 32
full_mask_partial_warp = {
    "text": """
__global__ void k(const int* x, int* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? x[i] : 0;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(total, v);
}
""",
    "arguments": lambda rng, n, block: [rng.integers(0, 100, n, dtype=np.int32), np.zeros(1, np.int32), n],
    "grid": lambda n, block: up(n, block),
    "block": [40, 48, 80],
    "sizes": [1, 48, 100, 300],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.array([arguments[0].sum()], np.int32)},
    "kind": "unset read",
    "where": "v += __shfl_down_sync(0xffffffffu, v, d)",
}


# ---- 9. shuffles with a full mask where only the lanes within the array come; the others wait at the block's barrier
shuffle_in_guard = {
    "text": """
__global__ void k(const int* x, int* greatest, int n) {
    __shared__ int part[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    int v = -1;
    if (i < n) {
        v = x[i];
        for (int d = 16; d > 0; d >>= 1) v = max(v, __shfl_xor_sync(0xffffffffu, v, d));
    }
    if (lane == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < (int)blockDim.x >> 5; w++) v = max(v, part[w]);
        atomicMax(greatest, v);
    }
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 1000, n, dtype=np.int32),
        np.full(1, -1, np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 128],
    "sizes": [5, 45, 100, 333],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.array([arguments[0].max()], np.int32)},
    "kind": "deadlock",
    "where": "v = max(v, __shfl_xor_sync(0xffffffffu, v, d))",
}


# ---- 10. histogram counted up without atomics (more elements than bins, so that some bin is hit twice)
plain_histogram = {
    "text": """
__global__ void k(const unsigned char* x, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[x[i] >> 5] += 1;
}
""",
    "arguments": lambda rng, n, block: [rng.integers(0, 256, n, dtype=np.uint8), np.zeros(8, np.int32), n],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 100],
    "sizes": [9, 64, 100, 500],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.bincount(arguments[0] >> 5, minlength=8).astype(np.int32)},
    "kind": "read-write race",
    "where": "bins[x[i] >> 5] += 1",
}


# ---- 11. last block to finish, told by a counter that is not counted atomically
last_block_plain_counter = {
    "text": """
__global__ void k(const int* x, int* partial, int* finished, int* result, int n) {
    extern __shared__ int s[];
    __shared__ bool last;
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        int before = *finished; *finished = before + 1;
        last = before == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        __threadfence();
        int sum = 0;
        for (int b = 0; b < (int)gridDim.x; b++) sum += partial[b];
        *result = sum;
    }
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 100, n, dtype=np.int32),
        np.zeros(up(n, block), np.int32),
        np.zeros(1, np.int32),
        np.zeros(1, np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 128],
    "sizes": [129, 200, 500],
    "shared": lambda n, block: 4 * block,
    "after": lambda arguments: {
        2: np.array([len(arguments[1])], np.int32),
        3: np.array([arguments[0].sum()], np.int32),
    },
    "kind": "read-write race",
    "where": ("int before = *finished; *finished = before + 1;", "sum += partial[b]"),
}


# ---- 12. the lane that holds the lock waits for its warp, whose other lanes wait for the lock
lock_holder_at_barrier = {
    "text": """
__global__ void k(const int* x, int* best_of_all, int n) {
    __shared__ int lock;
    __shared__ int best;
    int t = threadIdx.x;
    if (t == 0) {
        lock = 0;
        best = -1;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + t;
    int v = i < n ? x[i] : -1;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    volatile int* b = &best;
    if (v > *b) *b = v;
    __threadfence_block();
    __syncwarp();
    atomicExch(&lock, 0);
    __syncthreads();
    if (t == 0) atomicMax(best_of_all, best);
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 1000, n, dtype=np.int32),
        np.full(1, -1, np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 96],
    "sizes": [1, 32, 100],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.array([arguments[0].max()], np.int32)},
    "kind": "hang",
    "where": "while (atomicCAS(&lock, 0, 1) != 0)",
}


# ---- 13. consumer warps wait for a flag that is raised only beyond the barrier at which they are missed
consumer_waits_before_barrier = {
    "text": """
__global__ void k(const int* x, int* y, int n) {
    __shared__ int tile[32];
    __shared__ int ready;
    int t = threadIdx.x;
    if (t == 0) ready = 0;
    __syncthreads();
    if (t < 32) {
        tile[t] = x[t];
    } else {
        while (atomicAdd(&ready, 0) == 0) {
        }
    }
    __syncthreads();
    if (t == 0) atomicExch(&ready, 1);
    for (int i = t; i < n; i += blockDim.x) y[i] = x[i] + tile[31 - i % 32];
}
""",
    "arguments": lambda rng, n, block: [rng.integers(0, 100, n, dtype=np.int32), np.zeros(n, np.int32), n],
    "grid": lambda n, block: 1,
    "block": [64, 96, 128],
    "sizes": [32, 50, 300],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: arguments[0] + arguments[0][31 - np.arange(len(arguments[0])) % 32]},
    "kind": "hang",
    "where": "while (atomicAdd(&ready, 0) == 0)",
}


# ---- 14. the flag is to be raised by thread blockDim.x of the first block, which there is not
flag_nobody_sets = {
    "text": """
__global__ void k(const int* x, int* y, int* scale, int* ready, int n) {
    if (blockIdx.x == 0 && threadIdx.x == blockDim.x) {
        *scale = x[0] + 1;
        __threadfence();
        atomicExch(ready, 1);
    }
    if (threadIdx.x == 0) {
        while (atomicAdd(ready, 0) == 0) {
        }
        __threadfence();
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * *scale;
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 100, n, dtype=np.int32),
        np.zeros(n, np.int32),
        np.zeros(1, np.int32),
        np.zeros(1, np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [1, 32, 96],
    "sizes": [1, 50, 100],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        1: arguments[0] * (arguments[0][0] + 1),
        2: arguments[0][:1] + 1,
        3: np.ones(1, np.int32),
    },
    "kind": "hang",
    "where": "while (atomicAdd(ready, 0) == 0)",
}


# ---- 15. counts an unsigned number down for as long as it is not negative
unsigned_countdown = {
    "text": """
__global__ void k(const int* x, int* total, int n) {
    extern __shared__ int s[];
    unsigned int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half >= 0; half >>= 1) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(total, s[0]);
}
""",
    "arguments": lambda rng, n, block: [rng.integers(0, 100, n, dtype=np.int32), np.zeros(1, np.int32), n],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 128],
    "sizes": [1, 64, 200],
    "shared": lambda n, block: 4 * block,
    "after": lambda arguments: {1: np.array([arguments[0].sum()], np.int32)},
    "kind": "hang",
    "where": ("half >= 0; half >>= 1", "if (t < half)", "    __syncthreads();"),
}


# ---- 16. the block's total is added to without ever having been set to nought
shared_total_unset = {
    "text": """
__global__ void k(const int* x, int* total, int n) {
    __shared__ int sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, sum);
}
""",
    "arguments": lambda rng, n, block: [rng.integers(0, 100, n, dtype=np.int32), np.zeros(1, np.int32), n],
    "grid": lambda n, block: up(n, block),
    "block": [1, 32, 100],
    "sizes": [1, 64, 250],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.array([arguments[0].sum()], np.int32)},
    "kind": "unset read",
    "where": "if (i < n) atomicAdd(&sum, x[i])",
}


# ---- 17. each thread counts into an array of its own that starts with whatever was there
local_counts_unset = {
    "text": """
__global__ void k(const unsigned char* letters, int* counts, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int mine[4];
    for (int j = 0; j < 16; j++) mine[letters[16 * row + j] & 3] += 1;
    for (int c = 0; c < 4; c++) counts[4 * row + c] = mine[c];
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 4, (n, 16), dtype=np.uint8),
        np.zeros((n, 4), np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [1, 32, 64],
    "sizes": [1, 20, 100],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        1: np.stack([(arguments[0] == c).sum(axis=1) for c in range(4)], axis=1).astype(np.int32)
    },
    "kind": "unset read",
    "where": ("mine[letters[16 * row + j] & 3] += 1", "= mine[c]"),
}


# ---- 18. const cast away, and the input shifted in place
cast_away_const = {
    "text": """
__global__ void k(const float* x, float* y, float mean, int n) {
    float* centred = (float*)x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        centred[i] -= mean;
        y[i] = centred[i] * centred[i];
    }
}
""",
    "arguments": lambda rng, n, block: [rng.random(n, dtype=np.float32), np.zeros(n, np.float32), 0.5, n],
    "grid": lambda n, block: up(n, block),
    "block": [1, 32, 64],
    "sizes": [1, 50, 200],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {0: arguments[0].copy(), 1: (arguments[0] - np.float32(arguments[2])) ** 2},
    "kind": "write to an input",
    "where": "centred[i] -= mean",
}


# ---- 19. a causal filter reaches back beyond the beginning
negative_tap = {
    "text": """
__global__ void k(const float* x, const float* taps, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int j = 0; j < 3; j++) sum += taps[j] * x[i - j];
        y[i] = sum;
    }
}
""",
    "arguments": lambda rng, n, block: [
        rng.random(n, dtype=np.float32),
        rng.random(3, dtype=np.float32),
        np.zeros(n, np.float32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [1, 32, 64],
    "sizes": [1, 50, 128],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        2: np.convolve(arguments[0], arguments[1])[: len(arguments[0])].astype(np.float32)
    },
    "kind": "out of bounds",
    "where": "sum += taps[j] * x[i - j]",
}


# ---- 20. nearest sample: i * m passes 2^31 from i = 2148 on
resample_overflow = {
    "text": """
__global__ void k(const unsigned char* in, unsigned char* out, int m, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = i * m / n;
    out[i] = in[from];
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 256, 1000000, dtype=np.uint8),
        np.zeros(n, np.uint8),
        1000000,
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [64, 128, 256],
    "sizes": [2200, 2500, 3000],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        1: arguments[0][np.arange(arguments[3], dtype=np.int64) * arguments[2] // arguments[3]]
    },
    "kind": "out of bounds",
    "where": "out[i] = in[from]",
}


# ---- 21. rows are compared with the width and columns with the height
swapped_dimensions = {
    "text": """
__global__ void k(const unsigned char* in, unsigned char* out, int width, int height) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < width && col < height) out[row * width + col] = 255 - in[row * width + col];
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 256, (n, n + 5), dtype=np.uint8),
        np.zeros((n, n + 5), np.uint8),
        n + 5,
        n,
    ],
    "grid": lambda n, block: (up(n + 5, block[0]), up(n, block[1])),
    "block": [(8, 8), (16, 8), (32, 4)],
    "sizes": [5, 13, 30],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: 255 - arguments[0]},
    "kind": "out of bounds",
    "where": "out[row * width + col] = 255 - in[row * width + col]",
}


# ---- 22. reads what the next block writes in the same launch, behind a barrier of its own block only
next_block_output = {
    "text": """
__global__ void k(const int* x, int* squares, int* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) squares[i] = x[i] * x[i];
    __syncthreads();
    if (i < n) z[i] = squares[i] + squares[i + 1 < n ? i + 1 : 0];
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 100, n, dtype=np.int32),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 128],
    "sizes": [129, 300, 512],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: arguments[0] ** 2, 2: arguments[0] ** 2 + np.roll(arguments[0], -1) ** 2},
    "kind": "read-write race",
    "where": "z[i] = squares[i] + squares[",
}


# ---- 23. asserts of every thread what holds only behind the guard
assert_before_guard = {
    "text": """
#include <assert.h>

__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n);
    if (i < n) y[i] = sqrtf(x[i]);
}
""",
    "arguments": lambda rng, n, block: [rng.random(n, dtype=np.float32), np.zeros(n, np.float32), n],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 96],
    "sizes": [1, 50, 100],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.sqrt(arguments[0])},
    "kind": "trap",
    "where": "assert(i < n)",
}


# ---- 24. the last warp of a reduction unrolled in the old way, volatile but without __syncwarp
warp_synchronous_tail = {
    "text": """
__global__ void k(const int* x, int* total, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 32; half >>= 1) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t < 32) {
        volatile int* v = s;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
        if (t == 0) atomicAdd(total, v[0]);
    }
}
""",
    "arguments": lambda rng, n, block: [rng.integers(0, 100, n, dtype=np.int32), np.zeros(1, np.int32), n],
    "grid": lambda n, block: up(n, block),
    "block": [64, 128, 256],
    "sizes": [1, 64, 300],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.array([arguments[0].sum()], np.int32)},
    "kind": "read-write race",
    "where": "v[t] += v[t + ",
}


# ---- 25. a block sum called twice with the same scratch: no barrier between the first's reads and the second's writes
block_sum_twice = {
    "text": """
__device__ int block_sum(int v, int* part) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    int all = 0;
    for (int w = 0; w < (int)blockDim.x >> 5; w++) all += part[w];
    return all;
}

__global__ void k(const int* x, int* sums, int* squares, int n) {
    __shared__ int part[32];
    int sum = 0;
    int square = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = x[blockIdx.x * n + i];
        sum += v;
        square += v * v;
    }
    sum = block_sum(sum, part);
    square = block_sum(square, part);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        squares[blockIdx.x] = square;
    }
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 100, (3, n), dtype=np.int32),
        np.zeros(3, np.int32),
        np.zeros(3, np.int32),
        n,
    ],
    "grid": lambda n, block: 3,
    "block": [64, 96, 128],
    "sizes": [1, 64, 300],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        1: arguments[0].sum(axis=1).astype(np.int32),
        2: (arguments[0] ** 2).sum(axis=1).astype(np.int32),
    },
    "kind": "read-write race",
    "where": "part[threadIdx.x >> 5] = v",
}


# ---- 26. the table is published by raising a flag, without a fence between (the readers have theirs)
publish_without_fence = {
    "text": """
__global__ void k(const int* x, int* y, int* table, int* ticket, int* ready, int n) {
    if (threadIdx.x == 0) {
        int turn = atomicAdd(ticket, 1);
        if (turn == 0) {
            for (int c = 0; c < 4; c++) table[c] = 3 * x[c] + c;
            atomicExch(ready, 1);
        } else {
            while (atomicAdd(ready, 0) == 0) {
            }
        }
        __threadfence();
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = table[x[i] & 3];
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 100, n, dtype=np.int32),
        np.zeros(n, np.int32),
        np.zeros(4, np.int32),
        np.zeros(1, np.int32),
        np.zeros(1, np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 128],
    "sizes": [129, 200, 300],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        1: (3 * arguments[0][:4] + np.arange(4, dtype=np.int32))[arguments[0] & 3],
        2: 3 * arguments[0][:4] + np.arange(4, dtype=np.int32),
        4: np.ones(1, np.int32),
    },
    "kind": "read-write race",
    "where": "y[i] = table[x[i] & 3]",
}


# ---- 27. every thread of the block, not only the first, writes the result
all_write_result = {
    "text": """
__global__ void k(const int* x, int* greatest, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    int mine = -1;
    for (int i = t; i < n; i += blockDim.x) mine = max(mine, x[blockIdx.x * n + i]);
    s[t] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) s[t] = max(s[t], s[t + half]);
        __syncthreads();
    }
    greatest[blockIdx.x] = s[t];
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 1000, (3, n), dtype=np.int32),
        np.zeros(3, np.int32),
        n,
    ],
    "grid": lambda n, block: 3,
    "block": [32, 64, 128],
    "sizes": [1, 50, 300],
    "shared": lambda n, block: 4 * block,
    "after": lambda arguments: {1: arguments[0].max(axis=1).astype(np.int32)},
    "kind": "write-write race",
    "where": "greatest[blockIdx.x] = s[t]",
}


# ---- 28. the second array in dynamic shared memory begins blockDim.x bytes on, not blockDim.x floats
overlapping_shared_arrays = {
    "text": """
__global__ void k(const float* x, const float* w, float* z, int n) {
    extern __shared__ float raw[];
    float* a = raw;
    float* b = (float*)((char*)raw + blockDim.x);
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    a[t] = i < n ? x[i] : 0.0f;
    b[t] = i < n ? w[i] : 0.0f;
    __syncthreads();
    if (i < n) z[i] = a[t ^ 1] * b[t ^ 1];
}
""",
    "arguments": lambda rng, n, block: [
        rng.random(n, dtype=np.float32),
        rng.random(n, dtype=np.float32),
        np.zeros(n, np.float32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 128],
    "sizes": [2, 50, 300],
    "shared": lambda n, block: 2 * 4 * block,
    "after": lambda arguments: {2: (arguments[0] * arguments[1]).reshape(-1, 2)[:, ::-1].ravel()},
    "kind": "write-write race",
    "where": "b[t] = i < n ? w[i] : 0.0f",
}
