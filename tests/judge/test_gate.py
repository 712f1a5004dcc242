"""What no answer may say, found in the text; and what only looks like it."""

from __future__ import annotations

import pytest

from warp_ir_dataset.compilers.warp_text import leaves_its_text
from warp_ir_dataset.judge.gate import FORBIDDEN, forbidden, reserved

SAID = {
    "assembly": [
        'asm("nop");',
        "__asm__ volatile (\"syscall\");",
        "int f() { __asm { nop } }",
        'as\\\nm("nop");',
        "int a = u8'\"'; asm(\"nop\");",
        '#define xR\nxR"("; asm("nop"); //)"',
    ],
    "an include": [
        "#include </etc/passwd>",
        "  #  include_next <stdio.h>",
        "%:include <stdio.h>",
        "/* */ #include <stdio.h>",
        "#inc\\\nlude <stdio.h>",
        "int x = {\n#embed \"/etc/passwd\"\n};",
        "#if __has_include(\"/etc/shadow\")\n#endif",
        '#import "x.h"',
        'R"(\n)"\n#include <stdio.h>\n',
    ],
    "a pragma": ["#pragma once", '_Pragma("GCC poison main")', "# pragma clang optimize off"],
    "a name made of two": ["#define JOIN(a, b) a##b", "%:define JOIN(a, b) a%:%:b"],
    "a directive about lines": ["#line 1 \"/etc/passwd\"", "# 1 \"x\""],
    "an attribute": [
        "__attribute__((constructor)) void f() {}",
        "__attribute((section(\".init_array\"))) int x;",
        "[[gnu::constructor]] void f() {}",
        "[[using gnu: constructor]] void f() {}",
        "[[ clang :: noinline ]] void f() {}",
        "<:<:gnu::constructor:>:> void f() {}",
        "__declspec(naked) void f() {}",
    ],
    "an escaped name": ["int caf\\u00e9 = 1;", "double \\U000000e9h(double x);"],
    "a function of memory that is not called": ["auto f = &memcpy;", "(memmove)(a, b, 4);", "use<memset>();"],
    "a function that no device has": ["int n = memcmp(a, b, 4);", "void* p = calloc(1, 4);"],
    "a module": ["import std;", "module;", "export module x;", "import <vector>;"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "code"), [(name, code) for name, codes in SAID.items() for code in codes])
def test_what_is_forbidden_is_found(name, code):
    assert forbidden(code) == name


def test_every_rule_has_an_example():
    assert SAID.keys() == FORBIDDEN.keys()


@pytest.mark.parametrize(
    "code",
    [
        "// #include <x>\n",
        "/* asm */ int x;",
        "// wp.asm\nint asmx, plasma;",
        'const char* s = "#include asm";',
        "char c = '\"'; // asm",
        'const char* s = R"(\n#include <x>\n)";',
        "int d = 1'000'000; // asm's",
        "#if defined(WP_ENABLE_TILES_IN_STACK_MEMORY)\nint x;\n#endif",
        "#define SQUARE(x) ((x) * (x))",
        "[[maybe_unused]] int x; a[b[0]] = c[[] { return 0; }()];",
        "int important = 3; int line = 2;",
    ],
)
def test_what_only_looks_like_it_is_not(code):
    assert forbidden(code) is None


def test_no_rule_looks_over_the_end_of_a_line():
    """Where one begins with any space, blank lines are gone through once for each of them."""
    assert not any(pattern.pattern.startswith(r"^\s*") for pattern in FORBIDDEN.values())
    assert forbidden("\n" * 100_000 + " #include <x>") == "an include"


@pytest.mark.parametrize(
    "code",
    [
        """switch (0) case'"': __attribute__((disable_sanitizer_instrumentation)) f();""",
        "IGN(0'\"') void f() { wm_atomic_begins(p, 4, p); } // \"",
        """switch (0) { case'"': ; } asm("nop"); // \"""",
        '"\\\f\n"; void f() __attribute__((no_sanitize("thread"))); "',
        "[ [gnu::no_sanitize_thread]] void f();",
        "#define N clang::disable_sanitizer_instrumentation\n[[N]] void f();",
    ],
)
def test_what_only_one_reader_sees_is_refused(code):
    assert forbidden(code) is not None


def test_a_digit_of_a_number_ends_no_word():
    assert forbidden("""int f() { return 0x1'0'1 + 1'000; } // asm's""") is None
    assert reserved("""int n = 1'2 + 'e' + wm_bits(1);""") == "wm_bits"


@pytest.mark.parametrize(
    "text",
    [
        'const wp::str var_1 = "a\\n%d \\"b\\"";',
        '    assert(((void)"assert i >= 0, \\"small\\"",var_1));',
        "    // assert(((void)",
    ],
)
def test_texts_of_warps_end_where_they_are_meant_to(text: str) -> None:
    assert not leaves_its_text(f"{{\n{text}\n}}")


@pytest.mark.parametrize(
    "text",
    [
        'const wp::str var_1 = "\\\\"; f(); //";',
        '    assert(((void)"assert i >= 0, \'\\\\", 0)); f(); //\'",var_1));',
        '    assert(((void)"assert (i >= 0,\n \\"small\\")",var_1));',
    ],
)
def test_texts_that_end_before_that(text: str) -> None:
    assert leaves_its_text(f"{{\n{text}\n}}")


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("#ifdef __clang__\n#endif", "__clang__"),
        ("#if !defined(__CUDA_ARCH__)\n#endif", "__CUDA_ARCH__"),
        ("_BitInt(8) n = 3;", "_BitInt"),
        ("int n = __builtin_popcount(3);", "__builtin_popcount"),
        ("float a = __expf(1.0f) + __fmaf_rn(1.0f, 2.0f, 3.0f); __shared__ int b;", None),
        ("extern char wm_section_3;", "wm_section_3"),
        ('// __clang__\nconst char* s = "__clang__"; int my__name = _lower;', None),
        ('extern "C" __global__ void k() { }', None),
    ],
)
def test_reserved_names_are_cudas(code, name):
    assert reserved(code) == name
