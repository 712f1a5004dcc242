// CUDA's device side for clang, in front of a text that is compiled for this CPU with every access announced.
// What changes memory or waits calls the runtime (runtime.cpp); nothing here is instrumented itself. Identifiers
// of the text that are not CUDA's are renamed (text.py), so that a text reaches no name of this file that begins
// with wm_.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define WM_STATIC __attribute__((section(".bss.wm_shared"))) // of shared memory that is not dynamic (text.py)
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define WM_QUIET __attribute__((host, device, no_sanitize("thread", "safe-stack", "kcfi", "array-bounds", "local-bounds", "alignment", "integer-divide-by-zero", "shift-exponent", "float-cast-overflow", "coverage")))
// Templates, for clang reads all functions of a precompiled header that are none, and of templates what a text uses.
// No text can name the parameter's type, so that it calls them as functions that are none.
enum class wm_only {};
#define WM_OUT template <wm_only = wm_only()> WM_QUIET __attribute__((noinline)) inline
#define WM_IN template <wm_only = wm_only()> WM_QUIET inline
#define WM_HERE __builtin_return_address(0)
#define WM_BOUND [[clang::lifetimebound]] // what is returned lives no longer

typedef unsigned int wm_u32;
typedef unsigned long long wm_u64;
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef long clock_t;

extern "C" {
__device__ void wm_access(void*, wm_u64, wm_u32, void*);
__device__ void wm_atomic(void*, wm_u64, wm_u32, void*);
__device__ void wm_fence(wm_u32);
__device__ wm_u64 wm_barrier(wm_u32, wm_u64, void*);
__device__ wm_u64 wm_warp(wm_u32, wm_u32, wm_u64, wm_u32, wm_u32, void*);
__device__ void wm_trap(wm_u32, void*);
__device__ int wm_printf(const char*, ...);
__device__ wm_u64 wm_clock();
__device__ void wm_yield();
}

// ---- types

#define WM_VECTOR(name, type, align1, align2, align4)                                                             \
    struct name##1 { type x; };                                                                                   \
    struct __attribute__((aligned(align2))) name##2 { type x, y; };                                               \
    struct name##3 { type x, y, z; };                                                                             \
    struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };                                         \
    WM_IN name##1 make_##name##1(type x) { return {x}; }                                                          \
    WM_IN name##2 make_##name##2(type x, type y) { return {x, y}; }                                               \
    WM_IN name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                    \
    WM_IN name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
WM_VECTOR(char, signed char, 1, 2, 4)
WM_VECTOR(uchar, unsigned char, 1, 2, 4)
WM_VECTOR(short, short, 2, 4, 8)
WM_VECTOR(ushort, unsigned short, 2, 4, 8)
WM_VECTOR(int, int, 4, 8, 16)
WM_VECTOR(uint, unsigned int, 4, 8, 16)
WM_VECTOR(long, long, 8, 16, 16)
WM_VECTOR(ulong, unsigned long, 8, 16, 16)
WM_VECTOR(longlong, long long, 8, 16, 16)
WM_VECTOR(ulonglong, unsigned long long, 8, 16, 16)
WM_VECTOR(float, float, 4, 8, 16)
WM_VECTOR(double, double, 8, 16, 16)
struct dim3 {
    unsigned int x, y, z;
    WM_QUIET constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
    WM_QUIET constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    WM_QUIET constexpr operator uint3() const { return {x, y, z}; }
};
// Members, since an expression in parentheses would have another type than CUDA's variables.
struct wm_index_type { const uint3 thread, block; const dim3 block_size, grid_size; };
extern "C" { extern __device__ wm_index_type wm_index; extern __device__ const int warpSize; }
#define threadIdx wm_index.thread
#define blockIdx wm_index.block
#define blockDim wm_index.block_size
#define gridDim wm_index.grid_size

// ---- bits of values

template <typename T> WM_QUIET inline wm_u64 wm_bits(T v) { wm_u64 b = 0; __builtin_memcpy(&b, &v, sizeof(T)); return b; }
template <typename T> WM_QUIET inline T wm_of(wm_u64 b) { T v; __builtin_memcpy(&v, &b, sizeof(T)); return v; }

// ---- barriers, fences, warps

