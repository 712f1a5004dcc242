"""Right kernels by others, who did not know the machine: many look dangerous, and none has a fault.

`after` names only the arguments whose contents are known; None stands where the order of threads decides. A launch
is drawn of block sizes and of sizes `n`.
"""

import numpy as np


def up(a, b):
    return (a + b - 1) // b


# ---- 1. block reduction in two stages of shuffles, grid-stride loop, one atomic a block
block_sum_of_shuffles = {
    "text": """
__device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void k(const float* x, float* total, int n) {
    __shared__ float part[32];
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
    v = warp_sum(v);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int warps = blockDim.x >> 5;
        v = lane < warps ? part[lane] : 0.0f;
        v = warp_sum(v);
        if (lane == 0) atomicAdd(total, v);
    }
}
""",
    "arguments": lambda rng, n, block: [rng.random(n, dtype=np.float32), np.zeros(1, np.float32), n],
    "grid": lambda n, block: min(up(n, block), 3),
    "block": [32, 96, 256],
    "sizes": [1, 31, 100, 1000],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.array([arguments[0].sum(dtype=np.float64)], np.float32)},
}


# ---- 2. Hillis-Steele, double-buffered, one barrier a step; one block walks over the array and carries on the total
scan_double_buffered = {
    "text": """
__global__ void k(const int* x, int* y, int n) {
    extern __shared__ int buf[];
    int t = threadIdx.x;
    int many = blockDim.x;
    int carry = 0;
    for (int base = 0; base < n; base += many) {
        int i = base + t;
        int from = 0;
        int to = many;
        buf[t] = i < n ? x[i] : 0;
        __syncthreads();
        for (int d = 1; d < many; d <<= 1) {
            buf[to + t] = buf[from + t] + (t >= d ? buf[from + t - d] : 0);
            __syncthreads();
            int swap = from;
            from = to;
            to = swap;
        }
        if (i < n) y[i] = carry + buf[from + t];
        carry += buf[from + many - 1];
        __syncthreads();
    }
}
""",
    "arguments": lambda rng, n, block: [rng.integers(-50, 100, n, dtype=np.int32), np.zeros(n, np.int32), n],
    "grid": lambda n, block: 1,
    "block": [32, 50, 128],
    "sizes": [1, 33, 128, 300],
    "shared": lambda n, block: 2 * 4 * block,
    "after": lambda arguments: {1: np.cumsum(arguments[0]).astype(np.int32)},
}


