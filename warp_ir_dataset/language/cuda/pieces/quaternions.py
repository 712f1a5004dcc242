"""Pieces for quaternions: x, y, z, w."""

from __future__ import annotations

from collections.abc import Iterator

from .atomics import of_values
from .piece import Piece, pieces

_OF_EACH = """template <typename T> __device__ quat_t<T> {name}({parameters})
{{
    for (int i = 0; i < 4; ++i)
        a[i] = {value};
    return a;
}}"""
_A, _B, _S = "quat_t<T> a", "quat_t<T> b", "T s"
_TEST = """template <typename T> __device__ bool {name}(quat_t<T> q)
{{
    return {name}(q[0]) {symbol} {name}(q[1]) {symbol} {name}(q[2]) {symbol} {name}(q[3]);
}}"""


def _operators() -> Iterator[Piece]:
    for key, name, parameters, value in (
        ("quat + quat", "operator+", f"{_A}, {_B}", "a[i] + b[i]"),
        ("quat - quat", "operator-", f"{_A}, {_B}", "a[i] - b[i]"),
        ("-quat", "operator-", _A, "-a[i]"),
        ("+quat", "operator+", _A, "a[i]"),
        ("quat * scalar", "operator*", f"{_A}, {_S}", "a[i] * s"),
        ("scalar * quat", "operator*", f"{_S}, {_A}", "s * a[i]"),
        ("quat / scalar", "operator/", f"{_A}, {_S}", "a[i] / s"),
        ("scalar / quat", "operator/", f"{_S}, {_A}", "s / a[i]"),
        ("lerp(quat, quat, scalar)", "lerp", f"{_A}, {_B}, T t", "a[i] * (T(1) - t) + b[i] * t"),
    ):
        yield Piece(key, _OF_EACH.format(name=name, parameters=parameters, value=value), ("quat",))
    for name, symbol in (("isfinite", "&&"), ("isnan", "||"), ("isinf", "||")):
        yield Piece(f"{name}(quat)", _TEST.format(name=name, symbol=symbol), ("quat",))


