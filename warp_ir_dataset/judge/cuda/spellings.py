"""CUDA features that answers may use and the project's own texts do not: fast functions, types, macros.

Lines without an effect on results are dropped before an answer is checked; definitions of the other features
are put before it. Names and types are those of nvcc. Fast functions are as exact as others here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Container

from ...compilers.cuda_on_cpu import HINTS
from ..gate import masked as masked_of

_OF_C = """
cuda_runtime cuda_runtime_api cuda device_launch_parameters math_constants vector_types vector_functions
math stdint stddef float limits stdio stdlib string assert stdbool inttypes
"""
_OF_CPP = """
cmath cstdint cstddef cfloat climits cstdio cstdlib cstring cassert algorithm limits utility vector iostream
"""
_HEADERS, _WITHOUT_H = "|".join(_OF_C.split()), "|".join(_OF_CPP.split())
_HARMLESS = re.compile(
    rf"^[^\S\n]*#[^\S\n]*include[^\S\n]*(?:<(?:(?:{_HEADERS})\.h|{_WITHOUT_H})>"
    rf'|"(?:{_HEADERS})\.h")[^\S\n]*(?://.*|/\*[^\n]*\*/[^\S\n]*)?$',
    re.M,
)
_ONCE = re.compile(r"^[^\S\n]*#[^\S\n]*pragma[^\S\n]+once[^\S\n]*(?://.*)?$", re.M)
_TOKEN = re.compile(r"\w+|[^\w\s]")
_UNROLL = re.compile(
    r"^[^\S\n]*#[^\S\n]*pragma[^\S\n]+"
    r"(?:no)?unroll\b(?:[^\S\n]*(?:\w+|\([^\S\n]*\w+[^\S\n]*\)))?[^\S\n]*(?://.*)?$",
    re.M,
)

# What functions for the host have in them that no device has: they launch, or are for those that do.
_OF_HOST = re.compile(r"<<<|\bcuda[A-Z]\w*|\bstd\s*::\s*(?:vector|string|cout|cerr)\b")
_BRACE = re.compile(r"[{};]|^[^\S\n]*#(?:.*\\\n)*.*$", re.M)  # or a whole directive


def without_unrolling(code: str) -> str:
    return _UNROLL.sub("", code)


def without_headers(code: str) -> str:
    """Without headers of CUDA and C that code needs nothing of here, for it is there, and without what says
    that it is a header itself."""
    return _ONCE.sub("", _HARMLESS.sub("", code))


def without_repeats(code: str, interface: str) -> str:
    """Without what plain CUDA repeats of the `interface` that its prompt declares, word for word. It is there
    already, and a type is defined once."""
    masked, spans = masked_of(code), []
    for declared in _declared(interface):
        spans += [found.span() for found in re.finditer(declared, masked)]
    for first, last in sorted(spans, reverse=True):
        code = code[:first] + "\n" * code.count("\n", first, last) + code[last:]
    return code


@functools.lru_cache(maxsize=32)  # for many answers to a row
def _declared(interface: str) -> tuple[re.Pattern[str], ...]:
    """What finds each declaration of an interface, a kernel's too, however it is spaced."""
    found, start, depth = [], 0, 0
    for edge in re.finditer(r"[{};]", interface):
        depth += {"{": 1, "}": -1}.get(edge[0], 0)
        if edge[0] == ";" and not depth:
            words = _TOKEN.findall(interface[start : edge.end()])
            start = edge.end()
            pairs = zip(words, [*words[1:], ""], strict=True)
            spaced = (
                re.escape(w) + (r"\s+" if w.isidentifier() and n.isidentifier() else r"\s*") for w, n in pairs
            )
            found.append(re.compile(rf"(?<![\w:]){''.join(spaced)}"))
    return tuple(found)