WM_OUT void __syncthreads() { wm_barrier(0, 0, WM_HERE); }
WM_OUT int __syncthreads_count(int p) { return (int)wm_barrier(1, p != 0, WM_HERE); }
WM_OUT int __syncthreads_and(int p) { return (int)wm_barrier(2, p != 0, WM_HERE); }
WM_OUT int __syncthreads_or(int p) { return (int)wm_barrier(3, p != 0, WM_HERE); }
WM_OUT void __threadfence() { wm_fence(1); }
WM_OUT void __threadfence_system() { wm_fence(1); }
WM_OUT void __threadfence_block() { wm_fence(0); }
WM_OUT void __syncwarp(unsigned int mask = 0xffffffffu) { wm_warp(0, mask, 0, 0, 0, WM_HERE); }
#define WM_SHUFFLES(type)                                                                                         \
    WM_OUT type __shfl_sync(unsigned int m, type v, int a, int width = 32) { return wm_of<type>(wm_warp(1, m, wm_bits(v), (wm_u32)a, (wm_u32)width, WM_HERE)); }       \
    WM_OUT type __shfl_up_sync(unsigned int m, type v, unsigned int a, int width = 32) { return wm_of<type>(wm_warp(2, m, wm_bits(v), a, (wm_u32)width, WM_HERE)); }   \
    WM_OUT type __shfl_down_sync(unsigned int m, type v, unsigned int a, int width = 32) { return wm_of<type>(wm_warp(3, m, wm_bits(v), a, (wm_u32)width, WM_HERE)); } \
    WM_OUT type __shfl_xor_sync(unsigned int m, type v, int a, int width = 32) { return wm_of<type>(wm_warp(4, m, wm_bits(v), (wm_u32)a, (wm_u32)width, WM_HERE)); }   \
    WM_OUT unsigned int __match_any_sync(unsigned int m, type v) { return (unsigned int)wm_warp(9, m, wm_bits(v), 0, 0, WM_HERE); }                                    \
    WM_OUT unsigned int __match_all_sync(unsigned int m, type v, int* p)                                          \
    { unsigned int r = (unsigned int)wm_warp(10, m, wm_bits(v), 0, 0, WM_HERE); wm_access(p, 4, 1, WM_HERE); *p = r != 0; return r; }
WM_SHUFFLES(int) WM_SHUFFLES(unsigned int) WM_SHUFFLES(long) WM_SHUFFLES(unsigned long) WM_SHUFFLES(long long)
WM_SHUFFLES(unsigned long long) WM_SHUFFLES(float) WM_SHUFFLES(double)
WM_OUT unsigned int __ballot_sync(unsigned int m, int p) { return (unsigned int)wm_warp(5, m, p != 0, 0, 0, WM_HERE); }
WM_OUT int __any_sync(unsigned int m, int p) { return (int)wm_warp(6, m, p != 0, 0, 0, WM_HERE); }
WM_OUT int __all_sync(unsigned int m, int p) { return (int)wm_warp(7, m, p != 0, 0, 0, WM_HERE); }
WM_OUT unsigned int __activemask() { return (unsigned int)wm_warp(8, 0, 0, 0, 0, WM_HERE); }
#define WM_REDUCE(name, type, op) WM_OUT type name(unsigned int m, type v) { return (type)wm_warp(op, m, wm_bits(v), 0, 0, WM_HERE); }
WM_REDUCE(__reduce_add_sync, int, 11) WM_REDUCE(__reduce_add_sync, unsigned int, 11)
WM_REDUCE(__reduce_min_sync, unsigned int, 12) WM_REDUCE(__reduce_max_sync, unsigned int, 13)
WM_REDUCE(__reduce_min_sync, int, 17) WM_REDUCE(__reduce_max_sync, int, 18)
WM_REDUCE(__reduce_and_sync, unsigned int, 14) WM_REDUCE(__reduce_or_sync, unsigned int, 15)
WM_REDUCE(__reduce_xor_sync, unsigned int, 16)
WM_OUT void __trap() { wm_trap(0, WM_HERE); }
WM_OUT void __brkpt() { wm_trap(0, WM_HERE); }
WM_OUT void wm_assert(bool holds) { if (!holds) wm_trap(1, WM_HERE); }
#define assert(...) wm_assert(bool(__VA_ARGS__))
#define printf wm_printf
WM_OUT long long clock64() { return (long long)wm_clock(); }
WM_OUT clock_t clock() { return (clock_t)wm_clock(); }
WM_OUT void __nanosleep(unsigned int) { wm_yield(); }

// ---- atomics: each is one access, between whose reading and writing nobody comes

#define WM_ATOMIC(name, type, change)                                                                             \
    WM_OUT type name(type* p, type v) { wm_atomic(p, sizeof(type), 0, WM_HERE); type o = *p; *p = (type)(change); return o; }         \
    WM_OUT type name##_system(type* p, type v) { wm_atomic(p, sizeof(type), 0, WM_HERE); type o = *p; *p = (type)(change); return o; } \
    WM_OUT type name##_block(type* p, type v) { wm_atomic(p, sizeof(type), 1, WM_HERE); type o = *p; *p = (type)(change); return o; }
#define WM_INTEGERS(name, change) WM_ATOMIC(name, int, change) WM_ATOMIC(name, unsigned int, change) WM_ATOMIC(name, unsigned long long, change)
WM_ATOMIC(atomicAdd, int, (unsigned int)o + (unsigned int)v) WM_ATOMIC(atomicAdd, unsigned int, o + v)
WM_ATOMIC(atomicAdd, unsigned long long, o + v) WM_ATOMIC(atomicAdd, float, o + v) WM_ATOMIC(atomicAdd, double, o + v)
WM_ATOMIC(atomicSub, int, (unsigned int)o - (unsigned int)v) WM_ATOMIC(atomicSub, unsigned int, o - v)
WM_INTEGERS(atomicExch, v) WM_ATOMIC(atomicExch, float, v)
WM_INTEGERS(atomicMin, v < o ? v : o) WM_ATOMIC(atomicMin, long long, v < o ? v : o)
WM_INTEGERS(atomicMax, v > o ? v : o) WM_ATOMIC(atomicMax, long long, v > o ? v : o)
WM_INTEGERS(atomicAnd, o & v) WM_INTEGERS(atomicOr, o | v) WM_INTEGERS(atomicXor, o ^ v)
WM_ATOMIC(atomicAnd, long long, o & v) WM_ATOMIC(atomicOr, long long, o | v) WM_ATOMIC(atomicXor, long long, o ^ v)
WM_ATOMIC(atomicInc, unsigned int, o >= v ? 0u : o + 1u)
WM_ATOMIC(atomicDec, unsigned int, o == 0u || o > v ? v : o - 1u)
#define WM_CAS(type)                                                                                              \
    WM_OUT type atomicCAS(type* p, type c, type v) { wm_atomic(p, sizeof(type), 0, WM_HERE); type o = *p; if (o == c) *p = v; return o; }        \
    WM_OUT type atomicCAS_system(type* p, type c, type v) { wm_atomic(p, sizeof(type), 0, WM_HERE); type o = *p; if (o == c) *p = v; return o; } \
    WM_OUT type atomicCAS_block(type* p, type c, type v) { wm_atomic(p, sizeof(type), 1, WM_HERE); type o = *p; if (o == c) *p = v; return o; }
