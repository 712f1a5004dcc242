"""Pieces for matrices."""

from __future__ import annotations

from collections.abc import Iterator

from .atomics import of_values
from .piece import Piece, pieces

_OF_TWO = """template <int M, int N, typename T>
__device__ mat<M, N, T> {name}(mat<M, N, T> a, mat<M, N, T> b)
{{
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            a[i][j] = a[i][j] {symbol} b[i][j];
    return a;
}}"""
_OF_EACH = """template <int M, int N, typename T> __device__ mat<M, N, T> {name}({parameters})
{{
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            a[i][j] = {value};
    return a;
}}"""
_A, _S = "mat<M, N, T> a", "T s"
_TEST = """template <int M, int N, typename T> __device__ bool {name}(mat<M, N, T> m)
{{
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            if ({sign}{name}(m[i][j]))
                return {found};
    return {rest};
}}"""


def _operators() -> Iterator[Piece]:
    two = (
        ("mat + mat", "operator+", "+"),
        ("mat - mat", "operator-", "-"),
        ("cw_mul(mat, mat)", "cw_mul", "*"),
        ("cw_div(mat, mat)", "cw_div", "/"),
    )
    for key, name, symbol in two:
        yield Piece(key, _OF_TWO.format(name=name, symbol=symbol), ("mat",))
    each = (
        ("-mat", "operator-", _A, "-a[i][j]"),
        ("+mat", "operator+", _A, "a[i][j]"),
        ("mat * scalar", "operator*", f"{_A}, {_S}", "a[i][j] * s"),
        ("scalar * mat", "operator*", f"{_S}, {_A}", "s * a[i][j]"),
        ("mat / scalar", "operator/", f"{_A}, {_S}", "a[i][j] / s"),
        ("scalar / mat", "operator/", f"{_S}, {_A}", "s / a[i][j]"),
    )
    for key, name, parameters, value in each:
        yield Piece(key, _OF_EACH.format(name=name, parameters=parameters, value=value), ("mat",))
    for name, sign, found, rest in (
        ("isfinite", "!", "false", "true"),
        ("isnan", "", "true", "false"),
        ("isinf", "", "true", "false"),
    ):
        yield Piece(f"{name}(mat)", _TEST.format(name=name, sign=sign, found=found, rest=rest), ("mat",))


