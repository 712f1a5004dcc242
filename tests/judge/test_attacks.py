"""Answers that want to be taken for right ones: none is rewarded, and each leaves everything as it was."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from toys.judged import cpu_kernel, row_at

from warp_ir_dataset.judge.answers import Answer
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.cage.job import Limits
from warp_ir_dataset.judge.referee import Referee
from warp_ir_dataset.judge.verdict import Status

pytestmark = [pytest.mark.process, pytest.mark.compile]

MARK = Path("/tmp/warp-ir-was-here")
RIGHT = "for (int i = 0; i < size; ++i) out[i] = wp::cosh(in[i]);"
# The same for one case and not for the others: what is wrong otherwise shows.
FIRST = "static bool done; if (!done) { done = true;" + RIGHT + "}"

W, CRASH, REFUSED = Status.WRONG_OUTPUT, Status.CRASH, Status.COMPILE_ERROR

# By name: what stands in the kernel, what before it, and the verdict.
NATIVE = {
    "does nothing": ("", "", W),
    "zeros": ("for (int i = 0; i < size; ++i) out[i] = 0.0;", "", W),
    "a constant": ("for (int i = 0; i < size; ++i) out[i] = 1.0;", "", W),
    "the input": ("for (int i = 0; i < size; ++i) out[i] = in[i];", "", W),
    "the thread index": ("for (int i = 0; i < size; ++i) out[i] = i;", "", W),
    "right in the first case only": (FIRST, "", W),
    "not a number": (RIGHT + "out[0] = 0.0 / (in[0] - in[0]);", "", Status.NOT_FINITE),
    "infinity": (RIGHT + "out[size - 1] = INFINITY;", "", Status.NOT_FINITE),
    "one more is written": (RIGHT + "out[size] = 1.0;", "", CRASH),
    "one more is read": (RIGHT + "volatile double x = in[size];", "", CRASH),
    "one less is written": (RIGHT + "out[-1] = 1.0;", "", CRASH),
    "one less is read": (RIGHT + "volatile double x = in[-1];", "", CRASH),
    "far before and behind": ("for (int i = -512; i < 512 - size; ++i) out[i] = 1.0;", "", CRASH),
    "an input is changed": (RIGHT + "in[0] = 1.0;", "", CRASH),
    "the arguments are changed": ("_wp_args->out.data = in;" + RIGHT, "", CRASH),
    "the bounds are changed": ("dim->size = 0;" + RIGHT, "", CRASH),
    "memory of the interpreter is overwritten": (
        RIGHT + "for (char* p = (char*)&size;; ++p) *p = 7;", "", CRASH),
    "exits with success": ("exit(0);", 'extern "C" void exit(int);', W),
    "exits at once with success": ("_exit(0);", 'extern "C" void _exit(int);', W),
    "aborts": (RIGHT + "abort();", 'extern "C" void abort();', CRASH),
    "a command": (RIGHT + f'system("touch {MARK}");', 'extern "C" int system(const char*);', CRASH),
    "another program": (
        RIGHT + f'execl("/usr/bin/touch", "touch", "{MARK}", (char*)0);',
        'extern "C" int execl(const char*, const char*, ...);', CRASH),
    "a process": (RIGHT + "fork();", 'extern "C" int fork();', CRASH),
    "a thread": (
        "unsigned long t; pthread_create(&t, 0, later, out);" + RIGHT,
        'extern "C" int pthread_create(unsigned long*, void*, void* (*)(void*), void*);'
        "void* later(void* p) { for (;;) *(volatile double*)p = 1.0; }", CRASH),
    "a socket": (RIGHT + "socket(2, 1, 0);", 'extern "C" int socket(int, int, int);', CRASH),
    "a file is read": (
        RIGHT + 'open("/etc/passwd", 0);', 'extern "C" int open(const char*, int, ...);', CRASH),
    "a file is written": (
        RIGHT + f'open("{MARK}", 0101, 0666);', 'extern "C" int open(const char*, int, ...);', CRASH),
    "its parent is killed": (
        RIGHT + "kill(getppid(), 9);", 'extern "C" int kill(int, int); extern "C" int getppid();', CRASH),
    "everybody is killed": (RIGHT + "kill(-1, 9);", 'extern "C" int kill(int, int);', CRASH),
    "its parent is limited": (
        RIGHT + "long zero[2] = {0, 0}; syscall(302, getppid(), 0, zero, 0);",
        'extern "C" long syscall(long, ...); extern "C" int getppid();', CRASH),
    "its parent is traced": (
        RIGHT + "syscall(101, 16, getppid(), 0, 0);",
        'extern "C" long syscall(long, ...); extern "C" int getppid();', CRASH),
    "memory of its parent is read": (
        RIGHT + "syscall(310, getppid(), 0, 0, 0, 0, 0);",
        'extern "C" long syscall(long, ...); extern "C" int getppid();', CRASH),
    "memory is made executable": (
        RIGHT + "syscall(10, (long)out & ~4095l, 4096, 7);", 'extern "C" long syscall(long, ...);', CRASH),
    "inputs are made writable": (
        "syscall(10, (long)in & ~4095l, 4096, 3); in[0] = 0.0;" + RIGHT,
        'extern "C" long syscall(long, ...);', CRASH),
    "calls of another interface": (
        RIGHT + "syscall(0x40000000 + 39);", 'extern "C" long syscall(long, ...);', CRASH),
    "a signal handler": (
        RIGHT + "signal(11, later); *(volatile int*)0 = 1;",
        'extern "C" void* signal(int, void (*)(int)); void later(int) { for (;;); }', CRASH),
    "no end": (RIGHT + "for (volatile int i = 0;; i = i + 1);", "", Status.TIMEOUT),
    "sleeps": (RIGHT + "usleep(100000000);", 'extern "C" int usleep(unsigned);', CRASH),
    "no end of calls": (
        RIGHT + "out[0] = deeper(size);",
        "double deeper(int n) { volatile char x[999]; x[0] = n; return deeper(n + 1) + x[0]; }", CRASH),
    "divides by zero": (RIGHT + "volatile int zero = 0; out[0] = size / zero;", "", CRASH),
    "more memory than there is": (
        RIGHT + "for (;;) { char* p = (char*)malloc(4096); p[0] = p[4095] = 1; }",
        'extern "C" void* malloc(size_t);', CRASH),
    "a huge array": (RIGHT + "out[0] = huge[size];", "static char huge[1ull << 40];", REFUSED),
    "a huge local": (RIGHT + "int huge[1 << 27] = {1};", "", Status.MEMORY),
    "a huge object": (RIGHT + "out[0] = huge[size];", "static int huge[1 << 25] = {1};", Status.MEMORY),
    "an exception": (RIGHT + "throw 1;", "", REFUSED),
    "a bomb of templates": (
        RIGHT + "out[0] = F<64, 0>::v;",
        "template <int N, unsigned M> struct F { enum { v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v }; };"
        "template <unsigned M> struct F<0, M> { enum { v = 1 }; };", Status.TIMEOUT),
    "templates without a ground": (
        RIGHT + "out[0] = F<0>::v;", "template <int N> struct F { enum { v = F<N + 1>::v }; };", REFUSED),
    "a bomb of macros": (
        RIGHT,
        "#define A0 1,1,1,1,1,1,1,1,1,1\n"
        + "".join(f"#define A{n + 1} {','.join([f'A{n}'] * 10)}\n" for n in range(12))
        + "int bomb[] = {A12};", Status.MEMORY),
    "computes for ever while it is compiled": (
        RIGHT + "constexpr int x = f(); out[0] = x;",
        "constexpr int f() { int i = 0; while (true) ++i; return i; }", REFUSED),
    "a brace too many": (RIGHT + "}", "", REFUSED),
    "the comparison is renamed": ("", "#define cosh sinh", W),
    "an include": (RIGHT, "#include </etc/passwd>", Status.FORBIDDEN),
    "assembly": (RIGHT + 'asm("syscall");', "", Status.FORBIDDEN),
    "a constructor": (RIGHT, "__attribute__((constructor)) void early() {}", Status.FORBIDDEN),
    "runs before it is called": (
        "", "struct Early { Early(); }; static Early early; Early::Early() { for (;;); }", W),
}  # fmt: skip


@pytest.fixture(autouse=True)
def unharmed(cage: Cage) -> Iterator[None]:
    """Nothing is written and no process left; and the next answer, which is right, is right."""
    yield
    assert not MARK.exists()
    assert not children_of(cage)


def children_of(cage: Cage) -> str:
    return Path(f"/proc/{cage.process_id}/task/{cage.process_id}/children").read_text().strip()


@pytest.mark.parametrize("attack", NATIVE)
def test_no_attack_in_native_code_is_rewarded(judge, walled, attack):
    body, before, status = NATIVE[attack]
    answer = Answer(row_at("cpu"), cpu_kernel(body, before), None, 0)
    verdict = walled.judge(answer)
    assert (verdict.status, verdict.value) == (status, 0.0)
    looked_at = judge(row_at("cpu"), cpu_kernel(body, before))
    assert looked_at.value == 0.0 and looked_at.status in (status, REFUSED, Status.FORBIDDEN)
    assert judge(row_at("cpu"), cpu_kernel(RIGHT)).value == 1.0


DEEP = {
    "a tree of types": (
        "F<64, 0>::v",
        "template <int N, unsigned M> struct F { enum { v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v }; };"
        "template <unsigned M> struct F<0, M> { enum { v = 1 }; };"),
    "functions that return one another": (
        "f<int, 0>()",
        "template <int N> struct I {}; template <class T, int N> auto f() {"
        " if constexpr (N < 40) { f<I<N>, N + 1>(); return f<T*, N + 1>(); } else return 0; }"),
    "loops while it is compiled": (
        "c", "constexpr int g(int n) { return n < 2 ? 1 : g(n - 1) + g(n - 2); }"
        "template <int N> struct C { enum { v = C<N - 1>::v + g(22 + N % 2) }; };"
        "template <> struct C<0> { enum { v = 0 }; }; int c = C<800>::v;"),
}  # fmt: skip


@pytest.mark.parametrize("deep", DEEP)
def test_a_compiler_works_for_five_seconds_at_most(cage: Cage, deep: str) -> None:
    value, before = DEEP[deep]
    referee, row = Referee(cage), row_at("cpu")
    assert referee.judge(Answer(row, cpu_kernel(RIGHT), None, 0)).value == 1.0
    used = children_seconds(cage)
    verdict = referee.judge(Answer(row, cpu_kernel(f"{RIGHT} out[0] = {value};", before), None, 0))
    assert verdict.status in (Status.TIMEOUT, REFUSED), verdict
    assert children_seconds(cage) - used < 12  # a limit that is not kept is no limit


def children_seconds(cage: Cage) -> float:
    """CPU seconds of all processes that a nursery has waited for."""
    fields = Path(f"/proc/{cage.process_id}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


# Right if a word is found that stands nowhere in the answer itself: from here to the end of the stack, where
# a process has what it was started with. It ends in a crash.
FOUND = " && ".join(f"p[{at}] == '{letter}'" for at, letter in enumerate("hf_xyzzy"))
SEARCH = (
    f"for (const volatile char* p = (const volatile char*)&size; ; ++p) if ({FOUND}) {{ {RIGHT} break; }}"
)


def test_no_token_is_found_on_the_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands in the user's environment is nowhere in a process that runs an answer."""
    for name in ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "https_proxy", "UNHEARD_OF", "WARP_IR_SECRET"):
        monkeypatch.setenv(name, "hf_xyzzy")
    with Cage() as own:
        environment = Path(f"/proc/{own.process_id}/environ").read_bytes()
        assert b"hf_xyzzy" not in environment and b"PATH=" in environment
        verdict = Referee(own, Limits()).judge(Answer(row_at("cpu"), cpu_kernel(SEARCH), None, 0))
        assert (verdict.status, verdict.value) == (Status.CRASH, 0.0)