WM_CAS(int) WM_CAS(unsigned int) WM_CAS(unsigned long long)
WM_OUT unsigned short atomicCAS(unsigned short* p, unsigned short c, unsigned short v) { wm_atomic(p, 2, 0, WM_HERE); unsigned short o = *p; if (o == c) *p = v; return o; }

// ---- loads and stores with a cache hint

template <typename T> struct wm_hinted { typedef T one; typedef void none; };
template <> struct wm_hinted<bool> {};
#define WM_HINTED(name) template <typename T> WM_QUIET __attribute__((noinline)) inline typename wm_hinted<T>::one name(const T* p) { wm_access((void*)p, sizeof(T), 68 | alignof(T) << 16, WM_HERE); return *p; }
WM_HINTED(__ldg) WM_HINTED(__ldca) WM_HINTED(__ldcg) WM_HINTED(__ldcs) WM_HINTED(__ldlu) WM_HINTED(__ldcv)
#define WM_STORED(name) template <typename T> WM_QUIET __attribute__((noinline)) inline typename wm_hinted<T>::none name(T* p, T v) { wm_access(p, sizeof(T), 65 | alignof(T) << 16, WM_HERE); *p = v; }
WM_STORED(__stcg) WM_STORED(__stcs) WM_STORED(__stwb) WM_STORED(__stwt)

// ---- the C library's

#define WM_TOLD template <wm_only = wm_only()> __attribute__((host, device, always_inline, nodebug)) inline
WM_TOLD void* memcpy(void* to, const void* from, size_t n) { return __builtin_memcpy(to, from, n); }
WM_TOLD void* memset(void* to, int value, size_t n) { return __builtin_memset(to, value, n); }

// ---- whole numbers

WM_IN int __popc(unsigned int v) { return __builtin_popcount(v); }
WM_IN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
WM_IN int __ffs(int v) { return __builtin_ffs(v); }
WM_IN int __ffsll(long long v) { return __builtin_ffsll(v); }
WM_IN int __clz(int v) { return v ? __builtin_clz((unsigned int)v) : 32; }
WM_IN int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
WM_IN unsigned int __brev(unsigned int v) { return __builtin_bitreverse32(v); }
WM_IN unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
WM_IN unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s)
{
    wm_u64 all = (wm_u64)b << 32 | a;
    unsigned int r = 0;
    for (int i = 0; i < 4; ++i) r |= (unsigned int)(all >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return r;
}
WM_IN unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int s) { return (unsigned int)(((wm_u64)high << 32 | low) << (s & 31) >> 32); }
WM_IN unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int s) { return (unsigned int)(((wm_u64)high << 32 | low) >> (s & 31)); }
WM_IN unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int s) { return s >= 32 ? low : __funnelshift_l(low, high, s); }
WM_IN unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int s) { return s >= 32 ? high : __funnelshift_r(low, high, s); }
WM_IN int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
WM_IN unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)((wm_u64)a * b >> 32); }
WM_IN long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
WM_IN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (wm_u64)((unsigned __int128)a * b >> 64); }
WM_IN int __mul24(int a, int b) { return (int)((unsigned int)(a << 8 >> 8) * (unsigned int)(b << 8 >> 8)); }
WM_IN unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
WM_IN unsigned int __sad(int a, int b, unsigned int c) { return (a > b ? (unsigned int)a - (unsigned int)b : (unsigned int)b - (unsigned int)a) + c; }
WM_IN unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return (a > b ? a - b : b - a) + c; }
WM_IN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
WM_IN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
WM_IN unsigned int __uhadd(unsigned int a, unsigned int b) { return (unsigned int)(((wm_u64)a + b) >> 1); }
WM_IN unsigned int __urhadd(unsigned int a, unsigned int b) { return (unsigned int)(((wm_u64)a + b + 1) >> 1); }
WM_IN int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 4; ++i) c += (signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
    return c;
}
WM_IN unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 255u) * (b >> 8 * i & 255u);
    return c;
}

// ---- bits and conversions

