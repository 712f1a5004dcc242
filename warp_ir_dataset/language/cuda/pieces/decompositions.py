"""Pieces for decompositions of small matrices, with the signs and the order that Warp uses.

Eigenvectors by cyclic Jacobi rotations whose angles are approximated, triangles by Givens rotations (McAdams
et al. 2011, Computing the Singular Value Decomposition of 3x3 matrices with minimal branching).
"""

from __future__ import annotations

from .piece import pieces

PIECES = tuple(
    pieces("""
//: eigenvectors <- mat; mat * mat; transpose(mat)
// A rotation that makes a symmetric matrix diagonal.
template <typename T> __device__ mat<3, 3, T> eigenvectors(mat<3, 3, T> s)
{
    T q[4] = {0, 0, 0, 1};
    for (int turn = 0; turn < 24; ++turn) {
        int i = turn % 3, j = (i + 1) % 3, k = 3 - i - j;
        T c = T(2) * (s[i][i] - s[j][j]), d = s[j][i];
        if (T(5.828427124746190) * d * d < c * c) {
            T size = sqrt(c * c + d * d);
            c /= size;
            d /= size;
        } else {
            c = T(0.9238795325112867);
            d = T(0.3826834323650898);
        }
        T size = c * c + d * d, a = (c * c - d * d) / size, b = T(2) * d * c / size;
        mat<3, 3, T> about{};
        about[i][i] = about[j][j] = a;
        about[j][i] = b;
        about[i][j] = -b;
        about[k][k] = T(1);
        s = transpose(about) * s * about;
        T before[4] = {q[0], q[1], q[2], q[3]};
        q[k] = before[k] * c + d * before[3];
        q[3] = before[3] * c - d * before[k];
        int m = (k + 1) % 3, n = (k + 2) % 3;
        q[m] = before[m] * c + d * before[n];
        q[n] = before[n] * c - d * before[m];
    }
    T x = q[0], y = q[1], z = q[2], w = q[3];
    return {
        T(1) - T(2) * (y * y + z * z), T(2) * (x * y - w * z), T(2) * (x * z + w * y),
        T(2) * (x * y + w * z), T(1) - T(2) * (x * x + z * z), T(2) * (y * z - w * x),
        T(2) * (x * z - w * y), T(2) * (y * z + w * x), T(1) - T(2) * (x * x + y * y),
    };
}

//: eig3(mat) <- eigenvectors
template <typename T> __device__ void eig3(mat<3, 3, T> a, mat<3, 3, T>& q, vec<3, T>& values)
{
    q = eigenvectors(a);
    mat<3, 3, T> d = transpose(q) * a * q;
    values = {d[0][0], d[1][1], d[2][2]};
}

//: eig3(mat, mat, vec) <- eig3(mat)

//: qr3(mat) <- mat; mat * mat; transpose(mat)
template <typename T> __device__ void qr3(mat<3, 3, T> a, mat<3, 3, T>& q, mat<3, 3, T>& r)
{
    q = {T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(0), T(1)};
    r = a;
    for (int step = 0; step < 3; ++step) {
        int i = step == 2 ? 1 : 0, j = step == 0 ? 1 : 2;
        T size = sqrt(r[i][i] * r[i][i] + r[j][i] * r[j][i]);
        bool zero = size <= T(1e-12);
        T c = zero ? (r[i][i] < T(0) ? T(-1) : T(1)) : r[i][i] / size, s = zero ? T(0) : r[j][i] / size;
        mat<3, 3, T> turn = {T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(0), T(1)};
        turn[i][i] = turn[j][j] = c;
        turn[j][i] = s;
        turn[i][j] = -s;
        q = q * turn;
        r = transpose(turn) * r;
    }
}

//: qr3(mat, mat, mat) <- qr3(mat)

//: svd3(mat) <- eigenvectors; qr3(mat)
// The largest value first; the last one has the sign of the determinant.
template <typename T>
__device__ void svd3(mat<3, 3, T> a, mat<3, 3, T>& u, vec<3, T>& values, mat<3, 3, T>& v)
{
    v = eigenvectors(transpose(a) * a);
    mat<3, 3, T> b = a * v, r;
    for (int step = 0; step < 3; ++step) {
        int i = step == 2 ? 1 : 0, j = step == 0 ? 1 : 2;
        T first = T(0), second = T(0);
        for (int k = 0; k < 3; ++k) {
            first += b[k][i] * b[k][i];
            second += b[k][j] * b[k][j];
        }
        for (int k = 0; k < 3 && first < second; ++k) {
            T kept = b[k][i];
            b[k][i] = b[k][j];
            b[k][j] = -kept;
            kept = v[k][i];
            v[k][i] = v[k][j];
            v[k][j] = -kept;
        }
    }
    qr3(b, u, r);
    values = {r[0][0], r[1][1], r[2][2]};
}

//: svd3(mat, mat, vec, mat) <- svd3(mat)

//: svd2(mat) <- mat
// The largest value first, none negative; v rotates, u may mirror.
template <typename T>
__device__ void svd2(mat<2, 2, T> a, mat<2, 2, T>& u, vec<2, T>& values, mat<2, 2, T>& v)
{
    T p = a[0][0], q = a[0][1], r = a[1][0], s = a[1][1];
    T trace = p * p + q * q + r * r + s * s, difference = p * p + r * r - q * q - s * s;
    T mixed = T(2) * (p * q + r * s), root = sqrt(difference * difference + mixed * mixed);
    T first = sqrt((trace + root) / T(2)), rest = (trace - root) / T(2);
    values = {first, sqrt(rest > T(0) ? rest : T(0))};
    if (root == T(0)) {
        u = v = {T(1), T(0), T(0), T(1)};
        return;
    }
    T x = difference + root - mixed, y = difference - root + mixed, size = sqrt(x * x + y * y);
    x = size == T(0) ? T(0.7071067811865476) : x / size;
    y = size == T(0) ? T(0.7071067811865476) : y / size;
    v = {x, -y, y, x};
    T e = (p * x + q * y) / first, f = (r * x + s * y) / first;
    T sign = p * s - q * r < T(0) ? T(-1) : T(1);
    u = {e, -f * sign, f, e * sign};
}

//: svd2(mat, mat, vec, mat) <- svd2(mat)
""")
)
