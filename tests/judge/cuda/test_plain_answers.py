"""Answers in plain CUDA, judged on the machine: right ones in other words, and what breaks a rule."""

from __future__ import annotations

import re

import pytest
from judge.conftest import LIMITS
from toys.judged import row_at

from warp_ir_dataset.judge import launches
from warp_ir_dataset.judge.answers import Answer
from warp_ir_dataset.judge.cage.job import Ended
from warp_ir_dataset.judge.referee import Referee
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language.cuda.render import THREAD
from warp_ir_dataset.machine import selftest
from warp_ir_dataset.machine.findings import KINDS, RULES

pytestmark = [pytest.mark.process, pytest.mark.compile]

STORE = "results[idx] = cosh(data[idx]);"
HELPER = "double h(double x) { return cosh(x); }\n"
LOOP = "for (int k = 0; k < 1; ++k)\n"
HEADERS = (
    "<cuda_runtime.h>", '"cuda_runtime.h"', "<cuda.h>", "<math.h>", "<cmath>", "<stdint.h>",
    "<math_constants.h>",
)  # fmt: skip
VALUE = "cosh(data[idx])"
BODY = "{ return cosh(x); }\n"
SQUARE = "constexpr int sq(int x) { return x * x; }\n"
VECTOR = "struct V { double x; };\n"
SUM = "V operator+(V a, V b) { return V{a.x + b.x}; }\n"
MINUS = "V operator-(V a) { return V{-a.x}; }\n"
APPLIES = "template <double (*F)(double)> __device__ double h(double x) { return F(x); }\n"
HOST = f"static double reference(double x) {BODY}"
CALL = "h(data[idx])"

# What stands before the kernel, and in it in place of the value.
REFUSED = {
    "a function": (f"double h(double x) {BODY}", CALL),
    "a name in brackets": (f"double (h)(double x) {BODY}", CALL),
    "a type that is computed": (f"decltype(0.0) h(double x) {BODY}", CALL),
    "a type behind it": (f"auto h(double x) -> double {BODY}", CALL),
    "by a macro": (f"#define FUNCTION(n) double n(double x) {BODY}FUNCTION(h)\n", CALL),
    "a template": (f"template <typename T> T h(T x) {BODY}", CALL),
    "its argument": (f"double k(double x) {BODY}{APPLIES}", "h<k>(data[idx])"),
    "by way of one for both": (
        f"double k(double x) {BODY}__host__ __device__ double h(double x) {{ return k(x); }}\n", CALL),
    "a functor": (f"struct F {{ double operator()(double x) const {BODY}}};\n", "F()(data[idx])"),
    "a method": (f"struct F {{ double h(double x) const {BODY}}};\n", "F().h(data[idx])"),
    "a static method": (f"struct F {{ static double h(double x) {BODY}}};\n", f"F::{CALL}"),
    "a method of a base": (
        f"struct B {{ double h(double x) {BODY}}};\nstruct D : B {{}};\n", "D().h(data[idx])"),
    "a method in a function": (
        f"__device__ double h(double x) {{ struct L {{ double h(double x) {BODY}}}; return L().h(x); }}\n",
        CALL),
    "a constructor": ("struct F { double y; F(double x) : y(cosh(x)) {} };\n", "F(data[idx]).y"),
    "a destructor": ("struct F { double y; ~F() {} };\n", f"F{{{VALUE}}}.y"),
    "an operator": (f"{VECTOR}{SUM}", f"(V{{{VALUE}}} + V{{0.0}}).x"),
    "a conversion": ("struct F { double y; operator double() { return y; } };\n", f"double(F{{{VALUE}}})"),
    "what a member is given": (
        "double (h)() { return 0.0; }\nstruct F { double y = h(); };\n", f"F().y + {VALUE}"),
    "a variable": ("double (h) = 0.0;\n", f"h + {VALUE}"),
    "a variable of a lambda": (f"auto h = [](double x) {BODY[:-1]};\n", CALL),
    "a static member": ("struct F { inline static double y = 0.0; };\n", f"F::y + {VALUE}"),
    "an operator before it": (f"{VECTOR}{MINUS}", f"-(-V{{{VALUE}}}).x"),
}  # fmt: skip

