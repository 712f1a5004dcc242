"""Pieces for transforms: a position, and a rotation."""

from __future__ import annotations

from .atomics import of_values
from .piece import pieces

PIECES = (
    *pieces("""
//: transform <- vec; quat
template <typename T> struct transform_t {
    vec<3, T> p;
    quat_t<T> q;
    __host__ __device__ T& at(int i) { return i < 3 ? p[i] : q[i - 3]; }
    __host__ __device__ T& operator[](int i) { return at(i); }
    __host__ __device__ const T& operator[](int i) const { return i < 3 ? p[i] : q[i - 3]; }
    static __host__ __device__ transform_t all(T x) { return {{x, x, x}, {x, x, x, x}}; }
};

//: translation(...) <- transform
template <typename T> __device__ transform_t<T> translation(vec<3, T> p)
{
    return {p, {T(0), T(0), T(0), T(1)}};
}

//: transform_identity <- transform
template <typename Transform> __device__ Transform transform_identity()
{
    return {{0, 0, 0}, {0, 0, 0, 1}};
}

//: transform_get_translation(transform) <- transform
template <typename T> __device__ vec<3, T> transform_get_translation(transform_t<T> t)
{
    return t.p;
}

//: transform_get_rotation(transform) <- transform
template <typename T> __device__ quat_t<T> transform_get_rotation(transform_t<T> t)
{
    return t.q;
}

//: transform_set_translation(transform, vec) <- transform
template <typename T> __device__ void transform_set_translation(transform_t<T>& t, vec<3, T> p)
{
    t.p = p;
}

//: transform_set_rotation(transform, quat) <- transform
template <typename T> __device__ void transform_set_rotation(transform_t<T>& t, quat_t<T> q)
{
    t.q = q;
}

//: transform + transform <- transform; vec + vec; quat + quat
template <typename T> __device__ transform_t<T> operator+(transform_t<T> a, transform_t<T> b)
{
    return {a.p + b.p, a.q + b.q};
}

//: transform - transform <- transform; vec - vec; quat - quat
template <typename T> __device__ transform_t<T> operator-(transform_t<T> a, transform_t<T> b)
{
    return {a.p - b.p, a.q - b.q};
}

//: transform * scalar <- transform; vec * scalar; quat * scalar
template <typename T> __device__ transform_t<T> operator*(transform_t<T> a, T s)
{
    return {a.p * s, a.q * s};
}

//: scalar * transform <- transform; scalar * vec; scalar * quat
template <typename T> __device__ transform_t<T> operator*(T s, transform_t<T> a)
{
    return {s * a.p, s * a.q};
}

//: transform == transform <- transform; vec == vec; quat == quat
template <typename T> __device__ bool operator==(transform_t<T> a, transform_t<T> b)
{
    return a.p == b.p && a.q == b.q;
}

//: lerp(transform, transform, scalar) <- transform; lerp(vec, vec, scalar); lerp(quat, quat, scalar)
template <typename T> __device__ transform_t<T> lerp(transform_t<T> a, transform_t<T> b, T t)
{
    return {lerp(a.p, b.p, t), lerp(a.q, b.q, t)};
}

//: transform_point(transform, vec) <- transform; quat_rotate(quat, vec); vec + vec
template <typename T> __device__ vec<3, T> transform_point(transform_t<T> t, vec<3, T> x)
{
    return quat_rotate(t.q, x) + t.p;
}

//: transform_vector(transform, vec) <- transform; quat_rotate(quat, vec)
template <typename T> __device__ vec<3, T> transform_vector(transform_t<T> t, vec<3, T> x)
{
    return quat_rotate(t.q, x);
}

//: transform_vector(mat, vec) <- mat
template <typename T> __device__ vec<3, T> transform_vector(mat<4, 4, T> m, vec<3, T> x)
{
    vec<3, T> made{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            made[i] += m[i][j] * x[j];
    return made;
}

//: transform_point(mat, vec) <- transform_vector(mat, vec); vec + vec
template <typename T> __device__ vec<3, T> transform_point(mat<4, 4, T> m, vec<3, T> x)
{
    return transform_vector(m, x) + vec<3, T>{m[0][3], m[1][3], m[2][3]};
}

//: transform_multiply(transform, transform) <- transform_point(transform, vec); quat * quat
// First b, then a.
template <typename T> __device__ transform_t<T> transform_multiply(transform_t<T> a, transform_t<T> b)
{
    return {transform_point(a, b.p), a.q * b.q};
}

//: transform_inverse(transform) <- transform; quat_inverse(quat); quat_rotate(quat, vec); -vec
template <typename T> __device__ transform_t<T> transform_inverse(transform_t<T> t)
{
    quat_t<T> back = quat_inverse(t.q);
    return {-quat_rotate(back, t.p), back};
}

//: transform_compose(vec, quat, vec) <- quat_to_matrix(quat); mat
// Scales, rotates and moves, in this order.
template <typename T> __device__ mat<4, 4, T> transform_compose(vec<3, T> p, quat_t<T> q, vec<3, T> scale)
{
    mat<3, 3, T> r = quat_to_matrix(q);
    mat<4, 4, T> made{};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            made[i][j] = r[i][j] * scale[j];
        made[i][3] = p[i];
    }
    made[3][3] = T(1);
    return made;
}

//: transform_to_matrix(transform) <- transform; transform_compose(vec, quat, vec)
template <typename T> __device__ mat<4, 4, T> transform_to_matrix(transform_t<T> t)
{
    return transform_compose(t.p, t.q, vec<3, T>{T(1), T(1), T(1)});
}

//: transform_from_matrix(mat) <- transform; quat_from_matrix(mat)
template <typename T> __device__ transform_t<T> transform_from_matrix(mat<4, 4, T> m)
{
    return {{m[0][3], m[1][3], m[2][3]}, quat_from_matrix(m)};
}

//: transform_decompose(mat) <- quat_from_matrix(mat)
// Position, rotation and scale, which is the length of the columns.
template <typename T>
__device__ void transform_decompose(mat<4, 4, T> m, vec<3, T>& p, quat_t<T>& q, vec<3, T>& scale)
{
    mat<3, 3, T> r;
    for (int j = 0; j < 3; ++j) {
        p[j] = m[j][3];
        scale[j] = sqrt(m[0][j] * m[0][j] + m[1][j] * m[1][j] + m[2][j] * m[2][j]);
        for (int i = 0; i < 3; ++i)
            r[i][j] = scale[j] != T(0) ? m[i][j] / scale[j] : m[i][j];
    }
    q = quat_from_matrix(r);
}

//: transform_twist(transform, vec) <- transform; spatial_top(...); spatial_bottom(...); joined(...);
//+ quat_rotate(quat, vec); cross(vec, vec); vec + vec
inline __device__ vec<6, float> transform_twist(transform_t<float> t, vec<6, float> x)
{
    vec<3, float> w = quat_rotate(t.q, spatial_top(x)), v = quat_rotate(t.q, spatial_bottom(x));
    return joined(w, v + cross(t.p, w));
}

//: transform_wrench(transform, vec) <- transform; spatial_top(...); spatial_bottom(...); joined(...);
//+ quat_rotate(quat, vec); cross(vec, vec); vec + vec
inline __device__ vec<6, float> transform_wrench(transform_t<float> t, vec<6, float> x)
{
    vec<3, float> torque = quat_rotate(t.q, spatial_top(x)), force = quat_rotate(t.q, spatial_bottom(x));
    return joined(torque + cross(t.p, force), force);
}
"""),
    *of_values("transform"),
)