# ---- 3. Blelloch's exclusive scan in place, two elements a thread, a block a row
scan_blelloch = {
    "text": """
__global__ void k(const int* x, int* y, int* totals, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    int m = 2 * blockDim.x;
    const int* row = x + blockIdx.x * n;
    s[2 * t] = 2 * t < n ? row[2 * t] : 0;
    s[2 * t + 1] = 2 * t + 1 < n ? row[2 * t + 1] : 0;
    int step = 1;
    for (int d = m >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = step * (2 * t + 1) - 1;
            int b = step * (2 * t + 2) - 1;
            s[b] += s[a];
        }
        step <<= 1;
    }
    if (t == 0) {
        totals[blockIdx.x] = s[m - 1];
        s[m - 1] = 0;
    }
    for (int d = 1; d < m; d <<= 1) {
        step >>= 1;
        __syncthreads();
        if (t < d) {
            int a = step * (2 * t + 1) - 1;
            int b = step * (2 * t + 2) - 1;
            int kept = s[a];
            s[a] = s[b];
            s[b] += kept;
        }
    }
    __syncthreads();
    if (2 * t < n) y[blockIdx.x * n + 2 * t] = s[2 * t];
    if (2 * t + 1 < n) y[blockIdx.x * n + 2 * t + 1] = s[2 * t + 1];
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 100, (3, n), dtype=np.int32),
        np.zeros((3, n), np.int32),
        np.zeros(3, np.int32),
        n,
    ],
    "grid": lambda n, block: 3,
    "block": [32, 64, 128],
    "sizes": [1, 5, 33, 64],
    "shared": lambda n, block: 2 * 4 * block,
    "after": lambda arguments: {
        1: (np.cumsum(arguments[0], axis=1) - arguments[0]).astype(np.int32),
        2: arguments[0].sum(axis=1).astype(np.int32),
    },
}


# ---- 4. tiled matrix product, ragged edges, dynamic shared memory split in two
matrix_product_tiled = {
    "text": """
__global__ void k(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    extern __shared__ float s[];
    int T = blockDim.x;
    float* sa = s;
    float* sb = s + T * T;
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * T + ty;
    int col = blockIdx.x * T + tx;
    float sum = 0.0f;
    for (int base = 0; base < inner; base += T) {
        sa[ty * T + tx] = row < rows && base + tx < inner ? a[row * inner + base + tx] : 0.0f;
        sb[ty * T + tx] = base + ty < inner && col < cols ? b[(base + ty) * cols + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < T; j++) sum += sa[ty * T + j] * sb[j * T + tx];
        __syncthreads();
    }
    if (row < rows && col < cols) c[row * cols + col] = sum;
}
""",
    "arguments": lambda rng, n, block: [
        rng.random((n, n + 3), dtype=np.float32),
        rng.random((n + 3, n + 1), dtype=np.float32),
        np.zeros((n, n + 1), np.float32),
        n,
        n + 3,
        n + 1,
    ],
    "grid": lambda n, block: (up(n + 1, block[0]), up(n, block[1])),
    "block": [(4, 4), (8, 8), (16, 16)],
    "sizes": [1, 7, 16, 33],
    "shared": lambda n, block: 2 * 4 * block[0] * block[1],
    "after": lambda arguments: {
        2: (arguments[0].astype(np.float64) @ arguments[1].astype(np.float64)).astype(np.float32)
    },
}


# ---- 5. transpose through a padded tile, fewer threads than cells of the tile
transpose_padded = {
    "text": """
__global__ void k(const float* in, float* out, int width, int height) {
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += blockDim.y) {
        int row = blockIdx.y * 32 + j;
        if (col < width && row < height) tile[j][threadIdx.x] = in[row * width + col];
    }
    __syncthreads();
    int out_col = blockIdx.y * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += blockDim.y) {
        int out_row = blockIdx.x * 32 + j;
        if (out_col < height && out_row < width) out[out_row * height + out_col] = tile[threadIdx.x][j];
    }
}
""",
    "arguments": lambda rng, n, block: [
        rng.random((n, 2 * n + 1), dtype=np.float32),
        np.zeros((2 * n + 1, n), np.float32),
        2 * n + 1,
        n,
    ],
    "grid": lambda n, block: (up(2 * n + 1, 32), up(n, 32)),
    "block": [(32, 4), (32, 8), (32, 32)],
    "sizes": [1, 15, 32, 50],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.ascontiguousarray(arguments[0].T)},
}


def five_sums(x):
    padded = np.pad(x, 2, mode="edge").astype(np.float64)
    return sum(padded[j : j + len(x)] for j in range(5)).astype(np.float32)


# ---- 6. stencil with halo; surplus blocks leave as a whole before the barrier, surplus threads after it
stencil_early_exit = {
    "text": """
__global__ void k(const float* x, float* y, int n) {
    extern __shared__ float s[];
    const int R = 2;
    int base = blockIdx.x * blockDim.x;
    int t = threadIdx.x;
    if (base >= n) return;
    for (int j = t; j < (int)blockDim.x + 2 * R; j += blockDim.x) {
        int from = min(max(base + j - R, 0), n - 1);
        s[j] = x[from];
    }
    __syncthreads();
    if (base + t >= n) return;
    float sum = 0.0f;
    for (int j = 0; j <= 2 * R; j++) sum += s[t + j];
    y[base + t] = sum;
}
""",
    "arguments": lambda rng, n, block: [rng.random(n, dtype=np.float32), np.zeros(n, np.float32), n],
    "grid": lambda n, block: up(n, block) + 2,
    "block": [3, 32, 64],
    "sizes": [1, 2, 64, 150],
    "shared": lambda n, block: 4 * (block + 4),
    "after": lambda arguments: {1: five_sums(arguments[0])},
}


def blurred(image):
    height, width = image.shape
    padded = np.pad(image, 1, mode="edge").astype(np.int32)
    weight = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]
    total = np.zeros(image.shape, np.int32)
    for a in range(3):
        for b in range(3):
            total += weight[a][b] * padded[a : a + height, b : b + width]
    return ((total + 8) // 16).astype(np.uint8)


# ---- 7. 3 x 3 convolution, weights in constant memory, a tile of single bytes with a halo on all sides
convolution_of_bytes = {
    "text": """
