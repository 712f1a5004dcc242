"""What of a module is executed, and what it may not say."""

from __future__ import annotations

import ast

import pytest
from common.work import grows_as_its_text, lines_run

from warp_ir_dataset.judge.python.module import Forbidden, NotPython, allowed

KERNEL = """
@wp.kernel
def k(a: wp.array(dtype=float), o: wp.array(dtype=float)):
    i = wp.tid()
    o[i] = {value}
"""


def of(before: str = "", value: str = "a[i]", behind: str = "") -> str:
    return f"import warp as wp\n{before}\n{KERNEL.format(value=value)}{behind}"


# By what is forbidden: what stands before the kernel, and a value in it.
SAID = {
    "frames": ("import sys\nK = sys._getframe()", "a[i] * float(K)"),
    "a frame": ("K = (x for x in ()).gi_frame", "a[i] * float(K)"),
    "Warp's insides": ("K = wp._src", "a[i] * float(K)"),
    "Warp's insides by name": ("from warp._src import codegen as c", "wp.static(c.x)"),
    "Warp's text": ("import warp.codegen as c", "wp.static(c.x)"),
    "Warp changed": ("def f():\n    wp.types = None\n    return 1.0", "wp.static(f())"),
    "Warp changed by name": ("def f():\n    setattr(wp, 'types', None)", "wp.static(f())"),
    "Warp's table": ("def f():\n    vars(wp)['types'] = None", "wp.static(f())"),
    "attributes by computed names": ("K = getattr(wp, '_' + 'src')", "a[i] * float(K)"),
    "attributes by forbidden names": ("K = getattr(wp, '_src')", "a[i] * float(K)"),
    "an alias of getattr": ("g = getattr", "wp.static(g(wp, 'x'))"),
    "exec in the kernel": ("", "wp.static(eval('1.0'))"),
    "exec as an annotation": ("def f(x: 'exec(1)'): ...", "wp.static(f(1))"),
    "a member of a class": ("K = ().__class__.__base__", "a[i] * float(K)"),
    "builtins": ("K = __builtins__", "a[i] * float(K)"),
    "builtins of a module": ("import dataclasses\nK = dataclasses.builtins", "a[i] * float(K)"),
    "a file": ("K = open('/etc/passwd').read()", "a[i] * float(K)"),
    "a file in a decorator": ("@open('x')\ndef f(): ...", "f()"),
    "a file as a default": ("def f(x=open('x')): ...", "wp.static(f())"),
    "a file by numpy": ("import numpy as np\nK = np.fromfile('x')", "a[i] * float(K)"),
    "native code": ("@wp.func_native('return 1.0;')\ndef f() -> float: ...", "f()"),
    "a network": ("import socket\nK = socket", "a[i] * float(K)"),
    "addresses": ("import numpy as np\nK = np.ctypeslib", "a[i] * float(K)"),
    "inside a class": ("class C:\n    import os\n    x = os.getpid()", "wp.static(C.x)"),
    "inside a loop": ("for K in [open('x')]: pass", "a[i] * float(K)"),
    "a member called like Warp's insides": ("class S:\n    _src: float\nK = wp._src", "a[i] * float(K)"),
    "memory of others by a module's part that is called as a member": (
        "import numpy as np\n@wp.struct\nclass S:\n    lib: float\n"
        "def f(s: S):\n    return np.lib.stride_tricks.as_strided(K, (9,))[8]", "wp.static(f(S()))"),
    "the same by another name": (
        "import numpy as np\n@wp.struct\nclass S:\n    lib: float\nm = np\n"
        "def f(s: S):\n    return m.lib", "wp.static(f(S()))"),
    "the same as an argument": (
        "import numpy as np\n@wp.struct\nclass S:\n    lib: float\n"
        "def f(m, s: S):\n    return m.lib", "wp.static(f(np, S()))"),
    "the same by import": (
        "@wp.struct\nclass S:\n    lib: float\nfrom numpy import lib", "wp.static(f(lib, S()))"),
    "the same in what Warp reads": (
        "import numpy as np\n@wp.struct\nclass S:\n    lib: float\n"
        "@wp.func\ndef f(s: S):\n    m = np\n    return m.lib.x", "f(S())"),
    "the same in what Warp reads, by two names": (
        "import numpy as np\n@wp.struct\nclass S:\n    lib: float\n"
        "@wp.func\ndef f(s: S):\n    n = m\n    m = np\n    return n.lib.x", "f(S())"),
    "the same around what Warp reads": (
        "import numpy as np\n@wp.struct\nclass S:\n    lib: float\n"
        "def g(m):\n    @wp.func\n    def f(s: S):\n        return m.lib.x\n    return f\n"
        "f = g(np)", "f(S())"),
    "attributes copied": ("import functools\nfunctools.update_wrapper", "wp.static(functools.wraps(wp))"),
    "code of bytes": ("import dataclasses as d\nK = d.types.CodeType", "a[i] * float(K)"),
    "memory by its address": ("K = wp.array(ptr=16, shape=1, dtype=float)", "a[i] * float(K.numpy()[0])"),
    "memory by an interface": (
        "class C:\n    @property\n    def __array_interface__(self): ...\nK = C()", "wp.static(K)"),
    "what Warp makes of a kernel": ("def f():\n    return k.adj\nK = 1.0", "wp.static(f())"),
    "what Warp makes of a kernel, in it": ("", "wp.static(k.adj)"),
    "a line of Warp's": ("def f(x):\n    x.body_forward.append('y')", "wp.static(f(k))"),
    "a walk in a format": ("K = '{0.x}'.format(wp)", "wp.static(K)"),
    "a private name like a member": (
        "class S:\n    _sys: int\nimport collections\nK = collections._sys", "wp.static(K) + wp.static(S())"),
    "Warp's insides by a pattern": (
        "def f():\n    match wp:\n        case object(_src=s): ...", "wp.static(f())"),
    "what Warp makes of a kernel, by a pattern": (
        "def f():\n    match k:\n        case object(adj=s): ...", "wp.static(f())"),
    "what Warp makes of a kernel, by getattr": ("def f():\n    getattr(k, 'adj')", "wp.static(f())"),
    "a pattern of what a class names": (
        "import abc, dataclasses\n@dataclasses.dataclass\nclass C(abc.ABC):\n    _src: int\n"
        "C.register(type(wp))\ndef f():\n    match wp:\n        case C(s): ...", "wp.static(f())"),
    "native code of a function": (
        "g = wp.Function(abs, 'abs', '', native_snippet='return x;')", "g(a[i])"),
    "whether it is a program": ("K = 1.0 if __name__ == '__main__' else 2.0", "a[i] * float(K)"),
    "the time": ("import numpy as np\nK = np.datetime64('now').astype(float)", "a[i] * float(K)"),
    "the time as a type": ("import numpy as np\nK = np.array('now', 'M8[s]')", "a[i] * float(K)"),
    "a device": ("K = 1.0 if wp.is_cuda_available() else 2.0", "a[i] * float(K)"),
    "hooks in what is tried": ("try:\n    import os as K\nexcept Exception: pass", "a[i] * float(K)"),
}  # fmt: skip


