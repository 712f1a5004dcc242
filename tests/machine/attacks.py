"""Texts that try to hide an access from the machine, to reach the machine itself, or to show two compilers two
programs. Each is either refused, with a word that the message names, or found out, with a kind of finding. All have
one array of 64 ints, of which 32 threads of two blocks may use what is theirs, and one that they only read."""

from __future__ import annotations

ENTRY = "__global__ void k(int* y, const int* x)"
RACY = "y[0] += 1;"

# Of those that are refused: a word of the message.
REFUSED = {
    "a condition": ("#if 2\n#endif\n" + ENTRY + " { " + RACY + " }", "#if"),
    "a compiler's macro": (ENTRY + " { y[0] = __clang_major__; }", "__clang_major__"),
    "a condition by an operator": (ENTRY + " { int a = __has_builtin(1); " + RACY + " }", "__has_builtin"),
    "the function's name": (ENTRY + " { y[sizeof(__PRETTY_FUNCTION__) % 2] = 1; }", "__PRETTY_FUNCTION__"),
    "a name in pieces": ("#define J(a, b) a##b\n" + ENTRY + " { J(__att, ribute__)((x)); }", "__attribute__"),
    "a condition in an arm that is none": ("#if 0\n#elif 1\n#endif\n" + ENTRY + " { }", "elif"),
    "a condition on a name of the system's": ("#ifdef linux\n#endif\n" + ENTRY + " { }", "linux"),
    "a long double": (ENTRY + " { y[threadIdx.x] = sizeof(long double); }", "long double"),
    "a long double's literal": (ENTRY + " { y[threadIdx.x] = sizeof(1.0L); }", "long double"),
    "what throws": (ENTRY + " { y[threadIdx.x] = noexcept(sqrtf(1.f)); }", "noexcept"),
    "a function that is said not to return": (
        "[[noreturn]] __device__ void f(int* y) { y[0] = 1; }\n" + ENTRY + " { f(y); }",
        "attribute",
    ),
    "a static pointer to constants": (
        ENTRY
        + " { static const int* p; if (threadIdx.x == 0) p = x; __syncthreads(); y[threadIdx.x] = *p; }",
        "static",
    ),
    "an array of a size with the word const": (
        ENTRY + " { static int p[sizeof(const int)]; p[0] = 1; y[threadIdx.x + 32 * blockIdx.x] = p[0]; }",
        "static",
    ),
    "a static variable in a macro": (
        "#define KEPT static\n" + ENTRY + " { KEPT int n; y[0] = n++; }",
        "static",
    ),
    "a constant that is changed": (
        "struct M { mutable int n; };\n" + ENTRY + " { static const M m = {1}; m.n = 2; y[0] = m.n; }",
        "static",
    ),
    "a function that is one of several": (
        "template <class F> __device__ char g(F f) { return 0; }\n"
        "template <class T> __device__ auto h(T t) -> decltype(g(__popc, t), 1) { return 1; }\n"
        + ENTRY
        + " { y[0] = h(1); }",
        "__popc",
    ),
    "the address of a local": (
        "__device__ int* f(int n) { int a = n; return &a; }\n" + ENTRY + " { y[threadIdx.x] = *f(x[0]); }",
        "stack",
    ),
    "a reference to what is gone": (
        ENTRY + " { const int& r = std::min(x[0] + 1, 5); y[threadIdx.x + 32 * blockIdx.x] = r; }",
        "dangling",
    ),
    "a pointer to a member function": (
        "struct S { int a; __device__ int g() const { return a; } };\n"
        + ENTRY
        + " { int (S::*m)() const = x[0] ? nullptr : &S::g; S s{1}; y[0] = (s.*m)(); }",
        "member",
    ),
    "an attribute": (
        '__attribute__((no_sanitize("thread"))) __device__ void f(int* y) { y[0] += 1; }\n'
        + ENTRY
        + " { f(y); }",
        "__attribute__",
    ),
    "an attribute of clang's": (
        '[[clang::no_sanitize("thread")]] __device__ void f(int* y) { y[0] += 1; }\n' + ENTRY + " { f(y); }",
        "attribute",
    ),
    "an attribute in blanks": (
        "[ /**/ [gnu::no_sanitize_thread] ] __device__ void f(int* y) {}\n" + ENTRY + " { f(y); }",
        "attribute",
    ),
    "a pragma": ("#pragma clang attribute push\n" + ENTRY + " { }", "pragma"),
    "a pragma as an operator": (ENTRY + ' { _Pragma("clang loop") for (;;) { } }', "clang"),
    "assembly": (ENTRY + ' { asm volatile("nop"); }', "asm"),
    "assembly in CUDA's way": (ENTRY + ' { __asm__("nop"); }', "__asm__"),
    "a spliced directive": ("#\\\nif 2\n#endif\n" + ENTRY + " { }", "if"),
    "a splice with blanks": ("// \\ \n" + ENTRY + " { }", "backslash"),
    "a digraph": ("%:if 1\n" + ENTRY + " { }", "digraph"),
    "an include": ("#include </etc/passwd>\n" + ENTRY + " { }", "include"),
    "an include of the machine": ('#include "builtin.h"\n' + ENTRY + " { }", "builtin.h"),
    "a builtin": (ENTRY + " { __builtin_memset(y, 0, 4); }", "__builtin_memset"),
    "an atomic builtin": (ENTRY + " { __atomic_fetch_add(y, 1, 0); }", "__atomic_fetch_add"),
    "a frame's address": (
        ENTRY + " { int** p = (int**)__builtin_frame_address(0); }",
        "__builtin_frame_address",
    ),
    "the machine's function": (ENTRY + " { wm_fence(1); " + RACY + " }", "wm_fence"),
    "the machine's variable": (ENTRY + " { wm_index.words[0] = 7; }", "wm_index"),
    "a declared function of the machine": (
        'extern "C" __device__ void wm_yield();\n' + ENTRY + " { wm_yield(); }",
        "wm_yield",
    ),
    "a declared sanitizer": (
        'extern "C" __device__ void __tsan_init() { }\n' + ENTRY + " { }",
        "__tsan_init",
    ),
    "a function of the system": (
        'extern "C" __device__ int system(const char*);\n' + ENTRY + ' { y[0] = system("id"); }',
        "system",
    ),
    "a function of CUDA's that writes, as the C library's": (
        'extern "C" __device__ void sincosf(float, float*, float*);\n'
        + ENTRY
        + " { sincosf(threadIdx.x, (float*)y, (float*)(y + 1)); }",
        "sincosf",
    ),
    "another such function": (
        'extern "C" __device__ float frexpf(float, int*);\n' + ENTRY + " { frexpf(threadIdx.x, y); }",
        "frexpf",
    ),
    "such a function behind a macro": (
        'extern "C" __device__ double modf(double, double*);\n' + ENTRY + " { modf(1.5, (double*)y); }",
        "modf",
    ),
    "a function that is not there": (
        "__device__ int other(int);\n" + ENTRY + " { y[0] = other(1); }",
        "other",
    ),
    "an extern variable": ("extern __device__ int environ_;\n" + ENTRY + " { y[0] = environ_; }", "extern"),
    "CUDA's name as a macro": (
        "#define __syncthreads() (void)0\n" + ENTRY + " { __syncthreads(); }",
        "__syncthreads",
    ),
    "a word as a macro": ("#define int long\n" + ENTRY + " { }", "int"),
    "a static variable": (ENTRY + " { static int n; y[0] = n++; }", "static"),
    "a variable-length array": (ENTRY + " { int a[x[0] + 1]; a[0] = 1; y[threadIdx.x] = a[0]; }", "constant"),
    "a statement in an expression": (ENTRY + " { int a = ({ 1; }); y[threadIdx.x] = a; }", "expression"),
    "host code": (
        "int helper(int a) { return a + 1; }\n" + ENTRY + " { y[threadIdx.x] = helper(1); }",
        "helper",
    ),
    "a thread's variable": ("__device__ thread_local int t;\n" + ENTRY + " { t = 1; }", "thread_local"),
    "an address space": (ENTRY + " { int __attribute__((address_space(1)))* p; }", "__attribute__"),
    "a raw string": ('const char* s = R"(\n#if 1\n)";\n' + ENTRY + " { }", '"'),
    "a string with a prefix": (ENTRY + ' { const wchar_t* s = L"a"; }', "prefix"),
    "a universal name": (ENTRY + " { int \\u0061 = 1; }", "line 1"),
    "a control character": (ENTRY + " { \x0c }", "control"),
    "a number of its own": (
        '__device__ int operator""_t(unsigned long long v) { return 1; }\n' + ENTRY + " { y[0] = 1_t; }",
        "suffix",
    ),
    "a launch from the device": (ENTRY + " { k<<<1, 1>>>(y, x); }", "launch"),
    "virtual functions": (
        "struct A { virtual __device__ void f() {} };\n" + ENTRY + " { A a; a.f(); }",
        "virtual",
    ),
    "memory of its own": (ENTRY + " { int* p = new int[4]; y[0] = p[0]; }", "new"),
    "a vector of clang's": (
        "typedef int four __attribute__((vector_size(16)));\n" + ENTRY + " { }",
        "__attribute__",
    ),
    "a type of clang's": (ENTRY + " { _Float16 a = 1; y[0] = (int)a; }", "_Float16"),
    "too many macros": (
        "#define A x[0]+x[0]+x[0]+x[0]\n#define B A+A+A+A+A+A+A+A\n#define C B+B+B+B+B+B+B+B\n#define D C+C+C+C+C+C+C+C\n#define E D+D+D+D+D+D+D+D\n#define F E+E+E+E+E+E+E+E\n"
        + ENTRY
        + " { y[0] = F+F+F+F+F+F+F+F; }",
        "simpler",
    ),
    "too much shared memory": (
        ENTRY + " { __shared__ int s[20000]; s[threadIdx.x] = 1; y[threadIdx.x] = s[threadIdx.x]; }",
        "shared",
    ),
}

