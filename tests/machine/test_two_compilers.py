"""Whether both compilers see one program: of all of CUDA's functions that our headers have, each says of
calls with many types whether there is such a function and what it returns; and both say what other
expressions are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from warp_ir_dataset.compilers import warp
from warp_ir_dataset.machine import machine, text
from warp_ir_dataset.machine.objects import Object

pytestmark = [pytest.mark.process, pytest.mark.compile]

_SIZES = ["char", "short", "int", "long", "long long"]
WHOLE = [f"{sign} {each}" for sign in ("signed", "unsigned") for each in _SIZES]
NUMBERS = ["bool", "char", *WHOLE, "float", "double"]
FEW = ["bool", "unsigned char", "int", "unsigned int", "long", "unsigned long long", "float", "double"]
STRUCTS = ["uint3", "int2", "int4", "float2", "float4", "double2", "uchar4", "dim3"]
FORMS = ("{}", "const {}", "{}&", "const {}&", "{}*", "const {}*")
CODES = [form.format(each) for each in [*NUMBERS, "void", *STRUCTS] for form in FORMS]
CODES = [each for each in CODES if each not in ("void&", "const void&")]
# Each type has a number; others have the last one.
HEAD = (
    f"template <class T> struct C {{ enum {{ v = {len(CODES) + 1} }}; }};\n"
    + "".join(f"template <> struct C<{each}> {{ enum {{ v = {i} }}; }};\n" for i, each in enumerate(CODES, 1))
    + "template <class T> __device__ T val();\n"
    + "template <class A, class B> struct E { enum { v = 0 }; };\n"
    + "template <class A> struct E<A, A> { enum { v = 1 }; };\n"
)


def test_both_say_the_same(tmp_path):
    """Of what no function returns; ``C<type>::v`` is a type's number."""
    said = seen(tmp_path, HEAD, EXPRESSIONS)
    assert {each: pair for each, pair in said.items() if pair[0] != pair[1]} == {}
    assert said["sizeof(clock())"] == (8, 8) and said["C<decltype(threadIdx)>::v"][0] == code("const uint3")


def test_usual_functions(tmp_path):
    names = ["sqrt", "exp", "log10", "isnan", "signbit", "abs", "lrint", "ilogb"]
    agrees(tmp_path, [*names, *(f"std::{each}" for each in names)], [(each,) for each in NUMBERS])
    agrees(tmp_path, ["pow", "std::pow", "min", "std::max", "fmin"], list(itertools.product(FEW, FEW)))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(6))
def test_functions_of_numbers(tmp_path, first):
    tuples = [(each,) for each in NUMBERS] + list(itertools.product(FEW, FEW))
    tuples += [(each, each, each) for each in FEW]
    agrees(tmp_path, [*NAMES, *STANDARD][first::6], tuples)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(6))
def test_functions_of_pointers_and_lanes(tmp_path, first):
    tuples: list[tuple[str, ...]] = []
    for each in NUMBERS:
        pointer, constant = f"{each}*", f"const {each}*"
        tuples += [(pointer,), (constant,), (pointer, each), (pointer, each, each), ("int", constant)]
        tuples += [(each, pointer), (each, "int*"), (each, pointer, pointer), (each, each, "int*")]
        tuples += [("unsigned int", each), ("unsigned int", each, "int"), ("unsigned int", each, "int*")]
        tuples += [("unsigned int", each, "int", "int"), (each, each, each, each)]
    agrees(tmp_path, NAMES[first::6], tuples, at_once=5)


# Without parameters, which NVRTC refuses arguments of as an error of the whole text.
WITHOUT = {"__activemask", "__brkpt", "__syncthreads", "__trap", "clock", "clock64"} | {
    f"__threadfence{kind}" for kind in ("", "_block", "_system")
}
NAMES = sorted(name for name in text.functions() if not name.startswith("wm_") and name not in WITHOUT)
# Of these NVRTC has one function each, and takes other arguments for an error of the whole text, too.
ALONE = {"memcpy", "memset"}
STANDARD = [
    f"std::{name}"
    for name in NAMES
    if name not in ALONE and re.search(rf"using ::{name};", text.header("both.h"))
]
STANDARD += ["std::min", "std::max"]
SIZES = """
clock(); wchar_t; char16_t; bool; printf(""); size_t(1); threadIdx; warpSize; "a" "b"; "\\0a"; "µ"; 1'000
NULL
"""
TYPES = """
threadIdx; (threadIdx); blockDim; (gridDim); blockIdx.x; warpSize; (warpSize); (threadIdx.x); warpSize + 0
'a'; true ? 1 : 1u; 1.0f * 1; 1.0 * 1.0f; 'a' + 'b'; 1ull << 3; int8_t(); int64_t(); uint64_t(); size_t()
ptrdiff_t(); clock_t(); uint(); std::numeric_limits<long>::max()
"""
VALUES = """
'ab'; (char)200 < 0; (-1 >> 1) < 0; 7 % -3; '\\377' < 0; E<decltype(nullptr), std::nullptr_t>::v
std::numeric_limits<float>::digits; std::is_same<std::remove_cv_t<const int>, int>::value
std::is_signed_v<char>; std::is_unsigned<bool>::value
"""
KINDS = ["char", "ushort", "int", "long", "ulonglong", "float", "double"]
VECTORS = [f"{kind}{n}" for kind in KINDS for n in (1, 2, 3, 4)]
CONSTANTS = sorted(frozenset[str]().union(*text.constants().values()))


