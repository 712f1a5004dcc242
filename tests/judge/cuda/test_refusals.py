"""What nvcc would refuse and clang does not, found in the text; and what only looks like it."""

from __future__ import annotations

import pytest

from warp_ir_dataset.judge.cuda.refusals import refused

KERNEL = "__global__ void k(int n, double* out)\n{\n    if (threadIdx.x < n) out[threadIdx.x] = f(1.0);\n}\n"
DEVICE = "__device__ double f(double x) { return x; }\n"


@pytest.mark.parametrize(
    "before", ["using wp::f;\n", "using namespace wp;\n", "namespace w = ::wp;\n", "int x = wp :: f(1);\n"]
)
def test_plain_cuda_has_nothing_of_warp(before: str) -> None:
    told = refused(before + DEVICE + KERNEL, ["k"], alone=True)
    assert told is not None and told.startswith("wp is not declared")
    assert refused(before + DEVICE + KERNEL, ["k"], alone=False) is None
    assert refused(f"__device__ float wp = 1.0f;\n{DEVICE}{KERNEL}", ["k"], alone=True) is None


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (f"#define k other\n{KERNEL}", "a macro may not have the name k"),
        (f"# undef /* */ k\n{KERNEL}", "a macro may not have the name k"),
        (f"%:define \\\n k(x) other(x)\n{KERNEL}", "a macro may not have the name k"),
        (f"#define __global__\n{KERNEL}", "a macro may not have the name __global__"),
        (f"#define threadIdx blockIdx\n{KERNEL}", "a macro may not have the name threadIdx"),
        (f"__shared__ double s[8];\n{KERNEL}", "shared memory is not judged"),
        ("__global__ void other() {}", "the kernel k is not in the answer"),
        ("// k\n__global__ void other() {}", "the kernel k is not in the answer"),
    ],
)
def test_what_no_answer_in_cuda_may_have(code: str, told: str) -> None:
    for alone in (True, False):
        assert told in (refused(code, ["k"], alone=alone) or "")