__constant__ int weight[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

__global__ void k(const unsigned char* in, unsigned char* out, int width, int height) {
    extern __shared__ unsigned char tile[];
    int pitch = blockDim.x + 2;
    int cells = pitch * (blockDim.y + 2);
    int many = blockDim.x * blockDim.y;
    int left = (int)(blockIdx.x * blockDim.x) - 1;
    int top = (int)(blockIdx.y * blockDim.y) - 1;
    for (int j = threadIdx.y * blockDim.x + threadIdx.x; j < cells; j += many) {
        int col = min(max(left + j % pitch, 0), width - 1);
        int row = min(max(top + j / pitch, 0), height - 1);
        tile[j] = in[row * width + col];
    }
    __syncthreads();
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= width || row >= height) return;
    int sum = 8;
    for (int b = 0; b < 3; b++)
        for (int a = 0; a < 3; a++)
            sum += weight[3 * b + a] * tile[(threadIdx.y + b) * pitch + threadIdx.x + a];
    out[row * width + col] = (unsigned char)(sum >> 4);
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 256, (n, 2 * n + 1), dtype=np.uint8),
        np.zeros((n, 2 * n + 1), np.uint8),
        2 * n + 1,
        n,
    ],
    "grid": lambda n, block: (up(2 * n + 1, block[0]), up(n, block[1])),
    "block": [(8, 8), (16, 4), (32, 2)],
    "sizes": [1, 5, 16, 30],
    "shared": lambda n, block: (block[0] + 2) * (block[1] + 2),
    "after": lambda arguments: {1: blurred(arguments[0])},
}


# ---- 8. histogram, a private copy for each block in shared memory, only non-empty bins are added up
histogram_private = {
    "text": """
__global__ void k(const unsigned char* x, unsigned int* bins, int n) {
    __shared__ unsigned int mine[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&mine[x[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        unsigned int many = mine[b];
        if (many) atomicAdd(bins + b, many);
    }
}
""",
    "arguments": lambda rng, n, block: [rng.integers(0, 256, n, dtype=np.uint8), np.zeros(256, np.uint32), n],
    "grid": lambda n, block: min(up(n, block), 4),
    "block": [32, 100, 256],
    "sizes": [1, 100, 777, 2000],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.bincount(arguments[0], minlength=256).astype(np.uint32)},
}


# ---- 9. compaction, one atomic a warp
compaction_by_ballot = {
    "text": """
__global__ void k(const float* x, float* out, int* count, float limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    float v = i < n ? x[i] : 0.0f;
    bool keep = i < n && v > limit;
    unsigned votes = __ballot_sync(0xffffffffu, keep);
    if (votes != 0) {
        int leader = __ffs(votes) - 1;
        int base = 0;
        if (lane == leader) base = atomicAdd(count, __popc(votes));
        base = __shfl_sync(0xffffffffu, base, leader);
        if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = v;
    }
}
""",
    "arguments": lambda rng, n, block: [
        rng.random(n, dtype=np.float32),
        np.zeros(n, np.float32),
        np.zeros(1, np.int32),
        0.5,
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 96],
    "sizes": [1, 20, 64, 300],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: None, 2: np.array([(arguments[0] > 0.5).sum()], np.int32)},
}


