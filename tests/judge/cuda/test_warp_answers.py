"""Answers in CUDA as Warp generates it whose threads meet: atomics are told from what looks like them."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from toys.judged import row_at

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.judge.hidden import expect
from warp_ir_dataset.judge.question import question_of
from warp_ir_dataset.judge.referee import Prepared
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.machine import check

pytestmark = [pytest.mark.process, pytest.mark.compile]

REFUSED = Status.COMPILE_ERROR
SUM = ("atomic", 2683)  # threads read what others read too, and add to one number
_ADDED = re.compile(r"(\w+) = wp::atomic_add\((\w+), (\w+), (\w+)\);")

# What stands in place of an atomic, which gives its `old` value and adds `value` at the index `i` of the
# array `a`; and a word of the feedback, None where nothing is wrong with it.
INSTEAD: dict[str, tuple[str, str | None]] = {
    "a load and a store": (
        "old = wp::load(wp::address(a, i)); wp::array_store(a, i, wp::add(old, value));", "race"),
    "a pointer": ("{ auto* at = wp::address(a, i); *at = *at + value; }", "race"),
    "an assignment": ("a.data[i] += value;", "race"),
    "a reference": ("{ auto& at = wp::index(a, i); old = at; at = old + value; }", "race"),
    "bytes": ("{ old = a.data[i] + value; memcpy(&a.data[i], &old, sizeof(old)); }", "race"),
    "a volatile pointer": ("{ volatile auto* at = a.data + i; *at = *at + value; }", "race"),
    "from beside a local": (
        "{ char x, y; long far = (char*)(a.data + i) - &y; *(float*)(&x + far - 1) += value; }",
        "out of bounds"),
    "an exchange": (
        "old = wp::atomic_add(a, i, value - value); wp::atomic_exch(a, i, old + value);", "is wrong"),
    "an exchange that may fail": (
        "old = wp::load(wp::address(a, i)); wp::atomic_cas(a, i, old, old + value);", "is wrong"),
    "the last of all": (
        "old = wp::atomic_max(a, i, value - value); wp::atomic_max(a, i, old + value);", "is wrong"),
    "an exchange until it succeeds": (
        "old = wp::load(wp::address(a, i)); while (wp::atomic_cas(a, i, old, old + value) != old)"
        " old = wp::load(wp::address(a, i));", None),
    "one that is in other words": ("old = wp::atomic_sub(a, i, -value);", None),
    "one by a pointer": ("old = wp::atomic_add(wp::address(a, i), value);", None),
    "two halves": ("old = wp::atomic_add(a, i, value / 2.0f); wp::atomic_add(a, i, value / 2.0f);", None),
    "CUDA's own": ("old = atomicAdd(&a.data[i], value);", None),
    "CUDA's own exchange until it succeeds": (
        "{ int* at = (int*)&a.data[i]; int was = *at, seen; do { seen = was;"
        " was = atomicCAS(at, seen, __float_as_int(__int_as_float(seen) + value)); } while (was != seen); }",
        None),
    "CUDA's own that may fail": (
        "{ int* at = (int*)&a.data[i]; int was = *at;"
        " atomicCAS(at, was, __float_as_int(__int_as_float(was) + value)); }", "is wrong"),
    "a load that expects no writes": ("a.data[i] = __ldg(&a.data[i]) + value;", "race"),
    "a format that writes": (
        "{ auto t = a.data[i] * 0 + value; for (int k = 0; k < 4; ++k)"
        ' printf("%*s%hhn", (int)((unsigned char*)&t)[k], "", (char*)&a.data[i] + k); }', "printf"),
    "a type with a sum of its own": (
        "{ struct Sum { float v; Sum& operator+=(const Sum& o) { float t = v; v = t + o.v; return *this; } };"
        " wp::atomic_add((Sum*)&a.data[i], Sum{value}); }", "atomics of this type"),
    "an atomic of bytes beside it": (
        "wp::atomic_add(a, i, value); wp::atomic_add((unsigned char*)&a.data[i], (unsigned char)0);",
        "atomics of this type"),
    "what tells of atomics": (
        "wm_atomic_begins(a.data, 4, a.data); a.data[i] += value; wm_atomic_ends();", "wm_atomic_"),
    "what an atomic is made of": (
        "{ wp::wm_one_atomic one(a.data, 4); a.data[i] += value; }", "wm_one_atomic"),
    "an atomic of a type of its own": (
        "{ struct Sum { float v; void operator+=(const Sum& w) { v = v + w.v; } };"
        " wp::atomic_add((Sum*)&a.data[i], Sum{value}); }", "atomics"),
    "an atomic of a byte": (
        "old = wp::atomic_add(a, i, value); wp::atomic_add((unsigned char*)&a.data[i], (unsigned char)0);",
        "atomics"),
    "an atomic of a local": (
        "{ float sum = 0.0f; wp::atomic_add(&sum, value); old = wp::atomic_add(a, i, sum); }",
        "wrong memory"),
    "a value that printf writes": (
        '{ auto w = a.data[i] + value; printf("%*s%hhn", ((signed char*)&w)[0], "", (char*)&a.data[i]); }',
        "printf"),
    "what printf reads": (
        'old = wp::atomic_add(a, i, value); printf("%.2s", (char*)(a.data + 1));', "out of bounds"),
    "what printf may read": (
        'old = wp::atomic_add(a, i, value); printf("%s %5.2f%% %lld\\n", "abc", value, 1ll);', None),
    "half of a word": (
        "old = wp::atomic_add(a, i, value); if (*(int*)((char*)&a.data[i] + 1) == 12345) old = value;",
        "misaligned"),
    "a local at an odd place": (
        "old = wp::atomic_add(a, i, value);"
        " { char b[24]; volatile double* at = (volatile double*)(b + 1); *at = 5.0; }", "misaligned"),
    "a shift by all bits": (
        "{ unsigned n = 32; if ((1u << n) == 1u) old = wp::atomic_add(a, i, value); }", "undefined"),
    "a conversion of what is too small": (
        "{ double f = -1.0; if ((unsigned)f == 0xffffffffu) old = wp::atomic_add(a, i, value); }",
        "undefined"),
    "an address that tells": (
        "if (((size_t)a.data >> 40) == 0x20) old = wp::atomic_add(a, i, value);", "is wrong"),
    "a local of what has returned": (
        "{ auto gone = [](int n) { int b[4]; b[0] = n; int* at = b; return at; };"
        " if (*gone(1) == 1) old = wp::atomic_add(a, i, value); }", "out of bounds"),
    "an array of any length": (
        "old = wp::atomic_add(a, i, value); { int n = i + 2; int b[n]; b[0] = 1; }", "variable length"),
    "a label as a value": (
        "old = wp::atomic_add(a, i, value); { void* at = &&out; goto *at; out:; }", "label"),
    "statements as a value": (
        "old = wp::atomic_add(a, i, value); old = ({ auto b = old; b; });", "statement"),
}  # fmt: skip


# Beside the atomic: what a compiler for a device takes, and what it does not.
BESIDE = {
    "an array of variable length": "int n = i + 2; int b[n]; b[0] = 1;",
    "a statement that is an expression": "int q = ({ int t = 1; t; });",
    "the address of a label": "void* l = &&out; goto *l; out:;",
    "a range of cases": "switch (i) { case 1 ... 5: break; }",
    "an array of nothing": "int z[0]; (void)z;",
    "a literal of a struct": "struct P { int a; }; int q = ((P){1}).a;",
    "members by name": "struct P { int a, b; }; P p = {.a = 1, .b = 2};",
    "templates of a later C++": "auto g = []<typename T>(T x) { return x; }; g(1);",
    "a register": "register int q = 1;",
    "a name with a dollar": "int a$b = 1;",
    "a name with an accent": "int \u00e9 = 1;",
    "an anonymous struct": "struct P { struct { int a; }; }; P p; p.a = 1;",
    "an attribute": "if (i >= 0) [[likely]] {}",
    "a lambda": "auto g = [=](auto... x) { return sizeof...(x) + i; }; g(1, 2);",
    "vectors": "float3 v = make_float3(1, 2, 3); dim3 d(1); int4 w = {1, 2, 3, 4}; v.x += d.x + w.x;",
    "functions of CUDA's": (
        "float q = rsqrtf(2.0f) + fmaxf(1.0f, 2.0f) + __fmaf_rn(1.0f, 2.0f, 3.0f) + fabsf(1.0f)"
        " + __expf(1.0f) + __popc(3u) + __clz(1) + min(1, 2) + max(1.0, 2.0) + abs(-1) + hypotf(3.0f, 4.0f)"
        " + copysign(1.0, 2.0);"
    ),
    "what threads do": "__syncthreads(); __threadfence(); unsigned q = __ballot_sync(__activemask(), 1);",
    "words of CUDA's": "__align__(16) int q = warpSize; float* __restrict__ p = 0; assert(i >= 0);",
    "a table of texts": 'static const char* const T[2] = {"a", "b"}; if (T[i & 1][0] == 122) old = value;',
}  # fmt: skip
# And before the kernel.
BEFORE = {
    "a constant": "__constant__ double W[3] = {1, 2, 3};\n",
    "a function of the host": "__host__ static void h() {}\n",
    "a function of both": "static __host__ __device__ __forceinline__ int h() { return 1; }\n",
    "a function of Warp's for a processor": 'static void h() { _wp_assert("a", "b", 1); }\n',
}
# By which a text is another one on a device.
TELLS = {
    "a name of the compiler's": "\n#ifndef CUDART_VERSION\nRIGHT\n#endif\n",
    "a word of CUDA's": "\n#ifdef __device__\nRIGHT\n#endif\n",
    "the size of tiles, for the preprocessor": "\n#if WP_TILE_BLOCK_DIM == 1\nRIGHT\n#endif\n",
    "the size of tiles": "if (WP_TILE_BLOCK_DIM == 1) RIGHT",
    "the size of a block": "if (builtin_block_dim() == 1) RIGHT",
    "a tile": (
        "auto t = wp::tile<wp::int32>(i); auto s = wp::tile_sum(t); if (wp::tile_extract(s, 0) == i) RIGHT"
    ),
    "the text of a word": "\n#define TEXT(x) #x\n#define T(x) TEXT(x)\nif (sizeof(T(__device__)) == 1) RIGHT",
}
RIGHT = "old = wp::atomic_add(a, i, value);"


def nvrtc_takes(code: str) -> bool:
    try:
        warp.compile_ptx(warp.preamble("cuda", [code]) + code, warp.GATE_ARCH)
    except warp.CompileError:
        return False
    return True


@pytest.mark.parametrize("how", [*BESIDE, *BEFORE])
def test_what_nvrtc_refuses_is_refused(judge, how: str) -> None:
    row = row_at("cuda", *SUM)
    code = BEFORE.get(how, "") + instead_of_the_atomic(row, f"{RIGHT} {{ {BESIDE.get(how, '')} }}")
    verdict = judge(row, code)
    assert verdict.status is (Status.CORRECT if nvrtc_takes(code) else REFUSED), verdict.feedback


@pytest.mark.parametrize("how", TELLS)
def test_nothing_tells_the_machine_from_a_device(judge, how: str) -> None:
    row = row_at("cuda", *SUM)
    assert judge(row, instead_of_the_atomic(row, TELLS[how].replace("RIGHT", RIGHT))).value == 0.0


def instead_of_the_atomic(row: dict[str, Any], code: str) -> str:
    """The row's text with that code in place of its one atomic."""
    found = _ADDED.search(row["completion"])
    assert found
    names = dict(zip(("old", "a", "i", "value"), found.groups(), strict=True))
    code = re.sub(r"(?<![\w:])(?:old|a|i|value)(?!\w)", lambda word: names[word[0]], code)
    return row["completion"].replace(found[0], code)