PIECES = (
    *pieces("""
//: quat
template <typename T> struct quat_t {
    T c[4];
    __host__ __device__ T& operator[](int i) { return c[i]; }
    __host__ __device__ const T& operator[](int i) const { return c[i]; }
};
"""),
    *_operators(),
    *pieces("""
//: expect_near(quat, quat, scalar) <- quat; expect_near
template <typename T> __device__ void expect_near(quat_t<T> a, quat_t<T> b, T tolerance)
{
    for (int i = 0; i < 4; ++i)
        expect_near(a[i], b[i], tolerance);
}

//: quat * quat <- quat
template <typename T> __device__ quat_t<T> operator*(quat_t<T> a, quat_t<T> b)
{
    return {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    };
}

//: quat == quat <- quat
template <typename T> __device__ bool operator==(quat_t<T> a, quat_t<T> b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

//: quat_of_parts(...) <- quat; vec
template <typename T> __device__ quat_t<T> quat_of_parts(vec<3, T> v, T w)
{
    return {v[0], v[1], v[2], w};
}

//: vector_part <- quat; vec
template <typename T> __device__ vec<3, T> vector_part(quat_t<T> q)
{
    return {q[0], q[1], q[2]};
}

//: converted(quat) <- quat
template <typename To, typename T> __device__ To converted(quat_t<T> q)
{
    To made;
    for (int i = 0; i < 4; ++i)
        made[i] = q[i];
    return made;
}

//: quat_identity <- quat
template <typename Quaternion> __device__ Quaternion quat_identity()
{
    return {0, 0, 0, 1};
}

//: dot(quat, quat) <- quat
template <typename T> __device__ T dot(quat_t<T> a, quat_t<T> b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

//: length_sq(quat) <- dot(quat, quat)
template <typename T> __device__ T length_sq(quat_t<T> q)
{
    return dot(q, q);
}

//: length(quat) <- dot(quat, quat)
template <typename T> __device__ T length(quat_t<T> q)
{
    return sqrt(dot(q, q));
}

//: normalize(quat) <- length(quat); quat / scalar
// Zero becomes the identity.
template <typename T> __device__ quat_t<T> normalize(quat_t<T> q)
{
    T size = length(q);
    return size > T(0) ? q / size : quat_t<T>{T(0), T(0), T(0), T(1)};
}

//: quat_inverse(quat) <- quat
template <typename T> __device__ quat_t<T> quat_inverse(quat_t<T> q)
{
    return {-q[0], -q[1], -q[2], q[3]};
}

//: quat_rotate(quat, vec) <- vector_part; dot(vec, vec); cross(vec, vec); vec * scalar; vec + vec
template <typename T> __device__ vec<3, T> quat_rotate(quat_t<T> q, vec<3, T> x)
{
    vec<3, T> v = vector_part(q);
    T w = q[3];
    return x * (T(2) * w * w - T(1)) + v * (T(2) * dot(v, x)) + cross(v, x) * (T(2) * w);
}

//: quat_rotate_inv(quat, vec) <- quat_rotate(quat, vec); quat_inverse(quat)
template <typename T> __device__ vec<3, T> quat_rotate_inv(quat_t<T> q, vec<3, T> x)
{
    return quat_rotate(quat_inverse(q), x);
}

//: quat_from_axis_angle(vec, scalar) <- quat; vec
template <typename T> __device__ quat_t<T> quat_from_axis_angle(vec<3, T> axis, T angle)
{
    T s = sin(angle * T(0.5)), w = cos(angle * T(0.5));
    return {axis[0] * s, axis[1] * s, axis[2] * s, w};
}

//: quat_to_axis_angle(quat) <- vector_part; length(vec); vec / scalar; -vec
// An angle of at most pi: the axis points the other way where w is negative.
template <typename T> __device__ void quat_to_axis_angle(quat_t<T> q, vec<3, T>& axis, T& angle)
{
    vec<3, T> v = vector_part(q);
    T size = length(v);
    axis = size > T(0) ? v / size : v;
    if (q[3] < T(0))
        axis = -axis;
    angle = T(2) * atan2(size, fabs(q[3]));
}

//: quat_to_axis_angle(quat, vec, scalar) <- quat_to_axis_angle(quat)

//: quat_slerp(quat, quat, scalar) <- quat * quat; quat_inverse(quat); quat_to_axis_angle(quat);
//+ quat_from_axis_angle(vec, scalar)
template <typename T> __device__ quat_t<T> quat_slerp(quat_t<T> a, quat_t<T> b, T t)
{
    vec<3, T> axis;
    T angle;
    quat_to_axis_angle(quat_inverse(a) * b, axis, angle);
    return a * quat_from_axis_angle(axis, t * angle);
}

//: quat_from_euler(vec, scalar, scalar, scalar) <- quat * quat; quat_from_axis_angle(vec, scalar)
// Turned about three fixed axes, one after the other, each by the angle of its number.
template <typename T> __device__ quat_t<T> quat_from_euler(vec<3, T> angles, int i, int j, int k)
{
    quat_t<T> made = {T(0), T(0), T(0), T(1)};
    int order[3] = {i, j, k};
    for (int axis : order) {
        vec<3, T> about{};
        about[axis] = T(1);
        made = quat_from_axis_angle(about, angles[axis]) * made;
    }
    return made;
}

//: quat_rpy <- quat_from_euler(vec, scalar, scalar, scalar)
template <typename T> __device__ quat_t<T> quat_rpy(T roll, T pitch, T yaw)
{
    return quat_from_euler(vec<3, T>{roll, pitch, yaw}, 0, 1, 2);
}

//: quat_to_rpy(quat) <- quat; vec
inline __device__ vec<3, float> quat_to_rpy(quat_t<float> q)
{
    float x = q[0], y = q[1], z = q[2], w = q[3];
    float up = fminf(fmaxf(2.0f * (w * y - z * x), -1.0f), 1.0f);
    return {
        atan2f(2.0f * (w * x + y * z), 1.0f - 2.0f * (x * x + y * y)),
        asinf(up),
        atan2f(2.0f * (w * z + x * y), 1.0f - 2.0f * (y * y + z * z)),
    };
}

//: quat_to_euler(quat, scalar, scalar, scalar) <- quat; vec
// Angles about three fixed axes (Bernardes and Viollet 2022), each at the number of its axis; where the third
// axis is the first one, its angle stands at the number that is left.
inline __device__ vec<3, float> quat_to_euler(quat_t<float> q, int i, int j, int k)
{
    const float pi = 3.14159265f, near_zero = 1e-6f;
    bool proper = i == k;
    k = proper ? 3 - i - j : k;
    float sign = float((i - j) * (j - k) * (k - i) / 2);
    float a = q[3], b = q[i], c = q[j], d = q[k] * sign;
    if (!proper) {
        a = q[3] - q[j];
        b = q[i] + q[k] * sign;
        c = q[j] + q[3];
        d = q[k] * sign - q[i];
    }
    float middle = acosf(2.0f * (a * a + b * b) / (a * a + b * b + c * c + d * d) - 1.0f);
    float plus = atan2f(b, a), minus = atan2f(d, c);
    float first = plus - minus, last = plus + minus;
    if (fabsf(middle) < near_zero) {
        first = 0.0f;
        last = 2.0f * plus;
    } else if (fabsf(middle - pi) < near_zero) {
        first = 0.0f;
        last = 2.0f * minus;
    }
    vec<3, float> made;
    made[i] = first;
    made[j] = proper ? middle : middle - pi / 2.0f;
    made[k] = proper ? last : last * sign;
    return made;
}

//: quat_twist(vec, quat) <- vector_part; dot(vec, vec); normalize(quat)
template <typename T> __device__ quat_t<T> quat_twist(vec<3, T> axis, quat_t<T> q)
{
    T along = dot(axis, vector_part(q));
    return normalize(quat_t<T>{along * axis[0], along * axis[1], along * axis[2], q[3]});
}

//: quat_twist_angle(vec, quat) <- vector_part; dot(vec, vec)
template <typename T> __device__ T quat_twist_angle(vec<3, T> axis, quat_t<T> q)
{
    return T(2) * atan2(fabs(dot(axis, vector_part(q))), q[3]);
}

//: quat_twist_angle_signed(vec, quat) <- vector_part; dot(vec, vec)
template <typename T> __device__ T quat_twist_angle_signed(vec<3, T> axis, quat_t<T> q)
{
    return T(2) * atan2(dot(axis, vector_part(q)), q[3]);
}

//: quat_to_matrix(quat) <- quat_rotate(quat, vec); mat
template <typename T> __device__ mat<3, 3, T> quat_to_matrix(quat_t<T> q)
{
    mat<3, 3, T> made;
    for (int j = 0; j < 3; ++j) {
        vec<3, T> unit{};
        unit[j] = T(1);
        vec<3, T> column = quat_rotate(q, unit);
        for (int i = 0; i < 3; ++i)
            made[i][j] = column[i];
    }
    return made;
}

//: quat_from_matrix(mat) <- mat; normalize(quat)
// From the trace where that is not negative, else from the largest entry of the diagonal (Shepperd 1978).
template <int N, typename T> __device__ quat_t<T> quat_from_matrix(mat<N, N, T> m)
{
    T trace = m[0][0] + m[1][1] + m[2][2];
    quat_t<T> made;
    if (trace >= T(0)) {
        T root = sqrt(trace + T(1)), half = T(0.5) / root;
        made = {
            (m[2][1] - m[1][2]) * half, (m[0][2] - m[2][0]) * half, (m[1][0] - m[0][1]) * half, T(0.5) * root
        };
    } else {
        int i = 0;
        i = m[1][1] > m[i][i] ? 1 : i;
        i = m[2][2] > m[i][i] ? 2 : i;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        T root = sqrt(m[i][i] - m[j][j] - m[k][k] + T(1)), half = T(0.5) / root;
        made[i] = T(0.5) * root;
        made[j] = (m[i][j] + m[j][i]) * half;
        made[k] = (m[k][i] + m[i][k]) * half;
        made[3] = (m[k][j] - m[j][k]) * half;
    }
    return normalize(made);
}
"""),
    *of_values("quat"),
)