# Constant functions and tables of the host, which both compilers take for the device's as well.
FOR_BOTH = {
    "a constant function": ("constexpr double h(double x) { return 1.0 * x; }\n", f"h({VALUE})"),
    "one with a constant": (SQUARE, f"(sq(2) - 3) * {VALUE}"),
    "a constant functor": (
        "struct F { constexpr double operator()(double x) const { return x; } };\n", f"F()({VALUE})"),
    "a constant operator": (f"{VECTOR}constexpr {SUM}", f"(V{{{VALUE}}} + V{{0.0}}).x"),
    "one for one number": (
        f"{VECTOR}constexpr V operator*(const V& a, double b) {{ return V{{a.x * b}}; }}\n",
        f"(V{{1.0}} * {VALUE}).x"),
    "one before it": (f"{VECTOR}constexpr {MINUS}", f"-(-V{{{VALUE}}}).x"),
    "an array in a constant": (
        "struct F { double y[2]; };\nconst F f = {{1.0, 2.0}};\n", f"f.y[0] * {VALUE}"),
    "a static array": ("struct F { static constexpr double y[1] = {1.0}; };\n", f"F::y[0] * {VALUE}"),
    "a constant constructor": (
        "struct F { double y; constexpr F(double x) : y(x) {} };\n", f"F({VALUE}).y"),
}  # fmt: skip

