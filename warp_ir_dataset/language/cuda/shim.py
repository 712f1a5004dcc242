"""Definitions with which a C++ compiler runs plain CUDA on a CPU, unchanged, thread by thread.

The proof puts `MACROS` and `BODY` in front of a text, with a grid of its own (`compilers.cuda_on_cpu`); an
exported folder has them in `HEADER`: one source.

Not covered: shared memory and barriers, which need several threads at once.
"""

from __future__ import annotations

NAME = "cuda_on_cpu.h"

MACROS = """
#define CUDA_ON_CPU
#define __global__
#define __device__
#define __host__
#define __constant__ static const
"""

# May stand in a namespace, as may what follows.
GRID = """
struct grid_index { unsigned int x, y, z; };
static grid_index gridDim = {1, 1, 1}, blockDim = {1, 1, 1}, blockIdx = {0, 0, 0}, threadIdx = {0, 0, 0};

template <typename Thread> void for_each_thread(unsigned int blocks, unsigned int threads, Thread thread)
{
    gridDim.x = blocks;
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x)
            thread();
}
"""

BODY = """
template <typename T> T min(T a, T b) { return b < a ? b : a; }
template <typename T> T max(T a, T b) { return a < b ? b : a; }

template <typename To, typename From> To cpu_bits(From from)
{
    To to;
    __builtin_memcpy(&to, &from, sizeof(to));
    return to;
}
inline int __float_as_int(float x) { return cpu_bits<int>(x); }
inline unsigned int __float_as_uint(float x) { return cpu_bits<unsigned int>(x); }
inline float __int_as_float(int x) { return cpu_bits<float>(x); }
inline float __uint_as_float(unsigned int x) { return cpu_bits<float>(x); }
inline long long __double_as_longlong(double x) { return cpu_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return cpu_bits<double>(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

// Nobody comes between: a plain update is an atomic one.
template <typename T> T cpu_exchange(T* p, T value)
{
    T old = *p;
    *p = value;
    return old;
}
template <typename T> T atomicAdd(T* p, T value) { return cpu_exchange(p, T(*p + value)); }
template <typename T> T atomicSub(T* p, T value) { return cpu_exchange(p, T(*p - value)); }
template <typename T> T atomicMin(T* p, T value) { return cpu_exchange(p, min(*p, value)); }
template <typename T> T atomicMax(T* p, T value) { return cpu_exchange(p, max(*p, value)); }
template <typename T> T atomicAnd(T* p, T value) { return cpu_exchange(p, T(*p & value)); }
template <typename T> T atomicOr(T* p, T value) { return cpu_exchange(p, T(*p | value)); }
template <typename T> T atomicXor(T* p, T value) { return cpu_exchange(p, T(*p ^ value)); }
template <typename T> T atomicExch(T* p, T value) { return cpu_exchange(p, value); }
template <typename T> T atomicCAS(T* p, T compare, T value)
{
    return cpu_exchange(p, *p == compare ? value : *p);
}

// Newton's method from Winitzki's approximation.
inline double erfinv(double y)
{
    double l = log((1.0 - y) * (1.0 + y)), half = 4.330746750799873 + l / 2.0;
    double x = copysign(sqrt(sqrt(half * half - l / 0.147) - half), y);
    for (int i = 0; i < 4; ++i)
        x -= (erf(x) - y) * 0.886226925452758 * exp(x * x);
    return x;
}
inline float erfinvf(float y) { return float(erfinv(double(y))); }
inline double erfcinv(double y) { return erfinv(1.0 - y); }
inline float erfcinvf(float y) { return float(erfinv(1.0 - double(y))); }
"""

_API = """
typedef int cudaError_t;
static const cudaError_t cudaSuccess = 0;
template <typename T> cudaError_t cudaMallocManaged(T** p, size_t bytes)
{
    *p = (T*)malloc(bytes);
    return *p ? cudaSuccess : 2;
}
inline cudaError_t cudaFree(void* p)
{
    free(p);
    return cudaSuccess;
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "out of memory"; }
"""

HEADER = (
    "// Plain CUDA on a CPU, one thread after another: g++ -x c++ -include cuda_on_cpu.h kernel.cu\n"
    "#pragma once\n\n#include <assert.h>\n#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    f"#include <stdlib.h>\n{MACROS}{GRID}{BODY}{_API}"
)
