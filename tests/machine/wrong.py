"""Kernels that break one of CUDA's rules, with the kind of finding that says so: right ones without a barrier, a
fence or an atomic, and others of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from machine import right
from machine.cases import Draw, Drawn, a_block, a_size, blocks, floats, ints
from machine.others import OTHERS_FAULTS, OTHERS_WRONG

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


# ---- of the other right kernels

changed(
    "half_warps_with_the_whole_mask",
    "masks_of_half_a_warp",
    DEADLOCK,
    ("0x0000ffffu", "0x0000fffeu"),
    ("? 0x0000fffeu", "? 0x00ffffffu"),
    ("y[t] = v;", "y[t] = v;\n    __syncthreads();"),
)
changed(
    "half_warps_with_the_others_mask",
    "masks_of_half_a_warp",
    MASK,
    ("0x0000ffffu : 0xffff0000u", "0xffff0000u : 0x0000ffffu"),
)
changed(
    "leaders_count_plainly",
    "matches_of_equal_keys",
    WRITES,
    ("atomicAdd(&sums[x[t]], __popc(peers))", "sums[x[t]] += __popc(peers)"),
)
changed("ballot_counts_not_waited_for", "compaction_by_ballot", RACE, (BARRIER, ""))
changed(
    "compaction_by_place_of_the_block",
    "compaction_by_ballot",
    WRITES,
    ("y[blockIdx.x * B + place]", "y[place]"),
)
changed(
    "sparse_rows_with_a_wide_mask",
    "sparse_rows_by_parts_of_warps",
    DEADLOCK,
    ("0xffu << (threadIdx.x % 32 / 8 * 8)", "0xffffffffu"),
    ("if (row >= rows) return;", "if (row >= rows || row % 3 == 1) { __syncthreads(); return; }"),
)
changed(
    "tiles_add_plainly",
    "groups_reduce_tiles",
    WRITES,
    ("atomicAdd(&sums[tile.meta_group_rank()], v)", "sums[tile.meta_group_rank()] += v"),
)
changed("group_not_waited_for", "groups_as_arguments", RACE, ("g.sync();", ""), count=2)
changed(
    "group_waits_in_a_branch",
    "groups_as_arguments",
    DIVERGENT,
    ("g.sync();\n        if", "if (lane < 2) g.sync(); else\n            g.sync();\n        if"),
)
changed(
    "parts_of_four_wait_for_two",
    "groups_of_four_wait_for_each_other",
    RACE,
    ("cg::tiled_partition(block, 4)", "cg::tiled_partition(block, 2)"),
)
changed(
    "active_threads_count_plainly",
    "groups_of_active_threads",
    RACE,
    ("base = atomicAdd(counter, (int)active.size())", "{ base = *counter; *counter += active.size(); }"),
)
changed("scan_without_first_barrier", "work_efficient_scan", RACE, (BARRIER, ""))
changed("scan_not_cleared_at_its_root", "work_efficient_scan", BOUNDS, ("s[2 * B - 1] = 0", "s[2 * B] = 0"))
changed("changed_while_others_look", "until_nothing_changes", RACE, (BARRIER, ""), count=2)
changed(
    "vote_by_a_shared_flag",
    "until_nothing_changes",
    WRITES,
    ("bool changed;", "__shared__ int any;\n    bool changed;"),
    ("__syncthreads_or(changed)", "(any = changed, __syncthreads(), any)"),
)
changed("maximum_plain", "atomics_of_all_types", WRITES, ("atomicMax(&y[3], v)", "y[3] = max(y[3], v)"))
changed(
    "counter_plain_in_one_place",
    "atomics_of_all_types",
    RACE,
    ("atomicInc(&u[0], 5u)", "(i % 7 == 0 ? u[0] += 1 : atomicInc(&u[0], 5u))"),
)
changed(
    "atomics_of_a_block_on_all_blocks_words",
    "atomics_of_a_block",
    WRITES,
    ("&y[2 * blockIdx.x + 1]", "&y[1]"),
)
changed("counts_not_cleared", "atomics_of_a_block", UNSET, ("count = 0; ", ""))
changed(
    "product_by_read_and_write",
    "product_by_compare_and_swap",
    RACE,
    ("multiply(product, 1.5)", "*product *= 1.5"),
)
changed("flag_without_fence", "flags_within_a_block", RACE, ("__threadfence_block();", ""))
changed("flag_set_plainly", "flags_within_a_block", RACE, ("atomicExch_block(&flag, 1)", "flag = 1"))
changed("lock_given_without_fence", "lock_of_every_thread", RACE, ("give() { __threadfence();", "give() {"))
changed(
    "list_outside_of_the_lock",
    "lock_of_every_thread",
    RACE,
    ("        list[n] += 1;\n        lock.give();", "        lock.give();\n        list[n] += 1;"),
)
changed("parts_added_too_soon", "last_block_normalizes", RACE, ("if (!last) return;", ""))
changed("private_parts_added_too_soon", "histograms_of_parts", RACE, (BARRIER, ""), count=2)
changed(
    "parents_by_plain_reads",
    "sets_that_are_joined",
    RACE,
    ("p = atomicAdd(&parent[i], 0); }", "p = parent[i]; }"),
)
changed(
    "frontier_by_a_plain_claim",
    "frontier_of_a_graph",
    RACE,
    (
        "atomicCAS(&distance[targets[j]], -1, now + 1) == -1",
        "distance[targets[j]] == -1 && (distance[targets[j]] = now + 1)",
    ),
)
changed(
    "two_stages_and_one_barrier",
    "three_stages_and_one_barrier",
    RACE,
    ("s[3][B]", "s[2][B]"),
    ("i % 3", "i % 2"),
    ("(i - 1) % 3", "(i - 1) % 2"),
)
changed(
    "scan_of_blocks_without_fence",
    "scan_of_many_blocks",
    RACE,
    ("        __threadfence();\n        atomicExch", "        atomicExch"),
)
changed(
    "scan_of_blocks_by_their_number",
    "scan_of_many_blocks",
    HANG,
    ("mine = atomicAdd(&ticket, 1)", "mine = gridDim.x - 1 - blockIdx.x"),
    ("state[mine - 1], 0) == 0) {", "state[mine - 1], 0) == 0) { mine = gridDim.x - 1 - blockIdx.x;"),
)
changed(
    "halves_added_plainly",
    "halves_in_shared_memory",
    WRITES,
    (
        "atomicAdd(pairs, __halves2half2(x[i], __float2half(1.0f)))",
        "*pairs += __halves2half2(x[i], __float2half(1.0f))",
    ),
)
changed(
    "halves_beyond_their_bytes",
    "halves_in_shared_memory",
    BOUNDS,
    ("extern __shared__ __half s[]", "extern __shared__ float s[]"),
    ("s[t] = x[i]", "s[t] = __half2float(x[i])"),
    ("sums[blockIdx.x] = s[0]", "sums[blockIdx.x] = __float2half(s[0])"),
)
changed(
    "pixels_written_as_words",
    "pixels",
    WRITES,
    ("grey[y * width + x] = (unsigned char)(", "*(unsigned*)(grey + (y * width + x) / 4 * 4) = (unsigned)("),
)
changed("life_without_barrier", "game_of_life", RACE, (BARRIER, ""))
changed("neighbours_above_the_first", "cubes", BOUNDS, ("if (z > 0) sum", "if (z >= 0) sum"))
changed(
    "parts_overlap",
    "dynamic_memory_in_parts",
    RACE,
    ("(float*)(sums + blockDim.x)", "(float*)(sums + blockDim.x / 2)"),
)
changed("union_used_too_soon", "shared_memory_used_twice", RACE, (BARRIER, ""), count=2)
changed("wide_loads_over_the_end", "wide_loads_with_a_tail", BOUNDS, ("if (4 * i + 3 < n)", "if (4 * i < n)"))
changed(
    "wide_loads_from_an_odd_place",
    "wide_loads_with_a_tail",
    "misaligned access",
    ("reinterpret_cast<const float4*>(x)[i]", "reinterpret_cast<const float4*>(x + 1)[i]"),
    ("4 * i + 3 < n", "4 * i + 4 < n"),
    ("float4 v = ", "const float4& w = "),
    ("v.x *= 2;", "float4 v = make_float4(w.x, w.y, w.z, w.w); v.x *= 2;"),
)
changed(
    "constants_beyond_the_last",
    "nearest_of_constants",
    BOUNDS,
    ("for (const Centre& c : centres) {", "for (int j = 0; j <= 3; ++j) { const Centre& c = *(centres + j);"),
)
changed(
    "no_function_for_a_key",
    "functions_by_pointer",
    BOUNDS,
    ("all[which[i]](x[i])", "all[which[i] + 1](x[i])"),
)
changed("assertion_that_fails", "assertions_that_hold", TRAP, ("assert(y[i] != 0)", "assert(y[i] > 0)"))
changed(
    "a_trap_that_is_reached",
    "assertions_that_hold",
    TRAP,
    ("if (x[i] < 0) __trap()", "if (x[i] > 30) __trap()"),
)
changed(
    "convolution_with_a_small_tile",
    "convolution_in_dynamic_memory",
    BOUNDS,
    ("int side = T + 2 * R", "int side = T + 2 * R + 1"),
)
changed(
    "hits_added_plainly",
    "random_numbers",
    WRITES,
    ("atomicAdd(inside, (unsigned long long)hits)", "*inside += (unsigned long long)hits"),
)
changed("offsets_not_unique", "hinted_loads_and_stores", WRITES, ("y + offsets[i]", "y + offsets[i] / 2"))
changed("least_not_waited_for", "least_and_greatest", RACE, (BARRIER, ""))
changed("volatile_for_a_barrier", "volatile_with_barriers", RACE, (BARRIER, ""), count=2)
changed(
    "segments_added_plainly",
    "sums_of_segments",
    WRITES,
    ("atomicAdd(sums + key, run);\n}", "sums[key] += run;\n}"),
)


@own(DIVERGENT)
def barrier_of_one_warp(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        __shared__ int s[64];
        s[threadIdx.x] = x[threadIdx.x];
        if (threadIdx.x < 32) {
            __syncthreads();
            y[threadIdx.x] = s[threadIdx.x + 32];
        } else {
            s[threadIdx.x] += 1;
            __syncthreads();
        }
    }
    """
    return Drawn(text, [ints(rng, 64), np.zeros(64, np.int32)], 1, 64)