# What only looks like it.
TAKEN = {
    "methods": (
        "struct F { double x; __device__ F(double a) : x(a) {} __device__ double h() { return x; } };\n",
        f"F({VALUE}).h()"),
    "a functor for both": (
        f"struct F {{ __host__ __device__ double operator()(double x) const {BODY}}};\n", "F()(data[idx])"),
    "a class template": (
        "template <typename T> struct A { T v[2]; __device__ T& operator[](int i) { return v[i]; } };\n",
        f"([&] {{ A<double> a; a[0] = {VALUE}; return a[0]; }})()"),
    "a base": (
        "struct B { double x; };\nstruct D : B { __device__ double h() { return x; } };\n",
        f"([&] {{ D d; d.x = {VALUE}; return d.h(); }})()"),
    "implicit functions": (
        "struct M { double m; __device__ M() : m(0.0) {} };\nstruct N { M a; int k = 1; };\n",
        f"([&] {{ N n; N m = n; return m.k * {VALUE} + m.a.m; }})()"),
    "a function as argument": (f"__device__ double k(double x) {BODY}{APPLIES}", "h<k>(data[idx])"),
    "a pointer to a function": (
        f"__device__ double h(double x) {BODY}\n#define MORE\n#ifdef MORE\n#endif\n",
        "([&] { double (*p)(double) = h; return p(data[idx]); })()"),
    "a line in two": ("", "co\\\nsh(data[idx])"),
    "a condition that holds": ("#if 1\n#endif\n", VALUE),
    "a macro that glues": ("#define GLUED(a, b) a##b\n", "GLUED(cos, h)(data[idx])"),
    "a lambda that is passed": (
        "template <class F> __device__ double g(F&& f, double (&x)[1]) { return f(x[0]); }\n",
        "([&] { double x[1] = {data[idx]}; return g([](double y) { return cosh(y); }, x); })()"),
    "a macro for where": (f"#define BOTH __host__ __device__\nBOTH double h(double x) {BODY}", CALL),
    "in an arm": (
        "#define A\n#ifndef A\n#define D __host__\n#else\n#define D __device__\n#endif\n"
        f"D double h(double x) {BODY}", CALL),
    "constant functions of the device": (
        "#define D __device__\nD constexpr double h(double x) { return 1.0 * x; }\n", f"h({VALUE})"),
    "an array's size": (SQUARE, f"([&] {{ double t[sq(2)]; t[3] = {VALUE}; return t[3]; }})()"),
    "a constant": (
        f"{SQUARE}constexpr int N = sq(1);\n",
        f"([&] {{ constexpr int m = sq(1); return m * N * {VALUE}; }})()"),
    "a template's argument": (
        f"{SQUARE}template <int N> __device__ double g(double x) {{ return x * N; }}\n",
        f"g<sq(1)>({VALUE})"),
    "a template's argument, and the host's at run time": (
        f"{SQUARE}int host(int n) {{ return sq(n); }}\n"
        "template <int N> struct A { int n = N; __device__ A() = default; };\n", f"A<sq(1)>().n * {VALUE}"),
    "constants of a struct": (
        "struct C { static constexpr double k = 1.0, t[2] = {1.0, 2.0}; static const int n = 1; };\n",
        f"C::k * C::n * {VALUE}"),
    "a constant that an operator made": (
        f"{VECTOR}constexpr {SUM}__device__ {MINUS}constexpr V k = V{{1.0}} + V{{0.0}};\n",
        f"-(-V{{k.x * {VALUE}}}).x"),
    "a constant object": (
        "struct P { double x; __host__ __device__ constexpr P(double a) : x(a) {} };\n"
        "__constant__ P p = P(1.0);\n", f"p.x * {VALUE}"),
    "functions of the host alone": (
        f"{HOST}struct H {{ int n; H() : n(3) {{}} ~H() {{}} }};\n"
        "void fill(double* p, int n) { for (int i = 0; i < n; ++i) p[i] = reference(i); }\n", VALUE),
    "a field of their name": (
        "double norm(double x) { return x; }\nstruct F { double norm; };\n", f"F{{{VALUE}}}.norm"),
    "an operator of the host": (f"{VECTOR}{SUM}", f"V{{{VALUE} + 0.0}}.x"),
    "all of CUDA's": (
        HOST,
        f"{VALUE} * fabsf(-1.0f) * rsqrtf(1.0f) * std::sqrt(1.0) * pow(1.0f, 2) * min(1, 2) * __popc(1)"
        " + 0 * (__ldg(&data[idx]) + M_PI + FLT_MAX + INT_MAX + UINT_MAX + (int32_t)1 + (size_t)2 + warpSize"
        " + isnan(1.0) + make_float2(1.0f, 2.0f).y + dim3(1).x + blockDim.x + __float_as_int(1.0f))"),
    "what it prints": (
        HOST,
        '([&] { if (idx < 0) printf("%d", idx); assert(idx >= 0); __syncthreads(); '
        f"return {VALUE}; }})()"),
}  # fmt: skip


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
    "a hypotenuse": ("", VALUE, "hypot(1, sinh(data[idx]))"),
    "a root": ("", VALUE, f"rsqrt(1.0 / ({VALUE} * {VALUE}))"),
    "constants": ("", VALUE, "(0.5 * (pow(M_E, data[idx]) + pow(M_E, -data[idx])) + (M_PI - 2.0 * M_PI_2))"),
    "types that differ": ("", VALUE, f"fmax({VALUE}, 0.0f) * pow(2.0f, max(0.0f, 0.0)) * min(1, 2u)"),
    "whole numbers": ("", VALUE, f"{VALUE} * sqrt(1) * pow(1, 2)"),
    "absolute": ("", VALUE, f"abs(-{VALUE})"),
    "fast": ("", VALUE, f"(__fdividef(1.0f, 2.0f) + __expf(0.0f) + fmaxf(-0.5f, -1.0f)) * {VALUE}"),
    "a barrier of nothing": ("", STORE, f"__syncthreads(); {STORE}"),
    "bits": ("", VALUE, f"{VALUE} * __popc(4) * (__clz(1) - 30) * __ffs(1) * (warpSize - 31)"),
    "names of macros of Warp's": (
        "constexpr double EPSILON = 0.0, kEps = 0.0, M_PI_F = 0.0;\n"
        "__device__ double DOT(double x, double y) { return x * y; }\n",
        VALUE, f"DOT({VALUE}, 1.0) + EPSILON + kEps + M_PI_F"),
    "a guard": (
        "#ifndef M_PI\n#error none\n#else\n#define N 1\n#endif\n#define M_PI 3.14159\n",
        VALUE, f"{VALUE} * N"),
    "a name of a library": (
        "", VALUE, "([&] { double thrust = data[idx], cub = 0.0; return cosh(thrust + cub); })()"),
    "added": (
        "", STORE, f"results[idx] = 0; atomicAdd(&results[idx], {VALUE}); atomicAdd(&results[idx], 0);"),
    "of later headers": ("", VALUE, f"{VALUE} + expm1(0.0) + log1p(0.0f) + asinh(0.0) + atanh(0)"),
}  # fmt: skip


