"""Answers in Python that do more than define a kernel: Warp executes them in the cage. The cage holds alone,
without what `python.module` refuses before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from toys.judged import python_answer, row_at

from warp_ir_dataset.compilers import warp
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.python import module as gate
from warp_ir_dataset.judge.verdict import Status

pytestmark = [pytest.mark.process, pytest.mark.compile]

MARK = Path("/tmp/warp-ir-was-here")
RIGHT = "wp.cosh(data[i])"
REFUSED, CRASH, WRONG = Status.COMPILE_ERROR, Status.CRASH, Status.WRONG_OUTPUT

# A kernel that calls native code, which the module fills with addresses.
NATIVE = """
import ctypes
libc = ctypes.CDLL(None)
address = ctypes.cast(libc.{function}, ctypes.c_void_p).value
@wp.func_native(f'((long (*)(...)){{address}}ul)({arguments}); return 0.0;')
def hook() -> wp.float64: ...
"""

# What looks for the pages and writes there what the kernel should, wherever a frame tells of them.
FILLED = """
import sys, mmap, os
import numpy as np
f = sys._getframe()
while not ("job" in f.f_locals and "pages" in f.f_locals): f = f.f_back
job, pages = f.f_locals["job"], f.f_locals["pages"]
BASE = job.segments[0].address - job.segments[0].offset
m = mmap.mmap(pages, os.fstat(pages).st_size)
for call in job.calls:
    at = call.arguments[1] - BASE
    data, out = (int(np.frombuffer(m, np.int64, 1, at + 56 * n)[0]) - BASE for n in range(2))
    n = int(np.frombuffer(m, np.int32, 1, at + 16)[0])
    found = np.frombuffer(m, np.float64, n, data)
    {then}
"""
# Something of the process that starts cages is replaced, which it was forked from.
REPLACED = """
import sys
f = sys._getframe()
while f:
    if "{module}" in f.f_globals and hasattr(f.f_globals["{module}"], "{name}"):
        f.f_globals["{module}"].{name} = {value}
    f = f.f_back
"""
# Nothing but the answer itself is in a file that this process has open.
OPEN = """
import os
for d in range(3, 64):
    try:
        size = os.fstat(d).st_size
    except OSError:
        continue
    assert size == 0, 'here'