PIECES = (
    *pieces("""
//: mat <- vec
// Rows of a matrix.
template <int M, int N, typename T> struct mat {
    vec<N, T> r[M];
    __host__ __device__ vec<N, T>& operator[](int i) { return r[i]; }
    __host__ __device__ const vec<N, T>& operator[](int i) const { return r[i]; }
    static __host__ __device__ mat all(T x)
    {
        mat m;
        for (int i = 0; i < M; ++i)
            m.r[i] = vec<N, T>::all(x);
        return m;
    }
};
"""),
    *_operators(),
    *pieces("""
//: mat * vec <- mat
template <int M, int N, typename T> __device__ vec<M, T> operator*(mat<M, N, T> m, vec<N, T> v)
{
    vec<M, T> made{};
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            made[i] += m[i][j] * v[j];
    return made;
}

//: vec * mat <- mat
template <int M, int N, typename T> __device__ vec<N, T> operator*(vec<M, T> v, mat<M, N, T> m)
{
    vec<N, T> made{};
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            made[j] += v[i] * m[i][j];
    return made;
}

//: mat * mat <- mat
template <int M, int K, int N, typename T>
__device__ mat<M, N, T> operator*(mat<M, K, T> a, mat<K, N, T> b)
{
    mat<M, N, T> made{};
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            for (int k = 0; k < K; ++k)
                made[i][j] += a[i][k] * b[k][j];
    return made;
}

//: mat == mat <- mat; vec == vec
template <int M, int N, typename T> __device__ bool operator==(mat<M, N, T> a, mat<M, N, T> b)
{
    for (int i = 0; i < M; ++i)
        if (!(a[i] == b[i]))
            return false;
    return true;
}

//: transpose(mat) <- mat
template <int M, int N, typename T> __device__ mat<N, M, T> transpose(mat<M, N, T> m)
{
    mat<N, M, T> made;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            made[j][i] = m[i][j];
    return made;
}

//: trace(mat) <- mat
template <int N, typename T> __device__ T trace(mat<N, N, T> m)
{
    T sum = m[0][0];
    for (int i = 1; i < N; ++i)
        sum += m[i][i];
    return sum;
}

//: ddot(mat, mat) <- mat; dot(vec, vec)
template <int M, int N, typename T> __device__ T ddot(mat<M, N, T> a, mat<M, N, T> b)
{
    T sum = dot(a[0], b[0]);
    for (int i = 1; i < M; ++i)
        sum += dot(a[i], b[i]);
    return sum;
}

//: outer(vec, vec) <- mat
template <int M, int N, typename T> __device__ mat<M, N, T> outer(vec<M, T> a, vec<N, T> b)
{
    mat<M, N, T> made;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            made[i][j] = a[i] * b[j];
    return made;
}

//: diag(vec) <- mat
template <int N, typename T> __device__ mat<N, N, T> diag(vec<N, T> v)
{
    mat<N, N, T> made{};
    for (int i = 0; i < N; ++i)
        made[i][i] = v[i];
    return made;
}

//: get_diag(mat) <- mat
template <int N, typename T> __device__ vec<N, T> get_diag(mat<N, N, T> m)
{
    vec<N, T> made;
    for (int i = 0; i < N; ++i)
        made[i] = m[i][i];
    return made;
}

//: skew(vec) <- mat
// The matrix that multiplies as the cross product with v does.
template <typename T> __device__ mat<3, 3, T> skew(vec<3, T> v)
{
    return {T(0), -v[2], v[1], v[2], T(0), -v[0], -v[1], v[0], T(0)};
}

//: determinant(mat) <- mat
template <typename T> __device__ T determinant(mat<2, 2, T> m)
{
    return m[0][0] * m[1][1] - m[0][1] * m[1][0];
}
template <int N, typename T> __device__ T determinant(mat<N, N, T> m)
{
    T sum = 0, sign = 1;
    for (int k = 0; k < N; ++k, sign = -sign) {
        mat<N - 1, N - 1, T> minor_;
        for (int i = 1; i < N; ++i)
            for (int j = 0; j < N - 1; ++j)
                minor_[i - 1][j] = m[i][j < k ? j : j + 1];
        sum += sign * m[0][k] * determinant(minor_);
    }
    return sum;
}

//: inverse(mat) <- mat; determinant(mat)
// Cofactors over the determinant; of a singular matrix zeros.
template <typename T> __device__ mat<2, 2, T> inverse(mat<2, 2, T> m)
{
    T det = determinant(m);
    if (det == T(0))
        return mat<2, 2, T>{};
    return {m[1][1] / det, -m[0][1] / det, -m[1][0] / det, m[0][0] / det};
}
template <int N, typename T> __device__ mat<N, N, T> inverse(mat<N, N, T> m)
{
    mat<N, N, T> made{};
    T det = determinant(m);
    if (det == T(0))
        return made;
    for (int row = 0; row < N; ++row)
        for (int column = 0; column < N; ++column) {
            mat<N - 1, N - 1, T> minor_;
            for (int i = 0; i < N - 1; ++i)
                for (int j = 0; j < N - 1; ++j)
                    minor_[i][j] = m[i < row ? i : i + 1][j < column ? j : j + 1];
            made[column][row] = ((row + column) % 2 ? -determinant(minor_) : determinant(minor_)) / det;
        }
    return made;
}

//: inverse_approx(mat) <- inverse(mat)
template <int N, typename T> __device__ mat<N, N, T> inverse_approx(mat<N, N, T> m)
{
    return inverse(m);
}

//: identity <- mat
template <typename Matrix> __device__ Matrix identity()
{
    Matrix made{};
    for (int i = 0; i < int(sizeof(Matrix) / sizeof(made[0])); ++i)
        made[i][i] = 1;
    return made;
}

//: lerp(mat, mat, scalar) <- mat
template <int M, int N, typename T> __device__ mat<M, N, T> lerp(mat<M, N, T> a, mat<M, N, T> b, T t)
{
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            a[i][j] = a[i][j] * (T(1) - t) + b[i][j] * t;
    return a;
}

//: matrix_from_rows(...) <- mat
template <int N, typename T, typename... Rows>
__device__ mat<1 + sizeof...(Rows), N, T> matrix_from_rows(vec<N, T> first, Rows... rows)
{
    return {{first, rows...}};
}

//: matrix_from_cols(...) <- matrix_from_rows(...); transpose(mat)
template <int M, typename T, typename... Columns>
__device__ mat<M, 1 + sizeof...(Columns), T> matrix_from_cols(vec<M, T> first, Columns... columns)
{
    return transpose(matrix_from_rows(first, columns...));
}

//: converted(mat) <- mat
template <typename To, int M, int N, typename T> __device__ To converted(mat<M, N, T> m)
{
    To made;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            made[i][j] = m[i][j];
    return made;
}

//: expect_near(mat, mat, scalar) <- mat; expect_near(vec, vec, scalar)
template <int M, int N, typename T> __device__ void expect_near(mat<M, N, T> a, mat<M, N, T> b, T tolerance)
{
    for (int i = 0; i < M; ++i)
        expect_near(a[i], b[i], tolerance);
}

//: spatial_adjoint(...) <- mat
// r on the diagonal, s below it.
template <typename T> __device__ mat<6, 6, T> spatial_adjoint(mat<3, 3, T> r, mat<3, 3, T> s)
{
    mat<6, 6, T> made{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            made[i][j] = made[i + 3][j + 3] = r[i][j];
            made[i + 3][j] = s[i][j];
        }
    return made;
}
"""),
    *of_values("mat"),
)