@pytest.mark.parametrize("config", ["cuda", "cuda_backward"])
@pytest.mark.parametrize("how", INSTEAD)
def test_an_atomic_is_told_from_what_is_none(judge, how: str, config: str) -> None:
    row, (code, told) = row_at(config, *SUM), INSTEAD[how]
    verdict = judge(row, instead_of_the_atomic(row, code))
    assert verdict.value == (1.0 if told is None else 0.0)
    assert told is None or told in verdict.feedback


_GATHERED = re.compile(r"wp::adj_address\((\w+), (\w+), adj_\w+, \w+, (\w+)\);")


def test_gradients_that_threads_share_are_added_by_atomics(judge) -> None:
    """Of what one thread alone reads, a plain addition is right."""
    row = row_at("cuda_backward", *SUM)
    assert judge(row, row["completion"]).value == 1.0
    verdicts = []
    for found in _GATHERED.finditer(row["completion"]):
        array, index, gradient = found.groups()
        plain = f"{{ auto& at = wp::index_grad({array}, {index}); at = at + {gradient}; }}"
        text = row["completion"]
        verdicts.append(judge(row, text[: found.start()] + plain + text[found.end() :]).status)
    assert {*verdicts} == {Status.CORRECT, Status.WRONG_OUTPUT}


def test_an_element_of_one_thread_needs_no_atomic(judge) -> None:
    row = row_at("cuda")
    store = "wp::array_store(var_results, var_0, var_2);"
    added = "wp::array_store(var_results, var_0, 0.0); var_results.data[var_0] += var_2;"
    assert store in row["completion"]
    assert judge(row, row["completion"].replace(store, added)).value == 1.0