def without_launches(code: str) -> str:
    """Without functions for the host that launch kernels or name what is CUDA's there, and without its main:
    they show how it works."""
    masked = masked_of(code)
    if not re.search(rf"{_OF_HOST.pattern}|\bmain\b", masked):
        return code
    spans, depth, start, opened = [], 0, 0, 0
    for end in (match.end() for match in _BRACE.finditer(masked)):
        sign = masked[end - 1]
        if sign == "{" and (depth or "(" in masked[start:end]):
            opened, depth = (opened, depth + 1) if depth else (end, 1)
        elif sign == "}" and depth:
            depth -= 1
            if not depth and _launches(masked[start:opened], masked[opened:end]):
                spans.append((start, end))
        if not depth:
            start = end
    for first, last in reversed(spans):
        code = code[:first] + "\n" * code.count("\n", first, last) + code[last:]
    return code


def _launches(head: str, body: str) -> bool:
    """Whether a function is for the host, and for trying kernels out."""
    if re.search(r"__(?:global|device)__", head):
        return False
    is_main = re.search(r"\bmain\s*\([^()]*\)\s*\{$", head) is not None
    return is_main or any(map(_OF_HOST.search, (head, body)))


# ---- functions

_THERE_ONE = "sqrt floor trunc fabs sin cos acos asin exp log erf"  # for both floats already, as are these
_THERE_TWO = "fmod atan2 pow fmin fmax copysign"
_ONE = "tan atan sinh cosh tanh cbrt ceil round rint log2 log10 exp2 erfc"
_FOREIGN_ONE = "asinh acosh atanh expm1 log1p lgamma tgamma nearbyint"  # which Warp does not declare
_FOREIGN_TWO = "hypot fdim remainder"
_ATOMIC = "atomicAdd atomicSub atomicMin atomicMax atomicAnd atomicOr atomicXor atomicExch"

_MACROS = f"""{HINTS}
#define __align__(n) alignas(n)
#ifndef __CUDACC__
#define __CUDACC__
#endif
#define __CUDA_ARCH__ 800
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
"""
_CONSTANTS = {
    "M_E": "2.7182818284590452354", "M_LOG2E": "1.4426950408889634074", "M_LOG10E": "0.43429448190325182765",
    "M_LN2": "0.69314718055994530942", "M_LN10": "2.30258509299404568402", "M_PI_2": "1.57079632679489661923",
    "M_PI_4": "0.78539816339744830962", "M_1_PI": "0.31830988618379067154",
    "M_2_PI": "0.63661977236758134308",
    "M_2_SQRTPI": "1.12837916709551257390", "M_SQRT2": "1.41421356237309504880",
    "M_SQRT1_2": "0.70710678118654752440",
    "CUDART_PI": "3.1415926535897931", "CUDART_PI_F": "3.141592654f", "CUDART_INF": "HUGE_VAL",
    "CUDART_INF_F": "HUGE_VALF", "CUDART_NAN": "((double)NAN)", "CUDART_NAN_F": "NAN",
}  # fmt: skip

# Which functions of numbers take whole ones, and two of several types.
_NUMBERS = (
    """
template <typename T> struct cuda_number { static const bool whole = false, real = false; };
"""
    + "".join(
        f"template <> struct cuda_number<{t}> {{ static const bool whole = true, real = false; }};\n"
        for t in (
            "bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
            "long", "unsigned long", "long long", "unsigned long long",
        )
    )
    + "".join(
        f"template <> struct cuda_number<{t}> {{ static const bool whole = false, real = true; }};\n"
        for t in ("float", "double")
    )
    + """
template <bool> struct cuda_double {};
template <> struct cuda_double<true> { typedef double type; };
template <typename A, typename B> struct cuda_mixed
{
    static const bool numbers = (cuda_number<A>::whole || cuda_number<A>::real)
        && (cuda_number<B>::whole || cuda_number<B>::real);
    static const bool value = numbers;
};
template <> struct cuda_mixed<float, float> { static const bool value = false; };
template <> struct cuda_mixed<double, double> { static const bool value = false; };
"""
)  # fmt: skip

