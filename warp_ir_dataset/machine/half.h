// <cuda_fp16.h> for both compilers; text.py makes <cuda_bf16.h> of it. It is read as a part of the text: its names
// get the text's suffix, its functions are inlined where the text calls them, and its accesses are announced.
// The two that convert are no part of that, since they use no memory but their own: calls are sooner compiled.
// Values are computed in double and rounded once, to the nearest with ties to even.
struct __half;
struct __half2;
template <int E, int M> __device__ inline unsigned short __wm_half_narrow(double v)
{
    const unsigned long long bits = (unsigned long long)__double_as_longlong(v);
    const unsigned long long fraction = bits & 0xfffffffffffffull;
    const int sign = (int)(bits >> 63) << 15, infinite = ((1 << E) - 1) << M;
    const int exponent = (int)(bits >> 52 & 2047) - 1023 + (1 << (E - 1)) - 1;
    if (v != v) return 0x7fff;
    const int lost = 52 - M + (exponent < 1 ? 1 - exponent : 0);
    if (lost > 60) return (unsigned short)sign;
    const unsigned long long whole = 1ull << 52 | fraction, middle = 1ull << (lost - 1);
    const unsigned long long rest = whole & (middle * 2 - 1), kept = whole >> lost;
    const long long rounded = (long long)kept + (rest > middle || (rest == middle && (kept & 1)) ? 1 : 0);
    const long long all = (exponent < 1 ? 0ll : (long long)(exponent - 1) << M) + rounded;
    return (unsigned short)(sign | (all > infinite ? infinite : (int)all));
}
template <int E, int M> __device__ inline float __wm_half_wide(unsigned short bits)
{
    const int exponent = bits >> M & ((1 << E) - 1), fraction = bits & ((1 << M) - 1), sign = (int)(bits & 0x8000u) << 16;
    const int low = 1 << (E - 1);
    if (exponent == 0) {
        const int least = 129 - low - M > 0 ? (129 - low - M) * (1 << 23) : 1 << (23 - M);
        return __int_as_float(sign | __float_as_int((float)fraction * __int_as_float(least)));
    }
    const int wide = exponent == (1 << E) - 1 ? 255 : exponent - low + 128;
    return __int_as_float(sign | wide << 23 | fraction << (23 - M));
}
struct __half {
    unsigned short __x;
    __half() = default;
    __device__ __forceinline__ __half(float v) : __x(__wm_half_narrow<5, 10>((double)v)) {}
    __device__ __forceinline__ __half(double v) : __x(__wm_half_narrow<5, 10>(v)) {}
    __device__ __forceinline__ __half(short v) : __x(__wm_half_narrow<5, 10>((double)v)) {}
    __device__ __forceinline__ __half(unsigned short v) : __x(__wm_half_narrow<5, 10>((double)v)) {}
    __device__ __forceinline__ __half(int v) : __x(__wm_half_narrow<5, 10>((double)v)) {}
    __device__ __forceinline__ __half(unsigned int v) : __x(__wm_half_narrow<5, 10>((double)v)) {}
    __device__ __forceinline__ __half(long v) : __x(__wm_half_narrow<5, 10>((double)v)) {}
    __device__ __forceinline__ __half(unsigned long v) : __x(__wm_half_narrow<5, 10>((double)v)) {}
    __device__ __forceinline__ __half(long long v) : __x(__wm_half_narrow<5, 10>((double)v)) {}
    __device__ __forceinline__ __half(unsigned long long v) : __x(__wm_half_narrow<5, 10>((double)v)) {}
    __device__ __forceinline__ operator float() const { return __wm_half_wide<5, 10>(__x); }
};
typedef __half half;
__device__ __forceinline__ unsigned short __half_as_ushort(__half v) { return v.__x; }
__device__ __forceinline__ short __half_as_short(__half v) { return (short)v.__x; }
__device__ __forceinline__ __half __ushort_as_half(unsigned short v) { __half h; h.__x = v; return h; }
__device__ __forceinline__ __half __short_as_half(short v) { __half h; h.__x = (unsigned short)v; return h; }
__device__ __forceinline__ float __half2float(__half v) { return (float)v; }
__device__ __forceinline__ __half __float2half(float v) { return __half(v); }
__device__ __forceinline__ __half __float2half_rn(float v) { return __half(v); }
__device__ __forceinline__ __half __double2half(double v) { return __half(v); }
__device__ __forceinline__ __half __int2half_rn(int v) { return __half(v); }
__device__ __forceinline__ __half __uint2half_rn(unsigned int v) { return __half(v); }
__device__ __forceinline__ __half __short2half_rn(short v) { return __half(v); }
__device__ __forceinline__ __half __ushort2half_rn(unsigned short v) { return __half(v); }
__device__ __forceinline__ __half __ll2half_rn(long long v) { return __half(v); }
__device__ __forceinline__ __half __ull2half_rn(unsigned long long v) { return __half(v); }
__device__ __forceinline__ int __half2int_rn(__half v) { return __float2int_rn((float)v); }
__device__ __forceinline__ int __half2int_rz(__half v) { return __float2int_rz((float)v); }
__device__ __forceinline__ int __half2int_rd(__half v) { return __float2int_rd((float)v); }
__device__ __forceinline__ int __half2int_ru(__half v) { return __float2int_ru((float)v); }
__device__ __forceinline__ unsigned int __half2uint_rn(__half v) { return __float2uint_rn((float)v); }
__device__ __forceinline__ unsigned int __half2uint_rz(__half v) { return __float2uint_rz((float)v); }
__device__ __forceinline__ __half __wm_half_of(double v) { return __half(v); }
__device__ __forceinline__ double __wm_half_is(__half v) { return (double)(float)v; }
__device__ __forceinline__ __half __hadd(__half a, __half b) { return __wm_half_of(__wm_half_is(a) + __wm_half_is(b)); }
__device__ __forceinline__ __half __hsub(__half a, __half b) { return __wm_half_of(__wm_half_is(a) - __wm_half_is(b)); }
__device__ __forceinline__ __half __hmul(__half a, __half b) { return __wm_half_of(__wm_half_is(a) * __wm_half_is(b)); }
__device__ __forceinline__ __half __hdiv(__half a, __half b) { return __wm_half_of(__wm_half_is(a) / __wm_half_is(b)); }
__device__ __forceinline__ __half __hadd_rn(__half a, __half b) { return __hadd(a, b); }
__device__ __forceinline__ __half __hsub_rn(__half a, __half b) { return __hsub(a, b); }
__device__ __forceinline__ __half __hmul_rn(__half a, __half b) { return __hmul(a, b); }
__device__ __forceinline__ __half __hfma(__half a, __half b, __half c) { return __wm_half_of(__wm_half_is(a) * __wm_half_is(b) + __wm_half_is(c)); }
__device__ __forceinline__ __half __hneg(__half a) { return __ushort_as_half((unsigned short)(a.__x ^ 0x8000)); }
__device__ __forceinline__ __half __habs(__half a) { return __ushort_as_half((unsigned short)(a.__x & 0x7fff)); }
__device__ __forceinline__ bool __hisnan(__half a) { return (float)a != (float)a; }
__device__ __forceinline__ int __hisinf(__half a) { return isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }
__device__ __forceinline__ __half __hmax(__half a, __half b) { return __half(fmaxf((float)a, (float)b)); }
__device__ __forceinline__ __half __hmin(__half a, __half b) { return __half(fminf((float)a, (float)b)); }
__device__ __forceinline__ bool __heq(__half a, __half b) { return (float)a == (float)b; }
__device__ __forceinline__ bool __hne(__half a, __half b) { return (float)a < (float)b || (float)a > (float)b; }
__device__ __forceinline__ bool __hlt(__half a, __half b) { return (float)a < (float)b; }
__device__ __forceinline__ bool __hle(__half a, __half b) { return (float)a <= (float)b; }
__device__ __forceinline__ bool __hgt(__half a, __half b) { return (float)a > (float)b; }
__device__ __forceinline__ bool __hge(__half a, __half b) { return (float)a >= (float)b; }
__device__ __forceinline__ __half operator+(const __half& a, const __half& b) { return __hadd(a, b); }
__device__ __forceinline__ __half operator-(const __half& a, const __half& b) { return __hsub(a, b); }
__device__ __forceinline__ __half operator*(const __half& a, const __half& b) { return __hmul(a, b); }
__device__ __forceinline__ __half operator/(const __half& a, const __half& b) { return __hdiv(a, b); }
__device__ __forceinline__ __half& operator+=(__half& a, const __half& b) { a = __hadd(a, b); return a; }
__device__ __forceinline__ __half& operator-=(__half& a, const __half& b) { a = __hsub(a, b); return a; }
__device__ __forceinline__ __half& operator*=(__half& a, const __half& b) { a = __hmul(a, b); return a; }
__device__ __forceinline__ __half& operator/=(__half& a, const __half& b) { a = __hdiv(a, b); return a; }
__device__ __forceinline__ __half operator+(const __half& a) { return a; }
__device__ __forceinline__ __half operator-(const __half& a) { return __hneg(a); }
__device__ __forceinline__ bool operator==(const __half& a, const __half& b) { return __heq(a, b); }
__device__ __forceinline__ bool operator!=(const __half& a, const __half& b) { return !__heq(a, b); }
__device__ __forceinline__ bool operator<(const __half& a, const __half& b) { return __hlt(a, b); }
__device__ __forceinline__ bool operator<=(const __half& a, const __half& b) { return __hle(a, b); }
__device__ __forceinline__ bool operator>(const __half& a, const __half& b) { return __hgt(a, b); }
__device__ __forceinline__ bool operator>=(const __half& a, const __half& b) { return __hge(a, b); }
__device__ __forceinline__ __half hsqrt(__half v) { return __wm_half_of(sqrt(__wm_half_is(v))); }
__device__ __forceinline__ __half hrsqrt(__half v) { return __wm_half_of(1.0 / sqrt(__wm_half_is(v))); }
__device__ __forceinline__ __half hrcp(__half v) { return __wm_half_of(1.0 / __wm_half_is(v)); }
__device__ __forceinline__ __half hexp(__half v) { return __wm_half_of(exp(__wm_half_is(v))); }
__device__ __forceinline__ __half hexp2(__half v) { return __wm_half_of(exp2(__wm_half_is(v))); }
__device__ __forceinline__ __half hlog(__half v) { return __wm_half_of(log(__wm_half_is(v))); }
__device__ __forceinline__ __half hlog2(__half v) { return __wm_half_of(log2(__wm_half_is(v))); }
__device__ __forceinline__ __half hlog10(__half v) { return __wm_half_of(log10(__wm_half_is(v))); }
__device__ __forceinline__ __half hsin(__half v) { return __wm_half_of(sin(__wm_half_is(v))); }
__device__ __forceinline__ __half hcos(__half v) { return __wm_half_of(cos(__wm_half_is(v))); }
__device__ __forceinline__ __half htanh(__half v) { return __wm_half_of(tanh(__wm_half_is(v))); }
__device__ __forceinline__ __half hfloor(__half v) { return __half(floorf((float)v)); }
__device__ __forceinline__ __half hceil(__half v) { return __half(ceilf((float)v)); }
__device__ __forceinline__ __half htrunc(__half v) { return __half(truncf((float)v)); }
__device__ __forceinline__ __half hrint(__half v) { return __half(rintf((float)v)); }
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __device__ __forceinline__ __half2(const __half& a, const __half& b) : x(a), y(b) {}
};
typedef __half2 half2;
__device__ __forceinline__ __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__device__ __forceinline__ __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__device__ __forceinline__ __half2 __half2half2(__half a) { return __half2(a, a); }
__device__ __forceinline__ __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
__device__ __forceinline__ __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
__device__ __forceinline__ __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
__device__ __forceinline__ float2 __half22float2(__half2 v) { return make_float2((float)v.x, (float)v.y); }
__device__ __forceinline__ float __low2float(__half2 v) { return (float)v.x; }
__device__ __forceinline__ float __high2float(__half2 v) { return (float)v.y; }
__device__ __forceinline__ __half __low2half(__half2 v) { return v.x; }
__device__ __forceinline__ __half __high2half(__half2 v) { return v.y; }
__device__ __forceinline__ __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
__device__ __forceinline__ __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
__device__ __forceinline__ __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
__device__ __forceinline__ __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__device__ __forceinline__ __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__device__ __forceinline__ __half2 __hadd2(__half2 a, __half2 b) { return __half2(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
__device__ __forceinline__ __half2 __hsub2(__half2 a, __half2 b) { return __half2(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
__device__ __forceinline__ __half2 __hmul2(__half2 a, __half2 b) { return __half2(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
__device__ __forceinline__ __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__device__ __forceinline__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
__device__ __forceinline__ __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
__device__ __forceinline__ __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
__device__ __forceinline__ __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__device__ __forceinline__ __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__device__ __forceinline__ bool __hbeq2(__half2 a, __half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
__device__ __forceinline__ __half2 operator+(const __half2& a, const __half2& b) { return __hadd2(a, b); }
__device__ __forceinline__ __half2 operator-(const __half2& a, const __half2& b) { return __hsub2(a, b); }
__device__ __forceinline__ __half2 operator*(const __half2& a, const __half2& b) { return __hmul2(a, b); }
__device__ __forceinline__ __half2 operator/(const __half2& a, const __half2& b) { return __h2div(a, b); }
__device__ __forceinline__ __half2& operator+=(__half2& a, const __half2& b) { a = __hadd2(a, b); return a; }
__device__ __forceinline__ __half2& operator-=(__half2& a, const __half2& b) { a = __hsub2(a, b); return a; }
__device__ __forceinline__ __half2& operator*=(__half2& a, const __half2& b) { a = __hmul2(a, b); return a; }
__device__ __forceinline__ __half2 operator-(const __half2& a) { return __hneg2(a); }
__device__ __forceinline__ __half2 h2sqrt(__half2 v) { return __half2(hsqrt(v.x), hsqrt(v.y)); }
__device__ __forceinline__ __half2 h2rsqrt(__half2 v) { return __half2(hrsqrt(v.x), hrsqrt(v.y)); }
__device__ __forceinline__ __half2 h2rcp(__half2 v) { return __half2(hrcp(v.x), hrcp(v.y)); }
__device__ __forceinline__ __half2 h2exp(__half2 v) { return __half2(hexp(v.x), hexp(v.y)); }
__device__ __forceinline__ __half2 h2log(__half2 v) { return __half2(hlog(v.x), hlog(v.y)); }
__device__ __forceinline__ __half2 h2sin(__half2 v) { return __half2(hsin(v.x), hsin(v.y)); }
__device__ __forceinline__ __half2 h2cos(__half2 v) { return __half2(hcos(v.x), hcos(v.y)); }
__device__ __forceinline__ unsigned int __wm_half_bits(__half2 v) { return (unsigned int)v.y.__x << 16 | v.x.__x; }
__device__ __forceinline__ __half2 __wm_half_pair(unsigned int v) { return __half2(__ushort_as_half((unsigned short)v), __ushort_as_half((unsigned short)(v >> 16))); }
__device__ __forceinline__ __half __shfl_sync(unsigned int m, __half v, int a, int w = 32) { return __ushort_as_half((unsigned short)__shfl_sync(m, (unsigned int)v.__x, a, w)); }
__device__ __forceinline__ __half __shfl_up_sync(unsigned int m, __half v, unsigned int a, int w = 32) { return __ushort_as_half((unsigned short)__shfl_up_sync(m, (unsigned int)v.__x, a, w)); }
__device__ __forceinline__ __half __shfl_down_sync(unsigned int m, __half v, unsigned int a, int w = 32) { return __ushort_as_half((unsigned short)__shfl_down_sync(m, (unsigned int)v.__x, a, w)); }
__device__ __forceinline__ __half __shfl_xor_sync(unsigned int m, __half v, int a, int w = 32) { return __ushort_as_half((unsigned short)__shfl_xor_sync(m, (unsigned int)v.__x, a, w)); }
__device__ __forceinline__ __half2 __shfl_sync(unsigned int m, __half2 v, int a, int w = 32) { return __wm_half_pair(__shfl_sync(m, __wm_half_bits(v), a, w)); }
__device__ __forceinline__ __half2 __shfl_up_sync(unsigned int m, __half2 v, unsigned int a, int w = 32) { return __wm_half_pair(__shfl_up_sync(m, __wm_half_bits(v), a, w)); }
__device__ __forceinline__ __half2 __shfl_down_sync(unsigned int m, __half2 v, unsigned int a, int w = 32) { return __wm_half_pair(__shfl_down_sync(m, __wm_half_bits(v), a, w)); }
__device__ __forceinline__ __half2 __shfl_xor_sync(unsigned int m, __half2 v, int a, int w = 32) { return __wm_half_pair(__shfl_xor_sync(m, __wm_half_bits(v), a, w)); }
__device__ __forceinline__ __half __ldg(const __half* p) { return *p; }
__device__ __forceinline__ __half2 __ldg(const __half2* p) { return *p; }
__device__ __forceinline__ __half atomicAdd(__half* p, __half v)
{
    unsigned short seen = 0, before;
    do {
        before = seen;
        seen = atomicCAS((unsigned short*)p, before, __hadd(__ushort_as_half(before), v).__x);
    } while (seen != before);
    return __ushort_as_half(seen);
}
__device__ __forceinline__ __half2 atomicAdd(__half2* p, __half2 v)
{
    const __half low = atomicAdd(&p->x, v.x);
    return __half2(low, atomicAdd(&p->y, v.y));
}