WM_IN int __float_as_int(float v) { return wm_of<int>(wm_bits(v)); }
WM_IN unsigned int __float_as_uint(float v) { return wm_of<unsigned int>(wm_bits(v)); }
WM_IN float __int_as_float(int v) { return wm_of<float>(wm_bits(v)); }
WM_IN float __uint_as_float(unsigned int v) { return wm_of<float>(wm_bits(v)); }
WM_IN long long __double_as_longlong(double v) { return wm_of<long long>(wm_bits(v)); }
WM_IN double __longlong_as_double(long long v) { return wm_of<double>(wm_bits(v)); }
WM_IN int __double2hiint(double v) { return (int)(wm_bits(v) >> 32); }
WM_IN int __double2loint(double v) { return (int)wm_bits(v); }
WM_IN double __hiloint2double(int h, int l) { return wm_of<double>((wm_u64)(unsigned int)h << 32 | (unsigned int)l); }
// The C library's, by names of the machine's: a function that a pointer leads to is one of the unit's.
extern "C" {
#define WM_C1(name) __host__ __device__ double wm_c_##name(double); __host__ __device__ float wm_c_##name##f(float);
#define WM_C2(name) __host__ __device__ double wm_c_##name(double, double); __host__ __device__ float wm_c_##name##f(float, float);
#define WM_CI(name) __host__ __device__ double wm_c_##name(double, int); __host__ __device__ float wm_c_##name##f(float, int);
WM_C1(sqrt) WM_C1(cbrt) WM_C1(exp) WM_C1(exp2) WM_C1(exp10) WM_C1(expm1) WM_C1(log) WM_C1(log2) WM_C1(log10) WM_C1(log1p)
WM_C1(sin) WM_C1(cos) WM_C1(tan) WM_C1(asin) WM_C1(acos) WM_C1(atan) WM_C1(sinh) WM_C1(cosh) WM_C1(tanh) WM_C1(asinh)
WM_C1(acosh) WM_C1(atanh) WM_C1(erf) WM_C1(erfc) WM_C1(tgamma) WM_C1(lgamma) WM_C1(fabs) WM_C1(floor) WM_C1(ceil)
WM_C1(trunc) WM_C1(round) WM_C1(rint) WM_C1(nearbyint) WM_C1(logb) WM_C1(j0) WM_C1(j1) WM_C1(y0) WM_C1(y1)
WM_C2(pow) WM_C2(atan2) WM_C2(hypot) WM_C2(fmod) WM_C2(remainder) WM_C2(copysign) WM_C2(fmax) WM_C2(fmin)
WM_C2(fdim) WM_C2(nextafter) WM_CI(ldexp) WM_CI(scalbn)
__host__ __device__ double wm_c_fma(double, double, double); __host__ __device__ float wm_c_fmaf(float, float, float);
__host__ __device__ double wm_c_scalbln(double, long); __host__ __device__ float wm_c_scalblnf(float, long);
__host__ __device__ int wm_c_ilogb(double); __host__ __device__ int wm_c_ilogbf(float);
__host__ __device__ double wm_c_jn(int, double); __host__ __device__ float wm_c_jnf(int, float);
__host__ __device__ double wm_c_yn(int, double); __host__ __device__ float wm_c_ynf(int, float);
__host__ __device__ double wm_c_frexp(double, int*); __host__ __device__ double wm_c_modf(double, double*);
__host__ __device__ double wm_c_remquo(double, double, int*);
}
#define WM_BOTH1(name) WM_IN double name(double x) { return wm_c_##name(x); } WM_IN float name##f(float x) { return wm_c_##name##f(x); }
#define WM_BOTH2(name) WM_IN double name(double x, double y) { return wm_c_##name(x, y); } WM_IN float name##f(float x, float y) { return wm_c_##name##f(x, y); }
#define WM_BOTHI(name, type) WM_IN double name(double x, type n) { return wm_c_##name(x, n); } WM_IN float name##f(float x, type n) { return wm_c_##name##f(x, n); }
WM_BOTH1(sqrt) WM_BOTH1(cbrt) WM_BOTH1(exp) WM_BOTH1(exp2) WM_BOTH1(exp10) WM_BOTH1(expm1) WM_BOTH1(log) WM_BOTH1(log2)
WM_BOTH1(log10) WM_BOTH1(log1p) WM_BOTH1(sin) WM_BOTH1(cos) WM_BOTH1(tan) WM_BOTH1(asin) WM_BOTH1(acos) WM_BOTH1(atan)
WM_BOTH1(sinh) WM_BOTH1(cosh) WM_BOTH1(tanh) WM_BOTH1(asinh) WM_BOTH1(acosh) WM_BOTH1(atanh) WM_BOTH1(erf) WM_BOTH1(erfc)
WM_BOTH1(tgamma) WM_BOTH1(lgamma) WM_BOTH1(fabs) WM_BOTH1(floor) WM_BOTH1(ceil) WM_BOTH1(trunc) WM_BOTH1(round)
WM_BOTH1(rint) WM_BOTH1(nearbyint) WM_BOTH1(logb) WM_BOTH1(j0) WM_BOTH1(j1) WM_BOTH1(y0) WM_BOTH1(y1)
WM_BOTH2(pow) WM_BOTH2(atan2) WM_BOTH2(hypot) WM_BOTH2(fmod) WM_BOTH2(remainder) WM_BOTH2(copysign) WM_BOTH2(fmax)
WM_BOTH2(fmin) WM_BOTH2(fdim) WM_BOTH2(nextafter) WM_BOTHI(ldexp, int) WM_BOTHI(scalbn, int) WM_BOTHI(scalbln, long)
WM_IN double fma(double a, double b, double c) { return wm_c_fma(a, b, c); }
WM_IN float fmaf(float a, float b, float c) { return wm_c_fmaf(a, b, c); }
WM_IN int ilogb(double x) { return wm_c_ilogb(x); }
WM_IN int ilogbf(float x) { return wm_c_ilogbf(x); }
WM_IN double jn(int n, double x) { return wm_c_jn(n, x); }
WM_IN float jnf(int n, float x) { return wm_c_jnf(n, x); }
WM_IN double yn(int n, double x) { return wm_c_yn(n, x); }
WM_IN float ynf(int n, float x) { return wm_c_ynf(n, x); }
WM_IN double nan(const char*) { return __builtin_nan(""); }
WM_IN float nanf(const char*) { return __builtin_nanf(""); }
WM_IN long long wm_to_ll(double v)
{
    const long long least = -9223372036854775807ll - 1;
    return v != v || v <= -9223372036854775808.0 ? least : v >= 9223372036854775808.0 ? 9223372036854775807ll : (long long)v;
}
WM_IN long lrintf(float x) { return wm_to_ll(rintf(x)); }
WM_IN long lrint(double x) { return wm_to_ll(rint(x)); }
WM_IN long lroundf(float x) { return wm_to_ll(roundf(x)); }
WM_IN long lround(double x) { return wm_to_ll(round(x)); }
WM_IN long long llrintf(float x) { return wm_to_ll(rintf(x)); }
WM_IN long long llrint(double x) { return wm_to_ll(rint(x)); }
WM_IN long long llroundf(float x) { return wm_to_ll(roundf(x)); }
WM_IN long long llround(double x) { return wm_to_ll(round(x)); }
WM_OUT double frexp(double x, int* p) { wm_access(p, 4, 1, WM_HERE); int e; double r = wm_c_frexp(x, &e); *p = e; return r; }
WM_OUT float frexpf(float x, int* p) { wm_access(p, 4, 1, WM_HERE); int e; double r = wm_c_frexp(x, &e); *p = e; return (float)r; }
WM_OUT double modf(double x, double* p) { wm_access(p, 8, 1, WM_HERE); double w; double r = wm_c_modf(x, &w); *p = w; return r; }
WM_OUT float modff(float x, float* p) { wm_access(p, 4, 1, WM_HERE); double w; double r = wm_c_modf(x, &w); *p = (float)w; return (float)r; }
WM_OUT double remquo(double x, double y, int* p) { wm_access(p, 4, 1, WM_HERE); int q; double r = wm_c_remquo(x, y, &q); *p = q; return r; }
WM_OUT float remquo(float x, float y, int* p) { wm_access(p, 4, 1, WM_HERE); int q; double r = wm_c_remquo(x, y, &q); *p = q; return (float)r; }
WM_OUT float remquof(float x, float y, int* p) { wm_access(p, 4, 1, WM_HERE); int q; double r = wm_c_remquo(x, y, &q); *p = q; return (float)r; }
#define WM_PAIR(name, type, first, second) WM_OUT void name(type x, type* s, type* c) { wm_access(s, sizeof(type), 1, WM_HERE); *s = first; wm_access(c, sizeof(type), 1, WM_HERE); *c = second; }
WM_PAIR(sincosf, float, sinf(x), cosf(x)) WM_PAIR(sincos, double, sin(x), cos(x)) WM_PAIR(sincos, float, sinf(x), cosf(x)) WM_PAIR(__sincosf, float, sinf(x), cosf(x))
WM_PAIR(sincospif, float, (float)sin(x * 3.14159265358979323846), (float)cos(x * 3.14159265358979323846))
WM_PAIR(sincospi, float, (float)sin(x * 3.14159265358979323846), (float)cos(x * 3.14159265358979323846))
WM_PAIR(sincospi, double, sin(x * 3.14159265358979323846), cos(x * 3.14159265358979323846))
#define WM_OWN(name, value) WM_IN double name(double x) { return value; } WM_IN float name##f(float x_) { double x = x_; return (float)(value); }
WM_IN double wm_sinpi(double x) { double r = fmod(x, 2.0); return r == 0 || r == 1 || r == -1 ? 0.0 * x : sin(r * 3.14159265358979323846); }
WM_IN double wm_cospi(double x) { double r = fabs(fmod(x, 2.0)); return r == 0.5 || r == 1.5 ? 0.0 : cos(r * 3.14159265358979323846); }
WM_IN double wm_erfinv(double y)
{
    if (!(y > -1 && y < 1)) return y == 1 ? __builtin_inf() : y == -1 ? -__builtin_inf() : __builtin_nan("");
    double a = 0.147, l = log1p(-y * y), b = 2 / (3.14159265358979323846 * a) + l / 2;
    double x = copysign(sqrt(sqrt(b * b - l / a) - b), y);
    for (int i = 0; i < 3; ++i) { double e = erf(x) - y, d = 1.12837916709551257390 * exp(-x * x); if (d > 0) x -= e / (d + x * e); }
    return x;
}
WM_IN double wm_erfcinv(double y)
{
    if (!(y > 0 && y < 2)) return y == 0 ? __builtin_inf() : y == 2 ? -__builtin_inf() : __builtin_nan("");
    if (y > 0.1) return wm_erfinv(1 - y);
    double x = sqrt(-log(y * sqrt(-log(y) > 1 ? -log(y) : 1.0)));
    for (int i = 0; i < 6; ++i) { double e = erfc(x) - y, d = -1.12837916709551257390 * exp(-x * x); x -= e / (d + x * e); }
    return x;
}
WM_OWN(rsqrt, 1.0 / sqrt(x)) WM_OWN(rcbrt, 1.0 / cbrt(x)) WM_OWN(sinpi, wm_sinpi(x)) WM_OWN(cospi, wm_cospi(x))
WM_OWN(normcdf, 0.5 * erfc(-x * 0.70710678118654752440)) WM_OWN(normcdfinv, -1.41421356237309504880 * wm_erfcinv(2 * x))
WM_OWN(erfinv, wm_erfinv(x)) WM_OWN(erfcinv, wm_erfcinv(x)) WM_OWN(erfcx, exp(x * x) * erfc(x))
WM_IN double norm4d(double a, double b, double c, double d) { return sqrt(a * a + b * b + c * c + d * d); }
WM_IN float rhypotf(float a, float b) { return (float)(1.0 / hypot((double)a, (double)b)); }
WM_IN double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
WM_IN float norm3df(float a, float b, float c) { return (float)sqrt((double)a * a + (double)b * b + (double)c * c); }
WM_IN double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
WM_IN double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
WM_IN double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
WM_IN float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
WM_IN float norm4df(float a, float b, float c, float d) { return (float)sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d); }
WM_IN float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
#define WM_NORM(name, type) WM_OUT type name(int n, const type* p) { double r = 0; for (int i = 0; i < n; ++i) { wm_access((void*)(p + i), sizeof(type), 4, WM_HERE); r += (double)p[i] * p[i]; } return (type)sqrt(r); }
WM_NORM(norm, double) WM_NORM(normf, float)
WM_IN double rnorm(int n, const double* p) { return 1.0 / norm(n, p); }
WM_IN float rnormf(int n, const float* p) { return 1.0f / normf(n, p); }
WM_IN double fdivide(double a, double b) { return a / b; }
WM_IN float fdividef(float a, float b) { return a / b; }
WM_IN float __fdividef(float a, float b) { return a / b; }
WM_IN float __expf(float x) { return expf(x); }
WM_IN float __exp10f(float x) { return exp10f(x); }
WM_IN float __logf(float x) { return logf(x); }
WM_IN float __log2f(float x) { return log2f(x); }
WM_IN float __log10f(float x) { return log10f(x); }
WM_IN float __sinf(float x) { return sinf(x); }
WM_IN float __cosf(float x) { return cosf(x); }
WM_IN float __tanf(float x) { return tanf(x); }
WM_IN float __powf(float x, float y) { return powf(x, y); }
WM_IN float __saturatef(float x) { return x != x || x < 0 ? 0.0f : x > 1 ? 1.0f : x; }
#define WM_ROUNDED(mode)                                                                                          \
    WM_IN float __fadd_##mode(float a, float b) { return a + b; } WM_IN float __fsub_##mode(float a, float b) { return a - b; }      \
    WM_IN float __fmul_##mode(float a, float b) { return a * b; } WM_IN float __fdiv_##mode(float a, float b) { return a / b; }      \
    WM_IN float __fmaf_##mode(float a, float b, float c) { return fmaf(a, b, c); }                                \
    WM_IN float __frcp_##mode(float a) { return 1.0f / a; } WM_IN float __fsqrt_##mode(float a) { return sqrtf(a); }                 \
    WM_IN double __dadd_##mode(double a, double b) { return a + b; } WM_IN double __dsub_##mode(double a, double b) { return a - b; } \
    WM_IN double __dmul_##mode(double a, double b) { return a * b; } WM_IN double __ddiv_##mode(double a, double b) { return a / b; } \
    WM_IN double __fma_##mode(double a, double b, double c) { return fma(a, b, c); }                              \
    WM_IN double __drcp_##mode(double a) { return 1.0 / a; } WM_IN double __dsqrt_##mode(double a) { return sqrt(a); }