@own(DIVERGENT)
def barrier_in_a_loop_of_own_length(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        for (int i = 0; i < x[threadIdx.x] % 3; ++i)
            __syncthreads();
        y[threadIdx.x] = 1;
        __syncthreads();
    }
    """
    return Drawn(text, [ints(rng, 64), np.zeros(64, np.int32)], 1, 64)


@own(DEADLOCK)
def lanes_that_returned_to_wait(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        int t = threadIdx.x;
        if (t % 2 == 0) {
            __shfl_down_sync(0x55555555u, x[t], 2);
            __syncwarp();
        } else
            y[t] = __shfl_sync(0xaaaaaaaau, x[t], 1) + __any_sync(0xffffffffu, x[t]);
    }
    """
    return Drawn(text, [ints(rng, 32), np.zeros(32, np.int32)], 1, 32)


@own(UNSET)
def half_of_a_shared_array(rng):
    text = """
    #include <cuda_fp16.h>
    __global__ void k(const float* x, float* y) {
        __shared__ half2 s[32];
        s[threadIdx.x].x = __float2half(x[threadIdx.x]);
        __syncthreads();
        y[threadIdx.x] = __half2float(s[31 - threadIdx.x].y);
    }
    """
    return Drawn(text, [floats(rng, 32), np.zeros(32, np.float32)], 1, 32)


