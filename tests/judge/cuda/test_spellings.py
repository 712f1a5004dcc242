"""What is dropped of answers in C++ and CUDA, and what is not."""

from __future__ import annotations

import pytest
from toys.judged import row_at

from warp_ir_dataset.judge.cuda.spellings import without_headers, without_unrolling
from warp_ir_dataset.judge.gate import forbidden


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
