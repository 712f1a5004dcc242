"""Pieces for numbers: rounding, signs, blends, bits, constants."""

from __future__ import annotations

import math

from .piece import Piece, pieces

_CONSTANTS = {
    "E": math.e,
    "LOG2E": math.log2(math.e),
    "LOG10E": math.log10(math.e),
    "LN2": math.log(2.0),
    "LN10": math.log(10.0),
    "PHI": (1.0 + math.sqrt(5.0)) / 2.0,
    "PI": math.pi,
    "HALF_PI": math.pi / 2.0,
    "TAU": math.tau,
}

PIECES = (
    *(Piece(name, f"constexpr float {name} = {value!r}f;") for name, value in _CONSTANTS.items()),
    *pieces("""
//: floor_div
// The quotient of whole numbers, rounded down.
template <typename T> __device__ T floor_div(T a, T b)
{
    T quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

//: floor_ratio
// The quotient, rounded down.
template <typename T> __device__ T floor_ratio(T a, T b)
{
    return floor(a / b);
}

//: sign
// 1 for zero too.
template <typename T> __device__ T sign(T x)
{
    return x < 0 ? -1 : 1;
}

//: step
// 1 for what is negative, else 0.
template <typename T> __device__ T step(T x)
{
    return x < T(0) ? 1 : 0;
}

//: nonzero
template <typename T> __device__ T nonzero(T x)
{
    return x == T(0) ? 0 : 1;
}

//: clamp
template <typename T> __device__ T clamp(T x, T low, T high)
{
    return min(max(low, x), high);
}
inline __device__ float clamp(float x, float low, float high)
{
    return fminf(fmaxf(low, x), high);
}
inline __device__ double clamp(double x, double low, double high)
{
    return fmin(fmax(low, x), high);
}

//: frac
// What follows the point, with the sign of x.
template <typename T> __device__ T frac(T x)
{
    return x - trunc(x);
}

//: degrees
template <typename T> __device__ T degrees(T x)
{
    return x * T(57.29577951308232);
}

//: radians
template <typename T> __device__ T radians(T x)
{
    return x * T(0.017453292519943295);
}

//: lerp
template <typename T> __device__ T lerp(T a, T b, T t)
{
    return a * (T(1) - t) + b * t;
}

//: smoothstep
template <typename T> __device__ T smoothstep(T low, T high, T x)
{
    T t = fmin(fmax((x - low) / (high - low), T(0)), T(1));
    return t * t * (T(3) - T(2) * t);
}

//: bit_count
template <typename T> __device__ int bit_count(T x)
{
    return __popcll((unsigned long long)x << (64 - 8 * sizeof(T)));
}

//: cast
// The bits of a number as those of another one.
template <typename To> __device__ To cast(float x);
template <> inline __device__ int cast<int>(float x)
{
    return __float_as_int(x);
}
template <> inline __device__ uint32_t cast<uint32_t>(float x)
{
    return __float_as_uint(x);
}
template <typename To> __device__ To cast(int x)
{
    return __int_as_float(x);
}
template <typename To> __device__ To cast(uint32_t x)
{
    return __uint_as_float(x);
}

//: mod
// The remainder, with the sign of a.
template <typename T> __device__ T mod(T a, T b)
{
    return a % b;
}
inline __device__ float mod(float a, float b)
{
    return fmodf(a, b);
}
inline __device__ double mod(double a, double b)
{
    return fmod(a, b);
}

//: smaller
template <typename T> __device__ T smaller(T a, T b)
{
    return b < a ? b : a;
}
inline __device__ float smaller(float a, float b)
{
    return fminf(a, b);
}
inline __device__ double smaller(double a, double b)
{
    return fmin(a, b);
}

//: larger
template <typename T> __device__ T larger(T a, T b)
{
    return a < b ? b : a;
}
inline __device__ float larger(float a, float b)
{
    return fmaxf(a, b);
}
inline __device__ double larger(double a, double b)
{
    return fmax(a, b);
}

//: expect_near
// Says so where two numbers differ by more than they may.
template <typename T> __device__ void expect_near(T a, T b, T tolerance)
{
    if (fabs(a - b) > tolerance)
        printf("%g is not %g\\n", double(a), double(b));
}
"""),
)
