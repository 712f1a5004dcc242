"""What nvcc would refuse and clang does not, found in the text; and what only looks like it."""

from __future__ import annotations

import re

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
        (f"#define k other\n{KERNEL}", "macro .* k$"),
        (f"# undef /* */ k\n{KERNEL}", "macro .* k$"),
        (f"%:define \\\n k(x) other(x)\n{KERNEL}", "macro .* k$"),
        (f"#define __global__\n{KERNEL}", "macro .* __global__$"),
        (f"#define threadIdx blockIdx\n{KERNEL}", "macro .* threadIdx$"),
        (f"__shared__ double s[8];\n{KERNEL}", "shared"),
        ("__global__ void other() {}", "^the kernel k "),
        ("// k\n__global__ void other() {}", "^the kernel k "),
    ],
)
def test_what_no_answer_in_cuda_may_have(code: str, told: str) -> None:
    for alone in (True, False):
        assert re.search(told, refused(code, ["k"], alone=alone) or "")


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


HOST = "without __constant__ or __device__ it is the host's"
PAIR = "struct S { double v[2]; double y; };\n"
PAIRS = f"{PAIR}const S s = {{{{1.0, 2.0}}, 3.0}};\n"
NUMBERS = "const double t[2] = {1.0, 2.0};\n"
STATIC = "struct C { static constexpr double k = 1.0, t[2] = {1.0, 2.0}; };\n"
USES = "__device__ double f(double x) {{ return {}; }}\n"

# By nvcc 13.0: what it says is undefined in device code, and what it takes.
PLACES = {
    "an array in a constant": (PAIRS + USES.format("s.v[x > 0]"), f"s.v {{}}: {HOST}"),
    "one of a constant expression": (
        PAIRS.replace("const", "constexpr") + USES.format("s.v[1]"), f"s.v {{}}: {HOST}"),
    "one that is given in braces": (
        PAIRS.replace("s = {", "s{").replace("const", "static const") + USES.format("2.0 * s . v [1]"),
        f"s.v {{}}: {HOST}"),
    "one deeper in it": (
        f"{PAIR}struct D {{ S a; }};\nconst D d = {{{{{{1.0, 2.0}}, 3.0}}}};\n{USES.format('d.a.v[1]')}",
        f"d.v {{}}: {HOST}"),
    "one of a type without a name": (
        PAIRS.replace("struct S {", "typedef struct {").replace("};\n", "} S;\n", 1) + USES.format("s.v[1]"),
        f"s.v {{}}: {HOST}"),
    "where a constant points": (
        f"{NUMBERS}const double* const p = t;\n{USES.format('p[x > 0]')}",
        f"t, where p points, {{}}: {HOST}"),
    "where one of a constant expression points": (
        f"{NUMBERS}constexpr const double* p = &t[0];\n{USES.format('p[1]')}",
        f"t, where p points, {{}}: {HOST}"),
    "where what is the device's points": (
        f"{NUMBERS}__device__ const double* p = t;\n{DEVICE}", f"t, where p points, {{}}: {HOST}"),
    "to a number": (
        f"const double c = 1.0;\n__constant__ const double* const p = &c;\n{DEVICE}",
        f"c, where p points, {{}}: {HOST}"),
    "a static array": (
        STATIC + USES.format("C::t[x > 0]"), "C::t {}: a static array of a struct is the host's"),
}  # fmt: skip
VALUES = {
    "a member": PAIRS + USES.format("s.y"),
    "a copy": PAIRS + USES.format("([&] { S q = s; return q.v[x > 0]; })()"),
    "an object of the device": PAIRS.replace("const S", "__constant__ S") + USES.format("s.v[x > 0]"),
    "a parameter": PAIRS + "__device__ double f(S s, double x) { return s.v[x > 0]; }\n",
    "one of a lambda": PAIRS + USES.format("[](const S& s) { return s.v[0]; }({{x, x}, x})"),
    "a local": PAIRS + "__device__ double f(double x) { S s = {{x, x}, x}; return s.v[0]; }\n",
    "a member of another": PAIRS + "struct D { S s; };\n__device__ double f(D d) { return d.s.v[0]; }\n",
    "an object of nobody": PAIRS + DEVICE + "double g(int i) { return s.v[i]; }\n",
    "a constant of it": f"constexpr {NUMBERS}constexpr double c = t[1];\n{USES.format('c')}",
    "a local constant of it": (
        f"constexpr {NUMBERS}__device__ double f(double x) {{ constexpr double k = t[1]; return k * x; }}\n"),
    "its size": NUMBERS + USES.format("sizeof(t) / sizeof(t[0]) * x"),
    "what a pointer points to": NUMBERS + "const double* const p = t;\n" + USES.format("*p"),
    "a number by a pointer": "const double c = 1.0;\nconst double* const p = &c;\n" + USES.format("*p * x"),
    "a parameter by the name of a table": NUMBERS + "__device__ double f(const double* t) { return t[0]; }\n",
    "a local by the name of a table": (
        f"{NUMBERS}__device__ double f(double x) {{ double t[1] = {{x}}; return t[0]; }}\n"),
    "a static number": STATIC + USES.format("C::k"),
    "a pointer in the device's memory to there": (
        f"__device__ double t[2];\n__device__ double* p = t;\n{USES.format('p[x > 0]')}"),
}  # fmt: skip


@pytest.mark.parametrize("what", PLACES)
def test_the_device_knows_no_place_of_the_hosts(what: str) -> None:
    code, told = PLACES[what]
    assert refused(code + KERNEL, ["k"], alone=True) == told.format("is not there on the device")
    assert refused(code + KERNEL, ["k"], alone=False) is None


@pytest.mark.parametrize("what", VALUES)
def test_the_device_knows_values_of_the_hosts(what: str) -> None:
    assert refused(VALUES[what] + KERNEL, ["k"], alone=True) is None


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
        "static ",
        "sizeof(",
        "constexpr x ",
        "const S s = {}; ",
        "__device__ int* p = t; ",
        "__device__ int* p =" + " " * 20,
        "__device__ void f() { s.v[0]; S s = 1; }",
    ],
)
def test_text_that_is_no_code_is_looked_through(text: str) -> None:
    assert refused(text * 20_000 + KERNEL, ["k"], alone=True) is None