_BITS = """
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return 1.0f / ::sqrtf(x); }
inline float norm3df(float x, float y, float z) { return ::sqrtf(x * x + y * y + z * z); }
inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
inline float modff(float x, float* whole) { *whole = ::truncf(x); return x - *whole; }
inline long lrintf(float x) { return (long)::rintf(x); }
inline long lroundf(float x) { return (long)::roundf(x); }
inline unsigned int __float2uint_rz(float x) { return (unsigned int)x; }
inline unsigned int __float2uint_rn(float x) { return (unsigned int)::rintf(x); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{ return (unsigned __int128)x * y >> 64; }
inline float rsqrtf(float x) { return 1.0f / ::sqrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float rcbrtf(float x) { return 1.0f / cbrt(x); }
inline double exp10(double x) { return pow(10.0, x); }
inline float exp10f(float x) { return pow(10.0f, x); }
inline double sinpi(double x) { return sin(M_PI * x); }
inline double cospi(double x) { return cos(M_PI * x); }
inline float sinpif(float x) { return (float)sin(M_PI * (double)x); }
inline float cospif(float x) { return (float)cos(M_PI * (double)x); }
inline void sincos(double x, double* s, double* c) { *s = sin(x); *c = cos(x); }
inline void sincosf(float x, float* s, float* c) { *s = sin(x); *c = cos(x); }
inline void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
inline float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return ::fma(a, b, c); }
inline float abs(float x) { return ::fabsf(x); }
inline double abs(double x) { return ::fabs(x); }
inline long abs(long x) { return x < 0 ? -x : x; }
inline bool signbit(double x) { return __builtin_signbit(x); }

inline float __expf(float x) { return ::expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return ::logf(x); }
inline float __log2f(float x) { return ::log2f(x); }
inline float __log10f(float x) { return ::log10f(x); }
inline float __sinf(float x) { return ::sinf(x); }
inline float __cosf(float x) { return ::cosf(x); }
inline float __tanf(float x) { return ::tanf(x); }
inline float __powf(float x, float y) { return ::powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return ::fmaf(x, y, z); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return ::sqrtf(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __fma_rn(double x, double y, double z) { return ::fma(x, y, z); }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return ::sqrt(x); }
inline int __float2int_rn(float x) { return (int)::rintf(x); }
inline int __float2int_rz(float x) { return (int)x; }
inline int __float2int_rd(float x) { return (int)::floorf(x); }
inline int __float2int_ru(float x) { return (int)::ceilf(x); }
inline int __double2int_rn(double x) { return (int)::rint(x); }
inline int __double2int_rz(double x) { return (int)x; }
inline float __int2float_rn(int x) { return (float)x; }
inline double __int2double_rn(int x) { return x; }
inline float __uint2float_rn(unsigned int x) { return (float)x; }
inline float __double2float_rn(double x) { return (float)x; }

inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
inline int __mul24(int x, int y) { return x * y; }
inline unsigned int __umulhi(unsigned int x, unsigned int y) { return (unsigned long long)x * y >> 32; }
inline int __mulhi(int x, int y) { return (long long)x * y >> 32; }
template <typename T> T __ldg(const T* p) { return *p; }
static const int warpSize = 32;

inline double min(float a, double b) { return b < a ? b : a; }
inline double min(double a, float b) { return b < a ? b : a; }
inline double max(float a, double b) { return a < b ? b : a; }
inline double max(double a, float b) { return a < b ? b : a; }
inline unsigned int min(int a, unsigned int b) { return min((unsigned int)a, b); }
inline unsigned int min(unsigned int a, int b) { return min(a, (unsigned int)b); }
inline unsigned int max(int a, unsigned int b) { return max((unsigned int)a, b); }
inline unsigned int max(unsigned int a, int b) { return max(a, (unsigned int)b); }
inline unsigned int umin(unsigned int a, unsigned int b) { return b < a ? b : a; }
inline unsigned int umax(unsigned int a, unsigned int b) { return a < b ? b : a; }

// Nothing is shared between threads: nobody waits for another.
inline void __syncthreads() {}
inline void __syncwarp(unsigned int = 0xffffffffu) {}
inline void __threadfence() {}
inline void __threadfence_block() {}
"""