@own(UNSET)
def counters_of_later_blocks(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        __shared__ int count;
        if (threadIdx.x == 0 && blockIdx.x % 2 == 0) count = 0;
        __syncthreads();
        atomicAdd(&count, x[threadIdx.x]);
        __syncthreads();
        if (threadIdx.x == 0) y[blockIdx.x] = count;
    }
    """
    return Drawn(text, [ints(rng, 32), np.zeros(3, np.int32)], 3, 32)


@own(BOUNDS)
def row_and_column_swapped(rng):
    text = """
    __global__ void k(const float* x, float* y, int w, int h) {
        int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
        if (c < w && r < h) y[c * w + r] = x[r * w + c];
    }
    """
    w, h = int(rng.integers(20, 30)), int(rng.integers(5, 15))
    return Drawn(text, [floats(rng, h, w), np.zeros((h, w), np.float32), w, h], (4, 2), (8, 8))


@own(BOUNDS)
def long_index_in_an_int(rng):
    text = """
    __global__ void k(const float* x, float* y, int n) {
        int i = threadIdx.x;
        int far = i * 134217728;
        y[i] = x[i < n ? far / 64 : 0];
    }
    """
    return Drawn(text, [floats(rng, 64), np.zeros(64, np.float32), 64], 1, 64)


@own("write to an input")
def input_through_a_struct(rng):
    text = """
    struct View { float* data; };
    __global__ void k(const float* x, float* y) {
        View v = {const_cast<float*>(x)};
        y[threadIdx.x] = v.data[threadIdx.x];
        if (threadIdx.x == 3) v.data[0] = 0.0f;
    }
    """
    return Drawn(text, [floats(rng, 32), np.zeros(32, np.float32)], 1, 32)


@own(BOUNDS)
def a_pointer_that_leads_nowhere(rng):
    text = """
    typedef int (*Function)(int);
    __device__ int same(int v) { return v; }
    __global__ void k(const int* x, int* y) {
        Function f = x[threadIdx.x] >= 0 ? nullptr : same;
        y[threadIdx.x] = f(x[threadIdx.x]);
    }
    """
    return Drawn(text, [ints(rng, 32), np.zeros(32, np.int32)], 1, 32)


@own("undefined arithmetic")
def least_by_minus_one(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        int least = -2147483647 - 1;
        y[threadIdx.x] = least / (x[threadIdx.x] - x[threadIdx.x] - 1);
    }
    """
    return Drawn(text, [ints(rng, 32), np.zeros(32, np.int32)], 1, 32)


