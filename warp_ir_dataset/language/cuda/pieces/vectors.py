"""Pieces for vectors."""

from __future__ import annotations

from collections.abc import Iterator

from .atomics import of_values
from .piece import Piece, pieces

_OF_TWO = """template <int N, typename T> __device__ vec<N, T> operator{symbol}(vec<N, T> a, vec<N, T> b)
{{
    for (int i = 0; i < N; ++i)
        a[i] = {value};
    return a;
}}"""


def _operators() -> Iterator[Piece]:
    for symbol in ("+", "-", "&", "|", "^", "<<", ">>"):
        text = _OF_TWO.format(symbol=symbol, value=f"a[i] {symbol} b[i]")
        yield Piece(f"vec {symbol} vec", text, ("vec",))
    yield Piece("vec % vec", _OF_TWO.format(symbol="%", value="mod(a[i], b[i])"), ("vec", "mod"))


PIECES = (
    *pieces("""
//: vec
template <int N, typename T> struct vec {
    T c[N];
    __host__ __device__ T& operator[](int i) { return c[i]; }
    __host__ __device__ const T& operator[](int i) const { return c[i]; }
    static __host__ __device__ vec all(T x)
    {
        vec v;
        for (int i = 0; i < N; ++i)
            v.c[i] = x;
        return v;
    }
};
"""),
    *_operators(),
    *pieces("""
//: -vec <- vec
template <int N, typename T> __device__ vec<N, T> operator-(vec<N, T> a)
{
    for (int i = 0; i < N; ++i)
        a[i] = -a[i];
    return a;
}

//: +vec <- vec
template <int N, typename T> __device__ vec<N, T> operator+(vec<N, T> a)
{
    return a;
}

//: ~vec <- vec
template <int N, typename T> __device__ vec<N, T> operator~(vec<N, T> a)
{
    for (int i = 0; i < N; ++i)
        a[i] = ~a[i];
    return a;
}

//: vec * scalar <- vec
template <int N, typename T> __device__ vec<N, T> operator*(vec<N, T> a, T s)
{
    for (int i = 0; i < N; ++i)
        a[i] = a[i] * s;
    return a;
}

//: scalar * vec <- vec
template <int N, typename T> __device__ vec<N, T> operator*(T s, vec<N, T> a)
{
    for (int i = 0; i < N; ++i)
        a[i] = s * a[i];
    return a;
}

//: vec / scalar <- vec
template <int N, typename T> __device__ vec<N, T> operator/(vec<N, T> a, T s)
{
    for (int i = 0; i < N; ++i)
        a[i] = a[i] / s;
    return a;
}

//: scalar / vec <- vec
template <int N, typename T> __device__ vec<N, T> operator/(T s, vec<N, T> a)
{
    for (int i = 0; i < N; ++i)
        a[i] = s / a[i];
    return a;
}

//: vec == vec <- vec
template <int N, typename T> __device__ bool operator==(vec<N, T> a, vec<N, T> b)
{
    for (int i = 0; i < N; ++i)
        if (a[i] != b[i])
            return false;
    return true;
}

//: dot(vec, vec) <- vec
template <int N, typename T> __device__ T dot(vec<N, T> a, vec<N, T> b)
{
    T sum = a[0] * b[0];
    for (int i = 1; i < N; ++i)
        sum += a[i] * b[i];
    return sum;
}

//: cross(vec, vec) <- vec
template <typename T> __device__ vec<3, T> cross(vec<3, T> a, vec<3, T> b)
{
    return {T(a[1] * b[2] - a[2] * b[1]), T(a[2] * b[0] - a[0] * b[2]), T(a[0] * b[1] - a[1] * b[0])};
}

//: length_sq(vec) <- dot(vec, vec)
template <int N, typename T> __device__ T length_sq(vec<N, T> v)
{
    return dot(v, v);
}

//: length(vec) <- dot(vec, vec)
template <int N, typename T> __device__ T length(vec<N, T> v)
{
    return sqrt(dot(v, v));
}

//: normalize(vec) <- length(vec); vec / scalar
// Zero stays zero.
template <int N, typename T> __device__ vec<N, T> normalize(vec<N, T> v)
{
    T size = length(v);
    return size > T(0) ? v / size : vec<N, T>{};
}

//: cw_mul(vec, vec) <- vec
template <int N, typename T> __device__ vec<N, T> cw_mul(vec<N, T> a, vec<N, T> b)
{
    for (int i = 0; i < N; ++i)
        a[i] = a[i] * b[i];
    return a;
}

//: cw_div(vec, vec) <- vec
template <int N, typename T> __device__ vec<N, T> cw_div(vec<N, T> a, vec<N, T> b)
{
    for (int i = 0; i < N; ++i)
        a[i] = a[i] / b[i];
    return a;
}

//: abs(vec) <- vec
template <int N, typename T> __device__ vec<N, T> abs(vec<N, T> a)
{
    for (int i = 0; i < N; ++i)
        a[i] = a[i] < T(0) ? -a[i] : a[i];
    return a;
}

//: sign(vec) <- vec
template <int N, typename T> __device__ vec<N, T> sign(vec<N, T> a)
{
    for (int i = 0; i < N; ++i)
        a[i] = a[i] < T(0) ? -1 : 1;
    return a;
}

//: min(vec, vec) <- vec; smaller
template <int N, typename T> __device__ vec<N, T> min(vec<N, T> a, vec<N, T> b)
{
    for (int i = 0; i < N; ++i)
        a[i] = smaller(a[i], b[i]);
    return a;
}

//: max(vec, vec) <- vec; larger
template <int N, typename T> __device__ vec<N, T> max(vec<N, T> a, vec<N, T> b)
{
    for (int i = 0; i < N; ++i)
        a[i] = larger(a[i], b[i]);
    return a;
}

//: min(vec) <- vec; smaller
template <int N, typename T> __device__ T min(vec<N, T> a)
{
    T found = a[0];
    for (int i = 1; i < N; ++i)
        found = smaller(found, a[i]);
    return found;
}

//: max(vec) <- vec; larger
template <int N, typename T> __device__ T max(vec<N, T> a)
{
    T found = a[0];
    for (int i = 1; i < N; ++i)
        found = larger(found, a[i]);
    return found;
}

//: argmin(vec) <- vec
template <int N, typename T> __device__ uint32_t argmin(vec<N, T> a)
{
    uint32_t found = 0;
    for (int i = 1; i < N; ++i)
        if (a[i] < a[found])
            found = i;
    return found;
}

//: argmax(vec) <- vec
template <int N, typename T> __device__ uint32_t argmax(vec<N, T> a)
{
    uint32_t found = 0;
    for (int i = 1; i < N; ++i)
        if (a[i] > a[found])
            found = i;
    return found;
}

//: lerp(vec, vec, scalar) <- vec
template <int N, typename T> __device__ vec<N, T> lerp(vec<N, T> a, vec<N, T> b, T t)
{
    for (int i = 0; i < N; ++i)
        a[i] = a[i] * (T(1) - t) + b[i] * t;
    return a;
}

//: converted(vec) <- vec
template <typename To, int N, typename T> __device__ To converted(vec<N, T> v)
{
    To made;
    for (int i = 0; i < N; ++i)
        made[i] = v[i];
    return made;
}

//: isfinite(vec) <- vec
template <int N, typename T> __device__ bool isfinite(vec<N, T> v)
{
    for (int i = 0; i < N; ++i)
        if (!isfinite(v[i]))
            return false;
    return true;
}

//: isnan(vec) <- vec
template <int N, typename T> __device__ bool isnan(vec<N, T> v)
{
    for (int i = 0; i < N; ++i)
        if (isnan(v[i]))
            return true;
    return false;
}

//: isinf(vec) <- vec
template <int N, typename T> __device__ bool isinf(vec<N, T> v)
{
    for (int i = 0; i < N; ++i)
        if (isinf(v[i]))
            return true;
    return false;
}

//: norm_l1(vec) <- vec
template <int N> __device__ float norm_l1(vec<N, float> v)
{
    float sum = 0.0f;
    for (int i = 0; i < N; ++i)
        sum += fabsf(v[i]);
    return sum;
}

//: norm_l2(vec) <- length(vec)
template <int N> __device__ float norm_l2(vec<N, float> v)
{
    return length(v);
}

//: norm_huber(...) <- dot(vec, vec)
template <int N> __device__ float norm_huber(vec<N, float> v, float delta = 1.0f)
{
    float square = dot(v, v);
    return square <= delta * delta ? 0.5f * square : delta * (sqrtf(square) - 0.5f * delta);
}

//: norm_pseudo_huber(...) <- dot(vec, vec)
template <int N> __device__ float norm_pseudo_huber(vec<N, float> v, float delta = 1.0f)
{
    return delta * sqrtf(1.0f + dot(v, v) / (delta * delta));
}

//: smooth_normalize(...) <- norm_pseudo_huber(...); vec / scalar
template <int N> __device__ vec<N, float> smooth_normalize(vec<N, float> v, float delta = 1.0f)
{
    return v / norm_pseudo_huber(v, delta);
}

//: expect_near(vec, vec, scalar) <- vec; expect_near
template <int N, typename T> __device__ void expect_near(vec<N, T> a, vec<N, T> b, T tolerance)
{
    for (int i = 0; i < N; ++i)
        expect_near(a[i], b[i], tolerance);
}
"""),
    *of_values("vec"),
)