# ---- 10. counts by __match_any_sync, in blocks whose last warp may be partial, with a mask that says so
counts_by_match = {
    "text": """
__global__ void k(const int* key, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    unsigned rest = blockDim.x - (threadIdx.x & ~31u);
    unsigned here = rest >= 32 ? 0xffffffffu : (1u << rest) - 1;
    unsigned active = __ballot_sync(here, i < n);
    if (i < n) {
        int mine = key[i];
        unsigned peers = __match_any_sync(active, mine);
        if (lane == __ffs(peers) - 1) atomicAdd(&bins[mine], __popc(peers));
    }
}
""",
    "arguments": lambda rng, n, block: [rng.integers(0, 6, n, dtype=np.int32), np.zeros(6, np.int32), n],
    "grid": lambda n, block: up(n, block),
    "block": [32, 40, 100],
    "sizes": [1, 39, 64, 333],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: np.bincount(arguments[0], minlength=6).astype(np.int32)},
}


def eights(x):
    padded = np.pad(x, (0, -len(x) % 8)).reshape(-1, 8)
    return (8 * x - np.repeat(padded.sum(axis=1), 8)[: len(x)]).astype(np.int32)


# ---- 11. sums of eight lanes by shuffles with a width; __reduce_add_sync and __reduce_max_sync for the warp
groups_of_eight = {
    "text": """
__global__ void k(const int* x, int* y, int* total, int* most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? x[i] : 0;
    int sum = v;
    for (int d = 4; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d, 8);
    sum = __shfl_sync(0xffffffffu, sum, 0, 8);
    int warp_total = __reduce_add_sync(0xffffffffu, v);
    int warp_most = __reduce_max_sync(0xffffffffu, v);
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(total, warp_total);
        atomicMax(most, warp_most);
    }
    if (i < n) y[i] = 8 * v - sum;
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 1000, n, dtype=np.int32),
        np.zeros(n, np.int32),
        np.zeros(1, np.int32),
        np.full(1, -1, np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 64, 128],
    "sizes": [1, 12, 64, 250],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        1: eights(arguments[0]),
        2: np.array([arguments[0].sum()], np.int32),
        3: np.array([arguments[0].max()], np.int32),
    },
}


def greatest(best, key, x):
    best = best.copy()
    np.maximum.at(best, key, x)
    return best


# ---- 12. maximum of floats by atomicCAS, threads beyond the end leave at once (there is no barrier)
float_max_by_cas = {
    "text": """
__device__ void raise_to(float* at, float v) {
    int* bits = reinterpret_cast<int*>(at);
    int seen = atomicAdd(bits, 0);
    while (__int_as_float(seen) < v) {
        int was = atomicCAS(bits, seen, __float_as_int(v));
        if (was == seen) break;
        seen = was;
    }
}

__global__ void k(const float* x, const int* key, float* best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    raise_to(best + key[i], x[i]);
}
""",
    "arguments": lambda rng, n, block: [
        rng.standard_normal(n, dtype=np.float32),
        rng.integers(0, 5, n, dtype=np.int32),
        np.full(5, -1e30, np.float32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 50, 128],
    "sizes": [1, 17, 64, 400],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {2: greatest(arguments[2], arguments[1], arguments[0])},
}


# ---- 13. the last block to finish adds up the partial sums; the ticket returns to zero by itself
last_block_sums = {
    "text": """
__device__ void tree(float* s) {
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
}

__global__ void k(const float* x, float* partial, unsigned int* ticket, float* result, int n) {
    extern __shared__ float s[];
    __shared__ bool last;
    int t = threadIdx.x;
    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += x[i];
    s[t] = v;
    __syncthreads();
    tree(s);
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        v = 0.0f;
        for (int b = t; b < (int)gridDim.x; b += blockDim.x) v += partial[b];
        s[t] = v;
        __syncthreads();
        tree(s);
        if (t == 0) *result = s[0];
    }
}
""",
    "arguments": lambda rng, n, block: [
        rng.random(n, dtype=np.float32),
        np.zeros(min(up(n, block), 40), np.float32),
        np.zeros(1, np.uint32),
        np.zeros(1, np.float32),
        n,
    ],
    "grid": lambda n, block: min(up(n, block), 40),
    "block": [32, 64, 128],
    "sizes": [1, 64, 100, 1500],
    "shared": lambda n, block: 4 * block,
    "after": lambda arguments: {
        2: np.zeros(1, np.uint32),
        3: np.array([arguments[0].sum(dtype=np.float64)], np.float32),
    },
}


# ---- 14. scan over all blocks in one launch: blocks number themselves as they start and wait for the one before.
# The value waited for is itself the message (total so far, plus one), so that nothing else need be fenced.
scan_chained = {
    "text": """