@pytest.mark.parametrize("what", SAID)
def test_what_no_kernel_needs_is_forbidden(what: str) -> None:
    with pytest.raises(Forbidden):
        allowed(of(*SAID[what]), "k")


def test_what_the_kernel_does_not_use_may_be_anything_and_goes() -> None:
    for before, _ in SAID.values():
        left = allowed(of(before), "k")
        assert "wp.tid()" in left and left.count("\n") == of(before).count("\n")
        assert len(ast.parse(left).body) <= len(ast.parse(of(before)).body)


HONEST = [
    "import numpy as np\nK = np.pi * 2.0",
    "import math\nfrom typing import Any\nK: float = math.sqrt(2.0)",
    "import os, sys, math\nK = math.pi",
    "from enum import IntEnum\nclass Mode(IntEnum):\n    A = 1\nK = Mode.A.value",
    "try:\n    import numpy as np\nexcept ImportError:\n    np = None\nK = 1.0",
    "vec5 = wp.types.vector(length=5, dtype=float)\nK = 5.0",
    "wp.config.quiet = True\nwp.init()\nwp.set_module_options({'fast_math': False})\nK = 1.0",
    "T = [0.0] * 3\nT[1] = 2.0\nK = T[1]",
    "T = []\nfor n in range(3):\n    T.append(n)\nU = {}\nU.update(k=1.0)\nK = T[1] + U['k']",
    "K = None\ndef setup():\n    global K\n    K = 2.0\nsetup()",
    "import functools\n@functools.lru_cache\ndef f():\n    return 1.0\nK = f()",
    "@wp.struct\nclass S:\n    context: float\n    _x: float\n"
    "@wp.func\ndef f(s: S, input: float):\n    s.context = input\n    s._x = s.context\n    return s._x\n"
    "K = 1.0",
    "@wp.struct\nclass T:\n    lib: float\n@wp.struct\nclass S:\n    core: T\n    save: wp.array(dtype=T)\n"
    "@wp.func\ndef f(s: S, n: int):\n    t = s.core\n    t.lib = s.save[n].lib + s.core.lib\n"
    "    return t.lib\n"
    "K = 1.0",
    "@wp.func\ndef f(open: 'float', vars: wp.float32):\n    exit = open + vars\n    return exit\nK = 1.0",
    "def make(n: int):\n    @wp.func\n    def f(x: float):\n        return x * float(wp.static(n))\n"
    "    return f\nf = make(3)\nK = getattr(wp, 'PI')",
    "import numpy as np; K = 1.0; print(np.random.rand(\n    3)); import socket",
]