@own("misaligned access")
def a_double_in_the_middle(rng):
    text = """
    __global__ void k(const char* bytes, double* y) {
        y[threadIdx.x] = *(const double*)(bytes + 8 * threadIdx.x + 4);
    }
    """
    return Drawn(text, [rng.integers(0, 9, 300).astype(np.int8), np.zeros(32)], 1, 32)


@own(HANG)
def lock_of_lanes_in_a_loop(rng):
    text = """
    __device__ int lock;
    __global__ void k(int* y) {
        while (atomicCAS(&lock, 0, 1) != 0) { }
        y[0] += 1;
    }
    """
    return Drawn(text, [np.zeros(1, np.int32)], 1, 32)


@own(WRITES)
def atomics_beside_bytes(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        if (threadIdx.x < 16) atomicAdd(y, x[threadIdx.x]);
        else ((unsigned char*)y)[threadIdx.x % 4] = 1;
    }
    """
    return Drawn(text, [ints(rng, 32), np.zeros(1, np.int32)], 1, 32)


@own(WRITES)
def neighbours_by_wide_stores(rng):
    text = """
    __global__ void k(const float* x, float* y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (2 * i + 2 < n)
            *(float2*)(y + i / 2 * 2) = make_float2(x[i], x[i + 1]);
    }
    """
    n, block = a_size(rng), a_block(rng)
    return Drawn(text, [floats(rng, n), np.zeros(n, np.float32), n], blocks(n, block), block)


@own(RACE)
def one_barrier_for_two_uses(rng):
    text = """
    __device__ int sum(int* s, int v) {
        s[threadIdx.x] = v;
        __syncthreads();
        int all = 0;
        for (int i = 0; i < blockDim.x; ++i) all += s[i];
        return all;
    }
    __global__ void k(const int* x, int* y) {
        extern __shared__ int s[];
        int a = sum(s, x[threadIdx.x]);
        int b = sum(s, x[threadIdx.x] * 2);
        y[threadIdx.x] = a + b;
    }
    """
    block = a_block(rng)
    return Drawn(text, [ints(rng, block), np.zeros(block, np.int32)], 1, block, 4 * block)


@own(RACE)
def fence_instead_of_a_barrier(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        __shared__ int s[128];
        s[threadIdx.x] = x[threadIdx.x];
        __threadfence_block();
        y[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
    }
    """
    block = a_block(rng)
    return Drawn(text, [ints(rng, block), np.zeros(block, np.int32)], 1, block)


@own(RACE)
def warp_barrier_for_a_block(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        __shared__ int s[64];
        s[threadIdx.x] = x[threadIdx.x];
        __syncwarp();
        y[threadIdx.x] = s[threadIdx.x ^ 32];
    }
    """
    return Drawn(text, [ints(rng, 64), np.zeros(64, np.int32)], 1, 64)


@own(RACE)
def shuffle_for_a_barrier(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        __shared__ int s[32];
        s[threadIdx.x] = x[threadIdx.x];
        int v = __shfl_sync(0xffffffffu, x[threadIdx.x], 0);
        y[threadIdx.x] = s[31 - threadIdx.x] + v;
    }
    """
    return Drawn(text, [ints(rng, 32), np.zeros(32, np.int32)], 1, 32)


@own(RACE)
def device_variable_between_blocks(rng):
    text = """
    __device__ int total;
    __global__ void k(const int* x, int* y) {
        atomicAdd(&total, x[threadIdx.x]);
        __syncthreads();
        if (threadIdx.x == 0) y[blockIdx.x] = total;
    }
    """
    return Drawn(text, [ints(rng, 32), np.zeros(2, np.int32)], 2, 32)


@own("bad call")
def a_function_of_other_arguments(rng):
    text = """
    typedef int (*Function)(int, int);
    __device__ int same(int v) { return v; }
    __global__ void k(const int* x, int* y) {
        Function f = (Function)(void*)same;
        y[threadIdx.x] = f(x[threadIdx.x], 2);
    }
    """
    return Drawn(text, [ints(rng, 32), np.zeros(32, np.int32)], 1, 32)


