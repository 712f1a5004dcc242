"""Kernels that break one of CUDA's rules, with the kind of finding that says so: right ones without a barrier, a
fence or an atomic, and others of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from machine import right
from machine.cases import Draw, Drawn, a_block, a_size, blocks, floats, ints

WRONG: dict[str, tuple[Draw, str]] = {}

RACE, WRITES, BOUNDS, UNSET = "read-write race", "write-write race", "out of bounds", "unset read"
DIVERGENT, DEADLOCK, HANG, MASK, TRAP = "divergent barrier", "deadlock", "hang", "bad mask", "trap"


def changed(name: str, of: str, kind: str, *edits: tuple[str, str], count: int = 1) -> None:
    """A right kernel with edits: each takes away the first (or `count`th) place of a text."""

    def draw(rng: np.random.Generator) -> Drawn:
        drawn = right.RIGHT[of](rng)
        text = drawn.text
        for old, new in edits:
            assert old in text, (name, old)
            parts = text.split(old)
            assert len(parts) > count, (name, old)
            text = old.join(parts[:count]) + new + old.join(parts[count:])
        return replace(drawn, text=text)

    WRONG[name] = (draw, kind)


def own(kind: str):
    def taken(draw: Draw) -> Draw:
        WRONG[draw.__name__] = (draw, kind)
        return draw

    return taken


BARRIER = "__syncthreads();"
changed("histogram_bins_not_waited_for", "histogram", WRITES, (BARRIER, ""))
changed("histogram_read_too_soon", "histogram", RACE, (BARRIER, ""), count=2)
changed(
    "histogram_plain_in_shared",
    "histogram",
    WRITES,
    ("atomicAdd(&local[x[i] % BINS], 1)", "local[x[i] % BINS]++"),
)
changed(
    "histogram_plain_in_global", "histogram", WRITES, ("atomicAdd(&bins[b], local[b])", "bins[b] += local[b]")
)
changed("histogram_not_zeroed", "histogram", UNSET, ("local[b] = 0", ";"))
changed("grid_stride_plain_total", "grid_stride", WRITES, ("atomicAdd(total, sum)", "*total += sum"))
changed("tree_without_first_barrier", "tree_reduction", RACE, (BARRIER, ""))
changed("tree_without_inner_barrier", "tree_reduction", RACE, (BARRIER, ""), count=2)
changed("tree_reads_beyond_the_end", "tree_reduction", BOUNDS, ("i < n ? x[i] : 0.0f", "x[i]"))
changed("transpose_without_barrier", "transpose", RACE, (BARRIER, ""))
changed("scan_without_middle_barrier", "block_scan", RACE, (BARRIER, ""), count=2)
changed("scan_without_last_barrier", "block_scan", RACE, (BARRIER, ""), count=3)
changed("shuffle_parts_not_waited_for", "shuffle_reduction", RACE, (BARRIER, ""))
changed("stencil_without_barrier", "stencil_with_halo", RACE, (BARRIER, ""))
changed("stencil_without_halo", "stencil_with_halo", UNSET, ("if (threadIdx.x < R)", "if (false)"))
changed("stencil_halo_too_small", "stencil_with_halo", BOUNDS, ("s[B + 2 * R]", "s[B + R]"))
changed("matmul_without_first_barrier", "tiled_matmul", RACE, (BARRIER, ""))
changed("matmul_without_second_barrier", "tiled_matmul", RACE, (BARRIER, ""), count=2)
changed("bitonic_without_barrier", "bitonic_sort", RACE, (BARRIER, ""), count=2)
changed("softmax_reuses_too_soon", "softmax_by_row", RACE, (BARRIER, ""), count=3)
changed("last_block_without_fence", "last_block_done", RACE, ("__threadfence();", ""))
changed(
    "last_block_fence_for_its_block", "last_block_done", RACE, ("__threadfence()", "__threadfence_block()")
)
changed("last_block_by_plain_counter", "last_block_done", RACE, ("atomicInc(&done, gridDim.x)", "done++"))
changed(
    "aggregated_by_plain_counter",
    "aggregated_atomics",
    RACE,
    ("atomicAdd(count, __popc(mask))", "*count; *count += __popc(mask)"),
)
changed("lock_without_atomic", "lock_between_blocks", RACE, ("atomicCAS(&lock, 0, 1) != 0", "false"))
changed("lock_without_fence", "lock_between_blocks", RACE, ("__threadfence();", ""), count=2)
changed("warp_exchange_without_sync", "warp_exchange", RACE, ("__syncwarp();", ""))
changed("warp_exchange_writes_too_soon", "warp_exchange", RACE, ("__syncwarp();", ""), count=2)
changed(
    "producer_without_fence",
    "producer_and_consumer",
    RACE,
    (
        "__threadfence();\n        __syncwarp();\n        if (threadIdx.x == 32) { __threadfence();",
        "if (threadIdx.x == 32) {",
    ),
)
changed(
    "consumer_by_plain_flag",
    "producer_and_consumer",
    RACE,
    ("atomicExch(flag, 1)", "*flag = 1"),
    ("atomicAdd(flag, 0)", "*(volatile int*)flag"),
)
changed("two_buffers_without_barrier", "two_buffers", RACE, (BARRIER, ""), count=2)
changed("one_buffer", "two_buffers", RACE, ("s[1 - now][t]", "s[now][t]"), ("now = 1 - now;", ""))
changed("no_bounds_check", "saxpy", BOUNDS, ("if (i < n) ", ""))
changed("off_by_one", "saxpy", BOUNDS, ("i < n", "i <= n"))
changed("thread_index_alone", "saxpy", WRITES, ("blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x"))
changed(
    "block_size_assumed",
    "saxpy",
    BOUNDS,
    ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ("if (i < n) ", ""),
)
changed("different_values", "the_same_value_twice", WRITES, ("*found = 1", "*found = i"))
changed(
    "input_changed",
    "early_return",
    "write to an input",
    ("if (x[i] < 0) continue;", "if (x[i] < 0) ((float*)x)[i] = 0;"),
)
changed(
    "local_array_too_small",
    "best_four",
    BOUNDS,
    ("Pair best[4];", "Pair best[4]; int k = columns; best[k - 5].at = 0; float t[8]; t[k - 1] = 0;"),
)
changed("two_scopes", "grid_stride", WRITES, ("atomicAdd(total, sum)", "atomicAdd_block(total, sum)"))
changed("words_by_whole", "bytes_of_words", RACE, ("b[3] = 7;", "b[3] = 7; words[(i + 1) % (n / 4)] |= 0;"))


IN_PLACE = """
__global__ void k(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) x[i] = 0.5f * (x[i - 1] + x[i + 1]);
}
"""


@own(RACE)
def stencil_in_place(rng):
    n, block = a_size(rng), a_block(rng)
    return Drawn(IN_PLACE, [floats(rng, n), n], blocks(n, block), block)


BRANCH = """
__global__ void k(const int* x, int* y, int n) {
    __shared__ int s[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        s[threadIdx.x] = x[i];
        %s
        y[i] = s[threadIdx.x];
    } %s
}
"""


@own(DIVERGENT)
def barriers_in_two_branches(rng):
    n, block = a_size(rng) | 1, a_block(rng)
    text = BRANCH % (BARRIER, "else { __syncthreads(); }")
    return Drawn(text, [ints(rng, n), np.zeros(n, np.int32), n], blocks(n, block), block)


@own(DEADLOCK)
def barrier_that_a_warp_waits_beside(rng):
    n, block = a_size(rng) | 1, a_block(rng)
    text = BRANCH % (BARRIER, "else { __syncwarp(); }")
    block = 64
    return Drawn(text, [ints(rng, n), np.zeros(n, np.int32), n], blocks(n, block), block)


@own(DEADLOCK)
def mask_of_lanes_that_never_come(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        int v = x[threadIdx.x];
        if (threadIdx.x < 16) v += __shfl_down_sync(0xffffffffu, v, 8); else __syncthreads();
        y[threadIdx.x] = v;
        __syncthreads();
    }
    """
    return Drawn(text, [ints(rng, 64), np.zeros(64, np.int32)], 1, 64)