__global__ void k(const int* x, int* y, int* state, int* ticket, int n) {
    extern __shared__ int s[];
    __shared__ int chunk;
    __shared__ int before;
    int t = threadIdx.x;
    if (t == 0) chunk = atomicAdd(ticket, 1);
    __syncthreads();
    int i = chunk * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 1; d < (int)blockDim.x; d <<= 1) {
        int more = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += more;
        __syncthreads();
    }
    if (t == (int)blockDim.x - 1) {
        int seen = 1;
        if (chunk > 0) {
            do {
                seen = atomicAdd(&state[chunk - 1], 0);
            } while (seen == 0);
        }
        atomicExch(&state[chunk], seen + s[t]);
        before = seen - 1;
    }
    __syncthreads();
    if (i < n) y[i] = before + s[t];
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 100, n, dtype=np.int32),
        np.zeros(n, np.int32),
        np.zeros(up(n, block), np.int32),
        np.zeros(1, np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 40, 128],
    "sizes": [1, 40, 129, 500],
    "shared": lambda n, block: 4 * block,
    "after": lambda arguments: {
        1: np.cumsum(arguments[0]).astype(np.int32),
        3: np.array([len(arguments[2])], np.int32),
    },
}


# ---- 15. pipeline of two buffers: the next tile is loaded while this one is used, one barrier a tile
pipeline_two_buffers = {
    "text": """
__global__ void k(const int* x, const int* p, int* y, int n, int m) {
    extern __shared__ int buf[];
    int many = blockDim.x;
    int t = threadIdx.x;
    int i = blockIdx.x * many + t;
    int mine = i < n ? x[i] : 0;
    int sum = 0;
    int tiles = (m + many - 1) / many;
    if (t < m) buf[t] = p[t];
    __syncthreads();
    for (int tile = 0; tile < tiles; tile++) {
        const int* now = buf + (tile & 1) * many;
        int* next = buf + (~tile & 1) * many;
        int ahead = (tile + 1) * many + t;
        if (ahead < m) next[t] = p[ahead];
        int filled = min(many, m - tile * many);
        for (int j = 0; j < filled; j++) sum += abs(mine - now[j]);
        __syncthreads();
    }
    if (i < n) y[i] = sum;
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(-500, 500, n, dtype=np.int32),
        rng.integers(-500, 500, n + 5, dtype=np.int32),
        np.zeros(n, np.int32),
        n,
        n + 5,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [16, 32, 64],
    "sizes": [1, 30, 64, 150],
    "shared": lambda n, block: 2 * 4 * block,
    "after": lambda arguments: {
        2: np.abs(arguments[0][:, None] - arguments[1][None, :]).sum(axis=1).astype(np.int32)
    },
}


def laplacian(v):
    p = np.pad(v.astype(np.float64), 1)
    around = (
        p[:-2, 1:-1, 1:-1]
        + p[2:, 1:-1, 1:-1]
        + p[1:-1, :-2, 1:-1]
        + p[1:-1, 2:, 1:-1]
        + p[1:-1, 1:-1, :-2]
        + p[1:-1, 1:-1, 2:]
    )
    return (around - 6 * v).astype(np.float32)


# ---- 16. seven-point stencil over a 3-D grid, zero beyond the borders; a lambda captures by reference
stencil_in_space = {
    "text": """
__global__ void k(const float* in, float* out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    auto at = [&](int a, int b, int c) {
        bool inside = a >= 0 && a < nx && b >= 0 && b < ny && c >= 0 && c < nz;
        return inside ? in[((size_t)c * ny + b) * nx + a] : 0.0f;
    };
    if (x < nx && y < ny) {
        float sum = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1);
        out[((size_t)z * ny + y) * nx + x] = sum - 6.0f * at(x, y, z);
    }
}
""",
    "arguments": lambda rng, n, block: [
        rng.random((3, n + 1, n), dtype=np.float32),
        np.zeros((3, n + 1, n), np.float32),
        n,
        n + 1,
        3,
    ],
    "grid": lambda n, block: (up(n, block[0]), up(n + 1, block[1]), 3),
    "block": [(8, 4), (16, 2), (5, 7)],
    "sizes": [1, 4, 11, 20],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: laplacian(arguments[0])},
}


# ---- 17. float4 through casts, with a scalar tail
axpy_float4 = {
    "text": """