@pytest.mark.parametrize("before", HONEST)
def test_what_kernels_need_is_not(before: str) -> None:
    demo = "def main():\n    import os\n    exec('x')\nif __name__ == '__main__':\n    main()\n"
    left = allowed(of(before, "a[i] * wp.static(K) + f(a[i])", demo), "k")
    assert "exec" not in left and "K" in left and "socket" not in left and "quiet" not in left
    compile(left, "kernel.py", "exec")


def test_what_a_function_changes_is_changed_by_its_call() -> None:
    setup = "def setup():\n    global K, unused\n    K = 2.0\n"
    calls = "setup()\nprint(setup())\nother()"
    left = allowed(of(f"{setup}{calls}", "a[i] * wp.static(K)"), "k")
    assert setup in left and "\nsetup()\nprint(setup())\n0\n" in left
    assert "setup" not in allowed(of(f"{setup}{calls}"), "k")


# What gives T its numbers, which a kernel has a use for.
FILLS = {
    "by way of another function": (
        "T = None\ndef inner():\n    global T\n    T = [1.0]\ndef setup():\n    inner()", "setup()"),
    "in a function": ("T = []\ndef setup():\n    T.append(1.0)", "setup()"),
    "of a function's own": ("T = []\ndef setup():\n    T = []\n    T.append(1.0)", None),
    "as an argument": ("T = []\ndef setup(n, t):\n    t.append(n)", "setup(1.0, T)"),
    "as an argument that is read": ("T = [1.0]\ndef setup(t):\n    print(t)", None),
    "a part of a part": ("T = [[0.0]]", "T[0][0] = 1.0"),
    "to a part": ("T = [[]]", "T[0].append(1.0)"),
    "to a member": ("T = C()", "T.rows.append(1.0)"),
    "by numpy": ("import numpy as np\nT = np.zeros((2, 2))", "np.fill_diagonal(T, 1.0)"),
    "a part that goes": ("T = [0.0, 1.0]", "del T[0]"),
}  # fmt: skip


@pytest.mark.parametrize("how", FILLS)
def test_what_fills_a_table_belongs_to_it(how: str) -> None:
    before, filling = FILLS[how]
    line = filling or ("setup(T)" if "(t)" in before else "setup()")
    left = allowed(of(f"{before}\n{line}", "a[i] * wp.static(T[0])"), "k").splitlines()
    assert (line in left) == (filling is not None)
    assert line not in allowed(of(f"{before}\n{line}"), "k").splitlines()


def test_lines_stay_where_they_were() -> None:
    source = of("import os\nx = [\n  1,\n]\nK = 2.0  # two", "a[i] * K", "\nprint(1); print(\n2)  # end\n")
    left = allowed(source, "k")
    assert "# two" in left
    lines = source.splitlines()
    for at, line in enumerate(left.splitlines()):
        assert line in (lines[at], "", "0", "0; 0", "print(1); 0", "  # end")


def test_what_must_come_first_stays_there() -> None:
    source = f'"""Doc."""\nx = 1\n{of()}'.replace("x = 1", "from __future__ import annotations")
    assert allowed(source + "\nx = 1\n", "k") == source + "\n0\n"


@pytest.mark.parametrize("text", ["def k(:", "x = " + "(" * 5000, "x = '\0'", f"x = {'-' * 50000}1"])
def test_what_is_no_python_is_told_in_a_line(text: str) -> None:
    with pytest.raises(NotPython, match=r"^[^\n]+$"):
        allowed(text, "k")


def test_what_is_nested_too_deep_is_not_let_through() -> None:
    deep = " + ".join(["K"] * 5000)
    with pytest.raises(NotPython):
        allowed(of(f"K = {deep}\nK = open('x')", "wp.static(K)"), "k")


LINES = ["    o[i] = a[i]\n", "    def f():\n        x = a\n", "    global x\n", "    k(a)\n", "k()\n"]


@pytest.mark.parametrize("line", LINES)
def test_long_kernels_take_no_longer_than_their_length(line: str) -> None:
    assert grows_as_its_text(lambda text: allowed(of(behind=text), "k"), line, 100)


def test_long_modules_take_no_longer_than_their_length() -> None:
    """It is done outside of any sandbox."""

    def left_of(many: int) -> str:
        chain = "\n".join(f"a{n + 1}=a{n}" for n in range(many))
        loose = ";".join(f"b{n}=1" for n in range(many))
        return allowed(of(f"a0 = 1\n{chain}\n{loose}", f"a[i] * float(a{many})"), "k")

    left = left_of(200)
    assert "a17=a16" in left and "b17" not in left
    once, twice = (lines_run(lambda many=many: left_of(many)) for many in (200, 400))
    assert twice < 2.5 * once