"""

# By name: the module before the kernel, what the kernel stores, and the verdict.
ATTACKS = {
    "a command": (f"import os\nos.system('touch {MARK}')", "0.0", WRONG),
    "a program": ("import subprocess\nsubprocess.run(['true'])", RIGHT, REFUSED),
    "a fork": ("import os\nos.fork()", RIGHT, REFUSED),
    "a thread": ("import threading\nthreading.Thread(target=print).start()", RIGHT, REFUSED),
    "a file is written": (f"open('{MARK}', 'w')", RIGHT, REFUSED),
    "a file is removed": (f"import os\nos.remove('{__file__}')", RIGHT, REFUSED),
    "a secret is read": ("open('/etc/passwd').read()", RIGHT, REFUSED),
    "its own sources are read": ("import os, glob\nos.listdir('/')", RIGHT, REFUSED),
    "memory of its parent": ("import os\nopen(f'/proc/{os.getppid()}/mem', 'rb')", RIGHT, REFUSED),
    "a socket": ("import socket\nsocket.socket()", RIGHT, REFUSED),
    "a pair of sockets": ("import socket\nsocket.socketpair()", RIGHT, REFUSED),
    "its parent is killed": ("import os\nos.kill(os.getppid(), 9)", RIGHT, REFUSED),
    "its parent is limited": (
        "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))", RIGHT, REFUSED),
    "signals by way of a pipe": (
        "import fcntl, os\nfcntl.fcntl(2, fcntl.F_SETOWN, os.getppid())", RIGHT, REFUSED),
    "limits are raised": (
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))", RIGHT, REFUSED),
    "a complaint of many words": ("raise ValueError('y' * 60000)", RIGHT, REFUSED),
    "news that nest too deep": (
        "import os\nfor d in range(3, 20):\n  try: os.write(d, b'[' * 60000)\n"
        "  except OSError: pass\nos._exit(0)", RIGHT, CRASH),
    "exits": ("exit()", RIGHT, REFUSED),
    "exits at once with success": ("import os\nos._exit(0)", RIGHT, CRASH),
    "says that it is loaded and exits": (
        "import os\nfor d in range(3, 20):\n  try: os.write(d, b'{\"loaded\": true}')\n"
        "  except OSError: pass\nos._exit(0)", RIGHT, CRASH),
    "no end": ("while True: pass", RIGHT, Status.TIMEOUT),
    "keeps saying that it is loaded": (
        "import os\nwhile True:\n  for d in range(3, 20):\n    try: os.write(d, b'{\"loaded\": true}')\n"
        "    except OSError: pass", RIGHT, Status.TIMEOUT),
    "memory": ("x = bytearray(1 << 40)", RIGHT, Status.MEMORY),
    "memory, bit by bit": ("x = []\nwhile True: x.append(bytearray(1 << 24))", RIGHT, Status.MEMORY),
    "a crash": ("import ctypes\nctypes.string_at(0)", RIGHT, CRASH),
    "nested too deep": (f"x = {'(' * 5000}{')' * 5000}", RIGHT, REFUSED),
    "the comparison is replaced": (
        "import warp_ir_dataset.proof.verify as v\nv.compare = lambda a, b: v.Comparison(0.0, None)",
        "0.0", REFUSED),
    "what reports is replaced": (
        "import json\njson.dumps = lambda *a, **k: '{\"end\": \"ran\", \"loaded\": true, \"said\": \"\"}'",
        "0.0", WRONG),
    "pages are filled by hand": (
        FILLED.format(then="np.frombuffer(m, np.float64, n, out)[:] = np.cosh(found)"), "0.0", REFUSED),
    "pages are looked for": (OPEN, "0.0", WRONG),
    "inputs are told": (FILLED.format(then="raise ValueError(str(found.tolist()))"), RIGHT, REFUSED),
    "the last wall is replaced": (
        REPLACED.format(module="walls", name="seal", value="lambda built: None")
        + NATIVE.format(function="getppid", arguments=""), f"{RIGHT} + hook()", CRASH),
    "what makes a unit is replaced": (
        REPLACED.format(module="units", name="native_unit", value="lambda members: ''"), "0.0", WRONG),
    "its text is written by hand": (
        "import os\nfor d in range(3, 20):\n  try: os.lseek(d, 0, 0); os.write(d, b'\\0' * 60000)\n"
        "  except OSError: pass", RIGHT, CRASH),
    "a text without end": (
        "import os\nfor d in range(3, 20):\n  try: os.ftruncate(d, 1 << 25)\n  except OSError: pass",
        RIGHT, Status.MEMORY),
    "pages are cut off": (
        "import os\nfor d in range(3, 20):\n  try: os.ftruncate(d, 0)\n  except OSError: pass", "0.0", WRONG),
    "another answer's code is looked for": (  # this one says it in two pieces
        "import gc\ngc.unfreeze()\nwords = 'wp.co' + 'sh(data['\n"
        "texts = [o for o in gc.get_objects() for o in gc.get_referents(o) if isinstance(o, str)]\n"
        "assert len(texts) > 1000 and not any(words in text for text in texts if text != words), 'found'",
        "0.0", WRONG),
    "frames hold what is run": (
        "import sys\nframe = sys._getframe()\n"
        "held = {'job', 'pages', 'inputs', 'expected', 'calls', 'segments'}\n"
        "while frame:\n  assert not held & {*frame.f_locals}, 'here'\n"
        "  frame = frame.f_back", "0.0", WRONG),
    "what draws inputs is looked for": (
        "import sys\nassert not any('proof' in m or 'synthesis' in m for m in sys.modules), 'here'",
        "0.0", WRONG),
    "a command in native code": (
        NATIVE.format(function="system", arguments=f'"touch {MARK}"'), "hook()", CRASH),
    "a socket in native code": (NATIVE.format(function="socket", arguments="2, 1, 0"), "hook()", CRASH),
    "a file in native code": (NATIVE.format(function="open", arguments='"/etc/passwd", 0'), "hook()", CRASH),
    "its parent is killed in native code": (
        NATIVE.format(function="kill", arguments="-1, 9"), "hook()", CRASH),
    "another kernel": ("", "0.0", REFUSED),
}  # fmt: skip


@pytest.fixture(autouse=True)
def unharmed(cage: Cage) -> Iterator[None]:
    yield
    assert not MARK.exists()
    assert not Path(f"/proc/{cage.process_id}/task/{cage.process_id}/children").read_text().strip()


@pytest.fixture
def ungated(monkeypatch):
    """All of a module is executed, whatever it says."""
    monkeypatch.setattr(gate, "allowed", lambda source, kernel: source)


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_in_python_is_rewarded(judge, ungated, attack):
    row, (module, value, status) = row_at("spec_to_warp"), ATTACKS[attack]
    answer = python_answer(module, value)
    if attack == "another kernel":
        answer = answer.replace(row["kernel_name"], "other")
    verdict = judge(row, answer)
    assert (verdict.status, verdict.value) == (status, 0.0)
    assert "[" not in verdict.feedback.replace("[Errno", "")
    assert judge(row, row["completion"]).value == 1.0


def test_feedback_does_not_tell_where_files_are(judge, ungated):
    module = "import tempfile, os\nraise ValueError(f'in {os.__file__} and {tempfile.gettempdir()}/x/y.o')"
    verdict = judge(row_at("spec_to_warp"), python_answer(module, RIGHT))
    assert (verdict.status, verdict.feedback) == (REFUSED, "ValueError in line 3")


# What an answer computes, and has said in its place.
WORD = "'xyz' + 'zy'"
TOLD = {
    "an exception": (f"raise ValueError({WORD})", RIGHT),
    "an exception of its own": (f"raise type({WORD}, (Exception,), {{}})", RIGHT),
    "one that Warp raises": (f"raise wp.WarpCodegenError({WORD})", RIGHT),
    "one while Warp evaluates": (f"def f(): raise ValueError({WORD})", "wp.static(f())"),
    "an expression that Warp evaluates": ("", f"wp.static(int({WORD}))"),
    "a value that Warp quotes": (
        f"class C:\n    def __repr__(self): return {WORD}\n    __str__ = __repr__\nK = C()", "wp.static(K)"),
    "a key": (f"{{}}[{WORD}]", RIGHT),
    "a line as a compiler prints it": (
        f"import os\nos.write(2, ('k.cpp(1): error: ' + {WORD} + chr(10)).encode())\n"
        "raise ValueError", RIGHT),
    "news of its own": (
        "import os\nfor d in range(3, 20):\n"
        f"  try: os.write(d, ('{{\"refused\": \"' + {WORD} + '\"}}').encode())\n"
        "  except OSError: pass\nos._exit(0)", RIGHT),
    "a name in C++": (
        f"@wp.func_native('return ' + {WORD} + ';')\ndef hook() -> wp.float64: ...", "hook()"),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_feedback_has_nothing_that_an_answer_computed(judge, ungated, name):
    verdict = judge(row_at("spec_to_warp"), python_answer(*TOLD[name]))
    assert verdict.value == 0.0 and "xyzzy" not in verdict.feedback, verdict.feedback


def test_feedback_says_what_warp_and_the_compiler_say(judge):
    said = judge(row_at("spec_to_warp"), python_answer("", "wp.normalize(i)")).feedback
    assert "normalize" in said and "int32" in said and "..." not in said, said


DEMO = f"""
if __name__ == "__main__":
    import os, sys
    wp.init()
    wp.config.quiet = True
    print(os.getcwd())