@pytest.mark.parametrize(("bounds", "value"), [("1", 0.0), ("128, 2", 0.0), ("256", 1.0), ("512, 1", 1.0)])
def test_a_kernel_takes_the_blocks_that_are_launched(judge, bounds: str, value: float) -> None:
    row = row_at("cuda")
    verdict = judge(
        row, row["completion"].replace("__global__", f"__launch_bounds__({bounds}) __global__", 1)
    )
    assert verdict.value == value
    assert value or "256" in verdict.feedback


def test_what_has_no_end_is_ended(judge) -> None:
    """A lock that is never given back, and a loop that touches nothing."""
    row = row_at("cuda", *SUM)
    for code in (
        "while (wp::atomic_cas(a, i, value, value) != -12345.0f);",
        "for (int k = 0; k < 1; k += 0);",
    ):
        verdict = judge(row, instead_of_the_atomic(row, code))
        assert (verdict.status, verdict.value) == (Status.TIMEOUT, 0.0)


def test_the_largest_launch_is_one_whose_threads_are_stopped_for_one_another() -> None:
    """Where few threads meet at a place, no other launch shows that one comes between two atomics."""
    question = question_of(row_at("cuda", *SUM), CONFIGS["cuda"])
    prepared = Prepared.of(question, expect(question, "orders"), None)
    orders = {launch.order[0] for launch in prepared.launches}
    assert orders == {check.FORWARD, check.BACKWARD, check.RANDOM}
    sizes = [math.prod(case.signature.launch_dim) for case in prepared.pages.cases]
    largest = [
        launch.order[0] for launch, size in zip(prepared.launches, sizes, strict=True) if size == max(sizes)
    ]
    assert check.RANDOM in largest
