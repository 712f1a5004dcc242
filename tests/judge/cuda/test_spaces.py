"""Plain CUDA that is right as C++: what clang, as a compiler of CUDA, says of host and device."""

from __future__ import annotations

import re

import pytest
from judge.conftest import LIMITS
from toys.judged import row_at

from warp_ir_dataset.judge import candidate
from warp_ir_dataset.judge.answers import Answer
from warp_ir_dataset.judge.cage.job import Check, Ended, Limits
from warp_ir_dataset.judge.cuda.settled import is_settled
from warp_ir_dataset.judge.cuda.spaces import also_run, misplaced
from warp_ir_dataset.judge.referee import Referee
from warp_ir_dataset.judge.verdict import Status

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
    "in an arm that is not CUDA's": (
        f"#if defined(__CUDA_ARCH__) || defined(__CUDA__)\n__device__\n#endif\ndouble h(double x) {BODY}",
        CALL),
    "in the device's arm": (
        f"double k(double x) {BODY}__host__ __device__ double h(double x)\n"
        "{\n#ifdef __CUDA_ARCH__\n    return k(x);\n#else\n    return cosh(x);\n#endif\n}\n", CALL),
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
    "a constant function": ("constexpr double h(double x) { return 1.0 * x; }\n", f"h({VALUE})"),
    "one with a constant": (SQUARE, f"(sq(2) - 3) * {VALUE}"),
    "a constant functor": (
        "struct F { constexpr double operator()(double x) const { return x; } };\n", f"F()({VALUE})"),
    "a constant operator": (f"{VECTOR}constexpr {SUM}", f"(V{{{VALUE}}} + V{{0.0}}).x"),
    "one for one number": (
        f"{VECTOR}constexpr V operator*(const V& a, double b) {{ return V{{a.x * b}}; }}\n",
        f"(V{{1.0}} * {VALUE}).x"),
    "one before it": (f"{VECTOR}constexpr {MINUS}", f"-(-V{{{VALUE}}}).x"),
    "an operator before it": (f"{VECTOR}{MINUS}", f"-(-V{{{VALUE}}}).x"),
    "an array in a constant": (
        "struct F { double y[2]; };\nconst F f = {{1.0, 2.0}};\n", f"f.y[0] * {VALUE}"),
    "a static array": ("struct F { static constexpr double y[1] = {1.0}; };\n", f"F::y[0] * {VALUE}"),
    "a constant constructor": (
        "struct F { double y; constexpr F(double x) : y(x) {} };\n", f"F({VALUE}).y"),
}  # fmt: skip

# What is not settled, and right.
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
        f"__device__ double h(double x) {BODY}\n#ifdef MORE\n#endif\n",
        "([&] { double (*p)(double) = h; return p(data[idx]); })()"),
    "a lambda that is passed": (
        "template <class F> __device__ double g(F&& f, double (&x)[1]) { return f(x[0]); }\n",
        "([&] { double x[1] = {data[idx]}; return g([](double y) { return cosh(y); }, x); })()"),
    "a macro for where": (f"#define BOTH __host__ __device__\nBOTH double h(double x) {BODY}", CALL),
    "in an arm": (
        "#ifdef A\n#define D __host__\n#else\n#define D __device__\n#endif\n"
        f"D double h(double x) {BODY}", CALL),
    "where there is a compiler of CUDA": (
        "#ifdef __CUDACC__\n#define D __host__ __device__\n#else\n#define D\n#endif\n"
        f"D double h(double x) {BODY}", CALL),
    "for older devices": (
        f"#if __CUDA_ARCH__ < 600\n#error old\n#endif\n__device__ double h(double x) {BODY}", CALL),
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


def answer(words: tuple[str, str]) -> str:
    before, value = words
    text = row_at("warp_to_cuda")["completion"]
    assert VALUE in text
    return before + text.replace(VALUE, value)


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("words", REFUSED)
def test_nothing_of_the_host_is_used_on_the_device(judge, words):
    verdict = judge(row_at("warp_to_cuda"), answer(REFUSED[words]))
    assert verdict.status is Status.COMPILE_ERROR
    assert re.search(
        "(reference|call) to __host__ (function|variable) .*__(global|device)__ function$"
        "|is not there on the device|its operator is a __host__ function$",
        verdict.feedback,
    )
    assert "/" not in verdict.feedback and "plain_text" not in verdict.feedback


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("words", TAKEN)
def test_what_only_looks_like_it_is_right(judge, words):
    text = answer(TAKEN[words])
    assert not is_settled(text)
    verdict = judge(row_at("warp_to_cuda"), text)
    assert (verdict.status, verdict.value) == (Status.CORRECT, 1.0), verdict.feedback


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize(
    "before",
    ["__device__ double y = cosh(0.0);\n", "__constant__ double2 y = make_double2(1.0, 2.0);\n",
     "struct F { double y; F() : y(1.0) {} };\n__device__ F y;\n"],
)  # fmt: skip
def test_nothing_of_the_device_gets_its_value_at_run_time(judge, before):
    verdict = judge(row_at("warp_to_cuda"), answer((before, VALUE)))
    assert verdict.status is Status.COMPILE_ERROR and "dynamic initialization" in verdict.feedback