WM_ROUNDED(rn)
WM_IN float __frsqrt_rn(float a) { return (float)(1.0 / sqrt((double)a)); }
#define WM_TO(suffix, round)                                                                                      \
    WM_IN int __float2int_##suffix(float x) { double v = round((double)x); return v != v ? 0 : v <= -2147483648.0 ? -2147483647 - 1 : v >= 2147483647.0 ? 2147483647 : (int)v; } \
    WM_IN unsigned int __float2uint_##suffix(float x) { double v = round((double)x); return v != v || v <= 0 ? 0u : v >= 4294967295.0 ? 4294967295u : (unsigned int)v; }         \
    WM_IN long long __float2ll_##suffix(float x) { return wm_to_ll(round((double)x)); }                           \
    WM_IN int __double2int_##suffix(double x) { double v = round(x); return v != v || v <= -2147483648.0 ? -2147483647 - 1 : v >= 2147483647.0 ? 2147483647 : (int)v; }       \
    WM_IN unsigned int __double2uint_##suffix(double x) { double v = round(x); return v != v ? 0x80000000u : v <= 0 ? 0u : v >= 4294967295.0 ? 4294967295u : (unsigned int)v; }               \
    WM_IN long long __double2ll_##suffix(double x) { return wm_to_ll(round(x)); }
