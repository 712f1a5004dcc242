// For NVRTC, what nvcc has from the host's headers: functions of whole numbers, and of two types. A text gets those
// that it names (machine.py).
template <typename T> struct wm_real { enum { wm_is = 0, wm_one = 0 }; };
template <> struct wm_real<float> { enum { wm_is = 1, wm_one = 1 }; };
template <> struct wm_real<double> { enum { wm_is = 1, wm_one = 2 }; };
template <typename T> struct wm_whole { enum { wm_is = 0 }; };
#define WM_WHOLE(type) template <> struct wm_whole<type> { enum { wm_is = 1 }; };
WM_WHOLE(bool) WM_WHOLE(char) WM_WHOLE(signed char) WM_WHOLE(unsigned char) WM_WHOLE(short) WM_WHOLE(unsigned short)
WM_WHOLE(int) WM_WHOLE(unsigned int) WM_WHOLE(long) WM_WHOLE(unsigned long) WM_WHOLE(long long) WM_WHOLE(unsigned long long)
template <bool> struct wm_double {};
template <> struct wm_double<true> { typedef double type; };
#define WM_OF_WHOLE(name)                                                                                         \
    template <typename T> __device__ typename wm_double<wm_whole<T>::wm_is>::type name(T x) { return name((double)x); }
#define WM_OF_TWO(name)                                                                                           \
    template <typename A, typename B> __device__ typename wm_double<(wm_whole<A>::wm_is || wm_real<A>::wm_is) && (wm_whole<B>::wm_is || wm_real<B>::wm_is) && !(wm_real<A>::wm_is && (int)wm_real<A>::wm_one == (int)wm_real<B>::wm_one)>::type name(A a, B b) { return name((double)a, (double)b); }
WM_OF_WHOLE(sqrt) WM_OF_WHOLE(cbrt) WM_OF_WHOLE(exp) WM_OF_WHOLE(exp2) WM_OF_WHOLE(expm1) WM_OF_WHOLE(log)
WM_OF_WHOLE(log2) WM_OF_WHOLE(log10) WM_OF_WHOLE(log1p) WM_OF_WHOLE(sin) WM_OF_WHOLE(cos) WM_OF_WHOLE(tan)
WM_OF_WHOLE(asin) WM_OF_WHOLE(acos) WM_OF_WHOLE(atan) WM_OF_WHOLE(sinh) WM_OF_WHOLE(cosh) WM_OF_WHOLE(tanh)
WM_OF_WHOLE(asinh) WM_OF_WHOLE(acosh) WM_OF_WHOLE(atanh) WM_OF_WHOLE(erf) WM_OF_WHOLE(erfc) WM_OF_WHOLE(tgamma)
WM_OF_WHOLE(lgamma) WM_OF_WHOLE(fabs) WM_OF_WHOLE(floor) WM_OF_WHOLE(ceil) WM_OF_WHOLE(trunc) WM_OF_WHOLE(round)
WM_OF_WHOLE(rint) WM_OF_WHOLE(nearbyint)
WM_OF_TWO(pow) WM_OF_TWO(atan2) WM_OF_TWO(hypot) WM_OF_TWO(fmod) WM_OF_TWO(remainder) WM_OF_TWO(copysign)
WM_OF_TWO(fmax) WM_OF_TWO(fmin) WM_OF_TWO(fdim)
