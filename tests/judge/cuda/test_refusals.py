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


TABLE = "{} table[2] = {{1.0, 2.0}};\n__device__ double f(double x) {{ return table[x > 0]; }}\n"


@pytest.mark.parametrize("words", ["const double", "static const double", "constexpr double", "const int *"])
@pytest.mark.parametrize("scope", ["{}", "namespace a {{\n{}}}\nusing a::f;\n", 'extern "C" {{\n{}}}\n'])
def test_a_table_of_the_host_is_not_there_on_the_device(words: str, scope: str) -> None:
    for code in (TABLE.format(words), TABLE.format(words).replace("[2] =", "[]")):
        told = refused(scope.format(code) + KERNEL, ["k"], alone=True)
        assert told == "table is not there on the device: without __constant__ or __device__ it is the host's"
        assert refused(scope.format(code) + KERNEL, ["k"], alone=False) is None  # there all is the device's
        given = scope.format(code.replace("double x)", "double x, double y = 1.0)"))
        assert refused(given + KERNEL, ["k"], alone=True) == told


@pytest.mark.parametrize(
    "code",
    [
        TABLE.format("__constant__ double"),
        TABLE.format("__device__ const double"),
        f"#define IN __constant__\n{TABLE.format('IN const double')}",
        TABLE.format("const double").replace("return table[x > 0]", "return x"),
        TABLE.format("const double").replace("__device__", "static"),
        f"struct a {{ double table[2]; }};\n{DEVICE.replace('return x', 'a b; b.table[0] = x; return x')}",
        DEVICE.replace("return x", "const double table[2] = {1.0, 2.0}; return table[x > 0]"),
        "__device__ void f(const double table[2]);\n__device__ void g() { double table[2]; f(table); }",
    ],
)
def test_a_table_of_the_device_or_of_nobody_is_none_of_the_hosts(code: str) -> None:
    assert refused(code + KERNEL, ["k"], alone=True) is None


def test_a_lambda_outside_of_functions_is_the_hosts() -> None:
    outside = "auto g = [](double x) { return x; };\n__device__ double f(double x) { return g(x); }\n"
    told = refused(outside + KERNEL, ["k"], alone=True)
    assert told == "g is not there on the device: outside of functions a lambda is the host's"
    inside = "__device__ double f(double x) { auto g = [](double x) { return x; }; return g(x); }\n"
    assert refused(inside + KERNEL, ["k"], alone=True) is None


@pytest.mark.parametrize(
    "text",
    [
        "int a[1];",
        "namespace a {",
        "{}",
        "int x = {}, ",
        "}",
        "a(){} ",
        "# \\\n",
        "const ",
        "auto f = [",
        "(" * 9,
    ],
)
def test_text_that_is_no_code_is_looked_through(text: str) -> None:
    assert refused(text * 100_000 + KERNEL, ["k"], alone=True) is None