def listed(said: str) -> list[str]:
    return said.strip().replace("\n", "; ").split("; ")


EXPRESSIONS = [f"sizeof({each})" for each in [*listed(SIZES), *VECTORS]]
EXPRESSIONS += [f"alignof({each})" for each in VECTORS]
EXPRESSIONS += [f"C<decltype({each})>::v" for each in [*listed(TYPES), *CONSTANTS]]
EXPRESSIONS += [
    f"E<decltype(&{each}), float (*)(float)>::v" for each in ("sqrtf", "expf", "rsqrtf", "erfcxf")
]
EXPRESSIONS += listed(VALUES)


def code(type: str) -> int:
    return CODES.index(type) + 1


def agrees(folder: Path, names: Sequence[str], tuples: Sequence[tuple[str, ...]], at_once: int = 10) -> None:
    """Texts of a few functions each: a text has a size that it may have."""
    said: dict[str, tuple[int, int]] = {}
    for start in range(0, len(names), at_once):
        head, asked = HEAD, []
        for name, arity in itertools.product(names[start : start + at_once], {len(each) for each in tuples}):
            probe = f"p_{name.replace('::', '_')}_{arity}"
            types = ", ".join(f"class A{i}" for i in range(arity))
            call = f"{name}({', '.join(f'val<A{i}>()' for i in range(arity))})"
            head += (
                f"template <{types}> __device__ constexpr auto {probe}(int) -> decltype((void)({call}), 1)"
                f" {{ return C<decltype({call})>::v; }}\n"
                f"template <{types}> __device__ constexpr int {probe}(...) {{ return 0; }}\n"
            )
            asked += [f"{probe}<{', '.join(each)}>(0)" for each in tuples if len(each) == arity]
        said |= seen(folder, head, asked)
    assert {each: pair for each, pair in said.items() if pair[0] != pair[1]} == {}
    assert any(pair[0] for pair in said.values()) and not all(pair[0] for pair in said.values())


def seen(folder: Path, head: str, asked: Sequence[str]) -> dict[str, tuple[int, int]]:
    """What expressions are for NVRTC, by its PTX, and for clang, by its object: numbers of 16 bits."""
    values_asked = ",\n".join(f"(unsigned short)({each})" for each in asked)
    source = (
        f"{head}__device__ unsigned short table[] = {{{values_asked}, 1}};\n"
        "__global__ void k(int* y) { y[0] = table[y[1]]; }\n"
    )
    read = text.read(source)
    gate, unit = machine.units(read, [machine.Kernel("k")])
    ptx, target = folder / "a.ptx", folder / "a.o"
    warp.start()
    warp.gate_cuda(gate, str(folder / "a.cu"), str(ptx))
    found = re.search(r"\.(b8|u16|b16) table_u\[(\d+)\] = \{([^}]*)\}", ptx.read_text())
    assert found
    values = [int(each) for each in found[3].split(",")]
    values += [0] * (int(found[2]) - len(values))
    if found[1] == "b8":
        values = [low + 256 * high for low, high in zip(values[::2], values[1::2], strict=True)]
    warp.build_announced(unit, str(folder / "b.cpp"), str(target), machine.start().folder)
    code = Object(target.read_bytes())
    [symbol] = [each for each in code.symbols if each.name == "table_u"]
    start = code.sections[symbol.section].offset + symbol.value
    raw = bytes(code.data[start : start + symbol.size])
    other = [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]
    assert len(values) == len(other) == len(asked) + 1 and values[-1] == other[-1] == 1
    return {each: (one, two) for each, one, two in zip(asked, values, other, strict=False)}
