// Kernels for selftest.py, behind Warp's headers; see selftest.cu.
struct four { int v[4]; };
static unsigned index() { return blockIdx.x * 32 + threadIdx.x; }
static void spill() { int a[16]; for (int i = 0; i < 16; ++i) a[i] = 12345; }
static int found(int k) { int a[16]; for (int i = 0; i < k; ++i) a[i] = 0; int n = 0; for (int i = 0; i < 16; ++i) n += a[i] == 12345; return n; }
static int depth(int n) { int a[64]; a[n & 63] = n; return n < 0 ? 0 : depth(n + 1) + a[n & 63]; }
template <typename T> static void numbers(T* at)
{
    wp::atomic_add(at, T(1)); wp::atomic_min(at, T(2)); wp::atomic_max(at, T(3)); wp::atomic_cas(at, T(3), T(4));
    wp::atomic_exch(at, T(5));
}
template <typename T> static void bits(T* at)
{ numbers(at); wp::atomic_and(at, T(7)); wp::atomic_or(at, T(8)); wp::atomic_xor(at, T(9)); }
static void right(int* y, const int* x) { unsigned i = index(); if (i > 1) y[i] = y[i] + x[i] + threadIdx.x; }
static void atomics(int* y, const int* x)
{
    bits(y); bits((unsigned*)y + 1); bits((wp::int64*)y + 1); bits((wp::uint64*)y + 2);
    numbers((float*)y + 6); numbers((double*)y + 4);
    wp::atomic_add((wp::vec_t<2, float>*)(y + 12), wp::vec_t<2, float>(1.0f, 2.0f));
    wp::atomic_add((wp::float16*)(y + 14), wp::float16(1.0f));
}
static void tiles(int* y, const int* x)
{
    unsigned* own = (unsigned*)wp::tile_shared_storage_t::alloc(64);
    *own = index();
    for (int k = 0; k < 4; ++k) wp::atomic_add(y, 1);
    if (*own != index()) y[1000] = 1;
}
static void fills_locals(int* y, const int* x) { spill(); if (found(x[0])) y[1000] = 1; }
static void tells_reads_and_writes(int* y, const int* x) { int v = y[31 - threadIdx.x]; y[threadIdx.x] = v + 1; }
static void tells_a_read_before_a_write(int* y, const int* x) { y[blockIdx.x] += 1; }
static void tells_volatile(int* y, const int* x) { volatile int* v = y; *v = *v + 1; }
static void tells_copies(int* y, const int* x) { four f; f.v[0] = index(); *(four*)y = f; }
static void tells_what_is_beside_atomics(int* y, const int* x) { wp::atomic_add(y, 1); y[0] = y[0] + 1; }
static void bounds_of_locals(int* y, const int* x) { int a; (&a)[x[0] + 4096] = 1; y[index()] = a; }
static void bounds_of_arrays(int* y, const int* x) { four f; f.v[x[0] + 9] = 1; y[index()] = f.v[0]; }
static void bounds_of_arguments(int* y, const int* x) { y[index() + 1] = 1; }
static void input(int* y, const int* x) { ((int*)x)[index()] = 1; }
static void counts_steps(int* y, const int* x) { while (wp::atomic_cas(y, 5, 5) != -5) {} }
static void counts_empty_steps(int* y, const int* x) { for (;;) {} }
static int* gone() { int a[4]; a[0] = 1; return a; }
static void returns_locals(int* y, const int* x) { int* p = gone(); y[index()] = p[0]; }
static void shifts(int* y, const int* x) { y[index()] = 1 << (32 + x[0]); }
static void converts(int* y, const int* x) { y[index()] = (int)(unsigned)(x[0] - 1.0f); }
static void aligned(int* y, const int* x) { const double* d = (const double*)(x + 1); y[index()] = (int)d[0]; }
static void adds_to_locals(int* y, const int* x) { int a = 1; y[index()] = wp::atomic_add(&a, 1); }
static void formats(int* y, const int* x) { printf("%d%n", 1, y + index()); }
static void deep(int* y, const int* x) { y[index()] = depth(x[0]); }