@own(BOUNDS)
def device_variable_for_its_neighbour(rng):
    text = """
    __device__ int few[4];
    __device__ int many[64];
    __global__ void k(const int* x, int* y) {
        int* p = few;
        if (threadIdx.x == 0) { many[0] = 1; p[x[threadIdx.x] % 2 + 4] = 1; }
        y[threadIdx.x] = many[threadIdx.x];
    }
    """
    return Drawn(text, [ints(rng, 32), np.zeros(32, np.int32)], 1, 32)


@own(UNSET)
def sums_in_a_local_array(rng):
    text = """
    __global__ void k(const float* x, const int* which, float* y) {
        float sums[3];
        for (int i = 0; i < 8; ++i) sums[which[i]] += x[i * 32 + threadIdx.x];
        y[threadIdx.x] = sums[0] + sums[1] + sums[2];
    }
    """
    return Drawn(text, [floats(rng, 256), ints(rng, 8, 3), np.zeros(32, np.float32)], 1, 32)


@own(UNSET)
def lane_beyond_the_last_warp(rng):
    text = """
    __global__ void k(const int* x, int* y) {
        int v = x[threadIdx.x];
        y[threadIdx.x] = v + __shfl_down_sync(0xffffffffu, v, 1);
    }
    """
    return Drawn(text, [ints(rng, 48), np.zeros(48, np.int32)], 1, 48)