wp.init()
device = "cuda"; data = wp.zeros(4, dtype=wp.float64, device=device)
out = wp.zeros_like(data)
wp.launch({row_at("spec_to_warp")["kernel_name"]}, dim=4, inputs=[data, out], device=device)
assert out.numpy().sum() > 0.0
"""


def test_a_launch_that_shows_how_it_works_is_not_executed(judge):
    row = row_at("spec_to_warp")
    assert judge(row, row["completion"] + DEMO).value == 1.0
    assert judge(row, python_answer("wp.init()", RIGHT) + DEMO).value == 1.0


@pytest.mark.parametrize(
    "module", ["import os\nK = os.getpid()", "K = wp._src.codegen.codegen_kernel", "import sys\nK = sys"]
)
def test_what_no_kernel_needs_is_forbidden(judge, module):
    answer = python_answer(module, RIGHT)
    verdict = judge(row_at("spec_to_warp"), answer.replace("return 1.0", "return float(bool(K))"))
    assert (verdict.status, verdict.value) == (Status.FORBIDDEN, 0.0)


def test_what_the_kernel_does_not_use_is_not_executed(judge):
    row = row_at("spec_to_warp")
    answer = python_answer(f"import os\nos.system('touch {MARK}')\nos._exit(1)", RIGHT)
    assert judge(row, answer).value == 1.0


def test_what_cannot_be_read_is_judged_all_the_same(judge):
    assert judge(row_at("spec_to_warp"), python_answer("import math", RIGHT)).value == 1.0


def test_a_text_does_not_become_code(judge):
    row = row_at("spec_to_warp")
    answer = python_answer("", "0.0")
    store = next(line for line in answer.split("\n") if "] = " in line)
    room = store[: len(store) - len(store.lstrip())]
    code = "auto& a = *_wp_args; a.results.data[task_index] = cosh(a.data.data[task_index]); return;//"
    printed = answer.replace(store, f"{room}wp.printf('\";{code}')\n{store}")
    assert (judge(row, printed).status, judge(row, printed).value) == (Status.FORBIDDEN, 0.0)
    right = python_answer("", RIGHT)
    store = next(line for line in right.split("\n") if "] = " in line)
    assert judge(row, right.replace(store, f"{room}wp.printf('a\\\\n%d', 1)\n{store}")).value == 1.0


@pytest.mark.parametrize("quote", ['"', '\\"'])
def test_what_an_assert_says_does_not_become_code(judge, quote):
    row = row_at("spec_to_warp")
    code = "auto& a = *_wp_args; a.results.data[task_index] = cosh(a.data.data[task_index]); return; //"
    for value, message, status in (
        ("0.0", f"{quote}, 0)); {code}", (Status.WRONG_OUTPUT, Status.FORBIDDEN)),
        (RIGHT, f"a {quote}word{quote} of it", (Status.CORRECT, Status.FORBIDDEN)),
    ):
        answer = python_answer("", value)
        told = answer.replace("    results[i] =", f"    assert i >= 0, '{message}'\n    results[i] =")
        assert judge(row, told).status is status[quote != '"']  # which Warp does not escape once more


@pytest.mark.parametrize("text", ["\\ud800", "-" * 50_000 + "1", "\\0", "("])
def test_an_annotation_that_is_no_type_is_the_answers_fault(judge, text):
    answer = python_answer("", RIGHT).replace("data: wp.array[wp.float64]", f'data: "{text}"')
    verdict = judge(row_at("spec_to_warp"), answer)
    assert verdict.value == 0.0 and verdict.status is Status.COMPILE_ERROR


def test_what_is_executed_is_the_text_that_was_looked_at():
    answer = python_answer(f"T = '{chr(12) * 30}'", RIGHT)  # form feeds, which end lines for some
    name = row_at("spec_to_warp")["kernel_name"]
    texts = {
        warp.translate(source, name, backward=False, cuda=False).cpu
        for source in (answer, answer.replace(chr(12), "_"))
    }
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (python_answer("", "0.0"), WRONG),
        (python_answer("", "data[i]"), WRONG),
        (python_answer("", "wp.float64(i)"), WRONG),
        (python_answer("", f"{RIGHT} / (data[i] - data[i])"), Status.NOT_FINITE),
        (python_answer("", "wp.cosh(data[i + 1])"), WRONG),
        ("def kernel(:\n", REFUSED),
        ("import warp as wp\n", REFUSED),
        ("```python\n```", Status.EMPTY),
    ],
)
def test_wrong_answers_are_wrong(judge, answer, status):
    verdict = judge(row_at("spec_to_warp"), answer)
    assert (verdict.status, verdict.value) == (status, 0.0)
