"""What nvcc would refuse and clang does not, found in the text; and what only looks like it."""

from __future__ import annotations

import pytest
from common.work import grows_as_its_text

from warp_ir_dataset.judge.refusals import refused

KERNEL = "__global__ void k(int n, double* out)\n{\n    if (threadIdx.x < n) out[threadIdx.x] = f(1.0);\n}\n"
DEVICE = "__device__ double f(double x) { return x; }\n"

REFUSED = {
    "a function of the host": "double f(double x) { return x; }\n",
    "an inline one": "static inline double f(double x) { return x; }\n",
    "a template": "template <typename T> T f(T x) { return x; }\n",
    "a template with a default": "template <int N = 0, typename T = V<V<1>>> T f(T x) { return x; }\n",
    "in a namespace": "namespace a { double f(double x) { return x; } }\nusing a::f;\n",
    "behind a struct": "struct V { double x, y; };\ndouble f(double x) { return x; }\n",
    "behind a lambda": "__device__ auto g = [] { return 1.0; };\ndouble f(double x) { return x; }\n",
    "behind a macro": "double g(double x) { return x; }\n#define f(x) \\\n    g(x)\n",
    "by a macro": "#define FF f\ndouble FF(double x) { return x; }\n",
    "a variable": "double f[8];\n",
    "a variable that is given something": "static double f = 1.0;\n",
    "a lambda": "auto f = [](double x) { return x; };\n",
    "a method": "struct V { double f(double x) { return x; } };\n",
}  # fmt: skip

TAKEN = {
    "for the device": DEVICE,
    "for both": "__host__ __device__ inline double f(double x) { return x; }\n",
    "by a macro": f"#define BOTH __host__ __device__\nBOTH {DEVICE[11:]}",
    "by one of two": f"#ifdef A\n#define D __device__\n#else\n#define D\n#endif\nD {DEVICE[11:]}",
    "a constant function": "constexpr double f(double x) { return x; }\n",
    "a constant": f"constexpr double PI = 3.14;\n__constant__ double t[2] = {{1.0, 2.0}};\n{DEVICE}",
    "one of the host that nobody calls": f"int main() {{ double y = 2.0; return f(y) > 1.0; }}\n{DEVICE}",
    "a struct": f"struct V {{ double f, n; int t[3]; }};\n{DEVICE}",
    "an aligned struct": f"struct __align__(8) V {{ __device__ int g() {{ return 1; }} }};\n{DEVICE}",
    "an enumeration": f"enum class E {{ f, n }};\n{DEVICE}",
    "in C": 'extern "C" {\n__device__ double f(double x) { return x; }\n}\n',
    "bounds": f"{DEVICE}__global__ void __launch_bounds__(256) other() {{ f(1.0); }}\n",
    "in a comment": f"// double f(double x) {{ return x; }}\n{DEVICE}",
}  # fmt: skip


@pytest.mark.parametrize(
    "before", ["using wp::f;\n", "using namespace wp;\n", "namespace w = ::wp;\n", "int x = wp :: f(1);\n"]
)
def test_plain_cuda_has_nothing_of_warp(before: str) -> None:
    told = refused(before + DEVICE + KERNEL, ["k"], alone=True)
    assert told is not None and told.startswith("wp is not declared")
    assert refused(before + DEVICE + KERNEL, ["k"], alone=False) is None
    assert refused(f"__device__ float wp = 1.0f;\n{DEVICE}{KERNEL}", ["k"], alone=True) is None


def test_macros_that_multiply_are_followed_so_far_only() -> None:
    uses = "A;" * 5000
    assert refused(f"#define A {'1 ' * 5000}\n{uses}\n{DEVICE}{KERNEL}", ["k"], alone=True) is None


@pytest.mark.parametrize("before", REFUSED)
def test_nothing_of_the_host_is_used_on_the_device(before: str) -> None:
    told = refused(REFUSED[before] + KERNEL, ["k"], alone=True)
    assert told is not None and "is no __device__" in told
    assert refused(REFUSED[before] + KERNEL, ["k"], alone=False) is None  # Warp says so of all


@pytest.mark.parametrize("before", TAKEN)
def test_what_only_looks_like_it_is_taken(before: str) -> None:
    assert refused(TAKEN[before] + KERNEL, ["k"], alone=True) is None


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


NO_CODE = [
    "}",
    "{",
    "#define a a b\n#define b a\na b a\n",
    "#define a(x) a(a(x))\na(1)\n",
    "((;",
    "__device__ ",
]


@pytest.mark.parametrize("text", NO_CODE)
def test_text_that_is_no_code_is_looked_through_in_time(text: str) -> None:
    assert grows_as_its_text(lambda many: refused(f"{many}\n{KERNEL}", ["k"], alone=True), text, 1000)
