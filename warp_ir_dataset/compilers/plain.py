"""Compiles plain CUDA with Warp's clang for the CPU: adds code around the unchanged text.

Each text stands in a namespace of its own, behind the shim that an exported folder has as a header. It is run
on memory that is laid out by its own types: numbers and structs as C has them, an array as the `Array` of the
prelude.
"""

from __future__ import annotations

import numpy as np

from ..language import ir
from ..language.cuda import shim
from ..language.cuda.render import Parameter, PlainCuda
from ..language.types import Array, Struct, Type, Value, numpy_type
from . import cuda_on_cpu
from .layout import ARGUMENTS, Layout

_POINTER, _INT = 8, 4

# Warp's texts have these as macros, its headers macros that CUDA has not; they stand in front of ours.
_NAMES = """
float int adj_float adj_int
EPSILON kEps DOT CROSS SUB SORT DEG_TO_RAD RAD_TO_DEG RANDN_EPSILON USE_LOAD4 USE_EPSILON_TEST POINT_IN_TRI
EDGE_EDGE_TEST EDGE_AGAINST_TRI_EDGES NEWCOMPUTE_INTERVALS
M_PI_F M_2_SQRT_PI M_2_SQRT_PI_F M_SQRT_PI_2 M_SQRT_PI_F_2
"""
_UNDONE = "".join(f"#undef {name}\n" for name in _NAMES.split())
# Where there is no <math.h>: functions for both floats, as C++ and CUDA have them.
_ONE = "sqrt floor trunc fabs sin cos acos asin exp log erf"
_TWO = "fmod atan2 pow"
_THREE = "fmin fmax copysign"  # which are not there in either
_MATH = "".join(
    f"inline float {name}(float x) {{ return ::{name}f(x); }}\n"
    f"inline double {name}(double x) {{ return ::{name}(x); }}\n"
    for name in _ONE.split()
) + "".join(
    f"inline float {name}(float x, float y) {{ return ::{name}f(x, y); }}\n"
    f"inline double {name}(double x, double y) {{ return ::{name}(x, y); }}\n"
    for name in _TWO.split()
)
# And functions that there are none of; C's fmin and fmax leave out what is not a number.
_OWN = "".join(
    f"inline {type} fmin{f}({type} a, {type} b) {{ return a <= b || b != b ? a : b; }}\n"
    f"inline {type} fmax{f}({type} a, {type} b) {{ return a >= b || b != b ? a : b; }}\n"
    f"inline {type} copysign{f}({type} a, {type} b) {{ return __builtin_copysign{f}(a, b); }}\n"
    for type, f in (("float", "f"), ("double", ""))
)
_OWN += "".join(
    f"inline float {name}(float a, float b) {{ return {name}f(a, b); }}\n" for name in _THREE.split()
)
_TESTS = """
inline int abs(int x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
"""


def runnable(plain: PlainCuda, signature: ir.Signature, prefix: str) -> str:
    """`plain` in a namespace, with the C entry ``<prefix>_plain``: it launches the kernel over the sizes of
    as many dimensions as the signature's launch has, which Warp's launch bounds begin with, on arguments as
    `arguments` lays them out, in the grid whose words are behind them."""
    return (
        f"{_UNDONE}namespace {namespace(prefix)} {{\n{shim.MACROS}{cuda_on_cpu.GLOBAL}"
        f"{cuda_on_cpu.grid(cuda_on_cpu.OWN)}{_MATH}{_OWN}{_TESTS}{shim.BODY}"
        f"{plain.prelude}{plain.completion}{_entry(plain, signature, prefix)}}}\n"
    )


def namespace(prefix: str) -> str:
    return f"{prefix}_plain_text"


def symbol(prefix: str) -> str:
    return f"{prefix}_plain"


def _entry(plain: PlainCuda, signature: ir.Signature, prefix: str) -> str:
    offsets = {name: offset for name, (_, offset) in _fields(arguments(signature)).items()}
    given = ", ".join(_given(parameter, offsets) for parameter in plain.parameters)
    kernel = f"::{namespace(prefix)}::{plain.name}"
    types = [parameter.text for parameter in plain.parameters]
    parameters = "const int* sizes", "char* args"
    text = cuda_on_cpu.told(plain.name, kernel, types, cuda_on_cpu.OWN)
    return text + cuda_on_cpu.called(parameters, f"{kernel}({given})", symbol(prefix), cuda_on_cpu.OWN)


def passed(plain: PlainCuda, signature: ir.Signature, record: bytes) -> list[bytes]:
    """The bytes of each parameter of the kernel, of a record that `arguments` lays out."""
    fields, found = _fields(arguments(signature)), []
    for parameter in plain.parameters:
        if parameter.part == "count":
            found.append(signature.launch_dim[parameter.axis].to_bytes(_INT, "little"))
            continue
        type, offset = fields[parameter.argument]
        if parameter.part == "size":
            offset += _POINTER + _INT * parameter.axis
        size = {"size": _INT, "pointer": _POINTER}.get(parameter.part, type.itemsize)
        found.append(record[offset : offset + size])
    return found


def _fields(layout: Layout) -> dict[str, tuple[np.dtype, int]]:
    """The type of each field of a record, and where it begins, in bytes."""
    return {name: (field[0], field[1]) for name, field in (layout.dtype.fields or {}).items()}


def _given(parameter: Parameter, offsets: dict[str, int]) -> str:
    if parameter.part == "count":
        return f"sizes[{parameter.axis}]"
    offset = offsets[parameter.argument]
    if parameter.part == "size":
        return f"*(int*)(args + {offset + _POINTER + _INT * parameter.axis})"
    return f"*({parameter.text}*)(args + {offset})"


# ---- memory


def arguments(signature: ir.Signature) -> Layout:
    """The record of a kernel's arguments, laid out by their types."""
    return _record(ARGUMENTS, tuple((a.name, a.reference.type) for a in signature.arguments))


def _layout(type: Type) -> Layout:
    match type:
        case Array(element, ndim):
            header = np.dtype(
                [("data", np.uint64), ("shape", np.int32, (ndim,)), ("stride", np.int32, (ndim,))], align=True
            )
            return Layout(type, header, element=_layout(element))
        case Struct(name, members):
            return _record(name, members)
        case _:
            assert isinstance(type, Value), f"no layout of {type}"
            return Layout(type, np.dtype((numpy_type(type), type.shape)))


def _record(name: str, fields: tuple[tuple[str, Type], ...]) -> Layout:
    members = tuple((label, _layout(type)) for label, type in fields)
    record = np.dtype([(label, member.dtype) for label, member in members], align=True)
    return Layout(Struct(name, fields), record, members)