REFUSED["no kernel"] = ("__device__ void k(int* y, const int* x) { y[threadIdx.x] = 1; }", "__global__")
REFUSED["the address of a built-in variable"] = (
    ENTRY + " { unsigned* p = (unsigned*)&threadIdx; p[0] = 5; }",
    "threadIdx",
)

REFUSED["fewer threads than are launched"] = (
    "__global__ void __launch_bounds__(16) k(int* y, const int* x) { y[threadIdx.x + 32 * blockIdx.x] = 1; }",
    "__launch_bounds__",
)

# Of those that run: a kind of finding.
FOUND = {
    "a hinted load of shared memory": (
        ENTRY + " { __shared__ int s[32]; s[threadIdx.x] = 1; __syncthreads();"
        " y[threadIdx.x + 32 * blockIdx.x] = __ldg(&s[31 - threadIdx.x]); }",
        "wrong memory",
    ),
    "a hinted load of a local": (ENTRY + " { int a = 1; y[threadIdx.x] = __ldcg(&a); }", "wrong memory"),
    "a hinted store to shared memory": (
        ENTRY + " { __shared__ int s[32]; __stcg(&s[threadIdx.x], 1); }",
        "wrong memory",
    ),
    "an atomic of a local": (ENTRY + " { int a = 0; atomicAdd(&a, 1); }", "wrong memory"),
    "a hinted vector from an odd place": (
        ENTRY + " { int4 v = __ldg((const int4*)(x + 1)); y[threadIdx.x + 32 * blockIdx.x] = v.x; }",
        "misaligned access",
    ),
    "a hinted store to an odd place": (
        ENTRY + " { __stcg((short*)((char*)(y + threadIdx.x + 32 * blockIdx.x) + 1), (short)0); }",
        "misaligned access",
    ),
    "an atomic on a part of a local array": (
        ENTRY + " { char b[16] = {}; atomicAdd((int*)(b + 1 + x[0]), 1); }",
        "misaligned access",
    ),
    "a shift by all bits": (ENTRY + " { y[threadIdx.x] = 1 << (32 + x[0]); }", "undefined arithmetic"),
    "a shift by less than none": (ENTRY + " { y[threadIdx.x] = 1ll >> (x[0] - 1); }", "undefined arithmetic"),
    "a conversion of less than none": (
        ENTRY + " { y[threadIdx.x] = (unsigned)(x[0] - 1.0f) == ~0u; }",
        "undefined arithmetic",
    ),
    "a conversion of too much": (ENTRY + " { y[threadIdx.x] = (int)(x[0] + 3e9f); }", "undefined arithmetic"),
    "a format that writes": (
        ENTRY + ' { printf("%d%n", 1, y + threadIdx.x + 32 * blockIdx.x); }',
        "bad call",
    ),
    "a text beside its array": (
        ENTRY + ' { y[63] = 0x61616161; __syncthreads(); printf("%s", (const char*)(y + 63)); }',
        "out of bounds",
    ),
    "a local of what has returned": (
        "__device__ int* f() { int a[4]; int* p = a; p[0] = 1; return p; }\n"
        + ENTRY
        + " { y[threadIdx.x] = *f(); }",
        "out of bounds",
    ),
    "a number without a value on some way": (
        ENTRY + " { int s; if (x[0]) s = 3; y[threadIdx.x + 32 * blockIdx.x] = s == 77; }",
        "unset read",
    ),
    "a pointer without a value on some way": (
        ENTRY + " { int* p; if (x[0]) p = y; y[threadIdx.x + 32 * blockIdx.x] = p == y; }",
        "unset read",
    ),
    "the last of many local arrays": (
        ENTRY
        + " { "
        + "".join(f"int b{i}[4]; int* volatile p{i} = b{i}; " for i in range(40))
        + "y[threadIdx.x + 32 * blockIdx.x] = p39[x[0]] == 77; }",
        "unset read",
    ),
    "a race below a flood of notes": (
        "__device__ int s[80];\n"
        + ENTRY
        + " {\n"
        + "".join(f"s[{i}] = 0;\n" for i in range(70))
        + "y[0] += 1; }",
        "read-write race",
    ),
    "the code of the kernel": (ENTRY + " { long* p = (long*)(void*)&k; p[0] = 1; }", "out of bounds"),
    "a pointer between locals": (
        ENTRY + " { char a = 1; char b = 2; long d = (char*)(y + x[0]) - &b; *(int*)((&a) + d - 1) += 1; }",
        "out of bounds",
    ),
    "an index of a local": (ENTRY + " { int a = 0; long d = y - &a; (&a)[d] += 1; }", "out of bounds"),
    "a pointer of a local through a function": (
        "__device__ void put(int* p, long d) { p[d] += 1; }\n" + ENTRY + " { int a = 0; put(&a, y - &a); }",
        "write-write race",
    ),
    "a return address": (
        "__device__ void f(long* p, int n) { for (int i = 0; i < n; ++i) p[i] = (long)p; }\n"
        + ENTRY
        + " { long a[2]; f(a, 1 << 20); }",
        "out of bounds",
    ),
    "memory below the stack": (
        "__device__ void f(long* p) { for (long i = 0; i > -(1l << 40); i -= 512) p[i] = 1; }\n"
        + ENTRY
        + " { long a[2]; f(a); }",
        "out of bounds",
    ),
    "the code as data": (
        "__device__ int g(int n) { return n; }\n__device__ int h(int n) { return n + 1; }\n"
        + ENTRY
        + " { int (*f)(int) = x[0] ? h : g; long* p = (long*)(void*)f; y[threadIdx.x] = (int)p[0]; }",
        "out of bounds",
    ),
    "the text of a function": (
        "__device__ int g(int n) { return n; }\n__device__ int h(int n) { return n + 1; }\n"
        + ENTRY
        + " { int (*f)(int) = x[0] ? h : g; long* p = (long*)(void*)f; p[0] = 1; }",
        "out of bounds",
    ),
    "a number as a function": (ENTRY + " { void (*f)() = (void (*)())(long)(y + 8); f(); }", "bad call"),
    "a function from its middle": (
        "__device__ int g(int n) { return n; }\n"
        + ENTRY
        + " { int (*f)(int) = (int (*)(int))((char*)&g + 9); y[threadIdx.x + 32 * blockIdx.x] = f(1); }",
        "bad call",
    ),
    "a function of another type": (
        "__device__ int g(int n) { return n; }\n"
        + ENTRY
        + " { int (*f)(int*) = (int (*)(int*))&g; y[threadIdx.x + 32 * blockIdx.x] = f(y); }",
        "bad call",
    ),
    "a built-in variable by a reference": (
        ENTRY + " { const uint3& i = threadIdx; ((unsigned*)&i)[0] = 5; y[threadIdx.x] = 1; }",
        "write to an input",
    ),
    "a constant": (
        "__constant__ int c = 1;\n" + ENTRY + " { *(int*)&c = 2; y[threadIdx.x + 32 * blockIdx.x] = c; }",
        "write to an input",
    ),
    "a text as memory": (ENTRY + " { const char* s = \"abc\"; ((char*)s)[0] = 'x'; }", "write to an input"),
    "a copy of a struct": (
        "struct S { int v[16]; };\n"
        + ENTRY
        + " { S s; for (int i = 0; i < 16; ++i) s.v[i] = threadIdx.x; *(S*)y = s; }",
        "write-write race",
    ),
    "a copy from anywhere": (
        "struct S { long v[16]; };\n"
        + ENTRY
        + " { S s = *(const S*)((long)y + (1l << 33)); y[threadIdx.x + 32 * blockIdx.x] = (int)s.v[0]; }",
        "out of bounds",
    ),
    "a member's array": (
        "struct S { int a[4]; int b; };\n"
        + ENTRY
        + " { S s; s.b = 0; s.a[x[0] + 4] = 1; y[threadIdx.x + 32 * blockIdx.x] = s.b; }",
        "out of bounds",
    ),
    "a race by volatile": (
        ENTRY + " { volatile int* v = y; v[0] = v[0] + (int)threadIdx.x; }",
        "write-write race",
    ),
    "a race by another type": (ENTRY + " { long* p = (long*)y; p[0] = threadIdx.x; }", "write-write race"),
    "a race by bytes": (
        ENTRY
        + " { char* p = (char*)y; if (threadIdx.x == 1) y[0] = 1; else if (threadIdx.x == 2) p[2] = 7; }",
        "write-write race",
    ),
    "a race by bits": (
        "struct B { int a : 4; int b : 28; };\n"
        + ENTRY
        + " { B* p = (B*)y; if (threadIdx.x == 1) p->a = 1; else if (threadIdx.x == 2) p->b = 7; }",
        "write-write race",
    ),
    "a race in a lambda": (
        ENTRY + " { auto f = [&](int v) { y[0] = v; }; f(threadIdx.x); }",
        "write-write race",
    ),
    "a race by a reference": (ENTRY + " { int& r = y[0]; r = r + 1; }", "write-write race"),
    "a loop without memory": (ENTRY + " { for (;;) { } }", "hang"),
    "a jump in a circle": (ENTRY + " { again: goto again; }", "hang"),
    "functions in a circle": (
        "__device__ void b(int n);\n__device__ void a(int n) { b(n + 1); }\n__device__ void b(int n) { a(n + 1); }\n"
        + ENTRY
        + " { a(0); }",
        "out of bounds",
    ),
    "a large frame": (
        ENTRY + " { int a[200000]; a[x[0]] = 1; y[threadIdx.x + 32 * blockIdx.x] = a[x[0]]; }",
        "out of bounds",
    ),
    "a null pointer's member": (
        "struct S { int a[1000]; };\n"
        + ENTRY
        + " { S* s = (S*)(long)x[0]; y[threadIdx.x + 32 * blockIdx.x] = s->a[999]; }",
        "out of bounds",
    ),
    "an atomic out of bounds": (ENTRY + " { atomicAdd(y + 64 + x[0], 1); }", "out of bounds"),
    "an atomic on an input": (ENTRY + " { atomicAdd((int*)x, 1); }", "write to an input"),
    "an atomic beside a word": (ENTRY + " { atomicAdd((int*)((char*)y + 2), 1); }", "misaligned access"),
    "sincos beside its arrays": (
        ENTRY + " { float s; sincosf(1.0f, &s, (float*)(y + 64 + x[0])); }",
        "out of bounds",
    ),
    "a match out of bounds": (
        ENTRY + " { __match_all_sync(0xffffffffu, 1, y + 64 + x[0]); }",
        "out of bounds",
    ),
    "a hinted load out of bounds": (
        ENTRY + " { y[threadIdx.x + 32 * blockIdx.x] = __ldg(x + 64); }",
        "out of bounds",
    ),
    "a hinted store that races": (ENTRY + " { __stcg(y, (int)threadIdx.x); }", "write-write race"),
    "no value returned": (
        "__device__ int f(int n) { if (n > 100) return 1; }\n"
        + ENTRY
        + " { y[threadIdx.x + 32 * blockIdx.x] = f(x[0]); }",
        "trap",
    ),
}
