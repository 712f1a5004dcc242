// For both compilers, which have neither: what texts take from <cstdint>, <cfloat>, <climits>, <cmath>, <limits>.
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t;
typedef long intptr_t; typedef unsigned long uintptr_t;
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF __int_as_float(0x7f800000)
#define CUDART_INF_F __int_as_float(0x7f800000)
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_INF __longlong_as_double(0x7ff0000000000000ll)
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-9223372036854775807ll - 1)
#define ULLONG_MAX 18446744073709551615ull
#define LONG_MAX 9223372036854775807l
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807l
#define UINT64_MAX 18446744073709551615ul
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_E 2.7182818284590452354
#define M_SQRT2 1.41421356237309504880
#define M_LN2 0.69314718055994530942
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
typedef unsigned long size_t;
using ::sqrt; using ::cbrt; using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10;
using ::log1p; using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2;
using ::sinh; using ::cosh; using ::tanh; using ::asinh; using ::acosh; using ::atanh; using ::erf; using ::erfc;
using ::tgamma; using ::lgamma; using ::pow; using ::hypot; using ::fmod; using ::remainder; using ::copysign;
using ::fabs; using ::abs; using ::floor; using ::ceil; using ::trunc; using ::round; using ::rint; using ::nearbyint;
using ::fmax; using ::fmin; using ::fdim; using ::fma; using ::isnan; using ::isinf; using ::isfinite; using ::signbit;
template <typename T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <typename T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <typename T> __host__ __device__ void swap(T& a, T& b) { T c = a; a = b; b = c; }
template <typename T> struct numeric_limits;
#define WM_LIMITS(type, least, most, low)                                                                         \
    template <> struct numeric_limits<type> {                                                                     \
        static __host__ __device__ constexpr type min() { return least; }                                                  \
        static __host__ __device__ constexpr type max() { return most; }                                                   \
        static __host__ __device__ constexpr type lowest() { return low; }                                                 \
        static __host__ __device__ type infinity() { return (type)INFINITY; }                                              \
        static __host__ __device__ type quiet_NaN() { return (type)NAN; }                                                  \
    };
WM_LIMITS(float, FLT_MIN, FLT_MAX, -FLT_MAX) WM_LIMITS(double, DBL_MIN, DBL_MAX, -DBL_MAX)
WM_LIMITS(int, INT_MIN, INT_MAX, INT_MIN) WM_LIMITS(unsigned int, 0u, UINT_MAX, 0u)
WM_LIMITS(long long, LLONG_MIN, LLONG_MAX, LLONG_MIN) WM_LIMITS(unsigned long long, 0ull, ULLONG_MAX, 0ull)
}