# Where each is found: a part of every line that a finding of its kind names.
FAULTS: dict[str, tuple[str, ...]] = {
    "histogram_bins_not_waited_for": (
        "for (int b = threadIdx.x; b < BINS; b += blockDi",
        "if (i < n) atomicAdd(&local[x[i] % BINS], 1);",
    ),
    "histogram_read_too_soon": (
        "for (int b = threadIdx.x; b < BINS; b += blockDi",
        "if (i < n) atomicAdd(&local[x[i] % BINS], 1);",
    ),
    "histogram_plain_in_shared": ("if (i < n) local[x[i] % BINS]++;",),
    "histogram_plain_in_global": ("for (int b = threadIdx.x; b < BINS; b += blockDi",),
    "histogram_not_zeroed": (
        "for (int b = threadIdx.x; b < BINS; b += blockDi",
        "if (i < n) atomicAdd(&local[x[i] % BINS], 1);",
    ),
    "grid_stride_plain_total": ("*total += sum;",),
    "tree_without_first_barrier": (
        "if (t < half) s[t] += s[t + half];",
        "s[t] = i < n ? x[i] : 0.0f;",
    ),
    "tree_without_inner_barrier": ("if (t < half) s[t] += s[t + half];",),
    "tree_reads_beyond_the_end": ("s[t] = x[i];",),
    "transpose_without_barrier": (
        "if (r < rows && c < columns) tile[threadIdx.y][t",
        "if (tr < columns && tc < rows) out[tr * rows + t",
    ),
    "scan_without_middle_barrier": (
        "int v = t >= d ? s[t - d] : 0;",
        "s[t] += v;",
    ),
    "scan_without_last_barrier": (
        "int v = t >= d ? s[t - d] : 0;",
        "s[t] += v;",
    ),
    "shuffle_parts_not_waited_for": (
        "if (lane == 0) part[warp] = v;",
        "v = threadIdx.x < blockDim.x / 32 ? part[lane] :",
    ),
    "stencil_without_barrier": (
        "for (int o = -R; o <= R; ++o) sum += s[l + o];",
        "s[l + B] = g + B < n ? x[g + B] : 0.0f;",
        "s[l - R] = g >= R ? x[g - R] : 0.0f;",
        "s[l] = g < n ? x[g] : 0.0f;",
    ),
    "stencil_without_halo": ("for (int o = -R; o <= R; ++o) sum += s[l + o];",),
    "stencil_halo_too_small": ("s[l + B] = g + B < n ? x[g + B] : 0.0f;",),
    "matmul_without_first_barrier": (
        "as[threadIdx.y][threadIdx.x] = row < m && ac < n",
        "bs[threadIdx.y][threadIdx.x] = br < n && column",
        "for (int i = 0; i < T; ++i) sum += as[threadIdx.",
    ),
    "matmul_without_second_barrier": (
        "as[threadIdx.y][threadIdx.x] = row < m && ac < n",
        "bs[threadIdx.y][threadIdx.x] = br < n && column",
        "for (int i = 0; i < T; ++i) sum += as[threadIdx.",
    ),
    "bitonic_without_barrier": (
        "if ((s[t] > s[other]) == up) { int v = s[t]; s[t",
        "x[blockIdx.x * 128 + t] = s[t];",
    ),
    "softmax_reuses_too_soon": (
        "most = s[0];",
        "s[threadIdx.x] = sum;",
    ),
    "last_block_without_fence": ("for (int b = 0; b < gridDim.x; ++b) sum += parts",),
    "last_block_fence_for_its_block": ("for (int b = 0; b < gridDim.x; ++b) sum += parts",),
    "last_block_by_plain_counter": (
        "for (int b = 0; b < gridDim.x; ++b) sum += parts",
        "last = done++ == gridDim.x - 1;",
    ),
    "aggregated_by_plain_counter": ("if (lane == leader) base = *count; *count += __p",),
    "lock_without_atomic": ("total[0] += 3;",),
    "lock_without_fence": ("total[0] += 3;",),
    "warp_exchange_without_sync": (
        "int v = s[first + (lane + 1) % 32];",
        "s[t] = x[t];",
    ),
    "warp_exchange_writes_too_soon": (
        "int v = s[first + (lane + 1) % 32];",
        "s[t] = v + 1;",
    ),
    "producer_without_fence": (
        "y[threadIdx.x] = x[threadIdx.x - 32];",
        "y[threadIdx.x] = y[32 + threadIdx.x] + 1;",
    ),
    "consumer_by_plain_flag": (
        "if (threadIdx.x == 32) { __threadfence(); *flag",
        "while (*(volatile int*)flag == 0) { }",
        "y[threadIdx.x] = y[32 + threadIdx.x] + 1;",
    ),
    "two_buffers_without_barrier": ("s[1 - now][t] = 0.5f * (s[now][(t + 63) % 64] +",),
    "one_buffer": ("s[now][t] = 0.5f * (s[now][(t + 63) % 64] + s[no",),
    "no_bounds_check": ("y[i] = a * x[i] + y[i];",),
    "off_by_one": ("if (i <= n) y[i] = a * x[i] + y[i];",),
    "thread_index_alone": ("if (i < n) y[i] = a * x[i] + y[i];",),
    "block_size_assumed": ("y[i] = a * x[i] + y[i];",),
    "different_values": ("if (i < n && x[i] == 5) *found = i;",),
    "input_changed": ("if (x[i] < 0) ((float*)x)[i] = 0;",),
    "local_array_too_small": ("Pair best[4]; int k = columns; best[k - 5].at =",),
    "two_scopes": ("atomicAdd_block(total, sum);",),
    "words_by_whole": ("if (i < n / 4) { unsigned char* b = (unsigned ch",),
    "stencil_in_place": ("if (i > 0 && i < n - 1) x[i] = 0.5f * (x[i - 1]",),
    "barriers_in_two_branches": ("} else { __syncthreads(); }",),
    "barrier_that_a_warp_waits_beside": ("} else { __syncwarp(); }",),
    "mask_of_lanes_that_never_come": ("if (threadIdx.x < 16) v += __shfl_down_sync(0xff",),
    "mask_without_oneself": ("__global__ void k(const int* x, int* y) { y[thre",),
    "waits_for_a_later_block": ("while (atomicAdd(&next, 0) != blockIdx.x) { }",),
    "never_ends": ("__global__ void k(int* y, int n) { for (unsigned",),
    "old_warp_tail": ("v[t] += v[t + 32]; v[t] += v[t + 16]; v[t] += v[",),
    "shared_memory_from_the_block_before": ("y[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x",),
    "local_without_a_value": ("for (int i = 0; i < n; ++i) sum += x[i];",),
    "dynamic_memory_too_small": ("s[t] = i < n ? x[i] : 0.0f;",),
    "negative_index": ("__global__ void k(const int* x, int* y, int n) {",),
    "null_pointer": ("__global__ void k(int* p) { if (threadIdx.x == 0",),
    "endless_recursion": ("__device__ int f(int n) { int a[32]; a[n % 32] =",),
    "pointer_into_another_array": ("for (int i = 0; i <= 32; ++i) if (t == 0) p[i] =",),
    "misaligned_vector": ("__global__ void k(float* x) { if (threadIdx.x ==",),
    "failed_assertion": ("__global__ void k(const int* x) { assert(x[threa",),
    "check_then_act": ("if (i < n && *count < 10) { kept[*count] = x[i];",),
    "other_block_without_order": ("__global__ void k(int* x) { int i = blockIdx.x;",),
    "remainder_by_zero": ("__global__ void k(const int* x, int* y) { y[thre",),
    "half_warps_with_the_whole_mask": ("if (t % 32 < 16) v += __shfl_xor_sync(mask, v, 8",),
    "half_warps_with_the_others_mask": (
        "else v = max(v, __shfl_xor_sync(mask, v, 4));",
        "if (t % 32 < 16) v += __shfl_xor_sync(mask, v, 8",
    ),
    "leaders_count_plainly": ("if (t % 32 == leader) sums[x[t]] += __popc(peers",),
    "ballot_counts_not_waited_for": (
        "for (int w = 0; w < warp; ++w) place += before[w",
        "if (lane == 0) before[warp] = __popc(votes);",
        "if (t == 0) { int all = 0; for (int w = 0; w < B",
    ),
    "compaction_by_place_of_the_block": ("if (keep) y[place] = x[blockIdx.x * B + t];",),
    "sparse_rows_with_a_wide_mask": ("for (int d = 4; d > 0; d >>= 1) sum += __shfl_do",),
    "tiles_add_plainly": ("if (tile.thread_rank() == 0) sums[tile.meta_grou",),
    "group_not_waited_for": (
        "if (lane < i) v += s[lane + i];",
        "s[lane] = v;",
    ),
    "group_waits_in_a_branch": ("g.sync();",),
    "parts_of_four_wait_for_two": (
        "int v = s[t ^ 3];",
        "s[t] = v + 1;",
        "s[t] = x[t];",
    ),
    "active_threads_count_plainly": ("if (active.thread_rank() == 0) { base = *counter",),
    "scan_without_first_barrier": (
        "if (t < d) { int a = step * (2 * t + 1) - 1, b =",
        "if (t == 0) s[2 * B - 1] = 0;",
        "s[2 * t + 1] = x[2 * t + 1];",
    ),
    "scan_not_cleared_at_its_root": ("if (t == 0) s[2 * B] = 0;",),
    "changed_while_others_look": (
        "if (t + 1 < n) least = min(least, s[t + 1]);",
        "if (t > 0) least = min(least, s[t - 1]);",
        "s[t] = least;",
    ),
    "vote_by_a_shared_flag": ("} while ((any = changed, __syncthreads(), any));",),
    "maximum_plain": ("atomicAdd(&y[0], v); atomicSub(&y[1], v); atomic",),
    "counter_plain_in_one_place": ("(i % 7 == 0 ? u[0] += 1 : atomicInc(&u[0], 5u));",),
    "atomics_of_a_block_on_all_blocks_words": ("if (i < n) { atomicAdd_block(&count, x[i] % 3);",),
    "counts_not_cleared": ("if (i < n) { atomicAdd_block(&count, x[i] % 3);",),
    "product_by_read_and_write": ("if (i < n && x[i] % 7 == 0) *product *= 1.5;",),
    "flag_without_fence": ("y[blockIdx.x * blockDim.x + t] = s + t;",),
    "flag_set_plainly": ("y[blockIdx.x * blockDim.x + t] = s + t;",),
    "lock_given_without_fence": (
        "list[made] = x[i];",
        "list[n] += 1;",
        "made = made + 1;",
    ),
    "list_outside_of_the_lock": ("list[n] += 1;",),
    "parts_added_too_soon": ("parts[blockIdx.x] = s[0];",),
    "private_parts_added_too_soon": (
        "for (int i = blockIdx.x * blockDim.x + t; i < n;",
        "unsigned int sum = own[0][t] + own[1][t] + own[2",
    ),
    "parents_by_plain_reads": (
        "int p = atomicAdd(&parent[i], 0);",
        "int seen = atomicMin(&parent[a], b);",
        "while (p != i) { i = p; p = parent[i]; }",
    ),
    "frontier_by_a_plain_claim": ("if (distance[targets[j]] == -1 && (distance[targ",),
    "two_stages_and_one_barrier": (
        "if (i - 1 < n) y[(i - 1) * B + t] = s[(i - 1) %",
        "if (i < n) s[i % 2][t] = x[i * B + t];",
    ),
    "scan_of_blocks_without_fence": ("if (mine > 0) { while (atomicAdd(&state[mine - 1",),
    "scan_of_blocks_by_their_number": ("if (mine > 0) { while (atomicAdd(&state[mine - 1",),
    "halves_added_plainly": ("*pairs += __halves2half2(x[i], __float2half(1.0f",),
    "halves_beyond_their_bytes": ("s[t] = __half2float(x[i]);",),
    "pixels_written_as_words": ("*(unsigned*)(grey + (y * width + x) / 4 * 4) = (",),
    "life_without_barrier": (
        "if (dx != 1 || dy != 1) around += tile[threadIdx",
        "next[y * columns + x] = around == 3 || (around =",
        "tile[j / (W + 2)][j % (W + 2)] = x >= 0 && x < c",
    ),
    "neighbours_above_the_first": ("if (z >= 0) sum += u[i - nx * ny];",),
    "parts_overlap": ("for (int j = 0; j < blockDim.x; ++j) if (own[j]",),
    "union_used_too_soon": (
        "for (int j = 0; j < B; ++j) if (s.f[j] < s.f[t]",
        "s.i[less] = t;",
    ),
    "wide_loads_over_the_end": ("float4 v = reinterpret_cast<const float4*>(x)[i]",),
    "wide_loads_from_an_odd_place": ("const float4& w = reinterpret_cast<const float4*",),
    "constants_beyond_the_last": ("float dx = p[i].x - c.x, dy = p[i].y - c.y, d =",),
    "no_function_for_a_key": ("y[i] = all[which[i] + 1](x[i]);",),
    "assertion_that_fails": ("assert(y[i] > 0);",),
    "a_trap_that_is_reached": ("if (x[i] > 30) __trap();",),
    "convolution_with_a_small_tile": ("tile[y * side + x] = in[gy * w + gx];",),
    "hits_added_plainly": ("*inside += (unsigned long long)hits;",),
    "offsets_not_unique": ("__stcs(y + offsets[i] / 2, v);",),
    "least_not_waited_for": (
        "for (int i = 1; i < blockDim.x; ++i) { low[0] =",
        "low[t] = a; high[t] = b;",
    ),
    "volatile_for_a_barrier": (
        "if (t < d) s[t] = s[t] + s[t + d];",
        "if (t == 1) y[1] = s[0] - 1;",
    ),
    "segments_added_plainly": (
        "if (key >= 0) atomicAdd(sums + key, run);",
        "if (key >= 0) sums[key] += run;",
    ),
    "barrier_of_one_warp": ("__syncthreads();",),
    "barrier_in_a_loop_of_own_length": ("__syncthreads();",),
    "lanes_that_returned_to_wait": ("__syncwarp();",),
    "half_of_a_shared_array": ("y[threadIdx.x] = __half2float(s[31 - threadIdx.x",),
    "counters_of_later_blocks": ("atomicAdd(&count, x[threadIdx.x]);",),
    "row_and_column_swapped": ("if (c < w && r < h) y[c * w + r] = x[r * w + c];",),
    "long_index_in_an_int": ("y[i] = x[i < n ? far / 64 : 0];",),
    "input_through_a_struct": ("if (threadIdx.x == 3) v.data[0] = 0.0f;",),
    "a_pointer_that_leads_nowhere": ("y[threadIdx.x] = f(x[threadIdx.x]);",),
    "least_by_minus_one": ("y[threadIdx.x] = least / (x[threadIdx.x] - x[thr",),
    "a_double_in_the_middle": ("y[threadIdx.x] = *(const double*)(bytes + 8 * th",),
    "lock_of_lanes_in_a_loop": ("while (atomicCAS(&lock, 0, 1) != 0) { }",),
    "atomics_beside_bytes": (
        "else ((unsigned char*)y)[threadIdx.x % 4] = 1;",
        "if (threadIdx.x < 16) atomicAdd(y, x[threadIdx.x",
    ),
    "neighbours_by_wide_stores": ("*(float2*)(y + i / 2 * 2) = make_float2(x[i], x[",),
    "one_barrier_for_two_uses": (
        "for (int i = 0; i < blockDim.x; ++i) all += s[i]",
        "s[threadIdx.x] = v;",
    ),
    "fence_instead_of_a_barrier": (
        "s[threadIdx.x] = x[threadIdx.x];",
        "y[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]",
    ),
    "warp_barrier_for_a_block": ("y[threadIdx.x] = s[threadIdx.x ^ 32];",),
    "shuffle_for_a_barrier": ("y[threadIdx.x] = s[31 - threadIdx.x] + v;",),
    "sums_in_a_local_array": ("sums[which[i]] +=", "sums[0] + sums[1]"),
    "lane_beyond_the_last_warp": ("__shfl_down_sync",),
    "device_variable_between_blocks": ("if (threadIdx.x == 0) y[blockIdx.x] = total;",),
    "a_function_of_other_arguments": ("y[threadIdx.x] = f(x[threadIdx.x], 2);",),
    "device_variable_for_its_neighbour": ("if (threadIdx.x == 0) { many[0] = 1; p[x[threadI",),
}

WRONG |= OTHERS_WRONG
FAULTS |= OTHERS_FAULTS
