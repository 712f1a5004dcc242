"""What plainly defines nothing for the host, so that no compiler is asked; and what may."""

from __future__ import annotations

import pytest
from toys.judged import program_at

from warp_ir_dataset.judge.cuda.settled import is_settled
from warp_ir_dataset.language.cuda.render import render

KERNEL = "__global__ void k(int n, double* out)\n{\n    if (threadIdx.x < n) out[threadIdx.x] = f(1.0);\n}\n"
DEVICE = "__device__ double f(double x) { return x; }\n"

SETTLED = {
    "nothing more": "",
    "in a comment": "// double (f)(double x) { return x; }\n",
    "for both": "__host__ __device__ inline double g(double x) { return x; }\n",
    "declared first": "static __device__ __forceinline__ float2 g(float2 a, const float* __restrict__ b);\n",
    "a template": "template <typename T, int N = 3> __device__ T g(T x) { return x * N; }\n",
    "an operator": "__device__ float2 operator-(float2 a) { return make_float2(-a.x, -a.y); }\n",
    "bounds of a launch": "__global__ void __launch_bounds__(256, 2) other() { f(1.0); }\n",
    "in C": 'extern "C" {\n__device__ int g(int x) { return x; }\n}\nextern "C" __global__ void h() {}\n',
    "in a namespace": "namespace a { __device__ double g(double x) { return x; } }\nusing namespace a;\n",
    "lambdas of a function": "__device__ int g(int x) { auto h = [&](int k) { return x; }; return h(1); }\n",
    "constants": "constexpr double PI = 3.14, E = 2 * 1.36;\nstatic const int N[2] = {1, 2};\n",
    "tables": "__constant__ double T[2][2] = {{1, 2}, {3, 4}};\n__device__ const float* p;\n",
    "names of types": "typedef unsigned int u32;\nusing real = double;\ntypedef struct { int a; } S, *P;\n",
    "structs without functions": "struct V { double x, y; int t[3]; };\nstruct __align__(8) W { int a; };\n",
    "a template of these": "template <typename T> struct V { T x, y; };\nunion U { float f; int i; };\n",
    "an enumeration": "enum class E : int { A, B = 2 };\n",
    "macros": "#define N 256\n# define SQ(x) \\\n    ((x) * (x))\n#undef N\n",
}  # fmt: skip

UNSETTLED = {
    "a name in brackets": "double (f)(double x) { return x; }\n",
    "a function of the host": "double g(double x) { return x; }\n",
    "one that only speaks of the device": "template <int __device__> double g(double x) { return x; }\n",
    "a type that is computed": "decltype(0.0) g(double x) { return x; }\n",
    "a constant function": "constexpr double g(double x) { return x; }\n",
    "a method": "struct V { double g() { return 1.0; } };\n",
    "a member that is given something": "struct V { double x = f(1.0); };\n",
    "a member of all": "struct V { static double x; };\n",
    "a method in a function": "__device__ int g() { struct L { int h() { return 1; } }; return L().h(); }\n",
    "the same by a macro": "#define L struct L\n__device__ void g() { L { int h() { return 1; } }; }\n",
    "a variable": "double g = 1.0;\n",
    "a variable of a struct": "struct V { double x; } g;\n",
    "a pointer to constants": "const double* g = nullptr;\n",
    "one behind a constant": "const double a = 1.0, *g = &a;\n",
    "a type of constants": "V<const double> g;\n",
    "a constant of a function's": "const double g = sqrt(2.0);\n",
    "a lambda": "const auto g = [](double x) { return x; };\n",
    "a macro in a head": "#define HERE __device__\nHERE double g(double x) { return x; }\n",
    "a macro with a brace": "#define END }\n__device__ void g() { END double (h)() { return 1.0; }\n",
    "a brace in other letters": "__device__ void g() { %> double (h)() { return 1.0; }\n",
    "a brace that is glued": "#define G(a, b) a##b\n__device__ void g() { G(%, >) int (h)() { return 1; }\n",
    "lines that may be left out": "#if 0\n__device__\n#endif\ndouble g(double x) { return x; }\n",
    "a brace too many": "__device__ void g() {} } double (h)() { return 1.0; } namespace {\n",
    "a brace too few": "namespace a {\n",
    "a parameter that is given something": "__device__ double g(double x = h) { return x; }\n",
    "scopes in scopes": "namespace a { namespace b { double (h)() { return 1.0; } } }\n",
}  # fmt: skip


@pytest.mark.parametrize("before", SETTLED)
def test_what_is_for_the_device_is_settled(before: str) -> None:
    assert is_settled(SETTLED[before] + DEVICE + KERNEL)


@pytest.mark.parametrize("before", UNSETTLED)
def test_what_may_be_for_the_host_is_not(before: str) -> None:
    assert not is_settled(UNSETTLED[before] + DEVICE + KERNEL)


@pytest.mark.parametrize(("category", "draw"), [("math", 7), ("advection", 4), ("filters", 7)])
def test_rows_are_settled(category: str, draw: int) -> None:
    assert is_settled(render(program_at(category, draw)).completion)


@pytest.mark.parametrize(
    "text",
    ["{" * 100_000, "namespace a {" * 10_000 + "int a();" + "}" * 10_000, f"namespace{' ' * 100_000}(",
     "a{};" * 50_000, "const a " * 50_000 + "(", "template <a" * 50_000,
     f"__device__ {'a ' * 50_000}{{", "__device__ f(" * 20_000],
)  # fmt: skip
def test_text_that_is_no_code_is_looked_through_in_time(text: str) -> None:
    assert not is_settled(text)
