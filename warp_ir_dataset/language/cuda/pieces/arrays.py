"""Pieces for arrays with sizes: views, members of structs, and arguments of functions."""

from __future__ import annotations

from .piece import pieces

PIECES = tuple(
    pieces("""
//: array
// Elements that lie at even distances in each of N dimensions.
template <typename T, int N> struct Array {
    T* data;
    int shape[N];
    int stride[N];
    __host__ __device__ T& operator()(int i) const { return data[i * stride[0]]; }
    __host__ __device__ T& operator()(int i, int j) const { return data[i * stride[0] + j * stride[1]]; }
    __host__ __device__ T& operator()(int i, int j, int k) const
    {
        return data[i * stride[0] + j * stride[1] + k * stride[2]];
    }
    __host__ __device__ T& operator()(int i, int j, int k, int l) const
    {
        return data[i * stride[0] + j * stride[1] + k * stride[2] + l * stride[3]];
    }
};

//: view <- array
// A whole array by its sizes, the last index running fastest.
template <typename T, typename... Sizes>
__host__ __device__ Array<T, sizeof...(Sizes)> view(T* data, Sizes... sizes)
{
    Array<T, sizeof...(Sizes)> made{data, {sizes...}, {}};
    int distance = 1;
    for (int axis = sizeof...(Sizes) - 1; axis >= 0; --axis) {
        made.stride[axis] = distance;
        distance *= made.shape[axis];
    }
    return made;
}

//: fixed <- array
// The part of an array at one index of a dimension.
template <int AXIS, typename T, int N> __device__ Array<T, N - 1> fixed(Array<T, N> of, int index)
{
    Array<T, N - 1> made{of.data + index * of.stride[AXIS], {}, {}};
    for (int axis = 0; axis < N - 1; ++axis) {
        made.shape[axis] = of.shape[axis < AXIS ? axis : axis + 1];
        made.stride[axis] = of.stride[axis < AXIS ? axis : axis + 1];
    }
    return made;
}

//: sliced <- array
// Every step-th index of a dimension, from start to below stop; what is negative counts from the end.
template <int AXIS, typename T, int N>
__device__ Array<T, N> sliced(Array<T, N> of, int start, int stop, int step = 1)
{
    int size = of.shape[AXIS];
    start = start < 0 ? start + size : start;
    stop = stop < 0 ? stop + size : (stop < size ? stop : size);
    of.data += start * of.stride[AXIS];
    of.shape[AXIS] = stop > start ? (stop - start + step - 1) / step : 0;
    of.stride[AXIS] *= step;
    return of;
}

//: lower_bound(...) <- array
// The first place whose element is not below a value, the last one where all are.
template <typename T> __device__ int lower_bound(Array<T, 1> sorted, int begin, int end, T value)
{
    int low = begin, high = end - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted(middle) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
template <typename T> __device__ int lower_bound(Array<T, 1> sorted, T value)
{
    return lower_bound(sorted, 0, sorted.shape[0], value);
}
""")
)