HEAD = "    int idx = "  # where the kernel begins
LAST = "if (idx >= n)\n        return;"

# What a kernel begins with that threads do together, and is right.
TOGETHER = {
    "shared memory": (
        "__shared__ int s[256]; s[threadIdx.x] = threadIdx.x; __syncthreads();"
        "if (s[blockDim.x - 1 - threadIdx.x] + threadIdx.x != blockDim.x - 1) return;"),
    "a barrier": "__syncthreads();",
    "a shuffle": (
        "if (__shfl_sync(0xffffffffu, (int)threadIdx.x, threadIdx.x % 32) != (int)threadIdx.x) return;"),
    "a vote": "if (!__any_sync(__activemask(), 1)) return;",
    "a count": "if (__syncthreads_count(1) != (int)blockDim.x) return;",
}  # fmt: skip

# What no answer in CUDA may have: what stands before the kernel, what is replaced in it and by what; and how
# it is judged.
WRONG = {
    "the thread alone": ("", THREAD, "threadIdx.x", Status.WRONG_OUTPUT),
    "blocks of 32": ("", THREAD, "blockIdx.x * 32 + threadIdx.x", Status.WRONG_OUTPUT),
    "blocks of 256": ("", THREAD, "blockIdx.x * 256 + threadIdx.x", Status.WRONG_OUTPUT),
    "no end": ("", LAST, "", Status.WRONG_OUTPUT),
    "a store dropped": ("", STORE, "", Status.WRONG_OUTPUT),
    "a plain sum": ("", STORE, f"results[0] += 1.0; {STORE}", Status.WRONG_OUTPUT),
    "a plain store beside atomics": ("", STORE, f"{STORE} atomicAdd(results, 0);", Status.WRONG_OUTPUT),
    "an input": ("", STORE, f"((double*)data)[idx] += 0.0; {STORE}", Status.WRONG_OUTPUT),
    "shared memory without a barrier": (
        "", STORE, f"__shared__ double s[1]; s[0] = idx; if (s[0] < 0) return; {STORE}", Status.WRONG_OUTPUT),
    "shared memory that nobody set": (
        "", STORE, f"__shared__ double s[256]; if (s[threadIdx.x] == 1.5) return; {STORE}",
        Status.WRONG_OUTPUT),
    "a barrier for some": ("", STORE, f"if (idx % 2) __syncthreads(); else __syncthreads(); {STORE}",
        Status.WRONG_OUTPUT),
    "another's mask": ("", STORE, f"__syncwarp(1u << (threadIdx.x + 1) % 32); {STORE}", Status.WRONG_OUTPUT),
    "a trap": ("", STORE, f"if (idx == 1) __trap(); {STORE}", Status.WRONG_OUTPUT),
    "a local that nobody set": (
        "", STORE, f"double x; {STORE} results[idx] += 0.0 * x;", Status.WRONG_OUTPUT),
    "what the launch before left": (
        "__device__ int runs;\n", STORE, f"{STORE} if (idx == 0) results[0] += 1e9 * (runs++ > 0);",
        Status.WRONG_OUTPUT),
    "no end of a loop": ("", STORE, f"{STORE} while (data[idx] == data[idx]) {{ }}", Status.TIMEOUT),
    "a variable-length array": ("", STORE, f"double x[n]; x[0] = 0.0; {STORE}", Status.COMPILE_ERROR),
    "a function of the host": ("", VALUE, f"{VALUE} * (getenv(0) != 0)", Status.COMPILE_ERROR),
    "the time": ("", VALUE, f"{VALUE} + 0 * time(0)", Status.COMPILE_ERROR),
    "another kernel's name": ("", "__global__ void ", "__global__ void k", Status.COMPILE_ERROR),
    "no kernel": ("", "__global__ void", "__device__ void", Status.COMPILE_ERROR),
    "other parameters": ("", "double* results", "float* results", Status.COMPILE_ERROR),
    "a name of Warp's": ("using wp::cosh;\n", "", "", Status.COMPILE_ERROR),
    "a name that is built in": ("#define threadIdx blockIdx\n", "", "", Status.WRONG_OUTPUT),
    "a word of CUDA's": ("#define __global__\n", "", "", Status.FORBIDDEN),
    "a builtin of clang's": ("", STORE, f"__builtin_assume(idx >= 0); {STORE}", Status.FORBIDDEN),
    "an integer of clang's": ("", VALUE, f"{VALUE} + 0 * (int)(_BitInt(8))1", Status.FORBIDDEN),
    "a macro of clang's": ("", VALUE, f"{VALUE} * __clang__", Status.FORBIDDEN),
    "the architecture": ("", VALUE, f"{VALUE} * (__CUDA_ARCH__ / 800)", Status.FORBIDDEN),
    "a static local": ("", STORE, f"static int x = 0; {STORE}", Status.FORBIDDEN),
    "an arm for the device": ("", STORE, f"\n#ifdef __CUDA_ARCH__\n{STORE}\n#endif\n", Status.FORBIDDEN),
    "a condition on compilers": ("#ifdef __clang__\n#endif\n", "", "", Status.FORBIDDEN),
    "a condition that is computed": ("#if 1 + 1\n#endif\n", "", "", Status.FORBIDDEN),
    "assembly": ('// \rasm("nop");\n', "", "", Status.FORBIDDEN),
    "a file": ("#include </etc/passwd>\n", "", "", Status.FORBIDDEN),
    "a pragma": ("#pragma pack(1)\n", "", "", Status.FORBIDDEN),
    "shared memory of all": ("__shared__ double tile[32];\n", "", "", Status.FORBIDDEN),
    "Thrust": ("#include <thrust/sort.h>\n", "", "", Status.UNSUPPORTED),
    "the grid as a group": (
        "#include <cooperative_groups.h>\n__device__ void f() { cooperative_groups::this_grid().sync(); }\n",
        "", "", Status.UNSUPPORTED,
    ),
    "a brace too few": ("__device__ void f() {\n", "", "", Status.COMPILE_ERROR),
}  # fmt: skip