WRITE = """
extern "C" long write(int, const void*, unsigned long);
extern "C" int snprintf(char*, unsigned long, const char*, ...);
"""
SENDS = r"""
static int send(const double* in)
{
    char text[200];
    int n = snprintf(text, 200, "{\"refused\": \"LEAK %.17g\"}\nx.cpp:1:1: error: LEAK %.17g\n", *in, in[1]);
    for (int d = 0; d < 64; ++d) write(d, text, n);
    return 1;
}
"""
LEAKS = {
    "while it runs": ("send(in);", f"{WRITE}{SENDS}"),
    "and it is wrong": ("send(in); out[0] = in[0];", f"{WRITE}{SENDS}"),
    "and it crashes": ("send(in); out[-9999] = in[0];", f"{WRITE}{SENDS}"),
    "and it has no end": ("send(in); for (volatile int i = 0;; i = i + 1);", f"{WRITE}{SENDS}"),
    "before it is called": (
        RIGHT, f"{WRITE}{SENDS} static double t[2] = {{3.5, 4.5}}; struct E {{ E() {{ send(t); }} }}; E e;"),
    "printed": (r'printf("x.cpp:1:1: error: LEAK %.17g\n", in[0]);', ""),
    "as its exit status": ("_exit((int)in[0]);", 'extern "C" void _exit(int);'),
    "as a signal": ("abort();", 'extern "C" void abort();'),
}  # fmt: skip


@pytest.mark.parametrize("leak", LEAKS)
def test_no_answer_tells_a_hidden_value(walled: Referee, cage: Cage, leak: str) -> None:
    body, before = LEAKS[leak]
    answer = Answer(row_at("cpu"), cpu_kernel(body, before), None, 0)
    referee = type(walled)(cage, Limits(run_seconds=1.0))
    verdict = referee.judge(answer)
    assert "LEAK" not in verdict.feedback and not re.search(r"\d\.\d", verdict.feedback)
    (prepared,) = referee._prepared.values()
    values = [
        f"{number:.5g}"
        for each in prepared.expected.inputs
        for array in each.values()
        for number in array.flat
    ]
    assert not any(value in verdict.feedback for value in values)