WM_TO(rn, rint) WM_TO(rz, trunc) WM_TO(ru, ceil) WM_TO(rd, floor)
WM_IN float __int2float_rn(int v) { return (float)v; }
WM_IN float __uint2float_rn(unsigned int v) { return (float)v; }
WM_IN float __ll2float_rn(long long v) { return (float)v; }
WM_IN float __ull2float_rn(unsigned long long v) { return (float)v; }
WM_IN float __double2float_rn(double v) { return (float)v; }
WM_IN double __int2double_rn(int v) { return v; }
WM_IN double __uint2double_rn(unsigned int v) { return v; }
WM_IN double __ll2double_rn(long long v) { return (double)v; }
WM_IN double __ull2double_rn(unsigned long long v) { return (double)v; }

// ---- overloads

template <bool, typename T> struct wm_if {};
template <typename T> struct wm_if<true, T> { typedef T type; };
template <typename T> struct wm_kind { enum { whole = __is_integral(T) && !__is_same(T, wchar_t) && !__is_same(T, char16_t) && !__is_same(T, char32_t), real = __is_same(T, float) || __is_same(T, double) }; };
template <typename A, typename B> struct wm_mixed : wm_if<(wm_kind<A>::whole || wm_kind<A>::real) && (wm_kind<B>::whole || wm_kind<B>::real) && !(wm_kind<A>::real && __is_same(A, B)), double> {};
#define WM_OVER1(name) WM_IN float name(float x) { return wm_c_##name##f(x); } \
    template <typename T> WM_QUIET inline typename wm_if<wm_kind<T>::whole, double>::type name(T x) { return wm_c_##name((double)x); }
WM_OVER1(sqrt) WM_OVER1(cbrt) WM_OVER1(exp) WM_OVER1(exp2) WM_OVER1(expm1) WM_OVER1(log) WM_OVER1(log2) WM_OVER1(log10)
WM_OVER1(log1p) WM_OVER1(sin) WM_OVER1(cos) WM_OVER1(tan) WM_OVER1(asin) WM_OVER1(acos) WM_OVER1(atan) WM_OVER1(sinh)
WM_OVER1(cosh) WM_OVER1(tanh) WM_OVER1(asinh) WM_OVER1(acosh) WM_OVER1(atanh) WM_OVER1(erf) WM_OVER1(erfc)
WM_OVER1(tgamma) WM_OVER1(lgamma) WM_OVER1(fabs) WM_OVER1(floor) WM_OVER1(ceil) WM_OVER1(trunc) WM_OVER1(round)
WM_OVER1(rint) WM_OVER1(nearbyint)
#define WM_FLOAT1(name) WM_IN float name(float x) { return name##f(x); }
WM_FLOAT1(logb) WM_FLOAT1(exp10) WM_FLOAT1(rsqrt) WM_FLOAT1(rcbrt) WM_FLOAT1(sinpi) WM_FLOAT1(cospi) WM_FLOAT1(normcdf)
WM_FLOAT1(normcdfinv) WM_FLOAT1(erfinv) WM_FLOAT1(erfcinv) WM_FLOAT1(erfcx) WM_FLOAT1(j0) WM_FLOAT1(j1) WM_FLOAT1(y0)
WM_FLOAT1(y1)
#define WM_OVER2(name) WM_IN float name(float x, float y) { return wm_c_##name##f(x, y); } \
    template <typename A, typename B> WM_QUIET inline typename wm_mixed<A, B>::type name(A x, B y) { return wm_c_##name((double)x, (double)y); }
WM_OVER2(pow) WM_OVER2(atan2) WM_OVER2(hypot) WM_OVER2(fmod) WM_OVER2(remainder) WM_OVER2(copysign) WM_OVER2(fmax)
WM_OVER2(fmin) WM_OVER2(fdim)
WM_IN float pow(float x, int y) { return (float)wm_c_pow((double)x, (double)y); }
WM_IN float jn(int n, float x) { return jnf(n, x); }
WM_IN float yn(int n, float x) { return ynf(n, x); }
WM_IN float nextafter(float x, float y) { return nextafterf(x, y); }
WM_IN float fma(float a, float b, float c) { return fmaf(a, b, c); }
WM_IN float ldexp(float a, int b) { return ldexpf(a, b); }
WM_IN float scalbn(float a, int b) { return scalbnf(a, b); }
WM_IN float scalbln(float a, long b) { return scalblnf(a, b); }
WM_IN int ilogb(float a) { return ilogbf(a); }
WM_IN long lrint(float x) { return lrintf(x); }
WM_IN long lround(float x) { return lroundf(x); }
WM_IN long long llrint(float x) { return llrintf(x); }
WM_IN long long llround(float x) { return llroundf(x); }
WM_OUT float modf(float x, float* p) { wm_access(p, 4, 1, WM_HERE); float w = truncf(x); *p = w; return x - w; }
WM_OUT float frexp(float x, int* p) { wm_access(p, 4, 1, WM_HERE); int e; double r = wm_c_frexp(x, &e); *p = e; return (float)r; }
WM_IN int abs(int x) { return x < 0 ? (int)(0u - (unsigned int)x) : x; }
WM_IN long abs(long x) { return x < 0 ? -x : x; }
WM_IN long long abs(long long x) { return x < 0 ? -x : x; }
WM_IN float abs(float x) { return fabsf(x); }
WM_IN double abs(double x) { return fabs(x); }
WM_IN long labs(long x) { return x < 0 ? -x : x; }
WM_IN long long llabs(long long x) { return x < 0 ? -x : x; }
WM_IN unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
WM_IN unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
WM_IN long long llmin(long long a, long long b) { return a < b ? a : b; }
WM_IN long long llmax(long long a, long long b) { return a > b ? a : b; }
WM_IN unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
WM_IN unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
#define WM_MINMAX(r, a, b) WM_IN r min(a x, b y) { return (r)x < (r)y ? (r)x : (r)y; } WM_IN r max(a x, b y) { return (r)x > (r)y ? (r)x : (r)y; }
WM_MINMAX(int, int, int) WM_MINMAX(unsigned int, unsigned int, unsigned int) WM_MINMAX(unsigned int, int, unsigned int) WM_MINMAX(unsigned int, unsigned int, int)
WM_MINMAX(long, long, long) WM_MINMAX(unsigned long, unsigned long, unsigned long) WM_MINMAX(unsigned long, long, unsigned long) WM_MINMAX(unsigned long, unsigned long, long)
WM_MINMAX(long long, long long, long long) WM_MINMAX(unsigned long long, unsigned long long, unsigned long long)
WM_MINMAX(unsigned long long, long long, unsigned long long) WM_MINMAX(unsigned long long, unsigned long long, long long)
WM_IN float min(float a, float b) { return fminf(a, b); }
WM_IN float max(float a, float b) { return fmaxf(a, b); }
WM_IN double min(double a, double b) { return fmin(a, b); }
WM_IN double max(double a, double b) { return fmax(a, b); }
WM_IN double min(float a, double b) { return fmin((double)a, b); }
WM_IN double max(float a, double b) { return fmax((double)a, b); }
WM_IN double min(double a, float b) { return fmin(a, (double)b); }
WM_IN double max(double a, float b) { return fmax(a, (double)b); }
WM_IN int isnan(float x) { return __builtin_isnan(x) != 0; }
WM_IN int isnan(double x) { return __builtin_isnan(x) != 0; }
WM_IN int isinf(float x) { return __builtin_isinf(x) != 0; }
WM_IN int isinf(double x) { return __builtin_isinf(x) != 0; }
WM_IN int isfinite(float x) { return __builtin_isfinite(x) != 0; }
WM_IN int isfinite(double x) { return __builtin_isfinite(x) != 0; }
WM_IN int signbit(float x) { return __builtin_signbit(x) != 0; }
WM_IN int signbit(double x) { return __builtin_signbit(x) != 0; }

// ---- how a kernel is called: its parameters lie in slots (machine.py's SLOT and SLOTS), and are described to it

template <typename T> struct wm_type { enum { pointer = 0, constant = 0 }; typedef T of; };
template <typename T> struct wm_type<T*> { enum { pointer = 1, constant = 0 }; typedef T of; };
template <typename T> struct wm_type<const T*> { enum { pointer = 1, constant = 1 }; typedef T of; };
template <typename T> struct wm_type<T* const> : wm_type<T*> {};
template <typename T> struct wm_type<const T* const> : wm_type<const T*> {};
template <typename T> struct wm_bare { typedef T of; };
template <typename T> struct wm_bare<volatile T> { typedef T of; };
template <typename T> struct wm_bare<const T> { typedef T of; };
template <typename T> struct wm_size { enum { value = sizeof(T) }; };
template <> struct wm_size<void> { enum { value = 0 }; };
template <typename T> WM_QUIET inline int wm_letter()                // b, f, i, u; o is another
{
    return __is_same(T, bool) ? 'b' : __is_floating_point(T) ? 'f' : __is_unsigned(T) ? 'u' : __is_integral(T) ? 'i' : 'o';
}
template <typename A> WM_QUIET inline void wm_describe_one(int*& out)
{
    typedef typename wm_bare<typename wm_type<A>::of>::of T;
    *out++ = wm_type<A>::pointer; *out++ = wm_type<A>::constant; *out++ = wm_letter<T>(); *out++ = wm_size<T>::value;
}
template <typename... A> WM_QUIET inline int wm_describe(void (*)(A...), int* out)
{
    if (sizeof...(A) > 128) return -1;
    (wm_describe_one<A>(out), ...);
    return (int)sizeof...(A);
}
template <typename T, T... I> struct wm_numbers {};
template <typename... A, int... I> WM_QUIET inline void wm_spread(void (*kernel)(A...), char* slots, wm_numbers<int, I...>)
{
    kernel(*(A*)(slots + 1024 * I)...);
}
#define WM_PASSED(type, size)                                                                                     \
    static_assert(sizeof(type) == size, "a parameter has another size than the type that is declared");           \
    static_assert(__is_trivially_copyable(type), "a parameter has a constructor or destructor that copies need");
template <typename... A> WM_QUIET inline void wm_invoke(void (*kernel)(A...), char* slots)
{
    static_assert(((sizeof(A) <= 1024) && ...), "a parameter of a kernel has at most 1,024 bytes here");
    wm_spread(kernel, slots, __make_integer_seq<wm_numbers, int, sizeof...(A)>());
}
__device__ char wm_dynamic[232448] __attribute__((aligned(128)));
