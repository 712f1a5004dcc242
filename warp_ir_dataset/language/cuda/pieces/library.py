"""The functions that every CUDA file has, so that they need no piece of the prelude."""

from __future__ import annotations

from collections.abc import Mapping

# CUDA's functions that take only floats; those of float32 have the suffix f.
_OF_FLOATS = """
sqrt cbrt exp log log2 log10 pow sin cos tan asin acos atan atan2 sinh cosh tanh erf erfc erfinv erfcinv floor
ceil round rint trunc fabs fmin fmax fmod copysign
exp2 exp10 expm1 log1p logb asinh acosh atanh sinpi cospi rsqrt rcbrt hypot lgamma tgamma j0 j1 y0 y1
remainder fdim fma nextafter nearbyint
"""
OF_FLOATS = frozenset(_OF_FLOATS.split())
# Functions with one name for all numbers.
OF_NUMBERS = frozenset(("min", "max", "abs", "isfinite", "isnan", "isinf"))
# The scalar types that CUDA's own atomics take; others are pieces of the prelude.
ATOMICS: Mapping[str, str] = {
    "atomicAdd": "int uint32_t float double",
    "atomicSub": "int uint32_t",
    "atomicMin": "int uint32_t",
    "atomicMax": "int uint32_t",
    "atomicAnd": "int uint32_t",
    "atomicOr": "int uint32_t",
    "atomicXor": "int uint32_t",
    "atomicExch": "int uint32_t float",
    "atomicCAS": "int uint32_t",
}
# Global names of the C library: no function or type of a program may have one of them.
_OTHERS = """
abs labs llabs div ldiv lldiv index rindex signal raise time clock difftime mktime remove rename random rand
srand exit abort atexit system getenv malloc calloc realloc free memcpy memset memmove strlen printf puts
gamma jn yn ilogb ldexp scalbn scalbln frexp modf
remquo nexttoward lrint llrint lround llround nan
drem significand scalb finite pow10 sincos tanpi norm rnorm
select wait link read write open close pause sleep access dup pipe acct sync
float2 float3 float4 double2 double3 double4 int2 int3 int4 uint2 uint3 uint4 char2 char3 char4
"""
OTHERS = frozenset(_OTHERS.split())
# No function, type or constant of a program may have one of these names.
DECLARED = OTHERS | OF_FLOATS | {f"{name}f" for name in OF_FLOATS} | OF_NUMBERS | set(ATOMICS)
