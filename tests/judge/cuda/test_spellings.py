"""Plain CUDA as people write it, which nvcc takes; and what stays refused."""

from __future__ import annotations

import pytest
from toys.judged import row_at

from warp_ir_dataset.judge.cuda.spellings import without_headers, without_unrolling
from warp_ir_dataset.judge.gate import forbidden
from warp_ir_dataset.judge.verdict import Status

STORE = "results[idx] = cosh(data[idx]);"
VALUE = "cosh(data[idx])"
HELPER = "double h(double x) { return cosh(x); }\n"
LOOP = "for (int k = 0; k < 1; ++k)\n"
HEADERS = (
    "<cuda_runtime.h>", '"cuda_runtime.h"', "<cuda.h>", "<math.h>", "<cmath>", "<stdint.h>",
    "<math_constants.h>",
)  # fmt: skip

# Other words for the same: what stands before the kernel, and in place of what.
SAID = {
    "headers": ("".join(f"#include {header}  // of CUDA\n" for header in HEADERS), "", ""),
    "headers of C++": ("#include <cstdio>  /* printf */\n#include <vector>\n#include <stdio.h>\n", "", ""),
    "a main that launches": (
        "int main() {\n  // }\n  k<<<1, 32>>>(0);\n  { f('}'); }\n  return 0;\n}\n"
        "void run(int n) { k<<<n, 32>>>(0); }\n", "", ""),
    "functions of those that launch": (
        "void check(cudaError_t e) { if (e) exit(1); }\n"
        "template <typename T> T* copy(int n) { T* p; cudaMalloc(&p, n); return p; }\n"
        "static std::vector<double> reference(int n) { return {}; }\n", "", ""),
    "small structs": (
        "", VALUE, f"make_double2(0.0, {VALUE}).y * double(dim3(1).x) * (int(make_float3(1, 2, 3).z) - 2)"),
    "unrolled": ("", STORE, f"\n#pragma unroll\n{LOOP}  # pragma unroll (2) // x\n{LOOP}{STORE}"),
    "bounds of a launch": ("", "__global__ void", "__global__ void __launch_bounds__(256, 2)"),
    "in one place": (f"__device__ __forceinline__ {HELPER}", "cosh(d", "h(d"),
    "in no place": (f"static __device__ __noinline__ {HELPER}", "cosh(d", "h(d"),
    "restricted": ("", "double* data", "double* __restrict__ data"),
    "by the read-only cache": ("", "data[idx])", "__ldg(&data[idx]))"),
    "of the standard": ("", VALUE, f"std::fabs(std::{VALUE})"),
    "glued of two": ("#define GLUED(a, b) a##b\n", VALUE, f"GLUED(acos, h)(GLUED(cos, h)({VALUE}))"),
    "spliced": ("", VALUE, f"log1\\\np(expm1({VALUE}))"),
    "a hypotenuse": ("", VALUE, "hypot(1, sinh(data[idx]))"),
    "a root": ("", VALUE, f"rsqrt(1.0 / ({VALUE} * {VALUE}))"),
    "constants": ("", VALUE, "(0.5 * (pow(M_E, data[idx]) + pow(M_E, -data[idx])) + (M_PI - 2.0 * M_PI_2))"),
    "types that differ": ("", VALUE, f"fmax({VALUE}, 0.0f) * pow(2.0f, max(0.0f, 0.0)) * min(1, 2u)"),
    "whole numbers": ("", VALUE, f"{VALUE} * sqrt(1) * pow(1, 2)"),
    "absolute": ("", VALUE, f"abs(-{VALUE})"),
    "fast": ("", VALUE, f"(__fdividef(1.0f, 2.0f) + __expf(0.0f) + fmaxf(-0.5f, -1.0f)) * {VALUE}"),
    "added": ("", STORE, f"results[idx] = 0; atomicAdd(&results[idx], {VALUE}); atomicAdd(results, 0);"),
    "a barrier of nothing": ("", STORE, f"__syncthreads(); {STORE}"),
    "bits": ("", VALUE, f"{VALUE} * __popc(4) * (__clz(1) - 30) * __ffs(1) * (warpSize - 31)"),
    "names of macros of Warp's": (
        "constexpr double EPSILON = 0.0, kEps = 0.0, M_PI_F = 0.0;\n"
        "__device__ double DOT(double x, double y) { return x * y; }\n",
        VALUE, f"DOT({VALUE}, 1.0) + EPSILON + kEps + M_PI_F"),
    "the device's arm": (
        "", STORE,
        f"\n#if defined(__CUDA_ARCH__) && defined(__CUDACC__)\n{STORE}\n#else\nresults[0] = 0;\n#endif\n"),
    "of later headers": ("", VALUE, f"{VALUE} + expm1(0.0) + log1p(0.0f) + asinh(0.0) + atanh(0)"),
}  # fmt: skip


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("words", SAID)
def test_right_cuda_in_other_words_is_right(judge, words):
    row, (before, old, new) = row_at("warp_to_cuda"), SAID[words]
    assert old in row["completion"]
    verdict = judge(row, before + row["completion"].replace(old, new, 1))
    assert (verdict.status, verdict.value) == (Status.CORRECT, 1.0), verdict.feedback


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize(
    ("before", "status"),
    [
        ("#include <thrust/sort.h>\n", Status.FORBIDDEN),
        ('// \rasm("nop");\n', Status.FORBIDDEN),
        ("#include </etc/passwd>\n", Status.FORBIDDEN),
        ("#pragma pack(1)\n", Status.FORBIDDEN),
        ("__shared__ double tile[32];\n", Status.COMPILE_ERROR),
    ],
)
def test_what_is_more_than_words_stays_refused(judge, before, status):
    row = row_at("warp_to_cuda")
    assert judge(row, before + row["completion"]).status is status


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("name", ["EPSILON", "kEps", "DEG_TO_RAD", "M_PI_F"])
def test_macros_of_warps_are_not_there(judge, name):
    row = row_at("warp_to_cuda")
    verdict = judge(row, row["completion"].replace(VALUE, f"{VALUE} + 0.0 * {name}"))
    assert verdict.status is Status.COMPILE_ERROR and name in verdict.feedback


@pytest.mark.parametrize(
    "code",
    ["#include <math.h> x", "#include MATH\n", "#include <../math.h>", '#include "/etc/math.h"',
     "#pragma unrolls", "#pragma onces", "#pragma once\\\n#include <x>", "#pragma unroll\\\n#include <x>"],
)  # fmt: skip
def test_only_whole_lines_that_change_nothing_are_dropped(code):
    left = without_headers(without_unrolling(code))
    assert left == code and forbidden(left) is not None


def test_lines_keep_their_numbers():
    assert without_headers("#include <cmath>\nint x;") == "\nint x;"
    assert without_headers("// x\n# pragma once // y\nint x;") == "// x\n\nint x;"
    assert without_unrolling("int x;\n  #pragma unroll 4\nint y;") == "int x;\n\nint y;"


@pytest.mark.process
@pytest.mark.compile
def test_cuda_that_warp_would_write_may_say_where_functions_are(judge):
    row = row_at("cuda")
    text = row["completion"].replace("__global__ void", "__launch_bounds__(256) __global__ void", 1)
    assert text != row["completion"]
    helper = "__host__ __device__ __forceinline__ int twice(int x) { return 2 * x; }\n"
    assert judge(row, helper + text).value == 1.0