def edited(before: str, old: str, new: str) -> str:
    text = row_at("warp_to_cuda")["completion"]
    assert old in text
    return before + (text.replace(old, new, 1) if old else text)


@pytest.mark.parametrize("words", REFUSED)
def test_nothing_of_the_host_is_used_on_the_device(judge, words):
    before, value = REFUSED[words]
    verdict = judge(row_at("warp_to_cuda"), edited(before, VALUE, value))
    assert verdict.status is Status.COMPILE_ERROR, verdict
    assert re.match(r"line \d+: ", verdict.feedback)
    assert "/" not in verdict.feedback and "_u" not in verdict.feedback


@pytest.mark.parametrize("words", [*TAKEN, *FOR_BOTH])
def test_what_only_looks_like_it_is_right(judge, words):
    before, value = {**TAKEN, **FOR_BOTH}[words]
    verdict = judge(row_at("warp_to_cuda"), edited(before, VALUE, value))
    assert (verdict.status, verdict.value) == (Status.CORRECT, 1.0), verdict.feedback


@pytest.mark.parametrize("words", SAID)
def test_right_cuda_in_other_words_is_right(judge, words):
    verdict = judge(row_at("warp_to_cuda"), edited(*SAID[words]))
    assert (verdict.status, verdict.value) == (Status.CORRECT, 1.0), verdict.feedback


