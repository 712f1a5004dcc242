// Kernels for selftest.py: each breaks one rule, or would use one hole if the machine lacked a guard.
struct four { int v[4]; };
struct five { int a[4]; int b; };
struct eighty { int v[20480]; };
__device__ void spill() { int a[16]; for (int i = 0; i < 16; ++i) a[i] = 12345; }
__device__ int found() { int a[16]; int n = 0; for (int i = 0; i < 16; ++i) n += a[i] == 12345; return n; }
__device__ int depth(int n) { int a[64]; a[n & 63] = n; return n < 0 ? 0 : depth(n + 1) + a[n & 63]; }
__device__ int nothing(int n) { if (n < 0) return 1; }
__device__ int answer(int n) { return n; }
__device__ int take(eighty a) { return a.v[0]; }
__device__ int wide(const int* x) { return x[0] ? take(*(const eighty*)x) : 1; }
__device__ void put(int* p, long at, int v) { p[at] = v; }
__device__ int never_set() { int a; return a; }
__global__ void right(int* y, const int* x) {
    __shared__ int s[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    s[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = s[31 - threadIdx.x] + y[i];
}
__global__ void tells_reads_and_writes(int* y, const int* x) { int v = y[31 - threadIdx.x]; y[threadIdx.x] = v + 1; }
__global__ void tells_a_read_before_a_write(int* y, const int* x) { y[blockIdx.x] += 1; }
__global__ void tells_volatile(int* y, const int* x) {
    volatile int* v = y;
    if (threadIdx.x == 0) while (v[0] == 0) { }
    if (threadIdx.x == 1) v[0] = 1;
}
__global__ void tells_copies(int* y, const int* x) { four f; f.v[0] = threadIdx.x; f.v[1] = f.v[2] = f.v[3] = 0; *(four*)y = f; }
__global__ void tells_locals(int* y, const int* x) { int a = 1; put(&a, (long)(y - &a) + (1l << 40), 2); }
__global__ void bounds_of_locals(int* y, const int* x) { char a = 1; char b = 2; long d = (char*)(y + x[0]) - &b; *(int*)((&a) + d - 1) += 1; }
__global__ void bounds_of_arrays(int* y, const int* x) { int a[4] = {1, 2, 3, 4}; y[threadIdx.x + 32 * blockIdx.x] = a[x[0] + 4]; }
__global__ void bounds_of_members(int* y, const int* x) { five f; f.b = 0; f.a[x[0] + 4] = 1; y[threadIdx.x + 32 * blockIdx.x] = f.b; }
__global__ void bounds_of_shared(int* y, const int* x) { __shared__ int s[8]; __shared__ int t[8]; int* p = s; t[threadIdx.x & 7] = 1; p[8 + x[0]] = 1; }
__global__ void bounds_of_arguments(int* y, const int* x) { if (threadIdx.x == 31 && blockIdx.x == 1) y[64 + x[0]] = 1; }
__global__ void input(int* y, const int* x) { if (threadIdx.x == 0) ((int*)x)[blockIdx.x] = 1; }
__global__ void fills_locals(int* y, const int* x) { spill(); assert(found() == 0); }
__global__ void counts_steps(int* y, const int* x) { int k = x[0]; while (k == 0) { } }
__global__ void counts_empty_steps(int* y, const int* x) { for (;;) { } }
__global__ void no_function(int* y, const int* x) { int (*f)(int) = (int (*)(int))((char*)&answer + 8 + x[0]); y[threadIdx.x + 32 * blockIdx.x] = f(1); }
__global__ void another_function(int* y, const int* x) { int (*f)(int*) = (int (*)(int*))&answer; y[threadIdx.x + 32 * blockIdx.x] = f(y); }
__global__ void divides(int* y, const int* x) { y[threadIdx.x + 32 * blockIdx.x] = 7 / x[0]; }
__global__ void deep(int* y, const int* x) { y[threadIdx.x + 32 * blockIdx.x] = depth(x[0]); }
__global__ void wide_frame(int* y, const int* x) { if (threadIdx.x == 31) y[32 * blockIdx.x] = wide(x); }
struct __align__(16) wide_one { int v[4]; };
__global__ void aligned(int* y, const int* x) { const wide_one* w = (const wide_one*)(x + 1); y[threadIdx.x + 32 * blockIdx.x] = w->v[0]; }
__global__ void aligned_words(int* y, const int* x) { y[threadIdx.x + 32 * blockIdx.x] = (int)__ldg((const double*)(x + 1)); }
__global__ void returns_nothing(int* y, const int* x) { y[threadIdx.x + 32 * blockIdx.x] = nothing(x[0]); }
__device__ int* gone() { int a[4]; int* p = a; p[0] = 1; return p; }
__global__ void returns_locals(int* y, const int* x) { int* p = gone(); y[threadIdx.x + 32 * blockIdx.x] = p[0]; }
__global__ void shifts(int* y, const int* x) { y[threadIdx.x + 32 * blockIdx.x] = 1 << (32 + x[0]); }
__global__ void converts(int* y, const int* x) { y[threadIdx.x + 32 * blockIdx.x] = (int)(unsigned)(x[0] - 1.0f); }
__global__ void adds_to_locals(int* y, const int* x) { int a = 1; y[threadIdx.x + 32 * blockIdx.x] = atomicAdd(&a, 1); }
__global__ void loads_of_shared(int* y, const int* x) { __shared__ int s[32]; s[threadIdx.x] = 1; y[threadIdx.x + 32 * blockIdx.x] = __ldg(&s[threadIdx.x]); }
__global__ void formats(int* y, const int* x) { printf("%d%n", 1, y + threadIdx.x + 32 * blockIdx.x); }
__global__ void unset(int* y, const int* x) { __shared__ int s[32]; y[threadIdx.x + 32 * blockIdx.x] = s[threadIdx.x]; }
__global__ void diverges(int* y, const int* x) { if (threadIdx.x < 16) __syncthreads(); else __syncthreads(); }
__global__ void waits(int* y, const int* x) { if (threadIdx.x < 16) __syncthreads(); else __syncwarp(); }
__global__ void masks(int* y, const int* x) { __syncwarp(1u); }