@own(MASK)
def mask_without_oneself(rng):
    text = "__global__ void k(const int* x, int* y) { y[threadIdx.x] = __shfl_sync(0xffffu, x[threadIdx.x], 0); }"
    return Drawn(text, [ints(rng, 64), np.zeros(64, np.int32)], 1, 64)


@own(HANG)
def waits_for_a_later_block(rng):
    text = """
    __device__ int next;
    __global__ void k(int* y) {
        if (threadIdx.x == 0) {
            while (atomicAdd(&next, 0) != blockIdx.x) { }
            y[blockIdx.x] = 1;
            __threadfence();
            atomicAdd(&next, 1);
        }
    }
    """
    return Drawn(text, [np.zeros(4, np.int32)], 4, 32)


@own(HANG)
def never_ends(rng):
    text = "__global__ void k(int* y, int n) { for (unsigned i = 0; i < 10u; i += n) y[threadIdx.x] += 0; }"
    return Drawn(text, [np.zeros(32, np.int32), 0], 1, 32)


@own(RACE)
def old_warp_tail(rng):
    text = """
    __global__ void k(const float* x, float* y) {
        __shared__ float s[64];
        int t = threadIdx.x;
        s[t] = x[t];
        __syncthreads();
        if (t < 32) {
            volatile float* v = s;
            v[t] += v[t + 32]; v[t] += v[t + 16]; v[t] += v[t + 8]; v[t] += v[t + 4]; v[t] += v[t + 2]; v[t] += v[t + 1];
        }
        if (t == 0) *y = s[0];
    }
    """
    return Drawn(text, [floats(rng, 64), np.zeros(1, np.float32)], 1, 64)