@pytest.fixture
def counted(cage, monkeypatch):
    """What is compiled as CUDA."""
    checks: list[Check] = []
    check = cage.check
    monkeypatch.setattr(cage, "check", lambda job: checks.append(job) or check(job))
    return checks


@pytest.mark.process
@pytest.mark.compile
def test_only_right_answers_that_are_not_settled_are_compiled_again(judge, counted):
    row, helper = row_at("warp_to_cuda"), f"__device__ double h(double x) {BODY}"
    assert judge(row, answer((f"#define N 3\n{helper}", "h(data[idx])"))).value == 1.0
    assert judge(row, answer((HOST, "0.0"))).value == 0.0
    assert judge(row_at("cuda"), row_at("cuda")["completion"]).value == 1.0
    assert not counted
    assert judge(row, answer((HOST, VALUE))).value == 1.0
    assert [check.strict for check in counted] == [True]
    assert judge(row, answer(TAKEN["a template's argument"])).value == 1.0
    assert [check.strict for check in counted] == [True, True, False]


SLOW = "constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i % 3; return s; }\n"
ENDS = {
    "time": (SLOW + "".join(f"constexpr int v{n} = f(100000 + {n});\n" for n in range(2000)), Status.TIMEOUT),
    "memory": ("int table[] = {[0 ... 300000000] = 1};\n", Status.MEMORY),
}  # fmt: skip


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("end", ENDS)
def test_a_compilation_ends_within_its_limits(cage, end, monkeypatch):
    unit, status = ENDS[end]
    limits = Limits(load_seconds=1.0, load_bytes=512 << 20)
    monkeypatch.setattr(candidate, "checked", lambda *_, strict: Check(unit, strict, limits))
    verdict = Referee(cage, LIMITS).judge(Answer(row_at("warp_to_cuda"), answer(TAKEN["methods"]), None, 0))
    assert verdict.status is status and "compilation" in verdict.feedback


@pytest.mark.process
@pytest.mark.compile
def test_a_compiler_that_crashes_is_no_proof(cage, monkeypatch):
    monkeypatch.setattr(cage, "check", lambda _: Ended("crash", False, "SIGSEGV"))
    verdict = Referee(cage, LIMITS).judge(Answer(row_at("warp_to_cuda"), answer(TAKEN["methods"]), None, 0))
    assert verdict.status is Status.CRASH


@pytest.mark.process
@pytest.mark.compile
def test_a_check_is_caged(cage):
    """Without the gate, which would not let such an answer come here."""
    ended = cage.check(Check('#include "/etc/passwd"\n', True, LIMITS))
    assert ended.end == "ran" and "error" in ended.said and "root:" not in ended.said


LOG = """answer.cpp:3:9: error: no matching function for call to 'f'
answer.cpp:1:8: note: candidate function not viable: no known conversion from 'int' to 'V' for 1st argument
answer.cpp:2:8: note: candidate function not viable: call to __host__ function from __global__ function
answer.cpp:4:9: error: use of undeclared identifier '__nanosleep'
answer.cpp:5:9: error: reference to __host__ variable 'v' in __device__ function
answer.cpp:5:9: note: host variable declared here
answer.cpp:6:9: error: reference to __device__ function 'g' in __host__ function
answer.cpp:7:9: error: reference to __host__ function 'g' in global initializer
"""


def test_only_what_is_said_of_spaces_is_listened_to():
    assert misplaced(LOG) == [
        "no matching function for call to 'f': call to __host__ function from __global__ function",
        "reference to __host__ variable 'v' in __device__ function",
    ]
    assert misplaced("") == []


def test_constant_functions_count_where_they_are_called_at_run_time():
    lines = misplaced(LOG)
    told = 'warning: call to {} marked "dontcall-warn": '
    assert also_run(lines, told.format("double plain_text::f<double>(plain_text::v)")) == lines[:1]
    assert also_run(lines, told.format("plain_text::k(plain_text::f)")) == []
    line = "invalid operands to binary expression ('P' and 'int'): call to __host__ function"
    for called in ("operator*(plain_text::P const&, int)", "operator<<(plain_text::P, plain_text::P)"):
        assert also_run([line], told.format(f"plain_text::{called}")) == [line]
    for called in ("operator*(plain_text::Q, int)", "f(plain_text::P)", "F::operator()(plain_text::P)"):
        assert also_run([line], told.format(f"plain_text::{called}")) == []
