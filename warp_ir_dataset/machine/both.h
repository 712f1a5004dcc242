// For both compilers, which have neither: what texts take from <cstdint>, <cfloat>, <climits>, <cmath>, <limits>.
#ifndef WM_BOUND
#define WM_BOUND
#endif
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t;
typedef long intptr_t; typedef unsigned long uintptr_t;
typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;
#undef NULL
#define NULL nullptr
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF __int_as_float(0x7f800000)
#define CUDART_INF_F __int_as_float(0x7f800000)
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_INF __longlong_as_double(0x7ff0000000000000ll)
#define CUDART_NAN __longlong_as_double(0xfff8000000000000ll)
#define CUDART_MAX_NORMAL_F __int_as_float(0x7f7fffff)
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
#define LONG_MIN (-9223372036854775807l - 1)
#define ULONG_MAX 18446744073709551615ul
#define SCHAR_MIN (-128)
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define INT8_MAX 127
#define INT8_MIN (-128)
#define UINT8_MAX 255
#define INT16_MAX 32767
#define INT16_MIN (-32768)
#define UINT16_MAX 65535
#define INT64_MIN (-9223372036854775807l - 1)
#define SIZE_MAX 18446744073709551615ul
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
#define M_LN10 2.30258509299404568402
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT1_2 0.70710678118654752440
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
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
template <typename T> __host__ __device__ constexpr const T& min(const T& a WM_BOUND, const T& b WM_BOUND) { return b < a ? b : a; }
template <typename T> __host__ __device__ constexpr const T& max(const T& a WM_BOUND, const T& b WM_BOUND) { return a < b ? b : a; }
template <typename T> __host__ __device__ void swap(T& a, T& b) { T c = a; a = b; b = c; }
typedef long ptrdiff_t; typedef decltype(nullptr) nullptr_t;
using ::memcpy; using ::memset;
using ::ldexp; using ::scalbn; using ::scalbln; using ::ilogb; using ::logb; using ::nextafter; using ::remquo;
using ::frexp; using ::modf; using ::lrint; using ::llrint; using ::lround; using ::llround;
enum float_round_style { round_indeterminate = -1, round_toward_zero = 0, round_to_nearest = 1 };
template <typename T> struct numeric_limits;
#define WM_LIMITS(type, least, most, low, is_real, is_plus, bits, all10, bits10, one, big, nothing, e0, e1, e2, e3)        \
    template <> struct numeric_limits<type> {                                                                     \
        static __host__ __device__ constexpr type min() noexcept { return least; }                                \
        static __host__ __device__ constexpr type max() noexcept { return most; }                                 \
        static __host__ __device__ constexpr type lowest() noexcept { return low; }                               \
        static __host__ __device__ constexpr type epsilon() noexcept { return one; }                              \
        static __host__ __device__ constexpr type round_error() noexcept { return is_real ? (type)0.5 : (type)0; } \
        static __host__ __device__ type infinity() noexcept { return (type)big; }                                 \
        static __host__ __device__ type quiet_NaN() noexcept { return (type)nothing; }                            \
        static constexpr bool is_specialized = true, is_signed = !is_plus, is_integer = !is_real, is_exact = !is_real; \
        static constexpr bool has_infinity = is_real, has_quiet_NaN = is_real, is_iec559 = is_real, is_bounded = true; \
        static constexpr bool is_modulo = is_plus;                                                                \
        static constexpr int digits = bits, digits10 = all10, max_digits10 = bits10, radix = 2;                   \
        static constexpr int min_exponent = e0, min_exponent10 = e1, max_exponent = e2, max_exponent10 = e3;      \
    };