# ---- CUDA's own small structs

_STRUCTS = (
    ("float", "float"), ("double", "double"), ("int", "int"), ("uint", "unsigned int"),
    ("uchar", "unsigned char"),
)  # fmt: skip
_OTHERS = """
typedef long ptrdiff_t;
typedef long intptr_t;
typedef unsigned int uint;
struct dim3
{
    unsigned int x, y, z;
    dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    dim3(const grid_index& v) : x(v.x), y(v.y), z(v.z) {}
};
"""


def _structs() -> str:
    """``float2``, with ``make_float2``, and their like."""
    text = _OTHERS
    for name, type in _STRUCTS:
        for members in ("xy", "xyz", "xyzw"):
            own = f"{name}{len(members)}"
            given = ", ".join(f"{type} {member}" for member in members)
            text += f"struct {own} {{ {type} {', '.join(members)}; }};\n"
            text += f"inline {own} make_{own}({given}) {{ return {{{', '.join(members)}}}; }}\n"
    return text


def _overloads(names: Container[str]) -> str:
    """Of functions of these names, what CUDA has of each."""

    def among(known: str) -> list[str]:
        return [name for name in known.split() if name in names]

    text = ""
    for name in among(_FOREIGN_ONE):
        text += f'extern "C" double {name}(double); extern "C" float {name}f(float);\n'
        text += f"inline float {name}(float x) {{ return {name}f(x); }}\n"
    for name in among(_FOREIGN_TWO):
        text += f'extern "C" double {name}(double, double); extern "C" float {name}f(float, float);\n'
        text += f"inline float {name}(float x, float y) {{ return {name}f(x, y); }}\n"
    for name in among(_ONE):
        text += f"inline float {name}(float x) {{ return ::{name}f(x); }}\n"
        text += f"inline double {name}(double x) {{ return ::{name}(x); }}\n"
    for name in among(f"{_THERE_ONE} {_ONE} {_FOREIGN_ONE}"):
        text += (
            f"template <typename T> typename cuda_double<cuda_number<T>::whole>::type {name}(T x)"
            f" {{ return {name}((double)x); }}\n"
        )
    for name in among(f"{_THERE_TWO} {_FOREIGN_TWO}"):
        text += (
            f"template <typename A, typename B> typename cuda_double<cuda_mixed<A, B>::value>::type"
            f" {name}(A a, B b) {{ return {name}((double)a, (double)b); }}\n"
        )
    for name in among(_ATOMIC):
        text += (
            f"template <typename T, typename V> T {name}(T* p, V value) {{ return {name}(p, (T)value); }}\n"
        )
    return text


_OF_STD = f"{_THERE_ONE} {_THERE_TWO} {_ONE} {_FOREIGN_ONE} {_FOREIGN_TWO}".split()
_OVERLOADED = frozenset({*_OF_STD, *_ATOMIC.split()})
_DEFINED = "".join(f"#ifndef {name}\n#define {name} {value}\n#endif\n" for name, value in _CONSTANTS.items())
_WORD = re.compile(r"[A-Za-z_]\w*")
_GLUED = re.compile(r"##|%:%:|\\\s*\n")  # a name of two, which are not told apart from others
_OWN_WORDS = frozenset(_WORD.findall(_BITS))


def spellings(namespace: str, code: str) -> str:
    """The text of all this that `code` may need, in a `namespace` where `language.cuda.shim` stands as well:
    reading it takes as long as the code. Of overloads that it does not name, none is there."""
    words = _OWN_WORDS.union(_WORD.findall(code))
    names = _OVERLOADED if _GLUED.search(code) else words | {word.removesuffix("f") for word in words}
    of_std = [*(name for name in _OF_STD if name in names), "fma", "abs", "isfinite", "isnan", "isinf"]
    return (
        f"{_MACROS}{_DEFINED}{_NUMBERS}{_overloads(names)}{_BITS}{_structs()}"
        f"namespace std {{\n{''.join(f'using {namespace}::{name};' for name in of_std)}\n}}\n"
    )
