"""Pieces for spatial vectors: an angular part, then a linear one."""

from __future__ import annotations

from .piece import pieces

PIECES = tuple(
    pieces("""
//: spatial_dot(...) <- dot(vec, vec)
template <typename T> __device__ T spatial_dot(vec<6, T> a, vec<6, T> b)
{
    return dot(a, b);
}

//: spatial_top(...) <- vec
template <typename T> __device__ vec<3, T> spatial_top(vec<6, T> a)
{
    return {a[0], a[1], a[2]};
}

//: spatial_bottom(...) <- vec
template <typename T> __device__ vec<3, T> spatial_bottom(vec<6, T> a)
{
    return {a[3], a[4], a[5]};
}

//: joined(...) <- vec
template <typename T> __device__ vec<6, T> joined(vec<3, T> a, vec<3, T> b)
{
    return {a[0], a[1], a[2], b[0], b[1], b[2]};
}

//: spatial_cross(...) <- spatial_top(...); spatial_bottom(...); joined(...); cross(vec, vec); vec + vec
template <typename T> __device__ vec<6, T> spatial_cross(vec<6, T> a, vec<6, T> b)
{
    vec<3, T> w = spatial_top(a), u = spatial_top(b);
    return joined(cross(w, u), cross(spatial_bottom(a), u) + cross(w, spatial_bottom(b)));
}

//: spatial_cross_dual(...) <- spatial_top(...); spatial_bottom(...); joined(...); cross(vec, vec); vec + vec
template <typename T> __device__ vec<6, T> spatial_cross_dual(vec<6, T> a, vec<6, T> b)
{
    vec<3, T> w = spatial_top(a), s = spatial_bottom(b);
    return joined(cross(w, spatial_top(b)) + cross(spatial_bottom(a), s), cross(w, s));
}

//: velocity_at_point(...) <- spatial_top(...); spatial_bottom(...); cross(vec, vec); vec + vec
inline __device__ vec<3, float> velocity_at_point(vec<6, float> twist, vec<3, float> place)
{
    return spatial_bottom(twist) + cross(spatial_top(twist), place);
}
""")
)