#define WM_WHOLES(type, least, most, bits, all10) WM_LIMITS(type, least, most, least, false, (least == 0), bits, all10, 0, 0, 0, 0, 0, 0, 0, 0)
WM_LIMITS(float, FLT_MIN, FLT_MAX, -FLT_MAX, true, false, 24, 6, 9, FLT_EPSILON, INFINITY, NAN, -125, -37, 128, 38)
WM_LIMITS(double, DBL_MIN, DBL_MAX, -DBL_MAX, true, false, 53, 15, 17, DBL_EPSILON, INFINITY, NAN, -1021, -307, 1024, 308)
WM_WHOLES(bool, false, true, 1, 0) WM_WHOLES(char, (-128), 127, 7, 2)
WM_WHOLES(signed char, (-128), 127, 7, 2) WM_WHOLES(unsigned char, 0, 255, 8, 2)
WM_WHOLES(short, SHRT_MIN, SHRT_MAX, 15, 4) WM_WHOLES(unsigned short, 0, USHRT_MAX, 16, 4)
WM_WHOLES(int, INT_MIN, INT_MAX, 31, 9) WM_WHOLES(unsigned int, 0u, UINT_MAX, 32, 9)
WM_WHOLES(long, LONG_MIN, LONG_MAX, 63, 18) WM_WHOLES(unsigned long, 0ul, ULONG_MAX, 64, 19)
WM_WHOLES(long long, LLONG_MIN, LLONG_MAX, 63, 18) WM_WHOLES(unsigned long long, 0ull, ULLONG_MAX, 64, 19)
// <type_traits>
template <typename T, T V> struct integral_constant {
    static constexpr T value = V;
    typedef T value_type; typedef integral_constant type;
    __host__ __device__ constexpr operator T() const noexcept { return V; }
    __host__ __device__ constexpr T operator()() const noexcept { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type; typedef bool_constant<false> false_type;
template <bool, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { typedef T type; };
template <bool B, typename T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool, typename A, typename B> struct conditional { typedef A type; };
template <typename A, typename B> struct conditional<false, A, B> { typedef B type; };
template <bool C, typename A, typename B> using conditional_t = typename conditional<C, A, B>::type;
template <typename...> using void_t = void;
template <typename A, typename B> struct is_same : false_type {};
template <typename A> struct is_same<A, A> : true_type {};
#define WM_CHANGES(name, from, to)                                                                                \
    template <typename T> struct name { typedef T type; };                                                        \
    template <typename T> struct name<from> { typedef to type; };                                                 \
    template <typename T> using name##_t = typename name<T>::type;
WM_CHANGES(remove_const, const T, T) WM_CHANGES(remove_volatile, volatile T, T) WM_CHANGES(remove_pointer, T*, T)
template <typename T> struct remove_pointer<T* const> { typedef T type; };
template <typename T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
WM_CHANGES(remove_reference, T&, T)
template <typename T> struct remove_reference<T&&> { typedef T type; };
template <typename T> struct decay { typedef typename remove_cv<typename remove_reference<T>::type>::type type; };
template <typename T> using decay_t = typename decay<T>::type;
#define WM_TESTS(name) template <typename T> constexpr bool name##_v = name<T>::value;
template <typename T> struct wm_whole_number : false_type {};
#define WM_IS_WHOLE(type) template <> struct wm_whole_number<type> : true_type {};
WM_IS_WHOLE(bool) WM_IS_WHOLE(char) WM_IS_WHOLE(signed char) WM_IS_WHOLE(unsigned char) WM_IS_WHOLE(short) WM_IS_WHOLE(wchar_t)
WM_IS_WHOLE(unsigned short) WM_IS_WHOLE(int) WM_IS_WHOLE(unsigned int) WM_IS_WHOLE(long) WM_IS_WHOLE(unsigned long)
WM_IS_WHOLE(long long) WM_IS_WHOLE(unsigned long long) WM_IS_WHOLE(char16_t) WM_IS_WHOLE(char32_t)
template <typename T> struct is_integral : wm_whole_number<typename remove_cv<T>::type> {};
template <typename T> struct is_floating_point : bool_constant<is_same<typename remove_cv<T>::type, float>::value || is_same<typename remove_cv<T>::type, double>::value> {};
template <typename T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <typename T, bool> struct wm_signs : false_type {};
template <typename T> struct wm_signs<T, true> : bool_constant<(T(-1) < T(0))> {};
template <typename T> struct is_signed : wm_signs<typename remove_cv<T>::type, is_arithmetic<T>::value> {};
template <typename T> struct is_unsigned : bool_constant<is_arithmetic<T>::value && !is_signed<T>::value> {};
template <typename T> struct is_const : false_type {};
template <typename T> struct is_const<const T> : true_type {};
template <typename T> struct is_void : is_same<typename remove_cv<T>::type, void> {};
template <typename T> struct wm_points : false_type {};
template <typename T> struct wm_points<T*> : true_type {};
template <typename T> struct is_pointer : wm_points<typename remove_cv<T>::type> {};
template <typename T> struct is_reference : false_type {};
template <typename T> struct is_reference<T&> : true_type {};
template <typename T> struct is_reference<T&&> : true_type {};
WM_TESTS(is_integral) WM_TESTS(is_floating_point) WM_TESTS(is_arithmetic) WM_TESTS(is_signed) WM_TESTS(is_unsigned)
WM_TESTS(is_const) WM_TESTS(is_void) WM_TESTS(is_pointer) WM_TESTS(is_reference)
template <typename A, typename B> constexpr bool is_same_v = is_same<A, B>::value;
template <typename T> struct make_unsigned; template <typename T> struct make_signed;
#define WM_SIGNS(plus, minus)                                                                                     \
    template <> struct make_unsigned<minus> { typedef plus type; }; template <> struct make_unsigned<plus> { typedef plus type; }; \
    template <> struct make_signed<minus> { typedef minus type; }; template <> struct make_signed<plus> { typedef minus type; };
WM_SIGNS(unsigned char, signed char) WM_SIGNS(unsigned short, short) WM_SIGNS(unsigned int, int)
WM_SIGNS(unsigned long, long) WM_SIGNS(unsigned long long, long long)
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T> using make_signed_t = typename make_signed<T>::type;
template <typename T> __host__ __device__ T&& declval() noexcept;
template <typename T> __host__ __device__ constexpr T&& forward(typename remove_reference<T>::type& v) noexcept { return static_cast<T&&>(v); }
template <typename T> __host__ __device__ constexpr T&& forward(typename remove_reference<T>::type&& v) noexcept { return static_cast<T&&>(v); }
template <typename T> __host__ __device__ constexpr typename remove_reference<T>::type&& move(T&& v) noexcept { return static_cast<typename remove_reference<T>::type&&>(v); }
}
