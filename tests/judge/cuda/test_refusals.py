"""What a compiler of CUDA would refuse in Warp's own CUDA and clang as C++ does not."""

from __future__ import annotations

import re

import pytest

from warp_ir_dataset.judge.cuda.refusals import refused

KERNEL = "__global__ void k(int n, double* out)\n{\n    if (threadIdx.x < n) out[threadIdx.x] = f(1.0);\n}\n"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (f"#define k other\n{KERNEL}", "macro .* k$"),
        (f"# undef /* */ k\n{KERNEL}", "macro .* k$"),
        (f"%:define \\\n k(x) other(x)\n{KERNEL}", "macro .* k$"),
        (f"#define __global__\n{KERNEL}", "macro .* __global__$"),
        (f"#define threadIdx blockIdx\n{KERNEL}", "macro .* threadIdx$"),
        (f"__shared__ double s[8];\n{KERNEL}", "shared"),
        ("__global__ void other() {}", "^the kernel k "),
        ("// k\n__global__ void other() {}", "^the kernel k "),
        (f"{KERNEL}#if 1\n#endif", "condition"),
        (f"{KERNEL}%: ifdef X\n#endif", "condition"),
        (f"{KERNEL}#define TEXT(x) #x", "condition"),
        (f"{KERNEL}#define TEXT(x) \\\n#x", "condition"),
        (f"__host__ void f() {{}}\n{KERNEL}", "__host__"),
        (f'void f() {{ _wp_assert("", "", 1); }}\n{KERNEL}', "_wp_assert"),
    ],
)
def test_what_no_answer_in_cuda_may_have(code: str, told: str) -> None:
    assert re.search(told, refused(code, ["k"]) or "")


def test_macros_that_are_no_conditions_may_be_there() -> None:
    assert refused(f'#define TWO(x) ((x) * 2) // #x\nconst char* s = "#if";\n// #if\n{KERNEL}', ["k"]) is None


@pytest.mark.parametrize("text", ["int a[1];", "namespace a {", "{}", "# \\\n", "(" * 9, "#define a", "k"])
def test_text_that_is_no_code_is_looked_through(text: str) -> None:
    assert refused(text * 20_000 + KERNEL, ["k"]) is None
