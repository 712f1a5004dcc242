"""How a text is read, before any compiler sees it."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from machine.attacks import REFUSED
from machine.right import RIGHT

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.machine import check, text
from warp_ir_dataset.machine.check import Launch, parsed, size
from warp_ir_dataset.machine.findings import FIRST_NOTE, NAMES, NOTES, TOO_LARGE, finding


def test_names_are_cudas_or_get_a_suffix():
    read = text.read(
        "__global__ void scale(float* x) { float sum = sqrtf(x[threadIdx.x]); x[0] = sum + a::b; }\n"
    )
    assert read.nvrtc == read.clang
    for word in ("scale_u", "sum_u", "a_u::b_u", "sqrtf", "threadIdx", "__global__"):
        assert word in read.nvrtc
    assert "sqrtf_u" not in read.nvrtc and "threadIdx_u" not in read.nvrtc


def test_names_in_messages_are_the_texts_own():
    assert text.named_back('"total_u" has no member sum_u_u') == '"total" has no member sum_u'
    assert text.renamed("ops::scale<float, 3>") == "ops_u::scale_u<float, 3>"


def test_lines_stay_where_they_are():
    source = "/* a\nb */ int x; // c \\\nd\n#define TWO(a) \\\n  ((a) * 2)\n#include <cmath>\nint y;\n"
    for version in (text.read(source).nvrtc, text.read(source).clang):
        assert version.count("\n") == source.count("\n")
        assert version.split("\n")[6] == "int y;"
        assert "include" not in version


def test_arrays_in_shared_memory_have_gaps_for_clang_alone():
    source = "__global__ void k() { __shared__ float s[4]; extern __shared__ int d[]; s[0] = d[0]; }"
    read = text.read(source)
    assert "wm_gap1" in read.clang and "wm_gap" not in read.nvrtc and "wm_gap2" not in read.clang
    assert read.dynamic == {"d_u"}


def test_conditions_are_decided_before_a_compiler_reads_the_text():
    source = (
        "#define A 1\n#ifdef A\nint a;\n#ifdef B // no\nint b;\n#else /* is\nfor both */\nint c;\n#endif\n"
        "#else\nint d;\n#endif\n#undef A\n#ifndef A\nint e;\n#endif\n#ifndef M_PI\nint f;\n#endif\n"
        "#if 0\n#ifdef linux\n#endif\n#define g 1\n#else\nint g;\n#endif\n#define B\n"
    )
    read = text.read(source)
    assert read.nvrtc == read.clang and "#if" not in read.nvrtc and "#e" not in read.nvrtc
    assert [name for name in "abcdefg" if f" {name}_u" in read.nvrtc] == ["a", "c", "e", "g"]
    assert read.nvrtc.count("\n") == source.count("\n")
    for broken in ("#endif\n", "#else\n", "#if 0\n", "#if 1\n#else\n#else\n#endif\n"):
        with pytest.raises(text.Broken):
            text.read(broken)
    for name in (
        "__CUDACC__",
        "_MSC_VER",
        "__clang__",
        "linux",
        "EOF",
        "ENOMEM",
        "assert",
        "INT8_MAX",
        "NVCC_X",
    ):
        with pytest.raises(text.Refused) as refused:
            text.read(f"#ifndef {name}\n#define {name} 1\n#endif\n")
        assert name in str(refused.value)
    for source in (
        "#ifdef DEBUG\n",
        "#if DEBUG\n",
        "#if 0\n#elif 1\n",
        "#if 0\n#elifndef A\n",
        "#if 0\n#if 2\n",
    ):
        with pytest.raises(text.Refused) as refused:
            text.read(source + "#endif\n#endif\n")
        assert source.rpartition("#")[2].strip() in str(refused.value)
    read = text.read("#include <cstdint>\n#ifdef INT8_MAX\nint a;\n#endif\n")
    assert "int a_u" in read.nvrtc


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("#define F(a, b) a##b\nF(x, 1) F(, y) F(1, 2)", "x1_u y 12"),
        ('#define S(a) #a\nS( "x\\n"  + 1 )', '"\\"x\\\\n\\" + 1"'),
        ("#define A(...) f(__VA_ARGS__)\nA() A(1, (2, 3))", "f_u ( ) f_u ( 1 , ( 2 , 3 ) )"),
        ("#define A(a, ...) a - __VA_ARGS__\nA(1) A(1, 2)", "1 - 1 - 2"),
        ("#define f(a) a + f(a)\nf(f(1))", "1 + f_u ( 1 ) + f_u ( 1 + f_u ( 1 ) )"),
        ("#define M -\n-M-1", "- - -1"),
        ("#define A B\n#define B 3\nA A_", "3 A__u"),
        ("#define N\\\n 4\nN /* , */ N", "4 4"),
        ("#define min(a, b) ((a) < (b) ? (a) : (b))\nmin(x, 2)", "( ( x ) < ( 2 ) ? ( x ) : ( 2 ) )"),
        ('"\u00b5%: <:" // %:\n', '"\\302\\265%: <:"'),
        ('_Pragma("unroll 2")', '_Pragma ( "unroll 2" )'),
    ],
)
def test_macros_are_replaced(source, words):
    read = text.read(source + ";")
    assert read.nvrtc.replace("(", " ( ").replace(")", " ) ").rstrip(";").split() == words.split()
    assert read.nvrtc == read.clang


@pytest.mark.parametrize(
    "source",
    [
        "#define F(a) a\nF(1, 2)",
        "#define F(a) a\nF(1",
        "#define F(a) a##\nF(1)",
        "#define F(a, b) a##b\nF(+, x)",
        "#define F(a, ...) g(a, ##__VA_ARGS__)\nF(1)",
        "#define F(a) #b\nF(1)",
        "#define F(a) a\nF\n#define G 1\n(1)",
        "#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)",
        "#define A 1\n#define A 2\n",
        "#define double float\n",
        "#define __shared__\n",
        "#define J(a, b) a##b\nJ(__att, ribute__)",
        "#define D double\n__device__ void f() { sizeof(long D); }",
        "__device__ void f() { sizeof(double const long); }",
        "__device__ double a = 1.0L;",
        "__device__ bool b = noexcept(f(1));",
        "[[noreturn]] __device__ void f();",
        "template <class T> __device__ auto f(T t) -> decltype(g(__popc, t));",
        'R"(a)"',
        "".join(f"#define {a} {' '.join(b * 9)}\n" for a, b in itertools.pairwise("ABCDEFG")) + "A",
    ],
)
def test_macros_and_words_that_are_refused(source):
    with pytest.raises(text.Refused):
        text.read(source + "\n")


def test_what_cuda_has_and_the_machine_has_not_is_told_apart():
    for source in ("#include <cub/cub.cuh>\n", "using namespace thrust;", "int a = nvcuda::b;"):
        with pytest.raises(text.Lacking):
            text.read(source)
    for source in ("#include <x>\n", "int a = __builtin_b;"):
        with pytest.raises(text.Refused) as refused:
            text.read(source)
        assert type(refused.value) is text.Refused
    assert "thrust_u" in text.read("__device__ float f(float thrust) { return thrust; }").clang


def test_headers_that_become_a_part_of_the_text():
    for name in ("cuda_fp16.h", "cuda_bf16.h", "cooperative_groups.h", "cooperative_groups/reduce.h"):
        source = f"int a;\n#include <{name}>\n#include <{name}>\nint b;\n"
        read = text.read(source)
        for version in (read.nvrtc, read.clang):
            assert version.count("\n") == source.count("\n")
            assert version.split("\n")[3] == "int b_u;" and not version.split("\n")[2]
        assert "nodebug" in read.clang and "nodebug" not in read.nvrtc
    half = text.read("#include <cuda_fp16.h>\n").nvrtc
    brain = text.read("#include <cuda_bf16.h>\n").nvrtc
    assert "struct __half_u" in half and "__half2float_u" in half and "<5, 10>" in half
    assert "struct __nv_bfloat16_u" in brain and "__bfloat162float_u" in brain and "<8, 7>" in brain
    assert not re.search(r"half(?!ves)", brain)


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("cuda_fp16.h", "__hadd_sat"),
        ("cuda_fp16.h", "h2exp10"),
        ("cuda_bf16.h", "__float2bfloat16_rz"),
        ("cooperative_groups.h", "this_grid"),
        ("cooperative_groups.h", "inclusive_scan"),
        ("cmath", "__fadd_rz"),
        ("cmath", "__vadd4"),
    ],
)
def test_what_a_header_lacks_is_named(header, name):
    with pytest.raises(text.Lacking) as lacking:
        text.read(f"#include <{header}>\n__device__ int f() {{ return {name}(1); }}\n")
    assert name in str(lacking.value)
    if not name.startswith("__"):
        assert f"{name}_u" in text.read(f"__device__ int f() {{ return {name}(1); }}\n").nvrtc


def test_private_names_of_our_headers_are_nobodys():
    for word in ("__wm_half_narrow", "__wm_rank"):
        with pytest.raises(text.Refused):
            text.read(f"#include <cuda_fp16.h>\n__device__ int a = {word};\n")


def test_device_variables_have_gaps_and_functions_none():
    read = text.read(
        "__device__ int a[4] = {1}; __constant__ float b;\n__device__ int f(int c) { return c; }\n"
    )
    assert read.clang.count("wm_gap1_") == read.clang.count("wm_gap2_") == 2 and "wm_gap3" not in read.clang
    other = text.read("__device__ int other;\n")
    assert not set(re.findall(r"wm_gap\w+", read.clang)) & set(re.findall(r"wm_gap\w+", other.clang))
    assert "wm_gap" not in read.nvrtc


def test_bytes_of_ones_of_the_texts_own():
    for source in (
        "int a[2] = {-1, -1};",
        "const int a = -1;",
        "#define A 255\nint a = A;",
        "int a[1] = {INT_MAX};",
    ):
        assert text.may_fill_with_ones(text.read(source))
    for source in ("return n - 1;", "return __ballot_sync(0xffffffffu, n);"):
        assert not text.may_fill_with_ones(text.read(f"__device__ int f(int n) {{ {source} }}"))


def test_constants_of_headers_may_be_defined_once_more():
    assert text.read("#define M_PI 3.14\nM_PI;").nvrtc.split() == ["3.14", ";"]
    for name in ("int", "asm", "__global__"):
        with pytest.raises(text.Refused):
            text.read(f"#define {name} 1\n")


@pytest.mark.parametrize(
    "source",
    [
        "static __device__ float f() { return 1.5e-3f + 0x1fu + 1'000; }",
        "__global__ void k() { static const int a[2] = {1, 2}; constexpr int b = a::b; }",
        "struct S { static __device__ int f(); int a[2]; };",
        "struct alignas(16) S { static __device__ int f() { return 1; } int a[2]; };",
        "struct S : B<int(int)> { __device__ static int f() { return 1; } };",
        "__global__ void k() { constexpr static int n = 1; const static float w[2] = {1, 2}; }",
        "#define OP(name, op) struct name { static __device__ int f(int a) { return a op 1; } };\n"
        "OP(Add, +)\n",
        'extern "C" __global__ void k(int* x) { }',
        'extern "C" { __global__ void k(int* x) { } }',
        "[[nodiscard]] __device__ int f(int a) { return a; }",
        "__global__ void k(int* x) { int a[2][2]; a[x[0]][x[1]] = 1; char c = '\\''; }",
        "#define A 3\n#define N(a, b) ((a) + (b))\n#pragma unroll 4\n#undef A\n",
        "#pragma unroll\n",
        "int a = b<::c>();".replace("<::", "< ::"),
    ],
)
def test_texts_that_are_taken(source):
    text.read(source)


def test_every_right_kernel_is_taken_as_it_is():
    for draw in RIGHT.values():
        text.read(draw(np.random.default_rng(0)).text)


def test_what_is_refused_names_its_line():
    for name in ("a condition", "an attribute", "assembly", "a static variable"):
        with pytest.raises(text.Refused) as refused:
            text.read("\n\n" + REFUSED[name][0])
        assert "line 3" in str(refused.value) or "line 4" in str(refused.value)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("__device__ int f() {\n return sizeof 'a'u; }", 2),
        ('__device__ int f() {\n return g(R"(a)"); }', 2),
        ("__device__ int f() {\n static int a = 1; }", 2),
        ("\n\nextern int a;", 3),
        ("struct S {\n};\n[[gnu::noinline]] __device__ int f();", 3),
        ("__shared__ float s[3];", 1),
        ("#define A static\n__device__ void f() { A int n; }", 2),
        ("\n#define while 3\n", 2),
        ("#undef sqrtf\n", 1),
        ("#pragma nv_diag_suppress 3\n", 1),
        ("#if 2\n#endif\n", 1),
        ("__global__ void k() {\n static const int* p; }", 2),
        ("__global__ void k() {\n static int p[sizeof(const int)]; }", 2),
        ("__global__ void k() { auto f = [] {\n static S<const int> p; }; }", 2),
        ("__global__ void k() { struct S* s = [] {\n static int n; return &n; }(); }", 2),
        ("__device__ int f() { return 1; }}", 1),
        ("__device__ double a = 1.5q;", 1),
        ("__global__ void k() {\n#include <sys/stat.h>\n}", 2),
        ("__global__ void k() {\n j<<<1, 2>>>(); }", 2),
        ("__device__ int f(char* p) { return\n dynamic_cast<int>(p); }", 2),
        ("__device__ int f() { return\n cub::sum(); }", 2),
    ],
)
def test_texts_that_are_refused(source, line):
    with pytest.raises(text.Refused) as refused:
        text.read(source)
    assert f"line {line}" in str(refused.value)


def test_attributes_stay_and_the_same_words_elsewhere_do_not():
    read = text.read("__device__ int f(int likely) { if (likely) [[likely]] return 1; return unlikely; }")
    assert read.nvrtc.count("likely_u") == 3 and "[[likely]]" in read.nvrtc and "unlikely_u" in read.nvrtc


def test_no_word_of_our_headers_own_is_known():
    for word in ("__is_integral", "__is_same", "__attribute__", "wm_told", "__VA_ARGS__", "XX"):
        assert word not in text.known()
    for word in ("atomicAdd", "__shfl_xor_sync", "rsqrtf", "float4", "__syncthreads_count", "__global__"):
        assert word in text.known()


def test_what_the_machine_is_asked():
    x, y = np.arange(5, dtype=np.float32), np.zeros((3, 2), np.uint8)
    truths, records = np.zeros(2, bool), np.zeros(2, "i4,f4")
    text_of_k = "__global__ void k() { extern __shared__ int d[]; }"
    launch = Launch("k", [x, y, 7, np.float64(0.5), None, x, truths, records], (2, 1, 1), (32, 1, 1), 64)
    job = check.job(text_of_k, [launch], seed=3)
    try:
        assert [(row["size"], row["item"], row["letter"]) for row in job.wanted["arrays"]] == [
            (20, 4, "f"), (6, 1, "u"), (2, 1, "b"), (16, 8, "o"),
        ]  # fmt: skip
        [asked] = job.wanted["launches"]
        assert asked["parameters"] == [0, 1, 7, 0.5, None, 0, 2, 3]
        assert asked["is_array"] == [True, True, False, False, True, True, True, True]
        assert asked["passes"] == check.passes(3) and asked["shared"] == 64
        assert job.wanted["dynamic"] == ["d_u"]
        starts = [row["offset"] for row in job.wanted["arrays"]] + [
            at for row in asked["results"] for at in row
        ]
        assert len(set(starts)) == 4 * 5 and all(at % 64 == 0 for at in starts)
    finally:
        job.close()


@pytest.mark.parametrize(
    "arguments",
    [
        [np.arange(8)[::2]],
        [np.array([None])],
        [(both := np.zeros(8)), both[1:]],
        ["x"],
        [np.zeros(65 << 17)],
    ],
)
def test_arguments_that_are_not_taken(arguments):
    launch = Launch("k", [3, *arguments], (1, 1, 1), (1, 1, 1))
    with pytest.raises(UserError, match=r"argument [23]|numpy|together"):
        check.job("__global__ void k() { }", [launch])


def test_arguments_of_the_command_line():
    assert parsed("3") == 3 and parsed("2.5") == 2.5 and parsed("null") is None
    assert parsed("int32*4=7").tolist() == [7] * 4
    assert set(parsed("bool*100").tolist()) == {False, True}
    assert parsed("int32*1000").max() > 90 and parsed("int32*1000").min() == 0
    assert parsed("float64*100").min() < 0 < parsed("float64*100").max() < 1
    assert (parsed("int32*9") == parsed("int32*9", 0)).all()
    drawn = parsed("float32*100", 1)
    assert drawn.dtype == "float32" and len(set(drawn.tolist())) > 90
    assert (drawn == parsed("float32*100", 1)).all() and (drawn != parsed("float32*100", 2)).any()
    for wrong in ("float31*4", "int8*4=300", "float32*", "x", "@/nowhere.npy", "float64*999999999"):
        with pytest.raises(UserError):
            parsed(wrong)


def test_sizes():
    assert size("block", 32, 1024, (1024, 1024, 64)) == (32, 1, 1)
    assert size("block", [4, 2], 1024, (1024, 1024, 64)) == (4, 2, 1)
    assert size("block", (8, 8, 16), 1024, (1024, 1024, 64)) == (8, 8, 16)
    for wrong in ((1, 1, 65), (8, 8, 17), (32, 33), (), (1, 1, 1, 1), 0):
        with pytest.raises(UserError):
            size("block", wrong, 1024, (1024, 1024, 64))


REPORT = {
    "line": 3, "other_line": 2, "where": "s", "offset": 8, "thread": 33, "other": 1, "count": 1,
    "size": 4, "writes": True, "mask": 5,
}  # fmt: skip


def test_every_kind_has_a_sentence():
    for number in NAMES:
        made = finding({**REPORT, "kind": number}, (32, 1, 1))
        assert made.line == 3 and made.message
        if number < FIRST_NOTE:
            assert "thread 1 of block 1" in made.message
    assert max(NAMES) == TOO_LARGE


def test_kinds_have_the_numbers_of_the_runtime():
    """Its words and ours differ in form only, but where several of its kinds are one of ours."""
    runtime = Path(text.__file__).with_name("runtime.cpp").read_text()
    listed = re.search(r"enum Kind : u32 \{(.*?)\}", runtime, re.DOTALL)
    assert listed
    words = [word.partition("=")[0].strip() for word in listed[1].split(",")]
    words.remove("FIRST_NOTE")
    assert words[FIRST_NOTE] == "SAME_VALUE" and words[TOO_LARGE] == "TOO_LARGE"
    ours = {
        "WRITE_WRITE": "write-write race", "READ_WRITE": "read-write race",
        "ATOMIC_PLAIN": "write-write race",
        "INPUT_WRITTEN": "write to an input", "DIVERGENT": "divergent barrier", "ASSERT": "trap",
        "MISALIGNED": "misaligned access", "DIVISION": "undefined arithmetic", "DEEP": "out of bounds",
        "LOCAL_BOUNDS": "out of bounds", "BLOCK_SCOPE": "write-write race", "CRASH": "out of bounds",
        "LANE_USED": "unset read", "SHIFT": "undefined arithmetic", "CONVERSION": "undefined arithmetic",
        "FORMAT": "bad call", "RETURNED": "out of bounds",
        "READ_BESIDE_ATOMIC": "read beside atomics", "FINISHED": "finished thread",
    }  # fmt: skip
    plain = {word: word.lower().replace("_", " ") for word in words}
    for number, word in enumerate(words[1:], 1):
        assert finding({**REPORT, "kind": number}, (32, 1, 1)).kind == (plain | ours)[word]
    assert NOTES == ("same value", "read beside atomics", "finished thread", "inactive lane", "maybe unset")


def test_where_a_finding_is():
    report = {**REPORT, "kind": 4, "other_line": 0, "where": "", "writes": False}
    assert "no array" in finding(report, (32, 1, 1)).message
    assert "null" in finding({**report, "where": "null"}, (32, 1, 1)).message
    assert "s, has no byte 8" in finding({**report, "where": "s"}, (32, 1, 1)).message
    assert "memory" in finding({**report, "kind": 5}, (32, 1, 1)).message
    stuck, lanes = ({**report, "kind": 8, "size": size} for size in (1, 2))
    assert "barrier" in finding(stuck, (32, 1, 1)).message
    assert "0x00000005" in finding(lanes, (32, 1, 1)).message