__global__ void k(const float* x, float* y, float a, int n) {
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* y4 = reinterpret_cast<float4*>(y);
    int quads = n / 4;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    for (int q = first; q < quads; q += stride) {
        float4 u = x4[q];
        float4 v = y4[q];
        v.x += a * u.x;
        v.y += a * u.y;
        v.z += a * u.z;
        v.w += a * u.w;
        y4[q] = v;
    }
    for (int i = 4 * quads + first; i < n; i += stride) y[i] += a * x[i];
}
""",
    "arguments": lambda rng, n, block: [
        rng.random(n, dtype=np.float32),
        rng.random(n, dtype=np.float32),
        1.5,
        n,
    ],
    "grid": lambda n, block: min(up(n, 4 * block), 2),
    "block": [1, 32, 64],
    "sizes": [1, 4, 7, 515],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        1: (arguments[1] + np.float32(arguments[2]) * arguments[0]).astype(np.float32)
    },
}


# ---- 18. bitonic sort of each row in shared memory, filled up to a power of two; references into shared memory
sort_bitonic = {
    "text": """
__device__ void order(int& a, int& b, bool rising) {
    if ((a > b) == rising) {
        int kept = a;
        a = b;
        b = kept;
    }
}

__global__ void k(int* x, int n) {
    extern __shared__ int s[];
    int* row = x + blockIdx.x * n;
    int m = 1;
    while (m < n) m <<= 1;
    for (int i = threadIdx.x; i < m; i += blockDim.x) s[i] = i < n ? row[i] : 2147483647;
    __syncthreads();
    for (int size = 2; size <= m; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            for (int i = threadIdx.x; i < m; i += blockDim.x) {
                int j = i ^ stride;
                if (j > i) order(s[i], s[j], (i & size) == 0);
            }
            __syncthreads();
        }
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = s[i];
}
""",
    "arguments": lambda rng, n, block: [rng.integers(-1000, 1000, (2, n), dtype=np.int32), n],
    "grid": lambda n, block: 2,
    "block": [32, 50, 128],
    "sizes": [1, 2, 37, 128],
    "shared": lambda n, block: 4 * (1 << (n - 1).bit_length()),
    "after": lambda arguments: {0: np.sort(arguments[0], axis=1)},
}


# ---- 19. template over type and operation, lambdas, a struct in shared memory, the memory used again for int64 sums
least_and_total = {
    "text": """
struct Best {
    long long value;
    int at;
};

template <class T, class Join>
__device__ T block_reduce(T* s, T mine, Join join) {
    int t = threadIdx.x;
    s[t] = mine;
    __syncthreads();
    int live = blockDim.x;
    while (live > 1) {
        int half = (live + 1) / 2;
        if (t + half < live) s[t] = join(s[t], s[t + half]);
        __syncthreads();
        live = half;
    }
    T all = s[0];
    __syncthreads();
    return all;
}

__global__ void k(const long long* x, int* least_at, long long* total, int n) {
    extern __shared__ long long raw[];
    const long long* row = x + (size_t)blockIdx.x * n;
    Best mine = {9223372036854775807LL, 2147483647};
    long long sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (row[i] < mine.value) {
            mine.value = row[i];
            mine.at = i;
        }
        sum += row[i];
    }
    Best best = block_reduce(reinterpret_cast<Best*>(raw), mine, [](const Best& a, const Best& b) {
        bool second = b.value < a.value || (b.value == a.value && b.at < a.at);
        return second ? b : a;
    });
    long long all = block_reduce(raw, sum, [](long long a, long long b) { return a + b; });
    if (threadIdx.x == 0) {
        least_at[blockIdx.x] = best.at;
        total[blockIdx.x] = all;
    }
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(-(2**40), 2**40, (3, n), dtype=np.int64),
        np.zeros(3, np.int32),
        np.zeros(3, np.int64),
        n,
    ],
    "grid": lambda n, block: 3,
    "block": [1, 32, 75],
    "sizes": [1, 30, 75, 400],
    "shared": lambda n, block: 16 * block,
    "after": lambda arguments: {1: arguments[0].argmin(axis=1).astype(np.int32), 2: arguments[0].sum(axis=1)},
}


