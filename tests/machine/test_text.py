"""How a text is read, before any compiler sees it."""

from __future__ import annotations

import pytest
from machine.attacks import REFUSED
from machine.right import RIGHT

from warp_ir_dataset.machine import text
from warp_ir_dataset.machine.check import parsed, size
from warp_ir_dataset.machine.findings import FIRST_NOTE, NAMES, TOO_LARGE, finding


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
    )
    read = text.read(source)
    assert read.nvrtc == read.clang and "#if" not in read.nvrtc and "#e" not in read.nvrtc
    assert [name for name in "abcdef" if f" {name}_u" in read.nvrtc] == ["a", "c", "e"]
    assert read.nvrtc.count("\n") == source.count("\n")
    for broken in ("#endif\n", "#else\n", "#ifdef A\n", "#ifdef A\n#else\n#else\n#endif\n"):
        with pytest.raises(text.Broken):
            text.read(broken)
    for name in ("__CUDACC__", "_MSC_VER", "__clang__"):
        with pytest.raises(text.Refused):
            text.read(f"#ifndef {name}\n#endif\n")


def test_what_cuda_has_and_the_machine_has_not_is_told_apart():
    for source in ("#include <cub/cub.cuh>\n", "using namespace thrust;", "int a = nvcuda::b;"):
        with pytest.raises(text.Lacking):
            text.read(source)
    for source in ("#include <x>\n", "int a = __builtin_b;"):
        with pytest.raises(text.Refused) as refused:
            text.read(source)
        assert type(refused.value) is text.Refused
    assert "thrust_u" in text.read("__device__ float f(float thrust) { return thrust; }").clang


def test_constants_of_headers_may_be_defined_once_more():
    assert text.read("#define M_PI 3.14\n").nvrtc.split() == ["#define", "M_PI", "3.14"]
    for name in ("M_PI(x)", "min", "__global__"):
        with pytest.raises(text.Refused):
            text.read(f"#define {name} 1\n")


@pytest.mark.parametrize(
    "source",
    [
        "static __device__ float f() { return 1.5e-3f + 0x1fu + 1'000; }",
        "__global__ void k() { static const int a[2] = {1, 2}; constexpr int b = a::b; }",
        "struct S { static __device__ int f(); int a[2]; };",
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
    import numpy as np

    for draw in RIGHT.values():
        text.read(draw(np.random.default_rng(0)).text)


def test_what_is_refused_names_its_line():
    for name in ("a condition", "an attribute", "assembly", "a static variable"):
        with pytest.raises(text.Refused) as refused:
            text.read("\n\n" + REFUSED[name][0])
        assert "line 3" in str(refused.value) or "line 4" in str(refused.value)


def test_arguments_of_the_command_line():
    assert parsed("3") == 3 and parsed("2.5") == 2.5 and parsed("null") is None
    assert parsed("int32*4=7").tolist() == [7] * 4
    drawn = parsed("float32*100", 1)
    assert drawn.dtype == "float32" and len(set(drawn.tolist())) > 90
    assert (drawn == parsed("float32*100", 1)).all() and (drawn != parsed("float32*100", 2)).any()
    for wrong in ("float31*4", "int8*4=300", "float32*", "x", "@/nowhere.npy", "float64*999999999"):
        with pytest.raises(text.UserError):
            parsed(wrong)


def test_sizes():
    assert size("block", 32, 1024, (1024, 1024, 64)) == (32, 1, 1)
    assert size("block", [4, 2], 1024, (1024, 1024, 64)) == (4, 2, 1)
    with pytest.raises(text.UserError):
        size("block", (1, 1, 65), 1024, (1024, 1024, 64))


def test_every_kind_has_a_sentence():
    report = {
        "line": 3, "other_line": 2, "where": "s", "offset": 8, "thread": 33, "other": 1, "count": 1,
        "size": 4, "writes": True, "mask": 5,
    }  # fmt: skip
    for number in NAMES:
        made = finding({**report, "kind": number}, (32, 1, 1))
        assert made.line == 3 and made.message
        if number < FIRST_NOTE:
            assert "thread 1 of block 1" in made.message
    assert max(NAMES) == TOO_LARGE