@own(UNSET)
def shared_memory_from_the_block_before(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        __shared__ int s[32];
        if (blockIdx.x == 0) s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        y[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
    }
    """
    return Drawn(text, [ints(rng, 32), np.zeros(64, np.int32)], 2, 32)


@own(UNSET)
def local_without_a_value(rng):
    text = """
    __global__ void k(const float* x, float* y, int n) {
        float sum;
        for (int i = 0; i < n; ++i) sum += x[i];
        if (threadIdx.x == 0) *y = sum;
    }
    """
    return Drawn(text, [floats(rng, 9), np.zeros(1, np.float32), 9], 1, 32)


@own(BOUNDS)
def dynamic_memory_too_small(rng):
    drawn = right.RIGHT["tree_reduction"](rng)
    return replace(drawn, shared=drawn.shared - 4)


@own(BOUNDS)
def negative_index(rng):
    text = (
        "__global__ void k(const int* x, int* y, int n) { int i = threadIdx.x; if (i < n) y[i] = x[i - 1]; }"
    )
    return Drawn(text, [ints(rng, 40), np.zeros(40, np.int32), 40], 1, 64)


@own(BOUNDS)
def null_pointer(rng):
    return Drawn("__global__ void k(int* p) { if (threadIdx.x == 0) *p = 1; }", [None], 1, 32)


@own(BOUNDS)
def endless_recursion(rng):
    text = """
    __device__ int f(int n) { int a[32]; a[n % 32] = n; return f(n + 1) + a[n % 32]; }
    __global__ void k(int* y) { y[threadIdx.x] = f(0); }
    """
    return Drawn(text, [np.zeros(32, np.int32)], 1, 32)


@own(BOUNDS)
def pointer_into_another_array(rng):
    text = """
    __global__ void k(int* x) {
        __shared__ int a[32];
        __shared__ int b[32];
        int t = threadIdx.x;
        b[t] = t;
        int* p = a;
        for (int i = 0; i <= 32; ++i) if (t == 0) p[i] = i;
        __syncthreads();
        x[t] = a[t] + b[t];
    }
    """
    return Drawn(text, [np.zeros(32, np.int32)], 1, 32)


@own("misaligned access")
def misaligned_vector(rng):
    text = "__global__ void k(float* x) { if (threadIdx.x == 0) { float4* v = (float4*)(x + 1); x[0] = v->x + v->w; } }"
    return Drawn(text, [floats(rng, 8)], 1, 32)


@own(TRAP)
def failed_assertion(rng):
    text = "#include <cassert>\n__global__ void k(const int* x) { assert(x[threadIdx.x] < 0); }"
    return Drawn(text, [ints(rng, 32)], 1, 32)


@own(RACE)
def check_then_act(rng):
    text = """
    __global__ void k(const int* x, int* count, int* kept, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && *count < 10) { kept[*count] = x[i]; atomicAdd(count, 1); }
    }
    """
    n, block = a_size(rng), a_block(rng)
    return Drawn(
        text, [ints(rng, n), np.zeros(1, np.int32), np.zeros(500, np.int32), n], blocks(n, block), block
    )


@own(RACE)
def other_block_without_order(rng):
    text = "__global__ void k(int* x) { int i = blockIdx.x; if (threadIdx.x == 0) { x[i] = i; x[8 + i] = x[(i + 1) % 4]; } }"
    return Drawn(text, [np.zeros(16, np.int32)], 4, 32)


@own("undefined arithmetic")
def remainder_by_zero(rng):
    text = "__global__ void k(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] % (x[threadIdx.x] - x[0]); }"
    return Drawn(text, [ints(rng, 32), np.zeros(32, np.int32)], 1, 32)