# ---- 20. cooperative groups: a tile of 16 lanes a row; whole tiles (half warps) leave before the others reduce
variance_by_tiles = {
    "text": """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void k(const double* x, double* variance, int rows, int cols) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
    if (row >= rows) return;
    const double* mine = x + (size_t)row * cols;
    double sum = 0.0;
    for (int c = tile.thread_rank(); c < cols; c += 16) sum += mine[c];
    double mean = cg::reduce(tile, sum, cg::plus<double>()) / cols;
    double squares = 0.0;
    for (int c = tile.thread_rank(); c < cols; c += 16) {
        double d = mine[c] - mean;
        squares += d * d;
    }
    squares = cg::reduce(tile, squares, cg::plus<double>());
    if (tile.thread_rank() == 0) variance[row] = squares / cols;
}
""",
    "arguments": lambda rng, n, block: [rng.random((n, 37)), np.zeros(n), n, 37],
    "grid": lambda n, block: up(16 * n, block),
    "block": [32, 64, 128],
    "sizes": [1, 3, 8, 21],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {1: arguments[0].var(axis=1)},
}


# ---- 21. half precision in pairs, an odd last element apart
scale_halves = {
    "text": """
#include <cuda_fp16.h>

__global__ void k(const __half* x, __half* y, float a, int n) {
    const __half2* x2 = reinterpret_cast<const __half2*>(x);
    __half2* y2 = reinterpret_cast<__half2*>(y);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        float2 v = __half22float2(x2[i]);
        y2[i] = __floats2half2_rn(fmaxf(a * v.x, 0.0f), fmaxf(a * v.y, 0.0f));
    }
    if (i == 0 && (n & 1)) y[n - 1] = __float2half(fmaxf(a * __half2float(x[n - 1]), 0.0f));
}
""",
    "arguments": lambda rng, n, block: [
        rng.standard_normal(n).astype(np.float16),
        np.zeros(n, np.float16),
        0.75,
        n,
    ],
    "grid": lambda n, block: up(n + 1, 2 * block),
    "block": [32, 48, 128],
    "sizes": [1, 2, 63, 400],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        1: np.maximum(np.float32(arguments[2]) * arguments[0].astype(np.float32), 0).astype(np.float16)
    },
}


def grown(values, key, x, how):
    values = values.copy()
    how.at(values, key, x)
    return values


# ---- 22. a lock for each key, taken by lanes of one warp: the holder lets go within the turn of the loop that took it
lock_for_each_key = {
    "text": """
__global__ void k(const int* key, const int* w, int* lock, int* sum, int* most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int b = key[i];
        bool done = false;
        while (!done) {
            if (atomicCAS(&lock[b], 0, 1) == 0) {
                __threadfence();
                volatile int* s = sum + b;
                volatile int* m = most + b;
                *s = *s + w[i];
                if (w[i] > *m) *m = w[i];
                __threadfence();
                atomicExch(&lock[b], 0);
                done = true;
            }
        }
    }
}
""",
    "arguments": lambda rng, n, block: [
        rng.integers(0, 4, n, dtype=np.int32),
        rng.integers(0, 1000, n, dtype=np.int32),
        np.zeros(4, np.int32),
        np.zeros(4, np.int32),
        np.full(4, -1, np.int32),
        n,
    ],
    "grid": lambda n, block: up(n, block),
    "block": [32, 50, 64],
    "sizes": [1, 32, 100, 200],
    "shared": lambda n, block: 0,
    "after": lambda arguments: {
        2: np.zeros(4, np.int32),
        3: grown(arguments[3], arguments[0], arguments[1], np.add),
        4: grown(arguments[4], arguments[0], arguments[1], np.maximum),
    },
}