@pytest.mark.parametrize("words", TOGETHER)
def test_threads_may_work_together(judge, words):
    verdict = judge(row_at("warp_to_cuda"), edited("", HEAD, f"    {TOGETHER[words]}\n{HEAD}"))
    assert (verdict.status, verdict.value) == (Status.CORRECT, 1.0), verdict.feedback


@pytest.mark.parametrize("words", WRONG)
def test_what_breaks_a_rule_does_not_score(judge, words):
    before, old, new, status = WRONG[words]
    verdict = judge(row_at("warp_to_cuda"), edited(before, old, new))
    assert verdict.status is status, verdict
    assert verdict.value == (None if status is Status.UNSUPPORTED else 0.0)


def test_a_rule_is_told_with_its_line_and_nothing_else(judge):
    text = edited("", STORE, f"results[0] += data[idx];\n    {STORE}")
    line = next(number for number, each in enumerate(text.split("\n"), 1) if "results[0]" in each)
    verdict = judge(row_at("warp_to_cuda"), text)
    told = verdict.feedback.split("\n")
    assert any(f"race in line {line}: " in each for each in told)
    rules = {re.sub(r" in line \d+", "", each) for each in told}
    assert rules <= {f"{kind}: {rule}" for kind, rule in RULES.items()}
    assert set(KINDS) == set(RULES)


@pytest.mark.parametrize("place", [("histograms", 0, "value_histogram"), ("atomic", 10)], ids=str)
def test_atomics_are_needed(judge, place):
    row = row_at("warp_to_cuda", *place)
    assert judge(row, row["completion"]).value == 1.0
    plain = re.sub(r"atomicAdd\(&?(.+), (.+)\);", r"*(&\1) += \2;", row["completion"])
    assert plain != row["completion"]
    verdict = judge(row, plain)
    assert verdict.status is Status.WRONG_OUTPUT and "race" in verdict.feedback


SLOW = "constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i % 3; return s; }\n"
ENDS = {
    "time": (SLOW + "".join(f"constexpr int v{n} = f(100000 + {n});\n" for n in range(3000)), Status.TIMEOUT),
    "memory": (f"__device__ int table[{1 << 33}] = {{1}};\n", None),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_compilation_ends_within_its_limits(judge, end):
    before, status = ENDS[end]
    verdict = judge(row_at("warp_to_cuda"), edited(before, "", ""))
    assert verdict.value == 0.0 and (status is None or verdict.status is status), verdict


def test_a_compiler_that_crashes_is_no_proof(cage, monkeypatch):
    monkeypatch.setattr(launches.Launcher, "run", lambda *_: Ended("crash", False, "SIGSEGV"))
    verdict = Referee(cage, LIMITS).judge(Answer(row_at("warp_to_cuda"), edited("", "", ""), None, 0))
    assert verdict.status is Status.CRASH


def test_there_is_no_verdict_without_the_test_of_the_machine(cage, monkeypatch):
    monkeypatch.setitem(selftest.WANTED, "right", "hang")
    referee, row = Referee(cage, LIMITS), row_at("warp_to_cuda")
    for text in (row["completion"], edited("", STORE, "")):
        verdict = referee.judge(Answer(row, text, None, 0))
        assert verdict.status is Status.UNAVAILABLE and verdict.value is None


def test_a_process_that_tells_nothing_is_no_proof(cage, monkeypatch):
    monkeypatch.setattr(launches.Launcher, "run", lambda *_: Ended("ran", True, ""))
    verdict = Referee(cage, LIMITS).judge(Answer(row_at("warp_to_cuda"), edited("", "", ""), None, 0))
    assert verdict.status is Status.CRASH
